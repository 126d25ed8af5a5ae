//! The exits of untrusted text, case by case: bounds, marks that pile up, escapes and their way back.

use bourse::domain::Untrusted;
use bourse::domain::text::{
    beginning, clipboard, csv_text, detail, is_drawable, is_visible, json_for_screen, json_for_terminal, message,
    occurrences, screen, truncate, unescaped, visible, with_escapes,
};

use super::{hostile_texts, samples};

/// A combining acute accent, and three of them, which is as many as a letter may bear.
const MARK: &str = "\u{301}";
const THREE: &str = "\u{301}\u{301}\u{301}";

#[test]
fn a_shown_text_ends_with_an_ellipsis_exactly_where_something_is_missing() {
    for (text, max, shown) in [
        ("", 0, ""),
        ("a", 0, "…"),
        ("abc", 3, "abc"),
        ("abcd", 3, "abc…"),
        ("éab", 3, "éab"),
        ("éabc", 3, "éab…"),
        ("\u{202e}ab", 8, "<U+202E>…"),
        ("\u{202e}ab", 9, "<U+202E>a…"),
        ("\u{202e}ab", 10, "<U+202E>ab"),
        // One character for the reader, several names for the screen.
        ("👩\u{200d}👩\u{200d}👩", 99, "👩<U+200D>👩<U+200D>👩"),
        ("👩\u{200d}👩\u{200d}👩", 10, "👩<U+200D>👩…"),
    ] {
        assert_eq!(visible(text, max), shown, "{text:?} {max}");
    }
    let (pile, flood) = (format!("e{}", MARK.repeat(9)), "a\u{301}".repeat(2000));
    assert_eq!(visible(&pile, 4), format!("e{THREE}…"));
    assert!(visible(&flood, 9).ends_with('…'));
    // At most 32 bytes are read for each of the characters: 79 of the 100 marks.
    let pile = format!("e{}", MARK.repeat(100));
    assert_eq!(visible(&pile, 5), format!("e{THREE}<+76 marks>…"));
}

#[test]
fn a_line_is_cut_by_its_cells() {
    for (text, max, cut) in [
        ("", 0, ""),
        ("a", 0, ""),
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本", 4, "日本"),
        ("日本語", 4, "日…"),
        ("日本", 3, "日…"),
        ("日本", 1, "…"),
        ("a日", 2, "a…"),
    ] {
        assert_eq!(truncate(text, max), cut, "{text} {max}");
        assert_eq!(screen(text, max), cut, "{text} {max}");
    }
    assert_eq!(screen("\u{202e}", 8), "<U+202E>");
    assert_eq!(screen("\u{202e}", 7), "<U+202…");
}

#[test]
fn marks_without_a_letter_are_named_and_those_that_pile_up_are_counted() {
    let many = |count: usize| MARK.repeat(count);
    for (text, shown) in [
        (format!("e{THREE}"), format!("e{THREE}")),
        (format!("e{}", many(4)), format!("e{THREE}<+1 marks>")),
        (format!("e{}x", many(40)), format!("e{THREE}<+37 marks>x")),
        (format!("{MARK}a"), "<U+0301>a".to_owned()),
        (
            format!("e{}\u{200d}{MARK}", many(5)),
            format!("e{THREE}<+2 marks><U+200D><U+0301>"),
        ),
        (
            format!("🇩{}🇪{}", many(4), many(5)),
            format!("🇩{THREE}<+1 marks>🇪{THREE}<+2 marks>"),
        ),
        ("🇩🇪é日".to_owned(), "🇩🇪é日".to_owned()),
    ] {
        assert_eq!(visible(&text, 999), shown);
    }
}

#[test]
fn what_counts_as_visible_is_left_as_it_is() {
    let letters = samples().into_iter().map(String::from);
    let behind = samples().into_iter().map(|sample| format!("a{sample}"));
    for text in letters.chain(behind).chain(hostile_texts()) {
        let is_same = visible(&text, usize::MAX) == text;
        assert!(is_same || !is_visible(&text), "{text:?}");
    }
    for text in ["", " ~", "größe 日本", "🇩🇪"] {
        assert!(is_visible(text), "{text:?}");
    }
}

