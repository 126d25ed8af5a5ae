//! Conditions on columns that bourse computes: in the query language, in the dashboard, in a
//! workergroup's search. Numbers are worked out by hand from the offers of the insights stories.
//!
//! $/h per GPU: 101 0.41, 102 0.355, 103 0.22, 104 2.0025, 105 0.30. DLPerf per GPU: 101 100, 102 95,
//! 103 50, 104 300, 105 40; so 105 is the only one off the front.

use std::process::Command;

use bourse::api::{ApiError, Request};
use bourse::domain::language::{self, Mode, complete, parse, print};
use bourse::domain::workergroup::{Draft, Key};
use bourse::domain::{Dialect, OFFERS, VOLUMES};
use serde_json::{Value, json};

use crate::recorder::{self, Recorder};
use crate::stories::groups::FOUR;
use crate::stories::insights::{BIDS, MARKET, RESERVED, type_job, wide};
use crate::stories::unlist::says;
use crate::test_app::TestApp;

fn ids(desk: &TestApp) -> Vec<i64> {
    let listing = desk.model.browsers[bourse::domain::Resource::Offers].listing().unwrap();
    let view = desk.model.browsers[bourse::domain::Resource::Offers].view().iter();
    let mut ids: Vec<i64> = view.map(|row| listing.id(*row as usize).unwrap().0).collect();
    ids.sort_unstable();
    ids
}

fn run(desk: &mut TestApp, query: &str) {
    desk.keys("/").type_text(query).keys("enter");
}

#[test]
fn the_language_reads_prints_and_completes_computed_columns() {
    for text in [
        "dph_per_gpu<0.3",
        "job_cost<=12.5 job_time<2",
        "saving_bid>=0.3 price_bid<0.2",
        "on_front=true",
        "dlperf_per_gpu>=100",
    ] {
        let parsed = parse(text, &OFFERS, &Dialect::VAST, &[], Mode::Strict).unwrap();
        assert_eq!(print(&parsed.conditions), text);
    }
    let parsed = parse("volume_term<50", &VOLUMES, &Dialect::VAST, &[], Mode::Strict).unwrap();
    assert_eq!(print(&parsed.conditions), "volume_term<50");
    let money = parse(
        "dph_per_gpu<$0.3 saving_bid>30%",
        &OFFERS,
        &Dialect::VAST,
        &[],
        Mode::Strict,
    );
    assert_eq!(print(&money.unwrap().conditions), "dph_per_gpu<0.3 saving_bid>0.3");
    let wrong = parse("dph_per_gpus<0.3", &OFFERS, &Dialect::VAST, &[], Mode::Strict).unwrap_err();
    assert_eq!(wrong.suggestion.unwrap().replacement, "dph_per_gpu");
    let offered = complete("job_", 4, &OFFERS, &Dialect::VAST, &|_| Vec::new());
    let labels: Vec<_> = offered
        .candidates
        .iter()
        .map(|candidate| candidate.label.as_str())
        .collect();
    assert!(labels.starts_with(&["job_cost", "job_time"]), "{labels:?}");
    let offered = complete("job_cost", 8, &OFFERS, &Dialect::VAST, &|_| Vec::new());
    assert_eq!(offered.candidates[0].insert, "job_cost=");
}

#[test]
fn a_price_per_gpu_is_a_condition_that_is_applied_here() {
    let mut desk = wide();
    run(&mut desk, "dph_per_gpu<0.36 dlperf_per_gpu>=50");
    assert!(desk.calls.is_empty(), "the market was asked");
    assert_eq!(ids(&desk), [102, 103]);
    desk.expect("2 of 5 offers")
        .expect("/ < $0.36/h per GPU (local) · DLP per GPU ≥ 50 DLPerf (local) · verified");
    // The same among conditions that are sent: those alone travel.
    run(&mut desk, "num_gpus=2");
    let Request::Search(query) = desk.asked() else { panic!() };
    let sent = query.filters_json(&Dialect::DOCUMENTED);
    assert_eq!(sent.get("num_gpus"), Some(&json!({"eq": 2})));
    assert!(!sent.contains_key("dph_per_gpu"), "{sent:?}");
    desk.answer(MARKET);
    assert_eq!(ids(&desk), [102, 103]); // this market ignored num_gpus; the price still counts
}

