//! `bourse volumes`: the body that it sends, in each dialect, and what it prints of the reply.

use serde_json::{Value, json};

use crate::recorder::{self, Recorder};

/// What `bourse volumes` says and exits with: standard output, standard error, status.
fn volumes(arguments: &[&str], config: &str) -> (String, String, i32) {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("config/bourse");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), config).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_bourse"))
        .arg("volumes")
        .args(arguments)
        .env_clear()
        .env("HOME", home.path())
        .env("XDG_CONFIG_HOME", home.path().join("config"))
        .env("XDG_STATE_HOME", home.path().join("state"))
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr)
            .unwrap()
            .replacen(crate::cli::commands::BARE, "", 1),
        output.status.code().unwrap_or(-1),
    )
}

#[test]
fn the_command_sends_the_same_body_and_prints_what_came() {
    let recorder = Recorder::always(recorder::json(200, crate::stories::unlist::TWO));
    let url = recorder.url();
    let words = ["storage_cost<=0.1", "duration>=30"];
    let flags = ["--order", "storage_cost,inet_up-", "--limit", "25", "--base-url", &url];
    let arguments = [&words[..], &flags[..]].concat();
    let (out, err, status) = volumes(&[&arguments[..], &["--format", "csv"]].concat(), "");
    assert_eq!(status, 0, "{err}");
    assert_eq!(
        recorder.only().json(),
        json!({"q": {
            "verified": {"eq": true},
            "storage_cost": {"lte": 0.1},
            "duration": {"gte": 30},
            "order": [["storage_cost", "asc"], ["inet_up", "desc"]],
            "limit": 25
        }})
    );
    let mut lines = out.lines();
    let header: Vec<_> = lines.next().unwrap().split(',').collect();
    let price = header.iter().position(|name| *name == "storage_cost_total");
    let prices: Vec<_> = lines
        .map(|line| {
            // The location, the only cell with a comma, comes last.
            line.split(',').nth(price.unwrap()).unwrap()
        })
        .collect();
    // The market ignored the order: the cheaper one comes first all the same.
    assert_eq!(prices, ["0.0007", "0.0014"], "{out}");
    let (out, _, _) = volumes(&[&arguments[..], &["--format", "json"]].concat(), "");
    let whole: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(whole["offers"][0]["storage_total_cost"], json!(0.0007));
}

#[test]
fn the_command_speaks_the_profile_s_dialect() {
    let recorder = Recorder::always(recorder::json(200, r#"{"success":true,"offers":[]}"#));
    let config = format!(
        "[profiles.flat]\nbase_url = \"{}\"\ndialect = \"vast\"\n",
        recorder.url()
    );
    let (_, err, status) = volumes(&["duration>=2", "--profile", "flat"], &config);
    assert_eq!(status, 0, "{err}");
    assert_eq!(
        recorder.only().json(),
        json!({
            "verified": {"eq": true},
            "duration": {"gte": 172_800},
            "order": [["storage_cost", "asc"]],
            "limit": 100
        })
    );
}

#[test]
fn the_command_as_curl_sends_nothing() {
    let recorder = Recorder::always(Vec::new());
    let url = recorder.url();
    let arguments = ["geolocation=US", "--no-default", "--curl", "--base-url", &url];
    let (out, err, status) = volumes(&arguments, "");
    assert_eq!(status, 0, "{err}");
    assert_eq!(
        out,
        format!(
            "curl -sS -X POST '{url}/api/v0/network_volumes/search/' \
             -H \"Authorization: Bearer $BOURSE_API_KEY\" -H 'Content-Type: application/json' --data-raw \
             '{{\"q\":{{\"geolocation\":{{\"eq\":\"US\"}},\"order\":[[\"storage_cost\",\"asc\"]],\"limit\":100}}}}'\n"
        )
    );
    assert!(recorder.requests().is_empty());
}

#[test]
fn the_command_explains_a_market_without_volumes_and_an_empty_answer() {
    let recorder = Recorder::always(recorder::json(404, r#"{"detail":"Not Found"}"#));
    let (out, err, status) = volumes(&["--base-url", &recorder.url()], "");
    assert_eq!((out.as_str(), status), ("", 1));
    assert_eq!(err, "bourse: this market has no network volumes (status 404)\n");
    let recorder = Recorder::always(recorder::json(200, r#"{"success":true,"offers":[]}"#));
    let (_, err, status) = volumes(&["--base-url", &recorder.url()], "");
    assert_eq!(status, 0, "{err}");
}
