//! The user's annotations of machines and hosts: stars, notes and bans.
//!
//! Offer ids change whenever a machine is split differently; ids of machines and hosts do not. So an annotation belongs
//! to a machine or a host, and applies to all its offers and volumes.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde::{Deserialize, Serialize};

use super::dialect::Dialect;
use super::document::Document;
use super::field::Operator;
use super::listing::Column;
use super::query::{Condition, Operand, Query};
use super::value::Value;
use super::{CellRef, Listing};

/// The maximum length of a note, in characters.
///
/// A note is shown in a line of the preview, and all notes are in one file that is read at the start.
pub const LONGEST_NOTE: usize = 200;

/// The maximum number of ids in one condition of a request.
///
/// A request has to stay short enough for any server. Other bans are applied to the response.
const MOST_SENT: usize = 100;

/// The supplier of an offer: a machine, or a host with all its machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Supplier {
    Machine(i64),
    Host(i64),
}

impl Supplier {
    /// The wire name of the field with the id of this machine or host: `machine_id` or `host_id`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Machine(_) => "machine_id",
            Self::Host(_) => "host_id",
        }
    }

    /// The id of the machine or host, without its kind.
    pub const fn id(self) -> i64 {
        match self {
            Self::Machine(id) | Self::Host(id) => id,
        }
    }
}

impl fmt::Display for Supplier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Machine(id) => write!(f, "machine {id}"),
            Self::Host(id) => write!(f, "host {id}"),
        }
    }
}

/// The annotations of one machine or host.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Annotation {
    #[serde(skip_serializing_if = "is_false")]
    pub is_starred: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    #[serde(skip_serializing_if = "is_false")]
    pub is_banned: bool,
}

/// Whether `flag` is false, so that serde leaves it out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// The annotations of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<StoredAnnotation>", into = "Vec<StoredAnnotation>")]
pub struct Annotations(BTreeMap<Supplier, Annotation>);

/// An annotation as stored in the file.
#[derive(Serialize, Deserialize)]
struct StoredAnnotation {
    of: Supplier,
    #[serde(flatten)]
    annotation: Annotation,
}

impl From<Vec<StoredAnnotation>> for Annotations {
    fn from(entries: Vec<StoredAnnotation>) -> Self {
        let entries = entries.into_iter();
        Self(
            entries
                .map(|entry| (entry.of, entry.annotation))
                .filter(|(_, annotation)| *annotation != Annotation::default())
                .collect(),
        )
    }
}

impl From<Annotations> for Vec<StoredAnnotation> {
    fn from(annotations: Annotations) -> Self {
        let entries = annotations.0.into_iter();
        entries
            .map(|(of, annotation)| StoredAnnotation { of, annotation })
            .collect()
    }
}

/// One change of an annotation.
///
/// Several programs share the file: each applies its changes to the current content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotationChange {
    pub of: Supplier,
    pub mark: Mark,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    Star(bool),
    /// Replaces the note; a blank one removes it.
    Note(String),
    Ban(bool),
}

/// The annotations that apply to a row: those of its machine and its host combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Annotated {
    pub is_starred: bool,
    pub has_note: bool,
    pub is_banned: bool,
}

impl Document for Annotations {
    type Change = AnnotationChange;

    const FILE: &'static str = "annotations.json";

    fn apply(&mut self, change: &AnnotationChange) {
        self.apply(change);
    }
}

impl Annotations {
    /// The annotation of this machine or host itself; `None` if it has none. A host's is not that of its
    /// machines.
    pub fn get(&self, of: Supplier) -> Option<&Annotation> {
        self.0.get(&of)
    }

