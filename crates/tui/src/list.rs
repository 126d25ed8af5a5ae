//! A list that is filtered by typing: help, command palette and long choices.

use std::collections::HashSet;

use crossterm::event::KeyEvent;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{StatefulWidget, Widget};

use super::find::Advice;
use super::input_widget::InputWidget;
use super::text::{cells, fit, whole_clauses};
use super::text_input::{Pasted, TextInput};
use super::theme::Theme;
use super::viewport::Viewport;
use crate::command::Command;

/// One line of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Item<T> {
    /// The line's first column, also searched.
    pub title: String,
    /// The line's second column, also searched.
    pub text: String,
    /// A short note at the right: a key, a count.
    pub note: String,
    /// The reason it is disabled; `None` if it can be chosen.
    pub disabled: Option<String>,
    /// The value to choose; `None` for a heading.
    pub value: Option<T>,
}

impl<T> Item<T> {
    /// A line that can be chosen.
    pub fn new(title: impl Into<String>, text: impl Into<String>, value: T) -> Self {
        Self::build(title.into(), text.into(), Some(value))
    }

    /// A heading above other lines: it cannot be selected, and is not searched.
    pub fn heading(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self::build(title.into(), text.into(), None)
    }

    /// A line without a note that is not disabled; without a `value` it is a heading.
    const fn build(title: String, text: String, value: Option<T>) -> Self {
        Self {
            title,
            text,
            note: String::new(),
            disabled: None,
            value,
        }
    }

    /// Sets the short note at the right of the line, such as a key or a count.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Disables the line if there is a reason.
    #[must_use]
    pub fn disabled(mut self, why: Option<String>) -> Self {
        self.disabled = why;
        self
    }
}

/// The list, its search line and the selected line.
#[derive(Debug, Clone)]
pub struct List<T> {
    /// The search line above the lines.
    pub input: TextInput,
    items: Vec<Item<T>>,
    shown: Vec<usize>,
    /// The lines that do not match the typed text.
    others: Vec<usize>,
    selected: usize,
    names: fn(&T) -> Vec<&'static str>,
    is_listed: fn(&T, &str) -> bool,
    passes_disabled: bool,
}

impl<T: Clone> List<T> {
    /// A list of `items`, unfiltered, with the first choosable line selected.
    pub fn new(items: Vec<Item<T>>) -> Self {
        let mut picker = Self {
            input: TextInput::default(),
            items,
            shown: Vec::new(),
            others: Vec::new(),
            selected: 0,
            names: |_| Vec::new(),
            is_listed: |_, _| true,
            passes_disabled: false,
        };
        picker.narrow();
        picker
    }

    /// Lists only the lines whose value `is_listed` accepts for the typed text (headings always pass), and
    /// makes the selection skip disabled lines. While a text is typed, disabled lines come last.
    #[must_use]
    pub fn listing(mut self, is_listed: fn(&T, &str) -> bool) -> Self {
        self.is_listed = is_listed;
        self.passes_disabled = true;
        self.narrow();
        self
    }

    /// Sets a function from a value to its hidden names, which a search matches as well.
    #[must_use]
    pub fn known_as(mut self, names: fn(&T) -> Vec<&'static str>) -> Self {
        self.names = names;
        self.narrow();
        self
    }

    /// Replaces the lines; the typed text stays. Selects the line with the value `keep`, or the first
    /// choosable one if that is not listed.
    pub fn replace(&mut self, items: Vec<Item<T>>, keep: Option<&T>)
    where
        T: PartialEq,
    {
        self.items = items;
        self.narrow();
        let mut shown = self.shown();
        let position = shown.position(|item| item.value.is_some() && item.value.as_ref() == keep);
        drop(shown);
        if let Some(position) = position {
            self.select(position, false);
        }
    }

    /// The lines that match the typed text, best match first and without headings; without a text all in
    /// their order, with headings. Either way without those that the function of [`List::listing`] rejects.
    pub fn shown(&self) -> impl ExactSizeIterator<Item = &Item<T>> {
        self.shown.iter().map(|index| &self.items[*index])
    }

