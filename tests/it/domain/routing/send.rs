//! Runs that send requests on to workers: the parts of a time, retries, and the outcome that counts.

use bourse::domain::dialect::Dialect;
use bourse::domain::routing::{Hop, Requirement, SavedRun, WorkerCall, WorkerOutcome};

use super::*;

fn hop(retries: u32) -> Hop {
    Hop {
        path: "/v1/completions".to_owned(),
        payload: r#"{"prompt":"hi"}"#.to_owned(),
        retries,
    }
}

/// A call that took 0.4 s: 0.1 to connect, 0.2 to the first byte, 0.1 more to the last.
fn call(status: u16) -> WorkerCall {
    WorkerCall {
        outcome: WorkerOutcome::Answered { status },
        connect: Some(0.1),
        first_byte: Some(0.2),
        total: 0.4,
        bytes: 10,
        tokens: (status == 200).then_some(30),
    }
}

/// An assignment with the index 7 whose worker answered so.
fn served(status: u16) -> Completion {
    Completion {
        request_idx: Some(7),
        call: Some(call(status)),
        ..assigned("w", 1)
    }
}

fn sending(count: u64, retries: u32) -> RoutePlan {
    RoutePlan {
        stop: Stop::Count(count),
        ..RoutePlan::single("chat")
            .for_dialect(&Dialect::VAST)
            .sending(hop(retries))
    }
}

fn requirement(text: &str) -> Requirement {
    text.parse().unwrap()
}

#[test]
fn the_parts_of_a_request_add_up_to_its_total() {
    let mut run = start(sending(1, 0));
    assert_eq!(run.plan().replay_timeout, Some(60.0), "the worker is about to use it");
    run.step(at(1000.0));
    // Queued for a second, then 0.1 s to the assignment; the attempt ends with its worker.
    run.complete(0, at(1000.1), waiting(), 0.0);
    assert_eq!(
        run.step(at(1001.1)).len(),
        1,
        "a single request polls if it is to be sent on"
    );
    run.complete(1, at(1001.6), served(200), 0.0);
    assert!(run.is_over());
    let sample = &run.samples()[1];
    close(sample.ended, 1.2);
    close(sample.time_to_worker().unwrap(), 1.2);
    close(sample.total().unwrap(), 1.6);
    let calls = run.stats().worker_calls.summary();
    close(calls.connect.unwrap().max, 0.1);
    close(calls.first_byte.unwrap().max, 0.2);
    close(calls.last_byte.unwrap().max, 0.3);
    close(calls.total.unwrap().max, 1.6);
    // 30 tokens in the 0.3 s after the connection was ready.
    close(calls.token_rate.unwrap().max, 100.0);
    let stats = run.stats();
    for (text, is_met) in [
        ("p50<1.7s", true),
        ("p50<1.5s", false),
        ("queue_p50<1.3s", true),
        ("queue_p50<1.1s", false),
        ("connect_p99<110ms", true),
        ("connect_p99<90ms", false),
        ("first_byte_p95<210ms", true),
        ("first_byte_p95<190ms", false),
        ("errors<1%", true),
    ] {
        assert_eq!(requirement(text).broken_by(stats, true).is_none(), is_met, "{text}");
    }
}

#[test]
fn a_retry_repeats_the_index_after_a_growing_wait_and_only_the_last_outcome_counts() {
    let mut run = start(sending(1, 2));
    run.step(at(1000.0));
    run.complete(0, at(1001.0), served(503), 0.5);
    // 2^1 + 0.5 s later, with the index of the reply, and no load added.
    assert!(run.step(at(1003.4)).is_empty());
    let retry = run.step(at(1003.5))[0];
    assert_eq!((retry.request, retry.request_idx), (0, Some(7)));
    run.complete(1, at(1004.0), served(429), 0.5);
    // 2^2 + 0.5 s.
    assert!(run.step(at(1008.4)).is_empty());
    assert_eq!(run.step(at(1008.5)).len(), 1);
    run.complete(2, at(1009.0), served(200), 0.5);
    assert!(run.is_over());
    let stats = run.stats();
    assert_eq!(
        (stats.requests(), stats.count(OutcomeKind::Assigned), stats.polls),
        (1, 1, 0)
    );
    close(run.load_injected(), 100.0);
    close(run.samples()[2].total().unwrap(), 9.0);
    close(run.samples()[2].time_to_worker().unwrap(), 0.1);
    let calls = stats.worker_calls.summary();
    assert_eq!((calls.calls, calls.good), (3, 1));
    assert_eq!(calls.classes, [("2xx".to_owned(), 1)].into());
    assert_eq!(
        calls.statuses,
        ["200", "429", "503"].map(|status| (status.to_owned(), 1)).into()
    );
    assert_eq!(stats.error_share(true), Some(0.0));
}

