//! `bourse pick`: the best offer that is still available.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::arguments::{PickArguments, Printed};
use super::{PickStep, Recheck};
use crate::api::{Session, redact};
use crate::cli::args::Addition;
use crate::cli::output::CliError;
use crate::cli::search::{SearchResult, arranged_with, fetch, load};
use crate::cli::wanted::{Wanted, priced, request, set_limit};
use crate::cli::{enrich, notes, output, table};
use crate::core::copy_item::CopyError;
use crate::domain::cost::{Basis, Job, Prices};
use crate::domain::format::{cell_of, counted};
use crate::domain::insight::{Bill, Coverage, query_coverage};
use crate::domain::query::Direction;
use crate::domain::{Listing, OfferType, RowId, language};
use crate::features::copy_export::handoff;
use crate::features::markets::command::profile_of;
use crate::process::{self, Terminal};
use crate::settings::Settings;

/// Maximum time of the command of `--exec`.
///
/// A command that hangs must not hold up a script for ever.
const PATIENCE: Duration = Duration::from_mins(10);

/// Maximum width of an offer's name and place, in cells.
const WIDEST: usize = 40;

/// Runs `bourse pick`: rechecks the best offers one by one and prints the first that is still there and the
/// best (or the best rechecked one when the tries are used up), then runs `--exec`.
///
/// `CliError::NotMet` if no offer can be picked or all that were tried are gone.
pub async fn pick(settings: &Settings, options: &PickArguments) -> Result<(), CliError> {
    if let Some(command) = &options.exec {
        process::command_words(command).map_err(|error| CliError::Usage(format!("--exec: {error}")))?;
    }
    let wanted = search(settings, options)?;
    let is_json = options.print == Some(Printed::Json);
    enrich::check(&options.with, is_json, "--print json", wanted.job.is_some())?;
    notes::warn(&wanted.query, settings.dialect);
    let connection = settings.connect().await?;
    let session = &connection.session;
    let found = load(settings, session, wanted.clone()).await?;
    found.print_notes(settings.dialect, "left out");
    let mut market = PickMarket::new(settings, wanted, found)?;
    let mut recheck = Recheck::new(options.tries as usize);
    let mut ranking = market.ranking();
    let all = ranking.len();
    market.print_obstacles();
    let id = loop {
        match recheck.step(&ranking) {
            PickStep::Check(id) => {
                recheck.check(id);
                let is_there = market.check(session, id).await?;
                ranking = market.ranking();
                market.print_change(id, is_there, &ranking);
            }
            PickStep::Take(id) => break id,
            PickStep::Nothing => {
                output::note(&match recheck.checked().len() {
                    0 if market.obstacles().is_empty() => "no offers match".to_owned(),
                    0 => "no offer can be picked".to_owned(),
                    tried => format!("{tried} of {all} tried, all gone: --tries tries more, or search again"),
                });
                if is_json {
                    output::print_document("pick", NoOffer { offer: () })?;
                }
                return Err(CliError::NotMet);
            }
        }
    };
    let offer = Offer {
        market: &market,
        is_first: ranking.first() == Some(&id),
        candidates: ranking.len(),
        checked: recheck.checked().len(),
        id,
    };
    offer.print(session, options)?;
    offer.print_list_price();
    let limits = settings.preferences.config.values.limits();
    let warning = handoff::limit_warning(limits, market.basis(), &market.now.listing, id);
    if let Some(warning) = warning {
        output::note(&warning);
    }
    let Some(exec) = &options.exec else { return Ok(()) };
    let listing = &market.now.listing;
    let row = listing.row(id).and_then(|row| u32::try_from(row).ok());
    let variables = row.map(|row| table::variables(listing, row, 1));
    let ended = process::finish(exec, variables.unwrap_or_default(), Terminal::Lent, PATIENCE).await;
    ended.map_err(|why| CliError::Failed(format!("--exec: {why}")))
}

/// No offer. With an offer `bourse pick --json` prints its record with the member `bourse`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NoOffer {
    offer: (),
}

