//! Error messages about a piece of a query, with suggested fixes.

use std::ops::Range;

use super::error::LanguageError;
use super::operand::{Target, allowed, squashed};
use super::parse::Reader;
use super::scan::{Item, List, Raw, Sign, Statement};
use super::{Mode, number};
use crate::field::{Field, Kind, Operator};

/// Search parameters that are not conditions, with the place to set them.
const BESIDE: [(&str, &str); 6] = [
    ("limit", "the limit is not part of the query (--limit)"),
    ("order", "the order is not part of the query (--order)"),
    ("type", "the offer type is not part of the query (--type)"),
    ("allocated_storage", "the storage is not part of the query (--storage)"),
    ("disable_bundling", "bundling is not part of the query"),
    ("q", "write conditions without a surrounding q"),
];

/// Common misspellings of operators, with the correct ones.
const MISWRITTEN: [(&str, &str); 23] = [
    ("=>", ">="),
    ("=<", "<="),
    ("≥", ">="),
    ("≤", "<="),
    ("≠", "!="),
    ("<>", "!="),
    ("!", "!="),
    ("!==", "!="),
    ("=!", "!="),
    ("~=", "="),
    ("=~", "="),
    ("~", "="),
    (":", "="),
    ("===", "="),
    (">>", ">"),
    ("<<", "<"),
    ("is", "="),
    ("equals", "="),
    ("ge", ">="),
    ("le", "<="),
    ("ne", "!="),
    ("over", ">"),
    ("under", "<"),
];

/// The operator meant by a common misspelling, in any case; `None` if it is not a known one.
fn miswritten(signs: &str) -> Option<&'static str> {
    let lower = signs.to_ascii_lowercase();
    MISWRITTEN
        .iter()
        .find(|(wrong, _)| *wrong == lower)
        .map(|(_, right)| *right)
}

