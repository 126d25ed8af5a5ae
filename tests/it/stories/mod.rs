//! Stories press keys and read the screen, a file for each view.

mod columns;
mod filter;
mod markets;
mod quit;
mod saved;
mod settings;
mod sizes;
mod theme;
