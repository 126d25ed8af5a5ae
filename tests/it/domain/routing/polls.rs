//! Requests and their polls: the two times, what counts as a request, and what ends a run early.

use bourse::domain::dialect::Dialect;

use super::*;

/// A sample of a request that was first asked at `asked`.
fn of_request(index: u64, request: u64, poll: u32, asked: f64, at: (f64, f64)) -> RouteSample {
    RouteSample {
        request,
        poll,
        asked,
        ..sample(index, at.0, at.1, waiting().outcome)
    }
}

#[test]
fn the_router_reply_and_the_time_to_a_worker_are_two_figures() {
    // Request 0: told to wait twice, a worker 3.1 s after the first ask. Request 1: a worker at once.
    let worker = |reqnum| assigned("w", reqnum).outcome;
    let samples = [
        of_request(0, 0, 0, 0.0, (0.0, 0.1)),
        RouteSample {
            outcome: worker(1),
            ..of_request(1, 1, 0, 0.5, (0.5, 0.55))
        },
        of_request(2, 0, 1, 0.0, (1.0, 1.2)),
        RouteSample {
            outcome: worker(2),
            ..of_request(3, 0, 2, 0.0, (2.7, 3.1))
        },
    ];
    let stats = RouteStats::from_samples(&samples);
    assert_eq!((stats.requests(), stats.polls, stats.summary(1.0).attempts), (2, 2, 4));
    assert_eq!(stats.count(OutcomeKind::Assigned), 2);
    assert_eq!(stats.count(OutcomeKind::Waiting), 0);
    let summary = stats.summary(4.0);
    close(summary.per_second.unwrap(), 0.5);
    close(summary.assigned_share.unwrap(), 1.0);
    // Replies of 50, 100, 200 and 400 ms.
    let reply = summary.router_reply.unwrap();
    near(Some(reply.p50), 0.1);
    near(Some(reply.p99), 0.4);
    close(reply.max, 0.4);
    // Requests of 50 ms and 3.1 s.
    let time = summary.time_to_worker.unwrap();
    near(Some(time.p50), 0.05);
    near(Some(time.p99), 3.1);
    close(time.max, 3.1);
    close(time.mean, 1.575);
}

#[test]
fn a_request_that_is_still_polled_waits() {
    let mut stats = RouteStats::from_samples(&[of_request(0, 0, 0, 0.0, (0.0, 0.1))]);
    assert_eq!(stats.count(OutcomeKind::Waiting), 1);
    stats.record(&of_request(1, 0, 1, 0.0, (1.0, 1.1)));
    assert_eq!((stats.count(OutcomeKind::Waiting), stats.requests()), (1, 1));
    stats.record(&RouteSample {
        outcome: Outcome::TimedOut,
        ..of_request(2, 0, 2, 0.0, (2.0, 17.0))
    });
    assert_eq!(stats.count(OutcomeKind::Waiting), 0);
    assert_eq!((stats.count(OutcomeKind::TimedOut), stats.requests()), (1, 1));
    assert!(stats.summary(17.0).time_to_worker.is_none());
}

#[test]
fn a_run_measures_both_times() {
    let mut run = start(plan(Stop::Count(2), 1, None));
    run.step(at(1000.0));
    run.complete(0, at(1000.1), waiting(), 0.0);
    run.step(at(1001.1));
    run.complete(1, at(1001.4), assigned("w", 1), 0.0);
    run.step(at(1001.4));
    run.complete(2, at(1001.45), assigned("w", 2), 0.0);
    assert!(run.is_over());
    let times: Vec<_> = run.samples().iter().map(RouteSample::time_to_worker).collect();
    assert_eq!(times[0], None);
    close(times[1].unwrap(), 1.4);
    close(times[2].unwrap(), 0.05);
    close(run.samples()[1].latency(), 0.3);
}

