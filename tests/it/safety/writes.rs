//! The clock of writes: how long one is in flight, and the pause before the next one.

use std::time::Duration;

use bourse::api::{ApiError, ErrorBody, Reply, Request};
use bourse::core::mutations::{Mutations, SendBlocked, Stage, sentence};
use bourse::core::{Now, Ticket};
use bourse::domain::journal::{Entry, Intent, Outcome, Verdict, WriteKind};
use bourse::domain::time::MonotonicTime;
use bourse::domain::workergroup::NewWorkergroup;
use bourse::domain::{Dialect, Untrusted};

use crate::test_app::START;

const UNLIST: Request = Request::UnlistVolume { id: 7 };

/// So many seconds after the start.
fn at(seconds: f64) -> Now {
    Now {
        mono: MonotonicTime::new(seconds),
        epoch: START + seconds,
    }
}

fn send(mutations: &mut Mutations, now: Now) -> Result<(), SendBlocked> {
    let profile = crate::test_app::profile(&Dialect::DOCUMENTED);
    mutations.begin(WriteKind::UnlistVolume);
    let sent = mutations.send(UNLIST, &profile, Ticket(1), now);
    sent.map(drop)
}

fn answer(mutations: &mut Mutations, now: Now, result: Result<Reply, ApiError>) -> Verdict {
    let completed = mutations.complete(WriteKind::UnlistVolume, &result, now);
    completed.unwrap().verdict
}

fn done() -> Result<Reply, ApiError> {
    let msg = Untrusted::from("Unlisted Volume 7.");
    Ok(Reply::Unlisted { msg })
}

/// A write of an earlier run, sent and answered at these moments.
fn past(kind: WriteKind, sent: f64, answered: Option<f64>) -> Entry {
    let key = "earlier".to_owned();
    Entry {
        outcome: answered.map(|seconds| Outcome {
            key: key.clone(),
            at: START + seconds,
            verdict: Verdict::Done,
            words: String::new(),
        }),
        intent: Intent {
            key,
            at: START + sent,
            profile: "test".to_owned(),
            address: "http://127.0.0.1:1".to_owned(),
            kind,
            subject: "7".to_owned(),
            group: None,
            over_limit: None,
        },
    }
}

#[test]
fn a_write_in_flight_counts_whole_seconds_since_it_was_sent() {
    let mut mutations = Mutations::default();
    assert_eq!(mutations.deadline(at(0.0)), None);
    send(&mut mutations, at(10.25)).unwrap();
    for (now, next) in [
        (10.25, 11.25),
        (10.5, 11.25),
        (11.0, 11.25),
        (11.25, 12.25),
        (39.5, 40.25),
    ] {
        assert_eq!(mutations.deadline(at(now)), Some(MonotonicTime::new(next)), "{now}");
    }
    answer(&mut mutations, at(40.0), done());
    assert_eq!(mutations.deadline(at(40.0)), None);
}

#[test]
fn the_documented_five_seconds_pass_between_two_unlistings() {
    let mut mutations = Mutations::default();
    let kind = WriteKind::UnlistVolume;
    assert_eq!(mutations.ready_in(kind, at(10.0)), 0.0);
    send(&mut mutations, at(10.0)).unwrap();
    assert_eq!(answer(&mut mutations, at(11.0), done()), Verdict::Done);
    for (now, wait, changes) in [
        (11.0, 5.0, Some(12.0)),
        (12.5, 3.5, Some(13.0)),
        (13.0, 3.0, Some(14.0)),
        (15.75, 0.25, Some(16.0)),
        (16.0, 0.0, None),
        (99.0, 0.0, None),
    ] {
        assert_eq!(mutations.ready_in(kind, at(now)), wait, "{now}");
        assert_eq!(
            mutations.countdown(kind, at(now)),
            changes.map(MonotonicTime::new),
            "{now}"
        );
        let blocked = (wait > 0.0).then_some(SendBlocked::TooEarly(wait));
        if blocked.is_some() {
            assert_eq!(send(&mut mutations, at(now)).err(), blocked, "{now}");
        }
        let create = WriteKind::CreateWorkergroup;
        assert_eq!(mutations.ready_in(create, at(now)), 0.0);
    }
    // However little is left, the screen does not wake in a loop.
    let changes = mutations.countdown(kind, at(15.999)).unwrap();
    assert!((changes.seconds() - 16.019).abs() < 1e-6, "{changes:?}");
    assert_eq!(send(&mut mutations, at(16.0)), Ok(()));
}

