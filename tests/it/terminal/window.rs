//! What the dashboard asks of the terminal around it: title, focus, mouse, the person's editor, and
//! a configuration that is saved while it runs; the real program in a pseudo-terminal.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::pty_support::Pty;

fn started(config: &str, variables: &[(&str, &str)]) -> Pty {
    let folder = tempfile::tempdir().unwrap().keep();
    fs::create_dir(folder.join("bourse")).unwrap();
    if !config.is_empty() {
        fs::write(folder.join("bourse/config.toml"), config).unwrap();
    }
    let folder = folder.to_str().unwrap();
    let mut all = vec![("XDG_CONFIG_HOME", folder)];
    all.extend(variables);
    let pty = Pty::bourse(&["--freeze"], &all, 100, 30);
    pty.wait_for("offers", |screen| screen.contents().contains("RTX"));
    pty
}

/// A script that stands in for an editor.
fn editor(script: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("editor");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

/// How often and where in a log a text is.
fn places(log: &str, text: &str) -> Vec<usize> {
    log.match_indices(text).map(|(place, _)| place).collect()
}

#[test]
fn the_title_names_market_and_pane_and_the_old_one_comes_back() {
    let mut pty = started("", &[]);
    pty.keys("2");
    pty.wait_for_text("$/GB/mo");
    pty.keys("q");
    let exit = pty.exit();
    exit.assert_clean(0);
    let log = exit.log_text();
    let saved = places(&log, "\x1b[22;2t");
    let offers = places(&log, "\x1b]2;bourse - SANDBOX - Offers\x1b\\");
    let volumes = places(&log, "\x1b]2;bourse - SANDBOX - Volumes\x1b\\");
    let restored = places(&log, "\x1b[23;2t");
    for once in [&saved, &offers, &volumes, &restored] {
        assert_eq!(once.len(), 1, "{once:?}");
    }
    assert!(saved < offers && offers < volumes && volumes < restored);
}

#[test]
fn without_the_mouse_the_terminal_is_not_asked_for_it() {
    let mut pty = started("mouse = false\n", &[]);
    pty.keys("q");
    let exit = pty.exit();
    exit.assert_clean(0);
    let log = exit.log_text();
    assert!(!log.contains("\x1b[?1000h") && !log.contains("\x1b[?1006h"));
    assert!(log.contains("\x1b[?1004h"), "the focus is reported");
}

#[test]
fn a_saved_configuration_applies_at_once_and_a_broken_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("bourse")).unwrap();
    let file = folder.path().join("bourse/config.toml");
    fs::write(&file, "# mine\n").unwrap();
    let home = folder.path().to_str().unwrap();
    let mut pty = Pty::bourse(&["--freeze"], &[("XDG_CONFIG_HOME", home)], 100, 30);
    pty.wait_for("offers", |screen| screen.contents().contains("RTX"));

    // As many editors save: a new file in the place of the old one.
    let draft = folder.path().join("bourse/.draft");
    fs::write(&draft, "[keys]\nsort = \"S\"\n").unwrap();
    fs::rename(&draft, &file).unwrap();
    pty.wait_for_text("Configuration reloaded");
    pty.keys("S");
    pty.wait_for("the sort editor", |screen| {
        screen.contents().to_lowercase().contains("sort")
            && screen.contents().contains("Esc")
            && !screen.contents().contains("S does nothing here")
    });
    pty.keys("<Esc>");

    fs::write(&file, "[keys]\nsort = \"S\"\n[theme]\nname = \"pink\"\n").unwrap();
    pty.wait_for_text("Configuration not reloaded");
    pty.wait_for_text("config.toml:4:8");
    // The keys of before are still in force.
    pty.keys("s");
    pty.wait_for_text("s does nothing here");

    fs::write(&file, "").unwrap();
    pty.wait_for("the mistake to go", |screen| {
        !screen.contents().contains("config.toml:4:8")
    });
    pty.keys("q");
    pty.exit().assert_clean(0);
}

