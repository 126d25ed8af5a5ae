//! Plain words: the phrases of `data/phrases.json`, written before the grammar was.

use bourse::domain::language::{self, Mode};
use bourse::domain::throughput::WorkUnit;
use bourse::domain::{Catalog, Condition, Dialect, OFFERS, VOLUMES, plain};
use proptest::prelude::*;
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
    /// The clause that is refused: a command line marks it with carets, and the query bar sends only
    /// `conditions`, which are those of the other clauses.
    refused: Option<String>,
    /// The text with the spelling that the refusal proposes.
    #[serde(rename = "try")]
    proposed: Option<String>,
    /// How many rows are asked for.
    limit: Option<u32>,
    /// Machines and GPUs of each, or flags of `bourse plan`, which the cluster planner finds.
    cluster: Option<String>,
    /// Why a phrase that earlier versions read has lost its meaning.
    lost: Option<String>,
    /// The words that have several meanings: nothing of the text is sent.
    unclear: Option<String>,
}

fn read(text: &str, catalog: &'static Catalog) -> plain::Reading {
    plain::read(text, catalog, &Dialect::SANDBOX, &plain::Names::default())
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
        let reading = read(&self.words, catalog);
        let parsed = match reading.parse(catalog, dialect, &[], Mode::Strict) {
            Ok(parsed) => parsed,
            Err(error) => return Some(error.render(&self.words)),
        };
        let wanted = language::parse(&self.conditions, catalog, dialect, &[], Mode::Strict);
        let wanted = printed(&wanted.expect("the expectation parses").conditions);
        let found = printed(&parsed.conditions);
        let freed: Vec<_> = parsed.removed.iter().map(|field| field.key).collect();
        let settings = &reading.meaning.settings;
        let order = settings.order.as_deref().map(language::print_order);
        let offer_type = settings.offer_type.map(|own| own.wire().to_owned());
        let free: Vec<_> = self.free.iter().map(String::as_str).collect();
        let same = found == wanted
            && freed == free
            && order == self.order
            && offer_type == self.offer_type
            && settings.storage == self.storage
            && settings.job == self.wanted_job()
            && settings.limit == self.limit
            && settings
                .cluster
                .map(|own| own.flags().trim_start_matches("--shape ").to_owned())
                == self.cluster;
        (!same).then(|| format!("{found:?} {freed:?} {settings:?}"))
    }

    /// What is wrong with the refusal of a clause, if anything.
    fn misrefused(&self, clause: &str) -> Option<String> {
        let (catalog, dialect) = (self.catalog(), &Dialect::SANDBOX);
        let reading = read(&self.words, catalog);
        let error = match reading.parse(catalog, dialect, &[], Mode::Strict) {
            Ok(parsed) => return Some(format!("read as {:?}", printed(&parsed.conditions))),
            Err(error) => error,
        };
        let (marked, fix) = (&self.words[error.span.clone()], error.suggestion);
        let proposed = fix.map(|fix| fix.apply(&self.words));
        if marked != clause || proposed != self.proposed {
            return Some(format!("'{marked}' is marked, try: {proposed:?}"));
        }
        let sent = match reading.parse(catalog, dialect, &[], Mode::Bar) {
            Ok(parsed) => printed(&parsed.conditions),
            Err(error) => return Some(error.render(&self.words)),
        };
        let wanted = language::parse(&self.conditions, catalog, dialect, &[], Mode::Strict);
        (sent != printed(&wanted.expect("the expectation parses").conditions)).then(|| format!("sends {sent:?}"))
    }

    /// What is wrong with the refusal to choose a meaning, if anything.
    fn is_taken(&self, words: &str) -> Option<String> {
        let reading = read(&self.words, self.catalog());
        [Mode::Bar, Mode::Strict].into_iter().find_map(|mode| {
            match reading.parse(self.catalog(), &Dialect::SANDBOX, &[], mode) {
                Ok(parsed) => Some(format!("read as {:?}", printed(&parsed.conditions))),
                Err(error) if &self.words[error.span.clone()] == words && reading.readings.len() > 1 => None,
                Err(error) => Some(error.render(&self.words)),
            }
        })
    }

    fn wanted_job(&self) -> bourse::domain::cost::JobWords {
        let mut job = bourse::domain::cost::JobWords::default();
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

/// The phrases that the lists of the versions before read. Nine in ten keep their meaning; the file says why
/// the others are refused.
#[test]
fn every_phrase_means_what_a_person_means() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../data/phrases.json")).unwrap();
    assert!(cases.len() >= 900);
    let lost = cases.iter().filter(|case| case.lost.is_some()).count();
    assert!(lost * 10 <= cases.len(), "{lost} lost");
    let some = cases.iter().step_by(crate::cases::cases(6, 1));
    let (lost, kept): (Vec<_>, Vec<_>) = some.partition(|case| case.lost.is_some());
    let read_as_else = |case: &&Case| {
        let (catalog, dialect) = (case.catalog(), &Dialect::SANDBOX);
        let reading = read(&case.words, catalog);
        reading.parse(catalog, dialect, &[], Mode::Strict).is_ok()
    };
    let other: Vec<_> = lost.into_iter().filter(read_as_else).map(|case| &case.words).collect();
    assert!(other.is_empty(), "not refused: {other:?}");
    let mistakes: Vec<String> = kept
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

/// Written by hand before the grammar was. A ceiling or an exclusion beside another clause is the sentence
/// that costs money if it is misread.
#[test]
fn a_ceiling_or_an_exclusion_means_what_it_says_or_is_refused() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../data/ceilings.json")).unwrap();
    assert!(cases.len() >= 200);
    let mistake = |case: &Case| match (&case.refused, &case.unclear) {
        (Some(clause), _) => case.misrefused(clause),
        (None, Some(words)) => case.is_taken(words),
        (None, None) => case.mistake(),
    };
    let mistakes: Vec<String> = cases
        .iter()
        .filter_map(|case| Some(format!("{}: {}", case.words, mistake(case)?)))
        .collect();
    assert!(
        mistakes.is_empty(),
        "{} of {}:\n{}",
        mistakes.len(),
        cases.len(),
        mistakes.join("\n")
    );
}

