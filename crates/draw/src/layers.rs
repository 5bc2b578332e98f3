//! Which arc runs above which: a range maximum that can be raised.
//!
//! Arcs are laid one at a time; each takes the level above the highest one already over any part
//! of its span. The segment tree below does both steps in O(log n), so n arcs take O(n log n).
use std::ops::Range;

/// Heights over the places `0..len`, all 0 at first.
pub(super) struct Layers {
    size: usize,
    /// The highest place below each tree node.
    highest: Vec<u32>,
    /// What was raised over the whole of each tree node.
    raised: Vec<u32>,
}

impl Layers {
    pub fn new(len: usize) -> Layers {
        let size = len.next_power_of_two();
        Layers { size, highest: vec![0; 2 * size], raised: vec![0; 2 * size] }
    }

    /// The highest place in a range; 0 if the range is empty.
    pub fn highest(&self, range: Range<usize>) -> u32 {
        let mut best = 0;
        self.visit(range, |layers, node, whole| {
            best = best.max(if whole { layers.highest[node] } else { layers.raised[node] });
        });
        best
    }

    /// Makes every place in a range at least this high.
    pub fn raise(&mut self, range: Range<usize>, height: u32) {
        let mut touched = Vec::new();
        self.visit(range, |_, node, whole| touched.push((node, whole)));
        for (node, whole) in touched {
            self.highest[node] = self.highest[node].max(height);
            if whole {
                self.raised[node] = self.raised[node].max(height);
            }
        }
    }

    /// Puts a span above everything it overlaps and returns its level, from 1.
    pub fn lay(&mut self, range: Range<usize>) -> u32 {
        let level = self.highest(range.clone()) + 1;
        self.raise(range, level);
        level
    }

    /// The tree nodes that make up a range, and (`whole` false) those above them.
    fn visit(&self, range: Range<usize>, mut see: impl FnMut(&Layers, usize, bool)) {
        if range.is_empty() {
            return;
        }
        let mut pending = vec![(1, 0..self.size)];
        while let Some((node, span)) = pending.pop() {
            if range.start <= span.start && span.end <= range.end {
                see(self, node, true);
            } else if range.start < span.end && span.start < range.end {
                see(self, node, false);
                let middle = span.start.midpoint(span.end);
                pending.push((2 * node, span.start..middle));
                pending.push((2 * node + 1, middle..span.end));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;

    #[test]
    fn agrees_with_an_array() {
        let seed = Seed(4);
        let mut rng = seed.rng();
        for len in 1..20 {
            let mut array = vec![0u32; len];
            let mut layers = Layers::new(len);
            for _ in 0..200 {
                let a = rng.below(len + 1);
                let b = rng.below(len + 1);
                let range = a.min(b)..a.max(b);
                let height = rng.below(30) as u32;
                let expected = array[range.clone()].iter().copied().max().unwrap_or(0);
                assert_eq!(layers.highest(range.clone()), expected, "{seed:?} {len} {range:?}");
                layers.raise(range.clone(), height);
                array[range].iter_mut().for_each(|place| *place = (*place).max(height));
            }
        }
    }
}
