//! Resends requests, unchanged or with an edited body; reads only.

use super::{Flight, Requests};
use crate::api::ledger::LedgerEntry;
use crate::api::raw::BodyError;
use crate::api::redact::REMOVED;
use crate::api::{Operation, Origin, RawSearch, Request, wire};
use crate::core::owners::Owner;
use crate::core::state::State;
use crate::core::view::Cx;

/// The reason a request cannot be edited or resent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResendError {
    #[error("No requests yet")]
    NoRequests,
    #[error("No request matches")]
    NoMatch,
    #[error("This request is no longer in the list")]
    Gone,
    /// The original of an edited body was dropped from the ledger.
    #[error("the original request is no longer in the list")]
    OriginalGone,
    #[error("Listing workergroups sends no body")]
    NoBody,
    /// A write or a route request.
    #[error("{}", refusal(*.0))]
    NoRead(Operation),
    #[error("Already being resent")]
    InFlight,
    #[error("Its body contained a secret: secrets are not stored")]
    Secret,
    /// The edited body contains the placeholder of a removed secret.
    #[error("{REMOVED} replaces a secret: enter another value")]
    Placeholder,
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The request went to another market than the connected one, which is at this address.
    #[error("It was sent to another market, not to {0}")]
    OtherMarket(String),
}

/// The error for an action without a request: no request was sent, none matches, or it left the list.
fn no_subject(state: &State) -> ResendError {
    if state.ledger.is_empty() {
        ResendError::NoRequests
    } else if Requests::read(state).rows().is_empty() {
        ResendError::NoMatch
    } else {
        ResendError::Gone
    }
}

/// The number and the entry of the request that an action applies to: the open one, or else the selected one.
///
/// # Errors
///
/// When there is none, or the ledger has dropped it.
pub(super) fn subject(state: &State) -> Result<(u64, &LedgerEntry), ResendError> {
    let number = Requests::read(state).subject().ok_or_else(|| no_subject(state))?;
    let entry = state.ledger.get(number).ok_or_else(|| no_subject(state))?;
    Ok((number, entry))
}

/// The number and the operation of the open or selected search, whose body can be edited and sent.
///
/// # Errors
///
/// When there is no such request, or it is not a search for offers or volumes.
pub fn editable(state: &State) -> Result<(u64, Operation), ResendError> {
    let (number, entry) = subject(state)?;
    match entry.operation {
        search @ (Operation::SearchOffers | Operation::SearchVolumes) => Ok((number, search)),
        Operation::ListWorkergroups => Err(ResendError::NoBody),
        write @ (Operation::UnlistVolume | Operation::CreateWorkergroup | Operation::Route) => {
            Err(ResendError::NoRead(write))
        }
    }
}

/// The advice on a write or a route request, which cannot be sent from here; of a read, that it can be
/// resent.
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

/// The number of the open or selected request, and the request that repeats it.
///
/// # Errors
///
/// When there is none, it is not a read, its body contained a secret, it is being resent already, or it went
/// to another market.
pub fn resendable(state: &State) -> Result<(u64, Request), ResendError> {
    let (number, entry) = subject(state)?;
    let mut flights = Requests::read(state).flights.iter();
    if flights.any(|flight| flight.from == number) {
        return Err(ResendError::InFlight);
    }
    let request = match entry.operation {
        Operation::ListWorkergroups => Request::ListWorkergroups,
        search @ (Operation::SearchOffers | Operation::SearchVolumes) => {
            let body = entry.request_body().unwrap_or_default();
            if body.contains(REMOVED) {
                return Err(ResendError::Secret);
            }
            let raw = RawSearch::new(search, &body)?;
            Request::Raw(raw)
        }
        write @ (Operation::UnlistVolume | Operation::CreateWorkergroup | Operation::Route) => {
            return Err(ResendError::NoRead(write));
        }
    };
    check_address(state, entry, &request)?;
    Ok((number, request))
}

/// Checks that a request would be sent to the address of the recorded one.
///
/// The dashboard may be connected to another market by now.
///
/// # Errors
///
/// When it would be sent elsewhere.
pub fn check_address(state: &State, entry: &LedgerEntry, request: &Request) -> Result<(), ResendError> {
    let base = &state.profile.base_url;
    let path = wire::encode(request, state.profile.dialect).path;
    let is_same = Origin::parse(base).is_ok_and(|origin| origin.address(path) == entry.url);
    is_same
        .then_some(())
        .ok_or_else(|| ResendError::OtherMarket(base.clone()))
}

/// Sends a read that repeats or changes the recorded request `from`.
///
/// The response is awaited even if the view closes, and becomes an entry of the list.
pub fn resend(cx: &mut Cx<'_>, from: u64, request: Request) {
    let (operation, since) = (request.operation(), cx.now.mono);
    let ticket = cx.send_for(Owner::Feature(super::on_news), request);
    cx.feature::<Requests>().flights.push(Flight {
        ticket,
        from,
        operation,
        since,
        attempt: 1,
        waiting: None,
    });
}
