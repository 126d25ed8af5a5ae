//! What a listing tells: expectations by hand, and properties against the plain definition.

use bourse::domain::cost::Prices;
use bourse::domain::insight::{
    CompareSection, Coverage, Front, Goal, GroupOrder, GroupValue, Histogram, Measures, Point, Scale, ScaleKind,
    Spread, Subject, Toward, axes, compare, coverage, facets, neighbour, points, quantile, same_host, same_machine,
    share, slices, sort_groups, summarise,
};
use bourse::domain::time::UnixTime;
use bourse::domain::{
    Condition, Field, Listing, OFFERS, OfferType, Operand, Operator, Section, Untrusted, VOLUMES, Value, Version,
    WORKERGROUPS,
};
use bourse::features::search::rules::{funnel, loosened};
use bourse::record::differences::{Differences, differences};
use proptest::prelude::*;

/// When every listing here was read, in seconds since 1970.
const NOW: UnixTime = UnixTime::new(1_753_516_870.64);

fn offers(records: &[&str]) -> Listing {
    let body = format!(r#"{{"offers": [{}]}}"#, records.join(","));
    Listing::read(&OFFERS, body, NOW).unwrap()
}

fn field(key: &str) -> &'static Field {
    OFFERS.by_key(key).unwrap()
}

fn all(listing: &Listing) -> Vec<u32> {
    (0..listing.len() as u32).collect()
}

#[track_caller]
fn near(value: f64, wanted: f64) {
    assert!((value - wanted).abs() <= 1e-9, "{value} is not {wanted}");
}

/// A small answer with the surprises of real ones.
fn market() -> Listing {
    offers(&[
        r#"{"id": 1, "gpu_name": "RTX 4090", "num_gpus": 1, "geolocation": "Texas, US",
            "dph_total": 0.4, "dlperf": 80, "host_id": 1, "mobo_name": null}"#,
        r#"{"id": 2, "gpu_name": "RTX 4090", "num_gpus": 2, "geolocation": ", US",
            "dph_total": 0.9, "dlperf": 180, "host_id": 2, "mobo_name": "NULL"}"#,
        r#"{"id": 3, "gpu_name": "RTX 4090", "num_gpus": "1", "geolocation": "Türkiye, TR",
            "dph_total": null, "dlperf": 90, "host_id": 1}"#,
        r#"{"id": 4, "gpu_name": "H100 SXM", "num_gpus": 8, "geolocation": null,
            "dph_total": 16, "dlperf": 1600, "host_id": 3}"#,
        r#"{"id": 5, "gpu_name": null, "num_gpus": 0, "dph_total": 0.3, "dlperf": NaN}"#,
        r#"{"id": 5, "gpu_name": "RTX 4090", "dph_total": 0.01}"#,
        r#"{"id": 6, "gpu_name": "RTX 4090", "num_gpus": 1, "geolocation": "Ohio, US",
            "dph_total": 0.6, "dlperf": 90, "host_id": 1, "mobo_name": "To be filled by O"}"#,
    ])
}

#[test]
fn quantiles_are_interpolated() {
    let sorted = [1.0, 2.0, 3.0, 4.0];
    assert_eq!(quantile(&sorted, 0.0), Some(1.0));
    assert_eq!(quantile(&sorted, 0.25), Some(1.75));
    assert_eq!(quantile(&sorted, 0.5), Some(2.5));
    assert_eq!(quantile(&sorted, 1.0), Some(4.0));
    assert_eq!(quantile(&sorted, 7.0), Some(4.0));
    assert_eq!(quantile(&[], 0.5), None);
    let spread = Spread::from_values([5.0, f64::NAN, 1.0, 3.0]).unwrap();
    assert_eq!((spread.known, spread.median), (3, 3.0));
    assert_eq!((spread.lower_quartile, spread.upper_quartile), (2.0, 4.0));
    assert_eq!((spread.lowest, spread.highest), (1.0, 5.0));
    assert_eq!(Spread::from_values([f64::NAN]), None);
}

#[test]
fn a_summary_counts_and_prices_each_model() {
    let listing = market();
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let measures = Measures::offers(&prices, None);
    let grouping = [field("gpu_name")];
    let groups = summarise(&listing, &all(&listing), &grouping, &measures);
    let keys: Vec<_> = groups.iter().map(|group| group.key[0].clone()).collect();
    let text = |text: &str| GroupValue::Text(Untrusted::from(text));
    assert_eq!(keys, [text("RTX 4090"), text("H100 SXM"), GroupValue::Blank]);
    let group = &groups[0];
    assert_eq!(group.rows, [0, 1, 2, 5]); // the second record of id 5 is a repetition
    assert_eq!(group.count(), 4);
    let price = group.price.unwrap(); // 0.4, 0.6 and 0.9; one record says no price
    assert_eq!((price.known, price.lowest, price.median), (3, 0.4, 0.6));
    let unit = group.unit_price.unwrap(); // of each GPU: 0.4, twice 0.45, and 0.6
    assert_eq!((unit.known, unit.lowest, unit.median), (4, 0.4, 0.45));
    assert_eq!(group.cheapest.unwrap().row, 0);
    // 80 / 0.4 = 200, 180 / 0.9 = 200, 90 / 0.6 = 150: of equal ones, the first.
    let best = group.best.unwrap();
    assert_eq!(best.row, 0);
    near(best.value, 200.0);
    near(groups[1].unit_price.unwrap().median, 2.0);
    let nameless = &groups[2];
    assert_eq!(nameless.price.unwrap().lowest, 0.3);
    assert_eq!((nameless.unit_price, nameless.best), (None, None));
}

