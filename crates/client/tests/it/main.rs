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

use bourse_client::{Client, ClientConfig, Origin, Request, RouteCall, Secret};
use bourse_domain::workergroup::NewWorkergroup;
use bourse_domain::{Dialect, Query, Resource};

/// A client of one server, which speaks the documented interface.
fn client_of(url: &str, key: Option<&str>) -> Client {
    let origin = Origin::parse(url).unwrap();
    Client::new(ClientConfig {
        sends_route_key: true,
        management: origin.clone(),
        route: origin,
        dialect: &Dialect::DOCUMENTED,
        key: key.map(Secret::new),
    })
    .unwrap()
}

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
            place: None,
        }),
    ]
}
