//! What was recorded: the tape, the price history, and verdicts on prices.

use bourse::core::message::Effect;
use bourse::core::message::HistoryJob;
use bourse::core::message::News;
use bourse::domain::time::UnixTime;
use bourse::domain::{CellRef, Dialect, OfferType, Resource};
use bourse::features::history::Recall;
use bourse::features::history::prices::series::PriceSeries;
use bourse::features::history::tape::events::RecentEvents;
use bourse::features::market_line::weeks::WeekStudy;
use bourse::record::{
    Analysis, AnyAnalysis, AnyOutput, Beginning, Cause, Change, ChangeKind, Ending, Event, EventKind, Excerpt, Lasted,
    Lot, Moment, PollOutcome, PollRow, Question, Quote, SearchKey, Spell, VOLUME_MODEL, VerdictBasis,
};

use crate::stories::groups::FOUR;
use crate::stories::unlist::TWO;
use crate::test_app::{START, THREE, TestApp};

const HOUR: i64 = 3600;
const DAY: i64 = 86_400;

/// A desk with a record and the three offers, of a size.
fn desk(columns: u16, rows: u16) -> TestApp {
    let mut desk = TestApp::prepared(&Dialect::DOCUMENTED, |model| model.feature_mut::<Recall>().is_on = true);
    desk.resize(columns, rows).answer(THREE);
    desk
}

/// A moment some seconds before the stories start.
fn ago(seconds: i64) -> Moment {
    Moment(START.moment().0 - seconds)
}

fn search() -> SearchKey {
    SearchKey {
        resource: Resource::Offers,
        offer_type: OfferType::OnDemand,
        conditions: "rentable=true rented=false verified=true".to_owned(),
    }
}

fn lot(machine: i64) -> Lot {
    Lot {
        machine,
        model: "RTX 4090".into(),
        memory: 0,
    }
}

/// The analyses asked of the record since the last call.
fn asked(desk: &mut TestApp) -> Vec<(bourse::core::Ticket, AnyAnalysis)> {
    let effects = std::mem::take(&mut desk.effects).into_iter();
    effects
        .filter_map(|effect| match effect {
            Effect::History(HistoryJob::Ask { ticket, analysis }) => Some((ticket, analysis)),
            _ => None,
        })
        // The market line asks for itself.
        .filter(|(_, analysis)| analysis.downcast::<WeekStudy>().is_none())
        .collect()
}

/// The question of the first analysis, and its conditions.
fn first_question(analyses: &[(bourse::core::Ticket, AnyAnalysis)]) -> (Question, String) {
    let question = analyses[0].1.questions().remove(0);
    let conditions = SearchKey::new(&question.query).conditions;
    (question, conditions)
}

/// What of a record a question is about.
fn narrowed(recorded: &Excerpt, question: &Question) -> Excerpt {
    let meets = |key: &str, cell: CellRef<'_>| {
        let mut conditions = question.query.active().filter(|condition| condition.field.key == key);
        conditions.all(|condition| condition.accepts(cell))
    };
    let mut excerpt = recorded.clone();
    excerpt.spells.retain_mut(|spell| {
        spell
            .quotes
            .retain(|quote| meets("num_gpus", CellRef::Number(quote.gpus.into())));
        let machine = CellRef::Number(spell.lot.machine as f64);
        meets("machine_id", machine)
            && meets("cluster_id", machine)
            && meets("gpu_name", CellRef::Text(&spell.lot.model))
            && !spell.quotes.is_empty()
    });
    excerpt
}

fn output_of(analysis: &AnyAnalysis, recorded: &Excerpt) -> AnyOutput {
    let questions = analysis.questions();
    let excerpts = questions.iter().map(|own| match own.query.offer_type {
        OfferType::OnDemand => narrowed(recorded, own),
        OfferType::Bid | OfferType::Reserved => Excerpt::default(),
    });
    analysis.answer(&excerpts.collect::<Vec<_>>())
}

/// Answers all analyses from what was recorded, also those that follow from the answers.
fn recall(desk: &mut TestApp, recorded: &Excerpt) {
    loop {
        let all = asked(desk);
        if all.is_empty() {
            return;
        }
        for (ticket, analysis) in all {
            let output = output_of(&analysis, recorded);
            desk.tell(ticket, News::Recalled(Ok(output)));
        }
        desk.wait(0.0);
    }
}

