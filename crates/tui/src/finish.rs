//! Post-processes a frame: removes everything that a terminal would act on, and applies the theme's background, and
//! ASCII for terminals without Unicode.

use ratatui::buffer::Buffer;
use ratatui::style::Color;

use crate::theme::Theme;
use bourse_domain::text::is_drawable;

/// The replacement of a symbol that no cell may hold.
///
/// Views escape untrusted text themselves, visibly. This is the safeguard should one forget it.
const REFUSED: char = '\u{fffd}';

/// Prepares a drawn frame for the terminal: fills in the theme's background and text colour, replaces symbols
/// that would control or flood the terminal by `�`, and, in an ASCII theme, all other characters by ASCII
/// ones.
pub fn finish(buffer: &mut Buffer, theme: &Theme) {
    for cell in &mut buffer.content {
        if !is_drawable(cell.symbol()) {
            cell.set_char(REFUSED);
        }
    }
    if theme.background.is_none() && !theme.ascii {
        return;
    }
    for cell in &mut buffer.content {
        if let Some(background) = theme.background {
            if cell.bg == Color::Reset {
                cell.bg = background;
            }
            if cell.fg == Color::Reset {
                cell.fg = theme.text.fg.unwrap_or(Color::Reset);
            }
        }
        if theme.ascii && !cell.symbol().is_ascii() {
            let sign = cell.symbol().chars().next().map_or(' ', plain);
            cell.set_char(sign);
        }
    }
}

/// The ASCII character drawn in place of `sign` in an ASCII theme; `?` if it has no replacement.
const fn plain(sign: char) -> char {
    match sign {
        '─' | '━' | '╸' | '═' | '╌' | '┄' | '┈' | '–' | '—' | '−' => '-',
        '│' | '┃' | '║' | '╎' | '┆' | '┊' | '▏' | '▎' | '▍' | '▌' | '▕' => '|',
        // The thumb of a scrollbar, on a border.
        '▐' => '#',
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' | '╭' | '╮' | '╯' | '╰' | '╔' | '╗' | '╚' | '╝' | '╠'
        | '╣' | '╦' | '╩' | '╬' => '+',
        // As in an order string: dph_total+ or score-.
        '▲' => '+',
        '▼' => '-',
        '↑' | '△' | '▴' => '^',
        '↓' | '▽' | '▾' => 'v',
        '◀' | '←' | '◂' | '‹' | '«' => '<',
        '▶' | '→' | '▸' | '›' | '»' => '>',
        '…' => '~',
        '·' | '⋅' | '˙' => '.',
        '◆' => '#',
        '◎' => '@',
        '•' | '●' | '■' | '◉' | '★' | '☆' | '✱' => '*',
        '○' | '◇' | '□' | '◦' => 'o',
        '“' | '”' | '„' | '″' => '"',
        '‘' | '’' | '‚' | '′' => '\'',
        '✓' | '✔' => 'v',
        '✗' | '✘' | '×' => 'x',
        '▁' | '▂' | '⎽' => '_',
        '▃' | '▄' | '▖' => '=',
        // Quadrants: solid lines of a chart.
        '▗' | '▘' | '▙' | '▚' | '▛' | '▜' | '▝' | '▞' | '▟' => '*',
        '▅' | '▆' | '▇' | '█' | '▉' | '▊' | '▋' | '▓' | '▒' | '▀' => '#',
        '░' => ':',
        '≤' => '<',
        '≥' => '>',
        '≈' | '∼' => '~',
        '±' => '+',
        '∞' => 'i',
        'µ' | 'μ' => 'u',
        '°' => 'o',
        '\u{a0}' | '\u{202f}' | '\u{2009}' => ' ',
        // Braille: dots of a plot.
        '\u{2800}' => ' ',
        '\u{2801}'..='\u{28ff}' => '*',
        _ => '?',
    }
}
