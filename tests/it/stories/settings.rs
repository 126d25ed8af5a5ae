//! Price type, storage, limit and switches, key by key; the prices by hand.

use bourse::api::{ApiError, wire};
use bourse::domain::time::UnixTime;
use bourse::domain::{Dialect, Listing, OFFERS, OfferType};
use serde_json::json;

use crate::test_app::{THREE, TestApp};

/// THREE as a market that was asked for 100 GB prices it: 0.40 + 0.9 x 100 / 720 = 0.525,
/// 16 + 1.8 x 100 / 720 = 16.25, 0.30 + 0.9 x 100 / 720 = 0.425.
fn at_100_gb() -> String {
    THREE
        .replace("\"dph_total\":0.41", "\"dph_total\":0.525")
        .replace("\"dph_total\":16.02", "\"dph_total\":16.25")
        .replace("\"dph_total\":0.31", "\"dph_total\":0.425")
}

fn set_storage(desk: &mut TestApp, gb: &str) {
    desk.keys("o down ctrl-u").type_text(gb).keys("enter");
}

#[test]
fn another_storage_reprices_every_row_at_once() {
    let mut desk = TestApp::with_offers(THREE);
    desk.expect("0.4100").expect("8 GB disk");
    set_storage(&mut desk, "100");
    assert!(desk.calls.is_empty(), "the documented interface cannot ask");
    desk.expect("0.5250").expect("16.2500").expect("0.4250");
    desk.expect_not("0.4100").expect("~$/h");
    // 100 / 0.525 = 190.476, 2400 / 16.25 = 147.692, 90 / 0.425 = 211.765
    desk.keys("z").expect("190.5").expect("147.7").expect("211.8");
    desk.expect("100 GB disk (estimate)");
    set_storage(&mut desk, "8");
    desk.expect("0.4100")
        .expect("243.9")
        .expect_not("estimate")
        .expect_not("~$/h");
}

#[test]
fn an_estimate_lasts_until_the_market_confirms_it() {
    let mut desk = TestApp::speaking(&Dialect::VAST);
    desk.answer(THREE);
    set_storage(&mut desk, "100");
    assert_eq!(desk.asked_query().storage, Some(100.0));
    let body = wire::encode(desk.asked(), &Dialect::VAST).body.unwrap();
    assert_eq!(body["allocated_storage"], json!(100));
    desk.expect("0.5250").expect("100 GB disk (estimate)");
    desk.fail(ApiError::Lost);
    desk.expect("0.5250").expect("(estimate)");
    desk.keys("esc r").answer(&at_100_gb());
    desk.expect("0.5250").expect("100 GB disk").expect_not("estimate");
}

#[test]
fn orders_and_local_conditions_follow_the_estimate() {
    let mut desk = TestApp::with_offers(THREE);
    // Row 103 is dearest in storage terms: with little disk 103 leads, with 1000 GB still
    // 0.30 + 1.25 = 1.55 < 0.40 + 1.25 = 1.65; DLPerf per dollar turns round instead:
    // at 8 GB 290.3 > 243.9, at 1000 GB 90 / 1.55 = 58.1 < 100 / 1.65 = 60.6.
    desk.keys("s").type_text("dlperf_per_dphtotal").keys("ctrl-t");
    desk.keys("ctrl-u")
        .type_text("score")
        .keys("delete enter g")
        .selects("103");
    set_storage(&mut desk, "1000");
    desk.keys("g").selects("102");
    desk.keys("j").selects("101");
    desk.keys("j").selects("103");
    desk.keys("/").type_text("dph_total<1.6").keys("enter");
    desk.expect("1 of 3 offers").selects("103");
}

#[test]
fn the_detail_says_that_a_price_is_an_estimate() {
    let mut desk = TestApp::with_offers(THREE);
    set_storage(&mut desk, "100");
    desk.keys("enter").expect("~$0.525/h");
    desk.keys("tab").expect("~$0.5250/h estima");
    desk.keys("tab tab");
    desk.expect("\"dph_total\": 0.41"); // the record stays as it came
}

/// What an estimate makes of one number of one record.
fn estimated(record: &str, gb: f64, key: &str) -> Option<f64> {
    let mut listing = Listing::read(&OFFERS, format!("{{\"offers\":[{record}]}}"), UnixTime::new(0.0)).unwrap();
    listing.estimate_storage(Some(gb));
    let field = OFFERS.by_key(key).unwrap();
    assert_eq!(
        listing.full_record(0).cell(field).number(),
        listing.cell(0, field).number(),
        "{key}: the detail and the table agree"
    );
    listing.cell(0, field).number()
}

#[track_caller]
fn near(value: Option<f64>, wanted: f64) {
    let value = value.expect("a number");
    assert!((value - wanted).abs() < 5e-7, "{value} is not {wanted}");
}

