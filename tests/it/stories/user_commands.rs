//! Commands of the user's on keys: what they get of a row, what is refused, and where they are shown.

use std::path::Path;

use bourse::core::message::{Effect, News, Ran, RunCommand};
use bourse::settings::{Config, Preferences};

use crate::stories::groups::FOUR;
use crate::test_app::{THREE, TestApp};

const RENT: &str = "[commands.rent]\nkey = \"f9\"\n\
    run = [\"vastai\", \"create\", \"instance\", \"{id}\", \"--label\", \"{gpu_name} at {price}\", \"{{x}}\"]\n\
    on = \"offer\"\n";

/// A dashboard with this configuration, whose offers have arrived.
fn with(config: &str, offers: &str) -> TestApp {
    let mut desk = TestApp::with_offers(offers);
    configure(&mut desk, config);
    desk.resize(160, 40);
    desk
}

fn configure(desk: &mut TestApp, config: &str) {
    let path = Path::new("/etc/bourse/config.toml");
    let (preferences, wrong) = Preferences::from_config(Config::parse(config, path).unwrap(), path);
    assert!(wrong.is_empty(), "{wrong:?}");
    desk.model.keymap = preferences.keymap;
    desk.model.settings.values = preferences.config.values;
}

/// The mistakes in a configuration, with their lines.
fn mistakes(config: &str) -> Vec<String> {
    let path = Path::new("/c");
    let (_, wrong) = Preferences::from_config(Config::parse(config, path).unwrap(), path);
    wrong.iter().map(ToString::to_string).collect()
}

/// The commands that were to run.
fn run(desk: &TestApp) -> Vec<&RunCommand> {
    let run = desk.effects.iter().filter_map(|effect| match effect {
        Effect::Run { command, .. } => Some(&**command),
        _ => None,
    });
    run.collect()
}

fn ended(desk: &mut TestApp, output: &str, status: &str) {
    desk.bring(News::Ran(Box::new(Ran {
        status: status.to_owned(),
        is_error: status != "done",
        output: output.to_owned(),
        is_cut: false,
    })));
    desk.wait(0.0);
}

#[test]
fn a_key_runs_the_command_on_the_selected_row_and_a_panel_shows_its_output() {
    let mut desk = with(RENT, THREE);
    desk.expect("F9 rent");
    desk.keys("j f9");
    let command = run(&desk)[0];
    let wanted = [
        "vastai",
        "create",
        "instance",
        "102",
        "--label",
        "H100 SXM at 16.02",
        "{x}",
    ];
    assert_eq!(command.record.words, wanted);
    assert_eq!(
        (command.record.name.as_str(), command.record.profile.as_str()),
        ("rent", "test")
    );
    let of = |name: &str| {
        command
            .environment
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.as_str())
    };
    assert_eq!(of("BOURSE_OFFER"), Some("102"));
    assert_eq!(of("BOURSE_MODEL"), Some("H100 SXM"));
    assert_eq!(of("BOURSE_PRICE"), Some("16.02"));
    desk.expect("$ vastai create instance 102").expect("Running…");
    ended(
        &mut desk,
        "Started. {'new_contract': 7}\n\u{1b}[31mred\u{202e}\n",
        "done",
    );
    desk.expect("Started. {'new_contract': 7}").expect("done");
    assert!(!desk.screen().contains('\u{202e}'));
    desk.keys("esc").expect("102");
    assert_eq!(run(&desk).len(), 1);
}

#[test]
fn a_command_that_fails_says_so_and_one_at_a_time_runs() {
    let mut desk = with(RENT, THREE);
    desk.keys("f9 esc f9");
    desk.expect("rent is still running");
    assert_eq!(run(&desk).len(), 1);
    desk.keys("q").expect("The command rent is running");
    desk.keys("esc");
    ended(&mut desk, "", "exit status: 3");
    desk.expect("rent: exit status: 3");
    desk.keys("f9");
    assert_eq!(run(&desk).len(), 2);
}

#[test]
fn a_command_asks_first_if_that_is_configured_and_always_in_the_sandbox() {
    let mut desk = with(&format!("{RENT}confirm = true\n"), THREE);
    desk.keys("f9").expect("Run rent?").expect("vastai create instance 101");
    desk.keys("enter");
    assert_eq!(run(&desk).len(), 0, "Enter cancels");
    desk.keys("f9 y");
    assert_eq!(run(&desk).len(), 1);
    let mut desk = with(RENT, THREE);
    desk.model.profile.is_sandbox = true;
    desk.keys("f9").expect("Run rent?").expect("This row is of the sandbox");
    assert_eq!(run(&desk).len(), 0);
}

