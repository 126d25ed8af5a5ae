//! Marked rows side by side; what is better is worked out by hand.

use crate::stories::insights::{MARKET, type_job, wide};
use crate::stories::unlist::at_volumes;
use crate::test_app::TestApp;

/// Two offers whose hourly prices differ in the fifth place only. The first word of nothing is null,
/// the second none, the third the word `NULL`.
const TWO: &str = r#"{"offers":[
 {"id":1,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24000,"gpu_total_ram":24000,"dph_base":0.30,"dph_total":0.41001,
  "dph_total_adj":0.45,"dlperf":100.0,"storage_cost":0.9,"inet_down_cost":0.01,"inet_down":80000000,"inet_up_cost":0.02,"disk_space":500.0,
  "hostname":null,"webpage":"NULL","score":500.0,"duration":864000.0,
  "search":{"gpuCostPerHour":0.30,"diskHour":0.01,"totalHour":0.31,"discountTotalHour":0.0,"discountedTotalPerHour":0.31},
  "instance":{"gpuCostPerHour":0.0,"diskHour":0.01,"totalHour":0.01,"discountTotalHour":0.0,"discountedTotalPerHour":0.01}},
 {"id":2,"gpu_name":"RTX 4090","num_gpus":2,"gpu_ram":24000,"gpu_total_ram":48000,"dph_base":0.70,"dph_total":0.41004,
  "dph_total_adj":0.40,"dlperf":190.0,"storage_cost":1.8,"inet_down_cost":0.01,"inet_down":80000000,"inet_up_cost":0.02,"disk_space":500.0,
  "hostname":"NULL","score":400.0,"duration":864000.0,
  "search":{"gpuCostPerHour":0.70,"diskHour":0.02,"totalHour":0.72,"discountTotalHour":0.1,"discountedTotalPerHour":0.62},
  "instance":{"gpuCostPerHour":0.0,"diskHour":0.02,"totalHour":0.02,"discountTotalHour":0.0,"discountedTotalPerHour":0.02}}]}"#;

fn compared() -> TestApp {
    let mut desk = TestApp::with_offers(TWO);
    desk.resize(120, 100).keys("space space v");
    desk
}

/// The words behind a label in the line that begins with it, after `from`.
#[track_caller]
fn behind(desk: &TestApp, from: &str, label: &str) -> Vec<String> {
    let lines = inner(desk);
    let mut below = lines.iter().skip_while(|line| line.trim() != from);
    let start = format!("{label} ");
    let line = below.find(|line| line.starts_with(&start));
    let line = line.unwrap_or_else(|| panic!("no {label:?} behind {from:?}:\n{}", desk.screen()));
    line[start.len()..].split_whitespace().map(str::to_owned).collect()
}

/// The lines inside the frame.
fn inner(desk: &TestApp) -> Vec<String> {
    let screen = desk.screen();
    let lines = screen.lines().skip(2);
    lines
        .map(|line| line.trim_matches('┃').trim_end().to_owned())
        .map(|line| line.strip_prefix(' ').map_or(line.clone(), str::to_owned))
        .collect()
}

#[test]
fn the_columns_of_the_table_come_first_in_their_order() {
    let mut desk = TestApp::with_offers(TWO);
    desk.resize(120, 100);
    // A job of 10 hours with 50 GB; its columns stand behind the price.
    desk.keys("J ctrl-u").type_text("10").keys("enter");
    desk.keys("space space v");
    let lines = inner(&desk);
    let labels: Vec<&str> = lines
        .iter()
        .skip_while(|line| *line != "At a glance")
        .skip(1)
        .take(4)
        .map(|line| line.split("  ").next().unwrap())
        .collect();
    assert_eq!(labels, ["$/h", "Job $", "N", "DLPerf"]);
    // 0.30 x 10 + 0.9 x 50 x 10 / 720 + 20 x 0.01 + 5 x 0.02 = 3.925;
    // 0.70 x 10 + 1.8 x 50 x 10 / 720 + 0.3 = 8.55.
    let glance = |label| behind(&desk, "At a glance", label);
    assert_eq!(glance("Job $")[0], "*");
    assert!(glance("Job $")[1].starts_with("$3.9"));
    assert_eq!(glance("Job $")[2], "$8.55");
    // The sections of the catalog follow, then what does not differ; no column is there twice.
    assert_eq!(behind(&desk, "The same in all", "VRAM"), ["24", "GB", "24", "GB"]);
    assert_eq!(lines.iter().filter(|line| line.starts_with("DLPerf  ")).count(), 1);
    assert_eq!(lines.iter().filter(|line| line.starts_with("VRAM  ")).count(), 1);
    let place = |title: &str| lines.iter().position(|line| line == title).unwrap();
    assert!(place("At a glance") < place("Price"));
    // In another order of the columns, another order here.
    let columns = &mut desk.model.browsers[bourse::domain::Resource::Offers].columns;
    let price = columns.iter().position(|field| field.key == "dph_total");
    let price = columns.remove(price.unwrap());
    columns.push(price);
    desk.keys("esc v");
    let lines = inner(&desk);
    let glance = lines.iter().position(|line| line == "At a glance").unwrap();
    assert!(lines[glance + 1].starts_with("Job $"), "{lines:?}");
}

