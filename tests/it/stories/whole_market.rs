//! `:load-all`: every offer of a search, in parts.

use bourse::domain::Operator;
use serde_json::json;

use crate::test_app::TestApp;

/// Offers of a model from one id to another.
fn offers(ids: std::ops::Range<u32>, model: &str) -> String {
    let offer = |id| json!({"id": id, "gpu_name": model, "num_gpus": 1, "dph_total": f64::from(id) / 100.0});
    json!({ "offers": ids.map(offer).collect::<Vec<_>>() }).to_string()
}

/// Two models, 40 offers of each.
fn both() -> String {
    let (left, right) = (offers(1000..1040, "A40"), offers(2000..2040, "H100 SXM"));
    left.replace("]}", ",") + right.trim_start_matches("{\"offers\":[")
}

fn load_all(app: &mut TestApp) {
    app.keys(":").type_text("load-all").keys("enter");
}

#[test]
fn all_offers_take_the_place_of_the_first_ones() {
    let mut app = TestApp::with_offers(&offers(1..4, "A40"));
    load_all(&mut app);
    assert_eq!(app.asked_query().limit, Some(3000));
    app.answer(&both());
    app.expect("80 offers in the first response, perhaps all: 3 more requests");
    // Whether the market cuts what it sends is told by the parts: one model, the other one, and none.
    for progress in ["80 offers, request 2", "80 of about 80"] {
        app.expect(progress);
        let asked = app.asked_query().conditions.last().unwrap().clone();
        assert_eq!(asked.field.key, "gpu_name");
        let is_first = format!("{:?}", asked.operand).contains("A40") == (asked.operator == Operator::In);
        app.answer(&if is_first {
            offers(1000..1040, "A40")
        } else {
            offers(2000..2040, "H100 SXM")
        });
    }
    app.answer(r#"{"offers":[]}"#).arrange();
    app.expect("80 received")
        .expect("80 offers, in 4 requests: others without gpu_name may be missing");
    // The limit of the next search is not that of these rows.
    app.expect_not("limit");
}

#[test]
fn esc_stops_it_and_the_rows_stay() {
    let mut app = TestApp::with_offers(&offers(1..4, "A40"));
    load_all(&mut app);
    app.answer(&both()).keys("esc");
    app.expect("Stopped: 80 offers loaded, none of them shown")
        .expect("All 3 offers");
    assert!(app.calls.is_empty(), "no part is awaited any longer");
}

#[test]
fn the_settings_have_a_button_for_it() {
    let mut app = TestApp::with_offers(&offers(1..4, "A40"));
    app.keys("o").click("Load all offers");
    assert_eq!(app.asked_query().limit, Some(3000));
    app.expect_not("Max rows");
}
