//! The markets' addresses on the screen as links that the terminal opens (OSC 8).
//!
//! Only addresses that the person configured: one that a server sent stays plain text. They are
//! found in the finished frame, so that a link leads exactly where its text says; an address that is
//! truncated or wrapped is not a link, as it may continue to another host.

use ratatui::buffer::{Buffer, Cell};

pub(super) const END: &[u8] = b"\x1b]8;;\x1b\\";

/// An address on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    pub url: String,
    pub x: u16,
    pub y: u16,
    /// The cells that show it.
    pub cells: Vec<Cell>,
}

impl Link {
    pub fn start(&self) -> Vec<u8> {
        format!("\x1b]8;;{}\x1b\\", self.url).into_bytes()
    }

    pub fn placed_cells(&self) -> impl Iterator<Item = (u16, u16, &Cell)> {
        (self.x..).zip(&self.cells).map(|(x, cell)| (x, self.y, cell))
    }
}

/// The places of a frame that show one of these addresses, complete. A final slash makes no
/// difference.
pub(super) fn on_screen(buffer: &Buffer, addresses: &[String]) -> Vec<Link> {
    let width = usize::from(buffer.area.width).max(1);
    let rows = buffer.content.chunks(width).zip(buffer.area.y..);
    rows.flat_map(|(row, y)| in_row(row, buffer.area.x, y, addresses))
        .collect()
}

/// The cells of links that are gone but show the same text as before: ratatui does not write those
/// again.
pub(super) fn gone(before: &[Link], now: &[Link], buffer: &Buffer) -> Vec<(u16, u16, Cell)> {
    let gone = before.iter().filter(|link| !now.contains(link));
    gone.flat_map(Link::placed_cells)
        .filter(|(x, y, cell)| buffer.cell((*x, *y)) == Some(cell))
        .map(|(x, y, cell)| (x, y, cell.clone()))
        .collect()
}

fn in_row(row: &[Cell], left: u16, y: u16, addresses: &[String]) -> Vec<Link> {
    let mut links = Vec::new();
    let mut x = 0;
    while x < row.len() {
        let is_inside_word = || x > 0 && letter(&row[x - 1]).is_some_and(char::is_alphanumeric);
        if row[x].symbol() != "h" || is_inside_word() {
            x += 1;
            continue;
        }
        let run: String = row[x..].iter().map_while(letter).collect();
        if let Some(url) = known(&run, addresses)
            && ends(&run, &row[x + run.len()..])
        {
            links.push(Link {
                x: left.saturating_add(u16::try_from(x).unwrap_or(u16::MAX)),
                y,
                cells: row[x..x + url.len()].to_vec(),
                url: url.to_owned(),
            });
        }
        x += run.len();
    }
    links
}

/// The character of a cell, if it can be part of an address (RFC 3986). All of them are ASCII: none
/// is an escape, and bytes, characters and cells count alike.
fn letter(cell: &Cell) -> Option<char> {
    let mut characters = cell.symbol().chars();
    let first = characters.next()?;
    let is_allowed = first.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(first);
    (is_allowed && characters.next().is_none()).then_some(first)
}

/// The text without trailing punctuation, if it is one of the addresses.
fn known<'t>(text: &'t str, addresses: &[String]) -> Option<&'t str> {
    let text = text.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', ')']);
    let bare = |address: &str| address.trim_end_matches('/').len();
    addresses
        .iter()
        .any(|address| address[..bare(address)] == text[..bare(text)])
        .then_some(text)
}

/// Whether an address is complete, judging by what follows it in its row: at the edge of a panel or
/// before an ellipsis (`~` in ASCII) it may continue. Text is also wrapped after `/`, `-`, `?` and
/// `!`.
fn ends(run: &str, rest: &[Cell]) -> bool {
    let is_inner = |cell: &Cell| cell.symbol().is_ascii() && cell.symbol() != "|";
    if run.ends_with(['/', '-', '?', '!']) {
        let next = rest.iter().find(|cell| cell.symbol() != " ");
        return next.is_some_and(is_inner);
    }
    match rest {
        _ if run.ends_with('~') => false,
        [next, after, ..] if next.symbol() == " " => is_inner(after),
        [next, ..] => next.symbol() != " " && is_inner(next),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(row: &str) -> Vec<String> {
        let configured = [
            "https://a.example/x?y=1#z",
            "http://b.example:80",
            "http://[::1]:8000/",
            "https://c.example",
            "https://a.example/lo",
            "https://a.example",
        ];
        let buffer = Buffer::with_lines([row]);
        let links = on_screen(&buffer, &configured.map(str::to_owned)).into_iter();
        links
            .map(|link| {
                let shown: String = link.cells.iter().map(Cell::symbol).collect();
                assert_eq!(shown, link.url, "a link leads where its text says");
                link.url
            })
            .collect()
    }

    #[test]
    fn configured_addresses_are_links_and_no_others() {
        assert_eq!(
            links(
                "see https://a.example/x?y=1#z, (http://b.example:80/) or http://[::1]:8000/ \"https://c.example\" https://d.example  "
            ),
            [
                "https://a.example/x?y=1#z",
                "http://b.example:80/",
                "http://[::1]:8000/",
                "https://c.example",
            ]
        );
    }

    #[test]
    fn what_is_cut_or_goes_on_in_the_next_row_is_no_link() {
        for row in [
            "https://a.example/lo…   ",
            "https://a.example/lo~   ",
            "https://a.example/lo",
            "https://a.example/lo ",
            "https://a.example/lo│   ",
            "https://a.example/lo │   ",
            "https://a.example/lo |   ",
            "https://a.example/        │",
        ] {
            assert_eq!(links(row), [""; 0], "{row}");
        }
    }

    #[test]
    fn hostile_addresses_are_no_links() {
        for row in [
            "javascript://a.example/   ",
            "file:///etc/passwd   ",
            "xhttps://a.example   ",
            "https://a.example@evil.example/   ",
            "https://a.example.evil.example/   ",
            "https://a.example/evil   ",
            "https:///path   ",
            "https://\u{430}.example/   ",
        ] {
            assert_eq!(links(row), [""; 0], "{row}");
        }
    }
}