#[test]
fn places_are_grouped_by_country_and_groups_narrow_to_their_rows() {
    let listing = market();
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let measures = Measures::offers(&prices, None);
    let groupings: [&[&'static Field]; 5] = [
        &[field("geolocation")],
        &[field("host_id")],
        &[field("num_gpus")],
        &[field("gpu_name"), field("num_gpus")],
        &[field("gpu_name"), field("geolocation")],
    ];
    for grouping in groupings {
        let groups = summarise(&listing, &all(&listing), grouping, &measures);
        let rows: usize = groups.iter().map(|group| group.count()).sum();
        assert_eq!(rows, listing.len());
        for group in &groups {
            let conditions = group.conditions(grouping);
            assert_eq!(listing.matching(&conditions), group.rows, "{conditions:?}");
        }
    }
    let groups = summarise(&listing, &all(&listing), groupings[0], &measures);
    assert_eq!(groups[0].key, [GroupValue::Text(Untrusted::from("US"))]);
    assert_eq!(groups[0].rows, [0, 1, 5]);
    let groups = summarise(&listing, &[], groupings[0], &measures);
    assert!(groups.is_empty());
}

#[test]
fn a_summary_can_be_ordered_by_price_or_merit() {
    let listing = market();
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let measures = Measures::offers(&prices, None);
    let mut groups = summarise(&listing, &all(&listing), &[field("num_gpus")], &measures);
    let order = |groups: &[bourse::domain::insight::Group]| -> Vec<f64> {
        let number = |value: &GroupValue| match value {
            GroupValue::Number(number) => *number,
            other => panic!("{other:?}"),
        };
        groups.iter().map(|group| number(&group.key[0])).collect()
    };
    assert_eq!(order(&groups), [1.0, 0.0, 2.0, 8.0]);
    sort_groups(&mut groups, GroupOrder::Lowest); // 0.4, 0.45, 2; no price per GPU of 0 GPUs
    assert_eq!(order(&groups), [1.0, 2.0, 8.0, 0.0]);
    sort_groups(&mut groups, GroupOrder::Median); // 0.5, 0.45, 2
    assert_eq!(order(&groups), [2.0, 1.0, 8.0, 0.0]);
    sort_groups(&mut groups, GroupOrder::Merit); // 200, 200, 100
    assert_eq!(order(&groups), [2.0, 1.0, 8.0, 0.0]);
    sort_groups(&mut groups, GroupOrder::Count);
    assert_eq!(order(&groups)[0], 1.0);
    assert_eq!(GroupOrder::Count.next().next().next().next(), GroupOrder::Count);
}

#[test]
fn volumes_are_summarised_by_price_and_speed() {
    let body = r#"{"offers": [
        {"ask_contract_id": 1, "geolocation": "US", "storage_cost": 0.2, "nw_disk_avg_bw": 800},
        {"ask_contract_id": 2, "geolocation": "US", "storage_cost": 0.1, "nw_disk_avg_bw": 500},
        {"ask_contract_id": 3, "geolocation": "US", "storage_cost": 0, "nw_disk_avg_bw": null}]}"#;
    let listing = Listing::read(&VOLUMES, body, NOW).unwrap();
    let prices = bourse::domain::cost::VolumePrices::new(&listing);
    let measures = Measures::volumes(&listing, &prices);
    let place = VOLUMES.by_key("geolocation").unwrap();
    let groups = summarise(&listing, &[0, 1, 2], &[place], &measures);
    assert_eq!(groups.len(), 1);
    assert_eq!(groups[0].price.unwrap().median, 0.1);
    let best = groups[0].best.unwrap(); // 800 / 0.2 = 4000; 500 / 0.1 = 5000
    assert_eq!(best.row, 1);
    near(best.value, 5000.0);
}

#[test]
fn facets_count_what_is_there_and_never_show_a_secret() {
    let listing = market();
    let found = facets(&listing, &all(&listing), field("gpu_name"));
    let text = |text: &str| GroupValue::Text(Untrusted::from(text));
    assert_eq!(
        found,
        [(text("RTX 4090"), 4), (text("H100 SXM"), 1), (GroupValue::Blank, 1)]
    );
    let groups = r#"{"results": [{"id": 1, "api_key": "s3cret"}]}"#;
    let groups = Listing::read(&WORKERGROUPS, groups, NOW).unwrap();
    let secret = WORKERGROUPS.by_key("api_key").unwrap();
    assert_eq!(facets(&groups, &[0], secret), [(GroupValue::Blank, 1)]);
}

#[test]
fn the_front_holds_what_no_offer_beats() {
    let listing = market();
    let points = points(&listing, &all(&listing), field("dph_total"), field("dlperf"));
    // Row 2 has no price, row 4 no performance.
    let rows: Vec<u32> = points.iter().map(|point| point.row).collect();
    assert_eq!(rows, [0, 1, 3, 5]);
    let front = Front::new(&points, Goal::Least, Goal::Most);
    let members: Vec<u32> = front.members().iter().map(|point| point.row).collect();
    // 0.4 with 80, 0.6 with 90, 0.9 with 180, 16 with 1600: each dearer one does more.
    assert_eq!(members, [0, 5, 1, 3]);
    assert!(front.contains(0) && !front.contains(2) && !front.contains(99));
    assert_eq!(front.beaten_by(0), None);
    assert_eq!(front.beaten_by(2), None);
}

