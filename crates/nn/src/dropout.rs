//! Dropout by masks: numbers that are zero, or a little above one, so that the mean stays. One mask
//! serves all words of a sentence (Gal and Ghahramani 2016).
use crate::packing::Packing;
use crate::seed::Rng;

/// A mask that drops so large a share.
pub fn mask(rng: &mut Rng, len: usize, drop: f32) -> Vec<f32> {
    let kept = 1.0 / (1.0 - drop);
    (0..len).map(|_| if rng.unit() < drop { 0.0 } else { kept }).collect()
}

/// Multiplies each row by the mask of its sentence.
pub fn apply(rows: &mut [f32], width: usize, masks: &[f32], packing: &Packing) {
    for (row, &sentence) in rows.chunks_exact_mut(width).zip(packing.sentences()) {
        let mask = &masks[sentence as usize * width..][..width];
        row.iter_mut().zip(mask).for_each(|(x, m)| *x *= m);
    }
}
