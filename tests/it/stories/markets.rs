//! The markets: listing, adding, testing and switching, key by key, against the pure core and the
//! screens.

use bourse::api::{ApiError, ErrorBody, Reply, Request, Secret};
use bourse::core::message::News;
use bourse::core::message::{Effect, EffectError};
use bourse::core::{Pane, Profile};
use bourse::domain::evidence::{Findings, Observations, Treatment};
use bourse::domain::saved::{DashboardState, Searches};
use bourse::domain::time::UnixTime;
use bourse::domain::{Dialect, Resource};
use bourse::features::markets::{
    Change, ConnectionTest, Done, KeyFile, KeyFrom, Market, MarketCommand, MarketEvent, MarketList, MarketReady,
    NewMarket, ProbeError, RestoredState,
};
use bourse::table::remote::Ticket;

use crate::stories::unlist::{TWO, flat, said};
use crate::test_app::{THREE, TestApp};
use bourse::settings::KeySource;

const KEY: &str = "canary-key-4711-markets";

fn market(name: &str, address: Option<&str>, key: KeySource) -> Market {
    Market {
        name: name.to_owned(),
        address: address.map(str::to_owned),
        route: None,
        dialect: &Dialect::DOCUMENTED,
        read_only: false,
        file: match &key {
            KeySource::File(path) => Some(KeyFile {
                path: path.clone(),
                is_ours: true,
            }),
            _ => None,
        },
        key,
        is_removable: false,
        is_configurable: address.is_some(),
    }
}

/// The desk's own market `test` between others.
fn market_list() -> MarketList {
    MarketList {
        markets: vec![
            Market {
                dialect: &Dialect::SANDBOX,
                ..market("sandbox", None, KeySource::Generated)
            },
            Market {
                dialect: &Dialect::VAST,
                read_only: true,
                ..market("vast", Some("https://console.vast.ai"), KeySource::None)
            },
            market(
                "test",
                Some("http://127.0.0.1:1"),
                KeySource::File("/cfg/keys/test".to_owned()),
            ),
            market("pass", Some("https://p.example"), KeySource::Command),
        ],
        has_variable: false,
        file: Some("/cfg/config.toml".to_owned()),
        wrong: None,
    }
}

fn desk() -> TestApp {
    let mut desk = TestApp::prepared(&Dialect::DOCUMENTED, |model| {
        model.markets.market_list = market_list();
    });
    desk.answer(THREE);
    desk
}

fn at_markets() -> TestApp {
    let mut desk = desk();
    desk.keys("M").expect("Markets");
    assert_eq!(commands(&mut desk), [MarketCommand::List]);
    desk
}

/// What was asked for about markets since the last look.
fn commands(desk: &mut TestApp) -> Vec<MarketCommand> {
    let (markets, others) = std::mem::take(&mut desk.effects)
        .into_iter()
        .partition(|effect| matches!(effect, Effect::Market { .. }));
    desk.effects = others;
    let markets: Vec<Effect> = markets;
    markets
        .into_iter()
        .map(|effect| match effect {
            Effect::Market { command, .. } => command,
            other => panic!("{other:?}"),
        })
        .collect()
}

fn news(desk: &mut TestApp, news: MarketEvent) {
    match news {
        MarketEvent::Ready(ready) => desk.tell(ready.ticket, News::Market(Box::new(MarketEvent::Ready(ready)))),
        other => drop(desk.bring(News::Market(Box::new(other)))),
    }
    let (columns, rows) = desk.model.screen.size;
    desk.resize(columns, rows);
}

fn refused() -> ApiError {
    ApiError::Refused {
        status: 401,
        said: said("Invalid user key"),
    }
}

#[test]
fn without_a_key_the_screen_names_the_variable_and_the_way_to_add_one() {
    let keyless = || ApiError::NoKey {
        status: 401,
        said: said("Invalid user key"),
    };
    let mut desk = TestApp::new();
    desk.model.keymap = bourse::core::keys::configured(&[bourse::core::keys::UserKeys {
        name: "markets".to_owned(),
        keys: vec!["f7".to_owned()],
        line: 1,
    }])
    .0;
    desk.fail(keyless());
    let screen = flat(&desk);
    assert!(
        screen.contains(
            "no API key configured (status 401): Invalid user key; set BOURSE_API_KEY or press \
             F7 to add one."
        ),
        "{screen}"
    );
    assert!(!screen.contains("refused"), "{screen}");
    // With rows on the screen, too.
    desk.keys("r").answer(THREE).keys("r").fail(keyless());
    desk.expect("Press F7 to add a key: no API key configured (status 401)");
    desk.keys("f7");
    assert!(flat(&desk).contains("test: no API key configured"));
    assert!(flat(&desk).contains("Press o to add a key."));
}

