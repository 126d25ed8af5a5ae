//! What holds for the repository as such.

mod architecture;
pub mod docs;
mod errors;
mod exhaustive;
pub mod guide;
mod recording;
mod screenshots;
mod supply;
mod tokens;
mod words;
