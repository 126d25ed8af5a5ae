//! The fields of an alert's form, and those that each trigger needs.

use crate::record::{PricePer, RuleError, Trigger};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AlertField {
    Follows,
    Trigger,
    Price,
    Per,
    Gpus,
    Machine,
    Percent,
    Hours,
    Workers,
    Repeat,
    Until,
    Name,
    Add,
}

/// The triggers, in the order of the selector.
pub(super) const TRIGGERS: [&str; 6] = [
    "price below",
    "GPUs at least",
    "machine back",
    "price down",
    "GPUs fewer than",
    "workers below",
];
pub(super) const GPUS: usize = 1;
pub(super) const DOWN: usize = 3;
pub(super) const FEWER: usize = 4;
pub(super) const WORKERS: usize = 5;

/// The units of a price, in the order of [`PRICES`].
pub(super) const PER: [&str; 2] = ["GPU", "machine"];
pub(super) const PRICES: [PricePer; 2] = [PricePer::Gpu, PricePer::Machine];

pub(super) const REPEATS: [&str; 3] = ["once", "every time", "until a date"];
pub(super) const UNTIL: usize = 2;

/// The fields that an alert's trigger needs; `trigger` is its index in the selector, from 0.
pub(super) const fn trigger_fields(trigger: usize) -> &'static [AlertField] {
    match trigger {
        0 => &[AlertField::Price, AlertField::Per],
        1 => &[AlertField::Gpus, AlertField::Price, AlertField::Per],
        2 => &[AlertField::Machine],
        3 => &[AlertField::Percent, AlertField::Hours],
        4 => &[AlertField::Gpus],
        _ => &[AlertField::Workers],
    }
}

/// The field of an alert's form in which the error of an invalid rule is shown.
pub(super) const fn field_of(error: RuleError) -> AlertField {
    match error {
        RuleError::Price => AlertField::Price,
        RuleError::Count => AlertField::Gpus,
        RuleError::Percent => AlertField::Percent,
        RuleError::Hours => AlertField::Hours,
    }
}

/// The index of an alert's trigger in its selector, from 0, and the texts of its fields, as plain numbers.
pub(super) fn trigger_texts(trigger: Trigger) -> (usize, Vec<(AlertField, String)>) {
    match trigger {
        Trigger::PriceBelow(price) => (0, vec![(AlertField::Price, price.to_string())]),
        Trigger::GpusAtLeast { gpus, below } => {
            let price = below.map_or_else(String::new, |below| below.to_string());
            (
                1,
                vec![(AlertField::Gpus, gpus.to_string()), (AlertField::Price, price)],
            )
        }
        Trigger::MachineBack(machine) => (2, vec![(AlertField::Machine, machine.to_string())]),
        Trigger::PriceDown { percent, hours } => (
            3,
            vec![
                (AlertField::Percent, percent.to_string()),
                (AlertField::Hours, hours.to_string()),
            ],
        ),
        Trigger::GpusBelow(gpus) => (4, vec![(AlertField::Gpus, gpus.to_string())]),
        Trigger::WorkersBelow(workers) => (WORKERS, vec![(AlertField::Workers, workers.to_string())]),
    }
}
