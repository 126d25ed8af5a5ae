//! Comparison of marked rows side by side.

use std::sync::Arc;

use crate::catalog::Resource;
use crate::cost::Prices;
use crate::field::{Field, Section, Unit};
use crate::listing::{FullRecord, Listing};
use crate::value::CellRef;

/// The subject of a line of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Subject {
    /// A field of the catalog, formatted as everywhere else.
    Field(&'static Field),
    Derived {
        label: &'static str,
        unit: Unit,
        places: u8,
    },
}

impl Subject {
    /// The unit of the values of its line.
    pub const fn unit(&self) -> Unit {
        match self {
            Self::Field(field) => field.unit,
            Self::Derived { unit, .. } => *unit,
        }
    }
}

/// One line of a comparison: one value for each compared row.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareLine {
    pub subject: Subject,
    /// The values, `None` for cells that are not numbers; a derived line has no other content.
    pub values: Vec<Option<f64>>,
    /// The indices of the compared rows with the best value; empty if neither end is better or all values are equal.
    pub best: Vec<usize>,
    /// Whether no row has a value.
    pub blank: bool,
}

/// The lines of one section.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareSection {
    pub section: Section,
    /// Its lines, in the order of the catalog, derived prices after the market's own.
    pub lines: Vec<CompareLine>,
}

/// Compares rows of a listing section by section.
///
/// Lines that are blank for all rows and sections without lines are left out. `prices` adds the derived lines of
/// offers, with `gb` of storage or as quoted.
pub fn compare(listing: &Listing, rows: &[u32], prices: Option<(&Prices<'_>, Option<f64>)>) -> Vec<CompareSection> {
    // Reads the few records in full rather than all columns of all rows.
    let records: Vec<Arc<FullRecord>> = rows.iter().map(|row| listing.full_record(*row as usize)).collect();
    Section::ALL
        .into_iter()
        .filter_map(|section| {
            let mut lines: Vec<CompareLine> = listing
                .catalog()
                .columns()
                .filter(|field| field.section == section && !is_derived(field))
                .map(|field| line_of(listing, rows, &records, field))
                .collect();
            if let Some((prices, gb)) = prices
                && section == Section::Price
                && listing.catalog().resource == Resource::Offers
            {
                lines.extend(derived_lines(rows, prices, gb));
            }
            lines.retain(|line| !line.blank);
            (!lines.is_empty()).then_some(CompareSection { section, lines })
        })
        .collect()
}

/// Whether a computed column is also one of the derived lines, so that it is left out.
fn is_derived(field: &Field) -> bool {
    field.is_computed() && field.key.starts_with("dph_per_")
}

/// The lines of the given fields, in their order, without those that are blank for all rows.
pub fn compare_fields(listing: &Listing, rows: &[u32], fields: &[&'static Field]) -> Vec<CompareLine> {
    let records: Vec<Arc<FullRecord>> = rows.iter().map(|row| listing.full_record(*row as usize)).collect();
    let mut lines: Vec<_> = fields
        .iter()
        .map(|field| line_of(listing, rows, &records, field))
        .collect();
    lines.retain(|line| !line.blank);
    lines
}

/// The line of one field: a computed one from its column, another from `records`, which are those of `rows`.
fn line_of(listing: &Listing, rows: &[u32], records: &[Arc<FullRecord>], field: &'static Field) -> CompareLine {
    if field.is_computed() {
        let cells = rows.iter().map(|row| listing.cell(*row as usize, field));
        field_line(field, &cells.collect::<Vec<_>>())
    } else {
        let cells = records.iter().map(|record| record.cell(field));
        field_line(field, &cells.collect::<Vec<_>>())
    }
}

/// Whether a cell has no value: missing, null, an empty text, or the text `NULL` in any case, which some
/// hosts send. False for a value of a wrong kind.
pub fn has_no_value(cell: &CellRef<'_>) -> bool {
    match cell {
        CellRef::Missing | CellRef::Null => true,
        CellRef::Text(text) => text.is_empty() || text.eq_ignore_ascii_case("null"),
        _ => false,
    }
}

/// The line of a field with these cells, one for each compared row.
fn field_line(field: &'static Field, cells: &[CellRef<'_>]) -> CompareLine {
    let values: Vec<Option<f64>> = cells.iter().map(|cell| super::number(*cell, field.kind)).collect();
    CompareLine {
        subject: Subject::Field(field),
        best: best(&values, field.better),
        blank: cells.iter().all(has_no_value),
        values,
    }
}

/// The lines of the prices in $/h per GPU, per GB of its memory and per point of `DLPerf`; with `gb` of
/// storage, or as quoted.
fn derived_lines(rows: &[u32], prices: &Prices<'_>, gb: Option<f64>) -> impl Iterator<Item = CompareLine> {
    let units: Vec<_> = rows
        .iter()
        .map(|row| {
            let hourly = prices.hourly(*row as usize, gb).ok();
            hourly.map_or_else(Default::default, |hourly| prices.per_unit(*row as usize, hourly))
        })
        .collect();
    let lines: [(_, _, Vec<Option<f64>>); 3] = [
        ("$/h per GPU", 4, units.iter().map(|unit| unit.gpu).collect()),
        ("$/h per GB VRAM", 5, units.iter().map(|unit| unit.vram_gb).collect()),
        ("$/h per DLPerf", 5, units.iter().map(|unit| unit.dlperf).collect()),
    ];
    lines.into_iter().map(|(label, places, values)| CompareLine {
        subject: Subject::Derived {
            label,
            unit: Unit::DollarsPerHour,
            places,
        },
        best: best(&values, Some(false)),
        blank: values.iter().all(Option::is_none),
        values,
    })
}

/// The indices of the best values; empty if neither end is better or all values are equal.
fn best(values: &[Option<f64>], more_is_better: Option<bool>) -> Vec<usize> {
    let known = || values.iter().flatten().copied();
    let (Some(more), Some(least), Some(most)) = (more_is_better, known().reduce(f64::min), known().reduce(f64::max))
    else {
        return Vec::new();
    };
    if least >= most {
        return Vec::new();
    }
    let wanted = Some(if more { most } else { least });
    (0..values.len()).filter(|index| values[*index] == wanted).collect()
}
