//! The sandbox over raw HTTP: every operation, its defaults, errors and limits, as the
//! specification has them.

use std::collections::{HashMap, HashSet};

use bourse_sandbox::SandboxConfig;
use bourse_sandbox::ledger::Credential;
use bourse_sandbox::market::MarketConfig;
use serde_json::{Value, json};

use crate::support::{Answer, Server, frozen};

const BUNDLES: &str = "/api/v0/bundles/";
const VOLUMES: &str = "/api/v0/network_volumes/search/";
const UNLIST: &str = "/api/v0/volumes/unlist/";
const GROUPS: &str = "/api/v0/workergroups/";

fn ids(rows: &[Value]) -> Vec<u64> {
    rows.iter().map(|row| row["id"].as_u64().unwrap()).collect()
}

#[track_caller]
fn assert_invalid(answer: &Answer, word: &str) {
    assert_eq!(answer.status, 400, "{:?}", String::from_utf8_lossy(&answer.body));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let body = answer.json();
    assert_eq!(body["success"], false);
    assert_eq!(body["error"], "invalid_request");
    let msg = body["msg"].as_str().unwrap();
    assert!(msg.contains(word), "{msg} does not name {word}");
}

#[test]
fn a_search_without_conditions_gives_64_offers_at_the_price_of_8_gb() {
    let server = small();
    let rows = server.post(BUNDLES, &json!({})).offers();
    assert_eq!(rows.len(), 64);
    for row in &rows {
        let storage = row["storage_cost"].as_f64().unwrap() * 8.0 / 720.0;
        let total = row["dph_base"].as_f64().unwrap() + storage;
        assert!((row["dph_total"].as_f64().unwrap() - total).abs() < 1e-12);
        assert_eq!(row["is_bid"], false);
    }
    assert_eq!(server.post(BUNDLES, &json!({"limit": 5000})).offers().len(), 300);
    assert_eq!(server.post(BUNDLES, &json!({"limit": "7"})).offers().len(), 7);
    assert_eq!(server.post(BUNDLES, &json!({"limit": 0})).offers().len(), 0);
}

#[test]
fn the_query_of_the_first_page_finds_rows_that_satisfy_it() {
    let server = Server::start(frozen());
    let body = json!({
        "verified": {"eq": true}, "rentable": {"eq": true}, "rented": {"eq": false},
        "gpu_name": {"eq": "RTX 4090"}, "num_gpus": {"gte": 2}, "gpu_ram": {"gte": 24000},
        "reliability": {"gt": 0.98}, "geolocation": {"in": ["US", "CA"]},
        "limit": 500, "type": "on-demand", "order": [["dph_total", "asc"]]
    });
    let rows = server.post(BUNDLES, &body).offers();
    assert!(rows.len() >= 3, "{}", rows.len());
    let mut last = 0.0;
    for row in &rows {
        assert_eq!(row["gpu_name"], "RTX 4090");
        assert_eq!(row["verification"], "verified");
        assert!(row["num_gpus"].as_u64().unwrap() >= 2);
        assert!(row["gpu_ram"].as_u64().unwrap() >= 24_000);
        assert!(row["reliability"].as_f64().unwrap() > 0.98);
        let place = row["geolocation"].as_str().unwrap();
        assert!(place.ends_with(", US") || place.ends_with(", CA"), "{place}");
        let price = row["dph_total"].as_f64().unwrap();
        assert!(price >= last);
        last = price;
    }
}

#[test]
fn type_and_storage_change_the_prices() {
    let server = small();
    let search = |body: Value| -> HashMap<u64, Value> {
        let rows = server.post(BUNDLES, &body).offers();
        rows.into_iter().map(|row| (row["id"].as_u64().unwrap(), row)).collect()
    };
    let fixed = search(json!({"limit": 5000}));
    let bids = search(json!({"limit": 5000, "type": "bid"}));
    let ahead = search(json!({"limit": 5000, "type": "reserved"}));
    let large = search(json!({"limit": 5000, "allocated_storage": 100}));
    assert_eq!((fixed.len(), bids.len(), ahead.len()), (300, 300, 300));
    for (id, row) in &fixed {
        assert_eq!(bids[id]["dph_base"], row["min_bid"]);
        assert_eq!(bids[id]["is_bid"], true);
        assert_eq!(row["discounted_dph_total"], row["dph_total"]);
        assert!(ahead[id]["discounted_dph_total"].as_f64() <= row["dph_total"].as_f64());
    }
    let cheaper = ahead
        .iter()
        .filter(|(id, row)| row["discounted_dph_total"].as_f64() < fixed[*id]["dph_total"].as_f64());
    assert!(cheaper.count() > 12);
    assert!(
        large.len() < 300 && !large.is_empty(),
        "an allocation asks for that much disk"
    );
    for (id, row) in &large {
        assert!(row["disk_space"].as_f64().unwrap() >= 100.0);
        let extra = row["storage_cost"].as_f64().unwrap() * 92.0 / 720.0;
        let difference = row["dph_total"].as_f64().unwrap() - fixed[id]["dph_total"].as_f64().unwrap();
        assert!((difference - extra).abs() < 1e-9);
        assert_eq!(row["search"]["totalHour"], row["dph_total"]);
        assert_eq!(row["search"]["diskHour"], row["storage_total_cost"]);
    }
}

