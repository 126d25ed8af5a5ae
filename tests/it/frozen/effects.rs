//! Every effect in words, and its reply.
//!
//! The words are written by hand, so that a record survives that types are renamed. What is only of
//! interest between programs and threads is carried out without a word.

use bourse::api::Request;
use bourse::core::exported::{NotWritten, Written};
use bourse::core::message::{ConfigCommand, EffectError, HistoryJob, News, Ran};
use bourse::core::{Effect, Message, Profile, Ticket};
use bourse::domain::Dialect;
use bourse::domain::annotations::Annotations;
use bourse::domain::document::{AnyDocument, AnyEdit, Document, Edit};
use bourse::domain::evidence::{Findings, Observations, Treatment};
use bourse::domain::journal::Line;
use bourse::domain::saved::{DashboardState, Searches};
use bourse::features::alerts::replay::AlertReplay;
use bourse::features::bids::study::BidStudy;
use bourse::features::history::prices::series::PriceSeries;
use bourse::features::history::tape::events::RecentEvents;
use bourse::features::market_line::weeks::WeekStudy;
use bourse::features::markets::{Change, ConnectionTest, Done};
use bourse::features::markets::{MarketCommand, MarketEvent, MarketReady};
use bourse::features::price_index::index::PriceIndex;
use bourse::features::workergroups::drift::SeenGroups;
use bourse::record::alerts::Alerts;
use bourse::record::watch::Right;
use bourse::record::{Poll, PollOutcome, VerdictBasis};
use bourse::settings::KeySource;
use serde::Serialize;

use super::desk::{Desk, operation_word};
use super::given::{market, market_list, nothing_restored, past, profile};

