//! Responses that are wrong: whatever comes, there is a result or a cause, and no good value is lost.

use bourse::api::wire::{Answer, decode};
use bourse::api::{ApiError, Operation, Reply, Request, RouteCall};
use bourse::domain::time::UnixTime;
use bourse::domain::workergroup::NewWorkergroup;
use bourse::domain::{CellRef, Listing, OFFERS, Query, Resource};

use crate::cases::cases;
use crate::fuzz::mutate::{Numbers, mutate};

const NOW: UnixTime = UnixTime::new(1_767_225_600.0);

/// In every secret member of the bodies below: no error may repeat it.
const CANARY: &str = "canary-5eC7e7";

pub fn requests() -> [Request; 6] {
    [
        Request::Search(Query::empty(Resource::Offers)),
        Request::Search(Query::empty(Resource::Volumes)),
        Request::ListWorkergroups,
        Request::UnlistVolume { id: 2029 },
        Request::CreateWorkergroup(NewWorkergroup::default()),
        Request::Route(RouteCall {
            endpoint: "my-endpoint".into(),
            cost: 242.5,
            key: None,
            place: None,
        }),
    ]
}

/// A good response to each of [`requests`].
fn good(request: &Request) -> String {
    match request.operation() {
        Operation::SearchOffers => {
            r#"{"offers": [{"id": 1, "gpu_name": "RTX 4090", "dph_total": 0.5, "gpu_ids": [0, 1],
                "search": {"totalHour": 1.25}}, {"id": 2, "driver_version": "570.181"}]}"#
        }
        Operation::SearchVolumes => r#"{"success": true, "offers": [{"id": 9, "disk_space": 100.5}]}"#,
        Operation::ListWorkergroups => {
            r#"{"success": true, "results": [{"id": 7, "endpoint_name": "e", "api_key":
                "canary-5eC7e7", "search_query": {"num_gpus": {"gte": 1}}, "created_at": 1.5}]}"#
        }
        Operation::UnlistVolume => r#"{"success": true, "msg": "Unlisted Volume 2029."}"#,
        Operation::CreateWorkergroup => r#"{"success": true, "id": 4242}"#,
        Operation::Route => {
            r#"{"endpoint": "my-endpoint", "url": "http://1.2.3.4:8000", "cost": 242.5,
                "reqnum": 17, "signature": "canary-5eC7e7", "__request_id": "r-1"}"#
        }
    }
    .to_owned()
}

fn decoded(request: &Request, status: u16, body: &[u8]) -> Result<Reply, ApiError> {
    let answer = Answer {
        status,
        body,
        ..Answer::default()
    };
    decode(request, answer, NOW)
}

/// Every result is one, or an error with a class and a cause that quotes no secret. All columns and
/// records of a listing are read too: they are read later than the response.
pub fn judge(request: &Request, status: u16, body: &[u8]) -> bool {
    match decoded(request, status, body) {
        Ok(Reply::Records(listing)) => {
            listing.prepare(listing.catalog().fields());
            for row in 0..listing.len() {
                let _ = (listing.full_record(row), listing.unknown_members(row, 9));
            }
            assert!(listing.skipped().iter().all(|record| !record.reason.is_empty()));
            true
        }
        Ok(_) => true,
        Err(error) => {
            let shown = String::from_utf8_lossy(body);
            assert!(!error.headline().is_empty(), "{shown}");
            assert!(!error.to_string().is_empty(), "{shown}");
            // Words of a refusal are the server's own; a wrong value in a good response is not told.
            if status == 200 && !matches!(error, ApiError::Failure { .. }) {
                assert!(!format!("{error} {error:?}").contains("5eC7e7"), "{shown}");
            }
            false
        }
    }
}

