//! The parser of `bundle.mlir`: the text that bundle writers print, and what MLIR prints of the same
//! (SDSC bundle specification, sections 2.1 and 2.2).
//!
//! This is not a parser of MLIR. It accepts the operations that a bundle may have, in the two printed forms, with any
//! spacing; everything else is an error at its place. Attributes that say nothing about what runs are skipped.

mod maps;

use std::collections::HashMap;

use crate::read::error::{Place, TextError};
use crate::read::function::{
    Arithmetic, Bounds, Field, Function, Param, Statement, StatementKind, ValueId,
};
use crate::read::lexer::{Token, tokens};
use maps::Map;

/// Loops in loops. Deeper ones are refused, so that a damaged file cannot exhaust the stack.
const MAX_DEPTH: usize = 64;

/// Reads the text of `bundle.mlir`.
///
/// # Errors
/// The first word that is not expected, a value that is used before it is defined or is defined twice, or a map that
/// is not affine.
pub fn parse(text: &str) -> Result<Function, TextError> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        maps: HashMap::new(),
        values: HashMap::new(),
        scope: Vec::new(),
        params: HashMap::new(),
        function: Function::default(),
    };
    parser.module()?;
    Ok(parser.function)
}

/// The name of a value, where it is.
#[derive(Clone, Copy)]
struct Name<'t> {
    text: &'t str,
    place: Place,
}

struct Parser<'t> {
    tokens: Vec<(Token<'t>, Place)>,
    at: usize,
    maps: HashMap<&'t str, Map>,
    /// Values that can be used here.
    values: HashMap<&'t str, ValueId>,
    /// The names of those values, in the order of their definitions.
    scope: Vec<&'t str>,
    /// Parameters, which only `input_arg_extract` reads.
    params: HashMap<&'t str, usize>,
    function: Function,
}

type Parsed<T> = Result<T, TextError>;

impl<'t> Parser<'t> {
    /// Returns the next word and its place; the last word, which is the end, stays the next one.
    fn next(&self) -> (Token<'t>, Place) {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> Token<'t> {
        self.next().0
    }

    fn place(&self) -> Place {
        self.next().1
    }

    fn advance(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(TextError::new(self.place(), message))
    }

    fn unexpected<T>(&self, wanted: &str) -> Parsed<T> {
        self.error(format!("expected {wanted}, found {}", self.peek()))
    }

    fn accept(&mut self, token: Token<'_>) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn sign(&mut self, sign: char) -> Parsed<()> {
        match self.accept(Token::Sign(sign)) {
            true => Ok(()),
            false => self.unexpected(&format!("'{sign}'")),
        }
    }

    fn word(&mut self, word: &str) -> Parsed<()> {
        match self.accept(Token::Word(word)) {
            true => Ok(()),
            false => self.unexpected(&format!("'{word}'")),
        }
    }

    fn integer(&mut self) -> Parsed<i64> {
        let negative = self.accept(Token::Sign('-'));
        let Token::Integer(value) = self.peek() else {
            return self.unexpected("a number");
        };
        self.at += 1;
        Ok(if negative { -value } else { value })
    }

    fn name(&mut self) -> Parsed<Name<'t>> {
        let place = self.place();
        let Token::Value(text) = self.peek() else {
            return self.unexpected("a value");
        };
        self.at += 1;
        Ok(Name { text, place })
    }

    fn define(&mut self, Name { text: name, place }: Name<'t>) -> Parsed<ValueId> {
        let value = ValueId(self.function.names.len());
        if self.params.contains_key(name) || self.values.insert(name, value).is_some() {
            return Err(TextError::new(place, format!("%{name} is defined twice")));
        }
        self.scope.push(name);
        self.function.names.push(name.to_owned());
        Ok(value)
    }

    /// Forgets the values that were defined after the first `known`.
    fn leave(&mut self, known: usize) {
        for name in self.scope.drain(known..) {
            self.values.remove(name);
        }
    }

    fn value(&mut self) -> Parsed<ValueId> {
        let Name { text: name, place } = self.name()?;
        self.values.get(name).copied().ok_or_else(|| {
            let why = match self.params.contains_key(name) {
                true => "is a parameter, which only input_arg_extract reads",
                false => "is used and not defined before",
            };
            TextError::new(place, format!("%{name} {why}"))
        })
    }

