//! A run of the domain against the fleet of the sandbox, in virtual time: the load that arrives.

use bourse::domain::routing::{Attempt, Completion, End, Outcome, OutcomeKind, Phase, RoutePlan, Run, Stop};
use bourse::domain::time::{MonotonicTime, UnixTime};
use bourse::domain::{Dialect, Untrusted};
use bourse::sandbox::fleet::{Fleet, RouteOutcome, RouteRequest};
use bourse::sandbox::market::FROZEN_AT;

/// Seconds that the router takes for a reply.
const REPLY: f64 = 0.02;

/// The router's reply to an attempt.
fn reply(fleet: &mut Fleet, attempt: &Attempt, plan: &RoutePlan) -> Completion {
    let request = RouteRequest {
        endpoint: &plan.endpoint,
        cost: attempt.cost,
        request_idx: attempt.request_idx.unwrap_or(0),
        replay_timeout: plan.replay_timeout,
    };
    let reply = fleet.route(request).unwrap();
    let outcome = match reply.outcome {
        RouteOutcome::Assigned { url, reqnum } => Outcome::Assigned {
            worker: Untrusted::from(url),
            reqnum: i64::try_from(reqnum).ok(),
            echoed: true,
        },
        RouteOutcome::Waiting(status) => Outcome::waiting(&format!(r#"{{"status":"{status}"}}"#)),
    };
    Completion {
        request_idx: Some(reply.request_idx),
        ..Completion::without_answer(outcome)
    }
}

/// Carries out a run of 200 requests at concurrency 8.
fn two_hundred(fleet: &mut Fleet, dialect: &Dialect) -> Run {
    let plan = RoutePlan {
        stop: Stop::Count(200),
        concurrency: 8,
        ..RoutePlan::single("sdxl").for_dialect(dialect)
    };
    let mut run = Run::start(plan.clone(), MonotonicTime::default(), UnixTime::new(FROZEN_AT)).unwrap();
    let mut random = fastrand::Rng::with_seed(7);
    let mut now = MonotonicTime::default();
    while !run.is_over() {
        let due = run.step(now);
        for attempt in &due {
            let completion = reply(fleet, attempt, &plan);
            run.complete(attempt.index, now + REPLY, completion, random.f64());
        }
        let next = run.wake().unwrap_or(now).max(now + REPLY);
        fleet.step(next - now);
        now = next;
    }
    run
}

#[test]
fn two_hundred_requests_on_two_workers_inject_the_load_of_two_hundred() {
    let mut fleet = Fleet::new(1, FROZEN_AT, 0);
    assert_eq!(fleet.census("sdxl").unwrap()[0], 2, "workers that are ready");
    let run = two_hundred(&mut fleet, &Dialect::SANDBOX);
    assert_eq!(run.phase(), Phase::Ended(End::Done));
    assert_eq!(run.stats().count(OutcomeKind::Assigned), 200);
    assert!(run.stats().polls > 0, "some had to wait");
    assert!((run.load_injected() - 20_000.0).abs() < 1e-6, "{}", run.load_injected());
    let arrived = fleet.load_injected("sdxl").unwrap();
    assert!((arrived - 20_000.0).abs() < 1e-6, "{arrived}");
}

/// A request with a place, and whether it got a worker.
fn ask(fleet: &mut Fleet, request_idx: u64, cost: f64) -> (u64, bool) {
    let request = RouteRequest {
        endpoint: "sdxl",
        cost,
        request_idx,
        replay_timeout: Some(10.0),
    };
    let reply = fleet.route(request).unwrap();
    let is_assigned = matches!(reply.outcome, RouteOutcome::Assigned { .. });
    (reply.request_idx, is_assigned)
}

#[test]
fn an_index_keeps_the_place_and_a_request_without_one_goes_to_the_back() {
    let mut fleet = Fleet::new(1, FROZEN_AT, 0);
    // More than both workers take on.
    while ask(&mut fleet, 0, 1000.0).1 {}
    let (second, is_assigned) = ask(&mut fleet, 0, 10_000.0);
    assert!(!is_assigned);
    let (third, _) = ask(&mut fleet, 0, 10.0);
    assert!(third > second);
    // Unused assignments hold their load for ten seconds.
    fleet.step(9.0);
    assert!(!ask(&mut fleet, second - 1, 1000.0).1);
    fleet.step(1.5);
    assert!(!ask(&mut fleet, third, 10.0).1, "those before it come first");
    assert!(!ask(&mut fleet, 0, 10.0).1, "a new request is behind it");
    assert_eq!(ask(&mut fleet, second - 1, 1000.0), (second - 1, true));
    assert_eq!(ask(&mut fleet, second, 10_000.0), (second, true));
    assert!(ask(&mut fleet, third, 10.0).1);
}
