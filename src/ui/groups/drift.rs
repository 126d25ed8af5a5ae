//! What changed among the groups.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Line, line, plain, report, signed};
use crate::app::Model;
use crate::app::facts::Facts;
use crate::app::remote::Now;
use crate::domain::workergroup::{Change, ChangeKind};
use crate::widgets::theme::Theme;

/// Cells of a value that are shown.
const VALUE: usize = 120;

/// Draws the report.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    scroll: usize,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) {
    let local = model.local_time(now);
    let drift = &model.groups.drift;
    let width = area.width.saturating_sub(2);
    let mut lines: Vec<Line> = Vec::new();
    match drift.last() {
        None => {
            let key = model.keymap.way_to("report-refresh");
            let text = format!("The groups have not been listed yet: press {key}.");
            lines.push(line(text, theme.text));
        }
        Some((at, groups)) if drift.found().len() == 0 => {
            let text = format!(
                "No change seen. The last listing, of {}, has {groups} groups; every new one is \
                 compared with the one before, also with that of an earlier run in this profile.",
                local.minute(at)
            );
            lines.extend(plain(&text, theme.text, width));
        }
        Some(_) => {}
    }
    for found in drift.found() {
        lines.push(line(
            format!(
                "Seen {}, compared with {}",
                local.minute(found.at),
                local.minute(found.since)
            ),
            theme.heading,
        ));
        for change in &found.changes {
            lines.extend(described(change, width, theme));
        }
        lines.push(Vec::new());
    }
    report(
        buffer,
        area,
        "Changes of the workergroups",
        &lines,
        scroll,
        theme,
        facts,
    );
}

fn described(change: &Change, width: u16, theme: &Theme) -> Vec<Line> {
    let endpoint = change
        .endpoint
        .as_ref()
        .map_or_else(String::new, |name| format!(" ({})", name.screen(32)));
    let group = format!("{}{endpoint}", change.group);
    let value = |value: &Option<crate::domain::Untrusted>| {
        value
            .as_ref()
            .map_or_else(|| "nothing".to_owned(), |value| value.screen(VALUE))
    };
    match &change.kind {
        ChangeKind::New => signed("+", &format!("{group} is new"), theme.good, width),
        ChangeKind::Gone => signed("-", &format!("{group} is gone"), theme.error, width),
        ChangeKind::Changed {
            parameter,
            from,
            to,
        } => {
            let text = format!(
                "{group} {}: {} -> {}",
                parameter.screen(32),
                value(from),
                value(to)
            );
            signed("~", &text, theme.warning, width)
        }
    }
}
