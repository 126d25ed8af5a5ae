//! Network volume searches through the real client: every documented member, in each dialect.

use bourse_client::{Client, ClientConfig, Origin, Request};
use bourse_domain::language::{self, Mode};
use bourse_domain::{Dialect, Query, Resource};
use serde_json::{Value, json};

use crate::recorder::{self, Recorder};

/// Every documented member (specification, "Search network volumes").
const ALL: &str = "verified=false reliability2>=0.95 inet_down>100 inet_up>=50.5 \
    geolocation in [US,CA] disk_bw>=500 duration>=30 storage_cost<=0.1";

fn query(text: &str, dialect: &'static Dialect) -> Query {
    let mut query = language::default_query(Resource::Volumes, dialect);
    let catalog = query.catalog();
    query.conditions = language::parse(text, catalog, dialect, &[], Mode::Strict)
        .unwrap()
        .conditions;
    query.order = language::parse_order("storage_cost,inet_up-", catalog).unwrap();
    query.limit = Some(25);
    query
}

/// The body that a server receives for a query.
fn seen(text: &str, dialect: &'static Dialect) -> Value {
    let recorder = Recorder::always(recorder::json(200, r#"{"success":true,"offers":[]}"#));
    let origin = Origin::parse(&recorder.url()).unwrap();
    let client = Client::new(ClientConfig {
        sends_route_key: true,
        management: origin.clone(),
        route: origin,
        dialect,
        key: None,
    })
    .unwrap();
    let request = Request::Search(query(text, dialect));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(client.call(&request)).result.unwrap();
    let only = recorder.only();
    assert_eq!(only.method, "POST");
    assert_eq!(only.path, "/api/v0/network_volumes/search/");
    assert_eq!(only.header("content-type"), Some("application/json"));
    only.json()
}

/// The members as the specification has them, `duration` given apart.
fn members(duration: &Value, geolocation: &Value) -> Value {
    json!({
        "verified": {"eq": false},
        "reliability2": {"gte": 0.95},
        "inet_down": {"gt": 100},
        "inet_up": {"gte": 50.5},
        "geolocation": geolocation,
        "disk_bw": {"gte": 500},
        "duration": {"gte": duration},
        "storage_cost": {"lte": 0.1},
        "order": [["storage_cost", "asc"], ["inet_up", "desc"]],
        "limit": 25
    })
}

#[test]
fn documented_bodies_are_wrapped_and_count_days() {
    let places = json!({"in": ["US", "CA"]});
    let wanted = json!({"q": members(&json!(30), &places)});
    assert_eq!(seen(ALL, &Dialect::DOCUMENTED), wanted);
    assert_eq!(seen(ALL, &Dialect::SANDBOX), wanted);
}

#[test]
fn the_service_s_bodies_are_flat_and_count_seconds() {
    let places = json!({"in": ["US", "CA"]});
    let wanted = members(&json!(2_592_000), &places);
    assert_eq!(seen(ALL, &Dialect::VAST), wanted);
}

#[test]
fn not_in_is_spelled_as_the_dialect_has_it() {
    let text = ALL.replace("geolocation in", "geolocation not in");
    let wanted = json!({"q": members(&json!(30), &json!({"nin": ["US", "CA"]}))});
    assert_eq!(seen(&text, &Dialect::DOCUMENTED), wanted);
    let wanted = members(&json!(2_592_000), &json!({"notin": ["US", "CA"]}));
    assert_eq!(seen(&text, &Dialect::VAST), wanted);
}

#[test]
fn spans_of_time_are_converted() {
    for (typed, days) in [
        ("duration>=2w", json!(14)),
        ("duration>=36h", json!(1.5)),
        ("duration>=0.5", json!(0.5)),
    ] {
        let seen = seen(typed, &Dialect::DOCUMENTED);
        assert_eq!(seen["q"]["duration"], json!({"gte": days}), "{typed}");
    }
}

#[test]
fn what_the_documented_dialect_cannot_send_stays_here() {
    let seen = seen("disk_space>=1000 cluster_id=7", &Dialect::DOCUMENTED);
    let q = seen["q"].as_object().unwrap();
    assert!(!q.contains_key("disk_space") && !q.contains_key("cluster_id"), "{q:?}");
    let seen = self::seen("disk_space>=1000 cluster_id=7", &Dialect::VAST);
    assert_eq!(seen["disk_space"], json!({"gte": 1000}));
    assert_eq!(seen["cluster_id"], json!({"eq": 7}));
}
