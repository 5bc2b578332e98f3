//! The JSON interface under `/v1`; `GET /v1/openapi.json` describes it.
use std::fmt::Write as _;
use std::sync::Arc;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use crossarc::draw::{Highlight, Options, svg, terminal, tikz};
use crossarc::eval::official::{self, Corpus, Metric, Names};
use crossarc::pipeline::{Steps, TextFormat};
use crossarc::text::tokenize::write::TokenNotes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::derivation::Way;
use crate::limits::Deadline;
use crate::models::Catalogue;
use crate::parsing::{self, Input, JsonSentences, Wish};
use crate::refusal::{JsonRefusal, Refusal};
use crate::treebanks::Filter;
use crate::{Shared, body, derivation};

type Answer = Result<Response, JsonRefusal>;

/// What is to be parsed: exactly one of text, tokens and conllu.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    id: Option<String>,
    text: Option<String>,
    tokens: Option<Vec<Vec<String>>>,
    conllu: Option<String>,
}

/// The body of `POST /v1/parse`, and a line of it where lines are sent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParseRequest {
    model: Option<String>,
    id: Option<String>,
    text: Option<String>,
    tokens: Option<Vec<Vec<String>>>,
    conllu: Option<String>,
    documents: Option<Vec<Document>>,
    /// Some of `tag` and `parse`; what is missing if not given.
    steps: Option<Vec<String>>,
    beam: Option<usize>,
    #[serde(default)]
    scores: bool,
    k_best: Option<usize>,
    #[serde(default)]
    keep_heads: bool,
}

impl Document {
    fn input(self) -> Result<Input, Refusal> {
        match (self.text, self.tokens, self.conllu) {
            (Some(text), None, None) => {
                let notes = TokenNotes { spaces: true, ranges: true };
                Ok(Input::Text(text, TextFormat::Text, notes))
            }
            (None, None, Some(conllu)) => Ok(Input::Treebank(conllu)),
            (None, Some(sentences), None) => treebank_of(&sentences).map(Input::Treebank),
            _ => Err(Refusal::bad("Give exactly one of text, tokens and conllu.")),
        }
    }
}

/// Tokens as CoNLL-U.
fn treebank_of(sentences: &[Vec<String>]) -> Result<String, Refusal> {
    let mut out = String::new();
    for sentence in sentences.iter().filter(|sentence| !sentence.is_empty()) {
        for (at, form) in sentence.iter().enumerate() {
            if form.trim().is_empty() || form.contains(|letter: char| letter.is_control()) {
                return Err(Refusal::bad("A token is empty or holds a control character."));
            }
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{}\t{form}\t_\t_\t_\t_\t_\t_\t_\t_", at + 1);
        }
        out.push('\n');
    }
    Ok(out)
}

fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(bytes).map_err(|error| Refusal::bad(format!("Bad JSON: {error}")))
}

/// A list of JSON Lines, or one JSON value.
fn is_lines(headers: &HeaderMap) -> bool {
    let kind = body::content_type(headers);
    matches!(kind.as_str(), "application/x-ndjson" | "application/jsonl" | "application/jsonlines")
}

fn wish_of(request: &ParseRequest) -> Result<Wish, Refusal> {
    let steps = match &request.steps {
        None => Steps::default(),
        Some(names) => {
            if names.iter().any(|name| name != "tag" && name != "parse") {
                return Err(Refusal::bad("Unknown step: expected some of tag and parse."));
            }
            let has = |step: &str| names.iter().any(|name| name == step);
            Steps { tag: Some(has("tag")), parse: has("parse") }
        }
    };
    Ok(Wish {
        steps,
        beam: request.beam,
        scores: request.scores,
        keep_heads: request.keep_heads,
        k_best: request.k_best,
    })
}

/// The answer for one document.
#[derive(Serialize)]
struct Parsed {
    id: Option<String>,
    sentences: JsonSentences,
}

/// The answer of `POST /v1/parse`.
#[derive(Serialize)]
struct ParseAnswer<'a> {
    model: &'a str,
    #[serde(flatten)]
    one: Option<Parsed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<Vec<Parsed>>,
}

