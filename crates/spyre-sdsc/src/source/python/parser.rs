//! Tokens to the values of kernels.

use super::lexer::{Token, TokenKind, tokens};
use super::{Kernel, PythonError};
use crate::source::Position;

/// Nesting beyond this is refused, so that hostile text cannot exhaust the stack. It is below the depth that a JSON
/// reader accepts.
const MAX_DEPTH: usize = 60;

/// A value and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    pub(super) data: Data,
    pub(super) position: Position,
}

/// The kind of a value, with its parts.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Data {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// A non-negative integer.
    Int(u64),
    /// A negative integer.
    Negative(i64),
    /// A floating-point number.
    Float(f64),
    /// A string.
    Str(String),
    /// A name with dots, such as `DataFormats.SEN169_FP16`.
    Name(Vec<String>),
    /// A name in angle brackets, as documents print values that they leave open: `<base_addr_a>`. It is not Python.
    Placeholder(String),
    /// A list or a tuple.
    List(Vec<Value>),
    /// A dictionary.
    Dict(Vec<(Value, Value)>),
    /// A call.
    Call {
        /// The name of the function or class, with dots.
        path: Vec<String>,
        /// Arguments without a name.
        args: Vec<Value>,
        /// Arguments with a name.
        named: Vec<(String, Value)>,
    },
}

impl Value {
    /// The value in words.
    pub(super) fn describe(&self) -> String {
        match &self.data {
            Data::None => "None".to_owned(),
            Data::Bool(true) => "True".to_owned(),
            Data::Bool(false) => "False".to_owned(),
            Data::Int(value) => value.to_string(),
            Data::Negative(value) => value.to_string(),
            Data::Float(value) => value.to_string(),
            Data::Str(_) => "a string".to_owned(),
            Data::Name(path) => format!("`{}`", path.join(".")),
            Data::Placeholder(name) => format!("the placeholder `<{name}>`"),
            Data::List(_) => "a list".to_owned(),
            Data::Dict(_) => "a dictionary".to_owned(),
            Data::Call { path, .. } => format!("a call of `{}`", path.join(".")),
        }
    }
}

pub(super) struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

impl Parser {
    pub(super) fn new(text: &str) -> Result<Self, PythonError> {
        Ok(Self {
            tokens: tokens(text)?,
            next: 0,
            depth: 0,
        })
    }

    /// The kernels of the file: calls of something that ends in `.sdsc`, alone or assigned to a name.
    pub(super) fn kernels(&mut self) -> Result<Vec<Kernel>, PythonError> {
        let mut kernels = Vec::new();
        while *self.kind() != TokenKind::End {
            if self.skip_to_kernel() {
                let kernel = self.kernel()?;
                if !matches!(self.kind(), TokenKind::Newline | TokenKind::Mark(';')) {
                    return Err(self.expected("the end of the statement"));
                }
                kernels.push(kernel);
            }
            // The rest of the statement.
            while !matches!(self.kind(), TokenKind::Newline | TokenKind::End) {
                self.advance();
            }
            if *self.kind() == TokenKind::Newline {
                self.advance();
            }
        }
        Ok(kernels)
    }

    /// At the start of a statement: true if it is a kernel, and then at its call.
    fn skip_to_kernel(&mut self) -> bool {
        let start = self.next;
        if matches!(self.kind(), TokenKind::Name(_))
            && self.kind_at(start + 1) == &TokenKind::Mark('=')
        {
            self.next += 2;
        }
        let call = self.next;
        let mut last = None;
        while let TokenKind::Name(name) = self.kind() {
            last = Some(name.clone());
            self.advance();
            if *self.kind() != TokenKind::Mark('.') {
                break;
            }
            self.advance();
        }
        let names = self.next - call;
        let is_kernel_call =
            names > 1 && last.as_deref() == Some("sdsc") && *self.kind() == TokenKind::Mark('(');
        self.next = if is_kernel_call { call } else { start };
        is_kernel_call
    }

    fn kernel(&mut self) -> Result<Kernel, PythonError> {
        let call = self.value()?;
        let position = call.position;
        let Data::Call { args, named, .. } = call.data else {
            return Err(PythonError::new(position, "expected a call"));
        };
        if let Some((name, value)) = named.first() {
            let problem = format!("a kernel has a name and a list, but no argument `{name}`");
            return Err(PythonError::new(value.position, problem));
        }
        let count = args.len();
        match <[Value; 2]>::try_from(args) {
            Ok([name, specs]) => match name.data {
                Data::Str(name) => Ok(Kernel {
                    name,
                    position,
                    specs,
                }),
                _ => Err(PythonError::new(
                    name.position,
                    format!(
                        "expected the name of the kernel, a string, got {}",
                        name.describe()
                    ),
                )),
            },
            Err(_) => Err(PythonError::new(
                position,
                format!("a kernel has a name and a list, got {count} arguments"),
            )),
        }
    }

    fn kind_at(&self, index: usize) -> &TokenKind {
        self.tokens
            .get(index)
            .map_or(&TokenKind::End, |token| &token.kind)
    }

