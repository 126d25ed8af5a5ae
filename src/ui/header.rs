//! The first line: the panes and for whom the dashboard speaks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint;
use crate::app::facts::{Facts, Target};
use crate::app::{Model, Pane};
use crate::domain::text::truncate;
use crate::widgets::theme::Theme;

/// Draws the header.
pub fn draw(buffer: &mut Buffer, line: Rect, model: &Model, theme: &Theme, facts: &mut Facts) {
    let badge = if model.profile.is_sandbox {
        " SANDBOX ".to_owned()
    } else {
        format!(" {} ", model.profile.name)
    };
    let badge_style = if model.profile.is_sandbox {
        theme.sandbox
    } else {
        theme.live
    };
    let locked = if model.profile.read_only {
        "READ-ONLY "
    } else {
        ""
    };
    let right = paint::cells(&badge) + paint::cells(locked);
    let tabs = line.width.saturating_sub(right + 1);
    let mut x = paint::text(buffer, line.x, line.y, tabs, " bourse ", theme.accent);
    let names = names(model.pane, (line.x + tabs).saturating_sub(x));
    for (place, (pane, title)) in Pane::ALL.into_iter().zip(names).enumerate() {
        let is_open = pane == model.pane;
        let start = x;
        let room = (line.x + tabs).saturating_sub(x);
        let style = if is_open { theme.selected } else { theme.text };
        x = paint::text(buffer, x, line.y, room, &tab(place, &title), style);
        let cell = Rect::new(start, line.y, x - start, 1);
        facts.targets.push((paint::area(cell), Target::Tab(place)));
    }
    let x = line.right().saturating_sub(right);
    let x = paint::text(buffer, x, line.y, right, locked, theme.warning);
    paint::text(buffer, x, line.y, right, &badge, badge_style);
}

fn tab(place: usize, title: &str) -> String {
    if title.is_empty() {
        format!(" {} ", place + 1)
    } else {
        format!(" {} {title} ", place + 1)
    }
}

/// What the tabs say within `width` cells: the names, else those that are not open shortened, else
/// only their numbers, else numbers alone.
fn names(open: Pane, width: u16) -> [String; 4] {
    let shortened = |most: usize, own: usize| {
        Pane::ALL.map(|pane| {
            let most = if pane == open { own } else { most };
            match most {
                0 => String::new(),
                most => truncate(pane.title(), most),
            }
        })
    };
    let fits = |names: &[String; 4]| {
        let tabs = names.iter().enumerate();
        tabs.map(|(place, name)| paint::cells(&tab(place, name)))
            .sum::<u16>()
            <= width
    };
    [(99, 99), (4, 99), (0, 99), (0, 6)]
        .into_iter()
        .map(|(most, own)| shortened(most, own))
        .find(fits)
        .unwrap_or_else(|| shortened(0, 0))
}
