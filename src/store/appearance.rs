//! What the configuration says about looks and keys, with the lines where it says so.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use toml::Spanned;

/// The colours of the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// As the terminal's background suggests.
    #[default]
    Auto,
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// White on black.
    HighContrast,
    /// The terminal's own sixteen colours.
    Ansi,
    /// No colours.
    Plain,
}

impl Theme {
    /// All themes, by name.
    pub const ALL: [(&'static str, Self); 6] = [
        ("auto", Self::Auto),
        ("dark", Self::Dark),
        ("light", Self::Light),
        ("high-contrast", Self::HighContrast),
        ("ansi", Self::Ansi),
        ("none", Self::Plain),
    ];
}

/// A name of the file, what stands behind it, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<T> {
    /// The name.
    pub name: String,
    /// What stands behind it.
    pub value: T,
    /// The line of the value, from 1.
    pub line: usize,
}

/// `theme` of the file: a name, or a table with a name and colours.
#[derive(Default)]
pub(super) struct FileTheme {
    pub name: Option<Spanned<String>>,
    pub colors: BTreeMap<String, Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ThemeTable {
    name: Option<Spanned<String>>,
    #[serde(default)]
    colors: BTreeMap<String, Spanned<String>>,
}

/// Keys of the file: one key, or several.
pub(super) struct FileKeys(pub Vec<String>);

impl<'de> Deserialize<'de> for FileKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = FileKeys;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key such as \"R\" or a list such as [\"R\", \"f5\"]")
            }
            fn visit_str<E>(self, text: &str) -> Result<FileKeys, E> {
                Ok(FileKeys(vec![text.to_owned()]))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut list: A,
            ) -> Result<FileKeys, A::Error> {
                let mut keys = Vec::new();
                while let Some(key) = list.next_element()? {
                    keys.push(key);
                }
                Ok(FileKeys(keys))
            }
        }
        deserializer.deserialize_any(Keys)
    }
}

/// A string cannot carry its own place through a visitor, so `theme = "…"` is read with the place
/// of the whole value by [`super::config`].
pub(super) enum ThemeValue {
    Name(String),
    Table(FileTheme),
}

impl<'de> Deserialize<'de> for ThemeValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Value;
        impl<'de> Visitor<'de> for Value {
            type Value = ThemeValue;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a theme's name, or a table with `name` and `colors`")
            }
            fn visit_str<E>(self, text: &str) -> Result<ThemeValue, E> {
                Ok(ThemeValue::Name(text.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ThemeValue, A::Error> {
                let table = ThemeTable::deserialize(MapAccessDeserializer::new(map))?;
                Ok(ThemeValue::Table(FileTheme {
                    name: table.name,
                    colors: table.colors,
                }))
            }
        }
        deserializer.deserialize_any(Value)
    }
}
