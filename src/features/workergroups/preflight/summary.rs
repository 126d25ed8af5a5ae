//! A workergroup in a few lines, for previews: its search, supply and cost now, its changes, the
//! last route run.

use ratatui::text::Line;

use super::parts::{amount_text, cold_start, labelled, plural, signed};
use crate::core::State;
use crate::domain::catalog::WORKERGROUPS;
use crate::domain::cost::ColdStart;
use crate::domain::format::{dollars, per_hour};
use crate::domain::insight::Coverage;
use crate::domain::routing::words;
use crate::domain::secrets::REMOVED;
use crate::domain::text::{DETAIL, beginning, visible};
use crate::domain::time::Now;
use crate::domain::workergroup::{Preflight, WorkerCounts, group_search};
use crate::domain::{Resource, RowId, language};
use crate::features::route_lab::Routes;
use crate::features::workergroups::look::Look;
use crate::features::workergroups::supply::Check;
use crate::features::workergroups::{Groups, check_of};
use crate::keys::Action;
use crate::tui::theme::Theme;

/// Maximum number of conditions and changes listed.
const MOST: usize = 6;

/// Maximum length of a record's text, in cells.
const LONGEST: usize = 200;

/// The summary of the listed workergroup in a row: search, supply, changes and last route run; empty for a
/// row without a group.
pub fn of_group(state: &State, row: usize, now: Now, theme: &Theme) -> Vec<Line<'static>> {
    let browser = &state.browsers[Resource::Workergroups];
    let Some((listing, id)) = browser.listing().and_then(|listing| Some((listing, listing.id(row)?))) else {
        return Vec::new();
    };
    let look = Look::at_row(listing, row, browser.dialect(), &state.mutations.history);
    let safe = |text: &str| {
        let (head, _) = beginning(text, DETAIL);
        visible(&head.replace(&format!("\"{REMOVED}\""), REMOVED), LONGEST)
    };
    let mut lines = match &look {
        Ok(look) => conditions(look, safe, theme),
        Err(error) => vec![signed("!", &safe(&error.to_string()), theme.warning)],
    };
    let left_out = group_search(listing, row).unwrap_or_default().left_out;
    if !left_out.is_empty() {
        let names: Vec<String> = left_out.iter().map(|name| name.screen(24)).collect();
        let text = format!("and {}", names.join(", "));
        lines.push(labelled("", text, theme.dim, theme));
    }
    lines.push(Line::default());
    if let Ok(look) = &look {
        lines.extend(supply(state, look, theme));
        lines.push(Line::default());
    }
    lines.extend(changes(state, id, now, theme));
    let field = WORKERGROUPS.by_key("endpoint_name");
    let endpoint = field.and_then(|field| listing.column(field).text(row));
    if let Some(endpoint) = endpoint {
        lines.push(last_run(state, endpoint.unescaped(), theme));
    }
    lines
}

/// The first 6 conditions of the workergroup's search, a line each, and the number of the others; `safe`
/// shortens their text.
fn conditions(look: &Look, safe: impl Fn(&str) -> String, theme: &Theme) -> Vec<Line<'static>> {
    let all = &look.search.conditions;
    let mut label = "Search";
    let mut lines: Vec<Line<'static>> = all
        .iter()
        .take(MOST)
        .map(|condition| {
            let text = safe(&language::print_condition(condition));
            labelled(std::mem::take(&mut label), text, theme.text, theme)
        })
        .collect();
    if all.len() > MOST {
        let text = format!("and {} more", all.len() - MOST);
        lines.push(labelled("", text, theme.dim, theme));
    }
    lines
}

/// The report on the supply of the workergroup in a row; `None` before a check, after one that failed, and
/// without a valid search.
pub fn supply_report_of_row(state: &State, row: usize) -> Option<&Preflight> {
    let browser = &state.browsers[Resource::Workergroups];
    let look = Look::at_row(browser.listing()?, row, browser.dialect(), &[]).ok()?;
    check_of(state, &look)?.report()
}

/// The supply among the loaded offers that the search of the workergroup in a row finds; `None` once its supply is
/// checked, without a valid search or loaded offers, and for more than 5,000 of them.
pub fn loaded_supply_of_row(state: &State, row: usize) -> Option<Preflight> {
    /// They take some milliseconds, whenever another row is shown.
    const MOST: usize = 5_000;
    let browser = &state.browsers[Resource::Workergroups];
    let offers = state.browsers[Resource::Offers].listing();
    let offers = offers.filter(|listing| listing.len() <= MOST && supply_report_of_row(state, row).is_none())?;
    let look = Look::at_row(browser.listing()?, row, browser.dialect(), &[]).ok()?;
    Some(Preflight::new(offers, &look.search, None))
}