/// Units in words are those of the market, as in the query language: 1 Gb/s are 125 MB/s.
#[test]
fn speeds_in_words_are_sent_in_the_unit_of_the_market() {
    for (dialect, words, wanted) in [
        (&Dialect::DOCUMENTED, "4090 1gbps", "inet_down>=125"),
        (&Dialect::DOCUMENTED, "4090 100 MBps down", "inet_down>=100"),
        (
            &Dialect::DOCUMENTED,
            "500 mbps up and down",
            "inet_down>=62.5 inet_up>=62.5",
        ),
        (&Dialect::VAST, "4090 1gbps", "inet_down>=1000"),
        (&Dialect::VAST, "4090 1 Gb/s", "inet_down>=1000"),
        (&Dialect::VAST, "4090 100 MBps down", "inet_down>=800"),
        (&Dialect::VAST, "upload 20 MB/s", "inet_up>=160"),
    ] {
        let reading = plain::read(words, &OFFERS, dialect, &plain::Names::default());
        let found = reading.meaning.conditions.replace("gpu_name=RTX_4090 ", "");
        assert_eq!(found, wanted, "{words}");
    }
    // Bits or bytes: `gb/s` is said of both.
    assert!(!read("4090 1gb/s down", &OFFERS).refused.is_empty());
}

/// A proposal is understood whole, and keeps what was understood.
#[test]
fn a_proposal_is_understood_or_there_is_none() {
    let proposed = |words: &str| {
        let reading = read(words, &OFFERS);
        let parsed = reading.parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
        parsed.unwrap_err().suggestion.map(|fix| fix.apply(words))
    };
    assert_eq!(proposed("4090 relibility 99%").as_deref(), Some("4090 reliability 99%"));
    assert_eq!(proposed("4090 in gremany 3d").as_deref(), Some("4090 in germany 3d"));
    for words in [
        "500 down",
        "4090 300 up",
        "4090 16",
        "8 ports 400 open",
        "h100 900",
        "4090 under $1,500",
        "at most $5,070, 4090",
    ] {
        assert_eq!(proposed(words), None, "{words}");
    }
}

