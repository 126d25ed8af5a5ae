//! The host of an offer: what it has, how far it is trusted, what of it is rented, its prices.

use bourse::api::Request;
use bourse::domain::language;

use super::insights::MARKET;
use crate::test_app::TestApp;

/// Host 70 has two machines: machine 7 with two RTX 4090, one of them rented, and machine 9 with an
/// RTX 3090 at $0.22, where another host asks $0.30.
const HOST: &str = r#"{"offers":[
 {"id":101,"gpu_name":"RTX 4090","num_gpus":1,"dph_base":0.40,"dph_total":0.41,"storage_cost":0.9,
  "machine_id":7,"host_id":70,"gpu_ids":[0],"verification":"verified","reliability":0.981,
  "rentable":true,"rented":false,"geolocation":"Texas, US"},
 {"id":110,"gpu_name":"RTX 4090","num_gpus":1,"dph_base":0.44,"dph_total":0.45,"storage_cost":0.9,
  "machine_id":7,"host_id":70,"gpu_ids":[1],"verification":"verified","reliability":0.981,
  "rentable":false,"rented":true,"geolocation":"Texas, US"},
 {"id":103,"gpu_name":"RTX 3090","num_gpus":1,"dph_base":0.20,"dph_total":0.22,"storage_cost":1.8,
  "machine_id":9,"host_id":70,"gpu_ids":[0],"verification":"unverified","reliability":0.95,
  "rentable":true,"rented":false,"geolocation":"Oslo, NO"}]}"#;

fn desk() -> TestApp {
    TestApp::with_offers(MARKET)
}

#[test]
fn the_machine_tab_sums_up_the_host_on_small_and_large_screens() {
    for (columns, rows) in [(80, 24), (120, 40), (200, 60)] {
        let mut desk = desk();
        desk.resize(columns, rows).keys("R");
        // At first only the loaded offers are known: two RTX 4090 on machine 7.
        desk.expect("2× RTX 4090, 1× RTX 3090 (0 of 3 rented) in US");
        desk.answer(HOST);
        desk.expect("3 offers, 3 GPUs on 2 machines · all of the host, rented ones too")
            .expect("2× RTX 4090, 1× RTX 3090 (1 of 3 rented) in NO, US")
            .expect("1 unverified, 1 verified of 2 machines")
            .expect("reliability 95 to 98.1%");
        // 0.22 against 0.30; nobody else has one RTX 4090.
        desk.expect("Prices 27% below other hosts' median");
        desk.expect("103");
    }
}

#[test]
fn prices_that_nobody_else_asks_are_compared_with_nothing() {
    let mut desk = desk();
    desk.keys("down down down R");
    desk.expect("host 71")
        .expect("No other host has these GPUs among the 5 loaded offers");
}

#[test]
fn a_truncated_host_says_so() {
    let mut desk = desk();
    desk.model.browsers[bourse::domain::Resource::Offers].query.limit = Some(3);
    desk.keys("R").answer(HOST);
    desk.expect("the first of the host, more exist");
}

#[test]
fn one_key_searches_the_host_from_the_table_and_from_the_details() {
    for open in ["", "R", "enter"] {
        let mut desk = desk();
        desk.keys("j").keys(open).keys("I");
        let Request::Search(query) = desk.asked() else {
            panic!("{:?}", desk.asked())
        };
        assert_eq!(language::print(&query.conditions), "host_id=70", "{open}");
        desk.expect("/ host 70\n");
        desk.answer(HOST).expect("All 3 offers");
    }
}

#[test]
fn escape_leads_back_to_the_search_before_unless_the_query_was_changed_since() {
    let usual = "verified=true rentable=true rented=false";
    let mut desk = desk();
    desk.keys("j I").answer(HOST).keys("esc");
    assert_eq!(desk.asked_text(), usual);
    desk.answer(HOST).keys("esc").expect("Press q to quit");
    desk.keys("I").answer(HOST);
    desk.keys("/").type_text("num_gpus=2").keys("enter").answer(HOST);
    desk.keys("esc").expect("Press q to quit");
    assert!(desk.calls.is_empty());
}

#[test]
fn what_is_rented_is_never_the_best_value() {
    let taken = r#"{"offers":[
     {"id":110,"gpu_name":"RTX 4090","num_gpus":1,"dph_base":0.29,"dph_total":0.30,"storage_cost":0.9,"dlperf":100,
      "machine_id":7,"host_id":70,"rentable":false,"rented":true},
     {"id":101,"gpu_name":"RTX 4090","num_gpus":1,"dph_base":0.40,"dph_total":0.41,"storage_cost":0.9,"dlperf":100,
      "machine_id":7,"host_id":70,"rentable":true,"rented":false}]}"#;
    let mut desk = desk();
    desk.keys("I").answer(taken).expect("◆ best value (1)");
    let screen = desk.screen();
    let row = |price: &str| screen.lines().find(|line| line.contains(price)).unwrap();
    assert!(row("0.4100").contains('◆'), "{screen}");
    assert!(!row("0.3000").contains('◆'), "{screen}");
}

#[test]
fn an_offer_without_a_host_cannot_be_searched_by_it() {
    let mut desk = TestApp::with_offers(r#"{"offers":[{"id":1,"dph_total":0.2}]}"#);
    desk.keys("I").expect("This offer names no host");
    assert!(desk.calls.is_empty());
    desk.keys("2").answer(r#"{"offers":[]}"#);
    desk.keys("I").expect_not("host_id");
}
