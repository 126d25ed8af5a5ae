//! The context in which a view or feature handles an event.

use std::any::Any;

use super::annotations::AnnotationState;
use super::commands::Commands;
use super::drafts::Drafts;
use super::feature::Event;
use super::frame_layout::{FrameLayout, Region};
use super::markets::{MarketReady, Markets};
use super::message::{Effect, EffectError, HistoryJob, Toast};
use super::mutations::Mutations;
use super::owners::Owner;
use super::profile::Profile;
use super::split::Split;
use super::state::{Browsers, State};
use super::themes::Themes;
use super::view::{Change, Open, View};
use crate::api::Request;
use crate::api::ledger::Ledger;
use crate::domain::time::Now;
use crate::domain::{Field, Resource};
use crate::keys::pane::Pane;
use crate::keys::{Action, BINDINGS, Context};
use crate::record::Poll;
use crate::table::browser::Browser;
use crate::table::remote::{Ticket, Tickets};
use crate::table::watch::Pace;
use crate::tui::text_input::Pasted;
use crate::tui::viewport::Viewport;

/// The state of a feature with the parts of [`State`] that it changes at the same time.
#[derive(Debug)]
pub struct Lent<'a, T> {
    pub feature: &'a mut T,
    pub tables: &'a mut Browsers,
    pub tickets: &'a mut Tickets,
    /// The request rate of watched searches.
    pub pace: &'a mut Pace,
    pub profile: &'a Profile,
    pub annotations: &'a AnnotationState,
    pub ledger: &'a Ledger,
}

/// The context in which a view or feature handles an event.
///
/// It reads all of the state, and changes tables, drafts and its own state directly; everything
/// else is requested through its methods.
#[derive(Debug)]
pub struct Cx<'a> {
    pub now: Now,
    pub(in crate::core) state: &'a mut State,
    pub(crate) layout: &'a FrameLayout,
    pub(crate) depth: usize,
    pub(crate) commands: Option<Commands>,
    pub(crate) changes: Vec<Change>,
    pub(crate) effects: &'a mut Vec<Effect>,
}

impl<'a> Cx<'a> {
    /// A context for the view at index `depth` of the stack, 0 for the pane: it reads the last frame's
    /// `layout` and appends to `effects`.
    pub(crate) const fn new(
        state: &'a mut State,
        layout: &'a FrameLayout,
        depth: usize,
        now: Now,
        effects: &'a mut Vec<Effect>,
    ) -> Self {
        Self {
            now,
            state,
            layout,
            depth,
            commands: None,
            changes: Vec::new(),
            effects,
        }
    }

    /// The market, its data and the user's settings.
    pub const fn state(&self) -> &State {
        self.state
    }

    /// The table of a resource, whether or not its pane is open.
    pub fn table(&mut self, resource: Resource) -> &mut Browser {
        &mut self.state.browsers[resource]
    }

    /// The table of the open pane; `None` on Requests, which has none.
    pub fn pane_table(&mut self) -> Option<&mut Browser> {
        self.state.browser_mut()
    }

    /// The values that views store while closed, to change them.
    pub const fn drafts(&mut self) -> &mut Drafts {
        &mut self.state.drafts
    }

    /// The writes to the market, to confirm one or to record its outcome.
    pub const fn writes(&mut self) -> &mut Mutations {
        &mut self.state.mutations
    }

    /// The configured markets and the commands in progress, to change them.
    pub const fn markets(&mut self) -> &mut Markets {
        &mut self.state.markets
    }

    /// The available themes and the current one, to change them.
    pub const fn themes(&mut self) -> &mut Themes {
        &mut self.state.settings.themes
    }

    /// The division of a wide screen between table and preview, to change it.
    pub const fn split(&mut self) -> &mut Split {
        &mut self.state.screen.split
    }

    /// The request rate of watched searches, to change it.
    pub const fn pace(&mut self) -> &mut Pace {
        &mut self.state.settings.pace
    }

    /// The calling feature's own state, found by its type `T`; panics if no feature creates one.
    pub fn feature<T: Any>(&mut self) -> &mut T {
        self.state.feature_states.get_mut()
    }

