//! The form for a new market, or for the dialect and the key of an existing one.
//!
//! Input is checked while typing. No invalid input is lost, except a key when the form closes.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;

use super::address::addresses;
use super::{draw, question};
use crate::api::Origin;
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::domain::evidence::Findings;
use crate::domain::secrets::KeyFault;
use crate::domain::{Dialect, Untrusted};
use crate::features::markets;
use crate::features::markets::name::name_fault;
use crate::features::markets::{Change, KeyFrom, Market, NewMarket};
use crate::keys::{Action, Context, KeyTarget as _, Motion, bindings};
use crate::settings::KEY_VARIABLE;
use crate::tui::form::{Field, Form, FormEvent};
use crate::tui::secret_input::SecretInput;

const SOURCES: [&str; 3] = ["a private file", "the environment", "a command"];
const FILE: usize = 0;
const ENVIRONMENT: usize = 1;
const COMMAND: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarketField {
    Name,
    Address,
    Route,
    Dialect,
    Writes,
    KeyFrom,
    Key,
    Command,
    Save,
}

impl MarketField {
    const TEXTS: [Self; 4] = [Self::Name, Self::Address, Self::Route, Self::Command];
}

/// The input of a closed form; never the key.
#[derive(Debug)]
struct Left {
    texts: [String; 4],
    choices: [usize; 3],
}

#[derive(Debug)]
pub(super) struct MarketForm {
    /// The market that is changed; `None` for a new one.
    pub(super) market: Option<Box<Market>>,
    pub(super) form: Form<MarketField>,
    /// The reason it could not be saved.
    pub(super) complaint: Option<String>,
    /// The evidence for the dialect of the market at this address.
    pub(super) findings: Option<Findings>,
    /// Whether the documented dialect was selected because the market could not be searched.
    pub(super) is_dialect_assumed: bool,
    /// Whether saving is in progress.
    is_busy: bool,
    taken: Vec<String>,
    has_variable: bool,
}

impl MarketForm {
    /// A form for a new market, with the input of a closed one except the API key.
    pub fn new(cx: &mut Cx<'_>) -> Self {
        let mut form = Self::blank(None, cx.state());
        if let Some(left) = cx.drafts().take::<Left>() {
            for (line, text) in MarketField::TEXTS.into_iter().zip(&left.texts) {
                form.form.set_text(line, text);
            }
            let choices = [MarketField::Dialect, MarketField::Writes, MarketField::KeyFrom];
            for (line, choice) in choices.into_iter().zip(left.choices) {
                form.form.choose(line, choice);
            }
        }
        form.check();
        form
    }

    /// A form for the dialect and the key of a market, with the key focused.
    pub fn settings_of(market: &Market, state: &State) -> Self {
        let mut form = Self::blank(Some(market), state);
        form.choose_dialect(Some(market.dialect));
        form.form.focus_on(MarketField::Key);
        form.check();
        form
    }

