//! The form for a new market, and for the key of one that is there. What is typed is judged as it
//! is typed; nothing of it is lost when something is wrong.

use super::{Change, KEY_VARIABLE, KeyFrom, Market, NewMarket, Roster};
use crate::api::Origin;
use crate::app::keymap::Context;
use crate::domain::Dialect;
use crate::widgets::secret_input::SecretInput;
use crate::widgets::text_input::TextInput;

/// The longest name of a market.
const LONGEST_NAME: usize = 32;

/// What the form is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// Adding a market.
    Add,
    /// Another key for this market.
    KeyOf(Box<Market>),
}

/// A line of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// The name.
    Name,
    /// The base address.
    Address,
    /// The address of the routing endpoint.
    Route,
    /// The dialect.
    Dialect,
    /// Whether creating and unlisting are on.
    Writes,
    /// Where the key comes from.
    KeyFrom,
    /// The key.
    Key,
    /// The command that prints the key.
    Command,
}

impl Line {
    /// Its label.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Name => "Name",
            Self::Address => "Address",
            Self::Route => "Routing",
            Self::Dialect => "Dialect",
            Self::Writes => "Writes",
            Self::KeyFrom => "Key from",
            Self::Key => "Key",
            Self::Command => "Command",
        }
    }

    /// Whether it has a few values instead of a text.
    pub const fn is_choice(self) -> bool {
        matches!(self, Self::Dialect | Self::Writes | Self::KeyFrom)
    }
}

/// Where the key is to come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A private file.
    File,
    /// The environment.
    Environment,
    /// A command.
    Command,
}

/// The form.
#[derive(Debug)]
pub struct MarketForm {
    /// What it is for.
    pub purpose: Purpose,
    name: TextInput,
    address: TextInput,
    route: TextInput,
    dialect: &'static Dialect,
    read_only: bool,
    source: Source,
    key: SecretInput,
    command: TextInput,
    /// The line that takes the keys.
    at: usize,
    /// What is wrong, said when it was tried or by whoever tried to do it.
    pub complaint: Option<String>,
    /// Whether it is being carried out.
    pub(super) is_busy: bool,
    taken: Vec<String>,
    has_variable: bool,
}

impl MarketForm {
    /// A form for a new market.
    pub fn new(roster: &Roster) -> Self {
        Self::blank(Purpose::Add, roster)
    }

    /// A form for the key of a market.
    pub fn key_of(market: &Market, roster: &Roster) -> Self {
        let mut form = Self::blank(Purpose::KeyOf(Box::new(market.clone())), roster);
        form.focus(Line::Key);
        form
    }

    fn blank(purpose: Purpose, roster: &Roster) -> Self {
        Self {
            purpose,
            name: TextInput::default(),
            address: TextInput::default(),
            route: TextInput::default(),
            dialect: &Dialect::DOCUMENTED,
            read_only: false,
            source: Source::File,
            key: SecretInput::default(),
            command: TextInput::default(),
            at: 0,
            complaint: None,
            is_busy: false,
            taken: roster
                .markets
                .iter()
                .map(|market| market.name.clone())
                .collect(),
            has_variable: roster.has_variable,
        }
    }

