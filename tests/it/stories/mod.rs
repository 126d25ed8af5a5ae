//! The dashboard, view by view and key by key.

mod focus;
mod requests;
mod route_lab;
