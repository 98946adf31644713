//! The bodies of loop nests in a dump.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Number;

use super::EXPORT;
use super::graph::Reader;
use super::layout::{dtype, reach, span};
use super::syntax::{Block, Node, NodeKind, NodeText, Statement};
use super::{Wrong, wrong};
use crate::schema::{Access, Expr, Fields, Index, Inst, Table, Text, Value};

/// A body that is being read.
pub(super) struct Nest<'n, 't> {
    pub(super) node: &'n NodeText<'t>,
    pub(super) loops: Vec<&'t str>,
    pub(super) extents: Vec<Option<i64>>,
    pub(super) index: Table<Index>,
    /// The first buffer that it stores.
    pub(super) stored: Option<Text>,
    /// The types and the kind of its reduction.
    pub(super) reduction: Option<[Text; 3]>,
    /// Parts of a reduction, by their names, and the one that it stores.
    pub(super) parts: BTreeMap<&'t str, i64>,
    pub(super) part: Option<i64>,
}

impl Reader {
    /// Reads a block of a body.
    pub(super) fn block<'t>(
        &mut self,
        nest: &mut Nest<'_, 't>,
        block: &Block<'t>,
    ) -> Result<Vec<Inst>, Wrong> {
        let mut indices = BTreeMap::new();
        let mut values = BTreeSet::new();
        let mut insts = Vec::new();
        for statement in &block.statements {
            let (name, value) = match statement {
                Statement::Set(name, value) => (*name, value),
                Statement::Return(value) => {
                    if block.name != "body" {
                        let fields = [("args", Value::Array(vec![argument(value, &values)?]))];
                        insts.push(inst(None, "yield", fields));
                    }
                    return Ok(insts);
                }
            };
            let (function, arguments) = match &value.kind {
                NodeKind::Call(function, arguments) => (*function, arguments.as_slice()),
                NodeKind::Part(base, number) => {
                    let base_node = Node {
                        at: value.at,
                        kind: NodeKind::Name(base),
                    };
                    let fields = [
                        ("value", argument(&base_node, &values)?),
                        ("i", argument(number, &values)?),
                    ];
                    if let NodeKind::Integer(number) = number.kind {
                        nest.parts.insert(name, number);
                    }
                    insts.push(inst(Some(name), "getitem", fields));
                    values.insert(name);
                    continue;
                }
                _ => return wrong(value.at, "a statement calls something"),
            };
            let call = Call {
                at: value.at,
                function,
                arguments,
                values: &values,
                indices: &indices,
            };
            if function == "self.get_index" {
                let index = call.text(0)?;
                if nest.index.get(index).is_none() {
                    return wrong(value.at, format!("there is no index '{index}'"));
                }
                indices.insert(name, index);
                continue;
            }
            insts.push(self.call(nest, name, &call)?);
            values.insert(name);
        }
        wrong(
            nest.node.at,
            format!("the block '{}' has no end", block.name),
        )
    }

    /// Reads a call with a named result.
    fn call(
        &mut self,
        nest: &mut Nest<'_, '_>,
        name: &str,
        call: &Call<'_, '_>,
    ) -> Result<Inst, Wrong> {
        let method = call.function.strip_prefix("self.");
        if let Some(block) = method.filter(|method| method.starts_with("masked_subblock")) {
            let fields = [
                ("mask", call.value(0)?),
                ("block", block.into()),
                ("other", call.value(1)?),
            ];
            return Ok(inst(Some(name), "masked", fields));
        }
        let Some(function) = call.function.strip_prefix("ops.") else {
            return unread(call, method);
        };
        Ok(match function {
            "load" => {
                let fields = self.access(nest, call)?;
                inst(Some(name), function, fields)
            }
            "store" | "store_reduction" => self.store(nest, function, call)?,
            "reduction" => reduction(nest, name, call)?,
            "constant" => {
                let fields = [("value", call.value(0)?), ("dtype", call.dtype(1)?.into())];
                inst(Some(name), function, fields)
            }
            "index_expr" => {
                let fields = [
                    ("index", call.index(0)?.into()),
                    ("dtype", call.dtype(1)?.into()),
                ];
                inst(Some(name), function, fields)
            }
            "to_dtype" => conversion(name, call)?,
            "sort" | "scan" | "indirect_indexing" => {
                let reason = format!("'{function}' is not read from the text; {EXPORT}");
                return wrong(call.at, reason);
            }
            _ => {
                // Older versions name the operator of Python 2.
                let function = if function == "div" {
                    "truediv"
                } else {
                    function
                };
                let arguments = 0..call.arguments.len();
                let arguments: Result<Vec<Value>, Wrong> =
                    arguments.map(|number| call.value(number)).collect();
                inst(Some(name), function, [("args", Value::Array(arguments?))])
            }
        })
    }

    /// Reads the store of a value or of the result of a reduction.
    fn store(
        &mut self,
        nest: &mut Nest<'_, '_>,
        function: &str,
        call: &Call<'_, '_>,
    ) -> Result<Inst, Wrong> {
        let [buffer, index] = self.access(nest, call)?;
        let stored = call.text(0)?;
        self.buffers.entry(stored.into()).or_default().is_made = true;
        nest.stored.get_or_insert_with(|| stored.into());
        let value = ("value", call.value(2)?);
        Ok(match function {
            "store" => {
                let mode = ("mode", call.value(3)?);
                inst(None, function, [buffer, index, value, mode])
            }
            _ => {
                let stored = call.argument(2)?.name();
                nest.part = stored.and_then(|name| nest.parts.get(name)).copied();
                inst(None, function, [buffer, index, value])
            }
        })
    }

    /// Reads the access of a load or a store: to the memory of a buffer as one dimension.
    fn access(
        &mut self,
        nest: &mut Nest<'_, '_>,
        call: &Call<'_, '_>,
    ) -> Result<[(&'static str, Value); 2], Wrong> {
        let (buffer, name) = (call.text(0)?, call.index(1)?);
        if !self.order.iter().any(|seen| seen == buffer) {
            self.order.push(buffer.into());
        }
        let index = nest.index.get_mut(name).expect("indices were looked up");
        let buffer_facts = self.buffers.entry(buffer.into()).or_default();
        let span = match &buffer_facts.layout {
            Some(layout) => span(layout),
            None => {
                let reach = reach(&index.e, &nest.loops, &nest.extents);
                let Some(reach) = reach else {
                    let reason = format!(
                        "the text has no layout of '{buffer}', and its extents are no numbers"
                    );
                    return wrong(call.at, reason);
                };
                buffer_facts.reach = Some(buffer_facts.reach.unwrap_or(0).max(reach));
                // A view of one dimension, with an extent that is set at the end.
                Expr::Number(0)
            }
        };
        let access = Access {
            size: vec![span],
            stride: vec![Expr::Number(1)],
            offset: Expr::Number(0),
            subscript: vec![index.e.clone()],
        };
        index.at.insert(buffer, access);
        Ok([("buffer", buffer.into()), ("index", name.into())])
    }
}

