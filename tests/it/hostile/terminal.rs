//! The real program in a pseudo-terminal: every byte that it writes is read by a strict parser, and
//! pastes that end early confirm nothing.

use std::path::Path;

use bourse::domain::{OFFERS, VOLUMES, WORKERGROUPS};
use serde_json::json;

use super::commands::{records, reply};
use super::{forbidden, long_texts};
use crate::cases::cases;
use crate::pty_support::Pty;
use crate::recorder::{Recorded, Recorder, answer};
use crate::stories::groups::FOUR;
use crate::stories::unlist::TWO;

/// Something in the bytes for a terminal.
#[derive(Debug, PartialEq)]
enum Token {
    Text(String),
    /// `ESC [`, its parameters, its last byte.
    Csi(String),
    /// `ESC ]` up to its end.
    Osc(String),
    /// `ESC` and a letter.
    Escape(char),
    Control(char),
}

/// Reads bytes as a terminal does; fails on anything that is left open.
fn tokens(log: &[u8]) -> Vec<Token> {
    let text = std::str::from_utf8(log).expect("only UTF-8");
    let mut tokens = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let token = match letter {
            '\u{1b}' => match letters.next().expect("an escape is left open") {
                '[' => {
                    let mut sequence = String::new();
                    loop {
                        let one = letters.next().expect("a control sequence is left open");
                        sequence.push(one);
                        if ('@'..='~').contains(&one) {
                            break Token::Csi(sequence);
                        }
                    }
                }
                ']' => {
                    let mut text = String::new();
                    loop {
                        match letters.next().expect("an OSC is left open") {
                            '\u{7}' => break Token::Osc(text),
                            '\u{1b}' => {
                                assert_eq!(letters.next(), Some('\\'), "{text:?}");
                                break Token::Osc(text);
                            }
                            one => text.push(one),
                        }
                    }
                }
                one => Token::Escape(one),
            },
            one if one.is_control() => Token::Control(one),
            one => {
                let mut text = String::from(one);
                while let Some(more) = letters.next_if(|next| !next.is_control()) {
                    text.push(more);
                }
                Token::Text(text)
            }
        };
        tokens.push(token);
    }
    tokens
}

/// What is wrong with a token, if bourse has no business to send it.
fn fault(token: &Token) -> Option<String> {
    let is_fine = match token {
        Token::Text(text) => forbidden(text).is_none() && !text.contains('\u{fffd}'),
        // Movement, erasing, styles, modes that are switched on and off again, the cursor's shape.
        Token::Csi(sequence) => {
            let (parameters, last) = sequence.split_at(sequence.len() - 1);
            let numbers = parameters.trim_start_matches('?');
            let is_plain = numbers.bytes().all(|one| one.is_ascii_digit() || b";: ".contains(&one));
            // The stack of titles, before and after ours.
            let is_title = matches!(sequence.as_str(), "22;2t" | "23;2t");
            is_title || is_plain && "HABCDGJKmhlqrfXd".contains(last)
        }
        // The title, the background's color, the clipboard by our own hand.
        Token::Osc(text) => {
            let is_own = ["2;bourse - ", "11;?"].iter().any(|own| text.starts_with(own));
            is_own && text.bytes().all(|one| matches!(one, b' '..=b'~'))
        }
        Token::Escape(letter) => matches!(letter, '7' | '8' | '=' | '>'),
        Token::Control(control) => matches!(control, '\r' | '\n' | '\u{8}'),
    };
    (!is_fine).then(|| format!("{token:?}"))
}

fn faults(log: &[u8]) -> Vec<String> {
    tokens(log).iter().filter_map(fault).collect()
}

