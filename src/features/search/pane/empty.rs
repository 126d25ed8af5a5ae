//! The message in place of a table without rows, with reasons and the keys that help.

use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Flex, Layout, Rect};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Paragraph;

use super::arriving;
use crate::api::ApiError;
use crate::core::markets::explain;
use crate::core::view::Scene;
use crate::core::views::request_preview::{RequestPreview, condition_lines};
use crate::core::views::sheet;
use crate::core::{Pane, State};
use crate::domain::format::{counted, gigabytes, grouped, trimmed};
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::time::Now;
use crate::domain::{Condition, Listing, Resource, language};
use crate::keys::Action;
use crate::table::browser::Browser;
use crate::table::remote::Phase;
use crate::table::suggestions::Remedy;
use crate::tui::dialog::{self, READABLE};
use crate::tui::panel::{Panel, Size, Tone};
use crate::tui::text::{capitalized, wrap, wrap_line};
use crate::tui::theme::Theme;

/// A sentence, its reasons, and the keys that help.
struct Note {
    title: String,
    reasons: Vec<String>,
    keys: Vec<(Action, &'static str)>,
    is_error: bool,
}

/// Draws the message in place of a table without rows, with the keys that help: in the middle of the area, or where
/// no preview beside it shows the search that found nothing, above that search.
pub(super) fn draw(browser: &Browser, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let note = note(scene.state, browser, scene.now);
    let width = area.width.saturating_sub(4).min(READABLE);
    let mut text = Text::default();
    let style = if note.is_error { theme.text } else { theme.dim };
    if !note.is_error {
        for part in wrap(&note.title, width) {
            text.push_line(Line::styled(part, theme.heading));
        }
    }
    for part in note
        .reasons
        .iter()
        .flat_map(|reason| wrap(reason, width.saturating_sub(4)))
    {
        text.push_line(Line::styled(part, style));
    }
    text.push_line(Line::default());
    let mut keys = Line::default();
    for (action, word) in note.keys {
        let gap = if keys.spans.is_empty() { "" } else { "   " };
        keys.push_span(Span::raw(gap));
        keys.push_span(Span::styled(scene.key(action), theme.key));
        keys.push_span(Span::styled(format!(" {word}"), theme.text));
    }
    text.push_line(keys);
    let height = u16::try_from(text.height()).unwrap_or(u16::MAX);
    let area = above_search(browser, height + 4, area, scene);
    if note.is_error {
        let panel = Panel::new(format!("✗ {}", note.title)).tone(Tone::Danger).on_blank();
        let middle = dialog::centred(width, height + 2, area);
        let inner = panel.render(middle, scene.frame.buffer_mut(), theme);
        return scene.render(Paragraph::new(text), inner);
    }
    let [middle] = Layout::vertical([Length(height)]).flex(Flex::Center).areas(area);
    scene.render(Paragraph::new(text).centered(), middle);
}

/// Draws the search that found no rows or failed below a message of `height` rows, unless there is no room: its
/// conditions with their meanings and the request, side by side or below each other, in a narrow area the conditions
/// alone while another search is typed; beside a preview, which has the conditions, its request. Returns the area left
/// for the message.
fn above_search(browser: &Browser, height: u16, area: Rect, scene: &mut Scene<'_, '_>) -> Rect {
    /// The least height of the search, with its title.
    const LEAST: u16 = 5;
    /// The least width of conditions with their meanings beside the request.
    const SIDE_BY_SIDE: u16 = 100;
    if !is_settled(browser) || area.height < height + LEAST {
        return area;
    }
    let [mut conditions, request] = search_parts(browser, scene.theme);
    let has_preview = scene.size == Size::Wide && !scene.state.screen.split.is_folded();
    let columns = if has_preview {
        vec![request]
    } else if area.width >= SIDE_BY_SIDE {
        vec![conditions, request]
    } else {
        if typed_conditions(browser).is_none() {
            conditions.push(Line::default());
            conditions.extend(request);
        }
        vec![conditions]
    };
    let panel = Panel::new(if has_preview { "Its request" } else { title(browser) });
    let widths = [Fill(3), Fill(2)].into_iter().take(columns.len());
    let layout = Layout::horizontal(widths).spacing(2);
    let places = |area: Rect| layout.split(area);
    let wide = places(panel.inner(area));
    let wrapped = |lines: &[Line<'_>], width| lines.iter().map(|line| wrap_line(line, width, 2).len()).sum::<usize>();
    let rows = columns
        .iter()
        .zip(wide.iter())
        .map(|(lines, column)| wrapped(lines, column.width));
    let rows = u16::try_from(rows.max().unwrap_or(0)).unwrap_or(u16::MAX);
    let below = rows.saturating_add(2).min(area.height - height);
    let [message, below] = Layout::vertical([Length(height), Length(below)])
        .flex(Flex::Center)
        .areas(area);
    let inner = scene.panel(panel, below);
    for (lines, column) in columns.into_iter().zip(places(inner).iter()) {
        sheet::text(lines, *column, scene);
    }
    message
}

/// The conditions of another search that is being typed; `None` otherwise, and while its text has a mistake.
fn typed_conditions(browser: &Browser) -> Option<&[Condition]> {
    let is_typed = browser.bar.editing && browser.bar.is_other_query;
    let conditions = browser.bar.understood.conditions.as_deref();
    conditions.filter(|_| is_typed)
}

/// Whether a table is without rows for a reason that stays until another request: the last one failed or no row is
/// found.
pub(super) fn is_settled(browser: &Browser) -> bool {
    let has_failed = match browser.remote().phase() {
        // Another search of this market would not find any either.
        Phase::Failed(ApiError::NotOffered) => return false,
        phase => matches!(phase, Phase::Failed(_)),
    };
    let is_empty = browser.listing().is_none_or(|_| browser.view().is_empty());
    is_empty && (has_failed || browser.listing().is_some())
}

/// Draws the conditions of the search that found no rows or failed, or of another one while that is typed, with their
/// meanings, in place of the preview.
pub(super) fn search(browser: &Browser, area: Rect, scene: &mut Scene<'_, '_>) {
    let inner = scene.panel(Panel::new(title(browser)), area);
    let [conditions, _] = search_parts(browser, scene.theme);
    sheet::text(conditions, inner, scene);
}

/// The title of the search that found no rows or failed, or of another one while that is typed.
fn title(browser: &Browser) -> &'static str {
    if typed_conditions(browser).is_some() {
        "Search on Enter"
    } else {
        "Your search"
    }
}

/// The conditions of the search, or of another one while that is typed, with their meanings; and its request.
fn search_parts(browser: &Browser, theme: &Theme) -> [Vec<Line<'static>>; 2] {
    let mut query = browser.query.clone();
    if let Some(typed) = typed_conditions(browser) {
        query.conditions = typed.to_vec();
    }
    let mut conditions = condition_lines(query.active(), theme);
    if conditions.is_empty() {
        conditions.push(Line::styled("No filters", theme.dim));
    }
    let preview = RequestPreview::new(query, browser.dialect());
    let json = preview.json.into_iter().map(|line| Line::styled(line, theme.dim));
    let request = std::iter::once(Line::styled(preview.request, theme.heading)).chain(json);
    [conditions, request.collect()]
}

/// The message for a table without rows, by the phase of its request and the reason that no row is shown.
fn note(state: &State, browser: &Browser, now: Now) -> Note {
    match (browser.remote().phase(), browser.listing()) {
        (
            Phase::Loading {
                since,
                attempt,
                waiting,
                arrived,
                ..
            },
            None,
        ) => {
            let waiting = waiting
                .iter()
                .flat_map(|waiting| [capitalized(&waiting.countdown(*attempt, now)), waiting.why.clone()]);
            let arrived = arrived.as_ref().map(arriving::amount);
            let reasons = waiting.chain(arrived).collect();
            loading(browser, now.mono - *since, reasons)
        }
        (Phase::Failed(error), None) => failed(state, browser, error),
        (_, None) => Note {
            title: format!("No {} loaded", browser.resource().nouns()),
            reasons: Vec::new(),
            keys: vec![(Action::Refresh, "load"), (Action::Query, "edit query")],
            is_error: false,
        },
        (_, Some(listing)) if listing.is_empty() && listing.hidden() > 0 => all_banned(browser, listing.hidden()),
        (_, Some(listing)) if listing.is_empty() && listing.skipped().is_empty() => no_match(browser),
        (_, Some(listing)) if listing.is_empty() => Note {
            title: match listing.skipped().len() {
                1 => "The only record could not be read".to_owned(),
                many => format!("None of the {many} records could be read"),
            },
            reasons: listing
                .skipped()
                .first()
                .map(|skipped| format!("The first: {}", skipped.reason))
                .into_iter()
                .collect(),
            keys: vec![
                (Action::Refresh, "retry"),
                (Action::Pane(Pane::Requests), "open requests"),
            ],
            is_error: false,
        },
        // While the query is typed, its keys are letters.
        (_, Some(listing)) if browser.bar.editing && browser.bar.is_other_query => Note {
            title: format!("{} match", none_loaded(browser, listing)),
            reasons: Vec::new(),
            keys: vec![(Action::Submit, "search the market")],
            is_error: false,
        },
        (_, Some(listing)) if !browser.words.is_empty() => {
            let remedy = browser.remedy();
            let respelled = if let Some(Remedy::Respelling(words)) = &remedy {
                Some(format!("Did you mean {words}?"))
            } else {
                None
            };
            Note {
                title: format!("{} match “{}”", none_loaded(browser, listing), browser.words.join(" ")),
                reasons: respelled.or_else(|| example(browser)).into_iter().collect(),
                keys: if browser.bar.editing {
                    Vec::new()
                } else {
                    let funnel = browser.typed_id().map(|_| (Action::Funnel, "why it is missing"));
                    let remedy = remedy.as_ref().map(|remedy| (Action::Open, super::effect(remedy)));
                    let keys = funnel.into_iter().chain(remedy);
                    keys.chain([(Action::Query, "edit query")]).collect()
                },
                is_error: false,
            }
        }
        (_, Some(listing)) => Note {
            title: format!("{} meet the local conditions", none_loaded(browser, listing)),
            reasons: did_you_mean(browser).chain(several_gpus(browser)).collect(),
            keys: remedies(browser),
            is_error: false,
        },
    }
}

/// The subject of a sentence on loaded rows of which none is meant, for a verb in the plural: `None of the 45 loaded
/// offers`, of a single one `No loaded offers`.
fn none_loaded(browser: &Browser, listing: &Listing) -> String {
    let nouns = browser.resource().nouns();
    match listing.len() {
        1 => format!("No loaded {nouns}"),
        many => format!("None of the {many} loaded {nouns}"),
    }
}

/// The message while a table's first rows are loading, with the seconds since the request was sent and the
/// `reasons` for a wait.
fn loading(browser: &Browser, seconds: f64, reasons: Vec<String>) -> Note {
    Note {
        title: format!("Loading {}… {:.0} s", browser.resource().nouns(), seconds.max(0.0)),
        reasons,
        keys: vec![(Action::Back, "stop"), (Action::Query, "edit query")],
        is_error: false,
    }
}

/// The keys that help if no row of a table meets the conditions, each with its effect.
fn remedies(browser: &Browser) -> Vec<(Action, &'static str)> {
    let funnel = browser
        .sought_id()
        .map_or("find the strictest condition", |_| "why it is missing");
    let has_funnel = browser.resource() != Resource::Workergroups;
    let funnel = has_funnel.then_some((Action::Funnel, funnel));
    let mut keys: Vec<_> = funnel.into_iter().chain([(Action::Query, "edit query")]).collect();
    if several_gpus(browser).is_some() {
        keys.insert(0, (Action::Cluster, "plan a cluster"));
    }
    if browser.has_suggestion() {
        keys.insert(0, (Action::Open, super::effect(&Remedy::Suggestion)));
    }
    keys
}

/// The message that bans hide all `hidden` rows of the response, and the keys that show or lift them.
fn all_banned(browser: &Browser, hidden: usize) -> Note {
    let nouns = browser.resource().nouns();
    Note {
        title: match hidden {
            1 => "Your bans hide the only match".to_owned(),
            many => format!("Your bans hide all {} {nouns} that match", grouped(many)),
        },
        reasons: Vec::new(),
        keys: vec![
            (Action::ShowBanned, "show them"),
            (Action::Ban, "lift a ban"),
            (Action::Query, "edit query"),
        ],
        is_error: false,
    }
}

/// The message that the market has no row for the query, with possible reasons.
fn no_match(browser: &Browser) -> Note {
    let warn = |condition| language::warning(condition, browser.dialect());
    let warnings = browser.query.active().filter_map(warn);
    let bans = browser.computed.bans.count();
    let unsearched = (bans > 0).then(|| format!("{} in force may hide matches", counted(bans, "ban", "bans")));
    Note {
        title: format!("No {} match this query", browser.resource().nouns()),
        reasons: warnings
            .chain(unsearched)
            .chain(did_you_mean(browser))
            .chain(several_gpus(browser))
            .chain(much_disk(browser))
            .collect(),
        keys: {
            let lift = (bans > 0).then_some((Action::Ban, "lift a ban"));
            remedies(browser).into_iter().chain(lift).collect()
        },
        is_error: false,
    }
}

/// The message in place of a table whose request failed: the error, and the keys that help against it.
fn failed(state: &State, browser: &Browser, error: &ApiError) -> Note {
    let title = format!("Can't load {}", browser.resource().nouns());
    let retry = (Action::Refresh, "retry");
    match error {
        ApiError::NotOffered => Note {
            title: "This market has no network volumes".to_owned(),
            reasons: vec![
                "It answers the search with status 404: not every market offers them. Offers and \
                 workergroups are unaffected."
                    .to_owned(),
            ],
            keys: vec![(Action::Pane(Pane::Offers), "offers"), retry],
            is_error: false,
        },
        ApiError::NoKey { .. } => Note {
            title,
            reasons: vec![format!("{}.", explain(error, &state.keymap))],
            keys: vec![(Action::Markets, "add a key"), retry],
            is_error: true,
        },
        error if error.is_auth() => Note {
            title,
            reasons: vec![error.to_string()],
            keys: vec![(Action::Markets, "change key or market"), retry],
            is_error: true,
        },
        error => Note {
            title,
            reasons: vec![error.to_string()],
            keys: vec![
                retry,
                (Action::Query, "edit query"),
                (Action::Pane(Pane::Requests), "open requests"),
                (Action::Markets, "markets"),
            ],
            is_error: true,
        },
    }
}

/// An example of words that are understood, in place of filter words that are not and match no offer.
fn example(browser: &Browser) -> Option<String> {
    let is_about_offers = browser.resource() == Resource::Offers && browser.typed_id().is_none();
    is_about_offers.then(|| "Words name models, places, sizes, prices and times: 4x 4090 eu 200gb 3d".to_owned())
}

/// A note that several offers may have the GPUs that the search wants of one; `None` if it does not want several.
fn several_gpus(browser: &Browser) -> Option<String> {
    let gpus = browser.gpus_asked().filter(|gpus| *gpus > 1.0)?;
    Some(match browser.gpus_beyond_an_offer() {
        Some(_) => "One offer has at most 8 GPUs or so: the planner combines several machines.".to_owned(),
        None => format!("Several offers may have {} GPUs together.", trimmed(gpus, 0)),
    })
}

/// A note that an offer must have the disk that its price includes, if that is more than usual; `None` otherwise.
fn much_disk(browser: &Browser) -> Option<String> {
    let disk = browser.query.storage_gb();
    let is_much = browser.resource() == Resource::Offers && disk > DEFAULT_STORAGE_GB;
    let size = gigabytes(disk);
    is_much.then(|| format!("An offer must have the {size} of disk that its price includes: 8gb disk asks for less."))
}

/// Suggestions for conditions whose name (a GPU model, for example) is unknown: `Did you mean …?` each; none
/// if all are known.
fn did_you_mean(browser: &Browser) -> impl Iterator<Item = String> {
    let suggestions = browser.suggestions().into_iter();
    suggestions.map(|condition| format!("Did you mean {condition}?"))
}
