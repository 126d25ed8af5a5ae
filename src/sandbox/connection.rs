//! Connections that can be cut in the middle of a response, as happens with real ones.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// How many more bytes a connection sends before it breaks.
#[derive(Debug, Clone)]
pub struct Cut(Arc<AtomicUsize>);

impl Cut {
    /// Sends `bytes` more, then breaks the connection.
    pub fn after(&self, bytes: usize) {
        self.0.store(bytes, Ordering::Release);
    }
}

/// A listener whose connections can be cut.
#[derive(Debug)]
pub struct CuttableListener(pub TcpListener);

impl Listener for CuttableListener {
    type Io = CuttableStream;
    type Addr = Cut;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, _) = Listener::accept(&mut self.0).await;
        // Responses are written in one piece: waiting for more to send would only delay them.
        // Without the option it works all the same.
        let _ = stream.set_nodelay(true);
        let cut = Cut(Arc::new(AtomicUsize::new(usize::MAX)));
        (CuttableStream(stream, cut.clone()), cut)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        TcpListener::local_addr(&self.0).map(|_: SocketAddr| Cut(Arc::default()))
    }
}

impl Connected<IncomingStream<'_, CuttableListener>> for Cut {
    fn connect_info(stream: IncomingStream<'_, CuttableListener>) -> Self {
        stream.remote_addr().clone()
    }
}

/// A connection that can be cut.
#[derive(Debug)]
pub struct CuttableStream(TcpStream, Cut);

impl AsyncRead for CuttableStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for CuttableStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let left = self.1.0.load(Ordering::Acquire);
        if left == usize::MAX {
            return Pin::new(&mut self.0).poll_write(context, bytes);
        }
        if left == 0 {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        let written = Pin::new(&mut self.0).poll_write(context, &bytes[..bytes.len().min(left)]);
        if let Poll::Ready(Ok(count)) = written {
            self.1.after(left - count);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
