//! Every view and every key on rows, replies, errors and files that hold every forbidden character: the
//! screen shows none of them, and shows that they are there.

use bourse::core::message::News;
use bourse::core::message::Routed;
use std::time::Duration;

use bourse::api::error::ErrorBody;
use bourse::api::ledger::LedgerEntry;
use bourse::api::wire::Method;
use bourse::api::{ApiError, Assignment, Operation, Reply, Request, RouteReply};
use bourse::core::message::{EffectError, Message};
use bourse::domain::saved::Searches;
use bourse::domain::{Catalog, Dialect, Listing, OFFERS, Resource, Untrusted, VOLUMES, WORKERGROUPS};
use bourse::keys::{Action, BINDINGS, Binding};
use bourse::tui::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::text::Line;
use ratatui::widgets::Widget as _;
use serde_json::json;

use super::commands::record;
use super::{forbidden, hostile_texts};
use crate::cases::cases;
use crate::stories::unlist::says;
use crate::test_app::{START, TestApp};

/// What stands in a cell that a view filled with what no cell may hold.
const REFUSED: char = '\u{fffd}';

/// What is wrong with a screen.
fn fault(screen: &str) -> Option<String> {
    if let Some(one) = forbidden(screen) {
        return Some(format!("{one:?} is on the screen"));
    }
    if screen.contains(REFUSED) {
        return Some("a cell had to be refused".to_owned());
    }
    screen.contains("ΩΩ").then(|| "a character is lost".to_owned())
}

#[track_caller]
fn assert_clean(desk: &TestApp, what: &str) {
    let screen = desk.screen();
    assert_eq!(fault(&screen), None, "{what}:\n{screen}");
}

/// Hostile text number `turn`, and those behind it.
fn text(turn: usize) -> String {
    let texts = hostile_texts();
    texts[turn % texts.len()].clone()
}

/// Records of a catalog with figures beside their hostile texts, the one of text `turn` first.
fn answer(catalog: &'static Catalog, turn: usize) -> String {
    let id = match catalog.resource {
        Resource::Volumes => "ask_contract_id",
        Resource::Offers | Resource::Workergroups => "id",
    };
    let texts = hostile_texts();
    let shown = |place: usize| {
        let place = (turn + place) % texts.len();
        let mut record = record(catalog, id, place, &texts[place]);
        for (name, value) in [
            ("num_gpus", json!(2)),
            ("gpu_ram", json!(24_000)),
            ("dlperf", json!(9.5)),
            ("storage_cost", json!(0.1)),
            ("disk_space", json!(500)),
            ("rentable", json!(true)),
            ("machine_id", json!(7)),
            ("host_id", json!(8)),
            ("inet_down", json!(100)),
        ] {
            record[name] = value;
        }
        record
    };
    let records: Vec<_> = (0..6).map(shown).collect();
    json!({ catalog.list_key: records }).to_string()
}

/// Answers what was asked, and what that leads to, with hostile records and replies.
fn answer_all(desk: &mut TestApp, turn: usize) {
    for _ in 0..8 {
        let Some((ticket, request)) = desk.calls.first().cloned() else {
            return;
        };
        let catalog = match &request {
            Request::Search(query) if query.resource == Resource::Volumes => &VOLUMES,
            Request::Search(_) => &OFFERS,
            Request::ListWorkergroups => &WORKERGROUPS,
            Request::Route(_) => {
                desk.calls.remove(0);
                let reply = Routed {
                    sent: desk.now.mono,
                    ended: desk.now.mono + 0.1,
                    bytes: 500,
                    response: Ok(routed(turn)),
                    called: None,
                };
                desk.tell(ticket, News::Routed(Box::new(reply)));
                continue;
            }
            Request::UnlistVolume { .. } | Request::CreateWorkergroup(_) | Request::Raw(_) => {
                return;
            }
        };
        desk.calls.remove(0);
        let listing = Listing::read(catalog, answer(catalog, turn), desk.now.epoch).unwrap();
        desk.reply(ticket, Ok(Reply::Records(Box::new(listing))));
    }
}

