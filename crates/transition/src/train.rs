//! Training of a transition parser on a treebank, from sentences to a model.

use conll::Sentence;

use super::certain::CertainLabels;
use super::completion;
use super::model::{self, StoredScorer};
use super::nets;
use super::oracle::OracleKind;
use super::scorer::Extractors;
use super::searches::MOST_BEAM;
use super::system::TreeClass;
use super::systems::{SYSTEMS, default_oracle, with_system};
use super::training::hybrid;
use super::training::job::Job;
use crossarc_learn::features::Words;
use crossarc_learn::templates::{Program, Templates};
use crossarc_train::TrainError;
use crossarc_train::checkpoint::{Fingerprint, checksum};
use crossarc_train::columns::Columns;
use crossarc_train::course;
use crossarc_train::hidden_columns;
use crossarc_train::material::{Material, most_frequent_root_label};
use crossarc_train::observer::{Observer, Plan};
use crossarc_train::options::{ScorerKind, TrainOptions};
use crossarc_tree::codec::pseudo_projective::Scheme;
use crossarc_tree::treebank::root_rule::RootRule;
use crossarc_tree::treebank::{root_policy, unlabelled_tree_of};
use crossarc_tree::{Labels, Tree};

/// A trained transition parser.
pub type Trained = course::Trained<StoredScorer>;

/// Trains a parser. `dev` may be empty: then all epochs are run and the last one is kept.
pub fn train(
    options: &TrainOptions,
    material: Material<'_>,
    dev: Material<'_>,
    observer: &dyn Observer,
) -> Result<Trained, TrainError> {
    let train = material.sentences;
    nets::check(options)?;
    if options.scorer == ScorerKind::Hybrid {
        return hybrid::train(options, material, dev, observer);
    }
    let net = nets::options(options);
    let options = &nets::with_course(options, train);
    let systems = SYSTEMS.iter().filter(|entry| entry.system == options.parser);
    let entry = systems.clone().next().ok_or_else(|| {
        let mut known: Vec<&str> = SYSTEMS.iter().map(|entry| entry.system).collect();
        known.dedup();
        TrainError::UnknownParser { name: options.parser.clone(), nearest: None, known }
    })?;
    let oracle = match &options.oracle {
        Some(name) => name.as_str(),
        // Machines learn from one derivation, so they follow a static oracle if there is one.
        None => match systems.clone().find(|entry| entry.kind == OracleKind::Static) {
            Some(entry) if options.svm.is_some() => entry.oracle,
            _ => default_oracle(&options.parser).unwrap_or_default(),
        },
    };
    if train.iter().all(Sentence::is_empty) {
        return Err(TrainError::NoSentence);
    }
    if options.beam > MOST_BEAM {
        return Err(TrainError::BeamTooWide { beam: options.beam });
    }
    if let Some(machines) = &options.svm {
        machines.settings.check()?;
        if options.beam > 1 {
            return Err(TrainError::MachinesWithBeam);
        }
        if options.checkpoint.is_some() {
            return Err(TrainError::NoCheckpoint { parser: "svm".to_owned() });
        }
    }
    if options.completion && (options.beam < 2 || options.svm.is_some()) {
        return Err(TrainError::CompletionWithoutBeam);
    }
    let mut codec = options.codec.clone();
    let baseline_added = entry.covers == TreeClass::Projective && codec.tree.scheme.is_none();
    if baseline_added {
        codec.tree.scheme = Some(Scheme::Baseline);
    }
    let mut labels = Labels::default();
    let examples = codec.fit(train, &mut labels)?;
    let read = examples.iter().map(|example| &example.sentence);
    let (columns, column_uses) = Columns::chosen(read, dev.sentences, &options.ignored_columns)
        .map_err(TrainError::UnknownColumn)?;
    let features = completion::features(options);
    let templates = columns.fit(&Templates::parse(&features)?).for_focus(entry.focus);
    let compile = |list| Program::compile(list).ok_or(TrainError::TooManyAddresses);
    let split = match options.svm.as_ref().and_then(|machines| machines.split_by.as_ref()) {
        None => Templates::default(),
        Some(text) => columns.fit(&model::split_template(text)?),
    };
    let split_text = split.to_string();
    let split_by = split_text.lines().nth(1).filter(|_| !split.moves.is_empty());
    let split_by = split_by.map(str::to_owned);
    let trees: Vec<Tree> = examples.iter().map(|example| example.tree.clone()).collect();
    let roots = options.roots.unwrap_or_else(|| root_policy(&trees));
    let read = |number: usize, sentence: &Sentence| {
        let (words, tree) = (material.words(number, sentence), &examples[number].tree);
        if options.right_to_left {
            (words.mirrored(), tree.mirrored())
        } else {
            (words, tree.clone())
        }
    };
    let plain: Vec<&Sentence> = examples.iter().map(|example| &example.sentence).collect();
    let mut sentences: Vec<(Words, Tree)> =
        plain.iter().enumerate().map(|(number, sentence)| read(number, sentence)).collect();
    let words = sentences.iter().map(|(words, _)| words.len()).sum();
    let share = if net.is_some() { 0.0 } else { options.hidden_columns };
    let copies = hidden_columns::copies(&plain, columns, share);
    sentences.extend(copies.iter().map(|(number, copy)| read(*number, copy)));
    let (tag, word) = columns.tag_and_word();
    // Machines decide everything themselves, as those of the literature do; factors need scores.
    let by_heart = options.svm.is_none() && !options.completion && net.is_none();
    let certain = by_heart.then(|| CertainLabels::learn(&sentences, tag, word));
    if let Some(certain) = &certain {
        for (words, tree) in &mut sentences {
            certain.impose(words, tree);
        }
    }
    let extractors = Extractors {
        moves: compile(&templates.moves)?,
        labels: compile(&templates.labels)?,
        certain,
        split: compile(&split.moves)?,
    };
    let non_projective = train
        .iter()
        .filter_map(|sentence| unlabelled_tree_of(sentence).ok())
        .filter(|tree| !crossarc_tree::projectivity::is_projective(tree))
        .count();
    let plan = Plan {
        oracle: oracle.to_owned(),
        sentences: plain.len(),
        words,
        runs: options.runs.max(1),
        labels: labels.len(),
        non_projective,
        codecs: codec.names(),
        baseline_added,
        lifted: 0,
        left_out: 0,
        columns: column_uses,
        templates: (templates.moves.len(), templates.labels.len()),
        epochs_done: 0,
    };
    let root_label = most_frequent_root_label(&trees);
    let job = Job {
        options,
        fingerprint: Fingerprint::of(options, oracle, train, dev.sentences),
        checksum: checksum(train),
        oracle,
        sentences,
        dev,
        labels,
        root_label,
        root_rule: RootRule::learn(train),
        roots,
        codec,
        templates,
        extractors,
        split_by,
        plan,
        observer,
    };
    with_system(&options.parser, oracle, &job).unwrap_or_else(|| {
        let known = systems.map(|entry| entry.oracle).collect();
        let (parser, name) = (options.parser.clone(), oracle.to_owned());
        Err(TrainError::UnknownOracle { parser, name, known })
    })
}
