//! Tests that try many cases: some of them after each change, all of them in the long tier.

use std::process::Command;
use std::sync::Mutex;

/// Runs every case of a test: `BOURSE_ALL_CASES=1 cargo test --locked --test it -- NAME`.
const VARIABLE: &str = "BOURSE_ALL_CASES";

/// The tests that call [`cases`].
const TESTS: &[&str] = &[
    "api::bounds::a_response_that_unpacks_to_blanks_costs_little",
    "api::bounds::what_is_too_much_is_given_up_and_costs_little",
    "cli::help::completion_survives_every_beginning_of_a_line",
    "cli::help::every_example_of_the_help_runs_as_printed",
    "domain::history::bids::every_bid_holds_what_a_walk_over_the_hours_finds",
    "domain::history::survival::the_curve_recovers_a_rate_under_half_downtime_and_a_naive_mean_does_not",
    "domain::history::survival::the_curve_recovers_lives_of_very_different_lengths",
    "domain::independent::combinations_of_filters_orders_limits_types_and_storage_agree",
    "domain::independent::every_filter_of_the_offer_search_selects_what_the_specification_says",
    "domain::language_properties::no_text_breaks_anything",
    "domain::malformed::mutated_bodies_have_a_result_or_a_cause",
    "domain::plain::every_phrase_means_what_a_person_means",
    "domain::plain::no_text_breaks_the_grammar",
    "domain::plain::two_clauses_mean_what_each_of_them_means",
    "domain::plan_work::plans_for_work_are_the_cheapest_of_all_sets_of_offers",
    "domain::sentences::no_sentence_of_known_clauses_is_misread",
    "domain::rows::filtering_agrees_with_asking_every_condition_about_every_row",
    "domain::rows::sorting_agrees_with_comparing_cells",
    "frozen::rooms::no_view_is_an_empty_room",
    "fuzz::config::configurations_parse_or_name_their_mistake_and_edits_keep_the_rest",
    "fuzz::envelope::responses_split_and_decode_whatever_they_hold",
    "fuzz::error_body::refusals_are_told_in_a_few_clean_words",
    "fuzz::query::queries_are_read_back_or_name_their_mistake",
    "fuzz::record::records_leave_clean_and_read_back",
    "hostile::commands::configurations_are_judged_without_what_they_hold",
    "hostile::commands::failures_are_told_without_what_steers_a_terminal",
    "hostile::curl::a_shell_reads_back_every_argument_and_no_key_is_in_the_text",
    "hostile::pastes::pastes_write_nothing_in_any_view",
    "hostile::screens::every_key_shows_hostile_texts_visibly_in_the_first_view_that_has_it",
    "hostile::screens::typed_and_pasted_characters_are_visible_or_refused_with_a_reason",
    "hostile::screens::what_the_outside_tells_is_shown_visibly",
    "hostile::sweep::random_texts_are_bounded_stay_as_they_are_the_second_time_and_lose_nothing",
    "hostile::tables::random_tables_are_read_back_without_a_formula",
    "hostile::terminal::a_paste_that_ends_early_creates_nothing_and_typing_does",
    "hostile::terminal::a_paste_that_ends_early_unlists_nothing_and_typing_does",
    "repository::guide::examples::every_command_runs_as_printed",
    "safety::creates::no_lost_reply_is_told_as_done_or_refused_and_the_list_names_the_right_one",
    "safety::creates::no_schedule_sends_more_than_was_confirmed",
    "safety::kills::a_killed_creation_is_never_forgotten",
    "safety::kills::however_the_dashboard_dies_the_next_one_tells_it_and_creates_nothing_twice",
    "safety::searches::the_newest_search_is_shown_whatever_order_the_answers_come_in",
    "safety::unlists::no_keys_unlist_without_the_exact_id_typed_twice",
    "safety::watch_saved::every_due_ring_rings_once_within_the_budget",
    "sandbox::faults::every_fault_on_every_operation_is_survived",
    "sandbox::faults::no_profile_leads_to_a_false_verdict",
    "store::failing_disk::a_place_that_cannot_be_written_is_told",
    "store::history::answers::every_series_is_that_of_its_definition",
    "store::history::file::programs_that_start_together_all_open_a_new_file",
    "store::history::recording::a_file_beyond_its_size_loses_the_oldest_and_shrinks",
    "store::history::sharing::a_kill_loses_at_most_the_poll_being_written",
    "store::history::sharing::two_programs_that_record_at_once_lose_nothing",
    "store::state_files::a_file_cut_at_any_byte_is_set_aside_and_never_lost",
    "store::state_files::programs_that_save_at_once_lose_nothing_and_leave_nothing_half_written",
    "stories::comfort::every_view_keeps_header_and_footer_on_every_screen",
    "stories::groups::everything_fits_small_and_large_screens",
    "stories::groups_form::no_keys_send_a_second_creation_while_the_first_is_under_way",
    "stories::groups_form::no_keys_send_a_second_creation_while_the_first_is_unknown",
    "stories::large_texts::keys_fill_the_line_and_no_more",
    "stories::large_texts::the_json_tab_pages_to_the_end_of_a_text_and_finds_what_lines_break_apart",
    "stories::requests::every_size_has_room_for_every_view",
    "stories::sizes::every_view_is_drawn_at_every_size_and_in_every_theme",
    "terminal::secret_sinks::no_write_leaves_a_planted_key_in_its_output_or_the_journal",
    "terminal::secrets::no_command_prints_a_planted_key",
    "terminal::shopping::every_failure_is_said_in_words_and_the_program_lives_on",
    "terminal::unlisting::without_a_journal_nothing_is_sent_until_it_can_be_written",
    "whole_market::nothing_is_called_complete_that_is_not",
    "whole_market::the_parts_are_complete_and_few",
];

/// How many cases a test tries, or which.
#[track_caller]
pub fn cases<T>(some: T, all: T) -> T {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or_default();
    // With one thread for all tests it has no name of a test.
    assert!(name == "main" || TESTS.contains(&name), "{name} is missing in the list");
    if std::env::var_os(VARIABLE).is_some() {
        all
    } else {
        some
    }
}

/// Runs cases side by side: for programs that wait more than they work.
pub fn side_by_side<T: Send>(cases: Vec<T>, run: impl Fn(T) + Sync) {
    let cases = Mutex::new(cases.into_iter());
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                loop {
                    let Some(case) = cases.lock().unwrap().next() else {
                        return;
                    };
                    run(case);
                }
            });
        }
    });
}

#[test]
#[ignore = "long: all cases of the tests that try some"]
fn every_case() {
    let mut tests = Command::new(std::env::current_exe().unwrap());
    let output = tests.env(VARIABLE, "1").arg("--exact").args(TESTS).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let all = format!("test result: ok. {} passed", TESTS.len());
    assert!(output.status.success() && text.contains(&all), "{text}");
}
