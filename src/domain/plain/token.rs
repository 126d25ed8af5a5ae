//! Splits a text into tokens. Conditions of the query language and quoted texts stay in one piece.

use std::ops::Range;

use super::models::Names;
use super::vocabulary::{Role, roles};
use crate::domain::catalog::Catalog;
use crate::domain::country;
use crate::domain::field::{Field, Kind as FieldKind, Operator};
use crate::domain::language::scan::{Item, Piece, Raw, Sign, Statement, is_sign, scan, sign_operator};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Number(f64),
    Word,
    Sign(Operator),
    /// `$ % / - + :`, and the `x` between a count and a model. A hyphen only between two numbers.
    Mark(char),
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
    let found = Vec::new();
    let mut lexer = Lexer { text, names, found };
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Word(item) if item.quoted => lexer.push(Kind::Opaque, item.span.clone()),
            Piece::Word(item) => lexer.lex(item.span.clone()),
            Piece::Comma(span) => lexer.push(Kind::Break, span.clone()),
            Piece::Statement(statement) => {
                let word = |at: Option<usize>| match at.and_then(|at| pieces.get(at)) {
                    Some(Piece::Word(item)) => item.text.to_lowercase(),
                    // `days` is a field, too.
                    Some(Piece::Statement(own)) => text[own.name.clone()].to_lowercase(),
                    Some(Piece::Comma(_)) | None => String::new(),
                };
                let around = [word(index.checked_sub(1)), word(Some(index + 1))];
                let field = catalog.named(&text[statement.name.clone()]);
                if is_condition(text, statement, field, &around, names) {
                    lexer.push(Kind::Opaque, statement.span.clone());
                } else if field.is_some() {
                    lexer.push(Kind::Word, statement.name.clone());
                    lexer.lex(statement.name.end..statement.span.end);
                } else {
                    lexer.lex(statement.span.clone());
                }
            }
        }
    }
    lexer.found
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
    let Some(sign) = &statement.sign else {
        return statement.value != Raw::Missing;
    };
    let is_apart = sign.span.start > statement.name.end;
    let is_spelled = text[sign.span.clone()].starts_with(is_sign);
    let Some(field) = field else {
        let starts_as_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
        return starts_as_name && !is_apart && &text[sign.span.clone()] != ":";
    };
    if &text[sign.span.clone()] == ":" {
        return false;
    }
    let takes_list = |sign: &Sign| sign.operator.is_some_and(Operator::takes_list);
    let numeric = !matches!(field.kind, FieldKind::Country | FieldKind::Flag | FieldKind::Text);
    if !is_spelled {
        let first = match &statement.value {
            Raw::List(list) if list.bracketed => return true,
            Raw::List(list) => list.items.first(),
            Raw::One(item) => Some(item),
            Raw::Missing => None,
        };
        let is_number = |item: &Item| item.text.starts_with(|c: char| c.is_ascii_digit());
        return match field.kind {
            FieldKind::Country => true,
            // `verified not in china`
            FieldKind::Flag => false,
            _ => !takes_list(sign) || (field.key == name && (!numeric || first.is_some_and(is_number))),
        };
    }
    let goes_on = match &statement.value {
        Raw::One(item) if item.quoted => false,
        // `gpu_name=RTX 4090`, `geolocation=south korea`
        Raw::One(item) if field.key == "gpu_name" => {
            let model = format!("{}{next}", item.text);
            !next.is_empty() && !names.models(&model).is_empty()
        }
        Raw::One(item) if field.kind == FieldKind::Country => {
            country::named(&format!("{} {next}", item.text.to_lowercase()), false).is_some()
        }
        Raw::One(_) => {
            // `price < 40 cents`, `max price < 2 per hour`, `duration > 3 days`
            let is_unit = |role: &Role| matches!(role, Role::Unit(..));
            numeric && (next == "per" || next.starts_with('/') || roles(next).iter().any(is_unit))
        }
        Raw::Missing | Raw::List(_) => false,
    };
    // `cpu ram > 64`
    let is_noun = roles(&format!("{before} {name}"))
        .iter()
        .any(|role| matches!(role, Role::Noun(_)));
    let is_impossible = sign.operator.is_some_and(|operator| !field.operators.allows(operator));
    !(goes_on || is_noun || is_apart && is_impossible)
}

struct Lexer<'a> {
    text: &'a str,
    names: &'a Names,
    found: Vec<Token>,
}

