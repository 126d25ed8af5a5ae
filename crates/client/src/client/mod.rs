//! The HTTP client: the only module that uses reqwest.
//!
//! It follows no redirect, retries nothing by itself, sends the key to the two configured addresses only, and bounds
//! every response by its request. Workers have a client of their own, without a key.

mod exchange;
mod origin;
mod progress;
mod transport;
mod worker;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::tz::TimeZone;
use tokio::time::Instant;

use super::error::ApiError;
use super::ledger::{self, LedgerEntry};
use super::redact::KnownSecrets;
use super::wire::{self, Answer, Content, Target, WireRequest};
use super::{Reply, Request, Secret, curl};

use bourse_domain::secrets::Known;
use bourse_domain::time::UnixTime;
use bourse_domain::{Dialect, Untrusted};
use exchange::{Body, Bound, Exchange, Head, Raw};
use transport::Transports;

pub use origin::{Origin, OriginError};
pub use progress::Received;
pub use worker::{Called, WorkerClient, WorkerRootError};

/// Responses above this size in bytes are decoded on a separate thread.
const LARGE: usize = 1_000_000;

/// The configuration of a client.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// The base address of the management API.
    pub management: Origin,
    /// The base address of the routing endpoint.
    pub route: Origin,
    /// The dialect in which requests are written.
    pub dialect: &'static Dialect,
    /// The key; `None` sends no Authorization header.
    pub key: Option<Secret>,
    /// Whether the routing endpoint receives a key: this one, or a workergroup's.
    pub sends_route_key: bool,
}

/// The result of one attempt.
#[derive(Debug)]
pub struct Outcome {
    /// The reply or the error.
    pub result: Result<Reply, ApiError>,
    /// The request and response, for the ledger.
    pub record: LedgerEntry,
}

/// A client of one market. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Client {
    inner: Arc<Inner>,
    secrets: KnownSecrets,
}

#[derive(Debug)]
struct Inner {
    config: ClientConfig,
    transports: Mutex<Arc<Transports>>,
}

impl Client {
    /// Creates a client without connecting; an error if a key cannot be sent in a header, or would be sent in
    /// clear text.
    ///
    /// Certificates are loaded by the first call that needs them, not here.
    pub fn new(config: ClientConfig) -> Result<Self, ApiError> {
        let secrets = KnownSecrets::default();
        if let Some(key) = &config.key {
            check_key(key)?;
            check_key_address(&config.management)?;
            if config.sends_route_key {
                check_key_address(&config.route)?;
            }
            secrets.add(key);
        }
        Ok(Self {
            inner: Arc::new(Inner {
                config,
                transports: Mutex::default(),
            }),
            secrets,
        })
    }

    /// Shares the known secrets of other clients: those are removed from texts of this client as well, and its own from
    /// theirs.
    #[must_use]
    pub fn sharing(self, secrets: KnownSecrets) -> Self {
        if let Some(key) = &self.inner.config.key {
            secrets.add(key);
        }
        Self { secrets, ..self }
    }

    /// The keys of accounts and workergroups that must not leave the program.
    pub const fn secrets(&self) -> &KnownSecrets {
        &self.secrets
    }

    /// The configuration of the client.
    pub fn config(&self) -> &ClientConfig {
        &self.inner.config
    }

    /// The request as one runnable shell command, with known secrets replaced by `<removed>`. Nothing is
    /// sent.
    ///
    /// The command reads the key from the environment in which it runs, so it does not matter whether this
    /// client has one.
    pub fn curl(&self, request: &Request) -> String {
        let wire = wire::encode(request, self.inner.config.dialect);
        let command = curl::command(&wire, &self.origin(&wire).address(wire.path));
        self.secrets.remove(&command).into_owned()
    }

    /// Sends a request once, without waiting or retries, and reads the response. Dropping the future cancels
    /// the call.
    pub async fn call(&self, request: &Request) -> Outcome {
        self.call_with_progress(request, |_| {}).await
    }

