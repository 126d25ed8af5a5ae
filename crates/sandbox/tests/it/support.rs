//! A running sandbox and the smallest client that can talk to it, for tests.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use bourse_sandbox::market::MarketConfig;
use bourse_sandbox::{Running, Sandbox, SandboxConfig};
use serde_json::Value;

/// A sandbox with a runtime of its own.
pub struct Server {
    pub running: Running,
    _runtime: tokio::runtime::Runtime,
}

/// An answer, as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Server {
    pub fn start(config: SandboxConfig) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let running = runtime.block_on(Sandbox::start(config)).unwrap();
        Self {
            running,
            _runtime: runtime,
        }
    }

    pub fn addr(&self) -> SocketAddr {
        self.running.addr()
    }

    /// A call with the right key and a JSON body.
    pub fn call(&self, method: &str, path: &str, body: &str) -> Answer {
        let key = format!("Bearer {}", self.running.key());
        self.send(method, path, &[("Authorization", &key)], body)
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.call("POST", path, &body.to_string())
    }

    /// A call with these headers besides Host and Content-Length.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        self.try_send(method, path, headers, body).unwrap()
    }

    /// The same, when the connection may break: `None` when no whole head came.
    pub fn try_send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Option<Answer> {
        let host = self.addr().to_string();
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head += &format!("Host: {host}\r\n");
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        raw(self.addr(), head.as_bytes())
    }
}

/// The configuration of a frozen sandbox without rate limits.
pub fn frozen() -> SandboxConfig {
    SandboxConfig {
        freeze: true,
        rate_limits: false,
        keeps_ledger: true,
        market: MarketConfig::default(),
        ..SandboxConfig::default()
    }
}

fn raw(addr: SocketAddr, bytes: &[u8]) -> Option<Answer> {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    // A broken connection ends what there is to read.
    let _ = stream.read_to_end(&mut answer);
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().unwrap();
    let headers = lines
        .map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_ascii_lowercase(), value.to_owned())
        })
        .collect();
    Some(Answer {
        status,
        headers,
        body: answer[end + 4..].to_vec(),
    })
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {:?}", String::from_utf8_lossy(&self.body)))
    }

    /// The body of an answer that must be good.
    #[track_caller]
    pub fn good(&self) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status, 200, "{text}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        self.json()
    }

    /// The rows of a search that must be good.
    #[track_caller]
    pub fn offers(&self) -> Vec<Value> {
        let offers = self.good()["offers"].clone();
        offers.as_array().expect("offers is a list").clone()
    }
}
