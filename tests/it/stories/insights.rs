//! Job cost, three prices, comparison, summary, plot, funnel and related offers, key by key; every
//! number is worked out by hand from the answers written here.

use bourse::api::{ApiError, Request};
use bourse::core::message::Effect;
use bourse::domain::OfferType;

use crate::test_app::TestApp;

/// Five offers. Storage in the prices is 8 GB: 0.9 x 8 / 720 = 0.01 $/h, 1.8 x 8 / 720 = 0.02 $/h.
pub const MARKET: &str = r#"{"offers":[
 {"id":101,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24000,"gpu_total_ram":24000,"dph_base":0.40,"dph_total":0.41,
  "dlperf":100.0,"storage_cost":0.9,"inet_down_cost":0.01,"inet_down":80000000,"inet_up_cost":0.02,"duration":864000.0,"disk_space":500.0,
  "machine_id":7,"host_id":70,"gpu_ids":[0],"gpu_frac":0.5,"cpu_cores":32,"cpu_cores_effective":16.0,"cpu_ram":64000,
  "verification":"verified","rentable":true,"rented":false,"geolocation":"Texas, US","score":500.0},
 {"id":102,"gpu_name":"RTX 4090","num_gpus":2,"gpu_ram":24000,"gpu_total_ram":48000,"dph_base":0.70,"dph_total":0.71,
  "dlperf":190.0,"storage_cost":0.9,"inet_down_cost":0.01,"inet_down":80000000,"inet_up_cost":0.02,"duration":864000.0,"disk_space":500.0,
  "machine_id":7,"host_id":70,"gpu_ids":[0,1],"gpu_frac":1.0,"cpu_cores":32,"cpu_cores_effective":32.0,"cpu_ram":128000,
  "verification":"verified","rentable":true,"rented":false,"geolocation":"Texas, US","score":400.0},
 {"id":103,"gpu_name":"RTX 3090","num_gpus":1,"gpu_ram":24000,"gpu_total_ram":24000,"dph_base":0.20,"dph_total":0.22,
  "dlperf":50.0,"storage_cost":1.8,"inet_down_cost":0.01,"inet_down":80000000,"inet_up_cost":0.02,"duration":36000.0,"disk_space":60.0,
  "machine_id":9,"host_id":70,"gpu_ids":[0],
  "verification":"verified","rentable":true,"rented":false,"geolocation":"Texas, US","score":300.0},
 {"id":104,"gpu_name":"H100 SXM","num_gpus":8,"gpu_ram":80000,"gpu_total_ram":640000,"dph_base":16.0,"dph_total":16.02,
  "dlperf":2400.0,"storage_cost":1.8,"inet_down_cost":0.01,"inet_down":80000000,"inet_up_cost":0.02,"duration":8640000.0,"disk_space":4000.0,
  "machine_id":8,"host_id":71,"gpu_ids":[0,1,2,3,4,5,6,7],
  "verification":"verified","rentable":true,"rented":false,"geolocation":"Iceland, IS","score":200.0},
 {"id":105,"gpu_name":"RTX 3090","num_gpus":1,"gpu_ram":24000,"gpu_total_ram":24000,"dph_base":0.29,"dph_total":0.30,
  "dlperf":40.0,"storage_cost":0.9,"inet_down_cost":0.01,"inet_down":80000000,"inet_up_cost":0.02,"disk_space":500.0,
  "machine_id":10,"host_id":72,"gpu_ids":[0],
  "verification":"verified","rentable":true,"rented":false,"geolocation":null,"score":100.0}]}"#;

/// The bid search: 101 by its id at 0.20 + 0.01, and the GPUs of 103 under another id at 0.22 + 0.02.
pub const BIDS: &str = r#"{"offers":[
 {"id":101,"machine_id":7,"gpu_ids":[0],"min_bid":0.20,"dph_base":0.20,"dph_total":0.21},
 {"id":903,"machine_id":9,"gpu_ids":[0],"min_bid":0.22,"dph_base":0.22,"dph_total":0.24}]}"#;

/// The reserved search: 101 at 80% of 0.41.
pub const RESERVED: &str = r#"{"offers":[
 {"id":101,"machine_id":7,"gpu_ids":[0],"dph_base":0.40,"dph_total":0.41,"discounted_dph_total":0.328}]}"#;

