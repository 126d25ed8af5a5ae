//! Questions in plain words that a view answers: `why is 123456 missing`, `alert me when`, `price history`.

use super::grammar::{Clause, Fact, set};
use super::id;
use super::text::Text;
use super::vocabulary::Role;
use crate::Operator;

/// A question that a view of the dashboard answers, rather than a table of offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// The reason an offer is not listed; the text has its id.
    Missing,
    /// A wish to be alerted once the search is met, or a price is low enough.
    Alert,
    /// The prices of the past: trend, cheapest hours, whether to wait, how long offers last.
    History,
    /// A workergroup of such offers.
    Workergroup,
    /// The number of GPUs that are needed, for the planner.
    Plan,
}

/// A maximum price in $/h.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PriceLimit {
    pub dollars: f64,
    /// Whether it is the price of one GPU; otherwise that of the whole offer.
    pub is_per_gpu: bool,
}

/// The phrases of each question.
pub(super) const QUESTIONS: [(Question, &str); 5] = [
    (
        Question::Missing,
        "why|why is|why was|why isn't|not in list|not in the list|not in my list|not in the table|not in the results|\
        showing up|not showing up|explain|filter|which filter|what filter|which filter hides|what filter hides|\
        filter excludes|or filtered|or just filtered|why not|why is not|why is there no|why can't i see|why can't i find|\
        why don't i see|why do i not see|can't see|can't find|cannot see|cannot find|don't see|do not see|\
        missing|hidden|not shown|not showing|not listed|not visible|not there|isn't shown|isn't listed|\
        isn't there|isn't visible|where|where is|where's|where did|where has|gone|disappeared|vanished|hides|\
        filtered|filtered out|filters out|even if filtered out|went|happened to|rented|already rented|excluded",
    ),
    (
        Question::Alert,
        "alert|also while the program is closed|also while closed|while closed|even while closed|also when closed|\
        also while bourse is closed|also when bourse is closed|beep|beep me when|beep me if|wake me up when|wake me up if|buzz me when|alert me|alert me when|alert me if|price alert|new alert|an alert|alarm|set alarm|set an alarm|\
        set alert|set an alert|set a price alert|notify|notify me|notify me when|notify me if|notification|\
        tell me when|tell me if|tell me once|let me know|let me know when|let me know if|ping me|ping me when|\
        ping me if|email me when|email me if|mail me when|message me when|text me when|wake me when|wake me if|\
        watch|watch the price|watch the price of|warn me when|warn me if|watch for|ring when|ring me when|\
        remind me when",
    ),
    (
        Question::History,
        "history|good price|a good price|fair price|a fair price|going up|going down|going up or down|get taken|\
        are taken|how long before|how long until|cheapest hour of the week|price history|history of price|trend|price trend|price over time|price chart|past price|\
        good time|good time to|right time|right time to|good moment|good moment to|right moment|best time|\
        best time to|is now a good time|is now good time|is now a good time to|is now a good moment|\
        is now good moment|is now a good moment to|wait|or wait|should i wait|or should i wait|better to wait|\
        cheapest when|when cheapest|when is|when are|when was|when does|when do|when is it|when are they|usually|normally|usual price|\
        normal price|average price|median price|typical price|how long do|how long does|how long will|last|\
        how fast do|how fast are|how fast|gone|how quickly|lifetime|best hour|best day|best hour of the week|\
        best day of the week|best time of the week|best time of day|cheapest day of the week|\
        cheapest hour of the day|cheapest hour|cheapest day|cheapest time|cheapest weekday|hour of the week|\
        hour of the day|day of the week|day of week|time of day|time of the day|at night|on weekend|\
        on the weekend|at the weekend|last month|last week|this month|this week|last 30 day|last 7 day|\
        over the last month|over the last week|in the last month|in the last week|compared to last week",
    ),
    (
        Question::Plan,
        "how many|how many gpu|how many machine|how many do i need|how many gpu do i need|how many do we need|\
        how many are needed|how many gpu are needed",
    ),
    (
        Question::Workergroup,
        "worker group|workergroup|new worker group|new endpoint|new group|serverless group|serverless worker group|\
        autoscaling group|autoscale group|worker pool|pool of worker|serverless|serverless endpoint|endpoint|autoscale|autoscaling|autoscaler|\
        autogroup|create workergroup|create a workergroup|new workergroup",
    ),
];

/// The greatest number without a unit that is a price in $/h.
const MOST_DOLLARS: f64 = 10.0;

/// The clauses of the questions that the phrases at a position may ask; empty if there are none, if the search is
/// not for offers, or for a missing offer without an id.
pub(super) fn clauses(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let question = |role: &Role| match role {
        Role::Ask(Question::Missing) if !id::has_id(text) => None,
        Role::Ask(question) if text.is_offers() => Some(*question),
        _ => None,
    };
    let clauses = text.phrases[at].iter().flat_map(|(next, roles)| {
        let questions = roles.iter().filter_map(question);
        questions.map(|question| {
            let fact = set(|settings| settings.question = Some(question));
            // `alert 0.25`
            let limit = text.number(*next).filter(|(number, end)| {
                let has_noun = text.phrases.get(*end).is_some_and(|phrases| !phrases.is_empty());
                question == Question::Alert && *number < MOST_DOLLARS && !has_noun && !text.is_model(*next)
            });
            let price = limit.map(|(number, _)| Fact::Price(vec![(Some(Operator::Lte), number)]));
            let next = limit.map_or(*next, |(_, end)| end);
            Clause::new([fact].into_iter().chain(price).collect(), next)
        })
    });
    clauses.collect()
}

/// The fact of a workergroup with at most this many workers, `None` unless the number is whole and positive.
pub(super) fn of_workers(most: Option<u32>) -> Option<Fact> {
    let most = most?;
    Some(set(|settings| {
        settings.question = Some(Question::Workergroup);
        settings.workers = Some(most);
    }))
}

impl Question {
    /// Words that ask the question.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Missing => "why is",
            Self::Alert => "alert",
            Self::History => "price history",
            Self::Plan => "how many",
            Self::Workergroup => "workergroup",
        }
    }

    /// The answer, as a phrase: `opens the price history`.
    pub(super) const fn answer(self) -> &'static str {
        match self {
            Self::Missing => "shows the filters that hide it",
            Self::Alert => "opens the form of an alert",
            Self::History => "opens the price history",
            Self::Plan => "opens the planner",
            Self::Workergroup => "opens the form of a workergroup",
        }
    }

    /// The command that answers the question without the dashboard, as advice: `` `bourse history` shows past prices ``.
    pub(super) const fn advice(self) -> &'static str {
        match self {
            Self::Missing => "the dashboard names the filters that hide an offer: type this in its query bar",
            Self::Alert => "the dashboard makes alerts: type this in its query bar",
            Self::History => "`bourse history` shows the prices of the past",
            Self::Plan => "`bourse plan` finds the GPUs for work and a deadline",
            Self::Workergroup => "`bourse groups create` creates workergroups",
        }
    }
}
