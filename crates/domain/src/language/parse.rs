//! Parses a query from the pieces of its text.

use std::cmp::Ordering;
use std::ops::Range;

use super::diagnostics::conjunction;
use super::error::LanguageError;
use super::merge::{self, Held};
use super::operand::{Target, is_wildcard, not_allowed, sound};
use super::scan::{Item, List, Piece, Raw, Sign, Statement, scan};
use super::{Mode, Parsed, number};
use crate::catalog::{Catalog, Resource};
use crate::country;
use crate::dialect::Dialect;
use crate::field::{Field, Kind, Operator};
use crate::query::{Condition, Operand};
use crate::value::{Value, Version};

/// Parses a query and overlays its conditions on `seed`, the default conditions. An error for an invalid
/// condition, and for bare words except as `mode` allows.
///
/// Within the text every condition must match: an upper and a lower bound apply both, of two bounds with the
/// same operator the tighter one wins, `!=` twice becomes `notin`, `=` twice with different values is an
/// error. Over the seed, `=`, `!=` and lists replace those kinds on the field, a bound replaces the one with
/// the same operator and is added to others, and `field=any` removes all conditions on the field.
pub fn parse(
    text: &str,
    catalog: &'static Catalog,
    dialect: &'static Dialect,
    seed: &[Condition],
    mode: Mode,
) -> Result<Parsed, LanguageError> {
    let pieces = scan(text, catalog);
    let reader = Reader {
        text,
        catalog,
        dialect,
        mode,
    };
    let mut held = Held::default();
    let (mut words, mut removed) = (Vec::new(), Vec::new());
    for (index, piece) in pieces.iter().enumerate() {
        let previous = index.checked_sub(1).map(|index| &pieces[index]);
        let next = pieces.get(index + 1);
        match piece {
            Piece::Word(item) => words.push(reader.word(item, previous, next)?),
            Piece::Comma(span) => reader.comma(span, previous, next)?,
            Piece::Statement(statement) => match reader.statement(statement)? {
                Meaning::Free(field) => {
                    held.free(field);
                    if !removed.contains(&field) {
                        removed.push(field);
                    }
                }
                Meaning::Hold(conditions) => {
                    for condition in conditions {
                        held.add(condition, statement.span.clone())?;
                    }
                }
            },
        }
    }
    held.check(text)?;
    Ok(Parsed {
        conditions: merge::over(seed, held.conditions, &removed),
        words,
        removed,
    })
}

pub(super) enum Meaning {
    /// One condition, or two for the ends of a range.
    Hold(Vec<Condition>),
    Free(&'static Field),
}

/// Parses the pieces of one text.
pub(super) struct Reader<'a> {
    pub text: &'a str,
    /// The catalog of the fields that a query can name.
    pub catalog: &'static Catalog,
    /// The dialect, which decides the meaning of units.
    pub dialect: &'static Dialect,
    /// The handling of bare words.
    pub mode: Mode,
}

