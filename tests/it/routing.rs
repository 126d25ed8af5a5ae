//! The route lab: plans, the schedule, figures computed by hand, exports and the next hop.

use bourse::domain::Untrusted;
use bourse::domain::routing::{
    Attempt, Bar, Bucket, Completion, End, FigureUnit, Latencies, Outcome, OutcomeKind, Phase,
    PollPolicy, RoutePlan, RouteSample, RouteStats, Run, Stop, Timeline, check_payload, compare,
    export_csv, export_json, next_hop_body, parse_span,
};

fn plan(stop: Stop, concurrency: u32, rate: Option<f64>) -> RoutePlan {
    RoutePlan {
        stop,
        concurrency,
        rate,
        ..RoutePlan::single("chat")
    }
}

fn start(plan: RoutePlan) -> Run {
    Run::start(plan, 1000.0, 1_800_000_000.0).unwrap()
}

fn assigned(worker: &str, reqnum: i64) -> Completion {
    Completion {
        outcome: Outcome::Assigned {
            worker: Untrusted::from(worker),
            reqnum: Some(reqnum),
            echoed: true,
        },
        bytes: 200,
        request_id: Some(Untrusted::from(format!("req-{reqnum}"))),
        reply: Some(Untrusted::from(format!(r#"{{"reqnum":{reqnum}}}"#))),
    }
}

fn waiting() -> Completion {
    Completion {
        bytes: 40,
        ..Completion::without_answer(Outcome::waiting(r#"{"status":"2 loading"}"#))
    }
}

fn indices(attempts: &[Attempt]) -> Vec<u64> {
    attempts.iter().map(|attempt| attempt.index).collect()
}

fn sample(index: u64, intended: f64, ended: f64, outcome: Outcome) -> RouteSample {
    RouteSample {
        index,
        poll: 0,
        cost: 100.0,
        intended,
        sent: intended,
        ended,
        outcome,
        bytes: 10,
        request_id: None,
    }
}

#[track_caller]
fn close(left: f64, right: f64) {
    assert!((left - right).abs() < 1e-6, "{left} is not {right}");
}

/// Quantiles are right to three significant digits.
#[track_caller]
fn near(found: Option<f64>, wanted: f64) {
    let found = found.unwrap();
    assert!(
        (found - wanted).abs() <= wanted / 1000.0 + 1e-6,
        "{found} is not {wanted}"
    );
}

// Plans

#[test]
fn a_plan_says_what_is_wrong_with_it() {
    assert!(RoutePlan::single("chat").check().is_empty());
    let wrong: [(&str, RoutePlan); 13] = [
        ("endpoint", RoutePlan::single(" ")),
        (
            "cost",
            RoutePlan {
                cost: -1.0,
                ..RoutePlan::single("e")
            },
        ),
        (
            "cost",
            RoutePlan {
                cost: f64::NAN,
                ..RoutePlan::single("e")
            },
        ),
        (
            "cost",
            RoutePlan {
                cost: f64::INFINITY,
                ..RoutePlan::single("e")
            },
        ),
        ("count", plan(Stop::Count(0), 1, None)),
        ("count", plan(Stop::Count(250_001), 1, None)),
        ("duration", plan(Stop::Duration(0.0), 1, None)),
        ("duration", plan(Stop::Duration(f64::NAN), 1, None)),
        ("duration", plan(Stop::Duration(86_401.0), 1, None)),
        ("concurrency", plan(Stop::Count(1), 0, None)),
        ("rate", plan(Stop::Count(1), 1, Some(0.0))),
        ("rate", plan(Stop::Count(1), 1, Some(f64::NAN))),
        (
            "poll",
            RoutePlan {
                poll: PollPolicy {
                    least: 0.0,
                    ..PollPolicy::default()
                },
                ..RoutePlan::single("e")
            },
        ),
    ];
    for (parameter, plan) in wrong {
        let objections = plan.check();
        assert_eq!(objections.len(), 1, "{plan:?}");
        assert_eq!(objections[0].parameter, parameter);
        assert!(Run::start(plan, 0.0, 0.0).is_err());
    }
}

#[test]
fn a_cost_of_zero_is_allowed_and_injects_no_load() {
    let free = RoutePlan {
        cost: 0.0,
        ..RoutePlan::single("e")
    };
    assert!(free.check().is_empty());
    assert!(!free.injects_load());
    assert!(RoutePlan::single("e").injects_load());
    close(RoutePlan::single("e").cost, 100.0);
}

#[test]
fn spans_are_read_as_people_write_them() {
    for (text, seconds) in [
        ("30", Some(30.0)),
        ("30s", Some(30.0)),
        ("2m", Some(120.0)),
        ("1.5 h", Some(5400.0)),
        ("", None),
        ("s", None),
        ("-3s", None),
        ("3 parsecs", None),
    ] {
        assert_eq!(parse_span(text), seconds, "{text}");
    }
}

// The schedule

#[test]
fn a_single_shot_sends_once_and_never_polls() {
    let mut run = start(RoutePlan::single("chat"));
    assert_eq!(run.wake(), Some(1000.0));
    let sent = run.step(1000.0);
    assert_eq!(indices(&sent), [0]);
    close(sent[0].cost, 100.0);
    assert_eq!(run.phase(), Phase::Draining);
    assert_eq!(run.wake(), None);
    run.complete(0, 1000.25, waiting(), 0.5).unwrap();
    assert_eq!(run.phase(), Phase::Ended(End::Done));
    assert!(run.step(1100.0).is_empty());
    assert_eq!(run.sent(), 1);
}

#[test]
fn a_closed_loop_keeps_its_slots_busy_and_counts() {
    let mut run = start(plan(Stop::Count(5), 2, None));
    assert_eq!(indices(&run.step(1000.0)), [0, 1]);
    assert!(run.step(1000.1).is_empty());
    assert_eq!(run.wake(), None);
    run.complete(1, 1000.2, assigned("w", 1), 0.0);
    assert_eq!(indices(&run.step(1000.2)), [2]);
    run.complete(0, 1000.3, assigned("w", 2), 0.0);
    run.complete(2, 1000.3, assigned("w", 3), 0.0);
    assert_eq!(indices(&run.step(1000.3)), [3, 4]);
    assert_eq!(run.phase(), Phase::Draining);
    run.complete(3, 1000.4, assigned("w", 4), 0.0);
    assert!(!run.is_over());
    run.complete(4, 1000.5, assigned("w", 5), 0.0);
    assert_eq!(run.phase(), Phase::Ended(End::Done));
    close(run.elapsed(2000.0), 0.5);
    close(run.load_injected(), 500.0);
    // Without a rate an attempt is due when it is sent.
    close(run.samples()[0].latency(), 0.2);
    close(run.samples()[2].latency(), 0.1);
    assert_eq!(run.reply(3).unwrap().compared(), r#"{"reqnum":4}"#);
}

#[test]
fn polls_wait_longer_each_time_up_to_a_bound_and_by_chance() {
    let policy = PollPolicy::default();
    for (misses, jitter, seconds) in [
        (1, 0.0, 0.5),
        (1, 1.0, 1.0),
        (2, 0.0, 1.0),
        (3, 1.0, 4.0),
        (4, 1.0, 5.0),
        (4, 0.0, 2.5),
        (4000, 0.5, 3.75),
        (1, f64::NAN, 0.75),
    ] {
        close(policy.wait(misses, jitter), seconds);
    }
}

#[test]
fn a_waiting_slot_polls_after_its_wait_and_every_poll_counts() {
    let mut series = plan(Stop::Count(3), 1, None);
    series.poll.cost = Some(0.0);
    let mut run = start(series);
    run.step(1000.0);
    run.complete(0, 1000.5, waiting(), 0.0);
    assert!(run.step(1000.5).is_empty());
    // Half a second at least before the first poll.
    close(run.wake().unwrap(), 1001.0);
    let poll = run.step(1001.0);
    assert_eq!((poll[0].index, poll[0].poll), (1, 1));
    close(poll[0].cost, 0.0);
    run.complete(1, 1001.5, waiting(), 1.0);
    // The second wait is at most two seconds.
    close(run.wake().unwrap(), 1003.5);
    let poll = run.step(1003.6);
    assert_eq!((poll[0].index, poll[0].poll), (2, 2));
    assert_eq!(run.phase(), Phase::Draining);
    run.complete(2, 1004.0, assigned("w", 1), 0.0);
    assert!(run.is_over());
    assert_eq!(run.stats().polls(), 2);
    close(run.load_injected(), 100.0);
    close(run.stats().first_assigned().unwrap(), 4.0);
}

#[test]
fn a_rate_limit_holds_a_slot_back_as_long_as_it_asks() {
    let mut run = start(plan(Stop::Count(9), 1, None));
    run.step(1000.0);
    let limited = Completion::without_answer(Outcome::RateLimited { wait: Some(30.0) });
    run.complete(0, 1000.0, limited, 1.0);
    close(run.wake().unwrap(), 1030.0);
    assert!(run.step(1029.9).is_empty());
    assert_eq!(indices(&run.step(1030.0)), [1]);
}

#[test]
fn a_fixed_rate_sends_at_its_times_whatever_the_answers_do() {
    let mut run = start(plan(Stop::Count(5), 8, Some(10.0)));
    assert_eq!(indices(&run.step(1000.0)), [0]);
    close(run.wake().unwrap(), 1000.1);
    assert!(run.step(1000.05).is_empty());
    // Awake late: two are due, each at its own time.
    let late = run.step(1000.25);
    assert_eq!(indices(&late), [1, 2]);
    close(late[0].intended, 0.1);
    close(late[1].intended, 0.2);
    close(late[1].sent, 0.25);
    run.complete(0, 1000.26, waiting(), 1.0);
    // No polls beside the schedule.
    close(run.wake().unwrap(), 1000.3);
    assert_eq!(indices(&run.step(1000.3)), [3]);
    assert_eq!(indices(&run.step(1000.4)), [4]);
    assert_eq!(run.phase(), Phase::Draining);
}

#[test]
fn latency_counts_from_the_due_time_when_all_slots_are_busy() {
    // One slot, ten a second. The server sits on the first request for 450 ms and then answers
    // each in 10 ms. A clock started at sending would read 10 ms for all but the first.
    let mut run = start(plan(Stop::Count(5), 1, Some(10.0)));
    run.step(1000.0);
    assert!(run.step(1000.4).is_empty());
    assert_eq!(run.backlog(1000.4), 4);
    assert_eq!(run.wake(), None);
    let mut now = 1000.45;
    for index in 0..5 {
        run.complete(index, now, assigned("w", 1), 0.0);
        run.step(now);
        now += 0.01;
    }
    let latencies: Vec<f64> = run.samples().iter().map(RouteSample::latency).collect();
    for (found, wanted) in latencies.iter().zip([0.45, 0.36, 0.27, 0.18, 0.09]) {
        close(*found, wanted);
    }
    near(run.stats().latencies().quantile(0.5), 0.27);
    assert_eq!(run.backlog(now), 0);
}

#[test]
fn a_duration_counts_what_was_due_before_its_end_then_drains() {
    let mut run = start(plan(Stop::Duration(1.0), 2, Some(10.0)));
    for tenth in 0..9 {
        let now = 1000.0 + f64::from(tenth) / 10.0;
        for attempt in run.step(now) {
            run.complete(attempt.index, now + 0.01, assigned("w", 1), 0.0);
        }
    }
    assert_eq!(run.sent(), 9);
    // Awake after the end: the attempt due at 0.9 goes, none of 1.0 and later.
    let last = run.step(1001.25);
    assert_eq!(indices(&last), [9]);
    close(last[0].intended, 0.9);
    assert_eq!(run.phase(), Phase::Draining);
    assert_eq!(run.wake(), None);
    run.complete(9, 1001.5, assigned("w", 1), 0.0);
    assert_eq!(run.phase(), Phase::Ended(End::Done));
    assert_eq!(run.backlog(1001.5), 0);
}

#[test]
fn attempts_that_never_found_a_slot_are_owned_up_to() {
    let mut run = start(plan(Stop::Duration(1.0), 1, Some(10.0)));
    run.step(1000.0);
    close(run.wake().unwrap(), 1001.0);
    assert!(run.step(1001.0).is_empty());
    assert_eq!(run.phase(), Phase::Draining);
    run.complete(
        0,
        1015.0,
        Completion::without_answer(Outcome::TimedOut),
        0.0,
    );
    assert!(run.is_over());
    // Ten were due, one was sent.
    assert_eq!(run.backlog(1015.0), 9);
}

#[test]
fn a_duration_of_a_closed_loop_ends_between_polls() {
    let mut run = start(plan(Stop::Duration(2.0), 1, None));
    run.step(1000.0);
    run.complete(0, 1001.9, waiting(), 1.0);
    // The poll would be due at 2.9; the end comes first.
    close(run.wake().unwrap(), 1002.0);
    assert!(run.step(1002.0).is_empty());
    assert_eq!(run.phase(), Phase::Ended(End::Done));
}

#[test]
fn a_pause_shifts_what_is_due_by_its_length() {
    let mut run = start(plan(Stop::Count(4), 4, Some(10.0)));
    run.step(1000.0);
    run.pause(1000.05);
    assert_eq!(run.phase(), Phase::Paused);
    assert!(run.step(1000.5).is_empty());
    assert_eq!(run.wake(), None);
    close(run.elapsed(1004.0), 0.05);
    // What is in flight may come back.
    assert!(run.complete(0, 1001.0, assigned("w", 1), 0.0).is_some());
    run.resume(1005.05);
    close(run.wake().unwrap(), 1005.1);
    assert!(run.step(1005.05).is_empty());
    let next = run.step(1005.1);
    close(next[0].intended, 5.1);
    close(run.paused(), 5.0);
    close(run.elapsed(1005.1), 0.1);
}

#[test]
fn stopping_breaks_off_what_is_in_flight_and_hears_no_more_of_it() {
    let mut run = start(plan(Stop::Count(100), 3, None));
    run.step(1000.0);
    run.complete(1, 1000.1, assigned("w", 1), 0.0);
    run.step(1000.1);
    assert_eq!(run.stop(1000.2), [0, 2, 3]);
    assert_eq!(run.phase(), Phase::Ended(End::Stopped));
    assert_eq!(run.in_flight(), 0);
    assert!(run.step(1000.3).is_empty());
    assert!(run.complete(0, 1000.3, assigned("w", 2), 0.0).is_none());
    assert!(run.stop(1000.4).is_empty());
    let stats = run.stats();
    assert_eq!(stats.count(OutcomeKind::Cancelled), 3);
    assert_eq!(stats.attempts(), 4);
    // Our own breaking off is no latency of the server.
    assert_eq!(stats.latencies().count(), 1);
    assert_eq!(stats.answered(), 1);
    close(run.load_injected(), 400.0);
    close(run.elapsed(9999.0), 0.2);
}

#[test]
fn a_paused_run_can_be_stopped() {
    let mut run = start(plan(Stop::Count(100), 1, None));
    run.step(1000.0);
    run.pause(1001.0);
    assert_eq!(run.stop(1003.0), [0]);
    assert!(run.is_over());
    close(run.elapsed(1010.0), 1.0);
}

// Figures

/// Ten assignments with latencies of 10 to 100 ms, one a second, over two workers.
fn ten() -> Vec<RouteSample> {
    (1_u32..=10)
        .map(|number| {
            let begin = f64::from(number - 1);
            let worker = if number <= 7 {
                "https://a:1"
            } else {
                "https://b:2"
            };
            let Completion { outcome, .. } = assigned(worker, i64::from(number));
            sample(
                u64::from(number - 1),
                begin,
                begin + f64::from(number) / 100.0,
                outcome,
            )
        })
        .collect()
}

#[test]
fn quantiles_are_those_counted_by_hand() {
    let stats = RouteStats::of(&ten());
    let latencies = stats.assigned_latencies();
    assert_eq!(latencies.count(), 10);
    near(latencies.quantile(0.5), 0.05); // the 5th of 10
    near(latencies.quantile(0.9), 0.09); // the 9th
    near(latencies.quantile(0.95), 0.10); // the 10th: nine are only nine tenths
    near(latencies.quantile(0.99), 0.10);
    close(latencies.most().unwrap(), 0.10);
    close(latencies.least().unwrap(), 0.01);
    close(latencies.mean().unwrap(), 0.055);
    assert!(Latencies::default().quantile(0.5).is_none());
    assert!(Latencies::default().bars(5).is_empty());
}

#[test]
fn bars_count_every_latency_once() {
    let stats = RouteStats::of(&ten());
    let bars = stats.latencies().bars(4);
    // From 10, 32.5, 55 and 77.5 ms; the last ends with the longest, 100 ms.
    let counts: Vec<u64> = bars.iter().map(|bar| bar.count).collect();
    assert_eq!(counts, [3, 2, 2, 3]);
    close(bars[1].from, 0.0325);
    close(bars[3].to, 0.10);
    let mut alike = Latencies::default();
    alike.record(0.2);
    alike.record(0.2);
    assert_eq!(
        alike.bars(9),
        [Bar {
            from: 0.2,
            to: 0.2,
            count: 2
        }]
    );
}

#[test]
fn shares_of_workers_add_up() {
    let stats = RouteStats::of(&ten());
    let workers = stats.workers();
    let ranked = workers.ranked();
    assert_eq!(ranked.len(), 2);
    assert_eq!(ranked[0].worker.compared(), "https://a:1");
    assert_eq!((ranked[0].assigned, ranked[1].assigned), (7, 3));
    close(workers.share(ranked[0]), 0.7);
    close(workers.share(ranked[1]), 0.3);
    assert_eq!(workers.others(), 0);
}

#[test]
fn request_numbers_out_of_order_show_gaps_and_repeats() {
    // 1 2 3, then 5 and 6, then 10: gaps of {4} and {7 8 9}; 2 and 10 came again.
    let mut stats = RouteStats::default();
    for (index, reqnum) in [3, 1, 2, 6, 5, 10, 2, 10, 10].into_iter().enumerate() {
        let Completion { outcome, .. } = assigned("w", reqnum);
        stats.record(&sample(index as u64, 0.0, 1.0, outcome));
    }
    let worker = stats.workers().ranked()[0].clone();
    assert_eq!(
        (worker.gaps(), worker.missing(), worker.repeats()),
        (2, 4, 3)
    );
    let mut edges = RouteStats::default();
    for reqnum in [i64::MIN, i64::MAX, i64::MAX] {
        let Completion { outcome, .. } = assigned("w", reqnum);
        edges.record(&sample(0, 0.0, 1.0, outcome));
    }
    let worker = edges.workers().ranked()[0].clone();
    assert_eq!(
        (worker.gaps(), worker.missing(), worker.repeats()),
        (1, u64::MAX - 1, 1)
    );
}

#[test]
fn a_server_that_invents_workers_cannot_take_all_memory() {
    let mut stats = RouteStats::default();
    for number in 0..1200 {
        let Completion { outcome, .. } = assigned(&format!("w{number}"), 1);
        stats.record(&sample(number, 0.0, 1.0, outcome));
    }
    assert_eq!(stats.workers().len(), 1000);
    assert_eq!(stats.workers().others(), 200);
}

#[test]
fn every_kind_of_end_is_told_apart() {
    let ends = [
        Outcome::garbage("no object"),
        Outcome::waiting(r#"{"status":"Stopped"}"#),
        Outcome::Refused { status: 401 },
        Outcome::RateLimited { wait: None },
        Outcome::TimedOut,
        Outcome::failed("the server failed (status 502)"),
        Outcome::Cancelled,
        assigned("w", 1).outcome,
    ];
    let mut stats = RouteStats::default();
    for (index, end) in ends.into_iter().enumerate() {
        stats.record(&sample(index as u64, 0.0, 0.5, end));
    }
    for kind in OutcomeKind::ALL {
        assert_eq!(stats.count(kind), 1, "{}", kind.label());
    }
    assert_eq!(
        stats.timeline().buckets()[4],
        Bucket {
            assigned: 1,
            waiting: 1,
            failed: 5
        }
    );
    assert_eq!(stats.bytes(), 70);
    let summary = stats.summary(3.5);
    close(summary.per_second.unwrap(), 2.0);
    close(summary.assigned_share.unwrap(), 1.0 / 7.0);
}

#[test]
fn the_timeline_widens_its_intervals_and_loses_nothing() {
    let mut timeline = Timeline::default();
    let one = Bucket {
        assigned: 1,
        ..Bucket::default()
    };
    close(timeline.width(), 0.125);
    timeline.record(0.0, one);
    timeline.record(0.13, one);
    timeline.record(29.99, one);
    assert_eq!(timeline.buckets().len(), 240);
    timeline.record(31.0, one);
    close(timeline.width(), 0.25);
    assert_eq!(timeline.buckets()[0].assigned, 2);
    assert_eq!(timeline.buckets().len(), 125);
    timeline.record(3600.0, one);
    close(timeline.width(), 16.0);
    let total: u64 = timeline.buckets().iter().map(Bucket::total).sum();
    assert_eq!(total, 5);
    timeline.record(f64::NAN, one);
    timeline.record(1e300, one);
    assert!(timeline.buckets().len() <= 240);
}

#[test]
fn answers_per_second_know_that_the_last_interval_is_not_over() {
    let mut timeline = Timeline::default();
    let two = Bucket {
        waiting: 2,
        ..Bucket::default()
    };
    timeline.record(0.01, two);
    timeline.record(0.14, two);
    // Two in 0.125 s, and two in the 0.0625 s that the second interval has lasted.
    let rates = timeline.per_second(0.1875);
    close(rates[0], 16.0);
    close(rates[1], 32.0);
}

#[test]
fn a_comparison_says_what_changed_and_whether_for_the_better() {
    let slow = RouteStats::of(&ten()).summary(10.0);
    let mut halved = ten();
    for sample in &mut halved {
        sample.ended = sample.intended + sample.latency() / 2.0;
    }
    halved[9].outcome = Outcome::TimedOut;
    let fast = RouteStats::of(&halved).summary(5.0);
    let figures = compare(&slow, &fast);
    let figure = |label: &str| *figures.iter().find(|figure| figure.label == label).unwrap();
    let mean = figure("mean");
    assert_eq!(mean.unit, FigureUnit::Seconds);
    close(mean.difference().unwrap(), -0.0275);
    close(mean.change().unwrap(), -0.5);
    assert_eq!(mean.improved(), Some(true));
    assert_eq!(figure("assigned").improved(), Some(false));
    assert_eq!(figure("timed out").improved(), Some(false));
    assert_eq!(figure("timed out").change(), None);
    assert_eq!(figure("attempts").improved(), None);
    close(figure("attempts per second").second.unwrap(), 2.0);
    assert!(figures.iter().all(|figure| figure.label != "cancelled"));
}

// Exports

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
