//! The flags of `bourse pick`.

use clap::{Args, ValueEnum};

use crate::cli::args::{Addition, PricedSearch};
use crate::domain::time::UnixTime;

#[derive(Debug, Args)]
pub struct PickArguments {
    #[command(flatten)]
    pub search: PricedSearch,

    /// The best are the first by these fields; `-` behind one sorts descending
    ///
    /// [default: the job's bill, without a job the price]
    #[arg(
        long,
        short,
        visible_alias = "sort",
        value_name = "ORDER",
        allow_hyphen_values = true
    )]
    pub order: Option<String>,

    /// What to print [default: the reasons and the rent command]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub print: Option<Printed>,

    /// Add what bourse knows to the record of `--print json`, separated by commas
    #[arg(long, hide_short_help = true, value_name = "WHAT", value_enum, value_delimiter = ',')]
    pub with: Vec<Addition>,

    /// How many offers to look at once more, the best first
    #[arg(long, value_name = "N", default_value_t = super::TRIES, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub tries: u32,

    /// Command to run with the offer, without a shell
    ///
    /// `BOURSE_OFFER`, `BOURSE_MACHINE`, `BOURSE_MODEL`, `BOURSE_PRICE` and `BOURSE_COUNT` are in its
    /// environment.
    #[arg(long, value_name = "COMMAND", value_hint = clap::ValueHint::CommandString)]
    pub exec: Option<String>,

    /// Time by which the job is done, e.g. `friday`, `18:00`
    ///
    /// Also `tomorrow noon`, `2026-12-01` and `2026-12-01 18:00`, in your time zone. [default: none]
    #[arg(long, value_name = "TIME", value_parser = crate::cli::args::parse_deadline)]
    pub by: Option<UnixTime>,

    /// Offers to request [default: 500, or 3000 to filter or sort here; 0 sends no limit]
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub limit: Option<u32>,
}

/// The part of the picked offer that is printed; the reasons then go to standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Printed {
    /// Its id
    Id,
    /// The market's own command that rents it
    Command,
    /// Its record as received
    Json,
}
