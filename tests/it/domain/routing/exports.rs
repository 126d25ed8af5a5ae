//! What leaves the lab: exports, the filter over attempts and the next hop.

use super::*;

fn finished() -> Run {
    let mut run = start(plan(Stop::Count(4), 4, Some(2.0)));
    for half in 0..4_u32 {
        run.step(at(1000.0 + f64::from(half) / 2.0));
    }
    run.complete(1, at(1000.75), assigned("https://a:1", 7), 0.0);
    run.complete(0, at(1001.0), waiting(), 0.0);
    let refused = Completion::without_answer(Outcome::Refused { status: 401 });
    run.complete(2, at(1001.125), refused, 0.0);
    run.complete(3, at(1002.0), assigned("=cmd|' /C calc'!A0", 8), 0.0);
    assert!(run.is_over());
    run
}

#[test]
fn the_csv_read_again_gives_the_same_figures() {
    let run = finished();
    let csv = export_csv(&run);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    assert_eq!(
        reader.headers().unwrap().iter().collect::<Vec<_>>(),
        [
            "index",
            "poll",
            "cost",
            "intended_s",
            "sent_s",
            "ended_s",
            "latency_s",
            "outcome",
            "worker",
            "reqnum",
            "detail",
            "bytes",
            "request_id",
            "load",
            "endpoint",
            "stop",
            "concurrency",
            "rate_per_s",
            "started_at",
            "request",
            "time_to_worker_s",
            "retry",
            "worker_status",
            "worker_error",
            "connect_s",
            "first_byte_s",
            "worker_s",
            "total_s",
            "tokens"
        ]
    );
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let column = |place: usize| rows.iter().map(|row| row[place].to_owned()).collect::<Vec<_>>();
    assert_eq!(column(0), ["0", "1", "2", "3"]);
    assert_eq!(column(3), ["0", "0.5", "1", "1.5"]);
    assert_eq!(column(6), ["1", "0.25", "0.125", "0.5"]);
    assert_eq!(column(7), ["waiting", "assigned", "refused", "assigned"]);
    assert_eq!(column(10), ["2 loading", "", "status 401", ""]);
    // No spreadsheet takes a stranger's address for a formula.
    assert_eq!(rows[3][8], *"'=cmd|' /C calc'!A0");
    // What was refused injected nothing.
    assert_eq!(column(2), ["100", "100", "100", "100"]);
    assert_eq!(column(13), ["100", "100", "0", "100"]);
    assert_eq!(&rows[0][14], "chat");
    assert_eq!(&rows[0][15], "4 requests");
    assert_eq!(&rows[0][17], "2");
    assert_eq!(column(19), ["0", "1", "2", "3"]);
    assert_eq!(column(20), ["", "0.25", "", "0.5"]);
    let mut latencies: Vec<f64> = column(6).iter().map(|cell| cell.parse().unwrap()).collect();
    latencies.sort_by(f64::total_cmp);
    let stats = run.stats();
    near(stats.router_reply.quantile(0.5), latencies[1]);
    near(stats.router_reply.quantile(0.9), latencies[3]);
    close(stats.router_reply.mean().unwrap(), latencies.iter().sum::<f64>() / 4.0);
    let bytes: u64 = column(11).iter().map(|cell| cell.parse::<u64>().unwrap()).sum();
    assert_eq!(bytes, stats.summary(1.0).bytes);
    assert_eq!(bytes, 440);
}

#[test]
fn the_csv_holds_no_character_that_acts_on_a_terminal() {
    let mut run = start(plan(Stop::Count(1), 1, None));
    run.step(at(1000.0));
    run.complete(0, at(1000.5), assigned("\u{1b}]0;x\u{7}\u{202e}\n", 7), 0.0);
    let csv = export_csv(&run);
    assert!(csv.contains(",<U+001B>]0;x<U+0007><U+202E><U+000A>,"), "{csv:?}");
    assert_eq!(csv.lines().count(), 2);
}

