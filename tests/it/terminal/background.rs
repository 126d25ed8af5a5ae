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

#[test]
fn a_broken_configuration_is_named_and_the_defaults_hold() {
    for (text, wanted) in [
        ("theme = \"pink\"\n", "config.toml:1:9: 'pink' is not a theme"),
        (
            "[keys]\nsort = \"R\"\nrefresh = \"R\"\n",
            "config.toml:3:11: 'R' of 'refresh' is already the key of 'related' (its default)",
        ),
    ] {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("bourse");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), text).unwrap();
        let place = home.path().to_str().unwrap().to_owned();
        let variables = [("XDG_CONFIG_HOME", place.as_str())];
        let mut pty = Pty::bourse(&["--freeze"], &variables, 200, 30);
        pty.wait_for_text("First 500, more exist");
        pty.wait_for_text(wanted);
        // The default key still sorts.
        pty.keys("s");
        pty.wait_for_text("type to search");
        pty.keys("<Esc>q");
        pty.exit().assert_clean(0);
    }
}
