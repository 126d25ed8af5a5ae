//! The draft that the tabs of the dialog edit: the query and the columns.

use crate::core::view::Cx;
use crate::domain::{Field, Query};
use crate::keys::Action;
use crate::table::browser::Browser;

/// A search as it would be applied.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Draft {
    pub query: Query,
    pub columns: Vec<&'static Field>,
}

/// The unapplied drafts of closed dialogs, one per resource: the search as it was, and as it was
/// edited.
#[derive(Debug, Default)]
pub(super) struct Left([Option<Box<(Draft, Draft)>>; 3]);

impl Draft {
    /// The query and columns of a pane's table as they are applied now.
    pub fn from_browser(browser: &Browser) -> Self {
        Self {
            query: browser.query.clone(),
            columns: browser.columns.clone(),
        }
    }

    /// Applies the differences from the `running` search: queries the market if its response would differ,
    /// otherwise changes the loaded rows. Does nothing if the pane has no table.
    ///
    /// Opens the job form if the new order needs a job that is not set.
    pub fn apply(self, running: &Self, cx: &mut Cx<'_>) {
        let now = cx.now;
        let Some(browser) = cx.pane_table() else {
            return;
        };
        let is_ordered = self.query.order != running.query.order;
        let has_columns = self.columns != running.columns;
        let mut superseded = None;
        if has_columns {
            browser.columns = self.columns;
            browser.column_offset = 0;
        }
        if is_ordered {
            superseded = browser.set_order(self.query.order.clone(), now);
        }
        let is_same = browser.query == self.query;
        let mut must_ask = false;
        if !is_same || !(is_ordered || has_columns) {
            let words = browser.words.clone();
            must_ask = browser.apply(self.query, words);
            browser.show_query_in_bar();
            let text = browser.query_text();
            browser.bar.remember(&text);
        }
        let needs = browser.unmet_order();
        cx.abort(superseded);
        if must_ask {
            cx.perform_on_pane(Action::Refresh);
        }
        // Who sorts by the cost of a job means to set one.
        if is_ordered && needs.iter().any(|(need, _)| need.action() == Action::Job) {
            cx.perform(Action::Job);
        }
    }

    /// Stores the draft of its resource for the next dialog, with the running search from which it was
    /// edited; `None` removes the stored one instead.
    pub fn store(&self, running: Option<&Self>, cx: &mut Cx<'_>) {
        let mut left = cx.drafts().take::<Left>().unwrap_or_default();
        left.0[self.query.resource as usize] = running.map(|running| Box::new((running.clone(), self.clone())));
        cx.drafts().put(left);
    }

    /// Replaces the draft by the stored one of a closed dialog, which is then no longer stored; the order and
    /// the columns only if they were edited there. Does nothing if none is stored.
    pub fn recall(&mut self, cx: &mut Cx<'_>) {
        let left = cx.drafts().get::<Left>();
        let left = left.and_then(|Left(all)| all[self.query.resource as usize].as_deref().cloned());
        let Some((before, mut edited)) = left else {
            return;
        };
        edited.store(None, cx);
        if edited.query.order == before.query.order {
            edited.query.order.clone_from(&self.query.order);
        }
        if edited.columns == before.columns {
            edited.columns.clone_from(&self.columns);
        }
        *self = edited;
    }
}

impl Left {
    /// Whether a closed dialog has stored a draft for the resource of `draft`.
    pub fn has(&self, draft: &Draft) -> bool {
        self.0[draft.query.resource as usize].is_some()
    }
}
