//! Unlisting: nothing is sent without the exact id, typed twice; and Enter alone does nothing that
//! cannot be undone.

use bourse::api::{ApiError, Reply, Request};
use bourse::core::Pane;
use bourse::core::message::{Effect, Message};
use bourse::domain::Untrusted;
use bourse::domain::workergroup::Key;
use bourse::features::workergroups::Groups;
use crossterm::event::KeyCode;

use super::core::Core;
use crate::cases::cases;
use crate::test_app::{THREE, TestApp};

/// The dialog as the rules have it: which ids the person has typed, and what Enter sends.
#[derive(Debug, Clone, PartialEq)]
enum Dialog {
    Closed,
    Id(String),
    Again(String, String),
    /// Sent; whether it was answered.
    Outcome(bool),
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Open,
    Digit(char),
    Backspace,
    Clear,
    Enter,
    Escape,
    Paste,
    Answer,
    Wait,
}

fn is_id(text: &str) -> bool {
    text.parse::<i64>().is_ok()
}

impl Dialog {
    /// What an act leads to, and the id that is sent because of it.
    fn next(self, act: Act) -> (Self, Option<i64>) {
        let sent = |id: String| (Self::Outcome(false), id.parse().ok());
        let next = match (self, act) {
            (Self::Closed, Act::Open) => Self::Id(String::new()),
            (Self::Closed, _) => Self::Closed,
            (Self::Id(mut id), act) => match act {
                Act::Digit(digit) => {
                    id.push(digit);
                    Self::Id(id)
                }
                Act::Backspace => {
                    id.pop();
                    Self::Id(id)
                }
                Act::Clear => Self::Id(String::new()),
                Act::Enter if is_id(&id) => Self::Again(id, String::new()),
                Act::Escape => Self::Closed,
                // The letter is typed: it is no digit.
                Act::Open => Self::Id(id + "u"),
                Act::Enter | Act::Paste | Act::Answer | Act::Wait => Self::Id(id),
            },
            (Self::Again(id, mut again), act) => match act {
                Act::Digit(digit) => {
                    again.push(digit);
                    Self::Again(id, again)
                }
                Act::Backspace => {
                    again.pop();
                    Self::Again(id, again)
                }
                Act::Clear => Self::Again(id, String::new()),
                Act::Enter if again == id => return sent(id),
                Act::Escape => Self::Id(id),
                Act::Open => Self::Again(id, again + "u"),
                Act::Enter | Act::Paste | Act::Answer | Act::Wait => Self::Again(id, again),
            },
            (Self::Outcome(_), Act::Answer) => Self::Outcome(true),
            (Self::Outcome(_), Act::Escape) | (Self::Outcome(true), Act::Enter) => Self::Closed,
            (Self::Outcome(true), Act::Open) => Self::Id(String::new()),
            (own @ Self::Outcome(_), _) => own,
        };
        (next, None)
    }
}

fn act(core: &mut Core, act: Act, random: &mut fastrand::Rng) {
    match act {
        Act::Open => core.key(KeyCode::Char('u')),
        Act::Digit(digit) => core.key(KeyCode::Char(digit)),
        Act::Backspace => core.key(KeyCode::Backspace),
        Act::Clear => core.control('u'),
        Act::Enter => core.key(KeyCode::Enter),
        Act::Escape => core.key(KeyCode::Esc),
        Act::Paste => core.send(Message::Paste("12\n12\n".to_owned())),
        Act::Wait => core.wait(10.0),
        Act::Answer => {
            let Some(sent) = core.writes.pop() else {
                return;
            };
            let msg = Untrusted::from("Unlisted Volume.");
            let result = match random.u8(0..3) {
                0 => Err(ApiError::Lost),
                _ => Ok(Reply::Unlisted { msg }),
            };
            core.answer(&sent, result);
        }
    }
}