#[test]
fn a_captured_offer_is_repriced_to_the_last_place() {
    // Captured on 2025-07-26 at 8 GB: 0.105333 + 0.933333 x 8 / 720 = 0.1157037.
    const OFFER: &str = r#"{"id":1,"dph_base":0.105333,"storage_cost":0.933333,"storage_total_cost":0.0103704,
        "dph_total":0.1157037,"discounted_dph_total":0.1157037,"dph_total_adj":0.1196100,"dlperf":141.77,
        "dlperf_per_dphtotal":1225.29,"total_flops":26.8,"flops_per_dphtotal":231.6,
        "search":{"gpuCostPerHour":0.105333,"diskHour":0.0103704,"totalHour":0.1157037,"discountedTotalPerHour":0.1157037},
        "instance":{"gpuCostPerHour":0,"diskHour":0.0103704,"totalHour":0.0103704,"discountedTotalPerHour":0.0103704}}"#;
    // 0.933333 x 50 / 720 = 0.06481479
    near(estimated(OFFER, 50.0, "storage_total_cost"), 0.064_814_8);
    near(estimated(OFFER, 50.0, "dph_total"), 0.170_147_8);
    near(estimated(OFFER, 50.0, "discounted_dph_total"), 0.170_148_1);
    near(estimated(OFFER, 50.0, "dph_total_adj"), 0.174_054_4);
    near(estimated(OFFER, 50.0, "search.totalHour"), 0.170_148_1);
    near(estimated(OFFER, 50.0, "instance.totalHour"), 0.064_814_8);
    near(estimated(OFFER, 50.0, "search.gpuCostPerHour"), 0.105_333);
    let per_dollar = estimated(OFFER, 50.0, "dlperf_per_dphtotal").unwrap();
    assert!((per_dollar - 833.217).abs() < 0.01, "{per_dollar}"); // 141.77 / 0.1701478
    let flops = estimated(OFFER, 50.0, "flops_per_dphtotal").unwrap();
    assert!((flops - 157.51).abs() < 0.01, "{flops}"); // 26.8 / 0.1701478
    // Without storage only the GPUs are paid.
    near(estimated(OFFER, 0.0, "dph_total"), 0.105_333);
    near(estimated(OFFER, 0.0, "instance.totalHour"), 0.0);
}

#[test]
fn storage_at_20_cents_and_150_gb_is_4_cents_an_hour() {
    let offer = r#"{"id":1,"dph_base":1.0,"dph_total":1.002222,"storage_cost":0.2}"#;
    near(estimated(offer, 150.0, "dph_total"), 1.041_667);
}

#[test]
fn what_cannot_be_repriced_is_blank_and_what_was_not_sent_stays_so() {
    let offer = r#"{"id":1,"dph_base":1.0,"dph_total":1.01}"#;
    assert_eq!(estimated(offer, 100.0, "dph_total"), None);
    assert_eq!(estimated(offer, 0.0, "dph_total"), Some(1.0));
    let offer = r#"{"id":1,"dph_base":1.0,"storage_cost":0.9}"#;
    assert_eq!(estimated(offer, 100.0, "dph_total"), None);
}

#[test]
fn the_price_type_goes_with_the_next_question() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("o").expect("‹ on-demand ›");
    desk.keys("right right").expect("‹ reserved ›");
    desk.keys("left enter");
    assert_eq!(desk.asked_query().offer_type, OfferType::Bid);
}

#[test]
fn the_limit_is_a_number_or_left_to_the_market() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("o down down ctrl-u").type_text("0").keys("enter");
    desk.expect("from 1 on").expect("▏Settings▕");
    assert!(desk.calls.is_empty());
    desk.keys("ctrl-u").type_text("64").keys("enter");
    assert_eq!(desk.asked_query().limit, Some(64));
    desk.answer(THREE).keys("o down down ctrl-u enter");
    assert_eq!(desk.asked_query().limit, None);
}

#[test]
fn vcpus_and_datacenters_are_applied_here_where_they_cannot_be_sent() {
    let with = THREE
        .replace("\"id\":101,", "\"id\":101,\"cpu_cores\":16,\"hosting_type\":0,")
        .replace("\"id\":102,", "\"id\":102,\"cpu_cores\":128,\"hosting_type\":1,")
        .replace("\"id\":103,", "\"id\":103,\"cpu_cores\":64,\"hosting_type\":0,");
    let mut desk = TestApp::with_offers(&with);
    desk.keys("o down down down").type_text("64").keys("enter");
    assert!(desk.calls.is_empty());
    desk.expect("2 of 3 offers").expect("vCPUs ≥ 64 (local)");
    desk.keys("o up up").expect("Sent as type."); // Up stops at the first field
}

#[test]
fn hosts_and_bundling_are_sent_where_they_have_names() {
    let mut desk = TestApp::speaking(&Dialect::VAST);
    desk.answer(THREE);
    desk.keys("o down down down down space").expect("datacenters only");
    desk.keys("down space").expect("each on its own");
    desk.keys("enter");
    let body = wire::encode(desk.asked(), &Dialect::VAST).body.unwrap();
    assert_eq!(body["datacenter"], json!({"eq": true}));
    assert_eq!(body["disable_bundling"], json!(true));
    desk.answer(THREE)
        .expect("not bundled")
        .expect("/ datacenter · verified");
}

#[test]
fn bundling_is_greyed_with_the_reason_where_it_has_no_name() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("o down down down down down space");
    desk.expect("bundled into one")
        .expect("This market has no parameter for it");
    desk.keys("enter");
    assert!(desk.calls.is_empty());
}

#[test]
fn leaving_keeps_the_settings_for_the_next_visit() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("o down ctrl-u").type_text("250").keys("esc");
    desk.expect("0.4100").expect_not("estimate");
    desk.keys("o").expect("Press Ctrl-y to restore your edits");
    desk.keys("ctrl-y enter").expect("250 GB disk (estimate)");
}

#[test]
fn other_panes_have_the_settings_that_they_need() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("2").answer(r#"{"offers":[]}"#).keys("o");
    desk.expect("Max rows").expect_not("Prices");
    desk.keys("esc 3").answer(r#"{"success":true,"results":[]}"#);
    desk.keys("o").expect("a list of workergroups has no settings");
}

#[test]
fn every_size_is_drawn_without_a_panic() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("o");
    for (columns, rows) in [(1, 1), (39, 9), (40, 10), (80, 24), (200, 60)] {
        desk.resize(columns, rows);
    }
}
