//! What leaves the lab: exports, the filter over attempts and the next hop.

use super::*;

fn finished() -> Run {
    let mut run = start(plan(Stop::Count(4), 4, Some(2.0)));
    for half in 0..4_u32 {
        run.step(1000.0 + f64::from(half) / 2.0);
    }
    run.complete(1, 1000.75, assigned("https://a:1", 7), 0.0);
    run.complete(0, 1001.0, waiting(), 0.0);
    let refused = Completion::without_answer(Outcome::Refused { status: 401 });
    run.complete(2, 1001.125, refused, 0.0);
    run.complete(3, 1002.0, assigned("=cmd|' /C calc'!A0", 8), 0.0);
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
            "endpoint",
            "stop",
            "concurrency",
            "rate_per_s",
            "started_at"
        ]
    );
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let column = |place: usize| {
        rows.iter()
            .map(|row| row[place].to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(column(0), ["0", "1", "2", "3"]);
    assert_eq!(column(3), ["0", "0.5", "1", "1.5"]);
    assert_eq!(column(6), ["1", "0.25", "0.125", "0.5"]);
    assert_eq!(column(7), ["waiting", "assigned", "refused", "assigned"]);
    assert_eq!(column(10), ["2 loading", "", "status 401", ""]);
    // No spreadsheet takes a stranger's address for a formula.
    assert_eq!(rows[3][8], *"'=cmd|' /C calc'!A0");
    assert_eq!(&rows[0][13], "chat");
    assert_eq!(&rows[0][14], "4 attempts");
    assert_eq!(&rows[0][16], "2");
    let mut latencies: Vec<f64> = column(6).iter().map(|cell| cell.parse().unwrap()).collect();
    latencies.sort_by(f64::total_cmp);
    let stats = run.stats();
    near(stats.latencies().quantile(0.5), latencies[1]);
    near(stats.latencies().quantile(0.9), latencies[3]);
    close(
        stats.latencies().mean().unwrap(),
        latencies.iter().sum::<f64>() / 4.0,
    );
    let bytes: u64 = column(11)
        .iter()
        .map(|cell| cell.parse::<u64>().unwrap())
        .sum();
    assert_eq!(bytes, stats.bytes());
    assert_eq!(bytes, 440);
}

#[test]
fn the_json_holds_parameters_figures_and_attempts() {
    let run = finished();
    let text = export_json(&run, 1002.0);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["run"]["endpoint"], "chat");
    assert_eq!(json["run"]["cost"], 100);
    assert_eq!(json["run"]["count"], 4);
    assert_eq!(json["run"]["duration_s"], serde_json::Value::Null);
    assert_eq!(json["run"]["rate_per_s"], 2);
    assert_eq!(json["run"]["concurrency"], 4);
    assert_eq!(json["run"]["started"], "2027-01-15 08:00 UTC");
    assert_eq!(json["run"]["end"], "as planned");
    assert_eq!(json["summary"]["outcomes"]["assigned"], 2);
    assert_eq!(json["summary"]["outcomes"]["waiting"], 1);
    assert_eq!(json["summary"]["outcomes"]["refused"], 1);
    assert_eq!(json["summary"]["load_injected"], 400);
    assert_eq!(json["summary"]["seconds"], 2);
    assert_eq!(json["summary"]["per_second"], 2);
    assert_eq!(json["summary"]["latency_s"]["max"], 1);
    assert_eq!(json["summary"]["latency_s"]["mean"], 0.46875);
    assert_eq!(json["summary"]["first_assigned_s"], 0.75);
    assert_eq!(json["workers"][0]["share"], 0.5);
    assert_eq!(json["attempts"].as_array().unwrap().len(), 4);
    assert_eq!(json["attempts"][1]["reqnum"], 7);
    assert_eq!(json["attempts"][1]["request_id"], "req-7");
    assert_eq!(json["attempts"][1]["latency_s"], 0.25);
}

#[test]
fn no_secret_of_a_reply_reaches_a_sample_or_an_export() {
    let canary = "c4n4ry-signature";
    let mut run = start(plan(Stop::Count(2), 2, None));
    run.step(1000.0);
    let mut completion = assigned("https://a:1", 1);
    completion.reply = Some(Untrusted::from(format!(r#"{{"signature":"{canary}"}}"#)));
    run.complete(0, 1001.0, completion, 0.0);
    let odd = format!(r#"{{"workers":3,"api_key":"{canary}","deep":{{"authToken":"{canary}"}}}}"#);
    run.complete(
        1,
        1001.0,
        Completion::without_answer(Outcome::waiting(&odd)),
        0.0,
    );
    assert!(export_json(&run, 1001.0).contains("workers"));
    for text in [export_csv(&run), export_json(&run, 1001.0)] {
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
        assert_eq!(
            (error.line, error.column),
            (line, column),
            "{payload}: {error}"
        );
        assert_eq!(error.span, span, "{payload}");
    }
    let cut = check_payload("{\"a\": 1").unwrap_err();
    assert!(cut.message.contains("the text ends"), "{cut}");
}
