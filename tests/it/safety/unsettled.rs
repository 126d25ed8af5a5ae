//! Writes of an earlier run whose outcome is unknown: told on the first frame, and not sent again
//! before somebody decides.

use bourse::api::{ApiError, Reply, Request};
use bourse::core::message::Effect;
use bourse::core::mutations::SendBlocked;
use bourse::core::sandbox::SandboxNotes;
use bourse::domain::Dialect;
use bourse::domain::journal::{Entry, Intent, Outcome, Verdict, WriteKind};
use bourse::domain::workergroup::NewWorkergroup;
use bourse::features::markets::RestoredState;

use crate::stories::groups::FOUR;
use crate::stories::unlist::says;
use crate::test_app::{START, TestApp};

const SEARCH: &str = "gpu_name=RTX_4090 verified=true rentable=true rented=false";

fn group(endpoint: &str) -> NewWorkergroup {
    NewWorkergroup {
        endpoint_name: Some(endpoint.to_owned()),
        search_params: Some(SEARCH.to_owned()),
        ..NewWorkergroup::default()
    }
}

fn entry(kind: WriteKind, subject: &str, group: Option<NewWorkergroup>) -> Entry {
    Entry {
        intent: Intent {
            key: format!("key-of-{subject}"),
            at: START - 120.0,
            profile: "test".to_owned(),
            address: "http://127.0.0.1:1".to_owned(),
            kind,
            subject: subject.to_owned(),
            group: group.map(Box::new),
            over_limit: None,
        },
        outcome: None,
    }
}

fn creation(endpoint: &str) -> Entry {
    entry(
        WriteKind::CreateWorkergroup,
        &format!("endpoint {endpoint}"),
        Some(group(endpoint)),
    )
}

fn ended(mut entry: Entry, verdict: Verdict) -> Entry {
    entry.outcome = Some(Outcome {
        key: entry.intent.key.clone(),
        at: START - 110.0,
        verdict,
        words: "no response within 60 s".to_owned(),
    });
    entry
}

/// A start with this history.
fn started(history: Vec<Entry>) -> TestApp {
    let mut desk = TestApp::prepared(&Dialect::DOCUMENTED, |model| {
        let restored = RestoredState {
            history,
            ..RestoredState::default()
        };
        model.unpack(restored, false);
    });
    desk.resize(90, 48);
    desk
}

/// Fills the form in and presses Create, whatever that leads to.
fn create(desk: &mut TestApp, endpoint: &str) {
    desk.keys("3");
    desk.calls.clear();
    desk.keys("n ctrl-u")
        .type_text(endpoint)
        .keys("enter enter enter enter");
    desk.type_text(SEARCH).keys("pgdn enter");
}

fn creations(desk: &TestApp) -> usize {
    let is_creation = |request: &Request| matches!(request, Request::CreateWorkergroup(_));
    desk.calls.iter().filter(|call| is_creation(&call.1)).count()
}

fn kept(desk: &TestApp) -> Vec<(&str, Verdict)> {
    let kept = desk.effects.iter().filter_map(|effect| match effect {
        Effect::KeepOutcome(outcome) => Some((outcome.key.as_str(), outcome.verdict)),
        _ => None,
    });
    kept.collect()
}

/// Answers the listing of workergroups.
fn list(desk: &mut TestApp, groups: &str) {
    let is_list = |request: &Request| *request == Request::ListWorkergroups;
    desk.calls.retain(|call| is_list(&call.1));
    desk.answer(groups);
}

#[test]
fn the_first_frame_tells_what_became_of_no_earlier_write() {
    let desk = started(vec![creation("chat")]);
    says(
        &desk,
        "Outcome unknown: the workergroup for endpoint chat, sent 2026-11-20 11:58 UTC, may or may \
         not exist. Decide with :resolve.",
    );
    let desk = started(vec![ended(creation("chat"), Verdict::Unknown)]);
    says(&desk, "Outcome unknown: the workergroup for endpoint chat");
    let desk = started(vec![entry(WriteKind::UnlistVolume, "4001", None)]);
    says(
        &desk,
        "Outcome unknown: volume listing 4001, sent 2026-11-20 11:58 UTC, may or may not be \
         unlisted. Check the market's console before you unlist it again.",
    );
    for verdict in [Verdict::Done, Verdict::Refused] {
        started(vec![ended(creation("chat"), verdict)]).expect_not("Outcome unknown");
    }
    // An unlisting that was told when it happened is in the history; nothing can be looked up.
    let reported = entry(WriteKind::UnlistVolume, "4001", None);
    started(vec![ended(reported, Verdict::Unknown)]).expect_not("Outcome unknown");
}

