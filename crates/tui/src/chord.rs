//! Key chords: parsing, display, and the bytes that terminals send for them.
//!
//! `crokey` would parse and format them too, but it lower-cases while parsing (`G` would be `g`), refuses characters
//! beyond ASCII and prints `PageDown` and `Hyphen` where the help has `PgDn` and `-`: both ends would need a
//! translation longer than this file.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with its modifiers.
///
/// [`Chord::parse`] reads the spelling of tables and configurations: `j`, `G`, `ctrl-d`, `shift-tab`, `f5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// The keys with a name: in the configuration, and on screen.
const NAMES: [(KeyCode, &str, &str); 15] = [
    (KeyCode::Enter, "enter", "Enter"),
    (KeyCode::Esc, "esc", "Esc"),
    (KeyCode::Tab, "tab", "Tab"),
    (KeyCode::BackTab, "shift-tab", "Shift-Tab"),
    (KeyCode::Char(' '), "space", "Space"),
    (KeyCode::Backspace, "backspace", "Backspace"),
    (KeyCode::Delete, "delete", "Del"),
    (KeyCode::Up, "up", "↑"),
    (KeyCode::Down, "down", "↓"),
    (KeyCode::Left, "left", "←"),
    (KeyCode::Right, "right", "→"),
    (KeyCode::Home, "home", "Home"),
    (KeyCode::End, "end", "End"),
    (KeyCode::PageUp, "pgup", "PgUp"),
    (KeyCode::PageDown, "pgdn", "PgDn"),
];

impl Chord {
    /// Parses the spelling of key tables and configurations, such as `ctrl-d` or `f5`; a letter with `ctrl-`
    /// becomes lower case. `None` if it is not a key.
    pub fn parse(text: &str) -> Option<Self> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        loop {
            rest = if let Some(rest) = rest.strip_prefix("ctrl-") {
                modifiers |= KeyModifiers::CONTROL;
                rest
            } else if let Some(rest) = rest.strip_prefix("alt-") {
                modifiers |= KeyModifiers::ALT;
                rest
            } else {
                break;
            };
        }
        let named = NAMES.iter().find(|(_, name, _)| *name == rest);
        let mut characters = rest.chars();
        let code = match (named, characters.next(), characters.as_str()) {
            (Some((code, ..)), ..) => *code,
            (None, Some(character), "") => KeyCode::Char(character),
            (None, Some('f'), number) => KeyCode::F(number.parse().ok()?),
            (None, ..) => return None,
        };
        // In the form in which it arrives: with Ctrl, terminals do not distinguish upper and lower case.
        let code = match code {
            KeyCode::Char(character) if modifiers.contains(KeyModifiers::CONTROL) => {
                KeyCode::Char(character.to_ascii_lowercase())
            }
            code => code,
        };
        Some(Self { code, modifiers })
    }

    /// The key for which terminals send the same byte, so that this one never arrives as itself; `None` if it is
    /// distinct.
    ///
    /// Ctrl clears the upper bits of a character, which makes Ctrl-i a Tab (0x09) and Ctrl-m an Enter (0x0D). Ctrl-j
    /// (0x0A) is distinct from Enter in raw mode.
    pub fn arrives_as(self) -> Option<&'static str> {
        let with_ctrl = self.modifiers.contains(KeyModifiers::CONTROL);
        let with_alt = self.modifiers.contains(KeyModifiers::ALT);
        match self.code {
            KeyCode::Char('m') | KeyCode::Enter if with_ctrl => Some("Enter"),
            KeyCode::Char('i') | KeyCode::Tab if with_ctrl => Some("Tab"),
            KeyCode::BackTab if with_ctrl => Some("Shift-Tab"),
            KeyCode::Char('[' | '3') if with_ctrl => Some("Esc"),
            KeyCode::Esc if with_ctrl || with_alt => Some("Esc"),
            // Some terminals send 0x08 for Backspace, some 0x7F.
            KeyCode::Char('h' | '?' | '8') | KeyCode::Backspace if with_ctrl => Some("Backspace"),
            _ => None,
        }
    }

    /// Whether it types a letter or a digit: no modifiers, and no punctuation or blank.
    pub fn is_text(self) -> bool {
        self.modifiers.is_empty() && matches!(self.code, KeyCode::Char(character) if character.is_alphanumeric())
    }

    /// The chord of a key event, without Shift, which is part of the character; Shift with Tab becomes
    /// `BackTab`, and letters with Ctrl lower case.
    pub fn from_key(key: KeyEvent) -> Self {
        let modifiers = key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT);
        let code = match key.code {
            KeyCode::Tab if key.modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
            KeyCode::Char(character) if modifiers.contains(KeyModifiers::CONTROL) => {
                KeyCode::Char(character.to_ascii_lowercase())
            }
            code => code,
        };
        Self { code, modifiers }
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            f.write_str("Ctrl-")?;
        }
        if self.modifiers.contains(KeyModifiers::ALT) {
            f.write_str("Alt-")?;
        }
        match self.code {
            code if let Some((.., shown)) = NAMES.iter().find(|(known, ..)| *known == code) => f.write_str(shown),
            KeyCode::Char(character) => write!(f, "{character}"),
            KeyCode::F(number) => write!(f, "F{number}"),
            key => write!(f, "{key}"),
        }
    }
}
