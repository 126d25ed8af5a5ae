//! Rate limits: at most one refusal for each endpoint, and no threshold stops the searching.

use bourse_domain::time::MonotonicTime;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use bourse_client::{ApiError, Pacer, Progress, Reply, Request, Session};
use bourse_domain::{Query, Resource};
use tokio::time::Instant;

use crate::recorder::{answer, json};
use crate::virtual_time::{Clock, client, run, server};

/// The requests to one endpoint as the market counted them.
#[derive(Default)]
struct Seen {
    granted: Vec<Instant>,
    refused: usize,
}

/// The form in which a market states its threshold.
#[derive(Clone, Copy)]
enum Form {
    Json,
    Text,
}

impl Form {
    fn refusal(self, threshold: &str) -> Vec<u8> {
        let words = format!("API requests too frequent endpoint threshold={threshold}");
        match self {
            Self::Json => json(429, &format!(r#"{{"detail":"{words}"}}"#)),
            Self::Text => answer(429, &[("Content-Type", "text/plain")], words.as_bytes()),
        }
    }
}

fn request(resource: Resource) -> Request {
    match resource {
        Resource::Workergroups => Request::ListWorkergroups,
        search => Request::Search(Query::empty(search)),
    }
}

/// A time in which one request after the other is given up for the next, as a held key does, at a
/// market that grants one in five seconds.
async fn held(minutes: u64, resource: Resource, form: Form, is_forgetful: bool) -> Rc<RefCell<Seen>> {
    let seen = Rc::new(RefCell::new(Seen::default()));
    let market = Rc::clone(&seen);
    let url = server(move |_| {
        let mut seen = market.borrow_mut();
        let now = Instant::now();
        let last = seen.granted.last();
        let is_early = last.is_some_and(|last| (now - *last) < Duration::from_secs(5));
        if is_early {
            seen.refused += 1;
            return vec![(0, form.refusal("5.0"))];
        }
        seen.granted.push(now);
        vec![(0, json(200, r#"{"offers":[],"volumes":[],"results":[]}"#))]
    })
    .await;
    let session = Session::new(client(&url), Pacer::default());
    let clock = Clock::default();
    let (request, started) = (request(resource), Instant::now());
    while started.elapsed() < Duration::from_mins(minutes) {
        let call = session.run(&request, |progress| clock.follow(&progress));
        // The key repeats every two seconds; a request that is sent is answered at once.
        tokio::select! {
            biased;
            _ = call => {}
            () = tokio::time::sleep(Duration::from_secs(2)) => {}
        }
        if is_forgetful {
            session.forget_pacing();
        }
        clock.run();
    }
    seen
}

#[test]
fn an_hour_of_held_refresh_meets_one_refusal() {
    assert_refused_once(&[(Form::Json, Resource::Offers), (Form::Text, Resource::Volumes)]);
}

#[test]
#[ignore = "long: an hour at each endpoint"]
fn an_hour_of_held_refresh_meets_one_refusal_for_each_endpoint() {
    let forms = [Form::Json, Form::Text].into_iter();
    let hours = forms.flat_map(|form| Resource::ALL.map(|resource| (form, resource)));
    assert_refused_once(&hours.collect::<Vec<_>>());
}

#[track_caller]
fn assert_refused_once(hours: &[(Form, Resource)]) {
    for (form, resource) in hours.iter().copied() {
        let seen = run(held(60, resource, form, false));
        let seen = seen.borrow();
        assert_eq!(seen.refused, 1, "{resource:?}");
        let granted = seen.granted.len();
        assert!((640..=655).contains(&granted), "{granted}: every 5.5 s");
        let least = seen.granted.windows(2).map(|two| two[1] - two[0]).min();
        assert!(least.unwrap() >= Duration::from_secs(5));
    }
}

#[test]
fn a_client_that_learns_nothing_is_found_out() {
    let seen = run(held(10, Resource::Offers, Form::Json, true));
    assert!(seen.borrow().refused > 15);
}

#[test]
fn after_an_absurd_threshold_the_next_search_comes_within_a_minute() {
    for threshold in ["5000", "61", "99999999999"] {
        run(async {
            let arrivals = Rc::new(RefCell::new(Vec::new()));
            let market = Rc::clone(&arrivals);
            let url = server(move |_| {
                market.borrow_mut().push(Instant::now());
                let is_first = market.borrow().len() == 1;
                let answer = if is_first {
                    Form::Json.refusal(threshold)
                } else {
                    json(200, r#"{"offers":[]}"#)
                };
                vec![(0, answer)]
            })
            .await;
            let session = Session::new(client(&url), Pacer::default());
            let clock = Clock::default();
            for _ in 0..3 {
                let result = session
                    .run(&request(Resource::Offers), |progress| {
                        clock.follow(&progress);
                    })
                    .await;
                assert!(matches!(result, Ok(Reply::Records(_))));
                clock.run();
            }
            let arrivals = arrivals.borrow();
            let gaps: Vec<_> = arrivals.windows(2).map(|two| (two[1] - two[0]).as_secs()).collect();
            assert_eq!(gaps, [60, 0, 0], "nothing is learned from it");
            assert!(session.learned().is_empty(), "nor remembered");
        });
    }
}

#[test]
fn a_search_that_waits_goes_on_when_the_limits_are_forgotten() {
    run(async {
        let url = server(|_| vec![(0, json(200, r#"{"offers":[]}"#))]).await;
        let mut pacer = Pacer::default();
        let request = request(Resource::Offers);
        let refusal: Result<(), _> = Err(ApiError::RateLimited {
            threshold: Some(5000.0),
            retry_after: None,
            said: bourse_client::ErrorBody::Nothing,
        });
        pacer.answered(request.operation(), MonotonicTime::new(0.0), &refusal);
        let session = Session::new(client(&url), pacer);
        let waits = RefCell::new(0);
        let call = session.run(&request, |progress| {
            *waits.borrow_mut() += usize::from(matches!(progress, Progress::Waiting { .. }));
        });
        let forget = async {
            tokio::task::yield_now().await;
            session.forget_pacing();
        };
        let (result, ()) = tokio::join!(call, forget);
        assert!(result.is_ok());
        assert_eq!(waits.into_inner(), 1);
    });
}