fn event(seconds_ago: i64, machine: i64, kind: ChangeKind, lasted: Option<Lasted>) -> Event {
    let change = Change {
        lot: lot(machine),
        host: Some(70),
        offer: 101,
        amount: 4,
        price: 0.41,
        kind,
    };
    Event {
        at: ago(seconds_ago),
        kind: EventKind::Change { change, lasted },
    }
}

fn events() -> Vec<Event> {
    let lasted = |seconds, is_at_least| Some(Lasted { seconds, is_at_least });
    vec![
        event(60, 7, ChangeKind::Repriced { from: 0.45 }, lasted(26 * 60, false)),
        event(120, 9, ChangeKind::Gone(Cause::Rented), lasted(3 * HOUR, true)),
        event(180, 11, ChangeKind::Resized { from: 8 }, None),
        event(240, 12, ChangeKind::Listed, None),
        Event {
            at: ago(HOUR),
            kind: EventKind::NotWatched {
                since: ago(HOUR + 6 * HOUR + 120),
            },
        },
    ]
}

/// Opens the tape and answers it with the events.
fn tape(columns: u16, rows: u16) -> TestApp {
    let mut desk = desk(columns, rows);
    asked(&mut desk);
    desk.keys("T").expect("Reading the record");
    let tape = asked(&mut desk);
    let (question, _) = first_question(&tape);
    assert_eq!(SearchKey::new(&question.query), search());
    assert!(tape[0].1.downcast::<RecentEvents>().is_some(), "{tape:?}");
    desk.tell(tape[0].0, News::Recalled(Ok(AnyOutput::new(events()))));
    desk.wait(0.0);
    desk
}

#[test]
fn the_tape_shows_what_changed_newest_first() {
    for (columns, rows) in [(80, 24), (200, 60)] {
        let desk = tape(columns, rows);
        desk.expect("this search · ").expect("asked, not paid");
        desk.expect("11:59:00").expect("cheaper");
        desk.expect("0.450 → 0.410").expect("−9").expect("26m");
        desk.expect("rented").expect("0.410 →").expect(">3h");
        desk.expect("resized").expect("8 → 4 GPUs");
        desk.expect("listed").expect("→ 0.410");
        desk.expect("not watched for").expect("6 h 02 min");
        // What it adds up to, where there is room.
        assert_eq!(desk.shows("By machine"), columns == 200);
        assert_eq!(desk.shows("3 machines"), columns == 200);
        let screen = desk.screen();
        let place = |text: &str| screen.find(text).unwrap();
        assert!(place("cheaper") < place("rented"), "{screen}");
        assert!(place("listed") < place("not watched"), "{screen}");
    }
}

/// The tape of the volumes in a response, with these changes of clusters, newest first.
pub fn volume_tape((columns, rows): (u16, u16), volumes: &str, changes: &[(i64, ChangeKind)]) -> TestApp {
    let mut desk = TestApp::prepared(&Dialect::DOCUMENTED, |model| model.feature_mut::<Recall>().is_on = true);
    desk.resize(columns, rows).answer(THREE).keys("2").answer(volumes);
    asked(&mut desk);
    desk.keys("T");
    let mut events = Vec::new();
    for (seconds_ago, (cluster, kind)) in (60..).step_by(60).zip(changes) {
        let mut event = event(seconds_ago, *cluster, *kind, None);
        if let EventKind::Change { change, .. } = &mut event.kind {
            change.lot.model = VOLUME_MODEL.into();
            change.amount = 11_133;
        }
        events.push(event);
    }
    for (ticket, analysis) in asked(&mut desk) {
        if analysis.downcast::<RecentEvents>().is_some() {
            desk.tell(ticket, News::Recalled(Ok(AnyOutput::new(events.clone()))));
        }
    }
    desk.wait(0.0);
    desk
}

