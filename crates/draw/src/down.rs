//! One word a line, arcs beside them: legible for sentences of any length.
//!
//! All arcs of a head share one trunk that runs from its first to its last dependent. Trunks are
//! laid from the leaves of the tree upwards, each outside all it overlaps, so a word always meets
//! its own trunk first and the trunk of its head after that, and the trunks of a projective tree
//! never cut the line of a word.
use std::ops::RangeInclusive;

use super::layers::Layers;
use super::{Arc, Drawing, Standing};

/// The line that the arcs of one head share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trunk {
    /// The head.
    pub head: u32,
    /// What the comparison says of its arcs; wrong labels count as agreed.
    pub standing: Standing,
    /// Distance from the words, from 1.
    pub level: u32,
    /// The first word it reaches, its head included.
    pub first: u32,
    /// The last word it reaches, its head included.
    pub last: u32,
    /// The arcs as indices into [`Drawing::arcs`], in the order of their dependents.
    pub arcs: Vec<usize>,
}

impl Trunk {
    /// The words it passes or meets.
    pub fn words(&self) -> RangeInclusive<u32> {
        self.first..=self.last
    }
}

/// A drawing laid out down. Arcs of the artificial root have no trunk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Down {
    /// The trunks, innermost first.
    pub trunks: Vec<Trunk>,
    /// The level of the outermost trunk.
    pub levels: u32,
}

impl Down {
    /// Lays out a drawing.
    pub fn new(drawing: &Drawing) -> Down {
        let arcs = drawing.arcs();
        let words = drawing.words().len();
        let mut by_head: Vec<usize> = (0..arcs.len()).filter(|&arc| !arcs[arc].is_root()).collect();
        let key = |arc: &Arc| (arc.head, trunk_standing(arc));
        by_head.sort_by_key(|&arc| (key(&arcs[arc]), arcs[arc].dependent));
        let gold = heights(arcs, words, Standing::SystemOnly);
        let system = heights(arcs, words, Standing::GoldOnly);
        let mut trunks: Vec<Trunk> = by_head
            .chunk_by(|&a, &b| key(&arcs[a]) == key(&arcs[b]))
            .map(|group| {
                let (head, standing) = key(&arcs[group[0]]);
                let dependents = || group.iter().map(|&arc| arcs[arc].dependent);
                Trunk {
                    head,
                    standing,
                    level: 0,
                    first: dependents().fold(head, u32::min),
                    last: dependents().fold(head, u32::max),
                    arcs: group.to_vec(),
                }
            })
            .collect();
        trunks.sort_by_key(|trunk| {
            let heights = if trunk.standing == Standing::SystemOnly { &system } else { &gold };
            (heights[trunk.head as usize], trunk.last - trunk.first, trunk.first)
        });
        let mut layers = Layers::new(words + 1);
        for trunk in &mut trunks {
            trunk.level = layers.lay(trunk.first as usize..trunk.last as usize + 1);
        }
        trunks.sort_by_key(|trunk| (trunk.level, trunk.first));
        let levels = trunks.last().map_or(0, |trunk| trunk.level);
        Down { trunks, levels }
    }
}

fn trunk_standing(arc: &Arc) -> Standing {
    if arc.standing == Standing::WrongLabel { Standing::Agreed } else { arc.standing }
}

/// For each node, the length of the longest path down to a leaf, arcs of one standing left out.
/// Nodes on a cycle, which only broken annotation has, come last.
fn heights(arcs: &[Arc], words: usize, without: Standing) -> Vec<u32> {
    let mut head = vec![0; words + 1];
    let mut open_children = vec![0u32; words + 1];
    for arc in arcs.iter().filter(|arc| arc.standing != without) {
        head[arc.dependent as usize] = arc.head as usize;
        open_children[arc.head as usize] += 1;
    }
    let mut height = vec![u32::MAX; words + 1];
    let mut ready: Vec<usize> = (1..=words).filter(|&word| open_children[word] == 0).collect();
    for &word in &ready {
        height[word] = 0;
    }
    let mut tallest = vec![0; words + 1];
    while let Some(word) = ready.pop() {
        let above = head[word];
        if above == 0 {
            continue;
        }
        tallest[above] = tallest[above].max(height[word] + 1);
        open_children[above] -= 1;
        if open_children[above] == 0 {
            height[above] = tallest[above];
            ready.push(above);
        }
    }
    height
}

#[cfg(test)]
mod tests {
    use super::super::{Highlight, Word};
    use super::*;
    use crossarc_tree::RootPolicy;
    use crossarc_tree::generate::{random_projective_tree, random_tree};
    use crossarc_tree::seed::Seed;

    fn drawing(heads: &[u32]) -> Drawing {
        let heads: Vec<_> = heads.iter().map(|&head| (Some(head), "x")).collect();
        Drawing::new("", vec![Word::new("w", ""); heads.len()], &heads, Highlight::Crossing)
    }

    /// Words whose line is cut by the trunk of another head.
    fn cuts(drawing: &Drawing, down: &Down) -> usize {
        let mut level = vec![0; drawing.words().len() + 1];
        for trunk in &down.trunks {
            level[trunk.head as usize] = trunk.level;
        }
        let lines = drawing.arcs().iter().filter(|arc| !arc.is_root());
        lines
            .map(|arc| {
                let cut = |trunk: &&Trunk| {
                    trunk.words().contains(&arc.dependent)
                        && trunk.level < level[arc.head as usize]
                        && trunk.head != arc.dependent
                };
                down.trunks.iter().filter(cut).count()
            })
            .sum()
    }

    #[test]
    fn own_trunk_is_inside_and_projective_trees_have_no_cut() {
        let seed = Seed(7);
        let mut rng = seed.rng();
        for round in 0..200 {
            let words = 1 + round % 25;
            let projective = random_projective_tree(&mut rng, words, RootPolicy::Single);
            let any = random_tree(&mut rng, words, RootPolicy::Single);
            for (tree, projective) in [(projective, true), (any, false)] {
                let heads: Vec<u32> = tree.heads()[1..].iter().map(|head| head.0).collect();
                let drawing = drawing(&heads);
                let down = Down::new(&drawing);
                let mut level = vec![0; words + 1];
                for trunk in &down.trunks {
                    level[trunk.head as usize] = trunk.level;
                }
                for arc in drawing.arcs().iter().filter(|arc| !arc.is_root()) {
                    assert!(
                        level[arc.dependent as usize] < level[arc.head as usize],
                        "{seed:?} {heads:?}"
                    );
                }
                if projective {
                    assert_eq!(cuts(&drawing, &down), 0, "{seed:?} {heads:?}");
                }
            }
        }
        let crossing = drawing(&[2, 3, 0, 3, 2, 7, 5, 4, 3]);
        assert!(cuts(&crossing, &Down::new(&crossing)) > 0);
    }
}
