//! Sends one request and reads one bounded response.

use std::error::Error;
use std::io;
use std::time::Duration;

use bourse_domain::listing::{LONGEST_PIECE, Reader};
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER, USER_AGENT,
};

use super::Origin;
use super::progress::{PartialResponse, Received};
use crate::error::{ApiError, Unreachable};
use crate::wire::{Method, WireRequest, is_good};
use crate::{Request, Secret};

/// The header with the time the quota resets, in seconds since 1970, sent by the public service.
const RATE_LIMIT_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
/// The header that names the fault injected by a sandbox.
const SANDBOX_FAULT: HeaderName = HeaderName::from_static("x-sandbox-fault");
pub(super) const AGENT: &str = concat!("bourse/", env!("CARGO_PKG_VERSION"));
// Bytes allowed per record: a full offer takes about 2.7 kB.
const PER_RECORD: usize = 16 * 1024;
/// Bytes allowed for a search in addition to its records.
///
/// A search without rows still has an envelope, and a limit of 1 must not make it an error.
const PER_SEARCH: usize = 1024 * 1024;
/// The maximum size of the response to any search, in bytes.
///
/// About 100,000 offers, as many as the dashboard shows.
const MOST: usize = 256 * 1024 * 1024;
/// The maximum size of other responses, in bytes.
///
/// Workergroups are listed without a limit, so that their number is not known in advance.
const OTHER: usize = 16 * 1024 * 1024;
/// The maximum number of bytes read of an error response.
///
/// Enough for its message.
const REFUSAL: usize = 64 * 1024;

/// The maximum size of the response to a request, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    bytes: usize,
    is_search: bool,
    silence: Duration,
}

impl Bound {
    /// The limits for the response: in bytes 16 KB for each record that a search may return and 1 MB more, at
    /// most 256 MB, also for a search without a limit; 16 MB for any other request. In time the longest
    /// silence of the operation.
    pub(super) fn for_request(request: &Request) -> Self {
        // The limit of a search; `None` for other requests.
        let search = match request {
            Request::Search(query) => Some(query.limit.map(u64::from)),
            Request::Raw(raw) => Some(raw.limit()),
            Request::UnlistVolume { .. }
            | Request::ListWorkergroups
            | Request::CreateWorkergroup(_)
            | Request::Route(_) => None,
        };
        Self {
            bytes: search.map_or(OTHER, |limit| limit.map_or(MOST, for_records)),
            is_search: search.is_some(),
            silence: request.operation().longest_silence(),
        }
    }

    /// The error for a response that is larger than `bytes` of the bound.
    const fn exceeded(self) -> ApiError {
        ApiError::TooLarge {
            bound: self.bytes,
            is_search: self.is_search,
        }
    }
}

/// The maximum size of the response to a search for `records` records, in bytes: 16 KB for each and 1 MB
/// more, at most 256 MB.
fn for_records(records: u64) -> usize {
    usize::try_from(records)
        .unwrap_or(usize::MAX)
        .saturating_mul(PER_RECORD)
        .saturating_add(PER_SEARCH)
        .min(MOST)
}

/// A received response, not decoded.
pub(super) struct Raw {
    pub(super) status: u16,
    pub(super) location: Option<String>,
    pub(super) retry_after: Option<String>,
    pub(super) rate_limit_reset: Option<String>,
    /// The size of the body, decompressed, in bytes.
    pub(super) bytes: usize,
    pub(super) body: Body,
}

/// A body while it arrives.
pub(super) enum Body {
    Bytes(Vec<u8>),
    /// Records, parsed while they arrive.
    Records(Box<Reader>),
}

impl Body {
    /// An empty body: of records if there is a reader for them, else of bytes.
    pub(super) fn new(reader: Option<Reader>) -> Self {
        reader.map_or_else(|| Self::Bytes(Vec::new()), |reader| Self::Records(reader.into()))
    }

    /// Makes room for `bytes` more bytes, so that a long body is not copied while it grows.
    fn reserve(&mut self, bytes: usize) {
        match self {
            Self::Bytes(body) => body.reserve_exact(bytes),
            Self::Records(reader) => reader.reserve(bytes),
        }
    }

    /// Whether it has too many records already, whatever follows; never for a body of bytes.
    fn is_too_long(&self) -> bool {
        matches!(self, Self::Records(reader) if reader.is_too_long())
    }

    /// Whether the part that is not yet split into records is longer than 16 MB; never for a body of bytes.
    fn has_too_long_a_piece(&self) -> bool {
        matches!(self, Self::Records(reader) if reader.has_too_long_a_piece())
    }

    /// Appends received bytes; records are parsed at once.
    fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Bytes(body) => body.extend_from_slice(bytes),
            Self::Records(reader) => reader.push(bytes),
        }
    }
}

