//! Shopping for network volumes, key by key: cost of a size and term, an offer with a volume, and
//! markets without any.

use bourse::api::{ApiError, Request};
use bourse::domain::Resource;

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
    let desk = at_volumes();
    assert!(words(&desk, "US Texas").contains(&"0.001400".to_owned())); // storage_cost_total
    assert!(words(&desk, "IS Iceland").contains(&"0.000700".to_owned())); // storage_total_cost
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
    desk.expect("! The volume is 3000 GB too small")
        .expect("Available for 4.5 days after the term");
}

#[test]
fn a_record_without_prices_says_what_is_missing() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("2")
        .answer(r#"{"offers":[{"ask_contract_id":1,"geolocation":"FR"}]}"#);
    desk.keys("enter")
        .expect("No bill: storage_cost is not reported");
    desk.expect("Price not reported").expect_not("MB/s (");
}

#[test]
fn an_offer_s_basket_asks_once_and_names_the_country() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("B")
        .expect("Volumes for offer 101")
        .expect("1× RTX 4090, Texas, US: $0.410/h, $295.20 a month");
    desk.expect("Loading volumes");
    let Request::Search(query) = desk.asked() else {
        panic!()
    };
    assert_eq!(
        (query.resource, query.limit),
        (Resource::Volumes, Some(500))
    );
    desk.answer(crate::stories::unlist::TWO);
    // The offer names no cluster: one volume stands in the US, at 10 $ a month for 100 GB.
    desk.expect("are in its country, none in its cluster")
        .expect("not be able to mount them");
    desk.resize(99, 40);
    let line = words(&desk, "4001");
    assert!(line.contains(&"10.00".to_owned()), "{line:?}");
    assert!(line.contains(&"305.20".to_owned()), "{line:?}");
    desk.expect_not("4002");
    desk.resize(120, 40).expect("295.20 + 10.00");
    desk.keys("esc").expect("All 3 ");
    desk.keys("B");
    assert!(desk.calls.is_empty(), "the volumes are here already");
}

#[test]
fn a_volume_of_the_same_cluster_comes_before_the_country() {
    let mut desk = TestApp::new();
    desk.answer(&THREE.replace("\"machine_id\":7,", "\"machine_id\":7,\"cluster_id\":8,"));
    desk.keys("2")
        .answer(crate::stories::unlist::TWO)
        .keys("1 B");
    assert!(desk.calls.is_empty(), "the Volumes pane's rows are used");
    desk.resize(99, 40)
        .expect("1 of 2 volumes in your search (verified=true) are in its cluster");
    desk.expect("4002").expect_not("4001");
    desk.keys("J");
    retype(&mut desk, "1000");
    desk.keys("enter");
    let line = words(&desk, "9000 GB");
    assert!(line.contains(&"345.20".to_owned()), "{line:?}"); // 295.20 + 0.05 x 1000
    desk.keys("enter").selects("4002").expect("Term $");
}

#[test]
fn the_basket_opens_from_the_detail_and_one_step_leads_back() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("enter B")
        .answer(crate::stories::unlist::TWO)
        .expect("Both $/mo");
    desk.keys("esc")
        .expect("[Overview]")
        .expect_not("Both $/mo");
}

#[test]
fn leaving_the_basket_stops_its_request() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("B");
    assert_eq!(desk.calls.len(), 1);
    desk.keys("esc");
    assert!(desk.calls.is_empty());
}

#[test]
fn the_basket_s_failure_is_told_and_r_asks_again() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("B").fail(ApiError::NotOffered);
    desk.expect("this market has no network volumes");
    desk.keys("r")
        .answer(crate::stories::unlist::TWO)
        .expect("4001");
}

#[test]
fn keys_of_other_panes_say_where_they_belong() {
    let mut desk = at_volumes();
    desk.keys("B").expect("Only on Offers (1)");
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
fn small_screens_keep_form_and_basket_usable() {
    let mut desk = at_volumes();
    desk.resize(40, 10).keys("J").expect("Size").expect("Term");
    desk.expect("$5.00");
    desk.keys("enter").expect("Volumes priced");
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(40, 10)
        .keys("B")
        .answer(crate::stories::unlist::TWO)
        .expect("4001");
}

#[test]
fn volumes_are_marked_compared_filtered_and_saved_from_the_same_code() {
    let mut desk = at_volumes();
    desk.keys("space space v")
        .expect("4001")
        .expect("4002")
        .expect("Space");
    desk.keys("esc b").expect("Cheap network storage");
}
