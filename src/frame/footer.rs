//! The last line: the most useful keys, with the ways back at the right end.

use std::borrow::Cow;

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use crate::core::Model;
use crate::core::frame_layout::Target;
use crate::core::view::Scene;
use crate::domain::RowId;
use crate::domain::text::visible;
use crate::keys::{Action, BINDINGS, Binding, Context, HintPlace};
use crate::table::browser::Browser;
use crate::tui::text::cells;

/// Cells between two hints, and before the ways back.
const GAP: u16 = 2;

/// Maximum number of hints beside the ways back.
///
/// The keys of a view that are used most; all of them are behind `?`.
const MOST: usize = 7;

/// A key and its effect.
struct Hint {
    key: String,
    word: Cow<'static, str>,
    rank: u8,
    action: Action,
}

impl Hint {
    /// Cells of the key, a blank and the word.
    fn width(&self) -> u16 {
        cells(&self.key) + 1 + cells(&self.word)
    }
}

/// Draws as many hints of the topmost view as fit, at most seven, the most useful first, and at the right end
/// those of back, palette and help. Hints are never cut.
pub fn hints(model: &Model, area: Rect, scene: &mut Scene<'_, '_>) {
    let last = ways_out(model);
    let width = last.iter().map(|hint| hint.width() + GAP).sum::<u16>();
    let [left, right] = Layout::horizontal([Constraint::Fill(1), Constraint::Length(width)]).areas(area);
    // Whole hints only: half a word is worse than none.
    let mut room = left.width.saturating_sub(1 + GAP);
    // A second key for a way back adds nothing, except beside the button of a question.
    let is_question = model.contexts().contains(&Context::Dialog);
    let is_repeated = |hint: &Hint| !is_question && last.iter().any(|way| way.word == hint.word);
    let all = of_context(model).into_iter().filter(|hint| !is_repeated(hint));
    let hints = all.take(MOST).take_while(|hint| {
        let fits = hint.width() <= room;
        room = room.saturating_sub(hint.width() + GAP);
        fits
    });
    let start = Rect {
        x: left.x + 1,
        width: left.width.saturating_sub(1),
        ..left
    };
    draw(hints, start, scene);
    draw(last.into_iter(), right, scene);
}

/// Draws hints from the left of `area`, each clickable; those beyond its end are cut.
fn draw(hints: impl Iterator<Item = Hint>, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let mut x = area.x;
    for hint in hints {
        let cell = Rect {
            x,
            width: hint.width(),
            ..area
        }
        .intersection(area);
        scene.clickable(cell, Target::Hint(hint.action));
        let line = Line::from(vec![
            Span::styled(hint.key, theme.key),
            Span::styled(" ", theme.text),
            Span::styled(hint.word, theme.text),
        ]);
        scene.render(line, cell);
        x = cell.right() + GAP;
    }
}

/// The hints of the topmost view for actions that are available now, the most useful first, without the ways
/// back.
fn of_context(model: &Model) -> Vec<Hint> {
    let contexts = model.contexts();
    let mut hints: Vec<_> = reachable(model, |row| row.hint.is_some() && !is_way_out(row.action))
        .filter(|row| model.has_use_for(row.action) && model.disabled(row.action).is_none())
        .filter(|row| match row.hint_place {
            HintPlace::Everywhere => true,
            HintPlace::Tables => contexts.contains(&Context::Table),
            HintPlace::Panes => model.overlays.is_empty(),
        })
        .filter(|row| row.action != Action::Unlist || may_be_own(model))
        // Its words are about a search; the key lists the alerts from everywhere.
        .filter(|row| row.action != Action::Alerts || model.browser().is_some())
        .filter_map(|row| {
            row.hint.map(|(word, rank)| Hint {
                key: model.keymap.shown_key(row),
                word: model.hint(row.action).unwrap_or(word).into(),
                rank: if is_at_hand(model, row.action) { 0 } else { rank },
                action: row.action,
            })
        })
        .collect();
    hints.extend(own(model));
    // A hint of a higher rank is dropped sooner; equal ones stay in the table's order.
    hints.sort_by_key(|hint| hint.rank);
    // An action on two keys gets one hint.
    let mut seen = Vec::new();
    hints.retain(|hint| {
        let shown = (hint.action, hint.word.clone());
        let is_new = !seen.contains(&shown);
        seen.push(shown);
        is_new
    });
    hints
}

/// Whether the selected volume may be a listing of the user, who can only unlist these; only the sandbox reports them.
/// Always true in a view that is not about a row of the table.
fn may_be_own(model: &Model) -> bool {
    let selected = model.browser().and_then(Browser::selected);
    let is_own = |id: RowId| {
        model
            .sandbox
            .listings
            .iter()
            .any(|own| i64::try_from(own.id) == Ok(id.0))
    };
    let is_about_row = model.contexts().contains(&Context::Table);
    !is_about_row || !model.profile.is_sandbox || selected.is_some_and(is_own)
}

/// The hints of the user's own commands that are usable on the open pane; empty while a view is open over it.
///
/// Keys that the user chose are among the first hints.
fn own(model: &Model) -> Vec<Hint> {
    /// After the query, before the other hints.
    const RANK: u8 = 2;
    if !model.overlays.is_empty() {
        return Vec::new();
    }
    let named = (0_u16..).zip(&model.settings.values.commands);
    let hints = named.filter_map(|(index, named)| {
        let action = Action::Command(index);
        let is_usable = model.has_use_for(action) && model.disabled(action).is_none();
        let key = model.keymap.own_key(action).filter(|_| is_usable)?;
        Some(Hint {
            key,
            word: visible(&named.name, 20).into(),
            rank: RANK,
            action,
        })
    });
    hints.collect()
}

/// The ways back, `Esc back  : commands  ? help`, without keys that are typed as text here and disabled ones.
fn ways_out(model: &Model) -> Vec<Hint> {
    let words = [
        (Action::Back, "back"),
        (Action::Palette, "commands"),
        (Action::Help, "help"),
    ];
    words
        .into_iter()
        .filter_map(|(action, word)| {
            let row = reachable(model, |row| row.action == action).next()?;
            (model.has_use_for(action) && model.disabled(action).is_none()).then(|| Hint {
                key: model.keymap.shown_key(row),
                word: match (action, row.hint) {
                    (Action::Back, Some((hint, _))) => model.hint(action).unwrap_or(hint),
                    _ => model.hint(action).unwrap_or(word),
                }
                .into(),
                rank: 0,
                action,
            })
        })
        .collect()
}

/// Whether an action is one of the ways back at the right end: back, palette or help.
const fn is_way_out(action: Action) -> bool {
    matches!(action, Action::Back | Action::Palette | Action::Help)
}

/// The bindings that satisfy `is_wanted` and whose keys reach the topmost view: a key bound in an
/// upper context hides the same key below.
fn reachable(model: &Model, is_wanted: impl Fn(&Binding) -> bool) -> impl Iterator<Item = &'static Binding> {
    let contexts = model.contexts();
    BINDINGS
        .iter()
        .filter(move |row| contexts.contains(&row.context) && is_wanted(row))
        .filter(move |row| model.keymap.owner_of(contexts, row) == Some(row.context))
}

/// Whether an action is a likely next step, so that its hint comes first: compare with two marks, explain an
/// empty table, or refresh without a table.
fn is_at_hand(model: &Model, action: Action) -> bool {
    let Some(browser) = model.browser() else {
        return action == Action::Refresh;
    };
    match action {
        Action::Compare => browser.marks.len() > 1,
        Action::Funnel => browser.listing().is_some() && browser.view().is_empty(),
        _ => false,
    }
}
