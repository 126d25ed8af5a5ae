//! The rows that each filter removes, computed from one search without filters; or the filters
//! that hide one offer.

use crate::api::Request;
use crate::core::view::Cx;
use crate::domain::annotations::{Bans, Supplier, suppliers};
use crate::domain::cost::Basis;
use crate::domain::field::Kind;
use crate::domain::insight::{Coverage, query_coverage};
use crate::domain::language::print_condition_briefly;
use crate::domain::time::Now;
use crate::domain::{CellRef, Condition, Field, Listing, Operand, Operator, Query, Resource, Value, format};
use crate::features::search::rules::{Funnel, FunnelLine, funnel, loosened, won_back};
use crate::table::browser::Browser;
use crate::table::computed_columns::ComputedColumns;
use crate::table::remote::{Phase, Remote};
use crate::tui::text::capitalized;

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
    /// Whether the limit truncated the response, so that every count is only a lower bound.
    is_cut: bool,
    /// The conditions judged on the table's rows and their effect there, which may prove more than a
    /// truncated response.
    on_table: Option<(Vec<Condition>, Funnel)>,
    /// The computed columns of the response, without the three prices, which belong to other rows.
    computed: Box<ComputedColumns>,
    /// The price basis of its rows.
    pricing: Basis,
    /// The one offer that it is about; `None` if it is about all.
    wanted: Option<Wanted>,
}

/// An offer, and the filters that hide it.
#[derive(Debug)]
struct Wanted {
    /// The number by which a person asks for it.
    id: u64,
    /// The field that the number is the value of: its own id, or that of its machine.
    field: &'static Field,
    /// Whether it is among the loaded rows of the pane.
    is_loaded: bool,
    /// The indices of the conditions that reject it; of several offers on a machine, of the one
    /// that meets most. `None` if the market has no such offer.
    hides: Option<Vec<usize>>,
    /// The banned machine and host among its suppliers.
    banned: Vec<Supplier>,
    /// The conditions as text.
    texts: Vec<String>,
}

impl Wanted {
    /// The condition whose search finds the wanted offer: its number as an offer id or machine id.
    fn condition(&self) -> Condition {
        let id = Operand::One(Value::Number(self.id as f64));
        Condition::new(self.field, Operator::Eq, id)
    }

    /// The wanted offer or machine by its number: `Offer 123456`, `Machine 4371`.
    fn name(&self, resource: Resource) -> String {
        let noun = if self.field.key == "id" {
            resource.noun()
        } else {
            "machine"
        };
        format!("{} {}", capitalized(noun), self.id)
    }
}

impl Removals {
    /// Prepares, unsent, the search of a pane without its conditions; with `wanted`, for the offer with that
    /// id only.
    ///
    /// The limit is at least 2,000 rows.
    pub fn prepare(browser: &Browser, wanted: Option<u64>) -> Self {
        let (gb, _) = browser.storage();
        let priced = browser.query.priced_storage(browser.dialect());
        let wanted = wanted.and_then(|id| {
            let field = browser.query.catalog().by_key("id")?;
            let mut wanted = Wanted {
                id,
                field,
                is_loaded: false,
                hides: None,
                banned: Vec::new(),
                texts: Vec::new(),
            };
            let loaded = browser.listing().map(|listing| listing.matching(&[wanted.condition()]));
            wanted.is_loaded = loaded.is_some_and(|rows| !rows.is_empty());
            Some(wanted)
        });
        Self {
            remote: Remote::default(),
            query: Query {
                conditions: wanted.iter().map(Wanted::condition).collect(),
                limit: Some(browser.query.limit.unwrap_or(WIDE).max(WIDE)),
                ..browser.query.clone()
            },
            steps: Vec::new(),
            counts: (0, 0),
            is_cut: false,
            on_table: None,
            computed: Box::new(browser.computed.for_other_rows()),
            pricing: Basis {
                gb: Some(gb).filter(|_| (gb - priced).abs() > 1e-9),
                ..browser.pricing()
            },
            wanted,
        }
    }

    /// Searches again for the wanted number as a machine's, if the response has no offer with it; false if no
    /// search was sent: an offer has it, that was done already, or the search is for all offers.
    pub fn ask_for_machine(&mut self, cx: &mut Cx<'_>) -> bool {
        let (Some(wanted), Some(listing)) = (&mut self.wanted, self.remote.shown()) else {
            return false;
        };
        let machine = listing.catalog().by_key("machine_id");
        let is_offer = !listing.matching(&[wanted.condition()]).is_empty();
        let Some(machine) = machine.filter(|machine| !is_offer && wanted.field != *machine) else {
            return false;
        };
        wanted.field = machine;
        self.query.conditions = vec![wanted.condition()];
        self.send(cx);
        true
    }

