//! The question before a run that adds load.

use super::{begin, explain};
use crate::api::Request;
use crate::api::attempt::route_call;
use crate::core::State;
use crate::core::endpoints::describe_unserved;
use crate::core::view::Cx;
use crate::core::views::confirm::Confirm;
use crate::domain::routing::{RoutePlan, words};

/// The question before a route run starts that can wake billed workers, or that forwards requests to workers:
/// its plan, load and cost, and whether no workergroup serves its endpoint. Confirmed, it starts the run.
pub(super) fn question(plan: RoutePlan, state: &State) -> Confirm {
    let bill = words::billing_notice(state.profile.is_sandbox);
    let subject = match &plan.hop {
        None => words::describe_plan(&plan),
        Some(hop) => words::describe_recipients(&plan, hop, &state.profile.route_url).join("\n"),
    };
    let unserved = describe_unserved(&plan.endpoint, state).map_or_else(String::new, |text| format!("! {text}.\n\n"));
    let text = format!("{unserved}{subject}\n\n{}\n{bill}", words::describe_load(&plan));
    let first = first_request(&plan);
    let start = move |cx: &mut Cx<'_>| {
        if let Err(why) = begin(plan, cx) {
            explain(&why, cx);
        }
    };
    Confirm::new("Start this run?", text, "start", start).sends_first(first)
}

/// The first request of a route run, without a key.
///
/// In its reply the market chooses the key that the others repeat.
pub(super) fn first_request(plan: &RoutePlan) -> Request {
    Request::Route(route_call(plan, plan.cost, None, None))
}
