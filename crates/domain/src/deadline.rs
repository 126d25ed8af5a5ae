//! Deadlines as people write them: `friday`, `next sunday evening`, `tomorrow noon`, `march 15th`.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, Time, Weekday, time};
use jiff::{Timestamp, ToSpan as _, Zoned};

use super::local::LocalTime;
use crate::time::{Moment, UnixTime};

const DAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The time of a deadline that gives only a day: its last minute.
const END_OF_DAY: Time = time(23, 59, 0, 0);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Day {
    Today,
    Tomorrow,
    /// The next such day, which may be today.
    Weekday(Weekday),
    /// The next such day after today: of the two days that people call `next friday` the earlier one, which is in time
    /// for both.
    Next(Weekday),
    Date(Date),
    /// The next such day of a year, which may be today: month and day of the month, from 1.
    OfYear(i8, i8),
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
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let mut rest = &words[..];
        while let [word, after @ ..] = rest {
            let next = after.first().copied();
            if let Some((day, after)) = day_of_year(rest) {
                (rest, own) = (after, own.with_day(Some(day))?);
                continue;
            }
            (rest, own) = match (*word, day(word), clock(word)) {
                ("next", ..) => (
                    after.get(1..).unwrap_or_default(),
                    own.with_day(next.and_then(next_weekday))?,
                ),
                // `this sunday`, `in the morning`, `sunday at noon`
                ("this" | "coming" | "the", ..) if next.is_some() => (after, own),
                ("at" | "in" | "on", ..) if next.is_some() => (after, own),
                (_, Some(day), _) => (after, own.with_day(Some(day))?),
                (_, None, time) => (after, own.with_time(time)?),
            };
        }
        let is_time = own.day.is_some() || own.time.is_some();
        is_time.then_some(own).ok_or(DeadlineError::Malformed)
    }
}

/// The day of the week of a word in lower case: `friday`, `fri`; `None` for any other word.
fn weekday(word: &str) -> Option<Weekday> {
    let is_it = |name: &str| name == word || name[..3] == *word;
    DAYS.iter().find(|(name, _)| is_it(name)).map(|(_, day)| *day)
}

/// The date at the start of some words in lower case, and the words after it: `march 15 th`, `15 of march`, `15 mar 2027`.
/// `None` if there is none, or the calendar has no such day.
fn day_of_year<'a, 'w>(words: &'a [&'w str]) -> Option<(Day, &'a [&'w str])> {
    /// A year that has all days of the calendar.
    const LEAP: i16 = 2028;
    let month = |word: &str| MONTHS.iter().position(|name| word.len() >= 3 && name.starts_with(word));
    let day = |word: &str| word.parse::<i8>().ok().filter(|day| (1..=31).contains(day));
    let ordinal = |word: &str| day(word.trim_end_matches(char::is_alphabetic)).filter(|_| word.len() <= 4);
    let is_suffix = |word: &str| matches!(word, "st" | "nd" | "rd" | "th");
    let skip = |from: usize, is_skipped: fn(&str) -> bool| {
        from + usize::from(words.get(from).is_some_and(|word| is_skipped(word)))
    };
    let (month, day, mut next) = if let Some(found) = month(words.first()?) {
        (found, ordinal(words.get(1)?)?, skip(2, is_suffix))
    } else {
        let day = ordinal(words.first()?)?;
        let from = skip(skip(1, is_suffix), |word| word == "of");
        (month(words.get(from)?)?, day, from + 1)
    };
    let month = i8::try_from(month + 1).ok()?;
    let year = words
        .get(next)
        .filter(|year| year.len() == 4)
        .and_then(|year| year.parse().ok());
    next += usize::from(year.is_some());
    let date = Date::new(year.unwrap_or(LEAP), month, day).ok()?;
    let day = year.map_or(Day::OfYear(month, day), |_| Day::Date(date));
    Some((day, words.get(next..)?))
}

/// The day meant by the word after `next`: a weekday after today. `None` for any other word, as neither
/// `next week` nor `next month` ends on one day for everybody.
fn next_weekday(word: &str) -> Option<Day> {
    weekday(word).map(Day::Next)
}

/// The day of one word in lower case: `today`, `tonight`, `tomorrow`, a weekday, or a date such as
/// `2026-12-01`. `None` for any other word.
fn day(word: &str) -> Option<Day> {
    match word {
        "today" | "tonight" => Some(Day::Today),
        "tomorrow" => Some(Day::Tomorrow),
        _ => {
            let date = || word.parse().ok().filter(|_| word.len() == 10);
            weekday(word).map(Day::Weekday).or_else(|| date().map(Day::Date))
        }
    }
}

