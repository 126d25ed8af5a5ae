//! The dashboard, view by view and key by key.

mod requests;
