//! What holds for the repository as such.

mod architecture;
pub mod docs;
mod errors;
mod exhaustive;
pub mod guide;
mod recording;
#[cfg(unix)]
mod release;
mod screens;
mod screenshots;
mod supply;
mod tokens;
mod words;
