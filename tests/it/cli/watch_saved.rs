//! `bourse watch --saved`: what it sends, prints, runs and survives.

use std::fs;
use std::process::Command;

use bourse::domain::Resource;
use bourse::domain::saved::{SavedSearch, SearchChange, SearchSpec, Searches};
use bourse::record::alerts::{Alert, AlertChange, Alerts, Followed};
use bourse::record::{AlertState, PricePer, Repeat, Rule, Trigger};
use bourse::store::{Paths, StateStore};
use serde_json::{Value as Json, json};

use super::commands::{Home, run};
use super::history::{next_second, offer, offers};
use crate::recorder::{Recorder, json as json_reply};
use crate::store::failing_disk::on_a_full_disk;

/// A home whose profile has two saved searches, one of which cannot be watched, and an alert on another search.
pub fn home(url: &str) -> Home {
    let home = Home::new();
    let config = format!(
        "default_profile = \"mine\"\nalert_command = \"sh -c 'echo $BOURSE_ALERT $BOURSE_PRICE >> {}/rang'\"\n\
         [watch]\nrequests_per_minute = 60\n[profiles.mine]\nbase_url = \"{url}\"\n",
        home.path().display()
    );
    home.file("config/bourse/config.toml", &config, 0o600);
    let store = StateStore::new(&Paths::below(home.path()), "mine");
    let spec = |resource, query: &str| SearchSpec {
        resource,
        query: query.to_owned(),
        off: Vec::new(),
        order: None,
        limit: None,
        offer_type: None,
        storage: None,
        unbundled: false,
    };
    for (name, resource, query) in [
        ("mine", Resource::Offers, "gpu_name=RTX_4090"),
        ("same", Resource::Offers, "gpu_name=RTX_4090"),
        ("groups", Resource::Workergroups, ""),
    ] {
        let search = SavedSearch {
            name: name.to_owned(),
            note: String::new(),
            job: None,
            spec: spec(resource, query),
        };
        store.change(&SearchChange::Put(search), &Searches::default()).unwrap();
    }
    for (name, query, is_paused) in [("cheap", "gpu_name=H100_SXM", false), ("off", "", true)] {
        let alert = Alert {
            name: name.to_owned(),
            follows: Followed::Search(spec(Resource::Offers, query)),
            rule: Rule {
                model: None,
                repeat: Repeat::EveryTime,
                per: PricePer::Gpu,
                trigger: Trigger::PriceBelow(1.0),
            },
            is_paused,
            state: AlertState::default(),
        };
        store
            .change(&AlertChange::Put(Box::new(alert)), &Alerts::default())
            .unwrap();
    }
    home
}

pub fn watch(home: &Home, flags: &[&str]) -> Command {
    let mut command = home.bourse(&[&["watch", "--saved"], flags].concat());
    let folder = |name: &str| home.path().join(name);
    command
        .env("XDG_CONFIG_HOME", folder("config"))
        .env("XDG_STATE_HOME", folder("state"));
    command
}

/// The 4090s halve their price with the second answer; an H100 is cheap from the start.
pub fn market() -> Recorder {
    Recorder::start(|number, request| {
        let is_h100 = String::from_utf8_lossy(&request.body).contains("H100");
        match (is_h100, number) {
            (true, _) => offers(&[offer(30, 0.9, "H100 SXM")]),
            (false, 0 | 1) => offers(&[offer(10, 0.5, "RTX 4090")]),
            (false, _) => offers(&[offer(10, 0.25, "RTX 4090")]),
        }
    })
}

#[test]
fn a_list_says_what_is_watched_how_often_and_sends_nothing() {
    let recorder = market();
    let (status, out, err) = run(&mut watch(&home(&recorder.url()), &["--list", "--every", "30s"]));
    assert_eq!(status, 0, "{err}");
    let lines: Vec<&str> = out.lines().collect();
    assert!(
        lines[1].contains("gpu_name=RTX_4090") && lines[1].contains("mine, same"),
        "{out}"
    );
    assert!(
        lines[2].contains("gpu_name=H100_SXM") && lines[2].contains("cheap"),
        "{out}"
    );
    assert!(lines[1].contains("30 s"), "{out}");
    assert!(
        out.contains("4 requests a minute; at most 60 by watch.requests_per_minute"),
        "{out}"
    );
    assert!(
        err.contains("“groups” is not watched: workergroups have no prices"),
        "{err}"
    );
    assert!(err.contains("1 alert is paused"), "{err}");
    assert_eq!(recorder.requests().len(), 0);
}

