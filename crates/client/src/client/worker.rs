//! Sends requests to workers, which are not servers of the market: with certificates of their own, and without a key.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use std::{fmt, io};

use bourse_domain::Untrusted;
use bourse_domain::routing::{Hop, WorkerCall, WorkerOutcome, next_hop_body};
use reqwest::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, USER_AGENT};
use reqwest::{Certificate, Url};
use tokio::sync::OnceCell;
use tokio::time::Instant;
use tower_layer::Layer;
use tower_service::Service;

use super::exchange::{AGENT, unreachable};
use super::transport::{build_for_workers, is_loopback};
use crate::curl::WorkerRoot;
use crate::redact;

/// The maximum time of a worker's response, or of its silence while it streams one.
const LIMIT: Duration = Duration::from_mins(10);

/// The maximum length of a worker's address, in bytes.
const LONGEST_ADDRESS: usize = 2000;

/// The maximum size of a response, in bytes.
///
/// A generated image or video may be long; a text of that size indicates an error.
const LONGEST: u64 = 1024 * 1024 * 1024;

/// The part of a response that is searched for its number of tokens, in bytes.
const SEARCHED: usize = 4 * 1024 * 1024;

/// The number of bytes stored of the beginning of a response.
const KEPT: usize = 64 * 1024;

/// The reason a text cannot be used as a root certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WorkerRootError {
    /// The text is not PEM, or has no certificate.
    #[error("it has no certificate in PEM (-----BEGIN CERTIFICATE-----)")]
    Missing,
    /// A certificate in it cannot be read.
    #[error("a certificate in it cannot be read")]
    Unreadable,
}

/// The certificates in a PEM text; an error if it has none, or one cannot be read.
fn certificates(pem: &str) -> Result<Vec<Certificate>, WorkerRootError> {
    let roots = Certificate::from_pem_bundle(pem.as_bytes()).map_err(|_| WorkerRootError::Unreadable)?;
    if roots.is_empty() {
        return Err(WorkerRootError::Missing);
    }
    Ok(roots)
}

/// The certificates that a client for workers trusts in addition to those of this computer.
#[derive(Default)]
enum Roots {
    #[default]
    System,
    Read(Vec<Certificate>),
    Later(Box<dyn Fn() -> io::Result<String> + Send + Sync>),
}

/// Sends requests to workers. It has no key and accepts none.
///
/// Each request has a connection of its own, so that its times are those of a client that is new to the worker. It
/// trusts the certificates of this computer and, for workers only, a root certificate.
#[derive(Clone, Default)]
pub struct WorkerClient {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    roots: Roots,
    root: WorkerRoot,
    remote: OnceCell<reqwest::Client>,
    local: OnceCell<reqwest::Client>,
}

impl fmt::Debug for WorkerClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trusts = match &self.inner.roots {
            Roots::System => "the system",
            Roots::Read(_) => "a root",
            Roots::Later(_) => "a root that is made later",
        };
        write!(f, "WorkerClient(trusts {trusts})")
    }
}

/// The result of a worker's call, with the beginning of its response as text.
#[derive(Debug)]
pub struct Called {
    /// The outcome of the call, and its times in seconds.
    pub call: WorkerCall,
    /// The beginning of the response; empty if there was none.
    pub answer: Untrusted,
}

impl WorkerClient {
    /// A client that also trusts the root certificates in a PEM text, which commands read from `root`.
    ///
    /// # Errors
    /// If the text has no readable certificate.
    pub fn trusting(pem: &str, root: WorkerRoot) -> Result<Self, WorkerRootError> {
        Ok(Self::with(Roots::Read(certificates(pem)?), root))
    }

    /// A client that also trusts a root certificate in PEM, which is created when the first request needs it.
    pub fn trusting_later(pem: impl Fn() -> io::Result<String> + Send + Sync + 'static, root: WorkerRoot) -> Self {
        Self::with(Roots::Later(Box::new(pem)), root)
    }

    /// The place from which commands for workers, to run in a shell, read the root certificate.
    pub fn root(&self) -> &WorkerRoot {
        &self.inner.root
    }

    /// A client that also trusts these root certificates; commands for workers read them from `root`.
    fn with(roots: Roots, root: WorkerRoot) -> Self {
        let inner = Inner {
            roots,
            root,
            ..Inner::default()
        };
        Self { inner: Arc::new(inner) }
    }

    /// Loads the certificates in advance, which takes some milliseconds, so that no measured request has to.
    /// Errors are left to the first request.
    pub async fn prepare(&self) {
        // The first request reports the error.
        for is_local in [true, false] {
            let _ = self.client(is_local).await;
        }
    }

