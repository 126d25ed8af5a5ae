//! A scripted market whose every event is known, read from the responses that tell of it.

use bourse::domain::annotations::Bans;
use bourse::domain::response_check::ResponseCheck;
use bourse::domain::time::UnixTime;
use bourse::domain::{Dialect, Listing, OFFERS, Query, Resource};
use bourse::features::history::tape::events::RecentEvents;
use bourse::record::{Arrival, Cause, Change, ChangeKind, Event, EventKind, Lasted, Moment, Poll, Question};

use super::record::{Record, about, complete, output, question, sighting};

fn tape(question: Question, record: &Record, most: usize) -> Vec<Event> {
    output(&RecentEvents { question, most }, record)
}

/// Offers of the script: id, machine, its GPUs and the price of one GPU.
type Offer = (i64, i64, &'static [i64], f64);

fn query(limit: u32) -> Query {
    Query {
        limit: Some(limit),
        ..Query::empty(Resource::Offers)
    }
}

fn body(offers: &[Offer]) -> String {
    let record = |(id, machine, gpus, price): &Offer| {
        let many = gpus.len();
        let total = price * many as f64;
        format!(
            r#"{{"id":{id},"machine_id":{machine},"gpu_name":"H100","num_gpus":{many},"gpu_ids":{gpus:?},"dph_base":{total},"storage_cost":0}}"#
        )
    };
    let records: Vec<String> = offers.iter().map(record).collect();
    format!(r#"{{"offers": [{}]}}"#, records.join(","))
}

fn answered(at: i64, limit: u32, body: &str) -> Poll {
    let query = query(limit);
    let arrival = Arrival {
        at: Moment(at),
        took: 100,
        interval: Some(60),
        bans: Bans::NONE,
    };
    match Listing::read(&OFFERS, body, UnixTime::new(at as f64)) {
        Ok(listing) => {
            let check = ResponseCheck::new(&listing, &query, &Dialect::SANDBOX);
            Poll::new(&query, &listing, &check, &Dialect::SANDBOX, &arrival)
        }
        Err(_) => Poll::failed(&query, &Dialect::SANDBOX, &arrival),
    }
}

const ALL: &[i64] = &[0, 1, 2, 3];
const LOW: &[i64] = &[0, 1];
const HIGH: &[i64] = &[2, 3];
const FIRST: &[i64] = &[0];

/// Machine 1 is re-split, 2 gets a new offer id, 3 a new price, 4 comes and goes, 5 comes during the
/// gap; 6 is rented and listed again.
fn script() -> Vec<Poll> {
    let two = (20, 2, FIRST, 2.0);
    let three = (30, 3, FIRST, 3.0);
    let six = (60, 6, FIRST, 6.0);
    let full = |at, offers: &[Offer]| answered(at, 100, &body(offers));
    let split = [(12, 1, LOW, 1.0), (13, 1, HIGH, 1.0)];
    let renamed = (21, 2, FIRST, 2.0);
    let cheaper = (30, 3, FIRST, 2.5);
    let after_gap = 600 + 6 * 3600;
    vec![
        full(0, &[(11, 1, ALL, 1.0), two, three, six]),
        // Sold in halves now.
        full(60, &[split[0], split[1], two, three, six]),
        // Another offer id.
        full(120, &[split[0], split[1], renamed, three, six]),
        // Three rows at most: machines 3 and 6 are out of view, 4 is new.
        answered(180, 3, &body(&[split[0], renamed, (40, 4, FIRST, 1.5)])),
        // Too many requests.
        Poll::failed(
            &query(100),
            &Dialect::SANDBOX,
            &Arrival {
                at: Moment(240),
                took: 20,
                interval: Some(60),
                bans: Bans::NONE,
            },
        ),
        // All of them again, at one new price.
        full(300, &[split[0], split[1], renamed, cheaper, (40, 4, FIRST, 1.5), six]),
        // Half an answer.
        answered(360, 100, &body(&[split[0], renamed])[..120]),
        // The clock is set back: recorded at 961, ten minutes and a second after the last request.
        full(200, &[split[0], split[1], renamed, cheaper, (40, 4, FIRST, 1.5), six]),
        // Machine 6 is gone.
        full(420, &[split[0], split[1], renamed, cheaper, (40, 4, FIRST, 1.5)]),
        // And back; half of machine 1 is taken.
        full(480, &[split[0], renamed, cheaper, (40, 4, FIRST, 1.5), six]),
        full(540, &[split[0], renamed, cheaper, (40, 4, FIRST, 1.5), six]),
        // Six hours later: 4 went and 5 came meanwhile, nobody knows when.
        full(after_gap, &[split[0], renamed, cheaper, six, (50, 5, FIRST, 5.0)]),
        full(after_gap + 60, &[renamed, cheaper, six, (50, 5, FIRST, 5.0)]),
    ]
}

/// An event in short: when, machine, what.
fn short(event: &Event) -> (i64, i64, String) {
    let at = event.at.0;
    match &event.kind {
        EventKind::NotWatched { since } => (at, 0, format!("not watched since {}", since.0)),
        EventKind::Change { change, lasted } => {
            let lasted = lasted.map_or(String::new(), |lasted| {
                let sign = if lasted.is_at_least { ">=" } else { "" };
                format!(" after {sign}{}", lasted.seconds)
            });
            (at, change.lot.machine, format!("{}{lasted}", what(change)))
        }
    }
}

fn what(change: &Change) -> String {
    let (amount, price) = (change.amount, change.price);
    match change.kind {
        ChangeKind::Listed => format!("listed {amount} at {price}"),
        ChangeKind::Gone(cause) => format!("gone {cause:?}"),
        ChangeKind::IntoView => "into view".to_owned(),
        ChangeKind::OutOfView => "out of view".to_owned(),
        ChangeKind::Repriced { from } => format!("price {from} to {price}"),
        ChangeKind::Resized { from } => format!("amount {from} to {amount}"),
    }
}

#[test]
fn a_scripted_market_gives_its_events_and_no_others() {
    let record = Record::of(&script());
    let events = tape(question(0, 100_000), &record, 100);
    let reported: Vec<(i64, i64, String)> = events.iter().rev().map(short).collect();
    let after_gap = 600 + 6 * 3600;
    let expected = [
        (180, 4, "listed 1 at 1.5"),
        (300, 3, "price 3 to 2.5 after >=300"),
        (961, 0, "not watched since 300"),
        // At 420 and 480 by the clock that was set back; after the gap it is right again.
        (1181, 6, "gone Unknown after >=220"),
        (1241, 6, "listed 1 at 6"),
        (1241, 1, "amount 4 to 2 after >=280"),
        (after_gap, 0, "not watched since 1301"),
        (after_gap + 60, 1, "gone Unknown after >=60"),
    ];
    let expected = expected.map(|(at, machine, text)| (at, machine, text.to_owned()));
    assert_eq!(reported, expected);
}

/// Polled each minute from 0 to 3600, then the clock is set back by an hour and polled on from 60; the
/// price changes at 1800 and, by the new clock, at 240.
#[test]
fn a_clock_set_back_is_a_gap_and_times_are_told_by_the_clock_in_use() {
    let price = |is_later: bool| if is_later { 2.0 } else { 1.0 };
    let seen = |at, is_later| complete(at, vec![sighting(1, 1, price(is_later)), sighting(2, 1, 3.0)]);
    let mut polls: Vec<Poll> = (0..=60).map(|it| seen(it * 60, it >= 30)).collect();
    polls.extend((1..=5).map(|it| seen(it * 60, it < 4)));
    let reported = |polls: &[Poll], until: i64| {
        let record = Record::of(polls);
        let events = tape(question(until - 7200, until), &record, 100);
        events.iter().rev().map(short).collect::<Vec<_>>()
    };
    let wanted = |events: &[(i64, i64, &str)]| {
        let owned = events
            .iter()
            .map(|(at, machine, text)| (*at, *machine, (*text).to_owned()));
        owned.collect::<Vec<_>>()
    };
    // 3600 by the old clock is 601 s before 60 by the new one: the price changed 2401 s before that.
    let expected = [
        (-2341, 1, "price 1 to 2 after >=1800"),
        (60, 0, "not watched since -541"),
        (240, 1, "price 2 to 1 after >=180"),
    ];
    assert_eq!(reported(&polls, 300), wanted(&expected));
    // Of nothing more than a minute apart another program's poll came first.
    let late = [complete(100, Vec::new()), complete(40, Vec::new())];
    assert_eq!(Record::of(&late).excerpt().polls.len(), 1);
    // Set right again: after a pause of at least as long, times are those of the clock.
    polls.push(seen(9000, false));
    let right = [
        (1800, 1, "price 1 to 2 after >=1800"),
        (4201, 0, "not watched since 3600"),
        (4381, 1, "price 2 to 1 after >=180"),
        (9000, 0, "not watched since 4441"),
    ];
    assert_eq!(reported(&polls, 9000), wanted(&right));
}

#[test]
fn the_tape_is_filtered_by_lot_and_time_newest_first() {
    let record = Record::of(&script());
    let asked = about("machine_id=6", 300, 1241);
    let reported: Vec<_> = tape(asked.clone(), &record, 2).iter().map(short).collect();
    assert_eq!(
        reported,
        [
            (1241, 6, "listed 1 at 6".to_owned()),
            (1181, 6, "gone Unknown after >=220".to_owned()),
        ]
    );
    assert_eq!(tape(asked, &record, 1).len(), 1);
}

#[test]
fn a_rented_machine_says_so() {
    let row = |rented| {
        format!(
            r#"{{"offers": [{{"id":1,"machine_id":1,"gpu_name":"A","num_gpus":1,"dph_base":1,"storage_cost":0,"rented":{rented}}}]}}"#
        )
    };
    let polls = [
        answered(0, 10, r#"{"offers": []}"#),
        answered(60, 10, &row(false)),
        answered(120, 10, &row(true)),
    ];
    let record = Record::of(&polls);
    let events = tape(question(0, 500), &record, 9);
    let EventKind::Change { change, lasted } = &events[0].kind else {
        panic!("{events:?}");
    };
    assert_eq!(change.kind, ChangeKind::Gone(Cause::Rented));
    let lasted_60 = Lasted {
        seconds: 60,
        is_at_least: false,
    };
    assert_eq!(*lasted, Some(lasted_60));
}