#[test]
fn the_tape_of_volumes_adds_up_its_events_by_cluster_and_cuts_no_amount() {
    // The first cluster is loaded.
    let changes = [
        (7, ChangeKind::Resized { from: 111_862 }),
        (7, ChangeKind::Repriced { from: 0.45 }),
        (9, ChangeKind::Listed),
    ];
    for (columns, rows) in [(80, 24), (200, 60)] {
        let mut desk = volume_tape((columns, rows), TWO, &changes);
        desk.expect("111862 → 11133 GB").expect_not("…");
        desk.expect("1 listed, 1 cheaper, 1 resized in the last 7 days");
        desk.expect("cluster's volumes");
        assert_eq!(desk.shows("By cluster"), columns == 200);
        desk.expect("7 Texas, US");
        assert_eq!(desk.shows("2 clusters"), columns == 200);
        // A place is found where it is loaded.
        desk.keys("/").type_text("texas");
        desk.expect("1 cheaper, 1 resized in the last").expect_not("1 listed");
    }
}

#[test]
fn the_tape_is_filtered_and_leads_to_the_machine() {
    let mut desk = tape(80, 24);
    desk.keys("/").type_text("rented").keys("enter");
    desk.expect("0.410 →").expect_not("cheaper").expect_not("listed");
    desk.calls.clear();
    desk.keys("enter").expect("/ machine 9 ");
    let bourse::api::Request::Search(query) = desk.asked() else {
        panic!("{:?}", desk.calls);
    };
    let asked = bourse::domain::language::print(&query.conditions);
    assert_eq!(asked, "machine_id=9 host_id=70", "hosts can be asked for");
}

#[test]
fn the_tape_goes_on_with_every_response() {
    let mut desk = tape(80, 24);
    desk.keys("r").answer(THREE).wait(0.0);
    assert_eq!(asked(&mut desk).len(), 1, "asked again");
    desk.expect("cheaper"); // until the answer is here
    desk.keys("right").expect(" RTX 4090 · ");
    assert_eq!(first_question(&asked(&mut desk)).0.model(), Some("RTX 4090"));
    desk.keys("right").expect(" 1x RTX 4090 · ");
    assert_eq!(first_question(&asked(&mut desk)).0.gpus(), Some(1));
    desk.keys("right").expect(" RTX 4090 on machine 7");
    assert_eq!(first_question(&asked(&mut desk)).0.machine(), Some(7));
    desk.keys("right").expect("this search · ");
}

#[test]
fn after_a_slow_question_the_record_rests() {
    let mut desk = tape(120, 30);
    desk.keys("r").answer(THREE).wait(0.0);
    let (ticket, _) = asked(&mut desk).remove(0);
    // The record took two seconds; twenty times as long it is not asked again.
    desk.wait(2.0);
    desk.tell(ticket, News::Recalled(Ok(AnyOutput::new(events()))));
    for _ in 0..3 {
        desk.wait(10.0).keys("r").answer(THREE).wait(0.0);
        assert_eq!(asked(&mut desk).len(), 0, "it rests");
    }
    desk.wait(11.0);
    assert_eq!(asked(&mut desk).len(), 1, "then all responses since count");
}

/// What [`recorded`] says, of volumes on clusters 1 to 40 at 0.0030 to 0.0420 $/GB/month.
fn recorded_volumes() -> Excerpt {
    let mut all = recorded();
    for spell in &mut all.spells {
        spell.lot.model = VOLUME_MODEL.into();
        spell.price = 0.002 + spell.lot.machine as f64 / 1000.0;
        spell.amount = 1000;
        spell.quotes[0].base = spell.price;
    }
    all
}

/// Two days in which machines 1 to 40 asked 0.40 to 0.79, watched every five minutes but for the six
/// hours that ended twelve hours ago.
fn recorded() -> Excerpt {
    let polls = (0..2 * DAY / 300).map(|place| 2 * DAY - place * 300);
    let polls = polls.filter(|ago| !(12 * HOUR..18 * HOUR).contains(ago));
    let polls = polls.map(|seconds| PollRow {
        at: ago(seconds),
        took: 500,
        outcome: PollOutcome::Complete,
        rows: 40,
        has_lowest: true,
        interval: Some(300),
        bans: 0,
    });
    let spell = |machine: i64, first: i64, last: i64, end| Spell {
        lot: lot(machine),
        host: Some(1),
        country: None,
        amount: 2,
        price: 0.39 + machine as f64 / 100.0,
        offer: machine,
        quotes: vec![Quote {
            gpus: 1,
            base: 0.39 + machine as f64 / 100.0,
            storage: 0.0,
            min_bid: None,
        }],
        beginning: Beginning::Found,
        first: ago(first),
        last: ago(last),
        end,
    };
    let before = (1..=40).map(|machine| {
        let end = Some((Ending::LostSight, ago(18 * HOUR)));
        spell(machine, 2 * DAY, 18 * HOUR, end)
    });
    let after = (1..=40).map(|machine| spell(machine, 12 * HOUR - 300, 300, None));
    Excerpt {
        polls: polls.collect(),
        spells: before.chain(after).collect(),
        unknown: 0,
    }
}

