//! Draws the funnel: a bar for all rows and one for each filter.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{StatefulWidget, Widget};

use super::{Funnel, Step};
use crate::core::view::{Region, Scene};
use crate::core::views::{searched, sheet};
use crate::domain::language::print_condition_briefly;
use crate::domain::{format, text};
use crate::keys::Action;
use crate::table::remote::Phase;
use crate::widgets::dialog;
use crate::widgets::panel::{Panel, Size, Tone};
use crate::widgets::text::{cells, fit};
use crate::widgets::theme::Theme;
use crate::widgets::viewport::Viewport;

/// Cells of the counts.
const REMOVES: u16 = 9;
const WINS: u16 = 11;

/// Cells of the advice, on a wide enough screen.
const ADVICE: u16 = 34;

/// The maximum width of a filter's name.
const NAME: u16 = 40;

/// Draws the funnel, or the state of its search.
pub(super) fn funnel(view: &Funnel, area: Rect, scene: &mut Scene<'_, '_>) {
    let nouns = view.query.resource.nouns();
    let facts = if view.steps.is_empty() {
        String::new()
    } else {
        let (matching, total) = view.counts;
        let first = if view.is_cut { "the first " } else { "" };
        format!(
            "{} of {first}{} {nouns} match",
            format::grouped(matching),
            format::grouped(total)
        )
    };
    let lines = u16::try_from(view.steps.len()).unwrap_or(u16::MAX);
    let height = lines.saturating_add(8).max(10);
    let size = match scene.size {
        Size::Compact => (area.width, area.height),
        Size::Medium | Size::Wide => (area.width.saturating_sub(4).min(150), height),
    };
    let panel = Panel::new("Funnel").facts(facts).tone(Tone::Focused);
    let buffer = scene.frame.buffer_mut();
    let inner = dialog::open(panel, size, area, buffer, scene.theme);
    let inner = searched::draw_line(&view.find, inner, scene);
    if view.steps.is_empty() {
        let text = vec![standing(view, nouns, scene)];
        return sheet::text(text, inner, scene);
    }
    let [head, all, body, _, advice] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(u16::from(inner.height > 9)),
        Constraint::Length(2),
    ])
    .areas(inner);
    let columns = Columns::new(view);
    let theme = scene.theme;
    let total = all_rows(view);
    let buffer = scene.frame.buffer_mut();
    let [name, _, removes, wins, _] = columns.areas(head);
    for (text, place, is_right) in [
        ("Filter", name, false),
        ("Removes", removes, true),
        ("Adds if off", wins, true),
    ] {
        put(text, theme.heading, place, is_right, buffer);
    }
    let [name, bar, ..] = columns.areas(all);
    put(&total, theme.dim, name, false, buffer);
    put(&share_bar(1.0, bar.width), theme.border, bar, false, buffer);
    let steps = Steps { view, columns, theme };
    scene.scroll(Region::MAIN, steps, body);
    if let Some(step) = view.steps.get(view.cursor) {
        sheet::text(help(step, view.is_cut, scene), advice, scene);
    }
}

fn all_rows(view: &Funnel) -> String {
    let total = format::grouped(view.counts.1);
    let which = if view.is_cut { "first" } else { "all" };
    format!("{which} {total} {}", view.query.resource.nouns())
}

/// The state of the search while there is nothing to show.
fn standing(view: &Funnel, nouns: &str, scene: &Scene<'_, '_>) -> Line<'static> {
    let theme = scene.theme;
    match view.remote.phase() {
        Phase::Loading {
            waiting: Some(waiting), ..
        } => {
            let seconds = (waiting.until - scene.now.mono).max(0.0).ceil();
            Line::styled(format!("{}: sending in {seconds:.0} s", waiting.why), theme.dim)
        }
        Phase::Loading { since, .. } => {
            let seconds = (scene.now.mono - since).max(0.0);
            let text = format!("Loading {nouns} without filters… {seconds:.0} s");
            Line::styled(text, theme.dim)
        }
        Phase::Failed(error) => {
            let retry = scene.key(Action::Refresh);
            Line::styled(format!("{error} ({retry} to retry)"), theme.error)
        }
        Phase::Idle | Phase::Ready => Line::styled(format!("No {nouns}"), theme.dim),
    }
}

/// What the keys do to the selected filter.
fn help(step: &Step, is_cut: bool, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    // Of a truncated response, others may come back as well.
    let least = if is_cut { "at least " } else { "" };
    let rows = |many: usize| match many {
        0 if is_cut => "none of these comes back".to_owned(),
        0 => "no row comes back".to_owned(),
        1 => format!("{least}1 row comes back"),
        many => format!("{least}{} rows come back", format::grouped(many)),
    };
    let line = |key: String, text: String| {
        Line::from(vec![
            Span::styled(format!("{key} "), theme.key),
            Span::styled(text, theme.text),
        ])
    };
    let name = print_condition_briefly(&step.condition);
    let both = step.with.as_ref().map(|(other, many)| {
        let other = print_condition_briefly(other);
        format!("; without {other} as well, {}", rows(*many))
    });
    let removes = format!("removes {name}: {}{}", rows(step.cost.last), both.unwrap_or_default());
    let mut lines = vec![line(scene.key(Action::Submit), removes)];
    lines.extend(step.looser.as_ref().map(|(looser, many)| {
        let looser = print_condition_briefly(looser);
        let text = format!("loosens it to {looser}: {}", rows(*many));
        line(scene.key(Action::Right), text)
    }));
    lines
}

