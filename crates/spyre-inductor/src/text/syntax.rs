//! The syntax of dumps: a sequence of Python statements.

use super::{Wrong, wrong};

/// The deepest expression.
const DEEPEST: usize = 64;

/// A token, and where it is.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Token<'t> {
    kind: TokenKind<'t>,
    at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum TokenKind<'t> {
    Name(&'t str),
    Number(&'t str),
    Text(&'t str),
    Sign(&'t str),
    End,
}

/// An expression, and where it is.
#[derive(Debug, Clone)]
pub(super) struct Node<'t> {
    pub(super) at: usize,
    pub(super) kind: NodeKind<'t>,
}

/// The kind of an expression.
#[derive(Debug, Clone)]
pub(super) enum NodeKind<'t> {
    /// A whole number.
    Integer(i64),
    /// Another number.
    Float(f64),
    Text(&'t str),
    /// A name, with the parts after its dots.
    Name(&'t str),
    /// A list or a tuple.
    List(Vec<Node<'t>>),
    Dict(Vec<(Node<'t>, Node<'t>)>),
    /// A call, with arguments that may have names.
    Call(&'t str, Vec<(Option<&'t str>, Node<'t>)>),
    /// A part of a value.
    Part(&'t str, Box<Node<'t>>),
    /// An operator between operands.
    Operator(&'static str, Box<[Node<'t>; 2]>),
}

impl<'t> Node<'t> {
    /// Returns the text, if it is one.
    pub(super) fn text(&self) -> Option<&'t str> {
        match self.kind {
            NodeKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the name, if it is one.
    pub(super) fn name(&self) -> Option<&'t str> {
        match self.kind {
            NodeKind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the parts of a list or a tuple.
    pub(super) fn list(&self) -> Option<&[Node<'t>]> {
        match &self.kind {
            NodeKind::List(parts) => Some(parts),
            _ => None,
        }
    }
}

/// A node of the scheduler.
#[derive(Debug, Clone, Default)]
pub(super) struct NodeText<'t> {
    pub(super) at: usize,
    pub(super) name: &'t str,
    /// The class, and the classes of its operations.
    pub(super) class: &'t str,
    pub(super) op_classes: Vec<&'t str>,
    /// The fields of the node: `sizes`, `users` and so on.
    pub(super) fields: Vec<(&'t str, Node<'t>)>,
    /// The fields of its buffers: the buffer, the field, and its value.
    pub(super) buffers: Vec<(&'t str, &'t str, Node<'t>)>,
    /// The extents of the loops.
    pub(super) loops: Vec<(&'t str, Node<'t>)>,
    /// The index expressions.
    pub(super) indices: Vec<(&'t str, Node<'t>)>,
    /// The blocks of the body.
    pub(super) blocks: Vec<Block<'t>>,
}

/// A block of a body.
#[derive(Debug, Clone)]
pub(super) struct Block<'t> {
    pub(super) name: &'t str,
    pub(super) statements: Vec<Statement<'t>>,
}

/// A statement of a block.
#[derive(Debug, Clone)]
pub(super) enum Statement<'t> {
    /// A value with a name.
    Set(&'t str, Node<'t>),
    /// The value that the block gives.
    Return(Node<'t>),
}

/// Reads the nodes of a dump.
pub(super) fn parse(text: &str) -> Result<Vec<NodeText<'_>>, Wrong> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        next: 0,
        depth: 0,
    };
    let mut nodes = Vec::new();
    while parser.peek().kind != TokenKind::End {
        parser.node(&mut nodes)?;
    }
    Ok(nodes)
}

fn tokens(text: &str) -> Result<Vec<Token<'_>>, Wrong> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let at = text.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            let kind = TokenKind::End;
            tokens.push(Token { kind, at });
            return Ok(tokens);
        };
        let word = |is_part: &dyn Fn(char) -> bool| {
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            &rest[..end]
        };
        let (kind, length) = if first.is_ascii_alphabetic() || first == '_' {
            // Dotted names are one token.
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
            let name = word(&is_part);
            (TokenKind::Name(name), name.len())
        } else if first.is_ascii_digit() {
            let mut end = word(&|c| c.is_ascii_digit() || c == '.' || c == 'e').len();
            if rest[..end].ends_with('e') {
                let sign = usize::from(rest[end..].starts_with(['-', '+']));
                let digits = rest[end + sign..].chars();
                end += sign + digits.take_while(char::is_ascii_digit).count();
            }
            (TokenKind::Number(&rest[..end]), end)
        } else if first == '\'' || first == '"' {
            let Some(length) = rest[1..].find(first) else {
                return wrong(at, "this text has no end");
            };
            (TokenKind::Text(&rest[1..=length]), length + 2)
        } else {
            let long = ["**", "//"].into_iter().find(|sign| rest.starts_with(sign));
            match long {
                Some(sign) => (TokenKind::Sign(sign), 2),
                None if "()[]{}:,=+-*/.".contains(first) => (TokenKind::Sign(&rest[..1]), 1),
                None => return wrong(at, format!("'{first}' is no part of a dump")),
            }
        };
        tokens.push(Token { kind, at });
        rest = &rest[length..];
    }
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    next: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Token<'t> {
        self.tokens[self.next]
    }

    fn take(&mut self) -> Token<'t> {
        let token = self.peek();
        // The last token is the end, which is not consumed.
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    fn is(&self, sign: &str) -> bool {
        self.peek().kind == TokenKind::Sign(sign)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        if is {
            self.take();
        }
        is
    }

    fn sign(&mut self, sign: &str) -> Result<(), Wrong> {
        match self.takes(sign) {
            true => Ok(()),
            false => self.unexpected(&format!("'{sign}'")),
        }
    }

    fn name(&mut self, what: &str) -> Result<&'t str, Wrong> {
        match self.peek().kind {
            TokenKind::Name(name) => {
                self.take();
                Ok(name)
            }
            _ => self.unexpected(what),
        }
    }

    fn unexpected<T>(&self, what: &str) -> Result<T, Wrong> {
        let token = self.peek();
        let there = match token.kind {
            TokenKind::Name(text) | TokenKind::Number(text) | TokenKind::Sign(text) => {
                format!("'{text}'")
            }
            TokenKind::Text(text) => format!("the text '{text}'"),
            TokenKind::End => "the end".to_owned(),
        };
        wrong(token.at, format!("expected {what}, got {there}"))
    }

    /// Reads a node: its class, its properties, and its body. Nested nodes are appended after it.
    fn node(&mut self, nodes: &mut Vec<NodeText<'t>>) -> Result<(), Wrong> {
        let at = self.peek().at;
        let name = self.name("the name of a node")?;
        self.sign(":")?;
        let class = self.expression()?;
        let NodeKind::Call(class, arguments) = class.kind else {
            return wrong(
                class.at,
                "a class of nodes has the classes of its operations",
            );
        };
        let class_names = arguments
            .iter()
            .filter_map(|(_, argument)| argument.name())
            .collect();
        let number = nodes.len();
        nodes.push(NodeText {
            at,
            name,
            class,
            op_classes: class_names,
            ..NodeText::default()
        });
        loop {
            let TokenKind::Name(word) = self.peek().kind else {
                return match self.peek().kind {
                    TokenKind::End => Ok(()),
                    _ => self.unexpected("something about a node"),
                };
            };
            if word == "class" {
                self.body(&mut nodes[number])?;
            } else if !is_of(word, name) {
                // The next node, or a field of the enclosing node.
                return Ok(());
            } else if self.field(&mut nodes[number])? {
                self.node(nodes)?;
            }
        }
    }

    /// Reads a line about a node. Returns whether the text of a node is its value.
    fn field(&mut self, node: &mut NodeText<'t>) -> Result<bool, Wrong> {
        let word = self.name("a field")?;
        if let Some(buffer) = word.strip_suffix("_layout") {
            self.sign("=")?;
            let value = self.expression()?;
            node.buffers.push((buffer, "layout", value));
            return Ok(false);
        }
        match &word[node.name.len() + 1..] {
            "snodes" if self.takes("[") => {
                self.expression()?;
                self.sign("]")?;
                self.sign("=")?;
                return Ok(true);
            }
            "outputs" => {
                self.sign("=")?;
                self.sign("[")?;
                while !self.takes("]") {
                    self.output(node)?;
                }
            }
            field => {
                self.sign("=")?;
                let value = self.expression()?;
                node.fields.push((field, value));
            }
        }
        Ok(false)
    }

    /// Reads a line about a buffer that a node makes.
    fn output(&mut self, node: &mut NodeText<'t>) -> Result<(), Wrong> {
        let at = self.peek().at;
        let word = self.name("a buffer, or ']'")?;
        if self.takes(":") {
            let value = self.expression()?;
            node.buffers.push((word, "class", value));
            return Ok(());
        }
        let Some((buffer, field)) = word.split_once('.') else {
            return wrong(at, format!("'{word}' is nothing of a buffer"));
        };
        self.sign("=")?;
        let value = self.expression()?;
        node.buffers.push((buffer, field, value));
        Ok(())
    }

    /// Reads the class of a body.
    fn body(&mut self, node: &mut NodeText<'t>) -> Result<(), Wrong> {
        self.take();
        let at = self.peek().at;
        let name = self.name("the name of a body")?;
        if name.strip_suffix("_loop_body") != Some(node.name) {
            return wrong(at, format!("'{name}' is no body of '{}'", node.name));
        }
        self.sign(":")?;
        loop {
            match self.peek().kind {
                TokenKind::Name("var_ranges") => {
                    self.take();
                    self.sign("=")?;
                    let value = self.expression()?;
                    let NodeKind::Dict(loops) = value.kind else {
                        return wrong(value.at, "loops have names and extents");
                    };
                    for (name, extent) in loops {
                        let at = name.at;
                        let Some(name) = name.name() else {
                            return wrong(at, "a loop has a name");
                        };
                        node.loops.push((name, extent));
                    }
                }
                TokenKind::Name("def") => {
                    let block = self.block()?;
                    node.blocks.push(block);
                }
                TokenKind::Name(name) if is_numbered(name, "index") => {
                    self.take();
                    self.sign("=")?;
                    let value = self.expression()?;
                    node.indices.push((name, value));
                }
                _ => return Ok(()),
            }
        }
    }

    fn block(&mut self) -> Result<Block<'t>, Wrong> {
        self.take();
        let name = self.name("the name of a block")?;
        self.sign("(")?;
        while !self.takes(")") {
            self.name("the name of an argument")?;
            self.takes(",");
        }
        self.sign(":")?;
        let mut statements = Vec::new();
        loop {
            let word = self.name("a statement")?;
            if word == "return" {
                statements.push(Statement::Return(self.expression()?));
                return Ok(Block { name, statements });
            }
            self.sign("=")?;
            statements.push(Statement::Set(word, self.expression()?));
        }
    }

    fn expression(&mut self) -> Result<Node<'t>, Wrong> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return wrong(self.peek().at, "an expression is nested too deep");
        }
        let read = self.operators(&["+", "-"], |parser| {
            parser.operators(&["*", "//", "/"], Self::power)
        });
        self.depth -= 1;
        read
    }

    /// Reads operands with operators of one rank between them.
    fn operators(
        &mut self,
        signs: &[&'static str],
        operand: fn(&mut Self) -> Result<Node<'t>, Wrong>,
    ) -> Result<Node<'t>, Wrong> {
        let mut all = operand(self)?;
        loop {
            let Some(sign) = signs.iter().find(|sign| self.is(sign)) else {
                return Ok(all);
            };
            self.take();
            let next = operand(self)?;
            all = Node {
                at: all.at,
                kind: NodeKind::Operator(sign, Box::new([all, next])),
            };
        }
    }

    fn power(&mut self) -> Result<Node<'t>, Wrong> {
        let at = self.peek().at;
        if self.takes("-") {
            self.depth += 1;
            if self.depth > DEEPEST {
                return wrong(at, "an expression is nested too deep");
            }
            let operand = self.power()?;
            self.depth -= 1;
            let kind = match operand.kind {
                NodeKind::Integer(value) => NodeKind::Integer(-value),
                NodeKind::Float(value) => NodeKind::Float(-value),
                NodeKind::Name("inf") => NodeKind::Float(f64::NEG_INFINITY),
                _ => {
                    let minus = NodeKind::Integer(-1);
                    let minus = Node { at, kind: minus };
                    NodeKind::Operator("*", Box::new([minus, operand]))
                }
            };
            return Ok(Node { at, kind });
        }
        let base = self.primary()?;
        if !self.takes("**") {
            return Ok(base);
        }
        let exponent = self.primary()?;
        let kind = NodeKind::Operator("**", Box::new([base, exponent]));
        Ok(Node { at, kind })
    }

    fn primary(&mut self) -> Result<Node<'t>, Wrong> {
        let token = self.peek();
        let at = token.at;
        let kind = match token.kind {
            TokenKind::Number(text) => {
                self.take();
                let integer = text.parse().map(NodeKind::Integer).ok();
                let number = integer.or_else(|| text.parse().map(NodeKind::Float).ok());
                match number {
                    Some(number) => number,
                    None => return wrong(at, format!("'{text}' is no number")),
                }
            }
            TokenKind::Text(text) => {
                self.take();
                NodeKind::Text(text)
            }
            TokenKind::Name(name) => {
                self.take();
                self.named(name)?
            }
            TokenKind::Sign("(") => {
                self.take();
                let (mut parts, has_comma) = self.parts(")")?;
                match parts.pop() {
                    // An expression in parentheses without a comma is no tuple.
                    Some(one) if parts.is_empty() && !has_comma => one.kind,
                    last => {
                        parts.extend(last);
                        NodeKind::List(parts)
                    }
                }
            }
            TokenKind::Sign("[") => {
                self.take();
                NodeKind::List(self.parts("]")?.0)
            }
            TokenKind::Sign("{") => {
                self.take();
                let mut entries = Vec::new();
                while !self.takes("}") {
                    let key = self.expression()?;
                    self.sign(":")?;
                    entries.push((key, self.expression()?));
                    if !self.is("}") {
                        self.sign(",")?;
                    }
                }
                NodeKind::Dict(entries)
            }
            _ => return self.unexpected("a value"),
        };
        Ok(Node { at, kind })
    }

    /// Reads the syntax after a name.
    fn named(&mut self, name: &'t str) -> Result<NodeKind<'t>, Wrong> {
        if self.takes("[") {
            let part = self.expression()?;
            self.sign("]")?;
            return Ok(NodeKind::Part(name, Box::new(part)));
        }
        if self.takes("(") {
            let mut arguments = Vec::new();
            while !self.takes(")") {
                let key = match (self.peek().kind, self.tokens.get(self.next + 1)) {
                    (TokenKind::Name(key), Some(next)) if next.kind == TokenKind::Sign("=") => {
                        self.take();
                        self.take();
                        Some(key)
                    }
                    _ => None,
                };
                arguments.push((key, self.expression()?));
                if !self.is(")") {
                    self.sign(",")?;
                }
            }
            return Ok(NodeKind::Call(name, arguments));
        }
        // A device has a number.
        if name == "cuda" && self.takes(":") {
            self.take();
        }
        Ok(NodeKind::Name(name))
    }

    /// Reads parts up to a sign. Returns whether there is a comma after the last one.
    fn parts(&mut self, end: &str) -> Result<(Vec<Node<'t>>, bool), Wrong> {
        let mut parts = Vec::new();
        let mut has_comma = false;
        while !self.takes(end) {
            parts.push(self.expression()?);
            has_comma = false;
            if !self.is(end) {
                self.sign(",")?;
                has_comma = true;
            }
        }
        Ok((parts, has_comma))
    }
}

/// Returns whether a line is about a node: `op0.sizes`, or the layout of a buffer.
fn is_of(word: &str, node: &str) -> bool {
    let field = word.strip_prefix(node);
    field.is_some_and(|field| field.starts_with('.')) || word.ends_with("_layout")
}

fn is_numbered(word: &str, name: &str) -> bool {
    let number = word.strip_prefix(name);
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}