fn routed(turn: usize) -> Reply {
    let text = text(turn);
    let json = Untrusted::from(
        json!({"endpoint": text, "url": text, "cost": 100, "reqnum": 1, "signature": text, "more": [text]}).to_string(),
    );
    if turn.is_multiple_of(2) {
        return Reply::Routed(RouteReply::Waiting { json });
    }
    let own = || Untrusted::from(text.as_str());
    Reply::Routed(RouteReply::Assigned(Assignment {
        endpoint: Some(own()),
        url: own(),
        cost: Some(100.0),
        reqnum: Some(1),
        signature: Some(own()),
        request_idx: None,
        request_id: Some(own()),
        mismatches: Vec::new(),
        json,
    }))
}

fn refusal(turn: usize) -> ApiError {
    let own = || Some(Untrusted::from(text(turn)));
    ApiError::Refused {
        status: 400 + (turn % 100) as u16,
        said: match turn % 2 {
            0 => ErrorBody::Words {
                code: own(),
                message: own(),
            },
            _ => ErrorBody::Page { title: own() },
        },
    }
}

fn entry(turn: usize, body: String) -> LedgerEntry {
    LedgerEntry {
        at: START,
        operation: Operation::SearchOffers,
        method: Method::Post,
        url: format!("http://127.0.0.1:1/{}", text(turn)),
        with_key: true,
        request: Some(json!({ "gpu_name": { "eq": text(turn) } }).to_string()),
        status: Some(400),
        took: Duration::from_millis(31),
        bytes_sent: 10,
        bytes_received: body.len(),
        attempt: 1,
        waited: Duration::ZERO,
        response: Some(Untrusted::from(body)),
        response_cut: turn.is_multiple_of(3),
        error: Some(text(turn)),
        sandbox_fault: Some(Untrusted::from(text(turn))),
    }
}

/// A dashboard whose files, market and replies are hostile, with the offers there.
fn offers(turn: usize) -> TestApp {
    let text = text(turn);
    let searches = json!({"saved": [{"name": text, "note": text, "resource": "offers", "order": text,
        "query": format!("gpu_name=\"{text}\"")}, {"name": "x", "resource": "offers", "query": text}]});
    let searches: Searches = serde_json::from_value(searches).unwrap();
    let mut desk = TestApp::prepared(&Dialect::SANDBOX, |model| {
        model.restore(None, searches, false);
        model.state.profile.name.clone_from(&text);
        model.state.notices.push(text.clone());
    });
    answer_all(&mut desk, turn);
    desk
}

fn volumes(turn: usize) -> TestApp {
    let mut desk = offers(turn);
    desk.keys("2");
    answer_all(&mut desk, turn);
    desk
}

fn groups(turn: usize) -> TestApp {
    let mut desk = offers(turn);
    desk.keys("3");
    answer_all(&mut desk, turn);
    desk
}

fn requests(turn: usize) -> TestApp {
    let mut desk = offers(turn);
    let own = text(turn);
    for body in [json!({ "msg": own, own.clone(): 1 }).to_string(), own] {
        let entry = Box::new(entry(turn, body));
        desk.send(Message::Recorded { ticket: None, entry });
    }
    desk.keys("4");
    desk
}

fn failed(turn: usize) -> TestApp {
    let mut desk = offers(turn);
    desk.keys("r").fail(refusal(turn));
    desk
}

fn route_lab(turn: usize) -> TestApp {
    let mut desk = groups(turn);
    desk.keys("t enter");
    answer_all(&mut desk, turn);
    desk
}

fn clone_form(turn: usize) -> TestApp {
    let mut desk = groups(turn);
    desk.keys("C");
    answer_all(&mut desk, turn);
    desk
}

fn confirmation(turn: usize) -> TestApp {
    let mut desk = clone_form(turn);
    desk.keys("pgdn enter");
    answer_all(&mut desk, turn);
    desk
}

