//! `bourse offers --job`: the bill of a job in a table, in CSV and in JSON.

use serde_json::{Value as Json, json};

use super::search_notes::{run, run_configured};

/// Over 3 days with 200 GB of disk and 300 GB downloaded the first costs 0.5 x 72 + 0.36 x 200 / 720
/// x 72 + 0.01 x 300 = $46.20, the second $42.00; the third is cheaper but has too small a disk.
const OFFERS: &str = r#"{"offers":[
 {"id":3,"num_gpus":1,"gpu_name":"RTX 3090","dph_base":0.1,"dph_total":0.104,"storage_cost":0.36,"inet_down_cost":0,"inet_up_cost":0,"inet_down":1000000000,"disk_space":100,"duration":864000},
 {"id":2,"num_gpus":1,"gpu_name":"RTX 4090","dph_base":0.4,"dph_total":0.404,"storage_cost":0.36,"inet_down_cost":0.02,"inet_up_cost":0,"inet_down":1000000000,"disk_space":500,"duration":864000},
 {"id":1,"num_gpus":1,"gpu_name":"RTX 4090","dph_base":0.5,"dph_total":0.504,"storage_cost":0.36,"inet_down_cost":0.01,"inet_up_cost":0,"inet_down":1000000000,"disk_space":500,"duration":864000}]}"#;

const JOB: [&str; 6] = [
    "offers",
    "--no-default",
    "--job",
    "3d,200GB,300GB-down",
    "--sort",
    "job",
];

#[test]
fn the_bill_ranks_offers_and_is_shown_in_every_format() {
    let (out, _, recorder) = run(OFFERS, &[&JOB[..], &["--columns", "id,job_cost"]].concat());
    let rows: Vec<Vec<&str>> = out
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().collect())
        .collect();
    // What cannot do the job comes last, whatever its bill.
    assert_eq!(rows, [["2", "42.00"], ["1", "46.20"], ["3", "14.40"]]);
    // No market knows the bill: its cheapest by the hour are the best guess.
    assert_eq!(
        recorder.only().json()["order"],
        serde_json::json!([["dph_total", "asc"]])
    );

    let (out, ..) = run(OFFERS, &JOB);
    let header: Vec<&str> = out.lines().next().unwrap().split("  ").map(str::trim).collect();
    assert!(header.contains(&"Job $"), "{out}");

    let (out, ..) = run(OFFERS, &[&JOB[..], &["--format", "csv"]].concat());
    let mut reader = csv::Reader::from_reader(out.as_bytes());
    let place = reader.headers().unwrap().iter().position(|own| own == "job_cost");
    let place = place.expect("a column of the bill");
    let bills: Vec<f64> = reader
        .records()
        .map(|record| record.unwrap()[place].parse().unwrap())
        .collect();
    assert!((bills[0] - 42.0).abs() < 1e-5 && (bills[1] - 46.2).abs() < 1e-5);

    let (out, ..) = run(OFFERS, &[&JOB[..], &["--format", "json"]].concat());
    let json: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(json["offers"][0]["id"], 2);
    assert_eq!(json["offers"][0].get("job_cost"), None, "as received");
    assert_eq!(json["job"]["run_hours"], 72.0);
    // Of a market that is not known, the speeds are in the unit of the documentation.
    assert_eq!(json["job"]["speed_unit"], "MB/s");
    let bill = |row: usize, key: &str| json["bills"][row][key].as_f64().unwrap();
    assert_eq!(json["bills"][1]["id"], 1);
    for (key, dollars) in [
        ("total", 46.2),
        ("gpu", 36.0),
        ("storage_running", 7.2),
        ("traffic_in", 3.0),
        ("hours", 72.0),
    ] {
        assert!((bill(1, key) - dollars).abs() < 1e-5, "{key}: {out}");
    }
    assert_eq!(json["bills"][1]["fits"], true);
    assert_eq!(json["bills"][2]["fits"], false);
}

