//! The sort editor: several keys, each with a direction.

mod draw;

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Placement, Scene, View};
use crate::core::views::keys::{edits, only};
use crate::domain::{Catalog, Dialect, Direction, Field, OrderKey};
use crate::keys::{Action, Context, Step};
use crate::table::column_prerequisites::Need;
use crate::widgets::input_widget::InputWidget;
use crate::widgets::list::{Item, List};

/// The fields, sort keys first.
#[derive(Debug)]
pub(crate) struct Sort {
    list: List<&'static Field>,
    keys: Vec<OrderKey>,
    start: Vec<OrderKey>,
    catalog: &'static Catalog,
    dialect: &'static Dialect,
    /// The columns that have no numbers yet, what they wait for, and the key that brings it.
    needs: Vec<(&'static Field, Need, String)>,
}

impl Sort {
    /// The order of the pane.
    pub fn new(state: &State) -> Option<Self> {
        let browser = state.browser()?;
        let keys = browser.query.order.clone();
        let columns = browser.query.catalog().columns();
        let needs = columns.filter_map(|field| {
            let need = browser.need(field)?;
            Some((field, need, state.keymap.key_of(need.action())))
        });
        let needs = needs.collect();
        let mut view = Self {
            list: List::new(Vec::new()).known_as(|field| field.aliases),
            start: keys.clone(),
            keys,
            catalog: browser.query.catalog(),
            dialect: browser.dialect(),
            needs,
        };
        view.relist(None);
        Some(view)
    }

    fn relist(&mut self, keep: Option<&'static Field>) {
        let item = |title: String, field: &'static Field| {
            let text = match self.need(field) {
                Some((need, key)) => format!("needs {}: {key} — {}", need.words(), field.doc),
                None => field.doc.to_owned(),
            };
            Item::new(title, text, field).note(field.key)
        };
        let chosen = self.keys.iter().enumerate().map(|(index, key)| {
            let title = format!(
                "{} {} {}",
                index + 1,
                key.direction.arrow(),
                key.field.header(self.dialect)
            );
            item(title, key.field)
        });
        let mut others: Vec<&'static Field> = self
            .catalog
            .columns()
            .filter(|field| field.sortable)
            .filter(|field| !self.keys.iter().any(|key| key.field == *field))
            .collect();
        // What has numbers comes first, also among equally good matches of what is typed.
        others.sort_by_key(|field| self.need(field).is_some());
        let others = others.into_iter();
        let others = others.map(|field| item(format!("    {}", field.label), field));
        let items = chosen.chain(others).collect();
        self.list.replace(items, keep.as_ref());
    }

    /// What a column waits for, and the key that brings it.
    fn need(&self, field: &Field) -> Option<(Need, &str)> {
        let found = self.needs.iter().find(|(own, ..)| *own == field);
        found.map(|(_, need, key)| (*need, key.as_str()))
    }

    fn current(&self) -> Option<&'static Field> {
        self.list.current().and_then(|item| item.value)
    }

    /// Adds the selected field in its more useful direction; reverses an existing key.
    fn toggle(&mut self) {
        let Some(field) = self.current() else { return };
        if let Some(key) = self.keys.iter_mut().find(|key| key.field == field) {
            key.direction = key.direction.flipped();
        } else {
            let direction = match field.better {
                Some(true) => Direction::Descending,
                _ => Direction::Ascending,
            };
            self.keys.push(OrderKey { field, direction });
        }
        self.relist(Some(field));
    }

    fn remove(&mut self) {
        let Some(field) = self.current() else { return };
        self.keys.retain(|key| key.field != field);
        self.relist(Some(field));
    }

    /// The keys for Enter. If nothing was changed and the selected field is not a key yet, it
    /// becomes the only one: finding a field and pressing Enter means that.
    fn order(&mut self) -> Vec<OrderKey> {
        let is_new = |field| !self.keys.iter().any(|key| key.field == field);
        if self.keys == self.start && self.current().is_some_and(is_new) {
            self.keys.clear();
            self.toggle();
        }
        self.keys.clone()
    }

    /// Makes the selected key more (`by` = -1) or less important.
    fn shift(&mut self, by: isize) {
        let Some(field) = self.current() else { return };
        let Some(place) = self.keys.iter().position(|key| key.field == field) else {
            return;
        };
        let target = place.saturating_add_signed(by).min(self.keys.len() - 1);
        self.keys.swap(place, target);
        self.relist(Some(field));
    }
}

impl View for Sort {
    fn contexts(&self) -> &'static [Context] {
        edits(!self.list.input.is_empty())
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit => Some("sort"),
            Action::Toggle => Some("add or reverse"),
            _ => None,
        }
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        let used = [
            Action::Toggle,
            Action::Remove,
            Action::Shift(Step::Back),
            Action::Shift(Step::Forward),
        ];
        only(&used, action)
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Toggle => self.toggle(),
            Action::Remove => self.remove(),
            Action::Shift(Step::Back) => self.shift(-1),
            Action::Shift(Step::Forward) => self.shift(1),
            Action::Submit => {
                let order = self.order();
                let now = cx.now;
                cx.close();
                if let Some(browser) = cx.pane_table() {
                    let effects = browser.set_order(order, now);
                    let needs = browser.unmet_order();
                    // Who sorts by the cost of a job means to set one.
                    let form = needs.iter().map(|(need, _)| need.action());
                    let form = form.into_iter().find(|action| *action == Action::Job);
                    cx.effects(effects);
                    if let Some(action) = form {
                        cx.perform(action);
                    }
                }
            }
            Action::Back => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn widget(&mut self, _: &Cx<'_>) -> Option<&mut dyn InputWidget> {
        Some(&mut self.list)
    }

    fn on_click(&self) -> Action {
        Action::Toggle
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::sort(self, area, scene);
    }
}