#[test]
fn the_history_shows_prices_with_their_record_low_and_gaps() {
    for (columns, rows) in [(80, 24), (200, 60)] {
        let mut desk = desk(columns, rows);
        asked(&mut desk);
        desk.keys("H").expect("Reading the record");
        recall(&mut desk, &recorded());
        // The shortest time that holds the two days on record.
        desk.expect("RTX 4090 · the last week").expect("asked, not paid");
        desk.keys("left").expect("the last day");
        recall(&mut desk, &recorded());
        // But for 6 h 5 min, and 5 min since the last poll.
        desk.expect("74% watched");
        desk.keys("right").expect("the last week");
        recall(&mut desk, &recorded());
        // Now is what the rows on screen have, not the record of five minutes ago.
        desk.expect("$0.410 lowest").expect("of 1 GPU on offer");
        desk.expect("lowest $0.400 on 2026-11-18 12:00");
        desk.expect("→ longer");
        if columns == 200 {
            // The table's periods.
            desk.expect("4h from");
        }
        desk.keys("right").expect("the last month");
        recall(&mut desk, &recorded());
        desk.expect("$0.410 lowest");
        // There is no longer one.
        desk.expect_not("→ longer");
        desk.keys("right").expect("The longest time is the last month");
        desk.keys("esc").expect("Offers");
    }
}

#[test]
fn a_cursor_reads_out_the_prices_of_a_time() {
    for (columns, rows) in [(80, 24), (200, 60)] {
        let mut desk = desk(columns, rows);
        desk.keys("H left left");
        recall(&mut desk, &recorded());
        desk.expect("the last day").expect("P20 to P80").expect_not("▴");
        // The latest part of the day, of eight minutes; machines 1 to 40 ask 0.40 to 0.79.
        desk.keys("<")
            .expect("11:52–12:00  ● $0.400 lowest  ○ $0.590 median")
            .expect("▴");
        desk.expect("mean ").expect("$0.470–$0.710");
        desk.keys("< <").expect("11:36–11:44  ●");
        desk.keys(">").expect("11:44–11:52  ●");
        // 18 parts earlier, then where nothing is recorded.
        desk.keys("pgup").expect("09:20–09:28  ●");
        desk.keys("pgup pgup pgup pgup")
            .expect("11-19 23:44–23:52  not recorded")
            .expect_not("○ $");
        desk.keys("g").expect("11-19 12:00–12:08  ●");
        desk.keys("<").expect("11-19 12:00–12:08  ●");
        // It stays on its time when the chart is of a longer one.
        desk.keys("right");
        recall(&mut desk, &recorded());
        desk.expect("11-19 11:44–12:40  ●");
    }
}

#[test]
fn the_history_is_of_a_model_a_machine_or_a_search() {
    let mut desk = desk(80, 24);
    desk.keys("H");
    recall(&mut desk, &recorded());
    desk.keys("down").expect("1x RTX 4090 · ");
    assert_eq!(first_question(&asked(&mut desk)).0.gpus(), Some(1));
    desk.keys("down").expect("RTX 4090 on machine 7");
    let (question, conditions) = first_question(&asked(&mut desk));
    assert_eq!(
        (question.machine(), question.model()),
        (Some(7), Some("RTX 4090")),
        "{conditions}"
    );
    desk.keys("down").expect("search rentable=true");
    let (_, conditions) = first_question(&asked(&mut desk));
    assert_eq!(conditions, search().conditions);
}