/// Presses Enter on the selected market; gives the number of the connection and its name.
fn connecting(desk: &mut TestApp) -> (Ticket, String) {
    desk.keys("enter");
    let asked = desk.effects.iter().rev().find_map(|effect| match effect {
        Effect::Market {
            ticket,
            command: MarketCommand::Connect(name),
        } => Some((*ticket, name.clone())),
        _ => None,
    });
    commands(desk);
    asked.unwrap_or_else(|| panic!("{}", desk.screen()))
}

fn ready(ticket: Ticket, name: &str) -> MarketEvent {
    MarketEvent::Ready(Box::new(MarketReady {
        ticket,
        profile: Profile {
            name: name.to_owned(),
            is_sandbox: name == "sandbox",
            read_only: false,
            dialect: &Dialect::VAST,
            base_url: format!("https://{name}.example"),
            route_url: format!("https://{name}.example"),
            has_key: true,
            worker_root: Default::default(),
        },
        restored: RestoredState::default(),
        market_list: market_list(),
    }))
}

#[test]
fn the_list_says_whence_each_key_comes_and_which_market_is_spoken_to() {
    let mut desk = desk();
    for pane in ["1", "2", "3", "4"] {
        desk.keys(pane).keys("M");
        desk.expect("› * test")
            .expect("http://127.0.0.1:1")
            .expect("key file")
            .expect("The key is in /cfg/keys/test.");
        for line in ["inside bourse", "own key", "key command", "no key"] {
            desk.expect(line);
        }
        let screen = desk.screen();
        let vast = screen.lines().find(|line| line.contains("console.vast.ai"));
        assert!(vast.unwrap().contains("read-only"), "{screen}");
        desk.keys("esc").expect_not("key command");
    }
    assert_eq!(desk.model.pane, Pane::Requests);
    desk.keys("M k k").expect("›   sandbox");
    desk.keys("G");
    assert!(flat(&desk).contains("The key is read from a command's output."));
}

#[test]
fn the_list_fits_every_screen() {
    for (columns, rows) in [(40, 10), (80, 24), (120, 40), (200, 60), (300, 80)] {
        let mut desk = at_markets();
        desk.resize(columns, rows).expect("› * test").expect("key file");
        if columns >= 100 {
            desk.expect("Address").expect("Writes");
        }
        desk.keys("n").expect("New market");
        desk.keys("tab tab tab tab tab tab").expect("Key");
        desk.paste(KEY).expect("********");
        desk.expect_not("canary");
    }
}

#[test]
fn a_market_is_added_with_what_was_typed_and_a_key_that_nobody_sees() {
    let mut desk = at_markets();
    desk.keys("n").type_text("http://market.example");
    assert!(flat(&desk).contains("an API key is sent over plain http only to this computer"));
    desk.keys("ctrl-u").type_text("https://market.example");
    desk.expect_not("plain http");
    desk.keys("tab").type_text("work").keys("tab tab");
    desk.expect("‹ find out ›");
    desk.keys("right right").expect("‹ vast ›");
    desk.keys("tab space").expect("‹ off (read-only) ›");
    desk.keys("tab").expect("Saved in keys/work beside the configuration");
    desk.keys("tab").expect("It is sent to market.example.");
    desk.paste(&format!(" {KEY}\n"));
    desk.expect("********")
        .expect("Too short? Keys often have 64 characters")
        .expect_not("canary");
    desk.keys("enter");
    let wanted = Change::Add(NewMarket {
        name: "work".to_owned(),
        base_url: "https://market.example".to_owned(),
        route_url: None,
        dialect: &Dialect::VAST,
        read_only: true,
        key: KeyFrom::File(Secret::new(KEY)),
    });
    let asked = commands(&mut desk);
    assert_eq!(asked, [MarketCommand::Change(wanted)]);
    assert!(!format!("{asked:?} {:?}", desk.model).contains("canary"));
    // It is refused: nothing is lost, and the same can be tried again.
    let failed = MarketEvent::Changed {
        result: Err(EffectError::new("the disk is full")),
        market_list: market_list(),
    };
    news(&mut desk, failed);
    desk.expect("! the disk is full").expect("https://market.example");
    desk.expect("********");
    desk.keys("enter");
    assert_eq!(commands(&mut desk).len(), 1);
    let mut more = market_list();
    let source = KeySource::File("/cfg/keys/work".to_owned());
    more.markets
        .push(market("work", Some("https://market.example"), source));
    let added = MarketEvent::Changed {
        result: Ok(("work".to_owned(), Done::Added)),
        market_list: more,
    };
    news(&mut desk, added);
    desk.expect("›   work");
    assert!(flat(&desk).contains("work added. r tests it with one request, Enter connects."));
}