/// The widths of the columns.
#[derive(Debug, Clone, Copy)]
struct Columns {
    name: u16,
}

impl Columns {
    fn new(view: &Funnel) -> Self {
        let names = view.steps.iter();
        let names = names.map(|step| cells(&print_condition_briefly(&step.condition)) + 2);
        let all = cells(&all_rows(view));
        Self {
            name: names.max().unwrap_or(0).max(all).min(NAME),
        }
    }

    /// Name, bar, removed rows, rows won back, advice.
    fn areas(self, row: Rect) -> [Rect; 5] {
        let is_wide = row.width >= self.name + REMOVES + WINS + ADVICE + 20;
        Layout::horizontal([
            Constraint::Length(self.name.min(row.width / 2)),
            Constraint::Fill(1),
            Constraint::Length(REMOVES),
            Constraint::Length(WINS),
            Constraint::Length(if is_wide { ADVICE } else { 0 }),
        ])
        .spacing(1)
        .areas(row)
    }
}

/// The filters with their bars.
struct Steps<'a> {
    view: &'a Funnel,
    columns: Columns,
    theme: &'a Theme,
}

impl Steps<'_> {
    fn step(&self, index: usize, step: &Step, row: Rect, buffer: &mut Buffer) {
        let theme = self.theme;
        let is_selected = index == self.view.cursor;
        let pick = |style: Style| {
            if is_selected { theme.selected } else { style }
        };
        if is_selected {
            buffer.set_style(row, theme.selected);
        }
        let [name, bar, removes, wins, advice] = self.columns.areas(row);
        // Reversed, a bar would look empty where it is full.
        buffer.set_style(bar, Style::reset());
        let sign = if is_selected { '▌' } else { ' ' };
        let condition = text::visible(&print_condition_briefly(&step.condition), 200);
        put(&format!("{sign} {condition}"), pick(theme.text), name, false, buffer);
        let (_, total) = self.view.counts;
        let kept = total.saturating_sub(step.cost.alone);
        #[expect(clippy::cast_precision_loss)] // far below 2^53
        let share = if total == 0 { 1.0 } else { kept as f64 / total as f64 };
        let style = theme.series[0];
        put(&share_bar(share, bar.width), style, bar, false, buffer);
        let count = |sign: char, many: usize| match many {
            0 => "0".to_owned(),
            many => format!("{sign}{}", format::grouped(many)),
        };
        let lost = count('−', step.cost.alone);
        put(&lost, pick(theme.text), removes, true, buffer);
        let won = if step.cost.last > 0 { theme.good } else { theme.dim };
        let back = count('+', step.cost.last);
        put(&back, pick(won), wins, true, buffer);
        put(&note(step), pick(theme.dim), advice, false, buffer);
    }
}

/// The advice, or why the filter cannot be judged.
fn note(step: &Step) -> String {
    match (&step.looser, &step.with) {
        _ if !step.cost.judged => "not reported by any row".to_owned(),
        (Some((looser, many)), _) => {
            let looser = print_condition_briefly(looser);
            format!("{looser} would bring {}", format::grouped(*many))
        }
        (None, Some((other, many))) => {
            let other = print_condition_briefly(other);
            format!("+{} without {other} too", format::grouped(*many))
        }
        (None, None) if step.cost.silent > 0 => {
            format!("{} without a value", format::grouped(step.cost.silent))
        }
        (None, None) => String::new(),
    }
}

/// A bar for a share from 0 to 1, low enough to leave a gap to the next; anything above zero is
/// visible.
fn share_bar(share: f64, width: u16) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the width
    let cells = (share.clamp(0.0, 1.0) * f64::from(width)).ceil() as usize;
    "▆".repeat(cells)
}

fn put(text: &str, style: Style, area: Rect, is_right: bool, buffer: &mut Buffer) {
    let line = fit(Line::styled(text, style), area.width);
    let line = if is_right { line.right_aligned() } else { line };
    line.render(area, buffer);
}

impl StatefulWidget for Steps<'_> {
    type State = Viewport;

    fn render(self, area: Rect, buffer: &mut Buffer, viewport: &mut Viewport) {
        viewport.follow(self.view.cursor, self.view.steps.len(), area);
        for (index, row) in viewport.visible().zip(area.rows()) {
            if let Some(step) = self.view.steps.get(index) {
                self.step(index, step, row, buffer);
            }
        }
    }
}