    /// Sends a request once to the worker of an assignment and reads its response to the end, of which the
    /// first 64 KB are returned; one that streams may be silent for ten minutes, any other takes ten minutes
    /// at most. Failures are outcomes of the call.
    ///
    /// `reply` is the whole reply of the router as JSON text; a key in it is omitted.
    pub async fn send(&self, worker: &Untrusted, reply: &Untrusted, hop: &Hop) -> Called {
        let started = Instant::now();
        let connected = Cell::new(None);
        let sending = CONNECTED.scope(connected, async {
            let mut seen = Seen::default();
            let ended = self.exchange(worker, reply, hop, &mut seen).await;
            let connect = CONNECTED.with(Cell::get);
            (seen, ended, connect)
        });
        let (seen, ended, connect) = sending.await;
        // The time to load the certificates does not count as the worker's.
        let started = seen.started.unwrap_or(started);
        let total = started.elapsed().as_secs_f64();
        let connect = connect.map(|at| at.duration_since(started).as_secs_f64());
        let first_byte = seen.first_byte.map(|at| at.duration_since(started).as_secs_f64());
        let outcome = match (ended, seen.status) {
            (Ok(()), Some(status)) => WorkerOutcome::Answered { status },
            (Ok(()), None) => failed("the worker did not answer"),
            (Err(Failure::TimedOut), _) => WorkerOutcome::TimedOut,
            (Err(Failure::Other(words)), _) => failed(&words),
        };
        Called {
            call: WorkerCall {
                outcome,
                connect,
                first_byte: connect.zip(first_byte).map(|(ready, first)| (first - ready).max(0.0)),
                total,
                bytes: seen.bytes,
                tokens: seen.tokens(),
            },
            answer: Untrusted::from(String::from_utf8_lossy(&seen.body[..seen.body.len().min(KEPT)]).into_owned()),
        }
    }

    /// Sends the request and reads the response into `seen`, also if it ends early. An error if the address
    /// is unusable, the request cannot be built, there is no response, it is too slow, is cut off, or exceeds
    /// 1 GB.
    async fn exchange(&self, worker: &Untrusted, reply: &Untrusted, hop: &Hop, seen: &mut Seen) -> Result<(), Failure> {
        let url = address(worker.unescaped(), hop).ok_or_else(|| {
            Failure::Other("the worker's address is no plain http or https address: nothing was sent".to_owned())
        })?;
        let body = next_hop_body(&redact::without_api_keys(reply.unescaped()), &hop.payload)
            .map_err(|why| Failure::Other(format!("the request cannot be built: {why}")))?;
        let http = self.client(is_loopback(&url)).await?;
        let request = http
            .post(url)
            .header(USER_AGENT, AGENT)
            .header(ACCEPT, "*/*")
            .header(CONTENT_TYPE, "application/json")
            .body(body)
            .build()
            .map_err(|_| Failure::Other("the request cannot be built".to_owned()))?;
        let started = Instant::now();
        seen.started = Some(started);
        let deadline = started + LIMIT;
        let answered = tokio::time::timeout_at(deadline, http.execute(request)).await;
        let mut response = answered?.map_err(|error| unanswered(&error))?;
        let head = Instant::now();
        let is_stream = seen.begin(response.status().as_u16(), response.headers());
        loop {
            let deadline = if is_stream { Instant::now() + LIMIT } else { deadline };
            let chunk = tokio::time::timeout_at(deadline, response.chunk()).await?;
            let chunk =
                chunk.map_err(|_| Failure::Other(format!("the response was cut off after {} bytes", seen.bytes)))?;
            let Some(chunk) = chunk else { break };
            seen.push(&chunk);
            if seen.bytes > LONGEST {
                return Err(Failure::Other("the response is longer than 1 GB".to_owned()));
            }
        }
        seen.first_byte.get_or_insert(head);
        Ok(())
    }

    /// The HTTP client for workers on this computer (`is_local`) or elsewhere, built by the first request. An
    /// error if it cannot be built, or its root certificates cannot be read; the next request then tries
    /// again.
    async fn client(&self, is_local: bool) -> Result<reqwest::Client, Failure> {
        let cell = if is_local {
            &self.inner.local
        } else {
            &self.inner.remote
        };
        let made = cell.get_or_try_init(|| async {
            let roots = match &self.inner.roots {
                Roots::System => Vec::new(),
                Roots::Read(roots) => roots.clone(),
                Roots::Later(pem) => {
                    let pem = pem().map_err(|why| Failure::Other(format!("no root certificate: {why}")))?;
                    certificates(&pem).map_err(|why| Failure::Other(format!("the root certificate: {why}")))?
                }
            };
            let built = build_for_workers(roots, is_local, Timed).await;
            built.map_err(|error| Failure::Other(error.to_string()))
        });
        made.await.cloned()
    }
}