    /// The lines that do not match the typed text, in their order and without headings, none of which can be
    /// chosen; empty without a text.
    fn others(&self) -> impl ExactSizeIterator<Item = &Item<T>> {
        self.others.iter().map(|index| &self.items[*index])
    }

    /// The total number of lines, including headings.
    pub const fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no lines at all, even without a filter.
    pub const fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The index of the selected line among the shown ones; 0 if none can be chosen.
    pub const fn selected(&self) -> usize {
        self.selected
    }

    /// The selected line, or the first shown one if none can be chosen; `None` if none is shown.
    pub fn current(&self) -> Option<&Item<T>> {
        self.shown.get(self.selected).map(|index| &self.items[*index])
    }

    /// Whether the selected line can be chosen: false if no shown line has a value.
    pub fn has_choice(&self) -> bool {
        self.current().is_some_and(|item| item.value.is_some())
    }

    /// Moves the selection by `by` shown lines, up if negative, stopping at the ends. A line there that
    /// cannot be chosen is skipped in the same direction, or back if no other follows.
    pub fn step(&mut self, by: isize) {
        let last = self.shown.len().saturating_sub(1);
        let target = self.selected.saturating_add_signed(by).min(last);
        self.select(target, by < 0);
    }

    /// Selects the shown line `index`, or the nearest choosable one: searched upwards first if `upwards` is
    /// set, else downwards first. Selects index 0 if no line can be chosen.
    pub fn select(&mut self, index: usize, upwards: bool) {
        let choosable = |index: &usize| {
            let item = &self.items[self.shown[*index]];
            item.value.is_some() && !(self.passes_disabled && item.disabled.is_some())
        };
        let below = (index..self.shown.len()).find(choosable);
        let above = (0..=index.min(self.shown.len().saturating_sub(1)))
            .rev()
            .filter(|index| *index < self.shown.len())
            .find(choosable);
        let nearest = if upwards { above.or(below) } else { below.or(above) };
        self.selected = nearest.unwrap_or(0);
    }

    /// Filters the lines by the typed text, best match first and without headings; with an empty text, all in
    /// order. Lines that the function of [`List::listing`] rejects are always left out. Selects the first
    /// choosable line.
    pub fn narrow(&mut self) {
        let text = self.input.text().trim();
        let is_listed = |item: &Item<T>| item.value.as_ref().is_none_or(|value| (self.is_listed)(value, text));
        let listed = self.items.iter().enumerate().filter(|(_, item)| is_listed(item));
        if text.is_empty() {
            self.shown = listed.map(|(index, _)| index).collect();
            self.others.clear();
            return self.select(0, false);
        }
        let lines: Vec<_> = listed
            .filter(|(_, item)| item.value.is_some())
            .map(|(index, item)| {
                let names = self.names_of(item).join(" ");
                let line = format!("{} {} {} {names}", item.title, item.text, item.note);
                (index, line)
            })
            .collect();
        let mut ranked = fuzzy(text, &lines);
        ranked.sort_by_key(|index| {
            let item = &self.items[*index];
            let is_last = self.passes_disabled && item.disabled.is_some();
            (is_last, remoteness(item, &self.names_of(item), text))
        });
        let hits: HashSet<usize> = ranked.iter().copied().collect();
        let others = lines.into_iter().map(|(index, _)| index);
        self.others = others.filter(|index| !hits.contains(index)).collect();
        self.shown = ranked;
        self.select(0, false);
    }

    /// The hidden names of a line; empty for a heading.
    fn names_of(&self, item: &Item<T>) -> Vec<&'static str> {
        item.value.as_ref().map_or_else(Vec::new, |value| (self.names)(value))
    }
}

impl<T: Clone> InputWidget for List<T> {
    fn act(&mut self, command: Command, viewport: Viewport) -> bool {
        let by = command.lines(viewport.page);
        by.inspect(|by| self.step(*by)).is_some()
    }

