//! bourse
