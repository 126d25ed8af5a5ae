//! How requests travel.

#[cfg(target_os = "linux")]
mod bounds;
mod client;
mod errors;
mod origins;
mod volumes_wire;
mod wire;

use bourse::api::{Request, RouteCall};
use bourse::domain::workergroup::NewWorkergroup;
use bourse::domain::{Query, Resource};

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
