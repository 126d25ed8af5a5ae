//! The details of a row: its fields, where they stand and what explains them.

use crate::test_app::{THREE, TestApp};

/// The place of a text on the screen: its row and its column.
#[track_caller]
fn place(desk: &TestApp, text: &str) -> (usize, usize) {
    let screen = desk.screen();
    let mut lines = screen.lines().enumerate();
    let found = lines.find_map(|(row, line)| Some((row, line[..line.find(text)?].chars().count())));
    found.unwrap_or_else(|| panic!("{text:?} is not on the screen:\n{screen}"))
}

#[test]
fn a_wide_screen_shows_the_fields_in_columns_each_of_them_once() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(300, 60).keys("enter tab g");
    for label in ["GPU $/h", "Driver", "Verification"] {
        let count = desk.screen().matches(label).count();
        assert_eq!(count, 1, "{label}\n{}", desk.screen());
    }
    // Side by side: the section of the GPU begins beside the prices, not below all of them.
    let (price, first) = place(&desk, "GPU $/h");
    let (gpu, second) = place(&desk, "RTX 4090");
    let (disk, third) = place(&desk, "500 GB");
    assert!(first + 30 < second && second + 30 < third);
    assert!(gpu.abs_diff(price) < 20 && disk.abs_diff(price) < 20);
    // Those without a value are one line.
    desk.expect("82 fields");
    // One column where there is room for one: what comes later is further down.
    desk.resize(60, 24).keys("g").expect("GPU $/h");
    desk.expect_not("Driver").expect_not("82 fields");
}

#[test]
fn a_text_longer_than_the_panel_says_which_lines_are_visible() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 12).keys("enter").expect("lines 1–");
    desk.resize(200, 60).expect_not("lines 1–");
}
