//! The charts of a run: latency histogram, timeline, share per worker.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::words;
use crate::app::facts::Facts;
use crate::app::remote::Now;
use crate::domain::routing::{Bucket, Run};
use crate::ui::paint;
use crate::widgets::theme::Theme;

/// Eighths of a cell, upwards.
const UPWARDS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// Eighths of a cell, to the right.
const RIGHTWARDS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// The most bars of the histogram.
const MOST_BARS: usize = 24;

/// A bar of `width` cells that is filled to a share from 0 to 1.
pub fn gauge(share: f64, width: usize) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )] // a bar is a few cells wide
    let filled = ((share.clamp(0.0, 1.0) * width as f64).round() as usize).min(width);
    "━".repeat(filled) + &"╌".repeat(width - filled)
}

/// A bar as long as `part` of `whole`, at most `width` cells; what is not nothing is seen.
fn bar(part: u64, whole: u64, width: usize) -> String {
    if part == 0 || whole == 0 {
        return String::new();
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )] // a bar is a few cells wide
    let eighths = ((part as f64 / whole as f64 * (width * 8) as f64).round() as usize).max(1);
    "█".repeat(eighths / 8) + RIGHTWARDS[eighths % 8]
}

fn nothing(buffer: &mut Buffer, area: Rect, theme: &Theme) {
    let text = "Nothing has come back yet.";
    paint::text(buffer, area.x, area.y + 1, area.width, text, theme.dim);
}

/// How long each reply took, as horizontal bars.
pub fn histogram(buffer: &mut Buffer, area: Rect, run: &Run, theme: &Theme) {
    let basis = if run.plan().rate.is_some() {
        "from when each was due"
    } else {
        "from when each was sent"
    };
    let title = format!("Router reply, {basis}");
    paint::text(buffer, area.x, area.y, area.width, &title, theme.heading);
    let rows = usize::from(area.height.saturating_sub(1)).min(MOST_BARS);
    let latencies = run.stats().router_reply();
    let bars = latencies.bars(rows.max(1));
    if bars.is_empty() {
        return nothing(buffer, area, theme);
    }
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(1);
    let room = usize::from(area.width.saturating_sub(34));
    #[expect(clippy::cast_precision_loss)] // counts of attempts
    let all = latencies.count() as f64;
    for (y, step) in (area.y + 1..area.bottom()).zip(&bars) {
        let label = format!(
            "{:>8} to {:>8} ",
            words::latency(step.from),
            words::latency(step.to)
        );
        let x = paint::text(buffer, area.x, y, area.width, &label, theme.dim);
        let drawn = bar(step.count, most, room);
        let x = paint::text(
            buffer,
            x,
            y,
            area.right().saturating_sub(x),
            &drawn,
            theme.accent,
        );
        if step.count > 0 {
            #[expect(clippy::cast_precision_loss)] // counts of attempts
            let share = words::share(step.count as f64 / all);
            let note = format!(" {} {share}", words::count(step.count));
            paint::text(
                buffer,
                x,
                y,
                area.right().saturating_sub(x),
                &note,
                theme.text,
            );
        }
    }
}

/// What ended when: a lane each for assigned, waiting and failed, on one scale.
pub fn timeline(buffer: &mut Buffer, area: Rect, run: &Run, now: Now, theme: &Theme) {
    let timeline = run.stats().timeline();
    paint::text(
        buffer,
        area.x,
        area.y,
        area.width,
        "Timeline of replies",
        theme.heading,
    );
    let room = usize::from(area.width.saturating_sub(18)).max(1);
    let joined = timeline.buckets().len().div_ceil(room).max(1);
    let columns: Vec<Bucket> = timeline
        .buckets()
        .chunks(joined)
        .map(|chunk| {
            chunk.iter().fold(Bucket::default(), |sum, bucket| Bucket {
                assigned: sum.assigned + bucket.assigned,
                waiting: sum.waiting + bucket.waiting,
                failed: sum.failed + bucket.failed,
            })
        })
        .collect();
    if columns.is_empty() {
        return nothing(buffer, area, theme);
    }
    #[expect(clippy::cast_precision_loss)] // a few buckets
    let width = timeline.width() * joined as f64;
    let counts = |get: fn(&Bucket) -> u64| columns.iter().map(get).collect::<Vec<_>>();
    let lanes = [
        ("assigned", counts(|bucket| bucket.assigned), theme.good),
        ("waiting", counts(|bucket| bucket.waiting), theme.warning),
        ("failed", counts(|bucket| bucket.failed), theme.error),
    ];
    let most = columns
        .iter()
        .flat_map(|bucket| [bucket.assigned, bucket.waiting, bucket.failed])
        .max()
        .unwrap_or(1);
    let height = (area.height.saturating_sub(2) / 3).clamp(1, 8);
    let mut y = area.y + 1;
    for (label, counts, style) in lanes {
        let lane = Rect::new(area.x, y, area.width, height);
        draw_lane(buffer, area, lane, (label, &counts, most), style, theme);
        y += height;
    }
    let lasted = run.elapsed(now.mono);
    let note = format!(
        "0s to {}, {} a column, at most {} in one",
        words::span(lasted),
        words::latency(width),
        words::count(most)
    );
    if y < area.bottom() {
        paint::text(
            buffer,
            area.x + 9,
            y,
            area.width.saturating_sub(9),
            &note,
            theme.dim,
        );
    }
}

