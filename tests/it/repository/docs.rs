//! The generated parts of the guide say what the tables say.
//!
//! `BOURSE_WRITE_DOCS=1 cargo test --test it docs` rewrites them.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::contract::{DOCUMENTS, OWN_DOCUMENTS, STATUSES, VARIABLES};
use bourse::core::keys::Keymap;
use bourse::domain::field::{Kind, Section};
use bourse::domain::language::{Mode, parse};
use bourse::domain::{Catalog, Dialect, Field, Filter, OFFERS, Operator, VOLUMES, WORKERGROUPS, country, plain};
use bourse::keys::{BINDINGS, Context};
use bourse::sandbox::Call;
use bourse::sandbox::faults::{CATALOGUE, Stage};
use clap::CommandFactory as _;

fn keys() -> String {
    let mut contexts: Vec<Context> = Vec::new();
    for row in BINDINGS {
        if !contexts.contains(&row.context) {
            contexts.push(row.context);
        }
    }
    let table = Keymap::default();
    let mut text = String::new();
    for context in contexts {
        let _ = writeln!(
            text,
            "## {}\n\n| keys | name | what it does |\n| --- | --- | --- |",
            context.title()
        );
        for row in BINDINGS.iter().filter(|row| row.context == context) {
            let keys: Vec<_> = table
                .all_keys(row)
                .split(' ')
                .filter(|key| !key.is_empty())
                .map(|key| format!("`{}`", key.replace('|', "\\|")))
                .collect();
            let keys = if keys.is_empty() {
                "palette".to_owned()
            } else {
                keys.join(" ")
            };
            let _ = writeln!(text, "| {keys} | {} | {} |", row.name, row.help);
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

fn filtered(field: &Field) -> &'static str {
    match field.filter {
        Filter::Documented => "server",
        Filter::Market => "server, if the dialect has it",
        Filter::Local if field.is_computed() => "bourse (computed)",
        Filter::Local => "bourse",
        Filter::Never => "-",
    }
}

fn fields() -> String {
    let mut text = String::new();
    for (title, catalog) in [
        ("Machine offers", &OFFERS),
        ("Network volumes", &VOLUMES),
        ("Workergroups", &WORKERGROUPS),
    ] {
        let _ = writeln!(text, "## {title}\n");
        text.push_str(&table(catalog));
    }
    text.trim_end().to_owned()
}

/// The unit of a bare number in a query.
fn bare(field: &Field) -> String {
    let of = |dialect| field.unit.query_symbol(dialect);
    let (usual, documented) = (of(&Dialect::VAST), of(&Dialect::DOCUMENTED));
    if usual == documented {
        usual.to_owned()
    } else {
        format!("{usual}; {documented} in the `documented` dialect")
    }
}

fn table(catalog: &'static Catalog) -> String {
    let mut text =
        String::from("| field | also | type in | filtered by | meaning |\n| --- | --- | --- | --- | --- |\n");
    for section in Section::ALL {
        for field in catalog
            .fields()
            .iter()
            .chain(catalog.computed())
            .filter(|field| field.section == section)
        {
            let unit = match field.kind {
                Kind::Flag => "true, false",
                Kind::Text => "text",
                Kind::Country => "two-letter country",
                Kind::Version => "version",
                Kind::Epoch => "seconds since 1970",
                Kind::Timestamp => "date, moment or seconds since 1970",
                Kind::Secret | Kind::List => "-",
                _ => &bare(field),
            };
            let unit = if unit.is_empty() { "number" } else { unit };
            let _ = writeln!(
                text,
                "| `{}` | {} | {unit} | {} | {} |",
                field.key,
                field.aliases.join(", "),
                filtered(field),
                field.doc
            );
        }
    }
    text.push('\n');
    text
}

/// What people type, and what it means. Every text is read by the parser before it is shown.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "num_gpus>=4 dph<1.5",
        "both must match; `dph` is an alias of `dph_total`",
    ),
    (
        "gpu_name=RTX_4090",
        "`_` means a space; `gpu_name=\"RTX 4090\"` is the same",
    ),
    (
        "gpu_name in [RTX_4090,RTX_5090]",
        "one of a list; `notin`, `nin` or `not in` for none of them",
    ),
    (
        "gpu_ram>=24",
        "GB; a 24 GB card reports 24564 MB, so `>=` finds it and `=` does not",
    ),
    ("duration>=3", "days"),
    (
        "gpu_ram>=24GB duration>=36h reliability>=98% dph<$0.5 inet_down>=1Gbps",
        "with units",
    ),
    ("num_gpus=2..8", "from 2 to 8"),
    ("geolocation in [US,CA]", "two-letter countries"),
    ("geolocation in EU", "the countries of a group"),
    ("driver_version>=535.86.05", "versions are compared part by part"),
    (
        "dph_per_gpu<0.3 on_front=true",
        "computed columns, applied to the loaded rows; `job_cost<20` once a job is set",
    ),
    ("cuda_vers>=12.4 verified=any", "`=any` removes a default condition"),
];

