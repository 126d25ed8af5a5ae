//! The depth: the number of GPUs at or below each price, and the price of buying N of them.

mod draw;

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::view::{Availability, Cx, Open, Outcome, Region, Scene, View};
use crate::core::views::keys::TABBED_CHART;
use crate::core::views::wider;
use crate::domain::Resource;
use crate::domain::insight::{Depth, GroupValue, MOST_GPUS, Purchase, facets};
use crate::keys::{Action, Context};
use crate::table::browser::Browser;

/// The view of the depth of the offers, or of one GPU model among them.
#[derive(Debug)]
pub(crate) struct DepthView {
    /// The models, those with the most offers first.
    models: Vec<String>,
    /// The shown model; `None` for all.
    model: Option<String>,
    depth: Depth,
    /// The depth as a sentence; `None` if no offer has a price.
    sentence: Option<String>,
    /// The purchases of increasing sizes.
    purchases: Vec<Purchase>,
    cursor: usize,
    /// Whether prices are the bills of a job.
    has_job: bool,
    /// Whether they are bills for work, which has no price per GPU.
    is_work: bool,
}

impl DepthView {
    /// The depth of all models together, from the table's rows.
    pub fn new(state: &State) -> Self {
        let mut view = Self {
            models: Vec::new(),
            model: None,
            depth: Depth::default(),
            sentence: None,
            purchases: Vec::new(),
            cursor: 0,
            has_job: false,
            is_work: false,
        };
        view.rebuild(&state.browsers[Resource::Offers]);
        view
    }

    /// Recomputes the models, and the depth, sentence and purchases of the shown one, from the table's rows.
    /// For a job given as work there is no sentence and no purchase.
    fn rebuild(&mut self, offers: &Browser) {
        let (Some(listing), Some(field)) = (offers.listing(), Resource::Offers.catalog().by_key("gpu_name")) else {
            return;
        };
        let rows = offers.view();
        let groups = facets(listing, rows, field).into_iter();
        let names = groups.filter_map(|(value, _)| match value {
            GroupValue::Text(name) => Some(name.unescaped().to_owned()),
            GroupValue::Blank | GroupValue::Flag(_) | GroupValue::Number(_) => None,
        });
        self.models = names.collect();
        let column = listing.column(field);
        let is_shown = |row: &u32| match &self.model {
            None => true,
            Some(model) => {
                let text = column.text(*row as usize);
                text.is_some_and(|text| text.unescaped() == model)
            }
        };
        let rows: Vec<u32> = rows.iter().copied().filter(is_shown).collect();
        self.depth = offers.measured(listing, |measures| Depth::new(listing, &rows, measures));
        self.has_job = offers.computed.job.is_some();
        self.is_work = offers.pricing().is_work();
        if self.is_work {
            (self.sentence, self.purchases) = (None, Vec::new());
            return;
        }
        self.sentence = self
            .depth
            .describe_supply(!offers.may_have_more(), |price| draw::money(price, self.has_job));
        self.purchases = self.depth.purchases();
        self.cursor = self.cursor.min(self.purchases.len().saturating_sub(1));
    }

    /// Shows the model `by` places further, wrapping around; all models together come before the first.
    /// `models.len()` is one step back.
    fn switch(&mut self, by: usize, state: &State) {
        let many = self.models.len() + 1;
        let here = self.models.iter().position(|model| Some(model) == self.model.as_ref());
        let next = (here.map_or(0, |index| index + 1) + by) % many;
        self.model = next.checked_sub(1).and_then(|index| self.models.get(index).cloned());
        self.cursor = 0;
        self.rebuild(&state.browsers[Resource::Offers]);
    }

    /// The purchase under the cursor; `None` if there are none.
    fn purchase(&self) -> Option<&Purchase> {
        self.purchases.get(self.cursor)
    }

    /// Opens the planner of clusters with the GPUs of the selected purchase, up to the planner's maximum, and
    /// the shown model; for a job given as work, without either. Nothing happens if there is no purchase for
    /// another reason.
    fn plan(&self, cx: &mut Cx<'_>) {
        if let Some(purchase) = self.purchase() {
            let gpus = purchase.gpus.min(MOST_GPUS as u64);
            cx.open_on(Open::ClusterOfGpus {
                gpus,
                model: self.model.clone(),
            });
        } else if self.is_work {
            cx.perform(Action::Cluster);
        }
    }
}

impl View for DepthView {
    fn contexts(&self) -> &'static [Context] {
        TABBED_CHART
    }

    fn availability(&self, action: Action, state: &State) -> Availability {
        match action {
            Action::Sort | Action::Differences | Action::Mark | Action::Open => Availability::Hidden,
            Action::Settings => wider::availability(state),
            _ => Availability::Available,
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Right => Some("GPU model"),
            Action::Submit => Some("plan a cluster"),
            Action::Settings => Some("load more"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(lines) = cx.motion(action) {
            let last = self.purchases.len().saturating_sub(1);
            self.cursor = self.cursor.saturating_add_signed(lines).min(last);
            return Outcome::Handled;
        }
        match action {
            Action::Right => self.switch(1, cx.state()),
            Action::Left => self.switch(self.models.len(), cx.state()),
            Action::Submit => self.plan(cx),
            Action::Settings => wider::load(cx),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn click(&mut self, _: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        if line == self.cursor {
            self.plan(cx);
        } else {
            self.cursor = line;
        }
        Outcome::Handled
    }

    fn rows_changed(&mut self, state: &State) {
        self.rebuild(&state.browsers[Resource::Offers]);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::depth(self, area, scene);
    }
}
