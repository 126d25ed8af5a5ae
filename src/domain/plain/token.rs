//! Splits a text into tokens. Conditions of the query language and quoted texts stay in one piece.

use std::ops::Range;

use super::models::Names;
use super::vocabulary::{Role, roles};
use crate::domain::catalog::Catalog;
use crate::domain::country;
use crate::domain::field::{Field, Kind as FieldKind, Operator};
use crate::domain::language::scan::{Piece, Raw, Sign, Statement, is_sign, scan};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Number(f64),
    Word,
    /// `$ % / - + :`, and the `x` between a count and a model. A hyphen only between two numbers.
    Mark,
    /// A comma, and other signs that end a clause.
    Break,
    /// Not plain words: a condition, a quoted text.
    Opaque,
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub kind: Kind,
    /// In lower case.
    pub text: String,
    /// In bytes of the query.
    pub span: Range<usize>,
    /// Whether it follows the previous token without a blank or hyphen.
    pub glued: bool,
    /// Whether it was typed in capitals, as country codes are.
    pub capitals: bool,
}

pub(super) fn tokens(text: &str, catalog: &Catalog, names: &Names) -> Vec<Token> {
    let pieces = scan(text, catalog);
    let tokens = Vec::new();
    let mut lexer = Lexer { text, names, tokens };
    let word = |at: Option<usize>| match at.and_then(|at| pieces.get(at)) {
        Some(Piece::Word(item)) => item.text.to_lowercase(),
        // `days` is a field, too.
        Some(Piece::Statement(statement)) => text[statement.name.clone()].to_lowercase(),
        Some(Piece::Comma(_)) | None => String::new(),
    };
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Word(item) if item.quoted => lexer.push(Kind::Opaque, item.span.clone()),
            Piece::Word(item) => lexer.lex(item.span.clone()),
            Piece::Comma(span) => lexer.push(Kind::Break, span.clone()),
            Piece::Statement(statement) => {
                let (name, span) = (statement.name.clone(), statement.span.clone());
                let around = [word(index.checked_sub(1)), word(Some(index + 1))];
                let field = catalog.named(&text[name.clone()]);
                if is_condition(text, statement, field, &around, names) {
                    lexer.push(Kind::Opaque, span);
                } else if field.is_some() {
                    lexer.push(Kind::Word, name.clone());
                    lexer.lex(name.end..span.end);
                } else {
                    lexer.lex(span);
                }
            }
        }
    }
    lexer.tokens
}

/// Whether a statement is a condition of the query language rather than plain words with a sign
/// (`4090 <$0.5`, `h100 in germany`) or before a unit (`gpu_ram >= 24 GB`).
fn is_condition(
    text: &str,
    statement: &Statement,
    field: Option<&'static Field>,
    [before, next]: &[String; 2],
    names: &Names,
) -> bool {
    let name = text[statement.name.clone()].to_lowercase();
    let Some(Sign { span, operator }) = &statement.sign else {
        return statement.value != Raw::Missing;
    };
    let (sign, is_apart) = (&text[span.clone()], span.start > statement.name.end);
    let Some(field) = field.filter(|_| sign != ":") else {
        let starts_as_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
        return starts_as_name && !is_apart && sign != ":";
    };
    if !sign.starts_with(is_sign) {
        let is_bracketed = matches!(&statement.value, Raw::List(list) if list.bracketed);
        // `verified not in china`
        let is_name = field.key == name && field.kind != FieldKind::Flag;
        return is_bracketed || is_name || !operator.is_some_and(Operator::takes_list);
    }
    let value = match &statement.value {
        Raw::One(item) if !item.quoted => item.text.to_lowercase(),
        Raw::One(_) | Raw::List(_) | Raw::Missing => String::new(),
    };
    let is_unit = |role: &Role| matches!(role, Role::Unit(..));
    let goes_on = match field.kind {
        _ if value.is_empty() || next.is_empty() => false,
        // `gpu_name=RTX 4090`, `geolocation=south korea`
        FieldKind::Text => !names.models(&format!("{value}{next}")).is_empty(),
        FieldKind::Country => country::named(&format!("{value} {next}"), false).is_some(),
        // `price < 40 cents`, `max price < 2 per hour`, `duration > 3 days`
        _ => roles(next).iter().any(is_unit) || next == "per" || next.starts_with('/'),
    };
    // `cpu ram > 64`
    let phrase = roles(&format!("{before} {name}"));
    let is_noun = phrase.iter().any(|role| matches!(role, Role::Noun(_)));
    let is_impossible = operator.is_some_and(|operator| !field.operators.allows(operator));
    !(goes_on || is_noun || is_apart && is_impossible)
}

