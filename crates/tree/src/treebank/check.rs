//! Everything wrong or suspicious in a treebank, by line, before a parser is trained on it.
//!
//! Rules that look at one sentence run as it passes; rules that need the whole treebank (names seen
//! once, near-duplicates, repeated sentences) keep counts and hashes, not sentences, and only so many
//! of them ([`MOST_REMEMBERED`]), so a treebank of any size can be checked.
//!
//! ```
//! use crossarc_tree::treebank::check::{CheckOptions, Checker, Kind};
//! let text = "# text = so, go\n\
//!             1\tso\tso\tADV\t_\t_\t2\tadvmod\t_\t_\n\
//!             2\tgo\tgo\tVREB\t_\t_\t0\troot\t_\t_\n\n";
//! let mut checker = Checker::new(CheckOptions::default());
//! checker.start_file("example.conllu");
//! for sentence in conll::read_str(text, conll::ReadOptions::default())? {
//!     checker.sentence(&sentence);
//! }
//! let report = checker.finish();
//! assert_eq!(report.errors, 1);
//! assert_eq!(report.findings[0].kind, Kind::TextMismatch);
//! let tag = report.findings.iter().find(|finding| finding.kind == Kind::UnknownTag).unwrap();
//! assert!(tag.to_string().starts_with("example.conllu:3: warning: `VREB`"));
//! # Ok::<(), conll::Error>(())
//! ```
mod findings;
#[cfg(test)]
mod tests;
mod text;
mod universal;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use conll::{Column, Fault, Sentence, Warning, Word};

pub use findings::{CheckReport, Finding, Kind, KindCount, Severity};
use findings::{Findings, Place};

use super::filling::{self, Filling as Filled, percent};
use super::inventory::{Inventory, Suspicion};
use super::statistics::{LABEL_LIMIT, TAG_LIMIT};
use crate::RootPolicy;

/// The tags of Universal Dependencies, version 2.
pub const UNIVERSAL_TAGS: [&str; 17] = [
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
];

/// More coarse tags than this are no coarse tags.
const COARSE_TAG_LIMIT: usize = 100;
/// Fine tags are compared for near-duplicates only up to this many: positional tags differ in case
/// by design.
const FINE_TAG_NAMES: usize = 200;
/// Shorter sentences are the same by chance.
const DUPLICATE_FROM: usize = 5;
const INCONSISTENT_FROM: usize = 3;
/// Sentences, and identifiers of sentences, that are remembered to find those that come again: some
/// 400 megabytes. All treebanks of Universal Dependencies together have fewer.
pub const MOST_REMEMBERED: usize = 1 << 21;

/// What to look for.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Findings of each kind to keep; all are counted.
    pub max_per_kind: usize,
    /// Sentences with more words than this are reported.
    pub long_sentence: usize,
    /// How many roots a sentence may have; if not given, several are an error in CoNLL-U and a
    /// warning in other formats.
    pub roots: Option<RootPolicy>,
    /// What breaks a rule of Universal Dependencies and is an error for the official validator is one
    /// here; otherwise it is a warning.
    pub strict: bool,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions { max_per_kind: 20, long_sentence: 250, roots: None, strict: false }
    }
}

/// Names that occur in a column, and where each was first seen.
#[derive(Default)]
struct Names {
    inventory: Inventory,
    first: HashMap<String, Place>,
}

impl Names {
    fn add(&mut self, name: &str, place: Place) {
        if self.inventory.add(name) {
            self.first.insert(name.to_owned(), place);
        }
    }
}

/// How far a column of one file is filled.
#[derive(Default)]
struct Filling {
    filled: u64,
    empty: u64,
    first_empty: Vec<Place>,
}

/// What is remembered of a sentence: where it was, and hashes of its layers.
struct Remembered {
    place: Place,
    heads: u64,
    labels: u64,
    tags: u64,
}

/// Watches a treebank go by.
pub struct Checker {
    options: CheckOptions,
    files: Vec<String>,
    findings: Findings,
    sentences: u64,
    words: u64,
    labels: Names,
    coarse_tags: Names,
    fine_tags: Names,
    features: Inventory,
    fillings: [Filling; COLUMNS.len()],
    /// How far columns that features look at are filled in each file.
    filled: Vec<Filled>,
    identifiers: HashMap<u64, Place>,
    remembered: HashMap<u64, Remembered>,
    most_remembered: usize,
    /// From where on sentences are not remembered any more.
    forgetting: Option<Place>,
    /// Some word has had morphological features.
    with_features: bool,
}