    /// Sends a request once and reads the response. `on_part` is called with the progress of a response of
    /// records, now and then, and for errors not at all.
    pub async fn call_with_progress(&self, request: &Request, on_part: impl FnMut(Received)) -> Outcome {
        let wire = wire::encode(request, self.inner.config.dialect);
        let mut record = self.record(request, &wire);
        let started = Instant::now();
        let result = self.attempt(request, &wire, &mut record, on_part).await;
        record.took = started.elapsed();
        let result = result.map_err(|error| self.localize(error, &wire));
        record.error = result.as_ref().err().map(ToString::to_string);
        self.log(&record);
        Outcome { result, record }
    }

    /// Writes an attempt to the debug log, with known keys removed from its error.
    fn log(&self, record: &LedgerEntry) {
        let error = record.error.as_deref().map(|error| self.secrets.remove(error));
        tracing::debug!(
            operation = record.operation.label(),
            method = record.method.name(),
            url = record.url.as_str(),
            status = record.status,
            took_ms = record.took.as_secs_f64() * 1000.0,
            sent = record.bytes_sent,
            received = record.bytes_received,
            error = error.as_deref(),
            "attempt"
        );
    }

    /// An error for display: with times in the computer's time zone and, if no key was sent, with a missing
    /// key in place of a rejected one or a lacking permission.
    fn localize(&self, error: ApiError, wire: &WireRequest) -> ApiError {
        let error = if self.key(wire).is_some() {
            error
        } else {
            error.without_key()
        };
        error.in_zone(&TimeZone::system())
    }

    /// Sends a request once and decodes the response, and stores its status, its size and an excerpt of it in
    /// `record`. An error before anything is sent if the request has a key of its own that cannot be sent in
    /// a header, or would be sent in clear text. Keys in a list of workergroups become known secrets.
    async fn attempt(
        &self,
        request: &Request,
        wire: &WireRequest,
        record: &mut LedgerEntry,
        on_part: impl FnMut(Received),
    ) -> Result<Reply, ApiError> {
        if wire.key.is_some()
            && let Some(key) = self.key(wire)
        {
            check_key(key)?;
            check_key_address(self.origin(wire))?;
        }
        let raw = self.exchange(request, wire, record, on_part).await?;
        record.bytes_received = raw.bytes;
        let (result, kept) = decode(request.clone(), raw, self.known(wire)).await;
        if let Some((text, is_cut)) = kept {
            record.response = Some(Untrusted::from(text));
            record.response_cut = is_cut;
        }
        if let (Request::ListWorkergroups, Ok(Reply::Records(listing))) = (request, &result) {
            self.secrets.note(listing);
        }
        result
    }

    /// Sends the request and reads the response within the operation's deadline. Sets the status and the
    /// sandbox fault of `record`, also if reading fails.
    async fn exchange(
        &self,
        request: &Request,
        wire: &WireRequest,
        record: &mut LedgerEntry,
        on_part: impl FnMut(Received),
    ) -> Result<Raw, ApiError> {
        let origin = self.origin(wire);
        let transports = Arc::clone(&self.transports());
        let http = transports.client_for(origin).await?;
        let deadline = request.operation().deadline();
        let mut head = Head::default();
        let exchanging = Exchange {
            http: &http,
            origin,
            wire,
            key: self.key(wire),
            bound: Bound::for_request(request),
        };
        let reader = wire::reader(request, self.known(wire), current_time());
        let transfer = self.inner.config.dialect.transfer;
        let body = Body::new(reader.map(|reader| reader.in_units(transfer)));
        let exchanged = exchange::exchange(exchanging, body, &mut head, on_part);
        let result = tokio::time::timeout(deadline, exchanged)
            .await
            .unwrap_or(Err(ApiError::TimedOut { after: deadline }));
        record.status = head.status;
        record.sandbox_fault = head.sandbox_fault.map(Untrusted::from);
        result
    }

    /// The ledger entry of a request without a response, at the current time.
    pub(super) fn blank(&self, request: &Request) -> LedgerEntry {
        self.record(request, &wire::encode(request, self.inner.config.dialect))
    }

