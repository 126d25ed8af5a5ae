//! Signatures of route replies: RSA PKCS#1 v1.5 over SHA-256, in base64, as workers verify them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RsaKeyPair, UnparsedPublicKey};

// The sandbox's private key: it is public on purpose and guards nothing.
const PRIVATE_KEY: &str = include_str!("../../assets/route-signing-key.pem");

/// The public key of the signing key, PEM.
pub const PUBLIC_KEY: &str = include_str!("../../assets/route-signing-key.pub.pem");

/// The error for an invalid embedded key: a broken build, since it is part of the program.
#[derive(Debug, thiserror::Error)]
#[error("the sandbox's signing key cannot be used: {0}")]
pub struct SignatureError(String);

/// Signs the addresses of workers.
#[derive(Debug)]
pub struct Signer {
    key: RsaKeyPair,
    random: SystemRandom,
}

impl Signer {
    /// Loads the embedded key.
    ///
    /// # Errors
    /// If the embedded key is invalid.
    pub fn new() -> Result<Self, SignatureError> {
        let der = STANDARD
            .decode(pem_body(PRIVATE_KEY))
            .map_err(|error| SignatureError(error.to_string()))?;
        let key = RsaKeyPair::from_pkcs8(&der).map_err(|error| SignatureError(error.to_string()))?;
        Ok(Self {
            key,
            random: SystemRandom::new(),
        })
    }

    /// The signature of a worker's address, as base64.
    pub fn sign(&self, url: &str) -> Result<String, SignatureError> {
        let mut signature = vec![0; self.key.public().modulus_len()];
        let text = signed_text(url);
        self.key
            .sign(&RSA_PKCS1_SHA256, &self.random, text.as_bytes(), &mut signature)
            .map_err(|error| SignatureError(error.to_string()))?;
        Ok(STANDARD.encode(signature))
    }

    /// Whether `signature` is a valid signature of the address, as a worker verifies it.
    pub fn verifies(&self, url: &str, signature: &str) -> bool {
        let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, self.key.public_key());
        STANDARD
            .decode(signature)
            .is_ok_and(|signature| key.verify(signed_text(url).as_bytes(), &signature).is_ok())
    }
}

/// The signed text: the address as an indented JSON object.
fn signed_text(url: &str) -> String {
    format!("{{\n    \"url\": \"{url}\"\n}}")
}

/// The base64 between the first and last lines of a PEM block.
fn pem_body(pem: &str) -> String {
    pem.lines()
        .skip_while(|line| !line.starts_with("-----BEGIN"))
        .skip(1)
        .take_while(|line| !line.starts_with("-----END"))
        .collect()
}
