//! Formatting of values for display.
//!
//! Widths are bounded: an absurdly large number from a server is shown in scientific notation, so that no cell can push
//! the others off the screen.

use super::catalog::OFFERS;
use super::country;
use super::dialect::Dialect;
pub use super::field::Format;
use super::field::{Field, Kind, Source, Unit};
use super::listing::{FullRecord, Listing};
use super::text::{self, screen};
use super::unit::MB_PER_GB;
use super::value::CellRef;
use crate::time::UnixTime;

/// The text of a cell without a value.
const BLANK: &str = "-";

/// The text of a detail view for a member that the record lacks.
const NOT_SENT: &str = "not reported";

/// The text of a detail view for a member that is null.
pub const NULL: &str = "—";

/// The text of a detail view for a number that the market reports as unknown.
pub const UNKNOWN: &str = "unknown";

/// The text for a zero that means none: no discount is not a price of $0.0000/h.
pub const NONE: &str = "—";

/// The text of a cell whose value does not match the kind of its field.
pub const MISFIT: &str = "?!";

/// A table cell, without the unit if the header has it; a text is cut to `width` cells. `-` if it is missing
/// or null, `?!` if it has a wrong kind.
pub fn cell(listing: &Listing, row: usize, field: &Field, width: usize) -> String {
    let column = listing.column(field);
    match column.cell(row) {
        CellRef::Missing | CellRef::Null => BLANK.to_owned(),
        CellRef::Bad(_) => MISFIT.to_owned(),
        CellRef::Flag(flag) => yes_no(flag).to_owned(),
        CellRef::Number(value) => total_vram(field, value, |needed| listing.cell(row, needed).number())
            .unwrap_or_else(|| number(field, value)),
        CellRef::Text(text) if field.kind == Kind::Country => screen(country::place(text), width),
        CellRef::Text(text) => screen(text, width),
    }
}

/// The cell of the field `key`, as in [`cell`]; empty without such a field.
pub fn cell_of(listing: &Listing, row: usize, key: &str, width: usize) -> String {
    let field = listing.catalog().by_key(key);
    field.map_or_else(String::new, |field| cell(listing, row, field, width))
}

/// A value with its unit, for the detail view: `not reported` if the record lacks it, `—` if it is null
/// (`unknown` in a field where 0 means that), `invalid: ` and its type if it has a wrong kind.
pub fn detail(record: &FullRecord, field: &Field, dialect: &Dialect) -> String {
    match record.cell(field) {
        CellRef::Missing => NOT_SENT.to_owned(),
        CellRef::Null if matches!(field.source, Source::Known(_)) => UNKNOWN.to_owned(),
        CellRef::Null => NULL.to_owned(),
        CellRef::Bad(sent) => format!("invalid: {}", sent.noun()),
        CellRef::Flag(flag) => yes_no(flag).to_owned(),
        CellRef::Number(value) => total_vram(field, value, |needed| record.cell(needed).number())
            .unwrap_or_else(|| with_unit(field, value, dialect)),
        CellRef::Text(text) if field.kind == Kind::Country => text::detail(country::place(text), 0),
        CellRef::Text(text) => text::detail(text, 0),
    }
}

/// The nominal memory of all cards of a record in GB, if `field` is that; `None` for other fields.
/// `megabytes` is its value; `number` reads the number of cards.
fn total_vram(field: &Field, megabytes: f64, number: impl Fn(&Field) -> Option<f64>) -> Option<String> {
    if field.key != "gpu_total_ram" {
        return None;
    }
    let count = number(OFFERS.by_key("num_gpus")?);
    Some(gigabytes(nominal_total_gb(megabytes, count)))
}

