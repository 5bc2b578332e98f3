//! Numbers for Prometheus, and nothing of what users send.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Upper ends of the buckets of seconds.
const BUCKETS: [f64; 9] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// The counters of a server.
#[derive(Default)]
pub struct Metrics {
    requests: Mutex<BTreeMap<(String, u16), u64>>,
    words: AtomicU64,
    sentences: AtomicU64,
    buckets: [AtomicU64; BUCKETS.len()],
    microseconds: AtomicU64,
    worked: AtomicU64,
}

impl Metrics {
    /// A request was answered. `route` is a route of the server, never what the client wrote.
    pub fn answered(&self, route: &str, status: u16) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((route.to_owned(), status)).or_default() += 1;
    }

    /// Sentences were parsed.
    pub fn parsed(&self, sentences: usize, words: usize) {
        self.sentences.fetch_add(sentences as u64, Ordering::Relaxed);
        self.words.fetch_add(words as u64, Ordering::Relaxed);
    }

    /// A piece of work has ended.
    pub fn worked(&self, time: Duration) {
        for (end, count) in BUCKETS.iter().zip(&self.buckets) {
            if time.as_secs_f64() <= *end {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
        self.microseconds.fetch_add(time.as_micros() as u64, Ordering::Relaxed);
        self.worked.fetch_add(1, Ordering::Relaxed);
    }

    /// The text that Prometheus reads, with gauges of the moment.
    pub fn text(&self, gauges: &[(&str, &str, usize)]) -> String {
        let mut out = String::new();
        let read = |number: &AtomicU64| number.load(Ordering::Relaxed);
        out.push_str("# HELP crossarc_requests_total Answers by route and status.\n# TYPE crossarc_requests_total counter\n");
        for ((route, status), count) in
            &*self.requests.lock().unwrap_or_else(PoisonError::into_inner)
        {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(
                out,
                "crossarc_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}"
            );
        }
        let counters = [
            ("crossarc_words_total", "Words parsed.", read(&self.words)),
            ("crossarc_sentences_total", "Sentences parsed.", read(&self.sentences)),
        ];
        for (name, help, value) in counters {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} counter\n{name} {value}");
        }
        let name = "crossarc_work_seconds";
        let _ = writeln!(
            out,
            "# HELP {name} Time of work on requests, without queue.\n# TYPE {name} histogram"
        );
        let worked = read(&self.worked);
        for (end, count) in BUCKETS.iter().zip(&self.buckets) {
            let _ = writeln!(out, "{name}_bucket{{le=\"{end}\"}} {}", read(count).min(worked));
        }
        let _ = writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {worked}");
        let seconds = read(&self.microseconds) as f64 / 1e6;
        let _ = writeln!(out, "{name}_sum {seconds}\n{name}_count {worked}");
        for (name, help, value) in gauges {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
        }
        out
    }
}
