//! An outage: reads are tried three times at most, writes once, and watching finds the way back.

use std::cell::{Cell, RefCell};
use std::net::TcpListener;
use std::rc::Rc;
use std::time::Duration;

use bourse_client::{ApiError, Pacer, Progress, Reply, Request, RouteCall, Session};

use bourse_domain::workergroup::NewWorkergroup;
use bourse_domain::{Query, Resource};
use tokio::time::Instant;

use crate::recorder::json;
use crate::virtual_time::{Clock, client, run, server_at};

/// An address where nobody listens.
fn nobody() -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

/// Sends a request on a clock that jumps over pauses; its result and how often it was sent.
async fn sent(session: &Session, request: &Request, clock: &Clock) -> (Result<Reply, ApiError>, u32) {
    let attempts = Cell::new(0);
    let result = session
        .run(request, |progress| {
            if matches!(progress, Progress::Sent { .. }) {
                attempts.set(attempts.get() + 1);
            }
            clock.follow(&progress);
        })
        .await;
    (result, attempts.get())
}

fn writes() -> [Request; 3] {
    [
        Request::UnlistVolume { id: 5 },
        Request::CreateWorkergroup(NewWorkergroup::default()),
        Request::Route(RouteCall {
            endpoint: "chat".to_owned(),
            cost: 1.0,
            key: None,
            place: None,
        }),
    ]
}

#[test]
fn ten_minutes_without_a_market() {
    run(async {
        let address = nobody();
        let session = Session::new(client(&format!("http://{address}")), Pacer::default());
        let clock = Clock::default();
        let search = Request::Search(Query::empty(Resource::Offers));
        let (started, outage) = (Instant::now(), Duration::from_mins(10));
        let (mut searches, mut attempts) = (0, 0);
        while started.elapsed() < outage {
            let (result, tries) = sent(&session, &search, &clock).await;
            assert!(matches!(result, Err(ApiError::NotConnected { .. })));
            assert!(tries <= 3, "{tries}");
            searches += 1;
            attempts += tries;
            for write in writes() {
                let (result, tries) = sent(&session, &write, &clock).await;
                assert!(result.is_err());
                assert_eq!(tries, 1, "{write:?}");
            }
            // As a watched search does.
            clock.jump();
            tokio::time::sleep(Duration::from_secs_f64(30.0)).await;
            clock.run();
        }
        assert!((15..=20).contains(&searches), "{searches}");
        assert_eq!(attempts, searches * 3, "each was tried again");

        let seen = Rc::new(RefCell::new(0));
        let count = Rc::clone(&seen);
        let back = Instant::now();
        server_at(address, move |_| {
            *count.borrow_mut() += 1;
            vec![(0, json(200, r#"{"offers":[]}"#))]
        })
        .await;
        clock.jump();
        tokio::time::sleep(Duration::from_secs_f64(30.0)).await;
        clock.run();
        let (result, _) = sent(&session, &search, &clock).await;
        assert!(result.is_ok(), "{result:?}");
        assert!(back.elapsed() <= Duration::from_secs(35));
        assert_eq!(*seen.borrow(), 1);
    });
}

#[test]
fn a_market_that_fails_is_asked_three_times_for_a_read_and_once_for_a_write() {
    for status in [500, 502, 503, 504, 429] {
        run(async {
            let seen = Rc::new(RefCell::new(0));
            let count = Rc::clone(&seen);
            let address = nobody();
            server_at(address, move |_| {
                *count.borrow_mut() += 1;
                vec![(0, json(status, r#"{"msg":"later"}"#))]
            })
            .await;
            let session = Session::new(client(&format!("http://{address}")), Pacer::default());
            let clock = Clock::default();
            let search = Request::Search(Query::empty(Resource::Offers));
            assert!(sent(&session, &search, &clock).await.0.is_err());
            assert_eq!(seen.replace(0), 3, "{status}");
            for write in writes() {
                clock.run();
                assert!(sent(&session, &write, &clock).await.0.is_err());
                assert_eq!(seen.replace(0), 1, "{status} {write:?}");
            }
        });
    }
}
