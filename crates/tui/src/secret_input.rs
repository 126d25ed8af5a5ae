//! A text field for an API key: never shown, never stored longer than needed.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use secrecy::zeroize::{Zeroize as _, Zeroizing};

use bourse_domain::secrets::{KeyFault, LONGEST_KEY, Secret, key_fault};

/// The mask, regardless of the length of the key.
const MASK: &str = "********";

/// The length of most keys, in characters.
const USUAL: usize = 64;

const TOO_SHORT: &str = "Too short? Keys often have 64 characters. ";

/// The field. Its text is wiped from memory when it is dropped or cleared.
pub struct SecretInput {
    text: Zeroizing<String>,
    /// Whether the next character replaces the text.
    is_replaced: bool,
}

impl Default for SecretInput {
    fn default() -> Self {
        // Full capacity from the start: a growing text leaves copies behind.
        Self {
            text: Zeroizing::new(String::with_capacity(LONGEST_KEY)),
            is_replaced: false,
        }
    }
}

impl fmt::Debug for SecretInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretInput(…)")
    }
}

impl SecretInput {
    /// Whether the field is empty.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text drawn in place of the secret: a fixed number of stars; empty for an empty field.
    pub fn mask(&self) -> &'static str {
        if self.is_empty() { "" } else { MASK }
    }

    /// A hint if the secret is shorter than most keys; its length stays hidden. `None` for an empty field.
    pub fn length_hint(&self) -> Option<&'static str> {
        (1..USUAL).contains(&self.text.len()).then_some(TOO_SHORT)
    }

    /// The reason the text cannot be a key; `None` if it can.
    pub fn fault(&self) -> Option<KeyFault> {
        key_fault(&self.text)
    }

    /// The secret as typed, never shown.
    pub fn secret(&self) -> Secret {
        Secret::new(self.text.as_str())
    }

    /// Wipes the text from memory.
    pub fn clear(&mut self) {
        self.text.zeroize();
        *self = Self::default();
    }

    /// Lets the next typed character replace the text, which a market has refused.
    pub const fn refuse(&mut self) {
        self.is_replaced = true;
    }

    /// Handles a key press; false if the field does not handle it. Backspace and Ctrl-h delete the last
    /// character; Backspace with Ctrl or Alt, Ctrl-u and Ctrl-w all of them. A character beyond the maximum
    /// length is ignored.
    ///
    /// Only the end can be edited, because the cursor would be invisible.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        if std::mem::take(&mut self.is_replaced) && matches!(key.code, KeyCode::Char(_)) {
            self.clear();
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match key.code {
            KeyCode::Char('u' | 'w') if control => self.clear(),
            KeyCode::Char('h') if control => drop(self.text.pop()),
            KeyCode::Backspace if control || alt => self.clear(),
            KeyCode::Backspace => drop(self.text.pop()),
            KeyCode::Char(character) if !control && !alt => {
                if self.text.len() + character.len_utf8() <= LONGEST_KEY {
                    self.text.push(character);
                }
            }
            _ => return false,
        }
        true
    }

    /// Replaces the text by a pasted key, without the blanks around it.
    ///
    /// # Errors
    /// If it is not a key; then nothing changes.
    pub fn paste(&mut self, text: &str) -> Result<(), KeyFault> {
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        if let Some(fault) = key_fault(text) {
            return Err(fault);
        }
        self.clear();
        self.text.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_it_is_seen_but_a_mask_and_that_it_is_short() {
        let mut input = SecretInput::default();
        assert_eq!((input.mask(), input.length_hint()), ("", None));
        let usual = "k".repeat(64);
        let short = Some("Too short? Keys often have 64 characters. ");
        for (key, hint) in [("a", short), ("canary-key-4711-x", short), (usual.as_str(), None)] {
            input.paste(&format!(" {key}\r\n")).unwrap();
            assert_eq!(input.mask(), "********");
            assert_eq!(input.length_hint(), hint);
            assert_eq!(input.secret().expose(), key);
            assert_eq!(format!("{input:?}"), "SecretInput(…)");
        }
    }

    #[test]
    fn a_paste_that_is_no_key_changes_nothing() {
        let mut input = SecretInput::default();
        input.paste("good").unwrap();
        for bad in ["", "two words", "two\nlines", "b\u{e9}ta", "a\u{1b}b"] {
            assert!(input.paste(bad).is_err());
            assert_eq!(input.secret().expose(), "good");
        }
        assert!(input.paste(&"x".repeat(5000)).is_err());
    }
}
