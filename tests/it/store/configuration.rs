//! The configuration file, the commands about it, and how it makes the dashboard look.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use bourse::core::keys::configured;
use bourse::settings::Config;
use bourse::settings::default_config;
use bourse::tui::appearance::Override;
use bourse::tui::theme::Theme;
use ratatui::style::Color;

use crate::cli::commands::without_delay;
use crate::test_app::{THREE, TestApp};

fn bourse(home: &Path, arguments: &[&str]) -> (i32, String, String) {
    let config = fs::read_to_string(home.join(".config/bourse/config.toml"));
    let output = Command::new(env!("CARGO_BIN_EXE_bourse"))
        .args(without_delay(arguments, &config.unwrap_or_default()))
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

fn check(config: &str) -> (i32, String, String) {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/bourse");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), config).unwrap();
    bourse(home.path(), &["config", "check"])
}

#[test]
fn the_printed_default_is_read_and_changes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let (status, printed, _) = bourse(home.path(), &["config", "print-default"]);
    assert_eq!((status, printed.as_str()), (0, &*default_config()));
    let read = Config::parse(&printed, Path::new("/x/config.toml")).unwrap();
    assert_eq!(read, Config::default());
}

/// Every example behind a `#` is good once the `#` is gone; one key source, as the file says.
#[test]
fn the_examples_in_the_default_are_good() {
    let examples: String = default_config()
        .lines()
        .filter(|line| !line.contains("api_key_command"))
        .map(|line| match line.strip_prefix('#') {
            Some(example) if !example.starts_with(' ') => format!("{example}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let read = Config::parse(&examples, Path::new("/x/config.toml")).unwrap();
    assert_eq!(read.values.default_profile.as_deref(), Some("sandbox"));
    assert_eq!(read.values.colors.len(), 13, "12 roles and the background");
    for entry in &read.values.colors {
        Override::parse(&entry.name, &entry.value).unwrap();
    }
    let keys = read.values.user_keys();
    assert_eq!(keys.len(), 2);
    assert_eq!(configured(&keys).1, []);
    assert!(read.profile("work").is_some());
}

#[test]
fn check_names_file_line_and_the_valid_values() {
    let (status, out, err) = check("theme = \"dark\"\n");
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.ends_with("config.toml: OK\n"), "{out}");
    for (config, wanted) in [
        (
            "\ntheme = \"pink\"\n",
            "config.toml:2:9: 'pink' is not a theme: use one of 'auto', 'dark', 'light', \
             'high-contrast', 'ansi', 'none'",
        ),
        (
            "[keys]\nrefresh = \"Z\"\nsort = [\"Z\"]\n",
            "config.toml:3:8: 'Z' of 'sort' is already the key of 'refresh' (line 2)",
        ),
        (
            "[keys]\n\nrefrsh = \"R\"\n",
            "config.toml:3:10: there is no action 'refrsh'; did you mean 'refresh'",
        ),
        (
            "[theme.colors]\nerror = \"mauve\"\n",
            "config.toml:2:9: 'mauve' is no colour: write #rrggbb",
        ),
        (
            "[theme.colors]\nshadow = \"red\"\n",
            "config.toml:2:10: 'shadow' is no role: use one of text, dim, accent",
        ),
        (
            "ascii = 3\n",
            "config.toml:1:9: invalid type: integer, expected true or false",
        ),
    ] {
        let (status, out, err) = check(config);
        assert_eq!((status, out.as_str()), (1, ""), "{config}");
        assert!(err.contains(wanted), "{err}");
    }
}

#[test]
fn check_lists_every_mistake_at_once_in_the_order_of_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/bourse");
    fs::create_dir_all(&folder).unwrap();
    for (name, mode) in [("open", 0o644), ("good", 0o600)] {
        fs::write(folder.join(name), "canary-key").unwrap();
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let config = r##"default_profile = "nowhere"
theme = { name = "pink", colors = { error = "mauve" } }
ascii = "no"
[keys]
refresh = "ctrl-m"
sort = 3
refrsh = "Z"
[profiles.a]
base_url = "market"
route_url = "https://user:canary-password@run.example"
api_key_file = "missing"
[profiles.b]
base_url = "http://market.example"
api_key_file = "open"
[profiles.c]
base_url = "https://market.example"
api_key_file = "good"
dialect = "klingon"
[profiles.d]
base_url = "https://market.example"
api_key_command = "pass 'show"
colour = 1
[profiles.e]
base_url = "https://market.example"
api_key_command = " "
"##;
    fs::write(folder.join("config.toml"), config).unwrap();
    let (status, out, err) = bourse(home.path(), &["config", "check"]);
    assert_eq!((status, out.as_str()), (1, ""));
    let prefix = format!("bourse: {}:", folder.join("config.toml").display());
    let found: Vec<_> = err
        .lines()
        .map(|line| line.strip_prefix(&prefix).unwrap_or(line))
        .collect();
    let folder = folder.display();
    let wanted = [
        "1:19: no profile named 'nowhere'".to_owned(),
        "2:18: 'pink' is not a theme: use one of".to_owned(),
        "2:45: 'mauve' is no colour".to_owned(),
        "3:9: invalid type: string, expected true or false".to_owned(),
        "5:11: 'ctrl-m' cannot be the key of 'refresh': a terminal cannot tell it from Enter".to_owned(),
        "6:8: invalid type: integer, expected a key".to_owned(),
        "7:10: there is no action 'refrsh'; did you mean 'refresh'".to_owned(),
        "9:12: base_url: not an address such as https://host".to_owned(),
        "10:13: route_url: an address must not contain a user name or password".to_owned(),
        format!("11:16: api_key_file: the key file {folder}/missing does not exist"),
        "13:12: base_url: an API key is sent over plain http only to this computer".to_owned(),
        format!("14:16: api_key_file: the key file {folder}/open is readable by others (mode 0644)"),
        "18:11: 'klingon' is not a dialect".to_owned(),
        "21:19: api_key_command: unmatched quotes".to_owned(),
        "22:1: unknown field `colour`".to_owned(),
        "25:19: api_key_command: the command is empty".to_owned(),
    ];
    for (found, wanted) in found.iter().zip(&wanted) {
        assert!(found.starts_with(wanted), "{found}\n{wanted}\n{err}");
    }
    assert_eq!(found.len(), wanted.len(), "{err}");
    assert!(!err.contains("canary"), "{err}");
}

#[test]
fn one_bad_key_binding_drops_only_itself() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/bourse");
    fs::create_dir_all(&folder).unwrap();
    let config = "default_profile = \"mine\"\n[keys]\nsort = 3\nrefresh = \"ctrl-i\"\n\
        [profiles.mine]\nbase_url = \"https://market.example\"\n";
    fs::write(folder.join("config.toml"), config).unwrap();
    let (status, out, err) = bourse(home.path(), &["offers", "--curl"]);
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("https://market.example/api/v0/bundles/"), "{out}");
    let notes: Vec<_> = err.lines().collect();
    assert!(
        notes[0].starts_with("note: ignored: ") && notes[0].contains("config.toml:3:8: "),
        "{err}"
    );
    assert!(notes[1].contains("config.toml:4:11: 'ctrl-i'"), "{err}");
    assert_eq!(notes.len(), 2, "{err}");
}