    fn kind(&self) -> &TokenKind {
        self.kind_at(self.next)
    }

    fn position(&self) -> Position {
        let token = self.tokens.get(self.next).or(self.tokens.last());
        token
            .expect("the last token is the end of the file")
            .position
    }

    fn advance(&mut self) {
        self.next += 1;
    }

    fn eat(&mut self, mark: char) -> bool {
        let is_mark = *self.kind() == TokenKind::Mark(mark);
        if is_mark {
            self.advance();
        }
        is_mark
    }

    fn expected(&self, what: &str) -> PythonError {
        let token = self.kind().describe();
        PythonError::new(self.position(), format!("expected {what}, got {token}"))
    }

    fn value(&mut self) -> Result<Value, PythonError> {
        let position = self.position();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(PythonError::new(
                position,
                format!("nested more than {MAX_DEPTH} deep"),
            ));
        }
        let data = self.data()?;
        self.depth -= 1;
        Ok(Value { data, position })
    }

    fn data(&mut self) -> Result<Data, PythonError> {
        match self.kind().clone() {
            TokenKind::Int(value) => {
                self.advance();
                Ok(Data::Int(value))
            }
            TokenKind::Float(value) => {
                self.advance();
                Ok(Data::Float(value))
            }
            TokenKind::Str(mut text) => {
                self.advance();
                // Adjacent string literals are concatenated.
                while let TokenKind::Str(more) = self.kind() {
                    text.push_str(more);
                    self.advance();
                }
                Ok(Data::Str(text))
            }
            TokenKind::Mark('-') => self.negative(),
            TokenKind::Mark('<') => self.placeholder(),
            TokenKind::Mark('[') => {
                self.advance();
                Ok(Data::List(self.values(']')?.0))
            }
            TokenKind::Mark('(') => {
                self.advance();
                let (mut values, is_tuple) = self.values(')')?;
                match values.pop() {
                    Some(only) if values.is_empty() && !is_tuple => Ok(only.data),
                    last => {
                        values.extend(last);
                        Ok(Data::List(values))
                    }
                }
            }
            TokenKind::Mark('{') => self.dict(),
            TokenKind::Name(name) => self.named(name),
            _ => Err(self.expected("a value")),
        }
    }

    fn placeholder(&mut self) -> Result<Data, PythonError> {
        let name = match (self.kind_at(self.next + 1), self.kind_at(self.next + 2)) {
            (TokenKind::Name(name), TokenKind::Mark('>')) => name.clone(),
            _ => return Err(self.expected("a value")),
        };
        self.next += 3;
        Ok(Data::Placeholder(name))
    }

    fn negative(&mut self) -> Result<Data, PythonError> {
        self.advance();
        let data = match *self.kind() {
            TokenKind::Float(value) => Data::Float(-value),
            TokenKind::Int(0) => Data::Int(0),
            TokenKind::Int(value) => match 0i64.checked_sub_unsigned(value) {
                Some(value) => Data::Negative(value),
                None => return Err(self.expected("a number of at most 2^63")),
            },
            _ => return Err(self.expected("a number after `-`")),
        };
        self.advance();
        Ok(data)
    }

    /// Values up to a closing bracket, and whether there was a comma.
    fn values(&mut self, close: char) -> Result<(Vec<Value>, bool), PythonError> {
        let mut values = Vec::new();
        let mut comma = false;
        while !self.eat(close) {
            values.push(self.value()?);
            if self.eat(',') {
                comma = true;
            } else if *self.kind() != TokenKind::Mark(close) {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
        // `()` is a tuple, too.
        Ok((values, comma))
    }

    fn dict(&mut self) -> Result<Data, PythonError> {
        self.advance();
        let mut entries = Vec::new();
        while !self.eat('}') {
            let key = self.value()?;
            if !self.eat(':') {
                return Err(self.expected("`:`"));
            }
            entries.push((key, self.value()?));
            if !self.eat(',') && *self.kind() != TokenKind::Mark('}') {
                return Err(self.expected("`,` or `}`"));
            }
        }
        Ok(Data::Dict(entries))
    }

    fn named(&mut self, first: String) -> Result<Data, PythonError> {
        self.advance();
        match first.as_str() {
            "None" => return Ok(Data::None),
            "True" => return Ok(Data::Bool(true)),
            "False" => return Ok(Data::Bool(false)),
            _ => {}
        }
        let mut path = vec![first];
        while self.eat('.') {
            match self.kind() {
                TokenKind::Name(name) => path.push(name.clone()),
                _ => return Err(self.expected("a name after `.`")),
            }
            self.advance();
        }
        if !self.eat('(') {
            return Ok(Data::Name(path));
        }
        let (mut args, mut named) = (Vec::new(), Vec::<(String, Value)>::new());
        while !self.eat(')') {
            let position = self.position();
            let name = match (self.kind(), self.kind_at(self.next + 1)) {
                (TokenKind::Name(name), TokenKind::Mark('=')) => Some(name.clone()),
                _ => None,
            };
            match name {
                Some(name) => {
                    self.next += 2;
                    if named.iter().any(|(argument, _)| *argument == name) {
                        let problem = format!("argument `{name}` is given twice");
                        return Err(PythonError::new(position, problem));
                    }
                    named.push((name, self.value()?));
                }
                None if named.is_empty() => args.push(self.value()?),
                None => return Err(self.expected("a named argument")),
            }
            if !self.eat(',') && *self.kind() != TokenKind::Mark(')') {
                return Err(self.expected("`,` or `)`"));
            }
        }
        Ok(Data::Call { path, args, named })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernels(text: &str) -> Result<Vec<Kernel>, PythonError> {
        Parser::new(text)?.kernels()
    }

    fn data(text: &str) -> Data {
        let text = format!("x.sdsc('k', {text})");
        let kernel = kernels(&text).expect("a kernel").pop().expect("a kernel");
        kernel.specs.data
    }

    #[test]
    fn values_of_all_sorts() {
        assert_eq!(data("None"), Data::None);
        assert_eq!(data("-5"), Data::Negative(-5));
        assert_eq!(data("-9223372036854775808"), Data::Negative(i64::MIN));
        assert_eq!(data("-1.5"), Data::Float(-1.5));
        assert_eq!(data("'a' 'b'"), Data::Str("ab".into()));
        assert_eq!(data("a.b"), Data::Name(vec!["a".into(), "b".into()]));
        assert_eq!(data("<base>"), Data::Placeholder("base".into()));
        assert_eq!(data("((7))"), Data::Int(7));
        assert!(matches!(data("(7,)"), Data::List(v) if v.len() == 1));
        assert!(matches!(data("()"), Data::List(v) if v.is_empty()));
        assert!(matches!(data("[1, [2], ]"), Data::List(v) if v.len() == 2));
        assert!(matches!(data("{'a': 1, f('b'): (2, 3)}"), Data::Dict(e) if e.len() == 2));
        let Data::Call { path, args, named } = data("m.F(1, a=True, b={},)") else {
            panic!("not a call")
        };
        assert_eq!(
            (path.join("."), args.len(), named.len()),
            ("m.F".into(), 1, 2)
        );
    }

    #[test]
    fn only_kernels_are_read() {
        let text = "import a\n# x.sdsc('no', [])\nx = a.sdsc('one', [])\nif y == 2: z = {a[1:2], *b}\n\
                    s = '''\nx.sdsc('no', [])\n'''\n    b.c.sdsc('two', [],)\nsdsc('no')\nx.sdsc_('no')\n\
                    @d\ndef f(x=1, *, y) -> int: return lambda: x.sdsc('no')\n";
        let kernels = kernels(text).expect("kernels");
        let candidates: Vec<(&str, usize)> = kernels
            .iter()
            .map(|k| (k.name.as_str(), k.position.line))
            .collect();
        assert_eq!(candidates, [("one", 3), ("two", 8)]);
    }

    #[test]
    fn errors_say_where_and_what() {
        for (text, line, column, part) in [
            ("x.sdsc('k', [1 2])", 1, 16, "expected `,` or `]`, got `2`"),
            (
                "x.sdsc('k', [F(a=1, 2)])",
                1,
                21,
                "expected a named argument, got `2`",
            ),
            (
                "x.sdsc('k', [F(a=1,\n a=2)])",
                2,
                2,
                "argument `a` is given twice",
            ),
            ("x.sdsc('k', {1 2})", 1, 16, "expected `:`, got `2`"),
            ("x.sdsc('k', <3>)", 1, 13, "expected a value, got `<`"),
            (
                "x.sdsc('k', [i for i in y])",
                1,
                16,
                "expected `,` or `]`, got `for`",
            ),
            (
                "x.sdsc('k', -x)",
                1,
                14,
                "expected a number after `-`, got `x`",
            ),
            (
                "x.sdsc('k', f'{a}')",
                1,
                13,
                "got a string of bytes or with replacement fields",
            ),
            ("x.sdsc('k', a.)", 1, 15, "expected a name after `.`"),
            ("x.sdsc('k', [", 1, 14, "expected a value, got the end"),
            (
                "x.sdsc('k')",
                1,
                1,
                "a kernel has a name and a list, got 1 arguments",
            ),
            ("x.sdsc('k', n=1)", 1, 15, "no argument `n`"),
            (
                "x.sdsc(k, [])",
                1,
                8,
                "expected the name of the kernel, a string, got `k`",
            ),
            (
                "x.sdsc('k', []) + 1",
                1,
                17,
                "expected the end of the statement, got `+`",
            ),
            (
                "x.sdsc('k', 18446744073709551616)",
                1,
                13,
                "an integer beyond 64 bits",
            ),
            ("x.sdsc('k', -9223372036854775809)", 1, 14, "at most 2^63"),
        ] {
            let error = kernels(text).expect_err(text);
            assert_eq!(error.position, Position { line, column }, "{text}: {error}");
            assert!(error.problem.contains(part), "{text}: {error}");
        }
        let deep = format!("x.sdsc('k', {})", "[".repeat(100_000));
        assert!(
            kernels(&deep)
                .expect_err("deep")
                .problem
                .contains("nested more than")
        );
    }
}
