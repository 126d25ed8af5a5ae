//! How long questions about a busy month take: `cargo test --release -p bourse-record --test it large -- --ignored --nocapture`.

use std::time::Instant;

use bourse_record::store::Database;
use bourse_record::{Moment, Question};
use rusqlite::{Connection, params};

use super::stories::{MARKET, query};

const MACHINES: i64 = 1000;
const SIZES: [i64; 4] = [1, 2, 4, 8];
const MINUTES: i64 = 30 * 24 * 60;
const START: i64 = 1_795_176_000;

fn fill(db: &mut Connection) {
    let db = db.transaction().unwrap();
    db.execute("INSERT INTO market (id, name) VALUES (1, ?1)", [MARKET])
        .unwrap();
    for (id, conditions) in [
        (1, "disk_space>=8GB rentable=true rented=false verification=verified"),
        (
            2,
            "disk_space>=8GB num_gpus>=2 rentable=true rented=false verification=verified",
        ),
    ] {
        db.execute(
            "INSERT INTO scope (id, market, resource, offer_type, storage, bundled, conditions, excluded)
             VALUES (?1, 1, 0, 0, 8, 1, ?2, '')",
            params![id, conditions],
        )
        .unwrap();
        for minute in 0..MINUTES {
            db.execute(
                "INSERT INTO response (scope, at, took, proof, rows, every) VALUES (?1, ?2, 100, 0, 4000, 60)",
                params![id, START + minute * 60 + id],
            )
            .unwrap();
        }
    }
    let mut random = fastrand::Rng::with_seed(1);
    let field: i64 = db
        .query_row("SELECT id FROM field WHERE name = 'dph_base'", [], |row| row.get(0))
        .unwrap();
    let mut line: i64 = 0;
    for machine in 0..MACHINES {
        for gpus in SIZES {
            line += 1;
            let model = format!("MODEL {}", machine % 40);
            db.execute(
                "INSERT INTO line (id, market, resource, offer_type, machine, model, memory, gpus, seen, offer, offers,
                     gpu_mask, dph_base, storage_cost, disk_space, verification, geolocation, host_id, gpu_ram, reliability)
                 VALUES (?1, 1, 0, 0, ?2, ?3, 24, ?4, 0, ?1, 1, ?5, 0.5, 0.1, 500, 'verified', 'Berlin, DE', 5, 24564, 0.99)",
                params![line, machine, model, gpus, (1_i64 << gpus) - 1],
            )
            .unwrap();
            // Rented and listed again once a day, repriced once a day.
            for scope in 1..=(if gpus > 1 { 2 } else { 1 }) {
                let mut first = 0;
                let mut end = fastrand::Rng::with_seed(line.cast_unsigned());
                while first < MINUTES {
                    let last = first + end.i64(600..1800);
                    let at = |minute: i64| START + minute * 60 + scope;
                    let (seen, ended, ending) = if last + 1 >= MINUTES {
                        (None, None, None)
                    } else {
                        (Some(at(last)), Some(at(last + 1)), Some(3))
                    };
                    db.execute(
                        "INSERT INTO member (scope, line, first, beginning, last, ended, ending) VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6)",
                        params![scope, line, at(first), seen, ended, ending],
                    )
                    .unwrap();
                    first = last + end.i64(60..600);
                }
            }
            for day in 0..30 {
                db.execute(
                    "INSERT INTO change (line, until, field, value) VALUES (?1, ?2, ?3, ?4)",
                    params![
                        line,
                        START + day * 86_400 + random.i64(0..86_400),
                        field,
                        0.4 + 0.01 * random.f64()
                    ],
                )
                .unwrap();
            }
        }
    }
    db.commit().unwrap();
}

#[test]
#[ignore = "measures"]
#[expect(clippy::print_stderr)] // its figures
fn large_questions_take_some_milliseconds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    drop(Database::open(&path, MARKET).unwrap());
    fill(&mut Connection::open(&path).unwrap());
    let database = Database::open(&path, MARKET).unwrap();
    for text in [
        "verified=true gpu_name='MODEL 7'",
        "verified=true gpu_name='MODEL 7' num_gpus=2",
        "verified=true",
        "verified=true reliability>=0.9",
    ] {
        let question = Question {
            query: query(text),
            since: Moment(START),
            until: Moment(START + MINUTES * 60),
        };
        for _ in 0..2 {
            let start = Instant::now();
            let excerpt = database.excerpt(&question).unwrap();
            eprintln!(
                "{text}: {} ms, {} polls, {} spells",
                start.elapsed().as_millis(),
                excerpt.polls.len(),
                excerpt.spells.len()
            );
        }
    }
}