/// The words beside an unknown one that may change them are refused with it, but it is the one to correct.
#[test]
fn a_refusal_names_the_unknown_word_and_keeps_the_clauses_around() {
    for (words, conditions, refused, cause) in [
        ("4090 network 2tb", "gpu_name=RTX_4090", "network 2tb", "network"),
        ("4090 beyond $5", "gpu_name=RTX_4090", "beyond $5", "beyond"),
        (
            "closest to germany, 4090",
            "gpu_name=RTX_4090",
            "closest to germany",
            "closest to",
        ),
        (
            "4090 under 5 bananas",
            "gpu_name=RTX_4090",
            "under 5 bananas",
            "bananas",
        ),
    ] {
        let reading = read(words, &OFFERS);
        let spans: Vec<_> = reading.unknown.iter().map(|word| &words[word.clone()]).collect();
        assert_eq!(
            (&*reading.meaning.conditions, &spans[..]),
            (conditions, &[cause][..]),
            "{words}"
        );
        let message = &reading.refused[0].message;
        let wanted = format!("'{refused}' is not understood because of '{cause}': remove it");
        assert!(message.starts_with(&wanted), "{message}");
    }
    // A time without its word: it could be the start as well.
    for (words, time, written) in [
        ("3B tokens sunday", "sunday", "3B tokens by sunday"),
        ("4090 tomorrow noon 3d", "tomorrow noon", "4090 by tomorrow noon 3d"),
        ("h100 3d monday 3pm", "monday 3pm", "h100 3d by monday 3pm"),
    ] {
        let reading = read(words, &OFFERS);
        let error = &reading.refused[0];
        let wanted = format!("'{time}' is a time: write 'by {time}' for a deadline");
        assert_eq!(error.message, wanted);
        assert_eq!(error.suggestion.clone().unwrap().apply(words), written);
        assert!(read(written, &OFFERS).meaning.settings.job.by.is_some(), "{written}");
    }
    assert!(read("2 TB tomorrow noon", &VOLUMES).refused[0].suggestion.is_none());
    // A rate is neither work nor a part of the deadline before it.
    for words in [
        "500m tokens by sunday at 2000 tokens/s",
        "500m tokens by sunday, 2000 tokens/s",
        "500m tokens by sunday on a 4090 that does 2k tokens per second each",
    ] {
        let reading = read(words, &OFFERS);
        let settings = &reading.meaning.settings;
        assert!(
            settings.job.work.is_some() && settings.job.by.is_some(),
            "{words}: {settings:?}"
        );
        assert_eq!(settings.rate, Some((WorkUnit::Tokens, 2000.0)), "{words}");
        assert_eq!(reading.refused, [], "{words}");
    }
    // A rate of another time is none.
    assert_eq!(
        read("4090 at 2000 tokens per hour", &OFFERS).meaning.settings.rate,
        None
    );
    assert_eq!(read("4090 2000 tokens/s", &OFFERS).meaning.settings.job.work, None);
}

/// Codes of countries that are also words: nothing that may be a place is dropped.
#[test]
fn a_word_at_the_end_that_is_a_country_s_code_is_no_filler() {
    let read_as = |words: &str| {
        let reading = read(words, &OFFERS);
        let parsed = reading.parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
        parsed
            .map(|parsed| printed(&parsed.conditions))
            .map_err(|error| error.suggestion.map(|fix| fix.apply(words)))
    };
    for (words, proposed) in [
        ("h100 is", "h100 IS"),
        ("4090 it", "4090 IT"),
        ("4090 in it", "4090 in IT"),
    ] {
        assert_eq!(read_as(words), Err(Some(proposed.to_owned())), "{words}");
    }
    for words in ["4090 no", "4090 in it 8x", "h100 de, is"] {
        assert!(read_as(words).is_err(), "{words}");
    }
    let all = Ok(vec!["gpu_name=RTX_4090".to_owned()]);
    for words in ["is there a 4090", "I need a 4090, find it", "show me a 4090"] {
        assert_eq!(read_as(words), all, "{words}");
    }
}

