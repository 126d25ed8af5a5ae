//! The overview: the card, all costs, and alternatives.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::Detail;
use crate::core::view::Scene;
use crate::domain::cost::{HOURS_PER_MONTH, Joined, Prices, Quote};
use crate::domain::field::Unit;
use crate::domain::format::trimmed;
use crate::domain::insight::{Alike, Standing};
use crate::domain::text::truncate;
use crate::domain::time::UnixTime;
use crate::domain::workergroup::Key;
use crate::domain::{CellRef, Field, Listing, OfferType, Resource, country, format};
use crate::features::copy_export::copy::api_key;
use crate::features::job::bill;
use crate::features::workergroups::preflight::summary;
use crate::features::workergroups::sent;
use crate::keys::Action;
use crate::table::browser::Browser;
use crate::table::remote::Phase;
use crate::tui::rail::Rail;
use crate::tui::theme::Theme;

/// Maximum number of alternatives.
///
/// As many as a tall screen shows.
const ALTERNATIVES: usize = 40;

const LABEL: usize = 18;

/// Width of the rails beside the alternatives.
const RAIL: u16 = 8;

/// The alternatives to a row among the listed ones: the row that beats it, then the cheapest with the same
/// GPUs; for a volume, the cheapest ones. 40 at most, without rows that have no price or do not suit the job;
/// empty for workergroups.
pub(super) fn alternatives(browser: &Browser, listing: &Listing, row: usize) -> Vec<u32> {
    let catalog = listing.catalog();
    let alike = Alike::of(listing);
    let price = match browser.resource() {
        Resource::Volumes => catalog.column("storage_cost"),
        Resource::Offers => catalog.column(browser.pricing().key()),
        Resource::Workergroups => return Vec::new(),
    };
    let Some(price) = price else {
        return Vec::new();
    };
    let this = u32::try_from(row).unwrap_or(u32::MAX);
    let is_alike = |candidate: &u32| {
        let is_volume = browser.resource() == Resource::Volumes;
        *candidate != this && (is_volume || alike.are_alike(row, *candidate as usize))
    };
    let cost = |row: u32| listing.cell(row as usize, price).number();
    let mut rows: Vec<(f64, u32)> = browser
        .view()
        .iter()
        .copied()
        .filter(is_alike)
        .filter(|row| !browser.computed.is_unfit(*row as usize))
        .filter_map(|row| Some((cost(row)?, row)))
        .collect();
    rows.sort_by(|left, right| left.0.total_cmp(&right.0));
    let beats = browser.computed.rival(this).map(|lead| lead.row);
    let beats = beats.filter(|row| browser.view().contains(row));
    let alternatives = rows.into_iter().map(|(_, row)| row);
    beats
        .into_iter()
        .chain(alternatives.filter(|row| Some(*row) != beats))
        .take(ALTERNATIVES)
        .collect()
}

/// The line of a fact with its name.
pub(super) fn labelled(label: &str, text: String, theme: &Theme) -> Line<'static> {
    Line::from(vec![
        Span::styled(format!("{label:LABEL$} "), theme.dim),
        Span::styled(text, theme.text),
    ])
}

/// A titled part of the overview.
pub(crate) struct Block {
    pub lines: Vec<Line<'static>>,
    /// Number of lines that are rows of a table, which are cut instead of wrapped.
    pub table: usize,
}

/// The bill of the job on the offer; without a job, the key that sets one.
pub(super) fn job(browser: &Browser, listing: &Listing, row: usize, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    if let Some(job) = &browser.computed.job {
        let prices = Prices::new(listing, browser.pricing().model);
        bill::job(&prices, row, job, (scene.now.epoch, u16::MAX), scene.theme)
    } else {
        let text = format!("No job set ({} sets one)", scene.key(Action::Job));
        vec![Line::styled(text, scene.theme.dim)]
    }
}

impl Block {
    /// A block of text with a heading above the lines `rest`.
    pub(super) fn titled(title: String, rest: Vec<Line<'static>>, theme: &Theme) -> Self {
        let title = Line::styled(title, theme.heading);
        Self {
            lines: std::iter::once(title).chain(rest).collect(),
            table: 0,
        }
    }
}

