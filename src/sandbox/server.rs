//! The HTTP server: one entry for every request, one exit for every response.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, Request, State as Shared};
use axum::http::header::{AUTHORIZATION, DATE, HOST};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Response};
use serde_json::{Map, Value as Json, json};

use super::USER;
use super::answer::{self, Refusal};
use super::call::{Call, Target};
use super::connection::Cut;
use super::fleet::PUBLIC_KEY;
use super::ledger::Credential;
use super::state::State;

/// The largest request body: searches are a few hundred bytes.
const MAX_BODY: usize = 1 << 20;

/// The `Date` of a frozen sandbox: the time of its market.
const FROZEN_DATE: HeaderValue = HeaderValue::from_static("Thu, 01 Jan 2026 00:00:00 GMT");

/// The service for all requests.
pub fn service(state: Arc<State>) -> Router {
    Router::new().fallback(handle).with_state(state)
}

async fn handle(
    Shared(state): Shared<Arc<State>>,
    ConnectInfo(cut): ConnectInfo<Cut>,
    request: Request,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let frozen = state.frozen;
    let call = Target::of(&parts.method, parts.uri.path())
        .ok()
        .and_then(Target::call);
    let delay = state.delays.next(call);
    let arrived = tokio::time::timeout(state.body_patience, to_bytes(body, MAX_BODY)).await;
    let mut response = match arrived {
        Ok(Ok(body)) => answer(state, &parts, body, &cut).await,
        Ok(Err(_)) => Err(Refusal::too_large()),
        Err(_) => Err(Refusal::stalled()),
    }
    .unwrap_or_else(|refusal| refusal.response());
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
    if frozen {
        response.headers_mut().insert(DATE, FROZEN_DATE);
    }
    response
}

async fn answer(
    state: Arc<State>,
    parts: &Parts,
    body: Bytes,
    cut: &Cut,
) -> Result<Response<Body>, Refusal> {
    let header = parts.headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
    let credential = state.credential(header);
    state.ledger.record(parts, &body, credential);
    if state.loopback_only && !names_loopback(parts) {
        return Err(Refusal::host());
    }
    let target = Target::of(&parts.method, parts.uri.path())?;
    // Route requests may carry other keys, so routing checks the key itself.
    let routes = target == Target::Call(Call::Route);
    if !target.is_open() && !routes && credential != Credential::Account {
        return Err(Refusal::key(credential == Credential::None));
    }
    let Some(call) = target.call() else {
        return perform(state, target, parts, body).await;
    };
    state.pace(call)?;
    let strike = state.faults.next(call);
    if let Some(strike) = strike
        && let Some(response) = strike.instead(cut).await
    {
        return Ok(response);
    }
    let response = perform(state, target, parts, body).await;
    match strike {
        None => response,
        Some(strike) => {
            let response = response.unwrap_or_else(|refusal| refusal.response());
            Ok(strike.after(response, cut).await)
        }
    }
}

async fn perform(
    state: Arc<State>,
    target: Target,
    parts: &Parts,
    body: Bytes,
) -> Result<Response<Body>, Refusal> {
    match target {
        Target::Call(Call::Offers) => {
            let body = object(&body)?;
            search(move || state.search_offers(body)).await
        }
        Target::OffersInQuery => {
            let body = query_object(parts)?;
            search(move || state.search_offers(body)).await
        }
        Target::Call(Call::Volumes) => {
            let body = object(&body)?;
            search(move || state.search_volumes(body)).await
        }
        Target::LocalVolumes => {
            let body = object(&body)?;
            search(move || state.search_local_volumes(body)).await
        }
        Target::Call(Call::Unlist) => state.unlist(&object(&body)?).map(json_answer),
        Target::Call(Call::Groups) => Ok(answer::ok(state.workergroups())),
        Target::Call(Call::Create) => {
            let body = object(&body)?;
            change(move || state.create_workergroup(&body)).await
        }
        Target::Call(Call::Route) => {
            let header = parts.headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
            // Without a key, a caller learns nothing about bodies.
            let header = header.ok_or_else(|| Refusal::key(true))?;
            state.route(&object(&body)?, Some(header)).map(json_answer)
        }
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
    }
}

/// Runs a search off the event loop: in a large market it takes a while.
async fn search(
    work: impl FnOnce() -> Result<Bytes, Refusal> + Send + 'static,
) -> Result<Response<Body>, Refusal> {
    beside(work).await.map(answer::ok)
}

/// Changes a workergroup off the event loop: it may write a file.
async fn change(
    work: impl FnOnce() -> Result<Json, Refusal> + Send + 'static,
) -> Result<Response<Body>, Refusal> {
    beside(work).await.map(json_answer)
}

/// Runs blocking work off the event loop.
async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Refusal::failure(error.to_string()))?
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "used as the end of a chain of results"
)]
fn json_answer(value: Json) -> Response<Body> {
    answer::value(&value)
}

/// The account of the key, as far as the market's own client needs it.
fn user() -> Json {
    json!({
        "id": USER,
        "username": "sandbox",
        "email": "sandbox@example.invalid",
        "host_agreement_accepted": true,
    })
}

/// The members of a body, which must be a JSON object.
fn object(body: &[u8]) -> Result<Map<String, Json>, Refusal> {
    match serde_json::from_slice(body) {
        Ok(Json::Object(members)) => Ok(members),
        _ => Err(Refusal::body()),
    }
}

/// The members of the search in the URL's `q`; empty without one.
fn query_object(parts: &Parts) -> Result<Map<String, Json>, Refusal> {
    let pairs = parts.uri.query().unwrap_or_default().split('&');
    let search = pairs
        .filter_map(|pair| pair.split_once('='))
        .find(|(name, _)| *name == "q");
    search.map_or_else(|| Ok(Map::new()), |(_, text)| object(&unescape(text)))
}

/// Percent-decodes a text of a URL.
fn unescape(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digits = bytes
            .get(at + 1..at + 3)
            .and_then(|two| str::from_utf8(two).ok());
        let code = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        let (byte, width) = match (byte, code) {
            (b'%', Some(code)) => (code, 3),
            (b'+', _) => (b' ', 1),
            _ => (*byte, 1),
        };
        plain.push(byte);
        at += width;
    }
    plain
}

/// Whether the `Host` is a loopback name: otherwise a web page may have been led here by a domain
/// that its owner points at loopback (DNS rebinding).
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
    name.eq_ignore_ascii_case("localhost")
        || name
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
