//! Commands and addresses that rent an offer or repeat a search outside bourse.

use super::formats::shell_word;
use crate::api::Origin;
use crate::core::copy_item::CopyError;
use crate::core::profile::Profile;
use crate::domain::cost::{Basis, Prices};
use crate::domain::format::trimmed;
use crate::domain::limits::{Limits, OfferCost};
use crate::domain::{Condition, Field, Listing, OfferType, Query, Resource, RowId, language};
use crate::table::browser::Browser;
use crate::table::column_prerequisites::Need;

/// The page of the public service's console that rents machines.
///
/// No address of a single offer is documented.
const CONSOLE: &str = "https://cloud.vast.ai/create/";

/// The command of the market's own client that rents the offer `id`, with the disk of the search, for a bid
/// search at the bid floor, and with the address of a market other than the public service; the user replaces
/// `IMAGE`.
///
/// # Errors
///
/// When a bid is searched and the offer reports no bid floor.
pub fn rent_command(query: &Query, listing: &Listing, id: RowId, profile: &Profile) -> Result<String, CopyError> {
    let mut words = vec!["vastai".to_owned()];
    // The client uses the public service unless it gets another address.
    if !is_public(profile) {
        words.push(format!("--url {}", shell_word(&profile.base_url)));
    }
    words.push(format!("create instance {id} --image IMAGE"));
    if let Some(gb) = query.storage {
        words.push(format!("--disk {}", trimmed(gb, 6)));
    }
    match query.offer_type {
        OfferType::OnDemand | OfferType::Reserved => {}
        OfferType::Bid => {
            let bid = bid_floor(listing, id).ok_or(CopyError::Missing("the offer reports no bid floor"))?;
            words.push(format!("--bid_price {}", trimmed(bid, 6)));
        }
    }
    if profile.is_sandbox {
        words.push("  # an offer of the sandbox: rents nothing".to_owned());
    }
    Ok(words.join(" "))
}

/// The name of the rent command, with a warning where it differs from the search's price model.
pub fn rent_label(offer_type: OfferType, profile: &Profile) -> String {
    let mut text = "the client's rent command".to_owned();
    match offer_type {
        OfferType::OnDemand => {}
        OfferType::Bid => text.push_str(", at the bid floor"),
        // The client has no reservation when it creates an instance.
        OfferType::Reserved => text.push_str(", on demand: reserve it afterwards"),
    }
    if profile.is_sandbox {
        text.push_str(" (sandbox: rents nothing)");
    }
    text
}

/// The warning about the offer `id` if it costs more than the user's limits, or its cost is unknown; `None`
/// if it is within them.
pub fn limit_warning(limits: Limits, basis: Basis, listing: &Listing, id: RowId) -> Option<String> {
    let prices = Prices::new(listing, basis.model);
    let price = |basis: Basis| basis.price(&prices, listing.row(id)?).ok();
    limits.warning(OfferCost {
        hourly: price(Basis { job: None, ..basis }),
        bill: basis.job.map(|_| price(basis)),
    })
}

/// The command of the market's own client that reserves an instance after it was rented.
///
/// The client creates instances at the list price; a prepayment for the instance reserves it.
pub const RESERVE: &str = "vastai prepay instance INSTANCE AMOUNT";

/// The minimum bid of the offer `id` in $/h; `None` if it reports none or is not loaded.
fn bid_floor(listing: &Listing, id: RowId) -> Option<f64> {
    listing.cell_of(listing.row(id)?, "min_bid").number()
}

/// The page of the public service's console that rents machines; `None` on any other market.
pub fn console_address(profile: &Profile) -> Option<&'static str> {
    is_public(profile).then_some(CONSOLE)
}

/// Whether the profile connects to the public service; false for the sandbox.
fn is_public(profile: &Profile) -> bool {
    let origin = Origin::parse(&profile.base_url).ok();
    !profile.is_sandbox && origin.is_some_and(|origin| origin.is_public_service())
}

/// A search as a command line for any shell, and the number of conditions and filter words that it leaves
/// out. Left out are filter words, and conditions and sort keys on prices of other price types, throughput
/// and a volume's term, and on a job or deadline where none is set. A job takes the place of the storage.
pub fn search_line(browser: &Browser) -> (String, usize) {
    let query = &browser.query;
    let job = browser.computed.job;
    let is_understood = |field: &Field| match Need::for_field(field) {
        None => true,
        Some(Need::Job) => job.is_some(),
        Some(Need::Deadline) => job.is_some_and(|job| job.deadline.is_some()),
        Some(Need::Term | Need::ThreePrices | Need::Throughput(_)) => false,
    };
    let conditions: Vec<Condition> = query
        .active()
        .filter(|condition| is_understood(condition.field))
        .cloned()
        .collect();
    let left_out = query.active().count() - conditions.len() + browser.words.len();
    let resource = query.resource;
    let command = match resource {
        Resource::Offers => "offers",
        Resource::Volumes => "volumes",
        Resource::Workergroups => "groups",
    };
    let mut words = vec![format!("bourse {command}")];
    if !conditions.is_empty() {
        words.push(shell_word(&language::print(&conditions)));
    }
    if resource != Resource::Workergroups {
        words.push("--no-default".to_owned());
    }
    if query.offer_type != OfferType::OnDemand {
        words.push(format!("--type {}", query.offer_type.wire()));
    }
    match (job, query.storage) {
        (Some(job), _) => words.push(format!("--job {}", job.spec())),
        (None, Some(gb)) => words.push(format!("--storage {}", trimmed(gb, 6))),
        (None, None) => {}
    }
    if query.unbundled {
        words.push("--disable-bundling".to_owned());
    }
    let order = query.order.iter().copied();
    let order: Vec<_> = order.filter(|key| is_understood(key.field)).collect();
    words.push(format!("--sort {}", shell_word(&language::print_order(&order))));
    words.push(format!("--limit {}", query.limit.unwrap_or(0)));
    (words.join(" "), left_out)
}