/// The blocks beside the card of the selected record: prices and job of an offer, the bill of a volume,
/// launch and scaling of a workergroup; last the alternatives, or all workergroups. Empty without a selected
/// row.
pub(super) fn blocks(view: &Detail, scene: &Scene<'_, '_>) -> Vec<Block> {
    let browser = &scene.state.browsers[view.resource];
    let (Some(listing), Some(row)) = (browser.listing(), browser.selected_row()) else {
        return Vec::new();
    };
    let mut blocks = Vec::new();
    let mut block = |title: &str, rest: Vec<Line<'static>>| {
        blocks.push(Block::titled(title.to_owned(), rest, scene.theme));
    };
    match view.resource {
        Resource::Offers => {
            block("Prices", prices(Some(view), browser, listing, row, scene));
            block("Job", job(browser, listing, row, scene));
        }
        Resource::Volumes => {
            let (title, bill) = volume(browser, listing, row, scene);
            block(&title, bill);
        }
        Resource::Workergroups => {
            block("Launch", launch_lines(listing, row, scene));
            block("Scaling", scaling_lines(listing, row, scene));
            block("Workergroups", groups(browser, listing, row, scene));
            if let Some(table) = blocks.last_mut() {
                table.table = table.lines.len();
            }
            return blocks;
        }
    }
    blocks.extend(alternatives_block(view, scene));
    blocks
}

/// The alternatives of the selected record as a table; `None` without a selected row.
pub(super) fn alternatives_block(view: &Detail, scene: &Scene<'_, '_>) -> Option<Block> {
    let browser = &scene.state.browsers[view.resource];
    let (listing, row) = (browser.listing()?, browser.selected_row()?);
    let count = browser.count_label();
    let among = match count.strip_suffix(", more exist") {
        Some(first) => format!(" among the {}", lowered(first)),
        None if listing.len() == 1 => String::new(),
        None => format!(" among {}", lowered(&count)),
    };
    let lines = alternative_lines(&view.alternatives, browser, listing, row, scene);
    let block = Block::titled(format!("Alternatives{among}"), lines, scene.theme);
    Some(Block {
        table: block.lines.len(),
        ..block
    })
}

/// The title and the bill of the volume for the size and term, or for an example.
fn volume(browser: &Browser, listing: &Listing, row: usize, scene: &Scene<'_, '_>) -> (String, Vec<Line<'static>>) {
    let term = browser.computed.term;
    let size = term.unwrap_or_default();
    let (gb, days) = (format::gigabytes(size.gb), trimmed(size.days, 4));
    let mut bill = bill::volume(listing, row, &size, (scene.now.epoch, u16::MAX), scene.theme);
    if term.is_none() {
        let text = format!("An example ({} sets size and term)", scene.key(Action::Job));
        bill.push(Line::styled(text, scene.theme.dim));
    }
    (format!("{gb} for {days} days"), bill)
}

/// A phrase with a lower-case start, to continue a title.
pub(super) fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

/// The lines on the prices of an offer: that of the search, with its split into GPUs and storage, the other
/// price types if there is a `view`, and further costs. Those that are not reported are left out.
pub(super) fn prices(
    view: Option<&Detail>,
    browser: &Browser,
    listing: &Listing,
    row: usize,
    scene: &Scene<'_, '_>,
) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let labelled = |label: &str, text: String| labelled(label, text, theme);
    let mut lines = Vec::new();
    let pricing = browser.pricing();
    let prices = Prices::new(listing, pricing.model);
    if let Ok(hourly) = prices.hourly(row, pricing.gb) {
        let name = model(pricing.model);
        let month = format::dollars(hourly * HOURS_PER_MONTH);
        let base = prices.base(row).ok();
        let parts = base.map(|base| (base, (hourly - base).max(0.0)));
        let parts = parts.map(|parts| (format::per_hour(parts.0), format::per_hour(parts.1)));
        let disk = format::gigabytes(browser.storage().0);
        if view.is_some() {
            let text = format!("{}, {month} per 30 days", format::per_hour(hourly));
            lines.push(labelled(name, text));
            lines.extend(parts.map(|(gpus, storage)| labelled("", format!("{gpus} GPUs + {storage} for {disk}"))));
        } else {
            // The card is narrow.
            lines.push(labelled(name, format::per_hour(hourly)));
            lines.push(labelled("30 days", month));
            lines.extend(parts.into_iter().flat_map(|(gpus, storage)| {
                let disk = format!("{disk} of disk");
                [labelled("GPUs", gpus), labelled(&disk, storage)]
            }));
        }
    }
    lines.extend(view.into_iter().flat_map(|view| models(view, browser, scene)));
    let record = listing.full_record(row);
    let number = |key: &str| record.cell(listing.catalog().by_key(key)?).number();
    if let (Some(down), Some(up)) = (number("inet_down_cost"), number("inet_up_cost")) {
        let per_gb = |price: f64| format!("${}/GB", trimmed(price, 5));
        lines.push(labelled("Traffic", format!("↓ {} ↑ {}", per_gb(down), per_gb(up))));
    }
    if let Some(stopped) = number("instance.totalHour").or_else(|| number("storage_total_cost")) {
        lines.push(labelled("While stopped", format::per_hour(stopped)));
    }
    lines
}