impl Desk<'_> {
    pub async fn carry_out(&mut self, effect: Effect) {
        let ticket = effect.ticket();
        let news = match effect {
            Effect::Call { ticket, request } => {
                let own = match request {
                    Request::Raw(_) => " with a body of one's own",
                    _ => "",
                };
                let name = operation_word(request.operation());
                let number = self.call(ticket, request);
                self.note(&format!("ask {name} #{number}{own}"));
                return self.hear().await;
            }
            Effect::RouteOn { ticket, request, hop } => {
                let name = operation_word(request.operation());
                let number = self.call(ticket, request);
                self.note(&format!("ask {name} #{number}, sent on to {}", hop.path));
                return self.hear().await;
            }
            Effect::ReadText { path, .. } => {
                self.note(&format!("read {path}"));
                News::Text(Ok("{}".to_owned()))
            }
            Effect::Write {
                ticket,
                request,
                intent,
            } => {
                let name = operation_word(request.operation());
                let number = self.call(ticket, request);
                let line = journal(&Line::Intent(intent));
                self.note(&format!("write {name} #{number}, journaled as\n{line}"));
                return self.hear().await;
            }
            Effect::Abort(ticket) => return self.abort(ticket).await,
            Effect::KeepOutcome(outcome) => {
                return self.note(&format!("journal\n{}", journal(&Line::Outcome(outcome))));
            }
            Effect::SetDamageAside(damage) => {
                let lines: Vec<u64> = damage.iter().map(|line| line.line).collect();
                return self.note(&format!("move the damaged lines {lines:?} aside"));
            }
            Effect::Arrange(arrival) => {
                let ticket = arrival.ticket();
                let news = News::Arranged(Box::new(arrival.arranged()));
                // It takes no time here: before any other reply.
                return self.inbox.push_front(Message::News { ticket, news });
            }
            Effect::Copy { what, text } => {
                self.note(&format!("copy {what}"));
                self.content(&text);
                return self.says(format!("Copied {what} (terminal)"));
            }
            Effect::Save { edit, .. } => News::Saved(Ok(self.save(&edit))),
            Effect::History(HistoryJob::ClaimNotification { subject, .. }) => {
                self.note(&format!("claim the ring of {subject}"));
                News::Claimed(true)
            }
            Effect::Notify(notification) => {
                let kind = if notification.urgent.is_some() {
                    "ring"
                } else {
                    "notify"
                };
                self.note(&format!("{kind} {}: {}", notification.title, notification.text));
                for (name, value) in notification.urgent.unwrap_or_default() {
                    self.note(&format!("  {name}={value}"));
                }
                return;
            }
            Effect::Export {
                path,
                content,
                overwrite,
                is_private,
                ..
            } => {
                let private = if is_private { ", private" } else { "" };
                self.note(&format!("write {path}{private}"));
                let content = content.text();
                self.content(&content);
                let is_new = self.written.insert(path.clone());
                let (path, bytes) = (format!("/home/me/{path}"), content.len());
                News::Written(if is_new || overwrite {
                    Ok(Written { path, bytes })
                } else {
                    Err(NotWritten::Exists(path))
                })
            }
            Effect::History(HistoryJob::Record(poll)) => return self.record(&poll),
            Effect::History(HistoryJob::Ask { analysis, .. }) => {
                let words = [
                    (analysis.downcast::<RecentEvents>().is_some(), "recall the tape"),
                    (analysis.downcast::<PriceSeries>().is_some(), "recall prices"),
                    (
                        analysis.downcast::<VerdictBasis>().is_some(),
                        "recall what is known of prices",
                    ),
                    (
                        analysis.downcast::<BidStudy>().is_some(),
                        "recall what bids would have held",
                    ),
                    (
                        analysis.downcast::<PriceIndex>().is_some(),
                        "recall what models usually cost",
                    ),
                    (analysis.downcast::<WeekStudy>().is_some(), "recall a week of a model"),
                    (
                        analysis.downcast::<AlertReplay>().is_some(),
                        "recall what an alert would have done",
                    ),
                ];
                self.note(words.iter().find(|(is_it, _)| *is_it).unwrap().1);
                let result = self.database.ask(&analysis);
                News::Recalled(result.map_err(EffectError::new))
            }
            Effect::History(HistoryJob::LatestRows { .. }) => News::RecordedRows(None),
            Effect::History(HistoryJob::CountRequest(_)) => return,
            Effect::History(HistoryJob::ClaimPoll { .. }) => News::Poll(Right::Ours(Ok(()))),
            Effect::History(HistoryJob::EndTurn) => return,
            Effect::Activate(_) => {
                self.session = self.market.session(&Dialect::VAST);
                return self.note("switch to it");
            }
            Effect::Market { ticket, command } => News::Market(Box::new(self.command(ticket, command))),
            Effect::Config(ConfigCommand::SaveRate { unit, model, rate }) => {
                return self.note(&format!(
                    "save the rate of {model}: {} {}",
                    rate.as_deref().unwrap_or("none"),
                    unit.rate()
                ));
            }
            Effect::Config(ConfigCommand::SaveTheme(name)) => {
                self.note(&format!("save the theme {name}"));
                return self.says(format!("Theme {name} saved"));
            }
            Effect::Edit { text, suffix, .. } => {
                self.note(&format!("edit a {suffix} file in the person's editor"));
                self.content(&text);
                News::Edited(Ok(text))
            }
            Effect::Run { command, .. } => {
                self.note(&format!("run {}", command.record.words.join(" ")));
                News::Ran(Box::new(Ran {
                    status: "done".to_owned(),
                    is_error: false,
                    output: "ran".to_owned(),
                    is_cut: false,
                }))
            }
            Effect::Config(ConfigCommand::Edit) => return self.note("edit the configuration"),
            Effect::Config(ConfigCommand::Reload) => return self.note("read the configuration again"),
            Effect::ForgetLimits => {
                self.session.forget_pacing();
                return self.note("forget the learned limits");
            }
            Effect::Redraw => return self.note("redraw"),
            Effect::Suspend => return self.note("suspend"),
            Effect::Quit => return self.note("quit"),
        };
        if let Some(ticket) = ticket {
            self.inbox.push_back(Message::News { ticket, news });
        }
    }

    fn says(&mut self, text: String) {
        self.inbox.push_back(Message::Report(Ok(text)));
    }

    /// Adds a poll to the recorded market, after a week of its past if the script has one.
    fn record(&mut self, poll: &Poll) {
        let outcome = match poll.outcome {
            PollOutcome::Complete => "complete",
            PollOutcome::Truncated => "truncated",
            PollOutcome::Failed => "failed",
            PollOutcome::FiltersIgnored => "useless",
        };
        self.note(&format!("record a {outcome} poll of {} rows", poll.rows));
        if std::mem::take(&mut self.has_past) {
            for earlier in past(poll) {
                self.database.record(&earlier).unwrap();
            }
        }
        self.database.record(poll).unwrap();
    }

    fn command(&mut self, ticket: Ticket, command: MarketCommand) -> MarketEvent {
        let mut market_list = market_list();
        let (said, event) = match command {
            MarketCommand::List => ("list the markets".to_owned(), MarketEvent::Listed(market_list)),
            MarketCommand::Connect(name) => {
                let said = format!("connect to {name}");
                let profile = Profile {
                    read_only: true,
                    ..profile(&name, &Dialect::VAST)
                };
                let ready = MarketReady {
                    ticket,
                    profile,
                    restored: nothing_restored(),
                    market_list,
                };
                (said, MarketEvent::Ready(Box::new(ready)))
            }
            MarketCommand::Test(name) => {
                let outcome = ConnectionTest::Groups(3);
                let event = MarketEvent::Tested(outcome);
                (format!("test {name}"), event)
            }
            MarketCommand::Probe(new) => {
                let seen = Observations {
                    nin: Treatment::Refused,
                    notin: Treatment::Obeyed,
                    filter: Treatment::Obeyed,
                    speed: Some(895.0),
                    ..Observations::default()
                };
                let said = format!("find out the dialect of {}", new.name);
                (said, MarketEvent::Probed(Ok(Findings::from_observations(&seen))))
            }
            MarketCommand::Change(change) => {
                let name = change.market().to_owned();
                let (said, done) = match change {
                    Change::Add(new) => {
                        let key = KeySource::File(format!("keys/{name}"));
                        let new = market(&name, Some(&new.base_url), key);
                        market_list.markets.push(new);
                        ("add", Done::Added)
                    }
                    Change::Key { .. } => ("save the key of", Done::KeyGiven),
                    Change::Dialect { .. } => ("save the dialect of", Done::DialectSet),
                    Change::Forget(_) => ("delete the key of", Done::KeyForgotten),
                    Change::Remove(_) => ("remove", Done::Removed),
                };
                let said = format!("{said} {name}");
                let result = Ok((name, done));
                let event = MarketEvent::Changed { result, market_list };
                (said, event)
            }
        };
        self.note(&said);
        event
    }

    /// Carries out an edit of a state file, and notes its changes there.
    fn save(&mut self, edit: &AnyEdit) -> AnyDocument {
        if let Some(Edit::Replace(seen)) = edit.downcast::<SeenGroups>() {
            let json = serde_json::to_value(seen).unwrap();
            let ids: Vec<&String> = json["snapshot"]["groups"].as_object().unwrap().keys().collect();
            self.note(&format!("save the listed workergroups {ids:?}"));
            return AnyDocument::new(seen.clone());
        }
        let mut saved = [
            self.saved::<DashboardState>("the state", edit),
            self.saved::<Searches>("the searches", edit),
            self.saved::<Annotations>("the annotations", edit),
            self.saved::<Alerts>("the alerts", edit),
        ]
        .into_iter()
        .flatten();
        saved.next().unwrap()
    }

    fn saved<T: Document>(&mut self, name: &'static str, edit: &AnyEdit) -> Option<AnyDocument> {
        let content = edit.downcast::<T>()?.clone().into_content();
        self.keep(name, &content);
        Some(AnyDocument::new(content))
    }

    /// Notes the lines of a state file that differ from those it had before.
    fn keep(&mut self, name: &'static str, value: &impl Serialize) {
        let lines = lines_of(value);
        let before = self.saved.insert(name, lines.clone()).unwrap_or_default();
        self.note(&format!("save {name}"));
        for (sign, lines, others) in [("-", &before, &lines), ("+", &lines, &before)] {
            let mut others = others.clone();
            for line in lines {
                match others.iter().position(|other| other == line) {
                    Some(place) => drop(others.remove(place)),
                    None => self.note(&format!("  {sign}{line}")),
                }
            }
        }
    }

    /// Notes a text: its beginning, its length and a checksum.
    fn content(&mut self, text: &str) {
        const MOST: usize = 12;
        for line in text.lines().take(MOST) {
            self.note(&format!("  | {line}"));
        }
        let lines = text.lines().count();
        if lines > MOST {
            // FNV-1a, which needs no crate and never changes.
            let sum = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
                (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            let bytes = text.len();
            self.note(&format!("  ... {lines} lines, {bytes} bytes, {sum:016x}"));
        }
    }
}

/// A line of the journal; its key is random.
fn journal(line: &Line) -> String {
    let mut json = serde_json::to_value(line).unwrap();
    for line in json.as_object_mut().unwrap().values_mut() {
        line["key"] = "<key>".into();
    }
    format!("  {json}")
}

/// A value as a state file has it.
pub fn lines_of(value: &impl Serialize) -> Vec<String> {
    let text = serde_json::to_string_pretty(value).unwrap();
    let lines = text.lines().map(|line| line.trim_end_matches(','));
    lines.map(str::to_owned).collect()
}
