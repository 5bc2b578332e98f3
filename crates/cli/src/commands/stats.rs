//! `crossarc stats FILE...`
mod crossing;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use crossarc::tree::treebank::crossing::Rules;
use crossarc::tree::treebank::statistics::{
    Bin, ClassShare, DistributionSummary, InventorySummary, Statistics, Summary,
};
use crossarc::tree::treebank::unlabelled_tree_of;

use self::crossing::Crossing;
use crate::arguments::{Inputs, Item, Output, Tally};
use crate::table::{Table, thousands};

/// Measure treebanks.
///
/// Size, non-projective arcs and sentences, lifts that make sentences projective, lengths, classes
/// of mildly non-projective trees, labels and tags with the suspicious ones.
#[derive(Args)]
#[command(after_help = "\
An arc is non-projective by dominance if its head does not dominate all words in between, and by
crossing if another arc (also one of the root) crosses it. Both agree on which sentences are
non-projective. Lifts are counted per non-projective sentence, for either definition.

Classes are in percent of sentences, by arcs between words; `--json` and `--csv` also give them with
the arcs of the root.

Examples:
  crossarc stats train.conllu                  one treebank
  crossarc stats *-train.conllu                a row for each, and one for all
  crossarc stats --inventories train.conllu    with all labels and tags
  crossarc stats --json train.conllu | jq '.[0].nonprojective_arcs_percent'
  crossarc stats --csv *.conllu -o stats.csv
  crossarc stats --crossing train.conllu       why arcs cross
  crossarc stats --crossing --causes my-rules.txt --examples 2 train.conllu")]
#[allow(clippy::struct_excessive_bools, reason = "flags of the command line")]
pub struct Stats {
    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    output: Output,

    /// Print JSON: a list with one object per file
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// Print CSV: one line per file
    #[arg(long)]
    csv: bool,

    /// List all labels, tags and features with their counts
    #[arg(long, conflicts_with_all = ["csv", "json"])]
    inventories: bool,

    /// Show what non-projective arcs are made of instead: causes, labels, pairs of tags
    #[arg(long, conflicts_with_all = ["csv", "inventories"])]
    crossing: bool,

    /// With --crossing: rules that name causes, a line `cause: test test ...` each, with tests such as
    /// label=acl,advcl tag=PRON head-tag=VERB has=PronType=Int direction=right gap=parataxis
    #[arg(long, value_name = "FILE", requires = "crossing")]
    causes: Option<PathBuf>,

    /// With --crossing: short sentences to draw for each cause
    #[arg(long, value_name = "N", default_value_t = 0, requires = "crossing")]
    examples: usize,

    /// Suspicious labels and tags to show of each kind, or labels and pairs of tags of crossing arcs
    #[arg(long, value_name = "N", default_value_t = 12)]
    max: usize,
}

