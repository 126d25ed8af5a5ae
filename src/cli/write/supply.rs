//! The cost of a workergroup, from a search before it is created, and the limit on it.

use super::super::documents::{Cost, WorstCase};
use super::super::output::{self, CliError};
use super::super::search::reply;
use super::super::wanted::annotations;
use crate::api::{Reply, Request, Session};
use crate::core::mutations::describe_excess;
use crate::domain::journal::OverLimit;
use crate::domain::limits::Dollars;
use crate::domain::workergroup::{CostOutlook, Draft, Preflight, Recruitment, UnknownCost};
use crate::features::workergroups::draft::DraftNumber;
use crate::features::workergroups::look::Look;
use crate::settings::Settings;

/// The search of a group to create, and whether it may exceed the limit.
pub(super) struct Supply {
    look: Look,
    /// Whether the user lets the group cost more than the limit allows.
    may_exceed: bool,
}

/// The worst case of a group, and the limit on it.
pub(super) struct Checked {
    outlook: CostOutlook,
    limit: Option<Dollars>,
    may_exceed: bool,
}

impl Supply {
    /// The check of the offers that a workergroup draft would recruit; `None` if its search cannot be read.
    /// `may_exceed` lets its cost exceed the limit.
    pub fn new(draft: &Draft, may_exceed: bool, settings: &Settings) -> Option<Self> {
        let look = Look::at_draft(DraftNumber::default(), draft, settings.dialect).ok()?;
        Some(Self { look, may_exceed })
    }

    /// Searches for the offers the group would recruit and prints the worst case to stderr, with warnings.
    ///
    /// No search is sent for one in a template, whose cost is unknown. Unless `is_wanted` or there is a
    /// limit, none is sent and the result is `None`; only a missing price limit is then warned about, not for
    /// a template.
    pub async fn check(self, settings: &Settings, session: &Session, is_wanted: bool) -> Option<Checked> {
        let limit = settings.preferences.config.values.group_hourly;
        let conditions = &self.look.search.conditions;
        // The market applies a search that bourse does not have.
        let is_elsewhere = self.look.gap() == Some(&UnknownCost::Template);
        let outlook = if is_elsewhere {
            if !is_wanted {
                limit?;
            }
            CostOutlook::unknown(UnknownCost::Template, conditions)
        } else if is_wanted || limit.is_some() {
            let report = report(settings, session, &self.look.search).await;
            settings.keep_pacing(session);
            self.look.outlook(report.as_ref().map_err(Clone::clone))
        } else {
            if CostOutlook::unknown(UnknownCost::Unchecked, conditions).is_unlimited {
                output::print_message(
                    "warning: no price limit: it rents at any price (--dry-run shows up to how much)",
                );
            }
            return None;
        };
        if let Some(worst) = &outlook.worst {
            let more = if outlook.unknown.is_some() { "more than " } else { "" };
            output::print_message(&format!("worst case: {more}{}", worst.formula()));
        }
        if let Some(text) = outlook.no_price_limit() {
            output::print_message(&format!("warning: {text}"));
        } else if let Some(reason) = outlook.unknown.as_ref().filter(|_| !is_elsewhere) {
            output::print_message(&format!("warning: the worst case is unknown: {reason}"));
        }
        Some(Checked {
            outlook,
            limit,
            may_exceed: self.may_exceed,
        })
    }
}

/// The supply that the search of a group finds now, the offers that the user banned left out; sends one
/// search.
///
/// # Errors
///
/// The reason the cost is unknown, when the market sends no records.
pub async fn report(settings: &Settings, session: &Session, search: &Recruitment) -> Result<Preflight, UnknownCost> {
    let bans = annotations(settings);
    let mut query = search.query();
    let limit = query.limit;
    query.conditions.extend(bans.conditions(&query, settings.dialect));
    let replied = reply(session, &Request::Search(query)).await;
    let found = replied.and_then(Reply::into_records);
    let mut offers = found.map_err(|error| UnknownCost::Failed(error.without_advice()))?;
    bans.hide_banned(&mut offers);
    Ok(Preflight::new(&offers, search, limit))
}

impl Checked {
    /// The excess over the limit that the user lets the workergroup have, which is also noted on stderr;
    /// `None` if it is within the limit or there is none.
    ///
    /// # Errors
    ///
    /// When the group exceeds the limit and may not.
    pub fn allow(&self) -> Result<Option<OverLimit>, CliError> {
        let over = self.limit.and_then(|limit| Some((limit, self.outlook.excess(limit)?)));
        let Some((limit, excess)) = over else {
            return Ok(None);
        };
        let excess = describe_excess(limit, &excess);
        if !self.may_exceed {
            return Err(super::not_sent(&format!(
                "{excess}; add --over-limit to create it all the same"
            )));
        }
        output::note(&excess);
        Ok(Some(self.outlook.over_limit(limit)))
    }

    /// The member `cost` of a dry run: the worst case in $/h, the limit, and whether it is exceeded.
    pub fn cost(&self) -> Cost {
        let excess = self.limit.and_then(|limit| self.outlook.excess(limit));
        Cost {
            worst_case: WorstCase::new(&self.outlook),
            group_hourly: self.limit.map(Dollars::amount),
            over_limit: excess.is_some(),
        }
    }
}