struct Lexer<'a> {
    text: &'a str,
    names: &'a Names,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn push(&mut self, kind: Kind, span: Range<usize>) {
        let text = &self.text[span.clone()];
        // `gpu_na` is the beginning of a field's name, not two words.
        let is_joined = |between: &str| between.bytes().all(|byte| byte == b'_');
        let end = self.tokens.last().map(|last| last.span.end);
        let between = end.and_then(|end| self.text.get(end..span.start));
        self.tokens.push(Token {
            kind,
            text: text
                .to_lowercase()
                .replace('’', "'")
                .replace(['×', '*'], "x")
                .replace('–', "-"),
            glued: between.is_some_and(is_joined),
            capitals: text.chars().any(char::is_alphabetic) && text == text.to_uppercase(),
            span,
        });
    }

    fn lex(&mut self, span: Range<usize>) {
        let mut at = span.start;
        while let Some(first) = self.text[at..span.end].chars().next() {
            let rest = &self.text[at..span.end];
            let run = |belongs: &dyn Fn(char) -> bool| at + rest.find(|c: char| !belongs(c)).unwrap_or(rest.len());
            let single = at + first.len_utf8();
            let is_number = |text: &str| text.starts_with(|next: char| next.is_ascii_digit());
            let (kind, end) = match first {
                _ if is_number(rest) || first == '.' && is_number(&rest[1..]) => number(rest, at),
                _ if first.is_alphabetic() => self.word(at..run(&|c| c.is_alphanumeric() || matches!(c, '\'' | '’'))),
                _ if is_sign(first) => (Kind::Mark, run(&is_sign)),
                '$' | '%' | '/' | '+' | ':' => (Kind::Mark, single),
                '-' | '–' if self.is_between_numbers(single, span.end) => (Kind::Mark, single),
                '×' | '*' => (Kind::Mark, single),
                ',' | ';' | '|' | '&' | '?' | '.' | '(' | ')' => (Kind::Break, single),
                _ => (Kind::Word, single),
            };
            let is_blank = first.is_whitespace() || matches!(first, '_' | '#' | '-' | '–');
            if !is_blank || kind == Kind::Mark {
                self.push(kind, at..end);
            }
            at = end;
        }
    }

    /// Whether the hyphen before `after` joins two numbers: `4-8`, `$1-$2`.
    fn is_between_numbers(&self, after: usize, end: usize) -> bool {
        let next = self.text[after..end].trim_start_matches('$');
        let is_number = |last: &Token| matches!(last.kind, Kind::Number(_)) || last.text == "x";
        let joins = |last: &Token| is_number(last) && last.span.end + '–'.len_utf8() >= after;
        next.starts_with(|c: char| c.is_ascii_digit() || c == '.') && self.tokens.last().is_some_and(joins)
    }

    /// A word up to a multiplication in it, or that: `x4090`, `h100x8`.
    fn word(&self, span: Range<usize>) -> (Kind, usize) {
        let lower = self.text[span.clone()].to_ascii_lowercase();
        let is_number = |last: &&Token| last.span.end == span.start && matches!(last.kind, Kind::Number(_));
        let number = self.tokens.last().filter(is_number);
        // `7900xtx`
        let is_model = |last: &Token| !self.names.models(&format!("{}{lower}", last.text)).is_empty();
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_factor = |rest: &str| rest.is_empty() || number.is_some() || is_digits(rest);
        let ends_in_digit = |text: &str| text.ends_with(|last: char| last.is_ascii_digit());
        if lower.strip_prefix('x').is_some_and(is_factor) && !number.is_some_and(is_model) {
            return (Kind::Mark, span.start + 1);
        }
        match lower.rsplit_once('x') {
            Some((model, count)) if is_digits(count) && ends_in_digit(model) => (Kind::Word, span.start + model.len()),
            _ => (Kind::Word, span.end),
        }
    }
}

/// A number with thousands separators and a fraction, or a version such as `550.54.15`, and where it ends.
fn number(text: &str, start: usize) -> (Kind, usize) {
    let digits = |from: usize| {
        let behind = text.get(from..).unwrap_or_default();
        behind.bytes().take_while(u8::is_ascii_digit).count()
    };
    let belongs = |(at, c): &(usize, char)| match c {
        '.' => digits(at + 1) > 0,
        ',' => digits(at + 1) == 3 && *at > 0,
        c => c.is_ascii_digit(),
    };
    let length = text.char_indices().take_while(belongs).count();
    let plain = text[..length].replace(',', "");
    (plain.parse().map_or(Kind::Word, Kind::Number), start + length)
}
