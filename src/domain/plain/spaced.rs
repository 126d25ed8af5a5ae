//! Conditions of the query language whose value goes on behind a blank: `gpu_ram >= 24 GB`,
//! `gpu_name=RTX 4090`, `geolocation=south korea`.

use super::amount::{Amount, Unit, unit};
use super::cursor::Cursor;
use super::gpus;
use super::grammar::{Fact, Read};
use super::measure::disk;
use crate::domain::catalog::{OFFERS, Resource, VOLUMES};
use crate::domain::country;
use crate::domain::field::{Field, Kind, Operator};
use crate::domain::format::trimmed;
use crate::domain::language::scan::Raw;

/// The words that a value can go on with.
const LONGEST: usize = 3;

pub(super) fn spaced(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let token = cursor.tokens.get(at)?;
    let statement = token.condition.as_ref()?;
    let Raw::One(value) = &statement.value else {
        return None;
    };
    if value.quoted {
        return None;
    }
    let catalog = match resource {
        Resource::Offers => &OFFERS,
        Resource::Volumes => &VOLUMES,
        Resource::Workergroups => return None,
    };
    let start = token.span.start;
    let name = token.text.get(..statement.name.end.checked_sub(start)?)?;
    let field = catalog.named(name)?;
    let operator = statement.sign.as_ref()?.operator?;
    let (condition, next) = match field.kind {
        Kind::Text if field.key == "gpu_name" => {
            let (names, next) = joined(cursor, at, &value.text, |words| {
                let models = gpus::models(&words.replace([' ', '_', '-'], ""));
                (!models.is_empty()).then_some(models)
            })?;
            let names: Vec<_> = names.iter().map(|name| name.replace(' ', "_")).collect();
            (chosen(field, operator, &names)?, next)
        }
        Kind::Country => {
            let (name, next) = joined(cursor, at, &value.text, |words| {
                country::named(words, false)
            })?;
            (chosen(field, operator, &[name.to_owned()])?, next)
        }
        Kind::Integer | Kind::Number => {
            let text = value.text.to_lowercase();
            let number: f64 = text.parse().ok()?;
            let (unit, factor, next) = unit(cursor, at + 1)?;
            let suffix = suffix(unit)?;
            let size = Amount {
                bound: Some(operator),
                low: number * factor,
                high: None,
                unit,
                next,
            };
            // The name of the field is exact, `VRAM >= 80 GB` is a size as sold.
            if unit == Unit::Gigabytes && name != field.key {
                match field.key {
                    "gpu_ram" => return Some((vec![Fact::Vram(size)], next)),
                    "gpu_total_ram" => return Some((vec![Fact::TotalVram(size)], next)),
                    "disk_space" if resource == Resource::Offers => {
                        return Some((disk(&size), next));
                    }
                    _ => {}
                }
            }
            let value = trimmed(number * factor, 6);
            let sign = operator.symbol();
            (format!("{}{sign}{value}{suffix}", field.key), next)
        }
        Kind::Flag
        | Kind::Id
        | Kind::Text
        | Kind::Version
        | Kind::Epoch
        | Kind::Timestamp
        | Kind::List
        | Kind::Secret => return None,
    };
    Some((Fact::conditions(condition), next))
}

/// What the value means with one to three of the words behind it; most words first.
fn joined<T>(
    cursor: Cursor<'_>,
    at: usize,
    value: &str,
    meaning: impl Fn(&str) -> Option<T>,
) -> Option<(T, usize)> {
    let runs = cursor.runs(at + 1).filter(|(run, _)| run.len() <= LONGEST);
    for (run, next) in runs {
        let words = run.iter().map(|token| token.text.as_str());
        let words: Vec<_> = words.collect();
        let text = format!("{} {}", value.to_lowercase(), words.join(" "));
        if let Some(found) = meaning(&text) {
            return Some((found, next));
        }
    }
    None
}

/// The condition that a field is one of the names, or none of them.
fn chosen(field: &Field, operator: Operator, names: &[String]) -> Option<String> {
    let is_excluded = match operator {
        Operator::Eq | Operator::In => false,
        Operator::Neq | Operator::Nin => true,
        Operator::Gt | Operator::Gte | Operator::Lt | Operator::Lte => return None,
    };
    Some(super::meaning::choice(field.key, names, is_excluded))
}

/// How the query language writes a unit; the number is in its base.
const fn suffix(unit: Unit) -> Option<&'static str> {
    Some(match unit {
        Unit::Gigabytes => "GB",
        Unit::MegabitsPerSecond => "Mbps",
        Unit::MegabytesPerSecond => "MB/s",
        Unit::Hours => "h",
        Unit::Percent => "%",
        Unit::Dollars | Unit::Gigahertz => "",
        Unit::None | Unit::Own => return None,
    })
}
