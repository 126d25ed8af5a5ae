//! Enter in the query bar: runs the query, and what its words ask for besides.

use super::{BrowserPane, Focus, advice};
use crate::core::view::{Cx, Open};
use crate::domain::local::LocalTime;
use crate::domain::plain::Question;
use crate::domain::{Resource, language, plain};
use crate::features::search::answer;
use crate::keys::Action;
use crate::keys::pane::Pane;
use crate::table::browser::Browser;
use crate::table::typed_words::RATE_WITHOUT_MODEL;

/// Runs the typed query, and what its words ask for besides: the volumes, a rate, the reason an offer is missing, a
/// cluster. A mistake is only shown.
pub(super) fn submit(view: &mut BrowserPane, local: &LocalTime, cx: &mut Cx<'_>) {
    let browser = cx.table(view.resource);
    if let Some(words) = browser.volume_words() {
        browser.cancel_typed();
        view.focus = Focus::Table;
        search_volumes(&words, local, cx);
        return;
    }
    let aside = browser.bar.understood.aside.clone();
    let Some(ran) = browser.run_typed(local) else {
        return;
    };
    let advice = words_advice(browser).filter(|_| !ran.must_ask);
    view.focus = Focus::Table;
    if ran.must_ask {
        cx.ask_pane();
    }
    let command = aside.and_then(|aside| advice::command_meant(&aside, cx.state()));
    let texts: Vec<_> = command.into_iter().chain(ran.summary.or(advice)).collect();
    if !texts.is_empty() {
        cx.toast(texts.join(" · "));
    }
    if let Some((unit, models, rate)) = ran.rate {
        if models.is_empty() {
            cx.complain(RATE_WITHOUT_MODEL);
        }
        for model in models {
            cx.save_rate(unit, model, rate);
        }
    }
    match ran.question {
        Some(Question::Missing) => cx.perform(Action::Funnel),
        Some(Question::Alert) => cx.open_on(Open::AlertBelow(ran.limit)),
        Some(Question::History) => answer::open(Action::History, ran.must_ask, cx),
        Some(Question::Plan) => answer::open(Action::Cluster, ran.must_ask, cx),
        Some(Question::Workergroup) => cx.open_on(Open::GroupOfSearch { workers: ran.workers }),
        None => {}
    }
    if let Some(wanted) = ran.cluster {
        cx.open_on(Open::ClusterOfShape(wanted));
    }
}

/// Searches without the filter words, which no row has: for the `respelled` ones, or else for those that are understood
/// without the unknown ones among them.
pub(super) fn without_words(resource: Resource, respelled: Option<String>, cx: &mut Cx<'_>) {
    let local = cx.state().local_time(cx.now);
    let browser = cx.table(resource);
    let notice = match respelled {
        Some(_) => "",
        None => " without the rest",
    };
    let understood = respelled.or_else(|| without_unknown(browser));
    super::drop_words(browser);
    // In place of the notice that names the words.
    let Some(words) = understood else {
        return cx.toast("Searched without these words");
    };
    browser.edit_query();
    let text = format!("{} {words}", browser.query_text());
    browser.bar.input.set(text);
    match browser.run_typed(&local) {
        Some(ran) if ran.must_ask => cx.ask_pane(),
        Some(_) => {}
        None => browser.cancel_typed(),
    }
    cx.toast(format!("Searched for “{words}”{notice}"));
}

/// The filter words without those that are unknown, if all that is left is understood then: `for 5 hours` of `yesteryear
/// for 5 hours`; else `None`.
fn without_unknown(browser: &Browser) -> Option<String> {
    let read = |words: &str| {
        plain::read(
            words,
            browser.query.catalog(),
            browser.dialect(),
            &plain::Names::default(),
        )
    };
    let words = browser.words.join(" ");
    let mut known = words.clone();
    for word in read(&words).unknown.into_iter().rev() {
        known.replace_range(word, "");
    }
    let known = known.split_whitespace().collect::<Vec<_>>().join(" ");
    (!known.is_empty() && known != words && read(&known).refused.is_empty()).then_some(known)
}

/// Searches the volumes for plain words and the default conditions, and goes to their tab; words that are not understood
/// are only recalled there.
fn search_volumes(words: &str, local: &LocalTime, cx: &mut Cx<'_>) {
    let volumes = cx.table(Resource::Volumes);
    let defaults = language::default_conditions(volumes.query.catalog(), volumes.dialect());
    volumes.edit_query();
    let text = format!("{} {words}", language::print_briefly(&defaults));
    volumes.bar.input.set(text);
    if volumes.run_typed(local).is_some() {
        cx.ask(Resource::Volumes);
        cx.toast("Network volumes are searched here");
    } else {
        volumes.cancel_typed();
        cx.complain("Not understood: / and ↑ recall the words");
    }
    cx.go_to(Pane::Volumes);
}

/// Advice after filtering a truncated response by words, as the market has more rows; `None` without a
/// response or words, and with a complete response.
fn words_advice(browser: &Browser) -> Option<String> {
    let loaded = browser.listing()?.len();
    (!browser.words.is_empty() && browser.may_have_more())
        .then(|| format!("Words filter the {loaded} loaded rows; gpu_name=RTX_4090 would search the market"))
}
