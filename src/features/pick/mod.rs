//! From a need to one offer that is still there: the best of a search, after a second look.

pub mod arguments;
pub mod command;

/// The first of `candidates` that a second look still finds, with what it found; `None` if all are gone.
///
/// # Errors
/// Those of `look`.
pub async fn first_left<C, L, E>(
    candidates: impl IntoIterator<Item = C>,
    mut look: impl AsyncFnMut(&C) -> Result<Option<L>, E>,
) -> Result<Option<(C, L)>, E> {
    for candidate in candidates {
        if let Some(found) = look(&candidate).await? {
            return Ok(Some((candidate, found)));
        }
    }
    Ok(None)
}
