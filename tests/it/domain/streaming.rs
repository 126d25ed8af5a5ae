//! Responses that arrive in pieces are read as if they had come at once.

use std::sync::Arc;

use bourse::domain::listing::{Reader, Unsplit, Whole};
use bourse::domain::time::UnixTime;
use bourse::domain::{CellRef, Listing, OFFERS, WORKERGROUPS};
use proptest::prelude::*;

const NOW: UnixTime = UnixTime::new(1_767_225_600.0);

fn reader() -> Reader {
    Reader::new(&OFFERS, Arc::default(), NOW)
}

/// All that a listing shows, and how the response ended.
fn all(read: Result<Whole, Unsplit>) -> String {
    let whole = match read {
        Ok(whole) => whole,
        Err(unsplit) => return format!("{} in {:?}", unsplit.error, unsplit.text),
    };
    let listing = whole.listing;
    let rows = (0..listing.len()).map(|row| {
        let cells = OFFERS.fields().iter().map(|field| listing.cell(row, field));
        let cells: Vec<_> = cells.filter(|cell| *cell != CellRef::Missing).collect();
        format!("{:?} {:?} {cells:?}\n", listing.id(row), listing.json(row))
    });
    format!(
        "{:?}\n{:?} {} {:?}",
        rows.collect::<String>(),
        listing.skipped(),
        listing.duplicates(),
        whole.envelope
    )
}

fn at_once(body: &[u8]) -> String {
    let mut reader = reader();
    reader.push(body);
    all(reader.finish())
}

const BODY: &str = "\u{feff} {\"success\": true, \"offers\": [
    {\"id\": 1, \"gpu_name\": \"RTX 4090\", \"dph_total\": 0.25, \"geolocation\": \"Région, FR\"},
    {\"id\": 2, \"gpu_name\": \"RTX \\u0034090\", \"dph_total\": NaN, \"x\": [1, {\"y\": \"}]\"}]},
    {\"id\": 2}, {\"id\": \"x\"}, 7, {\"id\": 3, \"gpu_name\": \"🂡 ▲\", \"search\": {\"totalHour\": 1e400}}
  ], \"more\": [1, \"],\"]} ";

#[test]
fn a_response_cut_into_two_pieces_anywhere_is_read_the_same() {
    let whole = at_once(BODY.as_bytes());
    assert!(whole.contains("RTX 4090") && whole.contains("not an object"));
    for cut in 0..=BODY.len() {
        let mut reader = reader();
        reader.push(&BODY.as_bytes()[..cut]);
        reader.push(&BODY.as_bytes()[cut..]);
        assert_eq!(all(reader.finish()), whole, "cut at {cut}");
    }
}

#[test]
fn a_response_that_ends_early_is_the_same_error_as_ever() {
    // Behind the byte order mark.
    for end in 3..BODY.trim_end().len() {
        let mut reader = reader();
        for byte in &BODY.as_bytes()[..end] {
            reader.push(std::slice::from_ref(byte));
        }
        let Err(unsplit) = reader.finish() else {
            panic!("complete at {end}");
        };
        let text = String::from_utf8_lossy(&BODY.as_bytes()[..end]).into_owned();
        assert_eq!(unsplit.text, text.trim_start_matches('\u{feff}'));
        let words = unsplit.error.to_string();
        assert!(words.contains("empty") || words.contains("ends after"), "{words}");
    }
}

#[test]
fn invalid_bytes_become_replacement_characters_wherever_they_are_cut() {
    let body = b"{\"offers\":[{\"id\":1,\"gpu_name\":\"a\xff\xe2\x82b\xf0\x9f\"}]}\xe2\x82";
    let text = String::from_utf8_lossy(body).into_owned();
    for cut in 0..=body.len() {
        let mut reader = reader();
        reader.push(&body[..cut]);
        reader.push(&body[cut..]);
        // The bytes behind the end make it no JSON.
        let read = reader.finish();
        assert_eq!(read.err().map(|unsplit| unsplit.text), Some(text.clone()));
    }
}

#[test]
fn first_rows_are_there_before_the_end_and_do_not_change() {
    let mut reader = reader();
    let end = BODY.find("\n    {\"id\": 2},").unwrap();
    reader.push(&BODY.as_bytes()[..end]);
    assert_eq!(reader.rows(), 2);
    let first = reader.first_rows(10).unwrap();
    let ids: Vec<_> = (0..first.len()).filter_map(|row| first.id(row)).collect();
    assert_eq!(format!("{ids:?}"), "[RowId(1), RowId(2)]");
    let place = OFFERS.by_key("geolocation").unwrap();
    assert_eq!(first.cell(0, place), CellRef::Text("Région, FR"));
    assert_eq!(reader.first_rows(1).unwrap().len(), 1);
    reader.push(&BODY.as_bytes()[end..]);
    let whole = reader.finish().ok().unwrap().listing;
    assert_eq!(whole.len(), 3);
    assert_eq!(whole.cell(0, place), first.cell(0, place));
}

#[test]
fn a_secret_of_a_later_record_is_removed_from_an_earlier_one() {
    let body = r#"{"results":[{"id":1,"launch_args":"--key canary-5eC7e7"},
        {"id":2,"api_key":"canary-5eC7e7"}]}"#;
    let mut reader = Reader::new(&WORKERGROUPS, Arc::default(), NOW);
    let end = body.find('\n').unwrap();
    reader.push(&body.as_bytes()[..end]);
    reader.push(&body.as_bytes()[end..]);
    // Once a secret is known of, nothing is shown before the end.
    assert!(reader.first_rows(10).is_none());
    let listing = reader.finish().ok().unwrap().listing;
    let first = listing.json(0).unwrap();
    assert_eq!(first, r#"{"id":1,"launch_args":"--key <removed>"}"#);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pieces_of_any_size_of_a_changed_response_give_the_same(
        place in 0..BODY.len(), byte: u8, sizes in proptest::collection::vec(1_usize..40, 1..20),
    ) {
        let mut body = BODY.as_bytes().to_vec();
        body[place] = byte;
        let mut reader = reader();
        let mut rest = &body[..];
        for size in sizes.iter().cycle() {
            let (piece, more) = rest.split_at((*size).min(rest.len()));
            reader.push(piece);
            rest = more;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(all(reader.finish()), at_once(&body));
    }

    #[test]
    fn every_price_is_the_double_that_its_text_rounds_to(bits: u64) {
        let double = f64::from_bits(bits);
        prop_assume!(double.is_finite());
        for text in [format!("{double}"), format!("{double:e}"), format!("{:.17e}", double)] {
            let wanted: f64 = text.parse().unwrap();
            let json = format!("{{\"offers\":[{{\"id\":1,\"dph_total\":{text}}}]}}");
            let listing = Listing::read(&OFFERS, json, NOW).unwrap();
            let field = OFFERS.by_key("dph_total").unwrap();
            if let CellRef::Number(read) = listing.cell(0, field) {
                prop_assert_eq!(read.to_bits(), wanted.to_bits());
            } else {
                // Whole numbers that a double cannot hold stay digits.
                prop_assert!(!text.contains(['.', 'e']));
            }
        }
    }
}
