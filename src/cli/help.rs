//! Additions to the help: defaults from the catalogs, and examples.
//!
//! Every example runs as printed against the embedded sandbox; a test runs them all.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, Command, CommandFactory as _};

use super::args::Arguments;
use super::output::CliError;
use super::wanted::LOCAL_LIMIT;
use crate::domain::{Resource, text};
use crate::features;
use crate::settings::flags::{SANDBOX, color_choice};

/// A command line and its effect.
pub type Example = (&'static str, &'static str);

/// The examples of every command, by the words after `bourse`.
#[rustfmt::skip] // a table reads as a table
static EXAMPLES: &[(&[&str], &[Example])] = &[
    (&[], &[
        ("bourse", "open the dashboard on the sandbox"),
        ("bourse --query 'gpu_name=RTX_4090'", "open it on a query over offers"),
        ("bourse offers 4090 europe 200gb 3d", "say what you need in plain words"),
        ("bourse offers 'gpu_name=RTX_4090 dph<0.5' -o dph_total", "print offers, cheapest first"),
        ("bourse route sdxl -n 20", "see how workers share 20 requests"),
        ("bourse config show", "see which market is used, and why"),
    ]),
    (&["offers"], &[
        ("bourse offers 4090 europe 200gb 3d", "plain words, with the bill of a three-day job"),
        ("bourse offers '8xh100 sxm <$2/h per gpu'", "a price per GPU"),
        ("bourse offers 'gpu_name=RTX_4090 dph<0.5' -o dph_total", "cheapest first"),
        ("bourse offers 'num_gpus>=4' 'geolocation in EU' -n 10", "ten offers in Europe"),
        ("bourse offers gpu_name=H100_SXM --columns id,price,location", "three columns"),
        ("bourse offers num_gpus=8 --job 3d,200GB,300GB-down --sort job", "lowest bill first"),
        ("bourse offers 'vram>=80GB' --format csv > offers.csv", "for a spreadsheet"),
        ("echo 'num_gpus=8 verified=any' | bourse offers -", "the query from standard input"),
        ("bourse offers gpu_name=A40 --profile vast --curl", "the request as a curl command"),
    ]),
    (&["volumes"], &[
        ("bourse volumes 500gb europe cheapest", "plain words"),
        ("bourse volumes 'disk_space>=500' -n 5", "five large volumes"),
        ("bourse volumes 'storage_cost<=0.1' -o nw_disk_avg_bw-", "fastest first"),
        ("bourse volumes --columns location,price,space --format csv", "three columns as CSV"),
    ]),
    (&["market"], &[
        ("bourse market", "GPU models with supply and prices"),
        ("bourse market gpu_name=RTX_4090 --group-by country", "one model by country"),
        ("bourse market --group-by host --format csv", "hosts, for a spreadsheet"),
    ]),
    (&["depth"], &[
        ("bourse depth gpu_name=RTX_4090", "how many there are at each price"),
        ("bourse depth 'vram>=80GB' --gpus 16 --job 3d,200GB", "what 16 cost for a job"),
        ("bourse depth gpu_name=H100_SXM --format json", "every step of the book"),
    ]),
    (&["plan"], &[
        ("bourse plan --gpus 8 --vram 80", "the cheapest eight GPUs of 80 GB, of one model"),
        ("bourse plan 'geolocation notin CN' --gpus 8 --machines 2 --per-machine 4",
            "on two machines of four or more"),
        ("bourse plan --gpus 8 --vram 24 --job 5d,1TB,300GB-down --budget 500",
            "for five days, within a budget"),
        ("bourse plan --shape 2x8 --vram 24 --same country --format json",
            "two machines with eight GPUs each in one country, as JSON"),
    ]),
    (&["pick"], &[
        ("bourse pick 4090 europe 200gb 3d", "the lowest bill that is still on offer, and the rent command"),
        ("bourse pick h100 --sort dlperf- --print id", "only the id, for a script"),
        ("bourse pick 3090 --exec 'printenv BOURSE_OFFER'", "run a command with the offer"),
    ]),
    (&["watch"], &[
        ("bourse watch 4090 europe --once", "record the prices of this search once"),
        ("bourse watch h100 --every 5m --once --format jsonl", "the changes as JSON, for a timer"),
        ("bourse watch 4090 --if 'dph_total<9' --count 2 --exec 'echo found'",
            "run a command once two offers are cheap enough"),
        ("bourse watch --saved --list", "every saved search and alert, and how often"),
    ]),
    (&["history"], &[
        ("bourse history gpu_name=RTX_4090", "prices of a month, and whether today's are low"),
        ("bourse history gpu_name=RTX_4090 --days 7 --format csv", "for a spreadsheet"),
    ]),
    (&["db"], &[
        ("bourse db check", "what is recorded, and whether the file is sound"),
        ("bourse db export --format csv > prices.csv", "every recorded price"),
    ]),
    (&["db", "check"], &[("bourse db check", "find damage")]),
    (&["db", "vacuum"], &[("bourse db vacuum", "shrink the file")]),
    (&["db", "export"], &[("bourse db export --format csv > prices.csv", "for a spreadsheet")]),
    (&["db", "reset"], &[("bourse db reset", "start with an empty file")]),
    (&["markets"], &[("bourse markets check", "compare the market in use with what bourse expects")]),
    (&["markets", "add"], &[
        ("bourse markets add lab https://market.example --dialect vast", "a market whose dialect you know"),
    ]),
    (&["markets", "check"], &[
        ("bourse markets check sandbox", "what the sandbox has and lacks"),
        ("bourse markets check --format json > report.json", "for a bug report: names and counts, no values"),
    ]),
    (&["groups"], &[
        ("bourse groups", "every workergroup"),
        ("bourse groups endpoint=sdxl", "those of one endpoint"),
        ("bourse groups 'age<7d' -o created_at- -n 3", "the three latest of this week"),
        ("bourse groups --format json", "as received, keys hidden"),
    ]),
    (&["groups", "supply"], &[
        ("bourse groups supply endpoint=sdxl", "machines, prices and the worst case of one endpoint"),
        ("bourse groups supply --size 40GB --starts 10", "with the cost of ten cold starts a day"),
        ("bourse groups supply --size 40GB --format json", "for a script"),
    ]),
    (&["groups", "create"], &[
        ("bourse groups create --endpoint chat --template-id 7 --dry-run", "preview the request"),
        ("bourse groups create --endpoint chat --search-params gpu_name=RTX_4090 --yes",
            "create without asking"),
    ]),
    (&["unlist"], &[
        ("bourse unlist 7311 --dry-run", "preview the request"),
        ("bourse unlist 7311 --dry-run --format json", "the request as JSON"),
    ]),
    (&["writes"], &[("bourse writes check", "what is to be settled")]),
    (&["writes", "check"], &[
        ("bourse writes check", "writes whose outcome is unknown, and lines that can't be read"),
        ("bourse writes check --settle damaged --yes", "move the lines that can't be read aside"),
    ]),
    (&["route"], &[
        ("bourse route sdxl", "one request"),
        ("bourse route sdxl -n 20 -c 4", "20 requests, 4 at a time"),
        ("bourse route sdxl --duration 2s --rate 10", "ten a second for two seconds"),
        ("bourse route sdxl -n 3 --format json", "every reply, and a summary"),
        ("bourse route sdxl -n 5 --warmup 1 --require 'p95<9s, errors<5%'", "exit status 4 if it is slower"),
        ("bourse route sdxl --curl", "the request as a curl command"),
    ]),
    (&["sandbox"], &[
        ("bourse sandbox --listen 127.0.0.1:0", "on a free port, printed at start"),
        ("bourse sandbox --listen 127.0.0.1:0 --faults status_500:0.2", "one call in five fails"),
    ]),
    (&["config"], &[
        ("bourse config print-default > config.toml", "create a configuration"),
        ("bourse config check", "find mistakes in yours"),
        ("bourse config show --profile vast", "settings of a profile"),
    ]),
    (&["config", "check"], &[("bourse config check", "find mistakes")]),
    (&["config", "show"], &[
        ("bourse config show", "effective settings and their sources"),
        ("bourse config show --base-url https://market.example", "what a flag changes"),
    ]),
    (&["config", "print-default"], &[
        ("bourse config print-default > config.toml", "create a configuration"),
    ]),
    (&["paths"], &[("bourse paths", "where the files are")]),
    (&["completions"], &[
        ("echo 'source <(bourse completions bash)' >> ~/.bashrc", "bash"),
        ("bourse completions zsh > _bourse", "zsh: move the file into a folder of $fpath"),
        ("bourse completions fish > ~/.config/fish/completions/bourse.fish", "fish"),
    ]),
    (&["help"], &[("bourse help groups create", "as bourse groups create --help")]),
    (&["schema"], &[
        ("bourse schema", "the kinds of documents"),
        ("bourse schema market > market.schema.json", "the JSON Schema of bourse market --json"),
    ]),
    (&["man"], &[("bourse man > bourse.1", "read it with: man ./bourse.1")]),
];

