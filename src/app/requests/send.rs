//! Sending from the Requests pane: reads only.

use super::{Flight, meant};
use crate::api::ledger::LedgerEntry;
use crate::api::redact::REMOVED;
use crate::api::{Operation, Origin, RawSearch, Request, wire};
use crate::app::keymap::Action;
use crate::app::message::{Effect, Toast};
use crate::app::overlay::Overlay;
use crate::app::remote::Now;
use crate::app::{Model, Pane};

/// Why an action cannot be done now, if it cannot.
pub(in crate::app) fn disabled(model: &Model, action: Action) -> Option<String> {
    if model.state.pane != Pane::Requests {
        return None;
    }
    // An action of a form or a menu over the pane is none of the pane's.
    if !matches!(model.overlays.last(), None | Some(Overlay::Request(_))) {
        return None;
    }
    match action {
        Action::Open | Action::Copy | Action::Export => nothing(model),
        Action::Refresh => repeated(model).err(),
        Action::Filter => meant(model).map_or_else(
            || nothing(model),
            |number| model.state.ledger.get(number).and_then(unchangeable),
        ),
        _ => None,
    }
}

/// That there is no call to do anything with, and why.
fn nothing(model: &Model) -> Option<String> {
    meant(model).is_none().then(|| {
        if model.state.ledger.is_empty() {
            "nothing was sent yet".to_owned()
        } else {
            "no request matches the words".to_owned()
        }
    })
}

/// Why the body of a call cannot be changed and sent.
fn unchangeable(entry: &LedgerEntry) -> Option<String> {
    let words = match entry.operation {
        Operation::SearchOffers | Operation::SearchVolumes => return None,
        Operation::ListWorkergroups => "the list of groups has no body to change",
        other => return Some(refusal(other)),
    };
    Some(words.to_owned())
}

/// Why a write or a route request is not sent from here.
fn refusal(operation: Operation) -> String {
    let instead = match operation {
        Operation::UnlistVolume => "a write is sent only from its own dialog, in Volumes",
        Operation::CreateWorkergroup => "a write is sent only from its own form, in Workergroups",
        _ => "a route request is sent only from the route lab",
    };
    format!("{} is not sent again: {instead}", operation.label())
}

/// The request that the call in question was, and its number.
fn repeated(model: &Model) -> Result<(u64, Request), String> {
    let number = meant(model).ok_or_else(|| nothing(model).unwrap_or_default())?;
    let entry = model
        .ledger
        .get(number)
        .ok_or("the call is too long ago: it is not kept any more")?;
    if model
        .state
        .requests
        .flights
        .iter()
        .any(|own| own.from == number)
    {
        return Err("it is on its way already".to_owned());
    }
    let request = match entry.operation {
        Operation::ListWorkergroups => Request::ListWorkergroups,
        search @ (Operation::SearchOffers | Operation::SearchVolumes) => {
            let body = entry.request_body().unwrap_or_default();
            if body.contains(REMOVED) {
                return Err("its body held a secret, which is not kept".to_owned());
            }
            let raw = RawSearch::new(search, &body).map_err(|error| error.to_string())?;
            Request::Raw(raw)
        }
        other => return Err(refusal(other)),
    };
    check_address(model, entry, &request)?;
    Ok((number, request))
}

/// A call goes only where it went: the dashboard may speak for another market by now.
pub(super) fn check_address(
    model: &Model,
    entry: &LedgerEntry,
    request: &Request,
) -> Result<(), String> {
    let base = &model.state.profile.base_url;
    let path = wire::encode(request, model.state.profile.dialect).path;
    let is_same = Origin::parse(base).is_ok_and(|origin| origin.address(path) == entry.url);
    is_same
        .then_some(())
        .ok_or_else(|| format!("it went to another market than {base}"))
}

/// Sends the call in question again.
pub(super) fn again(model: &mut Model, now: Now) -> Vec<Effect> {
    match repeated(model) {
        Ok((number, request)) => send(model, now, number, request),
        Err(why) => {
            model.show(Toast::error(why, now));
            Vec::new()
        }
    }
}

/// Sends a read.
pub(super) fn send(model: &mut Model, now: Now, from: u64, request: Request) -> Vec<Effect> {
    let ticket = model.state.tickets.take();
    let operation = request.operation();
    model.state.requests.flights.push(Flight {
        ticket,
        from,
        operation,
        since: now.mono,
        attempt: 1,
        waiting: None,
    });
    vec![Effect::Call { ticket, request }]
}