#[test]
fn the_last_field_is_the_key_and_enter_says_what_it_does() {
    let mut desk = at_markets();
    desk.keys("n").expect("Enter next");
    desk.type_text("https://market.example").keys("tab");
    desk.type_text("work").expect("Enter next");
    desk.keys("pgdn").type_text(KEY);
    desk.expect("********").expect("Enter find out");
    // On the button below it nothing is typed, and that is not kept quiet.
    desk.keys("pgdn")
        .type_text("x")
        .expect("Nothing can be typed here: go to the Key field");
    desk.keys("enter");
    let asked = commands(&mut desk);
    assert!(matches!(asked.as_slice(), [MarketCommand::Probe(_)]), "{asked:?}");
    news(&mut desk, MarketEvent::Probed(seen(Treatment::Refused, 895.0)));
    desk.expect("Enter save");
    desk.keys("enter");
    let asked = commands(&mut desk);
    assert!(
        matches!(asked.as_slice(), [MarketCommand::Change(Change::Add(_))]),
        "{asked:?}"
    );
}

#[test]
fn what_is_wrong_is_said_at_its_line_before_anything_is_kept() {
    let mut desk = at_markets();
    desk.keys("n enter").expect("type the address");
    desk.type_text("market.example").keys("enter").expect("enter a name");
    for (name, why) in [
        ("a b", "letters, digits, - and _ only"),
        ("-x", "begins with a letter or a digit"),
        ("VAST", "there is a market named 'vast' already"),
        ("custom", "an address without a name"),
        (&"x".repeat(33), "32 characters at most"),
    ] {
        desk.keys("ctrl-u").type_text(name).expect(why);
    }
    desk.keys("ctrl-u").type_text("work").keys("up");
    for (address, why) in [
        ("market", "not an address"),
        ("localhost:port", "not an address"),
        ("ftp://market.example", "only http and https"),
        ("https://me:pw@market.example", "user name or password"),
        ("https://market.example/?a=1", "must not contain a query"),
    ] {
        desk.keys("ctrl-u").type_text(address).expect(why);
    }
    // Without a scheme it is https, on this computer http.
    desk.keys("ctrl-u")
        .type_text("market.example")
        .expect("Taken as https://market.example");
    desk.keys("ctrl-u")
        .type_text("127.0.0.1:8080")
        .expect("Taken as http://127.0.0.1:8080");
    desk.keys("pgdn enter").expect("type or paste the key");
    desk.expect("http://127.0.0.1:8080");
    desk.type_text("two words").expect("it contains spaces");
    desk.keys("enter").expect("not a valid key").expect_not("two words");
    assert_eq!(commands(&mut desk), []);
    // A key that is kept elsewhere.
    desk.keys("up left").expect("‹ a command ›");
    desk.keys("down enter").expect("type the command");
    desk.type_text("pass show work").keys("enter");
    let asked = commands(&mut desk);
    let Some(MarketCommand::Probe(new)) = asked.first() else {
        panic!("{asked:?}");
    };
    assert_eq!(new.key, KeyFrom::Command("pass show work".to_owned()));
    assert_eq!(new.base_url, "http://127.0.0.1:8080");
}

/// The form of a market whose dialect is to be found out, with the searches under way.
fn probed() -> TestApp {
    let mut desk = at_markets();
    desk.keys("n").type_text("https://lab.example").keys("tab");
    desk.type_text("lab").keys("tab tab");
    desk.expect("Save sends the market four searches to find out");
    desk.keys("tab tab right").expect("‹ the environment ›");
    desk.keys("enter");
    desk.expect("Checking https://lab.example …")
        .expect_not("Enter find out");
    let asked = commands(&mut desk);
    assert!(
        matches!(asked.as_slice(), [MarketCommand::Probe(new)] if new.name == "lab"),
        "{asked:?}"
    );
    desk
}

