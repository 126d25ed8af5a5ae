//! `bourse market`, `bourse depth` and `bourse plan` against a server with a small market; every
//! number is worked out by hand.

use serde_json::{Value as Json, json};

use super::commands::bourse;
use crate::recorder::{Recorder, json as json_answer};

/// A machine with one or both of its GPUs, two single GPUs of another model, and eight more GPUs.
const MARKET: &str = r#"{"offers":[
 {"id":13,"gpu_name":"RTX 3090","num_gpus":1,"gpu_ram":24576,"dph_base":0.21,"dph_total":0.22,"storage_cost":0.9,
  "machine_id":9,"host_id":70,"gpu_ids":[0],"geolocation":"Texas, US","inet_down":400.0,"inet_up":300.0,
  "inet_down_cost":0.01,"inet_up_cost":0.02,"disk_space":500.0,"duration":864000.0,"dlperf":50.0},
 {"id":14,"gpu_name":"RTX 3090","num_gpus":1,"gpu_ram":24576,"dph_base":0.29,"dph_total":0.30,"storage_cost":0.9,
  "machine_id":10,"host_id":72,"gpu_ids":[0],"geolocation":"Iceland, IS","inet_down":400.0,"inet_up":300.0,
  "inet_down_cost":0.01,"inet_up_cost":0.02,"disk_space":500.0,"duration":864000.0,"dlperf":40.0},
 {"id":11,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24564,"dph_base":0.40,"dph_total":0.41,"storage_cost":0.9,
  "machine_id":7,"host_id":70,"gpu_ids":[0],"geolocation":"Texas, US","inet_down":800.0,"inet_up":500.0,
  "inet_down_cost":0.01,"inet_up_cost":0.02,"disk_space":500.0,"duration":864000.0,"dlperf":100.0},
 {"id":12,"gpu_name":"RTX 4090","num_gpus":2,"gpu_ram":24564,"dph_base":0.70,"dph_total":0.71,"storage_cost":0.9,
  "machine_id":7,"host_id":70,"gpu_ids":[0,1],"geolocation":"Texas, US","inet_down":800.0,"inet_up":500.0,
  "inet_down_cost":0.01,"inet_up_cost":0.02,"disk_space":500.0,"duration":864000.0,"dlperf":190.0}]}"#;

/// Runs a command against the market.
fn run(arguments: &[&str]) -> (i32, String, String, Recorder) {
    let recorder = Recorder::always(json_answer(200, MARKET));
    let url = recorder.url();
    let (status, out, err) = bourse(&[arguments, &["--base-url", &url]].concat());
    (status, out, err, recorder)
}

