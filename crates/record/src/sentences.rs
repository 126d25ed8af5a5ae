//! The verdicts and statistics on prices, in sentences.

use bourse_domain::Resource;
use bourse_domain::format::{self, percent};
use bourse_domain::text;
use jiff::tz::TimeZone;

use super::VERDICT_DAYS;
use super::timeline::seconds;
use super::verdict::{
    Days, LEAST_DEPARTURES, LEAST_WATCHED, LEAST_WEEKS, Memory, NOISE, Rating, Standing, Verdict, Withheld,
};

const DAYS: [&str; 7] = [
    "Mondays",
    "Tuesdays",
    "Wednesdays",
    "Thursdays",
    "Fridays",
    "Saturdays",
    "Sundays",
];

/// The fewest departures of which a median is named.
///
/// One or two come by chance; the count beside the median says how far it may be trusted.
const LEAST_FOR_MEDIAN: usize = 5;

/// A part of the time, as an index, and its usual price.
type WeightedPart = (usize, f64);

impl Memory {
    /// Formats a price: in $/h without the unit, of volumes with it, `$0.1/GB/month`.
    pub fn money(&self, price: f64) -> String {
        match self.query.resource {
            Resource::Volumes => format!("${}/GB/month", format::trimmed(price, 4)),
            Resource::Offers | Resource::Workergroups => format::unit_price(price),
        }
    }

    /// The kind that all offers have, such as `2x RTX 4090` or `2x RTX 4090 48 GB`, with at most 24 characters of the model; `None`
    /// unless the query names one model and one number of GPUs.
    pub fn kind(&self) -> Option<String> {
        let model = super::question::model_of(&self.query)?;
        Some(format!(
            "{}x {}{}",
            self.gpus?,
            text::screen(model, 24),
            self.card_size()
        ))
    }

    /// The memory of a card with a leading blank, ` 48 GB`; empty unless cards of the model have several sizes.
    pub fn card_size(&self) -> String {
        let size = self.card_gb.map(|gb| format!(" {}", format::gigabytes(gb)));
        size.unwrap_or_default()
    }

    /// The size of the offers compared with a leading blank: ` for 2 GPUs of 48 GB`, without the memory where cards
    /// of the model have one size. Empty unless they all have one number of GPUs.
    pub fn offer_size(&self) -> String {
        let gpus = self.gpus.and_then(|gpus| usize::try_from(gpus).ok());
        let of_cards = self.card_gb.map(|_| format!(" of{}", self.card_size()));
        let size = gpus.map(|gpus| {
            format!(
                " for {}{}",
                format::counted(gpus, "GPU", "GPUs"),
                of_cards.unwrap_or_default()
            )
        });
        size.unwrap_or_default()
    }

    /// The verdict on the lowest price now, or the reason there is none: too little watched, or none on
    /// offer, then with the usual price if known.
    pub fn verdict_sentence(&self) -> String {
        match self.verdict() {
            Verdict::Given(rating) => self.rating_sentence(&rating),
            Verdict::Withheld(Withheld::TooLittle { watched }) => too_little_sentence(watched),
            Verdict::Withheld(Withheld::NoneOnOffer { usual }) => {
                let usual = usual.map_or_else(String::new, |usual| {
                    format!("; usually {} in {}", self.money(usual), self.window())
                });
                format!("No price verdict: none is on offer now{usual}")
            }
        }
    }

    /// Names the time window of the usual price and the share of it that is known: `the last 30 days (97%
    /// known)`.
    fn window(&self) -> String {
        format!("the last {VERDICT_DAYS} days ({} known)", percent(self.known()))
    }

    /// `Low now: $0.310 for 1 GPU, 12% below the usual $0.352 of the last 30 days (97% known); it was more
    /// expensive on 8 of the last 10 days`, of the rating of the lowest price now. `Typical` or `High`
    /// likewise; `usually $0.352 in` if the prices hardly differ; of more GPUs the price is that of each.
    fn rating_sentence(&self, rating: &Rating) -> String {
        let median = self.money(rating.median);
        let standing = match rating.standing {
            Standing::Low => "Low",
            Standing::Typical => "Typical",
            Standing::High => "High",
        };
        let gpus = self.gpus.filter(|_| self.query.resource == Resource::Offers);
        // The prices of larger offers are those of each GPU.
        let each = if gpus.is_some_and(|gpus| gpus > 1) { " each" } else { "" };
        let size = gpus.map(|_| self.offer_size()).unwrap_or_default();
        let lowest = self.lowest.unwrap_or(rating.median);
        let more = lowest / rating.median - 1.0;
        let window = self.window();
        let usual = match percent(more.abs()) {
            _ if !more.is_finite() || more.abs() < NOISE => format!("usually {median} in {window}"),
            share if more < 0.0 => format!("{share} below the usual {median} of {window}"),
            share => format!("{share} above the usual {median} of {window}"),
        };
        let lowest = self.money(lowest);
        format!(
            "{standing} now: {lowest}{each}{size}, {usual}; {}",
            compare_with_days(rating, more < 0.0)
        )
    }