fn examples() -> String {
    let mut text = String::from("| you type | it means |\n| --- | --- |\n");
    for (example, meaning) in EXAMPLES {
        let read = parse(example, &OFFERS, &Dialect::VAST, &[], Mode::Strict);
        assert!(read.is_ok(), "{example}: {read:?}");
        let _ = writeln!(text, "| `{example}` | {meaning} |");
    }
    text.trim_end().to_owned()
}

/// Plain words, and how the program reads them. Every text is understood in full.
const WORDS: &[&str] = &[
    "4090 europe 200gb 3d",
    "8xh100 sxm under $2/h per gpu verified",
    "a100 80gb not in CN cheapest for 72h 300gb down",
    "h100 or h200",
    "4+ gpus",
    "48gb vram",
    "max 24gb vram",
    "64gb ram",
    "1tb",
    "not in china",
    "<40 cents",
    "$20 a day",
    "99%",
    "1gbps",
    "at least 16 vcpus",
    "datacenter static ip",
    "spot 3090 cheapest",
    "best value",
    "4090 500m tokens by friday",
    "monthly 300gb down",
    "4090 not in us canada or mexico",
    "100 hours of 4090 for $50",
    "640gb vram over 8 gpus",
    "2 nodes of 8 h100",
    "24 gpus, 3+ hosts, same country",
    "4090 not from hosts 4821 and 4822",
    "alert me when a 4090 is below 25 cents",
    "top 5",
    "4090 3 days 12 hours",
    "disk 1,5tb",
    "2 or 4 gpus",
    "4090 bid under $0.25",
    "100 MBps down",
];

fn words() -> String {
    let mut text = String::from("| you type | bourse reads |\n| --- | --- |\n");
    for words in WORDS {
        let reading = plain::read(words, &OFFERS, &Dialect::VAST, &plain::Names::default());
        let read = parse(&reading.query, &OFFERS, &Dialect::VAST, &[], Mode::Strict);
        assert!(!reading.is_empty() && read.is_ok(), "{words}: {reading:?} {read:?}");
        let _ = writeln!(text, "| `{words}` | {} |", reading.meaning.text());
    }
    text.trim_end().to_owned()
}

fn operators() -> String {
    let mut text = String::from("| sign | word | means |\n| --- | --- | --- |\n");
    for operator in Operator::ALL {
        let (sign, word) = (operator.symbol(), operator.name());
        let _ = writeln!(text, "| `{sign}` | `{word}` | {} |", operator.words());
    }
    text.trim_end().to_owned()
}

fn units() -> String {
    let mut text = String::from("| fields | units | a bare number is |\n| --- | --- | --- |\n");
    let mut seen = Vec::new();
    for field in [&OFFERS, &VOLUMES].iter().flat_map(|catalog| catalog.fields()) {
        let units: Vec<_> = field.unit.spellings(&Dialect::VAST).collect();
        if units.is_empty() || !field.is_filter() || seen.contains(&field.unit) {
            continue;
        }
        seen.push(field.unit);
        for unit in &units {
            let condition = format!("{}>=1{unit}", field.key);
            let catalog = if OFFERS.named(field.key).is_some() {
                &OFFERS
            } else {
                &VOLUMES
            };
            let parsed = parse(&condition, catalog, &Dialect::VAST, &[], Mode::Strict);
            assert!(parsed.is_ok(), "{condition}: {parsed:?}");
        }
        let alike = OFFERS
            .fields()
            .iter()
            .filter(|other| other.unit == field.unit && other.is_filter());
        let names: Vec<_> = alike.map(|other| format!("`{}`", other.key)).collect();
        let units: Vec<_> = units.iter().map(|unit| format!("`{unit}`")).collect();
        let _ = writeln!(text, "| {} | {} | {} |", names.join(" "), units.join(" "), bare(field));
    }
    text.trim_end().to_owned()
}