#[test]
fn prices_tape_and_alerts_are_tabs_that_stay_as_they_were_left() {
    let mut desk = desk(80, 24);
    desk.keys("H down down")
        .expect("History ▏Prices▕ Tape  Bids  Index  Alerts ");
    recall(&mut desk, &recorded());
    desk.expect(" RTX 4090 on machine 7");
    desk.keys("T right").expect("▏Tape▕").expect(" RTX 4090 · ");
    desk.keys("A")
        .expect("History  Prices  Tape  Bids  Index ▏Alerts▕")
        .expect("None yet");
    desk.keys("H").expect("▏Prices▕").expect(" RTX 4090 on machine 7");
    desk.keys("tab").expect(" RTX 4090 · ");
    desk.keys("esc").expect_not("▏Tape▕");
    desk.keys("4 A").expect("None yet").expect_not("▏Alerts▕");
}

#[test]
fn the_bids_tab_says_which_bid_makes_the_bill_lowest() {
    let mut record = recorded();
    let mut desk = desk(120, 40);
    desk.keys("L").expect("▏Bids▕").expect("Reading the record");
    recall(&mut desk, &record);
    desk.expect("No such offer named a minimum bid");
    for spell in &mut record.spells {
        spell.quotes[0].min_bid = Some(0.19 + spell.lot.machine as f64 / 100.0);
    }
    desk.keys("esc L");
    recall(&mut desk, &record);
    desk.expect(" 1x RTX 4090").expect("on-demand searches");
    desk.expect("Suggested bid: $0.20 for 60 minutes of work, at $0.2000/h: held 100% of the time");
    desk.expect("≥ 30 h").expect("% of the time with any offer held");
    // The bid under the cursor is read out of the curve.
    desk.keys("g")
        .expect("% of the time with any offer held, by bid in $/h  $0.2000 100%");
    desk.keys("esc L");
    recall(&mut desk, &Excerpt::default());
    desk.expect("No minimum bids are recorded of this search: bourse watch --type bid");
}

#[test]
fn nothing_recorded_says_how_to_record() {
    let mut desk = desk(80, 24);
    desk.keys("H");
    recall(&mut desk, &Excerpt::default());
    desk.expect("Nothing recorded in the last month").expect("auto-refresh");
}

#[test]
fn the_preview_gives_a_verdict_and_asks_once_for_it() {
    let mut desk = desk(120, 40);
    let first = asked(&mut desk);
    assert_eq!(first.len(), 1, "{first:?}");
    let (question, conditions) = first_question(&first);
    assert!(first[0].1.downcast::<VerdictBasis>().is_some());
    assert_eq!(
        (question.model(), question.gpus()),
        (Some("RTX 4090"), Some(1)),
        "{conditions}"
    );
    let output = output_of(&first[0].1, &recorded());
    desk.tell(first[0].0, News::Recalled(Ok(output)));
    desk.wait(0.0);
    // 0.40 and 8 GB at 0.9 a month are 0.41; the lowest was 0.40 all the time, in 42 hours less 5 min of 30 days.
    desk.expect("High now: $0.410 for 1 GPU,");
    desk.expect("of the last 30 days").expect("(5.8%");
    desk.expect("This offer: the lowest now for 1 GPU");
    desk.expect("from $0.400");
    desk.expect("Lifetimes, too few: 0 departures");
    for _ in 0..10 {
        desk.wait(1.0);
    }
    assert!(asked(&mut desk).is_empty());
    desk.keys("j");
    assert_eq!(asked(&mut desk).len(), 1, "another model");
    desk.keys("k");
    assert!(asked(&mut desk).is_empty(), "its memory is fresh");
}

#[test]
fn too_little_on_record_is_told_with_the_number() {
    let mut few = recorded();
    few.polls.retain(|poll| poll.at >= ago(12 * HOUR));
    few.spells.retain(|spell| spell.first >= ago(12 * HOUR));
    for keys in ["", "enter", "space space v"] {
        let mut desk = desk(200, 60);
        desk.keys(keys);
        recall(&mut desk, &few);
        desk.expect_not("Low now: ")
            .expect_not("Typical now: ")
            .expect_not("High now: ")
            .expect_not("This offer");
        desk.expect_not("lowest now");
    }
    let mut desk = desk(120, 40);
    desk.keys("H");
    recall(&mut desk, &few);
    // From the first to the last poll.
    desk.expect("No price verdict, too little: known for 12 h of the last 30 days; a verdict needs 24 h");
}

