//! Depth: GPUs by price; every number is worked out by hand.

use bourse::api::Request;

use crate::stories::insights::{MARKET, wide};
use crate::test_app::TestApp;

/// The words of the row of a size.
#[track_caller]
fn size(desk: &TestApp, start: &str) -> Vec<String> {
    let screen = desk.screen();
    // The sentence above the table may begin with the same number.
    let line = screen.lines().rev().find(|line| {
        let line = line.trim_matches(['┃', ' ', '›', '│']);
        line.starts_with(start)
    });
    let line = line.unwrap_or_else(|| panic!("no {start:?}:\n{screen}"));
    let words = line.trim_matches(['┃', ' ', '›', '│']);
    words.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn gpus_are_counted_once_and_add_up_by_price() {
    let mut desk = wide();
    desk.keys("D")
        .expect("all 3 models · ")
        .expect("$/GPU-h · All 5 offers");
    // 103 at 0.22, 105 at 0.30, 102 at 0.71 for two GPUs, 104 at 16.02 for eight: 101 is a part of 102.
    assert_eq!(size(&desk, "1  "), ["1", "1", "$0.220/h", "$0.220/h", "$0.220/h"]);
    // 0.52 for two.
    assert_eq!(size(&desk, "2  "), ["2", "2", "$0.260/h", "$0.300/h", "$0.520/h"]);
    // 1.23 for four, and 17.25 for twelve; 16.02 / 8 is 2.0025, a little less in binary.
    assert_eq!(size(&desk, "4  "), ["4", "3", "$0.307/h", "$0.355/h", "$1.230/h"]);
    assert_eq!(size(&desk, "12 "), ["12", "4", "$1.438/h", "$2.002/h", "$17.25/h"]);
    // The cheapest eight are the H100s, at 2.002 each.
    desk.expect("From $0.220/h; 8 GPUs at an average of $2.002/h, all 12 at $1.438/h")
        .expect("GPUs at or below a price");
    desk.keys("right")
        .expect(" RTX 3090 · ")
        .expect("From $0.220/h; all 2 GPUs at an average of $0.260/h");
    desk.keys("left").expect("all 3 models · ");
    desk.keys("q").expect_not("▏Depth▕");
}

#[test]
fn a_size_is_planned_by_a_key() {
    let mut desk = wide();
    // Four GPUs of any model: 0.22 + 0.30 + 0.71.
    desk.keys("D j j enter")
        .expect("Cluster")
        .expect("4 GPUs in 3 offers on 3 machines")
        .expect("$1.230/h");
    desk.keys("esc").expect("all 3 models · ");
    // The RTX 4090s are one machine of two.
    desk.keys("right right enter")
        .expect("gpu_name=RTX_4090")
        .expect("$0.710/h");
}

#[test]
fn the_first_offers_of_more_say_so_and_load_more() {
    let mut desk = TestApp::with_offers(MARKET);
    desk.keys("o").keys("esc");
    if let Some(browser) = desk.model.browser_mut() {
        browser.query.limit = Some(5);
    }
    desk.keys("r").answer(MARKET).keys("D");
    desk.expect("First 5 offers, more exist")
        .expect("! Only the first 5 offers: cheaper ones may be missing (o to load 20)");
    desk.keys("o");
    let Request::Search(query) = desk.asked() else {
        panic!("{:?}", desk.asked())
    };
    assert_eq!(query.limit, Some(20));
    desk.answer(MARKET).expect("All 5 offers").expect_not("load more");
}

#[test]
fn depth_is_readable_on_small_and_large_screens() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        let mut desk = TestApp::with_offers(MARKET);
        desk.resize(size.0, size.1).keys("D");
        desk.expect("all 3 models · ")
            .expect("8 GPUs at an average of $2.002/h")
            .expect("Average per GPU")
            .expect("$17.25/h")
            .expect("GPUs at or below a price");
    }
}

#[test]
fn depth_is_about_offers() {
    let mut desk = wide();
    desk.keys("2 D").expect("Only on Offers (1)");
}