/// A random sequence; how many unlistings it sent, or where it differs from the rules. `expects`
/// says what each key does by the rules.
fn sequence(seed: u64, expects: impl Fn(Act) -> Act) -> Result<usize, String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut core = Core::new(Pane::Volumes);
    core.answer_reads("");
    let mut dialog = Dialog::Closed;
    let mut sent = 0;
    for _ in 0..24 {
        let next = match random.u8(0..16) {
            0 | 1 => Act::Open,
            2..7 => Act::Digit(if random.bool() { '1' } else { '2' }),
            7 => Act::Backspace,
            8 => Act::Clear,
            9..13 => Act::Enter,
            13 if random.bool() => Act::Escape,
            13 => Act::Paste,
            14 => Act::Answer,
            _ => Act::Wait,
        };
        // A digit outside of the dialog would go to another pane.
        if dialog == Dialog::Closed && matches!(next, Act::Digit(_)) {
            continue;
        }
        if matches!((&dialog, next), (Dialog::Outcome(_), Act::Digit(_))) {
            continue;
        }
        // The pause of the market is waited for, so that only keys decide.
        core.now.mono += 10.0;
        core.now.epoch += 10.0;
        if matches!(next, Act::Answer) && core.writes.is_empty() {
            continue;
        }
        let before = core.writes.len();
        act(&mut core, next, &mut random);
        // While one is under way, opening shows it.
        let is_busy = dialog == Dialog::Closed && !core.writes.is_empty();
        let (after, expected) = match (is_busy, next) {
            (true, Act::Open) => (Dialog::Outcome(false), None),
            _ => dialog.clone().next(expects(next)),
        };
        dialog = match (after, next) {
            // An answer that comes while the dialog is closed opens nothing.
            (_, Act::Answer) if dialog == Dialog::Closed => Dialog::Closed,
            (after, _) => after,
        };
        let got = core.writes.get(before).map(|sent| match sent.request {
            Request::UnlistVolume { id } => id,
            _ => -1,
        });
        if got != expected {
            return Err(format!("{next:?} sent {got:?}, not {expected:?}"));
        }
        sent += usize::from(got.is_some());
    }
    Ok(sent)
}

fn run_all(seeds: std::ops::Range<u64>) {
    let mut sent = 0;
    for seed in seeds {
        sent += sequence(seed, |act| act).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
    assert!(sent > 20, "{sent}: hardly anything was sent");
}

#[test]
fn no_keys_unlist_without_the_exact_id_typed_twice() {
    run_all(0..cases(1000, 100_000));
}

#[test]
fn other_rules_are_found_out() {
    // As if Backspace deleted nothing: another id would count as the same.
    let expects = |act| match act {
        Act::Backspace => Act::Wait,
        act => act,
    };
    assert!((0..4000).any(|seed| sequence(seed, expects).is_err()));
}

/// Presses Enter again and again.
fn enters(desk: &mut TestApp) {
    desk.keys("enter enter enter enter enter enter");
}

#[test]
fn enter_alone_cancels_or_does_nothing_in_every_dialog() {
    // Unlisting.
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("2 u");
    desk.calls.clear();
    enters(&mut desk);
    desk.type_text("7311").keys("enter");
    enters(&mut desk);
    assert!(desk.calls.is_empty());

    // Creating.
    let mut desk = TestApp::with_offers(THREE);
    let draft = &mut desk.model.feature_mut::<Groups>().draft;
    draft.put(Key::EndpointName, "chat");
    draft.put(Key::TemplateId, "7");
    desk.keys("3 n pgdn enter").expect("Create this workergroup?");
    enters(&mut desk);
    let is_creation = |request: &Request| matches!(request, Request::CreateWorkergroup(_));
    assert!(!desk.calls.iter().any(|call| is_creation(&call.1)));

    // Load on an endpoint, which is billed.
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("t ctrl-u")
        .type_text("chat")
        .keys("down down space down ctrl-u")
        .type_text("101")
        .keys("enter")
        .expect("This sends real traffic");
    desk.calls.clear();
    enters(&mut desk);
    desk.keys("esc");
    assert!(desk.calls.is_empty());

    // Quitting while a write is under way.
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("2 u").type_text("7311").keys("enter");
    desk.type_text("7311").keys("enter esc q");
    desk.expect("Quit bourse?");
    desk.keys("enter").expect_not("Quit bourse?");
    assert!(!desk.effects.contains(&Effect::Quit));

    // Deleting a saved search.
    let mut desk = TestApp::with_offers(THREE);
    desk.keys(":")
        .type_text("save-search")
        .keys("enter")
        .type_text("mine")
        .keys("enter b delete");
    desk.expect("Delete the saved search?");
    desk.keys("enter");
    assert_eq!(desk.model.searches.saved.len(), 1);
}
