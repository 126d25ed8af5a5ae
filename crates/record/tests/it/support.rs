//! A small market in JSON, and the polls that see it.

use bourse_domain::time::UnixTime;
use std::path::Path;

use bourse_domain::annotations::Bans;
use bourse_domain::language::{Mode, parse, parse_order};
use bourse_domain::response_check::ResponseCheck;
use bourse_domain::{Dialect, Listing, Query, Resource};
use bourse_record::store::Database;
use bourse_record::{Arrival, Moment, Poll};
use rusqlite::Connection;
use rusqlite::types::Value;

/// One offer: an RTX 4090 of host 7, with further members.
pub fn offer(id: i64, machine: i64, gpus: u32, base: f64, more: &str) -> String {
    let total = base + 0.18 * 8.0 / 720.0;
    format!(
        r#"{{"id":{id},"machine_id":{machine},"host_id":7,"gpu_name":"RTX 4090","gpu_ram":24564,"num_gpus":{gpus},
        "dph_base":{base},"dph_total":{total},"storage_cost":0.18,"rentable":true,"rented":false,"disk_space":100,
        "verification":"verified","geolocation":"Oslo, NO"{more}}}"#
    )
}

pub fn query(words: &str) -> Query {
    let catalog = Resource::Offers.catalog();
    let parsed = parse(words, catalog, &Dialect::VAST, &[], Mode::Strict).unwrap();
    Query {
        conditions: parsed.conditions,
        limit: Some(300),
        ..Query::empty(Resource::Offers)
    }
}

pub fn ordered(words: &str, order: &str, limit: u32) -> Query {
    Query {
        order: parse_order(order, Resource::Offers.catalog()).unwrap(),
        limit: Some(limit),
        ..query(words)
    }
}

pub fn arrival(at: i64) -> Arrival {
    Arrival {
        at: Moment(at),
        took: 100,
        interval: Some(60),
        bans: Bans::NONE,
    }
}

pub fn listing(offers: &[String], end: &str, at: i64) -> Listing {
    let body = format!(r#"{{"offers":[{}]{end}}}"#, offers.join(","));
    Listing::read(Resource::Offers.catalog(), body, UnixTime::new(at as f64)).unwrap()
}

/// The poll of a response with these offers; `end` closes the object, as `,"truncated":true`.
pub fn poll_of(query: &Query, offers: &[String], end: &str, arrival: &Arrival) -> Poll {
    let listing = listing(offers, end, arrival.at.0);
    let check = ResponseCheck::new(&listing, query, &Dialect::VAST);
    Poll::new(query, &listing, &check, &Dialect::VAST, arrival)
}

/// The poll of a complete response.
pub fn poll(words: &str, offers: &[String], at: i64) -> Poll {
    poll_of(&query(words), offers, r#","truncated":false"#, &arrival(at))
}

/// An empty file of version 9 of the tables, as version 0.1 had them.
pub fn file_of_version_9(path: &Path) -> Connection {
    drop(Database::open(path, "market").unwrap());
    let file = Connection::open(path).unwrap();
    file.execute_batch(
        "DROP VIEW offers_on_record_v1; DROP VIEW price_history_v1; DROP VIEW requests_v1; DROP TABLE change;
         DROP TABLE member; DROP TABLE line; DROP TABLE field; DROP TABLE response; DROP TABLE scope;
         DROP TABLE market; PRAGMA user_version = 9",
    )
    .unwrap();
    file
}

/// The rows of a query on a file, as text.
pub fn rows(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(sql).unwrap();
    let many = statement.column_count();
    let text = |value: Value| match value {
        Value::Null => "-".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text,
        Value::Blob(bytes) => format!("{bytes:?}"),
    };
    let rows = statement.query_map([], |row| {
        let cells = (0..many).map(|index| row.get(index).map(text));
        cells.collect::<rusqlite::Result<Vec<_>>>().map(|cells| cells.join(" "))
    });
    rows.unwrap().map(Result::unwrap).collect()
}
