//! Copying and exporting, key by key; each form read back by what it is for.

use bourse::core::message::News;
use bourse::domain::time::UnixTime;
use std::fs;
use std::process::Command;

use bourse::core::exported::{NotWritten, Written};
use bourse::core::message::Effect;
use bourse::domain::export::markdown;
use bourse::domain::{Dialect, Listing, OFFERS, RowId};
use bourse::store::export::{ExportError, write, write_private};

use crate::recorder::{Recorder, json};
use crate::test_app::{THREE, TestApp};

/// What a file was to hold, and the path.
#[track_caller]
fn exported(desk: &TestApp) -> (&str, String, bool) {
    match desk.effects.last() {
        Some(Effect::Export {
            path,
            content,
            overwrite,
            ..
        }) => (path, content.text().into_owned(), *overwrite),
        other => panic!("{other:?} is no export\n{}", desk.screen()),
    }
}

/// A record with everything that is awkward to copy.
const HOSTILE: &str = r#"{"offers":[{"id":7, "gpu_name":"RTX|4090 *x*","num_gpus":1,"dph_total":-0.10,
 "geolocation":"=cmd()|'a, \u202eUS","verification":"verified","rentable":true,"api_key":"canary-1",
 "jupyter_token":{"a":"canary-2"},"unknown":[1,  2.50],"driver_version":"570.181","gpu_ram":24564}]}"#;

#[test]
fn the_menu_shows_its_letters_and_the_text_before_it_is_copied() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("y")
        .expect(" Copy ")
        .expect("press a letter")
        .expect("› i  the id of the offer")
        .expect("j  the offer as JSON")
        .expect("m  the marked rows as JSON")
        .expect("(no row is marked)")
        .expect(" 101");
    desk.keys("down").expect("\"gpu_name\":\"RTX\u{a0}4090\"");
    desk.keys("esc").selects("101");
    assert_eq!(desk.effects, []);
    desk.keys("y up up up enter");
    assert_eq!(desk.copied(), "101");
    let Some(Effect::Copy { what, .. }) = desk.effects.last() else {
        panic!()
    };
    assert_eq!(what, "the id of the offer: 101");
}

#[test]
fn a_row_is_copied_as_json_exactly_as_it_came() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("j y j");
    let from = THREE.find(r#"{"id":102"#).unwrap();
    let to = THREE[from..].find('}').unwrap() + from + 1;
    assert_eq!(desk.copied(), &THREE[from..to]);
}

#[test]
fn secrets_and_characters_that_steer_terminals_never_reach_the_clipboard() {
    let mut desk = TestApp::with_offers(HOSTILE);
    desk.keys("y j");
    let text = desk.copied().to_owned();
    assert!(!text.contains("canary"), "{text}");
    assert!(text.contains(r#""unknown":[1,  2.50]"#), "{text}");
    assert!(text.contains(r"\u202eUS"), "{text}");
    assert!(!text.contains('\u{202e}'));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["geolocation"], "=cmd()|'a, \u{202e}US");
    for letter in ["r", "t", "m"] {
        desk.keys("space y").keys(letter);
        let text = desk.copied();
        assert!(!text.contains("canary"), "{text}");
        assert!(!text.chars().any(|one| one == '\u{202e}'), "{text}");
        desk.keys("space");
    }
}

#[test]
fn only_exports_that_hold_workergroups_are_private() {
    let is_private = |desk: &TestApp| match desk.effects.last() {
        Some(Effect::Export { is_private, .. }) => *is_private,
        other => panic!("{other:?} is no export\n{}", desk.screen()),
    };
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("e enter");
    assert!(!is_private(&desk));
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("3")
        .answer(r#"{"success":true,"results":[{"id":1,"endpoint_name":"e"}]}"#);
    desk.keys("e enter");
    assert!(is_private(&desk));
}

#[test]
fn a_private_export_is_readable_by_its_owner_alone_even_over_an_open_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("groups.csv");
    std::fs::write(&path, "old").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    write_private(path.to_str().unwrap(), b"new", true).unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // Control: the other exports have the mode of any new file.
    let open = folder.path().join("offers.csv");
    write(open.to_str().unwrap(), b"new", true).unwrap();
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "").unwrap();
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&open), mode(&plain));
}