    /// The ledger entry of a request in wire form without a response; known secrets are removed from its
    /// body.
    fn record(&self, request: &Request, wire: &WireRequest) -> LedgerEntry {
        let body = wire.body_text();
        LedgerEntry {
            at: current_time(),
            operation: request.operation(),
            method: wire.method,
            url: self.origin(wire).address(wire.path),
            with_key: self.key(wire).is_some(),
            bytes_sent: body.as_ref().map_or(0, String::len),
            request: body.map(|body| ledger::clean(&body, &self.known(wire))),
            status: None,
            took: Duration::ZERO,
            bytes_received: 0,
            attempt: 1,
            waited: Duration::ZERO,
            response: None,
            response_cut: false,
            error: None,
            sandbox_fault: None,
        }
    }

    /// Stops reusing the currently open connections; calls under way are not interrupted.
    pub fn drop_connections(&self) {
        *self.transports() = Arc::default();
    }

    /// Locks the HTTP clients, which can be replaced to drop their connections.
    fn transports(&self) -> MutexGuard<'_, Arc<Transports>> {
        // It is consistent after every statement, so a poisoned lock is harmless.
        let transports = &self.inner.transports;
        transports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The base address for a request: of the management API, or of the routing endpoint.
    fn origin(&self, wire: &WireRequest) -> &Origin {
        match wire.target {
            Target::Management => &self.inner.config.management,
            Target::Route => &self.inner.config.route,
        }
    }

    /// The key to send with a request: its own, else the profile's; `None` if there is none, or the routing
    /// endpoint receives none.
    fn key<'a>(&'a self, wire: &'a WireRequest) -> Option<&'a Secret> {
        let config = &self.inner.config;
        match wire.target {
            Target::Route if !config.sends_route_key => None,
            Target::Route | Target::Management => wire.key.as_ref().or(config.key.as_ref()),
        }
    }

    /// The secrets that a response to this request might echo: all known ones, and the key of the request,
    /// which becomes one.
    fn known(&self, wire: &WireRequest) -> Arc<Known> {
        if let Some(key) = &wire.key {
            self.secrets.add_group(key);
        }
        self.secrets.known()
    }
}

/// The beginning of a body for the ledger, and whether it is cut.
type Excerpt = (String, bool);

/// Decodes a response, one above 1 MB on another thread, and returns an excerpt for the ledger. Known secrets
/// are removed first. If that thread fails, the result is an error, and there is no excerpt.
async fn decode(request: Request, raw: Raw, known: Arc<Known>) -> (Result<Reply, ApiError>, Option<Excerpt>) {
    let now = current_time();
    let (status, size) = (raw.status, raw.bytes);
    let read = move || {
        let content = match raw.body {
            Body::Bytes(body) => Content::Text(wire::clean_text(body, &known)),
            Body::Records(reader) => Content::Records(Box::new(reader.finish())),
        };
        let location = raw.location.as_deref().map(|text| known.remove(text));
        let answer = Answer {
            status: raw.status,
            location: location.as_deref(),
            retry_after: raw.retry_after.as_deref(),
            rate_limit_reset: raw.rate_limit_reset.as_deref(),
            body: &[],
        };
        let excerpt = ledger::excerpt(&content);
        (wire::decode_content(&request, answer, content, now), Some(excerpt))
    };
    if size <= LARGE {
        return read();
    }
    tokio::task::spawn_blocking(read).await.unwrap_or_else(|_| {
        let why = "bourse failed to decode it".to_owned();
        (Err(ApiError::Unreadable { status, why }), None)
    })
}

/// Checks that a key is not empty and can be sent in a header: printable ASCII without blanks; else an error.
fn check_key(key: &Secret) -> Result<(), ApiError> {
    let sound = !key.expose().is_empty() && key.expose().bytes().all(|byte| byte.is_ascii_graphic());
    sound.then_some(()).ok_or_else(|| {
        ApiError::Misconfigured("the API key is empty or contains spaces, control or non-ASCII characters".to_owned())
    })
}

/// Checks that a key may be sent to an address: over https, or to this computer; else an error that names it.
fn check_key_address(origin: &Origin) -> Result<(), ApiError> {
    origin
        .judge_for_key()
        .map_err(|error| ApiError::Misconfigured(format!("{origin}: {error}")))
}

/// The current time, read from the computer's clock; 1970 if the clock is before that.
pub fn current_time() -> UnixTime {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or_else(|_| UnixTime::default(), |since| UnixTime::new(since.as_secs_f64()))
}