impl Lexer<'_> {
    fn push(&mut self, kind: Kind, span: Range<usize>) {
        let text = &self.text[span.clone()];
        let glued = self.found.last().is_some_and(|last| {
            // `gpu_na` is the beginning of a field's name, not two words.
            let between = self.text.get(last.span.end..span.start);
            between.is_some_and(|between| between.bytes().all(|byte| byte == b'_'))
        });
        self.found.push(Token {
            kind,
            text: text.to_lowercase().replace('’', "'"),
            glued,
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
            let mut second = rest[first.len_utf8()..].chars();
            let is_number = |c: char| c.is_ascii_digit();
            at = match first {
                _ if first.is_whitespace() || matches!(first, '_' | '#') => single,
                _ if is_number(first) || (first == '.' && second.next().is_some_and(is_number)) => {
                    self.number(at..span.end)
                }
                _ if first.is_alphabetic() => self.word(at..run(&|c| c.is_alphanumeric() || matches!(c, '\'' | '’'))),
                _ if is_sign(first) => {
                    let end = run(&is_sign);
                    let kind = match &rest[..end - at] {
                        "≥" | "=>" => Kind::Sign(Operator::Gte),
                        "≤" | "=<" => Kind::Sign(Operator::Lte),
                        signs => sign_operator(signs).map_or(Kind::Word, Kind::Sign),
                    };
                    self.push(kind, at..end);
                    end
                }
                '-' | '–' if !self.is_between_numbers(single, span.end) => single,
                _ => {
                    self.push(mark(first), at..single);
                    single
                }
            };
        }
    }

    /// Whether the hyphen before `after` joins two numbers: `4-8`, `$1-$2`.
    fn is_between_numbers(&self, after: usize, end: usize) -> bool {
        let next = self.text[after..end].trim_start_matches('$');
        next.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && self.found.last().is_some_and(|last| {
                last.span.end + '–'.len_utf8() >= after && matches!(last.kind, Kind::Number(_) | Kind::Mark('x'))
            })
    }

    /// A number with thousands separators and a fraction, or a version such as `550.54.15`.
    fn number(&mut self, span: Range<usize>) -> usize {
        let rest = &self.text[span.clone()];
        let digits = |from: usize| {
            let behind = rest.get(from..).unwrap_or_default();
            behind.bytes().take_while(u8::is_ascii_digit).count()
        };
        let belongs = |(at, c): &(usize, char)| {
            c.is_ascii_digit() || (*c == '.' && digits(at + 1) > 0) || (*c == ',' && digits(at + 1) == 3 && *at > 0)
        };
        let length = rest.char_indices().take_while(belongs).count();
        let plain = rest[..length].replace(',', "");
        let kind = plain.parse().map_or(Kind::Word, Kind::Number);
        self.push(kind, span.start..span.start + length);
        span.start + length
    }

    /// A word; a multiplication in it (`x4090`, `h100x8`) is split off.
    fn word(&mut self, span: Range<usize>) -> usize {
        let lower = self.text[span.clone()].to_ascii_lowercase();
        let number = self
            .found
            .last()
            .filter(|last| last.span.end == span.start && matches!(last.kind, Kind::Number(_)));
        // `7900xtx`
        let is_model = number.is_some_and(|last| !self.names.models(&format!("{}{lower}", last.text)).is_empty());
        let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let is_factor = lower
            .strip_prefix('x')
            .is_some_and(|rest| rest.is_empty() || number.is_some() || all_digits(rest));
        if is_factor && !is_model {
            self.push(Kind::Mark('x'), span.start..span.start + 1);
            return span.start + 1;
        }
        if let Some(at) = lower.rfind('x')
            && all_digits(&lower[at + 1..])
            && lower[..at].ends_with(|c: char| c.is_ascii_digit())
        {
            let at = span.start + at;
            self.push(Kind::Word, span.start..at);
            self.push(Kind::Mark('x'), at..at + 1);
            return at + 1;
        }
        self.push(Kind::Word, span.clone());
        span.end
    }
}

const fn mark(character: char) -> Kind {
    match character {
        '$' | '%' | '/' | '+' | ':' => Kind::Mark(character),
        '-' | '–' => Kind::Mark('-'),
        '×' | '*' => Kind::Mark('x'),
        ',' | ';' | '|' | '&' | '?' | '.' | '(' | ')' => Kind::Break,
        _ => Kind::Word,
    }
}
