//! The form of a job: what is typed, the bill beside it, the columns that follow. Bills are worked
//! out by hand.

use bourse::core::message::{ConfigCommand, Effect};
use bourse::domain::throughput::{Throughput, WorkUnit};
use bourse::domain::{Resource, language};

use crate::stories::insights::{MARKET, type_job, wide};
use crate::test_app::TestApp;

/// The words of the line that shows a text.
#[track_caller]
fn words(desk: &TestApp, text: &str) -> Vec<String> {
    let screen = desk.screen();
    let line = screen.lines().find(|line| line.contains(text));
    let line = line.unwrap_or_else(|| panic!("{text:?} is not on the screen:\n{screen}"));
    line.split_whitespace().map(str::to_owned).collect()
}

/// What stands in a field of the form.
#[track_caller]
fn field(desk: &TestApp, label: &str) -> String {
    let (screen, label) = (desk.without_ends(), format!(" {label}   "));
    let mut blocks = screen.lines().filter_map(|line| Some(line.split_once(&label)?.1));
    // The bill has some of these words, too; a block ends with its note.
    let notes = [
        "24h, 3d, 2w",
        "50GB, 1.5TB",
        "for the job",
        "500M tokens",
        "friday, 18:00",
    ];
    let value = blocks.find(|block| notes.iter().any(|note| block.contains(note)));
    value.unwrap().split_whitespace().next().unwrap_or_default().to_owned()
}

#[test]
fn a_job_is_billed_while_it_is_typed_and_becomes_a_column_that_sorts() {
    let mut desk = wide();
    type_job(&mut desk);
    // 101: 0.40 x 10 + 0.9 x 72 / 720 x 10 + the same x 5 + 0.01 x 20 + 0.02 x 5 = 5.65
    desk.expect("Bill on 101").expect("1× RTX 4090");
    for (label, value) in [
        ("GPUs while running", "$4.00"),
        ("Storage while running", "$0.90"),
        ("Storage while stopped", "$0.45"),
        ("Traffic in", "$0.20"),
        ("Traffic out", "$0.10"),
        ("Total  ", "$5.65"),
    ] {
        let words = words(&desk, label);
        assert!(words.contains(&value.to_owned()), "{label}: {words:?}");
    }
    // All amounts end in the same column, also next to the longest label.
    let end = |amount: &str| {
        let screen = desk.screen();
        let bill = screen.lines().skip_while(|line| !line.contains("Bill on"));
        let mut ends = bill.filter_map(|line| {
            let end = line.find(amount)? + amount.len();
            Some(line[..end].chars().count())
        });
        ends.next().unwrap()
    };
    assert_eq!(end("$0.90"), end("$4.00"));
    desk.expect("= 0.4 $/h × 10 h")
        .expect("= 0.9 $/GB/month × 72 GB / 720 h × 10 h")
        .expect("= 4.00 + 0.90 + 0.45 + 0.20 + 0.10");
    // 240 hours are left, 15 are needed: 225 to spare.
    desk.expect("Available for 9.4 days after the job");
    // 103 ends before, and 105 does not say when; the three others can do it, 102 for 7.00 + 0.90 + 0.45 + 0.30 = 8.65.
    desk.expect("Cheapest of the 3 offers that fit").expect_not("$4.55");
    let screen = desk.screen();
    let (first, second) = (screen.rfind("$5.65").unwrap(), screen.find("$8.65").unwrap());
    assert!(first < second, "the cheapest comes first\n{screen}");
    assert!(desk.calls.is_empty());
    desk.keys("enter").expect("Job $");
    for (id, cost, spare) in [
        ("101", "5.65", "9.4"),
        ("102", "8.65", "9.4"),
        ("103", "!5.00", "-0.2"),
        ("104", "163.00", "99.4"),
        ("105", "!4.55", "—"),
    ] {
        let words = words(&desk, &format!(" {id} "));
        assert!(words.contains(&cost.to_owned()), "{id}: {words:?}");
        assert!(words.contains(&spare.to_owned()), "{id}: {words:?}");
    }
    // Nobody chose an order: the smallest bill comes first, and last the offers that do not fit, or may not.
    desk.keys("g").selects("101");
    desk.keys("G").selects("105");
    desk.expect("! unfit (2)").expect("12 GB short").expect("end unknown");
    desk.keys("g").keys("j").selects("102");
    // 103 ends before the job is done: it is no choice, however cheap.
    desk.keys("G k").selects("103");
    assert!(desk.calls.is_empty());
    // The order goes to the market without the column that it does not know.
    desk.keys("r");
    let bourse::api::Request::Search(query) = desk.asked() else {
        panic!("{:?}", desk.asked())
    };
    assert_eq!(language::print_order(&query.order), "job_cost");
}

