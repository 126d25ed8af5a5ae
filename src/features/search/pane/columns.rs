//! The columns of a pane's table: their order and widths, and the selection that fits.

use super::cells;
use crate::core::State;
use crate::domain::{Field, Kind, Listing, Operator, Resource, Source};
use crate::table::browser::Browser;
use crate::table::column_prerequisites::Need;
use crate::tui::panel::Size;
use crate::tui::table::{Column, Placed, Strip, place_in_order};
use crate::tui::text::cells as cells_of;

/// Cells of a price change before the price.
const MOVE: u16 = 8;

/// The screen width from which the rail is longer.
const ROOMY: u16 = 100;

/// The screen width below which the GPU model comes first, in place of the id.
const TIGHT: u16 = 60;

/// Width of the rail on narrow screens and beside a preview, on others, and the maximum it grows by
/// where space is left, in cells.
///
/// Beside a preview a longer one would leave no room for the place of an offer.
const NARROW_RAIL: u16 = 8;
const RAIL: u16 = 20;
const MORE_RAIL: u16 = 12;

/// Cells of the reason why a row cannot do the job, in place of its rail: `ends 12d early`.
const REASON: u16 = 14;

/// The prices of the three price types, and the saving of each.
const TYPE_PRICES: [&str; 5] = [
    "price_on_demand",
    "price_bid",
    "price_reserved",
    "saving_bid",
    "saving_reserved",
];

/// The columns that narrow screens keep before the rail: what is offered, where, and prices that were asked for.
const KEPT: [&str; 5] = [
    "gpu_name",
    "geolocation",
    TYPE_PRICES[0],
    TYPE_PRICES[1],
    TYPE_PRICES[2],
];

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Field(&'static Field),
    /// The rail: the position of the price among those of comparable rows.
    Rail,
}

impl Shown {
    /// The field of the column; `None` for the rail, the column that shows the position of a row's price.
    pub(super) const fn field(self) -> Option<&'static Field> {
        match self {
            Self::Field(field) => Some(field),
            Self::Rail => None,
        }
    }

    /// Whether the rail gives way to the column.
    fn is_kept(self) -> bool {
        self.field().is_some_and(|field| KEPT.contains(&field.key))
    }
}

/// The columns of a table, from left to right.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    pub shown: Vec<Shown>,
    pub drawn: Vec<Column>,
    /// Number of columns on the left that do not scroll.
    leading: usize,
}

impl Columns {
    /// The columns of a pane's table on a screen that is `screen` cells wide. A rail follows the price,
    /// except for workergroups.
    ///
    /// The default columns leave out the id with a preview, and under 60 cells in favor of the GPU model.
    pub(super) fn new(browser: &Browser, listing: &Listing, has_preview: bool, screen: u16) -> Self {
        let (fields, leading) = fields(browser, has_preview, screen < TIGHT);
        let mut columns = columns(browser, listing, &fields);
        let mut shown: Vec<Shown> = fields.iter().copied().map(Shown::Field).collect();
        if browser.resource() != Resource::Workergroups {
            let index = rail_index(&fields, leading);
            shown.insert(index, Shown::Rail);
            let computed = &browser.displayed().computed;
            let is_telling = computed.standing.has_meaningful_scale(listing);
            let has_reasons = computed.unfit() > 0 && !browser.lacks_every_rate();
            let least = if has_reasons { REASON } else { NARROW_RAIL };
            let full = if has_preview { NARROW_RAIL } else { RAIL };
            let is_wide = is_telling && screen >= ROOMY;
            columns.insert(index, rail_column(is_wide.then_some(full), least));
        }
        Self {
            shown,
            drawn: columns,
            leading,
        }
    }

