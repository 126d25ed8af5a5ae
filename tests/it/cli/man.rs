//! The man page is in step with the command line and the keys.
//!
//! `BOURSE_WRITE_DOCS=1 cargo test --test it man` writes it.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use bourse::cli::help;
use bourse::core::keys::Keymap;
use bourse::keys::{BINDINGS, Context};
use clap::Command;
use clap_mangen::Man;

use super::commands::bourse;

/// The sections of the man page that are not generated.
const BESIDE: &str = r"
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
.SH ENVIRONMENT
.TP
.B BOURSE_API_KEY
The API key for any market except the sandbox.
.TP
.B VAST_API_KEY
The API key of the profile vast, if there is no other.
.TP
.B NO_COLOR
With any value: no colours.
.TP
.B COLORTERM, TERM, LC_ALL, LC_CTYPE, LANG
Which colours and characters the terminal supports.
.SH EXIT STATUS
.TP
.B 0
Success.
.TP
.B 1
Failed, or rejected by the market.
.TP
.B 2
Wrong usage or configuration, or no terminal.
.TP
.B 3
The outcome of a write is unknown.
.TP
.B 4
The conditions of bourse watch --if were not met.
.TP
.BI 128+ n
Signal \fIn\fR ended the dashboard.
";

fn page() -> io::Result<Vec<u8>> {
    // The heading of the list on screen says more.
    let mut command = help::command().subcommand_help_heading("Commands");
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
    page.extend(BESIDE.trim_start().bytes());
    Ok(page)
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
