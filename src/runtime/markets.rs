//! Carries out market commands off the event loop: list, change, test and connect.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::dashboard::Calls;
use super::start::{self, Files};
use crate::api::{Operation, Origin, Reply, Request};
use crate::core::Message;
use crate::core::message::{EffectError, News};
use crate::domain::evidence::Findings;
use crate::domain::text::{message, visible};
use crate::domain::{Resource, language};
use crate::features::markets::command::{ProfileResolver, profile_of};
use crate::features::markets::probe::probe;
use crate::features::markets::{ConnectionTest, MarketCommand, MarketEvent, MarketReady, NewMarket, ProbeError};
use crate::settings::{Error, Settings};
use crate::table::remote::Ticket;

/// The connection, settings and saved data that the event loop needs to switch to a market.
pub(super) struct Ready {
    pub calls: Arc<dyn Calls>,
    pub files: Files,
}

/// Connected markets that wait to be activated, by ticket.
#[derive(Clone, Default)]
pub(super) struct PendingConnections(Arc<Mutex<HashMap<Ticket, Ready>>>);

impl PendingConnections {
    /// Removes and returns the market connected under that ticket; `None` if there is none.
    pub fn take(&self, ticket: Ticket) -> Option<Ready> {
        self.with(|ready| ready.remove(&ticket))
    }

    /// Stores a connected market until it is activated.
    fn put(&self, ticket: Ticket, ready: Ready) {
        self.with(|all| drop(all.insert(ticket, ready)));
    }

    /// Runs `act` on the locked map.
    fn with<T>(&self, act: impl FnOnce(&mut HashMap<Ticket, Ready>) -> T) -> T {
        // The map is consistent after every statement, so a poisoned lock is harmless.
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[derive(Clone)]
pub(super) struct MarketTasks {
    pub known: Arc<ProfileResolver>,
    pub pending: PendingConnections,
    pub outbox: UnboundedSender<Message>,
}

impl MarketTasks {
    /// Lists, changes, connects, probes or tests markets off the event loop, as `command` asks; the result
    /// arrives as news of the ticket, or never if the task panicked.
    ///
    /// Connecting waits until `written` resolves, so that pending writes finish before anything is read.
    pub fn run(self, ticket: Ticket, command: MarketCommand, written: Option<oneshot::Receiver<()>>) {
        tokio::spawn(async move {
            let outbox = self.outbox.clone();
            let news = match command {
                MarketCommand::List => blocking(move || MarketEvent::Listed(self.known.market_list())).await,
                MarketCommand::Change(change) => {
                    blocking(move || MarketEvent::Changed {
                        result: self
                            .known
                            .change(change)
                            .map_err(|error| EffectError::new(for_screen(&error.to_string()))),
                        market_list: self.known.market_list(),
                    })
                    .await
                }
                MarketCommand::Connect(name) => {
                    if let Some(written) = written {
                        // If it is gone, nothing is being written.
                        let _ = written.await;
                    }
                    Some(
                        self.connect(ticket, name)
                            .await
                            .unwrap_or_else(|error| MarketEvent::ConnectFailed(for_screen(&error.to_string()))),
                    )
                }
                MarketCommand::Probe(market) => Some(MarketEvent::Probed(self.probe(market).await)),
                MarketCommand::Test(name) => {
                    let outcome = self.test(name).await;
                    let outcome =
                        outcome.unwrap_or_else(|error| ConnectionTest::NotSent(for_screen(&error.to_string())));
                    Some(MarketEvent::Tested(outcome))
                }
            };
            if let Some(news) = news {
                let news = News::Market(Box::new(news));
                let _ = outbox.send(Message::News { ticket, news });
            }
        });
    }

    /// Resolves the settings of the market with this name; an error if there is no such market or they are
    /// invalid. Reads its key, which may run a command.
    async fn settings(&self, name: String) -> Result<Settings, Error> {
        let known = Arc::clone(&self.known);
        blocking(move || known.settings(&name))
            .await
            .unwrap_or_else(|| Err(lost_error()))
    }

    /// Connects a market without sending anything to it, and stores it under the ticket to be activated.
    async fn connect(&self, ticket: Ticket, name: String) -> Result<MarketEvent, Error> {
        let mut settings = self.settings(name).await?;
        // They are about the start of the program, and were shown then.
        settings.notices.clear();
        let connection = settings.connect().await?;
        let profile = profile_of(&settings, &connection.session);
        let notes = start::sandbox_notes(&settings, &connection);
        let known = Arc::clone(&self.known);
        let opened = blocking(move || {
            let (files, restored) = start::open(&settings, &profile);
            (files, restored, profile, known.market_list())
        });
        let (files, mut restored, profile, market_list) = opened.await.ok_or_else(lost_error)?;
        restored.sandbox = notes;
        let ready = Ready {
            calls: Arc::new(connection.session),
            files: Files {
                sandbox: connection.sandbox,
                ..files
            },
        };
        self.pending.put(ticket, ready);
        Ok(MarketEvent::Ready(Box::new(MarketReady {
            ticket,
            profile,
            restored,
            market_list,
        })))
    }

    /// Detects the dialect of a market that is not saved yet, by read-only requests, which are added to the
    /// ledger. The error is `Key` if the key cannot be read or is refused, another one for all other
    /// failures.
    async fn probe(&self, market: NewMarket) -> Result<Findings, ProbeError> {
        let address = Origin::parse(&market.base_url).map_err(EffectError::new)?;
        let known = Arc::clone(&self.known);
        let key = blocking(move || known.new_key(&market.key)).await;
        let read = key.ok_or_else(|| EffectError::new(lost_error()))?;
        let key = read.map_err(|error| ProbeError::Key(for_screen(&error.to_string())))?;
        let record = |entry| {
            let _ = self.outbox.send(Message::Recorded { ticket: None, entry });
        };
        let found = probe(&address, key.as_ref(), record).await;
        found.map_err(|error| {
            let text = for_screen(&error.to_string());
            if error.is_auth() {
                ProbeError::Key(text)
            } else {
                EffectError::new(text).into()
            }
        })
    }

    /// Sends the market one read-only request, once: its workergroups, or one offer if it has no key. Returns
    /// the number of rows or the request's error, and adds the request to the ledger; an `Err` if nothing was
    /// sent.
    async fn test(&self, name: String) -> Result<ConnectionTest, Error> {
        let settings = self.settings(name).await?;
        let connection = settings.connect().await?;
        let client = connection.session.client();
        let request = if client.config().key.is_some() {
            Request::ListWorkergroups
        } else {
            let mut query = language::default_query(Resource::Offers, settings.dialect);
            query.limit = Some(1);
            Request::Search(query)
        };
        let outcome = client.call(&request).await;
        let _ = self.outbox.send(Message::Recorded {
            ticket: None,
            entry: Box::new(outcome.record),
        });
        Ok(match outcome.result {
            Ok(Reply::Records(listing)) if request.operation() == Operation::ListWorkergroups => {
                ConnectionTest::Groups(listing.len())
            }
            Ok(Reply::Records(listing)) => ConnectionTest::Offers(listing.len()),
            Ok(_) => ConnectionTest::NotSent("response for a superseded request".to_owned()),
            Err(error) => ConnectionTest::Failed(error),
        })
    }
}

/// Runs blocking work off the event loop; `None` if it panicked.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

/// The error of a task that panicked.
fn lost_error() -> Error {
    Error::Failed("bourse failed to connect".to_owned())
}

/// An error's text for the screen, escaped and cut at 400 characters.
fn for_screen(why: &str) -> String {
    visible(&message(why), 400)
}
