//! Edge filters (Bohnet 2010): an arc may have the labels that were seen in training between the
//! same tags in the same direction, which keeps the number of labels in the search small.
//!
//! Tags are numbers of the caller's choice; the artificial root has one of its own. For a pair of
//! tags that was never seen, the most frequent label of the dependent's tag is allowed, or else
//! the most frequent label of all, so that no arc is lost to the filter.
//!
//! The filter also knows how far arcs between two tags reach (Rush and Petrov 2012): a head that is
//! much further away than any seen in training need not be looked at ([`Reach`]).
//!
//! ```
//! use crossarc_graph::EdgeFilter;
//! use crossarc_tree::{Label, Node, Tree};
//! let tree = Tree::new([(Node(2), Label(1)), (Node(0), Label(0))]).unwrap();
//! let filter = EdgeFilter::from_trees([(&tree, &[0, 5, 7][..])]); // root, noun, verb
//! assert_eq!(filter.labels(7, 5, true), [Label(1)]); // noun to the left of its verb: seen
//! assert_eq!(filter.labels(7, 5, false), [Label(1)]); // to the right: most frequent for nouns
//! assert_eq!(filter.labels(0, 7, false), [Label(0)]);
//! ```
use std::collections::BTreeMap;

use crossarc_tree::{Label, Node, Tree};

/// The labels seen for head tag, dependent tag and direction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeFilter {
    /// Sorted; the last number is 1 if the dependent is to the left of the head.
    keys: Vec<(u32, u32, bool)>,
    /// For each key the first of its labels; one more at the end.
    first: Vec<u32>,
    labels: Vec<Label>,
    /// For each key the distance that nearly all of its arcs keep to.
    distances: Vec<u32>,
    /// The most frequent label for each dependent tag, sorted by tag.
    by_dependent: Vec<(u32, Label)>,
    most_frequent: [Label; 1],
}