fn document(arguments: &[&str]) -> Json {
    let (status, out, err, _) = run(&[arguments, &["--format", "json"]].concat());
    assert_eq!(status, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

#[track_caller]
fn near(value: &Json, wanted: f64) {
    let value = value.as_f64().unwrap();
    assert!((value - wanted).abs() < 1e-9, "{value} is not {wanted}");
}

#[test]
fn depth_counts_gpus_once_and_prices_sizes() {
    let (status, out, err, recorder) = run(&["depth", "gpu_name!=A40"]);
    assert_eq!((status, err.as_str()), (0, ""));
    // 0.22, 0.30 and 0.71 for two: 1.23 for four.
    assert_eq!(
        out.lines().next(),
        Some("From $0.220/h; all 4 GPUs at an average of $0.307/h")
    );
    let last: Vec<&str> = out.lines().last().unwrap().split_whitespace().collect();
    assert_eq!(last, ["4", "3", "$0.307/h", "$0.355/h", "$1.230/h"]);
    let request: Json = serde_json::from_slice(&recorder.only().body).unwrap();
    assert_eq!(request["limit"], 3000);
    assert_eq!(request["gpu_name"], json!({"neq": "A40"}));

    let document = document(&["depth"]);
    assert_eq!(document["gpus"], 4);
    assert_eq!(document["complete"], true);
    assert_eq!(document["steps"][0]["id"], 13);
    assert_eq!(document["steps"][2]["gpus"], 2);
    near(&document["steps"][2]["total_price"], 1.23);
}

#[test]
fn depth_of_a_number_of_gpus_is_what_they_cost() {
    let (_, out, _, _) = run(&["depth", "--gpus", "2", "--format", "csv"]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "id,gpus,price,price_per_gpu,total_gpus,total_price");
    assert_eq!(lines.len(), 3);
    assert!(lines[1].starts_with("13,1,0.22,0.22,1,"), "{out}");
    // Ten hours: 0.21 x 10 and 0.29 x 10, 50 GB at 0.9/720 an hour on each: 0.625 each.
    let (_, out, _, _) = run(&["depth", "--gpus", "2", "--job", "10h,50GB"]);
    assert!(out.contains("$6.25"), "{out}");
    let (status, out, err, _) = run(&["depth", "--gpus", "9", "--format", "csv"]);
    assert_eq!(
        (status, out.as_str()),
        (0, "id,gpus,price,price_per_gpu,total_gpus,total_price\n")
    );
    assert!(
        err.contains("only 4 GPUs match: drop a condition or raise --limit"),
        "{err}"
    );
}

#[test]
fn depth_says_that_offers_are_larger_than_asked() {
    let (status, out, err, _) = run(&["depth", "--gpus", "1", "gpu_name=RTX_4090", "--format", "csv"]);
    assert_eq!((status, out.lines().count()), (0, 2), "{err}");
    assert!(!err.contains("rented whole"), "{err}");
    // The market ignores conditions; two machines of 4 GPUs each.
    let offer = |id| json!({"id": id, "machine_id": id, "gpu_name": "A40", "num_gpus": 4, "dph_total": 2.0});
    let market = json!({"offers": [offer(1), offer(2)]}).to_string();
    let recorder = Recorder::always(json_answer(200, &market));
    let url = recorder.url();
    let (status, out, err) = bourse(&["depth", "--gpus", "5", "--base-url", &url, "--format", "json"]);
    assert_eq!(status, 0, "{err}");
    assert!(
        err.contains("note: offers are rented whole: the cheapest with 5 GPUs or more have 8\n"),
        "{err}"
    );
    let document: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&document["asked"], &document["sizes"][0]["gpus"]),
        (&json!(5), &json!(8))
    );
}

#[test]
fn the_cheapest_offer_is_the_one_behind_the_lowest_price() {
    // $8 for eight GPUs is less for each than $1.50 for one.
    let offers = json!({"offers": [
        {"id": 1, "machine_id": 1, "gpu_name": "A40", "num_gpus": 1, "dph_total": 1.5},
        {"id": 2, "machine_id": 2, "gpu_name": "A40", "num_gpus": 8, "dph_total": 8.0},
    ]});
    let recorder = Recorder::always(json_answer(200, &offers.to_string()));
    let url = recorder.url();
    let (_, out, err) = bourse(&["market", "--base-url", &url]);
    let words: Vec<&str> = out.lines().nth(1).unwrap_or(&err).split_whitespace().collect();
    // Eight of nine GPUs cost 1.00.
    assert_eq!(words, ["A40", "9", "2", "1.000", "1.000", "1.000", "1.000", "2"]);
}