#[test]
fn a_beaten_offer_is_told_by_which_and_by_how_much() {
    let point = |row, x, y| Point { row, x, y };
    let points = [
        point(1, 0.5, 100.0),
        point(2, 0.4, 100.0), // beats 1 in x alone
        point(3, 0.3, 60.0),
        point(4, 0.8, 80.0),  // beaten by 2, not by 3
        point(5, 0.4, 100.0), // in the same place as 2: not beaten
        point(6, 0.9, 50.0),  // beaten by both: 3 has the better x
        point(7, f64::NAN, 1e9),
    ];
    let front = Front::new(&points, Goal::Least, Goal::Most);
    let members: Vec<u32> = front.members().iter().map(|point| point.row).collect();
    assert_eq!(members, [3, 2, 5]);
    let lead = front.beaten_by(1).unwrap();
    assert_eq!((lead.row, lead.y), (2, 0.0));
    near(lead.x, 0.1);
    near(lead.x_share.unwrap(), 0.2); // 0.1 of 0.5
    let lead = front.beaten_by(4).unwrap();
    assert_eq!(lead.row, 2);
    near(lead.x, 0.4);
    near(lead.y, 20.0);
    near(lead.y_share.unwrap(), 0.25);
    assert_eq!(front.beaten_by(6).unwrap().row, 3);
    assert_eq!(front.beaten_by(5), None);
    assert_eq!(front.beaten_by(7), None);
    assert!(!front.contains(7));
    let zero = [point(1, 0.0, 0.0), point(2, 0.0, 5.0)];
    let lead = Front::new(&zero, Goal::Least, Goal::Most).beaten_by(1).unwrap();
    assert_eq!((lead.x, lead.x_share, lead.y, lead.y_share), (0.0, None, 5.0, None));
}

#[test]
fn fields_know_which_end_is_better() {
    assert_eq!(Goal::for_field(field("dph_total")), Some(Goal::Least));
    assert_eq!(Goal::for_field(field("dlperf")), Some(Goal::Most));
    assert_eq!(Goal::for_field(field("gpu_max_power")), None);
    assert_eq!(Goal::Least.flipped(), Goal::Most);
    let listing = market();
    let keys: Vec<_> = axes(&listing).map(|field| field.key).collect();
    assert!(keys.contains(&"dph_total") && keys.contains(&"driver_version"));
    assert!(!keys.contains(&"machine_id") && !keys.contains(&"gpu_name"));
}

#[test]
fn versions_can_be_an_axis() {
    let listing = offers(&[
        r#"{"id": 1, "driver_version": "535.86.05", "dph_total": 1}"#,
        r#"{"id": 2, "driver_version": "570.181", "dph_total": 1}"#,
        r#"{"id": 3, "driver_version": "new", "dph_total": 1}"#,
    ]);
    let points = points(&listing, &[0, 1, 2], field("driver_version"), field("dph_total"));
    let places: Vec<f64> = points.iter().map(|point| point.x).collect();
    assert_eq!(places, [535_086_005.0, 570_181_000.0]);
}

fn some_points() -> impl Strategy<Value = Vec<Point>> {
    // Few values, so that many points share a coordinate or a place.
    let place = (0_i32..12, 0_i32..12);
    prop::collection::vec(place, 0..60).prop_map(|places| {
        let point = |(row, (x, y)): (usize, (i32, i32))| Point {
            row: row as u32,
            x: f64::from(x) / 4.0,
            y: f64::from(y) - 3.0,
        };
        places.into_iter().enumerate().map(point).collect()
    })
}

fn at_least_as_good(goal: Goal, one: f64, other: f64) -> bool {
    match goal {
        Goal::Least => one <= other,
        Goal::Most => one >= other,
    }
}

