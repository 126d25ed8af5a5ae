//! Banners that stay until their cause is gone: notices, an error in the query, a failed request,
//! conditions that the market ignored, and changes found by auto-refresh.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::advice;
use crate::api::{ApiError, Operation};
use crate::core::State;
use crate::core::views::keys::command_named;
use crate::domain::text::visible;
use crate::domain::time::Now;
use crate::domain::{Resource, format};
use crate::keys::Action;
use crate::table::browser::{Browser, Discrepancy};
use crate::table::watch::{Baseline, Watch};
use crate::tui::text::{capitalized, fit, wrap};
use crate::tui::theme::Theme;

/// Maximum number of lines for banners.
///
/// On 24 lines the table still has most of the screen.
const MOST: usize = 4;

/// The banners over a table in lines of `width` cells, at most 4 in all and 2 for each: notices, errors,
/// ignored conditions, missing rates, work that must be split, a response that does not match the query, and
/// the state of auto-refresh. Empty if there is nothing to report.
pub(super) fn banner_lines(
    state: &State,
    browser: &Browser,
    width: u16,
    now: Now,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    let mut add = |text: &str, style: Style| {
        let sign = if style == theme.error { "✗" } else { "!" };
        let mut parts = wrap(text, width.saturating_sub(4)).into_iter();
        lines.extend(parts.next().map(|part| Line::styled(format!(" {sign} {part}"), style)));
        let rest = parts.collect::<Vec<_>>().join(" ");
        if !rest.is_empty() {
            let line = Line::styled(format!("   {rest}"), style);
            lines.push(fit(line, width.saturating_sub(1)));
        }
    };
    for notice in &state.notices {
        add(notice, theme.warning);
    }
    if let Some(text) = mistake(state, browser) {
        add(&text, theme.error);
    }
    if let Some(text) = failure(state, browser, now) {
        add(&text, theme.error);
    }
    if let Some(text) = ignored(browser) {
        add(&text, theme.warning);
    }
    // A query in progress may give the rate.
    let key = state.keymap.key_of(Action::Job);
    let unknown_rate = browser.describe_unknown_rate(&key);
    let unknown_rate = unknown_rate.or_else(|| browser.describe_unrated_rows(&key));
    if let Some(text) = unknown_rate.filter(|_| !browser.bar.editing) {
        add(&text, theme.warning);
    }
    if let Some(text) = browser.describe_split().filter(|_| !browser.bar.editing) {
        let key = state.keymap.key_of(Action::Cluster);
        add(&format!("{text}: {key} splits the work among several"), theme.warning);
    }
    if !browser.discrepancies().is_empty() {
        let discrepancies: Vec<_> = browser.discrepancies().iter().map(Discrepancy::text).collect();
        add(
            &format!("Response doesn't match the query: {}", discrepancies.join("; ")),
            theme.warning,
        );
    }
    lines.extend(watched(state, browser, now, theme).map(|line| fit(line, width)));
    lines.truncate(MOST);
    lines
}

/// The error in the query bar, and the key that applies its correction if it suggests one, or the command or the search
/// of offers that its words on another pane may mean; `None` without an error.
fn mistake(state: &State, browser: &Browser) -> Option<String> {
    let error = browser.bar.error.as_ref()?;
    let fix = error.suggestion.as_ref().map(|suggestion| {
        let key = state.keymap.key_of(Action::Complete);
        match suggestion.replacement.as_str() {
            " " => format!(": {key} inserts a space"),
            "" => format!(": {key} removes it"),
            replacement => format!(": {key} changes it to {replacement}"),
        }
    });
    let text = browser.bar.input.text();
    let command = match browser.resource() {
        Resource::Offers if fix.is_some() => None,
        Resource::Volumes => advice::offers_meant(text, state),
        Resource::Offers | Resource::Workergroups => command_named(text, state),
    };
    Some(match (fix, command) {
        // A sentence is no mistyped condition: what it may mean is more than the error.
        (None, Some(command)) => format!("{command} · {}", error.message),
        (fix, command) => {
            let command = command.map_or_else(String::new, |command| format!(" · {command}"));
            format!("{}{}{command}", error.message, fix.unwrap_or_default())
        }
    })
}

/// The pane's last request in the request log as the beginning of a sentence: its operation, method and path,
/// and that it failed. `None` if none is there.
fn failed_request(state: &State, browser: &Browser) -> Option<String> {
    let operation = match browser.resource() {
        Resource::Offers => Operation::SearchOffers,
        Resource::Volumes => Operation::SearchVolumes,
        Resource::Workergroups => Operation::ListWorkergroups,
    };
    let mut sent = state.ledger.latest();
    let entry = sent.find(|entry| entry.operation == operation)?;
    // Behind the scheme and the host.
    let path = visible(entry.url.splitn(4, '/').nth(3)?, 80);
    let what = capitalized(operation.label());
    Some(format!("{what} failed ({} /{path}): ", entry.method.name()))
}

