//! The effective key bindings: the table of [`super::BINDINGS`] with the changes of the
//! configuration.

use super::{Action, BINDINGS, Binding, Chord, Context};
use crate::tui::keymap::default_chords;
use crate::tui::{self, KeyRow};

/// A line of the configuration that rebinds an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserKeys {
    /// Name of the row in the table.
    pub name: String,
    /// The keys in the table's spelling; if empty, the action is only available in the palette.
    pub keys: Vec<String>,
    /// Line of the file, from 1.
    pub line: usize,
}

/// The reason a key, or the whole line of an action, is ignored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct KeyError {
    /// The name of the action in the line.
    pub name: String,
    /// Line of the file, from 1.
    pub line: usize,
    /// The mistake, and the valid choices.
    pub message: String,
}

impl KeyError {
    /// The error of a line of the configuration.
    fn new(binding: &UserKeys, message: String) -> Self {
        Self {
            name: binding.name.clone(),
            line: binding.line,
            message,
        }
    }
}

/// The rows of the table with the keys in effect.
pub type Keymap = tui::Keymap<Binding>;

impl KeyRow for Binding {
    type Action = Action;
    type Context = Context;

    fn table() -> &'static [Self] {
        BINDINGS
    }

    fn palette() -> Action {
        Action::Palette
    }

    fn context(&self) -> Context {
        self.context
    }

    fn action(&self) -> Action {
        self.action
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn default_keys(&self) -> &'static [&'static str] {
        self.keys
    }
}

/// A row that a line of the configuration rebinds, and the valid keys of the line.
struct Rebinding<'a> {
    binding: &'static Binding,
    line: &'a UserKeys,
    chords: Vec<Chord>,
}

/// The key table with the user's own keys, and the mistakes in them in the order of lines.
///
/// An invalid key is dropped on its own; the others apply. Of two lines with one key, the earlier has it. An
/// action left without any keeps its default keys that are free; the one that quits keeps all of them.
pub fn configured(lines: &[UserKeys]) -> (Keymap, Vec<KeyError>) {
    let mut keymap = Keymap::default();
    let mut errors = Vec::new();
    let mut wanted: Vec<Rebinding<'_>> = Vec::new();
    for line in lines {
        let Some(binding) = BINDINGS.iter().find(|row| row.name == line.name) else {
            errors.push(KeyError::new(line, unknown_action(&line.name)));
            continue;
        };
        // Its defaults are free for others from here on.
        keymap.rebind(binding, Vec::new());
        match usable(binding, line, &mut errors) {
            Some(chords) => wanted.push(Rebinding { binding, line, chords }),
            None if is_way_out(binding) => keymap.rebind(binding, default_chords(binding)),
            None => {}
        }
    }
    // Of two lines with one key the later one is wrong; the key to quit cannot be taken.
    wanted.sort_by_key(|wish| (!is_way_out(wish.binding), wish.line.line));
    let mut bound: Vec<(&Binding, usize)> = Vec::new();
    for Rebinding { binding, line, chords } in wanted {
        let is_keyless = chords.is_empty();
        let mut taken = Vec::new();
        for chord in chords {
            match in_the_way(&keymap, binding, chord) {
                Some(other) => {
                    let theirs = bound.iter().find(|(row, _)| std::ptr::eq(*row, other));
                    let why = conflict(line, other, theirs.map(|(_, line)| *line), chord);
                    errors.push(KeyError::new(line, why));
                }
                None => taken.push(chord),
            }
        }
        if is_keyless || !taken.is_empty() {
            keymap.rebind(binding, taken);
            bound.push((binding, line.line));
        } else if is_way_out(binding) {
            keymap.rebind(binding, default_chords(binding));
        }
    }
    // Last, once the keys of all valid lines are known.
    for binding in BINDINGS {
        if !bound.iter().any(|(row, _)| std::ptr::eq(*row, binding)) && keymap.chords(binding).is_empty() {
            let mut free = default_chords(binding);
            free.retain(|chord| in_the_way(&keymap, binding, *chord).is_none());
            keymap.rebind(binding, free);
        }
    }
    errors.sort_by_key(|error| error.line);
    (keymap, errors)
}

/// Another row that has the key now and can receive the same key press; `None` if the key is free for
/// `binding`.
fn in_the_way(keymap: &Keymap, binding: &Binding, chord: Chord) -> Option<&'static Binding> {
    BINDINGS.iter().find(|other| {
        !std::ptr::eq(*other, binding)
            && can_collide(binding, other)
            && keymap.chords(other).contains(&chord)
            && !is_default_pair(binding, other, chord)
    })
}