/// A request with its destination and the limits of its response.
#[derive(Clone, Copy)]
pub(super) struct Exchange<'a> {
    pub(super) http: &'a reqwest::Client,
    pub(super) origin: &'a Origin,
    pub(super) wire: &'a WireRequest,
    pub(super) key: Option<&'a Secret>,
    pub(super) bound: Bound,
}

/// The parts of a response's head for the ledger entry, stored even if the response never completes.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) status: Option<u16>,
    /// The fault injected by a sandbox; `None` without one.
    pub(super) sandbox_fault: Option<String>,
}

impl Raw {
    /// A response of which the head has arrived, with 0 bytes of its body.
    fn new(status: u16, headers: &HeaderMap, body: Body) -> Self {
        Self {
            status,
            location: header(headers, &LOCATION),
            retry_after: header(headers, &RETRY_AFTER),
            rate_limit_reset: header(headers, &RATE_LIMIT_RESET),
            bytes: 0,
            body,
        }
    }
}

/// Sends the request and reads the response into `body`, if its status is 2xx; of any other response up to 64
/// KB are read as bytes, fewer if it breaks off. An error if there is no response, the server is silent for
/// too long, or the body of a 2xx breaks off, exceeds its bound or has a record above 16 MB. Reading ends
/// early, without an error, once there are too many records.
///
/// `seen` receives the head as soon as it arrives, `on_part` the progress of a 2xx.
pub(super) async fn exchange(
    exchange: Exchange<'_>,
    body: Body,
    seen: &mut Head,
    on_part: impl FnMut(Received),
) -> Result<Raw, ApiError> {
    let Exchange { origin, bound, .. } = exchange;
    let request = build(exchange)?;
    let mut response = within_silence(bound.silence, exchange.http.execute(request))
        .await?
        .map_err(|error| unsent_or_lost(&error, origin))?;
    let status = response.status().as_u16();
    seen.status = Some(status);
    seen.sandbox_fault = header(response.headers(), &SANDBOX_FAULT);
    let good = is_good(status);
    let mut raw = Raw::new(status, response.headers(), if good { body } else { Body::new(None) });
    let limit = if good { bound.bytes } else { REFUSAL };
    // An announced size beyond the bound fails at once: reading up to the bound could take longer
    // than the deadline.
    let length = response.content_length().unwrap_or(0);
    let announced = usize::try_from(length).unwrap_or(usize::MAX);
    if good && announced > limit {
        return Err(bound.exceeded());
    }
    // Growing step by step would copy a long response several times.
    raw.body.reserve(announced.min(limit));
    let mut arrival = PartialResponse::new(announced, on_part);
    // Read in chunks, because reqwest's `bytes()` has no bound: 1 MB of gzip can unpack to 1 GB.
    loop {
        match within_silence(bound.silence, response.chunk()).await {
            // The status alone makes it a refusal, even if its body was cut off.
            Err(_) | Ok(Err(_)) if !good => return Ok(raw),
            Err(silent) => return Err(silent),
            Ok(Err(error)) => return Err(broken_body(&error, status, raw.bytes)),
            Ok(Ok(None)) => return Ok(raw),
            Ok(Ok(Some(bytes))) if raw.bytes + bytes.len() <= limit => {
                raw.bytes += bytes.len();
                raw.body.push(&bytes);
                if raw.body.is_too_long() {
                    return Ok(raw);
                }
                if raw.body.has_too_long_a_piece() {
                    return Err(ApiError::TooLarge {
                        bound: LONGEST_PIECE,
                        is_search: false,
                    });
                }
                arrival.report(raw.bytes, &raw.body);
            }
            Ok(Ok(Some(_))) if good => return Err(bound.exceeded()),
            Ok(Ok(Some(_))) => return Ok(raw),
        }
    }
}

/// Waits for the server's next sign of life; an error if it is silent for longer than `silence`.
async fn within_silence<T>(silence: Duration, sign: impl Future<Output = T>) -> Result<T, ApiError> {
    tokio::time::timeout(silence, sign)
        .await
        .map_err(|_| ApiError::TimedOut { after: silence })
}

/// Builds the HTTP request with the key in its Authorization header, if there is one; an error if that is
/// impossible.
fn build(exchange: Exchange<'_>) -> Result<reqwest::Request, ApiError> {
    let Exchange { http, origin, wire, .. } = exchange;
    let method = match wire.method {
        Method::Get => reqwest::Method::GET,
        Method::Post => reqwest::Method::POST,
    };
    let mut builder = http
        .request(method, origin.at(wire.path))
        .header(USER_AGENT, AGENT)
        .header(ACCEPT, "application/json");
    if let Some(key) = exchange.key {
        let mut value = HeaderValue::try_from(format!("Bearer {}", key.expose()))
            .map_err(|_| ApiError::Misconfigured("the API key can't be sent in a header".to_owned()))?;
        // Otherwise `{:?}` of a request would print the key.
        value.set_sensitive(true);
        builder = builder.header(AUTHORIZATION, value);
    }
    if let Some(body) = wire.body_text() {
        builder = builder.header(CONTENT_TYPE, "application/json").body(body);
    }
    builder
        .build()
        .map_err(|_| ApiError::Misconfigured("the request cannot be built".to_owned()))
}

