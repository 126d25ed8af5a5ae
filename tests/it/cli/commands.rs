//! The real binary without a screen: what it prints, sends, refuses and with which status it ends.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value as Json, json};

use crate::recorder::{Recorder, answer, json};

const KEY: &str = "canary-key-51ab";

/// A home of its own, empty at first.
pub struct Home(tempfile::TempDir);

impl Home {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn file(&self, name: &str, content: &str, mode: u32) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    /// The program with this home and nothing else in its environment.
    pub fn bourse(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bourse"));
        // More arguments may follow, such as an address: only what names the sandbox is sure to be for it.
        let is_sandbox = |argument: &&str| ["sandbox", "--freeze", "--offers", "--seed", "--faults"].contains(argument);
        let is_sandbox = arguments.iter().any(is_sandbox) && !arguments.contains(&"--base-url");
        command
            .args(if is_sandbox { &["--latency", "0"][..] } else { &[] })
            .args(arguments)
            .env_clear()
            .env("HOME", self.path())
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::null());
        command
    }
}

/// The flags for a sandbox that answers at once; none for a live market, where options of the sandbox are an error.
pub fn without_delay(arguments: &[&str], config: &str) -> &'static [&'static str] {
    let has_address = arguments.iter().any(|argument| argument.starts_with("--base-url"));
    let is_sandbox = !has_address && arguments.windows(2).any(|pair| pair == ["--profile", "sandbox"]);
    let names_market = |argument: &&str| argument.starts_with("--base-url") || argument.starts_with("--profile");
    let is_live = arguments.iter().any(names_market) || config.contains("default_profile");
    if is_live && !is_sandbox {
        &[]
    } else {
        &["--latency", "0"]
    }
}

/// The note about an address without a profile, which every command prints.
pub const BARE: &str = "note: dialect documented, network speeds in MB/s; bourse markets add finds out which it is\n";

/// Runs a command; its stderr is without [`BARE`], which `cli::markets` is about.
pub fn run(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    (
        status.code().unwrap_or(-1),
        String::from_utf8(stdout).unwrap(),
        String::from_utf8(stderr).unwrap().replacen(BARE, "", 1),
    )
}

pub fn bourse(arguments: &[&str]) -> (i32, String, String) {
    run(&mut Home::new().bourse(arguments))
}

#[test]
fn offers_as_json_are_every_record_exactly_as_it_came() {
    let first = r#"{"id": 1, "dph_total": 0.30000000000000004, "unknown": {"a": [1.0, null]},  "x":1e2}"#;
    let second = "{\"id\":2,\"gpu_name\":\"\\u0052TX\",\n \"nested\": {}}";
    let body = format!("{{\"offers\": [{first}, 17, {second}, {{\"no\": \"id\"}}]}}");
    let recorder = Recorder::always(json(200, &body));
    let url = recorder.url();
    let (status, out, err) = bourse(&["offers", "--base-url", &url, "--format", "json"]);
    assert_eq!(status, 0, "{err}");
    assert!(out.contains(first) && out.contains(second), "{out}");
    let whole: Json = serde_json::from_str(&out).unwrap();
    let names: Vec<&String> = whole.as_object().unwrap().keys().collect();
    assert_eq!(names, ["v", "kind", "offers", "matches", "complete"]);
    assert_eq!((&whole["matches"], &whole["complete"]), (&2.into(), &true.into()));
    assert_eq!(whole["offers"].as_array().unwrap().len(), 2);
    assert!(err.contains("record 1 skipped: not an object"), "{err}");
    assert!(err.contains("record 3 skipped: no usable id"), "{err}");
    assert_eq!(recorder.only().header("authorization"), None, "no key, no header");
    let (_, out, _) = bourse(&["offers", "--base-url", &url, "--json", "--limit", "4", "-n", "1"]);
    let cut: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(cut["offers"].as_array().unwrap().len(), 1);
    assert_eq!((&cut["matches"], &cut["complete"]), (&2.into(), &false.into()));
}

