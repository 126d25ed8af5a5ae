//! The scope of a request, and what its response proves.

use bourse_domain::annotations::{AnnotationChange, Annotations, Mark, Supplier};
use bourse_domain::field::Recording;
use bourse_domain::response_check::ResponseCheck;
use bourse_domain::{CellRef, Dialect, Kind, Query, Resource};
use bourse_record::store::{Database, HistoryError, HistoryLocation};
use bourse_record::{Arrival, Moment, Poll, Proof, Question, Scope, State, Terms, attributes};

use super::support::{arrival, listing, offer, ordered, poll, poll_of, query};

fn conditions(words: &str) -> String {
    Scope::new(&query(words), &Dialect::VAST, []).conditions_text()
}

#[test]
fn requests_for_the_same_offers_have_one_scope() {
    let written = "verified=true datacenter=false gpu_name in [RTX_4090] ubuntu_version=22.04";
    let other = "os_version=22.04 gpu_name=RTX_4090 verification=verified hosting_type!=1";
    // `hosting_type` is compared locally by the public service's client: it is not sent.
    assert_eq!(
        conditions(written),
        "disk_space>=8 gpu_name=RTX_4090 hosting_type!=1 os_version=22.04 rentable=true rented=false \
         verification=verified"
    );
    assert_eq!(
        conditions(other),
        conditions("ubuntu_version=22.04 gpu_name=RTX_4090 verified=true")
    );
    let lists = ["gpu_name in [H100_SXM,RTX_4090]", "gpu_name in [RTX_4090,H100_SXM]"];
    assert_eq!(conditions(lists[0]), conditions(lists[1]));
}

#[test]
fn a_scope_has_what_the_market_adds_unless_the_query_lifts_it() {
    assert_eq!(conditions(""), "disk_space>=8 rentable=true rented=false");
    assert_eq!(
        conditions("rentable=false"),
        "disk_space>=8 rentable=false rented=false"
    );
    let large = Query {
        storage: Some(200.0),
        ..query("")
    };
    let scope = Scope::new(&large, &Dialect::VAST, []);
    assert_eq!((scope.storage, scope.is_bundled), (200.0, true));
    assert_eq!(scope.conditions_text(), "disk_space>=200 rentable=true rented=false");
    // The documented market knows no such parameter: its prices include 8 GB.
    let scope = Scope::new(&large, &Dialect::DOCUMENTED, []);
    assert_eq!(scope.storage, 8.0);
}

#[test]
fn a_scope_is_read_back_from_its_texts() {
    let excluded = [Supplier::Host(7), Supplier::Machine(5), Supplier::Host(7)];
    let words = "geolocation in EU gpu_ram>=24 machine_id notin [5,6] reliability>0.98 inet_down>=100";
    let scope = Scope::new(&query(words), &Dialect::VAST, excluded);
    assert_eq!(scope.excluded_text(), "machine 5, host 7");
    let bare = Scope {
        conditions: Vec::new(),
        excluded: Vec::new(),
        ..scope.clone()
    };
    let read = bare
        .with_parsed(&scope.conditions_text(), &scope.excluded_text())
        .unwrap();
    assert_eq!(read.conditions_text(), scope.conditions_text());
    assert_eq!(read, scope);
    assert!(scope.excludes(5, None) && scope.excludes(1, Some(7)) && !scope.excludes(1, Some(5)));
}

fn proof(query: &Query, offers: &[String], end: &str) -> Proof {
    poll_of(query, offers, end, &arrival(1000)).proof
}

fn many(count: i64) -> Vec<String> {
    (0..count)
        .map(|id| offer(id, 100 + id, 1, 0.3 + 0.01 * id as f64, ""))
        .collect()
}

