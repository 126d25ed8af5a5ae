//! Connections with bounds on their number, on idle time and on request heads, and with faults.
//!
//! A connection sends what the HTTP server writes. Once its [`ConnectionHandle`] is given a
//! [`Script`], it plays the script instead of the next response.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

use super::SandboxConfig;
use super::faults::Faults;
use super::script::{Script, Step};

/// The largest head of a request, in bytes.
const MOST_HEAD: usize = 64 * 1024;
/// Connections that wait to be accepted.
const BACKLOG: u32 = 1_024;

// Longer than clients keep idle connections, so that a request rarely meets one that is being closed.
/// How long a connection may stay idle.
const IDLE: Duration = Duration::from_mins(2);

/// A request handler's access to its connection.
#[derive(Debug, Clone)]
pub struct ConnectionHandle(Arc<Mutex<Shared>>);

#[derive(Debug, Default)]
struct Shared {
    /// Whether a request is being handled, so that the client need not send anything.
    is_busy: bool,
    script: Option<Script>,
}

impl ConnectionHandle {
    pub fn head_arrived(&self) {
        self.shared().is_busy = true;
    }

    /// The response is ready to be written.
    pub fn answered(&self) {
        self.shared().is_busy = false;
    }

    /// Plays a script instead of the next response.
    pub fn play(&self, script: Script) {
        self.shared().script = Some(script);
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Accepts connections, or refuses them if that is the fault.
#[derive(Debug)]
pub struct Front {
    socket: Socket,
    addr: SocketAddr,
    faults: Arc<Faults>,
    /// How long a head may take to arrive.
    patience: Duration,
    permits: Arc<Semaphore>,
}

#[derive(Debug)]
enum Socket {
    Open(TcpListener),
    /// Bound but not listening, so that connections are refused.
    Bound(TcpSocket),
    /// The address could not be bound again.
    Lost,
}

impl Front {
    pub fn new(listener: TcpListener, faults: Arc<Faults>, config: &SandboxConfig) -> io::Result<Self> {
        Ok(Self {
            addr: listener.local_addr()?,
            socket: Socket::Open(listener),
            faults,
            patience: config.body_patience,
            permits: Arc::new(Semaphore::new(config.connections)),
        })
    }

    async fn refuse(&mut self) {
        let times = self.faults.times();
        if !matches!(self.socket, Socket::Bound(_)) {
            self.socket = Socket::Lost;
            if let Ok(socket) = bind(self.addr) {
                self.socket = Socket::Bound(socket);
            }
        }
        sleep(times.refusing).await;
    }

    async fn next(&mut self) -> TcpStream {
        loop {
            self.socket = match std::mem::replace(&mut self.socket, Socket::Lost) {
                Socket::Open(listener) => Socket::Open(listener),
                Socket::Bound(socket) => socket.listen(BACKLOG).map_or(Socket::Lost, Socket::Open),
                Socket::Lost => bind(self.addr)
                    .and_then(|socket| socket.listen(BACKLOG))
                    .map_or(Socket::Lost, Socket::Open),
            };
            match &mut self.socket {
                Socket::Open(listener) => return Listener::accept(listener).await.0,
                Socket::Bound(_) | Socket::Lost => sleep(Duration::from_millis(100)).await,
            }
        }
    }
}

fn bind(addr: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if addr.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    // Earlier connections stay in TIME_WAIT on the address for a while.
    socket.set_reuseaddr(true)?;
    socket.bind(addr)?;
    Ok(socket)
}

impl Listener for Front {
    type Io = Connection;
    type Addr = ConnectionHandle;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            // The semaphore is never closed: a connection without a permit cannot happen.
            let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
            if self.faults.refuses_connection() {
                self.refuse().await;
                continue;
            }
            let stream = self.next().await;
            // Responses are written in one piece, so waiting for more would only delay them. The option
            // is not essential.
            let _ = stream.set_nodelay(true);
            let handle = ConnectionHandle(Arc::default());
            let connection = Connection::new(stream, handle.clone(), permit, self.patience);
            return (connection, handle);
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        Ok(ConnectionHandle(Arc::default()))
    }
}

impl Connected<IncomingStream<'_, Front>> for ConnectionHandle {
    fn connect_info(stream: IncomingStream<'_, Front>) -> Self {
        stream.remote_addr().clone()
    }
}

/// A connection with read deadlines that can play scripts.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    handle: ConnectionHandle,
    _permit: Option<OwnedSemaphorePermit>,
    /// How long a head may take to arrive, from its first byte.
    patience: Duration,
    /// For the next request, or for the rest of its head.
    deadline: Pin<Box<Sleep>>,
    /// Bytes received of an incomplete head.
    head: usize,
    playing: Option<Script>,
    pause: Option<Pin<Box<Sleep>>>,
}

impl Connection {
    fn new(
        stream: TcpStream,
        handle: ConnectionHandle,
        permit: Option<OwnedSemaphorePermit>,
        patience: Duration,
    ) -> Self {
        Self {
            stream,
            handle,
            _permit: permit,
            patience,
            deadline: Box::pin(sleep(IDLE)),
            head: 0,
            playing: None,
            pause: None,
        }
    }

    /// Plays the rest of the script. An error ends the connection.
    fn poll_play(&mut self, context: &mut Context<'_>, script: &mut Script) -> Poll<io::Result<()>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(context));
                self.pause = None;
            }
            let stream = Pin::new(&mut self.stream);
            match script.0.front_mut() {
                None => return Poll::Ready(Ok(())),
                Some(Step::Send(bytes) | Step::Dribble(bytes, _)) if bytes.is_empty() => {
                    script.0.pop_front();
                }
                Some(Step::Send(bytes)) => {
                    let written = ready!(stream.poll_write(context, bytes))?;
                    let _ = bytes.split_to(written);
                }
                Some(Step::Dribble(bytes, gap)) => {
                    let written = ready!(stream.poll_write(context, &bytes[..1]))?;
                    let _ = bytes.split_to(written);
                    // The timer's shortest sleep is a millisecond.
                    self.pause = (!gap.is_zero()).then(|| Box::pin(sleep(*gap)));
                }
                Some(Step::Pause(span)) => {
                    self.pause = Some(Box::pin(sleep(*span)));
                    script.0.pop_front();
                }
                Some(Step::Close) => {
                    ready!(stream.poll_shutdown(context))?;
                    return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
                }
                Some(Step::Reset) => {
                    // If this fails, the connection is closed without a reset.
                    let _ = self.stream.set_zero_linger();
                    return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
                }
            }
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.handle.shared().is_busy {
            return Pin::new(&mut self.stream).poll_read(context, buffer);
        }
        if self.head > MOST_HEAD || self.deadline.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if self.head == 0 {
            self.deadline = Box::pin(sleep(self.patience));
        }
        self.head += buffer.filled().len() - before;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let (next, is_busy) = {
            let mut shared = self.handle.shared();
            (shared.script.take(), shared.is_busy)
        };
        // While busy, only an interim "100 Continue" is written.
        if !is_busy {
            self.head = 0;
            self.deadline = Box::pin(sleep(IDLE));
        }
        if let Some(mut script) = self.playing.take().or(next) {
            let played = self.poll_play(context, &mut script);
            if played.is_pending() {
                self.playing = Some(script);
            }
            ready!(played)?;
            // The script replaces the server's own response.
            return Poll::Ready(Ok(bytes.len()));
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