#[test]
fn words_flags_and_defaults_become_one_request() {
    let recorder = Recorder::always(json(200, r#"{"offers": []}"#));
    let url = recorder.url();
    let home = Home::new();
    let (status, out, err) = run(home
        .bourse(&[
            "--base-url",
            &url,
            "offers",
            "num_gpus>=2",
            "gpu_ram>=24",
            "--type",
            "bid",
            "--order",
            "-dph_total,dlperf",
            "--limit",
            "7",
            "--no-default",
        ])
        .env("BOURSE_API_KEY", KEY));
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("$/h"), "{out}");
    assert!(err.contains("no offers match"), "{err}");
    let request = recorder.only();
    assert_eq!(request.path, "/api/v0/bundles/");
    assert_eq!(request.header("authorization"), Some("Bearer canary-key-51ab"));
    assert_eq!(
        request.json(),
        json!({
            "num_gpus": {"gte": 2},
            "gpu_ram": {"gte": 24000},
            "order": [["dph_total", "desc"], ["dlperf", "asc"]],
            "limit": 7,
            "type": "bid",
        })
    );
}

#[test]
fn what_the_market_cannot_filter_or_does_not_is_applied_or_named() {
    let body = r#"{"offers": [
        {"id": 1, "dph_total": 0.9, "num_gpus": 4},
        {"id": 2, "dph_total": 0.2, "num_gpus": 1},
        {"id": 3, "dph_total": 0.1, "num_gpus": 4}]}"#;
    let recorder = Recorder::always(json(200, body));
    let url = recorder.url();
    let (status, out, err) = bourse(&[
        "offers",
        "--base-url",
        &url,
        "--no-default",
        "--format",
        "csv",
        "dph_total<0.5 num_gpus>=2",
    ]);
    assert_eq!(status, 0, "{err}");
    assert_eq!(recorder.only().json()["num_gpus"], json!({"gte": 2}));
    assert_eq!(recorder.only().json().get("dph_total"), None);
    assert!(
        err.contains("2 of 3 match dph_total<0.5, which this market doesn't filter"),
        "{err}"
    );
    assert!(
        err.contains("the market ignored num_gpus>=2: 1 of 3 records don't match it"),
        "{err}"
    );
    let ids: Vec<_> = out
        .lines()
        .skip(1)
        .map(|line| line.split(',').next().unwrap())
        .collect();
    assert_eq!(ids, ["2", "3"]);
}

#[test]
fn reserved_offers_cost_what_is_left_after_the_discount() {
    let body = r#"{"offers": [
        {"id": 1, "dph_total": 0.40, "discounted_dph_total": 0.39},
        {"id": 2, "dph_total": 0.41, "discounted_dph_total": 0.35},
        {"id": 3, "dph_total": 0.42}]}"#;
    let recorder = Recorder::always(json(200, body));
    let url = recorder.url();
    let offers = |query: &str, format: &str| {
        let arguments = [
            "offers",
            "--profile",
            "vast",
            "--base-url",
            &url,
            "--type",
            "reserved",
            "--no-default",
            "--order",
            "dph_total",
            "--format",
            format,
            query,
        ];
        let home = Home::new();
        let (status, out, err) = run(home.bourse(&arguments).env("BOURSE_API_KEY", KEY));
        assert_eq!(status, 0, "{err}");
        (out, err)
    };
    let (table, _) = offers("", "table");
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0][..3], ["ID", "Res.", "$/h"]);
    assert_eq!(lines[1][..2], ["2", "0.3500"]);
    assert_eq!(lines[2][..2], ["1", "0.3900"]);
    assert_eq!(lines[3][..2], ["3", "-"], "a full price is no discounted one");
    let sent = recorder.only().json();
    assert_eq!(sent["order"], json!([["discounted_dph_total", "asc"]]));
    // The market would compare the full prices: the filter is not sent.
    let (csv, err) = offers("dph_total<0.36", "csv");
    assert_eq!(recorder.requests()[1].json().get("dph_total"), None);
    assert!(err.contains("before the discount"), "{err}");
    let header: Vec<_> = csv.lines().next().unwrap().split(',').collect();
    let place = header.iter().position(|name| *name == "dph_total").unwrap();
    let rows: Vec<_> = csv.lines().skip(1).collect();
    assert_eq!(rows.len(), 1, "{csv}");
    assert_eq!(rows[0].split(',').nth(place), Some("0.35"));
    let (records, _) = offers("", "json");
    assert!(records.contains(r#"{"id": 2, "dph_total": 0.41, "discounted_dph_total": 0.35}"#));
}

#[test]
fn csv_defuses_formulas_and_keeps_numbers() {
    let body = r#"{"offers": [{"id": 1, "gpu_name": "=cmd|' /C calc'!A0", "dph_total": -1.5,
        "mobo_name": "a \"b\", c", "api_key": "SECRET"}]}"#;
    let recorder = Recorder::always(json(200, body));
    let url = recorder.url();
    let (status, out, err) = bourse(&["offers", "--base-url", &url, "--format", "csv"]);
    assert_eq!(status, 0, "{err}");
    let mut lines = out.lines();
    let header: Vec<_> = lines.next().unwrap().split(',').collect();
    assert_eq!(&header[..2], ["id", "ask_contract_id"]);
    assert!(header.contains(&"search.totalHour"));
    let row = lines.next().unwrap();
    assert!(row.contains("'=cmd|' /C calc'!A0"), "{row}");
    assert!(row.contains(",-1.5,"), "{row}");
    assert!(row.contains("\"a \"\"b\"\", c\""), "{row}");
    assert!(!out.contains("SECRET"));
}