#[test]
fn the_pause_counts_from_a_write_of_an_earlier_run() {
    let unlist = WriteKind::UnlistVolume;
    for (history, wait) in [
        (past(unlist, -9.0, Some(-2.0)), 3.0),
        (past(unlist, -9.0, Some(0.0)), 5.0),
        (past(unlist, -9.0, Some(-5.0)), 0.0),
        (past(unlist, -4.0, None), 1.0),
        (past(unlist, -6.0, None), 0.0),
        // The clock was set back: nothing can be expected from it.
        (past(unlist, 60.0, None), 0.0),
        (past(WriteKind::CreateWorkergroup, -1.0, Some(-1.0)), 0.0),
    ] {
        let mut mutations = Mutations::default();
        mutations.history = vec![past(unlist, -60.0, Some(-59.0)), history];
        assert_eq!(mutations.ready_in(unlist, at(0.0)), wait);
    }
}

#[test]
fn the_market_s_message_is_told_where_it_says_more_than_the_headline() {
    for (msg, expected) in [
        ("Unlisted Volume 7.", "Volume listing 7 unlisted."),
        ("Gone at noon", "Volume listing 7 unlisted: Gone at noon"),
        (" \n", "Volume listing 7 unlisted: (the market sent no message)"),
    ] {
        let mut mutations = Mutations::default();
        send(&mut mutations, at(0.0)).unwrap();
        let msg = Untrusted::from(msg);
        let reply = Ok(Reply::Unlisted { msg });
        let completed = mutations.complete(WriteKind::UnlistVolume, &reply, at(1.0));
        assert_eq!(sentence(&completed.unwrap()), expected);
    }
}

#[test]
fn a_refusal_that_asks_for_a_longer_pause_gets_it() {
    let mut mutations = Mutations::default();
    send(&mut mutations, at(0.0)).unwrap();
    let refused = ApiError::RateLimited {
        threshold: None,
        retry_after: Some(Duration::from_secs(30)),
        said: ErrorBody::Words {
            code: None,
            message: Some(Untrusted::from("too many requests")),
        },
    };
    let verdict = answer(&mut mutations, at(2.0), Err(refused));
    assert_eq!(verdict, Verdict::Refused);
    let wait = mutations.ready_in(WriteKind::UnlistVolume, at(2.0));
    assert_eq!(wait, 30.0);
    mutations.forget_limits();
    let wait = mutations.ready_in(WriteKind::UnlistVolume, at(2.0));
    assert_eq!(wait, 5.0);
}

#[test]
fn a_write_that_was_cancelled_needs_another_confirmation() {
    let profile = crate::test_app::profile(&Dialect::DOCUMENTED);
    let kind = WriteKind::UnlistVolume;
    let mut mutations = Mutations::default();
    mutations.begin(kind);
    mutations.dismiss(kind);
    assert!(matches!(mutations.stage(kind), Stage::Idle));
    let sent = mutations.send(UNLIST, &profile, Ticket(1), at(0.0));
    assert_eq!(sent, Err(SendBlocked::NotConfirmed));
    // One that is sent already goes on.
    assert_eq!(send(&mut mutations, at(1.0)), Ok(()));
    mutations.dismiss(kind);
    assert!(mutations.in_flight(kind).is_some());
    assert_eq!(answer(&mut mutations, at(2.0), done()), Verdict::Done);
}

#[test]
fn of_two_writes_in_flight_each_gets_its_own_outcome() {
    let profile = crate::test_app::profile(&Dialect::DOCUMENTED);
    let mut mutations = Mutations::default();
    let new = NewWorkergroup {
        endpoint_name: Some("chat".to_owned()),
        ..NewWorkergroup::default()
    };
    mutations.begin(WriteKind::CreateWorkergroup);
    let create = Request::CreateWorkergroup(new.clone());
    let sent = mutations.send(create, &profile, Ticket(2), at(0.0));
    assert!(sent.is_ok(), "{sent:?}");
    assert_eq!(send(&mut mutations, at(1.0)), Ok(()));
    let created = Ok(Reply::Created { id: 41 });
    mutations.complete(WriteKind::CreateWorkergroup, &created, at(2.0));
    let lost = Err(ApiError::Lost);
    assert_eq!(answer(&mut mutations, at(3.0), lost), Verdict::Unknown);
    let outcomes: Vec<_> = mutations.history.iter().map(Entry::verdict).collect();
    assert_eq!(outcomes, [Verdict::Done, Verdict::Unknown]);
    // The same workergroup can be created again: the first one is no longer open.
    assert!(mutations.unsettled_like(&new).is_none());
}
