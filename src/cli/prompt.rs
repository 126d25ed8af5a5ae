//! A question that only typing can answer.
//!
//! As in the dashboard's dialogs, a bracketed paste is refused, and typed text of any speed is
//! accepted. Input from before the question is dropped. The terminal is restored in every outcome.

use std::io::{self, Write as _};
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use super::output::CliError;
use crate::process;
use crate::runtime::dashboard::TerminalEvent;
use crate::runtime::input::Input;
use crate::runtime::signals::{Signal, Signals, exit_status};
use crate::runtime::terminal::{self, HANG_UP_STATUS};

/// Silence of the terminal before the question appears.
///
/// A paste that began before the question may still be arriving.
const QUIET: Duration = Duration::from_millis(50);

/// Maximum length of an answer, in characters.
///
/// The answer is a word: longer input must not fill the memory.
const LONGEST: usize = 200;

/// The interval of the checks that the terminal still exists.
const LOOK: Duration = Duration::from_secs(1);

/// The time to end after a signal, before the process is stopped.
const LAST_RESORT: Duration = Duration::from_secs(2);

/// The answer to a question.
pub enum Answer {
    /// The line that was typed.
    Typed(String),
    /// Ctrl-c, a signal, or the loss of the terminal, with the exit status for it.
    Left(i32),
}

/// Asks a question on stderr and waits for a typed line; ends with a status on Ctrl-c, a signal, or the loss
/// of the terminal.
///
/// # Errors
///
/// When the terminal cannot be read from or written to.
pub async fn ask(question: &str) -> io::Result<Answer> {
    match ask_on_terminal(question).await {
        // A terminal that is gone can be neither read nor written.
        Err(_) if terminal::is_hung_up() => Ok(Answer::Left(HANG_UP_STATUS)),
        answer => answer,
    }
}

/// Asks the user to type `word` to confirm an action; blanks around it do not count. `not` describes the
/// result of a refusal, for the error.
///
/// # Errors
///
/// When anything else or nothing is typed, the question is left by Ctrl-c or a signal ([`CliError::Left`]),
/// or the terminal cannot be read.
pub async fn confirm(word: &str, action: &str, not: &str) -> Result<(), CliError> {
    let question = format!("Type {word} to {action}, or press Enter to cancel: ");
    let answer = ask(&question).await;
    let cancelled = format!("cancelled: {not}");
    match answer.map_err(|error| CliError::Failed(format!("{not}: {error}")))? {
        Answer::Left(status) => Err(CliError::Left(status, cancelled)),
        Answer::Typed(typed) => match typed.trim() {
            typed if typed == word => Ok(()),
            "" => Err(CliError::Failed(cancelled)),
            typed => Err(CliError::Failed(format!("'{typed}' is not {word}: {not}"))),
        },
    }
}

/// Asks a question on the terminal in raw mode, handling signals, until it is answered or left.
async fn ask_on_terminal(question: &str) -> io::Result<Answer> {
    let mut signals = Signals::listen(Some(LAST_RESORT))?;
    let mut prompt = Prompt::open(question).await?;
    loop {
        prompt.show()?;
        let asked = tokio::select! {
            biased;
            signal = signals.next() => match exit_status(signal) {
                Some(status) => Asked::Answered(Answer::Left(status)),
                None if signal == Signal::TSTP => Asked::Stopped,
                None => Asked::Continued,
            },
            () = hung_up() => Asked::Answered(Answer::Left(HANG_UP_STATUS)),
            event = prompt.next() => prompt.on_event(event)?,
        };
        match asked {
            Asked::Open => {}
            Asked::Answered(answer) => {
                prompt.close(&answer);
                return Ok(answer);
            }
            Asked::Stopped => prompt.stop().await?,
            // The continuation after a stop of its own was handled already.
            Asked::Continued if std::mem::take(&mut prompt.has_stopped) => {}
            Asked::Continued => prompt.take_terminal().await?,
        }
    }
}

/// The state of a question.
enum Asked {
    Open,
    Answered(Answer),
    /// The program is to be stopped (Ctrl-z).
    Stopped,
    /// The program was continued after a stop.
    Continued,
}

/// The question on the terminal, which dropping this restores.
struct Prompt<'q> {
    question: &'q str,
    typed: String,
    input: Option<Input>,
    /// Whether Ctrl-c was pressed before the question appeared.
    is_left: bool,
    /// Whether the program has stopped itself, and the signal that continued it is not handled yet.
    has_stopped: bool,
}

impl<'q> Prompt<'q> {
    /// Takes the terminal for a question; typed text from before is dropped.
    async fn open(question: &'q str) -> io::Result<Self> {
        let mut prompt = Self {
            question,
            typed: String::new(),
            input: None,
            is_left: false,
            has_stopped: false,
        };
        prompt.take_terminal().await?;
        Ok(prompt)
    }

