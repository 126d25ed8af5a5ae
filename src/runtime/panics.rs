//! Handles panics.
//!
//! A panic of the thread that draws ends the program: the terminal is restored first, then the
//! panic is printed to stderr. A panic of any other thread or task ends only that: the dashboard
//! stays as it is and shows a notice.
//!
//! A panic's message may quote a server's string or a key. Only a message that is a literal of the
//! program is shown in full; any other is cut where the first quotation begins.

use std::io::{self, Write};
use std::panic::{self, PanicHookInfo};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

use tokio::sync::Notify;

use super::terminal;

/// Maximum number of reports stored for the dashboard.
///
/// A task that panics again and again must not fill the memory.
const MOST_REPORTS: usize = 64;
/// Maximum length of a report's text, in characters.
const LONGEST_TEXT: usize = 200;

/// Unreported panics of other threads, without parts that could be secret or hostile.
static BACKGROUND: Mutex<Vec<String>> = Mutex::new(Vec::new());
static ARRIVED: Notify = Notify::const_new();

/// Installs the panic hook. A panic of `ui_thread`, which draws, restores the terminal and is printed; one of
/// another thread is stored for [`background_panics`], and printed only while the terminal is not taken.
///
/// Background tasks must not run on that thread, so the runtime has to be multi-threaded, with the dashboard
/// in `block_on`.
pub fn install_panic_hook(ui_thread: ThreadId) {
    panic::set_hook(Box::new(move |info| {
        let report = report(info);
        if thread::current().id() == ui_thread {
            let _ = terminal::restore();
            say(&report);
        } else {
            if !terminal::is_entered() {
                say(&report);
            }
            record(report);
        }
    }));
}

/// Waits for panics of background threads and tasks; returns the reports since the last call, never an empty
/// list.
pub async fn background_panics() -> Vec<String> {
    loop {
        let reports = std::mem::take(&mut *lock());
        if !reports.is_empty() {
            return reports;
        }
        ARRIVED.notified().await;
    }
}

/// Stores a report for the dashboard and wakes it; beyond 64 reports it is dropped.
fn record(report: String) {
    let mut reports = lock();
    if reports.len() < MOST_REPORTS {
        reports.push(report);
    }
    drop(reports);
    // The permit is stored if nobody waits yet.
    ARRIVED.notify_one();
}

/// Locks the list of reports. A panic cannot leave it half changed.
fn lock() -> std::sync::MutexGuard<'static, Vec<String>> {
    BACKGROUND.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints the report to stderr, with a backtrace if the environment enables one, and ignores errors.
///
/// Stderr may be gone; a failure here must not become a second panic, which would abort.
fn say(report: &str) {
    let mut text = format!("bourse: {report}\n");
    let trace = std::backtrace::Backtrace::capture();
    if trace.status() == std::backtrace::BacktraceStatus::Captured {
        text.push_str(&trace.to_string());
    }
    let _ = io::stderr().write_all(text.as_bytes());
}

/// The location of a panic and its message as far as it is safe to show: a literal in full, a formatted text
/// up to its first quotation mark, nothing of any other; on one line, cut at 200 characters.
fn report(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = if let Some(literal) = payload.downcast_ref::<&'static str>() {
        plain(literal)
    } else if let Some(formatted) = payload.downcast_ref::<String>() {
        plain(unquoted(formatted))
    } else {
        String::new()
    };
    let location = info.location().map(ToString::to_string).unwrap_or_default();
    format!("internal error at {location}: {text}")
}

/// The text up to the first quotation mark of any kind.
///
/// `{:?}` and the standard library quote data, which may be secret.
fn unquoted(text: &str) -> &str {
    let end = text.find(['"', '\'', '`']).unwrap_or(text.len());
    text.get(..end).unwrap_or_default().trim_end()
}

/// The text on one line, with blanks for control characters, cut at 200 characters.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LONGEST_TEXT)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{plain, unquoted};

    #[test]
    fn quoted_data_is_not_repeated() {
        let cases = [
            (
                "index out of bounds: the len is 3 but the index is 5",
                "index out of bounds: the len is 3 but the index is 5",
            ),
            (
                r#"key: Error("invalid type: string \"SECRET\", expected i64")"#,
                "key: Error(",
            ),
            (
                "byte index 1 is not a char boundary; it is inside 'é' (bytes 0..2) of `éSECRET`",
                "byte index 1 is not a char boundary; it is inside",
            ),
            ("", ""),
        ];
        for (said, reported) in cases {
            assert_eq!(unquoted(said), reported);
        }
    }

    #[test]
    fn a_text_cannot_steer_the_terminal_or_fill_it() {
        assert_eq!(plain("a\x1b]52;c;x\x07\nb"), "a ]52;c;x  b");
        assert_eq!(plain(&"x".repeat(1_000)).len(), 200);
    }
}
