//! Errors of calls: kinds that the program acts on, with messages that a user acts on.
//!
//! An [`ApiError`] never holds a response, a value from it or another library's error: those may contain secrets.
//! Messages of a server are stored bounded, as untrusted text.

use std::fmt;
use std::time::Duration;

use bourse_domain::Untrusted;
use bourse_domain::format::{grouped, trimmed};
use bourse_domain::routing::or_more;
use bourse_domain::time::UnixTime;
use jiff::Zoned;
use jiff::tz::TimeZone;

use super::Operation;

/// The maximum length of a server's message in an error, in characters.
pub(crate) const WORDS_KEPT: usize = 400;

/// The body of an error response.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ErrorBody {
    /// The response has no body.
    #[default]
    Nothing,
    /// A message, in one of the documented shapes or as plain text.
    Words {
        /// The error code (`invalid_request`); `None` if there is none.
        code: Option<Untrusted>,
        /// The message; `None` if there is none.
        message: Option<Untrusted>,
    },
    /// A web page instead of an API response.
    Page {
        /// The title; `None` if it has none.
        title: Option<Untrusted>,
    },
    /// An unreadable body.
    Noise,
}

impl ErrorBody {
    /// Whether it is an error of the interface and not of a proxy in between: only then is it certain that a refused
    /// write was not carried out.
    const fn is_clear(&self) -> bool {
        matches!(self, Self::Words { .. })
    }

    /// The message, at most 400 characters, or the code if there is no message; `None` if the body has
    /// neither.
    pub const fn message(&self) -> Option<&Untrusted> {
        match self {
            Self::Words {
                message: Some(text), ..
            }
            | Self::Words {
                code: Some(text),
                message: None,
            } => Some(text),
            _ => None,
        }
    }
}

impl fmt::Display for ErrorBody {
    /// Writes the message and the code of the error, or that the body is a web page (with its title, if any)
    /// or unreadable, as the end of a sentence: empty, or starting with a colon or a comma.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::Words {
                code: Some(code),
                message: Some(message),
            } => write!(f, ": {} ({})", shown(message), shown(code)),
            Self::Words { code: Some(text), .. }
            | Self::Words {
                message: Some(text), ..
            } => write!(f, ": {}", shown(text)),
            Self::Words { .. } => Ok(()),
            Self::Page { title: Some(title) } => {
                write!(f, ", with a web page titled \"{}\"", shown(title))
            }
            Self::Page { title: None } => f.write_str(", with a web page"),
            Self::Noise => f.write_str(", with an unreadable body"),
        }
    }
}

/// A text for one line of a screen, at most 400 cells.
fn shown(text: &Untrusted) -> String {
    text.screen(WORDS_KEPT)
}

/// The reason a connection failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreachable {
    /// The name of the host cannot be resolved.
    NoSuchName,
    /// No server listens at the address.
    NobodyListens,
    /// No connection within the timeout.
    TooSlow,
    /// The certificate is not trusted.
    Certificate,
    /// The server supports no secure version of TLS.
    TlsVersion,
    /// Not TLS, or an invalid handshake.
    Handshake,
    /// Any other reason.
    Other,
}

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchName => "host not found; check the address and your network",
            Self::NobodyListens => "connection refused; check the address and the port",
            Self::TooSlow => "connection timed out; check your network",
            Self::Certificate => "certificate not trusted; check the address and your clock",
            Self::TlsVersion => "no common TLS version; the server must offer TLS 1.2 or 1.3",
            Self::Handshake => "TLS handshake failed; check the address and the port",
            Self::Other => "connection failed; check the address and your network",
        })
    }
}

impl Unreachable {
    /// The reason a worker is unreachable as a clause in lower case, with the appropriate advice.
    pub(crate) const fn of_worker(self) -> &'static str {
        match self {
            Self::NoSuchName => "its host is not found",
            Self::NobodyListens => "connection refused; it may have stopped",
            Self::TooSlow => "connection timed out",
            Self::Certificate => {
                "its certificate is not trusted; pass the market's root certificate with --worker-ca FILE, or set \
                 worker_ca in the profile"
            }
            Self::TlsVersion => "no common TLS version",
            Self::Handshake => "TLS handshake failed",
            Self::Other => "connection failed",
        }
    }
}

