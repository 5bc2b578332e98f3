//! Crossarc over HTTP: `UDPipe`'s protocol, a JSON interface of our own, and a page to look at trees.
//!
//! | module | what it holds |
//! |---|---|
//! | [`limits`], [`gate`] | what requests may cost, who may work |
//! | [`models`] | models by name |
//! | [`parsing`] | the only door to the parser |
//! | [`udpipe`], [`v1`], [`lines`] | the routes |
//! | [`log`], [`metrics`] | what is said and counted about requests |
//! | [`derivation`], [`treebanks`] | what the page shows besides trees |
//!
//! Clients are served on few asynchronous threads; all parsing is on blocking threads behind a gate.
//!
//! ```
//! use std::sync::Arc;
//! use crossarc_server::{Limits, Models, Shared, Sources, Treebanks, router};
//! let limits = Limits::default();
//! let models = Models::open(Sources::default(), limits.loaded_models, &mut |warning| eprintln!("{warning}"))?;
//! let shared = Shared::new(limits, models, Treebanks::default(), false);
//! let routes = router(Arc::new(shared)); // serve these with axum, or call `serve`
//! # let _ = routes;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod body;
pub mod derivation;
pub mod gate;
pub mod limits;
pub mod lines;
pub mod log;
pub mod metrics;
pub mod models;
pub mod parsing;
pub mod refusal;
pub mod treebanks;
pub mod udpipe;
pub mod v1;

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

pub use limits::Limits;
pub use models::{Models, Sources};
pub use treebanks::Treebanks;

use gate::Gate;
use log::{Answered, LogFormat};
use metrics::Metrics;
use refusal::Refusal;

/// What all requests share.
pub struct Shared {
    /// The limits.
    pub limits: Limits,
    /// The models.
    pub models: Models,
    /// Files for the page.
    pub treebanks: Treebanks,
    /// Who may work.
    pub gate: Gate,
    /// Numbers.
    pub metrics: Metrics,
    /// Whether pages of other origins may ask.
    pub cors: bool,
    /// How requests are logged.
    pub log: LogFormat,
    /// Where lines of the log go.
    pub say: fn(&str),
    stopping: AtomicBool,
}

impl Shared {
    /// A server that is ready to listen.
    pub fn new(limits: Limits, models: Models, treebanks: Treebanks, cors: bool) -> Shared {
        let gate = Gate::new(&limits);
        let (metrics, stopping) = (Metrics::default(), AtomicBool::new(false));
        let (log, say) = (LogFormat::Off, (|_| ()) as fn(&str));
        Shared { limits, models, treebanks, gate, metrics, cors, log, say, stopping }
    }
}

/// Scripts, styles and requests of our own only.
const CONTENT_SECURITY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// All routes.
pub fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(|| file("text/html; charset=utf-8", include_str!("../page/index.html"))))
        .route(
            "/page.css",
            get(|| file("text/css; charset=utf-8", include_str!("../page/page.css"))),
        )
        .route(
            "/page.js",
            get(|| file("text/javascript; charset=utf-8", include_str!("../page/dist/page.js"))),
        )
        .route("/models", get(udpipe::models))
        .route("/process", get(udpipe::process).post(udpipe::process))
        .route("/weblicht/{task}", post(udpipe::weblicht))
        .route("/v1/parse", post(v1::parse))
        .route("/v1/draw", post(v1::draw))
        .route("/v1/eval", post(v1::eval))
        .route("/v1/derivation", post(v1::derive))
        .route("/v1/scores", post(v1::scores))
        .route("/v1/systems", get(v1::systems))
        .route("/v1/models", get(v1::models))
        .route("/v1/treebanks", get(v1::treebanks))
        .route("/v1/treebanks/{treebank}", get(v1::search))
        .route("/v1/treebanks/{treebank}/statistics", get(v1::statistics))
        .route("/v1/treebanks/{treebank}/{sentence}", get(v1::sentence))
        .route("/v1/openapi.json", get(v1::openapi))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(numbers))
        .fallback(|| async { Refusal::new(StatusCode::NOT_FOUND, "There is nothing here.") })
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), finish))
        .with_state(shared)
}

#[allow(clippy::unused_async, reason = "handlers are asynchronous")]
async fn file(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], text).into_response()
}

