//! What a search asks besides its filters: price type, storage, limit, and the switches that people
//! reach for most. What a dialect cannot send is applied here, or greyed with the reason.

use super::Model;
use super::actions::{movement, refresh};
use super::keymap::Action;
use super::message::{Effect, Toast};
use super::overlay::Overlay;
use super::remote::Now;
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::{
    Condition, Dialect, Field, OfferType, Operand, Operator, Query, Resource, Value, format,
    language,
};
use crate::widgets::text_input::TextInput;

/// One line of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// On demand, bid or reserved.
    OfferType,
    /// GB of storage that prices include.
    Storage,
    /// The most records wanted.
    Limit,
    /// Virtual processors at least.
    Cores,
    /// Datacenters, private hosts, or both.
    Datacenter,
    /// Whether equal offers are shown as one.
    Bundling,
}

impl Setting {
    /// All of them, in the order of their lines.
    const ALL: [Self; 6] = [
        Self::OfferType,
        Self::Storage,
        Self::Limit,
        Self::Cores,
        Self::Datacenter,
        Self::Bundling,
    ];

    /// What it is called.
    pub const fn label(self) -> &'static str {
        match self {
            Self::OfferType => "Prices",
            Self::Storage => "Storage in GB",
            Self::Limit => "Rows at most",
            Self::Cores => "vCPUs at least",
            Self::Datacenter => "Hosts",
            Self::Bundling => "Equal offers",
        }
    }

    /// Whether it is chosen among a few values; the others are typed.
    pub const fn is_choice(self) -> bool {
        matches!(self, Self::OfferType | Self::Datacenter | Self::Bundling)
    }
}

/// The settings being edited.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    offer_type: OfferType,
    storage: String,
    limit: String,
    cores: String,
    datacenter: Option<bool>,
    unbundled: bool,
}

/// The editor of the settings.
#[derive(Debug, Clone)]
pub struct SearchSettings {
    base: Query,
    dialect: &'static Dialect,
    start: Values,
    values: Values,
    input: TextInput,
    selected: usize,
    complaint: Option<String>,
}

impl SearchSettings {
    /// The settings of `query`.
    pub fn new(query: Query, dialect: &'static Dialect) -> Self {
        let values = Values::of(&query);
        let mut settings = Self {
            base: query,
            dialect,
            start: values.clone(),
            values,
            input: TextInput::default(),
            selected: 0,
            complaint: None,
        };
        settings.select(0);
        settings
    }