/// The name of a price type as a label.
const fn model(model: OfferType) -> &'static str {
    match model {
        OfferType::OnDemand => "On-demand",
        OfferType::Bid => "Bid",
        OfferType::Reserved => "Reserved",
    }
}

/// The prices of the other price types from their own searches, each with the state of its search if it has
/// none, and their age; before they are requested, the key that loads them. The search's own type is among
/// them only if its price is missing.
fn models(view: &Detail, browser: &Browser, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let searches = &browser.computed.price_models;
    if searches.is_unasked() {
        let text = format!("Other price models: {} loads them", scene.key(Action::ThreePrices));
        return vec![Line::styled(text, theme.dim)];
    }
    let models = &view.price_models;
    let pricing = browser.pricing();
    let rows = [
        (OfferType::OnDemand, models.on_demand, None),
        (OfferType::Bid, models.bid, models.saving),
        (OfferType::Reserved, models.reserved, models.discount),
    ];
    let mut lines = Vec::new();
    for (offered, quote, saving) in rows {
        // The price of the search is at the top already.
        if offered == pricing.model && quote.is_some() {
            continue;
        }
        let text = match (quote, searches.slot(offered).phase()) {
            (Some(quote), _) => quoted(quote, saving),
            (None, Phase::Loading { since, .. }) => {
                format!("loading… {:.0} s", (scene.now.mono - *since).max(0.0))
            }
            (None, Phase::Failed(error)) => error.to_string(),
            (None, _) if searches.is_cut(offered) => {
                let many = searches.listing(offered).map_or(0, Listing::len);
                format!("not among the first {}", format::grouped(many))
            }
            (None, _) => "not offered".to_owned(),
        };
        lines.push(labelled(model(offered), text, theme));
    }
    let loaded = OfferType::ALL
        .iter()
        .filter_map(|model| searches.slot(*model).shown_at())
        .map(|then| scene.now.epoch - then.epoch)
        .reduce(f64::max);
    lines.extend(loaded.map(|age| {
        let text = format!("Loaded {} ago", format::lasting(age.max(0.0)));
        Line::styled(text, theme.dim)
    }));
    lines
}

/// A price as text, with its difference to the on-demand price if `saving` is known, and a note for that
/// of another offer with the same GPUs.
fn quoted(quote: Quote, saving: Option<f64>) -> String {
    let mut text = format::per_hour(quote.total);
    if let Some(saving) = saving {
        let percent = trimmed(saving.abs() * 100.0, 1);
        let words = match saving {
            _ if percent == "0" => ", same as on-demand".to_owned(),
            ..0.0 => format!(", {percent}% more than on-demand"),
            _ => format!(", {percent}% less than on-demand"),
        };
        text.push_str(&words);
    }
    if quote.joined == Joined::ByGpus {
        text.push_str(" (another offer of the same GPUs)");
    }
    text
}

/// The columns of the alternatives, which depend on the resource and the job: title, key and width in cells.
fn columns_of_others(browser: &Browser) -> &'static [(&'static str, &'static str, usize)] {
    match browser.resource() {
        Resource::Volumes => &[
            ("$/GB/mo", "storage_cost", 8),
            ("GB", "disk_space", 7),
            ("MB/s", "nw_disk_avg_bw", 6),
            ("Rel. %", "reliability2", 7),
            ("Country", "geolocation", 8),
        ],
        Resource::Offers | Resource::Workergroups if browser.computed.job.is_some() => &[
            ("Job $", "job_cost", 7),
            ("$/h", "dph_total", 8),
            ("DLPerf", "dlperf", 7),
            ("Rel. %", "reliability", 7),
            ("Country", "geolocation", 8),
        ],
        Resource::Offers | Resource::Workergroups => &[
            ("$/h", "dph_total", 8),
            ("DLPerf", "dlperf", 7),
            ("Rel. %", "reliability", 7),
            ("Left", "duration", 7),
            ("Country", "geolocation", 8),
        ],
    }
}