async fn ready(State(shared): State<Arc<Shared>>) -> Result<&'static str, Refusal> {
    if shared.stopping.load(Ordering::Relaxed) {
        return Err(Refusal::busy("The server is stopping."));
    }
    Ok("ready\n")
}

async fn numbers(State(shared): State<Arc<Shared>>) -> Response {
    let running = shared.gate.running();
    let waiting = shared.gate.inside().saturating_sub(running);
    let text = shared.metrics.text(&[
        ("crossarc_running", "Requests that are worked on.", running),
        ("crossarc_queue", "Requests that wait.", waiting),
        ("crossarc_models_loaded", "Models in memory.", shared.models.now().loaded()),
    ]);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

/// The name of a method, which may be anything that a client makes up.
fn known_method(method: &Method) -> &str {
    let known = [Method::GET, Method::POST, Method::HEAD, Method::OPTIONS, Method::PUT];
    if known.contains(method) { method.as_str() } else { "other" }
}

/// Counts the answer and adds the headers that every answer has.
async fn finish(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let matched = request.extensions().get::<MatchedPath>();
    let route = matched.map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let start = Instant::now();
    let method = request.method().clone();
    let preflight = shared.cors && request.method() == Method::OPTIONS;
    let mut response =
        if preflight { StatusCode::NO_CONTENT.into_response() } else { next.run(request).await };
    let status = response.status().as_u16();
    shared.metrics.answered(&route, status);
    let milliseconds = start.elapsed().as_millis();
    let answered = Answered { method: known_method(&method), route: &route, status, milliseconds };
    if let Some(line) = answered.line(shared.log) {
        (shared.say)(&line);
    }
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY);
    if shared.cors {
        set(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        set(header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST");
        set(header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type");
    }
    response
}

/// Serves until `stop` is done; then open requests are answered and new connections refused.
pub async fn serve(
    shared: Arc<Shared>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let service = TowerToHyperService::new(router(Arc::clone(&shared)));
    let connections = Arc::new(Semaphore::new(shared.limits.connections.clamp(1, 1 << 20)));
    let graceful = GracefulShutdown::new();
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        // A client may close its half when it has said all.
        .half_close(true)
        .header_read_timeout(Duration::from_secs(shared.limits.header_seconds.max(1)));
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = async {
            let permit = Arc::clone(&connections).acquire_owned().await;
            (listener.accept().await, permit)
        };
        let (accepted, permit) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut stop => break,
        };
        let Ok((stream, _)) = accepted else {
            // Out of file descriptors, most likely: others must be closed first.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let connection = builder.serve_connection(TokioIo::new(stream), service.clone());
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that breaks off is no error of ours.
            let _ = watched.await;
            drop(permit);
        });
    }
    shared.stopping.store(true, Ordering::Relaxed);
    drop(listener);
    let longest = shared.limits.seconds + shared.limits.body_seconds;
    let _ = tokio::time::timeout(Duration::from_secs(longest), graceful.shutdown()).await;
    Ok(())
}

/// Runs a server on threads of its own until SIGTERM or Ctrl-C; SIGHUP reads the models anew.
/// `ready` is called with the address, `log` with what happens.
pub fn run(
    shared: Shared,
    address: &str,
    ready: impl FnOnce(std::net::SocketAddr),
    log: fn(&str),
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let shared = Arc::new(shared);
        let listener = TcpListener::bind(address).await?;
        ready(listener.local_addr()?);
        #[cfg(unix)]
        tokio::spawn(reload_on_hangup(Arc::clone(&shared), log));
        serve(shared, listener, stopped(log)).await
    })
}

#[cfg(unix)]
async fn reload_on_hangup(shared: Arc<Shared>, log: fn(&str)) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut hangup) = signal(SignalKind::hangup()) else { return };
    while hangup.recv().await.is_some() {
        let inside = Arc::clone(&shared);
        let reload = move || inside.models.reload(&mut |warning| log(&warning));
        match tokio::task::spawn_blocking(reload).await {
            Ok(Ok(number)) => log(&format!("{number} models read anew")),
            Ok(Err(error)) => log(&format!("models stay as they were: {error}")),
            Err(_) => log("models stay as they were: reading them failed"),
        }
    }
}

async fn stopped(log: fn(&str)) {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            log("stopping: open requests are answered");
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
    log("stopping: open requests are answered");
}