    /// The form with its fields unfilled; for `market`, only the fields of dialect and key.
    fn blank(market: Option<&Market>, state: &State) -> Self {
        let market_list = &state.markets.market_list;
        let dialect = |first: Option<&'static str>| {
            let dialects = first.into_iter().chain(Dialect::ALL.map(|dialect| dialect.name));
            Field::choice(MarketField::Dialect, "Works like", dialects, 0)
        };
        let mut fields = if market.is_some() {
            vec![dialect(None)]
        } else {
            vec![
                Field::text(MarketField::Address, "Address", ""),
                Field::text(MarketField::Name, "Name", ""),
                Field::text(MarketField::Route, "Routing", ""),
                dialect(Some("find out")),
                Field::choice(MarketField::Writes, "Writes", ["on", "off (read-only)"], 0),
            ]
        };
        fields.extend([
            Field::choice(MarketField::KeyFrom, "Key from", SOURCES, FILE),
            Field::secret(MarketField::Key, "Key"),
            Field::text(MarketField::Command, "Command", ""),
            Field::button(MarketField::Save, "Save"),
        ]);
        Self {
            market: market.cloned().map(Box::new),
            form: Form::new(fields).submits(MarketField::Save),
            complaint: None,
            findings: None,
            is_dialect_assumed: false,
            is_busy: false,
            taken: market_list.markets.iter().map(|market| market.name.clone()).collect(),
            has_variable: market_list.has_variable,
        }
    }

    /// "New market", or "Settings of" the market that is changed.
    pub fn title(&self) -> String {
        match &self.market {
            None => "New market".to_owned(),
            Some(market) => format!("Settings of {}", market.name),
        }
    }

    pub const fn form(&self) -> &Form<MarketField> {
        &self.form
    }

    /// The reason the last attempt to save or paste failed; `None` after the next edit.
    pub fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }

    /// The check or save in progress; `None` while the form can be edited.
    pub fn progress(&self) -> Option<String> {
        if !self.is_busy {
            return None;
        }
        let is_probing = self.is_new() && self.dialect().is_none();
        Some(if is_probing {
            format!(
                "Checking {} …",
                Untrusted::from(self.text(MarketField::Address)).screen(60)
            )
        } else {
            "Saving …".to_owned()
        })
    }

    /// Number of fields that can be visible at the same time, without the Save button.
    pub const fn field_count(&self) -> u16 {
        if self.market.is_some() { 3 } else { 7 }
    }

    /// The dialect that an existing market is changed to; `None` if it stays, or the market is new.
    fn other_dialect(&self) -> Option<&'static Dialect> {
        let market = self.market.as_ref()?;
        self.dialect().filter(|dialect| *dialect != market.dialect)
    }

    /// Whether the key of an existing market stays: the file is selected as its source, no key is typed, and
    /// the dialect is changed.
    fn keeps_key(&self) -> bool {
        let is_blank = self.form.secret(MarketField::Key).is_none_or(SecretInput::is_empty);
        self.source() == FILE && is_blank && self.other_dialect().is_some()
    }

    pub(super) const fn is_new(&self) -> bool {
        self.market.is_none()
    }

    /// The text in a field of the form, as typed.
    pub(super) fn text(&self, line: MarketField) -> String {
        self.form.text(line).to_owned()
    }

    /// The index in `SOURCES` of the selected key source.
    fn source(&self) -> usize {
        self.form.chosen(MarketField::KeyFrom)
    }

    /// The field in which the key source is completed: the key, or its command; the choice of the source
    /// itself if the key comes from the environment.
    pub(super) fn key_line(&self) -> MarketField {
        match self.source() {
            FILE => MarketField::Key,
            COMMAND => MarketField::Command,
            _ => MarketField::KeyFrom,
        }
    }

    /// Shows the mistakes in the input, except that a text is still empty; completes the other addresses, and
    /// hides the key or command field that the selected source does not use.
    pub(super) fn check(&mut self) {
        self.complete_addresses(self.form.focused());
        let source = self.source();
        self.form.set_hidden(MarketField::Key, source != FILE);
        self.form.set_hidden(MarketField::Command, source != COMMAND);
        for line in [
            MarketField::Address,
            MarketField::Name,
            MarketField::Route,
            MarketField::Dialect,
            MarketField::KeyFrom,
            MarketField::Key,
        ] {
            let is_blank = match line {
                MarketField::Key => self.form.secret(line).is_none_or(SecretInput::is_empty),
                MarketField::KeyFrom | MarketField::Dialect => false,
                line => self.text(line).is_empty(),
            };
            let objection = if is_blank { None } else { self.objection(line) };
            self.form.set_error(line, objection);
        }
    }

    /// The mistake in a field, or `None` if it is valid.
    pub(super) fn objection(&self, line: MarketField) -> Option<String> {
        match line {
            MarketField::Name => name_fault(&self.text(line), &self.taken),
            MarketField::Address => self.address_fault(&self.text(line)),
            MarketField::Route if self.text(line).is_empty() => None,
            MarketField::Route => self.address_fault(&self.text(line)),
            MarketField::Key if self.keeps_key() => None,
            MarketField::Key => self.form.secret(line)?.fault().map(|fault| match fault {
                KeyFault::Empty => "type or paste the key".to_owned(),
                KeyFault::TooLong | KeyFault::Blanks | KeyFault::Characters => format!("not a valid key: {fault}"),
            }),
            MarketField::Command => {
                let is_empty = self.text(line).is_empty();
                is_empty.then(|| "type the command that prints the key".to_owned())
            }
            // Whether a key may be sent to the address of an existing market.
            MarketField::KeyFrom => match &self.market {
                Some(market) if self.sends_key() => addresses(market).iter().find_map(|address| {
                    let origin = Origin::parse(address).ok()?;
                    origin.judge_for_key().err().map(|why| why.to_string())
                }),
                _ => None,
            },
            MarketField::Dialect => {
                let is_open = self.findings.is_some() && self.dialect().is_none();
                is_open.then(|| "the market does not show it: choose one".to_owned())
            }
            MarketField::Writes | MarketField::Save => None,
        }
    }

    /// Whether a key will be sent: not if it comes from the environment and the variable is unset.
    pub(super) fn sends_key(&self) -> bool {
        self.source() != ENVIRONMENT || self.has_variable
    }

    /// The explanation of the focused field; `submit` is the keyboard key that saves. Empty on the Save
    /// button unless it has findings on the dialect.
    pub fn note(&self, submit: &str) -> String {
        match self.form.focused() {
            Some(MarketField::Name) => "Letters, digits, - and _".to_owned(),
            Some(line @ (MarketField::Address | MarketField::Route)) => self.address_note(line),
            Some(MarketField::Dialect | MarketField::Save) if self.findings.is_some() => self.findings_note(submit),
            Some(MarketField::Dialect) => match self.dialect().map(|dialect| dialect.name) {
                None => "Save sends the market four searches to find out",
                Some("vast") => "Names and units as in the public service: network speeds in Mb/s",
                Some("sandbox") => "Names and units as in bourse's own sandbox: network speeds in Mb/s",
                Some(_) => "Names and units as in the published documentation: network speeds in MB/s",
            }
            .to_owned(),
            Some(MarketField::Writes) => "Off refuses to create workergroups and to unlist volumes".to_owned(),
            Some(MarketField::KeyFrom) => self.source_note(),
            Some(MarketField::Key) if self.keeps_key() => "Blank: the key stays as it is".to_owned(),
            Some(MarketField::Key) => {
                let key = self.form.secret(MarketField::Key);
                let first = match key.and_then(SecretInput::length_hint) {
                    Some(hint) => hint,
                    None if key.is_none_or(SecretInput::is_empty) => "Type or paste it. ",
                    None => "",
                };
                format!("{first}It is never shown.{}", self.receivers())
            }
            Some(MarketField::Command) => "Run without a shell at each start, such as: pass show market".to_owned(),
            Some(MarketField::Save) | None => String::new(),
        }
    }

    /// The explanation of the selected key source: where the key is saved or read.
    fn source_note(&self) -> String {
        match self.source() {
            FILE => {
                let first = if self.has_variable {
                    format!(" {KEY_VARIABLE} is set and is used first.")
                } else {
                    String::new()
                };
                format!("Saved in {}, readable only by you.{first}", self.file())
            }
            ENVIRONMENT if self.has_variable => {
                format!("{KEY_VARIABLE} is set: that key is sent. Nothing is saved.")
            }
            ENVIRONMENT => {
                format!("{KEY_VARIABLE} is not set: no key is sent until it is. Nothing is saved.")
            }
            _ => "The key is what it prints; the command is saved.".to_owned(),
        }
    }

    /// The file in which the key will be saved, for display.
    fn file(&self) -> String {
        match &self.market {
            Some(market) => match &market.file {
                Some(file) => format!("{}, replacing the key there", file.path),
                None => format!("keys/{} beside the configuration", market.name),
            },
            None if self.objection(MarketField::Name).is_none() => {
                format!("keys/{} beside the configuration", self.text(MarketField::Name))
            }
            None => "a file beside the configuration".to_owned(),
        }
    }

    /// The change of the saved markets that the form describes, if every field is valid; otherwise focuses
    /// the first invalid field, shows its error and returns `None`.
    fn change(&mut self) -> Option<Change> {
        self.complete_addresses(None);
        if let Some((line, why)) = self.first_fault() {
            self.form.focus_on(line);
            self.form.set_error(line, Some(why));
            return None;
        }
        let (name, dialect) = (
            self.market.as_ref().map(|market| market.name.clone()),
            self.other_dialect(),
        );
        if let (Some(name), Some(dialect), true) = (&name, dialect, self.keeps_key()) {
            let (name, from) = (name.clone(), None);
            return Some(Change::Dialect { name, dialect, from });
        }
        let from = match self.source() {
            FILE => KeyFrom::File(self.form.secret(MarketField::Key)?.secret()),
            ENVIRONMENT => KeyFrom::Environment,
            _ => KeyFrom::Command(self.text(MarketField::Command)),
        };
        Some(match (name, dialect) {
            (Some(name), None) => Change::Key { name, from },
            (Some(name), Some(dialect)) => {
                let from = Some(from);
                Change::Dialect { name, dialect, from }
            }
            (None, _) => Change::Add(NewMarket {
                name: self.text(MarketField::Name),
                base_url: self.text(MarketField::Address),
                route_url: Some(self.text(MarketField::Route)).filter(|route| !route.is_empty()),
                dialect: self.dialect().unwrap_or(&Dialect::DOCUMENTED),
                read_only: self.form.chosen(MarketField::Writes) > 0,
                key: from,
            }),
        })
    }

    /// Saves the change, after a question if that deletes a stored key; an undetected dialect is detected
    /// first, and an invalid field only shows its error.
    fn save(&mut self, cx: &mut Cx<'_>) {
        let Some(change) = self.change() else { return };
        self.complaint = None;
        if let (Change::Add(market), None) = (&change, self.dialect()) {
            self.is_busy = true;
            return markets::find_dialect(market.clone(), cx);
        }
        let private = self.market.as_ref().and_then(|market| {
            let file = market.file.as_ref().filter(|file| file.is_ours)?;
            Some((market.name.clone(), file.path.clone()))
        });
        match private.filter(|_| self.source() != FILE) {
            None => {
                self.is_busy = true;
                markets::change(change, cx);
            }
            Some((name, file)) => {
                let what = format!("The stored key is lost: its file {file} will be deleted.");
                cx.open(question(&format!("the key of {name}"), what, change));
            }
        }
    }

    /// Stores the input of a new market as a draft, without the API key, and confirms it in a toast; for an
    /// existing market, or without text, a toast only if a typed key is discarded.
    fn put_away(&self, cx: &mut Cx<'_>) {
        let had_key = self.form.secret(MarketField::Key).is_some_and(|key| !key.is_empty());
        let texts = MarketField::TEXTS.map(|line| self.text(line));
        if self.market.is_none() && texts.iter().any(|text| !text.is_empty()) {
            let choices = [MarketField::Dialect, MarketField::Writes, MarketField::KeyFrom];
            let choices = choices.map(|line| self.form.chosen(line));
            cx.drafts().put(Left { texts, choices });
            let key = if had_key { ", without the key" } else { "" };
            cx.toast(format!("Edits kept{key}"));
        } else if had_key {
            cx.toast("The key that you typed is discarded");
        }
    }
}

