//! `bourse watch`, `bourse history` and `bourse db`: what they send, record, print and survive.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value as Json, json};

use super::commands::{BARE, Home, run};
use crate::recorder::{Recorder, json as json_reply};

/// An offer of a whole machine with one GPU: its price per hour has no storage in it.
pub fn offer(machine: u64, price: f64, model: &str) -> Json {
    json!({
        "id": machine * 100, "machine_id": machine, "host_id": 7, "gpu_name": model,
        "num_gpus": 1, "dph_base": price, "dph_total": price, "storage_cost": 0.0,
    })
}

pub fn offers(records: &[Json]) -> Vec<u8> {
    json_reply(200, &json!({ "offers": records }).to_string())
}

/// `bourse watch` of all offers of a market.
pub fn watch(home: &Home, url: &str, flags: &[&str]) -> Command {
    let fixed = ["watch", "--no-default", "--base-url", url];
    home.bourse(&[&fixed, flags].concat())
}

/// Polls are a second apart at least.
pub fn next_second() {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    thread::sleep(Duration::from_millis(1010 - u64::from(since.subsec_millis())));
}

fn events(out: &str) -> Vec<Json> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_changed_since_the_last_search_is_printed_as_lines() {
    let recorder = Recorder::start(|number, _| {
        let first = [offer(10, 0.5, "RTX 4090"), offer(20, 0.4, "RTX 4090")];
        let second = [offer(10, 0.25, "RTX 4090"), offer(30, 0.9, "H100 SXM")];
        offers(if number == 0 { &first } else { &second })
    });
    let (home, url) = (Home::new(), recorder.url());
    let (status, out, err) = run(&mut watch(&home, &url, &["--once"]));
    assert_eq!((status, out.as_str()), (0, ""), "{err}");
    assert!(err.contains("2 machines recorded"), "{err}");
    next_second();
    let with = ["--once", "--format", "jsonl", "--with", "price_per_gpu"];
    let (status, out, err) = run(&mut watch(&home, &url, &with));
    assert_eq!(status, 0, "{err}");
    for event in events(&out) {
        let names: Vec<&String> = event.as_object().unwrap().keys().take(2).collect();
        assert_eq!(names, ["v", "kind"], "{event}");
        assert_eq!((&event["v"], &event["kind"]), (&json!(1), &json!("change")));
        let known = match event["machine_id"].as_i64() {
            Some(10) => json!({"v": 1, "price_per_gpu": 0.25}),
            Some(30) => json!({"v": 1, "price_per_gpu": 0.9}),
            _ => Json::Null,
        };
        assert_eq!(event["bourse"], known, "{event}");
    }
    let reported: Vec<_> = events(&out)
        .iter()
        .map(|event| {
            let of = |key: &str| event[key].clone();
            (of("event"), of("machine_id"), of("from"), of("price"))
        })
        .collect();
    let mut expected = [
        (json!("repriced"), json!(10), json!(0.5), json!(0.25)),
        (json!("delisted"), json!(20), json!(null), json!(0.4)),
        (json!("listed"), json!(30), json!(null), json!(0.9)),
    ];
    expected.sort_by_key(|(_, machine, ..)| machine.as_i64());
    let mut reported = reported;
    reported.sort_by_key(|(_, machine, ..)| machine.as_i64());
    assert_eq!(reported, expected);
    // Nothing changes: nothing is printed.
    next_second();
    let (status, out, err) = run(&mut watch(&home, &url, &["--once"]));
    assert_eq!((status, out.as_str()), (0, ""), "{err}");
    // One of them asked why machine 20 is gone.
    assert_eq!(recorder.requests().len(), 4);

    let history = |flags: &[&str]| {
        let fixed = ["history", "--no-default", "--base-url", &url];
        run(&mut home.bourse(&[&fixed, flags].concat()))
    };
    let (status, out, err) = history(&["--days", "1"]);
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("Record low: $0.250 on "), "{out}");
    assert!(out.contains("asked, not paid"), "{out}");
    assert!(out.contains("No price verdict, too little: known for"), "{out}");
    let (_, out, _) = history(&["--format", "json", "--machine", "30"]);
    let report: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(report["record_low"]["price"], json!(0.9));
    let (_, out, _) = history(&["--format", "csv"]);
    assert!(
        out.starts_with("from,until,lowest,p20,median,p80,amount,watched"),
        "{out}"
    );

    let (status, out, err) = run(&mut home.bourse(&["db", "check", "--base-url", &url]));
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("no damage"), "{out}");
    assert!(out.contains("1 search, 3 polls, 4 prices"), "{out}");
    let export = ["db", "export", "--base-url", &url, "--format", "csv"];
    let (_, out, _) = run(&mut home.bourse(&export));
    assert_eq!(out.lines().count(), 5, "{out}");
}

