//! What holds for the repository as such.

mod architecture;
pub mod docs;
mod exhaustive;
pub mod guide;
#[cfg(unix)]
mod recording;
#[cfg(unix)]
mod screenshots;
mod supply;
mod tokens;
mod words;
