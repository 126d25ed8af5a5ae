//! The cost of a job on each offer.

pub(crate) mod bill;
pub(crate) mod view;
