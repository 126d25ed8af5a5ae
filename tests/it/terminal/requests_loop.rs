//! The Requests pane over real HTTP: what leaves, and that no key is ever seen.

use bourse::api::{Operation, RawSearch, Request};
use bourse::core::message::{Effect, Message};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use crate::recorder::{Recorder, json};
use crate::terminal::memory::{self, Person};
use crate::test_app::{THREE, TestApp};

const CANARY: &str = "canary/0123456789+abc";

fn dashboard(recorder: &Recorder) -> (Person, std::thread::JoinHandle<i32>) {
    memory::dashboard(&recorder.url(), CANARY, true)
}

fn control(person: &Person, letter: char) {
    let key = KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
    person.keys.send(Event::Key(key)).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_goes_out_again_once_and_changed_once() {
    let recorder = Recorder::always(json(200, THREE));
    let (person, ended) = dashboard(&recorder);
    person.sees("RTX 4090").await;
    person.types("4");
    person.sees("All 1").await;
    person.types("r");
    person.sees("Response received: search offers").await;
    person.sees("All 2").await; // the selection stays on the first one
    person.types("f");
    person.sees("Valid JSON").await;
    person.press(KeyCode::Right);
    person.types("\"canary\": 1,");
    control(&person, 's');
    person.sees("All 3").await;
    person.press(KeyCode::Char('q'));
    ended.join().unwrap();
    let requests = recorder.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|own| own.path == "/api/v0/bundles/"));
    assert_eq!(requests[0].body, requests[1].body, "byte by byte");
    let mut changed = requests[0].json();
    changed["canary"] = 1.into();
    assert_eq!(requests[2].json(), changed);
    let bearer = format!("Bearer {CANARY}");
    for request in &requests {
        assert_eq!(request.header("authorization"), Some(bearer.as_str()));
    }
}

/// A market that says everything that it was told, and a person who types the key into a body.
#[tokio::test]
async fn no_key_is_in_any_entry_screen_copy_or_archive() {
    let recorder = Recorder::start(|_, request| {
        let echo = serde_json::json!({
            "offers": [], "api_key": CANARY, "echo": request.json()["gpu_name"],
            "header": request.header("authorization"), "auth_note": "canary-other-secret",
        });
        json(200, &echo.to_string())
    });
    let client = memory::client(&recorder.url(), CANARY);
    let body = format!(r#"{{"gpu_name":{{"eq":"{CANARY}"}},"my_token":"canary-typed"}}"#);
    let raw = RawSearch::new(Operation::SearchOffers, &body).unwrap();
    assert!(!format!("{raw:?}").contains("canary"));
    let entry = client.call(&Request::Raw(raw)).await.record;
    let sent = String::from_utf8(recorder.only().body).unwrap();
    assert!(sent.contains(CANARY), "what was typed is what was sent");
    assert!(!format!("{entry:?}").contains(CANARY), "{entry:?}");
    let mut desk = TestApp::with_offers(THREE);
    desk.send(Message::Recorded {
        ticket: None,
        entry: Box::new(entry),
    });
    let mut seen = Vec::new();
    desk.resize(300, 80).keys("4");
    seen.push(desk.screen());
    desk.keys("enter").expect("API key sent").expect("\"echo\"");
    seen.push(desk.screen());
    for letter in ["c", "b", "a", "u"] {
        desk.keys("y").keys(letter);
        seen.push(format!("{:?}", desk.effects.last().unwrap()));
    }
    assert!(seen[2].contains("$BOURSE_API_KEY"), "{}", seen[2]);
    desk.keys("f").expect("Edit and send: search offers");
    seen.push(desk.screen());
    desk.keys("esc e enter");
    let Some(Effect::Export { content, .. }) = desk.effects.last() else {
        panic!("{}", desk.screen())
    };
    let content = content.text().into_owned();
    assert!(content.contains("Bearer <removed>"), "{content}");
    seen.push(content);
    desk.keys("esc esc /")
        .type_text("canary")
        .expect("The only request doesn't match “canary”");
    for text in seen {
        assert!(!text.contains("canary"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_given_up_is_listed_too() {
    let (release, held) = std::sync::mpsc::channel::<()>();
    let recorder = Recorder::start(move |number, _| {
        if number == 0 {
            let _ = held.recv(); // until the test lets go
        }
        json(200, THREE)
    });
    let (person, ended) = dashboard(&recorder);
    person.sees("Loading offers").await;
    while recorder.requests().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    person.press(KeyCode::Esc);
    person.sees("Request cancelled").await;
    person.types("4");
    person.sees("cancelled before the response").await;
    drop(release);
    person.types("r");
    person.sees("Response received: search offers").await;
    person.sees("200 OK").await;
    person.press(KeyCode::Char('q'));
    ended.join().unwrap();
    assert_eq!(recorder.requests().len(), 2);
}
