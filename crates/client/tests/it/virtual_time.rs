//! Real sockets and a clock that jumps over waits: exchanges run in real time, silences and pauses
//! pass at once.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use bourse_client::{Client, Progress};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::client_of;

/// Runs something in a runtime whose clock jumps over waits.
pub fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, future)
}

/// The clock of the runtime: it jumps while nothing is on its way.
#[derive(Clone, Default)]
pub struct Clock(Rc<Cell<bool>>);

impl Clock {
    /// From now on every wait passes at once.
    pub fn jump(&self) {
        if !self.0.replace(true) {
            tokio::time::pause();
        }
    }

    /// From now on time passes as it does: bytes are on their way.
    pub fn run(&self) {
        if self.0.replace(false) {
            tokio::time::resume();
        }
    }

    /// Follows a call: its waits pass at once, its exchanges do not.
    pub fn follow(&self, progress: &Progress) {
        match progress {
            Progress::Waiting { .. } | Progress::Tried(_) => self.jump(),
            Progress::Sent { .. } | Progress::Received(_) => self.run(),
        }
    }
}

pub fn client(url: &str) -> Client {
    client_of(url, Some("canary-key-93ab"))
}

/// Starts a server in this runtime and returns its address. `answer` returns the pieces of the response to a path,
/// each with the seconds of silence before it.
pub async fn server<A>(answer: A) -> String
where
    A: FnMut(&str) -> Vec<(u64, Vec<u8>)> + 'static,
{
    let address = server_at(([127, 0, 0, 1], 0).into(), answer).await;
    format!("http://{address}")
}

/// The same at an address.
pub async fn server_at<A>(address: SocketAddr, answer: A) -> SocketAddr
where
    A: FnMut(&str) -> Vec<(u64, Vec<u8>)> + 'static,
{
    let listener = TcpListener::bind(address).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::task::spawn_local(async move {
        let mut answer = answer;
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let Some(path) = path_of_request(&mut stream).await else {
                continue;
            };
            let pieces = answer(&path);
            tokio::task::spawn_local(speak(stream, pieces));
        }
    });
    address
}

async fn speak(mut stream: TcpStream, pieces: Vec<(u64, Vec<u8>)>) {
    for (silence, piece) in pieces {
        if silence > 0 {
            tokio::time::pause();
            tokio::time::sleep(Duration::from_secs(silence)).await;
            tokio::time::resume();
        }
        if stream.write_all(&piece).await.is_err() {
            return;
        }
    }
}

/// Reads a whole request.
async fn path_of_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let count = stream.read(&mut chunk).await.ok()?;
        bytes.extend_from_slice(&chunk[..count]);
        let text = String::from_utf8_lossy(&bytes);
        let length = text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            let is_it = name.eq_ignore_ascii_case("content-length");
            is_it.then(|| value.trim().parse::<usize>().unwrap())
        });
        let body = text.split_once("\r\n\r\n").map(|(_, body)| body.len());
        if body.is_some_and(|body| body >= length.unwrap_or(0)) {
            return Some(text.split(' ').nth(1)?.to_owned());
        }
        if count == 0 {
            return None;
        }
    }
}