/// The reason a call has no [`super::Reply`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ApiError {
    /// Rejected by bourse itself: nothing was sent.
    #[error("{0}")]
    Misconfigured(String),
    /// No connection: nothing was sent.
    #[error("{host} unreachable: {why}")]
    NotConnected {
        /// The unreachable host, for display.
        host: String,
        /// The cause of the failure.
        why: Unreachable,
    },
    /// The connection broke before the response began.
    #[error("connection lost before the response; try again")]
    Lost,
    /// The response did not arrive within the deadline.
    #[error("no response within {}; try again, or request less", seconds(*.after))]
    TimedOut {
        /// The length of the deadline that passed.
        after: Duration,
    },
    /// Only part of the response arrived.
    #[error("response cut off {}; try again", broke_off(*.records, *.bytes))]
    Cut {
        /// Bytes of the body that arrived before it broke off.
        bytes: usize,
        /// The number of complete records received; `None` if they could not be counted.
        records: Option<usize>,
    },
    /// The response is larger than the maximum.
    #[error("the response exceeds {}{}", mebibytes(*.bound), if *.is_search { "; lower the limit" } else { "" })]
    TooLarge {
        /// The maximum that is read, in bytes.
        bound: usize,
        /// Whether a lower limit makes the response smaller.
        is_search: bool,
    },
    /// The response has more records than the maximum.
    #[error("the response has more than {} records{}", grouped(*.most),
        if *.is_search { "; lower the limit" } else { "" })]
    TooManyRecords {
        /// The maximum number of records.
        most: usize,
        /// Whether a lower limit makes the response shorter.
        is_search: bool,
    },
    /// The server redirects; bourse does not follow.
    #[error("redirected{} (status {status}); bourse does not follow redirects: check the profile's address",
        redirect_clause(.to.as_ref()))]
    Redirected {
        /// The HTTP status of the response.
        status: u16,
        /// Scheme and host of the redirect; `None` if it has none.
        to: Option<Untrusted>,
    },
    /// The market refuses the key.
    #[error("API key rejected (status {status}){said}; check the API key")]
    Refused {
        /// HTTP status: 401, 403, or 404 with `auth_error`.
        status: u16,
        /// The message in the server's error body.
        said: ErrorBody,
    },
    /// The market requires a key and none was sent.
    #[error("no API key configured (status {status}){said}; set BOURSE_API_KEY")]
    NoKey {
        /// The HTTP status of the response.
        status: u16,
        /// The message in the server's error body.
        said: ErrorBody,
    },
    /// The key is valid, but lacks the permission for this.
    #[error("API key lacks the permission (status 403){said}; use a key that has it")]
    NotPermitted {
        /// The message in the server's error body.
        said: ErrorBody,
    },
    /// The daily quota is used up: a short wait does not help.
    #[error("daily quota exceeded (status 429){said}; {}", reset_clause(.reset.as_ref()))]
    QuotaExceeded {
        /// The time when the quota resets; `None` if the response does not report it.
        reset: Option<Zoned>,
        /// The message in the server's error body.
        said: ErrorBody,
    },
    /// Requests followed each other too closely.
    #[error("too many requests{}{said}", rate_limit_clause(*.threshold, *.retry_after))]
    RateLimited {
        /// Minimum seconds between two requests; `None` if the response does not report them.
        threshold: Option<f64>,
        /// The wait requested by the server; `None` if it requested none.
        retry_after: Option<Duration>,
        /// The message in the server's error body.
        said: ErrorBody,
    },
    /// The server rejected the request.
    #[error("{}{said}", rejection(*.status))]
    Invalid {
        /// The HTTP status of the response.
        status: u16,
        /// The message in the server's error body.
        said: ErrorBody,
    },
    /// The market does not offer this operation.
    #[error("this market has no network volumes (status 404)")]
    NotOffered,
    /// The market has an internal error, or is overloaded.
    #[error("server error (status {status}){said}; try again in a moment")]
    Server {
        /// The HTTP status of the response.
        status: u16,
        /// The message in the server's error body.
        said: ErrorBody,
    },
    /// A good status with a web page instead of an API response.
    #[error("got a web page{} instead of JSON (status {status}); check the address, or whether your network requires \
        a login", title_clause(.title.as_ref()))]
    Html {
        /// The HTTP status of the response.
        status: u16,
        /// The title of the page; `None` if it has none.
        title: Option<Untrusted>,
    },
    /// A good status with an unusable body.
    #[error("unexpected response (status {status}): {why}")]
    Unreadable {
        /// The HTTP status of the response.
        status: u16,
        /// The problem, without any value of the response.
        why: String,
    },
    /// A good status, but the body reports a failure.
    #[error("the request failed{said}")]
    Failure {
        /// The message in the server's error body.
        said: ErrorBody,
    },
    /// A good status, but the router refuses the endpoint or the key.
    #[error("the router refused the request{said}; check the endpoint's name and its key in your workergroups")]
    RouteRefused {
        /// The message in the server's error body.
        said: ErrorBody,
    },
    /// A good status without a body.
    #[error("empty response (status {status}); try again")]
    Empty {
        /// The HTTP status of the response.
        status: u16,
    },
}

