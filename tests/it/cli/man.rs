//! The man page is in step with the command line and the keys.
//!
//! `BOURSE_WRITE_DOCS=1 cargo test --test it man` writes it.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use crate::contract::{STATUSES, VARIABLES};
use bourse::cli::help;
use bourse::core::keys::Keymap;
use bourse::keys::{BINDINGS, Context};
use clap::Command;
use clap_mangen::Man;

use super::commands::bourse;

/// The section on files, which is not generated.
const FILES: &str = r"
.SH FILES
.TP
.I $XDG_CONFIG_HOME/bourse/config.toml
Profiles, keys and themes; \fBbourse config print\-default\fR prints one with every setting.
.TP
.I $XDG_CONFIG_HOME/bourse/keys/
API keys saved from the dashboard, readable only by you.
.TP
.I $XDG_STATE_HOME/bourse/
Saved searches and the history of writes. \fBbourse paths\fR prints every path.
";

fn page() -> io::Result<Vec<u8>> {
    // The commit of the version would change the page with every build.
    let mut command = complete(help::command())
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_help_heading("Commands");
    command.build();
    // Examples are added below, line by line: within the text they would be filled into paragraphs.
    let whole = Man::new(command.clone().after_help("").after_long_help("")).date(released());
    let mut page = Vec::new();
    whole.render_title(&mut page)?;
    whole.render_name_section(&mut page)?;
    whole.render_synopsis_section(&mut page)?;
    whole.render_description_section(&mut page)?;
    whole.render_options_section(&mut page)?;
    examples(&mut page, ".SH", &[])?;
    for own in command.get_subcommands() {
        subcommand(&mut page, own, &mut vec![own.get_name()])?;
    }
    keys(&mut page)?;
    page.extend(FILES.trim_start().bytes());
    table(&mut page, "ENVIRONMENT", &VARIABLES)?;
    table(&mut page, "EXIT STATUS", &STATUSES)?;
    Ok(page)
}

/// The command with the help of every argument as its long one: the page leaves out what only the short help has.
fn complete(command: Command) -> Command {
    let command = command.mut_args(|argument| {
        let help = argument.get_long_help().or(argument.get_help()).cloned();
        argument.hide_short_help(false).long_help(help.unwrap_or_default())
    });
    command.mut_subcommands(complete)
}

/// A section with an entry for each row.
fn table(page: &mut Vec<u8>, heading: &str, rows: &[(&str, &str)]) -> io::Result<()> {
    writeln!(page, ".SH {heading}")?;
    for (name, meaning) in rows {
        writeln!(
            page,
            ".TP\n.B {}\n{}",
            literal(name),
            literal(&meaning.replace('`', ""))
        )?;
    }
    Ok(())
}

/// The day of the newest release.
fn released() -> String {
    let changes = include_str!("../../../CHANGELOG.md");
    let heading = changes.lines().find(|line| line.starts_with("## [0."));
    let (_, day) = heading.unwrap().rsplit_once(' ').unwrap();
    day.to_owned()
}

/// The keys of the tables and those that work everywhere.
fn keys(page: &mut Vec<u8>) -> io::Result<()> {
    writeln!(page, ".SH KEYS\nIn the dashboard, \\fB?\\fR lists every key of a view.")?;
    let keymap = Keymap::default();
    for context in [Context::Global, Context::Always, Context::Table] {
        for row in BINDINGS.iter().filter(|row| row.context == context) {
            let keys = keymap.all_keys(row);
            if !keys.is_empty() {
                writeln!(page, ".TP\n.B {}\n{}", literal(&keys), literal(row.help))?;
            }
        }
    }
    Ok(())
}

