//! What the rows here tell beyond themselves: the views that work it out, opened over a pane.
//!
//! A view is an overlay of its own. It is built when it is opened and when what it shows changes,
//! never while drawing; it speaks of the rows that are loaded and says when a limit cut them.

pub mod compare;
pub mod job_form;
pub mod summary;
pub mod why;

use super::browser::Browser;
use super::keymap::{Action, Context};
use super::message::{Effect, Toast};
use super::overlay::Overlay;
use super::remote::{Now, Ticket, Waiting};
use super::{Model, Pane, actions};
use crate::api::ApiError;
use crate::domain::insight::{Coverage, coverage};
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::{Condition, Listing, Operand, Operator, Query, Resource, Value};
use crate::widgets::text_input::TextInput;
use compare::Compare;
use job_form::JobForm;
use summary::Summary;
use why::Why;

/// One view and its state.
#[derive(Debug)]
pub enum Insight {
    /// The form of the job that offers are priced for.
    Job(JobForm),
    /// Marked rows side by side.
    Compare(Compare),
    /// Groups of rows and their prices.
    Summary(Summary),
    /// Why there are so few rows.
    Why(Why),
}

impl Insight {
    /// The contexts whose keys it takes, in order.
    pub const fn contexts(&self) -> &'static [Context] {
        use Context::{Always, Compare, Funnel, Global, Job, Movement, Summary};
        match self {
            Self::Job(_) => &[Job, Always],
            Self::Compare(_) => &[Compare, Movement, Global, Always],
            Self::Summary(_) => &[Summary, Movement, Global, Always],
            Self::Why(_) => &[Funnel, Movement, Global, Always],
        }
    }

    /// Whether typed characters go into a line of text.
    pub const fn takes_text(&self) -> bool {
        matches!(self, Self::Job(_))
    }

    /// Types into its line of text.
    pub(super) fn type_into(&mut self, edit: impl FnOnce(&mut TextInput) -> bool) {
        if let Self::Job(form) = self {
            form.edit(edit);
        }
    }

    /// The requests whose answers it awaits.
    fn awaited(&self) -> Option<Ticket> {
        match self {
            Self::Why(why) => why.remote.awaited(),
            _ => None,
        }
    }
}

/// What becomes of a view after an action.
enum After {
    /// It stays.
    Stay,
    /// It goes, and whatever it waits for with it.
    Close,
    /// It goes, with all that lies over the pane, and the market is asked.
    Ask,
}

/// Why an action cannot be done now, if it cannot.
pub(super) fn disabled(model: &Model, action: Action) -> Option<String> {
    let is_about_offers = matches!(
        action,
        Action::ThreePrices | Action::Job | Action::ForgetJob | Action::Related
    );
    if is_about_offers && model.state.pane != Pane::Offers {
        return Some(format!(
            "it is about machine offers: press {}",
            model.state.keymap.way_to("offers")
        ));
    }
    let browser = model.browser()?;
    if matches!(action, Action::Summary | Action::Plot) && model.state.pane == Pane::Workergroups {
        let (offers, volumes) = (
            model.state.keymap.way_to("offers"),
            model.state.keymap.way_to("volumes"),
        );
        return Some(format!(
            "workergroups have no prices: press {offers} or {volumes}"
        ));
    }
    let needs_rows = matches!(action, Action::Summary | Action::Plot | Action::Mark);
    let has_no_row = browser.view().is_empty();
    match action {
        Action::Related if browser.selected_row().is_none() => {
            Some("no record is selected".to_owned())
        }
        Action::ForgetJob if browser.figures.job.is_none() => Some("there is no job".to_owned()),
        Action::Unmark if browser.marks.is_empty() => Some("nothing is marked".to_owned()),
        Action::Compare if browser.marks.len() < 2 => Some(format!(
            "mark at least two rows with {} first",
            model.state.keymap.way_to("mark")
        )),
        Action::Funnel if browser.resource() == crate::domain::Resource::Workergroups => {
            Some("workergroups are listed whole".to_owned())
        }
        Action::Funnel if browser.query.active().next().is_none() => {
            Some("there is no condition".to_owned())
        }
        _ if needs_rows && has_no_row => Some("there are no rows".to_owned()),
        _ => None,
    }
}