#[test]
fn what_reads_alike_is_neither_best_nor_a_difference() {
    let mut desk = compared();
    let price = || behind(&desk, "The same in all", "$/h");
    assert_eq!(price(), ["$0.4100/h", "$0.4100/h"]);
    // A word for nothing is nothing.
    desk.expect_not("NULL").expect_not("Web page").expect_not("Host name");
    desk.keys("d").expect("differing rows only").expect_not("┃ $/h  ");
    desk.expect("At a glance").expect("$/h per GPU");
}

#[test]
fn lower_is_better_of_all_that_is_paid() {
    let desk = compared();
    let price = |label| behind(&desk, "Price", label);
    assert_eq!(price("Adjusted $/h"), ["$0.4500/h", "*", "$0.4000/h"]);
    assert_eq!(price("GPU $/h"), ["*", "$0.3000/h", "$0.7000/h"]);
    assert_eq!(price("Running: disk"), ["*", "$0.01000/h", "$0.02000/h"]);
    assert_eq!(price("Running: total"), ["*", "$0.3100/h", "$0.7200/h"]);
    assert_eq!(price("Running: discounted"), ["*", "$0.3100/h", "$0.6200/h"]);
    // What a discount saves is the other way round, and no discount is no price.
    assert_eq!(price("Running: discount"), ["—", "*", "$0.1000/h"]);
    // A price is told once, whatever else the market calls it.
    desk.expect_not("Running: GPU").expect_not("Stopped: disk");
    // 0.41001 and 0.41004 / 2; over 24 and 48 GB; over 100 and 190.
    assert_eq!(price("$/h per GPU"), ["$0.4100/h", "*", "$0.2050/h"]);
    assert_eq!(price("$/h per GB VRAM"), ["$0.01708/h", "*", "$0.00854/h"]);
    assert_eq!(price("$/h per DLPerf"), ["$0.00410/h", "*", "$0.00216/h"]);
}

#[test]
fn labels_are_complete_and_lines_are_counted() {
    let mut desk = TestApp::with_offers(TWO);
    desk.resize(80, 24).keys("space space v j");
    let screen = desk.screen();
    let title = screen.lines().nth(1).unwrap();
    // A page of 16 lines, the second one on top; the totals take two. B has two GPUs, each at half the price of A's one
    // and with 95 DLPerf for 100.
    assert!(title.contains(" 2–17 of "), "{screen}");
    desk.expect("Per GPU, B is cheaper; A is 5.3% faster and costs over 99.9% more.");
    desk.keys("G j");
    let screen = desk.screen();
    let count = screen.lines().nth(1).unwrap().split(" of ").nth(1).unwrap();
    let all = count.split_whitespace().next().unwrap();
    desk.expect(&format!("–{all} of {all}"));
    for columns in [60, 80, 120] {
        desk.resize(columns, 100).keys("g");
        desk.expect("Running: discount ").expect("Running: discounted ");
    }
}

#[test]
fn unmarking_one_of_two_closes_and_says_so() {
    let mut desk = compared();
    desk.keys("space")
        .expect("Comparison closed: only one row is left")
        .expect_not("Compare 2 offers")
        .expect("1 marked");
}

/// The words of the line that shows a text, without the frame.
#[track_caller]
fn words(desk: &TestApp, text: &str) -> Vec<String> {
    let screen = desk.screen();
    let line = screen.lines().find(|line| line.contains(text));
    let line = line.unwrap_or_else(|| panic!("{text:?} is not on the screen:\n{screen}"));
    let words = line.split_whitespace().filter(|word| *word != "┃");
    words.map(str::to_owned).collect()
}