fn hostile_market() -> Recorder {
    Recorder::start(|number, request| {
        let texts = long_texts();
        let text = &texts[number % texts.len()];
        let reply = match request.path.as_str() {
            path if path.contains("workergroups") => {
                json!({"results": records(&WORKERGROUPS, "id")})
            }
            path if path.contains("network_volumes") => {
                json!({"offers": records(&VOLUMES, "ask_contract_id")})
            }
            path if path.contains("bundles") => json!({"offers": records(&OFFERS, "id")}),
            path => reply(path, text),
        };
        let body = serde_json::to_vec(&reply).unwrap();
        answer(200, &[("Content-Type", "application/json")], &body)
    })
}

#[test]
fn every_sequence_on_the_terminal_is_one_of_ours() {
    let recorder = hostile_market();
    let state = tempfile::tempdir().unwrap();
    let variables = [
        ("BOURSE_API_KEY", "canary-key-hostile"),
        ("XDG_STATE_HOME", state.path().to_str().unwrap()),
    ];
    let mut pty = Pty::bourse(&["--base-url", &recorder.url()], &variables, 120, 40);
    pty.wait_for_text("updated ");
    for keys in [
        "<Enter>", "<Tab>", "<Tab>", "<Esc>", "m", "<Enter>", "/", "<Tab>", "<Esc>", "f", "<Esc>", "s", "<Esc>", "y",
        "<Esc>", "e", "<Esc>", ":", "<Esc>", "2", "<Enter>", "<Esc>", "3", "<Enter>", "x", "<Esc>", "C", "<Esc>", "t",
        "<Enter>", "<Esc>", "<Esc>", "4", "<Enter>", "<Esc>", "?", "<Esc>",
    ] {
        let before = pty.screen_text();
        pty.keys(keys);
        pty.wait_for("the screen to change", |screen| screen.contents() != before);
    }
    pty.keys("<C-c>");
    let exit = pty.exit();
    exit.assert_clean(0);
    assert_eq!(faults(&exit.log), Vec::<String>::new());
    // The hostile texts were there to be seen.
    let log = String::from_utf8(exit.log).unwrap();
    assert!(log.contains("<U+"), "nothing hostile was shown");
}

#[test]
fn the_parser_finds_sequences_that_are_not_ours() {
    for raw in [
        "a\u{1b}]52;c;eA==\u{7}b",
        "\u{1b}]0;owned\u{1b}\\",
        "\u{1b}]2;other\u{1b}\\",
        "\u{1b}]8;;http://\u{e9}\u{1b}\\",
        "\u{1b}[6n",
        "\u{1b}[>c",
        "\u{1b}P1$r\u{1b}\\",
        "\u{1b}c",
        "\u{9b}31m",
        "x\u{202e}y",
        "x\u{200b}y",
        "\u{7}",
        "\t",
    ] {
        assert!(!faults(raw.as_bytes()).is_empty(), "{raw:?} is overlooked");
    }
    let own = "\u{1b}[?1049h\u{1b}[8l\u{1b}[1;1H\u{1b}[38;5;7mVRAM é\u{1b}[0m\r\n";
    assert_eq!(faults(own.as_bytes()), Vec::<String>::new());
}

/// The program in a pane of a market that answers writes, its state kept in `state`.
fn at_pane(recorder: &Recorder, state: &Path, pane: &str, seen: &str) -> Pty {
    let variables = [
        ("BOURSE_API_KEY", "canary-key-paste"),
        ("XDG_STATE_HOME", state.to_str().unwrap()),
    ];
    let mut pty = Pty::bourse(&["--base-url", &recorder.url()], &variables, 100, 34);
    pty.wait_for_text("updated ");
    pty.keys(pane);
    pty.wait_for_text(seen);
    pty
}

fn is_write(request: &Recorded) -> bool {
    request.path.ends_with("/unlist/") || (request.method == "POST" && request.path.ends_with("/workergroups/"))
}

fn market() -> Recorder {
    Recorder::start(|_, request| {
        let body = match request.path.as_str() {
            _ if is_write(request) => r#"{"success":true,"id":77,"msg":"Unlisted."}"#,
            path if path.ends_with("/workergroups/") => FOUR,
            _ => TWO,
        };
        answer(200, &[("Content-Type", "application/json")], body.as_bytes())
    })
}

