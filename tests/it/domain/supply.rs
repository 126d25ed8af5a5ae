//! Machines and GPUs behind offers, and the disjoint slices that workers run on: expectations by hand,
//! and the plain definition tried on every subset.

use bourse::domain::cost::{Basis, Prices};
use bourse::domain::insight::{Amount, Measures, Picks, Supply, Totals, summarise};
use bourse::domain::time::UnixTime;
use bourse::domain::{Listing, OFFERS, OfferType};
use proptest::prelude::*;

pub fn offers(records: &[String]) -> Listing {
    let body = format!(r#"{{"offers": [{}]}}"#, records.join(","));
    Listing::read(&OFFERS, body, UnixTime::new(0.0)).unwrap()
}

/// A slice of machine `machine` with these GPUs.
pub fn slice(id: usize, machine: usize, gpus: &[i64], price: f64) -> String {
    let many = gpus.len();
    format!(
        r#"{{"id":{id},"machine_id":{machine},"gpu_name":"MI300X","num_gpus":{many},"gpu_ids":{gpus:?},"dph_total":{price}}}"#
    )
}

fn supply(listing: &Listing) -> Supply {
    let rows: Vec<u32> = (0..listing.len() as u32).collect();
    Supply::new(listing, &rows)
}

fn picks(listing: &Listing) -> Picks {
    let prices = Prices::new(listing, OfferType::OnDemand);
    supply(listing).pick_workers(|row| prices.quoted(row as usize).ok())
}

fn ids(listing: &Listing, picks: &Picks) -> Vec<i64> {
    let offers = picks.offers().iter();
    offers.map(|pick| listing.id(pick.row as usize).unwrap().0).collect()
}

#[track_caller]
pub fn near(value: f64, wanted: f64) {
    assert!((value - wanted).abs() <= 1e-9, "{value} is not {wanted}");
}

/// Machines of 8, 4, 2 and 1 GPUs as the market lists them: a slice for each power of two, all from
/// the first GPU on, at $2 a GPU.
fn market() -> Listing {
    let mut records = Vec::new();
    for (machine, gpus) in [8_i64, 4, 2, 1].into_iter().enumerate() {
        let sizes = [1_i64, 2, 4, 8].into_iter().filter(|size| *size <= gpus);
        for size in sizes {
            let numbers: Vec<i64> = (0..size).collect();
            let id = records.len() + 1;
            records.push(slice(id, machine, &numbers, 2.0 * size as f64));
        }
    }
    offers(&records)
}

#[test]
fn ten_rows_of_slices_are_four_machines() {
    let listing = market();
    assert_eq!(listing.len(), 10);
    let amount = Amount { machines: 4, gpus: 15 };
    assert_eq!(supply(&listing).amount(), amount);
    let picks = picks(&listing);
    // One worker a machine: whichever slice it takes has the first GPU.
    assert_eq!(picks.most_workers(), 4);
    near(picks.least(3), 6.0);
    near(picks.typical(3).unwrap(), 6.0);
    near(picks.least(20), 8.0);
    near(picks.typical(20).unwrap(), 40.0);
}

#[test]
fn a_summary_counts_machines_and_gpus_and_prices_each_gpu_once() {
    let mut records: Vec<String> = (0..4)
        .map(|size| {
            slice(
                size + 1,
                7,
                &(0..1 << size).collect::<Vec<_>>(),
                3.0 * f64::from(1 << size),
            )
        })
        .collect();
    records.push(slice(9, 8, &[0], 1.0));
    records.push(slice(10, 9, &[0], 2.0));
    let listing = offers(&records);
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let rows: Vec<u32> = (0..listing.len() as u32).collect();
    let model = OFFERS.by_key("gpu_name").unwrap();
    let groups = summarise(&listing, &rows, &[model], &Measures::offers(&prices, None));
    let amount = Amount { machines: 3, gpus: 10 };
    assert_eq!((groups[0].amount, groups[0].count()), (amount, 6));
    // $1 and $2 for one GPU, $3 for each of eight, however many slices they are in.
    let unit = groups[0].unit_price.unwrap();
    assert_eq!((unit.known, unit.lowest, unit.median), (10, 1.0, 3.0));
}

#[test]
fn slices_without_a_common_gpu_are_rented_side_by_side() {
    let listing = offers(&[
        slice(1, 1, &[0, 1], 3.0),
        slice(2, 1, &[2, 3], 5.0),
        slice(3, 1, &[1, 2], 1.0),
        slice(4, 2, &[0], 4.0),
    ]);
    assert_eq!(supply(&listing).amount().gpus, 5);
    let picks = picks(&listing);
    assert_eq!(picks.most_workers(), 3);
    assert_eq!(ids(&listing, &picks), [1, 4, 2]);
    near(picks.least(1), 1.0);
    near(picks.least(2), 5.0); // 3 and 4, not 1 and 3, which share GPU 1
    near(picks.least(3), 12.0);
}

#[test]
fn a_cheap_large_slice_gives_way_when_more_workers_are_wanted() {
    // Two machines of three GPUs: all three for $1, or $10 each.
    let mut records = Vec::new();
    for machine in 0..2 {
        records.push(slice(machine * 4 + 1, machine, &[0, 1, 2], 1.0));
        for gpu in 0..3 {
            records.push(slice(machine * 4 + 2 + gpu, machine, &[gpu as i64], 10.0));
        }
    }
    let picks = picks(&offers(&records));
    assert_eq!(picks.most_workers(), 6);
    for (workers, cost) in [(0, 0.0), (1, 1.0), (2, 2.0), (3, 21.0), (4, 31.0), (5, 50.0), (6, 60.0)] {
        near(picks.least(workers), cost);
    }
}

#[test]
fn without_gpu_numbers_the_largest_slice_is_what_a_machine_has() {
    let record = |id: usize, gpus: u32, price: f64| {
        format!(r#"{{"id":{id},"machine_id":3,"num_gpus":{gpus},"dph_total":{price}}}"#)
    };
    let listing = offers(&[record(1, 1, 1.0), record(2, 2, 2.0), record(3, 4, 4.0)]);
    let amount = Amount { machines: 1, gpus: 4 };
    assert_eq!(supply(&listing).amount(), amount);
    // 1 and 2 fit beside each other into the four GPUs that the largest slice has.
    let picks = picks(&listing);
    assert_eq!(ids(&listing, &picks), [1, 2]);
}

#[test]
fn a_record_without_a_machine_is_one_of_its_own_and_has_a_gpu_at_least() {
    let listing = offers(&[
        r#"{"id":1,"dph_total":1.0}"#.to_owned(),
        r#"{"id":2,"machine_id":null,"num_gpus":2,"dph_total":2.0}"#.to_owned(),
        r#"{"id":3,"machine_id":4,"num_gpus":0,"dph_total":null}"#.to_owned(),
    ]);
    let amount = Amount { machines: 3, gpus: 4 };
    assert_eq!(supply(&listing).amount(), amount);
    let picks = picks(&listing);
    assert_eq!(ids(&listing, &picks), [1, 2]); // what has no price is not picked
    let none = supply(&listing).pick_workers(|_| None);
    assert_eq!((none.most_workers(), none.typical(3)), (0, None));
    near(none.least(3), 0.0);
}

#[test]
fn a_machine_with_absurdly_many_slices_is_counted_all_the_same() {
    let records: Vec<String> = (0..60)
        .map(|id| slice(id + 1, 1, &[id as i64, id as i64 + 1], 1.0))
        .collect();
    let listing = offers(&records);
    assert_eq!(supply(&listing).amount().gpus, 60);
    assert_eq!(picks(&listing).most_workers(), 30);
}

/// An offer on one of three machines of up to four GPUs: machine, GPUs as bits, price.
pub type Drawn = (usize, u8, u32);

pub fn some_offers() -> impl Strategy<Value = Vec<Drawn>> {
    prop::collection::vec((0_usize..3, 1_u8..16, 0_u32..50), 1..9)
}

/// Drawn offers as the market lists them, numbered from 1 in their order.
pub fn listed(drawn: &[Drawn]) -> Listing {
    let numbered = (1..).zip(drawn);
    let records: Vec<String> = numbered
        .map(|(id, (machine, bits, price))| {
            let gpus: Vec<i64> = (0..4).filter(|gpu| bits & (1 << gpu) != 0).collect();
            slice(id, *machine, &gpus, f64::from(*price))
        })
        .collect();
    offers(&records)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn workers_cost_the_least_of_all_sets_of_offers_without_a_common_gpu(drawn in some_offers()) {
        let listing = listed(&drawn);
        let picks = picks(&listing);
        let mut least = vec![f64::INFINITY; drawn.len() + 1];
        for set in 0_u32..1 << drawn.len() {
            let chosen: Vec<_> = (0..drawn.len()).filter(|index| set & (1 << index) != 0).collect();
            let clash = chosen.iter().enumerate().any(|(place, one)| {
                chosen[..place].iter().any(|other| {
                    drawn[*one].0 == drawn[*other].0 && drawn[*one].1 & drawn[*other].1 != 0
                })
            });
            if !clash {
                let cost = chosen.iter().map(|index| f64::from(drawn[*index].2)).sum();
                let known = &mut least[chosen.len()];
                *known = f64::min(*known, cost);
            }
        }
        let most = least.iter().filter(|cost| cost.is_finite()).count() - 1;
        prop_assert_eq!(picks.most_workers(), most);
        for (workers, cost) in least.iter().enumerate().take(most + 1) {
            prop_assert!((picks.least(workers) - cost).abs() < 1e-9);
        }
        for workers in 0..most + 4 {
            prop_assert!(picks.typical(workers).unwrap() >= picks.least(workers) - 1e-9);
        }
    }
}

#[test]
fn totals_add_up_what_can_be_rented_together_and_flag_the_rest() {
    let more = |id: usize, machine: usize, gpus: &[i64], price: f64, down: f64, left: f64| {
        let record = slice(id, machine, gpus, price);
        let record = record.trim_end_matches('}');
        format!(r#"{record},"gpu_ram":24000,"inet_down":{down},"inet_up":200.0,"duration":{left}}}"#)
    };
    let listing = offers(&[
        more(1, 1, &[0, 1], 3.0, 900.0, 86_400.0),
        more(2, 1, &[1], 2.0, 500.0, 86_400.0),
        more(3, 2, &[0], 1.0, 300.0, 7200.0),
    ]);
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let basis = Basis::hourly(OfferType::OnDemand);
    let totals = Totals::new(&prices, &basis, &[0, 2]);
    assert_eq!(totals.amount, Amount { machines: 2, gpus: 3 });
    assert_eq!((totals.hourly, totals.vram_gb), (Some(4.0), Some(72.0)));
    assert_eq!((totals.slowest, totals.left), (Some((300.0, 200.0)), Some(7200.0)));
    assert!(totals.shared.is_empty() && totals.bill.is_none());
    // 1 and 2 share GPU 1.
    let totals = Totals::new(&prices, &basis, &[0, 1, 2]);
    assert_eq!(totals.shared, [0, 1]);
}