    /// The lines that it has now.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = match self.purpose {
            Purpose::Add => vec![
                Line::Name,
                Line::Address,
                Line::Route,
                Line::Dialect,
                Line::Writes,
            ],
            Purpose::KeyOf(..) => Vec::new(),
        };
        lines.push(Line::KeyFrom);
        match self.source {
            Source::File => lines.push(Line::Key),
            Source::Environment => {}
            Source::Command => lines.push(Line::Command),
        }
        lines
    }

    /// The place of the line that takes the keys.
    pub fn at(&self) -> usize {
        self.at.min(self.lines().len().saturating_sub(1))
    }

    /// The line that takes the keys.
    pub fn line(&self) -> Line {
        self.lines()
            .get(self.at())
            .copied()
            .unwrap_or(Line::KeyFrom)
    }

    /// The contexts whose keys it takes.
    pub fn contexts(&self) -> &'static [Context] {
        if self.line().is_choice() {
            &[Context::MarketChoice, Context::MarketForm, Context::Always]
        } else {
            &[Context::MarketForm, Context::Always]
        }
    }

    pub(super) fn step(&mut self, by: isize) {
        let count = isize::try_from(self.lines().len()).unwrap_or(1).max(1);
        let at = isize::try_from(self.at()).unwrap_or(0);
        self.at = usize::try_from((at + by).rem_euclid(count)).unwrap_or(0);
    }

    pub(super) fn select(&mut self, index: usize) {
        self.at = index.min(self.lines().len().saturating_sub(1));
    }

    fn focus(&mut self, line: Line) {
        if let Some(at) = self.lines().iter().position(|own| *own == line) {
            self.at = at;
        }
    }

    /// Takes the next (or previous) value of a line with a few values.
    pub(super) fn turn(&mut self, forward: bool) {
        self.complaint = None;
        match self.line() {
            Line::Dialect => {
                let place = Dialect::ALL.iter().position(|own| *own == self.dialect);
                let count = Dialect::ALL.len();
                let by = if forward { 1 } else { count - 1 };
                self.dialect = Dialect::ALL[(place.unwrap_or(0) + by) % count];
            }
            Line::Writes => self.read_only = !self.read_only,
            Line::KeyFrom => {
                self.source = match (self.source, forward) {
                    (Source::File, true) | (Source::Command, false) => Source::Environment,
                    (Source::Environment, true) | (Source::File, false) => Source::Command,
                    (Source::Command, true) | (Source::Environment, false) => Source::File,
                }
            }
            _ => {}
        }
    }

    /// The text of a line that is typed in the clear.
    pub const fn input(&self, line: Line) -> Option<&TextInput> {
        match line {
            Line::Name => Some(&self.name),
            Line::Address => Some(&self.address),
            Line::Route => Some(&self.route),
            Line::Command => Some(&self.command),
            _ => None,
        }
    }

    pub(super) fn input_mut(&mut self) -> Option<&mut TextInput> {
        match self.line() {
            Line::Name => Some(&mut self.name),
            Line::Address => Some(&mut self.address),
            Line::Route => Some(&mut self.route),
            Line::Command => Some(&mut self.command),
            _ => None,
        }
    }

    /// The key that is typed.
    pub const fn key(&self) -> &SecretInput {
        &self.key
    }

    pub(super) const fn key_mut(&mut self) -> &mut SecretInput {
        &mut self.key
    }

    /// The value of a line with a few values.
    pub const fn choice(&self, line: Line) -> &'static str {
        match line {
            Line::Dialect => self.dialect.name,
            Line::Writes if self.read_only => "off (read-only)",
            Line::Writes => "on",
            Line::KeyFrom => match self.source {
                Source::File => "a private file",
                Source::Environment => "the environment",
                Source::Command => "a command",
            },
            _ => "",
        }
    }

    /// What a line is for, in a sentence.
    pub fn note(&self, line: Line) -> String {
        match line {
            Line::Name => "What you will call it: letters, digits, - and _.".to_owned(),
            Line::Address => "Where its API is, such as https://market.example.".to_owned(),
            Line::Route => {
                "Where its routing endpoint is; empty takes the address above.".to_owned()
            }
            Line::Dialect => match self.dialect.name {
                "vast" => "Spelt as the public service spells things.",
                "sandbox" => "As documented, with every name that bourse's sandbox knows.",
                _ => "To the letter of the interface's documentation.",
            }
            .to_owned(),
            Line::Writes => "Off refuses to create workergroups and to unlist volumes.".to_owned(),
            Line::KeyFrom => match self.source {
                Source::File => format!(
                    "Kept in {}; only you can read it.{}",
                    self.shown_file(),
                    if self.has_variable {
                        format!(" {KEY_VARIABLE} is set and comes before it.")
                    } else {
                        String::new()
                    }
                ),
                Source::Environment if self.has_variable => {
                    format!("{KEY_VARIABLE} is set: that key is sent. Nothing is kept.")
                }
                Source::Environment => format!(
                    "{KEY_VARIABLE} is not set: no key is sent until it is. Nothing is kept."
                ),
                Source::Command => "What it prints is the key; the command is kept.".to_owned(),
            },
            Line::Key => format!("Type or paste it. It is never shown.{}", self.receivers()),
            Line::Command => {
                "Run without a shell at each start, such as: pass show market".to_owned()
            }
        }
    }

    /// Who will be sent the key, as the addresses are understood: in plain ASCII.
    fn receivers(&self) -> String {
        let addresses = match &self.purpose {
            Purpose::KeyOf(market) => addresses(market),
            Purpose::Add => vec![self.address.text().to_owned(), self.route.text().to_owned()],
        };
        let mut hosts: Vec<String> = addresses
            .iter()
            .filter_map(|address| Origin::parse(address).ok())
            .map(|origin| origin.authority())
            .collect();
        hosts.dedup();
        if hosts.is_empty() {
            return String::new();
        }
        format!(" It is sent to {}.", hosts.join(" and "))
    }

    /// Where the key will be kept.
    fn shown_file(&self) -> String {
        match &self.purpose {
            Purpose::KeyOf(market) => match &market.file {
                Some(file) => format!("{}, in place of the key there", file.path),
                None => format!("keys/{} beside the configuration", market.name),
            },
            Purpose::Add if self.objection(Line::Name).is_none() => {
                format!("keys/{} beside the configuration", self.name.text().trim())
            }
            Purpose::Add => "a file beside the configuration".to_owned(),
        }
    }

    /// What is wrong with a line, if anything is.
    pub fn objection(&self, line: Line) -> Option<String> {
        match line {
            Line::Name => name_fault(self.name.text(), &self.taken),
            Line::Address => self.address_fault(&self.address),
            Line::Route if self.route.text().trim().is_empty() => None,
            Line::Route => self.address_fault(&self.route),
            Line::Key => self.key.fault().map(|why| match why {
                "it is empty" => "type or paste the key".to_owned(),
                why => format!("that is no key: {why}"),
            }),
            Line::Command => self
                .command
                .text()
                .trim()
                .is_empty()
                .then(|| "type the command that prints the key".to_owned()),
            // Whether a key may go to an address that the form does not ask for.
            Line::KeyFrom => match &self.purpose {
                Purpose::KeyOf(market) if self.sends_key() => {
                    addresses(market).iter().find_map(|address| {
                        let origin = Origin::parse(address).ok()?;
                        origin.judge_for_key().err().map(|why| why.to_string())
                    })
                }
                _ => None,
            },
            Line::Dialect | Line::Writes => None,
        }
    }

    /// What is wrong with a line and should be said while it is typed: not that it is still empty.
    pub fn early_objection(&self, line: Line) -> Option<String> {
        let is_blank = match line {
            Line::Key => self.key.is_empty(),
            line => self.input(line).is_some_and(TextInput::is_empty),
        };
        if is_blank { None } else { self.objection(line) }
    }

    /// Whether a key will be sent.
    fn sends_key(&self) -> bool {
        self.source != Source::Environment || self.has_variable
    }

    fn address_fault(&self, address: &TextInput) -> Option<String> {
        if address.text().trim().is_empty() {
            return Some("type the address, such as https://market.example".to_owned());
        }
        match Origin::parse(address.text()) {
            Err(why) => Some(why.to_string()),
            Ok(origin) if self.sends_key() => {
                origin.judge_for_key().err().map(|why| why.to_string())
            }
            Ok(_) => None,
        }
    }

    /// Whether a pasted text can be meant for the line that takes the keys: a key that is pasted
    /// into the wrong line would be shown.
    pub(super) fn takes_paste(&self, text: &str) -> Result<(), &'static str> {
        let text = text.trim();
        match self.line() {
            Line::Name if name_fault(text, &[]).is_some() => {
                Err("that is no name: nothing was taken")
            }
            Line::Address | Line::Route if !text.contains(['.', ':']) => {
                Err("that is no address: nothing was taken")
            }
            line if line.is_choice() => Err("nothing is pasted here: go to the line of the key"),
            _ => Ok(()),
        }
    }

    /// What is to be done, if all is well; else goes to the first line that is wrong and says why.
    pub(super) fn change(&mut self) -> Option<Change> {
        let wrong = self
            .lines()
            .into_iter()
            .find_map(|line| Some((line, self.objection(line)?)));
        if let Some((line, why)) = wrong {
            self.focus(line);
            self.complaint = Some(why);
            return None;
        }
        let text = |input: &TextInput| input.text().trim().to_owned();
        let from = match self.source {
            Source::File => KeyFrom::File(self.key.secret()),
            Source::Environment => KeyFrom::Environment,
            Source::Command => KeyFrom::Command(text(&self.command)),
        };
        Some(match &self.purpose {
            Purpose::KeyOf(market) => Change::Key {
                name: market.name.clone(),
                from,
            },
            Purpose::Add => Change::Add(NewMarket {
                name: text(&self.name),
                base_url: text(&self.address),
                route_url: Some(text(&self.route)).filter(|route| !route.is_empty()),
                dialect: self.dialect,
                read_only: self.read_only,
                key: from,
            }),
        })
    }

    /// Whether anything was typed that is worth keeping.
    pub(super) fn is_begun(&self) -> bool {
        [&self.name, &self.address, &self.route, &self.command]
            .iter()
            .any(|input| !input.is_empty())
    }

    /// Gets a form ready to be kept for later: without the key, and judged anew when it comes back.
    pub(super) fn put_away(&mut self) {
        self.key.clear();
        self.complaint = None;
        self.is_busy = false;
    }

    /// Takes up what is known now.
    pub(super) fn refresh(&mut self, roster: &Roster) {
        let fresh = Self::new(roster);
        (self.taken, self.has_variable) = (fresh.taken, fresh.has_variable);
    }
}

/// The addresses that the key of a market is sent to.
fn addresses(market: &Market) -> Vec<String> {
    [&market.address, &market.route]
        .into_iter()
        .flatten()
        .cloned()
        .collect()
}

/// Why a text cannot be the name of a new market, if it cannot.
fn name_fault(name: &str, taken: &[String]) -> Option<String> {
    let name = name.trim();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if name.is_empty() {
        Some("type a name for it".to_owned())
    } else if name.len() > LONGEST_NAME {
        Some(format!("a name has {LONGEST_NAME} characters at most"))
    } else if !name.bytes().all(is_plain) {
        Some("a name has letters, digits, - and _ only".to_owned())
    } else if !name.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        Some("a name begins with a letter or a digit".to_owned())
    } else if name.eq_ignore_ascii_case("custom") {
        Some("'custom' is what an address without a name is called".to_owned())
    } else {
        // Where the file system ignores case they would share their files.
        taken
            .iter()
            .find(|own| own.eq_ignore_ascii_case(name))
            .map(|own| format!("there is a market named '{own}' already"))
    }
}