#[test]
fn retries_end_and_statuses_that_do_not_pass_are_final() {
    for (status, retries, calls) in [
        (500, 1, 2),
        (500, 0, 1),
        (401, 3, 1),
        (422, 3, 1),
        (410, 3, 1),
        (408, 1, 2),
    ] {
        let mut run = start(sending(1, retries));
        drive(&mut run, |_| 0.5, |_| served(status));
        assert_eq!(run.phase(), Phase::Ended(End::Done));
        assert_eq!(run.samples().len(), calls, "{status} with {retries} retries");
        assert_eq!(run.stats().error_share(true), Some(1.0));
        assert_eq!(run.stats().error_share(false), Some(0.0), "it had a worker");
    }
}

#[test]
fn a_request_at_the_end_of_a_rate_is_still_answered() {
    let plan = RoutePlan {
        rate: Some(10.0),
        concurrency: 4,
        ..sending(3, 1)
    };
    let mut run = start(plan);
    // The first attempt of each request meets a full worker.
    drive(&mut run, |_| 0.05, |index| served(if index < 3 { 429 } else { 200 }));
    assert_eq!((run.requests(), run.stats().worker_calls.good), (3, 3));
}

#[test]
fn a_run_that_sends_nothing_on_measures_no_worker_and_one_request_never_polls() {
    let mut run = start(RoutePlan::single("chat").for_dialect(&Dialect::VAST));
    assert_eq!(run.plan().replay_timeout, Some(10.0));
    run.step(at(1000.0));
    run.complete(0, at(1000.1), waiting(), 0.0);
    assert!(run.is_over());
    assert!(run.summary(at(1000.1)).worker_calls.is_none());
    // A warm-up of one request does poll.
    let mut run = start(RoutePlan {
        polls_alone: true,
        ..RoutePlan::single("chat")
    });
    run.step(at(1000.0));
    run.complete(0, at(1000.1), waiting(), 0.0);
    assert_eq!(run.step(at(1001.2)).len(), 1);
}

#[test]
fn an_exported_run_can_be_compared_with_a_later_one() {
    let ended = |status, total| {
        let mut run = start(sending(2, 0));
        drive(
            &mut run,
            |_| total,
            |index| served(if index == 0 { 200 } else { status }),
        );
        run
    };
    let before = ended(200, 0.5);
    let saved = SavedRun::parse(&export_json(&before, at(1002.0))).unwrap();
    saved.check(before.plan()).unwrap();
    let same = saved.differences(before.stats());
    assert_eq!(same.len(), 5 * 4 + 1);
    assert!(
        same.iter()
            .all(|figure| figure.difference().is_some_and(|by| by.abs() < 1e-5)),
        "{same:?}"
    );
    // A request of two fails, and takes twice as long.
    let differences = saved.differences(ended(500, 1.0).stats());
    let by = |label: &str| {
        differences
            .iter()
            .find(|figure| figure.label == label)
            .unwrap()
            .difference()
            .unwrap()
    };
    close(by("errors"), 0.5);
    assert!((by("total p50") - 0.5).abs() < 1e-3, "{}", by("total p50"));
    let other = RoutePlan {
        endpoint: "images".to_owned(),
        ..before.plan().clone()
    };
    let why = saved.check(&other).unwrap_err().to_string();
    assert_eq!(
        why,
        "it is a run of endpoint 'chat', this one is of 'images': they can't be compared"
    );
    assert!(saved.check(&RoutePlan::single("chat")).is_err(), "it sends nothing on");
}

#[test]
fn a_plan_that_cannot_be_sent_names_its_mistake() {
    for (path, payload, parameter) in [
        ("", "{}", "path"),
        ("https://evil.example/v1", "{}", "path"),
        ("/v1/a b", "{}", "path"),
        ("/v1", "{", "payload"),
        ("/v1", "[1]", "payload"),
        ("/v1", "", "payload"),
    ] {
        let mut plan = sending(1, 0);
        plan.hop = Some(std::sync::Arc::new(Hop {
            path: path.to_owned(),
            payload: payload.to_owned(),
            retries: 0,
        }));
        let objections = plan.check();
        assert_eq!(objections[0].parameter, parameter, "{path} {payload}");
    }
    assert!(sending(1, 0).needs_consent(), "one request to a worker costs money too");
}
