//! The configuration: parsed, and edited by the program.

use std::path::Path;

use bourse::domain::Dialect;
use bourse::domain::text::message;
use bourse::settings::profiles::{KeyStorage, add};
use bourse::settings::{Config, Profile};

use crate::hostile::forbidden;

const TOKENS: &[&str] = &[
    "[profiles.a]\n",
    "[[keys]]\n",
    "base_url = ",
    "\"https://h.example\"",
    "api_key_command = ",
    "api_key = \"k\"\n",
    "default_profile = ",
    "theme = ",
    "[theme]\n",
    "keys = ",
    "mouse = ",
    "true",
    "\"\"\"",
    "inf",
    "1979-05-27",
    "a.b.c = 1\n",
];

fn new() -> Profile {
    Profile {
        name: "added".to_owned(),
        base_url: Some("https://added.example".to_owned()),
        dialect: &Dialect::VAST,
        read_only: true,
        ..Profile::custom("https://added.example")
    }
}

/// Adds a profile to the file: nothing else changes, or nothing at all.
fn edited(text: &str, before: &Config) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, text).unwrap();
    if add(&path, new(), &KeyStorage::File("keys/added".to_owned())).is_err() {
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        return;
    }
    let after = Config::load(&path).unwrap();
    let relative = Config::parse(text, &path).unwrap();
    assert!(after.has_same_preferences(&relative));
    for name in before.profile_names() {
        assert_eq!(after.profile(name), relative.profile(name));
    }
    let added = after.profile("added").unwrap();
    assert_eq!(added.base_url.as_deref(), Some("https://added.example"));
}

pub const TARGET: super::Target = super::Target {
    name: "config",
    tokens: TOKENS,
    judge: target,
};

fn target(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    match Config::parse(&text, Path::new("/config.toml")) {
        Ok(config) => {
            assert_eq!(config, Config::parse(&text, Path::new("/config.toml")).unwrap());
            for name in config.profile_names() {
                assert!(config.profile(name).is_some());
            }
            edited(&text, &config);
        }
        Err(error) => {
            let shown = message(&error.to_string());
            assert!(!shown.is_empty());
            assert_eq!(forbidden(&shown), None, "{shown:?}");
        }
    }
}

#[test]
fn configurations_parse_or_name_their_mistake_and_edits_keep_the_rest() {
    super::run(&TARGET);
}

#[test]
fn a_configuration_cut_or_flipped_at_any_byte_is_edited_soundly_or_left_alone() {
    let whole = std::fs::read(super::folder("config").join("profile")).unwrap();
    for place in 0..whole.len() {
        target(&whole[..place]);
        let mut flipped = whole.clone();
        flipped[place] ^= 0x15;
        target(&flipped);
    }
}
