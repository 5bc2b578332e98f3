//! Why a request is not answered: a status and a plain sentence.
//!
//! The same refusal is plain text for `UDPipe`'s protocol and `{"error": …}` under `/v1`.
use axum::Json;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// A request that is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The status of the answer.
    pub status: StatusCode,
    /// What is wrong and what to do.
    pub message: String,
}

impl Refusal {
    /// A refusal with any status.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Refusal {
        Refusal { status, message: message.into() }
    }

    /// The request is wrong (400).
    pub fn bad(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, message)
    }

    /// The request is too large (413).
    pub fn large(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    }

    /// The server cannot now, but may later (503).
    pub fn busy(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    fn finish(&self, mut response: Response) -> Response {
        *response.status_mut() = self.status;
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let text = format!("{}\n", self.message);
        self.finish(([(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
    }
}

/// A refusal of the JSON interface.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonRefusal(pub Refusal);

impl From<Refusal> for JsonRefusal {
    fn from(refusal: Refusal) -> JsonRefusal {
        JsonRefusal(refusal)
    }
}

impl IntoResponse for JsonRefusal {
    fn into_response(self) -> Response {
        self.0.finish(Json(json!({ "error": self.0.message })).into_response())
    }
}