    /// The calling feature's own state, found by its type `T`, together with the other parts it changes at
    /// the same time; panics if no feature creates one.
    pub fn lend<T: Any>(&mut self) -> Lent<'_, T> {
        let state = &mut *self.state;
        Lent {
            feature: state.feature_states.get_mut(),
            tables: &mut state.browsers,
            tickets: &mut state.tickets,
            pace: &mut state.settings.pace,
            profile: &state.profile,
            annotations: &state.annotations,
            ledger: &state.ledger,
        }
    }

    /// Passes an event to every feature, in their fixed order.
    pub(crate) fn emit(&mut self, mut event: Event<'_>) {
        for feature in self.state.features {
            (feature.event)(self, &mut event);
        }
    }

    /// Sends the search of a table, replacing one in flight. While its reply is awaited, the rows last
    /// recorded for it are looked up and shown, if that setting is on.
    pub fn ask(&mut self, resource: Resource) {
        let state = &mut *self.state;
        let browser = &mut state.browsers[resource];
        let is_shown = state.settings.shows_recorded_rows();
        let asked = is_shown.then(|| browser.await_recorded(&mut state.tickets)).flatten();
        let recall = asked.map(|(ticket, query)| Effect::History(HistoryJob::LatestRows { ticket, query }));
        let effects = browser.ask(&mut state.tickets, self.now);
        // First, for it is the faster one.
        self.effects_for(Owner::Table(resource), recall);
        self.effects_for(Owner::Table(resource), effects);
    }

    /// Requests the offers' prices in all three price models, shown side by side in the table.
    pub fn ask_price_models(&mut self) {
        let state = &mut *self.state;
        let effects = state.browsers[Resource::Offers].show_price_models(&mut state.tickets, self.now);
        self.effects_for(Owner::Table(Resource::Offers), effects);
    }

    /// Sends the search of the open pane's table; does nothing on Requests.
    pub fn ask_pane(&mut self) {
        if let Some(resource) = self.state.pane.resource() {
            self.ask(resource);
        }
    }

    /// A new, unused ticket for a request that the caller sends itself.
    pub const fn ticket(&mut self) -> Ticket {
        self.state.tickets.take()
    }

    /// Opens a view over this one, once the calling handler has returned.
    pub fn open(&mut self, view: impl View + 'static) {
        self.changes.push(Change::Open(Box::new(view)));
    }

    /// Opens another feature's view on a subject, once the calling handler has returned.
    pub fn open_on(&mut self, target: Open) {
        self.changes.push(Change::OpenOn(target));
    }

    /// Opens the view that `view` builds from the state; false, and nothing opened, if it returns `None`.
    pub fn try_open<V: View + 'static>(&mut self, view: impl FnOnce(&State) -> Option<V>) -> bool {
        let view = view(self.state);
        let is_there = view.is_some();
        self.changes.extend(view.map(|view| Change::Open(Box::new(view))));
        is_there
    }

    /// Takes the commands available here, which are set only while help or the palette is about to open;
    /// `None` otherwise and on a second call.
    pub const fn take_commands(&mut self) -> Option<Commands> {
        self.commands.take()
    }

    /// Whether nothing is open over the pane.
    pub const fn is_on_pane(&self) -> bool {
        self.depth == 0
    }

    /// Closes the calling view and all above it, once its handler has returned. A pane is never closed.
    pub fn close(&mut self) {
        self.changes.push(Change::Close);
    }

    /// Closes all views over the pane, once the calling handler has returned.
    pub fn close_all(&mut self) {
        self.changes.push(Change::CloseAll);
    }

    /// Performs an action after the pending changes, as if its key were pressed.
    pub fn perform(&mut self, action: Action) {
        self.changes.push(Change::Perform(action));
    }

    /// Performs an action on the pane below, whose selection this view moves, once the calling handler has
    /// returned: for example, opening the details of the selected row.
    pub fn perform_on_pane(&mut self, action: Action) {
        self.changes.push(Change::PerformOnPane(action));
    }

    /// Switches to another market, which is connected already, once the calling handler has returned.
    pub(crate) fn switch(&mut self, ready: MarketReady) {
        self.changes.push(Change::Switch(Box::new(ready)));
    }

    /// Opens a pane and closes all views over it, once the calling handler has returned.
    pub fn go_to(&mut self, pane: Pane) {
        self.changes.push(Change::GoTo(pane));
    }

    /// Sends a read-only request and returns its ticket; [`View::on_news`] of the calling view gets the
    /// response.
    pub fn send(&mut self, request: Request) -> Ticket {
        self.send_for(Owner::View(self.depth), request)
    }

    /// Sends a request and returns its ticket; its response goes to `owner`.
    pub(crate) fn send_for(&mut self, owner: Owner, request: Request) -> Ticket {
        let ticket = self.ticket();
        self.effects_for(owner, [Effect::Call { ticket, request }]);
        ticket
    }

    /// Requests an effect whose news goes to [`View::on_news`] of the calling view.
    pub fn effect_for_view(&mut self, effect: Effect) {
        self.effects_for(Owner::View(self.depth), [effect]);
    }

    /// Stops waiting for the replies to these tickets, which must be those of reads.
    pub fn abort(&mut self, tickets: impl IntoIterator<Item = Ticket>) {
        self.effects.extend(tickets.into_iter().map(Effect::Abort));
    }

    /// Requests an effect without an owner: its ticket, if it has one, must have been assigned before.
    pub fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Requests effects without an owner, in this order.
    pub fn effects(&mut self, effects: impl IntoIterator<Item = Effect>) {
        self.effects.extend(effects);
    }

    /// The polls of the effects that this update has requested to record so far, in order.
    pub fn recorded(&self) -> impl Iterator<Item = &Poll> {
        self.effects.iter().filter_map(|effect| {
            let Effect::History(HistoryJob::Record(poll)) = effect else {
                return None;
            };
            Some(&**poll)
        })
    }

    /// Reports that a change of the user cannot be saved, unless an earlier failure is still reported; the
    /// next change is saved again.
    pub fn not_saved(&mut self, error: EffectError) {
        self.state.record_save_result(Err(error));
    }

    /// Shows a notice in place of the current one.
    pub fn show(&mut self, toast: Toast) {
        self.state.show(toast);
    }

    /// Shows a short notice, for four seconds, in place of the current one.
    pub fn toast(&mut self, text: impl Into<String>) {
        self.state.toast = Some(Toast::new(text, self.now));
    }

    /// Shows a short error notice, for eight seconds, in place of the current one.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.state.toast = Some(Toast::error(text, self.now));
    }

    /// Reports the parts that a paste left out, as an error notice; nothing if all was pasted.
    pub fn pasted(&mut self, pasted: Pasted) {
        if let Some(notice) = pasted.notice() {
            self.complain(notice);
        }
    }

    /// The viewport of a region of the calling view in the last frame; the default one if it was not drawn.
    pub fn viewport(&self, region: Region) -> Viewport {
        self.layout.viewport(self.depth, region)
    }

    /// Numbers of table columns hidden in the last frame: scrolled away at the left, and those that did not
    /// fit at the right.
    pub const fn hidden_columns(&self) -> (usize, usize) {
        (self.layout.columns_left, self.layout.columns_right)
    }

    /// Whether the table showed a column in the last frame.
    pub fn has_header(&self, field: &Field) -> bool {
        self.layout.has_header(field)
    }

    /// The width, in terminal columns, that table and preview shared in the last frame; that of the screen if
    /// they were not split.
    pub fn split_width(&self) -> u16 {
        self.layout.split.map_or(self.state.screen.size.0, |(_, width)| width)
    }

    /// Signed number of lines an action moves the cursor in the main region, with the last frame's page size;
    /// `None` if it is no motion.
    pub fn motion(&self, action: Action) -> Option<isize> {
        action.motion(self.viewport(Region::MAIN).page)
    }

    /// Runs one of the listed commands in the view that had the focus, or else on the table below; an error
    /// notice if it is bound in neither. A user's own command always runs on the table, and one that switches
    /// markets in the view. The list closes.
    pub fn run_command(&mut self, commands: &Commands, action: Action) {
        let knows = |contexts: &[Context]| {
            let mut rows = BINDINGS.iter().filter(|row| row.action == action);
            rows.any(|row| contexts.contains(&row.context))
        };
        if matches!(action, Action::Command(_)) {
            // It is about the selected row of the table.
            self.go_to(self.state.pane);
            return self.perform(action);
        }
        if knows(commands.contexts) && !commands.hidden.contains(&action) || matches!(action, Action::Market(_)) {
            self.close();
            self.perform(action);
        } else if commands.below.is_some_and(knows) {
            self.go_to(self.state.pane);
            self.perform(action);
        } else if knows(commands.contexts) {
            // Disabled here; running it shows why.
            self.close();
            self.perform(action);
        } else {
            let row = BINDINGS.iter().find(|row| row.action == action);
            let context = row.map_or("elsewhere", |row| row.context.title());
            self.close();
            self.complain(format!("Only available in: {context}"));
        }
    }
}

/// Sends the searches of the tables whose new sort order has not changed for a moment. While timers are held
/// back by an error, the pending ones are dropped instead.
pub(crate) fn ask_settled_orders(cx: &mut Cx<'_>) {
    let is_held = cx.state.held(cx.now).is_some();
    for resource in Resource::ALL {
        let due = &mut cx.state.browsers[resource].ask_order_at;
        due.take_if(|_| is_held);
        if due.is_some_and(|due| due <= cx.now.mono) {
            cx.ask(resource);
        }
    }
}
