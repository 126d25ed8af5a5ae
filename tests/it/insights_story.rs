//! Job cost, three prices, comparison, summary, plot, funnel and related offers, key by key; every
//! number is worked out by hand from the answers written here.

use bourse::api::{ApiError, Request};
use bourse::app::message::Effect;
use bourse::domain::{OfferType, Query, language};

use crate::desk::Desk;

/// Five offers. Storage in the prices is 8 GB: 0.9 x 8 / 720 = 0.01 $/h, 1.8 x 8 / 720 = 0.02 $/h.
pub const MARKET: &str = r#"{"offers":[
 {"id":101,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24000,"gpu_total_ram":24000,"dph_base":0.40,"dph_total":0.41,
  "dlperf":100.0,"storage_cost":0.9,"inet_down_cost":0.01,"inet_up_cost":0.02,"duration":864000.0,"disk_space":500.0,
  "machine_id":7,"host_id":70,"gpu_ids":[0],"gpu_frac":0.5,"cpu_cores":32,"cpu_cores_effective":16.0,"cpu_ram":64000,
  "verification":"verified","rentable":true,"rented":false,"geolocation":"Texas, US","score":500.0},
 {"id":102,"gpu_name":"RTX 4090","num_gpus":2,"gpu_ram":24000,"gpu_total_ram":48000,"dph_base":0.70,"dph_total":0.71,
  "dlperf":190.0,"storage_cost":0.9,"inet_down_cost":0.01,"inet_up_cost":0.02,"duration":864000.0,"disk_space":500.0,
  "machine_id":7,"host_id":70,"gpu_ids":[0,1],"gpu_frac":1.0,"cpu_cores":32,"cpu_cores_effective":32.0,"cpu_ram":128000,
  "verification":"verified","rentable":true,"rented":false,"geolocation":"Texas, US","score":400.0},
 {"id":103,"gpu_name":"RTX 3090","num_gpus":1,"gpu_ram":24000,"gpu_total_ram":24000,"dph_base":0.20,"dph_total":0.22,
  "dlperf":50.0,"storage_cost":1.8,"inet_down_cost":0.01,"inet_up_cost":0.02,"duration":36000.0,"disk_space":60.0,
  "machine_id":9,"host_id":70,"gpu_ids":[0],
  "verification":"verified","rentable":true,"rented":false,"geolocation":"Texas, US","score":300.0},
 {"id":104,"gpu_name":"H100 SXM","num_gpus":8,"gpu_ram":80000,"gpu_total_ram":640000,"dph_base":16.0,"dph_total":16.02,
  "dlperf":2400.0,"storage_cost":1.8,"inet_down_cost":0.01,"inet_up_cost":0.02,"duration":8640000.0,"disk_space":4000.0,
  "machine_id":8,"host_id":71,"gpu_ids":[0,1,2,3,4,5,6,7],
  "verification":"verified","rentable":true,"rented":false,"geolocation":"Iceland, IS","score":200.0},
 {"id":105,"gpu_name":"RTX 3090","num_gpus":1,"gpu_ram":24000,"gpu_total_ram":24000,"dph_base":0.29,"dph_total":0.30,
  "dlperf":40.0,"storage_cost":0.9,"inet_down_cost":0.01,"inet_up_cost":0.02,"disk_space":500.0,
  "machine_id":10,"host_id":72,"gpu_ids":[0],
  "verification":"verified","rentable":true,"rented":false,"geolocation":null,"score":100.0}]}"#;

/// The bid search: 101 by its id at 0.20 + 0.01, and the GPUs of 103 under another id at 0.22 + 0.02.
pub const BIDS: &str = r#"{"offers":[
 {"id":101,"machine_id":7,"gpu_ids":[0],"min_bid":0.20,"dph_base":0.20,"dph_total":0.21},
 {"id":903,"machine_id":9,"gpu_ids":[0],"min_bid":0.22,"dph_base":0.22,"dph_total":0.24}]}"#;

