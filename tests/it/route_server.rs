//! A routing endpoint that writes down what it is asked and when, answers many at once, and may
//! leave a request hanging.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::recorder::{Recorded, read_request};

/// What becomes of a request.
pub enum Play {
    /// It is answered with this status and body.
    Answer(u16, String),
    /// It is never answered.
    Hang,
}

/// The server. It stops listening when dropped.
pub struct RouteServer {
    addr: SocketAddr,
    seen: Arc<Mutex<Vec<(Instant, Recorded)>>>,
    open: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
}

impl RouteServer {
    /// Plays request number N (from 0) as `play` says; connections stay open.
    pub fn start(play: impl Fn(usize, &Recorded) -> Play + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            addr: listener.local_addr().unwrap(),
            seen: Arc::default(),
            open: Arc::default(),
            stop: Arc::default(),
        };
        let play = Arc::new(play);
        let (seen, open, stop) = (
            Arc::clone(&server.seen),
            Arc::clone(&server.open),
            Arc::clone(&server.stop),
        );
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let (play, seen, open) = (Arc::clone(&play), Arc::clone(&seen), Arc::clone(&open));
                std::thread::spawn(move || serve(stream, &*play, &seen, &open));
            }
        });
        server
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// The requests so far, with the moments at which they were whole.
    pub fn seen(&self) -> Vec<(Instant, Recorded)> {
        self.seen.lock().unwrap().clone()
    }

    /// How many requests are neither answered nor given up by the client.
    pub fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}

impl Drop for RouteServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.addr);
    }
}

fn serve(
    mut stream: TcpStream,
    play: &(impl Fn(usize, &Recorded) -> Play + ?Sized),
    seen: &Mutex<Vec<(Instant, Recorded)>>,
    open: &AtomicUsize,
) {
    let _ = stream.set_nodelay(true);
    while let Some(recorded) = read_request(&mut stream) {
        open.fetch_add(1, Ordering::SeqCst);
        let number = {
            let mut seen = seen.lock().unwrap();
            seen.push((Instant::now(), recorded.clone()));
            seen.len() - 1
        };
        let is_over = match play(number, &recorded) {
            Play::Answer(status, body) => {
                let head = format!(
                    "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                    body.len()
                );
                stream.write_all((head + &body).as_bytes()).is_err()
            }
            Play::Hang => {
                // Until the client hangs up.
                let _ = stream.set_read_timeout(Some(Duration::from_secs(60)));
                let _ = stream.read(&mut [0; 1]);
                true
            }
        };
        open.fetch_sub(1, Ordering::SeqCst);
        if is_over {
            return;
        }
    }
}

/// An assignment as the specification has it.
pub fn assignment(endpoint: &str, cost: &str, worker: usize, reqnum: usize) -> String {
    format!(
        r#"{{"endpoint":"{endpoint}","url":"http://w{worker}.example:80","cost":{cost},"reqnum":{reqnum},"signature":"c2ln","__request_id":"r{reqnum}"}}"#
    )
}
