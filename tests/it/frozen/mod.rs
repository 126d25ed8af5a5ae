//! Frozen key scripts: what today's dashboard shows, does and sends, key by key.
//!
//! A script in `scripts/` is a list of keys and of what the market replies; its record in `golden/` holds
//! the screens at two sizes with their styles, the effects in order, and the bytes of every request. A
//! change that is not meant to be seen leaves every record as it is.
//!
//! `BOURSE_WRITE_FROZEN=1 cargo test --test it frozen` writes the records again. Before committing them,
//! read the difference: each line of it is something that a person will notice.
//!
//! To add a script: a file in `scripts/`, its name in the list below, and a first record as above. What
//! its lines can be is in `script.rs`, what can be `given` in `given.rs`.

mod desk;
mod effects;
mod given;
mod golden;
mod market;
mod rooms;
mod script;

use std::path::PathBuf;

use golden::SIZES;
use script::Script;

/// A test a script.
macro_rules! scripts {
    ($($name:ident,)*) => {
        const NAMES: &[&str] = &[$(stringify!($name),)*];
        $(#[test] fn $name() { check(stringify!($name)); })*
    };
}

scripts! {
    alerts,
    annotations,
    auto_refresh,
    bad_record,
    body_editor,
    clone_group,
    cluster,
    columns,
    compare,
    copy,
    create_done,
    create_refused,
    create_unknown,
    create_unsettled,
    cut_body,
    depth,
    details,
    empty,
    export,
    filter,
    from_search,
    funnel,
    group_changes,
    groups,
    help,
    history,
    ignored_condition,
    job,
    limited,
    machine_and_host,
    market,
    market_added,
    markets,
    mouse,
    notices,
    offer_type,
    outside,
    own_keys,
    palette,
    plain_words,
    plot,
    preflight,
    preview,
    price_models,
    query_mistake,
    query_recall,
    quit,
    quit_pending,
    read_only,
    refused_key,
    requests,
    route_compare,
    route_failures,
    route_series,
    route_single,
    saved_searches,
    server_error,
    settings,
    slow,
    sort,
    start,
    stopped,
    supply,
    tape,
    themes,
    too_small,
    unlist_done,
    unlist_limited,
    unlist_refused,
    unlist_unknown,
    vast,
    verdict,
    volumes,
    welcome,
}

fn folder(name: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.join("tests/it/frozen").join(name)
}

fn path(within: &str, name: &str, extension: &str) -> PathBuf {
    folder(within).join(format!("{name}.{extension}"))
}

fn file(within: &str, name: &str, extension: &str) -> String {
    let path = path(within, name, extension);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn played(name: &'static str) -> String {
    let script = Script::read(name, &file("scripts", name, "txt"));
    let records = SIZES.map(|size| desk::play(&script, size));
    golden::text(&script.title, &records)
}

#[track_caller]
fn check(name: &'static str) {
    let seen = played(name);
    let golden = path("golden", name, "txt");
    if std::env::var_os("BOURSE_WRITE_FROZEN").is_some() {
        std::fs::write(&golden, seen).unwrap();
        return;
    }
    let recorded = std::fs::read_to_string(&golden).unwrap_or_default();
    if let Some(difference) = golden::difference(&recorded, &seen) {
        panic!(
            "{name} differs from its record:\n{difference}\
             If that is meant: BOURSE_WRITE_FROZEN=1 cargo test --test it frozen::{name}"
        );
    }
}

#[test]
fn every_script_is_played_and_every_record_has_one() {
    let names = |within: &str| {
        let files = std::fs::read_dir(folder(within)).unwrap();
        let names = files.map(|file| file.unwrap().path().file_stem().unwrap().to_owned());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names("scripts"), NAMES);
    assert_eq!(names("golden"), NAMES);
    let scripts: String = NAMES.iter().map(|name| file("scripts", name, "txt")).collect();
    for reply in names("replies") {
        assert!(scripts.contains(&format!("@{reply}")), "{reply} is unused");
    }
}

#[test]
fn a_record_that_differs_in_one_cell_effect_byte_or_style_is_found() {
    let seen = played("start");
    assert_eq!(golden::difference(&seen, &seen), None);
    for (what, was, is) in [
        ("log", "record a complete poll", "record a truncated poll"),
        ("log", r#""limit":500"#, r#""limit":501"#),
        ("log", "accept-encoding: gzip", "accept-encoding: br"),
        ("120x40: end", "All 44 offers", "All 45 offers"),
        ("80x24: loading", "Esc stop", "Esc Stop"),
        ("styles of 120x40: end", "3: 11e", "3: 10e"),
        ("legend of the styles", "a default", "a #ffffff"),
    ] {
        let (before, after) = seen.split_once(&format!("== {what}\n")).unwrap();
        let changed = after.replacen(was, is, 1);
        assert!(changed != after, "{was}");
        let recorded = format!("{before}== {what}\n{changed}");
        let output = golden::difference(&recorded, &seen).expect(is);
        assert!(output.starts_with(&format!("{what}, from line ")), "{output}");
        assert!(output.contains(is) && output.contains(was), "{output}");
    }
}
