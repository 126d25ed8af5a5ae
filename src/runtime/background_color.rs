//! Detects whether the terminal's background is light.
//!
//! The reply (`OSC 11 ; rgb:ffff/ffff/ffff`) arrives among the keys, and crossterm, which does not
//! parse such replies, delivers it as keys: Alt-], the text, Alt-\. [`BackgroundQuery`] filters
//! exactly these out of the input and passes every other key on in order. So nothing races with the
//! reader, and no key is lost, however late the reply is.

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// The query for the background colour.
pub const QUESTION: &str = "\x1b]11;?\x1b\\";

/// Maximum wait of the first frame for the reply; a later one changes the colours then.
pub const PATIENCE: Duration = Duration::from_millis(80);

/// Time for which the possible start of a reply is held back.
///
/// The rest of a reply arrives at once.
pub const HOLD: Duration = Duration::from_millis(100);

/// Time since the start in which Esc may be the first byte of a reply in two pieces.
///
/// Afterwards it is passed on as a key at once: most terminals have replied by then, and the others
/// never will.
pub const EARLY: Duration = Duration::from_secs(3);

/// The longest reply, in characters.
const LONGEST: usize = 40;

/// The result of filtering an event.
#[derive(Debug, PartialEq)]
pub enum Filtered {
    /// Not a reply: these events, in this order.
    Events(Vec<Event>),
    /// Possibly a part of the reply, and held back.
    Held,
    /// The reply: whether the background is light.
    Answer(bool),
}

#[derive(Debug, Default)]
pub struct BackgroundQuery {
    /// Whether no reply is awaited.
    is_closed: bool,
    /// Whether a reply in two pieces is no longer awaited.
    is_late: bool,
    held: Vec<Event>,
    /// The characters that a terminal sends for the held events.
    text: String,
}

impl BackgroundQuery {
    /// A query that was not sent: all events pass.
    pub fn closed() -> Self {
        Self {
            is_closed: true,
            ..Self::default()
        }
    }

    /// Passes a lone Esc on as a key from now on, as the reply is late.
    pub const fn settle(&mut self) {
        self.is_late = true;
    }

    /// Whether a lone Esc may still begin a reply.
    pub const fn is_early(&self) -> bool {
        !self.is_late && !self.is_closed
    }

    /// Whether events are held back.
    pub const fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Returns the held events as keys, none if nothing is held, as the rest of the reply did not arrive.
    pub fn release(&mut self) -> Vec<Event> {
        self.text.clear();
        std::mem::take(&mut self.held)
    }

    /// Passes an event on, holds it back as a possible part of the reply, or returns the reply, after which
    /// everything passes.
    pub fn filter(&mut self, event: Event) -> Filtered {
        let Event::Key(key) = event else {
            // A click or resize in the middle of a reply is not part of it.
            return Filtered::Events(vec![event]);
        };
        if self.is_closed {
            return Filtered::Events(vec![event]);
        }
        self.held.push(event);
        self.text.push_str(&bytes_of(key));
        match reply(&self.text) {
            Some(Reply::Whole { is_light }) => {
                self.is_closed = true;
                self.release();
                Filtered::Answer(is_light)
            }
            Some(Reply::Part) if self.text != "\x1b" || self.is_early() => Filtered::Held,
            Some(Reply::Part) | None => Filtered::Events(self.release()),
        }
    }
}

/// The characters that a terminal sends for a key, if a reply can contain it; otherwise NUL.
fn bytes_of(key: KeyEvent) -> String {
    match (key.code, key.modifiers) {
        (KeyCode::Esc, KeyModifiers::NONE) => "\x1b".to_owned(),
        (KeyCode::Char('g'), KeyModifiers::CONTROL) => "\x07".to_owned(),
        (KeyCode::Char(character), KeyModifiers::ALT) => format!("\x1b{character}"),
        (KeyCode::Char(character), KeyModifiers::NONE | KeyModifiers::SHIFT) => character.to_string(),
        // In no reply.
        _ => "\0".to_owned(),
    }
}

enum Reply {
    Whole {
        is_light: bool,
    },
    /// The beginning of a reply.
    Part,
}

/// Parses a reply, which ends with BEL, or with ESC and a backslash; `Part` if it may still become one,
/// `None` if it is another text.
fn reply(text: &str) -> Option<Reply> {
    let starts = ["\x1b]11;rgb:", "\x1b]11;rgba:"];
    if starts.iter().any(|start| start.starts_with(text)) {
        return Some(Reply::Part);
    }
    let colour = starts.iter().find_map(|start| text.strip_prefix(start))?;
    let end = colour.trim_start_matches(|character: char| character.is_ascii_hexdigit() || character == '/');
    match end {
        "" | "\x1b" if text.len() <= LONGEST => Some(Reply::Part),
        "\x07" | "\x1b\\" => Some(Reply::Whole {
            is_light: is_light(colour.strip_suffix(end)?)?,
        }),
        _ => None,
    }
}

/// Whether a color such as `ffff/ffff/ffff` has a brightness above one half; `None` if it is no color.
fn is_light(colour: &str) -> Option<bool> {
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

    /// Filters events; returns the keys that were passed on, and the reply if there was one.
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