/// The search whose first row is the best offer: ordered by `--order`, or else by the job's bill or the
/// price.
fn search(settings: &Settings, options: &PickArguments) -> Result<Wanted, CliError> {
    let dialect = settings.dialect;
    let mut wanted = priced(
        settings,
        &options.search,
        (options.order.clone(), options.limit),
        options.by,
    )?;
    if options.order.is_none() {
        wanted.query.order = super::order(&wanted.query, wanted.job.is_some(), dialect);
    }
    wanted.additions.clone_from(&options.with);
    set_limit(&mut wanted, options.limit, dialect)?;
    Ok(wanted)
}

/// The offers of a search: the first response, updated by the rechecks.
struct PickMarket<'a> {
    settings: &'a Settings,
    wanted: Wanted,
    /// The response to the search, then those to the rechecks.
    parts: Vec<(Listing, bool)>,
    /// Whether the response to the search is complete.
    coverage: Coverage,
    now: SearchResult,
    /// The price of each offer in the first response.
    first: BTreeMap<RowId, f64>,
    gone: HashSet<RowId>,
}

impl<'a> PickMarket<'a> {
    /// The offers of the first response, with their prices stored for comparison.
    fn new(settings: &'a Settings, wanted: Wanted, found: SearchResult) -> Result<Self, CliError> {
        let all: Vec<u32> = (0..u32::try_from(found.listing.len()).unwrap_or(u32::MAX)).collect();
        let first = found.listing.subset(&all);
        let mut market = Self {
            settings,
            coverage: query_coverage(&found.listing, &found.query),
            parts: vec![(first.map_err(|error| CliError::Failed(error.to_string()))?, true)],
            first: BTreeMap::new(),
            gone: HashSet::new(),
            now: found,
            wanted,
        };
        let listing = &market.now.listing;
        let ids = (0..listing.len()).filter_map(|row| listing.id(row));
        market.first = ids.filter_map(|id| Some((id, market.price(id)?))).collect();
        Ok(market)
    }

    /// The basis of the prices: the price model, the estimated storage and the job.
    fn basis(&self) -> Basis {
        Basis {
            model: self.now.query.offer_type,
            gb: self.now.listing.estimated_storage(),
            job: self.wanted.job,
        }
    }

