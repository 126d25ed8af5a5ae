//! Texts far larger than any screen: what is shown of them, where the rest is, and that nobody pays
//! for what is not shown.

use std::fmt::Write as _;

use bourse::domain::text::visible;

use crate::cases::cases;
use crate::test_app::TestApp;

/// An answer of two offers, the first of them with these members besides its own.
fn offers(members: &str) -> String {
    format!(
        r#"{{"offers":[{{"id":101,"num_gpus":1,"dph_total":0.4,{members}}},
            {{"id":102,"gpu_name":"RTX 3090","num_gpus":1,"dph_total":0.5}}]}}"#
    )
}

fn eight_megabytes(of: &str) -> String {
    of.repeat(8_000_000 / of.len())
}

#[test]
fn the_details_show_the_beginning_of_a_text_and_how_much_more_there_is() {
    let text = eight_megabytes("word ");
    let mut desk = TestApp::with_offers(&offers(&format!(r#""gpu_name":"{text}""#)));
    desk.resize(200, 50).expect("word word");
    desk.keys("enter").expect("word word");
    desk.keys("tab / g p u _ n a m e enter").expect("word word");
    let one = format!(r#""gpu_name":"RTX 4090","note":"{text}""#);
    let mut desk = TestApp::with_offers(&offers(&one));
    desk.resize(400, 60).keys("enter tab / n o t e enter");
    desk.expect("8.0 MB: the JSON tab shows all of it");
}

#[test]
fn the_json_tab_pages_to_the_end_of_a_text_and_finds_what_lines_break_apart() {
    // The needle stands where the 512 bytes of a line end.
    let text = format!(
        "{}needle{}the end",
        "x".repeat(490),
        "y ".repeat(cases(500_000, 4_000_000))
    );
    let members = format!(r#""gpu_name":"RTX 4090","note":"{text}""#);
    let mut desk = TestApp::with_offers(&offers(&members));
    desk.keys("enter tab tab tab").expect("RTX 4090");
    desk.keys("G").expect("the end");
    desk.keys("g / n e e d l e enter").expect("1 of 1");
    desk.keys("esc g / t h e space e n d enter").expect("1 of 1");
    desk.expect("the end");
}

#[test]
fn a_record_of_200_000_secrets_is_shown_without_any_of_them() {
    let mut members = String::from(r#""gpu_name":"RTX 4090","note":"--key canary-000007 -v""#);
    for number in 0..200_000 {
        // A String takes everything.
        let _ = write!(members, r#","secret_{number}":"canary-{number:06}""#);
    }
    let mut desk = TestApp::with_offers(&offers(&members));
    desk.resize(200, 50).keys("enter tab G");
    desk.expect("199,001 more fields").expect_not("canary");
    desk.keys("g tab tab").expect(r#""secret_0": "<removed>""#);
    desk.expect("--key <removed> -v").expect_not("canary");
    desk.keys("G").expect(r#""secret_199999": "<removed>""#);
    // Neither list reads the record to offer copies of it.
    desk.keys("esc ?").keys("esc y");
    desk.expect("6142 kB is over the clipboard's limit");
}

/// The screen but for `lines 1–31 of 1288`: how many lines a text has depends on where its letters
/// end.
fn without_line_counts(screen: &str) -> String {
    let line = |line: &str| match line.split_once(" lines ") {
        Some((before, counts)) if counts.contains(" of ") => before.trim_end().to_owned(),
        _ => line.to_owned(),
    };
    screen.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_not_shown_of_a_text_changes_nothing_on_the_screen() {
    // Were more of the texts read than is shown, marks, wide letters and blanks would show.
    let ends = ["x", "\u{301}", "漢", " ", "\\u202e"];
    let screens = ends.map(|end| {
        let end = end.repeat(300_000 / end.len());
        let text = format!("{}{}", "visible ".repeat(1000), &end[..180_000]);
        let members = format!(r#""gpu_name":"{text}","cpu_name":"{text}","note":"{text}""#);
        let mut desk = TestApp::with_offers(&offers(&members));
        let mut screens = vec![without_line_counts(&desk.screen())];
        for keys in ["enter", "tab", "G", "g tab tab", "esc ? esc", "/ v i s"] {
            desk.keys(keys);
            screens.push(without_line_counts(&desk.screen()));
        }
        screens
    });
    for other in &screens[1..] {
        assert_eq!(other, &screens[0]);
    }
}

#[test]
fn a_pile_of_marks_takes_no_more_than_its_cells() {
    let pile = format!("Z{}", "\u{301}".repeat(8_000_000));
    for width in [1, 20, 256] {
        let shown = visible(&pile, width);
        assert!(shown.chars().filter(|mark| *mark == '\u{301}').count() <= 3);
        assert!(shown.len() < 32, "{shown}");
    }
}

#[test]
fn a_paste_that_is_too_long_is_refused_as_a_whole() {
    let mut desk = TestApp::with_offers(&offers(r#""gpu_name":"RTX 4090""#));
    desk.keys("/").type_text("gpu");
    desk.paste(&"x".repeat(1_000_000));
    desk.expect("1.0 MB is too long for this field: nothing was pasted");
    assert!(desk.model.browser().unwrap().bar.input.text().ends_with("gpu"));
    // One that fits comes in one piece, at the cursor.
    desk.keys("left").paste("A\nB\u{202e}");
    desk.expect("1 invisible or control characters left out");
    assert!(desk.model.browser().unwrap().bar.input.text().ends_with("gpA Bu"));
    // Together they have no room either.
    desk.paste(&"x".repeat(4090))
        .expect("4.1 kB is too long for this field");
}

#[test]
fn keys_fill_the_line_and_no_more() {
    let mut desk = TestApp::with_offers(&offers(r#""gpu_name":"RTX 4090""#));
    desk.keys("/ ctrl-u").paste(&"x".repeat(4000));
    desk.type_text(&"x".repeat(cases(200, 10_000)));
    assert_eq!(desk.model.browser().unwrap().bar.input.text().len(), 4096);
    desk.keys("backspace y");
    assert!(desk.model.browser().unwrap().bar.input.text().ends_with("xxy"));
    desk.keys("esc").expect("RTX 4090");
}
