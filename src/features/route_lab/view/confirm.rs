//! The question before a run that adds load.

use super::{begin, explain};
use crate::api::{Request, RouteCall};
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
    let text = format!("{}\n\n{}\n{bill}", words::plan(&plan), load(&plan));
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
    Request::Route(RouteCall {
        endpoint: plan.endpoint.clone(),
        cost: plan.cost,
        key: None,
    })
}

/// The maximum load of a plan, which is the sum of its costs, and what its polls add.
pub(super) fn load(plan: &RoutePlan) -> String {
    let mut text = plan.requests().map_or_else(
        || "The total load depends on how fast replies arrive.".to_owned(),
        |requests| {
            let load = words::amount(plan.cost * requests);
            format!("A load of up to {load} in all.")
        },
    );
    let poll = plan.poll.cost.unwrap_or(plan.cost);
    if !plan.is_single() && poll > 0.0 && plan.poll.patience > 0.0 {
        let poll = words::amount(poll);
        text = format!("{text} Each poll while no worker is ready adds {poll}.");
    }
    text
}