#[test]
fn a_cell_draws_one_bounded_symbol_that_steers_nothing() {
    for symbol in [" ", "~", "", "é", "日", "🇩🇪", "👍🏽"] {
        assert!(is_drawable(symbol), "{symbol:?}");
    }
    for symbol in ["\u{1b}", "\u{7f}", "\n", "a\u{202e}", "\u{200b}", "\u{9b}"] {
        assert!(!is_drawable(symbol), "{symbol:?}");
    }
    assert!(is_drawable(&"日".repeat(10)) && is_drawable(&"é".repeat(16)));
    assert!(!is_drawable(&"日".repeat(11)) && !is_drawable(&"a".repeat(33)));
}

#[test]
fn details_say_how_much_of_a_long_text_is_missing() {
    let text = |bytes: usize| "x".repeat(bytes);
    for (bytes, behind, more) in [
        (4096, 0, ""),
        (4097, 0, "… 1 B more"),
        (5000, 50, "… 954 B more"),
        (10, 50, "… 50 B more"),
    ] {
        let shown = format!("{}{more}", text(bytes.min(4096)));
        assert_eq!(detail(&text(bytes), behind), shown);
    }
    assert_eq!(beginning("aé", 3), ("aé", 0));
    assert_eq!(beginning("aéb", 2), ("a", 3));
}

