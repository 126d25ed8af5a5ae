//! Ledger entries as an HTTP archive (HAR 1.2), a format of browsers and other tools.

use bourse_domain::text::json_for_terminal;
use bourse_domain::time::UnixTime;
use serde_json::{Value as Json, json};

use super::ledger::{LedgerEntry, reason};
use super::redact::REMOVED;

/// The media type of every body that bourse sends.
const JSON: &str = "application/json";

/// The text of an HTTP archive (HAR 1.2) of ledger entries, in the given order: readers expect the oldest
/// first.
///
/// The key is never in it, and possible secrets in bodies are replaced. Response headers and compression are not
/// recorded; such members are -1 or empty, as the format prescribes.
pub fn archive_text<'a>(entries: impl Iterator<Item = &'a LedgerEntry>) -> String {
    let archive = json!({ "log": {
        "version": "1.2",
        "creator": { "name": "bourse", "version": env!("CARGO_PKG_VERSION") },
        "entries": entries.map(entry).collect::<Vec<_>>(),
    }});
    // Plain values always serialize.
    let text = serde_json::to_string_pretty(&archive).unwrap_or_default();
    json_for_terminal(&text) + "\n"
}

/// An attempt as an entry of a HAR archive; `_operation`, `_attempt` and `_waited` are members of bourse's
/// own.
fn entry(entry: &LedgerEntry) -> Json {
    let took = milliseconds(entry.took);
    let mut archived = json!({
        "startedDateTime": moment(entry.at),
        "time": took,
        "request": request(entry),
        "response": response(entry),
        "cache": {},
        // Only the total time is measured.
        "timings": { "send": 0, "wait": took, "receive": 0 },
        "_operation": entry.operation.label(),
        "_attempt": entry.attempt,
        "_waited": milliseconds(entry.waited),
    });
    if let Some(error) = &entry.error {
        archived["comment"] = json!(error);
    }
    archived
}

/// The HAR object of an entry's request, with its body; a key that was sent is shown as `<removed>`.
fn request(entry: &LedgerEntry) -> Json {
    let mut headers = vec![header("Accept", JSON)];
    if entry.with_key {
        headers.push(header("Authorization", &format!("Bearer {REMOVED}")));
    }
    let body = entry.request_body();
    if body.is_some() {
        headers.push(header("Content-Type", JSON));
    }
    let mut request = json!({
        "method": entry.method.name(),
        "url": entry.url,
        "httpVersion": "unknown",
        "cookies": [],
        "headers": headers,
        "queryString": [],
        "headersSize": -1,
        "bodySize": entry.bytes_sent,
    });
    if let Some(body) = body {
        request["postData"] = json!({ "mimeType": JSON, "text": body });
    }
    request
}

/// The HAR object of an entry's response, with the body if it is stored; status 0 and `no response` if there
/// was none.
fn response(entry: &LedgerEntry) -> Json {
    let mut content = json!({ "size": entry.bytes_received, "mimeType": "x-unknown" });
    if let Some(body) = entry.response_body() {
        let is_json = body.trim_start().starts_with(['{', '[']);
        content["mimeType"] = json!(if is_json { JSON } else { "text/plain" });
        content["text"] = json!(body);
    }
    if entry.response_cut {
        content["comment"] = json!("truncated");
    }
    json!({
        "status": entry.status.unwrap_or(0),
        "statusText": entry.status.map_or(super::ledger::NO_ANSWER, reason),
        "httpVersion": "unknown",
        "cookies": [],
        "headers": [],
        "content": content,
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": -1,
    })
}

/// A HAR header: an object with the members `name` and `value`.
fn header(name: &str, value: &str) -> Json {
    json!({ "name": name, "value": value })
}

/// A duration in milliseconds, rounded to three decimals.
fn milliseconds(span: std::time::Duration) -> f64 {
    (span.as_secs_f64() * 1e6).round() / 1e3
}