    /// Places the columns that fit into `width` cells after a gutter of `gutter` cells; of the columns that
    /// scroll, the first `offset` are left out.
    ///
    /// The rail has at most 8 cells while the place of an offer or another of the [`KEPT`] columns is cut or
    /// left out, and is left out itself where that brings one of them back.
    pub(super) fn place(mut self, offset: usize, gutter: u16, width: u16) -> (Self, Strip) {
        let rail = self.shown.iter().position(|shown| *shown == Shown::Rail);
        // Scrolled sideways the rail is as at first.
        let first = self.strip(0, gutter, width);
        let kept = self.shown.iter().filter(|shown| shown.is_kept()).count();
        let is_cut = self.count_kept(&first, Column::is_whole_in) < kept;
        if let Some(index) = rail.filter(|index| is_cut && self.drawn[*index].width != REASON) {
            self.drawn[index] = rail_column(None, NARROW_RAIL);
            let mut without = self.clone();
            without.shown.remove(index);
            without.drawn.remove(index);
            let in_sight = |columns: &Self| {
                let strip = columns.strip(0, gutter, width);
                columns.count_kept(&strip, |_, _| true)
            };
            if in_sight(&without) > in_sight(&self) {
                self = without;
            }
        }
        let strip = self.strip(offset, gutter, width);
        (self, strip)
    }

    /// The columns that fit, as [`Columns::place`] has them, with the rail as it is.
    fn strip(&self, offset: usize, gutter: u16, width: u16) -> Strip {
        place_in_order(&self.drawn, self.leading, offset, gutter, width)
    }

    /// The number of placed columns that are worth more than the rail and have enough cells.
    fn count_kept(&self, strip: &Strip, has_enough: impl Fn(&Column, u16) -> bool) -> usize {
        let is_counted = |place: &&Placed| {
            let is_kept = self.shown.get(place.index).is_some_and(|shown| shown.is_kept());
            is_kept && has_enough(&self.drawn[place.index], place.width)
        };
        strip.placed.iter().filter(is_counted).count()
    }
}

