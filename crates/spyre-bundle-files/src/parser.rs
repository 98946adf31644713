//! The parser of `bundle.mlir`: the text that bundle writers print, and the text that MLIR prints for the same (SDSC
//! bundle specification, sections 2.1 and 2.2).
//!
//! This is not a parser of MLIR. It accepts the operations that a bundle may have, in the two printed forms, with any
//! spacing; everything else is an error at its place. Attributes without an effect on execution are skipped, and so are
//! operations next to the function.

mod maps;

use rustc_hash::FxHashMap;

use crate::error::{Place, TextError};
use crate::function::{
    Arithmetic, Bounds, Field, Function, Module, NamedMap, Other, Param, Statement, StatementKind,
    Value, ValueId,
};
use crate::lexer::{Token, tokens};

/// Loops in loops. Deeper ones are refused, so that a damaged file cannot exhaust the stack.
const MAX_DEPTH: usize = 64;

/// Reads the text of `bundle.mlir`.
///
/// # Errors
/// The first word that is not expected, or a value that is used before it is defined or is defined twice.
pub fn parse(text: &str) -> Result<Module, TextError> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        maps: Vec::new(),
        aliases: FxHashMap::default(),
        values: FxHashMap::default(),
        scope: Vec::new(),
        params: FxHashMap::default(),
        function: Function::default(),
    };
    parser.module()
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
    maps: Vec<NamedMap>,
    /// The position of each map by its name.
    aliases: FxHashMap<&'t str, usize>,
    /// Values that can be used here.
    values: FxHashMap<&'t str, ValueId>,
    /// The names of these values, in the order of their definitions.
    scope: Vec<&'t str>,
    /// Parameters, which only `input_arg_extract` reads.
    params: FxHashMap<&'t str, usize>,
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
        let is_present = self.peek() == token;
        self.at += usize::from(is_present);
        is_present
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
        let value = self.add(name, place);
        if self.params.contains_key(name) || self.values.insert(name, value).is_some() {
            return Err(TextError::new(place, format!("%{name} is defined twice")));
        }
        self.scope.push(name);
        Ok(value)
    }

    /// Adds a value to the function.
    fn add(&mut self, name: &str, place: Place) -> ValueId {
        let name = name.to_owned();
        self.function.values.push(Value { name, place });
        ValueId(self.function.values.len() - 1)
    }

    /// Forgets the values that were defined after the first `scope_len`.
    fn leave(&mut self, scope_len: usize) {
        for name in self.scope.drain(scope_len..) {
            self.values.remove(name);
        }
    }

    fn value(&mut self) -> Parsed<ValueId> {
        let Name { text: name, place } = self.name()?;
        self.values.get(name).copied().ok_or_else(|| {
            let reason = match self.params.contains_key(name) {
                true => "is a parameter, which only input_arg_extract reads",
                false => "is used and not defined before",
            };
            TextError::new(place, format!("%{name} {reason}"))
        })
    }

    /// Reads a list in parentheses or brackets.
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

    fn module(&mut self) -> Parsed<Module> {
        while let (Token::Alias(name), place) = self.next() {
            self.at += 1;
            self.sign('=')?;
            let map = self.map()?;
            if self.aliases.insert(name, self.maps.len()).is_some() {
                return self.error(format!("#{name} is defined twice"));
            }
            self.maps.push(NamedMap {
                name: name.to_owned(),
                place,
                map,
                uses: 0,
            });
        }
        let place = self.place();
        let is_wrapped =
            self.accept(Token::Word("module")) || self.accept(Token::Word("builtin.module"));
        if is_wrapped {
            self.attributes()?;
            self.sign('{')?;
        }
        let (mut has_function, mut others) = (false, Vec::new());
        while !(is_wrapped && self.accept(Token::Sign('}'))) {
            match self.top_level(has_function, is_wrapped)? {
                None => has_function = true,
                Some(other) => others.push(other),
            }
            if !is_wrapped && self.peek() == Token::End {
                break;
            }
        }
        if self.peek() != Token::End {
            return self.unexpected("the end of the file");
        }
        for (token, _) in &self.tokens {
            if let Token::Alias(name) = token
                && let Some(at) = self.aliases.get(name)
            {
                self.maps[*at].uses += 1;
            }
        }
        for map in &mut self.maps {
            // The definition names the map too.
            map.uses -= 1;
        }
        Ok(Module {
            place,
            maps: std::mem::take(&mut self.maps),
            function: has_function.then(|| std::mem::take(&mut self.function)),
            others,
        })
    }

    /// Reads the function, or skips another operation and returns it.
    fn top_level(&mut self, has_function: bool, is_wrapped: bool) -> Parsed<Option<Other>> {
        let (first, place) = self.next();
        let is_function = first == Token::Word("func.func");
        let is_operation = is_wrapped && matches!(first, Token::Word(_) | Token::Value(_));
        if !is_function && !is_operation {
            return self.unexpected("'func.func'");
        }
        self.at += 1;
        if is_function {
            // May be left out.
            let is_public = self.accept(Token::Word("public"))
                || !(self.accept(Token::Word("private")) || self.accept(Token::Word("nested")));
            if is_public && !has_function && self.accept(Token::Symbol("sdsc_bundle")) {
                self.bundle(place)?;
                return Ok(None);
            }
            if !matches!(self.peek(), Token::Symbol(_)) {
                return self.unexpected("'@sdsc_bundle'");
            }
        }
        let error = if is_function && !has_function {
            let message = format!("expected '@sdsc_bundle', found {}", self.peek());
            TextError::new(self.place(), message)
        } else {
            let message = "a bundle has the function @sdsc_bundle and nothing else";
            TextError::new(place, message)
        };
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                Token::End if depth > 0 => return self.unexpected("'}'"),
                Token::End => break,
                Token::Word("func.func") | Token::Sign('}') if depth == 0 => break,
                Token::Sign('{') => depth += 1,
                Token::Sign('}') => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
        Ok(Some(Other { place, error }))
    }

    /// Reads the function after its name.
    fn bundle(&mut self, place: Place) -> Parsed<()> {
        self.function.place = place;
        self.list(('(', ')'), Self::param)?;
        self.attributes()?;
        self.sign('{')?;
        self.function.body = self.block(0)?;
        Ok(())
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
        let name = self.name()?;
        self.sign(':')?;
        let is_index = self.accept(Token::Word("index"));
        let bounds = match is_index {
            true => Bounds::default(),
            false => self.arg_type()?,
        };
        self.optional_braces()?;
        let value = if is_index {
            self.define(name)?
        } else {
            let position = self.function.params.len();
            let is_defined = self.values.contains_key(name.text);
            if self.params.insert(name.text, position).is_some() || is_defined {
                let message = format!("%{} is defined twice", name.text);
                return Err(TextError::new(name.place, message));
            }
            self.add(name.text, name.place)
        };
        self.function.params.push(Param {
            value,
            is_index,
            bounds,
        });
        Ok(())
    }

    /// Reads `!sdscbundle.input_arg<index, granularity=G, max_value=M>`.
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

    /// Reads statements up to the closing brace.
    fn block(&mut self, depth: usize) -> Parsed<Vec<Statement>> {
        if depth > MAX_DEPTH {
            return self.error(format!("loops are nested more than {MAX_DEPTH} deep"));
        }
        let scope_len = self.scope.len();
        let mut statements = Vec::new();
        loop {
            let (token, place) = self.next();
            statements.push(match token {
                Token::Value(_) => self.definition()?,
                Token::Word("scf.for") => {
                    let kind = self.for_loop(depth)?;
                    Statement { place, kind }
                }
                Token::Word("sdscbundle.sdsc_execute") => {
                    let kind = self.execute()?;
                    Statement { place, kind }
                }
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
            });
        }
        self.leave(scope_len);
        Ok(statements)
    }

    fn definition(&mut self) -> Parsed<Statement> {
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
        Ok(Statement { place, kind })
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
            map,
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
        if field != Field::Value && bounds.get(field).is_none() {
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
        let scope_len = self.scope.len();
        let iv = self.define(name)?;
        let body = self.block(depth + 1)?;
        self.leave(scope_len);
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
                return self.error(format!("attribute '{key}' occurs twice"));
            }
        }
        let Some(file) = file else {
            return Err(TextError::new(
                place,
                "an execution must have the attribute 'sdsc_filename'",
            ));
        };
        // Without symbols, the attribute may be left out.
        let ids = ids.unwrap_or_default();
        if ids.len() != operands.len() {
            let message = format!(
                "there are {} symbols, but {} operands",
                ids.len(),
                operands.len()
            );
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