/// The reason there is no complete response.
enum Failure {
    TimedOut,
    Other(String),
}

impl From<tokio::time::error::Elapsed> for Failure {
    fn from(_: tokio::time::error::Elapsed) -> Self {
        Self::TimedOut
    }
}

/// The outcome of a call that failed, with the reason in `words`.
fn failed(words: &str) -> WorkerOutcome {
    WorkerOutcome::Failed {
        words: Untrusted::from(words),
    }
}

/// The failure of a request for which no response head arrived: no connection, or one that was lost.
fn unanswered(error: &reqwest::Error) -> Failure {
    if error.is_connect() {
        return Failure::Other(format!(
            "can't connect to the worker: {}",
            unreachable(error).of_worker()
        ));
    }
    Failure::Other("the connection was lost before the worker answered".to_owned())
}

/// The worker's address followed by the path of `hop`. `None` if the result is longer than 2,000 bytes or has
/// blanks, control or non-ASCII characters, or if the worker's address is not http or https, or has a user, a
/// query or a fragment.
pub(crate) fn address(worker: &str, hop: &Hop) -> Option<Url> {
    let text = format!("{}{}", worker.trim_end_matches('/'), hop.absolute_path());
    let is_plain = text.len() <= LONGEST_ADDRESS && text.bytes().all(|byte| byte.is_ascii_graphic());
    let base = Url::parse(worker).ok()?;
    let url = Url::parse(&text).ok().filter(|_| is_plain)?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.host_str().is_some();
    let has_user = !url.username().is_empty() || url.password().is_some();
    // The path must not become part of the host.
    let is_base = base.origin() == url.origin() && base.query().is_none() && base.fragment().is_none();
    (is_web && !has_user && is_base).then_some(url)
}

/// The received part of a response.
#[derive(Default)]
struct Seen {
    started: Option<Instant>,
    status: Option<u16>,
    first_byte: Option<Instant>,
    bytes: u64,
    is_lines: bool,
    body: Vec<u8>,
    /// The incomplete last line of a stream.
    line: Vec<u8>,
    line_tokens: Option<u64>,
}

impl Seen {
    /// Stores the status of the head; returns whether the body is a stream, which has no limit for its whole
    /// time: by its type, an event stream or lines of JSON, or because its length is not announced.
    fn begin(&mut self, status: u16, headers: &HeaderMap) -> bool {
        self.status = Some(status);
        let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        self.is_lines = ["text/event-stream", "ndjson", "jsonl", "json-seq"]
            .iter()
            .any(|stream| kind.unwrap_or_default().contains(stream));
        self.is_lines || !headers.contains_key(CONTENT_LENGTH)
    }

    /// Counts received bytes and appends them to the stored body, up to 64 KB of a stream of lines and 4 MB
    /// of any other; the first ones set the time of the first byte. Lines of a stream are searched for token
    /// counts.
    fn push(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.first_byte.get_or_insert_with(Instant::now);
        }
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        let most = if self.is_lines { KEPT } else { SEARCHED };
        let room = most.saturating_sub(self.body.len()).min(bytes.len());
        self.body.extend_from_slice(&bytes[..room]);
        if self.is_lines {
            self.push_lines(bytes);
        }
    }

    /// Reads the complete lines of a stream; the number of tokens in the last line that has one is the total.
    fn push_lines(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(end);
            self.extend_line(line);
            self.end_line();
            rest = &after[1..];
        }
        self.extend_line(rest);
    }

    /// Appends to the incomplete line of a stream, up to 4 MB of it.
    fn extend_line(&mut self, bytes: &[u8]) {
        // A line that is too long is truncated, and then is not JSON.
        let room = SEARCHED.saturating_sub(self.line.len()).min(bytes.len());
        self.line.extend_from_slice(&bytes[..room]);
    }

    /// Ends the line of a stream: its number of tokens, if it has one, replaces that of earlier lines.
    fn end_line(&mut self) {
        let line = self.line.strip_prefix(b"data:").unwrap_or(&self.line);
        if let Some(tokens) = tokens(line) {
            self.line_tokens = Some(tokens);
        }
        self.line.clear();
    }

    /// The number of generated tokens in the whole response, or in the last line of a stream that has one;
    /// `None` if there is none.
    fn tokens(&self) -> Option<u64> {
        if self.is_lines {
            return tokens(self.line.strip_prefix(b"data:").unwrap_or(&self.line)).or(self.line_tokens);
        }
        tokens(&self.body)
    }
}

