//! Commands on the files.

use bourse::core::keys::configured;
use bourse::keys::BINDINGS;
use bourse::settings::Config;

use super::write::OWN_KEYS;
use super::{Home, KEY, fixtures};

/// Names of actions in the configuration that this version no longer has.
fn gone() -> Vec<String> {
    let path = fixtures("0.1").join("config/bourse/config.toml");
    let config = Config::load(&path).unwrap();
    assert!(config.values.keys.len() > 170, "every action has a line");
    let names = config.values.keys.iter().map(|entry| entry.name.clone());
    let is_known = |name: &String| BINDINGS.iter().any(|row| row.name == name);
    names.filter(|name| !is_known(name)).collect()
}

#[test]
fn every_key_holds_or_its_action_is_named() {
    let home = Home::of_0_1();
    let config = Config::load(&home.paths.config_file()).unwrap();
    assert_eq!(config.dropped, []);
    let own = config.values.user_keys();
    let (keymap, errors) = configured(&own);
    let named: Vec<_> = errors.iter().map(|error| error.name.clone()).collect();
    assert_eq!(named, gone(), "{errors:#?}");
    for own in own.iter().filter(|own| !named.contains(&own.name)) {
        let row = BINDINGS.iter().find(|row| row.name == own.name).unwrap();
        assert_eq!(keymap.chords(row).len(), own.keys.len(), "{}", own.name);
    }
    for (name, _) in OWN_KEYS {
        assert!(own.iter().any(|own| own.name == name));
    }
    let (status, out, err) = home.bourse(&["config", "check"]);
    assert_eq!(status, i32::from(!gone().is_empty()), "{out}{err}");
    assert_eq!(err.lines().count(), gone().len(), "{err}");
    for name in gone() {
        assert!(err.contains(&format!("there is no action '{name}'")), "{err}");
    }
}

#[test]
fn every_setting_holds() {
    let home = Home::of_0_1();
    let (status, out, err) = home.bourse(&["config", "show"]);
    assert_eq!(status, 0, "{err}");
    for (setting, value) in [
        ("profile", "work"),
        ("base_url", &home.market.url()),
        ("route_url", &home.market.url()),
        ("dialect", "vast"),
        ("api_key", "set"),
        ("theme", "dusk"),
        ("theme.colors.error", "#ff0000"),
        ("ascii", "false"),
        ("mouse", "false"),
        ("notifications", "unfocused"),
        ("throughput.tokens/s", "1"),
        ("throughput.images/s", "1"),
        ("watch.requests_per_minute", "6"),
        ("watch.every", "120s"),
        ("keys.saved-searches", "ctrl-k"),
    ] {
        let line = out.lines().find(|line| line.split_whitespace().next() == Some(setting));
        let line = line.unwrap_or_else(|| panic!("{setting} is not in {out}"));
        assert_eq!(line.split_whitespace().nth(1), Some(value), "{line}");
    }
    let config = Config::load(&home.paths.config_file()).unwrap();
    assert_eq!(config.values.alert_command.as_deref(), Some("true"));
    let lab = config.profile("lab").unwrap();
    assert!(lab.read_only && lab.dialect.name == "documented");
}

#[test]
fn each_profile_sends_its_own_key() {
    let home = Home::of_0_1();
    for (profile, key) in [("work", KEY), ("lab", "canary-key-of-lab")] {
        let (status, out, err) = home.bourse(&["volumes", "--profile", profile]);
        assert_eq!(status, 0, "{err}");
        assert!(out.contains("4001"), "{out}");
        let sent = home.market.requests().pop().unwrap();
        assert_eq!(sent.header("authorization"), Some(&*format!("Bearer {key}")));
    }
}

