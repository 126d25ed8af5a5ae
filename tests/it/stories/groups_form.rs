//! Filling in and creating a workergroup, key by key.

use bourse::api::ErrorBody;
use bourse::api::{ApiError, Reply, Request};
use bourse::domain::Untrusted;
use bourse::domain::limits::Dollars;
use serde_json::{Value as Json, json};

use crate::cases::cases;
use crate::stories::groups::{FOUND, FOUR, at_groups};
use crate::stories::unlist::{flat, says};
use crate::test_app::{THREE, TestApp};

const SEARCH: &str = "gpu_name=RTX_4090 verified=true rentable=true rented=false";

/// The groups on a compact screen, where all parts stand below each other and sentences can be
/// found.
fn narrow() -> TestApp {
    let mut desk = at_groups();
    desk.resize(90, 48);
    desk
}

/// The form with an endpoint and a search.
fn filled() -> TestApp {
    let mut desk = narrow();
    desk.keys("n").type_text("chat").keys("enter enter enter enter");
    desk.type_text(SEARCH);
    desk
}

/// The confirmation of what [`filled`] has, its preflight and its list of groups answered.
pub fn confirming() -> TestApp {
    let mut desk = filled();
    desk.keys("pgdn enter");
    answer_all(&mut desk, FOUR);
    desk
}

/// Answers what the confirmation asks for: the groups, and what the search finds.
fn answer_all(desk: &mut TestApp, groups: &str) {
    while let Some((_, request)) = desk.calls.first() {
        match request {
            Request::Search(_) => desk.answer(FOUND),
            Request::ListWorkergroups => desk.answer(groups),
            other => panic!("{other:?}"),
        };
    }
}

/// The dialog after a creation was sent.
pub fn sent() -> TestApp {
    let mut desk = confirming();
    desk.type_text("create").keys("enter");
    desk
}

#[test]
fn a_creation_over_the_limit_is_sent_only_with_the_word_that_exceeds_it() {
    let mut desk = filled();
    desk.model.settings.values.group_hourly = Dollars::new(20.0).ok();
    desk.keys("pgdn enter");
    answer_all(&mut desk, FOUR);
    says(
        &desk,
        "✗ Your limit is $20.00/h (limits.group_hourly): the worst case is $23.40/h",
    );
    desk.expect("Type over-limit");
    desk.type_text("create").keys("enter");
    assert_eq!(creations(&desk), 0);
    says(&desk, "Nothing sent: your limit is $20.00/h");
    desk.keys("ctrl-u").type_text("over-limit").keys("enter");
    assert_eq!(creations(&desk), 1);
    let over = desk.model.mutations.history.last().unwrap().intent.over_limit.unwrap();
    assert!((over.group_hourly - 20.0).abs() < 1e-9, "{over:?}");
    assert!((over.worst_case.unwrap() - 23.4).abs() < 1e-9, "{over:?}");
    created(&mut desk, 77);
    says(&desk, "created as 77, over your limit");
}

#[test]
fn a_creation_within_the_limit_asks_for_the_usual_word() {
    let mut desk = filled();
    desk.model.settings.values.group_hourly = Dollars::new(23.4).ok();
    desk.keys("pgdn enter");
    answer_all(&mut desk, FOUR);
    desk.expect_not("Over your limit").expect("Type create");
    desk.type_text("create").keys("enter");
    assert_eq!(creations(&desk), 1);
    assert_eq!(desk.model.mutations.history.last().unwrap().intent.over_limit, None);
}

