//! The HTTPS server of a worker, with the checks and statuses of the market's own.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use axum::body::{Body, Bytes, to_bytes};
use axum::http::header::{ALLOW, AUTHORIZATION, CONTENT_TYPE, DATE};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, Response, StatusCode};
use axum::serve::Listener as _;
use futures_util::future::{Either, select};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use super::super::call::Call;
use super::super::connection::{Connection, ConnectionHandle, Front};
use super::super::faults::Stage;
use super::super::script::{Script, Step};
use super::super::server::{FROZEN_DATE, MAX_BODY, spoil};
use super::super::state::State;
use super::model::ModelRequest;
use super::queue::Queue;
use super::request::WorkerRequest;
use super::work::Work;

/// The paths that the market's workers serve in addition to those of the model. The sandbox has no sessions.
const OWN_PATHS: [&str; 2] = ["/session/", "/pyworker/"];

/// The server of one worker.
pub struct Server {
    pub state: Weak<State>,
    /// The address of the machine, by which the fleet knows the worker.
    pub machine: String,
    /// The worker's own address, as the router assigns it.
    pub url: String,
    pub tls: TlsAcceptor,
    pub queue: Arc<Queue>,
    /// Whether it accepts connections.
    pub is_open: Arc<AtomicBool>,
}

/// Serves the connections of a simulated worker until the sandbox stops, or until one arrives while the
/// worker is not ready, and then finishes the requests in flight.
pub async fn serve(server: Arc<Server>, mut front: Front, mut stop: watch::Receiver<bool>) {
    let mut connections = JoinSet::new();
    let stopped = stop.clone();
    while let Either::Left(((connection, handle), _)) = select(pin!(front.accept()), pin!(stop.changed())).await {
        while connections.try_join_next().is_some() {}
        if server.ready().is_none() {
            break;
        }
        connections.spawn(converse(Arc::clone(&server), connection, handle, stopped.clone()));
    }
    server.is_open.store(false, Ordering::Release);
    drop(front);
    while connections.join_next().await.is_some() {}
}

/// Answers the requests of a connection until it ends, or until the sandbox stops and the current one is
/// answered.
///
/// Errors are the caller's: it left, or does not trust the certificate.
async fn converse(server: Arc<Server>, connection: Connection, handle: ConnectionHandle, stop: watch::Receiver<bool>) {
    let Ok(stream) = server.tls.accept(connection).await else {
        return;
    };
    let mut stop = stop;
    let service = service_fn(|request| respond(&server, &handle, request));
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .serve_connection(TokioIo::new(stream), service)
    );
    if let Either::Right(_) = select(connection.as_mut(), pin!(stop.changed())).await {
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}

/// Answers a request to a simulated worker; resets the connection if it is not ready, or the sandbox has
/// stopped.
async fn respond(
    server: &Server,
    handle: &ConnectionHandle,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let Some(worker) = server.ready() else {
        // A worker that has stopped answers nobody.
        handle.play(Script::from([Step::Reset]));
        return Ok(empty(StatusCode::OK));
    };
    let (parts, body) = request.into_parts();
    let mut response = match to_bytes(Body::new(body), MAX_BODY).await {
        Ok(body) => worker.answer(handle, &parts, body).await,
        Err(_) => empty(StatusCode::PAYLOAD_TOO_LARGE),
    };
    if worker.state.frozen {
        response.headers_mut().insert(DATE, FROZEN_DATE);
    }
    Ok(response)
}

/// A worker that is ready, for one request.
struct ReadyWorker<'s> {
    server: &'s Server,
    state: Arc<State>,
    /// The load that it does per second.
    speed: f64,
}

impl ReadyWorker<'_> {
    /// Records a request to a simulated worker and answers it, or plays the fault drawn for it.
    async fn answer(&self, handle: &ConnectionHandle, parts: &Parts, body: Bytes) -> Response<Body> {
        let state = &self.state;
        let credential = state.credential(parts.headers.get(AUTHORIZATION).map(HeaderValue::as_bytes));
        state.ledger.record_worker(&self.server.url, parts, &body, credential);
        let Some(injection) = state.faults.next(Call::Worker) else {
            return self.perform(parts, &body).await;
        };
        let reply = match injection.fault.stage {
            Stage::BeforeCommit => empty(StatusCode::OK),
            Stage::Delayed => {
                tokio::time::sleep(state.faults.times().slow).await;
                self.perform(parts, &body).await
            }
            Stage::AfterCommit | Stage::Repeated => self.perform(parts, &body).await,
        };
        spoil(state, &injection, parts, reply, handle).await
    }

    /// Checks a request to a simulated worker in the order of the market's own, refusing it with their status,
    /// and lets the model answer it in its turn.
    async fn perform(&self, parts: &Parts, body: &[u8]) -> Response<Body> {
        let Self { server, state, .. } = self;
        let path = parts.uri.path();
        if OWN_PATHS.iter().any(|own| path.starts_with(own)) {
            return text(StatusCode::NOT_FOUND, "404: Not Found");
        }
        if parts.method != Method::POST {
            let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "405: Method Not Allowed");
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
            return response;
        }
        let request = match WorkerRequest::read(body) {
            Ok(request) => request,
            Err(errors) => return json(StatusCode::UNPROCESSABLE_ENTITY, errors.to_string()),
        };
        if request.has_session {
            return json(StatusCode::GONE, r#"{"error": "invalid session"}"#);
        }
        if !state.signer.verifies(&request.url, &request.signature) {
            return empty(StatusCode::UNAUTHORIZED);
        }
        let load = request.load();
        let Some(mut place) = server.queue.enqueue(load, self.speed) else {
            return empty(StatusCode::TOO_MANY_REQUESTS);
        };
        place.attach_work(Work::start(&server.state, &server.machine, &request));
        place.turn().await;
        match ModelRequest::read(path, &request.payload, load, request.number, state.seconds()) {
            Ok(job) => job.answer(place, state.work_time(self.speed)).await,
            Err(response) => response,
        }
    }
}

impl Server {
    /// The worker with its speed; `None` if it is not ready, or the sandbox has stopped.
    fn ready(&self) -> Option<ReadyWorker<'_>> {
        let state = self.state.upgrade()?;
        let speed = state.speed_of(&self.machine)?;
        Some(ReadyWorker {
            server: self,
            state,
            speed,
        })
    }
}

/// A response with this status and no body.
fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// A JSON response with this status.
fn json(status: StatusCode, body: impl Into<Body>) -> Response<Body> {
    typed(status, "application/json; charset=utf-8", body)
}

/// A plain text response with this status.
fn text(status: StatusCode, body: &'static str) -> Response<Body> {
    typed(status, "text/plain; charset=utf-8", body)
}

/// A response with this status, content type and body.
fn typed(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut response = empty(status);
    *response.body_mut() = body.into();
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
