//! The recorded time of a poll, also after the clock was set back.
//!
//! Recorded times only increase: everything that is computed relies on it. After the clock was set back, polls are
//! recorded later than the clock by a number of seconds that is stored with the search, and all recorded times are
//! shown earlier by it: the current clock is trusted. The length of the pause before is unknown. It counts as a gap, so
//! that nothing is concluded from it.

use super::{Excerpt, Moment};

/// Seconds by which polls may arrive in another order than they were answered, as from two programs.
///
/// A slow response may be recorded after a quicker one of another program. More than that is a clock that was set back.
const DISORDER: i64 = 60;

/// The recorded time of a poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    pub at: Moment,
    /// Seconds by which recorded times are ahead of the clock from this poll on.
    pub ahead: i64,
}

/// Makes a moment `seconds` earlier, at most to the earliest possible one.
const fn move_back(moment: &mut Moment, seconds: i64) {
    moment.0 = moment.0.saturating_sub(seconds);
}

impl Excerpt {
    /// The excerpt of the record with the times of all polls and spells `seconds` earlier.
    #[must_use]
    pub fn earlier(mut self, seconds: i64) -> Self {
        for poll in &mut self.polls {
            move_back(&mut poll.at, seconds);
        }
        for spell in &mut self.spells {
            move_back(&mut spell.first, seconds);
            move_back(&mut spell.last, seconds);
            spell.end = spell
                .end
                .map(|(ending, at)| (ending, Moment(at.0.saturating_sub(seconds))));
        }
        self
    }
}

/// The latest recorded times before a response arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Before {
    /// The newest response to its scope.
    pub scope: Option<Moment>,
    /// The newest response of the market.
    pub market: Option<Moment>,
    /// The moment until which one of the market's scopes counts as watched.
    pub watched_until: Option<Moment>,
}

/// The time at which a response is recorded that was sent at `sent` and took `took` milliseconds: normally
/// `sent` plus `ahead`, the seconds by which recorded times are ahead of the clock. `None` if its scope has a
/// response of that second or later and the clock was not set back.
///
/// If the clock was set back by more than a minute, the response is recorded after the time that the market
/// counts as watched, so that no scope is watched without a gap; after a gap, `ahead` becomes smaller again.
/// The first response of a market is recorded at `sent`.
pub fn place(sent: Moment, took: u32, ahead: i64, before: &Before) -> Option<Placed> {
    let Some(newest) = before.market else {
        return Some(Placed { at: sent, ahead: 0 });
    };
    let placed = Moment(sent.0.saturating_add(ahead));
    // A slow response was sent long before it is recorded.
    let arrived = Moment(placed.0.saturating_add(i64::from(took / 1000)));
    let is_set_back = newest.since(arrived) > DISORDER;
    if !is_set_back && before.scope.is_some_and(|newest| placed <= newest) {
        return None;
    }
    let watched_until = before.watched_until.unwrap_or(newest).max(newest);
    let may_approach = ahead > 0 && placed > watched_until;
    if !is_set_back && !may_approach {
        return Some(Placed { at: placed, ahead });
    }
    let at = sent.max(Moment(watched_until.0.saturating_add(1)));
    Some(Placed {
        at,
        ahead: at.since(sent),
    })
}
