//! Splits a query into the tokens of plain words.
//!
//! Conditions of the query language and quoted texts stay in one piece, so that no rule reads them.

use std::ops::Range;

use crate::domain::catalog::Catalog;
use crate::domain::field::{Kind as FieldKind, Operator};
use crate::domain::language::scan::{
    Item, Piece, Raw, Sign, Statement, is_sign, scan, sign_operator,
};

use super::nouns;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Number(f64),
    Word,
    Bound(Operator),
    Dollar,
    Percent,
    Slash,
    /// Between two numbers; other hyphens separate like blanks.
    Dash,
    Plus,
    /// The sign between count and model: the `x` of `2x4090`.
    Times,
    Comma,
    /// A condition of the query language, a quoted text, a sign without meaning.
    Opaque,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub kind: Kind,
    /// The word or number in lower case.
    pub text: String,
    /// In bytes of the query.
    pub span: Range<usize>,
    /// Whether it follows the previous token without a blank; `_` is none.
    pub glued: bool,
    /// Whether it was typed in capitals, as country codes are.
    pub capitals: bool,
    /// What an opaque token says, if it is a condition with one value.
    pub condition: Option<Statement>,
}

impl Token {
    pub(super) fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }
}

/// Words that continue a price after its number: with them `price < 40 cents` is plain words.
const AFTER_PRICE: [&str; 8] = ["cents", "cent", "c", "per", "a", "an", "dollars", "usd"];

pub(super) fn tokens(text: &str, catalog: &Catalog) -> Vec<Token> {
    let pieces = scan(text, catalog);
    let mut lexer = Lexer {
        text,
        found: Vec::new(),
    };
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Word(item) if item.quoted => lexer.push(Kind::Opaque, item.span.clone()),
            Piece::Word(item) => lexer.lex(item.span.clone()),
            Piece::Comma(span) => lexer.push(Kind::Comma, span.clone()),
            Piece::Statement(statement) => {
                let word = |at: Option<usize>| match at.and_then(|at| pieces.get(at)) {
                    Some(Piece::Word(item)) => item.text.to_lowercase(),
                    _ => String::new(),
                };
                let (before, next) = (word(index.checked_sub(1)), word(Some(index + 1)));
                let name = text[statement.name.clone()].to_lowercase();
                // `cpu ram > 64`
                let is_noun = nouns::is_noun(&format!("{before} {name}"));
                if !is_noun && is_condition(text, statement, catalog, &next) {
                    lexer.push(Kind::Opaque, statement.span.clone());
                    if let Some(token) = lexer.found.last_mut() {
                        token.condition = Some(statement.clone());
                    }
                } else {
                    lexer.lex(statement.span.clone());
                }
            }
        }
    }
    lexer.found
}

/// Whether a statement is a condition of the query language rather than plain words with a sign
/// (`4090 <$0.5`, `h100 in germany`).
fn is_condition(text: &str, statement: &Statement, catalog: &Catalog, next: &str) -> bool {
    let name = &text[statement.name.clone()];
    let Some(sign) = &statement.sign else {
        return statement.value != Raw::Missing;
    };
    // `count: 8`
    if &text[sign.span.clone()] == ":" {
        return false;
    }
    let is_apart = sign.span.start > statement.name.end;
    let Some(field) = catalog.named(name) else {
        let starts_as_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
        return starts_as_name && !is_apart;
    };
    if !text[sign.span.clone()].starts_with(is_sign) {
        let first = match &statement.value {
            Raw::List(list) if list.bracketed => return true,
            Raw::List(list) => list.items.first(),
            Raw::One(item) => Some(item),
            Raw::Missing => None,
        };
        return match field.kind {
            FieldKind::Country => true,
            // `verified not in china`
            FieldKind::Flag => false,
            FieldKind::Text => field.key == name || !takes_list(sign),
            FieldKind::Integer
            | FieldKind::Number
            | FieldKind::Id
            | FieldKind::Version
            | FieldKind::Epoch
            | FieldKind::Timestamp
            | FieldKind::List
            | FieldKind::Secret => {
                let is_number = |item: &Item| item.text.starts_with(|c: char| c.is_ascii_digit());
                !takes_list(sign) || (field.key == name && first.is_some_and(is_number))
            }
        };
    }
    let goes_on = matches!(name.to_lowercase().as_str(), "price" | "cost")
        && (AFTER_PRICE.contains(&next) || next.starts_with('/'));
    let is_impossible = sign
        .operator
        .is_some_and(|operator| !field.operators.allows(operator));
    !(goes_on || is_apart && is_impossible)
}

