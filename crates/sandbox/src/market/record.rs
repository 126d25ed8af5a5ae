//! Records that can be serialized as JSON and read member by member without building JSON first.

use super::price::Charges;

/// A row to which a search can be applied.
pub trait Record<'m> {
    /// The value of a member; `None` if there is no such member.
    fn member(&self, name: &str) -> Option<Cell<'m>>;
}

/// The value of one member of a record, for filters and orders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// No value.
    Null,
    /// A boolean.
    Flag(bool),
    /// A number, in the unit of its member.
    Number(f64),
    /// A text.
    Text(&'a str),
    /// An object of prices.
    Charges(Charges),
    /// A list, without its values.
    List,
}

/// A type of a record's members.
pub(super) trait AsCell<'m> {
    /// Its value for filters and orders.
    fn as_cell(&self) -> Cell<'m>;
}

/// Implements [`AsCell`] for types of members.
macro_rules! cells {
    ($($type:ty, $value:ident => $cell:expr;)*) => {$(
        impl<'m> AsCell<'m> for $type {
            fn as_cell(&self) -> Cell<'m> {
                let $value = *self;
                $cell
            }
        }
    )*};
}

cells! {
    bool, flag => Cell::Flag(flag);
    f64, number => Cell::Number(number);
    u64, number => Cell::Number(super::super::numbers::float(number));
    u32, number => Cell::Number(f64::from(number));
    &'m str, text => Cell::Text(text);
    &[u64], _list => Cell::List;
    Charges, charges => Cell::Charges(charges);
}

impl<'m, T: AsCell<'m>> AsCell<'m> for Option<T> {
    fn as_cell(&self) -> Cell<'m> {
        self.as_ref().map_or(Cell::Null, AsCell::as_cell)
    }
}

/// Declares a record and the function that makes it, a row for each member.
///
/// The record is a struct that serializes in the order of its members, which can also be read by name.
macro_rules! record {
    (
        $(#[$about:meta])*
        pub struct $name:ident<$life:lifetime>;
        $(#[$made:meta])*
        pub fn $make:ident($($argument:ident: $kind:ty),* $(,)?) { $($first:tt)* }
        $( $(#[$doc:meta])* $member:ident: $type:ty = $value:expr; )*
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, serde::Serialize)]
        #[allow(missing_docs)] // most members are those of the specification
        pub struct $name<$life> {
            $( $(#[$doc])* pub $member: $type, )*
        }

        $(#[$made])*
        pub fn $make<$life>($($argument: $kind),*) -> $name<$life> {
            $($first)*
            $name { $( $member: $value, )* }
        }

        impl<$life> $crate::market::record::Record<$life> for $name<$life> {
            fn member(&self, name: &str) -> Option<$crate::market::record::Cell<$life>> {
                use $crate::market::record::AsCell as _;
                match name {
                    $( stringify!($member) => Some(self.$member.as_cell()), )*
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use record;