#[test]
fn the_front_is_a_condition_among_the_rows_that_meet_the_others() {
    let mut desk = wide();
    run(&mut desk, "on_front=true");
    assert_eq!(ids(&desk), [101, 102, 103, 104]);
    // Without 103, which beats it, 105 is on the front.
    run(&mut desk, "dph_per_gpu>0.25");
    assert_eq!(ids(&desk), [101, 102, 104, 105]);
}

#[test]
fn a_condition_on_the_cost_of_a_job_waits_for_the_job_and_says_so() {
    let mut desk = wide();
    run(&mut desk, "job_cost<6");
    assert_eq!(ids(&desk), [101, 102, 103, 104, 105]);
    desk.expect("not applied: job_cost<6: set a job first (J)")
        .expect_not("(local)");
    desk.resize(80, 24)
        .expect("not applied: job_cost<6: set a job first (J)");
    desk.resize(160, 40);
    // 10 h, 5 h stopped, 72 GB, 20 GB in and 5 GB out: 101 $5.65, 102 $8.65, 103 $5.00, 104 $163,
    // 105 $4.55.
    type_job(&mut desk).keys("enter");
    assert_eq!(ids(&desk), [101, 103, 105]);
    desk.expect("Job < $6 (local)").expect_not("not applied");
    desk.keys(":").type_text("clear job").keys("enter");
    assert_eq!(ids(&desk).len(), 5);
    desk.expect("not applied: job_cost<6");
}

#[test]
fn a_condition_on_a_bid_waits_for_the_bids() {
    let mut desk = wide();
    run(&mut desk, "price_bid<0.22");
    desk.expect("not applied: price_bid<0.22: load the three prices first (P)");
    desk.keys("P");
    desk.answer(MARKET); // on demand: no bid is known yet
    assert_eq!(ids(&desk).len(), 5);
    desk.answer(BIDS); // 101 at 0.21, the GPUs of 103 at 0.24
    assert_eq!(ids(&desk), [101]);
    desk.answer(RESERVED).expect("Bid < $0.22/h (local)");
}

#[test]
fn the_filter_editor_has_computed_columns() {
    let mut desk = wide();
    desk.keys("f").type_text("dph_per_gpu").keys("enter");
    desk.expect("Applied to the loaded rows: this market can't filter by it");
    desk.type_text("0.35").keys("enter");
    desk.expect("applied to the loaded rows: dph_per_gpu<=0.35");
    desk.keys("enter");
    assert_eq!(ids(&desk), [103, 105]);
    desk.keys("f").type_text("job_cost").keys("enter");
    desk.type_text("6").keys("enter");
    desk.expect("job_cost<=6 is not applied: set a job first (J)");
}

#[test]
fn a_saved_search_keeps_its_computed_conditions() {
    let mut desk = wide();
    run(&mut desk, "dph_per_gpu<0.36");
    desk.keys("b up enter").type_text("cheap cards").keys("enter");
    let searches = desk.model.searches.clone();
    let spec = &searches.named("cheap cards").unwrap().spec;
    assert!(spec.query.ends_with("dph_per_gpu<0.36"), "{}", spec.query);
    let (query, _) = spec.read(&Dialect::VAST).unwrap();
    assert_eq!(query.applied_locally(&Dialect::VAST).count(), 1);
}

#[test]
fn the_funnel_judges_computed_conditions_as_well() {
    let mut desk = wide();
    run(&mut desk, "dph_per_gpu<0.1");
    desk.keys("F").answer(MARKET);
    desk.expect("0 of 5 offers match");
    desk.expect("› [x] dph_per_gpu<0.1").expect("−5; without it 5 more");
}

#[test]
fn a_workergroup_s_search_refuses_computed_columns() {
    let text = "verified=true dph_per_gpu<0.3";
    let error = parse(text, &OFFERS, &Dialect::VAST, &[], Mode::Market).unwrap_err();
    assert_eq!(
        error.message,
        "dph_per_gpu is computed by bourse: the market can't filter on it"
    );
    assert_eq!(error.span, 14..25);
    let mut draft = Draft::default();
    draft.put(Key::EndpointName, "chat");
    draft.put(Key::SearchParams, text);
    let objections = draft.build(&Dialect::VAST).unwrap_err();
    assert_eq!(objections[0].parameter, "search_params");
    assert_eq!(objections[0].span, Some(14..25));
    // A listed group whose search names one is not run as if it did not.
    let named = r#"{"dph_per_gpu":{"lt":0.3},"num_gpus":{"gte":2}}"#;
    let search = bourse::domain::workergroup::search_query_text(named);
    assert_eq!(search.text.unescaped(), "num_gpus>=2");
    assert_eq!(search.left_out.len(), 1);
}