proptest! {
    #[test]
    fn the_front_is_exactly_what_is_not_beaten(
        points in some_points(),
        x in prop::sample::select(vec![Goal::Least, Goal::Most]),
        y in prop::sample::select(vec![Goal::Least, Goal::Most]),
    ) {
        let front = Front::new(&points, x, y);
        let beats = |one: &Point, other: &Point| {
            at_least_as_good(x, one.x, other.x)
                && at_least_as_good(y, one.y, other.y)
                && (one.x != other.x || one.y != other.y)
        };
        let mut members: Vec<u32> = front.members().iter().map(|point| point.row).collect();
        members.sort_unstable();
        let wanted: Vec<u32> = points
            .iter()
            .filter(|point| !points.iter().any(|other| beats(other, point)))
            .map(|point| point.row)
            .collect();
        prop_assert_eq!(&members, &wanted);
        for point in &points {
            prop_assert_eq!(front.contains(point.row), wanted.contains(&point.row));
            match front.beaten_by(point.row) {
                None => prop_assert!(wanted.contains(&point.row)),
                Some(lead) => {
                    let other = &points[lead.row as usize];
                    prop_assert!(beats(other, point) && wanted.contains(&lead.row));
                    prop_assert_eq!(lead.x, (other.x - point.x).abs());
                    prop_assert_eq!(lead.y, (other.y - point.y).abs());
                }
            }
        }
    }

    #[test]
    fn a_scale_has_a_place_for_every_value(
        values in prop::collection::vec(-1e9_f64..1e9, 1..40),
        positive in any::<bool>(),
        most in 1_usize..12,
    ) {
        let values: Vec<f64> = values
            .into_iter()
            .map(|value| if positive { value.abs() + 1e-6 } else { value })
            .collect();
        for wanted in [None, Some(ScaleKind::Linear), Some(ScaleKind::Logarithmic)] {
            let scale = Scale::fit(values.iter().copied(), wanted).unwrap();
            for value in &values {
                let place = scale.position(*value).unwrap();
                prop_assert!((0.0..=1.0).contains(&place));
                let back = scale.value(place);
                prop_assert!((back - value).abs() <= 1e-6 * (scale.high - scale.low).max(value.abs()));
            }
            let ticks = scale.ticks(most);
            prop_assert!(ticks.len() <= most);
            prop_assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(ticks.iter().all(|tick| scale.position(*tick).is_some()));
            let histogram = Histogram::new(&values, most, wanted).unwrap();
            let counted: usize = histogram.buckets.iter().map(|bucket| bucket.count).sum();
            prop_assert_eq!(counted, values.len());
            prop_assert!(histogram.buckets.len() <= most);
        }
    }

    #[test]
    fn the_funnel_adds_up(
        rows in prop::collection::vec((0_i32..4, 0_i32..4, prop::option::of(0_i32..4)), 1..40),
        bounds in (0_i32..5, 0_i32..5, 0_i32..5),
    ) {
        let records: Vec<String> = rows
            .iter()
            .enumerate()
            .map(|(id, (gpus, ram, ghz))| {
                let ghz = ghz.map_or_else(|| "null".to_owned(), |ghz| ghz.to_string());
                format!(r#"{{"id": {id}, "num_gpus": {gpus}, "gpu_ram": {ram}, "cpu_ghz": {ghz}}}"#)
            })
            .collect();
        let records: Vec<&str> = records.iter().map(String::as_str).collect();
        let listing = offers(&records);
        let conditions = [
            at_least("num_gpus", bounds.0),
            at_least("gpu_ram", bounds.1),
            at_least("cpu_ghz", bounds.2),
        ];
        let judged = rows.iter().any(|(.., ghz)| ghz.is_some());
        let fails = |row: &(i32, i32, Option<i32>)| [
            row.0 < bounds.0,
            row.1 < bounds.1,
            judged && row.2.is_none_or(|ghz| ghz < bounds.2),
        ];
        let result = funnel(&listing, &conditions);
        prop_assert_eq!(result.total, rows.len());
        let count = |wanted: &dyn Fn([bool; 3]) -> bool| {
            rows.iter().filter(|row| wanted(fails(row))).count()
        };
        prop_assert_eq!(result.matching, count(&|fails| fails == [false; 3]));
        prop_assert_eq!(result.lines.len(), 3);
        for line in &result.lines {
            let own = line.condition;
            prop_assert_eq!(line.alone, count(&|fails| fails[own]));
            let last = count(&|fails| {
                fails[own] && fails.iter().filter(|failed| **failed).count() == 1
            });
            prop_assert_eq!(line.last, last);
            let together = |other: usize| count(&|fails| {
                fails[own] && fails[other] && fails.iter().filter(|failed| **failed).count() == 2
            });
            let most = (0..3).filter(|other| *other != own).map(together).max().unwrap_or(0);
            prop_assert_eq!(line.partner.map_or(0, |(_, rows)| rows), most);
            if let Some((other, rows)) = line.partner {
                prop_assert_eq!(together(other), rows);
            }
            // Without the condition, so many more match.
            let others = conditions.iter().enumerate().filter(|(place, condition)| {
                *place != own && (judged || condition.field.key != "cpu_ghz")
            });
            let without = listing.matching(others.map(|(_, condition)| condition)).len();
            prop_assert_eq!(without, result.matching + line.last);
        }
        prop_assert!(result.lines.windows(2).all(|pair| pair[0].last >= pair[1].last));
    }
}

fn at_least(key: &str, number: i32) -> Condition {
    let value = Value::Number(f64::from(number));
    Condition::new(field(key), Operator::Gte, Operand::One(value))
}

fn is(key: &str, flag: bool) -> Condition {
    Condition::new(field(key), Operator::Eq, Operand::One(Value::Flag(flag)))
}

#[test]
fn a_funnel_says_what_each_condition_costs() {
    let listing = offers(&[
        r#"{"id": 1, "num_gpus": 8, "verification": "verified", "cpu_ghz": 3}"#,
        r#"{"id": 2, "num_gpus": 8, "verification": "unverified", "cpu_ghz": 3}"#,
        r#"{"id": 3, "num_gpus": 1, "verification": "deverified", "cpu_ghz": null}"#,
        r#"{"id": 4, "num_gpus": 1, "verification": "verified", "cpu_ghz": 2}"#,
        r#"{"id": 5, "num_gpus": 8, "verification": "unverified", "cpu_ghz": 3}"#,
    ]);
    let mut off = at_least("cpu_cores", 1000);
    off.enabled = false;
    let conditions = [
        off,
        at_least("cpu_ghz", 3),
        is("verified", true),
        at_least("num_gpus", 4),
        is("rented", false),   // no record says: cannot be judged
        is("external", false), // nothing counts as no
    ];
    let result = funnel(&listing, &conditions);
    assert_eq!((result.total, result.matching), (5, 1));
    let lines: Vec<_> = result
        .lines
        .iter()
        .map(|line| (line.condition, line.alone, line.last, line.silent, line.judged))
        .collect();
    assert_eq!(
        lines,
        [
            (2, 3, 2, 0, true), // rows 2 and 5 come back; row 3 fails others as well
            (1, 2, 0, 1, true),
            (3, 2, 0, 0, true),
            (4, 0, 0, 0, false),
            (5, 0, 0, 0, true),
        ]
    );
    let nothing = funnel(&listing, &[]);
    assert_eq!((nothing.total, nothing.matching), (5, 5));
    // A question about null is answered by silence.
    let reported = Condition::new(field("rented"), Operator::Neq, Operand::One(Value::Null));
    let result = funnel(&listing, &[reported]);
    assert_eq!((result.matching, result.lines[0].last), (0, 5));
}

#[test]
fn a_bound_is_loosened_to_the_nearest_row_that_it_alone_takes_away() {
    let listing = offers(&[
        r#"{"id": 1, "dph_total": 1.0, "num_gpus": 8, "driver_version": "535.86.05"}"#,
        r#"{"id": 2, "dph_total": 0.7, "num_gpus": 4, "driver_version": "550.54.14"}"#,
        r#"{"id": 3, "dph_total": 0.6, "num_gpus": 4, "driver_version": "550.54.14"}"#,
        r#"{"id": 4, "dph_total": 0.5, "num_gpus": 1, "driver_version": "550.54.14"}"#,
        r#"{"id": 5, "dph_total": null, "num_gpus": 4, "driver_version": "550.54.14"}"#,
    ]);
    let bound = |key, operator, value| Condition::new(field(key), operator, Operand::One(value));
    let conditions = [
        bound("dph_total", Operator::Lt, Value::Number(0.55)),
        bound("num_gpus", Operator::Gte, Value::Number(4.0)),
        bound(
            "driver_version",
            Operator::Gt,
            Value::Version(Version::parse("535.86.05").unwrap()),
        ),
    ];
    let result = funnel(&listing, &conditions);
    let nearest = |place: usize| {
        let line = result.lines.iter().find(|line| line.condition == place);
        line.unwrap().nearest
    };
    // Rows 2, 3 and 5 fail the price only (row 5 says none), row 4 the number of GPUs only, row 1
    // the price and the driver.
    assert_eq!(nearest(0), Some(0.6));
    assert_eq!(nearest(1), Some(1.0));
    assert_eq!(nearest(2), None);
    let loose = |place: usize, value: f64| {
        let condition: &Condition = &conditions[place];
        loosened(condition, value).map(|condition| (condition.operator, condition.operand))
    };
    assert_eq!(loose(0, 0.6), Some((Operator::Lte, Operand::One(Value::Number(0.6)))));
    assert_eq!(
        loose(2, 530_000_000.0),
        Some((
            Operator::Gte,
            Operand::One(Value::Version(Version::parse("530").unwrap()))
        ))
    );
    assert!(loosened(&is("rented", false), 1.0).is_none());
}

#[test]
fn ends_and_ticks_of_a_scale_are_round() {
    let scale = Scale::fit([0.03, 0.98], None).unwrap();
    assert_eq!((scale.kind, scale.low, scale.high), (ScaleKind::Linear, 0.0, 1.0));
    assert_eq!(scale.ticks(6), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
    assert_eq!(scale.ticks(3), [0.0, 0.5, 1.0]);
    assert_eq!(scale.position(0.25), Some(0.25));
    assert_eq!(scale.position(1.5), None);
    let scale = Scale::fit([-7.0, 23.0], Some(ScaleKind::Logarithmic)).unwrap();
    assert_eq!((scale.kind, scale.low, scale.high), (ScaleKind::Linear, -10.0, 30.0));
    assert_eq!(scale.ticks(5), [-10.0, 0.0, 10.0, 20.0, 30.0]);
    let scale = Scale::fit([0.1, 10.0], None).unwrap();
    assert_eq!((scale.kind, scale.low, scale.high), (ScaleKind::Logarithmic, 0.1, 10.0));
    assert_eq!(scale.ticks(7), [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]);
    assert_eq!(scale.ticks(3), [0.1, 1.0, 10.0]);
    assert_eq!(scale.position(1.0), Some(0.5));
    let scale = Scale::fit([0.03, 45.0], None).unwrap();
    assert_eq!((scale.low, scale.high), (0.02, 50.0));
    // One value alone stands in the middle; epochs keep their place although they are large.
    let scale = Scale::fit([5.0], None).unwrap();
    assert!(scale.low < 5.0 && scale.high > 5.0);
    let scale = Scale::fit([1_753_516_871.0, 1_753_516_879.0], None).unwrap();
    assert!(scale.low <= 1_753_516_871.0 && scale.high <= 1_753_516_890.0);
    assert_eq!(Scale::fit([f64::NAN], None), None);
    assert_eq!(Scale::fit([-1e308, 1e308], None), None);
    assert!(scale.ticks(0).is_empty());
}

#[test]
fn a_histogram_counts_each_value_once() {
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, f64::NAN];
    let histogram = Histogram::new(&values, 4, None).unwrap();
    let bars: Vec<_> = histogram
        .buckets
        .iter()
        .map(|bucket| (bucket.low, bucket.high, bucket.count))
        .collect();
    // The highest value has a bar of its own: five of one, so four of two.
    assert_eq!(bars, [(0.0, 2.0, 1), (2.0, 4.0, 2), (4.0, 6.0, 2)]);
    assert_eq!(histogram.tallest(), 2);
    // Ticks are where bars start.
    assert_eq!([2.0, 3.0, 4.0].map(|tick| histogram.at(tick)), [Some(1), None, Some(2)]);
    assert_eq!(Histogram::new(&values, 0, None), None);
    assert_eq!(Histogram::new(&[], 4, None), None);
    let wide = Histogram::new(&[0.1, 0.5, 10.0, 99.0], 2, None).unwrap();
    let counts: Vec<_> = wide.buckets.iter().map(|bucket| bucket.count).collect();
    assert_eq!(counts, [2, 2]); // divided at 10, the middle of 0.1 and 1,000 by ratio
}

#[test]
fn the_selection_moves_to_the_nearest_point_ahead() {
    let point = |row, x, y| Point { row, x, y };
    let points = [
        point(0, 5.0, 5.0),
        point(1, 7.0, 5.5),
        point(2, 6.0, 9.0),
        point(3, 2.0, 4.0),
        point(4, 5.0, 1.0),
    ];
    let scale = Scale {
        kind: ScaleKind::Linear,
        low: 0.0,
        high: 10.0,
    };
    let go = |row, toward| neighbour(&points, (&scale, &scale), row, toward);
    assert_eq!(go(0, Toward::Right), Some(1));
    assert_eq!(go(0, Toward::Left), Some(3));
    assert_eq!(go(0, Toward::Up), Some(1)); // 0.5 ahead and 2 aside: 4.5; row 2: 4 and 1: 6
    assert_eq!(go(0, Toward::Down), Some(4));
    assert_eq!(go(4, Toward::Down), None);
    assert_eq!(go(99, Toward::Down), None);
}

/// Slices of one machine, as the market cuts them.
fn machine() -> Listing {
    offers(&[
        r#"{"id": 1, "machine_id": 7, "host_id": 3, "num_gpus": 4, "gpu_ids": [0, 1, 2, 3],
            "dph_total": 1.5, "gpu_frac": 1.0, "cpu_ram": 128556, "cpu_cores": 16,
            "cpu_cores_effective": 16.0}"#,
        r#"{"id": 2, "machine_id": 7, "host_id": 3, "num_gpus": 1, "gpu_ids": [0],
            "dph_total": 0.5, "gpu_frac": 0.25, "cpu_ram": 32139, "cpu_cores": 16,
            "cpu_cores_effective": 4}"#,
        r#"{"id": 3, "machine_id": 7, "host_id": 3, "num_gpus": 1, "gpu_ids": [3],
            "dph_total": 0.4, "cpu_ram": 32139, "cpu_cores": 16, "cpu_cores_effective": 4}"#,
        r#"{"id": 4, "machine_id": 7, "host_id": 3, "num_gpus": 2, "gpu_ids": null,
            "dph_total": 0.9, "gpu_frac": 0.5, "cpu_cores": 16}"#,
        r#"{"id": 5, "machine_id": 8, "host_id": 3, "num_gpus": 1, "dph_total": 0.1}"#,
        r#"{"id": 6, "machine_id": 9, "host_id": 4, "num_gpus": 1, "dph_total": 0.1,
            "cpu_cores": 0, "cpu_cores_effective": 10.666666666666666, "cpu_ram": 1000}"#,
        r#"{"id": 7, "num_gpus": 1, "dph_total": 0.1}"#,
    ])
}

