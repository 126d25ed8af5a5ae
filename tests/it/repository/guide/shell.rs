//! Runs command lines as a person would type them.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use bourse::cli::{self, Arguments};
use clap::Parser as _;

use crate::cli::commands::{Home, run};
use crate::pty_support::Pty;

/// A shell in an empty home, with `bourse` on its path. The sandbox answers without delay.
pub struct Shell {
    home: Home,
}

/// The words behind `bourse` in a line of a shell; `None` if it does not run bourse.
pub fn bourse_words(line: &str) -> Option<Vec<String>> {
    let command = line.split('|').map(str::trim).find(|command| {
        let mut words = command.split_whitespace();
        let is_variable = |word: &str| word.contains('=') && !word.starts_with('\'');
        words.find(|word| !is_variable(word)) == Some("bourse")
    })?;
    let words = shell_words::split(command).unwrap();
    let words = words.into_iter().skip_while(|word| word != "bourse").skip(1);
    let is_output = |word: &String| matches!(word.as_str(), ">" | ">>");
    Some(words.take_while(|word| !is_output(word)).collect())
}

/// Parses the words behind `bourse`.
pub fn parsed(words: &[String]) -> Result<Arguments, clap::Error> {
    let program = std::iter::once("bourse".to_owned());
    Arguments::try_parse_from(program.chain(words.iter().cloned()))
}

impl Shell {
    pub fn new() -> Self {
        let home = Home::new();
        // fish makes this folder at its first start.
        fs::create_dir_all(home.path().join(".config/fish/completions")).unwrap();
        let bourse = concat!("'", env!("CARGO_BIN_EXE_bourse"), "'");
        let script = format!(
            "#!/bin/sh\ncase \" $* \" in *' --latency '*|*' --profile '*|*' --base-url '*) exec {bourse} \"$@\";; esac\n\
             exec {bourse} --latency 0 $FROZEN \"$@\"\n"
        );
        home.file("bin/script", &script, 0o755);
        // Copied by a program: a script that this process has open for writing is busy in programs that other
        // threads start meanwhile.
        let [from, to] = ["bin/script", "bin/bourse"].map(|name| home.path().join(name));
        let copied = Command::new("cp").arg("-p").args([from, to]).status();
        assert!(copied.is_ok_and(|status| status.success()));
        Self { home }
    }

    /// Gives the sandbox a past, if a line reads the record: one of few offers, which is simulated once for all.
    pub fn give_past(&self, lines: &[String]) {
        static PAST: OnceLock<Vec<u8>> = OnceLock::new();
        const FILE: &str = ".local/state/bourse/profiles/sandbox/history.sqlite";
        let file = self.home.path().join(FILE);
        let is_reading = |line: &String| ["history", "bids", "verdict"].iter().any(|word| line.contains(word));
        if !lines.iter().any(is_reading) {
            return;
        }
        let past = PAST.get_or_init(|| {
            let home = Home::new();
            let (status, _, err) = run(&mut home.bourse(&["history", "--offers", "60"]));
            assert_eq!(status, 0, "{err}");
            fs::read(home.path().join(FILE)).unwrap()
        });
        for folder in [
            ".local/state/bourse",
            ".local/state/bourse/profiles",
            ".local/state/bourse/profiles/sandbox",
        ] {
            let folder = self.home.path().join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
        }
        fs::write(&file, past).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// Runs a line, or says what is wrong with it. The dashboard is opened and left; what runs until
    /// it is interrupted has to print a line. Of a line that names a market elsewhere only the
    /// words are checked.
    pub fn run(&self, line: &str) -> Result<(), String> {
        let Some(words) = bourse_words(line) else {
            return self.run_to_its_end(line);
        };
        let arguments = parsed(&words).map_err(|error| format!("{line}: {error}"))?;
        let has = |word: &str| words.iter().any(|own| own == word);
        let global = &arguments.global;
        let is_elsewhere = global.base_url.is_some() || global.profile.as_deref().is_some_and(|name| name != "sandbox");
        match &arguments.command {
            Some(cli::Command::Config { .. }) => self.run_to_its_end(line),
            _ if is_elsewhere && !has("--curl") => Ok(()),
            None => Self::open_and_leave(&words),
            Some(cli::Command::Sandbox(_)) => self.first_line(line, "bourse sandbox on http://"),
            Some(cli::Command::Watch { .. }) if !has("--once") && !has("--if") => self.first_line(line, ""),
            Some(_) => self.run_to_its_end(line),
        }
    }

    fn command(&self, line: &str) -> Command {
        let mut shell = Command::new("/bin/sh");
        let bin = self.home.path().join("bin");
        shell
            .args(["-c", line])
            .current_dir(self.home.path())
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
            .stdin(Stdio::null());
        shell
    }

    fn run_to_its_end(&self, line: &str) -> Result<(), String> {
        if line.contains("| jq") && Command::new("jq").arg("--version").output().is_err() {
            return Ok(()); // not installed here
        }
        let (status, out, err) = run(&mut self.command(line));
        let finds_nothing = ["no offers match", "no network volumes match", "no workergroups match"];
        let is_good =
            status == 0 && !err.contains("bourse: ") && !finds_nothing.iter().any(|words| err.contains(words));
        is_good
            .then_some(())
            .ok_or_else(|| format!("{line}: status {status}\n{out}\n{err}"))
    }

    /// The lines that a terminal shows of a command on the frozen sandbox.
    pub fn transcript(&self, line: &str) -> String {
        let mut shell = self.command(&format!("{{ {line}; }} 2>&1"));
        run(shell.env("FROZEN", "--freeze")).1
    }

    fn first_line(&self, line: &str, wanted: &str) -> Result<(), String> {
        // A group of its own, so that the program ends together with its shell.
        let mut shell = self.command(line);
        let mut child = shell.stdout(Stdio::piped()).process_group(0).spawn().unwrap();
        let first = BufReader::new(child.stdout.take().unwrap()).lines().next();
        let group = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
        child.wait().unwrap();
        let first = first.and_then(Result::ok);
        let is_good = first.as_ref().is_some_and(|first| first.starts_with(wanted));
        is_good
            .then_some(())
            .ok_or_else(|| format!("{line}: printed {first:?}"))
    }

    fn open_and_leave(words: &[String]) -> Result<(), String> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut pty = Pty::bourse(&words, &[], 110, 30);
        pty.wait_for_text("SANDBOX");
        pty.keys("<C-c>");
        pty.exit().assert_clean(0);
        Ok(())
    }

    /// Whether `bourse config check` accepts a configuration.
    pub fn check_config(&self, text: &str) -> Result<(), String> {
        self.home.file(".config/bourse/config.toml", text, 0o600);
        self.run("bourse config check")
    }
}
