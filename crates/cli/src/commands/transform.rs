//! `crossarc transform`
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use conll::{ReadOptions, Reader, Roots, Sentence};
use crossarc::tree::Labels;
use crossarc::tree::codec::lift::Definition;
use crossarc::tree::codec::round_trip::RoundTrip;
use crossarc::tree::codec::{CodecChain, TreeCodecSpec};
use crossarc::tree::treebank::{tree_of, write_tree};

use crate::arguments::{Inputs, Output, Sink, Tally};

/// Encode trees so that a parser can learn them, or decode them again.
#[derive(Args)]
#[command(
    long_about = "Encode trees so that a parser can learn them, or decode them again.\n\n\
        Codecs of trees: baseline (lifted, labels untouched), pseudo-head, pseudo-path and \
        pseudo-head+path (lifts written into labels as l↑h and p↓). Transformations of treebanks: \
        punctuation, split-sentences, context-labels, markers, parenthesis, auxiliary-arguments, \
        features-to-tag, features-to-lemma, punctuation-classes, preposition-article, articles, \
        treebank-feature. \
        Codecs chain: transformations first, then at most one codec of trees. `crossarc train` \
        takes the same codecs, and `crossarc parse` undoes them without being asked.",
    after_help = "Examples:\n  \
        crossarc transform --codec pseudo-head --label-cap 30 train.conllu -o train.pp.conllu\n  \
        crossarc transform --codec pseudo-head --inverse parsed.conllu -o parsed.np.conllu\n  \
        crossarc transform --codec markers --codec pseudo-path --report train.conll\n  \
        crossarc transform --config codecs.toml train.conll -o out.conll --save-config fitted.toml\n  \
        crossarc transform --config fitted.toml --inverse --original test.conll parsed.conll\n\n\
        A configuration:\n  \
        [[codec]]\n  name = \"split-sentences\"\n  longer-than = 100\n  join = \"previous\"\n\n  \
        [[codec]]\n  name = \"pseudo-head+path\"\n  label-cap = 30"
)]
pub struct Transform {
    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    output: Output,

    /// A codec by name; several are applied in order
    #[arg(
        long,
        value_name = "NAME",
        required_unless_present = "config",
        value_parser = PossibleValuesParser::new(CodecChain::available())
    )]
    codec: Vec<String>,

    /// Keep only this many new labels, the most frequent ones of the input; all if not given
    #[arg(long, value_name = "M")]
    label_cap: Option<usize>,

    /// Which arcs are lifted
    #[arg(long, value_name = "DEFINITION", value_enum)]
    lift_by: Option<LiftBy>,

    /// Codecs and their parameters; with `--codec`, only the parameters of those named
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Decode instead of encode
    #[arg(long, conflicts_with_all = ["report", "save_config"])]
    inverse: bool,

    /// The sentences as they were before encoding, which restoring columns and joining parts needs
    #[arg(long, value_name = "FILE", requires = "inverse")]
    original: Option<PathBuf>,

    /// Write the codecs with what they learned from the input, to be used as `--config`
    #[arg(long, value_name = "FILE")]
    save_config: Option<PathBuf>,

    /// Encode and decode the input, and tell how much comes back instead of writing sentences
    #[arg(long)]
    report: bool,

    /// The report as JSON
    #[arg(long, requires = "report")]
    json: bool,
}

/// What counts as non-projective.
#[derive(Copy, Clone, Debug, ValueEnum)]
enum LiftBy {
    /// Arcs whose head does not dominate all words in between
    Dominance,
    /// Arcs that another arc crosses, root arcs included
    Crossing,
    /// The same, and the arcs of the only word under the root are lifted, too
    CrossingToRoot,
}

impl Transform {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let chain = self.chain()?;
        if self.inverse {
            return self.decode(&chain);
        }
        let options = ReadOptions { need_tree: true, ..self.inputs.reading.options() };
        let (gold, tally) = self.inputs.read_all(options)?;
        if self.report {
            self.tell(&chain, &gold)?;
        } else {
            self.encode(chain, &gold)?;
        }
        Ok(tally.exit_code())
    }

    fn chain(&self) -> anyhow::Result<CodecChain> {
        let mut chain = CodecChain::default();
        if let Some(path) = &self.config {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            chain = CodecChain::from_toml(&text).with_context(|| path.display().to_string())?;
        }
        if !self.codec.is_empty() {
            chain = chain.select(&self.codec)?;
        }
        ensure!(
            !chain.is_empty(),
            "the configuration lists no codec; see crossarc transform --help"
        );
        if self.label_cap.is_some() {
            chain.tree.label_cap = self.label_cap;
        }
        if let Some(definition) = self.lift_by {
            chain.tree.definition = match definition {
                LiftBy::Dominance => Definition::Dominance,
                LiftBy::Crossing => Definition::Crossing,
                LiftBy::CrossingToRoot => Definition::CrossingToRoot,
            };
        }
        Ok(chain)
    }

    fn encode(&self, mut chain: CodecChain, gold: &[Sentence]) -> anyhow::Result<()> {
        let mut labels = Labels::default();
        let mut out = self.output.create()?;
        for mut example in chain.fit(gold, &mut labels)? {
            write_tree(&example.tree, &labels, &mut example.sentence);
            example.sentence.write_to(&mut out)?;
        }
        out.finish()?;
        if let Some(path) = &self.save_config {
            let output = Output { output: Some(path.clone()) };
            let mut out = output.create()?;
            out.write_all(chain.to_toml().as_bytes())?;
            out.finish()?;
        }
        Ok(())
    }

    fn decode(&self, chain: &CodecChain) -> anyhow::Result<ExitCode> {
        ensure!(
            self.original.is_some() || !chain.needs_original(),
            "the inverse of {} needs the sentences as they were: give --original FILE",
            chain.names().join(", ")
        );
        let mut inverse = Inverse {
            chain,
            original: None,
            awaited: None,
            parts: Vec::new(),
            out: self.output.create()?,
        };
        if let Some(path) = &self.original {
            let options = ReadOptions { roots: Roots::Any, ..self.inputs.reading.options() };
            inverse.original = Some(Reader::open(path, options)?);
        }
        // Part of a sentence may have several roots, so the input may too.
        let options =
            ReadOptions { need_tree: true, roots: Roots::Any, ..self.inputs.reading.options() };
        let mut pending: Vec<Sentence> = Vec::new();
        let tally: Tally = self.inputs.for_each(options, |sentence| {
            pending.push(std::mem::take(sentence));
            if pending.len() == SENTENCES_AT_ONCE {
                inverse.decode(std::mem::take(&mut pending))?;
            }
            Ok(())
        })?;
        inverse.decode(pending)?;
        inverse.finish()?;
        Ok(tally.exit_code())
    }

    fn tell(&self, chain: &CodecChain, gold: &[Sentence]) -> anyhow::Result<()> {
        let measured = RoundTrip::measure_chain(chain, gold)?;
        let mut out = self.output.create()?;
        if self.json {
            let mut report = serde_json::to_value(measured)?;
            report["codecs"] = chain.names().into();
            report["label_cap"] = chain.tree.label_cap.into();
            writeln!(out, "{report}")?;
        } else {
            write_report(&mut out, chain, &measured)?;
        }
        out.finish()
    }
}