#[test]
fn marked_rows_are_copied_as_a_list() {
    let mut desk = TestApp::with_offers(THREE);
    desk.model.browsers[bourse::domain::Resource::Offers]
        .marks
        .insert(RowId(103));
    desk.model.browsers[bourse::domain::Resource::Offers]
        .marks
        .insert(RowId(101));
    desk.keys("y m");
    let list: serde_json::Value = serde_json::from_str(desk.copied()).unwrap();
    let whole: serde_json::Value = serde_json::from_str(THREE).unwrap();
    assert_eq!(list[0], whole["offers"][0]);
    assert_eq!(list[1], whole["offers"][2]);
    assert_eq!(list.as_array().unwrap().len(), 2);
}

#[test]
fn a_csv_line_is_read_back_and_defused() {
    let mut desk = TestApp::with_offers(HOSTILE);
    desk.keys("y r");
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(desk.copied().as_bytes());
    let record = reader.records().next().unwrap().unwrap();
    let keys: Vec<_> = desk.model.browsers[bourse::domain::Resource::Offers]
        .columns
        .iter()
        .map(|f| f.key)
        .collect();
    let cell = |key: &str| &record[keys.iter().position(|own| *own == key).unwrap()];
    assert_eq!(cell("id"), "7");
    assert_eq!(cell("dph_total"), "-0.1", "a number stays a number");
    assert_eq!(cell("gpu_ram"), "24564", "in wire units");
    assert_eq!(cell("geolocation"), "'=cmd()|'a, <U+202E>US");
    assert_eq!(record.len(), keys.len());
}

#[test]
fn a_markdown_table_has_the_visible_columns_and_escapes_its_bars() {
    let mut desk = TestApp::with_offers(HOSTILE);
    desk.model.browsers[bourse::domain::Resource::Offers].columns = ["id", "gpu_name", "dph_total"]
        .map(|key| bourse::domain::OFFERS.by_key(key).unwrap())
        .to_vec();
    desk.keys("y t");
    assert_eq!(
        desk.copied(),
        "| ID | GPU | $/h |\n| ---: | --- | ---: |\n| 7 | RTX\\|4090 \\*x\\* | -0.1000 |"
    );
}

