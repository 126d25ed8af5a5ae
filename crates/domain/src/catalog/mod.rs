//! The catalogs: one table for each resource.

mod computed;
mod offers;
mod volumes;
mod workergroups;

use super::dialect::Dialect;
use super::field::{Field, Filter, Section};

/// A kind of record that a marketplace lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resource {
    Offers,
    Volumes,
    Workergroups,
}

impl Resource {
    /// All resources, in the order of their discriminants.
    pub const ALL: [Self; 3] = [Self::Offers, Self::Volumes, Self::Workergroups];

    /// The table of this resource's fields and defaults.
    pub const fn catalog(self) -> &'static Catalog {
        match self {
            Self::Offers => &OFFERS,
            Self::Volumes => &VOLUMES,
            Self::Workergroups => &WORKERGROUPS,
        }
    }

    /// The noun for one record: `offer`, `network volume` or `workergroup`.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Offers => "offer",
            Self::Volumes => "network volume",
            Self::Workergroups => "workergroup",
        }
    }

    /// The noun for several records: `offers`, `network volumes` or `workergroups`.
    pub const fn nouns(self) -> &'static str {
        match self {
            Self::Offers => "offers",
            Self::Volumes => "network volumes",
            Self::Workergroups => "workergroups",
        }
    }
}

/// Describes the records of one resource: members, fields, defaults.
#[derive(Debug)]
pub struct Catalog {
    pub resource: Resource,
    /// The member of a response that holds the records.
    pub list_key: &'static str,
    /// The members that may hold the id of a record, best first.
    pub id_members: &'static [&'static str],
    /// The conditions a query starts from, in the query language.
    pub defaults: &'static str,
    /// The order a query starts from, as an order string.
    pub order: &'static str,
    /// The limit a query starts from.
    pub limit: Option<u32>,
    pub fields: &'static [Field],
    /// Computed columns: shown, sorted, filtered and exported like fields, but unknown to servers.
    pub computed: &'static [Field],
}

pub static OFFERS: Catalog = Catalog {
    resource: Resource::Offers,
    list_key: "offers",
    id_members: &["id", "ask_contract_id"],
    defaults: "verified=true rentable=true rented=false",
    order: "score-",
    limit: Some(500),
    fields: &offers::FIELDS,
    computed: computed::OFFERS,
};

/// Network volume offers: `POST /api/v0/network_volumes/search/`.
pub static VOLUMES: Catalog = Catalog {
    resource: Resource::Volumes,
    list_key: "offers",
    id_members: &["id", "ask_contract_id"],
    defaults: "verified=true",
    order: "storage_cost",
    limit: Some(100),
    fields: &volumes::FIELDS,
    computed: computed::VOLUMES,
};

pub static WORKERGROUPS: Catalog = Catalog {
    resource: Resource::Workergroups,
    list_key: "results",
    id_members: &["id"],
    defaults: "",
    order: "endpoint_name,id",
    limit: None,
    fields: &workergroups::FIELDS,
    computed: computed::WORKERGROUPS,
};

