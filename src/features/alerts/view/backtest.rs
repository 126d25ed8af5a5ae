//! The check of the alert in the form on the record.

use crate::core::view::Cx;
use crate::domain::format;
use crate::features::alerts::alert_search;
use crate::features::alerts::replay::{AlertReplay, Replay};
use crate::features::history::Recall;
use crate::features::history::{self, Asked, Recalled};
use crate::record::alerts::Followed;
use crate::record::{DAY, PricePer, Question, Rule, VERDICT_DAYS, seconds};

/// Seconds of the record on which a rule is checked.
const RECORDED: i64 = VERDICT_DAYS * DAY;

/// Minimum recorded seconds for a statement.
const LEAST: i64 = 3600;

#[derive(Debug, Default)]
pub(super) struct Backtest {
    replay: Option<Replay>,
    /// The rule and the search of the current result.
    answered: Option<AlertReplay>,
    awaited: Option<(Asked<AlertReplay>, AlertReplay)>,
}

impl Backtest {
    /// Starts an analysis of an alert's rule on the recorded polls. Nothing happens while one is in progress,
    /// if recording is off, or if the result for the same rule and search is there already. If the search
    /// cannot be read, or its workergroup is not loaded, an earlier result is dropped.
    ///
    /// Each key press changes the rule, so they run one at a time.
    pub fn ask(&mut self, follows: &Followed, rule: Rule, cx: &mut Cx<'_>) {
        if self.awaited.is_some() || !Recall::read(cx.state()).is_on {
            return;
        }
        let Some(search) = alert_search(cx.state(), follows) else {
            self.replay = None;
            return;
        };
        let question = Question::of_last(RECORDED, search.query, cx.now.epoch.moment());
        let replay = AlertReplay { question, rule };
        let is_same = |known: &AlertReplay| known.question.query == replay.question.query && known.rule == replay.rule;
        if !self.answered.as_ref().is_some_and(is_same) {
            self.awaited = Some((history::ask(cx, replay.clone()), replay));
        }
    }

    /// Stores the result of a finished analysis, none if it failed; false while it is in progress, or if none
    /// was started.
    pub fn take(&mut self, cx: &Cx<'_>) -> bool {
        let Some((asked, _)) = &self.awaited else {
            return false;
        };
        self.replay = match Recall::read(cx.state()).output(asked) {
            Recalled::Awaited => return false,
            Recalled::Here(replay) => *replay,
            Recalled::Failed(_) => None,
        };
        self.answered = self.awaited.take().map(|(_, replay)| replay);
        true
    }

    /// The lowest price in the last recorded poll of the alert's search, in the unit `per`; `None` if that
    /// had no offer with a price, or while there is no result in that unit.
    pub fn lowest(&self, per: PricePer) -> Option<f64> {
        let is_same = self.answered.as_ref()?.rule.per == per;
        self.replay.filter(|_| is_same)?.lowest
    }

    /// The number of times an alert's rule would have fired, as a sentence, with `suffix` before its full
    /// stop; `None` while there is no result for this rule, or if less than an hour is recorded.
    pub fn describe_firings(&self, rule: &Rule, suffix: &str) -> Option<String> {
        let (replay, answered) = self.replay.zip(self.answered.as_ref())?;
        let is_same = answered.rule == *rule;
        let times = match replay.rings {
            0 => "not have rung".to_owned(),
            1 => "have rung once".to_owned(),
            many => format!("have rung {} times", format::grouped(many)),
        };
        let recorded = answered.question.until.since(replay.since);
        let time = format::lasting(seconds(recorded));
        (is_same && recorded >= LEAST).then(|| format!("It would {times} in the last {time}{suffix}."))
    }
}
