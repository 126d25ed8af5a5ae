//! Times in the user's time zone, with their age.

use jiff::tz::TimeZone;

use super::format;
use super::time::UnixTime;

/// The steps of a time axis in seconds: parts of an hour, of a day, and days.
const STEPS: [f64; 13] = [
    60.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 14_400.0, 21_600.0, 43_200.0, 86_400.0, 172_800.0, 432_000.0, 864_000.0,
];

/// The time zone and the current time.
#[derive(Debug, Clone)]
pub struct LocalTime {
    pub zone: TimeZone,
    pub now: UnixTime,
}

impl LocalTime {
    /// Formats a time for a table: date, time to the minute, age (`2026-11-18 13:05 2d`). A future time has
    /// the age `0s`; one outside the calendar is its seconds since 1970 in scientific notation, as in the
    /// other methods.
    pub fn cell(&self, time: UnixTime) -> String {
        self.text(time, "%Y-%m-%d %H:%M").map_or_else(
            || format!("{:.3e}", time.seconds()),
            |text| format!("{text} {}", self.age(time)),
        )
    }

    /// Formats a time for a detail view: to the second, with the offset from UTC and the age (`, 2d ago`), or
    /// of a future time the time until then (`, in 30s`).
    pub fn detail(&self, time: UnixTime) -> String {
        self.text(time, "%Y-%m-%d %H:%M:%S %:z").map_or_else(
            || format!("{:.3e}", time.seconds()),
            |text| {
                if time <= self.now {
                    format!("{text}, {} ago", self.age(time))
                } else {
                    format!("{text}, in {}", format::span(time - self.now))
                }
            },
        )
    }

    /// Formats a time to the second, with the offset from UTC: `2026-01-01 14:00:00 +02:00`.
    pub fn second(&self, time: UnixTime) -> String {
        self.text(time, "%Y-%m-%d %H:%M:%S %:z")
            .unwrap_or_else(|| format!("{:.3e}", time.seconds()))
    }

    /// Formats the time of day to the second (`13:05:09`), preceded by month and day unless it is today.
    pub fn clock(&self, time: UnixTime) -> String {
        let day = |time| self.text(time, "%Y-%m-%d");
        let pattern = if day(time) == day(self.now) {
            "%H:%M:%S"
        } else {
            "%m-%d %H:%M:%S"
        };
        self.text(time, pattern)
            .unwrap_or_else(|| format!("{:.3e}", time.seconds()))
    }

    /// Formats a time span of less than a day to the minute: `13:05–17:05`, preceded by the month and the day of its
    /// start unless that is today.
    pub fn hours(&self, from: UnixTime, until: UnixTime) -> String {
        let (start, end) = (self.minute(from), self.minute(until));
        let is_today = start.get(..10) == self.minute(self.now).get(..10);
        let start = start.get(if is_today { 11 } else { 5 }..).unwrap_or(&start);
        format!("{start}–{}", end.get(11..).unwrap_or(&end))
    }

    /// Formats date and time to the minute: `2026-01-01 14:00`.
    pub fn minute(&self, time: UnixTime) -> String {
        self.text(time, "%Y-%m-%d %H:%M")
            .unwrap_or_else(|| format!("{:.3e}", time.seconds()))
    }

    /// Formats a time with its weekday, offset from UTC and the remaining time: `Fri 2026-11-27 23:59 +01:00
    /// (2 days left)`; `(has passed)` for a time up to now.
    pub fn deadline(&self, time: UnixTime) -> String {
        let formatted = self.text(time, "%a %Y-%m-%d %H:%M %:z");
        let text = formatted.unwrap_or_else(|| format!("{:.3e}", time.seconds()));
        format!("{text} ({})", describe_left(time - self.now))
    }

    /// Formats a time by weekday and time of day with the remaining time, with the date as well unless it is
    /// within the next six days: `Fri 23:59 (2 days left)`; `(has passed)` for a time up to now.
    pub fn deadline_briefly(&self, time: UnixTime) -> String {
        const SIX_DAYS: f64 = 6.0 * 86_400.0;
        let left = time - self.now;
        let pattern = if (0.0..=SIX_DAYS).contains(&left) {
            "%a %H:%M"
        } else {
            "%a %Y-%m-%d %H:%M"
        };
        let formatted = self.text(time, pattern);
        let text = formatted.unwrap_or_else(|| format!("{:.3e}", time.seconds()));
        format!("{text} ({})", describe_left(left))
    }

