//! The card of one record: the facts to decide by, in the order of their importance.
//!
//! It is shown beside every list of records and as the first tab of the details.

mod group;
mod offer;
mod volume;

use std::sync::Arc;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::core::State;
use crate::core::view::Scene;
use crate::domain::annotations::suppliers;
use crate::domain::field::Kind;
use crate::domain::insight::{Measure, Rank, Standing};
use crate::domain::listing::FullRecord;
use crate::domain::text::visible;
use crate::domain::time::Now;
use crate::domain::{CellRef, Listing, Resource, country, format};
use crate::features::annotations::view as annotations;
use crate::features::history::rating::{sentences, trend};
use crate::table::browser::Browser;
use crate::tui::rail::Rail;
use crate::tui::range_bar::RangeBar;
use crate::tui::text::{cells, fit, wrap, wrap_line};
use crate::tui::theme::Theme;

/// Width of the labels before the bars.
const LABEL: u16 = 9;

/// Minimum width of the texts after the bars, and of the full ones.
const TEXT: u16 = 23;
const FULL_TEXT: u16 = 32;

/// Maximum length of a record's text on a card, in cells.
const LONGEST: usize = 200;

/// The same text in several lengths, the longest first.
type Forms = Vec<String>;

/// The record of a card, and the rows it is compared with.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub listing: &'a Listing,
    pub row: usize,
    /// The ranks of the listing's rows.
    pub standing: &'a Standing,
    /// The market, and the user's settings.
    pub state: &'a State,
    pub now: Now,
    pub theme: &'a Theme,
}

impl<'a> Subject<'a> {
    /// A row of a pane as the subject of a card; `None` if the pane has no response.
    pub fn new(resource: Resource, row: usize, scene: &Scene<'a, '_>) -> Option<Self> {
        let browser = &scene.state.browsers[resource];
        Some(Self {
            listing: browser.listing()?,
            row,
            standing: &browser.computed.standing,
            state: scene.state,
            now: scene.now,
            theme: scene.theme,
        })
    }

    /// The resource of the listing that the row is in.
    pub(super) fn resource(&self) -> Resource {
        self.listing.catalog().resource
    }

    /// The lines of a preview card: the facts of an offer, volume or workergroup, wrapped to `width` cells.
    pub fn card(&self, width: u16) -> Vec<Line<'static>> {
        let [mut lines, last] = self.facts(width);
        lines.extend(last);
        lines
    }

    /// The card for `rows` lines: where it is longer, blank lines are left out, the second of two first; then
    /// facts, but never the machine and host at its end. Also whether facts are left out.
    pub fn card_within(&self, width: u16, rows: u16) -> (Vec<Line<'static>>, bool) {
        let [mut lines, last] = self.facts(width);
        let room = usize::from(rows).saturating_sub(last.len());
        drop_blanks(&mut lines, room);
        let is_cut = lines.len() > room;
        lines.truncate(room);
        lines.extend(last);
        (lines, is_cut)
    }

    /// The facts of a card wrapped to `width` cells, and the last of them, which name the supplier.
    fn facts(&self, width: u16) -> [Vec<Line<'static>>; 2] {
        let card = Card {
            record: self.listing.full_record(self.row),
            subject: *self,
            width,
        };
        let parts = match self.resource() {
            Resource::Offers => [offer::lines(&card), offer::supplier(&card)],
            Resource::Volumes => [volume::lines(&card), volume::supplier(&card)],
            Resource::Workergroups => [group::lines(&card), Vec::new()],
        };
        parts.map(|lines| lines.iter().flat_map(|line| wrap_line(line, width, 2)).collect())
    }
}

