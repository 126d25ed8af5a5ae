//! Where lists scroll that are not views yet.

/// The first visible row: as before if the selection still is visible, else moved as little as
/// needed.
pub fn first_row(before: usize, cursor: usize, rows: usize, page: usize) -> usize {
    let page = page.max(1);
    let most = rows.saturating_sub(page);
    let low = (cursor + 1).saturating_sub(page);
    before.clamp(low, cursor.max(low)).min(most.max(low))
}
