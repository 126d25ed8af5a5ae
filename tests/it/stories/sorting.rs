//! Sorting what the limit truncated, key by key: the loaded rows at once, then the market's own.

use bourse::api::{ApiError, Request};
use bourse::core::update;
use bourse::domain::language;

use serde_json::json;

use crate::test_app::{THREE, TestApp};

/// Three loaded offers of more: 101 costs 0.41, 102 costs 16.02, 103 costs 0.31.
fn truncated() -> TestApp {
    let mut desk = TestApp::new();
    desk.model.browsers[bourse::domain::Resource::Offers].query.limit = Some(3);
    desk.calls.clear();
    desk.keys("r").answer(THREE).expect("First 3, more exist");
    desk
}

/// The market's own cheapest three: 104 was not among the loaded ones.
const CHEAPEST: &str = r#"{"offers":[{"id":104,"dph_total":0.05},{"id":103,"dph_total":0.31},
 {"id":101,"dph_total":0.41}]}"#;

/// The market's own three most expensive.
const TOP_DOWN: &str = r#"{"offers":[{"id":105,"dph_total":20.5},{"id":102,"dph_total":16.02},
 {"id":101,"dph_total":0.41}]}"#;

fn order(desk: &TestApp) -> String {
    assert_eq!(desk.calls.len(), 1, "one request");
    match desk.asked() {
        Request::Search(query) => {
            assert_eq!(query.limit, Some(3));
            language::print_order(&query.order)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_blank_is_text_once_something_is_typed() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("s").type_text("per gpu").keys("enter");
    desk.expect("$/h per GPU ▲").expect_not("Score ▼");
    desk.keys("s space").expect("1 ▼ $/h per GPU");
}

#[test]
fn a_new_order_of_a_truncated_answer_asks_the_market_for_its_own_top() {
    let mut desk = truncated();
    desk.keys("j").click("$/h");
    desk.selects("103").expect("$/h ▲");
    assert!(desk.calls.is_empty(), "it may change again");
    desk.expect("loading the top 3 by $/h ▲");
    desk.wait(0.3);
    assert_eq!(order(&desk), "dph_total");
    desk.expect("loading the top 3 by $/h ▲");
    desk.answer(CHEAPEST).selects("104");
    desk.expect_not("loading")
        .expect("First 3, more exist")
        .expect_not("among the 3 loaded");
    desk.wait(10.0);
    assert!(desk.calls.is_empty(), "once is enough");
}

#[test]
fn the_moment_to_ask_wakes_the_program() {
    let mut desk = truncated();
    desk.keys("~");
    let due = desk.model.deadline(desk.now).unwrap();
    assert!(due <= desk.now.mono + (0.3 + 1e-9), "{due:?}");
    // Nothing is due before.
    desk.wait(0.2);
    assert!(desk.calls.is_empty());
    desk.wait(0.1);
    assert_eq!(order(&desk), "score");
}

#[test]
fn orders_that_change_quickly_cost_one_request() {
    let mut desk = truncated();
    for key in [">", ">", "~", ">"] {
        desk.keys(key).wait(0.2);
    }
    assert!(desk.calls.is_empty());
    desk.wait(0.2);
    assert_eq!(order(&desk), "gpu_name");
    // A later one supersedes the request that runs.
    desk.keys("s").type_text("dlperf").keys("enter").wait(0.3);
    assert_eq!(order(&desk), "dlperf-");
}

#[test]
fn the_order_of_the_loaded_rows_needs_no_request() {
    let mut desk = truncated();
    desk.keys("~ ~").wait(1.0);
    assert!(desk.calls.is_empty());
    desk.expect_not("loading");
    // Also when the request for another one runs already.
    desk.keys("~").wait(0.3);
    assert_eq!(desk.calls.len(), 1);
    desk.keys("~").wait(1.0);
    assert!(desk.calls.is_empty(), "it is aborted");
    desk.expect_not("loading").selects("101");
    // A key that only breaks ties follows from a longer order.
    desk.keys("s").type_text("dph_total").keys("ctrl-t enter").wait(0.3);
    desk.answer(THREE);
    desk.keys("s").type_text("dph_total").keys("delete enter").wait(1.0);
    assert!(desk.calls.is_empty());
}

#[test]
fn a_complete_answer_is_sorted_without_the_market() {
    let mut desk = TestApp::with_offers(THREE);
    desk.click("$/h").selects("103");
    desk.wait(1.0);
    assert!(desk.calls.is_empty());
    desk.expect_not("loading").expect_not("among");
}

#[test]
fn escape_keeps_the_sort_to_the_loaded_rows() {
    let mut desk = truncated();
    desk.click("$/h").keys("esc");
    desk.expect("r asks the market");
    desk.wait(20.0);
    assert!(desk.calls.is_empty());
    desk.expect("sorted among the 3 loaded only").selects("103");
    // The same once it was sent.
    desk.keys("~").wait(0.3);
    assert_eq!(order(&desk), "dph_total-");
    desk.keys("esc").wait(20.0);
    assert!(desk.calls.is_empty());
    desk.expect("sorted among the 3 loaded only").selects("102");
    desk.keys("r");
    assert_eq!(order(&desk), "dph_total-");
    desk.answer(TOP_DOWN).selects("105");
    desk.expect_not("among the");
}

#[test]
fn a_market_that_does_not_answer_leaves_the_loaded_rows_sorted() {
    let mut desk = truncated();
    desk.click("$/h").wait(0.3).fail(ApiError::Lost);
    desk.selects("103").expect("sorted among the 3 loaded only");
}

#[test]
fn an_order_that_the_market_cannot_take_holds_for_the_loaded_rows() {
    let mut desk = truncated();
    desk.keys("s").type_text("dph_per_gpu").keys("enter").wait(1.0);
    assert!(desk.calls.is_empty());
    desk.selects("103").expect("sorted among the 3 loaded only");
    // Nor is one that the market ignored the market's own.
    desk.keys("s")
        .type_text("dph_total")
        .keys("enter")
        .wait(0.3)
        .answer(THREE);
    desk.expect("the market ignored the sort order dph_total (1 row out of place)")
        .expect("sorted among the 3 loaded only");
    assert!(desk.calls.is_empty(), "it would ignore it again");
}

#[test]
fn prices_that_are_estimated_are_not_what_the_market_sorted_by() {
    let mut desk = truncated();
    desk.click("$/h").wait(0.3).answer(CHEAPEST);
    desk.expect_not("among the 3 loaded");
    // The documented interface cannot be asked for prices with 200 GB.
    desk.keys("o down ctrl-u").type_text("200").keys("enter");
    desk.expect("(estimate)").expect("sorted among the 3 loaded only");
}

#[test]
fn without_a_limit_nobody_knows_how_much_the_market_left_out() {
    let mut desk = TestApp::new();
    desk.model.browsers[bourse::domain::Resource::Offers].query.limit = None;
    desk.calls.clear();
    desk.keys("r").answer(THREE);
    desk.click("$/h").wait(1.0);
    assert!(desk.calls.is_empty(), "the answer may be the whole market");
    desk.expect("sorted among the 3 loaded only");
}

#[test]
fn an_order_chosen_before_the_first_answer_is_asked_for_after_it() {
    let mut desk = TestApp::new();
    desk.model.browsers[bourse::domain::Resource::Offers].query.limit = Some(3);
    desk.keys("r s").type_text("dph_total").keys("enter").wait(1.0);
    assert_eq!(order(&desk), "score-");
    desk.answer(THREE).selects("103");
    desk.wait(0.3);
    assert_eq!(order(&desk), "dph_total");
    desk.answer(CHEAPEST).selects("104");
}

#[test]
fn a_sort_begins_at_the_top_and_a_refresh_stays_on_its_row() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("j").selects("102");
    for (keys, top) in [("s", "103"), ("~", "102")] {
        desk.keys("G").keys(keys);
        if keys == "s" {
            desk.type_text("dph_total").keys("enter");
        }
        desk.selects(top);
    }
    desk.keys("j").selects("101");
    desk.keys("r")
        .answer(&THREE.replace("\"dph_total\":0.41", "\"dph_total\":99"));
    desk.selects("101");
    desk.keys("w").wait(30.0).answer(THREE).selects("101");
    // From the top row, too: 102 moves down and is followed.
    desk.keys("g").selects("102");
    let fallen = THREE.replace("\"dph_total\":16.02", "\"dph_total\":0.2");
    desk.keys("r").answer(&fallen).selects("102");
}

#[test]
fn who_moves_on_while_the_market_is_asked_is_followed() {
    let mut desk = truncated();
    desk.click("$/h").wait(0.3).keys("j").selects("101");
    desk.answer(CHEAPEST).selects("101");
}

#[test]
fn rows_of_another_order_have_nothing_to_be_compared_with() {
    let mut desk = truncated();
    desk.keys("w").wait(30.0).answer(THREE).expect("0 new, 0 out");
    desk.click("$/h").wait(0.3).answer(CHEAPEST);
    desk.expect_not("new,").expect("Auto-refresh: next refresh in");
}

#[test]
fn volumes_are_sorted_so_too_and_groups_never_need_it() {
    let mut desk = TestApp::with_offers(THREE);
    desk.model.browsers[bourse::domain::Resource::Volumes].query.limit = Some(2);
    desk.keys("2").answer(
        r#"{"offers":[{"ask_contract_id":1,"storage_cost":0.1,"disk_space":9},{"ask_contract_id":2,"storage_cost":0.2,"disk_space":8}]}"#,
    );
    desk.keys("s").type_text("disk_space").keys("enter").wait(0.3);
    assert_eq!(desk.calls.len(), 1);
    // The pane in sight is not what counts.
    desk.answer(r#"{"offers":[{"ask_contract_id":3,"disk_space":99},{"ask_contract_id":1,"disk_space":9}]}"#);
    desk.keys("~ 1").wait(0.3);
    assert_eq!(desk.calls.len(), 1);
    let groups = r#"{"results":[{"id":1,"endpoint_name":"a"},{"id":2,"endpoint_name":"b"}]}"#;
    desk.calls.clear();
    desk.keys("3");
    while !desk.calls.is_empty() {
        match desk.asked() {
            Request::ListWorkergroups => desk.answer(groups),
            _ => desk.fail(ApiError::Lost),
        };
    }
    desk.keys("~").wait(1.0);
    assert!(
        !desk
            .calls
            .iter()
            .any(|(_, call)| matches!(call, Request::ListWorkergroups))
    );
    desk.expect_not("among the");
}

#[test]
fn the_core_decides_without_a_clock() {
    // A deadline that comes early changes nothing.
    let mut desk = truncated();
    desk.click("$/h");
    let effects = update(&mut desk.model, desk.now, bourse::core::Message::Deadline);
    assert_eq!(effects, []);
}

#[test]
fn after_another_search_the_table_begins_at_its_first_row() {
    let market = |ids: &[i64]| {
        let offer = |id: &i64| json!({"id": id, "gpu_name": "RTX 4090", "num_gpus": 1, "dph_total": id, "score": -id});
        json!({"offers": ids.iter().map(offer).collect::<Vec<_>>()}).to_string()
    };
    let all: Vec<i64> = (100..160).collect();
    let mut desk = TestApp::with_offers(&market(&all));
    desk.resize(80, 24).keys("G").expect_not(" 100 ");
    // The selected offer is the fourth of the new rows: those above it are on screen, too.
    desk.keys("/").type_text(" num_gpus=1").keys("enter");
    desk.answer(&market(&[110, 120, 130, 159])).selects("159");
    desk.expect(" 110 ").expect(" 130 ");
    // A row that is further down than the page is still shown.
    desk.keys("/").type_text(" 4090").keys("enter");
    desk.answer(&market(&all)).selects("159").expect(" 158 ");
}
