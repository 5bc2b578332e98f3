//! What a net says about a sentence: how probable each arc is, and each label of the arcs that matter.
//!
//! Numbers are logarithms of probabilities, so fields of several nets can be averaged and are of one
//! scale whatever treebank they come from. Labels are kept only for heads that are not out of the
//! question: a few for each word.
//!
//! ```
//! use crossarc_learn::features::ArcField;
//! use crossarc_tree::Node;
//! // Two words; scores of the heads of each dependent, the root's own row first.
//! let scores = [0.0, 0.0, 0.0, 5.0, 0.0, 1.0, 2.0, 4.0, 0.0];
//! let field = ArcField::new(2, &scores, 2, |head, _, labels| {
//!     labels.copy_from_slice(if head == 0 { &[1.0, 0.0] } else { &[0.0, 1.0] });
//! });
//! assert!(field.arc(Node(0), Node(1)) > field.arc(Node(2), Node(1)));
//! let labels = field.labels(Node(1), Node(2)).unwrap();
//! assert!(labels[1] > labels[0]);
//! ```
use crossarc_tree::Node;

/// Heads so many nats less probable than the best of their word have no labels.
const OUT_OF_QUESTION: f32 = 9.0;
/// The most heads of a word that have labels.
const MOST_HEADS: usize = 12;

/// Scores of arcs and labels of a sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArcField {
    size: usize,
    /// A row for each dependent, a column for each head.
    arcs: Vec<f32>,
    /// Where the heads of each dependent begin that have labels; one more than there are nodes.
    starts: Vec<u32>,
    heads: Vec<u32>,
    many: usize,
    labels: Vec<f32>,
}

impl ArcField {
    /// From scores, a row of heads for each dependent, those of the root first, and from the scores of
    /// the labels of an arc, which are asked for by head and dependent.
    pub fn new(
        words: usize,
        scores: &[f32],
        labels: usize,
        mut label_scores: impl FnMut(usize, usize, &mut [f32]),
    ) -> ArcField {
        let size = words + 1;
        let mut field = ArcField {
            size,
            arcs: scores.to_vec(),
            starts: vec![0, 0],
            many: labels,
            ..ArcField::default()
        };
        for dependent in 1..size {
            let row = &mut field.arcs[dependent * size..][..size];
            row[dependent] = f32::NEG_INFINITY;
            normalize(row);
            let best = row.iter().fold(f32::NEG_INFINITY, |best, &one| best.max(one));
            let start = field.heads.len();
            let near = (0..size).filter(|&head| row[head] >= best - OUT_OF_QUESTION);
            field.heads.extend(near.map(|head| head as u32));
            if field.heads.len() - start > MOST_HEADS {
                let heads = &mut field.heads[start..];
                heads.sort_by(|&a, &b| row[b as usize].total_cmp(&row[a as usize]));
                field.heads.truncate(start + MOST_HEADS);
                field.heads[start..].sort_unstable();
            }
            field.starts.push(field.heads.len() as u32);
            for &head in &field.heads[start..] {
                let place = field.labels.len();
                field.labels.resize(place + labels, 0.0);
                label_scores(head as usize, dependent, &mut field.labels[place..]);
                normalize(&mut field.labels[place..]);
            }
        }
        field
    }

    /// Words of the sentence.
    pub fn words(&self) -> usize {
        self.size.saturating_sub(1)
    }

    /// Number of labels.
    pub fn label_count(&self) -> usize {
        self.many
    }

    /// How probable a head is for a word.
    #[inline]
    pub fn arc(&self, head: Node, dependent: Node) -> f32 {
        self.arcs[dependent.index() * self.size + head.index()]
    }

    /// The heads of a word that have labels, in ascending order.
    pub fn heads(&self, dependent: Node) -> impl Iterator<Item = Node> + '_ {
        self.range(dependent).map(|at| Node(self.heads[at]))
    }

    /// How probable each label of an arc is; nothing if the arc is out of the question.
    pub fn labels(&self, head: Node, dependent: Node) -> Option<&[f32]> {
        let range = self.range(dependent);
        let place = self.heads[range.clone()].binary_search(&head.0).ok()?;
        Some(&self.labels[(range.start + place) * self.many..][..self.many])
    }

    fn range(&self, dependent: Node) -> std::ops::Range<usize> {
        self.starts[dependent.index()] as usize..self.starts[dependent.index() + 1] as usize
    }
}

/// Scores become logarithms of probabilities.
fn normalize(scores: &mut [f32]) {
    let best = scores.iter().fold(f32::NEG_INFINITY, |best, &one| best.max(one));
    let sum: f32 = scores.iter().map(|score| (score - best).exp()).sum();
    let whole = best + sum.ln();
    for score in scores {
        *score -= whole;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_distributions_and_few_heads_have_labels() {
        let words = 30;
        let scores: Vec<f32> = (0..31 * 31).map(|at| ((at * 7919) % 13) as f32 * 0.1).collect();
        let mut asked = 0;
        let field = ArcField::new(words, &scores, 3, |head, dependent, labels| {
            assert_ne!(head, dependent);
            asked += 1;
            labels.copy_from_slice(&[0.0, head as f32, dependent as f32]);
        });
        assert_eq!(asked, words * MOST_HEADS);
        for word in (1..=words as u32).map(Node) {
            let heads = (0..=words as u32).map(Node).filter(|&head| head != word);
            let sum: f32 = heads.clone().map(|head| field.arc(head, word).exp()).sum();
            assert!((sum - 1.0).abs() < 1e-5);
            let kept: Vec<Node> = field.heads(word).collect();
            assert!(kept.is_sorted() && kept.len() == MOST_HEADS);
            let worst = kept.iter().map(|&head| field.arc(head, word)).fold(0.0, f32::min);
            for head in heads {
                let labels = field.labels(head, word);
                assert_eq!(labels.is_some(), kept.contains(&head));
                assert!(labels.is_some() || field.arc(head, word) <= worst);
                let sum: f32 = labels.into_iter().flatten().map(|label| label.exp()).sum();
                assert!(labels.is_none() || (sum - 1.0).abs() < 1e-5);
            }
        }
        assert_eq!(ArcField::new(0, &[0.0], 3, |_, _, _| ()).words(), 0);
    }
}
