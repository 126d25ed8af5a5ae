//! What an offer is worth beside the others: lines of the detail view.

use ratatui::style::Style;

use super::job;
use crate::app::browser::Browser;
use crate::app::insights::loaded;
use crate::app::remote::{Now, Phase};
use crate::domain::cost::{Joined, Prices, Quote};
use crate::domain::format::trimmed;
use crate::domain::{Listing, OfferType, Resource};
use crate::ui::paint;
use crate::widgets::theme::Theme;

type Line = Vec<(String, Style)>;

/// The job's cost, the three prices and the place of an offer among the loaded ones, as far as they
/// were asked for.
pub fn lines(
    browser: &Browser,
    listing: &Listing,
    row: usize,
    now: Now,
    theme: &Theme,
    width: u16,
) -> Vec<Line> {
    if browser.resource() != Resource::Offers {
        return Vec::new();
    }
    let mut lines = Vec::new();
    if let Some(job) = &browser.figures.job {
        lines.push(vec![("The job on this offer".to_owned(), theme.heading)]);
        let prices = Prices::new(listing, browser.pricing().model);
        lines.extend(job::lines(&prices, row, job, now, theme, width));
        lines.push(Vec::new());
    }
    lines.extend(three(browser, listing, row, now, theme));
    lines.extend(front(browser, listing, row, theme, width));
    lines
}

/// Where the offer stands between price and performance: by the job's bill, else by $/h per GPU.
fn front(browser: &Browser, listing: &Listing, row: usize, theme: &Theme, width: u16) -> Vec<Line> {
    let Some(front) = browser.figures.front() else {
        return Vec::new();
    };
    let job = browser.figures.job;
    let row = u32::try_from(row).unwrap_or(u32::MAX);
    let limit = browser.shown_query().and_then(|query| query.limit);
    let among = loaded(listing, limit);
    let (text, style) = if let Some(lead) = front.beaten_by(row) {
        let id = listing.id(lead.row as usize);
        let id = id.map(|id| id.to_string()).unwrap_or_default();
        let share = |share: Option<f64>| {
            share.map_or_else(String::new, |share| {
                format!(" ({}%)", trimmed(share * 100.0, 1))
            })
        };
        let cheaper = if job.is_some() {
            format!("${:.2}{} cheaper", lead.x, share(lead.x_share))
        } else {
            format!("${:.4}/h{} cheaper", lead.x, share(lead.x_share))
        };
        let faster = format!(
            "{} DLPerf{} faster",
            trimmed(lead.y, 1),
            share(lead.y_share)
        );
        let by = match (lead.x > 0.0, lead.y > 0.0) {
            (true, true) => format!("{cheaper} and {faster}"),
            (true, false) => format!("{cheaper} and as fast"),
            _ => format!("{faster} at the same price"),
        };
        let each = if job.is_some() {
            "for the job"
        } else {
            "each per GPU"
        };
        let text = format!("Offer {id} beats it: {by}, {each}.");
        (text, theme.warning)
    } else if front.contains(row) {
        let per_gpu = if job.is_some() { "" } else { " per GPU" };
        let text = format!(
            "◆ On the front: no other offer here is at least as cheap and as fast{per_gpu} and better in one."
        );
        (text, theme.good)
    } else if browser.figures.is_unfit(row as usize) {
        let text = "! Too small, or it ends too early: not ranked.";
        (text.to_owned(), theme.warning)
    } else {
        let text = "The record does not say its price, its DLPerf or its number of GPUs.";
        (text.to_owned(), theme.dim)
    };
    let title = if job.is_some() {
        "Job cost against DLPerf"
    } else {
        "Price against DLPerf per GPU"
    };
    let mut lines: Vec<Line> = vec![vec![(title.to_owned(), theme.heading)]];
    let wrapped = paint::wrap(&text, width);
    lines.extend(wrapped.into_iter().map(|part| vec![(part, style)]));
    lines.push(vec![(
        format!("Compared with what is here: {among}."),
        theme.dim,
    )]);
    lines.push(Vec::new());
    lines
}

fn three(browser: &Browser, listing: &Listing, row: usize, now: Now, theme: &Theme) -> Vec<Line> {
    let searches = &browser.figures.three;
    let mut slots = OfferType::ALL.iter().map(|model| searches.slot(*model));
    let has_failed = slots.any(|slot| slot.error().is_some());
    if searches.is_empty() && !searches.is_loading() && !has_failed {
        return Vec::new();
    }
    let prices = browser.figures.join(listing, browser.pricing()).row(row);
    let asked = OfferType::ALL
        .iter()
        .filter_map(|model| searches.slot(*model).shown_at())
        .min_by(|left, right| left.epoch.total_cmp(&right.epoch));
    let title = asked.map_or_else(
        || "Three prices".to_owned(),
        |then| format!("Three prices, {} old", crate::ui::age(now, then)),
    );
    let mut lines: Vec<Line> = vec![vec![(title, theme.heading)]];
    let models = [
        ("On demand", prices.on_demand, None, OfferType::OnDemand),
        (
            "At the lowest bid",
            prices.bid,
            prices.saving,
            OfferType::Bid,
        ),
        (
            "Reserved",
            prices.reserved,
            prices.discount,
            OfferType::Reserved,
        ),
    ];
    for (label, quote, saving, model) in models {
        let text = match (quote, searches.slot(model).phase()) {
            (Some(quote), _) => quoted(quote, saving),
            (None, Phase::Loading { since, .. }) => {
                format!("asking the market … {:.0}s", (now.mono - since).max(0.0))
            }
            (None, Phase::Failed(error)) => error.to_string(),
            (None, _) if searches.is_cut(model) => {
                let many = searches.listing(model).map_or(0, Listing::len);
                format!("not among the {many} loaded, more exist")
            }
            (None, _) => "not offered".to_owned(),
        };
        lines.push(vec![
            (format!("{label:20} "), theme.dim),
            (text, theme.text),
        ]);
    }
    lines.push(Vec::new());
    lines
}

fn quoted(quote: Quote, saving: Option<f64>) -> String {
    let mut text = format!("${:.4}/h", quote.total);
    if let Some(saving) = saving {
        let percent = trimmed(saving.abs() * 100.0, 1);
        let words = match saving {
            _ if percent == "0" => ", the same as on demand".to_owned(),
            ..0.0 => format!(", {percent}% more than on demand"),
            _ => format!(", {percent}% less than on demand"),
        };
        text.push_str(&words);
    }
    if quote.joined == Joined::ByGpus {
        text.push_str(" (another offer of the same GPUs)");
    }
    text
}
