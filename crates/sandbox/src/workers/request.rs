//! Parses the body of a request to a worker, with a worker's response to an incomplete one.

use serde_json::{Map, Value as Json, json};

/// The load of a request whose payload does not give it.
const DEFAULT_LOAD: f64 = 100.0;
/// The maximum load of a request.
const MOST_LOAD: f64 = 1e9;

/// The members of `auth_data` that a worker requires.
const AUTH_DATA: [&str; 6] = ["cost", "endpoint", "reqnum", "request_idx", "signature", "url"];
/// The members of a payload that give its amount of work; the first one found counts.
const LOAD: [&str; 5] = [
    "max_tokens",
    "max_completion_tokens",
    "max_new_tokens",
    "num_predict",
    "steps",
];

/// A request with all members that a worker requires.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerRequest {
    /// The signed address; empty if it is not a text, which has no valid signature.
    pub url: String,
    /// The router's signature of the request, in base64.
    pub signature: String,
    /// The number assigned by the router for this worker; 0 if it is not a number.
    pub number: u64,
    /// The name of the endpoint, and the number of the request there, 0 if it is not a number.
    pub endpoint: String,
    pub request_idx: u64,
    /// Whether it belongs to a session.
    pub has_session: bool,
    /// The input of the model.
    pub payload: Map<String, Json>,
}

impl WorkerRequest {
    /// Parses a body; an error unless `auth_data` has all members and the payload is an object.
    ///
    /// # Errors
    /// The body of the response with status 422.
    pub fn read(body: &[u8]) -> Result<Self, Json> {
        let Ok(body) = serde_json::from_slice::<Json>(body) else {
            return Err(json!({ "error": "invalid JSON" }));
        };
        let mut errors = Map::new();
        let auth_data = body.get("auth_data");
        if let Some(why) = auth_data.map_or_else(|| Some(json!("field missing")), missing) {
            errors.insert("auth_data".to_owned(), why);
        }
        let payload = match body.get("payload") {
            Some(Json::Object(payload)) => payload.clone(),
            Some(_) => {
                errors.insert("payload".to_owned(), json!({ "data": "payload must be a dictionary" }));
                Map::new()
            }
            None => {
                errors.insert("payload".to_owned(), json!("field missing"));
                Map::new()
            }
        };
        if !errors.is_empty() {
            return Err(Json::Object(errors));
        }
        let text = |name: &str| {
            let text = auth_data.and_then(|members| members.get(name)?.as_str());
            text.unwrap_or_default().to_owned()
        };
        let number = |name: &str| {
            let number = auth_data.and_then(|members| members.get(name)?.as_u64());
            number.unwrap_or_default()
        };
        Ok(Self {
            url: text("url"),
            signature: text("signature"),
            number: number("reqnum"),
            endpoint: text("endpoint"),
            request_idx: number("request_idx"),
            has_session: body.get("session_id").is_some_and(|id| !id.is_null()),
            payload,
        })
    }

    /// The load in the payload, such as its maximum number of tokens; 100 if it gives none.
    ///
    /// `auth_data` is ignored: its cost is the client's own claim.
    pub fn load(&self) -> f64 {
        load(&self.payload).unwrap_or(DEFAULT_LOAD)
    }
}

/// The members that `auth_data` lacks, each with the worker's message; `None` if it has them all.
fn missing(auth_data: &Json) -> Option<Json> {
    let lacks = AUTH_DATA.iter().filter(|name| auth_data.get(name).is_none());
    let lacks: Map<_, _> = lacks
        .map(|name| ((*name).to_owned(), json!("missing parameter")))
        .collect();
    (!lacks.is_empty()).then_some(Json::Object(lacks))
}

/// The load in a payload, at most a billion: that of the payload itself, else of the first object in it, such
/// as `parameters`, that gives one which is not negative; `None` if none does.
fn load(payload: &Map<String, Json>) -> Option<f64> {
    let objects = payload.values().filter_map(Json::as_object);
    std::iter::once(payload).chain(objects).find_map(|members| {
        let value = LOAD.iter().find_map(|name| members.get(*name)?.as_f64())?;
        (value >= 0.0).then(|| value.min(MOST_LOAD))
    })
}