    /// The lines: offers have all settings, volumes only the limit.
    pub fn lines(&self) -> &'static [Setting] {
        match self.base.resource {
            Resource::Offers => &Setting::ALL,
            _ => &[Setting::Limit],
        }
    }

    /// The place of the selected line.
    pub const fn selected(&self) -> usize {
        self.selected
    }

    /// The selected line.
    pub fn current(&self) -> Setting {
        self.lines()[self.selected.min(self.lines().len() - 1)]
    }

    /// The line in which the selected value is typed.
    pub const fn input(&self) -> &TextInput {
        &self.input
    }

    /// What stands against applying them, found when it was tried.
    pub fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }

    /// Whether something differs from what runs.
    pub fn is_changed(&self) -> bool {
        self.values != self.start
    }

    /// Selects a line.
    pub fn select(&mut self, index: usize) {
        self.selected = index.min(self.lines().len() - 1);
        let text = self.value(self.current());
        self.input.set(text);
        self.input.select_all();
    }

    /// A value as text.
    pub fn value(&self, setting: Setting) -> String {
        let values = &self.values;
        match setting {
            Setting::OfferType => values.offer_type.wire().to_owned(),
            Setting::Storage => values.storage.clone(),
            Setting::Limit => values.limit.clone(),
            Setting::Cores => values.cores.clone(),
            Setting::Datacenter => match values.datacenter {
                None => "all hosts",
                Some(true) => "datacenters only",
                Some(false) => "private hosts only",
            }
            .to_owned(),
            Setting::Bundling => if values.unbundled {
                "each on its own"
            } else {
                "bundled into one"
            }
            .to_owned(),
        }
    }

    /// Why a line cannot be changed, if it cannot.
    pub fn disabled(&self, setting: Setting) -> Option<&'static str> {
        (setting == Setting::Bundling && self.dialect.bundling_parameter.is_none())
            .then_some("the interface of this market does not name the switch")
    }

    /// What becomes of a value: sent, worked out here, or nothing.
    pub fn note(&self, setting: Setting) -> String {
        let condition = |key: &str| match self.base.catalog().by_key(key) {
            Some(field) if self.dialect.sends(field) => format!("sent as {key}"),
            _ => "local: applied to the rows that came".to_owned(),
        };
        match setting {
            Setting::OfferType => "sent as type".to_owned(),
            Setting::Storage => match self.dialect.storage_parameter {
                Some(name) => format!("sent as {name}; prices are an estimate until the answer"),
                None => "local: this market cannot be asked, prices are an estimate".to_owned(),
            },
            Setting::Limit => "sent as limit; empty leaves it to the market".to_owned(),
            Setting::Cores => condition("cpu_cores"),
            Setting::Datacenter => condition("datacenter"),
            Setting::Bundling => match (self.disabled(setting), self.dialect.bundling_parameter) {
                (Some(why), _) => format!("not now: {why}"),
                (None, Some(name)) => format!("sent as {name}"),
                (None, None) => String::new(),
            },
        }
    }

    /// Types into the selected value.
    pub(super) fn type_into(&mut self, edit: impl FnOnce(&mut TextInput) -> bool) {
        let setting = self.current();
        if setting.is_choice() || !edit(&mut self.input) {
            return;
        }
        self.complaint = None;
        let text = self.input.text().to_owned();
        match setting {
            Setting::Storage => self.values.storage = text,
            Setting::Limit => self.values.limit = text,
            Setting::Cores => self.values.cores = text,
            _ => {}
        }
    }

    /// Takes the next (or previous) value of a line with a few values.
    pub fn turn(&mut self, forward: bool) {
        let setting = self.current();
        if self.disabled(setting).is_some() {
            self.complaint = self.disabled(setting).map(str::to_owned);
            return;
        }
        let values = &mut self.values;
        match setting {
            Setting::OfferType if forward => values.offer_type = values.offer_type.next(),
            Setting::OfferType => values.offer_type = values.offer_type.next().next(),
            Setting::Datacenter => {
                values.datacenter = match (values.datacenter, forward) {
                    (None, true) | (Some(false), false) => Some(true),
                    (Some(true), true) | (None, false) => Some(false),
                    _ => None,
                }
            }
            Setting::Bundling => values.unbundled = !values.unbundled,
            _ => {}
        }
    }

    /// Back to what a search starts from.
    pub fn reset(&mut self) {
        let fresh = language::default_query(self.base.resource, self.dialect);
        self.values = Values::of(&fresh);
        self.select(self.selected);
    }

    /// The query with these settings.
    ///
    /// # Errors
    /// The line that cannot be used, and why.
    pub fn query(&self) -> Result<Query, (Setting, String)> {
        let mut query = self.base.clone();
        query.limit = limit(&self.values.limit).map_err(|why| (Setting::Limit, why))?;
        if self.base.resource != Resource::Offers {
            return Ok(query);
        }
        query.offer_type = self.values.offer_type;
        query.unbundled = self.values.unbundled;
        query.storage = self
            .number("disk_space", &self.values.storage)
            .map_err(|why| (Setting::Storage, why))?
            .or(Some(DEFAULT_STORAGE_GB));
        if query.storage.is_some_and(|gb| !(0.0..=1e9).contains(&gb)) {
            let why = "the storage is a number of GB from 0 to 1000000000".to_owned();
            return Err((Setting::Storage, why));
        }
        let cores = self
            .number("cpu_cores", &self.values.cores)
            .map_err(|why| (Setting::Cores, why))?;
        replace(
            &mut query,
            "cpu_cores",
            Operator::Gte,
            cores.map(Value::Number),
        );
        let datacenter = self.values.datacenter.map(Value::Flag);
        replace(&mut query, "datacenter", Operator::Eq, datacenter);
        Ok(query)
    }

    /// A number as the field's values are written; `None` for an empty text.
    fn number(&self, key: &str, text: &str) -> Result<Option<f64>, String> {
        let field = self.base.catalog().by_key(key);
        let Some(field) = field.filter(|_| !text.trim().is_empty()) else {
            return Ok(None);
        };
        match language::parse_operand(field, Operator::Gte, text, self.dialect) {
            Ok(Operand::One(Value::Number(number))) => Ok(Some(number)),
            Ok(_) => Err("write a number".to_owned()),
            Err(error) => Err(error.message),
        }
    }

    /// Goes to the line that cannot be used and says why.
    fn complain(&mut self, setting: Setting, why: String) {
        let line = self.lines().iter().position(|own| *own == setting);
        self.select(line.unwrap_or(0));
        self.complaint = Some(why);
    }
}