/// So many sentences share one label inventory, so that memory stays constant.
const SENTENCES_AT_ONCE: usize = 10_000;

struct Inverse<'a> {
    chain: &'a CodecChain,
    original: Option<Reader>,
    /// The original sentence that is being put together, and how many parts it has.
    awaited: Option<(Sentence, usize)>,
    /// Its decoded parts so far.
    parts: Vec<Sentence>,
    out: Sink,
}

impl Inverse<'_> {
    fn decode(&mut self, sentences: Vec<Sentence>) -> anyhow::Result<()> {
        let mut labels = Labels::default();
        let trees = sentences
            .iter()
            .map(|sentence| tree_of(sentence, &mut labels))
            .collect::<Result<Vec<_>, _>>()?;
        let spec = TreeCodecSpec { new_labels: None, ..self.chain.tree.clone() };
        let codec = spec.bind(&mut labels)?;
        for (mut sentence, tree) in sentences.into_iter().zip(trees) {
            write_tree(&codec.decode(&tree), &labels, &mut sentence);
            self.restore(sentence)?;
        }
        Ok(())
    }

    /// Takes the next part, and writes the sentence if it is complete.
    fn restore(&mut self, part: Sentence) -> anyhow::Result<()> {
        let Some(reader) = &mut self.original else {
            let restored = self.chain.restore(&part, std::slice::from_ref(&part));
            return Ok(restored.write_to(&mut self.out)?);
        };
        if self.awaited.is_none() {
            let mut original = Sentence::default();
            ensure!(reader.read(&mut original)?, "the input has more sentences than the original");
            let parts = self.chain.prepare(&original).len();
            self.awaited = Some((original, parts));
        }
        self.parts.push(part);
        if let Some((original, parts)) = &self.awaited
            && self.parts.len() == *parts
        {
            let words: usize = self.parts.iter().map(Sentence::len).sum();
            ensure!(
                words == original.len(),
                "line {} of the original: the sentence has {} words there and {words} in the input",
                original.first_line(),
                original.len()
            );
            self.chain.restore(original, &self.parts).write_to(&mut self.out)?;
            self.awaited = None;
            self.parts.clear();
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<()> {
        ensure!(self.awaited.is_none(), "the input ends inside a sentence of the original");
        self.out.finish()
    }
}

fn write_report(out: &mut Sink, chain: &CodecChain, measured: &RoundTrip) -> anyhow::Result<()> {
    let percent = |part: usize, whole: usize| {
        if whole == 0 {
            "-".to_owned()
        } else {
            format!("{:.2} %", 100.0 * part as f64 / whole as f64)
        }
    };
    let m = measured;
    let rows = [
        ("codecs", chain.names().join(" ")),
        ("label cap", chain.tree.label_cap.map_or("none".to_owned(), |cap| cap.to_string())),
        ("sentences", m.sentences.to_string()),
        ("sentences after encoding", m.parts.to_string()),
        ("words", m.words.to_string()),
        ("non-projective sentences", m.nonprojective_sentences.to_string()),
        ("non-projective arcs", m.nonprojective_arcs.to_string()),
        ("non-projective arcs after encoding", m.nonprojective_encoded.to_string()),
        ("lifts", m.lifts.to_string()),
        ("arcs moved", m.moved.to_string()),
        (
            "moved arcs that come back",
            format!("{} ({})", m.recovered, percent(m.recovered, m.moved)),
        ),
        ("labels", m.labels.to_string()),
        ("labels after encoding", m.encoded_labels.to_string()),
        ("new labels", m.new_labels.to_string()),
        ("heads right after decoding", percent(m.correct_heads, m.words)),
        ("heads and labels right after decoding", percent(m.correct, m.words)),
        ("sentences right after decoding", percent(m.whole_sentences, m.sentences)),
    ];
    for (name, value) in rows {
        writeln!(out, "{name:<38} {value}")?;
    }
    Ok(())
}
