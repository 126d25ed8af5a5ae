//! The attempts of a run as a table with a search.
//!
//! A run may have a quarter of a million attempts, and more arrive while the user types: the search
//! runs in pieces, and without a search nothing is copied.

use ratatui::style::Style;

use crate::domain::routing::{Outcome, OutcomeKind, RouteSample, words};
use crate::domain::text::visible;
use crate::tui::records::{Cell, Records};
use crate::tui::table::Column;
use crate::tui::text_input::TextInput;
use crate::tui::theme::Theme;

// Attempts searched per piece: a few milliseconds of work.
const PIECE: usize = 8_000;

/// The filtered attempts and the selection.
#[derive(Debug, Default)]
pub(super) struct AttemptList {
    pub input: TextInput,
    filter: String,
    /// Indices of the attempts that match, among those searched.
    matched: Vec<u32>,
    searched: usize,
    /// The selected line; `None` follows the latest attempt.
    chosen: Option<usize>,
}

impl AttemptList {
    /// The search text in force; empty for none.
    pub fn filter(&self) -> &str {
        &self.filter
    }

    /// Searches the attempts for the typed text, or shows all (`is_on` false); a changed text restarts the
    /// search.
    pub fn search(&mut self, is_on: bool) {
        let wanted = if is_on { self.input.text().trim() } else { "" };
        if wanted != self.filter {
            self.filter = wanted.to_owned();
            self.reset();
        }
    }

    /// Clears the matches and the selection, for another run or search; the search text stays.
    pub fn reset(&mut self) {
        self.matched.clear();
        self.searched = 0;
        self.chosen = None;
    }

    /// Whether some attempts have not been searched yet; false without a search.
    pub fn is_behind(&self, samples: &[RouteSample]) -> bool {
        !self.filter.is_empty() && self.searched < samples.len()
    }

    /// Searches the next 8,000 attempts for the search text; nothing without one.
    pub fn advance(&mut self, samples: &[RouteSample]) {
        if self.filter.is_empty() {
            return;
        }
        let end = samples.len().min(self.searched + PIECE);
        for (index, sample) in samples.iter().enumerate().take(end).skip(self.searched) {
            if sample.matches(&self.filter)
                && let Ok(index) = u32::try_from(index)
            {
                self.matched.push(index);
            }
        }
        self.searched = end;
    }

    /// The number of lines: all attempts, or with a search those found so far.
    pub fn len(&self, samples: &[RouteSample]) -> usize {
        if self.filter.is_empty() {
            samples.len()
        } else {
            self.matched.len()
        }
    }

    /// The index in `samples` of the attempt on a line; `None` past the last line.
    pub fn index_at(&self, line: usize, samples: &[RouteSample]) -> Option<usize> {
        if self.filter.is_empty() {
            (line < samples.len()).then_some(line)
        } else {
            self.matched.get(line).map(|index| *index as usize)
        }
    }

    /// The selected line; the last one while the selection follows the latest attempt.
    pub fn cursor(&self, samples: &[RouteSample]) -> usize {
        let last = self.len(samples).saturating_sub(1);
        self.chosen.map_or(last, |line| line.min(last))
    }

    /// Moves the selection by `by` lines, up to the ends; on the last line it follows the latest attempt.
    pub fn step(&mut self, by: isize, samples: &[RouteSample]) {
        let line = self.cursor(samples).saturating_add_signed(by);
        self.select(line, samples);
    }

    /// Selects a line; the last one, or one past it, follows the latest attempt.
    pub fn select(&mut self, line: usize, samples: &[RouteSample]) {
        let last = self.len(samples).saturating_sub(1);
        self.chosen = (line < last).then_some(line);
    }

    /// The number of attempts and whether the selection follows the latest, or with a search the number of
    /// matches and its progress, as text.
    pub fn note(&self, samples: &[RouteSample]) -> String {
        let all = samples.len();
        let [count, of] = [self.len(samples), all].map(|many| words::count(many as u64));
        if self.filter.is_empty() {
            let follows = if self.chosen.is_none() { ", following" } else { "" };
            return format!("{count} attempts{follows}");
        }
        let mut note = format!("{count} of {of} match “{}”", visible(&self.filter, 24));
        if self.searched < all {
            let percent = self.searched * 100 / all.max(1);
            note = format!("{note}, searched {percent}%");
        }
        note
    }
}

/// The attempts of a route run that match the search (all without one) as rows of a table, in the order in
/// which they ended.
pub(super) fn table<'a>(
    list: &'a AttemptList,
    samples: &'a [RouteSample],
    theme: &'a Theme,
) -> Records<'a, &'a RouteSample> {
    let attempt = move |line| samples.get(list.index_at(line, samples)?);
    Records::new(list.len(samples), attempt)
        .column(Column::number("#", 6), |sample| sample.number().to_string())
        .column(Column::number("End s", 8).priority(3), |sample| {
            format!("{:.3}", sample.ended)
        })
        .column(Column::number("Latency ms", 10), |sample| {
            format!("{:.2}", sample.latency() * 1e3)
        })
        .styled(Column::text("Outcome", 12), |sample, _| outcome_cell(sample, theme))
        .column(Column::number("Poll", 4).priority(4), |sample| match sample.poll {
            0 => String::new(),
            poll => poll.to_string(),
        })
        .styled(
            Column::number("Request no.", 11).priority(2),
            |sample, _| match sample.outcome.reqnum() {
                Some(reqnum) => (reqnum.to_string().into(), Style::new()),
                None => ("—".into(), theme.dim),
            },
        )
        .styled(Column::text("Worker or message", 26).grows(), |sample, width| {
            (message(sample, usize::from(width)).into(), Style::new())
        })
}

/// The outcome of an attempt, or of the call of its worker, as text with its style.
pub(super) fn outcome_cell(sample: &RouteSample, theme: &Theme) -> Cell<'static> {
    let Some(call) = &sample.call else {
        let kind = sample.outcome.kind();
        return (kind.label().into(), kind_style(kind, theme));
    };
    let label = call
        .status()
        .map_or_else(|| "no response".to_owned(), |status| format!("worker {status}"));
    let style = if call.is_good() { theme.good } else { theme.error };
    (label.into(), style)
}

/// The text for an attempt, cut to about `width` cells: the failure at the worker, or else the assigned
/// worker, marked if its reply does not echo the request, or else the message of the router.
fn message(sample: &RouteSample, width: usize) -> String {
    if let Some(failure_reason) = sample.call.as_deref().and_then(words::failure_reason) {
        return visible(&failure_reason, width + 1);
    }
    match (&sample.outcome, sample.outcome.worker()) {
        (Outcome::Assigned { echoed: false, .. }, Some(worker)) => {
            format!("! not echoed as sent: {}", worker.screen(width))
        }
        (_, Some(worker)) => worker.screen(width + 1),
        (Outcome::TimedOut, None) => "no response in time".to_owned(),
        (Outcome::RateLimited { wait: None }, None) => "too many requests".to_owned(),
        (outcome, None) => outcome.detail().screen(width + 1),
    }
}

/// The style of a routing outcome: good if assigned, a warning while waiting, dim if cancelled, else an
/// error.
pub(super) const fn kind_style(kind: OutcomeKind, theme: &Theme) -> Style {
    match kind {
        OutcomeKind::Assigned => theme.good,
        OutcomeKind::Waiting => theme.warning,
        OutcomeKind::Cancelled => theme.dim,
        OutcomeKind::RateLimited
        | OutcomeKind::Refused
        | OutcomeKind::Failed
        | OutcomeKind::Garbage
        | OutcomeKind::TimedOut => theme.error,
    }
}