/// JSON values and things that are none.
fn values() -> Vec<String> {
    let plain = r#"null|true|0|-1|1.5|1e400|-1e999|18446744073709551616|NaN|Infinity|-Infinity|""|"x"|"\ud800"|"\u0000"|"\u202e"|[]|[null]|[[]]|{}|{"a":1}|{"a":1,"a":2}|tru|nul|'x'|{a:1}|[1,]|{"a":}|{,}|01|1.|+1|0x10|"open|[1|{"a"|}|]|,|:|"bad \q escape"|<html>|"canary-5eC7e7""#;
    let mut values: Vec<String> = plain.split('|').map(str::to_owned).collect();
    values.push("9".repeat(400));
    values.push("\"a\u{1}b\"".to_owned());
    values.push("\"a\nb\"".to_owned());
    values.push(format!("{}{}", "[".repeat(200), "]".repeat(200)));
    values.push(format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200)));
    values.push("[".repeat(5_000));
    values
}

/// Where a value is put.
const PLACES: [&str; 11] = [
    "@",
    "{\"offers\": @}",
    "{\"results\": @}",
    "{\"success\": true, \"offers\": [@], \"results\": [@]}",
    "{\"offers\": [{\"id\": @}], \"results\": [{\"id\": @}]}",
    "{\"offers\": [{\"id\": 1, \"gpu_name\": @, \"dph_total\": @, \"search\": @, \"gpu_ids\": @}]}",
    "{\"results\": [{\"id\": 1, \"api_key\": @, \"search_query\": @, \"created_at\": @, \"launch_args\": @}]}",
    "{\"success\": @, \"msg\": @, \"id\": @, \"result\": @}",
    "{\"success\": false, \"error\": @, \"msg\": @}",
    "{\"url\": @, \"endpoint\": @, \"cost\": @, \"reqnum\": @, \"signature\": @, \"__request_id\": @}",
    "{\"success\": true, @: 1}",
];

#[test]
fn hand_made_bodies_have_a_result_or_a_cause() {
    let mut bodies: Vec<String> = Vec::new();
    for place in PLACES {
        bodies.extend(values().iter().map(|value| place.replace('@', value)));
    }
    assert!(bodies.len() >= 400, "{}", bodies.len());
    for request in requests() {
        assert!(judge(&request, 200, good(&request).as_bytes()), "control");
        let mut good = 0;
        for body in &bodies {
            good += usize::from(judge(&request, 200, body.as_bytes()));
            judge(&request, 400, body.as_bytes());
            judge(&request, 429, body.as_bytes());
        }
        assert!(good < bodies.len() && good > 0, "{good} of {}", bodies.len());
    }
}

#[test]
fn mutated_bodies_have_a_result_or_a_cause() {
    mutated_bodies(cases(400, 5_000));
}

fn mutated_bodies(many: usize) {
    for (place, request) in requests().iter().enumerate() {
        let mut numbers = Numbers(place as u64);
        let mut refused = 0;
        for _ in 0..many {
            // Without the secret: a mutation may take the quotes or the name away from it.
            let mut body = good(request).replace(CANARY, "secret").into_bytes();
            for _ in 0..=numbers.below(4) {
                mutate(&mut body, &mut numbers, &["null"]);
            }
            refused += usize::from(!judge(request, 200, &body));
        }
        assert!(refused > many / 10, "the mutations do something: {refused}");
    }
}

fn offers(body: &str) -> Listing {
    match decoded(&requests()[0], 200, body.as_bytes()) {
        Ok(Reply::Records(listing)) => *listing,
        other => panic!("{other:?}"),
    }
}

fn cell<'a>(listing: &'a Listing, row: usize, key: &str) -> CellRef<'a> {
    listing.cell(row, OFFERS.by_key(key).expect(key))
}

