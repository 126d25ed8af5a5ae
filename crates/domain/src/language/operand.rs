//! Parses operands: values in the context of their field.

use super::error::LanguageError;
use super::number::{self, Fault};
use super::print::print_value;
use super::scan::{self, Item, List};
use crate::country;
use crate::dialect::Dialect;
use crate::field::{Field, Format, Kind, Operator};
use crate::query::{Condition, Operand};
use crate::value::{Value, Version};

/// The field and operator for which a value is parsed.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    /// The field that the operand is compared with.
    pub field: &'static Field,
    pub operator: Operator,
    /// The dialect, which decides the meaning of units.
    pub dialect: &'a Dialect,
}

/// Parses the text of a value editor: one value, blanks allowed without quotes, or for `in` and `nin` a list
/// with or without brackets. Spans are relative to the start of `text`. An error for blank text, an operator
/// that the field does not allow, and an invalid value.
pub fn parse_operand(
    field: &'static Field,
    operator: Operator,
    text: &str,
    dialect: &'static Dialect,
) -> Result<Operand, LanguageError> {
    let all = 0..text.len();
    if !field.operators.allows(operator) {
        return Err(not_allowed(field, operator, all));
    }
    let target = Target {
        field,
        operator,
        dialect,
    };
    let offset = text.len() - text.trim_start().len();
    let inner = text.trim();
    if inner.is_empty() {
        return Err(LanguageError::new(all, target.wanted()));
    }
    let read = if operator.takes_list() {
        let list = scan::list(inner);
        if list.span.end < inner.len() {
            let rest = list.span.end..inner.len();
            Err(LanguageError::new(rest, "unexpected text after the list"))
        } else {
            target.many(&list).map(Operand::Many)
        }
    } else {
        let item = scan::item(inner);
        target.value(&item).map(Operand::One)
    };
    read.map_err(|error| error.shifted(offset))
}

/// The error for an operator that a field does not allow.
pub(super) fn not_allowed(field: &Field, operator: Operator, span: std::ops::Range<usize>) -> LanguageError {
    let nature = match field.kind {
        Kind::Flag => "is true or false",
        _ => "is text",
    };
    let message = format!(
        "{} {nature} and cannot be compared with {}: use {}",
        field.key,
        operator.symbol(),
        allowed(field),
    );
    LanguageError::new(span, message)
}

/// The operators of a field in query syntax, separated by blanks.
pub(super) fn allowed(field: &Field) -> String {
    let symbols: Vec<_> = field.operators.iter().map(Operator::symbol).collect();
    symbols.join(" ")
}

/// Whether an unquoted value removes the conditions on the field: `any`, `*` or `?`.
pub(super) fn is_wildcard(item: &Item) -> bool {
    !item.quoted && (item.text.eq_ignore_ascii_case("any") || matches!(&*item.text, "*" | "?"))
}

/// Checks the quotes of a value: an error if its quote is open, or text other than `separator` follows the
/// closed one.
pub(super) fn sound(item: &Item, separator: &str) -> Result<(), LanguageError> {
    let end = item.span.end;
    if !item.closed {
        let quote = if item.text.contains('"') { "'" } else { "\"" };
        return Err(
            LanguageError::new(item.span.clone(), "missing closing quote at the end of the value")
                .suggest(end..end, quote),
        );
    }
    if item.glued {
        let what = if separator == "," { "a comma" } else { "a blank" };
        let message = format!("missing {what} after the closing quote");
        return Err(LanguageError::new(end - 1..end, message).suggest(end..end, separator));
    }
    Ok(())
}