#[test]
fn a_group_from_a_search_takes_what_the_market_can_filter_on_and_names_the_rest() {
    let mut desk = wide();
    run(&mut desk, "dph_per_gpu<0.36 gpu_ram>=24");
    desk.answer(MARKET);
    desk.keys(":").type_text("from-search").keys("enter");
    desk.resize(90, 48);
    desk.answer(FOUR).type_text("chat");
    says(
        &desk,
        r#""search_params": "verified=true rentable=true rented=false gpu_ram>=24""#,
    );
    desk.expect("Omitted, because the market can't filter on it: dph_per_gpu<0.36");
}

#[test]
fn an_order_that_waits_and_a_failed_bid_search_do_not_hide_rows() {
    let mut desk = wide();
    run(&mut desk, "saving_bid>=0.3");
    desk.keys("P");
    desk.answer(MARKET).fail(ApiError::Lost).answer(RESERVED);
    assert_eq!(ids(&desk).len(), 5);
    desk.expect("not applied: saving_bid>=0.3");
    let text = desk.model.browsers[bourse::domain::Resource::Offers].query_text();
    assert!(language::parse(&text, &OFFERS, &Dialect::VAST, &[], Mode::Strict).is_ok());
}

/// The program on a market of its own: its exit status, standard output and standard error.
fn bourse(market: &Recorder, arguments: &[&str]) -> (Option<i32>, String, String) {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bourse"))
        .args(["--base-url", &market.url()])
        .args(arguments)
        .env_clear()
        .env("HOME", home.path())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn computed_columns_are_conditions_and_orders_on_the_command_line_too() {
    let market = Recorder::always(recorder::json(
        200,
        r#"{"offers":[
         {"id":1,"num_gpus":4,"dph_total":2.0,"dlperf":400},
         {"id":2,"num_gpus":2,"dph_total":0.5,"dlperf":100},
         {"id":3,"num_gpus":1,"dph_total":0.4,"dlperf":20},
         {"id":4,"num_gpus":8,"dph_total":1.6,"dlperf":240}]}"#,
    ));
    let offers = |arguments: &[&str]| {
        let mut all = vec!["offers", "--no-default", "--format", "json"];
        all.extend(arguments);
        let (status, out, err) = bourse(&market, &all);
        assert_eq!(status, Some(0), "{err}");
        let answer: Value = serde_json::from_str(&out).unwrap();
        let ids = answer["offers"].as_array().unwrap().iter();
        let ids: Vec<_> = ids.map(|offer| offer["id"].as_i64().unwrap()).collect();
        (ids, err)
    };
    // Per GPU: $0.50, $0.25, $0.40, $0.20; DLPerf 100, 50, 20, 30.
    let (ids, err) = offers(&["dph_per_gpu<0.3"]);
    assert_eq!(ids, [2, 4]);
    assert!(err.contains("dph_per_gpu"), "{err}");
    let sent = market.only().json();
    assert!(sent.get("dph_per_gpu").is_none(), "{sent}");
    assert_eq!(offers(&["on_front=true"]).0, [1, 2, 4]);
    assert_eq!(offers(&["--order", "dph_per_gpu-"]).0, [1, 3, 2, 4]);
}