/// The reserved search: 101 at 80 % of 0.41.
pub const RESERVED: &str = r#"{"offers":[
 {"id":101,"machine_id":7,"gpu_ids":[0],"dph_base":0.40,"dph_total":0.41,"discounted_dph_total":0.328}]}"#;

fn query(desk: &Desk) -> Query {
    match desk.asked() {
        Request::Search(query) => query.clone(),
        other => panic!("{other:?}"),
    }
}

fn asked_text(desk: &Desk) -> String {
    language::print(&query(desk).conditions)
}

/// The line of the screen that shows a text.
#[track_caller]
fn line(desk: &Desk, text: &str) -> String {
    let screen = desk.screen();
    let line = screen.lines().find(|line| line.contains(text));
    line.unwrap_or_else(|| panic!("{text:?} is not on the screen:\n{screen}"))
        .to_owned()
}

/// The words of a row of the table, from its id on.
#[track_caller]
fn row(desk: &Desk, id: &str) -> Vec<String> {
    let row = desk.row(id);
    let words = row.split_whitespace().skip_while(|word| *word != id);
    words.map(str::to_owned).collect()
}

/// The words of the line that shows a text.
#[track_caller]
fn words(desk: &Desk, text: &str) -> Vec<String> {
    let line = line(desk, text);
    // What is left and right of the dialog belongs to the table.
    let part = line.split(['┃', '│']).find(|part| part.contains(text));
    part.unwrap_or(&line)
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

/// Whether a cell of the line that shows a text has the sign of something wrong.
#[track_caller]
fn is_marked(desk: &Desk, id: &str) -> bool {
    desk.row(id).contains('!')
}

pub fn wide() -> Desk {
    let mut desk = Desk::with_offers(MARKET);
    desk.resize(200, 60).keys("z");
    desk
}

/// A job of 10 hours running and 5 stopped with 72 GB, 20 GB in and 5 GB out.
pub fn type_job(desk: &mut Desk) -> &mut Desk {
    desk.keys("J ctrl-u").type_text("10");
    desk.keys("tab ctrl-u").type_text("5");
    desk.keys("tab ctrl-u").type_text("72");
    desk.keys("tab ctrl-u").type_text("20");
    desk.keys("tab ctrl-u").type_text("5")
}

#[test]
fn the_front_is_marked_in_the_table_and_counted() {
    let desk = wide();
    for id in ["102", "103", "104"] {
        assert!(desk.row(id).starts_with("┃ ◆ "), "{id}");
    }
    assert!(desk.row("101").starts_with("┃›◆ "));
    assert!(desk.row("105").starts_with("┃   "));
    desk.expect("◆ best value (4)");
}

#[test]
fn a_dominated_offer_says_which_one_beats_it_and_by_how_much() {
    let mut desk = wide();
    // 105: 0.30 $/h and 40 per GPU; 103: 0.22 and 50: 0.08 of 0.30 is 26.7 %, 10 of 40 is 25 %.
    desk.keys("G enter").expect("Offer 105");
    desk.expect("103 beats it: 27 % cheaper and 25 % faster per GPU")
        .expect("◆ 103 beats it: $0.080/h cheaper and 10 DLPerf faster, per GPU");
    desk.expect("in all 5 offers");
    desk.keys("esc g enter").expect("◆ best value");
}

#[test]
fn a_cut_answer_is_never_called_the_market() {
    let mut desk = wide();
    desk.model.browsers[bourse::domain::Resource::Offers]
        .query
        .limit = Some(5);
    desk.keys("r").answer(MARKET);
    desk.keys("m").expect("5 loaded, more exist");
    desk.keys("esc p").expect("First 5 offers of more");
    desk.keys("esc G enter")
        .expect("Alternatives in the first 5 offers");
}

#[test]
fn a_job_is_typed_and_becomes_a_column_that_sorts() {
    let mut desk = wide();
    type_job(&mut desk);
    // 101: 0.40 x 10 + 0.9 x 72 / 720 x 10 + the same x 5 + 0.01 x 20 + 0.02 x 5 = 5.65
    desk.expect("On the selected offer 101");
    for (label, value) in [
        ("GPUs while running", "$4.0000"),
        ("Storage while running", "$0.9000"),
        ("Storage while stopped", "$0.4500"),
        ("Traffic in", "$0.2000"),
        ("Traffic out", "$0.1000"),
        ("Total", "$5.6500"),
    ] {
        assert!(line(&desk, label).contains(value), "{label}");
    }
    desk.expect("= 0.4 $/h x 10 h")
        .expect("= 0.9 $/GB/month x 72 GB / 720 h x 10 h")
        .expect("= 4 + 0.9 + 0.45 + 0.2 + 0.1");
    // 240 hours are left, 15 are needed: 225 to spare.
    desk.expect("The offer outlives the job by 9.4d.");
    assert!(desk.calls.is_empty());
    desk.keys("enter").expect("Job $");
    for (id, cost, spare) in [
        ("101", "5.65", "9.4"),
        ("102", "8.65", "9.4"),
        ("103", "!5.00", "-0.2"),
        ("104", "163.00", "99.4"),
        ("105", "4.55", "—"),
    ] {
        let words = row(&desk, id);
        assert!(words.contains(&cost.to_owned()), "{id}: {words:?}");
        assert!(words.contains(&spare.to_owned()), "{id}: {words:?}");
    }
    desk.click("Job $").keys("g").selects("105");
    desk.keys("j").selects("101");
    // 103 ends before the job is done: it is no choice, however cheap.
    desk.keys("G").selects("103");
    assert!(desk.calls.is_empty());
    // The order goes to the market without the column that it does not know.
    desk.keys("r");
    assert_eq!(language::print_order(&query(&desk).order), "job_cost");
}

#[test]
fn an_offer_that_ends_before_the_job_or_lacks_the_disk_says_so() {
    let mut desk = wide();
    type_job(&mut desk).keys("enter");
    desk.keys("G enter").expect("Offer 103"); // last, whatever the order
    // 10 hours are left, 15 are needed; 60 GB are there, 72 wanted.
    desk.expect("! The offer ends 5 hours before the job is done")
        .expect("! The disk is 12GB too small");
    desk.keys("G").keys("left g").expect("Offer 105");
    desk.expect("! End of the offer not reported");
}

#[test]
fn what_is_typed_into_a_line_takes_the_place_of_its_number() {
    let mut desk = wide();
    desk.keys("J").type_text("10").keys("tab tab");
    desk.type_text("72").keys("tab end").type_text("0"); // the cursor was moved: 20 becomes 200
    desk.keys("tab tab shift-tab enter"); // lines that are only passed keep their numbers
    desk.keys("J");
    let number = |label: &str, place: usize| words(&desk, label)[place].clone();
    assert_eq!(number("> run hours", 3), "10");
    assert_eq!(number("disk in GB", 3), "72");
    assert_eq!(number("GB in  ", 2), "200");
    assert_eq!(number("GB out  ", 2), "5");
}

#[test]
fn work_lets_faster_offers_finish_sooner() {
    let mut desk = wide();
    desk.keys("J up").type_text("1000");
    // 1000 DLPerf-hours at 100 DLPerf are 10 hours, at 190 they are 5.26.
    desk.expect("= 1000 DLPerf-hours / 100 DLPerf");
    desk.keys("enter").expect("Job time");
    assert!(row(&desk, "101").contains(&"10.0".to_owned()));
    assert!(row(&desk, "102").contains(&"5.3".to_owned()));
}

#[test]
fn a_job_is_checked_while_it_is_typed_and_understands_units() {
    let mut desk = wide();
    desk.keys("J ctrl-u").type_text("soon");
    desk.expect("! not a number of hours: 24, 3d, 2w");
    desk.expect_not("On the selected offer");
    desk.keys("tab enter");
    desk.expect("run hours: not a number of hours")
        .expect("> run hours");
    desk.keys("ctrl-u").type_text("-1");
    desk.expect("! from 0 to 1000000");
    desk.keys("ctrl-u");
    desk.expect("! a number is needed: 0 for none");
    desk.type_text("3d")
        .keys("tab tab ctrl-u")
        .type_text("1.5TB");
    desk.keys("tab ctrl-u").type_text("0");
    desk.keys("tab ctrl-u").type_text("0");
    // 3 days are 72 hours: 0.40 x 72 = 28.8; 0.9 x 1500 / 720 x 72 = 135.
    desk.expect("$28.8000")
        .expect("$135.0000")
        .expect("$163.8000");
}

#[test]
fn escape_leaves_the_job_as_it_was_and_keeps_what_was_typed() {
    let mut desk = wide();
    desk.keys("J ctrl-u").type_text("77").keys("esc");
    desk.expect_not("Job $").selects("101");
    desk.keys("J").expect("77");
    desk.keys("ctrl-x");
    desk.expect_not("Job $");
    type_job(&mut desk).keys("enter").expect("Job $");
    desk.keys(":").type_text("forget-job").keys("enter");
    desk.expect_not("Job $").expect_not("Spare");
}

#[test]
fn three_prices_stand_in_one_row() {
    let mut desk = wide();
    desk.keys("P");
    let types: Vec<_> = desk
        .calls
        .iter()
        .map(|(_, request)| match request {
            Request::Search(query) => query.offer_type,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        types,
        [OfferType::OnDemand, OfferType::Bid, OfferType::Reserved]
    );
    desk.keys("j").selects("102");
    desk.keys("k"); // nothing waits for the answers
    desk.answer(MARKET).answer(BIDS).answer(RESERVED);
    // 1 - 0.21 / 0.41 = 48.78 %; 1 - 0.328 / 0.41 = 20 %.
    let words_of_101 = row(&desk, "101");
    assert_eq!(
        words_of_101[..7],
        [
            "101", "0.4100", "0.4100", "0.2100", "48.8", "0.3280", "20.0"
        ]
    );
    // The same GPUs under another id: 1 - 0.24 / 0.22 = -9.09 %.
    let words_of_103 = row(&desk, "103");
    assert_eq!(
        words_of_103[..7],
        ["103", "0.2200", "0.2200", "0.2400", "-9.1", "—", "—"]
    );
    desk.resize(160, 60).keys("j j enter");
    desk.expect("$0.240/h, 9.1 % more than on-demand (another offer of the same GPUs)")
        .expect("Loaded 0 seconds ago");
    desk.keys("esc g enter")
        .expect("$0.210/h, 48.8 % less than on-demand")
        .expect("$0.328/h, 20 % less than on-demand");
    desk.keys("P").expect("Other price models: P loads them");
    desk.keys("esc").expect_not("Reserv.");
}

#[test]
fn three_prices_are_fetched_again_with_the_rows() {
    let mut desk = wide();
    desk.keys("P").answer(MARKET).answer(BIDS).answer(RESERVED);
    desk.wait(60.0).keys("r");
    assert_eq!(desk.calls.len(), 4, "the rows and three price models");
    desk.expect("0.2100"); // what was there stays until the answers come
    desk.answer(MARKET).answer(MARKET);
    desk.answer(&BIDS.replace("0.21}", "0.25}"))
        .expect("0.2500");
    desk.answer(RESERVED).keys("P r");
    assert_eq!(desk.calls.len(), 1, "nothing more once they are hidden");
}

#[test]
fn a_missing_price_says_whether_it_is_not_offered_failed_or_not_loaded() {
    let mut desk = wide();
    desk.model.browsers[bourse::domain::Resource::Offers]
        .query
        .limit = Some(2);
    desk.keys("P j enter").expect("loading… 0 s");
    desk.answer(MARKET).answer(BIDS).fail(ApiError::Lost);
    desk.expect("not among the first 2")
        .expect("the connection broke before an answer came");
    desk.keys("esc esc");
    assert!(desk.calls.is_empty());
}

#[test]
fn escape_stops_waiting_for_the_three_prices() {
    let mut desk = wide();
    desk.keys("P").expect("loading price models");
    desk.keys("esc").expect("three prices cancelled");
    assert!(desk.calls.is_empty());
}

#[test]
fn three_prices_fit_into_eighty_columns() {
    let mut desk = wide();
    desk.resize(80, 24).keys("P");
    desk.answer(MARKET).answer(BIDS).answer(RESERVED);
    assert_eq!(
        row(&desk, "101")[..7],
        [
            "101", "0.4100", "0.4100", "0.2100", "48.8", "0.3280", "20.0"
        ]
    );
}

#[test]
fn marked_offers_stand_side_by_side_with_the_best_marked() {
    let mut desk = wide();
    desk.keys("v").expect("mark at least two rows");
    desk.keys("space j space").expect("2 marked").selects("104");
    desk.keys("v").expect("2 offers side by side");
    let values = |text: &str| words(&desk, text);
    assert_eq!(values(" $/h    ")[1..], ["$0.4100/h", "*", "$0.2200/h"]);
    assert_eq!(
        values("100.0 DLPerf")[1..],
        ["*", "100.0", "DLPerf", "50.0", "DLPerf"]
    );
    // Per GB: 0.41 / 24 and 0.22 / 24; per DLPerf: 0.41 / 100 and 0.22 / 50.
    assert_eq!(values("$/h per GPU")[3..], ["$0.4100/h", "*", "$0.2200/h"]);
    assert_eq!(
        values("$/h per GB VRAM")[4..],
        ["$0.01708/h", "*", "$0.00917/h"]
    );
    assert_eq!(
        values("$/h per DLPerf")[3..],
        ["*", "$0.00410/h", "$0.00440/h"]
    );
    desk.keys("d").expect("only differences");
    desk.expect_not("24GB").expect("$/h per GPU");
    desk.keys("d right enter").selects("103");
    desk.keys("v space").selects("103").expect("1 marked");
}

#[test]
fn more_offers_than_fit_scroll_sideways() {
    let mut desk = Desk::with_offers(MARKET);
    desk.resize(80, 24).keys("space space space space space v");
    desk.expect("1-3 of 5")
        .expect("1x RTX 3090")
        .expect_not("8x H100");
    desk.keys("right right right right")
        .expect("3-5 of 5")
        .expect("8x H100");
    desk.keys("esc esc").expect_not("marked").selects("105");
}

#[test]
fn escape_clears_marks_as_a_step_of_its_own() {
    let mut desk = wide();
    desk.keys("space space").expect("2 marked");
    desk.keys("esc").expect_not("marked");
    desk.keys("space").expect("1 marked");
    desk.keys("k space").expect_not("marked");
    desk.keys("space").expect("1 marked");
    desk.keys(":")
        .type_text("unmark-all")
        .keys("enter")
        .expect_not("marked");
}

#[test]
fn the_summary_groups_and_narrows() {
    let mut desk = wide();
    desk.keys("m").expect("5 loaded, no more came");
    desk.expect("most machines first");
    // Two machines. Per GPU: 0.22 and 0.30, median 0.26; 50 / 0.22 = 227.3 DLPerf per $.
    assert_eq!(
        words(&desk, "> RTX 3090")[3..9],
        ["2", "2", "0.2200", "0.2600", "0.2200", "227.3"]
    );
    // 101 and 102 are slices of one machine of two GPUs: 0.71 / 2 a GPU at best; 190 / 0.71 = 267.6.
    assert_eq!(
        words(&desk, "  RTX 4090")[2..8],
        ["1", "2", "0.3550", "0.3550", "0.4100", "267.6"]
    );
    desk.keys("right").expect("[number of GPUs]").expect("> 1x");
    desk.keys("right right")
        .expect("[country]")
        .expect("(not said)");
    desk.keys("left left left").expect("[GPU model]");
    // 2400 / 16.02 = 149.8 is the least for the money, 267.6 the most.
    desk.keys("s s s")
        .expect("most DLPerf per $")
        .expect("> RTX 4090");
    desk.keys("enter");
    assert_eq!(
        asked_text(&desk),
        "verified=true rentable=true rented=false gpu_name=RTX_4090"
    );
    desk.answer(MARKET).expect("gpu_name=RTX_4090");
    // The query that ran before can be recalled.
    desk.keys("/ up");
    desk.expect("/ verified=true rentable=true rented=false  ");
}

#[test]
fn narrowing_to_a_group_takes_the_place_of_conditions_on_the_same_field() {
    let mut desk = wide();
    desk.keys("/")
        .type_text("num_gpus>=1")
        .keys("enter")
        .answer(MARKET);
    desk.keys("m right G enter");
    assert_eq!(
        asked_text(&desk),
        "verified=true rentable=true rented=false num_gpus=8"
    );
}

#[test]
fn the_plot_moves_the_selection_and_tells_who_is_better() {
    let mut desk = wide();
    desk.keys("p").expect("DLPerf (y) by $/h (x)");
    desk.expect("◆ Pareto front: 4 rows, low $/h and high DLPerf");
    desk.expect("1× RTX 4090").expect("nothing beats it");
    desk.expect("$/h  $0.4100/h").expect("DLPerf  100.0 DLPerf");
    desk.keys("left").expect(" 103 ").expect("RTX 3090");
    desk.keys("right").expect(" 105 ");
    // 103 is 0.08 of 0.30 cheaper and 10 of 40 faster.
    desk.expect("103 beats it: $/h −26.7 %, DLPerf");
    desk.expect("+25 %");
    desk.keys("up").expect(" 103 ");
    desk.keys("up").expect(" 101 ");
    desk.keys("G").expect(" 104 ").expect("8× H100 SXM");
    desk.keys("g").expect(" 103 ");
    desk.keys("pgdn").expect(" 101 ");
    desk.keys("esc").selects("101");
}

#[test]
fn axes_are_chosen_by_typing_and_kept() {
    let mut desk = wide();
    desk.keys("p o").expect("X axis");
    desk.type_text("dph_per_gpu").keys("enter");
    desk.expect("DLPerf (y) by $/h per GPU (x)");
    desk.keys("o tab").expect("Y axis");
    desk.type_text("dlperf_per_gpu").keys("enter");
    desk.expect("DLP per GPU (y) by $/h per GPU (x)");
    desk.keys("o esc").expect("by $/h per GPU (x)");
    desk.keys("esc p").expect("by $/h per GPU (x)");
    desk.keys("enter").expect("Offer 101");
    desk.keys("esc");
    desk.expect("by $/h per GPU (x)");
    desk.keys("esc").selects("101");
}

#[test]
fn the_plot_has_a_histogram_and_survives_without_special_characters() {
    let mut desk = wide();
    desk.theme.ascii = true;
    desk.keys("p").expect("# Pareto front: 4 rows");
    desk.expect("RTX 4090").expect_not("•").expect_not("─");
    // From 0.22 to 16.02: four of the five prices are in the first bars.
    desk.keys("tab").expect("Distribution of $/h");
    desk.keys("tab").expect("DLPerf (y) by $/h (x)");
}

#[test]
fn the_funnel_tells_what_each_condition_costs_and_relaxes_it() {
    let mut desk = wide();
    desk.keys("/")
        .type_text("gpu_name=RTX_4090 num_gpus>=8")
        .keys("enter")
        .answer(r#"{"offers":[]}"#);
    desk.expect("F find the strictest condition");
    desk.keys("F").expect("asking the market");
    assert_eq!(desk.calls.len(), 1);
    let wide = query(&desk);
    assert!(wide.conditions.is_empty());
    assert_eq!(wide.offer_type, OfferType::OnDemand);
    desk.answer(MARKET);
    desk.expect("0 of 5 offers that were loaded without conditions meet all of them.");
    // num_gpus>=8 takes 101, 102, 103 and 105; 101 and 102 would come back. gpu_name takes 103,
    // 104 and 105; only 104 would come back.
    assert_eq!(words(&desk, "> num_gpus>=8")[2..4], ["-4", "+2"]);
    assert_eq!(words(&desk, "gpu_name=RTX_4090  ")[1..3], ["-3", "+1"]);
    assert_eq!(words(&desk, "verified=true  ")[1..3], ["-0", "+0"]);
    // The nearest bound that brings one back is 2.
    desk.expect("looser: num_gpus>=2");
    desk.keys("l");
    assert_eq!(
        asked_text(&desk),
        "verified=true rentable=true rented=false gpu_name=RTX_4090 num_gpus>=2"
    );
}

#[test]
fn a_condition_is_removed_by_the_funnel() {
    let mut desk = wide();
    desk.keys("/").type_text("gpu_name=H200").keys("enter");
    desk.answer(r#"{"offers":[]}"#).keys("F").answer(MARKET);
    assert_eq!(words(&desk, "> gpu_name=H200")[2..4], ["-5", "+5"]);
    desk.keys("enter");
    assert_eq!(
        asked_text(&desk),
        "verified=true rentable=true rented=false"
    );
}

#[test]
fn leaving_the_funnel_stops_its_request() {
    let mut desk = wide();
    desk.keys("F");
    assert_eq!(desk.calls.len(), 1);
    desk.keys("esc");
    assert!(desk.calls.is_empty());
    desk.selects("101");
    desk.keys("F").fail(ApiError::Lost);
    desk.expect("the connection broke before an answer came");
    desk.keys("esc").selects("101");
}

#[test]
fn related_offers_come_from_what_is_loaded_and_then_from_the_host() {
    let mut desk = wide();
    desk.keys("R").expect("Machine 7 of host 70");
    desk.expect("loading all offers of the host");
    desk.expect("gets 50 % of the GPUs, 64GB of 128GB RAM, 16 of 32 vCPUs");
    assert_eq!(asked_text(&desk), "host_id=70");
    // Two GPUs cost 0.71, one costs 0.41: 0.30 for the second.
    assert_eq!(
        words(&desk, " 102 ")[..7],
        ["102", "7", "2×", "RTX", "4090", "0.7100", "0.3550"]
    );
    assert_eq!(words(&desk, " 102 ")[7..10], ["0.3000", "shares", "GPUs"]);
    // The host has one more slice: the other GPU of the machine.
    let more = MARKET.replacen(
        r#"{"offers":["#,
        r#"{"offers":[{"id":110,"gpu_name":"RTX 4090","num_gpus":1,"dph_base":0.44,"dph_total":0.45,
          "machine_id":7,"host_id":70,"gpu_ids":[1],"rentable":false},"#,
        1,
    );
    desk.answer(&more);
    desk.expect("all of the host, rented ones too");
    // 101, 102 and 110 on machine 7; 103 has another machine of the same host.
    desk.expect("not rentable").expect_not("loading all");
    assert!(line(&desk, "this offer").contains("▌"));
    desk.keys("G enter").expect("Offer 103");
    desk.keys("esc").selects("103");
}

#[test]
fn a_related_offer_that_is_not_loaded_is_asked_for() {
    let mut desk = wide();
    desk.keys("R").answer(
        r#"{"offers":[{"id":101,"machine_id":7,"host_id":70,"num_gpus":1,"dph_total":0.41},
            {"id":111,"machine_id":7,"host_id":70,"num_gpus":4,"dph_total":1.31}]}"#,
    );
    // (1.31 - 0.41) / 3 = 0.30
    assert!(words(&desk, "  111 ").contains(&"0.3000".to_owned()));
    desk.keys("j enter");
    assert_eq!(asked_text(&desk), "host_id=70");
    desk.answer(&MARKET.replace("\"id\":105", "\"id\":111"));
    desk.selects("111");
}

#[test]
fn a_response_beyond_the_bound_is_not_called_a_missing_one() {
    let too_large = || ApiError::TooLarge {
        bound: 268_435_456,
        is_search: true,
    };
    let words = "the response exceeds 256 MiB; lower the limit";
    let mut desk = wide();
    desk.keys("R").fail(too_large());
    desk.expect(words).expect_not("did not answer");
    desk.keys("esc P");
    for _ in 0..3 {
        desk.fail(too_large());
    }
    desk.resize(160, 60)
        .keys("enter")
        .expect(words)
        .expect_not("did not answer");
    desk.keys("esc r").fail(too_large());
    desk.expect(words);
}

#[test]
fn views_of_offers_say_why_they_are_not_there_for_volumes() {
    let mut desk = wide();
    desk.keys("2");
    for key in ["R", "P"] {
        desk.keys(key).expect("it is about machine offers: press 1");
    }
}

#[test]
fn every_view_is_drawn_at_every_size() {
    let mut desk = wide();
    desk.keys("space space space P")
        .answer(MARKET)
        .answer(BIDS)
        .answer(RESERVED);
    for keys in ["v", "m", "p", "p tab", "p o", "J", "F", "R", "enter"] {
        desk.keys(keys);
        for (columns, rows) in [
            (40, 10),
            (41, 11),
            (80, 24),
            (120, 40),
            (200, 60),
            (300, 80),
        ] {
            desk.resize(columns, rows);
        }
        if keys == "F" || keys == "R" {
            desk.answer(MARKET);
            for (columns, rows) in [(40, 10), (80, 24), (200, 60)] {
                desk.resize(columns, rows);
            }
        }
        desk.keys("esc esc");
        if keys != "enter" {
            // A second Esc on the table cleared the marks.
            desk.keys("g space space");
        }
    }
    assert_eq!(desk.effects, [] as [Effect; 0]);
}

#[test]
fn a_job_begins_with_the_disk_that_the_search_is_for_and_understands_days() {
    let mut desk = wide();
    desk.keys("/").type_text(" disk_space>=200").keys("enter");
    desk.keys("J");
    assert_eq!(words(&desk, "disk in GB")[3], "200");
    desk.type_text("3 days").keys("enter");
    // 0.40 x 72 + 0.9 x 200 / 720 x 72 + 0.01 x 20 + 0.02 x 5 = 28.8 + 18 + 0.3 = 47.1
    assert!(row(&desk, "101").contains(&"47.10".to_owned()));
}

#[test]
fn an_offer_without_the_disk_of_the_job_is_marked_in_the_table() {
    let mut desk = wide();
    // 24 hours with 50 GB: 103 has 60 GB, but ends after 10 h. 101 has 500 GB and 10 days.
    desk.keys("J enter");
    assert!(is_marked(&desk, "103"));
    assert!(!is_marked(&desk, "101"));
    // 5 hours with 100 GB: 103 is there long enough, but lacks the disk.
    desk.keys("J").type_text("5").keys("tab tab");
    desk.type_text("100").keys("enter");
    assert!(is_marked(&desk, "103"));
    assert!(!is_marked(&desk, "101"));
    desk.keys("J tab tab").type_text("600").keys("enter");
    assert!(is_marked(&desk, "101"));
}
