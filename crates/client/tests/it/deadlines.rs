//! How long an answer may take: unlisting 30 s, creating 60 s, routing 15 s; searches 10 s of silence
//! and 20 s in all.

use bourse_client::{ApiError, Reply, Request, RouteCall};
use bourse_domain::workergroup::NewWorkergroup;
use bourse_domain::{Query, Resource};

use crate::recorder::json;
use crate::virtual_time::{client, server};

/// Sends a request to a server that sends its answer in pieces, each after a silence; on a clock
/// that jumps over the silences.
fn call(request: &Request, pieces: Vec<(u64, Vec<u8>)>) -> Result<Reply, ApiError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async {
        let url = server(move |_| pieces.clone()).await;
        client(&url).call(request).await.result
    })
}

fn after(seconds: u64, body: &str) -> Vec<(u64, Vec<u8>)> {
    vec![(seconds, json(200, body))]
}

fn silent_for(result: &Result<Reply, ApiError>) -> Option<u64> {
    match result {
        Err(ApiError::TimedOut { after }) => Some(after.as_secs()),
        _ => None,
    }
}

const UNLISTED: &str = r#"{"success": true, "msg": "Unlisted Volume 5."}"#;
const CREATED: &str = r#"{"success": true, "id": 77}"#;
const NOTHING: &str = r#"{"offers": []}"#;

#[test]
fn an_unlisting_is_waited_for_thirty_seconds() {
    let request = Request::UnlistVolume { id: 5 };
    for seconds in [12, 25, 29] {
        let result = call(&request, after(seconds, UNLISTED));
        assert!(matches!(result, Ok(Reply::Unlisted { .. })), "{result:?}");
    }
    let late = call(&request, after(31, UNLISTED));
    assert_eq!(silent_for(&late), Some(30));
    assert!(late.unwrap_err().outcome_unknown(request.operation()));
}

#[test]
fn a_creation_is_waited_for_sixty_seconds() {
    let request = Request::CreateWorkergroup(NewWorkergroup::default());
    for seconds in [12, 55, 59] {
        let result = call(&request, after(seconds, CREATED));
        assert!(matches!(result, Ok(Reply::Created { id: 77 })), "{result:?}");
    }
    // Also when it drips.
    let answer = json(200, CREATED);
    let (head, tail) = answer.split_at(answer.len() - 5);
    let result = call(&request, vec![(25, head.to_vec()), (30, tail.to_vec())]);
    assert!(matches!(result, Ok(Reply::Created { id: 77 })), "{result:?}");
    let late = call(&request, after(61, CREATED));
    assert_eq!(silent_for(&late), Some(60));
    assert!(late.unwrap_err().outcome_unknown(request.operation()));
}

#[test]
fn a_route_request_is_waited_for_fifteen_seconds() {
    let request = Request::Route(RouteCall {
        endpoint: "chat".to_owned(),
        cost: 100.0,
        key: None,
        place: None,
    });
    let body = r#"{"status": "waiting"}"#;
    let result = call(&request, after(14, body));
    assert!(matches!(result, Ok(Reply::Routed(_))), "{result:?}");
    assert_eq!(silent_for(&call(&request, after(16, body))), Some(15));
}

#[test]
fn a_search_ends_after_ten_seconds_of_silence_and_twenty_in_all() {
    let request = Request::Search(Query::empty(Resource::Offers));
    assert!(call(&request, after(9, NOTHING)).is_ok());
    assert_eq!(silent_for(&call(&request, after(12, NOTHING))), Some(10));
    let answer = json(200, NOTHING);
    let (head, body) = answer.split_at(answer.len() - NOTHING.len());
    let drips = |silence| {
        let (one, two) = body.split_at(4);
        let pieces = [head, one, two].map(|piece| (silence, piece.to_vec()));
        pieces.to_vec()
    };
    assert!(call(&request, drips(6)).is_ok());
    assert_eq!(silent_for(&call(&request, drips(8))), Some(20));
}