/// The examples of a command, given by the words after `bourse`; empty if it has none.
pub fn examples(path: &[&str]) -> Vec<Example> {
    let all = EXAMPLES.iter().chain(features::EXAMPLES);
    let of_command = all.filter(|(command, _)| *command == path);
    of_command.flat_map(|(_, examples)| *examples).copied().collect()
}

/// Prints the help of the command that `words` name, as `--help` does, and exits; with a usage error if there
/// is no such command.
pub fn print(words: &[String]) -> Result<(), CliError> {
    let line = std::iter::once("bourse".to_owned()).chain(words.iter().map(|word| text::message(word)));
    let command = command().color(color_choice());
    match command.try_get_matches_from(line.chain(["--help".to_owned()])) {
        Err(help) => help.exit(),
        Ok(_) => Ok(()),
    }
}

/// The end of the help of `bourse` itself.
const KEYS: &str = "\
The API key is never an argument: see --api-key-file. Profiles, keys and themes
are set in the configuration file: bourse config print-default prints one.";

/// The end of the help of a command that writes.
const WRITES: &str = "\
The request is shown first and sent once; it is never retried.
Exit status: 0 done, 1 failed or refused, 2 wrong usage, 3 outcome unknown.

";

/// The end of the help of `bourse writes check`.
const SETTLES: &str = "\
Exit status: 0 settled, or nothing is to be settled; 1 something is, or it failed; 2 wrong usage.