/// Formats a time in ISO 8601, UTC, to the millisecond; a time out of range is shown as 1970.
fn moment(time: UnixTime) -> String {
    #[expect(clippy::cast_possible_truncation)] // the range is checked by from_millisecond
    let moment = jiff::Timestamp::from_millisecond((time.seconds() * 1000.0).round() as i64);
    format!("{:.3}", moment.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Operation;
    use crate::wire::Method;
    use bourse_domain::Untrusted;

    fn search() -> LedgerEntry {
        LedgerEntry {
            at: UnixTime::new(1_795_176_000.25), // 2026-11-20 12:00:00.25 UTC
            operation: Operation::SearchOffers,
            method: Method::Post,
            url: "http://127.0.0.1:1/api/v0/bundles/".into(),
            with_key: true,
            request: Some(r#"{"limit":1}"#.into()),
            status: Some(200),
            took: Duration::from_micros(31_250),
            bytes_sent: 11,
            bytes_received: 46,
            attempt: 2,
            waited: Duration::from_millis(1500),
            response: Some(Untrusted::from(
                "{\"offers\":[],\"api_key\":\"canary\",\"x\":\"\u{202e}\"}",
            )),
            response_cut: false,
            error: None,
            sandbox_fault: None,
        }
    }

    /// Written by hand from the description of HAR 1.2: the required members of each object.
    #[test]
    fn an_archive_has_every_member_that_har_1_2_demands() {
        let failed = LedgerEntry {
            operation: Operation::ListWorkergroups,
            method: Method::Get,
            url: "http://127.0.0.1:1/api/v0/workergroups/".into(),
            with_key: false,
            request: None,
            status: None,
            bytes_sent: 0,
            bytes_received: 0,
            response: None,
            error: Some("nobody listens".into()),
            ..search()
        };
        let text = archive_text([search(), failed].iter());
        let archive: Json = serde_json::from_str(&text).unwrap();
        let log = &archive["log"];
        assert_eq!(log["version"], "1.2");
        assert_eq!(log["creator"]["name"], "bourse");
        assert!(log["creator"]["version"].is_string());
        assert_eq!(log["entries"].as_array().unwrap().len(), 2);
        assert_eq!(
            log["entries"][0],
            json!({
                "startedDateTime": "2026-11-20T12:00:00.250Z",
                "time": 31.25,
                "request": {
                    "method": "POST",
                    "url": "http://127.0.0.1:1/api/v0/bundles/",
                    "httpVersion": "unknown",
                    "cookies": [],
                    "headers": [
                        { "name": "Accept", "value": "application/json" },
                        { "name": "Authorization", "value": "Bearer <removed>" },
                        { "name": "Content-Type", "value": "application/json" },
                    ],
                    "queryString": [],
                    "postData": { "mimeType": "application/json", "text": "{\"limit\":1}" },
                    "headersSize": -1,
                    "bodySize": 11,
                },
                "response": {
                    "status": 200,
                    "statusText": "OK",
                    "httpVersion": "unknown",
                    "cookies": [],
                    "headers": [],
                    "content": {
                        "size": 46,
                        "mimeType": "application/json",
                        "text": "{\"offers\":[],\"api_key\":\"<removed>\",\"x\":\"\u{202e}\"}",
                    },
                    "redirectURL": "",
                    "headersSize": -1,
                    "bodySize": -1,
                },
                "cache": {},
                "timings": { "send": 0, "wait": 31.25, "receive": 0 },
                "_operation": "search offers",
                "_attempt": 2,
                "_waited": 1500.0,
            })
        );
        let failed = &log["entries"][1];
        assert_eq!(failed["request"]["postData"], Json::Null);
        assert_eq!(failed["request"]["bodySize"], 0);
        assert_eq!(failed["request"]["headers"].as_array().unwrap().len(), 1);
        assert_eq!(failed["response"]["status"], 0);
        assert_eq!(failed["response"]["statusText"], "no response");
        assert_eq!(
            failed["response"]["content"],
            json!({ "size": 0, "mimeType": "x-unknown" })
        );
        assert_eq!(failed["comment"], "nobody listens");
        assert!(!text.contains("canary"), "{text}");
        assert!(!text.contains('\u{202e}'), "for a terminal it is escaped");
    }
}
