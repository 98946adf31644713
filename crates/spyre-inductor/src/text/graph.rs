//! The graph of the nodes of a dump.

use std::collections::BTreeMap;

use super::body::Nest;
use super::layout::{expr, has_output, layout, span};
use super::syntax::{Node, NodeText};
use super::{EXPORT, Wrong, wrong};
use crate::schema::{
    Body, Buffer, Expr, FORMAT, Graph, Index, Input, InputKind, Layout, LayoutKind, Op, OpKind,
    Ref, Symbol, Table, Text, VERSION,
};

/// Returns the graph of the nodes of a dump.
pub(super) fn graph(nodes: &[NodeText<'_>]) -> Result<Graph, Wrong> {
    let mut reader = Reader::default();
    for node in nodes {
        reader.layouts(node)?;
    }
    let mut ops = Vec::new();
    for node in nodes {
        match node.class {
            "SchedulerNode" => ops.push(reader.op(node)?),
            _ if node.class.ends_with("FusedSchedulerNode") => {
                let listed = node.fields.iter().find(|(field, _)| *field == "snodes");
                if let Some((_, list)) = listed {
                    let reason =
                        format!("the text has no nodes of '{}', but their names", node.name);
                    return wrong(list.at, reason);
                }
            }
            class => {
                let op_class = node.op_classes.first().copied().unwrap_or_default();
                let reason = format!(
                    "'{}' is no loop nest ({class} of {op_class}), and the text has no operands of it; {EXPORT}",
                    node.name
                );
                return wrong(node.at, reason);
            }
        }
    }
    let Some(last) = nodes.last() else {
        return wrong(0, "there is no node here");
    };
    reader.finish(ops, last.at)
}

/// The properties of a buffer.
#[derive(Default)]
pub(super) struct BufferFacts {
    pub(super) layout: Option<Layout>,
    /// The element type that its node states.
    dtype: Option<Text>,
    /// The number of elements that accesses reach, where they are numbers.
    pub(super) reach: Option<i64>,
    pub(super) is_made: bool,
    is_output: bool,
}

/// A dump that is being read.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) buffers: BTreeMap<Text, BufferFacts>,
    /// The buffers in the order of their first access.
    pub(super) order: Vec<Text>,
    symbols: Vec<Text>,
}

impl Reader {
    /// Reads the properties of buffers in a node.
    fn layouts(&mut self, node: &NodeText<'_>) -> Result<(), Wrong> {
        for (buffer, field, value) in &node.buffers {
            let buffer_facts = self.buffers.entry((*buffer).into()).or_default();
            match *field {
                "layout" if buffer_facts.layout.is_none() => {
                    let layout = layout(value, &mut self.symbols)?;
                    buffer_facts.layout = layout;
                }
                "users" => buffer_facts.is_output |= has_output(value),
                _ => {}
            }
        }
        // Older dumps name a node as its buffer.
        for (field, value) in &node.fields {
            if *field == "users" {
                let buffer_facts = self.buffers.entry(node.name.into()).or_default();
                buffer_facts.is_output |= has_output(value);
            }
        }
        Ok(())
    }

    fn op(&mut self, node: &NodeText<'_>) -> Result<Op, Wrong> {
        let [ranges, reduction_ranges] = self.sizes(node)?;
        let loops: Vec<&str> = node.loops.iter().map(|(name, _)| *name).collect();
        let all = ranges.iter().chain(&reduction_ranges);
        let mut nest = Nest {
            node,
            extents: all.map(fixed).collect(),
            index: Table::new(),
            stored: None,
            reduction: None,
            parts: BTreeMap::new(),
            part: None,
            loops,
        };
        for (name, value) in &node.indices {
            let e = expr(value, &nest.loops, &mut self.symbols)?;
            let index = Index {
                e,
                class: "",
                text: String::new(),
                at: Table::new(),
            };
            nest.index.insert(*name, index);
        }
        let mut blocks = Table::new();
        for block in &node.blocks {
            blocks.insert(block.name, self.block(&mut nest, block)?);
        }
        let Some(buffer) = nest.stored.take() else {
            return wrong(node.at, format!("'{}' stores nothing", node.name));
        };
        let named = |loops: &[&str], extents: &[Expr]| -> Vec<(Text, Expr)> {
            let names = loops.iter().map(|name| Text::from(*name));
            names.zip(extents.iter().cloned()).collect()
        };
        let (loop_names, others) = nest.loops.split_at(ranges.len());
        let body = Body {
            vars: named(loop_names, &ranges),
            rvars: named(others, &reduction_ranges),
            indirect: Table::new(),
            index: nest.index,
            blocks,
        };
        let buffer_facts = self.buffers.entry(buffer.clone()).or_default();
        if let Some([dtype, ..]) = &nest.reduction {
            buffer_facts.dtype = Some(dtype.clone());
        }
        let is_reduction = nest.reduction.is_some();
        let part = |number: usize| nest.reduction.as_ref().map(|parts| parts[number].clone());
        Ok(Op {
            name: node.name.into(),
            kind: match is_reduction {
                true => OpKind::Reduction,
                false => OpKind::Pointwise,
            },
            buffers: vec![buffer],
            origin: None,
            origins: Vec::new(),
            dtype: None,
            ranges: Some(ranges),
            reduction_ranges: is_reduction.then_some(reduction_ranges),
            reduction_type: part(2),
            src_dtype: part(1),
            reduction_hint: None,
            output_index: nest.part,
            scan_ranges: None,
            mutates: None,
            aliases: None,
            hints: None,
            body: Some(body),
            kernel: None,
        })
    }

