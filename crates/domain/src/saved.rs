//! Saved searches, and the saved state of the panes.
//!
//! Everything here is text and numbers, so that files of older and newer versions can be read: a query is stored as the
//! text of the query bar, fields by their names. If a part cannot be read back, the error names it.

use std::convert::Infallible;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::catalog::Resource;
use super::cost::{InputError, Job, VolumeTerm};
use super::dialect::Dialect;
use super::document::Document;
use super::language::{self, LanguageError, Mode};
use super::query::Query;

/// A search as text: everything in a [`Query`], and the words that filter its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchSpec {
    pub resource: Resource,
    /// The active conditions and the words, in the query language. No defaults are added.
    #[serde(default)]
    pub query: String,
    /// The disabled conditions, each in the query language.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub off: Vec<String>,
    /// The order; `None` for the pane's own, empty for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// The maximum number of records; `None` for the pane's own, 0 for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The price model by its wire name; `None` for on-demand.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub offer_type: Option<String>,
    /// Storage in GB to price for; `None` for the market's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<f64>,
    /// Whether equal offers are listed separately.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unbundled: bool,
}

/// The part of a saved search that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    #[error("query: {0}")]
    Query(String),
    /// A condition that is kept but switched off.
    #[error("condition {0}")]
    Off(String),
    #[error("sort order: {0}")]
    Order(String),
    /// The price model, the storage or the job.
    #[error("{0}")]
    Other(String),
}

impl SearchSpec {
    /// Converts a query and the words that filter its rows to text: active conditions and words in one,
    /// disabled conditions apart; 0 as the limit if there is none. A group of countries is stored by name.
    pub fn new(query: &Query, words: &[String]) -> Self {
        let mut text = language::print_briefly(&query.conditions);
        for word in words {
            if !text.is_empty() {
                text.push(' ');
            }
            // The name of a field or an operator would be part of a condition.
            let is_part = query.catalog().named(word).is_some() || language::scan::word_operator(word).is_some();
            if !is_part && word.chars().all(char::is_alphanumeric) {
                text.push_str(word);
            } else {
                text.push_str(&language::quoted(word));
            }
        }
        Self {
            resource: query.resource,
            query: text,
            off: query
                .conditions
                .iter()
                .filter(|condition| !condition.enabled)
                .map(language::print_condition_briefly)
                .collect(),
            order: Some(language::print_order(&query.order)),
            limit: Some(query.limit.unwrap_or(0)),
            offer_type: (query.resource == Resource::Offers).then(|| query.offer_type.wire().to_owned()),
            storage: query.storage,
            unbundled: query.unbundled,
        }
    }

    /// Parses the query and the words in `dialect`; an unset order, limit, price model or storage has the
    /// pane's default, a limit of 0 is none. Disabled conditions follow the active ones.
    ///
    /// # Errors
    /// If a part names something that does not exist, or the storage is not from 0 to 1e9 GB.
    pub fn read(&self, dialect: &'static Dialect) -> Result<(Query, Vec<String>), SpecError> {
        let catalog = self.resource.catalog();
        let said = |error: LanguageError| error.message;
        let parsed = language::parse(&self.query, catalog, dialect, &[], Mode::Bar)
            .map_err(|error| SpecError::Query(said(error)))?;
        let mut query = language::default_query(self.resource, dialect);
        query.conditions = parsed.conditions;
        for text in &self.off {
            let off = language::parse(text, catalog, dialect, &[], Mode::Strict)
                .map_err(|error| SpecError::Off(format!("{text}: {}", said(error))))?;
            query.conditions.extend(off.conditions.into_iter().map(|mut condition| {
                condition.enabled = false;
                condition
            }));
        }
        if let Some(order) = &self.order {
            query.order = language::parse_order(order, catalog).map_err(|error| SpecError::Order(said(error)))?;
        }
        if let Some(limit) = self.limit {
            query.limit = (limit > 0).then_some(limit);
        }
        if let Some(word) = &self.offer_type {
            query.offer_type = word.parse().map_err(SpecError::Other)?;
        }
        if let Some(gigabytes) = self.storage {
            if !(0.0..=1e9).contains(&gigabytes) {
                return Err(SpecError::Other(format!("storage of {gigabytes} GB is out of range")));
            }
            query.storage = Some(gigabytes);
        }
        query.unbundled = self.unbundled;
        Ok((query, parsed.words))
    }
}

