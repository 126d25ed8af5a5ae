//! Overlapping searches: what is shown is the newest, in whatever order the answers come.

use bourse::api::{ApiError, Reply};
use bourse::core::Pane;
use bourse::core::message::Message;
use bourse::core::message::News;
use bourse::domain::{Listing, Resource, RowId};
use bourse::table::remote::Progress;
use bourse::table::remote::Ticket;

use super::core::Core;
use crate::cases::cases;

fn answer(core: &mut Core, ticket: Ticket, generation: usize) {
    let json = format!(r#"{{"offers":[{{"id":{generation}}}]}}"#);
    let listing = Listing::read(Resource::Offers.catalog(), json, core.now.epoch).unwrap();
    core.reply(ticket, Ok(Reply::Records(Box::new(listing))));
}

fn shown(core: &Core) -> Option<i64> {
    let listing = core.model.browsers[Resource::Offers].listing()?;
    listing.id(0).map(|RowId(id)| id)
}

/// Five searches and their answers, in any order: also those of searches that were given up.
/// `relabel` is the ticket with which an answer comes.
fn interleave(seed: u64, relabel: impl Fn(&[Ticket], usize) -> Ticket) -> Result<(), String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut core = Core::new(Pane::Offers);
    let first = core.reads.pop().unwrap().0;
    answer(&mut core, first, 0);
    let mut tickets = Vec::new();
    let mut pending: Vec<usize> = Vec::new();
    let mut newest_answered = 0;
    while tickets.len() < 5 || !pending.is_empty() {
        if tickets.len() < 5 && (pending.is_empty() || random.bool()) {
            core.model.browsers[Resource::Offers].query.limit = Some(100 + tickets.len() as u32);
            let now = core.now;
            let ((), effects) = core.model.lend(now, |cx| cx.ask(Resource::Offers));
            core.take(effects);
            tickets.push(core.reads.last().unwrap().0);
            pending.push(tickets.len() - 1);
            continue;
        }
        let place = pending.swap_remove(random.usize(..pending.len()));
        let ticket = relabel(&tickets, place);
        let is_newest = place + 1 == tickets.len();
        match random.u8(0..8) {
            0 if !is_newest => core.reply(ticket, Err(ApiError::Lost)),
            1 => core.send(Message::News {
                ticket,
                news: News::Progress(Progress::Attempt {
                    number: 2,
                    waiting: None,
                }),
            }),
            _ => {
                answer(&mut core, ticket, place + 1);
                if is_newest {
                    newest_answered = place + 1;
                }
            }
        }
        // What is shown is an answer to a search that was the newest when it came.
        if shown(&core) != Some(newest_answered as i64) {
            return Err(format!("{:?}, not {newest_answered}", shown(&core)));
        }
        core.wait(0.1);
    }
    Ok(())
}

fn run_all(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        interleave(seed, |tickets, place| tickets[place]).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
}

#[test]
fn the_newest_search_is_shown_whatever_order_the_answers_come_in() {
    run_all(0..cases(200, 10_000));
}

#[test]
fn answers_without_their_own_ticket_are_found_out() {
    let newest = |tickets: &[Ticket], _| *tickets.last().unwrap();
    assert!((0..50).any(|seed| interleave(seed, newest).is_err()));
}
