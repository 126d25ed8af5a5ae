//! `bourse pick`: the best offer that is still there.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::arguments::{PickArguments, Printed};
use crate::api::{Session, redact};
use crate::cli::args::SearchArguments;
use crate::cli::output::CliError;
use crate::cli::wanted::{Flags, Wanted, set_limit, wanted};
use crate::cli::{output, table};
use crate::domain::cost::{Basis, Job, Prices};
use crate::domain::format::{cell, counted};
use crate::domain::insight::Bill;
use crate::domain::query::Direction;
use crate::domain::{Resource, RowId, language};
use crate::features::annotations::command as notes;
use crate::features::copy_export::handoff;
use crate::features::enrich;
use crate::features::enrich::Addition;
use crate::features::markets::command::profile_of;
use crate::features::search::command::{SearchResult, load};
use crate::runtime::hook;
use crate::settings::Settings;
use crate::store::keys::command_words;

// A command that hangs must not keep a script waiting for good.
/// How long the command of `--exec` may run.
const PATIENCE: Duration = Duration::from_mins(10);

/// The widest text of an offer's name and place.
const WIDEST: usize = 40;

pub async fn pick(settings: &Settings, options: &PickArguments) -> Result<(), CliError> {
    if let Some(command) = &options.exec {
        command_words(command).map_err(|error| CliError::Usage(format!("--exec: {error}")))?;
    }
    let wanted = search(settings, options)?;
    let is_json = options.print == Some(Printed::Json);
    enrich::check(&options.with, is_json, "--print json", wanted.job.is_some())?;
    notes::warn(&wanted.query, settings.dialect);
    let connection = settings.connect().await?;
    let session = &connection.session;
    let found = load(settings, session, wanted.clone()).await?;
    found.tell(settings.dialect, "left out");
    let candidates = candidates(&found);
    let tried = candidates.iter().take(options.tries as usize).copied();
    let left = super::first_left(tried.clone(), async |id| {
        let again = look(settings, session, &wanted, *id).await?;
        if again.is_none() {
            output::note(&format!("offer {id} is gone"));
        }
        Ok::<_, CliError>(again)
    });
    let Some((id, again)) = left.await? else {
        output::note(&match (tried.len(), candidates.len()) {
            (_, 0) => "no offers match".to_owned(),
            (tried, all) => format!("{tried} of {all} tried, all gone: --tries tries more, or search again"),
        });
        return Err(CliError::NotMet);
    };
    let offer = Offer {
        settings,
        found: &found,
        candidates: candidates.len(),
        again: &again,
        id,
        job: wanted.job,
    };
    let command = offer.command(session).map_err(CliError::Failed)?;
    match options.print {
        None => output::print(&format!("{}\n{command}\n", offer.reasons()))?,
        Some(printed) => {
            output::tell(&offer.reasons());
            match printed {
                Printed::Id => output::print(&format!("{id}\n"))?,
                Printed::Command => output::print(&format!("{command}\n"))?,
                Printed::Json => output::print_json(&format!("{}\n", offer.json(&command, &options.with)))?,
            }
        }
    }
    let Some(exec) = &options.exec else { return Ok(()) };
    let row = again.listing.row(id).and_then(|row| u32::try_from(row).ok());
    let variables = row.map(|row| table::variables(&again.listing, row, 1));
    let ended = hook::finish(exec, variables.unwrap_or_default(), Stdio::inherit, PATIENCE).await;
    ended.map_err(|why| CliError::Failed(format!("--exec: {why}")))
}

/// The search whose first row is the best offer.
fn search(settings: &Settings, options: &PickArguments) -> Result<Wanted, CliError> {
    let arguments = SearchArguments {
        query: options.query.clone(),
        order: options.order.clone(),
        limit: options.limit,
        no_bans: options.no_bans,
        ..SearchArguments::default()
    };
    let (dialect, resource) = (settings.dialect, Resource::Offers);
    let mut wanted = wanted(
        settings,
        resource,
        &arguments,
        options.no_default,
        Flags {
            job: options.job.job(options.storage),
            by: options.by,
            term: None,
        },
    )?;
    let query = &mut wanted.query;
    query.offer_type = options.offer_type.unwrap_or(query.offer_type);
    query.storage = options.storage.or(query.storage);
    if let (Some(job), Some(gb)) = (&mut wanted.job, options.storage) {
        job.disk_gb = gb;
    }
    if options.order.is_none() {
        wanted.query.order = super::order(&wanted.query, wanted.job.is_some(), dialect);
    }
    wanted.additions.clone_from(&options.with);
    set_limit(&mut wanted, options.limit, dialect)?;
    Ok(wanted)
}

