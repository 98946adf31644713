//! A recursive-descent reader of the infix text form.

use std::str::FromStr;

use thiserror::Error;

use super::{Expr, Symbol};

/// Nesting beyond this is refused, so that hostile text cannot exhaust the stack.
const MAX_DEPTH: usize = 200;

/// A mistake in the text of an expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expression `{text}`, column {column}: {problem}")]
pub struct ParseError {
    text: String,
    column: usize,
    problem: String,
}

impl FromStr for Expr {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut parser = Parser {
            text,
            position: 0,
            depth: 0,
        };
        let expr = parser.sum()?;
        match parser.peek() {
            None => Ok(expr),
            Some(other) => Err(parser.error(format!("unexpected `{other}`"))),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    position: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    /// The next character that is not a space, which becomes the current position.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.position += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let is_wanted = self.peek() == Some(wanted);
        if is_wanted {
            self.position += wanted.len_utf8();
        }
        is_wanted
    }

    /// Like [`eat`](Self::eat), without a space before.
    fn eat_beside(&mut self, wanted: char) -> bool {
        self.rest().starts_with(wanted) && self.eat(wanted)
    }

    fn expect(&mut self, wanted: char) -> Result<(), ParseError> {
        if self.eat(wanted) {
            Ok(())
        } else {
            Err(self.error(format!("expected `{wanted}`")))
        }
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.position += end;
        &rest[..end]
    }

    fn error(&self, problem: impl Into<String>) -> ParseError {
        ParseError {
            text: self.text.to_owned(),
            column: self.position + 1,
            problem: problem.into(),
        }
    }

    /// `term (("+" | "-") term)*`, the first term possibly signed.
    fn sum(&mut self) -> Result<Expr, ParseError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(format!("nested more than {MAX_DEPTH} deep")));
        }
        let mut sum = self.term()?;
        loop {
            if self.eat('+') {
                sum = sum + self.term()?;
            } else if self.eat('-') {
                // Not `sum - (a + b)`: a parenthesised operand is negated as a whole.
                sum = sum + -self.product()?;
            } else {
                self.depth -= 1;
                return Ok(sum);
            }
        }
    }

    /// An optionally negated product.
    fn term(&mut self) -> Result<Expr, ParseError> {
        let mut negative = false;
        loop {
            if self.eat('-') {
                negative = !negative;
            } else if !self.eat('+') {
                break;
            }
        }
        let product = self.product()?;
        Ok(if negative { -product } else { product })
    }

    /// `atom (("*" | "/" | "//") atom)*`.
    fn product(&mut self) -> Result<Expr, ParseError> {
        let mut product = self.atom()?;
        loop {
            if self.eat('*') {
                product = product * self.atom()?;
            } else if self.eat('/') {
                product = if self.eat_beside('/') {
                    product.floor_div(self.atom()?)
                } else {
                    product.divided_by(self.atom()?)
                };
            } else {
                return Ok(product);
            }
        }
    }

    fn atom(&mut self) -> Result<Expr, ParseError> {
        match self.peek() {
            Some('(') => {
                self.expect('(')?;
                let inner = self.sum()?;
                self.expect(')')?;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() => {
                let digits = self.take_while(|c| c.is_ascii_digit());
                match digits.parse::<i64>() {
                    Ok(value) => Ok(Expr::int(value)),
                    // The magnitude of the least integer, which fits 64 bits only after negation.
                    Err(_) if digits.parse() == Ok(i64::MIN.unsigned_abs()) => {
                        Ok(-Expr::int(i64::MIN))
                    }
                    Err(_) => Err(self.error(format!("integer {digits} does not fit 64 bits"))),
                }
            }
            Some(c) if is_name_start(c) => {
                let name = self.take_while(is_name_part);
                if self.peek() == Some('(') {
                    self.call(name)
                } else {
                    Ok(Expr::symbol(name))
                }
            }
            Some(other) => Err(self.error(format!("unexpected `{other}`"))),
            None => Err(self.error("unexpected end")),
        }
    }

    fn call(&mut self, function: &str) -> Result<Expr, ParseError> {
        self.expect('(')?;
        let result = match function {
            "floor" => self.sum()?.floor(),
            "Mod" | "FloorDiv" => {
                let left = self.sum()?;
                self.expect(',')?;
                let right = self.sum()?;
                if function == "Mod" {
                    left.modulo(right)
                } else {
                    left.floor_div(right)
                }
            }
            "IndirectAccess" => {
                self.peek();
                let name = self.take_while(is_name_part);
                if name.is_empty() {
                    return Err(self.error("expected the name of an argument"));
                }
                Expr::indirect_access(Symbol::new(name))
            }
            other => return Err(self.error(format!("unknown function `{other}`"))),
        };
        self.expect(')')?;
        Ok(result)
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.')
}