/// The text of the first header of this name; `None` if it is missing, not printable ASCII, or longer than
/// 4096 bytes.
fn header(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?;
    // A redirect or a pause is short; a longer header is useless and would be stored in the ledger.
    (value.len() <= 4096).then(|| value.to_owned())
}

/// The error for a response that never began: there was no connection, the request could not be built, or
/// else the response was lost.
fn unsent_or_lost(error: &reqwest::Error, origin: &Origin) -> ApiError {
    if error.is_connect() {
        return ApiError::NotConnected {
            host: origin.authority(),
            why: unreachable(error),
        };
    }
    if error.is_builder() {
        return ApiError::Misconfigured("the request cannot be built".to_owned());
    }
    ApiError::Lost
}

/// The reason for a failed connection: a timeout, else the one shown by the first of the error's causes that
/// shows any, else `Other`.
pub(super) fn unreachable(error: &reqwest::Error) -> Unreachable {
    if error.is_timeout() {
        return Unreachable::TooSlow;
    }
    for cause in causes(error) {
        if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
            return handshake(tls);
        }
        if let Some(io) = cause.downcast_ref::<io::Error>()
            && io.kind() == io::ErrorKind::ConnectionRefused
        {
            return Unreachable::NobodyListens;
        }
        // The connector's own error type is private, so a failed name lookup shows only in its
        // text.
        if cause.to_string().starts_with("dns error") {
            return Unreachable::NoSuchName;
        }
    }
    Unreachable::Other
}

/// The reason for a failed TLS handshake: the certificate, the TLS version, or else the handshake itself.
fn handshake(error: &rustls::Error) -> Unreachable {
    match error {
        rustls::Error::InvalidCertificate(_)
        | rustls::Error::NoCertificatesPresented
        | rustls::Error::InvalidCertRevocationList(_)
        | rustls::Error::UnsupportedNameType => Unreachable::Certificate,
        rustls::Error::PeerIncompatible(_)
        | rustls::Error::AlertReceived(rustls::AlertDescription::ProtocolVersion) => Unreachable::TlsVersion,
        _ => Unreachable::Handshake,
    }
}

/// The error for a body that broke off: corrupt compression or chunks, or else a body cut off after `bytes`
/// bytes.
fn broken_body(error: &reqwest::Error, status: u16, bytes: usize) -> ApiError {
    let is_damage = |cause: &(dyn Error + 'static)| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|io| matches!(io.kind(), io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput))
    };
    if causes(error).any(is_damage) {
        // An error of the decompressor comes unwrapped, one of the connection inside the connection's own error.
        let first = causes(error).find(|cause| cause.downcast_ref::<reqwest::Error>().is_none());
        let why = if first.is_some_and(is_damage) {
            "corrupt compression"
        } else {
            "corrupt chunked encoding"
        };
        return ApiError::Unreadable {
            status,
            why: why.to_owned(),
        };
    }
    ApiError::Cut { bytes, records: None }
}

/// An error, followed by its causes from the nearest to the first.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| direct_cause(*error))
}

/// The direct cause of an error, `None` if it has none; for an I/O error the wrapped one, which its own
/// `source` skips.
fn direct_cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inside) => Some(inside),
        None => error.source(),
    }
}

#[cfg(test)]
mod tests {
    use rustls::{AlertDescription, CertificateError, Error, PeerIncompatible};

    use super::*;

    #[test]
    fn only_a_certificate_that_was_refused_is_called_one() {
        for (error, why) in [
            (
                Error::InvalidCertificate(CertificateError::Expired),
                Unreachable::Certificate,
            ),
            (Error::NoCertificatesPresented, Unreachable::Certificate),
            (
                Error::PeerIncompatible(PeerIncompatible::Tls12NotOffered),
                Unreachable::TlsVersion,
            ),
            (
                Error::AlertReceived(AlertDescription::ProtocolVersion),
                Unreachable::TlsVersion,
            ),
            (
                Error::AlertReceived(AlertDescription::HandshakeFailure),
                Unreachable::Handshake,
            ),
            (Error::DecryptError, Unreachable::Handshake),
        ] {
            assert_eq!(handshake(&error), why, "{error}");
        }
    }
}
