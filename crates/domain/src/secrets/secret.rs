//! The text of a secret, which is never printed.

use std::sync::Arc;

/// A secret text: never printed, compared only in tests and to compare requests.
#[derive(Clone)]
pub struct Secret(Arc<secrecy::SecretString>);

impl Secret {
    /// Wraps a text that is never printed.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Arc::new(secrecy::SecretString::from(text.into())))
    }

    /// The secret itself: for the Authorization header and an explicit reveal, nothing else.
    pub fn expose(&self) -> &str {
        secrecy::ExposeSecret::expose_secret(self.0.as_ref())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}
