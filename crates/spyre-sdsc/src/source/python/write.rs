//! A tree as the Python source in which the front end writes its kernels.
//!
//! It is the neutral JSON form under the names of the source's classes: writing is the inverse of reading. A symbol or
//! an expression of the source is a text in the neutral form, so each field defines which it is.

use std::fmt::Write as _;

use crate::model::Node;
use crate::ordered::{Json, Object};

/// Writes a kernel of the front end's source with this name. Reading it gives the nodes again.
#[must_use]
pub fn write(name: &str, nodes: &[Node]) -> String {
    let nodes = serde_json::to_string(nodes).expect("a tree has a JSON form");
    let nodes: Json = serde_json::from_str(&nodes).expect("what was written is JSON");
    let mut writer = Writer {
        text: String::new(),
        depth: 1,
    };
    writer.items(array(&nodes), Writer::node);
    format!(
        "from sympy import sympify\n\n{name} = async_compile.sdsc({},\n    {}\n)\n",
        quoted(name),
        writer.text
    )
}

/// How the source writes a field.
#[derive(Clone, Copy)]
enum Form {
    /// As it is.
    Plain,
    /// A symbolic expression.
    Symbolic,
    /// A list of symbolic expressions.
    Symbols,
    /// A list of lists of symbols.
    Levels,
    /// A dictionary from symbols.
    BySymbol,
    /// A dictionary from symbols to expressions.
    Expressions,
    /// The iteration space.
    Space,
    /// A member of this class.
    Member(&'static str),
    /// The operands.
    Operands,
    /// The owners of the parts of a tensor.
    Owners,
    /// A tuple.
    Tuple,
    /// A handle of provenance.
    Handle,
    /// The nodes of a loop.
    Body,
}

/// The name and the form that the source has for a field.
fn field(name: &str) -> (&str, Form) {
    match name {
        "iteration_space" => (name, Form::Space),
        "tiled_levels" => ("tiled_symbols", Form::Levels),
        "tiled_symbol_trip_counts"
        | "symbolic_dim_bounds"
        | "count_symbol_bounds"
        | "count_symbol_sources"
        | "work_slices" => (name, Form::BySymbol),
        "core_id_to_work_slice" => (name, Form::Expressions),
        "node_output_ranges" | "device_coordinates" => (name, Form::Symbols),
        "count" | "device_tile_advance_expr" => (name, Form::Symbolic),
        "device_dtype" => (name, Form::Member("DataFormats")),
        "element_arrangement" => (name, Form::Member("ElementArrangement")),
        "args" => (name, Form::Operands),
        "work_division" => (name, Form::Owners),
        "completed_producer_cores" => (name, Form::Tuple),
        "debug_handle" => (name, Form::Handle),
        "body" => (name, Form::Body),
        _ => (name, Form::Plain),
    }
}

struct Writer {
    text: String,
    /// The number of open brackets.
    depth: usize,
}

impl Writer {
    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn line(&mut self) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n("    ", self.depth));
    }

    /// A list, one item a line.
    fn items(&mut self, values: &[Json], item: fn(&mut Self, &Json)) {
        self.add("[");
        self.depth += 1;
        for value in values {
            self.line();
            item(self, value);
            self.add(",");
        }
        self.depth -= 1;
        self.line();
        self.add("]");
    }

    fn node(&mut self, node: &Json) {
        let node = object(node);
        let class = match string(node.get("kind").expect("a node has a kind")) {
            "loop" => "LoopSpec",
            "op" => "OpSpec",
            "unimplemented" => "UnimplementedOp",
            other => unreachable!("the neutral form has no nodes of kind {other}"),
        };
        self.call(class, node);
    }

    fn operand(&mut self, operand: &Json) {
        self.call("TensorArg", object(operand));
    }

    /// A call with the fields of an object, one a line.
    fn call(&mut self, class: &str, fields: &Object<Json>) {
        self.add(class);
        self.add("(");
        self.depth += 1;
        for (name, value) in fields.iter().filter(|(name, _)| *name != "kind") {
            let (name, form) = field(name);
            self.line();
            self.add(name);
            self.add("=");
            self.value(value, form);
            self.add(",");
        }
        self.depth -= 1;
        self.line();
        self.add(")");
    }

    fn value(&mut self, value: &Json, form: Form) {
        match form {
            Form::Body => self.items(array(value), Self::node),
            Form::Operands => self.items(array(value), Self::operand),
            Form::Owners => self.call("TensorWorkDivision", object(value)),
            _ => {
                let value = inline(value, form);
                self.add(&value);
            }
        }
    }
}