#[test]
fn a_response_is_complete_only_if_that_is_proven() {
    let all = query("gpu_name=RTX_4090");
    assert_eq!(proof(&all, &many(3), r#","truncated":false"#), Proof::Complete);
    assert_eq!(proof(&all, &many(3), ""), Proof::Complete);
    // A market without a key sends 64 at most, whatever the limit.
    assert_eq!(proof(&all, &many(64), ""), Proof::Some);
    assert_eq!(proof(&all, &many(64), r#","truncated":false"#), Proof::Complete);
    assert_eq!(proof(&all, &many(3), r#","truncated":true"#), Proof::Some);
    let few = Query {
        limit: Some(3),
        ..all.clone()
    };
    assert_eq!(proof(&few, &many(3), ""), Proof::Some);
    // A record without a machine, or one that cannot be read, may be any line.
    let nameless = [many(2), vec![r#"{"id":9,"num_gpus":1}"#.to_owned()]].concat();
    assert_eq!(proof(&all, &nameless, ""), Proof::Some);
    let unreadable = [many(2), vec!["7".to_owned()]].concat();
    assert_eq!(proof(&all, &unreadable, ""), Proof::Some);
}

#[test]
fn a_condition_that_the_market_ignores_leaves_presence_only() {
    let other = [offer(1, 101, 2, 0.5, "")];
    assert_eq!(
        proof(&query("num_gpus=1"), &other, r#","truncated":false"#),
        Proof::Some
    );
    // The public service takes this filter and does not apply it.
    let rented = [offer(1, 101, 2, 0.5, "").replace(r#""rented":false"#, r#""rented":true"#)];
    assert_eq!(proof(&query("rented=false"), &rented, ""), Proof::Complete);
    let listing = listing(&rented, "", 1000);
    let asked = query("rented=false");
    let check = ResponseCheck::new(&listing, &asked, &Dialect::DOCUMENTED);
    let poll = Poll::new(&asked, &listing, &check, &Dialect::DOCUMENTED, &arrival(1000));
    assert_eq!(poll.proof, Proof::Some);
    // Bids instead of prices on demand: another search.
    let bids = [offer(1, 101, 2, 0.5, r#","is_bid":true"#)];
    assert_eq!(proof(&query(""), &bids, ""), Proof::Nothing);
}

#[test]
fn a_cut_response_in_verified_price_order_proves_what_is_cheaper() {
    let total = |base: f64| base + 0.18 * 8.0 / 720.0;
    let cut = |offers: &[String], order: &str| proof(&ordered("", order, 3), offers, r#","truncated":true"#);
    assert_eq!(cut(&many(3), "dph_total"), Proof::UpTo(total(0.32)));
    assert_eq!(cut(&many(3), "dph_total-"), Proof::Some);
    assert_eq!(cut(&many(3), "reliability"), Proof::Some);
    let mut disordered = many(3);
    disordered.swap(1, 2);
    assert_eq!(cut(&disordered, "dph_total"), Proof::Some);
    let unpriced = [many(2), vec![r#"{"id":9,"machine_id":5,"num_gpus":1}"#.to_owned()]].concat();
    assert_eq!(cut(&unpriced, "dph_total"), Proof::Some);
}

#[test]
fn a_poll_is_of_the_time_when_it_was_sent() {
    let slow = Arrival {
        took: 95_400,
        ..arrival(1000)
    };
    let poll = poll_of(&query(""), &many(1), "", &slow);
    assert_eq!(poll.at, Moment(905));
    assert_eq!(Poll::failed(&query(""), &Dialect::VAST, &slow).at, Moment(905));
}

#[test]
fn the_cheapest_offer_of_a_size_speaks_for_its_line() {
    let ids = |gpus: &str| format!(r#","gpu_ids":{gpus},"reliability":0.97"#);
    let offers = [
        offer(1, 5, 1, 0.30, &ids("[0]")),
        offer(2, 5, 1, 0.28, &ids("[3]").replace("0.97", "0.99")),
        offer(3, 5, 2, 0.50, &ids("[0,3]")),
        offer(4, 5, 4, 0.90, "").replace(r#""rentable":true"#, r#""rentable":false"#),
    ];
    let poll = poll("", &offers, 1000);
    let [one, two] = &poll.lines[..] else {
        panic!("{:?}", poll.lines)
    };
    assert_eq!((one.line.gpus, one.line.lot.memory), (1, 24));
    assert_eq!((one.offer, one.offers, one.gpu_mask), (2, 2, Some(0b1001)));
    assert_eq!((two.line.gpus, two.offers, two.gpu_mask), (2, 1, Some(0b1001)));
    let state = State {
        line: &one.line,
        facts: &one.facts,
        terms: Terms {
            resource: Resource::Offers,
            offer_type: bourse_domain::OfferType::OnDemand,
            storage: 100.0,
            transfer: Dialect::VAST.transfer,
        },
    };
    let cell = |key: &str| {
        let catalog = Resource::Offers.catalog();
        state.cell(
            catalog.column(key).or_else(|| catalog.by_key(key)).unwrap(),
            Moment(1000),
        )
    };
    assert_eq!(cell("reliability"), CellRef::Number(0.99));
    assert_eq!(cell("verified"), CellRef::Flag(true));
    assert_eq!(cell("machine_id"), CellRef::Number(5.0));
    assert_eq!(cell("hostname"), CellRef::Missing);
    // 100 GB at $0.18 a month cost $0.025 an hour.
    assert!((cell("dph_total").number().unwrap() - 0.305).abs() < 1e-9);
    assert!((cell("dph_per_gpu").number().unwrap() - 0.305).abs() < 1e-9);
    assert!((cell("storage_total_cost").number().unwrap() - 0.025).abs() < 1e-9);
}

#[test]
fn time_left_is_recorded_as_the_end() {
    let offers = [offer(1, 5, 1, 0.3, r#","duration":86400"#)];
    let poll = poll("", &offers, 1000);
    let state = State {
        line: &poll.lines[0].line,
        facts: &poll.lines[0].facts,
        terms: Terms {
            resource: Resource::Offers,
            offer_type: bourse_domain::OfferType::OnDemand,
            storage: 8.0,
            transfer: Dialect::VAST.transfer,
        },
    };
    let duration = Resource::Offers.catalog().by_key("duration").unwrap();
    assert_eq!(state.cell(duration, Moment(1000)), CellRef::Number(86_400.0));
    // Half of it is over.
    assert_eq!(state.cell(duration, Moment(44_200)), CellRef::Number(43_200.0));
}

#[test]
fn speeds_are_recorded_in_one_unit() {
    let offers = [offer(1, 5, 1, 0.3, r#","inet_down":100"#)];
    let poll = poll("inet_down>=50", &offers, 1000);
    let documented = Scope::new(&query("inet_down>=50"), &Dialect::DOCUMENTED, []);
    // 50 MB/s are 400 Mb/s.
    assert!(
        documented.conditions_text().contains("inet_down>=400"),
        "{documented:?}"
    );
    assert!(
        poll.scope.conditions_text().contains("inet_down>=50 "),
        "{:?}",
        poll.scope
    );
    let index = attributes(Resource::Offers)
        .iter()
        .position(|attribute| attribute.field.key == "inet_down");
    let state = |transfer| {
        let terms = Terms {
            resource: Resource::Offers,
            offer_type: bourse_domain::OfferType::OnDemand,
            storage: 8.0,
            transfer,
        };
        let state = State {
            line: &poll.lines[0].line,
            facts: &poll.lines[0].facts,
            terms,
        };
        let field = attributes(Resource::Offers)[index.unwrap()].field;
        state.cell(field, Moment(0))
    };
    assert_eq!(state(Dialect::VAST.transfer), CellRef::Number(100.0));
    assert_eq!(state(Dialect::DOCUMENTED.transfer), CellRef::Number(12.5));
}

#[test]
fn speeds_come_back_in_the_unit_of_their_market() {
    let folder = tempfile::tempdir().unwrap();
    let location = HistoryLocation {
        path: Some(folder.path().join("history.sqlite")),
        market: "https://market.example".to_owned(),
        dialect: &Dialect::DOCUMENTED,
    };
    let offers = [100, 40].map(|speed| offer(speed, speed, 1, 0.3, &format!(r#","inet_down":{speed}"#)));
    let listing = listing(&offers, r#","truncated":false"#, 1000).in_units(Dialect::DOCUMENTED.transfer);
    let everything = query("");
    let check = ResponseCheck::new(&listing, &everything, &Dialect::DOCUMENTED);
    let poll = Poll::new(&everything, &listing, &check, &Dialect::DOCUMENTED, &arrival(1000));
    let mut database = location.open().unwrap();
    assert!(database.record(&poll).unwrap());
    // In MB/s, as that market sends them.
    let (found, _) = database.latest(&query("inet_down>=50"), Moment(1100)).unwrap().unwrap();
    assert_eq!(found.len(), 1);
    let field = Resource::Offers.catalog().by_key("inet_down").unwrap();
    assert_eq!(found.cell(0, field), CellRef::Number(100.0));
    assert_eq!(found.transfer(), Dialect::DOCUMENTED.transfer);
}

#[test]
fn banned_rows_are_recorded_and_bans_that_were_sent_are_holes() {
    let mut annotations = Annotations::default();
    for of in [Supplier::Machine(5), Supplier::Host(9)] {
        annotations.apply(&AnnotationChange {
            of,
            mark: Mark::Ban(true),
        });
    }
    let record = |asked: &Query| {
        let mut listing = listing(&[offer(1, 5, 1, 0.3, ""), offer(2, 6, 1, 0.4, "")], "", 1000);
        assert_eq!(annotations.hide_banned(&mut listing), 1);
        let check = ResponseCheck::new(&listing, asked, &Dialect::VAST);
        let arrival = Arrival {
            bans: annotations.bans(),
            ..arrival(1000)
        };
        Poll::new(asked, &listing, &check, &Dialect::VAST, &arrival)
    };
    let poll = record(&query(""));
    assert_eq!(poll.scope.excluded_text(), "machine 5, host 9");
    assert_eq!(poll.sightings.len(), 1);
    let machines: Vec<i64> = poll.lines.iter().map(|seen| seen.line.lot.machine).collect();
    assert_eq!(machines, [5, 6]);
    // A search that chooses machines sends no bans of machines.
    let poll = record(&query("machine_id in [5,6]"));
    assert_eq!(poll.scope.excluded_text(), "host 9");
}

#[test]
fn every_field_is_stored_derived_or_left_out_on_purpose() {
    for resource in [Resource::Offers, Resource::Volumes] {
        let catalog = resource.catalog();
        for field in catalog.fields().iter().chain(catalog.computed()) {
            let is_stored = attributes(resource).iter().any(|attribute| attribute.field == field);
            match field.recording() {
                Recording::Stored(tolerance) => {
                    assert!(is_stored, "{}", field.key);
                    assert!((0.0..=0.1).contains(&tolerance.share), "{}", field.key);
                }
                Recording::Derived => assert!(!is_stored, "{}", field.key),
                Recording::Never => {
                    const LEFT_OUT: [&str; 18] = [
                        "id",
                        "ask_contract_id",
                        "bundle_id",
                        "avail_vol_ask_id",
                        "hostname",
                        "webpage",
                        "logo",
                        "public_ipaddr",
                        "dph_total_adj",
                        "discounted_hourly",
                        "vram_costperhour",
                        "gpu_ids",
                        "time_remaining",
                        "time_remaining_isbid",
                        "rn",
                        "bundled_results",
                        "search",
                        "instance",
                    ];
                    let key = field.key.split('.').next().unwrap();
                    assert!(!is_stored && LEFT_OUT.contains(&key), "{}", field.key);
                }
            }
            if matches!(field.kind, Kind::Secret | Kind::List) {
                assert!(!is_stored, "{}", field.key);
            }
        }
    }
    assert!(attributes(Resource::Workergroups).is_empty());
}

/// The documented market counts megabytes: 100 MB/s are 800 Mb/s, which is how speeds are recorded.
#[test]
fn speeds_are_asked_and_exported_in_the_unit_of_the_market() {
    let market = |dialect| Database::in_memory("market").unwrap().with_dialect(dialect);
    let fast = query("inet_down>=100");
    let listing = listing(
        &[offer(1, 1, 1, 0.3, r#","inet_down":1600"#)],
        r#","truncated":false"#,
        0,
    );
    let check = ResponseCheck::new(&listing, &fast, &Dialect::DOCUMENTED);
    let poll = Poll::new(&fast, &listing, &check, &Dialect::DOCUMENTED, &arrival(1000));
    let known = |dialect, words: &str| {
        let mut database = market(dialect);
        database.record(&poll).unwrap();
        let question = Question::of_last(600, query(words), Moment(1000));
        let excerpt = database.excerpt(&question).unwrap();
        (excerpt.polls.len(), excerpt.spells.len())
    };
    assert_eq!(known(&Dialect::DOCUMENTED, "inet_down>=100"), (1, 1));
    assert_eq!(known(&Dialect::DOCUMENTED, "inet_down>=300"), (1, 0));
    // Elsewhere that is a wider search.
    assert_eq!(known(&Dialect::VAST, "inet_down>=100"), (0, 0));
    let mut database = market(&Dialect::DOCUMENTED);
    database.record(&poll).unwrap();
    let mut exported = Vec::new();
    let export = database.export(|spell| {
        exported.push(spell.search.conditions.clone());
        Ok::<_, HistoryError>(())
    });
    export.unwrap();
    assert_eq!(exported, ["inet_down>=100"]);
}
