//! Writing a sentence in another format, and counting what that format cannot hold.
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use crate::format::{Column, Format, Layout};
use crate::sentence::{Fields, Row, Sentence, value_of};

/// The comment that names the columns of CoNLL-U Plus.
const HEADER: &str = "global.columns";

/// Writes sentences of any format in one format.
///
/// ```
/// use conll::{Converter, Format, Loss};
/// let text = "# text = hi\n1\thi\thi\tINTJ\t_\t_\t0\troot\t0:root\t_\n\n";
/// let sentences = conll::read_str(text, Default::default())?;
/// let mut converter = Converter::new(Format::ConllX);
/// let mut out = Vec::new();
/// converter.write(&sentences[0], &mut out)?;
/// assert_eq!(out, b"1\thi\thi\tINTJ\t_\t_\t0\troot\t_\t_\n\n");
/// assert_eq!(converter.losses(), [(Loss::Comments, 1), (Loss::Column("DEPS".into()), 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Converter {
    target: Arc<Layout>,
    started: bool,
    plan: Option<Plan>,
    losses: Vec<(Loss, u64)>,
}

/// What a format cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Comments.
    Comments,
    /// Ranges, the tokens of several words.
    Ranges,
    /// Empty nodes.
    EmptyNodes,
    /// Values of a column, by its name in the source.
    Column(String),
    /// Blanks inside a field, written as `_`.
    Blanks,
    /// Sentences with several roots, written as they are, but not valid in the target.
    SeveralRoots,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Comments => f.write_str("comments, dropped"),
            Loss::Ranges => f.write_str("ranges (tokens of several words), dropped"),
            Loss::EmptyNodes => f.write_str("empty nodes, dropped"),
            Loss::Column(name) => write!(f, "values of {name}, dropped"),
            Loss::Blanks => f.write_str("fields with blanks, each blank written as `_`"),
            Loss::SeveralRoots => f.write_str("sentences with several roots, kept but not valid"),
        }
    }
}

/// Where the values of the target come from, for one layout of the source.
#[derive(Debug)]
struct Plan {
    source: Arc<Layout>,
    origins: Vec<Origin>,
    /// Positions in the source that have no place in the target.
    dropped: Vec<(usize, Loss)>,
    /// A tag that is dropped unless the other one stands for it: its position, the other's.
    merged: Option<(usize, usize, Loss)>,
}

#[derive(Copy, Clone, Debug)]
enum Origin {
    Blank,
    Id,
    Field(usize),
    /// The first, unless it is `_`.
    Either(usize, usize),
}

impl Plan {
    fn new(source: &Arc<Layout>, target: &Layout) -> Plan {
        let to = target.format();
        // Projective heads in CoNLL-X, predicted heads in CoNLL-2009: not the same thing.
        let same_meaning = to == source.format() || to == Format::ConllUPlus;
        let origin = |(at, &column): (usize, &Column)| {
            let position = match column {
                Column::Phead | Column::Pdeprel if !same_meaning => None,
                // Elsewhere than in front it is not checked.
                Column::Id if source.position(Column::Id) != Some(0) => None,
                Column::Upos if to == Format::ConllX => {
                    source.position(Column::Upos).or(source.position(Column::Xpos))
                }
                Column::Xpos if to == Format::Conll2009 => {
                    match (source.position(Column::Xpos), source.position(Column::Upos)) {
                        (Some(fine), Some(coarse)) => return Origin::Either(fine, coarse),
                        (fine, coarse) => fine.or(coarse),
                    }
                }
                Column::Other(_) => {
                    let name = target.names().get(at);
                    source.names().iter().position(|known| Some(known) == name)
                }
                column => source.position(column),
            };
            match position {
                Some(position) => Origin::Field(position),
                None if column == Column::Id => Origin::Id,
                None => Origin::Blank,
            }
        };
        let origins: Vec<Origin> = target.columns().iter().enumerate().map(origin).collect();
        let is_used = |position: usize| {
            origins.iter().any(|origin| match *origin {
                Origin::Field(used) => used == position,
                Origin::Either(first, second) => first == position || second == position,
                Origin::Blank | Origin::Id => false,
            })
        };
        let loss = |position: usize| Loss::Column(source.names()[position].clone());
        let dropped = (0..source.columns().len())
            .filter(|&position| !is_used(position) && source.columns()[position] != Column::Id)
            .map(|position| (position, loss(position)))
            .collect();
        let merged = origins.iter().find_map(|origin| match *origin {
            Origin::Either(fine, coarse) => Some((coarse, fine, loss(coarse))),
            _ => None,
        });
        Plan { source: Arc::clone(source), origins, dropped, merged }
    }
}

