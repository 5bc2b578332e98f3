//! What a server lets one request, one client and all of them together cost.
//!
//! Every limit but those of beams and numbers of trees has a flag of `crossarc serve`; the defaults are for a
//! machine of a few cores.
//!
//! ```
//! let limits = crossarc_server::Limits::default();
//! assert_eq!(limits.bytes, 4_000_000);
//! ```
use std::time::{Duration, Instant};

use crate::refusal::Refusal;

/// The limits of a server.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of a request's body (4,000,000).
    pub bytes: usize,
    /// Words of a sentence (2000).
    pub sentence_words: usize,
    /// Sentences of a request (20,000).
    pub sentences: usize,
    /// Seconds of work on a request, the time in the queue included (60).
    pub seconds: u64,
    /// Requests that are worked on at a time (the number of cores).
    pub concurrent: usize,
    /// Requests that may wait; more are refused with status 503 (64).
    pub queue: usize,
    /// Open connections; more wait until one is closed (512).
    pub connections: usize,
    /// Seconds in which the head of a request must have arrived (10).
    pub header_seconds: u64,
    /// Seconds in which the body of a request must have arrived (30).
    pub body_seconds: u64,
    /// Models of a folder that are in memory at a time (8).
    pub loaded_models: usize,
    /// Widest beam that a request may ask for (64).
    pub beam: usize,
    /// Most trees of a sentence that a request may ask for (64).
    pub k_best: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        let concurrent = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Limits {
            bytes: 4_000_000,
            sentence_words: 2000,
            sentences: 20_000,
            seconds: 60,
            concurrent,
            queue: 64,
            connections: 512,
            header_seconds: 10,
            body_seconds: 30,
            loaded_models: 8,
            beam: 64,
            k_best: 64,
        }
    }
}

/// When a request must be done.
#[derive(Copy, Clone, Debug)]
pub struct Deadline {
    end: Instant,
    seconds: u64,
}

impl Deadline {
    /// So many seconds from now.
    pub fn after(seconds: u64) -> Deadline {
        // A hundred days are for ever.
        let seconds = seconds.min(8_640_000);
        Deadline { end: Instant::now() + Duration::from_secs(seconds), seconds }
    }

    /// The time that is left.
    pub fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// An error once the time is over. Work asks between sentences.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.left().is_zero() {
            return Err(Refusal::busy(format!(
                "The request took more than {} seconds: send less at a time.",
                self.seconds
            )));
        }
        Ok(())
    }
}