#[test]
fn a_pause_is_no_time_that_a_request_waited() {
    let mut run = start(plan(Stop::Count(2), 1, None));
    run.step(at(1000.0));
    run.complete(0, at(1000.1), waiting(), 0.0); // polled at 1001.1
    run.pause(at(1000.2));
    run.resume(at(1100.2));
    close(run.wake().unwrap().seconds(), 1101.1);
    run.step(at(1101.1));
    run.complete(1, at(1101.2), assigned("w", 1), 0.0);
    close(run.samples()[1].time_to_worker().unwrap(), 1.2);
}

#[test]
fn at_a_fixed_rate_requests_keep_their_times_and_polls_take_what_is_left() {
    let mut run = start(plan(Stop::Duration(3.0), 1, Some(1.0)));
    run.step(at(1000.0));
    run.complete(0, at(1000.1), waiting(), 0.0); // polled at 1001.1
    close(run.wake().unwrap().seconds(), 1001.0);
    let next = run.step(at(1001.0));
    assert_eq!((next[0].request, next[0].poll), (1, 0));
    run.complete(1, at(1001.05), assigned("w", 1), 0.0);
    let poll = run.step(at(1001.1));
    assert_eq!((poll[0].request, poll[0].poll), (0, 1));
    run.complete(2, at(1001.2), waiting(), 1.0); // polled after 3 s: too late
    let next = run.step(at(1002.0));
    assert_eq!((next[0].request, next[0].poll), (2, 0));
    run.complete(3, at(1002.1), assigned("w", 2), 0.0);
    assert_eq!((run.requests(), run.sent()), (3, 4));
    run.step(at(1003.0));
    assert_eq!(run.phase(), Phase::Ended(End::Done));
    assert_eq!(run.backlog(at(1003.0)), 0);
    close(run.summary(at(1003.0)).per_second.unwrap(), 1.0);
}

#[test]
fn a_request_that_is_due_goes_before_a_late_poll() {
    let mut run = start(plan(Stop::Duration(4.0), 1, Some(1.0)));
    run.step(at(1000.0));
    run.complete(0, at(1000.1), waiting(), 0.0); // polled at 1001.1
    run.step(at(1001.0));
    // The only slot is taken until 2.0.
    run.complete(1, at(1002.0), assigned("w", 1), 0.0);
    let next = run.step(at(1002.0));
    assert_eq!((next[0].request, next[0].poll), (2, 0));
    run.complete(2, at(1002.1), assigned("w", 2), 0.0);
    let poll = run.step(at(1002.1));
    assert_eq!((poll[0].request, poll[0].poll), (0, 1));
    run.complete(3, at(1002.2), assigned("w", 3), 0.0);
    close(run.samples()[3].time_to_worker().unwrap(), 2.2);
}

#[test]
fn nothing_is_polled_after_the_end_of_a_rate() {
    let mut run = start(plan(Stop::Count(2), 4, Some(10.0)));
    run.step(at(1000.0));
    run.complete(0, at(1000.01), waiting(), 0.0);
    run.step(at(1000.1));
    assert_eq!(run.phase(), Phase::Draining);
    run.complete(1, at(1000.2), waiting(), 0.0);
    assert_eq!(run.phase(), Phase::Ended(End::Done));
    assert_eq!(run.stats().count(OutcomeKind::Waiting), 2);
}

#[test]
fn a_failed_request_is_not_polled_and_its_slot_waits() {
    let mut run = start(plan(Stop::Count(3), 1, None));
    run.step(at(1000.0));
    let failed = || Completion::without_answer(Outcome::failed("status 502"));
    run.complete(0, at(1000.0), failed(), 0.0);
    close(run.wake().unwrap().seconds(), 1000.5);
    let next = run.step(at(1000.5));
    assert_eq!((next[0].request, next[0].poll), (1, 0));
    run.complete(1, at(1000.5), failed(), 0.0);
    close(run.wake().unwrap().seconds(), 1001.5); // longer each time
    run.step(at(1001.5));
    run.complete(2, at(1001.5), failed(), 0.0);
    assert_eq!(run.phase(), Phase::Ended(End::Done));
    assert_eq!((run.stats().requests(), run.stats().polls), (3, 0));
}

