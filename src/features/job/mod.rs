//! What a job costs on each offer.

pub(crate) mod bill;
pub(crate) mod view;
