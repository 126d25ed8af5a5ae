//! The price arithmetic against figures of real offers, worked out by hand.

use std::fmt::Write as _;

use bourse::domain::cost::{
    Fit, Gap, Input, Job, Joined, Measure, Outlives, PriceJoin, Prices, Room, VolumePrices, VolumeTerm, gpu_numbers,
    storage_per_hour,
};
use bourse::domain::time::UnixTime;
use bourse::domain::{Listing, OFFERS, OfferType, VOLUMES};

/// When every listing here was read, in seconds since 1970.
const NOW: UnixTime = UnixTime::new(1_753_516_870.64);

/// An offer recorded on 2025-07-26: its prices included 8 GB.
const OFFER_A: &str = r#"{"id": 101, "machine_id": 7, "gpu_ids": [0, 1], "num_gpus": 1,
    "gpu_name": "RTX 4090", "gpu_ram": 24564, "gpu_total_ram": 24564,
    "dph_base": 0.105333, "dph_total": 0.1157037, "storage_cost": 0.933333,
    "storage_total_cost": 0.0103704, "discounted_dph_total": 0.1157037,
    "inet_up_cost": 0.001953125, "inet_down_cost": 0.001953125,
    "duration": 3149474.36, "end_date": 1756666345, "inet_down": 4000, "dlperf": 141.77, "total_flops": 82.6,
    "disk_space": 120.5, "min_bid": 0.08, "discount_rate": null}"#;

