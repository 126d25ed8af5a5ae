//! Shopping for network volumes, key by key: cost of a size and term, and markets without any.

use bourse::api::ApiError;
use bourse::tui::theme::Theme;

use crate::stories::unlist::at_volumes;
use crate::test_app::{THREE, TestApp};

/// The lines of the screen that hold a text.
fn lines(desk: &TestApp, text: &str) -> Vec<String> {
    let screen = desk.screen();
    let found = screen.lines().filter(|line| line.contains(text));
    found.map(str::to_owned).collect()
}

/// The words of the one line that holds a text.
#[track_caller]
fn words(desk: &TestApp, text: &str) -> Vec<String> {
    let found = lines(desk, text);
    assert_eq!(found.len(), 1, "{text}\n{}", desk.screen());
    found[0].split_whitespace().map(str::to_owned).collect()
}

/// Empties the line that is typed into and types a text.
fn retype(desk: &mut TestApp, text: &str) {
    desk.keys("ctrl-u").type_text(text);
}

#[test]
fn both_spellings_of_the_hourly_price_are_read() {
    let mut desk = at_volumes();
    desk.resize(160, 30);
    assert!(words(&desk, "US Texas").contains(&"0.001400".to_owned())); // storage_cost_total
    assert!(words(&desk, " Iceland  ").contains(&"0.000700".to_owned())); // storage_total_cost
}

#[test]
fn the_detail_shows_cost_availability_room_and_the_spread_of_speeds() {
    let mut desk = at_volumes();
    desk.keys("enter");
    desk.expect("100 GB for 30 days")
        .expect("An example (J sets size and term)");
    // Until 1796000000, 824000 s from now: 9.5 days, 20.5 days short of a month.
    desk.expect("! The volume ends 20 days before the term does")
        .expect_not("too small");
    desk.expect("80 MB/s (50–100)");
    desk.keys("J");
    retype(&mut desk, "12000");
    desk.keys("tab");
    retype(&mut desk, "5 days");
    desk.keys("enter").expect("12 TB for 5 days");
    desk.expect("! The volume is 3,000 GB too small")
        .expect("Available for 4.5 days after the term");
}

