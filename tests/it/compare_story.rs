//! Marked offers side by side, key by key; what is better is worked out by hand.

use crate::desk::Desk;

/// Two offers whose hourly prices differ in the fifth place only. The first word of nothing is null,
/// the second none, the third the word `NULL`.
const TWO: &str = r#"{"offers":[
 {"id":1,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24000,"gpu_total_ram":24000,"dph_base":0.30,"dph_total":0.41001,
  "dph_total_adj":0.45,"dlperf":100.0,"storage_cost":0.9,"inet_down_cost":0.01,"inet_up_cost":0.02,"disk_space":500.0,
  "hostname":null,"webpage":"NULL","score":500.0,"duration":864000.0,
  "search":{"gpuCostPerHour":0.30,"diskHour":0.01,"totalHour":0.31,"discountTotalHour":0.0,"discountedTotalPerHour":0.31},
  "instance":{"gpuCostPerHour":0.0,"diskHour":0.01,"totalHour":0.01,"discountTotalHour":0.0,"discountedTotalPerHour":0.01}},
 {"id":2,"gpu_name":"RTX 4090","num_gpus":2,"gpu_ram":24000,"gpu_total_ram":48000,"dph_base":0.70,"dph_total":0.41004,
  "dph_total_adj":0.40,"dlperf":190.0,"storage_cost":1.8,"inet_down_cost":0.01,"inet_up_cost":0.02,"disk_space":500.0,
  "hostname":"NULL","score":400.0,"duration":864000.0,
  "search":{"gpuCostPerHour":0.70,"diskHour":0.02,"totalHour":0.72,"discountTotalHour":0.1,"discountedTotalPerHour":0.62},
  "instance":{"gpuCostPerHour":0.0,"diskHour":0.02,"totalHour":0.02,"discountTotalHour":0.0,"discountedTotalPerHour":0.02}}]}"#;

fn compared() -> Desk {
    let mut desk = Desk::with_offers(TWO);
    desk.resize(120, 100).keys("space space v");
    desk
}

/// The words behind a label in the line that begins with it, after `from`.
#[track_caller]
fn behind(desk: &Desk, from: &str, label: &str) -> Vec<String> {
    let screen = desk.screen();
    let mut lines = screen.lines().skip_while(|line| line.trim() != from);
    let start = format!(" {label} ");
    let line = lines.find(|line| line.starts_with(&start));
    let line = line.unwrap_or_else(|| panic!("no {label:?} behind {from:?}:\n{screen}"));
    line[start.len()..]
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_columns_of_the_table_come_first_in_their_order() {
    let mut desk = Desk::with_offers(TWO);
    desk.resize(120, 100);
    // A job of 10 hours with 50 GB; its columns stand behind the price.
    desk.keys("J ctrl-u").type_text("10").keys("enter");
    desk.keys("space space v");
    let screen = desk.screen();
    let labels: Vec<&str> = screen
        .lines()
        .skip_while(|line| line.trim() != "At a glance")
        .skip(1)
        .take(6)
        .map(|line| line[1..].split("  ").next().unwrap())
        .collect();
    assert_eq!(labels, ["$/h", "Job $", "Spare", "N", "GPU", "VRAM"]);
    // 0.30 x 10 + 0.9 x 50 x 10 / 720 + 20 x 0.01 + 5 x 0.02 = 3.925;
    // 0.70 x 10 + 1.8 x 50 x 10 / 720 + 0.3 = 8.55.
    let glance = |label| behind(&desk, "At a glance", label);
    assert_eq!(glance("Job $")[0], "*");
    assert!(glance("Job $")[1].starts_with("$3.9"));
    assert_eq!(glance("Job $")[2], "$8.55");
    assert_eq!(glance("VRAM"), ["24GB", "24GB"]);
    // The sections of the catalog follow.
    assert!(screen.find("At a glance").unwrap() < screen.find("\n Price").unwrap());
    // In another order of the columns, another order here.
    let columns = &mut desk.model.browsers[bourse::domain::Resource::Offers].columns;
    let price = columns.iter().position(|field| field.key == "dph_total");
    let price = columns.remove(price.unwrap());
    columns.push(price);
    desk.keys("esc v");
    let glance = desk.screen();
    let glance = glance.split("At a glance\n").nth(1).unwrap();
    assert!(glance.starts_with(" Job $"), "{glance}");
}

#[test]
fn what_reads_alike_is_neither_best_nor_a_difference() {
    let mut desk = compared();
    let price = || behind(&desk, "At a glance", "$/h");
    assert_eq!(price(), ["$0.4100/h", "$0.4100/h"]);
    // A word for nothing is nothing.
    desk.expect_not("NULL")
        .expect_not("Web page")
        .expect_not("Host name");
    desk.keys("d")
        .expect("only differences")
        .expect_not("\n $/h  ");
    desk.expect("At a glance").expect("$/h per GPU");
}

#[test]
fn lower_is_better_of_all_that_is_paid() {
    let desk = compared();
    let price = |label| behind(&desk, "Price", label);
    assert_eq!(price("Adjusted $/h"), ["$0.4500/h", "*", "$0.4000/h"]);
    assert_eq!(price("Running: GPU"), ["*", "$0.3000/h", "$0.7000/h"]);
    assert_eq!(price("Running: disk"), ["*", "$0.01000/h", "$0.02000/h"]);
    assert_eq!(price("Running: total"), ["*", "$0.3100/h", "$0.7200/h"]);
    assert_eq!(
        price("Running: discounted"),
        ["*", "$0.3100/h", "$0.6200/h"]
    );
    // What a discount saves is the other way round, and no discount is no price.
    assert_eq!(price("Running: discount"), ["—", "*", "$0.1000/h"]);
    assert_eq!(price("Stopped: disk"), ["*", "$0.01000/h", "$0.02000/h"]);
    assert_eq!(price("Stopped: total"), ["*", "$0.01000/h", "$0.02000/h"]);
    // 0.41001 and 0.41004 / 2; over 24 and 48 GB; over 100 and 190.
    assert_eq!(price("$/h per GPU"), ["$0.4100/h", "*", "$0.2050/h"]);
    assert_eq!(price("$/h per GB VRAM"), ["$0.01708/h", "*", "$0.00854/h"]);
    assert_eq!(price("$/h per DLPerf"), ["$0.00410/h", "*", "$0.00216/h"]);
}

#[test]
fn labels_are_whole_and_lines_are_counted() {
    let mut desk = Desk::with_offers(TWO);
    desk.resize(80, 24).keys("space space v");
    desk.expect("1-").expect(" lines");
    let first = desk.screen();
    let count = first.lines().find(|line| line.contains(" lines")).unwrap();
    assert!(count.starts_with(" 1-19 of "), "{first}");
    desk.keys("G");
    let all = count.split("of ").nth(1).unwrap();
    let all = all.split(' ').next().unwrap();
    desk.expect(&format!("-{all} of {all} lines"));
    for columns in [60, 80, 120] {
        desk.resize(columns, 100).keys("g");
        desk.expect("Running: discount ")
            .expect("Running: discounted ")
            .expect_not(" lines");
    }
}

#[test]
fn taking_one_of_two_out_closes_and_says_so() {
    let mut desk = compared();
    desk.keys("space")
        .expect("One left: comparison closed")
        .expect_not("side by side")
        .expect("1 marked");
}