#[test]
fn what_is_needed_and_not_reported_does_not_fit() {
    for (member, reported) in [
        ("disk_space", "500"),
        ("duration", "864000"),
        ("inet_down", "1000000000"),
    ] {
        // The second offer does not report it, or reports null.
        for unknown in [String::new(), format!("\"{member}\":null,")] {
            let (id, number) = ("\"id\":2,", format!("\"{member}\":{reported}"));
            let body = OFFERS.replacen(id, &format!("{id}{unknown}"), 1);
            let (first, second) = body.split_at(body.find(id).unwrap());
            let body = format!("{first}{}", second.replacen(&number, "\"x\":1", 1));
            let (out, err, _) = run(&body, &[&JOB[..], &["--format", "json"]].concat());
            let json: Json = serde_json::from_str(&out).unwrap();
            let ids: Vec<_> = json["offers"]
                .as_array()
                .unwrap()
                .iter()
                .map(|offer| &offer["id"])
                .collect();
            assert_eq!(ids, [1, 3, 2], "{member}: {err}");
            assert_ne!(json["bills"][2]["fits"], true, "{member}");
            let note = "note: 1 offer, listed last: disk, speed or end unknown\n";
            assert!(err.contains(note), "{member}: {err}");
            let (out, ..) = run(
                &body,
                &["pick", "--no-default", "--job", "3d,200GB,300GB-down", "--print", "id"],
            );
            assert_eq!(out, "1\n", "{member}");
        }
    }
}

#[test]
fn the_unit_of_a_download_is_named() {
    // The documented interface has MB/s, the public service Mb/s: 300 GB at 1,000 of them take 300 s, or 2,400.
    let body = OFFERS.replace("1000000000", "1000");
    for (market, unit, hours) in [
        (&[][..], "MB/s", 300.0 / 3600.0),
        (&["--profile", "vast"], "Mb/s", 2400.0 / 3600.0),
    ] {
        let (out, err, _) = run(&body, &[market, &JOB, &["--format", "json"]].concat());
        let json: Json = serde_json::from_str(&out).unwrap();
        assert_eq!(json["job"]["speed_unit"], unit);
        let download = json["bills"][0]["download_hours"].as_f64().unwrap();
        assert!((download - hours).abs() < 1e-9, "{download}");
        let note = format!("note: download times assume that speeds are in {unit}\n");
        assert!(err.contains(&note), "{err}");
        let pick = ["pick", "--no-default", "--job", "3d,200GB,300GB-down"];
        let (out, ..) = run(&body, &[market, &pick].concat());
        assert!(out.contains(&format!(", download at 1000 {unit}, ")), "{out}");
        let (out, ..) = run(
            &body,
            &[market, &["plan", "--gpus", "1", "--format", "json"], &JOB[1..4]].concat(),
        );
        let json: Json = serde_json::from_str(&out).unwrap();
        assert_eq!(json["job"]["speed_unit"], unit);
    }
    // Without a download no figure depends on it.
    let (_, err, _) = run(OFFERS, &["offers", "--no-default", "--job", "3d,200GB"]);
    assert!(!err.contains("speeds"), "{err}");
}

#[test]
fn a_record_without_a_price_has_no_bill_but_a_reason() {
    let body = r#"{"offers":[{"id":9,"dph_total":0.2}]}"#;
    let (out, ..) = run(body, &[&JOB[..], &["--format", "json"]].concat());
    let json: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(json["bills"][0]["total"], Json::Null);
    assert_eq!(json["bills"][0]["error"], "dph_base is not reported");
}

#[test]
fn conditions_on_the_bill_are_met_once_there_is_a_job() {
    let (out, ..) = run(OFFERS, &[&JOB[..], &["job<45", "--columns", "id"]].concat());
    assert_eq!(out.split_whitespace().collect::<Vec<_>>(), ["ID", "2", "3"]);
}

