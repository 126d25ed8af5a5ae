//! The rows that each filter removes, computed from one search without filters.

use crate::api::Request;
use crate::core::view::Cx;
use crate::domain::cost::Basis;
use crate::domain::insight::{Coverage, coverage};
use crate::domain::language::print_condition_briefly;
use crate::domain::{Condition, Listing, Query, Resource, format};
use crate::features::search::rules::{FunnelLine, funnel, loosened, won_back};
use crate::table::browser::Browser;
use crate::table::computed_columns::ComputedColumns;
use crate::table::remote::{Now, Phase, Remote};

/// The limit of the search.
///
/// Enough to judge by, and fast.
const WIDE: u32 = 2000;

/// The effect of a filter, and of a looser one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RemovalStep {
    cost: FunnelLine,
    /// The filter loosened until the first row comes back, and the number of rows that come back
    /// then.
    pub looser: Option<(Condition, usize)>,
    /// Another filter to remove as well if removing this one brings back nothing, and the number of
    /// rows that come back then.
    with: Option<(String, usize)>,
}

/// The search without filters, and the effect of the draft's filters on its rows.
#[derive(Debug)]
pub(super) struct Removals {
    pub remote: Remote<Listing>,
    query: Query,
    steps: Vec<RemovalStep>,
    /// The number of rows that meet all filters, and of all rows.
    counts: (usize, usize),
    /// Whether the limit truncated the response.
    is_cut: bool,
    /// The computed columns of the response, without the three prices, which belong to other rows.
    computed: Box<ComputedColumns>,
    /// The price basis of its rows.
    pricing: Basis,
}

impl Removals {
    /// Sends the search of a pane without its conditions.
    pub fn ask(browser: &Browser) -> Self {
        let (gb, _) = browser.storage();
        let priced = browser.query.priced_storage(browser.dialect());
        Self {
            remote: Remote::default(),
            query: Query {
                conditions: Vec::new(),
                limit: Some(browser.query.limit.unwrap_or(WIDE).max(WIDE)),
                ..browser.query.clone()
            },
            steps: Vec::new(),
            counts: (0, 0),
            is_cut: false,
            computed: Box::new(browser.computed.for_other_rows()),
            pricing: Basis {
                gb: Some(gb).filter(|_| (gb - priced).abs() > 1e-9),
                ..browser.pricing()
            },
        }
    }

    pub fn send(&mut self, cx: &mut Cx<'_>) {
        let ticket = cx.send(Request::Search(self.query.clone()));
        cx.abort(self.remote.ask(ticket, cx.now));
    }

    /// Counts the rows that each of the conditions removes.
    pub fn judge(&mut self, conditions: &[Condition]) {
        let Some(listing) = self.remote.shown_mut() else {
            return;
        };
        // Filters on prices are judged by the prices on screen.
        listing.price_as(self.pricing.model);
        listing.estimate_storage(self.pricing.gb);
        if conditions.iter().any(|condition| condition.field.is_computed()) {
            match listing.catalog().resource {
                Resource::Offers => self.computed.fill_for(listing, self.pricing, None, &[]),
                Resource::Volumes => self.computed.fill_volumes(listing),
                Resource::Workergroups => {}
            }
        }
        listing.prepare(conditions.iter().map(|condition| condition.field));
        let funnel = funnel(listing, conditions);
        self.counts = (funnel.matching, funnel.total);
        self.is_cut = coverage(listing, self.query.limit) != Coverage::Whole;
        let step = |cost: FunnelLine| {
            let condition = conditions.get(cost.condition)?;
            let looser = cost.nearest.and_then(|value| loosened(condition, value));
            let looser = looser.map(|looser| {
                let many = won_back(listing, conditions, cost.condition, &looser);
                (looser, many)
            });
            let partner = cost.partner.filter(|_| cost.last == 0);
            let with = partner.and_then(|(index, together)| {
                let alone = funnel.lines.iter().find(|line| line.condition == index)?.last;
                Some((print_condition_briefly(conditions.get(index)?), together + alone))
            });
            Some(RemovalStep { cost, looser, with })
        };
        self.steps = funnel.lines.iter().copied().filter_map(step).collect();
    }

    /// The index of the condition whose removal brings back most rows.
    pub fn strictest(&self) -> Option<usize> {
        self.steps.first().map(|step| step.cost.condition)
    }

    /// The effect of the condition at an index.
    pub fn step(&self, index: usize) -> Option<&RemovalStep> {
        self.steps.iter().find(|step| step.cost.condition == index)
    }

    /// The progress or the result of the count, in a line.
    pub fn summary(&self) -> String {
        let nouns = self.query.resource.nouns();
        match self.remote.phase() {
            Phase::Loading { .. } => format!("Loading {nouns} without filters…"),
            Phase::Failed(error) => error.to_string(),
            Phase::Idle => String::new(),
            Phase::Ready => {
                let first = if self.is_cut { "the first " } else { "" };
                let (matching, total) = self.counts;
                let (matching, total) = (format::grouped(matching), format::grouped(total));
                format!("{matching} of {first}{total} {nouns} match")
            }
        }
    }

    /// The time since the search was sent, or the wait before it; `None` once it has ended.
    pub fn wait(&self, now: Now) -> Option<String> {
        match self.remote.phase() {
            Phase::Loading {
                waiting: Some(waiting), ..
            } => {
                let seconds = (waiting.until - now.mono).max(0.0).ceil();
                Some(format!("{}: sending in {seconds:.0} s", waiting.why))
            }
            Phase::Loading { since, .. } => {
                let seconds = (now.mono - since).max(0.0);
                Some(format!("{} {seconds:.0} s", self.summary()))
            }
            Phase::Failed(_) | Phase::Idle | Phase::Ready => None,
        }
    }

    /// The number of rows that come back, as a phrase.
    pub fn back(&self, many: usize) -> String {
        // Of a truncated response, others may come back as well.
        let least = if self.is_cut { "at least " } else { "" };
        match many {
            0 if self.is_cut => "none of these comes back".to_owned(),
            0 => "no row comes back".to_owned(),
            1 => format!("{least}1 row comes back"),
            many => format!("{least}{} rows come back", format::grouped(many)),
        }
    }
}

impl RemovalStep {
    /// The number of rows that the filter removes, and that come back without it, in a line.
    pub fn words(&self) -> String {
        if !self.cost.judged {
            return "not reported by any row".to_owned();
        }
        let removed = match self.cost.alone {
            0 => return "removes no row".to_owned(),
            many => format!("−{}", format::grouped(many)),
        };
        let grouped = format::grouped;
        let back = match (self.cost.last, &self.with) {
            (0, Some((partner, many))) => format!("without it and {partner} {} more", grouped(*many)),
            (0, None) => "none back without it".to_owned(),
            (many, _) => format!("without it {} more", grouped(many)),
        };
        let rest = match (&self.looser, self.cost.silent) {
            (Some((looser, many)), _) => {
                let looser = print_condition_briefly(looser);
                format!("; {looser} brings {}", grouped(*many))
            }
            (None, 0) => String::new(),
            (None, silent) => format!("; {} without a value", grouped(silent)),
        };
        format!("{removed}; {back}{rest}")
    }

    /// The effect of removing the filter: the number of rows, and the other filter to remove with
    /// it.
    pub fn removal(&self, of: &Removals) -> String {
        let both = self.with.as_ref();
        let both = both.map(|(partner, many)| format!("; without {partner} as well, {}", of.back(*many)));
        format!("{}{}", of.back(self.cost.last), both.unwrap_or_default())
    }
}
