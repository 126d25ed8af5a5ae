//! The work in the person's own units: `$/Mtoken` and the like, from the configuration.

use bourse::core::message::{Message, Reconfigured};
use bourse::settings::Values;
use bourse::domain::throughput::{Throughput, WorkUnit};

use super::groups::at_groups;
use super::insights::MARKET;
use crate::test_app::TestApp;

/// 1,000 tokens/s on an RTX 4090, 500 on an RTX 3090; nothing on an H100.
fn tokens() -> Throughput {
    let mut throughput = Throughput::default();
    throughput.set(WorkUnit::Tokens, "rtx_4090", 1000.0).unwrap();
    throughput.set(WorkUnit::Tokens, "RTX 3090", 500.0).unwrap();
    throughput
}

fn configure(desk: &mut TestApp, throughput: Throughput) {
    desk.send(Message::Reconfigured(Ok(Box::new(Reconfigured {
        keymap: desk.model.keymap.clone(),
        market_list: desk.model.markets.market_list.clone(),
        themes: desk.model.settings.themes.clone(),
        values: Values {
            throughput,
            ..Values::default()
        },
        notices: Vec::new(),
        is_noticeable: true,
    }))));
    desk.wait(0.0);
}

#[test]
fn a_rate_gives_a_column_of_what_a_million_tokens_cost() {
    for (columns, rows) in [(80, 24), (200, 60)] {
        let mut desk = TestApp::with_offers(MARKET);
        desk.resize(columns, rows).expect_not("$/Mtoken");
        configure(&mut desk, tokens());
        desk.expect("$/Mtoken");
        // 0.41 $/h / (1,000 x 3,600) x 1,000,000 = 0.114; two GPUs do twice as much: 0.71 / 7.2.
        for (id, cost) in [("101", "0.114"), ("102", "0.099"), ("103", "0.122"), ("104", "—")] {
            let row = desk.row(id);
            assert!(row.contains(&format!(" {cost} ")), "{id}: {row}");
        }
        desk.expect_not("$/1k images");
        configure(&mut desk, Throughput::default());
        desk.expect_not("$/Mtoken");
    }
}

#[test]
fn its_column_goes_with_the_job_that_it_came_with() {
    let mut desk = TestApp::with_offers(MARKET);
    configure(&mut desk, tokens());
    desk.keys("/ ctrl-u").type_text("4090 500m tokens").keys("enter");
    desk.answer(MARKET).expect("$/Mtoken");
    // Another amount of the same unit needs it, too.
    desk.keys("/ ctrl-u").type_text("4090 200m tokens").keys("enter");
    desk.answer(MARKET).expect("$/Mtoken");
    desk.keys("/ ctrl-u").type_text("4090 3d").keys("enter");
    desk.answer(MARKET).expect_not("$/Mtoken");
    desk.keys("/ ctrl-u").type_text("4090 500m tokens").keys("enter");
    desk.answer(MARKET).expect("$/Mtoken");
    desk.keys(":").type_text("clear-job").keys("enter");
    desk.expect_not("$/Mtoken");
}

#[test]
fn offers_are_sorted_and_filtered_by_it() {
    let mut desk = TestApp::with_offers(MARKET);
    configure(&mut desk, tokens());
    desk.keys("/ ctrl-u")
        .type_text("dollars_per_mtoken<0.12")
        .keys("enter");
    desk.answer(MARKET).expect("101").expect("102");
    desk.expect_not(" 103 ");
}

#[test]
fn a_condition_without_a_rate_says_what_to_do() {
    let mut desk = TestApp::with_offers(MARKET);
    desk.keys("/ ctrl-u")
        .type_text("dollars_per_mtoken<0.12")
        .keys("enter");
    desk.answer(MARKET)
        .expect("dollars_per_mtoken<0.12: add [throughput] to the configuration first");
}

#[test]
fn the_comparison_has_it_too() {
    let mut desk = TestApp::with_offers(MARKET);
    configure(&mut desk, tokens());
    desk.resize(120, 60).keys("space space v a");
    desk.expect("$/Mtoken").expect("$0.114").expect("$0.099");
}
