//! Affine maps in the text.

use crate::read::function::Linear;
use crate::read::lexer::Token;

use super::{MAX_DEPTH, Parsed, Parser};

/// A map before its operands are known.
#[derive(Clone)]
pub(super) struct Map {
    pub dims: usize,
    pub symbols: usize,
    pub form: Linear,
}

impl Parser<'_> {
    /// `affine_map<(d0)[s0] -> (s0 + 8*d0)>` or the name of one.
    pub(super) fn map(&mut self) -> Parsed<Map> {
        if let Token::Alias(name) = self.peek() {
            let Some(map) = self.maps.get(name).cloned() else {
                return self.error(format!("#{name} is not defined"));
            };
            self.at += 1;
            return Ok(map);
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

    fn sum(&mut self, names: &[&str], depth: usize) -> Parsed<Linear> {
        let mut sum = self.product(names, depth)?;
        loop {
            let place = self.place();
            if self.accept(Token::Sign('+')) {
                sum = sum.plus(&self.product(names, depth)?, place)?;
            } else if self.accept(Token::Sign('-')) {
                sum = sum.minus(&self.product(names, depth)?, place)?;
            } else {
                return Ok(sum);
            }
        }
    }

    fn product(&mut self, names: &[&str], depth: usize) -> Parsed<Linear> {
        let mut product = self.factor(names, depth)?;
        loop {
            let place = self.place();
            match self.peek() {
                Token::Sign('*') => {
                    self.at += 1;
                    product = product.times(&self.factor(names, depth)?, place)?;
                }
                Token::Word(word @ ("floordiv" | "ceildiv" | "mod")) => {
                    return self.error(format!("addresses of bundles have no {word}"));
                }
                _ => return Ok(product),
            }
        }
    }

    fn factor(&mut self, names: &[&str], depth: usize) -> Parsed<Linear> {
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
                self.factor(names, depth + 1)?.times(&minus, place)
            }
            Token::Integer(value) => {
                self.at += 1;
                Ok(Linear::constant(value, names.len()))
            }
            Token::Word(name) => {
                let Some(position) = names.iter().position(|known| *known == name) else {
                    return self.error(format!("'{name}' is not an operand of the map"));
                };
                self.at += 1;
                Ok(Linear::operand(position, names.len()))
            }
            _ => self.unexpected("an operand or a number"),
        }
    }
}
