//! Whether an offer's price is low for what was recorded, in sentences.

use ratatui::style::Style;

use crate::app::State;
use crate::app::recall::VERDICT_DAYS;
use crate::app::remote::Now;
use crate::domain::Resource;
use crate::domain::format::{self, percent, unit_price};
use crate::domain::history::{
    Lasted, Lifetimes, Lot, Memory, Moment, Rating, Standing, Verdict, verdict,
};
use crate::widgets::theme::Theme;

/// What is said of an offer, each sentence with its style.
pub(super) fn sentences(
    state: &State,
    (resource, row): (Resource, usize),
    now: Now,
    theme: &Theme,
) -> Vec<(String, Style)> {
    let Some((memory, lot, price)) = state.remembered(resource, row) else {
        return Vec::new();
    };
    let mut sentences = vec![match verdict(memory, price) {
        Verdict::Withheld(withheld) => (withheld.sentence(resource), theme.dim),
        Verdict::Given(rating) => (standing(&rating, resource), style(&rating, theme)),
    }];
    sentences.extend(lasting(memory, &lot, now).map(|text| (text, theme.dim)));
    sentences
}

/// The verdict alone, to put behind an offer's letter: `low price, 8% of the way from …`.
pub(super) fn sentence(state: &State, resource: Resource, row: usize) -> Option<String> {
    let (memory, _, price) = state.remembered(resource, row)?;
    Some(match verdict(memory, price) {
        Verdict::Withheld(withheld) => withheld.sentence(resource),
        Verdict::Given(rating) => standing(&rating, resource),
    })
}

fn style(rating: &Rating, theme: &Theme) -> Style {
    match rating.standing {
        Standing::Low => theme.good,
        Standing::Typical => theme.text,
        Standing::High => theme.warning,
    }
}

/// `Low price: lower than 91% of 30 days, 8% of the way from $0.21 to $0.45, median $0.31`.
fn standing(rating: &Rating, resource: Resource) -> String {
    let money = |price| match resource {
        Resource::Volumes => format!("${}/GB/month", format::trimmed(price, 4)),
        Resource::Offers | Resource::Workergroups => unit_price(price),
    };
    let name = match rating.standing {
        Standing::Low => "Low price",
        Standing::Typical => "Typical price",
        Standing::High => "High price",
    };
    let lower = percent(1.0 - rating.percentile);
    let rank = rating.rank.map_or_else(String::new, |rank| {
        format!(
            ", {} of the way from {} to {}",
            percent(rank),
            money(rating.lowest),
            money(rating.highest)
        )
    });
    let outbid = rating.outbid.map_or_else(String::new, |share| {
        format!("; outbid in {} of watched hours", percent(share))
    });
    format!(
        "{name}: lower than {lower} of {VERDICT_DAYS} days{rank}, median {}{outbid}",
        money(rating.median)
    )
}

/// `Seen for 26 min; such offers last 3.2 h (median, 95% 2.1 to 5 h, n = 212)`.
fn lasting(memory: &Memory, lot: &Lot, now: Now) -> Option<String> {
    let lasted = memory.seen(lot, Moment::of(now.epoch));
    let seen = lasted.filter(|lasted| lasted.seconds >= 60).map(seen);
    let last = memory.lasting().and_then(lifetime);
    let nouns = memory.search.resource.nouns();
    match (seen, last) {
        (Some(seen), Some(last)) => Some(format!("Seen for {seen}; such {nouns} last {last}")),
        (Some(seen), None) => Some(format!("Seen for {seen}")),
        (None, Some(last)) => Some(format!("Such {nouns} last {last}")),
        (None, None) => None,
    }
}

fn seen(lasted: Lasted) -> String {
    let sign = if lasted.is_at_least { "at least " } else { "" };
    #[expect(clippy::cast_precision_loss)] // seconds of this century
    let seconds = lasted.seconds as f64;
    format!("{sign}{}", format::brief(seconds))
}

fn lifetime(lifetimes: &Lifetimes) -> Option<String> {
    let median = lifetimes.median()?;
    let high = median.high.map_or_else(|| "more".to_owned(), format::brief);
    Some(format!(
        "{} (median, 95% {} to {high}, n = {})",
        format::brief(median.median),
        format::brief(median.low),
        format::grouped(lifetimes.lives)
    ))
}
