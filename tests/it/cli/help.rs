//! The help: defaults are stated, examples run as printed, shells complete, and `config show` names
//! the source of every setting.

use std::fs;
use std::process::Command;

use super::commands::{Home, bourse, run};
use crate::cases::{cases, side_by_side};
use crate::pty_support::Pty;
use crate::repository::guide::shell::Shell;

/// The commands, each with the words behind `bourse`.
const COMMANDS: [&[&str]; 36] = [
    &[],
    &["offers"],
    &["volumes"],
    &["market"],
    &["depth"],
    &["plan"],
    &["pick"],
    &["watch"],
    &["history"],
    &["bids"],
    &["db"],
    &["db", "check"],
    &["db", "vacuum"],
    &["db", "export"],
    &["db", "reset"],
    &["markets"],
    &["markets", "add"],
    &["markets", "check"],
    &["groups"],
    &["groups", "create"],
    &["groups", "supply"],
    &["unlist"],
    &["writes"],
    &["writes", "check"],
    &["route"],
    &["sandbox"],
    &["mcp"],
    &["config"],
    &["config", "check"],
    &["config", "show"],
    &["config", "print-default"],
    &["paths"],
    &["completions"],
    &["help"],
    &["schema"],
    &["man"],
];

/// The help of a command on a terminal of so many columns.
fn help(command: &[&str], columns: &str) -> String {
    let home = Home::new();
    let arguments = [command, &["--help"]].concat();
    let (status, out, err) = run(home.bourse(&arguments).env("COLUMNS", columns));
    assert_eq!((status, err.as_str()), (0, ""), "{command:?}");
    out
}

/// The lines of a text that begin with a command, as printed.
fn lines_of_examples(text: &str) -> Vec<String> {
    let (_, examples) = text.split_once("Examples:\n").unwrap_or_default();
    examples
        .lines()
        .take_while(|line| line.starts_with("  "))
        .map(|line| line.trim().to_owned())
        .filter(|line| !line.starts_with('#'))
        .collect()
}

#[test]
fn the_dashboard_opens_with_the_limit_of_the_command_line() {
    let mut pty = Pty::bourse(&["--limit", "7", "--query", "num_gpus>=1"], &[], 110, 30);
    pty.wait_for_text("limit 7");
    pty.wait_for_text("First 7, more exist");
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);
}

#[test]
fn every_example_of_the_help_runs_as_printed() {
    let commands = COMMANDS.into_iter().step_by(cases(4, 1)).collect();
    side_by_side(commands, |command: &[&str]| {
        // On the narrowest usual terminal, where a long line would be wrapped.
        let examples = lines_of_examples(&help(command, "80"));
        assert!(!examples.is_empty(), "bourse {command:?} has no example");
        for line in &examples {
            let own = ["bourse", command.first().unwrap_or(&"")].join(" ");
            assert!(line.contains(own.trim()), "{line} belongs to another command");
            let shell = Shell::new();
            shell.give_past(std::slice::from_ref(line));
            let ran = shell.run(line);
            assert!(ran.is_ok(), "{}", ran.unwrap_err());
        }
    });
}

#[test]
fn the_short_help_fits_a_small_terminal_and_the_long_one_is_about_its_command() {
    let home = Home::new();
    for command in COMMANDS {
        let short = [command, &["-h"]].concat();
        let (status, short, _) = run(home.bourse(&short).env("COLUMNS", "80"));
        assert_eq!(status, 0, "{command:?}");
        let lines = short.lines().count();
        assert!(lines <= 24, "{command:?}: {lines} lines\n{short}");
        assert!(short.lines().all(|line| line.len() <= 80), "{short}");
        let long = help(command, "80");
        assert_eq!(long.contains("--base-url <URL>"), command.is_empty());
        let serves = command.is_empty() || command == ["sandbox"];
        assert_eq!(long.contains("--seed <N>"), serves, "{command:?}");
        assert!(long.contains("--help"), "{command:?}");
    }
}

/// The commands and arguments below `command` that the help leaves without a word.
fn unexplained(command: &clap::Command, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    if command.get_about().is_none() {
        found.push(path.to_owned());
    }
    for argument in command.get_arguments() {
        if argument.get_help().is_none() {
            found.push(format!("{path} {}", argument.get_id()));
        }
    }
    for below in command.get_subcommands() {
        found.extend(unexplained(below, &format!("{path} {}", below.get_name())));
    }
    found
}

