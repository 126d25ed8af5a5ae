//! Decodes a response into a [`Reply`] or an [`ApiError`].

use std::borrow::Cow;
use std::sync::Arc;

use bourse_domain::Untrusted;
use bourse_domain::catalog::Resource;
use bourse_domain::json_split::{self, SplitError};
use bourse_domain::listing::{Reader, Unsplit, Whole};
use bourse_domain::secrets::{Known, is_secret_member, scrub};
use bourse_domain::time::UnixTime;
use jiff::Zoned;
use jiff::tz::TimeZone;

use super::envelope::{Members, split};
use super::error_body::{self, is_page, parse_error_body, words};
use crate::error::{ApiError, ErrorBody};
use crate::{Assignment, Operation, Reply, Request, RouteCall, RouteReply};

/// The parts of a response that decoding needs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Answer<'a> {
    /// The HTTP status of the response.
    pub status: u16,
    /// The header `Location`, of a redirect.
    pub location: Option<&'a str>,
    /// The header `Retry-After`, as received.
    pub retry_after: Option<&'a str>,
    /// The header with the end of a rate limit.
    pub rate_limit_reset: Option<&'a str>,
    /// The body, decompressed.
    pub body: &'a [u8],
}

/// Decodes the response to `request`, or returns the error that it reports. `now` is the time it was
/// received.
pub fn decode(request: &Request, answer: Answer<'_>, now: UnixTime) -> Result<Reply, ApiError> {
    let content = match reader(request, Arc::default(), now) {
        Some(mut reader) if is_good(answer.status) => {
            reader.push(answer.body);
            Content::Records(Box::new(reader.finish()))
        }
        _ => Content::Text(clean_text(answer.body.to_vec(), &Known::default())),
    };
    decode_content(request, answer, content, now)
}

/// The body of a response, without known secrets and without copies of its own secrets outside their members.
pub(crate) enum Content {
    Text(String),
    /// Records, parsed as they arrived.
    Records(Box<Result<Whole, Unsplit>>),
}

impl Content {
    /// The text of the whole body, also of one that was parsed as records.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Records(read) => match &**read {
                Ok(whole) => whole.listing.response(),
                Err(unsplit) => &unsplit.text,
            },
        }
    }

    /// Whether it certainly has no members with the name of a secret; false for a body of text, which is not
    /// searched, and for records that could not be split.
    pub(crate) fn is_clean(&self) -> bool {
        match self {
            Self::Text(_) => false,
            Self::Records(read) => read.as_ref().as_ref().is_ok_and(|whole| whole.is_clean),
        }
    }
}

/// The reader that parses the records of a response as they arrive; `None` if the request returns no records.
pub(crate) fn reader(request: &Request, known: Arc<Known>, now: UnixTime) -> Option<Reader> {
    let catalog = match request {
        Request::Search(query) => query.resource.catalog(),
        Request::Raw(search) => search.resource().catalog(),
        Request::ListWorkergroups => Resource::Workergroups.catalog(),
        Request::UnlistVolume { .. } | Request::CreateWorkergroup(_) | Request::Route(_) => {
            return None;
        }
    };
    Some(Reader::new(catalog, known, now))
}

/// Whether a status is 2xx.
pub(crate) fn is_good(status: u16) -> bool {
    (200..300).contains(&status)
}

/// The text of a body without known secrets, without copies of its own secrets outside their members, and
/// without a byte order mark. Invalid UTF-8 is replaced.
pub(crate) fn clean_text(body: Vec<u8>, known: &Known) -> String {
    // One invalid byte must not hide a response: it becomes a replacement character in its record.
    let mut text =
        String::from_utf8(body).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    match scrub(&text, known, is_secret_member) {
        Cow::Borrowed(_) => text,
        Cow::Owned(clean) => clean,
    }
}