/// Runs a printed command with a `curl` that prints its arguments, one to a line.
pub fn arguments_of(command: &str) -> Vec<String> {
    let home = Home::new();
    home.file("bin/curl", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n", 0o755);
    let output = Command::new("/bin/sh")
        .args(["-c", command])
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", home.path().join("bin").display()))
        .env("BOURSE_API_KEY", "from-the-shell")
        .output()
        .unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn curl_is_one_command_that_sends_what_the_search_sends() {
    let recorder = Recorder::always(json(200, r#"{"offers": []}"#));
    let url = recorder.url();
    let home = Home::new();
    let query = r#"gpu_name="RTX 4090" mobo_name="it's $(id) `x`""#;
    let search = ["offers", "--profile", "vast", "--base-url", &url, query];
    let mut printed = home.bourse(&search);
    let (status, out, err) = run(printed.arg("--curl").env("BOURSE_API_KEY", KEY));
    assert_eq!(status, 0, "{err}");
    assert!(recorder.requests().is_empty(), "nothing is sent");
    assert_eq!(out.lines().count(), 1);
    assert!(!out.contains(KEY), "{out}");
    assert!(out.contains(r#" -H "Authorization: Bearer $BOURSE_API_KEY""#), "{out}");

    let (status, _, err) = run(home.bourse(&search).env("BOURSE_API_KEY", KEY));
    assert_eq!(status, 0, "{err}");
    let sent = recorder.only();
    let arguments = arguments_of(out.trim());
    let after = |flag: &str| {
        let at = arguments.iter().position(|argument| argument == flag).unwrap();
        arguments[at + 1].clone()
    };
    assert_eq!(after("-X"), sent.method);
    assert!(arguments.contains(&format!("{url}{}", sent.path)), "{arguments:?}");
    assert_eq!(after("-H"), "Authorization: Bearer from-the-shell");
    let body: Json = serde_json::from_str(&after("--data-raw")).unwrap();
    assert_eq!(body, sent.json());
    assert_eq!(body["mobo_name"], json!({"eq": "it's $(id) `x`"}));
}

#[test]
fn mistakes_in_a_query_or_order_show_a_caret_and_exit_with_2() {
    for (arguments, text, caret) in [
        (&["offers", "num_gpu>=2"][..], "num_gpu>=2", "^"),
        (
            &["volumes", "verified=true", "bogus=1"],
            "verified=true bogus=1",
            "              ^",
        ),
        (&["--query", "num_gpus>=lots"], "num_gpus>=lots", "^"),
        (
            &["offers", "--order", "dph_total,nonsense-"],
            "dph_total,nonsense-",
            "^",
        ),
        (&["offers", "bare words"], "bare words", "^"),
        (
            &["offers", "4090 in germany wonderful"],
            "4090 in germany wonderful",
            "                ^^^^^^^^^",
        ),
    ] {
        let (status, out, err) = bourse(arguments);
        assert_eq!((status, out.as_str()), (2, ""), "{err}");
        let lines: Vec<_> = err.lines().collect();
        let at = lines.iter().position(|line| *line == text).expect(&err);
        assert!(
            lines[at + 1].starts_with(caret) || lines[at + 1].trim_start().starts_with('^'),
            "{err}"
        );
        assert!(lines[at + 1].chars().all(|c| c == ' ' || c == '^'), "{err}");
    }
}

#[test]
fn failures_are_one_line_and_exit_with_1() {
    for (status, body, words) in [
        (
            400,
            r#"{"success": false, "error": "invalid_request", "msg": "Invalid json body"}"#,
            "Invalid json body",
        ),
        (
            401,
            r#"{"error": "auth_error"}"#,
            "no API key configured (status 401): auth_error; set BOURSE_API_KEY, pass \
             --api-key-file, or add a key in the dashboard (M)",
        ),
        (403, r#"{"msg": "Missing permission"}"#, "no API key configured"),
        (404, "", "not found (status 404)"),
        (
            200,
            "<html><title>Log in</title></html>",
            "got a web page titled \"Log in\" instead of JSON",
        ),
        (200, r#"{"success": false, "msg": "no"}"#, "the request failed: no"),
    ] {
        let recorder = Recorder::always(json(status, body));
        let (code, out, err) = bourse(&["offers", "--base-url", &recorder.url()]);
        assert_eq!((code, out.as_str()), (1, ""), "{err}");
        assert!(err.contains(words), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
    let recorder = Recorder::always(json(404, "nope"));
    let (code, _, err) = bourse(&["volumes", "--base-url", &recorder.url()]);
    assert_eq!(
        (code, err.as_str()),
        (1, "bourse: this market has no network volumes (status 404)\n")
    );
}

/// As in the form of a market: a typed address may lack its scheme.
#[test]
fn an_address_without_a_scheme_is_completed_in_flag_and_file() {
    let recorder = Recorder::always(json(200, r#"{"offers": []}"#));
    let url = recorder.url();
    let bare = url.strip_prefix("http://").unwrap();
    let (code, out, err) = bourse(&["offers", "--base-url", bare, "--curl"]);
    assert!(code == 0 && out.contains(&format!("'{url}/")), "{out}{err}");
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("config.toml");
    std::fs::write(&file, "[profiles.lab]\nbase_url = \"market.example/v1\"\n").unwrap();
    let file = file.to_str().unwrap();
    let (code, out, err) = bourse(&["--config", file, "--profile", "lab", "offers", "--curl"]);
    assert!(code == 0 && out.contains("'https://market.example/v1/"), "{out}{err}");
}

#[test]
fn usage_errors_exit_with_2_and_say_what_would_be_right() {
    for (arguments, words) in [
        (&["--profile", "nowhere", "offers"][..], "available: sandbox, vast"),
        (
            &["offers", "--base-url", "market"],
            "not an address such as https://host",
        ),
        (
            &["offers", "--base-url", "http://user:pw@127.0.0.1:1"],
            "must not contain a user name",
        ),
        (
            &["offers", "--route-url", "http://127.0.0.1:1"],
            "--route-url needs --base-url",
        ),
        (&["offers", "--limit", "many"], "--limit"),
        (&["offers", "--type", "free"], "choose on-demand, bid or reserved"),
        (&["route", "ep", "--cost", "-1"], "must not be negative"),
        (&["route", "ep", "-n", "0"], "-n"),
        (&["route", "ep", "-n", "5", "--duration", "3s"], "cannot be used with"),
        (&["--query", "num_gpus>1", "offers"], "--query is for the dashboard"),
        (
            &["--no-recorded-rows", "offers"],
            "--no-recorded-rows is for the dashboard",
        ),
        (
            &["--limit", "5", "offers"],
            "--limit before a subcommand is for the dashboard",
        ),
        (&["sandbox", "--faults", "gremlins"], "'gremlins' is not a fault"),
        (&["frobnicate"], "unrecognized subcommand"),
    ] {
        let (status, out, err) = bourse(arguments);
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert!(err.contains(words), "{arguments:?}: {err}");
    }
}

#[test]
fn without_a_terminal_the_dashboard_is_one_line_and_2() {
    let (status, out, err) = bourse(&[]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.contains("bourse offers"), "{err}");
    assert!(!err.contains('\u{1b}'), "{err:?}");
}

#[test]
fn the_key_comes_from_the_flag_the_environment_or_the_profile_in_that_order() {
    let recorder = Recorder::always(json(200, r#"{"success": true, "results": []}"#));
    let url = recorder.url();
    let home = Home::new();
    home.file("k1", "from-file\n", 0o600);
    let file = home.path().join("k1");
    let file = file.to_str().unwrap();
    home.file("profile-key", "from-profile", 0o600);
    home.file(".config/vastai/vast_api_key", "from-public-client", 0o600);
    home.file(
        ".config/bourse/config.toml",
        &format!(
            "[profiles.mine]\nbase_url = \"{url}\"\napi_key_file = \"~/profile-key\"\n\
             [profiles.other]\nbase_url = \"{url}\"\napi_key_command = \"printf from-command\"\n"
        ),
        0o644,
    );
    let vast = ["--profile", "vast", "--base-url", &url, "--send-key"];
    type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], &'a str);
    let cases: [Case<'_>; 9] = [
        (
            &["--profile", "mine", "--api-key-file", file],
            &[("BOURSE_API_KEY", "from-env")],
            "from-file",
        ),
        (&["--profile", "mine"], &[("BOURSE_API_KEY", "from-env")], "from-env"),
        (
            &["--profile", "mine", "--api-key-file", file],
            &[("BOURSE_API_KEY", "")],
            "from-file",
        ),
        (&["--profile", "mine"], &[("VAST_API_KEY", "v")], "from-profile"),
        (&["--profile", "other"], &[], "from-command"),
        (&vast, &[("VAST_API_KEY", "from-vast-env")], "from-vast-env"),
        (&vast, &[], "from-public-client"),
        (&["--base-url", &url, "--api-key-file", file], &[], "from-file"),
        (&["--base-url", &url], &[("BOURSE_API_KEY", "from-env")], "from-env"),
    ];
    for (index, (flags, environment, key)) in cases.into_iter().enumerate() {
        let mut command = home.bourse(flags);
        let (status, _, err) = run(command.arg("groups").envs(environment.iter().copied()));
        assert_eq!(status, 0, "{err}");
        let request = recorder.requests()[index].clone();
        assert_eq!(request.header("authorization"), Some(format!("Bearer {key}").as_str()));
    }
    let (status, _, _) = run(home.bourse(&["--base-url", &url, "groups"]).env("VAST_API_KEY", "v"));
    assert_eq!(status, 0);
    assert_eq!(recorder.requests()[9].header("authorization"), None);
}

#[test]
fn a_key_file_that_cannot_be_used_is_an_error_whatever_the_environment_holds() {
    let recorder = Recorder::always(json(200, r#"{"offers": []}"#));
    let url = recorder.url();
    let home = Home::new();
    let open = home.file("open", KEY, 0o644);
    let missing = home.path().join("missing");
    let base: &[&str] = &["--base-url", &url];
    for (file, why) in [
        (&missing, "missing does not exist"),
        (&open, "open is readable by others (mode 0644)"),
        (&home.path().to_owned(), "can't be read"),
    ] {
        for market in [base, &[]] {
            let mut command = home.bourse(&["offers", "--api-key-file", file.to_str().unwrap()]);
            let (status, out, err) = run(command.args(market).env("BOURSE_API_KEY", KEY));
            assert_eq!((status, out.as_str()), (2, ""), "{err}");
            assert!(err.contains("the key file") && err.contains(why), "{err}");
        }
    }
    assert!(recorder.requests().is_empty());
}

#[test]
fn an_address_of_the_public_service_is_spoken_to_in_its_dialect() {
    for (address, dialect) in [
        ("https://console.vast.ai", "vast"),
        ("https://vast.ai/", "vast"),
        ("https://CONSOLE.Vast.ai.", "vast"),
        ("https://notvast.ai", "documented"),
        ("https://vast.ai.example", "documented"),
    ] {
        let home = Home::new();
        // Nothing is sent. The public service has its own name for "not in" (market's client).
        let flags = ["volumes", "geolocation notin [US]", "--curl", "--base-url"];
        let (status, out, err) = run(home.bourse(&flags).arg(address));
        assert_eq!(status, 0, "{err}");
        let is_public = dialect == "vast";
        assert_eq!(out.contains("\"notin\""), is_public, "{address}: {out}");
        let note = "is the public service: using the vast dialect";
        assert_eq!(err.contains(note), is_public, "{address}: {err}");
    }
    // A profile says itself how it speaks.
    let home = Home::new();
    home.file(
        ".config/bourse/config.toml",
        "[profiles.mine]\nbase_url = \"https://m.example\"\n",
        0o644,
    );
    let flags = ["volumes", "--curl", "--profile", "mine"];
    let (_, _, err) = run(home.bourse(&flags).args(["--base-url", "https://console.vast.ai"]));
    assert_eq!(err, "");
}

#[test]
fn a_daily_quota_is_told_with_its_local_moment_and_not_asked_for_again() {
    let body = r#"{"success": false, "error": "search_quota_exceeded", "msg": "Daily limit"}"#;
    let recorder = Recorder::always(answer(
        429,
        &[("Retry-After", "Thu, 31 Dec 2099 22:59:00 GMT")],
        body.as_bytes(),
    ));
    let (status, out, err) = run(Home::new()
        .bourse(&["offers", "--base-url", &recorder.url()])
        .env("BOURSE_API_KEY", KEY)
        .env("TZ", "LAB-2"));
    assert_eq!((status, out.as_str()), (1, ""));
    assert_eq!(
        err,
        "bourse: daily quota exceeded (status 429): Daily limit (search_quota_exceeded); \
         it resets at 2100-01-01 00:59 LAB\n"
    );
    assert_eq!(recorder.requests().len(), 1);
}

#[test]
fn a_key_without_the_permission_is_not_called_refused() {
    let body = r#"{"success": false, "error": "forbidden", "msg": "Missing permission"}"#;
    let recorder = Recorder::always(json(403, body));
    let (status, _, err) = run(Home::new()
        .bourse(&["groups", "--base-url", &recorder.url()])
        .env("BOURSE_API_KEY", KEY));
    assert_eq!(status, 1);
    assert_eq!(
        err,
        "bourse: API key lacks the permission (status 403): Missing permission (forbidden); use a key that has it\n"
    );
}

#[test]
fn a_response_beyond_the_bound_says_so() {
    let recorder = Recorder::always(b"HTTP/1.1 200 OK\r\nContent-Length: 268435457\r\n\r\n{\"offers\": [".to_vec());
    let flags = ["offers", "--limit", "0", "--base-url", &recorder.url()];
    let (status, _, err) = bourse(&flags);
    assert_eq!(
        (status, err.as_str()),
        (1, "bourse: the response exceeds 256 MiB; lower the limit\n")
    );
}

#[test]
fn keys_that_others_can_read_or_that_would_travel_openly_are_refused() {
    let recorder = Recorder::always(json(200, r#"{"offers": []}"#));
    let home = Home::new();
    let file = home.file("key", KEY, 0o644);
    let url = recorder.url();
    let (status, _, err) =
        run(&mut home.bourse(&["offers", "--base-url", &url, "--api-key-file", file.to_str().unwrap()]));
    assert_eq!(status, 2);
    assert!(err.contains("chmod 600"), "{err}");
    let (status, _, err) = run(home
        .bourse(&["offers", "--base-url", "http://market.example"])
        .env("BOURSE_API_KEY", KEY));
    assert_eq!(status, 2);
    assert!(err.contains("use https") && !err.contains(KEY), "{err}");
    let (status, _, err) = run(home
        .bourse(&["offers", "--base-url", &url])
        .env("BOURSE_API_KEY", "two words"));
    assert_eq!(status, 2);
    assert!(err.contains("BOURSE_API_KEY has no valid key"), "{err}");
    assert!(recorder.requests().is_empty());
}

#[test]
fn a_misspelled_setting_is_named_with_its_line_and_nothing_is_printed() {
    let home = Home::new();
    let config = home.file(
        ".config/bourse/config.toml",
        "theme = \"auto\"\ndefualt_profile = \"x\"\n",
        0o644,
    );
    let (status, out, err) = run(&mut home.bourse(&["offers", "--curl"]));
    assert_eq!((status, out.as_str()), (2, ""), "{err}");
    assert!(
        err.contains(&format!("{}:2:1: unknown field `defualt_profile`", config.display())),
        "{err}"
    );
}

#[test]
fn a_proxy_in_the_environment_sees_nothing_of_this_computer() {
    let trap = Recorder::always(json(200, r#"{"offers": []}"#));
    let recorder = Recorder::always(json(200, r#"{"offers": []}"#));
    let proxy = trap.url();
    let localhost = recorder.url().replace("127.0.0.1", "localhost");
    for url in [recorder.url(), localhost] {
        let home = Home::new();
        let mut command = home.bourse(&["offers", "--base-url", &url]);
        for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
            command.env(name, &proxy);
        }
        let (status, _, err) = run(command.env("BOURSE_API_KEY", KEY));
        assert_eq!(status, 0, "{err}");
    }
    assert_eq!(recorder.requests().len(), 2);
    assert!(trap.requests().is_empty());
}

#[test]
fn groups_keep_their_keys_to_themselves_until_asked() {
    let body = r#"{"success": true, "results": [{"id": 2, "endpoint_name": "b", "api_key": "SECRET-2"},
        {"id": 1, "endpoint_name": "a", "api_key": "SECRET-1", "search_query": "num_gpus>1"}]}"#;
    let recorder = Recorder::always(json(200, body));
    let url = recorder.url();
    for format in ["table", "json", "csv"] {
        let (status, out, err) = bourse(&["groups", "--base-url", &url, "--format", format]);
        assert_eq!(status, 0, "{err}");
        assert!(!out.contains("SECRET"), "{out}");
        assert!(out.find('a').is_some() && out.contains("num_gpus>1"), "{out}");
        let (_, out, _) = bourse(&["groups", "--base-url", &url, "--format", format, "--show-secrets"]);
        assert!(out.contains("SECRET-1") && out.contains("SECRET-2"), "{format}: {out}");
    }
    let (_, out, _) = bourse(&["groups", "--base-url", &url, "--format", "json"]);
    let whole: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(whole["results"][0]["id"], json!(1), "in order of the endpoint's name");
}

#[test]
fn groups_are_written_with_searches_as_text_and_no_secret_of_any_name() {
    let body = r#"{"success": true, "results": [{"id": 7, "endpoint_name": "chat", "api_key": "SECRET-1",
        "docker_login_pass": "SECRET-2", "endpoint_token": ["SECRET-3"], "created_at": 1795089600,
        "search_query": {"gpu_ram": {"gte": 24000}, "num_gpus": {"in": [1, 2]}}}]}"#;
    let recorder = Recorder::always(json(200, body));
    let url = recorder.url();
    let run = |format| {
        let (status, out, err) = bourse(&["groups", "--base-url", &url, "--format", format]);
        assert_eq!(status, 0, "{err}");
        assert!(!out.contains("SECRET"), "{format}: {out}");
        out
    };
    assert!(run("table").contains("gpu_ram>=24 num_gpus in [1,2]"));
    let csv = run("csv");
    assert!(csv.contains("\"gpu_ram>=24 num_gpus in [1,2]\""), "{csv}");
    assert!(csv.contains(",2026-11-19T12:00:00Z,"), "{csv}");
    let whole: Json = serde_json::from_str(&run("json")).unwrap();
    let group = &whole["results"][0];
    // What is not secret is there as it came.
    assert_eq!(group["search_query"]["gpu_ram"]["gte"], json!(24000));
    assert_eq!(group["created_at"], json!(1_795_089_600));
    assert_eq!(group["endpoint_token"], json!("<removed>"));
}

#[test]
fn route_prints_each_workers_share() {
    let recorder = Recorder::start(|number, _| {
        let worker = if number % 4 == 3 {
            "http://w2:80"
        } else {
            "http://w1:80"
        };
        json(
            200,
            &format!(r#"{{"endpoint": "ep", "cost": 50, "url": "{worker}", "reqnum": {number}}}"#),
        )
    });
    let url = recorder.url();
    let (status, out, err) = bourse(&[
        "route",
        "ep",
        "--cost",
        "50",
        "-n",
        "8",
        "-c",
        "2",
        "--base-url",
        &url,
        "--format",
        "json",
    ]);
    assert_eq!(status, 0, "{err}");
    let summary = &serde_json::from_str::<Json>(&out).unwrap()["summary"];
    assert_eq!(summary["assigned"], json!(8));
    assert_eq!(
        summary["workers"],
        json!([
            {"url": "http://w1:80", "requests": 6, "share": 0.75},
            {"url": "http://w2:80", "requests": 2, "share": 0.25},
        ])
    );
    let requests = recorder.requests();
    assert_eq!(requests.len(), 8);
    assert!(
        requests
            .iter()
            .all(|request| request.path == "/route/" && request.json() == json!({"endpoint": "ep", "cost": 50}))
    );
    let (status, out, err) = bourse(&["route", "ep", "--cost", "50", "--base-url", &url]);
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("http://w1:80") && out.contains("100%"), "{out}");
    assert_eq!(recorder.requests().len(), 9, "one request unless told otherwise");
}

#[test]
fn route_without_a_worker_shows_the_last_status_and_fails() {
    let recorder = Recorder::always(json(200, r#"{"endpoint": "ep", "status": "2 loading \u001b[31m"}"#));
    let (status, out, err) = bourse(&["route", "ep", "--base-url", &recorder.url()]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.contains("2 loading"), "{err}");
    assert!(!err.contains('\u{1b}'), "{err:?}");
    assert_eq!(recorder.only().json(), json!({"endpoint": "ep", "cost": 100}));
}

#[test]
fn route_tells_the_ends_of_requests_apart() {
    let recorder = Recorder::start(|number, _| match number % 5 {
        0 => json(200, r#"{"endpoint":"ep","cost":0,"url":"http://w:1","reqnum":7}"#),
        1 => json(200, r#"{"endpoint":"ep","status":"1 loading"}"#),
        2 => json(200, "no answer"),
        3 => json(401, r#"{"error":"Authentication failed"}"#),
        _ => json(429, "API requests too frequent"),
    });
    let url = recorder.url();
    let (status, out, err) = bourse(&[
        "route",
        "ep",
        "--cost",
        "0",
        "-n",
        "10",
        "--rate",
        "100",
        "--base-url",
        &url,
        "--format",
        "json",
    ]);
    assert_eq!(status, 0, "{err}");
    let summary = &serde_json::from_str::<Json>(&out).unwrap()["summary"];
    assert_eq!(
        summary["outcomes"],
        json!({
            "assigned": 2, "waiting": 2, "rate limited": 2, "refused": 2, "failed": 0,
            "garbage": 2, "timed out": 0, "cancelled": 0
        })
    );
    assert_eq!((&summary["requests"], &summary["failed"]), (&json!(10), &json!(6)));
    assert_eq!(summary["reqnum_repeats"], json!(1), "7 came twice");
    assert!(err.contains("2 failed: no API key configured"), "{err}");
}

#[test]
fn route_gives_a_refused_key_up_after_three() {
    let recorder = Recorder::always(json(401, r#"{"error":"Authentication failed"}"#));
    let url = recorder.url();
    let flags = ["route", "ep", "-n", "50", "--rate", "100", "--base-url", &url];
    let (status, out, err) = bourse(&flags);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.contains("refused three times in a row"), "{err}");
    assert_eq!(recorder.requests().len(), 3);
}

#[test]
fn in_the_public_dialect_a_route_request_carries_the_groups_key() {
    let recorder = Recorder::start(|_, request| match request.path.as_str() {
        "/route/" => json(200, r#"{"endpoint": "ep", "cost": 100, "url": "http://w:1"}"#),
        _ => json(
            200,
            r#"{"success": true, "results": [{"id": 1, "endpoint_name": "other", "api_key": "k1"},
                {"id": 2, "endpoint_name": "ep", "api_key": "k2"}]}"#,
        ),
    });
    let url = recorder.url();
    let home = Home::new();
    let flags = ["route", "ep", "--profile", "vast", "--base-url", &url];
    let (status, _, err) = run(home.bourse(&flags).env("BOURSE_API_KEY", KEY));
    assert_eq!(status, 0, "{err}");
    let requests = recorder.requests();
    assert_eq!(requests[0].header("authorization"), Some("Bearer canary-key-51ab"));
    assert_eq!(requests[1].header("authorization"), Some("Bearer k2"));
}

/// A `bourse sandbox` that is ended when the test is.
pub struct Served {
    child: Child,
    pub url: String,
    pub key: String,
}

impl Served {
    pub fn start(home: &Home, flags: &[&str]) -> Self {
        let mut arguments = vec!["sandbox", "--listen", "127.0.0.1:0", "--offers", "200"];
        arguments.extend(flags);
        let mut child = home.bourse(&arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let second = lines.next().unwrap().unwrap();
        Self {
            child,
            url: first.strip_prefix("bourse sandbox on ").expect(&first).to_owned(),
            key: second.strip_prefix("api key: ").expect(&second).to_owned(),
        }
    }

    fn stop(mut self, signal: &str) -> Option<i32> {
        let pid = self.child.id().to_string();
        Command::new("/bin/kill").args([signal, &pid]).status().unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_sandbox_serves_until_a_signal_and_the_commands_work_against_it() {
    let home = Home::new();
    let served = Served::start(&home, &["--api-key", "the-sandbox-key", "--freeze"]);
    assert_eq!(served.key, "the-sandbox-key");
    assert!(served.url.starts_with("http://127.0.0.1:"), "{}", served.url);
    let flags = ["--profile", "sandbox", "--base-url", &served.url];
    let with = |more: &[&str]| {
        let mut arguments = flags.to_vec();
        arguments.extend(more);
        run(home.bourse(&arguments).env("BOURSE_API_KEY", "the-sandbox-key"))
    };
    let (status, out, err) = with(&["offers", "num_gpus>=1", "--format", "json", "--limit", "5"]);
    assert_eq!(status, 0, "{err}");
    assert_eq!(
        serde_json::from_str::<Json>(&out).unwrap()["offers"]
            .as_array()
            .unwrap()
            .len(),
        5
    );
    assert_eq!(err, "note: first 5, more exist: raise --limit for the rest\n");
    let (status, _, err) = with(&["volumes"]);
    assert_eq!(status, 0, "{err}");
    let (status, _, err) = run(home.bourse(&flags).arg("groups").env("BOURSE_API_KEY", "wrong"));
    assert_eq!(status, 1);
    assert!(err.contains("API key rejected (status 401)"), "{err}");
    assert_eq!(served.stop("-TERM"), Some(0));
    assert_eq!(Served::start(&home, &[]).stop("-INT"), Some(0));
}

#[test]
fn a_sandbox_that_other_computers_reach_says_what_that_means() {
    let home = Home::new();
    for (address, is_warned) in [("127.0.0.1:0", false), ("0.0.0.0:0", true)] {
        let mut child = home
            .bourse(&["sandbox", "--freeze", "--listen", address])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // It is told before the address is.
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        lines.next().unwrap().unwrap();
        child.kill().unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        child.wait().unwrap();
        for words in ["other computers can reach", "without encryption", "whoever has its key"] {
            assert_eq!(said.contains(words), is_warned, "{address}: {said}");
        }
    }
}

#[test]
fn without_a_profile_every_command_uses_a_sandbox_with_a_token_of_its_own() {
    let home = Home::new();
    for arguments in [
        &["offers", "--offers", "100", "--freeze", "--format", "json"][..],
        &["--freeze", "volumes", "--format", "csv"],
        &["groups"],
    ] {
        let (status, out, err) = run(home
            .bourse(arguments)
            .env("BOURSE_API_KEY", KEY)
            .env("VAST_API_KEY", KEY));
        assert_eq!(status, 0, "{arguments:?}: {err}");
        assert!(!out.contains(KEY) && !err.contains(KEY));
    }
    let frozen = [
        "offers", "--offers", "300", "--seed", "7", "--freeze", "--format", "json",
    ];
    let (_, first, _) = run(&mut home.bourse(&frozen));
    let (_, second, _) = run(&mut home.bourse(&frozen));
    assert!(first.len() > 10_000);
    assert!(first == second, "the same seed gives the same bytes");
    assert!(!home.path().join(".config").exists(), "nothing is written");
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let home = Home::new();
    let mut child = home
        .bourse(&["offers", "--freeze", "--format", "json", "--no-default"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(err, "");
}

#[test]
fn the_headers_of_network_speeds_name_their_unit() {
    let (status, out, err) = bourse(&["offers", "--limit", "1", "--freeze"]);
    assert_eq!(status, 0, "{err}");
    let head = out.lines().next().unwrap();
    assert!(head.contains("Down Mb/s") && head.contains("Up Mb/s"), "{head}");
    let recorder = Recorder::always(json(
        200,
        r#"{"offers": [{"id": 1, "inet_down": 90.0, "inet_up": 80.0}]}"#,
    ));
    let flags = ["offers", "--no-default", "--base-url", &recorder.url()];
    let (_, out, err) = bourse(&flags);
    let head = out.lines().next().unwrap_or_else(|| panic!("{err}"));
    assert!(head.contains("Down MB/s") && head.contains("Up MB/s"), "{head}");
}

#[test]
fn help_version_and_completions_are_printed() {
    let (status, out, _) = bourse(&["--help"]);
    assert_eq!(status, 0);
    for word in [
        "sandbox",
        "offers",
        "volumes",
        "groups",
        "route",
        "completions",
        "--read-only",
    ] {
        assert!(out.contains(word), "{word}");
    }
    let (_, out, _) = bourse(&["--version"]);
    assert!(out.starts_with("bourse "), "{out}");
    for shell in ["bash", "zsh", "fish"] {
        let (status, out, _) = bourse(&["completions", shell]);
        assert_eq!(status, 0);
        assert!(out.contains("bourse"), "{shell}");
    }
}

#[test]
fn a_log_is_written_on_request_only_and_holds_no_key() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let log = home.path().join(".local/state/bourse/bourse.log");
    // A market that repeats the key it was sent, and tries to write a line of its own.
    let words = format!(r#"{{"success":false,"msg":"no {KEY}\n2026 forged"}}"#);
    let recorder = Recorder::always(json(400, &words));
    let url = recorder.url();
    let offers = |level: Option<&str>| {
        let mut command = home.bourse(&["offers", "--base-url", &url]);
        command.env("BOURSE_API_KEY", KEY);
        run(command.envs(level.map(|level| ("BOURSE_LOG", level))))
    };
    offers(None);
    offers(Some("off"));
    assert!(!log.exists());
    let (_, _, err) = offers(Some("loud"));
    assert!(err.contains("use off, error, warn, info, debug or trace"), "{err}");
    offers(Some("debug"));
    let text = fs::read_to_string(&log).unwrap();
    assert!(text.contains(r#"operation="search offers" method="POST""#), "{text}");
    assert!(text.contains("status=400"), "{text}");
    assert!(!text.contains("canary"), "{text}");
    assert!(text.lines().all(|line| line.contains(" bourse")), "{text}");
    assert_eq!(fs::metadata(&log).unwrap().permissions().mode() & 0o777, 0o600);
}
