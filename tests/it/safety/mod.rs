//! What must never happen to money, machines and keys, each with a positive control: the same check
//! finds the fault where it is put in on purpose.

mod deadlines;
#[cfg(unix)]
mod kills;
mod pacing;
mod timers;
mod unsettled;
mod virtual_time;