/// Decodes a response whose body is `content`; that of `answer` is ignored.
pub(crate) fn decode_content(
    request: &Request,
    answer: Answer<'_>,
    content: Content,
    now: UnixTime,
) -> Result<Reply, ApiError> {
    let status = answer.status;
    if !is_good(status) {
        return Err(refusal(request.operation(), answer, content.text(), now));
    }
    let text = match content {
        Content::Text(text) => text,
        Content::Records(read) => match *read {
            Ok(whole) => return records(whole, status),
            Err(unsplit) => {
                reject_empty_or_html(&unsplit.text, status)?;
                return Err(unsplit_records(request.operation(), &unsplit, status));
            }
        },
    };
    reject_empty_or_html(&text, status)?;
    match request {
        Request::UnlistVolume { .. } => unlisted(&text, status),
        Request::CreateWorkergroup(_) => created(&text, status),
        Request::Route(call) => routed(call, &text, status),
        Request::Search(_) | Request::Raw(_) | Request::ListWorkergroups => {
            let why = "not read as records".to_owned();
            Err(ApiError::Unreadable { status, why })
        }
    }
}

/// Checks a body; an error if it is blank or an HTML page.
fn reject_empty_or_html(text: &str, status: u16) -> Result<(), ApiError> {
    if text.trim().is_empty() {
        return Err(ApiError::Empty { status });
    }
    if is_page(text) {
        let title = error_body::title(text).map(Untrusted::from);
        return Err(ApiError::Html { status, title });
    }
    Ok(())
}

/// The error for a status other than 2xx. Below 400: a redirect. 401, or 403 or 404 about the key: a rejected
/// key. Any other 403: a lacking permission. Any other 404 to a search of network volumes: a market without
/// them. 429: a used-up quota or a rate limit. Any other 4xx: an invalid request. Else a server error.
fn refusal(operation: Operation, answer: Answer<'_>, text: &str, now: UnixTime) -> ApiError {
    let status = answer.status;
    let said = parse_error_body(text);
    match status {
        100..400 => ApiError::Redirected {
            status,
            to: answer.location.and_then(origin_of).map(Untrusted::from),
        },
        401 => ApiError::Refused { status, said },
        403 if is_about_the_key(&said) => ApiError::Refused { status, said },
        403 => ApiError::NotPermitted { said },
        404 if is_key_error(&said) => ApiError::Refused { status, said },
        404 if operation == Operation::SearchVolumes => ApiError::NotOffered,
        429 => too_many(answer, said, now),
        400..500 => ApiError::Invalid { status, said },
        _ => ApiError::Server { status, said },
    }
}

/// The error for a 429: the daily quota if the body has `quota_exceeded`, with the time of its reset from the
/// reset header, else from `Retry-After`; else requests too close together, with the interval that the
/// message names and the wait from `Retry-After`, else from the reset header, at most five minutes.
fn too_many(answer: Answer<'_>, said: ErrorBody, now: UnixTime) -> ApiError {
    let reset = answer
        .rate_limit_reset
        .and_then(|header| error_body::reset(header, now));
    // The status is the same as for requests too close together: only the code identifies the quota, which no short
    // wait restores.
    if mentions(&said, &["quota_exceeded"]) {
        let retry_after = || Some(now + error_body::retry_seconds(answer.retry_after?, now)?);
        return ApiError::QuotaExceeded {
            reset: reset.or_else(retry_after).and_then(zoned),
            said,
        };
    }
    ApiError::RateLimited {
        threshold: said
            .message()
            .and_then(|message| error_body::threshold(message.unescaped())),
        retry_after: answer
            .retry_after
            .and_then(|header| error_body::retry_after(header, now))
            // Retry-After is the standard; the public service sends a reset time instead.
            .or_else(|| error_body::bounded_wait(reset? - now)),
        said,
    }
}

/// A time in UTC, rounded up to a second, until the display's time zone is known; `None` if it is outside the
/// calendar.
fn zoned(time: UnixTime) -> Option<Zoned> {
    let whole = UnixTime::new(time.seconds().ceil());
    Some(whole.timestamp()?.to_zoned(TimeZone::UTC))
}

