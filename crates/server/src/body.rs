//! Bodies of requests: bounded in size and time, and their parameters.
use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use percent_encoding::percent_decode;

use crate::limits::Limits;
use crate::refusal::Refusal;

/// Most parameters of a request.
const MOST_PARAMETERS: usize = 100;

/// Reads a whole body, or refuses it for its size or slowness.
pub async fn read(request: Request, limits: &Limits) -> Result<(Parts, Bytes), Refusal> {
    let too_large = || {
        Refusal::large(format!(
            "The request has more than {} bytes: send less at a time.",
            limits.bytes
        ))
    };
    let (parts, body) = request.into_parts();
    let told = parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if told.is_some_and(|told| told.parse::<u64>().is_ok_and(|told| told > limits.bytes as u64)) {
        return Err(too_large());
    }
    let reading = axum::body::to_bytes(body, limits.bytes);
    match tokio::time::timeout(Duration::from_secs(limits.body_seconds), reading).await {
        Ok(Ok(bytes)) => Ok((parts, bytes)),
        Ok(Err(error)) if is_too_large(&error) => Err(too_large()),
        Ok(Err(_)) => Err(Refusal::bad("The request broke off or is no valid HTTP.")),
        Err(_) => Err(Refusal::new(
            StatusCode::REQUEST_TIMEOUT,
            format!("The request did not arrive within {} seconds.", limits.body_seconds),
        )),
    }
}

fn is_too_large(error: &axum::Error) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if error.to_string() == "length limit exceeded" {
            return true;
        }
        cause = error.source();
    }
    false
}

/// The type of a body without its parameters, in small letters.
pub fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Text, or a refusal that says where it is no UTF-8.
pub fn text(bytes: Vec<u8>, what: &str) -> Result<String, Refusal> {
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        Refusal::bad(format!("{what} is not UTF-8 at byte {place}: convert it to UTF-8."))
    })
}

/// Parameters of a request by name.
pub type Parameters = BTreeMap<String, String>;

/// Adds the parameters of a query string or an urlencoded body.
fn add_encoded(encoded: &[u8], parameters: &mut Parameters) -> Result<(), Refusal> {
    let decoded = |part: &[u8], what: &str| {
        let spaced: Vec<u8> = part.iter().map(|&b| if b == b'+' { b' ' } else { b }).collect();
        text(percent_decode(&spaced).collect(), what)
    };
    for pair in encoded.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty()) {
        let equals = pair.iter().position(|&byte| byte == b'=');
        let (name, value) = equals.map_or((pair, &b""[..]), |at| (&pair[..at], &pair[at + 1..]));
        let name = decoded(name, "The name of a parameter")?;
        add(name, decoded(value, "A parameter")?, parameters)?;
    }
    Ok(())
}

fn add(name: String, value: String, parameters: &mut Parameters) -> Result<(), Refusal> {
    parameters.insert(name, value);
    if parameters.len() > MOST_PARAMETERS {
        return Err(Refusal::bad(format!("There are more than {MOST_PARAMETERS} parameters.")));
    }
    Ok(())
}

/// All parameters of a request: of the query string, and of the body, which comes second.
pub async fn parameters(parts: Parts, bytes: Bytes) -> Result<Parameters, Refusal> {
    let mut parameters = Parameters::new();
    add_encoded(parts.uri.query().unwrap_or_default().as_bytes(), &mut parameters)?;
    if bytes.is_empty() {
        return Ok(parameters);
    }
    match content_type(&parts.headers).as_str() {
        "multipart/form-data" => add_multipart(parts, bytes, &mut parameters).await?,
        "application/x-www-form-urlencoded" | "" => add_encoded(&bytes, &mut parameters)?,
        _ => {
            return Err(Refusal::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "The body must be application/x-www-form-urlencoded or multipart/form-data.",
            ));
        }
    }
    Ok(parameters)
}

async fn add_multipart(
    parts: Parts,
    bytes: Bytes,
    parameters: &mut Parameters,
) -> Result<(), Refusal> {
    let request = Request::from_parts(parts, Body::from(bytes));
    let bad = |_| Refusal::bad("The body is no valid multipart/form-data.");
    let mut multipart = Multipart::from_request(request, &())
        .await
        .map_err(|_| Refusal::bad("The body is multipart/form-data without a boundary."))?;
    while let Some(field) = multipart.next_field().await.map_err(bad)? {
        let name = field.name().unwrap_or_default().to_owned();
        let value = field.bytes().await.map_err(bad)?;
        add(name, text(value.to_vec(), "A parameter")?, parameters)?;
    }
    Ok(())
}
