//! What the record says of prices, in sentences.

use jiff::tz::TimeZone;

use super::timeline::seconds;
use super::verdict::{Days, Memory, Rating, Standing};
use crate::domain::Resource;
use crate::domain::format::{self, percent};

const DAYS: [&str; 7] = [
    "Mondays",
    "Tuesdays",
    "Wednesdays",
    "Thursdays",
    "Fridays",
    "Saturdays",
    "Sundays",
];

/// A part of the time and its usual price.
type Part = (usize, f64);

impl Memory {
    /// A price with its unit.
    pub fn money(&self, price: f64) -> String {
        match self.search.resource {
            Resource::Volumes => format!("${}/GB/month", format::trimmed(price, 4)),
            Resource::Offers | Resource::Workergroups => format::unit_price(price),
        }
    }

    /// `Market low: from $0.310 now, cheaper than on 8 of the last 10 days`, of the rating of the lowest
    /// price now.
    pub fn market(&self, rating: &Rating) -> String {
        let name = rating.standing.name();
        let lowest = self.lowest.map(|lowest| self.money(lowest));
        let lowest = lowest.unwrap_or_default();
        format!("Market {name}: from {lowest} now, {}", compared(rating))
    }

    /// `12% below its usual price`, of the rating of the lowest price now; `None` unless it is low.
    pub fn below_usual(&self, rating: &Rating) -> Option<String> {
        let share = 1.0 - self.lowest? / rating.median;
        // Less than a hundredth would be noise in words.
        let is_low = rating.standing == Standing::Low && share >= 0.01;
        is_low.then(|| format!("{} below its usual price", percent(share)))
    }

    /// When the lowest price is usually lowest, in a time zone, once three weeks were watched.
    pub fn times(&self, zone: &TimeZone) -> Option<String> {
        let hours = ends(&self.by_hour(zone))
            .map(|ends| ends.map(|(hour, price)| format!("at {hour:02}:00 ({})", self.money(price))));
        let days = ends(&self.by_weekday(zone)).map(|ends| {
            ends.map(|(day, price)| {
                let day = DAYS.get(day).copied().unwrap_or_default();
                format!("on {day} ({})", self.money(price))
            })
        });
        let known = [hours, days].into_iter().flatten();
        let (low, high): (Vec<String>, Vec<String>) = known.map(|[low, high]| (low, high)).unzip();
        (!low.is_empty()).then(|| {
            let (low, high) = (low.join(" and "), high.join(" and "));
            format!("Usually cheapest {low}, most expensive {high}")
        })
    }
}

/// `cheaper than on 8 of the last 10 days`; `cheaper than in 40% of 30 hours` before days can be compared.
fn compared(rating: &Rating) -> String {
    let Days { cheaper, of } = rating.days;
    if of == 0 {
        let watched = format::lasting(seconds(rating.watched));
        let share = percent(1.0 - rating.percentile);
        return format!("cheaper than in {share} of {watched}");
    }
    let days = match of {
        10 => "the last 10 days".to_owned(),
        _ => format::counted(of, "watched day", "watched days"),
    };
    format!("cheaper than on {cheaper} of {days}")
}

/// The cheapest and the most expensive part; `None` if all are equal.
fn ends(prices: &[Option<f64>]) -> Option<[Part; 2]> {
    let known = prices.iter().enumerate();
    let known = known.filter_map(|(part, price)| Some((part, (*price)?)));
    let known: Vec<Part> = known.collect();
    let low = known.iter().copied().min_by(|left, right| left.1.total_cmp(&right.1))?;
    let high = known.iter().copied().max_by(|left, right| left.1.total_cmp(&right.1))?;
    (low.1 < high.1).then_some([low, high])
}
