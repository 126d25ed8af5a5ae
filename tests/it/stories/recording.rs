//! What responses add to the recorded market.

use bourse::api::ApiError;
use bourse::core::message::{EffectError, Message};
use bourse::domain::{OfferType, Resource};
use bourse::record::{Moment, PollOutcome};
use serde_json::json;

use crate::test_app::{START, TestApp};

const OFFERS: &str = r#"{"offers":[
    {"id":41,"machine_id":3,"host_id":7,"gpu_name":"RTX 4090","num_gpus":1,"dph_base":0.25,
        "dph_total":0.25,"storage_cost":0,"rentable":true},
    {"id":42,"machine_id":4,"host_id":7,"gpu_name":"RTX 4090","num_gpus":1,"dph_base":0.5,
        "dph_total":0.5,"storage_cost":0,"rentable":true}]}"#;

fn start() -> Moment {
    START.moment()
}

#[test]
fn every_response_to_a_search_is_recorded_once_with_its_time() {
    let mut desk = TestApp::new();
    assert_eq!(desk.polls, []);
    desk.now.mono += 1.5;
    desk.now.epoch += 1.5;
    desk.answer(OFFERS);
    let poll = &desk.polls[0];
    assert_eq!(
        (poll.search.resource, poll.search.offer_type),
        (Resource::Offers, OfferType::OnDemand)
    );
    // The moment at which it was sent.
    assert_eq!((poll.at, poll.took, poll.interval), (start(), 1500, None));
    assert_eq!((poll.outcome, poll.rows), (PollOutcome::Complete, 2));
    let seen: Vec<_> = poll.sightings.iter().map(|it| (it.lot.machine, it.price)).collect();
    assert_eq!(seen, [(3, 0.25), (4, 0.5)]);
    // Sorting what is there asks nobody.
    desk.keys("~");
    assert_eq!(desk.polls.len(), 1);
}

#[test]
fn a_failure_is_recorded_if_something_was_sent() {
    let mut desk = TestApp::new();
    desk.fail(ApiError::TimedOut {
        after: std::time::Duration::from_secs(20),
    });
    assert_eq!(desk.polls.len(), 1);
    assert_eq!(desk.polls[0].outcome, PollOutcome::Failed);
    assert_eq!(desk.polls[0].sightings, []);
    desk.keys("r")
        .fail(ApiError::Misconfigured("no such folder".to_owned()));
    assert_eq!(desk.polls.len(), 1);
}

#[test]
fn a_response_to_a_superseded_search_is_not_recorded() {
    let mut desk = TestApp::new();
    let late = desk.calls[0].0;
    desk.keys("esc");
    desk.reply(late, Err(ApiError::Lost));
    assert_eq!(desk.polls, []);
}

#[test]
fn a_long_response_is_recorded_once_it_is_arranged() {
    let offer = |row: u32| {
        json!({"id": row, "machine_id": row, "gpu_name": "A40", "num_gpus": 1, "dph_base": 0.5,
            "dph_total": 0.5, "storage_cost": 0, "rentable": true})
    };
    let body = json!({ "offers": (1..=6000).map(offer).collect::<Vec<_>>() }).to_string();
    let mut desk = TestApp::new();
    desk.holds_arrivals = true;
    desk.answer(&body);
    assert_eq!(desk.polls, []);
    desk.arrange();
    assert_eq!(desk.polls.len(), 1);
    assert_eq!((desk.polls[0].rows, desk.polls[0].sightings.len()), (6000, 6000));
    assert_eq!(desk.polls[0].at, start());
}

#[test]
fn an_unusable_record_is_told_and_the_dashboard_goes_on() {
    let mut desk = TestApp::with_offers(OFFERS);
    let error = EffectError::new("The market is not recorded: it is locked");
    desk.send(Message::Report(Err(error)));
    desk.wait(0.0);
    desk.expect("The market is not recorded: it is locked");
    desk.expect("RTX 4090");
}
