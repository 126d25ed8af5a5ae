//! Splits a query into tokens to colour it while it is typed.

use std::ops::Range;

use super::Mode;
use super::parse::Reader;
use super::scan::{Piece, Raw, Statement, scan};
use crate::catalog::Catalog;
use crate::dialect::Dialect;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// The name of a field.
    Field,
    Operator,
    /// A value or a list of values.
    Value,
    /// A word outside conditions.
    Word,
    /// A part with a mistake.
    Error,
}

/// The tokens of a text with their byte ranges, in order, without blanks and commas between them.
///
/// Works on incomplete queries, and finds mistakes within a condition but not between conditions.
pub fn highlight(text: &str, catalog: &'static Catalog) -> Vec<(Range<usize>, Token)> {
    // Dialects differ in the meaning of units, not in the units themselves, so any dialect will do.
    let reader = Reader {
        text,
        catalog,
        dialect: &Dialect::DOCUMENTED,
        mode: Mode::Bar,
    };
    let mut parts = Vec::new();
    for piece in scan(text, catalog) {
        match piece {
            Piece::Word(item) => parts.push((item.span, Token::Word)),
            Piece::Comma(_) => {}
            Piece::Statement(statement) => statement_parts(&reader, &statement, &mut parts),
        }
    }
    parts
}

/// Adds the tokens of a statement; the one with the mistake becomes an error.
fn statement_parts(reader: &Reader<'_>, statement: &Statement, parts: &mut Vec<(Range<usize>, Token)>) {
    let wrong = reader.statement(statement).err().map(|error| error.span);
    let mut push = |span: Range<usize>, token: Token| {
        let is_wrong = wrong
            .as_ref()
            .is_some_and(|wrong| wrong.start < span.end && span.start < wrong.end);
        if !span.is_empty() {
            parts.push((span, if is_wrong { Token::Error } else { token }));
        }
    };
    push(statement.name.clone(), Token::Field);
    if let Some(sign) = &statement.sign {
        push(sign.span.clone(), Token::Operator);
    }
    match &statement.value {
        Raw::Missing => {}
        Raw::One(item) => push(item.span.clone(), Token::Value),
        Raw::List(list) => push(list.span.clone(), Token::Value),
    }
}