impl EdgeFilter {
    /// Collects labels from trees with tags, which are indexed by node, the root's tag first. A
    /// word without a tag is passed over.
    pub fn from_trees<'a>(trees: impl IntoIterator<Item = (&'a Tree, &'a [u32])>) -> EdgeFilter {
        let mut seen: BTreeMap<(u32, u32, bool, Label), u64> = BTreeMap::new();
        let mut distances: BTreeMap<(u32, u32, bool), Vec<u32>> = BTreeMap::new();
        for (tree, tags) in trees {
            for word in tree.words() {
                let head = tree.head(word);
                let tags = (tags.get(head.index()), tags.get(word.index()));
                if let (Some(&head_tag), Some(&tag)) = tags {
                    *seen.entry((head_tag, tag, word < head, tree.label(word))).or_default() += 1;
                    let key = (head_tag, tag, word < head);
                    distances.entry(key).or_default().push(head.0.abs_diff(word.0));
                }
            }
        }
        let mut filter = EdgeFilter::from_counts(&seen);
        filter.distances = distances.into_values().map(usual_distance).collect();
        filter
    }

    fn from_counts(seen: &BTreeMap<(u32, u32, bool, Label), u64>) -> EdgeFilter {
        let mut filter = EdgeFilter::default();
        let mut of_tag: BTreeMap<(u32, Label), u64> = BTreeMap::new();
        let mut of_all: BTreeMap<Label, u64> = BTreeMap::new();
        for (&(head, dependent, leftward, label), &count) in seen {
            let key = (head, dependent, leftward);
            if filter.keys.last() != Some(&key) {
                filter.keys.push(key);
                filter.first.push(filter.labels.len() as u32);
            }
            filter.labels.push(label);
            *of_tag.entry((dependent, label)).or_default() += count;
            *of_all.entry(label).or_default() += count;
        }
        filter.first.push(filter.labels.len() as u32);
        let mut highest = 0;
        for (&(tag, label), &count) in &of_tag {
            match filter.by_dependent.last_mut() {
                Some(last) if last.0 == tag => {
                    if count > highest {
                        *last = (tag, label);
                        highest = count;
                    }
                }
                _ => {
                    filter.by_dependent.push((tag, label));
                    highest = count;
                }
            }
        }
        highest = 0;
        for (label, count) in of_all {
            if count > highest {
                filter.most_frequent = [label];
                highest = count;
            }
        }
        filter
    }

    /// The labels allowed between two tags; `leftward` says that the dependent is to the left of
    /// its head. Never empty.
    pub fn labels(&self, head: u32, dependent: u32, leftward: bool) -> &[Label] {
        if let Ok(place) = self.keys.binary_search(&(head, dependent, leftward)) {
            return &self.labels[self.first[place] as usize..self.first[place + 1] as usize];
        }
        match self.by_dependent.binary_search_by_key(&dependent, |&(tag, _)| tag) {
            Ok(place) => std::slice::from_ref(&self.by_dependent[place].1),
            Err(_) => &self.most_frequent,
        }
    }

    /// The filter as a function for [`super::Scores::reset`]; `tags` are indexed by node.
    pub fn of_tags<'a>(&'a self, tags: &'a [u32]) -> impl FnMut(Node, Node, &mut Vec<Label>) + 'a {
        move |head, dependent, labels| {
            let tag = |node: Node| tags.get(node.index()).copied().unwrap_or(u32::MAX);
            labels.extend_from_slice(self.labels(tag(head), tag(dependent), dependent < head));
        }
    }

    /// The filter with this content; nothing if it is not in order. See [`EdgeFilter::entries`].
    pub fn from_rows(
        rows: &[(u32, u32, bool, u32, Vec<u16>)],
        by_dependent: &[(u32, u16)],
        most_frequent: u16,
    ) -> Option<EdgeFilter> {
        let mut filter = EdgeFilter::default();
        for (head, dependent, leftward, distance, labels) in rows {
            if labels.is_empty() {
                return None;
            }
            filter.keys.push((*head, *dependent, *leftward));
            filter.distances.push(*distance);
            filter.first.push(filter.labels.len() as u32);
            filter.labels.extend(labels.iter().copied().map(Label));
        }
        filter.first.push(filter.labels.len() as u32);
        filter.by_dependent =
            by_dependent.iter().map(|&(tag, label)| (tag, Label(label))).collect();
        filter.most_frequent = [Label(most_frequent)];
        let in_order = filter.keys.is_sorted_by(|a, b| a < b)
            && filter.by_dependent.is_sorted_by(|a, b| a.0 < b.0);
        in_order.then_some(filter)
    }

    /// The most frequent label for each dependent tag, and the most frequent of all.
    pub fn frequent(&self) -> (&[(u32, Label)], Label) {
        (&self.by_dependent, self.most_frequent[0])
    }

    /// Every label that the filter can allow.
    pub fn all_labels(&self) -> impl Iterator<Item = Label> + '_ {
        let frequent = self.by_dependent.iter().map(|&(_, label)| label);
        self.labels.iter().copied().chain(frequent).chain(self.most_frequent)
    }

    /// What was seen, in a fixed order: head tag, dependent tag, leftward, distance, labels.
    pub fn entries(&self) -> impl Iterator<Item = (u32, u32, bool, u32, &[Label])> {
        let lists = self.first.windows(2).zip(&self.distances);
        self.keys.iter().zip(lists).map(|(&(head, dependent, leftward), (range, &distance))| {
            let labels = &self.labels[range[0] as usize..range[1] as usize];
            (head, dependent, leftward, distance, labels)
        })
    }
}

/// The distance that all arcs between two tags keep to, but for one in two thousand.
fn usual_distance(mut distances: Vec<u32>) -> u32 {
    distances.sort_unstable();
    let longer = 1 + distances.len() / 2000;
    distances.len().checked_sub(longer).map_or(0, |at| distances[at])
}

/// Most tags that have a row in [`Reach`]; heads of others are looked for everywhere.
const MOST_TAGS: usize = 500;
/// Heads so near are always looked at.
const NEAR: u32 = 8;