/// A value on one line.
fn inline(value: &Json, form: Form) -> String {
    let list = |form| joined(array(value).iter().map(|value| inline(value, form)));
    let dict = |form| {
        let entries = object(value).iter();
        joined(entries.map(|(key, value)| format!("{}: {}", symbolic(key), inline(value, form))))
    };
    match form {
        Form::Symbolic => symbolic(string(value)),
        Form::Member(class) => format!("{class}.{}", string(value)),
        Form::Symbols => format!("[{}]", list(Form::Symbolic)),
        Form::Levels => format!("[{}]", list(Form::Symbols)),
        Form::BySymbol => format!("{{{}}}", dict(Form::Plain)),
        Form::Expressions => format!("{{{}}}", dict(Form::Symbolic)),
        Form::Space => {
            let dims = array(value).iter().map(|dim| {
                let field = |name| {
                    object(dim)
                        .get(name)
                        .expect("a dimension has all its fields")
                };
                let (symbol, extent) = (string(field("symbol")), string(field("range")));
                let slices = inline(field("work_division"), Form::Plain);
                format!("{}: ({}, {slices})", symbolic(symbol), symbolic(extent))
            });
            format!("{{{}}}", joined(dims))
        }
        Form::Tuple => tuple(array(value).iter().map(plain)),
        Form::Handle => handle(value),
        Form::Plain | Form::Operands | Form::Owners | Form::Body => plain(value),
    }
}

/// A handle of provenance, as the front end writes it; a dictionary where it is of another form.
fn handle(value: &Json) -> String {
    const HANDLE: &[&str] = &[
        "id",
        "source",
        "aten_op",
        "ir_chain",
        "fused_from",
        "transform_history",
    ];
    const PLACE: &[&str] = &["file", "start_line", "start_col", "end_line", "end_col"];
    const REWRITE: &[&str] = &["kind", "pass_name", "reason"];
    instance("DebugHandle", value, HANDLE, |name, value| {
        match (name, value) {
            ("source", place) => instance("SourceLoc", place, PLACE, |_, value| plain(value)),
            ("ir_chain", Json::Array(names)) => tuple(names.iter().map(plain)),
            ("fused_from", Json::Array(handles)) => tuple(handles.iter().map(handle)),
            ("transform_history", Json::Array(rewrites)) => tuple(rewrites.iter().map(|rewrite| {
                instance("ProvenanceTransform", rewrite, REWRITE, |_, value| {
                    plain(value)
                })
            })),
            _ => plain(value),
        }
    })
}

/// An instance of a class with these fields; a dictionary if there are others.
fn instance(
    class: &str,
    value: &Json,
    fields: &[&str],
    field: impl Fn(&str, &Json) -> String,
) -> String {
    match value {
        Json::Object(entries) if entries.keys().all(|key| fields.contains(&key.as_str())) => {
            let entries = entries.iter();
            let entries = entries.map(|(key, value)| format!("{key}={}", field(key, value)));
            format!("{class}({})", joined(entries))
        }
        _ => plain(value),
    }
}

fn tuple(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    match parts.as_slice() {
        [only] => format!("({only},)"),
        _ => format!("({})", parts.join(", ")),
    }
}

fn plain(value: &Json) -> String {
    match value {
        Json::Null => "None".to_owned(),
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        Json::Number(number) => number.to_string(),
        Json::String(text) => quoted(text),
        Json::Array(values) => format!("[{}]", joined(values.iter().map(plain))),
        Json::Object(entries) => {
            let entries = entries.iter();
            let entries = entries.map(|(key, value)| format!("{}: {}", quoted(key), plain(value)));
            format!("{{{}}}", joined(entries))
        }
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn symbolic(text: &str) -> String {
    format!("sympify({})", quoted(text))
}

/// A text as a literal.
fn quoted(text: &str) -> String {
    let mut literal = String::from("'");
    for c in text.chars() {
        match c {
            '\'' | '\\' => {
                literal.push('\\');
                literal.push(c);
            }
            c if c.is_control() => {
                write!(literal, "\\U{:08x}", u32::from(c)).expect("a String takes any text");
            }
            c => literal.push(c),
        }
    }
    literal.push('\'');
    literal
}

fn array(value: &Json) -> &[Json] {
    match value {
        Json::Array(values) => values,
        other => unreachable!("the neutral form has a list here, not {other:?}"),
    }
}

fn object(value: &Json) -> &Object<Json> {
    match value {
        Json::Object(entries) => entries,
        other => unreachable!("the neutral form has an object here, not {other:?}"),
    }
}

fn string(value: &Json) -> &str {
    match value {
        Json::String(text) => text,
        other => unreachable!("the neutral form has a text here, not {other:?}"),
    }
}
