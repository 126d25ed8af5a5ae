//! The form for a new alert, or to edit one.

use ratatui::layout::Rect;

use super::backtest::Backtest;
use super::draw;
use super::fields::{
    AlertField, DOWN, FEWER, GPUS, PER, PRICES, REPEATS, TRIGGERS, UNTIL, WORKERS, field_of, trigger_fields,
    trigger_texts,
};
use super::subjects::{AlertSubject, is_volume, subjects, subjects_including};
use crate::core::State;
use crate::core::keys::Keymap;
use crate::core::view::{Cx, Scene};
use crate::core::views::form_view::FormView;
use crate::domain::format;
use crate::domain::plain::PriceLimit;
use crate::domain::quantity::{self, Quantity, QuantityError};
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::text::visible;
use crate::features::alerts::AlertWatch;
use crate::features::alerts::change as change_alerts;
use crate::keys::{Action, Context};
use crate::record::alerts::{Alert, AlertChange, Followed, describe_trigger};
use crate::record::{AlertState, Moment, PricePer, Repeat, Rule, Trigger};
use crate::tui::form::{Field, Form};
use crate::tui::text::capitalized;

#[derive(Debug)]
pub(super) struct AlertForm {
    form: Form<AlertField>,
    subjects: Vec<AlertSubject>,
    zone: jiff::tz::TimeZone,
    /// The alert being edited; `None` for a new one.
    edited: Option<Alert>,
    pub backtest: Backtest,
}

impl AlertForm {
    /// The form of a new alert on the open pane's search or selected workergroup, or else on the first saved
    /// search; `None` if there is none of these.
    pub fn new(state: &State) -> Option<Self> {
        let subjects = subjects(state);
        let first = subjects.first()?;
        let is_group = matches!(first.follows, Followed::Group(_));
        let mut view = Self::with_subjects(subjects, None, state);
        view.form
            .choose(AlertField::Trigger, if is_group { WORKERS } else { 0 });
        view.arrange();
        Some(view)
    }

    /// The form of a new alert with a limit of the price, which is blank without one; `None` if there is no search to
    /// follow.
    pub fn below(limit: Option<PriceLimit>, state: &State) -> Option<Self> {
        let mut view = Self::new(state)?;
        view.form.choose(AlertField::Trigger, 0);
        if let Some(limit) = limit {
            let per = PRICES
                .iter()
                .position(|per| (*per == PricePer::Gpu) == limit.is_per_gpu);
            view.form.choose(AlertField::Per, per.unwrap_or(0));
            view.form
                .set_text(AlertField::Price, &format::trimmed(limit.dollars, 6));
        }
        view.arrange();
        view.focus_on_limit();
        Some(view)
    }

    /// The form with the values of an example: 0 the default for the selection, 1 a number of GPUs at once
    /// (for a workergroup, too few GPUs), else a falling price. `None` if there is no search or workergroup
    /// to follow.
    pub fn example(index: usize, state: &State) -> Option<Self> {
        let mut view = Self::new(state)?;
        let trigger = match (index, view.form.chosen(AlertField::Trigger)) {
            (0, first) => first,
            (1, WORKERS) => FEWER,
            (1, _) => GPUS,
            _ => DOWN,
        };
        view.form.choose(AlertField::Trigger, trigger);
        view.arrange();
        view.focus_on_limit();
        Some(view)
    }

    /// Focuses the first field of the chosen trigger.
    fn focus_on_limit(&mut self) {
        if let Some(first) = trigger_fields(self.form.chosen(AlertField::Trigger)).first() {
            self.form.focus_on(*first);
        }
    }

    /// The label of the followed search or workergroup; empty if there is none.
    pub fn subject_label(&self) -> String {
        self.subject().map_or_else(String::new, |subject| subject.label.clone())
    }

    /// The condition of the rule in the fields; while a field is invalid, only its kind: `price below a limit
    /// that you give`.
    pub fn trigger_words(&self) -> String {
        match self.rule() {
            Ok(rule) => describe_trigger(&rule, self.is_volume()),
            Err(_) => format!(
                "{} a limit that you give",
                TRIGGERS[self.form.chosen(AlertField::Trigger)]
            ),
        }
    }

