//! The HTTP server: one entry for every request, one exit for every response.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, Request, State as Shared};
use axum::http::header::{AUTHORIZATION, DATE, HOST};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Response};
use futures_util::stream;
use serde_json::{Map, Value as Json, json};

use super::USER;
use super::answer::{self, Refusal};
use super::call::{Call, Target};
use super::connection::ConnectionHandle;
use super::faults::{FaultContext, FaultOutput, Injection, Stage};
use super::fleet::PUBLIC_KEY;
use super::ledger::Credential;
use super::state::State;

// The maximum size of a request body: searches are a few hundred bytes.
pub(super) const MAX_BODY: usize = 1 << 20;

/// The maximum size of a request body from callers without the account's key.
const MAX_FOREIGN_BODY: usize = 64 * 1024;

/// The `Date` of a frozen sandbox: the time of its market.
pub(super) const FROZEN_DATE: HeaderValue = HeaderValue::from_static("Thu, 01 Jan 2026 00:00:00 GMT");

/// The router that handles all requests to the marketplace.
pub fn service(state: Arc<State>) -> Router {
    Router::new().fallback(handle).with_state(state)
}

/// Answers a request to the simulated marketplace after the simulated latency, refusals as error responses.
async fn handle(
    Shared(state): Shared<Arc<State>>,
    ConnectInfo(handle): ConnectInfo<ConnectionHandle>,
    request: Request,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let frozen = state.frozen;
    let call = Target::from_request(&parts.method, parts.uri.path())
        .ok()
        .and_then(Target::call);
    let delay = state.delays.next(call);
    let mut response = answer(state, &parts, body, &handle)
        .await
        .unwrap_or_else(|refusal| refusal.response());
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
    if frozen {
        response.headers_mut().insert(DATE, FROZEN_DATE);
    }
    response
}

/// Checks, records and performs a request to the simulated marketplace, with the fault drawn for it.
async fn answer(
    state: Arc<State>,
    parts: &Parts,
    body: Body,
    handle: &ConnectionHandle,
) -> Result<Response<Body>, Refusal> {
    let header = parts.headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
    let credential = state.credential(header);
    let target = match admit(&state, parts, credential) {
        Ok(target) => target,
        Err(refusal) => {
            // The body is read to its end, or the caller might never see the response; none of it is stored.
            read(body, MAX_FOREIGN_BODY).await?;
            state.ledger.record(parts, &Bytes::new(), credential);
            return Err(refusal);
        }
    };
    let drawn = target.call().and_then(|call| state.faults.next(call));
    let injection = target.call().zip(drawn.as_ref());
    let limit = match credential {
        Credential::Account => MAX_BODY,
        Credential::None | Credential::Other => MAX_FOREIGN_BODY,
    };
    let body = read(body, limit).await?;
    state.ledger.record(parts, &body, credential);
    match injection {
        None => perform(state, target, parts, body).await,
        Some((call, injection)) => inject(state, (target, call, injection), parts, body, handle).await,
    }
}

/// Checks host, path, key and rate limit, in this order; returns the target, or the refusal of the first
/// check that fails. The key is the account's; routing takes any here, and open targets need none.
fn admit(state: &State, parts: &Parts, credential: Credential) -> Result<Target, Refusal> {
    if state.loopback_only && !names_loopback(parts) {
        return Err(Refusal::host());
    }
    let target = Target::from_request(&parts.method, parts.uri.path())?;
    // Route requests may carry other keys, so routing checks the key itself. Without a key, a caller
    // learns nothing about bodies.
    let may_ask = match target {
        Target::Call(Call::Route) => credential != Credential::None,
        _ if target.is_open() => true,
        _ => credential == Credential::Account,
    };
    if !may_ask {
        return Err(Refusal::key(credential == Credential::None));
    }
    if let Some(call) = target.call() {
        state.pace(call)?;
    }
    Ok(target)
}

/// Reads a body of at most `limit` bytes; a longer one is refused.
async fn read(body: Body, limit: usize) -> Result<Bytes, Refusal> {
    to_bytes(body, limit).await.map_err(|_| Refusal::too_large())
}

/// Performs a call as far as its fault allows, and makes the faulty response: not at all, after a delay,
/// once, or for a repeated creation of a workergroup twice more as if by another client.
async fn inject(
    state: Arc<State>,
    (target, call, injection): (Target, Call, &Injection),
    parts: &Parts,
    body: Bytes,
    handle: &ConnectionHandle,
) -> Result<Response<Body>, Refusal> {
    let times = match injection.fault.stage {
        Stage::BeforeCommit => 0,
        Stage::Delayed => {
            tokio::time::sleep(state.faults.times().slow).await;
            1
        }
        Stage::AfterCommit => 1,
        Stage::Repeated => 3,
    };
    let mut reply = answer::ok("");
    for turn in 0..times {
        let done = match (turn, call) {
            (0, _) => perform(Arc::clone(&state), target, parts, body.clone()).await,
            (_, Call::Create) => {
                let (state, body) = (Arc::clone(&state), object(&body)?);
                change(move || state.create_workergroup(&body, true)).await
            }
            _ => break,
        };
        if turn == 0 {
            reply = done.unwrap_or_else(|refusal| refusal.response());
        }
    }
    Ok(spoil(&state, injection, parts, reply, handle).await)
}