/// Parses a time of day: `18:00`, `6pm`, `6:30pm`, `noon`, or a part of the day as its beginning (`evening`
/// is 18:00); a night ends with its day, at 23:59. `None` for any other word.
///
/// A beginning is in time for later hours, too.
fn clock(word: &str) -> Option<Time> {
    match word {
        "morning" => return Some(time(6, 0, 0, 0)),
        "noon" | "afternoon" => return Some(time(12, 0, 0, 0)),
        "evening" => return Some(time(18, 0, 0, 0)),
        "night" | "midnight" => return Some(END_OF_DAY),
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
    /// Adds a day to the deadline; an error if `day` is `None` or the deadline has a day.
    fn with_day(self, day: Option<Day>) -> Result<Self, DeadlineError> {
        match (self.day, day) {
            (None, Some(_)) => Ok(Self { day, ..self }),
            _ => Err(DeadlineError::Malformed),
        }
    }

    /// Adds a time of day to the deadline; an error if `time` is `None` or the deadline has one.
    fn with_time(self, time: Option<Time>) -> Result<Self, DeadlineError> {
        match (self.time, time) {
            (None, Some(_)) => Ok(Self { time, ..self }),
            _ => Err(DeadlineError::Malformed),
        }
    }

    /// The time that this deadline means; `None` if it is outside the calendar.
    ///
    /// A weekday, a day without a year or a mere time of day that has passed means the next one; `today` and dates may be past.
    /// Without a time of day it means 23:59.
    pub fn at(self, local: &LocalTime) -> Option<UnixTime> {
        let now = local.now.timestamp()?;
        let today = now.to_zoned(local.zone.clone()).date();
        let on = |date: Date| -> Option<Zoned> {
            let moment = date.to_datetime(self.time.unwrap_or(END_OF_DAY));
            moment.to_zoned(local.zone.clone()).ok()
        };
        let coming = |date: Date, days: i64| {
            let moment = on(date)?;
            if moment.timestamp() <= now {
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
            Some(Day::Next(day)) => {
                let days = i64::from(today.tomorrow().ok()?.weekday().until(day)) + 1;
                on(today.checked_add(days.days()).ok()?)
            }
            Some(Day::Today) => on(today),
            Some(Day::Tomorrow) => on(today.tomorrow().ok()?),
            Some(Day::Date(date)) => on(date),
            Some(Day::OfYear(month, day)) => (today.year()..today.year() + 9).find_map(|year| {
                let moment = on(Date::new(year, month, day).ok()?)?;
                Some(moment).filter(|moment| moment.timestamp() > now)
            }),
        };
        Some(Moment(moment?.timestamp().as_second()).unix())
    }
}

/// Parses the time of a deadline: `friday`, `tomorrow noon`, or a time with its offset from UTC.
///
/// # Errors
/// If the text is neither, or the time is outside the calendar or not after now.
pub fn moment(text: &str, local: &LocalTime) -> Result<UnixTime, DeadlineError> {
    let moment = match absolute(text) {
        Some(at) => Some(at),
        None => text.parse::<Deadline>()?.at(local),
    };
    let at = moment.ok_or(DeadlineError::NotOnCalendar)?;
    if at > local.now {
        return Ok(at);
    }
    Err(DeadlineError::Passed {
        local: local.deadline(at),
    })
}

/// Parses a time with its offset from UTC: `2026-12-01T18:00Z`; `None` for any other text.
pub(super) fn absolute(text: &str) -> Option<UnixTime> {
    let moment: Timestamp = text.trim().to_ascii_uppercase().parse().ok()?;
    Some(Moment(moment.as_second()).unix())
}

/// Formats a time in UTC, so that `absolute` parses it back: `2026-12-01T18:00:00Z`; the start of 1970 for
/// one outside the calendar.
pub(super) fn written(at: UnixTime) -> String {
    at.timestamp().unwrap_or_default().to_string()
}

impl fmt::Display for Deadline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |own: Weekday| DAYS.iter().find(|(_, day)| *day == own).map_or("", |(name, _)| name);
        let day = self.day.map(|day| match day {
            Day::Today => "today".to_owned(),
            Day::Tomorrow => "tomorrow".to_owned(),
            Day::Date(date) => date.to_string(),
            Day::OfYear(month, day) => {
                format!("{} {day}", usize::try_from(month - 1).map_or("", |month| MONTHS[month]))
            }
            Day::Weekday(own) => name(own).to_owned(),
            Day::Next(own) => format!("next {}", name(own)),
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
            ("next sunday", "2026-11-29T22:59:00Z"),
            ("next wed", "2026-12-02T22:59:00Z"),
            ("this wednesday", "2026-11-25T22:59:00Z"),
            ("sunday evening", "2026-11-29T17:00:00Z"),
            ("next friday at noon", "2026-11-27T11:00:00Z"),
            ("in the morning", "2026-11-26T05:00:00Z"),
            ("tomorrow night", "2026-11-26T22:59:00Z"),
            ("2026-12-01", "2026-12-01T22:59:00Z"),
            ("december 1st", "2026-12-01T22:59:00Z"),
            ("1 st of dec 6pm", "2026-12-01T17:00:00Z"),
            ("12 Nov", "2027-11-12T22:59:00Z"),
            ("feb 29", "2028-02-29T22:59:00Z"),
            ("25 November at noon", "2027-11-25T11:00:00Z"),
            ("march 15 2028", "2028-03-15T22:59:00Z"),
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
            "next",
            "next week",
            "next tomorrow",
            "sunday evening morning",
            "sunday at",
            "the",
            "march",
            "feb 30",
            "march 15 1st",
            "32 march",
            "15",
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