#[test]
fn marked_offers_stand_side_by_side_with_the_best_marked() {
    let mut desk = wide();
    desk.keys("v").expect("Mark at least two rows first");
    desk.keys("space j space").expect("2 marked").selects("104");
    desk.keys("v").expect("Compare 2 offers");
    let values = |text: &str| words(&desk, text);
    assert_eq!(values(" $/h    ")[1..], ["$0.4100/h", "*", "$0.2200/h"]);
    assert_eq!(values("100.0 DLPerf")[1..], ["*", "100.0", "DLPerf", "50.0", "DLPerf"]);
    // Per GB: 0.41 / 24 and 0.22 / 24; per DLPerf: 0.41 / 100 and 0.22 / 50.
    // Of one GPU each, the price per GPU is the price: it is told once.
    desk.expect_not("$/h per GPU");
    assert_eq!(values("$/h per GB VRAM")[4..], ["$0.01708/h", "*", "$0.00917/h"]);
    assert_eq!(values("$/h per DLPerf")[3..], ["*", "$0.00410/h", "$0.00440/h"]);
    desk.expect("The same in all");
    desk.keys("d").expect("differing rows only");
    desk.expect_not("The same in all").expect("$/h per GB VRAM");
    // Below the values there is room for both cards, with the facts that do not differ.
    desk.expect("╭ 101 ").expect("╭ 103 ").expect("2 slices");
    desk.keys("d right enter").selects("103");
    desk.keys("v space").selects("103").expect("1 marked");
}

#[test]
fn the_verdict_names_the_cheapest_and_the_fastest() {
    let mut desk = wide();
    // 101 at 0.41 with 100 DLPerf, 103 at 0.22 with 50.
    desk.keys("space j space v");
    desk.expect("B is cheaper; A is 2× as fast and costs 86% more.");
    desk.expect("If you rent all: 2 GPUs on 2 machines · $0.630/h");
    // 105 at 0.30 with 40 beside 103: worse in both.
    desk.keys("esc esc G space k k space v");
    desk.expect("A is cheaper and faster.");
}

#[test]
fn the_verdict_is_about_the_job_and_leaves_out_who_cannot_do_it() {
    let mut desk = wide();
    type_job(&mut desk).keys("enter g space space space space space v");
    // 101 costs 5.65 for 100 DLPerf; 102 8.65 for 190 with two GPUs, 104 163 for 2400 with eight: a GPU of them 4.325
    // for 95, and 20.375 for 300. 103 ends too early, 105 does not say when: they come last.
    desk.expect("Per GPU, B is the cheapest for your job; C is 3.2× as fast and costs 4.7× as much.");
    desk.expect("! D is too small or ends too early.");
    desk.expect("! E is unfit (disk, speed or end unknown).");
}

/// The prices read the same: 0.41001 and 0.41004; 190 DLPerf are 90% more.
#[test]
fn a_difference_that_rounds_to_nothing_is_none() {
    let mut desk = TestApp::with_offers(&TWO.replace("\"num_gpus\":2", "\"num_gpus\":1"));
    desk.resize(80, 24).keys("space space v");
    desk.expect("B is as cheap as A and 90% faster.");
}

#[test]
fn slices_of_one_machine_are_not_added_up() {
    let mut desk = wide();
    desk.keys("space G k k k space v").expect("Compare 2 offers");
    let both = desk.shows("101") && desk.shows("102");
    assert!(both, "{}", desk.screen());
    desk.expect("If you rent all: 2 GPUs on 1 machine · only 1 of 2 at once: they share GPUs");
}

#[test]
fn more_offers_than_fit_scroll_sideways() {
    let mut desk = TestApp::with_offers(MARKET);
    desk.resize(80, 24).keys("space space space space space v");
    desk.expect("1–3 of 5").expect("1× RTX 3090").expect_not("8× H100");
    desk.keys("right right right right")
        .expect("3–5 of 5")
        .expect("8× H100");
    desk.keys("esc esc").expect_not("marked").selects("105");
}

#[test]
fn volumes_are_compared_by_price_and_speed() {
    let mut desk = at_volumes();
    // Iceland at 0.05 $/GB/month reads 80 MB/s, Texas at 0.1 reads 800.
    desk.keys("space space v")
        .expect("A is cheaper; B is 10× as fast and costs 2× as much.");
}

#[test]
fn it_is_drawn_at_every_size() {
    let mut desk = wide();
    desk.keys("space space space v");
    for (columns, rows) in [(40, 10), (80, 24), (120, 40), (200, 60), (300, 80)] {
        desk.resize(columns, rows).expect("A  101");
    }
}