/// The error of the failed request, and that the rows shown are older; for a refused or missing API key also
/// the key that leads to another. `None` without rows or without an error.
fn failure(state: &State, browser: &Browser, now: Now) -> Option<String> {
    browser.displayed().listing()?;
    let error = browser.remote().error()?;
    let age = match browser.recorded_age(now) {
        Some(age) => format!("The rows below were {age}."),
        None => "The rows below are older.".to_owned(),
    };
    if !error.is_auth() {
        let request = failed_request(state, browser).unwrap_or_default();
        return Some(format!("{request}{error} {age}"));
    }
    // The remedy first: the market's message may be long.
    let key = state.keymap.key_of(Action::Markets);
    let what = match error {
        ApiError::NoKey { .. } => "to add a key",
        _ => "for another key",
    };
    Some(format!("{age} Press {key} {what}: {error}"))
}

/// A note on the conditions that some rows of the response break, as the market ignored them; `None` if there
/// are none.
fn ignored(browser: &Browser) -> Option<String> {
    let named: Vec<_> = browser
        .violations()
        .iter()
        .map(|violation| {
            let noun = if violation.rows == 1 { "row" } else { "rows" };
            format!("{} ({} {noun})", violation.condition, violation.rows)
        })
        .collect();
    let named = (!named.is_empty()).then(|| named.join(", "))?;
    Some(format!("The market ignored {named}: see the cells marked !"))
}

/// A note on the seconds until the next refresh, on a pause, or on prices that another program has recorded.
fn next_refresh(state: &State, browser: &Browser, watch: &Watch, now: Now) -> String {
    if watch.is_paused() {
        return "paused: this terminal was not in front for an hour".to_owned();
    }
    if let Some(recorded) = watch.recorded() {
        let key = state.keymap.key_of(Action::Refresh);
        let age = format::brief((now.epoch - recorded.unix()).max(0.0));
        return format!("prices recorded by another bourse, {age} ago ({key} to refresh)");
    }
    let is_refused = matches!(browser.remote().error(), Some(ApiError::RateLimited { .. }));
    let slower = if is_refused && state.watching.is_backing_off() {
        " (slower: too many requests)"
    } else {
        ""
    };
    format!(
        "next refresh in {:.0} s{slower}",
        state.next_refresh(browser.resource(), now)
    )
}

/// The line on auto-refresh: the reason it is on hold, or else the changes it found with the signs that mark
/// them and the time of the next refresh; before a second response, and for recorded prices, only the latter.
/// `None` while it is off.
fn watched(state: &State, browser: &Browser, now: Now, theme: &Theme) -> Option<Line<'static>> {
    let watch = browser.watching()?;
    let failure = browser.remote().error();
    let failure = failure.filter(|error| error.stops_timers(now.epoch));
    if let Some(error) = state.held(now).or(failure) {
        let text = format!("   Auto-refresh on hold: {}", error.headline());
        return Some(Line::styled(text, theme.warning));
    }
    let next = next_refresh(state, browser, watch, now);
    // What another program records since then is not among the rows.
    let polls_here = watch.recorded().is_none();
    let Some(since) = watch.since().filter(|_| polls_here) else {
        return Some(Line::styled(format!("   Auto-refresh: {next}"), theme.accent));
    };
    let changes = watch.changes();
    let (cheaper, costlier) = changes.moves();
    // If the limit truncated a response, a missing row may only have been pushed out of it.
    let gone = if changes.is_cut { "out" } else { "gone" };
    let since = format::span((now.epoch - since.epoch).max(0.0));
    let since = match watch.baseline() {
        Baseline::Today => format!("In {since}"),
        Baseline::LastPoll => "Last refresh".to_owned(),
        Baseline::LastLook => format!("Since you looked {since} ago"),
    };
    let causes = watch.gone_causes().into_iter();
    let causes: Vec<_> = causes.map(|(cause, count)| format!("{count} {cause}")).collect();
    let gone = if causes.is_empty() {
        gone.to_owned()
    } else {
        format!("{gone} ({})", causes.join(", "))
    };
    let number = |sign: &str, many: usize, what: &str, style: Style| {
        Span::styled(format!("{sign}{many} {what}"), if many > 0 { style } else { theme.dim })
    };
    let comma = || Span::styled(", ", theme.dim);
    Some(Line::from(vec![
        Span::styled(format!("   {since}: "), theme.dim),
        number("+ ", changes.new_rows(), "new", theme.accent),
        comma(),
        number("", changes.gone, &gone, theme.text),
        comma(),
        number("▼ ", cheaper, "cheaper", theme.good),
        comma(),
        number("▲ ", costlier, "more expensive", theme.warning),
        Span::styled(format!(" · {next}"), theme.dim),
    ]))
}