    /// The form that edits an alert, with its values. The name is blank if it was made from the condition, so
    /// that it follows a changed one.
    pub fn editing(alert: Alert, state: &State) -> Self {
        let (subjects, subject) = subjects_including(&alert, state);
        let (trigger, texts) = trigger_texts(alert.rule.trigger);
        let text = describe_trigger(&alert.rule, is_volume(&alert.follows));
        // A name that is its condition follows it.
        let name = Some(&alert.name).filter(|name| !name.ends_with(&format!(": {text}")));
        let name = name.cloned().unwrap_or_default();
        let (repeat, until) = match alert.rule.repeat {
            Repeat::Once => (0, String::new()),
            Repeat::EveryTime => (1, String::new()),
            Repeat::Until(end) => {
                let end = jiff::Timestamp::from_second(end.0).unwrap_or_default();
                let end = end.to_zoned(state.settings.zone.clone());
                (UNTIL, end.strftime("%Y-%m-%d %H:%M").to_string())
            }
        };
        let per = PRICES.iter().position(|per| *per == alert.rule.per).unwrap_or(0);
        let mut view = Self::with_subjects(subjects, Some(alert), state);
        for (key, text) in texts
            .into_iter()
            .chain([(AlertField::Name, name), (AlertField::Until, until)])
        {
            view.form.set_text(key, &text);
        }
        let choices = [
            (AlertField::Follows, subject),
            (AlertField::Trigger, trigger),
            (AlertField::Repeat, repeat),
            (AlertField::Per, per),
        ];
        for (key, choice) in choices {
            view.form.choose(key, choice);
        }
        view.arrange();
        view
    }

    /// The form with the fields of all triggers, at their default values or those of the selected row;
    /// `edited` is the alert that it changes, `None` for a new one.
    fn with_subjects(subjects: Vec<AlertSubject>, edited: Option<Alert>, state: &State) -> Self {
        let labels: Vec<String> = subjects.iter().map(|subject| subject.label.clone()).collect();
        let text = |key, label: &'static str, value: &str| Field::text(key, label, value);
        let mut form = Form::new(vec![
            Field::choice(AlertField::Follows, "Follows", labels, 0),
            Field::choice(AlertField::Trigger, "Rings at", TRIGGERS, 0),
            text(AlertField::Gpus, "GPUs", "8").note("in all offers together"),
            text(AlertField::Price, "Price", ""),
            Field::choice(AlertField::Per, "Price per", PER, 0),
            text(AlertField::Machine, "Machine", "").note("its id"),
            text(AlertField::Percent, "Down by", "10").note("%"),
            text(AlertField::Hours, "Within", "24").note("hours, 1 to 168"),
            text(AlertField::Workers, "Workers", "20").note("the group's max workers"),
            Field::choice(AlertField::Repeat, "Rings", REPEATS, 0),
            text(AlertField::Until, "Until", "").note("2026-12-31 or 2026-12-31 18:00"),
            text(AlertField::Name, "Name", "").note("blank: search and condition"),
            Field::button(AlertField::Add, if edited.is_some() { "Save" } else { "Add alert" }),
        ])
        .submits(AlertField::Add);
        for (key, number) in selected_numbers(state) {
            form.set_text(key, &number);
        }
        Self {
            form,
            subjects,
            zone: state.settings.zone.clone(),
            edited,
            backtest: Backtest::default(),
        }
    }

    /// Whether the form is for an alert that exists.
    pub const fn is_edit(&self) -> bool {
        self.edited.is_some()
    }

    /// Number of visible fields; the unit of a price counts although it is hidden for volumes.
    pub fn fields(&self) -> usize {
        // AlertSubject, trigger, repetition, name and button are always there.
        let until = usize::from(self.form.chosen(AlertField::Repeat) == UNTIL);
        5 + trigger_fields(self.form.chosen(AlertField::Trigger)).len() + until
    }