#[test]
fn the_job_s_disk_is_the_storage_that_prices_include() {
    let (_, err, _) = run(OFFERS, &JOB);
    assert_eq!(
        err,
        "note: this market doesn't quote prices with 200 GB of storage: $/h is an estimate\n\
         note: 1 offer, listed last: ending before the job, or without its disk\n\
         note: download times assume that speeds are in MB/s\n"
    );
}

#[test]
fn a_job_that_cannot_be_read_is_underlined_and_nothing_is_sent() {
    let home = super::commands::Home::new();
    let mut bourse = home.bourse(&["offers", "--job", "3d,2 tons"]);
    let (status, out, err) = super::commands::run(&mut bourse);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(
        err.contains("\n3d,2 tons\n   ^^^^^^\n'2 tons' is no part of a job: write 3d, 200GB"),
        "{err}"
    );
    let mut bourse = home.bourse(&["offers", "--columns", "id,job_cost"]);
    let (status, _, err) = super::commands::run(&mut bourse);
    assert_eq!(status, 2);
    assert!(err.contains("job_cost needs a job: add --job"), "{err}");
}

#[test]
fn prices_that_include_the_disk_of_the_job_are_no_surprise() {
    // 0.5 + 0.36 x 200 / 720 and so on.
    let body = OFFERS
        .replace("0.104", "0.2")
        .replace("0.404", "0.5")
        .replace("0.504", "0.6");
    let (_, err, _) = run(&body, &JOB);
    assert!(!err.contains("prices include"), "{err}");
    let (_, err, _) = run(&body, &["offers", "--no-default", "--job", "3d,50GB"]);
    assert!(
        err.contains("prices include 200 GB, not the requested 50: recalculated"),
        "{err}"
    );
}

#[test]
fn a_throughput_gives_a_column_in_every_format() {
    const CONFIG: &str = "[throughput.\"tokens/s\"]\nRTX_4090 = 1000\n";
    let command = ["offers", "--no-default"];
    let with = |more: &[&str]| run_configured(CONFIG, OFFERS, &[&command, more].concat()).0;
    // 0.404 $/h / 3.6 million tokens an hour; nothing is known of an RTX 3090.
    let out = with(&["--columns", "id,dollars_per_mtoken"]);
    let rows: Vec<Vec<&str>> = out
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows, [["3", "-"], ["2", "0.112"], ["1", "0.140"]]);
    assert!(with(&[]).lines().next().unwrap().contains("$/Mtoken"));
    let out = with(&["--format", "csv"]);
    assert!(out.lines().next().unwrap().ends_with(",dollars_per_mtoken"));
    let json: Json = serde_json::from_str(&with(&["--format", "json"])).unwrap();
    assert_eq!(json["work"][0]["dollars_per_mtoken"], Json::Null);
    let cost = json["work"][2]["dollars_per_mtoken"].as_f64().unwrap();
    assert!((cost - 0.14).abs() < 1e-9, "{cost}");
    let out = with(&["--sort", "dollars_per_mtoken-", "--columns", "id"]);
    let ids: Vec<&str> = out.lines().skip(1).map(str::trim).collect();
    assert_eq!(ids, ["1", "2", "3"]);
    // Without a throughput the commands print what they always did.
    assert!(!run(OFFERS, &command).0.contains("Mtoken"));
}

#[test]
fn a_dialect_in_megabytes_downloads_in_megabytes() {
    // 2,000 GB at 100 MB/s take 20,000 s, 5.5556 h: with the two hours of work $7.56 at $1 an hour. In
    // Mb/s it would be 44.4 h and $46.44.
    let offer = r#"{"offers":[{"id":1,"num_gpus":1,"dph_base":1,"dph_total":1,"storage_cost":0,
        "inet_down_cost":0,"inet_up_cost":0,"inet_down":100,"disk_space":500,"duration":864000}]}"#;
    let own = ["offers", "--no-default", "--job", "2h,50GB,2TB-down"];
    let columns = ["--columns", "id,job_cost,inet_down"];
    for (dialect, bill, header) in [
        (&[][..], "7.56", "Down MB/s"),
        (&["--profile", "vast"], "46.44", "Down Mb/s"),
    ] {
        let (out, ..) = run(offer, &[&own[..], &columns, dialect].concat());
        assert!(out.contains(bill) && out.contains(header), "{out}");
    }
}