#[test]
fn of_equal_prices_the_faster_volume_comes_first() {
    let volume = |id: u32, price: f64, speed: u32| {
        format!(r#"{{"ask_contract_id":{id},"storage_cost":{price},"nw_disk_avg_bw":{speed},"disk_space":9000}}"#)
    };
    let volumes = [volume(1, 0.05, 900), volume(2, 0.05, 5000), volume(3, 0.04, 111)].join(",");
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("2").answer(&format!(r#"{{"offers":[{volumes}]}}"#));
    let screen = desk.screen();
    let at = |speed: &str| {
        screen
            .find(speed)
            .unwrap_or_else(|| panic!("{speed} is missing\n{screen}"))
    };
    assert!(at(" 111 ") < at(" 5000 ") && at(" 5000 ") < at(" 900 "), "{screen}");
}

#[test]
fn a_record_without_prices_says_what_is_missing() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("2")
        .answer(r#"{"offers":[{"ask_contract_id":1,"geolocation":"FR"}]}"#);
    desk.keys("enter").expect("No bill: storage_cost is not reported");
    desk.expect("Price not reported").expect_not("MB/s (");
}

#[test]
fn a_market_without_volumes_is_explained() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("2").fail(ApiError::NotOffered);
    desk.expect("This market has no network volumes")
        .expect("not every market offers them")
        .expect("1 offers");
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("2").answer(r#"{"success":true,"offers":[]}"#);
    desk.expect("No network volumes match this query");
}

#[test]
fn small_screens_keep_the_form_usable() {
    let mut desk = at_volumes();
    desk.resize(40, 10).keys("J").expect("Size").expect("Term");
    desk.expect("$5.00");
    desk.keys("enter").expect("Volumes priced");
}

#[test]
fn volumes_are_marked_compared_filtered_and_saved_from_the_same_code() {
    let mut desk = at_volumes();
    desk.keys("space space v").expect("4001").expect("4002").expect("Space");
    desk.keys("esc b").expect("Cheap network storage");
}

#[test]
fn words_about_gpus_lead_to_the_search_of_offers() {
    let mut desk = at_volumes();
    desk.keys("/ ctrl-u").type_text("4090 eu").expect("maybe 1 / on Offers");
    desk.keys("ctrl-u")
        .type_text("24 gpus on at least three machines in one country")
        .keys("enter")
        .expect("maybe 1 / on Offers");
    desk.keys("ctrl-u").type_text("zork").expect_not("on Offers");
}

#[test]
fn a_new_size_keeps_the_term_and_changes_the_bill() {
    let mut desk = at_volumes();
    desk.keys("/ ctrl-u").type_text("2 tb for three months").keys("enter");
    desk.expect("term 2,000 GB for 90 d");
    desk.keys("/").type_text(" 5 tb").keys("enter");
    desk.expect("term 5,000 GB for 90 d");
}

#[test]
fn the_numbers_of_a_volume_stand_among_those_of_all_loaded_ones() {
    let mut desk = at_volumes();
    desk.resize(200, 60).keys("enter");
    desk.keys("tab")
        .expect("Among the 2 loaded")
        .expect("Alternatives among all 2");
    let screen = desk.screen();
    let line = screen
        .lines()
        .find(|line| line.contains("Avg MB/s") && line.contains('●'));
    let line = line.unwrap_or_else(|| panic!("{screen}"));
    let words: Vec<_> = line
        .split(['│', '┃', '┄', '●', ' '])
        .filter(|word| !word.is_empty())
        .collect();
    // This one, the lowest, the highest and their median.
    assert_eq!(words[..6], ["Avg", "MB/s", "80", "80", "800", "440"], "{screen}");
    // Both are equal in what is not listed, and a low screen has room for the fields alone.
    assert!(
        !screen
            .lines()
            .any(|line| line.contains("Verified") && line.contains('●'))
    );
    desk.resize(80, 24).expect_not("Among the 2 loaded");
    desk.resize(200, 60).keys("tab");
    desk.expect("bourse volumes --no-default id=4002")
        .expect("Among the 2 loaded")
        .expect("Alternatives among all 2");
}

#[test]
fn the_better_end_of_a_number_is_good() {
    let mut desk = at_volumes();
    desk.theme = Theme::DARK;
    desk.resize(200, 60).keys("enter tab").expect("Among the 2 loaded");
    let style = |desk: &TestApp, label: &str| {
        let screen = desk.screen();
        let row = screen
            .lines()
            .position(|line| line.starts_with(&format!("│ {label} ")) && line.contains('●'));
        let row = row.unwrap_or_else(|| panic!("{label}\n{screen}"));
        let cells = &desk.cells()[row * 200..(row + 1) * 200];
        cells.iter().find(|cell| cell.symbol() == "●").map(|cell| cell.fg)
    };
    // It is the cheaper and the slower of the two.
    assert_eq!(style(&desk, "$/GB/mo"), Theme::DARK.good.fg);
    assert_eq!(style(&desk, "Avg MB/s"), Theme::DARK.warning.fg);
    desk.keys("right").expect("Network volume 4001");
    assert_eq!(style(&desk, "$/GB/mo"), Theme::DARK.warning.fg);
    assert_eq!(style(&desk, "Avg MB/s"), Theme::DARK.good.fg);
}

#[test]
fn a_card_leaves_the_ends_of_the_speed_out_rather_than_cut_them() {
    let fast = |low: &str, high: &str| {
        let mut desk = TestApp::with_offers(THREE);
        let speeds = format!(
            r#"{{"offers":[{{"id":1,"ask_contract_id":1,"disk_space":100,"nw_disk_avg_bw":1814,
               "nw_disk_min_bw":{low},"nw_disk_max_bw":{high},"storage_cost":0.1,"geolocation":"FR"}}]}}"#
        );
        desk.keys("2").answer(&speeds).resize(100, 40);
        desk
    };
    fast("5", "9").expect("1,814 MB/s (5–9)");
    fast("1000000", "2000000")
        .expect("1,814 MB/s")
        .expect_not("1,814 MB/s (");
}