    /// Shows the fields that the chosen trigger and repetition need, hides the others, and updates the note
    /// beside the price.
    fn arrange(&mut self) {
        let shown = trigger_fields(self.form.chosen(AlertField::Trigger));
        let is_until = self.form.chosen(AlertField::Repeat) == UNTIL;
        for key in [
            AlertField::Gpus,
            AlertField::Price,
            AlertField::Machine,
            AlertField::Percent,
            AlertField::Hours,
            AlertField::Workers,
        ] {
            self.form.set_hidden(key, !shown.contains(&key));
        }
        self.form.set_hidden(AlertField::Until, !is_until);
        self.annotate();
    }

    /// Shows beside the price the lowest recorded one (`now from $0.210 per GPU`), or else its unit. The
    /// choice of GPU or machine is hidden for volumes and for triggers without a price limit.
    fn annotate(&mut self) {
        let is_volume = self.is_volume();
        let (unit, per) = match (is_volume, self.per()) {
            (true, _) => ("$/GB/month", ""),
            (false, PricePer::Gpu) => ("$/h per GPU", " per GPU"),
            (false, PricePer::Machine) => ("$/h per machine", " per machine"),
        };
        let note = match self.backtest.lowest(self.per()) {
            Some(lowest) => format!("now from {}{per}", format::unit_price(lowest)),
            None => unit.to_owned(),
        };
        self.form.set_note(AlertField::Price, note);
        let is_priced = trigger_fields(self.form.chosen(AlertField::Trigger)).contains(&AlertField::Per);
        self.form.set_hidden(AlertField::Per, is_volume || !is_priced);
    }

    /// A warning that the lowest recorded price is below the typed limit already; `None` if it is not, for
    /// other triggers, and while the fields hold no valid rule.
    pub fn met_sentence(&self) -> Option<String> {
        let lowest = self.backtest.lowest(self.per())?;
        let Trigger::PriceBelow(limit) = self.rule().ok()?.trigger else {
            return None;
        };
        (lowest < limit).then(|| format!("It rings at once: offers start at {} now.", format::unit_price(lowest)))
    }

    /// A warning that the search has a price limit of its own, beyond which no offer can ring; `None` if it has none.
    pub fn limit_sentence(&self) -> Option<String> {
        let Followed::Search(spec) = &self.subject()?.follows else {
            return None;
        };
        let mut conditions = spec.query.split(' ');
        let limit = conditions.find(|own| own.starts_with("dph_total<") || own.starts_with("dph_per_gpu<"))?;
        Some(format!(
            "Only offers with {limit} can ring, as the search has that limit."
        ))
    }

    /// Sentences on how often the alert is checked, how it rings, by which programs, and whether it fires again.
    pub fn check_sentences(&self, keymap: &Keymap) -> [String; 3] {
        let repeat = match self.form.chosen(AlertField::Repeat) {
            0 => "Checked every minute while bourse runs, until it rings.",
            _ => "Checked every minute while bourse runs. Rings again after the condition was clear for a while.",
        };
        let rings = "It rings the terminal's bell, and the notification or command that config.toml sets.";
        let (list, copy) = (
            keymap.key_of(Action::Alerts),
            keymap.key_in(&[Context::Report], Action::Copy),
        );
        let closed = format!(
            "While bourse is closed, bourse watch --saved checks it: in the list of alerts ({list}), {copy} copies its command."
        );
        [repeat.to_owned(), rings.to_owned(), closed]
    }

    /// The unit of the prices in the form: a GPU, or all GPUs of a machine.
    pub fn per(&self) -> PricePer {
        PRICES[self.form.chosen(AlertField::Per)]
    }

    /// Starts an analysis of the form's rule on the recorded polls.
    ///
    /// While the fields hold no valid rule, the analysis only provides the current lowest price.
    fn ask(&mut self, cx: &mut Cx<'_>) {
        let rule = self.rule().unwrap_or_else(|_| Rule {
            model: None,
            repeat: Repeat::EveryTime,
            per: self.per(),
            trigger: Trigger::PriceBelow(f64::MIN_POSITIVE),
        });
        if let Some(subject) = self.subjects.get(self.form.chosen(AlertField::Follows)) {
            self.backtest.ask(&subject.follows, rule, cx);
        }
    }