/// Whether the row quits the program, which must always have a key.
fn is_way_out(binding: &Binding) -> bool {
    binding.action == Action::QuitNow
}

/// The valid keys of a line, empty if it unbinds the action; `None` if none is valid, or if it would unbind
/// the one that quits. Mistakes are added to `errors`.
fn usable(binding: &Binding, setting: &UserKeys, errors: &mut Vec<KeyError>) -> Option<Vec<Chord>> {
    let name = binding.name;
    if setting.keys.is_empty() {
        if is_way_out(binding) {
            let why = format!("'{name}' needs a key: it always leads out");
            errors.push(KeyError::new(setting, why));
            return None;
        }
        return Some(Vec::new());
    }
    let mut chords = Vec::new();
    for key in &setting.keys {
        match chord_for(binding, key) {
            Ok(chord) => chords.push(chord),
            Err(why) => errors.push(KeyError::new(setting, why)),
        }
    }
    (!chords.is_empty()).then_some(chords)
}

/// The chord of a text, or the reason it cannot be a key of the action.
fn chord_for(binding: &Binding, key: &str) -> Result<Chord, String> {
    let name = binding.name;
    let chord = Chord::parse(key).ok_or_else(|| format!("'{key}' is no key: write {KEYS}"))?;
    if is_text_context(binding.context) && chord.is_text() {
        return Err(format!(
            "'{chord}' cannot be the key of '{name}': text is typed there; use ctrl-, alt- or a named key"
        ));
    }
    chord.arrives_as().map_or(Ok(chord), |arriving| {
        Err(format!(
            "'{key}' cannot be the key of '{name}': a terminal cannot tell it from {arriving}"
        ))
    })
}

/// The error for a key that another row has, by a line of the configuration (`line`) or by default (`None`).
fn conflict(setting: &UserKeys, other: &Binding, line: Option<usize>, chord: Chord) -> String {
    let theirs = other.name;
    let (whence, advice) = match line {
        Some(line) => (format!("line {line}"), String::new()),
        None => ("its default".to_owned(), format!("; give '{theirs}' another key too")),
    };
    format!(
        "'{chord}' of '{}' is already the key of '{theirs}' ({whence}){advice}",
        setting.name
    )
}

/// The spelling of keys, for messages.
pub(super) const KEYS: &str = "a character, enter, esc, tab, shift-tab, space, backspace, delete, up, down, \
    left, right, home, end, pgup, pgdn or f1 to f12, with ctrl- or alt- in front if wanted";

/// Whether text is typed in a context: no key of it is a letter or digit by default. False for the global
/// context.
fn is_text_context(context: Context) -> bool {
    context != Context::Global
        && !BINDINGS
            .iter()
            .filter(|row| row.context == context)
            .any(|row| default_chords(row).iter().any(|chord| chord.is_text()))
}

/// Whether two rows can receive the same key press: they share a context, or one of them is in `Always`, or
/// one is in `Global` and the other in a context in which no text is typed.
fn can_collide(left: &Binding, right: &Binding) -> bool {
    let shared = |context| context == Context::Global;
    let behind = |front: Context, back: Context| back == Context::Always || shared(back) && !is_text_context(front);
    left.context == right.context || behind(left.context, right.context) || behind(right.context, left.context)
}

/// Whether both rows have the key by default, which is no conflict: the first one wins.
fn is_default_pair(left: &Binding, right: &Binding, chord: Chord) -> bool {
    default_chords(left).contains(&chord) && default_chords(right).contains(&chord)
}

/// The error for an unknown name of an action, with up to three similar ones.
fn unknown_action(name: &str) -> String {
    let mut near: Vec<(f64, &str)> = BINDINGS
        .iter()
        .map(|row| {
            let likeness = strsim::jaro_winkler(name, row.name);
            let holds = row.name.contains(name) || name.contains(row.name);
            (if holds { likeness.max(0.85) } else { likeness }, row.name)
        })
        .filter(|(likeness, _)| *likeness > 0.75)
        .collect();
    near.sort_by(|left, right| right.0.total_cmp(&left.0));
    near.dedup_by_key(|(_, name)| *name);
    let near: Vec<_> = near.iter().take(3).map(|(_, name)| format!("'{name}'")).collect();
    if near.is_empty() {
        format!("there is no action '{name}'; the help screen (?) names them all")
    } else {
        format!("there is no action '{name}'; did you mean {}?", near.join(" or "))
    }
}