impl Converter {
    /// Writes in this format.
    pub fn new(target: Format) -> Converter {
        let target = Arc::new(Layout::new(target));
        Converter { target, started: false, plan: None, losses: Vec::new() }
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.target.format()
    }

    /// What could not be held so far, and how often.
    pub fn losses(&self) -> &[(Loss, u64)] {
        &self.losses
    }

    /// Writes one sentence, with the blank line behind it. CoNLL-U Plus takes its columns from the
    /// first sentence.
    pub fn write(
        &mut self,
        sentence: &Sentence,
        out: &mut (impl Write + ?Sized),
    ) -> io::Result<()> {
        let format = self.format();
        let names = sentence.layout().names();
        let first = !std::mem::replace(&mut self.started, true);
        let mut copy = sentence.format() == format;
        if format == Format::ConllUPlus {
            let names_its_columns = match sentence.rows().next() {
                Some(Row::Comment(comment)) => value_of(comment, HEADER)
                    .is_some_and(|value| value.split_ascii_whitespace().eq(names)),
                _ => false,
            };
            if first {
                self.target = Arc::new(Layout::plus(&names.join(" ")));
            }
            if first && !(copy && names_its_columns) {
                writeln!(out, "# {HEADER} = {}", names.join(" "))?;
            }
            copy &= names == self.target.names()
                && ((first && names_its_columns) || sentence.comment_value(HEADER).is_none());
        }
        if copy {
            return sentence.write_to(out);
        }
        let plan = match self.plan.take() {
            Some(plan) if Arc::ptr_eq(&plan.source, &sentence.layout) => plan,
            _ => Plan::new(&sentence.layout, &self.target),
        };
        let written = self.write_rows(sentence, &plan, out);
        self.plan = Some(plan);
        written
    }

    fn write_rows(
        &mut self,
        sentence: &Sentence,
        plan: &Plan,
        out: &mut (impl Write + ?Sized),
    ) -> io::Result<()> {
        let universal = self.format().is_universal();
        let roots = || sentence.words().filter(|word| word.head() == Some(0)).count();
        if universal && !sentence.format().is_universal() && roots() > 1 {
            self.lose(&Loss::SeveralRoots);
        }
        for row in sentence.rows() {
            match row {
                Row::Comment(comment) => {
                    if value_of(comment, HEADER).is_some() {
                        continue;
                    }
                    if universal {
                        writeln!(out, "{comment}")?;
                    } else {
                        self.lose(&Loss::Comments);
                    }
                }
                Row::Range { fields, .. } | Row::Empty { fields, .. } if universal => {
                    self.write_fields(plan, 0, fields, out)?;
                }
                Row::Range { .. } => self.lose(&Loss::Ranges),
                Row::Empty { .. } => self.lose(&Loss::EmptyNodes),
                Row::Word(word) => self.write_fields(plan, word.id(), word.fields(), out)?,
            }
        }
        out.write_all(b"\n")
    }

    fn write_fields(
        &mut self,
        plan: &Plan,
        id: u32,
        fields: Fields<'_>,
        out: &mut (impl Write + ?Sized),
    ) -> io::Result<()> {
        let blanks_allowed = self.format().is_universal();
        let value = |position| fields.at(position).unwrap_or("_");
        for (at, &origin) in plan.origins.iter().enumerate() {
            if at > 0 {
                out.write_all(b"\t")?;
            }
            let field = match origin {
                Origin::Blank => "_",
                Origin::Field(position) => value(position),
                Origin::Either(first, second) if value(first) == "_" => value(second),
                Origin::Either(first, _) => value(first),
                Origin::Id => {
                    write!(out, "{id}")?;
                    continue;
                }
            };
            if !blanks_allowed && field.contains(char::is_whitespace) {
                self.lose(&Loss::Blanks);
                write!(out, "{}", field.replace(char::is_whitespace, "_"))?;
            } else {
                out.write_all(field.as_bytes())?;
            }
        }
        for (position, loss) in &plan.dropped {
            if value(*position) != "_" {
                self.lose(loss);
            }
        }
        if let Some((coarse, fine, loss)) = &plan.merged
            && value(*fine) != "_"
            && value(*coarse) != "_"
            && value(*fine) != value(*coarse)
        {
            self.lose(loss);
        }
        let arguments = fields.iter().skip(plan.source.columns().len());
        for _ in arguments.filter(|argument| *argument != "_") {
            self.lose(&Loss::Column("APRED".to_owned()));
        }
        out.write_all(b"\n")
    }

    fn lose(&mut self, loss: &Loss) {
        if let Some((_, known)) = self.losses.iter_mut().find(|(known, _)| known == loss) {
            *known += 1;
        } else {
            self.losses.push((loss.clone(), 1));
        }
    }
}
