//! The dashboard, view by view and key by key.

mod columns;
mod filter;
mod markets;
mod quit;
mod requests;
mod route_lab;
mod saved;
mod settings;
mod sizes;
mod theme;