/// Columns that should be filled for all words or for none; the last two may have gaps.
const COLUMNS: [(Column, &str); 5] = [
    (Column::Deprel, "label (DEPREL)"),
    (Column::Upos, "coarse tag (UPOS)"),
    (Column::Lemma, "lemma"),
    (Column::Xpos, "fine tag (XPOS)"),
    (Column::Feats, "features (FEATS)"),
];
const WITHOUT_GAPS: usize = 3;

impl Checker {
    /// Nothing seen yet.
    pub fn new(options: CheckOptions) -> Checker {
        Checker {
            findings: Findings::new(options.max_per_kind),
            options,
            files: Vec::new(),
            sentences: 0,
            words: 0,
            labels: Names::default(),
            coarse_tags: Names::default(),
            fine_tags: Names::default(),
            features: Inventory::default(),
            fillings: Default::default(),
            filled: Vec::new(),
            identifiers: HashMap::new(),
            remembered: HashMap::new(),
            most_remembered: MOST_REMEMBERED,
            forgetting: None,
            with_features: false,
        }
    }

    /// What follows is from this file.
    pub fn start_file(&mut self, name: &str) {
        self.finish_file();
        self.files.push(name.to_owned());
        self.filled.push(Filled::default());
    }

    fn place(&self, line: usize) -> Place {
        Place { file: self.files.len().saturating_sub(1), line }
    }

    fn error(&mut self, kind: Kind, line: usize, message: impl FnOnce() -> String) {
        self.findings.add(Severity::Error, kind, self.place(line), message);
    }

    fn warn(&mut self, kind: Kind, line: usize, message: impl FnOnce() -> String) {
        self.findings.add(Severity::Warning, kind, self.place(line), message);
    }

    /// A reason for which the reader refused a sentence.
    pub fn fault(&mut self, fault: &Fault) {
        // One kind for all numbers of columns.
        let kind = fault.kind.to_string().replace(|c: char| c.is_ascii_digit(), "N");
        self.error(Kind::Unreadable(kind), fault.line, || {
            let place = format!("{}:{}:", fault.file, fault.line);
            let message = fault.to_string();
            format!("column {}", message.strip_prefix(&place).unwrap_or(&message))
        });
    }

    /// Something unusual that the reader accepted. Several roots and missing heads are reported by
    /// [`Checker::sentence`].
    pub fn warning(&mut self, warning: &Warning) {
        use conll::WarningKind::{MissingHead, SeveralRoots};
        if matches!(warning.kind, MissingHead | SeveralRoots) {
            return;
        }
        let place = self.place(warning.line);
        let kind = Kind::Unusual(warning.kind.to_string());
        let message = format!("{} (in {} sentences)", warning.kind, warning.count);
        self.findings.add_many(Severity::Warning, kind, warning.count, || [(place, message)]);
    }

    /// Looks at a sentence.
    pub fn sentence(&mut self, sentence: &Sentence) {
        self.sentences += 1;
        self.words += sentence.len() as u64;
        if let Some(filled) = self.filled.last_mut() {
            filled.add(sentence);
        }
        let universal = sentence.format().is_universal();
        for word in sentence.words() {
            self.count(&word);
            self.root_label(&word, universal);
            if universal {
                self.universal_tag(&word);
                self.punctuation(&word, sentence);
            }
        }
        if universal {
            self.universal_rules(sentence);
        }
        self.roots(sentence, universal);
        self.identifier(sentence);
        if sentence.len() > self.options.long_sentence {
            self.warn(Kind::LongSentence, sentence.first_line(), || {
                format!("{} words; is a sentence break missing?", sentence.len())
            });
        }
        if let Some((line, message)) = text::text_mismatch(sentence) {
            self.error(Kind::TextMismatch, line, || message);
        }
        self.compare(sentence);
    }

    fn count(&mut self, word: &Word) {
        let place = self.place(word.line());
        for (filling, (column, _)) in self.fillings.iter_mut().zip(COLUMNS) {
            match word.get(column) {
                // The lemma of the word `_` is `_`.
                Some("_") if column != Column::Lemma || word.form() != "_" => {
                    filling.empty += 1;
                    if filling.first_empty.len() < self.options.max_per_kind {
                        filling.first_empty.push(place);
                    }
                }
                Some(_) => filling.filled += 1,
                None => {}
            }
        }
        self.labels.add(word.deprel(), place);
        self.coarse_tags.add(word.upos(), place);
        self.fine_tags.add(word.xpos(), place);
        if word.feats() != "_" {
            for feature in word.feats().split('|') {
                self.features.add(feature);
            }
        }
        if word.head().is_none() {
            self.error(Kind::MissingHead, word.line(), || {
                format!("word {} `{}` has no head", word.id(), word.form())
            });
        }
    }

