//! The terminal says whether its background is light; the real program in a pseudo-terminal.

use crate::pty_support::Pty;

const LIGHT: &[u8] = b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\";

/// The colour of the word `bourse` at the top.
fn accent(screen: &vt100::Screen) -> Option<vt100::Color> {
    screen.cell(0, 1).map(vt100::Cell::fgcolor)
}

fn started(variables: &[(&str, &str)]) -> Pty {
    let mut all = vec![("COLORTERM", "truecolor")];
    all.extend(variables);
    let pty = Pty::bourse(&["--freeze"], &all, 100, 30);
    pty.wait_for("offers", |screen| {
        let text = screen.contents();
        text.contains("SANDBOX") && text.contains("First 500, more exist")
    });
    pty
}

#[test]
fn a_late_answer_changes_the_colours_and_no_key_is_lost() {
    let mut pty = started(&[]);
    pty.wait_for("dark colours", |screen| {
        accent(screen) == Some(vt100::Color::Rgb(0x7a, 0xc7, 0xff))
    });
    let mut bytes = b"jj".to_vec();
    bytes.extend(LIGHT);
    bytes.extend(b"j");
    pty.send(&bytes);
    pty.wait_for("light colours, three rows on", |screen| {
        accent(screen) == Some(vt100::Color::Rgb(0x00, 0x55, 0xaa))
            && screen.contents().contains("First 500, more exist")
    });
    assert!(!pty.screen_text().contains("rgb:"));
    pty.keys("q");
    let exit = pty.exit();
    exit.assert_clean(0);
    assert!(exit.log_text().contains("\x1b]11;?\x1b\\"), "it was asked");
}

#[test]
fn a_dark_answer_is_believed_over_the_environment() {
    let mut pty = started(&[("COLORFGBG", "0;15")]);
    pty.wait_for("light colours", |screen| {
        accent(screen) == Some(vt100::Color::Rgb(0x00, 0x55, 0xaa))
    });
    pty.send(b"\x1b]11;rgb:1e1e/1e1e/2e2e\x07");
    pty.wait_for("dark colours", |screen| {
        accent(screen) == Some(vt100::Color::Rgb(0x7a, 0xc7, 0xff))
    });
    pty.keys("q");
    pty.exit().assert_clean(0);
}

#[test]
fn a_terminal_without_many_colours_is_not_asked() {
    for variables in [[("NO_COLOR", "1")], [("TERM", "linux")]] {
        let pty = started(&variables);
        let mut pty = pty;
        pty.keys("q");
        let exit = pty.exit();
        assert!(!exit.log_text().contains("\x1b]11"), "{variables:?}");
    }
}

/// A folder for `XDG_CONFIG_HOME` with this configuration.
fn configured(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("bourse");
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join("config.toml");
    std::fs::write(&file, text).unwrap();
    (home, file)
}

#[test]
fn a_saved_configuration_applies_wherever_it_appears_and_however_it_is_saved() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("not/yet/bourse");
    let file = folder.join("config.toml");
    let place = home.path().join("not/yet");
    let variables = [("XDG_CONFIG_HOME", place.to_str().unwrap())];
    let mut pty = Pty::bourse(&["--freeze"], &variables, 80, 24);
    pty.wait_for_text("First 500, more exist");
    // A saved file is read a moment later: the key is pressed until it means something.
    let prices_shown_by = |pty: &mut Pty, key: &str| {
        for _ in 0..600 {
            if pty.screen().contents().contains("Prices") {
                break;
            }
            pty.keys(key);
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        pty.wait_for_text("Prices");
        pty.keys("<Esc>");
        pty.wait_for("the desk", |screen| !screen.contents().contains("Prices"));
    };

    // Neither the folder nor those above it existed at the start.
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&file, "[keys]\nhistory = \"Z\"\n").unwrap();
    pty.wait_for_text("Configuration reloaded");
    prices_shown_by(&mut pty, "Z");

    // Written beside it and renamed over it, as many editors do.
    let replace = |text: &str| {
        std::fs::write(folder.join("config.toml~"), text).unwrap();
        std::fs::rename(folder.join("config.toml~"), &file).unwrap();
    };
    replace("theme = ");
    pty.wait_for_text("config.toml:1:9");
    // The last good values hold.
    prices_shown_by(&mut pty, "Z");
    replace("[keys]\nhistory = \"O\"\n");
    pty.wait_for_text("Configuration reloaded");
    prices_shown_by(&mut pty, "O");

    // The folder itself is exchanged, as a manager of dotfiles does.
    std::fs::rename(&folder, place.join("bourse.old")).unwrap();
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(&file, "[keys]\nhistory = \"V\"\n").unwrap();
    prices_shown_by(&mut pty, "V");
    pty.keys("q");
    pty.exit().assert_clean(0);
}

