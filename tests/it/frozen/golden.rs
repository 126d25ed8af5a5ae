//! The record of a script as text, and how two of them differ.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Color;

/// The sizes at which every script is played.
pub const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];

/// What a script did and showed at one size.
pub struct Record {
    pub log: Vec<String>,
    /// Screens with their names.
    pub shots: Vec<(String, Buffer)>,
}

/// The rows of a screen, blanks at their ends cut.
fn rows(screen: &Buffer) -> String {
    let width = usize::from(screen.area.width);
    let rows = screen.content.chunks(width).map(|cells| {
        let row: String = cells.iter().map(Cell::symbol).collect();
        row.trim_end().to_owned() + "\n"
    });
    rows.collect()
}

/// The styles of a screen in runs, equal rows in one line; `legend` gives each style a letter.
fn styles(screen: &Buffer, legend: &mut Vec<String>) -> String {
    let width = usize::from(screen.area.width);
    let rows = screen.content.chunks(width).map(|cells| {
        let parts = |cell: &Cell| (cell.fg, cell.bg, cell.modifier);
        let runs = cells.chunk_by(|one, other| parts(one) == parts(other));
        let runs = runs.map(|run| format!("{}{}", run.len(), letter(style(&run[0]), legend)));
        runs.collect::<Vec<_>>().join(" ")
    });
    let rows: Vec<String> = rows.collect();
    let mut first = 1;
    let mut text = String::new();
    for same in rows.chunk_by(|one, other| one == other) {
        let last = first + same.len() - 1;
        let _ = match same.len() {
            1 => writeln!(text, "{first}: {}", same[0]),
            _ => writeln!(text, "{first}-{last}: {}", same[0]),
        };
        first = last + 1;
    }
    text
}

fn letter(style: String, legend: &mut Vec<String>) -> char {
    let place = legend.iter().position(|known| *known == style);
    let place = place.unwrap_or_else(|| {
        legend.push(style);
        legend.len() - 1
    });
    ('a'..='z').chain('A'..='Z').nth(place).expect("52 styles")
}

/// A cell's style in words that depend on no crate.
fn style(cell: &Cell) -> String {
    let color = |color: Color| match color {
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        Color::Reset => "default".to_owned(),
        other => other.to_string().to_lowercase(),
    };
    let mut words = format!("{} on {}", color(cell.fg), color(cell.bg));
    for (name, _) in cell.modifier.iter_names() {
        words += " ";
        words += &name.to_lowercase();
    }
    words
}

/// The text of the golden file: what was done, and the screens at each size.
pub fn text(title: &str, records: &[Record]) -> String {
    let mut text = format!("{title}\n");
    let mut legend = Vec::new();
    for (number, (record, (columns, rows_high))) in records.iter().zip(SIZES).enumerate() {
        let size = format!("{columns}x{rows_high}");
        let log = record.log.join("\n");
        if number == 0 {
            let _ = writeln!(text, "\n== log\n{log}");
        } else if record.log != records[0].log {
            let _ = writeln!(text, "\n== log at {size}\n{log}");
        }
        for (name, screen) in &record.shots {
            let _ = write!(text, "\n== {size}: {name}\n{}", rows(screen));
            let styles = styles(screen, &mut legend);
            let _ = write!(text, "\n== styles of {size}: {name}\n{styles}");
        }
    }
    text += "\n== legend of the styles\n";
    for (style, letter) in legend.iter().zip(('a'..='z').chain('A'..='Z')) {
        let _ = writeln!(text, "{letter} {style}");
    }
    text
}

/// How what is seen differs from what is recorded; `None` if it does not.
pub fn difference(recorded: &str, seen: &str) -> Option<String> {
    const MOST: usize = 8;
    let mut text = String::new();
    let (recorded, seen) = (sections(recorded), sections(seen));
    let names = recorded.iter().chain(&seen).map(|(name, _)| *name);
    let mut names: Vec<&str> = names.collect();
    let mut known = std::collections::HashSet::new();
    names.retain(|name| known.insert(*name));
    for name in names {
        let (old, new) = (lines_of(&recorded, name), lines_of(&seen, name));
        if old == new {
            continue;
        }
        // A line more or less moves all that follow: only what lies between equal beginnings and ends.
        let equal = |(one, other): &(&&str, &&str)| one == other;
        let first = old.iter().zip(new).take_while(equal).count();
        let (old, new) = (&old[first..], &new[first..]);
        let (back, forth) = (old.iter().rev(), new.iter().rev());
        let last = back.zip(forth).take_while(equal).count();
        let (old, new) = (&old[..old.len() - last], &new[..new.len() - last]);
        let _ = writeln!(text, "{name}, from line {}:", first + 1);
        for (sign, lines, others) in [("-", old, new), ("+", new, old)] {
            // Of two screens, the rows that differ.
            let is_other = |(place, line): &(usize, &&str)| old.len() != new.len() || others[*place] != **line;
            for (_, line) in lines.iter().enumerate().filter(is_other).take(MOST) {
                let _ = writeln!(text, "  {sign} {line}");
            }
        }
        if text.lines().count() > 60 {
            text += "...\n";
            break;
        }
    }
    (!text.is_empty()).then_some(text)
}

fn lines_of<'a>(all: &'a [(&str, Vec<&'a str>)], wanted: &str) -> &'a [&'a str] {
    let found = all.iter().find(|(name, _)| *name == wanted);
    found.map_or(&[], |(_, lines)| lines)
}

fn sections(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut all = vec![("title", Vec::new())];
    for line in text.lines() {
        match line.strip_prefix("== ") {
            Some(name) => all.push((name, Vec::new())),
            None => all.last_mut().unwrap().1.push(line),
        }
    }
    all
}
