//! What the sandbox takes from callers at most, in bytes and workergroups.

use bourse_domain::workergroup::{GroupChange, MadeGroup, MadeGroups};
use bourse_sandbox::ledger::Credential;
use serde_json::{Value as Json, json};

use crate::support::{Server, frozen};

const BUNDLES: &str = "/api/v0/bundles/";
const GROUPS: &str = "/api/v0/workergroups/";

#[test]
fn what_a_request_can_leave_is_bounded() {
    let server = Server::start(frozen());
    let refused = |path: &str, body: &Json, why: &str| {
        let answer = server.post(path, body);
        let text = answer.json().to_string();
        assert!(answer.status == 400 && text.contains(why), "{text}");
    };
    let ids: Vec<u32> = (0..10_001).collect();
    let long = "x".repeat(16 * 1024 + 1);
    refused(BUNDLES, &json!({"machine_id": {"in": ids}}), "at most 10000 values");
    for name in ["endpoint_name", "search_params", "launch_args", "template_hash"] {
        let body = json!({ name: long });
        refused(GROUPS, &body, "must not be longer than 16 KiB");
    }
}

#[test]
fn the_group_after_the_hundredth_is_refused_and_none_is_dropped() {
    let server = Server::start(frozen());
    let many = json!({"endpoint_name": "many"});
    for _ in 0..100 {
        server.post(GROUPS, &many).good();
    }
    let before = server.call("GET", GROUPS, "").good();
    let answer = server.post(GROUPS, &many);
    let text = answer.json().to_string();
    assert!(
        answer.status == 400 && text.contains("at most 100 workergroups"),
        "{text}"
    );
    assert_eq!(server.call("GET", GROUPS, "").good(), before);
    // Programs that share the file have no room for more either.
    let mut kept = MadeGroups::default();
    let made = |id: u64| -> MadeGroup {
        serde_json::from_value(json!({"id": id, "created_at": "", "endpoint_name": "many",
            "endpoint_id": 1, "template_hash": null, "template_id": null, "search_query": "",
            "launch_args": "", "min_load": 1.0, "target_util": 0.9, "cold_mult": 3.0,
            "test_workers": 3, "max_workers": 20, "gpu_ram": 24.0}))
        .unwrap()
    };
    for id in 0..100 {
        assert!(kept.apply(GroupChange::Put(made(id))));
    }
    assert!(!kept.apply(GroupChange::Put(made(100))));
    assert!(kept.apply(GroupChange::Put(made(7))), "a change of one that is kept");
    assert_eq!((kept.0.len(), kept.0[0].id), (100, 0));
}

#[test]
fn nothing_of_a_body_is_kept_from_callers_without_the_key() {
    let server = Server::start(frozen());
    let body = format!("{{\"note\":\"{}\"}}", "x".repeat(50_000));
    let page = [("Origin", "http://elsewhere.invalid"), ("Content-Type", "text/plain")];
    for path in [BUNDLES, "/route/", "/no/such/path"] {
        let answer = server.send("POST", path, &page, &body);
        assert!(matches!(answer.status, 401 | 404), "{path} {}", answer.status);
    }
    let entries = server.running.ledger().entries();
    assert_eq!(entries.len(), 3);
    for entry in entries {
        assert_eq!((entry.credential, entry.body.len()), (Credential::None, 0));
    }
    let large = "x".repeat(65 * 1024);
    assert_eq!(server.send("POST", BUNDLES, &page, &large).status, 413);
    assert_eq!(server.running.ledger().entries().len(), 3);
}
