//! What version 0.1 left in the file still answers, and counts once.

use bourse_record::store::Database;
use bourse_record::{Cause, Ending, Excerpt, Moment, Question, VerdictBasis};
use rusqlite::{Connection, params};

use super::support::{file_of_version_9, offer, poll, query, rows};

const HOUR: i64 = 3600;
const START: i64 = 1_795_176_000;
const HOURS: i64 = 30 * 24;

/// The default search.
const DEFAULT: &str = "rentable=true rented=false verified=true";

/// The GPUs of offers with their $/h, as version 0.1 stored them; a GB costs $0.72 a month.
fn quotes(offers: &[(u32, f64)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (gpus, base) in offers {
        bytes.extend(gpus.to_le_bytes());
        for price in [*base, 0.72, f64::NAN] {
            bytes.extend(price.to_le_bytes());
        }
    }
    bytes
}

/// Thirty days of the default search every hour. Machine 1 in Norway has one and two RTX 4090, which cost more from the
/// hour 240 on; machine 2 has eight H100 SXM until the hour 480.
fn thirty_days(file: &Connection) {
    file.execute(
        "INSERT INTO search (id, market, resource, offer_type, conditions) VALUES (1, 'market', 0, 0, ?1)",
        [DEFAULT],
    )
    .unwrap();
    file.execute_batch(
        "INSERT INTO lot (id, machine, model, host, country) VALUES (1, 1, 'RTX 4090', 7, 'NO'), (2, 2, 'H100 SXM', 8, 'US')",
    )
    .unwrap();
    for hour in 0..=HOURS {
        file.execute(
            "INSERT INTO poll (search, at, took, outcome, found, every, has_lowest) VALUES (1, ?1, 100, 0, 3, 3600, 1)",
            [START + hour * HOUR],
        )
        .unwrap();
    }
    let at = |hour: i64| START + hour * HOUR;
    let cheap = quotes(&[(1, 0.4), (2, 0.7)]);
    let dear = quotes(&[(1, 0.5), (2, 0.9)]);
    let eight = quotes(&[(8, 16.0)]);
    let add =
        "INSERT INTO spell (search, lot, amount, price, offer, beginning, was, first, last, ending, ended, quotes)
        VALUES (1, ?1, ?2, ?3, 9, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let none: Option<i64> = None;
    file.execute(add, params![1, 2, 0.4, 0, none, at(0), at(239), 4, at(240), cheap])
        .unwrap();
    file.execute(add, params![1, 2, 0.5, 2, 0.4, at(240), none, none, none, dear])
        .unwrap();
    file.execute(add, params![2, 8, 2.05, 0, none, at(0), at(479), 3, at(480), eight])
        .unwrap();
}

fn always(words: &str) -> Question {
    Question {
        query: query(words),
        since: Moment(i64::MIN),
        until: Moment(i64::MAX),
    }
}

/// The hours from which on, and until which, something was on offer, with the GPUs and $/h of its offers.
type Stay = (i64, Option<i64>, Vec<(u32, f64)>);

fn stays(excerpt: &Excerpt) -> Vec<Stay> {
    let hours = |at: Moment| (at.0 - START) / HOUR;
    let spells = excerpt.spells.iter().map(|spell| {
        let quotes = spell.quotes.iter().map(|quote| (quote.gpus, quote.base));
        (hours(spell.first), spell.end.map(|(_, at)| hours(at)), quotes.collect())
    });
    spells.collect()
}

#[test]
fn thirty_days_of_the_default_search_answer_narrower_questions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    thirty_days(&file_of_version_9(&path));
    let mut database = Database::open(&path, "market").unwrap();
    let ask = |database: &Database, words: &str| database.excerpt(&always(words)).unwrap();
    let all = ask(&database, DEFAULT);
    assert_eq!((all.polls.len(), all.spells.len()), (721, 3));
    for (words, expected) in [
        (
            "verified=true gpu_name=RTX_4090",
            vec![
                (0, Some(240), vec![(1, 0.4), (2, 0.7)]),
                (240, None, vec![(1, 0.5), (2, 0.9)]),
            ],
        ),
        (
            "verified=true gpu_name=RTX_4090 num_gpus=1",
            vec![(0, Some(240), vec![(1, 0.4)]), (240, None, vec![(1, 0.5)])],
        ),
        (
            "verification=verified gpu_name=H100_SXM num_gpus>=8",
            vec![(0, Some(480), vec![(8, 16.0)])],
        ),
        // The memory of a model goes without saying.
        (
            "verified=true gpu_name=RTX_4090 num_gpus=2 gpu_ram>=24",
            vec![(0, Some(240), vec![(2, 0.7)]), (240, None, vec![(2, 0.9)])],
        ),
        (
            "verified=true geolocation=US num_gpus=8",
            vec![(0, Some(480), vec![(8, 16.0)])],
        ),
        // None was on offer.
        ("verified=true gpu_name=RTX_4090 num_gpus=4", Vec::new()),
    ] {
        let excerpt = ask(&database, words);
        assert_eq!((excerpt.polls.len(), stays(&excerpt)), (721, expected), "{words}");
    }
    let gone = ask(&database, "verified=true gpu_name=H100_SXM").spells.remove(0);
    let end = Moment(START + 480 * HOUR);
    assert_eq!(gone.end, Some((Ending::Gone(Cause::Unknown), end)));
    // Of what the search left out, and of what it did not record, nothing is known.
    for words in ["gpu_name=RTX_4090", "verified=true gpu_name=RTX_4090 reliability>=0.9"] {
        assert_eq!(ask(&database, words), Excerpt::default(), "{words}");
    }
    let until = Moment(START + HOURS * HOUR);
    let basis = VerdictBasis::new(query("verified=true gpu_name=RTX_4090 num_gpus=1"), until);
    let memory = database.ask(&basis).unwrap().unwrap();
    assert_eq!(memory.watched, 30 * 24 * HOUR);
    // With 8 GB of storage.
    assert!((memory.lowest.unwrap() - 0.508).abs() < 1e-9, "{:?}", memory.lowest);

    // It goes on with what is recorded now.
    let next = START + (HOURS + 1) * HOUR;
    database
        .record(&poll(DEFAULT, &[offer(5, 1, 1, 0.6, "")], next))
        .unwrap();
    let excerpt = ask(&database, "verified=true gpu_name=RTX_4090 num_gpus=1");
    let expected = [
        (0, Some(240), vec![(1, 0.4)]),
        (240, Some(720), vec![(1, 0.5)]),
        (721, None, vec![(1, 0.6)]),
    ];
    assert_eq!((excerpt.polls.len(), &stays(&excerpt)[..]), (722, &expected[..]));
    let contents = database.contents().unwrap();
    assert_eq!((contents.searches, contents.polls, contents.prices), (1, 722, 4));
    let mut exported = Vec::new();
    let export = database.export(|spell| {
        exported.push((spell.search.conditions.clone(), spell.spell.lot.machine));
        Ok::<_, bourse_record::store::HistoryError>(())
    });
    export.unwrap();
    let of = |machine| ("verification=verified".to_owned(), machine);
    assert_eq!(exported, [of(1), of(2), of(1), of(1)]);
}

#[test]
fn what_was_written_to_old_and_new_tables_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    let mut database = Database::open(&path, "market").unwrap();
    for at in [600, 660, 720] {
        database.record(&poll("", &[offer(1, 1, 1, 0.3, "")], at)).unwrap();
    }
    drop(database);
    let file = Connection::open(&path).unwrap();
    file.execute_batch(
        "INSERT INTO search (id, market, resource, offer_type, conditions) VALUES
             (1, 'market', 0, 0, ''), (2, 'market', 0, 0, 'num_gpus=1'), (3, 'other', 0, 0, '');
         INSERT INTO poll (search, at, took, outcome, found, every) VALUES
             (1, 540, 100, 0, 1, 60), (1, 600, 100, 0, 1, 60), (1, 660, 100, 0, 1, 60), (1, 720, 100, 0, 1, 60),
             (2, 660, 100, 0, 1, 60), (3, 660, 100, 0, 1, 60);
         INSERT INTO lot (id, machine, model) VALUES (1, 1, 'RTX 4090');
         INSERT INTO spell (search, lot, amount, price, offer, beginning, first) VALUES
             (1, 1, 1, 0.3, 1, 0, 540), (2, 1, 1, 0.3, 1, 0, 660), (3, 1, 1, 0.3, 1, 0, 660);
         INSERT INTO block (search, since, until, spells) VALUES (1, 0, 86400, x'00');
         PRAGMA user_version = 10",
    )
    .unwrap();
    let database = Database::open(&path, "market").unwrap();
    assert_eq!(rows(&file, "SELECT search, at FROM poll"), ["1 540", "3 660"]);
    assert_eq!(rows(&file, "SELECT count(*) FROM block"), ["0"]);
    let contents = database.contents().unwrap();
    // One search of each market; a price of the old time, one of now, and one of the other market.
    assert_eq!((contents.searches, contents.polls, contents.prices), (2, 5, 3));
    let excerpt = database.excerpt(&always("")).unwrap();
    let polls: Vec<i64> = excerpt.polls.iter().map(|poll| poll.at.0).collect();
    assert_eq!(polls, [540, 600, 660, 720]);
    assert_eq!(database.check().unwrap(), Vec::<String>::new());
}
