//! The sources against the map of the house: which room may name which, where the outside world is
//! allowed in, and how long a file may grow.
//!
//! The text of a file is cut into tokens, comments and string literals left out, so that talking
//! about a crate is no offence. Every rule is shown a snippet that breaks it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::tokens::{Token, program, sources, tokens, without_tests};

/// The crates: the folder under `crates/` and the name that `src` gives it. What a crate may use is what its
/// `Cargo.toml` lists, so the compiler holds these walls.
const CRATES: [(&str, &str); 5] = [
    ("domain", "domain"),
    ("record", "record"),
    ("client", "api"),
    ("sandbox", "sandbox"),
    ("tui", "tui"),
];

/// The rooms inside crates and whom they may name besides themselves. A name with `::` opens one module only.
/// `cli` and what lies beside the rooms (`main.rs`, `lib.rs`) see everything: `cli` starts `runtime`.
const ROOMS: [(&str, &[&str]); 11] = [
    ("record", &["domain", "record::state_file::StateFileError"]),
    ("record::store", &["domain", "record"]),
    ("process", &[]),
    ("keys", &["domain", "tui"]),
    ("table", &["domain", "record", "api", "keys", "tui"]),
    (
        "core",
        &[
            "domain",
            "record",
            "api",
            "keys",
            "tui",
            "table",
            "settings::KeySource",
            "settings::Values",
        ],
    ),
    (
        "features",
        &[
            "domain",
            "record",
            "record::store",
            "process",
            "api",
            "keys",
            "tui",
            "table",
            "core",
            "store",
            "settings",
            "cli",
        ],
    ),
    ("frame", &["domain", "api", "keys", "tui", "table", "core"]),
    ("store", &["domain", "record", "record::store", "process"]),
    (
        "settings",
        &[
            "domain",
            "record",
            "record::store",
            "process",
            "api",
            "keys",
            "tui",
            "store",
            "sandbox",
        ],
    ),
    (
        "runtime",
        &[
            "domain",
            "record",
            "record::store",
            "process",
            "api",
            "keys",
            "tui",
            "table",
            "core",
            "features",
            "frame",
            "store",
            "sandbox",
            "settings",
        ],
    ),
];

/// Which feature reads which other one: no circle. An arrow that is gone has to leave the list.
const READS: [(&str, &[&str]); 18] = [
    ("alerts", &["copy_export", "history", "saved", "workergroups"]),
    ("bids", &["history"]),
    ("cluster", &["copy_export", "market"]),
    ("compare", &["history"]),
    ("copy_export", &["requests"]),
    (
        "details",
        &["annotations", "copy_export", "history", "job", "workergroups"],
    ),
    ("help", &["copy_export", "markets", "saved", "user_commands"]),
    ("history", &["workergroups"]),
    ("market_line", &["history"]),
    ("markets", &["route_lab"]),
    ("pick", &["copy_export", "markets"]),
    ("price_index", &["history"]),
    ("route_lab", &["copy_export"]),
    ("saved", &["history"]),
    ("search", &["annotations", "market", "market_line", "whole_market"]),
    ("volumes", &["job"]),
    ("watch_saved", &["history", "workergroups"]),
    ("workergroups", &["copy_export", "route_lab"]),
];

/// The modules of `cli` that start commands. The others are below the features, which use them.
const DISPATCH: [&str; 5] = [
    "src/cli.rs",
    "src/cli/help.rs",
    "src/cli/schema.rs",
    "src/cli/spelling.rs",
    "src/cli/write",
];

/// The modules of the record that keep files: a room of their own, `record::store`.
const FILES: [&str; 3] = ["store", "files", "state_file"];