#[test]
fn a_condition_that_is_met_runs_the_command_with_values_and_no_shell() {
    let hostile = "$(touch pwned); `touch pwned` \"'";
    let recorder = Recorder::always(offers(&[
        offer(10, 0.5, "RTX 4090"),
        offer(20, 0.2, hostile),
        offer(30, 0.25, "RTX 4090"),
    ]));
    let (home, url) = (Home::new(), recorder.url());
    let script = "sh -c 'printf \"%s|\" \"$BOURSE_OFFER\" \"$BOURSE_MACHINE\" \"$BOURSE_MODEL\" \
                  \"$BOURSE_PRICE\" \"$BOURSE_COUNT\" > met'";
    let flags = ["--if", "dph_total<0.3", "--count", "2", "--exec", script];
    let (status, out, err) = run(watch(&home, &url, &flags).current_dir(home.path()));
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("met: 2 offers"), "{out}");
    let met = fs::read_to_string(home.path().join("met")).unwrap();
    assert_eq!(met, format!("2000|20|{hostile}|0.2|2|"));
    assert!(!home.path().join("pwned").exists());

    next_second();
    let flags = ["--if", "dph_total<0.3", "--count", "3", "--once"];
    let (status, out, err) = run(&mut watch(&home, &url, &flags));
    assert_eq!((status, out.as_str()), (4, ""), "{err}");
    let (status, _, err) = run(&mut watch(&home, &url, &["--if", "dph_total<<3", "--once"]));
    assert_eq!(status, 2, "{err}");
    let (status, _, err) = run(&mut watch(&home, &url, &["--every", "2s"]));
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("at least 10 s"), "{err}");
}