/// The disk in GB that a search is for: the storage that its prices include, or the least space
/// that it asks for.
fn wanted_disk(query: &Query) -> Option<f64> {
    let least = query.active().filter_map(|condition| {
        let is_bound = matches!(condition.operator, Operator::Gte | Operator::Gt);
        match &condition.operand {
            Operand::One(Value::Number(gb)) if is_bound && condition.field.key == "disk_space" => {
                Some(*gb)
            }
            _ => None,
        }
    });
    let chosen = query
        .storage
        .filter(|gb| (gb - DEFAULT_STORAGE_GB).abs() > f64::EPSILON);
    chosen.into_iter().chain(least).reduce(f64::max)
}

/// Opens a view, or shows what it is about in the table.
pub(super) fn open(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let crate::app::State { browsers, .. } = &mut model.state;
    let offers = &mut browsers[Resource::Offers];
    let mut effects = Vec::new();
    let insight =
        match action {
            Action::Job => {
                let draft = offers.figures.job_draft.take();
                Insight::Job(draft.unwrap_or_else(|| {
                    JobForm::new(offers.figures.job, wanted_disk(&offers.query))
                }))
            }
            Action::ForgetJob => return forget_job(model, now),
            Action::Compare => match model.browser() {
                Some(browser) => Insight::Compare(Compare::new(browser)),
                None => return effects,
            },
            Action::Summary => match model.browser() {
                Some(browser) => Insight::Summary(Summary::new(browser)),
                None => return effects,
            },
            Action::Funnel => {
                let Some((browser, tickets)) = model.browser_and_tickets() else {
                    return effects;
                };
                let (why, asked) = Why::new(browser, tickets, now);
                effects = asked;
                Insight::Why(why)
            }
            _ => return effects,
        };
    model.overlays.push(Overlay::Insight(Box::new(insight)));
    effects
}

fn forget_job(model: &mut Model, now: Now) -> Vec<Effect> {
    let effects = job_form::set(model, now, None);
    model.show(Toast::new("Offers are priced by $/h again", now));
    effects
}

/// Does what an action asks of the topmost view.
pub(super) fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let page = model.facts.overlay_page.max(1);
    let Some(Overlay::Insight(mut insight)) = model.overlays.pop() else {
        return Vec::new();
    };
    let mut effects = Vec::new();
    let step = actions::movement(action, page);
    let after = match &mut *insight {
        _ if action == Action::Back => After::Close,
        Insight::Job(form) => job_form::act(form, model, now, action, &mut effects),
        Insight::Compare(view) => {
            let most = view.lines.len().saturating_sub(page);
            match (step, model.browser_mut()) {
                (Some(step), _) => {
                    view.scroll = view.scroll.saturating_add_signed(step).min(most);
                    After::Stay
                }
                (None, Some(browser)) => {
                    let after = view.act(browser, action);
                    if action == Action::Toggle && matches!(after, After::Close) {
                        model.show(Toast::new("One left: comparison closed", now));
                    }
                    after
                }
                (None, None) => After::Close,
            }
        }
        Insight::Summary(view) => match model.browser_mut() {
            Some(browser) => view.act(browser, action, step),
            None => After::Close,
        },
        Insight::Why(view) => match model.browser_mut() {
            Some(browser) => view.act(browser, action, step),
            None => After::Close,
        },
    };
    match after {
        After::Stay => model.overlays.push(Overlay::Insight(insight)),
        After::Close => {
            effects.extend(insight.awaited().map(Effect::Abort));
            if let Insight::Job(form) = *insight
                && action == Action::Back
            {
                model.state.browsers[Resource::Offers].figures.job_draft = Some(form);
            }
        }
        After::Ask => {
            effects.extend(insight.awaited().map(Effect::Abort));
            model.overlays.clear();
            effects.extend(actions::refresh(model, now));
        }
    }
    effects
}

/// Scrolls or moves the topmost view, as the wheel does.
pub(super) fn wheel(model: &mut Model, now: Now, by: isize) {
    let action = if by < 0 { Action::Up } else { Action::Down };
    for _ in 0..by.unsigned_abs() {
        act(model, now, action);
    }
}

