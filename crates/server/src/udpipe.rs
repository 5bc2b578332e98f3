//! `UDPipe`'s protocol: `/models`, `/process`, and the routes for `WebLicht`.
//!
//! A step is done if its parameter is there, even empty, and not `none`. `docs/book/src/server.md` has the
//! protocol request by request.
use std::fmt::Write as _;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use conll::{Row, Sentence};
use crossarc::pipeline::{Steps, TextFormat};
use crossarc::text::tokenize::write::TokenNotes;
use serde_json::{Map, Value, json};

use crate::Shared;
use crate::body::{self, Parameters};
use crate::parsing::{self, Input, Parsed, Wish};
use crate::refusal::Refusal;

/// `GET /models`
pub async fn models(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let catalogue = shared.models.now();
    let mut all = Map::new();
    for entry in catalogue.entries() {
        all.insert(entry.name.clone(), json!(entry.abilities.steps()));
    }
    let default = catalogue.entries().first().map(|entry| entry.name.as_str());
    Json(json!({ "models": all, "default_model": default }))
}

/// How sentences are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Output {
    ConllU,
    Horizontal { paragraphs: bool },
    Vertical { paragraphs: bool },
    PlainText { normalized: bool },
}

/// The value of a step: nothing if the step is off.
fn step<'a>(parameters: &'a Parameters, name: &str) -> Option<&'a str> {
    parameters.get(name).map(String::as_str).filter(|value| *value != "none")
}

fn has_option(value: &str, name: &str) -> bool {
    value.split(';').any(|option| {
        let (key, value) = option.split_once('=').unwrap_or((option, "1"));
        key.trim() == name && !matches!(value, "0" | "false")
    })
}

/// Text with the options of a tokenizer.
fn text_input(data: String, options: &str) -> Input {
    let lines = has_option(options, "presegmented");
    let notes = TokenNotes {
        spaces: !has_option(options, "normalized_spaces"),
        ranges: has_option(options, "ranges"),
    };
    Input::Text(data, if lines { TextFormat::Lines } else { TextFormat::Text }, notes)
}

fn input_of(parameters: &Parameters, data: String) -> Result<Input, Refusal> {
    if let Some(options) = step(parameters, "tokenizer") {
        return Ok(text_input(data, options));
    }
    let named = parameters.get("input").map_or("", String::as_str);
    match named.split([';', '=']).next().unwrap_or_default() {
        "" | "conllu" => Ok(Input::Treebank(data)),
        "horizontal" => Ok(Input::Text(data, TextFormat::Horizontal, TokenNotes::default())),
        "vertical" => Ok(Input::Text(data, TextFormat::Vertical, TokenNotes::default())),
        _ => Err(Refusal::bad(
            "Unknown input format: expected conllu, horizontal or vertical, or text with the parameter tokenizer.",
        )),
    }
}

fn output_of(parameters: &Parameters) -> Result<Output, Refusal> {
    let named = parameters.get("output").map_or("", String::as_str);
    let (name, options) = named.split_once('=').or(named.split_once(';')).unwrap_or((named, ""));
    let paragraphs = has_option(options, "paragraphs");
    match name {
        "" | "conllu" => Ok(Output::ConllU),
        "horizontal" => Ok(Output::Horizontal { paragraphs }),
        "vertical" => Ok(Output::Vertical { paragraphs }),
        "plaintext" => {
            Ok(Output::PlainText { normalized: has_option(options, "normalized_spaces") })
        }
        _ => Err(Refusal::bad(
            "Unknown output format: expected conllu, horizontal, vertical or plaintext.",
        )),
    }
}

/// `GET` and `POST /process`
pub async fn process(
    State(shared): State<Arc<Shared>>,
    request: Request,
) -> Result<Response, Refusal> {
    let (parts, bytes) = body::read(request, &shared.limits).await?;
    let mut parameters = body::parameters(parts, bytes).await?;
    let data = parameters
        .remove("data")
        .ok_or_else(|| Refusal::bad("Required argument 'data' is missing."))?;
    let output = output_of(&parameters)?;
    let input = input_of(&parameters, data)?;
    let is_treebank = matches!(input, Input::Treebank(_));
    let wish = Wish {
        steps: Steps {
            tag: Some(step(&parameters, "tagger").is_some()),
            parse: step(&parameters, "parser").is_some(),
        },
        ..Wish::default()
    };
    let name = parameters.remove("model").unwrap_or_default();
    let (model, result) =
        run(&shared, &name, input, wish, move |parsed| write(parsed, output, is_treebank)).await?;
    let acknowledgements: Vec<&String> =
        [&model.1].into_iter().filter(|note| !note.is_empty()).collect();
    Ok(Json(json!({ "model": model.0, "acknowledgements": acknowledgements, "result": result }))
        .into_response())
}

/// Parses behind the gate; gives back name and note of the model, and what `finish` made.
async fn run<T: Send + 'static>(
    shared: &Arc<Shared>,
    name: &str,
    input: Input,
    wish: Wish,
    finish: impl FnOnce(&mut Parsed) -> T + Send + 'static,
) -> Result<((String, String), T), Refusal> {
    let catalogue = shared.models.now();
    let entry = catalogue.find(name)?;
    let facts = (entry.name.clone(), entry.note.trim().to_owned());
    let inside = Arc::clone(shared);
    let work = move |deadline| {
        let pipeline = catalogue.pipeline(&entry)?;
        let mut parsed = parsing::parse(&pipeline, input, &wish, &inside.limits, deadline)?;
        inside.metrics.parsed(parsed.sentences.len(), parsed.words);
        Ok(finish(&mut parsed))
    };
    Ok((facts, shared.gate.work(&shared.metrics, work).await?))
}

