//! The shared budget of requests per minute of all programs that watch a market for one profile.
//!
//! A small file beside the record lists the times of requests: a request counts for a minute, so that a program that
//! was stopped or killed blocks nothing.

use std::collections::BTreeMap;

use bourse_domain::time::UnixTime;

use super::HistoryLocation;
use crate::state_file::{StateFile, StateFileError};

/// The name of the file, beside the record.
const FILE: &str = "budget.json";

/// Seconds for which a request counts.
const MINUTE: f64 = 60.0;

/// The times of the requests to each market, the earliest first.
type Sent = BTreeMap<String, Vec<UnixTime>>;

#[derive(Debug)]
pub struct SharedBudget {
    /// The file; `None` if nothing is shared with other programs.
    file: Option<StateFile<Sent>>,
    market: String,
}

impl SharedBudget {
    /// The budget in the file beside the record, for its market; a corrupt file is moved aside without a
    /// notice. A record in memory shares none, and every claim is granted.
    pub fn new(history: &HistoryLocation) -> Self {
        let path = history.path.as_ref();
        // A damaged file is set aside, and its requests no longer count after a minute.
        let file = path.map(|path| StateFile::open(path.with_file_name(FILE), &mut Vec::new()).0);
        Self {
            file,
            market: history.market.clone(),
        }
    }

    /// Takes `requests` out of the market's shared budget of `a_minute` per minute (at least 1), at `now`.
    /// Returns the seconds until there may be room, more than 0 and at most 60; `None` if they were taken, or
    /// if nothing is shared with other programs.
    ///
    /// A claim beyond the whole budget waits for an empty minute.
    ///
    /// # Errors
    /// If the file cannot be read or written. The program's own budget applies then.
    pub fn claim(&self, requests: usize, a_minute: u32, now: UnixTime) -> Result<Option<f64>, StateFileError> {
        let Some(file) = &self.file else { return Ok(None) };
        let limit = usize::try_from(a_minute).unwrap_or(usize::MAX).max(1);
        let claimed = file.change(Sent::new(), |markets| {
            for sent in markets.values_mut() {
                // In both directions: a clock that was ahead blocks nothing for long.
                sent.retain(|at| (now - *at).abs() < MINUTE);
            }
            markets.retain(|_, sent| !sent.is_empty());
            let sent = markets.entry(self.market.clone()).or_default();
            let over = (sent.len() + requests.min(limit)).saturating_sub(limit);
            if let Some(last) = over.checked_sub(1) {
                // Another limit may have allowed more.
                let at = sent.get(last).copied().unwrap_or(now);
                return Some((at + MINUTE - now).clamp(0.001, MINUTE));
            }
            sent.extend(std::iter::repeat_n(now, requests));
            sent.sort();
            None
        });
        claimed.map(|(_, wait)| wait)
    }

    /// Counts a request in the market's shared budget that is sent whether or not there is room.
    ///
    /// A failure is ignored: it counts in its own program.
    pub fn count(&self, now: UnixTime) {
        if let Some(file) = &self.file {
            let count = |markets: &mut Sent| markets.entry(self.market.clone()).or_default().push(now);
            let _ = file.change(Sent::new(), count);
        }
    }
}

#[cfg(test)]
mod tests {
    use bourse_domain::Dialect;

    use super::*;

    fn at(folder: &tempfile::TempDir, market: &str) -> SharedBudget {
        SharedBudget::new(&HistoryLocation {
            path: Some(folder.path().join("history.db")),
            market: market.to_owned(),
            dialect: &Dialect::SANDBOX,
        })
    }

    #[test]
    fn programs_share_the_budget_of_a_market_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (at(&folder, "https://a"), at(&folder, "https://a"));
        assert_eq!(one.claim(1, 3, UnixTime::new(1000.0)).unwrap(), None);
        assert_eq!(two.claim(1, 3, UnixTime::new(1010.0)).unwrap(), None);
        one.count(UnixTime::new(1020.0));
        assert_eq!(two.claim(1, 3, UnixTime::new(1030.0)).unwrap(), Some(30.0));
        assert_eq!(two.claim(2, 3, UnixTime::new(1030.0)).unwrap(), Some(40.0));
        assert_eq!(
            at(&folder, "https://b").claim(1, 3, UnixTime::new(1030.0)).unwrap(),
            None
        );
        assert_eq!(one.claim(1, 3, UnixTime::new(1060.0)).unwrap(), None);
        // More than the budget wait for an empty minute.
        assert_eq!(one.claim(5, 3, UnixTime::new(1061.0)).unwrap(), Some(59.0));
        assert_eq!(one.claim(5, 3, UnixTime::new(1120.0)).unwrap(), None);
    }

    #[test]
    fn a_clock_that_was_ahead_holds_nothing_up() {
        let folder = tempfile::tempdir().unwrap();
        let budget = at(&folder, "https://a");
        assert_eq!(budget.claim(1, 1, UnixTime::new(9000.0)).unwrap(), None);
        assert_eq!(budget.claim(1, 1, UnixTime::new(1000.0)).unwrap(), None);
        assert_eq!(budget.claim(1, 1, UnixTime::new(1001.0)).unwrap(), Some(59.0));
    }

    #[test]
    fn without_a_file_nothing_is_shared() {
        let alone = SharedBudget::new(&HistoryLocation {
            path: None,
            market: "sandbox-1".to_owned(),
            dialect: &Dialect::SANDBOX,
        });
        assert_eq!(alone.claim(1, 1, UnixTime::new(1000.0)).unwrap(), None);
        assert_eq!(alone.claim(1, 1, UnixTime::new(1000.0)).unwrap(), None);
    }
}
