//! Operators: the comparisons that a field allows.

/// A comparison in a filter object (specification, "Filter object").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    Eq,
    /// Not equal to a scalar.
    Neq,
    Gt,
    Lt,
    /// Greater than or equal to a number.
    Gte,
    /// Less than or equal to a number.
    Lte,
    /// Equal to one value of a list.
    In,
    /// Equal to no value of a list.
    Nin,
}

impl Operator {
    /// All eight operators, in the order of the specification.
    pub const ALL: [Self; 8] = [
        Self::Eq,
        Self::Neq,
        Self::Gt,
        Self::Lt,
        Self::Gte,
        Self::Lte,
        Self::In,
        Self::Nin,
    ];

    /// The names in the specification, in the query language and in plain words: `gte`, `>=`, `at least`.
    const fn names(self) -> [&'static str; 3] {
        match self {
            Self::Eq => ["eq", "=", "is"],
            Self::Neq => ["neq", "!=", "is not"],
            Self::Gt => ["gt", ">", "more than"],
            Self::Lt => ["lt", "<", "less than"],
            Self::Gte => ["gte", ">=", "at least"],
            Self::Lte => ["lte", "<=", "at most"],
            Self::In => ["in", "in", "is one of"],
            Self::Nin => ["nin", "notin", "is none of"],
        }
    }

    /// The name in the specification: `gte`, `nin`. A dialect may spell `nin` differently: see
    /// `Dialect::operator`.
    pub const fn name(self) -> &'static str {
        self.names()[0]
    }

    /// The sign or word of the operator in the query language: `>=`, `notin`.
    pub const fn symbol(self) -> &'static str {
        self.names()[1]
    }

    /// The operator in plain words: `at least` for `>=`.
    pub const fn words(self) -> &'static str {
        self.names()[2]
    }

    /// Whether the operand is a list: for `in` and `notin`.
    pub const fn takes_list(self) -> bool {
        matches!(self, Self::In | Self::Nin)
    }

    /// The same comparison with a list: `in` for `=`, `notin` for `!=`; any other operator unchanged.
    pub const fn with_list(self) -> Self {
        match self {
            Self::Eq => Self::In,
            Self::Neq => Self::Nin,
            Self::Gt | Self::Lt | Self::Gte | Self::Lte | Self::In | Self::Nin => self,
        }
    }

    /// Whether the operator is one of `<`, `<=`, `>` and `>=`, which need numbers or versions.
    pub const fn is_ordering(self) -> bool {
        matches!(self, Self::Gt | Self::Lt | Self::Gte | Self::Lte)
    }

    /// The bit of the operator in the mask of a set: one bit each.
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The set of operators a field allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operators(u8);

impl Operators {
    /// No operator: the field cannot be filtered on.
    pub const NONE: Self = Self(0);
    /// `eq neq in nin`: text and flags.
    pub const EQUALITY: Self =
        Self(Operator::Eq.bit() | Operator::Neq.bit() | Operator::In.bit() | Operator::Nin.bit());
    /// All eight operators: for numbers and versions.
    pub const ALL: Self = Self(0xff);

    /// Whether the set holds `operator`.
    pub const fn allows(self, operator: Operator) -> bool {
        self.0 & operator.bit() != 0
    }

    /// The operators of the set, in the order of the specification.
    pub fn iter(self) -> impl Iterator<Item = Operator> {
        Operator::ALL.into_iter().filter(move |op| self.allows(*op))
    }
}
