//! The query language: text to query and back.
//!
//! It is the language that the market's own command-line client documents, so that queries can be
//! pasted from there, with fewer traps: `gpu_name=RTX_4090 num_gpus>=2 dph<0.5`. Conditions are
//! separated by blanks and all must match. Values can have units (`24GB`, `3d`, `98%`, `$0.5`,
//! `1Gbps`) and be ranges (`num_gpus=2..8`), and an error shows where it is and how to fix it.
//!
//! The stages: `scan` splits the text into pieces and never fails, so that completion and colouring
//! see incomplete queries just as parsing does; [`parse()`] gives the pieces meaning; `merge`
//! merges conditions of one field and lays them over the default ones.

mod colour;
mod complete;
mod diagnostics;
mod error;
mod merge;
mod number;
mod operand;
mod order;
mod parse;
mod print;
pub(super) mod scan;
mod suggest;
mod warn;
mod witness;
mod words;

pub use colour::{Token, highlight};
pub use complete::{ANY, Candidate, Completion, complete};
pub use error::{LanguageError, Suggestion};
pub use merge::overlay;
pub use operand::parse_operand;
pub use order::{parse_columns, parse_order, print_order};
pub use parse::parse;
pub use print::{print, print_briefly, print_condition, print_condition_briefly, print_value, quoted};
pub use suggest::did_you_mean;
pub use warn::warning;
pub use witness::{Witness, find_contradiction, operand_values, witnesses};
pub use words::describe_condition;

use super::catalog::{Catalog, Resource};
use super::dialect::Dialect;
use super::field::Field;
use super::query::{Condition, DEFAULT_STORAGE_GB, OfferType, Query};

/// The handling of bare words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Every bare word is an error: for command lines.
    Strict,
    /// Like [`Mode::Strict`], and computed columns are errors too: for `search_params`, which the market evaluates.
    Market,
    /// Bare words filter the loaded rows, except for the name or alias of a field, or a word in the place of an
    /// operator or value, which are errors: for the query bar.
    Bar,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The conditions of the text, merged with the default ones.
    pub conditions: Vec<Condition>,
    /// The bare words, in order ([`Mode::Bar`] only).
    pub words: Vec<String>,
    /// The fields freed by the text (`field=any`), even if it adds conditions on them later.
    pub removed: Vec<&'static Field>,
}

/// The conditions that a query of this catalog starts from, such as `verified=true`; none for workergroups.
pub fn default_conditions(catalog: &'static Catalog, dialect: &'static Dialect) -> Vec<Condition> {
    parse(catalog.defaults, catalog, dialect, &[], Mode::Strict)
        .map(|parsed| parsed.conditions)
        .unwrap_or_default()
}

/// The query that a pane starts from: the default conditions, order and limit of its catalog, and
/// for offers the storage that prices include.
pub fn default_query(resource: Resource, dialect: &'static Dialect) -> Query {
    let catalog = resource.catalog();
    Query {
        resource,
        conditions: default_conditions(catalog, dialect),
        order: parse_order(catalog.order, catalog).unwrap_or_default(),
        limit: catalog.limit,
        offer_type: OfferType::OnDemand,
        storage: (resource == Resource::Offers).then_some(DEFAULT_STORAGE_GB),
        unbundled: false,
    }
}