    /// The sentence about the lifetimes of such offers: the median and its range, or that they outlast the
    /// longest time watched. Of too few departures only their number and, from 5 on, the median.
    pub fn lifetime_sentence(&self) -> String {
        let nouns = self.query.resource.nouns();
        let departures = self.lifetimes.departures;
        let Some(lifetimes) = self.reliable_lifetimes() else {
            let median = self.lifetimes.median().filter(|_| departures >= LEAST_FOR_MEDIAN);
            let departures = format::counted(departures, "departure", "departures");
            return match median {
                None => format!("Lifetimes, too few: {departures}, {LEAST_DEPARTURES} needed"),
                Some(median) => format!(
                    "Lifetimes: median {} of {departures}, too few for a range ({LEAST_DEPARTURES} needed)",
                    format::brief(median.median)
                ),
            };
        };
        let Some(median) = lifetimes.median() else {
            let longest = format::brief(lifetimes.longest);
            return format!(
                "Such {nouns} last longer than {longest} (n = {})",
                format::grouped(lifetimes.lives)
            );
        };
        let high = median.high.map_or_else(|| "more".to_owned(), format::brief);
        format!(
            "Such {nouns} last {} (median, 95% {} to {high}, n = {})",
            format::brief(median.median),
            format::brief(median.low),
            format::grouped(lifetimes.lives)
        )
    }

    /// The sentence about the hours and weekdays at which the lowest price is usually lowest and highest, in
    /// a time zone: those whose prices do not differ are alike. Before three weeks were watched, that these are needed.
    pub fn times_sentence(&self, zone: &TimeZone) -> String {
        if self.watched < LEAST_WEEKS {
            let [watched, least] = [self.watched, LEAST_WEEKS].map(|span| format::brief(seconds(span)));
            return format!("Cheapest hour and weekday, too little: known for {watched}, {least} needed");
        }
        let differs =
            |[low, high]: &[WeightedPart; 2]| high.1 / low.1 - 1.0 >= NOISE && self.money(low.1) != self.money(high.1);
        let hours = extremes(&self.by_hour(zone))
            .filter(differs)
            .map(|ends| ends.map(|(hour, price)| format!("at {hour:02}:00 ({})", self.money(price))));
        let days = extremes(&self.by_weekday(zone)).filter(differs).map(|ends| {
            ends.map(|(day, price)| {
                let day = DAYS.get(day).copied().unwrap_or_default();
                format!("on {day} ({})", self.money(price))
            })
        });
        let alike = match (&hours, &days) {
            (Some(_), Some(_)) => "",
            (Some(_), None) => "; alike on all weekdays",
            (None, Some(_)) => "; alike at all hours",
            (None, None) => return "Alike at all hours and on all weekdays".to_owned(),
        };
        let known = [hours, days].into_iter().flatten();
        let (low, high): (Vec<String>, Vec<String>) = known.map(|[low, high]| (low, high)).unzip();
        let (low, high) = (low.join(" and "), high.join(" and "));
        format!("Usually cheapest {low}, most expensive {high}{alike}")
    }
}

/// The sentence that there is no price verdict, for offers of which nothing is recorded.
pub fn nothing_known_sentence() -> String {
    too_little_sentence(0)
}

/// The sentence that `watched` seconds with a known lowest price are too few for a verdict.
fn too_little_sentence(watched: i64) -> String {
    let [watched, least] = [watched, LEAST_WATCHED].map(|span| format::brief(seconds(span)));
    format!(
        "No price verdict, too little: known for {watched} of the last {VERDICT_DAYS} days; a verdict needs {least}"
    )
}

/// The comparison with the last 10 days: `it was cheaper on 8 of the last 10 days`, or `more expensive` if
/// the price `is_below` the usual one; of fewer `known days of the last 10` if some cannot be compared.
/// Without any, the time watched.
fn compare_with_days(rating: &Rating, is_below: bool) -> String {
    let Days { higher, lower, of } = rating.days;
    let days = match of {
        0 => return format!("{} watched", format::lasting(seconds(rating.watched))),
        10 => "the last 10 days".to_owned(),
        // Of each at least half is known, so their share may be larger than that of all hours.
        _ => format!("{} of the last 10", format::counted(of, "known day", "known days")),
    };
    let (were, many) = if is_below {
        ("more expensive", higher)
    } else {
        ("cheaper", lower)
    };
    if many == 0 {
        return format!("it was never {were} in {days}");
    }
    format!("it was {were} on {many} of {days}")
}

/// The lowest and the highest known price, each with its index (an hour or a weekday); `None` if all known
/// prices are equal, or none is known.
fn extremes(prices: &[Option<f64>]) -> Option<[WeightedPart; 2]> {
    let all = prices.iter().enumerate();
    let known = all.filter_map(|(part, price)| Some((part, (*price)?)));
    let known: Vec<WeightedPart> = known.collect();
    let low = known.iter().copied().min_by(|left, right| left.1.total_cmp(&right.1))?;
    let high = known.iter().copied().max_by(|left, right| left.1.total_cmp(&right.1))?;
    (low.1 < high.1).then_some([low, high])
}
