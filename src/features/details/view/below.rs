//! The further parts of a preview below its card, where there is room.

use ratatui::text::Line;

use super::overview::{Block, job, labelled, launch_lines, prices, scaling_lines};
use crate::core::view::Scene;
use crate::core::views::request_preview::condition_lines;
use crate::domain::format::NONE;
use crate::domain::insight::has_no_value;
use crate::domain::{Listing, Resource, format};
use crate::features::workergroups::look::Look;
use crate::tui::panel::Size;

/// Further fields of an offer that the card leaves out, in the order of their use.
const OF_OFFERS: [&str; 20] = [
    "total_flops",
    "gpu_mem_bw",
    "bw_nvlink",
    "compute_cap",
    "gpu_max_power",
    "gpu_frac",
    "cpu_ghz",
    "cpu_arch",
    "mobo_name",
    "os_version",
    "vms_enabled",
    "nw_disk_avg_bw",
    "avail_vol_size",
    "avail_vol_dph",
    "score",
    "flops_per_dphtotal",
    "vram_costperhour",
    "bundle_id",
    "start_date",
    "end_date",
];

/// Further fields of a volume.
const OF_VOLUMES: [&str; 8] = [
    "storage_cost_total",
    "disk_bw",
    "score",
    "external",
    "ask_contract_id",
    "id",
    "start_date",
    "end_date",
];

/// The blocks shown below a record's card: prices, job and further fields of an offer, further fields of a
/// volume, or launch, scaling and conditions of a workergroup. A job that is not set, an offer's further
/// fields and the conditions are shown on a wide screen only. Blocks without lines are left out; empty before
/// a response.
pub(crate) fn below_card(resource: Resource, row: usize, scene: &Scene<'_, '_>) -> Vec<Block> {
    let browser = &scene.state.browsers[resource];
    let Some(listing) = browser.listing() else {
        return Vec::new();
    };
    // A person decides by the card and the prices: the details have all other fields.
    let has_room = scene.size == Size::Wide;
    let has_job = browser.computed.job.is_some();
    let parts = match resource {
        Resource::Offers => vec![
            ("Prices", prices(None, browser, listing, row, scene)),
            (
                "Job",
                lines_if(has_job || has_room, || job(browser, listing, row, scene)),
            ),
            ("More", lines_if(has_room, || fields(&OF_OFFERS, listing, row, scene))),
        ],
        // The card shows the cost of the term.
        Resource::Volumes => vec![("More", fields(&OF_VOLUMES, listing, row, scene))],
        Resource::Workergroups => vec![
            ("Launch", launch_lines(listing, row, scene)),
            ("Scaling", scaling_lines(listing, row, scene)),
            ("Conditions", lines_if(has_room, || search_condition_lines(row, scene))),
        ],
    };
    parts
        .into_iter()
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(title, lines)| Block::titled(title.to_owned(), lines, scene.theme))
        .collect()
}

/// Each condition of a workergroup's search with the name of its field; empty if the search cannot be
/// read.
pub(super) fn search_condition_lines(row: usize, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let browser = &scene.state.browsers[Resource::Workergroups];
    let look = browser
        .listing()
        .and_then(|listing| Look::at_row(listing, row, browser.dialect(), &[]).ok());
    let conditions = look.map_or_else(Vec::new, |look| look.search.conditions);
    condition_lines(conditions.iter(), scene.theme)
}

/// The result of `lines` if `is_shown`; otherwise empty, without calling it.
fn lines_if(is_shown: bool, lines: impl FnOnce() -> Vec<Line<'static>>) -> Vec<Line<'static>> {
    if is_shown { lines() } else { Vec::new() }
}

/// The further fields of an offer or a volume, as a block titled `More`; `None` if it reports none of them,
/// and for workergroups.
pub(super) fn more_fields_block(resource: Resource, row: usize, scene: &Scene<'_, '_>) -> Option<Block> {
    let keys = match resource {
        Resource::Offers => OF_OFFERS.as_slice(),
        Resource::Volumes => OF_VOLUMES.as_slice(),
        Resource::Workergroups => return None,
    };
    let listing = scene.state.browsers[resource].listing()?;
    let lines = fields(keys, listing, row, scene);
    (!lines.is_empty()).then(|| Block::titled("More".to_owned(), lines, scene.theme))
}

/// A line with label and value for each field in `keys` that the record reports.
fn fields(keys: &[&str], listing: &Listing, row: usize, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let record = listing.full_record(row);
    let dialect = scene.state.profile.dialect;
    let fields = keys.iter().filter_map(|key| listing.catalog().by_key(key));
    fields
        .filter(|field| !has_no_value(&record.cell(field)))
        .map(|field| (field, format::detail(&record, field, dialect)))
        .filter(|(_, text)| text != NONE)
        .map(|(field, text)| labelled(field.label, text, scene.theme))
        .collect()
}
