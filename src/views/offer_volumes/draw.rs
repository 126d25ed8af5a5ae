//! Draws the volumes that suit an offer: the list, the card of the selected one, the sum.

use std::borrow::Cow;

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::{Match, OfferVolumes};
use crate::app::keymap::Action;
use crate::app::remote::Phase;
use crate::app::view::{Region, Scene};
use crate::domain::cost::{HOURS_PER_MONTH, Outlives, Proximity, Room};
use crate::domain::format::{self, trimmed};
use crate::domain::{Listing, Resource};
use crate::views::bill;
use crate::views::preview::{self, Subject};
use crate::widgets::panel::{Panel, Size};
use crate::widgets::table::{Column, Rows, Table, place};
use crate::widgets::text::{cells, wrap_explained, wrap_line};
use crate::widgets::theme::Theme;

/// Width of the card beside the list.
const CARD: u16 = 48;

pub(super) fn volumes(view: &OfferVolumes, area: Rect, scene: &mut Scene<'_, '_>) {
    let beside = if scene.size == Size::Compact { 0 } else { CARD };
    let [list, card] =
        Layout::horizontal([Constraint::Fill(1), Constraint::Length(beside)]).areas(area);
    let (list, below) = with_offer(view, list, scene);
    draw_list(view, list, scene);
    if let Some((row, below)) = below {
        preview::draw(Resource::Offers, row, below, scene);
    }
    if beside > 0 {
        draw_card(view, card, scene);
    }
}

/// The areas of the list and, where it leaves room, of the offer's card with the offer's row.
fn with_offer(
    view: &OfferVolumes,
    area: Rect,
    scene: &Scene<'_, '_>,
) -> (Rect, Option<(usize, Rect)>) {
    /// The minimum height of a useful card.
    const LEAST: u16 = 12;
    let width = area.width.saturating_sub(4);
    let head = head(view, scene);
    let head = head.iter().map(|line| wrap_line(line, width, 0).len());
    // With the frame and the header of the table, which has two rows at least.
    let needed = head.sum::<usize>() + view.matches.len().max(2) + 3;
    let needed = u16::try_from(needed).unwrap_or(u16::MAX);
    let listing = scene.state.browsers[Resource::Offers].listing();
    let row = listing.and_then(|listing| listing.row(view.offer));
    let rest = area.height.saturating_sub(needed);
    match row.filter(|_| scene.size != Size::Compact && rest >= LEAST) {
        Some(row) => {
            let [list, below] =
                Layout::vertical([Constraint::Length(needed), Constraint::Fill(1)]).areas(area);
            (list, Some((row, below)))
        }
        None => (area, None),
    }
}

fn draw_list(view: &OfferVolumes, area: Rect, scene: &mut Scene<'_, '_>) {
    let facts = match view.matches.len() {
        0 => String::new(),
        many => format!("{} of {many}", view.cursor + 1),
    };
    let title = format!("Volumes for offer {}", view.offer);
    let panel = Panel::new(title)
        .facts(facts)
        .focused(true)
        .sized(scene.size);
    let inner = panel.render(area, scene.frame.buffer_mut(), scene.theme);
    let lines: Vec<Line<'static>> = head(view, scene)
        .iter()
        .flat_map(|line| wrap_line(line, inner.width, 0))
        .collect();
    let needed = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    // A row of the table is worth more than a sentence about it.
    let most = inner
        .height
        .saturating_sub(if view.matches.is_empty() { 0 } else { 3 });
    let [head, table] =
        Layout::vertical([Constraint::Length(needed.min(most)), Constraint::Fill(1)]).areas(inner);
    scene.render(Paragraph::new(lines), head);
    let Some(listing) = view.volumes(scene.state) else {
        return;
    };
    if view.matches.is_empty() {
        return;
    }
    let ids = view.matches.iter().map(|line| cells(&line.id.to_string()));
    let columns = [
        Column::number("Volume", ids.max().unwrap_or(0).max(8)),
        Column::number("GB", 8).priority(4),
        Column::number("$/GB/mo", 8).priority(3),
        Column::number("Volume $/mo", 11).priority(1),
        Column::number("Both $/mo", 9),
        Column::text("Same", 7).priority(2),
        Column::text("Availability", 12).grows(),
    ];
    let placed = place(&columns, table.width);
    let rows = Matches {
        view,
        listing,
        theme: scene.theme,
    };
    let widget = Table::new(&rows, &columns, &placed, Some(view.cursor), scene.theme);
    scene.scroll(Region::MAIN, widget, table);
}

/// The offer and its price, the size and term, and the source of the volumes.
fn head(view: &OfferVolumes, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let term = scene.state.browsers[Resource::Volumes].computed.term;
    let term = term.unwrap_or_default();
    let price = match &view.hourly {
        Ok(hourly) => format!(
            "{}, {} a month",
            format::per_hour(*hourly),
            format::dollars(hourly * HOURS_PER_MONTH)
        ),
        Err(gap) => format!("no price: {gap}"),
    };
    let mut lines = vec![Line::styled(
        format!("{}: {price}", offer(view, scene)),
        theme.text,
    )];
    let size = format!(
        "With {} for {} days ({} changes both); a month has 720 hours",
        format::gigabytes(term.gb),
        trimmed(term.days, 4),
        scene.key(Action::Job)
    );
    lines.push(Line::styled(size, theme.dim));
    lines.extend(loading(view, scene));
    lines.extend(source(view, scene));
    lines
}