fn seen(nin: Treatment, speed: f64) -> Result<Findings, ProbeError> {
    Ok(Findings::from_observations(&Observations {
        nin,
        notin: Treatment::Obeyed,
        filter: Treatment::Obeyed,
        speed: Some(speed),
        ..Observations::default()
    }))
}

#[test]
fn a_dialect_that_the_market_shows_is_named_with_a_sample_before_it_is_kept() {
    let mut desk = probed();
    news(&mut desk, MarketEvent::Probed(seen(Treatment::Refused, 895.0)));
    desk.expect("‹ vast ›");
    let screen = flat(&desk);
    assert!(
        screen.contains("Like vast: notin excludes values, nin does not, total price can be searched."),
        "{screen}"
    );
    assert!(
        screen.contains("Half of its machines download at 0.9 Gb/s or more."),
        "{screen}"
    );
    assert_eq!(commands(&mut desk), [], "nothing is saved yet");
    desk.keys("enter");
    let asked = commands(&mut desk);
    let [MarketCommand::Change(Change::Add(new))] = asked.as_slice() else {
        panic!("{asked:?}");
    };
    assert_eq!(new.dialect.name, "vast");
    // Another address may be another market.
    let mut desk = probed();
    news(&mut desk, MarketEvent::Probed(seen(Treatment::Refused, 895.0)));
    desk.keys("pgup").type_text("/v2").expect("‹ find out ›");
}

#[test]
fn thin_evidence_and_a_silent_market_leave_the_dialect_to_the_user() {
    let mut desk = probed();
    // One clue: `dph_total` is a filter.
    news(&mut desk, MarketEvent::Probed(seen(Treatment::Obeyed, 895.0)));
    desk.expect("the market does not show it: choose one");
    let screen = flat(&desk);
    assert!(screen.contains("Choose the one with the likely speed"), "{screen}");
    desk.keys("enter").expect("the market does not show it: choose one");
    assert_eq!(commands(&mut desk), []);
    desk.keys("right").expect("‹ documented ›");
    desk.keys("enter");
    let asked = commands(&mut desk);
    assert!(matches!(asked.as_slice(), [MarketCommand::Change(Change::Add(new))] if new.dialect.name == "documented"));
    let mut desk = probed();
    news(
        &mut desk,
        MarketEvent::Probed(Err(EffectError::new("connection refused").into())),
    );
    assert!(flat(&desk).contains("not found: connection refused. Nothing is saved yet"));
    // Saved all the same, it takes the documented dialect.
    let mut as_it_is = probed();
    news(
        &mut as_it_is,
        MarketEvent::Probed(Err(EffectError::new("connection refused").into())),
    );
    as_it_is.expect("‹ documented ›");
    assert_eq!(commands(&mut as_it_is), []);
    as_it_is.keys("enter");
    let asked = commands(&mut as_it_is);
    assert!(matches!(asked.as_slice(), [MarketCommand::Change(Change::Add(new))] if new.dialect.name == "documented"));
    // The address can be corrected at once.
    desk.keys("ctrl-u")
        .type_text("https://lab2.example")
        .expect("https://lab2.example")
        .expect("‹ find out ›");
    desk.keys("tab tab tab right right enter");
    let asked = commands(&mut desk);
    assert!(matches!(asked.as_slice(), [MarketCommand::Change(Change::Add(new))] if new.dialect.name == "vast"));
}

#[test]
fn a_key_that_the_market_refuses_is_changed_where_it_was_typed() {
    let mut desk = at_markets();
    desk.keys("n").type_text("https://lab.example").keys("tab");
    desk.type_text("lab").keys("tab tab tab tab tab");
    desk.type_text("wrong-key").keys("enter");
    assert!(matches!(commands(&mut desk).as_slice(), [MarketCommand::Probe(_)]));
    let refusal = ProbeError::Key("API key rejected (status 401)".to_owned());
    news(&mut desk, MarketEvent::Probed(Err(refusal)));
    desk.expect("API key rejected (status 401). Type another key and save again");
    desk.expect("‹ find out ›");
    // The first letter replaces the refused key.
    desk.type_text("right-key").keys("enter");
    let asked = commands(&mut desk);
    let [MarketCommand::Probe(profile)] = asked.as_slice() else {
        panic!("{asked:?}")
    };
    assert!(
        matches!(&profile.key, KeyFrom::File(key) if key.expose() == "right-key"),
        "the refused key was kept"
    );
}

