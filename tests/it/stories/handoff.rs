//! Renting an offer and passing a search on, outside bourse: what the copy menu gives for it.

use std::process::Command;

use bourse::domain::Dialect;
use bourse::domain::limits::Dollars;
use serde_json::json;

use crate::recorder::{Recorder, json as json_answer};
use crate::test_app::TestApp;

const OFFERS: &str = r#"{"offers":[{"id":27035394,"gpu_name":"RTX 4090","num_gpus":1,"dph_base":0.3,
 "dph_total":0.31,"min_bid":0.2125,"storage_cost":0.15,"inet_down_cost":0,"inet_up_cost":0,"score":9}]}"#;

/// A desk on the public service, with offers.
fn public() -> TestApp {
    let mut desk = TestApp::speaking(&Dialect::VAST);
    desk.model.profile.base_url = "https://console.vast.ai".to_owned();
    desk.answer(OFFERS);
    desk
}

#[test]
fn the_rent_command_has_the_offer_its_disk_and_a_place_for_the_image() {
    let mut desk = public();
    desk.keys("y").expect("the client's rent command");
    desk.keys("n");
    assert_eq!(desk.copied(), "vastai create instance 27035394 --image IMAGE --disk 8");
    // A job's disk is the disk that is rented.
    desk.keys("J tab tab").type_text("200GB").keys("enter y n");
    assert_eq!(
        desk.copied(),
        "vastai create instance 27035394 --image IMAGE --disk 200"
    );
}

#[test]
fn a_rent_command_over_a_limit_says_so() {
    let mut desk = public();
    // 0.30 and 8 GB of storage at $0.15 a month
    desk.model.settings.values.hourly_limit = Dollars::new(0.302).ok();
    desk.keys("y").expect_not("over your limit");
    desk.keys("esc");
    desk.model.settings.values.hourly_limit = Dollars::new(0.3).ok();
    desk.keys("y")
        .expect("over your limit: $0.302/h (limits.hourly: $0.300/h)");
}

#[test]
fn a_bid_is_rented_at_its_floor() {
    let mut desk = public();
    let offers = &mut desk.model.browsers[bourse::domain::Resource::Offers];
    offers.query.offer_type = bourse::domain::OfferType::Bid;
    desk.keys("y").expect("the client's rent command, at the bid floor");
    desk.keys("n");
    assert_eq!(
        desk.copied(),
        "vastai create instance 27035394 --image IMAGE --disk 8 --bid_price 0.2125"
    );
}

#[test]
fn the_console_is_the_public_service_s_alone() {
    let mut desk = public();
    desk.keys("y l");
    assert_eq!(desk.copied(), "https://cloud.vast.ai/create/");

    for base in ["https://vast.ai.example", "https://notvast.ai", "http://127.0.0.1:1"] {
        let mut desk = TestApp::speaking(&Dialect::VAST);
        desk.model.profile.base_url = base.to_owned();
        desk.answer(OFFERS);
        desk.keys("y").expect_not("the console's page");
        desk.keys("n");
        assert_eq!(
            desk.copied(),
            format!("vastai --url '{base}' create instance 27035394 --image IMAGE --disk 8")
        );
    }
}

#[test]
fn a_sandbox_offer_says_that_nothing_is_rented() {
    for (columns, rows) in [(80, 24), (200, 60)] {
        let mut desk = TestApp::speaking(&Dialect::SANDBOX);
        desk.model.profile.is_sandbox = true;
        desk.answer(OFFERS);
        desk.resize(columns, rows);
        desk.keys("y").expect("(sandbox: rents nothing)");
        desk.expect_not("the console's page");
        desk.keys("n");
        assert!(
            desk.copied().ends_with("# an offer of the sandbox: rents nothing"),
            "{}",
            desk.copied()
        );
    }
}

/// What the program sends when the line is pasted into a shell, against a server of its own.
fn sent_by(line: &str) -> serde_json::Value {
    let server = Recorder::always(json_answer(200, r#"{"offers":[]}"#));
    let script = format!("bourse() {{ \"$BOURSE\" --base-url \"$BASE\" \"$@\"; }}\n{line}");
    let home = tempfile::tempdir().unwrap();
    let output = Command::new("sh")
        .args(["-c", &script])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", home.path())
        .env("BOURSE", env!("CARGO_BIN_EXE_bourse"))
        .env("BASE", server.url())
        .output()
        .unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
    server.only().json()
}

#[test]
fn a_search_passed_on_as_a_line_sends_the_same_search() {
    let mut desk = TestApp::new();
    desk.answer(OFFERS);
    desk.keys("/ ctrl-u")
        .type_text("gpu_name in [\"RTX 4090\",\"it's $(x) `y`\"] num_gpus=2..8 verified=true")
        .keys("enter");
    desk.answer(OFFERS);
    desk.keys("y").expect("b  the search as one line for a shell");
    desk.keys("b");
    let line = desk.copied().to_owned();
    assert!(
        line.starts_with("bourse offers 'verified=true rentable=true rented=false gpu_name in "),
        "{line}"
    );
    assert!(
        line.ends_with(" --no-default --storage 8 --sort 'score-' --limit 500"),
        "{line}"
    );
    assert_eq!(
        sent_by(&line),
        json!({
            "gpu_name": {"in": ["RTX 4090", "it's $(x) `y`"]},
            "num_gpus": {"gte": 2, "lte": 8}, "verified": {"eq": true},
            "rentable": {"eq": true}, "rented": {"eq": false},
            "order": [["score", "desc"]], "limit": 500, "type": "on-demand",
        })
    );
}

#[test]
fn a_line_carries_the_job_and_leaves_out_what_a_command_cannot_have() {
    let mut desk = TestApp::new();
    desk.answer(OFFERS);
    desk.keys("/ ctrl-u")
        .type_text("verified=any rentable=any rented=any price_bid<0.2 gold")
        .keys("enter");
    desk.answer(OFFERS);
    desk.keys("J enter");
    desk.keys("y")
        .expect("the search as one line for a shell, without 2 conditions it can't have");
    desk.keys("b");
    assert_eq!(
        desk.copied(),
        "bourse offers --no-default --job 1d,50GB,20GB-down,5GB-up --sort 'job_cost' --limit 500"
    );
    assert_eq!(
        sent_by(desk.copied()),
        json!({"order": [["dph_total", "asc"]], "limit": 500, "type": "on-demand"})
    );
}

#[test]
fn volumes_and_workergroups_are_passed_on_too() {
    let mut desk = TestApp::new();
    desk.answer(OFFERS);
    desk.keys("2 y b");
    assert_eq!(
        desk.copied(),
        "bourse volumes 'verified=true' --no-default --sort 'storage_cost' --limit 100"
    );
    desk.keys("3 y b");
    assert!(desk.copied().starts_with("bourse groups --sort "), "{}", desk.copied());
}
