//! All offers of a search, however many: one that a market cuts is searched part by part.

pub mod command;
pub mod report;
pub mod rules;
