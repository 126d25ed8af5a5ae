//! Columns computed from other columns. Of machine offers: prices per unit, the three price models side by side, the
//! cost of a job, and the Pareto front. Of network volumes: the price of a size and term. Of workergroups: the results
//! of their searches.
//!
//! Their keys look like wire names, so that they can be typed, saved and exported, but no record carries them and they
//! are never sent to a server: orders and conditions on them apply to the loaded rows.

use crate::field::{Field, Section, Unit};

#[rustfmt::skip] // a table reads as a table
pub static OFFERS: &[Field] = &[
    // The cost of a job
    Field::number("job_cost", "Job $", Unit::Dollars).also(&["job"]).computed().section(Section::Price).width(9)
        .priority(3).places(2).less_is_better()
        .doc("Total cost of the job: GPUs while data arrive and while it runs, storage running and stopped, traffic \
            both ways; ! if the offer ends too early, its disk is too small, or it does not report them."),
    Field::number("job_time", "Job time", Unit::Seconds).computed().section(Section::Price).width(8).priority(35)
        .less_is_better()
        .doc("Running time of the job on this offer, its download included; work finishes sooner on faster offers."),
    Field::number("job_slack", "Slack", Unit::Seconds).computed().section(Section::Availability).width(7).priority(13)
        .more_is_better()
        .doc("Time between the end of the job and its deadline if it starts now; negative if it is done too late."),
    Field::number("job_spare", "Left after job", Unit::Seconds).computed().section(Section::Availability).width(7)
        .priority(12).more_is_better()
        .doc("Time left after the job if it starts now; negative if the offer ends first."),
    // Three prices
    Field::hourly("price_on_demand", "Demand $/h").computed().section(Section::Price).width(10).priority(7).places(4)
        .less_is_better().doc("On-demand price per hour."),
    Field::hourly("price_bid", "Bid $/h").computed().section(Section::Price).width(8).priority(5).places(4)
        .less_is_better().doc("Price per hour at the lowest bid, storage included."),
    Field::number("saving_bid", "Saves %", Unit::Ratio).computed().section(Section::Price).width(7).priority(6)
        .more_is_better().doc("What the lowest bid saves of the on-demand price; negative if it costs more."),
    Field::hourly("price_reserved", "Res. $/h").computed().section(Section::Price).width(8).priority(5).places(4)
        .less_is_better().doc("Reserved price per hour."),
    Field::number("saving_reserved", "Res. saves %", Unit::Ratio).computed().section(Section::Price).width(12).priority(6)
        .more_is_better().doc("What reserving saves of the on-demand price."),
    // Per unit
    Field::hourly("dph_per_gpu", "$/h per GPU").computed().section(Section::Price).width(11).priority(45).places(4)
        .less_is_better().doc("Price per hour divided by the number of GPUs."),
    Field::hourly("dph_per_vram_gb", "$/h per GB").computed().section(Section::Price).width(10).priority(46).places(5)
        .less_is_better().doc("Price per hour per GB (1000 MB) of total GPU memory."),
    Field::number("dlperf_per_gpu", "DLP per GPU", Unit::Dlperf).computed().section(Section::Gpu).width(11)
        .priority(47).places(1).more_is_better().doc("Deep learning performance per GPU."),
    // Units of the work
    Field::number("dollars_per_mtoken", "$/Mtoken", Unit::Dollars).computed().section(Section::Price).width(9)
        .priority(4).places(3).less_is_better()
        .doc("Cost of a million tokens, by your [throughput] of its GPU model in tokens/s."),
    Field::number("dollars_per_kimage", "$/1k images", Unit::Dollars).computed().section(Section::Price).width(11)
        .priority(4).places(3).less_is_better()
        .doc("Cost of a thousand images, by your [throughput] of its GPU model in images/s."),
    Field::number("dollars_per_kstep", "$/1k steps", Unit::Dollars).computed().section(Section::Price).width(10)
        .priority(4).places(3).less_is_better()
        .doc("Cost of a thousand steps, by your [throughput] of its GPU model in steps/s."),
    Field::integer("on_front", "Best value").computed().section(Section::Price).width(10).priority(48).yes_no()
        .more_is_better()
        .doc("Whether it is on the price/performance front: no loaded offer is both cheaper and faster, per GPU or for \
            your work; for a job of fixed length, the lowest bill."),
    Field::integer("starred", "Starred").also(&["star"]).computed().section(Section::Identity).width(7).priority(49)
        .yes_no().more_is_better().doc("Whether you starred its machine or host."),
];

#[rustfmt::skip] // a table reads as a table
pub static VOLUMES: &[Field] = &[
    Field::hourly("volume_hourly", "Vol. $/h").computed().section(Section::Price).width(9).priority(31).places(6)
        .less_is_better().doc("Price per hour for your size: $/GB/month x GB / 720 h."),
    Field::number("volume_monthly", "Vol. $/mo", Unit::Dollars).computed().section(Section::Price).width(9).priority(4)
        .places(2).less_is_better().doc("Price per month (720 h) for your size."),
    Field::number("volume_term", "Term $", Unit::Dollars).computed().section(Section::Price).width(9).priority(3)
        .places(2).less_is_better().doc("Price for your size over the full term."),
    Field::number("volume_spare", "Left after term", Unit::Seconds).computed().section(Section::Availability).width(7)
        .priority(12).more_is_better()
        .doc("Time left after your term if it starts now; negative if the offer ends first."),
    Field::integer("starred", "Starred").also(&["star"]).computed().section(Section::Identity).width(7).priority(49)
        .yes_no().more_is_better().doc("Whether you starred its host."),
];

#[rustfmt::skip] // a table reads as a table
pub static WORKERGROUPS: &[Field] = &[
    Field::integer("supply_gpus", "GPUs").computed().section(Section::Scaling).width(7).priority(4).more_is_better()
        .doc("GPUs that its search finds now, once supply is checked; blank if the result was truncated."),
    Field::hourly("supply_price", "From $/h").computed().section(Section::Scaling).width(9).priority(5).places(4)
        .less_is_better().doc("Lowest price of one worker per hour, once supply is checked."),
    Field::integer("sent_max", "Max sent").computed().section(Section::Scaling).width(8).priority(6)
        .doc("Maximum number of workers as created here; the market may not return it."),
    Field::integer("sent_cold", "Cold sent").computed().section(Section::Scaling).width(9).priority(7)
        .doc("Cold workers as created here; the market may not return them."),
    Field::integer("sent_test", "Test sent").computed().section(Section::Scaling).width(9).priority(8)
        .doc("Test workers as created here."),
];