/// A call in a body.
struct Call<'n, 't> {
    at: usize,
    function: &'t str,
    arguments: &'n [(Option<&'t str>, Node<'t>)],
    /// The names of the values and the indices so far.
    values: &'n BTreeSet<&'t str>,
    indices: &'n BTreeMap<&'t str, &'t str>,
}

impl<'n, 't> Call<'n, 't> {
    fn argument(&self, number: usize) -> Result<&'n Node<'t>, Wrong> {
        match self.arguments.get(number) {
            Some((_, node)) => Ok(node),
            None => {
                let (function, count) = (self.function, self.arguments.len());
                wrong(self.at, format!("'{function}' has {count} arguments here"))
            }
        }
    }

    /// Returns an argument by its name, or by its place.
    fn named(&self, name: &str, number: usize) -> Option<&'n Node<'t>> {
        let mut arguments = self.arguments.iter();
        let named = arguments.find(|(key, _)| *key == Some(name));
        let placed = self.arguments.get(number).filter(|(key, _)| key.is_none());
        named.or(placed).map(|(_, node)| node)
    }

    fn text(&self, number: usize) -> Result<&'t str, Wrong> {
        let node = self.argument(number)?;
        match node.text() {
            Some(text) => Ok(text),
            None => wrong(node.at, "a text is expected here"),
        }
    }

    fn dtype(&self, number: usize) -> Result<Text, Wrong> {
        dtype(self.argument(number)?)
    }

    fn index(&self, number: usize) -> Result<&'t str, Wrong> {
        let node = self.argument(number)?;
        match node.name().and_then(|name| self.indices.get(name)) {
            Some(index) => Ok(index),
            None => wrong(node.at, "this is no index of self.get_index"),
        }
    }

    fn value(&self, number: usize) -> Result<Value, Wrong> {
        argument(self.argument(number)?, self.values)
    }
}

