//! The man page: the program and all its subcommands, in roff.

use std::io::{self, Write as _};

use clap::Command;
use clap_mangen::Man;

use super::help;
use super::output::{self, CliError};

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

pub fn man() -> Result<(), CliError> {
    let page = page().map_err(|error| CliError::Failed(error.to_string()))?;
    output::write(&page)
}

fn page() -> io::Result<Vec<u8>> {
    let mut command = help::command();
    command.build();
    // Examples are added below, line by line: within the text they would be filled into paragraphs.
    let whole = Man::new(command.clone().after_help(""));
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
    page.extend(BESIDE.trim_start().bytes());
    Ok(page)
}

/// The section of a subcommand, and those of its own subcommands.
fn subcommand<'a>(
    page: &mut Vec<u8>,
    command: &'a Command,
    path: &mut Vec<&'a str>,
) -> io::Result<()> {
    if command.is_hide_set() || command.get_name() == "help" {
        return Ok(());
    }
    let inherited: Vec<_> = command
        .get_arguments()
        .filter(|argument| argument.is_global_set())
        .map(|argument| argument.get_id().clone())
        .collect();
    // The flags of every command are described once, above.
    let short = inherited.into_iter().fold(command.clone(), |own, id| {
        own.mut_arg(id, |argument| argument.hide(true))
    });
    let short = Man::new(short);
    let mut part = Vec::new();
    short.render_synopsis_section(&mut part)?;
    short.render_description_section(&mut part)?;
    if command
        .get_arguments()
        .any(|argument| !argument.is_global_set() && !argument.is_hide_set())
    {
        short.render_options_section(&mut part)?;
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
