//! The line below the query while it is edited: the meaning of its words, and what it keeps of the search before.

use ratatui::text::{Line, Span};

use super::query::EXAMPLE;
use crate::core::State;
use crate::core::view::Scene;
use crate::core::views::keys::command_named;
use crate::domain::{Resource, plain};
use crate::keys::pane::Pane;
use crate::keys::{Action, Context};
use crate::table::bar::Aside;
use crate::table::browser::Browser;
use crate::tui::text::{cells, fit};
use crate::tui::theme::Theme;

/// Whether the line below the edited query has a text of its own.
pub(super) fn is_due(browser: &Browser) -> bool {
    let words = &browser.bar.understood;
    let has_text = words.warning.is_some() || !words.text.is_empty() || !words.kept.is_empty();
    has_text || words.aside.is_some() || invitation(browser, "").is_some()
}

/// The line below the edited query, within `width` cells if possible: a warning, or else the meaning of the
/// typed words with what the search keeps; before anything is typed, what typing does. `None` without any.
pub(super) fn line(browser: &Browser, width: u16, scene: &Scene<'_, '_>) -> Option<Line<'static>> {
    let theme = scene.theme;
    let words = &browser.bar.understood;
    if let Some(warning) = &words.warning {
        return Some(Line::styled(format!(" ! {warning}"), theme.warning));
    }
    let key = scene.key_in(&[Context::TableQuery], Action::Reset);
    if let Some(text) = invitation(browser, &key) {
        return Some(described(&text, theme));
    }
    let width = usize::from(width);
    let command = words.aside.as_ref().and_then(|aside| command_meant(aside, scene.state));
    // A single unread word has no text of its own.
    let unread = match &words.aside {
        Some(Aside::Unread(unread)) if words.text.is_empty() => Some(format!("filters the rows: {unread}")),
        Some(Aside::Unread(_) | Aside::Exclusion) | None => None,
    };
    let [full, brief] = [&words.text, &words.brief].map(|text| {
        let meaning = unread.as_ref().unwrap_or(text).clone();
        let texts: Vec<_> = command.clone().into_iter().chain([meaning]).collect();
        described(&texts.join(" · "), theme)
    });
    let notes = kept_notes(&words.kept, &key);
    let (whole, fewer) = notes.split_at(2.min(notes.len()));
    let pairs = [&full, &brief]
        .into_iter()
        .flat_map(|meaning| whole.iter().map(move |note| (meaning, note)));
    let mut pairs = pairs.chain(fewer.iter().map(|note| (&brief, note)));
    let fitting = pairs.find(|(meaning, note)| meaning.width() + usize::from(cells(note)) <= width);
    let (meaning, note) = fitting.or(notes.last().map(|note| (&brief, note)))?;
    // What is kept is more important than the end of a long meaning.
    let mut line = fit(
        meaning.clone(),
        u16::try_from(width).unwrap_or(u16::MAX).saturating_sub(cells(note)),
    );
    line.push_span(Span::styled(note.clone(), theme.warning));
    let note = words.gpus.map(|gpus| gpus_note(gpus, scene));
    // Half of it would say nothing.
    line.extend(note.filter(|note| line.width() + note.width() <= width));
    Some(line).filter(|line| line.width() > 0)
}

/// The command that typed words may be meant for; `None` if no command is near.
pub(super) fn command_meant(aside: &Aside, state: &State) -> Option<String> {
    match aside {
        Aside::Unread(words) => offers_meant(words, state).or_else(|| command_named(words, state)),
        Aside::Exclusion => {
            let key = state.keymap.key_of(Action::Ban);
            Some(format!("in this search only, {key} bans in all"))
        }
    }
}

/// The keys to the search of offers, for words on Volumes that it understands; else `None`.
pub(super) fn offers_meant(words: &str, state: &State) -> Option<String> {
    let volumes = state
        .browser()
        .filter(|browser| browser.resource() == Resource::Volumes)?;
    let reading = plain::read(
        words,
        Resource::Offers.catalog(),
        volumes.dialect(),
        &plain::Names::default(),
    );
    let keys = [Action::Pane(Pane::Offers), Action::Query].map(|action| state.keymap.key_of(action));
    let is_understood = reading.refused.is_empty() && !reading.is_empty();
    is_understood.then(|| format!("maybe {} on Offers", keys.join(" ")))
}

/// What typing does, before anything is typed; `key` starts a new search. `None` once something is, and for an
/// unfiltered table other than that of offers.
fn invitation(browser: &Browser, key: &str) -> Option<String> {
    let bar = &browser.bar;
    if !bar.understood.text.is_empty() || bar.understood.aside.is_some() {
        return None;
    }
    let is_unchanged = bar.input.text().trim() == browser.query_text();
    match browser.resource() {
        Resource::Offers if bar.resets => Some("resets job, disk, price type, sort and limit, too".to_owned()),
        Resource::Volumes if bar.resets => Some("resets term, sort and limit, too".to_owned()),
        _ if !is_unchanged => None,
        _ if !bar.understood.kept.is_empty() => Some(format!("type to add to this search; {key} starts a new one")),
        Resource::Offers => Some(format!("type what you need: {EXAMPLE}")),
        Resource::Volumes | Resource::Workergroups => None,
    }
}

/// The meaning of the typed words; empty without any.
fn described(meaning: &str, theme: &Theme) -> Line<'static> {
    let arrow = if meaning.is_empty() { "" } else { " → " };
    Line::from(vec![
        Span::styled(arrow, theme.dim),
        Span::styled(meaning.to_owned(), theme.good),
    ])
}

/// Notes on the parts that the typed search keeps, ever shorter: all of them with the `key` that starts a new search,
/// without the key, which the footer has, too, then fewer of them, at last their number. A single empty note without
/// parts.
fn kept_notes(parts: &[String], key: &str) -> Vec<String> {
    let all = parts.join(", ");
    let some = (1..parts.len()).rev().map(|named| {
        let (texts, others) = (parts[..named].join(", "), parts.len() - named);
        format!("   from before: {texts}, {others} more")
    });
    match parts.len() {
        0 => vec![String::new()],
        count => [
            format!("   from before: {all} ({key}: new)"),
            format!("   from before: {all}"),
        ]
        .into_iter()
        .chain(some)
        .chain([format!("   +{count} from before")])
        .collect(),
    }
}

/// A note that the words ask for GPUs in one offer, and the key for several offers.
fn gpus_note(gpus: u32, scene: &Scene<'_, '_>) -> Span<'static> {
    let key = scene.key(Action::Cluster);
    let text = format!(" · {gpus} GPUs in one offer ({key}: spread over machines)");
    Span::styled(text, scene.theme.dim)
}
