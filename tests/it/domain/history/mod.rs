//! The market's memory: what polls say, the spells and events that follow, and what is computed from
//! them.

mod alert;
mod bids;
mod index;
mod polls;
mod record;
mod script;
mod series;
mod spells;
mod survival;
mod verdict;