/// A number of a field with its own number of decimals, else at most two, and its unit only where that is
/// part of the number (`98.5%`, `2.4 TB`, `71d`); as yes or no or a date in UTC for such fields. A zero that
/// means none is `—`; numbers from 1e15 on, other than ids, are in scientific notation.
pub fn number(field: &Field, value: f64) -> String {
    if field.zero_is_none && value == 0.0 {
        return NONE.to_owned();
    }
    if field.kind == Kind::Id && value.fract() == 0.0 {
        return format!("{value:.0}");
    }
    if !value.is_finite() || value.abs() >= 1e15 {
        return format!("{value:.3e}");
    }
    match (field.format, field.kind, field.unit) {
        (Format::YesNo, ..) => yes_no(value != 0.0).to_owned(),
        (Format::Places(places), ..) => format!("{value:.0$}", usize::from(places)),
        (_, Kind::Epoch | Kind::Timestamp, _) => moment(UnixTime::new(value)),
        (_, Kind::Integer, _) if value.fract() == 0.0 => format!("{value:.0}"),
        (.., Unit::Megabytes) if field.key == "gpu_ram" => gigabytes(nominal_gb(value)),
        (.., Unit::Megabytes) => gigabytes(value / MB_PER_GB),
        (.., Unit::Gigabytes) => gigabytes(value),
        (.., Unit::Seconds) => span(value),
        (.., Unit::Ratio) => format!("{}%", trimmed(value * 100.0, 2)),
        _ => trimmed(value, 2),
    }
}

/// A number of a field with its unit: `$0.293/h`, `24 GB`, `3,002 MB/s`. A zero that means none has no unit.
///
/// Only amounts with a unit have commas between thousands: a number without one may be a code.
pub fn with_unit(field: &Field, value: f64, dialect: &Dialect) -> String {
    let text = number(field, value);
    let carries_unit = matches!(
        field.unit,
        Unit::Megabytes | Unit::Gigabytes | Unit::Seconds | Unit::Ratio | Unit::Capability
    );
    let symbol = field.unit.symbol(dialect);
    if carries_unit || symbol.is_empty() || field.kind == Kind::Epoch || field.zero_is_none && value == 0.0 {
        text
    } else if let Some(rest) = symbol.strip_prefix('$') {
        format!("${}{rest}", commas(&text))
    } else {
        format!("{} {symbol}", commas(&text))
    }
}

/// `yes` for true, `no` for false.
pub const fn yes_no(flag: bool) -> &'static str {
    if flag { "yes" } else { "no" }
}

/// Storage or memory in GB, from 10,000 GB on in TB: `0.5 GB`, `24 GB`, `4,000 GB`, `11.5 TB`; at most one
/// decimal, none from 100 GB to 10,000 GB.
pub fn gigabytes(value: f64) -> String {
    // Disks of offers go up to some terabytes and are compared in GB: 4,000 GB beside 900 GB reads better than
    // two units.
    if value.abs() >= 10_000.0 {
        format!("{} TB", trimmed(value / 1000.0, 1))
    } else if value.abs() >= 100.0 {
        format!("{} GB", figure(value, 0))
    } else {
        format!("{} GB", trimmed(value, 1))
    }
}

/// The sizes of memory that cards are sold with, in GB.
const SOLD_GB: [f64; 29] = [
    1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 11.0, 12.0, 16.0, 20.0, 24.0, 32.0, 40.0, 48.0, 64.0, 72.0, 80.0, 94.0,
    96.0, 128.0, 141.0, 144.0, 180.0, 192.0, 256.0, 288.0, 384.0,
];

/// The ratio of the nominal memory to the reported one at most: error correction takes one sixteenth.
const CORRECTED: f64 = 1.07;

/// The nominal memory of a card in GB: a 24 GB card reports 24564 MB, a 48 GB card with error correction 46068. Sizes
/// that match no known card are rounded.
pub fn nominal_gb(megabytes: f64) -> f64 {
    let gb = megabytes / 1024.0;
    SOLD_GB
        .iter()
        .find(|sold| **sold >= gb - 0.5 && **sold <= gb * CORRECTED)
        .copied()
        .unwrap_or((megabytes / MB_PER_GB).round())
}

