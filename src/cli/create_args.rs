//! The flags of `bourse groups create`: one for each row of the parameter table.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches, ValueEnum};

use super::args::WriteArguments;
use crate::domain::workergroup::{Draft, Key, PARAMETERS, Parameter, ParameterKind};

#[derive(Debug, Args)]
pub struct CreateArguments {
    #[command(flatten)]
    pub parameters: Parameters,

    /// Leave machines and hosts that you banned in its search
    #[arg(long, hide_short_help = true)]
    pub no_bans: bool,

    /// Create it although its worst case is above the limit `limits.group_hourly`, or unknown
    #[arg(long, hide_short_help = true)]
    pub over_limit: bool,

    /// The flags on its confirmation and report.
    #[command(flatten)]
    pub write: WriteArguments,

    /// What happened to an identical creation that was sent before and whose outcome is unknown
    #[arg(long, alias = "settle", value_enum, value_name = "OUTCOME", hide_short_help = true)]
    pub earlier: Option<Settlement>,
}

/// The outcome that the user sets for a creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Settlement {
    /// The workergroup exists: nothing is sent
    Created,
    /// It does not exist: the request is sent
    NotCreated,
}

/// The parameters as typed. A parameter is sent if and only if its flag is given.
#[derive(Debug)]
pub struct Parameters(pub Draft);

/// The command-line flag of a workergroup parameter, without its dashes: `endpoint`.
pub const fn flag(key: Key) -> &'static str {
    match key {
        Key::EndpointName => "endpoint",
        Key::EndpointId => "endpoint-id",
        Key::TemplateHash => "template-hash",
        Key::TemplateId => "template-id",
        Key::SearchParams => "search-params",
        Key::LaunchArgs => "launch-args",
        Key::MinLoad => "min-load",
        Key::TargetUtil => "target-util",
        Key::ColdMult => "cold-mult",
        Key::ColdWorkers => "cold-workers",
        Key::MaxWorkers => "max-workers",
        Key::TestWorkers => "test-workers",
        Key::GpuRam => "gpu-ram",
    }
}

/// The placeholder for the value of a workergroup parameter in the help: `RATIO`.
const fn value_name(parameter: &Parameter) -> &'static str {
    match parameter.kind {
        ParameterKind::Text if matches!(parameter.key, Key::EndpointName) => "NAME",
        ParameterKind::Text => "TEXT",
        ParameterKind::Search => "QUERY",
        ParameterKind::Number | ParameterKind::Whole => "N",
        ParameterKind::Ratio => "RATIO",
        ParameterKind::Id => "ID",
    }
}

/// The command-line argument of a workergroup parameter with its help; the parameter's wire name is an alias.
fn argument(parameter: &'static Parameter) -> Arg {
    let brief = parameter.doc.split(['.', ',', ';', ':']).next();
    let help = match parameter.default {
        Some(default) => format!("{} [default: {default}]", parameter.doc),
        None => parameter.doc.to_owned(),
    };
    let argument = Arg::new(parameter.name)
        .long(flag(parameter.key))
        // As the market's own client spells it.
        .alias(parameter.name)
        .value_name(value_name(parameter))
        .value_parser(NonEmptyStringValueParser::new())
        .allow_hyphen_values(parameter.key == Key::LaunchArgs)
        .allow_negative_numbers(true)
        .help(brief.unwrap_or_default())
        .long_help(help)
        .hide_short_help(parameter.inert.is_some());
    match parameter.key {
        Key::EndpointName => argument.alias("endpoint-name"),
        _ => argument,
    }
}

impl Args for Parameters {
    fn augment_args(command: Command) -> Command {
        PARAMETERS.iter().map(argument).fold(command, Command::arg)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Parameters {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut parameters = Self(Draft::default());
        parameters.update_from_arg_matches(matches)?;
        Ok(parameters)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for parameter in &PARAMETERS {
            if let Some(text) = matches.get_one::<String>(parameter.name) {
                self.0.put(parameter.key, text);
            }
        }
        Ok(())
    }
}