fn offers(records: &[&str]) -> Listing {
    let body = format!(r#"{{"offers": [{}]}}"#, records.join(","));
    Listing::read(&OFFERS, body, NOW).unwrap()
}

fn volumes(records: &[&str]) -> Listing {
    let body = format!(r#"{{"offers": [{}]}}"#, records.join(","));
    Listing::read(&VOLUMES, body, NOW).unwrap()
}

#[track_caller]
fn near(value: f64, wanted: f64) {
    close(value, wanted, 1e-6);
}

#[track_caller]
fn close(value: f64, wanted: f64, within: f64) {
    assert!((value - wanted).abs() <= within, "{value} is not {wanted}");
}

#[test]
fn a_month_of_storage_has_720_hours() {
    near(storage_per_hour(0.933_333, 8.0), 0.010_370_4);
    near(storage_per_hour(0.2, 150.0), 0.041_667);
    near(storage_per_hour(0.92, 8.0), 0.010_222_2);
    // An instance of the documentation: 10 GB at 0.149333 cost 0.00207407 an hour.
    close(storage_per_hour(0.149_333, 10.0), 0.002_074_07, 1e-8);
    // 16 GB at 0.40 are 6.40 a month.
    near(storage_per_hour(0.4, 16.0) * 720.0, 6.40);
}

#[test]
fn a_row_is_repriced_for_another_storage() {
    let listing = offers(&[
        OFFER_A,
        r#"{"id": 2, "dph_base": 0.32, "storage_cost": 0.2}"#,
        r#"{"id": 3, "dph_base": 1.3066667, "storage_cost": 0.92}"#,
        r#"{"id": 4, "dph_base": 1.0, "storage_cost": 0.149333, "dlperf": 100}"#,
    ]);
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let repriced = prices.with_storage(0, 8.0).unwrap();
    near(repriced.storage, 0.010_370_4);
    near(repriced.base, 0.105_333);
    near(repriced.total, 0.115_703_7);
    close(repriced.dlperf_per_dollar.unwrap(), 1225.29, 0.01);
    close(repriced.flops_per_dollar.unwrap(), 713.9, 0.1); // 82.6 / 0.1157037
    let repriced = prices.with_storage(1, 10.0).unwrap();
    near(repriced.total, 0.322_777_8);
    assert_eq!(repriced.dlperf_per_dollar, None);
    near(prices.with_storage(2, 8.0).unwrap().total, 1.316_888_9);
    close(prices.with_storage(3, 10.0).unwrap().total, 1.002_074_07, 1e-8);
    // Without storage only the GPUs are paid, and the ratio follows.
    let repriced = prices.with_storage(3, 0.0).unwrap();
    near(repriced.total, 1.0);
    near(repriced.dlperf_per_dollar.unwrap(), 100.0);
}

#[test]
fn what_a_record_does_not_say_is_named_and_never_zero() {
    let listing = offers(&[
        r#"{"id": 1, "storage_cost": 0.2}"#,
        r#"{"id": 2, "dph_base": 0.3, "storage_cost": null}"#,
        r#"{"id": 3, "dph_base": "cheap", "storage_cost": 0.2}"#,
        r#"{"id": 4, "dph_base": -0.3, "storage_cost": 0.2}"#,
        r#"{"id": 5, "dph_base": "0.3", "storage_cost": "0.72"}"#,
        r#"{"id": 6, "dph_base": NaN, "storage_cost": 0.2}"#,
        r#"{"id": 7, "dph_base": 1e308, "storage_cost": 1e308}"#,
        r#"{"id": 8, "dph_base": 0, "storage_cost": 0, "dlperf": 5, "total_flops": 7}"#,
    ]);
    let prices = Prices::new(&listing, OfferType::OnDemand);
    assert_eq!(prices.with_storage(0, 8.0), Err(Gap::Missing("dph_base")));
    assert_eq!(prices.with_storage(1, 8.0), Err(Gap::Missing("storage_cost")));
    assert_eq!(prices.with_storage(2, 8.0), Err(Gap::Misfit("dph_base")));
    assert_eq!(prices.with_storage(3, 8.0), Err(Gap::Negative("dph_base")));
    assert_eq!(prices.with_storage(5, 8.0), Err(Gap::Missing("dph_base")));
    assert_eq!(prices.with_storage(6, 1e6), Err(Gap::TooLarge));
    assert_eq!(prices.with_storage(99, 8.0), Err(Gap::Missing("dph_base")));
    // Numbers written as text are numbers: 0.3 + 0.72 x 100 / 720 = 0.4.
    near(prices.with_storage(4, 100.0).unwrap().total, 0.4);
    // A free offer has no performance per dollar.
    let free = prices.with_storage(7, 8.0).unwrap();
    assert_eq!((free.total, free.dlperf_per_dollar), (0.0, None));
    assert_eq!(free.flops_per_dollar, None);
    // Of no storage the price need not be known.
    near(prices.with_storage(1, 0.0).unwrap().total, 0.3);
    for gb in [-1.0, f64::NAN, f64::INFINITY, 2e9] {
        assert!(matches!(prices.with_storage(4, gb), Err(Gap::Input(_))), "{gb}");
    }
    assert_eq!(
        prices.with_storage(0, 8.0).unwrap_err().to_string(),
        "dph_base is not reported"
    );
}

#[test]
fn a_bid_is_the_floor_plus_storage() {
    // The RTX 5090 of a bid search: 0.26667 + 0.00185 = 0.26852; its base price is the floor.
    let listing = offers(&[
        r#"{"id": 1, "dph_base": 0.26667, "min_bid": 0.26667, "dph_total": 0.26852,
            "storage_cost": 0.1665, "storage_total_cost": 0.00185, "dlperf": 181.04}"#,
        r#"{"id": 2, "min_bid": 1.952, "dph_total": 1.954222, "dph_base": 1.952,
            "storage_cost": 0.2}"#,
    ]);
    let prices = Prices::new(&listing, OfferType::Bid);
    near(prices.quoted(0).unwrap(), 0.268_52);
    let repriced = prices.with_storage(0, 8.0).unwrap();
    near(repriced.total, 0.268_52);
    close(repriced.dlperf_per_dollar.unwrap(), 674.2, 0.1);
    near(prices.quoted(1).unwrap(), 1.954_222);
    near(prices.with_storage(1, 8.0).unwrap().total, 1.954_222);
    // An on-demand row tells its floor as well: 0.08 + 0.0103704.
    let listing = offers(&[OFFER_A]);
    let prices = Prices::new(&listing, OfferType::Bid);
    near(prices.quoted(0).unwrap(), 0.090_370_4);
    near(prices.base(0).unwrap(), 0.08);
}

