//! The cost of a job on each offer.

pub(crate) mod bill;
pub(crate) mod view;

use crate::core::feature::{Event, Feature};
use crate::domain::Resource;

pub(crate) const FEATURE: Feature = Feature {
    event: |cx, event| {
        if matches!(event, Event::Listed(Resource::Offers, _)) {
            cx.load_for_deadline();
        }
    },
    ..Feature::IDLE
};
