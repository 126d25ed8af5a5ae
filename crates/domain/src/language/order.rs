//! Orders and column lists as text: `dph_total,dlperf-` and `id,gpu_name`.

use std::ops::Range;

use super::error::LanguageError;
use crate::catalog::Catalog;
use crate::field::{Field, Kind};
use crate::query::{Direction, OrderKey};

/// Parses an order: keys separated by commas, each with a trailing or leading `-` (or the word `desc`) for
/// descending, `+`, `asc` or nothing for ascending. Blank keys and those that repeat a field are dropped. An
/// error for a field that is unknown or cannot be sorted by, and for a key with both directions.
pub fn parse_order(text: &str, catalog: &'static Catalog) -> Result<Vec<OrderKey>, LanguageError> {
    let mut keys: Vec<OrderKey> = Vec::new();
    let mut start = 0;
    for part in text.split(',') {
        let inner = part.trim();
        let begin = start + (part.len() - part.trim_start().len());
        start += part.len() + 1;
        if inner.is_empty() {
            continue;
        }
        let key = key(inner, begin, catalog)?;
        if keys.iter().all(|known| known.field != key.field) {
            keys.push(key);
        }
    }
    Ok(keys)
}

/// Parses one sort key with its direction, ascending without one; `begin` is its start in the whole order, in
/// bytes. An error for a field that is unknown or cannot be sorted by, and for both directions.
fn key(text: &str, begin: usize, catalog: &'static Catalog) -> Result<OrderKey, LanguageError> {
    let whole = begin..begin + text.len();
    let (name, signs) = signs(text);
    let (name, word) = direction_word(name);
    let name_begin = begin + text.find(name).unwrap_or(0);
    let span = name_begin..name_begin + name.len();
    if name.is_empty() {
        let message = "missing field before the sign: dph_total-";
        return Err(LanguageError::new(whole, message));
    }
    let field = match catalog.named(name) {
        Some(field) if field.sortable => field,
        Some(field) => {
            let message = format!("can't sort by {}", field.key);
            return Err(LanguageError::new(span, message));
        }
        None => return Err(unknown(name, span, whole, catalog)),
    };
    let mut directions: Vec<_> = signs.chars().map(sign_direction).chain(word).collect();
    directions.dedup();
    match directions[..] {
        [] => Ok(Direction::Ascending),
        [direction] => Ok(direction),
        _ => {
            let message = format!("{} can't be both ascending and descending: keep one sign", field.key);
            Err(LanguageError::new(whole.clone(), message).suggest(whole, format!("{}-", field.key)))
        }
    }
    .map(|direction| OrderKey { field, direction })
}

/// The direction of a sign: descending for `-`, ascending for any other.
const fn sign_direction(sign: char) -> Direction {
    match sign {
        '-' => Direction::Descending,
        _ => Direction::Ascending,
    }
}

/// Splits a name from the `+` and `-` signs before and after it, which are returned without blanks.
fn signs(text: &str) -> (&str, String) {
    let is_edge = |character: char| matches!(character, '+' | '-') || character.is_whitespace();
    let name = text.trim_matches(is_edge);
    let front = text.len() - text.trim_start_matches(is_edge).len();
    let behind = text.trim_end_matches(is_edge).len();
    let edges = text[..front].chars().chain(text[behind.max(front)..].chars());
    (name, edges.filter(|sign| !sign.is_whitespace()).collect())
}

/// Splits a name from the direction word after it (`asc`, `desc`, in full or short); `None` if there is none.
fn direction_word(text: &str) -> (&str, Option<Direction>) {
    let Some((name, word)) = text.rsplit_once(char::is_whitespace) else {
        return (text, None);
    };
    let direction = match word.to_ascii_lowercase().as_str() {
        "asc" | "ascending" => Direction::Ascending,
        "desc" | "descending" => Direction::Descending,
        _ => return (text, None),
    };
    (name.trim_end(), Some(direction))
}

/// The error for an unknown sort key; suggests commas between known names, or the closest name.
///
/// `span` is the range of the name, `whole` that of the key with its signs.
fn unknown(name: &str, span: Range<usize>, whole: Range<usize>, catalog: &'static Catalog) -> LanguageError {
    let mut words = name.split_whitespace().peekable();
    let several = words.clone().count() > 1;
    if several && words.all(|word| catalog.named(word.trim_matches(['+', '-'])).is_some()) {
        let joined: Vec<_> = name.split_whitespace().collect();
        let message = "separate sort keys with commas";
        return LanguageError::new(whole, message).suggest(span, joined.join(","));
    }
    let message = format!("no field '{name}' to sort by");
    let error = LanguageError::new(span.clone(), message);
    match catalog.suggest(name) {
        Some(known) if catalog.named(known).is_some_and(|field| field.sortable) => error.suggest(span, known),
        _ => error,
    }
}

/// Parses a list of columns: names or aliases separated by commas, in their order. Repeated columns are dropped.
/// Secrets are allowed: the caller decides whether to print them. An error for an unknown name or a mere
/// filter, and for no column at all.
pub fn parse_columns(text: &str, catalog: &'static Catalog) -> Result<Vec<&'static Field>, LanguageError> {
    let mut columns: Vec<&'static Field> = Vec::new();
    let mut start = 0;
    for part in text.split(',') {
        let name = part.trim();
        let begin = start + (part.len() - part.trim_start().len());
        start += part.len() + 1;
        if name.is_empty() {
            continue;
        }
        let column = column(name, begin..begin + name.len(), catalog)?;
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    if columns.is_empty() {
        return Err(LanguageError::new(0..text.len(), "missing column: id,price"));
    }
    Ok(columns)
}

/// The column or secret with this name or alias; an error if it is unknown or only a filter.
fn column(name: &str, span: Range<usize>, catalog: &'static Catalog) -> Result<&'static Field, LanguageError> {
    let is_column = |field: &&'static Field| field.is_column() || field.kind == Kind::Secret;
    match catalog.named(name).or_else(|| catalog.column(name)) {
        Some(field) if is_column(&field) => Ok(field),
        Some(field) => {
            let nouns = catalog.resource.nouns();
            let message = format!("{} is a filter, not a column of {nouns}", field.key);
            Err(LanguageError::new(span, message))
        }
        None => {
            let error = LanguageError::new(span.clone(), format!("no column '{name}'"));
            let close = catalog.suggest(name).and_then(|name| catalog.named(name));
            Err(match close.filter(is_column) {
                Some(field) => error.suggest(span, field.key),
                None => error,
            })
        }
    }
}

/// Formats an order, such as `dph_total,score-`; [`parse_order`] parses it back.
pub fn print_order(order: &[OrderKey]) -> String {
    let keys: Vec<_> = order
        .iter()
        .map(|key| match key.direction {
            Direction::Ascending => key.field.key.to_owned(),
            Direction::Descending => format!("{}-", key.field.key),
        })
        .collect();
    keys.join(",")
}