/// A frozen sandbox with a small market: whole answers of the large one take their time.
fn small() -> Server {
    Server::start(SandboxConfig {
        market: MarketConfig {
            offers: 300,
            ..MarketConfig::default()
        },
        ..frozen()
    })
}

#[test]
fn values_are_understood_however_clients_send_them() {
    let server = small();
    let search = |mut body: Value| {
        body["limit"] = json!(5000);
        ids(&server.post(BUNDLES, &body).offers())
    };
    let same = |left: Value, right: Value| {
        let (found, wanted) = (search(left.clone()), search(right.clone()));
        assert!(!found.is_empty(), "{left}");
        assert!(
            found == wanted,
            "{left} and {right} differ: {} and {}",
            found.len(),
            wanted.len()
        );
    };
    same(
        json!({"cuda_max_good": {"gte": "12.0"}}),
        json!({"cuda_max_good": {"gte": 12}}),
    );
    same(
        json!({"num_gpus": {"in": ["1", "2"]}}),
        json!({"num_gpus": {"in": [1, 2]}}),
    );
    same(json!({"num_gpus": {"notin": [1]}}), json!({"num_gpus": {"nin": [1]}}));
    same(
        json!({"num_gpus": {"gte": 2, "lt": "8"}}),
        json!({"num_gpus": {"in": [2, 3, 4, 5, 6, 7]}}),
    );
    same(json!({"verified": {"eq": "true"}}), json!({"verified": {"eq": true}}));
    same(json!({"external": {"eq": "false"}}), json!({"external": false}));
    same(
        json!({"gpu_name": {"in": ["RTX_3090"]}}),
        json!({"gpu_name": {"eq": "RTX 3090"}}),
    );
    same(
        json!({"driver_version": {"gte": 570_181_000}}),
        json!({"driver_version": {"gte": "570.181"}}),
    );
    same(
        json!({"driver_version": {"gte": "535.1.1"}}),
        json!({"driver_vers": {"gte": 535_001_001}}),
    );
    same(json!({"rented": {"eq": "any"}}), json!({}));
    same(json!({"datacenter": {"eq": true}}), json!({"hosting_type": {"eq": 1}}));
    same(
        json!({"verified": {"eq": true}}),
        json!({"verification": {"eq": "verified"}}),
    );
    same(json!({"gpu_ram_GB": {"gte": 48}}), json!({"gpu_ram": {"gte": 48000}}));
    same(
        json!({"ubuntu_version": {"eq": "22.04"}}),
        json!({"os_version": {"eq": 22.04}}),
    );
    same(
        json!({"target_reliability": 0.95}),
        json!({"expected_reliability": {"gte": 0.95}}),
    );
    same(json!({"q": {"num_gpus": {"eq": 4}}}), json!({"num_gpus": {"eq": 4}}));
    same(
        json!({"type": "ondemand", "disable_bundling": true}),
        json!({"type": "on-demand"}),
    );
    let nothing = search(json!({"geolocation": {"in": ["EU", "us", "Taiwan, TW"]}}));
    assert!(nothing.is_empty(), "countries are two exact letters");
}

#[test]
fn null_is_equal_to_null_and_to_nothing_else() {
    let server = small();
    let count = |body: Value| server.post(BUNDLES, &body).offers().len();
    let null = count(json!({"limit": 5000, "geolocation": {"eq": null}}));
    let place = count(json!({"limit": 5000, "geolocation": {"neq": null}}));
    assert!(null > 0);
    assert_eq!(null + place, 300);
    let not_us = count(json!({"limit": 5000, "geolocation": {"neq": "US"}}));
    let us = count(json!({"limit": 5000, "geolocation": {"eq": "US"}}));
    assert_eq!(
        us + not_us,
        place,
        "a place that is not known is neither in nor out of the US"
    );
    assert_eq!(
        count(json!({"limit": 5000, "mobo_name": {"nin": []}})),
        count(json!({"limit": 5000, "mobo_name": {"neq": null}}))
    );
}

