//! Other offers of the same machine and host: slices, the price of one more GPU, totals.

use crate::core::message::News;
use std::collections::BTreeMap;

use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::host;
use crate::api::Request;
use crate::core::view::{Cx, Region, Scene};
use crate::domain::annotations::{Supplier, suppliers};
use crate::domain::cost::Prices;
use crate::domain::format::trimmed;
use crate::domain::insight::{
    Coverage, HostSummary, Share, Slice, Standing, Supply, coverage, host_summary, price_level, same_host, share,
    slices,
};
use crate::domain::text::truncate;
use crate::domain::unit::MB_PER_GB;
use crate::domain::{Condition, Listing, Query, Resource, RowId, format};
use crate::features::annotations::view as annotations;
use crate::features::details::preview::Subject;
use crate::keys::{Action, Context};
use crate::table::browser::Browser;
use crate::table::remote::{Phase, Remote, Ticket};
use crate::tui::panel::Panel;
use crate::tui::records::Records;
use crate::tui::table::{Column, GUTTER};
use crate::tui::text::wrap_line;
use crate::tui::theme::Theme;

/// Minimum width of the selected offer's card.
const LEAST_CARD: u16 = 38;

/// An offer of the same host.
#[derive(Debug)]
struct Sibling {
    id: RowId,
    machine: String,
    is_same_machine: bool,
    title: String,
    slice: Slice,
    rentable: Option<bool>,
}

/// The offers of one host, those of the machine first.
#[derive(Debug)]
pub(super) struct Machine {
    id: RowId,
    pub remote: Remote<Listing>,
    siblings: Vec<Sibling>,
    share: Share,
    /// The ids of the machine and the host, as text.
    ids: (String, String),
    suppliers: [Option<Supplier>; 2],
    /// Number of offers, machines and distinct GPUs of the host among the siblings.
    totals: (usize, usize, u64),
    cursor: usize,
    host: Option<Condition>,
    summary: HostSummary,
    /// Number of loaded offers that its prices are compared with.
    loaded: usize,
    /// The ranks among the offers of the response.
    standing: Standing,
}

impl Machine {
    /// Shows the loaded offers of the selected offer's host and requests all of them; there is no request if
    /// the host is unknown. The cursor is on the selected offer.
    pub fn new(cx: &mut Cx<'_>) -> Self {
        let browser = &cx.state().browsers[Resource::Offers];
        let mut machine = Self {
            id: browser.selected().unwrap_or(RowId(0)),
            remote: Remote::default(),
            siblings: Vec::new(),
            share: Share::default(),
            ids: (String::new(), String::new()),
            suppliers: [None; 2],
            totals: (0, 0, 0),
            cursor: 0,
            host: browser.host_condition(),
            summary: HostSummary::default(),
            loaded: 0,
            standing: Standing::default(),
        };
        machine.rebuild(browser);
        machine.ask(cx);
        let index = machine.siblings.iter().position(|sibling| sibling.id == machine.id);
        machine.cursor = index.unwrap_or(0);
        machine
    }

    /// Whether the selected offer belongs to this host, so that nothing new is requested; false if the host
    /// is unknown.
    pub fn is_same_host(&self, browser: &Browser) -> bool {
        self.host.is_some() && browser.host_condition() == self.host
    }

    /// The condition that finds all offers of the host; `None` if the offer names none.
    pub fn host(&self) -> Option<Condition> {
        self.host.clone()
    }

    /// The id of the offer under the cursor; `None` if there are no offers.
    pub fn current(&self) -> Option<RowId> {
        self.siblings.get(self.cursor).map(|sibling| sibling.id)
    }

    /// Moves the cursor `by` lines, within the table.
    pub fn step(&mut self, by: isize) {
        self.select(self.cursor.saturating_add_signed(by));
    }

    /// Selects a line, or the last one if there are fewer; true if it was selected already.
    pub fn select(&mut self, line: usize) -> bool {
        let last = self.siblings.len().saturating_sub(1);
        let line = line.min(last);
        std::mem::replace(&mut self.cursor, line) == line
    }

    /// Requests every offer of the host, including rented and unverified ones, up to the limit of the search,
    /// in place of an earlier request; nothing happens if the host is unknown.
    pub fn ask(&mut self, cx: &mut Cx<'_>) {
        let Some(host) = self.host.clone() else {
            return;
        };
        let query = Query {
            conditions: vec![host],
            ..cx.state().browsers[Resource::Offers].query.clone()
        };
        let ticket = cx.send(Request::Search(query));
        cx.abort(self.remote.ask(ticket, cx.now));
    }

