//! The planner of clusters: every number is worked out by hand.

use bourse::api::Request;

use crate::stories::insights::{MARKET, wide};
use bourse::core::message::Effect;

use bourse::domain::Resource;
use bourse::domain::throughput::{Throughput, WorkUnit};

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
        .expect("$16.02/h · 8 GPUs in 1 offer on 1 machine");
    // Two: the RTX 3090s at 0.22 and 0.30; the other pair costs 0.71.
    fill(&mut desk, "2")
        .expect("2 GPUs in 2 offers on 2 machines")
        .expect("$0.520/h")
        .expect("103 ends first, in 10 hours");
    desk.expect("Runner-up: $0.710/h (+$0.190/h), 2× RTX 4090 in US at $0.710/h (102) instead of")
        .expect("The limits do not raise the bill");
    // Models that may differ make no difference here; a single machine does.
    desk.keys("tab tab tab");
    fill(&mut desk, "1")
        .expect("2 GPUs in 1 offer on 1 machine")
        .expect("$0.710/h");
    desk.expect("Without “at most 1 machine”: $0.520/h (−$0.190/h)");
}

/// Whether the last search has a condition on the number of GPUs.
fn asks_for_gpus(desk: &TestApp) -> bool {
    let Request::Search(query) = desk.asked() else {
        panic!("{:?}", desk.asked())
    };
    let mut conditions = query.conditions.iter();
    conditions.any(|condition| condition.field.key == "num_gpus")
}

#[test]
fn the_number_of_gpus_moves_from_the_search_to_the_planner() {
    let mut desk = wide();
    desk.keys("/").type_text(" num_gpus=2").keys("enter");
    let pair = r#"[{"id":102,"machine_id":12,"gpu_name":"RTX 4090","num_gpus":2,"gpu_ram":24564,"dph_base":0.70,
        "dph_total":0.71,"rentable":true}]"#;
    desk.answer(&format!("{{\"offers\":{pair}}}")).keys("K");
    desk.expect("2 GPUs in 1 offer on 1 machine").expect("$0.710/h");
    // Nothing is claimed of the sizes that the search left out, until they are there.
    desk.expect("Only offers with num_gpus=2, as the search says")
        .expect_not("The limits do not raise the bill");
    assert!(!asks_for_gpus(&desk));
    desk.answer(MARKET).expect("2 GPUs in 2 offers on 2 machines");
    desk.expect_not("as the search says");
    // Left without a plan, the search asks for two again.
    desk.keys("esc").expect("2 GPUs");
    assert!(asks_for_gpus(&desk));
}

#[test]
fn a_marked_plan_stays_among_the_rows_it_was_made_of() {
    let mut desk = wide();
    desk.keys("/").type_text(" num_gpus=2").keys("enter");
    desk.answer(MARKET).keys("K").answer(MARKET);
    desk.keys("enter").expect("2 offers marked").expect_not("num_gpus");
    let marked = desk.model.browsers[Resource::Offers].marks.len();
    assert_eq!(marked, 2);
}

#[test]
fn a_mistake_is_shown_at_its_field_and_nothing_is_planned() {
    let mut desk = wide();
    desk.keys("K");
    fill(&mut desk, "many")
        .expect("! GPUs: Not a whole number")
        .expect("no plan");
    desk.keys("enter").expect("Not a whole number");
    fill(&mut desk, "2000").expect("! GPUs: From 1 to 1,024 GPUs");
    fill(&mut desk, "20").expect("! Not enough: 5 offers within the limits, at most 8 GPUs of one model");
    desk.keys("enter").expect("No plan: relax a limit first");
}

#[test]
fn machines_have_a_range_and_something_in_common() {
    let mut desk = wide();
    desk.keys("K");
    fill(&mut desk, "2").keys("tab tab");
    // The pair of 3090s is on two machines, the 4090s are on one.
    fill(&mut desk, "3").expect("! Min machines: 2 GPUs can't be on 3 machines");
    fill(&mut desk, "2")
        .expect("$0.520/h")
        .expect("The limits do not raise the bill");
    // Two machines in one country: those in Texas, of two models.
    desk.keys("tab tab tab right right").expect("‹ country ›");
    desk.expect("! Not enough: 4 offers within the limits, but none of them together of one model in one country");
    desk.keys("tab right").expect("‹ may differ ›");
    desk.expect("$0.630/h · 2 GPUs in 2 offers on 2 machines")
        .expect("Without “one country”: $0.520/h (−$0.110/h)");
}

