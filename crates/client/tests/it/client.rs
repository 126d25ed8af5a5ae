//! The client over real sockets: what goes out, what is never sent, what comes back.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use bourse_client::{
    ApiError, Client, ClientConfig, Operation, Origin, Pacer, Progress, Received, Reply, Request, RouteCall,
    RouteReply, Secret, Session, Unreachable, Wait,
};
use bourse_domain::language::{self, Mode};
use bourse_domain::workergroup::NewWorkergroup;
use bourse_domain::{CellRef, Dialect, Query, Resource};
use serde_json::json;

use crate::recorder::{Recorder, answer, json};
use crate::virtual_time::Clock;
use crate::{client_of as client, requests};

const KEY: &str = "canary-key-7c1f";

fn search() -> Request {
    Request::Search(Query::empty(Resource::Offers))
}

async fn error(recorder: &Recorder, request: &Request) -> ApiError {
    let outcome = client(&recorder.url(), Some(KEY)).call(request).await;
    outcome.result.expect_err("an error")
}

#[tokio::test]
async fn the_example_query_is_exactly_one_post_with_this_body() {
    let recorder = Recorder::always(json(200, r#"{"offers": []}"#));
    let dialect = &Dialect::DOCUMENTED;
    let mut query = language::default_query(Resource::Offers, dialect);
    let text = "gpu_name=RTX_4090 num_gpus>=2 gpu_ram>=24 reliability>0.98 geolocation in [US,CA]";
    query.conditions = language::parse(text, query.catalog(), dialect, &query.conditions, Mode::Strict)
        .unwrap()
        .conditions;
    let outcome = client(&recorder.url(), Some(KEY)).call(&Request::Search(query)).await;
    assert!(matches!(outcome.result, Ok(Reply::Records(_))));
    let request = recorder.only();
    assert_eq!(
        (request.method.as_str(), request.path.as_str()),
        ("POST", "/api/v0/bundles/")
    );
    assert_eq!(
        request.json(),
        json!({
            "verified": {"eq": true},
            "rentable": {"eq": true},
            "rented": {"eq": false},
            "gpu_name": {"eq": "RTX 4090"},
            "num_gpus": {"gte": 2},
            "gpu_ram": {"gte": 24000},
            "reliability": {"gt": 0.98},
            "geolocation": {"in": ["US", "CA"]},
            "order": [["score", "desc"]],
            "limit": 500,
            "type": "on-demand",
        })
    );
    assert_eq!(request.header("authorization"), Some("Bearer canary-key-7c1f"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(outcome.record.status, Some(200));
    assert_eq!(outcome.record.bytes_sent, request.body.len());
    assert_eq!(outcome.record.bytes_received, 14);
}

#[tokio::test]
async fn headers_say_no_more_than_they_must() {
    let recorder = Recorder::always(json(200, r#"{"success": true, "results": []}"#));
    let url = recorder.url();
    client(&url, None)
        .call(&Request::ListWorkergroups)
        .await
        .result
        .unwrap();
    client(&url, Some(KEY))
        .call(&Request::ListWorkergroups)
        .await
        .result
        .unwrap();
    let requests = recorder.requests();
    let names = |index: usize| {
        let mut names: Vec<_> = requests[index]
            .headers
            .iter()
            .map(|(name, _)| name.to_ascii_lowercase())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(0), ["accept", "accept-encoding", "host", "user-agent"]);
    assert_eq!(
        names(1),
        ["accept", "accept-encoding", "authorization", "host", "user-agent"]
    );
    assert!(
        requests
            .iter()
            .all(|request| request.method == "GET" && request.body.is_empty())
    );
    assert_eq!(requests[0].header("accept-encoding"), Some("gzip"));
}

#[tokio::test]
async fn all_six_operations_reach_their_paths_below_a_prefix() {
    let recorder = Recorder::always(json(200, "{}"));
    let origin = Origin::parse(&format!("{}/market/", recorder.url())).unwrap();
    let route = Origin::parse(&recorder.url()).unwrap();
    let client = Client::new(ClientConfig {
        sends_route_key: true,
        management: origin,
        route,
        dialect: &Dialect::DOCUMENTED,
        key: None,
    })
    .unwrap();
    for request in requests() {
        let _ = client.call(&request).await;
    }
    let seen: Vec<_> = recorder
        .requests()
        .into_iter()
        .map(|request| format!("{} {}", request.method, request.path))
        .collect();
    assert_eq!(
        seen,
        [
            "POST /market/api/v0/bundles/",
            "POST /market/api/v0/network_volumes/search/",
            "POST /market/api/v0/volumes/unlist/",
            "GET /market/api/v0/workergroups/",
            "POST /market/api/v0/workergroups/",
            "POST /route/",
        ]
    );
}

#[tokio::test]
async fn redirects_are_never_followed() {
    let elsewhere = Recorder::always(json(200, "{}"));
    for status in [301, 302, 303, 307, 308] {
        for request in requests() {
            let location = format!("{}/api/v0/bundles/", elsewhere.url());
            let recorder = Recorder::always(answer(status, &[("Location", &location)], b""));
            let error = error(&recorder, &request).await;
            assert!(
                matches!(error, ApiError::Redirected { status: s, .. } if s == status),
                "{error:?}"
            );
            assert_eq!(recorder.requests().len(), 1, "{status}");
            let here = Recorder::always(answer(status, &[("Location", "/other/")], b""));
            let _ = client(&here.url(), Some(KEY)).call(&request).await;
            assert_eq!(here.requests().len(), 1, "{status}");
        }
    }
    assert!(elsewhere.requests().is_empty(), "nothing reaches another server");
}

#[tokio::test]
async fn half_a_body_is_an_error_however_it_ends() {
    let whole = br#"{"offers": [{"id": 1}, {"id": 2}, {"id": 3}]}"#;
    // Cut against Content-Length.
    let mut by_length = answer(200, &[], whole);
    by_length.truncate(by_length.len() - 12);
    // Cut in the middle of a chunk.
    let by_chunk = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{\"offers\": [".to_vec();
    // Cut in a body that ends with the connection.
    let mut by_close = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_vec();
    by_close.extend_from_slice(&whole[..34]);
    for raw in [by_length, by_chunk, by_close] {
        let recorder = Recorder::always(raw);
        let error = error(&recorder, &search()).await;
        assert!(matches!(error, ApiError::Cut { .. }), "{error:?}");
        assert!(error.is_passing());
        assert_eq!(recorder.requests().len(), 1);
    }
    // The words of a refusal may be cut: it is one all the same.
    let mut refusal = answer(401, &[], br#"{"success": false, "msg": "Invalid user key"}"#);
    refusal.truncate(refusal.len() - 5);
    let recorder = Recorder::always(refusal);
    assert!(error(&recorder, &search()).await.is_auth());
}

#[tokio::test]
async fn a_server_that_says_nothing_is_an_error() {
    let recorder = Recorder::always(Vec::new());
    for request in requests() {
        let error = error(&recorder, &request).await;
        assert_eq!(error, ApiError::Lost);
        let operation = request.operation();
        assert_eq!(error.outcome_unknown(operation), !operation.is_read());
    }
    assert_eq!(recorder.requests().len(), 6, "each was sent once");
}

#[tokio::test]
async fn an_address_where_nobody_listens_is_named() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let outcome = client(&format!("http://127.0.0.1:{port}"), Some(KEY))
        .call(&Request::UnlistVolume { id: 1 })
        .await;
    let error = outcome.result.unwrap_err();
    assert_eq!(
        error,
        ApiError::NotConnected {
            host: format!("127.0.0.1:{port}"),
            why: Unreachable::NobodyListens,
        }
    );
    assert!(!error.outcome_unknown(Operation::UnlistVolume), "nothing was sent");
    assert_eq!(outcome.record.status, None);
}

/// A listener that answers whatever it hears first with these bytes.
fn blurts(bytes: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            use std::io::{Read as _, Write as _};
            let mut stream: std::net::TcpStream = stream;
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(bytes);
        }
    });
    address.to_string()
}

#[tokio::test]
async fn old_tls_and_no_tls_are_no_problem_of_certificates() {
    for (bytes, why, words) in [
        // A fatal alert, protocol_version, in a record of TLS 1.1 (RFC 5246, 7.2).
        (
            &b"\x15\x03\x02\x00\x02\x02\x46"[..],
            Unreachable::TlsVersion,
            "no common TLS version; the server must offer TLS 1.2 or 1.3",
        ),
        (
            b"HTTP/1.1 400 Bad Request\r\n\r\n",
            Unreachable::Handshake,
            "TLS handshake failed; check the address and the port",
        ),
    ] {
        let host = blurts(bytes);
        let client = client(&format!("https://{host}"), Some(KEY));
        let error = client.call(&search()).await.result.unwrap_err();
        assert_eq!(error.to_string(), format!("{host} unreachable: {words}"));
        assert_eq!(error, ApiError::NotConnected { host, why });
    }
}

#[tokio::test]
async fn damage_is_named_by_what_is_damaged() {
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n";
    let gzip = "Content-Encoding: gzip\r\n";
    for (headers, body, why) in [
        ("", "xyz\r\n{}\r\n0\r\n\r\n", "corrupt chunked encoding"),
        (gzip, "xyz\r\n{}\r\n0\r\n\r\n", "corrupt chunked encoding"),
        (gzip, "7\r\ngarbage\r\n0\r\n\r\n", "corrupt compression"),
    ] {
        let recorder = Recorder::always(format!("{head}{headers}\r\n{body}"));
        let error = error(&recorder, &search()).await;
        let why = why.to_owned();
        assert_eq!(error, ApiError::Unreadable { status: 200, why });
    }
}

#[tokio::test]
async fn compressed_answers_are_read_and_damaged_ones_refused() {
    // gzip of {"offers": [{"id": 7}]}, made by hand with a stored block.
    let plain = br#"{"offers": [{"id": 7}]}"#;
    let gzip = stored_gzip(plain);
    let headers = [("Content-Encoding", "gzip"), ("Content-Type", "application/json")];
    let recorder = Recorder::always(answer(200, &headers, &gzip));
    let outcome = client(&recorder.url(), Some(KEY)).call(&search()).await;
    match outcome.result {
        Ok(Reply::Records(listing)) => assert_eq!(listing.json(0), Some(r#"{"id": 7}"#)),
        other => panic!("{other:?}"),
    }
    assert_eq!(outcome.record.bytes_received, plain.len());
    for damaged in [&gzip[..gzip.len() - 9], &b"\x1f\x8b\x08\x00garbage"[..], &b"plain"[..]] {
        let recorder = Recorder::always(answer(200, &headers, damaged));
        let error = error(&recorder, &search()).await;
        assert!(
            matches!(error, ApiError::Cut { .. } | ApiError::Unreadable { .. }),
            "{error:?}"
        );
    }
}

/// A gzip member with one stored (uncompressed) block (RFC 1951, RFC 1952).
fn stored_gzip(plain: &[u8]) -> Vec<u8> {
    let mut crc = !0_u32;
    for byte in plain {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0xEDB8_8320
            } else {
                crc >> 1
            };
        }
    }
    let length = u16::try_from(plain.len()).unwrap();
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&(!length).to_le_bytes());
    out.extend_from_slice(plain);
    out.extend_from_slice(&(!crc).to_le_bytes());
    out.extend_from_slice(&u32::from(length).to_le_bytes());
    out
}

#[tokio::test]
async fn answers_larger_than_asked_for_are_given_up() {
    let mut query = Query::empty(Resource::Offers);
    query.limit = Some(1);
    let body = format!("{{\"offers\": [], \"x\": \"{}\"}}", "x".repeat(1024 * 1024 + 16 * 1024));
    let recorder = Recorder::always(json(200, &body));
    let error = error(&recorder, &Request::Search(query.clone())).await;
    // 16 KiB for the record and 1 MiB for the rest.
    assert_eq!(
        error,
        ApiError::TooLarge {
            bound: 1_064_960,
            is_search: true
        }
    );
    // What takes exactly as much is read.
    let exact = r#"{"offers": []}"#.to_owned() + &" ".repeat(1_064_960 - 14);
    let reader = Recorder::always(json(200, &exact));
    let request = Request::Search(query.clone());
    let outcome = client(&reader.url(), None).call(&request).await;
    assert!(outcome.result.is_ok(), "{outcome:?}");
    query.limit = Some(2);
    let outcome = client(&recorder.url(), Some(KEY)).call(&Request::Search(query)).await;
    assert!(outcome.result.is_ok());
}

#[tokio::test]
async fn a_response_that_announces_too_many_bytes_is_not_read() {
    // Half a gigabyte is announced and never comes.
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 536870912\r\n\r\n{\"offers\": [";
    let recorder = Recorder::always(head.to_vec());
    for (request, expected) in [
        (search(), "the response exceeds 256 MiB; lower the limit"),
        (Request::ListWorkergroups, "the response exceeds 16 MiB"),
    ] {
        let outcome = client(&recorder.url(), Some(KEY)).call(&request).await;
        assert_eq!(outcome.record.error.as_deref(), Some(expected));
        assert_eq!(outcome.result.unwrap_err().to_string(), expected);
        assert_eq!(outcome.record.status, Some(200));
    }
}

#[tokio::test]
async fn first_rows_are_told_before_the_response_ends() {
    let record = |id: usize| format!(r#"{{"id": {id}, "gpu_name": "{}"}}"#, "x".repeat(2000));
    let records: Vec<String> = (1..=500).map(record).collect();
    let body = format!(r#"{{"offers": [{}]}}"#, records.join(","));
    let size = body.len();
    let recorder = Recorder::always(json(200, &body));
    let mut reported: Vec<Received> = Vec::new();
    let outcome = client(&recorder.url(), Some(KEY))
        .call_with_progress(&search(), |received| reported.push(received))
        .await;
    let Ok(Reply::Records(listing)) = outcome.result else {
        panic!("{:?}", outcome.record.error);
    };
    assert_eq!(listing.len(), 500);
    let first = reported.first().expect("a report");
    assert!(first.bytes < size && first.rows < 500);
    let rows = first.first.as_ref().expect("rows");
    assert_eq!(rows.id(0), listing.id(0));
    assert!(reported.iter().all(|received| received.bytes <= size));
}

#[tokio::test]
async fn a_missing_key_is_not_called_a_refused_one() {
    let body = r#"{"success": false, "error": "auth_error", "msg": "Invalid user key"}"#;
    for status in [401, 403, 404] {
        let recorder = Recorder::always(json(status, body));
        for request in requests() {
            let outcome = client(&recorder.url(), None).call(&request).await;
            let reported = outcome.result.unwrap_err().to_string();
            assert!(reported.starts_with("no API key configured"), "{reported}");
            assert!(reported.contains("BOURSE_API_KEY"), "{reported}");
            let reported = error(&recorder, &request).await.to_string();
            assert!(reported.starts_with("API key rejected"), "{reported}");
        }
    }
    // A group's own key is a key, too.
    let recorder = Recorder::always(json(401, body));
    let call = RouteCall {
        endpoint: "ep".into(),
        cost: 100.0,
        key: Some(Secret::new("group-key")),
        place: None,
    };
    let outcome = client(&recorder.url(), None).call(&Request::Route(call)).await;
    let reported = outcome.result.unwrap_err().to_string();
    assert!(reported.starts_with("API key rejected"), "{reported}");
}

#[tokio::test]
async fn a_key_never_travels_in_the_clear_to_another_computer() {
    let remote = Origin::parse("http://market.example").unwrap();
    let local = Origin::parse("http://127.0.0.1:1").unwrap();
    for (management, route) in [(&remote, &local), (&local, &remote)] {
        let config = ClientConfig {
            sends_route_key: true,
            management: management.clone(),
            route: route.clone(),
            dialect: &Dialect::VAST,
            key: Some(Secret::new(KEY)),
        };
        let error = Client::new(config.clone()).unwrap_err();
        assert!(
            matches!(&error, ApiError::Misconfigured(words) if words.contains("https")),
            "{error}"
        );
        // Without a key of the profile, a group's own is held to the same.
        let client = Client::new(ClientConfig { key: None, ..config }).unwrap();
        let call = RouteCall {
            endpoint: "ep".into(),
            cost: 1.0,
            key: Some(Secret::new("group-key")),
            place: None,
        };
        if route == &remote {
            let error = client.call(&Request::Route(call)).await.result.unwrap_err();
            assert!(matches!(error, ApiError::Misconfigured(_)), "{error}");
        }
    }
    for bad in ["", "two words", "line\r\nX-Evil: 1", "umlaut-ü"] {
        let config = ClientConfig {
            sends_route_key: true,
            management: local.clone(),
            route: local.clone(),
            dialect: &Dialect::VAST,
            key: Some(Secret::new(bad)),
        };
        assert!(
            matches!(Client::new(config), Err(ApiError::Misconfigured(_))),
            "{bad:?}"
        );
    }
}

#[tokio::test]
async fn a_route_request_may_carry_the_key_of_its_group() {
    let reply = r#"{"endpoint": "ep", "url": "http://w:1", "cost": 100, "reqnum": 3,
        "signature": "SIGNED", "__request_id": "r-1", "api_key": "group-key"}"#;
    let recorder = Recorder::always(json(200, reply));
    let call = RouteCall {
        endpoint: "ep".into(),
        cost: 100.0,
        key: Some(Secret::new("group-key")),
        place: None,
    };
    let outcome = client(&recorder.url(), Some(KEY)).call(&Request::Route(call)).await;
    assert_eq!(recorder.only().header("authorization"), Some("Bearer group-key"));
    match outcome.result.unwrap() {
        Reply::Routed(RouteReply::Assigned(assignment)) => {
            assert!(assignment.mismatches.is_empty())
        }
        other => panic!("{other:?}"),
    }
    let kept = outcome.record.response.unwrap();
    assert!(!kept.unescaped().contains("SIGNED") && !kept.unescaped().contains("group-key"));
    assert!(kept.unescaped().contains("\"reqnum\": 3"), "{kept:?}");
}

#[tokio::test]
async fn a_long_refusal_is_a_refusal() {
    for (padding, words) in [(20_000, "Invalid user key"), (400_000, "")] {
        let body = format!(
            r#"{{"pad": "{}", "success": false, "msg": "Invalid user key"}}"#,
            "x".repeat(padding)
        );
        let recorder = Recorder::always(json(401, &body));
        let error = error(&recorder, &Request::ListWorkergroups).await;
        assert!(error.is_auth(), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[tokio::test]
async fn the_key_of_a_group_is_known_from_the_moment_it_is_sent() {
    let refusal = r#"{"success": false, "msg": "no such endpoint key: group-key-7"}"#;
    let recorder = Recorder::always(json(400, refusal));
    let client = client(&recorder.url(), Some(KEY));
    assert_eq!(client.secrets().remove("group-key-7"), "group-key-7");
    let call = RouteCall {
        endpoint: "ep".into(),
        cost: 1.0,
        key: Some(Secret::new("group-key-7")),
        place: None,
    };
    let outcome = client.call(&Request::Route(call)).await;
    let shown = format!("{outcome:?} {}", outcome.result.as_ref().unwrap_err());
    assert!(!shown.contains("group-key-7"), "{shown}");
    assert!(shown.contains("no such endpoint key: <removed>"), "{shown}");
    assert_eq!(client.secrets().remove("-k group-key-7"), "-k <removed>");
}

#[tokio::test]
async fn the_key_is_in_no_record_error_or_debug_text() {
    let echo = format!(r#"{{"success": false, "error": "Bearer {KEY}", "msg": "you sent {KEY}"}}"#);
    for status in [200, 400, 401, 429, 500] {
        for request in requests() {
            let recorder = Recorder::always(json(status, &echo));
            let client = client(&recorder.url(), Some(KEY));
            let outcome = client.call(&request).await;
            let debug = format!("{client:?} {outcome:?} {:#?}", outcome.record);
            assert!(!debug.contains(KEY), "{debug}");
            let error = outcome.result.unwrap_err().to_string();
            assert!(error.contains("<removed>"), "{error}");
            assert!(!client.curl(&request).contains(KEY));
        }
    }
}

#[tokio::test]
async fn a_key_in_an_ordinary_field_stays_in_no_reply() {
    let body = format!(
        r#"{{"success": true, "results": [{{"id": 1, "api_key": "group-key-one", "launch_args":
            "--key {KEY} --other group-key-two", "endpoint_name": "{escaped}"}},
            {{"id": 2, "api_key": "group-key-two", "notes": {{"deep": ["group-key-one"]}}}}]}}"#,
        escaped = KEY.replacen('a', "\\u0061", 1)
    );
    let recorder = Recorder::always(json(200, &body));
    let client = client(&recorder.url(), Some(KEY));
    let outcome = client.call(&Request::ListWorkergroups).await;
    let kept = outcome.record.response_body().unwrap();
    assert!(!kept.contains(KEY) && !kept.contains("group-key"), "{kept}");
    let Reply::Records(listing) = outcome.result.unwrap() else {
        panic!()
    };
    let cell = |row, key| match listing.cell(row, listing.catalog().by_key(key).unwrap()) {
        CellRef::Text(text) => text.to_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(cell(0, "launch_args"), "--key <removed> --other <removed>");
    assert_eq!(cell(0, "endpoint_name"), "<removed>");
    // They are needed to route, and shown when asked for.
    assert_eq!(cell(0, "api_key"), "group-key-one");
    assert_eq!(cell(1, "api_key"), "group-key-two");
    assert!(!listing.json(1).unwrap().contains("group-key-one"));
    // From now on they are known everywhere.
    let other = self::client(&recorder.url(), None).sharing(client.secrets().clone());
    for text in [KEY, "group-key-one", "group-key-two"] {
        assert_eq!(other.secrets().remove(text), "<removed>");
    }
    let launch = NewWorkergroup {
        launch_args: Some(format!("--key {KEY} --other group-key-two")),
        ..NewWorkergroup::default()
    };
    let command = other.curl(&Request::CreateWorkergroup(launch));
    assert!(command.contains("--key <removed> --other <removed>"), "{command}");
}

#[tokio::test]
async fn curl_names_the_address_and_the_variable() {
    let keyed = client("https://market.example/x", Some(KEY));
    assert_eq!(
        keyed.curl(&Request::ListWorkergroups),
        r#"curl -sS -X GET 'https://market.example/x/api/v0/workergroups/' -H "Authorization: Bearer $BOURSE_API_KEY""#
    );
    let bare = client("https://market.example", None);
    assert_eq!(
        bare.curl(&Request::UnlistVolume { id: 7 }),
        r#"curl -sS -X POST 'https://market.example/api/v0/volumes/unlist/' -H "Authorization: Bearer $BOURSE_API_KEY" -H 'Content-Type: application/json' --data-raw '{"id":7}'"#
    );
}

/// A session whose waits the test sees instead of sitting through them.
async fn run(recorder: &Recorder, request: &Request) -> (Result<Reply, ApiError>, Vec<String>) {
    let session = Session::new(client(&recorder.url(), Some(KEY)), Pacer::default());
    let (clock, mut reported) = (Clock::default(), Vec::new());
    let result = session
        .run(request, |progress| {
            clock.follow(&progress);
            reported.push(match progress {
                Progress::Waiting {
                    attempt,
                    why: Wait::Fault(error),
                    span,
                } => {
                    assert!(span <= Duration::from_secs(20));
                    format!("wait before {attempt}: {}", error.headline())
                }
                Progress::Waiting {
                    attempt,
                    why: Wait::Turn,
                    ..
                } => format!("turn of {attempt}"),
                Progress::Sent { attempt } => format!("sent {attempt}"),
                Progress::Received(received) => format!("received {}", received.rows),
                Progress::Tried(entry) => format!("tried {} {:?}", entry.attempt, entry.status),
            });
        })
        .await;
    clock.run();
    (result, reported)
}

#[tokio::test]
async fn reads_are_sent_again_after_a_passing_fault_three_times_at_most() {
    let recorder = Recorder::start(|number, _| match number {
        0 => json(503, ""),
        1 => answer(429, &[("Retry-After", "0")], b"API requests too frequent"),
        _ => json(200, r#"{"offers": []}"#),
    });
    let failing = Recorder::always(json(500, ""));
    let (result, reported) = run(&recorder, &search()).await;
    let (failed, _) = run(&failing, &Request::ListWorkergroups).await;
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(
        reported,
        [
            "sent 1",
            "tried 1 Some(503)",
            "wait before 2: server error",
            "sent 2",
            "tried 2 Some(429)",
            "wait before 3: too many requests",
            "sent 3",
            "tried 3 Some(200)",
        ]
    );
    assert!(matches!(failed, Err(ApiError::Server { status: 500, .. })));
    assert_eq!(failing.requests().len(), 3);
}

#[tokio::test]
async fn what_will_not_pass_is_not_sent_again() {
    for status in [400, 401, 404, 301, 501] {
        let recorder = Recorder::always(json(status, ""));
        let (result, _) = run(&recorder, &search()).await;
        assert!(result.is_err());
        assert_eq!(recorder.requests().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn an_exceeded_daily_quota_is_not_retried() {
    let body = r#"{"success": false, "error": "search_quota_exceeded", "msg": "Daily limit"}"#;
    let tomorrow = (std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs()
        + 86_400)
        .to_string();
    let headers = [("X-RateLimit-Reset", tomorrow.as_str())];
    let recorder = Recorder::always(answer(429, &headers, body.as_bytes()));
    let session = Session::new(client(&recorder.url(), Some(KEY)), Pacer::default());
    let error = session.run(&search(), |_| {}).await.unwrap_err();
    assert_eq!(recorder.requests().len(), 1);
    match error {
        ApiError::QuotaExceeded { reset, .. } => {
            let reset = reset.unwrap();
            assert_eq!(reset.timestamp().as_second().to_string(), tomorrow);
        }
        other => panic!("{other:?}"),
    }
    assert!(session.learned().is_empty(), "a quota is not an interval");
}

#[tokio::test]
async fn a_429_is_waited_out_until_the_moment_of_its_reset() {
    let soon = (std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs()
        + 20)
        .to_string();
    let headers = [("X-RateLimit-Reset", soon.as_str())];
    let recorder = Recorder::always(answer(429, &headers, b"API requests too frequent"));
    let session = Session::new(client(&recorder.url(), Some(KEY)), Pacer::default());
    let (reported, mut waits) = tokio::sync::mpsc::unbounded_channel();
    let running = session.clone();
    let call = tokio::spawn(async move {
        running
            .run(&search(), |progress| {
                if let Progress::Waiting { span, .. } = progress {
                    let _ = reported.send(span);
                }
            })
            .await
    });
    let span = waits.recv().await.unwrap();
    call.abort();
    // The guess without the header would be at most two seconds.
    assert!(
        span > Duration::from_secs(10) && span <= Duration::from_secs(21),
        "{span:?}"
    );
}

#[tokio::test]
async fn writes_and_route_requests_are_sent_exactly_once_whatever_happens() {
    for request in requests() {
        if request.operation().is_read() {
            continue;
        }
        for raw in [json(503, ""), json(429, "API requests too frequent"), Vec::new()] {
            let recorder = Recorder::always(raw);
            let (result, reported) = run(&recorder, &request).await;
            assert!(result.is_err());
            assert_eq!(recorder.requests().len(), 1);
            assert_eq!(reported.len(), 2, "{reported:?}");
        }
    }
}

#[tokio::test]
async fn a_slow_answer_is_given_up_when_the_caller_drops_it() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut bytes = [0; 64];
        stream.read_exact(&mut bytes).unwrap();
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
            .unwrap();
        // Ends when the client hangs up.
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    });
    let client = client(&url, Some(KEY));
    let call = tokio::spawn(async move { client.call(&search()).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    tokio::task::spawn_blocking(move || server.join())
        .await
        .unwrap()
        .unwrap();
}