impl ApiError {
    /// Whether it is unknown if `operation` was carried out. Never true for reads.
    ///
    /// A write is certainly not carried out only if nothing was sent, if there was a clear refusal (400, 401, 403, 404
    /// or 429 with an error of the interface), or if the response itself reports a failure.
    pub const fn outcome_unknown(&self, operation: Operation) -> bool {
        if operation.is_read() {
            return false;
        }
        match self {
            // The response itself reports the failure: its message cannot make that uncertain.
            Self::Misconfigured(_) | Self::NotConnected { .. } | Self::Failure { .. } | Self::RouteRefused { .. } => {
                false
            }
            Self::Refused { said, .. }
            | Self::NoKey { said, .. }
            | Self::NotPermitted { said }
            | Self::RateLimited { said, .. }
            | Self::QuotaExceeded { said, .. } => !said.is_clear(),
            Self::Invalid { status, said } => !(said.is_clear() && matches!(*status, 400 | 401 | 403 | 404 | 429)),
            _ => true,
        }
    }

    /// Whether the same read may succeed if retried soon: an unreachable host, a lost, late, cut-off or empty
    /// response, a rate limit, or status 500, 502, 503 or 504. False for a failed TLS handshake, an untrusted
    /// certificate, a used-up quota, and all others.
    pub const fn is_passing(&self) -> bool {
        match self {
            Self::NotConnected { why, .. } => match why {
                Unreachable::Certificate | Unreachable::TlsVersion | Unreachable::Handshake => false,
                Unreachable::NoSuchName | Unreachable::NobodyListens | Unreachable::TooSlow | Unreachable::Other => {
                    true
                }
            },
            Self::Lost | Self::TimedOut { .. } | Self::Cut { .. } | Self::RateLimited { .. } | Self::Empty { .. } => {
                true
            }
            Self::Server { status, .. } => matches!(*status, 500 | 502 | 503 | 504),
            _ => false,
        }
    }

    /// Whether the key is rejected, missing or not permitted: no timer may resend the request until that
    /// changes.
    pub const fn is_auth(&self) -> bool {
        matches!(
            self,
            Self::Refused { .. } | Self::NoKey { .. } | Self::NotPermitted { .. }
        )
    }

    /// Whether a timer must not resend the request at `now`, because it would fail the same way: the key is
    /// rejected, missing or not permitted, or the daily quota resets after `now` or at an unknown time.
    pub fn stops_timers(&self, now: UnixTime) -> bool {
        match self {
            Self::QuotaExceeded { reset, .. } => reset.as_ref().is_none_or(|reset| now < reset.timestamp().into()),
            error => error.is_auth(),
        }
    }

    /// The error of a call without a key: a rejected key or a lacking permission becomes a missing key.
    #[must_use]
    pub fn without_key(self) -> Self {
        match self {
            Self::Refused { status, said } => Self::NoKey { status, said },
            Self::NotPermitted { said } => Self::NoKey { status: 403, said },
            error => error,
        }
    }

    /// The error with the time of a quota's reset in a time zone; any other error is unchanged.
    #[must_use]
    pub fn in_zone(self, zone: &TimeZone) -> Self {
        match self {
            Self::QuotaExceeded {
                reset: Some(reset),
                said,
            } => Self::QuotaExceeded {
                reset: Some(reset.with_time_zone(zone.clone())),
                said,
            },
            error => error,
        }
    }

