//! Spells: what polls open, continue and close.

use bourse::domain::annotations::Supplier;
use bourse::record::{Beginning, Cause, Ending, Poll, PollOutcome, Spell};

use super::record::{Record, complete, poll, sighting};

/// A spell in short: machine, GPUs, price, beginning, first, last, end.
type Short = (i64, u32, f64, Beginning, i64, i64, Option<(Ending, i64)>);

fn short(spell: &Spell) -> Short {
    (
        spell.lot.machine,
        spell.amount,
        spell.price,
        spell.beginning,
        spell.first.0,
        spell.last.0,
        spell.end.map(|(ending, at)| (ending, at.0)),
    )
}

fn spells(polls: &[Poll]) -> Vec<Short> {
    let recorded = Record::of(polls).excerpt();
    recorded.spells.iter().map(short).collect()
}

const GONE: Ending = Ending::Gone(Cause::Unknown);

#[test]
fn equal_polls_are_one_spell() {
    let polls = [0, 60, 120].map(|at| complete(at, vec![sighting(1, 2, 0.5)]));
    assert_eq!(spells(&polls), [(1, 2, 0.5, Beginning::Found, 0, 120, None)]);
}

#[test]
fn a_ban_is_no_departure_and_lifting_it_no_arrival() {
    let banned = |at, sightings| {
        let mut poll = complete(at, sightings);
        poll.bans = 7;
        poll.scope.excluded = vec![Supplier::Machine(1)];
        poll
    };
    let both = || vec![sighting(1, 2, 0.5), sighting(2, 1, 0.4)];
    let polls = [
        complete(0, both()),
        complete(60, both()),
        banned(120, vec![sighting(2, 1, 0.4)]),
        banned(180, vec![sighting(2, 1, 0.4)]),
        complete(240, both()),
    ];
    assert_eq!(
        spells(&polls),
        [
            (1, 2, 0.5, Beginning::Found, 0, 240, None),
            (2, 1, 0.4, Beginning::Found, 0, 240, None),
        ]
    );
}

#[test]
fn a_price_an_amount_and_a_departure_end_spells() {
    let polls = [
        complete(0, vec![sighting(1, 4, 0.5)]),
        complete(60, vec![sighting(1, 4, 0.4)]),
        // Rounding is no new price.
        complete(120, vec![sighting(1, 4, 0.4 + 1e-9)]),
        complete(180, vec![sighting(1, 2, 0.4)]),
        complete(240, vec![]),
        complete(300, vec![sighting(1, 2, 0.4)]),
    ];
    assert_eq!(
        spells(&polls),
        [
            (1, 4, 0.5, Beginning::Found, 0, 0, Some((Ending::Changed, 60))),
            (
                1,
                4,
                0.4,
                Beginning::Repriced { from: 0.5 },
                60,
                120,
                Some((Ending::Changed, 180))
            ),
            (1, 2, 0.4, Beginning::Resized { from: 4 }, 180, 180, Some((GONE, 240))),
            (1, 2, 0.4, Beginning::Listed, 300, 300, None),
        ]
    );
}

#[test]
fn failures_change_nothing_until_they_last() {
    let failed = |at| poll(at, PollOutcome::Failed, Vec::new());
    let ignored = |at| poll(at, PollOutcome::FiltersIgnored, Vec::new());
    let one = || vec![sighting(1, 1, 0.5)];
    let polls = [complete(0, one()), failed(60), ignored(120), complete(600, one())];
    assert_eq!(spells(&polls), [(1, 1, 0.5, Beginning::Found, 0, 600, None)]);
    // Ten minutes and a second without a usable answer.
    let polls = [complete(0, one()), failed(60), ignored(300), complete(601, one())];
    assert_eq!(
        spells(&polls),
        [
            (1, 1, 0.5, Beginning::Found, 0, 0, Some((Ending::LostSight, 0))),
            (1, 1, 0.5, Beginning::Found, 601, 601, None),
        ]
    );
    // A slow watch waits for three of its intervals.
    let mut slow = complete(0, one());
    slow.interval = Some(1000);
    assert_eq!(spells(&[slow.clone(), complete(3000, one())]).len(), 1);
    assert_eq!(spells(&[slow, complete(3001, one())]).len(), 2);
}

#[test]
fn a_poll_from_before_the_last_one_is_not_recorded() {
    let polls = [
        complete(100, vec![sighting(1, 1, 0.5)]),
        complete(100, vec![]),
        complete(40, vec![]),
        poll(40, PollOutcome::Failed, vec![]),
        complete(160, vec![sighting(1, 1, 0.5)]),
    ];
    assert_eq!(spells(&polls), [(1, 1, 0.5, Beginning::Found, 100, 160, None)]);
    assert_eq!(Record::of(&polls).excerpt().polls.len(), 2);
}