impl Catalog {
    /// The field with the wire name `key`, in its exact case; `None` for an alias, a computed column or an
    /// unknown name.
    pub fn by_key(&self, key: &str) -> Option<&'static Field> {
        self.fields().iter().find(|field| field.key == key)
    }

    /// Finds a field or computed column by its name or an alias, in any case; `None` if there is none.
    pub fn named(&self, name: &str) -> Option<&'static Field> {
        self.by_key(name).or_else(|| {
            self.fields().iter().chain(self.computed()).find(|field| {
                field.key.eq_ignore_ascii_case(name)
                    || field.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
            })
        })
    }

    /// The fields of this catalog without the computed columns, as a slice that lives as long as the program.
    pub fn fields(&self) -> &'static [Field] {
        self.resource.catalog().fields
    }

    /// The computed columns of this catalog, as a slice that lives as long as the program.
    pub fn computed(&self) -> &'static [Field] {
        self.resource.catalog().computed
    }

    /// All possible table columns: fields of the record without secrets and mere filters, then computed ones.
    pub fn columns(&self) -> impl Iterator<Item = &'static Field> {
        self.fields()
            .iter()
            .chain(self.computed())
            .filter(|field| field.is_column())
    }

    /// The table column with the key, computed or not; `None` for filters, secrets and unknown keys.
    pub fn column(&self, key: &str) -> Option<&'static Field> {
        self.columns().find(|field| field.key == key)
    }

    /// The index of a field of this catalog among `Catalog::fields` and, after them, `Catalog::computed`.
    /// `None` for a field of another catalog.
    pub fn position(&self, field: &Field) -> Option<usize> {
        // Called for every cell of every frame, so it computes an offset instead of searching.
        self.fields.element_offset(field).or_else(|| {
            let index = self.computed.element_offset(field)?;
            Some(self.fields.len() + index)
        })
    }

    /// The field at an index that `Catalog::position` returned; `None` beyond the last one.
    pub fn at(&self, position: usize) -> Option<&'static Field> {
        let catalog = self.resource.catalog();
        catalog
            .fields
            .get(position)
            .or_else(|| catalog.computed.get(position - catalog.fields.len()))
    }

    /// The name or alias closest to a misspelt one, of fields and computed columns that can be filtered on or
    /// sorted by; `None` if none is close (about one edit, and another for every four letters).
    pub fn suggest(&self, name: &str) -> Option<&'static str> {
        let fields = self.fields().iter().chain(self.computed());
        let names = fields
            .filter(|field| field.is_filter() || field.sortable)
            .flat_map(|field| std::iter::once(field.key).chain(field.aliases.iter().copied()));
        closest(&name.to_ascii_lowercase(), names)
    }

    /// The columns shown by default, by their rank; computed ones are not among them.
    pub fn default_columns(&self) -> Vec<&'static Field> {
        let mut columns: Vec<_> = self
            .fields()
            .iter()
            .filter(|field| field.is_column() && field.column.rank.is_some())
            .collect();
        columns.sort_by_key(|field| field.column.rank);
        columns
    }

    /// The fields that can be filtered on, by section; within a section documented ones first, computed
    /// columns last.
    pub fn filters(&self) -> Vec<&'static Field> {
        let mut filters: Vec<_> = self
            .fields()
            .iter()
            .chain(self.computed())
            .filter(|field| field.is_filter())
            .collect();
        filters.sort_by_key(|field| (field.section, u8::from(field.filter != Filter::Documented)));
        filters
    }

    /// The fields of one section that occur in records; computed columns and mere filters are left out.
    pub fn section(&self, section: Section) -> impl Iterator<Item = &'static Field> {
        self.fields()
            .iter()
            .filter(move |field| field.in_record && field.section == section)
    }

    /// Whether orders by `field` are sent to a server that speaks `dialect`: sortable fields of offers and
    /// volumes, undocumented ones only if the dialect has the public service's filters. Computed columns and
    /// workergroups are always sorted locally.
    pub fn orders_on_server(&self, field: &Field, dialect: &Dialect) -> bool {
        self.resource != Resource::Workergroups
            && field.sortable
            && !field.is_computed()
            && (field.documented || dialect.market_filters)
    }
}

/// The total number of fields in all sections of a catalog.
const fn count(sections: &[(Section, &[Field])]) -> usize {
    let (mut count, mut index) = (0, 0);
    while index < sections.len() {
        count += sections[index].1.len();
        index += 1;
    }
    count
}

/// The fields of all sections of a catalog in one array, each with its section set. `COUNT` is their number.
const fn in_sections<const COUNT: usize>(sections: &[(Section, &[Field])]) -> [Field; COUNT] {
    let mut fields = [Field::text("", ""); COUNT];
    let (mut at, mut index) = (0, 0);
    while index < sections.len() {
        let (section, members) = sections[index];
        let mut member = 0;
        while member < members.len() {
            fields[at] = members[member].section(section);
            (at, member) = (at + 1, member + 1);
        }
        index += 1;
    }
    fields
}

/// The name closest to a misspelt one in lower case, by edit distance; ties go to the longest common
/// beginning.
///
/// `None` if none is close: one edit, and another for every four letters of the shorter name, are allowed.
pub fn closest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .map(|known| (strsim::damerau_levenshtein(wanted, known), known))
        .filter(|(distance, known)| *distance <= 1 + known.len().min(wanted.len()) / 4)
        .min_by_key(|(distance, known)| {
            let shared = known.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b);
            (*distance, std::cmp::Reverse(shared.count()))
        })
        .map(|(_, known)| known)
}
