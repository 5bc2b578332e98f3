//! Support vector machines as they are stored in a model and used for parsing: one classifier for
//! each part of the data, expanded into weights of features and of pairs (see [`svm::expansion`]).
pub use svm::parts::{Decisions, SupportVectors};

use svm::expansion::{Expansion, Part, Scratch, Table};
use svm::parts::part_of;

use crossarc_model::{Bytes, Container, ModelError, SectionBytes, Words64};

fn to_words64(words: &[u32]) -> Words64 {
    let pair = |two: &[u32]| u64::from(two[0]) | u64::from(two.get(1).copied().unwrap_or(0)) << 32;
    Words64::new(words.chunks(2).map(pair).collect())
}

/// Expanded classifiers.
#[derive(Clone, Debug)]
pub struct PackedMachines {
    slots: Words64,
    rows: Words64,
    plan: Words64,
    values: Vec<(u64, u16)>,
    parts: Vec<Part>,
}

/// Sections of a set of machines: slots, rows, and which part is what.
pub type Sections = [&'static str; 3];
/// Sections of the machines for moves.
pub const MOVE_SECTIONS: Sections = ["move machines", "move machine rows", "move machine parts"];
/// Sections of the machines for labels.
pub const LABEL_SECTIONS: Sections =
    ["label machines", "label machine rows", "label machine parts"];

impl PackedMachines {
    /// Writes the sums over the support vectors out; weights below `prune` are dropped.
    pub fn pack(vectors: &SupportVectors, prune: f64) -> PackedMachines {
        let Expansion { slots, rows, parts } = vectors.expand(prune);
        let values = vectors.values().to_vec();
        let mut words = vec![values.len() as u32];
        for (value, part) in &values {
            words.extend([*value as u32, (value >> 32) as u32, u32::from(*part)]);
        }
        words.push(parts.len() as u32);
        words.extend(parts.iter().flat_map(Part::to_words));
        PackedMachines {
            slots: to_words64(&slots),
            rows: to_words64(&rows),
            plan: to_words64(&words),
            values,
            parts,
        }
    }

    /// Writes the scores of all classes.
    #[inline]
    pub fn score(
        &self,
        split: &[u64],
        features: &[u64],
        scratch: &mut Scratch,
        scores: &mut [f32],
    ) {
        let number = part_of(&self.values, split);
        let Some(part) = self.parts.get(number) else { return };
        let table = Table {
            slots: bytemuck::cast_slice(&self.slots),
            rows: bytemuck::cast_slice(&self.rows),
        };
        table.values(part, number, features, scratch);
        part.ballot.count(&scratch.values, scores);
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        8 * (self.slots.len() + self.rows.len() + self.plan.len())
    }

    /// What goes into the model.
    pub fn sections(&self, names: Sections) -> [SectionBytes<'_>; 3] {
        let [slots, rows, plan] = names;
        [
            SectionBytes { name: slots, bytes: self.slots.bytes() },
            SectionBytes { name: rows, bytes: self.rows.bytes() },
            SectionBytes { name: plan, bytes: self.plan.bytes() },
        ]
    }

    /// Machines from a model.
    pub fn load(
        container: &Container,
        names: Sections,
        classes: usize,
    ) -> Result<PackedMachines, ModelError> {
        let damaged = |name| container.damaged(&format!("section `{name}` holds no machines"));
        let words = |name: &'static str| {
            container.section(name).map(Bytes::words)?.ok_or_else(|| damaged(name))
        };
        let [slots, rows, plan] = [words(names[0])?, words(names[1])?, words(names[2])?];
        let (values, parts) =
            read_plan(bytemuck::cast_slice(&plan), classes).ok_or_else(|| damaged(names[2]))?;
        Ok(PackedMachines { slots, rows, plan, values, parts })
    }
}

type Contents = (Vec<(u64, u16)>, Vec<Part>);

