//! Commands that list: which records, which columns, from which query, and that no output acts on a
//! terminal.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value as Json, json};

use super::commands::{Home, arguments_of, bourse, run};
use crate::recorder::{Recorder, json};
use crate::route_server::assignment;

const GROUPS: &str = r#"{"success": true, "results": [
    {"id": 1, "endpoint_name": "chat", "gpu_ram": 24, "api_key": "SECRET-1"},
    {"id": 2, "endpoint_name": "sdxl", "gpu_ram": 12, "api_key": "SECRET-2"},
    {"id": 3, "endpoint_name": "chat", "gpu_ram": 80, "api_key": "SECRET-3"}]}"#;

#[test]
fn groups_are_filtered_sorted_and_limited() {
    let recorder = Recorder::always(json(200, GROUPS));
    let url = recorder.url();
    let flags = ["groups", "endpoint=chat", "gpu_ram>=24", "--order", "id-"];
    let more = ["--base-url", &url, "--format", "json"];
    let (status, out, err) = bourse(&[&flags[..], &more].concat());
    assert_eq!((status, err.as_str()), (0, ""));
    let ids = |out: &str| -> Vec<i64> {
        let whole: Json = serde_json::from_str(out).unwrap();
        let groups = whole["results"].as_array().unwrap();
        groups.iter().map(|group| group["id"].as_i64().unwrap()).collect()
    };
    assert_eq!(ids(&out), [3, 1]);
    assert!(!out.contains("SECRET"), "{out}");
    let request = recorder.only();
    assert_eq!((request.method.as_str(), request.body.len()), ("GET", 0));

    let (status, out, err) = bourse(&[&flags[..], &more, &["-n", "1"]].concat());
    assert_eq!((status, ids(&out)), (0, vec![3]));
    assert!(err.contains("1 of 2 workergroups shown"), "{err}");

    let (status, _, err) = bourse(&["groups", "vrm>=3", "--base-url", &url]);
    assert_eq!(status, 2);
    assert!(err.contains("vrm>=3\n^^^"), "{err}");
}

#[test]
fn groups_that_recruit_alike_share_one_search_for_their_supply() {
    let groups = r#"{"success": true, "results": [
        {"id": 1, "endpoint_name": "chat", "search_query": "gpu_name=H200"},
        {"id": 2, "endpoint_name": "sdxl", "search_query": "gpu_name=H200"},
        {"id": 3, "endpoint_name": "odd", "search_query": "gpu_name=="}]}"#;
    let offers = r#"{"offers": [
        {"id": 7, "ask_contract_id": 7, "machine_id": 70, "gpu_name": "H200", "num_gpus": 2, "dph_total": 6.0},
        {"id": 8, "ask_contract_id": 8, "machine_id": 80, "gpu_name": "H200", "num_gpus": 4, "dph_total": 8.0}]}"#;
    let recorder = Recorder::start(move |_, request| {
        let is_listing = request.method == "GET";
        json(200, if is_listing { groups } else { offers })
    });
    let url = recorder.url();
    let columns = ["groups", "--columns", "id,supply_gpus,supply_price", "--order", "id"];
    let (status, out, err) = bourse(&[&columns[..], &["--base-url", &url, "--format", "csv"]].concat());
    assert_eq!(
        (status, out.as_str()),
        (0, "id,supply_gpus,supply_price\n1,6,6\n2,6,6\n3,,\n"),
        "{err}"
    );
    assert!(err.contains("supply of workergroup 3 is not checked"), "{err}");
    let searches = recorder
        .requests()
        .into_iter()
        .filter(|request| request.method != "GET");
    assert_eq!(searches.count(), 1);

    let (_, _, _) = bourse(&["groups", "--base-url", &url, "--format", "csv"]);
    let searches = recorder
        .requests()
        .into_iter()
        .filter(|request| request.method != "GET");
    assert_eq!(searches.count(), 1, "without these columns nothing is searched");
}

