//! Which columns of a treebank features can use.
use std::collections::HashSet;

use conll::Sentence;

use crossarc_learn::features::Attribute;
use crossarc_learn::templates::Templates;
use crossarc_learn::templates::template::Property;
use crossarc_tree::treebank::filling::{ColumnUse, Filling};

/// More different fine tags than this say more about single words than about syntax.
pub const MOST_TAGS: usize = 200;

/// The columns of a training set that hold anything.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "one for each column")]
pub struct Columns {
    /// LEMMA.
    pub lemma: bool,
    /// UPOS or CPOSTAG.
    pub upos: bool,
    /// XPOS or POSTAG.
    pub xpos: bool,
    /// FEATS.
    pub feats: bool,
    /// XPOS is no finer than [`MOST_TAGS`].
    pub xpos_is_tag: bool,
}

impl Columns {
    /// Looks at all words.
    pub fn of<'a>(sentences: impl IntoIterator<Item = &'a Sentence>) -> Columns {
        let mut columns =
            Columns { lemma: false, upos: false, xpos: false, feats: false, xpos_is_tag: true };
        let mut tags = HashSet::new();
        for sentence in sentences {
            for word in sentence.words() {
                columns.lemma |= word.lemma() != "_" && word.form() != "_";
                columns.upos |= word.upos() != "_";
                columns.xpos |= word.xpos() != "_";
                columns.feats |= word.feats() != "_";
                if columns.xpos_is_tag {
                    tags.insert(word.xpos());
                    columns.xpos_is_tag = tags.len() <= MOST_TAGS;
                }
            }
        }
        columns
    }

    /// The columns that are of use in training and in the development files, less those that are to be
    /// ignored, and what becomes of each; the name of an unknown one is the error.
    pub fn chosen<'a>(
        train: impl Iterator<Item = &'a Sentence> + Clone,
        dev: &[Sentence],
        ignored: &[String],
    ) -> Result<(Columns, Vec<ColumnUse>), String> {
        let mut uses = ColumnUse::decide(&Filling::of(train.clone()), Some(&Filling::of(dev)));
        uses.retain(|column| !ignored.contains(&column.column));
        let left_out = uses.iter().filter(|column| !column.used);
        let left_out = left_out.map(|column| column.column.as_str());
        let columns = Columns::of(train).without(left_out)?;
        Ok((columns.without(ignored.iter().map(String::as_str))?, uses))
    }

    /// Forgets columns by name; the name of an unknown one is the error.
    pub fn without<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        for name in names {
            match name {
                "lemma" => self.lemma = false,
                "upos" => self.upos = false,
                "xpos" => self.xpos = false,
                "feats" => self.feats = false,
                other => return Err(other.to_owned()),
            }
        }
        Ok(self)
    }

    /// The templates for these columns: what is missing is replaced by its nearest relative.
    pub fn fit(self, templates: &Templates) -> Templates {
        templates.fitted(|property| self.substitute(property))
    }

    /// The best attributes for the kind of a word and for the word itself.
    pub fn tag_and_word(self) -> (Attribute, Attribute) {
        let attribute = |property| match self.substitute(property) {
            Some(Property::Attribute(attribute)) => attribute,
            _ => Attribute::Lower,
        };
        (attribute(Property::Tag), attribute(Property::Attribute(Attribute::Lemma)))
    }

    /// What stands for a property in these columns, if anything does.
    pub fn substitute(self, property: Property) -> Option<Property> {
        let coarse = if self.upos { Attribute::Upos } else { Attribute::Xpos };
        let fine = if self.xpos { Attribute::Xpos } else { Attribute::Upos };
        let tag = if self.xpos && self.xpos_is_tag { Attribute::Xpos } else { coarse };
        let tagged = self.upos || self.xpos;
        match property {
            Property::Tag => tagged.then_some(Property::Attribute(tag)),
            Property::Attribute(Attribute::Upos) => tagged.then_some(Property::Attribute(coarse)),
            Property::Attribute(Attribute::Xpos) => tagged.then_some(Property::Attribute(fine)),
            Property::Attribute(Attribute::Lemma) if !self.lemma => {
                Some(Property::Attribute(Attribute::Lower))
            }
            Property::Attribute(Attribute::Feats) | Property::Morphology if !self.feats => None,
            other => Some(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_columns_are_replaced() {
        let text = "1\tDie\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tKatze\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n";
        let sentences = conll::read_str(text, conll::ReadOptions::default()).unwrap();
        let columns = Columns::of(&sentences);
        assert!(columns.upos && !columns.xpos && !columns.lemma && !columns.feats);
        let templates =
            Templates::parse("[moves]\nx0.tag\nx0.lemma\nx0.feats\nx0.morph\nx0.upos\n").unwrap();
        assert_eq!(columns.fit(&templates).to_string(), "[moves]\nx0.upos\nx0.lower\n[labels]\n");
        assert_eq!(columns.without(["form"]), Err("form".to_owned()));
    }
}