#[test]
fn what_is_typed_into_a_field_takes_the_place_of_its_number() {
    let mut desk = wide();
    desk.keys("J").type_text("10").keys("tab tab");
    desk.type_text("72").keys("tab home right").type_text("0"); // the cursor was moved: 20GB becomes 200GB
    desk.keys("tab tab shift-tab enter"); // fields that are only passed keep their numbers
    desk.expect("Offers priced for 10h, 72 GB, 200 GB in, 5 GB out");
    desk.keys("J");
    for (label, value) in [
        ("Run time", "10h"),
        ("Disk", "72GB"),
        ("Download", "200GB"),
        ("Upload", "5GB"),
    ] {
        assert_eq!(field(&desk, label), value, "{label}");
    }
}

#[test]
fn work_lets_faster_offers_finish_sooner() {
    let mut desk = wide();
    desk.keys("J tab tab tab tab tab").expect_not("not used with work");
    desk.type_text("1000").expect("not used with work");
    // 1000 DLPerf-hours at 100 DLPerf are 10 hours, at 190 they are 5.26.
    desk.expect("= 1000 DLPerf-hours / 100 DLPerf");
    desk.keys("enter").expect("Job time");
    assert!(words(&desk, " 101 ").contains(&"10.0".to_owned()));
    assert!(words(&desk, " 102 ").contains(&"5.3".to_owned()));
}

#[test]
fn a_job_is_checked_while_it_is_typed_and_understands_units() {
    let mut desk = wide();
    desk.keys("J ctrl-u").type_text("soon");
    desk.expect("Run time: Not a duration: write 24, 24h, 3d or 2w");
    desk.expect_not("GPUs while running");
    // The market is not asked, and the field says below itself what is wrong.
    desk.keys("tab enter");
    desk.expect("  Not a duration: write 24").expect_not("Job $");
    assert_eq!(field(&desk, "Run time"), "soon");
    desk.keys("ctrl-u").type_text("-1");
    desk.expect("Out of range: 0 to 1,000,000 hours");
    desk.keys("ctrl-u").expect("Required");
    desk.type_text("3d").keys("tab tab ctrl-u").type_text("1.5TB");
    desk.keys("tab ctrl-u").type_text("0");
    desk.keys("tab ctrl-u").type_text("0");
    // 3 days are 72 hours: 0.40 x 72 = 28.8; 0.9 x 1500 / 720 x 72 = 135. 101 has 500 GB only.
    desk.expect("$28.80").expect("$135.00").expect("$163.80");
    desk.expect("! The disk is 1,000 GB too small");
}

#[test]
fn what_was_left_unfinished_gives_way_to_the_job_of_a_newer_search() {
    let mut desk = wide();
    desk.keys("J ctrl-u").type_text("77").keys("esc");
    desk.keys("/").type_text(" 5d").keys("enter J");
    assert_eq!(field(&desk, "Run time"), "5d");
    // Without another search it is there again.
    desk.keys("ctrl-u").type_text("66").keys("esc J");
    assert_eq!(field(&desk, "Run time"), "66");
}

#[test]
fn escape_keeps_what_was_typed_and_ctrl_x_clears_the_pricing() {
    let mut desk = wide();
    desk.keys("J ctrl-u").type_text("77").keys("esc");
    desk.expect_not("Job $").selects("101");
    desk.keys("J").expect("77").expect_not("Clear pricing");
    desk.keys("esc");
    type_job(&mut desk).keys("enter").expect("Job $");
    // A draft is gone once a job is priced.
    desk.keys("J").expect_not("77").expect("[ Clear pricing ]");
    desk.keys("ctrl-x").expect("Job pricing cleared");
    desk.expect_not("Job $").expect_not("Left after job");
    type_job(&mut desk).keys("enter").expect("Job $");
    desk.keys(":").type_text("clear-job").keys("enter");
    desk.expect_not("Job $").expect_not("Left after job");
    // By its button, too.
    type_job(&mut desk).keys("enter").expect("Job $");
    desk.keys("J").click("[ Clear pricing ]");
    desk.expect_not("Job $");
}

