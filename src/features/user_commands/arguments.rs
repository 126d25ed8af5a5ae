//! The arguments of a user's command, in which values of the row replace field names if they are
//! safe to pass on.

use crate::cli::table;
use crate::core::State;
use crate::domain::{CellRef, Field, Listing};
use crate::keys::commands::{ArgumentError, Piece, UserCommand, pieces};

/// Maximum length of a value, in bytes; ids, names and places are shorter.
const LONGEST: usize = 200;

/// Characters other than letters and digits that are safe in every shell.
const HARMLESS: &str = " _-.,:/+%@";

/// The reason a command does not run on a row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum RowError {
    #[error("no row is selected")]
    NoRow,
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    #[error("the market sent no {0} for this row")]
    Missing(&'static str),
    /// The market wrote the value, and a shell or the program might act on it.
    #[error("{0} of this row has characters that a command may act on")]
    Hostile(&'static str),
}

/// The words of a command, and its environment variables.
pub(super) type Prepared = (Vec<String>, Vec<(&'static str, String)>);

/// The words of a user's command filled with values of the selected row, and its environment variables.
///
/// # Errors
///
/// When no row is selected, a field's name is unknown, or a value is missing or not safe.
pub(super) fn of_selected(state: &State, command: &UserCommand) -> Result<Prepared, RowError> {
    let browser = state.browser().ok_or(RowError::NoRow)?;
    let (listing, row) = browser.listing().zip(browser.selected_row()).ok_or(RowError::NoRow)?;
    let filled = command.run.iter().map(|argument| fill(argument, command, listing, row));
    let words = filled.collect::<Result<Vec<_>, _>>()?;
    let number = u32::try_from(row).map_err(|_| RowError::NoRow)?;
    Ok((words, table::variables(listing, number, 1)))
}

/// An argument of a user's command with the values of the row in place of field names; an error if a name is
/// unknown, or a value is missing or not safe to pass on (such as a leading `-`).
fn fill(argument: &str, command: &UserCommand, listing: &Listing, row: usize) -> Result<String, RowError> {
    let mut filled = String::new();
    for piece in pieces(argument, command.on)? {
        match piece {
            Piece::Text(text) => filled.push_str(text),
            Piece::Field(field) => {
                let value = value(listing, row, field)?;
                // At the start of an argument it would be an option of the program.
                if filled.is_empty() && value.starts_with('-') && value.parse::<f64>().is_err() {
                    return Err(RowError::Hostile(field.key));
                }
                filled.push_str(&value);
            }
        }
    }
    Ok(filled)
}

/// The value of a field as an argument: any number or boolean, but a text only of letters, digits and
/// harmless signs, up to 200 bytes. Otherwise an error.
fn value(listing: &Listing, row: usize, field: &'static Field) -> Result<String, RowError> {
    let cell = listing.cell(row, field);
    if let Some(whole) = cell.whole() {
        return Ok(whole.to_string());
    }
    if let CellRef::Flag(flag) = cell {
        return Ok(flag.to_string());
    }
    if let Some(number) = cell.number() {
        return Ok(number.to_string());
    }
    let value = listing.text(row, field).ok_or(RowError::Missing(field.key))?;
    let text = value.unescaped();
    if text.is_empty() {
        return Err(RowError::Missing(field.key));
    }
    let is_harmless = |character: char| character.is_alphanumeric() || HARMLESS.contains(character);
    if text.len() > LONGEST || !text.chars().all(is_harmless) {
        return Err(RowError::Hostile(field.key));
    }
    Ok(text.to_owned())
}
