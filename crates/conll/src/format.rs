//! The formats and their columns.
use std::fmt;
use std::str::FromStr;

/// A family of tab-separated treebank files.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// CoNLL-U, version 2 or 1: ten columns, comments, ranges, empty nodes.
    ConllU,
    /// CoNLL-U Plus: the columns are named by `# global.columns`.
    ConllUPlus,
    /// CoNLL-X, also used in 2007: ten columns, several roots allowed.
    ConllX,
    /// CoNLL-2009: gold and predicted columns side by side, then predicates and arguments.
    Conll2009,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 4] =
        [Format::ConllU, Format::ConllUPlus, Format::ConllX, Format::Conll2009];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::ConllU => "conllu",
            Format::ConllUPlus => "conllup",
            Format::ConllX => "conllx",
            Format::Conll2009 => "conll09",
        }
    }

    /// Whether the format has ranges (`3-4`), empty nodes (`5.1`) and comments: the family of
    /// Universal Dependencies, in which a sentence has one root.
    pub fn is_universal(self) -> bool {
        matches!(self, Format::ConllU | Format::ConllUPlus)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name of a format was not understood.
#[derive(Debug, thiserror::Error)]
#[error("unknown format `{0}`, expected one of conllu, conllup, conllx, conll09")]
pub struct UnknownFormat(pub String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        match name.to_ascii_lowercase().as_str() {
            "conllu" | "conll-u" => Ok(Format::ConllU),
            "conllup" | "conll-u-plus" | "conlluplus" => Ok(Format::ConllUPlus),
            "conllx" | "conll-x" | "conll06" | "conll07" | "conll" => Ok(Format::ConllX),
            "conll09" | "conll2009" | "conll-2009" => Ok(Format::Conll2009),
            _ => Err(UnknownFormat(name.to_owned())),
        }
    }
}

/// What a column holds.
///
/// CoNLL-X calls `Upos` CPOSTAG and `Xpos` POSTAG; CoNLL-2009 calls `Xpos` POS, and has no `Upos`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// Position in the sentence, from 1.
    Id,
    /// The word as written.
    Form,
    /// Lemma.
    Lemma,
    /// Universal or coarse part of speech.
    Upos,
    /// Language-specific or fine part of speech.
    Xpos,
    /// Morphological features.
    Feats,
    /// Head, 0 for a root.
    Head,
    /// Label of the arc to the head.
    Deprel,
    /// Enhanced dependencies (CoNLL-U).
    Deps,
    /// Anything else (CoNLL-U).
    Misc,
    /// Projective head (CoNLL-X) or predicted head (CoNLL-2009).
    Phead,
    /// Label of `Phead`.
    Pdeprel,
    /// Predicted lemma (CoNLL-2009).
    Plemma,
    /// Predicted part of speech (CoNLL-2009).
    Ppos,
    /// Predicted features (CoNLL-2009).
    Pfeat,
    /// `Y` where the word is a predicate (CoNLL-2009).
    Fillpred,
    /// Sense of the predicate (CoNLL-2009).
    Pred,
    /// Argument label for the n-th predicate, from 0 (CoNLL-2009).
    Apred(u16),
    /// The column at this position, from 0, whatever its name (CoNLL-U Plus).
    Other(u16),
}

const KNOWN: [(Column, &str); 17] = [
    (Column::Id, "ID"),
    (Column::Form, "FORM"),
    (Column::Lemma, "LEMMA"),
    (Column::Upos, "UPOS"),
    (Column::Xpos, "XPOS"),
    (Column::Feats, "FEATS"),
    (Column::Head, "HEAD"),
    (Column::Deprel, "DEPREL"),
    (Column::Deps, "DEPS"),
    (Column::Misc, "MISC"),
    (Column::Phead, "PHEAD"),
    (Column::Pdeprel, "PDEPREL"),
    (Column::Plemma, "PLEMMA"),
    (Column::Ppos, "PPOS"),
    (Column::Pfeat, "PFEAT"),
    (Column::Fillpred, "FILLPRED"),
    (Column::Pred, "PRED"),
];

impl Column {
    /// The column with this name in upper case, if it is a known one.
    pub fn from_name(name: &str) -> Option<Column> {
        KNOWN.iter().find(|(_, known)| *known == name).map(|&(column, _)| column)
    }