/// A home with this configuration file.
fn home_with(config: &[u8]) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/bourse");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), config).unwrap();
    home
}

/// Every command that uses a market, and the sandbox; none may print anything else.
const STOPPED: [&[&str]; 9] = [
    &["pick", "4090"],
    &["offers", "--format", "json"],
    &["offers", "--curl"],
    &["offers", "--profile", "sandbox"],
    &["offers", "--base-url", "http://127.0.0.1:1"],
    &["watch", "--saved", "--list"],
    &["db", "check"],
    &["markets", "check"],
    &["sandbox", "--listen", "127.0.0.1:0"],
];

#[test]
fn a_broken_configuration_stops_every_command_with_file_line_and_advice() {
    let market = "[profiles.lab]\nbase_url = \"https://lab.example\"\n";
    for (config, at, wanted) in [
        ("[keys]\nsort = \"S\"\n[keys]\nquit = \"Q\"\n", "3:", "duplicate key"),
        ("ascii = true\nascii = true\n", "2:", "duplicate key"),
        ("default_profile = \n", "1:", "value"),
        ("default_profle = \"lab\"\n", "1:1", "did you mean `default_profile`"),
        (
            "[profile.lab]\nbase_url = \"https://a\"\n",
            "1:",
            "did you mean `profiles`",
        ),
        ("[watch]\nfast = 1\n", "2:1", "unknown field `fast`"),
        ("default_profile = 3\n", "1:19", "expected a string"),
        ("default_profile = \"nowhere\"\n", "1:19", "no profile named 'nowhere'"),
        ("ascii = \"yes\"\n", "1:9", "expected true or false"),
        ("profiles = 1\n", "1:12", "expected a table"),
        ("[profiles.a]\n", "1:11", "needs a base_url"),
        ("[profiles.a]\nbase_url = \"lab\"\n", "2:12", "base_url: not an address"),
        (
            "[profiles.sandbox]\nbase_url = \"https://a\"\n",
            "1:11",
            "takes no settings",
        ),
        ("[throughput.\"tokens/s\"]\nL4 = \"fast\"\n", "2:6", "expected a number"),
        ("\u{feff}theme = 3\n", "1:9", "expected a theme's name"),
    ] {
        // Wherever the mistake is, and whichever market would be used.
        let home = home_with(format!("{config}{market}").as_bytes());
        let file = home.path().join(".config/bourse/config.toml");
        for command in STOPPED {
            let (status, out, err) = bourse(home.path(), command);
            assert_eq!((status, out.as_str()), (2, ""), "{command:?} {config}\n{err}");
            assert!(err.starts_with(&format!("bourse: {}:{at}", file.display())), "{err}");
            assert!(err.contains(wanted), "{wanted}\n{err}");
            assert!(
                err.contains("correct this line; `bourse config check` lists all"),
                "{err}"
            );
            assert_eq!(err.lines().count(), 1, "{err}");
        }
    }
}

