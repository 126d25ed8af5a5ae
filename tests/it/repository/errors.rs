//! Errors are types. A text as an error has no source, and whoever gets it can only show it.

use super::tokens::{Token, program, tokens, without_tests};

/// The most places that may have one.
const MOST: usize = 10;

/// The lines with a `Result<_, String>`.
fn text_errors(tokens: &[Token]) -> Vec<usize> {
    let pairs = tokens.windows(2).enumerate();
    let results = pairs.filter(|(_, pair)| pair[0].text == "Result" && pair[1].text == "<");
    results
        .filter(|(at, _)| ends_with_string(&tokens[at + 2..]))
        .map(|(at, _)| tokens[at].line)
        .collect()
}

/// Whether the last argument of a generic type is `String`; `arguments` starts behind its `<`.
fn ends_with_string(arguments: &[Token]) -> bool {
    let mut open = 1;
    for (at, token) in arguments.iter().enumerate() {
        match token.text.as_str() {
            "<" | "(" | "[" => open += 1,
            // The arrow of a function closes nothing.
            ">" if at > 0 && arguments[at - 1].text == "-" => {}
            ">" | ")" | "]" => open -= 1,
            _ => {}
        }
        if open == 0 {
            let texts: Vec<&str> = arguments[..at].iter().map(|token| token.text.as_str()).collect();
            return texts.ends_with(&[",", "String"]) || texts.ends_with(&[",", "String", ","]);
        }
    }
    false
}

#[test]
fn few_errors_are_texts() {
    let mut found = Vec::new();
    for (path, source) in program() {
        let (tokens, _) = without_tests(&tokens(&source));
        found.extend(text_errors(&tokens).into_iter().map(|line| format!("{path}:{line}")));
    }
    assert!(
        found.len() <= MOST,
        "{} errors are texts, {MOST} may be: give the newest a type\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn a_text_as_an_error_is_found() {
    let source = "fn read() -> Result<Vec<u8>, String> {}\n\
                  fn check(check: impl Fn(&str) -> Result<(), String>) {}\n\
                  type Edited = io::Result<Result<\nBox<dyn Fn() -> u8>,\nString,\n>>;";
    assert_eq!(text_errors(&tokens(source)), [1, 2, 3]);
    for other in [
        "fn read() -> Result<String, Error> {}",
        "fn read() -> Result<u8, (Key, String)> {}",
        "fn read() -> Result<u8, Wrong<u8, String>> {}",
        "/// A `Result<(), String>`.\nfn text() -> HashMap<u8, String> {}",
        "fn fmt(&self) -> fmt::Result {}",
    ] {
        assert!(text_errors(&tokens(other)).is_empty(), "{other}");
    }
}