#[test]
fn plain_http_is_taken_where_no_key_is_sent() {
    let mut desk = at_markets();
    desk.keys("n").type_text("http://10.0.0.1").expect("plain http");
    desk.keys("tab").type_text("lab");
    desk.keys("tab tab tab tab right").expect("‹ the environment ›");
    desk.expect("BOURSE_API_KEY is not set");
    desk.expect_not("plain http");
    desk.keys("enter");
    assert_eq!(commands(&mut desk).len(), 1);
    // With a key in the environment it would go along.
    let mut desk = desk_with_variable();
    desk.keys("n").type_text("http://10.0.0.1").keys("tab").type_text("lab");
    desk.keys("tab tab tab tab right")
        .expect("BOURSE_API_KEY is set: that key is sent");
    desk.keys("enter").expect("The API, such as").expect("plain http");
    assert_eq!(commands(&mut desk), []);
}

fn desk_with_variable() -> TestApp {
    let mut desk = at_markets();
    desk.model.markets.market_list.has_variable = true;
    desk
}

#[test]
fn a_key_pasted_into_another_line_is_not_shown() {
    let mut desk = at_markets();
    desk.keys("n").paste(KEY);
    desk.expect("not an address").expect_not("canary");
    desk.keys("tab").paste(KEY.to_uppercase().as_str());
    desk.keys("ctrl-u").paste(&format!("{KEY}.x"));
    desk.expect("not a name").expect_not("canary");
    desk.keys("tab tab").paste(KEY);
    desk.expect("go to the Key field").expect_not("canary");
    desk.keys("tab tab tab").type_text("good").paste("two\nlines");
    desk.expect("nothing was pasted").expect("********");
    desk.type_text("x").expect("Too short? Keys often have 64 characters");
}

#[test]
fn the_palette_opens_the_form_of_a_new_market() {
    let mut desk = desk();
    desk.keys(":").type_text("add market").keys("enter");
    desk.expect("New market").expect("Address");
    // The list is below it.
    desk.keys("esc").expect("Markets").expect("› ");
}

#[test]
fn a_form_that_is_left_comes_back_without_its_key() {
    let mut desk = at_markets();
    desk.keys("n")
        .type_text("work")
        .keys("tab tab tab tab tab tab")
        .paste(KEY);
    desk.expect("********");
    desk.keys("esc");
    desk.expect("Markets").expect("without the key");
    desk.keys("n").expect("work").expect_not("********");
    desk.keys("esc esc").expect_not("Markets");
}

#[test]
fn a_refused_key_leads_to_the_market_and_its_key() {
    let mut desk = TestApp::prepared(&Dialect::DOCUMENTED, |model| {
        model.markets.market_list = market_list();
    });
    desk.fail(refused());
    desk.expect("API key rejected (status 401): Invalid user key");
    desk.expect("M change key or market");
    desk.keys("M").expect("› * test");
    let said = "! test: API key rejected (status 401): Invalid user key; check the API key. Press o to change the key.";
    assert!(flat(&desk).contains(said), "{}", desk.screen());
    desk.keys("o").expect("Settings of test");
    desk.paste(KEY).keys("enter");
    let wanted = Change::Key {
        name: "test".to_owned(),
        from: KeyFrom::File(Secret::new(KEY)),
    };
    let asked = commands(&mut desk);
    assert!(asked.contains(&MarketCommand::Change(wanted)), "{asked:?}");
    // The market that is spoken to is connected to anew with its new key.
    let given = MarketEvent::Changed {
        result: Ok(("test".to_owned(), Done::KeyGiven)),
        market_list: market_list(),
    };
    news(&mut desk, given);
    let asked = commands(&mut desk);
    assert!(
        matches!(asked.as_slice(), [MarketCommand::Connect(name)] if name == "test"),
        "{asked:?}"
    );
}

