//! The question about damaged lines of the write history. Nothing is created or unlisted until they
//! are moved.

use std::fmt::Write as _;

use crate::core::Pane;
use crate::core::view::Cx;
use crate::core::views::confirm::Confirm;
use crate::domain::Resource;
use crate::domain::format::counted;
use crate::domain::text::truncate;

/// Maximum number of damaged lines shown.
const MOST: usize = 5;

/// Maximum width of a damaged line, in cells.
///
/// A screen of 24 rows has room for the advice below them, too.
const WIDEST: usize = 60;

/// Shows the damaged lines of the write history over the workergroups, which are listed again, and asks
/// whether to move them; false, and nothing happens, if no line is damaged.
pub fn open(cx: &mut Cx<'_>) -> bool {
    let damage = &cx.state().mutations.damage;
    if damage.is_empty() {
        return false;
    }
    let count = counted(damage.len(), "line", "lines");
    let mut text = format!(
        "{count} of the write history can't be read. A write whose outcome is unknown may be among them, so nothing \
         is created or unlisted.\n\n"
    );
    for line in damage.iter().take(MOST) {
        let _ = writeln!(text, "line {}: {}", line.line, truncate(&line.text, WIDEST)); // writing to a String cannot fail
    }
    let more = match damage.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(", with {more} more"),
    };
    let _ = writeln!(text, "in full{more}: bourse writes check");
    text.push_str(
        "\nCompare your workergroups, which are listed again, and your volumes in the market's console. Then move \
         the lines to writes.jsonl.damaged beside the write history, and you can write again.",
    );
    cx.go_to(Pane::Workergroups);
    cx.ask(Resource::Workergroups);
    cx.open(Confirm::new("Move the damaged lines?", text, "move", move_aside).danger());
    true
}

/// Moves the damaged lines of the write history into a file of their own, which allows writes again.
fn move_aside(cx: &mut Cx<'_>) {
    cx.set_damage_aside();
}
