//! Processor time, which tells what a piece of work costs even when the machine is busy.

/// Processor seconds that this thread has used, where the system tells it.
///
/// ```
/// use crossarc::processor_time::thread_seconds;
/// if let (Some(before), Some(after)) = (thread_seconds(), thread_seconds()) {
///     assert!(after >= before);
/// }
/// ```
pub fn thread_seconds() -> Option<f64> {
    const TICKS_A_SECOND: f64 = 100.0;
    if let Ok(text) = std::fs::read_to_string("/proc/thread-self/schedstat") {
        let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
        return Some(nanoseconds / 1e9);
    }
    let text = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit(") ").next()?.split(' ').collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / TICKS_A_SECOND)
}