/// 100M tokens: the two RTX 4090 do 1,000 tokens/s, 27.8 hours; nothing is known of the RTX 3090.
#[test]
fn work_is_billed_by_the_persons_throughput_in_every_format() {
    const CONFIG: &str = "[throughput.\"tokens/s\"]\nRTX_4090 = 1000\n";
    let command = ["offers", "--no-default", "--work", "100M tokens", "--sort", "job"];
    let with = |more: &[&str]| run_configured(CONFIG, OFFERS, &[&command, more].concat());
    let (out, err, _) = with(&["--by", "2999-12-31", "--columns", "id,job_cost,job_time"]);
    let rows: Vec<Vec<&str>> = out
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().collect())
        .collect();
    // 100,000 s at $0.4/h and 0.36 x 8 / 720 for the disk: 11.22, and 14.00 at $0.5; both in 1.16 days, 27.8 hours.
    assert_eq!(rows, [["2", "11.22", "1.2d"], ["1", "14.00", "1.2d"], ["3", "-", "-"]]);
    assert!(err.contains("to be done by Tue 2999-12-31 23:59 +00:00"), "{err}");
    let missing = r#"no hours for 1 offer: add "RTX 3090" = N to [throughput."tokens/s"] in the configuration"#;
    assert!(err.contains(missing), "{err}");
    let json: Json = serde_json::from_str(&with(&["--by", "2999-12-31", "--format", "json"]).0).unwrap();
    let bill = &json["bills"][0];
    let near = |key: &str, wanted: f64| assert!((bill[key].as_f64().unwrap() - wanted).abs() < 1e-3, "{bill}");
    near("hours", 27.777_778);
    near("dollars_per_mtoken", 0.112_222);
    assert_eq!(
        (&bill["in_time"], &bill["fits"]),
        (&Json::Bool(true), &Json::Bool(true))
    );
    assert_eq!(json["job"]["work"]["unit"], "tokens");
    assert!(json["bills"][2]["error"].as_str().unwrap().contains("RTX 3090"));
    let header = |more: &[&str]| {
        with(&[more, &["--format", "csv"]].concat())
            .0
            .lines()
            .next()
            .unwrap()
            .to_owned()
    };
    assert!(header(&["--by", "friday"]).contains(",job_slack"));
    assert!(!header(&[]).contains(",job_slack"));
    // The same in words, and the same through a job's text.
    for same in [&["100m", "tokens"][..], &["--job", "100M-tokens"]] {
        let command = [
            &["offers", "--no-default", "--columns", "id,job_cost", "--sort", "job"],
            same,
        ]
        .concat();
        assert!(run_configured(CONFIG, OFFERS, &command).0.contains("11.22"), "{same:?}");
    }
}

#[test]
fn an_offer_that_is_done_too_late_is_listed_last() {
    // 27.8 hours and 2.8 hours from now; by tomorrow's end there are 24 to 48.
    const CONFIG: &str = "[throughput.\"tokens/s\"]\nRTX_4090 = 100\nRTX_3090 = 10000\n";
    let command = [
        "offers",
        "--no-default",
        "100m tokens by tomorrow",
        "--columns",
        "id,job_slack",
    ];
    let (out, err, _) = run_configured(CONFIG, OFFERS, &command);
    let ids: Vec<&str> = out
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(ids[0], "3");
    assert!(
        err.contains("2 offers, listed last: too late, ending before the job, or without its disk"),
        "{err}"
    );
}

