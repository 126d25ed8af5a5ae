//! Faults of the status: errors, rate limits, redirects and web pages.

use axum::http::header::{LOCATION, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use serde_json::json;

use super::super::answer::Refusal;
use super::context::{FaultContext, FaultOutput, json as json_answer, typed};

/// A simulated fault that responds as the market does to a refused request.
fn refused(refusal: &Refusal) -> FaultOutput {
    FaultOutput::Response(refusal.bytes())
}

/// A simulated fault that responds with JSON whose `success` is false, with an error code and a message.
fn failed(status: StatusCode, code: &str, msg: &str) -> FaultOutput {
    let body = json!({ "success": false, "error": code, "msg": msg });
    FaultOutput::Response(json_answer(status, body.to_string()))
}

/// Simulates a fault of the market: redirects with a random status (301, 302, 303, 307 or 308) to the same
/// host, another port or another host.
pub fn redirect(cx: &mut FaultContext<'_>) -> FaultOutput {
    let status = cx.pick(
        &[
            StatusCode::MOVED_PERMANENTLY,
            StatusCode::FOUND,
            StatusCode::SEE_OTHER,
            StatusCode::TEMPORARY_REDIRECT,
            StatusCode::PERMANENT_REDIRECT,
        ],
        StatusCode::FOUND,
    );
    let same = format!("http://{}{}", cx.host(), cx.request.uri.path());
    let targets = [same.as_str(), "http://127.0.0.1:9/", "http://elsewhere.invalid/"];
    let target = cx.pick(&targets, "/");
    let mut response = json_answer(status, "{}");
    if let Ok(target) = HeaderValue::from_str(target) {
        response.headers_mut().insert(LOCATION, target);
    }
    FaultOutput::Response(response)
}

/// Simulates a fault of the market: responds with 400, as to a body that is not JSON.
pub fn invalid(_: &mut FaultContext<'_>) -> FaultOutput {
    refused(&Refusal::body())
}

/// Simulates a fault of the market: responds with 401, as to a wrong API key, whatever the key was.
pub fn unauthorized(_: &mut FaultContext<'_>) -> FaultOutput {
    refused(&Refusal::key(false))
}

/// Simulates a fault of the market: responds with 429 and the documented `detail`, and a `Retry-After` of 5
/// seconds.
pub fn too_many(_: &mut FaultContext<'_>) -> FaultOutput {
    refused(&Refusal::pace(5.0, 5.0, true))
}

/// Simulates a fault of the market: responds with 429 and a random `Retry-After`: seconds, a date, a past
/// date, a billion seconds or a word.
pub fn retry_after(cx: &mut FaultContext<'_>) -> FaultOutput {
    let wait = cx.pick(
        &[
            "3",
            "Wed, 21 Oct 2065 07:28:00 GMT",
            "Wed, 21 Oct 2015 07:28:00 GMT",
            "1000000000",
            "soon",
        ],
        "3",
    );
    let mut response = json_answer(
        StatusCode::TOO_MANY_REQUESTS,
        json!({ "detail": "API requests too frequent" }).to_string(),
    );
    response
        .headers_mut()
        .insert(RETRY_AFTER, HeaderValue::from_static(wait));
    FaultOutput::Response(response)
}

/// Simulates a fault of the market: responds with 500 and a JSON `error`.
pub fn server_error(_: &mut FaultContext<'_>) -> FaultOutput {
    FaultOutput::Response(json_answer(
        StatusCode::INTERNAL_SERVER_ERROR,
        json!({ "error": "the sandbox was told to fail" }).to_string(),
    ))
}

/// Simulates a fault of the market: responds with 502 and a web page.
pub fn bad_gateway(_: &mut FaultContext<'_>) -> FaultOutput {
    FaultOutput::Response(typed(
        StatusCode::BAD_GATEWAY,
        "text/html",
        "<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>",
    ))
}

/// Simulates a fault of the market: responds with 504 and plain text.
pub fn gateway_timeout(_: &mut FaultContext<'_>) -> FaultOutput {
    FaultOutput::Response(typed(
        StatusCode::GATEWAY_TIMEOUT,
        "text/plain",
        "upstream request timeout",
    ))
}

/// Simulates a login portal in front of the market: responds with status 200 and its web page.
pub fn captive_portal(_: &mut FaultContext<'_>) -> FaultOutput {
    FaultOutput::Response(typed(
        StatusCode::OK,
        "text/html",
        "<!doctype html><html><head><title>Hotel Wi-Fi</title></head><body>Log in</body></html>",
    ))
}

/// Simulates a fault of the market: responds with status 400 and an error message that contains the API key
/// of the request.
pub fn echo(cx: &mut FaultContext<'_>) -> FaultOutput {
    let msg = format!("cannot read the header Authorization: {}", cx.authorization());
    failed(StatusCode::BAD_REQUEST, "invalid_request", &msg)
}

/// Simulates a fault of the market: responds with status 200 and JSON whose `success` is false.
pub fn success_false(_: &mut FaultContext<'_>) -> FaultOutput {
    failed(StatusCode::OK, "sandbox_fault", "the sandbox was told to fail")
}
