//! Confidences that match how often arcs are right.

/// The temperature under which confidences fit best (least log loss) how often arcs are right.
/// `judged` gives for a temperature the confidences and whether each arc was right.
pub fn fit_temperature(mut judged: impl FnMut(f32) -> Vec<(f32, bool)>) -> f32 {
    let mut loss = |temperature: f32| -> f64 {
        let arcs = judged(temperature);
        let each = arcs.iter().map(|&(confidence, right)| {
            let sure = f64::from(confidence).clamp(1e-4, 1.0 - 1e-4);
            if right { -sure.ln() } else { -(1.0 - sure).ln() }
        });
        each.sum()
    };
    let grid = (0..14).map(|step| 0.5 * 1.5f32.powi(step));
    let judged = grid.map(|temperature| (loss(temperature), temperature));
    judged.min_by(|one, other| one.0.total_cmp(&other.0)).map_or(1.0, |best| best.1)
}
