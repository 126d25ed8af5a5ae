//! Deadlines as people write them: `friday`, `tomorrow noon`.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, Time, Weekday, time};
use jiff::{Timestamp, ToSpan as _, Zoned};

use super::local::LocalTime;

const DAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

/// The time of a deadline that gives only a day: its last minute.
const END_OF_DAY: Time = time(23, 59, 0, 0);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Day {
    Today,
    Tomorrow,
    /// The next such day, which may be today.
    Weekday(Weekday),
    Date(Date),
}

/// A day, a time of day, or both: `friday`, `18:00`, `tomorrow noon`, `2026-12-01`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    day: Option<Day>,
    time: Option<Time>,
}

/// The reason a text is not a usable deadline.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeadlineError {
    #[error("Not a time: write friday, tomorrow noon, 18:00 or 2026-12-01 18:00")]
    Malformed,
    #[error("Not a time of the calendar")]
    NotOnCalendar,
    /// The moment has passed; it is in local time, as [`LocalTime::deadline`] shows it.
    #[error("{local}")]
    Passed { local: String },
}

impl FromStr for Deadline {
    type Err = DeadlineError;

    fn from_str(text: &str) -> Result<Self, DeadlineError> {
        let mut text = text.trim().to_ascii_lowercase();
        // Joins the tokens of plain words.
        for (apart, joined) in [(" - ", "-"), (" : ", ":"), (" am", "am"), (" pm", "pm")] {
            text = text.replace(apart, joined);
        }
        let mut own = Self { day: None, time: None };
        let words = text.split(' ').flat_map(|word| {
            // `2026-12-01T18:00`
            let has_digits = word.contains(|sign: char| sign.is_ascii_digit());
            word.split(move |sign| has_digits && sign == 't')
        });
        let mut words = words.filter(|word| !word.is_empty());
        let is_read = words.all(|word| match (day(word), clock(word)) {
            (Some(day), _) => own.day.replace(day).is_none(),
            (None, Some(time)) => own.time.replace(time).is_none(),
            (None, None) => false,
        });
        let is_time = is_read && (own.day.is_some() || own.time.is_some());
        is_time.then_some(own).ok_or(DeadlineError::Malformed)
    }
}

fn day(word: &str) -> Option<Day> {
    match word {
        "today" | "tonight" => Some(Day::Today),
        "tomorrow" => Some(Day::Tomorrow),
        // `fri`
        _ if word.len() >= 3 && word.chars().all(char::is_alphabetic) => {
            let mut days = DAYS.iter().filter(|(name, _)| *name == word || name[..3] == *word);
            days.next().map(|(_, day)| Day::Weekday(*day))
        }
        _ => word.parse().ok().filter(|_| word.len() == 10).map(Day::Date),
    }
}

