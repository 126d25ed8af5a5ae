//! Plain words: the phrases of `data/phrases.json`, written before the grammar was.

use bourse::domain::language::{self, Mode};
use bourse::domain::{Catalog, Condition, Dialect, OFFERS, VOLUMES, plain};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    words: String,
    /// In the query language.
    conditions: String,
    /// `3d,200GB,300GB-down,5GB-up`: what the words say of the job.
    job: Option<String>,
    order: Option<String>,
    #[serde(rename = "type")]
    offer_type: Option<String>,
    storage: Option<f64>,
    /// The field that the words free of its default condition.
    free: Option<String>,
    /// Offers, unless it is `volumes`.
    resource: Option<String>,
    /// Phrases of the second set were written from a list of needs.
    #[expect(dead_code, reason = "for people who read the file")]
    set: Option<String>,
    #[expect(dead_code, reason = "for people who read the file")]
    need: Option<String>,
}

impl Case {
    fn catalog(&self) -> &'static Catalog {
        match self.resource.as_deref() {
            Some("volumes") => &VOLUMES,
            Some(other) => panic!("{other}"),
            None => &OFFERS,
        }
    }

    /// What is wrong with the reading of the words, if anything.
    fn mistake(&self) -> Option<String> {
        let (catalog, dialect) = (self.catalog(), &Dialect::SANDBOX);
        let reading = plain::read(&self.words, catalog, dialect);
        let parsed = match reading.parse(catalog, dialect, &[], Mode::Strict) {
            Ok(parsed) => parsed,
            Err(error) => return Some(error.render(&self.words)),
        };
        let wanted = language::parse(&self.conditions, catalog, dialect, &[], Mode::Strict);
        let wanted = printed(&wanted.expect("the expectation parses").conditions);
        let found = printed(&parsed.conditions);
        let freed: Vec<_> = parsed.removed.iter().map(|field| field.key).collect();
        let settings = &reading.settings;
        let order = settings.order.as_deref().map(language::print_order);
        let offer_type = settings.offer_type.map(|own| own.wire().to_owned());
        let free: Vec<_> = self.free.iter().map(String::as_str).collect();
        let same = found == wanted
            && freed == free
            && order == self.order
            && offer_type == self.offer_type
            && settings.storage == self.storage
            && settings.job == self.wanted_job();
        (!same).then(|| format!("{found:?} {freed:?} {settings:?}"))
    }

    fn wanted_job(&self) -> plain::JobWords {
        let mut job = plain::JobWords::default();
        for part in self.job.iter().flat_map(|job| job.split(',')) {
            let number = |end: &str| part.strip_suffix(end).and_then(|it| it.parse::<f64>().ok());
            if let Some(days) = number("d") {
                job.hours = Some(days * 24.0);
            } else if let Some(hours) = number("h") {
                job.hours = Some(hours);
            } else if let Some(gb) = number("GB-down") {
                job.gb_in = Some(gb);
            } else if let Some(gb) = number("GB-up") {
                job.gb_out = Some(gb);
            } else {
                job.disk_gb = Some(number("GB").unwrap_or_else(|| panic!("{part}")));
            }
        }
        job
    }
}

/// Conditions as text, in an order that does not depend on where the words were.
fn printed(conditions: &[Condition]) -> Vec<String> {
    let mut printed: Vec<_> = conditions.iter().map(language::print_condition).collect();
    printed.sort();
    printed
}

#[test]
fn every_phrase_means_what_a_person_means() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../data/phrases.json")).unwrap();
    assert!(cases.len() >= 150);
    let mistakes: Vec<String> = cases
        .iter()
        .filter_map(|case| Some(format!("{}: {}", case.words, case.mistake()?)))
        .collect();
    assert!(
        mistakes.is_empty(),
        "{} of {}:\n{}",
        mistakes.len(),
        cases.len(),
        mistakes.join("\n")
    );
}
