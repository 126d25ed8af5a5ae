//! The effective key bindings: the table of [`super::BINDINGS`] with the changes of the
//! configuration.

use crossterm::event::KeyEvent;

use super::{Action, BINDINGS, Binding, Chord, Context};

/// A line of the configuration that rebinds an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserKeys {
    /// Name of the row in the table.
    pub name: String,
    /// The keys in the table's spelling; none leaves the action to the palette.
    pub keys: Vec<String>,
    /// Line of the file, from 1.
    pub line: usize,
}

/// Why a key, or the whole line of an action, is dropped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct KeyError {
    /// The name in the line.
    pub name: String,
    /// Line of the file, from 1.
    pub line: usize,
    /// What is wrong, and what would be valid.
    pub message: String,
}

impl KeyError {
    fn of(binding: &UserKeys, message: String) -> Self {
        Self {
            name: binding.name.clone(),
            line: binding.line,
            message,
        }
    }
}

/// The rows of the table with their effective keys.
#[derive(Debug, Clone)]
pub struct Keymap {
    rows: Vec<Row>,
    /// Whether arrow keys are written out (`left`): an ASCII arrow would look like the key `<` or `>`.
    in_words: bool,
}

/// A row, its keys, and the line of the configuration that set them, if one did.
#[derive(Debug, Clone)]
struct Row {
    binding: &'static Binding,
    chords: Vec<Chord>,
    line: Option<usize>,
}

impl Default for Keymap {
    fn default() -> Self {
        let rows = BINDINGS
            .iter()
            .map(|binding| Row {
                binding,
                chords: defaults(binding),
                line: None,
            })
            .collect();
        Self { rows, in_words: false }
    }
}

fn defaults(binding: &Binding) -> Vec<Chord> {
    binding.keys.iter().filter_map(|key| Chord::parse(key)).collect()
}

impl Keymap {
    /// The table with a person's own keys, and the mistakes in them. An invalid key is dropped on
    /// its own: the others apply, and an action that would have none keeps those of its defaults
    /// that are free.
    pub fn configured(settings: &[UserKeys]) -> (Self, Vec<KeyError>) {
        let mut keymap = Self::default();
        let mut errors = Vec::new();
        let mut wanted: Vec<(usize, &UserKeys, Vec<Chord>)> = Vec::new();
        for setting in settings {
            let row_index = keymap.rows.iter().position(|row| row.binding.name == setting.name);
            let Some(row_index) = row_index else {
                errors.push(KeyError::of(setting, unknown(&setting.name)));
                continue;
            };
            let row = &mut keymap.rows[row_index];
            // Its defaults are free for others from here on.
            row.chords.clear();
            match usable(row.binding, setting, &mut errors) {
                Some(chords) => wanted.push((row_index, setting, chords)),
                None if is_way_out(row.binding) => row.chords = defaults(row.binding),
                None => {}
            }
        }
        // Of two lines with one key the later one is wrong; the key to quit cannot be taken.
        wanted.sort_by_key(|(row_index, setting, _)| {
            let binding = keymap.rows[*row_index].binding;
            (!is_way_out(binding), setting.line)
        });
        for (row_index, setting, chords) in wanted {
            let is_keyless = chords.is_empty();
            let mut taken = Vec::new();
            for chord in chords {
                match keymap.in_the_way(row_index, chord) {
                    Some(other) => errors.push(KeyError::of(setting, conflict(setting, other, chord))),
                    None => taken.push(chord),
                }
            }
            let row = &mut keymap.rows[row_index];
            if is_keyless || !taken.is_empty() {
                row.chords = taken;
                row.line = Some(setting.line);
            } else if is_way_out(row.binding) {
                row.chords = defaults(row.binding);
            }
        }
        // Last, when it is known which keys the valid lines took.
        for row_index in 0..keymap.rows.len() {
            let row = &keymap.rows[row_index];
            if row.line.is_none() && row.chords.is_empty() {
                let free = defaults(row.binding)
                    .into_iter()
                    .filter(|chord| keymap.in_the_way(row_index, *chord).is_none())
                    .collect();
                keymap.rows[row_index].chords = free;
            }
        }
        errors.sort_by_key(|error| error.line);
        (keymap, errors)
    }

    /// The row that already has that key and can receive the same key press as the row at `place`.
    fn in_the_way(&self, row_index: usize, chord: Chord) -> Option<&Row> {
        let binding = self.rows[row_index].binding;
        self.rows.iter().find(|other| {
            !std::ptr::eq(other.binding, binding)
                && meet(binding, other.binding)
                && other.chords.contains(&chord)
                && !is_default_pair(binding, other.binding, chord)
        })
    }

    /// The action of a key: the contexts are searched in order.
    pub fn resolve(&self, contexts: &[Context], key: KeyEvent) -> Option<Action> {
        let pressed = Chord::of(key);
        contexts.iter().find_map(|context| {
            self.rows
                .iter()
                .find(|row| row.binding.context == *context && row.chords.contains(&pressed))
                .map(|row| row.binding.action)
        })
    }

    /// The first of the contexts that handles the shown key of a row; `None` without a key.
    pub fn owner_of(&self, contexts: &[Context], binding: &Binding) -> Option<Context> {
        let shown = self.chords(binding).first()?;
        let takes = |context: &&Context| {
            self.rows
                .iter()
                .any(|row| row.binding.context == **context && row.chords.contains(shown))
        };
        contexts.iter().find(takes).copied()
    }

