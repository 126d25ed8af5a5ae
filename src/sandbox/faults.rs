//! Injected faults: named, seeded, the same in every run.
//!
//! A specification is a list such as `status_500:0.1,slow@offers`: a name, the share of the calls
//! affected (default all) and the operation (default all). Whether a call is affected depends on
//! the seed, the operation and the call's number among the calls of that operation, never on
//! timing. Faulty responses carry `x-sandbox-fault: NAME/NUMBER`.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Response, StatusCode};
use serde_json::{Value as Json, json};

use super::answer;
use super::call::Call;
use super::connection::Cut;
use super::random::{Purpose, Rng};

/// How long a slow response takes.
const SLOW: Duration = Duration::from_secs(3);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// A late but correct response.
    Slow,
    /// No response; nothing is done.
    Hang,
    /// 400 with the documented body; nothing is done.
    Status400,
    Status401,
    /// 429 with the documented `detail`; nothing is done.
    Status429,
    /// 429 in plain text; nothing is done.
    Status429Text,
    /// 500 with a single `error`; nothing is done.
    Status500,
    /// 502 with a page of HTML; nothing is done.
    Status502Html,
    /// 200 without a body; nothing is done.
    EmptyBody,
    /// 200 with invalid JSON; nothing is done.
    Garbage,
    /// 200 with `success` false; nothing is done.
    SuccessFalse,
    /// The connection breaks before anything is done.
    DropBeforeCommit,
    /// The connection breaks without a response, after the call was carried out.
    DropAfterCommit,
    /// The connection breaks in the middle of the response, after the call was carried out.
    CutBody,
    /// `offers` is one object, not a list.
    SingleObject,
    /// One row of `offers` is not a record.
    BadRow,
}

impl Fault {
    /// All faults with their names.
    pub const ALL: [(&'static str, Self); 16] = [
        ("slow", Self::Slow),
        ("hang", Self::Hang),
        ("status_400", Self::Status400),
        ("status_401", Self::Status401),
        ("status_429", Self::Status429),
        ("status_429_text", Self::Status429Text),
        ("status_500", Self::Status500),
        ("status_502_html", Self::Status502Html),
        ("empty_body", Self::EmptyBody),
        ("garbage", Self::Garbage),
        ("success_false", Self::SuccessFalse),
        ("drop_before_commit", Self::DropBeforeCommit),
        ("drop_after_commit", Self::DropAfterCommit),
        ("cut_body", Self::CutBody),
        ("single_object", Self::SingleObject),
        ("bad_row", Self::BadRow),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, known)| *known == self)
            .map_or("", |(name, _)| name)
    }
}

/// Which faults occur, where and how often.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FaultSpec(Vec<Rule>);

#[derive(Debug, Clone, Copy, PartialEq)]
struct Rule {
    fault: Fault,
    probability: f64,
    call: Option<Call>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FaultSpecError(String);

impl FromStr for FaultSpec {
    type Err = FaultSpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rules = text
            .split(',')
            .map(str::trim)
            .filter(|rule| !rule.is_empty());
        rules
            .map(Rule::from_str)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl FromStr for Rule {
    type Err = FaultSpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (rest, call) = match text.split_once('@') {
            Some((rest, name)) => (rest, Some(call_named(name)?)),
            None => (text, None),
        };
        let (name, probability) = match rest.split_once(':') {
            Some((name, share)) => (name, probability(share)?),
            None => (rest, 1.0),
        };
        let fault = Fault::ALL.iter().find(|(known, _)| *known == name);
        let (_, fault) = fault.ok_or_else(|| {
            let known: Vec<_> = Fault::ALL.iter().map(|(known, _)| *known).collect();
            FaultSpecError(format!(
                "'{name}' is not a fault: choose {}",
                known.join(", ")
            ))
        })?;
        Ok(Self {
            fault: *fault,
            probability,
            call,
        })
    }
}

/// The names of the operations that a fault can affect.
pub fn operations() -> impl Iterator<Item = &'static str> {
    Call::ALL.into_iter().map(Call::name)
}

fn call_named(name: &str) -> Result<Call, FaultSpecError> {
    Call::ALL
        .into_iter()
        .find(|call| call.name() == name)
        .ok_or_else(|| {
            let known = Call::ALL.map(Call::name).join(", ");
            FaultSpecError(format!("'{name}' is not an operation: choose {known}"))
        })
}

fn probability(text: &str) -> Result<f64, FaultSpecError> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| FaultSpecError(format!("'{text}' is not a share from 0 to 1")))
}

/// A fault that affects a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strike {
    fault: Fault,
    number: u64,
}

