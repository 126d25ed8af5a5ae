//! One record, in every form in which it leaves the program.

use bourse::domain::export::{csv, markdown};
use bourse::domain::text::{clipboard, json_for_terminal, unescaped, with_escapes};
use bourse::domain::time::UnixTime;
use bourse::domain::{CellRef, Dialect, Field, Listing, OFFERS, VOLUMES, WORKERGROUPS, format, pretty};

use crate::hostile::forbidden;

const NOW: UnixTime = UnixTime::new(1_767_225_600.0);

const TOKENS: &[&str] = &[
    "\"gpu_name\":",
    "\"dph_total\":",
    "\"search\":",
    "\"created_at\":",
    "\"api_key\":",
    "\"cpu_name\":",
    "\"\\ud800\"",
    "\"\\u202e\"",
    "NaN",
    "[1,2]",
    "{\"gte\":1}",
    "9007199254740993",
    "\"=1+1\"",
    "null",
];

#[track_caller]
fn assert_clean(text: &str) {
    assert_eq!(forbidden(text), None, "{text:?}");
}

fn exported(listing: &Listing, fields: &[&Field]) {
    let rows: Vec<u32> = (0..u32::try_from(listing.len()).unwrap()).collect();
    let table = csv(listing, &rows, fields);
    assert_clean(&table);
    let mut lines = 0;
    for line in ::csv::Reader::from_reader(table.as_bytes()).records() {
        assert_eq!(line.unwrap().len(), fields.len());
        lines += 1;
    }
    assert_eq!(lines, rows.len());
    assert_clean(&markdown(listing, &rows, fields, &Dialect::VAST, usize::MAX).unwrap());
}

fn shown(listing: &Listing, row: usize, fields: &[&Field]) {
    for field in fields {
        assert_clean(&format::cell(listing, row, field, 80));
        if let CellRef::Text(text) = listing.cell(row, field) {
            assert_eq!(unescaped(&with_escapes(text)), text);
        }
    }
    let json = listing.json(row).unwrap();
    let safe = json_for_terminal(json);
    assert_clean(&safe);
    assert_clean(&clipboard(json));
    let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).ok();
    assert_eq!(value(&safe), value(json));
    for line in pretty::json_lines(json) {
        assert_clean(&line);
    }
}

pub const TARGET: super::Target = super::Target {
    name: "record",
    tokens: TOKENS,
    judge: target,
};

fn target(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    for catalog in [&OFFERS, &VOLUMES, &WORKERGROUPS] {
        let within = |records: &str| format!("{{\"{}\": [{records}]}}", catalog.list_key);
        let Ok(listing) = Listing::read(catalog, within(&text), NOW) else {
            continue;
        };
        let fields: Vec<&Field> = catalog.fields().iter().collect();
        exported(&listing, &fields);
        for row in 0..listing.len() {
            shown(&listing, row, &fields);
            let record = listing.json(row).unwrap();
            let again = Listing::read(catalog, within(record), NOW).unwrap();
            assert_eq!(again.id(0), listing.id(row));
            for field in &fields {
                let (one, other) = (listing.cell(row, field), again.cell(0, field));
                assert_eq!(format!("{one:?}"), format!("{other:?}"), "{}", field.key);
            }
        }
    }
}

#[test]
fn records_leave_clean_and_read_back() {
    super::run(&TARGET);
}
