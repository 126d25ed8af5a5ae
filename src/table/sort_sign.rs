//! The sign of a sort direction.

use crate::domain::Direction;

/// The sign of a direction.
pub const fn arrow(direction: Direction) -> &'static str {
    direction.arrow()
}
