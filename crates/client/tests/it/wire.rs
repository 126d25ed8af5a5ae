//! Golden wire bodies. Every expectation is written by hand from the specification.

use bourse_client::wire::{Method, Target, WireRequest, encode};
use bourse_client::{QueuePlace, Request, RouteCall};
use bourse_domain::workergroup::NewWorkergroup;
use bourse_domain::{
    Condition, Dialect, Direction, OFFERS, OfferType, Operand, Operator, OrderKey, Query, Resource, VOLUMES, Value,
    Version,
};
use serde_json::{Value as Json, json};

fn number(number: f64) -> Operand {
    Operand::One(Value::Number(number))
}

fn flag(flag: bool) -> Operand {
    Operand::One(Value::Flag(flag))
}

fn text(text: &str) -> Operand {
    Operand::One(Value::Text(text.into()))
}

fn texts(texts: &[&str]) -> Operand {
    Operand::Many(texts.iter().map(|text| Value::Text((*text).into())).collect())
}

fn query(resource: Resource, conditions: Vec<(&str, Operator, Operand)>) -> Query {
    let mut query = Query::empty(resource);
    for (key, operator, operand) in conditions {
        let field = resource.catalog().by_key(key).expect(key);
        query.conditions.push(Condition::new(field, operator, operand));
    }
    query
}

fn body(query: Query, dialect: &'static Dialect) -> Json {
    encode(&Request::Search(query), dialect).body.unwrap()
}

