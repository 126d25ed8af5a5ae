//! Suggestions for names that match nothing.

use super::operand::squashed;
use super::print::print_condition;
use crate::field::{Kind, Operator};
use crate::query::{Condition, Operand};
use crate::value::Value;

/// The maximum number of suggestions.
const MOST: usize = 4;

/// The condition probably meant by one with an unknown name, with up to four similar names for each; `None`
/// if its names are known, no name is similar, or it is not `=` or `in` on a text field. `seen` are the names
/// that occur in records, in addition to those of the catalog.
///
/// ```
/// use bourse_domain::{Dialect, OFFERS, language};
/// let parsed = language::parse("gpu_name=4090", &OFFERS, &Dialect::DOCUMENTED, &[], language::Mode::Strict)?;
/// let meant = language::did_you_mean(&parsed.conditions[0], &[]);
/// assert_eq!(meant.as_deref(), Some("gpu_name=RTX_4090"));
/// # Ok::<(), language::LanguageError>(())
/// ```
pub fn did_you_mean(condition: &Condition, seen: &[String]) -> Option<String> {
    let field = condition.field;
    if field.kind != Kind::Text || !matches!(condition.operator, Operator::Eq | Operator::In) {
        return None;
    }
    let mut known: Vec<&str> = field.choices.to_vec();
    known.extend(seen.iter().map(String::as_str));
    let values = condition.operand.values();
    let mut names: Vec<&str> = Vec::new();
    let mut is_changed = false;
    for value in values {
        let Value::Text(text) = value else {
            return None;
        };
        let near = if known.contains(&text.as_str()) {
            vec![text.as_str()]
        } else {
            is_changed = true;
            nearest(text, &known)
        };
        for name in near {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let text = |name: &&str| Value::Text((*name).to_owned());
    let (operator, operand) = match names.as_slice() {
        _ if !is_changed => return None,
        [] => return None,
        [name] => (Operator::Eq, Operand::One(text(name))),
        names => (Operator::In, Operand::Many(names.iter().map(text).collect())),
    };
    Some(print_condition(&Condition::new(field, operator, operand)))
}

/// The names closest to a text, by the first of these tests that any name passes: equal except for case and
/// blanks, with all its words, containing it, differing by typos. At most four, shortest first.
fn nearest<'a>(text: &str, known: &[&'a str]) -> Vec<&'a str> {
    let wanted = squashed(text);
    let words = |text: &str| -> Vec<String> { text.split_whitespace().map(squashed).collect() };
    let wanted_words = words(&text.replace('_', " "));
    let has_words = |name: &str| {
        let name_words = words(name);
        wanted_words.iter().all(|word| name_words.contains(word))
    };
    // The first test with a match decides: a typo is only considered if no name contains the text.
    let tests: [&dyn Fn(&str) -> bool; 4] = [
        &|name| squashed(name) == wanted,
        &has_words,
        &|name| squashed(name).contains(&wanted),
        &|name| is_slip(&squashed(name), &wanted),
    ];
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut suggested: Vec<&str> = tests
        .iter()
        .map(|test| known.iter().copied().filter(|name| test(name)).collect())
        .find(|suggested: &Vec<_>| !suggested.is_empty())
        .unwrap_or_default();
    // Of a shorter name, a larger part was typed.
    suggested.sort_by_key(|name| (name.len(), *name));
    suggested.dedup();
    suggested.truncate(MOST);
    suggested
}

/// Whether two names differ only by typos: one edit, and one more for every eight letters, but no digits.
///
/// Other digits name another model, which may exist: an RTX 3080 is not meant to be an RTX 3090.
fn is_slip(left: &str, right: &str) -> bool {
    let digits = |text: &str| {
        let mut digits: Vec<char> = text.chars().filter(char::is_ascii_digit).collect();
        digits.sort_unstable();
        digits
    };
    let slips = strsim::damerau_levenshtein(left, right);
    // One typo, and another for every eight letters: short names are all within two of each other.
    slips <= 1 + left.len().min(right.len()) / 8 && digits(left) == digits(right)
}
