//! Depth: distinct GPUs by price; expectations by hand, from the recorded market, and from every
//! subset of the slices of a machine.

use bourse::domain::cost::Prices;
use bourse::domain::insight::{Depth, Measures, Supply};
use bourse::domain::{Listing, OfferType};
use proptest::prelude::*;

use super::supply::{Drawn, listed, near, offers, slice, some_offers};

fn depth(listing: &Listing) -> Depth {
    let prices = Prices::new(listing, OfferType::OnDemand);
    let rows: Vec<u32> = (0..listing.len() as u32).collect();
    Depth::new(listing, &rows, &Measures::offers(&prices, None))
}

fn sentence(depth: &Depth) -> String {
    depth.describe_supply(true, |price| format!("${price:.2}")).unwrap()
}

#[test]
fn slices_of_a_machine_count_once_and_the_cheapest_gpus_come_first() {
    let listing = offers(&[
        // Eight GPUs at $2 each, or the first one alone at $1: the machine has eight.
        slice(1, 1, &[0], 1.0),
        slice(2, 1, &[0, 1, 2, 3, 4, 5, 6, 7], 16.0),
        // Four at $1.50, as two halves: cheaper than all at once.
        slice(3, 2, &[0, 1], 3.0),
        slice(4, 2, &[2, 3], 3.0),
        slice(5, 2, &[0, 1, 2, 3], 7.0),
        // One at $3.
        slice(6, 3, &[0], 3.0),
    ]);
    let depth = depth(&listing);
    // At most $1 each: one. At most $1.50: it and the two halves. $2: all eight instead of the one.
    assert_eq!(depth.levels(), [(1.0, 1), (1.5, 5), (2.0, 12), (3.0, 13)]);
    // Three: the single one and a half.
    let three = depth.buy(3).unwrap();
    assert_eq!((three.gpus, three.lots.len(), three.cost), (3, 2, 4.0));
    // Five: the single one and both halves.
    let five = depth.buy(5).unwrap();
    assert_eq!((five.gpus, five.cost), (5, 7.0));
    near(five.average(), 1.4);
    near(five.highest(), 1.5);
    // All small ones together are seven.
    assert_eq!(depth.buy(8).unwrap().cost, 16.0);
    assert_eq!(depth.buy(14), None);
    let sizes: Vec<u64> = depth.purchases().iter().map(|bought| bought.gpus).collect();
    assert_eq!(sizes, [1, 2, 4, 8, 13]);
    // Both halves, the eight and the last: 3 + 3 + 16 + 3.
    near(depth.purchases()[4].cost, 25.0);
    assert_eq!(
        sentence(&depth),
        "From $1.00; 8 GPUs at an average of $2.00, all 13 at $1.92"
    );
}

#[test]
fn a_machine_s_cheap_slices_are_bought_without_the_rest() {
    // Four of the eight GPUs are cheaper alone than as a part of the whole machine.
    let listing = offers(&[
        slice(1, 1, &[0, 1, 2, 3], 7.58),
        slice(2, 1, &[0, 1, 2, 3, 4, 5, 6, 7], 15.15),
    ]);
    let depth = depth(&listing);
    near(depth.buy(4).unwrap().cost, 7.58);
    near(depth.buy(5).unwrap().cost, 15.15);
}

#[test]
fn a_sentence_names_a_few_many_and_all() {
    // 43 GPUs: 8 at $1.89, 24 at $2.2367, 11 at $3.0882.
    let mut records: Vec<String> = Vec::new();
    for (gpus, price) in [(8, 15.12), (8, 17.8936), (8, 17.8936), (8, 17.8936), (11, 33.97)] {
        let numbers: Vec<i64> = (0..gpus).collect();
        records.push(slice(records.len() + 1, records.len(), &numbers, price));
    }
    // (15.12 + 3 x 17.8936) / 32 = 2.15; with 33.97 it is 102.7708 / 43 = 2.39.
    assert_eq!(
        sentence(&depth(&offers(&records))),
        "From $1.89; 8 GPUs at an average of $1.89, 32 at $2.15, all 43 at $2.39"
    );
    assert_eq!(sentence(&depth(&offers(&records[..1]))), "8 GPUs at $1.89");
    let one = offers(&[slice(1, 1, &[0], 0.5)]);
    assert_eq!(sentence(&depth(&one)), "1 GPU at $0.50");
    let none = offers(&[r#"{"id":1,"machine_id":1,"num_gpus":1}"#.to_owned()]);
    assert_eq!(depth(&none).describe_supply(true, |_| String::new()), None);
    assert_eq!(depth(&none).buy(1), None);
}

#[test]
fn the_recorded_machine_of_eight_gpus_is_eight_gpus() {
    // Machine 32302 sells 1, 2, 4 and 8 of its GPUs; the price grows in step.
    let records: Vec<String> = [1_i64, 2, 4, 8]
        .iter()
        .map(|gpus| {
            let numbers: Vec<i64> = (0..*gpus).collect();
            slice(*gpus as usize, 32302, &numbers, 0.3885 * *gpus as f64)
        })
        .collect();
    let listing = offers(&records);
    let depth = depth(&listing);
    let all = depth.buy(8).unwrap();
    assert_eq!((depth.gpus(), all.lots.len()), (8, 1));
    near(all.cost, 3.108);
    assert_eq!(listing.id(all.lots[0].row as usize).unwrap().0, 8);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn n_gpus_cost_the_least_of_all_sets_of_offers_without_a_common_gpu(drawn in some_offers()) {
        let listing = listed(&drawn);
        let depth = depth(&listing);
        let rows: Vec<u32> = (0..listing.len() as u32).collect();
        prop_assert_eq!(depth.gpus(), Supply::new(&listing, &rows).amount().gpus);
        let size = |offer: &Drawn| offer.1.count_ones();
        let mut least = [f64::INFINITY; 3 * 4 + 1];
        let mut levels = vec![0; 51];
        for set in 0_u32..1 << drawn.len() {
            let chosen: Vec<&Drawn> =
                (0..drawn.len()).filter(|at| set & (1 << at) != 0).map(|at| &drawn[at]).collect();
            let clash = chosen.iter().enumerate().any(|(place, one)| {
                chosen[..place].iter().any(|other| one.0 == other.0 && one.1 & other.1 != 0)
            });
            if clash {
                continue;
            }
            let gpus: u32 = chosen.iter().map(|offer| size(offer)).sum();
            let cost: f64 = chosen.iter().map(|offer| f64::from(offer.2)).sum();
            for known in &mut least[..=gpus as usize] {
                *known = known.min(cost);
            }
            for (price, known) in levels.iter_mut().enumerate() {
                if chosen.iter().all(|offer| offer.2 <= price as u32 * size(offer)) {
                    *known = u64::from(gpus).max(*known);
                }
            }
        }
        for (gpus, cost) in (1..).zip(&least[1..]) {
            let own = depth.buy(gpus).map_or(f64::INFINITY, |bought| bought.cost);
            prop_assert!(own == *cost || (own - cost).abs() < 1e-9, "{own} is not {cost}");
        }
        for (price, gpus) in levels.into_iter().enumerate() {
            let below = depth.levels().iter().rfind(|(own, _)| *own <= price as f64);
            prop_assert_eq!(below.map_or(0, |(_, gpus)| *gpus), gpus);
        }
    }
}