#[test]
fn the_command_gets_no_key_and_ends_with_the_watch() {
    let recorder = Recorder::always(offers(&[offer(10, 0.2, "RTX 4090")]));
    let (home, url) = (Home::new(), recorder.url());
    let script = "sh -c 'sleep 1000 & echo $! > pid; env > env.new; mv env.new env; wait'";
    let flags = ["--if", "dph_total<0.3", "--exec", script];
    let mut command = watch(&home, &url, &flags);
    command.current_dir(home.path());
    for variable in ["BOURSE_API_KEY", "VAST_API_KEY"] {
        command.env(variable, "canary-key-51ab");
    }
    let child = command.stderr(Stdio::null()).spawn().unwrap();
    let environment = home.path().join("env");
    while !environment.exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let environment = fs::read_to_string(environment).unwrap();
    assert!(environment.contains("BOURSE_OFFER="), "{environment}");
    assert!(!environment.contains("canary-key"), "{environment}");
    let pid = fs::read_to_string(home.path().join("pid")).unwrap();
    // Not met: the command did not end.
    assert_eq!(ended_by(child, "-INT"), Some(4));
    let is_alive = || {
        let state = fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        state.is_ok_and(|state| !state.contains(") Z "))
    };
    while is_alive() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// A watch that has searched once.
fn watching(home: &Home, url: &str, flags: &[&str]) -> Child {
    let mut child = watch(home, url, flags).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let dialect = lines.next().unwrap().unwrap();
    assert_eq!(format!("{dialect}\n"), BARE);
    let first = lines.next().unwrap().unwrap();
    assert!(first.contains("recorded"), "{first}");
    child.stderr = None;
    child
}

fn send(child: &Child, signal: &str) {
    let id = child.id().to_string();
    let status = Command::new("kill").args([signal, &id]).status();
    assert!(status.unwrap().success());
}

fn ended_by(mut child: Child, signal: &str) -> Option<i32> {
    send(&child, signal);
    child.wait().unwrap().code()
}

/// A `bourse watch --once`, which asks whatever another program does.
fn once(home: &Home, url: &str) {
    next_second();
    let (status, _, err) = run(&mut watch(home, url, &["--once"]));
    assert_eq!(status, 0, "{err}");
}

/// The storage of the search is in every price: 0.72 $/GB/month are 0.001 $/GB/h.
#[test]
fn prices_have_the_storage_of_the_search_and_say_so() {
    let priced = |machine: u64, base: f64| {
        let mut offer = offer(machine, base, "RTX 4090");
        offer["storage_cost"] = json!(0.72);
        offer["disk_space"] = json!(500);
        offer["dph_total"] = json!(base + 0.008);
        offer
    };
    let recorder = Recorder::start(move |number, _| {
        let base = if number == 0 { 0.5 } else { 0.25 };
        offers(&[priced(10, base)])
    });
    let (home, url) = (Home::new(), recorder.url());
    assert_eq!(run(&mut watch(&home, &url, &["--once", "4090", "200gb"])).0, 0);
    next_second();
    let flags = ["--once", "4090", "200gb", "--if", "dph_total<0.44"];
    let (status, out, err) = run(&mut watch(&home, &url, &flags));
    assert!(out.contains("$0.700 → $0.450/h per GPU with 200 GB"), "{out} {err}");
    assert_eq!(status, 4, "{err}");
    let history = ["history", "--no-default", "--base-url", &url, "4090"];
    let reported = |words: &str| run(&mut home.bourse(&[&history[..], &[words]].concat())).1;
    let of_200 = reported("200gb");
    assert!(of_200.contains("$/h per GPU with 200 GB"), "{of_200}");
    assert!(of_200.contains("Lowest now: $0.450"), "{of_200}");
    // The same search, with the prices of 8 GB.
    let of_8 = reported("disk_space>=200");
    assert!(of_8.contains("Lowest now: $0.258"), "{of_8}");
    assert!(!of_8.contains("GB"), "{of_8}");
}

/// One search says why machines are gone from one with a price limit: rented, repriced, delisted. What
/// comes back under the limit was not listed.
#[test]
fn causes_are_told_as_in_the_dashboard() {
    let rented = |machine| {
        let mut offer = offer(machine, 0.4, "RTX 4090");
        offer["rented"] = json!(true);
        offer
    };
    let cheap = |machines: &[u64]| {
        let own = machines.iter().map(|machine| offer(*machine, 0.4, "RTX 4090"));
        own.collect::<Vec<_>>()
    };
    let recorder = Recorder::start(move |number, _| match number {
        0 => offers(&cheap(&[10, 20, 30, 40])),
        1 => offers(&cheap(&[40])),
        // The search for 10, 20 and 30.
        2 => offers(&[rented(10), offer(20, 0.9, "RTX 4090")]),
        _ => offers(&cheap(&[20, 40])),
    });
    let (home, url) = (Home::new(), recorder.url());
    let reported = || {
        let flags = ["--once", "--format", "jsonl", "dph_total<0.5"];
        let (status, out, err) = run(&mut watch(&home, &url, &flags));
        assert_eq!(status, 0, "{err}");
        let reported = events(&out);
        let reported = reported
            .iter()
            .map(|it| (it["machine_id"].as_i64(), it["event"].clone()));
        let mut reported: Vec<_> = reported.collect();
        reported.sort_by_key(|(machine, _)| *machine);
        reported
    };
    assert_eq!(reported(), []);
    next_second();
    let wanted = [
        (Some(10), json!("rented")),
        (Some(20), json!("left_the_search")),
        (Some(30), json!("delisted")),
    ];
    assert_eq!(reported(), wanted);
    next_second();
    assert_eq!(reported(), [(Some(20), json!("into_view"))]);
    assert_eq!(recorder.requests().len(), 4);
    let asked = String::from_utf8_lossy(&recorder.requests()[2].body).into_owned();
    assert!(asked.contains("host_id") && !asked.contains("dph_total"), "{asked}");
}

/// A machine of two GPUs is offered whole and in halves: at most two can be rented together.
#[test]
fn offers_that_share_gpus_count_once() {
    let slice = |id: u64, gpus: &[u64]| {
        let mut offer = offer(10, 0.2, "RTX 4090");
        offer["id"] = json!(id);
        offer["num_gpus"] = json!(gpus.len());
        offer["gpu_ids"] = json!(gpus);
        offer
    };
    let slices = [slice(1, &[0, 1]), slice(2, &[0]), slice(3, &[1])];
    let recorder = Recorder::always(offers(&slices));
    let (home, url) = (Home::new(), recorder.url());
    let status = |count: &str| {
        let flags = ["--once", "--if", "dph_total<1", "--count", count];
        run(&mut watch(&home, &url, &flags))
    };
    let (code, out, err) = status("2");
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("met: 2 offers"), "{out}");
    next_second();
    assert_eq!(status("3").0, 4);
}