#[test]
fn a_reserved_price_is_the_discounted_one() {
    let listing = offers(&[
        r#"{"id": 1, "dph_base": 0.105333, "dph_total": 0.1157037, "storage_cost": 0.933333,
            "storage_total_cost": 0.0103704, "discounted_dph_total": 0.0957037}"#,
        r#"{"id": 2, "dph_base": 1, "dph_total": 1.5, "storage_cost": 1,
            "discounted_dph_total": 0.2}"#,
        r#"{"id": 3, "dph_base": 1, "dph_total": 1.5, "storage_cost": 1}"#,
    ]);
    let prices = Prices::new(&listing, OfferType::Reserved);
    near(prices.quoted(0).unwrap(), 0.095_703_7);
    near(prices.base(0).unwrap(), 0.085_333_3);
    // 0.0853333 + 0.933333 x 100 / 720 = 0.0853333 + 0.1296296
    near(prices.with_storage(0, 100.0).unwrap().total, 0.214_962_9);
    // A discount that eats more than the GPUs cannot be taken apart.
    assert_eq!(prices.base(1), Err(Gap::Negative("discounted_dph_total")));
    assert_eq!(prices.quoted(2), Err(Gap::Missing("discounted_dph_total")));
}

#[test]
fn a_price_is_spread_over_what_is_bought() {
    let listing = offers(&[
        // A slice of a machine of four: its price is its own, not a quarter of it.
        r#"{"id": 1, "num_gpus": 1, "gpu_frac": 0.25, "gpu_total_ram": 20000, "dlperf": 8}"#,
        r#"{"id": 2, "num_gpus": 8, "gpu_ram": 10000}"#,
        r#"{"id": 3, "num_gpus": 0, "gpu_total_ram": 0, "dlperf": 0}"#,
        r#"{"id": 4}"#,
    ]);
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let unit = prices.per_unit(0, 0.32);
    near(unit.gpu.unwrap(), 0.32);
    near(unit.vram_gb.unwrap(), 0.016); // 0.32 / 20 GB
    near(unit.dlperf.unwrap(), 0.04); // 0.32 / 8
    let unit = prices.per_unit(1, 1.6);
    near(unit.gpu.unwrap(), 0.2);
    near(unit.vram_gb.unwrap(), 0.02); // 1.6 / 80 GB
    assert_eq!(unit.dlperf, None);
    for row in [2, 3] {
        let unit = prices.per_unit(row, 1.0);
        assert_eq!((unit.gpu, unit.vram_gb, unit.dlperf), (None, None, None));
    }
}

const JOB: Job = Job {
    run_hours: 10.0,
    stopped_hours: 20.0,
    disk_gb: 100.0,
    gb_in: 50.0,
    gb_out: 10.0,
    work_dlperf_hours: None,
    work: None,
    deadline: None,
    shared_by: None,
};

#[test]
fn a_job_is_gpus_storage_in_every_state_and_traffic_both_ways() {
    let listing = offers(&[OFFER_A]);
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let cost = prices.job_cost(0, &JOB, NOW).unwrap();
    // 50 GB at 4000 Mb/s take 100 s.
    near(cost.download, 0.027_778);
    near(cost.hours, 10.027_778);
    near(cost.gpu, 1.056_256); // 0.105333 x 10.027778
    near(cost.storage_running, 1.299_896_7); // 0.933333 x 100 / 720 x 10.027778
    near(cost.storage_stopped, 2.592_591_7); // the same x 20
    near(cost.traffic_in, 0.097_656_25); // 0.001953125 x 50
    near(cost.traffic_out, 0.019_531_25); // 0.001953125 x 10
    near(cost.total, 5.065_932);
    near(prices.job_total(0, &JOB).unwrap(), 5.065_932);
    // 3149474.36 s are 874.8539889 h; the job takes 30.0277778.
    let Outlives::Yes { spare } = cost.outlives else {
        panic!("{:?}", cost.outlives)
    };
    close(spare, 844.826_211_1, 1e-4);
    assert_eq!(cost.room, Room::Enough);
}

#[test]
fn the_arithmetic_of_a_job_is_shown() {
    let listing = offers(&[OFFER_A]);
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let mut shown = String::new();
    for step in prices.job_cost(0, &JOB, NOW).unwrap().steps {
        writeln!(shown, "{}: {} = {:.4}", step.label, step.formula, step.value).unwrap();
        let is_time = step.label == "Download";
        assert_eq!(step.measure == Measure::Hours, is_time);
    }
    assert_eq!(
        shown,
        "Download: 50 GB × 8000 Mb/GB / 4000 Mb/s / 3600 s/h = 0.0278\n\
         GPUs while running: 0.105333 $/h × 10.0278 h = 1.0563\n\
         Storage while running: 0.933333 $/GB/month × 100 GB / 720 h × 10.0278 h = 1.2999\n\
         Storage while stopped: 0.933333 $/GB/month × 100 GB / 720 h × 20 h = 2.5926\n\
         Traffic in: 0.00195312 $/GB × 50 GB = 0.0977\n\
         Traffic out: 0.00195312 $/GB × 10 GB = 0.0195\n\
         Total: 1.06 + 1.30 + 2.59 + 0.10 + 0.02 = 5.0659\n"
    );
    let nothing = Job {
        run_hours: 0.0,
        stopped_hours: 0.0,
        gb_in: 0.0,
        gb_out: 0.0,
        ..JOB
    };
    let cost = prices.job_cost(0, &nothing, NOW).unwrap();
    assert_eq!(cost.total, 0.0);
    assert_eq!(cost.steps.len(), 1);
}