fn draw_lane(
    buffer: &mut Buffer,
    area: Rect,
    lane: Rect,
    what: (&str, &[u64], u64),
    style: ratatui::style::Style,
    theme: &Theme,
) {
    let (label, counts, most) = what;
    let rows = usize::from(lane.height);
    for row in 0..lane.height {
        let y = lane.y + row;
        if y >= area.bottom() {
            return;
        }
        let above = rows - 1 - usize::from(row);
        let text: String = counts
            .iter()
            .map(|count| UPWARDS[level(*count, most, rows).saturating_sub(above * 8).min(8)])
            .collect();
        paint::text(
            buffer,
            lane.x + 9,
            y,
            lane.width.saturating_sub(9),
            &text,
            style,
        );
    }
    let last = (lane.y + lane.height - 1).min(area.bottom().saturating_sub(1));
    paint::text(buffer, lane.x, last, 9, label, theme.dim);
    let sum = words::count(counts.iter().sum());
    paint::right(buffer, lane.x, last, lane.width, &sum, theme.text);
}

/// How many eighths of a lane a count fills; what is not nothing is seen.
fn level(count: u64, most: u64, rows: usize) -> usize {
    if count == 0 || most == 0 {
        return 0;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )] // at most a few dozen eighths
    let level = (count as f64 / most as f64 * (rows * 8) as f64).round() as usize;
    level.max(1)
}

/// Who was assigned what, most first, with how the request numbers run.
pub fn workers(
    buffer: &mut Buffer,
    area: Rect,
    run: &Run,
    scroll: usize,
    theme: &Theme,
    facts: &mut Facts,
) {
    let workers = run.stats().workers();
    let ranked = workers.ranked();
    let page = usize::from(area.height.saturating_sub(1));
    facts.overlay_page = page;
    facts.overlay_lines = ranked.len();
    let address = usize::from(area.width / 3).clamp(14, 44);
    let bar_room = usize::from(area.width).saturating_sub(address + 40);
    let title = format!(
        "{:address$} {:>9} {:>6} {:>5} {:>7} {:>7}",
        format!("Worker ({})", ranked.len()),
        "assigned",
        "share",
        "gaps",
        "missing",
        "repeats"
    );
    paint::text(buffer, area.x, area.y, area.width, &title, theme.heading);
    if ranked.is_empty() {
        let text = "No worker was assigned yet.";
        paint::text(buffer, area.x, area.y + 1, area.width, text, theme.dim);
        return;
    }
    let most = ranked.first().map_or(1, |share| share.assigned);
    let scroll = scroll.min(ranked.len().saturating_sub(page));
    for (y, share) in (area.y + 1..area.bottom()).zip(ranked.iter().skip(scroll)) {
        let name = share.worker.screen(address);
        let pad = address.saturating_sub(usize::from(paint::cells(&name)));
        let line = format!(
            "{name}{} {:>9} {:>6} {:>5} {:>7} {:>7} ",
            " ".repeat(pad),
            words::count(share.assigned),
            words::share(workers.share(share)),
            words::count(share.gaps()),
            words::count(share.missing()),
            words::count(share.repeats()),
        );
        let x = paint::text(buffer, area.x, y, area.width, &line, theme.text);
        let drawn = bar(share.assigned, most, bar_room.saturating_sub(1));
        paint::text(
            buffer,
            x,
            y,
            area.right().saturating_sub(x),
            &drawn,
            theme.accent,
        );
    }
}