impl Values {
    fn of(query: &Query) -> Self {
        let number = |key: &str, operator: Operator| {
            found(query, key, operator).and_then(|condition| match &condition.operand {
                Operand::One(value) => Some(language::print_value(condition.field, value)),
                Operand::Many(_) => None,
            })
        };
        Self {
            offer_type: query.offer_type,
            storage: query
                .storage
                .map_or_else(String::new, |gb| format::trimmed(gb, 3)),
            limit: query
                .limit
                .map_or_else(String::new, |limit| limit.to_string()),
            cores: number("cpu_cores", Operator::Gte).unwrap_or_default(),
            datacenter: number("datacenter", Operator::Eq).and_then(|text| text.parse().ok()),
            unbundled: query.unbundled,
        }
    }
}

/// A limit; empty leaves it to the market.
fn limit(text: &str) -> Result<Option<u32>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse() {
        Ok(limit) if limit > 0 => Ok(Some(limit)),
        _ => Err("the limit is a whole number from 1 on, or empty".to_owned()),
    }
}

/// The condition in force that a setting stands for.
fn found<'a>(query: &'a Query, key: &str, operator: Operator) -> Option<&'a Condition> {
    query
        .active()
        .find(|condition| condition.field.key == key && condition.operator == operator)
}

/// Puts a value into the condition that a setting stands for, or takes the condition away.
fn replace(query: &mut Query, key: &str, operator: Operator, value: Option<Value>) {
    let Some(field): Option<&'static Field> = query.catalog().by_key(key) else {
        return;
    };
    let place = query.conditions.iter().position(|condition| {
        condition.enabled && condition.field == field && condition.operator == operator
    });
    match (place, value) {
        (Some(place), Some(value)) => query.conditions[place].operand = Operand::One(value),
        (Some(place), None) => {
            query.conditions.remove(place);
        }
        (None, Some(value)) => {
            let condition = Condition::new(field, operator, Operand::One(value));
            query.conditions.push(condition);
        }
        (None, None) => {}
    }
}

/// Opens the search settings of the pane in sight.
pub(super) fn open(model: &mut Model) {
    let Some(browser) = model.browser() else {
        return;
    };
    let settings = SearchSettings::new(browser.query.clone(), browser.dialect());
    model.overlays.push(Overlay::Settings(Box::new(settings)));
}

/// What a verb means for the search settings.
pub(super) fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let page = model.facts.overlay_page.max(1);
    let draft = model
        .browser_mut()
        .and_then(|browser| browser.settings_draft.take_if(|_| action == Action::Recall));
    let Some(Overlay::Settings(settings)) = model.overlays.last_mut() else {
        return Vec::new();
    };
    if let Some(step) = movement(action, page) {
        let next = settings.selected.saturating_add_signed(step);
        settings.select(next);
        return Vec::new();
    }
    match action {
        Action::Toggle | Action::Right => settings.turn(true),
        Action::Left => settings.turn(false),
        Action::Reset => settings.reset(),
        Action::Recall => {
            if let Some(draft) = draft {
                settings.values = draft.values;
                settings.select(draft.selected);
            }
        }
        Action::Submit => match settings.query() {
            Ok(query) => return take(model, now, query),
            Err((setting, why)) => settings.complain(setting, why),
        },
        Action::Back => {
            let left = settings.is_changed().then(|| settings.clone());
            model.overlays.pop();
            if left.is_some() {
                if let Some(browser) = model.browser_mut() {
                    browser.settings_draft = left;
                }
                let text = "The query is as it was; the settings keep the draft";
                model.show(Toast::new(text, now));
            }
        }
        _ => {}
    }
    Vec::new()
}

/// Gives the query to the filter editor that lies below, else runs it.
fn take(model: &mut Model, now: Now, query: Query) -> Vec<Effect> {
    model.overlays.pop();
    if let Some(Overlay::Filter(editor)) = model.overlays.last_mut() {
        editor.take(query);
        return Vec::new();
    }
    let Some(browser) = model.browser_mut() else {
        return Vec::new();
    };
    browser.settings_draft = None;
    let words = browser.words.clone();
    let must_ask = browser.apply(query, words);
    browser.show_query_in_bar();
    if must_ask {
        refresh(model, now)
    } else {
        Vec::new()
    }
}