    /// The typed price in dollars: of an hour, or of a GB and month if the alert follows volumes.
    fn price(&self) -> Result<f64, (AlertField, String)> {
        let quantity = if self.is_volume() {
            Quantity::Dollars
        } else {
            Quantity::HourlyDollars
        };
        let price = quantity::parse(self.form.text(AlertField::Price), quantity);
        price.map_err(|error| match error {
            QuantityError::Missing => (AlertField::Price, "Give a price, such as 0.30".to_owned()),
            QuantityError::Malformed(_) | QuantityError::OutOfRange { .. } => (AlertField::Price, error.to_string()),
        })
    }

    /// The number in a field, without `%`; the error asks for `what`, such as "a price".
    fn number<N: std::str::FromStr>(&self, key: AlertField, what: &str) -> Result<N, (AlertField, String)> {
        let text = self.form.text(key).trim_end_matches('%').trim();
        let number = text.parse();
        number.map_err(|_| (key, format!("Give {what}")))
    }

    /// The rule in the fields, or the first invalid field and its error. An edited alert keeps its GPU model,
    /// for which there is no field.
    pub fn rule(&self) -> Result<Rule, (AlertField, String)> {
        let trigger = match self.form.chosen(AlertField::Trigger) {
            0 => Trigger::PriceBelow(self.price()?),
            1 => Trigger::GpusAtLeast {
                gpus: self.number(AlertField::Gpus, "a number of GPUs")?,
                below: match self.form.text(AlertField::Price) {
                    "" => None,
                    _ => Some(self.price()?),
                },
            },
            2 => Trigger::MachineBack(self.number(AlertField::Machine, "the id of a machine")?),
            3 => Trigger::PriceDown {
                percent: self.number(AlertField::Percent, "a percentage")?,
                hours: self.number(AlertField::Hours, "a number of hours")?,
            },
            4 => Trigger::GpusBelow(self.number(AlertField::Gpus, "a number of GPUs")?),
            _ => Trigger::WorkersBelow(self.number(AlertField::Workers, "a number of workers")?),
        };
        let repeat = match self.form.chosen(AlertField::Repeat) {
            0 => Repeat::Once,
            1 => Repeat::EveryTime,
            _ => Repeat::Until(self.until()?),
        };
        let model = self.edited.as_ref().and_then(|edited| edited.rule.model.clone());
        let rule = Rule {
            model,
            repeat,
            per: self.per(),
            trigger,
        };
        rule.validate()
            .map_err(|error| (field_of(error), capitalized(&error.to_string())))?;
        Ok(rule)
    }

    /// The end of a repeated alert, in the user's time zone; for a date alone it is 23:59 of that day. `Err`
    /// if the field has no valid date.
    fn until(&self) -> Result<Moment, (AlertField, String)> {
        let text = self.form.text(AlertField::Until);
        let wrong = || (AlertField::Until, "Give a date, such as 2026-12-31".to_owned());
        let text = if text.contains(':') {
            text.to_owned()
        } else {
            format!("{text} 23:59")
        };
        let end = jiff::civil::DateTime::strptime("%Y-%m-%d %H:%M", &text);
        let end = end.ok().and_then(|end| end.to_zoned(self.zone.clone()).ok());
        let end = end.ok_or_else(wrong)?;
        Ok(Moment(end.timestamp().as_second()))
    }

    /// The chosen search or workergroup; `None` if there are no choices.
    fn subject(&self) -> Option<&AlertSubject> {
        self.subjects.get(self.form.chosen(AlertField::Follows))
    }

    /// Whether the chosen subject is a search of volumes.
    pub fn is_volume(&self) -> bool {
        self.subject().is_some_and(|subject| is_volume(&subject.follows))
    }

    /// The storage in GB that prices include; `None` if the workergroup's search determines it, or if there
    /// is nothing to follow.
    pub fn storage(&self) -> Option<f64> {
        match &self.subject()?.follows {
            Followed::Search(spec) => Some(spec.storage.unwrap_or(DEFAULT_STORAGE_GB)),
            Followed::Group(_) => None,
        }
    }

    /// The followed search for display: its query with hostile characters escaped, cut after about 300
    /// characters, or a note that it is the search of a workergroup; empty if nothing is followed.
    pub fn search_text(&self) -> String {
        match self.subject().map(|subject| &subject.follows) {
            Some(Followed::Search(spec)) => visible(&spec.query, 300),
            Some(Followed::Group(id)) => format!("The search of workergroup {id}"),
            None => String::new(),
        }
    }