#[test]
fn bad_searches_are_refused_with_a_message() {
    let server = Server::start(frozen());
    for body in ["", "{", "[1]", "null", "\"x\""] {
        assert_invalid(&server.call("POST", BUNDLES, body), "Invalid json body");
        assert_invalid(&server.call("POST", VOLUMES, body), "Invalid json body");
    }
    for (body, word) in [
        (json!({"gpu_nam": {"eq": "x"}}), "gpu_nam"),
        (json!({"num_gpus": {"equals": 1}}), "equals is not a valid search op"),
        (json!({"num_gpus": 1}), "num_gpus"),
        (json!({"num_gpus": {}}), "num_gpus"),
        (json!({"num_gpus": {"eq": "many"}}), "num_gpus"),
        (json!({"num_gpus": {"in": 1}}), "list"),
        (json!({"num_gpus": {"eq": [1]}}), "number"),
        (json!({"gpu_name": {"gt": "A"}}), "gpu_name"),
        (json!({"geolocation": {"lte": "US"}}), "geolocation"),
        (json!({"verified": {"eq": "perhaps"}}), "verified"),
        (json!({"driver_version": {"gte": "new"}}), "driver_version"),
        (json!({"limit": -3}), "limit"),
        (json!({"limit": 1.5}), "limit"),
        (json!({"type": "foo"}), "type"),
        (json!({"order": "dph_total"}), "order"),
        (json!({"order": [["dph_total"]]}), "order"),
        (json!({"order": [["dph_total", "up"]]}), "order"),
        (json!({"order": [["nothing", "asc"]]}), "nothing"),
        (json!({"allocated_storage": "much"}), "allocated_storage"),
        (json!({"q": 1}), "q"),
    ] {
        assert_invalid(&server.post(BUNDLES, &body), word);
    }
    assert_invalid(
        &server.post(VOLUMES, &json!({"q": {"gpu_name": {"eq": "x"}}})),
        "gpu_name",
    );
}

#[test]
fn a_missing_or_wrong_key_is_401_on_every_operation() {
    let server = Server::start(frozen());
    let calls = [
        ("POST", BUNDLES, "{}"),
        ("PUT", "/api/v0/search/asks/", "{\"q\":{}}"),
        ("POST", VOLUMES, "{\"q\":{}}"),
        ("POST", UNLIST, "{\"id\":1}"),
        ("GET", GROUPS, ""),
        ("POST", GROUPS, "{}"),
        ("GET", "/api/v0/autojobs/", "{}"),
        ("POST", "/route/", "{\"endpoint\":\"sdxl\",\"cost\":1}"),
    ];
    for (method, path, body) in calls {
        for headers in [&[][..], &[("Authorization", "Bearer wrong")], &[("Authorization", "")]] {
            let answer = server.send(method, path, headers, body);
            assert_eq!(answer.status, 401, "{method} {path} {headers:?}");
            assert_eq!(answer.json()["success"], false);
            assert_eq!(answer.json()["error"], "auth_error");
        }
    }
    assert_eq!(server.send("GET", "/api/v0/gpu_names/unique/", &[], "").status, 200);
    assert_eq!(server.send("GET", "/pubkey/", &[], "").status, 200);
}

