//! The planner of clusters: every number is worked out by hand.

use bourse::api::Request;
use bourse::app::Effect;

use crate::stories::insights::{MARKET, wide};
use crate::test_app::TestApp;

/// Types a text into the focused field.
fn fill<'a>(desk: &'a mut TestApp, text: &str) -> &'a mut TestApp {
    desk.keys("ctrl-u").type_text(text)
}

#[test]
fn the_cheapest_offers_are_planned_as_the_number_is_typed() {
    let mut desk = wide();
    // Eight GPUs of one model: only the H100s.
    desk.keys("K")
        .expect("Cluster")
        .expect("8 GPUs in 1 offer on 1 machine, DLPerf 2,400")
        .expect("$16.02/h");
    // Two: the RTX 3090s at 0.22 and 0.30; the other pair costs 0.71.
    fill(&mut desk, "2")
        .expect("2 GPUs in 2 offers on 2 machines")
        .expect("$0.520/h");
    desk.expect("Runner-up: $0.710/h (+$0.190/h), 102 instead of 105, 103")
        .expect("No limit raises the bill");
    // Models that may differ make no difference here; a single machine does.
    desk.keys("tab tab");
    fill(&mut desk, "1")
        .expect("2 GPUs in 1 offer on 1 machine")
        .expect("$0.710/h");
    desk.expect("Without “at most 1 machine”: $0.520/h (−$0.190/h)");
}

#[test]
fn a_mistake_is_shown_at_its_field_and_nothing_is_planned() {
    let mut desk = wide();
    desk.keys("K");
    fill(&mut desk, "many")
        .expect("! How many: Not a number")
        .expect("no plan");
    desk.keys("enter").expect("Not a number");
    fill(&mut desk, "20").expect("! Not enough: 5 offers within the limits have 8 GPUs at most");
    desk.keys("enter")
        .expect("No plan to show: relax a limit first");
}

#[test]
fn without_a_plan_enter_loads_more_offers() {
    let mut desk = wide();
    if let Some(browser) = desk.model.browser_mut() {
        browser.query.limit = Some(5);
    }
    desk.keys("r").answer(MARKET).keys("K");
    fill(&mut desk, "2").expect("cheaper ones may be missing (Enter, then o to load 20)");
    fill(&mut desk, "20").expect("cheaper ones may be missing (Enter to load 20)");
    desk.keys("enter");
    let Request::Search(query) = desk.asked() else {
        panic!("{:?}", desk.asked())
    };
    assert_eq!(query.limit, Some(20));
}

#[test]
fn regions_and_budgets_limit_a_plan() {
    let mut desk = wide();
    desk.keys("K");
    fill(&mut desk, "2").keys("tab tab tab tab tab");
    // Iceland has eight H100s.
    fill(&mut desk, "not us").expect("8 GPUs in 1 offer on 1 machine");
    // 105 does not say where it is; 103 and 101 are in Texas, where 102 has two.
    fill(&mut desk, "US")
        .expect("2 GPUs in 1 offer")
        .expect("$0.710/h");
    desk.expect("Without “geolocation in [US]”: $0.520/h (−$0.190/h)");
    fill(&mut desk, "");
    desk.keys("tab tab tab");
    fill(&mut desk, "0.4").expect("! $0.120/h over the budget: $0.400/h pays for 1 GPU");
}

#[test]
fn the_offers_of_a_plan_open_copy_export_and_become_a_workergroup() {
    let mut desk = wide();
    desk.keys("K");
    fill(&mut desk, "2").keys("enter");
    // The most expensive machine comes first.
    desk.keys("y").expect("the plan and its bill");
    desk.keys("i");
    let copied = desk.effects.iter().find_map(|effect| match effect {
        Effect::Copy { text, .. } => Some(text.clone()),
        _ => None,
    });
    assert_eq!(copied.as_deref(), Some("105 103"));
    desk.keys("e").expect("Export the plan: 2 offers");
    desk.keys("tab tab tab enter");
    let written = desk.effects.iter().find_map(|effect| match effect {
        Effect::Export { content, .. } => Some(content.clone()),
        _ => None,
    });
    let written = written.expect("nothing is written");
    assert_eq!(written.lines().count(), 3, "{written}");
    desk.keys("esc");
    desk.keys("j enter").expect("103").expect("Overview");
    desk.keys("esc n").expect("New workergroup");
    desk.expect("verified=true rentable=true rented=false");
    desk.expect("gpu_name=RTX_3090 num_gpus=");
    desk.expect("Max workers  ▏2 ");
    // All have at least the 24 GB that are required by default.
    desk.expect_not("▏24");
}

#[test]
fn a_job_makes_bills_of_the_prices() {
    let mut desk = wide();
    // One day with 50 GB, 20 GB in and 5 out on 105: 6.96 + 1.5 + 0.3; 103 ends too early.
    desk.keys("J enter K");
    fill(&mut desk, "1")
        .expect("$8.76 for the job")
        .expect("job 1d, 50 GB");
}

#[test]
fn what_was_typed_is_there_when_the_planner_opens_again() {
    let mut desk = wide();
    desk.keys("K");
    fill(&mut desk, "2")
        .keys("esc K")
        .expect("2 GPUs in 2 offers");
    desk.keys("ctrl-r").expect("8 GPUs in 1 offer");
}

#[test]
fn the_planner_works_on_small_and_large_screens() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        let mut desk = TestApp::with_offers(MARKET);
        desk.resize(size.0, size.1).keys("K");
        fill(&mut desk, "2").expect("$0.520/h").expect("How many");
        desk.keys("enter")
            .expect("Runner-up")
            .expect("105")
            .expect("2 GPUs in 2 offers on 2 machines");
        desk.keys("esc").expect("How many");
    }
}

#[test]
fn a_large_screen_shows_the_offers_of_the_plan_and_the_bills_as_bars() {
    let mut desk = wide();
    desk.resize(200, 60).keys("K");
    // Both cards are there, with what the table has no column for.
    fill(&mut desk, "2").expect("Offer 105").expect("Offer 103");
    // All 28 cells are the H100s' 16.02: 0.52 is 0.9 of a cell, 0.22 is 0.4 of one.
    desk.expect(&format!("$16.02/h {} ", "█".repeat(28)));
    desk.expect("$0.520/h █ ").expect_not("$0.220/h █");
    // A small screen has the bills as two lines instead.
    desk.resize(80, 24).keys("enter").expect("Bill");
    desk.expect_not("Offer 103");
}