#[test]
fn a_setting_that_is_saved_on_the_screen_is_not_reported_as_a_reloaded_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bourse/config.toml");
    let home = folder.path().to_str().unwrap();
    let mut pty = Pty::bourse(&["--freeze"], &[("XDG_CONFIG_HOME", home)], 100, 30);
    pty.wait_for("offers", |screen| screen.contents().contains("RTX"));
    pty.keys("J<Tab><Tab><Tab><Tab><Tab>180m tokens");
    pty.wait_for_text("tokens/s");
    pty.keys("<Tab>5000");
    pty.wait_for_text("5000 tokens/s");
    pty.keys("<Enter>");
    pty.wait_for_text("Rate of");
    pty.keys(":theme<Enter>light<Enter>");
    pty.wait_for_text("Theme light saved");
    // A mistake is reported after whatever was to be reported of the settings.
    std::thread::sleep(std::time::Duration::from_millis(500));
    fs::write(&file, "theme = ").unwrap();
    pty.wait_for_text("Configuration not reloaded");
    pty.keys("q");
    let exit = pty.exit();
    exit.assert_clean(0);
    assert!(places(&exit.log_text(), "Configuration reloaded").is_empty());
}

#[test]
fn the_configuration_opens_in_the_editor_and_applies_when_it_is_closed() {
    let (_folder, editor) = editor("grep -q default_profile \"$1\" && printf '[keys]\\nsort = \"S\"\\n' > \"$1\"");
    let mut pty = started("", &[("EDITOR", &editor)]);
    pty.keys(":edit-config<Enter>");
    pty.wait_for_text("Configuration reloaded");
    pty.keys("s");
    pty.wait_for_text("s does nothing here");
    pty.keys("q");
    let exit = pty.exit();
    exit.assert_clean(0);
    // The terminal was the editor's meanwhile.
    assert_eq!(places(&exit.log_text(), "\x1b[?1049l").len(), 2);
}

#[test]
fn an_editor_that_fails_changes_nothing_and_is_named() {
    let (_folder, failing) = editor("exit 3");
    let mut pty = started("# mine\n", &[("EDITOR", &failing)]);
    pty.keys(":edit-config<Enter>");
    pty.wait_for_text("exit status: 3");
    pty.keys("q");
    pty.exit().assert_clean(0);

    let mut pty = started("# mine\n", &[("VISUAL", "/nowhere/editor")]);
    pty.keys(":edit-config<Enter>");
    pty.wait_for_text("/nowhere/editor: No such file");
    pty.keys("q");
    pty.exit().assert_clean(0);
}

#[test]
fn a_theme_that_is_saved_into_the_configuration_shows_at_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("bourse")).unwrap();
    let file = folder.path().join("bourse/config.toml");
    fs::write(&file, "[theme]\nname = \"none\"\n").unwrap();
    let home = folder.path().to_str().unwrap();
    let variables = [("XDG_CONFIG_HOME", home), ("COLORTERM", "truecolor")];
    let mut pty = Pty::bourse(&["--freeze"], &variables, 100, 30);
    pty.wait_for("offers", |screen| screen.contents().contains("RTX"));
    let has_color = |screen: &vt100::Screen| {
        let color = |x| screen.cell(0, x).map(vt100::Cell::fgcolor);
        (0..100).any(|x| !matches!(color(x), None | Some(vt100::Color::Default)))
    };
    pty.wait_for("no colors", |screen| !has_color(screen));
    fs::write(&file, "[theme]\nname = \"light\"\n").unwrap();
    pty.wait_for("colors", has_color);
    fs::write(&file, "[theme]\nname = \"none\"\n").unwrap();
    pty.wait_for("no colors again", |screen| !has_color(screen));
    pty.keys("q");
    pty.exit().assert_clean(0);
}
