//! The search settings besides filters: price type, storage, limit, and the most used switches.
//! Settings that a dialect cannot send are applied to the loaded rows.

mod draw;

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::view::{Cx, Outcome, Scene};
use crate::core::views::form_view::FormView;
use crate::core::views::request_preview::RequestPreview;
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::{
    Condition, Dialect, Field, OfferType, Operand, Operator, Query, Resource, Value, format, language,
};
use crate::keys::Action;
use crate::widgets::form;
use crate::widgets::form::Form;

const OFFER_TYPES: [OfferType; 3] = [OfferType::OnDemand, OfferType::Bid, OfferType::Reserved];

/// Datacenters, private hosts, or both.
const HOSTS: [(Option<bool>, &str); 3] = [
    (None, "all hosts"),
    (Some(true), "datacenters only"),
    (Some(false), "private hosts only"),
];

/// One field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    OfferType,
    Storage,
    Limit,
    Cores,
    Hosts,
    Bundling,
    Apply,
}

/// The selected and typed values.
#[derive(Debug, Clone, PartialEq)]
struct Values {
    offer_type: usize,
    storage: String,
    limit: String,
    cores: String,
    hosts: usize,
    unbundled: usize,
}

/// The values of closed settings, one per resource.
#[derive(Debug, Default)]
struct Left([Option<Values>; 3]);

/// A query to pass to the filter editor below.
#[derive(Debug)]
pub(crate) struct Chosen(pub Query);

#[derive(Debug)]
pub(crate) struct Settings {
    base: Query,
    dialect: &'static Dialect,
    form: Form<Setting>,
    start: Values,
    preview: RequestPreview,
    has_draft: bool,
    /// Whether the query goes to the filter editor below instead of the market.
    is_over_filter: bool,
}

impl Settings {
    /// The settings of the pane's query.
    pub fn new(state: &State) -> Option<Self> {
        let browser = state.browser()?;
        (browser.resource() != Resource::Workergroups)
            .then(|| Self::of(browser.query.clone(), browser.dialect(), false, state))
    }

    /// The settings of the filter editor's query.
    pub fn over_filter(query: Query, state: &State) -> Self {
        Self::of(query, state.profile.dialect, true, state)
    }

    fn of(base: Query, dialect: &'static Dialect, is_over_filter: bool, state: &State) -> Self {
        let start = Values::of(&base);
        let left = state.drafts.get::<Left>();
        let mut view = Self {
            form: fields(&base, dialect, &start),
            preview: RequestPreview::default(),
            has_draft: left.is_some_and(|Left(all)| all[base.resource as usize].is_some()),
            base,
            dialect,
            start,
            is_over_filter,
        };
        view.look_ahead();
        view
    }

    fn values(&self) -> Values {
        Values {
            offer_type: self.form.chosen(Setting::OfferType),
            storage: self.form.text(Setting::Storage).to_owned(),
            limit: self.form.text(Setting::Limit).to_owned(),
            cores: self.form.text(Setting::Cores).to_owned(),
            hosts: self.form.chosen(Setting::Hosts),
            unbundled: self.form.chosen(Setting::Bundling),
        }
    }

    fn set(&mut self, values: &Values) {
        self.form.choose(Setting::OfferType, values.offer_type);
        self.form.set_text(Setting::Storage, &values.storage);
        self.form.set_text(Setting::Limit, &values.limit);
        self.form.set_text(Setting::Cores, &values.cores);
        self.form.choose(Setting::Hosts, values.hosts);
        self.form.choose(Setting::Bundling, values.unbundled);
    }

    fn look_ahead(&mut self) {
        if let Some(query) = self.query() {
            self.preview = RequestPreview::of(query, self.dialect);
        }
    }

    /// The query with these settings; `None` if a field is invalid.
    fn query(&self) -> Option<Query> {
        if self.form.fault().is_some() {
            return None;
        }
        let values = self.values();
        let mut query = self.base.clone();
        query.limit = limit(&values.limit).ok()?;
        if self.base.resource != Resource::Offers {
            return Some(query);
        }
        query.offer_type = OFFER_TYPES[values.offer_type];
        query.unbundled = values.unbundled > 0;
        let number = |key, text: &str| number(&self.base, self.dialect, key, text).ok();
        query.storage = number("disk_space", &values.storage)?.or(Some(DEFAULT_STORAGE_GB));
        let cores = number("cpu_cores", &values.cores)?.map(Value::Number);
        replace(&mut query, "cpu_cores", Operator::Gte, cores);
        let datacenter = HOSTS[values.hosts].0.map(Value::Flag);
        replace(&mut query, "datacenter", Operator::Eq, datacenter);
        Some(query)
    }

    fn apply(&mut self, cx: &mut Cx<'_>) {
        if !self.form.validate() {
            return;
        }
        let Some(query) = self.query() else { return };
        // Nothing is left to restore.
        self.start = self.values();
        cx.close();
        if self.is_over_filter {
            cx.drafts().put(Chosen(query));
        } else if let Some(browser) = cx.pane_table() {
            let words = browser.words.clone();
            let must_ask = browser.apply(query, words);
            browser.show_query_in_bar();
            if must_ask {
                cx.perform_on_pane(Action::Refresh);
            }
        }
        self.leave(None, cx);
    }

    fn leave(&self, values: Option<Values>, cx: &mut Cx<'_>) {
        let mut left = cx.drafts().take::<Left>().unwrap_or_default();
        left.0[self.base.resource as usize] = values;
        cx.drafts().put(left);
    }