impl Reader<'_> {
    /// The error for an unknown field name: to remove brackets around a condition, to set a parameter such as
    /// `limit` elsewhere, else with the closest name of a field that can be filtered on, if any.
    pub(super) fn no_field(&self, span: Range<usize>) -> LanguageError {
        let name = self.slice(&span);
        let bare = name.trim_start_matches(['(', '[', '{']);
        if bare.len() < name.len() && self.catalog.named(bare).is_some() {
            let opening = span.start..span.end - bare.len();
            let message = "remove the brackets around conditions";
            return LanguageError::new(opening, message);
        }
        let lower = name.to_ascii_lowercase();
        if let Some((_, message)) = BESIDE.iter().find(|(known, _)| *known == lower) {
            return LanguageError::new(span, *message);
        }
        let message = format!("no field '{name}' in {}", self.catalog.resource.nouns());
        let error = LanguageError::new(span.clone(), message);
        let known = self
            .catalog
            .suggest(name)
            .filter(|known| self.catalog.named(known).is_some_and(Field::is_filter));
        match known {
            Some(known) => error.suggest(span, known),
            None => error,
        }
    }

    /// The error for signs that are not an operator; suggests the operator if they are a common misspelling.
    pub(super) fn no_sign(&self, sign: &Sign, field: &Field) -> LanguageError {
        let signs = self.slice(&sign.span);
        let message = format!("'{signs}' is not an operator: use {}", allowed(field));
        let error = LanguageError::new(sign.span.clone(), message);
        match miswritten(signs) {
            Some(right) => error.suggest(sign.span.clone(), right),
            None => error,
        }
    }

    /// The error for a field without an operator. Suggests the right one for a misspelt one, `=` before a
    /// plausible value, or `=true` for a flag.
    pub(super) fn no_operator(&self, field: &'static Field, statement: &Statement) -> LanguageError {
        let end = statement.name.end;
        let rest = self.text.get(end..).unwrap_or_default();
        let next = rest.split_whitespace().next().unwrap_or_default();
        let gap = end..end + (rest.len() - rest.trim_start().len());
        let message = format!(
            "{} is a field: add an operator and a value ({})",
            field.key,
            allowed(field)
        );
        let next_is_field = self.catalog.named(next).is_some();
        let replaced = gap.end..gap.end + next.len();
        if let Some(right) = miswritten(next) {
            return LanguageError::new(replaced.clone(), message).suggest(replaced, right);
        }
        let error = LanguageError::new(statement.name.clone(), message);
        if !next_is_field && self.may_equal(field, next) {
            return error.suggest(gap, "=");
        }
        if field.kind == Kind::Flag {
            return error.suggest(end..end, "=true");
        }
        error
    }

    /// Whether a word that is not empty parses as the field's value after `=`; for a text field only if it is
    /// one of the choices, compared by their squashed forms.
    fn may_equal(&self, field: &'static Field, word: &str) -> bool {
        if field.kind == Kind::Text {
            let is_word = |choice: &&str| squashed(choice) == squashed(word);
            return field.choices.iter().any(is_word);
        }
        let target = Target {
            field,
            operator: Operator::Eq,
            dialect: self.dialect,
        };
        let item = Item {
            span: 0..word.len(),
            text: word.to_owned(),
            quoted: false,
            closed: true,
            glued: false,
        };
        !word.is_empty() && target.value(&item).is_ok()
    }

    /// The error for an operator without a value, with the values that the field takes.
    pub(super) fn no_value(&self, target: Target<'_>, sign: &Sign) -> LanguageError {
        let end = sign.span.end;
        let message = format!("missing value after '{}': {}", self.slice(&sign.span), target.wanted());
        LanguageError::new(end..end, message)
    }

    /// The error for several values after an operator that takes one; after `=` and `!=` it suggests a list,
    /// after others nothing. `span` is the range of the values.
    pub(super) fn unasked_list(&self, sign: &Sign, operator: Operator, span: &Range<usize>) -> LanguageError {
        let list = match operator {
            Operator::Eq => "in",
            Operator::Neq => "notin",
            _ => {
                let message = format!("{} takes one number", operator.symbol());
                return LanguageError::new(span.clone(), message);
            }
        };
        let values = self.slice(span).trim_matches(['[', ']', '(', ')']);
        let apart = self
            .text
            .get(..sign.span.start)
            .is_some_and(|before| before.ends_with(char::is_whitespace));
        let blank = if apart { "" } else { " " };
        let message = format!("{} takes one value; for a list write {list} [..]", operator.symbol());
        LanguageError::new(span.clone(), message)
            .suggest(sign.span.start..span.end, format!("{blank}{list} [{values}]"))
    }

    /// Rejects a list with a closing bracket but no opening one.
    pub(super) fn stray_bracket(&self, list: &List) -> Result<(), LanguageError> {
        let span = &list.span;
        if list.bracketed || !self.slice(span).ends_with([']', ')']) {
            return Ok(());
        }
        let bracket = span.end - 1..span.end;
        let message = "unmatched bracket: start the list with [";
        Err(LanguageError::new(bracket, message).suggest(span.start..span.start, "["))
    }

    /// The error for a value that contains an operator or a quote: suggests a space if the name of a field is
    /// before the operator (`2num_gpus=4`), else quotes around the value.
    pub(super) fn runs_on(&self, item: &Item) -> LanguageError {
        let start = item.span.start;
        for (offset, _) in item.text.char_indices().skip(1) {
            let name = item.text[offset..].split(['=', '<', '>', '!']).next();
            let known = name.filter(|name| self.catalog.named(name).is_some());
            if let Some(name) = known {
                let at = start + offset;
                let message = "missing space before this condition";
                return LanguageError::new(at..at + name.len(), message).suggest(at..at, " ");
            }
        }
        let quote = if item.text.contains('"') { '\'' } else { '"' };
        let message = "quote a value that contains a quote, =, < or >";
        LanguageError::new(item.span.clone(), message)
            .suggest(item.span.clone(), format!("{quote}{}{quote}", item.text))
    }

    /// The error for a comma between a condition and a word; suggests a list if the condition is one value
    /// after `=` and the word may be one more.
    pub(super) fn comma_before(&self, span: &Range<usize>, before: &Statement, word: &Item) -> LanguageError {
        let message = format!("'{}' is not a condition; write a list in brackets: in [a,b]", word.text);
        let error = LanguageError::new(span.clone(), message);
        let Some(sign) = &before.sign else {
            return error;
        };
        let is_more = self
            .catalog
            .named(self.slice(&before.name))
            .is_some_and(|field| field.kind != Kind::Flag && self.may_equal(field, &word.text));
        if is_more && sign.operator == Some(Operator::Eq) && matches!(before.value, Raw::One(_)) {
            let values = sign.span.end..word.span.end;
            let listed = self.unasked_list(sign, Operator::Eq, &values);
            LanguageError {
                suggestion: listed.suggestion,
                ..error
            }
        } else {
            error
        }
    }

    /// The error for a word that belongs to the preceding value: `gpu_name=RTX 4090`, `gpu_ram>=24 GB`.
    /// `None` for any other word, in the bar also for one that does not continue a known value of a text
    /// field.
    pub(super) fn torn_off(&self, item: &Item, before: &Statement) -> Option<LanguageError> {
        let Raw::One(value) = &before.value else {
            return None;
        };
        let field = self.catalog.named(self.slice(&before.name))?;
        if value.quoted || item.quoted {
            return None;
        }
        let gap = value.span.end..item.span.start;
        match field.kind {
            Kind::Text => {
                let joined = squashed(&format!("{}{}", value.text, item.text));
                let alone = squashed(&value.text);
                let choices: Vec<_> = field.choices.iter().map(|name| squashed(name)).collect();
                let known = choices.contains(&joined)
                    || (!choices.contains(&alone) && choices.iter().any(|name| name.starts_with(&joined)));
                // `discord` is not part of a model's name.
                let goes_on = choices.is_empty() || item.text.contains(|c: char| c.is_ascii_digit());
                (known || (self.mode != Mode::Bar && goes_on)).then(|| {
                    let message = "a space ends the value: use _ or quotes";
                    LanguageError::new(item.span.clone(), message).suggest(gap, "_")
                })
            }
            Kind::Integer | Kind::Number | Kind::Id => {
                let joined = format!("{}{}", value.text, item.text);
                let is_unit = item.text.starts_with(|first: char| !first.is_ascii_digit())
                    && number::read(&joined, field, self.dialect).is_ok();
                is_unit.then(|| {
                    let message = "write the unit without a space before it";
                    LanguageError::new(item.span.clone(), message).suggest(gap, "")
                })
            }
            _ => None,
        }
    }
}

/// The error for `and`, `or`, or a sign for one of them (`&`, `&&`, `|`, `||`) before the condition `after`;
/// `None` for any other or a quoted word. It suggests to remove an `and`.
pub(super) fn conjunction(item: &Item, after: &Statement) -> Option<LanguageError> {
    let span = item.span.clone();
    match item.text.to_ascii_lowercase().as_str() {
        "and" | "&&" | "&" if !item.quoted => {
            let message = "all conditions must match: remove this word";
            let gap = span.start..after.span.start;
            Some(LanguageError::new(span, message).suggest(gap, ""))
        }
        "or" | "||" | "|" if !item.quoted => {
            let message = "all conditions must match, there is no or: for several values of a field write in [a,b]";
            Some(LanguageError::new(span, message))
        }
        _ => None,
    }
}
