//! The first line: what is under way is visible on a narrow screen too.

use bourse::core::message::News;
use bourse::domain::time::MonotonicTime;
use bourse::table::remote::Progress;
use bourse::table::remote::Waiting;
use bourse::tui::theme::Theme;

use crate::test_app::{THREE, TestApp};

fn header(desk: &TestApp) -> String {
    desk.screen().lines().next().unwrap().to_owned()
}

fn says(desk: &TestApp, text: &str) {
    let header = header(desk);
    assert!(header.contains(text), "{text:?} is not in {header:?}");
    // No tab is lost over it.
    for pane in ["1 Offers", "2 ", "3 ", "4 "] {
        assert!(header.contains(pane), "{header}");
    }
}

#[test]
fn loading_and_retries_are_visible_at_80_columns() {
    let mut desk = TestApp::new();
    desk.resize(80, 24).wait(3.0);
    says(&desk, "3 s");
    let ticket = desk.calls[0].0;
    let waiting = Some(Waiting {
        until: MonotonicTime::new(7.0),
        why: "Connection refused".to_owned(),
    });
    desk.tell(ticket, News::Progress(Progress::Attempt { number: 2, waiting }));
    desk.wait(0.0);
    says(&desk, "retrying in 4 s");
    desk.resize(120, 40);
    says(&desk, "retrying in 4 s: Connection refused");
    desk.tell(
        ticket,
        News::Progress(Progress::Attempt {
            number: 3,
            waiting: None,
        }),
    );
    desk.wait(1.0);
    says(&desk, "loading 4 s, retry 2");
}

#[test]
fn the_next_refresh_is_visible_at_80_columns() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 24).keys("w").wait(10.0);
    says(&desk, "next in 20 s");
    desk.keys("w").wait(0.0);
    assert!(!header(&desk).contains("next in"), "{}", header(&desk));
}

#[test]
fn rows_are_dimmed_while_newer_ones_take_long_and_after_a_failure() {
    let is_dim = |desk: &TestApp| {
        let screen = desk.screen();
        let line = screen.lines().position(|line| line.contains("16.0200"));
        let start = line.unwrap() * 120;
        let digits = desk.cells()[start..start + 20]
            .iter()
            .filter(|cell| cell.symbol().chars().all(|sign| sign.is_ascii_digit()));
        digits.into_iter().all(|cell| Some(cell.fg) == Theme::DARK.dim.fg)
    };
    let mut desk = TestApp::with_offers(THREE);
    desk.theme = Theme::DARK;
    desk.wait(1.0);
    assert!(!is_dim(&desk));
    desk.keys("r");
    assert!(!is_dim(&desk), "a fast response would only flicker");
    desk.wait(1.0);
    assert!(is_dim(&desk));
    desk.fail(bourse::api::ApiError::Lost);
    assert!(is_dim(&desk));
    desk.keys("r").answer(THREE);
    assert!(!is_dim(&desk));
}