    /// Types into the search line and filters the lines by it; true for every key, as a list has no other use
    /// for keys.
    fn typed(&mut self, key: KeyEvent, _: Viewport) -> bool {
        if self.input.key(key) {
            self.narrow();
        }
        true
    }

    fn pasted(&mut self, text: &str) -> Option<Pasted> {
        let pasted = self.input.paste(text);
        self.narrow();
        Some(pasted)
    }

    fn select_line(&mut self, line: usize) -> bool {
        self.select(line, false);
        true
    }
}

/// The place of a line in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Selected,
    Listed,
    /// Below the matches of a search, not being one.
    Other,
}

/// Draws the lines of a list, the selected one highlighted. The viewport holds its position. In the room below the
/// matches of a search are the other lines, dimmed: they are not part of the viewport.
#[derive(Debug)]
pub struct ListLines<'a, T> {
    list: &'a List<T>,
    theme: &'a Theme,
    advice: Advice,
}

impl<'a, T: Clone> ListLines<'a, T> {
    /// A widget for the given list, with advice where nothing matches.
    pub const fn new(list: &'a List<T>, theme: &'a Theme, advice: Advice) -> Self {
        Self { list, theme, advice }
    }

    /// One drawn line of at most `width` cells; `widths` are the cells of the title column and the maximum
    /// for the note.
    fn line(&self, item: &Item<T>, place: Place, widths: (u16, u16), width: u16) -> Line<'a> {
        let theme = self.theme;
        if item.value.is_none() {
            let line = Line::from(vec![
                Span::styled(format!(" {}  ", item.title), theme.heading),
                Span::styled(item.text.clone(), theme.dim),
            ]);
            return fit(line, width);
        }
        let is_selected = place == Place::Selected;
        let dim = if is_selected { theme.selected } else { theme.dim };
        let (title_style, text_style) = match (&item.disabled, place) {
            (None, Place::Listed) => (theme.text, theme.dim),
            (Some(_), _) | (None, Place::Selected | Place::Other) => (dim, dim),
        };
        let (title, note) = widths;
        // The text gets the room that the title and the note of its own line leave: a name is shown in full if there is
        // any room for it.
        let note = cells(&item.note).min(note);
        let sign = if is_selected { "› " } else { "  " };
        let gap = if note == 0 { 0 } else { note + 2 };
        let title = cells(&item.title).min(width.saturating_sub(gap + 4)).max(title);
        let mut line = fit(
            Line::from(vec![
                Span::styled(sign, title_style),
                Span::styled(item.title.clone(), title_style),
            ]),
            title + 2,
        );
        pad(&mut line, title + 4, title_style);
        let room = width.saturating_sub(title + 4 + gap);
        let short = shortened(item, is_selected, room);
        let mut text = fit(Line::from(Span::styled(short, text_style)), room);
        pad(&mut text, room, text_style);
        line.spans.extend(text.spans);
        if note > 0 {
            let shown = fit(Line::from(item.note.clone()), note);
            let blanks = usize::from(note + 1).saturating_sub(shown.width());
            line.push_span(Span::styled(" ".repeat(blanks), dim));
            line.spans.extend(
                shown
                    .patch_style(dim)
                    .spans
                    .into_iter()
                    .map(|span| span.patch_style(dim)),
            );
            line.push_span(Span::styled(" ", dim));
        }
        line
    }
}

/// The cells of the title column and the maximum for the note, for lines of `width` cells.
fn columns<'a, T: 'a>(lines: impl Iterator<Item = &'a Item<T>>, width: u16) -> (u16, u16) {
    let entries: Vec<_> = lines.filter(|item| item.value.is_some()).collect();
    let titles = || entries.iter().map(|item| cells(&item.title));
    let longest = titles().max().unwrap_or(0);
    // Names with equal beginnings are distinguished by their ends. But a few long ones move only their own texts.
    let usual = usual_width(titles());
    let title = if longest <= (width * 2 / 5).min(usual + FEW) {
        longest
    } else {
        usual
    };
    let has_text = entries.iter().any(|item| !item.text.is_empty());
    let most = if has_text { width / 2 } else { width };
    (title.min(most.saturating_sub(4)), width / 3)
}

