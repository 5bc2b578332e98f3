//! What a check found: every finding counted, the first few of each kind kept.
use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

/// Whether a finding is wrong or only looks wrong.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Breaks a rule of the format.
    Error,
    /// Legal, but often a mistake, or bad for training.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

/// The kinds of finding.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// The reader refuses the sentence for this reason.
    Unreadable(String),
    /// The reader accepts the file, but it has this oddity.
    Unusual(String),
    /// A word without a head.
    MissingHead,
    /// Several words under the root.
    SeveralRoots,
    /// The root label on an arc of a word, or another label on an arc of the root.
    RootLabel,
    /// A column that is empty for some words only.
    EmptyField,
    /// A column that many words of a file lack.
    ColumnWithGaps,
    /// A column that one file has and another has not.
    ColumnsDiffer,
    /// A column that is empty for all words.
    EmptyColumn,
    /// An identifier used before.
    DuplicateSentenceId,
    /// `# text` is not what the words spell.
    TextMismatch,
    /// A tag that Universal Dependencies do not know.
    UnknownTag,
    /// A rule of Universal Dependencies, by the name that the official validator gives it.
    Universal(&'static str),
    /// Something hangs on punctuation.
    PunctuationWithDependents,
    /// A very long sentence.
    LongSentence,
    /// A label or coarse tag that occurs once.
    SeenOnce,
    /// A label or tag that differs from a more frequent one in case or separators only, or has a
    /// blank in it.
    NearDuplicate,
    /// More different labels, tags or features than can be meant.
    TooManyValues,
    /// The same words with the same annotation as an earlier sentence.
    DuplicateSentence,
    /// The same words as an earlier sentence, annotated differently.
    InconsistentAnnotation,
    /// Too many sentences to find all that come again.
    NotRemembered,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Unreadable(why) => return write!(f, "unreadable: {why}"),
            Kind::Unusual(what) => return write!(f, "unusual: {what}"),
            Kind::MissingHead => "missing head",
            Kind::SeveralRoots => "several roots",
            Kind::RootLabel => "root label",
            Kind::EmptyField => "empty field",
            Kind::ColumnWithGaps => "column with gaps",
            Kind::ColumnsDiffer => "columns differ",
            Kind::EmptyColumn => "empty column",
            Kind::DuplicateSentenceId => "duplicate sent_id",
            Kind::TextMismatch => "text mismatch",
            Kind::UnknownTag => "unknown tag",
            Kind::Universal(rule) => rule,
            Kind::PunctuationWithDependents => "punctuation with dependents",
            Kind::LongSentence => "long sentence",
            Kind::SeenOnce => "seen once",
            Kind::NearDuplicate => "near-duplicate name",
            Kind::TooManyValues => "too many values",
            Kind::DuplicateSentence => "duplicate sentence",
            Kind::InconsistentAnnotation => "inconsistent annotation",
            Kind::NotRemembered => "not remembered",
        })
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A line of a file.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Place {
    pub(super) file: usize,
    pub(super) line: usize,
}

/// One thing that is wrong or suspicious.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// Name of the file.
    pub file: String,
    /// The line in the file, from 1.
    pub line: usize,
    /// How bad it is.
    pub severity: Severity,
    /// What kind it is.
    pub kind: Kind,
    /// What exactly.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { file, line, severity, kind, message } = self;
        write!(f, "{file}:{line}: {severity}: {message}")?;
        match kind {
            // The message says it all.
            Kind::Unreadable(_) | Kind::Unusual(_) => Ok(()),
            _ => write!(f, " [{kind}]"),
        }
    }
}

/// How often a kind was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct KindCount {
    /// The kind.
    pub kind: Kind,
    /// How bad it is.
    pub severity: Severity,
    /// Number of findings.
    pub count: u64,
    /// Number of findings that are listed.
    pub listed: usize,
}

/// All that was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CheckReport {
    /// Sentences that could be read.
    pub sentences: u64,
    /// Their words.
    pub words: u64,
    /// Number of errors.
    pub errors: u64,
    /// Number of warnings.
    pub warnings: u64,
    /// Counts by kind, errors first.
    pub kinds: Vec<KindCount>,
    /// The first findings of each kind, in order of file and line.
    pub findings: Vec<Finding>,
}

#[derive(Default)]
struct Kept {
    count: u64,
    first: Vec<(Place, String)>,
}

/// Collects findings in memory that does not grow with their number.
pub(super) struct Findings {
    limit: usize,
    kinds: BTreeMap<(Severity, Kind), Kept>,
}

impl Findings {
    pub(super) fn new(limit: usize) -> Findings {
        Findings { limit, kinds: BTreeMap::new() }
    }

    pub(super) fn add(
        &mut self,
        severity: Severity,
        kind: Kind,
        place: Place,
        message: impl FnOnce() -> String,
    ) {
        self.add_many(severity, kind, 1, || [(place, message())]);
    }

    /// Adds findings of which only the first are told.
    pub(super) fn add_many<I: IntoIterator<Item = (Place, String)>>(
        &mut self,
        severity: Severity,
        kind: Kind,
        count: u64,
        messages: impl FnOnce() -> I,
    ) {
        let kept = self.kinds.entry((severity, kind)).or_default();
        kept.count += count;
        if kept.first.len() < self.limit {
            let room = self.limit - kept.first.len();
            kept.first.extend(messages().into_iter().take(room));
        }
    }

    pub(super) fn report(self, files: &[String], sentences: u64, words: u64) -> CheckReport {
        let mut report = CheckReport {
            sentences,
            words,
            errors: 0,
            warnings: 0,
            kinds: Vec::new(),
            findings: Vec::new(),
        };
        let mut placed: Vec<(Place, Finding)> = Vec::new();
        for ((severity, kind), kept) in self.kinds {
            match severity {
                Severity::Error => report.errors += kept.count,
                Severity::Warning => report.warnings += kept.count,
            }
            let (count, listed) = (kept.count, kept.first.len());
            report.kinds.push(KindCount { kind: kind.clone(), severity, count, listed });
            for (place, message) in kept.first {
                let file = files.get(place.file).cloned().unwrap_or_default();
                let (line, kind) = (place.line, kind.clone());
                placed.push((place, Finding { file, line, severity, kind, message }));
            }
        }
        placed.sort_by_key(|(place, _)| *place);
        report.findings = placed.into_iter().map(|(_, finding)| finding).collect();
        report
    }
}
