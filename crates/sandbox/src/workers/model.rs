//! The model of a worker: generates words at the worker's speed.
//!
//! A path that ends in `completions` responds in the shapes of the `OpenAI` interface, any other in that of Ollama.
//! With `"stream": true` in the payload the former sends server-sent events, the latter one JSON object per line.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Response, StatusCode};
use futures_util::stream;
use serde_json::{Map, Value as Json, json};

use super::super::numbers::unsigned;
use super::queue::Place;

/// The maximum number of tokens of a reply.
const MOST_TOKENS: f64 = 32_768.0;

/// The words of the simulated model, which repeat; each with its space.
const WORDS: [&str; 12] = [
    "supply ", "meets ", "demand ", "where ", "the ", "spread ", "is ", "small ", "and ", "the ", "queue ", "short ",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Completions of the `OpenAI` interface.
    Completion,
    /// Chat completions of the `OpenAI` interface.
    Chat,
    /// Generations of Ollama.
    Generation,
}

/// A request to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    shape: Shape,
    model: String,
    /// The number of the request at the worker.
    number: u64,
    /// The time of the request, in seconds since 1970.
    created: u64,
    prompt_tokens: u64,
    tokens: u64,
    is_stream: bool,
    /// Whether a stream ends with the usage.
    has_usage: bool,
}

impl ModelRequest {
    /// Parses the payload of a request to `path`, which decides on the interface. `load` is the number of
    /// tokens to generate, rounded down, `number` that of the request, and `created` its time in seconds
    /// since 1970.
    ///
    /// # Errors
    /// The model's own response to a payload without its prompt or messages, or to more than 32,768 tokens.
    pub fn read(
        path: &str,
        payload: &Map<String, Json>,
        load: f64,
        number: u64,
        created: u64,
    ) -> Result<Self, Response<Body>> {
        let shape = match path.trim_end_matches('/') {
            path if path.ends_with("/chat/completions") => Shape::Chat,
            path if path.ends_with("/completions") => Shape::Completion,
            _ => Shape::Generation,
        };
        let prompt = match shape {
            Shape::Chat => Some("messages"),
            Shape::Completion => Some("prompt"),
            Shape::Generation => None,
        };
        if let Some(name) = prompt.filter(|name| !payload.contains_key(*name)) {
            return Err(invalid(name, &format!("Missing required parameter: '{name}'.")));
        }
        if load > MOST_TOKENS {
            let why = format!("This model's maximum context length is {MOST_TOKENS} tokens.");
            return Err(invalid("max_tokens", &why));
        }
        let flag = |members: Option<&Json>, name: &str| {
            let value = members.and_then(|members| members.get(name));
            value.and_then(Json::as_bool).unwrap_or(false)
        };
        Ok(Self {
            shape,
            model: payload
                .get("model")
                .and_then(Json::as_str)
                .unwrap_or("sandbox")
                .to_owned(),
            number,
            created,
            prompt_tokens: payload.values().map(words).sum(),
            tokens: unsigned(load),
            is_stream: payload.get("stream").and_then(Json::as_bool).unwrap_or(false),
            has_usage: flag(payload.get("stream_options"), "include_usage"),
        })
    }

    /// Generates the response, with the time of `token` per token, whole or as a stream; holds its place in
    /// the queue until the end.
    pub async fn answer(self, place: Place, token: Duration) -> Response<Body> {
        if self.is_stream {
            return self.stream(place, token);
        }
        // Multiplied as a float: the number of tokens may exceed what `Duration` multiplies.
        wait(token.mul_f64(self.tokens as f64)).await;
        drop(place);
        typed("application/json", Body::from(self.whole().to_string()))
    }

    /// Streams each token as soon as it is generated. The stream ends early if its client is gone.
    fn stream(self, place: Place, token: Duration) -> Response<Body> {
        let kind = match self.shape {
            Shape::Completion | Shape::Chat => "text/event-stream",
            Shape::Generation => "application/x-ndjson",
        };
        let pieces = stream::unfold((self, place, 0), move |(job, place, index)| async move {
            let piece = job.piece(index)?;
            if index < job.tokens {
                wait(token).await;
            }
            Some((Ok::<_, Infallible>(piece), (job, place, index + 1)))
        });
        typed(kind, Body::from_stream(pieces))
    }