fn writes(recorder: &Recorder) -> usize {
    recorder.requests().iter().filter(|request| is_write(request)).count()
}

/// Texts that end a paste early and go on as if typed: at once, behind more than one read, behind what
/// looks like another paste.
fn early_ends(answer: &str) -> Vec<String> {
    let noise = "x".repeat(3000);
    let texts = [
        format!("\u{1b}[201~{answer}"),
        format!("{noise}\u{1b}[201~{answer}"),
        format!("a\u{1b}[201~{noise}\u{15}{answer}"),
        format!("a\u{1b}[201~\u{1b}[200~b\u{1b}[201~\u{15}{answer}"),
        format!("{}\u{1b}[201~{answer}", "y".repeat(1024 - 12)),
        format!("{}\u{1b}[201~{answer}", "y".repeat(4096 - 12)),
    ];
    texts.into_iter().step_by(cases(3, 1)).collect()
}

#[test]
fn a_paste_that_ends_early_creates_nothing_and_typing_does() {
    let (recorder, state) = (market(), tempfile::tempdir().unwrap());
    let mut pty = at_pane(&recorder, state.path(), "3", "Endpoint");
    pty.keys("nchat<Enter><Enter><Enter><Enter>gpu_name=RTX_4090<PageDown><Enter>");
    pty.wait_for_text("Create this workergroup?");
    for text in early_ends("create\r").iter().chain(&early_ends("\u{15}create\r\r")) {
        pty.paste(text);
        pty.wait_for_text("Can't paste here: type it.");
        // A letter takes the message away, so that the next one is seen to come.
        pty.keys("x<Backspace>");
        pty.wait_for("the message to go", |screen| {
            !screen.contents().contains("Can't paste here")
        });
        assert_eq!(writes(&recorder), 0, "{text:?}");
    }
    pty.keys("<C-u>create<Enter>");
    pty.wait_for_text("created as 77");
    assert_eq!(writes(&recorder), 1);
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);
}

#[test]
fn a_paste_that_ends_early_unlists_nothing_and_typing_does() {
    let (recorder, state) = (market(), tempfile::tempdir().unwrap());
    let mut pty = at_pane(&recorder, state.path(), "2", "$/GB/mo");
    // The rest of a paste may open the dialog, and then answers nothing in it.
    for text in early_ends("u7311\r7311\r") {
        pty.keys("/");
        pty.paste(&text.replace('u', "\u{1b}u"));
        pty.wait_for_text("Unlist a volume");
        pty.wait_for_text("Keys that arrive with a paste answer nothing");
        pty.keys("<Esc>");
        pty.wait_for("the pane", |screen| !screen.contents().contains("Unlist a volume"));
        assert_eq!(writes(&recorder), 0, "{text:?}");
    }
    pty.keys("u");
    pty.wait_for_text("Unlist a volume");
    for text in early_ends("7311\r7311\r") {
        pty.paste(&text);
        pty.wait_for_text("Can't paste here: type it.");
        pty.keys("x<Backspace>");
        pty.wait_for("the message to go", |screen| {
            !screen.contents().contains("Can't paste here")
        });
    }
    pty.keys("<C-u>7311<Enter>");
    pty.wait_for_text("Type the id again");
    for text in early_ends("7311\r") {
        pty.paste(&text);
        pty.wait_for_text("Can't paste here: type it.");
        pty.keys("x<Backspace>");
        pty.wait_for("the message to go", |screen| {
            !screen.contents().contains("Can't paste here")
        });
    }
    assert_eq!(writes(&recorder), 0);
    pty.keys("<C-u>7311<Enter>");
    pty.wait_for_text("Unlisted.");
    assert_eq!(writes(&recorder), 1);
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);
}