#[test]
fn recorded_prices_are_printed_and_go_on() {
    let home = Home::of_0_1();
    let ask = |arguments: &[&str]| {
        let (status, out, err) = home.bourse(arguments);
        assert_eq!(status, 0, "{err}");
        out
    };
    let offers = ["history", "--no-default", "gpu_ram>=24", "--days", "10"];
    let volumes = [
        "history",
        "--no-default",
        "--volumes",
        "disk_space>=500",
        "--days",
        "10",
    ];
    for (arguments, unit) in [(&offers[..], "$/h per GPU"), (&volumes[..], "$/GB/month")] {
        let out = ask(arguments);
        // Machine 7 at the first hour of a day; machine 14 is on the banned host.
        assert!(out.contains("Lowest now: $0.270"), "{out}");
        assert!(out.contains(unit), "{out}");
    }
    let before = ask(&["db", "export", "--format", "csv"]);
    assert!(before.lines().count() > 400, "{before}");
    let check = ask(&["db", "check"]);
    assert!(
        check.contains("no damage") && check.contains("2 searches, 82 polls"),
        "{check}"
    );
    // It records on, and keeps what was there.
    let watch = ["watch", "--no-default", "gpu_ram>=24", "--once"];
    let _ = ask(&watch);
    let check = ask(&["db", "check"]);
    assert!(check.contains("83 polls"), "{check}");
    let after = ask(&["db", "export", "--format", "csv"]);
    // Machines 7 to 9 are on offer again, by other hosts.
    let closed = |line: &&str| {
        let cells: Vec<&str> = line.split(',').collect();
        matches!(cells[11], "gone" | "changed") && cells[3].len() == 2
    };
    let kept: Vec<_> = before.lines().filter(closed).collect();
    assert!(kept.len() > 100);
    assert!(kept.iter().all(|line| after.contains(line)));
}

#[test]
fn the_sandbox_keeps_what_was_done_in_it() {
    let home = Home::of_0_1();
    let (status, out, err) = home.bourse(&["groups", "--profile", "sandbox"]);
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("old-endpoint"), "{out}");
    let volumes = ["volumes", "--profile", "sandbox", "--columns", "ask_contract_id"];
    let (status, out, err) = home.bourse(&volumes);
    assert_eq!(status, 0, "{err}");
    let (_, untouched, _) = crate::cli::commands::bourse(&volumes);
    assert!(untouched.contains("47287803"), "{untouched}");
    assert!(!out.contains("47287803"), "{out}");
}

#[test]
fn what_a_configuration_names_in_vain_is_told_and_all_else_holds() {
    let home = Home::of_0_1();
    let file = home.paths.config_file();
    home.rewrite(&file, "[keys]", "[keys]\nteleport = \"ctrl-t\"");
    home.rewrite(&file, "[theme.colors]", "[theme.colors]\nglow = \"red\"");
    let names = ["teleport", "glow"];
    let (status, _, err) = home.bourse(&["config", "check"]);
    assert_eq!(status, 1);
    let (shown, out, _) = home.bourse(&["config", "show"]);
    assert_eq!(shown, 0);
    for name in names {
        let mut lines = err.lines();
        assert!(lines.any(|line| line.contains(name)), "{name}: {err}");
    }
    for held in ["work", "dusk", "120s", "unfocused", "ctrl-k", "canary"] {
        assert_eq!(out.contains(held), held != "canary", "{held}: {out}");
    }
    let (status, _, err) = home.bourse(&["volumes"]);
    assert_eq!(status, 0, "{err}");
    let sent = home.market.only();
    assert_eq!(sent.header("authorization"), Some(&*format!("Bearer {KEY}")));
    // A setting that is not understood stops everything: it may say what not to send, or where.
    for (line, name) in [
        ("mouse = false", "old_setting"),
        ("[watch]", "patience"),
        ("read_only = true", "spending_limit"),
    ] {
        let before = std::fs::read_to_string(&file).unwrap();
        home.rewrite(&file, line, &format!("{line}\n{name} = 5"));
        let (status, _, err) = home.bourse(&["volumes"]);
        assert_eq!(status, 2, "{err}");
        assert!(err.contains(name), "{err}");
        std::fs::write(&file, before).unwrap();
    }
    assert_eq!(home.market.requests().len(), 1);
}