#[test]
fn what_the_command_line_has_no_numbers_for_is_refused_before_anything_is_sent() {
    let market = Recorder::always(recorder::json(200, r#"{"offers":[]}"#));
    for (arguments, needs) in [
        (["offers", "job_cost<5"].as_slice(), "job_cost needs a job"),
        (
            &["watch", "price_bid<0.2"],
            "prices of other price models are not watched",
        ),
        (&["offers", "--order", "job_time"], "job_time needs a job"),
        (&["volumes", "volume_term<5"], "volume_term needs a size and a term"),
    ] {
        let (status, out, err) = bourse(&market, arguments);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{err}");
        assert!(err.contains(needs), "{err}");
    }
    assert!(market.requests().is_empty());
}

#[test]
fn every_computed_column_is_printed_as_table_csv_and_json() {
    let market = Recorder::start(|_, request| {
        // On demand, bid and reserved, in this order.
        let price = match request.json()["type"].as_str() {
            Some("bid") => 0.5,
            Some("reserved") => 0.75,
            _ => 1.0,
        };
        let offer = format!(
            r#"{{"id":1,"num_gpus":2,"gpu_ram":24000,"gpu_total_ram":48000,"dph_base":{price},"min_bid":0.5,
              "dph_total":{price},"discounted_dph_total":{price},"storage_cost":0,"storage_total_cost":0,
              "dlperf":100,"duration":864000,"disk_space":500,"inet_down_cost":0,"inet_up_cost":0,"inet_down":8000}}"#
        );
        recorder::json(200, &format!(r#"{{"offers":[{offer}]}}"#))
    });
    let run = |format: &str, columns: &str| {
        let job = ["--job", "10h,100GB"];
        let own = ["offers", "--format", format, "--columns", columns];
        let (status, out, err) = bourse(&market, &[&own[..], &job].concat());
        assert_eq!(status, Some(0), "{err}");
        out
    };
    let columns = "dph_per_gpu,dlperf_per_gpu,on_front,starred,job_cost,price_bid,saving_bid,price_reserved";
    let csv = run("csv", columns);
    assert_eq!(csv, format!("{columns}\n0.5,50,1,0,10,0.5,0.5,0.75\n"));
    let all: Value = serde_json::from_str(&run("json", columns)).unwrap();
    assert_eq!(all["offers"][0]["dlperf"], 100);
    assert_eq!(
        all["computed"][0],
        serde_json::json!({"id": 1, "dph_per_gpu": 0.5, "dlperf_per_gpu": 50.0, "on_front": 1.0, "starred": 0.0,
            "job_cost": 10.0, "price_bid": 0.5, "saving_bid": 0.5, "price_reserved": 0.75})
    );
    let table = run("table", "id,dph_per_gpu,on_front");
    assert!(table.contains("$/h per GPU") && table.contains("0.500"), "{table}");
    let volumes = Recorder::always(recorder::json(
        200,
        r#"{"offers":[{"ask_contract_id":9,"storage_cost":0.1,"disk_space":500,"duration":8640000}]}"#,
    ));
    let own = ["volumes", "--term", "200GB,30d", "--format", "csv"];
    let (status, out, err) = bourse(
        &volumes,
        &[&own[..], &["--columns", "ask_contract_id,volume_term,volume_monthly"]].concat(),
    );
    // 200 GB at $0.10 for a month of 720 hours.
    assert_eq!(
        (status, out.as_str()),
        (Some(0), "ask_contract_id,volume_term,volume_monthly\n9,20,20\n"),
        "{err}"
    );
}

#[test]
fn a_group_from_a_search_gets_its_disk_and_says_beside_the_search_what_it_lacks() {
    let mut desk = wide();
    run(&mut desk, "gpu_ram>=24");
    desk.answer(MARKET);
    let query = &mut desk.model.browsers[bourse::domain::Resource::Offers].query;
    query.storage = Some(200.0);
    query.offer_type = bourse::domain::OfferType::Bid;
    query.order = language::parse_order("dph_total", &OFFERS).unwrap();
    query.limit = Some(50);
    desk.keys(":").type_text("from-search").keys("enter");
    desk.resize(90, 48).answer(FOUR);
    desk.expect("--disk 200");
    desk.expect("Not part of a workergroup: bid prices, sort $/h, limit 50");
    desk.type_text("chat");
    says(&desk, r#""launch_args": "--disk 200""#);
    desk.keys("esc").expect_not("Not part of");
}

#[test]
fn the_disk_of_a_query_is_a_condition_where_the_market_has_one() {
    let mut query = language::default_query(bourse::domain::Resource::Offers, &Dialect::VAST);
    query.conditions.clear();
    query.storage = Some(64.5);
    let draft = Draft::from_query(&query, &[], &Dialect::VAST);
    assert_eq!(draft.text(Key::SearchParams), "disk_space>=64.5");
    assert_eq!(draft.text(Key::LaunchArgs), "--disk 64.5");
    let draft = Draft::from_query(&query, &[], &Dialect::DOCUMENTED);
    assert_eq!(draft.text(Key::SearchParams), "");
    assert_eq!(draft.text(Key::LaunchArgs), "--disk 64.5");
    // The market's default needs no argument.
    query.storage = Some(8.0);
    let draft = Draft::from_query(&query, &[], &Dialect::VAST);
    assert!(draft.is_blank());
}
