//! Processor time, which tells what a piece of work costs even when the machine is busy.

/// Processor seconds that this thread has used, where the system tells it.
///
/// ```
/// use crossarc_lab::processor_time::thread_seconds;
/// if let (Some(before), Some(after)) = (thread_seconds(), thread_seconds()) {
///     assert!(after >= before);
/// }
/// ```
pub fn thread_seconds() -> Option<f64> {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
    }
    #[cfg(not(unix))]
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A clock that only moves with the timer of the system would stand still for milliseconds.
    #[test]
    fn short_pieces_of_work_take_time() {
        let start = thread_seconds().unwrap();
        let changes = (0..100).scan(start, |before, _| {
            let now = thread_seconds().unwrap();
            Some(std::mem::replace(before, now) < now)
        });
        assert!(changes.filter(|&moved| moved).count() > 10);
    }
}