type Base = (&'static str, fn(usize) -> TestApp);

const BASES: [Base; 8] = [
    ("offers", offers),
    ("volumes", volumes),
    ("groups", groups),
    ("requests", requests),
    ("failed", failed),
    ("route lab", route_lab),
    ("clone", clone_form),
    ("confirmation", confirmation),
];

/// What is pressed in whatever a key has opened.
const INSIDE: [&str; 5] = ["down enter", "tab", "right space", "/ o", "esc"];

/// The keys that mean something in a view.
fn keys_of(desk: &TestApp) -> Vec<(&'static Binding, &'static str)> {
    let contexts = desk.model.contexts();
    let leaves = |action| {
        matches!(
            action,
            Action::Quit | Action::QuitNow | Action::Suspend | Action::Redraw
        )
    };
    BINDINGS
        .iter()
        .filter(|row| contexts.contains(&row.context) && !leaves(row.action))
        .filter_map(|row| row.keys.first().map(|key| (row, *key)))
        .collect()
}

/// Tries the keys of a view, each on a dashboard of its own, and looks at all that follows.
fn try_keys((name, base): Base, mut picks: impl FnMut(&Binding) -> bool) {
    let first = base(0);
    assert_clean(&first, name);
    let mut keys = keys_of(&first);
    keys.retain(|(row, _)| picks(row));
    for (turn, (row, key)) in keys.into_iter().enumerate() {
        let mut desk = base(turn);
        let mut pressed = format!("{name}, text {turn}: {key} ({})", row.name);
        desk.keys(key);
        answer_all(&mut desk, turn);
        assert_clean(&desk, &pressed);
        for inside in INSIDE {
            pressed = format!("{pressed} {inside}");
            for key in inside.split(' ') {
                desk.keys(key);
                assert_clean(&desk, &pressed);
            }
            answer_all(&mut desk, turn);
            assert_clean(&desk, &pressed);
        }
    }
}

#[test]
fn every_key_shows_hostile_texts_visibly_in_the_first_view_that_has_it() {
    let (mut tried, step) = (Vec::new(), cases(4, 1));
    for base in BASES {
        try_keys(base, |row| {
            let is_new = !tried.contains(&row.action);
            if is_new {
                tried.push(row.action);
            }
            is_new && tried.len() % step == 0
        });
    }
}

#[test]
#[ignore = "long: hundreds of dashboards"]
fn every_key_of_every_view_shows_hostile_texts_visibly() {
    for base in BASES {
        try_keys(base, |_| true);
    }
}

#[test]
fn every_hostile_text_is_visible_in_every_view_at_every_size() {
    for turn in 0..hostile_texts().len() {
        let (name, base) = BASES[turn % BASES.len()];
        let mut desk = base(turn);
        for (columns, rows) in [(60, 16), (120, 40), (200, 60)] {
            desk.resize(columns, rows);
            assert_clean(&desk, &format!("{name}, text {turn}, {columns}x{rows}"));
        }
    }
}

#[test]
fn a_hostile_text_in_the_table_is_named() {
    let mut desk = offers(0);
    desk.resize(200, 50).expect("Ω<U+0000>Ω<U+001F>Ω<U+007F>Ω");
    // From the summary into the query, and from there to the market as it came.
    let offer = json!({"id": 1, "gpu_name": text(0), "dph_total": 0.5});
    let mut desk = TestApp::with_offers(&json!({ "offers": [offer] }).to_string());
    desk.keys("m enter").expect("/ Ω<U+0000>Ω<U+001F>Ω<U+007F>Ω · verified");
    let Request::Search(query) = desk.asked() else {
        panic!("{:?}", desk.asked())
    };
    let wire = bourse::api::wire::encode(&Request::Search(query.clone()), &Dialect::DOCUMENTED);
    let body = wire.body.unwrap().to_string();
    assert!(body.contains(&json!(text(0)).to_string()), "{body}");
}

/// Types and pastes each text at every `step`th place where one types, another one for each text.
fn type_and_paste(step: usize) {
    const PLACES: [&str; 14] = [
        "/", "f", "s", "c", "o", "J", "b", ":", "?", "e", "enter /", "3 n", "3 t", "M n",
    ];
    for (turn, own) in hostile_texts().into_iter().enumerate().step_by(step.min(3)) {
        for keys in PLACES.into_iter().skip(turn % step).step_by(step) {
            let mut desk = TestApp::with_offers(crate::test_app::THREE);
            desk.keys(keys);
            // A terminal without bracketed paste sends it as keys; controls are keys of their own.
            let typed: String = own.chars().filter(|one| !one.is_control()).collect();
            desk.type_text(&typed.replace("ΩΩ", "Q"));
            assert_clean(&desk, &format!("{keys}, typed {turn}"));
            let mut desk = TestApp::with_offers(crate::test_app::THREE);
            desk.keys(keys).paste(&own);
            let screen = desk.screen();
            assert_eq!(forbidden(&screen), None, "{keys}, pasted {turn}:\n{screen}");
            assert!(!screen.contains(REFUSED), "{keys}, pasted {turn}:\n{screen}");
            if screen.contains("ΩΩ") {
                assert!(screen.contains("left out"), "{keys}, pasted {turn}:\n{screen}");
            }
        }
    }
}

#[test]
fn typed_and_pasted_characters_are_visible_or_refused_with_a_reason() {
    type_and_paste(cases(14, 1));
}

/// Tells each text in every `step`th way, another one for each text.
fn tell(step: usize) {
    for turn in 0..hostile_texts().len() {
        let own = text(turn);
        let messages = [
            Message::Report(Err(EffectError::new(own.clone()))),
            Message::Report(Ok(own.clone())),
            Message::NotSaved(own.clone()),
            Message::Reconfigured(Err(EffectError::new(own.clone()))),
            Message::Report(Err(EffectError::new(own.clone()))),
        ];
        for message in messages.into_iter().skip(turn % step).step_by(step) {
            let mut desk = offers(turn);
            let what = format!("{message:?}");
            desk.send(message);
            desk.resize(120, 40);
            assert_clean(&desk, &what);
        }
    }
}

#[test]
fn what_the_outside_tells_is_shown_visibly() {
    tell(cases(6, 1));
}

/// What asks for a decision is plain ASCII: no letter of another script passes for one of ours.
#[test]
fn what_is_confirmed_is_plain_ascii() {
    let alike = "сhаt \u{202e}evil é 漢";
    let mut desk = groups(0);
    desk.keys("n").type_text(alike);
    desk.keys("enter enter enter enter")
        .type_text("gpu_name=RTX_4090")
        .keys("pgdn enter");
    desk.resize(120, 40).expect("Create this workergroup?");
    says(&desk, "<U+0441>h<U+0430>t <U+202E>evil <U+00E9> <U+6F22>");
    says(&desk, r#""endpoint_name":"\u0441h\u0430t \u202eevil \u00e9 \u6f22"#);
}

/// The checks above would find a view that draws a text as it is: in a cell, or with characters that
/// the drawing library leaves out.
#[test]
fn a_view_that_draws_a_text_as_it_is_would_be_found() {
    for own in hostile_texts().into_iter().take(super::samples().len() / 3) {
        let mut buffer = Buffer::empty(ratatui::layout::Rect::new(0, 0, 80, 1));
        Line::raw(own.as_str()).render(buffer.area, &mut buffer);
        let screen = |buffer: &Buffer| -> String {
            let cells = buffer.content.iter();
            cells.map(ratatui::buffer::Cell::symbol).collect()
        };
        let raw = fault(&screen(&buffer));
        bourse::tui::finish::finish(&mut buffer, &Theme::MONO);
        let refused = screen(&buffer);
        assert!(raw.is_some(), "{own:?}");
        assert!(fault(&refused).is_some(), "{own:?}");
        // Whatever a view does, no forbidden character gets out.
        assert_eq!(forbidden(&refused), None, "{refused:?}");
    }
}