    /// The prices of the current offers under the price model of the search.
    fn prices(&self) -> Prices<'_> {
        Prices::new(&self.now.listing, self.now.query.offer_type)
    }

    /// The bill of the search's job in $, or without a job the price of the whole offer in $/h; `None` if the
    /// offer is gone or the price unknown.
    fn price(&self, id: RowId) -> Option<f64> {
        self.basis().price(&self.prices(), self.now.listing.row(id)?).ok()
    }

    /// A bill or hourly price as text; `unknown` for `None`.
    fn money(&self, price: Option<f64>) -> String {
        let bill = self.wanted.job.map_or(Bill::Hourly, |_| Bill::Job);
        price.map_or_else(|| "unknown".to_owned(), |price| bill.money(price))
    }

    /// The ids of the offers that suit the job and meet the conditions, in order, each with the reason it is
    /// never picked, or `None`.
    fn suitable(&self) -> impl Iterator<Item = (RowId, Option<&'static str>)> {
        let (listing, query) = (&self.now.listing, &self.now.query);
        let (prices, basis) = (self.prices(), self.basis());
        let all = self.now.suitable().iter().map(|row| *row as usize);
        let rows = all.filter(|row| super::meets_conditions(listing, query, *row));
        rows.filter_map(move |row| Some((listing.id(row)?, super::obstacle(&prices, basis, row))))
    }

    /// The ids of the offers that can be picked, best first, without those that a recheck found gone.
    fn ranking(&self) -> Vec<RowId> {
        let free = self.suitable().filter(|(_, obstacle)| obstacle.is_none());
        let ids = free.map(|(id, _)| id);
        ids.filter(|id| !self.gone.contains(id)).collect()
    }

    /// The offers that suit but are never picked, by the reason.
    fn obstacles(&self) -> BTreeMap<&'static str, Vec<RowId>> {
        let mut obstacles: BTreeMap<&'static str, Vec<RowId>> = BTreeMap::new();
        for (id, obstacle) in self.suitable() {
            if let Some(why) = obstacle {
                obstacles.entry(why).or_default().push(id);
            }
        }
        obstacles
    }

    /// Notes on stderr the offers that suit but are never picked, with the reason and the first id.
    fn print_obstacles(&self) {
        for (why, ids) in self.obstacles() {
            output::note(&match &ids[..] {
                [id] => format!("offer {id} can't be picked: {why}"),
                ids => {
                    let first = ids.first().map_or_else(String::new, |id| format!(", e.g. offer {id}"));
                    format!(
                        "{} can't be picked: {why}{first}",
                        counted(ids.len(), "offer", "offers")
                    )
                }
            });
        }
    }

    /// Rechecks an offer by a search for its id, and updates the prices; false, with a note, if it is gone.
    async fn check(&mut self, session: &Session, id: RowId) -> Result<bool, CliError> {
        let bans = self.wanted.bans(self.settings);
        let query = super::only(&self.wanted.query, id);
        let response = fetch(session, &request(&query, &bans, self.settings.dialect)).await;
        self.settings.keep_pacing(session);
        let mut listing = response?;
        bans.hide_banned(&mut listing);
        let is_there = listing.row(id).is_some();
        if !is_there {
            self.gone.insert(id);
            // A market may ignore the id and send the first of all offers.
            let is_proven = listing.is_empty() || query_coverage(&listing, &query) == Coverage::Whole;
            output::note(&if is_proven {
                format!("offer {id} is gone")
            } else {
                format!("offer {id} was not found again: the market ignores ids and may have left it out")
            });
        }
        self.parts.push((*listing, false));
        let result = Listing::merged(self.wanted.query.catalog(), &self.parts, self.coverage);
        let merged = result.map_err(|error| CliError::Failed(error.to_string()))?;
        let models = std::mem::take(&mut self.now.computed.price_models);
        self.now = arranged_with(self.settings, self.wanted.clone(), Box::new(merged), models);
        Ok(is_there)
    }

    /// Notes the reason a rechecked offer is not taken; nothing if it is still the first of the `ranking`, or
    /// gone.
    fn print_change(&self, id: RowId, is_there: bool, ranking: &[RowId]) {
        let changed = match ranking.first() {
            Some(best) if *best == id => return,
            _ if !is_there => return,
            _ if !ranking.contains(&id) => "no longer matches".to_owned(),
            _ => {
                let (now, before) = (self.price(id), self.first.get(&id).copied());
                let [now, before] = [now, before].map(|price| self.money(price));
                format!("is {now} now ({before} a moment ago) and no longer the first")
            }
        };
        output::note(&format!("offer {id} {changed}"));
    }
}

struct Offer<'a> {
    market: &'a PickMarket<'a>,
    /// Whether it is the best of all offers, not only of the rechecked ones.
    is_first: bool,
    candidates: usize,
    checked: usize,
    id: RowId,
}

