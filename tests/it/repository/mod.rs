//! What holds for the repository as such.

mod architecture;
mod docs;
mod exhaustive;
#[cfg(unix)]
mod recording;
#[cfg(unix)]
mod screenshots;

mod supply;
mod tokens;
mod words;
