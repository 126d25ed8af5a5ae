//! Splits a text into tokens. Conditions of the query language and quoted texts stay in one piece.

use std::ops::Range;

use super::vocabulary::{Role, roles};
use crate::language::scan::{Piece, Raw, Sign, Statement, is_sign, scan};
use crate::{Catalog, Kind as FieldKind};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Number(f64),
    Word,
    /// `$ % / - + :`, and the `x` between a count and a model. A hyphen is a mark only between two numbers.
    Mark,
    /// A comma, or another sign that ends a clause.
    Break,
    /// Not plain words: a condition, a quoted text.
    Opaque,
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub kind: Kind,
    /// The text in lower case.
    pub text: String,
    /// The text as typed: `Gb` and `GB` are different units.
    pub raw: String,
    /// The range in bytes of the query.
    pub span: Range<usize>,
    /// Whether it follows the previous token without a blank or hyphen.
    pub glued: bool,
    /// Whether it was typed in capitals, as country codes are.
    pub capitals: bool,
}

/// Splits a text into tokens, in order. Conditions on the catalog's fields and quoted texts stay in one
/// piece, as opaque ones.
pub(super) fn tokens(text: &str, catalog: &Catalog) -> Vec<Token> {
    let tokens = Vec::new();
    let mut lexer = Lexer { text, tokens };
    for piece in scan(text, catalog) {
        match piece {
            Piece::Word(item) if item.quoted => lexer.push(Kind::Opaque, item.span),
            Piece::Word(item) => lexer.lex(item.span),
            Piece::Comma(span) => lexer.push(Kind::Break, span),
            Piece::Statement(own) if is_condition(text, &own, catalog) => lexer.push(Kind::Opaque, own.span),
            Piece::Statement(own) if catalog.named(&text[own.name.clone()]).is_some() => {
                lexer.push(Kind::Word, own.name.clone());
                lexer.lex(own.name.end..own.span.end);
            }
            Piece::Statement(own) => lexer.lex(own.span),
        }
    }
    lexer.tokens
}

/// Whether a statement is a condition of the query language rather than plain words with a sign (`4090 <$0.5`, `h100 in
/// germany`) or before a unit (`gpu_ram >= 24 GB`).
fn is_condition(text: &str, statement: &Statement, catalog: &Catalog) -> bool {
    let Some(Sign { span, .. }) = &statement.sign else {
        return statement.value != Raw::Missing;
    };
    let (name, sign) = (&text[statement.name.clone()], &text[span.clone()]);
    let Some(field) = catalog.named(name).filter(|_| sign != ":") else {
        let is_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
        return is_name && span.start == statement.name.end && sign != ":";
    };
    if !sign.starts_with(is_sign) {
        // `verified not in china`, `price in germany`
        let is_list = matches!(&statement.value, Raw::List(list) if list.bracketed);
        let is_word = field.kind == FieldKind::Flag || !roles(&name.to_lowercase()).is_empty();
        return is_list || !is_word;
    }
    // `max price < 2 per hour`, `duration > 3 days`
    let behind = text[statement.span.end..].trim_start();
    let next = behind.split([' ', ',']).next().unwrap_or_default();
    let is_unit = |role: &Role| matches!(role, Role::Unit(..));
    let goes_on = next == "per" || next.starts_with('/') || roles(&next.to_lowercase()).iter().any(is_unit);
    !goes_on || matches!(statement.value, Raw::List(_))
}