#[test]
fn the_json_holds_parameters_figures_and_attempts() {
    let run = finished();
    let text = export_json(&run, at(1002.0));
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["run"]["endpoint"], "chat");
    assert_eq!(json["run"]["cost"], 100);
    assert_eq!(json["run"]["count"], 4);
    assert_eq!(json["run"]["duration_s"], serde_json::Value::Null);
    assert_eq!(json["run"]["rate_per_s"], 2);
    assert_eq!(json["run"]["concurrency"], 4);
    assert_eq!(json["run"]["started"], "2027-01-15T08:00:00Z");
    assert_eq!(json["run"]["end"], "as planned");
    assert_eq!(json["summary"]["outcomes"]["assigned"], 2);
    assert_eq!(json["summary"]["outcomes"]["waiting"], 1);
    assert_eq!(json["summary"]["outcomes"]["refused"], 1);
    assert_eq!(json["summary"]["load_injected"], 300.0);
    assert_eq!(json["attempts"][1]["load"], 100);
    assert_eq!(json["attempts"][2]["load"], 0);
    assert_eq!(json["summary"]["seconds"], 2.0);
    assert_eq!(json["summary"]["per_second"], 2.0);
    assert_eq!(json["summary"]["requests"], 4);
    assert_eq!(json["summary"]["polls"], 0);
    assert_eq!(json["summary"]["router_reply_seconds"]["max"], 1.0);
    assert_eq!(json["summary"]["router_reply_seconds"]["mean"], 0.46875);
    near(json["summary"]["time_to_worker_seconds"]["p50"].as_f64(), 0.25);
    assert_eq!(json["summary"]["time_to_worker_seconds"]["max"], 0.5);
    assert_eq!(json["summary"]["first_assigned_seconds"], 0.75);
    assert_eq!(json["workers"][0]["share"], 0.5);
    assert_eq!(json["attempts"].as_array().unwrap().len(), 4);
    assert_eq!(json["attempts"][1]["reqnum"], 7);
    assert_eq!(json["attempts"][1]["request_id"], "req-7");
    assert_eq!(json["attempts"][1]["latency_s"], 0.25);
    assert_eq!(json["attempts"][1]["request"], 1);
    assert_eq!(json["attempts"][1]["time_to_worker_s"], 0.25);
}