fn groups() -> String {
    let mut text = String::new();
    for (name, codes) in country::GROUPS {
        let _ = writeln!(text, "- `{name}`: {}", codes.join(" "));
    }
    text.trim_end().to_owned()
}

/// Holds a generated part of a page in `docs/` to what it should say, or writes it.
pub fn check(page: &str, name: &str, wanted: &str) {
    /// Two writers never meet in the file.
    static WRITING: Mutex<()> = Mutex::new(());
    let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let (open, close) = (format!("<!-- {name} -->\n"), format!("\n<!-- end of {name} -->"));
    let start = text.find(&open).unwrap_or_else(|| panic!("docs/{page} lacks {open}")) + open.len();
    let end = start
        + text[start..]
            .find(&close)
            .unwrap_or_else(|| panic!("docs/{page} lacks {close}"));
    if std::env::var_os("BOURSE_WRITE_DOCS").is_some() {
        let new = format!("{}{wanted}{}", &text[..start], &text[end..]);
        std::fs::write(path, new).unwrap();
        return;
    }
    assert!(
        &text[start..end] == wanted,
        "the {name} in docs/{page} are not what the tables say: \
         BOURSE_WRITE_DOCS=1 cargo test --test it docs"
    );
}

fn statuses() -> String {
    let rows = STATUSES.iter();
    let rows = rows.map(|(status, meaning)| {
        format!(
            "| {} | {} |",
            status.replace("+n", "+*n*"),
            meaning.replace("Signal n", "Signal *n*")
        )
    });
    let rows: Vec<String> = rows.collect();
    format!("| status | meaning |\n| --: | --- |\n{}", rows.join("\n"))
}

fn variables() -> String {
    let rows = VARIABLES.iter().map(|(names, meaning)| {
        let names: Vec<String> = names.split(", ").map(|name| format!("`{name}`")).collect();
        format!("| {} | {meaning} |", names.join(", "))
    });
    let rows: Vec<String> = rows.collect();
    format!("| variable | meaning |\n| --- | --- |\n{}", rows.join("\n"))
}

fn documents() -> String {
    let rows = DOCUMENTS.iter().chain(&OWN_DOCUMENTS).map(|(kind, commands, members)| {
        let commands: Vec<String> = commands.split(", ").map(|command| format!("`{command}`")).collect();
        format!("| `{kind}` | {} | {members} |", commands.join(", "))
    });
    let rows: Vec<String> = rows.collect();
    format!("| kind | command | members |\n| --- | --- | --- |\n{}", rows.join("\n"))
}

/// The page of each command, for those who want to know more than its help has.
const PAGES: &[(&str, &str)] = &[
    ("offers", "find.md"),
    ("volumes", "find.md#search-for-volumes"),
    ("market", "price.md#compare-with-the-market"),
    ("depth", "price.md#compare-with-the-market"),
    ("plan", "cluster.md"),
    ("pick", "price.md#pick-one-offer"),
    ("watch", "wait.md#in-a-script"),
    ("history", "price.md#is-this-a-good-price"),
    ("bids", "price.md#what-a-bid-would-have-held"),
    ("db check", "history.md#maintain-the-file"),
    ("db vacuum", "history.md#maintain-the-file"),
    ("db export", "history.md#maintain-the-file"),
    ("db reset", "history.md#maintain-the-file"),
    ("markets add", "markets.md"),
    ("markets check", "markets.md#check-a-market"),
    ("groups", "serverless.md"),
    ("groups create", "serverless.md#create-one"),
    ("groups supply", "serverless.md#supply-and-cold-starts"),
    ("unlist", "serverless.md#unlist-a-volume"),
    ("writes check", "serverless.md#when-the-response-is-lost"),
    ("route", "serverless.md#load-test-an-endpoint"),
    ("sandbox", "sandbox.md#for-other-clients"),
    ("mcp", "agents.md"),
    ("config check", "configuration.md"),
    ("config show", "configuration.md"),
    ("config print-default", "configuration.md"),
    ("paths", "configuration.md#files"),
    ("schema", "scripting.md#json"),
    ("completions", "command-line.md#completions-and-man-page"),
];

