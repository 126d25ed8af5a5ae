//! Figures of a run, computed by hand.

use super::*;
use bourse::api::attempt::completion;
use bourse::api::{ApiError, ErrorBody, Unreachable};

/// Ten assignments with latencies of 10 to 100 ms, one a second, over two workers.
fn ten() -> Vec<RouteSample> {
    (1_u32..=10)
        .map(|number| {
            let begin = f64::from(number - 1);
            let worker = if number <= 7 { "https://a:1" } else { "https://b:2" };
            let Completion { outcome, .. } = assigned(worker, i64::from(number));
            sample(u64::from(number - 1), begin, begin + f64::from(number) / 100.0, outcome)
        })
        .collect()
}

#[test]
fn quantiles_are_those_counted_by_hand() {
    let stats = RouteStats::from_samples(&ten());
    let latencies = stats.time_to_worker;
    assert_eq!(latencies.count(), 10);
    near(latencies.quantile(0.5), 0.05); // the 5th of 10
    near(latencies.quantile(0.9), 0.09); // the 9th
    near(latencies.quantile(0.95), 0.10); // the 10th: nine are only nine tenths
    near(latencies.quantile(0.99), 0.10);
    close(latencies.most().unwrap(), 0.10);
    close(latencies.least().unwrap(), 0.01);
    close(latencies.mean().unwrap(), 0.055);
    assert!(Latencies::default().quantile(0.5).is_none());
}

#[test]
fn shares_of_workers_add_up() {
    let stats = RouteStats::from_samples(&ten());
    let workers = stats.workers;
    let ranked = workers.ranked();
    assert_eq!(ranked.len(), 2);
    assert_eq!(ranked[0].worker.unescaped(), "https://a:1");
    assert_eq!((ranked[0].assigned, ranked[1].assigned), (7, 3));
    close(workers.share(ranked[0]), 0.7);
    close(workers.share(ranked[1]), 0.3);
}

#[test]
fn request_numbers_out_of_order_show_gaps_and_repeats() {
    // 1 2 3, then 5 and 6, then 10: gaps of {4} and {7 8 9}; 2 and 10 came again.
    let mut stats = RouteStats::default();
    for (index, reqnum) in [3, 1, 2, 6, 5, 10, 2, 10, 10].into_iter().enumerate() {
        let Completion { outcome, .. } = assigned("w", reqnum);
        stats.record(&sample(index as u64, 0.0, 1.0, outcome));
    }
    let worker = stats.workers.ranked()[0].clone();
    assert_eq!((worker.gaps(), worker.missing(), worker.repeats()), (2, 4, 3));
    let mut edges = RouteStats::default();
    for reqnum in [i64::MIN, i64::MAX, i64::MAX] {
        let Completion { outcome, .. } = assigned("w", reqnum);
        edges.record(&sample(0, 0.0, 1.0, outcome));
    }
    let worker = edges.workers.ranked()[0].clone();
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
    assert_eq!(stats.workers.ranked().len(), 1000);
}

