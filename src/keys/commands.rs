//! The user's own commands on keys of the tables: `[commands.NAME]` of the configuration.

use super::user::KEYS;
use super::{Action, BINDINGS, Chord, Context, KeyError, Keymap};
use crate::domain::field::Kind;
use crate::domain::{Field, Resource};

/// A command of the user, on a key of the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserCommand {
    /// The key that runs it.
    pub chord: Chord,
    /// The program and its arguments, with fields of the row in braces: `{id}`.
    pub run: Vec<String>,
    /// The kind of row it runs on.
    pub on: Resource,
    /// Whether a question appears before it runs.
    pub confirm: bool,
}

/// A piece of an argument.
#[derive(Debug, Clone, Copy)]
pub enum Piece<'a> {
    Text(&'a str),
    /// The value of this field in the row.
    Field(&'static Field),
}

/// The reason an argument cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    #[error("'{0}' has an open brace: close it, or double a brace that is meant as such")]
    Open(String),
    #[error("{{{name}}} is no field of {nouns}; docs/fields.md lists them")]
    Unknown { name: String, nouns: &'static str },
    #[error("{{{0}}} is a secret, and arguments are visible to every program")]
    Secret(String),
}

/// Splits an argument of a user's command into text and fields of rows of the kind `on`, as in `{id}`. A
/// doubled brace is a single one. Pieces may be empty.
///
/// # Errors
///
/// When a brace is not closed or not opened, or it names no field, or a secret one.
pub fn pieces(argument: &str, on: Resource) -> Result<Vec<Piece<'_>>, ArgumentError> {
    let mut pieces = Vec::new();
    let mut rest = argument;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, behind) = rest.split_at(at);
        pieces.push(Piece::Text(before));
        if behind.starts_with("{{") || behind.starts_with("}}") {
            pieces.push(Piece::Text(&behind[..1]));
            rest = &behind[2..];
            continue;
        }
        let named = behind.strip_prefix('{').and_then(|named| named.split_once('}'));
        let (name, behind) = named.ok_or_else(|| ArgumentError::Open(argument.to_owned()))?;
        let field = on.catalog().named(name).ok_or_else(|| ArgumentError::Unknown {
            name: name.to_owned(),
            nouns: on.nouns(),
        })?;
        if field.kind == Kind::Secret {
            return Err(ArgumentError::Secret(name.to_owned()));
        }
        pieces.push(Piece::Field(field));
        rest = behind;
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

/// The reason a key cannot be that of a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChordError {
    #[error("'{0}' is no key: write {KEYS}")]
    Unknown(String),
    #[error("'{key}' cannot be a key: a terminal cannot tell it from {arriving}")]
    Ambiguous { key: String, arriving: &'static str },
}

/// Parses the key of a command.
///
/// # Errors
///
/// When the text is no key, or arrives from a terminal as another one.
pub fn command_chord(key: &str) -> Result<Chord, ChordError> {
    let chord = Chord::parse(key).ok_or_else(|| ChordError::Unknown(key.to_owned()))?;
    match chord.arrives_as() {
        None => Ok(chord),
        Some(arriving) => Err(ChordError::Ambiguous {
            key: key.to_owned(),
            arriving,
        }),
    }
}

/// The contexts in which the key of a command is looked up, or has another meaning.
const TABLES: [Context; 4] = [Context::Workergroups, Context::Table, Context::Global, Context::Always];

/// Binds the user's commands to their keys in tables; each one is given as name, line in the file, and
/// command.
///
/// A key that is taken is returned as an error; its command is only available in the palette.
pub fn bind_commands(keymap: &mut Keymap, commands: &[(&str, usize, &UserCommand)]) -> Vec<KeyError> {
    let mut errors = Vec::new();
    for (index, (name, line, command)) in commands.iter().enumerate() {
        let chord = command.chord;
        let is_taken = |row: &&super::Binding| TABLES.contains(&row.context) && keymap.chords(row).contains(&chord);
        let row = BINDINGS.iter().find(is_taken).map(|row| row.name);
        let earlier = commands[..index].iter().find(|(.., other)| other.chord == chord);
        let theirs = row.or(earlier.map(|(name, ..)| *name));
        match (theirs, u16::try_from(index)) {
            (Some(theirs), _) => errors.push(KeyError {
                name: (*name).to_owned(),
                line: *line,
                message: format!("'{chord}' of the command '{name}' is already the key of '{theirs}'"),
            }),
            (None, Ok(index)) => keymap.bind_own(Context::Table, chord, Action::Command(index)),
            (None, Err(_)) => {}
        }
    }
    errors
}
