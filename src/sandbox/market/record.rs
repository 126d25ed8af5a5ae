//! Records that can be written as JSON and read member by member without building JSON first.

use super::price::Charges;

/// A row that a search is applied to.
pub trait Record<'m> {
    /// The value of a member, or `None` if there is no such member.
    fn member(&self, name: &str) -> Option<Cell<'m>>;
}

/// The value of one member of a record, for filters and orders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    Null,
    Flag(bool),
    Number(f64),
    Text(&'a str),
    Charges(Charges),
    /// A list.
    List,
}

/// A type of a record's members.
pub trait AsCell<'m> {
    /// Its value for filters and orders.
    fn as_cell(&self) -> Cell<'m>;
}

impl<'m> AsCell<'m> for bool {
    fn as_cell(&self) -> Cell<'m> {
        Cell::Flag(*self)
    }
}

impl<'m> AsCell<'m> for f64 {
    fn as_cell(&self) -> Cell<'m> {
        Cell::Number(*self)
    }
}

impl<'m> AsCell<'m> for u64 {
    fn as_cell(&self) -> Cell<'m> {
        Cell::Number(super::super::numbers::float(*self))
    }
}

impl<'m> AsCell<'m> for u32 {
    fn as_cell(&self) -> Cell<'m> {
        Cell::Number(f64::from(*self))
    }
}

impl<'m> AsCell<'m> for &'m str {
    fn as_cell(&self) -> Cell<'m> {
        Cell::Text(self)
    }
}

impl<'m> AsCell<'m> for &[u64] {
    fn as_cell(&self) -> Cell<'m> {
        Cell::List
    }
}

impl<'m, T: AsCell<'m>> AsCell<'m> for Option<T> {
    fn as_cell(&self) -> Cell<'m> {
        self.as_ref().map_or(Cell::Null, AsCell::as_cell)
    }
}

/// Always null, as the service sends some members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nothing;

impl serde::Serialize for Nothing {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<'m> AsCell<'m> for Nothing {
    fn as_cell(&self) -> Cell<'m> {
        Cell::Null
    }
}

/// Declares a record: a struct that serializes in the order of its members, which can also be read
/// by name.
macro_rules! record {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident<$life:lifetime> {
            $( $(#[$doc:meta])* $member:ident: $type:ty, )*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, serde::Serialize)]
        $vis struct $name<$life> {
            $( $(#[$doc])* pub $member: $type, )*
        }

        impl<$life> $crate::sandbox::market::record::Record<$life> for $name<$life> {
            fn member(&self, name: &str) -> Option<$crate::sandbox::market::record::Cell<$life>> {
                use $crate::sandbox::market::record::AsCell as _;
                match name {
                    $( stringify!($member) => Some(self.$member.as_cell()), )*
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use record;