/// The line of the screen that shows a text.
#[track_caller]
fn line(desk: &TestApp, text: &str) -> String {
    let screen = desk.screen();
    let line = screen.lines().find(|line| line.contains(text));
    line.unwrap_or_else(|| panic!("{text:?} is not on the screen:\n{screen}"))
        .to_owned()
}

/// The words of a row of the table, from its id on.
#[track_caller]
fn row(desk: &TestApp, id: &str) -> Vec<String> {
    let row = desk.row(id);
    let words = row.split_whitespace().skip_while(|word| *word != id);
    words.map(str::to_owned).collect()
}

/// The words of the line that shows a text.
#[track_caller]
fn words(desk: &TestApp, text: &str) -> Vec<String> {
    let line = line(desk, text);
    // What is left and right of the dialog belongs to the table.
    let part = line.split(['┃', '│']).find(|part| part.contains(text));
    part.unwrap_or(&line).split_whitespace().map(str::to_owned).collect()
}

/// Whether a cell of the line that shows a text has the sign of something wrong.
#[track_caller]
fn is_marked(desk: &TestApp, id: &str) -> bool {
    desk.row(id).contains('!')
}

pub fn wide() -> TestApp {
    let mut desk = TestApp::with_offers(MARKET);
    desk.resize(200, 60).keys("z");
    desk
}

/// A job of 10 hours running and 5 stopped with 72 GB, 20 GB in and 5 GB out.
pub fn type_job(desk: &mut TestApp) -> &mut TestApp {
    desk.keys("J ctrl-u").type_text("10");
    desk.keys("tab ctrl-u").type_text("5");
    desk.keys("tab ctrl-u").type_text("72");
    desk.keys("tab ctrl-u").type_text("20");
    desk.keys("tab ctrl-u").type_text("5")
}

#[test]
fn the_front_is_marked_in_the_table_and_counted() {
    let mut desk = wide();
    for id in ["102", "103", "104"] {
        assert!(desk.row(id).starts_with("┃ ◆ "), "{id}");
    }
    assert!(desk.row("101").starts_with("┃›◆ "));
    assert!(desk.row("105").starts_with("┃   "));
    desk.expect("◆ best value (4)");
    // Only those that the words leave.
    desk.keys("/").type_text(" \"3090\"").keys("enter");
    desk.expect("2 of 5 offers").expect("◆ best value (1)");
}

/// A GPU of 104 costs 2.00 for 37.5 DLPerf, that of 103 0.22 for 50: but it is another one, and one of eight.
#[test]
fn an_offer_is_beaten_only_by_one_with_the_same_gpus() {
    let market = MARKET.replace("\"dlperf\":2400.0", "\"dlperf\":300.0");
    let mut desk = TestApp::with_offers(&market);
    desk.resize(200, 60);
    desk.keys("j j j enter").expect("Offer 104").expect_not("beats it");
    desk.keys("esc j enter").expect("103 beats it: 27% cheaper");
    // The bill of one GPU is lower than that of eight for as many hours.
    let mut desk = TestApp::with_offers(&market);
    desk.resize(200, 60);
    type_job(&mut desk).keys("enter");
    desk.keys("g j j enter").expect("Offer 104").expect_not("beats it");
}

#[test]
fn a_dominated_offer_says_which_one_beats_it_and_by_how_much() {
    let mut desk = wide();
    // 105: 0.30 $/h and 40 per GPU; 103: 0.22 and 50: 0.08 of 0.30 is 26.7%, 10 of 40 is 25%.
    desk.keys("G enter").expect("Offer 105");
    desk.expect("103 beats it: 27% cheaper and 25% faster per GPU");
    // Nobody finds what the words hide.
    desk.keys("esc r").answer(&MARKET.replace("null", "\"Quebec, CA\""));
    desk.keys("/")
        .type_text(" \"Quebec\"")
        .keys("enter")
        .expect("1 of 5 offers");
    desk.keys("enter").expect("103, hidden by your filters, beats it: 27%");
    desk = wide();
    desk.keys("G enter");
    desk.expect("Alternatives among all 5 offers");
    desk.keys("esc g enter").expect("◆ best value");
}

#[test]
fn a_cut_answer_is_never_called_the_market() {
    let mut desk = wide();
    desk.model.browsers[bourse::domain::Resource::Offers].query.limit = Some(5);
    desk.keys("r").answer(MARKET);
    desk.keys("m").expect("First 5 offers, more exist");
    desk.keys("esc p").expect("First 5 offers, more exist");
    desk.keys("esc G enter").expect("Alternatives among the first 5 offers");
}