impl Reader<'_> {
    /// A range of the text; empty if it is not within the text.
    pub(super) fn slice(&self, span: &Range<usize>) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// Parses a statement: the conditions it adds, or the field it frees from conditions (`field=any`).
    pub(super) fn statement(&self, statement: &Statement) -> Result<Meaning, LanguageError> {
        let field = self.field(statement)?;
        let Some(sign) = &statement.sign else {
            return match &statement.value {
                Raw::One(item) if is_range(field, item) => self.range(field, item),
                _ => Err(self.no_operator(field, statement)),
            };
        };
        let operator = self.operator(sign, field)?;
        if let Raw::One(item) = &statement.value
            && is_wildcard(item)
            && operator == Operator::Eq
        {
            return Ok(Meaning::Free(field));
        }
        if !field.operators.allows(operator) {
            return Err(not_allowed(field, operator, sign.span.clone()));
        }
        let target = Target {
            field,
            operator,
            dialect: self.dialect,
        };
        let operand = match &statement.value {
            Raw::Missing => return Err(self.no_value(target, sign)),
            Raw::One(item) if operator.takes_list() => Operand::Many(target.many(&split(item))?),
            Raw::One(item) if self.is_group(field, item) => {
                return target.group(&split(item)).map(Meaning::Hold);
            }
            Raw::List(list) if operator.takes_list() => {
                self.stray_bracket(list)?;
                Operand::Many(target.many(list)?)
            }
            Raw::List(list) => return Err(self.unasked_list(sign, operator, &list.span)),
            Raw::One(item) => {
                if is_range(field, item) && operator == Operator::Eq {
                    return self.range(field, item);
                }
                self.separate(target, sign, item)?;
                Operand::One(target.value(item)?)
            }
        };
        let condition = Condition::new(field, operator, operand);
        Ok(Meaning::Hold(vec![condition]))
    }

    /// Whether an unquoted value of a location names a group of countries; of two letters, as in `EU`, only
    /// in the query bar.
    ///
    /// `EU` might be a code: the market's client sends it as one, so it has that meaning everywhere else.
    fn is_group(&self, field: &Field, item: &Item) -> bool {
        field.kind == Kind::Country
            && !item.quoted
            && country::group(&item.text).is_some()
            && (item.text.len() > 2 || self.mode == Mode::Bar)
    }

    /// The field of a statement; an error if it is unknown, missing or only shown, or computed in
    /// `Mode::Market`.
    fn field(&self, statement: &Statement) -> Result<&'static Field, LanguageError> {
        let span = statement.name.clone();
        let name = self.slice(&span);
        if name.is_empty() {
            let signs = statement.sign.as_ref().map_or(0..0, |sign| sign.span.clone());
            let message = format!("missing field before '{}'", self.slice(&signs));
            return Err(LanguageError::new(signs, message));
        }
        if let Some(field) = self.catalog.named(name) {
            if field.is_computed() && self.mode == Mode::Market {
                let message = format!("{} is computed by bourse: the market can't filter on it", field.key);
                return Err(LanguageError::new(span, message));
            }
            if field.is_filter() {
                return Ok(field);
            }
            let message = format!("{} is display-only: it can't be filtered on", field.key);
            return Err(LanguageError::new(span, message));
        }
        Err(self.no_field(span))
    }

    /// The operator of a sign; an error for signs that are not an operator.
    fn operator(&self, sign: &Sign, field: &Field) -> Result<Operator, LanguageError> {
        sign.operator.ok_or_else(|| self.no_sign(sign, field))
    }

    /// Rejects an unquoted value that contains `=`, `<`, `>`, `"` or a comma, as it runs into another
    /// condition or is a list. A comma within one location, such as `Texas,_US`, is fine.
    fn separate(&self, target: Target<'_>, sign: &Sign, item: &Item) -> Result<(), LanguageError> {
        let field = target.field;
        if item.quoted {
            return Ok(());
        }
        if item.text.contains(['=', '<', '>', '"']) {
            return Err(self.runs_on(item));
        }
        let is_country = field.kind == Kind::Country && target.value(item).is_ok() && {
            // `Taiwan,_TW` is one place, `US,CA` are two countries.
            item.text.split(',').any(|part| part.trim_matches('_').len() != 2)
        };
        let Some(comma) = item.text.find(',') else {
            return Ok(());
        };
        if is_country {
            return Ok(());
        }
        if let Err(error) = target.value(item)
            && error.suggestion.is_some()
        {
            return Err(error); // thousands
        }
        let mut error = self.unasked_list(sign, target.operator, &item.span);
        let at = item.span.start + comma;
        error.span = at..at + 1;
        Err(error)
    }

    /// Parses a range such as `2..8`, `24..48GB` or `..0.5` as its bounds, both included; the unit of the
    /// upper end applies to a bare lower end. An error if it has no end, or the larger one first.
    fn range(&self, field: &'static Field, item: &Item) -> Result<Meaning, LanguageError> {
        let (low, high) = item.text.split_once("..").unwrap_or((&item.text, ""));
        let shared = number::suffix(high);
        let end = |operator: Operator, text: &str, start: usize| {
            let target = Target {
                field,
                operator,
                dialect: self.dialect,
            };
            let part = Item {
                span: start..start + text.len(),
                text: text.to_owned(),
                ..item.clone()
            };
            let value = match field.kind {
                Kind::Version => Version::parse(text).map(Value::Version),
                _ => number::read_with(text, field, self.dialect, shared)
                    .ok()
                    .map(Value::Number),
            };
            let value = match value {
                Some(value) => value,
                None => target.value(&part)?,
            };
            Ok::<_, LanguageError>(Condition::new(field, operator, Operand::One(value)))
        };
        let mut ends = Vec::new();
        if !low.is_empty() {
            ends.push(end(Operator::Gte, low, item.span.start)?);
        }
        if !high.is_empty() {
            ends.push(end(Operator::Lte, high, item.span.end - high.len())?);
        }
        if let [low_end, high_end] = &ends[..]
            && let (Operand::One(from), Operand::One(to)) = (&low_end.operand, &high_end.operand)
            && from.order(to) == Some(Ordering::Greater)
        {
            let message = "a range goes from the smaller to the larger value";
            return Err(
                LanguageError::new(item.span.clone(), message).suggest(item.span.clone(), format!("{high}..{low}"))
            );
        }
        if ends.is_empty() {
            let message = "a range needs at least one end: 2..8, 2.. or ..8";
            return Err(LanguageError::new(item.span.clone(), message));
        }
        Ok(Meaning::Hold(ends))
    }

    /// Rejects a comma that follows a condition and precedes a bare word; any other comma is fine.
    fn comma(&self, span: &Range<usize>, previous: Option<&Piece>, next: Option<&Piece>) -> Result<(), LanguageError> {
        let (Some(Piece::Statement(before)), Some(Piece::Word(word))) = (previous, next) else {
            return Ok(());
        };
        Err(self.comma_before(span, before, word))
    }

    /// The text of a bare word, which `Mode::Bar` alone accepts. A word that belongs to a neighbouring
    /// condition is an error.
    fn word(&self, item: &Item, previous: Option<&Piece>, next: Option<&Piece>) -> Result<String, LanguageError> {
        sound(item, " ")?;
        if let Some(Piece::Statement(before)) = previous {
            let joining = match next {
                Some(Piece::Statement(after)) => conjunction(item, after),
                _ => None,
            };
            let complaint = joining.or_else(|| self.torn_off(item, before));
            if let Some(error) = complaint {
                return Err(error);
            }
        }
        if self.mode == Mode::Bar {
            return Ok(item.text.clone());
        }
        let message = format!(
            "'{}' is not part of a condition: write a field, an operator and a value, {}",
            item.text,
            match self.catalog.resource {
                Resource::Offers => "such as num_gpus>=2",
                Resource::Volumes => "such as disk_space>=100",
                Resource::Workergroups => "such as gpu_ram>=24",
            }
        );
        Err(LanguageError::new(item.span.clone(), message))
    }
}

/// Whether an unquoted value is a range: its field has an order, and it contains `..`.
fn is_range(field: &Field, item: &Item) -> bool {
    let ordered = matches!(
        field.kind,
        Kind::Integer | Kind::Number | Kind::Id | Kind::Version | Kind::Epoch | Kind::Timestamp
    );
    ordered && !item.quoted && item.text.contains("..")
}

/// Splits the single value after an operator for lists, or a group of countries, at its commas into a list,
/// as the market's client does. Empty parts are dropped, unless the quotes of the value are faulty.
fn split(item: &Item) -> List {
    let mut items = Vec::new();
    let sound = item.closed && !item.glued;
    for part in item.text.split(',').map(str::trim) {
        if !sound || !part.is_empty() {
            items.push(Item {
                text: part.to_owned(),
                ..item.clone()
            });
        }
    }
    List {
        span: item.span.clone(),
        items,
        bracketed: false,
        closed: true,
        glued: false,
    }
}