#[test]
fn the_dialect_of_a_market_is_changed_and_its_key_stays() {
    let mut desk = TestApp::prepared(&Dialect::DOCUMENTED, |model| {
        model.markets.market_list = market_list();
    });
    desk.keys("M o").expect("Settings of test");
    desk.keys("up up").expect("‹ documented ›");
    desk.keys("right").expect("‹ vast ›");
    desk.keys("enter");
    let wanted = Change::Dialect {
        name: "test".to_owned(),
        dialect: &Dialect::VAST,
        from: None,
    };
    let asked = commands(&mut desk);
    assert!(asked.contains(&MarketCommand::Change(wanted)), "{asked:?}");
    // The market that is spoken to is connected to anew, in its new dialect.
    let saved = MarketEvent::Changed {
        result: Ok(("test".to_owned(), Done::DialectSet)),
        market_list: market_list(),
    };
    news(&mut desk, saved);
    let asked = commands(&mut desk);
    assert!(asked.contains(&MarketCommand::Connect("test".to_owned())), "{asked:?}");
    // With the same dialect and no key there is nothing to save.
    desk.keys("o").keys("enter").expect("type or paste the key");
}

#[test]
fn a_refusal_beside_older_rows_names_the_way_too() {
    let mut desk = desk();
    desk.keys("r").fail(refused());
    desk.expect("The rows below are older. Press M for another key: API key rejected");
    desk.model.keymap = bourse::core::keys::configured(&[bourse::core::keys::UserKeys {
        name: "markets".to_owned(),
        keys: vec!["f7".to_owned()],
        line: 1,
    }])
    .0;
    desk.resize(120, 40).expect("Press F7 for another key");
    desk.keys("f7").expect("Markets");
}

#[test]
fn switching_takes_the_old_rows_away_and_asks_the_new_market() {
    let mut desk = desk();
    desk.keys("r"); // under way when the market is left
    let (old, _) = desk.calls.remove(0);
    desk.keys("M k");
    commands(&mut desk);
    let (ticket, name) = connecting(&mut desk);
    assert_eq!(name, "vast");
    assert!(ticket > old);
    desk.expect("Connecting to vast").expect("All 3 ");
    news(&mut desk, ready(ticket, "vast"));
    assert_eq!(desk.effects.pop(), Some(Effect::Activate(ticket)));
    let screen = desk.screen();
    let header = screen.lines().next().unwrap();
    assert!(header.contains("4 Requests") && header.contains(" vast "), "{screen}");
    desk.expect_not("RTX 4090").expect_not("Markets");
    desk.expect("Switched to vast");
    assert!(matches!(desk.asked(), Request::Search(query) if query.resource == Resource::Offers));
    let new = desk.calls[0].0;
    assert!(new > ticket, "numbers go on");
    // The answer of the market that was left comes late.
    let late = bourse::domain::Listing::read(Resource::Offers.catalog(), THREE, UnixTime::new(0.0)).unwrap();
    desk.reply(old, Ok(Reply::Records(Box::new(late))));
    desk.expect_not("RTX 4090");
    desk.answer(THREE);
    desk.expect("All 3 ");
}

#[test]
fn a_connection_that_is_not_wanted_any_more_is_not_taken() {
    let mut desk = at_markets();
    let (first, _) = connecting(&mut desk);
    desk.keys("esc").expect("cancelled").expect("Markets");
    news(&mut desk, ready(first, "vast"));
    assert_eq!(commands(&mut desk), []);
    desk.expect("› * test");
    let (second, _) = connecting(&mut desk);
    news(&mut desk, ready(first, "vast"));
    assert_eq!(commands(&mut desk), []);
    // Whoever goes elsewhere meanwhile stays there.
    desk.keys("2");
    news(&mut desk, ready(second, "vast"));
    assert_eq!(commands(&mut desk), []);
    assert_eq!(desk.model.profile.name, "test");
    assert_eq!(desk.model.pane, Pane::Volumes);
}

#[test]
fn what_cannot_be_connected_says_why_and_all_stays() {
    let mut desk = at_markets();
    connecting(&mut desk);
    let why = "the key file /cfg/keys/test: entity not found".to_owned();
    news(&mut desk, MarketEvent::ConnectFailed(why));
    assert!(flat(&desk).contains("! Not connected to test: the key file"));
    assert!(flat(&desk).contains("/keys/test: entity not found"));
    desk.keys("esc").expect("All 3 ").expect("RTX 4090");
}