#[test]
fn logs_and_debug_texts_are_bounded_and_visible() {
    let long = |count: usize| Untrusted::from("a".repeat(count));
    assert_eq!(long(512).log(), "a".repeat(512));
    assert_eq!(long(513).log(), "a".repeat(512) + "...");
    assert_eq!(long(256).for_confirmation(), "a".repeat(256));
    assert_eq!(long(257).for_confirmation(), "a".repeat(256) + "...");
    assert_eq!(Untrusted::from("a é\n").log(), "a <U+00E9><U+000A>");
    let debug = format!("{:?}", Untrusted::from("a\u{202e}b\u{1b}"));
    assert_eq!(debug, r#"Untrusted("a<U+202E>b<U+001B>")"#);
    assert!(format!("{:?}", long(9999)).len() < 99);
}

#[test]
fn only_what_may_begin_a_formula_gets_an_apostrophe() {
    for (text, cell) in [
        ("a=1", "a=1"),
        ("a =1", "a =1"),
        ("=1", "'=1"),
        (" =1", " '=1"),
        ("a; +1", "a; '+1"),
        ("\t=1", "'<U+0009>=1"),
        ("\u{202e}=1", "<U+202E>=1"),
    ] {
        assert_eq!(csv_text(text), cell, "{text:?}");
    }
}

#[test]
fn users_and_passwords_of_addresses_are_removed_from_messages() {
    for (text, reported) in [
        ("me@host: no // here", "me@host: no // here"),
        ("https://host/a b@c", "https://host/a b@c"),
        ("https://u:p@host/x", "https://<removed>@host/x"),
        ("'//u@h', //v@i.", "'//<removed>@h', //<removed>@i."),
        ("http://u:a/b@c@host", "http://<removed>@host"),
        ("<http://u@h> \"//v@i\"", "<http://<removed>@h> \"//<removed>@i\""),
        ("a\nhttp://u@h\u{1b}", "a\nhttp://<removed>@h<U+001B>"),
    ] {
        assert_eq!(message(text), reported);
    }
}

#[test]
#[allow(clippy::single_range_in_vec_init)] // ranges are what is found
fn words_are_found_whatever_the_case_and_the_accents() {
    for (text, word, found) in [
        ("", "x", &[][..]),
        ("x", "", &[]),
        ("abc", "abcd", &[]),
        ("ab", "b", &[1..2]),
        ("aaaaa", "aa", &[0..2, 2..4]),
        ("é E", "e", &[0..2, 3..4]),
        ("aab", "ab", &[1..3]),
        ("RTX 4090", "rtx_4", &[0..5]),
        ("a_b", "a b", &[]),
        ("abc", "a_c", &[]),
        ("a b", "axb", &[]),
        ("a_b", "a_b", &[0..3]),
    ] {
        assert_eq!(occurrences(text, word), found, "{text:?} {word:?}");
    }
}

#[test]
fn json_keeps_its_layout_outside_of_its_strings_only() {
    for (json, shown) in [
        ("{\r\n\t\"a\":\t1}", "{ \n \"a\": 1}"),
        ("\"a\tb\n\"\t", "\"a\\u0009b\\u000a\" "),
        ("\"a\\\"\t\"\t", "\"a\\\"\\u0009\" "),
        ("\"a\\\\\"\t\"\t\"", "\"a\\\\\" \"\\u0009\""),
        ("\\\"\t\"\t", "\\\"\\u0009\" "),
        ("\"\u{301}e\u{301}\u{202e}\"", "\"\\u0301e\u{301}\\u202e\""),
        ("\"\u{e0001}\"", "\"\\udb40\\udc01\""),
    ] {
        assert_eq!(json_for_terminal(json), shown, "{json:?}");
    }
}

#[test]
fn json_on_a_screen_piles_up_nothing() {
    for (json, shown) in [
        ("é日👍🏽🇩🇪", "é日👍🏽🇩🇪"),
        ("e\u{301}\u{301}", "e\u{301}\u{301}"),
        ("e\u{301}\u{301}\u{301}", r"e\u0301\u0301\u0301"),
        ("a\u{1161}", r"a\u1161"),
        ("🇩🇪\u{301}\u{301}\u{301}", r"🇩\ud83c\uddea\u0301\u0301\u0301"),
    ] {
        assert_eq!(json_for_screen(json.to_owned()), shown, "{json:?}");
    }
}

#[test]
fn a_clipboard_gets_lines_and_no_pile() {
    for (text, copied) in [
        ("a\n\tb\r", r"a@\u0009b\u000d"),
        ("\u{301}", r"\u0301"),
        ("e\u{301}\u{301}\u{301}", "e\u{301}\u{301}\u{301}"),
        (
            "e\u{301}\u{301}\u{301}\u{301}\u{301}x\u{301}",
            "e\u{301}\u{301}\u{301}\\u0301\\u0301x\u{301}",
        ),
        ("e\u{202e}\u{301}", r"e\u202e\u0301"),
    ] {
        assert_eq!(clipboard(text), copied.replace('@', "\n"), "{text:?}");
    }
}

#[test]
fn only_escapes_that_were_needed_are_read_back() {
    for (text, read) in [
        (r"\u202e", "\u{202e}"),
        (r"\u0301x", "\u{301}x"),
        (r"\udb40\udc01!", "\u{e0001}!"),
        (r"\u005cu0041", r"\u0041"),
        (r"a\u0041\n", r"a\u0041\n"),
        (r"\ud83d\ude00", r"\ud83d\ude00"),
        (r"\udb40\u0041", r"\udb40\u0041"),
        (r"\udb40x\udc01", r"\udb40x\udc01"),
        (r"\u20", r"\u20"),
        (r"\u", r"\u"),
        (r"\u202\u202e", "\\u202\u{202e}"),
    ] {
        assert_eq!(unescaped(text), read, "{text}");
    }
    for text in hostile_texts()
        .iter()
        .map(String::as_str)
        .chain([r"\u202e", r"\\u0041", "\u{202e}\\u", "\u{301}"])
    {
        assert_eq!(unescaped(&with_escapes(text)), text);
    }
    assert_eq!(with_escapes("a\\u\u{202e}"), r"a\u005cu\u202e");
}
