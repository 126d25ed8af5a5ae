//! `docs/scripting.md`: every command keeps to the same statuses, documents, flags and spellings.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::contract::{DOCUMENTS, OWN_DOCUMENTS};
use bourse::cli::help;
use serde_json::Value as Json;

use super::commands::{Home, run};
use super::schema;
use crate::recorder::{Recorder, json};

/// A command with a result and one without, the kind of their documents, and whether the second one ends with 4.
type Case = (&'static [&'static str], &'static str, i32);

/// Commands in a sandbox of 60 offers that stands still, but for those that read the record.
const CASES: [Case; 42] = [
    (&["pick", "gpu_name=NOPE"], "pick", 4),
    (&["offers", "num_gpus>=1", "-n", "2"], "offers", 0),
    (&["offers", "gpu_name=NOPE"], "offers", 0),
    (&["offers", "gpu_name=NOPE", "--fail-empty"], "offers", 4),
    (&["offers", "num_gpus>=1", "--fail-empty"], "offers", 0),
    (&["volumes", "-n", "2"], "volumes", 0),
    (&["volumes", "disk_space>99999999"], "volumes", 0),
    (&["volumes", "disk_space>99999999", "--fail-empty"], "volumes", 4),
    (&["groups"], "groups", 0),
    (&["groups", "endpoint=none"], "groups", 0),
    (&["groups", "endpoint=none", "--fail-empty"], "groups", 4),
    (&["market"], "market", 0),
    (&["market", "gpu_name=NOPE"], "market", 0),
    (&["market", "gpu_name=NOPE", "--fail-empty"], "market", 4),
    (&["depth"], "depth", 0),
    (&["depth", "gpu_name=NOPE", "--gpus", "4"], "depth", 0),
    (&["depth", "gpu_name=NOPE", "--fail-empty"], "depth", 4),
    (&["plan", "--gpus", "2", "--any-model"], "plan", 0),
    (&["plan", "gpu_name=NOPE", "--gpus", "2"], "plan", 4),
    (&["plan", "--gpus", "2", "--any-model", "--budget", "0.01"], "plan", 4),
    (&["history", "gpu_name=NOPE"], "history", 0),
    (&["history", "gpu_name=NOPE", "--fail-empty"], "history", 4),
    (&["history", "gpu_name=NOPE", "--index"], "price-index", 0),
    (&["bids", "gpu_name=NOPE"], "bids", 0),
    (&["bids", "gpu_name=NOPE", "--fail-empty"], "bids", 4),
    (&["markets", "check"], "market-check", 0),
    (&["writes", "check"], "writes", 0),
    (&["unlist", "7311", "--dry-run"], "request", 0),
    (
        &[
            "groups",
            "create",
            "--endpoint",
            "chat",
            "--template-id",
            "7",
            "--dry-run",
        ],
        "request",
        0,
    ),
    (&["groups", "supply"], "supply", 0),
    (&["groups", "supply", "endpoint=nope"], "supply", 0),
    (&["route", "sdxl", "-n", "2"], "route", 0),
    (&["route", "nope", "--patience", "0"], "route", 1),
    (&["watch", "--saved", "--list"], "watch-list", 0),
    (
        &[
            "offers",
            "--job",
            "3d,200GB,300GB-down",
            "-n",
            "2",
            "--columns",
            "id,dph_per_gpu",
        ],
        "offers",
        0,
    ),
    (
        &["offers", "--work", "500M tokens", "--by", "tomorrow", "-n", "2"],
        "offers",
        0,
    ),
    (&["groups", "--columns", "id,supply_gpus"], "groups", 0),
    (&["market", "--job", "3d", "--group-by", "host"], "market", 0),
    (&["market", "--work", "500M tokens"], "market", 0),
    (&["groups", "supply", "--size", "40GB"], "supply", 0),
    (&["route", "sdxl", "-n", "2", "--warmup", "1"], "route", 0),
    (
        &[
            "plan",
            "--gpus",
            "2",
            "--any-model",
            "--job",
            "500M-tokens",
            "--within",
            "9d",
        ],
        "plan",
        4,
    ),
];

/// Commands that read the record, in the past of a sandbox of 60 offers.
const RECORDED: [(&[&str], &str); 4] = [
    (&["history", "num_gpus>=1"], "history"),
    (&["history", "gpu_name=RTX_4090", "--days", "1"], "history"),
    (&["history", "--index", "--countries"], "price-index"),
    (&["bids", "--job", "3d"], "bids"),
];

