//! What must never happen to money, machines and keys, each with a positive control: the same check
//! finds the fault where it is put in on purpose.

mod bearer;
mod core;
mod creates;
mod deadlines;
mod kills;
mod outage;
mod pacing;
mod searches;
mod timers;
mod unlists;
mod unsettled;
pub mod virtual_time;
mod watch_saved;
mod writes;