#[test]
fn the_planner_loads_the_offers_that_the_limit_left_out() {
    let mut desk = wide();
    if let Some(browser) = desk.model.browser_mut() {
        browser.query.limit = Some(5);
    }
    desk.keys("r").answer(MARKET).keys("K");
    let Request::Search(query) = desk.asked() else {
        panic!("{:?}", desk.asked())
    };
    assert_eq!(query.limit, Some(3000));
    // Until they are there, the plan says what it is made from.
    desk.expect("! Only the first 5 offers: cheaper ones may be missing");
    desk.answer(MARKET).expect_not("may be missing");
    desk.expect("8 GPUs in 1 offer on 1 machine");
    // The search of the person is as it was.
    desk.keys("esc").expect_not("limit");
    assert_eq!(desk.model.browser().unwrap().query.limit, Some(5));
}

#[test]
fn a_plan_that_a_response_replaced_is_marked_by_a_second_key_only() {
    let mut desk = wide();
    if let Some(browser) = desk.model.browser_mut() {
        browser.query.limit = Some(5);
    }
    desk.keys("r").answer(MARKET).keys("K");
    fill(&mut desk, "2").expect("$0.520/h");
    // Of the wider search the first key knew nothing.
    desk.answer(&MARKET.replace(
        r#""dph_base":0.29,"dph_total":0.30"#,
        r#""dph_base":0.89,"dph_total":0.90"#,
    ));
    desk.expect("$0.710/h");
    desk.keys("enter");
    desk.expect("Another plan since a new response: $0.710/h")
        .expect("Cluster");
    desk.keys("enter").expect("1 offer marked");
}

#[test]
fn regions_and_budgets_limit_a_plan() {
    let mut desk = wide();
    desk.keys("K");
    fill(&mut desk, "2").keys("tab tab tab tab tab tab tab");
    // Iceland has eight H100s.
    fill(&mut desk, "not us").expect("8 GPUs in 1 offer on 1 machine");
    // 105 does not say where it is; 103 and 101 are in Texas, where 102 has two.
    fill(&mut desk, "US").expect("2 GPUs in 1 offer").expect("$0.710/h");
    desk.expect("Without “geolocation=US”: $0.520/h (−$0.190/h)");
    fill(&mut desk, "");
    desk.keys("tab tab");
    fill(&mut desk, "0.4").expect("! $0.120/h over the budget: $0.400/h pays for 1 GPU");
}

#[test]
fn the_offers_of_a_plan_are_marked_in_the_pane_where_all_else_is_done_with_them() {
    let mut desk = wide();
    desk.keys("G enter").expect("103 beats it");
    desk.keys("esc");
    desk.keys("K");
    fill(&mut desk, "2").keys("enter").expect("2 offers marked");
    // The plan is the cheapest as a whole: none of its offers is told that another is cheaper.
    desk.keys("G enter").expect("105").expect_not("beats it");
    desk.keys("esc");
    desk.keys("e").expect("‹ 2 marked ›");
    desk.keys("esc");
    desk.keys("v").expect("Compare");
}

#[test]
fn a_job_makes_bills_of_the_prices() {
    let mut desk = wide();
    // One day with 50 GB, 20 GB in and 5 out on 101: 9.6 + 1.5 + 0.3; 103 ends too early, and 105 does not say when.
    desk.keys("J enter K");
    fill(&mut desk, "1")
        .expect("$11.40 for the job")
        .expect("job 1d, 50 GB");
}

#[test]
fn what_was_typed_is_there_when_the_planner_opens_again() {
    let mut desk = wide();
    desk.keys("K");
    fill(&mut desk, "2").keys("esc K").expect("2 GPUs in 2 offers");
    desk.keys("ctrl-r").expect("8 GPUs in 1 offer");
}

#[test]
fn the_planner_works_on_small_and_large_screens() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        let mut desk = TestApp::with_offers(MARKET);
        desk.resize(size.0, size.1).keys("K");
        fill(&mut desk, "2")
            .expect("at least")
            .expect("$0.520/h · 2 GPUs in 2 offers on 2 machines")
            .expect("Runner-up")
            .expect("105");
    }
}

#[test]
fn the_plan_itself_comes_first_on_a_low_screen() {
    let mut desk = TestApp::with_offers(MARKET);
    desk.resize(80, 24).keys("K");
    fill(&mut desk, "2");
    let screen = desk.screen();
    let below = screen.lines().skip_while(|line| !line.starts_with(" Plan ─")).skip(1);
    let below: Vec<_> = below.collect();
    let line = |text: &str| below.iter().position(|line| line.contains(text));
    assert_eq!(line("2 GPUs in 2 offers"), Some(0), "{screen}");
    assert!(
        line(" 105 ") < line("Runner-up") && line("Runner-up").is_some(),
        "{screen}"
    );
}

