//! Examples: commands run as printed, queries parse, configurations are accepted.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::Mutex;

use bourse::domain::language::{Mode, parse};
use bourse::domain::{Dialect, OFFERS, Resource};
use bourse::record::store::Database;
use clap::CommandFactory as _;
use clap::error::ErrorKind;
use rusqlite::Connection;

use super::shell::{Shell, bourse_words, parsed};
use super::{Block, Page, pages, root};
use crate::cases::{cases, side_by_side};

/// The commands of a shell block without their comments. A line that ends within a quoted text goes on in the next.
fn commands(block: &Block<'_>) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in &block.lines {
        let line = line.split(" #").next().unwrap_or_default().trim();
        match commands.last_mut().filter(|_| is_open) {
            Some(command) => *command = format!("{command}\n{line}"),
            None if line.is_empty() => continue,
            None => commands.push(line.to_owned()),
        }
        is_open = commands
            .last()
            .is_some_and(|command| shell_words::split(command).is_err());
    }
    commands
}

/// What is wrong with the commands of a shell block. They run one after the other in one home.
fn run_block(block: &Block<'_>) -> Vec<String> {
    let shell = Shell::new();
    let commands = commands(block);
    shell.give_past(&commands);
    commands
        .into_iter()
        .filter_map(|line| {
            let is_ours = bourse_words(&line).is_some() || line.starts_with("echo ");
            let ran = if is_ours { shell.run(&line) } else { check_names(&line) };
            ran.err()
        })
        .collect()
}

/// Whether an empty record has the views and columns that a command of SQLite or DuckDB reads.
fn check_sql(line: &str) -> Result<(), String> {
    let words = shell_words::split(line).map_err(|error| format!("{line}: {error}"))?;
    let sql = words.last().map(String::as_str).unwrap_or_default();
    // DuckDB names the file in the query, and casts: tests/other-programs/run.sh runs it.
    let casts = ["::VARCHAR", "::DOUBLE", "::TIMESTAMP"];
    let sql = casts.iter().fold(sql.to_owned(), |sql, cast| sql.replace(cast, ""));
    let sql = match sql.split_once("sqlite_scan('history.sqlite', '") {
        Some((head, tail)) => format!("{head}{}", tail.replacen("')", "", 1)),
        None => sql,
    };
    let sql = sql.as_str();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    drop(Database::open(&path, "market").unwrap());
    let file = Connection::open(&path).unwrap();
    let prepared = file.prepare(sql).map(drop);
    prepared.map_err(|error| format!("{line}: {error}"))
}

/// What is wrong with a line for those who work on bourse: it is not run, but what it names exists.
fn check_names(line: &str) -> Result<(), String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut words = words.into_iter().skip_while(|word| word.contains('='));
    let program = words.next().unwrap_or_default();
    let words: Vec<&str> = words.collect();
    if ["sqlite3", "duckdb"].contains(&program) {
        return check_sql(line);
    }
    if program != "cargo" {
        let script = fs::metadata(root().join(program));
        let is_script = script.is_ok_and(|file| file.permissions().mode() & 0o111 != 0);
        let why = || format!("{line}: neither bourse nor a script of the repository");
        return is_script.then_some(()).ok_or_else(why);
    }
    if let Some(at) = words.iter().position(|word| *word == "--bench") {
        let bench = format!("name = \"{}\"", words[at + 1]);
        let manifests = ["Cargo.toml", "benches/Cargo.toml"];
        let is_bench = manifests
            .iter()
            .any(|manifest| fs::read_to_string(root().join(manifest)).is_ok_and(|text| text.contains(&bench)));
        return is_bench.then_some(()).ok_or_else(|| format!("{line}: no such bench"));
    }
    match words[..] {
        ["test", .., "--"] => Err(format!("{line}: no filter")),
        ["test", ..] => filters(line, &words),
        ["run" | "build" | "install" | "bench", ..] => Ok(()),
        _ => Err(format!("{line}: an unknown command")),
    }
}

/// Whether the filters of `cargo test` behind `--` find tests.
fn filters(line: &str, words: &[&str]) -> Result<(), String> {
    let behind = words.iter().skip_while(|word| **word != "--");
    let mut filters = behind.skip(1).filter(|word| !word.starts_with("--"));
    let listed = Command::new(std::env::current_exe().unwrap())
        .arg("--list")
        .output()
        .unwrap();
    let tests = String::from_utf8(listed.stdout).unwrap();
    match filters.find(|filter| !tests.contains(**filter)) {
        Some(filter) => Err(format!("{line}: no test is called {filter}")),
        None => Ok(()),
    }
}