/// Commands about bourse itself and the record, with the kind of their documents.
const OTHERS: [(&[&str], &str); 7] = [
    (&["config", "show"], "config"),
    (&["config", "check"], "config-check"),
    (&["paths"], "paths"),
    (
        &["markets", "add", "lab", "https://market.example", "--dialect", "vast"],
        "market-added",
    ),
    (&["db", "check"], "db-check"),
    (&["db", "vacuum"], "db-vacuum"),
    (&["db", "reset"], "db-reset"),
];

/// The names of the first two members of a document, which is the only one, or of its first line.
fn envelope(out: &str) -> (Vec<String>, Json) {
    let whole = serde_json::from_str::<Json>(out);
    let document = whole.or_else(|_| serde_json::from_str(out.lines().next().unwrap_or_default()));
    let document = document.unwrap_or_else(|error| panic!("{error}:\n{out}"));
    let names = document.as_object().unwrap().keys().take(2).cloned().collect();
    (names, document)
}

fn check_document(arguments: &[&str], out: &str, kind: &str) {
    let (names, document) = envelope(out);
    assert_eq!(names, ["v", "kind"], "{arguments:?}: {out}");
    assert_eq!(
        (&document["v"], &document["kind"]),
        (&1.into(), &kind.into()),
        "{arguments:?}"
    );
    let faults = schema::faults(&document);
    assert!(faults.is_empty(), "{arguments:?}: {}", faults.join("\n"));
}

#[test]
fn every_command_has_one_document_and_the_status_of_the_contract() {
    let home = Home::new();
    let mut kinds = BTreeSet::from(["change", "price", "sandbox"]); // in tests of their own
    let frozen = ["--freeze", "--offers", "60"];
    for (arguments, kind, status) in CASES {
        let plain = [&frozen[..], arguments].concat();
        let (ended, _, err) = run(&mut home.bourse(&plain));
        assert_eq!(ended, status, "{arguments:?}: {err}");
        let long: &[&str] = if kind == "pick" {
            &["--print", "json"]
        } else {
            &["--format", "json"]
        };
        for json in [&["--json"], long] {
            let (ended, out, err) = run(&mut home.bourse(&[&plain, json].concat()));
            assert_eq!(ended, status, "{arguments:?} {json:?}: {err}");
            check_document(arguments, &out, kind);
        }
        kinds.insert(kind);
    }
    let (ended, _, err) = run(&mut home.bourse(&["watch", "num_gpus>=1", "--once", "--offers", "60"]));
    assert_eq!(ended, 0, "{err}");
    for (arguments, kind) in RECORDED {
        let (ended, out, err) = run(&mut home.bourse(&[&["--json", "--offers", "60"], arguments].concat()));
        assert_eq!(ended, 0, "{arguments:?}: {err}");
        check_document(arguments, &out, kind);
    }
    for (arguments, kind) in OTHERS {
        let (ended, out, err) = run(&mut home.bourse(&[arguments, &["--json"]].concat()));
        assert_eq!(ended, 0, "{arguments:?}: {err}");
        check_document(arguments, &out, kind);
        kinds.insert(kind);
    }
    let documented = DOCUMENTS.iter().chain(&OWN_DOCUMENTS).map(|(kind, ..)| *kind);
    assert_eq!(kinds, documented.collect::<BTreeSet<_>>());
}

#[test]
fn the_lines_of_an_export_and_the_greeting_of_the_sandbox_are_documents_too() {
    let home = Home::new();
    let (status, _, err) = run(&mut home.bourse(&["watch", "num_gpus>=1", "--once", "--offers", "60"]));
    assert_eq!(status, 0, "{err}");
    let (status, out, err) = run(&mut home.bourse(&["db", "export", "--offers", "60"]));
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.lines().count() > 5, "{out}");
    for line in out.lines() {
        check_document(&["db", "export"], line, "price");
    }
    let (_, _, err) = run(&mut home.bourse(&["db", "export", "--format", "json"]));
    assert!(err.contains("--format json is --format jsonl now"), "{err}");
    let arguments = ["sandbox", "--listen", "127.0.0.1:0", "--json"];
    let mut child = home.bourse(&arguments).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    check_document(&arguments, &line, "sandbox");
    let (_, greeting) = envelope(&line);
    assert!(greeting["address"].as_str().unwrap().starts_with("http://127.0.0.1:"));
    assert!(!greeting["api_key"].as_str().unwrap().is_empty());
}

