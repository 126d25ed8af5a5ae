//! Numbers with units: prices, sizes, speeds, times, shares, counts.

use super::cursor::Cursor;
use super::gpus;
use super::token::Kind;
use super::words::BOUNDS_BEHIND;
use crate::domain::field::Operator;
use crate::domain::format::trimmed;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unit {
    None,
    Dollars,
    Percent,
    Gigabytes,
    MegabitsPerSecond,
    /// Of a disk, memory or a link between GPUs.
    MegabytesPerSecond,
    Hours,
    Gigahertz,
    /// That of a [`super::measures`] field.
    Own,
}

/// A number with its unit, or a range of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Amount {
    pub bound: Option<Operator>,
    /// In the base of its unit.
    pub low: f64,
    /// The upper end of a range.
    pub high: Option<f64>,
    pub unit: Unit,
    /// Where the text behind it starts.
    pub next: usize,
}

/// Words of units, each with the number of base units in it.
#[rustfmt::skip]
const UNITS: &[(&str, Unit, f64)] = &[
    ("gb", Unit::Gigabytes, 1.0), ("g", Unit::Gigabytes, 1.0), ("gig", Unit::Gigabytes, 1.0),
    ("gigs", Unit::Gigabytes, 1.0), ("gib", Unit::Gigabytes, 1.0),
    ("gbs", Unit::Gigabytes, 1.0), ("tbs", Unit::Gigabytes, 1000.0), ("tera", Unit::Gigabytes, 1000.0),
    ("gigabyte", Unit::Gigabytes, 1.0), ("gigabytes", Unit::Gigabytes, 1.0),
    ("tb", Unit::Gigabytes, 1000.0), ("t", Unit::Gigabytes, 1000.0),
    ("tib", Unit::Gigabytes, 1000.0), ("terabyte", Unit::Gigabytes, 1000.0),
    ("terabytes", Unit::Gigabytes, 1000.0),
    ("mbps", Unit::MegabitsPerSecond, 1.0), ("mbit", Unit::MegabitsPerSecond, 1.0),
    ("mbits", Unit::MegabitsPerSecond, 1.0), ("mbit / s", Unit::MegabitsPerSecond, 1.0),
    ("megabit", Unit::MegabitsPerSecond, 1.0), ("megabits", Unit::MegabitsPerSecond, 1.0),
    ("mb ps", Unit::MegabitsPerSecond, 1.0), ("megs", Unit::MegabitsPerSecond, 1.0),
    ("gbps", Unit::MegabitsPerSecond, 1e3), ("gbit", Unit::MegabitsPerSecond, 1e3),
    ("gbits", Unit::MegabitsPerSecond, 1e3), ("gbit / s", Unit::MegabitsPerSecond, 1e3),
    ("gigabit", Unit::MegabitsPerSecond, 1e3), ("gigabits", Unit::MegabitsPerSecond, 1e3), ("gbe", Unit::MegabitsPerSecond, 1e3),
    ("gb / s", Unit::MegabytesPerSecond, 1e3), ("mb / s", Unit::MegabytesPerSecond, 1.0),
    ("tb / s", Unit::MegabytesPerSecond, 1e6),
    ("h", Unit::Hours, 1.0), ("hr", Unit::Hours, 1.0), ("hrs", Unit::Hours, 1.0),
    ("hour", Unit::Hours, 1.0), ("hours", Unit::Hours, 1.0),
    ("d", Unit::Hours, 24.0), ("day", Unit::Hours, 24.0), ("days", Unit::Hours, 24.0),
    ("w", Unit::Hours, 168.0), ("wk", Unit::Hours, 168.0), ("wks", Unit::Hours, 168.0),
    ("week", Unit::Hours, 168.0), ("weeks", Unit::Hours, 168.0),
    ("mo", Unit::Hours, 720.0), ("month", Unit::Hours, 720.0), ("months", Unit::Hours, 720.0),
    ("y", Unit::Hours, 8760.0), ("year", Unit::Hours, 8760.0), ("years", Unit::Hours, 8760.0),
    ("min", Unit::Hours, 1.0 / 60.0), ("mins", Unit::Hours, 1.0 / 60.0),
    ("minutes", Unit::Hours, 1.0 / 60.0),
    ("cents", Unit::Dollars, 0.01), ("cent", Unit::Dollars, 0.01), ("c", Unit::Dollars, 0.01),
    ("ct", Unit::Dollars, 0.01), ("¢", Unit::Dollars, 0.01),
    ("dollars", Unit::Dollars, 1.0), ("dollar", Unit::Dollars, 1.0), ("usd", Unit::Dollars, 1.0),
    ("bucks", Unit::Dollars, 1.0), ("buck", Unit::Dollars, 1.0),
    ("ghz", Unit::Gigahertz, 1.0),
    ("percent", Unit::Percent, 1.0),
];

