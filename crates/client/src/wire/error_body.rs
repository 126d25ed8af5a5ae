//! Parses error responses: every documented shape, plain text and web pages.

use std::time::Duration;

use bourse_domain::Untrusted;
use bourse_domain::routing::LONGEST_WAIT;
use bourse_domain::time::UnixTime;

use super::envelope::{Members, bounded, split};
use crate::error::ErrorBody;

/// The longest time until a quota resets, in seconds: a little over a month.
///
/// A reset further away is a broken clock or a value in milliseconds, not a quota.
const LONGEST_QUOTA: f64 = 32.0 * 86_400.0;

/// The number of bytes of an error body that are searched.
///
/// Error pages of proxies can be megabytes; their title and a JSON error are at the start.
const LOOKED_AT: usize = 64 * 1024;

/// Parses the first 64 KB of an error response: an object with `error`, `msg`, `detail`, `error_msg` or
/// `message`, or with a false `success`; a JSON text; plain text, which includes bare JSON numbers; a web
/// page; or an empty body. Any other object, a list, and text with over four control characters or invalid
/// UTF-8 are noise.
pub(super) fn parse_error_body(body: &str) -> ErrorBody {
    let body = head(body.trim_start_matches('\u{feff}').trim());
    if body.is_empty() {
        return ErrorBody::Nothing;
    }
    if is_page(body) {
        return ErrorBody::Page {
            title: title(body).map(Untrusted::from),
        };
    }
    if body.starts_with('{') {
        return split(body).map_or(ErrorBody::Noise, |envelope| {
            let members = Members::new(body, &envelope);
            // A bare `"success": false` is the documented failure of an unlisting: a clear refusal
            // without a message.
            let bare = (members.flag("success") == Some(false)).then_some(ErrorBody::Words {
                code: None,
                message: None,
            });
            words(&members).or(bare).unwrap_or(ErrorBody::Noise)
        });
    }
    if body.starts_with('[') {
        return ErrorBody::Noise;
    }
    let text = serde_json::from_str::<String>(body).unwrap_or_else(|_| body.to_owned());
    if text.chars().filter(|c| c.is_control() && !c.is_whitespace()).count() > 4 || text.contains('\u{fffd}') {
        return ErrorBody::Noise;
    }
    ErrorBody::Words {
        code: None,
        message: Some(Untrusted::from(bounded(text.trim()))),
    }
}

/// The code (`error`, unless it is true or 1) and the message (the first of `msg`, `detail`, `error_msg` and
/// `message`) of an error object; `None` if it has neither.
pub(super) fn words(members: &Members<'_>) -> Option<ErrorBody> {
    let code = members.words("error").filter(|code| {
        // `"error": true` adds nothing to the status.
        !matches!(code.unescaped(), "true" | "1")
    });
    // The services of one market differ: offers and volumes send `msg`, the router `error_msg`, others
    // `detail`.
    let message = ["msg", "detail", "error_msg", "message"]
        .into_iter()
        .find_map(|name| members.words(name));
    (code.is_some() || message.is_some()).then_some(ErrorBody::Words { code, message })
}

/// The minimum interval in seconds named after `threshold` in the message of a refusal (`threshold=5.0`), at
/// most five minutes. `None` if there is none above zero.
pub fn threshold(words: &str) -> Option<f64> {
    let behind = &words[words.find("threshold")? + "threshold".len()..];
    let rest = behind.trim_start_matches([' ', '=', ':', '"']);
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(rest.len());
    let seconds: f64 = rest[..end].trim_end_matches('.').parse().ok()?;
    (seconds.is_finite() && seconds > 0.0).then(|| seconds.min(LONGEST_WAIT.as_secs_f64()))
}

/// The wait of a `Retry-After` header: seconds or an HTTP date, from zero to five minutes; `None` if it is
/// invalid.
pub fn retry_after(header: &str, now: UnixTime) -> Option<Duration> {
    bounded_wait(retry_seconds(header, now)?)
}

/// A wait of at most five minutes, zero for a negative number; `None` if `seconds` is not finite.
pub(super) fn bounded_wait(seconds: f64) -> Option<Duration> {
    if !seconds.is_finite() {
        return None;
    }
    Duration::try_from_secs_f64(seconds.clamp(0.0, LONGEST_WAIT.as_secs_f64())).ok()
}

/// The seconds from `now` in a `Retry-After` header, which may be negative for a date; `None` if it is
/// invalid.
pub(super) fn retry_seconds(header: &str, now: UnixTime) -> Option<f64> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return seconds.is_finite().then_some(seconds);
    }
    let date = jiff::fmt::rfc2822::parse(header).ok()?;
    Some(UnixTime::from(date.timestamp()) - now)
}

/// The time in an `X-RateLimit-Reset` header, in seconds since 1970; `None` if it is no number, not after
/// `now`, or over 32 days off, which is no time of a reset (some servers send other units).
pub(super) fn reset(header: &str, now: UnixTime) -> Option<UnixTime> {
    let moment = UnixTime::new(header.trim().parse().ok()?);
    (moment > now && moment - now <= LONGEST_QUOTA).then_some(moment)
}

/// Whether a text is a web page: it starts with a tag, and a tag of HTML or XML pages is near its start.
pub(super) fn is_page(text: &str) -> bool {
    let start: String = head_of(text.trim_start(), 512).to_ascii_lowercase();
    start.starts_with('<')
        && [
            "<!doctype",
            "<html",
            "<head",
            "<body",
            "<title",
            "<h1",
            "<center",
            "<?xml",
        ]
        .iter()
        .any(|tag| start.contains(tag))
}

/// The title in the first 64 KB of a web page, at most 400 characters; `None` if it has none or a blank one.
pub(super) fn title(page: &str) -> Option<String> {
    let page = head(page);
    let lower = page.to_ascii_lowercase();
    let open = lower.find("<title")?;
    let start = open + lower[open..].find('>')? + 1;
    let end = start + lower[start..].find('<').unwrap_or(lower.len() - start);
    let title = page[start..end].split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then(|| bounded(&unescaped(&title)))
}

/// Decodes the HTML entities `&lt;`, `&gt;`, `&quot;`, `&#39;` and `&amp;`; others are unchanged.
fn unescaped(text: &str) -> String {
    [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (entity, plain)| text.replace(entity, plain))
}

/// The first 64 KB of a text, in which errors are searched.
fn head(text: &str) -> &str {
    head_of(text, LOOKED_AT)
}

/// The first `bytes` bytes of a text, or fewer, so that no character is cut.
pub(super) fn head_of(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