/// Texts that were read as the opposite, or without a part of them.
#[test]
fn an_exclusion_or_a_currency_that_is_not_understood_is_refused() {
    let read_as = |words: &str| {
        let parsed = read(words, &OFFERS).parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
        parsed.map(|parsed| printed(&parsed.conditions).join(" "))
    };
    for words in [
        "any country but us",
        "any region but europe",
        "4090 any country but china",
        "4090 but germany",
        "4090 -germany",
        "h100 -sxm",
        "-3090 4090",
        "4090 -verified",
        "4090 europe -germany",
        "4090 US$0.3",
        "4090 HK$2",
        "4090 A$1",
        "4090 europe germany",
        "4090 in germany, europe",
        "us north america 4090",
        "4090 0d",
        "4090 0 hours",
    ] {
        let error = read_as(words).expect_err(words);
        let proposed = error.suggestion.map(|fix| fix.apply(words));
        assert_eq!(proposed, None, "{words}");
    }
    for (words, conditions) in [
        ("4090 cheap but in europe", "geolocation in EUROPE gpu_name=RTX_4090"),
        ("anywhere but us", "geolocation!=US"),
        ("europe not germany", "geolocation in EUROPE geolocation!=DE"),
        ("europe, us", "geolocation in [EUROPE,US]"),
        ("europe or germany", "geolocation in [EUROPE,DE]"),
        ("4090 $0.2-$0.5", "dph_total<=0.5 dph_total>=0.2 gpu_name=RTX_4090"),
        ("rtx-4090 - europe", "geolocation in EUROPE gpu_name=RTX_4090"),
        ("4090 under $0.3", "dph_total<0.3 gpu_name=RTX_4090"),
    ] {
        let wanted = language::parse(conditions, &OFFERS, &Dialect::SANDBOX, &[], Mode::Strict).unwrap();
        assert_eq!(
            read_as(words).unwrap(),
            printed(&wanted.conditions).join(" "),
            "{words}"
        );
    }
}

/// Conditions of the query language are no words, whichever name of the field they use.
#[test]
fn lists_of_the_query_language_come_before_words() {
    for (text, wanted) in [
        ("cuda_vers in [12.4,12.8]", "cuda_max_good in [12.4,12.8]"),
        ("dph in [0.5,0.6]", "dph_total in [0.5,0.6]"),
        (
            "price not in [0.5,0.6] 4090",
            "dph_total notin [0.5,0.6] gpu_name=RTX_4090",
        ),
    ] {
        let parsed = read(text, &OFFERS).parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
        let parsed = parsed.map(|parsed| language::print_briefly(&parsed.conditions));
        assert_eq!(parsed.as_deref(), Ok(wanted), "{text}");
    }
}

/// Words that the grammar knows, signs, and anything else, in any order.
fn texts() -> impl Strategy<Value = String> {
    let known = proptest::sample::select(vec![
        "4090",
        "h100",
        "sxm",
        "2x",
        "x4",
        "80",
        "gb",
        "$",
        "0.5",
        "/",
        "h",
        "per gpu",
        "not in",
        "europe",
        "CN",
        "3d",
        "for",
        "<",
        ">=",
        "%",
        "99",
        "-",
        "–",
        "_",
        "verified",
        "cheapest",
        "dph_total<0.5",
        "gpu_name=",
        "\"",
        ",",
        " ",
        " ",
        " ",
        "é",
        "\u{202e}",
        "１",
        "1gbps",
    ]);
    let word = prop_oneof![4 => known.prop_map(str::to_owned), 1 => any::<String>()];
    proptest::collection::vec(word, 0..14).prop_map(|words| words.concat())
}

/// Words that only join others.
const JOINING: &[&str] = &[
    "for", "per", "in", "gpu", "h", "a", "i", "an", "we", "me", "my", "it", "is", "be", "am", "w", "of", "on", "at",
    "to", "by", "as", "ai", "ml",
];

