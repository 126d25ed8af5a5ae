//! Carries out the effects of the core.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Dashboard, Notify, Surface};
use crate::api::{ApiError, Operation, Request};
use crate::core::message::{ConfigCommand, EffectError, HistoryJob, News, Notification, RunCommand};
use crate::core::{Effect, Message};
use crate::domain::journal::Intent;
use crate::domain::routing::Hop;
use crate::features::markets::MarketCommand;
use crate::features::markets::command::ProfileResolver;
use crate::runtime::config_watch::ConfigWatch;
use crate::runtime::disk_writer::{DiskWriter, Job};
use crate::runtime::editor::Document;
use crate::runtime::history::HistoryThread;
use crate::runtime::markets::MarketTasks;
use crate::runtime::messages::from_progress;
use crate::runtime::writes::{self, IntendedWrite, Journalled, journalled};
use crate::runtime::{alarm, routes, user_command};
use crate::sandbox::Running;
use crate::settings::rewrite::SettingError;
use crate::settings::sandbox_past::SandboxPast;
use crate::table::browser::Arrival;
use crate::table::remote::Ticket;

impl<S: Surface> Dashboard<S> {
    /// Carries out an effect; breaks with the exit status if the program ends.
    pub(super) async fn carry_out(&mut self, effect: Effect) -> io::Result<ControlFlow<i32>> {
        match effect {
            Effect::Quit => return Ok(ControlFlow::Break(0)),
            Effect::Suspend => self.surface.suspend().await?,
            Effect::Notify(notification) => self.attract(*notification),
            Effect::Edit { ticket, text, suffix } => self.edit_text(ticket, text, suffix).await?,
            Effect::Config(ConfigCommand::Edit) => self.edit_config().await?,
            Effect::Config(ConfigCommand::Reload) => self.config.iter().for_each(ConfigWatch::reload),
            Effect::Config(ConfigCommand::SaveTheme(name)) => self.save_setting(move |known| known.choose_theme(&name)),
            Effect::Config(ConfigCommand::SaveRate { unit, model, rate }) => {
                self.save_setting(move |known| known.save_rate(unit, &model, rate.as_deref()));
            }
            Effect::ForgetLimits => self.forget_limits(),
            Effect::Redraw => self.surface.repaint(),
            Effect::Call { ticket, request } => self.call(ticket, request),
            Effect::RouteOn { ticket, request, hop } => self.route(ticket, request, Some(hop)),
            Effect::ReadText { ticket, path } => routes::read_text(self.outbox.clone(), ticket, path),
            Effect::Arrange(arrival) => self.arrange(arrival),
            Effect::Write {
                ticket,
                request,
                intent,
            } => self.write(ticket, request, intent),
            Effect::Run { ticket, command } => self.run_command(ticket, *command),
            Effect::KeepOutcome(outcome) => {
                writes::keep_outcome(self.files.journal.clone(), self.outbox.clone(), outcome);
            }
            Effect::SetDamageAside(damage) => {
                writes::set_aside(self.files.journal.clone(), self.outbox.clone(), damage);
            }
            Effect::Abort(ticket) => self.abort(ticket),
            Effect::History(job) => self.queue_history(job),
            Effect::Market { ticket, command } => self.run_market_command(ticket, command),
            Effect::Activate(ticket) => self.activate(ticket),
            Effect::Save { ticket, edit } => self.keep(Job::Save {
                ticket: Some(ticket),
                edit,
            }),
            Effect::Export {
                ticket,
                path,
                content,
                overwrite,
                is_private,
            } => self.keep(Job::Export {
                ticket,
                path,
                content,
                overwrite,
                is_private,
            }),
            Effect::Copy { what, text } => self.copy(&what, &text).await,
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Notifies the user as the settings want, see `alarm::ring_and_notify`.
    fn attract(&mut self, notification: Notification) {
        let outbox = self.outbox.clone();
        alarm::ring_and_notify(&self.rings, &self.model, notification, &mut self.surface, outbox);
    }

    /// Opens the user's editor on a text; the edited text arrives as news of the ticket.
    async fn edit_text(&mut self, ticket: Ticket, text: String, suffix: &'static str) -> io::Result<()> {
        let edited = self.edit(Document::Text { text, suffix }).await?;
        let news = News::Edited(edited.map_err(EffectError::new));
        let _ = self.outbox.send(Message::News { ticket, news });
        Ok(())
    }

    /// Forgets the intervals between requests that were learned from refusals, also in their file.
    fn forget_limits(&self) {
        self.calls.forget_pacing();
        self.keep_pacing();
    }

    /// Arranges a response off the event loop, which has keys to handle; it arrives as news of its ticket.
    fn arrange(&self, arrival: Box<Arrival>) {
        let outbox = self.outbox.clone();
        tokio::task::spawn_blocking(move || {
            let ticket = arrival.ticket();
            let news = News::Arranged(Box::new(arrival.arranged()));
            // The receiver is gone once the program ends.
            let _ = outbox.send(Message::News { ticket, news });
        });
    }

    /// Aborts the read or route request of a ticket, if it is in flight.
    fn abort(&mut self, ticket: Ticket) {
        if let Some(flight) = self.flights.remove(&ticket) {
            flight.abort();
        }
    }

    /// Copies a text to the clipboard, without known secrets, and reports it; `what` describes the text.
    async fn copy(&mut self, what: &str, text: &str) {
        let text = self.calls.secrets().remove(text).into_owned();
        let copied = self.surface.copy(&text).await;
        let report = copied.map(|how| format!("Copied {what} ({how})"));
        let _ = self.outbox.send(Message::Report(report.map_err(EffectError::new)));
    }

    /// The function that passes the progress of a ticket's call to the core.
    fn notify(&self, ticket: Ticket) -> Notify {
        let (outbox, clock) = (self.outbox.clone(), self.clock);
        Box::new(move |progress| {
            let _ = outbox.send(from_progress(ticket, clock.now(), progress));
        })
    }

    /// Journals and sends a write in the background; its response arrives as news of the ticket. A notice
    /// follows if its outcome cannot be journalled, and a message with the damaged lines if they prevented
    /// the write.
    fn write(&self, ticket: Ticket, request: Request, intent: Intent) {
        let (calls, journal) = (Arc::clone(&self.calls), self.files.journal.clone());
        let (outbox, clock) = (self.outbox.clone(), self.clock);
        let notify = self.notify(ticket);
        tokio::spawn(async move {
            let write = IntendedWrite { request, intent };
            let epoch = move || clock.now().epoch;
            let Journalled {
                result,
                unsaved,
                damage,
            } = journalled(calls, journal, write, notify, epoch).await;
            let news = News::Reply(Box::new(result));
            let _ = outbox.send(Message::News { ticket, news });
            if let Some(why) = unsaved {
                let _ = outbox.send(Message::Notice(why));
            }
            if !damage.is_empty() {
                let _ = outbox.send(Message::JournalDamage(damage));
            }
        });
    }

    /// Runs a user's program in the background and journals it; its end arrives as news of the ticket.
    fn run_command(&self, ticket: Ticket, command: RunCommand) {
        let (journal, secrets) = (self.files.journal.clone(), self.calls.secrets());
        let (outbox, clock) = (self.outbox.clone(), self.clock);
        tokio::spawn(async move {
            let ran = user_command::run(journal, command, secrets, || clock.now().epoch).await;
            let news = News::Ran(Box::new(ran));
            // The receiver is gone once the program ends.
            let _ = outbox.send(Message::News { ticket, news });
        });
    }

    /// Lists, tests, probes, changes or connects to configured markets in the background, as `command` asks;
    /// the result arrives as news of the ticket. Nothing, and no news, if the dashboard was built without
    /// markets.
    fn run_market_command(&self, ticket: Ticket, command: MarketCommand) {
        let Some(known) = &self.known else {
            return;
        };
        let commands = MarketTasks {
            known: Arc::clone(known),
            pending: self.pending.clone(),
            outbox: self.outbox.clone(),
        };
        commands.run(ticket, command, self.disk_writer.as_ref().map(DiskWriter::written));
    }

    /// Changes the configuration file by `save` in the background, and reports its message or error.
    fn save_setting(&self, save: impl FnOnce(&ProfileResolver) -> Result<String, SettingError> + Send + 'static) {
        let (known, outbox) = (self.known.clone(), self.outbox.clone());
        tokio::task::spawn_blocking(move || {
            let saved = match known {
                Some(known) => save(&known),
                None => Err(SettingError::NoHome),
            };
            // The receiver is gone once the program ends.
            let _ = outbox.send(Message::Report(saved.map_err(EffectError::new)));
        });
    }

    /// Switches to the market that was connected under the ticket; nothing if there is none.
    ///
    /// Reads of the old one are aborted, and its state is saved before any of the new one.
    fn activate(&mut self, ticket: Ticket) {
        let Some(ready) = self.pending.take(ticket) else {
            return;
        };
        for (_, flight) in self.flights.drain() {
            flight.abort();
        }
        self.disk_writer = None;
        self.history_thread = None;
        self.keep_pacing();
        self.files = ready.files;
        self.calls = ready.calls;
    }

    /// Queues a job for the writer thread, which starts with the first one; a message to the core that it was
    /// not saved if there is no thread.
    pub(super) fn keep(&mut self, job: Job) {
        let (files, outbox) = (&mut self.files, &self.outbox);
        let secrets = || self.calls.secrets();
        let disk_writer = self
            .disk_writer
            .get_or_insert_with(|| DiskWriter::start(files.state_store.take(), secrets(), outbox.clone()));
        if !disk_writer.take(job) {
            let why = "can't start a thread".to_owned();
            let _ = self.outbox.send(Message::NotSaved(why));
        }
    }

    /// Queues a job for the thread of the recorded prices, which starts with the first one, and for a sandbox
    /// whose prices move first records its simulated past.
    fn queue_history(&mut self, job: HistoryJob) {
        let (history, outbox) = (&self.files.history, &self.outbox);
        let market = self.files.sandbox.as_ref().and_then(Running::moving_market);
        let dialect = self.model.profile.dialect;
        let past = market.map(|market| SandboxPast::new(market, dialect));
        let thread = self
            .history_thread
            .get_or_insert_with(|| HistoryThread::start(history.clone(), past, outbox.clone()));
        thread.take(job);
    }

    /// Sends a route request in the background, and on to its worker with a `hop`; it can be aborted. The
    /// result arrives as news of the ticket.
    fn route(&mut self, ticket: Ticket, request: Request, hop: Option<Arc<Hop>>) {
        let calls = Arc::clone(&self.calls);
        let flight = routes::send(calls, self.outbox.clone(), self.clock, ticket, (request, hop));
        self.flights.insert(ticket, flight);
    }

    /// Sends a request in the background; its response arrives as news of the ticket, or none if it was
    /// aborted. Only reads and route requests can be aborted.
    fn call(&mut self, ticket: Ticket, request: Request) {
        let calls = Arc::clone(&self.calls);
        if request.operation() == Operation::Route {
            return self.route(ticket, request, None);
        }
        let notify = self.notify(ticket);
        let is_read = request.operation().is_read();
        let task = tokio::spawn(async move { calls.call(request, notify).await });
        if is_read {
            self.flights.insert(ticket, task.abort_handle());
        }
        let outbox = self.outbox.clone();
        tokio::spawn(async move {
            let result = match task.await {
                Ok(result) => result,
                Err(lost) if lost.is_cancelled() => return,
                // The task panicked: whether the request was sent is unknown.
                Err(_) => Err(ApiError::Lost),
            };
            let news = News::Reply(Box::new(result));
            let _ = outbox.send(Message::News { ticket, news });
        });
    }
}
