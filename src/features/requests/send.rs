//! Resends requests, unchanged or with another body: reads only.

use super::{Flight, Requests};
use crate::api::ledger::LedgerEntry;
use crate::api::redact::REMOVED;
use crate::api::{Operation, Origin, RawSearch, Request, wire};
use crate::core::owners::Owner;
use crate::core::state::State;
use crate::core::view::Cx;

/// Why there is no request for an action.
fn nothing(state: &State) -> String {
    if state.ledger.is_empty() {
        "No requests yet".to_owned()
    } else if Requests::read(state).rows().is_empty() {
        "No request matches".to_owned()
    } else {
        "This request is no longer in the list".to_owned()
    }
}

/// The request for an action.
pub(super) fn subject(state: &State) -> Result<(u64, &LedgerEntry), String> {
    let number = Requests::read(state).subject().ok_or_else(|| nothing(state))?;
    let entry = state.ledger.get(number).ok_or_else(|| nothing(state))?;
    Ok((number, entry))
}

/// The number and the operation of the search whose body can be edited and sent.
///
/// # Errors
///
/// When there is none, or it is not a search.
pub fn editable(state: &State) -> Result<(u64, Operation), String> {
    let (number, entry) = subject(state)?;
    match entry.operation {
        search @ (Operation::SearchOffers | Operation::SearchVolumes) => Ok((number, search)),
        Operation::ListWorkergroups => Err("Listing workergroups sends no body".to_owned()),
        write @ (Operation::UnlistVolume | Operation::CreateWorkergroup | Operation::Route) => {
            Err(refusal(write).to_owned())
        }
    }
}

/// Why a write or a route request is not sent from here.
const fn refusal(operation: Operation) -> &'static str {
    match operation {
        Operation::UnlistVolume => "Writes are never resent: unlist on the Volumes pane",
        Operation::CreateWorkergroup => "Writes are never resent: create a workergroup on the Workergroups pane",
        Operation::Route => "Route requests are sent from the route lab only",
        Operation::SearchOffers | Operation::SearchVolumes | Operation::ListWorkergroups => {
            "This request can be resent"
        }
    }
}

/// The number of the request, and the request to resend.
///
/// # Errors
///
/// When there is none, it is not a read, it is being resent, or it went to another market.
pub fn resendable(state: &State) -> Result<(u64, Request), String> {
    let (number, entry) = subject(state)?;
    let mut flights = Requests::read(state).flights.iter();
    if flights.any(|flight| flight.from == number) {
        return Err("Already being resent".to_owned());
    }
    let request = match entry.operation {
        Operation::ListWorkergroups => Request::ListWorkergroups,
        search @ (Operation::SearchOffers | Operation::SearchVolumes) => {
            let body = entry.request_body().unwrap_or_default();
            if body.contains(REMOVED) {
                return Err("Its body contained a secret: secrets are not stored".to_owned());
            }
            let raw = RawSearch::new(search, &body).map_err(|error| error.to_string())?;
            Request::Raw(raw)
        }
        write @ (Operation::UnlistVolume | Operation::CreateWorkergroup | Operation::Route) => {
            return Err(refusal(write).to_owned());
        }
    };
    check_address(state, entry, &request)?;
    Ok((number, request))
}

/// Checks that a request would go to the same address as the recorded one: the dashboard may be
/// connected to another market by now.
///
/// # Errors
///
/// When it would not.
pub fn check_address(state: &State, entry: &LedgerEntry, request: &Request) -> Result<(), String> {
    let base = &state.profile.base_url;
    let path = wire::encode(request, state.profile.dialect).path;
    let is_same = Origin::parse(base).is_ok_and(|origin| origin.address(path) == entry.url);
    is_same
        .then_some(())
        .ok_or_else(|| format!("It was sent to another market, not to {base}"))
}

/// Sends a read that repeats or changes a recorded one. The response is awaited even if the view
/// closes: it becomes an entry of the list.
pub fn resend(cx: &mut Cx<'_>, from: u64, request: Request) {
    let (operation, since) = (request.operation(), cx.now.mono);
    let ticket = cx.send_for(Owner::Feature(super::told), request);
    cx.feature::<Requests>().flights.push(Flight {
        ticket,
        from,
        operation,
        since,
        attempt: 1,
        waiting: None,
    });
}
