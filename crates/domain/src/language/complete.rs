//! Completion of a query at the cursor.

use std::ops::Range;

use super::Mode;
use super::parse::Reader;
use super::print::print_value;
use super::scan::{Item, Piece, Raw, Statement, scan};
use crate::catalog::Catalog;
use crate::country;
use crate::dialect::Dialect;
use crate::field::{Field, Filter, Format, Kind, Operator};
use crate::value::Value;

/// The value that frees a field.
pub const ANY: &str = "any";

/// The maximum number of candidates.
const MOST: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The text that replaces [`Completion::span`].
    pub insert: String,
    pub label: String,
    pub doc: String,
}

/// The completion candidates at a position.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    /// The range that a candidate replaces, in bytes.
    pub span: Range<usize>,
    /// The texts that fit here, likeliest first.
    pub candidates: Vec<Candidate>,
    /// The field whose values the candidates are; `None` if they are not values.
    pub values_of: Option<&'static Field>,
}

/// The completion at byte `cursor`: field names, operators after a field, or values after an operator; at
/// most 64 candidates. Text after the cursor is ignored.
///
/// The values are those in `seen` (of text fields, as in the records, in this order), then the field's
/// choices.
pub fn complete(
    text: &str,
    cursor: usize,
    catalog: &'static Catalog,
    dialect: &'static Dialect,
    seen: &dyn Fn(&Field) -> Vec<String>,
) -> Completion {
    let cursor = text.floor_char_boundary(cursor);
    let before = &text[..cursor];
    let reader = Reader {
        text: before,
        catalog,
        dialect,
        mode: Mode::Bar,
    };
    let at_blank = before.ends_with(|last: char| last.is_whitespace() || last == ',');
    let mut completion = match scan(before, catalog).pop() {
        Some(Piece::Statement(statement)) => behind(&reader, &statement, at_blank, seen),
        Some(Piece::Word(item)) if !at_blank && !item.quoted => at_word(before, &item, catalog),
        Some(Piece::Word(item)) if !item.closed => Completion::default(),
        _ => fields(before, cursor..cursor, catalog),
    };
    completion.candidates.truncate(MOST);
    completion
}

/// The completion at a bare word that ends the text: of an operator if a field is before it, else of a field
/// name. `before` is the whole text up to the cursor.
fn at_word(before: &str, item: &Item, catalog: &'static Catalog) -> Completion {
    let front = before[..item.span.start].trim_end();
    let last = front.rsplit(char::is_whitespace).next().unwrap_or_default();
    match catalog.named(last).filter(|field| field.is_filter()) {
        Some(field) => operators(field, &item.text, item.span.clone(), ""),
        None => fields(before, item.span.clone(), catalog),
    }
}

/// The completion within or after the condition `statement`, which ends the text: longer field names and
/// operators, or values. Empty for an unknown field; `at_blank` if a blank or comma follows.
fn behind(
    reader: &Reader<'_>,
    statement: &Statement,
    at_blank: bool,
    seen: &dyn Fn(&Field) -> Vec<String>,
) -> Completion {
    let before = reader.text;
    let end = before.len();
    let name = &before[statement.name.clone()];
    let Some(field) = reader.catalog.named(name).filter(|field| field.is_filter()) else {
        return Completion {
            span: end..end,
            ..Completion::default()
        };
    };
    let Some(sign) = &statement.sign else {
        if at_blank {
            return operators(field, "", end..end, "");
        }
        // After a name: longer names, and the operators of this one.
        let mut longer = fields(before, statement.name.clone(), reader.catalog);
        longer.candidates.retain(|candidate| candidate.label != field.key);
        let mut completion = operators(field, "", statement.name.clone(), name);
        completion.candidates.append(&mut longer.candidates);
        return completion;
    };
    let Some(operator) = sign.operator else {
        return operators(field, "", sign.span.clone(), "");
    };
    let values = Values { field, operator, seen };
    match &statement.value {
        // The sign may become a longer word.
        Raw::Missing if sign.span.end == end && operator.takes_list() => {
            operators(field, &before[sign.span.clone()], sign.span.clone(), "")
        }
        value => at_value(reader, value, &values, at_blank),
    }
}

/// The completion within or after the value of a condition that ends the text: values that begin with it, or
/// field names once it is complete. `at_blank` if a blank or comma follows.
fn at_value(reader: &Reader<'_>, value: &Raw, values: &Values<'_>, at_blank: bool) -> Completion {
    let (before, end) = (reader.text, reader.text.len());
    match value {
        Raw::Missing => values.starting("", end..end, &[]),
        Raw::One(item) if item.quoted && item.closed => fields(before, end..end, reader.catalog),
        Raw::One(_) if at_blank => fields(before, end..end, reader.catalog),
        Raw::One(item) => match item.text.rfind(',').filter(|_| !item.quoted) {
            Some(comma) => fields(before, item.span.start + comma + 1..end, reader.catalog),
            None => values.starting(&item.text, item.span.clone(), &[]),
        },
        Raw::List(list) if list.closed && list.bracketed => fields(before, end..end, reader.catalog),
        Raw::List(list) => {
            let listed: Vec<_> = list.items.iter().map(|item| item.text.clone()).collect();
            match list.items.last() {
                Some(item) if item.span.end == end && !(item.quoted && item.closed) => {
                    let others = &listed[..listed.len() - 1];
                    values.starting(&item.text, item.span.clone(), others)
                }
                Some(_) if !list.bracketed => fields(before, end..end, reader.catalog),
                _ => values.starting("", end..end, &listed),
            }
        }
    }
}