#[test]
fn every_line_of_a_plan_is_reached_on_a_low_screen() {
    let mut desk = TestApp::with_offers(MARKET);
    desk.resize(80, 20).keys("K");
    fill(&mut desk, "2");
    let last = "With 1 GPU $0.220/h";
    desk.expect("PgDn and PgUp scroll").expect_not(last);
    let mut seen = desk.screen();
    for _ in 0..20 {
        desk.keys("pgdn");
        seen += &desk.screen();
    }
    desk.expect(last);
    for line in ["Runner-up", "103", "105", "The limits do not raise the bill"] {
        assert!(seen.contains(line), "{line}\n{seen}");
    }
    // Another plan begins at its top.
    fill(&mut desk, "1").expect("1 GPU in 1 offer").expect_not(last);
    // The keys scroll from every field, and the field with words still takes letters.
    desk.keys("tab tab tab tab tab tab tab pgdn pgdn pgdn pgdn pgdn pgdn")
        .expect(last);
    desk.keys("pgup pgup pgup pgup pgup pgup").expect("1 GPU in 1 offer");
}

#[test]
fn the_bills_of_fewer_and_more_gpus_are_shown() {
    let mut desk = wide();
    desk.keys("K");
    // Four, six and eight GPUs are the same offer, and none has ten.
    desk.expect("With 2 GPUs $0.520/h · 4 GPUs $16.02/h · 10 GPUs —");
}

#[test]
fn the_plan_is_copied_as_commands_that_rent_its_offers() {
    let mut desk = wide();
    desk.keys("K");
    fill(&mut desk, "2");
    // A letter is no count: `y` copies from any field but the one with words.
    desk.keys("y");
    let copied = desk.effects.iter().rev().find_map(|effect| match effect {
        Effect::Copy { text, .. } => Some(text.clone()),
        _ => None,
    });
    let commands: Vec<_> = copied.as_deref().unwrap().lines().map(str::to_owned).collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    assert!(
        commands.iter().all(|line| line.contains("create instance 10")),
        "{commands:?}"
    );
    let before = desk.effects.len();
    desk.keys("tab tab tab tab tab tab tab").type_text("y").expect("y");
    assert_eq!(desk.effects.len(), before, "it is typed into the conditions");
}

#[test]
fn work_that_no_single_offer_does_in_time_is_divided() {
    let mut desk = wide();
    let mut throughput = Throughput::default();
    throughput.set(WorkUnit::Tokens, "RTX 4090", 1000.0).unwrap();
    desk.model.set_throughput(throughput);
    desk.keys("J").keys("tab tab tab tab tab");
    // 3.6 million tokens an hour on one GPU.
    fill(&mut desk, "180M tokens").keys("tab tab tab");
    fill(&mut desk, "2026-11-21 08:00").keys("enter");
    desk.expect("No single offer is known to be done in time: K splits the work among several");
    desk.keys("K")
        .expect("No single offer is known to be done in time: this plan divides the work");
    desk.keys("esc").expect("K splits the work");
    // While another search is typed, the rows of this one prove nothing about it; nor do they until its reply.
    desk.keys("/").type_text("4x 3090").expect_not("done in time");
    desk.keys("enter").expect_not("done in time").expect_not("No bill");
    desk.answer(MARKET)
        .expect("No single offer is known to be done in time");
}

#[test]
fn of_a_truncated_response_only_its_offers_are_known_to_be_late() {
    let mut desk = wide();
    let mut throughput = Throughput::default();
    throughput.set(WorkUnit::Tokens, "RTX 4090", 1000.0).unwrap();
    desk.model.set_throughput(throughput);
    desk.keys("/")
        .type_text("first 5 400M tokens by tomorrow")
        .keys("enter");
    desk.answer(MARKET)
        .expect("None of the first 5 offers is known to be done in time: K splits the work among several");
    desk.keys("K")
        .expect("None of the first 5 offers is known to be done in time: this plan");
}

