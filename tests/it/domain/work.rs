//! Jobs in work: hours, bills and deadlines by hand, and the words for them.

use std::sync::Arc;

use bourse::domain::cost::{Fit, Gap, Job, Outlives, Prices};
use bourse::domain::language::Mode;
use bourse::domain::local::LocalTime;
use bourse::domain::plain::{self, Names};
use bourse::domain::saved::DashboardState;
use bourse::domain::throughput::{Throughput, Work, WorkUnit};
use bourse::domain::time::UnixTime;
use bourse::domain::{Dialect, Listing, OFFERS, OfferType, VOLUMES};

/// Wednesday 2026-11-25, 16:00 UTC.
const NOW: UnixTime = UnixTime::new(1_795_622_400.0);

const TOKENS: Work = Work {
    amount: 5e8,
    unit: WorkUnit::Tokens,
};

/// Two RTX 4090 at $0.80/h for ten days, an RTX 5090 without a rate, an H100 at $2/h that ends after ten hours.
fn listing() -> Listing {
    let record = |id: u32, model: &str, gpus: u32, price: f64, left: u32| {
        format!(
            r#"{{"id":{id},"gpu_name":"{model}","num_gpus":{gpus},"dph_base":{price},"dph_total":{price},
               "storage_cost":0,"inet_down_cost":0,"inet_up_cost":0,"disk_space":500,"duration":{left}}}"#
        )
    };
    let records = [
        record(1, "RTX 4090", 2, 0.8, 864_000),
        record(2, "RTX 5090", 1, 0.5, 864_000),
        record(3, "H100 SXM", 1, 2.0, 36_000),
    ];
    let body = format!(r#"{{"offers":[{}]}}"#, records.join(","));
    let mut listing = Listing::read(&OFFERS, body, NOW).unwrap();
    let mut throughput = Throughput::default();
    throughput.set(WorkUnit::Tokens, "RTX_4090", 2500.0).unwrap();
    throughput.set(WorkUnit::Tokens, "H100 SXM", 10_000.0).unwrap();
    listing.set_throughput(Arc::new(throughput));
    listing
}

/// 500M tokens by 20 hours from now.
fn job() -> Job {
    Job {
        work: Some(TOKENS),
        deadline: Some(NOW + 20.0 * 3600.0),
        gb_in: 0.0,
        gb_out: 0.0,
        ..Job::default()
    }
}

#[track_caller]
fn near(value: f64, wanted: f64) {
    assert!((value - wanted).abs() < 1e-6, "{value} is not {wanted}");
}

#[test]
fn work_over_throughput_is_hours_and_hours_are_dollars() {
    let listing = listing();
    let prices = Prices::new(&listing, OfferType::OnDemand);
    // 500M / (2 x 2,500 x 3,600) = 27.7778 h at $0.80.
    let cost = prices.job_cost(0, &job(), NOW).unwrap();
    near(cost.hours, 250.0 / 9.0);
    near(cost.total, 200.0 / 9.0);
    near(cost.per_unit.unwrap(), 200.0 / 9.0 / 500.0);
    assert_eq!(cost.steps[0].formula, "500M tokens / (2 × 2500 tokens/s) / 3600 s/h");
    let Some(Outlives::No { short_by }) = cost.in_time else {
        panic!("{:?}", cost.in_time)
    };
    near(short_by, 70.0 / 9.0);
    assert!(!prices.fits(0, &job(), NOW));
    let relaxed = Job {
        deadline: Some(NOW + 30.0 * 3600.0),
        ..job()
    };
    assert!(prices.fits(0, &relaxed, NOW));
    near(prices.job_slack(0, &relaxed, NOW).unwrap().unwrap(), 20.0 / 9.0);
    // Time that has passed since counts.
    assert!(!prices.fits(0, &relaxed, NOW + 3.0 * 3600.0));
    // 13.9 hours would be in time, but the offer ends after ten.
    let cost = prices.job_cost(2, &job(), NOW).unwrap();
    near(cost.hours, 125.0 / 9.0);
    assert!(matches!(cost.in_time, Some(Outlives::Yes { .. })));
    assert!(matches!(cost.outlives, Outlives::No { .. }));
    assert!(!prices.fits(2, &job(), NOW));
}

#[test]
fn a_model_without_a_rate_has_no_hours_but_the_line_to_add() {
    let listing = listing();
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let gap = prices.job_cost(1, &job(), NOW).unwrap_err();
    assert_eq!(gap, Gap::NoRate(WorkUnit::Tokens, "RTX 5090".to_owned()));
    let why = "the tokens/s of RTX 5090 are unknown: fill in Rate in the job, or [throughput] in config.toml";
    assert_eq!(gap.to_string(), why);
    assert_eq!(
        prices.fit(1, &job(), NOW),
        Fit::Unknown,
        "unknown hours are not in time"
    );
    let images = Work {
        unit: WorkUnit::Images,
        ..TOKENS
    };
    let images = Job {
        work: Some(images),
        ..job()
    };
    assert!(prices.job_hours(0, &images).is_err());
}

#[test]
fn gpus_that_divide_the_work_are_done_sooner() {
    let listing = listing();
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let shared = Job {
        shared_by: Some(8),
        ..job()
    };
    near(prices.job_hours(0, &shared).unwrap(), 250.0 / 9.0 / 4.0);
    near(prices.job_total(0, &shared).unwrap(), 200.0 / 9.0 / 4.0);
}