/// The text of a line, with the reason it is disabled in brackets. Where that exceeds `room` cells, only the
/// first clauses of the text that fit, without the reason; the selected line always has all of it.
fn shortened<T>(item: &Item<T>, is_selected: bool, room: u16) -> String {
    let full = match &item.disabled {
        Some(why) => format!("{} ({why})", item.text),
        None => item.text.clone(),
    };
    if is_selected || cells(&full) <= room {
        return full;
    }
    whole_clauses(&item.text, room).to_owned()
}

/// Pads a line with blanks in `style` to `width` cells; a longer line is unchanged.
fn pad(line: &mut Line<'_>, width: u16, style: ratatui::style::Style) {
    let blanks = usize::from(width).saturating_sub(line.width());
    line.push_span(Span::styled(" ".repeat(blanks), style));
}

/// The maximum number of cells by which the longest title widens the column of all titles.
const FEW: u16 = 8;

/// The smallest of `widths` that nine in ten do not exceed, so that a few long texts do not take the room of
/// all others; 0 for none.
fn usual_width(widths: impl Iterator<Item = u16>) -> u16 {
    let mut widths: Vec<_> = widths.collect();
    widths.sort_unstable();
    let index = (widths.len() * 9).div_ceil(10).saturating_sub(1);
    widths.get(index).copied().unwrap_or(0)
}

impl<T: Clone> StatefulWidget for ListLines<'_, T> {
    type State = Viewport;

    fn render(self, area: Rect, buffer: &mut Buffer, viewport: &mut Viewport) {
        let total = self.list.shown().len();
        viewport.follow(self.list.selected(), total, area);
        let visible = viewport.visible();
        // Below one line that heads them, or that nothing matches.
        let room = usize::from(area.height).saturating_sub(visible.len() + 1);
        let others = || self.list.others().take(room);
        let columns = columns(self.list.shown().chain(others()), area.width);
        let mut rows = area.rows();
        let lines = self.list.shown().enumerate().skip(visible.start).take(visible.len());
        for ((index, item), row) in lines.zip(&mut rows) {
            let mut place = Place::Listed;
            // A list of headings alone has no line to select.
            if index == self.list.selected() && item.value.is_some() {
                place = Place::Selected;
                buffer.set_style(row, self.theme.selected);
            }
            self.line(item, place, columns, row.width).render(row, buffer);
        }
        let heading = match total {
            0 => {
                let text = format!(" Nothing matches{}", (self.advice)(self.list.input.text()));
                Some(Line::styled(text, self.theme.dim))
            }
            _ => (others().len() > 0).then(|| Line::styled(" Without a match", self.theme.heading)),
        };
        if let (Some(heading), Some(row)) = (heading, rows.next()) {
            fit(heading, row.width).render(row, buffer);
        }
        for (item, row) in others().zip(rows) {
            self.line(item, Place::Other, columns, row.width).render(row, buffer);
        }
    }
}

/// The distance of a typed `text` from the title, note and aliases of a line; lower is closer: 0 if it is the
/// title or the note, 1 if it is an alias, else 2, and for each typed word 0 if it is one of their words, 1 if one
/// starts with it, else 2.
///
/// A typed name means that line, however often the same letters occur in the sentences of other lines.
fn remoteness<T>(item: &Item<T>, aliases: &[&str], text: &str) -> usize {
    let text = text.to_lowercase();
    let names = [item.title.to_lowercase(), item.note.to_lowercase()];
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-');
    let words = || {
        names.iter().flat_map(|name| {
            name.split_whitespace()
                .chain(name.split(|character| !is_part(character)))
        })
    };
    let far = |typed: &str| {
        // A sign alone, such as `$`, is not a name: it is the beginning of many names.
        if typed.contains(char::is_alphanumeric) && words().any(|word| word == typed) || aliases.contains(&typed) {
            0
        } else if words()
            .chain(aliases.iter().copied())
            .any(|word| word.starts_with(typed))
        {
            1
        } else {
            2
        }
    };
    if names.iter().any(|name| name.trim() == text) {
        0
    } else if aliases.contains(&text.as_str()) {
        1
    } else {
        2 + text.split_whitespace().map(far).sum::<usize>()
    }
}

