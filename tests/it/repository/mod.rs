//! What holds for the repository as such.

mod architecture;
mod docs;
#[cfg(unix)]
mod recording;
#[cfg(unix)]
mod screenshots;
mod supply;
mod words;