#[test]
fn a_faster_offer_finishes_sooner() {
    let listing = offers(&[
        OFFER_A,
        r#"{"id": 2, "dph_base": 0.2, "storage_cost": 0, "dlperf": 283.54}"#,
        r#"{"id": 3, "dph_base": 0.2, "storage_cost": 0, "dlperf": 0}"#,
        r#"{"id": 4, "dph_base": 0.2, "storage_cost": 0}"#,
    ]);
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let job = Job {
        work_dlperf_hours: Some(1417.7),
        run_hours: 999.0,
        gb_in: 0.0,
        gb_out: 0.0,
        ..JOB
    };
    let slow = prices.job_cost(0, &job, NOW).unwrap();
    near(slow.hours, 10.0);
    near(slow.gpu, 1.053_33);
    assert_eq!(slow.steps[0].label, "Hours");
    assert_eq!(slow.steps[0].formula, "1417.7 DLPerf-hours / 141.77 DLPerf");
    assert_eq!(slow.steps[0].measure, Measure::Hours);
    let fast = prices.job_cost(1, &job, NOW).unwrap();
    near(fast.hours, 5.0);
    near(fast.total, 1.0);
    assert_eq!(fast.outlives, Outlives::Unknown);
    assert_eq!(fast.room, Room::Unknown);
    assert_eq!(prices.job_total(2, &job), Err(Gap::Zero("dlperf")));
    assert_eq!(prices.job_total(3, &job), Err(Gap::Missing("dlperf")));
}