#[test]
fn nothing_found_is_an_empty_document() {
    let recorder = Recorder::always(json_answer(200, r#"{"offers":[]}"#));
    let url = recorder.url();
    for command in ["market", "depth"] {
        let printed = |format: &str| {
            let (status, out, err) = bourse(&[command, "--base-url", &url, "--format", format]);
            assert_eq!(status, 0, "{err}");
            assert!(err.contains("note: no offers match\n"), "{err}");
            out
        };
        let document: Json = serde_json::from_str(&printed("json")).unwrap();
        let list = if command == "market" { "groups" } else { "sizes" };
        assert_eq!(
            (&document["offers"], &document[list]),
            (&json!(0), &json!([])),
            "{command}"
        );
        assert_eq!(printed("csv").lines().count(), 1, "{command}");
    }
    let (status, out, _) = bourse(&["plan", "--gpus", "2", "--base-url", &url, "--format", "csv"]);
    assert_eq!(status, 4);
    assert_eq!(out, "id,machine_id,num_gpus,gpu_name,gpu_ram,geolocation,price\n");
}

#[test]
fn market_groups_by_model_country_and_host() {
    let document = document(&["market"]);
    let groups = document["groups"].as_array().unwrap();
    let of = |name: &str| groups.iter().find(|group| group["gpu_name"] == name).unwrap();
    assert_eq!(
        (&of("RTX 4090")["gpus"], &of("RTX 4090")["machines"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(of("RTX 3090")["machines"], 2);
    near(&of("RTX 3090")["price_per_gpu"]["median"], 0.26);
    let (_, out, _, _) = run(&["market", "--group-by", "country"]);
    let words: Vec<&str> = out.lines().nth(1).unwrap().split_whitespace().collect();
    // Texas: one GPU at 0.22 and two at 0.355; the quarter is halfway from the first to the second.
    assert_eq!(words, ["US", "3", "2", "0.220", "0.287", "0.355", "0.355", "13"]);
    let (_, out, _, _) = run(&["market", "--group-by", "host", "--format", "csv"]);
    assert!(out.lines().nth(1).unwrap().starts_with("70,3,2,3,"), "{out}");
}

#[test]
fn a_plan_has_the_cheapest_offers_and_says_what_limits_cost() {
    let document = document(&["plan", "--gpus", "2", "--machines", "1"]);
    near(&document["plan"]["bill"], 0.71);
    assert_eq!(document["plan"]["offers"][0]["id"], 12);
    assert_eq!(document["binding"][0]["limit"], "at most 1 machine");
    near(&document["binding"][0]["bill_without"], 0.52);
    // Two machines with one GPU on each; in one country they are of two models.
    let shape = ["plan", "--shape", "2x1", "--same", "country", "--any-model"];
    let shaped = self::document(&shape);
    assert_eq!(shaped["plan"]["machines"], 2);
    near(&shaped["plan"]["bill"], 0.63);
    assert_eq!(shaped["binding"][0]["limit"], "one country");

    let (status, out, _, _) = run(&["plan", "--gpus", "3", "--any-model"]);
    assert_eq!(status, 0);
    // 0.22 + 0.30 + 0.41 beats 0.71 + 0.22 by a hair: both are 0.93.
    assert!(out.starts_with("3 GPUs in "), "{out}");
    assert!(out.contains("$0.930/h"), "{out}");
    let (_, out, _, _) = run(&["plan", "--gpus", "2", "--format", "csv"]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "id,machine_id,num_gpus,gpu_name,gpu_ram,geolocation,price");
    assert_eq!(lines[1], "14,10,1,RTX 3090,24576,\"Iceland, IS\",0.3");
}

/// 950 DLPerf-hours: 19 h on 50 DLPerf at $0.21, 9.5 h on 100 at $0.40, 5 h on 190 at $0.70.
const WORK: [&str; 2] = ["--job", "950-dlperf-hours,0GB"];

#[test]
fn the_hours_of_work_follow_the_gpus_that_are_rented() {
    // One GPU is asked for; the two of 12 do it for $3.50, a single one for $3.80.
    let plan = document(&[&["plan", "--gpus", "1", "--any-model"], &WORK[..]].concat());
    assert_eq!(plan["plan"]["offers"][0]["id"], 12);
    near(&plan["plan"]["bill"], 3.5);
    near(&plan["plan"]["offers"][0]["price"], 3.5);
    near(&plan["plan"]["offers"][0]["hours"], 5.0);
    near(&plan["runner_up"]["bill"], 3.8);
    near(&plan["runner_up"]["offers"][0]["hours"], 9.5);
    assert_eq!(plan["job"]["run_hours"], Json::Null);
    let (_, out, _, _) = run(&[&["plan", "--gpus", "1", "--format", "csv"], &WORK[..]].concat());
    assert_eq!(
        out.lines().nth(1),
        Some("12,7,2,RTX 4090,24564,\"Texas, US\",18000,3.5")
    );
    // In six hours no single GPU is done.
    let late = ["plan", "--gpus", "1", "--within", "6h"];
    near(&document(&[&late, &WORK[..]].concat())["plan"]["bill"], 3.5);

    // The bill of work is that of the whole work, whatever an offer's GPUs.
    let market = document(&[&["market"], &WORK[..]].concat());
    let groups = market["groups"].as_array().unwrap();
    let of = |name: &str| groups.iter().find(|group| group["gpu_name"] == name).unwrap();
    near(&of("RTX 4090")["bill"]["lowest"], 3.5);
    near(&of("RTX 3090")["bill"]["lowest"], 3.99);
    assert_eq!(of("RTX 4090").get("price_per_gpu"), None);
    assert_eq!(market["job"]["run_hours"], Json::Null);
    let (_, out, _, _) = run(&[&["market"], &WORK[..]].concat());
    assert!(out.contains("Low $") && !out.contains("$/GPU"), "{out}");
    let (status, _, err, _) = run(&[&["depth"], &WORK[..]].concat());
    assert!(status == 2 && err.contains("bourse plan divides it"), "{err}");
}

#[test]
fn what_cannot_be_planned_fails_with_a_hint() {
    // A script should not rent what costs more than it may.
    let (status, out, err, _) = run(&["plan", "--gpus", "2", "--machines", "1", "--budget", "0.7"]);
    assert_eq!(status, 4);
    assert!(out.contains("over the budget"), "{out}");
    assert!(
        err.contains("the cheapest plan is over the budget of $0.700/h"),
        "{err}"
    );
    let (status, _, err, _) = run(&["plan", "--gpus", "2", "--machines", "1", "--budget", "0.72"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let (status, out, err, _) = run(&["plan", "--gpus", "4"]);
    assert_eq!((status, out.as_str()), (4, ""));
    assert!(
        err.contains("Not enough: 4 offers within the limits, at most 2 GPUs of one model"),
        "{err}"
    );
    assert!(err.contains("Without “one GPU model”: $1.230/h"), "{err}");
    let (status, _, err, _) = run(&["plan", "--machines", "2"]);
    assert_eq!(status, 2);
    assert!(err.contains("--gpus"), "{err}");
    let (status, _, err, _) = run(&["plan", "--shape", "two"]);
    assert_eq!(status, 2);
    assert!(err.contains("write machines x GPUs on each, e.g. 2x8"), "{err}");
    let (status, _, err, _) = run(&["plan", "--gpus", "2", "--min-machines", "3"]);
    assert_eq!(status, 2);
    assert!(err.contains("2 GPUs can't be on 3 machines"), "{err}");
    let (status, _, err, _) = run(&["plan", "--gpus", "2", "--job", "200GB"]);
    assert_eq!(status, 2);
    assert!(
        err.contains("a job needs a run time or work, e.g. 3d,200GB,300GB-down or 500M-tokens,200GB"),
        "{err}"
    );
    let (status, _, err, _) = run(&["plan", "gpus=many", "--gpus", "2"]);
    assert_eq!(status, 2);
    assert!(err.contains("in the query"), "{err}");
}

#[test]
fn all_gpus_are_those_received_if_the_market_may_have_cut_the_response() {
    let offer = |id| json!({"id": id, "machine_id": id, "gpu_name": "A40", "num_gpus": 1, "dph_total": id});
    let sentence = |many: u32| {
        let market = json!({"offers": (1..=many).map(offer).collect::<Vec<_>>()}).to_string();
        let recorder = Recorder::always(json_answer(200, &market));
        let (_, out, err) = bourse(&["depth", "--base-url", &recorder.url()]);
        out.lines().next().map_or(err, str::to_owned)
    };
    // The first eight of 1 to 51, and the mean of all; sixteen and 32 of them cost 8.5 and 16.5 on average.
    assert!(sentence(51).ends_with(", all 51 at $26.00/h"), "{}", sentence(51));
    assert!(
        sentence(50).ends_with(", all 50 received at $25.50/h"),
        "{}",
        sentence(50)
    );
}