/// They change nothing about the number behind them.
const APPROXIMATIONS: &[&str] = &[
    "about",
    "around",
    "roughly",
    "approximately",
    "approx",
    "circa",
    "some",
    "just",
    "only",
    "another",
    "additional",
];

/// They stand for one in `a week` and `a dollar`, but not in `a gb`.
const ARTICLES: &[&str] = &["a", "an"];

/// The amount at a position: `under $0.5`, `>=48gb`, `4-8`, `between $1 and $2`, `a week`.
pub(super) fn amount(cursor: Cursor<'_>, at: usize) -> Option<Amount> {
    amount_in(cursor, at, |at| unit(cursor, at))
}

/// An amount in the units that a reader finds at a position: as [`unit()`], or those of one field.
pub(super) fn amount_in(
    cursor: Cursor<'_>,
    at: usize,
    unit: impl Fn(usize) -> Option<(Unit, f64, usize)>,
) -> Option<Amount> {
    let (mut bound, mut next) = cursor.bound(at);
    let is_between = bound.is_none() && cursor.is_one_of(next, &["between", "from"]);
    if is_between {
        next += 1;
    }
    let next = cursor.skip(next, APPROXIMATIONS);
    // `a 300gb dataset`
    let is_of_number = cursor.is_one_of(next, ARTICLES)
        && matches!(cursor.kind(next + 1), Some(Kind::Number(_) | Kind::Dollar));
    let (is_money, from) = dollar(cursor, next + usize::from(is_of_number));
    let is_article = cursor.is_one_of(from, ARTICLES) || is_whole(cursor, from);
    let (low, mut next) = if is_whole(cursor, from) {
        (1.0, from + 2)
    } else {
        cursor.number_or_article(from)?
    };
    // A unit of its own, as in `500gb to 1tb`.
    let own = unit(next);
    let after_own = own.map_or(next, |(_, _, next)| next);
    let high = high_end(cursor, after_own, is_between);
    if is_between && high.is_none() {
        return None;
    }
    let is_money = is_money || high.is_some_and(|(_, is_money, _)| is_money);
    if let Some((_, _, behind)) = high {
        next = behind;
    }
    if cursor.kind(next) == Some(Kind::Plus) {
        (bound, next) = (Some(Operator::Gte), next + 1);
    }
    let (unit, factor) = match unit(next) {
        Some((unit, factor, behind)) => {
            next = behind;
            (unit, factor)
        }
        None if is_money => (Unit::Dollars, 1.0),
        None => (Unit::None, 1.0),
    };
    if is_article && !matches!(unit, Unit::Hours | Unit::Dollars) {
        return None;
    }
    if cursor.kind(next) == Some(Kind::Plus) {
        (bound, next) = (Some(Operator::Gte), next + 1);
    }
    let own = own.map_or(factor, |(_, factor, _)| factor);
    Some(Amount {
        bound,
        low: low * own,
        high: high.map(|(high, _, _)| high * factor),
        unit,
        next,
    })
}

/// Whether a period follows with its adjective: `the whole week`, `a full day`.
fn is_whole(cursor: Cursor<'_>, at: usize) -> bool {
    cursor.is_one_of(at, &["the", "a", "an", "one"])
        && cursor.is_one_of(at + 1, &["whole", "full", "entire"])
}

/// Whether a dollar sign is at a position, and the position behind it.
fn dollar(cursor: Cursor<'_>, at: usize) -> (bool, usize) {
    let is_dollar = cursor.kind(at) == Some(Kind::Dollar);
    (is_dollar, at + usize::from(is_dollar))
}

