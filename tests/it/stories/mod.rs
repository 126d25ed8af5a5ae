//! Stories press keys and read the screen, a file for each view.

mod columns;
mod quit;
mod saved;