/// Whether a 403 is about the key itself: it mentions a login or an invalid key, or else `auth_error` or an
/// API key without mentioning a permission.
///
/// The public service answers 403 for a missing key ("This action requires login.") and for a valid key that
/// lacks the permission.
fn is_about_the_key(said: &ErrorBody) -> bool {
    if mentions(said, &["login", "log in", "invalid user key"]) {
        return true;
    }
    // "This action requires the permission ..." is sent as `auth_error`, too.
    let is_permission = mentions(said, &["permi", "requires", "forbidden", "not allowed"]);
    !is_permission && mentions(said, &["auth_error", "api key"])
}

/// Whether a 404 is about the key, with which the public service rejects a wrong key: it mentions
/// `auth_error` or an invalid user key.
fn is_key_error(said: &ErrorBody) -> bool {
    mentions(said, &["auth_error", "invalid user key"])
}

/// Whether the code or the message of an error contains one of `words`, which are in lower case, in any case
/// of letters; false for a body without code and message.
fn mentions(said: &ErrorBody, words: &[&str]) -> bool {
    let ErrorBody::Words { code, message } = said else {
        return false;
    };
    [code, message].into_iter().flatten().any(|text| {
        let text = text.unescaped().to_ascii_lowercase();
        words.iter().any(|word| text.contains(word))
    })
}

/// Scheme, host and port of an address, without user and password: the rest may contain a secret. `None` if
/// it has no scheme, one above 8 bytes, or no host.
fn origin_of(location: &str) -> Option<String> {
    let (scheme, rest) = location.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?;
    let host: String = host.chars().take(255).collect();
    (scheme.len() <= 8 && !host.is_empty()).then(|| format!("{scheme}://{host}"))
}

/// The reply with the records of a list; an error if the response reports a failure, or has no list.
fn records(whole: Whole, status: u16) -> Result<Reply, ApiError> {
    let Whole { listing, envelope, .. } = whole;
    let members = Members::new(listing.response(), &envelope);
    let failed = members.flag("success") == Some(false);
    // Some refusals come with status 200: `{"error":"invalid"}` in place of the list.
    if failed || (!envelope.has_list && words(&members).is_some()) {
        return Err(failure(&members));
    }
    if !envelope.has_list {
        let why = format!("no list named '{}'", listing.catalog().list_key);
        return Err(ApiError::Unreadable { status, why });
    }
    Ok(Reply::Records(Box::new(listing)))
}

/// The error for a list that could not be split into its records.
fn unsplit_records(operation: Operation, unsplit: &Unsplit, status: u16) -> ApiError {
    match unsplit.error {
        SplitError::TooManyRecords => ApiError::TooManyRecords {
            most: json_split::MOST_RECORDS,
            is_search: operation != Operation::ListWorkergroups,
        },
        error => unreadable(error, &unsplit.text, status),
    }
}

/// The reply to an unlisting; an error unless `success` is true.
fn unlisted(text: &str, status: u16) -> Result<Reply, ApiError> {
    let envelope = split(text).map_err(|error| unreadable(error, text, status))?;
    let members = Members::new(text, &envelope);
    match members.flag("success") {
        Some(false) => Err(failure(&members)),
        None => Err(ApiError::Unreadable {
            status,
            why: "no word on whether the volume was unlisted".to_owned(),
        }),
        Some(true) => Ok(Reply::Unlisted {
            msg: members.words("msg").unwrap_or_default(),
        }),
    }
}

/// The reply to a creation, with the id of the group from `id`, else from `result`; an error if the response
/// has none, a negative one, or reports a failure.
fn created(text: &str, status: u16) -> Result<Reply, ApiError> {
    let envelope = split(text).map_err(|error| unreadable(error, text, status))?;
    let members = Members::new(text, &envelope);
    // The specification names it `id`; the market's own tools read `result`, too.
    let id = members.integer("id").or_else(|| members.integer("result"));
    match (members.flag("success"), id) {
        (Some(false), _) => Err(failure(&members)),
        (_, Some(id)) if id >= 0 => Ok(Reply::Created { id }),
        _ => Err(ApiError::Unreadable {
            status,
            why: "no id of the new workergroup".to_owned(),
        }),
    }
}

