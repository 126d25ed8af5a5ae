//! Desktop notifications through the terminal.

use std::ffi::OsString;

use crate::domain::text::visible;

/// Maximum length of a title or text, in characters; terminals show one or two lines.
const LONGEST: usize = 200;

/// The escape sequence for a desktop notification on the terminal that the environment variables describe,
/// wrapped for tmux inside it.
///
/// Many terminals support both OSC 9 (iTerm2) and OSC 777 (urxvt) and would show two: only one is sent, 777
/// if the terminal is known to have no OSC 9 for texts.
pub(super) fn sequence(title: &str, text: &str, variable: impl Fn(&str) -> Option<OsString>) -> Vec<u8> {
    let set = |name| variable(name).is_some_and(|value| !value.is_empty());
    let term = variable("TERM").unwrap_or_default();
    let term = term.to_string_lossy();
    // A semicolon would end the title.
    let (title, text) = (clean(title).replace(';', ","), clean(text));
    let body = if set("VTE_VERSION") || term.starts_with("foot") || term.contains("rxvt") {
        format!("\x1b]777;notify;{title};{text}\x1b\\")
    } else {
        format!("\x1b]9;{title}: {text}\x1b\\")
    };
    let bytes = if set("TMUX") {
        // tmux passes it on if `allow-passthrough` is on, and drops it otherwise.
        format!("\x1bPtmux;{}\x1b\\", body.replace('\x1b', "\x1b\x1b"))
    } else {
        body
    };
    bytes.into_bytes()
}

/// The text, cut at 200 characters, with control characters made visible, as they could end the sequence or
/// start another one.
pub(super) fn clean(text: &str) -> String {
    visible(text, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(title: &str, text: &str, variables: &[(&str, &str)]) -> String {
        let lookup = |name: &str| {
            let mut matching = variables.iter().filter(|(known, _)| *known == name);
            matching.next().map(|(_, value)| OsString::from(value))
        };
        String::from_utf8(sequence(title, text, lookup)).unwrap()
    }

    #[test]
    fn each_terminal_gets_the_sequence_that_it_knows() {
        assert_eq!(
            sent("Run done", "p99 40 ms", &[("TERM", "xterm-256color")]),
            "\x1b]9;Run done: p99 40 ms\x1b\\"
        );
        for variable in [("TERM", "foot"), ("VTE_VERSION", "7600")] {
            assert_eq!(
                sent("Run; done", "p99 40 ms", &[variable]),
                "\x1b]777;notify;Run, done;p99 40 ms\x1b\\"
            );
        }
        assert_eq!(
            sent("a", "b", &[("TMUX", "/tmp/tmux-0/default,1,0")]),
            "\x1bPtmux;\x1b\x1b]9;a: b\x1b\x1b\\\x1b\\"
        );
    }

    #[test]
    fn a_text_cannot_end_the_sequence() {
        let text = sent("a\x1b\\b", "c\x07\u{9c}d", &[]);
        assert_eq!(text, "\x1b]9;a<U+001B>\\b: c<U+0007><U+009C>d\x1b\\");
    }
}
