//! `bourse config`: checks the configuration file, or prints one to start from; and the man page.

use std::path::Path;

use clap::CommandFactory as _;

use super::args::{Arguments, ConfigCommand};
use super::{CliError, appearance, output};
use crate::api::Origin;
use crate::store::{Config, ConfigError, Paths, Profile, keys};

/// Every setting with its default, commented.
pub const DEFAULT: &str = include_str!("../../assets/config.toml");

/// Does what `bourse config` asks for.
pub fn config(command: ConfigCommand) -> Result<(), CliError> {
    match command {
        ConfigCommand::PrintDefault => output::print(DEFAULT.as_bytes()),
        ConfigCommand::Check => check(Paths::of_user().as_ref()),
    }
}

fn check(paths: Option<&Paths>) -> Result<(), CliError> {
    let Some(paths) = paths else {
        return Err(CliError::Failed(
            "there is no home folder to hold a configuration".to_owned(),
        ));
    };
    let path = paths.config_file();
    let mistakes = mistakes(&path).map_err(|error| CliError::Failed(error.to_string()))?;
    for mistake in &mistakes {
        output::complain(&mistake.to_string());
    }
    if !mistakes.is_empty() {
        return Err(CliError::Quiet);
    }
    let said = if path.exists() {
        format!("{}: good\n", path.display())
    } else {
        format!(
            "{}: not there, the defaults hold (bourse config print-default shows them)\n",
            path.display()
        )
    };
    output::print(said.as_bytes())
}

/// Everything that is wrong with the file, in its order.
fn mistakes(path: &Path) -> Result<Vec<ConfigError>, ConfigError> {
    let (config, mut mistakes) = Config::check(path)?;
    let (.., dropped) = appearance::of(&config, path);
    mistakes.extend(dropped);
    for name in config.names() {
        let Some(profile) = config.profile(name) else {
            continue;
        };
        for (setting, message) in unusable(&profile) {
            // What the file does not say is built in, and right.
            if let Some(place) = config.place(name, setting) {
                mistakes.push(ConfigError::Wrong {
                    path: path.to_owned(),
                    place,
                    message: format!("{setting}: {message}"),
                });
            }
        }
    }
    mistakes.sort_by_key(ConfigError::place);
    Ok(mistakes)
}

/// The settings of a profile that could not be used, and why. No command is run.
fn unusable(profile: &Profile) -> Vec<(&'static str, String)> {
    let mut wrong = Vec::new();
    let has_key = profile.api_key_file.is_some() || profile.api_key_command.is_some();
    for (setting, address) in [
        ("base_url", &profile.base_url),
        ("route_url", &profile.route_url),
    ] {
        let judged = address.as_deref().map(|address| {
            let origin = Origin::parse(address)?;
            if has_key {
                origin.judge_for_key()
            } else {
                Ok(())
            }
        });
        // The address is not quoted: it may hold a password.
        wrong.extend(
            judged
                .and_then(Result::err)
                .map(|why| (setting, why.to_string())),
        );
    }
    if let Some(Err(why)) = profile.api_key_file.as_deref().map(keys::check) {
        wrong.push(("api_key_file", why.to_string()));
    }
    if let Some(Err(why)) = profile.api_key_command.as_deref().map(keys::command_words) {
        wrong.push(("api_key_command", why.to_string()));
    }
    wrong
}

/// What the man page says beside the command line.
const BESIDE: &str = r"
.SH FILES
.TP
.I $XDG_CONFIG_HOME/bourse/config.toml
Profiles, keys and themes; \fBbourse config print\-default\fR prints one with every setting.
.TP
.I $XDG_CONFIG_HOME/bourse/keys/
API keys that the dashboard was told to keep, readable by you alone.
.TP
.I $XDG_STATE_HOME/bourse/
What is remembered between two runs, and the log.
.SH ENVIRONMENT
.TP
.B BOURSE_API_KEY
The API key of any market but the sandbox.
.TP
.B VAST_API_KEY
The API key of the profile vast, when nothing else gives one.
.TP
.B NO_COLOR
With any value: no colours.
.TP
.B COLORTERM, TERM, LC_ALL, LC_CTYPE, LANG
How many colours and which signs the terminal shows.
.SH EXIT STATUS
0 when it went well, 1 when it failed, 2 when the command line or the configuration is at fault or
there is no terminal; 128 and the number of the signal that ended the dashboard.
";

/// Prints the man page in roff: one page for the program and its subcommands.
pub fn man() -> Result<(), CliError> {
    let page = man_page().map_err(|error| CliError::Failed(error.to_string()))?;
    output::print(&page)
}

fn man_page() -> std::io::Result<Vec<u8>> {
    let mut command = Arguments::command();
    command.build();
    let mut page = Vec::new();
    let whole = clap_mangen::Man::new(command.clone());
    whole.render_title(&mut page)?;
    whole.render_name_section(&mut page)?;
    whole.render_synopsis_section(&mut page)?;
    whole.render_description_section(&mut page)?;
    whole.render_options_section(&mut page)?;
    for own in command.get_subcommands() {
        if own.get_name() == "help" {
            continue;
        }
        let mut part = Vec::new();
        let inherited: Vec<_> = own
            .get_arguments()
            .filter(|argument| argument.is_global_set())
            .map(|argument| argument.get_id().clone())
            .collect();
        // What holds for every command is said once, above.
        let short = inherited.into_iter().fold(own.clone(), |own, id| {
            own.mut_arg(id, |argument| argument.hide(true))
        });
        let short = clap_mangen::Man::new(short);
        short.render_synopsis_section(&mut part)?;
        short.render_description_section(&mut part)?;
        if own
            .get_arguments()
            .any(|argument| !argument.is_global_set() && !argument.is_hide_set())
        {
            short.render_options_section(&mut part)?;
        }
        page.extend(format!(".SH BOURSE {}\n", own.get_name().to_uppercase()).into_bytes());
        let part = String::from_utf8_lossy(&part).replace(".SH ", ".SS ");
        page.extend(part.into_bytes());
    }
    whole.render_extra_section(&mut page)?;
    page.extend(BESIDE.trim_start().bytes());
    Ok(page)
}
