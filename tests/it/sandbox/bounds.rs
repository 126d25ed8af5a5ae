//! What the sandbox takes from callers at most, in bytes, connections and time.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use bourse::domain::workergroup::{GroupChange, MadeGroup, MadeGroups};
use bourse::sandbox::ledger::Credential;
use serde_json::{Value as Json, json};

use crate::support::Server;

const BUNDLES: &str = "/api/v0/bundles/";
const GROUPS: &str = "/api/v0/workergroups/";

/// The most memory that a process has taken, in kB.
fn peak(process: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap().trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_search_takes_little_memory_however_it_is_sorted() {
    let mut sandbox = Command::new(env!("CARGO_BIN_EXE_bourse"))
        .args(["sandbox", "--freeze", "--offers", "2000", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(sandbox.stdout.take().unwrap()).lines();
    let mut word = || {
        let line = lines.next().unwrap().unwrap();
        line.rsplit(' ').next().unwrap().to_owned()
    };
    let (url, key) = (word(), word());
    let ask = |body: &str| {
        let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
        let head = format!(
            "POST {BUNDLES} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\
             Authorization: Bearer {key}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    };
    let sorted = |times: usize| {
        let key = r#"["dph_total","asc"]"#;
        ask(&format!("{{\"order\":[{}]}}", vec![key; times].join(",")))
    };
    let one = sorted(1);
    assert!(one.starts_with("HTTP/1.1 200"), "{one}");
    let before = peak(&sandbox);
    let body = |answer: &str| answer.split_once("\r\n\r\n").unwrap().1.to_owned();
    assert_eq!(body(&sorted(40_000)), body(&one));
    let grown = peak(&sandbox) - before;
    sandbox.kill().unwrap();
    sandbox.wait().unwrap();
    assert!(grown < 64 * 1024, "{grown} kB");
}

#[test]
fn what_a_request_can_leave_is_bounded() {
    let server = Server::frozen();
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
    let server = Server::frozen();
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
    let server = Server::frozen();
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
