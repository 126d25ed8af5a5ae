//! The arguments of a command: fields of a row in place of their names, if they are safe to pass on.

use crate::cli::table;
use crate::core::State;
use crate::domain::{CellRef, Field, Listing};
use crate::keys::commands::{ArgumentError, Piece, UserCommand, pieces};

/// The longest value, in bytes: no id, name or place is longer.
const LONGEST: usize = 200;

/// Characters beside letters and digits that mean nothing to any shell.
const HARMLESS: &str = " _-.,:/+%@";

/// A row that a command is not run on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum RowError {
    #[error("no row is selected")]
    NoRow,
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    #[error("the market sent no {0} for this row")]
    Missing(&'static str),
    /// A stranger wrote it, and a shell or the program may act on it.
    #[error("{0} of this row has characters that a command may act on")]
    Hostile(&'static str),
}

/// The words of a command, and what goes into its environment.
pub(super) type Prepared = (Vec<String>, Vec<(&'static str, String)>);

/// The command for the selected row, without a shell.
///
/// # Errors
/// When there is no row, or a value of it is missing or not safe.
pub(super) fn of_selected(state: &State, command: &UserCommand) -> Result<Prepared, RowError> {
    let browser = state.browser().ok_or(RowError::NoRow)?;
    let (listing, row) = browser.listing().zip(browser.selected_row()).ok_or(RowError::NoRow)?;
    let words = command.run.iter().map(|argument| fill(argument, command, listing, row));
    let words = words.collect::<Result<Vec<_>, _>>()?;
    let number = u32::try_from(row).map_err(|_| RowError::NoRow)?;
    Ok((words, table::variables(listing, number, 1)))
}

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

/// The value of a field as an argument: a number as such, a text only if it is harmless.
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
    let text = listing.text(row, field).ok_or(RowError::Missing(field.key))?;
    let text = text.compared();
    if text.is_empty() {
        return Err(RowError::Missing(field.key));
    }
    let is_harmless = |character: char| character.is_alphanumeric() || HARMLESS.contains(character);
    if text.len() > LONGEST || !text.chars().all(is_harmless) {
        return Err(RowError::Hostile(field.key));
    }
    Ok(text.to_owned())
}