#[test]
fn slices_of_a_machine_tell_what_one_more_gpu_costs() {
    let listing = machine();
    assert_eq!(same_machine(&listing, 1), [0, 1, 2, 3]);
    assert_eq!(same_host(&listing, 0), [0, 1, 2, 3, 4]);
    assert!(same_machine(&listing, 6).is_empty());
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let found = slices(&prices, 1, None);
    let rows: Vec<u32> = found.iter().map(|slice| slice.row).collect();
    assert_eq!(rows, [2, 1, 3, 0]); // 1 GPU for 0.4, 1 for 0.5, 2, 4
    assert_eq!((found[0].marginal, found[1].marginal), (None, None));
    near(found[2].marginal.unwrap(), 0.5); // 0.9 - 0.4 for one more
    near(found[3].marginal.unwrap(), 0.3); // 1.5 - 0.9 for two more
    near(found[3].per_gpu.unwrap(), 0.375);
    // Asked about the slice with GPU 0: itself and the whole machine share it.
    let overlaps: Vec<_> = found.iter().map(|slice| slice.overlaps).collect();
    assert_eq!(overlaps, [Some(false), Some(true), None, Some(true)]);
}

#[test]
fn an_offer_gets_its_share_of_memory_and_cores() {
    let listing = machine();
    let whole = share(&listing, 0);
    assert_eq!((whole.ram, whole.cores), (Some(128_556.0), Some(16.0)));
    // A quarter of the machine: its own memory is sent, but all 16 cores.
    let quarter = share(&listing, 1);
    assert_eq!((quarter.ram, quarter.cores), (Some(32_139.0), Some(4.0)));
    assert_eq!(quarter.machine_ram, Some(128_556.0));
    let by_cores = share(&listing, 2); // no gpu_frac is sent
    assert_eq!(by_cores.ram, Some(32_139.0));
    assert_eq!(by_cores.machine_ram, Some(128_556.0));
    let half = share(&listing, 3);
    assert_eq!((half.ram, half.cores), (None, Some(8.0)));
    let odd = share(&listing, 5);
    assert_eq!((odd.of_machine, odd.ram), (None, Some(1000.0)));
    assert_eq!(odd.machine_ram, None);
    assert_eq!(odd.cores, Some(10.666_666_666_666_666));
    assert_eq!(share(&listing, 6), Default::default());
}