    /// Adds or saves the alert and closes the form; for invalid fields, or a limit of workers without a
    /// workergroup, only the error is shown. A blank name becomes the subject and the condition.
    fn add(&mut self, cx: &mut Cx<'_>) {
        let rule = match self.rule() {
            Ok(rule) => rule,
            Err((key, why)) => {
                self.form.set_error(key, Some(why));
                self.form.focus_on(key);
                return;
            }
        };
        let Some(subject) = self.subject().cloned() else {
            return;
        };
        let is_for_workers = matches!(rule.trigger, Trigger::WorkersBelow(_));
        if is_for_workers != matches!(subject.follows, Followed::Group(_)) && is_for_workers {
            let why = "Only a workergroup has workers".to_owned();
            self.form.set_error(AlertField::Trigger, Some(why));
            return;
        }
        let name = match self.form.text(AlertField::Name) {
            "" => format!("{}: {}", subject.label, describe_trigger(&rule, self.is_volume())),
            name => name.to_owned(),
        };
        let change = self.change(name, subject.follows, rule, cx);
        change_alerts(cx, change);
        cx.close();
    }

    /// The change that adds the alert under a name not in use, or edits the open one; a notice names it.
    ///
    /// The state of an edited alert is unchanged if its search and its rule are.
    fn change(&self, name: String, follows: Followed, rule: Rule, cx: &mut Cx<'_>) -> AlertChange {
        let all = &AlertWatch::read(cx.state()).all;
        let Some(edited) = &self.edited else {
            let alert = Alert {
                name: all.free_name(&name),
                follows,
                rule,
                is_paused: false,
                state: AlertState::default(),
            };
            cx.toast(format!("Added alert “{}”", visible(&alert.name, 120)));
            return AlertChange::Put(Box::new(alert));
        };
        let is_same = edited.follows == follows && edited.rule == rule;
        // It may have been checked since the form opened.
        let state = all.named(&edited.name).map(|stored| stored.state.clone());
        let alert = Alert {
            name: if name == edited.name {
                name
            } else {
                all.free_name(&name)
            },
            follows,
            rule,
            is_paused: edited.is_paused,
            state: state.filter(|_| is_same).unwrap_or_default(),
        };
        cx.toast(format!("Saved alert “{}”", visible(&alert.name, 120)));
        AlertChange::Edit {
            name: edited.name.clone(),
            alert: Box::new(alert),
        }
    }
}

/// The numbers of the open pane's selected row that triggers use: the machine's id and the workergroup's
/// `max_workers`, each only if the row has it. Empty without a selected row.
fn selected_numbers(state: &State) -> Vec<(AlertField, String)> {
    let Some((browser, listing)) = state.browser().and_then(|browser| Some((browser, browser.listing()?))) else {
        return Vec::new();
    };
    let number = |(key, name): (AlertField, &str)| {
        let field = listing.catalog().by_key(name)?;
        let number = listing.cell(browser.selected_row()?, field).whole()?;
        Some((key, number.to_string()))
    };
    let by_field = [
        (AlertField::Machine, "machine_id"),
        (AlertField::Workers, "max_workers"),
    ];
    by_field.into_iter().filter_map(number).collect()
}

impl FormView for AlertForm {
    type Field = AlertField;

    fn form(&self) -> &Form<AlertField> {
        &self.form
    }

    fn form_mut(&mut self) -> &mut Form<AlertField> {
        &mut self.form
    }

    fn submitted(&mut self, _: AlertField, cx: &mut Cx<'_>) {
        self.add(cx);
    }

    fn changed(&mut self, _: AlertField, cx: &mut Cx<'_>) {
        self.arrange();
        self.ask(cx);
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        self.ask(cx);
    }

    fn tick(&mut self, cx: &mut Cx<'_>) {
        if self.backtest.take(cx) {
            self.annotate();
            // The input may have changed meanwhile.
            self.ask(cx);
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit if self.is_edit() => Some("save"),
            Action::Submit => Some("add alert"),
            _ => None,
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::form(self, area, scene);
    }
}