    fn slot(self) -> Option<usize> {
        Some(match self {
            Column::Id => 0,
            Column::Form => 1,
            Column::Lemma => 2,
            Column::Upos => 3,
            Column::Xpos => 4,
            Column::Feats => 5,
            Column::Head => 6,
            Column::Deprel => 7,
            Column::Deps => 8,
            Column::Misc => 9,
            Column::Phead => 10,
            Column::Pdeprel => 11,
            Column::Plemma => 12,
            Column::Ppos => 13,
            Column::Pfeat => 14,
            Column::Fillpred => 15,
            Column::Pred => 16,
            Column::Apred(_) | Column::Other(_) => return None,
        })
    }
}

const CONLL_U: [Column; 10] = [
    Column::Id,
    Column::Form,
    Column::Lemma,
    Column::Upos,
    Column::Xpos,
    Column::Feats,
    Column::Head,
    Column::Deprel,
    Column::Deps,
    Column::Misc,
];

const CONLL_X: [Column; 10] = [
    Column::Id,
    Column::Form,
    Column::Lemma,
    Column::Upos,
    Column::Xpos,
    Column::Feats,
    Column::Head,
    Column::Deprel,
    Column::Phead,
    Column::Pdeprel,
];

const CONLL_2009: [Column; 14] = [
    Column::Id,
    Column::Form,
    Column::Lemma,
    Column::Plemma,
    Column::Xpos,
    Column::Ppos,
    Column::Feats,
    Column::Pfeat,
    Column::Head,
    Column::Phead,
    Column::Deprel,
    Column::Pdeprel,
    Column::Fillpred,
    Column::Pred,
];

const ABSENT: u16 = u16::MAX;

/// Which column lies where in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    format: Format,
    columns: Vec<Column>,
    names: Vec<String>,
    positions: [u16; KNOWN.len()],
}

impl Layout {
    /// The columns of a format; CoNLL-U Plus starts with those of CoNLL-U.
    pub fn new(format: Format) -> Layout {
        let columns: &[Column] = match format {
            Format::ConllU | Format::ConllUPlus => &CONLL_U,
            Format::ConllX => &CONLL_X,
            Format::Conll2009 => &CONLL_2009,
        };
        let name = |column: &Column| column.slot().map_or("", |slot| KNOWN[slot].1).to_owned();
        Layout::with(format, columns.to_vec(), columns.iter().map(name).collect())
    }

    /// The columns of a CoNLL-U Plus file, from the value of `global.columns`.
    pub fn plus(names: &str) -> Layout {
        let names: Vec<String> =
            names.split_ascii_whitespace().take(usize::from(ABSENT)).map(str::to_owned).collect();
        let column = |(position, name): (usize, &String)| {
            Column::from_name(name).unwrap_or(Column::Other(position as u16))
        };
        let columns = names.iter().enumerate().map(column).collect();
        Layout::with(Format::ConllUPlus, columns, names)
    }

    fn with(format: Format, columns: Vec<Column>, names: Vec<String>) -> Layout {
        let mut positions = [ABSENT; KNOWN.len()];
        for (position, slot) in columns.iter().map(|column| column.slot()).enumerate() {
            if let Some(slot) = slot
                && positions[slot] == ABSENT
            {
                positions[slot] = position as u16;
            }
        }
        Layout { format, columns, names, positions }
    }

    /// Lets `Lemma`, `Xpos` and `Feats` mean the predicted columns where the format has them.
    #[must_use]
    pub fn predicted(mut self) -> Layout {
        for (gold, predicted) in [
            (Column::Lemma, Column::Plemma),
            (Column::Xpos, Column::Ppos),
            (Column::Feats, Column::Pfeat),
        ] {
            if let (Some(gold), Some(predicted)) = (gold.slot(), predicted.slot())
                && self.positions[predicted] != ABSENT
            {
                self.positions[gold] = self.positions[predicted];
            }
        }
        self
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The fixed columns in file order (without the argument columns of CoNLL-2009).
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The names of the fixed columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Where a column lies, from 0.
    pub fn position(&self, column: Column) -> Option<usize> {
        match column {
            Column::Apred(n) if self.format == Format::Conll2009 => {
                Some(self.columns.len() + usize::from(n))
            }
            Column::Apred(_) => None,
            Column::Other(n) => Some(usize::from(n)),
            known => {
                let position = self.positions[known.slot()?];
                (position != ABSENT).then_some(usize::from(position))
            }
        }
    }
}
