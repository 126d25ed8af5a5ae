//! The rows in groups: how many, at which prices, with how much performance for the money.

use super::After;
use crate::app::browser::Browser;
use crate::app::keymap::Action;
use crate::domain::cost::{Prices, VolumePrices};
use crate::domain::format;
use crate::domain::insight::{Group, GroupOrder, GroupValue, Measures, sort_groups, summarise};
use crate::domain::{Field, Resource};

/// What rows are grouped by: the fields and the word for them.
type Grouping = (&'static [&'static str], &'static str);

/// Of offers.
const OFFERS: &[Grouping] = &[
    (&["gpu_name"], "GPU model"),
    (&["num_gpus"], "number of GPUs"),
    (&["gpu_name", "num_gpus"], "model and number"),
    (&["geolocation"], "country"),
    (&["host_id"], "host"),
];

/// Of network volumes.
const VOLUMES: &[Grouping] = &[
    (&["geolocation"], "country"),
    (&["cluster_id"], "cluster"),
    (&["host_id"], "host"),
    (&["verified"], "verified"),
];

/// One group, ready to be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What its rows have in common.
    pub label: String,
    /// The group.
    pub group: Group,
}

/// The summary.
#[derive(Debug)]
pub struct Summary {
    /// The groups, ordered.
    pub lines: Vec<Line>,
    /// The selected group.
    pub cursor: usize,
    /// How far the rows speak for the market.
    pub loaded: String,
    /// What the groups are ordered by.
    pub order: GroupOrder,
    /// What is summarised.
    pub resource: Resource,
    /// Whether prices are those of a job.
    pub has_job: bool,
    grouping: usize,
}

impl Summary {
    /// The rows in sight by the first grouping, GPU model or country, the largest group first.
    pub fn new(browser: &Browser) -> Self {
        let mut view = Self {
            lines: Vec::new(),
            cursor: 0,
            loaded: String::new(),
            order: GroupOrder::Count,
            resource: browser.resource(),
            has_job: browser.figures.job.is_some(),
            grouping: 0,
        };
        view.rebuild(browser);
        view
    }

    const fn table(&self) -> &'static [Grouping] {
        match self.resource {
            Resource::Volumes => VOLUMES,
            _ => OFFERS,
        }
    }

    /// The words for the groupings, the current one marked.
    pub fn groupings(&self) -> impl Iterator<Item = (&'static str, bool)> {
        let current = self.grouping;
        self.table()
            .iter()
            .enumerate()
            .map(move |(index, (_, name))| (*name, index == current))
    }

    /// The largest number of machines in a group, for the length of the bars.
    pub fn largest(&self) -> usize {
        let counts = self.lines.iter().map(|line| line.group.amount.machines);
        counts.max().unwrap_or(0)
    }

    fn fields(&self, browser: &Browser) -> Vec<&'static Field> {
        let (keys, _) = self.table()[self.grouping];
        let catalog = browser.query.catalog();
        keys.iter().filter_map(|key| catalog.by_key(key)).collect()
    }

    fn rebuild(&mut self, browser: &Browser) {
        let Some(listing) = browser.listing() else {
            return;
        };
        let fields = self.fields(browser);
        let pricing = browser.pricing();
        let prices = Prices::new(listing, pricing.model);
        let volumes = VolumePrices::new(listing);
        let measures = match self.resource {
            Resource::Volumes => Measures::volumes(listing, &volumes),
            _ => Measures::priced(&prices, pricing, |row| !browser.figures.is_unfit(row)),
        };
        let mut groups = summarise(listing, browser.view(), &fields, &measures);
        sort_groups(&mut groups, self.order);
        self.lines = groups
            .into_iter()
            .map(|group| Line {
                label: label(&group, &fields),
                group,
            })
            .collect();
        self.cursor = self.cursor.min(self.lines.len().saturating_sub(1));
        self.loaded = super::shown_of_loaded(browser);
    }

    pub(super) fn act(
        &mut self,
        browser: &mut Browser,
        action: Action,
        step: Option<isize>,
    ) -> After {
        if let Some(step) = step {
            let last = self.lines.len().saturating_sub(1);
            self.cursor = self.cursor.saturating_add_signed(step).min(last);
            return After::Stay;
        }
        let many = self.table().len();
        match action {
            Action::Right => self.regroup(browser, (self.grouping + 1) % many),
            Action::Left => self.regroup(browser, (self.grouping + many - 1) % many),
            Action::Sort => {
                self.order = self.order.next();
                self.cursor = 0;
                self.rebuild(browser);
            }
            Action::Submit => {
                let Some(line) = self.lines.get(self.cursor) else {
                    return After::Stay;
                };
                let conditions = line.group.conditions(&self.fields(browser));
                browser.narrow_to(conditions);
                return After::Ask;
            }
            _ => {}
        }
        After::Stay
    }

    fn regroup(&mut self, browser: &Browser, grouping: usize) {
        self.grouping = grouping;
        self.cursor = 0;
        self.rebuild(browser);
    }
}

fn label(group: &Group, fields: &[&'static Field]) -> String {
    let parts: Vec<String> = group
        .key
        .iter()
        .zip(fields)
        .map(|(value, field)| match value {
            GroupValue::Blank => "(not said)".to_owned(),
            GroupValue::Flag(flag) => format::yes_no(*flag).to_owned(),
            GroupValue::Number(number) if field.key == "num_gpus" => {
                format!("{}x", format::number(field, *number))
            }
            GroupValue::Number(number) => format::number(field, *number),
            GroupValue::Text(text) => text.screen(40),
        })
        .collect();
    parts.join(" ")
}