#[test]
fn curl_of_groups_and_route_sends_nothing_and_runs() {
    let recorder = Recorder::always(json(200, GROUPS));
    let url = recorder.url();
    let home = Home::new();
    let printed = |arguments: &[&str]| {
        let mut command = home.bourse(arguments);
        command.args(["--base-url", &url, "--curl"]);
        let (status, out, err) = run(command.env("BOURSE_API_KEY", "canary-key-51ab"));
        assert_eq!((status, err.as_str()), (0, ""));
        assert_eq!(out.lines().count(), 1);
        assert!(!out.contains("canary"), "{out}");
        arguments_of(out.trim())
    };
    let groups = printed(&["groups"]);
    assert_eq!(
        groups,
        [
            "-sS",
            "-X",
            "GET",
            &format!("{url}/api/v0/workergroups/"),
            "-H",
            "Authorization: Bearer from-the-shell"
        ]
    );
    let route = printed(&["route", "it's", "--cost", "2.5"]);
    assert!(route.contains(&format!("{url}/route/")), "{route:?}");
    let body = route.last().unwrap();
    assert_eq!(body, r#"{"endpoint":"it's","cost":2.5}"#);
    assert!(recorder.requests().is_empty());
}

#[test]
fn every_route_reply_is_printed_as_received_beside_the_summary() {
    let first = r#"{"url": "http://w:1",  "endpoint": "ep", "cost": 1e0, "reqnum": 7,
  "signature": "c2ln/+==", "__request_id": "a-1", "request_idx": 7, "more": {"x": [1.0, null],
  "Auth_Token": ["t0"], "see": "http://w:1/?s=c2ln%2f%2B%3D%3d"}}"#;
    let hidden = first
        .replace(r#""c2ln/+==""#, r#""<removed>""#)
        .replace(r#"["t0"]"#, r#""<removed>""#)
        .replace("c2ln%2f%2B%3D%3d", "<removed>");
    let second = r#"{"endpoint":"ep","status":{"loading":2},"__request_id":"a-2"}"#;
    let recorder = Recorder::start(move |number, _| match number {
        0 => json(200, first),
        1 => json(200, second),
        _ => json(500, r#"{"error":"down"}"#),
    });
    let url = recorder.url();
    let flags = ["route", "ep", "--cost", "1", "-n", "3", "--rate", "5"];
    let more = ["--base-url", &url, "--format", "json"];
    let (status, out, err) = bourse(&[&flags[..], &more].concat());
    assert_eq!(status, 0, "{err}");
    let (at, then) = (out.find(&hidden).unwrap(), out.find(second).unwrap());
    assert!(at < then, "in the order of the requests:\n{out}");
    let whole: Json = serde_json::from_str(&out).unwrap();
    let members: Vec<_> = whole.as_object().unwrap().keys().collect();
    assert_eq!(members, ["v", "kind", "replies", "summary"]);
    let replies = whole["replies"].as_array().unwrap();
    assert_eq!(replies.len(), 3);
    let reason = replies[2]["bourse"]["error"].as_str().unwrap();
    assert!(reason.contains("down"), "{reason}");
    assert_eq!(whole["summary"]["failed"], json!(1));
}

#[test]
fn a_route_reply_has_its_signature_only_where_secrets_are_asked_for() {
    let reply = r#"{"url":"http://w:1/?s=c2ln%2f%2b%3D=","endpoint":"ep","cost":1,"reqnum":7,"signature":"c2ln/+==",
        "api_key":"group-key-1"}"#;
    let recorder = Recorder::start(move |_, _| json(200, reply));
    let url = recorder.url();
    let printed = |flags: &[&str]| {
        let route = ["route", "ep", "--cost", "1", "--base-url", &url, "--format", "json"];
        let (status, out, err) = bourse(&[&route[..], flags].concat());
        assert_eq!(status, 0, "{err}");
        let whole: Json = serde_json::from_str(&out).unwrap();
        (
            whole["replies"][0].clone(),
            whole["summary"]["workers"][0]["url"].clone(),
        )
    };
    let ((hidden, hidden_url), (shown, url)) = (printed(&[]), printed(&["--show-secrets"]));
    // A copy of it, which an address spells in another way, is removed from both.
    for address in [&hidden_url, &url, &hidden["url"], &shown["url"]] {
        assert_eq!(*address, json!("http://w:1/?s=<removed>"));
    }
    assert_eq!(hidden["signature"], json!("<removed>"));
    assert_eq!(shown["signature"], json!("c2ln/+=="));
    for reply in [hidden, shown] {
        assert_eq!(reply["api_key"], json!("<removed>"));
    }
}

#[test]
fn a_short_run_lists_the_number_and_id_of_every_request() {
    let server = || {
        Recorder::start(|number, _| {
            let body = assignment("ep", "100", number % 2, 40 + number);
            json(200, &body)
        })
    };
    let recorder = server();
    let flags = ["route", "ep", "-n", "20", "--base-url", &recorder.url()];
    let (status, out, err) = bourse(&flags);
    assert_eq!(status, 0, "{err}");
    for number in 0..20 {
        let wanted = [
            format!("http://w{}.example:80", number % 2),
            (number + 1).to_string(),
            (40 + number).to_string(),
            format!("r{}", 40 + number),
        ];
        let found = out.lines().any(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            words == wanted.each_ref()
        });
        assert!(found, "{wanted:?}\n{out}");
    }
    let recorder = server();
    let flags = ["route", "ep", "-n", "21", "--base-url", &recorder.url()];
    let (_, out, _) = bourse(&flags);
    assert!(!out.contains("r41"), "{out}");
}

/// The limits that the requests of some commands name.
fn limits(commands: &[&[&str]]) -> Vec<Option<u64>> {
    let recorder = Recorder::always(json(200, r#"{"offers": []}"#));
    let url = recorder.url();
    for command in commands {
        let (status, _, err) = bourse(&[command, &["--base-url", &url][..]].concat());
        assert_eq!(status, 0, "{command:?}: {err}");
    }
    let bodies = recorder.requests().into_iter().map(|one| one.json());
    let limit = |body: Json| {
        let body = body.get("q").cloned().unwrap_or(body);
        body.get("limit").and_then(Json::as_u64)
    };
    bodies.map(limit).collect()
}

#[test]
fn limit_is_what_is_requested_and_n_raises_it() {
    assert_eq!(
        limits(&[
            &["offers"],
            &["offers", "-n", "7"],
            &["offers", "-n", "700"],
            &["offers", "--limit", "9"],
            &["offers", "--limit", "0"],
            &["volumes", "-n", "7"],
            &["volumes", "--limit", "9"],
        ]),
        [Some(500), Some(500), Some(700), Some(9), None, Some(100), Some(9)]
    );
}

#[test]
fn what_is_sorted_or_filtered_here_is_requested_whole() {
    assert_eq!(
        limits(&[
            &["offers", "--sort", "dph_per_gpu", "-n", "5"],
            &["offers", "dph_per_gpu<1", "-n", "5"],
            &["offers", "--job", "2h,50GB", "--sort", "job", "-n", "5"],
            &["offers", "--sort", "dph_per_gpu", "-n", "5000"],
            &["offers", "--sort", "dph_per_gpu", "--limit", "40"],
        ]),
        [Some(3000), Some(3000), Some(3000), Some(5000), Some(40)]
    );
}

#[test]
fn n_shows_the_first_rows_after_every_condition_and_sort() {
    let recorder = Recorder::always(json(
        200,
        r#"{"offers": [
         {"id":1,"num_gpus":4,"dph_total":2.0},
         {"id":2,"num_gpus":2,"dph_total":0.5},
         {"id":3,"num_gpus":1,"dph_total":0.4},
         {"id":4,"num_gpus":8,"dph_total":1.6}]}"#,
    ));
    let url = recorder.url();
    let search = ["offers", "--sort", "dph_per_gpu", "--format", "csv", "--columns", "id"];
    let (status, out, err) = bourse(&[&search[..], &["-n", "2", "--base-url", &url]].concat());
    // Per GPU: $0.50, $0.25, $0.40, $0.20.
    assert_eq!((status, out.as_str()), (0, "id\n4\n2\n"), "{err}");
    assert!(err.contains("2 of 4 offers shown"), "{err}");
    let below = ["-n", "9", "--limit", "5", "--base-url", &url];
    let (status, _, err) = bourse(&[&search[..], &below].concat());
    assert_eq!(status, 2, "{err}");
    assert!(
        err.contains("--limit 5 requests fewer records than -n 9 shows"),
        "{err}"
    );
    assert_eq!(recorder.requests().len(), 1);
}

#[test]
fn switches_of_a_search_are_sent_where_the_dialect_names_them_and_else_refused() {
    let recorder = Recorder::always(json(200, r#"{"offers": []}"#));
    let url = recorder.url();
    let switches = ["--vcpus", "16", "--datacenter", "--disable-bundling"];
    let flags = ["offers", "--profile", "vast", "--base-url", &url];
    let (status, _, err) = bourse(&[&flags[..], &switches].concat());
    assert_eq!(status, 0, "{err}");
    let body = recorder.only().json();
    assert_eq!(body["cpu_cores"], json!({"gte": 16}));
    assert_eq!(body["datacenter"], json!({"eq": true}));
    assert_eq!(body["disable_bundling"], json!(true));

    for (flags, words) in [
        (
            &["--vcpus", "16"][..],
            "--vcpus: the dialect 'documented' has no parameter for it. Use the condition \
             cpu_cores>=16 instead",
        ),
        (
            &["--datacenter"],
            "--datacenter: the dialect 'documented' has no parameter for it",
        ),
        (
            &["--disable-bundling"],
            "--disable-bundling: the dialect 'documented' has no parameter for it",
        ),
    ] {
        let (status, out, err) = bourse(&[&["offers", "--base-url", &url][..], flags].concat());
        assert_eq!((status, out.as_str()), (2, ""));
        assert!(err.contains(words), "{err}");
    }
    assert_eq!(recorder.requests().len(), 1);
}

/// The program with a text on its standard input.
fn with_input(arguments: &[&str], input: &str) -> (i32, String, String) {
    let home = Home::new();
    let mut child = home
        .bourse(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn a_minus_reads_the_query_from_standard_input() {
    let recorder = Recorder::always(json(200, r#"{"offers": []}"#));
    let url = recorder.url();
    let flags = ["offers", "-", "dph<2", "--profile", "vast", "--base-url", &url];
    let (status, _, err) = with_input(&flags, "gpu_name=\"RTX 4090\"\nnum_gpus>=2\n");
    assert_eq!(status, 0, "{err}");
    let body = recorder.only().json();
    assert_eq!(body["gpu_name"], json!({"eq": "RTX 4090"}));
    assert_eq!(body["num_gpus"], json!({"gte": 2}));
    assert_eq!(body["dph_total"], json!({"lt": 2}));

    let (status, _, err) = with_input(&["offers", "-"], "num_gpus>=2\nbogus=1\n");
    assert_eq!(status, 2);
    assert!(err.contains("num_gpus>=2 bogus=1\n            ^^^^^\n"), "{err}");
}

const TWO: &str = r#"{"offers": [
    {"id": 1, "gpu_name": "RTX 4090", "dph_total": 0.5, "geolocation": "Sweden, SE"},
    {"id": 2, "gpu_name": "H100 SXM", "dph_total": 2, "geolocation": "Texas, US"}]}"#;

#[test]
fn columns_are_chosen_for_the_table_and_csv() {
    let recorder = Recorder::always(json(200, TWO));
    let url = recorder.url();
    let list = |more: &[&str]| {
        let flags = ["offers", "--no-default", "--base-url", &url];
        let (status, out, err) = bourse(&[&flags[..], more].concat());
        assert_eq!(status, 0, "{err}");
        out
    };
    let table = list(&["--columns", "location, id,price"]);
    let rows: Vec<Vec<_>> = table
        .lines()
        .map(|line| {
            line.split("  ")
                .filter(|cell| !cell.is_empty())
                .map(str::trim)
                .collect()
        })
        .collect();
    assert_eq!(
        rows,
        [
            ["Location", "ID", "$/h"],
            ["Sweden, SE", "1", "0.5000"],
            ["Texas, US", "2", "2.0000"]
        ]
    );
    assert_eq!(
        list(&["--columns", "id,gpu_name,id", "--format", "csv"]),
        "id,gpu_name\n1,RTX 4090\n2,H100 SXM\n"
    );
}

#[test]
fn columns_that_cannot_be_printed_are_named() {
    for (arguments, words) in [
        (
            &["offers", "--columns", "id,gpu_nam"][..],
            "id,gpu_nam\n   ^^^^^^^\nno column 'gpu_nam'\ntry: id,gpu_name",
        ),
        (
            &["offers", "--columns", "verified"],
            "verified is a filter, not a column of offers",
        ),
        (&["offers", "--columns", ","], "missing column"),
        (
            &["groups", "--columns", "id,api_key"],
            "api_key is secret: add --show-secrets",
        ),
    ] {
        let (status, out, err) = bourse(arguments);
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert!(err.contains(words), "{arguments:?}: {err}");
    }
}

/// What must not reach a terminal: escape, bell, C1, bidi, zero width, tag.
const HOSTILE: &str = "\\u001b]0;t\\u0007\\u009b31m\u{202e}\u{200b}\u{e0041}\\r\\nx";
const SHOWN: &str = "<U+001B>]0;t<U+0007><U+009B>31m<U+202E><U+200B><U+E0041><U+000D><U+000A>x";

#[test]
fn csv_holds_no_character_that_acts_on_a_terminal() {
    let recorder = Recorder::start(|_, request| match request.path.as_str() {
        "/route/" => json(
            200,
            &format!(r#"{{"endpoint":"ep","cost":100,"url":"{HOSTILE}","reqnum":1}}"#),
        ),
        "/api/v0/workergroups/" => json(
            200,
            &format!(r#"{{"results":[{{"id":1,"endpoint_name":"{HOSTILE}","api_key":"{HOSTILE}"}}]}}"#),
        ),
        _ => json(
            200,
            &format!(r#"{{"offers":[{{"id":1,"gpu_name":"{HOSTILE}","mobo_name":"\n=1+1"}}]}}"#),
        ),
    });
    let url = recorder.url();
    for arguments in [
        &["offers", "--no-default"][..],
        &["groups", "--show-secrets"],
        &["route", "ep"],
    ] {
        let more = ["--format", "csv", "--base-url", &url];
        let (status, out, err) = bourse(&[arguments, &more].concat());
        assert_eq!(status, 0, "{err}");
        assert!(out.contains(SHOWN), "{out:?}");
        let unsafe_one = out
            .chars()
            .find(|c| (c.is_control() && *c != '\n') || "\u{202e}\u{200b}\u{e0041}".contains(*c));
        assert_eq!(unsafe_one, None, "{out:?}");
        assert_eq!(out.lines().count(), 2, "a record is a line: {out:?}");
        if arguments[0] == "offers" {
            assert!(out.contains(",'<U+000A>=1+1,"), "{out:?}");
        }
    }
}

#[test]
fn csv_cells_never_begin_a_formula() {
    for (text, cell) in [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("\t=1", "'<U+0009>=1"),
        ("\r=1", "'<U+000D>=1"),
        ("\n=1", "'<U+000A>=1"),
        ("\0=1", "'<U+0000>=1"),
        ("＝1", "'＝1"),
        ("RTX 4090", "RTX 4090"),
        ("Île-de-France, FR", "Île-de-France, FR"),
        ("a\u{301}=1", "a\u{301}=1"),
    ] {
        assert_eq!(bourse::domain::text::csv_text(text), cell, "{text:?}");
    }
}