fn line<'a>(sections: &'a [CompareSection], wanted: &str) -> Option<&'a bourse::domain::insight::CompareLine> {
    sections
        .iter()
        .flat_map(|section| &section.lines)
        .find(|line| match line.subject {
            Subject::Field(field) => field.key == wanted,
            Subject::Derived { label, .. } => label == wanted,
        })
}

#[test]
fn marked_offers_are_compared_line_by_line() {
    let listing = offers(&[
        r#"{"id": 1, "gpu_name": "RTX 4090", "dph_total": 0.4, "num_gpus": 1, "dlperf": 80,
            "gpu_total_ram": 20000, "start_date": null, "inet_up": 100, "gpu_max_power": 450}"#,
        r#"{"id": 2, "gpu_name": "RTX 4090", "dph_total": 0.6, "num_gpus": 2, "dlperf": 80,
            "gpu_total_ram": 40000, "inet_up": "fast", "gpu_max_power": 400}"#,
        r#"{"id": 3, "gpu_name": "RTX 4090", "dph_total": 0.4, "num_gpus": 1, "dlperf": 80,
            "gpu_total_ram": 25000, "gpu_max_power": 400}"#,
    ]);
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let sections = compare(&listing, &[0, 1, 2], Some((&prices, None)));
    let price = line(&sections, "dph_total").unwrap();
    assert_eq!(price.values, [Some(0.4), Some(0.6), Some(0.4)]);
    assert_eq!(price.best, [0, 2]);
    let alike = line(&sections, "dlperf").unwrap();
    assert!(alike.best.is_empty());
    assert_eq!(line(&sections, "num_gpus").unwrap().values[1], Some(2.0));
    // No end of a power limit is better.
    let power = line(&sections, "gpu_max_power").unwrap();
    assert!(power.best.is_empty());
    // A misfit is not best.
    let upload = line(&sections, "inet_up").unwrap();
    assert_eq!(upload.values, [Some(100.0), None, None]);
    assert!(upload.best.is_empty());
    // A line on which nobody says anything is left out: null and missing alike.
    assert_eq!(line(&sections, "start_date"), None);
    let per_gpu = line(&sections, "$/h per GPU").unwrap(); // 0.4, 0.3, 0.4
    assert_eq!(per_gpu.best, [1]);
    let per_gb = line(&sections, "$/h per GB VRAM").unwrap(); // 0.02, 0.015, 0.016
    near(per_gb.values[2].unwrap(), 0.016);
    assert_eq!(per_gb.best, [1]);
    let per_point = line(&sections, "$/h per DLPerf").unwrap(); // 0.005, 0.0075, 0.005
    assert_eq!(per_point.best, [0, 2]);
    let order: Vec<Section> = sections.iter().map(|section| section.section).collect();
    assert_eq!(
        order,
        [Section::Identity, Section::Price, Section::Gpu, Section::Network]
    );
}

