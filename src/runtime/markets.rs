//! Market commands, carried out beside the loop: listing and changing them, testing one, and
//! making one ready to be spoken to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::dashboard::Calls;
use super::start::{self, Files};
use crate::api::{Operation, Reply, Request};
use crate::app::Message;
use crate::app::markets::{ConnectionTest, MarketCommand, MarketEvent, MarketReady};
use crate::app::remote::Ticket;
use crate::cli::{CliError, ProfileResolver, Settings};
use crate::domain::text::{message, visible};
use crate::domain::{Resource, language};

/// All that the loop needs to speak for a market.
pub(super) struct Ready {
    /// Who carries its requests out.
    pub calls: Arc<dyn Calls>,
    /// What is kept of it.
    pub files: Files,
}

/// Markets that are ready and wait to be taken, by the number under which they were asked for.
#[derive(Clone, Default)]
pub(super) struct PendingConnections(Arc<Mutex<HashMap<Ticket, Ready>>>);

impl PendingConnections {
    /// Takes the market of that number.
    pub fn take(&self, ticket: Ticket) -> Option<Ready> {
        self.with(|ready| ready.remove(&ticket))
    }

    fn put(&self, ticket: Ticket, ready: Ready) {
        self.with(|all| drop(all.insert(ticket, ready)));
    }

    fn with<T>(&self, act: impl FnOnce(&mut HashMap<Ticket, Ready>) -> T) -> T {
        // A map is whole after every statement: a panic elsewhere spoils nothing.
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[derive(Clone)]
pub(super) struct MarketTasks {
    pub known: Arc<ProfileResolver>,
    /// Where those go that are ready.
    pub pending: PendingConnections,
    pub outbox: UnboundedSender<Message>,
}

impl MarketTasks {
    /// Carries a command out beside the loop. What is being written now is waited for before
    /// anything is read: `written` ends then.
    pub fn run(self, command: MarketCommand, written: Option<oneshot::Receiver<()>>) {
        tokio::spawn(async move {
            let outbox = self.outbox.clone();
            let news = match command {
                MarketCommand::List => {
                    blocking(move || MarketEvent::Listed(self.known.market_list())).await
                }
                MarketCommand::Change(change) => {
                    blocking(move || MarketEvent::Changed {
                        result: self.known.change(change).map_err(|why| shown(&why)),
                        market_list: self.known.market_list(),
                    })
                    .await
                }
                MarketCommand::Connect { ticket, name } => {
                    if let Some(written) = written {
                        // Without it nothing is written.
                        let _ = written.await;
                    }
                    Some(self.connect(ticket, name).await.unwrap_or_else(|error| {
                        MarketEvent::ConnectFailed {
                            ticket,
                            why: words(error),
                        }
                    }))
                }
                MarketCommand::Test { ticket, name } => {
                    let outcome = self.test(name).await;
                    let outcome =
                        outcome.unwrap_or_else(|error| ConnectionTest::NotSent(words(error)));
                    Some(MarketEvent::Tested { ticket, outcome })
                }
                // The loop does this itself.
                MarketCommand::Activate(_) => None,
            };
            if let Some(news) = news {
                let _ = outbox.send(Message::Market(Box::new(news)));
            }
        });
    }

    /// The settings of a market. Its key is read, which may take a command.
    async fn settings(&self, name: String) -> Result<Settings, CliError> {
        let known = Arc::clone(&self.known);
        blocking(move || known.settings(&name))
            .await
            .unwrap_or_else(|| Err(lost()))
    }

    /// Makes a market ready. Nothing is sent to it.
    async fn connect(&self, ticket: Ticket, name: String) -> Result<MarketEvent, CliError> {
        let mut settings = self.settings(name).await?;
        // They are about how the program started, and were said then.
        settings.notices.clear();
        let connection = settings.connect().await?;
        let profile = settings.speaker(&connection.session);
        let notes = start::sandbox_notes(&settings, &connection);
        let known = Arc::clone(&self.known);
        let opened = blocking(move || {
            let (files, restored) = start::open(&settings, &profile);
            (files, restored, profile, known.market_list())
        });
        let (files, mut restored, profile, market_list) = opened.await.ok_or_else(lost)?;
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

    /// Sends one request that changes nothing, once.
    async fn test(&self, name: String) -> Result<ConnectionTest, CliError> {
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

/// Does something that waits for the disk or for a command where no frame waits for it; `None`
/// when it panicked.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

fn lost() -> CliError {
    CliError::Failed("bourse failed to connect".to_owned())
}

fn shown(why: &str) -> String {
    visible(&message(why), 400)
}

/// What went wrong, for the screen.
fn words(error: CliError) -> String {
    match error {
        CliError::Usage(why) | CliError::Failed(why) | CliError::Unknown(why) => shown(&why),
        CliError::Quiet | CliError::Closed => "it failed".to_owned(),
    }
}
