//! What typing into the query bar does: words narrow at once, candidates are looked up, the text is
//! read.

use super::actions;
use super::browser::Browser;
use crate::domain::language;

/// The text of the bar changed: words narrow at once, candidates are looked up.
pub(super) fn bar_changed(browser: &mut Browser) {
    browser.bar.error = None;
    let text = browser.bar.input.text().to_owned();
    match parse_bar(browser, &text) {
        Ok(parsed) => browser.narrow_while_typing(settled(parsed.words, &text, browser)),
        // Half a condition: what ran narrows until it is whole.
        Err(_) => browser.restore_words(),
    }
    let listing = browser.listing();
    let completion = language::complete(
        &text,
        browser.bar.input.cursor_byte(),
        browser.query.catalog(),
        browser.dialect(),
        &|field| actions::seen_values(listing, field),
    );
    browser.bar.offer(completion);
}

/// The words without the one that is being typed, if that may still become a field's name.
fn settled(mut words: Vec<String>, text: &str, browser: &Browser) -> Vec<String> {
    let may_become_a_field = |word: &str| {
        let word = word.to_ascii_lowercase();
        let catalog = browser.query.catalog();
        catalog
            .fields()
            .iter()
            .chain(catalog.computed())
            .any(|field| {
                std::iter::once(&field.key)
                    .chain(field.aliases)
                    .any(|name| name.starts_with(&word))
            })
    };
    if words
        .last()
        .is_some_and(|word| text.ends_with(word.as_str()) && may_become_a_field(word))
    {
        words.pop();
    }
    words
}

/// Reads the bar's text for its browser. The defaults at its beginning can be overruled by what is
/// typed behind them: `verified=true … verified=false` means unverified, not a contradiction.
pub(super) fn parse_bar(
    browser: &Browser,
    text: &str,
) -> Result<language::Parsed, language::LanguageError> {
    let (catalog, dialect) = (browser.query.catalog(), browser.dialect());
    let defaults = language::default_conditions(catalog, dialect);
    let mut seed = Vec::new();
    let mut behind = 0;
    while let Some(condition) = defaults.iter().find(|condition| {
        let printed = language::print_condition_briefly(condition);
        let rest = text[behind..].trim_start();
        rest.strip_prefix(&printed)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    }) {
        let blanks = text[behind..].len() - text[behind..].trim_start().len();
        behind += blanks + language::print_condition_briefly(condition).len();
        seed.push(condition.clone());
    }
    // Blanks in place of the defaults keep every later place in the text where it is.
    let rest = format!("{}{}", " ".repeat(behind), &text[behind..]);
    language::parse(&rest, catalog, dialect, &seed, language::Mode::Bar)
}
