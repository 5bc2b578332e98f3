//! What stands in a table of frequencies.
use std::borrow::Cow;

use conll::Sentence;

use crate::condition::Attribute;
use crate::relation::{NONE, Place, Quantity, Term, View};

/// A value of a match, such as `S.lemma`; made by [`Query::key`](crate::Query::key).
#[derive(Clone, Debug)]
pub struct Key {
    pub(crate) text: String,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Attribute(Place, Attribute),
    Number(Term),
    Comment(String),
}

impl Key {
    /// The key as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its value in a match; `_` if there is none.
    pub fn value<'s>(&self, sentence: &'s Sentence, found: &[u32]) -> Cow<'s, str> {
        match &self.kind {
            Kind::Attribute(place, attribute) => {
                let value = attribute.of(sentence, found[usize::from(*place)]);
                Cow::Borrowed(value.unwrap_or("_"))
            }
            Kind::Comment(key) => Cow::Borrowed(sentence.comment_value(key).unwrap_or("_")),
            Kind::Number(Term { quantity: Quantity::Length, offset }) => {
                Cow::Owned((sentence.len() as f64 + offset).to_string())
            }
            Kind::Number(term) => {
                let mut heads = vec![NONE];
                heads.extend(sentence.words().map(|word| word.head().unwrap_or(NONE)));
                let view = View { sentence, heads: &heads };
                let value = view.value(term, found);
                value.map_or(Cow::Borrowed("_"), |value| Cow::Owned(value.to_string()))
            }
        }
    }
}
