//! What changed among the workergroups since they were last listed.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use crate::app::State;
use crate::app::keymap::{Action, Context};
use crate::app::remote::Now;
use crate::app::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::domain::workergroup::{Change, ChangeKind};
use crate::domain::{Resource, Untrusted};
use crate::views::preflight::parts::signed;
use crate::views::preview;
use crate::widgets::find::Find;
use crate::widgets::input_widget::InputWidget;
use crate::widgets::panel::{Panel, Size};
use crate::widgets::report::Report;
use crate::widgets::text::wrap_line;
use crate::widgets::theme::Theme;

/// The maximum length of a value in characters.
const VALUE: usize = 120;

/// The changes of this run and since the last one, newest first.
#[derive(Debug, Default)]
pub struct Drift {
    report: Report,
}

/// Opens the view and marks the changes as seen.
pub fn open(cx: &mut Cx<'_>) -> bool {
    cx.state.groups.drift.unseen = 0;
    cx.open(Drift::default());
    true
}

impl View for Drift {
    fn contexts(&self) -> &'static [Context] {
        self.report.contexts()
    }

    fn search(&self) -> Option<&Find> {
        Some(self.report.find())
    }

    fn widget(&mut self, cx: &Cx<'_>) -> Option<&mut dyn InputWidget> {
        let lines = lines(cx.state, cx.now, &Theme::MONO);
        if lines != self.report.lines() {
            self.report.set_lines(lines);
        }
        Some(&mut self.report)
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        super::keys::of_report(action)
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Refresh => Some("refresh"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Back | Action::Submit => cx.close(),
            Action::Refresh => {
                let effects = cx.state.refresh(Resource::Workergroups, cx.now);
                cx.effects(effects);
            }
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let lines = lines(scene.state, scene.now, scene.theme);
        let (changes, group) = areas(&lines, area, scene.size);
        let panel = Panel::new("What changed")
            .facts("newest first")
            .focused(true)
            .sized(scene.size);
        let inner = panel.render(changes, scene.frame.buffer_mut(), scene.theme);
        scene.report_of(Region::MAIN, &self.report, &lines, inner);
        let selected = scene.state.browsers[Resource::Workergroups].selected_row();
        if let Some((row, area)) = selected.zip(group) {
            preview::draw(Resource::Workergroups, row, area, scene);
        }
    }
}

/// The areas of the changes and, where they leave room, of the selected workergroup as it is now.
fn areas(lines: &[Line<'_>], area: Rect, size: Size) -> (Rect, Option<Rect>) {
    /// The minimum height of a useful preview.
    const LEAST: u16 = 12;
    let width = area.width.saturating_sub(4);
    let wrapped = lines.iter().map(|line| wrap_line(line, width, 2).len());
    let needed = u16::try_from(wrapped.sum::<usize>() + 2).unwrap_or(u16::MAX);
    if size == Size::Compact || area.height.saturating_sub(needed) < LEAST {
        return (area, None);
    }
    let [changes, group] =
        Layout::vertical([Constraint::Length(needed), Constraint::Fill(1)]).areas(area);
    (changes, Some(group))
}

fn lines(state: &State, now: Now, theme: &Theme) -> Vec<Line<'static>> {
    let local = state.local_time(now);
    let drift = &state.groups.drift;
    let mut lines = Vec::new();
    match drift.last() {
        None => {
            let key = state.keymap.key_of(Action::Refresh);
            let text = format!("Workergroups not listed yet ({key} to list them).");
            lines.push(Line::styled(text, theme.text));
        }
        Some((at, groups)) if drift.found().len() == 0 => {
            let text = format!(
                "No changes. Last listed {} with {groups} groups; every new listing is compared with \
                 the one before it, across restarts.",
                local.minute(at)
            );
            lines.push(Line::styled(text, theme.text));
        }
        Some(_) => {}
    }
    for found in drift.found() {
        let (at, since) = (local.minute(found.at), local.minute(found.since));
        let text = format!("Seen {at}, compared with {since}");
        lines.push(Line::styled(text, theme.heading));
        lines.extend(found.changes.iter().map(|change| described(change, theme)));
        lines.push(Line::default());
    }
    lines
}

fn described(change: &Change, theme: &Theme) -> Line<'static> {
    let endpoint = change
        .endpoint
        .as_ref()
        .map_or_else(String::new, |name| format!(" ({})", name.screen(32)));
    let group = format!("{}{endpoint}", change.group);
    let value = |value: &Option<Untrusted>| {
        value
            .as_ref()
            .map_or_else(|| "—".to_owned(), |value| value.screen(VALUE))
    };
    match &change.kind {
        ChangeKind::New => signed("+", &format!("{group} is new"), theme.good),
        ChangeKind::Gone => signed("-", &format!("{group} is gone"), theme.error),
        ChangeKind::Changed {
            parameter,
            from,
            to,
        } => {
            let parameter = parameter.screen(32);
            let text = format!("{group} {parameter}: {} → {}", value(from), value(to));
            signed("~", &text, theme.warning)
        }
    }
}
