//! The screen of a broken configuration, shown until the file can be used.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::{io, thread};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use tokio::sync::Notify;

use super::config_watch::{SETTLING, watch};
use super::dashboard::{Surface, TerminalEvent};
use super::editor::Document;
use super::panics;
use super::start::Themes;
use super::terminal::{self, HANG_UP_STATUS};
use super::tty::Tty;
use crate::frame::draw_repair;
use crate::settings::Config;
use crate::tui::appearance::ThemeConfig;

/// Shows the mistakes of the configuration file until there are none (`Continue`), or until the user, a
/// signal or the loss of the terminal ends the program (`Break`, with its status).
///
/// # Errors
/// When the terminal cannot be taken or drawn on.
pub fn await_repair(file: &Path) -> io::Result<ControlFlow<ExitCode>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    panics::install_panic_hook(thread::current().id());
    let ended = runtime.block_on(async { Box::pin(repair(Tty::open(false, false)?, file)).await });
    runtime.shutdown_background();
    match ended {
        Err(error) if terminal::is_hang_up(&error) => Ok(ControlFlow::Break(status(HANG_UP_STATUS))),
        ended => Ok(ended?.map_break(status)),
    }
}

/// The exit code of a status; 1 if it is out of range.
fn status(status: i32) -> ExitCode {
    ExitCode::from(u8::try_from(status).unwrap_or(1))
}

/// Shows the mistakes of the configuration file on a surface until there are none, with keys to edit, reload
/// and quit; breaks with the exit status.
async fn repair(mut surface: impl Surface, file: &Path) -> io::Result<ControlFlow<i32>> {
    let theme = Themes::from_config(&ThemeConfig::default()).unasked;
    let saved = Arc::new(Notify::new());
    // Without a watcher `r` still reloads.
    let mut watcher = watch(file, Arc::clone(&saved)).ok();
    let mut failure = None;
    surface.title("bourse");
    let mut found = mistakes(file);
    while !found.is_empty() {
        surface.draw(&mut |frame| draw_repair(frame, &found, failure.as_deref(), &theme))?;
        let event = tokio::select! {
            biased;
            event = surface.next() => event,
            () = saved.notified() => {
                // An editor empties the file before it writes, and an empty one has no mistake.
                tokio::time::sleep(SETTLING).await;
                watcher = watch(file, Arc::clone(&saved)).ok().or(watcher);
                found = mistakes(file);
                continue;
            }
        };
        match event {
            TerminalEvent::Input(events) => {
                for event in events {
                    match key(&event) {
                        Some(Key::Edit) => {
                            let edited = surface.edit(Document::File(file.to_owned())).await?;
                            failure = edited.err().map(|error| error.to_string());
                            found = mistakes(file);
                        }
                        Some(Key::Reload) => {
                            failure = None;
                            found = mistakes(file);
                        }
                        Some(Key::Quit) => return Ok(ControlFlow::Break(0)),
                        Some(Key::Suspend) => surface.suspend().await?,
                        None => {}
                    }
                }
            }
            TerminalEvent::Leave(status) => return Ok(ControlFlow::Break(status)),
            TerminalEvent::Stop => surface.suspend().await?,
            TerminalEvent::Continued => surface.resume()?,
            TerminalEvent::Pasted(_) | TerminalEvent::Background(_) | TerminalEvent::TaskLost(_) => {}
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The mistakes that make the configuration file unusable, with advice on those without a line; empty if it
/// can be used.
fn mistakes(file: &Path) -> Vec<String> {
    let mistakes = Config::check(file).map_or_else(|why| vec![why], |(_, mistakes)| mistakes);
    let lines = mistakes.iter().map(|mistake| match mistake.position() {
        Some(_) => mistake.to_string(),
        None => format!("{mistake}; {}", mistake.advice()),
    });
    lines.collect()
}

enum Key {
    Edit,
    Reload,
    Quit,
    Suspend,
}

/// The meaning of a key on the screen of a broken configuration; `None` for other keys and events.
///
/// The user's own keys are in the file that cannot be read.
fn key(event: &Event) -> Option<Key> {
    let Event::Key(KeyEvent { code, modifiers, .. }) = event else {
        return None;
    };
    let is_control = modifiers.contains(KeyModifiers::CONTROL);
    match code {
        KeyCode::Char('e') if !is_control => Some(Key::Edit),
        KeyCode::Char('r') if !is_control => Some(Key::Reload),
        KeyCode::F(5) => Some(Key::Reload),
        KeyCode::Char('q') if !is_control => Some(Key::Quit),
        KeyCode::Char('c') if is_control => Some(Key::Quit),
        KeyCode::Char('z') if is_control => Some(Key::Suspend),
        _ => None,
    }
}