    /// Iterates over all annotations: machines by id, then hosts.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Supplier, &Annotation)> {
        self.0.iter().map(|(of, annotation)| (*of, annotation))
    }

    /// Whether no machine and no host is annotated.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this machine or host is banned itself; false for a machine of which only the host is.
    pub fn is_banned(&self, of: Supplier) -> bool {
        self.get(of).is_some_and(|annotation| annotation.is_banned)
    }

    /// Whether this machine or host is starred itself; false for a machine of which only the host is.
    pub fn is_starred(&self, of: Supplier) -> bool {
        self.get(of).is_some_and(|annotation| annotation.is_starred)
    }

    /// Iterates over the banned machines by id, then the banned hosts.
    pub fn banned(&self) -> impl Iterator<Item = Supplier> {
        let all = self.iter();
        all.filter(|(_, annotation)| annotation.is_banned).map(|(of, _)| of)
    }

    /// The banned machines and hosts as [`Bans`].
    pub fn bans(&self) -> Bans {
        Bans(self.banned().collect())
    }

    /// Applies a change; returns the one that undoes it.
    ///
    /// A note is reduced to one line of at most 200 characters; an annotation without content is removed.
    pub fn apply(&mut self, change: &AnnotationChange) -> AnnotationChange {
        let annotation = self.0.entry(change.of).or_default();
        let before = match &change.mark {
            Mark::Star(is_on) => Mark::Star(std::mem::replace(&mut annotation.is_starred, *is_on)),
            Mark::Ban(is_on) => Mark::Ban(std::mem::replace(&mut annotation.is_banned, *is_on)),
            Mark::Note(text) => {
                let text = one_line(text);
                Mark::Note(std::mem::replace(&mut annotation.note, text))
            }
        };
        if *annotation == Annotation::default() {
            self.0.remove(&change.of);
        }
        AnnotationChange {
            of: change.of,
            mark: before,
        }
    }

    /// The combined annotations of each row's machine and host, one entry for each row; no entries if nothing
    /// is annotated.
    pub fn of_rows(&self, listing: &Listing) -> Vec<Annotated> {
        if self.is_empty() {
            return Vec::new();
        }
        let column = |key: &str| {
            let field = listing.catalog().by_key(key)?;
            Some(listing.column(field))
        };
        let (machines, hosts) = (column("machine_id"), column("host_id"));
        let id = |column: Option<&Column>, row| id_of(column?.cell(row));
        let rows = 0..listing.len();
        rows.map(|row| {
            let machine = id(machines, row).map(Supplier::Machine);
            let host = id(hosts, row).map(Supplier::Host);
            self.annotated([machine, host])
        })
        .collect()
    }

    /// The combined annotations of a machine and its host: a star, note or ban of either counts.
    pub fn annotated(&self, suppliers: [Option<Supplier>; 2]) -> Annotated {
        let mut all = Annotated::default();
        let annotations = suppliers.into_iter().flatten();
        for annotation in annotations.filter_map(|of| self.get(of)) {
            all.is_starred |= annotation.is_starred;
            all.has_note |= !annotation.note.is_empty();
            all.is_banned |= annotation.is_banned;
        }
        all
    }

    /// Removes the rows whose machine or host is banned; returns the number of removed rows.
    pub fn hide_banned(&self, listing: &mut Listing) -> usize {
        if self.banned().next().is_none() {
            return 0;
        }
        let rows = self.of_rows(listing).into_iter();
        let is_banned: Vec<bool> = rows.map(|row| row.is_banned).collect();
        listing.hide(&is_banned)
    }

    /// The number of banned machines and hosts that a query does not exclude itself, by an active `!=` or
    /// `notin` condition on exactly this id. A machine is not excluded by a condition on its host.
    pub fn count_bans_not_in_query(&self, query: &Query) -> usize {
        let leaves_out = |of: &Supplier| {
            let id = Value::id(of.id().into());
            query.active().any(|condition| {
                condition.field.key == of.key()
                    && match (condition.operator, &condition.operand) {
                        (Operator::Neq, Operand::One(value)) => *value == id,
                        (Operator::Nin, Operand::Many(values)) => values.contains(&id),
                        _ => false,
                    }
            })
        };
        self.banned().filter(|of| !leaves_out(of)).count()
    }

    /// The bans as conditions to send with a query: one `notin` for hosts and one for machines, of the first
    /// 100 ids each.
    ///
    /// A field is left out if nothing of its kind is banned, the dialect does not send it, or the query has
    /// an active `=` or `in` on it.
    pub fn conditions(&self, query: &Query, dialect: &Dialect) -> Vec<Condition> {
        let lists = self.bans().sent_with(query, dialect).into_iter().filter_map(|banned| {
            let field = query.catalog().by_key(banned.first()?.key())?;
            let ids = banned.iter().map(|of| Value::id(of.id().into())).collect();
            Some(Condition::new(field, Operator::Nin, Operand::Many(ids)))
        });
        lists.collect()
    }
}

/// The banned machines and hosts of a search: machines by id, then hosts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bans(Vec<Supplier>);

impl Bans {
    pub const NONE: Self = Self(Vec::new());

    /// Whether this machine or host is banned itself; a machine is not found by its host.
    pub fn contains(&self, of: &Supplier) -> bool {
        self.0.contains(of)
    }

    /// The number of banned machines and hosts.
    pub const fn count(&self) -> usize {
        self.0.len()
    }

    /// A number that identifies these bans: 0 for none, and other bans practically never have the same.
    ///
    /// Responses with different numbers exclude different machines.
    pub fn fingerprint(&self) -> i64 {
        if self.0.is_empty() {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        self.0.iter().for_each(|of| of.hash(&mut hasher));
        hasher.finish().cast_signed()
    }

    /// The bans that the market applies because they are sent with the query: hosts, then machines, the first
    /// 100 of each; none of a kind whose field is not sent, or on which the query has an active `=` or `in`.
    pub fn sent_bans(&self, query: &Query, dialect: &Dialect) -> Vec<Supplier> {
        self.sent_with(query, dialect).concat()
    }

    /// The banned hosts and the banned machines that are sent with a query, at most 100 of each.
    ///
    /// Empty for a kind whose field the dialect does not send, or on which the query has an active `=` or
    /// `in`.
    fn sent_with(&self, query: &Query, dialect: &Dialect) -> [Vec<Supplier>; 2] {
        let kinds: [fn(&Supplier) -> bool; 2] = [
            |of| matches!(of, Supplier::Host(_)),
            |of| matches!(of, Supplier::Machine(_)),
        ];
        kinds.map(|is_kind| {
            let of_kind = self.0.iter().copied().filter(is_kind);
            let banned: Vec<Supplier> = of_kind.take(MOST_SENT).collect();
            let key = banned.first().map(|of| of.key());
            let field = key.and_then(|key| query.catalog().by_key(key));
            let is_sent = field.is_some_and(|field| {
                let mut conditions = query.active();
                let chooses = conditions.any(|condition| {
                    condition.field == field && matches!(condition.operator, Operator::Eq | Operator::In)
                });
                !chooses && query.sends(field, dialect)
            });
            if is_sent { banned } else { Vec::new() }
        })
    }
}

/// The machine and the host of a row, in this order; `None` for an id that is missing or no 64-bit number.
pub fn suppliers(listing: &Listing, row: usize) -> [Option<Supplier>; 2] {
    let id = |key: &str| id_of(listing.cell_of(row, key));
    [
        id("machine_id").map(Supplier::Machine),
        id("host_id").map(Supplier::Host),
    ]
}

/// The whole number in a cell; `None` for any other cell and for numbers beyond 64 bits.
fn id_of(cell: CellRef<'_>) -> Option<i64> {
    i64::try_from(cell.whole()?).ok()
}

/// Normalizes a note: runs of blanks and line ends become one space, and the text is cut to 200 characters.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST_NOTE).collect()
}
