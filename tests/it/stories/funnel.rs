//! What each filter removes, and what a looser one brings, in the filters of a search.

use bourse::api::ApiError;
use bourse::domain::OfferType;

use crate::stories::insights::{MARKET, wide};
use crate::test_app::TestApp;

/// What a line says behind the name of a filter.
#[track_caller]
fn behind(desk: &TestApp, name: &str) -> String {
    let screen = desk.screen();
    let line = screen.lines().find(|line| line.contains(name));
    let line = line.unwrap_or_else(|| panic!("no {name:?}:\n{screen}"));
    let behind = line.split(name).nth(1).unwrap();
    behind.split(" sent").next().unwrap().trim().to_owned()
}

#[test]
fn it_tells_what_each_filter_removes_and_loosens_one() {
    let mut desk = wide();
    desk.keys("/")
        .type_text("gpu_name=RTX_4090 num_gpus>=8")
        .keys("enter")
        .answer(r#"{"offers":[]}"#);
    desk.expect("No offers");
    desk.keys("F")
        .expect("▏Filters▕")
        .expect("Loading offers without filters…");
    assert_eq!(desk.calls.len(), 1);
    let sent = desk.asked_query().clone();
    assert!(sent.conditions.is_empty());
    assert_eq!(sent.offer_type, OfferType::OnDemand);
    desk.answer(MARKET).expect("0 of 5 offers match");
    // num_gpus>=8 takes 101, 102, 103 and 105; 101 and 102 would come back. gpu_name takes 103,
    // 104 and 105; only 104 would come back. The nearest bound that brings one back is 2.
    assert_eq!(
        behind(&desk, "› [x] num_gpus>=8"),
        "−4; without it 2 more; num_gpus>=2 brings 1"
    );
    assert_eq!(behind(&desk, "[x] gpu_name=RTX_4090"), "−3; without it 1 more");
    assert_eq!(behind(&desk, "[x] verified=true"), "removes no row");
    desk.expect("Del removes it: 2 rows come back")
        .expect("> loosens it to num_gpus>=2: 1 row comes back");
    desk.keys(">").expect("1 of 5 offers match");
    assert!(desk.calls.is_empty(), "nothing is asked before it is applied");
    desk.keys("ctrl-s");
    assert_eq!(
        desk.asked_text(),
        "verified=true rentable=true rented=false gpu_name=RTX_4090 num_gpus>=2"
    );
}

/// The offers with these ids of [`MARKET`], of which the market has more if the response is `cut`.
fn some(ids: &[u64], cut: bool) -> String {
    let mut market: serde_json::Value = serde_json::from_str(MARKET).unwrap();
    let offers = market["offers"].as_array_mut().unwrap();
    offers.retain(|offer| ids.contains(&offer["id"].as_u64().unwrap()));
    market["truncated"] = cut.into();
    market.to_string()
}

/// A response that is cut proves no 0, and the rows of the table prove that some match.
#[test]
fn of_a_truncated_response_every_count_is_a_lower_bound() {
    let mut desk = wide();
    desk.keys("/").type_text("gpu_name=RTX_4090").keys("enter");
    desk.answer(&some(&[101, 102], false));
    desk.keys("F").answer(&some(&[103, 105], true));
    desk.expect("≥ 2 match; counted on the first 2 offers");
    assert_eq!(behind(&desk, "› [x] gpu_name=RTX_4090"), "−≥2; without it ≥2 more");
    assert_eq!(behind(&desk, "[x] verified=true"), "removes none of these");
    // Another filter: the table has one row that meets it, and one that only it removes.
    desk.keys("esc").keys("f").type_text("num_gpus").keys("enter");
    desk.type_text("2")
        .keys("enter")
        .type_text("each filter removes")
        .keys("enter");
    desk.answer(&some(&[103, 105], true)).keys("esc");
    desk.expect("≥ 1 match; counted on the first 2 offers");
    assert_eq!(
        behind(&desk, "[x] num_gpus>=2"),
        "−≥2; without it ≥1 more; num_gpus>=1 brings ≥1"
    );
    // Neither has a row that matches.
    let mut desk = wide();
    desk.keys("/").type_text("gpu_name=H200").keys("enter");
    desk.answer(r#"{"offers":[]}"#)
        .keys("F")
        .answer(&some(&[103, 105], true));
    desk.expect("none of the first 2 offers match");
}

#[test]
fn filters_that_only_together_remove_all_rows_are_named_together() {
    let mut desk = wide();
    desk.keys("/").type_text("gpu_name=H200 num_gpus>=16").keys("enter");
    desk.answer(r#"{"offers":[]}"#).keys("F").answer(MARKET);
    // Every row fails both.
    assert_eq!(
        behind(&desk, "› [x] gpu_name=H200"),
        "−5; without it and num_gpus>=16 5 more"
    );
    desk.expect("removes it: no row comes back; without num_gpus>=16");
    // The first one goes; then the second can be loosened.
    desk.keys("delete").expect("removes it: 5 rows come back");
}

#[test]
fn delete_removes_the_filter() {
    let mut desk = wide();
    desk.keys("/").type_text("gpu_name=H200").keys("enter");
    desk.answer(r#"{"offers":[]}"#).keys("F").answer(MARKET);
    assert_eq!(behind(&desk, "› [x] gpu_name=H200"), "−5; without it 5 more");
    // What is not a bound cannot be loosened.
    desk.keys(">").expect("Only a bound");
    assert!(desk.calls.is_empty());
    desk.keys("delete ctrl-s");
    assert_eq!(desk.asked_text(), "verified=true rentable=true rented=false");
}

#[test]
fn closing_stops_the_request_and_a_failure_can_be_retried() {
    let mut desk = wide();
    desk.keys("F");
    assert_eq!(desk.calls.len(), 1);
    desk.keys("esc");
    assert!(desk.calls.is_empty());
    desk.selects("101");
    desk.keys("F").fail(ApiError::Lost);
    desk.expect("connection lost before the response").expect("Enter count");
    desk.keys("enter").answer(MARKET).expect("5 of 5 offers match");
    desk.keys("esc").selects("101");
}

#[test]
fn the_filters_opened_without_the_count_have_it_a_line_away() {
    let mut desk = wide();
    desk.keys("f");
    assert!(desk.calls.is_empty());
    desk.type_text("each filter removes").keys("enter");
    assert_eq!(desk.calls.len(), 1);
    desk.answer(MARKET).keys("esc").expect("5 of 5 offers match");
}

#[test]
fn counts_are_not_shown_for_other_prices_than_they_were_made_with() {
    let mut desk = wide();
    desk.keys("F").answer(MARKET).expect("5 of 5 offers match");
    desk.keys("shift-tab space tab").expect_not("5 of 5 offers match");
    desk.keys("shift-tab left tab").expect("5 of 5 offers match");
}

#[test]
fn what_no_row_reports_is_not_judged() {
    let mut desk = wide();
    desk.keys("/").type_text("gpu_max_temp<80").keys("enter");
    desk.answer(r#"{"offers":[]}"#).keys("F").answer(MARKET);
    desk.expect("not reported by any row");
}

#[test]
fn it_is_drawn_at_every_size() {
    let mut desk = wide();
    desk.keys("F");
    for answered in [false, true] {
        if answered {
            desk.answer(MARKET);
        }
        for (columns, rows) in [(40, 10), (80, 24), (120, 40), (200, 60), (300, 80)] {
            desk.resize(columns, rows).expect("▏Filters▕");
        }
    }
}

/// One offer that the filters hide twice.
const HIDDEN: &str = r#"{"offers":[{"id":123456,"machine_id":77,"gpu_name":"RTX 4090","num_gpus":1,
    "verified":false,"verification":"unverified","rentable":true,"rented":true,"dph_total":0.4}]}"#;

#[test]
fn an_id_that_is_not_listed_leads_to_the_filters_that_hide_it() {
    for (columns, rows) in [(80, 24), (200, 60)] {
        let mut desk = TestApp::with_offers(MARKET);
        desk.resize(columns, rows);
        desk.keys("/").type_text(" 123456").keys("enter");
        desk.expect("F why it is missing");
        desk.keys("F");
        assert_eq!(desk.asked_query().conditions.len(), 1, "{:?}", desk.asked_query());
        desk.answer(HIDDEN);
        desk.expect("Offer 123456 is hidden by verified=true and rented=false");
        assert_eq!(behind(&desk, "[x] verified=true"), "hides it");
        assert_ne!(behind(&desk, "[x] rentable=true"), "hides it");
    }
}

#[test]
fn an_offer_in_the_list_is_not_called_hidden() {
    let listed = HIDDEN
        .replace(
            r#""verified":false,"verification":"unverified""#,
            r#""verified":true,"verification":"verified""#,
        )
        .replace(r#""rented":true"#, r#""rented":false"#);
    let mut desk = TestApp::with_offers(&listed);
    desk.keys("/").type_text(" why 123456").keys("enter");
    desk.answer(&listed)
        .expect("No filter hides Offer 123456: it is loaded");
}

#[test]
fn a_question_for_an_id_is_answered_at_once_also_for_a_machine() {
    let mut desk = wide();
    desk.keys("/")
        .type_text(" why 123456")
        .expect("shows the filters that hide it");
    desk.keys("enter").answer(HIDDEN).expect("Offer 123456 is hidden by");
    let mut desk = wide();
    desk.keys("/").type_text(" why 7777").keys("enter");
    desk.answer(r#"{"offers":[]}"#);
    // It is no offer: perhaps a machine.
    assert!(desk.asked_text().contains("machine_id=7777"), "{}", desk.asked_text());
    desk.answer(r#"{"offers":[]}"#)
        .expect("The market has no offer and no machine 7777");
}

#[test]
fn a_filter_on_a_number_is_named_with_that_of_the_offer() {
    let mut desk = wide();
    desk.keys("/").type_text(" why 123456 num_gpus>=3").keys("enter");
    desk.answer(r#"{"offers":[]}"#)
        .answer(HIDDEN)
        .expect("num_gpus>=3 (it has 1)");
}

#[test]
fn the_ban_that_hides_an_offer_is_named_and_lifted() {
    let market = MARKET.replace("\"id\":101,", "\"id\":101234,");
    for (columns, rows) in [(80, 24), (200, 60)] {
        let mut desk = wide();
        desk.resize(columns, rows).selects("101");
        desk.keys("X").expect("Ban machine");
        desk.keys("enter r");
        desk.answer(&market).expect_not(" 101234 ");
        // The search for the one offer goes without bans.
        desk.keys("/").type_text(" why 101234").keys("enter");
        assert_eq!(desk.asked_query().conditions.len(), 1, "{:?}", desk.asked_query());
        desk.answer(&market);
        desk.expect("Offer 101234 is hidden by your ban on machine 7")
            .expect("lift ban");
        // It is no row of the table meanwhile.
        desk.keys("esc").expect("None of the 3 loaded offers meet");
        desk.keys("F").answer(&market);
        desk.keys("delete").expect("Lifted the ban on machine 7");
        assert!(!desk.asked_text().contains("machine_id"), "{}", desk.asked_text());
    }
}

#[test]
fn of_an_offer_that_no_market_and_no_ban_has_that_is_said() {
    let mut desk = wide();
    desk.keys("X enter r").answer(MARKET);
    desk.keys("/").type_text(" why 7777").keys("enter");
    desk.answer(r#"{"offers":[]}"#).answer(r#"{"offers":[]}"#);
    desk.expect("The market has no offer and no machine 7777");
}

#[test]
fn a_search_for_an_id_leads_to_what_hides_it() {
    let mut desk = wide();
    // This market does not filter by id: the loaded rows are narrowed.
    desk.keys("/").type_text(" id=123456").keys("enter F").answer(HIDDEN);
    desk.expect("Offer 123456 is hidden by verified=true and rented=false");
    assert_ne!(behind(&desk, "[x] id=123456"), "hides it");
}

#[test]
fn an_id_finds_its_row_and_the_question_is_found_by_its_words() {
    let mut desk = wide();
    desk.keys("/").type_text(" 101").keys("enter").expect_not(" 102 ");
    for word in ["why", "missing", "hidden"] {
        let mut desk = wide();
        desk.keys(":").type_text(word).expect("Funnel");
    }
}