    /// Sends the search; a search for one offer ignores the bans, which may be the reason it is hidden.
    pub fn send(&mut self, cx: &mut Cx<'_>) {
        let query = self.query.clone();
        // A ban may be what hides the one offer. The rows are only judged, never listed.
        let ticket = match &self.wanted {
            Some(_) => cx.send_unfiltered(query),
            None => cx.send(Request::Search(query)),
        };
        cx.abort(self.remote.ask(ticket, cx.now));
    }

    /// Computes the effect of each of the `conditions` on the rows of the response, or which of them and
    /// which bans hide the one offer. Does nothing before the response.
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
        self.is_cut = query_coverage(listing, &self.query) != Coverage::Whole;
        let mut funnel = funnel(listing, conditions);
        if let Some((_, table)) = self
            .on_table
            .as_ref()
            .filter(|(judged, _)| self.is_cut && judged == conditions)
        {
            funnel = funnel.proven_with(table, conditions);
        }
        self.counts = (funnel.matching, funnel.total);
        if let Some(wanted) = &mut self.wanted {
            let rows = listing.matching(&[wanted.condition()]);
            let in_force = || (0..conditions.len()).filter(|index| conditions[*index].enabled);
            let hides = |row: u32| -> Vec<usize> {
                let accepts = |index: &usize| listing.matching(&conditions[*index..=*index]).contains(&row);
                in_force().filter(|index| !accepts(index)).collect()
            };
            let bans = &self.computed.bans;
            let banned = |row: u32| -> Vec<Supplier> {
                let suppliers = suppliers(listing, row as usize).into_iter().flatten();
                suppliers.filter(|supplier| bans.contains(supplier)).collect()
            };
            let found = rows.into_iter().map(|row| (row, hides(row), banned(row)));
            let found = found.min_by_key(|(_, hides, banned)| hides.len() + banned.len());
            let texts = |row| conditions.iter().map(|own| with_value(own, listing, row)).collect();
            wanted.texts = found.as_ref().map_or_else(Vec::new, |(row, ..)| texts(*row));
            let (hides, banned) = found.map(|(_, hides, banned)| (hides, banned)).unzip();
            (wanted.hides, wanted.banned) = (hides, banned.unwrap_or_default());
            self.steps.clear();
            return;
        }
        let step = |cost: FunnelLine| {
            let condition = conditions.get(cost.condition)?;
            let looser = cost.nearest.and_then(|value| loosened(condition, value));
            let looser = looser.map(|looser| {
                let many = won_back(listing, conditions, cost.condition, &looser);
                // The row with that value, which may be one of the table only.
                (looser, many.max(1))
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

    /// If the response is truncated, stores the effect of the `conditions` on the table's `rows`, which the
    /// next `judge` takes into account, and returns true; otherwise false.
    pub fn judge_table(&mut self, rows: &Listing, conditions: &[Condition]) -> bool {
        if self.is_cut {
            self.on_table = Some((conditions.to_vec(), funnel(rows, conditions)));
        }
        self.is_cut
    }

    /// Whether the condition at an index rejects the one offer the search is for; false if the search is for
    /// all, or before its response.
    pub fn hides(&self, index: usize) -> bool {
        let wanted = self.wanted.as_ref();
        wanted.is_some_and(|wanted| wanted.hides.iter().flatten().any(|hider| *hider == index))
    }

    /// The banned machine and host of the one offer the search is for; empty if neither is banned, before the
    /// response, and if the search is for all.
    pub fn banned(&self) -> &[Supplier] {
        self.wanted.as_ref().map_or(&[], |wanted| &wanted.banned)
    }

    /// Replaces the bans by which the one offer may be hidden.
    pub fn set_bans(&mut self, bans: Bans) {
        self.computed.bans = bans;
    }

    /// The bans and filters that hide the one offer, or the state of its search, in a sentence; `None` if the
    /// search is for all offers.
    pub fn verdict(&self) -> Option<String> {
        let wanted = self.wanted.as_ref()?;
        let name = wanted.name(self.query.resource);
        Some(match (self.remote.phase(), wanted.hides.as_deref()) {
            (Phase::Loading { .. } | Phase::Idle, _) => format!("{name}: looking for it…"),
            (Phase::Failed(error), _) => error.to_string(),
            (Phase::Ready, None) => format!(
                "The market has no {} and no machine {}",
                self.query.resource.noun(),
                wanted.id
            ),
            (Phase::Ready, Some([])) if wanted.banned.is_empty() => {
                let rest = if wanted.is_loaded {
                    ": it is loaded"
                } else {
                    "; the limit may"
                };
                format!("No filter hides {name}{rest}")
            }
            (Phase::Ready, Some(hides)) => {
                let bans = wanted.banned.iter().map(|of| format!("your ban on {of}"));
                let filters = hides.iter().map(|index| wanted.texts[*index].clone());
                let texts: Vec<String> = bans.chain(filters).collect();
                format!("{name} is hidden by {}", texts.join(" and "))
            }
        })
    }

    /// The index of the condition whose removal brings back most rows, or of the first that hides the one
    /// offer. `None` before the count and if no condition hides the offer.
    pub fn strictest(&self) -> Option<usize> {
        if let Some(wanted) = &self.wanted {
            return wanted.hides.as_ref()?.first().copied();
        }
        self.steps.first().map(|step| step.cost.condition)
    }

    /// The effect of the condition at an index; `None` before the count, and in a search for one offer.
    pub fn step(&self, index: usize) -> Option<&RemovalStep> {
        self.steps.iter().find(|step| step.cost.condition == index)
    }

    /// The progress, the error or the result of the count of rows that each filter removes, in a line; empty
    /// before the search is sent. In a search for one offer, its verdict.
    pub fn summary(&self) -> String {
        if let Some(verdict) = self.verdict() {
            return verdict;
        }
        let nouns = self.query.resource.nouns();
        match self.remote.phase() {
            Phase::Loading { .. } => format!("Loading {nouns} without filters…"),
            Phase::Failed(error) => error.to_string(),
            Phase::Idle => String::new(),
            Phase::Ready => {
                let (matching, total) = self.counts;
                let [many, total] = [matching, total].map(format::grouped);
                match (self.is_cut, matching) {
                    (false, _) => format!("{many} of {total} {nouns} match"),
                    (true, 0) => format!("none of the first {total} {nouns} match"),
                    (true, _) => format!("≥ {many} match; counted on the first {total} {nouns}"),
                }
            }
        }
    }

    /// The summary with the seconds since the search was sent, or the wait before it is sent; `None` once it
    /// has ended.
    pub fn wait(&self, now: Now) -> Option<String> {
        self.remote.phase().under_way(&self.summary(), now)
    }

    /// The phrase for `many` rows that come back: `at least 12 rows come back`; "at least" if the response
    /// was truncated.
    pub fn describe_returning(&self, many: usize) -> String {
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
    /// The effect of the filter in a line: the rows that it removes if judged without the other filters,
    /// those that come back without it (if none, without it and one other), and those that a looser bound
    /// brings back, or else those without a value. A field that no row reports is only reported as such. `of`
    /// is the count that it belongs to.
    pub fn words(&self, of: &Removals) -> String {
        // Of a truncated response every count is a lower bound, and none proves that there are none.
        let (least, any) = if of.is_cut { ("≥", "of these ") } else { ("", "") };
        let grouped = |many: usize| format!("{least}{}", format::grouped(many));
        let removed = match (self.cost.judged, self.cost.alone) {
            (false, _) if of.is_cut => return "not reported by any of these".to_owned(),
            (false, _) => return "not reported by any row".to_owned(),
            (true, 0) if of.is_cut => return "removes none of these".to_owned(),
            (true, 0) => return "removes no row".to_owned(),
            (true, many) => format!("−{}", grouped(many)),
        };
        let back = match (self.cost.last, &self.with) {
            (0, Some((partner, many))) => format!("without it and {partner} {} more", grouped(*many)),
            (0, None) => format!("none {any}back without it"),
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

    /// The rows that come back without the filter, and those that come back without a second filter as well,
    /// as a phrase. `of` is the count that this step belongs to.
    pub fn removal(&self, of: &Removals) -> String {
        let both = self.with.as_ref();
        let both = both.map(|(partner, many)| format!("; without {partner} as well, {}", of.describe_returning(*many)));
        format!("{}{}", of.describe_returning(self.cost.last), both.unwrap_or_default())
    }
}

/// A condition with the value that a row has instead, if that is a number or a text: `reliability>=0.99 (it has 98.7%)`.
fn with_value(condition: &Condition, listing: &Listing, row: u32) -> String {
    let text = print_condition_briefly(condition);
    let (field, row) = (condition.field, row as usize);
    match (listing.cell(row, field), field.kind) {
        (CellRef::Number(_), Kind::Integer | Kind::Number) | (CellRef::Text(_), _) => {
            format!("{text} (it has {})", format::cell(listing, row, field, 20))
        }
        _ => text,
    }
}
