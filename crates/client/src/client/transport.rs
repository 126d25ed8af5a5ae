//! Builds the HTTP clients: in one place, with the same restrictions everywhere.

use std::time::Duration;

use reqwest::Url;
use tokio::sync::OnceCell;

use super::Origin;
use super::worker::Timed;
use crate::error::ApiError;

// Well within the deadlines, so that a dead address is reported as such and not as a slow market.
const CONNECT: Duration = Duration::from_secs(5);
/// The time after which an idle connection is closed.
///
/// Servers close idle connections after a minute or so, and a request on a closed one fails.
const POOL_IDLE: Duration = Duration::from_secs(30);

/// The clients for the two addresses, each built by its first call.
///
/// Loading the platform's certificates takes longer than a frame.
#[derive(Debug, Default)]
pub(super) struct Transports {
    secure: OnceCell<reqwest::Client>,
    local: OnceCell<reqwest::Client>,
    plain: OnceCell<reqwest::Client>,
}

impl Transports {
    /// The HTTP client for an address, built by its first call: one for https, one for plain http and one for
    /// plain http on this computer. Https on this computer gets a new one each time. An error if it cannot be
    /// built.
    pub(super) async fn client_for(&self, origin: &Origin) -> Result<reqwest::Client, ApiError> {
        let cell = match (origin.is_loopback(), origin.is_tls()) {
            (false, true) => &self.secure,
            (false, false) => &self.plain,
            (true, false) => &self.local,
            // Https on this computer is rare: such a client is not cached.
            (true, true) => return build(origin.clone()).await,
        };
        cell.get_or_try_init(|| build(origin.clone())).await.cloned()
    }
}

/// Builds a client for workers that trusts these roots in addition to those of the platform, or to the
/// built-in ones if the platform has none. With `is_local` it uses no proxy.
///
/// It reuses no connection, and `timed` records when one is ready.
pub(super) async fn build_for_workers(
    roots: Vec<reqwest::Certificate>,
    is_local: bool,
    timed: Timed,
) -> Result<reqwest::Client, ApiError> {
    let made = tokio::task::spawn_blocking(move || {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = || {
            let builder = reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .retry(reqwest::retry::never())
                .referer(false)
                .connect_timeout(CONNECT)
                .pool_max_idle_per_host(0)
                .http1_only()
                .gzip(true)
                .connector_layer(timed);
            if is_local { builder.no_proxy() } else { builder }
        };
        let whole = builder().tls_certs_merge(roots.clone()).build();
        // A machine without a certificate store.
        let all = built_in_roots().into_iter().chain(roots);
        whole.or_else(|_| builder().tls_certs_only(all).build())
    });
    made.await.ok().and_then(Result::ok).ok_or_else(unbuildable)
}

/// Whether an address is on this computer: in 127.0.0.0/8, `::1`, or `localhost`.
pub(super) fn is_loopback(url: &Url) -> bool {
    Origin::parse(&url.origin().ascii_serialization()).is_ok_and(|origin| origin.is_loopback())
}

/// Builds a client for an address, with the certificates of the platform, or with built-in ones if it has
/// none; without certificates for plain http.
async fn build(origin: Origin) -> Result<reqwest::Client, ApiError> {
    if !origin.is_tls() {
        // Plain http needs no certificates, and must not fail without them.
        return make(&origin, Some(Vec::new()));
    }
    tokio::task::spawn_blocking(move || {
        // A machine without a certificate store, such as a slim container.
        make(&origin, None).or_else(|_| make(&origin, Some(built_in_roots())))
    })
    .await
    .unwrap_or_else(|_| Err(unbuildable()))
}

/// Builds a client for an address that trusts only these certificates, or those of the platform if `None`. It
/// follows no redirects, retries nothing, and for this computer uses no proxy and resolves `localhost`
/// itself.
fn make(origin: &Origin, roots: Option<Vec<reqwest::Certificate>>) -> Result<reqwest::Client, ApiError> {
    // The only error is that a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        // reqwest would resend a POST on 307 and 308, and turn it into a GET on 301 to 303, whose
        // 200 looks like success.
        .redirect(reqwest::redirect::Policy::none())
        // Only the session retries: it knows which operations are reads.
        .retry(reqwest::retry::never())
        .referer(false)
        .https_only(origin.is_tls())
        .connect_timeout(CONNECT)
        .pool_idle_timeout(POOL_IDLE)
        .gzip(true);
    if origin.is_loopback() {
        // A proxy from the environment (`HTTP_PROXY`) would see the key.
        builder = builder.no_proxy();
    }
    if let Some((name, addresses)) = origin.pinned() {
        builder = builder.resolve_to_addrs(name, &addresses);
    }
    if let Some(roots) = roots {
        builder = builder.tls_certs_only(roots);
    }
    builder.build().map_err(|_| unbuildable())
}

/// The root certificates that are compiled into bourse.
fn built_in_roots() -> Vec<reqwest::Certificate> {
    webpki_root_certs::TLS_SERVER_ROOT_CERTS
        .iter()
        .filter_map(|der| reqwest::Certificate::from_der(der.as_ref()).ok())
        .collect()
}

/// The error for a client that cannot be built, because no certificates can be read.
fn unbuildable() -> ApiError {
    ApiError::Misconfigured("can't set up TLS: the certificates of this computer can't be read".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_computer_without_certificates_gets_all_that_are_built_in() {
        let certificates = webpki_root_certs::TLS_SERVER_ROOT_CERTS.len();
        assert!(certificates > 100);
        assert_eq!(built_in_roots().len(), certificates);
    }
}