/// The lines on the supply of a workergroup's search, or one on the state of its check.
fn supply(state: &State, look: &Look, theme: &Theme) -> Vec<Line<'static>> {
    let remote = check_of(state, look).map(Check::remote);
    let text = match remote.map(|remote| (remote.error(), remote.shown(), remote.is_loading())) {
        Some((Some(error), ..)) => format!("unknown: {}", error.headline()),
        Some((None, Some(preflight), _)) => {
            let values = &state.settings.values;
            return of_report(preflight, look, (look.cold_start(values), values.starts), theme);
        }
        Some((None, None, true)) => "checking …".to_owned(),
        _ if Groups::read(state).supply.is_queued(&look.search) => "checking …".to_owned(),
        _ => {
            let [this, all] = [Action::Preflight, Action::CheckSupply].map(|action| state.keymap.key_of(action));
            format!("not checked ({this} to check, {all} for all)")
        }
    };
    vec![labelled("Supply now", text, theme.dim, theme)]
}

/// The lines on supply and cost in a report on a workergroup's search: machines, price, cost of the fewest
/// and most workers in $/h, worst case, and cold start.
///
/// The pair is the group's cold start, if known, and the number of starts a day.
pub fn of_report(
    preflight: &Preflight,
    look: &Look,
    (start, starts): (Option<ColdStart>, u32),
    theme: &Theme,
) -> Vec<Line<'static>> {
    let more = match preflight.coverage {
        Coverage::Whole => "",
        Coverage::Cut | Coverage::Unknown => "at least ",
    };
    let style = if preflight.recruitable.machines == 0 {
        theme.warning
    } else {
        theme.heading
    };
    let text = format!("{more}{}", amount_text(preflight.recruitable));
    let mut lines = vec![labelled("Supply now", text, style, theme)];
    if let Some(prices) = preflight.prices {
        let text = format!("{} to {}", per_hour(prices.lowest), per_hour(prices.highest));
        lines.push(labelled("One worker", text, theme.text, theme));
    }
    lines.extend(cost_lines(preflight, look, theme));
    let outlook = look.outlook(Ok(preflight));
    if let Some(worst) = &outlook.worst {
        let more = if outlook.unknown.is_some() { "more than " } else { "" };
        let text = format!("{more}{}", worst.formula());
        lines.push(labelled("At worst", text, theme.text, theme));
    }
    if let Some(text) = outlook.no_price_limit() {
        lines.push(signed("✗", &text, theme.error));
    }
    if start.is_some() {
        let text = cold_start(preflight, start, starts);
        lines.push(labelled("Cold start", text, theme.text, theme));
    }
    lines
}

/// The cost now of the fewest and of the most workers, a line each; of equal numbers one line.
fn cost_lines(preflight: &Preflight, look: &Look, theme: &Theme) -> Vec<Line<'static>> {
    let group = &look.group;
    let counts = WorkerCounts::new(group, look.dialect);
    let equal = usize::from(counts.min == counts.max);
    let [least, most] = if equal == 0 { ["min ", "max "] } else { [""; 2] };
    let costs = [
        (counts.min, least, group.cold_workers),
        (counts.max, most, group.max_workers),
    ];
    let mut label = "Cost now";
    let mut lines = Vec::new();
    for (workers, which, sent) in costs.into_iter().skip(equal) {
        if let Some(cost) = preflight.cost(workers) {
            let default = if sent.is_none() { " (default)" } else { "" };
            let missing = match cost.without_offer {
                0 => String::new(),
                missing => format!("; no offer for {missing} of them now"),
            };
            let text = format!(
                "{which}{}{default}: median {}/h, at most {}/h{missing}",
                plural(workers as usize, "worker"),
                dollars(cost.typical),
                dollars(cost.most)
            );
            lines.push(labelled(std::mem::take(&mut label), text, theme.text, theme));
        }
    }
    lines
}

/// The latest 6 changes of a workergroup that were found, those of the newest listing first, a line each with
/// its time; a dash without any.
fn changes(state: &State, id: RowId, now: Now, theme: &Theme) -> Vec<Line<'static>> {
    let local = state.local_time(now);
    let mut lines = Vec::new();
    for changes in Groups::read(state).drift.changes() {
        for change in changes.changes.iter().filter(|change| change.group == id) {
            let what = change.kind.words();
            let label = if lines.is_empty() { "Changed" } else { "" };
            let text = format!("{what} ({})", local.minute(changes.at));
            lines.push(labelled(label, text, theme.warning, theme));
        }
    }
    lines.truncate(MOST);
    if lines.is_empty() {
        lines.push(labelled("Changed", "—", theme.dim, theme));
    }
    lines
}

/// The number of requests and the median time of the router's reply in the latest route run to an endpoint,
/// or that there is none since the start.
fn last_run(state: &State, endpoint: &str, theme: &Theme) -> Line<'static> {
    let mut runs = Routes::read(state).runs().iter().rev();
    let Some(last) = runs.find(|run| run.run().plan().endpoint == endpoint) else {
        let key = state.keymap.key_of(Action::RouteLab);
        let text = format!("none since the start ({key} tests it)");
        return labelled("Last route run", text, theme.dim, theme);
    };
    let figures = last.run().stats();
    let median = figures.router_reply.quantile(0.5);
    let median = median.map_or_else(|| "—".to_owned(), words::latency);
    let text = format!("×{} · router p50 {median}", figures.requests());
    labelled("Last route run", text, theme.text, theme)
}