#[test]
fn a_timer_records_tells_changes_and_rings_once() {
    let recorder = market();
    let home = home(&recorder.url());
    let (status, out, err) = run(&mut watch(&home, &["--once"]));
    assert_eq!(status, 0, "{err}");
    assert!(
        err.contains("watching 2 saved searches and 1 alert: 2 requests a minute"),
        "{err}"
    );
    assert!(
        out.contains("alert “cheap”: $0.900/h per GPU is the lowest price: machine 30, offer 3000"),
        "{out}"
    );
    assert_eq!(out.lines().count(), 1, "{out}");
    assert_eq!(fs::read_to_string(home.path().join("rang")).unwrap(), "cheap 0.9\n");
    next_second();
    let (status, out, err) = run(&mut watch(&home, &["--once", "--format", "jsonl"]));
    assert_eq!(status, 0, "{err}");
    let events: Vec<Json> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.len(), 1, "{out}");
    assert_eq!(events[0]["event"], json!("repriced"));
    assert_eq!(events[0]["searches"], json!(["mine", "same"]));
    // Both searches of both runs, and no more: the two saved ones are one.
    assert_eq!(recorder.requests().len(), 4);
    assert_eq!(fs::read_to_string(home.path().join("rang")).unwrap(), "cheap 0.9\n");
    let store = StateStore::new(&Paths::below(home.path()), "mine");
    let alerts: Alerts = store.read(&mut Vec::new()).unwrap();
    assert_eq!(alerts.log.len(), 1);
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_ends_an_alert_s_command_and_all_that_it_started() {
    use crate::pty_support::{is_noticed, send_signal};
    use crate::terminal::commands::{STUBBORN, processes, wait_until_gone};
    use rustix::process::Signal;
    use std::process::Stdio;
    let cases = [(Signal::TERM, 0), (Signal::HUP, 129)];
    let cases = cases.into_iter().filter(|(signal, _)| is_noticed(*signal)).collect();
    crate::cases::side_by_side(cases, |(signal, status)| {
        let recorder = market();
        let home = home(&recorder.url());
        let script = home.file("stubborn", STUBBORN, 0o755);
        let script = script.to_str().unwrap();
        let config = format!(
            "default_profile = \"mine\"\nalert_command = \"{script}\"\n[profiles.mine]\nbase_url = \"{}\"\n",
            recorder.url()
        );
        home.file("config/bourse/config.toml", &config, 0o600);
        let mut command = watch(&home, &[]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut bourse = command.spawn().unwrap();
        let pids = processes(script);
        send_signal(bourse.id(), signal);
        assert_eq!(bourse.wait().unwrap().code(), Some(status));
        wait_until_gone(&pids);
    });
}

#[test]
fn where_nothing_is_saved_it_says_how_to_save_a_search() {
    let home = Home::new();
    for flags in [["--once"], ["--list"]] {
        let (status, _, err) = run(&mut watch(&home, &flags));
        assert_eq!(status, 0, "{err}");
        let note = "nothing is saved in 'sandbox' that can be watched: in the dashboard B saves a search and A adds an \
                    alert; bourse watch QUERY watches one search";
        assert!(err.contains(note), "{err}");
        assert!(!err.contains("0 saved searches"), "{err}");
    }
}

#[test]
fn a_full_disk_is_told_and_alerts_ring() {
    let recorder = market();
    let home = home(&recorder.url());
    let (status, out, err) = run(&mut on_a_full_disk(&watch(&home, &["--once"])));
    assert_eq!(status, 1, "{err}");
    assert!(out.contains("alert “cheap”"), "{out}");
    assert!(err.contains("note: the record: "), "{err}");
    assert!(err.contains("note: the file of alerts: "), "{err}");
    // A temporary file has another name each time.
    assert!(!err.contains("at path"), "{err}");
    assert!(err.contains("nothing was recorded: "), "{err}");
    assert_eq!(recorder.requests().len(), 2);
}

#[test]
fn a_refused_key_ends_a_timer_s_run_after_one_request() {
    let recorder = Recorder::always(json_reply(401, r#"{"error":"auth_error","msg":"Invalid key"}"#));
    let (status, _, err) = run(&mut watch(&home(&recorder.url()), &["--once"]));
    assert_eq!(status, 1, "{err}");
    assert!(err.contains("note: the API key: "), "{err}");
    assert!(err.contains("nothing was recorded: the API key: "), "{err}");
    assert_eq!(recorder.requests().len(), 1);
}

#[test]
fn what_is_for_one_search_is_refused() {
    let home = Home::new();
    for flags in [
        &["watch", "--saved", "4090"][..],
        &["watch", "--saved", "--if", "dph_total<1"],
        &["watch", "--saved", "--limit", "5"],
        &["watch", "--list"],
    ] {
        let (status, _, err) = run(&mut home.bourse(flags));
        assert_eq!(status, 2, "{flags:?}: {err}");
    }
}
