//! Columns that are worked out here. Of machine offers: prices per unit, the three price models side
//! by side, the cost of a job, and the Pareto front. Of network volumes: the price of a size and term.
//!
//! Their keys are names like those on the wire, so that they can be typed, kept and exported, but no
//! record carries them and no server is asked about them: orders and conditions on them are applied
//! to the rows that arrived.

use crate::domain::field::{Field, Section, Unit};

/// Of machine offers.
#[rustfmt::skip] // a table reads as a table
pub static OFFERS: &[Field] = &[
    // The cost of a job
    Field::number("job_cost", "Job $", Unit::Dollars).computed().section(Section::Price)
        .width(9).priority(3).places(2).less_is_better()
        .doc("Cost of the whole job in $: GPUs, storage running and stopped, traffic both ways; ! where the offer ends before the job is done or lacks the disk."),
    Field::number("job_time", "Job time", Unit::Seconds).computed().section(Section::Price)
        .width(8).priority(35).less_is_better()
        .doc("How long the job runs on the offer; with work in DLPerf-hours, faster ones finish sooner."),
    Field::number("job_spare", "Spare", Unit::Seconds).computed().section(Section::Availability)
        .width(7).priority(12).more_is_better()
        .doc("Time between the end of the job and the end of the offer, begun when the answer came; below zero the offer ends first."),
    // Three prices
    Field::number("price_on_demand", "Demand $/h", Unit::DollarsPerHour).computed()
        .section(Section::Price).width(10).priority(7).places(4).less_is_better()
        .doc("Price per hour on demand, from an on-demand search of its own."),
    Field::number("price_bid", "Bid $/h", Unit::DollarsPerHour).computed()
        .section(Section::Price).width(8).priority(5).places(4).less_is_better()
        .doc("Price per hour at the lowest bid, storage included, from a bid search of its own."),
    Field::number("saving_bid", "Bid -%", Unit::Ratio).computed()
        .section(Section::Price).width(7).priority(6).more_is_better()
        .doc("Share of the on-demand price that the lowest bid saves; below zero it costs more."),
    Field::number("price_reserved", "Reserv. $/h", Unit::DollarsPerHour).computed()
        .section(Section::Price).width(11).priority(5).places(4).less_is_better()
        .doc("Price per hour reserved, from a reserved search of its own."),
    Field::number("saving_reserved", "Res. -%", Unit::Ratio).computed()
        .section(Section::Price).width(7).priority(6).more_is_better()
        .doc("Share of the on-demand price that reserving saves."),
    // Per unit
    Field::number("dph_per_gpu", "$/h per GPU", Unit::DollarsPerHour).computed()
        .section(Section::Price).width(11).priority(45).places(4).less_is_better()
        .doc("Price per hour over the number of GPUs."),
    Field::number("dph_per_vram_gb", "$/h per GB", Unit::DollarsPerHour).computed()
        .section(Section::Price).width(10).priority(46).places(5).less_is_better()
        .doc("Price per hour over the GB (1000 MB) of all GPUs' memory."),
    Field::number("dlperf_per_gpu", "DLP per GPU", Unit::Dlperf).computed()
        .section(Section::Gpu).width(11).priority(47).places(1).more_is_better()
        .doc("Deep learning performance over the number of GPUs."),
    Field::integer("on_front", "Front").computed().section(Section::Price).width(5).priority(48)
        .yes_no().more_is_better()
        .doc("Whether no loaded offer is both cheaper and faster: per GPU, or for the job where there is one."),
];

/// Of network volumes.
#[rustfmt::skip] // a table reads as a table
pub static VOLUMES: &[Field] = &[
    Field::number("volume_hourly", "Vol. $/h", Unit::DollarsPerHour).computed()
        .section(Section::Price).width(9).priority(31).places(6).less_is_better()
        .doc("Price per hour of the size that is wanted: $/GB/month x GB / 720 h."),
    Field::number("volume_monthly", "Vol. $/mo", Unit::Dollars).computed()
        .section(Section::Price).width(9).priority(4).places(2).less_is_better()
        .doc("Price of the size that is wanted per month of 720 hours."),
    Field::number("volume_term", "Term $", Unit::Dollars).computed()
        .section(Section::Price).width(9).priority(3).places(2).less_is_better()
        .doc("Price of the size that is wanted for the whole term."),
    Field::number("volume_spare", "Spare", Unit::Seconds).computed()
        .section(Section::Availability).width(7).priority(12).more_is_better()
        .doc("Time between the end of the term and the end of the offer, begun when the answer came; below zero the offer ends first."),
];
