//! JSON Lines in and out, for jobs of any length.
//!
//! Each line is a request of `POST /v1/parse` and gets one line as its answer, in order; a bad line
//! gets `{"error": …}`, and the work goes on. The last line is `{"done": N}`: an answer without it
//! broke off. Lines are read only as fast as answers are taken.
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use futures_util::stream::unfold;
use serde_json::json;

use crate::refusal::Refusal;
use crate::{Shared, v1};

struct Job {
    shared: Arc<Shared>,
    input: BodyDataStream,
    buffer: Vec<u8>,
    /// Whether the rest of a line is thrown away that was too long.
    skipping: bool,
    answered: u64,
    ended: bool,
}

/// What comes next.
enum Next {
    Line(Vec<u8>),
    TooLong,
    Broken(&'static str),
    End,
}

impl Job {
    async fn next(&mut self) -> Next {
        loop {
            if let Some(at) = self.buffer.iter().position(|&byte| byte == b'\n') {
                let rest = self.buffer.split_off(at + 1);
                let line = std::mem::replace(&mut self.buffer, rest);
                if std::mem::take(&mut self.skipping) {
                    return Next::TooLong;
                }
                if !line.trim_ascii().is_empty() {
                    return Next::Line(line);
                }
                continue;
            }
            if self.buffer.len() > self.shared.limits.bytes {
                self.skipping = true;
            }
            if self.skipping {
                self.buffer.clear();
            }
            let wait = Duration::from_secs(self.shared.limits.body_seconds);
            match tokio::time::timeout(wait, self.input.next()).await {
                Ok(Some(Ok(bytes))) => self.buffer.extend_from_slice(&bytes),
                Ok(Some(Err(_))) => return Next::Broken("The request broke off."),
                Err(_) => return Next::Broken("No further line arrived in time."),
                Ok(None) if std::mem::take(&mut self.skipping) => return Next::TooLong,
                Ok(None) if self.buffer.trim_ascii().is_empty() => return Next::End,
                Ok(None) => return Next::Line(std::mem::take(&mut self.buffer)),
            }
        }
    }

    async fn step(mut self) -> Option<(Result<Bytes, Infallible>, Job)> {
        if self.ended {
            return None;
        }
        let mut line = match self.next().await {
            Next::Line(line) => {
                self.answered += 1;
                patient(Arc::clone(&self.shared), line.into()).await
            }
            Next::TooLong => {
                self.answered += 1;
                refused(&format!("The line has more than {} bytes.", self.shared.limits.bytes))
            }
            Next::Broken(message) => {
                self.ended = true;
                refused(message)
            }
            Next::End => {
                self.ended = true;
                json!({ "done": self.answered }).to_string().into_bytes()
            }
        };
        line.push(b'\n');
        Some((Ok(Bytes::from(line)), self))
    }
}

fn refused(message: &str) -> Vec<u8> {
    json!({ "error": message }).to_string().into_bytes()
}

/// A long job waits for its turn where a single request would be refused.
async fn patient(shared: Arc<Shared>, line: Bytes) -> Vec<u8> {
    const TRIES: u32 = 100;
    for _ in 0..TRIES {
        match v1::parse_bytes(&shared, line.clone()).await {
            Ok(answer) => return answer,
            Err(Refusal { status, .. }) if status.as_u16() == 503 => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Err(refusal) => return refused(&refusal.message),
        }
    }
    refused("The server has too much to do: send this line again later.")
}

/// Answers line by line.
pub fn answer(shared: Arc<Shared>, body: Body) -> Response {
    let input = body.into_data_stream();
    let job = Job { shared, input, buffer: Vec::new(), skipping: false, answered: 0, ended: false };
    let stream = unfold(job, Job::step);
    ([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(stream)).into_response()
}
