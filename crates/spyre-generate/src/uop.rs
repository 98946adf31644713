//! Random graphs of UOps, as files of the form `uop-graph-1`.
//!
//! The generator shares no code with the interpreter: it has a second implementation of the rules of the operations.
//! Every element type is drawn, with the ends of its range, NaN and infinities. Approximated functions, such as sines,
//! read only inputs of moderate size, and their results are moved but not computed with, so that two implementations
//! differ by a known bound. Some nodes have a twin: another node with the same values, computed by loops and memory, by
//! a call, or by copies between devices.

mod draw;
mod movement;
mod product;
mod twin;
mod values;

use std::fmt::Write as _;

use crate::numbers::Numbers;

/// A graph.
#[derive(Debug, Clone)]
pub struct Graph {
    /// The file: the nodes and the inputs.
    pub text: String,
    /// The nodes. The position of each is its number in the file.
    pub nodes: Vec<Node>,
    /// Pairs of nodes that have the same values.
    pub twins: Vec<(usize, usize)>,
}

/// A node of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The name of the operation.
    pub op: &'static str,
    /// The element type; `void` of an effect and a tuple.
    pub dtype: &'static str,
    /// The extents, in elements.
    pub shape: Vec<u64>,
    /// Whether it is a tensor that may be a result: no effect, and in no loop and no function.
    pub is_result: bool,
    /// Whether its values are approximated.
    pub is_near: bool,
    /// Whether its values are inputs of moderate size.
    is_moderate: bool,
    /// The number of the scalar constant that all of its elements are.
    constant: Option<usize>,
    /// The numbers of the nodes that it reads.
    sources: Vec<usize>,
    /// The arguments, as they are in the file.
    arg: String,
}

impl Node {
    /// Returns the numbers of the nodes that it reads.
    #[must_use]
    pub fn sources(&self) -> &[usize] {
        &self.sources
    }
}

/// The most elements of a tensor.
const MOST_ELEMENTS: u64 = 256;

/// Extents that are drawn.
const EXTENTS: [u64; 6] = [1, 2, 3, 4, 5, 8];

/// Element types of inputs.
const DTYPES: [&str; 13] = [
    "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64",
];

/// Returns the graph of a number, in the sequence of a seed.
#[must_use]
pub fn graph(seed: u64, number: u64) -> Graph {
    let mut draw = Draw {
        numbers: Numbers::new(seed, number),
        nodes: Vec::new(),
        lines: Vec::new(),
        inputs: Vec::new(),
        twins: Vec::new(),
        slots: 0,
        is_inside: false,
    };
    for _ in 0..1 + draw.numbers.below(3) {
        let dtype = draw.numbers.pick(&DTYPES);
        let shape = draw.shape();
        draw.buffer(dtype, &shape);
    }
    if draw.numbers.one_in(4) {
        draw.bytes();
    }
    for _ in 0..3 + draw.numbers.below(14) {
        draw.step();
    }
    if draw.numbers.one_in(2) {
        for _ in 0..1 + draw.numbers.below(4) {
            draw.twin();
        }
        draw.step();
    }
    let mut text = String::from(
        "{\n \"format\": \"uop-graph-1\",\n \"name\": \"random\",\n \"category\": \"random\",\n \"description\": \"\",\n",
    );
    let _ = writeln!(text, " \"nodes\": [\n{}\n ],", draw.lines.join(",\n"));
    let _ = writeln!(text, " \"inputs\": [\n{}\n ]\n}}", draw.inputs.join(",\n"));
    Graph {
        text,
        nodes: draw.nodes,
        twins: draw.twins,
    }
}

struct Draw {
    numbers: Numbers,
    nodes: Vec<Node>,
    lines: Vec<String>,
    inputs: Vec<String>,
    twins: Vec<(usize, usize)>,
    /// The number of buffers.
    slots: usize,
    /// Whether nodes are in a loop or in a function.
    is_inside: bool,
}

fn elements(shape: &[u64]) -> u64 {
    shape.iter().product()
}

impl Draw {
    /// Returns extents; rarely, one of them is 0.
    fn shape(&mut self) -> Vec<u64> {
        loop {
            let rank = self.numbers.below(4);
            let mut shape: Vec<u64> = (0..rank).map(|_| self.numbers.pick(&EXTENTS)).collect();
            if !shape.is_empty() && self.numbers.one_in(24) {
                let axis = self.numbers.index(shape.len());
                shape[axis] = 0;
            }
            if elements(&shape) <= MOST_ELEMENTS {
                return shape;
            }
        }
    }

    /// Adds a node that moves elements, or combines them as they are. Returns its number.
    fn add(
        &mut self,
        op: &'static str,
        dtype: &'static str,
        shape: &[u64],
        sources: &[usize],
        arg: &str,
    ) -> usize {
        let is_near = sources.iter().any(|source| self.nodes[*source].is_near);
        let id = self.nodes.len();
        let argument = if dtype == "void" {
            "null".to_owned()
        } else {
            format!("{shape:?}")
        };
        self.lines.push(format!(
            "  {{\"id\":{id},\"op\":\"{op}\",\"dtype\":\"{dtype}\",\"shape\":{argument},\"src\":{sources:?},\"arg\":{{{arg}}}}}"
        ));
        self.nodes.push(Node {
            op,
            dtype,
            shape: shape.to_vec(),
            is_result: dtype != "void" && !self.is_inside,
            is_near,
            is_moderate: false,
            constant: None,
            sources: sources.to_vec(),
            arg: arg.to_owned(),
        });
        id
    }

    /// Adds a node that moves elements of one source.
    fn moved(&mut self, op: &'static str, shape: &[u64], source: usize, arg: &str) -> usize {
        let Node {
            dtype, is_moderate, ..
        } = self.nodes[source];
        let id = self.add(op, dtype, shape, &[source], arg);
        self.nodes[id].is_moderate = is_moderate;
        id
    }

    /// Returns a random node that satisfies `holds`.
    fn pick(&mut self, holds: impl Fn(&Node) -> bool) -> Option<usize> {
        let all: Vec<usize> = (0..self.nodes.len())
            .filter(|at| self.nodes[*at].is_result && holds(&self.nodes[*at]))
            .collect();
        if all.is_empty() {
            return None;
        }
        // Newer nodes more often, so that graphs are deep.
        let first = self.numbers.index(all.len());
        let second = self.numbers.index(all.len());
        Some(all[first.max(second)])
    }
}
