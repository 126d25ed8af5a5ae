//! Maps key presses to actions, and actions to the keys displayed for them.

use crossterm::event::KeyEvent;

use crate::chord::Chord;

/// A row of a program's table of key bindings: the keys of an action in a context.
///
/// The program provides the table, with contexts and actions of its own: see the example of the crate.
pub trait KeyRow: Sized + 'static {
    /// The context in which a key is looked up, such as a list or a form.
    type Context: Copy + PartialEq;
    /// The effect of a key, such as the program's actions.
    type Action: Copy + PartialEq;

    /// The whole table. Of two rows with the same key in the same context, the first one is used.
    fn table() -> &'static [Self];

    /// The action that opens the command palette: the list of all commands by name, including those without a key.
    fn palette() -> Self::Action;

    /// The context of the row.
    fn context(&self) -> Self::Context;

    /// The action of the row.
    fn action(&self) -> Self::Action;

    /// The name of the action in the command palette.
    fn name(&self) -> &'static str;

    /// The keys of the row in the spelling of [`Chord::parse`], the displayed one first.
    fn default_keys(&self) -> &'static [&'static str];
}

/// The default keys of a row, parsed; a key that cannot be parsed is left out.
pub fn default_chords<R: KeyRow>(row: &R) -> Vec<Chord> {
    row.default_keys().iter().filter_map(|key| Chord::parse(key)).collect()
}

/// The rows of a table with their current keys.
#[derive(Debug, Clone)]
pub struct Keymap<R: KeyRow> {
    rows: Vec<BoundRow<R>>,
    /// Keys of actions that are in no row, such as custom commands.
    own: Vec<(R::Context, Chord, R::Action)>,
    /// Whether arrow keys are written out (`left`): an ASCII arrow would look like the key `<` or `>`.
    in_words: bool,
}

/// A row with its current keys.
#[derive(Debug, Clone)]
struct BoundRow<R: KeyRow> {
    row: &'static R,
    chords: Vec<Chord>,
}

impl<R: KeyRow> Default for Keymap<R> {
    /// The table with its default keys.
    fn default() -> Self {
        let rows = R::table().iter().map(|row| BoundRow {
            row,
            chords: default_chords(row),
        });
        Self {
            rows: rows.collect(),
            own: Vec::new(),
            in_words: false,
        }
    }
}

impl<R: KeyRow> Keymap<R> {
    /// The action of a key press; `None` if it has none. The contexts are searched in order, the most specific one
    /// first.
    pub fn resolve(&self, contexts: &[R::Context], key: KeyEvent) -> Option<R::Action> {
        let pressed = Chord::from_key(key);
        contexts.iter().find_map(|context| {
            self.rows
                .iter()
                .find(|bound| bound.row.context() == *context && bound.chords.contains(&pressed))
                .map(|bound| bound.row.action())
                .or_else(|| {
                    let mut own = self.own.iter();
                    own.find(|(bound_in, chord, _)| bound_in == context && *chord == pressed)
                        .map(|(.., action)| *action)
                })
        })
    }

    /// Binds a key to an action that is in no row; the rows of the context take precedence.
    pub fn bind_own(&mut self, context: R::Context, chord: Chord, action: R::Action) {
        self.own.push((context, chord, action));
    }

    /// The displayed key of an action that is in no row; `None` if it has none.
    pub fn own_key(&self, action: R::Action) -> Option<String> {
        let (_, chord, _) = self.own.iter().find(|(.., own)| *own == action)?;
        Some(self.shown(*chord))
    }

    /// The first of the contexts in which a row of the table, with any action, has the displayed key of
    /// `row`; `None` if that has no key, or none of the contexts has it.
    pub fn owner_of(&self, contexts: &[R::Context], row: &R) -> Option<R::Context> {
        let shown = self.chords(row).first()?;
        let takes = |context: &&R::Context| {
            self.rows
                .iter()
                .any(|bound| bound.row.context() == **context && bound.chords.contains(shown))
        };
        contexts.iter().find(takes).copied()
    }

    /// The keymap with arrow keys written out if `in_words` is set: for terminals that draw only ASCII.
    #[must_use]
    pub const fn in_words(mut self, in_words: bool) -> Self {
        self.in_words = in_words;
        self
    }

    /// Replaces the keys of a row of the table; without keys, the action is only in the command palette. No
    /// effect if the row is not in the table.
    ///
    /// It is not checked whether another row has one of them already.
    pub fn rebind(&mut self, row: &R, chords: Vec<Chord>) {
        if let Some(bound) = self.rows.iter_mut().find(|bound| std::ptr::eq(bound.row, row)) {
            bound.chords = chords;
        }
    }

    /// The displayed name of a key, such as `Ctrl-d` or `↑`; arrows are words if the keymap was set to that.
    pub fn shown(&self, chord: Chord) -> String {
        let name = chord.to_string();
        if !self.in_words {
            return name;
        }
        [("↑", "Up"), ("↓", "Down"), ("←", "Left"), ("→", "Right")]
            .into_iter()
            .fold(name, |name, (arrow, word)| name.replace(arrow, word))
    }

    /// The current keys of a row, the displayed one first; empty if it has none or is not in the table.
    pub fn chords(&self, row: &R) -> &[Chord] {
        self.rows
            .iter()
            .find(|bound| std::ptr::eq(bound.row, row))
            .map_or(&[], |bound| &bound.chords)
    }

    /// The displayed key of a row; empty if it has none.
    pub fn shown_key(&self, row: &R) -> String {
        self.chords(row)
            .first()
            .map_or_else(String::new, |chord| self.shown(*chord))
    }

    /// All keys of a row, for a help screen: `↓ j`; empty if it has none.
    pub fn all_keys(&self, row: &R) -> String {
        let keys: Vec<_> = self.chords(row).iter().map(|chord| self.shown(*chord)).collect();
        keys.join(" ")
    }

    /// The displayed key of an action; without a key, that of the command palette and the action's name
    /// there.
    pub fn key_of(&self, action: R::Action) -> String {
        if let Some(key) = self.own_key(action) {
            return key;
        }
        let rows = || self.rows.iter().filter(|bound| bound.row.action() == action);
        if let Some(chord) = rows().find_map(|bound| bound.chords.first()) {
            return self.shown(*chord);
        }
        self.in_palette(rows().next().map_or("", |bound| bound.row.name()))
    }

    /// The keys to press for an action without a key, as text: the key of the command palette, then the
    /// `name` to type.
    fn in_palette(&self, name: &str) -> String {
        let mut rows = self.rows.iter();
        let bound = rows.find(|bound| bound.row.action() == R::palette());
        let palette = bound.map_or_else(String::new, |bound| self.shown_key(bound.row));
        format!("{palette} {name}")
    }

    /// The displayed key of an action in the first of these contexts that binds it; if none does, as from
    /// `key_of`.
    pub fn key_in(&self, contexts: &[R::Context], action: R::Action) -> String {
        let bound = contexts.iter().find_map(|context| {
            self.rows.iter().find(|bound| {
                bound.row.context() == *context && bound.row.action() == action && !bound.chords.is_empty()
            })
        });
        bound.map_or_else(|| self.key_of(action), |bound| self.shown_key(bound.row))
    }

    /// The displayed key of the row with this command name; without a key, the key of the command palette and
    /// the name.
    pub fn key_hint(&self, name: &str) -> String {
        let bound = self.rows.iter().find(|bound| bound.row.name() == name);
        if let Some(chord) = bound.and_then(|bound| bound.chords.first()) {
            return self.shown(*chord);
        }
        self.in_palette(name)
    }
}
