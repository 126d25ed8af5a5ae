//! Spells: what polls open, continue and close.

use std::collections::BTreeMap;

use bourse::record::{Advance, Beginning, Cause, Ending, Moment, Poll, PollOutcome, Sighting, Spell, advance, compare};
use proptest::prelude::*;

use super::record::{Record, complete, lot, poll, sighting};

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
    // Nothing is written for the second one but the poll itself.
    let open = Record::of(&polls[..1]).excerpt().spells;
    let none = Advance {
        is_recorded: true,
        ..Advance::default()
    };
    assert_eq!(advance(&open, Some(polls[0].row()), &polls[1]), none);
}

#[test]
fn a_ban_is_no_departure_and_lifting_it_no_arrival() {
    let banned = |at, sightings| Poll {
        bans: 7,
        ..complete(at, sightings)
    };
    let both = || vec![sighting(1, 2, 0.5), sighting(2, 1, 0.4)];
    let polls = [
        complete(0, both()),
        complete(60, both()),
        banned(120, vec![sighting(2, 1, 0.4)]),
        banned(180, vec![sighting(2, 1, 0.4)]),
        complete(240, both()),
    ];
    let lost = Some((Ending::LostSight, 60));
    assert_eq!(
        spells(&polls),
        [
            (1, 2, 0.5, Beginning::Found, 0, 60, lost),
            (2, 1, 0.4, Beginning::Found, 0, 240, None),
            (1, 2, 0.5, Beginning::Found, 240, 240, None),
        ]
    );
    assert_eq!(compare(&polls[1], &polls[2]), []);
    assert_eq!(compare(&polls[3], &polls[4]), []);
    let machines: Vec<_> = compare(&polls[1], &banned(120, vec![sighting(2, 1, 0.3)]))
        .iter()
        .map(|change| change.lot.machine)
        .collect();
    assert_eq!(machines, [2], "what stays listed is still compared");
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

#[test]
fn a_truncated_poll_closes_nothing_and_tells_only_what_it_shows() {
    let cut = |at, sightings| poll(at, PollOutcome::Truncated, sightings);
    let both = || vec![sighting(1, 4, 0.5), sighting(2, 1, 0.6)];
    // Less of machine 1 may be in view, machine 2 is not; 3 is new.
    let polls = [
        complete(0, both()),
        cut(60, vec![sighting(1, 2, 0.5), sighting(3, 1, 0.7)]),
        cut(120, vec![sighting(3, 1, 0.6)]),
    ];
    assert_eq!(
        spells(&polls),
        [
            (1, 4, 0.5, Beginning::Found, 0, 60, None),
            (2, 1, 0.6, Beginning::Found, 0, 0, None),
            (3, 1, 0.7, Beginning::Listed, 60, 60, Some((Ending::Changed, 120))),
            (3, 1, 0.6, Beginning::Repriced { from: 0.7 }, 120, 120, None),
        ]
    );
    // Back in view.
    let mut back = polls.to_vec();
    back.push(complete(180, both()));
    assert_eq!(
        spells(&back)[..2],
        [
            (1, 4, 0.5, Beginning::Found, 0, 180, None),
            (2, 1, 0.6, Beginning::Found, 0, 180, None),
        ]
    );
    // Out of view for too long: nobody knows what became of it, nor how old it is afterwards.
    let mut long = polls.to_vec();
    for at in [300, 500, 601] {
        long.push(cut(at, vec![sighting(3, 1, 0.6)]));
    }
    long.push(cut(660, both()));
    let told = spells(&long);
    assert_eq!(
        told[1],
        (2, 1, 0.6, Beginning::Found, 0, 0, Some((Ending::LostSight, 0)))
    );
    assert_eq!(told[4], (2, 1, 0.6, Beginning::Found, 660, 660, None));
}

#[test]
fn what_a_truncated_poll_did_not_show_is_no_change_afterwards() {
    let cut = poll(0, PollOutcome::Truncated, vec![sighting(1, 2, 0.5)]);
    let mut more = sighting(1, 4, 0.4);
    more.offer = 99;
    assert_eq!(
        spells(&[cut.clone(), complete(60, vec![more])]),
        [
            (1, 2, 0.5, Beginning::Found, 0, 0, Some((Ending::Changed, 60))),
            (1, 4, 0.4, Beginning::Revealed, 60, 60, None),
        ]
    );
    // The same offer at another price is a change.
    let told = spells(&[cut, complete(60, vec![sighting(1, 4, 0.4)])]);
    assert_eq!(told[1], (1, 4, 0.4, Beginning::Repriced { from: 0.5 }, 60, 60, None));
}

#[test]
fn a_new_offer_id_is_stored_and_no_spell() {
    let mut renamed = sighting(1, 1, 0.5);
    renamed.offer = 77;
    let before = complete(0, vec![sighting(1, 1, 0.5)]);
    let open = Record::of(std::slice::from_ref(&before)).excerpt().spells;
    let told = advance(&open, Some(before.row()), &complete(60, vec![renamed]));
    assert!(told.closed.is_empty() && told.opened.is_empty());
    assert_eq!((told.updated[0].offer, told.updated[0].last), (77, Moment(60)));
}

/// The plain definition, lot by lot over all polls at once: a spell is what usable polls saw alike
/// without losing sight of the lot.
fn plain(polls: &[Poll], machine: i64) -> Vec<Short> {
    let mut usable: Vec<&Poll> = Vec::new();
    let mut newest = Moment(0);
    for poll in polls {
        // Another program's poll may have come first.
        let is_later = poll.at > newest;
        newest = newest.max(poll.at);
        if poll.outcome.is_usable() && is_later {
            usable.push(poll);
        }
    }
    let mut spells: Vec<Short> = Vec::new();
    let mut current: Option<Short> = None;
    for (place, poll) in usable.iter().enumerate() {
        let at = poll.at.0;
        let seen: Option<&Sighting> = poll.sightings.iter().find(|it| it.lot == lot(machine));
        let before = place.checked_sub(1).map(|place| usable[place]);
        let patience = before.map_or(0, |it| 600.max(3 * i64::from(it.interval.unwrap_or(0))));
        if let Some(spell) = current.take_if(|spell| at - spell.5 > patience) {
            spells.push((
                spell.0,
                spell.1,
                spell.2,
                spell.3,
                spell.4,
                spell.5,
                Some((Ending::LostSight, spell.5)),
            ));
        }
        let was_complete = before.is_some_and(|it| it.outcome == PollOutcome::Complete && at - it.at.0 <= patience);
        let is_complete = poll.outcome == PollOutcome::Complete;
        let Some(spell) = current.take() else {
            let beginning = if was_complete {
                Beginning::Listed
            } else {
                Beginning::Found
            };
            current = seen.map(|it| (machine, it.amount, it.price, beginning, at, at, None));
            continue;
        };
        let ended = |ending| (spell.0, spell.1, spell.2, spell.3, spell.4, spell.5, Some((ending, at)));
        let Some(seen) = seen else {
            if is_complete {
                spells.push(ended(GONE));
            } else {
                current = Some(spell);
            }
            continue;
        };
        // The offers of a lot have one id here, so that every new price is one.
        let is_repriced = seen.price != spell.2;
        let is_more = seen.amount > spell.1;
        let is_less = seen.amount < spell.1 && is_complete;
        let amount = if is_more || is_less { seen.amount } else { spell.1 };
        let beginning = if is_repriced {
            Some(Beginning::Repriced { from: spell.2 })
        } else if is_more && !was_complete {
            Some(Beginning::Revealed)
        } else if is_more || is_less {
            Some(Beginning::Resized { from: spell.1 })
        } else {
            None
        };
        current = Some(match beginning {
            Some(beginning) => {
                spells.push(ended(Ending::Changed));
                (machine, amount, seen.price, beginning, at, at, None)
            }
            None => (spell.0, spell.1, spell.2, spell.3, spell.4, at, None),
        });
    }
    spells.extend(current);
    spells
}

fn any_poll() -> impl Strategy<Value = (i64, PollOutcome, Vec<Sighting>, Option<u32>)> {
    let gap = prop_oneof![4 => Just(60_i64), 2 => Just(300), 1 => Just(700), 1 => Just(2000), 1 => Just(-40)];
    let outcome = prop_oneof![
        5 => Just(PollOutcome::Complete),
        3 => Just(PollOutcome::Truncated),
        1 => Just(PollOutcome::Failed),
        1 => Just(PollOutcome::FiltersIgnored),
    ];
    let machine = |machine| {
        let seen = (1_u32..3, prop_oneof![Just(0.5), Just(0.75)]);
        proptest::option::of(seen.prop_map(move |(amount, price)| sighting(machine, amount, price)))
    };
    let sightings = (machine(1), machine(2), machine(3))
        .prop_map(|(one, two, three)| [one, two, three].into_iter().flatten().collect());
    let interval = prop_oneof![3 => Just(None), 1 => Just(Some(400_u32))];
    (gap, outcome, sightings, interval)
}

proptest! {
    /// The record reads its open spells back before each poll; the definition sees all at once.
    #[test]
    fn polls_one_by_one_give_the_spells_of_the_plain_definition(
        steps in proptest::collection::vec(any_poll(), 1..40)
    ) {
        let mut now = 10_000;
        let polls: Vec<Poll> = steps
            .into_iter()
            .map(|(gap, outcome, sightings, interval)| {
                now += gap.max(0);
                let at = now + gap.min(0);
                let sightings = if outcome.is_usable() { sightings } else { Vec::new() };
                Poll { interval, ..poll(at, outcome, sightings) }
            })
            .collect();
        let mut found: BTreeMap<i64, Vec<Short>> = BTreeMap::new();
        for spell in spells(&polls) {
            found.entry(spell.0).or_default().push(spell);
        }
        for machine in 1..=3 {
            let own = found.remove(&machine).unwrap_or_default();
            prop_assert_eq!(own, plain(&polls, machine));
        }
    }
}
