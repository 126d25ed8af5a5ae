//! What the functions of faults work on.

use axum::body::Bytes;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Response, StatusCode};
use serde_json::{Map, Value as Json};

use super::super::call::Call;
use super::super::random::Rng;
use super::super::script::Script;
use super::FaultTimes;

/// A workergroup that a caller made, and how often workergroups were listed since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Created {
    pub id: u64,
    pub listings: u32,
}

/// A call that a fault strikes.
#[derive(Debug)]
pub struct Case<'a> {
    pub call: Call,
    pub request: &'a Parts,
    pub times: FaultTimes,
    /// The answer of the call; a blank one when nothing was done.
    pub reply: Response<Bytes>,
    /// Workergroups that callers made in this run, oldest first.
    pub created: &'a [Created],
    /// Draws the variant.
    pub rng: Rng,
}

/// What goes out.
#[derive(Debug)]
pub enum Sent {
    /// An answer over HTTP.
    Answer(Response<Bytes>),
    /// Bytes that no HTTP server sends.
    Script(Script),
}

impl<'a> Case<'a> {
    /// A case whose answer is still blank.
    pub fn new(call: Call, request: &'a Parts, times: FaultTimes, created: &'a [Created]) -> Self {
        Self {
            call,
            request,
            times,
            reply: json(StatusCode::OK, ""),
            created,
            rng: super::draw(0, super::Lane::Call(call), 0),
        }
    }

    pub fn host(&self) -> &str {
        let host = self.request.headers.get(HOST);
        host.and_then(|host| host.to_str().ok())
            .unwrap_or("localhost")
    }

    /// The text of the request's `Authorization` header.
    pub fn authorization(&self) -> String {
        let header = self.request.headers.get(AUTHORIZATION);
        header.map_or_else(String::new, |header| {
            String::from_utf8_lossy(header.as_bytes()).into_owned()
        })
    }

    /// One of several variants.
    pub fn pick<T: Copy>(&mut self, choices: &[T], default: T) -> T {
        let index = self.rng.index(choices.len());
        choices.get(index).copied().unwrap_or(default)
    }

    /// The same answer with another body.
    pub fn with_body(&self, body: impl Into<Bytes>) -> Sent {
        let (parts, _) = self.reply.clone().into_parts();
        Sent::Answer(Response::from_parts(parts, body.into()))
    }

    /// The same answer with its JSON changed; as it is when it holds none.
    pub fn with_json(&mut self, change: impl FnOnce(&mut Rng, &mut Map<String, Json>)) -> Sent {
        match serde_json::from_slice(self.reply.body()) {
            Ok(Json::Object(mut members)) => {
                change(&mut self.rng, &mut members);
                self.with_body(Json::Object(members).to_string())
            }
            _ => Sent::Answer(self.reply.clone()),
        }
    }

    /// The same with one record changed: a drawn one of a list, or the answer itself when it
    /// holds no list.
    pub fn with_record(&mut self, change: impl FnOnce(&mut Rng, &mut Map<String, Json>)) -> Sent {
        self.with_json(|rng, members| match records(members) {
            Some(rows) => {
                let drawn = rng.index(rows.len());
                if let Some(Json::Object(record)) = rows.get_mut(drawn) {
                    change(rng, record);
                }
            }
            None => change(rng, members),
        })
    }

    /// The same with a member that stands for raw text of the answer: a drawn record gets the
    /// member `name`, whose value is then replaced by `raw`.
    pub fn with_raw(&mut self, name: &str, raw: &[u8]) -> Sent {
        let sent = self.with_record(|_, record| {
            record.insert(name.to_owned(), Json::from(PLACE));
        });
        replace(sent, format!("\"{PLACE}\"").as_bytes(), raw)
    }
}

/// Marks a place in an answer that raw bytes take.
pub const PLACE: &str = "@@place@@";

/// The records of an answer that lists some.
pub fn records(members: &mut Map<String, Json>) -> Option<&mut Vec<Json>> {
    let name = ["offers", "results"]
        .into_iter()
        .find(|name| members.get(*name).is_some_and(Json::is_array))?;
    members.get_mut(name)?.as_array_mut()
}

/// An answer with every occurrence of `place` in its body replaced.
pub fn replace(sent: Sent, place: &[u8], raw: &[u8]) -> Sent {
    let Sent::Answer(response) = sent else {
        return sent;
    };
    let (parts, body) = response.into_parts();
    let mut out = Vec::with_capacity(body.len() + raw.len());
    let mut rest = &body[..];
    while let Some(at) = find(rest, place) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(raw);
        rest = &rest[at + place.len()..];
    }
    out.extend_from_slice(rest);
    Sent::Answer(Response::from_parts(parts, out.into()))
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

/// An answer with a JSON content type.
pub fn json(status: StatusCode, body: impl Into<Bytes>) -> Response<Bytes> {
    typed(status, "application/json", body)
}

pub fn typed(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<Bytes> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
