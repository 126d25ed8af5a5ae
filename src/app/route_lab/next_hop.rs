//! What the assigned worker is to be sent: written here, sent by the person.

use crate::api::{curl, redact};
use crate::domain::Untrusted;
use crate::domain::routing::{PayloadError, next_hop_body};
use crate::widgets::text_input::TextInput;

/// The longest address of a worker that a command is written for.
const LONGEST_URL: usize = 2000;

/// The payload where none is typed.
pub const NO_PAYLOAD: &str = "{}";

/// The person's part of the request: where at the worker, and what.
#[derive(Debug)]
pub struct NextHop {
    /// The path at the worker.
    pub path: TextInput,
    /// The payload as JSON; nothing typed is [`NO_PAYLOAD`].
    pub payload: TextInput,
    /// Whether the path takes what is typed, else the payload.
    pub on_path: bool,
}

impl Default for NextHop {
    fn default() -> Self {
        Self {
            path: TextInput::new("/"),
            payload: TextInput::default(),
            on_path: false,
        }
    }
}

/// Why there is no command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unwritten {
    /// The payload is no JSON.
    Payload(PayloadError),
    /// The address that came is not plainly one of the web.
    Address,
}

impl std::fmt::Display for Unwritten {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Payload(error) => write!(f, "payload, {error}"),
            Self::Address => f.write_str(
                "the worker's address with the path is no plain http or https address: not copied",
            ),
        }
    }
}

impl NextHop {
    /// The line that takes what is typed.
    pub(super) const fn input_mut(&mut self) -> &mut TextInput {
        if self.on_path {
            &mut self.path
        } else {
            &mut self.payload
        }
    }

    /// The request as one shell command. `reply` is the assignment whole, as JSON text.
    pub fn command(&self, worker: &Untrusted, reply: &Untrusted) -> Result<String, Unwritten> {
        let body = self.body(reply)?;
        let path = self.path.text().trim();
        let url = format!(
            "{}/{}",
            worker.compared().trim_end_matches('/'),
            path.trim_start_matches('/')
        );
        if url.len() > LONGEST_URL {
            return Err(Unwritten::Address);
        }
        curl::without_key(&url, &body).ok_or(Unwritten::Address)
    }

    /// The body alone.
    pub fn body(&self, reply: &Untrusted) -> Result<String, Unwritten> {
        let reply = redact::api_keys(reply.compared());
        let typed = self.payload.text();
        let payload = if typed.trim().is_empty() {
            NO_PAYLOAD
        } else {
            typed
        };
        next_hop_body(&reply, payload).map_err(Unwritten::Payload)
    }
}