impl Stats {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if self.crossing {
            return self.run_crossing();
        }
        let mut tally = Tally::default();
        let mut total = Statistics::default();
        let mut files: Vec<(String, Summary)> = Vec::new();
        for path in self.inputs.paths() {
            let mut statistics = Statistics::default();
            let options = self.inputs.reading.options();
            self.inputs.reading.for_each_in(&path, options, &mut tally, |item| {
                if let Item::Sentence(sentence) = item {
                    statistics.add(sentence, unlabelled_tree_of(sentence).as_ref().ok());
                }
                Ok(())
            })?;
            files.push((path.to_string_lossy().into_owned(), statistics.summary()));
            total.merge(&statistics);
        }
        tally.report();
        let mut out = self.output.create()?;
        if self.json {
            write_json(&files, &mut out)?;
        } else {
            shorten_names(&mut files);
            if files.len() > 1 {
                files.push(("all".into(), total.summary()));
            }
            if self.csv {
                write_csv(&files, &mut out)?;
            } else {
                self.write_tables(&files, &mut out)?;
            }
        }
        out.finish()?;
        Ok(tally.exit_code())
    }

    fn run_crossing(self) -> anyhow::Result<ExitCode> {
        let rules = match &self.causes {
            None => Rules::usual(),
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                Rules::parse(&text).with_context(|| format!("in {}", path.display()))?
            }
        };
        let mut tally = Tally::default();
        let mut crossing = Crossing::new(rules, self.examples);
        for path in self.inputs.paths() {
            let options = self.inputs.reading.options();
            self.inputs.reading.for_each_in(&path, options, &mut tally, |item| {
                if let Item::Sentence(sentence) = item {
                    crossing.add(sentence);
                }
                Ok(())
            })?;
        }
        tally.report();
        let mut out = self.output.create()?;
        if self.json {
            serde_json::to_writer_pretty(&mut out, &crossing.to_json())?;
            writeln!(out)?;
        } else {
            crossing.write(self.max, &mut out)?;
        }
        out.finish()?;
        Ok(tally.exit_code())
    }

    fn write_tables(
        &self,
        files: &[(String, Summary)],
        out: &mut impl Write,
    ) -> anyhow::Result<()> {
        write_overview(files, out)?;
        writeln!(out)?;
        write_classes(files, out)?;
        writeln!(out)?;
        write_lengths(files, "words in a sentence", |summary| &summary.sentence_length, out)?;
        writeln!(out)?;
        write_lengths(files, "words from head to dep.", |summary| &summary.arc_length, out)?;
        for (name, summary) in files {
            writeln!(out, "\n{name}: labels and tags")?;
            for (kind, inventory) in inventories(summary) {
                self.write_inventory(kind, inventory, out)?;
            }
        }
        Ok(())
    }

    fn write_inventory(
        &self,
        kind: &str,
        inventory: &InventorySummary,
        out: &mut impl Write,
    ) -> anyhow::Result<()> {
        let too_many = if inventory.too_many { ": too many?" } else { "" };
        writeln!(out, "  {} different {kind}{too_many}", thousands(inventory.distinct as u64))?;
        if self.inventories {
            for (name, count) in &inventory.values {
                writeln!(out, "{:>12}  {name}", thousands(*count))?;
            }
        }
        let suspicious = &inventory.suspicious;
        for value in suspicious.iter().take(self.max) {
            let why: Vec<String> = value.why.iter().map(ToString::to_string).collect();
            writeln!(out, "    ? `{}` {} times: {}", value.name, value.count, why.join(", "))?;
        }
        if suspicious.len() > self.max {
            let more = suspicious.len() - self.max;
            writeln!(out, "    ? and {} more (--max)", thousands(more as u64))?;
        }
        Ok(())
    }
}

