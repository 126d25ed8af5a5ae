//! The route lab: plans, the schedule, figures computed by hand, exports and the next hop.

mod exports;
mod figures;
mod polls;
mod send;

use bourse::domain::Untrusted;
use bourse::domain::routing::{
    Attempt, Completion, End, FigureUnit, Jitter, Latencies, Outcome, OutcomeKind, Phase, PollPolicy, RoutePlan,
    RouteSample, RouteStats, Run, Stop, check_payload, compare, export_csv, export_json, next_hop_body, words,
};
use bourse::domain::time::{MonotonicTime, UnixTime};

fn plan(stop: Stop, concurrency: u32, rate: Option<f64>) -> RoutePlan {
    RoutePlan {
        stop,
        concurrency,
        rate,
        ..RoutePlan::single("chat")
    }
}

const fn at(seconds: f64) -> MonotonicTime {
    MonotonicTime::new(seconds)
}

fn start(plan: RoutePlan) -> Run {
    Run::start(plan, at(1000.0), UnixTime::new(1_800_000_000.0)).unwrap()
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
        request_idx: None,
        reply: Some(Untrusted::from(format!(r#"{{"reqnum":{reqnum}}}"#))),
        call: None,
        answer: None,
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
        request: index,
        poll: 0,
        retry: None,
        asked: intended,
        first: intended,
        cost: 100.0,
        request_idx: None,
        intended,
        sent: intended,
        ended,
        outcome,
        bytes: 10,
        request_id: None,
        call: None,
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
    let wrong: [(&str, RoutePlan); 14] = [
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
        (
            "patience",
            RoutePlan {
                poll: PollPolicy {
                    patience: -1.0,
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
        assert!(Run::start(plan, at(0.0), UnixTime::new(0.0)).is_err());
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

// The schedule

#[test]
fn a_single_shot_sends_once_and_never_polls() {
    let mut run = start(RoutePlan::single("chat"));
    assert_eq!(run.wake(), Some(at(1000.0)));
    let sent = run.step(at(1000.0));
    assert_eq!(indices(&sent), [0]);
    close(sent[0].cost, 100.0);
    assert_eq!(run.phase(), Phase::Draining);
    assert_eq!(run.wake(), None);
    run.complete(0, at(1000.25), waiting(), 0.5).unwrap();
    assert_eq!(run.phase(), Phase::Ended(End::Done));
    assert!(run.step(at(1100.0)).is_empty());
    assert_eq!(run.sent(), 1);
}

#[test]
fn a_closed_loop_keeps_its_slots_busy_and_counts() {
    let mut run = start(plan(Stop::Count(5), 2, None));
    assert_eq!(indices(&run.step(at(1000.0))), [0, 1]);
    assert!(run.step(at(1000.1)).is_empty());
    assert_eq!(run.wake(), None);
    run.complete(1, at(1000.2), assigned("w", 1), 0.0);
    assert_eq!(indices(&run.step(at(1000.2))), [2]);
    run.complete(0, at(1000.3), assigned("w", 2), 0.0);
    run.complete(2, at(1000.3), assigned("w", 3), 0.0);
    assert_eq!(indices(&run.step(at(1000.3))), [3, 4]);
    assert_eq!(run.phase(), Phase::Draining);
    run.complete(3, at(1000.4), assigned("w", 4), 0.0);
    assert!(!run.is_over());
    run.complete(4, at(1000.5), assigned("w", 5), 0.0);
    assert_eq!(run.phase(), Phase::Ended(End::Done));
    close(run.elapsed(at(2000.0)), 0.5);
    close(run.load_injected(), 500.0);
    // Without a rate an attempt is due when it is sent.
    close(run.samples()[0].latency(), 0.2);
    close(run.samples()[2].latency(), 0.1);
    assert_eq!(run.reply(3).unwrap().unescaped(), r#"{"reqnum":4}"#);
}

#[test]
fn the_first_poll_waits_a_second_and_later_ones_by_chance_up_to_a_bound() {
    let policy = PollPolicy::default();
    for (poll, jitter, seconds) in [
        (1, 0.0, 1.0),
        (1, 1.0, 1.0),
        // From 0.1 s to 2 s, or 3 s.
        (2, 0.0, 0.1),
        (2, 1.0, 3.0),
        (3, 0.5, 2.3),
        (4, 1.0, 5.0),
        (4000, 0.5, 2.55),
        (2, f64::NAN, 1.3),
    ] {
        close(policy.wait(poll, Jitter::from(jitter)), seconds);
    }
    // The two numbers are independent.
    let jitter = Jitter {
        ceiling: 1.0,
        wait: 0.5,
    };
    close(policy.wait(2, jitter), 1.55);
}

#[test]
fn a_waiting_request_is_polled_after_its_wait_and_polls_are_no_requests() {
    let mut series = plan(Stop::Count(2), 1, None);
    series.poll.cost = Some(0.0);
    let mut run = start(series);
    run.step(at(1000.0));
    run.complete(0, at(1000.5), waiting(), 0.0);
    assert!(run.step(at(1000.5)).is_empty());
    // A second before the first poll.
    close(run.wake().unwrap().seconds(), 1001.5);
    let poll = run.step(at(1001.5));
    assert_eq!((poll[0].index, poll[0].request, poll[0].poll), (1, 0, 1));
    close(poll[0].cost, 0.0);
    run.complete(1, at(1001.5), waiting(), 0.0);
    // The second wait is a tenth at least.
    close(run.wake().unwrap().seconds(), 1001.6);
    let poll = run.step(at(1003.6));
    assert_eq!((poll[0].index, poll[0].request, poll[0].poll), (2, 0, 2));
    assert_eq!(run.phase(), Phase::Running, "one request is still to come");
    run.complete(2, at(1004.0), assigned("w", 1), 0.0);
    let next = run.step(at(1004.0));
    assert_eq!((next[0].index, next[0].request, next[0].poll), (3, 1, 0));
    assert_eq!(run.phase(), Phase::Draining);
    run.complete(3, at(1004.5), assigned("w", 2), 0.0);
    assert!(run.is_over());
    let stats = run.stats();
    assert_eq!((stats.requests(), stats.polls, stats.summary(1.0).attempts), (2, 2, 4));
    assert_eq!(stats.count(OutcomeKind::Assigned), 2);
    assert_eq!(stats.count(OutcomeKind::Waiting), 0);
    close(run.load_injected(), 200.0);
    close(stats.summary(1.0).first_assigned.unwrap(), 4.0);
}

#[test]
fn a_rate_limit_holds_a_slot_back_as_long_as_it_asks() {
    let mut run = start(plan(Stop::Count(9), 1, None));
    run.step(at(1000.0));
    let limited = Completion::without_answer(Outcome::RateLimited { wait: Some(30.0) });
    run.complete(0, at(1000.0), limited, 1.0);
    close(run.wake().unwrap().seconds(), 1030.0);
    assert!(run.step(at(1029.9)).is_empty());
    assert_eq!(indices(&run.step(at(1030.0))), [1]);
}

#[test]
fn a_fixed_rate_sends_at_its_times_whatever_the_answers_do() {
    let mut run = start(plan(Stop::Count(5), 8, Some(10.0)));
    assert_eq!(indices(&run.step(at(1000.0))), [0]);
    close(run.wake().unwrap().seconds(), 1000.1);
    assert!(run.step(at(1000.05)).is_empty());
    // Awake late: two are due, each at its own time.
    let late = run.step(at(1000.25));
    assert_eq!(indices(&late), [1, 2]);
    close(late[0].intended, 0.1);
    close(late[1].intended, 0.2);
    close(late[1].sent, 0.25);
    run.complete(0, at(1000.26), waiting(), 1.0);
    // No polls beside the schedule.
    close(run.wake().unwrap().seconds(), 1000.3);
    assert_eq!(indices(&run.step(at(1000.3))), [3]);
    assert_eq!(indices(&run.step(at(1000.4))), [4]);
    assert_eq!(run.phase(), Phase::Draining);
}

#[test]
fn latency_counts_from_the_due_time_when_all_slots_are_busy() {
    // One slot, ten a second. The server sits on the first request for 450 ms and then answers
    // each in 10 ms. A clock started at sending would read 10 ms for all but the first.
    let mut run = start(plan(Stop::Count(5), 1, Some(10.0)));
    run.step(at(1000.0));
    assert!(run.step(at(1000.4)).is_empty());
    assert_eq!(run.backlog(at(1000.4)), 4);
    assert_eq!(run.wake(), None);
    let mut now = at(1000.45);
    for index in 0..5 {
        run.complete(index, now, assigned("w", 1), 0.0);
        run.step(now);
        now += 0.01;
    }
    let latencies: Vec<f64> = run.samples().iter().map(RouteSample::latency).collect();
    for (found, wanted) in latencies.iter().zip([0.45, 0.36, 0.27, 0.18, 0.09]) {
        close(*found, wanted);
    }
    near(run.stats().router_reply.quantile(0.5), 0.27);
    assert_eq!(run.backlog(now), 0);
}

#[test]
fn a_duration_counts_what_was_due_before_its_end_then_drains() {
    let mut run = start(plan(Stop::Duration(1.0), 2, Some(10.0)));
    for tenth in 0..9 {
        let now = at(1000.0 + f64::from(tenth) / 10.0);
        for attempt in run.step(now) {
            run.complete(attempt.index, now + 0.01, assigned("w", 1), 0.0);
        }
    }
    assert_eq!(run.sent(), 9);
    // Awake after the end: the attempt due at 0.9 goes, none of 1.0 and later.
    let last = run.step(at(1001.25));
    assert_eq!(indices(&last), [9]);
    close(last[0].intended, 0.9);
    assert_eq!(run.phase(), Phase::Draining);
    assert_eq!(run.wake(), None);
    run.complete(9, at(1001.5), assigned("w", 1), 0.0);
    assert_eq!(run.phase(), Phase::Ended(End::Done));
    assert_eq!(run.backlog(at(1001.5)), 0);
}

#[test]
fn attempts_that_never_found_a_slot_are_owned_up_to() {
    let mut run = start(plan(Stop::Duration(1.0), 1, Some(10.0)));
    run.step(at(1000.0));
    close(run.wake().unwrap().seconds(), 1001.0);
    assert!(run.step(at(1001.0)).is_empty());
    assert_eq!(run.phase(), Phase::Draining);
    run.complete(0, at(1015.0), Completion::without_answer(Outcome::TimedOut), 0.0);
    assert!(run.is_over());
    // Ten were due, one was sent.
    assert_eq!(run.backlog(at(1015.0)), 9);
}

#[test]
fn a_duration_of_a_closed_loop_ends_between_polls() {
    let mut run = start(plan(Stop::Duration(2.0), 1, None));
    run.step(at(1000.0));
    run.complete(0, at(1001.9), waiting(), 1.0);
    // The poll would be due at 2.9; the end comes first.
    close(run.wake().unwrap().seconds(), 1002.0);
    assert!(run.step(at(1002.0)).is_empty());
    assert_eq!(run.phase(), Phase::Ended(End::Done));
}

#[test]
fn a_pause_shifts_what_is_due_by_its_length() {
    let mut run = start(plan(Stop::Count(4), 4, Some(10.0)));
    run.step(at(1000.0));
    run.pause(at(1000.05));
    assert_eq!(run.phase(), Phase::Paused);
    assert!(run.step(at(1000.5)).is_empty());
    assert_eq!(run.wake(), None);
    close(run.elapsed(at(1004.0)), 0.05);
    // What is in flight may come back.
    assert!(run.complete(0, at(1001.0), assigned("w", 1), 0.0).is_some());
    run.resume(at(1005.05));
    close(run.wake().unwrap().seconds(), 1005.1);
    assert!(run.step(at(1005.05)).is_empty());
    let next = run.step(at(1005.1));
    close(next[0].intended, 5.1);
    close(run.paused(), 5.0);
    close(run.elapsed(at(1005.1)), 0.1);
}

#[test]
fn stopping_breaks_off_what_is_in_flight_and_hears_no_more_of_it() {
    let mut run = start(plan(Stop::Count(100), 3, None));
    run.step(at(1000.0));
    run.complete(1, at(1000.1), assigned("w", 1), 0.0);
    run.step(at(1000.1));
    assert_eq!(run.stop(at(1000.2)), [0, 2, 3]);
    assert_eq!(run.phase(), Phase::Ended(End::Stopped));
    assert_eq!(run.in_flight(), 0);
    assert!(run.step(at(1000.3)).is_empty());
    assert!(run.complete(0, at(1000.3), assigned("w", 2), 0.0).is_none());
    assert!(run.stop(at(1000.4)).is_empty());
    let stats = run.stats();
    assert_eq!(stats.count(OutcomeKind::Cancelled), 3);
    assert_eq!(stats.summary(1.0).attempts, 4);
    // Our own breaking off is no latency of the server.
    assert_eq!(stats.router_reply.count(), 1);
    assert_eq!(stats.answered(), 1);
    close(run.load_injected(), 400.0);
    close(run.elapsed(at(9999.0)), 0.2);
}

#[test]
fn a_paused_run_can_be_stopped() {
    let mut run = start(plan(Stop::Count(100), 1, None));
    run.step(at(1000.0));
    run.pause(at(1001.0));
    assert_eq!(run.stop(at(1003.0)), [0]);
    assert!(run.is_over());
    close(run.elapsed(at(1010.0)), 1.0);
}

/// Drives a run against a server that answers after `delay` seconds, until it is over; returns the
/// largest number in flight.
fn drive(run: &mut Run, delay: impl Fn(u64) -> f64, answer: impl Fn(u64) -> Completion) -> usize {
    let mut now = at(1000.0);
    let mut answers: Vec<(MonotonicTime, u64)> = Vec::new();
    let mut most = 0;
    while !run.is_over() {
        for attempt in run.step(now) {
            answers.push((now + delay(attempt.index), attempt.index));
        }
        most = most.max(run.in_flight());
        answers.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        let next_answer = answers.last().map(|(at, _)| *at);
        let next = [run.wake(), next_answer].into_iter().flatten();
        let Some(next) = next.min() else {
            assert!(run.is_over(), "nothing would ever happen again");
            break;
        };
        now = next.max(now);
        if next_answer.is_some_and(|at| at <= now) {
            let (_, index) = answers.pop().unwrap();
            run.complete(index, now, answer(index), 0.5).unwrap();
        }
    }
    assert_eq!(run.in_flight(), 0);
    most
}

#[test]
fn fifty_a_second_for_ten_seconds_are_five_hundred() {
    let mut run = start(plan(Stop::Duration(10.0), 8, Some(50.0)));
    let most = drive(&mut run, |_| 0.02, |index| assigned("w", index as i64));
    assert_eq!(run.sent(), 500);
    assert!(most <= 8);
    for sample in run.samples() {
        close(sample.intended, sample.index as f64 / 50.0);
    }
    near(run.stats().router_reply.quantile(0.99), 0.02);
    assert_eq!(run.backlog(at(2000.0)), 0);
}

#[test]
fn every_series_comes_to_its_end_within_its_bounds() {
    let answer = |index: u64| match index % 7 {
        0 => waiting(),
        1 => Completion::without_answer(Outcome::RateLimited { wait: Some(2.0) }),
        2 => Completion::without_answer(Outcome::TimedOut),
        3 => Completion::without_answer(Outcome::garbage("no object")),
        _ => assigned("w", index as i64),
    };
    for (stop, concurrency, rate) in [
        (Stop::Count(100), 1, None),
        (Stop::Count(100), 16, None),
        (Stop::Count(100), 16, Some(7.0)),
        (Stop::Count(100), 2, Some(1000.0)),
        (Stop::Duration(30.0), 5, None),
        (Stop::Duration(30.0), 3, Some(12.5)),
    ] {
        let mut run = start(plan(stop, concurrency, rate));
        let delay = |index: u64| (index * 37 % 11) as f64 / 10.0;
        // Answers without any delay would keep a closed loop busy for ever in no time.
        let most = drive(&mut run, |index| delay(index) + 0.01, answer);
        assert!(most <= concurrency as usize, "{stop:?}");
        assert_eq!(run.samples().len() as u64, run.sent());
        if let Stop::Count(count) = stop {
            assert_eq!(run.requests(), count);
        }
        assert_eq!(run.phase(), Phase::Ended(End::Done));
    }
}