    fn root_label(&mut self, word: &Word, universal: bool) {
        let label = word.deprel();
        let is_root_label = if universal {
            label.split(':').next() == Some("root")
        } else {
            label.eq_ignore_ascii_case("root")
        };
        match word.head() {
            Some(0) if universal && !is_root_label => {
                self.error(Kind::RootLabel, word.line(), || {
                    format!("`{}` hangs on the root, but its label is `{label}`", word.form())
                });
            }
            Some(head) if head > 0 && is_root_label => {
                let severity = if universal { Severity::Error } else { Severity::Warning };
                let place = self.place(word.line());
                self.findings.add(severity, Kind::RootLabel, place, || {
                    format!("`{}` has the label `{label}`, but its head is {head}", word.form())
                });
            }
            _ => {}
        }
    }

    /// The rules of the official validator, for treebanks with its tags.
    fn universal_rules(&mut self, sentence: &Sentence) {
        if !sentence.words().any(|word| UNIVERSAL_TAGS.contains(&word.upos())) {
            return;
        }
        self.with_features |= sentence.words().any(|word| word.feats() != "_");
        for breach in universal::breaches(sentence, self.with_features) {
            let error = breach.is_error && self.options.strict;
            let severity = if error { Severity::Error } else { Severity::Warning };
            let place = self.place(breach.line);
            self.findings.add(severity, Kind::Universal(breach.rule), place, || breach.message);
        }
    }

    fn universal_tag(&mut self, word: &Word) {
        let tag = word.upos();
        if tag == "_" || UNIVERSAL_TAGS.contains(&tag) {
            return;
        }
        self.warn(Kind::UnknownTag, word.line(), || {
            let hint = match tag {
                "CONJ" => " (version 1; now CCONJ)",
                _ => "",
            };
            format!("`{tag}` is no tag of Universal Dependencies{hint}")
        });
    }

    fn punctuation(&mut self, word: &Word, sentence: &Sentence) {
        let Some(head) = word.head().map(|head| head as usize) else { return };
        if head == 0 || head > sentence.len() {
            return;
        }
        let head = sentence.word(head);
        // Below a word with the label of punctuation it breaks a rule, which is told by its name.
        if head.upos() == "PUNCT" && !head.deprel().starts_with("punct") {
            self.warn(Kind::PunctuationWithDependents, word.line(), || {
                format!("`{}` hangs on the punctuation mark `{}`", word.form(), head.form())
            });
        }
    }

    fn roots(&mut self, sentence: &Sentence, universal: bool) {
        let severity = match self.options.roots {
            Some(RootPolicy::Several) => return,
            Some(RootPolicy::Single) => Severity::Error,
            None if universal => Severity::Error,
            None => Severity::Warning,
        };
        let roots = || sentence.words().filter(|word| word.head() == Some(0));
        if let Some(second) = roots().nth(1) {
            let place = self.place(second.line());
            self.findings.add(severity, Kind::SeveralRoots, place, || {
                format!("`{}` is one of {} words under the root", second.form(), roots().count())
            });
        }
    }

    fn identifier(&mut self, sentence: &Sentence) {
        let Some(identifier) = sentence.comment_value("sent_id") else { return };
        let place = self.place(sentence.first_line());
        let key = hash([identifier]);
        if let Some(earlier) = self.identifiers.get(&key) {
            let file = &self.files[earlier.file];
            let message = format!("`{identifier}` was used before, at {file}:{}", earlier.line);
            self.error(Kind::DuplicateSentenceId, place.line, || message);
        } else if self.identifiers.len() < self.most_remembered {
            self.identifiers.insert(key, place);
        } else {
            self.forgetting.get_or_insert(place);
        }
    }

    fn compare(&mut self, sentence: &Sentence) {
        if sentence.len() < INCONSISTENT_FROM {
            return;
        }
        let place = self.place(sentence.first_line());
        let now = Remembered {
            place,
            heads: hash(sentence.words().map(|word| word.head())),
            labels: hash(sentence.words().map(|word| word.deprel())),
            tags: hash(sentence.words().map(|word| word.upos())),
        };
        let words = hash(sentence.words().map(|word| word.form()));
        let Some(earlier) = self.remembered.get(&words) else {
            if self.remembered.len() < self.most_remembered {
                self.remembered.insert(words, now);
            } else {
                self.forgetting.get_or_insert(place);
            }
            return;
        };
        let differing: Vec<&str> = [
            ("heads", earlier.heads != now.heads),
            ("labels", earlier.labels != now.labels),
            ("tags", earlier.tags != now.tags),
        ]
        .into_iter()
        .filter_map(|(layer, differs)| differs.then_some(layer))
        .collect();
        let (file, line) = (&self.files[earlier.place.file], earlier.place.line);
        if !differing.is_empty() {
            let layers = differing.join(" and ");
            let message = format!("the same words as at {file}:{line}, but other {layers}");
            self.warn(Kind::InconsistentAnnotation, place.line, || message);
        } else if sentence.len() >= DUPLICATE_FROM {
            let message = format!("the same sentence as at {file}:{line}");
            self.warn(Kind::DuplicateSentence, place.line, || message);
        }
    }

