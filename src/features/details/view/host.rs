//! The host of an offer in a few lines: its GPUs, places, trust, rentals and prices.

use ratatui::text::Line;

use crate::domain::format::{counted, grouped, trimmed};
use crate::domain::insight::{HostCount, HostSummary, PriceLevel};
use crate::tui::theme::Theme;

/// Maximum number of names in a list.
const LISTED: usize = 4;

/// The lines on a host: its GPUs and countries, verification and reliability, and its prices; `loaded` is the
/// number of loaded offers that these are compared with.
pub(super) fn lines(host: &HostSummary, loaded: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if !host.gpus.is_empty() {
        let gpus = listed(&host.gpus, |(model, count)| format!("{count}× {model}"));
        let names = listed(&host.countries, |(code, _)| code.clone());
        let countries = match names.as_str() {
            "" => String::new(),
            countries => format!(" in {countries}"),
        };
        let all: u64 = host.gpus.iter().map(|(_, many)| many).sum();
        let text = host.rented.map(|gpus| format!(" ({gpus} of {all} rented)"));
        let rented = text.unwrap_or_default();
        lines.push(Line::styled(format!("{gpus}{rented}{countries}"), theme.text));
    }
    let trust = trust(host);
    if !trust.is_empty() {
        lines.push(Line::styled(trust, theme.text));
    }
    lines.push(Line::styled(prices(host.level, loaded), theme.text));
    lines
}

/// The first four counts as text, joined by commas, with the number of the others: `2 US, 1 DE, 1 FR, 1 SE, 3
/// more`.
fn listed<N>(counts: &[HostCount<N>], write: impl Fn(&HostCount<N>) -> String) -> String {
    let mut texts: Vec<String> = counts.iter().take(LISTED).map(write).collect();
    if counts.len() > LISTED {
        texts.push(format!("{} more", counts.len() - LISTED));
    }
    texts.join(", ")
}

/// The verification and the reliability of the host's machines as text; empty if neither is reported.
fn trust(host: &HostSummary) -> String {
    let machines: usize = host.verification.iter().map(|(_, many)| many).sum();
    let verification = match host.verification.as_slice() {
        [] => None,
        [(name, 1)] => Some(format!("1 machine {name}")),
        [(name, many)] => Some(format!("all {many} machines {name}")),
        several => Some(format!(
            "{} of {machines} machines",
            listed(several, |(name, many)| format!("{many} {name}"))
        )),
    };
    let percent = |share: f64| trimmed(share * 100.0, 1);
    let reliability = host.reliability.map(|spread| {
        let (low, high) = (percent(spread.lowest), percent(spread.highest));
        if low == high {
            format!("reliability {low}%")
        } else {
            format!("reliability {low} to {high}%")
        }
    });
    let parts = [verification, reliability];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// A sentence that compares the host's prices with the median of other hosts' prices for the same GPUs among
/// the `loaded` offers; `level` is `None` if no other host has such GPUs.
fn prices(level: Option<PriceLevel>, loaded: usize) -> String {
    let loaded = grouped(loaded);
    let Some(level) = level else {
        return format!("No other host has these GPUs among the {loaded} loaded offers");
    };
    let percent = trimmed((level.ratio - 1.0).abs() * 100.0, 0);
    let relation = match percent.as_str() {
        "0" => "at".to_owned(),
        _ if level.ratio < 1.0 => format!("{percent}% below"),
        _ => format!("{percent}% above"),
    };
    let offers = counted(level.compared, "offer", "offers");
    format!("Prices {relation} other hosts' median for the same GPUs ({offers}, {loaded} loaded)")
}
