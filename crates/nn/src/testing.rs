//! Gradients against finite differences.
use crate::seed::Rng;

/// Random numbers.
pub fn random(rng: &mut Rng, count: usize) -> Vec<f32> {
    (0..count).map(|_| 0.5 * rng.normal()).collect()
}

/// The sum of products.
pub fn weighted(numbers: &[f32], by: &[f32]) -> f64 {
    numbers.iter().zip(by).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

/// Checks each number of a gradient against the slope of a function.
pub fn assert_slopes(at: &[f32], gradient: &[f32], function: impl Fn(&[f32]) -> f64) {
    const STEP: f32 = 2e-3;
    assert_eq!(at.len(), gradient.len());
    let mut moved = at.to_vec();
    for (place, &claimed) in gradient.iter().enumerate() {
        moved[place] = at[place] + STEP;
        let above = function(&moved);
        moved[place] = at[place] - STEP;
        let below = function(&moved);
        moved[place] = at[place];
        let slope = ((above - below) / f64::from(2.0 * STEP)) as f32;
        let error = (slope - claimed).abs();
        assert!(error < 5e-3 * (1.0 + slope.abs()), "place {place}: {claimed}, slope {slope}");
    }
}
