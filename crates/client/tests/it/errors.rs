//! Every way in which an answer can be an error, and what the program makes of it.

use std::time::Duration;

use bourse_client::wire::{Answer, decode};
use bourse_client::{ApiError, Operation, Request};
use jiff::tz::TimeZone;

use crate::requests;
use bourse_domain::time::UnixTime;

const NOW: UnixTime = UnixTime::new(1_767_225_600.0); // Thu, 01 Jan 2026 00:00:00 GMT

fn error(request: &Request, status: u16, body: &[u8]) -> ApiError {
    let answer = Answer {
        status,
        body,
        ..Answer::default()
    };
    decode(request, answer, NOW).expect_err("an error")
}

/// The words that every operation gives for an answer.
fn words(status: u16, body: &str) -> Vec<String> {
    requests()
        .iter()
        .map(|request| error(request, status, body.as_bytes()).to_string())
        .collect()
}

fn all(status: u16, body: &str, expected: &str) {
    for (request, words) in requests().iter().zip(words(status, body)) {
        assert_eq!(words, expected, "{:?}", request.operation());
    }
}

#[test]
fn every_documented_error_body_is_put_in_words() {
    all(
        400,
        r#"{"success": false, "error": "invalid_request", "msg": "Invalid json body"}"#,
        "the server rejected the request (status 400): Invalid json body (invalid_request)",
    );
    all(
        400,
        r#"{"error": "invalid_request"}"#,
        "the server rejected the request (status 400): invalid_request",
    );
    all(
        400,
        r#"{"error_msg": "no such endpoint"}"#,
        "the server rejected the request (status 400): no such endpoint",
    );
    all(
        401,
        r#"{"success": false, "error": "auth_error", "msg": "Invalid user key"}"#,
        "API key rejected (status 401): Invalid user key (auth_error); check the API key",
    );
    all(
        403,
        r#"{"detail": "This action requires login."}"#,
        "API key rejected (status 403): This action requires login.; check the API key",
    );
    all(
        403,
        r#"{"success": false, "error": "auth_error", "msg": "This action requires the permission instance_write"}"#,
        "API key lacks the permission (status 403): This action requires the permission instance_write (auth_error); use a key that has it",
    );
    all(
        404,
        r#"{"success": false, "error": "auth_error", "msg": "Invalid user key"}"#,
        "API key rejected (status 404): Invalid user key (auth_error); check the API key",
    );
    all(
        429,
        r#"{"detail": "API requests too frequent endpoint threshold=5.0"}"#,
        "too many requests (status 429; at most one in 5 s): API requests too frequent endpoint threshold=5.0",
    );
    all(
        429,
        "API requests too frequent: endpoint threshold=2.0",
        "too many requests (status 429; at most one in 2 s): API requests too frequent: endpoint threshold=2.0",
    );
    all(
        429,
        "API requests too frequent",
        "too many requests (status 429; wait a moment): API requests too frequent",
    );
    all(500, "", "server error (status 500); try again in a moment");
    all(
        502,
        "<html>\r\n<head><title>502 Bad &amp; Gateway</title></head><body>x</body></html>",
        "server error (status 502), with a web page titled \"502 Bad & Gateway\"; try again in a moment",
    );
    all(
        503,
        r#"["not", "documented"]"#,
        "server error (status 503), with an unreadable body; try again in a moment",
    );
    all(
        418,
        "\"short and stout\"",
        "the server rejected the request (status 418): short and stout",
    );
}