/// A row for each command that does something, in the order of the help.
fn commands() -> String {
    let mut program = bourse::cli::Arguments::command();
    program.build();
    let is_shown = |own: &&clap::Command| !own.is_hide_set() && own.get_name() != "help";
    let mut rows = String::from("| command | does | more |\n| --- | --- | --- |\n");
    let mut named = Vec::new();
    for command in program.get_subcommands().filter(is_shown) {
        let below: Vec<_> = command.get_subcommands().filter(is_shown).collect();
        // A command that only holds others does nothing itself.
        let own = (!command.is_subcommand_required_set()).then_some((command.get_name().to_owned(), command));
        let below = below
            .into_iter()
            .map(|own| (format!("{} {}", command.get_name(), own.get_name()), own));
        for (name, command) in own.into_iter().chain(below) {
            let (_, page) = PAGES
                .iter()
                .find(|(own, _)| *own == name)
                .unwrap_or_else(|| panic!("no page of {name}"));
            let title = page.split(['.', '#']).next().unwrap_or_default();
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(rows, "| `bourse {name}` | {about} | [{title}]({page}) |");
            named.push(name);
        }
    }
    assert_eq!(named.len(), PAGES.len(), "{named:?}");
    rows.trim_end().to_owned()
}

fn faults() -> String {
    let mut text = String::from(
        "| number | name | operations | performed | a client reports | what happens |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    for fault in CATALOGUE {
        let calls: Vec<_> = fault.calls.iter().map(|call| call.name()).collect();
        let calls = match calls.len() {
            count if count == Call::ALL.len() => "all, worker".to_owned(),
            count if count == Call::MARKET.len() => "all".to_owned(),
            _ => calls.join(", "),
        };
        let performed = match fault.stage {
            Stage::BeforeCommit => "no",
            Stage::Delayed | Stage::AfterCommit | Stage::Repeated => "yes",
        };
        let _ = writeln!(
            text,
            "| {} | `{}` | {calls} | {} | {} | {} |",
            fault.id(),
            fault.name,
            performed,
            fault.reported.join(", "),
            fault.help
        );
    }
    text.trim_end().to_owned()
}

#[test]
fn the_guide_is_in_step_with_the_tables() {
    check("keys.md", "keys", &keys());
    check("fields.md", "fields", &fields());
    check("query.md", "words", &words());
    check("query.md", "examples", &examples());
    check("query.md", "operators", &operators());
    check("query.md", "units", &units());
    check("query.md", "groups", &groups());
    check("sandbox.md", "faults", &faults());
    check("command-line.md", "commands", &commands());
    check("scripting.md", "statuses", &statuses());
    check("scripting.md", "documents", &documents());
    check("scripting.md", "variables", &variables());
}

/// Design contract: the keys that people and checks rely on.
#[test]
fn the_contract_s_keys_mean_what_they_should() {
    for (context, key, name) in [
        (Context::Table, "/", "query"),
        (Context::Table, "s", "sort"),
        (Context::Table, "r", "refresh"),
        (Context::Table, "enter", "open"),
        (Context::Global, "g", "first"),
        (Context::Global, "G", "last"),
        (Context::Global, "ctrl-d", "half-page-down"),
        (Context::Global, "ctrl-u", "half-page-up"),
        (Context::Global, "1", "offers"),
        (Context::Global, "2", "volumes"),
        (Context::Global, "3", "workergroups"),
        (Context::Global, "4", "requests"),
        (Context::Global, "tab", "next-pane"),
        (Context::Global, "shift-tab", "previous-pane"),
        (Context::Global, "]", "next-pane"),
        (Context::Global, "[", "previous-pane"),
        (Context::Global, ":", "palette"),
        (Context::Global, "ctrl-p", "palette"),
        (Context::Global, "?", "help"),
        (Context::Global, "q", "quit"),
        (Context::Always, "ctrl-c", "quit-now"),
        (Context::Always, "ctrl-z", "suspend"),
    ] {
        let found = BINDINGS
            .iter()
            .find(|row| row.context == context && row.keys.contains(&key));
        assert_eq!(found.map(|row| row.name), Some(name), "{key}");
    }
}