/// The alternatives as a table, below a header and the row itself; a sentence if there are none.
fn alternative_lines(
    rows: &[u32],
    browser: &Browser,
    listing: &Listing,
    this_row: usize,
    scene: &Scene<'_, '_>,
) -> Vec<Line<'static>> {
    let theme = scene.theme;
    if rows.is_empty() {
        return no_alternatives(browser, listing, scene);
    }
    let rival = u32::try_from(this_row).ok().and_then(|row| browser.computed.rival(row));
    let beats = rival.map(|lead| lead.row);
    let columns = columns_of_others(browser);
    let line = |sign: &str, id: String, cells: Vec<(String, usize)>, rail: Line<'static>, style: Style| {
        let mut line = Line::from(Span::styled(format!("{sign} {id:>8}"), style));
        for (index, (cell, width)) in cells.into_iter().enumerate() {
            line.push_span(Span::styled(format!(" {cell:>width$}"), style));
            // Behind the price.
            if index == 0 {
                line.push_span(" ");
                let blanks = usize::from(RAIL).saturating_sub(rail.width());
                line.spans.extend(rail.spans.iter().cloned());
                line.push_span(" ".repeat(blanks));
            }
        }
        line
    };
    let header = columns.iter().map(|(title, _, width)| ((*title).to_owned(), *width));
    let rail_title = Line::from(Span::styled("cheap ─▸", theme.dim));
    let mut lines = vec![line(" ", "ID".to_owned(), header.collect(), rail_title, theme.dim)];
    let this_row = u32::try_from(this_row).ok();
    for row in this_row.into_iter().chain(rows.iter().copied()) {
        let index = row as usize;
        let id = listing.id(index).map(|id| id.to_string());
        let all = columns.iter();
        let cells = all.map(|(_, key, width)| (figure(listing, index, key), *width));
        let (sign, style) = match row {
            row if Some(row) == this_row => ("›", theme.selected),
            row if Some(row) == beats => ("◆", theme.good),
            _ => (" ", theme.text),
        };
        let rail = rail(browser, listing, index, theme);
        let line = line(sign, id.unwrap_or_default(), cells.collect(), rail, style);
        lines.push(if Some(row) == this_row {
            striped(line, theme)
        } else {
            line
        });
    }
    lines
}

/// The reason why a row has no alternatives; for an offer, also keys that lead to some.
fn no_alternatives(browser: &Browser, listing: &Listing, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let dim = scene.theme.dim;
    let text = match browser.resource() {
        Resource::Volumes => "No other volume in your search",
        Resource::Offers if browser.computed.job.is_some() && !Standing::compares_bills(listing) => {
            "No offer in your search has a bill for the job"
        }
        Resource::Offers if browser.computed.job.is_some() => "No other offer with the same GPUs does the job",
        Resource::Offers | Resource::Workergroups => "No other offer with the same GPUs in your search",
    };
    let mut lines = vec![Line::styled(text, dim)];
    if browser.resource() == Resource::Offers {
        let (spread, filters) = (scene.key(Action::Cluster), scene.key(Action::Funnel));
        let text = format!("{spread} plans over several machines, {filters} edits the filters");
        lines.push(Line::styled(text, dim));
    }
    lines
}

/// The rail of a row's price among those of comparable rows; their number if they are too few, blank without
/// a price.
fn rail(browser: &Browser, listing: &Listing, row: usize, theme: &Theme) -> Line<'static> {
    match browser.computed.standing.price_scale(listing, row) {
        Some(scale) if scale.has_enough_prices() => {
            Rail::new([scale.low, scale.median, scale.high], scale.price, theme).line(RAIL)
        }
        Some(scale) => Line::styled(format!("{} alike", scale.of), theme.dim),
        None => Line::default(),
    }
}

/// The value in the row's column `key` as text without its unit, which the header names: ratios in percent,
/// durations in their largest unit, a country as its code. Empty without such a column.
fn figure(listing: &Listing, row: usize, key: &str) -> String {
    let Some(field) = listing.catalog().column(key) else {
        return String::new();
    };
    // Decimal points below each other: a fixed number of decimals and one unit.
    match (field.unit, listing.cell(row, field)) {
        (Unit::Ratio, CellRef::Number(value)) => format!("{:.2}", value * 100.0),
        (Unit::Gigabytes, CellRef::Number(value)) => format!("{value:.0}"),
        _ if key == "geolocation" => {
            let cell = format::cell(listing, row, field, 80);
            truncate(country::code(&cell), 7)
        }
        _ => format::cell(listing, row, field, 80),
    }
}