#[test]
fn a_series_on_an_endpoint_without_workers_ends_with_the_patience_of_its_first_request() {
    let mut run = start(plan(Stop::Count(20), 2, None));
    drive(&mut run, |_| 0.1, |_| waiting());
    assert_eq!(run.phase(), Phase::Ended(End::NoWorker));
    assert!(run.elapsed(at(2000.0)) <= 60.0, "{}", run.elapsed(at(2000.0)));
    assert_eq!(run.stats().requests(), 2);
    assert!(run.stats().polls > 10);
    assert_eq!(words::early_end(&run).unwrap(), "ended early: no worker within 1m00s");
    assert_eq!(run.load_injected(), 100.0 * run.sent() as f64);
}

#[test]
fn without_patience_every_request_is_asked_once() {
    let mut series = plan(Stop::Count(4), 2, None);
    series.poll.patience = 0.0;
    let mut run = start(series);
    drive(&mut run, |_| 0.1, |_| waiting());
    assert_eq!(run.phase(), Phase::Ended(End::Done));
    assert_eq!((run.stats().requests(), run.stats().polls), (4, 0));
    assert_eq!(run.stats().count(OutcomeKind::Waiting), 4);
}

/// A status reply of a router with a queue.
fn queued(status: &str, request_idx: u64) -> Completion {
    Completion {
        request_idx: Some(request_idx),
        ..Completion::without_answer(Outcome::waiting(&format!(r#"{{"status":"{status}"}}"#)))
    }
}

#[test]
fn a_poll_repeats_the_index_of_its_request_and_adds_no_load() {
    let mut series = plan(Stop::Count(2), 1, None);
    series.replay_timeout = Some(10.0);
    let mut run = start(series);
    assert_eq!(run.step(at(1000.0))[0].request_idx, Some(0));
    run.complete(0, at(1000.1), queued("3 model_loading", 77), 0.0);
    let poll = run.step(at(1001.1));
    assert_eq!((poll[0].request_idx, poll[0].cost), (Some(77), 100.0));
    run.complete(1, at(1001.2), queued("1 ready, 2 model_loading", 77), 0.0);
    // Without an index in a reply the last one counts.
    assert_eq!(run.step(at(1001.3))[0].request_idx, Some(77));
    run.complete(2, at(1001.4), waiting(), 0.0);
    assert_eq!(run.step(at(1001.5))[0].request_idx, Some(77));
    run.complete(3, at(1001.6), assigned("w", 1), 0.0);
    close(run.load_injected(), 100.0);
    assert_eq!(run.step(at(1001.6))[0].request_idx, Some(0), "a new request");
    run.complete(4, at(1001.7), assigned("w", 2), 0.0);
    close(run.load_injected(), 200.0);
    assert_eq!((run.stats().requests(), run.stats().polls), (2, 3));
    let changes: Vec<_> = run.statuses().map(|change| change.status.unescaped()).collect();
    assert_eq!(changes, ["3 model_loading", "1 ready, 2 model_loading", "2 loading"]);
    close(run.statuses().next().unwrap().at, 0.1);
}

#[test]
fn a_router_that_gives_no_index_gets_the_load_of_each_poll() {
    let mut series = plan(Stop::Count(2), 1, None);
    series.replay_timeout = Some(10.0);
    let mut run = start(series);
    run.step(at(1000.0));
    run.complete(0, at(1000.1), waiting(), 0.0);
    assert_eq!(run.step(at(1001.1))[0].request_idx, Some(0));
    run.complete(1, at(1001.2), assigned("w", 1), 0.0);
    close(run.load_injected(), 200.0);
}

#[test]
fn the_load_of_a_plan_and_its_release_are_said_before_it_starts() {
    let queue = plan(Stop::Count(20), 2, None).for_dialect(&Dialect::VAST);
    assert_eq!(
        words::describe_load(&queue),
        "A load of up to 2,000 in all. Unused assignments release it after 10 s."
    );
    let documented = plan(Stop::Count(20), 2, None).for_dialect(&Dialect::DOCUMENTED);
    assert_eq!(
        words::describe_load(&documented),
        "A load of up to 2,000 in all. Each poll while no worker is ready adds 100."
    );
}