fn inventories(summary: &Summary) -> [(&'static str, &InventorySummary); 4] {
    [
        ("labels", &summary.labels),
        ("coarse tags (UPOS)", &summary.universal_tags),
        ("fine tags (XPOS)", &summary.specific_tags),
        ("features", &summary.features),
    ]
}

fn write_overview(files: &[(String, Summary)], out: &mut impl Write) -> anyhow::Result<()> {
    let mut table = Table::new([
        "treebank",
        "sentences",
        "words",
        "w/sent.",
        "NP arcs",
        "NP arcs %",
        "crossed",
        "crossed %",
        "NP sent.",
        "NP sent. %",
        "lifts",
        "lifts, crossed",
        "sev. roots",
        "no tree",
    ]);
    for (name, summary) in files {
        table.row([
            name.clone(),
            thousands(summary.sentences),
            thousands(summary.words),
            two_digits(summary.sentence_length.mean),
            thousands(summary.nonprojective_arcs),
            two_digits(summary.nonprojective_arcs_percent),
            thousands(summary.crossed_arcs),
            two_digits(summary.crossed_arcs_percent),
            thousands(summary.nonprojective_sentences),
            two_digits(summary.nonprojective_sentences_percent),
            two_digits(summary.average_lifts),
            two_digits(summary.average_lifts_by_crossing),
            thousands(summary.sentences_with_several_roots),
            thousands(summary.sentences_without_tree),
        ]);
    }
    table.write(out)?;
    writeln!(
        out,
        "NP: non-projective by dominance; crossed: non-projective by crossing, with root arcs; \
         lifts: per NP sentence"
    )?;
    Ok(())
}

fn write_classes(files: &[(String, Summary)], out: &mut impl Write) -> anyhow::Result<()> {
    let mut table = Table::new([
        "% of trees",
        "projective",
        "planar",
        "2-planar",
        "1-endp.-cr.",
        "cr.-interval",
        "well-nested",
        "gap<=1",
        "gap<=2",
        "max gap",
        "edge<=1",
        "edge<=2",
        "max edge",
    ]);
    let up_to = |degree: &DistributionSummary, bins: usize| {
        two_digits(degree.bins.iter().take(bins).map(|bin| bin.percent).sum())
    };
    for (name, summary) in files {
        table.row([
            name.clone(),
            up_to(&summary.gap_degree, 1),
            two_digits(summary.planar.percent),
            two_digits(summary.two_planar.percent),
            two_digits(summary.one_endpoint_crossing.percent),
            two_digits(summary.crossing_interval.percent),
            two_digits(summary.well_nested_percent),
            up_to(&summary.gap_degree, 2),
            up_to(&summary.gap_degree, 3),
            summary.gap_degree.max.to_string(),
            up_to(&summary.edge_degree, 2),
            up_to(&summary.edge_degree, 3),
            summary.edge_degree.max.to_string(),
        ]);
    }
    table.write(out)?;
    Ok(())
}

fn write_lengths(
    files: &[(String, Summary)],
    title: &str,
    lengths: fn(&Summary) -> &DistributionSummary,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let Some((_, first)) = files.first() else { return Ok(()) };
    let bins: Vec<String> =
        lengths(first).bins.iter().map(|bin| format!("{} %", bin_name(bin))).collect();
    let header = [title, "mean", "median", "95th", "max"];
    let mut table = Table::new(header.into_iter().chain(bins.iter().map(String::as_str)));
    for (name, summary) in files {
        let lengths = lengths(summary);
        let figures = [
            name.clone(),
            two_digits(lengths.mean),
            lengths.median.to_string(),
            lengths.percentile_95.to_string(),
            lengths.max.to_string(),
        ];
        let shares = lengths.bins.iter().map(|bin| format!("{:.1}", bin.percent));
        table.row(figures.into_iter().chain(shares));
    }
    table.write(out)?;
    Ok(())
}

fn bin_name(bin: &Bin) -> String {
    match bin.to {
        Some(to) if to == bin.from => to.to_string(),
        Some(to) => format!("{}-{to}", bin.from),
        None => format!("{}+", bin.from),
    }
}

fn two_digits(number: f64) -> String {
    format!("{number:.2}")
}

fn write_json(files: &[(String, Summary)], out: &mut impl Write) -> anyhow::Result<()> {
    let mut objects = Vec::new();
    for (name, summary) in files {
        let mut object = serde_json::to_value(summary)?;
        object["file"] = name.as_str().into();
        objects.push(object);
    }
    serde_json::to_writer_pretty(&mut *out, &objects)?;
    writeln!(out)?;
    Ok(())
}

fn write_csv(files: &[(String, Summary)], out: &mut impl Write) -> anyhow::Result<()> {
    for (at, (name, summary)) in files.iter().enumerate() {
        let mut columns: Vec<(String, String)> = vec![("treebank".into(), quoted(name))];
        let mut count = |column: &str, value: u64| columns.push((column.into(), value.to_string()));
        count("sentences", summary.sentences);
        count("words", summary.words);
        count("sentences_without_tree", summary.sentences_without_tree);
        count("sentences_with_several_roots", summary.sentences_with_several_roots);
        count("nonprojective_arcs", summary.nonprojective_arcs);
        count("crossed_arcs", summary.crossed_arcs);
        count("nonprojective_sentences", summary.nonprojective_sentences);
        let mut figure =
            |column: &str, value: f64| columns.push((column.into(), format!("{value:.4}")));
        figure("nonprojective_arcs_percent", summary.nonprojective_arcs_percent);
        figure("crossed_arcs_percent", summary.crossed_arcs_percent);
        figure("nonprojective_sentences_percent", summary.nonprojective_sentences_percent);
        figure("average_lifts", summary.average_lifts);
        figure("average_lifts_by_crossing", summary.average_lifts_by_crossing);
        figure("average_lifts_to_root", summary.average_lifts_to_root);
        figure("leftward_arcs_percent", summary.leftward_arcs_percent);
        figure("well_nested_percent", summary.well_nested_percent);
        let classes: [(&str, ClassShare); 4] = [
            ("planar", summary.planar),
            ("two_planar", summary.two_planar),
            ("one_endpoint_crossing", summary.one_endpoint_crossing),
            ("crossing_interval", summary.crossing_interval),
        ];
        for (class, share) in classes {
            figure(&format!("{class}_percent"), share.percent);
            figure(&format!("{class}_with_root_arcs_percent"), share.percent_with_root_arcs);
        }
        let distributions: [(&str, &DistributionSummary); 4] = [
            ("sentence_length", &summary.sentence_length),
            ("arc_length", &summary.arc_length),
            ("gap_degree", &summary.gap_degree),
            ("edge_degree", &summary.edge_degree),
        ];
        for (kind, distribution) in distributions {
            columns.push((format!("{kind}_mean"), format!("{:.4}", distribution.mean)));
            columns.push((format!("{kind}_median"), distribution.median.to_string()));
            columns.push((format!("{kind}_percentile_95"), distribution.percentile_95.to_string()));
            columns.push((format!("{kind}_max"), distribution.max.to_string()));
            for bin in &distribution.bins {
                columns.push((format!("{kind}_{}", bin_name(bin)), bin.count.to_string()));
            }
        }
        for (kind, inventory) in ["labels", "universal_tags", "specific_tags", "features"]
            .iter()
            .zip(inventories(summary))
        {
            columns.push((format!("{kind}_distinct"), inventory.1.distinct.to_string()));
            columns.push((format!("{kind}_suspicious"), inventory.1.suspicious.len().to_string()));
        }
        let (names, values): (Vec<String>, Vec<String>) = columns.into_iter().unzip();
        if at == 0 {
            writeln!(out, "{}", names.join(","))?;
        }
        writeln!(out, "{}", values.join(","))?;
    }
    Ok(())
}

fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

/// File names without folders, as long as they stay different.
fn shorten_names(files: &mut [(String, Summary)]) {
    let short = |name: &String| {
        Path::new(name)
            .file_stem()
            .map_or_else(|| name.clone(), |stem| stem.to_string_lossy().into_owned())
    };
    let names: BTreeSet<String> = files.iter().map(|(name, _)| short(name)).collect();
    if names.len() == files.len() {
        for (name, _) in files {
            *name = short(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary() -> Summary {
        let text = "1\ta\t_\tX\t_\t_\t3\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n3\tc\t_\tX\t_\t_\t2\tdep\t_\t_\n\n";
        let mut statistics = Statistics::default();
        for sentence in conll::read_str(text, conll::ReadOptions::default()).unwrap() {
            statistics.add(&sentence, unlabelled_tree_of(&sentence).as_ref().ok());
        }
        statistics.summary()
    }

    #[test]
    fn csv_has_a_value_for_each_column() {
        let mut out = Vec::new();
        let files = [("a,b".to_owned(), summary()), ("c".to_owned(), summary())];
        write_csv(&files, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].starts_with("\"a,b\",1,3,0,0,1,2,1,33.3333,66.6667,100.0000,"));
        assert_eq!(lines[0].split(',').count(), lines[2].split(',').count());
    }

    #[test]
    fn names_are_shortened_if_they_stay_different() {
        let mut files =
            [("x/a.conllu".to_owned(), summary()), ("y/b.conllu".to_owned(), summary())];
        shorten_names(&mut files);
        assert_eq!((files[0].0.as_str(), files[1].0.as_str()), ("a", "b"));
        let mut files =
            [("x/a.conllu".to_owned(), summary()), ("y/a.conllu".to_owned(), summary())];
        shorten_names(&mut files);
        assert_eq!(files[1].0, "y/a.conllu");
    }
}