/// How far away heads are looked for, by tags: twice as far as [`EdgeFilter`] has seen them, for
/// sentences of another text may be longer.
///
/// ```
/// use crossarc_graph::edge_filter::{EdgeFilter, Reach};
/// use crossarc_tree::{Node, Tree};
/// let tree = Tree::from_heads(&[9, 9, 9, 9, 9, 9, 9, 9, 0]).unwrap();
/// let tags = [0, 5, 6, 6, 6, 6, 6, 6, 6, 7]; // the root, a noun, adverbs, a verb
/// let reach = Reach::of(&EdgeFilter::from_trees([(&tree, &tags[..])]));
/// let [noun, adverb, verb] = [5, 6, 7].map(|tag| reach.row(tag));
/// assert_eq!(reach.furthest(verb, noun, true), 2 * 8);
/// assert_eq!(reach.furthest(verb, adverb, true), 2 * 7);
/// assert_eq!(reach.furthest(noun, verb, true), 8, "never seen");
/// assert_eq!(reach.furthest(noun, reach.row(99), true), u32::MAX, "an unknown tag");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Sorted.
    tags: Vec<u32>,
    /// For head, dependent and direction.
    furthest: Vec<u32>,
}

impl Reach {
    /// What a filter knows of distances.
    pub fn of(filter: &EdgeFilter) -> Reach {
        let mut tags: Vec<u32> = filter.keys.iter().flat_map(|key| [key.0, key.1]).collect();
        tags.sort_unstable();
        tags.dedup();
        tags.truncate(MOST_TAGS);
        let mut reach = Reach { furthest: vec![NEAR; tags.len() * tags.len() * 2], tags };
        for (head, dependent, leftward, distance, _) in filter.entries() {
            let [head, dependent] = [head, dependent].map(|tag| reach.row(tag));
            if let Some(at) = reach.place(head, dependent, leftward) {
                reach.furthest[at] = distance.saturating_mul(2).max(NEAR);
            }
        }
        reach
    }

    /// The row of a tag; one that is not there for an unknown tag.
    pub fn row(&self, tag: u32) -> usize {
        self.tags.binary_search(&tag).unwrap_or(self.tags.len())
    }

    #[inline]
    fn place(&self, head: usize, dependent: usize, leftward: bool) -> Option<usize> {
        let known = head.max(dependent) < self.tags.len();
        known.then(|| (head * self.tags.len() + dependent) * 2 + usize::from(leftward))
    }

    /// How far from its dependent a head is looked for, by the rows of their tags.
    #[inline]
    pub fn furthest(&self, head: usize, dependent: usize, leftward: bool) -> u32 {
        self.place(head, dependent, leftward).map_or(u32::MAX, |at| self.furthest[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_all_arcs_of_training_are_allowed() {
        let tree =
            Tree::new([2, 0, 2, 3].iter().zip(1..).map(|(&h, l)| (Node(h), Label(l)))).unwrap();
        let tags = [9, 1, 2, 1, 1];
        let filter = EdgeFilter::from_trees([(&tree, &tags[..])]);
        for word in tree.words() {
            let (head, tag) = (tags[tree.head(word).index()], tags[word.index()]);
            let labels = filter.labels(head, tag, word < tree.head(word));
            assert!(labels.contains(&tree.label(word)), "word {word:?}");
        }
        assert_eq!(filter.entries().count(), 4);
        // All labels of tag 1 were seen once: the first of them stands for unseen pairs.
        assert_eq!(filter.labels(9, 1, false), [Label(1)]);
        assert_eq!(filter.labels(9, 8, false), [Label(1)]);
    }

    #[test]
    fn an_empty_filter_still_allows_a_label() {
        assert_eq!(EdgeFilter::from_trees([]).labels(1, 2, false), [Label(0)]);
        assert_eq!(EdgeFilter::default().labels(1, 2, true), [Label(0)]);
    }
}