/// The pairs of GPUs that do the work in time may be among the offers that the usual limit leaves out.
#[test]
fn work_that_no_loaded_offer_does_in_time_loads_more_once() {
    let mut desk = wide();
    let mut throughput = Throughput::default();
    throughput.set(WorkUnit::Tokens, "RTX 4090", 1000.0).unwrap();
    desk.model.set_throughput(throughput);
    let offer = |id: usize, gpus: u32| {
        serde_json::json!({"id": id, "machine_id": id, "gpu_name": "RTX 4090", "num_gpus": gpus, "gpu_ram": 24_564,
            "dph_base": gpus, "dph_total": gpus, "rentable": true, "storage_cost": 0, "inet_down_cost": 0,
            "inet_up_cost": 0, "duration": 864_000, "disk_space": 500})
    };
    let mut offers: Vec<_> = (0..500).map(|row| offer(1000 + row, 1)).collect();
    desk.keys("/").type_text("4090 400M tokens by tomorrow").keys("enter");
    assert_eq!(desk.calls.len(), 1);
    desk.answer(&serde_json::json!({ "offers": offers }).to_string());
    // 111 hours on one GPU: the answer is awaited before anything is claimed.
    let Request::Search(query) = desk.asked() else {
        panic!("{:?}", desk.asked())
    };
    assert_eq!(query.limit, Some(3000));
    desk.expect_not("done in time");
    offers.push(offer(2000, 8));
    desk.answer(&serde_json::json!({ "offers": offers }).to_string());
    desk.expect_not("done in time").selects("2000");
    assert!(desk.calls.is_empty(), "{:?}", desk.calls);
}

/// Two pairs of GPUs at the same price.
const TWINS: &str = r#"{"offers":[
 {"id":201,"machine_id":1,"gpu_name":"RTX 4090","num_gpus":4,"gpu_ram":24564,"dph_base":1.2,"dph_total":1.2,"rentable":true},
 {"id":202,"machine_id":2,"gpu_name":"RTX 4090","num_gpus":4,"gpu_ram":24564,"dph_base":1.2,"dph_total":1.2,"rentable":true}]}"#;

/// At 1,000 tokens/s a GPU, four of them do 288M tokens in 20 hours for $24, and eight in 10 hours for twice $12.
#[test]
fn marked_offers_divide_the_work_and_its_bill() {
    let mut desk = wide();
    let mut throughput = Throughput::default();
    throughput.set(WorkUnit::Tokens, "RTX 4090", 1000.0).unwrap();
    desk.model.set_throughput(throughput);
    let twins = TWINS.replace(
        "\"rentable\":true",
        "\"rentable\":true,\"storage_cost\":0,\"inet_down_cost\":0,\"inet_up_cost\":0",
    );
    desk.keys("/")
        .type_text("4x 4090 288M tokens")
        .keys("enter")
        .answer(&twins);
    desk.keys("space").expect("1 marked (4 GPUs, $24.00)");
    desk.keys("space").expect("2 marked (8 GPUs, $24.00)");
    desk.keys("v").expect("$24.00 for the job, its work divided");
}

/// By the user's rate both take as long: the one with the higher score does nothing better for more money.
#[test]
fn the_best_for_work_is_not_the_faster_by_its_score() {
    let mut desk = wide();
    desk.resize(80, 24);
    let mut throughput = Throughput::default();
    throughput.set(WorkUnit::Tokens, "RTX 4090", 1000.0).unwrap();
    desk.model.set_throughput(throughput);
    let twins = TWINS.replace(
        "\"rentable\":true",
        "\"rentable\":true,\"storage_cost\":0,\"inet_down_cost\":0,\"inet_up_cost\":0,\"disk_space\":900,\"duration\":8640000,\"dlperf\":400",
    );
    let twins = twins.replacen(
        "\"dph_base\":1.2,\"dph_total\":1.2",
        "\"dph_base\":1.1,\"dph_total\":1.1",
        1,
    );
    let faster = twins.replacen("400", "300", 1);
    desk.keys("/")
        .type_text("4x 4090 288M tokens")
        .keys("enter")
        .answer(&faster);
    let is_best = |id: &str| {
        desk.screen()
            .lines()
            .any(|line| line.contains(id) && line.contains('◆'))
    };
    assert!(is_best("201") && !is_best("202"), "{}", desk.screen());
}

#[test]
fn few_offers_with_several_gpus_name_the_planner() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut desk = wide();
        desk.resize(columns, rows);
        desk.keys("/").type_text("4x 4090").keys("enter").answer(TWINS);
        desk.expect("Several offers may have 4 GPUs together: K plans them");
        // With one GPU there is nothing to combine.
        desk.keys("/").type_text("1x 4090").keys("enter").answer(TWINS);
        desk.expect_not("together");
    }
    let mut desk = wide();
    desk.keys("/").type_text("4x 4090").keys("enter").answer(TWINS);
    desk.keys("K").answer(TWINS);
    desk.expect("Runner-up: $1.200/h (same price)").expect_not("+$0.00");
    // One bill for any number has no line.
    desk.expect_not("With 1 GPU $1.200/h · 2 GPUs");
}
