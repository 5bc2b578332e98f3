//! What a server says about each request: never a word of what users send.
//!
//! ```
//! use crossarc_server::log::{Answered, LogFormat};
//! let answered = Answered { method: "GET", route: "/models", status: 200, milliseconds: 3 };
//! assert_eq!(answered.line(LogFormat::Text).unwrap(), "GET /models 200 3 ms");
//! assert!(answered.line(LogFormat::Json).unwrap().contains(r#""status":200"#));
//! assert_eq!(answered.line(LogFormat::Off), None);
//! ```
use serde_json::json;

/// How requests are logged.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum LogFormat {
    /// Not at all.
    #[default]
    Off,
    /// As text.
    Text,
    /// As JSON Lines.
    Json,
}

/// A request that was answered.
#[derive(Copy, Clone, Debug)]
pub struct Answered<'a> {
    /// The method.
    pub method: &'a str,
    /// The route of the server, never what the client wrote.
    pub route: &'a str,
    /// The status of the answer.
    pub status: u16,
    /// From the head of the request to the head of the answer.
    pub milliseconds: u128,
}

impl Answered<'_> {
    /// The line, if there is to be one.
    pub fn line(&self, format: LogFormat) -> Option<String> {
        let Answered { method, route, status, milliseconds } = self;
        match format {
            LogFormat::Off => None,
            LogFormat::Text => Some(format!("{method} {route} {status} {milliseconds} ms")),
            LogFormat::Json => Some(
                json!({ "method": method, "route": route, "status": status, "milliseconds": *milliseconds as u64 })
                    .to_string(),
            ),
        }
    }
}
