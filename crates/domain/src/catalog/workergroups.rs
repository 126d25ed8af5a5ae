//! Workergroups: every member of the record (specification, "Workergroup") and the members that the
//! public service adds. They are filtered and sorted locally: the listing takes no parameters.

use super::{count, in_sections};
use crate::field::{Field, Kind, Section, Source, Unit};

#[rustfmt::skip] // a table reads as a table
const SECTIONS: &[(Section, &[Field])] = &[
    (Section::Identity, &[
        Field::id("id", "ID").also(&["group"]).column(1, 8, 1).doc("Id of the workergroup."),
        Field::text("endpoint_name", "Endpoint").also(&["endpoint"]).column(0, 20, 1)
            .doc("Name of the endpoint whose requests the group serves."),
        Field::id("endpoint_id", "Endpoint id").width(12).doc("Id of the endpoint."),
        Field::id("user_id", "User").doc("Id of the account that owns the group."),
        Field::new("api_key", "API key", Kind::Secret)
            .doc("The group's API key. Shown only on request, never logged or exported."),
        Field::new("created_at", "Created", Kind::Timestamp).column(9, 24, 30)
            .doc("Creation time; a date in a query is a day in UTC."),
        Field::number("age", "Age", Unit::Seconds).filter_only(Source::Since("created_at"))
            .doc("Time since the group was created, as of the last refresh."),
    ]),
    (Section::Software, &[
        Field::text("template_hash", "Template hash").width(16).doc("Hash of the template that workers start from."),
        Field::id("template_id", "Template").column(7, 10, 60).doc("Id of the template that workers start from."),
    ]),
    (Section::Scaling, &[
        Field::text("search_query", "Search").also(&["search", "search_params"]).source(Source::Search("search_query"))
            .column(8, 40, 5).doc("Search that recruits machines for workers."),
    ]),
    (Section::Software, &[
        Field::text("launch_args", "Launch args").width(24).doc("Extra arguments for launching workers."),
    ]),
    (Section::Scaling, &[
        Field::number("gpu_ram", "VRAM", Unit::Gigabytes).also(&["vram"]).column(2, 7, 20)
            .doc("Minimum GPU memory of a worker, in GB here (machine offers use MB)."),
        Field::number("min_load", "Min load", Unit::None).column(3, 8, 40)
            .doc("Minimum load to keep capacity for. The public service ignores it on groups."),
        Field::number("target_util", "Target", Unit::Ratio).column(4, 7, 41)
            .doc("Target utilization: capacity is load / target. The public service ignores it on groups."),
        Field::number("cold_mult", "Reserve x", Unit::None).column(5, 6, 42)
            .doc("Capacity with stopped (cold) workers, as a multiple of the active capacity. The public service \
                ignores it on groups."),
        Field::integer("test_workers", "Test").column(6, 5, 43)
            .doc("Workers started to measure performance. The public service ignores it on groups."),
        Field::integer("cold_workers", "Cold workers").undocumented().width(12)
            .doc("Minimum number of workers, including stopped ones; not in the documented listing."),
        Field::integer("max_workers", "Max workers").undocumented().width(12)
            .doc("Maximum number of workers; not in the documented listing."),
    ]),
];

pub static FIELDS: [Field; count(SECTIONS)] = in_sections(SECTIONS);
