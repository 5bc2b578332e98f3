//! Who may work: a bounded number of requests at a time, a bounded queue, and no more.
//!
//! Work happens on blocking threads, so that the threads that talk to clients never wait for a
//! parser. A request that finds the queue full is told so at once.
use std::sync::Arc;
use std::time::Instant;

use axum::http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::{Deadline, Limits};
use crate::metrics::Metrics;
use crate::refusal::Refusal;

/// The gate of a server.
pub struct Gate {
    places: Arc<Semaphore>,
    running: Arc<Semaphore>,
    most_running: usize,
    most: usize,
    seconds: u64,
}

impl Gate {
    /// A gate with these limits.
    pub fn new(limits: &Limits) -> Gate {
        let most_running = limits.concurrent.clamp(1, 1024);
        let most = most_running + limits.queue.min(1 << 20);
        Gate {
            places: Arc::new(Semaphore::new(most)),
            running: Arc::new(Semaphore::new(most_running)),
            most_running,
            most,
            seconds: limits.seconds,
        }
    }

    /// How many requests wait or are worked on.
    pub fn inside(&self) -> usize {
        self.most - self.places.available_permits()
    }

    /// How many requests are worked on.
    pub fn running(&self) -> usize {
        self.most_running - self.running.available_permits()
    }

    /// A place in the queue; refused if it is full.
    pub fn enter(&self) -> Result<(OwnedSemaphorePermit, Deadline), Refusal> {
        let place = Arc::clone(&self.places)
            .try_acquire_owned()
            .map_err(|_| Refusal::busy("The server has too much to do: try again in a moment."))?;
        Ok((place, Deadline::after(self.seconds)))
    }

    /// Works on a blocking thread as soon as there is one.
    pub async fn work<T: Send + 'static>(
        &self,
        metrics: &Metrics,
        work: impl FnOnce(Deadline) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let (place, deadline) = self.enter()?;
        let running =
            tokio::time::timeout(deadline.left(), Arc::clone(&self.running).acquire_owned());
        let permit = match running.await {
            Ok(Ok(permit)) => permit,
            Ok(Err(_)) => return Err(Refusal::busy("The server is stopping.")),
            Err(_) => {
                return Err(Refusal::busy("The request waited for too long: try again later."));
            }
        };
        let start = Instant::now();
        let task = tokio::task::spawn_blocking(move || {
            let result = work(deadline);
            drop((permit, place));
            result
        });
        let result = task.await.unwrap_or_else(|_| {
            let message = "The server failed on this request.";
            Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, message))
        });
        metrics.worked(start.elapsed());
        result
    }
}