#[test]
fn a_write_under_way_holds_the_market() {
    let mut desk = desk();
    desk.keys("2").answer(TWO);
    desk.keys("M g");
    commands(&mut desk);
    let (ticket, _) = connecting(&mut desk);
    desk.keys("esc esc");
    desk.keys("u").type_text("7311").keys("enter");
    desk.type_text("7311").keys("enter");
    assert!(matches!(desk.asked(), Request::UnlistVolume { id: 7311 }));
    desk.keys("esc M g enter");
    assert_eq!(commands(&mut desk), [MarketCommand::List]);
    assert!(flat(&desk).contains("! Not connected to sandbox: a write is in progress"));
    news(&mut desk, ready(ticket, "sandbox"));
    assert_eq!(desk.model.profile.name, "test");
    // Once its outcome is known, the way is free.
    let (write, _) = desk.calls.remove(0);
    let gone = ApiError::Invalid {
        status: 400,
        said: ErrorBody::Nothing,
    };
    desk.reply(write, Err(gone));
    connecting(&mut desk);
}

#[test]
fn a_write_that_begins_while_connecting_holds_it_too() {
    let mut desk = desk();
    desk.keys("2").answer(TWO);
    desk.keys("u").type_text("7311").keys("enter").type_text("7311");
    // The dialog lies below the list in this story: nothing else can begin a write meanwhile.
    let confirmed = desk.model.overlays.pop().unwrap();
    desk.keys("M g");
    commands(&mut desk);
    let (ticket, _) = connecting(&mut desk);
    desk.model.overlays.push(confirmed);
    desk.keys("enter esc");
    assert!(matches!(desk.asked(), Request::UnlistVolume { .. }));
    news(&mut desk, ready(ticket, "sandbox"));
    assert_eq!(desk.model.profile.name, "test");
    assert_eq!(commands(&mut desk), []);
    assert!(flat(&desk).contains("! Not connected to sandbox: a write is in progress"));
}

#[test]
fn a_route_run_holds_the_market() {
    let mut desk = desk();
    desk.keys("t").type_text("chat").keys("enter");
    let is_route = |(_, request): &(Ticket, Request)| matches!(request, Request::Route(_));
    assert!(desk.calls.iter().any(is_route), "{}", desk.screen());
    desk.keys("M g enter");
    assert_eq!(commands(&mut desk), [MarketCommand::List]);
    assert!(flat(&desk).contains("a route run is in progress: stop it in the route lab (t)"));
}

#[test]
fn a_test_is_one_request_and_ends_in_words() {
    let mut desk = at_markets();
    for (outcome, words) in [
        (
            ConnectionTest::Groups(1),
            "test responded and accepts the key: its account has 1 workergroup.",
        ),
        (
            ConnectionTest::Offers(1),
            "test responds to searches. No API key configured",
        ),
        (
            ConnectionTest::Failed(refused()),
            "! test: API key rejected (status 401): Invalid user key; check the API key. Press o to change the key.",
        ),
        (
            ConnectionTest::NotSent("the address x".to_owned()),
            "! test was not tested: the address x.",
        ),
    ] {
        desk.keys("r");
        let asked = commands(&mut desk);
        let [MarketCommand::Test(name)] = asked.as_slice() else {
            panic!("{asked:?}");
        };
        assert_eq!(name, "test");
        desk.expect("Testing test");
        desk.keys("r");
        assert_eq!(commands(&mut desk), [], "one at a time");
        news(&mut desk, MarketEvent::Tested(outcome));
        assert!(flat(&desk).contains(words), "{words}\n{}", desk.screen());
    }
    desk.keys("g r");
    assert!(flat(&desk).contains("there is nothing to test"));
    assert_eq!(commands(&mut desk), []);
}

#[test]
fn a_key_is_forgotten_after_a_yes() {
    let mut desk = at_markets();
    desk.keys("delete").expect("Remove the key of test?");
    desk.expect("Its file /cfg/keys/test will be deleted.");
    desk.keys("n").expect("› * test");
    assert_eq!(commands(&mut desk), []);
    desk.keys("delete y");
    let forget = Change::Forget("test".to_owned());
    assert_eq!(commands(&mut desk), [MarketCommand::Change(forget)]);
    desk.keys("k delete").expect("No stored key.");
    desk.keys("k delete").expect("The sandbox creates its own key.");
    desk.keys("o").expect("The sandbox creates its own key.");
    desk.model.markets.market_list.markets[1].key = KeySource::Variable("BOURSE_API_KEY");
    desk.keys("down delete");
    assert!(flat(&desk).contains("unset BOURSE_API_KEY"));
}