    /// A list in parentheses or brackets.
    fn list<T>(
        &mut self,
        (open, close): (char, char),
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.sign(open)?;
        let mut items = Vec::new();
        while !self.accept(Token::Sign(close)) {
            if !items.is_empty() {
                self.sign(',')?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn module(&mut self) -> Parsed<()> {
        while let Token::Alias(name) = self.peek() {
            self.at += 1;
            self.sign('=')?;
            let map = self.map()?;
            if self.maps.insert(name, map).is_some() {
                return self.error(format!("#{name} is defined twice"));
            }
        }
        let module =
            self.accept(Token::Word("module")) || self.accept(Token::Word("builtin.module"));
        if module {
            self.attributes()?;
            self.sign('{')?;
        }
        self.word("func.func")?;
        // May be left out.
        self.accept(Token::Word("public"));
        if !self.accept(Token::Symbol("sdsc_bundle")) {
            return self.unexpected("'@sdsc_bundle'");
        }
        self.list(('(', ')'), Self::param)?;
        self.attributes()?;
        self.sign('{')?;
        self.function.body = self.block(0)?;
        if module {
            self.sign('}')?;
        }
        match self.peek() {
            Token::End => Ok(()),
            _ => self.unexpected("the end of the file"),
        }
    }

    /// Skips `attributes {...}`.
    fn attributes(&mut self) -> Parsed<()> {
        match self.accept(Token::Word("attributes")) {
            true => self.skip_braces(),
            false => Ok(()),
        }
    }

    fn skip_braces(&mut self) -> Parsed<()> {
        self.sign('{')?;
        let mut depth = 1_usize;
        while depth > 0 {
            match self.advance() {
                Token::Sign('{') => depth += 1,
                Token::Sign('}') => depth -= 1,
                Token::End => return self.unexpected("'}'"),
                _ => {}
            }
        }
        Ok(())
    }

    fn param(&mut self) -> Parsed<()> {
        let Name { text: name, place } = self.name()?;
        self.sign(':')?;
        let bounds = self.arg_type()?;
        if self
            .params
            .insert(name, self.function.params.len())
            .is_some()
        {
            return Err(TextError::new(place, format!("%{name} is defined twice")));
        }
        let value = ValueId(self.function.names.len());
        self.function.names.push(name.to_owned());
        self.function.params.push(Param { value, bounds });
        Ok(())
    }

    /// `!sdscbundle.input_arg<index, granularity=G, max_value=M>`.
    fn arg_type(&mut self) -> Parsed<Bounds> {
        self.sign('!')?;
        self.word("sdscbundle.input_arg")?;
        self.sign('<')?;
        self.word("index")?;
        let mut bounds = Bounds::default();
        while self.accept(Token::Sign(',')) {
            let field = match self.peek() {
                Token::Word("granularity") => &mut bounds.granularity,
                Token::Word("max_value") => &mut bounds.max_value,
                _ => return self.unexpected("'granularity' or 'max_value'"),
            };
            self.at += 1;
            self.sign('=')?;
            let place = self.place();
            let value = self.integer()?;
            if value <= 0 || field.replace(value).is_some() {
                let message = "a granularity or largest value is given once and is positive";
                return Err(TextError::new(place, message));
            }
        }
        self.sign('>')?;
        Ok(bounds)
    }

    /// Statements up to the closing brace.
    fn block(&mut self, depth: usize) -> Parsed<Vec<Statement>> {
        if depth > MAX_DEPTH {
            return self.error(format!("more than {MAX_DEPTH} loops in each other"));
        }
        let known = self.scope.len();
        let mut statements = Vec::new();
        loop {
            let place = self.place();
            let kind = match self.peek() {
                Token::Value(_) => self.definition()?,
                Token::Word("scf.for") => self.for_loop(depth)?,
                Token::Word("sdscbundle.sdsc_execute") => self.execute()?,
                Token::Word("return" | "func.return") if depth == 0 => {
                    self.at += 1;
                    self.sign('}')?;
                    break;
                }
                Token::Word("scf.yield") if depth > 0 => {
                    self.at += 1;
                    self.sign('}')?;
                    break;
                }
                Token::Sign('}') if depth > 0 => {
                    self.at += 1;
                    break;
                }
                _ => return self.unexpected("an operation of a bundle"),
            };
            statements.push(Statement { place, kind });
        }
        self.leave(known);
        Ok(statements)
    }

    fn definition(&mut self) -> Parsed<StatementKind> {
        let name = self.name()?;
        self.sign('=')?;
        let place = self.place();
        let Token::Word(operation) = self.advance() else {
            return Err(TextError::new(place, "expected an operation"));
        };
        let kind = match operation {
            "arith.constant" => {
                let value = self.integer()?;
                self.index_type()?;
                let result = self.define(name)?;
                StatementKind::Constant { result, value }
            }
            "arith.addi" | "arith.subi" | "arith.muli" => {
                let kind = match operation {
                    "arith.addi" => Arithmetic::Add,
                    "arith.subi" => Arithmetic::Subtract,
                    _ => Arithmetic::Multiply,
                };
                let lhs = self.value()?;
                self.sign(',')?;
                let rhs = self.value()?;
                if self.accept(Token::Word("overflow")) {
                    self.sign('<')?;
                    while !self.accept(Token::Sign('>')) {
                        if self.advance() == Token::End {
                            return self.unexpected("'>'");
                        }
                    }
                }
                self.index_type()?;
                let result = self.define(name)?;
                StatementKind::Arithmetic {
                    result,
                    kind,
                    lhs,
                    rhs,
                }
            }
            "affine.apply" => self.apply(name)?,
            "sdscbundle.input_arg_extract" => self.extract(name)?,
            "sdscbundle.device_mem_allocate" => {
                let place = self.place();
                let bytes = self.integer()?;
                let bytes = u64::try_from(bytes).ok().filter(|bytes| *bytes > 0);
                let bytes =
                    bytes.ok_or_else(|| TextError::new(place, "a pool has at least one byte"))?;
                self.word("bytes")?;
                self.optional_braces()?;
                self.index_type()?;
                let result = self.define(name)?;
                StatementKind::Allocate { result, bytes }
            }
            _ => {
                let message = format!("'{operation}' is not an operation of a bundle");
                return Err(TextError::new(place, message));
            }
        };
        Ok(kind)
    }

    fn index_type(&mut self) -> Parsed<()> {
        self.sign(':')?;
        self.word("index")
    }

    fn optional_braces(&mut self) -> Parsed<()> {
        match self.peek() {
            Token::Sign('{') => self.skip_braces(),
            _ => Ok(()),
        }
    }

    fn apply(&mut self, name: Name<'t>) -> Parsed<StatementKind> {
        let place = self.place();
        let map = self.map()?;
        let mut operands = self.list(('(', ')'), Self::value)?;
        let dims = operands.len();
        if self.peek() == Token::Sign('[') {
            operands.extend(self.list(('[', ']'), Self::value)?);
        }
        let symbols = operands.len() - dims;
        if (dims, symbols) != (map.dims, map.symbols) {
            let message = format!(
                "the map has {} dimensions and {} symbols; {dims} and {symbols} are given",
                map.dims, map.symbols
            );
            return Err(TextError::new(place, message));
        }
        let result = self.define(name)?;
        Ok(StatementKind::Apply {
            result,
            map: map.form,
            operands,
        })
    }

    fn extract(&mut self, name: Name<'t>) -> Parsed<StatementKind> {
        let field = match self.peek() {
            Token::Word("value") => Field::Value,
            Token::Word("granularity") => Field::Granularity,
            Token::Word("max_value") => Field::MaxValue,
            _ => return self.unexpected("'value', 'granularity' or 'max_value'"),
        };
        self.at += 1;
        self.word("from")?;
        let Name {
            text: name_of,
            place,
        } = self.name()?;
        let Some(param) = self.params.get(name_of).copied() else {
            return Err(TextError::new(place, format!("%{name_of} is no parameter")));
        };
        self.optional_braces()?;
        self.sign(':')?;
        let place = self.place();
        let bounds = self.arg_type()?;
        if self.function.params[param].bounds != bounds {
            let message = "this is not the type of the parameter";
            return Err(TextError::new(place, message));
        }
        let missing = match field {
            Field::Value => false,
            Field::Granularity => bounds.granularity.is_none(),
            Field::MaxValue => bounds.max_value.is_none(),
        };
        if missing {
            return Err(TextError::new(place, "the type does not have the field"));
        }
        if !self.accept(Token::Arrow) {
            return self.unexpected("'->'");
        }
        self.word("index")?;
        let result = self.define(name)?;
        Ok(StatementKind::Extract {
            result,
            param,
            field,
        })
    }

    fn for_loop(&mut self, depth: usize) -> Parsed<StatementKind> {
        self.at += 1;
        let name = self.name()?;
        self.sign('=')?;
        let lower = self.value()?;
        self.word("to")?;
        let upper = self.value()?;
        self.word("step")?;
        let step = self.value()?;
        self.sign('{')?;
        let known = self.scope.len();
        let iv = self.define(name)?;
        let body = self.block(depth + 1)?;
        self.leave(known);
        self.optional_braces()?;
        Ok(StatementKind::For {
            iv,
            lower,
            upper,
            step,
            body,
        })
    }

    fn execute(&mut self) -> Parsed<StatementKind> {
        let place = self.place();
        self.at += 1;
        let operands = self.list(('(', ')'), Self::value)?;
        let (mut file, mut ids) = (None, None);
        self.sign('{')?;
        while !self.accept(Token::Sign('}')) {
            if file.is_some() || ids.is_some() {
                self.sign(',')?;
            }
            let (Token::Word(key) | Token::Text(key)) = self.advance() else {
                return self.unexpected("an attribute");
            };
            let twice = match key {
                "sdsc_filename" => {
                    self.sign('=')?;
                    let Token::Text(name) = self.advance() else {
                        return self.unexpected("the name of a file");
                    };
                    file.replace(name.to_owned()).is_some()
                }
                "symbol_ids" => {
                    self.sign('=')?;
                    let list = self.list(('[', ']'), Self::integer)?;
                    ids.replace(list).is_some()
                }
                _ => return self.error(format!("unknown attribute '{key}'")),
            };
            if twice {
                return self.error(format!("attribute '{key}' is there twice"));
            }
        }
        let Some(file) = file else {
            return Err(TextError::new(place, "an execution names its file"));
        };
        // Without symbols, the attribute may be left out.
        let ids = ids.unwrap_or_default();
        if ids.len() != operands.len() {
            let message = format!("{} symbols for {} operands", ids.len(), operands.len());
            return Err(TextError::new(place, message));
        }
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.array_windows().find(|[a, b]| a == b) {
            let message = format!("symbol {} is bound twice", twice[0]);
            return Err(TextError::new(place, message));
        }
        Ok(StatementKind::Execute {
            file,
            symbols: ids.into_iter().zip(operands).collect(),
        })
    }
}
