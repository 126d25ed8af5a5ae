//! Answers as real services send them: tolerant of every field, without losing a byte.

use bourse::api::wire::{Answer, decode};
use bourse::api::{ApiError, Assignment, Reply, Request, RouteCall, RouteReply};
use bourse::domain::time::UnixTime;
use bourse::domain::workergroup::NewWorkergroup;
use bourse::domain::{CellRef, Listing, OFFERS, Query, Resource};

const NOW: UnixTime = UnixTime::new(1_767_225_600.0);

fn reply(request: &Request, body: &[u8]) -> Result<Reply, ApiError> {
    let answer = Answer {
        status: 200,
        body,
        ..Answer::default()
    };
    decode(request, answer, NOW)
}

fn listing(resource: Resource, body: impl AsRef<[u8]>) -> Listing {
    match reply(&Request::Search(Query::empty(resource)), body.as_ref()) {
        Ok(Reply::Records(listing)) => *listing,
        other => panic!("{other:?}"),
    }
}

fn offers(body: impl AsRef<[u8]>) -> Listing {
    listing(Resource::Offers, body)
}

fn cell<'a>(listing: &'a Listing, row: usize, key: &str) -> CellRef<'a> {
    listing.cell(row, OFFERS.by_key(key).expect(key))
}

#[test]
fn a_real_looking_offer_is_read_whole() {
    let record = r#"{"id": 53000001, "ask_contract_id": 53000001, "gpu_name": "RTX 4090",
        "num_gpus": 2.0, "cpu_cores_effective": 10.666666666666666, "driver_version": "570.181",
        "geolocation": ", US", "start_date": null, "mobo_name": null, "disk_name": "",
        "discount_rate": null, "dph_total": 1.3168888888888889, "cuda_max_good": 580.173,
        "verification": "verified", "gpu_ids": [0, 1], "search": {"totalHour": 1.25},
        "avail_vol_size": 2897.7254677074025, "rentable": true, "sla_r_claim": 3,
        "nested": {"unknown": [1, {"x": "y"}]}, "public_ipaddr": " 1.2.3.4 "}"#;
    let listing = offers(format!("{{\"offers\": [{record}]}}"));
    assert_eq!(listing.len(), 1);
    assert_eq!(listing.json(0), Some(record), "every byte is kept");
    assert_eq!(cell(&listing, 0, "num_gpus"), CellRef::Number(2.0));
    assert_eq!(cell(&listing, 0, "start_date"), CellRef::Null);
    assert_eq!(cell(&listing, 0, "webpage"), CellRef::Missing);
    assert_eq!(
        cell(&listing, 0, "dph_total"),
        CellRef::Number("1.3168888888888889".parse().unwrap())
    );
    assert_eq!(cell(&listing, 0, "search.totalHour"), CellRef::Number(1.25));
    assert_eq!(cell(&listing, 0, "driver_version"), CellRef::Text("570.181"));
    assert_eq!(cell(&listing, 0, "verified"), CellRef::Flag(true));
    let unknown: Vec<_> = listing
        .unknown_members(0, 9)
        .0
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(unknown, ["sla_r_claim", "nested"]);
}

