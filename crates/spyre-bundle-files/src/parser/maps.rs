//! Affine maps in the text.

use crate::error::TextError;
use crate::function::{Linear, Map};
use crate::lexer::Token;

use super::{MAX_DEPTH, Parsed, Parser};

/// An expression: a linear form, or the reason why it is nonlinear. The syntax is still checked
/// after a nonlinear part.
type Form = Result<Linear, TextError>;

impl Parser<'_> {
    /// Reads `affine_map<(d0)[s0] -> (s0 + 8*d0)>` or the name of one.
    pub(super) fn map(&mut self) -> Parsed<Map> {
        if let Token::Alias(name) = self.peek() {
            let Some(at) = self.aliases.get(name) else {
                return self.error(format!("#{name} is not defined"));
            };
            self.at += 1;
            return Ok(self.maps[*at].map.clone());
        }
        self.word("affine_map")?;
        self.sign('<')?;
        let operand = |parser: &mut Self| match parser.advance() {
            Token::Word(name) => Ok(name),
            _ => parser.unexpected("the name of an operand"),
        };
        let mut names = self.list(('(', ')'), operand)?;
        let dims = names.len();
        if self.peek() == Token::Sign('[') {
            names.extend(self.list(('[', ']'), operand)?);
        }
        if !self.accept(Token::Arrow) {
            return self.unexpected("'->'");
        }
        self.sign('(')?;
        let form = self.sum(&names, 0)?;
        self.sign(')')?;
        self.sign('>')?;
        Ok(Map {
            dims,
            symbols: names.len() - dims,
            form,
        })
    }

    fn sum(&mut self, names: &[&str], depth: usize) -> Parsed<Form> {
        let mut sum = self.product(names, depth)?;
        loop {
            let place = self.place();
            let combine = if self.accept(Token::Sign('+')) {
                Linear::plus
            } else if self.accept(Token::Sign('-')) {
                Linear::minus
            } else {
                return Ok(sum);
            };
            let next = self.product(names, depth)?;
            sum = sum.and_then(|sum| combine(&sum, &next?, place));
        }
    }

    fn product(&mut self, names: &[&str], depth: usize) -> Parsed<Form> {
        let mut product = self.factor(names, depth)?;
        loop {
            let place = self.place();
            match self.peek() {
                Token::Sign('*') => {
                    self.at += 1;
                    let next = self.factor(names, depth)?;
                    product = product.and_then(|product| product.times(&next?, place));
                }
                Token::Word(word @ ("floordiv" | "ceildiv" | "mod")) => {
                    self.at += 1;
                    self.factor(names, depth)?.ok();
                    let message = format!("addresses of bundles have no {word}");
                    product = product.and(Err(TextError::new(place, message)));
                }
                _ => return Ok(product),
            }
        }
    }

    fn factor(&mut self, names: &[&str], depth: usize) -> Parsed<Form> {
        if depth > MAX_DEPTH {
            return self.error(format!("more than {MAX_DEPTH} expressions in each other"));
        }
        match self.peek() {
            Token::Sign('(') => {
                self.at += 1;
                let sum = self.sum(names, depth + 1)?;
                self.sign(')')?;
                Ok(sum)
            }
            Token::Sign('-') => {
                let place = self.place();
                self.at += 1;
                let minus = Linear::constant(-1, names.len());
                let factor = self.factor(names, depth + 1)?;
                Ok(factor.and_then(|factor| factor.times(&minus, place)))
            }
            Token::Integer(value) => {
                self.at += 1;
                Ok(Ok(Linear::constant(value, names.len())))
            }
            Token::Word(name) => {
                let Some(position) = names.iter().position(|other| *other == name) else {
                    return self.error(format!("'{name}' is not an operand of the map"));
                };
                self.at += 1;
                Ok(Ok(Linear::operand(position, names.len())))
            }
            _ => self.unexpected("an operand or a number"),
        }
    }
}