#[test]
fn nothing_is_compared_with_nothing() {
    assert!(compare(&market(), &[], None).is_empty());
    let sections = compare(&market(), &[0, 5], None);
    assert!(line(&sections, "dph_total").is_some());
    assert!(line(&sections, "$/h per GPU").is_none()); // no prices were given
}

#[test]
fn changes_between_two_answers_are_found_by_id() {
    let old = offers(&[
        r#"{"id": 1, "dph_total": 0.4}"#,
        r#"{"id": 2, "dph_total": 0.5}"#,
        r#"{"id": 3, "dph_total": 0.6}"#,
        r#"{"id": 4, "dph_total": null}"#,
        r#"{"id": 5, "dph_total": 0}"#,
    ]);
    let new = offers(&[
        r#"{"id": 9, "dph_total": 0.1}"#,
        r#"{"id": 3, "dph_total": 0.45}"#,
        r#"{"id": 1, "dph_total": 0.40000000000000002}"#,
        r#"{"id": 4, "dph_total": 0.2}"#,
        r#"{"id": 5, "dph_total": 0.2}"#,
    ]);
    let changes = differences(&old, &new, field("dph_total"));
    assert_eq!(changes.arrived, [0]);
    assert_eq!(changes.left, [1]);
    let changed: Vec<_> = changes
        .changed
        .iter()
        .map(|change| (change.id.0, change.old_row, change.new_row, change.from, change.to))
        .collect();
    assert_eq!(changed, [(3, 2, 1, 0.6, 0.45), (5, 4, 4, 0.0, 0.2)]);
    let none = differences(&old, &old, field("dph_total"));
    assert_eq!(none, Differences::default());
}