#[test]
fn a_creation_whose_supply_is_unknown_is_over_the_limit() {
    let mut desk = filled();
    desk.model.settings.values.group_hourly = Dollars::new(1e6).ok();
    desk.model.profile.is_sandbox = true;
    desk.keys("pgdn enter");
    while let Some((_, request)) = desk.calls.first() {
        match request {
            Request::Search(_) => desk.answer(r#"{"offers":[]}"#),
            _ => desk.answer(FOUR),
        };
    }
    says(
        &desk,
        "the worst case is unknown: no offer with a price matches its search now",
    );
    // In the sandbox too, the button is replaced by a word.
    desk.expect("Type over-limit");
    desk.keys("enter");
    assert_eq!(creations(&desk), 0);
}

/// The one creation that was asked for, as JSON.
#[track_caller]
fn body(desk: &TestApp) -> Json {
    let creations: Vec<_> = desk
        .calls
        .iter()
        .filter_map(|(_, request)| match request {
            Request::CreateWorkergroup(new) => Some(serde_json::to_value(new).unwrap()),
            _ => None,
        })
        .collect();
    assert_eq!(creations.len(), 1, "{creations:?}");
    creations[0].clone()
}

fn creations(desk: &TestApp) -> usize {
    let is_creation = |request: &Request| matches!(request, Request::CreateWorkergroup(_));
    desk.calls.iter().filter(|(_, request)| is_creation(request)).count()
}

fn created(desk: &mut TestApp, id: i64) {
    let (ticket, _) = desk.calls.remove(0);
    desk.reply(ticket, Ok(Reply::Created { id }));
}

/// The four groups and one more.
fn with_group(id: i64, search: &str) -> String {
    FOUR.replace(
        "\"results\":[",
        &format!(
            r#""results":[{{"id":{id},"endpoint_name":"chat","search_query":"{search}","gpu_ram":24,"api_key":"canary-new","created_at":"2026-11-20T12:00:01Z"}},"#
        ),
    )
}

#[test]
fn a_group_is_filled_in_previewed_confirmed_and_sent_once() {
    let mut desk = filled();
    desk.expect("POST http://127.0.0.1:1/api/v0/workergroups/");
    says(&desk, r#""endpoint_name": "chat","#);
    says(
        &desk,
        r#""search_params": "gpu_name=RTX_4090 verified=true rentable=true rented=false" }"#,
    );
    desk.keys("pgdn enter");
    desk.expect("Create this workergroup?");
    // One member per line, as it is longer than a line.
    says(
        &desk,
        r#"{"endpoint_name":"chat", "search_params":"gpu_name=RTX_4090 verified=true rentable=true rented=false"}"#,
    );
    says(&desk, "Working out the highest cost");
    answer_all(&mut desk, FOUR);
    says(
        &desk,
        "A workergroup for endpoint chat, machines where gpu_name=RTX_4090",
    );
    // 20 at most, 3 test and 3 cold workers, the documented defaults, times the most expensive that matches and can be rented.
    says(&desk, "At most 26 workers (20 + 3 test + 3 cold) × $0.900 = $23.40/h");
    says(&desk, "✗ no price limit: could pay up to $23.40/h");
    says(&desk, "with the key of profile test");
    desk.keys("enter"); // nothing typed yet
    assert_eq!(creations(&desk), 0);
    says(&desk, "Nothing sent: type create, or press Esc to go back.");
    desk.type_text("create");
    assert_eq!(creations(&desk), 0);
    desk.keys("enter");
    assert_eq!(body(&desk), json!({"endpoint_name": "chat", "search_params": SEARCH}));
    desk.keys("enter enter space"); // what is under way is not sent again
    assert_eq!(creations(&desk), 1);
}

#[test]
fn success_shows_the_id_and_selects_the_new_row_when_it_is_listed() {
    let mut desk = sent();
    created(&mut desk, 77);
    says(&desk, "Workergroup for endpoint chat: created as 77");
    assert_eq!(desk.asked(), &Request::ListWorkergroups);
    desk.answer(&with_group(77, SEARCH));
    desk.expect_not("New workergroup"); // behind the outcome: the list, not the form
    desk.expect("All 5 ");
    desk.keys("enter").selects("chat");
    desk.expect("All 5 ").expect_not("New workergroup");
    desk.keys("n").expect("New workergroup");
    desk.expect_not("   chat "); // the form is empty again
}

#[test]
fn the_keys_of_the_list_work_over_the_outcome_of_a_creation() {
    let mut desk = sent();
    // Until the response nothing is closed by a stray key.
    desk.keys("i").expect("Wait for the response first");
    created(&mut desk, 77);
    desk.answer(&with_group(77, SEARCH));
    says(&desk, "created as 77");
    // The preview of the new group, beside the outcome, names this key.
    desk.keys("i").expect("Supply of workergroup 77");
    let mut desk = sent();
    created(&mut desk, 77);
    desk.answer(&with_group(77, SEARCH));
    desk.keys("n").expect("New workergroup").expect_not("created as 77");
}

#[test]
fn a_search_without_machines_and_an_unknown_template_are_warned_of_and_may_be_sent() {
    let mut desk = narrow();
    desk.keys("n").type_text("chat").keys("enter enter");
    desk.type_text("nope").keys("enter enter");
    desk.type_text(SEARCH).keys("pgdn enter");
    while let Some((_, request)) = desk.calls.first() {
        match request {
            Request::Search(_) => desk.answer(r#"{"offers":[]}"#),
            _ => desk.answer(FOUR),
        };
    }
    says(&desk, "! No machine matches the search now");
    says(&desk, "! None of your workergroups uses template nope");
    desk.type_text("create").keys("enter");
    assert_eq!(creations(&desk), 1);
}

#[test]
fn a_new_group_that_is_hidden_or_not_listed_yet_is_said_to_be() {
    let mut desk = at_groups();
    desk.keys("/").type_text("gpu_ram>=80").keys("enter");
    desk.keys("n").type_text("chat").keys("pgdn enter");
    answer_all(&mut desk, FOUR);
    desk.type_text("create").keys("enter");
    created(&mut desk, 77);
    desk.answer(&with_group(77, SEARCH)).keys("enter");
    desk.expect("Workergroup 77 is hidden by the filters");
    let mut desk = sent();
    created(&mut desk, 77);
    desk.answer(FOUR);
    desk.expect("Workergroup 77 was created but is not listed yet (r to refresh)");
}

#[test]
fn a_refusal_keeps_the_form_as_it_was() {
    let mut desk = sent();
    let said = ErrorBody::Words {
        code: Some(Untrusted::from("invalid_args")),
        message: Some(Untrusted::from("Please assign your workergroup to a valid endpoint")),
    };
    desk.fail(ApiError::Invalid { status: 400, said });
    says(&desk, "No workergroup created for endpoint chat:");
    says(&desk, "Please assign your workergroup to a valid endpoint");
    assert!(desk.calls.is_empty(), "nothing is sent by itself");
    desk.keys("esc").expect("New workergroup").expect("chat");
    says(&desk, SEARCH);
    // Fixed and confirmed again, it may go.
    desk.keys("pgup end").type_text("2").keys("pgdn enter");
    answer_all(&mut desk, FOUR);
    desk.type_text("create").keys("enter");
    assert_eq!(body(&desk)["endpoint_name"], "chat2");
}

#[test]
fn after_too_many_requests_the_person_waits_and_presses_again() {
    let mut desk = sent();
    desk.fail(ApiError::RateLimited {
        threshold: Some(4.0),
        retry_after: None,
        said: ErrorBody::Words {
            code: None,
            message: Some(Untrusted::from("API requests too frequent")),
        },
    });
    says(&desk, "No workergroup created");
    desk.keys("esc pgdn enter").type_text("create").keys("enter");
    assert_eq!(creations(&desk), 0);
    says(&desk, "Rate limited: can be sent in 5 s. Nothing is sent by itself");
    desk.wait(5.0);
    assert_eq!(creations(&desk), 0);
    says(&desk, "Ready: press Enter to send.");
    desk.keys("enter");
    assert_eq!(creations(&desk), 1);
}

#[test]
fn an_unknown_outcome_lists_the_groups_and_the_person_decides_that_it_is_there() {
    let mut desk = sent();
    desk.fail(ApiError::Lost);
    says(&desk, "The workergroup may or may not have been created");
    says(&desk, "Sent once");
    assert_eq!(desk.asked(), &Request::ListWorkergroups);
    assert_eq!(desk.calls.len(), 1);
    desk.answer(&with_group(77, SEARCH));
    says(&desk, "New and matching (listed 0s ago): > 77 chat");
    desk.keys("enter");
    says(&desk, "Type mine, none or created. Nothing is sent here.");
    desk.type_text("mine").keys("enter");
    desk.expect("Workergroup 77 is the one you created").selects("chat");
    assert!(desk.calls.is_empty());
    desk.keys("n").expect_not("An earlier creation");
}

#[test]
fn an_unknown_outcome_without_a_trace_claims_nothing() {
    let mut desk = sent();
    desk.fail(ApiError::TimedOut {
        after: std::time::Duration::from_secs(60),
    });
    // Another endpoint's new group, and one with another search, are not ours.
    let other = with_group(77, "gpu_name=H100_SXM verified=true");
    desk.answer(&other);
    says(
        &desk,
        "No new workergroup matches (listed 0s ago). That does not mean that it failed",
    );
    desk.type_text("mine").keys("enter");
    says(&desk, "No new workergroup matches yet (F5 to refresh).");
    desk.keys("ctrl-u f5");
    desk.answer(&with_group(78, SEARCH));
    says(&desk, "> 78 chat");
    // Closing keeps the question open: Create leads back to it, not to another request.
    desk.keys("esc").expect("New workergroup");
    says(&desk, "An earlier creation is unresolved");
    desk.keys("pgdn enter").expect("Outcome unknown");
    desk.type_text("create").keys("enter");
    assert_eq!(creations(&desk), 0);
    desk.keys("ctrl-u").type_text("none").keys("enter");
    desk.expect("New workergroup").expect("chat");
    assert_eq!(creations(&desk), 0);
    desk.keys("pgdn enter").expect("Create this workergroup?");
}

#[test]
fn an_unknown_outcome_is_told_wherever_the_person_is_by_then() {
    let mut desk = sent();
    desk.keys("esc").expect("the outcome will be shown");
    desk.keys("esc 1").expect("RTX 4090");
    let place = desk
        .calls
        .iter()
        .position(|(_, request)| matches!(request, Request::CreateWorkergroup(_)))
        .unwrap();
    let (ticket, _) = desk.calls.remove(place);
    desk.reply(ticket, Err(ApiError::Lost));
    says(
        &desk,
        "Outcome unknown: the workergroup for endpoint chat may or may not exist",
    );
    says(&desk, "Check whether it exists: n, then Create");
    assert_eq!(creations(&desk), 0);
    answer_all(&mut desk, &with_group(77, SEARCH));
    desk.keys("3 n pgdn enter").expect("Outcome unknown");
    says(&desk, "> 77 chat");
}

/// What somebody may press who does not wait.
const MASHED: [&str; 30] = [
    "enter",
    "esc",
    "n",
    "pgdn",
    "pgup",
    "tab",
    "shift-tab",
    "down",
    "up",
    "f5",
    "ctrl-r",
    "c",
    "r",
    "e",
    "a",
    "t",
    "space",
    "y",
    "1",
    "3",
    "ctrl-n",
    "ctrl-u",
    "C",
    "i",
    "S",
    "x",
    "ctrl-p",
    ":",
    "/",
    "q",
];

/// Presses and does everything, again and again; sees after each step that so many creations wait
/// for an answer.
fn mash(desk: &mut TestApp, seed: u64, wanted: usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..150 {
        match random.u8(0..30) {
            0 => {
                desk.type_text("create");
            }
            1 => {
                desk.paste("create\n");
            }
            2 => {
                desk.resize(random.u16(40..160), random.u16(10..50));
            }
            3 => {
                desk.wait(5.0);
            }
            4 => answer_reads(desk),
            _ => {
                desk.keys(MASHED[random.usize(..MASHED.len())]);
            }
        }
        assert_eq!(creations(desk), wanted, "seed {seed}\n{}", desk.screen());
    }
}

/// Answers the groups and searches that are asked for; a creation keeps waiting.
fn answer_reads(desk: &mut TestApp) {
    let (writes, reads): (Vec<_>, Vec<_>) = std::mem::take(&mut desk.calls)
        .into_iter()
        .partition(|(_, request)| matches!(request, Request::CreateWorkergroup(_)));
    desk.calls = reads;
    desk.calls
        .retain(|(_, request)| matches!(request, Request::Search(_) | Request::ListWorkergroups));
    while let Some((_, request)) = desk.calls.first() {
        match request {
            Request::ListWorkergroups => desk.answer(FOUR),
            _ => desk.answer(FOUND),
        };
    }
    desk.calls = writes;
}

#[test]
fn no_keys_send_a_second_creation_while_the_first_is_unknown() {
    for seed in 0..cases(3, 10) {
        let mut desk = sent();
        desk.fail(ApiError::Lost);
        assert_eq!(creations(&desk), 0);
        mash(&mut desk, seed, 0);
    }
}

#[test]
fn no_keys_send_a_second_creation_while_the_first_is_under_way() {
    for seed in 100..100 + cases(2, 4) {
        let mut desk = sent();
        assert_eq!(creations(&desk), 1);
        mash(&mut desk, seed, 1);
    }
}

#[test]
fn the_form_survives_resize_paste_panes_and_escape() {
    let mut desk = filled();
    desk.resize(40, 10).resize(200, 60);
    says(&desk, SEARCH);
    desk.keys("tab").paste("--env A=1\n--env B=2\u{202e}");
    desk.expect("1 invisible or control characters left out");
    says(&desk, "--env A=1 --env B=2");
    // To another pane by the mouse and back: the form is there again.
    desk.click("1 Offers").expect("H100 SXM").expect_not("New workergroup");
    desk.keys("3").expect("New workergroup");
    says(&desk, "--env A=1 --env B=2");
    desk.keys("esc").expect("Draft saved (n to reopen)").selects("llama");
    desk.keys("2 3").expect_not("New workergroup"); // it was left on purpose
    desk.calls.clear();
    desk.keys("n");
    says(&desk, SEARCH);
    desk.keys("esc r").answer(FOUR).keys("n");
    says(&desk, "--env A=1 --env B=2");
}

#[test]
fn the_confirmation_refuses_a_paste() {
    let mut desk = confirming();
    desk.paste("create").paste("create\n");
    says(&desk, "Can't paste here: type it.");
    desk.keys("enter");
    assert_eq!(creations(&desk), 0);
    desk.type_text("create").keys("enter");
    assert_eq!(creations(&desk), 1);
}

#[test]
fn mistakes_are_told_as_they_are_typed_with_a_caret_in_the_search() {
    let mut desk = narrow();
    desk.keys("n");
    desk.type_text("chat").keys("enter").type_text("7");
    says(&desk, "enter the endpoint's name or id, not both");
    desk.keys("ctrl-u").type_text("x");
    says(&desk, "must be a whole number above 0");
    desk.keys("ctrl-u enter enter enter")
        .type_text("gpu_nam=RTX_4090 verified=true");
    let screen = desk.screen();
    let lines: Vec<_> = screen.lines().collect();
    let typed = lines.iter().position(|line| line.contains("gpu_nam=RTX")).unwrap();
    let cells = |line: &str, place: Option<usize>| line[..place.unwrap()].chars().count();
    assert_eq!(
        cells(lines[typed + 1], lines[typed + 1].find('^')),
        cells(lines[typed], lines[typed].find("gpu_nam")),
        "{screen}"
    );
    says(&desk, "(Ctrl-g changes it to gpu_name)");
    desk.keys("ctrl-g")
        .expect_not("^")
        .expect("gpu_name=RTX_4090 verified=true");
    // Plain words become conditions before they are sent.
    desk.keys("ctrl-u").type_text("2x 4090 eu verified under $0.50");
    says(&desk, "means num_gpus=2 gpu_name=RTX_4090");
    says(&desk, "(Ctrl-g takes it)");
    desk.keys("ctrl-g").expect_not("^").expect("geolocation in [AT,BE,");
    // Launch args, max workers, VRAM, then what the public market ignores.
    desk.keys("enter enter enter enter space enter").type_text("-1");
    says(&desk, "must be 0 or more");
    desk.keys("ctrl-u enter").type_text("90%");
    desk.keys("enter").type_text("nan");
    says(&desk, "must be a number");
    desk.keys("pgdn enter").expect("fix the highlighted fields first");
    assert_eq!(creations(&desk), 0);
    desk.keys("ctrl-u");
    says(&desk, r#""target_util": 0.9 }"#);
}

#[test]
fn the_caret_stands_under_the_mistake_behind_wide_characters_and_in_long_searches() {
    let mut desk = narrow();
    desk.keys("n enter enter enter enter");
    let under = |desk: &TestApp, wrong: &str| {
        let screen = desk.screen();
        let lines: Vec<Vec<char>> = screen.lines().map(|line| line.chars().collect()).collect();
        let place = lines
            .iter()
            .position(|line| line.contains(&'^'))
            .unwrap_or_else(|| panic!("no caret:\n{screen}"));
        let marked: String = lines[place]
            .iter()
            .zip(&lines[place - 1])
            .filter(|(caret, _)| **caret == '^')
            .map(|(_, above)| *above)
            .collect();
        assert_eq!(marked, wrong, "{screen}");
    };
    desk.type_text("gpu_name=\"ＲＴＸ 日本\" bananas=2 num_gpus>=2");
    under(&desk, "bananas");
    // Longer than the line, in sight around the cursor.
    desk.keys("ctrl-u").type_text(&"ＲＴＸ".repeat(40));
    desk.keys("ctrl-u")
        .type_text("verified=true rentable=true rented=false gpu_name=\"日本\" ");
    desk.type_text("num_gpus>=2 reliability>0.99 inet_down>500 bananas=2");
    under(&desk, "bananas");
    desk.resize(80, 24);
    under(&desk, "bananas");
}

#[test]
fn the_smallest_screen_shows_the_body_the_sum_and_the_line_that_decides() {
    let mut desk = confirming();
    desk.resize(40, 10);
    let text = flat(&desk).replace(' ', "");
    for part in ["POST", r#"{"endpoint_name":"chat","search_p"#, "$23.40/h"] {
        assert!(text.contains(part), "{part}:\n{}", desk.screen());
    }
    desk.expect("Type create");
    desk.type_text("create").keys("enter");
    desk.fail(ApiError::Lost).answer(&with_group(77, SEARCH));
    desk.expect("> 77  chat").expect("You decide");
    says(&desk, "The workergroup may or may not have been created");
    desk.type_text("mine").keys("enter");
    desk.expect("Workergroup 77 is the one you created");
}

#[test]
fn what_is_missing_is_told_when_creating_is_tried() {
    let mut desk = narrow();
    desk.keys("n pgdn enter");
    desk.expect("fix the highlighted fields first");
    says(&desk, "enter the endpoint's name or id");
    desk.type_text("chat"); // the keyboard is where it is missing
    says(&desk, r#"{ "endpoint_name": "chat" }"#);
}

#[test]
fn defaults_are_shown_and_sent_only_when_asked_for() {
    let mut desk = at_groups();
    desk.resize(120, 40).keys("n").type_text("chat");
    desk.expect("default 20")
        .expect("default 24")
        .expect_not("default 0.9") // the public market ignores it: under Advanced
        .expect_not("sent");
    desk.keys("pgdn up up space");
    desk.expect("Send default values   [x]").expect("default 20, sent");
    desk.keys("pgdn enter");
    answer_all(&mut desk, FOUR);
    desk.type_text("create").keys("enter");
    assert_eq!(
        body(&desk),
        json!({
            "endpoint_name": "chat",
            "search_params": "verified=true rentable=true rented=false",
            "min_load": 1, "target_util": 0.9, "cold_mult": 3, "cold_workers": 3, "max_workers": 20,
            "test_workers": 3, "gpu_ram": 24
        })
    );
}

#[test]
fn all_thirteen_parameters_travel_as_documented() {
    let mut desk = at_groups();
    desk.resize(120, 40).keys("n");
    let first = ["", "42", "", "77", "num_gpus>=2 gpu_ram>=24GB", "--disk 64", "10", "48"];
    for text in first {
        desk.type_text(text).keys("tab");
    }
    desk.keys("space tab"); // Advanced
    for text in ["2.5", "0.8", "1.5", "2", "1"] {
        desk.type_text(text).keys("tab");
    }
    desk.keys("pgdn enter");
    answer_all(&mut desk, FOUR);
    desk.type_text("create").keys("enter");
    assert_eq!(
        body(&desk),
        json!({
            "endpoint_id": 42, "template_id": 77, "search_params": "num_gpus>=2 gpu_ram>=24",
            "launch_args": "--disk 64", "min_load": 2.5, "target_util": 0.8, "cold_mult": 1.5,
            "cold_workers": 2, "max_workers": 10, "test_workers": 1, "gpu_ram": 48
        })
    );
}

#[test]
fn a_listed_group_is_cloned_and_the_other_draft_comes_back() {
    let mut desk = filled();
    desk.keys("esc g j C"); // group 11, whose search came as an object
    desk.expect("Your earlier draft is saved (Ctrl-y to bring it back)");
    let wanted = json!({
        "endpoint_name": "llama", "template_hash": "def456",
        "search_params": "gpu_ram>=80 num_gpus=2 verified=true",
        "min_load": 10, "target_util": 0.5, "cold_mult": 2, "cold_workers": 2, "max_workers": 8,
        "test_workers": 3, "gpu_ram": 80
    });
    desk.keys("pgdn enter");
    answer_all(&mut desk, FOUR);
    says(&desk, "The market rents up to 13 machines"); // 8, 3 test and 2 cold workers
    desk.keys("esc pgup ctrl-y").expect("chat");
    desk.keys("ctrl-y pgdn enter");
    answer_all(&mut desk, FOUR);
    desk.type_text("create").keys("enter");
    assert_eq!(body(&desk), wanted);
    assert!(!flat(&desk).contains("canary"));
}

#[test]
fn a_search_for_offers_becomes_a_new_workergroup() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/")
        .type_text("gpu_ram>=24GB num_gpus>=2")
        .keys("enter")
        .answer(THREE);
    desk.resize(90, 48);
    desk.keys(":").type_text("from-search").keys("enter");
    desk.expect("New workergroup");
    assert_eq!(desk.asked(), &Request::ListWorkergroups);
    desk.answer(FOUR).type_text("chat");
    says(
        &desk,
        r#""search_params": "verified=true rentable=true rented=false gpu_ram>=24 num_gpus>=2" }"#,
    );
}

#[test]
fn the_form_has_its_own_preflight() {
    let mut desk = filled();
    desk.keys("f5").answer(FOUND);
    desk.expect("Supply of the new workergroup");
    says(&desk, "max: 20 workers — $10.30 $18.00");
    desk.keys("esc").expect("New workergroup");
    desk.keys("f5"); // the answer is there still
    assert!(desk.calls.is_empty());
    desk.keys("esc").expect("New workergroup");
    says(&desk, SEARCH);
}

#[test]
fn read_only_says_why_nothing_is_created() {
    let mut desk = at_groups();
    desk.model.profile.read_only = true;
    for keys in ["n", "C"] {
        desk.keys(keys).expect_not("New workergroup");
        says(&desk, "Can't create: this profile is read-only");
    }
    desk.keys("1 :").type_text("from-search").keys("enter");
    desk.expect_not("New workergroup");
    // Looking is not writing.
    desk.keys("esc 3 g i").answer(FOUND).expect("Supply of");
}

#[test]
fn a_preflight_that_fails_does_not_stand_in_the_way() {
    let mut desk = filled();
    desk.keys("pgdn enter");
    while let Some((_, request)) = desk.calls.first() {
        match request {
            Request::Search(_) => desk.fail(ApiError::Lost),
            _ => desk.answer(FOUR),
        };
    }
    says(&desk, "Cost unknown: connection lost.");
    desk.type_text("create").keys("enter");
    assert_eq!(creations(&desk), 1);
}

#[test]
fn a_line_that_nobody_types_in_shows_its_beginning_and_that_it_goes_on() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 24).keys("/");
    desk.type_text(" geolocation in EUROPE").keys("enter");
    desk.answer(THREE).keys("n");
    let screen = desk.screen();
    let line = screen.lines().find(|line| line.contains("  Search ")).unwrap();
    assert!(line.contains("verified=true rentable=true"), "{line}");
    assert!(line.trim_end_matches(['│', ' ']).ends_with('…'), "{line}");
}

#[test]
fn the_form_s_preflight_is_of_the_draft_and_not_of_a_listed_group() {
    let mut desk = narrow();
    desk.keys("g i").answer(FOUND);
    desk.expect("Supply of workergroup 10");
    desk.keys("esc");
    desk.keys("n").type_text("chat").keys("f5");
    desk.expect("Supply of the new workergroup")
        .expect_not("workergroup 10");
    let Request::Search(query) = desk.asked() else { panic!() };
    assert_eq!(
        bourse::domain::language::print(&query.conditions),
        "verified=true rentable=true rented=false"
    );
}

#[test]
fn a_report_does_not_outlive_its_search() {
    let mut desk = filled();
    desk.keys("f5").answer(FOUND);
    desk.keys("esc");
    desk.resize(120, 40);
    desk.expect("Supply now       3 machines, 3 GPUs")
        .expect("$0.400/h to $0.900/h");
    // The search is changed: what was found was found for another one.
    desk.keys("pgup down down down down").type_text("gpu_ram>=48");
    desk.expect_not("3 machines, 3 GPUs");
}

#[test]
fn a_report_on_a_group_whose_search_has_changed_says_so() {
    let mut desk = narrow();
    desk.keys("G k").selects("sdxl");
    // The groups are asked for again while the preflight waits, and come back with another search.
    desk.keys("r i");
    let later = FOUR.replace("gpu_name=RTX_4090", "gpu_name=RTX_5090");
    desk.answer(&later).answer(FOUND);
    // What was found was found for the earlier one.
    says(&desk, "Not run yet");
    desk.keys("r");
    let Request::Search(query) = desk.asked() else { panic!() };
    let asked = bourse::domain::language::print(&query.conditions);
    assert!(asked.contains("gpu_name=RTX_5090"), "{asked}");
    // Those offers are of another model.
    desk.answer(FOUND);
    says(&desk, "no machine can be recruited");
}

/// Two offers that can hold 200 GB, one that cannot: 0.40 + 0.9 x 200 / 720 = 0.65 and
/// 0.80 + 0.9 x 200 / 720 = 1.05 with that disk, 0.41 and 0.81 with the default 8 GB.
const DISKS: &str = r#"{"offers":[
 {"id":1,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24564,"dph_base":0.40,"dph_total":0.41,"storage_cost":0.9,
  "disk_space":500,"host_id":7,"rentable":true,"rented":false,"verification":"verified"},
 {"id":2,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24564,"dph_base":0.80,"dph_total":0.81,"storage_cost":0.9,
  "disk_space":500,"host_id":8,"rentable":true,"rented":false,"verification":"verified"},
 {"id":3,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24564,"dph_base":2.00,"dph_total":2.01,"storage_cost":0.9,
  "disk_space":100,"host_id":9,"rentable":true,"rented":false,"verification":"verified"}]}"#;