/// Columns that bourse computes are no part of a response.
#[test]
fn a_condition_on_a_computed_column_is_met() {
    for (condition, wanted) in [("dph_per_gpu<0.3", 0), ("dph_per_gpu<0.2", 4)] {
        let recorder = Recorder::always(offers(&[offer(10, 0.25, "RTX 4090")]));
        let (home, url) = (Home::new(), recorder.url());
        let (status, out, err) = run(&mut watch(&home, &url, &["--once", "--if", condition]));
        assert_eq!(status, wanted, "{condition}: {out}{err}");
    }
}

#[test]
fn a_condition_takes_plain_words_and_is_refused_if_it_can_never_be_met() {
    let recorder = Recorder::always(offers(&[offer(10, 0.25, "RTX 4090")]));
    let (home, url) = (Home::new(), recorder.url());
    let (status, out, err) = run(&mut watch(&home, &url, &["--once", "--if", "4090 under $0.30"]));
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("met: 1 offer"), "{out}");
    for (query, never, why) in [
        ("", "job_cost<20", "add --job"),
        ("", "dph_total<0", "can never be met: dph_total<0"),
        ("", "num_gpus>4 num_gpus<5", "can never be met"),
        ("gpu_name=H100", "gpu_name=RTX_4090", "can never be met"),
        ("dph_total>=1", "dph_total<1", "can never be met"),
        ("rented=false", "rented=true", "can never be met"),
    ] {
        let flags = ["--once", "--if", never, query];
        let (status, _, err) = run(&mut watch(&home, &url, &flags));
        assert_eq!(status, 2, "{never}: {err}");
        assert!(err.contains(why), "{never}: {err}");
    }
    let flags = ["--once", "--if", "dph_total<1", "--count", "9", "--limit", "5"];
    let (status, _, err) = run(&mut watch(&home, &url, &flags));
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("--count 9 can never be met"), "{err}");
    assert_eq!(recorder.requests().len(), 1);
}

/// `--every` says how often the timer runs that searches once.
#[test]
fn a_timer_says_how_often_it_searches() {
    let recorder = Recorder::always(offers(&[offer(10, 0.5, "RTX 4090")]));
    let (home, url) = (Home::new(), recorder.url());
    for flags in [&["--once"][..], &["--once", "--every", "1h"]] {
        let (status, _, err) = run(&mut watch(&home, &url, flags));
        assert_eq!(status, 0, "{err}");
        next_second();
    }
    let profiles = home.path().join(".local/state/bourse/profiles");
    let profile = fs::read_dir(profiles).unwrap().next().unwrap().unwrap();
    let file = rusqlite::Connection::open(profile.path().join("history.sqlite")).unwrap();
    let mut polls = file
        .prepare("SELECT every_seconds FROM requests_v1 ORDER BY sent")
        .unwrap();
    let every = polls.query_map([], |row| row.get::<_, Option<u32>>(0));
    let every: Vec<_> = every.unwrap().map(Result::unwrap).collect();
    assert_eq!(every, [None, Some(3600)]);
}

#[test]
fn a_signal_ends_it_cleanly_and_a_run_that_asks_once_always_does() {
    let recorder = Recorder::always(offers(&[offer(10, 0.5, "RTX 4090")]));
    let (home, url) = (Home::new(), recorder.url());
    let first = watching(&home, &url, &[]);
    once(&home, &url);
    assert_eq!(recorder.requests().len(), 2);
    assert_eq!(ended_by(first, "-TERM"), Some(0));
    once(&home, &url);
    assert_eq!(recorder.requests().len(), 3);

    let other = Home::new();
    let unmet = watching(&other, &url, &["--if", "dph_total<0.1"]);
    assert_eq!(ended_by(unmet, "-INT"), Some(4));
}

