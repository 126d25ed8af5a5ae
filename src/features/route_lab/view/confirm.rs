//! The question before a run that adds load.

use super::{begin, explain};
use crate::core::State;
use crate::core::views::confirm::Confirm;
use crate::domain::routing::{RoutePlan, Stop, words};

/// Asks whether to start a series: it can wake workers, and workers are billed.
pub(super) fn question(plan: RoutePlan, state: &State) -> Confirm {
    let (title, bill) = if state.profile.is_sandbox {
        ("Start this run?", "This is the sandbox: nothing is billed.")
    } else {
        (
            "This sends real traffic",
            "Requests can wake workers, and workers are billed.",
        )
    };
    let text = format!("{}\n\n{}\n{bill}", words::plan(&plan), load(&plan));
    Confirm::new(title, text, "start", move |cx| {
        if let Err(why) = begin(plan, cx) {
            explain(&why, cx);
        }
    })
}

/// The maximum load of a plan, which is the sum of its costs, and what its polls add.
pub(super) fn load(plan: &RoutePlan) -> String {
    let requests = match (plan.stop, plan.rate) {
        #[expect(clippy::cast_precision_loss)] // at most 250,000
        (Stop::Count(count), _) => Some(count as f64),
        (Stop::Duration(span), Some(rate)) => Some((rate * span).ceil()),
        (Stop::Duration(_), None) => None,
    };
    let mut text = requests.map_or_else(
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
