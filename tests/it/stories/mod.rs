//! Stories press keys and read the screen, a file for each view.

mod columns;
mod compare;
mod funnel;
mod job;
mod market;
mod plot;
mod quit;
mod saved;
mod term;
