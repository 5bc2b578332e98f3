//! A comparison as one HTML page: tables with charts, the study of running time, analyses of errors.
use conll::{ReadOptions, Reader, Roots, Sentence};

use super::figures::{Axis, Better, Measure};
use super::recipe::{Recipe, TableSpec};
use super::stars::Measured;
use super::table::{Table, place};
use super::treebanks::Sentences;
use crate::analyze::corpus::Corpus;
use crate::analyze::label_baseline::TagLabels;
use crate::analyze::{self, Options};
use crate::report::page::Page;
use crate::report::{Chart, Cloud, Panel, Plot, Series, Value};
use crossarc_eval::Settings;
use crossarc_transition::SystemOptions;
use crossarc_transition::statistics::{Line, statistics};
use crossarc_transition::system::TreeClass;
use crossarc_transition::systems::SYSTEMS;
use crossarc_tree::Tree;
use crossarc_tree::codec::lift::{Definition, projectivise};
use crossarc_tree::treebank::{root_policy, unlabelled_tree_of};

/// A table as a panel; with its specification, as a chart, too.
pub fn panel(table: &Table, spec: Option<&TableSpec>) -> Panel {
    let mut panel = Panel {
        columns: table.header.clone(),
        ..Panel::new(&table.name, &table.title, &table.notes.join("\n"), [])
    };
    for row in &table.rows {
        let value = |(at, text): (usize, &str)| {
            if at < table.names { Value::text(text) } else { Value::Figure(text.to_owned()) }
        };
        let texts = row.iter().map(|entry| if entry.text.is_empty() { "–" } else { &entry.text });
        panel.rows.push(texts.enumerate().map(value).collect());
    }
    panel.charts.extend(spec.and_then(|spec| chart(&panel, table, spec)));
    panel
}

/// The first measure, a series for each row and a category for each column; a line over sizes.
fn chart(panel: &Panel, table: &Table, spec: &TableSpec) -> Option<Chart> {
    let measure = *spec.measures.first()?;
    // Without columns, the measures that are percentages stand side by side.
    let is_score = |measure: &Measure| measure.digits() == 2 && measure.better() == Better::High;
    let (step, first) = (spec.measures.len(), table.names);
    let at: Vec<usize> = if spec.columns.is_empty() {
        (0..step).filter(|&at| is_score(&spec.measures[at])).map(|at| first + at).collect()
    } else {
        (first..table.header.len()).step_by(step).collect()
    };
    if at.is_empty() || panel.rows.is_empty() || table.names == 0 {
        return None;
    }
    let name = |head: &String| {
        let name = head.strip_suffix(measure.head()).filter(|_| !spec.columns.is_empty());
        name.filter(|name| !name.is_empty()).unwrap_or(head).trim().to_owned()
    };
    let series = panel.rows.iter().map(|row| Series {
        name: row[..first].iter().map(Value::to_string).collect::<Vec<_>>().join(" "),
        values: at.iter().map(|&at| row.get(at).and_then(Value::number)).collect(),
        intervals: at.iter().map(|&at| row.get(at).and_then(Value::deviation)).collect(),
    });
    let series: Vec<Series> = series.collect();
    let categories: Vec<String> = at.iter().map(|&at| name(&table.header[at])).collect();
    let is_curve = spec.columns.last() == Some(&Axis::Size);
    let plot = if is_curve {
        Plot::Lines { categories, series }
    } else {
        Plot::Bars { categories, series }
    };
    let x = if is_curve { "training sentences" } else { "" };
    let y = if is_score(&measure) { "%" } else { measure.head() };
    let title =
        if spec.columns.is_empty() { table.title.clone() } else { measure.head().to_owned() };
    Some(Chart { title, x: x.to_owned(), y: y.to_owned(), plot })
}

/// What tells results on the same treebank apart.
fn names(measured: &[&Measured]) -> Vec<String> {
    let axes: Vec<Axis> = Axis::ALL
        .into_iter()
        .filter(|axis| {
            let mut values = measured.iter().map(|one| axis.value(&one.outcome.spec));
            let first = values.next();
            *axis == Axis::Parser || values.any(|value| Some(value) != first)
        })
        .collect();
    measured.iter().map(|one| place(&axes, &one.outcome.spec).join(" ")).collect()
}