/// The number of generated tokens in one JSON text, under the names that common model servers use: the first
/// found at its top or in `usage`, `details`, `meta_info`, `response` or `response.usage`, in this order.
/// `None` if it has none or is not valid JSON.
fn tokens(json: &[u8]) -> Option<u64> {
    let names = ["completion_tokens", "output_tokens", "eval_count", "generated_tokens"];
    let is_named = |name: &str| json.windows(name.len()).any(|part| part == name.as_bytes());
    // Most lines of a stream have none, and need not be parsed.
    if !names.into_iter().any(is_named) {
        return None;
    }
    let whole: serde_json::Value = serde_json::from_slice(json).ok()?;
    let places = ["usage", "details", "meta_info", "response"].map(|place| whole.get(place));
    let nested = whole.get("response").and_then(|response| response.get("usage"));
    let places = std::iter::once(Some(&whole)).chain(places).chain([nested]).flatten();
    places.into_iter().find_map(|place| {
        let count = |name: &str| place.get(name).and_then(serde_json::Value::as_u64);
        names.iter().find_map(|name| count(name))
    })
}

tokio::task_local! {
    /// The time when the connection of a call was ready.
    static CONNECTED: Cell<Option<Instant>>;
}

/// A layer that records when a connection is ready, including TLS.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timed;

/// A connector that records when a connection is ready.
#[derive(Debug, Clone)]
pub(super) struct TimedConnector<S>(S);

impl<S> Layer<S> for Timed {
    type Service = TimedConnector<S>;

    fn layer(&self, connector: S) -> Self::Service {
        TimedConnector(connector)
    }
}

impl<S, R> Service<R> for TimedConnector<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let connecting = self.0.call(request);
        Box::pin(async move {
            let connection = connecting.await?;
            // Without idle connections, a call connects in its own task.
            let _ = CONNECTED.try_with(|connected| connected.set(Some(Instant::now())));
            Ok(connection)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hop(path: &str) -> Hop {
        Hop {
            path: path.to_owned(),
            payload: "{}".to_owned(),
            retries: 0,
        }
    }

    #[test]
    fn a_worker_is_called_at_a_plain_web_address_only() {
        let at = |worker: &str, path: &str| address(worker, &hop(path)).map(String::from);
        assert_eq!(
            at("https://10.0.0.1:8000", "/v1/x"),
            Some("https://10.0.0.1:8000/v1/x".to_owned())
        );
        assert_eq!(
            at("https://h.example/", "v1/x?a=1"),
            Some("https://h.example/v1/x?a=1".to_owned())
        );
        for worker in [
            "file:///etc/passwd",
            "https://user:pw@h.example",
            "https://h.example?x=1",
            "https://h.example#x",
            "h.example",
            "https://h.example/\u{202e}",
            "",
        ] {
            assert_eq!(at(worker, "/"), None, "{worker}");
        }
        assert_eq!(
            at("https://h.example", "@evil.example/"),
            Some("https://h.example/@evil.example/".to_owned())
        );
    }

    #[test]
    fn tokens_are_read_in_the_spellings_of_model_servers() {
        for (json, count) in [
            (r#"{"usage":{"prompt_tokens":3,"completion_tokens":25}}"#, Some(25)),
            (r#"{"usage":{"input_tokens":3,"output_tokens":7}}"#, Some(7)),
            (r#"{"done":true,"eval_count":12}"#, Some(12)),
            (r#"{"details":{"generated_tokens":9}}"#, Some(9)),
            (r#"{"text":"completion_tokens"}"#, None),
            (r#"{"usage":null,"completion_tokens""#, None),
        ] {
            assert_eq!(tokens(json.as_bytes()), count, "{json}");
        }
    }

    #[test]
    fn a_stream_counts_the_tokens_of_its_last_usage() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, "text/event-stream".parse().unwrap());
        let mut seen = Seen::default();
        assert!(seen.begin(200, &headers));
        for piece in [
            "data: {\"usage\":{\"completion",
            "_tokens\":4}}\n\nda",
            "ta: {\"usage\":{\"completion_tokens\":5}}\n\ndata: [DONE]\n\n",
        ] {
            seen.push(piece.as_bytes());
        }
        assert_eq!(seen.tokens(), Some(5));
    }
}