/// A text normalised for matching choices: letters and digits only, in lower case.
pub(super) fn squashed(text: &str) -> String {
    text.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The choice of the field that equals `text` except for case, blanks and signs, as the market spells it;
/// without one the text.
pub(super) fn canonical(field: &Field, text: &str) -> String {
    let wanted = squashed(text);
    field
        .choices
        .iter()
        .find(|choice| !wanted.is_empty() && squashed(choice) == wanted)
        .map_or_else(|| text.to_owned(), |choice| (*choice).to_owned())
}

impl Target<'_> {
    /// Describes the values that the field takes, for error messages: `num_gpus takes a number`.
    pub(super) fn wanted(self) -> String {
        let what = match self.field.kind {
            Kind::Flag => "true or false".to_owned(),
            _ if self.field.format == Format::YesNo => "true or false (1 or 0)".to_owned(),
            Kind::Version => "a driver version such as 535.86.05".to_owned(),
            Kind::Country => "a two-letter country code such as SE".to_owned(),
            Kind::Text => "a value such as ".to_owned() + &self.example(),
            Kind::Epoch | Kind::Timestamp => {
                "a date such as 2030-01-31, a moment such as 2030-01-31T12:00Z or seconds since 1970".to_owned()
            }
            _ => self.number_hint(),
        };
        let key = self.field.key;
        if self.operator.takes_list() {
            format!("{key} takes a list in brackets, each item {what}")
        } else {
            format!("{key} takes {what}")
        }
    }

    /// An example of a text value: the field's first choice, else `word`, as in a query.
    fn example(self) -> String {
        let choice = self.field.choices.first().copied().unwrap_or("word");
        print_value(self.field, &Value::Text(choice.to_owned()))
    }

    /// Describes a number of the field with its unit and other accepted units:
    /// `a number in GB (or with a unit: mb gb)`.
    fn number_hint(self) -> String {
        let unit = self.field.unit;
        let suffixes: Vec<_> = unit.spellings(self.dialect).collect();
        let symbol = match unit.query_symbol(self.dialect) {
            "" => String::new(),
            "0..1" => " from 0 to 1".to_owned(),
            symbol => format!(" in {symbol}"),
        };
        if suffixes.is_empty() {
            format!("a number{symbol}")
        } else {
            format!("a number{symbol} (or with a unit: {})", suffixes.join(" "))
        }
    }

    /// Parses one value by the field's kind. `null` is a value only after `=` and `!=`; `any` and the like
    /// are errors.
    pub(super) fn value(self, item: &Item) -> Result<Value, LanguageError> {
        sound(item, " ")?;
        if is_wildcard(item) {
            let message = format!("'{}' works only with =: {}=any", item.text, self.field.key);
            return Err(LanguageError::new(item.span.clone(), message));
        }
        if self.is_null(item) {
            return if matches!(self.operator, Operator::Eq | Operator::Neq) {
                Ok(Value::Null)
            } else {
                let message = "null works only with = and !=";
                Err(LanguageError::new(item.span.clone(), message))
            };
        }
        match self.field.kind {
            Kind::Flag => self.flag(item),
            Kind::Version => Version::parse(item.text.trim())
                .map(Value::Version)
                .ok_or_else(|| self.unfit(item)),
            Kind::Country => self.country(item).map(Value::Text),
            Kind::Text | Kind::List | Kind::Secret => Ok(Value::Text(self.words(item))),
            Kind::Integer | Kind::Number | Kind::Id | Kind::Epoch | Kind::Timestamp => self.number(item),
        }
    }

    /// The values of a list without duplicates; a group of countries expands to its members. An empty list, a
    /// missing closing bracket, text directly after the list, and an invalid value are errors.
    pub(super) fn many(self, list: &List) -> Result<Vec<Value>, LanguageError> {
        let end = list.span.end;
        for item in &list.items {
            sound(item, ",")?;
        }
        if list.bracketed && !list.closed {
            let opening = list.span.start..list.span.start + 1;
            let message = "missing ] at the end of the list";
            return Err(LanguageError::new(opening, message).suggest(end..end, "]"));
        }
        if list.glued {
            let message = "missing space after the list";
            return Err(LanguageError::new(end - 1..end, message).suggest(end..end, " "));
        }
        let mut values = Vec::new();
        for item in &list.items {
            for value in self.members(item)? {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        if values.is_empty() {
            let message = format!("the list is empty: {}", self.wanted());
            return Err(LanguageError::new(list.span.clone(), message));
        }
        Ok(values)
    }

    /// The values that one list item expands to: for a location the members of an unquoted group of countries
    /// or the codes of a text such as `US,CA`; else one value.
    fn members(self, item: &Item) -> Result<Vec<Value>, LanguageError> {
        if self.field.kind != Kind::Country {
            return self.value(item).map(|value| vec![value]);
        }
        let group = country::group(&item.text).filter(|_| !item.quoted);
        if let Some(codes) = group {
            let codes = codes.iter().map(|code| Value::Text((*code).to_owned()));
            return Ok(codes.collect());
        }
        let parts: Vec<_> = item.text.split(',').map(str::trim).collect();
        if parts.len() > 1 && parts.iter().all(|part| is_code(part)) {
            let codes = parts.iter().map(|part| Value::Text(part.to_uppercase()));
            return Ok(codes.collect());
        }
        self.value(item).map(|value| vec![value])
    }

    /// The condition for a group of countries after `=` or `!=`: `in` or `notin` the list of its members.
    pub(super) fn group(self, list: &List) -> Result<Vec<Condition>, LanguageError> {
        let codes = Operand::Many(self.many(list)?);
        let operator = self.operator.with_list();
        Ok(vec![Condition::new(self.field, operator, codes)])
    }

    /// Whether an unquoted value is null: `null` or `None`, in any case unless the field is a text or a
    /// location.
    fn is_null(self, item: &Item) -> bool {
        let exact = matches!(&*item.text, "null" | "None");
        let text = matches!(self.field.kind, Kind::Text | Kind::Country);
        let loose = ["null", "none"].iter().any(|word| item.text.eq_ignore_ascii_case(word));
        !item.quoted && (exact || (loose && !text))
    }

    /// The error for a value that does not fit the field's kind.
    fn unfit(self, item: &Item) -> LanguageError {
        let message = format!("'{}' is not valid: {}", item.text, self.wanted());
        LanguageError::new(item.span.clone(), message)
    }

    /// Parses true or false; the error for `1`, `t` or `y` suggests `true`, that for `0`, `f` or `n` `false`.
    fn flag(self, item: &Item) -> Result<Value, LanguageError> {
        if let Some(flag) = flag(&item.text) {
            return Ok(Value::Flag(flag));
        }
        let better = match item.text.to_ascii_lowercase().as_str() {
            "1" | "t" | "y" => "true",
            "0" | "f" | "n" => "false",
            _ => return Err(self.unfit(item)),
        };
        Err(self.unfit(item).suggest(item.span.clone(), better))
    }

    /// The value of a text: unquoted, `_` becomes a blank and a known name gets the market's spelling;
    /// quoted, it stays as it is, except that `_` in a GPU name becomes a blank.
    fn words(self, item: &Item) -> String {
        if !item.quoted {
            canonical(self.field, &item.text.replace('_', " "))
        } else if self.field.key == "gpu_name" {
            item.text.replace('_', " ")
        } else {
            item.text.clone()
        }
    }

    /// Parses a country: two letters after the last comma, as capitals. Anything else is an error, unless it
    /// is quoted: then it stays as it is.
    fn country(self, item: &Item) -> Result<String, LanguageError> {
        let text = if item.quoted {
            item.text.clone()
        } else {
            item.text.replace('_', " ")
        };
        let code = country::code(&text);
        if is_code(code) {
            return Ok(code.to_ascii_uppercase());
        }
        if item.quoted {
            return Ok(text);
        }
        let error = self.unfit(item);
        if text.eq_ignore_ascii_case("USA") {
            return Err(error.suggest(item.span.clone(), "US"));
        }
        Err(error)
    }

    /// Parses a number in wire units, an exact id, or a date with or without a time (of a field with a moment).
    ///
    /// A field shown as yes or no also takes true and false, except after `<`, `<=`, `>` and `>=`.
    fn number(self, item: &Item) -> Result<Value, LanguageError> {
        if self.field.format == Format::YesNo
            && !self.operator.is_ordering()
            && let Some(flag) = flag(&item.text)
        {
            return Ok(Value::Flag(flag));
        }
        let moment = match self.field.kind {
            Kind::Epoch | Kind::Timestamp => moment(&item.text),
            _ => None,
        };
        if let Some(moment) = moment {
            return Ok(Value::Number(moment));
        }
        if self.field.kind == Kind::Id
            && let Ok(id) = item.text.trim().parse()
        {
            return Ok(Value::id(id));
        }
        number::read(&item.text, self.field, self.dialect)
            .map(Value::Number)
            .map_err(|fault| self.fault(item, fault))
    }

    /// The error for a value that is no valid number of the field; for one with thousands separators it
    /// suggests the number without them.
    fn fault(self, item: &Item, fault: Fault) -> LanguageError {
        let (text, key) = (&item.text, self.field.key);
        let message = match fault {
            Fault::NotANumber => {
                let plain: String = text.chars().filter(|c| !matches!(c, '_' | ',')).collect();
                let error = self.unfit(item);
                let reads = number::read(&plain, self.field, self.dialect).is_ok();
                return if reads && is_grouped(text) {
                    error.suggest(item.span.clone(), plain)
                } else {
                    error
                };
            }
            Fault::Unit => format!("unknown unit in '{text}' for {key}: {}", self.wanted()),
            Fault::BitsOrBytes => "mb/s is ambiguous: write Mbps for bits, MB/s for bytes".to_owned(),
            Fault::NotFinite => {
                format!("'{text}' is not a valid number")
            }
            Fault::Fraction => format!("{key} is an id: write an integer"),
            Fault::Inexact => format!("'{text}' is too large for {key}"),
        };
        LanguageError::new(item.span.clone(), message)
    }
}

/// Whether a number has thousands separators: any `_` (`24_000`), or commas with three digits after the last
/// one (`1,000`, but not `1,3`).
fn is_grouped(text: &str) -> bool {
    let mut groups = text.split([',', '_']);
    let first = groups.next().unwrap_or_default();
    let last = text.rsplit([',', '_']).next().unwrap_or_default();
    let digits = last.find(|c: char| !c.is_ascii_digit()).unwrap_or(last.len());
    // `1,3` may be a decimal comma, so commas count only before three digits.
    first.len() < text.len() && (text.contains('_') || digits == 3)
}

/// Whether a text is two letters.
fn is_code(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Parses true, yes or on, false, no or off, in any case; `None` for any other text.
fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// A date, which means its midnight, or a date with a time, in UTC unless it has an offset (`2026-12-01`,
/// `2026-12-01T18:00`, `2026-12-01T18:00+01:00`), in seconds since 1970; `None` for any other text, also one with
/// the name of a time zone but no offset.
fn moment(text: &str) -> Option<f64> {
    // Without hyphens a date would be a number as well: `20261201`.
    if !text.contains('-') {
        return None;
    }
    let with_offset = text.parse::<jiff::Timestamp>();
    let in_utc = || {
        let civil: jiff::civil::DateTime = text.parse().ok().filter(|_| !text.contains('['))?;
        Some(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
    };
    let moment = with_offset.ok().or_else(in_utc)?;
    Some(moment.as_duration().as_secs_f64())
}
