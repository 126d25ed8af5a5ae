//! Workergroups: every member of the record (specification, "Workergroup") and the members that the
//! public service adds. They are filtered and sorted locally: the listing takes no parameters.

use crate::domain::field::{Field, Kind, Section, Source, Unit};

#[rustfmt::skip] // a table reads as a table
pub static FIELDS: &[Field] = &[
    Field::id("id", "ID").also(&["group"]).section(Section::Identity).column(1, 8, 1)
        .doc("Id of the workergroup."),
    Field::text("endpoint_name", "Endpoint").also(&["endpoint"]).section(Section::Identity)
        .column(0, 20, 1)
        .doc("Name of the endpoint whose requests the group serves."),
    Field::id("endpoint_id", "Endpoint id").section(Section::Identity).width(12)
        .doc("Id of the endpoint."),
    Field::id("user_id", "User").section(Section::Identity)
        .doc("Id of the account that owns the group."),
    Field::new("api_key", "API key", Kind::Secret).section(Section::Identity)
        .doc("The group's API key. Shown only on request, never logged or exported."),
    Field::new("created_at", "Created", Kind::Timestamp).section(Section::Identity)
        .column(9, 24, 30)
        .doc("Creation time; a date in a query is a day in UTC."),
    Field::number("age", "Age", Unit::Seconds).section(Section::Identity)
        .filter_only(Source::Since("created_at"))
        .doc("Time since the group was created, as of the last refresh."),
    Field::text("template_hash", "Template hash").section(Section::Software).width(16)
        .doc("Hash of the template that workers start from."),
    Field::id("template_id", "Template").section(Section::Software)
        .column(7, 10, 60)
        .doc("Id of the template that workers start from."),
    Field::text("search_query", "Search").also(&["search", "search_params"])
        .source(Source::Search("search_query"))
        .section(Section::Scaling).column(8, 40, 5)
        .doc("Search that recruits machines for workers."),
    Field::text("launch_args", "Launch args").section(Section::Software).width(24)
        .doc("Extra arguments for launching workers."),
    Field::number("gpu_ram", "VRAM", Unit::Gigabytes).also(&["vram"]).section(Section::Scaling)
        .column(2, 7, 20)
        .doc("Minimum GPU memory of a worker, in GB here (machine offers use MB)."),
    Field::number("min_load", "Min load", Unit::None).section(Section::Scaling)
        .column(3, 8, 40)
        .doc("Minimum load to keep capacity for. The public service ignores it on groups."),
    Field::number("target_util", "Target", Unit::Ratio).section(Section::Scaling)
        .column(4, 7, 41)
        .doc("Target utilization: capacity is load / target. The public service ignores it on groups."),
    Field::number("cold_mult", "Reserve x", Unit::None).section(Section::Scaling)
        .column(5, 6, 42)
        .doc("Capacity with stopped (cold) workers, as a multiple of the active capacity. The public service ignores it on groups."),
    Field::integer("test_workers", "Test").section(Section::Scaling).column(6, 5, 43)
        .doc("Workers started to measure performance. The public service ignores it on groups."),
    Field::integer("cold_workers", "Cold workers").section(Section::Scaling).undocumented()
        .width(12)
        .doc("Minimum number of workers, including stopped ones; not in the documented listing."),
    Field::integer("max_workers", "Max workers").section(Section::Scaling).undocumented()
        .width(12)
        .doc("Maximum number of workers; not in the documented listing."),
];
