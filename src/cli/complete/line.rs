//! Splits an incomplete command line into words like a POSIX shell.

/// The open quote at the end of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quote {
    #[default]
    None,
    Single,
    Double,
}

impl Quote {
    /// The character that opens and closes it.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Single => "'",
            Self::Double => "\"",
        }
    }
}

/// A word of a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    /// Its text, without quotes and backslashes.
    pub text: String,
    pub raw: String,
    /// The quote that is still open.
    pub quote: Quote,
}

/// A line up to the cursor. The last word is the one being typed; it may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub words: Vec<Word>,
}

impl Line {
    /// Splits a line; an incomplete one is no error.
    pub fn read(line: &str) -> Self {
        let mut words = vec![Word::default()];
        let mut is_begun = false;
        let mut characters = line.chars();
        while let Some(character) = characters.next() {
            let Some(word) = words.last_mut() else {
                break;
            };
            if word.quote == Quote::None && character.is_whitespace() {
                if is_begun {
                    words.push(Word::default());
                    is_begun = false;
                }
                continue;
            }
            is_begun = true;
            word.raw.push(character);
            match (word.quote, character) {
                (Quote::None, '\'') => word.quote = Quote::Single,
                (Quote::None, '"') => word.quote = Quote::Double,
                (Quote::Single, '\'') | (Quote::Double, '"') => word.quote = Quote::None,
                (Quote::None | Quote::Double, '\\') => {
                    if let Some(next) = characters.next() {
                        word.raw.push(next);
                        word.text.push(next);
                    }
                }
                (_, other) => word.text.push(other),
            }
        }
        Self { words }
    }
}

/// Whether a word needs no quoting in a shell. An `=` needs none.
pub fn is_plain(text: &str) -> bool {
    let is_plain = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '-' | '_' | '=' | '.' | ',' | ':' | '/' | '@' | '+')
    };
    text.chars().all(is_plain)
}

/// A text inside an open quote, with characters escaped that would end the quote or be expanded.
pub fn quoted(text: &str, quote: Quote) -> String {
    match quote {
        Quote::None => text.to_owned(),
        Quote::Single => text.replace('\'', r"'\''"),
        Quote::Double => {
            let mut out = String::with_capacity(text.len());
            for character in text.chars() {
                if matches!(character, '"' | '\\' | '$' | '`') {
                    out.push('\\');
                }
                out.push(character);
            }
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_as_a_shell_cuts_it() {
        let texts = |line: &str| -> Vec<String> {
            let words = Line::read(line).words.into_iter();
            words.map(|word| word.text).collect()
        };
        assert_eq!(texts("bourse offers"), ["bourse", "offers"]);
        assert_eq!(texts("bourse offers "), ["bourse", "offers", ""]);
        assert_eq!(
            texts(r#"a 'b c' "d \"e" f\ g"#),
            ["a", "b c", "d \"e", "f g"]
        );
        assert_eq!(texts("a '' b"), ["a", "", "b"]);
        let open = Line::read("a 'b=1 c");
        let last = open.words.last().unwrap();
        assert_eq!((&*last.text, last.quote), ("b=1 c", Quote::Single));
    }
}
