//! Depth: distinct GPUs by price; expectations by hand, from the recorded market, and from every
//! subset of the slices of a machine.

use bourse::domain::cost::Prices;
use bourse::domain::insight::{Depth, Measures, Supply};
use bourse::domain::{Listing, OfferType};
use proptest::prelude::*;

use super::supply::{listed, near, offers, slice, some_offers};

fn depth(listing: &Listing) -> Depth {
    let prices = Prices::new(listing, OfferType::OnDemand);
    let rows: Vec<u32> = (0..listing.len() as u32).collect();
    Depth::of(listing, &rows, &Measures::offers(&prices, None))
}

fn sentence(depth: &Depth) -> String {
    depth.sentence(|price| format!("${price:.2}")).unwrap()
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
    let steps: Vec<_> = depth
        .steps()
        .iter()
        .map(|step| (step.gpus, step.total))
        .collect();
    assert_eq!(steps, [(2, 2), (2, 4), (8, 12), (1, 13)]);
    // $3, $3, $16 and $3.
    near(depth.steps()[3].cost, 25.0);
    near(depth.steps()[2].unit_price(), 2.0);
    let walk = depth.walk(3).unwrap();
    assert_eq!((walk.gpus, walk.offers), (4, 2));
    near(walk.cost, 6.0);
    // Five GPUs take the machine of eight whole: 12 GPUs at $22.
    let walk = depth.walk(5).unwrap();
    assert_eq!((walk.gpus, walk.offers), (12, 3));
    near(walk.average, 22.0 / 12.0);
    near(walk.highest, 2.0);
    assert_eq!(depth.walk(14), None);
    let sizes: Vec<u64> = depth.walks().iter().map(|walk| walk.gpus).collect();
    assert_eq!(sizes, [2, 4, 12, 13]);
    assert_eq!(
        sentence(&depth),
        "12 GPUs from $1.50, all 13 at an average of $1.92"
    );
}

#[test]
fn a_sentence_names_a_few_many_and_all() {
    // 43 GPUs: 8 at $1.89, 24 at $2.2367, 11 at $3.0882.
    let mut records: Vec<String> = Vec::new();
    for (gpus, price) in [
        (8, 15.12),
        (8, 17.8936),
        (8, 17.8936),
        (8, 17.8936),
        (11, 33.97),
    ] {
        let numbers: Vec<i64> = (0..gpus).collect();
        records.push(slice(records.len() + 1, records.len(), &numbers, price));
    }
    // (15.12 + 3 x 17.8936) / 32 = 2.15; with 33.97 it is 102.7708 / 43 = 2.39.
    assert_eq!(
        sentence(&depth(&offers(&records))),
        "8 GPUs from $1.89, 32 at an average of $2.15, all 43 at $2.39"
    );
    assert_eq!(sentence(&depth(&offers(&records[..1]))), "8 GPUs at $1.89");
    let one = offers(&[slice(1, 1, &[0], 0.5)]);
    assert_eq!(sentence(&depth(&one)), "1 GPU at $0.50");
    let none = offers(&[r#"{"id":1,"machine_id":1,"num_gpus":1}"#.to_owned()]);
    assert_eq!(depth(&none).sentence(|_| String::new()), None);
    assert_eq!(depth(&none).walk(1), None);
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
    assert_eq!((depth.gpus(), depth.steps().len()), (8, 1));
    near(depth.steps()[0].price, 3.108);
    assert_eq!(listing.id(depth.steps()[0].row as usize).unwrap().0, 8);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_book_has_the_most_gpus_of_each_machine_at_the_least_price(drawn in some_offers()) {
        let listing = listed(&drawn);
        let depth = depth(&listing);
        let (mut gpus, mut cost) = (0, 0);
        for machine in 0..3 {
            let own: Vec<_> = drawn.iter().filter(|offer| offer.0 == machine).collect();
            let mut best = (0_u32, 0_u32);
            for set in 0_u32..1 << own.len() {
                let chosen = || (0..own.len()).filter(|at| set & (1 << at) != 0).map(|at| own[at]);
                let union = chosen().fold(0, |all, offer| all | offer.1).count_ones();
                let sum: u32 = chosen().map(|offer| offer.1.count_ones()).sum();
                let price: u32 = chosen().map(|offer| offer.2).sum();
                if union == sum && (sum > best.0 || (sum == best.0 && price < best.1)) {
                    best = (sum, price);
                }
            }
            gpus += best.0;
            cost += best.1;
        }
        prop_assert_eq!(depth.gpus(), u64::from(gpus));
        let rows: Vec<u32> = (0..listing.len() as u32).collect();
        prop_assert_eq!(depth.gpus(), Supply::of(&listing, &rows).amount().gpus);
        let last = depth.steps().last().unwrap();
        prop_assert!((last.cost - f64::from(cost)).abs() < 1e-9);
        // Prices rise, and a walk to N is the shortest beginning that has N.
        let prices: Vec<f64> = depth.steps().iter().map(|step| step.unit_price()).collect();
        prop_assert!(prices.is_sorted());
        for wanted in 1..=depth.gpus() {
            let walk = depth.walk(wanted).unwrap();
            let before: u64 = depth.steps()[..walk.offers - 1].iter().map(|step| step.gpus).sum();
            prop_assert!(walk.gpus >= wanted && before < wanted);
        }
    }
}
