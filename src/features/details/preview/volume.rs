//! The card of a network volume offer.

use ratatui::text::{Line, Span};

use super::{Card, grouped_number, network_forms, price_forms};
use crate::domain::cost::{Outlives, Room, VolumePrices};
use crate::domain::field::Unit;
use crate::domain::format::trimmed;
use crate::domain::insight::{Measure, Rank};
use crate::domain::{Resource, format};

const HOUR: f64 = 3600.0;

/// The lines of a volume's card, from its size and price to its availability; facts that are not reported are
/// left out.
pub(super) fn lines(card: &Card<'_>) -> Vec<Line<'static>> {
    let space = card.number("disk_space").map_or_else(
        || "Network volume".to_owned(),
        |gb| format!("{} GB", grouped_number(gb)),
    );
    let mut lines = card.title(space, card.text("geolocation"));
    lines.extend(price(card));
    let browser = &card.subject.state.browsers[Resource::Volumes];
    lines.extend(super::price_change(card, browser, |price| {
        format!("${}/GB/month", trimmed(price, 4))
    }));
    lines.extend(card.rating(Resource::Volumes));
    lines.push(Line::default());
    lines.extend(bars(card));
    lines.push(Line::default());
    let verified = match card.flag("verified") {
        Some(true) => Some("verified".to_owned()),
        Some(false) => Some("unverified".to_owned()),
        None => card.text("verification"),
    };
    lines.extend(card.dotted([verified, card.available()]));
    lines
}

/// The last lines of a volume's card: its cluster and host, and the user's annotations of them.
pub(super) fn supplier(card: &Card<'_>) -> Vec<Line<'static>> {
    let mut lines = card.dotted([
        card.text("cluster_id").map(|id| format!("Cluster {id}")),
        card.text("host_id").map(|id| format!("host {id}")),
    ]);
    lines.extend(card.annotations());
    lines
}

/// The price per GB and month, and the cost for the current (or default) size and term, with warnings if the
/// volume is too small or ends before the term, or if either is unknown.
fn price(card: &Card<'_>) -> Vec<Line<'static>> {
    let theme = card.theme();
    let subject = &card.subject;
    let figures = &subject.state.browsers[Resource::Volumes].computed;
    let term = figures.term.unwrap_or_default();
    let prices = VolumePrices::new(subject.listing);
    let Ok(per_gb) = prices.per_gb_month(subject.row) else {
        return vec![Line::styled("Price not reported", theme.warning)];
    };
    let mut lines = vec![Line::styled(
        format!("${}/GB/month", trimmed(per_gb, 4)),
        theme.figure(),
    )];
    let Ok(cost) = prices.cost(subject.row, &term, subject.now.epoch) else {
        return lines;
    };
    let days = format::counted_decimal(term.days, "day", "days");
    let size = format!("{} for {days} ", format::gigabytes(term.gb));
    lines.push(Line::from(vec![
        Span::styled(size, theme.dim),
        Span::styled(format::dollars(cost.term), theme.figure()),
    ]));
    let end = match cost.outlives {
        Outlives::No { short_by } => {
            let early = format::lasting(short_by * HOUR);
            Some(format!("! ends {early} before the term does"))
        }
        Outlives::Unknown => Some("! end not reported".to_owned()),
        Outlives::Yes { .. } => None,
    };
    let room = match cost.room {
        Room::ShortBy(gb) => Some(format!("! {} too small", format::gigabytes(gb))),
        Room::Unknown => Some("! size not reported".to_owned()),
        Room::Enough => None,
    };
    for text in end.into_iter().chain(room) {
        lines.extend(card.sentence(&text, theme.warning));
    }
    lines
}

/// The rail of the price, and the bars of read speed, network and reliability; those without data are left
/// out.
fn bars(card: &Card<'_>) -> Vec<Line<'static>> {
    let unit = Unit::Transfer.symbol(card.subject.state.profile.dialect);
    let price = |rank: Option<Rank>| price_forms("", rank?);
    let read = || {
        let average = card.number("nw_disk_avg_bw")?;
        let speeds = card.number("nw_disk_min_bw").zip(card.number("nw_disk_max_bw"));
        let ends = speeds.map(|(low, high)| format!(" ({}–{})", grouped_number(low), grouped_number(high)));
        let average = format!("{} MB/s", grouped_number(average));
        Some(vec![format!("{average}{}", ends.unwrap_or_default()), average])
    };
    let reliable = || {
        let share = card.number("reliability2").or_else(|| card.number("reliability"))?;
        Some(vec![format!("{}%", trimmed(share * 100.0, 2))])
    };
    [
        card.rail("Price", price),
        card.ends(["low", "high"]),
        card.bar("Read", Measure::Performance, |_| read()),
        card.bar("Network", Measure::Network, |_| network_forms(card, unit)),
        card.bar("Reliable", Measure::Reliability, |_| reliable()),
        card.ends(["worst", "best"]),
    ]
    .into_iter()
    .flatten()
    .collect()
}