#[test]
fn paths_are_understood_in_every_spelling_and_nothing_is_redirected() {
    let server = Server::start(frozen());
    for path in [
        "/api/v0/bundles",
        "/api/v0/bundles/",
        "//api/v0/bundles/",
        "/api/v0/bundles/?api_key=x",
    ] {
        assert_eq!(server.post(path, &json!({"limit": 1})).offers().len(), 1, "{path}");
    }
    assert_eq!(
        server
            .call(
                "PUT",
                "/api/v0/search/asks/",
                r#"{"select_cols":["*"],"q":{"limit":3}}"#
            )
            .offers()
            .len(),
        3
    );
    let encoded = "/api/v0/bundles?q=%7B%22num_gpus%22:%7B%22eq%22:%224%22%7D,%22limit%22:2%7D";
    let rows = server.call("GET", encoded, "").offers();
    assert!(rows.len() == 2 && rows.iter().all(|row| row["num_gpus"] == 4));
    assert_eq!(
        server
            .call("GET", "/api/v0/autojobs", r#"{"client_id":"me","api_key":"x"}"#)
            .good()["success"],
        true
    );
    let wrong = server.call("DELETE", "/api/v0/bundles/", "");
    assert_eq!((wrong.status, wrong.header("allow")), (405, Some("GET, POST")));
    let unknown = server.call("POST", "/api/v0/nothing/", "{}");
    assert_eq!(
        (unknown.status, unknown.json()["error"].as_str()),
        (404, Some("not_found"))
    );
}

#[test]
fn a_request_for_another_host_is_refused() {
    let server = Server::start(frozen());
    let key = format!("Bearer {}", server.running.key());
    let ask = |host: &str| {
        server
            .send(
                "POST",
                BUNDLES,
                &[("Host", host), ("Authorization", &key)],
                "{\"limit\":1}",
            )
            .status
    };
    for host in ["localhost:1234", "LOCALHOST", "127.0.0.1:9", "[::1]:80", "127.9.9.9"] {
        assert_eq!(ask(host), 200, "{host}");
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example:80",
        "192.0.2.1",
        "",
    ] {
        assert_eq!(ask(host), 403, "{host}");
    }
}

#[test]
fn network_volumes_are_found_wrapped_and_flat() {
    let server = Server::start(frozen());
    let search = |body: Value| server.post(VOLUMES, &body).offers();
    assert_eq!(server.post(VOLUMES, &json!({"q": {}})).good()["success"], true);
    let all = search(json!({"q": {"limit": 500}}));
    assert_eq!((all.len(), search(json!({})).len()), (60, 60));
    let days = search(json!({"q": {"duration": {"gte": 30}}}));
    let seconds = search(json!({"duration": {"gte": 2_592_000.0}}));
    assert!(!days.is_empty() && days.len() < 60);
    assert_eq!(ids(&days), ids(&seconds), "days in q, seconds when flat");
    let fast = search(json!({"q": {"disk_bw": {"gt": 2000}, "order": [["nw_disk_avg_bw", "desc"]]}}));
    assert!(fast.iter().all(|row| row["nw_disk_avg_bw"].as_u64().unwrap() > 2000));
    assert!(
        fast.windows(2)
            .all(|two| two[0]["nw_disk_avg_bw"].as_u64() >= two[1]["nw_disk_avg_bw"].as_u64())
    );
    let priced = search(json!({"allocated_storage": 100.0}));
    for row in &priced {
        let hourly = row["storage_cost"].as_f64().unwrap() * 100.0 / 720.0;
        assert!((row["storage_cost_total"].as_f64().unwrap() - hourly).abs() < 1e-12);
    }
    // What the market's own client sends.
    let client = search(json!({
        "verified": {"eq": true}, "external": {"eq": false}, "disk_space": {"gte": 1},
        "order": [["score", "desc"]], "allocated_storage": 1.0
    }));
    assert!(!client.is_empty() && client.iter().all(|row| row["verified"] == true));
}

#[test]
fn unlisting_takes_a_volume_out_of_the_search() {
    let server = Server::start(frozen());
    let volumes = || ids(&server.post(VOLUMES, &json!({"limit": 500})).offers());
    let before = volumes();
    let (mut gone, mut refused) = (None, 0);
    for id in &before {
        let answer = server.post(UNLIST, &json!({ "id": id }));
        let body = answer.json();
        if answer.status == 200 {
            assert_eq!(body, json!({"success": true, "msg": format!("Unlisted Volume {id}.")}));
            gone = Some(*id);
            break;
        }
        assert_eq!((answer.status, &body["success"]), (400, &json!(false)));
        assert!(
            body["msg"] == "Unable to delete active volume listing" || body["msg"] == "Volume listing does not exist"
        );
        refused += 1;
    }
    let gone = gone.unwrap_or_else(|| panic!("{refused} refused and none unlisted"));
    assert!(!volumes().contains(&gone));
    assert_eq!(volumes().len(), 59);
    let again = server.call("POST", "/api/v0/volumes/unlist", &json!({ "id": gone }).to_string());
    assert_eq!(
        (again.status, again.json()["msg"].as_str()),
        (400, Some("Volume listing does not exist"))
    );
    for body in ["{}", r#"{"id":null}"#] {
        let answer = server.call("POST", UNLIST, body);
        assert_eq!((answer.status, &answer.json()["success"]), (400, &json!(false)));
    }
    let local = || server.post("/api/v0/volumes/search/", &json!({"limit": 5000})).offers();
    let volumes = local();
    assert!(volumes.len() > 100);
    let own = volumes.iter().find(|volume| volume["host_id"] == 1001);
    assert_eq!(server.post(UNLIST, &json!({"id": own.unwrap()["id"]})).status, 200);
    assert_eq!(local().len(), volumes.len() - 1);
    assert_invalid(&server.call("POST", UNLIST, r#"{"id":"many"}"#), "id");
    assert_invalid(&server.call("POST", UNLIST, r#"{"id":1,"force":true}"#), "force");
}

#[test]
fn requests_that_come_too_fast_are_refused_with_the_documented_bodies() {
    let server = Server::start(SandboxConfig {
        rate_limits: true,
        ..frozen()
    });
    assert_eq!(server.post(UNLIST, &json!({"id": 1})).status, 400);
    let refused = server.post(UNLIST, &json!({"id": 1}));
    assert_eq!(refused.status, 429);
    assert_eq!(
        refused.json(),
        json!({"detail": "API requests too frequent endpoint threshold=5.0"})
    );
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=5).contains(&wait), "{wait}");
    assert_eq!(server.post(VOLUMES, &json!({"q": {}})).status, 200);
    let refused = server.post(VOLUMES, &json!({"q": {}}));
    assert_eq!((refused.status, &refused.json()["success"]), (429, &json!(false)));
    assert!(refused.json()["msg"].as_str().unwrap().contains("threshold=2.0"));
    for _ in 0..5 {
        assert_eq!(server.post(BUNDLES, &json!({"limit": 1})).status, 200);
    }
}

#[test]
fn workergroups_are_made_with_the_documented_defaults_and_kept() {
    let server = Server::start(frozen());
    let list = || {
        server.call("GET", GROUPS, "").good()["results"]
            .as_array()
            .unwrap()
            .clone()
    };
    let before = list();
    assert!(before.iter().any(|group| group["endpoint_name"] == "llama-70b"));
    let made = server.post(GROUPS, &json!({"endpoint_name": "fresh"})).good();
    assert_eq!(made["success"], true);
    let after = list();
    assert_eq!(after.len(), before.len() + 1);
    let group = after.iter().find(|group| group["id"] == made["id"]).unwrap();
    for (member, value) in [
        ("endpoint_name", json!("fresh")),
        ("search_query", json!("verified=true rentable=true rented=false")),
        ("launch_args", json!("")),
        ("min_load", json!(1.0)),
        ("target_util", json!(0.9)),
        ("cold_mult", json!(3.0)),
        ("test_workers", json!(3)),
        ("gpu_ram", json!(24)),
    ] {
        assert_eq!(group[member], value, "{member}");
    }
    let members = "id min_load target_util cold_mult test_workers template_hash template_id \
        search_query launch_args gpu_ram endpoint_name endpoint_id api_key created_at user_id";
    for group in &after {
        let names: HashSet<&str> = group.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, members.split_whitespace().collect());
        assert!(group["created_at"].as_str().unwrap().ends_with('Z'));
    }
    let all = json!({
        "endpoint_id": group["endpoint_id"], "template_hash": "abc", "template_id": 9,
        "search_params": "gpu_ram>=23", "launch_args": "--disk 64", "min_load": 5.5,
        "target_util": 0.5, "cold_mult": 2, "cold_workers": 1, "max_workers": 4,
        "test_workers": 2, "gpu_ram": 48
    });
    let id = server.post("/api/v0/autojobs/", &all).good()["id"].clone();
    let second = list().into_iter().find(|group| group["id"] == id).unwrap();
    assert_eq!(second["endpoint_name"], "fresh");
    assert_eq!(
        (&second["search_query"], &second["gpu_ram"]),
        (&json!("gpu_ram>=23"), &json!(48))
    );
    assert_eq!((&second["min_load"], &second["template_id"]), (&json!(5.5), &json!(9)));
    let path = format!("/api/v0/workergroups/{id}/");
    assert_eq!(
        server.call("PUT", &path, r#"{"gpu_ram": 32.0}"#).good()["success"],
        true
    );
    assert_eq!(list().iter().find(|group| group["id"] == id).unwrap()["gpu_ram"], 32);
    assert_eq!(server.call("DELETE", &path, "").good()["success"], true);
    assert_eq!(list().len(), before.len() + 1);
    assert_eq!(server.call("DELETE", &path, "").status, 404);
}

#[test]
fn workergroups_that_make_no_sense_are_refused() {
    let server = Server::start(frozen());
    assert_eq!(
        server.post(GROUPS, &json!({})).good()["success"],
        true,
        "no parameter is required"
    );
    assert_invalid(&server.call("POST", GROUPS, "{"), "Invalid json body");
    assert_invalid(&server.post(GROUPS, &json!({"endpoint": "x"})), "endpoint");
    assert_invalid(&server.post(GROUPS, &json!({"min_load": -1})), "min_load");
    assert_invalid(&server.post(GROUPS, &json!({"test_workers": 1.5})), "test_workers");
    assert_invalid(&server.post(GROUPS, &json!({"search_params": 7})), "search_params");
    for body in [
        json!({"endpoint_id": 99_999}),
        json!({"endpoint_name": "x", "cold_workers": 5, "max_workers": 4}),
    ] {
        let answer = server.post(GROUPS, &body);
        assert_eq!(
            (answer.status, answer.json()["error"].as_str()),
            (400, Some("invalid_args"))
        );
    }
    // What the market's own client sends.
    let client = json!({
        "client_id": "me", "template_hash": null, "template_id": null,
        "search_params": "verified=True rentable=True rented=False", "launch_args": null,
        "gpu_ram": null, "endpoint_name": "x", "endpoint_id": null, "autoscaler_instance": "prod"
    });
    assert_eq!(server.post("/api/v0/autojobs/", &client).good()["success"], true);
}

#[test]
fn routing_assigns_workers_with_growing_numbers_and_true_signatures() {
    let server = Server::start(frozen());
    let pem = String::from_utf8(server.send("GET", "/pubkey/", &[], "").body).unwrap();
    let mut last: HashMap<String, u64> = HashMap::new();
    let mut unique = HashSet::new();
    for _ in 0..40 {
        let reply = server
            .post("/route/", &json!({"endpoint": "llama-70b", "cost": 242}))
            .good();
        assert_eq!((&reply["endpoint"], &reply["cost"]), (&json!("llama-70b"), &json!(242)));
        let url = reply["url"].as_str().unwrap();
        let reqnum = reply["reqnum"].as_u64().unwrap();
        if let Some(before) = last.insert(url.to_owned(), reqnum) {
            assert_eq!(reqnum, before + 1);
        }
        assert!(unique.insert(reply["__request_id"].as_str().unwrap().to_owned()));
        assert!(reply["request_idx"].as_u64().unwrap() > 0);
        verify(&pem, url, reply["signature"].as_str().unwrap());
    }
    assert!(last.len() > 1);
    let free = server.post("/route/", &json!({"endpoint": "sdxl"})).good();
    assert_eq!(free["cost"], 100, "the default cost");
}

/// Checks a signature with the published key: the DER of a 2048-bit key's `SubjectPublicKeyInfo`
/// has 24 bytes before the key itself.
fn verify(pem: &str, url: &str, signature: &str) {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let der = STANDARD.decode(body).unwrap();
    let key = ring::signature::UnparsedPublicKey::new(&ring::signature::RSA_PKCS1_2048_8192_SHA256, &der[24..]);
    let text = format!("{{\n    \"url\": \"{url}\"\n}}");
    key.verify(text.as_bytes(), &STANDARD.decode(signature).unwrap())
        .unwrap();
}

#[test]
fn a_cold_endpoint_answers_with_a_status_until_a_worker_is_ready() {
    let server = Server::start(frozen());
    let ask = |body: Value| server.post("/route/", &body).good();
    let first = ask(json!({"endpoint": "whisper-large", "cost": 100.0}));
    assert!(first.get("url").is_none());
    assert_eq!(first["status"], "1 model_loading, 2 stopped");
    assert!(first["__request_id"].is_string());
    let idx = first["request_idx"].clone();
    // In a frozen sandbox every route request is a second of the fleet's time.
    let mut waited = 0;
    let assigned = loop {
        let reply = ask(json!({"endpoint": "whisper-large", "cost": 100.0, "request_idx": idx}));
        if reply.get("url").is_some() {
            break reply;
        }
        waited += 1;
        assert!(waited < 60);
    };
    assert!(waited > 3, "{waited}");
    assert_eq!(assigned["request_idx"], idx);
    assert_eq!(assigned["cost"], 100.0);
    let empty = ask(json!({"endpoint": "empty", "cost": 1}));
    assert_eq!((empty.get("url"), &empty["status"]), (None, &json!("no workers")));
}

#[test]
fn a_new_workergroup_hires_machines_that_match_its_search() {
    let server = Server::start(frozen());
    let search = "gpu_name=RTX_4090 num_gpus>=2 verified=true geolocation in [US,CA]";
    let made = json!({"endpoint_name": "fresh", "search_params": search, "test_workers": 2});
    server.post(GROUPS, &made).good();
    let hopeless = json!({"endpoint_name": "hopeless", "search_params": "num_gpus>=1000"});
    server.post(GROUPS, &hopeless).good();
    let route = |endpoint: &str| server.post("/route/", &json!({"endpoint": endpoint})).good();
    assert_eq!(route("fresh")["status"], "no workers");
    let mut urls = HashSet::new();
    for _ in 0..80 {
        if let Some(url) = route("fresh")["url"].as_str() {
            urls.insert(url.to_owned());
        }
    }
    assert_eq!(urls.len(), 2, "{urls:?}");
    let rows = server
        .post(
            BUNDLES,
            &json!({
                "gpu_name": {"eq": "RTX 4090"}, "num_gpus": {"gte": 2},
                "verified": {"eq": true}, "geolocation": {"in": ["US", "CA"]}, "limit": 5000
            }),
        )
        .offers();
    let addresses: HashSet<&str> = rows
        .iter()
        .map(|row| row["public_ipaddr"].as_str().unwrap().trim())
        .collect();
    let machines: HashMap<String, String> = server.running.workers().into_iter().collect();
    for url in urls {
        let machine = &machines[&url];
        let host = machine.strip_prefix("https://").unwrap().split(':').next().unwrap();
        assert!(addresses.contains(host), "{machine}");
    }
    assert_eq!(route("hopeless")["status"], "no workers");
}

#[test]
fn route_requests_are_checked() {
    let server = Server::start(frozen());
    assert_invalid(
        &server.post("/route/", &json!({"endpoint": "sdxl", "cost": -1})),
        "cost",
    );
    assert_invalid(
        &server.post("/route/", &json!({"endpoint": "sdxl", "cost": "much"})),
        "cost",
    );
    assert_invalid(
        &server.post("/route/", &json!({"endpoint": "sdxl", "price": 1})),
        "price",
    );
    assert_invalid(&server.post("/route/", &json!({"endpoint": "", "cost": 1})), "endpoint");
    assert_invalid(&server.call("POST", "/route/", "x"), "Invalid json body");
    for body in [json!({"cost": 1}), json!({"endpoint": "unknown", "cost": 1})] {
        let answer = server.post("/route/", &body);
        assert_eq!((answer.status, &answer.json()["success"]), (400, &json!(false)));
    }
    let unknown = json!({"endpoint": "unknown", "cost": 1, "request_idx": 0, "replay_timeout": 10});
    let refused = server.post("/route/", &unknown).good();
    assert_eq!(refused, json!({"error_msg": "endpoint unknown not found"}));
    let endpoints = server.call("GET", "/api/v0/endptjobs/?client_id=me", "").good();
    let key = |name: &str| {
        let known = endpoints["results"].as_array().unwrap().iter();
        let endpoint = known
            .clone()
            .find(|endpoint| endpoint["endpoint_name"] == name)
            .unwrap();
        format!("Bearer {}", endpoint["api_key"].as_str().unwrap())
    };
    let route = |key: &str| {
        let body = r#"{"endpoint":"sdxl","cost":1,"api_key":"x","request_idx":0,"replay_timeout":60.0}"#;
        server.send("POST", "/route/", &[("Authorization", key)], body).status
    };
    assert_eq!(route(&key("sdxl")), 200);
    assert_eq!(route(&key("llama-70b")), 401, "another endpoint's key");
    let groups = server.call("GET", GROUPS, "").good()["results"].clone();
    let group = groups
        .as_array()
        .unwrap()
        .iter()
        .find(|group| group["endpoint_name"] == "sdxl")
        .unwrap()
        .clone();
    assert_eq!(route(&format!("Bearer {}", group["api_key"].as_str().unwrap())), 200);
    let search = server.send("POST", BUNDLES, &[("Authorization", &key("sdxl"))], "{}");
    assert_eq!(search.status, 401, "an endpoint's key is good for routing only");
}

#[test]
fn a_frozen_sandbox_sends_the_same_bytes_in_every_run() {
    let script = |server: &Server| -> Vec<Answer> {
        // The workers' ports, and so their signatures, differ: both sandboxes run at the same time.
        let routed = |mut answer: Answer| {
            let mut reply = answer.json();
            for name in ["url", "signature"] {
                reply.as_object_mut().unwrap().remove(name);
            }
            answer.headers.retain(|(name, _)| name != "content-length");
            answer.body = reply.to_string().into_bytes();
            answer
        };
        [
            ("POST", BUNDLES, r#"{"limit":100000}"#),
            ("POST", VOLUMES, r#"{"q":{}}"#),
            ("GET", GROUPS, ""),
            ("POST", GROUPS, r#"{"endpoint_name":"x"}"#),
            ("GET", GROUPS, ""),
            ("POST", "/route/", r#"{"endpoint":"llama-70b","cost":100}"#),
            ("POST", "/route/", r#"{"endpoint":"whisper-large","cost":100}"#),
            ("GET", "/api/v0/endptjobs/", ""),
        ]
        .into_iter()
        .map(|(method, path, body)| match (path, server.call(method, path, body)) {
            ("/route/", answer) => routed(answer),
            (_, answer) => answer,
        })
        .collect()
    };
    let (first, second) = (small(), small());
    assert_eq!(first.running.key(), second.running.key());
    assert!(script(&first) == script(&second));
    let other = Server::start(SandboxConfig {
        market: MarketConfig {
            seed: 2,
            offers: 300,
            ..MarketConfig::default()
        },
        ..frozen()
    });
    assert!(script(&first)[0] != script(&other)[0]);
}

#[test]
fn keys_differ_from_run_to_run_and_are_never_printed() {
    let start = || {
        Server::start(SandboxConfig {
            freeze: false,
            ..frozen()
        })
    };
    let (first, second) = (start(), start());
    assert_ne!(first.running.key(), second.running.key());
    assert_eq!(first.running.key().len(), 32);
    assert!(!format!("{:?}", first.running).contains(first.running.key()));
    let given = SandboxConfig {
        api_key: Some(bourse_sandbox::Token::new("canary")),
        ..frozen()
    };
    assert!(!format!("{given:?}").contains("canary"));
    assert_eq!(Server::start(given).running.key(), "canary");
}

#[test]
fn the_ledger_remembers_requests_without_keys() {
    let server = Server::start(frozen());
    server.post("/api/v0/bundles/?api_key=hidden", &json!({"limit": 1}));
    server.send(
        "GET",
        GROUPS,
        &[("Authorization", "Bearer canary"), ("X-Test", "1")],
        "",
    );
    server.send("GET", "/pubkey/", &[], "");
    let entries = server.running.ledger().entries();
    assert_eq!(entries.len(), 3);
    assert_eq!(
        (entries[0].method.as_str(), entries[0].path.as_str()),
        ("POST", BUNDLES)
    );
    assert_eq!(entries[0].query, ["api_key"]);
    assert_eq!(&entries[0].body[..], br#"{"limit":1}"#);
    let credentials: Vec<_> = entries.iter().map(|entry| entry.credential).collect();
    assert_eq!(credentials, [Credential::Account, Credential::Other, Credential::None]);
    assert!(entries[1].headers.contains(&("x-test".to_owned(), "1".to_owned())));
    let text = format!("{entries:?}");
    assert!(!text.contains("canary") && !text.contains("hidden") && !text.contains(server.running.key()));
}

#[test]
fn faults_strike_where_they_are_told_to() {
    let with = |spec: &str| {
        Server::start(SandboxConfig {
            faults: Some(spec.parse().unwrap()),
            ..frozen()
        })
    };
    let offers = |spec: &str| with(spec).post(BUNDLES, &json!({"limit": 3}));
    for (spec, label, status, kind, start) in [
        (
            "status_400",
            "F76/1/1",
            400,
            "application/json",
            r#"{"success":false,"error":"invalid_request""#,
        ),
        (
            "status_401",
            "F22/1/1",
            401,
            "application/json",
            r#"{"success":false,"error":"auth_error""#,
        ),
        (
            "status_429",
            "F25/1/1",
            429,
            "application/json",
            r#"{"detail":"API requests too frequent"#,
        ),
        ("status_500", "F29/1/1", 500, "application/json", r#"{"error":""#),
        ("status_502_html", "F30/1/1", 502, "text/html", "<html>"),
        (
            "success_false",
            "F38/1/1",
            200,
            "application/json",
            r#"{"success":false"#,
        ),
    ] {
        let answer = offers(spec);
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (status, Some(kind)),
            "{spec}"
        );
        assert!(text.starts_with(start), "{spec}: {text:.90}");
        assert_eq!(answer.header("x-sandbox-fault"), Some(label));
    }
    assert!(serde_json::from_slice::<Value>(&offers("garbage").body).is_err());
    let rows = offers("bad_row").offers();
    assert_eq!((rows.len(), rows[1].is_object()), (4, false));
    let elsewhere = with("status_500@volumes");
    assert_eq!(elsewhere.post(BUNDLES, &json!({})).status, 200);
    assert_eq!(elsewhere.post(VOLUMES, &json!({})).status, 500);
    for bad in ["nothing", "slow:2", "slow:x", "slow@nowhere"] {
        assert!(bad.parse::<bourse_sandbox::faults::FaultSpec>().is_err(), "{bad}");
    }
}

#[test]
fn broken_connections_say_what_was_done() {
    let with = |spec: &str| {
        Server::start(SandboxConfig {
            faults: Some(spec.parse().unwrap()),
            ..frozen()
        })
    };
    for (spec, made) in [("drop_before_commit@create", 0), ("drop_after_commit@create", 1)] {
        let server = with(spec);
        let count = || {
            server.call("GET", GROUPS, "").good()["results"]
                .as_array()
                .unwrap()
                .len()
        };
        let before = count();
        let key = format!("Bearer {}", server.running.key());
        let answer = server.try_send("POST", GROUPS, &[("Authorization", &key)], "{}");
        assert!(answer.is_none(), "{spec}");
        assert_eq!(count(), before + made, "{spec}");
    }
    let cut = with("cut_body@offers").post(BUNDLES, &json!({"limit": 10}));
    let promised: usize = cut.header("content-length").unwrap().parse().unwrap();
    assert!(cut.body.len() < promised && cut.body.len() > promised / 4);
}

#[test]
fn faults_follow_from_the_seed() {
    let run = |seed| {
        let server = Server::start(SandboxConfig {
            faults: Some("status_500:0.3".parse().unwrap()),
            market: MarketConfig {
                seed,
                offers: 10,
                ..MarketConfig::default()
            },
            ..frozen()
        });
        (0..40)
            .map(|_| server.post(BUNDLES, &json!({"limit": 1})).status)
            .collect::<Vec<_>>()
    };
    let first = run(1);
    assert_eq!(first, run(1));
    assert_ne!(first, run(2));
    let struck = first.iter().filter(|status| **status == 500).count();
    assert!((3..=25).contains(&struck), "{struck}");
}

#[test]
fn a_stopped_sandbox_refuses_connections_even_when_an_answer_hangs() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let config = SandboxConfig {
        faults: Some("hang@offers".parse().unwrap()),
        ..frozen()
    };
    let running = runtime.block_on(bourse_sandbox::Sandbox::start(config)).unwrap();
    let addr = running.addr();
    let mut stream = std::net::TcpStream::connect(addr).unwrap();
    let head = format!(
        "POST {BUNDLES} HTTP/1.1\r\nHost: {addr}\r\nAuthorization: Bearer {}\r\nContent-Length: 2\r\n\r\n{{}}",
        running.key()
    );
    std::io::Write::write_all(&mut stream, head.as_bytes()).unwrap();
    while running.ledger().entries().is_empty() {
        std::thread::yield_now();
    }
    runtime.block_on(running.stop());
    assert!(std::net::TcpStream::connect(addr).is_err());
}