/// `POST /weblicht/{tokenize,tag,parse}`: the body is text or CoNLL-U, the answer CoNLL-U.
pub async fn weblicht(
    State(shared): State<Arc<Shared>>,
    Path(task): Path<String>,
    request: Request,
) -> Result<Response, Refusal> {
    let (mut parts, bytes) = body::read(request, &shared.limits).await?;
    let data = body::text(bytes.to_vec(), "The body")?;
    parts.headers.clear();
    let mut parameters = body::parameters(parts, axum::body::Bytes::new()).await?;
    let name = parameters.remove("model").unwrap_or_default();
    let (input, steps) = match task.as_str() {
        "tokenize" => {
            let options = parameters.get("tokenizer").map_or("", String::as_str);
            let tag = Some(step(&parameters, "tagger").is_some());
            let parse = step(&parameters, "parser").is_some();
            (text_input(data, options), Steps { tag, parse })
        }
        "tag" => (Input::Treebank(data), Steps { tag: Some(true), parse: false }),
        "parse" => (Input::Treebank(data), Steps { tag: Some(false), parse: true }),
        _ => return Err(Refusal::new(StatusCode::NOT_FOUND, "There is nothing here.")),
    };
    let is_treebank = matches!(input, Input::Treebank(_));
    let wish = Wish { steps, ..Wish::default() };
    let finish = move |parsed: &mut Parsed| write(parsed, Output::ConllU, is_treebank);
    let (_, result) = run(&shared, &name, input, wish, finish).await?;
    Ok(([(CONTENT_TYPE, "application/conllu; charset=utf-8")], result).into_response())
}

fn write(parsed: &mut Parsed, output: Output, is_treebank: bool) -> String {
    let mut out = String::new();
    let mut last_space = String::new();
    for (at, sentence) in parsed.sentences.iter().enumerate() {
        let paragraph = if is_treebank {
            sentence
                .comments()
                .any(|comment| comment.trim_start_matches(['#', ' ']).starts_with("newpar"))
        } else {
            parsed.begins_paragraph.get(at).copied().unwrap_or(false)
        };
        match output {
            Output::ConllU => {
                if !is_treebank {
                    // Writing to a string cannot fail, here and below.
                    let head = if at == 0 { "# newdoc\n" } else { "" };
                    let begin = if paragraph { "# newpar\n" } else { "" };
                    let _ = writeln!(out, "{head}{begin}# sent_id = {}", at + 1);
                }
                out.push_str(&parsing::conllu_of(sentence));
            }
            Output::Horizontal { paragraphs } => {
                if paragraphs && paragraph && at > 0 {
                    out.push('\n');
                }
                let forms: Vec<String> =
                    sentence.words().map(|word| unbroken(word.form())).collect();
                let _ = writeln!(out, "{}", forms.join(" "));
            }
            Output::Vertical { paragraphs } => {
                if paragraphs && paragraph && at > 0 {
                    out.push('\n');
                }
                for word in sentence.words() {
                    let _ = writeln!(out, "{}", word.form());
                }
                out.push('\n');
            }
            Output::PlainText { normalized: true } => {
                if paragraph && at > 0 {
                    out.push('\n');
                }
                for (number, (form, misc)) in tokens(sentence).enumerate() {
                    if number > 0 {
                        out.push_str(&last_space);
                    }
                    out.push_str(form);
                    last_space = if has_no_space(misc) { String::new() } else { " ".to_owned() };
                }
                out.push('\n');
            }
            Output::PlainText { normalized: false } => {
                for (form, misc) in tokens(sentence) {
                    out.push_str(&blanks(misc, "SpacesBefore").unwrap_or_default());
                    out.push_str(&blanks(misc, "SpacesInToken").unwrap_or_else(|| form.to_owned()));
                    let usual = if has_no_space(misc) { "" } else { " " };
                    out.push_str(&blanks(misc, "SpacesAfter").unwrap_or_else(|| usual.to_owned()));
                }
            }
        }
    }
    out
}

/// Forms and MISC of the tokens, those of several words as one.
fn tokens(sentence: &Sentence) -> impl Iterator<Item = (&str, &str)> {
    let mut covered = 0;
    sentence.rows().filter_map(move |row| match row {
        Row::Range { last, fields, .. } => {
            covered = last;
            Some((fields.form(), fields.misc()))
        }
        Row::Word(word) if word.id() > covered => Some((word.form(), word.misc())),
        _ => None,
    })
}

/// A form in which blanks do not part words.
fn unbroken(form: &str) -> String {
    form.replace(' ', "\u{a0}")
}

fn has_no_space(misc: &str) -> bool {
    misc.split('|').any(|part| part == "SpaceAfter=No")
}

/// The blanks that MISC tells, with `\s`, `\t`, `\r`, `\n`, `\p` and `\\` undone.
fn blanks(misc: &str, key: &str) -> Option<String> {
    let value = misc.split('|').find_map(|part| part.strip_prefix(key)?.strip_prefix('='))?;
    let mut out = String::new();
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        out.push(match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('s') => ' ',
                Some('t') => '\t',
                Some('r') => '\r',
                Some('n') => '\n',
                Some('p') => '|',
                Some(other) => other,
                None => '\\',
            },
            (letter, false) => letter,
        });
    }
    Some(out)
}
