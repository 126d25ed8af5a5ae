//! The views, key by key.

mod market;