fn offer(view: &OfferVolumes, scene: &Scene<'_, '_>) -> String {
    let listing = scene.state.browsers[Resource::Offers].listing();
    let Some((listing, row)) = listing.and_then(|it| Some((it, it.row(view.offer)?))) else {
        return "Offer".to_owned();
    };
    let cell = |key: &str| {
        let field = listing.catalog().by_key(key);
        field.map_or_else(String::new, |field| format::cell(listing, row, field, 24))
    };
    format!(
        "{}× {}, {}",
        cell("num_gpus"),
        cell("gpu_name"),
        cell("geolocation")
    )
}

fn loading(view: &OfferVolumes, scene: &Scene<'_, '_>) -> Option<Line<'static>> {
    match view.remote.phase() {
        Phase::Loading { since, waiting, .. } => {
            let text = if let Some(waiting) = waiting {
                let left = (waiting.until - scene.now.mono).max(0.0).ceil();
                format!("{}: sending in {left:.0} s", waiting.why)
            } else {
                let seconds = (scene.now.mono - since).max(0.0);
                format!("Loading volumes… {seconds:.0} s")
            };
            Some(Line::styled(text, scene.theme.accent))
        }
        Phase::Failed(error) => {
            let text = format!("! {error} ({} to retry)", scene.key(Action::Refresh));
            Some(Line::styled(text, scene.theme.error))
        }
        Phase::Ready | Phase::Idle => None,
    }
}

/// How many volumes suit the offer, out of how many.
fn source(view: &OfferVolumes, scene: &Scene<'_, '_>) -> Option<Line<'static>> {
    let browser = &scene.state.browsers[Resource::Volumes];
    let of = if let Some(listing) = view.remote.shown() {
        format!("{} verified volumes", format::grouped(listing.len()))
    } else {
        let listing = browser.listing()?;
        let query = browser.query_text();
        format!(
            "{} volumes in your search ({query})",
            format::grouped(listing.len())
        )
    };
    let count = view.matches.len();
    let text = match view.matches.first().map(|line| line.by) {
        Some(Proximity::Cluster) => format!("{count} of {of} are in its cluster"),
        Some(Proximity::Country) => format!(
            "{count} of {of} are in its country, none in its cluster: the machine may not be able \
             to mount them"
        ),
        None => format!(
            "None of {of} is in its cluster or country ({} loads all verified ones)",
            scene.key(Action::Refresh)
        ),
    };
    Some(Line::styled(text, scene.theme.dim))
}

struct Matches<'a> {
    view: &'a OfferVolumes,
    listing: &'a Listing,
    theme: &'a Theme,
}

impl Rows for Matches<'_> {
    fn count(&self) -> usize {
        self.view.matches.len()
    }

    fn cell(&self, row: usize, column: usize, width: u16) -> (Cow<'_, str>, Style) {
        let line = &self.view.matches[row];
        let field = |key: &str| {
            let field = self.listing.catalog().by_key(key);
            let cell = |field| format::cell(self.listing, line.row, field, usize::from(width));
            Cow::from(field.map_or_else(String::new, cell))
        };
        let money = |amount: Option<f64>| match amount {
            Some(amount) => Cow::from(format!("{amount:.2}")),
            None => Cow::from(format::NONE),
        };
        let text = match column {
            0 => Cow::from(line.id.to_string()),
            1 => field("disk_space"),
            2 => field("storage_cost"),
            3 => money(line.volume.as_ref().ok().map(|cost| cost.per_month)),
            4 => money(line.both.as_ref().ok().map(|both| both.total)),
            5 => Cow::from(match line.by {
                Proximity::Cluster => "cluster",
                Proximity::Country => "country",
            }),
            _ => return (availability(line).into(), self.style_of(line)),
        };
        (text, Style::new())
    }
}

impl Matches<'_> {
    fn style_of(&self, line: &Match) -> Style {
        let is_unfit = line.volume.as_ref().is_ok_and(|cost| {
            matches!(cost.outlives, Outlives::No { .. }) || matches!(cost.room, Room::ShortBy(_))
        });
        if is_unfit {
            self.theme.warning
        } else {
            Style::new()
        }
    }
}

fn availability(line: &Match) -> String {
    const HOUR: f64 = 3600.0;
    let Ok(cost) = &line.volume else {
        return String::new();
    };
    let term = match cost.outlives {
        Outlives::Yes { .. } => "full term".to_owned(),
        Outlives::No { short_by } => format!("! ends {} early", format::span(short_by * HOUR)),
        Outlives::Unknown => "end not reported".to_owned(),
    };
    match cost.room {
        Room::ShortBy(gb) => format!("{term}, ! {} too small", format::gigabytes(gb)),
        Room::Enough | Room::Unknown => term,
    }
}

/// The selected volume, and the cost of both.
fn draw_card(view: &OfferVolumes, area: Rect, scene: &mut Scene<'_, '_>) {
    let (Some(listing), Some(line)) = (view.volumes(scene.state), view.current()) else {
        return;
    };
    let subject = Subject {
        listing,
        row: line.row,
        standing: &view.standing,
        state: scene.state,
        now: scene.now,
        theme: scene.theme,
    };
    let theme = scene.theme;
    let panel =
        Panel::new(line.id.to_string()).foot(format!("{} show volume", scene.key(Action::Submit)));
    let inner = panel.render(area, scene.frame.buffer_mut(), theme);
    let mut lines = subject.card(inner.width);
    if let Ok(both) = &line.both {
        lines.push(Line::default());
        lines.push(Line::styled("Offer and volume", theme.heading));
        let steps = bill::steps(&both.steps, theme);
        lines.extend(
            steps
                .iter()
                .flat_map(|step| wrap_explained(step, inner.width, 17)),
        );
    }
    scene.render(Paragraph::new(lines), inner);
}