/// Opens the confirmation of [`filled`] with these launch arguments, everything answered.
fn confirming_with(launch_args: &str) -> TestApp {
    let mut desk = filled();
    desk.keys("enter").type_text(launch_args);
    desk.keys("pgdn enter");
    while let Some((_, request)) = desk.calls.first() {
        match request {
            Request::Search(_) => desk.answer(DISKS),
            Request::ListWorkergroups => desk.answer(FOUR),
            other => panic!("{other:?}"),
        };
    }
    desk
}

#[test]
fn the_worst_case_includes_the_disk_that_the_launch_arguments_set() {
    let desk = confirming_with("--env '-e A=1' --disk 200");
    says(
        &desk,
        "At most 26 workers (20 + 3 test + 3 cold) × $1.050 = $27.30/h with 200 GB disk from --disk",
    );
    says(&desk, "(2 machines, 2 GPUs)"); // the third has 100 GB
    let desk = confirming_with("--disk=200");
    says(&desk, "At most 26 workers (20 + 3 test + 3 cold) × $1.050 = $27.30/h");
    let desk = confirming_with("--ssh");
    says(
        &desk,
        "At most 26 workers (20 + 3 test + 3 cold) × $2.010 = $52.26/h with the default 8 GB disk",
    );
    let desk = confirming_with("--disk much");
    says(
        &desk,
        "--disk much in the launch arguments is not a size in GB: prices include the default disk",
    );
}

