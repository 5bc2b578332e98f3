//! Sentences of a batch in one matrix without padding: all first words, then all second words, and
//! so on. Sentences stand by length, longest first, so those that still have a word at some step
//! are the first ones, and steps shrink.
//!
//! ```
//! let packing = nn::packing::Packing::new(vec![3, 1]);
//! assert_eq!(packing.rows(), 4);
//! assert_eq!((packing.row(0, 1), packing.row(1, 0)), (2, 1));
//! ```

/// Where the words of a batch stand.
#[derive(Clone, Debug, Default)]
pub struct Packing {
    lengths: Vec<usize>,
    starts: Vec<usize>,
    mirrored: Vec<u32>,
    sentences: Vec<u32>,
}

impl Packing {
    /// For sentences of these lengths, longest first.
    pub fn new(lengths: Vec<usize>) -> Packing {
        assert!(lengths.is_sorted_by(|one, next| one >= next), "longest first");
        let longest = lengths.first().copied().unwrap_or(0);
        let mut starts = vec![0];
        let mut active = lengths.len();
        for step in 0..longest {
            while lengths[active - 1] <= step {
                active -= 1;
            }
            starts.push(starts[step] + active);
        }
        let mut packing = Packing { lengths, starts, mirrored: Vec::new(), sentences: Vec::new() };
        for step in 0..longest {
            for sentence in 0..packing.step(step).len() {
                let mirror = packing.lengths[sentence] - 1 - step;
                packing.mirrored.push(packing.row(sentence, mirror) as u32);
                packing.sentences.push(sentence as u32);
            }
        }
        packing
    }

    /// Words of all sentences.
    pub fn rows(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Words of the longest sentence.
    pub fn steps(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Lengths of the sentences.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// The rows of a step: one for each sentence that is long enough, in their order.
    pub fn step(&self, step: usize) -> std::ops::Range<usize> {
        self.starts[step]..self.starts[step + 1]
    }

    /// The row of a word.
    pub fn row(&self, sentence: usize, position: usize) -> usize {
        self.starts[position] + sentence
    }

    /// For each row the one at the same distance from the other end of the sentence.
    pub fn mirrored(&self) -> &[u32] {
        &self.mirrored
    }

    /// For each row its sentence.
    pub fn sentences(&self) -> &[u32] {
        &self.sentences
    }
}