";

/// The end of the help of `bourse watch`.
const FIRES: &str = "\
Exit status: 0 the conditions of --if were met, or there are none; 4 they were not,
1 failed, 2 wrong usage.

";

/// The end of the help of `bourse pick`.
const PICKS: &str = "\
Exit status: 0 an offer was printed, 4 none matches or is left, 1 failed, 2 wrong usage.

";

/// The end of the help of `bourse plan`.
const PLANS: &str = "\
Exit status: 0 a plan was printed, 4 there is none within the limits and the budget,
1 failed, 2 wrong usage.

";

/// The end of the help of every command.
const ELSEWHERE: &str = "Options of the market and the sandbox, for every command: bourse --help";

/// The command line with its complete help.
///
/// `-h` fits a small terminal. The options that every command has are described once, in `bourse
/// --help`.
pub fn command() -> Command {
    let mut command = Arguments::command();
    let shared: Vec<_> = command
        .get_arguments()
        .filter(|argument| argument.is_global_set())
        .cloned()
        .collect();
    for name in names(&command) {
        // The options of the sandbox are those of `bourse sandbox`.
        let is_elsewhere = |argument: &Arg| name != "sandbox" || argument.get_help_heading() != Some(SANDBOX);
        let shared = shared.iter();
        let shared = shared.map(|argument| argument.clone().hide(is_elsewhere(argument)));
        command = command.mut_subcommand(&name, |subcommand| subcommand.args(shared));
    }
    let own = [
        Arg::new("help")
            .short('h')
            .long("help")
            .action(ArgAction::Help)
            .global(true)
            .help("Print this help"),
        Arg::new("version")
            .short('V')
            .long("version")
            .action(ArgAction::Version)
            .help("Print version"),
    ];
    let flags = own.map(|flag| flag.hide_short_help(true));
    let command = command.disable_help_flag(true).disable_version_flag(true);
    // Two blank lines fewer than usual: the list of commands fits a small terminal.
    let template = "{about-with-newline}{usage-heading} {usage}\n{all-args}{after-help}";
    explained(command.help_template(template).args(flags), &mut Vec::new())
}

/// The help of a query in which plain words have no meaning.
const CONDITIONS: &str = "Conditions, e.g. `endpoint=sdxl age<7d`";