impl fmt::Display for Strike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.fault.name(), self.number)
    }
}

/// Decides which calls are affected.
#[derive(Debug)]
pub struct Faults {
    seed: u64,
    rules: Vec<Rule>,
    numbers: Mutex<HashMap<Call, u64>>,
}

impl Faults {
    /// The faults of a specification.
    pub fn new(seed: u64, spec: FaultSpec) -> Self {
        Self {
            seed,
            rules: spec.0,
            numbers: Mutex::default(),
        }
    }

    /// The fault for the next call of an operation; the first matching rule wins.
    pub fn next(&self, call: Call) -> Option<Strike> {
        if self.rules.is_empty() {
            return None;
        }
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let number = numbers.entry(call).or_default();
        *number += 1;
        let number = *number;
        drop(numbers);
        let rng = &mut Rng::keyed(self.seed, Purpose::Fault, (call as u64) << 48 | number);
        let mut strikes = |rule: &&Rule| {
            let struck = rng.chance(rule.probability);
            struck && rule.call.is_none_or(|only| only == call)
        };
        let rule = self.rules.iter().find(|rule| strikes(rule))?;
        Some(Strike {
            fault: rule.fault,
            number,
        })
    }
}

impl Strike {
    /// The response that replaces the call, if the fault has one.
    pub async fn instead(self, cut: &Cut) -> Option<Response<Body>> {
        let plain = |status, kind: &'static str, text: &'static str| {
            let mut response = answer::with(status, text);
            response
                .headers_mut()
                .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
            response
        };
        let json = |status, value: Json| answer::with(status, value.to_string());
        let response = match self.fault {
            Fault::Slow => {
                tokio::time::sleep(SLOW).await;
                return None;
            }
            Fault::Hang => std::future::pending().await,
            Fault::DropBeforeCommit => {
                cut.after(0);
                answer::ok("")
            }
            Fault::Status400 => answer::Refusal::invalid("Invalid json body").response(),
            Fault::Status401 => answer::Refusal::key(false).response(),
            Fault::Status429 => answer::Refusal::pace(5.0, 5.0, true).response(),
            Fault::Status429Text => plain(
                StatusCode::TOO_MANY_REQUESTS,
                "text/plain",
                "API requests too frequent: endpoint threshold=2.0",
            ),
            Fault::Status500 => json(
                StatusCode::INTERNAL_SERVER_ERROR,
                json!({ "error": "the sandbox was told to fail" }),
            ),
            Fault::Status502Html => plain(
                StatusCode::BAD_GATEWAY,
                "text/html",
                "<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>",
            ),
            Fault::EmptyBody => answer::ok(""),
            Fault::Garbage => answer::ok(&b"\x00\xff{\"offers\": [\xc3\x28 nonsense"[..]),
            Fault::SuccessFalse => json(
                StatusCode::OK,
                json!({ "success": false, "error": "sandbox_fault", "msg": "the sandbox was told to fail" }),
            ),
            Fault::DropAfterCommit | Fault::CutBody | Fault::SingleObject | Fault::BadRow => {
                return None;
            }
        };
        Some(self.mark(response))
    }

    /// The response after a call that was carried out.
    pub async fn after(self, response: Response<Body>, cut: &Cut) -> Response<Body> {
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
        let body = match self.fault {
            Fault::DropAfterCommit => {
                cut.after(0);
                body
            }
            Fault::CutBody => {
                cut.after(body.len() / 2);
                body
            }
            Fault::SingleObject => {
                reshape(&body, |rows| rows.into_iter().next().unwrap_or_default())
            }
            Fault::BadRow => reshape(&body, |mut rows| {
                rows.insert(rows.len().min(1), json!("this row is no record"));
                Json::Array(rows)
            }),
            _ => body,
        };
        self.mark(Response::from_parts(parts, Body::from(body)))
    }

    fn mark(self, mut response: Response<Body>) -> Response<Body> {
        if let Ok(value) = HeaderValue::from_str(&self.to_string()) {
            response.headers_mut().insert("x-sandbox-fault", value);
        }
        response
    }
}

/// Changes the `offers` of a response; a response without them is returned unchanged.
fn reshape(body: &Bytes, change: impl FnOnce(Vec<Json>) -> Json) -> Bytes {
    let Ok(Json::Object(mut object)) = serde_json::from_slice(body) else {
        return body.clone();
    };
    if let Some(Json::Array(rows)) = object.remove("offers") {
        object.insert("offers".to_owned(), change(rows));
    }
    Json::Object(object).to_string().into()
}
