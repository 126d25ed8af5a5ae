//! `:pick`: the rent command of the best offer that a second look still finds.

use bourse::api::wire;
use bourse::domain::Dialect;
use serde_json::json;

use crate::test_app::TestApp;

fn offers(ids: &[i64]) -> String {
    let offer = |id: &i64| json!({"id": id, "gpu_name": "RTX 4090", "num_gpus": 1, "dph_total": id, "score": id});
    json!({"offers": ids.iter().map(offer).collect::<Vec<_>>()}).to_string()
}

fn picking(ids: &[i64]) -> TestApp {
    let mut desk = TestApp::speaking(&Dialect::SANDBOX);
    desk.answer(&offers(ids));
    desk.keys(":").type_text("pick").keys("enter");
    desk
}

#[test]
fn the_cheapest_offer_that_is_still_there_is_copied() {
    let mut desk = picking(&[3, 2, 1]);
    let asked = |desk: &TestApp| wire::encode(desk.asked(), &Dialect::SANDBOX).body.unwrap()["id"].clone();
    assert_eq!(asked(&desk), json!({"eq": 1}));
    // It is gone, and the next one is not what was asked for any more.
    desk.answer(&offers(&[]));
    assert_eq!(asked(&desk), json!({"eq": 2}));
    let rented = offers(&[2]).replace("\"id\":2", "\"id\":2,\"rented\":true");
    desk.answer(&rented);
    assert_eq!(asked(&desk), json!({"eq": 3}));
    desk.answer(&offers(&[3]));
    assert!(
        desk.copied().contains("create instance 3 --image IMAGE"),
        "{}",
        desk.copied()
    );
}

#[test]
fn what_got_more_expensive_is_ranked_again() {
    let mut desk = picking(&[3, 2, 1]);
    let asked = |desk: &TestApp| wire::encode(desk.asked(), &Dialect::SANDBOX).body.unwrap()["id"].clone();
    desk.answer(&offers(&[1]).replace("\"dph_total\":1", "\"dph_total\":2.5"));
    assert_eq!(asked(&desk), json!({"eq": 2}));
    // More than the first one costs now: that had its second look already.
    desk.answer(&offers(&[2]).replace("\"dph_total\":2", "\"dph_total\":2.75"));
    assert!(desk.copied().contains("create instance 1 "), "{}", desk.copied());
}

#[test]
fn an_offer_without_a_price_or_a_usable_id_is_no_pick() {
    let mut desk = TestApp::speaking(&Dialect::SANDBOX);
    let free = offers(&[3, 2, -1]).replace("\"dph_total\":2", "\"dph_base\":0,\"dph_total\":2");
    let free = free.replace("\"dph_total\":-1", "\"dph_total\":0.5");
    desk.answer(&free).keys(":").type_text("pick").keys("enter");
    let asked = wire::encode(desk.asked(), &Dialect::SANDBOX).body.unwrap();
    assert_eq!(asked["id"], json!({"eq": 3}));
    let mut desk = TestApp::speaking(&Dialect::SANDBOX);
    desk.answer(&offers(&[0]).replace("\"dph_total\":0", "\"dph_total\":0.5"));
    desk.keys(":").type_text("pick").keys("enter");
    assert!(desk.calls.is_empty());
    desk.expect("No offer can be picked");
}

#[test]
fn a_table_in_an_order_of_ones_own_is_picked_from_in_that_order() {
    let mut desk = TestApp::speaking(&Dialect::SANDBOX);
    // The most expensive one is the fastest.
    desk.answer(&offers(&[1, 2, 3]).replace("\"dph_total\":3", "\"dph_total\":3,\"dlperf\":9"));
    desk.keys("/").type_text("fastest").keys("enter");
    desk.keys(":").type_text("pick").keys("enter");
    let asked = wire::encode(desk.asked(), &Dialect::SANDBOX).body.unwrap();
    assert_eq!(asked["id"], json!({"eq": 3}));
}

#[test]
fn where_all_are_gone_nothing_is_copied() {
    let mut desk = picking(&[1]);
    desk.answer(&offers(&[])).expect("The best offers are gone: refresh");
    let desk = picking(&[]);
    assert!(desk.calls.is_empty());
    desk.expect("no offer is loaded");
}
