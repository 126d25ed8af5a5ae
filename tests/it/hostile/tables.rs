//! CSV: what is read back is what was written, and no spreadsheet finds a formula in it.

use bourse::domain::text::csv_text;
use bourse::domain::time::UnixTime;
use bourse::domain::{Listing, OFFERS, WORKERGROUPS, export};
use proptest::prelude::*;

use super::forbidden;

/// What a spreadsheet takes for the beginning of a formula.
const SIGNS: [char; 12] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n', '\0'];

/// Whether a program that cuts cells at other separators and quotes than CSV's would find a formula.
fn holds_formula(cell: &str) -> bool {
    let begins = cell.starts_with(SIGNS);
    begins
        || cell
            .split([',', ';', '|', '\t', '\n', '\r', '"', '\''])
            .enumerate()
            .any(|(place, part)| {
                // Behind our own apostrophe a part is text.
                let is_text = place > 0 && is_behind_apostrophe(cell, part);
                !is_text && part.trim_start().starts_with(SIGNS)
            })
}

fn is_behind_apostrophe(cell: &str, part: &str) -> bool {
    let at = part.as_ptr() as usize - cell.as_ptr() as usize;
    cell[..at].ends_with('\'')
}

/// The cells of a text, without the apostrophes in front of signs.
fn without_apostrophes(cell: &str) -> String {
    let mut out = String::new();
    let mut letters = cell.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_own = letter == '\'' && letters.peek().is_some_and(|next| SIGNS.contains(next));
        if !is_own {
            out.push(letter);
        }
    }
    out
}

fn read(text: &str) -> Vec<Vec<String>> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(false)
        .from_reader(text.as_bytes())
        .records()
        .map(|record| record.unwrap().iter().map(str::to_owned).collect())
        .collect()
}

#[test]
fn what_may_begin_a_formula_gets_an_apostrophe_also_behind_quotes_and_separators() {
    for (text, cell) in [
        ("RTX 4090", "RTX 4090"),
        ("=1+1", "'=1+1"),
        ("  =1", "  '=1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-2", "'-2"),
        ("＝1", "'＝1"),
        ("a-b + c", "a-b + c"),
        ("x;=1", "x;'=1"),
        ("x\",\"=1", "x\",\"'=1"),
        ("'=1", "''=1"),
        ("Texas, US", "Texas, US"),
        ("\t=1", "'<U+0009>=1"),
        ("\n=1", "'<U+000A>=1"),
        ("\r\n-1", "'<U+000D><U+000A>-1"),
        ("\0=1", "'<U+0000>=1"),
        ("a\u{202e}\u{9b}b", "a<U+202E><U+009B>b"),
    ] {
        assert_eq!(csv_text(text), cell, "{text:?}");
        assert!(!holds_formula(cell), "{cell:?}");
    }
    for raw in ["=1", " +1", "x;=1", "x,\"=1\"", "\n1"] {
        assert!(holds_formula(raw), "the check overlooks {raw:?}");
    }
}

#[test]
fn a_cell_holds_what_another_program_reads() {
    let json = r#"{"success": true, "results": [
        {"id": 7, "created_at": 1795176000.5, "endpoint_name": "chat"},
        {"id": 8, "created_at": 1e18, "endpoint_name": null}, {"id": 9, "endpoint_name": {}}]}"#;
    let listing = Listing::read(&WORKERGROUPS, json, UnixTime::new(0.0)).unwrap();
    let fields = ["id", "created_at", "endpoint_name"];
    let fields = fields.map(|key| WORKERGROUPS.by_key(key).unwrap());
    assert_eq!(
        export::csv(&listing, &[0, 1, 2], &fields),
        "id,created_at,endpoint_name\n7,2026-11-20T12:00:00.5Z,chat\n\
         8,1000000000000000000,\n9,,\n"
    );
    assert_eq!(export::csv_line(&listing, 2, &fields), "9,,");
}

#[test]
fn random_tables_are_read_back_without_a_formula() {
    random_tables(crate::cases::cases(500, 10_000));
}

fn random_tables(cases: u32) {
    let special = "=+-@＝＋－＠\t\r\n\0,;|\"' \u{202e}\u{9b}\u{1b}\u{feff}";
    let special = prop::sample::select(special.chars().collect::<Vec<_>>());
    let letter = prop_oneof![2 => special, 2 => prop::char::range('a', 'z'), 1 => any::<char>()];
    let text = prop::collection::vec(letter, 0..10).prop_map(|letters| letters.into_iter().collect::<String>());
    let table = prop::collection::vec((text.clone(), text, -1e6..1e6_f64), 1..4);
    let mut runner = super::runner(cases);
    let fields = ["id", "gpu_name", "cpu_name", "dph_total"].map(|key| OFFERS.by_key(key).unwrap());
    runner
        .run(&table, |rows| {
            let records: Vec<_> = rows
                .iter()
                .enumerate()
                .map(|(id, (gpu, cpu, price))| {
                    serde_json::json!({"id": id, "gpu_name": gpu, "cpu_name": cpu, "dph_total": price})
                })
                .collect();
            let answer = serde_json::json!({ "offers": records }).to_string();
            let listing = Listing::read(&OFFERS, answer, UnixTime::new(0.0)).unwrap();
            let all: Vec<u32> = (0..rows.len() as u32).collect();
            let csv = export::csv(&listing, &all, &fields);
            prop_assert_eq!(forbidden(&csv), None);
            let found = read(&csv);
            prop_assert_eq!(found.len(), rows.len() + 1);
            for (place, (gpu, cpu, price)) in rows.iter().enumerate() {
                let row = &found[place + 1];
                prop_assert_eq!(&row[0], &place.to_string());
                for (cell, text) in [(&row[1], gpu), (&row[2], cpu)] {
                    prop_assert!(!holds_formula(cell), "{:?}", cell);
                    // Hostile characters by their names, everything else as it was.
                    let wanted = bourse::domain::text::visible(text, usize::MAX);
                    let cell = without_apostrophes(cell);
                    let cell = cell
                        .strip_prefix('\'')
                        .filter(|_| text.starts_with(SIGNS))
                        .unwrap_or(&cell);
                    prop_assert_eq!(cell, wanted.as_str());
                }
                prop_assert_eq!(row[3].parse::<f64>().unwrap(), *price);
            }
            Ok(())
        })
        .unwrap();
}