/// A search with a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedSearch {
    /// Its name, unique among the searches of a profile.
    pub name: String,
    /// The purpose; only presets have one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The job that its offers are priced for; `None` if none was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<Job>,
    #[serde(flatten)]
    pub spec: SearchSpec,
}

impl SavedSearch {
    /// Parses the query and the words as [`SearchSpec::read`] does, and checks the job.
    ///
    /// # Errors
    /// If a part names something that does not exist, or an input of the job or the storage is out of range.
    pub fn read(&self, dialect: &'static Dialect) -> Result<(Query, Vec<String>, Option<Job>), SpecError> {
        let (query, words) = self.spec.read(dialect)?;
        if let Some(job) = &self.job {
            let said = |error: InputError| SpecError::Other(format!("job: {error}"));
            job.validate().map_err(said)?;
        }
        Ok((query, words, self.job))
    }
}

/// The maximum length of a name, in characters.
pub const LONGEST_NAME: usize = 60;

/// The searches of a profile.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Searches {
    /// The user's searches, in order.
    pub saved: Vec<SavedSearch>,
    /// The saved search or preset that runs at start-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup: Option<String>,
    /// The names of hidden presets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
}

/// A change to the searches.
///
/// Several programs may share a file: each applies its changes to the current content of the file, so that none undoes
/// another's.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchChange {
    /// Saves a search; one with the same name is replaced in its place.
    Put(SavedSearch),
    Rename {
        from: String,
        to: String,
    },
    Delete(String),
    Shift {
        name: String,
        /// The number of places to move: down, or up if negative.
        by: isize,
    },
    /// Chooses the search that runs at start-up; `None` for none.
    Startup(Option<String>),
    Hide(String),
    ShowPresets,
}

/// The reason a name cannot be used for a search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("enter a name")]
    Blank,
    #[error("use at most {LONGEST_NAME} characters")]
    Long,
    #[error("a preset already has this name")]
    Preset,
    /// Another saved search has this name.
    #[error("another search already has this name")]
    Taken,
}

impl Searches {
    /// The user's saved search with exactly this name, not a preset; `None` if there is none.
    pub fn named(&self, name: &str) -> Option<&SavedSearch> {
        self.saved.iter().find(|search| search.name == name)
    }