/// Leaves out blank lines until there are `room` lines: first those after another one, then the others from
/// the end.
fn drop_blanks(lines: &mut Vec<Line<'static>>, room: usize) {
    let is_blank = |line: &Line<'_>| line.width() == 0;
    let is_second = |lines: &[Line<'_>], at: usize| at > 0 && is_blank(&lines[at - 1]);
    for any in [false, true] {
        for at in (0..lines.len()).rev() {
            if lines.len() > room && is_blank(&lines[at]) && (any || is_second(lines, at)) {
                lines.remove(at);
            }
        }
    }
}

/// The price before auto-refresh found a change: `was $0.410/h 3 minutes ago (−$0.06, −15%)`; `None` if it
/// has not changed, or without auto-refresh. `money` formats a price.
fn price_change(card: &Card<'_>, browser: &Browser, money: impl Fn(f64) -> String) -> Option<Line<'static>> {
    let watch = browser.watching()?;
    let id = card.subject.listing.id(card.subject.row)?;
    let (from, to) = watch.changes().price(id)?;
    let age = card.subject.now.epoch - watch.since()?.epoch;
    let sign = if to > from { "+" } else { "" };
    let ratio = (to - from) / from;
    let share = ratio.is_finite().then(|| format!(", {}", difference(-ratio)));
    let text = format!(
        "was {} {} ago ({sign}{}{})",
        money(from),
        format::lasting(age.max(0.0)),
        format::dollars(to - from),
        share.unwrap_or_default()
    );
    let theme = card.theme();
    let style = if to < from { theme.good } else { theme.warning };
    Some(Line::styled(text, style))
}

/// The data for the lines of a card.
struct Card<'a> {
    record: Arc<FullRecord>,
    subject: Subject<'a>,
    width: u16,
}

impl Card<'_> {
    /// The user's stars, notes and bans of its machine and host.
    fn annotations(&self) -> Vec<Line<'static>> {
        let subject = &self.subject;
        let of = suppliers(subject.listing, subject.row);
        annotations::annotation_lines(of, subject.state, subject.theme)
    }

    /// The comparison of its price with those of similar offers on record: the trend and the sentences. Empty
    /// until the record is read, and for a row that is not of the table of `resource`; no trend without a
    /// verdict.
    ///
    /// It is about the rows of the table, not about others of the same machine.
    fn rating(&self, resource: Resource) -> Vec<Line<'static>> {
        let subject = &self.subject;
        let table = subject.state.browsers[resource].listing();
        if !table.is_some_and(|shown| std::ptr::eq(shown, subject.listing)) {
            return Vec::new();
        }
        let of_row = (resource, subject.row);
        let trend = trend(subject.state, of_row, self.theme()).map(|line| wrap_line(&line, self.width, 2));
        let said = sentences(subject.state, of_row, subject.now, self.theme())
            .into_iter()
            .flat_map(|(text, style)| self.sentence(&text, style));
        trend.into_iter().flatten().chain(said).collect()
    }

    /// The number in the record's field `key`; `None` if it has none.
    fn number(&self, key: &str) -> Option<f64> {
        let field = self.subject.listing.catalog().by_key(key)?;
        self.record.cell(field).number()
    }

    /// The flag in the record's field `key`; `None` if it has none.
    fn flag(&self, key: &str) -> Option<bool> {
        let field = self.subject.listing.catalog().by_key(key)?;
        self.record.cell(field).flag()
    }

    /// The text or number in the record's field `key`, safe for the screen; `None` for a flag, or if it is
    /// missing, empty or secret.
    fn text(&self, key: &str) -> Option<String> {
        let field = self.subject.listing.catalog().by_key(key)?;
        match self.record.cell(field) {
            CellRef::Text(text) if field.kind == Kind::Country => Some(visible(country::place(text), LONGEST)),
            CellRef::Text(text) if field.kind == Kind::Secret || text.is_empty() => None,
            CellRef::Text(text) => Some(visible(text, LONGEST)),
            CellRef::Number(number) => Some(format::number(field, number)),
            CellRef::Flag(_) | CellRef::Missing | CellRef::Null | CellRef::Bad(_) => None,
        }
    }

    /// The number in the row's column `key`, also a computed one such as the bill of the job; `None` if it
    /// has none.
    fn computed(&self, key: &str) -> Option<f64> {
        let field = self.subject.listing.catalog().column(key)?;
        self.subject.listing.cell(self.subject.row, field).number()
    }

    /// The theme in which the card is drawn.
    const fn theme(&self) -> &Theme {
        self.subject.theme
    }

    /// The title on the left, and the location on the right or below it if they do not fit.
    fn title(&self, title: String, location: Option<String>) -> Vec<Line<'static>> {
        let theme = self.theme();
        let location = location.unwrap_or_default();
        let room = self.width.saturating_sub(cells(&title));
        let title = Span::styled(title, theme.accent);
        if cells(&location) < room {
            let blanks = " ".repeat(usize::from(room - cells(&location)));
            return vec![Line::from(vec![
                title,
                Span::raw(blanks),
                Span::styled(location, theme.text),
            ])];
        }
        vec![Line::from(title), Line::styled(location, theme.text)]
    }

    /// The width of the bars; 0 if they would be too short for the names of their ends.
    fn bar_width(&self) -> u16 {
        let text = if self.is_roomy() { FULL_TEXT } else { TEXT };
        let room = self.width.saturating_sub(LABEL + 2 + text).min(22);
        if room < 8 { 0 } else { room }
    }

    /// Whether the texts after the bars can be in full.
    const fn is_roomy(&self) -> bool {
        self.width >= LABEL + 2 + FULL_TEXT + 10
    }

    /// A line with `label`, the rail of its price, and the text for its rank; `3 alike` in place of the rail
    /// if too few rows compare, and no rail on a narrow card. `None` without a price or text.
    fn rail(&self, label: &str, text: impl FnOnce(Option<Rank>) -> Option<Forms>) -> Option<Line<'static>> {
        let Subject {
            listing,
            row,
            standing,
            theme,
            ..
        } = self.subject;
        let forms = text(standing.rank(listing, Measure::Price, row))?;
        let scale = standing.price_scale(listing, row)?;
        let mut chart = Line::default();
        if !scale.has_enough_prices() {
            chart.push_span(Span::styled(format!("{} alike  ", scale.of), theme.dim));
        } else if self.bar_width() > 0 {
            let rail = Rail::new([scale.low, scale.median, scale.high], scale.price, theme);
            chart = rail.line(self.bar_width());
            chart.push_span(" ");
        }
        Some(self.labelled(label, &chart, &forms))
    }

    /// A line with `label`, `chart` and the first of `forms` that fits; where none does, without the chart.
    fn labelled(&self, label: &str, chart: &Line<'static>, forms: &[String]) -> Line<'static> {
        let theme = self.theme();
        let label = format!("{label:width$} ", width = usize::from(LABEL));
        let line = |chart: &Line<'static>, form: &String| {
            let mut line = Line::from(Span::styled(label.clone(), theme.dim));
            line.spans.extend(chart.spans.iter().cloned());
            line.push_span(Span::styled(form.clone(), theme.text));
            line
        };
        let bare = Line::default();
        let mut lines = [chart, &bare]
            .into_iter()
            .flat_map(|chart| forms.iter().map(move |form| (chart, form)))
            .map(|(chart, form)| line(chart, form));
        let fitting = lines.find(|line| line.width() <= usize::from(self.width));
        fitting.unwrap_or_else(|| fit(line(&bare, forms.last().unwrap_or(&String::new())), self.width))
    }

    /// The names of the ends of the rail or bars above; `None` if none are drawn.
    ///
    /// The line of the price has the number of comparable rows.
    fn ends(&self, [left, right]: [&str; 2]) -> Option<Line<'static>> {
        let subject = &self.subject;
        let rank = subject.standing.rank(subject.listing, Measure::Price, subject.row)?;
        let blanks = usize::from(self.bar_width()).checked_sub(left.len())?;
        rank.share()?;
        let text = format!("{:label$} {left}{right:>blanks$}", "", label = usize::from(LABEL));
        Some(Line::styled(text, self.theme().dim))
    }

    /// A line with `label`, a bar for the share of comparable rows that are worse, and the text for the rank;
    /// no bar if too few rows compare or it is narrow. `None` without a text.
    fn bar(
        &self,
        label: &str,
        measure: Measure,
        text: impl FnOnce(Option<Rank>) -> Option<Forms>,
    ) -> Option<Line<'static>> {
        let subject = &self.subject;
        let rank = subject.standing.rank(subject.listing, measure, subject.row);
        let share = rank.and_then(Rank::share);
        let forms = text(rank)?;
        let theme = self.theme();
        let mut chart = Line::default();
        if let Some(share) = share
            && self.bar_width() > 0
        {
            let bar = RangeBar::new(share, theme).style(tint(share, theme));
            chart = bar.line(self.bar_width());
            chart.push_span(" ");
        }
        Some(self.labelled(label, &chart, &forms))
    }

    /// Facts in a row, separated by dots, wrapped between two of them; `None` and empty ones are left out.
    fn dotted(&self, parts: impl IntoIterator<Item = Option<String>>) -> Vec<Line<'static>> {
        let mut lines: Vec<String> = Vec::new();
        for fact in parts.into_iter().flatten().filter(|text| !text.is_empty()) {
            match lines.last_mut() {
                Some(line) if cells(line) + 3 + cells(&fact) <= self.width => {
                    line.push_str(" · ");
                    line.push_str(&fact);
                }
                _ => lines.push(fact),
            }
        }
        let styled = |line| Line::styled(line, self.theme().text);
        lines.into_iter().map(styled).collect()
    }

    /// A text as lines of the card's width, in one style.
    fn sentence(&self, text: &str, style: Style) -> Vec<Line<'static>> {
        let lines = wrap(text, self.width).into_iter();
        lines.map(|line| Line::styled(line, style)).collect()
    }

    /// The time for which the record is still available, that it is no longer, or first that it is rented, as
    /// text; `None` if its duration is not reported.
    fn available(&self) -> Option<String> {
        if self.flag("rented") == Some(true) {
            return Some("rented".to_owned());
        }
        let age = self.subject.now.epoch - self.subject.listing.read_at();
        let left = self.number("duration")? - age.max(0.0);
        Some(if left > 0.0 {
            format!("available for {}", format::lasting(left))
        } else {
            "no longer available".to_owned()
        })
    }
}