#[test]
fn compared_offers_have_their_verdicts_beside_each_other() {
    let mut desk = desk(200, 60);
    desk.keys("space space v");
    recall(&mut desk, &recorded());
    desk.expect("A: the lowest now for 1 GPU.");
}

#[test]
fn what_is_recorded_of_the_sandbox_is_marked_as_simulated_and_nothing_else() {
    let mut record = recorded();
    for spell in &mut record.spells {
        spell.quotes[0].min_bid = Some(0.2);
    }
    for is_sandbox in [true, false] {
        let mut desk = desk(200, 60);
        desk.model.profile.is_sandbox = is_sandbox;
        desk.wait(0.0);
        let mut shown = |keys: &str, text: &str| {
            desk.keys(keys);
            recall(&mut desk, &record);
            desk.expect(text);
            let screen = desk.screen();
            assert_eq!(screen.contains("simulated"), is_sandbox, "{screen}");
        };
        shown("", "High now: $0.410 for 1 GPU");
        shown("H", " RTX 4090 · ");
        shown("T", "this search · ");
        shown("L", "Suggested bid");
        shown("Y", "▏Index▕");
        shown("esc space space v", "A: the lowest now");
    }
}

#[test]
fn a_saved_search_has_its_history() {
    let mut desk = desk(80, 24);
    desk.keys("b").type_text("cheapest").keys("ctrl-o");
    desk.expect(" search ");
    let all = asked(&mut desk);
    let prices = all.iter().find(|(_, own)| own.downcast::<PriceSeries>().is_some());
    assert_eq!(prices.unwrap().1.questions()[0].query.resource, Resource::Offers);
    desk.keys("esc").expect("Cheapest 24 GB card");
}

#[test]
fn a_poll_is_recorded_with_the_causes_of_what_is_gone() {
    let polls = |desk: &mut TestApp| std::mem::take(&mut desk.polls);
    let none = r#"{"offers":[]}"#;
    let mut desk = desk(80, 24);
    polls(&mut desk);
    desk.keys("w").wait(30.0).answer(none);
    assert!(polls(&mut desk).is_empty(), "the causes are asked for");
    desk.answer(&THREE.replace("\"rented\":false", "\"rented\":true"));
    let recorded = polls(&mut desk);
    assert_eq!(recorded.len(), 1);
    let causes: Vec<_> = recorded[0].causes.iter().map(|(_, cause)| *cause).collect();
    assert_eq!(causes, [Cause::Rented; 3]);
    // A response in between does not lose the poll before.
    desk.wait(30.0).answer(THREE);
    polls(&mut desk);
    desk.wait(30.0).answer(none);
    desk.keys("r");
    let (ticket, _) = desk.calls.pop().unwrap();
    let listing = bourse::domain::Listing::read(Resource::Offers.catalog(), none, UnixTime::new(0.0)).unwrap();
    let reply = bourse::api::Reply::Records(Box::new(listing));
    desk.reply(ticket, Ok(reply));
    assert_eq!(polls(&mut desk).len(), 2);
}

/// A desk with a record on the two volumes: cluster 7 at $0.1/GB/month, cluster 8 at $0.05.
fn at_volumes(columns: u16, rows: u16) -> TestApp {
    let mut desk = desk(columns, rows);
    desk.keys("2").answer(TWO);
    desk
}

#[test]
fn the_history_of_volumes_is_of_the_search_or_a_cluster() {
    for (columns, rows) in [(80, 24), (200, 60)] {
        let mut desk = at_volumes(columns, rows);
        asked(&mut desk);
        desk.keys("H").expect(" search ");
        assert_eq!(first_question(&asked(&mut desk)).0.query.resource, Resource::Volumes);
        desk.keys("down").expect(" cluster 8 ");
        assert_eq!(first_question(&asked(&mut desk)).0.machine(), Some(8));
        recall(&mut desk, &recorded_volumes());
        desk.keys("up");
        recall(&mut desk, &recorded_volumes());
        desk.expect("$/GB/month");
    }
}