#[test]
fn every_command_and_argument_is_explained() {
    let mut command = bourse::cli::help::command();
    command.build();
    // `__complete` is for the completion scripts and hidden from people.
    let found: Vec<String> = unexplained(&command, "bourse")
        .into_iter()
        .filter(|entry| !entry.contains("__complete"))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn defaults_are_stated() {
    for (command, defaults) in [
        (
            &["offers"][..],
            &[
                "[default: verified=true rentable=true rented=false]",
                "[default: score-]",
                "[default: 500, or 3000 to filter or sort here; 0 sends no limit]",
                "[default: on-demand]",
                "[default: 8]",
                "[default: table]",
            ][..],
        ),
        (
            &["volumes"],
            &[
                "[default: verified=true]",
                "[default: storage_cost]",
                "[default: 100, or 3000 to filter or sort here; 0 sends no limit]",
            ],
        ),
        (
            &["groups"],
            &[
                "[default: no conditions]",
                "[default: endpoint_name,id]",
                "[default: all]",
            ],
        ),
        (
            &["groups", "create"],
            &[
                "[default: verified=true rentable=true rented=false]",
                "[default: 0.9]",
                "[default: 20]",
                "[default: 24]",
                "[default: text]",
            ],
        ),
        (
            &["route"],
            &[
                "[default: 100]",
                "[default: 1]",
                "[default: with --duration 10, else as fast as replies arrive]",
            ],
        ),
        (
            &["sandbox"],
            &["[default: 127.0.0.1:8733]", "[default: 60]", "[default: 2400]"],
        ),
    ] {
        let text = help(command, "200").split_whitespace().collect::<Vec<_>>().join(" ");
        for default in defaults {
            assert!(text.contains(default), "{command:?} lacks {default}:\n{text}");
        }
    }
}

/// What may stand at the end of a line.
fn offered(home: &Home, shell: &str, line: &str) -> Vec<String> {
    let (status, out, err) = run(&mut home.bourse(&["__complete", shell, line]));
    assert_eq!((status, err.as_str()), (0, ""), "{line}");
    out.lines().map(str::to_owned).collect()
}

#[test]
fn shells_complete_commands_flags_profiles_choices_fields_operators_and_values() {
    let home = Home::new();
    home.file(
        ".config/bourse/config.toml",
        "[profiles.work]\nbase_url = \"https://market.example\"\n",
        0o644,
    );
    for (line, wanted) in [
        ("bourse vol", &["volumes "][..]),
        ("bourse groups cr", &["create "]),
        ("bourse --prof", &["--profile "]),
        ("bourse offers --disable", &["--disable-bundling "]),
        ("bourse groups create --cold-w", &["--cold-workers "]),
        ("bourse --profile ", &["sandbox ", "vast ", "work "]),
        ("bourse offers --profile=w", &["--profile=work "]),
        ("bourse offers --type ", &["on-demand ", "bid ", "reserved "]),
        ("bourse volumes --format c", &["csv "]),
        ("bourse unlist 7 --format ", &["text ", "json "]),
        ("bourse --faults cut_b", &["cut_body"]),
        (
            "bourse --faults status_4",
            &["status_401", "status_429", "status_429_retry_after", "status_400"],
        ),
        ("bourse --faults slow,cut_body@un", &["slow,cut_body@unlist"]),
        ("bourse completions f", &["fish "]),
        (
            "bourse offers -o dlperf_per",
            &["dlperf_per_dphtotal", "dlperf_per_dphtotal-"],
        ),
        ("bourse volumes --columns id,nw_disk_a", &["id,nw_disk_avg_bw"]),
        (
            "bourse offers gpu_nam",
            &["'gpu_name=", "'gpu_name!=", "'gpu_name in [", "'gpu_name notin ["],
        ),
        (
            "bourse offers 'num_gpus>=4 static",
            &[
                "num_gpus>=4 static_ip=",
                "num_gpus>=4 static_ip!=",
                "num_gpus>=4 static_ip in [",
                "num_gpus>=4 static_ip notin [",
            ],
        ),
        (
            "bourse offers num_gpus=4 gpu_name=H100_",
            &["gpu_name=H100_SXM", "gpu_name=H100_NVL", "gpu_name=H100_PCIE"],
        ),
        ("bourse offers verified=t", &["verified=true"]),
        (
            "bourse groups test_w",
            &[
                "'test_workers=",
                "'test_workers!=",
                "'test_workers>",
                "'test_workers<",
                "'test_workers>=",
                "'test_workers<=",
                "'test_workers in [",
                "'test_workers notin [",
            ],
        ),
        ("bourse groups create --search-params rentable=f", &["rentable=false"]),
        ("bourse --query rented=f", &["rented=false"]),
        // A path is the shell's business.
        ("bourse --api-key-file /et", &[]),
    ] {
        assert_eq!(offered(&home, "bash", line), wanted, "{line}");
    }
    let fish = offered(&home, "fish", "bourse --profile v");
    assert_eq!(fish, ["vast\t"]);
    let zsh = offered(&home, "zsh", "bourse offers verif");
    assert!(
        zsh[0].starts_with("verification\tverification  ") || zsh[0].starts_with("verified\tverified  "),
        "{zsh:?}"
    );
    // Of a word that bash cuts at `=`, only the rest is replaced.
    let line = "bourse offers --format=j";
    let (_, out, _) = run(&mut home.bourse(&["__complete", "bash", line, "j"]));
    assert_eq!(out, "json \njsonl \n");
}

#[test]
fn completion_survives_every_beginning_of_a_line() {
    let home = Home::new();
    let line = r#"bourse --profile=vast offers "gpu_name in [RTX_4090, 'x" -n 3 -- num_gpus>=\ 2 é"#;
    for (end, _) in line.char_indices().step_by(cases(6, 1)) {
        for shell in ["bash", "zsh"] {
            offered(&home, shell, &line[..end]);
        }
    }
}

#[test]
fn the_scripts_name_the_program_and_bash_accepts_its_own() {
    for shell in ["bash", "zsh", "fish"] {
        let (status, out, _) = bourse(&["completions", shell]);
        assert_eq!(status, 0);
        assert!(out.contains(&format!("__complete {shell}")), "{out}");
    }
    let home = Home::new();
    let (_, script, _) = bourse(&["completions", "bash"]);
    let path = home.file("bourse.bash", &script, 0o644);
    let Ok(checked) = Command::new("bash").arg("-n").arg(path).output() else {
        return; // no bash here
    };
    assert!(checked.status.success(), "{checked:?}");
}

/// The rows of `bourse config show`: setting, value, and where it comes from.
fn settings(home: &Home, arguments: &[&str], variables: &[(&str, &str)]) -> Vec<[String; 3]> {
    let mut command = home.bourse(&[&["config", "show"], arguments].concat());
    let (status, out, err) = run(command.envs(variables.iter().copied()));
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(!out.contains("canary"), "{out}");
    out.lines()
        .skip(1)
        .map(|line| {
            let mut cells = line.split("  ").filter(|cell| !cell.trim().is_empty());
            let mut cell = || cells.next().unwrap_or_default().trim().to_owned();
            [cell(), cell(), cell()]
        })
        .collect()
}

#[track_caller]
fn expect(rows: &[[String; 3]], wanted: [&str; 3]) {
    let row = rows.iter().find(|row| row[0] == wanted[0]);
    assert_eq!(row.map(|row| row.each_ref().map(String::as_str)), Some(wanted));
}

#[test]
fn config_show_prints_what_holds_and_why() {
    let home = Home::new();
    let rows = settings(&home, &[], &[("BOURSE_API_KEY", "canary-1")]);
    expect(&rows, ["profile", "sandbox", "default"]);
    expect(
        &rows,
        ["base_url", "embedded sandbox", "built into the profile sandbox"],
    );
    expect(&rows, ["offers", "2400", "default"]);
    expect(&rows, ["theme", "auto", "default"]);
    assert!(rows.iter().all(|row| row[0] != "api_key"), "the sandbox gets no key");

    home.file("profile-key", "canary-key-2", 0o600);
    let file = home.file(
        ".config/bourse/config.toml",
        "default_profile = \"lab\"\n[theme]\nname = \"light\"\n[keys]\nsort = [\"S\", \"f7\"]\n\
         [profiles.lab]\nbase_url = \"https://market.example\"\nread_only = true\n\
         api_key_file = \"~/profile-key\"\n",
        0o644,
    );
    let at = |line: u32| format!("{}:{line}", file.display());
    let rows = settings(&home, &[], &[]);
    expect(&rows, ["profile", "lab", &at(1)]);
    expect(&rows, ["base_url", "https://market.example", &at(7)]);
    expect(&rows, ["route_url", "https://market.example", "base_url"]);
    expect(&rows, ["dialect", "documented", "default"]);
    expect(&rows, ["read_only", "true", &at(8)]);
    expect(&rows, ["theme", "light", &at(3)]);
    expect(&rows, ["keys.sort", "S f7", &at(5)]);
    let key = home.path().join("profile-key");
    expect(
        &rows,
        ["api_key", "set (hidden)", &format!("{} ({})", key.display(), at(9))],
    );

    let flags = ["--profile", "vast", "--route-url", "https://run.example", "--read-only"];
    let variables = [("VAST_API_KEY", "canary-3"), ("NO_COLOR", "1")];
    let rows = settings(&home, &flags, &variables);
    expect(&rows, ["profile", "vast", "--profile"]);
    expect(
        &rows,
        ["base_url", "https://console.vast.ai", "built into the profile vast"],
    );
    expect(&rows, ["route_url", "https://run.example", "--route-url"]);
    expect(&rows, ["api_key", "set (hidden)", "VAST_API_KEY"]);
    expect(&rows, ["read_only", "true", "--read-only"]);
    expect(&rows, ["theme", "none", "NO_COLOR"]);

    let rows = settings(&home, &["--base-url", "https://other.example"], &[]);
    expect(&rows, ["profile", "custom", "--base-url"]);
    expect(&rows, ["base_url", "https://other.example", "--base-url"]);
    expect(&rows, ["api_key", "not set", "default"]);
}

#[test]
fn paths_are_printed_and_nothing_is_made() {
    let home = Home::new();
    let (status, out, err) = run(home.bourse(&["paths"]).env("XDG_STATE_HOME", home.path().join("state")));
    assert_eq!((status, err.as_str()), (0, ""));
    let root = home.path().display();
    for path in [
        format!("{root}/.config/bourse/config.toml"),
        format!("{root}/.config/bourse/keys"),
        format!("{root}/state/bourse/writes.jsonl"),
        format!("{root}/state/bourse/profiles/sandbox"),
    ] {
        assert!(out.contains(&path), "{path}:\n{out}");
    }
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}
