//! The market view: groups with their prices and supply; every number is worked out by hand.

use bourse::api::Request;
use bourse::domain::{Resource, language};

use crate::stories::insights::{MARKET, wide};
use crate::stories::unlist::at_volumes;
use crate::test_app::TestApp;

/// The figures behind the name of a group.
#[track_caller]
fn figures(desk: &TestApp, name: &str) -> Vec<String> {
    let screen = desk.screen();
    let line = screen.lines().find(|line| line.contains(name));
    let line = line.unwrap_or_else(|| panic!("no {name:?}:\n{screen}"));
    let behind = line.split(name).nth(1).unwrap();
    behind
        .split_whitespace()
        .take_while(|word| !word.contains(['├', '●', '│', '┃']))
        .map(str::to_owned)
        .collect()
}

fn asked(desk: &TestApp) -> (Resource, String) {
    let Request::Search(query) = desk.asked() else {
        panic!("{:?}", desk.asked())
    };
    (query.resource, language::print(&query.conditions))
}

#[test]
fn groups_count_machines_once_and_show_the_spread_of_their_prices() {
    let mut desk = wide();
    desk.keys("m").expect("$/GPU-h · All 5 offers");
    desk.expect("sorted by machines");
    // Two machines. Per GPU: 0.22 and 0.30; a quarter of the way is 0.24. 50 / 0.22 = 227.3.
    assert_eq!(
        figures(&desk, "› RTX 3090"),
        ["2", "2", "0.220", "0.240", "0.260", "0.280", "227.3"]
    );
    // 101 and 102 are slices of one machine of two GPUs: 0.71 / 2 a GPU at best; 190 / 0.71 = 267.6.
    assert_eq!(
        figures(&desk, " RTX 4090"),
        ["2", "1", "0.355", "0.355", "0.355", "0.355", "267.6"]
    );
    desk.expect("2 GPUs on 2 machines")
        .expect("Cheapest offer 103 at $0.220/h · best value 103 with 227.3 DLPerf per $")
        .expect("GPUs at or below a price");
    desk.keys("j").expect("2 GPUs on 1 machine ");
}

#[test]
fn arrows_change_the_groups_and_sorting_follows_what_is_paid_for() {
    let mut desk = wide();
    desk.keys("m right").expect("› 1×");
    desk.keys("right right").expect("› US").expect(" —");
    desk.keys("left left left").expect("› RTX 3090");
    desk.keys("left").expect("› —"); // no record says who hosts
    desk.keys("right s").expect("sorted by lowest price");
    // 2400 / 16.02 = 149.8 is the least for the money, 267.6 the most.
    desk.keys("s s").expect("sorted by speed (DLPerf) per $");
    let screen = desk.screen();
    let place = |name| screen.find(name).unwrap();
    assert!(place("RTX 4090") < place("RTX 3090"));
    assert!(place("RTX 3090") < place("H100 SXM"));
    // Grouping and order are remembered.
    desk.keys("right esc m").expect("› 2×");
}

#[test]
fn summary_plot_and_depth_are_tabs_that_stay_as_they_were_left() {
    let mut desk = wide();
    desk.keys("m right")
        .expect("Market ▏Summary▕ Plot  Depth ")
        .expect("› 1×");
    desk.keys("D right")
        .expect("Market  Summary  Plot ▏Depth▕")
        .expect(" RTX 3090 · ");
    // From the last tab to the first, and back over the one that was not open yet.
    desk.keys("tab").expect("▏Summary▕").expect("› 1×");
    desk.keys("tab").expect("▏Plot▕").expect("DLPerf (y) by $/h (x)");
    desk.keys("shift-tab shift-tab")
        .expect("▏Depth▕")
        .expect(" RTX 3090 · ");
    desk.keys("p").expect("▏Plot▕");
    desk.keys("esc").expect_not("▏Plot▕");
    // While words are searched, the letters are text.
    desk.keys("m /").type_text("p").expect("▏Summary▕ Plot  Depth ");
}

#[test]
fn a_click_opens_a_tab() {
    let mut desk = wide();
    desk.keys("m")
        .click("Depth")
        .expect("▏Depth▕")
        .expect("all 3 models · ");
}

#[test]
fn volumes_have_no_depth() {
    let mut desk = at_volumes();
    desk.keys("m").expect("Market ▏Summary▕ Plot ").expect_not("Depth");
    desk.keys("tab tab").expect("▏Summary▕");
    desk.keys("D").expect("D does nothing here");
}

#[test]
fn enter_filters_by_the_group() {
    let mut desk = wide();
    desk.keys("m j enter");
    let conditions = "verified=true rentable=true rented=false gpu_name=RTX_4090";
    assert_eq!(asked(&desk), (Resource::Offers, conditions.to_owned()));
    desk.answer(MARKET).expect("gpu_name=RTX_4090");
    // The query that ran before can be recalled.
    desk.keys("/ up");
    desk.expect("/ verified=true rentable=true rented=false  ");
}