#[test]
fn a_volume_has_a_verdict_per_gb() {
    let mut desk = at_volumes(120, 40);
    recall(&mut desk, &recorded_volumes());
    // Cluster 8 asks 0.05, the least of the two; on record are others from 0.003 on.
    desk.expect("High now: $0.05/GB/month");
    desk.expect("This offer: the lowest now");
    desk.keys("j");
    assert!(asked(&mut desk).is_empty(), "all volumes are one model");
}

#[test]
fn one_search_tells_why_volumes_are_gone() {
    let mut desk = TestApp::speaking(&Dialect::VAST);
    desk.answer(THREE).keys("2").answer(TWO);
    desk.keys("w").wait(30.0).answer(r#"{"offers":[]}"#);
    desk.expect("2 gone");
    let bourse::api::Request::Search(query) = desk.asked() else {
        panic!("{:?}", desk.calls);
    };
    let asked = bourse::domain::language::print(&query.conditions);
    assert_eq!(asked, "cluster_id in [7,8]");
    // Cluster 8 has a volume that the search leaves out.
    let volumes = TWO.replace("\"cluster_id\":7", "\"cluster_id\":9");
    desk.answer(&volumes);
    desk.expect("2 gone (1 left the search, 1 delisted)");
}

#[test]
fn a_market_that_cannot_tell_why_volumes_are_gone_is_not_asked() {
    let mut desk = at_volumes(120, 40);
    desk.keys("W down down right enter");
    desk.wait(30.0).answer(r#"{"offers":[]}"#);
    assert!(desk.calls.is_empty(), "it takes no clusters and no hosts");
    desk.expect("2 gone").expect("not known");
}

#[test]
fn a_workergroup_has_the_history_of_its_supply() {
    let mut desk = desk(120, 40);
    desk.keys("3").answer(FOUR);
    asked(&mut desk);
    let answered = |desk: &mut TestApp, supply: &Excerpt| {
        let all = asked(desk);
        let (ticket, prices) = all
            .iter()
            .find(|(_, own)| own.downcast::<PriceSeries>().is_some())
            .unwrap();
        // The search of the selected group, as its supply check records it.
        assert_eq!(prices.questions()[0].query.resource, Resource::Offers);
        desk.tell(*ticket, News::Recalled(Ok(prices.answer(std::slice::from_ref(supply)))));
        desk.wait(0.0);
    };
    desk.keys("H").expect(" supply of");
    answered(&mut desk, &Excerpt::default());
    desk.expect("Every supply check is recorded (S");
    desk.keys("left");
    answered(&mut desk, &recorded());
    desk.expect("$0.400 lowest").expect("of 80 GPUs on offer");
}

#[test]
fn the_alert_form_tells_today_s_lowest_and_how_often_it_would_have_rung() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        let mut desk = desk(size.0, size.1);
        desk.keys("A enter");
        recall(&mut desk, &recorded());
        desk.expect("now from $0.400").expect("Price per   ‹ GPU ›");
        desk.expect_not("have rung");
        desk.type_text("0.35");
        // One question at a time: the second is about all that was typed.
        recall(&mut desk, &recorded());
        recall(&mut desk, &recorded());
        desk.expect("It would not have rung in the last");
        desk.keys("backspace backspace").type_text("41");
        recall(&mut desk, &recorded());
        recall(&mut desk, &recorded());
        desk.expect("It would have rung");
        desk.expect("below $0.410/h per GPU")
            .expect("It rings at once: offers start at $0.400 now.");
        desk.keys("down space")
            .expect("Price per   ‹ machine ›")
            .expect("per machine");
        desk.keys("pgdn enter").expect("per machine”");
    }
}

#[test]
fn the_history_has_a_line_at_the_price_of_an_alert() {
    let mut desk = desk(120, 40);
    desk.keys("H");
    recall(&mut desk, &recorded());
    desk.expect_not(" alert ");
    desk.keys("A enter").type_text("0.35").keys("pgdn enter");
    desk.keys("tab").expect("History").expect(" alert 0.35 ┄");
    // The chart below the table of alerts has it, too.
    let mut desk = self::desk(120, 60);
    desk.keys("A enter").type_text("0.35").keys("pgdn enter");
    recall(&mut desk, &recorded());
    desk.expect("Lowest price of").expect(" alert 0.35 ┄");
}

