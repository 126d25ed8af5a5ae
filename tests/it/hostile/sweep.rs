//! Unicode scalar values and random texts through every exit.

use bourse::api::curl;
use bourse::api::wire::{Method, Target, WireRequest};
use bourse::core::copy_item::CopyItem;
use bourse::core::{Model, Now, Toast};
use bourse::domain::Untrusted;
use bourse::domain::text::{csv_text, json_for_terminal, message, unescaped, visible, visible_lines, with_escapes};
use bourse::domain::time::{MonotonicTime, UnixTime};
use bourse::tui::text_input::{InputLine, TextInput};
use bourse::tui::theme::Theme;
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::StatefulWidget as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::{forbidden, is_alone, is_forbidden};
use crate::test_app::TestApp;

/// Characters that go through an exit together: what they become fits every bound.
const BATCH: usize = 24;

type Exit = (&'static str, fn(&str) -> String);

/// Exits for one line that is read by people: what is forbidden becomes its name.
const LINES: [Exit; 5] = [
    ("screen", |text| Untrusted::from(text).screen(4096)),
    ("csv", csv_text),
    ("notice", |text| Toast::new(text, NOW).text),
    ("standard output", |text| visible_lines(&one_line(text))),
    ("standard error", |text| message(&one_line(text))),
];

/// Exits for people who decide, and for logs: plain ASCII.
const ASCII: [Exit; 2] = [
    ("consent", |text| Untrusted::from(text).for_confirmation()),
    ("log", |text| Untrusted::from(text).log()),
];

/// Exits for programs: what is forbidden becomes JSON's escape, and JSON's reader gives it back.
const PROGRAMS: [Exit; 2] = [
    ("json", |text| json_for_terminal(quoted(text))),
    ("curl", |text| {
        let request = WireRequest {
            method: Method::Post,
            target: Target::Management,
            path: "/",
            body: Some(serde_json::Value::from(text)),
            key: None,
        };
        let command = curl::command(&request, "http://127.0.0.1:1/");
        let body = command.split_once("--data-raw ").unwrap().1;
        let body = body.strip_prefix('\'').unwrap().strip_suffix('\'').unwrap();
        body.replace(r"'\''", "'")
    }),
];

const NOW: Now = Now {
    mono: MonotonicTime::new(0.0),
    epoch: UnixTime::new(0.0),
};

/// The line feeds between bourse's own lines stay.
fn one_line(text: &str) -> String {
    text.replace('\n', &name('\n'))
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// A text as a line draws it in which one types.
fn drawn(text: &str) -> String {
    let area = Rect::new(0, 0, 400, 1);
    let mut buffer = Buffer::empty(area);
    let input = TextInput::new(text);
    InputLine::new(&input, &Theme::MONO).render(area, &mut buffer, &mut None);
    let symbols = buffer.content.iter().map(ratatui::buffer::Cell::symbol);
    symbols.filter(|symbol| *symbol != " ").collect()
}

fn every_scalar_value() -> Vec<char> {
    (0..=0x10_FFFF).filter_map(char::from_u32).collect()
}

/// Both sides of every place where characters begin to be of another kind to an exit, and every 257th.
fn sample() -> Vec<char> {
    let all = every_scalar_value();
    let kind = |one: &char| {
        let is_cut = is_alone(*one) || one.is_whitespace() || one.is_ascii_graphic();
        (is_forbidden(*one), one.width(), is_cut, one.len_utf8())
    };
    let kinds: Vec<_> = all.iter().map(kind).collect();
    let is_edge = |at: usize| {
        let near = &kinds[at.saturating_sub(1)..(at + 2).min(kinds.len())];
        near.iter().any(|kind| *kind != kinds[at])
    };
    let picked = (0..all.len()).filter(|at| at % 257 == 0 || is_edge(*at));
    picked.map(|at| all[at]).collect()
}

fn name(character: char) -> String {
    format!("<U+{:04X}>", u32::from(character))
}

/// What a person must see of `[x]`.
fn shown(character: char) -> String {
    if is_forbidden(character) || is_alone(character) {
        format!("[{}]", name(character))
    } else {
        format!("[{character}]")
    }
}

/// Where an exit differs from what a person must see, or lets out what is forbidden.
fn fault(exit: fn(&str) -> String, text: &str, wanted: &str) -> Option<String> {
    let out = exit(text);
    (out != wanted || forbidden(&out).is_some()).then(|| format!("{text:?} became {out:?}"))
}

fn exits_for_people(characters: &[char]) {
    for batch in characters.chunks(BATCH) {
        let text: String = batch.iter().map(|one| format!("[{one}]")).collect();
        let wanted: String = batch.iter().map(|one| shown(*one)).collect();
        for (exit, run) in LINES {
            assert_eq!(fault(run, &text, &wanted), None, "{exit}");
        }
        // Blanks are left out: the widths of some letters are matters of opinion.
        assert_eq!(drawn(&text), wanted.replace(' ', ""), "input line");
        let plain: String = batch
            .iter()
            .map(|one| match one {
                ' '..='~' => format!("[{one}]"),
                _ => format!("[{}]", name(*one)),
            })
            .collect();
        for (exit, run) in ASCII {
            assert_eq!(fault(run, &text, &plain), None, "{exit}");
        }
    }
}

fn exits_for_programs(characters: &[char]) {
    for batch in characters.chunks(BATCH) {
        let text: String = batch.iter().map(|one| format!("[{one}]")).collect();
        for (exit, run) in PROGRAMS {
            let out = run(&text);
            assert_eq!(forbidden(&out), None, "{exit}: {out:?}");
            let back: String = serde_json::from_str(&out).unwrap();
            assert_eq!(back, text, "{exit}");
        }
        let item = CopyItem::new('x', "x", "x", Ok(text.clone()));
        let copied = item.text.unwrap();
        assert_eq!(forbidden(&copied), None, "{copied:?}");
        assert_eq!(unescaped(&copied), text);
        let query = with_escapes(&text);
        assert_eq!(forbidden(&query), None, "{query:?}");
        assert_eq!(unescaped(&query), text);
    }
}

fn title_of_the_window(characters: &[char]) {
    let mut desk = TestApp::new();
    let title = |model: &mut Model, text: &str| {
        text.clone_into(&mut model.state.profile.name);
        bourse::core::title(&model.state)
    };
    for batch in characters.chunks(4) {
        let text: String = batch.iter().map(|one| format!("[{one}]")).collect();
        let wanted: String = batch.iter().map(|one| shown(*one)).collect();
        let title = title(&mut desk.model, &text);
        assert_eq!(title, format!("bourse - {wanted} - Offers"));
        assert_eq!(forbidden(&title), None, "{title:?}");
    }
}

/// For people they are shown or named; for programs they come back.
fn leave_by_every_exit(characters: &[char]) {
    exits_for_people(characters);
    exits_for_programs(characters);
    title_of_the_window(characters);
}

#[test]
fn characters_of_every_kind_leave_by_every_exit() {
    let sample = sample();
    assert!((5_000..20_000).contains(&sample.len()), "{}", sample.len());
    leave_by_every_exit(&sample);
}

#[test]
#[ignore = "long: 1,112,064 characters"]
fn every_scalar_value_leaves_by_every_exit() {
    leave_by_every_exit(&every_scalar_value());
}

/// The checks above would find an exit that forgets to escape, or that leaves out what it does not
/// like.
#[test]
fn an_exit_that_lets_out_or_loses_a_character_is_found() {
    let raw: fn(&str) -> String = str::to_owned;
    let strips: fn(&str) -> String = |text| text.chars().filter(|one| !is_forbidden(*one)).collect();
    for one in super::samples() {
        let text = format!("[{one}]");
        assert!(fault(raw, &text, &shown(one)).is_some(), "{text:?}");
        assert!(fault(strips, &text, &shown(one)).is_some(), "{text:?}");
    }
}

/// A text of plain, wide, right-to-left and forbidden characters and of marks, without `<`: so an
/// escape in what comes out is no character that went in.
fn text_of(seed: u64, samples: &[char]) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let many = random.usize(0..24);
    let letter = |_| match random.u8(0..12) {
        0..4 => random.char(' '..='~'),
        4 => random.char('\u{300}'..='\u{36f}'),
        5 => random.char('\u{5d0}'..='\u{5ea}'),
        6 => random.char('\u{4e00}'..='\u{9fff}'),
        7 => random.char('\u{1f300}'..='\u{1f6ff}'),
        8 => random.char('\u{1100}'..='\u{11ff}'),
        9 => random.char(..),
        _ => samples[random.usize(..samples.len())],
    };
    (0..many).map(letter).filter(|one| *one != '<').collect()
}

/// What went into [`visible`]; `None` for each mark that it counted instead of showing.
fn read_back(shown: &str) -> Vec<Option<char>> {
    let mut found = Vec::new();
    let mut rest = shown;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        if first != '<' {
            found.push(Some(first));
            continue;
        }
        let (inside, behind) = rest.split_once('>').unwrap();
        rest = behind;
        if let Some(code) = inside.strip_prefix("U+") {
            found.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()));
        } else {
            let count = inside.strip_prefix('+').unwrap().strip_suffix(" marks").unwrap();
            found.extend(vec![None; count.parse().unwrap()]);
        }
    }
    found
}