    /// Reads the extents of the loops of an operation, and of its reduced loops.
    fn sizes(&mut self, node: &NodeText<'_>) -> Result<[Vec<Expr>; 2], Wrong> {
        let sizes = node.fields.iter().find(|(field, _)| *field == "sizes");
        let Some((_, sizes)) = sizes else {
            return wrong(node.at, format!("'{}' has no sizes", node.name));
        };
        let [parallel, reduced] = sizes.list().unwrap_or_default() else {
            return wrong(sizes.at, "sizes are those of loops and of reduced loops");
        };
        let mut extents = |node_list: &Node<'_>| -> Result<Vec<Expr>, Wrong> {
            let Some(list) = node_list.list() else {
                return wrong(node_list.at, "sizes are a list");
            };
            list.iter()
                .map(|size| expr(size, &[], &mut self.symbols))
                .collect()
        };
        let (ranges, reduction_ranges) = (extents(parallel)?, extents(reduced)?);
        if node.loops.len() != ranges.len() + reduction_ranges.len() {
            let (loops, sizes_) = (node.loops.len(), ranges.len() + reduction_ranges.len());
            let reason = format!("there are {sizes_} sizes, and {loops} loops in the body");
            return wrong(sizes.at, reason);
        }
        Ok([ranges, reduction_ranges])
    }

    /// Builds the graph of its operations.
    fn finish(self, mut ops: Vec<Op>, end: usize) -> Result<Graph, Wrong> {
        let mut layouts = BTreeMap::new();
        for name in &self.order {
            let buffer_facts = &self.buffers[name];
            let layout = match &buffer_facts.layout {
                Some(layout) => layout.clone(),
                None => line(buffer_facts),
            };
            layouts.insert(name.clone(), layout);
        }
        for body in ops.iter_mut().filter_map(|op| op.body.as_mut()) {
            for (_, index) in body.index.iter_mut() {
                for (buffer, access) in index.at.iter_mut() {
                    access.size = vec![span(&layouts[buffer])];
                }
            }
        }
        let (buffer_outputs, given): (Vec<&Text>, Vec<&Text>) = self
            .order
            .iter()
            .partition(|name| self.buffers[*name].is_made);
        let outputs: Vec<Ref> = buffer_outputs
            .iter()
            .filter(|name| self.buffers[**name].is_output)
            .map(|name| Ref::Buffer((*name).clone(), None))
            .collect();
        if outputs.is_empty() {
            return wrong(end, "no buffer is an output: none has OUTPUT as a user");
        }
        Ok(Graph {
            format: FORMAT.into(),
            version: VERSION,
            torch: Text::default(),
            graph: 0,
            backend: Table::new(),
            symbols: self
                .symbols
                .into_iter()
                .map(|name| Symbol {
                    name,
                    hint: None,
                    min: None,
                    max: None,
                })
                .collect(),
            inputs: given
                .into_iter()
                .map(|name| Input {
                    name: name.clone(),
                    kind: InputKind::Tensor,
                    layout: Some(layouts[name].clone()),
                    expr: None,
                    source: None,
                })
                .collect(),
            constants: Vec::new(),
            buffers: buffer_outputs
                .into_iter()
                .map(|name| Buffer {
                    name: name.clone(),
                    lowered: layouts[name].clone(),
                    fixed: None,
                })
                .collect(),
            ops,
            outputs,
            phase: None,
        })
    }
}

/// Returns the layout of a buffer of which the text has none: a line up to the last element that is accessed.
fn line(buffer_facts: &BufferFacts) -> Layout {
    let reach = buffer_facts
        .reach
        .expect("an access without a layout has a reach");
    Layout {
        kind: LayoutKind::Fixed,
        dtype: Some(
            buffer_facts
                .dtype
                .clone()
                .unwrap_or(Text::new_static("f32")),
        ),
        device: None,
        size: Some(vec![Expr::Number(reach)]),
        stride: Some(vec![Expr::Number(1)]),
        offset: Some(Expr::Number(0)),
        base: None,
        base_offset: None,
        target: None,
    }
}

/// Returns an extent that is a number.
fn fixed(extent: &Expr) -> Option<i64> {
    match extent {
        Expr::Number(extent) => Some(*extent),
        _ => None,
    }
}
