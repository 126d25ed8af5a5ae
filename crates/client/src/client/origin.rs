//! Server addresses: parsed once, and judged by the parsed form.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use bourse_domain::dialect::PUBLIC_DOMAIN;
use reqwest::Url;

/// A base address: `https://host[:port][/prefix]`, or plain http. No user, query or fragment.
#[derive(Clone, PartialEq, Eq)]
pub struct Origin {
    url: Url,
}

/// The reason a text is not a base address, or not one to which a key may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OriginError(&'static str);

const NOT_AN_ADDRESS: OriginError = OriginError("not an address such as https://host or http://127.0.0.1:8080");
const SCHEME: OriginError = OriginError("only http and https are supported");
const KEY_IN_THE_CLEAR: OriginError =
    OriginError("an API key is sent over plain http only to this computer (127.0.0.1, [::1] or localhost): use https");

impl Origin {
    /// Parses a base address; blanks around it are ignored.
    ///
    /// # Errors
    /// If it is not an http or https address with a host, or has a user, a password, a query or a fragment.
    pub fn parse(text: &str) -> Result<Self, OriginError> {
        let text = text.trim();
        let url = Url::parse(text).map_err(|_| NOT_AN_ADDRESS)?;
        let is_web = matches!(url.scheme(), "http" | "https");
        let has_user = !url.username().is_empty() || url.password().is_some();
        // `localhost:8080` parses as the scheme `localhost`.
        let mistakes = [
            (!is_web && text.contains("://"), SCHEME),
            (!is_web || url.host_str().is_none_or(str::is_empty), NOT_AN_ADDRESS),
            (
                has_user,
                OriginError("an address must not contain a user name or password"),
            ),
            (
                url.query().is_some(),
                OriginError("an address must not contain a query (?...)"),
            ),
            (
                url.fragment().is_some(),
                OriginError("an address must not contain a fragment (#...)"),
            ),
        ];
        let mistake = mistakes.into_iter().find(|(is_made, _)| *is_made);
        mistake.map_or(Ok(Self { url }), |(_, why)| Err(why))
    }

    /// A typed address, without blanks around it, with the scheme that it may lack: http for this computer,
    /// https for others.
    ///
    /// A text with a scheme is unchanged, and so is a single word without dot and colon other than
    /// `localhost`, which may be anything.
    pub fn complete(text: &str) -> String {
        let text = text.trim();
        let is_loopback = Self::parse(&format!("http://{text}")).is_ok_and(|origin| origin.is_loopback());
        if text.contains("://") || !(is_loopback || text.contains(['.', ':'])) {
            return text.to_owned();
        }
        format!("{}://{text}", if is_loopback { "http" } else { "https" })
    }

    /// The plain http address of a server that listens on this computer at a socket address.
    pub fn of_listener(address: SocketAddr) -> Result<Self, OriginError> {
        Self::parse(&format!("http://{address}"))
    }

    /// Checks that a key may be sent there; an error for plain http except to this computer, where it would
    /// be sent in clear text.
    pub fn judge_for_key(&self) -> Result<(), OriginError> {
        if self.is_tls() || self.is_loopback() {
            Ok(())
        } else {
            Err(KEY_IN_THE_CLEAR)
        }
    }

    /// Whether scheme, host and port are equal.
    ///
    /// A name and its address are two hosts: different servers may answer on them.
    pub fn has_same_origin(&self, other: &Self) -> bool {
        self.url.origin() == other.url.origin()
    }