#[test]
fn a_deadline_needs_a_job_and_time_to_come() {
    let home = super::commands::Home::new();
    for (arguments, wanted) in [
        (&["offers", "--by", "friday"][..], "--by needs a job"),
        (
            &["offers", "--job", "3d", "--by", "someday"],
            "Not a time: write friday",
        ),
        (
            &["offers", "--job", "3d", "--by", "2020-01-01"],
            "2020-01-01 23:59 +00:00 (has passed)",
        ),
        (
            &["offers", "3d by 2020-01-01"],
            "the deadline Wed 2020-01-01 23:59 +00:00 (has passed)",
        ),
        (&["offers", "4090 by friday"], "'by friday' is about a job"),
        (
            &["offers", "--columns", "id,job_slack", "--job", "3d"],
            "job_slack needs a job with a deadline",
        ),
        (&["depth", "4090", "--work", "5M tokens"], "bourse plan divides it"),
    ] {
        let (status, out, err) = super::commands::run(&mut home.bourse(arguments));
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert!(err.contains(wanted), "{arguments:?}: {err}");
    }
}

/// Offers of one GPU by id, price and speed, the best by the market's score first.
fn scored(offers: &[(i64, f64, f64)]) -> String {
    let offer = |(id, price, speed): &(i64, f64, f64)| {
        json!({"id": id, "gpu_name": "A40", "num_gpus": 1, "dph_base": price, "dph_total": price, "storage_cost": 0.0,
            "inet_down": 100.0, "inet_down_cost": 0.0, "inet_up_cost": 0.0, "disk_space": 500.0, "duration": 9e6,
            "dlperf": speed, "score": 100 - id})
    };
    json!({"offers": offers.iter().map(offer).collect::<Vec<_>>()}).to_string()
}

#[test]
fn offers_for_a_job_come_by_its_bill_unless_an_order_is_given() {
    let market = scored(&[(1, 3.0, 90.0), (2, 1.0, 10.0), (3, 2.0, 50.0)]);
    let ids = |arguments: &[&str]| {
        let words = [&["offers", "--format", "csv", "--columns", "id"], arguments].concat();
        let (out, _, _) = run(&market, &words);
        out.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(ids(&[]), ["1", "2", "3"]);
    assert_eq!(ids(&["--job", "10h,8GB"]), ["2", "3", "1"]);
    assert_eq!(ids(&["10h 8gb"]), ["2", "3", "1"]);
    // Nothing is better value than the lowest bill: a faster offer takes as long.
    assert_eq!(ids(&["best value 10h 8gb"]), ["2", "3", "1"]);
    // The market was asked for its own order, which it has.
    assert_eq!(ids(&["--job", "10h,8GB", "--order", "score-"]), ["1", "2", "3"]);
}

#[test]
fn the_best_value_for_a_job_of_fixed_length_is_the_lowest_bill() {
    // The faster ones are no sooner done.
    let market = scored(&[(1, 3.0, 90.0), (2, 1.0, 10.0), (3, 2.0, 50.0)]);
    let best = |arguments: &[&str]| {
        let words = [
            &[
                "offers",
                "--format",
                "jsonl",
                "--order",
                "id",
                "--with",
                "best_value,beaten_by",
            ],
            arguments,
        ];
        let (out, _, _) = run(&market, &words.concat());
        let records = out
            .lines()
            .map(|line| serde_json::from_str::<Json>(line).unwrap()["bourse"].take());
        records
            .map(|own| (own["best_value"].clone(), own["beaten_by"].clone()))
            .collect::<Vec<_>>()
    };
    let by_speed = (json!(true), Json::Null);
    assert_eq!(best(&[]), [by_speed.clone(), by_speed.clone(), by_speed.clone()]);
    let beaten = (json!(false), json!(2));
    assert_eq!(best(&["--job", "10h,8GB"]), [beaten.clone(), by_speed, beaten]);
}
