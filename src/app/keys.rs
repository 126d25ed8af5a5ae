//! The keys of this person: the table of [`super::keymap`] with what the configuration changes.

use crossterm::event::KeyEvent;

use super::keymap::{Action, BINDINGS, Binding, Chord, Context};

/// A line of the configuration that gives an action other keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnKeys {
    /// Name of the row of the table.
    pub name: String,
    /// The keys in the table's spelling; none leaves the action to the palette.
    pub keys: Vec<String>,
    /// Line of the file, from 1.
    pub line: usize,
}

/// Why a line of the configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct KeyError {
    /// Line of the file, from 1.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// The rows of the table with the keys that hold now.
#[derive(Debug, Clone)]
pub struct Keymap {
    rows: Vec<Row>,
    /// Whether arrow keys are called by words: an ASCII arrow would look like the key `<` or `>`.
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
        Self {
            rows,
            in_words: false,
        }
    }
}

fn defaults(binding: &Binding) -> Vec<Chord> {
    binding
        .keys
        .iter()
        .filter_map(|key| Chord::parse(key))
        .collect()
}

impl Keymap {
    /// The table with a person's own keys.
    ///
    /// # Errors
    /// A name or key that does not exist, a key that would mean two things at once, or a letter
    /// where text is typed.
    pub fn configured(own: &[OwnKeys]) -> Result<Self, KeyError> {
        let mut keymap = Self::default();
        for line in own {
            let chords = line
                .keys
                .iter()
                .map(|key| {
                    Chord::parse(key).ok_or_else(|| KeyError {
                        line: line.line,
                        message: format!("'{key}' is no key: write {KEYS}"),
                    })
                })
                .collect::<Result<Vec<_>, _>>()?;
            let row = keymap
                .rows
                .iter_mut()
                .find(|row| row.binding.name == line.name)
                .ok_or_else(|| KeyError {
                    line: line.line,
                    message: unknown(&line.name),
                })?;
            row.chords = chords;
            row.line = Some(line.line);
        }
        keymap.check()?;
        Ok(keymap)
    }

    /// What a key does for an owner: its contexts are asked in order.
    pub fn resolve(&self, contexts: &[Context], key: KeyEvent) -> Option<Action> {
        let pressed = Chord::of(key);
        contexts.iter().find_map(|context| {
            self.rows
                .iter()
                .find(|row| row.binding.context == *context && row.chords.contains(&pressed))
                .map(|row| row.binding.action)
        })
    }

    /// The first of the contexts that takes the key that is shown of a row; none without a key.
    pub fn owner_of(&self, contexts: &[Context], binding: &Binding) -> Option<Context> {
        let shown = self.chords(binding).first()?;
        let takes = |context: &&Context| {
            self.rows
                .iter()
                .any(|row| row.binding.context == **context && row.chords.contains(shown))
        };
        contexts.iter().find(takes).copied()
    }

    /// The same keys; arrow keys are called by words if that is wanted.
    #[must_use]
    pub const fn in_words(mut self, in_words: bool) -> Self {
        self.in_words = in_words;
        self
    }

    /// A key as it is shown.
    fn name(&self, chord: Chord) -> String {
        let name = chord.to_string();
        if !self.in_words {
            return name;
        }
        [("↑", "Up"), ("↓", "Down"), ("←", "Left"), ("→", "Right")]
            .into_iter()
            .fold(name, |name, (arrow, word)| name.replace(arrow, word))
    }

    /// The keys of a row, the one that is shown first.
    pub fn chords(&self, binding: &Binding) -> &[Chord] {
        self.rows
            .iter()
            .find(|row| std::ptr::eq(row.binding, binding))
            .map_or(&[], |row| &row.chords)
    }

    /// The key of a row that is shown.
    pub fn shown_key(&self, binding: &Binding) -> String {
        self.chords(binding)
            .first()
            .map_or_else(String::new, |chord| self.name(*chord))
    }

    /// All keys of a row, for the help screen.
    pub fn all_keys(&self, binding: &Binding) -> String {
        let keys: Vec<_> = self
            .chords(binding)
            .iter()
            .map(|chord| self.name(*chord))
            .collect();
        keys.join(" ")
    }

    /// The key of an action, as it is shown; for an action without a key, its name in the palette.
    pub fn key_of(&self, action: Action) -> String {
        let rows = || self.rows.iter().filter(|row| row.binding.action == action);
        if let Some(chord) = rows().find_map(|row| row.chords.first()) {
            return self.name(*chord);
        }
        let palette = self
            .rows
            .iter()
            .find(|row| row.binding.action == Action::Palette);
        let palette = palette
            .and_then(|row| row.chords.first())
            .map_or_else(String::new, |chord| self.name(*chord));
        let name = rows().next().map_or("", |row| row.binding.name);
        format!("{palette} {name}")
    }

