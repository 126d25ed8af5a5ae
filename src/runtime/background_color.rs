//! Finds out whether the terminal's background is light.
//!
//! The reply (`OSC 11 ; rgb:ffff/ffff/ffff`) arrives among the keys, and crossterm, which does not
//! parse such replies, delivers it as keys: Alt-], the text, Alt-\. [`BackgroundQuery`] filters
//! exactly these out of the input and passes every other key on in order. So nothing races with the
//! reader, and no key is lost, however late the reply is.

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// Asks for the background colour.
pub const QUESTION: &str = "\x1b]11;?\x1b\\";

/// How long the first frame waits for the reply. A later one changes the colours then.
pub const PATIENCE: Duration = Duration::from_millis(80);

/// How long the possible start of a reply is held back. The rest arrives at once, or it was not a
/// reply.
pub const HOLD: Duration = Duration::from_millis(100);

/// How long Esc may be the first byte of an answer that came in two pieces. Later it is a key at
/// once: most terminals have answered by then, and the others never will.
pub const EARLY: Duration = Duration::from_secs(3);

/// The longest reply, in characters.
const LONGEST: usize = 40;

/// The result of filtering an event.
#[derive(Debug, PartialEq)]
pub enum Filtered {
    /// Not a reply: these events, in this order.
    Events(Vec<Event>),
    /// Possibly a part of the reply: held back.
    Held,
    /// The reply: whether the background is light.
    Answer(bool),
}

#[derive(Debug, Default)]
pub struct BackgroundQuery {
    /// Whether no reply is expected.
    is_closed: bool,
    /// Whether an answer in two pieces is no longer expected.
    is_late: bool,
    held: Vec<Event>,
    text: String,
}

impl BackgroundQuery {
    /// A query that filters nothing.
    pub fn closed() -> Self {
        Self {
            is_closed: true,
            ..Self::default()
        }
    }

    /// From now on Esc is a key.
    pub const fn settle(&mut self) {
        self.is_late = true;
    }

    /// Whether Esc may begin an answer.
    pub const fn is_early(&self) -> bool {
        !self.is_late && !self.is_closed
    }

    /// Whether events are held back.
    pub const fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Releases the held events: the rest of the reply did not arrive.
    pub fn release(&mut self) -> Vec<Event> {
        self.text.clear();
        std::mem::take(&mut self.held)
    }

    pub fn filter(&mut self, event: Event) -> Filtered {
        if self.is_closed {
            return Filtered::Events(vec![event]);
        }
        let Event::Key(key) = event else {
            // A click or resize in the middle of a reply is not part of it.
            return Filtered::Events(vec![event]);
        };
        if !self.holds() {
            let is_begin = key.code == KeyCode::Char(']') && key.modifiers == KeyModifiers::ALT;
            let is_half = self.is_early() && is_plain(key, KeyCode::Esc);
            if is_begin || is_half {
                self.held.push(event);
                return Filtered::Held;
            }
            return Filtered::Events(vec![event]);
        }
        let is_second = matches!(&self.held[..], [Event::Key(half)] if half.code == KeyCode::Esc);
        self.held.push(event);
        if is_second {
            return if is_plain(key, KeyCode::Char(']')) {
                Filtered::Held
            } else {
                Filtered::Events(self.release())
            };
        }
        if is_end(key, &self.text) {
            if let Some(is_light) = is_light(&self.text) {
                self.is_closed = true;
                self.release();
                return Filtered::Answer(is_light);
            }
        } else if key.code == KeyCode::Esc && is_light(&self.text).is_some() {
            // The terminator arrived in two pieces: its backslash follows.
            self.text.push('\x1b');
            return Filtered::Held;
        } else if let KeyCode::Char(character) = key.code
            && !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
        {
            self.text.push(character);
            if may_be_answer(&self.text) {
                return Filtered::Held;
            }
        }
        Filtered::Events(self.release())
    }
}

fn is_plain(key: KeyEvent, code: KeyCode) -> bool {
    key.code == code && key.modifiers.is_empty()
}

/// Whether a key ends the reply: BEL, or ESC and a backslash.
fn is_end(key: KeyEvent, text: &str) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    match key.code {
        KeyCode::Char('g') => control,
        KeyCode::Char('\\') => alt || text.ends_with('\x1b'),
        _ => false,
    }
}

/// Whether a text can be the start of a reply.
fn may_be_answer(text: &str) -> bool {
    let fits = |start: &str| match text.strip_prefix(start) {
        Some(rest) => rest
            .chars()
            .all(|character| character.is_ascii_hexdigit() || character == '/'),
        None => start.starts_with(text),
    };
    text.len() <= LONGEST && (fits("11;rgb:") || fits("11;rgba:"))
}