/// The words of a text that are part of no clause, neither of one that is read nor of one that is refused, and
/// that did not stay in the query.
fn dropped(text: &str, reading: &plain::Reading) -> Vec<String> {
    let mut rest = text.to_owned();
    let refused = reading.refused.iter().map(|error| error.span.clone());
    let phrases = reading.phrases.iter().map(|phrase| phrase.span.clone());
    for span in phrases.chain(refused) {
        rest.replace_range(span.clone(), &" ".repeat(span.len()));
    }
    let words = rest.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let query = reading.query.to_lowercase();
    let is_dropped = |word: &String| !word.is_empty() && !query.contains(word.as_str()) && !JOINING.contains(&&**word);
    words.filter(is_dropped).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::cases::cases(32, 256), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_the_grammar(text in texts()) {
        for catalog in [&OFFERS, &VOLUMES] {
            let reading = read(&text, catalog);
            let mut end = 0;
            for phrase in &reading.phrases {
                prop_assert!(phrase.span.start >= end && text.get(phrase.span.clone()).is_some());
                end = phrase.span.end;
            }
            if let Err(error) = reading.parse(catalog, &Dialect::SANDBOX, &[], Mode::Strict) {
                prop_assert!(text.get(error.span.clone()).is_some(), "{:?}", error);
                if let Some(suggestion) = &error.suggestion {
                    prop_assert!(text.get(suggestion.span.clone()).is_some());
                }
            }
            let dropped = dropped(&text, &reading);
            prop_assert!(dropped.is_empty(), "{dropped:?} of {text:?}: {reading:?}");
            // What words mean is written in the query language, not in words.
            let again = read(&reading.meaning.conditions, catalog);
            prop_assert!(again.is_empty(), "{}", reading.meaning.conditions);
        }
    }
}

#[test]
fn an_error_is_where_it_was_typed() {
    for (text, wrong) in [
        ("4090 in germany wonderful", "wonderful"),
        ("4090, 3d, num_gpu>=2", "num_gpu"),
        ("europe 200gb dph_total<abc spot", "abc"),
        ("5090 gpu_name=RTX_4090", "5090"),
        ("gpu_name=RTX_4090 5090", "5090"),
    ] {
        let reading = read(text, &OFFERS);
        let parsed = reading.parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
        assert_eq!(&text[parsed.unwrap_err().span], wrong, "{text}");
    }
}

#[test]
fn what_a_machine_is_for_says_nothing() {
    let text = |words| read(words, &OFFERS).meaning.text();
    assert_eq!(text("inference 4090 for a 70b llama"), "gpu_name=RTX_4090");
    assert_eq!(text("4090 for inference, 24/7"), "gpu_name=RTX_4090");
    // The traffic of a day is not that of the job: it is refused.
    assert_eq!(text("4090 20gb traffic per day"), "gpu_name=RTX_4090");
    assert_eq!(
        text("how much does a 4090 cost per month"),
        "gpu_name=RTX_4090 · job 30d"
    );
    assert_eq!(text("4090 for $300 per month"), "gpu_name=RTX_4090 dph_total<=0.416667");
    // A promise that no market makes is refused.
    assert_eq!(text("gdpr compliant 4090"), "gpu_name=RTX_4090");
    assert!(!read("gdpr compliant 4090", &OFFERS).refused.is_empty());
    // Alone it is a word like any other.
    assert_eq!(text("inference"), "");
}

#[test]
fn sizes_as_sold_are_told() {
    let text = |words| read(words, &OFFERS).meaning.text();
    assert_eq!(
        text("t4 16gb"),
        "gpu_name=Tesla_T4 gpu_ram>=15 · at least 16 GB as sold"
    );
    assert_eq!(text("320gb total vram"), "gpu_total_ram>=298 · at least 320 GB as sold");
}

#[test]
fn a_word_behind_a_model_is_no_part_of_its_name() {
    for (text, hint) in [
        ("gpu_name=L4 wonderful", "'wonderful' is not part of a condition"),
        ("gpu_name=RTX 9090", "a space ends the value"),
    ] {
        let reading = read(text, &OFFERS);
        let error = reading.parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with(hint), "{error}");
    }
}

