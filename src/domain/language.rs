//! Text to query and back.