/// Selects the line of a list and does what Enter does there.
pub(super) fn clicked(model: &mut Model, now: Now, index: usize) -> Vec<Effect> {
    let Some(Overlay::Insight(insight)) = model.overlays.last_mut() else {
        return Vec::new();
    };
    let is_selected = match &mut **insight {
        Insight::Summary(view) => std::mem::replace(&mut view.cursor, index) == index,
        Insight::Why(view) => std::mem::replace(&mut view.cursor, index) == index,
        Insight::Job(form) => {
            form.focus(index);
            false
        }
        Insight::Compare(_) => false,
    };
    if is_selected {
        act(model, now, Action::Submit)
    } else {
        Vec::new()
    }
}

/// Gives an answer to the view that awaits it; gives it back if none does.
pub(super) fn answered(
    model: &mut Model,
    now: Now,
    ticket: Ticket,
    answer: Result<Listing, ApiError>,
) -> Option<Result<Listing, ApiError>> {
    let Model { overlays, .. } = model;
    let waiting = overlays.iter_mut().find_map(|overlay| match overlay {
        Overlay::Insight(insight) if insight.awaited() == Some(ticket) => Some(&mut **insight),
        _ => None,
    });
    match waiting {
        Some(Insight::Why(view)) => {
            view.remote.accept(ticket, now, answer);
            view.rebuild();
        }
        _ => return Some(answer),
    }
    None
}

/// Notes how a request of a view fares.
pub(super) fn progress(model: &mut Model, ticket: Ticket, attempt: u32, waiting: Option<&Waiting>) {
    for overlay in &mut model.overlays {
        let Overlay::Insight(insight) = overlay else {
            continue;
        };
        if let Insight::Why(view) = &mut **insight {
            view.remote.progress(ticket, attempt, waiting.cloned());
        }
    }
}

/// Whether a view or the three prices wait for an answer, so that seconds are to be shown.
pub(super) fn is_waiting(model: &Model) -> bool {
    model
        .overlays
        .iter()
        .any(|overlay| matches!(overlay, Overlay::Insight(it) if it.awaited().is_some()))
}

/// How far rows speak for the market: never called it, and whether a limit cut them.
pub(crate) fn loaded(listing: &Listing, limit: Option<u32>) -> String {
    let here = listing.len();
    match coverage(listing, limit) {
        Coverage::Whole => format!("{here} loaded, no more came"),
        Coverage::Cut => format!("{here} loaded, more exist"),
        Coverage::Unknown => format!("{here} loaded, more may exist"),
    }
}

/// The same of the rows that a pane shows.
fn shown_of_loaded(browser: &Browser) -> String {
    let Some(listing) = browser.listing() else {
        return String::new();
    };
    let limit = browser.shown_query().and_then(|query| query.limit);
    let loaded = loaded(listing, limit);
    let shown = browser.view().len();
    if shown == listing.len() {
        loaded
    } else {
        format!("{shown} shown of {loaded}")
    }
}

impl Browser {
    /// How many rows there are and whether they are all: `All 57 offers`, `First 500 offers of more`.
    pub fn count_label(&self) -> String {
        let here = self.listing().map_or(0, Listing::len);
        let nouns = if here == 1 {
            self.resource().noun()
        } else {
            self.resource().nouns()
        };
        if self.is_cut() {
            format!("First {here} {nouns} of more")
        } else {
            format!("All {here} {nouns}")
        }
    }

    /// Puts `conditions` in the place of those on the same fields, shows the query and keeps the
    /// old one in the history of the bar.
    fn narrow_to(&mut self, conditions: Vec<Condition>) {
        let mut kept = self.query.conditions.clone();
        kept.retain(|old| conditions.iter().all(|new| new.field != old.field));
        kept.extend(conditions);
        self.change_conditions(kept);
    }

    /// Takes other conditions; the query that ran can be recalled in the bar.
    pub fn change_conditions(&mut self, conditions: Vec<Condition>) {
        let before = self.query_text();
        self.bar.remember(&before);
        self.query.conditions = conditions;
        self.revalue();
        self.show_query_in_bar();
        let after = self.query_text();
        self.bar.remember(&after);
    }
}
