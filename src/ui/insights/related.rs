//! Offers of the same machine and host, and what the offer gets of its machine.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{dollars, left, list, page, right, standing};
use crate::app::browser::Browser;
use crate::app::facts::Facts;
use crate::app::insights::related::{Line, Related};
use crate::app::remote::Now;
use crate::domain::format::{gigabytes, trimmed};
use crate::domain::insight::Share;
use crate::ui::paint;
use crate::widgets::theme::Theme;

/// Lines that the list keeps on a low screen: its header and a few offers.
const LIST: u16 = 4;

/// Draws the view.
pub fn draw(
    buffer: &mut Buffer,
    body: Rect,
    _: &Browser,
    view: &Related,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) {
    let (machine, host) = &view.place;
    let title = format!("Machine {machine} of host {host}");
    let note = match standing(&view.remote, now) {
        Some(standing) => format!("{}; {standing}", view.source),
        None => view.source.clone(),
    };
    let area = page(buffer, body, &title, &note, theme);
    let mut top = area.y;
    let width = area.width.saturating_sub(2);
    // The list is what matters: on a low screen the sentences leave it the room.
    let room = usize::from(area.height.saturating_sub(LIST));
    for line in paint::wrap(&gets(view), width).into_iter().take(room) {
        paint::text(buffer, area.x + 1, top, width, &line, theme.text);
        top += 1;
    }
    if view.lines.is_empty() {
        let note = "The record names neither its machine nor its host.";
        paint::text(buffer, area.x + 1, top + 1, width, note, theme.dim);
        return;
    }
    let foot = "+1 GPU: $/h for each GPU more than the next smaller slice of the machine has.";
    let mut foot = paint::wrap(foot, width);
    let gap = u16::from(area.bottom().saturating_sub(top) > LIST);
    let height = u16::try_from(foot.len()).unwrap_or(0);
    let rest = area.bottom().saturating_sub(top + gap);
    if rest < LIST + height {
        foot.clear();
    }
    let height = u16::try_from(foot.len()).unwrap_or(0);
    let table = Rect::new(area.x, top + gap, area.width, rest - height);
    let cells_of = |texts: &mut dyn Iterator<Item = String>, least: u16| {
        let longest = texts.map(|text| paint::cells(&text)).max();
        longest.unwrap_or(0).max(least)
    };
    let ids = cells_of(&mut view.lines.iter().map(|line| line.id.to_string()), 9);
    let machines = cells_of(&mut view.lines.iter().map(|line| line.machine.clone()), 8);
    let columns = [
        right("ID", ids),
        right("machine", machines),
        left("GPUs", 16),
        right("$/h", 8),
        right("per GPU", 8),
        right("+1 GPU", 8),
        left("", area.width.saturating_sub(48 + ids + machines)),
    ];
    let cells = |index: usize| {
        let line = &view.lines[index];
        let style = if line.is_same_machine {
            theme.text
        } else {
            theme.dim
        };
        vec![
            (line.id.to_string(), style),
            (line.machine.clone(), style),
            (line.title.clone(), style),
            (dollars(line.slice.price), style),
            (dollars(line.slice.per_gpu), style),
            (dollars(line.slice.marginal), style),
            (remark(view, line).to_owned(), theme.dim),
        ]
    };
    list(
        buffer,
        table,
        &columns,
        view.lines.len(),
        view.cursor,
        cells,
        theme,
        facts,
    );
    for (y, line) in (table.bottom()..area.bottom()).zip(foot) {
        paint::text(buffer, area.x + 1, y, width, &line, theme.dim);
    }
}

fn remark(view: &Related, line: &Line) -> &'static str {
    match (line.slice.overlaps, line.rentable) {
        _ if line.id == view.id => "this offer",
        (_, Some(false)) => "not rentable",
        (Some(true), _) => "shares GPUs",
        (Some(false), _) if line.is_same_machine => "other GPUs",
        _ => "",
    }
}

/// What the offer gets of its machine, in a sentence.
fn gets(view: &Related) -> String {
    let Share {
        of_machine,
        ram,
        machine_ram,
        cores,
        machine_cores,
    } = view.share;
    let of = |part: Option<f64>, whole: Option<f64>, write: fn(f64) -> String| match (part, whole) {
        (Some(part), Some(whole)) => Some(format!("{} of {}", write(part), write(whole))),
        (Some(part), None) => Some(write(part)),
        _ => None,
    };
    let parts: Vec<String> = [
        of_machine.map(|share| format!("{}% of the GPUs", trimmed(share * 100.0, 1))),
        of(ram, machine_ram, |megabytes| gigabytes(megabytes / 1000.0))
            .map(|ram| format!("{ram} RAM")),
        of(cores, machine_cores, |cores| trimmed(cores, 1)).map(|cores| format!("{cores} vCPUs")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let id = view.id;
    let title = &view.title;
    if parts.is_empty() {
        format!("Offer {id} ({title}): the record does not say what it gets of the machine.")
    } else {
        let parts = parts.join(", ");
        format!("Offer {id} ({title}) gets {parts} of the machine.")
    }
}