    /// Handles progress and response of the request for the host's offers; other requests are ignored.
    pub fn on_news(&mut self, ticket: Ticket, news: News, cx: &mut Cx<'_>) {
        if let News::Progress(progress) = news {
            self.remote.progress(ticket, progress);
        } else if let News::Reply(response) = news
            && self.remote.take_records(ticket, cx.now, *response)
        {
            self.standing = Standing::default();
            self.rebuild(&cx.state().browsers[Resource::Offers]);
        }
    }

    /// Recomputes the offers of the host, their totals and summary: from the response if it has the selected
    /// offer, else from the loaded rows. The cursor stays on its offer, or goes to the first if that is gone.
    /// The offers stay as they are if neither has the selected offer.
    pub fn rebuild(&mut self, browser: &Browser) {
        let Some(here) = browser.listing() else {
            return;
        };
        self.id = browser.selected().unwrap_or(self.id);
        if let Some(row) = here.row(self.id) {
            self.share = share(here, row);
            self.ids = (text(here, row, "machine_id"), text(here, row, "host_id"));
            self.suppliers = suppliers(here, row);
        }
        let answer = self.remote.shown();
        let of = |listing: &'_ Listing| listing.row(self.id);
        let shown = answer
            .and_then(|listing| Some((listing, of(listing)?)))
            .or_else(|| Some((here, of(here)?)));
        let Some((listing, row)) = shown else { return };
        let pricing = browser.pricing();
        let prices = Prices::new(listing, pricing.model);
        let chosen = self.current();
        self.siblings = siblings(&prices, row, pricing.gb);
        let rows: Vec<u32> = self.siblings.iter().map(|sibling| sibling.slice.row).collect();
        let supply = Supply::new(listing, &rows).amount();
        self.totals = (rows.len(), supply.machines, supply.gpus);
        let market = Prices::new(here, pricing.model);
        self.loaded = here.len();
        self.summary = HostSummary {
            level: price_level(&prices, &rows, &market, pricing.gb),
            ..host_summary(listing, &rows)
        };
        let kept = self.siblings.iter().position(|sibling| Some(sibling.id) == chosen);
        self.cursor = kept.unwrap_or(0);
    }

