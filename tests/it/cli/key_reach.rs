//! A profile's key goes to the profile's own addresses, and elsewhere only on request.

use super::commands::{Home, run};
use crate::recorder::{Recorder, json};

const KEY: &str = "canary-key-of-lab";

/// What is said of a market without workergroups.
const EMPTY: &str = "note: no workergroups match\n";

/// A market without workergroups and offers, and the address of another one.
fn markets() -> (Recorder, Recorder) {
    let empty = || Recorder::always(json(200, r#"{"success": true, "offers": [], "results": []}"#));
    (empty(), empty())
}

/// A home whose profile `lab` has a key command that leaves a file when it runs.
fn home_of(base: &str, more: &str) -> Home {
    let home = Home::new();
    let script = format!("#!/bin/sh\ntouch {}/ran\nprintf {KEY}", home.path().display());
    let script = home.file("key", &script, 0o755);
    let config = format!(
        "[profiles.lab]\nbase_url = \"{base}\"\napi_key_command = \"{}\"\n{more}",
        script.display()
    );
    home.file(".config/bourse/config.toml", &config, 0o600);
    home
}

/// The keys that arrived.
fn keys(recorder: &Recorder) -> Vec<Option<String>> {
    let requests = recorder.requests();
    let keys = requests.iter().map(|request| request.header("authorization"));
    keys.map(|key| key.map(str::to_owned)).collect()
}

#[test]
fn another_address_gets_no_key_and_a_note_names_both() {
    let (own, other) = markets();
    let home = home_of(&own.url(), "");
    let (status, _, err) = run(&mut home.bourse(&["groups", "--profile", "lab", "--base-url", &other.url()]));
    assert_eq!(status, 0, "{err}");
    assert_eq!(keys(&other), [None]);
    assert!(!home.path().join("ran").exists(), "its command was run");
    let note = format!(
        "note: no key is sent to {}: the key of 'lab' is for {}; add --send-key to send it, or pass another with \
         --api-key-file\n{EMPTY}",
        other.url(),
        own.url()
    );
    assert_eq!(err, note);
    assert!(own.requests().is_empty());
}

#[test]
fn a_key_goes_elsewhere_only_if_the_command_line_or_the_environment_says_so() {
    let (own, other) = markets();
    let home = home_of(&own.url(), "");
    let file = home.file("mine", "canary-own", 0o600);
    let bearer = |key: &str| Some(format!("Bearer {key}"));
    let base = ["groups", "--profile", "lab", "--base-url", &other.url()].map(str::to_owned);
    let flags = |more: &[&str]| -> Vec<String> {
        base.iter()
            .cloned()
            .chain(more.iter().map(ToString::to_string))
            .collect()
    };
    let start = |flags: &[String], environment: &[(&str, &str)]| {
        let words: Vec<_> = flags.iter().map(String::as_str).collect();
        let (status, _, err) = run(home.bourse(&words).envs(environment.iter().copied()));
        assert_eq!((status, err.as_str()), (0, EMPTY), "{words:?}");
        keys(&other).pop().unwrap()
    };
    assert_eq!(start(&flags(&["--send-key"]), &[]), bearer(KEY));
    assert_eq!(
        start(&flags(&["--api-key-file", file.to_str().unwrap()]), &[]),
        bearer("canary-own")
    );
    assert_eq!(
        start(&flags(&[]), &[("BOURSE_API_KEY", "canary-env")]),
        bearer("canary-env")
    );
    // Another path of the same server is the same market.
    let path = format!("{}/v2", own.url());
    let (status, _, err) = run(&mut home.bourse(&["groups", "--profile", "lab", "--base-url", &path]));
    assert_eq!((status, err.as_str()), (0, EMPTY));
    assert_eq!(keys(&own), [bearer(KEY)]);
    assert_eq!(own.only().path, "/v2/api/v0/workergroups/");
}

#[test]
fn a_name_and_its_address_are_two_hosts_and_so_are_two_schemes() {
    let (own, _) = markets();
    let home = home_of(&own.url(), "");
    let named = own.url().replace("127.0.0.1", "localhost");
    let (status, _, err) = run(&mut home.bourse(&["groups", "--profile", "lab", "--base-url", &named]));
    assert_eq!(status, 0, "{err}");
    assert_eq!(keys(&own), [None]);
    assert!(err.contains(&format!("no key is sent to {named}: ")), "{err}");
    let home = home_of("https://lab.example", "");
    for (other, is_same) in [
        ("https://LAB.example:443/", true),
        ("http://lab.example", false),
        ("https://lab.example:8443", false),
        ("https://lab.example.", false),
        ("https://www.lab.example", false),
    ] {
        let flags = ["offers", "--curl", "--profile", "lab", "--base-url", other];
        let (status, _, err) = run(&mut home.bourse(&flags));
        assert_eq!(
            (status, err.contains("no key is sent to")),
            (0, !is_same),
            "{other}: {err}"
        );
    }
}

#[test]
fn routing_elsewhere_gets_no_key_while_the_market_gets_it() {
    let (own, other) = markets();
    let reply = r#"{"url": "http://127.0.0.1:1", "cost": 1}"#;
    let route = Recorder::always(json(200, reply));
    let home = home_of(&own.url(), "");
    let to = |address: &str| ["route", "ep", "--profile", "lab", "--route-url", address].map(str::to_owned);
    let start = |flags: &[String]| {
        let words: Vec<_> = flags.iter().map(String::as_str).collect();
        run(&mut home.bourse(&words))
    };
    let (_, _, err) = start(&to(&route.url()));
    assert_eq!(keys(&route), [None], "{err}");
    assert!(
        err.contains(&format!(
            "no key is sent to {}: the key of 'lab' is for {}",
            route.url(),
            own.url()
        )),
        "{err}"
    );
    let mut flags = to(&route.url()).to_vec();
    flags.push("--send-key".to_owned());
    let (_, _, err) = start(&flags);
    assert_eq!(keys(&route)[1], Some(format!("Bearer {KEY}")), "{err}");
    // The routing address of the profile is its own.
    let home = home_of(&other.url(), &format!("route_url = \"{}\"\n", route.url()));
    let (_, _, err) = run(&mut home.bourse(&["route", "ep", "--profile", "lab", "--route-url", &route.url()]));
    assert_eq!(keys(&route)[2], Some(format!("Bearer {KEY}")), "{err}");
    assert!(!err.contains("no key is sent"), "{err}");
}

#[test]
fn the_default_profile_and_the_settings_in_force_follow_the_same_rule() {
    let (own, other) = markets();
    let home = Home::new();
    home.file("k", KEY, 0o600);
    let config = format!(
        "default_profile = \"lab\"\n[profiles.lab]\nbase_url = \"{}\"\napi_key_file = \"~/k\"\n",
        own.url()
    );
    home.file(".config/bourse/config.toml", &config, 0o600);
    // It keeps its market and loses only the routing.
    let (_, _, err) = run(&mut home.bourse(&["groups", "--route-url", &other.url()]));
    assert_eq!(keys(&own), [Some(format!("Bearer {KEY}"))]);
    assert!(err.contains(&format!("no key is sent to {}: ", other.url())), "{err}");
    let (_, out, _) = run(&mut home.bourse(&["config", "show", "--profile", "lab", "--base-url", &other.url()]));
    let row = out.lines().find(|line| line.starts_with("api_key ")).unwrap();
    assert!(row.contains("not sent") && row.contains(&own.url()), "{row}");
}