/// Moves against sentence length, of the oracle on the training set and of the parser on the test set
/// (Nivre 2009, section 4.1).
pub fn running_time(measured: &[Measured], treebank: &str, sentences: &Sentences) -> Option<Panel> {
    let here: Vec<&Measured> =
        measured.iter().filter(|one| one.outcome.spec.treebank == treebank).collect();
    let trees: Vec<Tree> =
        sentences.train.iter().filter_map(|sentence| unlabelled_tree_of(sentence).ok()).collect();
    let mut panel = Panel::new(
        &format!("running-time-{treebank}"),
        &format!("Abstract running time on {treebank}"),
        "Moves m against words n of a sentence: of the oracle on the training set and of the trained parser on the test set, with the line m = a n by least squares (Nivre 2009, section 4.1). Projective systems get projectivised trees.",
        ["parser", "who", "sentences", "a in m = a n", "R²", "most moves"],
    );
    for (one, name) in here.iter().zip(names(&here)) {
        let spec = &one.outcome.spec;
        let entry =
            SYSTEMS.iter().find(|entry| entry.system == spec.parser && entry.oracle == spec.oracle);
        let Some(entry) = entry else { continue };
        let lifted: Vec<Tree>;
        let trees = if entry.covers == TreeClass::Projective {
            let lift = |tree: &Tree| projectivise(tree, Definition::Dominance).tree;
            lifted = trees.iter().map(lift).collect();
            &lifted
        } else {
            &trees
        };
        let options = SystemOptions { roots: root_policy(trees), ..SystemOptions::default() };
        let oracle = statistics(entry.system, entry.oracle, options, trees)?.lengths;
        let parser: Vec<(usize, usize)> =
            one.traces.iter().flat_map(super::trace::Trace::lengths).collect();
        let mut clouds = Vec::new();
        for (who, pairs) in [("oracle, training set", oracle), ("parser, test set", parser)] {
            let line = Line::fit(&pairs);
            panel.rows.push(vec![
                Value::text(&name),
                Value::text(who),
                Value::Count(pairs.len() as u64),
                Value::Number(Some(line.slope), 3),
                Value::Number(Some(line.r_squared), 3),
                Value::Count(pairs.iter().map(|pair| pair.1 as u64).max().unwrap_or(0)),
            ]);
            clouds.push(Cloud {
                name: format!("{who}: m = {:.2} n, R² = {:.2}", line.slope, line.r_squared),
                points: pairs.iter().map(|&(n, m)| (n as u32, m as u32)).collect(),
                slope: Some(line.slope),
            });
        }
        let (x, y) = ("words n".to_owned(), "moves m".to_owned());
        panel.charts.push(Chart { title: name, x, y, plot: Plot::Scatter { clouds } });
    }
    (!panel.rows.is_empty()).then_some(panel)
}

/// Analyses of the errors of all results on a treebank, without folds.
pub fn analyses(
    recipe: &Recipe,
    measured: &[Measured],
    treebank: &str,
    sentences: &Sentences,
) -> Vec<Panel> {
    let mut labels = TagLabels::default();
    for sentence in &sentences.train {
        labels.add_sentence(sentence);
    }
    let gold = &sentences.test;
    let here: Vec<&Measured> = measured
        .iter()
        .filter(|one| one.outcome.spec.treebank == treebank && one.traces.len() == 1)
        .collect();
    let reader = |name: &str, sentences: &[Sentence]| {
        let mut text = Vec::new();
        for sentence in sentences {
            // Writing to memory cannot fail.
            let _ = sentence.write_to(&mut text);
        }
        let format = sentences.first().map(Sentence::format);
        let options =
            ReadOptions { format, roots: Roots::Any, check_trees: false, ..Default::default() };
        Reader::from_bytes(name, text, options).ok()
    };
    let mut readers = Vec::new();
    for (one, name) in here.iter().zip(names(&here)) {
        let taken = &gold[..one.traces[0].heads.len().min(gold.len())];
        let parsed = one.traces[0].parsed(taken);
        readers.extend(parsed.and_then(|parsed| reader(&name, &parsed)));
    }
    let count = here.iter().map(|one| one.traces[0].heads.len()).min().unwrap_or(0);
    let Some(mut gold) = reader("gold", &gold[..count.min(gold.len())]) else { return Vec::new() };
    if readers.is_empty() {
        return Vec::new();
    }
    let Ok(corpus) = Corpus::read(&mut gold, &mut readers, Settings::default()) else {
        return Vec::new();
    };
    let options = Options { labels: Some(labels), ..Options::default() };
    let mut panels = analyze::panels(&corpus, &options);
    panels.retain(|panel| recipe.analyses.contains(&panel.name));
    for panel in &mut panels {
        panel.name = format!("{}-{treebank}", panel.name);
        panel.title = format!("{} on {treebank}", panel.title);
    }
    panels
}

/// The page.
pub fn page(recipe: &Recipe, made: &str, panels: Vec<Panel>) -> Page {
    let about = recipe.about.trim();
    let about: Vec<String> = about
        .split("\n\n")
        .filter(|paragraph| !paragraph.is_empty())
        .map(|paragraph| paragraph.replace('\n', " "))
        .chain([made.to_owned()])
        .collect();
    Page { title: recipe.title.clone(), about, panels, extra: None }
}
