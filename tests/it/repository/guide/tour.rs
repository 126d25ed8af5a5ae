//! The tour of the README, key by key, in a sandbox that nobody has used.

use std::fs;

use super::pages;
use crate::pty_support::Pty;

/// A part of the README, the keys that it says, and a text that the screen shows then: of the last line, where the screen
/// changes as a whole.
const STEPS: [(&str, &str, &str); 16] = [
    ("start `bourse`", "", "F9 rent"),
    ("Press `/`, type", "/", "verified=true"),
    (
        "`4090 europe 200gb 3d cheapest`",
        "4090 europe 200gb 3d cheapest",
        "gpu_name=RTX_4090",
    ),
    ("press `Enter`", "<Enter>", "Job $ ▲"),
    ("`J` changes the job", "J", "Enter price offers"),
    ("`Esc` goes one step back", "<Esc>", "f filter"),
    ("`Enter` opens the offer", "<Enter>", "Tab next tab"),
    ("`Esc` closes it", "<Esc>", "f filter"),
    ("`H` shows the recorded prices", "H", "▏Prices▕"),
    ("`Esc` closes it", "<Esc>", "f filter"),
    ("`A` lists your alerts", "A", "n new alert"),
    ("`n` makes one", "n", "Enter add alert"),
    ("`Esc` twice", "<Esc>", "n new alert"),
    ("returns to the table", "<Esc>", "f filter"),
    ("Press `F9`", "<F9>", "Run rent?"),
    ("and `y` where the sandbox asks", "y", "y copy"),
];

#[test]
fn every_key_of_the_tour_does_what_the_readme_says() {
    let pages = pages();
    let readme = pages.iter().find(|page| page.path == "README.md").unwrap();
    let text = readme.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let config = readme.blocks("toml")[0].lines.join("\n");
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir_all(at("config/bourse")).unwrap();
    fs::write(at("config/bourse/config.toml"), config).unwrap();
    let (config, state) = (at("config"), at("state"));
    let homes = [("XDG_CONFIG_HOME", config.as_str()), ("XDG_STATE_HOME", state.as_str())];
    let mut pty = Pty::bourse(&["--freeze"], &homes, 120, 36);
    let mut rest = text.as_str();
    for (words, keys, shown) in STEPS {
        let at = rest.find(words);
        rest = &rest[at.unwrap_or_else(|| panic!("the README has no {words:?} there")) + words.len()..];
        for key in super::super::recording::each_key(keys) {
            pty.keys(key);
        }
        pty.wait_for_text(shown);
    }
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);
}