/// What rooms must not name at all, with the reason.
const FORBIDDEN: [(&[&str], &[&str], &str); 6] = [
    (
        &["domain", "record"],
        &[
            "tokio",
            "futures_util",
            "reqwest",
            "axum",
            "ratatui",
            "crossterm",
            "rustix",
            "tui_input",
        ],
        "the domain has no async, HTTP or terminal",
    ),
    (
        &["domain", "record"],
        &["async", "SystemTime", "Instant"],
        "the domain has no tasks and no clock",
    ),
    (
        &["domain", "record"],
        &["std::fs", "std::net", "std::env", "std::process", "std::thread"],
        "the domain does no I/O",
    ),
    (
        &["core"],
        &[
            "tokio",
            "futures_util",
            "reqwest",
            "axum",
            "rustix",
            "std::fs",
            "std::net",
            "async",
        ],
        "the application decides, it does nothing",
    ),
    (
        &["frame"],
        &[
            "tokio",
            "futures_util",
            "reqwest",
            "axum",
            "rustix",
            "std::fs",
            "std::net",
            "async",
        ],
        "the screens only draw",
    ),
    (
        &["tui"],
        &[
            "tokio",
            "futures_util",
            "reqwest",
            "axum",
            "rustix",
            "std::fs",
            "std::net",
            "async",
        ],
        "the screens only draw",
    ),
];

/// Names that belong to a few places: the name, then the starts of the paths that may use it.
const RESERVED: [(&str, &[&str]); 17] = [
    (
        "axum",
        &["crates/sandbox", "src/features/watch_saved/metrics/server.rs"],
    ),
    ("prometheus_client", &["src/features/watch_saved/metrics/mod.rs"]),
    ("rmcp", &["src/features/mcp"]),
    ("reqwest", &["crates/client/src/client"]),
    (
        "ratatui",
        &[
            "src/frame",
            "src/features",
            "crates/tui",
            "src/runtime",
            // What views share, and their trait, which has a method that draws.
            "src/core/views",
            "src/core/view.rs",
            "src/core/scene.rs",
            "src/core/frame_layout.rs",
        ],
    ),
    ("rusqlite", &["crates/record/src/store"]),
    ("rustix", &["src/runtime", "src/process"]),
    ("nix", &["src/process"]),
    (
        "Instant::now",
        &[
            "src/runtime",
            "crates/client",
            "crates/sandbox",
            "src/cli",
            "src/features/watch_saved/command.rs",
            "src/features/route_lab/command",
            "src/features/whole_market/command.rs",
        ],
    ),
    (
        "SystemTime::now",
        &[
            "src/runtime",
            "crates/client",
            "crates/sandbox",
            "src/store",
            "src/cli",
            "src/features/route_lab/command",
        ],
    ),
    (
        "Timestamp::now",
        &["src/runtime", "crates/client", "crates/sandbox", "src/store", "src/cli"],
    ),
    ("Zoned::now", &["src/runtime", "src/store", "src/cli"]),
    ("println!", &["src/main.rs", "src/cli"]),
    ("eprintln!", &["src/main.rs", "src/cli"]),
    // These hand text to the terminal as it is, escape sequences and all.
    ("set_symbol", &[]),
    ("SetTitle", &[]),
    // It asks the terminal for the cursor, and the answer would be read as a key.
    ("cursor::position", &[]),
];

/// Most lines of a file, tests not counted: about 500, with some room for the last thought.
const MOST_LINES: usize = 550;

/// Files that may be longer, with the reason.
const LONGER: [(&str, &str); 2] = [
    (
        "crates/domain/src/catalog/",
        "a table has as many lines as the interface has fields",
    ),
    ("src/keys/bindings.rs", "a table has as many lines as there are keys"),
];