/// The section of a subcommand, and those of its own subcommands.
fn subcommand<'a>(page: &mut Vec<u8>, command: &'a Command, path: &mut Vec<&'a str>) -> io::Result<()> {
    if command.is_hide_set() || command.get_name() == "help" {
        return Ok(());
    }
    let man = Man::new(command.clone());
    let mut part = Vec::new();
    man.render_synopsis_section(&mut part)?;
    man.render_description_section(&mut part)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        man.render_options_section(&mut part)?;
    }
    writeln!(page, ".SH BOURSE {}", path.join(" ").to_uppercase())?;
    let part = String::from_utf8_lossy(&part).replace(".SH ", ".SS ");
    page.extend(part.into_bytes());
    examples(page, ".SS", path)?;
    for own in command.get_subcommands() {
        path.push(own.get_name());
        subcommand(page, own, path)?;
        path.pop();
    }
    Ok(())
}

/// The examples of a command, each on a line of its own.
fn examples(page: &mut Vec<u8>, heading: &str, path: &[&str]) -> io::Result<()> {
    let examples = help::examples(path);
    if examples.is_empty() {
        return Ok(());
    }
    writeln!(page, "{heading} EXAMPLES\n.nf")?;
    for (line, what) in examples {
        writeln!(page, "# {}\n{}\n", literal(what), literal(line))?;
    }
    writeln!(page, ".fi")
}

/// A text escaped for roff, so that it can be copied from the page.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => out.push_str(r"\e"),
            '-' => out.push_str(r"\-"),
            '\'' => out.push_str(r"\(aq"),
            '`' => out.push_str(r"\(ga"),
            '~' => out.push_str(r"\(ti"),
            '^' => out.push_str(r"\(ha"),
            other => out.push(other),
        }
    }
    // A leading dot would start a roff request.
    if out.starts_with('.') {
        out.insert_str(0, r"\&");
    }
    out
}

#[test]
fn the_man_page_is_in_step_with_the_command_line_and_the_keys() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/man/bourse.1");
    let page = String::from_utf8(page().unwrap()).unwrap();
    if std::env::var_os("BOURSE_WRITE_DOCS").is_some() {
        fs::write(path, page).unwrap();
        return;
    }
    assert!(
        fs::read_to_string(path).is_ok_and(|written| written == page),
        "assets/man/bourse.1 is out of date: BOURSE_WRITE_DOCS=1 cargo test --test it man"
    );
}

#[test]
fn the_man_page_keeps_its_examples_on_lines_of_their_own() {
    let (status, page, _) = bourse(&["man"]);
    assert_eq!(status, 0);
    // What roff must not fill stands between .nf and .fi, a command a line.
    let mut commands = 0;
    let mut is_kept = false;
    for line in page.lines() {
        match line {
            ".nf" => is_kept = true,
            ".fi" => is_kept = false,
            // The line that indexes of man pages are made of.
            _ if line.starts_with(r"bourse \- ") => {}
            _ if line.starts_with("bourse ") || line.starts_with("echo ") => {
                assert!(is_kept, "{line}");
                commands += 1;
            }
            _ => {}
        }
    }
    assert!(commands >= 30, "{commands}");
    for words in [
        r"bourse offers \(aqgpu_name=RTX_4090 dph<0.5\(aq \-o dph_total",
        ".SH BOURSE GROUPS CREATE",
        ".SH BOURSE UNLIST",
        ".SH KEYS",
        ".SH EXIT STATUS",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("__complete"));
}

/// The visible arguments below a command whose help is not in the page, and how many were looked for.
fn lacking(command: &Command, page: &str, path: &str, count: &mut usize) -> Vec<String> {
    let mut found = Vec::new();
    for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
        let help = argument.get_long_help().or(argument.get_help()).unwrap().to_string();
        let first = help.lines().next().unwrap().replace('-', r"\-").replace('\'', r"\*(Aq");
        *count += 1;
        if !page.contains(&first) {
            found.push(format!("{path} {}: {first}", argument.get_id()));
        }
    }
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        found.extend(lacking(below, page, &format!("{path} {}", below.get_name()), count));
    }
    found
}

#[test]
fn the_man_page_explains_every_entry() {
    let mut command = help::command();
    command.build();
    let (_, page, _) = bourse(&["man"]);
    let mut count = 0;
    let found = lacking(&command, &page, "bourse", &mut count);
    assert!(count > 200, "{count}");
    assert!(found.is_empty(), "{} of {count}:\n{}", found.len(), found.join("\n"));
}
