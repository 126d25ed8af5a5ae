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
    // The preview has the id: the first column is the price.
    desk.keys("c")
        .expect("Columns")
        .expect("[x]    ID")
        .expect("[x]  1 $/h");
    desk.type_text("gpu_name").keys("ctrl-t").expect("[ ]    GPU");
    desk.keys("enter").expect_not("8 H100 SXM");
    desk.keys("c").type_text("cpu_name").keys("ctrl-t enter");
    assert!(keys(&desk, Resource::Offers).contains(&"cpu_name"));
    desk.keys("c").type_text("cpu_name");
    for _ in 0..30 {
        desk.keys("<");
    }
    // In another order the id is a column of the table.
    desk.keys("ctrl-u").expect("[x]  1 CPU").expect("[x]  2 ID");
    desk.keys("enter");
    assert_eq!(keys(&desk, Resource::Offers)[0], "cpu_name");
    desk.keys("c ctrl-r enter").expect("8 H100 SXM");
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
fn chosen_columns_keep_their_order_and_those_that_do_not_fit_are_counted() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 24)
        .expect("ID Score ▼     $/h cheap ─▸  N GPU      VRAM Location");
    desk.keys("c").type_text("dph_base").keys("ctrl-t");
    // From the end to behind the price.
    for _ in 0..30 {
        desk.keys("<");
    }
    desk.keys("> > enter");
    desk.expect("ID Score ▼     $/h cheap ─▸ GPU $/h  N GPU")
        .expect("16.0000");
    // What does not fit is counted, and a step to the right brings it.
    let hidden = |desk: &TestApp| desk.model.layout.columns_right;
    let before = hidden(&desk);
    desk.expect(&format!("+{before} →"));
    desk.keys("right");
    assert!(hidden(&desk) < before, "{}", desk.screen());
    desk.expect("ID Score ▼");
}

#[test]
fn the_column_that_sorts_is_the_first_number_wherever_it_was_chosen() {
    let mut desk = TestApp::with_offers(THREE);
    for (columns, rows) in [(80, 24), (120, 40), (200, 60)] {
        desk.resize(columns, rows);
        desk.keys("s").type_text("reliability").keys("enter");
        let header = |desk: &TestApp| {
            let headers = desk.model.layout.targets.iter();
            let fields = headers.filter_map(|(_, target)| match target {
                bourse::core::frame_layout::Target::Header(field) => Some(field.key),
                _ => None,
            });
            fields.filter(|key| *key != "id").collect::<Vec<_>>()
        };
        assert_eq!(header(&desk)[..2], ["reliability", "dph_total"], "{}", desk.screen());
        desk.expect("Rel % ▼");
        desk.keys("s").type_text("dph_total").keys("enter");
        assert_eq!(header(&desk)[..2], ["dph_total", "num_gpus"]);
        desk.expect("$/h ▲ cheap");
    }
}

#[test]
fn a_price_stands_among_those_of_its_model_and_few_are_only_counted() {
    // Per GPU: 0.10, 0.20, 0.30, 0.40 and 1.00 of one model, and one of another.
    let offer = |id: u32, model: &str, gpus: u32, price: f64| {
        format!(r#"{{"id":{id},"gpu_name":"{model}","num_gpus":{gpus},"dph_total":{price},"score":{id}}}"#)
    };
    let offers = [
        offer(6, "RTX 4090", 1, 0.1),
        offer(5, "RTX 4090", 2, 0.4),
        offer(4, "RTX 4090", 1, 0.3),
        offer(3, "RTX 4090", 1, 0.4),
        offer(2, "RTX 4090", 1, 1.0),
        offer(1, "H100 SXM", 1, 2.0),
    ];
    let mut desk = TestApp::with_offers(&format!(r#"{{"offers":[{}]}}"#, offers.join(",")));
    desk.resize(80, 24);
    // From the 5th percentile, 0.12, to the 95th, 0.88; the median of 0.30 is at 0.24 of seven steps.
    let rail = |desk: &TestApp, id: &str| {
        desk.row(id)
            .chars()
            .filter(|sign| "┄│●".contains(*sign))
            .collect::<String>()
    };
    assert_eq!(rail(&desk, "6"), "●┄│┄┄┄┄┄");
    assert_eq!(rail(&desk, "5"), "┄●│┄┄┄┄┄");
    assert_eq!(rail(&desk, "4"), "┄┄●┄┄┄┄┄");
    assert_eq!(rail(&desk, "2"), "┄┄│┄┄┄┄●");
    assert!(desk.row("1").contains("1 alike"), "{}", desk.screen());
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
    desk.keys(">").expect("$/h ▲");
    assert_eq!(order(&desk), "dph_total");
    desk.keys("~").expect("$/h ▼");
    assert_eq!(order(&desk), "dph_total-");
    desk.keys("< <");
    assert_eq!(order(&desk), "id");
    assert!(desk.calls.is_empty());
}

#[test]
fn columns_of_texts_are_as_wide_as_what_is_in_them() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 24);
    // The longest model has 8 cells, the longest place 8: more columns find room.
    desk.expect("N GPU      VRAM Location");
    desk.expect("8 H100 SXM   80 Iceland");
    // VRAM as people say it: 24,564 MB and 81,559 MB.
    assert_eq!(desk.cell("101", "VRAM"), "24");
    assert_eq!(desk.cell("102", "VRAM"), "80");
}
