//! The searches of the documents: whether the price is a good one is answered in a fresh sandbox.

use std::collections::BTreeSet;

use bourse::cli::Command;
use serde_json::Value as Json;

use super::pages;
use super::shell::{bourse_words, parsed};
use crate::cli::commands::{Home, run};

/// The conditions and words of an example, if it searches offers of the sandbox.
fn searched(line: &str) -> Option<Vec<String>> {
    let words = bourse_words(line.split(" #").next()?)?;
    let arguments = parsed(&words).ok()?;
    if arguments.global.base_url.is_some() || arguments.global.profile.is_some() {
        return None;
    }
    let query = match arguments.command? {
        Command::Offers(offers) => offers.search.query,
        Command::Pick(pick) => pick.search.query,
        Command::Bids(bids) => bids.query,
        Command::Watch { options, .. } => options.search.query,
        Command::History { history, .. } => history.search.query,
        _ => return None,
    };
    // Standard input has nothing here.
    (!query.is_empty() && !query.contains(&"-".to_owned())).then_some(query)
}

/// Every search of the documents' commands, and each of their lines in the query language.
fn searches() -> BTreeSet<Vec<String>> {
    let pages = pages();
    let blocks = |language| pages.iter().flat_map(move |page| page.blocks(language));
    let shown = blocks("console").flat_map(|block| block.lines);
    let shown = shown.filter_map(|line| line.strip_prefix("$ "));
    let commands = blocks("sh").flat_map(|block| block.lines).chain(shown);
    let commands = commands.filter_map(searched);
    let queries = blocks("query").flat_map(|block| block.lines);
    let queries = queries
        .filter(|line| !line.trim().is_empty())
        .map(|line| vec![line.to_owned()]);
    commands.chain(queries).collect()
}

#[test]
#[ignore = "long: simulates a whole market and asks it every search of the documents"]
fn every_search_of_the_documents_has_a_verdict_or_says_what_is_too_little() {
    let home = Home::new();
    let searches = searches();
    assert!(searches.len() >= 20, "{searches:?}");
    let mut wrong = Vec::new();
    let mut rated = 0;
    for search in &searches {
        let words: Vec<&str> = search.iter().map(String::as_str).collect();
        let arguments = [&["history", "--format", "json"], &words[..]].concat();
        let (status, out, err) = run(&mut home.bourse(&arguments));
        if status != 0 {
            wrong.push(format!("{search:?}: {err}"));
            continue;
        }
        let document: Json = serde_json::from_str(&out).unwrap();
        let verdict = &document["verdict"];
        let reason = verdict["withheld"]["reason"].as_str();
        let is_rated = verdict["standing"].is_string();
        rated += usize::from(is_rated);
        let says_number = |reason: &str| !reason.contains('\n') && reason.contains(|c: char| c.is_ascii_digit());
        if !is_rated && !reason.is_some_and(says_number) {
            wrong.push(format!("{search:?}: {verdict}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        rated * 4 >= searches.len() * 3,
        "{rated} of {} have a verdict",
        searches.len()
    );
}