/// The lines on how a workergroup starts its workers, such as its template; a dash for each value that is not
/// reported. The API key stays hidden behind the key that shows it.
pub(super) fn launch_lines(listing: &Listing, row: usize, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let record = listing.full_record(row);
    let keys = [
        "endpoint_id",
        "template_id",
        "template_hash",
        "launch_args",
        "user_id",
        "created_at",
    ];
    let mut lines = Vec::new();
    for field in keys.iter().filter_map(|key| listing.catalog().by_key(key)) {
        let cell = record.cell(field);
        let text = match cell {
            CellRef::Missing | CellRef::Null => format::NONE.to_owned(),
            CellRef::Number(seconds) if field.key == "created_at" => {
                scene.state.local_time(scene.now).detail(UnixTime::new(seconds))
            }
            _ => format::detail(&record, field, scene.state.profile.dialect),
        };
        lines.push(labelled(field.label, text, theme));
    }
    let key = if api_key(scene.state).is_some() {
        format!("hidden ({} shows it)", scene.key(Action::Secrets))
    } else {
        format::NONE.to_owned()
    };
    lines.push(labelled("API key", key, theme));
    lines
}

/// The scaling parameters of a workergroup, a line each, with their meanings; a dash for values not reported.
/// Where the market does not return a limit as it was sent when the group was created here, that limit takes
/// the place of the meaning.
pub(super) fn scaling_lines(listing: &Listing, row: usize, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let record = listing.full_record(row);
    let sent = sent::created_as(&scene.state.mutations.history, listing, row);
    let keys = [
        "max_workers",
        "min_load",
        "target_util",
        "cold_mult",
        "cold_workers",
        "test_workers",
        "gpu_ram",
    ];
    let fields = keys.iter().filter_map(|key| listing.catalog().by_key(key));
    let line = |field: &'static Field| {
        let text = match record.cell(field) {
            CellRef::Missing | CellRef::Null => format::NONE.to_owned(),
            _ => format::detail(&record, field, scene.state.profile.dialect),
        };
        let described = Key::named(field.key)
            .zip(sent)
            .and_then(|(key, sent)| sent::describe(sent, key, record.cell(field).number()));
        if let Some(described) = described {
            let returned = record.cell(field).number().map(|_| format!("{text}, "));
            return labelled(field.label, returned.unwrap_or_default() + &described, theme);
        }
        // The first clause: the fields tab has the rest.
        let meaning = field.doc.split(['.', ';', ':', ',']).next().unwrap_or_default();
        let mut line = labelled(field.label, format!("{text:<8}"), theme);
        line.push_span(Span::styled(meaning, theme.dim));
        line
    };
    fields.map(line).collect()
}

/// A table of the listed workergroups, with the number of machines for each whose supply was checked, and a
/// sign at `this_row`.
fn groups(browser: &Browser, listing: &Listing, this_row: usize, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let head = format!("  {:>8} {:<14} {:>8}  Search", "ID", "Endpoint", "Machines");
    let mut lines = vec![Line::styled(head, theme.dim)];
    let text = |row: usize, key: &str, width: usize| format::cell_of(listing, row, key, width);
    for row in browser.view().iter().map(|row| *row as usize) {
        let id = listing.id(row);
        let report = summary::supply_report_of_row(scene.state, row);
        let machines = report.map_or_else(
            || format::NONE.to_owned(),
            |report| format::grouped(report.recruitable.machines),
        );
        let is_selected = row == this_row;
        let sign = if is_selected { "›" } else { " " };
        let id = id.map(|id| id.to_string()).unwrap_or_default();
        let endpoint = text(row, "endpoint_name", 14);
        let search = text(row, "search_query", 200);
        let line = format!("{sign} {id:>8} {endpoint:<14} {machines:>8}  {search}");
        let line = Line::styled(line, theme.text);
        lines.push(if is_selected { striped(line, theme) } else { line });
    }
    lines
}

/// The line of the selected record, with the stripe over the whole width and no other colours.
fn striped(line: Line<'static>, theme: &Theme) -> Line<'static> {
    let spans = line.spans.into_iter();
    let spans = spans.map(|span| Span::styled(span.content, theme.selected));
    spans.collect::<Line<'static>>().style(theme.selected)
}
