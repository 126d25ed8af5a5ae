//! The copy menu of an attempt.

use super::attempt::{assignment, signature};
use super::worker_request::Written;
use crate::api::attempt::route_call;
use crate::api::wire::WireRequest;
use crate::api::{Request, curl, wire};
use crate::core::State;
use crate::core::copy_item::{CopyError, CopyItem};
use crate::domain::Untrusted;
use crate::domain::dialect::RouteKey;
use crate::domain::routing::{RouteSample, Run};
use crate::domain::text::visible;
use crate::features::copy_export::copy_menu::CopyMenu;
use crate::features::route_lab::Routes;

/// Maximum length of a copied server text, in characters.
const LONGEST: usize = 10_000;

/// The copy menu for an attempt of the route run `run`, by its index, or with `None` for the next request of
/// the run; `None` if the run is no longer in memory.
pub(super) fn menu(state: &State, run: u64, attempt: Option<usize>) -> Option<CopyMenu> {
    let run = Routes::read(state).run(run)?.run();
    Some(CopyMenu::new(items(state, run, attempt)))
}

/// The texts to copy of a route run: the request, and for an assigned attempt the signature, the worker's
/// address and the request for it; otherwise these three are listed with the reason they are missing.
fn items(state: &State, run: &Run, attempt: Option<usize>) -> Vec<CopyItem> {
    let assigned = attempt.and_then(|attempt| assignment(run, attempt));
    let nothing = "no worker was assigned, or its reply is no longer in memory";
    let of_worker = |text: &dyn Fn(&Untrusted, &Untrusted) -> Result<String, &'static str>| {
        let text = assigned.map_or(Err(nothing), |(worker, reply)| text(worker, reply));
        text.map_err(CopyError::Missing)
    };
    let what = match state.profile.dialect.route_key {
        RouteKey::Profile => "the request as curl",
        RouteKey::Group => "the request as curl; set BOURSE_API_KEY to the workergroup's key",
    };
    vec![
        CopyItem::new(
            'c',
            "copy-curl",
            what,
            Ok(request(
                state,
                run,
                attempt.and_then(|attempt| run.samples().get(attempt)),
            )),
        ),
        CopyItem::new(
            's',
            "copy-signature",
            "the signature",
            of_worker(&|_, reply| {
                let signature = signature(reply).ok_or("the reply has no signature")?;
                Ok(visible(signature.unescaped(), LONGEST))
            }),
        ),
        CopyItem::new(
            'u',
            "copy-address",
            "the worker's address",
            of_worker(&|worker, _| {
                let worker = worker.unescaped();
                // As a shell command it could run: only a plain web address is copied.
                if curl::without_key(worker, "").is_none() {
                    return Err("the address is no plain http or https address");
                }
                Ok(worker.to_owned())
            }),
        ),
        CopyItem::new(
            'w',
            "copy-worker-request",
            "the worker's request as curl",
            of_worker(&|worker, reply| {
                let command = Written::new(state, run).command(worker, reply);
                command.map_err(|_| "its address is not of the web, or the payload is invalid")
            }),
        ),
    ]
}

/// The request of an attempt of a route run (without one the next of the run) as `curl`, with the key as a
/// variable.
pub(super) fn request(state: &State, run: &Run, sample: Option<&RouteSample>) -> String {
    let wire = wire_request(state, run, sample);
    curl::command(&wire, &address(state, &wire))
}

/// The address that a request to the router is sent to.
pub(super) fn address(state: &State, request: &WireRequest) -> String {
    format!("{}{}", state.profile.route_url, request.path)
}

/// The request of an attempt of a route run, or without one the next of the run, without a key.
pub(super) fn wire_request(state: &State, run: &Run, sample: Option<&RouteSample>) -> WireRequest {
    let plan = run.plan();
    let (cost, request_idx) = sample.map_or((plan.cost, None), |sample| (sample.cost, sample.request_idx));
    let request = Request::Route(route_call(plan, cost, request_idx, None));
    wire::encode(&request, state.profile.dialect)
}