fn takes_list(sign: &Sign) -> bool {
    sign.operator.is_some_and(Operator::takes_list)
}

struct Lexer<'a> {
    text: &'a str,
    found: Vec<Token>,
}

impl Lexer<'_> {
    fn push(&mut self, kind: Kind, span: Range<usize>) {
        let text = &self.text[span.clone()];
        // `gpu_na` is the beginning of a field's name, not two words.
        let glued = self.found.last().is_some_and(|last| {
            let between = self.text.get(last.span.end..span.start);
            between.is_some_and(|between| between.bytes().all(|byte| byte == b'_'))
        });
        self.found.push(Token {
            kind,
            text: text.to_lowercase(),
            glued,
            capitals: text.chars().any(char::is_alphabetic) && text == text.to_uppercase(),
            span,
            condition: None,
        });
    }

    fn lex(&mut self, span: Range<usize>) {
        let mut at = span.start;
        while let Some(first) = self.text[at..span.end].chars().next() {
            let rest = &self.text[at..span.end];
            let run = |belongs: &dyn Fn(char) -> bool| {
                let length = rest.find(|c: char| !belongs(c)).unwrap_or(rest.len());
                at + length
            };
            let single = at + first.len_utf8();
            at = match first {
                // `host #58213`
                _ if first.is_whitespace() || matches!(first, '_' | '#') => single,
                _ if first.is_ascii_digit() || is_fraction(rest) => self.number(at..span.end),
                _ if first.is_alphabetic() => {
                    let end = run(&|c| c.is_alphanumeric() || c == '\'');
                    self.word(at..end)
                }
                _ if is_sign(first) && first != ':' => {
                    let end = run(&is_sign);
                    self.push(bound(&self.text[at..end]), at..end);
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
                last.span.end + '–'.len_utf8() >= after && matches!(last.kind, Kind::Number(_))
            })
    }

    /// A number with thousands separators and a fraction, or a version such as `550.54.15`.
    fn number(&mut self, span: Range<usize>) -> usize {
        let rest = &self.text[span.clone()];
        let mut length = 0;
        for (at, c) in rest.char_indices() {
            let digits = |from: usize| {
                let behind = rest.get(from..).unwrap_or_default();
                behind.bytes().take_while(u8::is_ascii_digit).count()
            };
            let belongs = c.is_ascii_digit()
                || (c == '.' && digits(at + 1) > 0)
                || (c == ',' && digits(at + 1) == 3 && at > 0);
            if !belongs {
                break;
            }
            length = at + 1;
        }
        let end = span.start + length;
        let plain = rest[..length].replace(',', "");
        let kind = plain.parse().map_or(Kind::Word, Kind::Number);
        self.push(kind, span.start..end);
        end
    }

    /// A word; a multiplication in it (`x4090`, `h100x8`) is split off.
    fn word(&mut self, span: Range<usize>) -> usize {
        let word = &self.text[span.clone()];
        let lower = word.to_ascii_lowercase();
        let follows_number = self.found.last().is_some_and(|last| {
            last.span.end == span.start && matches!(last.kind, Kind::Number(_))
        });
        let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let is_factor = lower
            .strip_prefix('x')
            .is_some_and(|rest| rest.is_empty() || follows_number || all_digits(rest));
        if is_factor {
            let end = span.start + 1;
            self.push(Kind::Times, span.start..end);
            return end;
        }
        if let Some(at) = lower.rfind('x')
            && all_digits(&lower[at + 1..])
            && lower[..at].ends_with(|c: char| c.is_ascii_digit())
        {
            let at = span.start + at;
            self.push(Kind::Word, span.start..at);
            self.push(Kind::Times, at..at + 1);
            return at + 1;
        }
        self.push(Kind::Word, span.clone());
        span.end
    }
}

fn is_fraction(text: &str) -> bool {
    text.strip_prefix('.')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn bound(signs: &str) -> Kind {
    let signs = match signs {
        "≥" | "=>" => ">=",
        "≤" | "=<" => "<=",
        signs => signs,
    };
    sign_operator(signs).map_or(Kind::Opaque, Kind::Bound)
}

const fn mark(character: char) -> Kind {
    match character {
        '$' => Kind::Dollar,
        '%' => Kind::Percent,
        '/' => Kind::Slash,
        '-' | '–' => Kind::Dash,
        '+' => Kind::Plus,
        '×' | '*' => Kind::Times,
        ',' | ';' | '|' | ':' | '&' | '?' | '.' | '(' | ')' => Kind::Comma,
        '¢' | '°' => Kind::Word,
        _ => Kind::Opaque,
    }
}