/// Every breach of the rules in one file.
fn breaches(path: &str, source: &str) -> Vec<String> {
    let all = tokens(source);
    let (tokens, test_lines) = without_tests(&all);
    let mut breaches = Vec::new();
    let home = module_of(path);
    let room = room_of(&home);
    for (named, line) in crate_paths(path, &tokens) {
        if !may_name(room, &named) {
            breaches.push(format!("{path}:{line} {room} must not name {}", named.join("::")));
        }
        if let Some((feature, other)) = reading(path, &named)
            && !READS.iter().any(|(from, to)| *from == feature && to.contains(&other))
        {
            breaches.push(format!("{path}:{line} {feature} must not read {other}"));
        }
        let is_below = room == "cli" && !DISPATCH.iter().any(|place| path.starts_with(place));
        if is_below && named[0] == "features" {
            breaches.push(format!(
                "{path}:{line} what commands share must not name {}",
                named.join("::")
            ));
        }
    }
    for (place, names, reason) in FORBIDDEN {
        for name in names.iter().filter(|_| place.contains(&room)) {
            for line in uses(&tokens, name) {
                breaches.push(format!("{path}:{line} names {name}: {reason}"));
            }
        }
    }
    for (name, places) in RESERVED {
        if !places.iter().any(|place| path.starts_with(place)) {
            for line in uses(&tokens, name) {
                breaches.push(format!("{path}:{line} names {name}, which is reserved"));
            }
        }
    }
    let lines = source.lines().count().saturating_sub(test_lines);
    if lines > MOST_LINES && !LONGER.iter().any(|(place, _)| path.starts_with(place)) {
        breaches.push(format!("{path} has {lines} lines, more than {MOST_LINES}"));
    }
    breaches
}

/// The room that a module belongs to; the first of its names for those beside the rooms.
fn room_of(module: &[String]) -> &str {
    match module {
        [first, second, ..] if first == "record" && FILES.contains(&second.as_str()) => "record::store",
        [first, ..] => first,
        [] => "",
    }
}

/// The feature of a file and the other one that it names in a path of the crate, if it does.
fn reading<'a>(path: &'a str, named: &'a [String]) -> Option<(&'a str, &'a str)> {
    let (feature, _) = path.strip_prefix("src/features/")?.split_once('/')?;
    let other = named
        .get(1)
        .filter(|other| named[0] == "features" && *other != feature)?;
    // A word that is no feature is an item of `features` itself.
    other.starts_with(char::is_lowercase).then_some((feature, other))
}

/// Whether a room may name a path of the crate.
fn may_name(room: &str, named: &[String]) -> bool {
    let Some((_, others)) = ROOMS.iter().find(|(name, _)| *name == room) else {
        return true;
    };
    let other_room = room_of(named);
    let path = named.join("::");
    other_room == room
        || others.iter().any(|other| {
            // A room may hold another one, as `record` does.
            other_room == *other || other.contains("::") && format!("{path}::").starts_with(&format!("{other}::"))
        })
}

/// The lines where a name is used: a word, words joined by `::`, or a macro with its `!`. A crate's
/// name counts only where a path or an import begins, since modules and fields may bear it too.
fn uses(tokens: &[Token], name: &str) -> Vec<usize> {
    if let Some(module) = name.strip_prefix("std::") {
        let named = std_paths(tokens).into_iter();
        return named
            .filter(|(path, _)| path.first().is_some_and(|first| first == module))
            .map(|(_, line)| line)
            .collect();
    }
    let wanted = self::tokens(name);
    let is_crate = name.chars().all(|c| c.is_ascii_lowercase() || c == '_') && name != "async";
    let mut lines = Vec::new();
    for (at, window) in tokens.windows(wanted.len()).enumerate() {
        if !window
            .iter()
            .zip(&wanted)
            .all(|(token, wanted)| token.text == wanted.text)
        {
            continue;
        }
        let text = |index: Option<usize>| index.and_then(|i| tokens.get(i)).map(|t| t.text.as_str());
        let before = text(at.checked_sub(1));
        let after = text(Some(at + wanted.len()));
        let in_path = before == Some("::");
        let begins = after == Some("::") || before == Some("use") || name == "set_symbol";
        if !is_crate || (begins && (!in_path || name == "set_symbol")) {
            lines.push(window[0].line);
        }
    }
    lines
}