/// The end of a range: the number, whether it has a dollar sign, the position behind it.
fn high_end(cursor: Cursor<'_>, at: usize, is_between: bool) -> Option<(f64, bool, usize)> {
    let joins = cursor.kind(at) == Some(Kind::Dash)
        || cursor.is(at, "to")
        || (is_between && cursor.is(at, "and"));
    let (is_money, from) = dollar(cursor, at + 1);
    let (high, next) = cursor.number(from).filter(|_| joins)?;
    Some((high, is_money, next))
}

/// The unit at a position, its factor to the base, and the position behind it.
pub(super) fn unit(cursor: Cursor<'_>, at: usize) -> Option<(Unit, f64, usize)> {
    if cursor.kind(at) == Some(Kind::Percent) {
        return Some((Unit::Percent, 1.0, at + 1));
    }
    let words = UNITS
        .iter()
        .map(|(words, unit, factor)| (*words, (*unit, *factor)));
    let ((unit, factor), next) = cursor.longest(at, words)?;
    Some((unit, factor, next))
}

impl Amount {
    /// The amount with the bound behind it, if there is one: `or more`, `max`.
    pub(super) fn bounded_at(mut self, cursor: Cursor<'_>, at: usize) -> (Self, usize) {
        let words = BOUNDS_BEHIND
            .iter()
            .map(|(words, operator)| (*words, *operator));
        if let Some((operator, next)) = cursor.longest(at, words) {
            self.bound = Some(operator);
            return (self, next);
        }
        // `2 gpus at least 24gb` bounds what follows.
        if let Some(next) = cursor.behind(at, "at least")
            && cursor.kind(next).is_none_or(|kind| kind == Kind::Comma)
        {
            self.bound = Some(Operator::Gte);
            return (self, next);
        }
        (self, at)
    }

    /// The condition on the memory of a GPU. A size as sold includes the cards that report a little
    /// less or more.
    pub(super) fn vram(&self) -> String {
        let (least, most) = gpus::reported(self.low);
        let own = |low| Self { low, ..*self }.on("gpu_ram", Operator::Gte, 1.0, "");
        if let Some(high) = self.high {
            let (_, most) = gpus::reported(high);
            return format!("gpu_ram>={least} gpu_ram<={most}");
        }
        match self.bound {
            Some(Operator::Eq) => format!("gpu_ram>={least} gpu_ram<={most}"),
            Some(Operator::Gt | Operator::Lte) => own(most),
            _ => own(least),
        }
    }

    /// The condition on the memory of all GPUs. A total that several cards of one size add up to includes
    /// the cards that report a little less, as in [`Self::vram`].
    pub(super) fn total_vram(&self) -> String {
        let low = gpus::reported_total(self.low).0;
        let high = self.high.map(|high| gpus::reported_total(high).1);
        let low = match self.bound {
            Some(Operator::Gt | Operator::Lte) => gpus::reported_total(self.low).1,
            Some(Operator::Eq | Operator::Neq | Operator::Lt | Operator::Gte) | None => low,
            Some(Operator::In | Operator::Nin) => self.low,
        };
        Self { low, high, ..*self }.on("gpu_total_ram", Operator::Gte, 1.0, "")
    }

    /// The sizes as sold of [`Self::vram`], if its numbers are others: `48 GB as sold`.
    pub(super) fn sold(&self) -> Option<String> {
        self.sold_as(gpus::reported)
    }

    /// The sizes as sold of [`Self::total_vram`], if its numbers are others.
    pub(super) fn sold_in_all(&self) -> Option<String> {
        self.sold_as(gpus::reported_total)
    }

    fn sold_as(&self, reported: fn(f64) -> (f64, f64)) -> Option<String> {
        let is_sold = |gb: &f64| reported(*gb) != (*gb, *gb);
        let sizes = [Some(self.low), self.high].into_iter().flatten();
        let sizes: Vec<_> = sizes.filter(is_sold).map(|gb| trimmed(gb, 3)).collect();
        (!sizes.is_empty()).then(|| format!("{} GB as sold", sizes.join(" and ")))
    }

    /// The conditions of this amount on a field: each number times `factor`, with `suffix`.
    pub(super) fn on(&self, field: &str, default: Operator, factor: f64, suffix: &str) -> String {
        let written = |value: f64| trimmed(value * factor, 6) + suffix;
        if let Some(high) = self.high {
            return format!("{field}>={} {field}<={}", written(self.low), written(high));
        }
        let operator = self.bound.unwrap_or(default).symbol();
        format!("{field}{operator}{}", written(self.low))
    }
}