#[test]
fn a_table_of_exactly_the_limit_is_copied() {
    let offers = Listing::read(&OFFERS, r#"{"offers":[{"id":7},{"id":8}]}"#, UnixTime::new(0.0)).unwrap();
    let id = OFFERS.by_key("id").unwrap();
    let table = "| ID |\n| ---: |\n| 7 |\n| 8 |";
    let copied = |most| markdown(&offers, &[0, 1], &[id], &Dialect::DOCUMENTED, most);
    assert_eq!(copied(table.len()).as_deref(), Some(table));
    assert_eq!(copied(table.len() - 1), None);
}

#[test]
fn what_is_too_long_is_refused_with_advice() {
    let record = |id: usize| format!(r#"{{"id":{id},"gpu_name":"{}"}}"#, "x".repeat(400));
    let records: Vec<_> = (1..=400).map(record).collect();
    let mut desk = TestApp::with_offers(&format!(r#"{{"offers":[{}]}}"#, records.join(",")));
    desk.keys("y t");
    desk.expect("over the clipboard's limit of 64 kB")
        .expect("export them instead");
    assert_eq!(desk.effects, []);
    for id in 1..=400 {
        desk.model.browsers[bourse::domain::Resource::Offers]
            .marks
            .insert(RowId(id));
    }
    desk.keys("esc y m").expect("export it instead");
    assert_eq!(desk.effects, []);
    assert_eq!(bourse::core::copy_item::LONGEST, bourse::runtime::clipboard::LONGEST);
}

#[test]
fn the_query_is_copied_as_it_stands() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("y q");
    assert_eq!(desk.copied(), "verified=true rentable=true rented=false");
}

#[test]
fn the_market_client_s_command_says_the_same() {
    let mut desk = TestApp::speaking(&Dialect::SANDBOX);
    desk.answer(THREE);
    desk.keys("/ ctrl-u")
        .type_text("gpu_name=\"RTX 4090\" driver_version>=570.181 geolocation in [SE,NO] num_gpus>=2 is_bid=false mobo_name=\"it's\"")
        .keys("enter y");
    desk.expect("without 1 condition it does not support");
    desk.keys("v");
    assert_eq!(
        desk.copied(),
        "vastai search offers 'verified=true rentable=true rented=false gpu_name=RTX_4090 driver_version>=570.181.00 geolocation in [SE,NO] \
         num_gpus>=2 mobo_name=\"it'\\''s\"' -n -o 'score-' --type on-demand --storage 8 --limit 500"
    );
    desk.keys("2 y v");
    assert_eq!(
        desk.copied(),
        "vastai search network-volumes 'verified=true' -n -o 'storage_cost' --limit 100"
    );
    desk.keys("3 y v");
    assert_eq!(desk.copied(), "vastai show workergroups");
}

/// The words that a shell makes of a command, `curl` left out.
fn words(command: &str) -> Vec<String> {
    let script = format!("curl() {{ printf '%s\\0' \"$@\"; }}\n{command}");
    let output = Command::new("sh")
        .args(["-c", &script])
        .env("BOURSE_API_KEY", "k-1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.trim_end_matches('\0').split('\0').map(str::to_owned).collect()
}

#[test]
fn the_curl_command_runs_under_a_shell_and_sends_the_search() {
    let server = Recorder::always(json(200, r#"{"offers":[]}"#));
    let mut desk = TestApp::with_offers(THREE);
    desk.model.profile.base_url = server.url();
    desk.keys("/ ctrl-u")
        .type_text("gpu_name=\"it's $(x) `y`\" num_gpus>=2")
        .keys("enter y c");
    let command = desk.copied().to_owned();
    let expected = serde_json::json!({
        "verified": {"eq": true}, "rentable": {"eq": true}, "rented": {"eq": false},
        "gpu_name": {"eq": "it's $(x) `y`"}, "num_gpus": {"gte": 2},
        "order": [["score", "desc"]], "limit": 500, "type": "on-demand",
    });
    let words = words(&command);
    assert_eq!(words[..3], ["-sS", "-X", "POST"]);
    assert_eq!(words[3], format!("{}/api/v0/bundles/", server.url()));
    assert!(words.contains(&"Authorization: Bearer k-1".to_owned()));
    let body: serde_json::Value = serde_json::from_str(words.last().unwrap()).unwrap();
    assert_eq!(body, expected);
    // Where there is a curl, the very command runs.
    let ran = Command::new("sh")
        .args(["-c", &command])
        .env("BOURSE_API_KEY", "k-2")
        .env("no_proxy", "*")
        .output()
        .unwrap();
    if ran.status.code() != Some(127) {
        assert_eq!(String::from_utf8_lossy(&ran.stdout), r#"{"offers":[]}"#);
        let seen = server.only();
        assert_eq!(seen.json(), expected);
        assert_eq!(seen.header("Authorization"), Some("Bearer k-2"));
    }
}

#[test]
fn nothing_to_copy_says_why() {
    let mut desk = TestApp::new();
    desk.answer(r#"{"offers":[]}"#);
    desk.keys("y").expect("(no record is selected)");
    desk.keys("i").expect("Not copied: no record is selected");
    desk.keys("q");
    assert_eq!(desk.copied(), "verified=true rentable=true rented=false");
}

#[test]
fn the_detail_copies_its_record_too() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("enter right y j");
    assert!(desk.copied().starts_with(r#"{"id":102"#));
    desk.expect("Offer 102"); // still open
}

#[test]
fn csv_of_the_rows_in_view_is_read_back() {
    let mut desk = TestApp::with_offers(&HOSTILE.replace("}]}", "},{\"id\":8,\"gpu_name\":null}]}"));
    desk.keys("e")
        .expect("Export offers")
        .expect("‹ CSV, for spreadsheets ›")
        .expect("‹ all 2 shown ›")
        .expect("bourse-offers-20261120-1200.csv");
    desk.keys("enter");
    let (path, content, overwrite) = exported(&desk);
    assert_eq!((path, overwrite), ("bourse-offers-20261120-1200.csv", false));
    let mut reader = csv::Reader::from_reader(content.as_bytes());
    let header: Vec<_> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let columns: Vec<_> = desk.model.browsers[bourse::domain::Resource::Offers]
        .columns
        .iter()
        .map(|f| f.key)
        .collect();
    assert_eq!(header, columns);
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let cell = |row: usize, key: &str| rows[row][header.iter().position(|own| own == key).unwrap()].to_owned();
    assert_eq!(rows.len(), 2);
    assert_eq!(cell(0, "dph_total"), "-0.1");
    assert_eq!(cell(0, "geolocation"), "'=cmd()|'a, <U+202E>US");
    assert_eq!(cell(1, "gpu_name"), "");
}

#[test]
fn all_fields_and_only_the_marked_rows_can_be_chosen() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("e down space")
        .expect("‹ all 3 shown ›")
        .expect("mark rows to export only those");
    desk.keys("esc");
    desk.model.browsers[bourse::domain::Resource::Offers]
        .marks
        .insert(RowId(102));
    desk.keys("e").expect("‹ 1 marked ›");
    desk.keys("down down space").expect("‹ all fields ›");
    desk.keys("enter");
    let (_, content, _) = exported(&desk);
    let mut reader = csv::Reader::from_reader(content.as_bytes());
    let header = reader.headers().unwrap().clone();
    assert!(header.len() > 80);
    assert!(header.iter().any(|key| key == "total_flops"));
    assert!(!header.iter().any(|key| key == "verified"), "a filter is no column");
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 1);
    let id = header.iter().position(|key| key == "id").unwrap();
    assert_eq!(&rows[0][id], "102");
}

#[test]
fn json_holds_the_records_as_they_came_without_secrets() {
    let mut desk = TestApp::with_offers(HOSTILE);
    desk.keys("e space");
    desk.expect("‹ JSON, as received ›")
        .expect("bourse-offers-20261120-1200.json")
        .expect_not("Columns");
    desk.keys("enter");
    let (_, content, _) = exported(&desk);
    assert!(!content.contains("canary"), "{content}");
    let value: serde_json::Value = serde_json::from_str(&content).unwrap();
    assert_eq!(value["offers"][0]["unknown"], serde_json::json!([1, 2.5]));
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("e space enter");
    let value: serde_json::Value = serde_json::from_str(&exported(&desk).1).unwrap();
    let whole: serde_json::Value = serde_json::from_str(THREE).unwrap();
    assert_eq!(value, whole);
}

#[test]
fn a_path_is_typed_and_an_existing_file_is_asked_about() {
    let mut desk = TestApp::with_offers(THREE);
    // Letters that mean something on the choices are typed into the path.
    desk.keys("e down down down ctrl-u").type_text("~/hl here.csv");
    desk.keys("enter enter"); // a second Enter while it is being written does nothing
    assert_eq!(exported(&desk).0, "~/hl here.csv");
    assert_eq!(desk.effects.len(), 1);
    let exists = NotWritten::Exists("/home/x/hl here.csv".to_owned());
    desk.bring(News::Written(Err(exists.clone())));
    desk.wait(0.0).expect("Overwrite the file?");
    desk.keys("n").expect("~/hl here.csv"); // nothing typed is lost
    desk.keys("enter");
    assert!(!exported(&desk).2);
    desk.bring(News::Written(Err(exists)));
    desk.keys("y");
    assert!(exported(&desk).2);
    desk.bring(News::Written(Ok(Written {
        path: "/home/x/hl here.csv".to_owned(),
        bytes: 12_345,
    })));
    desk.wait(0.0)
        .expect("Wrote /home/x/hl here.csv (13 kB)")
        .expect_not("Export offers");
}

#[test]
fn a_failure_to_write_keeps_the_form() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("e down down down ctrl-u enter")
        .expect("Type the path of the file");
    assert_eq!(desk.effects, []);
    desk.type_text("/nowhere/x.csv").keys("enter");
    let failed = NotWritten::Failed("/nowhere/x.csv: no such folder".to_owned());
    desk.bring(News::Written(Err(failed)));
    desk.wait(0.0).expect("/nowhere/x.csv: no such folder");
    desk.keys("backspace").expect_not("no such folder");
    desk.keys("esc").selects("101");
}

#[test]
fn without_rows_there_is_nothing_to_export() {
    let mut desk = TestApp::new();
    desk.keys("e").expect("there is no row to export");
}

#[test]
fn files_are_written_whole_and_never_over_another_without_a_yes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a b.csv");
    let text = path.to_str().unwrap();
    assert_eq!(write(text, b"one", false).unwrap(), path);
    assert!(matches!(write(text, b"two", false), Err(ExportError::Exists(_))));
    assert_eq!(fs::read(&path).unwrap(), b"one");
    write(text, b"two", true).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    let below = path.join("c.csv");
    for bad in [folder.path(), &below, std::path::Path::new("")] {
        let error = write(bad.to_str().unwrap(), b"x", true).unwrap_err();
        assert!(matches!(error, ExportError::Failed { .. }), "{bad:?}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let home = std::env::home_dir().unwrap();
    let missing = "no-such-folder-of-bourse/x.csv";
    let error = write(&format!("~/{missing}"), b"x", false).unwrap_err();
    assert!(matches!(error, ExportError::Failed { path, .. } if path == home.join(missing)));
    {
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path().join("gone"), &link).unwrap();
        assert!(
            matches!(write(link.to_str().unwrap(), b"x", false), Err(ExportError::Exists(_))),
            "a link that leads nowhere is there all the same"
        );
    }
}