/// The reply of the router: an assignment if it has the address of a worker, else a status to wait for. The
/// assignment lists `endpoint` and `cost` as mismatches unless they equal those of `call`. An error if the
/// reply reports a failure or a refusal, is not valid JSON, or its `url` is not text.
fn routed(call: &RouteCall, text: &str, status: u16) -> Result<Reply, ApiError> {
    let envelope = split(text).map_err(|error| unreadable(error, text, status))?;
    let members = Members::new(text, &envelope);
    if members.flag("success") == Some(false) {
        return Err(failure(&members));
    }
    if !members.are_sound() {
        let why = "invalid JSON".to_owned();
        return Err(ApiError::Unreadable { status, why });
    }
    let json = Untrusted::from(text.trim());
    // An address makes it an assignment; a reply without one is a wait.
    let Some(url) = members.text("url").filter(|url| !url.trim().is_empty()) else {
        if members.has("url") && members.text("url").is_none() {
            let why = "the worker's address is not text".to_owned();
            return Err(ApiError::Unreadable { status, why });
        }
        // A status would be polled until patience runs out, but this error will not change.
        if members
            .words("error_msg")
            .is_some_and(|said| said.unescaped() != "null")
        {
            return Err(ApiError::RouteRefused {
                said: words(&members).unwrap_or_default(),
            });
        }
        return Ok(Reply::Routed(RouteReply::Waiting { json }));
    };
    let endpoint = members.text("endpoint");
    let cost = members.number("cost");
    let mut mismatches = Vec::new();
    if endpoint.as_deref() != Some(call.endpoint.as_str()) {
        mismatches.push("endpoint");
    }
    if !cost.is_some_and(|cost| same_number(cost, call.cost)) {
        mismatches.push("cost");
    }
    Ok(Reply::Routed(RouteReply::Assigned(Assignment {
        endpoint: endpoint.map(Untrusted::from),
        url: Untrusted::from(url),
        cost,
        reqnum: members.integer("reqnum"),
        request_idx: members
            .integer("request_idx")
            .and_then(|index| u64::try_from(index).ok()),
        signature: members.untrusted("signature"),
        request_id: members.words("__request_id"),
        mismatches,
        json,
    })))
}

/// Whether a number was echoed as sent, with a tolerance of a millionth for single precision in between.
fn same_number(echoed: f64, sent: f64) -> bool {
    (echoed - sent).abs() <= sent.abs() * 1e-6
}

/// The error for a good status whose body reports a failure, with its message.
fn failure(members: &Members<'_>) -> ApiError {
    ApiError::Failure {
        said: words(members).unwrap_or_default(),
    }
}

/// The error for a body that could not be split into members: empty, cut off, or not the expected JSON.
fn unreadable(error: SplitError, text: &str, status: u16) -> ApiError {
    match error {
        SplitError::Empty => ApiError::Empty { status },
        SplitError::CutShort(records) => ApiError::Cut {
            bytes: text.len(),
            records: (records > 0).then_some(records),
        },
        SplitError::NotAnObject => ApiError::Unreadable {
            status,
            why: not_an_object(text),
        },
        SplitError::Broken(_) | SplitError::TooManyMembers | SplitError::TooManyRecords => ApiError::Unreadable {
            status,
            why: error.to_string(),
        },
    }
}

/// Describes a body that is not a JSON object; of plain text it quotes the beginning.
fn not_an_object(text: &str) -> String {
    let start = text.trim_start();
    match start.chars().next() {
        Some('[') => "a JSON list instead of an object".to_owned(),
        Some('"') => "a JSON string instead of an object".to_owned(),
        _ if serde_json::from_str::<serde::de::IgnoredAny>(error_body::head_of(text, 4096)).is_ok() => {
            "a bare JSON value instead of an object".to_owned()
        }
        _ => format!(
            "plain text instead of JSON (\"{}\")",
            Untrusted::from(error_body::head_of(start, 256)).screen(60)
        ),
    }
}