    /// The presets that the user has not hidden, in their order.
    pub fn presets(&self) -> impl Iterator<Item = &'static SavedSearch> {
        presets().iter().filter(|preset| !self.hidden.contains(&preset.name))
    }

    /// The saved search or preset that runs at start-up; `None` if none is chosen or it no longer exists.
    pub fn startup(&self) -> Option<&SavedSearch> {
        let name = self.startup.as_deref()?;
        self.named(name)
            .or_else(|| presets().iter().find(|preset| preset.name == name))
    }

    /// Checks a name for a new search; returns it without surrounding blanks.
    ///
    /// # Errors
    /// If it is blank, longer than 60 characters, or the name of a preset or of a saved search.
    pub fn check_name(&self, name: &str) -> Result<String, NameError> {
        let name = name.trim();
        if name.is_empty() {
            Err(NameError::Blank)
        } else if name.chars().count() > LONGEST_NAME {
            Err(NameError::Long)
        } else if presets().iter().any(|preset| preset.name == name) {
            Err(NameError::Preset)
        } else if self.named(name).is_some() {
            Err(NameError::Taken)
        } else {
            Ok(name.to_owned())
        }
    }

    /// Applies a change. A rename or a move of a search that no longer exists, or a rename to a taken name,
    /// does nothing; the deleted or hidden search no longer runs at start-up.
    pub fn apply(&mut self, change: &SearchChange) {
        let position_of = |name: &str| self.saved.iter().position(|search| search.name == name);
        match change {
            SearchChange::Put(search) => match position_of(&search.name) {
                Some(index) => self.saved[index] = search.clone(),
                None => self.saved.push(search.clone()),
            },
            SearchChange::Rename { from, to } => {
                if let (Some(index), None) = (position_of(from), position_of(to)) {
                    self.saved[index].name.clone_from(to);
                    if self.startup.as_ref() == Some(from) {
                        self.startup = Some(to.clone());
                    }
                }
            }
            SearchChange::Delete(name) => {
                self.saved.retain(|search| search.name != *name);
                if self.startup.as_ref() == Some(name) {
                    self.startup = None;
                }
            }
            SearchChange::Shift { name, by } => {
                if let Some(index) = position_of(name) {
                    let search = self.saved.remove(index);
                    let target = index.saturating_add_signed(*by).min(self.saved.len());
                    self.saved.insert(target, search);
                }
            }
            SearchChange::Startup(name) => self.startup.clone_from(name),
            SearchChange::Hide(name) => {
                if !self.hidden.contains(name) {
                    self.hidden.push(name.clone());
                }
                if self.startup.as_ref() == Some(name) {
                    self.startup = None;
                }
            }
            SearchChange::ShowPresets => self.hidden.clear(),
        }
    }

    /// Renames searches whose name an earlier one has, as in a file edited by hand, to `NAME (2)` and so on.
    pub fn make_names_unique(&mut self) {
        for index in 1..self.saved.len() {
            let name = self.saved[index].name.clone();
            let is_taken = |saved: &[SavedSearch], name: &str| {
                let all = saved.iter().enumerate();
                all.into_iter()
                    .any(|(existing, search)| existing != index && search.name == name)
            };
            if self.saved[..index].iter().all(|search| search.name != name) {
                continue;
            }
            let free = (2..=self.saved.len() + 1)
                .map(|number| format!("{name} ({number})"))
                .find(|name| !is_taken(&self.saved, name));
            if let Some(free) = free {
                self.saved[index].name = free;
            }
        }
    }
}

impl Document for Searches {
    type Change = SearchChange;

    const FILE: &'static str = "searches.json";

    fn apply(&mut self, change: &SearchChange) {
        self.apply(change);
    }

    fn repair(&mut self) {
        self.make_names_unique();
    }
}

/// All searches that ship with bourse, hidden or not; parsed once.
pub fn presets() -> &'static [SavedSearch] {
    #[derive(Deserialize)]
    struct File {
        search: Vec<SavedSearch>,
    }
    static PRESETS: OnceLock<Vec<SavedSearch>> = OnceLock::new();
    PRESETS.get_or_init(|| {
        // A test parses the asset, so this cannot fail.
        toml::from_str::<File>(include_str!("../assets/presets.toml"))
            .map(|file| file.search)
            .unwrap_or_default()
    })
}

/// The saved state of one pane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaneState {
    pub search: SearchSpec,
    /// Its columns in order, by the names of their fields.
    #[serde(default)]
    pub columns: Vec<String>,
    /// The past queries, oldest first.
    #[serde(default)]
    pub history: Vec<String>,
    /// Ids of the marked rows.
    #[serde(default)]
    pub marks: Vec<i64>,
}

/// The saved state of the dashboard of one profile.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DashboardState {
    /// The address of the market: the state of one market is not restored on another.
    #[serde(default)]
    pub market: String,
    #[serde(default)]
    pub panes: Vec<PaneState>,
    /// The job that offers are priced for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<Job>,
    /// The size and term that volumes are priced for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume_term: Option<VolumeTerm>,
    /// The table's share of the width beside the detail view, in per cent; `None` for the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<u16>,
    /// Whether the welcome card was closed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_welcomed: bool,
}

impl Document for DashboardState {
    type Change = Infallible;

    const FILE: &'static str = "ui.json";

    fn apply(&mut self, change: &Infallible) {
        match *change {}
    }
}