#[test]
fn what_was_sent_to_an_embedded_sandbox_ended_with_it_unless_it_is_saved() {
    let write = |is_sandbox: bool, unsaved: Option<&'static str>| {
        let desk = TestApp::prepared(&Dialect::DOCUMENTED, |model| {
            model.profile.is_sandbox = is_sandbox;
            let history = vec![
                creation("chat"),
                entry(WriteKind::UnlistVolume, "4001", None),
                ended(creation("done"), Verdict::Done),
                ended(entry(WriteKind::UnlistVolume, "4002", None), Verdict::Done),
            ];
            let restored = RestoredState {
                history,
                sandbox: SandboxNotes {
                    unsaved,
                    ..SandboxNotes::default()
                },
                ..RestoredState::default()
            };
            model.unpack(restored, false);
        });
        let history = &desk.model.mutations.history;
        history.iter().map(Entry::verdict).collect::<Vec<_>>()
    };
    use Verdict::{Done, Refused, Unknown};
    assert_eq!(write(false, None), [Unknown, Unknown, Done, Done]);
    assert_eq!(write(true, None), [Unknown, Refused, Done, Done]);
    let unsaved = Some("no home directory");
    assert_eq!(write(true, unsaved), [Refused, Refused, Done, Done]);
}

#[test]
fn a_requests_pane_tells_it_too() {
    let mut desk = TestApp::prepared(&Dialect::DOCUMENTED, |model| {
        let restored = RestoredState {
            history: vec![creation("chat")],
            ..RestoredState::default()
        };
        model.unpack(restored, false);
        model.pane = bourse::core::Pane::Requests;
    });
    desk.resize(120, 40);
    says(&desk, "Outcome unknown: the workergroup for endpoint chat");
}

#[test]
fn the_same_workergroup_is_not_created_again_before_somebody_decides() {
    for history in [
        vec![creation("chat")],
        vec![ended(creation("chat"), Verdict::Unknown)],
        // A journal of old holds no more than the endpoint.
        vec![entry(WriteKind::CreateWorkergroup, "endpoint chat", None)],
    ] {
        let mut desk = started(history);
        create(&mut desk, "chat");
        desk.expect("Outcome unknown").expect("You decide");
        desk.type_text("create").keys("enter");
        assert_eq!(creations(&desk), 0);
        list(&mut desk, FOUR);
        says(&desk, "No new workergroup matches");
        // To look again is a key.
        desk.keys("f5");
        assert_eq!(desk.asked(), &Request::ListWorkergroups);
        assert_eq!(kept(&desk), []);
    }
}

#[test]
fn another_workergroup_is_created_meanwhile() {
    let mut desk = started(vec![creation("chat")]);
    create(&mut desk, "other");
    desk.expect("Create this workergroup?");
    desk.type_text("create").keys("enter");
    assert_eq!(creations(&desk), 1);
}

#[test]
fn only_the_same_workergroup_of_an_endpoint_is_blocked() {
    let mut desk = started(Vec::new());
    let mut send = |new: NewWorkergroup, seconds: f64| {
        desk.now.mono += seconds;
        desk.now.epoch += seconds;
        desk.model.mutations.begin(WriteKind::CreateWorkergroup);
        let now = desk.now;
        let request = Request::CreateWorkergroup(new);
        let (sent, mut effects) = desk.model.lend(now, |cx| cx.send_write(request));
        sent?;
        match effects.remove(0) {
            Effect::Write { ticket, .. } => desk.reply(ticket, Err(ApiError::Lost)),
            other => panic!("{other:?}"),
        };
        Ok(())
    };
    assert_eq!(send(group("chat"), 0.0), Ok(()));
    assert_eq!(send(group("chat"), 60.0), Err(SendBlocked::Unsettled));
    let larger = NewWorkergroup {
        gpu_ram: Some(80),
        ..group("chat")
    };
    assert_eq!(send(larger.clone(), 60.0), Ok(()));
    assert_eq!(send(larger, 60.0), Err(SendBlocked::Unsettled));
}