/// Lines that a watch says on stderr.
fn said(home: &Home, url: &str) -> (Child, impl Iterator<Item = String>) {
    let mut child = watch(home, url, &[]).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    (child, lines.map(Result::unwrap))
}

#[test]
fn what_another_program_has_just_asked_for_is_read_however_that_ended() {
    for signal in ["-KILL", "-STOP"] {
        let recorder = Recorder::always(offers(&[offer(10, 0.5, "RTX 4090")]));
        let (home, url) = (Home::new(), recorder.url());
        let first = watching(&home, &url, &[]);
        send(&first, signal);
        let (second, mut lines) = said(&home, &url);
        let note = lines.find(|line| line.contains("another program watches this search: reading what it records"));
        assert!(note.is_some());
        assert_eq!(recorder.requests().len(), 1);
        assert_eq!(ended_by(second, "-TERM"), Some(0));
        ended_by(first, "-KILL");
    }
}

#[test]
fn a_program_that_was_stopped_while_it_asked_holds_nobody_up() {
    let recorder = Recorder::always(offers(&[offer(10, 0.5, "RTX 4090")]));
    let (home, url) = (Home::new(), recorder.url());
    once(&home, &url);
    let profiles = home.path().join(".local/state/bourse/profiles");
    let profile = fs::read_dir(profiles).unwrap().next().unwrap().unwrap();
    let mut files = fs::read_dir(profile.path().join("polls")).unwrap();
    let file = fs::File::open(files.next().unwrap().unwrap().path()).unwrap();
    // As if it had been stopped a minute ago.
    file.lock().unwrap();
    file.set_modified(std::time::SystemTime::now() - Duration::from_secs(60))
        .unwrap();
    once(&home, &url);
    assert_eq!(recorder.requests().len(), 2);
}

#[test]
fn a_failed_search_is_recorded_and_told() {
    let recorder = Recorder::always(json_reply(400, r#"{"error":"bad","msg":"no such field"}"#));
    let (home, url) = (Home::new(), recorder.url());
    let (status, out, err) = run(&mut watch(&home, &url, &["--once"]));
    assert_eq!((status, out.as_str()), (1, ""), "{err}");
    let (_, out, _) = run(&mut home.bourse(&["db", "check", "--base-url", &url]));
    assert!(out.contains("1 poll, 0 prices"), "{out}");
    let history = ["history", "--no-default", "--base-url", &url];
    let (status, _, err) = run(&mut home.bourse(&history));
    assert_eq!(status, 0, "{err}");
    assert!(err.contains("nothing is recorded of this search"), "{err}");
}

#[test]
fn a_corrupt_file_costs_a_note_until_it_is_reset() {
    let recorder = Recorder::always(offers(&[offer(10, 0.5, "RTX 4090")]));
    let (home, url) = (Home::new(), recorder.url());
    assert_eq!(run(&mut watch(&home, &url, &["--once"])).0, 0);
    let state = home.path().join(".local/state/bourse/profiles");
    let profile = fs::read_dir(&state).unwrap().next().unwrap().unwrap().path();
    let file = profile.join("history.sqlite");
    fs::write(&file, "x".repeat(9000)).unwrap();
    next_second();
    let (status, _, err) = run(&mut watch(&home, &url, &["--once"]));
    assert_eq!(status, 1, "{err}");
    assert!(err.contains("prices are not recorded"), "{err}");
    assert!(err.contains("nothing was recorded: "), "{err}");
    assert!(err.contains("bourse db reset"), "{err}");
    let db = |command: &str| run(&mut home.bourse(&["db", command, "--base-url", &url]));
    assert_eq!(db("check").0, 1);
    assert_eq!(fs::read(&file).unwrap().len(), 9000);
    let (status, out, err) = db("reset");
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("Moved to "), "{out}");
    assert_eq!(db("check").0, 0);
    let set_aside = fs::read_dir(&profile).unwrap().filter(|it| {
        let name = it.as_ref().unwrap().file_name().into_string().unwrap();
        name.starts_with("history.sqlite.2")
    });
    assert_eq!(set_aside.count(), 1);
}