    /// Draws the tab of the machine: the summary of machine and host, the table of the host's offers (a
    /// sentence if there are none), and the card of the offer under the cursor where there is room.
    pub fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let theme = scene.theme;
        let lines: Vec<Line<'static>> = self
            .summary(scene)
            .iter()
            .flat_map(|line| wrap_line(line, area.width, 2))
            .collect();
        let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        let [top, below] = Layout::vertical([Length(height.min(area.height / 2)), Fill(1)]).areas(area);
        scene.render(Paragraph::new(lines), top);
        let (left, card) = self.split(below, theme);
        self.card(card, scene);
        let [table, foot] = Layout::vertical([Fill(1), Length(u16::from(area.height > 12))]).areas(left);
        if self.siblings.is_empty() {
            let text = "The record names neither machine nor host.";
            scene.render(Line::styled(text, theme.dim), table);
            return;
        }
        scene.table(Region::MAIN, &self.rows(theme), Some(self.cursor), table);
        let text = "+1 GPU: $/h for each GPU more than the next smaller slice";
        scene.render(Line::styled(text, theme.dim), foot);
    }

    /// The areas of the table and of the selected offer's card, which is empty on a narrow screen or without
    /// offers.
    fn split(&self, area: Rect, theme: &Theme) -> (Rect, Rect) {
        let rows = self.rows(theme);
        let table: u16 = rows.columns().iter().map(|column| column.width + 1).sum();
        let table = table + GUTTER;
        if self.siblings.is_empty() || area.width < table + LEAST_CARD {
            return (area, Rect::default());
        }
        let [table, card] = Layout::horizontal([Length(table), Fill(1)]).spacing(1).areas(area);
        (table, card)
    }

    /// Draws the card of the offer under the cursor, and the GPU models of the host below it; nothing in an
    /// empty area.
    fn card(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let Some(sibling) = self.siblings.get(self.cursor).filter(|_| !area.is_empty()) else {
            return;
        };
        let browser = &scene.state.browsers[Resource::Offers];
        let loaded = browser.listing().map(|listing| (listing, &browser.computed.standing));
        let answer = self.remote.shown().map(|listing| (listing, &self.standing));
        let listings = loaded.into_iter().chain(answer);
        let mut sources =
            listings.filter_map(|(listing, standing)| Some((listing, standing, listing.row(sibling.id)?)));
        let Some((listing, standing, row)) = sources.next() else {
            return;
        };
        let theme = scene.theme;
        let subject = Subject {
            listing,
            row,
            standing,
            state: scene.state,
            now: scene.now,
            theme,
        };
        let panel = Panel::new(format!("Offer {}", sibling.id));
        let inner = panel.inner(area);
        let (mut lines, is_cut) = subject.card_within(inner.width, inner.height);
        let all = is_cut.then(|| format!("{} all", scene.key_in(&[Context::Report], Action::Submit)));
        scene.framed(panel.note(all.unwrap_or_default()), area);
        lines.push(Line::default());
        lines.extend(self.models(inner.width, theme));
        scene.render(Paragraph::new(lines), inner);
    }

    /// The GPU models of the host by name, below a heading: the number of offers that are not rented, even if
    /// 0, and their lowest $/h per GPU.
    fn models(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut models: BTreeMap<&str, (usize, Option<f64>)> = BTreeMap::new();
        for sibling in &self.siblings {
            let parts = sibling.title.split_once("× ");
            let model = parts.map_or(sibling.title.as_str(), |(_, model)| model);
            let (rentable, lowest) = models.entry(model).or_default();
            if sibling.rentable != Some(false) {
                *rentable += 1;
                let price = sibling.slice.per_gpu;
                *lowest = [*lowest, price].into_iter().flatten().reduce(f64::min);
            }
        }
        let name = usize::from(width.saturating_sub(22).clamp(10, 22));
        let head = format!("{:name$} {:>8} {:>11}", "On this host", "Rentable", "From $/GPU");
        let line = |(model, (rentable, lowest)): (&str, (usize, Option<f64>))| {
            let lowest = lowest.map_or_else(|| format::NONE.to_owned(), |price| format!("{price:.4}"));
            let model = truncate(model, name);
            let text = format!("{model:name$} {rentable:>8} {lowest:>11}");
            Line::styled(text, theme.text)
        };
        let head = Line::styled(head, theme.heading);
        std::iter::once(head).chain(models.into_iter().map(line)).collect()
    }

    /// The machine's and host's ids, the offer's share of its machine, the user's annotations of both, the
    /// host's totals with their source, and the host's summary.
    fn summary(&self, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
        let theme = scene.theme;
        let (offers, machines, gpus) = self.totals;
        let (machine, host) = &self.ids;
        let plural = |many: usize| if many == 1 { "" } else { "s" };
        let title = format!("Machine {machine} of host {host}");
        let totals = format!(
            "{offers} offer{}, {gpus} GPU{} on {machines} machine{}",
            plural(offers),
            if gpus == 1 { "" } else { "s" },
            plural(machines),
        );
        let mut lines = vec![
            Line::styled(title, theme.heading),
            Line::styled(describe_share(&self.share), theme.text),
        ];
        lines.extend(annotations::annotation_lines(self.suppliers, scene.state, theme));
        let under_way = self
            .remote
            .phase()
            .under_way("loading all offers of the host…", scene.now);
        let source = under_way.unwrap_or_else(|| match self.remote.phase() {
            Phase::Failed(error) => {
                let key = scene.key(Action::Refresh);
                format!("among the loaded offers only. {error} ({key} to retry)")
            }
            Phase::Ready if self.is_cut(scene) => "the first of the host, more exist".to_owned(),
            Phase::Ready => "all of the host, rented ones too".to_owned(),
            Phase::Idle | Phase::Loading { .. } => "among the loaded offers".to_owned(),
        });
        let style = match self.remote.phase() {
            Phase::Failed(_) => theme.error,
            Phase::Loading { .. } => theme.accent,
            Phase::Ready | Phase::Idle => theme.dim,
        };
        let mut line = Line::styled(format!("{totals} · "), theme.text);
        line.push_span(ratatui::text::Span::styled(source, style));
        lines.push(line);
        if !self.siblings.is_empty() {
            lines.extend(host::lines(&self.summary, self.loaded, theme));
        }
        lines.push(Line::default());
        lines
    }

    /// The siblings as records of a table; those of other machines are dim.
    fn rows<'a>(&'a self, theme: &'a Theme) -> Records<'a, &'a Sibling> {
        let widest = |of: fn(&Sibling) -> usize, least: u16| {
            let longest = self.siblings.iter().map(of).max().unwrap_or(0);
            u16::try_from(longest).unwrap_or(least).clamp(least, 20)
        };
        let id = widest(|sibling| sibling.id.to_string().len(), 8);
        let machine = widest(|sibling| sibling.machine.len(), 7);
        let gpus = widest(|sibling| sibling.title.chars().count(), 12);
        let tone = |sibling: &Sibling| if sibling.is_same_machine { theme.text } else { theme.dim };
        let price = move |sibling: &Sibling, price: Option<f64>| {
            let text = price.map_or_else(|| format::NONE.to_owned(), |price| format!("{price:.4}"));
            (text.into(), tone(sibling))
        };
        Records::new(self.siblings.len(), |row| self.siblings.get(row))
            .styled(Column::number("ID", id), move |sibling: &Sibling, _| {
                (sibling.id.to_string().into(), tone(sibling))
            })
            .styled(Column::number("Machine", machine).priority(3), move |sibling, _| {
                (sibling.machine.as_str().into(), tone(sibling))
            })
            .styled(Column::text("GPUs", gpus), move |sibling, _| {
                (sibling.title.as_str().into(), tone(sibling))
            })
            .styled(Column::number("$/h", 8), move |sibling, _| {
                price(sibling, sibling.slice.price)
            })
            .styled(Column::number("per GPU", 8).priority(2), move |sibling, _| {
                price(sibling, sibling.slice.per_gpu)
            })
            .styled(Column::number("+1 GPU", 8).priority(1), move |sibling, _| {
                price(sibling, sibling.slice.marginal)
            })
            .styled(Column::text("", 12).priority(1).grows(), |sibling, _| {
                (self.remark(sibling).into(), theme.dim)
            })
    }

    /// The remark on an offer in the table, the first that holds: `this offer`, `not rentable`, `shares GPUs`
    /// (with the selected offer), or `other GPUs` of the same machine; empty if none holds.
    fn remark(&self, sibling: &Sibling) -> &'static str {
        match (sibling.slice.overlaps, sibling.rentable) {
            _ if sibling.id == self.id => "this offer",
            (_, Some(false)) => "not rentable",
            (Some(true), _) => "shares GPUs",
            (Some(false), _) if sibling.is_same_machine => "other GPUs",
            _ => "",
        }
    }

    /// Whether the host may have more offers than were received; false before a response.
    fn is_cut(&self, scene: &Scene<'_, '_>) -> bool {
        let limit = scene.state.browsers[Resource::Offers].query.limit;
        let answer = self.remote.shown();
        answer.is_some_and(|listing| coverage(listing, limit) != Coverage::Whole)
    }
}