#[test]
fn random_texts_are_bounded_stay_as_they_are_the_second_time_and_lose_nothing() {
    random_texts(crate::cases::cases(2_000, 100_000));
}

fn random_texts(cases: u32) {
    let mut runner = super::runner(cases);
    let samples = super::samples();
    runner
        .run(&(any::<u64>(), 0_usize..40), |(seed, most)| {
            let text = text_of(seed, &samples);
            let whole = visible(&text, usize::MAX);
            prop_assert_eq!(visible(&whole, usize::MAX), whole.clone());
            prop_assert_eq!(forbidden(&whole), None);
            let back = read_back(&whole);
            prop_assert_eq!(back.len(), text.chars().count());
            let same = |(found, own): (&Option<char>, char)| found.is_none_or(|one| one == own);
            prop_assert!(back.iter().zip(text.chars()).all(same), "{:?}", whole);
            let cut = Untrusted::from(text.as_str()).screen(most);
            prop_assert!(cut.width() <= most, "{:?}", cut);
            // The last character may need a name of ten, a pile of marks a note, and a cut a sign.
            prop_assert!(visible(&text, most).chars().count() <= most + 32);
            prop_assert_eq!(unescaped(&with_escapes(&text)), text.clone());
            let json = json_for_terminal(serde_json::to_string(&text).unwrap());
            prop_assert_eq!(forbidden(&json), None);
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
            Ok(())
        })
        .unwrap();
}