#[test]
fn a_job_begins_with_the_disk_of_the_search_and_understands_days() {
    let mut desk = wide();
    desk.keys("/").type_text(" disk_space>=200").keys("enter");
    desk.keys("J");
    assert_eq!(field(&desk, "Disk"), "200GB");
    desk.type_text("3 days").keys("enter");
    // 0.40 x 72 + 0.9 x 200 / 720 x 72 + 0.01 x 20 + 0.02 x 5 = 28.8 + 18 + 0.3 = 47.1
    assert!(words(&desk, " 101 ").contains(&"47.10".to_owned()));
}

#[test]
fn a_job_that_no_offer_can_do_says_so() {
    let mut desk = wide();
    desk.keys("J").type_text("1000d");
    // 104 is there for 100 days; 105 does not say, which is not enough.
    desk.expect("! No offer fits this job");
    desk.keys("ctrl-u")
        .type_text("90d")
        .expect("Cheapest of the 1 offer that fits");
    desk.keys("tab tab").type_text("9TB");
    desk.expect("! No offer fits this job");
}

#[test]
fn the_form_is_usable_at_every_size() {
    let mut desk = wide();
    desk.keys("J");
    for (columns, rows) in [(40, 10), (80, 24), (120, 40), (200, 60)] {
        desk.resize(columns, rows).expect("Run time");
    }
    desk.resize(80, 24).expect("Bill on 101").expect("Total");
    desk.resize(40, 10).keys("tab tab tab tab tab").expect("Work");
}

/// At 5,000 tokens/s on an RTX 4090, 180M tokens take ten hours.
#[test]
fn work_and_a_deadline_are_priced_marked_and_come_back() {
    let mut desk = wide();
    desk.keys("J tab tab tab tab tab").type_text("180m tokens");
    desk.expect("the tokens/s of RTX 4090 are unknown: fill in Rate");
    desk.keys("esc");
    let mut throughput = Throughput::default();
    throughput.set(WorkUnit::Tokens, "RTX 4090", 5000.0).unwrap();
    desk.model.set_throughput(throughput);
    desk.keys("J").expect("= 180M tokens / (1 × 5000 tokens/s) / 3600 s/h");
    desk.keys("tab tab tab tab tab tab tab tab").type_text("someday");
    desk.expect("Done by: Not a time");
    desk.keys("ctrl-u").type_text("2999-12-31");
    desk.expect("before the deadline")
        .expect("/Mtoken, traffic and disk included");
    desk.keys("enter").expect("Slack").expect("180M tokens");
    assert!(words(&desk, " 101 ").contains(&"10.0".to_owned()));
    let job = desk.model.browsers[Resource::Offers].computed.job.unwrap();
    assert!(job.work.is_some() && job.deadline.is_some());
    desk.keys("J");
    assert_eq!(field(&desk, "Work"), "180M");
    assert_eq!(field(&desk, "Done by"), "2999-12-31");
}

#[test]
fn the_rate_of_the_selected_model_is_typed_beside_the_work_and_saved() {
    let mut desk = wide();
    // The field is there before the work is, and says what it is for.
    desk.keys("J")
        .expect("of the work per second")
        .expect_not("tokens/s on one");
    desk.keys("tab tab tab tab tab");
    desk.type_text("180m tokens").expect("tokens/s of RTX 4090");
    desk.keys("tab").type_text("5000");
    desk.expect("= 180M tokens / (1 × 5000 tokens/s) / 3600 s/h");
    // Without pricing nothing is kept.
    desk.keys("esc").expect_not("$/Mtoken");
    // The field that the bill lacks has the focus.
    desk.keys("J").type_text("5000/h").keys("enter").expect("Not a number");
    desk.keys("ctrl-u").type_text("5000/s").keys("enter");
    desk.expect("$/Mtoken");
    assert_eq!(saved_rates(&desk), [("RTX 4090".to_owned(), Some("5000".to_owned()))]);
}

#[test]
fn a_rate_can_be_given_to_any_model_of_the_rows() {
    let mut desk = wide();
    desk.keys("/").type_text(" 180M tokens").keys("enter");
    // No model is asked for: that of the selected row comes first, then the most offered one.
    desk.keys("J").expect("‹ RTX 4090 ›").expect("tokens/s of RTX 4090");
    desk.type_text("5000").keys("down right").expect("‹ RTX 3090 ›");
    // The rate on the screen is that of the model on the screen, and the only one that is saved.
    desk.keys("enter");
    assert_eq!(saved_rates(&desk), [("RTX 3090".to_owned(), Some("5000".to_owned()))]);
    // The rows that can do the job now come first.
    desk.expect("$/Mtoken");
    desk.keys("J").expect("‹ RTX 3090 ›").expect("tokens/s of RTX 3090");
    // A draft keeps its model.
    desk.keys("tab tab tab tab tab tab tab right");
    desk.expect("tokens/s of RTX 4090");
    desk.keys("esc J");
    desk.expect("‹ RTX 4090 ›");
}

