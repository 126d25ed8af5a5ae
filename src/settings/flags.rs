//! The flags of every command, which go before the environment and the configuration.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::sandbox::faults::FaultSpec;

/// The heading of the sandbox's options.
pub const SANDBOX: &str = "Sandbox";

/// Flags that are accepted before or after a subcommand.
#[derive(Debug, Clone, Default, Args)]
pub struct Global {
    /// Market to use: sandbox, vast or a profile of the configuration [default: `default_profile`
    /// of the configuration, else sandbox]
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        hide_short_help = true,
        help_heading = "Marketplace"
    )]
    pub profile: Option<String>,

    /// Address of the management API [default: the profile's]; without --profile it uses the
    /// documented dialect, at vast.ai that of the public service
    #[arg(long, global = true, value_name = "URL", hide_short_help = true, help_heading = "Marketplace",
        value_hint = ValueHint::Url)]
    pub base_url: Option<String>,

    /// Address of the routing endpoint [default: the base address]
    #[arg(long, global = true, value_name = "URL", hide_short_help = true, help_heading = "Marketplace",
        value_hint = ValueHint::Url)]
    pub route_url: Option<String>,

    /// File that holds the API key, mode 0600 [default: `BOURSE_API_KEY`, else the profile's key]
    #[arg(long, global = true, value_name = "PATH", hide_short_help = true, help_heading = "Marketplace",
        value_hint = ValueHint::FilePath)]
    pub api_key_file: Option<PathBuf>,

    /// Send the key of --profile to the address of --base-url or --route-url too [default: only to the
    /// profile's own]
    #[arg(long, global = true, hide_short_help = true, help_heading = "Marketplace")]
    pub send_key: bool,

    /// File with the root certificate of the workers, PEM, which is trusted for requests to workers only
    /// [default: the profile's]
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true, help_heading = "Marketplace",
        value_hint = ValueHint::FilePath)]
    pub worker_ca: Option<PathBuf>,

    /// Refuse to create workergroups and to unlist volumes [default: the profile's setting]
    #[arg(long, global = true, hide_short_help = true, help_heading = "Marketplace")]
    pub read_only: bool,

    /// Seed of the sandbox market [default: 1]
    #[arg(long, global = true, value_name = "N", hide_short_help = true, help_heading = SANDBOX)]
    pub seed: Option<u64>,

    /// Machine offers in the sandbox market [default: 2400]
    #[arg(long, global = true, value_name = "N", hide_short_help = true, help_heading = SANDBOX)]
    pub offers: Option<usize>,

    /// Stop the clock of the sandbox market, so that every run returns the same bytes
    #[arg(long, global = true, hide_short_help = true, help_heading = SANDBOX)]
    pub freeze: bool,

    /// How many times faster than real time the sandbox market moves, 1 to 1000 [default: 1]
    #[arg(long, global = true, value_name = "N", hide_short_help = true, help_heading = SANDBOX,
        conflicts_with = "freeze", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub speed: Option<u32>,

    /// Delay that the sandbox adds to each response, in ms; 0 adds none [default: 30 to 150]
    #[arg(long, global = true, value_name = "MS", hide_short_help = true, help_heading = SANDBOX,
        value_parser = clap::value_parser!(u64).range(0..=60_000))]
    pub latency: Option<u64>,

    /// Make the sandbox return errors and delays, e.g. `status_500:0.2,slow@offers` [default: none]
    ///
    /// Either a profile (calm, flaky, storm, slow, throttle, split, hostile), optionally followed by
    /// `,seed=N` and `,only=F08,F10`, or a list of faults by name or number, each with its share and
    /// operation. `docs/sandbox.md` lists all faults.
    #[arg(long, global = true, value_name = "SPEC", hide_short_help = true, help_heading = SANDBOX)]
    pub faults: Option<FaultSpec>,
}