/// Every path into one of our crates, import groups spread out, whether by `crate::`, by climbing with
/// `super::` or by a crate's name. A crate's own name comes first, as in `domain::text`.
fn crate_paths(path: &str, tokens: &[Token]) -> Vec<(Vec<String>, usize)> {
    let home = module_of(path);
    let root: Vec<String> = crate_of(path).map(str::to_owned).into_iter().collect();
    let mut found = Vec::new();
    // Modules inside the file: the depth of braces at which each was opened.
    let mut inner: Vec<(String, usize)> = Vec::new();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let text = |offset: usize| tokens.get(at + offset).map_or("", |t| t.text.as_str());
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                inner.retain(|(_, opened)| *opened < depth);
            }
            "mod" if text(2) == "{" => inner.push((text(1).to_owned(), depth)),
            "crate" if text(1) == "::" => {
                spread(tokens, &mut (at + 2), &root, &mut found);
            }
            name if text(1) == "::" && name.strip_prefix("bourse_").and_then(name_in_src).is_some() => {
                let name = name.strip_prefix("bourse_").and_then(name_in_src);
                let base: Vec<String> = name.map(str::to_owned).into_iter().collect();
                spread(tokens, &mut (at + 2), &base, &mut found);
            }
            "super" if text(1) == "::" && (at == 0 || tokens[at - 1].text != "::") => {
                let mut base = home.clone();
                base.extend(inner.iter().map(|(name, _)| name.clone()));
                let mut next = at;
                while tokens.get(next).is_some_and(|token| token.text == "super") {
                    base.pop();
                    next += 2;
                }
                // What stays inside its room is named by more than the room.
                spread(tokens, &mut next, &base, &mut found);
            }
            _ => {}
        }
        at += 1;
    }
    found.retain(|(named, _)| !named.is_empty());
    found
}

/// Every path into the standard library, import groups spread out, without its name.
fn std_paths(tokens: &[Token]) -> Vec<(Vec<String>, usize)> {
    let mut found = Vec::new();
    for (at, pair) in tokens.windows(2).enumerate() {
        let begins = at == 0 || tokens[at - 1].text != "::";
        if begins && pair[0].text == "std" && pair[1].text == "::" {
            spread(tokens, &mut (at + 2), &[], &mut found);
        }
    }
    found
}

/// The name that `src` gives to the crate under `crates/` that a file belongs to.
fn crate_of(path: &str) -> Option<&'static str> {
    name_in_src(path.strip_prefix("crates/")?.split('/').next()?)
}

/// The name that `src` gives to the crate in a folder under `crates/`.
fn name_in_src(folder: &str) -> Option<&'static str> {
    let (_, name) = CRATES.iter().find(|(known, _)| *known == folder)?;
    Some(name)
}

/// The module that a file is, from the crate's root; of a crate under `crates/` behind its name.
fn module_of(path: &str) -> Vec<String> {
    let (_, inner) = path.split_once("src/").unwrap_or(("", path));
    let inner = inner.strip_suffix(".rs").unwrap_or(inner);
    let inner = inner.strip_suffix("/mod").unwrap_or(inner);
    let is_root = inner == "lib" || inner == "main";
    let modules = inner.split('/').filter(|_| !is_root);
    crate_of(path).into_iter().chain(modules).map(str::to_owned).collect()
}

/// Reads an import tree or a path from `at` on, and notes each of its leaves behind `base`.
fn spread(tokens: &[Token], at: &mut usize, base: &[String], found: &mut Vec<(Vec<String>, usize)>) {
    let mut path = base.to_vec();
    while let Some(token) = tokens.get(*at) {
        let line = token.line;
        if token.text == "{" {
            *at += 1;
            while tokens.get(*at).is_some_and(|token| token.text != "}") {
                let before = *at;
                spread(tokens, at, &path, found);
                if *at == before || tokens.get(*at).is_some_and(|token| token.text == ",") {
                    *at += 1;
                }
            }
            *at += 1;
            return;
        }
        let is_word = token.text.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_word {
            found.push((path, line));
            return;
        }
        if token.text != "self" {
            path.push(token.text.clone());
        }
        *at += 1;
        if tokens.get(*at).is_some_and(|token| token.text == "::") {
            *at += 1;
            continue;
        }
        // A renamed import: its new name leads nowhere.
        if tokens.get(*at).is_some_and(|token| token.text == "as") {
            *at += 2;
        }
        found.push((path, line));
        return;
    }
}