/// A response with so many records, and what it says of being truncated.
fn response(records: usize, said: &str) -> bourse::domain::Listing {
    let offers: Vec<String> = (1..=records).map(|id| format!("{{\"id\":{id}}}")).collect();
    let text = format!("{{\"offers\":[{}]{said}}}", offers.join(","));
    bourse::domain::Listing::read(&bourse::domain::catalog::OFFERS, text, UnixTime::new(0.0)).unwrap()
}

#[test]
fn a_response_is_complete_only_if_that_is_proven() {
    use Coverage::{Cut, Unknown, Whole};
    for (records, said, limit, wanted) in [
        // The market's own word.
        (3, ",\"truncated\":false", None, Whole),
        (7, ",\"truncated\":false", Some(7), Whole),
        (100, ",\"truncated\": false ", Some(500), Whole),
        (3, ",\"truncated\":true", Some(500), Cut),
        (3, ",\"truncated\":false,\"truncated\":true", Some(500), Cut),
        (50, ",\"truncated\":null", Some(500), Unknown),
        // As many as the limit; caps of markets, and their neighbours.
        (50, "", Some(50), Cut),
        (25, "", Some(500), Unknown),
        (50, "", Some(500), Unknown),
        (64, "", Some(500), Unknown),
        (100, "", Some(500), Unknown),
        (256, "", Some(500), Unknown),
        (1000, "", Some(3000), Unknown),
        (3, "", None, Unknown),
        (10, "", Some(500), Whole),
        (49, "", Some(500), Whole),
        (101, "", Some(500), Whole),
        (0, "", Some(500), Whole),
    ] {
        let listing = response(records, said);
        assert_eq!(coverage(&listing, limit), wanted, "{records} {said} {limit:?}");
    }
}

#[test]
fn a_cut_answer_is_not_called_the_market() {
    let listing = market(); // six rows and one repetition
    assert_eq!(coverage(&listing, Some(7)), Coverage::Cut);
    assert_eq!(coverage(&listing, Some(8)), Coverage::Whole);
    assert_eq!(coverage(&listing, None), Coverage::Unknown);
}

#[test]
fn a_row_stands_among_the_offers_of_its_model() {
    use bourse::domain::insight::{Measure, Standing};
    let json = r#"{"offers":[
        {"id":1,"gpu_name":"A","inet_down":100,"reliability":0.9,"machine_id":7,"host_id":1},
        {"id":2,"gpu_name":"A","inet_down":300,"reliability":0.9,"machine_id":7,"host_id":1},
        {"id":3,"gpu_name":"A","inet_down":200,"reliability":null,"machine_id":8,"host_id":1},
        {"id":4,"gpu_name":"B","inet_down":900,"reliability":0.5,"machine_id":9}]}"#;
    let listing = Listing::read(&OFFERS, json, UnixTime::new(0.0)).unwrap();
    let standing = Standing::default();
    let of = |measure, row| {
        let place = standing.rank(&listing, measure, row)?;
        Some((place.beats, place.of))
    };
    let network: Vec<_> = (0..4).map(|row| of(Measure::Network, row)).collect();
    assert_eq!(network, [Some((0, 3)), Some((2, 3)), Some((1, 3)), Some((0, 1))]);
    // Equal values beat each other as little as nothing; what is not reported is not ranked.
    let reliable: Vec<_> = (0..4).map(|row| of(Measure::Reliability, row)).collect();
    assert_eq!(reliable, [Some((0, 2)), Some((0, 2)), None, Some((0, 1))]);
    // Fewer than five do not compare.
    let share = |row| standing.rank(&listing, Measure::Network, row).unwrap().share();
    assert_eq!((share(1), share(2), share(3)), (None, None, None));
    assert_eq!(standing.on_machine(&listing, 0), Some(2));
    assert_eq!(standing.count_of_host(&listing, 2), Some(3));
    assert_eq!(standing.count_of_host(&listing, 3), None);
}

#[test]
fn the_best_and_the_worst_fifth_need_five_rows_that_differ() {
    use bourse::domain::insight::{Measure, Standing};
    let fifths = |speeds: &[u32]| -> Vec<Option<bool>> {
        let records: Vec<String> = speeds
            .iter()
            .enumerate()
            .map(|(id, speed)| format!(r#"{{"id":{id},"gpu_name":"A","inet_down":{speed}}}"#))
            .collect();
        let json = format!(r#"{{"offers":[{}]}}"#, records.join(","));
        let listing = Listing::read(&OFFERS, json.as_str(), UnixTime::new(0.0)).unwrap();
        let standing = Standing::default();
        let place = |row| standing.rank(&listing, Measure::Network, row).unwrap();
        (0..speeds.len()).map(|row| place(row).is_best()).collect()
    };
    let (best, worst) = (Some(true), Some(false));
    assert_eq!(fifths(&[3, 1, 5, 2, 4]), [None, worst, best, None, None]);
    assert_eq!(fifths(&[1, 2, 3, 4]), [None; 4]);
    assert_eq!(fifths(&[7; 6]), [None; 6]);
    // Half of the rows are no fifth.
    assert_eq!(fifths(&[1, 1, 1, 9, 9, 9]), [None; 6]);
}