#[test]
fn nothing_of_a_stranger_s_reaches_a_command_that_it_may_act_on() {
    let label = "[commands.label]\nkey = \"f8\"\nrun = [\"sh\", \"-c\", \"echo {gpu_name}\"]\n";
    let option = "[commands.label]\nkey = \"f8\"\nrun = [\"echo\", \"{gpu_name}\"]\n";
    for (config, name) in [
        (label, "$(touch x)"),
        (label, "a;b"),
        (label, "`x`"),
        (label, "a\\nb"),
        (label, "x\\u202ey"),
        (label, "a'b"),
        (label, "a&b"),
        (option, "--force"),
        (option, "\\u0000"),
    ] {
        let mut desk = with(config, &THREE.replacen("RTX 4090", name, 1));
        desk.keys("f8");
        assert_eq!(run(&desk).len(), 0, "{name}");
        desk.expect("Label was not run: gpu_name of this row has characters");
    }
    // Positive control.
    let mut desk = with(label, THREE);
    desk.keys("f8");
    assert_eq!(run(&desk)[0].record.words, ["sh", "-c", "echo RTX 4090"]);
    // What the market did not send is not made up.
    let place = "[commands.place]\nkey = \"f8\"\nrun = [\"echo\", \"{geolocation}\"]\n";
    let mut desk = with(place, THREE);
    desk.keys("j j f8")
        .expect("the market sent no geolocation for this row");
    assert_eq!(run(&desk).len(), 0);
}

#[test]
fn commands_are_in_footer_palette_and_help_where_they_mean_something() {
    let mut desk = with(RENT, THREE);
    desk.keys("?").type_text("vastai").expect("F9");
    desk.keys("esc esc :").type_text("rent");
    desk.expect("vastai create instance");
    desk.keys("enter");
    assert_eq!(run(&desk).len(), 1);
    ended(&mut desk, "", "done");
    desk.keys("esc 3").answer(FOUR);
    desk.expect_not("F9 rent");
    desk.keys("f9");
    assert_eq!(run(&desk).len(), 1);
    let mut desk = with(RENT, THREE);
    desk.model.profile.read_only = true;
    desk.keys("f9").expect("commands do not run in READ-ONLY");
    assert_eq!(run(&desk).len(), 0);
}

#[test]
fn volumes_and_workergroups_have_commands_too() {
    let config =
        "[commands.logs]\nkey = \"f9\"\nrun = [\"logs\", \"{id}\", \"{endpoint_name}\"]\non = \"workergroup\"\n";
    let mut desk = with(config, THREE);
    desk.keys("3").answer(FOUR);
    desk.expect("F9 logs");
    desk.keys("f9");
    let words = &run(&desk)[0].record.words;
    assert_eq!(words[0], "logs");
    assert!(words[1].parse::<u64>().is_ok(), "{words:?}");
    let config = "[commands.buy]\nkey = \"f9\"\nrun = [\"buy\", \"{id}\"]\non = \"volume\"\n";
    let mut desk = with(config, THREE);
    desk.keys("2")
        .answer(r#"{"offers":[{"id":55,"storage_cost":0.1,"disk_space":900.0,"verified":true}]}"#);
    desk.keys("f9");
    assert_eq!(run(&desk)[0].record.words, ["buy", "55"]);
}

#[test]
fn mistakes_name_their_line_and_drop_the_command_alone() {
    let command = |lines: &str| format!("ascii = true\n[commands.rent]\n{lines}");
    for (lines, wanted) in [
        (
            "key = \"r\"\nrun = [\"x\"]\n",
            "/c:3:7: 'r' of the command 'rent' is already the key of 'refresh'",
        ),
        (
            "key = \"f9\"\nrun = [\"x\", \"{nope}\"]\n",
            "/c:4:13: {nope} is no field of offers",
        ),
        (
            "key = \"f9\"\nrun = [\"x\", \"{id\"]\n",
            "/c:4:13: '{id' has an open brace",
        ),
        (
            "key = \"f9\"\nrun = [\"{id}\"]\n",
            "/c:4:8: the program cannot come from a row",
        ),
        ("key = \"f9\"\nrun = []\n", "/c:4:7: run names no program"),
        ("key = \"hyper-x\"\nrun = [\"x\"]\n", "/c:3:7: 'hyper-x' is no key"),
        ("key = \"ctrl-m\"\nrun = [\"x\"]\n", "/c:3:7: 'ctrl-m' cannot be a key"),
        ("key = \"f9\"\nrun = \"x\"\n", "/c:4:7: invalid type: string"),
        (
            "key = \"f9\"\nrun = [\"x\"]\non = \"host\"\n",
            "/c:5:6: 'host' is not a kind of row",
        ),
        (
            "key = \"f9\"\nrun = [\"x\"]\nconfrim = true\n",
            "/c:5:1: unknown field `confrim`, did you mean `confirm`?",
        ),
        ("key = \"f9\"\n", "/c:2:11: the command 'rent' needs a key and a run"),
        (
            "on = \"workergroup\"\nkey = \"f9\"\nrun = [\"x\", \"{api_key}\"]\n",
            "/c:5:13: {api_key} is a secret",
        ),
        (
            "key = \"f9\"\nrun = [\"x\"]\n[commands.stop]\nkey = \"f9\"\nrun = [\"y\"]\n",
            "/c:6:7: 'F9' of the command 'stop' is already the key of 'rent'",
        ),
    ] {
        let found = mistakes(&command(lines));
        assert!(
            found.iter().any(|mistake| mistake.starts_with(wanted)),
            "{wanted}:\n{}",
            found.join("\n")
        );
    }
    assert_eq!(mistakes(&command("key = \"f9\"\nrun = [\"x\"]\n")), [""; 0]);
    // A key that the user took from an action is free.
    let moved = "[keys]\nrefresh = \"f5\"\n[commands.rent]\nkey = \"r\"\nrun = [\"x\"]\n";
    assert_eq!(mistakes(moved), [""; 0]);
}