#[test]
fn the_sources_keep_to_the_map() {
    let sources = program();
    assert!(sources.len() >= 20, "only {} files were found", sources.len());
    let breaches: Vec<String> = sources
        .iter()
        .flat_map(|(path, source)| breaches(path, source))
        .collect();
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn a_listed_arrow_is_there() {
    let named = |(from, to): (&str, &str)| (from.to_owned(), to.to_owned());
    let mut reads = BTreeSet::new();
    for (path, source) in sources("src") {
        let (tokens, _) = without_tests(&tokens(&source));
        for (segments, _) in crate_paths(&path, &tokens) {
            reads.extend(reading(&path, &segments).map(named));
        }
    }
    let listed = READS
        .iter()
        .flat_map(|(from, others)| others.iter().map(move |to| (*from, *to)));
    let gone: Vec<_> = listed.filter(|arrow| !reads.contains(&named(*arrow))).collect();
    assert!(gone.is_empty(), "gone: {gone:?}");
}

/// The features of a circle of arrows, if there is one.
fn circle<'a>(reads: &[(&'a str, &[&'a str])]) -> Vec<&'a str> {
    let mut left = reads.to_vec();
    // What reads no feature that is left is on no circle.
    loop {
        let readers: Vec<_> = left.iter().map(|(from, _)| *from).collect();
        let before = left.len();
        left.retain(|(_, others)| others.iter().any(|other| readers.contains(other)));
        if left.len() == before {
            return left.into_iter().map(|(from, _)| from).collect();
        }
    }
}

#[test]
fn features_read_each_other_in_no_circle() {
    let planted: [(&str, &[&str]); 3] = [("a", &["b"]), ("b", &["c"]), ("c", &["a", "d"])];
    assert_eq!(circle(&planted), ["a", "b", "c"]);
    assert_eq!(circle(&planted[..2]), Vec::<&str>::new());
    assert_eq!(circle(&READS), Vec::<&str>::new());
}

/// The types to which a source adds methods of its own, those of traits left out.
fn extended(tokens: &[Token]) -> Vec<(&str, usize)> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let mut types = Vec::new();
    for at in (0..tokens.len()).filter(|at| text(*at) == "impl") {
        // In the place of a type it is no block: `fn f(x: impl Trait) -> impl Trait`.
        if !(at == 0 || ["}", ";", "]", "{"].contains(&text(at - 1))) {
            continue;
        }
        let (mut depth, mut name) = (0_usize, None);
        for (next, token) in tokens.iter().enumerate().skip(at + 1) {
            match token.text.as_str() {
                "<" => depth += 1,
                ">" if text(next - 1) != "-" => depth = depth.saturating_sub(1),
                "{" | "where" => {
                    types.extend(name);
                    break;
                }
                "for" if depth == 0 => break,
                word if depth == 0 && word.starts_with(char::is_uppercase) => {
                    name = Some((word, token.line));
                }
                _ => {}
            }
        }
    }
    types
}

/// Methods are arrows that no path shows: a call of one that another feature has added compiles anywhere.
#[test]
fn a_feature_adds_methods_to_no_type_but_its_own() {
    let found = |source: &str| -> Vec<String> {
        let tokens = tokens(source);
        let types = extended(&tokens);
        types.into_iter().map(|(name, _)| name.to_owned()).collect()
    };
    let planted =
        "use a::B; impl Browser { fn f(x: impl Fn()) {} } impl<T: Into<U>> Rows<T> { } impl crate::core::State {}";
    assert_eq!(found(planted), ["Browser", "Rows", "State"]);
    assert_eq!(found("impl View for Pane { } impl<'a> From<A> for B<'a> {}"), [""; 0]);
    let feature = |path: &str| path.split('/').nth(2).unwrap_or_default().to_owned();
    let all = sources("src/features");
    let mut own = BTreeSet::new();
    let mut blocks = Vec::new();
    for (path, source) in &all {
        let (tokens, _) = without_tests(&tokens(source));
        for pair in tokens.windows(2) {
            if ["struct", "enum", "trait", "union"].contains(&pair[0].text.as_str()) {
                own.insert((feature(path), pair[1].text.clone()));
            }
        }
        let types = extended(&tokens).into_iter();
        blocks.extend(types.map(|(name, line)| (path, name.to_owned(), line)));
    }
    assert!(blocks.len() > 50, "only {} blocks were found", blocks.len());
    for (path, name, line) in blocks {
        let is_own = own.contains(&(feature(path), name.clone()));
        assert!(is_own, "{path}:{line} adds methods to {name}, which is another room's");
    }
}

#[test]
fn every_room_is_a_room() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = |folder: &str| {
        let entries = fs::read_dir(root.join(folder)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
    };
    for name in names("src") {
        let room = name.strip_suffix(".rs").unwrap_or(&name);
        let known = ROOMS.iter().any(|(known, _)| *known == room);
        let sees_all = ["main", "lib", "cli"].contains(&room);
        assert!(known || sees_all, "{name} is on no map: give it a line in ROOMS");
    }
    for name in names("crates") {
        assert!(
            name_in_src(&name).is_some(),
            "{name} is on no map: give it a place in CRATES"
        );
    }
}

#[test]
fn the_page_on_architecture_says_what_each_room_may_use() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    let everything = [("cli", "everything".to_owned())];
    let listed = |others: &[&str]| {
        let others: Vec<_> = others.iter().map(|other| format!("`{other}`")).collect();
        if others.is_empty() {
            "nothing else".to_owned()
        } else {
            others.join(", ")
        }
    };
    let rooms = ROOMS.iter().map(|(room, others)| {
        // A part of the same crate is no other room to a reader of the page.
        let own = format!("{room}::");
        let others: Vec<_> = others
            .iter()
            .copied()
            .filter(|other| !other.starts_with(&own))
            .collect();
        (*room, listed(&others))
    });
    let crates = CRATES.iter().map(|(folder, name)| {
        let manifest = fs::read_to_string(root.join("crates").join(folder).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let dependencies = manifest["dependencies"].as_table().unwrap().keys();
        let ours = dependencies.filter_map(|dependency| name_in_src(dependency.strip_prefix("bourse-")?));
        (*name, listed(&ours.collect::<Vec<_>>()))
    });
    for (room, others) in rooms.chain(crates).chain(everything) {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{room}` |")));
        let is_listed = row.is_some_and(|row| row.ends_with(&format!(" | {others} |")));
        assert!(
            is_listed,
            "{room} may use {others}, and docs/architecture.md says {row:?}"
        );
    }
}

#[test]
fn nothing_reads_outside_the_project() {
    let outside = ["..", "shared"].join("/");
    for folder in ["src", "crates", "tests", "benches"] {
        if !Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).is_dir() {
            continue;
        }
        for (path, source) in sources(folder) {
            assert!(!source.contains(&outside), "{path} names {outside}");
        }
    }
}

#[test]
fn every_rule_catches_what_breaks_it() {
    let cases = [
        (
            "crates/record/src/a.rs",
            "use crate::store::Database;",
            "record must not name record::store::Database",
        ),
        (
            "crates/record/src/a/b.rs",
            "use super::super::files::why;",
            "record must not name record::files::why",
        ),
        (
            "src/core/a.rs",
            "use crate::record::{Lot, store::Database};",
            "core must not name record::store::Database",
        ),
        (
            "src/keys/a.rs",
            "use crate::api::Request;",
            "keys must not name api::Request",
        ),
        (
            "src/keys/a.rs",
            "use super::super::api::Request;",
            "keys must not name api::Request",
        ),
        (
            "src/keys/a/b.rs",
            "mod c { use super::super::super::super::frame; }",
            "keys must not name frame",
        ),
        (
            "src/store/a.rs",
            "fn f() -> crate::core::Model {}",
            "store must not name core::Model",
        ),
        (
            "src/store/mod.rs",
            "use crate::{domain::{Query, text}, frame};",
            "store must not name frame",
        ),
        (
            "src/store/a.rs",
            "use bourse_client::Request;",
            "store must not name api::Request",
        ),
        (
            "src/core/a.rs",
            "use crate::frame::records as t;",
            "core must not name frame::records",
        ),
        (
            "src/core/a.rs",
            "pub(in crate::store) fn f() {}",
            "core must not name store",
        ),
        (
            "src/frame/a.rs",
            "use crate::runtime::terminal;",
            "frame must not name runtime::terminal",
        ),
        (
            "src/store/a.rs",
            "use crate::api::Secret;",
            "store must not name api::Secret",
        ),
        (
            "src/runtime/a.rs",
            "use crate::cli::output;",
            "runtime must not name cli::output",
        ),
        (
            "src/settings/a.rs",
            "use crate::core::Profile;",
            "settings must not name core::Profile",
        ),
        (
            "src/store/a.rs",
            "use bourse_sandbox::Sandbox;",
            "store must not name sandbox::Sandbox",
        ),
        (
            "src/features/job/a.rs",
            "use crate::features::unknown::Thing;",
            "job must not read unknown",
        ),
        (
            "src/features/job/a.rs",
            "use super::super::unknown;",
            "job must not read unknown",
        ),
        (
            "src/cli/table.rs",
            "use crate::features::alerts;",
            "what commands share must not name features::alerts",
        ),
        ("crates/domain/src/a.rs", "let x = tokio::spawn(f());", "names tokio"),
        ("crates/domain/src/a.rs", "use reqwest;", "names reqwest"),
        (
            "crates/domain/src/a.rs",
            "use std::time::{Duration, Instant};",
            "names Instant",
        ),
        ("crates/domain/src/a.rs", "async fn f() {}", "names async"),
        ("crates/domain/src/a.rs", "let f = std::fs::read(p);", "names std::fs"),
        ("crates/record/src/a.rs", "let f = std::fs::read(p);", "names std::fs"),
        ("crates/record/src/a.rs", "use rusqlite::Connection;", "names rusqlite"),
        (
            "src/core/a.rs",
            "use std::{collections::HashMap, fs::{self, File}};",
            "names std::fs",
        ),
        (
            "src/core/a.rs",
            "use crate::settings::Config;",
            "core must not name settings::Config",
        ),
        ("src/core/a.rs", "use ratatui::style::Color;", "names ratatui"),
        ("src/core/a.rs", "let now = Instant::now();", "names Instant::now"),
        ("src/frame/a.rs", "tokio::spawn(f());", "names tokio"),
        (
            "crates/client/src/pacing.rs",
            "use reqwest::Client;",
            "names reqwest, which is reserved",
        ),
        ("src/cli.rs", "use reqwest::Client;", "names reqwest, which is reserved"),
        ("crates/client/src/a.rs", "println!(\"x\");", "names println!"),
        ("src/runtime/a.rs", "eprintln!(\"x\");", "names eprintln!"),
        ("src/frame/a.rs", "cell.set_symbol(text);", "names set_symbol"),
        ("src/runtime/a.rs", "execute!(out, SetTitle(text))", "names SetTitle"),
        (
            "src/runtime/a.rs",
            "crossterm::cursor::position()",
            "names cursor::position",
        ),
    ];
    for (path, source, wanted) in cases {
        let found = breaches(path, source);
        assert!(
            found.iter().any(|breach| breach.contains(wanted)),
            "{path}: {source}\nfound {found:?}"
        );
    }
    let long = "\n".repeat(MOST_LINES + 1);
    assert_eq!(breaches("src/core/a.rs", &long).len(), 1);
    assert_eq!(breaches("crates/domain/src/catalog/offers.rs", &long).len(), 0);
}

#[test]
fn what_is_allowed_is_left_in_peace() {
    let cases = [
        (
            "crates/domain/src/a.rs",
            "// tokio::spawn, crate::frame\n/* reqwest::x /* nested */ ratatui::y */",
        ),
        (
            "crates/domain/src/a.rs",
            "let t = \"use crate::frame; tokio::x\"; let c = '\"'; let l: &'a str = r#\"crate::\"ui\"#;",
        ),
        ("crates/domain/src/a.rs", "use super::{b, c::D}; use crate::Query;"),
        (
            "crates/record/src/store/a.rs",
            "use bourse_domain::Query; use crate::{Lot, files}; use rusqlite::Row; use std::fs::File;",
        ),
        (
            "crates/domain/src/a.rs",
            "#[cfg(test)] mod tests { use super::*; use crate::api::X; fn f() { println!(); } }",
        ),
        ("crates/domain/src/a.rs", "let url = row.reqwest; fn tokio_like() {}"),
        (
            "src/core/a.rs",
            "use crate::domain::{Query, Listing}; use crate::api::{Request, wire};",
        ),
        ("src/core/a.rs", "use std::time::Instant; fn update(now: Instant) {}"),
        (
            "crates/sandbox/src/a.rs",
            "use bourse_domain::Query; let now = Instant::now();",
        ),
        (
            "crates/client/src/client.rs",
            "use reqwest::Client; let now = Instant::now();",
        ),
        (
            "src/runtime/mod.rs",
            "use crate::{api, core, domain, features, frame, sandbox, settings, store};",
        ),
        ("src/main.rs", "eprintln!(\"x\"); use bourse::cli;"),
    ];
    for (path, source) in cases {
        assert_eq!(breaches(path, source), Vec::<String>::new(), "{source}");
    }
    // The lines of tests do not count.
    let tests = format!("#[cfg(test)]\nmod tests {{{}}}\n", "\n".repeat(MOST_LINES));
    assert_eq!(breaches("src/core/a.rs", &tests).len(), 0);
}

/// The types of the states that a source borrows from its `Cx`.
fn borrowed(source: &str) -> Vec<&str> {
    let named = ["feature::<", "lend::<"].into_iter().flat_map(|word| {
        let paths = source.split(word).skip(1).filter_map(|rest| rest.split('>').next());
        paths.filter_map(|path| path.rsplit("::").next())
    });
    let inferred = source
        .split(" = cx.feature()")
        .filter_map(|rest| rest.rsplit("&mut ").next());
    let inferred = inferred.take(source.matches(" = cx.feature()").count());
    named.chain(inferred).collect()
}

#[test]
fn a_feature_changes_no_state_but_its_own() {
    let planted = "cx.feature::<super::Groups>(); cx.lend::<Recall>(); let all: &mut AlertWatch = cx.feature();";
    assert_eq!(borrowed(planted), ["Groups", "Recall", "AlertWatch"]);
    let feature = |path: &str| path.split('/').nth(2).unwrap_or_default().to_owned();
    let all = sources("src/features");
    let owners = all.iter().flat_map(|(path, source)| {
        let states = source.split("impl FeatureState for ").skip(1);
        states.filter_map(|rest| Some((rest.split(' ').next()?, feature(path))))
    });
    let owners: Vec<(&str, String)> = owners.collect();
    let borrows = all
        .iter()
        .flat_map(|(path, source)| borrowed(source).into_iter().map(move |state| (state, path)));
    let borrows: Vec<_> = borrows.collect();
    assert!(owners.len() > 3 && borrows.len() > 30, "{owners:?} {borrows:?}");
    for (state, path) in borrows {
        let own = owners
            .iter()
            .any(|(name, owner)| *name == state && *owner == feature(path));
        assert!(own, "{path} changes {state}, which is another feature's");
    }
}