#[test]
fn an_offer_that_ends_before_the_job_or_lacks_the_disk_says_so() {
    let mut desk = wide();
    type_job(&mut desk).keys("enter");
    desk.keys("G k enter").expect("Offer 103"); // last of those that say enough, whatever the order
    // 10 hours are left, 15 are needed; 60 GB are there, 72 wanted.
    desk.expect("! The offer ends 5 hours before the job is done")
        .expect("! The disk is 12 GB too small");
    desk.keys("esc G enter").expect("Offer 105"); // behind them, though its bill is the smallest
    desk.expect("! End of the offer not reported");
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
    assert_eq!(types, [OfferType::OnDemand, OfferType::Bid, OfferType::Reserved]);
    desk.keys("j").selects("102");
    desk.keys("k"); // nothing waits for the answers
    desk.answer(MARKET).answer(BIDS).answer(RESERVED);
    // 1 - 0.21 / 0.41 = 48.78%; 1 - 0.328 / 0.41 = 20%.
    let words_of_101 = row(&desk, "101");
    assert_eq!(
        words_of_101[2..13],
        [
            "0.4100", "2", "alike", "1", "RTX", "4090", "0.4100", "0.2100", "0.3280", "48.8", "20.0"
        ]
    );
    // The same GPUs under another id: 1 - 0.24 / 0.22 = -9.09%.
    let words_of_103 = row(&desk, "103");
    assert_eq!(
        words_of_103[2..13],
        [
            "0.2200", "2", "alike", "1", "RTX", "3090", "0.2200", "0.2400", "—", "-9.1", "—"
        ]
    );
    desk.resize(160, 60).keys("j j enter");
    desk.expect("$0.240/h, 9.1% more than on-demand (another offer of the same GPUs)")
        .expect("Loaded 0 seconds ago");
    desk.keys("esc g enter")
        .expect("$0.210/h, 48.8% less than on-demand")
        .expect("$0.328/h, 20% less than on-demand");
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
    desk.answer(&BIDS.replace("0.21}", "0.25}")).expect("0.2500");
    desk.answer(RESERVED).keys("P r");
    assert_eq!(desk.calls.len(), 1, "nothing more once they are hidden");
}

#[test]
fn a_missing_price_says_whether_it_is_not_offered_failed_or_not_loaded() {
    let mut desk = wide();
    desk.model.browsers[bourse::domain::Resource::Offers].query.limit = Some(2);
    desk.keys("P j enter").expect("loading… 0 s");
    desk.answer(MARKET).answer(BIDS).fail(ApiError::Lost);
    desk.expect("not among the first 2")
        .expect("connection lost before the response");
    desk.keys("esc esc");
    assert!(desk.calls.is_empty());
}

#[test]
fn escape_stops_waiting_for_the_three_prices() {
    let mut desk = wide();
    desk.keys("P").expect("loading price models");
    assert!(desk.row("101").contains('…'), "{}", desk.screen());
    desk.keys("esc").expect("three prices cancelled");
    assert!(desk.calls.is_empty());
    assert!(!desk.row("101").contains('…'), "{}", desk.screen());
}

#[test]
fn three_prices_and_the_gpu_are_in_sight_on_narrow_screens_and_the_shares_a_step_away() {
    let mut desk = wide();
    desk.keys("P").answer(MARKET).answer(BIDS).answer(RESERVED);
    for columns in [80, 120] {
        let shown = row(desk.resize(columns, 24), "101").join(" ");
        assert!(shown.contains("RTX 4090 0.4100 0.2100 0.3280"), "{shown}");
    }
    desk.resize(80, 24).keys("l l").expect("48.8");
}

#[test]
fn the_rail_gives_way_to_the_gpu_and_the_place() {
    let mut desk = wide();
    desk.keys("P").answer(MARKET).answer(BIDS).answer(RESERVED);
    for columns in 70..=200 {
        desk.resize(columns, 40);
        let screen = desk.screen();
        let header = screen.lines().find(|line| line.contains("$/h")).unwrap();
        assert!(header.contains(" GPU "), "{columns}: {header}");
        // Longer than eight cells.
        let is_long = header.contains("cheap ──");
        assert!(!is_long || header.contains("Location"), "{columns}: {header}");
    }
}