    /// The same keys, with arrow keys written out if `in_words` is set.
    #[must_use]
    pub const fn in_words(mut self, in_words: bool) -> Self {
        self.in_words = in_words;
        self
    }

    pub fn shown(&self, chord: Chord) -> String {
        let name = chord.to_string();
        if !self.in_words {
            return name;
        }
        [("↑", "Up"), ("↓", "Down"), ("←", "Left"), ("→", "Right")]
            .into_iter()
            .fold(name, |name, (arrow, word)| name.replace(arrow, word))
    }

    /// The keys of a row; the first one is shown.
    pub fn chords(&self, binding: &Binding) -> &[Chord] {
        self.rows
            .iter()
            .find(|row| std::ptr::eq(row.binding, binding))
            .map_or(&[], |row| &row.chords)
    }

    /// The key of a row to display.
    pub fn shown_key(&self, binding: &Binding) -> String {
        self.chords(binding)
            .first()
            .map_or_else(String::new, |chord| self.shown(*chord))
    }

    /// All keys of a row, for the help screen.
    pub fn all_keys(&self, binding: &Binding) -> String {
        let keys: Vec<_> = self.chords(binding).iter().map(|chord| self.shown(*chord)).collect();
        keys.join(" ")
    }

    /// The key of an action, as displayed; for an action without a key, its name in the palette.
    pub fn key_of(&self, action: Action) -> String {
        let rows = || self.rows.iter().filter(|row| row.binding.action == action);
        if let Some(chord) = rows().find_map(|row| row.chords.first()) {
            return self.shown(*chord);
        }
        self.in_palette(rows().next().map_or("", |row| row.binding.name))
    }

    /// How the palette finds what has no key.
    fn in_palette(&self, name: &str) -> String {
        let mut rows = self.rows.iter();
        let palette = rows.find(|row| row.binding.action == Action::Palette);
        let palette = palette.map_or_else(String::new, |row| self.shown_key(row.binding));
        format!("{palette} {name}")
    }

    /// The displayed key of an action in the first of these contexts that binds it.
    pub fn key_in(&self, contexts: &[Context], action: Action) -> String {
        let row = contexts.iter().find_map(|context| {
            self.rows.iter().find(|row| {
                let binding = row.binding;
                binding.context == *context && binding.action == action && !row.chords.is_empty()
            })
        });
        row.map_or_else(|| self.key_of(action), |row| self.shown_key(row.binding))
    }

    /// How to reach the row of that name: its key, or its name in the palette.
    pub fn key_hint(&self, name: &str) -> String {
        let row = self.rows.iter().find(|row| row.binding.name == name);
        if let Some(chord) = row.and_then(|row| row.chords.first()) {
            return self.shown(*chord);
        }
        self.in_palette(name)
    }
}

fn is_way_out(binding: &Binding) -> bool {
    binding.action == Action::QuitNow
}

/// The valid keys of a line; `None` if none is left.
fn usable(binding: &Binding, setting: &UserKeys, errors: &mut Vec<KeyError>) -> Option<Vec<Chord>> {
    let name = binding.name;
    if setting.keys.is_empty() {
        if is_way_out(binding) {
            let why = format!("'{name}' needs a key: it always leads out");
            errors.push(KeyError::of(setting, why));
            return None;
        }
        return Some(Vec::new());
    }
    let mut chords = Vec::new();
    for key in &setting.keys {
        match chord_for(binding, key) {
            Ok(chord) => chords.push(chord),
            Err(why) => errors.push(KeyError::of(setting, why)),
        }
    }
    (!chords.is_empty()).then_some(chords)
}

/// The chord for a text, if it can be a key of the action.
fn chord_for(binding: &Binding, key: &str) -> Result<Chord, String> {
    let name = binding.name;
    let chord = Chord::parse(key).ok_or_else(|| format!("'{key}' is no key: write {KEYS}"))?;
    if types(binding.context) && chord.is_text() {
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

fn conflict(setting: &UserKeys, other: &Row, chord: Chord) -> String {
    let theirs = other.binding.name;
    let (whence, advice) = match other.line {
        Some(line) => (format!("line {line}"), String::new()),
        None => ("its default".to_owned(), format!("; give '{theirs}' another key too")),
    };
    format!(
        "'{chord}' of '{}' is already the key of '{theirs}' ({whence}){advice}",
        setting.name
    )
}

/// How keys are spelt, for messages.
const KEYS: &str = "a character, enter, esc, tab, shift-tab, space, backspace, delete, up, down, \
    left, right, home, end, pgup, pgdn or f1 to f12, with ctrl- or alt- in front if wanted";

/// Whether text is typed in a context: no letter or digit is bound there.
fn types(context: Context) -> bool {
    context != Context::Global
        && !BINDINGS
            .iter()
            .filter(|row| row.context == context)
            .any(|row| defaults(row).iter().any(|chord| chord.is_text()))
}

/// Whether two rows can receive the same key press.
fn meet(left: &Binding, right: &Binding) -> bool {
    let shared = |context| context == Context::Global;
    let behind = |front: Context, back: Context| back == Context::Always || shared(back) && !types(front);
    left.context == right.context || behind(left.context, right.context) || behind(right.context, left.context)
}

/// Whether the table itself gives both rows the key: the first one wins.
fn is_default_pair(left: &Binding, right: &Binding, chord: Chord) -> bool {
    defaults(left).contains(&chord) && defaults(right).contains(&chord)
}

/// The error for an unknown name, with similar ones.
fn unknown(name: &str) -> String {
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