    /// Whether the scheme is https, so that the connection is encrypted.
    pub fn is_tls(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Whether it is this computer: an address in 127.0.0.0/8, `::1`, or exactly `localhost`.
    ///
    /// Judged by the parsed host, so `127.1` is and `localhost.example.com` is not.
    pub fn is_loopback(&self) -> bool {
        match self.ip() {
            Some(IpAddr::V4(address)) => address.is_loopback(),
            Some(IpAddr::V6(address)) => address == Ipv6Addr::LOCALHOST,
            None => self.is_localhost(),
        }
    }

    /// Whether the host is exactly the name `localhost`.
    fn is_localhost(&self) -> bool {
        self.url.host_str() == Some("localhost")
    }

    /// The host as an IP address; `None` if it is a name.
    fn ip(&self) -> Option<IpAddr> {
        let host = self.url.host_str()?;
        host.trim_start_matches('[').trim_end_matches(']').parse().ok()
    }

    /// The name `localhost` with 127.0.0.1 and `::1` and the port of this address, so that no resolver
    /// decides where the key is sent; `None` for other hosts.
    pub(super) fn pinned(&self) -> Option<(&str, [SocketAddr; 2])> {
        let port = self.url.port_or_known_default().unwrap_or(80);
        self.is_localhost().then(|| {
            (
                "localhost",
                [
                    SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
                    SocketAddr::from((Ipv6Addr::LOCALHOST, port)),
                ],
            )
        })
    }

    /// The host in lower case, an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Whether the host is the public service's domain or below it, with or without a final dot: it has its
    /// own dialect, client and console.
    pub fn is_public_service(&self) -> bool {
        let host = self.host().trim_end_matches('.');
        let rest = host.strip_suffix(PUBLIC_DOMAIN);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }

    /// The host, and the port unless it is the default of the scheme, for messages.
    pub fn authority(&self) -> String {
        let host = self.host();
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// The address of `path` below this base.
    ///
    /// Segments are appended one by one, so they cannot lead elsewhere.
    pub(super) fn at(&self, path: &str) -> Url {
        // `Url::join` would drop the prefix, and `//host/path` would switch the host.
        let mut url = self.url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty();
            segments.extend(path.trim_start_matches('/').split('/'));
        }
        url
    }

    /// The full address of `path` below this base, as text.
    pub fn address(&self, path: &str) -> String {
        self.at(path).into()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.as_str().trim_end_matches('/'))
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Origin({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_judged_by_what_they_parse_to() {
        let loopback = |text: &str| Origin::parse(text).map(|origin| origin.is_loopback());
        for text in [
            "http://127.0.0.1:8080",
            "http://127.1",
            "http://0x7f000001/",
            "http://2130706433",
            "http://127.255.0.3",
            "http://[::1]:9",
            "http://localhost:3000/prefix",
            "http://LOCALHOST",
        ] {
            assert_eq!(loopback(text), Ok(true), "{text}");
        }
        for text in [
            "http://localhost.example.com",
            "http://127.0.0.1.nip.io",
            "http://0.0.0.0",
            "http://[::ffff:127.0.0.1]",
            "http://[::]",
            "http://localhost.",
            "http://10.0.0.1",
            "http://evil.example\\@127.0.0.1"
                .replace("@127.0.0.1", "/127.0.0.1")
                .as_str(),
        ] {
            assert_eq!(loopback(text), Ok(false), "{text}");
            let origin = Origin::parse(text).unwrap();
            assert_eq!(origin.judge_for_key(), Err(KEY_IN_THE_CLEAR));
        }
        assert_eq!(Origin::parse("https://h.example").unwrap().judge_for_key(), Ok(()));
    }

    #[test]
    fn what_is_not_a_base_address_is_refused() {
        for (text, why) in [
            ("", "not an address"),
            ("console.example", "not an address"),
            ("localhost:8080", "not an address"),
            ("http://", "not an address"),
            ("ftp://h.example", "only http"),
            ("file:///etc/passwd", "only http"),
            ("https://user@h.example", "user name"),
            ("https://:pw@h.example", "user name"),
            ("https://h.example?x=1", "a query"),
            ("https://h.example/?", "a query"),
            ("https://h.example/#x", "a fragment"),
        ] {
            let error = Origin::parse(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn a_typed_address_gets_the_scheme_that_it_lacks() {
        for (typed, address) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            (" localhost:8080/p ", "http://localhost:8080/p"),
            ("localhost", "http://localhost"),
            ("[::1]:9", "http://[::1]:9"),
            ("market.example", "https://market.example"),
            ("market.example:8443/api", "https://market.example:8443/api"),
            ("gpu-box:8080", "https://gpu-box:8080"),
            ("localhost.example.com:80", "https://localhost.example.com:80"),
            ("10.0.0.1:8080", "https://10.0.0.1:8080"),
            ("http://market.example", "http://market.example"),
            ("ftp://127.0.0.1", "ftp://127.0.0.1"),
            ("market", "market"),
            ("", ""),
        ] {
            assert_eq!(Origin::complete(typed), address, "{typed}");
        }
    }

    #[test]
    fn no_resolver_decides_where_localhost_is() {
        for (text, port) in [
            ("http://localhost", 80),
            ("https://LOCALHOST", 443),
            ("http://localhost:8080/p", 8080),
        ] {
            let origin = Origin::parse(text).unwrap();
            let loopback = [
                SocketAddr::from(([127, 0, 0, 1], port)),
                SocketAddr::from(([0, 0, 0, 0, 0, 0, 0, 1], port)),
            ];
            assert_eq!(origin.pinned(), Some(("localhost", loopback)), "{text}");
        }
        for text in ["http://127.0.0.1", "https://localhost.example"] {
            assert_eq!(Origin::parse(text).unwrap().pinned(), None, "{text}");
        }
    }

    #[test]
    fn an_address_is_shown_as_it_was_written() {
        let origin = Origin::parse("https://H.example:8443/p/").unwrap();
        assert_eq!(origin.to_string(), "https://h.example:8443/p");
        assert_eq!(format!("{origin:?}"), "Origin(https://h.example:8443/p)");
        assert_eq!(origin.authority(), "h.example:8443");
    }

    #[test]
    fn paths_are_appended_by_segment() {
        for (base, address) in [
            ("http://h.example", "http://h.example/api/v0/bundles/"),
            ("http://h.example/", "http://h.example/api/v0/bundles/"),
            ("http://h.example/p", "http://h.example/p/api/v0/bundles/"),
            ("http://h.example/p/", "http://h.example/p/api/v0/bundles/"),
        ] {
            let origin = Origin::parse(base).unwrap();
            assert_eq!(origin.address("/api/v0/bundles/"), address);
        }
    }
}