#[test]
fn a_job_needs_only_the_prices_of_what_it_uses() {
    let listing = offers(&[r#"{"id": 1, "dph_base": 0.5, "storage_cost": 0.72}"#]);
    let prices = Prices::new(&listing, OfferType::OnDemand);
    assert_eq!(prices.job_total(0, &JOB), Err(Gap::Missing("inet_down_cost")));
    let quiet = Job {
        gb_in: 0.0,
        gb_out: 0.0,
        ..JOB
    };
    // 0.5 x 10 + 0.72 x 100 / 720 x 30
    near(prices.job_total(0, &quiet).unwrap(), 8.0);
    let upload = Job { gb_out: 1.0, ..quiet };
    assert_eq!(prices.job_total(0, &upload), Err(Gap::Missing("inet_up_cost")));
}

#[test]
fn a_job_that_outstays_the_offer_is_told() {
    let listing = offers(&[
        r#"{"id": 1, "dph_base": 1, "storage_cost": 0, "duration": 36000, "disk_space": 60}"#,
        r#"{"id": 2, "dph_base": 1, "storage_cost": 0, "end_date": 1753552870.64}"#,
        r#"{"id": 3, "dph_base": 1, "storage_cost": 0, "end_date": null}"#,
    ]);
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let job = Job {
        run_hours: 8.0,
        stopped_hours: 4.0,
        disk_gb: 100.0,
        gb_in: 0.0,
        gb_out: 0.0,
        work_dlperf_hours: None,
        work: None,
        deadline: None,
        shared_by: None,
    };
    let cost = prices.job_cost(0, &job, NOW).unwrap();
    assert_eq!(cost.outlives, Outlives::No { short_by: 2.0 });
    assert_eq!(cost.room, Room::ShortBy(40.0));
    // An hour after the answer came, an hour less is left.
    let Outlives::No { short_by } = prices.job_cost(0, &job, NOW + 3600.0).unwrap().outlives else {
        panic!()
    };
    near(short_by, 3.0);
    // The end date alone says the same: 36000 s after the answer.
    let Outlives::No { short_by } = prices.job_cost(1, &job, NOW).unwrap().outlives else {
        panic!()
    };
    near(short_by, 2.0);
    assert_eq!(prices.job_cost(2, &job, NOW).unwrap().outlives, Outlives::Unknown);
}

#[test]
fn impossible_jobs_are_refused() {
    let listing = offers(&[OFFER_A]);
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let cases: [(Input, Job); 6] = [
        (Input::RunHours, Job { run_hours: -1.0, ..JOB }),
        (
            Input::StoppedHours,
            Job {
                stopped_hours: f64::NAN,
                ..JOB
            },
        ),
        (Input::DiskGb, Job { disk_gb: 1e10, ..JOB }),
        (
            Input::GbIn,
            Job {
                gb_in: f64::INFINITY,
                ..JOB
            },
        ),
        (Input::GbOut, Job { gb_out: -0.1, ..JOB }),
        (
            Input::Work,
            Job {
                work_dlperf_hours: Some(-5.0),
                ..JOB
            },
        ),
    ];
    for (input, job) in cases {
        let error = job.validate().unwrap_err();
        assert_eq!(error.input, input);
        assert_eq!(prices.job_total(0, &job), Err(Gap::Input(error)));
    }
    assert_eq!(
        Job { run_hours: -1.0, ..JOB }.validate().unwrap_err().to_string(),
        "run hours must be a number from 0 to 1000000"
    );
    assert_eq!(Job::default().validate(), Ok(()));
}

#[test]
fn a_bid_job_pays_the_bid() {
    let listing = offers(&[OFFER_A]);
    let job = Job {
        gb_in: 0.0,
        gb_out: 0.0,
        disk_gb: 0.0,
        ..JOB
    };
    let total = |model| Prices::new(&listing, model).job_total(0, &job).unwrap();
    near(total(OfferType::OnDemand), 1.053_33);
    near(total(OfferType::Bid), 0.8);
    near(total(OfferType::Reserved), 1.053_333);
}

#[test]
fn a_job_survives_being_kept() {
    let text = serde_json::to_string(&JOB).unwrap();
    assert_eq!(serde_json::from_str::<Job>(&text).unwrap(), JOB);
    let partly: Job = serde_json::from_str(r#"{"run_hours": 3}"#).unwrap();
    assert_eq!((partly.run_hours, partly.disk_gb), (3.0, 50.0));
}

#[test]
fn a_volume_costs_by_the_hour_the_month_and_the_term() {
    let listing = volumes(&[
        r#"{"ask_contract_id": 1, "storage_cost": 0.20, "disk_space": 1000,
            "end_date": 1761292870.64}"#,
        r#"{"ask_contract_id": 2, "storage_cost_total": 0.1, "disk_space": 100}"#,
    ]);
    let prices = VolumePrices::new(&listing);
    // 150 GB at 0.20: 30 a month, 0.0416667 an hour; three months are 90 days, 90 dollars.
    let term = VolumeTerm::months(150.0, 3.0);
    assert_eq!(term.days, 90.0);
    let cost = prices.cost(0, &term, NOW).unwrap();
    near(cost.per_hour, 0.041_667);
    near(cost.per_month, 30.0);
    near(cost.term, 90.0);
    near(prices.term_total(0, &term).unwrap(), 90.0);
    assert_eq!(cost.room, Room::Enough);
    // It is on offer for 7776000 s, which are exactly these 90 days.
    let Outlives::Yes { spare } = cost.outlives else {
        panic!("{:?}", cost.outlives)
    };
    near(spare, 0.0);
    let formulas: Vec<_> = cost.steps.iter().map(|step| step.formula.as_str()).collect();
    assert_eq!(
        formulas,
        [
            "0.2 $/GB/month × 150 GB / 720 h",
            "0.2 $/GB/month × 150 GB",
            "0.0416667 $/h × 90 days × 24 h",
        ]
    );
    let term = VolumeTerm { gb: 2000.0, days: 91.0 };
    let cost = prices.cost(0, &term, NOW).unwrap();
    assert_eq!(cost.room, Room::ShortBy(1000.0));
    let Outlives::No { short_by } = cost.outlives else {
        panic!("{:?}", cost.outlives)
    };
    near(short_by, 24.0);
    assert_eq!(prices.cost(1, &term, NOW), Err(Gap::Missing("storage_cost")));
    let endless = VolumeTerm {
        gb: 1.0,
        days: f64::INFINITY,
    };
    assert!(matches!(prices.term_total(0, &endless), Err(Gap::Input(_))));
}

#[test]
fn three_prices_are_joined_by_id_else_by_machine_and_gpus() {
    let on_demand = offers(&[
        r#"{"id": 1, "machine_id": 7, "gpu_ids": [0], "dph_base": 0.38665, "dph_total": 0.3885,
            "storage_cost": 0.1665, "storage_total_cost": 0.00185}"#,
        r#"{"id": 2, "machine_id": 7, "gpu_ids": [1, 2], "dph_base": 0.5, "dph_total": 0.5,
            "storage_cost": 0}"#,
        r#"{"id": 3, "dph_base": 0.5, "dph_total": 0.5, "storage_cost": 0}"#,
    ]);
    let bid = offers(&[
        r#"{"id": 1, "machine_id": 7, "gpu_ids": [0], "dph_base": 0.26667, "min_bid": 0.26667,
            "dph_total": 0.26852, "storage_cost": 0.1665, "storage_total_cost": 0.00185}"#,
        r#"{"id": 99, "machine_id": 7, "gpu_ids": [2, 1], "dph_base": 0.75, "min_bid": 0.75,
            "dph_total": 0.75, "storage_cost": 0, "storage_total_cost": 0}"#,
    ]);
    let reserved = offers(&[
        r#"{"id": 2, "discounted_dph_total": 0.4, "dph_total": 0.5, "storage_total_cost": 0}"#,
        r#"{"id": 1, "dph_total": 0.3885}"#,
    ]);
    let join = PriceJoin::new(&on_demand, Some(&on_demand), Some(&bid), Some(&reserved), None);
    let first = join.prices_of_row(0);
    near(first.on_demand.unwrap().total, 0.3885);
    let floor = first.bid.unwrap();
    near(floor.total, 0.268_52);
    near(floor.base.unwrap(), 0.266_67);
    assert_eq!(floor.joined, Joined::ById);
    close(first.saving.unwrap(), 0.308_8, 1e-4); // 1 - 0.26852 / 0.3885
    assert_eq!((first.reserved, first.discount), (None, None));
    let second = join.prices_of_row(1);
    let floor = second.bid.unwrap();
    assert_eq!((floor.joined, floor.row), (Joined::ByGpus, 1));
    near(second.saving.unwrap(), -0.5); // the bid floor is higher
    near(second.reserved.unwrap().total, 0.4);
    near(second.discount.unwrap(), 0.2);
    let third = join.prices_of_row(2);
    assert_eq!((third.bid, third.reserved, third.saving), (None, None, None));
    assert!(third.on_demand.is_some());
}

