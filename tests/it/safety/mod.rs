//! What must never happen to money, machines and keys, each with a positive control: the same check
//! finds the fault where it is put in on purpose. What the client alone must hold is tested in `crates/client`.

mod core;
mod creates;
mod kills;
mod searches;
mod timers;
mod unlists;
mod unsettled;
mod watch_saved;
mod writes;