/// The forms of the rank of a price after `basis`, each shorter than the one before: `per GPU, below 89% of 27
/// others`, without the basis, without `others`, then without the number of them.
fn price_forms(basis: &str, rank: Rank) -> Option<Forms> {
    let text = rank.describe_price_rank()?;
    let counted = text.trim_end_matches(" others");
    let bare = counted.split_once(" of ").map_or(counted, |(rank, _)| rank);
    Some(vec![
        format!("{basis}{text}"),
        text.clone(),
        counted.to_owned(),
        bare.to_owned(),
    ])
}

/// The forms of both ways of a network's speed: `↓ 2,167 ↑ 1,057 Mb/s`, then without the blanks. `None` if
/// neither is reported.
fn network_forms(card: &Card<'_>, unit: &str) -> Option<Forms> {
    let form = |gap: &str| {
        let way = |sign: &str, key: &str| Some(format!("{sign}{gap}{}", grouped_number(card.number(key)?)));
        let ways: Vec<String> = [way("↓", "inet_down"), way("↑", "inet_up")]
            .into_iter()
            .flatten()
            .collect();
        (!ways.is_empty()).then(|| format!("{} {unit}", ways.join(" ")))
    };
    Some(vec![form(" ")?, form("")?])
}

/// The style of a rank: good for the best fifth, a warning for the worst; `share` is the share of comparable
/// rows that are worse, from 0 to 1.
pub fn tint(share: f64, theme: &Theme) -> Style {
    match share {
        0.8.. => theme.good,
        ..0.2 => theme.warning,
        _ => theme.focus,
    }
}

/// The difference to a price as text: `−28%` for a saving of 0.28, `+28%` for one of -0.28.
fn difference(saving: f64) -> String {
    let share = format::percent(saving.abs());
    match saving {
        0.0 => "±0%".to_owned(),
        0.0.. => format!("−{share}"),
        _ => format!("+{share}"),
    }
}

/// A number rounded to a whole one with grouped digits; in scientific notation if it is negative or at least
/// 1e12.
fn grouped_number(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked
    if (0.0..1e12).contains(&value) {
        format::grouped(value.round() as usize)
    } else {
        format!("{value:.2e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_go_before_facts_and_second_ones_first() {
        let card = || -> Vec<Line<'static>> { ["price", "", "", "speed", "", "disk"].map(Line::from).to_vec() };
        let within = |room: usize| {
            let mut lines = card();
            drop_blanks(&mut lines, room);
            lines.iter().map(Line::to_string).collect::<Vec<_>>()
        };
        assert_eq!(within(6), ["price", "", "", "speed", "", "disk"]);
        assert_eq!(within(5), ["price", "", "speed", "", "disk"]);
        assert_eq!(within(4), ["price", "", "speed", "disk"]);
        assert_eq!(within(2), ["price", "speed", "disk"]);
    }
}