#[test]
fn a_model_is_no_price_and_a_count_neither() {
    for (words, wanted) in [
        // Refused: the model is not sent without the word in front of it.
        ("under 3090", ""),
        ("3090 monthly price", "gpu_name=RTX_3090"),
        ("under 2", "dph_total<2"),
        ("max 2 gpus", "num_gpus<=2"),
        ("under $3090 monthly", "dph_total<4.291667"),
    ] {
        let reading = read(words, &OFFERS);
        let conditions = reading.meaning.conditions;
        assert_eq!(conditions, wanted, "{words}");
    }
}

#[test]
fn a_model_where_a_price_is_expected_is_refused() {
    for (words, marked) in [
        ("under 3090", "under 3090"),
        ("europe, at most 4090 spot", "at most 4090"),
    ] {
        let reading = read(words, &OFFERS);
        let parsed = reading.parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
        assert_eq!(&words[parsed.unwrap_err().span], marked);
    }
    // With a sign it is a price, too high for an hour.
    let reading = read("under $3090 a month", &OFFERS);
    assert!(reading.parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict).is_ok());
}

#[test]
fn a_word_close_to_a_known_one_stays_a_mistake() {
    for (words, mistake) in [
        ("4090 relability", "relability"),
        ("4090 verfied", "verfied"),
        ("4090 in gremany", "gremany"),
    ] {
        let reading = read(words, &OFFERS);
        let parsed = reading.parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
        assert_eq!(&words[parsed.unwrap_err().span], mistake);
    }
}

#[test]
fn a_word_is_quoted_where_it_would_mean_something() {
    let quoted = |word| plain::quoted(word, &OFFERS, &Dialect::SANDBOX);
    assert_eq!(quoted("epyc"), "epyc");
    assert_eq!(quoted("texas"), "texas");
    assert_eq!(quoted("germany"), "\"germany\"");
    assert_eq!(quoted("4090"), "\"4090\"");
    assert_eq!(quoted("vram"), "\"vram\"");
    assert_eq!(quoted("a \"b\""), "\"a \"\"b\"\"\"");
}

/// Names that a market uses come from its rows; spellings without brand and blanks come with them.
#[test]
fn models_of_the_rows_are_known() {
    let names: plain::Names = ["RTX 6090", "MI450X"].into_iter().collect();
    let text = |words| plain::read(words, &OFFERS, &Dialect::SANDBOX, &names).meaning.text();
    assert_eq!(text("2x 6090 or mi450x"), "num_gpus=2 gpu_name in [RTX_6090,MI450X]");
    assert_eq!(read("6090", &OFFERS).meaning.text(), "");
}

#[test]
fn or_adds_a_value_to_a_typed_condition() {
    let parsed = |words| {
        let reading = read(words, &OFFERS);
        let parsed = reading.parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
        parsed
            .map(|parsed| printed(&parsed.conditions))
            .map_err(|error| error.message)
    };
    assert_eq!(
        parsed("gpu_name=H200 or b200"),
        Ok(vec!["gpu_name in [H200,B200]".to_owned()])
    );
    assert!(parsed("dph_total<1 or 24gb vram").is_err());
    assert!(parsed("gpu_name=H200 b200").is_err());
}

/// By the market's own spelling, and by that in lower case without blanks.
#[test]
fn every_model_of_the_list_is_known_by_its_name() {
    let list = include_str!("../../../crates/domain/assets/gpu-models.txt");
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let models = lines.flat_map(|line| line.split(';'));
    let names = models.filter_map(|model| model.split(':').next().map(str::trim));
    let names: Vec<_> = names.collect();
    assert!(names.len() >= 147, "{}", names.len());
    let mistake = |name: &&str| {
        let wanted = name.replace(' ', "_");
        let spellings = [(*name).to_owned(), name.to_lowercase(), name.replace(' ', "")];
        let is_known = |spelling: &String| {
            let conditions = read(spelling, &OFFERS).meaning.conditions;
            conditions.split(['=', '[', ',', ']']).any(|model| model == wanted)
        };
        !spellings.iter().all(is_known)
    };
    let mistakes: Vec<_> = names.into_iter().filter(mistake).collect();
    // They mean the models that are on offer.
    assert_eq!(mistakes, ["RTX PRO 6000", "A100 SXM"]);
}

