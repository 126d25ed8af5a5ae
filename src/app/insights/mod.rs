//! What the rows here tell beyond themselves: the views that work it out, opened over a pane.
//!
//! A view is an overlay of its own. It is built when it is opened and when what it shows changes,
//! never while drawing; it speaks of the rows that are loaded and says when a limit cut them.

pub mod related;

use super::browser::Browser;
use super::keymap::{Action, Context};
use super::message::{Effect, Toast};
use super::overlay::Overlay;
use super::remote::{Now, Ticket, Waiting};
use super::{Model, Pane, actions, three};
use crate::api::ApiError;
use crate::domain::insight::{Coverage, coverage};
use crate::domain::{Condition, Listing, Resource};
use related::Related;

/// One view and its state.
#[derive(Debug)]
pub enum Insight {
    /// What else the machine and the host of an offer have.
    Related(Related),
}

impl Insight {
    /// The contexts whose keys it takes, in order.
    pub const fn contexts(&self) -> &'static [Context] {
        use Context::{Always, Global, Movement, Related};
        match self {
            Self::Related(_) => &[Related, Movement, Global, Always],
        }
    }

    /// The requests whose answers it awaits.
    fn awaited(&self) -> Option<Ticket> {
        match self {
            Self::Related(related) => related.remote.awaited(),
        }
    }
}

/// What becomes of a view after an action.
enum After {
    /// It stays.
    Stay,
    /// It goes, and whatever it waits for with it.
    Close,
    /// It stays, and something comes over it.
    Over(Box<Overlay>),
    /// It goes, with all that lies over the pane, and the market is asked.
    Ask,
}

/// Why an action cannot be done now, if it cannot.
pub(super) fn disabled(model: &Model, action: Action) -> Option<String> {
    let key = |action| model.state.keymap.key_of(action);
    let pane = model.state.pane;
    let is_about_offers = matches!(
        action,
        Action::ThreePrices | Action::ForgetJob | Action::Related
    );
    if is_about_offers && pane != Pane::Offers {
        return Some(format!("Only on Offers ({})", key(Action::Offers)));
    }
    let is_about_prices = matches!(action, Action::Job | Action::Summary | Action::Plot);
    if is_about_prices && !matches!(pane, Pane::Offers | Pane::Volumes) {
        let (offers, volumes) = (key(Action::Offers), key(Action::Volumes));
        return Some(format!("Only on Offers ({offers}) and Volumes ({volumes})"));
    }
    let browser = model.browser()?;
    let needs_rows = matches!(action, Action::Summary | Action::Plot | Action::Mark);
    let has_no_row = browser.view().is_empty();
    match action {
        Action::Related if browser.selected_row().is_none() => Some("No offer selected".to_owned()),
        Action::ForgetJob if browser.figures.job.is_none() => {
            Some("Offers are not priced for a job".to_owned())
        }
        Action::Unmark if browser.marks.is_empty() => Some("Nothing is marked".to_owned()),
        Action::Compare if browser.marks.len() < 2 => Some(format!(
            "Mark at least two rows first ({})",
            key(Action::Mark)
        )),
        Action::Funnel if browser.resource() == Resource::Workergroups => {
            Some(format!("Only on Offers ({})", key(Action::Offers)))
        }
        Action::Funnel if browser.query.active().next().is_none() => {
            Some("No filters to explain".to_owned())
        }
        _ if needs_rows && has_no_row => Some("No rows".to_owned()),
        _ => None,
    }
}

/// Opens a view, or shows what it is about in the table.
pub(super) fn open(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let crate::app::State {
        browsers, tickets, ..
    } = &mut model.state;
    let offers = &mut browsers[Resource::Offers];
    match action {
        Action::ThreePrices => three_prices(model, now),
        Action::ForgetJob => {
            let effects = model.state.price_job(now, None);
            model.show(Toast::new("Job pricing cleared", now));
            effects
        }
        Action::Related => {
            let (related, effects) = Related::new(offers, tickets, now);
            let insight = Box::new(Insight::Related(related));
            model.overlays.push(Overlay::Insight(insight));
            effects
        }
        _ => Vec::new(),
    }
}

fn three_prices(model: &mut Model, now: Now) -> Vec<Effect> {
    let crate::app::State {
        browsers, tickets, ..
    } = &mut model.state;
    let offers = &mut browsers[Resource::Offers];
    let is_shown = offers
        .columns
        .iter()
        .any(|field| three::COLUMNS.contains(&field.key));
    let was_asked = !offers.figures.three.is_empty() || offers.figures.three.is_loading();
    if is_shown && was_asked {
        offers.hide_columns(&three::COLUMNS);
        let effects = offers.forget_three();
        model.show(Toast::new("The three prices are hidden", now));
        return effects;
    }
    let effects = offers.ask_three(tickets, now);
    model.show(Toast::new("Asking for the three price models", now));
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
        Insight::Related(view) => {
            let crate::app::State {
                browsers, tickets, ..
            } = &mut model.state;
            let offers = &mut browsers[Resource::Offers];
            view.act(offers, tickets, now, action, step, &mut effects)
        }
    };
    match after {
        After::Stay => model.overlays.push(Overlay::Insight(insight)),
        After::Over(overlay) => {
            model.overlays.push(Overlay::Insight(insight));
            model.overlays.push(*overlay);
        }
        After::Close => effects.extend(insight.awaited().map(Effect::Abort)),
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
        Insight::Related(view) => std::mem::replace(&mut view.cursor, index) == index,
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
    let Model {
        overlays, state, ..
    } = model;
    let crate::app::State { browsers, .. } = state;
    let offers = &mut browsers[Resource::Offers];
    if offers.figures.three.awaits(ticket) {
        offers.figures.three.answered(ticket, now, answer);
        offers.revalue();
        return None;
    }
    let waiting = overlays.iter_mut().find_map(|overlay| match overlay {
        Overlay::Insight(insight) if insight.awaited() == Some(ticket) => Some(&mut **insight),
        _ => None,
    });
    match waiting {
        Some(Insight::Related(view)) => {
            view.remote.accept(ticket, now, answer);
            view.rebuild(offers);
        }
        None => return Some(answer),
    }
    None
}

/// Notes how a request of a view fares.
pub(super) fn progress(model: &mut Model, ticket: Ticket, attempt: u32, waiting: Option<&Waiting>) {
    let three = &mut model.state.browsers[Resource::Offers].figures.three;
    three.progress(ticket, attempt, waiting);
    for overlay in &mut model.overlays {
        let Overlay::Insight(insight) = overlay else {
            continue;
        };
        match &mut **insight {
            Insight::Related(view) => view.remote.progress(ticket, attempt, waiting.cloned()),
        }
    }
}

/// Whether a view or the three prices wait for an answer, so that seconds are to be shown.
pub(super) fn is_waiting(model: &Model) -> bool {
    let offers = model.state.pane == Pane::Offers
        && model.state.browsers[Resource::Offers]
            .figures
            .three
            .is_loading();
    offers
        || model
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

impl Browser {
    /// Marks the selected row, or unmarks it.
    pub fn toggle_mark(&mut self) {
        if let Some(id) = self.selected()
            && !self.marks.remove(&id)
        {
            self.marks.insert(id);
        }
    }

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
    pub fn narrow_to(&mut self, conditions: Vec<Condition>) {
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