/// Code in the prose that looks like a condition or a command and is none.
fn wrong_code(page: &Page) -> Vec<String> {
    let wrong = |code: &String| {
        if code.contains("...") {
            return false;
        }
        if let Some(words) = code.strip_prefix("bourse ") {
            let words = shell_words::split(words).unwrap();
            // A command may be named without what it needs.
            let is_named = |kind| {
                matches!(
                    kind,
                    ErrorKind::DisplayHelp
                        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                        | ErrorKind::MissingRequiredArgument
                )
            };
            return parsed(&words).is_err_and(|error| !is_named(error.kind()));
        }
        let field = code.find(|c: char| !(c.is_ascii_lowercase() || "_.".contains(c)));
        let Some((_, rest)) = field.filter(|at| *at > 0).map(|at| code.split_at(at)) else {
            return false;
        };
        // A setting has blanks around its sign, plain words no list.
        let signs = ["=", "!=", "<", ">", " in [", " notin ["];
        signs.iter().any(|sign| rest.starts_with(sign)) && !is_query(code)
    };
    let code = page.code().into_iter().filter(wrong);
    code.map(|code| format!("{}: `{code}`", page.path)).collect()
}

/// Whether a text is a query for any kind of record.
fn is_query(text: &str) -> bool {
    Resource::ALL
        .into_iter()
        .any(|own| parse(text, own.catalog(), &Dialect::VAST, &[], Mode::Strict).is_ok())
}

#[test]
fn every_command_runs_as_printed() {
    let pages = pages();
    let blocks: Vec<Block<'_>> = pages.iter().flat_map(|page| page.blocks("sh")).collect();
    assert!(blocks.len() >= 30, "{}", blocks.len());
    let wrong = Mutex::new(Vec::new());
    let blocks = blocks.into_iter().step_by(cases(4, 1)).collect();
    side_by_side(blocks, |block| {
        let found = run_block(&block);
        wrong.lock().unwrap().extend(found);
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Whether a line is the one that a page prints, in which `…` is any text.
fn is_like(printed: &str, line: &str) -> bool {
    let mut parts = printed.split('…');
    let head = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(head) else {
        return false;
    };
    let mut end = printed.strip_prefix(head) == Some("");
    for part in parts {
        let Some(at) = (if part.is_empty() {
            Some(rest.len())
        } else {
            rest.find(part)
        }) else {
            return false;
        };
        rest = &rest[at + part.len()..];
        end = true;
    }
    end && rest.is_empty()
}

/// What is wrong with a command and its printed output. A line `…` is any number of lines.
fn misprinted(command: &str, printed: &[&str]) -> Option<String> {
    let shown = Shell::new().transcript(command);
    let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
    let mut at = 0;
    let mut is_gap = false;
    for wanted in printed {
        if *wanted == "…" {
            is_gap = true;
            continue;
        }
        let rest = lines.get(at..).unwrap_or_default();
        let found = rest.iter().position(|line| is_like(wanted, line));
        match found.filter(|found| is_gap || *found == 0) {
            Some(found) => at += found + 1,
            None => return Some(format!("{command} prints no {wanted:?} there:\n{shown}")),
        }
        is_gap = false;
    }
    let is_whole = is_gap || at == lines.len();
    (!is_whole).then(|| format!("{command} prints more:\n{shown}"))
}

/// What is wrong with a block of commands behind `$ ` and their output.
fn misprints(block: &Block<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = block.lines.iter().peekable();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ ") else {
            found.push(format!("{line}: no command"));
            continue;
        };
        let mut printed = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
            printed.push(*line);
        }
        found.extend(misprinted(command, &printed));
    }
    found
}