#[test]
fn usage_errors_end_with_2_and_print_no_document() {
    let home = Home::new();
    for arguments in [
        &["offers", "gpu_name"][..],
        &["offers", "--json", "--format", "csv"],
        &["pick", "--json", "--print", "id"],
        &["--json"],
        &["config", "print-default", "--json"],
        &["completions", "bash", "--json"],
        &["offers", "--color", "sometimes"],
        &["offers", "--profile", "nope"],
        &["offers", "--config", "nowhere.toml"],
        &["nonsense"],
        &["help", "nonsense"],
    ] {
        let (status, out, err) = run(&mut home.bourse(arguments));
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert!(!err.is_empty(), "{arguments:?}");
    }
}

#[test]
fn options_of_the_sandbox_are_refused_on_a_live_market_before_anything_is_sent() {
    let recorder = Recorder::always(json(200, r#"{"offers": []}"#));
    let url = recorder.url();
    let home = Home::new();
    for option in [
        &["--seed", "3"][..],
        &["--offers", "9"],
        &["--freeze"],
        &["--speed", "2"],
        &["--latency", "0"],
        &["--faults", "calm"],
    ] {
        let arguments = [&["offers", "--base-url", &url], option].concat();
        let (status, _, err) = run(&mut home.bourse(&arguments));
        assert_eq!(status, 2, "{option:?}");
        let wanted = format!("{} is for the sandbox", option[0]);
        assert!(err.contains(&wanted), "{option:?}: {err}");
    }
    assert_eq!(recorder.requests().len(), 0);
    // Positive control.
    let (status, _, _) = run(&mut home.bourse(&["offers", "--base-url", &url]));
    assert_eq!((status, recorder.requests().len()), (0, 1));
}

#[test]
fn a_configuration_and_a_profile_are_named_by_flags_before_variables() {
    let home = Home::new();
    let config = |name: &str, profile: &str| {
        let text = format!(
            "default_profile = \"{profile}\"\n[profiles.{profile}]\nbase_url = \"https://{profile}.example\"\n\
             api_key_file = \"key\"\n"
        );
        home.file(name, &text, 0o644).display().to_string()
    };
    home.file("one/key", "canary-one", 0o600);
    home.file("two/key", "canary-two", 0o600);
    let (one, two) = (config("one/a.toml", "first"), config("two/b.toml", "second"));
    let shown = |arguments: &[&str], variables: &[(&str, &str)]| -> Vec<(String, String, String)> {
        let mut command = home.bourse(&[&["config", "show", "--json"], arguments].concat());
        let (status, out, err) = run(command.envs(variables.iter().copied()));
        assert_eq!(status, 0, "{err}");
        let (_, document) = envelope(&out);
        let text = |row: &Json, name: &str| row[name].as_str().map_or_else(|| row[name].to_string(), str::to_owned);
        let rows = document["settings"].as_array().unwrap().iter();
        rows.map(|row| (text(row, "setting"), text(row, "value"), text(row, "from")))
            .collect()
    };
    let of = |rows: &[(String, String, String)], name: &str| {
        let row = rows.iter().find(|(setting, ..)| setting == name).unwrap();
        (row.1.clone(), row.2.clone())
    };
    let rows = shown(&["--config", &one], &[("BOURSE_CONFIG", &two)]);
    assert_eq!(of(&rows, "profile"), ("first".to_owned(), format!("{one}:1")));
    // A key file is relative to its configuration.
    assert!(of(&rows, "api_key").1.contains("/one/key"), "{rows:?}");
    let rows = shown(&[], &[("BOURSE_CONFIG", &two)]);
    assert_eq!(of(&rows, "profile").0, "second");
    let rows = shown(&[], &[("BOURSE_CONFIG", &two), ("BOURSE_PROFILE", "vast")]);
    assert_eq!(of(&rows, "profile"), ("vast".to_owned(), "BOURSE_PROFILE".to_owned()));
    let rows = shown(
        &["--profile", "sandbox"],
        &[("BOURSE_CONFIG", &two), ("BOURSE_PROFILE", "vast")],
    );
    assert_eq!(of(&rows, "profile"), ("sandbox".to_owned(), "--profile".to_owned()));
    // An address of the command line takes no dialect of a profile that is only usual.
    let rows = shown(&["--base-url", "https://other.example"], &[("BOURSE_PROFILE", "vast")]);
    assert_eq!(of(&rows, "profile").0, "custom");
    let (status, out, _) = run(home.bourse(&["paths"]).env("BOURSE_CONFIG", &two));
    assert_eq!(status, 0);
    assert!(out.contains(&two), "{out}");
}

#[test]
fn markets_are_added_to_the_configuration_that_is_named() {
    let home = Home::new();
    let path = home.path().join("new/bourse.toml");
    let arguments = [
        "markets",
        "add",
        "lab",
        "https://lab.example",
        "--dialect",
        "vast",
        "--config",
    ];
    let (status, _, err) = run(&mut home.bourse(&[&arguments[..], &[path.to_str().unwrap()]].concat()));
    assert_eq!(status, 0, "{err}");
    assert!(std::fs::read_to_string(path).unwrap().contains("[profiles.lab]"));
    assert!(!home.path().join(".config/bourse").exists());
}

#[test]
fn the_key_of_the_public_service_is_found_where_its_users_have_it() {
    let recorder = Recorder::always(json(200, r#"{"success": true, "results": []}"#));
    let url = recorder.url();
    let home = Home::new();
    let arguments = ["groups", "--profile", "vast", "--base-url", &url, "--send-key"];
    let sent = |variables: &[(&str, &str)]| {
        let (status, _, err) = run(home.bourse(&arguments).envs(variables.iter().copied()));
        assert_eq!(status, 0, "{err}");
        let requests = recorder.requests();
        requests.last().unwrap().header("authorization").map(str::to_owned)
    };
    let bearer = |key: &str| Some(format!("Bearer {key}"));
    let both = [("VASTAI_API_KEY", "from-providers"), ("VAST_API_KEY", "from-client")];
    assert_eq!(sent(&both), bearer("from-client"));
    assert_eq!(sent(&both[..1]), bearer("from-providers"));
    assert_eq!(sent(&[("VAST_API_KEY", ""), both[0]]), bearer("from-providers"));
    home.file(".vast_api_key", "from-older-file", 0o600);
    assert_eq!(sent(&[]), bearer("from-older-file"));
    home.file(".config/vastai/vast_api_key", "from-file", 0o600);
    assert_eq!(sent(&[]), bearer("from-file"));
    assert_eq!(sent(&both[..1]), bearer("from-providers"));
}

#[test]
fn quiet_leaves_errors_only_and_colours_are_chosen() {
    let home = Home::new();
    let empty = ["offers", "gpu_name=NOPE", "--freeze", "--offers", "60"];
    let (_, _, err) = run(&mut home.bourse(&empty));
    assert!(err.contains("note: no offers match"), "{err}");
    for quiet in ["-q", "--quiet"] {
        let (status, _, err) = run(&mut home.bourse(&[&empty[..], &[quiet]].concat()));
        assert_eq!((status, err.as_str()), (0, ""));
    }
    let (_, _, err) = run(&mut home.bourse(&["offers", "gpu_name", "-q"]));
    assert!(err.contains("bourse: "), "{err}");
    let coloured = |arguments: &[&str]| {
        let (status, out, _) = run(&mut home.bourse(arguments));
        assert_eq!(status, 0);
        out.contains("\u{1b}[")
    };
    assert!(coloured(&["--color", "always", "offers", "--help"]));
    assert!(!coloured(&["--color", "never", "offers", "--help"]));
    assert!(!coloured(&["offers", "--help"]), "this is a pipe");
}

#[test]
fn older_spellings_work_with_a_note() {
    let home = Home::new();
    for (older, newer, name) in [
        (
            &["market", "--by", "country"][..],
            &["market", "--group-by", "country"][..],
            "--group-by",
        ),
        (
            &["plan", "--gpus", "2", "--any-model", "--job", "3d", "--deadline=9d"],
            &["plan", "--gpus", "2", "--any-model", "--job", "3d", "--within=9d"],
            "--within",
        ),
        (
            &["history", "--volumes"],
            &["history", "--network-volumes"],
            "--network-volumes",
        ),
        (
            &[
                "groups",
                "create",
                "--endpoint",
                "chat",
                "--template-id",
                "7",
                "--dry-run",
                "--settle",
                "not-created",
            ],
            &[
                "groups",
                "create",
                "--endpoint",
                "chat",
                "--template-id",
                "7",
                "--dry-run",
                "--earlier",
                "not-created",
            ],
            "--earlier",
        ),
    ] {
        let of = |arguments: &[&str]| run(&mut home.bourse(&[&["--freeze", "--offers", "60"], arguments].concat()));
        let (older, newer) = (of(older), of(newer));
        // The sandbox has a port of its own in each run.
        let body = |out: &str| out.lines().last().unwrap_or_default().to_owned();
        assert_eq!((older.0, body(&older.1)), (newer.0, body(&newer.1)));
        let note = format!("is {name} now");
        assert!(older.2.contains(&note), "{}", older.2);
        assert!(!newer.2.contains(&note), "{}", newer.2);
    }
}

#[test]
fn the_version_has_its_commit_and_date_where_there_is_one() {
    let (status, out, _) = run(&mut Home::new().bourse(&["--version"]));
    assert_eq!(status, 0);
    let version = out
        .trim_end()
        .strip_prefix(concat!("bourse ", env!("CARGO_PKG_VERSION")))
        .unwrap();
    if version.is_empty() {
        return; // built outside of a repository
    }
    let commit = version.strip_prefix(" (").unwrap().strip_suffix(')').unwrap();
    let (hash, date) = commit.split_once(", ").unwrap();
    assert!(hash.len() >= 7 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{out}");
    assert!(date.parse::<jiff::civil::Date>().is_ok(), "{out}");
}

#[test]
fn a_sum_of_nothing_is_zero() {
    let (status, out, err) = run(&mut Home::new().bourse(&["watch", "--saved", "--list"]));
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("\n0 requests a minute"), "{out}");
}

#[test]
fn bourse_help_is_the_help_of_a_command() {
    let home = Home::new();
    for command in [&[][..], &["offers"], &["groups", "create"]] {
        let help = run(&mut home.bourse(&[&["help"], command].concat()));
        let flag = run(&mut home.bourse(&[command, &["--help"]].concat()));
        assert_eq!(help, flag, "{command:?}");
        assert_eq!(help.0, 0);
    }
}

/// Every command that is not hidden, by its words.
fn commands(command: &clap::Command, path: &[String], found: &mut Vec<Vec<String>>) {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        let path = [path, &[below.get_name().to_owned()]].concat();
        commands(below, &path, found);
        found.push(path);
    }
}

#[test]
fn every_command_is_in_the_help_the_man_page_and_the_completion_and_every_short_option_has_a_name() {
    let home = Home::new();
    let mut program = help::command();
    program.build();
    let mut all = Vec::new();
    commands(&program, &[], &mut all);
    assert!(all.len() >= 28, "{all:?}");
    let (_, page, _) = run(&mut home.bourse(&["man"]));
    for path in &all {
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        let (status, out, err) = run(&mut home.bourse(&[&words[..], &["--help"]].concat()));
        assert_eq!((status, err.as_str()), (0, ""), "{path:?}");
        assert!(out.contains("Usage: bourse"), "{path:?}");
        let heading = format!(".SH BOURSE {}\n", path.join(" ").to_uppercase());
        assert!(page.contains(&heading), "{path:?}");
        let line = format!("bourse {}", path.join(" "));
        let (_, out, _) = run(&mut home.bourse(&["__complete", "bash", &line]));
        let last = path.last().unwrap();
        assert!(out.lines().any(|offered| offered.trim() == last), "{path:?}: {out}");
    }
    let unnamed = |command: &clap::Command| -> Vec<String> {
        let arguments = command.get_arguments();
        let short = arguments.filter(|argument| argument.get_short().is_some() && argument.get_long().is_none());
        short
            .map(|argument| format!("{} {}", command.get_name(), argument.get_id()))
            .collect()
    };
    let unnamed: Vec<String> = program.get_subcommands().flat_map(unnamed).collect();
    assert_eq!(unnamed, [""; 0]);
}

#[test]
fn a_number_that_is_none_is_explained_in_words() {
    for (line, option) in [
        (&["offers", "--latency", "3s"][..], "--latency <MS>"),
        (&["offers", "-n", "many"], "--rows <ROWS>"),
        (&["sandbox", "--offers", "1k"], "--offers <N>"),
    ] {
        let (status, out, err) = run(&mut Home::new().bourse(line));
        assert_eq!((status, out.as_str()), (2, ""), "{err}");
        assert!(
            err.contains(option) && err.contains("a whole number is needed"),
            "{err}"
        );
        assert!(!err.contains("digit"), "{err}");
    }
}
