//! The input and output of the functions of faults.

use axum::body::Bytes;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Response, StatusCode};
use serde_json::{Map, Value as Json};

use super::super::random::Rng;
use super::super::script::Script;
use super::FaultDelays;

/// A workergroup created in this run, and the number of listings since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Created {
    /// The id of the workergroup.
    pub id: u64,
    /// The number of times workergroups were listed since its creation.
    pub listings: u32,
}

/// The affected call, as the input of a fault's function.
#[derive(Debug)]
pub struct FaultContext<'a> {
    /// The head of the request.
    pub request: &'a Parts,
    /// The delays of faults.
    pub times: FaultDelays,
    /// The response of the call; empty if the call was not performed.
    pub reply: Response<Bytes>,
    /// Workergroups created in this run, oldest first.
    pub created: &'a [Created],
    /// The generator for the variant.
    pub rng: Rng,
}

/// The output of a fault in place of the response.
#[derive(Debug)]
pub enum FaultOutput {
    /// A normal response.
    Response(Response<Bytes>),
    /// A response that ends in the middle, together with the connection.
    Cut(Response<Bytes>),
    /// Bytes that the HTTP server cannot send.
    Script(Script),
}

impl FaultContext<'_> {
    /// The host of the request with its port, as in its `Host` header; `localhost` if it has none.
    pub fn host(&self) -> &str {
        let host = self.request.headers.get(HOST);
        host.and_then(|host| host.to_str().ok()).unwrap_or("localhost")
    }

    /// The text of the request's `Authorization` header, with its key; empty if it has none.
    pub fn authorization(&self) -> String {
        let header = self.request.headers.get(AUTHORIZATION);
        header.map_or_else(String::new, |header| {
            String::from_utf8_lossy(header.as_bytes()).into_owned()
        })
    }

    /// Draws one of several variants, each with the same probability; `default` if there are none.
    pub fn pick<T: Copy>(&mut self, choices: &[T], default: T) -> T {
        let index = self.rng.index(choices.len());
        choices.get(index).copied().unwrap_or(default)
    }

    /// The response with this body; status and headers stay.
    fn with_body(&self, body: impl Into<Bytes>) -> FaultOutput {
        let (parts, _) = self.reply.clone().into_parts();
        FaultOutput::Response(Response::from_parts(parts, body.into()))
    }

    /// The response with the members of its JSON object changed by `change`; unchanged if it is not a JSON
    /// object.
    pub fn with_json(&mut self, change: impl FnOnce(&mut Rng, &mut Map<String, Json>)) -> FaultOutput {
        match serde_json::from_slice(self.reply.body()) {
            Ok(Json::Object(mut members)) => {
                change(&mut self.rng, &mut members);
                self.with_body(Json::Object(members).to_string())
            }
            _ => FaultOutput::Response(self.reply.clone()),
        }
    }

    /// The response with one record changed by `change`: a random one of its list, or the whole object if it
    /// has no list. Unchanged if the list is empty, or the record or the response is not a JSON object.
    pub fn with_record(&mut self, change: impl FnOnce(&mut Rng, &mut Map<String, Json>)) -> FaultOutput {
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
}

/// The records in a response's list of offers or results; `None` if it has no such list.
pub fn records(members: &mut Map<String, Json>) -> Option<&mut Vec<Json>> {
    let name = ["offers", "results"]
        .into_iter()
        .find(|name| members.get(*name).is_some_and(Json::is_array))?;
    members.get_mut(name)?.as_array_mut()
}

/// A JSON response with this status and body.
pub fn json(status: StatusCode, body: impl Into<Bytes>) -> Response<Bytes> {
    typed(status, "application/json", body)
}

/// A response with this status, body and content type.
pub fn typed(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<Bytes> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