#[test]
fn printed_output_is_real() {
    let pages = pages();
    let blocks: Vec<Block<'_>> = pages.iter().flat_map(|page| page.blocks("console")).collect();
    assert!(blocks.len() >= 8, "{}", blocks.len());
    let wrong = Mutex::new(Vec::new());
    side_by_side(blocks, |block| {
        let found = misprints(&block);
        wrong.lock().unwrap().extend(found);
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Positive control.
#[test]
fn output_that_differs_is_found() {
    for (printed, line) in [("a…c", "abc"), ("…", ""), ("a…", "a"), ("a", "a"), ("…b…d", "abcd")] {
        assert!(is_like(printed, line), "{printed} {line}");
    }
    for (printed, line) in [("a…c", "abd"), ("a", "ab"), ("ab", "a"), ("…b", "bc")] {
        assert!(!is_like(printed, line), "{printed} {line}");
    }
    let command = "echo a; echo b; echo c >&2";
    for printed in [&["a", "b", "c"][..], &["…"], &["a", "…"], &["…", "c"]] {
        assert_eq!(misprinted(command, printed), None, "{printed:?}");
    }
    for printed in [&["a", "b"][..], &["b", "…"], &["a", "c"], &["a", "b", "c", "d"]] {
        assert!(misprinted(command, printed).is_some(), "{printed:?}");
    }
}

#[test]
fn queries_parse_and_configurations_are_accepted() {
    let pages = pages();
    let mut wrong: Vec<String> = pages
        .iter()
        .filter(|page| page.is_manual())
        .flat_map(wrong_code)
        .collect();
    let all = |language| pages.iter().flat_map(move |page| page.blocks(language));
    let (queries, configurations) = (all("query"), all("toml"));
    for line in queries.flat_map(|block| block.lines) {
        if let Err(why) = parse(line, &OFFERS, &Dialect::VAST, &[], Mode::Strict) {
            wrong.push(format!("{line}: {why}"));
        }
    }
    for block in configurations {
        let checked = Shell::new().check_config(&block.lines.join("\n"));
        wrong.extend(checked.err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_subcommand_has_its_section() {
    let pages = pages();
    let page = pages.iter().find(|page| page.path == "docs/command-line.md");
    let text = &page.unwrap().text;
    let mut program = bourse::cli::Arguments::command();
    program.build();
    let commands = program.get_subcommands();
    let shown = commands.filter(|own| !own.is_hide_set() && own.get_name() != "help");
    let names: Vec<_> = shown.map(|own| format!("bourse {}", own.get_name())).collect();
    let lacking = names.iter().filter(|name| !text.contains(name.as_str()));
    assert_eq!(lacking.collect::<Vec<_>>(), [""; 0]);
}

/// Positive control.
#[test]
fn what_does_not_run_is_found() {
    let shell = |line: &str| {
        run_block(&Block {
            language: "sh",
            lines: line.lines().collect(),
        })
    };
    for sound in [
        "bourse paths   # where",
        "echo num_gpus=1 | bourse offers - > offers.csv",
        "BOURSE_API_KEY=... bourse --profile vast",
        "cargo test -- repository::guide",
        "sqlite3 -readonly history.sqlite \"SELECT model\n    FROM offers_on_record_v1\"",
        "duckdb -c \"SELECT gpus::DOUBLE FROM sqlite_scan('history.sqlite', 'offers_on_record_v1')\"",
    ] {
        assert_eq!(shell(sound), [""; 0], "{sound}");
    }
    for wrong in [
        "bourse offers --colums id",
        "bourse offers gpu_nam=RTX_4090",
        "bourse unlist",
        "bourse unlist 7311",
        "bourse --base-url https://market.example --no-such-flag",
        "echo x | bourse offers -",
        "cargo test -- no_such_test",
        "cargo bench --bench nothing",
        "sqlite3 -readonly history.sqlite 'SELECT colour FROM offers_on_record_v1'",
        "duckdb -c \"SELECT colour FROM sqlite_scan('history.sqlite', 'offers_on_record_v1')\"",
        "nothing",
    ] {
        assert_eq!(shell(wrong).len(), 1, "{wrong}");
    }
    let page = |text: &str| Page {
        path: "README.md".to_owned(),
        text: text.to_owned(),
    };
    let sound = page("`ascii = true`, `gpu_ram>=24`, `age<7d`, `bourse unlist`, `--sort=x`, `N=1`");
    assert_eq!(wrong_code(&sound), [""; 0]);
    let wrong = page("`gpu_rum>=24`, `geolocation in [US`, `bourse offer`, `bourse offers --x`");
    assert_eq!(wrong_code(&wrong).len(), 4);
    assert!(Shell::new().check_config("themes = \"dark\"").is_err());
}
