//! A request as text, for the list, the preview and the details.

use std::time::Duration;

use ratatui::text::{Line, Span};

use crate::api::{LedgerEntry, curl};
use crate::domain::format;
use crate::domain::local::LocalTime;
use crate::domain::routing::words::latency;
use crate::domain::text::visible;
use crate::tui::text::wrap_line;
use crate::tui::theme::Theme;

/// Maximum length of an address or error, in characters.
const LONGEST: usize = 2000;

/// Maximum length of the shown command line, in characters.
///
/// A body of many ids would push everything else off the screen; all of it can be copied.
const LONGEST_CURL: usize = 4000;

/// Maximum length of a fault name, in characters.
const LONGEST_FAULT: usize = 60;

/// The request as a `curl` command line, wrapped to lines of `width` cells.
pub(crate) fn as_curl(entry: &LedgerEntry, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let command = visible(&curl::recorded(entry), LONGEST_CURL);
    wrap_line(&Line::styled(command, theme.dim), width, 2)
}

/// The lines of a request's facts, without its bodies: address, status, duration, sizes, time, the attempt if
/// it is not the first, and whether the API key was sent, then its error and the sandbox's fault, if any.
pub(crate) fn summary(entry: &LedgerEntry, local: &LocalTime, theme: &Theme) -> Vec<Line<'static>> {
    let url = visible(&entry.url, LONGEST);
    let status = if entry.is_cancelled() {
        theme.dim
    } else if entry.is_failed() {
        theme.error
    } else {
        theme.good
    };
    let key = if entry.with_key {
        "API key sent"
    } else {
        "no API key sent"
    };
    let attempt = match (waited_text(entry), entry.attempt) {
        (Some(span), attempt) => format!(" · attempt {attempt} after waiting {span}"),
        (None, 1) => String::new(),
        (None, attempt) => format!(" · attempt {attempt}"),
    };
    let mut lines = vec![
        Line::from(vec![
            Span::styled(entry.method.name(), theme.heading),
            Span::styled(format!(" {url}"), theme.text),
        ]),
        Line::from(vec![
            Span::styled(entry.status_words(), status),
            Span::styled(
                format!(
                    " in {} · {} sent · {} received",
                    span(entry.took),
                    format::size(entry.bytes_sent),
                    format::size(entry.bytes_received)
                ),
                theme.text,
            ),
        ]),
        Line::styled(format!("{}{attempt} · {key}", local.second(entry.at)), theme.dim),
    ];
    if let Some(error) = &entry.error {
        lines.push(Line::styled(visible(error, LONGEST), status));
    }
    if let Some(fault) = &entry.sandbox_fault {
        let text = format!("Sandbox fault {}", fault.screen(LONGEST_FAULT));
        lines.push(Line::styled(text, theme.dim));
    }
    lines
}

/// Method and path of a request, with the query part of the address: `POST /api/v0/bundles/`.
pub(crate) fn describe_call(entry: &LedgerEntry) -> String {
    let behind = entry.url.split_once("://").map_or("", |(_, rest)| rest);
    let path = behind.find('/').map_or("/", |at| &behind[at..]);
    format!("{} {}", entry.method.name(), visible(path, 200))
}

/// The status with its reason phrase, followed by the error if the request failed.
pub(crate) fn outcome(entry: &LedgerEntry) -> String {
    let status = entry.status_words();
    match &entry.error {
        Some(error) if entry.is_failed() => format!("{status}: {}", visible(error, 300)),
        Some(_) | None => status,
    }
}

/// The time a request waited before it was sent; `None` up to a millisecond, the timer's
/// resolution.
pub(crate) fn waited_text(entry: &LedgerEntry) -> Option<String> {
    (entry.waited.as_millis() > 1).then(|| span(entry.waited))
}

/// A duration as text, in ms below a second: `0.31 ms`, `31.2 ms`, `1.25 s`.
pub(crate) fn span(span: Duration) -> String {
    latency(span.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_sizes_are_short() {
        assert_eq!(span(Duration::from_micros(310)), "0.31 ms");
        assert_eq!(span(Duration::from_micros(31_250)), "31.2 ms");
        assert_eq!(span(Duration::from_millis(1250)), "1.25 s");
        assert_eq!(
            [812, 14_200, 3_100_000].map(format::size),
            ["812 B", "14.2 kB", "3.1 MB"]
        );
    }
}
