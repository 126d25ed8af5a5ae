//! Whether an answer is what was asked for.

use bourse::domain::Dialect;

use crate::test_app::{THREE, TestApp};

#[test]
fn an_honest_answer_is_not_accused() {
    for dialect in Dialect::ALL {
        let mut desk = TestApp::speaking(dialect);
        desk.answer(THREE);
        desk.expect_not("Response doesn't match").expect_not("ignored");
    }
}

#[test]
fn more_records_than_were_asked_for_are_named() {
    let mut desk = TestApp::new();
    desk.keys("o down down ctrl-u").type_text("2").keys("enter");
    desk.answer(THREE);
    desk.expect("3 records received, at most 2 requested");
}

#[test]
fn an_order_that_was_not_kept_is_named_and_mended_here() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("s").type_text("score").keys("delete ctrl-u");
    desk.type_text("dph_total").keys("ctrl-t enter r");
    desk.answer(THREE); // 0.41, 16.02, 0.31: the last one is out of place
    desk.expect("the market ignored the sort order dph_total (1 row out of place): sorted locally");
    desk.keys("g").selects("103");
}

#[test]
fn rows_of_an_earlier_query_are_called_so() {
    let mut desk = TestApp::with_offers(THREE);
    desk.expect("All 3 offers");
    desk.keys("/").type_text("gpu_name=H200").keys("enter").keys("esc");
    desk.expect("Request cancelled")
        .expect("3 offers of an earlier query")
        .expect_not("All 3");
    // What the market is not asked for filters the rows that there are.
    desk.keys("r").answer(THREE).expect("All 3 offers");
    desk.keys("/").type_text("dph_per_gpu<1").keys("enter");
    assert!(desk.calls.is_empty());
    desk.expect_not("earlier query");
}

#[test]
fn rows_without_a_value_may_stand_anywhere_in_an_order() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("s").type_text("score").keys("delete ctrl-u");
    desk.type_text("dph_total").keys("ctrl-t enter r");
    desk.answer(r#"{"offers":[{"id":1,"dph_total":null},{"id":2,"dph_total":0.1},{"id":3},{"id":4,"dph_total":0.2}]}"#);
    desk.expect_not("Response doesn't match");
}

#[test]
fn a_ranking_with_an_element_of_chance_is_not_accused_but_no_order_is() {
    let rows = |scores: &[u32]| {
        let rows: Vec<_> = scores
            .iter()
            .enumerate()
            .map(|(id, score)| format!("{{\"id\":{id},\"score\":{score}}}"))
            .collect();
        format!("{{\"offers\":[{}]}}", rows.join(","))
    };
    // One of eight pairs is out of place.
    let desk = TestApp::with_offers(&rows(&[90, 80, 85, 70, 60, 50, 40, 30, 20]));
    desk.expect_not("Response doesn't match");
    // Four of eight are.
    let desk = TestApp::with_offers(&rows(&[20, 90, 30, 80, 40, 70, 50, 60, 55]));
    desk.expect("the market ignored the sort order score- (4 rows out of place)");
}

/// Two offers at 0.72 $/GB/month: 1/1000 $/h a GB.
fn priced(first: f64, second: f64) -> String {
    format!(
        r#"{{"offers":[{{"id":1,"dph_base":1.0,"dph_total":{first},"storage_cost":0.72,"score":2}},
        {{"id":2,"dph_base":2.0,"dph_total":{second},"storage_cost":0.72,"score":1}}]}}"#
    )
}

#[test]
fn prices_with_another_storage_are_named_and_worked_out() {
    let mut desk = TestApp::speaking(&Dialect::VAST);
    desk.answer(&priced(1.010, 2.010));
    desk.expect("prices include 10 GB, not the requested 8: recalculated");
    desk.expect("1.0080").expect("2.0080").expect("(estimate)");
}

#[test]
fn prices_that_do_not_add_up_are_named_and_left_alone() {
    let desk = TestApp::with_offers(&priced(1.010, 2.5));
    desk.expect("$/h of 2 rows does not match GPUs plus 8 GB of storage");
    desk.expect("1.0100").expect("2.5000").expect_not("estimate");
}

#[test]
fn rounding_is_no_mismatch() {
    let desk = TestApp::with_offers(&priced(1.008_000_4, 2.007_999_9));
    desk.expect_not("Response doesn't match");
}

#[test]
fn prices_of_another_type_are_named() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("o right enter");
    desk.answer(&THREE.replace("\"dph_base\":0.40", "\"min_bid\":0.25,\"dph_base\":0.40"));
    desk.expect("1 row not priced as bid");
    let desk = TestApp::with_offers(&THREE.replace("\"id\":101", "\"id\":101,\"is_bid\":true"));
    desk.expect("1 row not priced as on-demand");
}

#[test]
fn machines_without_the_space_that_was_asked_for_are_named() {
    let mut desk = TestApp::speaking(&Dialect::VAST);
    desk.answer(THREE);
    desk.keys("o down ctrl-u").type_text("400").keys("enter");
    // 500, 4000 and 100 GB: 0.40 + 0.5, 16 + 1, 0.30 + 0.5 $/h at 400 GB.
    let answer = THREE
        .replace("\"dph_total\":0.41", "\"dph_total\":0.9")
        .replace("\"dph_total\":16.02", "\"dph_total\":17.0")
        .replace("\"dph_total\":0.31", "\"dph_total\":0.8");
    desk.answer(&answer);
    desk.expect("1 row too small for 400 GB");
}

#[test]
fn volumes_are_checked_too() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("2")
        .answer(r#"{"offers":[{"ask_contract_id":1,"storage_cost":0.2},{"ask_contract_id":2,"storage_cost":0.1}]}"#);
    desk.expect("the market ignored the sort order storage_cost (1 row out of place)");
}

#[test]
fn as_many_rows_as_a_market_may_send_at_once_are_not_called_all() {
    let offer = |id: u32| format!("{{\"id\":{id},\"gpu_name\":\"A40\",\"num_gpus\":1,\"dph_total\":{id}}}");
    let offers: Vec<String> = (1..=50).map(offer).collect();
    let text = |end: &str| format!("{{\"offers\":[{}]{end}}}", offers.join(","));
    let app = TestApp::with_offers(&text(""));
    app.expect("50 received").expect_not("All 50");
    TestApp::with_offers(&text(",\"truncated\":false")).expect("All 50 offers");
    TestApp::with_offers(&text(",\"truncated\":true")).expect("First 50, more exist");
}