#[test]
fn good_statuses_without_an_answer_are_errors_too() {
    all(200, "", "empty response (status 200); try again");
    all(204, "  \n", "empty response (status 204); try again");
    all(
        200,
        "<!DOCTYPE html><html><head><title>Please\n log in</title>",
        "got a web page titled \"Please log in\" instead of JSON (status 200); check the address, or whether your network requires a login",
    );
    all(
        200,
        "upstream says hello",
        "unexpected response (status 200): plain text instead of JSON (\"upstream says hello\")",
    );
    all(
        200,
        "[1, 2]",
        "unexpected response (status 200): a JSON list instead of an object",
    );
    all(
        200,
        "null",
        "unexpected response (status 200): a bare JSON value instead of an object",
    );
    all(
        200,
        r#"{"success": false, "error": "no_funds", "msg": "Add credit first"}"#,
        "the request failed: Add credit first (no_funds)",
    );
    all(200, r#"{"success": false}"#, "the request failed");
    for words in words(200, r#"{"success": true, "offers": [{"id": 1"#) {
        assert!(words.starts_with("response cut off"), "{words}");
    }
}

#[test]
fn answers_without_their_own_member_say_which() {
    let expected = [
        "unexpected response (status 200): no list named 'offers'",
        "unexpected response (status 200): no list named 'offers'",
        "unexpected response (status 200): no word on whether the volume was unlisted",
        "unexpected response (status 200): no list named 'results'",
        "unexpected response (status 200): no id of the new workergroup",
    ];
    for (request, expected) in requests().iter().zip(expected) {
        assert_eq!(error(request, 200, b"{}").to_string(), expected);
    }
    let list = &requests()[0];
    assert_eq!(
        error(list, 200, br#"{"error": "invalid"}"#).to_string(),
        "the request failed: invalid"
    );
    assert_eq!(
        error(list, 200, br#"{"offers": 7}"#).to_string(),
        "unexpected response (status 200): no list named 'offers'"
    );
    assert_eq!(
        error(list, 200, br#"{"offers": [{"id": 1}, {"id"#).to_string(),
        "response cut off after 1 complete record; try again"
    );
}

#[test]
fn a_missing_volume_search_is_a_market_without_volumes() {
    let volumes = &requests()[1];
    for body in [
        "",
        "Not Found",
        "<html><title>404</title></html>",
        r#"{"detail":"Not Found"}"#,
    ] {
        let words = error(volumes, 404, body.as_bytes()).to_string();
        assert_eq!(words, "this market has no network volumes (status 404)");
    }
    let offers = &requests()[0];
    assert_eq!(
        error(offers, 404, b"Not Found").to_string(),
        "not found (status 404): Not Found"
    );
}

#[test]
fn redirects_name_the_server_and_nothing_of_the_address() {
    for status in [301, 302, 303, 307, 308] {
        for request in requests() {
            let answer = Answer {
                status,
                location: Some("https://user:pw@evil.example:8443/x?api_key=SECRET#y"),
                ..Answer::default()
            };
            let error = decode(&request, answer, NOW).unwrap_err();
            let words = error.to_string();
            assert!(
                words.starts_with("redirected to https://evil.example:8443 (status"),
                "{words}"
            );
            assert!(!words.contains("SECRET") && !words.contains("pw"), "{words}");
        }
    }
}

#[test]
fn a_threshold_is_found_in_json_and_in_plain_text() {
    use bourse_client::wire::threshold;
    for (words, expected) in [
        ("API requests too frequent endpoint threshold=5.0", Some(5.0)),
        ("API requests too frequent: endpoint threshold=0.8", Some(0.8)),
        ("threshold=2.", Some(2.0)),
        ("threshold: 3", Some(3.0)),
        ("threshold=1e9", Some(1.0)),
        ("threshold=99999", Some(300.0)),
        ("threshold=-1", None),
        ("threshold=0", None),
        ("threshold=...", None),
        ("threshold", None),
        ("no number", None),
    ] {
        assert_eq!(threshold(words), expected, "{words}");
    }
}

#[test]
fn retry_after_is_seconds_or_a_date_and_bounded() {
    use bourse_client::wire::retry_after;
    let seconds = |header: &str| retry_after(header, NOW).map(|span| span.as_secs_f64());
    for (header, expected) in [
        ("7", Some(7.0)),
        (" 0 ", Some(0.0)),
        ("2.5", Some(2.5)),
        ("1000000000", Some(300.0)),
        ("-5", Some(0.0)),
        ("Thu, 01 Jan 2026 00:00:30 GMT", Some(30.0)),
        ("Wed, 31 Dec 2025 23:59:30 GMT", Some(0.0)),
        ("Fri, 01 Jan 2027 00:00:00 GMT", Some(300.0)),
        ("soon", None),
        ("", None),
        ("NaN", None),
        ("inf", None),
    ] {
        assert_eq!(seconds(header), expected, "{header}");
    }
    let answer = Answer {
        status: 429,
        retry_after: Some("12"),
        ..Answer::default()
    };
    match decode(&requests()[0], answer, NOW) {
        Err(ApiError::RateLimited { retry_after, .. }) => {
            assert_eq!(retry_after, Some(Duration::from_secs(12)));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_403_means_the_key_only_where_it_says_so() {
    for (body, is_key) in [
        (r#"{"error":"auth_error","msg":"This action requires login."}"#, true),
        (r#"{"error":"auth_error","msg":"Invalid user key"}"#, true),
        (r#"{"error":"auth_error"}"#, true),
        ("Please log in or sign up", true),
        (r#"{"msg":"Permission denied"}"#, false),
        (r#"{"error":"forbidden"}"#, false),
        (r#"{"msg":"This action requires a host account"}"#, false),
        (r#"{"msg":"Your API key is not permitted to search"}"#, false),
        (
            r#"{"error":"host_only","msg":"Only hosts may create workergroups"}"#,
            false,
        ),
        ("<html><title>403 Forbidden</title></html>", false),
        ("", false),
    ] {
        for request in requests() {
            let error = error(&request, 403, body.as_bytes());
            assert!(error.is_auth() && !error.is_passing(), "{body}");
            let expected = if is_key { "API key rejected" } else { "not permitted" };
            assert_eq!(error.headline(), expected, "{body}");
            let reported = error.to_string();
            assert_eq!(reported.contains("API key rejected"), is_key, "{reported}");
        }
    }
}

#[test]
fn without_a_key_none_was_refused() {
    for (status, body) in [
        (401, r#"{"error":"auth_error","msg":"Invalid user key"}"#),
        (403, r#"{"error":"auth_error","msg":"This action requires login."}"#),
        (404, r#"{"error":"auth_error","msg":"Invalid user key"}"#),
    ] {
        let error = error(&requests()[0], status, body.as_bytes()).without_key();
        let reported = error.to_string();
        assert!(
            reported.starts_with(&format!("no API key configured (status {status}): ")),
            "{reported}"
        );
        assert!(reported.ends_with("; set BOURSE_API_KEY"), "{reported}");
        assert!(error.is_auth());
    }
}

const QUOTA: &str = r#"{"success":false,"error":"search_quota_exceeded","msg":"Daily search limit reached"}"#;

fn limited(body: &'static str, retry_after: Option<&str>, reset: Option<&str>) -> ApiError {
    let answer = Answer {
        status: 429,
        retry_after,
        rate_limit_reset: reset,
        body: body.as_bytes(),
        ..Answer::default()
    };
    decode(&requests()[0], answer, NOW).unwrap_err()
}

#[test]
fn a_daily_quota_is_no_matter_of_waiting_a_little() {
    let zone = TimeZone::fixed(jiff::tz::offset(2));
    for (retry_after, reset, expected) in [
        // 2026-01-01 06:30 UTC
        (None, Some("1767249000"), "it resets at 2026-01-01 08:30 +02"),
        (Some("60"), Some("1767249000"), "it resets at 2026-01-01 08:30 +02"),
        (Some("3600"), None, "it resets at 2026-01-01 03:00 +02"),
        (
            Some("Fri, 02 Jan 2026 00:00:00 GMT"),
            None,
            "it resets at 2026-01-02 02:00 +02",
        ),
        (None, None, "try again tomorrow"),
        (None, Some("soon"), "try again tomorrow"),
        (None, Some("1"), "try again tomorrow"),
        (None, Some("1e300"), "try again tomorrow"),
        (Some("1e300"), Some("NaN"), "try again tomorrow"),
    ] {
        let error = limited(QUOTA, retry_after, reset).in_zone(&zone);
        assert_eq!(
            error.to_string(),
            format!(
                "daily quota exceeded (status 429): Daily search limit reached (search_quota_exceeded); {expected}"
            )
        );
        assert!(!error.is_passing(), "it is not sent again");
        assert!(error.stops_timers(NOW), "nor by a timer");
        assert!(!error.outcome_unknown(Operation::UnlistVolume));
    }
    let error = limited(QUOTA, None, Some("1767249000"));
    assert!(error.stops_timers(UnixTime::new(1_767_248_999.0)) && !error.stops_timers(UnixTime::new(1_767_249_000.0)));
}

#[test]
fn an_ordinary_429_waits_as_long_as_the_headers_say_but_bounded() {
    const FREQUENT: &str = "API requests too frequent";
    for (retry_after, reset, expected) in [
        (Some("12"), None, Some(12.0)),
        (Some("12"), Some("1767225640"), Some(12.0)),
        (None, Some("1767225640"), Some(40.0)),
        (None, Some("1767311999"), Some(300.0)),
        (None, Some("1767225599"), None), // over
        (None, Some("40"), None),         // no moment
        (Some("soon"), Some("1767225601"), Some(1.0)),
        (None, None, None),
    ] {
        let error = limited(FREQUENT, retry_after, reset);
        assert!(error.is_passing(), "{error}");
        let ApiError::RateLimited { retry_after: wait, .. } = error else {
            panic!("{error:?}");
        };
        let seconds = wait.map(|span| span.as_secs_f64());
        assert_eq!(seconds, expected, "{retry_after:?} {reset:?}");
    }
}

#[test]
fn a_response_beyond_the_bound_is_told_as_such() {
    for (bound, is_search, expected) in [
        (268_435_456, true, "the response exceeds 256 MiB; lower the limit"),
        (1_064_960, true, "the response exceeds 1.02 MiB; lower the limit"),
        (16_777_216, false, "the response exceeds 16 MiB"),
    ] {
        let error = ApiError::TooLarge { bound, is_search };
        assert_eq!(error.to_string(), expected);
        assert!(!error.is_passing());
    }
}

#[test]
fn a_flood_of_records_or_members_is_an_error_that_says_what_to_do() {
    let flood = |records: usize| format!("{{\"offers\":[{}{{}}]}}", "{},".repeat(records - 1));
    let read = |body: &str| {
        let answer = Answer {
            status: 200,
            body: body.as_bytes(),
            ..Answer::default()
        };
        decode(&requests()[0], answer, NOW)
    };
    // Records that cannot be shown count as well: it is their number that fills the memory.
    assert!(read(&flood(100_000)).is_ok());
    let error = read(&flood(100_001)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the response has more than 100,000 records; lower the limit"
    );
    assert!(!error.is_passing());
    let members = format!("{{{}\"offers\":[]}}", "\"a\":0,".repeat(1001));
    let error = read(&members).unwrap_err().to_string();
    assert!(error.contains("more than 1,000 members"), "{error}");
}

#[test]
fn a_write_is_undone_only_when_that_is_certain() {
    let unlist = &requests()[2];
    let clear = br#"{"success": false, "error": "x", "msg": "y"}"#;
    for (status, body, unknown) in [
        (400, &clear[..], false),
        (401, clear, false),
        (403, clear, false),
        (403, br#"{"error": "forbidden"}"#, false),
        (403, b"<html><title>proxy</title></html>", true),
        (404, clear, false),
        (429, clear, false),
        (429, b"API requests too frequent", false),
        (200, clear, false), // the server itself says that it failed
        (400, b"<html><title>proxy</title></html>", true),
        (404, b"", true),
        (409, clear, true),
        (301, b"", true),
        (500, clear, true),
        (504, b"", true),
        (200, b"", true),
        (200, b"{}", true),
        (200, b"{\"success\": tr", true),
        (200, b"<html><title>login</title></html>", true),
        (204, b"", true),
    ] {
        let error = error(unlist, status, body);
        for operation in Operation::ALL {
            let expected = unknown && !operation.is_read();
            assert_eq!(
                error.outcome_unknown(operation),
                expected,
                "{status} {operation:?}: {error}"
            );
        }
    }
}

#[test]
fn hostile_words_reach_no_terminal() {
    let body = "{\"msg\": \"\\u001b]52;c;eHg=\\u0007\\u202e gnp\"}";
    for words in words(400, body) {
        assert!(words.contains("<U+001B>]52"), "{words}");
        assert!(words.contains("<U+202E>"), "{words}");
        assert!(words.chars().all(|c| !c.is_control()), "{words:?}");
    }
    let long = format!("{{\"msg\": \"{}\"}}", "x".repeat(100_000));
    for words in words(400, &long) {
        assert!(words.chars().count() < 500, "{}", words.len());
    }
}

#[test]
fn wrongly_typed_secrets_are_never_quoted() {
    for request in requests() {
        for body in [
            r#"{"success": "SECRETKEY", "offers": "SECRETKEY", "results": "SECRETKEY", "id": "SECRETKEY"}"#,
            r#"{"url": {"x": "SECRETKEY"}, "signature": ["SECRETKEY"], "api_key": 5}"#,
            r#"{"url": ["SECRETKEY"]}"#,
            r#"{"url": "http://w", "signature": "SECRETKEY", "api_key": "SECRETKEY"}"#,
        ] {
            let answer = Answer {
                status: 200,
                body: body.as_bytes(),
                ..Answer::default()
            };
            let result = decode(&request, answer, NOW);
            let debug = format!("{result:?} {result:#?}");
            assert!(!debug.contains("SECRETKEY"), "{debug}");
            if let Err(error) = result {
                assert!(!error.to_string().contains("SECRETKEY"), "{error}");
            }
        }
    }
}