    /// The response in one piece, with all tokens and the usage.
    fn whole(&self) -> Json {
        let text: String = (0..self.tokens).map(word).collect();
        match self.shape {
            Shape::Completion => self.choice("text_completion", json!({ "text": text }), true, true),
            Shape::Chat => {
                let message = json!({ "message": { "role": "assistant", "content": text } });
                self.choice("chat.completion", message, true, true)
            }
            Shape::Generation => self.generation(&text, true),
        }
    }

    /// The piece of a stream at an index: first one for each token, then those that end it; `None` after
    /// them.
    fn piece(&self, index: u64) -> Option<Bytes> {
        let is_token = index < self.tokens;
        let text = if is_token { word(index) } else { "" };
        let piece = match (self.shape, index.checked_sub(self.tokens)) {
            (Shape::Generation, None) => format!("{}\n", self.generation(text, false)),
            (Shape::Generation, Some(0)) => format!("{}\n", self.generation("", true)),
            (Shape::Generation, Some(_)) => return None,
            (shape @ (Shape::Completion | Shape::Chat), None | Some(0)) => {
                let (object, content) = match shape {
                    Shape::Chat => ("chat.completion.chunk", json!({ "delta": { "content": text } })),
                    _ => ("text_completion", json!({ "text": text })),
                };
                let has_usage = !is_token && self.has_usage;
                format!("data: {}\n\n", self.choice(object, content, !is_token, has_usage))
            }
            (Shape::Completion | Shape::Chat, Some(1)) => "data: [DONE]\n\n".to_owned(),
            (Shape::Completion | Shape::Chat, Some(_)) => return None,
        };
        Some(piece.into())
    }

    /// A response object of the `OpenAI` interface, with one choice. `object` is its type; the last one has
    /// the reason for the end, and the usage if `has_usage`.
    fn choice(&self, object: &str, mut choice: Json, is_last: bool, has_usage: bool) -> Json {
        choice["index"] = json!(0);
        choice["finish_reason"] = json!(is_last.then_some("length"));
        let mut answer = json!({
            "id": format!("cmpl-{}", self.number),
            "object": object,
            "created": self.created,
            "model": self.model,
            "choices": [choice],
        });
        if has_usage {
            answer["usage"] = json!({
                "prompt_tokens": self.prompt_tokens,
                "completion_tokens": self.tokens,
                "total_tokens": self.prompt_tokens + self.tokens,
            });
        }
        answer
    }

    /// A response object of Ollama with this text; the last one has the reason for the end and the usage.
    fn generation(&self, text: &str, is_last: bool) -> Json {
        let mut answer = json!({ "model": self.model, "response": text, "done": is_last });
        if is_last {
            answer["done_reason"] = json!("length");
            answer["prompt_eval_count"] = json!(self.prompt_tokens);
            answer["eval_count"] = json!(self.tokens);
        }
        answer
    }
}

/// The word generated as the token with an index; the words repeat.
fn word(index: u64) -> &'static str {
    WORDS[usize::try_from(index).unwrap_or(0) % WORDS.len()]
}

/// The number of words in all texts of a value, at any depth.
fn words(value: &Json) -> u64 {
    match value {
        Json::String(text) => text.split_whitespace().map(|_| 1).sum(),
        Json::Array(values) => values.iter().map(words).sum(),
        Json::Object(members) => members.values().map(words).sum(),
        Json::Null | Json::Bool(_) | Json::Number(_) => 0,
    }
}

/// Waits for `time`; not at all if it is zero, because the timer's shortest wait is a millisecond.
async fn wait(time: Duration) {
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
}

/// The 400 response of the `OpenAI` interface about the parameter `name`.
fn invalid(name: &str, why: &str) -> Response<Body> {
    let error = json!({ "message": why, "type": "invalid_request_error", "param": name, "code": null });
    let mut response = typed("application/json", Body::from(json!({ "error": error }).to_string()));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

/// A 200 response with this content type and body.
fn typed(kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
