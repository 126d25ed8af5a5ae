//! Splits a text into pieces. Never fails: missing and unclosed parts are flagged in the pieces.

use std::ops::Range;

use crate::catalog::{Catalog, OFFERS};
use crate::field::Operator;
use crate::text::unescaped;

/// A value, a list item or a bare word.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    /// Its byte range, including quotes.
    pub span: Range<usize>,
    /// The text of the word, without its quotes.
    pub text: String,
    pub quoted: bool,
    /// Whether its quote is closed.
    pub closed: bool,
    /// Whether text follows its quote without a blank.
    pub glued: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct List {
    /// Its byte range, including brackets.
    pub span: Range<usize>,
    /// The items, without empty ones.
    pub items: Vec<Item>,
    /// Whether it starts with a bracket.
    pub bracketed: bool,
    /// Whether it ends with a bracket.
    pub closed: bool,
    /// Whether text follows its bracket without a blank.
    pub glued: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Raw {
    Missing,
    One(Item),
    List(List),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sign {
    pub span: Range<usize>,
    /// The operator; `None` if the signs are not one.
    pub operator: Option<Operator>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Statement {
    pub span: Range<usize>,
    /// The range of the field name; empty if there is none.
    pub name: Range<usize>,
    /// The operator; `None` if there is none.
    pub sign: Option<Sign>,
    pub value: Raw,
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    /// A condition, or something that looks like one.
    Statement(Statement),
    /// A word outside of conditions.
    Word(Item),
    /// A comma outside of conditions.
    Comma(Range<usize>),
}

/// Splits a text into its pieces, in order. Never fails: missing and unclosed parts are flagged.
pub(crate) fn scan(text: &str, catalog: &Catalog) -> Vec<Piece> {
    let mut scanner = Scanner { text, at: 0, catalog };
    std::iter::from_fn(|| scanner.next_piece()).collect()
}

/// The operator of a word such as `gte`, in any case; `None` for any other word.
pub(crate) fn word_operator(word: &str) -> Option<Operator> {
    Some(match word.to_ascii_lowercase().as_str() {
        "eq" => Operator::Eq,
        "neq" | "noteq" => Operator::Neq,
        "gt" => Operator::Gt,
        "gte" => Operator::Gte,
        "lt" => Operator::Lt,
        "lte" => Operator::Lte,
        "in" => Operator::In,
        "nin" | "notin" => Operator::Nin,
        _ => return None,
    })
}

/// The operator of signs such as `>=`; `None` for signs that are none, such as `=>`.
pub(crate) fn sign_operator(signs: &str) -> Option<Operator> {
    Some(match signs {
        "=" | "==" => Operator::Eq,
        "!=" => Operator::Neq,
        ">" => Operator::Gt,
        ">=" => Operator::Gte,
        "<" => Operator::Lt,
        "<=" => Operator::Lte,
        _ => return None,
    })
}

/// Whether a character belongs to a sign, valid (`=`, `!`, `<`, `>`) or not (`~`, `≥`, `≤`, `≠`).
pub(crate) const fn is_sign(character: char) -> bool {
    matches!(character, '=' | '!' | '<' | '>' | '~' | '≥' | '≤' | '≠')
}

/// Whether a character begins and ends quoted texts: `"` or `'`.
const fn is_quote(character: char) -> bool {
    matches!(character, '"' | '\'')
}

/// Whether the name of a field can contain the character: an ASCII letter or digit, `_` or `.`.
fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '.')
}

/// Splits a text into pieces.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
    catalog: &'a Catalog,
}