#[test]
fn a_wrong_key_binding_is_named_and_the_default_holds() {
    let (home, _) = configured("[keys]\nsort = \"R\"\nrefresh = \"R\"\n");
    let variables = [("XDG_CONFIG_HOME", home.path().to_str().unwrap())];
    let mut pty = Pty::bourse(&["--freeze"], &variables, 200, 30);
    pty.wait_for_text("First 500, more exist");
    pty.wait_for_text("config.toml:3:11: 'R' of 'refresh' is already the key of 'related' (its default)");
    // The default key still sorts.
    pty.keys("s");
    pty.wait_for_text("type to search");
    pty.keys("<Esc>q");
    pty.exit().assert_clean(0);
}

#[test]
fn a_broken_configuration_is_all_there_is_until_it_is_repaired() {
    let (home, file) = configured("ascii = true\n[keys]\n[keys]\ntheme = 3\n");
    let variables = [("XDG_CONFIG_HOME", home.path().to_str().unwrap())];
    let mut pty = Pty::bourse(&["--freeze"], &variables, 200, 30);
    pty.wait_for_text("The configuration cannot be used, so no market is open.");
    pty.wait_for_text("bourse/config.toml:3:");
    pty.wait_for_text("Correct the file: bourse opens your market as soon as it is saved.");
    // No market is under it, and none of its keys do anything.
    pty.keys("1m:");
    let screen = pty.wait_for_text("q quit");
    assert!(!screen.contains("SANDBOX") && !screen.contains("RTX"), "{screen}");
    // Another mistake takes the place of the first.
    std::fs::write(&file, "default_profile = \"lab\"\n").unwrap();
    pty.wait_for_text("config.toml:1:19: no profile named 'lab'");
    std::fs::write(&file, "# mine\n").unwrap();
    pty.wait_for_text("First 500, more exist");
    pty.keys("q");
    pty.exit().assert_clean(0);
}

#[test]
fn a_broken_configuration_opens_in_the_editor_or_is_left() {
    use std::os::unix::fs::PermissionsExt as _;
    let (home, _) = configured("ascii = 3\n");
    let editor = home.path().join("editor");
    std::fs::write(&editor, "#!/bin/sh\necho 'ascii = true' > \"$1\"\n").unwrap();
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
    let place = home.path().to_str().unwrap();
    let variables = [("XDG_CONFIG_HOME", place), ("EDITOR", editor.to_str().unwrap())];
    let mut pty = Pty::bourse(&["--freeze"], &variables, 100, 30);
    pty.wait_for_text("config.toml:1:9: invalid type: integer");
    pty.keys("q");
    pty.exit().assert_clean(0);
    let mut pty = Pty::bourse(&["--freeze"], &variables, 100, 30);
    pty.wait_for_text("config.toml:1:9: invalid type: integer");
    pty.keys("e");
    pty.wait_for_text("First 500");
    pty.keys("q");
    pty.exit().assert_clean(0);
}
