//! The workers of the endpoints, as HTTPS servers on loopback.
//!
//! A worker has an address once a request is assigned to it: a sandbox whose workers are never called makes no
//! certificate and listens on no port for them. The [fleet](super::fleet) decides whether a worker is ready and how
//! fast it works; a stopped one closes its port.

mod model;
mod queue;
mod request;
mod server;
mod tls;
mod work;

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, TcpListener as StdListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::connection::Front;
use super::state::State;
use queue::Queue;
use server::Server;
use tls::Authority;

/// The servers of the workers. Dropping it ends them.
#[derive(Debug)]
pub struct Workers {
    authority: Mutex<Option<Authority>>,
    servers: Mutex<Servers>,
    stop: watch::Sender<bool>,
}

#[derive(Debug)]
struct Servers {
    /// The addresses of the workers, by the address of the machine.
    addresses: HashMap<String, Address>,
    /// The tasks of the servers; `None` once the sandbox stops.
    tasks: Option<JoinSet<()>>,
}

#[derive(Debug)]
struct Address {
    port: u16,
    /// Whether its server accepts connections.
    is_open: Arc<AtomicBool>,
}

impl Workers {
    /// A set without listening workers.
    pub fn new() -> Self {
        Self {
            authority: Mutex::default(),
            servers: Mutex::new(Servers {
                addresses: HashMap::new(),
                tasks: Some(JoinSet::new()),
            }),
            stop: watch::Sender::new(false),
        }
    }

    /// The root certificate that signs those of the workers, PEM.
    ///
    /// It is created on the first call, and kept in memory only.
    pub fn root(&self) -> io::Result<String> {
        Ok(self.authority()?.root)
    }

    /// The address of the worker of a machine, which then listens: on the port in the machine's address, or
    /// on a free one. The address stays the same while that port is free. Must be called on the sandbox's
    /// runtime.
    pub fn open(&self, state: &Arc<State>, machine: &str) -> io::Result<String> {
        let tls = self.authority()?.acceptor;
        let mut servers = self.servers();
        let known = servers.addresses.get(machine);
        if let Some(address) = known.filter(|address| address.is_open.load(Ordering::Acquire)) {
            return Ok(url(address.port));
        }
        let wanted = known.map_or_else(|| port_of(machine), |address| Some(address.port));
        let running = servers.tasks.as_mut();
        let tasks = running.ok_or_else(|| io::Error::other("the sandbox stops"))?;
        let listener = listen(wanted.unwrap_or(0))?;
        let port = listener.local_addr()?.port();
        let is_open = Arc::new(AtomicBool::new(true));
        let server = Server {
            state: Arc::downgrade(state),
            machine: machine.to_owned(),
            url: url(port),
            tls,
            queue: Arc::new(Queue::new()),
            is_open: Arc::clone(&is_open),
        };
        tasks.spawn(server::serve(Arc::new(server), Front(listener), self.stop.subscribe()));
        while tasks.try_join_next().is_some() {}
        servers.addresses.insert(machine.to_owned(), Address { port, is_open });
        Ok(url(port))
    }

    /// The addresses of workers opened so far, each with that of its machine, in no order.
    pub fn addresses(&self) -> Vec<(String, String)> {
        let servers = self.servers();
        let addresses = servers.addresses.iter();
        addresses
            .map(|(machine, address)| (url(address.port), machine.clone()))
            .collect()
    }

    /// Closes all ports, and waits until the requests in flight are answered. Dropping the future ends them.
    pub async fn stop(&self) {
        let tasks = self.servers().tasks.take();
        self.stop.send_replace(true);
        if let Some(mut tasks) = tasks {
            while tasks.join_next().await.is_some() {}
        }
    }

    /// Ends all servers at once.
    pub fn end(&self) {
        drop(self.servers().tasks.take());
    }

    /// The root and certificate of the workers, which are created on the first call.
    fn authority(&self) -> io::Result<Authority> {
        let mut authority = self.authority.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*authority {
            return Ok(made.clone());
        }
        let made = Authority::new().map_err(io::Error::other)?;
        Ok(authority.insert(made).clone())
    }

    /// Locks the addresses and tasks of the servers.
    fn servers(&self) -> MutexGuard<'_, Servers> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The address of the worker that listens on a port.
fn url(port: u16) -> String {
    format!("https://{}:{port}", Ipv4Addr::LOCALHOST)
}

/// The port in the address of a machine; `None` if it has none.
fn port_of(machine: &str) -> Option<u16> {
    machine.rsplit(':').next()?.parse().ok()
}

/// Listens on a loopback port, or on a free one if that cannot be used, as while another program has it.
fn listen(wanted: u16) -> io::Result<TcpListener> {
    let listener =
        StdListener::bind((Ipv4Addr::LOCALHOST, wanted)).or_else(|_| StdListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}