/// Makes the faulty response of a call. `reply` is its normal response, which is read to its end.
pub(super) async fn spoil(
    state: &State,
    injection: &Injection,
    parts: &Parts,
    reply: Response<Body>,
    handle: &ConnectionHandle,
) -> Response<Body> {
    let created = state.created().clone();
    let (head, body) = reply.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let output = injection.output(FaultContext {
        request: parts,
        times: state.faults.times(),
        reply: Response::from_parts(head, body),
        created: &created,
        rng: injection.rng.clone(),
    });
    match output {
        FaultOutput::Response(response) => response.map(Body::from),
        FaultOutput::Cut(response) => response.map(|body| cut(&body)),
        FaultOutput::Script(script) => {
            handle.play(script);
            answer::ok("")
        }
    }
}

/// The first half of a body, after which the connection breaks.
fn cut(body: &Bytes) -> Body {
    let half = body.slice(..body.len() / 2);
    Body::from_stream(stream::unfold(Some(half), |half| async {
        if half.is_some() {
            return half.map(|half| (Ok(half), None));
        }
        // Lets the server send the half first: an error discards unsent data.
        tokio::task::yield_now().await;
        Some((Err(io::Error::from(io::ErrorKind::BrokenPipe)), None))
    }))
}

/// Performs a request to the simulated marketplace without a fault and returns its normal response.
async fn perform(state: Arc<State>, target: Target, parts: &Parts, body: Bytes) -> Result<Response<Body>, Refusal> {
    match target {
        Target::Call(Call::Offers) => search(state, body, State::search_offers).await,
        Target::OffersInQuery => {
            let body = query_object(parts)?;
            run_blocking(move || state.search_offers(body)).await.map(answer::ok)
        }
        Target::Call(Call::Volumes) => search(state, body, State::search_volumes).await,
        Target::LocalVolumes => search(state, body, State::search_local_volumes).await,
        Target::Call(Call::Unlist) => state.unlist(&object(&body)?).map(json_answer),
        Target::Call(Call::Groups) => Ok(answer::ok(state.workergroups())),
        Target::Call(Call::Create) => {
            let body = object(&body)?;
            change(move || state.create_workergroup(&body, false)).await
        }
        Target::Call(Call::Route) => {
            let header = parts.headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
            state.route(&object(&body)?, header).map(json_answer)
        }
        // No path of the marketplace is that of a worker.
        Target::Call(Call::Worker) => Err(Refusal::path()),
        Target::UpdateGroup(id) => {
            let body = object(&body)?;
            change(move || state.update_workergroup(id, &body)).await
        }
        Target::DeleteGroup(id) => change(move || state.delete_workergroup(id)).await,
        Target::Endpoints => Ok(answer::value(&state.endpoints())),
        Target::CreateEndpoint => state.create_endpoint(&object(&body)?).map(json_answer),
        Target::User => Ok(answer::value(&user())),
        Target::GpuNames => Ok(answer::value(&state.gpu_names())),
        Target::PublicKey => Ok(answer::ok(PUBLIC_KEY)),
        Target::WorkerCa => {
            let read = state.workers.root();
            let root = read.map_err(|error| Refusal::failure(error.to_string()))?;
            Ok(answer::certificate(root))
        }
    }
}

/// Runs a search off the event loop, as it takes a while in a large market.
async fn search(
    state: Arc<State>,
    body: Bytes,
    work: fn(&State, Map<String, Json>) -> Result<Bytes, Refusal>,
) -> Result<Response<Body>, Refusal> {
    let members = object(&body)?;
    let answer = run_blocking(move || work(&state, members)).await?;
    Ok(answer::ok(answer))
}

/// Runs a change of a workergroup off the event loop, as it may write a file; returns its JSON as a response.
async fn change(work: impl FnOnce() -> Result<Json, Refusal> + Send + 'static) -> Result<Response<Body>, Refusal> {
    run_blocking(work).await.map(json_answer)
}

/// Runs blocking work off the event loop; a panic of it becomes a refusal with status 500.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Refusal::failure(error.to_string()))?
}

/// A 200 response with this JSON.
#[expect(clippy::needless_pass_by_value, reason = "used as the end of a chain of results")]
fn json_answer(value: Json) -> Response<Body> {
    answer::value(&value)
}

/// The record of the sandbox's account, with the members that the market's own client needs.
fn user() -> Json {
    json!({
        "id": USER,
        "username": "sandbox",
        "email": "sandbox@example.invalid",
        "host_agreement_accepted": true,
    })
}

/// The members of a body; an error unless it is a JSON object.
fn object(body: &[u8]) -> Result<Map<String, Json>, Refusal> {
    match serde_json::from_slice(body) {
        Ok(Json::Object(members)) => Ok(members),
        _ => Err(Refusal::body()),
    }
}

/// The members of the search in the URL's `q`; empty if there is none, an error unless it is a JSON object.
fn query_object(parts: &Parts) -> Result<Map<String, Json>, Refusal> {
    let query = parts.uri.query().unwrap_or_default();
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let search = pairs.find(|(name, _)| name == "q");
    search.map_or_else(|| Ok(Map::new()), |(_, text)| object(text.as_bytes()))
}

/// Whether the `Host` header is a loopback name or address; true without the header.
///
/// Otherwise a web page may have been led here by a domain that its owner points at loopback (DNS rebinding).
fn names_loopback(parts: &Parts) -> bool {
    let Some(host) = parts.headers.get(HOST).map(|host| host.to_str()) else {
        return true;
    };
    let Ok(host) = host else {
        return false;
    };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
