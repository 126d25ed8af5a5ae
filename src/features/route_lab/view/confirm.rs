//! The question before a run that adds load.

use super::{begin, explain};
use crate::api::Request;
use crate::api::attempt::call;
use crate::core::State;
use crate::core::view::Cx;
use crate::core::views::confirm::Confirm;
use crate::domain::routing::{RoutePlan, words};

/// Asks whether to start a long series: it can wake workers, and workers are billed.
pub(super) fn question(plan: RoutePlan, state: &State) -> Confirm {
    let bill = if state.profile.is_sandbox {
        "This is the sandbox: nothing is billed."
    } else {
        "This sends real traffic: requests can wake workers, and workers are billed."
    };
    let text = format!("{}\n\n{}\n{bill}", words::plan(&plan), words::load(&plan));
    let first = first_request(&plan);
    let start = move |cx: &mut Cx<'_>| {
        if let Err(why) = begin(plan, cx) {
            explain(&why, cx);
        }
    };
    Confirm::new("Start this run?", text, "start", start).sends_first(first)
}

/// The first request of a run; the market chooses the key that the others repeat.
pub(super) fn first_request(plan: &RoutePlan) -> Request {
    Request::Route(call(plan, plan.cost, None, None))
}
