//! Dependency labels as small numbers.
use std::collections::HashMap;

/// A dependency label, an index into [`Labels`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Label(pub u16);

impl Label {
    /// The label as an index.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The label inventory of a treebank, numbered in order of first appearance.
///
/// ```
/// use crossarc_tree::Labels;
/// let mut labels = Labels::default();
/// let subject = labels.intern("nsubj").unwrap();
/// assert_eq!(labels.intern("nsubj"), Some(subject));
/// assert_eq!(labels.name(subject), "nsubj");
/// assert_eq!(labels.get("obj"), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Labels {
    names: Vec<String>,
    by_name: HashMap<String, Label>,
}

impl Labels {
    /// The most labels an inventory can hold.
    pub const LIMIT: usize = u16::MAX as usize;

    /// The number of a label, which is added if it is new; nothing once [`Labels::LIMIT`] is
    /// reached.
    pub fn intern(&mut self, name: &str) -> Option<Label> {
        if let Some(&label) = self.by_name.get(name) {
            return Some(label);
        }
        if self.names.len() >= Labels::LIMIT {
            return None;
        }
        let label = Label(self.names.len() as u16);
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), label);
        Some(label)
    }

    /// The number of a label, if it is known.
    pub fn get(&self, name: &str) -> Option<Label> {
        self.by_name.get(name).copied()
    }

    /// The name of a label.
    pub fn name(&self, label: Label) -> &str {
        &self.names[label.index()]
    }

    /// Number of labels.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True if no label is known.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Labels and names in order.
    pub fn iter(&self) -> impl Iterator<Item = (Label, &str)> {
        self.names.iter().enumerate().map(|(index, name)| (Label(index as u16), name.as_str()))
    }
}
