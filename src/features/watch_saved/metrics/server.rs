//! The HTTP server of the metrics: one path, read only.

use std::io;
use std::net::{IpAddr, SocketAddr};

use axum::Router;
use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::watch::Receiver;

use super::Metrics;
use crate::api::client::current_time;

/// The media type of `OpenMetrics` text.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A server that listens, but does not respond yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Listens at an address; port 0 picks a free one.
    ///
    /// # Errors
    /// When the address is not this computer's, or in use.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// The address it listens at, with the port that was picked.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves the newest snapshot of the metrics at `/metrics`; ends only when dropped.
    ///
    /// # Errors
    ///
    /// When connections can no longer be accepted.
    pub async fn serve(self, snapshots: Receiver<Metrics>) -> io::Result<()> {
        let is_private = self.address.ip().is_loopback();
        let router = Router::new().route("/metrics", get(metrics));
        axum::serve(self.listener, router.with_state((snapshots, is_private))).await
    }
}

/// Responds to a scrape with the newest snapshot of the metrics; on a loopback address only if the request's
/// host is `localhost` or an IP address, else with 403.
async fn metrics(State((snapshots, is_private)): State<(Receiver<Metrics>, bool)>, headers: HeaderMap) -> Response {
    // A web page can point a name of its own at this computer, and would then read the metrics as its own.
    if is_private && !names_this_computer(&headers) {
        return (StatusCode::FORBIDDEN, "use localhost or an address as the host\n").into_response();
    }
    let text = snapshots.borrow().text(current_time());
    match text {
        Ok(text) => ([(CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

/// Whether the `Host` header of a request is `localhost` or an IP address, with or without a port.
fn names_this_computer(headers: &HeaderMap) -> bool {
    let host = headers
        .get(HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or_default();
    let is_address = host.parse::<SocketAddr>().is_ok() || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    is_address || name.eq_ignore_ascii_case("localhost")
}