    /// How a person reaches the row of that name: its key, or its name in the palette.
    pub fn way_to(&self, name: &str) -> String {
        let row = self.rows.iter().find(|row| row.binding.name == name);
        if let Some(chord) = row.and_then(|row| row.chords.first()) {
            return self.name(*chord);
        }
        let palette = self
            .rows
            .iter()
            .find(|row| row.binding.action == Action::Palette)
            .and_then(|row| row.chords.first())
            .map_or_else(String::new, |chord| self.name(*chord));
        format!("{palette} {name}")
    }

    /// Looks for keys that would mean two things, or fire while text is typed.
    fn check(&self) -> Result<(), KeyError> {
        for row in self.rows.iter().filter(|row| row.line.is_some()) {
            let line = row.line.unwrap_or_default();
            let name = row.binding.name;
            if row.binding.action == Action::QuitNow && row.chords.is_empty() {
                return Err(KeyError {
                    line,
                    message: format!("'{name}' needs a key: it always leads out"),
                });
            }
            if types(row.binding.context)
                && let Some(chord) = row.chords.iter().find(|chord| chord.is_text())
            {
                return Err(KeyError {
                    line,
                    message: format!(
                        "'{chord}' cannot be the key of '{name}': text is typed there; use ctrl-, alt- or a named key"
                    ),
                });
            }
            for other in self.rows.iter().filter(|other| {
                !std::ptr::eq(other.binding, row.binding) && meet(row.binding, other.binding)
            }) {
                if let Some(chord) = row.chords.iter().find(|chord| other.chords.contains(chord))
                    && !is_default_pair(row.binding, other.binding, *chord)
                {
                    return Err(conflict(line, row, other, *chord));
                }
            }
        }
        Ok(())
    }
}

fn conflict(line: usize, row: &Row, other: &Row, chord: Chord) -> KeyError {
    let (line, where_from) = match other.line {
        // Reported at the later line, whichever of the two that is.
        Some(theirs) if theirs > line => (theirs, format!("line {line}")),
        Some(theirs) => (line, format!("line {theirs}")),
        None => (line, "its default".to_owned()),
    };
    let (first, second) = if Some(line) == row.line {
        (row, other)
    } else {
        (other, row)
    };
    let advice = if other.line.is_none() {
        format!("; give '{}' another key too", other.binding.name)
    } else {
        String::new()
    };
    KeyError {
        line,
        message: format!(
            "'{chord}' of '{}' is already the key of '{}' ({where_from}){advice}",
            first.binding.name, second.binding.name
        ),
    }
}

/// How keys are spelt, for messages.
const KEYS: &str = "a character, enter, esc, tab, shift-tab, space, backspace, delete, up, down, \
    left, right, home, end, pgup, pgdn or f1 to f12, with ctrl- or alt- in front if wanted";

/// Whether text is typed in a context: none of its own keys is a letter or a digit there.
fn types(context: Context) -> bool {
    !matches!(context, Context::Movement | Context::Global)
        && !BINDINGS
            .iter()
            .filter(|row| row.context == context)
            .any(|row| defaults(row).iter().any(|chord| chord.is_text()))
}

/// Whether two rows can be asked for the same key press.
fn meet(one: &Binding, other: &Binding) -> bool {
    let shared = |context| matches!(context, Context::Movement | Context::Global);
    let behind =
        |front: Context, back: Context| back == Context::Always || shared(back) && !types(front);
    one.context == other.context
        || behind(one.context, other.context)
        || behind(other.context, one.context)
}

/// Whether the table itself gives both rows the key: the one in front is meant.
fn is_default_pair(one: &Binding, other: &Binding, chord: Chord) -> bool {
    defaults(one).contains(&chord) && defaults(other).contains(&chord)
}

/// That there is no such name, and which are near.
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
    near.sort_by(|one, other| other.0.total_cmp(&one.0));
    near.dedup_by_key(|(_, name)| *name);
    let near: Vec<_> = near
        .iter()
        .take(3)
        .map(|(_, name)| format!("'{name}'"))
        .collect();
    if near.is_empty() {
        format!("there is no action '{name}'; the help screen (?) names them all")
    } else {
        format!(
            "there is no action '{name}'; did you mean {}?",
            near.join(" or ")
        )
    }
}