#[test]
fn a_changed_rate_stays_with_its_model() {
    let mut desk = wide();
    desk.keys("/")
        .type_text(" 180M tokens")
        .keys("enter J")
        .type_text("5000")
        .keys("enter");
    desk.keys("J tab tab tab tab tab tab ctrl-u").type_text("6000");
    let rate_line = |desk: &TestApp, model: &str| {
        let (screen, note) = (desk.screen(), format!("tokens/s of {model}"));
        screen.lines().find(|line| line.contains(&note)).unwrap().to_owned()
    };
    assert!(rate_line(&desk, "RTX 4090").contains("6000"));
    desk.keys("down right");
    assert!(!rate_line(&desk, "RTX 3090").contains("6000"));
    // The order of the models stays while rates change that of the rows.
    desk.keys("left");
    assert!(rate_line(&desk, "RTX 4090").contains("6000"));
    desk.keys("right up").type_text("2000").keys("enter");
    let rate = |model: &str, rate: &str| (model.to_owned(), Some(rate.to_owned()));
    let (first, others) = (
        rate("RTX 4090", "5000"),
        [rate("RTX 3090", "2000"), rate("RTX 4090", "6000")],
    );
    assert_eq!(saved_rates(&desk), [&[first], &others[..]].concat());
}

/// The models and rates that were saved in the configuration, in order.
fn saved_rates(desk: &TestApp) -> Vec<(String, Option<String>)> {
    let saved = desk.effects.iter().filter_map(|effect| match effect {
        Effect::Config(ConfigCommand::SaveRate { model, rate, .. }) => Some((model.clone(), rate.clone())),
        _ => None,
    });
    saved.collect()
}

#[test]
fn a_rate_that_is_erased_is_removed() {
    let mut desk = wide();
    desk.keys("J tab tab tab tab tab").type_text("180m tokens");
    desk.keys("tab").type_text("5000").keys("enter").expect("$/Mtoken");
    desk.keys("J tab tab tab tab tab tab");
    desk.expect("= 180M tokens / (2 × 5000 tokens/s)");
    desk.keys("ctrl-u").expect_not("= 180M tokens /");
    // Without pricing it stays.
    desk.keys("esc").expect("$/Mtoken");
    desk.keys("J tab tab tab tab tab tab ctrl-u enter").expect("No bill");
    let model = "RTX 4090".to_owned();
    assert_eq!(
        saved_rates(&desk),
        [(model.clone(), Some("5000".to_owned())), (model, None)]
    );
}

#[test]
fn without_a_rate_the_desk_names_the_field_that_takes_it() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut desk = TestApp::with_offers(MARKET);
        desk.resize(columns, rows);
        desk.keys("/").type_text(" 180M tokens").keys("enter");
        desk.expect("No bill: the tokens/s of these models are unknown (J: Rate, Rate of; or type");
        // Once, in place of a sign and a reason in each row.
        desk.expect_not("rate unknown").expect_not("!—").expect_not("unfit");
        // So say the plan, in place of offers that fail, and the market, in place of prices.
        desk.keys("m").expect("the tokens/s of these models are unknown");
        // In the planner `J` is a letter of its fields.
        desk.keys("esc K")
            .expect("the tokens/s of these models are unknown (Esc, then J:");
        desk.keys("esc");
        desk.keys("J").type_text("5000").keys("enter").expect_not("No bill");
    }
    let mut desk = wide();
    desk.keys("J tab tab tab tab tab tab").type_text("5000").keys("enter");
    desk.expect("Type the work first, such as 500M tokens");
}

#[test]
fn without_a_rate_the_details_compare_prices_and_call_them_so() {
    let mut desk = wide();
    desk.keys("/").type_text(" 180M tokens").keys("enter");
    desk.keys("enter")
        .expect("No offer in your search has a bill for the job");
    desk.expect_not("Job $ of");
    desk.keys("esc J").type_text("5000").keys("enter enter");
    desk.expect_not("No offer in your search has a bill for the job");
}