#[test]
fn a_market_of_the_file_is_removed_after_a_yes() {
    let mut desk = at_markets();
    for market in &mut desk.model.markets.market_list.markets {
        market.is_removable = market.is_configurable && market.name != "vast";
    }
    // The connected one keeps its place: only its key can go.
    desk.keys("delete").expect("Remove the key of test?");
    desk.keys("esc");
    desk.keys("down delete").expect("Remove pass?");
    assert!(
        flat(&desk).contains("It is removed from /cfg/config.toml."),
        "{}",
        flat(&desk)
    );
    assert!(flat(&desk).contains("Its saved searches, its record and its write history stay."));
    desk.keys("n");
    assert_eq!(commands(&mut desk), []);
    desk.keys("delete y");
    let remove = Change::Remove("pass".to_owned());
    assert_eq!(commands(&mut desk), [MarketCommand::Change(remove)]);
    let mut market_list = market_list();
    market_list.markets.retain(|market| market.name != "pass");
    let result = Ok(("pass".to_owned(), Done::Removed));
    news(&mut desk, MarketEvent::Changed { result, market_list });
    desk.expect("pass removed.");
    assert!(!flat(&desk).contains("https://pass"), "{}", flat(&desk));
}

#[test]
fn a_kept_key_does_not_go_unasked_when_another_place_is_chosen() {
    let mut desk = at_markets();
    desk.keys("o up")
        .expect("Saved in /cfg/keys/test, replacing the key there");
    desk.keys("right").expect("‹ the environment ›");
    desk.keys("enter").expect("Remove the key of test?");
    desk.expect("its file /cfg/keys/test will be deleted");
    desk.keys("esc").expect("‹ the environment ›");
    assert_eq!(commands(&mut desk), []);
    desk.keys("enter y");
    let change = Change::Key {
        name: "test".to_owned(),
        from: KeyFrom::Environment,
    };
    assert_eq!(commands(&mut desk), [MarketCommand::Change(change)]);
}

#[test]
fn the_palette_leads_to_every_market_by_name() {
    let mut desk = desk();
    desk.keys(":").type_text("market pass").keys("enter");
    desk.expect("Connecting to pass");
    let asked = commands(&mut desk);
    assert!(
        matches!(asked.as_slice(), [MarketCommand::List, MarketCommand::Connect(name)] if name == "pass"),
        "{asked:?}"
    );
}

#[test]
fn the_first_sight_of_the_sandbox_names_the_way_out() {
    let mut desk = TestApp::prepared(&Dialect::SANDBOX, |model| {
        model.profile.is_sandbox = true;
        model.markets.invites = true;
        model.markets.market_list = market_list();
    });
    desk.answer(THREE);
    desk.expect("This is the sandbox").expect("M  connect to a real market");
    desk.resize(80, 24).expect("All 3 ").expect_not("real market");
    // It asks for no Esc: the next key does what it always does and takes the card away.
    desk.resize(120, 40).expect("connect to a real market");
    desk.keys("j").selects("102").expect_not("real market");
    desk.keys("M esc").expect_not("real market");
}

#[test]
fn a_welcome_that_was_closed_never_returns() {
    let start = |snapshot: Option<&DashboardState>| {
        let mut desk = TestApp::prepared(&Dialect::SANDBOX, |model| {
            model.profile.is_sandbox = true;
            model.markets.invites = true;
            model.restore(snapshot, Searches::default(), false);
        });
        desk.answer(THREE);
        desk
    };
    let mut desk = start(None);
    desk.expect("Welcome to bourse");
    // Where there is no room for it, no key closes it.
    desk.resize(80, 24).expect_not("Welcome");
    desk.keys("j");
    let unseen = desk.model.snapshot();
    start(Some(&unseen)).expect("Welcome to bourse");
    desk.resize(120, 40).keys("j").expect_not("Welcome");
    let closed = desk.model.snapshot();
    start(Some(&closed)).expect_not("Welcome");
    // A search needs it no more either.
    let mut desk = start(None);
    desk.resize(80, 24).keys("/").type_text("4090").keys("enter");
    let searched = desk.model.snapshot();
    start(Some(&searched)).expect_not("Welcome");
}
