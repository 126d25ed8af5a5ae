//! What the record says of an alert that is being written.

use crate::core::view::Cx;
use crate::domain::format;
use crate::features::history::{self as recall, Recalled};
use crate::record::alerts::Followed;
use crate::record::{Answer, DAY, LotFilter, Question, Replay, Rule, SearchKey, VERDICT_DAYS, Want};

/// Seconds of the record that a rule is checked on.
const RECORDED: i64 = VERDICT_DAYS * DAY;

/// The least seconds on record that say anything.
const LEAST: i64 = 3600;

#[derive(Debug, Default)]
pub(super) struct Backtest {
    replay: Option<Replay>,
    /// The question that it answers.
    answered: Option<Question>,
    awaited: Option<Question>,
}

impl Backtest {
    /// Asks the record about a rule: one question at a time, since each key changes it.
    pub fn ask(&mut self, follows: &Followed, rule: Rule, cx: &mut Cx<'_>) {
        if self.awaited.is_some() || !cx.state().recall().is_on {
            return;
        }
        let Some(search) = cx.state().alert_search(follows) else {
            self.replay = None;
            return;
        };
        let (key, storage) = (SearchKey::of(&search.query), search.query.storage_gb());
        let want = Want::Rings(rule);
        let question = recall::question(Some(key), LotFilter::default(), storage, RECORDED, want, cx.now);
        let is_same = |answered: &Question| answered.search == question.search && answered.want == question.want;
        if !self.answered.as_ref().is_some_and(is_same) {
            recall::ask(cx, question.clone());
            self.awaited = Some(question);
        }
    }

    /// Takes the answer; false if it is not here yet.
    pub fn take(&mut self, cx: &Cx<'_>) -> bool {
        let Some(question) = &self.awaited else {
            return false;
        };
        self.replay = match cx.state().recall().answer(question) {
            Recalled::Awaited => return false,
            Recalled::Here(Answer::Rings(replay)) => *replay,
            Recalled::Here(_) | Recalled::Failed(_) => None,
        };
        self.answered = self.awaited.take();
        true
    }

    /// The lowest price at the last poll.
    pub fn lowest(&self) -> Option<f64> {
        self.replay?.lowest
    }

    /// How often a rule would have rung; `None` while nothing recorded says so.
    pub fn rung(&self, rule: &Rule) -> Option<String> {
        let (replay, question) = self.replay.zip(self.answered.as_ref())?;
        let is_same = matches!(&question.want, Want::Rings(asked) if asked == rule);
        let times = match replay.rings {
            0 => "not have rung".to_owned(),
            1 => "have rung once".to_owned(),
            many => format!("have rung {} times", format::grouped(many)),
        };
        let recorded = question.until.since(replay.since);
        #[expect(clippy::cast_precision_loss)] // at most a month of seconds
        let time = format::lasting(recorded as f64);
        (is_same && recorded >= LEAST).then(|| format!("It would {times} in the last {time}."))
    }
}