/// The index among the table's columns for the rail: after the price, or without a price column after the
/// `leading` ones.
fn rail_index(fields: &[&'static Field], leading: usize) -> usize {
    let price = fields
        .iter()
        .position(|field| matches!(field.key, "dph_total" | "storage_cost"));
    price.map_or(leading, |price| price + 1)
}

/// The column of rails, which show the place of each row's price among comparable rows: `wide` cells, but no
/// fewer than `least`, and up to 12 more where space is left; without `wide`, exactly `least`.
fn rail_column(wide: Option<u16>, least: u16) -> Column {
    let width = wide.unwrap_or(least).max(least);
    // The ends of the rail.
    let title = match width {
        NARROW_RAIL => "cheap ─▸".to_owned(),
        _ => format!("cheap {}▸", "─".repeat(usize::from(width) - 7)),
    };
    Column::text(title, width).grows_by(if wide.is_some() { MORE_RAIL } else { 0 })
}

/// The table columns of these fields, as wide as the rows of `listing` need.
pub(super) fn columns(browser: &Browser, listing: &Listing, fields: &[&'static Field]) -> Vec<Column> {
    fields.iter().map(|field| column(browser, listing, field)).collect()
}

/// Whether the user chose no other columns than the default ones and no other order; false for workergroups.
pub(in crate::features::search) fn are_usual(fields: &[&'static Field], resource: Resource) -> bool {
    // A job or a term adds columns that the user did not choose.
    let usual = resource.catalog().default_columns();
    let chosen = fields.iter().filter(|field| field.in_record || usual.contains(field));
    chosen.eq(&usual) && resource != Resource::Workergroups
}

/// Whether a table has a preview beside it, which shows the id in place of the default columns.
pub(in crate::features::search) fn has_preview(resource: Resource, state: &State) -> bool {
    let (width, height) = state.screen.size;
    let has_room = Size::new(width, height) != Size::Compact && !state.screen.split.is_folded();
    has_room && state.browsers[resource].selected_row().is_some()
}

/// Arranges the default columns for the room beside them: the times of a job follow the place, and the prices of the
/// price types the GPU model; with a preview
/// the id is left out; on a tight screen the GPU model, if among them, comes first and the id is left out.
///
/// Does nothing for workergroups, and if the user chose other columns or another order.
fn arrange_usual(fields: &mut Vec<&'static Field>, browser: &Browser, has_preview: bool, is_tight: bool) {
    if are_usual(fields, browser.resource()) {
        // The kind and the place of the offer come before the times of the job.
        move_behind("geolocation", fields, is_time);
        for key in TYPE_PRICES.iter().rev() {
            move_behind("gpu_name", fields, |field| field.key == *key);
        }
        if has_preview {
            // The preview shows the id of the selected row.
            fields.retain(|field| field.key != "id");
        }
        let model = fields.iter().position(|field| field.key == "gpu_name");
        if let Some(model) = model.filter(|_| is_tight) {
            // What an offer is matters more than its number, which the details show.
            let model = fields.remove(model);
            fields.retain(|field| field.key != "id");
            fields.insert(0, model);
        }
    }
}

/// Moves the fields that `is_moved` picks, in their order, behind the field with the wire name `key`, or to the end
/// without it.
fn move_behind(key: &str, fields: &mut Vec<&'static Field>, is_moved: impl Fn(&Field) -> bool) {
    let (moved, others): (Vec<_>, Vec<_>) = std::mem::take(fields).into_iter().partition(|field| is_moved(field));
    *fields = others;
    let before = fields.iter().position(|field| field.key == key);
    let index = before.map_or(fields.len(), |before| before + 1);
    fields.splice(index..index, moved);
}

/// The columns of a pane's table in order, and the number of leading ones, which do not scroll (at least 1):
/// the id if it is first (on a tight screen the GPU model), then the sorted column.
///
/// The others follow in the chosen order, without those of the three prices before these are requested; first
/// those that explain a broken condition or a match, last those that only the query needs.
fn fields(browser: &Browser, has_preview: bool, is_tight: bool) -> (Vec<&'static Field>, usize) {
    let mut fields = browser.columns.clone();
    if browser.computed.price_models.is_unasked() {
        fields.retain(|field| browser.need(field) != Some(Need::ThreePrices));
    }
    arrange_usual(&mut fields, browser, has_preview, is_tight);
    let sorting = browser.sorting_keys();
    let keys = || sorting.iter().map(|key| key.field).filter(|field| field.is_column());
    let first = fields.first();
    let is_led = first.is_some_and(|field| field.kind == Kind::Id || is_tight && field.key == "gpu_name");
    let mut leading = usize::from(is_led);
    if let Some(first) = keys().next() {
        match fields.iter().position(|field| *field == first) {
            Some(index) if index < leading => {}
            index => {
                index.map(|index| fields.remove(index));
                fields.insert(leading, first);
                leading += 1;
            }
        }
    }
    let accused = browser.violated_columns();
    let revealed = browser.displayed().revealed().iter().copied();
    for field in revealed.filter(|field| !fields.contains(field)).collect::<Vec<_>>() {
        fields.insert(leading.max(1).min(fields.len()), field);
    }
    // A broken condition is in sight, wherever its column was chosen to be.
    for field in accused {
        let index = fields.iter().position(|shown| *shown == field);
        if index.is_none_or(|index| index >= leading.max(1)) {
            index.map(|index| fields.remove(index));
            fields.insert(leading.max(1).min(fields.len()), field);
        }
    }
    for field in bounds(browser).chain(keys()) {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    (fields, leading.max(1))
}

/// Whether a column is a time of the job: of its run, to its deadline, or left after it.
fn is_time(field: &Field) -> bool {
    matches!(field.key, "job_spare" | "job_time" | "job_slack")
}

/// The columns of the query's active conditions with a bound or a list of values, which explain why a row is
/// listed.
fn bounds(browser: &Browser) -> impl Iterator<Item = &'static Field> {
    let is_bound = |operator: Operator| {
        matches!(
            operator,
            Operator::Gt | Operator::Gte | Operator::Lt | Operator::Lte | Operator::In
        )
    };
    let bounds = browser
        .query
        .active()
        .filter(move |condition| is_bound(condition.operator));
    bounds
        .map(|condition| condition.field)
        .filter(|field| field.is_column())
}

/// The table column of a field: its title with the sort arrow, the width of its values and of signs and price
/// changes before them, and its alignment. Texts longer than that grow where space is left.
fn column(browser: &Browser, listing: &Listing, field: &'static Field) -> Column {
    let title = title(browser, listing, field);
    // A cell that breaks a condition has a sign in front of its text.
    let is_broken = browser.is_accused(field) || is_bill(field) && browser.displayed().computed.unfit() > 0;
    let broken = u16::from(is_broken);
    let moved = if is_moving(browser, field) { MOVE } else { 0 };
    let width = width(listing, field, &title) + broken + moved;
    let column = if is_right_aligned(field) {
        Column::number(title, width)
    } else {
        Column::text(title, width)
    };
    // A search is longer than any column.
    if matches!(field.source, Source::Search(_)) {
        return column.grows();
    }
    column.grows_by(longest(listing, field).map_or(0, |longest| longest.saturating_sub(width)))
}

/// The header of a column, with the arrow of its sort order and from the second sort key on its rank; an
/// estimated price is marked `~`.
fn title(browser: &Browser, listing: &Listing, field: &Field) -> String {
    let order = browser.sorting_keys();
    let rank = order.iter().position(|key| key.field == field);
    let sign = match rank {
        None => String::new(),
        Some(0) => format!(" {}", order[0].direction.arrow()),
        Some(rank) => format!(" {}{}", order[rank].direction.arrow(), rank + 1),
    };
    let estimate = if listing.is_estimated(field) { "~" } else { "" };
    let header = cells::header(listing, field, browser.dialect());
    format!("{estimate}{header}{sign}")
}

/// Maximum width of an id, in cells.
///
/// The digits of the largest number in JSON parsers.
const LONGEST_ID: usize = 20;

/// Maximum number of distinct texts of a column that are measured.
///
/// Columns have some hundred distinct texts; a response in which all differ must not cost a frame.
const MOST_TEXTS: usize = 1000;

/// The width that a column needs, in cells, and at least that of its `title`: for ids that of the longest, at
/// most 20; for texts that of the longest, at most the field's usual width; for others the usual width.
fn width(listing: &Listing, field: &Field, title: &str) -> u16 {
    let header = cells_of(title);
    if field.kind == Kind::Id {
        // An id is shown in full or not at all.
        let longest = listing.column(field).widest().min(LONGEST_ID);
        let longest = u16::try_from(longest).unwrap_or(field.column.width);
        return longest.max(header);
    }
    let usual = cells::width(listing, field).unwrap_or(field.column.width);
    longest(listing, field)
        .map_or(usual, |longest| longest.min(usual))
        .max(header)
}

/// The width of the longest text of a column, in cells; `None` for other kinds of columns, and with no or
/// more than 1,000 distinct texts.
fn longest(listing: &Listing, field: &Field) -> Option<u16> {
    let column = matches!(field.kind, Kind::Text | Kind::Country).then(|| listing.column(field))?;
    let is_measured = (1..=MOST_TEXTS).contains(&column.texts().len());
    is_measured.then(|| u16::try_from(column.widest()).ok()).flatten()
}

/// Whether a column is the bill of a job or of a volume term, which does not apply to rows that are too small
/// or end too early.
pub(super) fn is_bill(field: &Field) -> bool {
    matches!(field.key, "job_cost" | "volume_term")
}

/// Whether a column holds numbers or ids, which are aligned to the right.
const fn is_right_aligned(field: &Field) -> bool {
    matches!(field.kind, Kind::Integer | Kind::Number | Kind::Id)
}

/// Whether a column shows the price changes that auto-refresh found.
fn is_moving(browser: &Browser, field: &Field) -> bool {
    browser.watching().is_some_and(|watch| watch.changes().has_moved(field))
}