#[test]
fn no_sentence_of_the_preview_wraps() {
    let longer = ["101", "102", "103", "104", "105"]
        .iter()
        .fold(MARKET.to_owned(), |market, id| {
            market.replace(&format!("\"id\":{id},"), &format!("\"id\":38412{id},"))
        });
    let mut desk = TestApp::with_offers(&longer);
    desk.resize(120, 40);
    type_job(&mut desk).keys("enter");
    let mut seen = Vec::new();
    for _ in 0..5 {
        let screen = desk.screen();
        // The preview is behind the second border of the table.
        let lines = screen
            .lines()
            .filter_map(|line| line.rsplit_once("││").or(line.rsplit_once("┃│")));
        seen.extend(lines.map(|(_, text)| text.trim_end_matches(['│', ' ']).to_owned()));
        desk.keys("j");
    }
    let is_price = |line: &&String| line.contains("  job $");
    assert!(seen.iter().filter(is_price).any(|line| line.contains('◆')), "{seen:#?}");
    for line in seen
        .iter()
        .filter(|line| line.contains("beats it") || line.contains("◆ "))
    {
        assert!(line.contains("38412") || line.contains("/h"), "{line}: {seen:#?}");
    }
    assert!(
        !seen
            .iter()
            .any(|line| line.trim() == "30 days" || line.contains("per GPU") && line.starts_with("  "))
    );
}

#[test]
fn marks_are_of_rows_that_are_there() {
    let mut desk = wide();
    desk.keys("space space /")
        .type_text("h100")
        .keys("enter")
        .answer(r#"{"offers":[]}"#);
    desk.expect_not("marked");
    desk.keys("v").expect("Mark at least two rows first (Space)");
    // While two are compared, both leave the market.
    let mut desk = wide();
    desk.keys("space space v r").answer(r#"{"offers":[]}"#);
    desk.expect("! Fewer than two marked rows are left")
        .expect_not("If you rent all");
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
fn related_offers_come_from_what_is_loaded_and_then_from_the_host() {
    let mut desk = wide();
    desk.keys("R").expect("Machine 7 of host 70");
    desk.expect("loading all offers of the host");
    desk.expect("gets 50% of the GPUs, 64 GB of 128 GB RAM, 16 of 32 vCPUs");
    assert_eq!(desk.asked_text(), "host_id=70");
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
    desk.expect("On this host");
    // 101, 102 and 110 on machine 7; 103 has another machine of the same host.
    desk.expect_not("loading all");
    assert_eq!(words(&desk, " 110 ")[..5], ["110", "7", "1×", "RTX", "4090"]);
    let slice = words(&desk, " 110 ").join(" ");
    assert!(slice.contains("not rentable"), "{slice}");
    assert!(line(&desk, "this offer").contains("›"));
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
    assert_eq!(desk.asked_text(), "host_id=70");
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
        desk.keys(key).expect("Only on Offers (1)");
    }
}

#[test]
fn every_view_is_drawn_at_every_size() {
    let mut desk = wide();
    desk.keys("space space space P")
        .answer(MARKET)
        .answer(BIDS)
        .answer(RESERVED);
    for keys in ["v", "m", "p", "p d", "p o", "J", "F", "R", "enter"] {
        desk.keys(keys);
        for (columns, rows) in [(40, 10), (41, 11), (80, 24), (120, 40), (200, 60), (300, 80)] {
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

#[test]
fn bars_name_their_ends_and_there_is_none_where_fewer_than_five_offers_compare() {
    let offers = |many: u32| {
        let offer = |id: u32| {
            let price = 0.1 * f64::from(id);
            format!(r#"{{"id":{id},"gpu_name":"GTX 1080 Ti","num_gpus":1,"dph_total":{price},"dph_base":{price}}}"#)
        };
        let offers: Vec<String> = (1..=many).map(offer).collect();
        format!(r#"{{"offers":[{}]}}"#, offers.join(","))
    };
    let mut desk = TestApp::with_offers(&offers(4));
    desk.resize(200, 60)
        .expect("per GPU of any size, lowest of 4")
        .expect_not("worst")
        .expect_not("▄▄");
    let mut desk = TestApp::with_offers(&offers(5));
    desk.resize(200, 60);
    assert!(line(&desk, "worst").contains("best"), "{}", desk.screen());
    let rail = line(&desk, "lowest of 5");
    assert!(rail.contains("●┄┄") && rail.contains("┄┄│┄┄"), "{}", desk.screen());
}