/// The whole megabytes that cards with a nominal memory of `gb` report: of those and no others between the two,
/// [`nominal_gb`] is `gb`, if such cards are sold.
///
/// ```
/// use bourse_domain::format::{nominal_gb, nominal_megabytes};
/// let (least, most) = nominal_megabytes(24.0);
/// assert_eq!([least - 1.0, least, most, most + 1.0].map(nominal_gb), [23.0, 24.0, 24.0, 25.0]);
/// ```
pub fn nominal_megabytes(gb: f64) -> (f64, f64) {
    let Some(at) = SOLD_GB.iter().position(|sold| (*sold - gb).abs() < 0.1) else {
        return ((gb - 0.5) * MB_PER_GB, (gb + 0.5) * MB_PER_GB);
    };
    let smaller = at.checked_sub(1).map_or(0.0, |at| (SOLD_GB[at] + 0.5) * 1024.0 + 1.0);
    (
        (gb / CORRECTED * 1024.0).ceil().max(smaller),
        ((gb + 0.5) * 1024.0).floor(),
    )
}

/// The nominal memory of all cards together, in GB, from their total `megabytes`; `count` is the number of
/// cards, 1 if unknown or below 1.
pub fn nominal_total_gb(megabytes: f64, count: Option<f64>) -> f64 {
    let count = count.filter(|count| *count >= 1.0).unwrap_or(1.0);
    count * nominal_gb(megabytes / count)
}

/// A span of seconds in its largest fitting unit: `45s`, `12m`, `5.5h`, `71d`, `2.1y`.
pub fn span(seconds: f64) -> String {
    let magnitude = seconds.abs();
    // A column has few cells: one unit, and a decimal only if a whole hour or day is too coarse.
    if magnitude < 60.0 {
        format!("{seconds:.0}s")
    } else if magnitude < 3600.0 {
        format!("{:.0}m", seconds / 60.0)
    } else if magnitude < 86_400.0 {
        format!("{}h", trimmed(seconds / 3600.0, 1))
    // Up to two years days are clearer: offers are compared by their days.
    } else if magnitude < 730.0 * 86_400.0 {
        format!("{}d", trimmed(seconds / 86_400.0, 1))
    } else {
        format!("{}y", trimmed(seconds / 31_536_000.0, 1))
    }
}

/// A span of seconds in whole minutes, hours, days, weeks or years, rounded: hours from 59 minutes on, days
/// and years from two on, weeks from 100 days on (`30h`, `2d`, `24w`). Never below `1m`, and in three cells
/// up to 99 years.
pub fn whole_span(seconds: f64) -> String {
    const DAY: f64 = 86_400.0;
    const WEEK: f64 = 7.0 * DAY;
    // Two of a unit are the least that says enough: 30 hours are not 2 days.
    let units = [
        (99.5 * WEEK, 365.0 * DAY, "y"),
        (99.5 * DAY, WEEK, "w"),
        (2.0 * DAY, DAY, "d"),
        (3540.0, 3600.0, "h"),
    ];
    let unit = units.into_iter().find(|(from, ..)| seconds >= *from);
    let (unit, sign) = unit.map_or((60.0, "m"), |(_, unit, sign)| (unit, sign));
    format!("{:.0}{sign}", (seconds / unit).round().max(1.0))
}

/// A time as date, hour and minute in UTC; outside the calendar, its seconds in scientific notation.
pub fn moment(time: UnixTime) -> String {
    time.timestamp().map_or_else(
        || format!("{:.3e}", time.seconds()),
        |moment| moment.strftime("%Y-%m-%d %H:%M").to_string(),
    )
}

/// A number with at most `places` decimals, without trailing zeros.
pub fn trimmed(value: f64, places: usize) -> String {
    let mut text = format!("{value:.places$}");
    if text.contains('.') {
        let shown = text.trim_end_matches('0').trim_end_matches('.').len();
        text.truncate(shown);
    }
    text
}

/// A number with commas between thousands and at most `places` decimals: `1,203.5`.
pub fn figure(value: f64, places: usize) -> String {
    commas(&trimmed(value, places))
}

/// A whole number with commas between thousands: `12,345`.
pub fn grouped(number: usize) -> String {
    commas(&number.to_string())
}

