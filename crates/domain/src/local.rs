//! Times in the user's time zone, with their age.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::format;

/// The steps of a time axis in seconds: parts of an hour, of a day, and days.
const STEPS: [f64; 13] = [
    60.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 14_400.0, 21_600.0, 43_200.0, 86_400.0, 172_800.0, 432_000.0, 864_000.0,
];

/// The time zone and the current time.
#[derive(Debug, Clone)]
pub struct LocalTime {
    pub zone: TimeZone,
    /// The current time, in seconds since 1970.
    pub now: f64,
}

impl LocalTime {
    /// Formats a time for a table: date, time to the minute, age (`2026-11-18 13:05 2d`).
    pub fn cell(&self, epoch: f64) -> String {
        self.text(epoch, "%Y-%m-%d %H:%M")
            .map_or_else(|| format!("{epoch:.3e}"), |text| format!("{text} {}", self.age(epoch)))
    }

    /// Formats a time for a detail view: to the second, with the offset from UTC and the age.
    pub fn detail(&self, epoch: f64) -> String {
        self.text(epoch, "%Y-%m-%d %H:%M:%S %:z").map_or_else(
            || format!("{epoch:.3e}"),
            |text| {
                if epoch <= self.now {
                    format!("{text}, {} ago", self.age(epoch))
                } else {
                    format!("{text}, in {}", format::span(epoch - self.now))
                }
            },
        )
    }

    /// Formats a time to the second, with the offset from UTC.
    pub fn second(&self, epoch: f64) -> String {
        self.text(epoch, "%Y-%m-%d %H:%M:%S %:z")
            .unwrap_or_else(|| format!("{epoch:.3e}"))
    }

    /// Formats the time of day, preceded by the date unless it is today.
    pub fn clock(&self, epoch: f64) -> String {
        let day = |epoch| self.text(epoch, "%Y-%m-%d");
        let pattern = if day(epoch) == day(self.now) {
            "%H:%M:%S"
        } else {
            "%m-%d %H:%M:%S"
        };
        self.text(epoch, pattern).unwrap_or_else(|| format!("{epoch:.3e}"))
    }

    /// Formats date and time to the minute.
    pub fn minute(&self, epoch: f64) -> String {
        self.text(epoch, "%Y-%m-%d %H:%M")
            .unwrap_or_else(|| format!("{epoch:.3e}"))
    }

    /// Formats a future time with its weekday, offset from UTC and the remaining time: `Fri 2026-11-27 23:59 +01:00 (2
    /// days left)`.
    pub fn deadline(&self, epoch: f64) -> String {
        let text = self.text(epoch, "%a %Y-%m-%d %H:%M %:z");
        let text = text.unwrap_or_else(|| format!("{epoch:.3e}"));
        if epoch > self.now {
            format!("{text} ({} left)", format::lasting(epoch - self.now))
        } else {
            format!("{text} (has passed)")
        }
    }

    /// At most `most` times from `from` to `until`, at equal steps from local midnight.
    pub fn ticks(&self, from: f64, until: f64, most: usize) -> Vec<f64> {
        #[expect(clippy::cast_possible_truncation)] // saturates: a time of any century
        let moment = Timestamp::from_second(until as i64).unwrap_or_default();
        let offset = f64::from(self.zone.to_offset(moment).seconds());
        let ticks = |step: &f64| {
            let first = ((from + offset) / step).ceil();
            let ticks = (0_u32..).map(move |index| (first + f64::from(index)) * step - offset);
            ticks
                .take_while(|tick| *tick <= until)
                .take(most + 1)
                .collect::<Vec<f64>>()
        };
        let fitting = STEPS.iter().map(ticks).find(|ticks| ticks.len() <= most);
        fitting.unwrap_or_default()
    }

    /// Formats a time of [`Self::ticks`]: the time of day, or the date at midnight.
    pub fn tick(&self, epoch: f64) -> String {
        let text = self.minute(epoch);
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

    fn age(&self, epoch: f64) -> String {
        format::span((self.now - epoch).max(0.0))
    }

    fn text(&self, epoch: f64, pattern: &str) -> Option<String> {
        if !epoch.is_finite() || epoch.abs() >= 1e12 {
            return None;
        }
        #[expect(clippy::cast_possible_truncation)] // the range was checked
        let moment = Timestamp::from_second(epoch as i64).ok()?;
        Some(moment.to_zoned(self.zone.clone()).strftime(pattern).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(hours: i8, now: f64) -> LocalTime {
        LocalTime {
            zone: TimeZone::fixed(jiff::tz::offset(hours)),
            now,
        }
    }

    #[test]
    fn moments_stand_in_the_reader_s_zone_with_their_age() {
        let created = 1_767_225_600.0; // 2026-01-01 00:00 UTC
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
        let noon = 1_767_268_800.0; // 2026-01-01 12:00 UTC
        let reader = local(2, noon);
        assert_eq!(reader.clock(noon), "14:00:00");
        assert_eq!(reader.clock(noon - 86_400.0), "12-31 14:00:00");
        assert_eq!(reader.second(noon), "2026-01-01 14:00:00 +02:00");
        assert_eq!(reader.zone_name(), "+02");
    }

    #[test]
    fn the_ticks_of_a_time_axis_are_full_hours_and_midnights_of_the_reader() {
        let noon = 1_767_268_800.0; // 2026-01-01 12:00 UTC
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
        assert_eq!(local(0, 0.0).cell(1e300), "1.000e300");
        assert_eq!(local(0, 0.0).detail(f64::NAN), "NaN");
    }
}