    /// Takes the terminal, and drops earlier input; Ctrl-c in it leaves the question.
    async fn take_terminal(&mut self) -> io::Result<()> {
        self.input = None;
        terminal::enter_prompt()?;
        let mut input = Input::start()?;
        while let Ok(Some(early)) = tokio::time::timeout(QUIET, input.next()).await {
            self.is_left |= keys(early).any(|key| is_control(key, 'c'));
        }
        self.input = Some(input);
        Ok(())
    }

    /// The next terminal event; `None` if the terminal is gone or Ctrl-c was pressed before the question.
    async fn next(&mut self) -> Option<TerminalEvent> {
        match &mut self.input {
            Some(input) if !self.is_left => input.next().await,
            _ => None,
        }
    }

    /// Shows the question and the answer so far on the line of the cursor.
    fn show(&self) -> io::Result<()> {
        let mut err = io::stderr().lock();
        write!(err, "\r\x1b[K{}{}", self.question, self.typed)?;
        err.flush()
    }

    /// Handles a terminal event; a paste is refused. `None` leaves the question, with the status of Ctrl-c or
    /// of a hang-up.
    fn on_event(&mut self, event: Option<TerminalEvent>) -> io::Result<Asked> {
        match event {
            Some(TerminalEvent::Pasted(_)) => {
                write!(io::stderr().lock(), "\r\nCan't paste here: type it.\r\n")?;
                Ok(Asked::Open)
            }
            Some(event) => Ok(keys(event)
                .map(|key| self.on_key(key))
                .find(|asked| !matches!(asked, Asked::Open))
                .unwrap_or(Asked::Open)),
            None if self.is_left => Ok(Asked::Answered(Answer::Left(interrupt_status()))),
            // The terminal is gone.
            None => Ok(Asked::Answered(Answer::Left(HANG_UP_STATUS))),
        }
    }

    /// Edits the answer, up to 200 printable ASCII characters; Enter submits it, Esc or Ctrl-d on an empty
    /// line answers with an empty one, Ctrl-u clears it, Ctrl-c leaves and Ctrl-z stops.
    fn on_key(&mut self, key: KeyEvent) -> Asked {
        match key.code {
            _ if is_control(key, 'c') => return Asked::Answered(Answer::Left(interrupt_status())),
            _ if is_control(key, 'z') => return Asked::Stopped,
            _ if is_control(key, 'u') => self.typed.clear(),
            KeyCode::Esc => return Asked::Answered(Answer::Typed(String::new())),
            _ if is_control(key, 'd') && self.typed.is_empty() => {
                return Asked::Answered(Answer::Typed(String::new()));
            }
            KeyCode::Enter => return Asked::Answered(Answer::Typed(std::mem::take(&mut self.typed))),
            KeyCode::Backspace => drop(self.typed.pop()),
            // Of other characters the screen might show something else.
            KeyCode::Char(typed @ ' '..='~')
                if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
                    && self.typed.len() < LONGEST =>
            {
                self.typed.push(typed);
            }
            _ => {}
        }
        Asked::Open
    }

    /// Gives the terminal back to the shell until the program is continued, if a shell can continue it; then
    /// takes the terminal again in either case.
    async fn stop(&mut self) -> io::Result<()> {
        if process::can_stop() {
            self.input = None;
            let _ = terminal::restore();
            process::stop_until_continued().await?;
            self.has_stopped = true;
        }
        self.take_terminal().await
    }

    /// Restores the terminal, with the cursor on the line below the answer.
    fn close(&mut self, answer: &Answer) {
        self.input = None;
        if let Answer::Typed(typed) = answer {
            self.typed.clone_from(typed);
            let _ = self.show();
        }
        let _ = terminal::restore();
        let _ = writeln!(io::stderr().lock());
    }
}

impl Drop for Prompt<'_> {
    fn drop(&mut self) {
        let _ = terminal::restore();
    }
}

/// Waits until the terminal is gone, checking once a second.
///
/// A program that ignores the hang-up signal would not notice otherwise. The dashboard's watchdog is no
/// substitute: it would also end a write, after the question was answered.
async fn hung_up() {
    while !terminal::is_hung_up() {
        tokio::time::sleep(LOOK).await;
    }
}

/// The exit status after Ctrl-c, 130.
fn interrupt_status() -> i32 {
    exit_status(Signal::INT).unwrap_or(1)
}

/// Whether a key is Ctrl with this letter.
fn is_control(key: KeyEvent, letter: char) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char(letter)
}

/// The key events of a terminal event, including pasted ones; other events are left out.
fn keys(event: TerminalEvent) -> impl Iterator<Item = KeyEvent> {
    let events = if let TerminalEvent::Input(events) | TerminalEvent::Pasted(events) = event {
        events
    } else {
        Vec::new()
    };
    events.into_iter().filter_map(|event| match event {
        Event::Key(key) => Some(key),
        _ => None,
    })
}