#[test]
fn a_configuration_that_cannot_be_read_is_no_missing_one() {
    use std::os::unix::fs::symlink;
    let text = "ascii = true\n";
    let folder = |home: &Path| home.join(".config/bourse");
    let file = |home: &Path| folder(home).join("config.toml");
    let replace = |home: &Path| fs::remove_file(file(home)).unwrap();
    type Break<'a> = &'a dyn Fn(&Path);
    let ways: [(Break<'_>, &str); 5] = [
        (
            &|home| fs::write(file(home), b"ascii = true # \xff\n").unwrap(),
            "not UTF-8",
        ),
        (
            &|home| {
                replace(home);
                fs::create_dir(file(home)).unwrap();
            },
            "is a directory",
        ),
        (
            &|home| {
                replace(home);
                symlink("/nonexistent/bourse.toml", file(home)).unwrap();
            },
            "not found",
        ),
        (
            &|home| {
                fs::remove_dir_all(folder(home)).unwrap();
                symlink("/nonexistent/bourse", folder(home)).unwrap();
            },
            "not found",
        ),
        (
            &|home| {
                fs::remove_dir_all(folder(home)).unwrap();
                fs::write(folder(home), "").unwrap();
            },
            "not a directory",
        ),
    ];
    for (spoil, wanted) in ways {
        let home = home_with(text.as_bytes());
        spoil(home.path());
        let (status, out, err) = bourse(home.path(), &["pick", "4090"]);
        assert_eq!((status, out.as_str()), (2, ""), "{err}");
        assert!(err.contains("config.toml: ") && err.contains(wanted), "{err}");
        assert!(
            err.contains("make it a text file that you can read, or move it away"),
            "{err}"
        );
        let (status, _, err) = bourse(home.path(), &["config", "check"]);
        assert_eq!(status, 1, "{err}");
        assert!(err.contains(wanted), "{err}");
    }
    // Nothing is configured: the sandbox.
    let home = tempfile::tempdir().unwrap();
    assert_eq!(bourse(home.path(), &["offers", "-n", "1"]).0, 0);
}

#[test]
fn what_repairs_a_broken_configuration_still_works() {
    let config = "default_profile = \"lab\"\nmouse = false\n[keys]\n[keys]\n\
        [profiles.lab]\nbase_url = \"https://lab.example\"\n";
    let home = home_with(config.as_bytes());
    let (status, out, err) = bourse(home.path(), &["config", "check"]);
    assert_eq!((status, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("config.toml:4:"), "{err}");
    for arguments in [
        &["config", "show"][..],
        &["config", "print-default"],
        &["paths"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["--version"],
    ] {
        let (status, out, err) = bourse(home.path(), arguments);
        assert_eq!(status, 0, "{arguments:?}: {err}");
        assert!(!out.is_empty(), "{arguments:?}");
    }
    let (_, out, err) = bourse(home.path(), &["config", "show"]);
    assert!(err.contains("note: ") && err.contains("config.toml:4:"), "{err}");
    let first: Vec<_> = out.lines().nth(1).unwrap().split_whitespace().take(2).collect();
    assert_eq!(first, ["profile", "none"], "neither lab nor the sandbox: {out}");
    assert!(!out.contains("sandbox"), "{out}");
    let (_, out, err) = bourse(home.path(), &["paths"]);
    assert!(err.contains("config.toml:4:"), "{err}");
    assert!(
        out.contains("configuration") && !out.contains("profiles/sandbox"),
        "{out}"
    );
}

#[test]
fn keys_and_colours_drop_only_themselves() {
    let config = "[keys]\nrefrsh = \"R\"\nsort = 3\n[theme.colors]\nerror = \"mauve\"\nshadow = 3\n\
        [profiles.lab]\nbase_url = \"https://lab.example\"\n";
    let home = home_with(config.as_bytes());
    let (status, out, err) = bourse(home.path(), &["offers", "--curl", "--profile", "lab"]);
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("https://lab.example/"), "{out}");
    assert_eq!(
        err.lines().filter(|line| line.starts_with("note: ignored: ")).count(),
        3,
        "{err}"
    );
    assert!(err.contains("1 more error in the configuration"), "{err}");
}

#[test]
fn check_says_when_there_is_no_file() {
    let home = tempfile::tempdir().unwrap();
    let (status, out, _) = bourse(home.path(), &["config", "check"]);
    assert_eq!(status, 0);
    assert!(out.contains("not found, using defaults"), "{out}");
}

#[test]
fn the_man_page_names_every_command_and_the_files() {
    let home = tempfile::tempdir().unwrap();
    let (status, page, _) = bourse(home.path(), &["man"]);
    assert_eq!(status, 0);
    for wanted in [
        ".TH bourse 1",
        ".SH BOURSE OFFERS",
        ".SH BOURSE ROUTE",
        ".SH BOURSE CONFIG",
        "config.toml",
        "BOURSE_API_KEY",
        ".SH EXIT STATUS",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
}

#[test]
fn an_ascii_screen_holds_nothing_else() {
    let mut desk = TestApp::with_offers(THREE);
    desk.theme = Theme {
        ascii: true,
        ..Theme::MONO
    };
    for keys in ["down", "enter", "esc", "s", "esc", "?", "esc", ":", "esc", "/"] {
        desk.keys(keys);
        let screen = desk.screen();
        assert!(screen.is_ascii(), "after {keys}:\n{screen}");
    }
    desk.keys("esc ?");
    desk.expect("+---").expect("|");
    desk.expect_not("?-?");
}

#[test]
fn a_background_of_its_own_is_under_every_cell() {
    let mut desk = TestApp::with_offers(THREE);
    desk.theme = Theme::HIGH_CONTRAST;
    desk.keys("?");
    for cell in desk.cells() {
        assert_ne!(cell.bg, Color::Reset, "{cell:?}");
        assert_ne!(cell.fg, Color::Reset, "{cell:?}");
    }
}

/// A configuration with a bit of everything.
const WHOLE: &str = r#"default_profile = "work"
theme = "dark"
mouse = false

[profiles.work]
base_url = "https://market.example/p"
route_url = "https://run.example"
api_key_file = "keys/work"
read_only = true

[keys]
quit = ["q", "ctrl-q"] # mine
"#;

/// What can be changed from the program is changed, or the file stays as it is.
#[test]
fn a_configuration_cut_or_flipped_at_any_byte_is_read_or_refused_and_never_lost() {
    let whole = Config::parse(WHOLE, Path::new("/x/config.toml")).unwrap();
    assert_eq!(whole.values.default_profile.as_deref(), Some("work"), "control");
    let cuts = (0..WHOLE.len()).map(|end| WHOLE.as_bytes()[..end].to_vec());
    let flips = (0..WHOLE.len()).flat_map(|place| {
        [0x01, 0x15, 0x80].map(|bits| {
            let mut bytes = WHOLE.as_bytes().to_vec();
            bytes[place] ^= bits;
            bytes
        })
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    let mut refused = 0;
    for bytes in cuts.chain(flips) {
        fs::write(&path, &bytes).unwrap();
        let is_read = Config::load(&path).is_ok();
        if bourse::settings::themes::choose(&path, "light").is_ok() {
            assert!(is_read);
            assert_eq!(Config::load(&path).unwrap().values.theme.name(), "light");
        } else {
            refused += 1;
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }
    assert!(refused > 100, "{refused}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file");
}
