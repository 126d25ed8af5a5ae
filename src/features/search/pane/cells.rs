//! Formats table cells: one unit per column, named in the header, and a fixed number of decimals,
//! so that decimal points align.

use std::borrow::Cow;

use crate::domain::field::{Format, Kind, Unit};
use crate::domain::local::LocalTime;
use crate::domain::time::UnixTime;
use crate::domain::unit::MB_PER_GB;
use crate::domain::{CellRef, Dialect, Field, Listing, Untrusted, country, format};

/// Seconds of a day and of an hour.
const DAY: f64 = 86_400.0;
const HOUR: f64 = 3600.0;

/// The header of a table column: its label, and the unit of its cells where the label and the cells do not
/// show it.
pub(super) fn header(listing: &Listing, field: &Field, dialect: &Dialect) -> Cow<'static, str> {
    let label = listing.header(field, dialect);
    match unit(field) {
        Some(unit) => format!("{} {unit}", label.trim_end_matches('.')).into(),
        None => label,
    }
}

/// The unit that a header shows; `None` if it is part of the label, or the cells show a unit or none.
fn unit(field: &Field) -> Option<&'static str> {
    if field.kind != Kind::Number || field.format != Format::Auto {
        return None;
    }
    match field.unit {
        // Everybody knows that VRAM is in GB.
        Unit::Megabytes if field.key == "gpu_ram" => None,
        Unit::Megabytes | Unit::Gigabytes if !field.label.ends_with("GB") => Some("GB"),
        Unit::Seconds if is_hours(field) => Some("h"),
        Unit::Seconds => Some("d"),
        Unit::Ratio if !field.label.ends_with('%') => Some("%"),
        _ => None,
    }
}

/// Whether a column's duration is shown in hours instead of days: only the time of a job, as jobs take hours
/// more often than days.
fn is_hours(field: &Field) -> bool {
    field.key == "job_time"
}

/// The width of a column's numbers without their unit, in cells; `None` for other columns, which have a fixed
/// width.
pub(super) fn width(listing: &Listing, field: &Field) -> Option<u16> {
    if let (Kind::Number, Format::Places(places)) = (field.kind, field.format) {
        let digits = listing.column(field).widest() + usize::from(places) + 1;
        return u16::try_from(digits).ok().map(|width| width.min(field.column.width));
    }
    if field.kind != Kind::Number || field.format != Format::Auto {
        return None;
    }
    match field.unit {
        Unit::Megabytes if field.key == "gpu_ram" => Some(4),
        Unit::Megabytes | Unit::Gigabytes | Unit::Seconds => Some(6),
        Unit::Ratio => Some(5),
        _ => None,
    }
}

/// The text of a cell, at most `width` cells wide where it is cut; a dash for a missing or null value.
pub(super) fn text(listing: &Listing, row: usize, field: &Field, width: u16, local: &LocalTime) -> String {
    match (field.kind, listing.cell(row, field)) {
        (Kind::Timestamp, CellRef::Number(seconds)) => local.cell(UnixTime::new(seconds)),
        (Kind::Number, CellRef::Number(value)) => number(field, value),
        (Kind::Country, CellRef::Text(text)) => place(text, width),
        (_, CellRef::Missing | CellRef::Null) => format::NONE.to_owned(),
        _ => format::cell(listing, row, field, usize::from(width)),
    }
}

/// The country code and the region of a location, in this order, as a narrow column cuts the end; the region
/// alone if it is the name of the country, and the location in its usual form if it has no region or short
/// code. At most `width` cells.
fn place(text: &str, width: u16) -> String {
    let code = country::code(text);
    let region = text.rsplit_once(',').map_or("", |(region, _)| region.trim());
    let shown = if region.is_empty() || code.chars().count() > 3 {
        country::place(text).to_owned()
    } else if country::is_whole(region, code) {
        region.to_owned()
    } else {
        format!("{code:<2} {region}")
    };
    Untrusted::from(shown).screen(usize::from(width))
}

/// The number in the unit of its column's header, without the unit: storage in GB, GPU memory in the GB it is
/// sold as, seconds in days (a job's in hours), ratios in percent. Others, a zero that means none, and
/// numbers of 1e12 and more as `format::number` shows them.
fn number(field: &Field, value: f64) -> String {
    let is_plain = field.format == Format::Auto && value.is_finite() && value.abs() < 1e12;
    if !is_plain || field.zero_is_none && value == 0.0 {
        return format::number(field, value);
    }
    match field.unit {
        Unit::Megabytes if field.key == "gpu_ram" => format!("{:.0}", format::nominal_gb(value)),
        Unit::Megabytes => format!("{:.0}", value / MB_PER_GB),
        Unit::Gigabytes => format!("{value:.0}"),
        Unit::Seconds if is_hours(field) => format!("{:.1}", value / HOUR),
        Unit::Seconds => format!("{:.1}", value / DAY),
        Unit::Ratio => format!("{:.1}", value * 100.0),
        _ => format::number(field, value),
    }
}
