//! A match on what grows names every variant: then the compiler lists the places that a new pane,
//! operation or message concerns. Clippy has a lint for that, but not for chosen enums only.

use super::tokens::{Token, program, tokens, without_tests};

/// The enums that grow with the program.
const ENUMS: [&str; 6] = ["Operation", "Request", "Resource", "Pane", "Effect", "Message"];

/// One arm of a match: its pattern without the guard, and whether it has one.
struct Arm<'a> {
    pattern: &'a [Token],
    is_guarded: bool,
}

impl Arm<'_> {
    fn names(&self, name: &str) -> bool {
        let first: Vec<&str> = self
            .pattern
            .iter()
            .map(|token| token.text.as_str())
            .filter(|text| !["&", "|", "("].contains(text))
            .take(2)
            .collect();
        first == [name, "::"]
    }

    /// Whether it takes whatever the others leave: `_`, or a name.
    fn takes_the_rest(&self) -> bool {
        let [only] = self.pattern else {
            return false;
        };
        !self.is_guarded
            && only
                .text
                .starts_with(|first: char| first == '_' || first.is_lowercase())
    }
}

fn depth(token: &Token) -> isize {
    match token.text.as_str() {
        "(" | "[" | "{" => 1,
        ")" | "]" | "}" => -1,
        _ => 0,
    }
}

/// The place of the first token from `at` on, outside of all brackets, that `is_wanted`.
fn outside(tokens: &[Token], at: usize, is_wanted: impl Fn(usize) -> bool) -> usize {
    let mut open = 0;
    for (place, token) in tokens.iter().enumerate().skip(at) {
        if open == 0 && is_wanted(place) {
            return place;
        }
        open += depth(token);
    }
    tokens.len()
}

/// The arms of the match whose keyword is at a place.
fn arms(tokens: &[Token], keyword: usize) -> Vec<Arm<'_>> {
    let is = |place: usize, text: &str| tokens.get(place).is_some_and(|it| it.text == text);
    let mut at = outside(tokens, keyword + 1, |place| is(place, "{")) + 1;
    let mut arms = Vec::new();
    while at < tokens.len() && !is(at, "}") {
        let arrow = outside(tokens, at, |place| is(place, "=") && is(place + 1, ">"));
        let guard = outside(&tokens[..arrow], at, |place| is(place, "if"));
        arms.push(Arm {
            pattern: &tokens[at..guard.min(arrow)],
            is_guarded: guard < arrow,
        });
        let body = arrow + 2;
        at = if is(body, "{") {
            outside(tokens, body + 1, |place| is(place, "}")) + 1
        } else {
            outside(tokens, body, |place| is(place, ",") || is(place, "}"))
        };
        if is(at, ",") {
            at += 1;
        }
    }
    arms
}

/// Every match on one of the enums that leaves variants to a wildcard.
fn wildcards(path: &str, source: &str) -> Vec<String> {
    let all = tokens(source);
    let (tokens, _) = without_tests(&all);
    let mut found = Vec::new();
    for place in (0..tokens.len()).filter(|place| tokens[*place].text == "match") {
        let arms = arms(&tokens, place);
        let named = ENUMS.iter().find(|name| arms.iter().any(|arm| arm.names(name)));
        if let Some(name) = named
            && arms.iter().any(Arm::takes_the_rest)
        {
            let line = tokens[place].line;
            found.push(format!("{path}:{line} a match on {name} has a wildcard"));
        }
    }
    found
}

#[test]
fn no_match_leaves_a_new_pane_operation_or_message_to_a_wildcard() {
    let found: Vec<String> = program()
        .iter()
        .flat_map(|(path, source)| wildcards(path, source))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_sort_of_wildcard_is_found() {
    for source in [
        "fn f() { match pane { Pane::Offers => 1, _ => 2 } }",
        "fn f() { match pane { Pane::Offers => { a(); } other => b(other), } }",
        "fn f() { match &self.pane() { Pane::A | Pane::B if x => (1, 2), Pane::C => 3, _ => 4 } }",
        "fn f() { match it { Some(x) => match x { Effect::Quit => 1, _ => 2 }, None => 3 } }",
    ] {
        assert_eq!(wildcards("a.rs", source).len(), 1, "{source}");
    }
}

#[test]
fn a_full_match_is_left_in_peace() {
    for source in [
        "fn f() { match pane { Pane::Offers => 1, Pane::Volumes | Pane::Requests => 2 } }",
        "fn f() { match action { Action::Quit => Pane::Offers, _ => 2 } }",
        "fn f() { match x { 1 => match pane { Pane::Offers => 1 }, _ => 2 } }",
        "// match pane { Pane::Offers => 1, _ => 2 }",
    ] {
        assert_eq!(wildcards("a.rs", source), Vec::<String>::new(), "{source}");
    }
}
