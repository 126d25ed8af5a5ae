//! `bourse markets add`: saves a market, with the dialect that its responses indicate.

use std::io::{self, IsTerminal as _, Write as _};

use clap::{Args, ValueHint};
use secrecy::ExposeSecret as _;

use super::command::save_market;
use super::document::MarketAdded;
use super::name::name_fault;
use super::probe::probe;
use super::{KeyFrom, NewMarket};
use crate::api::{Origin, Secret};
use crate::cli::args::{ArgumentError, ReplyFormat};
use crate::cli::output::{self, CliError};
use crate::domain::Dialect;
use crate::domain::evidence::Findings;
use crate::settings::{Config, Environment, Global, KEY_VARIABLE};
use crate::store::keys::{self, ApiKeyError};

#[derive(Debug, Args)]
pub struct AddArguments {
    /// Name of the new market
    pub name: String,

    /// Its address, such as `https://market.example` [default: --base-url]
    #[arg(value_hint = ValueHint::Url)]
    pub address: Option<String>,

    /// Its dialect: documented (network speeds in MB/s), vast (Mb/s) or sandbox [default: found out
    /// with four searches]
    #[arg(long, value_name = "NAME", value_parser = dialect)]
    pub dialect: Option<&'static Dialect>,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: ReplyFormat,
}

/// Parses the name of a dialect; the error lists all names.
fn dialect(name: &str) -> Result<&'static Dialect, ArgumentError> {
    Dialect::named(name).ok_or_else(|| {
        let known = Dialect::ALL.map(|dialect| dialect.name).join(", ");
        ArgumentError::Choice(format!("choose one of {known}"))
    })
}

/// Runs `bourse markets add`: saves a new market in the configuration and prints it.
///
/// The key is stored only if it comes from a key file. A usage error for an invalid or taken name, a bad
/// address, none or two, a key that must not go to that address, and a dialect that stays unclear.
pub async fn add(global: &Global, arguments: &AddArguments) -> Result<(), CliError> {
    let usage = |why: &str| CliError::Usage(why.to_owned());
    let unusable = |error: ApiKeyError| CliError::Usage(error.to_string());
    let paths = global
        .paths()
        .ok_or_else(|| usage("no home directory for a configuration"))?;
    let config = Config::load(&paths.config_file()).map_err(CliError::Configuration)?;
    let taken: Vec<String> = config.profile_names().into_iter().map(str::to_owned).collect();
    if let Some(why) = name_fault(&arguments.name, &taken) {
        return Err(usage(&why));
    }
    let base_url = match (&arguments.address, &global.base_url) {
        (Some(_), Some(_)) => return Err(usage("give the address once: as an argument or with --base-url")),
        (Some(address), None) | (None, Some(address)) => Origin::complete(address),
        (None, None) => return Err(usage("give the address of the market, such as https://market.example")),
    };
    let origin = |address: &str| Origin::parse(address).map_err(|why| CliError::Usage(format!("{address}: {why}")));
    let address = origin(&base_url)?;
    let route_url = global.route_url.as_deref().map(Origin::complete);
    let route = route_url.as_deref().map(origin).transpose()?;
    let environment = Environment::of_process();
    let key = match (&global.api_key_file, &environment.key) {
        (Some(file), _) => Some(keys::from_file(file).map_err(unusable)?),
        (None, Some(text)) => Some(keys::parse(text, KEY_VARIABLE).map_err(unusable)?),
        (None, None) => None,
    };
    let key = key.map(|key| Secret::new(key.expose_secret()));
    if key.is_some() {
        for origin in [Some(&address), route.as_ref()].into_iter().flatten() {
            let why = origin.judge_for_key();
            why.map_err(|why| CliError::Usage(format!("{origin}: {why}")))?;
        }
    }
    let dialect = match arguments.dialect {
        Some(dialect) => dialect,
        None => find_dialect(&address, key.as_ref()).await?,
    };
    let saved = key.filter(|_| global.api_key_file.is_some());
    let market = NewMarket {
        name: arguments.name.clone(),
        base_url,
        route_url,
        dialect,
        read_only: global.read_only,
        key: saved.map_or(KeyFrom::Environment, KeyFrom::File),
    };
    save_market(&paths, &market).map_err(|error| CliError::Failed(error.to_string()))?;
    print_added(market, &address, arguments.format)
}

/// Prints the market that was added, as a line of text or as a document.
fn print_added(market: NewMarket, address: &Origin, format: ReplyFormat) -> Result<(), CliError> {
    let dialect = market.dialect;
    if format == ReplyFormat::Json {
        let content = MarketAdded {
            market: market.name,
            address: address.to_string(),
            dialect: dialect.name,
        };
        return output::print_document("market-added", content);
    }
    output::print(&format!(
        "{} added: {address}, dialect {}, network speeds in {}\n",
        market.name,
        dialect.name,
        dialect.transfer.symbol()
    ))
}

/// The dialect of a market, detected by searches; if they do not show it, chosen by the user in a terminal,
/// and a usage error elsewhere. An error also if the first search fails.
async fn find_dialect(address: &Origin, key: Option<&Secret>) -> Result<&'static Dialect, CliError> {
    let findings = probe(address, key, drop).await?;
    let sample = findings.describe_speed();
    match findings.dialect() {
        Some(dialect) => {
            output::note(&format!("dialect {}: {}", dialect.name, findings.describe()));
            if let Some(sample) = sample {
                output::note(&sample);
            }
            Ok(dialect)
        }
        None if io::stdin().is_terminal() && io::stderr().is_terminal() => ask_dialect(&findings),
        None => {
            let sample = sample.map(|sample| format!(" ({sample})")).unwrap_or_default();
            Err(CliError::Usage(format!(
                "the dialect is not clear{sample}, {}; add --dialect documented (network speeds in MB/s) or --dialect \
                 vast (Mb/s)",
                findings.describe()
            )))
        }
    }
}

/// Asks the user for the dialect in the terminal; a usage error if the answer names none.
fn ask_dialect(findings: &Findings) -> Result<&'static Dialect, CliError> {
    output::print_message(&format!("The dialect is not clear, {}.", findings.describe()));
    if let Some(sample) = findings.describe_speed() {
        output::print_message(&sample);
    }
    let mut err = io::stderr().lock();
    let _ = write!(err, "documented (network speeds in MB/s) or vast (Mb/s)? ").and_then(|()| err.flush());
    let mut answer = String::new();
    let _ = io::stdin().read_line(&mut answer);
    Dialect::named(answer.trim()).ok_or_else(|| CliError::Usage("no dialect chosen: nothing was saved".to_owned()))
}
