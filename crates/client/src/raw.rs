//! A search with a hand-written body, sent unchanged in any dialect.

use bourse_domain::Resource;
use serde_json::Value as Json;

use super::Operation;
use super::wire::{OFFERS_PATH, VOLUMES_PATH};

/// A search of offers or network volumes with a hand-written body.
///
/// No other operation can have one: a write must never be sent from an editor.
#[derive(Clone, PartialEq)]
pub struct RawSearch {
    resource: Resource,
    body: Json,
}

/// The reason a text cannot be the body of a search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// Invalid JSON, with the position, from 1, and the cause.
    #[error("line {line}, column {column}: {why}")]
    Broken {
        /// The line of the mistake, from 1.
        line: usize,
        /// The column, in bytes as the parser counts them.
        column: usize,
        /// The parser's message, without its position.
        why: String,
    },
    /// Valid JSON, but not an object.
    #[error("a search body is a JSON object: start with {{ and end with }}")]
    NoObject,
    /// The operation is not a search.
    #[error("only searches of offers and volumes can be edited and sent")]
    NoSearch,
}

impl RawSearch {
    /// Parses a body for one of the two searches; it must be a JSON object.
    ///
    /// # Errors
    /// If the operation is not a search, or the text is not a JSON object.
    pub fn new(operation: Operation, body: &str) -> Result<Self, BodyError> {
        let resource = resource_of(operation).ok_or(BodyError::NoSearch)?;
        let body: Json = serde_json::from_str(body).map_err(|error| broken(&error))?;
        if !body.is_object() {
            return Err(BodyError::NoObject);
        }
        Ok(Self { resource, body })
    }

    /// The resource that it searches.
    pub const fn resource(&self) -> Resource {
        self.resource
    }

    /// The body as it is sent.
    pub const fn body(&self) -> &Json {
        &self.body
    }

    /// The `limit` in the body or in its member `q`; `None` if it has none that is a whole number.
    pub fn limit(&self) -> Option<u64> {
        let limit = |body: &Json| body.get("limit").and_then(Json::as_u64);
        limit(&self.body).or_else(|| self.body.get("q").and_then(limit))
    }

    /// The search operation of its resource: of offers, or of network volumes.
    pub(super) const fn operation(&self) -> Operation {
        match self.resource {
            Resource::Volumes => Operation::SearchVolumes,
            Resource::Offers | Resource::Workergroups => Operation::SearchOffers,
        }
    }

    /// The path of the search at the management API.
    pub(super) const fn path(&self) -> &'static str {
        match self.resource {
            Resource::Volumes => VOLUMES_PATH,
            Resource::Offers | Resource::Workergroups => OFFERS_PATH,
        }
    }
}

/// Omits the body, which may contain anything that was typed.
impl std::fmt::Debug for RawSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RawSearch")
            .field("resource", &self.resource)
            .finish_non_exhaustive()
    }
}

/// The resource of a search operation; `None` for the other operations.
const fn resource_of(operation: Operation) -> Option<Resource> {
    match operation {
        Operation::SearchOffers => Some(Resource::Offers),
        Operation::SearchVolumes => Some(Resource::Volumes),
        Operation::UnlistVolume | Operation::ListWorkergroups | Operation::CreateWorkergroup | Operation::Route => None,
    }
}

/// The error for invalid JSON, with the parser's position and its message without it.
fn broken(error: &serde_json::Error) -> BodyError {
    let text = error.to_string();
    let why = text.rfind(" at line ").map_or(text.as_str(), |end| &text[..end]);
    BodyError::Broken {
        line: error.line().max(1),
        column: error.column().max(1),
        why: why.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_searches_take_a_body_of_one_s_own() {
        for operation in Operation::ALL {
            let is_search = matches!(operation, Operation::SearchOffers | Operation::SearchVolumes);
            let made = RawSearch::new(operation, "{}");
            assert_eq!(made.is_ok(), is_search, "{operation:?}");
        }
    }

    #[test]
    fn a_mistake_is_named_with_its_place() {
        let error = RawSearch::new(Operation::SearchOffers, "{\n  \"limit\": ,\n}").unwrap_err();
        assert_eq!(error.to_string(), "line 2, column 12: expected value");
        for text in ["[]", "3", "\"x\"", "null"] {
            let error = RawSearch::new(Operation::SearchOffers, text).unwrap_err();
            assert_eq!(error, BodyError::NoObject, "{text}");
        }
    }

    #[test]
    fn the_limit_is_found_flat_and_wrapped() {
        let limit = |body| RawSearch::new(Operation::SearchVolumes, body).unwrap().limit();
        assert_eq!(limit(r#"{"limit":7}"#), Some(7));
        assert_eq!(limit(r#"{"q":{"limit":9}}"#), Some(9));
        assert_eq!(limit(r#"{"q":{"limit":"9"}}"#), None);
    }
}