/// Adds the defaults of a resource's catalog (conditions, limit, order) to the help of a list command; for
/// workergroups, whose query takes no plain words, it also replaces the help of the query.
fn searched(command: Command, resource: Resource) -> Command {
    let catalog = resource.catalog();
    let defaults = match catalog.defaults {
        "" => "[default: no conditions]".to_owned(),
        conditions => format!("[default: {conditions}]"),
    };
    let limit = match (resource, catalog.limit) {
        (Resource::Workergroups, _) | (_, None) => "[default: all]".to_owned(),
        (_, Some(limit)) => {
            format!("[default: {limit}, or {LOCAL_LIMIT} to filter or sort here; 0 sends no limit]")
        }
    };
    let order = format!("[default: {}]", catalog.order);
    let command = match resource {
        Resource::Offers | Resource::Volumes => command,
        // Plain words are for offers and volumes.
        Resource::Workergroups => command.mut_arg("query", |argument| argument.help(CONDITIONS)),
    };
    [("query", defaults), ("limit", limit), ("order", order)]
        .into_iter()
        .fold(command, |command, (id, default)| {
            command.mut_arg(id, |argument| stated(argument, &default))
        })
}

/// Appends the default to the long help of an argument, which starts as the short help if it has none.
fn stated(argument: Arg, default: &str) -> Arg {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let own = argument.get_long_help().map(ToString::to_string);
    let long = own.unwrap_or_else(|| help.clone());
    argument.help(help).long_help(format!("{long} {default}"))
}

/// The names of the direct subcommands of a command.
fn names(command: &Command) -> Vec<String> {
    let below = command.get_subcommands();
    below.map(|subcommand| subcommand.get_name().to_owned()).collect()
}

/// Adds examples, closing lines and the defaults of searches to the help of a command, and to those of its
/// subcommands; `path` is the words that lead to it, and is the same afterwards.
fn explained(command: Command, path: &mut Vec<String>) -> Command {
    let names = names(&command);
    let resource = match path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["offers"] => Some(Resource::Offers),
        ["volumes"] => Some(Resource::Volumes),
        ["groups"] => Some(Resource::Workergroups),
        _ => None,
    };
    let full_name = [&["bourse".to_owned()], path.as_slice()].concat().join(" ");
    let full = command.after_long_help(after_help(path));
    let command = if path.is_empty() {
        // One line less than below: the list of commands fits a small terminal.
        full.subcommand_help_heading("Commands (examples and options: --help)")
    } else {
        full.after_help(format!("Examples and more options: {full_name} --help"))
    };
    let is_analysis = matches!(
        path.first().map(String::as_str),
        Some("market" | "depth" | "plan" | "pick" | "watch" | "history")
    );
    let mut command = match resource {
        Some(resource) => searched(command, resource),
        None if is_analysis => {
            let default = format!("[default: {}]", Resource::Offers.catalog().defaults);
            command.mut_arg("query", |argument| stated(argument, &default))
        }
        None => command,
    };
    for name in names {
        path.push(name.clone());
        command = command.mut_subcommand(name, |subcommand| explained(subcommand, path));
        path.pop();
    }
    command
}

/// The end of a command's long help: its examples, its exit statuses if they are special, and where other
/// options are.
fn after_help(path: &[String]) -> String {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let examples = examples(&path);
    let mut text = String::new();
    if !examples.is_empty() {
        text.push_str("Examples:\n");
        text.push_str(&listed(&examples));
    }
    let closing = match path[..] {
        [] => return format!("{text}\n{KEYS}"),
        ["unlist"] | ["groups", "create"] => WRITES,
        ["writes", "check"] => SETTLES,
        ["watch"] => FIRES,
        ["pick"] => PICKS,
        ["plan"] => PLANS,
        _ => "",
    };
    format!("{text}\n{closing}{ELSEWHERE}")
}

/// The text of examples: for each a comment that explains it and the command, on lines of their own.
///
/// Nothing is wrapped here: the examples themselves are short enough for a terminal.
fn listed(examples: &[Example]) -> String {
    let mut text = String::new();
    for (line, what) in examples {
        let _ = writeln!(text, "  # {what}\n  {line}"); // writing to a String cannot fail
    }
    text
}