struct Lexer<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    /// Appends the text at `span` as one token of this kind.
    fn push(&mut self, kind: Kind, span: Range<usize>) {
        let text = &self.text[span.clone()];
        let ascii = text.to_lowercase().replace('’', "'");
        let end = self.tokens.last().map(|last| last.span.end);
        let between = end.and_then(|end| self.text.get(end..span.start));
        self.tokens.push(Token {
            kind,
            raw: text.to_owned(),
            text: ascii.replace(['×', '*'], "x").replace('–', "-"),
            // `gpu_na` is the beginning of a field name, not two words.
            glued: between.is_some_and(|between| between.bytes().all(|byte| byte == b'_')),
            capitals: text.chars().any(char::is_alphabetic) && text == text.to_uppercase(),
            span,
        });
    }

    /// Splits a range of plain words into tokens and appends them; blanks, underscores, `#` and most hyphens
    /// are left out.
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
                '$' | '%' | '/' | '+' | ':' | '×' | '*' => (Kind::Mark, single),
                '-' | '–' if self.ends_in_number(at) && is_number(self.text[single..].trim_start_matches('$')) => {
                    (Kind::Mark, single)
                }
                // `-germany` excludes: no clause has it, so it is refused.
                '-' | '–' if self.is_in_front(at, single) => (Kind::Mark, single),
                // `excl. china`
                '.' if self.is_abbreviated(at) => (Kind::Opaque, single),
                ',' | ';' | '|' | '&' | '?' | '!' | '.' | '(' | ')' => (Kind::Break, single),
                _ => (Kind::Word, single),
            };
            let is_blank = first.is_whitespace() || matches!(first, '_' | '#' | '-' | '–') || kind == Kind::Opaque;
            if !is_blank || kind == Kind::Mark {
                self.push(kind, at..end);
            }
            at = end;
        }
    }

    /// Whether the last token, which ends at a position, is a word that is abbreviated with a dot.
    fn is_abbreviated(&self, at: usize) -> bool {
        let last = self.tokens.last().filter(|last| last.span.end == at);
        last.is_some_and(|last| ["excl", "incl", "max", "min", "approx", "ca", "vs"].contains(&&*last.text))
    }

    /// Whether the last token is a number that ends at a position.
    fn ends_in_number(&self, at: usize) -> bool {
        let last = self.tokens.last().filter(|last| last.span.end == at);
        last.is_some_and(|last| matches!(last.kind, Kind::Number(_)))
    }

    /// Whether the sign between bytes `at` and `next` is in front of a word or number, at the start of the
    /// text or after a blank or a comma, rather than between two.
    fn is_in_front(&self, at: usize, next: usize) -> bool {
        let is_apart = |before: char| before.is_whitespace() || before == ',';
        self.text[..at].chars().next_back().is_none_or(is_apart) && self.text[next..].starts_with(char::is_alphanumeric)
    }

    /// The kind and the end of the first token of a word, which ends at a multiplication sign or a number in
    /// it: `x4090`, `8xh100`, `h100x8`, `1d12h`.
    fn word(&self, span: Range<usize>) -> (Kind, usize) {
        let lower = self.text[span.clone()].to_ascii_lowercase();
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match lower.rsplit_once('x') {
            // Processors, not counts.
            Some(("", "86" | "64")) => (Kind::Word, span.end),
            Some(("", rest)) if rest.is_empty() || is_digits(rest) || self.ends_in_number(span.start) => {
                (Kind::Mark, span.start + 1)
            }
            // `1d12h`
            _ if self.ends_in_number(span.start) && lower.contains(|c: char| c.is_ascii_digit()) => {
                let unit = lower.find(|c: char| c.is_ascii_digit()).unwrap_or(lower.len());
                (Kind::Word, span.start + unit)
            }
            Some((model, count)) if is_digits(count) && model.ends_with(|last: char| last.is_ascii_digit()) => {
                (Kind::Word, span.start + model.len())
            }
            _ => (Kind::Word, span.end),
        }
    }
}

/// The number at the start of a text, with its fraction and its exponent (`3e9`), and its end; of a version such as
/// `550.54.15` it is the first two parts. `start` is the position of the text.
fn number(text: &str, start: usize) -> (Kind, usize) {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let belongs = |(at, c): &(usize, char)| match c {
        '.' => digits(at + 1) > 0,
        c => c.is_ascii_digit(),
    };
    let length = text.char_indices().take_while(belongs).count();
    let number = text[..length].split('.').take(2).collect::<Vec<_>>().join(".");
    // `3e9`
    let exponent = text[length..].strip_prefix(['e', 'E']).map_or(0, |power| {
        let digits = power.bytes().take_while(u8::is_ascii_digit).count();
        let is_whole = !power[digits..].starts_with(char::is_alphanumeric);
        if is_whole && digits > 0 { digits + 1 } else { 0 }
    });
    let number = number + &text[length..length + exponent];
    (
        number.parse().map_or(Kind::Word, Kind::Number),
        start + length + exponent,
    )
}
