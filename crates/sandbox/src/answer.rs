//! Builds responses: JSON with the exact content type, and errors in the documented shapes.

use axum::body::{Body, Bytes};
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Response, StatusCode};
use serde_json::{Value as Json, json};

use super::numbers::whole;

/// The content type of all JSON responses.
///
/// The market's own client compares it byte by byte.
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A 200 response with a body of JSON bytes.
pub fn ok(body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// A 200 response with a certificate, PEM.
pub fn certificate(pem: String) -> Response<Body> {
    let mut response = Response::new(pem.into());
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/x-pem-file"));
    response
}

/// A 200 response with a JSON value.
pub fn value(value: &Json) -> Response<Body> {
    ok(value.to_string())
}

#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    status: StatusCode,
    error: &'static str,
    msg: String,
    detail: bool,
    retry_after: Option<f64>,
    allow: Option<String>,
}

impl Refusal {
    /// A refusal with this status, error code and message, without extra headers.
    fn new(status: StatusCode, error: &'static str, msg: impl Into<String>) -> Self {
        Self {
            status,
            error,
            msg: msg.into(),
            detail: false,
            retry_after: None,
            allow: None,
        }
    }

    /// The 400 error for a request that cannot be parsed.
    pub fn invalid(msg: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request", msg)
    }

    /// The 400 error for a body that is not JSON, or not an object.
    pub fn body() -> Self {
        Self::invalid("Invalid json body")
    }

    /// The 413 error for a body larger than any client sends.
    pub fn too_large() -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "invalid_request",
            "Request body too large",
        )
    }

    /// The 400 error for well-formed values that are not allowed.
    pub fn arguments(msg: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_args", msg)
    }

    /// The 401 error for a request without a key if `missing`, else with a wrong one.
    pub fn key(missing: bool) -> Self {
        let msg = if missing {
            "This action requires login."
        } else {
            "Invalid user key"
        };
        Self::new(StatusCode::UNAUTHORIZED, "auth_error", msg)
    }

    /// The 404 error for an unknown path.
    pub fn path() -> Self {
        Self::missing("No such path in the sandbox marketplace")
    }

    /// The 404 error for a named object that does not exist.
    pub fn missing(msg: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", msg)
    }

    /// The 405 error for a path that takes other methods, listed in `allow`.
    pub fn method(allow: String) -> Self {
        Self {
            allow: Some(allow),
            ..Self::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "Method not allowed",
            )
        }
    }

    /// The 403 error for a request to another host: it may come from a web page in a browser.
    pub fn host() -> Self {
        let msg = "The sandbox answers to loopback names only";
        Self::new(StatusCode::FORBIDDEN, "forbidden_host", msg)
    }

    /// The 500 error for a failure of the sandbox itself.
    pub fn failure(msg: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "server_error", msg)
    }

    /// The 429 error for requests faster than one in `threshold` seconds; `wait` seconds are left.
    ///
    /// `detail` selects the body that the specification has for unlisting.
    pub fn pace(threshold: f64, wait: f64, detail: bool) -> Self {
        let msg = format!("API requests too frequent endpoint threshold={threshold:.1}");
        Self {
            detail,
            retry_after: Some(wait),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", msg)
        }
    }

    /// The error as a response, for the HTTP server.
    pub fn response(&self) -> Response<Body> {
        self.bytes().map(Body::from)
    }

    /// The error as a response with a JSON body in memory: `success`, `error` and `msg`, or only `detail`.
    /// The seconds to wait go into `Retry-After`, rounded up and at least 1; the allowed methods into
    /// `Allow`.
    pub fn bytes(&self) -> Response<Bytes> {
        let body = if self.detail {
            json!({ "detail": self.msg })
        } else {
            json!({ "success": false, "error": self.error, "msg": self.msg })
        };
        let mut response = Response::new(Bytes::from(body.to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, JSON);
        if let Some(wait) = self.retry_after {
            let seconds = whole(wait.ceil()).max(1);
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(Ok(allow)) = self.allow.as_deref().map(HeaderValue::from_str) {
            headers.insert(ALLOW, allow);
        }
        response
    }
}