#[test]
fn a_job_in_work_is_written_and_read_back() {
    let spec = job().spec();
    assert_eq!(spec, "500M-tokens,50GB,by-2026-11-26T12:00:00Z");
    let read = Job {
        run_hours: 0.0,
        ..job()
    };
    assert_eq!(spec.parse(), Ok(read));
    for (text, amount) in [
        ("500M tokens", 5e8),
        ("1.5b tokens", 1.5e9),
        ("2 million tokens", 2e6),
        ("20k images", 2e4),
        ("1,234,567 steps", 1_234_567.0),
        ("7 token", 7.0),
    ] {
        let work: Work = text.parse().unwrap();
        near(work.amount, amount);
        assert_eq!(work.to_string().parse(), Ok(work), "{text}");
    }
    for text in [
        "",
        "500M",
        "tokens",
        "-5 tokens",
        "0 tokens",
        "1e9 tokens",
        "5q tokens",
        "nan tokens",
        "m tokens",
    ] {
        assert!(text.parse::<Work>().is_err(), "{text}");
    }
    assert!(
        "3d,500M-tokens"
            .parse::<Job>()
            .unwrap_err()
            .message
            .contains("run time or work, not both")
    );
    assert!(
        "500M-tokens,by friday"
            .parse::<Job>()
            .unwrap_err()
            .message
            .contains("--by takes friday")
    );
    // A file of this version, and of the one before.
    let json = serde_json::to_string(&job()).unwrap();
    assert_eq!(serde_json::from_str::<Job>(&json).unwrap(), job());
    let old = r#"{"job":{"run_hours":10.0,"stopped_hours":0.0,"disk_gb":50.0,"gb_in":0.0,"gb_out":0.0,
        "work_dlperf_hours":null}}"#;
    let job = serde_json::from_str::<DashboardState>(old).unwrap().job.unwrap();
    assert_eq!((job.run_hours, job.work, job.deadline), (10.0, None, None));
    assert!(!serde_json::to_string(&job).unwrap().contains("deadline"));
}

/// What words mean, in one line; `None` if any of them is refused.
fn meant(words: &str) -> Option<String> {
    let reading = plain::read(words, &OFFERS, &Dialect::SANDBOX, &Names::default());
    let parsed = reading.parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
    parsed.ok().map(|_| reading.meaning.text())
}

#[test]
fn words_name_work_and_a_deadline_or_are_refused() {
    for (words, wanted) in [
        (
            "4090 500m tokens by friday",
            "gpu_name=RTX_4090 · job 500M tokens, by friday",
        ),
        ("500M tokens", "job 500M tokens"),
        ("2 billion tokens on h100 sxm", "gpu_name=H100_SXM · job 2B tokens"),
        (
            "20k images, 100gb disk, before 2026-12-01 18:00",
            "disk_space>=100 · job 20k images, 100 GB disk, by 2026-12-01 18:00",
        ),
        ("3d by tomorrow noon", "job 3d, by tomorrow 12:00"),
        (
            "cheapest 4090 500k steps by 6 pm",
            "gpu_name=RTX_4090 · job 500k steps, by 18:00 · sort job_cost",
        ),
        ("500m tokens by next sunday", "job 500M tokens, by next sunday"),
        (
            "4090 500m tokens until next friday",
            "gpu_name=RTX_4090 · job 500M tokens, by next friday",
        ),
        (
            "500m tokens by sunday evening europe",
            "geolocation in EUROPE · job 500M tokens, by sunday 18:00",
        ),
        ("3d before next monday", "job 3d, by next monday 00:00"),
        (
            "4090 500m tokens under $50 in total",
            "gpu_name=RTX_4090 job_cost<50 · job 500M tokens",
        ),
        (
            "4090 500m tokens for $50",
            "gpu_name=RTX_4090 job_cost<=50 · job 500M tokens",
        ),
    ] {
        assert_eq!(meant(words).as_deref(), Some(wanted), "{words}");
    }
    for words in [
        "by friday",
        "4090 by friday",
        "friday",
        "500m",
        "4090 500m tokens 3d",
        "500m tokens 200 images",
        "at least 500m tokens",
        "500m tokens by someday",
        "500m tokens by next week",
        "500m tokens by next",
        "500m tokens by friday bananas",
        "500m tokens under $2",
        "under $1 per 500m tokens",
    ] {
        assert_eq!(meant(words), None, "{words}");
    }
    let volumes = plain::read("500m tokens by friday", &VOLUMES, &Dialect::SANDBOX, &Names::default());
    assert!(volumes.is_empty());
}

#[test]
fn words_change_what_they_name_of_the_job_that_is_there() {
    let local = LocalTime {
        zone: jiff::tz::TimeZone::UTC,
        now: NOW,
    };
    let said = |words: &str, current: Option<Job>| {
        let reading = plain::read(words, &OFFERS, &Dialect::SANDBOX, &Names::default());
        reading.meaning.settings.job.apply_to(current, None, &local)
    };
    let job = said("500m tokens by friday", None);
    // Until the last minute of 2026-11-27.
    assert_eq!(
        (job.work, job.deadline),
        (Some(TOKENS), Some(UnixTime::new(1_795_823_940.0)))
    );
    let brief = "500M tokens, 8 GB, by Fri 23:59 (2.3 days left)";
    assert_eq!(job.brief(&local), brief);
    let hours = said("3d", Some(job));
    assert_eq!(
        (hours.work, hours.run_hours, hours.deadline),
        (None, 72.0, job.deadline)
    );
}
