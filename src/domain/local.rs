//! Times in the person's own time zone, with their age.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::format;

/// The time zone and the current time.
#[derive(Debug, Clone)]
pub struct LocalTime {
    pub zone: TimeZone,
    /// Now, in seconds since 1970.
    pub now: f64,
}

impl LocalTime {
    /// For a table: date, time to the minute, age (`2026-11-18 13:05 2d`).
    pub fn cell(&self, epoch: f64) -> String {
        self.text(epoch, "%Y-%m-%d %H:%M")
            .map_or_else(|| format!("{epoch:.3e}"), |text| format!("{text} {}", self.age(epoch)))
    }

    /// For a detail view: to the second, with the offset from UTC and the age.
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

    /// To the second, with the offset from UTC.
    pub fn second(&self, epoch: f64) -> String {
        self.text(epoch, "%Y-%m-%d %H:%M:%S %:z")
            .unwrap_or_else(|| format!("{epoch:.3e}"))
    }

    /// The time of day, with the date in front unless it is today.
    pub fn clock(&self, epoch: f64) -> String {
        let day = |epoch| self.text(epoch, "%Y-%m-%d");
        let pattern = if day(epoch) == day(self.now) {
            "%H:%M:%S"
        } else {
            "%m-%d %H:%M:%S"
        };
        self.text(epoch, pattern).unwrap_or_else(|| format!("{epoch:.3e}"))
    }

    /// Date and time to the minute.
    pub fn minute(&self, epoch: f64) -> String {
        self.text(epoch, "%Y-%m-%d %H:%M")
            .unwrap_or_else(|| format!("{epoch:.3e}"))
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
    }

    #[test]
    fn absurd_moments_are_still_written() {
        assert_eq!(local(0, 0.0).cell(1e300), "1.000e300");
        assert_eq!(local(0, 0.0).detail(f64::NAN), "NaN");
    }
}