/// A count with its noun: `1 machine`, `2,000 machines`.
pub fn counted(number: usize, singular: &str, plural: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { singular } else { plural })
}

/// A number with up to one decimal, with its noun: `0.5 requests`, `1 request`.
pub fn counted_decimal(number: f64, singular: &str, plural: &str) -> String {
    let text = trimmed(number, 1);
    let noun = if text == "1" { singular } else { plural };
    format!("{text} {noun}")
}

/// Inserts commas between the thousands of a number written with or without decimals.
fn commas(text: &str) -> String {
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::new();
    for (index, digit) in whole.chars().enumerate() {
        let left = whole.len() - index;
        if index > 0 && left % 3 == 0 && digit.is_ascii_digit() && !out.ends_with('-') {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

/// Formats a number of bytes: `812 B`, `14.2 kB`, `3.1 MB`; a kB has 1000 bytes.
pub fn size(bytes: usize) -> String {
    let amount = bytes as f64;
    match bytes {
        0..1000 => format!("{bytes} B"),
        // From here on one decimal of a kB rounds to 1000.0 kB.
        1000..999_950 => format!("{:.1} kB", amount / 1e3),
        _ => format!("{:.1} MB", amount / 1e6),
    }
}

/// An amount of money: `$26.63`, with two decimals, four only below a cent.
pub fn dollars(amount: f64) -> String {
    money(amount, 2)
}

/// A price per hour: `$0.293/h`, from $10 on `$16.02/h`, below a cent `$0.0031/h`.
pub fn per_hour(price: f64) -> String {
    format!("{}/h", unit_price(price))
}

/// Formats a price per unit without the unit, which is written elsewhere: `$0.293`, from $10 on `$16.02`,
/// below a cent `$0.0031`.
pub fn unit_price(price: f64) -> String {
    // Prices of single GPUs differ in the third decimal; those of machines with eight do not.
    let places = if price.abs() < 10.0 { 3 } else { 2 };
    money(price, places)
}

/// Formats a share (0.34) in percent: `34%`, with a tenth below 10% and from 99% to 100%: `0.3%`, `99.6%`.
///
/// A negative one has a minus sign, not a hyphen. A share above none is never 0% but `under 0.1%`, one below
/// all never 100% but `over 99.9%`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    // These would round to 0% and 100%: a rare case would read as none, a large part as all.
    if percent > 0.0 && percent < 0.05 {
        return "under 0.1%".to_owned();
    }
    if (99.95..100.0).contains(&percent) {
        return "over 99.9%".to_owned();
    }
    // Differences matter at the ends: 99.5% and 99.9% of reliability differ as much as 50% and 90%.
    let sign = if percent < 0.0 { "−" } else { "" };
    let percent = percent.abs();
    if percent < 9.95 || (99.0..100.0).contains(&percent) {
        return format!("{sign}{}%", trimmed(percent, 1));
    }
    // Rounds halves up: rounding to even would show 80% and 82% for 80.5 and 81.5.
    format!("{sign}{}%", trimmed(percent.round(), 0))
}

/// An amount in dollars with `places` decimals, but four below a cent: `$1,203.50`, `−$0.0042`.
fn money(amount: f64, places: usize) -> String {
    if !amount.is_finite() || amount.abs() >= 1e15 {
        return format!("${amount:.3e}");
    }
    let sign = if amount < 0.0 { "−" } else { "" };
    let amount = amount.abs();
    // Traffic and storage by the hour cost fractions of a cent, which would read as $0.00.
    let places = if amount > 0.0 && amount < 0.01 { 4 } else { places };
    format!("{sign}${}", commas(&format!("{amount:.places$}")))
}

/// A duration in full words, with one decimal below 10: `75 minutes`, `5 hours`, `41 days`, `7.4 years`. In
/// seconds below 90, in minutes below 90, in hours below two days, in days below two years.
pub fn lasting(seconds: f64) -> String {
    let (number, unit) = match seconds.abs() {
        // Each unit is used a little beyond one of the next: `75 minutes` is more precise than `1.3 hours`.
        less if less < 90.0 => (seconds, "second"),
        less if less < 5400.0 => (seconds / 60.0, "minute"),
        less if less < 2.0 * 86_400.0 => (seconds / 3600.0, "hour"),
        less if less < 730.0 * 86_400.0 => (seconds / 86_400.0, "day"),
        _ => (seconds / 31_536_000.0, "year"),
    };
    let number = trimmed(number, usize::from(number.abs() < 10.0));
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {unit}{plural}")
}

/// A duration with the unit's sign, one decimal below 10, but no part of a second: `45 s`, `26 min`, `3.2 h`,
/// `4 d`. In seconds below 120, in minutes below 90, in hours below two days, then in days.
pub fn brief(seconds: f64) -> String {
    let (number, unit) = match seconds.abs() {
        // As in [`lasting`]: up to two of the next unit, the smaller one is exact.
        less if less < 120.0 => return format!("{seconds:.0} s"),
        less if less < 5400.0 => (seconds / 60.0, "min"),
        less if less < 2.0 * 86_400.0 => (seconds / 3600.0, "h"),
        _ => (seconds / 86_400.0, "d"),
    };
    format!("{} {unit}", trimmed(number, usize::from(number.abs() < 10.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_share_has_a_tenth_where_it_counts_and_is_never_rounded_to_none_or_all() {
        for (share, shown) in [
            (0.0, "0%"),
            (0.000_4, "under 0.1%"),
            (0.003, "0.3%"),
            (0.045, "4.5%"),
            (0.0996, "10%"),
            (0.805, "81%"),
            (0.994, "99.4%"),
            (0.999_6, "over 99.9%"),
            (1.0, "100%"),
            (2.5, "250%"),
            (-0.5, "−50%"),
        ] {
            assert_eq!(percent(share), shown, "{share}");
        }
    }

    #[test]
    fn money_has_four_decimals_only_below_a_cent() {
        assert_eq!(per_hour(0.2931), "$0.293/h");
        assert_eq!(per_hour(16.02), "$16.02/h");
        assert_eq!(per_hour(0.0031), "$0.0031/h");
        assert_eq!(dollars(1234.5), "$1,234.50");
        assert_eq!(dollars(1_234_567.0), "$1,234,567.00");
        assert_eq!(dollars(-3.0), "−$3.00");
        assert_eq!(dollars(0.0), "$0.00");
    }

    #[test]
    fn spans_are_told_in_the_unit_that_people_use() {
        assert_eq!(lasting(3_542_400.0), "41 days");
        assert_eq!(lasting(86_400.0), "24 hours");
        assert_eq!(lasting(345_600.0 + 43_200.0), "4.5 days");
        assert_eq!(lasting(3600.0), "60 minutes");
        assert_eq!(lasting(31_536_000.0 * 7.4), "7.4 years");
        assert_eq!(lasting(1.0), "1 second");
    }

    #[test]
    fn brief_durations_have_one_decimal_below_ten() {
        assert_eq!(brief(45.4), "45 s");
        assert_eq!(brief(100.0), "100 s");
        assert_eq!(brief(150.0), "2.5 min");
        assert_eq!(brief(26.4 * 60.0), "26 min");
        assert_eq!(brief(3.2 * 3600.0), "3.2 h");
        assert_eq!(brief(47.9 * 3600.0), "48 h");
        assert_eq!(brief(4.0 * 86_400.0), "4 d");
    }

    #[test]
    fn the_memory_of_several_cards_is_that_of_each() {
        // Four of 24 GB, four of 48 GB with error correction, and an unknown number.
        let total = |megabytes, count| gigabytes(nominal_total_gb(megabytes, count));
        assert_eq!(total(4.0 * 24_564.0, Some(4.0)), "96 GB");
        assert_eq!(total(4.0 * 46_068.0, Some(4.0)), "192 GB");
        assert_eq!(total(24_564.0, None), "24 GB");
    }

    #[test]
    fn counts_have_commas() {
        assert_eq!(grouped(500), "500");
        assert_eq!(grouped(2000), "2,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(figure(1203.5, 3), "1,203.5");
    }
}