    /// At most `most` times from `from` to `until`, both included, at equal steps from local midnight (by the
    /// offset from UTC at `until`); the finest step of those up to 10 days that fits. Empty if none fits.
    pub fn ticks(&self, from: UnixTime, until: UnixTime, most: usize) -> Vec<UnixTime> {
        let moment = until.timestamp().unwrap_or_default();
        let offset = f64::from(self.zone.to_offset(moment).seconds());
        let ticks = |step: &f64| {
            let first = ((from.seconds() + offset) / step).ceil();
            let ticks = (0_u32..).map(move |index| UnixTime::new((first + f64::from(index)) * step - offset));
            ticks
                .take_while(|tick| *tick <= until)
                .take(most + 1)
                .collect::<Vec<UnixTime>>()
        };
        let fitting = STEPS.iter().map(ticks).find(|ticks| ticks.len() <= most);
        fitting.unwrap_or_default()
    }

    /// Formats a time of [`Self::ticks`]: the time of day, or month and day at midnight.
    pub fn tick(&self, time: UnixTime) -> String {
        let text = self.minute(time);
        let part = if text.ends_with("00:00") {
            text.get(5..10)
        } else {
            text.get(11..)
        };
        part.unwrap_or(&text).to_owned()
    }

    /// The short name of the zone now: `UTC`, `CET`.
    pub fn zone_name(&self) -> String {
        self.text(self.now, "%Z").unwrap_or_default()
    }

    /// The time since `time` in its largest unit, such as `2d`; `0s` for a future time.
    fn age(&self, time: UnixTime) -> String {
        format::span((self.now - time).max(0.0))
    }

    /// Formats a time in the user's zone by a `strftime` pattern; `None` if it is outside the calendar.
    fn text(&self, time: UnixTime, pattern: &str) -> Option<String> {
        Some(
            time.timestamp()?
                .to_zoned(self.zone.clone())
                .strftime(pattern)
                .to_string(),
        )
    }
}

/// The remaining `seconds` as words: `2 days left`, or `has passed` for 0 and below.
fn describe_left(seconds: f64) -> String {
    if seconds > 0.0 {
        format!("{} left", format::lasting(seconds))
    } else {
        "has passed".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(hours: i8, now: UnixTime) -> LocalTime {
        LocalTime {
            zone: TimeZone::fixed(jiff::tz::offset(hours)),
            now,
        }
    }

    #[test]
    fn moments_stand_in_the_reader_s_zone_with_their_age() {
        let created = UnixTime::new(1_767_225_600.0); // 2026-01-01 00:00 UTC
        let reader = local(2, created + 2.0 * 86_400.0);
        assert_eq!(reader.cell(created), "2026-01-01 02:00 2d");
        assert_eq!(reader.detail(created), "2026-01-01 02:00:00 +02:00, 2d ago");
        assert_eq!(
            local(-5, created).detail(created + 30.0),
            "2025-12-31 19:00:30 -05:00, in 30s"
        );
    }

    #[test]
    fn the_clock_names_the_day_only_when_it_is_another() {
        let noon = UnixTime::new(1_767_268_800.0); // 2026-01-01 12:00 UTC
        let reader = local(2, noon);
        assert_eq!(reader.clock(noon), "14:00:00");
        assert_eq!(reader.clock(noon - 86_400.0), "12-31 14:00:00");
        assert_eq!(reader.hours(noon - 3600.0, noon), "13:00–14:00");
        assert_eq!(reader.hours(noon - 15.0 * 3600.0, noon), "12-31 23:00–14:00");
        assert_eq!(reader.second(noon), "2026-01-01 14:00:00 +02:00");
        assert_eq!(reader.zone_name(), "+02");
    }

    #[test]
    fn the_ticks_of_a_time_axis_are_full_hours_and_midnights_of_the_reader() {
        let noon = UnixTime::new(1_767_268_800.0); // 2026-01-01 12:00 UTC
        let reader = local(-5, noon);
        let ticks = |from: f64, most| -> Vec<String> {
            let ticks = reader.ticks(noon - from, noon, most).into_iter();
            ticks.map(|tick| reader.tick(tick)).collect()
        };
        assert_eq!(ticks(3600.0, 4), ["06:00", "06:30", "07:00"]);
        assert_eq!(
            ticks(86_400.0, 6),
            ["08:00", "12:00", "16:00", "20:00", "01-01", "04:00"]
        );
        assert_eq!(ticks(3.0 * 86_400.0, 4), ["12-30", "12-31", "01-01"]);
    }

    #[test]
    fn absurd_moments_are_still_written() {
        assert_eq!(local(0, UnixTime::default()).cell(UnixTime::new(1e300)), "1.000e300");
        assert_eq!(local(0, UnixTime::default()).detail(UnixTime::new(f64::NAN)), "NaN");
    }
}