fn parse_request(
    shared: &Shared,
    catalogue: &Catalogue,
    request: ParseRequest,
    deadline: Deadline,
) -> Result<Vec<u8>, Refusal> {
    let wish = wish_of(&request)?;
    let entry = catalogue.find(request.model.as_deref().unwrap_or_default())?;
    let pipeline = catalogue.pipeline(&entry)?;
    let mut left = shared.limits.clone();
    let mut one = |id: Option<String>, document: Document| -> Result<Parsed, Refusal> {
        let parsed = parsing::parse(&pipeline, document.input()?, &wish, &left, deadline)?;
        left.sentences -= parsed.sentences.len();
        shared.metrics.parsed(parsed.sentences.len(), parsed.words);
        Ok(Parsed { id, sentences: JsonSentences(parsed.sentences) })
    };
    let ParseRequest { id, text, tokens, conllu, documents, .. } = request;
    let mut answer = ParseAnswer { model: &entry.name, one: None, documents: None };
    if let Some(documents) = documents {
        if text.is_some() || tokens.is_some() || conllu.is_some() {
            return Err(Refusal::bad("Give either documents or one of text, tokens and conllu."));
        }
        let parsed = documents.into_iter().map(|mut document| one(document.id.take(), document));
        answer.documents = Some(parsed.collect::<Result<_, _>>()?);
    } else {
        answer.one = Some(one(id, Document { id: None, text, tokens, conllu })?);
    }
    // Writing to memory cannot fail.
    Ok(serde_json::to_vec(&answer).unwrap_or_default())
}

/// `POST /v1/parse`
pub async fn parse(State(shared): State<Arc<Shared>>, request: Request) -> Answer {
    if is_lines(request.headers()) {
        return Ok(crate::lines::answer(shared, request.into_body()));
    }
    let (_, bytes) = body::read(request, &shared.limits).await?;
    let answer = parse_bytes(&shared, bytes).await?;
    Ok(([(CONTENT_TYPE, "application/json")], answer).into_response())
}

/// Parses one JSON request behind the gate; the answer is JSON.
pub async fn parse_bytes(shared: &Arc<Shared>, bytes: Bytes) -> Result<Vec<u8>, Refusal> {
    let inside = Arc::clone(shared);
    let catalogue = shared.models.now();
    let work = move |deadline| parse_request(&inside, &catalogue, from_json(&bytes)?, deadline);
    shared.gate.work(&shared.metrics, work).await
}

