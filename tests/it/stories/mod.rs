//! The dashboard, view by view and key by key.

mod columns;
mod compare;
mod funnel;
mod job;
mod market;
mod plot;
mod quit;
mod requests;
mod route_lab;
mod saved;
mod term;
