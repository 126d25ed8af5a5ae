//! `--format jsonl` and `--with`: records for programs.

use serde_json::{Value as Json, json};

use super::commands::{Home, bourse, run};
use super::search_notes;

/// Two offers of 4090s, the first both cheaper and faster, in two spellings that JSON allows.
const TWO: &str = "{\"offers\":[{\"id\":1,\"gpu_name\":\"RTX 4090\",\"num_gpus\":2,\n \"dph_total\":1.0,\"dlperf\":200,\
                   \"disk_space\":900,\"end_date\":null} ,{\"id\":2,\"gpu_name\":\"RTX 4090\",\"num_gpus\":1,\
                   \"dph_total\":0.75,\"dlperf\":90,\"bourse\":{\"best_value\":true}}]}";

#[test]
fn a_record_is_a_line_and_its_other_bytes_are_as_received() {
    let (out, _, _) = search_notes::run(TWO, &["offers", "--format", "jsonl"]);
    assert_eq!(
        out,
        "{\"id\":1,\"gpu_name\":\"RTX 4090\",\"num_gpus\":2,  \"dph_total\":1.0,\"dlperf\":200,\"disk_space\":900,\
         \"end_date\":null}\n{\"id\":2,\"gpu_name\":\"RTX 4090\",\"num_gpus\":1,\"dph_total\":0.75,\"dlperf\":90,\
         \"bourse\":{\"best_value\":true}}\n"
    );
    let with = [
        "offers",
        "--format",
        "jsonl",
        "--with",
        "price_per_gpu,best_value,beaten_by",
    ];
    let (out, _, _) = search_notes::run(TWO, &with);
    let lines: Vec<&str> = out.lines().collect();
    let start = "{\"id\":1,\"gpu_name\":\"RTX 4090\",\"num_gpus\":2,  \"dph_total\":1.0,";
    assert!(lines[0].starts_with(start), "{out}");
    let member = |line: &str| serde_json::from_str::<Json>(line).unwrap()["bourse"].take();
    assert_eq!(
        member(lines[0]),
        json!({"v": 1, "price_per_gpu": 0.5, "best_value": true, "beaten_by": null})
    );
    assert_eq!(
        member(lines[1]),
        json!({"v": 1, "price_per_gpu": 0.75, "best_value": false, "beaten_by": 1})
    );
    let (out, _, _) = search_notes::run(TWO, &["offers", "--format", "json", "--with", "beaten_by"]);
    let document: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(document["offers"][1]["bourse"], json!({"v": 1, "beaten_by": 1}));
}

#[test]
fn a_server_s_member_of_bourse_s_name_gets_another_one() {
    let market = concat!(
        r#"{"offers":[{"id":1,"\u0062ours\u0065" : {"best_value":true,"bourse":1},"gpu_name":"a \"bourse\": b"},"#,
        r#"{"id":2,"bourse":"x","BOURSE":2,"bourse_received":3,"":[4],"bourse":[5]},{"id":3,"note":"bourse"}]}"#
    );
    let member = r#""bourse":{"v":1,"price_per_gpu":null}"#;
    let (out, err, _) = search_notes::run(market, &["offers", "--format", "jsonl", "--with", "price_per_gpu"]);
    let lines = [
        r#"{"id":1,"bourse_received" : {"best_value":true,"bourse":1},"gpu_name":"a \"bourse\": b","#,
        r#"{"id":2,"bourse_received_2":"x","BOURSE":2,"bourse_received":3,"":[4],"bourse_received_3":[5],"#,
        r#"{"id":3,"note":"bourse","#,
    ];
    let lines = lines.map(|line| format!("{line}{member}}}\n")).concat();
    assert_eq!(out, lines);
    let note = "note: the server has a member bourse of its own in 2 records: printed as bourse_received\n";
    assert!(err.contains(note), "{err}");
    // Without a member of bourse's own nothing is renamed.
    let (out, err, _) = search_notes::run(market, &["offers", "--format", "jsonl"]);
    assert!(
        out.contains(r#""\u0062ours\u0065" : {"#) && !err.contains("bourse_received"),
        "{out}{err}"
    );
}

#[test]
fn a_bill_needs_a_job_and_a_verdict_a_record() {
    let with = [
        "offers",
        "--format",
        "jsonl",
        "--with",
        "bill,verdict",
        "--job",
        "2h,8GB",
    ];
    let two = TWO.replace(
        "\"num_gpus\"",
        "\"storage_cost\":0,\"dph_base\":1.0,\"inet_down\":100,\"num_gpus\"",
    );
    let (out, _, _) = search_notes::run(&two, &with);
    let first: Json = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert_eq!(first["bourse"]["bill"], 2.0);
    assert_eq!(first["bourse"]["verdict"], Json::Null, "nothing is recorded");
    for (arguments, needed) in [
        (&["offers", "--with", "verdict"][..], "add --format json or jsonl"),
        (&["offers", "--with", "bill", "--format", "json"], "add --job"),
        (&["pick", "--with", "verdict", "--print", "id"], "add --print json"),
    ] {
        let (status, _, err) = bourse(arguments);
        assert_eq!((status, err.contains(needed)), (2, true), "{err}");
    }
    let home = Home::new();
    let wrong = ["offers", "--format", "jsonl", "--with", "price"];
    let (status, _, err) = run(&mut home.bourse(&wrong));
    assert_eq!((status, err.contains("price_per_gpu")), (2, true), "{err}");
}
