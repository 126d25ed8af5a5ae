//! What markets, files and clipboards may hold, against everything that leaves the program: no
//! character that steers a terminal gets out, and none is lost.

mod commands;
mod curl;
mod pastes;
mod screens;
mod sweep;
mod tables;
mod terminal;
mod text;

use proptest::test_runner::{Config, TestRunner};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthChar as _;

/// Characters that no terminal may be sent, from the Unicode character database by hand: controls,
/// format characters, separators of lines and paragraphs, private use, non-characters, and the
/// letters and marks that are drawn as nothing (`Default_Ignorable_Code_Point`, assigned or not).
const FORBIDDEN: [(u32, u32); 44] = [
    (0x00, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x600, 0x605),
    (0x61C, 0x61C),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x890, 0x891),
    (0x8E2, 0x8E2),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xE000, 0xF8FF),
    (0xFDD0, 0xFDEF),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0x1FFFE, 0x1FFFF),
    (0x2FFFE, 0x2FFFF),
    (0x3FFFE, 0x3FFFF),
    (0x4FFFE, 0x4FFFF),
    (0x5FFFE, 0x5FFFF),
    (0x6FFFE, 0x6FFFF),
    (0x7FFFE, 0x7FFFF),
    (0x8FFFE, 0x8FFFF),
    (0x9FFFE, 0x9FFFF),
    (0xAFFFE, 0xAFFFF),
    (0xBFFFE, 0xBFFFF),
    (0xCFFFE, 0xCFFFF),
    (0xDFFFE, 0xDFFFF),
    (0xE0000, 0xE0FFF),
    (0xEFFFE, 0x10_FFFF),
];

/// Whether a character may not reach a terminal, a file or another program as it is.
pub fn is_forbidden(character: char) -> bool {
    let code = u32::from(character);
    // As most characters of most screens.
    !matches!(character, ' '..='~' | '─'..='▟')
        && FORBIDDEN[..FORBIDDEN.partition_point(|(first, _)| *first <= code)]
            .last()
            .is_some_and(|(_, last)| code <= *last)
}

/// The first character of a text that should not be in it, line feeds aside.
pub fn forbidden(text: &str) -> Option<char> {
    text.chars().find(|one| *one != '\n' && is_forbidden(*one))
}

/// Whether a character behind `[` has nothing to be drawn on: a mark alone.
fn is_alone(character: char) -> bool {
    character.width() == Some(0) && format!("[{character}").graphemes(true).count() > 1
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    })
}

/// The first and the last character of each forbidden range.
pub fn samples() -> Vec<char> {
    FORBIDDEN
        .iter()
        .flat_map(|(first, last)| [*first, *last])
        .filter_map(char::from_u32)
        .collect()
}

/// Texts that between them hold every sample, and sequences that terminals act on, each behind a `Ω`:
/// two of these in a row on a screen betray a character that was left out silently.
pub fn hostile_texts() -> Vec<String> {
    let samples = samples();
    let mut texts: Vec<String> = samples
        .chunks(3)
        .map(|some| some.iter().fold("Ω".to_owned(), |text, one| format!("{text}{one}Ω")))
        .collect();
    texts.extend(
        [
            "Ω\u{1b}]52;c;eA==\u{7}Ω",
            "Ω\u{1b}]0;owned\u{1b}\\Ω",
            "Ω\u{9b}31mΩ\u{1b}[31mΩ",
            "Ω\u{90}1$r\u{9c}Ω\u{1b}P+q\u{1b}\\Ω",
            "Ω\rΩ\nΩ\tΩ",
            "\u{202e}Ω\u{200b}Ω\u{feff}Ω",
            "\u{301}Ω\u{200d}\u{301}Ω",
        ]
        .map(str::to_owned),
    );
    texts
}

/// The same in few texts, for outputs that cut none off.
pub fn long_texts() -> Vec<String> {
    hostile_texts()
        .chunks(12)
        .map(|some| some.join(""))
        .map(|text| text.replace("ΩΩ", "Ω"))
        .collect()
}

#[test]
fn the_check_finds_what_is_forbidden_and_nothing_else() {
    let raw = "a\u{1b}[31mb";
    assert_eq!(forbidden(raw), Some('\u{1b}'));
    for one in [
        '\u{7f}',
        '\u{9b}',
        '\u{202e}',
        '\u{2028}',
        '\u{3164}',
        '\u{e0041}',
        '\u{fffe}',
    ] {
        assert_eq!(forbidden(&format!("a{one}")), Some(one));
    }
    assert_eq!(forbidden("Reykjavík, 漢字, עברית 🚀\n<U+202E> e\u{301}"), None);
    assert!(is_alone('\u{1161}') && !is_alone('\u{301}') && !is_alone('a'));
}