#[test]
fn no_secret_of_a_reply_reaches_a_sample_or_an_export() {
    let canary = "c4n4ry-signature";
    let mut run = start(plan(Stop::Count(2), 2, None));
    run.step(at(1000.0));
    let mut completion = assigned("https://a:1", 1);
    completion.reply = Some(Untrusted::from(format!(r#"{{"signature":"{canary}"}}"#)));
    run.complete(0, at(1001.0), completion, 0.0);
    let odd = format!(r#"{{"workers":3,"api_key":"{canary}","deep":{{"authToken":"{canary}"}}}}"#);
    run.complete(1, at(1001.0), Completion::without_answer(Outcome::waiting(&odd)), 0.0);
    assert!(export_json(&run, at(1001.0)).contains("workers"));
    for text in [export_csv(&run), export_json(&run, at(1001.0))] {
        assert!(!text.contains(canary), "{text}");
    }
}

#[test]
fn attempts_are_narrowed_by_words() {
    let assigned = sample(12, 0.0, 1.0, assigned("https://Worker-7:443", 99).outcome);
    assert!(assigned.matches(""));
    assert!(assigned.matches("worker-7"));
    assert!(assigned.matches("ASSIGNED 99"));
    assert!(!assigned.matches("waiting"));
    let waiting = sample(0, 0.0, 1.0, waiting().outcome);
    assert!(waiting.matches("loading"));
}

// The next hop

#[test]
fn the_next_hop_forwards_the_reply_untouched() {
    let reply = r#"{"url":"https://w:1","reqnum":3,"cost":1.0,"extra":{"b":1,"a":2}}"#;
    assert_eq!(
        next_hop_body(reply, " {\"prompt\": \"hi\"}\n").unwrap(),
        r#"{"auth_data": {"url":"https://w:1","reqnum":3,"cost":1.0,"extra":{"b":1,"a":2}}, "session_id": null, "payload": {"prompt": "hi"}}"#
    );
}

#[test]
fn a_mistake_in_a_payload_is_shown_where_it_is() {
    assert!(check_payload("{\"a\": [1, 2.5, null]}").is_ok());
    for (payload, line, column, span) in [
        ("", 1, 1, 0..0),
        ("{\"a\": tru}", 1, 10, 9..10),
        ("{\n  \"a\": 1,\n  b: 2\n}", 3, 3, 14..15),
        ("{\"ä\": x}", 1, 7, 7..8),
        ("{} {}", 1, 4, 3..4),
    ] {
        let error = check_payload(payload).unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{payload}: {error}");
        assert_eq!(error.span, span, "{payload}");
    }
    let cut = check_payload("{\"a\": 1").unwrap_err();
    assert!(cut.message.contains("unexpected end"), "{cut}");
}

/// An attempt as somebody reads it from a file of ours.
#[derive(Debug, PartialEq)]
struct Read {
    latency: f64,
    intended: f64,
    ended: f64,
    cost: f64,
    load: f64,
    request: u64,
    polls: bool,
    to_worker: Option<f64>,
    outcome: String,
    worker: String,
    reqnum: Option<i64>,
    bytes: u64,
}

fn from_csv(text: &str) -> Vec<Read> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let read = |row: csv::StringRecord| {
        let number = |place: usize| row[place].parse::<f64>().unwrap();
        Read {
            latency: number(6),
            intended: number(3),
            ended: number(5),
            cost: number(2),
            load: number(13),
            request: row[19].parse().unwrap(),
            polls: &row[1] != "0",
            to_worker: row[20].parse().ok(),
            outcome: row[7].to_owned(),
            worker: row[8].to_owned(),
            reqnum: row[9].parse().ok(),
            bytes: row[11].parse().unwrap(),
        }
    };
    reader.records().map(|row| read(row.unwrap())).collect()
}

fn from_json(json: &serde_json::Value) -> Vec<Read> {
    let read = |attempt: &serde_json::Value| {
        let number = |name: &str| attempt[name].as_f64().unwrap();
        Read {
            latency: number("latency_s"),
            intended: number("intended_s"),
            ended: number("ended_s"),
            cost: number("cost"),
            load: number("load"),
            request: attempt["request"].as_u64().unwrap(),
            polls: attempt["poll"] != 0,
            to_worker: attempt["time_to_worker_s"].as_f64(),
            outcome: attempt["outcome"].as_str().unwrap().to_owned(),
            worker: attempt["worker"].as_str().unwrap_or_default().to_owned(),
            reqnum: attempt["reqnum"].as_i64(),
            bytes: attempt["bytes"].as_u64().unwrap(),
        }
    };
    json["attempts"].as_array().unwrap().iter().map(read).collect()
}

/// A run of many attempts that end in every way, some of them broken off.
fn mixed(seed: u64) -> (Run, MonotonicTime) {
    let mut random = fastrand::Rng::with_seed(seed);
    let rate = random.bool().then_some(40.0);
    let mut run = start(plan(Stop::Count(400), 1 + random.u32(..16), rate));
    let mut waits: Vec<(MonotonicTime, u64)> = Vec::new();
    let mut now = at(1000.0);
    let last = if random.bool() { 250 } else { u64::MAX };
    while !run.is_over() {
        for attempt in run.step(now) {
            // From a tenth of a millisecond to ten seconds.
            waits.push((now + 10_f64.powf(random.f64() * 5.0 - 4.0), attempt.index));
        }
        waits.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        let answer = waits.last().map(|(at, _)| *at);
        let next = [run.wake(), answer].into_iter().flatten();
        now = next.min().unwrap_or(MonotonicTime::NEVER).max(now);
        if answer.is_some_and(|at| at <= now) {
            let (_, index) = waits.pop().unwrap();
            if index >= last {
                run.stop(now);
                break;
            }
            run.complete(index, now, ending(&mut random), 0.5);
        }
    }
    (run, now)
}

fn ending(random: &mut fastrand::Rng) -> Completion {
    let without = Completion::without_answer;
    match random.u8(..14) {
        0 => waiting(),
        1 => without(Outcome::RateLimited { wait: None }),
        2 => without(Outcome::Refused { status: 401 }),
        3 => without(Outcome::TimedOut),
        4 => without(Outcome::garbage("no object")),
        5 => without(Outcome::rejected("the server does not take the request")),
        6 => without(Outcome::failed("server error")),
        _ => {
            let worker = format!("https://w{}:443", random.u8(..5));
            // Few enough numbers that some come again and some never.
            assigned(&worker, random.i64(-40..160))
        }
    }
}

/// The smallest of the latencies with so many of a hundred at or below it.
fn percentile(sorted: &[f64], hundredths: usize) -> f64 {
    sorted[(sorted.len() * hundredths).div_ceil(100) - 1]
}

#[track_caller]
fn same_latencies(reported: &serde_json::Value, mut latencies: Vec<f64>) {
    latencies.sort_by(f64::total_cmp);
    let Some(longest) = latencies.last() else {
        assert!(reported.is_null());
        return;
    };
    for (name, hundredths) in [("p50", 50), ("p90", 90), ("p95", 95), ("p99", 99)] {
        near(reported[name].as_f64(), percentile(&latencies, hundredths));
    }
    close(reported["max"].as_f64().unwrap(), *longest);
    let mean = latencies.iter().sum::<f64>() / latencies.len() as f64;
    close(reported["mean"].as_f64().unwrap(), mean);
}

/// How many gaps the numbers have, how many numbers are in them, how many came again.
fn runs_of(mut numbers: Vec<i64>) -> (usize, i64, usize) {
    let all = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    let holes = numbers.windows(2).map(|pair| pair[1] - pair[0] - 1);
    let holes: Vec<i64> = holes.filter(|hole| *hole > 0).collect();
    (holes.len(), holes.iter().sum(), all - numbers.len())
}

#[test]
fn the_figures_are_those_of_anyone_who_reads_the_exported_attempts() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..24 {
        let (run, now) = mixed(seed);
        let json: serde_json::Value = serde_json::from_str(&export_json(&run, now)).unwrap();
        let attempts = from_json(&json);
        assert_eq!(from_csv(&export_csv(&run)), attempts);
        let summary = &json["summary"];
        assert_eq!(summary["attempts"], attempts.len());
        // A request stands as its latest attempt ended.
        let requests: std::collections::BTreeMap<u64, &Read> = attempts.iter().map(|one| (one.request, one)).collect();
        assert_eq!(summary["requests"], requests.len());
        for (outcome, count) in summary["outcomes"].as_object().unwrap() {
            let own = requests.values().filter(|one| one.outcome == *outcome);
            assert_eq!(*count, own.count(), "{outcome}");
            seen.extend((*count != 0).then(|| outcome.clone()));
        }
        assert_eq!(summary["polls"], attempts.iter().filter(|one| one.polls).count());
        for one in &attempts {
            match one.outcome.as_str() {
                "refused" | "rate limited" => close(one.load, 0.0),
                "failed" => assert!(one.load.min(one.cost - one.load).abs() < 1e-9),
                _ => close(one.load, one.cost),
            }
        }
        let load: f64 = attempts.iter().map(|one| one.load).sum();
        close(summary["load_injected"].as_f64().unwrap(), load);
        // What the person broke off says nothing about the server.
        let answered: Vec<&Read> = attempts.iter().filter(|one| one.outcome != "cancelled").collect();
        for one in &answered {
            close(one.latency, one.ended - one.intended);
        }
        assert_eq!(summary["bytes"], answered.iter().map(|one| one.bytes).sum::<u64>());
        same_latencies(
            &summary["router_reply_seconds"],
            answered.iter().map(|one| one.latency).collect(),
        );
        let assigned: Vec<&&Read> = answered.iter().filter(|one| one.outcome == "assigned").collect();
        let asked = |one: &Read| {
            let first = attempts.iter().find(|it| it.request == one.request);
            first.unwrap().intended
        };
        for one in &attempts {
            let time = (one.outcome == "assigned").then(|| one.ended - asked(one));
            assert_eq!(one.to_worker.is_some(), time.is_some());
            close(one.to_worker.unwrap_or_default(), time.unwrap_or_default());
        }
        same_latencies(
            &summary["time_to_worker_seconds"],
            assigned.iter().filter_map(|one| one.to_worker).collect(),
        );
        let broken = requests.values().filter(|one| one.outcome == "cancelled");
        let count = (requests.len() - broken.count()) as f64;
        let seconds = summary["seconds"].as_f64().unwrap();
        close(summary["per_second"].as_f64().unwrap(), count / seconds);
        let share = assigned.len() as f64 / count;
        close(summary["assigned_share"].as_f64().unwrap(), share);
        let first = assigned.iter().map(|one| one.ended).fold(f64::INFINITY, f64::min);
        close(summary["first_assigned_seconds"].as_f64().unwrap(), first);

        let (mut gaps, mut missing, mut repeats, mut shares) = (0, 0, 0, 0);
        for worker in json["workers"].as_array().unwrap() {
            let own = assigned.iter().filter(|one| worker["worker"] == one.worker);
            let numbers: Vec<i64> = own.filter_map(|one| one.reqnum).collect();
            assert_eq!(worker["assigned"], numbers.len());
            close(
                worker["share"].as_f64().unwrap(),
                numbers.len() as f64 / assigned.len() as f64,
            );
            shares += numbers.len();
            let found = runs_of(numbers);
            assert_eq!(worker["reqnum_gaps"], found.0);
            assert_eq!(worker["reqnums_missing"], found.1);
            assert_eq!(worker["reqnum_repeats"], found.2);
            (gaps, missing, repeats) = (gaps + found.0, missing + found.1, repeats + found.2);
        }
        assert_eq!(shares, assigned.len(), "every assignment is some worker's");
        assert_eq!(summary["reqnum_gaps"], gaps);
        assert_eq!(summary["reqnums_missing"], missing);
        assert_eq!(summary["reqnum_repeats"], repeats);
        assert!(repeats > 0 && gaps > 0);
    }
    let every = [
        "assigned",
        "cancelled",
        "failed",
        "garbage",
        "rate limited",
        "refused",
        "timed out",
        "waiting",
    ];
    assert_eq!(seen.iter().map(String::as_str).collect::<Vec<_>>(), every);
}