impl View for MarketForm {
    fn contexts(&self) -> &'static [Context] {
        self.form.contexts()
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    /// Nothing is edited while the market is checked or saved.
    fn availability(&self, action: Action, _: &State) -> Availability {
        let edits = |context| bindings(context).any(|row| row.action == action);
        let is_edit = action != Action::Back && (edits(Context::Form) || edits(Context::Choice));
        Availability::hidden_if(self.is_busy && is_edit)
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit if self.first_fault().is_some() => Some("next"),
            Action::Submit if self.is_new() && self.dialect().is_none() => Some("find out"),
            Action::Submit => Some("save"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if action == Action::Back {
            cx.close();
            return Outcome::Handled;
        }
        if self.is_busy {
            return Outcome::Handled;
        }
        let key = self.key_line();
        let is_last = self
            .form
            .focused()
            .is_some_and(|field| field == key || field == MarketField::Save);
        if action == Action::Move(Motion::Last) && !is_last {
            // The last field is the key: on the button below it nothing can be typed.
            self.form.focus_on(key);
            self.check();
            return Outcome::Handled;
        }
        match self.form.update(action.command()) {
            FormEvent::Submitted(_) => {
                self.save(cx);
                return Outcome::Handled;
            }
            FormEvent::Changed(_) => {
                self.complaint = None;
                self.on_address();
            }
            FormEvent::Moved => {}
            FormEvent::Ignored => return Outcome::Ignored,
        }
        self.check();
        Outcome::Handled
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Outcome {
        if self.is_busy {
            return Outcome::Handled;
        }
        if self.form.key(key) {
            self.complaint = None;
            self.on_address();
            self.check();
        } else if matches!(key.code, KeyCode::Char(_)) && self.form.is_on_choice() {
            cx.complain("Nothing can be typed here: go to the Key field");
        }
        Outcome::Handled
    }

    fn paste(&mut self, text: &str, _: &mut Cx<'_>) -> Outcome {
        if self.is_busy {
            return Outcome::Handled;
        }
        let text = text.trim();
        let fault = self.paste_fault(text).map(str::to_owned);
        self.complaint = fault.or_else(|| {
            let pasted = self.form.paste(text);
            pasted.err().map(|why| format!("nothing was pasted: {why}"))
        });
        self.on_address();
        self.check();
        Outcome::Handled
    }

    fn click(&mut self, _: Region, index: usize, cx: &mut Cx<'_>) -> Outcome {
        if !self.is_busy {
            if let FormEvent::Submitted(_) = self.form.click(index) {
                self.save(cx);
            } else {
                self.check();
            }
        }
        Outcome::Handled
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        self.is_busy = cx.state().markets.is_changing;
    }

    fn tick(&mut self, cx: &mut Cx<'_>) {
        if !self.is_busy || cx.state().markets.is_changing {
            return;
        }
        if let Some(found) = cx.markets().findings.take() {
            self.is_busy = false;
            return self.on_findings(found);
        }
        match cx.markets().failed.take() {
            Some(why) => {
                self.is_busy = false;
                self.complaint = Some(why);
            }
            None => cx.close(),
        }
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        // Saved input is no draft.
        if !self.is_busy || cx.state().markets.is_changing {
            self.put_away(cx);
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::form(self, area, scene);
    }
}