/// Valid JSON, or NaN, in the place of a number; and whether the cell is marked or blank.
fn bad_numbers() -> Vec<(String, bool)> {
    let deep = |open: &str, close: &str| open.repeat(300) + "1" + &close.repeat(300);
    let marked = [
        "1e400",
        "-1e400",
        "1E999",
        "123e9999",
        "\"1e400\"",
        "\"many\"",
        "\"\"",
        "\" \"",
        "\"NaN\"",
        "\"\\ud800\"",
        "\"\\udc00x\"",
        "\"\\ud800\\ud800\"",
        "\"x\\u0000\"",
        "\"0x10\"",
        "\"1,5\"",
        "[]",
        "[1]",
        "[\"a\"]",
        "[1e400]",
        "[[[]]]",
        "{}",
        "{\"a\": 1}",
        "{\"a\": 1e400}",
        "{\"\\ud800\": 1}",
        "[\"\\ud800\"]",
    ];
    let mut bad: Vec<_> = marked.map(|text| (text.to_owned(), true)).into();
    bad.push(("9".repeat(400), true));
    bad.push(("-".to_owned() + &"1".repeat(400), true));
    bad.push((deep("[", "]"), true));
    bad.push((deep("{\"a\":", "}"), true));
    bad.push((deep("[{\"a\":[", "]}]"), true));
    let blank = ["null", "NaN", "Infinity", "-Infinity"];
    bad.extend(blank.map(|text| (text.to_owned(), false)));
    bad
}

#[test]
fn a_bad_optional_value_is_marked_and_costs_neither_its_record_nor_another_value() {
    let bad = bad_numbers();
    assert!(bad.len() >= 30, "{}", bad.len());
    for (value, is_marked) in bad {
        let body = format!(
            r#"{{"offers": [{{"gpu_name": "A100", "dph_total": {value}, "id": 5, "num_gpus": 4,
                "search": {{"totalHour": 1.25, "diskHour": {value}}}, "made_up": {value}}},
                {{"id": 6}}]}}"#
        );
        let listing = offers(&body);
        assert_eq!((listing.len(), listing.skipped().len()), (2, 0), "{value}");
        let found = cell(&listing, 0, "dph_total");
        assert_eq!(matches!(found, CellRef::Bad(_)), is_marked, "{value}: {found:?}");
        assert!(found.is_blank(), "{value}: {found:?}");
        assert_eq!(cell(&listing, 0, "gpu_name"), CellRef::Text("A100"), "{value}");
        assert_eq!(cell(&listing, 0, "num_gpus"), CellRef::Number(4.0), "{value}");
        let hourly = cell(&listing, 0, "search.totalHour");
        assert_eq!(hourly, CellRef::Number(1.25), "{value}");
        let (unknown, _) = listing.unknown_members(0, 9);
        assert_eq!(unknown.len(), 1, "{value}");
    }
}

#[test]
fn a_name_that_is_no_text_costs_nothing() {
    let listing = offers(r#"{"\ud800": 1, "offers": [{"\ud800": 2, "id": 5, "gpu_name": "A100"}]}"#);
    assert_eq!(cell(&listing, 0, "gpu_name"), CellRef::Text("A100"));
}

#[test]
fn of_a_thousand_records_exactly_the_bad_ones_are_skipped_each_with_a_reason() {
    let bad = [
        "7",
        "null",
        "true",
        "\"x\"",
        "[1, 2]",
        "{}",
        "{\"no\": \"id\"}",
        "{\"id\": null}",
        "{\"id\": \"x\"}",
        "{\"id\": 1.5}",
        "{\"id\": 1e400}",
        "{\"id\": \"\\ud800\"}",
        "{\"id\": [1]}",
        "{\"id\": 3, \"x\": tru}",
        "{\"id\": 3, \"x\": 01}",
    ];
    for count in [0, 1, 10, 500, 999, 1000] {
        // Spread over the list, and not only at its beginning.
        let is_bad = |place: usize| (place + 1) * count / 1000 > place * count / 1000;
        let records: Vec<String> = (0..1000)
            .map(|place| match is_bad(place) {
                true => bad[place % bad.len()].to_owned(),
                false => format!("{{\"id\": {}, \"num_gpus\": 2}}", place + 10_000),
            })
            .collect();
        let listing = offers(&format!("{{\"offers\": [{}]}}", records.join(", ")));
        assert_eq!(listing.len(), 1000 - count);
        assert_eq!(listing.skipped().len(), count);
        for record in listing.skipped() {
            assert!(is_bad(record.index) && !record.reason.is_empty());
        }
        for row in 0..listing.len() {
            assert_eq!(cell(&listing, row, "num_gpus"), CellRef::Number(2.0));
        }
    }
}
