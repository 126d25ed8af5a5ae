//! Choosing columns and sorting by them, key by key.

use bourse::domain::{Resource, language};

use crate::test_app::{THREE, TestApp};

fn keys(desk: &TestApp, resource: Resource) -> Vec<&'static str> {
    let columns = desk.model.browsers[resource].columns.iter();
    columns.map(|field| field.key).collect()
}

#[test]
fn a_column_is_hidden_shown_moved_and_brought_back() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("c").expect("Columns").expect("[x]  1 ID");
    desk.type_text("gpu_name").keys("ctrl-t").expect("[ ]    GPU");
    desk.keys("enter").expect_not("H100 SXM");
    desk.keys("c").type_text("cpu_name").keys("ctrl-t enter");
    assert!(keys(&desk, Resource::Offers).contains(&"cpu_name"));
    desk.keys("c").type_text("cpu_name");
    for _ in 0..30 {
        desk.keys("<");
    }
    desk.keys("enter");
    assert_eq!(keys(&desk, Resource::Offers)[0], "cpu_name");
    desk.keys("c ctrl-r enter").expect("H100 SXM");
    assert_eq!(keys(&desk, Resource::Offers)[0], "id");
}

#[test]
fn escape_leaves_the_columns_as_they_were() {
    let mut desk = TestApp::with_offers(THREE);
    let before = keys(&desk, Resource::Offers);
    desk.keys("c down space esc");
    assert_eq!(keys(&desk, Resource::Offers), before);
}

#[test]
fn the_last_column_stays() {
    let mut desk = TestApp::with_offers(THREE);
    let gpu_name = Resource::Offers.catalog().column("gpu_name").unwrap();
    desk.model.browsers[Resource::Offers].columns = vec![gpu_name];
    desk.keys("c space enter");
    assert_eq!(keys(&desk, Resource::Offers), ["gpu_name"]);
}

#[test]
fn a_column_that_was_wished_for_has_a_place_on_a_narrow_screen() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 24).expect_not("GPU $/h");
    desk.keys("c").type_text("dph_base").keys("ctrl-t enter");
    desk.expect("GPU $/h").expect("16.0000");
}

#[test]
fn each_pane_has_columns_of_its_own() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("2")
        .answer(r#"{"offers":[{"ask_contract_id":5,"storage_cost":0.1}]}"#);
    desk.keys("c").type_text("score").keys("ctrl-t enter");
    assert!(keys(&desk, Resource::Volumes).contains(&"score"));
    assert!(!keys(&desk, Resource::Offers).contains(&"score"));
}

#[test]
fn keys_sort_by_the_columns_in_sight() {
    let mut desk = TestApp::with_offers(THREE);
    let order =
        |desk: &TestApp| language::print_order(&desk.model.browsers[bourse::domain::Resource::Offers].query.order);
    desk.keys("z >");
    assert_eq!(order(&desk), "id"); // from an order that is no column, the first one
    desk.keys(">").expect("$/h▲");
    assert_eq!(order(&desk), "dph_total");
    desk.keys("~").expect("$/h▼");
    assert_eq!(order(&desk), "dph_total-");
    desk.keys("< <");
    assert_eq!(order(&desk), "id");
    assert!(desk.calls.is_empty());
}

#[test]
fn columns_of_texts_are_as_wide_as_what_is_in_them() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 24);
    // The longest model has 8 cells, the longest place 11: more columns find room.
    desk.expect("N GPU      VRAM Location    DLPerf DLP/$ Rel %");
    desk.expect("8 H100 SXM   80 IS Iceland  2400.0");
    // VRAM as people say it: 24,564 MB and 81,559 MB.
    assert_eq!(desk.cell("101", "VRAM"), "24");
    assert_eq!(desk.cell("102", "VRAM"), "80");
}