/// Clauses on different fields, and what each says alone.
const CLAUSES: &[(&str, &str)] = &[
    ("4090 or 5090", "gpu_name in [RTX_4090,RTX_5090]"),
    ("under $0.5", "dph_total<0.5"),
    ("max $2 per gpu", "dph_per_gpu<=2"),
    ("more than 99% reliability", "reliability>0.99"),
    ("up to 8 gpus", "num_gpus<=8"),
    ("not in us canada or mexico", "geolocation notin [US,CA,MX]"),
    ("at least 64gb ram", "cpu_ram>=64"),
    ("no more than 300 watts", "gpu_max_power<=300"),
    ("at least 500 mbps up", "inet_up>=500"),
    ("verified", "verified=true"),
    ("cuda 12.4 or newer", "cuda_max_good>=12.4"),
    ("fewer than 64 cores", "cpu_cores_effective<64"),
    ("dlperf over 100", "dlperf>100"),
    ("24gb vram or more", "gpu_ram>=23"),
];

/// A text means what its clauses mean, whatever joins them, or it is refused.
#[test]
fn two_clauses_mean_what_each_of_them_means() {
    let of = |conditions: &str| {
        let parsed = language::parse(conditions, &OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
        printed(&parsed.expect("the expectation parses").conditions)
    };
    let (mut read_as_else, mut refused, mut all) = (Vec::new(), 0, 0);
    for (first, one) in CLAUSES.iter().step_by(crate::cases::cases(8, 1)) {
        for (second, other) in CLAUSES.iter().filter(|(_, other)| other != one) {
            for joint in [", ", " and ", " but ", " with ", " "] {
                let text = format!("{first}{joint}{second}");
                let reading = read(&text, &OFFERS);
                let parsed = reading.parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
                let found = parsed.map(|parsed| printed(&parsed.conditions));
                all += 1;
                refused += usize::from(found.is_err());
                if found.is_ok_and(|found| found != of(&format!("{one} {other}"))) {
                    read_as_else.push(text);
                }
            }
        }
    }
    assert!(read_as_else.is_empty(), "{}", read_as_else.join("\n"));
    assert!(refused * 50 <= all, "{refused} of {all} are refused");
}

/// The parts of a cluster may stand anywhere in a sentence.
#[test]
fn a_cluster_is_understood_in_any_order() {
    let cluster = |words: &str| {
        let reading = read(words, &OFFERS);
        let text = reading.meaning.settings.cluster.map(|cluster| cluster.to_string());
        let parsed = reading.parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
        (
            text.unwrap_or_default(),
            parsed.map(|parsed| printed(&parsed.conditions).join(" ")),
        )
    };
    let spread = "24 GPUs on at least 3 machines in one country";
    for words in [
        "24 gpus on at least three machines in one country",
        "24 gpus across three or more hosts, same country",
        "same country, 3+ servers, 24 cards",
        "min 3 machines, single country, 24 gpus in total",
        "need 24 cards in the same country, not less than three nodes",
        "in one country 24 GPUs on more than two boxes",
    ] {
        assert_eq!(cluster(words), (spread.to_owned(), Ok(String::new())), "{words}");
    }
    for (words, wanted, conditions) in [
        (
            "3x8 gpus same country",
            "3 machines of 8 GPUs in one country",
            "num_gpus=8",
        ),
        (
            "8x h200 each, 3 nodes",
            "3 machines of 8 GPUs",
            "gpu_name=H200 num_gpus=8",
        ),
        (
            "six machines with one 4090 each",
            "6 machines of 1 GPU",
            "gpu_name=RTX_4090 num_gpus=1",
        ),
        (
            "24x 4090, 3 to 6 hosts",
            "24 GPUs on 3 to 6 machines",
            "gpu_name=RTX_4090",
        ),
        (
            "16x b200, two nodes",
            "2 machines of 8 GPUs",
            "gpu_name=B200 num_gpus=8",
        ),
        ("25 gpus over 3 nodes", "25 GPUs on 3 machines", ""),
    ] {
        assert_eq!(
            cluster(words),
            (wanted.to_owned(), Ok(conditions.to_owned())),
            "{words}"
        );
    }
    // In all or on each? And how many?
    for words in [
        "8x h100, 2 nodes",
        "same country 4090",
        "4090 on three machines",
        "16 h100 on no more than 2 hosts",
    ] {
        assert!(cluster(words).1.is_err(), "{words}");
    }
}

#[test]
fn ids_have_the_noun_of_their_field() {
    let conditions = |words: &str| {
        let parsed = read(words, &OFFERS).parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
        parsed.map(|parsed| printed(&parsed.conditions).join(" "))
    };
    for (words, wanted) in [
        ("offer 123456", "id=123456"),
        ("rent id 77, 24h", "id=77"),
        ("host 61204, all machines", "host_id=61204"),
        ("machine 48113", "machine_id=48113"),
        ("4090 not from host 4821", "gpu_name=RTX_4090 host_id!=4821"),
        (
            "exclude hosts 77310, 4821 and 90012",
            "host_id notin [77310,4821,90012]",
        ),
        // Not ids: a model, a size, a number of rows.
        ("machine: 3090", "gpu_name=RTX_3090"),
        ("box 64gb ram", "cpu_ram>=64"),
        ("top 20 offers", ""),
    ] {
        assert_eq!(conditions(words), Ok(wanted.to_owned()), "{words}");
    }
    assert!(conditions("host 12").is_err(), "a count?");
}

/// All volumes are network volumes, with and without the word.
#[test]
fn network_says_nothing_about_volumes() {
    for words in [
        "2 TB 3 months",
        "network 2tb 3 months",
        "2tb network volume for 3 months",
    ] {
        let reading = read(words, &VOLUMES);
        assert_eq!(
            reading.volume_size_and_days(&Dialect::SANDBOX),
            (Some(2000.0), Some(90.0)),
            "{words}"
        );
        assert!(reading.refused.is_empty(), "{words}");
    }
}

/// The views of the dashboard answer them; a command line names its commands.
#[test]
fn a_question_is_refused_where_no_view_can_answer() {
    for (words, advice) in [
        ("alert me when a 4090 is under $0.25", "dashboard makes alerts"),
        ("8x h100 price history", "bourse history"),
        ("how many gpus for 3b tokens by sunday", "bourse plan"),
        ("serverless endpoint, 4090", "bourse groups create"),
        ("why is 123456 missing", "filters that hide an offer"),
    ] {
        let error = read(words, &OFFERS)
            .parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict)
            .unwrap_err()
            .to_string();
        assert!(error.contains(advice), "{words}: {error}");
    }
}

