//! Copies text to the clipboard by the means of the current environment.
//!
//! Inside tmux its own buffer is loaded, which also reaches the clipboard of the outer terminal
//! (tmux drops the escape sequence alone by default). On a desktop its clipboard program is run.
//! Over ssh only the terminal itself can reach the user's clipboard. So the escape sequence
//! ([`Screen::copy`](super::terminal::Screen::copy)) is always sent as well; terminals do not
//! report whether they accepted it.
//!
//! The caller has cleaned the text: untrusted text never gets here unescaped.

use std::ffi::OsString;
use std::process::Stdio;
use std::time::Duration;

use base64::Engine as _;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::process::without_keys;

/// Maximum length of a copied text, in bytes.
///
/// Terminals drop sequences that are too long, the strictest known beyond 100,000 bytes, which is
/// base64 of 74,994.
pub const LONGEST: usize = 64 * 1024;

/// Maximum time of a clipboard program.
const PATIENCE: Duration = Duration::from_secs(2);

/// A text that is too long for clipboards; nothing is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too long to copy: {bytes} bytes, at most {LONGEST}")]
pub struct ClipboardError {
    /// The length of the text.
    pub bytes: usize,
}

/// The escape sequence that makes a terminal put `text` on its clipboard (OSC 52).
///
/// # Errors
/// When the text is longer than 64 KiB.
pub fn osc52(text: &str) -> Result<Vec<u8>, ClipboardError> {
    check(text)?;
    let coded = base64::engine::general_purpose::STANDARD.encode(text);
    Ok(format!("\x1b]52;c;{coded}\x1b\\").into_bytes())
}

/// Runs the clipboard programs of this environment until one accepts the text; returns `through` and its
/// name. The caller sends [`osc52`] as well, and `through the terminal` is returned if no program accepts the
/// text.
///
/// A program that does not finish within two seconds is stopped.
///
/// # Errors
/// When the text is longer than 64 KiB.
pub async fn copy(text: &str) -> Result<String, ClipboardError> {
    check(text)?;
    for words in helpers(|name| std::env::var_os(name)) {
        if run(words, text, PATIENCE).await {
            return Ok(format!("through {}", words[0]));
        }
    }
    // Only the escape sequence: the terminal decides.
    Ok("through the terminal".to_owned())
}

/// Checks that the text is at most 64 KiB long; otherwise an error with its length.
fn check(text: &str) -> Result<(), ClipboardError> {
    if text.len() > LONGEST {
        return Err(ClipboardError { bytes: text.len() });
    }
    Ok(())
}

/// The clipboard programs to try in the environment given by `variable`, best first: in tmux two commands of
/// tmux, over ssh none, else those of the desktop, of which there may be none. Empty variables count as
/// unset.
fn helpers(variable: impl Fn(&str) -> Option<OsString>) -> Vec<&'static [&'static str]> {
    let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
    if is_set("TMUX") {
        // Before 3.2 there is no -w; the text is then only in tmux.
        return vec![&["tmux", "load-buffer", "-w", "-"], &["tmux", "load-buffer", "-"]];
    }
    if is_set("SSH_CONNECTION") || is_set("SSH_TTY") {
        // A program here would fill the clipboard of the remote machine.
        return Vec::new();
    }
    let desktop: [(bool, &[&str]); 5] = [
        (is_set("WAYLAND_DISPLAY"), &["wl-copy"]),
        (is_set("DISPLAY"), &["xclip", "-selection", "clipboard"]),
        (is_set("DISPLAY"), &["xsel", "--clipboard", "--input"]),
        (cfg!(target_os = "macos"), &["pbcopy"]),
        // Linux inside Windows.
        (is_set("WSL_DISTRO_NAME"), &["clip.exe"]),
    ];
    let usable = desktop.into_iter().filter(|(is_usable, _)| *is_usable);
    usable.map(|(_, words)| words).collect()
}

/// The program and its arguments as a command that reads the text from its standard input, without API keys.
fn command(words: &[&str]) -> Command {
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .stdin(Stdio::piped())
        // It must neither write on the screen nor keep our pipes open while it serves the text.
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    without_keys(&mut command);
    command
}

/// Passes the text to a clipboard program; false if it cannot run, fails or takes longer than `patience`.
async fn run(words: &[&str], text: &str, patience: Duration) -> bool {
    let Ok(mut child) = command(words).spawn() else {
        return false;
    };
    let finished = async {
        if let Some(mut input) = child.stdin.take() {
            input.write_all(text.as_bytes()).await?;
            input.shutdown().await?;
        }
        child.wait().await
    };
    let result = tokio::time::timeout(patience, finished).await;
    matches!(result, Ok(Ok(status)) if status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn programs(variables: &[(&str, &str)]) -> Vec<&'static str> {
        let programs = helpers(|name| {
            let variable = variables.iter().find(|(known, _)| *known == name);
            variable.map(|(_, value)| value.into())
        });
        let programs = programs.into_iter().map(|words| words[0]);
        // Independent of the system that the tests run on.
        programs.filter(|program| *program != "pbcopy").collect()
    }

    #[test]
    fn tmux_comes_first_and_ssh_forbids_the_desktop() {
        let none: [&str; 0] = [];
        assert_eq!(programs(&[("TMUX", "/tmp/t,1,0"), ("DISPLAY", ":0")]), ["tmux", "tmux"]);
        assert_eq!(programs(&[("SSH_CONNECTION", "a b c d"), ("DISPLAY", ":0")]), none);
        assert_eq!(
            programs(&[("SSH_TTY", "/dev/pts/1"), ("WAYLAND_DISPLAY", "wayland-0")]),
            none
        );
        assert_eq!(programs(&[("WAYLAND_DISPLAY", "wayland-0")]), ["wl-copy"]);
        assert_eq!(programs(&[("DISPLAY", ":0")]), ["xclip", "xsel"]);
        assert_eq!(programs(&[("DISPLAY", "")]), none);
        assert_eq!(programs(&[]), none);
    }

    #[test]
    fn the_sequence_is_base64_between_osc_52_and_st() {
        assert_eq!(osc52("bourse").unwrap(), b"\x1b]52;c;Ym91cnNl\x1b\\");
        assert_eq!(osc52("").unwrap(), b"\x1b]52;c;\x1b\\");
        assert!(osc52(&"x".repeat(LONGEST)).is_ok());
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(
            osc52(&long).unwrap_err().to_string(),
            "too long to copy: 65537 bytes, at most 65536"
        );
    }

    mod running {
        use super::*;

        #[tokio::test]
        async fn a_helper_gets_the_text_whole() {
            let long = "line\n".repeat(9_000);
            let count = format!("test $(wc -c) -eq {}", long.len());
            let patience = Duration::from_mins(1);
            assert!(run(&["sh", "-c", &count], &long, patience).await);
        }

        #[tokio::test]
        async fn a_helper_that_fails_is_missing_or_hangs_took_nothing() {
            let patience = Duration::from_mins(1);
            assert!(!run(&["sh", "-c", "cat; exit 1"], "x", patience).await);
            assert!(!run(&["bourse-no-such-program"], "x", patience).await);
            let hanging = Duration::from_millis(50);
            assert!(!run(&["sh", "-c", "sleep 600"], "x", hanging).await);
        }
    }

    #[test]
    fn a_helper_does_not_see_the_keys() {
        let command = command(&["tmux", "load-buffer", "-"]);
        for secret in ["BOURSE_API_KEY", "VAST_API_KEY"] {
            let mut changed = command.as_std().get_envs();
            assert!(
                changed.any(|(name, value)| name == secret && value.is_none()),
                "{secret}"
            );
        }
    }
}