#[test]
fn the_body_and_the_preflight_stand_beside_the_form_and_follow_what_is_typed() {
    let mut desk = at_groups();
    desk.resize(120, 40).keys("n");
    desk.expect("To do before Create")
        .expect("Fill in the search to see what it finds.");
    desk.type_text("chat").expect(r#""endpoint_name": "chat""#);
    desk.keys("enter enter enter enter").type_text(SEARCH);
    // Not with every letter: when typing stops.
    assert!(desk.calls.is_empty());
    desk.wait(1.0);
    assert!(desk.calls.is_empty());
    desk.wait(0.6);
    assert_eq!(desk.calls.len(), 1);
    desk.answer(FOUND);
    desk.expect("Supply now       3 machines, 3 GPUs")
        .expect("max 20 workers (default): median")
        .expect("RTX 4090");
    desk.wait(30.0);
    assert!(desk.calls.is_empty(), "the same search is not run again");
}

#[test]
fn a_compact_screen_shows_what_the_search_finds_in_a_line() {
    let mut desk = filled();
    desk.wait(5.0);
    assert_eq!(desk.calls.len(), 1);
    desk.answer(FOUND).expect("Supply now       3 machines, 3 GPUs");
}

#[test]
fn plain_words_become_conditions_when_the_search_is_left() {
    let mut desk = narrow();
    desk.keys("n").type_text("chat").keys("enter enter enter enter");
    desk.type_text("2x 4090 verified")
        .expect("means num_gpus=2")
        .expect_not("is not part of a condition");
    desk.keys("down");
    // The usual conditions of a search are among them.
    desk.expect("num_gpus=2")
        .expect_not("lacks rentable=true")
        .expect("“2x 4090 verified” became the conditions in Search");
    // A mistake stays as it was typed.
    desk.keys("up ctrl-u").type_text("gpu_nam=RTX_4090").keys("down");
    desk.expect("gpu_nam=RTX_4090")
        .expect("(Ctrl-g changes it to gpu_name)");
    // Creating from the field itself reads it first, and shows what is sent.
    let mut desk = narrow();
    desk.keys("n").type_text("chat").keys("enter enter enter enter");
    desk.type_text("4090 verified").keys("pgdn enter");
    answer_all(&mut desk, FOUR);
    desk.type_text("create").keys("enter");
    let Some((_, Request::CreateWorkergroup(group))) = desk.calls.last() else {
        panic!("{:?}\n{}", desk.calls, desk.screen());
    };
    let sent = serde_json::to_value(group).unwrap();
    let search = sent["search_params"].as_str().unwrap();
    assert!(search.contains("gpu_name=RTX_4090"), "{search}");
}

#[test]
fn a_new_group_takes_the_search_of_offers() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text(" gpu_ram>=24").keys("enter").answer(THREE);
    desk.keys("3").answer(FOUR).keys("n down down down down");
    desk.expect("Ctrl-g takes your search");
    desk.keys("ctrl-g");
    desk.expect("rented=false gpu_ram>=24").expect_not("takes your search");
}

#[test]
fn escape_leads_back_to_the_offers_that_the_form_was_opened_from() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("n").expect("New workergroup");
    desk.keys("esc").expect_not("New workergroup");
    desk.expect("RTX 4090").expect("on-demand");
}

#[test]
fn what_the_public_market_ignores_is_folded_away_until_it_is_set() {
    let mut desk = narrow();
    desk.keys("n").expect_not("Min load");
    desk.expect("Advanced   [ ]").expect("5 fields for other markets");
    desk.click("Advanced").expect("Min load");
    desk.click("Advanced").expect_not("Min load");
    // A clone that sets them shows them.
    desk.keys("esc g j C").expect("Advanced   [x]").expect("Min load");
}
