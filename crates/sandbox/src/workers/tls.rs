//! The certificates of the workers.

use std::fmt;
use std::net::Ipv4Addr;
use std::sync::Arc;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::PrivatePkcs8KeyDer;
use tokio_rustls::TlsAcceptor;

/// Days until the certificates expire: some clients reject longer lifetimes.
const LIFETIME: i64 = 397;

/// The reason a certificate could not be created.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// It could not be signed.
    #[error("the workers' certificate cannot be signed: {0}")]
    Unsigned(#[from] rcgen::Error),
    /// The TLS server rejects it.
    #[error("the workers' certificate cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

/// The root of the workers' certificates, and the one certificate that all of them present.
#[derive(Clone)]
pub struct Authority {
    /// The root certificate, as PEM text.
    pub root: String,
    /// Accepts connections with the workers' certificate.
    pub acceptor: TlsAcceptor,
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authority(…)")
    }
}

impl Authority {
    /// Generates new keys and certificates, which takes some milliseconds.
    ///
    /// The keys are of elliptic curves: RSA keys, as the market has, take much longer to generate.
    ///
    /// # Errors
    /// If the system provides no random numbers.
    pub fn new() -> Result<Self, CertificateError> {
        let mut root = params("bourse sandbox root", Vec::new())?;
        root.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        root.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate()?;
        let pem = root.self_signed(&key)?.pem();
        let issuer = Issuer::new(root, key);

        let names = vec![Ipv4Addr::LOCALHOST.to_string(), "localhost".to_owned()];
        let mut leaf = params("bourse sandbox worker", names)?;
        leaf.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        leaf.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate()?;
        let certificate = leaf.signed_by(&key, &issuer)?.der().clone();

        let key = PrivatePkcs8KeyDer::from(key.serialize_der());
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key.into())?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            root: pem,
            acceptor: TlsAcceptor::from(Arc::new(config)),
        })
    }
}

/// The parameters of a certificate with this common name and alternative names, valid from yesterday on.
fn params(name: &str, alternatives: Vec<String>) -> Result<CertificateParams, rcgen::Error> {
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let start = |date: Date| {
        rcgen::date_time_ymd(
            date.year().into(),
            date.month().unsigned_abs(),
            date.day().unsigned_abs(),
        )
    };
    let mut params = CertificateParams::new(alternatives)?;
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = start(today.saturating_sub(1.day()));
    params.not_after = start(today.saturating_add(LIFETIME.days()));
    Ok(params)
}