#[test]
fn every_kind_of_end_is_told_apart() {
    let ends = [
        Outcome::garbage("no object"),
        Outcome::waiting(r#"{"status":"Stopped"}"#),
        Outcome::Refused { status: 401 },
        Outcome::RateLimited { wait: None },
        Outcome::TimedOut,
        Outcome::failed("server error (status 502)"),
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
    let summary = stats.summary(3.5);
    assert_eq!(summary.bytes, 70);
    close(summary.per_second.unwrap(), 2.0);
    close(summary.assigned_share.unwrap(), 1.0 / 7.0);
}

#[test]
fn only_a_request_that_was_not_refused_injects_load() {
    let load_of = |end: Outcome| {
        let one = sample(0, 0.0, 0.5, end);
        close(RouteStats::from_samples(std::slice::from_ref(&one)).load, one.load());
        one.load()
    };
    let cost = load_of(assigned("w", 1).outcome);
    assert!(cost > 0.0);
    // A worker is coming, or nobody knows because the answer was lost or cannot be read.
    for end in [
        Outcome::waiting(r#"{"status":"Stopped"}"#),
        Outcome::garbage("no object"),
        Outcome::TimedOut,
        Outcome::Cancelled,
        Outcome::failed("server error (status 502)"),
    ] {
        close(load_of(end), cost);
    }
    for end in [
        Outcome::Refused { status: 401 },
        Outcome::RateLimited { wait: None },
        Outcome::rejected("the server rejected the request (status 400)"),
    ] {
        close(load_of(end), 0.0);
    }
}

#[test]
fn answers_are_told_apart_by_whether_they_refuse() {
    let load_of = |error: ApiError| completion(Err(error), 0).outcome.injects_load();
    for status in [400, 404, 422] {
        let said = ErrorBody::Nothing;
        assert!(!load_of(ApiError::Invalid { status, said }), "{status}");
    }
    assert!(!load_of(ApiError::NotConnected {
        host: "route.example:443".to_owned(),
        why: Unreachable::NobodyListens,
    }));
    assert!(load_of(ApiError::Lost));
    assert!(load_of(ApiError::Server {
        status: 502,
        said: ErrorBody::Nothing,
    }));
    assert!(load_of(ApiError::TimedOut {
        after: std::time::Duration::from_secs(30),
    }));
}

/// Thirty requests, one a second, whose replies take 10 to 39 ms, longer by `more`; the last
/// `failed` time out.
fn thirty(more: f64, failed: usize) -> RouteStats {
    let samples: Vec<RouteSample> = (0..30_u32)
        .map(|number| {
            let begin = f64::from(number);
            let outcome = if (number as usize) < 30 - failed {
                assigned("w", i64::from(number)).outcome
            } else {
                Outcome::TimedOut
            };
            let took = f64::from(10 + number) / 1000.0 + more;
            sample(u64::from(number), begin, begin + took, outcome)
        })
        .collect();
    RouteStats::from_samples(&samples)
}

#[test]
fn a_comparison_says_what_changed() {
    let (fast, slow) = (thirty(0.0, 0), thirty(0.015, 12));
    let figures = compare((&fast, 30.0), (&slow, 15.0));
    let figure = |label: &str| figures.iter().find(|figure| figure.label == label).unwrap();
    let mean = figure("router reply mean");
    assert_eq!(mean.unit, FigureUnit::Seconds);
    close(mean.difference().unwrap(), 0.015);
    close(mean.change().unwrap(), 0.015 / 0.0245);
    close(figure("requests per second").second.unwrap(), 2.0);
    assert_eq!(figure("timed out").change(), None);
    assert!(figures.iter().all(|figure| figure.label != "cancelled"));
}

#[test]
fn a_comparison_judges_what_an_endpoint_is_answerable_for() {
    let (fast, slow, short) = (thirty(0.0, 0), thirty(0.015, 12), RouteStats::default());
    let judge = |first: &RouteStats, second: &RouteStats, label: &str| {
        let figures = compare((first, 30.0), (second, 30.0));
        figures.iter().find(|figure| figure.label == label).unwrap().is_better()
    };
    for label in [
        "router reply p50",
        "to a worker max",
        "assigned",
        "share assigned",
        "timed out",
    ] {
        assert_eq!(judge(&fast, &slow, label), Some(false), "{label}");
        assert_eq!(judge(&slow, &fast, label), Some(true), "{label}");
    }
    // Equal, without a direction, or without a value.
    for label in [
        "rate limited",
        "first assignment",
        "running time",
        "workers",
        "bytes",
        "load",
    ] {
        assert_eq!(judge(&fast, &fast, label), None, "{label}");
    }
    assert_eq!(judge(&fast, &slow, "bytes"), None);
    assert_eq!(judge(&fast, &short, "router reply p50"), None);
    // Fewer requests have fewer timeouts.
    assert_eq!(judge(&slow, &short, "timed out"), None);
}