#[test]
fn what_was_not_created_is_sent_again_after_the_decision() {
    let mut desk = started(vec![creation("chat")]);
    create(&mut desk, "chat");
    desk.type_text("none").keys("enter");
    assert_eq!(
        kept(&desk),
        [("key-of-endpoint chat", Verdict::Refused)],
        "for the next start"
    );
    desk.keys("pgdn enter").expect("Create this workergroup?");
    desk.type_text("create").keys("enter");
    assert_eq!(creations(&desk), 1);
}

#[test]
fn what_is_listed_or_known_to_be_created_is_not_sent() {
    let listed = FOUR.replace(
        "\"results\":[",
        &format!(
            r#""results":[{{"id":77,"endpoint_name":"chat","search_query":"{SEARCH}","created_at":"2026-11-20T11:58:01Z"}},"#
        ),
    );
    for (words, id) in [("mine", Some("77")), ("created", None)] {
        let mut desk = started(vec![creation("chat")]);
        create(&mut desk, "chat");
        list(&mut desk, &listed);
        says(&desk, "> 77 chat");
        desk.type_text(words).keys("enter");
        assert_eq!(kept(&desk), [("key-of-endpoint chat", Verdict::Done)]);
        let outcome = desk.model.mutations.history[0].outcome.clone().unwrap();
        assert_eq!(outcome.words.contains("as 77"), id.is_some());
        assert_eq!(creations(&desk), 0);
        desk.expect_not("may or may not exist");
    }
}

#[test]
fn the_palette_leads_to_the_decision_without_a_draft() {
    let mut desk = started(vec![creation("chat"), creation("other")]);
    desk.keys(":").type_text("resolve").keys("enter");
    says(&desk, "A workergroup for endpoint chat");
    desk.type_text("none").keys("enter");
    desk.expect_not("endpoint chat, sent");
    says(&desk, "the workergroup for endpoint other, sent");
    desk.keys(":").type_text("resolve").keys("enter");
    desk.type_text("created").keys("enter");
    desk.keys(":").type_text("resolve").keys("enter");
    desk.expect("No creation has an unknown outcome");
    assert_eq!(kept(&desk).len(), 2);
}

#[test]
fn an_unlisting_that_was_read_is_not_told_again() {
    let mut desk = started(vec![creation("chat"), entry(WriteKind::UnlistVolume, "4001", None)]);
    desk.calls.clear();
    desk.keys("esc esc").expect_not("Outcome unknown");
    assert_eq!(kept(&desk), [("key-of-4001", Verdict::Unknown)]);
    // The creation stays undecided.
    create(&mut desk, "chat");
    desk.expect("You decide");
}

#[test]
fn a_decision_in_the_same_run_is_kept_too() {
    let mut desk = started(Vec::new());
    create(&mut desk, "chat");
    desk.type_text("create").keys("enter");
    let is_creation = |request: &Request| matches!(request, Request::CreateWorkergroup(_));
    let place = desk.calls.iter().position(|call| is_creation(&call.1));
    let (ticket, _) = desk.calls.remove(place.unwrap());
    desk.reply(ticket, Err(ApiError::Lost));
    desk.type_text("none").keys("enter");
    assert_eq!(kept(&desk).len(), 1);
    let history = &desk.model.mutations.history;
    assert_eq!(history[0].verdict(), Verdict::Refused);
    assert_eq!(kept(&desk)[0].0, history[0].intent.key);
}

#[test]
fn launch_arguments_are_not_kept() {
    let mut desk = started(Vec::new());
    let new = NewWorkergroup {
        launch_args: Some("--env TOKEN=canary-5512".to_owned()),
        ..group("chat")
    };
    desk.model.mutations.begin(WriteKind::CreateWorkergroup);
    let request = Request::CreateWorkergroup(new.clone());
    let (sent, mut effects) = desk.model.lend(desk.now, |cx| cx.send_write(request));
    sent.unwrap();
    let Effect::Write { intent, ticket, .. } = effects.remove(0) else {
        panic!("no write");
    };
    let line = serde_json::to_string(&intent).unwrap();
    assert!(!line.contains("canary-5512"), "{line}");
    let read: Intent = serde_json::from_str(&line).unwrap();
    assert_eq!(read, intent);
    assert!(read.is_creation_of(&new));
    assert!(!read.is_creation_of(&group("other")));
    // An answer closes it.
    desk.reply(ticket, Ok(Reply::Created { id: 7 }));
    assert_eq!(desk.model.mutations.unsettled().count(), 0);
}