/// The keys of the lines that hold more than half of the words, the nearest first: words in few lines count more (inverse
/// document frequency). A longer word may be part of another one.
pub fn nearest<K: Copy>(words: &[&str], lines: &[(K, String)]) -> Vec<K> {
    /// The fewest letters of a word that is not part of others by chance.
    const LONGER: usize = 5;
    let lines: Vec<_> = lines.iter().map(|(key, line)| (*key, line.to_lowercase())).collect();
    let singular = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
    let holds = |line: &str, word: &str| {
        let mut parts = line.split(|sign: char| !sign.is_alphanumeric());
        word.chars().count() >= LONGER && line.contains(word) || parts.any(|part| singular(part) == word)
    };
    let words: Vec<(String, f64)> = words
        .iter()
        .map(|word| {
            let word = singular(&word.to_lowercase());
            let holding = lines.iter().filter(|(_, line)| holds(line, &word)).count();
            let weight = (lines.len() as f64 / holding.max(1) as f64).ln();
            (word, weight)
        })
        .collect();
    let near = |(key, line): &(K, String)| {
        let held = || words.iter().filter(|(word, _)| holds(line, word));
        let weight: f64 = held().map(|(_, weight)| weight).sum();
        (2 * held().count() > words.len()).then_some((weight, *key))
    };
    let mut near: Vec<_> = lines.iter().filter_map(near).collect();
    near.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    near.into_iter().map(|(_, key)| key).collect()
}

/// The keys of the lines that match `pattern`, best first: lines that contain each typed word. If there is none, a
/// single word is an abbreviation, whose letters may be scattered.
pub fn fuzzy<K: Copy>(pattern: &str, lines: &[(K, String)]) -> Vec<K> {
    let words: Vec<String> = pattern.split_whitespace().map(str::to_lowercase).collect();
    let holds_all = |line: &str| {
        let line = line.to_lowercase();
        words.iter().all(|word| line.contains(word.as_str()))
    };
    let mut candidates: Vec<_> = lines.iter().filter(|(_, line)| holds_all(line)).collect();
    if words.len() == 1 && candidates.is_empty() {
        candidates = lines.iter().collect();
    }
    let mut matcher = Matcher::new(Config::DEFAULT);
    let pattern = Pattern::parse(pattern, CaseMatching::Ignore, Normalization::Smart);
    let mut buffer = Vec::new();
    let mut scored: Vec<_> = candidates
        .into_iter()
        .filter_map(|(key, line)| {
            pattern
                .score(Utf32Str::new(line, &mut buffer), &mut matcher)
                .map(|score| (score, *key))
        })
        .collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, key)| key).collect()
}

#[cfg(test)]
mod tests {
    use super::{fuzzy, nearest};

    #[test]
    fn letters_are_scattered_in_one_word_only_and_the_nearest_line_has_half_of_the_longer_words() {
        let lines = [(1, "History of prices".to_owned()), (2, "Host of the offer".to_owned())];
        assert_eq!(fuzzy("history prices", &lines), [1]);
        assert_eq!(fuzzy("hsty", &lines), [1]);
        assert_eq!(fuzzy("hst prc", &lines), [0; 0]);
        assert_eq!(fuzzy("prices by history", &lines), [0; 0]);
        assert_eq!(nearest(&["prices", "by", "history"], &lines), [1]);
        assert_eq!(nearest(&["prices", "yesterday", "evening"], &lines), [0; 0]);
    }
}