    fn recall(&mut self, cx: &mut Cx<'_>) {
        let left = cx.drafts().get::<Left>();
        if let Some(values) = left.and_then(|Left(all)| all[self.base.resource as usize].clone()) {
            self.leave(None, cx);
            self.has_draft = false;
            self.set(&values);
            self.look_ahead();
        }
    }
}

fn fields(base: &Query, dialect: &'static Dialect, values: &Values) -> Form<Setting> {
    let limit_field =
        form::Field::text(Setting::Limit, "Max rows", values.limit.clone()).check(|text| limit(text).map(drop));
    let apply = form::Field::button(Setting::Apply, "Apply");
    if base.resource != Resource::Offers {
        return Form::new(vec![limit_field, apply]).submits(Setting::Apply);
    }
    let of = base.clone();
    let storage = form::Field::text(Setting::Storage, "Storage", values.storage.clone())
        .note("GB")
        .check(move |text| match number(&of, dialect, "disk_space", text)? {
            Some(gb) if !(0.0..=1e9).contains(&gb) => Err("Storage is from 0 to 1,000,000,000 GB".to_owned()),
            _ => Ok(()),
        });
    let of = base.clone();
    let cores = form::Field::text(Setting::Cores, "Min vCPUs", values.cores.clone())
        .check(move |text| number(&of, dialect, "cpu_cores", text).map(drop));
    let types = OFFER_TYPES.map(OfferType::wire);
    let hosts = HOSTS.map(|(_, name)| name);
    let bundling = ["bundled into one", "each on its own"];
    Form::new(vec![
        form::Field::choice(Setting::OfferType, "Prices", types, values.offer_type),
        storage,
        limit_field,
        cores,
        form::Field::choice(Setting::Hosts, "Hosts", hosts, values.hosts),
        form::Field::choice(Setting::Bundling, "Equal offers", bundling, values.unbundled),
        apply,
    ])
    .submits(Setting::Apply)
}

impl Values {
    fn of(query: &Query) -> Self {
        let found = |key: &str, operator: Operator| {
            let mut active = query.active();
            let found = active.find(|condition| condition.field.key == key && condition.operator == operator);
            found.and_then(|condition| match &condition.operand {
                Operand::One(value) => Some(language::print_value(condition.field, value)),
                Operand::Many(_) => None,
            })
        };
        let datacenter = found("datacenter", Operator::Eq).and_then(|text| text.parse().ok());
        let place = |found: Option<usize>| found.unwrap_or(0);
        Self {
            offer_type: place(OFFER_TYPES.iter().position(|own| *own == query.offer_type)),
            storage: query.storage.map_or_else(String::new, |gb| format::trimmed(gb, 3)),
            limit: query.limit.map_or_else(String::new, |limit| limit.to_string()),
            cores: found("cpu_cores", Operator::Gte).unwrap_or_default(),
            hosts: place(HOSTS.iter().position(|(own, _)| *own == datacenter)),
            unbundled: usize::from(query.unbundled),
        }
    }
}

/// A limit; an empty field sends none.
fn limit(text: &str) -> Result<Option<u32>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse() {
        Ok(limit) if limit > 0 => Ok(Some(limit)),
        _ => Err("A whole number from 1 on, or empty".to_owned()),
    }
}

/// A number in the format of the field's values; `None` for an empty text.
fn number(base: &Query, dialect: &'static Dialect, key: &str, text: &str) -> Result<Option<f64>, String> {
    let field = base.catalog().by_key(key);
    let Some(field) = field.filter(|_| !text.is_empty()) else {
        return Ok(None);
    };
    match language::parse_operand(field, Operator::Gte, text, dialect) {
        Ok(Operand::One(Value::Number(number))) => Ok(Some(number)),
        Ok(_) => Err("Not a valid number".to_owned()),
        Err(error) => Err(error.message),
    }
}

/// Sets the condition of a setting, or removes it.
fn replace(query: &mut Query, key: &str, operator: Operator, value: Option<Value>) {
    let Some(field): Option<&'static Field> = query.catalog().by_key(key) else {
        return;
    };
    let place = query
        .conditions
        .iter()
        .position(|condition| condition.enabled && condition.field == field && condition.operator == operator);
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

impl FormView for Settings {
    type Key = Setting;

    fn form(&self) -> &Form<Setting> {
        &self.form
    }

    fn form_mut(&mut self) -> &mut Form<Setting> {
        &mut self.form
    }

    fn submitted(&mut self, _: Setting, cx: &mut Cx<'_>) {
        self.apply(cx);
    }

    fn changed(&mut self, setting: Setting, _: &mut Cx<'_>) {
        if setting == Setting::Bundling && self.dialect.bundling_parameter.is_none() {
            self.form.choose(Setting::Bundling, self.start.unbundled);
            let why = "This market has no parameter for it".to_owned();
            self.form.set_error(Setting::Bundling, Some(why));
        }
        self.look_ahead();
    }

    fn other(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Reset => {
                let fresh = language::default_query(self.base.resource, self.dialect);
                self.set(&Values::of(&fresh));
                self.look_ahead();
            }
            Action::Recall => self.recall(cx),
            Action::Back => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit => Some("apply"),
            _ => None,
        }
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        let values = self.values();
        if values != self.start {
            self.leave(Some(values), cx);
            cx.toast("Query unchanged, edits kept");
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::settings(self, area, scene);
    }
}