fn inst<const N: usize>(id: Option<&str>, op: &str, fields: [(&str, Value); N]) -> Inst {
    let mut all = Fields::new();
    for (name, value) in fields {
        all.insert(name, value);
    }
    Inst {
        id: id.map(Text::from),
        op: op.into(),
        fields: all,
    }
}

/// Reads an argument: a value of the body, or a number.
fn argument(node: &Node<'_>, values: &BTreeSet<&str>) -> Result<Value, Wrong> {
    let special = |text: &str| {
        let mut fields = Fields::new();
        fields.insert("f", Value::from(text));
        Value::Object(fields)
    };
    Ok(match &node.kind {
        NodeKind::Integer(value) => Value::integer(*value),
        NodeKind::Float(value) => match Number::from_f64(*value) {
            Some(number) => Value::Number(number),
            None if *value < 0.0 => special("-inf"),
            None => special("inf"),
        },
        NodeKind::Name(name @ ("inf" | "nan")) => special(name),
        NodeKind::Name("True") => true.into(),
        NodeKind::Name("False") => false.into(),
        NodeKind::Name("None") => Value::Null,
        NodeKind::Name(name) if values.contains(name) => Value::Text(format!("%{name}").into()),
        NodeKind::Name(name) if name.starts_with("torch.") => dtype(node)?.into(),
        NodeKind::Name(name) => return wrong(node.at, format!("'{name}' is no value here")),
        NodeKind::Text(text) => (*text).into(),
        NodeKind::List(parts) => {
            let parts: Result<Vec<Value>, Wrong> =
                parts.iter().map(|part| argument(part, values)).collect();
            Value::Array(parts?)
        }
        _ => return wrong(node.at, "this is no value"),
    })
}

/// Reads a reduction, and notes its types.
fn reduction(nest: &mut Nest<'_, '_>, name: &str, call: &Call<'_, '_>) -> Result<Inst, Wrong> {
    let kind = call.text(2)?;
    let types = [call.dtype(0)?, call.dtype(1)?, kind.into()];
    let fields = [
        ("dtype", types[0].clone().into()),
        ("src_dtype", types[1].clone().into()),
        ("reduction_type", kind.into()),
        ("value", call.value(3)?),
    ];
    nest.reduction = Some(types);
    Ok(inst(Some(name), "reduction", fields))
}

/// Reads a conversion of a value to another type.
fn conversion(name: &str, call: &Call<'_, '_>) -> Result<Inst, Wrong> {
    let computes = call.named("use_compute_types", 3);
    let computes = computes.is_none_or(|node| node.name() != Some("False"));
    let source = match call.named("src_dtype", 2) {
        Some(node) if node.name() != Some("None") => dtype(node)?.into(),
        _ => Value::Null,
    };
    let fields = [
        ("x", call.value(0)?),
        ("dtype", call.dtype(1)?.into()),
        ("src_dtype", source),
        ("use_compute_types", computes.into()),
    ];
    Ok(inst(Some(name), "to_dtype", fields))
}

/// Returns the error of a function that is no operation: the text lacks it, or no body has it.
fn unread(call: &Call<'_, '_>, method: Option<&str>) -> Result<Inst, Wrong> {
    let what = match method {
        Some(method) if method.starts_with("set_indirect") => "the bound of an index that is read",
        Some(method) if method.starts_with("scan") => "what a scan combines with",
        _ => {
            return wrong(
                call.at,
                format!("'{}' is no function of bodies", call.function),
            );
        }
    };
    wrong(call.at, format!("the text does not have {what}; {EXPORT}"))
}