/// Searches once more for one offer; `None` if it is gone, or no longer what was asked for.
async fn look(
    settings: &Settings,
    session: &Session,
    wanted: &Wanted,
    id: RowId,
) -> Result<Option<SearchResult>, CliError> {
    let mut wanted = wanted.clone();
    wanted.query = super::only(&wanted.query, id);
    let result = load(settings, session, wanted).await?;
    Ok(candidates(&result).contains(&id).then_some(result))
}

/// The offers that suit the job, the best first.
fn candidates(result: &SearchResult) -> Vec<RowId> {
    let (listing, query) = (&result.listing, &result.query);
    let rows = result.suitable().iter().map(|row| *row as usize);
    let rows = rows.filter(|row| super::is_right(listing, query, *row));
    rows.filter_map(|row| listing.id(row)).collect()
}

/// The offer that was picked.
struct Offer<'a> {
    settings: &'a Settings,
    found: &'a SearchResult,
    candidates: usize,
    /// The second look.
    again: &'a SearchResult,
    id: RowId,
    job: Option<Job>,
}

impl Offer<'_> {
    fn text(&self, key: &str) -> String {
        let listing = &self.again.listing;
        let cell = |(field, row)| cell(listing, row, field, WIDEST);
        let place = listing.catalog().by_key(key).zip(listing.row(self.id));
        place.map_or_else(String::new, cell)
    }

    /// Its bill or hourly price, if that is known.
    fn price(&self, result: &SearchResult) -> Option<f64> {
        let (listing, model) = (&result.listing, result.query.offer_type);
        let basis = Basis {
            model,
            gb: listing.estimated_storage(),
            job: self.job,
        };
        basis.price(&Prices::new(listing, model), listing.row(self.id)?).ok()
    }

    /// What it is, what it costs, and why it is the one.
    fn reasons(&self) -> String {
        let bill = self.job.map_or(Bill::Hourly, |_| Bill::Job);
        let money = |price: Option<f64>| price.map_or_else(|| "unknown".to_owned(), |price| bill.money(price));
        let (before, now) = (self.price(self.found), self.price(self.again));
        let job = self.job.map_or_else(String::new, |job| format!(" for {}", job.spec()));
        let (changed, was) = if before == now {
            (String::new(), "")
        } else {
            (format!(" ({} a moment ago)", money(before)), "then ")
        };
        let order = &self.found.query.order;
        let is_cheapest = matches!(&order[..], [key, ..] if ["dph_total", "job_cost"].contains(&key.field.key)
            && key.direction == Direction::Ascending);
        let offers = counted(self.candidates, "offer", "offers");
        let rank = if is_cheapest {
            format!("the lowest of {offers}")
        } else {
            format!("the first of {offers} by {}", language::print_order(order))
        };
        let [gpus, model, place] = ["num_gpus", "gpu_name", "geolocation"].map(|key| self.text(key));
        let (id, price) = (self.id, money(now));
        format!("{gpus}x {model} in {place}, offer {id}: {price}{job}{changed}, {was}{rank}")
    }

    /// The market's own command that rents it.
    fn command(&self, session: &Session) -> Result<String, String> {
        let profile = profile_of(self.settings, session);
        handoff::rent_command(&self.again.query, &self.again.listing, self.id, &profile)
    }

    /// Its record as received, with a member of bourse's own.
    fn json(&self, command: &str, additions: &[Addition]) -> String {
        let (of_others, own): (Vec<_>, Vec<_>) = additions.iter().partition(|addition| addition.compares());
        let mut member = json!({ "v": enrich::VERSION, "command": command });
        for (result, additions) in [(self.again, own), (self.found, of_others)] {
            let row = result.listing.row(self.id).and_then(|row| u32::try_from(row).ok());
            for more in row
                .into_iter()
                .flat_map(|row| enrich::members(self.settings, result, &[row], &additions))
            {
                if let (Some(member), Json::Object(more)) = (member.as_object_mut(), more) {
                    member.extend(more);
                }
            }
        }
        let listing = &self.again.listing;
        let record = listing
            .row(self.id)
            .and_then(|row| listing.json(row))
            .map(redact::record);
        enrich::with_member(&record.unwrap_or_default(), &member)
    }
}