fn read_plan(words: &[u32], classes: usize) -> Option<Contents> {
    let (&count, mut rest) = words.split_first()?;
    let mut values: Vec<(u64, u16)> = Vec::new();
    for _ in 0..count {
        let (&[low, high, part], more) = rest.split_first_chunk()?;
        values.push((u64::from(low) | u64::from(high) << 32, u16::try_from(part).ok()?));
        rest = more;
    }
    let (&count, mut rest) = rest.split_first()?;
    let mut parts = Vec::new();
    for _ in 0..count {
        parts.push(Part::from_words(&mut rest, classes)?);
    }
    let sound = values.windows(2).all(|two| two[0].0 < two[1].0)
        && values.iter().all(|&(_, part)| usize::from(part) < parts.len())
        && rest.iter().all(|&word| word == 0);
    sound.then_some((values, parts))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use svm::Settings;

    use super::*;
    use crossarc_tree::seed::Seed;

    fn decisions(count: usize) -> Decisions {
        let mut rng = Seed(3).rng();
        let mut decisions = Decisions::default();
        for _ in 0..count {
            let features: Vec<u64> =
                (0..5).map(|template| template << 32 | rng.below(9) as u64).collect();
            let split = rng.below(9).min(rng.below(9)).min(rng.below(9)) as u64;
            let class = (features[0] ^ features[1]) & 3;
            let split = [split];
            decisions.push(if split == [0] { &[] } else { &split }, &features, class as u16);
        }
        decisions
    }

    #[test]
    fn stored_machines_decide_as_support_vectors_do() {
        let decisions = decisions(5000);
        let exact = SupportVectors::train(&decisions, 5, &Settings::default(), &|| false).unwrap();
        assert!(exact.counts()[0] > 2, "{:?}", exact.counts());
        let packed = PackedMachines::pack(&exact, 0.0);
        let bytes = Container::to_bytes(&(), &packed.sections(MOVE_SECTIONS));
        let container = Container::from_bytes(Path::new("m"), &Bytes::copy(&bytes)).unwrap();
        let loaded = PackedMachines::load(&container, MOVE_SECTIONS, 5).unwrap();
        let mut scratch = Scratch::default();
        let (mut same, mut right) = (0, 0);
        for at in 0..1000 {
            let split = [decisions.splits[at]];
            let features: Vec<u64> = decisions.examples.feature_names(at).collect();
            let [mut fast, mut slow] = [[0.0; 5]; 2];
            loaded.score(&split, &features, &mut scratch, &mut fast);
            exact.score(&split, &features, &mut slow);
            let [fast, slow] = [fast, slow].map(|scores| svm::multiclass::best(&scores));
            same += usize::from(fast == slow);
            right += usize::from(fast == decisions.examples.class(at));
        }
        assert!(same >= 999, "{same} of 1000");
        assert!(right > 900, "{right} of 1000");
        assert!(PackedMachines::load(&container, MOVE_SECTIONS, 3).is_err(), "too few classes");
        assert!(PackedMachines::load(&container, LABEL_SECTIONS, 5).is_err(), "no labels");
    }

    #[test]
    fn a_damaged_plan_is_refused_or_harmless() {
        let packed = SupportVectors::train(&decisions(3000), 5, &Settings::default(), &|| false);
        let packed = PackedMachines::pack(&packed.unwrap(), 0.0);
        let words: &[u32] = bytemuck::cast_slice(&packed.plan);
        for length in 0..words.len() - 1 {
            assert!(read_plan(&words[..length], 5).is_none(), "{length}");
        }
        let mut rng = Seed(8).rng();
        for round in 0..500 {
            let mut damaged = words.to_vec();
            let at = rng.below(damaged.len());
            damaged[at] = rng.next_u64() as u32 >> rng.below(32);
            if let Some((values, parts)) = read_plan(&damaged, 5) {
                let packed = PackedMachines { values, parts, ..packed.clone() };
                let mut scores = [0.0; 5];
                packed.score(&[round], &[1, 2, 3], &mut Scratch::default(), &mut scores);
            }
        }
    }
}