#[test]
fn one_object_in_place_of_a_list_is_one_record() {
    let listing = offers(r#"{"offers": {"id": 4, "num_gpus": 1}}"#);
    assert_eq!((listing.len(), listing.was_single()), (1, true));
    assert_eq!(offers(r#"{"offers": []}"#).len(), 0);
    let volumes = listing_of_volumes();
    assert_eq!(volumes.len(), 1);
}

fn listing_of_volumes() -> Listing {
    listing(
        Resource::Volumes,
        r#"{"success": true, "offers": {"ask_contract_id": 9, "disk_space": 100}}"#,
    )
}

#[test]
fn bad_records_are_counted_with_a_reason_and_hide_no_other() {
    let body = r#"{"offers": [{"id": 1}, 7, null, [1, 2], {"no": "id"}, {"id": "x"},
        {"id": 1.5}, {"id": 2, "num_gpus": "many"}, {"id": 3, "x": tru}, {"id": "44"}]}"#;
    let listing = offers(body);
    let ids: Vec<_> = (0..listing.len()).map(|row| listing.id(row).unwrap().0).collect();
    assert_eq!(ids, [1, 2, 44]);
    let skipped: Vec<_> = listing.skipped().iter().map(|skipped| skipped.index).collect();
    assert_eq!(skipped, [1, 2, 3, 4, 5, 6, 8]);
    assert!(
        matches!(cell(&listing, 1, "num_gpus"), CellRef::Bad(_)),
        "the record stays"
    );
}

#[test]
fn duplicates_bad_bytes_and_non_numbers_are_survived() {
    let mut body = br#"{"offers": [{"id": 1, "score": NaN, "dph_total": -Infinity, "num_gpus": 3},
        {"id": 1}, {"id": 2, "gpu_name": "RTX "#
        .to_vec();
    body.extend_from_slice(b"\xff\xfe 4090\", \"num_gpus\": 4}]}");
    let listing = offers(body);
    assert_eq!((listing.len(), listing.duplicates()), (2, 1));
    assert_eq!(cell(&listing, 0, "num_gpus"), CellRef::Number(3.0));
    assert!(cell(&listing, 0, "dph_total").is_blank());
    assert_eq!(
        cell(&listing, 1, "gpu_name"),
        CellRef::Text("RTX \u{fffd}\u{fffd} 4090")
    );
    assert_eq!(cell(&listing, 1, "num_gpus"), CellRef::Number(4.0));
}

#[test]
fn a_byte_order_mark_and_deep_nesting_are_survived() {
    let listing = offers("\u{feff}{\"offers\": [{\"id\": 5, \"gpu_name\": \"A\"}]}");
    assert_eq!(listing.json(0), Some("{\"id\": 5, \"gpu_name\": \"A\"}"));
    assert_eq!(cell(&listing, 0, "gpu_name"), CellRef::Text("A"));
    let deep = format!(
        "{{\"offers\": [{{\"id\": 1}}, {{\"id\": 2, \"x\": {}{}}}]}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert!(!offers(deep).is_empty());
}

#[test]
fn workergroups_are_read_in_both_spellings() {
    let body = r#"{"success": true, "results": [
        {"id": 1, "endpoint_name": "a", "api_key": "k", "created_at": "2026-01-01T00:00:00Z", "search_query": "x=1"},
        {"id": 2, "endpoint_name": "b", "created_at": 1767225600.5, "search_query": {"num_gpus": {"gte": 1}}}]}"#;
    match reply(&Request::ListWorkergroups, body.as_bytes()) {
        Ok(Reply::Records(listing)) => {
            assert_eq!(listing.len(), 2);
            assert!(listing.skipped().is_empty());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_unlisting_gives_the_servers_words() {
    let unlist = Request::UnlistVolume { id: 2029 };
    for (body, words) in [
        (
            r#"{"success": true, "msg": "Unlisted Volume 2029."}"#,
            "Unlisted Volume 2029.",
        ),
        (r#"{"msg": "done", "success": true, "more": [1]}"#, "done"),
        (r#"{"success": true}"#, ""),
    ] {
        match reply(&unlist, body.as_bytes()) {
            Ok(Reply::Unlisted { msg }) => assert_eq!(msg.unescaped(), words),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_id_of_a_new_workergroup_may_be_called_result() {
    let create = Request::CreateWorkergroup(NewWorkergroup::default());
    for (body, expected) in [
        (r#"{"success": true, "id": 4242}"#, Some(4242)),
        (r#"{"success": true, "result": 4242}"#, Some(4242)),
        (r#"{"id": 4242.0}"#, Some(4242)),
        (r#"{"success": true, "id": "4242"}"#, Some(4242)),
        (r#"{"success": true, "id": null, "result": 7}"#, Some(7)),
        (r#"{"success": true, "id": -1}"#, None),
        (r#"{"success": true, "id": 1.5}"#, None),
        (r#"{"success": true, "id": "new"}"#, None),
        (r#"{"success": true}"#, None),
    ] {
        let id = match reply(&create, body.as_bytes()) {
            Ok(Reply::Created { id }) => Some(id),
            Err(ApiError::Unreadable { .. }) => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(id, expected, "{body}");
    }
}

fn route(body: &str) -> Result<RouteReply, ApiError> {
    let call = RouteCall {
        endpoint: "my-endpoint".into(),
        cost: 242.5,
        key: None,
        place: None,
    };
    reply(&Request::Route(call), body.as_bytes()).map(|reply| match reply {
        Reply::Routed(reply) => reply,
        other => panic!("{other:?}"),
    })
}

fn assigned(body: &str) -> Assignment {
    match route(body) {
        Ok(RouteReply::Assigned(assignment)) => assignment,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_assignment_is_read_whole_and_kept_as_it_came() {
    let body = r#"{"endpoint": "my-endpoint", "url": "http://1.2.3.4:8000", "cost": 242.5,
        "reqnum": 17, "signature": "c2ln", "__request_id": "r-1", "request_idx": 99}"#;
    let assignment = assigned(body);
    assert_eq!(assignment.url.unescaped(), "http://1.2.3.4:8000");
    assert_eq!((assignment.reqnum, assignment.request_idx), (Some(17), Some(99)));
    assert_eq!(assignment.signature.as_ref().unwrap().unescaped(), "c2ln");
    assert_eq!(assignment.request_id.as_ref().unwrap().unescaped(), "r-1");
    assert_eq!(assignment.json.unescaped(), body);
    assert!(assignment.mismatches.is_empty());
}

#[test]
fn an_assignment_that_does_not_echo_its_request_says_so() {
    for (body, mismatches) in [
        (r#"{"url": "u", "endpoint": "other", "cost": 242.5}"#, &["endpoint"][..]),
        (r#"{"url": "u", "endpoint": "my-endpoint", "cost": 1}"#, &["cost"]),
        (r#"{"url": "u"}"#, &["endpoint", "cost"]),
        (r#"{"url": "u", "endpoint": 5, "cost": "242.5"}"#, &["endpoint"]),
        (r#"{"url": "u", "endpoint": "my-endpoint", "cost": 242.50001}"#, &[]),
    ] {
        assert_eq!(assigned(body).mismatches, mismatches, "{body}");
    }
}

#[test]
fn whatever_has_no_address_is_a_status_reply_shown_whole() {
    for body in [
        r#"{"endpoint": "my-endpoint", "status": "Stopped", "__request_id": "r"}"#,
        "{}",
        r#"{"url": null, "workers": {"loading": 3}}"#,
        r#"{"url": ""}"#,
        r#"{"error": "no workers yet"}"#,
    ] {
        match route(body) {
            Ok(RouteReply::Waiting { json }) => assert_eq!(json.unescaped(), body),
            other => panic!("{body}: {other:?}"),
        }
    }
    for body in ["[]", r#"{"url": 5}"#, r#"{"status": nope}"#] {
        assert!(matches!(route(body), Err(ApiError::Unreadable { .. })), "{body}");
    }
    assert!(matches!(
        route(r#"{"request_idx": 3, "error_msg": null}"#),
        Ok(RouteReply::Waiting { .. })
    ));
    let refused = route(r#"{"error_msg": "endpoint not found"}"#).unwrap_err();
    assert!(matches!(refused, ApiError::RouteRefused { .. }));
    assert_eq!(
        refused.to_string(),
        "the router refused the request: endpoint not found; check the endpoint's name and its key in your workergroups"
    );
    assert!(matches!(
        route(r#"{"success": false, "msg": "no"}"#),
        Err(ApiError::Failure { .. })
    ));
}