    fn finish_file(&mut self) {
        let place = self.place(1);
        for (at, (filling, (_, name))) in
            std::mem::take(&mut self.fillings).into_iter().zip(COLUMNS).enumerate()
        {
            if filling.filled == 0 && filling.empty > 0 {
                let message = || format!("no word has a {name}");
                self.findings.add(Severity::Warning, Kind::EmptyColumn, place, message);
            } else if filling.filled > 0 && filling.empty > 0 && at < WITHOUT_GAPS {
                let places = filling.first_empty;
                let message = format!("no {name}, though other words have one");
                self.findings.add_many(Severity::Warning, Kind::EmptyField, filling.empty, || {
                    places.into_iter().map(|place| (place, message.clone()))
                });
            }
        }
    }

    /// Columns that some words have and many have not, and columns that one file has and another has
    /// not.
    fn column_findings(&mut self) {
        for (column, (_, name, instead)) in filling::COLUMNS.into_iter().enumerate() {
            let most = self.filled.iter().enumerate().fold((0.0, 0), |most, (file, filled)| {
                let share = filled.share(column);
                if share > most.0 { (share, file) } else { most }
            });
            for (file, filled) in self.filled.iter().enumerate().filter(|one| !one.1.is_empty()) {
                let share = percent(filled.share(column));
                let place = Place { file, line: 1 };
                if filled.has_gaps(column) {
                    self.findings.add(Severity::Warning, Kind::ColumnWithGaps, place, || {
                        format!(
                            "{name} is filled for {share} of the words: where it is missing, {instead}; training leaves it out if most words lack it"
                        )
                    });
                }
                if filled.lacks(column, most.0) {
                    let (elsewhere, other) = (percent(most.0), &self.files[most.1]);
                    self.findings.add(Severity::Warning, Kind::ColumnsDiffer, place, || {
                        format!(
                            "{name} is filled for {share} of the words, in {other} for {elsewhere}: training leaves it out if the development files lack it"
                        )
                    });
                }
            }
        }
    }

    fn name_findings(&mut self) {
        let columns = [
            (&self.labels, "label", true),
            (&self.coarse_tags, "tag", true),
            (&self.fine_tags, "fine tag", false),
        ];
        for (names, what, once) in columns {
            if !once && names.inventory.len() > FINE_TAG_NAMES {
                continue;
            }
            for suspicious in names.inventory.suspicious() {
                let name = &suspicious.name;
                let place = names.first.get(name).copied().unwrap_or(Place { file: 0, line: 1 });
                for why in &suspicious.why {
                    let (kind, why) = match why {
                        Suspicion::Variant(_) | Suspicion::Blank => {
                            (Kind::NearDuplicate, why.to_string())
                        }
                        Suspicion::Once if once => (Kind::SeenOnce, "occurs once".to_owned()),
                        Suspicion::Once | Suspicion::Rare => continue,
                    };
                    self.findings.add(Severity::Warning, kind, place, || {
                        format!("the {what} `{name}` ({} times): {why}", suspicious.count)
                    });
                }
            }
        }
        let sizes = [
            ("labels", self.labels.inventory.len(), LABEL_LIMIT),
            ("coarse tags", self.coarse_tags.inventory.len(), COARSE_TAG_LIMIT),
            ("fine tags", self.fine_tags.inventory.len(), TAG_LIMIT),
            ("features", self.features.len(), TAG_LIMIT),
        ];
        for (what, size, limit) in sizes {
            if size > limit {
                let place = Place { file: 0, line: 1 };
                self.findings.add(Severity::Warning, Kind::TooManyValues, place, || {
                    format!("{size} different {what}, more than {limit}: training will be slow")
                });
            }
        }
    }

    /// All that was found.
    pub fn finish(mut self) -> CheckReport {
        self.finish_file();
        self.column_findings();
        self.name_findings();
        if let Some(place) = self.forgetting {
            let message = format!(
                "more than {} different sentences: those from here on are compared with these, not with each other",
                self.most_remembered
            );
            self.findings.add(Severity::Warning, Kind::NotRemembered, place, || message);
        }
        self.findings.report(&self.files, self.sentences, self.words)
    }
}

fn hash<T: Hash>(parts: impl IntoIterator<Item = T>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for part in parts {
        part.hash(&mut hasher);
    }
    hasher.finish()
}
