//! The dashboard, view by view and key by key.

mod requests;
mod route_lab;
