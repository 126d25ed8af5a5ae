//! Connections with faults: a connection sends the output of the HTTP server. Once its [`ConnectionHandle`] has
//! received a [`Script`], it plays the script instead of the next response.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Sleep, sleep};

use super::script::{Script, Step};

/// The access of a request handler to its connection.
#[derive(Debug, Clone, Default)]
pub struct ConnectionHandle(Arc<Mutex<Option<Script>>>);

impl ConnectionHandle {
    /// Plays a script in place of the next response on this connection; it replaces one that was set before.
    pub fn play(&self, script: Script) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(script);
    }

    /// Takes the script to play; `None` if there is none.
    fn take(&self) -> Option<Script> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A listener whose connections can play scripts.
#[derive(Debug)]
pub struct Front(pub TcpListener);

impl Listener for Front {
    type Io = Connection;
    type Addr = ConnectionHandle;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, _) = Listener::accept(&mut self.0).await;
        // Responses are written in one piece, so waiting for more would only delay them. The option
        // is not essential.
        let _ = stream.set_nodelay(true);
        let handle = ConnectionHandle::default();
        let connection = Connection {
            stream,
            handle: handle.clone(),
            playing: None,
            pause: None,
        };
        (connection, handle)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        Ok(ConnectionHandle::default())
    }
}

impl Connected<IncomingStream<'_, Front>> for ConnectionHandle {
    fn connect_info(stream: IncomingStream<'_, Front>) -> Self {
        stream.remote_addr().clone()
    }
}

/// A connection that can play scripts.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    handle: ConnectionHandle,
    playing: Option<Script>,
    pause: Option<Pin<Box<Sleep>>>,
}

impl Connection {
    /// Plays the rest of the script, which is ready when it is over. An error, as of the steps that close or
    /// reset, ends the connection.
    fn poll_play(&mut self, context: &mut Context<'_>, script: &mut Script) -> Poll<io::Result<()>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(context));
                self.pause = None;
            }
            let stream = Pin::new(&mut self.stream);
            match script.front_mut() {
                None => return Poll::Ready(Ok(())),
                Some(Step::Send(bytes) | Step::Dribble(bytes, _)) if bytes.is_empty() => {
                    script.pop_front();
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
                    script.pop_front();
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
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if let Some(mut script) = self.playing.take().or_else(|| self.handle.take()) {
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
