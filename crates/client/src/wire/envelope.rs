//! Reads the members of a response one by one: a hostile response never becomes a tree in memory.

use bourse_domain::Untrusted;
use bourse_domain::json_split::{self, Envelope, SplitError};
use serde_json::value::RawValue;

/// The members of one JSON object and the text that contains them.
pub(super) struct Members<'a> {
    text: &'a str,
    members: &'a [(String, std::ops::Range<usize>)],
}

/// Splits the text of an object that has no list of records into its members; an error if it is not a whole
/// object.
pub(super) fn split(text: &str) -> Result<Envelope, SplitError> {
    json_split::split_records(text, "")
}

impl<'a> Members<'a> {
    /// The members of an object that was split into `envelope`; `text` is the whole object.
    pub(super) fn new(text: &'a str, envelope: &'a Envelope) -> Self {
        Self {
            text,
            members: &envelope.members,
        }
    }

    /// The JSON text of a member; `None` if it is absent or null.
    ///
    /// The last of repeated ones is used, as in other JSON parsers.
    fn raw(&self, name: &str) -> Option<&'a str> {
        self.members
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map(|(_, range)| &self.text[range.clone()])
            .filter(|raw| *raw != "null")
    }

    /// Whether the member is present and not null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }

    /// A boolean, also as 0, 1 or the text `true` or `false`; `None` if the member is none of these.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        match self.raw(name)? {
            "true" | "1" | "\"true\"" => Some(true),
            "false" | "0" | "\"false\"" => Some(false),
            _ => None,
        }
    }

    /// The decoded text of a string member; `None` if the member is absent, null or of another type.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.raw(name)?).ok()
    }

    /// The decoded text of a string member, as untrusted text; `None` if the member is not a text.
    pub(super) fn untrusted(&self, name: &str) -> Option<Untrusted> {
        self.text(name).map(Untrusted::from)
    }

    /// The first 400 characters of a member as text: a text without blanks around it, any other value as its
    /// JSON. `None` if it is absent, null or blank.
    pub(super) fn words(&self, name: &str) -> Option<Untrusted> {
        let raw = self.raw(name)?;
        let decoded = serde_json::from_str::<String>(raw).unwrap_or_else(|_| raw.to_owned());
        let text = decoded.trim();
        (!text.is_empty()).then(|| Untrusted::from(bounded(text)))
    }

    /// A finite number, also as text; `None` if the member is not one.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        let raw = self.raw(name)?;
        let number: f64 = match serde_json::from_str::<String>(raw) {
            Ok(text) => text.trim().parse().ok()?,
            Err(_) => raw.parse().ok()?,
        };
        number.is_finite().then_some(number)
    }

    /// A whole number, also as `5.0` or text; `None` if the member is not one.
    pub(super) fn integer(&self, name: &str) -> Option<i64> {
        let raw = self.raw(name)?;
        let text = serde_json::from_str::<String>(raw).unwrap_or_else(|_| raw.to_owned());
        text.trim().parse().ok().or_else(|| {
            let number = self.number(name)?;
            #[expect(clippy::cast_possible_truncation)] // whole and in the exact range
            (number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0).then_some(number as i64)
        })
    }

    /// Whether every member is valid JSON throughout, not only correctly bracketed.
    pub(super) fn are_sound(&self) -> bool {
        self.members
            .iter()
            .all(|(_, range)| serde_json::from_str::<&RawValue>(&self.text[range.clone()]).is_ok())
    }
}

/// The first 400 characters of a server's message.
pub(super) fn bounded(text: &str) -> String {
    text.chars().take(crate::error::WORDS_KEPT).collect()
}