/// The cell of the field `key`, at most 20 cells wide; empty without such a field.
fn text(listing: &Listing, row: usize, key: &str) -> String {
    format::cell_of(listing, row, key, 20)
}

/// The number and the model of the GPUs: `8× RTX 4090`.
fn title(listing: &Listing, row: usize) -> String {
    let count = text(listing, row, "num_gpus");
    format!("{count}× {}", text(listing, row, "gpu_name"))
}

/// The offers of the host as slices of its machines, those of the machine of `row` first, without offers that
/// name no machine; prices include `gb` of storage, or are as received for `None`.
fn siblings(prices: &Prices<'_>, row: usize, gb: Option<f64>) -> Vec<Sibling> {
    let listing = prices.listing();
    let machine = |row: usize| listing.cell_of(row, "machine_id").whole();
    let rentable = |row: usize| listing.cell_of(row, "rentable").flag();
    let machine_of_row = machine(row);
    let mut collected: Vec<Slice> = slices(prices, row, gb);
    let mut seen: Vec<u32> = collected.iter().map(|slice| slice.row).collect();
    for neighbour in same_host(listing, row) {
        if seen.contains(&neighbour) {
            continue;
        }
        let theirs = slices(prices, neighbour as usize, gb);
        let is_alone = theirs.is_empty();
        seen.extend(theirs.iter().map(|slice| slice.row));
        // GPU ids start at 0 on every machine: equal ones on another machine are other GPUs.
        collected.extend(theirs.into_iter().map(|slice| Slice {
            overlaps: Some(false),
            ..slice
        }));
        if is_alone {
            seen.push(neighbour);
        }
    }
    collected
        .into_iter()
        .filter_map(|slice| {
            let index = slice.row as usize;
            Some(Sibling {
                id: listing.id(index)?,
                machine: text(listing, index, "machine_id"),
                is_same_machine: machine_of_row.is_some() && machine(index) == machine_of_row,
                title: title(listing, index),
                rentable: rentable(index),
                slice,
            })
        })
        .collect()
}

/// A sentence on the offer's share of its machine's GPUs, memory and cores, or that no share is reported.
fn describe_share(share: &Share) -> String {
    let of = |part: Option<f64>, all: Option<f64>, write: fn(f64) -> String| match (part, all) {
        (Some(part), Some(all)) => Some(format!("{} of {}", write(part), write(all))),
        (Some(part), None) => Some(write(part)),
        (None, _) => None,
    };
    let parts: Vec<String> = [
        share
            .of_machine
            .map(|share| format!("{}% of the GPUs", trimmed(share * 100.0, 1))),
        of(share.ram, share.machine_ram, |megabytes| {
            format::gigabytes(megabytes / MB_PER_GB)
        })
        .map(|ram| format!("{ram} RAM")),
        of(share.cores, share.machine_cores, |cores| trimmed(cores, 1)).map(|cores| format!("{cores} vCPUs")),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() {
        "Share of the machine not reported".to_owned()
    } else {
        format!("This offer gets {}", parts.join(", "))
    }
}
