//! Words that read like a translation, held out of what people read: texts and documents.

use super::guide::pages;
use super::tokens::program;

/// Not to be written anywhere, comments and names included.
const NOWHERE: [&str; 13] = [
    "anew",
    "mend",
    "mended",
    "any more",
    "for want of",
    "of strangers",
    "a stranger's",
    "taught",
    "dearer",
    "dearest",
    "goes along",
    "went along",
    "looked at",
];

/// Not to be written in texts. Comments may use most of them in their plain sense.
const NOT_IN_TEXTS: [&str; 9] = [
    "in sight", "in words", "no more", "stands", "lasts", "said", "came", "leave it", "do it",
];

/// Where a word of the list is the right one.
const ALLOWED: [(&str, &str); 2] = [
    // What people type.
    ("crates/domain/src/plain/phrases.rs", "no more"),
    ("crates/domain/src/plain/words.rs", "no more"),
];

/// Whether a text holds words, not as part of longer ones.
fn holds(text: &str, words: &str) -> bool {
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    text.match_indices(words)
        .any(|(at, _)| is_edge(text[..at].chars().next_back()) && is_edge(text[at + words.len()..].chars().next()))
}

/// The string literals of a source with the lines where they begin, without what `{}` fills in.
fn texts(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut rest = source;
    let line_of = |rest: &str| source[..source.len() - rest.len()].lines().count().max(1);
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\\"'") {
            rest = &rest[3..];
        } else if rest.starts_with("r#\"") {
            let end = rest.find("\"#").unwrap_or(rest.len() - 2);
            found.push((line_of(rest), rest[3..end.max(3)].to_owned()));
            rest = &rest[end + 2..];
        } else if first == '"' {
            let mut text = String::new();
            let mut is_escaped = false;
            let mut depth = 0_usize;
            let mut end = rest.len();
            for (at, c) in rest.char_indices().skip(1) {
                match c {
                    _ if is_escaped => is_escaped = false,
                    '\\' => is_escaped = true,
                    '"' => {
                        end = at + 1;
                        break;
                    }
                    '{' => depth += 1,
                    '}' => depth = depth.saturating_sub(1),
                    c if depth == 0 => text.push(c),
                    _ => {}
                }
            }
            found.push((line_of(rest), text));
            rest = &rest[end..];
        } else {
            rest = &rest[first.len_utf8()..];
        }
    }
    found
}

fn offences() -> Vec<String> {
    let mut found = Vec::new();
    for (path, source) in program() {
        // Words that people type, none of ours.
        if path == "crates/domain/src/plain/english.rs" {
            continue;
        }
        for (number, line) in source.lines().enumerate() {
            for words in NOWHERE.iter().filter(|words| holds(line, words)) {
                found.push(format!("{path}:{} {words}", number + 1));
            }
        }
        for (line, text) in texts(&source) {
            let is_allowed = |words: &&&str| ALLOWED.contains(&(path.as_str(), **words));
            let words = NOT_IN_TEXTS.iter().filter(|words| holds(&text, words));
            for words in words.filter(|words| !is_allowed(words)) {
                found.push(format!("{path}:{line} {words}: {text}"));
            }
        }
    }
    let mut pages: Vec<_> = pages().into_iter().map(|page| (page.path, page.text)).collect();
    pages.push((
        "bourse config print-default".to_owned(),
        bourse::settings::default_config(),
    ));
    for (path, text) in pages {
        for (number, line) in text.lines().enumerate() {
            for words in NOWHERE.iter().chain(&NOT_IN_TEXTS) {
                if holds(line, words) {
                    found.push(format!("{path}:{} {words}", number + 1));
                }
            }
        }
    }
    found
}

#[test]
fn every_text_uses_the_words_of_the_trade() {
    let found = offences();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_check_finds_words_and_nothing_inside_them() {
    assert!(holds("mend the query", "mend"));
    assert!(!holds("recommend it, amended", "mend"));
    assert!(holds("nothing any more.", "any more"));
    let source = "// \"said\"\nlet a = '\"';\nlet b = format!(\"no {said} \\\" came\", r#\"stands\"#);";
    let found: Vec<_> = texts(source).into_iter().map(|(_, text)| text).collect();
    assert_eq!(found, ["no   came", "stands"]);
}