#[test]
fn the_tape_starts_with_changes_and_finds_what_only_moved_into_the_results() {
    let mut desk = desk(80, 24);
    desk.keys("T");
    let entered = |machine| event(30, machine, ChangeKind::IntoView, None);
    let mut all: Vec<Event> = (20..40).map(entered).collect();
    all.extend(events());
    for (ticket, analysis) in asked(&mut desk) {
        if analysis.downcast::<RecentEvents>().is_some() {
            desk.tell(ticket, News::Recalled(Ok(AnyOutput::new(all.clone()))));
        }
    }
    desk.wait(0.0).expect("cheaper").expect_not("in results");
    desk.keys("/")
        .type_text("results")
        .expect("in results")
        .expect_not("cheaper");
}

#[test]
fn the_market_line_has_the_models_on_offer_with_their_week_and_opens_their_history() {
    let mut desk = desk(120, 40);
    let line = |desk: &TestApp| desk.screen().lines().nth(1).unwrap().to_owned();
    // Per GPU: 16.02 / 8, 0.31 / 2 and 0.41; those with the most GPUs come first.
    let models = "H100 SXM 2.002   RTX 3090 0.155   RTX 4090 0.410 ";
    assert!(line(&desk).trim().starts_with(models), "{}", line(&desk));
    // The unit is named once.
    assert!(line(&desk).trim().ends_with(" lowest, $/GPU-h"), "{}", line(&desk));
    // One after the other, each of its own week.
    for model in ["H100 SXM", "RTX 3090", "RTX 4090"] {
        let effects = std::mem::take(&mut desk.effects).into_iter();
        let weeks = effects.filter_map(|effect| match effect {
            Effect::History(HistoryJob::Ask { ticket, analysis }) => Some((ticket, analysis)),
            _ => None,
        });
        let mut weeks = weeks.filter(|(_, analysis)| analysis.downcast::<WeekStudy>().is_some());
        let (ticket, analysis) = weeks.next().expect("the record was asked");
        assert!(weeks.next().is_none(), "once");
        let questions = analysis.questions();
        assert_eq!(questions[0].model(), Some(model));
        assert_eq!(questions[0].until.since(questions[0].since), 7 * DAY);
        let output = output_of(&analysis, &recorded());
        desk.tell(ticket, News::Recalled(Ok(output)));
        desk.wait(0.0);
    }
    // The record knows the RTX 4090 only, at 0.40 and 8 GB of storage.
    let shown = line(&desk);
    let week = shown.split("RTX 4090 ").nth(1).unwrap();
    assert!(
        week.contains('▁') || week.contains('█') || week.contains('▄'),
        "{shown}"
    );
    // Of the others it has the price of the loaded rows alone.
    assert!(
        shown.contains("H100 SXM 2.002") && shown.contains("RTX 3090 0.155"),
        "{shown}"
    );
    // On a short screen the rows have the room.
    desk.resize(120, 29).expect_not("H100 SXM 2.002");
    desk.resize(120, 40)
        .click("RTX 4090 ")
        .expect(" search gpu_name=RTX_4090");
}

#[test]
fn while_the_record_is_read_every_tab_shows_the_prices_on_offer() {
    for (columns, rows) in [(120, 40), (200, 60)] {
        let offers = crate::test_app::varied_offers(["Texas, US", "Iceland, IS", "Quebec, CA", "Bulgaria, BG"]);
        let mut desk = TestApp::prepared(&Dialect::DOCUMENTED, |model| model.feature_mut::<Recall>().is_on = true);
        desk.resize(columns, rows).answer(&offers);
        for tab in ["H", "T", "L", "Y"] {
            desk.keys(tab).expect("On offer now, ").expect("Cheapest RTX 4090 now");
            let screen = desk.screen();
            let line = screen.lines().position(|line| line.contains("Reading the record"));
            // Below the header and the border.
            assert_eq!(line, Some(2), "{tab}\n{screen}");
            desk.keys("esc");
        }
    }
}

#[test]
fn the_price_index_is_named_after_its_models() {
    let mut desk = desk(160, 40);
    desk.keys("Y").expect("models of the search · $/h");
    recall(&mut desk, &recorded());
    desk.expect("RTX 4090 · $/h");
    desk.keys("right").expect("RTX 4090 by country");
}
