//! Members of a record as the JSON that they came as.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::raw_cell::Name;
use crate::domain::json_split;

/// The JSON of a member of a record; the last one of a repeated name.
pub(super) fn member<'j>(json: &'j str, name: &str) -> Option<&'j str> {
    struct Wanted<'n>(&'n str);
    impl<'de> Visitor<'de> for Wanted<'_> {
        type Value = Option<&'de str>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a record")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut matched = None;
            while let Some(Name(name)) = map.next_key()? {
                if name == self.0 {
                    matched = Some(map.next_value::<&RawValue>()?.get());
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(matched)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(json);
    deserializer.deserialize_map(Wanted(name)).unwrap_or_else(|_| {
        let members = json_split::members(json).ok()?;
        let member = members.into_iter().rfind(|(known, _)| known == name)?;
        Some(&json[member.1])
    })
}

/// The first `most` members of a record that are not among `known`, and how many more there are;
/// none of a record that cannot be read.
pub(super) fn other_members<'j>(json: &'j str, known: &HashSet<&str>, most: usize) -> (Vec<(String, &'j str)>, usize) {
    let visitor = Others { known, most };
    let mut deserializer = serde_json::Deserializer::from_str(json);
    deserializer.deserialize_map(visitor).unwrap_or_else(|_| {
        let members = json_split::members(json).unwrap_or_default();
        let is_unknown = |(name, _): &(String, Range<usize>)| !known.contains(name.as_str());
        let mut unknown: Vec<_> = members.into_iter().filter(is_unknown).collect();
        let more = unknown.len().saturating_sub(most);
        unknown.truncate(most);
        let json = unknown.into_iter().map(|(name, value)| (name, &json[value]));
        (json.collect(), more)
    })
}

struct Others<'k> {
    known: &'k HashSet<&'k str>,
    most: usize,
}

impl<'de> Visitor<'de> for Others<'_> {
    type Value = (Vec<(String, &'de str)>, usize);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut unknown, mut more) = (Vec::new(), 0);
        while let Some(Name(name)) = map.next_key()? {
            if self.known.contains(name.as_ref()) {
                map.next_value::<IgnoredAny>()?;
            } else if unknown.len() < self.most {
                let value: &RawValue = map.next_value()?;
                unknown.push((name.into_owned(), value.get()));
            } else {
                map.next_value::<IgnoredAny>()?;
                more += 1;
            }
        }
        Ok((unknown, more))
    }
}
