//! The sources, cut into tokens: talking about something in a comment or a text is not using it.

use std::fs;
use std::path::{Path, PathBuf};

/// A piece of source text: a word, `::`, or a single sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub line: usize,
}

/// The sources of the program.
pub fn program() -> Vec<(String, String)> {
    let mut sources = [sources("src"), sources("crates")].concat();
    sources.retain(|(path, _)| !path.contains("/tests/"));
    sources
}

/// The sources under a folder of the project.
pub fn sources(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let name = path.strip_prefix(root).unwrap().to_string_lossy();
                let name = name.replace('\\', "/");
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// The tokens without items marked `#[cfg(test)]`, and how many lines those take.
pub fn without_tests(tokens: &[Token]) -> (Vec<Token>, usize) {
    let mark = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut lines = 0;
    let mut at = 0;
    while at < tokens.len() {
        let marked =
            tokens.len() >= at + mark.len() && tokens[at..].iter().zip(mark).all(|(token, mark)| token.text == mark);
        if !marked {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let first = tokens[at].line;
        at += mark.len();
        let mut depth = 0_usize;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token.text.as_str() {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && (token.text == "}" || token.text == ";") {
                lines += token.line + 1 - first;
                break;
            }
        }
    }
    (kept, lines)
}

/// Cuts a source into tokens. Comments are left out; a literal becomes an empty pair of quotes.
pub fn tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        let next = chars.get(at + 1).copied();
        let text = match chars[at] {
            '/' if next == Some('/') => {
                at = end_of(&chars, at, |c| c == '\n');
                continue;
            }
            '/' if next == Some('*') => {
                at = block_comment_end(&chars, at);
                None
            }
            '"' => {
                at = string_end(&chars, at + 1, None);
                Some("\"\"".to_owned())
            }
            '\'' => match char_literal_end(&chars, at) {
                Some(end) => {
                    at = end;
                    Some("''".to_owned())
                }
                None => {
                    at = end_of(&chars, at + 1, |c| !is_word(c));
                    Some("'".to_owned())
                }
            },
            ':' if next == Some(':') => {
                at += 2;
                Some("::".to_owned())
            }
            c if is_word(c) => {
                at = end_of(&chars, at, |c| !is_word(c));
                let word: String = chars[start..at].iter().collect();
                match raw_string_end(&chars, at, &word) {
                    Some(end) => {
                        at = end;
                        Some("\"\"".to_owned())
                    }
                    None => Some(word),
                }
            }
            c => {
                at += 1;
                (!c.is_whitespace()).then(|| c.to_string())
            }
        };
        if let Some(text) = text {
            tokens.push(Token { text, line });
        }
        line += chars[start..at].iter().filter(|c| **c == '\n').count();
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The first place from `at` on whose character is as wanted; the end if there is none.
fn end_of(chars: &[char], at: usize, wanted: impl Fn(char) -> bool) -> usize {
    let found = chars[at..].iter().position(|c| wanted(*c));
    found.map_or(chars.len(), |offset| at + offset)
}

/// Behind a block comment; they nest.
fn block_comment_end(chars: &[char], mut at: usize) -> usize {
    let mut depth = 0;
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                at += 2;
            }
            ('*', Some('/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    break;
                }
            }
            _ => at += 1,
        }
    }
    at
}

/// Behind a string whose content begins at `at`: raw with so many `#`, else with escapes.
fn string_end(chars: &[char], mut at: usize, hashes: Option<usize>) -> usize {
    while at < chars.len() {
        match (chars[at], hashes) {
            ('\\', None) => at += 2,
            ('"', None) => return at + 1,
            ('"', Some(count)) => {
                let closing = chars[at + 1..].iter().take_while(|c| **c == '#').count();
                if closing >= count {
                    return at + 1 + count;
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    chars.len()
}

/// Behind a literal that `prefix` (`r`, `br`, `cr`, `b`, `c`) begins, if it does.
fn raw_string_end(chars: &[char], at: usize, prefix: &str) -> Option<usize> {
    let raw = matches!(prefix, "r" | "br" | "cr");
    if !raw && !matches!(prefix, "b" | "c") {
        return None;
    }
    let hashes = if raw {
        chars[at..].iter().take_while(|c| **c == '#').count()
    } else {
        0
    };
    (chars.get(at + hashes) == Some(&'"')).then(|| string_end(chars, at + hashes + 1, raw.then_some(hashes)))
}

/// Behind a character literal, if it is one and not a lifetime.
fn char_literal_end(chars: &[char], at: usize) -> Option<usize> {
    if chars.get(at + 1) == Some(&'\\') {
        return Some(end_of(chars, at + 3, |c| c == '\'') + 1);
    }
    (chars.get(at + 2) == Some(&'\'')).then_some(at + 3)
}
