//! The client, as other packages use it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::pedantic)]

mod bearer;
mod client;
mod connections;
mod deadlines;
mod errors;
mod origins;
mod outage;
mod pacing;
mod recorder;
mod virtual_time;
mod volumes_wire;
mod wire;

use bourse_client::{Request, RouteCall};
use bourse_domain::workergroup::NewWorkergroup;
use bourse_domain::{Query, Resource};

/// One request of each operation.
fn requests() -> Vec<Request> {
    vec![
        Request::Search(Query::empty(Resource::Offers)),
        Request::Search(Query::empty(Resource::Volumes)),
        Request::UnlistVolume { id: 5 },
        Request::ListWorkergroups,
        Request::CreateWorkergroup(NewWorkergroup::default()),
        Request::Route(RouteCall {
            endpoint: "ep".into(),
            cost: 100.0,
            key: None,
        }),
    ]
}