    /// The message without the advice to try again or to request less, which fits reads only: a write is not
    /// simply retried. A cut-off response is described without its length.
    pub fn without_advice(&self) -> String {
        match self {
            Self::Lost => "connection lost before the response".to_owned(),
            Self::TimedOut { after } => format!("no response within {}", seconds(*after)),
            Self::Cut { .. } => "response cut off".to_owned(),
            Self::TooLarge { bound, .. } => format!("the response exceeds {}", mebibytes(*bound)),
            Self::Server { status, said } => format!("server error (status {status}){said}"),
            Self::Empty { status } => format!("empty response (status {status})"),
            error => error.to_string(),
        }
    }

    /// The kind of error in one to five words that start in lower case, except for names, for narrow places.
    pub const fn headline(&self) -> &'static str {
        match self {
            Self::Misconfigured(_) => "not sent",
            Self::NotConnected { .. } => "unreachable",
            Self::Lost => "connection lost",
            Self::TimedOut { .. } => "timed out",
            Self::Cut { .. } => "response cut off",
            Self::TooLarge { .. } | Self::TooManyRecords { .. } => "response too large",
            Self::Redirected { .. } => "redirected",
            Self::Refused { .. } => "API key rejected",
            Self::NoKey { .. } => "no API key",
            Self::NotPermitted { .. } => "not permitted",
            Self::QuotaExceeded { .. } => "daily quota exceeded",
            Self::RateLimited { .. } => "too many requests",
            Self::Invalid { .. } => "request rejected",
            Self::NotOffered => "not supported here",
            Self::Server { .. } => "server error",
            Self::Html { .. } => "web page instead of JSON",
            Self::Unreadable { .. } => "unexpected response",
            Self::Failure { .. } => "failed",
            Self::RouteRefused { .. } => "refused by the router",
            Self::Empty { .. } => "empty response",
        }
    }
}

/// Formats a duration in seconds: `20 s`, `0.5 s`.
fn seconds(span: Duration) -> String {
    let seconds = span.as_secs_f64();
    if seconds.fract() == 0.0 {
        format!("{seconds:.0} s")
    } else {
        format!("{seconds:.1} s")
    }
}

/// Formats a number of bytes in MiB with up to two decimals: `256 MiB`, `1.02 MiB`.
fn mebibytes(bytes: usize) -> String {
    let mebibytes = bytes as f64 / (1024.0 * 1024.0);
    format!("{} MiB", trimmed(mebibytes, 2))
}

/// The clause about the reset of a quota; advice to try again tomorrow if its time is unknown.
fn reset_clause(reset: Option<&Zoned>) -> String {
    reset.map_or_else(
        || "try again tomorrow".to_owned(),
        |reset| format!("it resets at {}", reset.strftime("%Y-%m-%d %H:%M %Z")),
    )
}

/// The place where a response broke off: after its complete records, else after its bytes.
fn broke_off(records: Option<usize>, bytes: usize) -> String {
    match records {
        Some(1) => "after 1 complete record".to_owned(),
        Some(count) => format!("after {count} complete records"),
        None => format!("after {bytes} bytes"),
    }
}

/// The end of a sentence about the target of a redirect; empty if it has none.
fn redirect_clause(to: Option<&Untrusted>) -> String {
    to.map_or_else(String::new, |to| format!(" to {}", to.for_confirmation()))
}

/// The end of a sentence with the title of a web page; empty if it has none.
fn title_clause(title: Option<&Untrusted>) -> String {
    title.map_or_else(String::new, |title| format!(" titled \"{}\"", shown(title)))
}

/// The end of a sentence about a rate limit, in parentheses: the wait that the server requests, else its
/// minimum interval of `threshold` seconds, else advice to wait a moment.
fn rate_limit_clause(threshold: Option<f64>, retry_after: Option<Duration>) -> String {
    match (threshold, retry_after) {
        (_, Some(span)) => {
            let more = or_more(span.as_secs_f64());
            format!(" (status 429; wait {}{more})", seconds(span))
        }
        (Some(least), None) => format!(" (status 429; at most one in {least} s)"),
        (None, None) => " (status 429; wait a moment)".to_owned(),
    }
}

/// The beginning of the message for a rejected request: `not found` for status 404, `method not allowed` for 405, else
/// that the server rejected it; each with the status.
fn rejection(status: u16) -> String {
    match status {
        404 => "not found (status 404)".to_owned(),
        405 => "method not allowed (status 405)".to_owned(),
        _ => format!("the server rejected the request (status {status})"),
    }
}