impl Offer<'_> {
    /// The value of a column for the picked offer, as text of at most 40 cells; empty if the offer is gone.
    fn text(&self, key: &str) -> String {
        let listing = &self.market.now.listing;
        let row = listing.row(self.id);
        row.map_or_else(String::new, |row| cell_of(listing, row, key, WIDEST))
    }

    /// A sentence with the offer, its price, a change of that since the first response, and its rank.
    fn reasons(&self) -> String {
        let market = self.market;
        let (before, now) = (market.first.get(&self.id).copied(), market.price(self.id));
        let job = market.wanted.job;
        let job = job.map_or_else(String::new, |job| format!(" for {}", job.spec()));
        let speed = market.wanted.job.filter(Job::downloads).map_or_else(String::new, |_| {
            let unit = market.now.listing.transfer().symbol();
            format!(", download at {} {unit}", self.text("inet_down"))
        });
        let changed = if before == now {
            String::new()
        } else {
            format!(" ({} a moment ago)", market.money(before))
        };
        let order = &market.now.query.order;
        let is_cheapest = matches!(&order[..], [key, ..] if ["dph_total", "job_cost"].contains(&key.field.key)
            && key.direction == Direction::Ascending);
        let offers = counted(self.candidates, "offer", "offers");
        let offers = match (self.is_first, market.coverage) {
            (true, Coverage::Whole) => offers,
            (true, Coverage::Cut | Coverage::Unknown) => format!("the {offers} received"),
            (false, _) => format!("the {} checked again", counted(self.checked, "offer", "offers")),
        };
        let rank = if is_cheapest {
            format!("the lowest of {offers}")
        } else {
            format!("the first of {offers} by {}", language::print_order(order))
        };
        let [gpus, model, place] = ["num_gpus", "gpu_name", "geolocation"].map(|key| self.text(key));
        let (id, price) = (self.id, market.money(now));
        format!("{gpus}x {model} in {place}, offer {id}: {price}{job}{speed}{changed}, {rank}")
    }

    /// The market client's command that rents the offer; an error if it has none for it.
    fn command(&self, session: &Session) -> Result<String, CopyError> {
        let market = self.market;
        let profile = profile_of(market.settings, session);
        handoff::rent_command(&market.now.query, &market.now.listing, self.id, &profile)
    }

    /// Prints the offer in the form that is asked for, by default as its rent command, and the reasons for
    /// it; all on stderr if only `--exec` is given.
    fn print(&self, session: &Session, options: &PickArguments) -> Result<(), CliError> {
        let command = self
            .command(session)
            .map_err(|error| CliError::Failed(error.to_string()))?;
        let reasons = self.reasons();
        match options.print {
            // The output is the program's.
            None if options.exec.is_some() => {
                output::print_unless_quiet(&format!("{reasons}\n{command}"));
                Ok(())
            }
            None => output::print(&format!("{reasons}\n{command}\n")),
            Some(printed) => {
                output::print_unless_quiet(&reasons);
                match printed {
                    Printed::Id => output::print(&format!("{}\n", self.id)),
                    Printed::Command => output::print(&format!("{command}\n")),
                    Printed::Json => output::print_json(&format!("{}\n", self.json(&command, &options.with))),
                }
            }
        }
    }

    /// Notes on stderr, only for a search of reserved prices, that the command rents at the list price, with
    /// that price in $/h.
    fn print_list_price(&self) {
        let now = &self.market.now;
        if now.query.offer_type != OfferType::Reserved {
            return;
        }
        let prices = Prices::new(&now.listing, OfferType::OnDemand);
        let row = now.listing.row(self.id);
        let price = row.and_then(|row| prices.hourly(row, now.listing.estimated_storage()).ok());
        let hourly = price.map_or_else(String::new, |price| format!(", {}", Bill::Hourly.money(price)));
        output::note(&format!(
            "the command rents at the list price{hourly}: for the reserved one, prepay the instance afterwards ({})",
            handoff::RESERVE
        ));
    }

    /// The offer's record as received, without possible secrets, with the member `bourse` for the rent
    /// command and the `additions`.
    fn json(&self, command: &str, additions: &[Addition]) -> String {
        let result = &self.market.now;
        let mut member = json!({ "v": enrich::VERSION, "command": command });
        let row = result.listing.row(self.id);
        let number = row.and_then(|row| u32::try_from(row).ok());
        let rows: Vec<u32> = number.into_iter().collect();
        for more in enrich::members(self.market.settings, result, &rows, additions) {
            if let (Some(member), Json::Object(more)) = (member.as_object_mut(), more) {
                member.extend(more);
            }
        }
        let received = row
            .and_then(|row| result.listing.json(row))
            .map(redact::without_possible_secrets);
        let record = received.unwrap_or_default();
        enrich::note_renamed(std::iter::once(&*record));
        enrich::with_member(&record, &member)
    }
}