#[test]
fn three_prices_can_be_had_at_another_storage() {
    let on_demand = offers(&[OFFER_A]);
    let bid = offers(&[OFFER_A]);
    let join = PriceJoin::new(&bid, Some(&on_demand), Some(&bid), None, Some(100.0));
    let prices = join.prices_of_row(0);
    // 0.105333 and 0.08, each plus 0.933333 x 100 / 720 = 0.1296296
    near(prices.on_demand.unwrap().total, 0.234_962_6);
    near(prices.bid.unwrap().total, 0.209_629_6);
    close(prices.saving.unwrap(), 0.107_817_5, 1e-5); // 0.025333 / 0.2349626
}

#[test]
fn two_rows_that_claim_the_same_gpus_are_joined_to_nobody() {
    let record = |id: i64| {
        format!(
            r#"{{"id": {id}, "machine_id": 7, "gpu_ids": [0, 1], "min_bid": 0.1,
                "storage_total_cost": 0, "dph_total": 0.1}}"#
        )
    };
    let shown = offers(&[&record(1)]);
    let twice = offers(&[&record(2), &record(3)]);
    let once = offers(&[&record(2)]);
    let bid = |listing| {
        PriceJoin::new(&shown, None, Some(listing), None, None)
            .prices_of_row(0)
            .bid
    };
    assert!(bid(&once).is_some());
    assert_eq!(bid(&twice), None);
    let nameless = offers(&[r#"{"id": 2, "machine_id": 7, "gpu_ids": []}"#]);
    assert_eq!(bid(&nameless), None);
}

#[test]
fn gpu_numbers_are_read_tolerantly() {
    let listing = offers(&[
        r#"{"id": 1, "gpu_ids": [3, 0, 1]}"#,
        r#"{"id": 2, "gpu_ids": null}"#,
        r#"{"id": 3, "gpu_ids": ["a"]}"#,
        r#"{"id": 4, "gpu_ids": "none"}"#,
        r#"{"id": 5, "gpu_ids": 4}"#,
    ]);
    assert_eq!(gpu_numbers(&listing, 0), [0, 1, 3]);
    for row in 1..5 {
        assert!(gpu_numbers(&listing, row).is_empty(), "row {row}");
    }
}

#[test]
fn the_download_is_paid_for_as_hours() {
    // 300 GB at 800 Mb/s: 300 x 8000 / 800 = 3000 s = 0.8333 h.
    let record = |id: u32, speed: &str| {
        format!(
            r#"{{"id":{id},"dph_base":0.6,"storage_cost":0.72,"inet_down_cost":0.01,"inet_up_cost":0.0,
                "duration":36000.0,"disk_space":500.0,"dlperf":100.0{speed}}}"#
        )
    };
    let listing = offers(&[&record(1, r#","inet_down":800.0"#), &record(2, "")]);
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let job = Job {
        run_hours: 9.0,
        stopped_hours: 0.0,
        disk_gb: 100.0,
        gb_in: 300.0,
        gb_out: 0.0,
        work_dlperf_hours: None,
        work: None,
        deadline: None,
        shared_by: None,
    };
    let cost = prices.job_cost(0, &job, NOW).unwrap();
    close(cost.download, 0.833_333, 1e-6);
    close(cost.hours, 9.833_333, 1e-6);
    // GPUs 0.6 x 9.8333, storage 0.72 x 100 / 720 = 0.1 an hour, traffic $3.
    close(cost.total, 5.9 + 0.983_333 + 3.0, 1e-5);
    assert_eq!(cost.steps[0].label, "Download");
    assert_eq!(cost.steps[0].formula, "300 GB × 8000 Mb/GB / 800 Mb/s / 3600 s/h");
    // Ten hours are left: enough for nine and the download, not for half an hour more.
    assert!(prices.fits(0, &job, NOW));
    let longer = Job { run_hours: 9.5, ..job };
    assert!(!prices.fits(0, &longer, NOW));
    // Where the speed is not reported the bill is unknown: as free it would lead the ranking.
    assert_eq!(prices.job_cost(1, &job, NOW).unwrap_err(), Gap::Missing("inet_down"));
    assert!(prices.job_total(1, &job).is_err() && prices.job_hours(1, &job).is_err());
    // A download whose time nobody knows is not known to end in time; what is too long without it never does.
    assert_eq!(prices.fit(1, &job, NOW), Fit::Unknown);
    assert!(!prices.fits(1, &job, NOW));
    assert_eq!(prices.fit(1, &Job { run_hours: 10.1, ..job }, NOW), Fit::No);
    // Nothing to download needs no speed.
    assert!(prices.fits(1, &Job { gb_in: 0.0, ..job }, NOW));
    // Nothing to download needs no speed.
    assert!(prices.job_total(1, &Job { gb_in: 0.0, ..job }).is_ok());
    // Work in DLPerf-hours takes 5 h on 100 DLPerf, after the download.
    let work = Job {
        work_dlperf_hours: Some(500.0),
        ..job
    };
    close(prices.job_hours(0, &work).unwrap(), 5.833_333, 1e-6);
    // What never runs downloads nothing.
    let stopped = Job { run_hours: 0.0, ..job };
    near(prices.job_hours(0, &stopped).unwrap(), 0.0);
}

#[test]
fn a_job_is_read_from_a_word() {
    let job: Job = "5d, 1TB, 300GB-down, 50gb up, 2d-stopped".parse().unwrap();
    let wanted = Job {
        run_hours: 120.0,
        stopped_hours: 48.0,
        disk_gb: 1000.0,
        gb_in: 300.0,
        gb_out: 50.0,
        work_dlperf_hours: None,
        work: None,
        deadline: None,
        shared_by: None,
    };
    assert_eq!(job, wanted);
    let job: Job = "72".parse().unwrap();
    assert_eq!((job.run_hours, job.disk_gb, job.gb_in), (72.0, 8.0, 0.0));
    let job: Job = "5000dlperf-hours,100GB".parse().unwrap();
    assert_eq!(job.work_dlperf_hours, Some(5000.0));
    assert!("100GB".parse::<Job>().unwrap_err().message.contains("needs a run time"));
    let error = "3d,soon".parse::<Job>().unwrap_err().message;
    assert!(error.starts_with("'soon' is no part of a job"), "{error}");
}