/// Whether the colour in a reply is light; `None` unless the reply is complete.
fn is_light(text: &str) -> Option<bool> {
    let text = text.trim_end_matches('\x1b');
    let colour = text.strip_prefix("11;rgb:").or_else(|| text.strip_prefix("11;rgba:"))?;
    let mut parts = colour.split('/').map(|digits| {
        let most = 16_u32.checked_pow(u32::try_from(digits.len()).ok()?)? - 1;
        let value = u32::from_str_radix(digits, 16).ok()?;
        (most > 0).then(|| f64::from(value) / f64::from(most))
    });
    let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
    Some(0.299 * red + 0.587 * green + 0.114 * blue > 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(code, modifiers))
    }

    fn plain(text: &str) -> Vec<Event> {
        text.chars()
            .map(|character| key(KeyCode::Char(character), KeyModifiers::NONE))
            .collect()
    }

    fn begin() -> Event {
        key(KeyCode::Char(']'), KeyModifiers::ALT)
    }

    /// The keys that were passed on, and the reply if there was one.
    fn listen(query: &mut BackgroundQuery, events: Vec<Event>) -> (Vec<Event>, Option<bool>) {
        let (mut through, mut answer) = (Vec::new(), None);
        for event in events {
            match query.filter(event) {
                Filtered::Events(keys) => through.extend(keys),
                Filtered::Held => {}
                Filtered::Answer(is_light) => answer = Some(is_light),
            }
        }
        (through, answer)
    }

    #[test]
    fn answers_are_taken_out_and_keys_around_them_stay() {
        let ends = [
            vec![key(KeyCode::Char('g'), KeyModifiers::CONTROL)],
            vec![key(KeyCode::Char('\\'), KeyModifiers::ALT)],
            vec![
                key(KeyCode::Esc, KeyModifiers::NONE),
                key(KeyCode::Char('\\'), KeyModifiers::NONE),
            ],
        ];
        for (colour, wanted) in [
            ("11;rgb:ffff/ffff/ffff", true),
            ("11;rgb:fd/f6/e3", true),
            ("11;rgb:0000/0000/0000", false),
            ("11;rgba:1e1e/1e1e/2e2e/ffff", false),
        ] {
            for end in &ends {
                let mut events = plain("j");
                events.push(begin());
                events.extend(plain(colour));
                events.extend(end.clone());
                events.extend(plain("k"));
                let (through, answer) = listen(&mut BackgroundQuery::default(), events);
                assert_eq!((through, answer), (plain("jk"), Some(wanted)), "{colour}");
            }
        }
    }

    #[test]
    fn an_answer_whose_first_byte_came_alone_is_no_key() {
        let answer = || {
            let mut events = vec![key(KeyCode::Esc, KeyModifiers::NONE)];
            events.extend(plain("]11;rgb:ffff/ffff/ffff"));
            events.push(key(KeyCode::Char('\\'), KeyModifiers::ALT));
            events.extend(plain("q"));
            events
        };
        let heard = listen(&mut BackgroundQuery::default(), answer());
        assert_eq!(heard, (plain("q"), Some(true)));
        // Esc itself comes through: with the next key, when nothing follows, and at once later on.
        let esc = key(KeyCode::Esc, KeyModifiers::NONE);
        let mut query = BackgroundQuery::default();
        let typed = vec![esc.clone(), plain("q").remove(0)];
        assert_eq!(listen(&mut query, typed.clone()), (typed, None));
        assert_eq!(query.filter(esc.clone()), Filtered::Held);
        assert_eq!(query.release(), std::slice::from_ref(&esc));
        query.settle();
        assert_eq!(query.filter(esc.clone()), Filtered::Events(vec![esc]));
    }

    #[test]
    fn keys_that_only_begin_like_an_answer_come_through_in_their_order() {
        for typed in ["1", "11;x", "q", "11;rgb:zz"] {
            let mut events = vec![begin()];
            events.extend(plain(typed));
            let mut query = BackgroundQuery::default();
            let (mut through, answer) = listen(&mut query, events.clone());
            through.extend(query.release());
            assert_eq!((through, answer), (events, None), "{typed}");
        }
    }

    #[test]
    fn a_closed_ear_holds_nothing() {
        let mut query = BackgroundQuery::closed();
        assert_eq!(query.filter(begin()), Filtered::Events(vec![begin()]));
        assert!(!query.holds());
    }
}