/// Parses a time of day: `18:00`, `6pm`, `6:30pm`, `noon`.
fn clock(word: &str) -> Option<Time> {
    match word {
        "noon" => return Some(time(12, 0, 0, 0)),
        "midnight" => return Some(END_OF_DAY),
        _ => {}
    }
    let half = ["am", "pm"].into_iter().find(|half| word.ends_with(half));
    let digits = word.strip_suffix(half.unwrap_or_default())?;
    let (hour, minute) = digits.split_once(':').or(half.map(|_| (digits, "00")))?;
    let number = |text: &str, most: usize| {
        let is_number = (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<i8>().ok().filter(|_| is_number)
    };
    let (hour, minute) = (number(hour, 2)?, number(minute, 2).filter(|_| minute.len() == 2)?);
    let hour = match half {
        None => hour,
        Some(half) => Some(hour).filter(|hour| (1..=12).contains(hour))? % 12 + if half == "pm" { 12 } else { 0 },
    };
    Time::new(hour, minute, 0, 0).ok()
}

impl Deadline {
    /// The moment in seconds since 1970; `None` if it is outside the calendar.
    ///
    /// A weekday or a time of day that has passed today means the next one.
    #[expect(clippy::cast_possible_truncation)] // seconds of any century
    pub fn at(self, local: &LocalTime) -> Option<f64> {
        let now = Timestamp::from_second(local.now as i64).ok()?;
        let today = now.to_zoned(local.zone.clone()).date();
        let on = |date: Date| -> Option<Zoned> {
            let moment = date.to_datetime(self.time.unwrap_or(END_OF_DAY));
            moment.to_zoned(local.zone.clone()).ok()
        };
        let coming = |date: Date, days: i64| {
            let moment = on(date)?;
            let is_past = moment.timestamp() <= now;
            if is_past {
                on(date.checked_add(days.days()).ok()?)
            } else {
                Some(moment)
            }
        };
        let moment = match self.day {
            None => coming(today, 1),
            Some(Day::Weekday(day)) => {
                let days = i64::from(today.weekday().until(day));
                coming(today.checked_add(days.days()).ok()?, 7)
            }
            Some(Day::Today) => on(today),
            Some(Day::Tomorrow) => on(today.tomorrow().ok()?),
            Some(Day::Date(date)) => on(date),
        };
        Some(moment?.timestamp().as_second() as f64)
    }
}

/// Parses a moment, in seconds since 1970: a [`Deadline`], or a time with its offset from UTC.
///
/// # Errors
/// If the text is neither, or the moment has passed.
pub fn moment(text: &str, local: &LocalTime) -> Result<f64, DeadlineError> {
    let at = match absolute(text) {
        Some(at) => Some(at),
        None => text.parse::<Deadline>()?.at(local),
    };
    let at = at.ok_or(DeadlineError::NotOnCalendar)?;
    if at > local.now {
        return Ok(at);
    }
    Err(DeadlineError::Passed {
        local: local.deadline(at),
    })
}

/// Parses a time with its offset from UTC, in seconds since 1970: `2026-12-01T18:00Z`.
pub(super) fn absolute(text: &str) -> Option<f64> {
    let moment: Timestamp = text.trim().to_ascii_uppercase().parse().ok()?;
    Some(moment.as_second() as f64)
}

#[expect(clippy::cast_possible_truncation)] // checked by the job
pub(super) fn written(at: f64) -> String {
    Timestamp::from_second(at as i64).unwrap_or_default().to_string()
}

impl fmt::Display for Deadline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let day = self.day.map(|day| match day {
            Day::Today => "today".to_owned(),
            Day::Tomorrow => "tomorrow".to_owned(),
            Day::Date(date) => date.to_string(),
            Day::Weekday(own) => {
                let named = DAYS.iter().find(|(_, day)| *day == own);
                named.map_or_else(String::new, |(name, _)| (*name).to_owned())
            }
        });
        let time = self.time.map(|time| time.strftime("%H:%M").to_string());
        let parts: Vec<_> = day.into_iter().chain(time).collect();
        f.write_str(&parts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    /// Wednesday 2026-11-25, 16:00 in UTC+1.
    fn local() -> LocalTime {
        let now = absolute("2026-11-25T15:00:00Z").unwrap();
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        LocalTime { zone, now }
    }

    #[test]
    fn times_as_people_say_them_are_found_in_the_calendar() {
        for (text, wanted) in [
            ("friday", "2026-11-27T22:59:00Z"),
            ("Fri 18:00", "2026-11-27T17:00:00Z"),
            ("wednesday", "2026-11-25T22:59:00Z"),
            // 16:00 has passed: the next Wednesday.
            ("wednesday 9am", "2026-12-02T08:00:00Z"),
            ("15:59", "2026-11-26T14:59:00Z"),
            ("18 : 00", "2026-11-25T17:00:00Z"),
            ("tomorrow noon", "2026-11-26T11:00:00Z"),
            ("12 am tomorrow", "2026-11-25T23:00:00Z"),
            ("midnight", "2026-11-25T22:59:00Z"),
            ("today 6:30pm", "2026-11-25T17:30:00Z"),
            ("2026-12-01", "2026-12-01T22:59:00Z"),
            ("2026 - 12 - 01 18 : 00", "2026-12-01T17:00:00Z"),
            ("2026-12-01T18:00", "2026-12-01T17:00:00Z"),
            ("2026-12-01T18:00:00Z", "2026-12-01T18:00:00Z"),
        ] {
            assert_eq!(moment(text, &local()).map(written), Ok(wanted.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_malformed_or_past_time_is_an_error() {
        for text in [
            "",
            "soon",
            "friday monday",
            "18",
            "24gb",
            "25:00",
            "13pm",
            "9:5",
            "2026-02-30",
            "18:00 9am",
            "fry",
        ] {
            let fault = moment(text, &local()).unwrap_err().to_string();
            assert!(fault.starts_with("Not a time"), "{text}: {fault}");
        }
        let passed = moment("today noon", &local()).unwrap_err();
        assert_eq!(passed.to_string(), "Wed 2026-11-25 12:00 +01:00 (has passed)");
    }

    #[test]
    fn a_night_without_an_hour_has_its_times_all_the_same() {
        // 02:30 of 2026-03-29 does not exist in Berlin: the clock goes from 02:00 to 03:00.
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let now = absolute("2026-03-28T12:00:00Z").unwrap();
        let at = moment("tomorrow 02:30", &LocalTime { zone, now });
        assert_eq!(at.map(written), Ok("2026-03-29T01:30:00Z".to_owned()));
    }
}
