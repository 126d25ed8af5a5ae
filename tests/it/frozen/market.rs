//! The market behind a script: the frozen sandbox, or what the script says, behind a server that
//! passes every request on to the runner as it came.

use std::collections::HashMap;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, JoinHandle};

use bourse::api::wire::OFFERS_PATH;
use bourse::api::{Client, ClientConfig, Origin, Pacer, Secret, Session};
use bourse::domain::Dialect;
use bourse::sandbox::SandboxConfig;
use bourse::sandbox::market::MarketConfig;

use super::script::How;
use crate::recorder::{Recorded, read_request};
use crate::support::{Server, frozen};

/// Few enough offers for a quick test, and enough for every GPU model and several machines of one.
const OFFERS: usize = 60;

/// The key of every frozen sandbox.
pub const KEY: &str = "frozen-sandbox-key";

/// A request that waits for its reply.
pub type Asked = (Recorded, TcpStream);

/// What the sandbox replied to searches for offers, by their bodies: it stands still, and no write
/// changes its offers.
static OFFERS_FOUND: Mutex<Option<Found>> = Mutex::new(None);

type Found = HashMap<Vec<u8>, (u16, Vec<u8>)>;

pub struct Market {
    sandbox: OnceLock<Server>,
    /// The workers' addresses so far.
    workers: Mutex<Vec<String>>,
    address: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Market {
    /// A market that passes the requests on to `arrived`.
    pub fn open(arrived: impl Fn(Asked) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(mut stream) = stream else { continue };
                if let Some(recorded) = read_request(&mut stream) {
                    arrived((recorded, stream));
                }
            }
        });
        Self {
            sandbox: OnceLock::new(),
            workers: Mutex::default(),
            address,
            stop,
            thread: Some(thread),
        }
    }

    /// The sandbox, started on first use: on a thread of its own, since this one drives a runtime.
    pub fn sandbox(&self) -> &Server {
        let config = || SandboxConfig {
            api_key: Some(bourse::sandbox::Token::new(KEY)),
            market: MarketConfig {
                offers: OFFERS,
                ..MarketConfig::default()
            },
            ..frozen()
        };
        self.sandbox.get_or_init(|| {
            let starting = thread::spawn(move || Server::start(config()));
            starting.join().unwrap()
        })
    }

    pub fn session(&self, dialect: &'static Dialect) -> Session {
        let origin = Origin::parse(&self.address).unwrap();
        let client = Client::new(ClientConfig {
            sends_route_key: true,
            management: origin.clone(),
            route: origin,
            dialect,
            key: Some(Secret::new(KEY)),
        });
        Session::new(client.unwrap(), Pacer::default())
    }

    /// A text with this server's address replaced: it has another port in every run.
    pub fn named(&self, text: &str, name: &str) -> String {
        let host = self.address.trim_start_matches("http://");
        text.replace(&self.address, name).replace(host, name)
    }

    /// Carries out a request as the script has it, and replies; returns the reply's body and what the
    /// log says of it.
    pub fn reply(&self, (request, mut stream): Asked, how: &How) -> (Vec<u8>, String) {
        let (status, headers, mut body) = match how {
            How::Lost => return (Vec::new(), "<< nothing: the connection ends".to_owned()),
            How::Written(status, headers, body) => (*status, headers.as_slice(), body.clone().into_bytes()),
            How::Sandbox | How::Cut | How::DoneButLost => self.ask_sandbox(&request),
        };
        let mut said = format!("<< {status}, {} bytes", body.len());
        match how {
            How::DoneButLost => return (Vec::new(), format!("<< nothing, but done: {status}")),
            How::Cut => {
                said += " of the sandbox, cut in half";
            }
            How::Sandbox => said += " of the sandbox",
            How::Written(..) | How::Lost => {}
        }
        let mut head = format!(
            "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        if matches!(how, How::Cut) {
            body.truncate(body.len() / 2);
        }
        let bytes = [head.as_bytes(), b"\r\n", &body].concat();
        // The client reads on this thread: a long body would wait for it.
        thread::spawn(move || {
            let _ = stream.write_all(&bytes);
        });
        (body, said)
    }

    fn ask_sandbox(&self, request: &Recorded) -> (u16, &'static [(String, String)], Vec<u8>) {
        let has_key = request.header("authorization") == Some(&format!("Bearer {KEY}"));
        let is_search = has_key && request.path == OFFERS_PATH;
        let known = OFFERS_FOUND.lock().unwrap();
        let found = known.as_ref().and_then(|known| known.get(&request.body));
        if let Some((status, body)) = found.filter(|_| is_search) {
            return (*status, &[], body.clone());
        }
        drop(known);
        let headers: Vec<(&str, &str)> = request
            .headers
            .iter()
            .filter(|(name, _)| name == "authorization" || name == "content-type")
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let body = String::from_utf8_lossy(&request.body);
        let server = self.sandbox();
        let answer = server.send(&request.method, &request.path, &headers, &body);
        if is_search {
            let mut known = OFFERS_FOUND.lock().unwrap();
            let found = (answer.status, answer.body.clone());
            known.get_or_insert_default().insert(request.body.clone(), found);
        }
        (answer.status, &[], self.with_same_workers(answer.body))
    }

    /// A reply with the addresses of workers replaced, in their order, and so the signatures of them: their ports
    /// are those that are free.
    fn with_same_workers(&self, body: Vec<u8>) -> Vec<u8> {
        let reply: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let (Some(url), Some(signature)) = (reply["url"].as_str(), reply["signature"].as_str()) else {
            return body;
        };
        let mut workers = self.workers.lock().unwrap();
        let index = workers.iter().position(|worker| worker == url).unwrap_or_else(|| {
            workers.push(url.to_owned());
            workers.len() - 1
        });
        let text = String::from_utf8(body).unwrap();
        let text = text.replace(url, &format!("https://127.0.0.1:{}", 41_001 + index));
        text.replace(signature, &format!("{:A<342}==", "frozen")).into_bytes()
    }
}

impl Drop for Market {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address.trim_start_matches("http://"));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