#[test]
fn other_money_than_dollars_is_refused() {
    for words in [
        "4090 under 2 euros an hour",
        "4090, my budget is 15 euros a day",
        "0.3 gbp per hour 4090",
    ] {
        let error = read(words, &OFFERS).parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
        let error = error.unwrap_err().to_string();
        assert!(error.contains("US dollars"), "{words}: {error}");
    }
}

/// Texts that were read without a part of them, or as something else.
#[test]
fn a_part_of_a_number_or_a_list_is_never_left_out() {
    let conditions = |words: &str| {
        let parsed = read(words, &OFFERS).parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
        parsed.map(|parsed| printed(&parsed.conditions).join(" ")).ok()
    };
    for (words, wanted) in [
        ("driver 535-560", Some("driver_version<=560 driver_version>=535")),
        ("x86 only, 2x l40", Some("cpu_arch=amd64 gpu_name=L40 num_gpus=2")),
        ("4090 max $5k total, 3d", Some("gpu_name=RTX_4090 job_cost<=5000")),
        ("machine with port 22 open", None),
        ("bananas <=6, rtx 3090", None),
        ("h100 in the same datacenter", None),
    ] {
        assert_eq!(conditions(words).as_deref(), wanted, "{words}");
    }
    let asia = read("asia excl. CN", &OFFERS).meaning.conditions;
    assert_eq!(asia, "geolocation in ASIA geolocation!=CN");
}