/// Completes a field name: the field whose name or alias is in `span`, then those whose names or aliases
/// begin with it (server-side filters first), then those whose names contain it.
fn fields(before: &str, span: Range<usize>, catalog: &'static Catalog) -> Completion {
    let typed = before[span.clone()].to_ascii_lowercase();
    let rank = |field: &Field| {
        let mut names = std::iter::once(field.key).chain(field.aliases.iter().copied());
        let is_local = field.filter == Filter::Local;
        if field.key == typed || field.aliases.contains(&&*typed) {
            Some(0)
        } else if field.key.starts_with(&typed) && !is_local {
            Some(1)
        } else if names.clone().any(|name| name.starts_with(&typed)) {
            Some(2 + u8::from(is_local))
        } else if names.any(|name| name.contains(&typed)) {
            Some(4)
        } else {
            None
        }
    };
    let mut ranked: Vec<_> = catalog
        .filters()
        .into_iter()
        .filter_map(|field| rank(field).map(|rank| (rank, field)))
        .collect();
    // The sort is stable: within a rank fields stay in the order of the catalog.
    ranked.sort_by_key(|(rank, _)| *rank);
    let candidates = ranked.into_iter().map(|(_, field)| Candidate {
        insert: field.key.to_owned(),
        label: field.key.to_owned(),
        doc: field.doc.to_owned(),
    });
    Completion {
        span,
        candidates: candidates.collect(),
        values_of: None,
    }
}

/// Completes an operator: those of the field that begin with `typed`. A candidate replaces `span` by `name`
/// and the operator, with an opening bracket if it takes a list.
fn operators(field: &Field, typed: &str, span: Range<usize>, name: &str) -> Completion {
    let typed = typed.to_ascii_lowercase();
    let candidates = field
        .operators
        .iter()
        .filter(|operator| operator.symbol().starts_with(&typed))
        .map(|operator| {
            let symbol = operator.symbol();
            let insert = match (operator.takes_list(), name.is_empty()) {
                (true, true) => format!("{symbol} ["),
                (true, false) => format!("{name} {symbol} ["),
                (false, _) => format!("{name}{symbol}"),
            };
            Candidate {
                insert,
                label: symbol.to_owned(),
                doc: operator.words().to_owned(),
            }
        });
    Completion {
        span,
        candidates: candidates.collect(),
        values_of: None,
    }
}

/// Completes the values of a field.
struct Values<'a> {
    field: &'static Field,
    operator: Operator,
    seen: &'a dyn Fn(&Field) -> Vec<String>,
}

impl Values<'_> {
    /// Completes a value of the field in `span`: those that begin with `typed`, then those that contain it,
    /// without the `listed` ones.
    fn starting(&self, typed: &str, span: Range<usize>, listed: &[String]) -> Completion {
        let wanted = plain(typed);
        let listed: Vec<_> = listed.iter().map(|text| plain(text)).collect();
        let mut ranked: Vec<(bool, Candidate)> = Vec::new();
        for candidate in self.all() {
            let (label, insert) = (plain(&candidate.label), plain(&candidate.insert));
            let begins = label.starts_with(&wanted) || insert.starts_with(&wanted);
            let known = ranked.iter().any(|(_, known)| known.insert == candidate.insert);
            if !known && !listed.contains(&label) && (begins || label.contains(&wanted)) {
                ranked.push((!begins, candidate));
            }
        }
        ranked.sort_by_key(|(later, _)| *later);
        Completion {
            span,
            candidates: ranked.into_iter().map(|(_, candidate)| candidate).collect(),
            values_of: Some(self.field),
        }
    }

    /// All values of the field: true and false, those seen, its choices, groups of countries, and `any` after
    /// `=`. May repeat.
    fn all(&self) -> Vec<Candidate> {
        let field = self.field;
        let literal = |word: &str, doc: &str| Candidate {
            insert: word.to_owned(),
            label: word.to_owned(),
            doc: doc.to_owned(),
        };
        let is_text = matches!(field.kind, Kind::Text | Kind::Country);
        let value = |text: &str, doc: &str| Candidate {
            insert: if is_text {
                print_value(field, &Value::Text(text.to_owned()))
            } else {
                text.to_owned()
            },
            label: text.to_owned(),
            doc: doc.to_owned(),
        };
        let mut all = Vec::new();
        if field.kind == Kind::Flag || field.format == Format::YesNo {
            all.push(literal("true", "yes"));
            all.push(literal("false", "no"));
        }
        for text in (self.seen)(field) {
            let text = if field.kind == Kind::Country {
                country::code(&text)
            } else {
                &text
            };
            let is_known = field.choices.contains(&text);
            all.push(value(text, if is_known { "" } else { "seen here" }));
        }
        all.extend(field.choices.iter().map(|choice| value(choice, "")));
        if field.kind == Kind::Country {
            let groups = country::GROUPS.iter();
            all.extend(groups.map(|(name, _)| literal(name, "group of countries")));
        }
        if self.operator == Operator::Eq {
            all.push(literal(ANY, "no condition on this field"));
        }
        all
    }
}

/// A value normalised for matching: lower case, blanks for `_`, without quotes.
fn plain(text: &str) -> String {
    text.trim_matches(['"', '\'']).replace('_', " ").to_lowercase()
}