#[test]
fn a_filter_takes_the_place_of_conditions_on_the_same_field() {
    let mut desk = wide();
    desk.keys("/").type_text("num_gpus>=1").keys("enter").answer(MARKET);
    desk.keys("m right G enter");
    let conditions = "verified=true rentable=true rented=false num_gpus=8";
    assert_eq!(asked(&desk).1, conditions);
}

#[test]
fn volumes_are_grouped_like_offers() {
    let mut desk = at_volumes();
    desk.resize(200, 60).keys("m").expect("by Country · ");
    // 800 MB/s for 0.1 $/GB/month, 80 for 0.05.
    assert_eq!(
        figures(&desk, " US"),
        ["1", "0.100", "0.100", "0.100", "0.100", "8000.0"]
    );
    // By cluster: 7 has the volume in Texas.
    desk.keys("right").expect("Cluster  ");
    assert_eq!(figures(&desk, "› 7 ")[..2], ["1", "0.100"]);
    assert_eq!(figures(&desk, "  8 ")[..2], ["1", "0.050"]);
    desk.keys("left").expect(" US");
    desk.keys("s s s").expect("sorted by MB/s per $");
    desk.keys("g enter");
    let conditions = "verified=true geolocation=US";
    assert_eq!(asked(&desk), (Resource::Volumes, conditions.to_owned()));
}

#[test]
fn prices_of_a_job_are_bills() {
    let mut desk = wide();
    desk.keys("J enter m").expect("$/GPU for the job");
    // 103 ends before the job does and 105 does not say when: they have no say.
    desk.expect_not("$8.76");
    // 102: 0.70 x 24 + 0.9 x 50 / 720 x 24 + 20 x 0.01 + 5 x 0.02 = 16.8 + 1.5 + 0.3, 9.30 for each of two GPUs;
    // the one of 101 costs 9.6 + 1.5 + 0.3 = 11.40.
    desk.keys("j")
        .expect("Cheapest offer 102 at $18.60 for the job (2 GPUs)");
}

#[test]
fn it_is_drawn_at_every_size_and_without_colours() {
    let mut desk = wide();
    for ascii in [false, true] {
        desk.theme.ascii = ascii;
        desk.keys("m");
        for (columns, rows) in [(40, 10), (80, 24), (120, 40), (200, 60), (300, 80)] {
            desk.resize(columns, rows).expect("RTX 3090");
        }
        desk.keys("esc");
    }
}

/// A wide screen with an offer selected.
fn with_panel() -> TestApp {
    let mut desk = TestApp::with_offers(MARKET);
    desk.resize(200, 60);
    desk
}

#[test]
fn a_wide_screen_shows_the_market_left_of_the_table() {
    let mut desk = with_panel();
    desk.expect("╭ Market ─").expect("$/GPU-h").expect("┏ Offers ━");
    let screen = desk.screen();
    let titles = screen.lines().find(|line| line.contains(" Market ")).unwrap();
    assert!(titles.find(" Market ") < titles.find(" Offers "), "{screen}");
    desk.resize(169, 60).expect_not(" Market ");
    desk.resize(170, 60).expect(" Market ");
    desk.keys("3").expect_not(" Market ");
}

#[test]
fn the_panel_filters_by_the_selected_group() {
    let mut desk = with_panel();
    desk.keys("left").expect("┏ Market ━").expect("╭ Offers ─");
    // The groups follow each other by machines: two RTX 3090 come before the RTX 4090.
    desk.keys("j enter");
    let conditions = "verified=true rentable=true rented=false gpu_name=RTX_4090";
    assert_eq!(asked(&desk), (Resource::Offers, conditions.to_owned()));
    desk.keys("esc").expect("╭ Market ─").expect("┏ Offers ━");
}

#[test]
fn keys_move_the_cursor_of_the_focused_panel_only() {
    let mut desk = with_panel();
    let first = desk.highlighted();
    desk.keys("left j right");
    assert_eq!(desk.highlighted(), first);
    desk.keys("left esc").expect("┏ Offers ━");
    desk.keys("left right").expect("┏ Offers ━");
}

#[test]
fn a_dialog_takes_the_focus_from_the_panels_below() {
    let mut desk = with_panel();
    desk.expect("┏ Offers ━");
    desk.keys("y").expect("╭ Offers ─").expect_not("┏ Offers ━");
    desk.keys("esc").expect("┏ Offers ━");
}

#[test]
fn prices_per_gpu_and_of_an_offer_are_told_apart() {
    let mut desk = wide();
    desk.keys("m").expect("by GPU · $/GPU-h");
    // 16.02 / 8 GPUs.
    assert_eq!(figures(&desk, " H100 SXM")[2], "2.002");
    while !desk.shows("› H100") {
        desk.keys("j");
    }
    desk.expect("Cheapest offer 104 at $16.02/h (8 GPUs)");
}