/// Name, operator, operand, the filter object in `documented`, the filter object in `vast`.
type Row = (&'static str, Operator, Operand, Json, Json);

fn same(key: &'static str, operator: Operator, operand: Operand, filter: Json) -> Row {
    (key, operator, operand, filter.clone(), filter)
}

#[test]
fn each_of_the_34_offer_filters_travels_as_documented() {
    use Operator::{Eq, Gt, Gte, In, Lt, Lte, Neq, Nin};
    let driver = Operand::One(Value::Version(Version::parse("535.86.05").unwrap()));
    let rows: Vec<Row> = vec![
        same("verified", Eq, flag(true), json!({"eq": true})),
        same("rentable", Eq, flag(true), json!({"eq": true})),
        same("rented", Eq, flag(false), json!({"eq": false})),
        same(
            "gpu_name",
            In,
            texts(&["RTX 4090", "H100 SXM"]),
            json!({"in": ["RTX 4090", "H100 SXM"]}),
        ),
        same("reliability", Gt, number(0.98), json!({"gt": 0.98})),
        same("num_gpus", Gte, number(2.0), json!({"gte": 2})),
        same("gpu_ram", Gte, number(24_000.0), json!({"gte": 24000})),
        same("duration", Gte, number(259_200.0), json!({"gte": 259_200})),
        same("host_id", Neq, number(42.0), json!({"neq": 42})),
        same("dlperf_per_dphtotal", Gt, number(100.5), json!({"gt": 100.5})),
        (
            "geolocation",
            Nin,
            texts(&["CN", "VN"]),
            json!({"nin": ["CN", "VN"]}),
            json!({"notin": ["CN", "VN"]}),
        ),
        same("gpu_arch", Eq, text("nvidia"), json!({"eq": "nvidia"})),
        same("dlperf", Lt, number(99.5), json!({"lt": 99.5})),
        same("cuda_max_good", Gte, number(12.4), json!({"gte": 12.4})),
        same("inet_down", Gt, number(500.0), json!({"gt": 500})),
        same("inet_up", Lte, number(1000.0), json!({"lte": 1000})),
        (
            "driver_version",
            Gte,
            driver,
            json!({"gte": "535.86.05"}),
            json!({"gte": 535_086_005}),
        ),
        same("compute_cap", Gte, number(650.0), json!({"gte": 650})),
        same("cpu_arch", Eq, text("amd64"), json!({"eq": "amd64"})),
        same("cpu_ghz", Gt, number(2.5), json!({"gt": 2.5})),
        same("cpu_ram", Gte, number(64_000.0), json!({"gte": 64000})),
        same("disk_bw", Gt, number(1000.0), json!({"gt": 1000})),
        same("bw_nvlink", Gt, number(0.0), json!({"gt": 0})),
        same("gpu_max_power", Lte, number(450.0), json!({"lte": 450})),
        same("gpu_max_temp", Lt, number(90.0), json!({"lt": 90})),
        same("gpu_mem_bw", Gte, number(900.5), json!({"gte": 900.5})),
        same("gpu_total_ram", Gte, number(96_000.0), json!({"gte": 96000})),
        same("gpu_frac", Eq, number(1.0), json!({"eq": 1})),
        same("direct_port_count", Gte, number(10.0), json!({"gte": 10})),
        same("pci_gen", Gte, number(4.0), json!({"gte": 4})),
        same("storage_cost", Lte, number(0.15), json!({"lte": 0.15})),
        same("static_ip", Eq, flag(true), json!({"eq": true})),
        same("total_flops", Gt, number(80.0), json!({"gt": 80})),
        same("os_version", Neq, text("20.04"), json!({"neq": "20.04"})),
    ];
    assert_eq!(rows.len(), 34);
    for (key, operator, operand, documented, vast) in rows {
        for (dialect, filter) in [
            (&Dialect::DOCUMENTED, &documented),
            (&Dialect::VAST, &vast),
            (&Dialect::SANDBOX, &documented),
        ] {
            let query = query(Resource::Offers, vec![(key, operator, operand.clone())]);
            assert_eq!(
                body(query, dialect),
                json!({ key: filter, "type": "on-demand" }),
                "{key} in {}",
                dialect.name
            );
        }
    }
}

#[test]
fn each_of_the_8_volume_filters_travels_as_documented() {
    use Operator::{Eq, Gt, Gte, In, Lte};
    let rows: Vec<Row> = vec![
        same("verified", Eq, flag(true), json!({"eq": true})),
        same("reliability2", Gte, number(0.95), json!({"gte": 0.95})),
        same("inet_down", Gt, number(100.0), json!({"gt": 100})),
        same("inet_up", Gt, number(50.5), json!({"gt": 50.5})),
        same("geolocation", In, texts(&["US", "CA"]), json!({"in": ["US", "CA"]})),
        same("disk_bw", Gte, number(500.0), json!({"gte": 500})),
        // Ten days: days in the specification, seconds at the service.
        (
            "duration",
            Gte,
            number(864_000.0),
            json!({"gte": 10}),
            json!({"gte": 864_000}),
        ),
        same("storage_cost", Lte, number(0.1), json!({"lte": 0.1})),
    ];
    assert_eq!(rows.len(), 8);
    for (key, operator, operand, documented, vast) in rows {
        let query = query(Resource::Volumes, vec![(key, operator, operand)]);
        assert_eq!(
            body(query.clone(), &Dialect::DOCUMENTED),
            json!({"q": {key: documented}}),
            "{key}"
        );
        assert_eq!(body(query, &Dialect::VAST), json!({key: vast}), "{key}");
    }
}

#[test]
fn a_whole_offer_search_has_filters_order_limit_and_type() {
    use Operator::{Eq, Gte, Lt};
    let mut query = query(
        Resource::Offers,
        vec![
            ("verified", Eq, flag(true)),
            ("num_gpus", Gte, number(2.0)),
            ("num_gpus", Lt, number(9.0)),
        ],
    );
    let key = |name, direction| OrderKey {
        field: OFFERS.by_key(name).unwrap(),
        direction,
    };
    query.order = vec![
        key("dph_total", Direction::Ascending),
        key("dlperf", Direction::Descending),
    ];
    query.limit = Some(500);
    query.storage = Some(62.5);
    query.unbundled = true;
    query.offer_type = OfferType::Bid;
    let documented = json!({
        "verified": {"eq": true},
        "num_gpus": {"gte": 2, "lt": 9},
        "order": [["dph_total", "asc"], ["dlperf", "desc"]],
        "limit": 500,
        "type": "bid",
    });
    let mut named = documented.clone();
    named["allocated_storage"] = json!(62.5);
    named["disable_bundling"] = json!(true);
    for (dialect, expected) in [
        (&Dialect::DOCUMENTED, &documented),
        (&Dialect::VAST, &named),
        (&Dialect::SANDBOX, &named),
    ] {
        let wire = encode(&Request::Search(query.clone()), dialect);
        assert_eq!(
            (wire.method, wire.target, wire.path),
            (Method::Post, Target::Management, "/api/v0/bundles/")
        );
        assert_eq!(wire.body.as_ref(), Some(expected), "{}", dialect.name);
    }
    query.offer_type = OfferType::Reserved;
    assert_eq!(body(query, &Dialect::DOCUMENTED)["type"], json!("reserved"));
}

#[test]
fn a_whole_volume_search_is_wrapped_or_flat() {
    let mut query = query(Resource::Volumes, vec![("verified", Operator::Eq, flag(true))]);
    query.order = vec![OrderKey {
        field: VOLUMES.by_key("storage_cost").unwrap(),
        direction: Direction::Ascending,
    }];
    query.limit = Some(20);
    let inner = json!({
        "verified": {"eq": true},
        "order": [["storage_cost", "asc"]],
        "limit": 20,
    });
    let wire = encode(&Request::Search(query.clone()), &Dialect::DOCUMENTED);
    assert_eq!(
        (wire.method, wire.target, wire.path),
        (Method::Post, Target::Management, "/api/v0/network_volumes/search/")
    );
    assert_eq!(wire.body, Some(json!({ "q": inner.clone() })));
    assert_eq!(body(query, &Dialect::VAST), inner);
    // The body is required even when nothing is asked for.
    let nothing = Query::empty(Resource::Volumes);
    assert_eq!(body(nothing, &Dialect::DOCUMENTED), json!({"q": {}}));
}

#[test]
fn what_a_server_cannot_take_is_not_sent() {
    let mut query = query(
        Resource::Offers,
        vec![
            ("dph_total", Operator::Lt, number(0.5)),
            ("cpu_name", Operator::Eq, text("x")),
            ("num_gpus", Operator::Eq, number(1.0)),
        ],
    );
    query.conditions[2].enabled = false;
    assert_eq!(body(query.clone(), &Dialect::DOCUMENTED), json!({"type": "on-demand"}));
    assert_eq!(
        body(query, &Dialect::VAST),
        json!({"dph_total": {"lt": 0.5}, "type": "on-demand"})
    );
}

#[test]
fn the_other_four_operations_travel_as_documented() {
    let none: Option<Json> = None;
    let draft = NewWorkergroup {
        endpoint_name: Some("my endpoint".into()),
        template_hash: Some("abc".into()),
        search_params: Some("gpu_ram>=24".into()),
        launch_args: Some("--x".into()),
        min_load: Some(1.0),
        target_util: Some(0.9),
        cold_mult: Some(3.0),
        cold_workers: Some(3),
        max_workers: Some(20),
        test_workers: Some(3),
        gpu_ram: Some(24),
        ..NewWorkergroup::default()
    };
    let other = NewWorkergroup {
        endpoint_id: Some(7),
        template_id: Some(9),
        ..NewWorkergroup::default()
    };
    let route = RouteCall {
        endpoint: "ep".into(),
        cost: 242.5,
        key: None,
        place: None,
    };
    for (request, method, target, path, body) in [
        (
            Request::UnlistVolume { id: 2029 },
            Method::Post,
            Target::Management,
            "/api/v0/volumes/unlist/",
            Some(json!({"id": 2029})),
        ),
        (
            Request::ListWorkergroups,
            Method::Get,
            Target::Management,
            "/api/v0/workergroups/",
            none.clone(),
        ),
        (
            Request::Search(Query::empty(Resource::Workergroups)),
            Method::Get,
            Target::Management,
            "/api/v0/workergroups/",
            none,
        ),
        (
            Request::CreateWorkergroup(draft),
            Method::Post,
            Target::Management,
            "/api/v0/workergroups/",
            Some(json!({
                "endpoint_name": "my endpoint",
                "template_hash": "abc",
                "search_params": "gpu_ram>=24",
                "launch_args": "--x",
                "min_load": 1,
                "target_util": 0.9,
                "cold_mult": 3,
                "cold_workers": 3,
                "max_workers": 20,
                "test_workers": 3,
                "gpu_ram": 24,
            })),
        ),
        (
            Request::CreateWorkergroup(other),
            Method::Post,
            Target::Management,
            "/api/v0/workergroups/",
            Some(json!({"endpoint_id": 7, "template_id": 9})),
        ),
        (
            Request::Route(route),
            Method::Post,
            Target::Route,
            "/route/",
            Some(json!({"endpoint": "ep", "cost": 242.5})),
        ),
    ] {
        for dialect in Dialect::ALL {
            let wire = encode(&request, dialect);
            let expected = WireRequest {
                method,
                target,
                path,
                body: body.clone(),
                key: None,
            };
            assert_eq!(wire, expected, "{}", dialect.name);
        }
    }
}

#[test]
fn a_route_request_names_its_place_only_where_the_router_has_a_queue() {
    let call = RouteCall {
        endpoint: "ep".into(),
        cost: 100.0,
        key: None,
        place: Some(QueuePlace {
            request_idx: 7,
            replay_timeout: 10.0,
        }),
    };
    let body = |dialect| encode(&Request::Route(call.clone()), dialect).body_text().unwrap();
    let queue = r#"{"endpoint":"ep","cost":100,"request_idx":7,"replay_timeout":10}"#;
    assert_eq!(body(&Dialect::DOCUMENTED), r#"{"endpoint":"ep","cost":100}"#);
    assert_eq!(body(&Dialect::VAST), queue);
    assert_eq!(body(&Dialect::SANDBOX), queue);
}
