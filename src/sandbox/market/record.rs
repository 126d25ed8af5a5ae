//! Records that can be written as JSON and read member by member, without building JSON first.

/// The value of one member of a record, as filters and orders see it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// null.
    Null,
    /// true or false.
    Flag(bool),
    /// Any number.
    Number(f64),
    /// Text.
    Text(&'a str),
    /// A list or an object.
    Compound,
}

/// A type of a record's member.
pub trait AsCell {
    /// Its value for filters and orders.
    fn as_cell(&self) -> Cell<'_>;
}

impl AsCell for bool {
    fn as_cell(&self) -> Cell<'_> {
        Cell::Flag(*self)
    }
}

impl AsCell for f64 {
    fn as_cell(&self) -> Cell<'_> {
        Cell::Number(*self)
    }
}

impl AsCell for u64 {
    fn as_cell(&self) -> Cell<'_> {
        Cell::Number(super::super::numbers::float(*self))
    }
}

impl AsCell for u32 {
    fn as_cell(&self) -> Cell<'_> {
        Cell::Number(f64::from(*self))
    }
}

impl AsCell for &str {
    fn as_cell(&self) -> Cell<'_> {
        Cell::Text(self)
    }
}

impl AsCell for &[u64] {
    fn as_cell(&self) -> Cell<'_> {
        Cell::Compound
    }
}

impl<T: AsCell> AsCell for Option<T> {
    fn as_cell(&self) -> Cell<'_> {
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

impl AsCell for Nothing {
    fn as_cell(&self) -> Cell<'_> {
        Cell::Null
    }
}

/// Declares a record: a struct that serializes in the order of its members, and its members by
/// name.
macro_rules! record {
    (
        $(#[$about:meta])*
        pub struct $name:ident<$life:lifetime> {
            $( $(#[$doc:meta])* $member:ident: $type:ty, )*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, serde::Serialize)]
        pub struct $name<$life> {
            $( $(#[$doc])* pub $member: $type, )*
        }

        impl $name<'_> {
            /// The value of a member, or nothing when there is no member of that name.
            pub fn member(&self, name: &str) -> Option<$crate::sandbox::market::record::Cell<'_>> {
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