impl<'a> Scanner<'a> {
    /// A scanner for a single value, which needs no particular catalog.
    const fn within(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            catalog: &OFFERS,
        }
    }

    /// The character at the current position, without consuming it; `None` at the end.
    fn peek(&self) -> Option<char> {
        self.rest(self.at).chars().next()
    }

    /// The text from byte `from` on; empty beyond the end.
    fn rest(&self, from: usize) -> &str {
        self.text.get(from..).unwrap_or_default()
    }

    /// The end of the run of characters from `from` on that satisfy `belongs`.
    fn end_of(&self, from: usize, belongs: impl Fn(char) -> bool) -> usize {
        let rest = self.rest(from);
        from + rest.find(|character| !belongs(character)).unwrap_or(rest.len())
    }

    /// The position after the whitespace that begins at `from`.
    fn after_blanks(&self, from: usize) -> usize {
        self.end_of(from, char::is_whitespace)
    }

    /// Whether a piece can end at the current position: whitespace, a comma or the end follows.
    fn at_border(&self) -> bool {
        self.peek().is_none_or(|next| next == ',' || next.is_whitespace())
    }

    /// The next condition, word or comma; `None` at the end.
    fn next_piece(&mut self) -> Option<Piece> {
        self.at = self.after_blanks(self.at);
        let start = self.at;
        match self.peek()? {
            ',' => {
                self.at += 1;
                Some(Piece::Comma(start..self.at))
            }
            quote if is_quote(quote) => Some(Piece::Word(self.quoted(quote))),
            _ => Some(self.named(start)),
        }
    }

    /// Scans the condition or bare word that starts at `start`: a condition if its name is known, or an
    /// operator follows. A colon after a known name counts as a wrong operator.
    fn named(&mut self, start: usize) -> Piece {
        let mut end = self.name_end(start);
        let mut sign = self.sign_at(end);
        if sign.is_none()
            && let Some(colon) = self.text[start..end].find(':')
            && self.catalog.named(&self.text[start..start + colon]).is_some()
        {
            end = start + colon;
            sign = Some(Sign {
                span: end..end + 1,
                operator: None,
            });
        }
        let name = start..end;
        let known = self.catalog.named(&self.text[name.clone()]).is_some();
        self.at = end;
        let value = match &sign {
            Some(sign) => {
                self.at = sign.span.end;
                self.value(sign.operator)
            }
            None if known => self.bare_range(),
            None => {
                return Piece::Word(Item {
                    text: self.text[name.clone()].to_owned(),
                    span: name,
                    quoted: false,
                    closed: true,
                    glued: false,
                });
            }
        };
        Piece::Statement(Statement {
            span: start..self.at,
            name,
            sign,
            value,
        })
    }

    /// The end of a name that begins at `start`: at whitespace, a comma, a sign or the end of the text.
    fn name_end(&self, start: usize) -> usize {
        self.end_of(start, |character| {
            !character.is_whitespace() && !is_sign(character) && character != ','
        })
    }

    /// The operator after a name that ends at `end`, with blanks skipped: signs, even wrong ones, or a word
    /// such as `in` or `not in`. `None` if there is none.
    fn sign_at(&self, end: usize) -> Option<Sign> {
        let start = self.after_blanks(end);
        let signs = self.end_of(start, is_sign);
        if signs > start {
            return Some(Sign {
                span: start..signs,
                operator: sign_operator(&self.text[start..signs]),
            });
        }
        if start == end {
            return None;
        }
        let word = self.word_at(start)?;
        if self.text[word.clone()].eq_ignore_ascii_case("not") {
            let second = self.word_at(self.after_blanks(word.end))?;
            let operator = match word_operator(&self.text[second.clone()])? {
                Operator::In => Operator::Nin,
                Operator::Eq => Operator::Neq,
                _ => return None,
            };
            return Some(Sign {
                span: start..second.end,
                operator: Some(operator),
            });
        }
        let operator = word_operator(&self.text[word.clone()])?;
        Some(Sign {
            span: word,
            operator: Some(operator),
        })
    }

    /// The range of the word of letters at `start`, if whitespace, a bracket, a quote or the end follows it;
    /// `None` otherwise.
    fn word_at(&self, start: usize) -> Option<Range<usize>> {
        let end = self.end_of(start, |character| character.is_ascii_alphabetic());
        let alone = self
            .rest(end)
            .chars()
            .next()
            .is_none_or(|next| next.is_whitespace() || matches!(next, '[' | '(' | '"' | '\''));
        (end > start && alone).then_some(start..end)
    }

    /// Whether a condition starts at `start`: a name followed by signs, or a known one followed by a word operator.
    fn is_condition(&self, start: usize) -> bool {
        let start = self.after_blanks(start);
        let end = self.name_end(start);
        let name = &self.text[start..end];
        let plausible = name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(is_name);
        plausible
            && self.sign_at(end).is_some_and(|sign| {
                self.rest(sign.span.start).starts_with(is_sign) || self.catalog.named(name).is_some()
            })
    }

    /// Scans a range after a field without an operator: `dph 0.2..0.5`; consumes nothing if there is none.
    fn bare_range(&mut self) -> Raw {
        let start = self.after_blanks(self.at);
        let end = self.run_end(start);
        let text = &self.text[start..end];
        let numeric = text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '.' | '$' | '+' | '-'));
        if !numeric || !text.contains("..") {
            return Raw::Missing;
        }
        self.at = end;
        Raw::One(self.unquoted(start..end))
    }

    /// Scans the value after an operator that ends at the current position; `Raw::Missing` if another
    /// condition, more signs, a comma or the end follows. After an `operator` that takes a list, brackets may
    /// be missing.
    fn value(&mut self, operator: Option<Operator>) -> Raw {
        let start = self.after_blanks(self.at);
        let apart = start > self.at;
        match self.rest(start).chars().next() {
            None | Some(',') => Raw::Missing,
            Some(first) if is_sign(first) => Raw::Missing,
            Some(_) if apart && self.is_condition(start) => Raw::Missing,
            Some(quote) if is_quote(quote) => {
                self.at = start;
                Raw::One(self.quoted(quote))
            }
            Some(open @ ('[' | '(')) => {
                self.at = start;
                Raw::List(self.bracketed(open))
            }
            Some(_) if operator.is_some_and(Operator::takes_list) => {
                self.at = start;
                Raw::List(self.open_list())
            }
            Some(_) => {
                self.at = self.run_end(start);
                Raw::One(self.unquoted(start..self.at))
            }
        }
    }

    /// The end of an unquoted value that begins at `start`: at a blank, at a comma that separates conditions,
    /// or at the end of the text.
    fn run_end(&self, start: usize) -> usize {
        let mut end = start;
        for character in self.rest(start).chars() {
            if character.is_whitespace() || (character == ',' && self.separates(end + 1)) {
                break;
            }
            end += character.len_utf8();
        }
        end
    }

    /// Whether the comma before `after` separates conditions rather than being part of a value: a blank,
    /// another comma, a condition or the end of the text follows it.
    fn separates(&self, after: usize) -> bool {
        let next = self.rest(after).chars().next();
        next.is_none_or(|next| next == ',' || next.is_whitespace()) || self.is_condition(after)
    }

    /// The text in `span` as an item without quotes.
    fn unquoted(&self, span: Range<usize>) -> Item {
        Item {
            text: self.text[span.clone()].to_owned(),
            span,
            quoted: false,
            closed: true,
            glued: false,
        }
    }

    /// Scans a quoted text, to the end of the text if it is not closed. A doubled quote is a literal quote,
    /// `\u202e` an escaped character that no screen may show.
    fn quoted(&mut self, quote: char) -> Item {
        let start = self.at;
        self.at += quote.len_utf8();
        let mut text = String::new();
        let mut closed = false;
        while let Some(next) = self.peek() {
            self.at += next.len_utf8();
            if next != quote {
                text.push(next);
            } else if self.peek() == Some(quote) {
                self.at += quote.len_utf8();
                text.push(quote);
            } else {
                closed = true;
                break;
            }
        }
        Item {
            span: start..self.at,
            text: unescaped(&text),
            quoted: true,
            closed,
            glued: !self.at_border(),
        }
    }

    /// Scans a list from the bracket `open` to its counterpart, or to the end of the text if that is missing.
    fn bracketed(&mut self, open: char) -> List {
        let close = if open == '[' { ']' } else { ')' };
        let start = self.at;
        self.at += 1;
        let mut items = Vec::new();
        let mut closed = false;
        loop {
            self.at = self.after_blanks(self.at);
            match self.peek() {
                None => break,
                Some(next) if next == close => {
                    self.at += 1;
                    closed = true;
                    break;
                }
                Some(',') => self.at += 1,
                Some(quote) if is_quote(quote) => {
                    let mut item = self.quoted(quote);
                    let next = self.rest(self.after_blanks(self.at)).chars().next();
                    item.glued = next.is_some_and(|next| next != ',' && next != close);
                    items.push(item);
                }
                Some(_) => {
                    let begin = self.at;
                    self.at = self.end_of(begin, |next| next != ',' && next != close);
                    let length = self.text[begin..self.at].trim_end().len();
                    items.push(self.unquoted(begin..begin + length));
                }
            }
        }
        List {
            span: start..self.at,
            items,
            bracketed: true,
            closed,
            glued: closed && !self.at_border(),
        }
    }

    /// Scans a list without brackets: `in US,CA` or `in US, CA`.
    fn open_list(&mut self) -> List {
        let start = self.at;
        let mut items = Vec::new();
        let mut end = start;
        loop {
            let begin = self.at;
            self.at = self.end_of(begin, |next| next != ',' && !next.is_whitespace());
            if self.at > begin {
                items.push(self.unquoted(begin..self.at));
                end = self.at;
            }
            let comma = self.after_blanks(self.at);
            let after = self.after_blanks(comma + 1);
            let goes_on = self.rest(comma).starts_with(',') && after < self.text.len() && !self.is_condition(after);
            if !goes_on {
                break;
            }
            self.at = after;
        }
        self.at = end;
        List {
            span: start..end,
            items,
            bracketed: false,
            closed: true,
            glued: false,
        }
    }
}

/// Parses a text as a list with optional brackets; with them the list ends at the closing one, and its span
/// shows whether text follows. Spans are relative to the start of `text`.
pub(crate) fn list(text: &str) -> List {
    let (opened, shift) = if text.starts_with(['[', '(']) {
        (text.to_owned(), 0)
    } else {
        (format!("[{text}]"), 1)
    };
    let mut scanner = Scanner::within(&opened);
    let open = scanner.peek().unwrap_or('[');
    let mut list = scanner.bracketed(open);
    let back = |span: &mut Range<usize>| {
        let offset = |at: usize| at.saturating_sub(shift).min(text.len());
        *span = offset(span.start)..offset(span.end);
    };
    back(&mut list.span);
    list.items.iter_mut().for_each(|item| back(&mut item.span));
    list
}

/// Parses a text as one value, quoted or bare. Text after a closing quote is left out, and the item flagged
/// as `glued`.
pub(crate) fn item(text: &str) -> Item {
    let mut scanner = Scanner::within(text);
    match scanner.peek() {
        Some(quote) if is_quote(quote) => {
            let mut item = scanner.quoted(quote);
            item.glued = item.span.end < text.len();
            item
        }
        _ => scanner.unquoted(0..text.len()),
    }
}