/// Reads a JSON body and works on it behind the gate.
async fn worked<T: DeserializeOwned + Send + 'static>(
    shared: &Arc<Shared>,
    request: Request,
    work: impl FnOnce(T, &Shared, Deadline) -> Result<Response, Refusal> + Send + 'static,
) -> Answer {
    let (_, bytes) = body::read(request, &shared.limits).await?;
    let inside = Arc::clone(shared);
    let work = move |deadline| work(from_json(&bytes)?, &inside, deadline);
    Ok(shared.gate.work(&shared.metrics, work).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DrawRequest {
    conllu: String,
    #[serde(default)]
    format: DrawFormat,
    #[serde(default)]
    highlight: HighlightName,
}

#[derive(Copy, Clone, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum DrawFormat {
    #[default]
    Svg,
    Latex,
    Text,
}

#[derive(Copy, Clone, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
enum HighlightName {
    #[default]
    Crossing,
    NonProjective,
}

/// Most sentences of one picture.
const MOST_DRAWN: usize = 200;

/// `POST /v1/draw`
pub async fn draw(State(shared): State<Arc<Shared>>, request: Request) -> Answer {
    worked(&shared, request, |wanted: DrawRequest, shared, _| {
        let sentences = parsing::read_treebank(&wanted.conllu, &shared.limits)?;
        if sentences.is_empty() || sentences.len() > MOST_DRAWN {
            return Err(Refusal::bad(format!("A picture holds 1 to {MOST_DRAWN} sentences.")));
        }
        let highlight = match wanted.highlight {
            HighlightName::Crossing => Highlight::Crossing,
            HighlightName::NonProjective => Highlight::NonProjective,
        };
        let drawings: Vec<_> = sentences
            .iter()
            .enumerate()
            .map(|(at, sentence)| {
                let title = sentence.comment_value("sent_id").map(str::to_owned);
                let title = title.unwrap_or_else(|| (at + 1).to_string());
                parsing::drawing_of(sentence, &title, highlight)
            })
            .collect();
        let (kind, picture) = match wanted.format {
            DrawFormat::Svg if drawings.len() == 1 => {
                ("image/svg+xml", svg::render(&drawings[0], &Options::picture()))
            }
            DrawFormat::Svg => ("image/svg+xml", svg::document(&drawings, &Options::picture())),
            DrawFormat::Latex => {
                ("text/x-tex; charset=utf-8", drawings.iter().map(tikz::picture).collect())
            }
            DrawFormat::Text => {
                let render = |drawing| terminal::render(drawing, &Options::default());
                ("text/plain; charset=utf-8", drawings.iter().map(render).collect())
            }
        };
        Ok(([(CONTENT_TYPE, kind)], picture).into_response())
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EvalRequest {
    gold: String,
    system: String,
}

const METRICS: [Metric; 13] = [
    Metric::Tokens,
    Metric::Sentences,
    Metric::Words,
    Metric::Upos,
    Metric::Xpos,
    Metric::Ufeats,
    Metric::AllTags,
    Metric::Lemmas,
    Metric::Uas,
    Metric::Las,
    Metric::Clas,
    Metric::Mlas,
    Metric::Blex,
];

/// `POST /v1/eval`: the measures of the official scorer.
pub async fn eval(State(shared): State<Arc<Shared>>, request: Request) -> Answer {
    worked(&shared, request, |files: EvalRequest, shared, deadline| {
        let mut names = Names::default();
        let mut read = |name: &str, text: String| -> Result<Corpus, Refusal> {
            let sizes = conll::Limits {
                line_bytes: shared.limits.bytes.max(1),
                words: shared.limits.sentence_words,
                sentence_bytes: shared.limits.bytes.max(1),
                unpacked_bytes: Some(shared.limits.bytes as u64),
            };
            let options = conll::ReadOptions {
                format: Some(conll::Format::ConllU),
                need_tree: true,
                limits: sizes,
                ..conll::ReadOptions::default()
            };
            let bad = |error: String| Refusal::bad(error);
            let mut reader = conll::Reader::from_bytes(name, text, options)
                .map_err(|error| bad(error.to_string()))?;
            Corpus::read(&mut reader, &mut names, false).map_err(|error| bad(error.to_string()))
        };
        let gold = read("gold", files.gold)?;
        let system = read("system", files.system)?;
        deadline.check()?;
        let scores = official::evaluate(&gold, &system, &mut names)
            .map_err(|error| Refusal::bad(error.to_string()))?;
        let mut table = Map::new();
        for metric in METRICS {
            let score = scores.get(metric);
            let entry = json!({
                "precision": score.precision(),
                "recall": score.recall(),
                "f1": score.f1(),
                "aligned_accuracy": score.aligned_accuracy(),
            });
            table.insert(metric.name().to_owned(), entry);
        }
        Ok(Json(json!({ "scores": table })).into_response())
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DerivationRequest {
    conllu: String,
    /// A system without a model.
    system: Option<String>,
    #[serde(default)]
    oracle: String,
    /// Moves to make instead of the oracle's.
    moves: Option<Vec<String>>,
    /// A model, whose system makes the moves.
    model: Option<String>,
    /// Whether the model's system makes the moves of the oracle.
    #[serde(default)]
    by_oracle: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScoresRequest {
    conllu: String,
    #[serde(default)]
    model: String,
}

/// The only sentence of a request.
fn one_sentence(text: &str, shared: &Shared) -> Result<conll::Sentence, Refusal> {
    let mut sentences = parsing::read_treebank(text, &shared.limits)?;
    if sentences.len() != 1 {
        return Err(Refusal::bad("Send one sentence."));
    }
    Ok(sentences.remove(0))
}

/// `POST /v1/derivation`
pub async fn derive(State(shared): State<Arc<Shared>>, request: Request) -> Answer {
    worked(&shared, request, |wanted: DerivationRequest, shared, _| {
        let sentence = one_sentence(&wanted.conllu, shared)?;
        let value = match (&wanted.system, &wanted.model) {
            (Some(system), None) => {
                let way = wanted.moves.as_deref().map_or(Way::Oracle, Way::Moves);
                derivation::of_system(&sentence, system, &wanted.oracle, way)?
            }
            (None, Some(model)) => {
                let catalogue = shared.models.now();
                let pipeline = catalogue.pipeline(&*catalogue.find(model)?)?;
                derivation::of_model(&sentence, &pipeline, wanted.by_oracle)?
            }
            _ => return Err(Refusal::bad("Give either system or model.")),
        };
        Ok(Json(value).into_response())
    })
    .await
}

/// `POST /v1/scores`: the arcs among which a graph parser chooses.
pub async fn scores(State(shared): State<Arc<Shared>>, request: Request) -> Answer {
    worked(&shared, request, |wanted: ScoresRequest, shared, _| {
        let sentence = one_sentence(&wanted.conllu, shared)?;
        let catalogue = shared.models.now();
        let pipeline = catalogue.pipeline(&*catalogue.find(&wanted.model)?)?;
        Ok(Json(derivation::arc_scores(&sentence, &pipeline)?).into_response())
    })
    .await
}

/// `GET /v1/systems`
pub async fn systems() -> Json<Value> {
    Json(json!({ "systems": derivation::systems() }))
}

/// `GET /v1/models`
pub async fn models(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let catalogue = shared.models.now();
    let describe = |(at, entry): (usize, &Arc<crate::models::Entry>)| {
        json!({
            "name": entry.name,
            "steps": entry.abilities.steps(),
            "note": entry.note,
            "parser": entry.parser,
            "kind": entry.kind(),
            "ranks": entry.ranks,
            "default": at == 0,
        })
    };
    let models: Vec<Value> = catalogue.entries().iter().enumerate().map(describe).collect();
    Json(json!({ "models": models }))
}

/// `GET /v1/treebanks`
pub async fn treebanks(State(shared): State<Arc<Shared>>) -> Json<Value> {
    Json(json!({ "treebanks": shared.treebanks.list() }))
}

fn no_number() -> Refusal {
    Refusal::bad("Treebanks and sentences are counted from 0.")
}

/// `GET /v1/treebanks/{number}`
pub async fn search(
    State(shared): State<Arc<Shared>>,
    place: Result<Path<usize>, PathRejection>,
    filter: Result<Query<Filter>, QueryRejection>,
) -> Answer {
    let Path(treebank) = place.map_err(|_| no_number())?;
    let Query(filter) = filter.map_err(|error| Refusal::bad(format!("{error}.")))?;
    let inside = Arc::clone(&shared);
    let work = move |deadline| inside.treebanks.search(treebank, &filter, deadline);
    Ok(Json(shared.gate.work(&shared.metrics, work).await?).into_response())
}

/// `GET /v1/treebanks/{number}/statistics`
pub async fn statistics(
    State(shared): State<Arc<Shared>>,
    place: Result<Path<usize>, PathRejection>,
) -> Answer {
    let Path(treebank) = place.map_err(|_| no_number())?;
    let inside = Arc::clone(&shared);
    let work = move |_| inside.treebanks.statistics(treebank);
    Ok(Json(shared.gate.work(&shared.metrics, work).await?).into_response())
}

/// `GET /v1/treebanks/{number}/{sentence}`
pub async fn sentence(
    State(shared): State<Arc<Shared>>,
    place: Result<Path<(usize, usize)>, PathRejection>,
) -> Answer {
    let Path((treebank, number)) = place.map_err(|_| no_number())?;
    let found = shared.treebanks.sentence(treebank, number);
    let none = || Refusal::new(StatusCode::NOT_FOUND, "There is no such sentence.");
    let sentence = found.ok_or_else(none)?;
    Ok(Json(parsing::json_of(sentence)).into_response())
}

/// `GET /v1/openapi.json`
pub async fn openapi() -> Response {
    let text = include_str!("openapi.json");
    ([(CONTENT_TYPE, "application/json")], Body::from(text)).into_response()
}
