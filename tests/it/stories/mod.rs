//! The dashboard, view by view and key by key.

mod columns;
mod compare;
mod filter;
mod focus;
mod funnel;
mod job;
mod keys;
mod market;
mod markets;
mod plot;
mod quit;
mod requests;
mod route_lab;
mod saved;
mod settings;
mod sizes;
mod term;
mod theme;
