//! Programs from a seed and a number.
//!
//! A program has a few steps. Most of them are views: the kind and the head are drawn first, each as often as every
//! other, then an existing value that admits the view, or a new input that does. The other steps are operations that
//! compute. Each step draws only operations that the verifiers accept, so no step is redrawn.
//!
//! Sums, products and products of matrices are rounded differently when they are tiled. A program has them only where
//! all operands are integers, few and small enough for every partial result to be exact.
//!
//! [`real_program`] has none of these limits: its operands are any numbers, and its results are compared with bounds.
//!
//! `views` draws views, `compute` the other operations, `tails` rows that end inside a stick and products that read
//! them, `layers` repeats programs, `names` follows the names of dimensions, `hints` tiles sequences of operations,
//! `splits` divides operations over cores, `relayouts` divides each operation of a chain in another way, and `layouts`
//! sets layouts of types.

mod compute;
mod graphs;
mod hints;
mod layers;
mod layouts;
mod names;
mod relayouts;
mod splits;
mod tails;
mod views;
mod windows;

use std::collections::BTreeSet;

use crate::graph::Family;
use crate::numbers::Numbers;
use crate::program::{Element, Node, NodeKind, Program, Tensor};
use crate::vocabulary::Vocabulary;

/// Extents that are not sizes of heads.
const OTHER: [u64; 19] = [
    1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 33, 48, 63, 65, 100, 129, 192, 200,
];

/// Extents of leading dimensions.
const SMALL: [u64; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16];

/// Sizes of heads.
const HEADS: [u64; 5] = [32, 64, 80, 96, 128];

/// Largest number of elements of a new tensor.
const MOST_ELEMENTS: u64 = 1 << 13;

/// Largest number of dimensions.
const MOST_DIMS: usize = 5;

/// The largest magnitude of an input of integers.
const SMALL_BOUND: u64 = 3;

/// Number of programs out of 100 with inputs that are not integers.
const INEXACT: u64 = 20;

/// Number of steps out of 100 that are views.
const VIEWS: u64 = 60;

/// Among programs of floats with an even number, one in this number of programs moves slices of values between cores.
const RELAYOUTS: u64 = 8;

/// The size of the programs that are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Largest number of steps.
    pub steps: u64,
}

impl Default for Size {
    fn default() -> Self {
        Self { steps: 6 }
    }
}

/// Number of steps out of 100 of a program of real numbers that end rows inside a stick.
const TAILS: u64 = 25;

/// Returns the program of a seed and a number. Programs of odd numbers have hints, if one of their dimensions can be
/// tiled.
#[must_use]
pub fn program(vocabulary: &'static Vocabulary, size: Size, seed: u64, number: u64) -> Program {
    let mut numbers = Numbers::new(seed, number);
    let base = match numbers.below(22) {
        0..=11 => Element::F16,
        12..=14 => Element::Bf16,
        15..=17 => Element::F32,
        18 | 19 => Element::I32,
        20 => Element::I8,
        _ => Element::I64,
    };
    let exact = !base.is_float() || numbers.below(100) >= INEXACT;
    let mut builder = Builder::new(vocabulary, numbers, base);
    builder.exact = exact;
    builder.draw(size, number)
}

/// Returns the program of real numbers of a seed and a number: every operation reads any numbers, and a quarter of the
/// steps are products of rows that end inside a stick. Programs of odd numbers have hints, if one of their dimensions
/// can be tiled.
#[must_use]
pub fn real_program(
    vocabulary: &'static Vocabulary,
    size: Size,
    seed: u64,
    number: u64,
) -> Program {
    let mut numbers = Numbers::new(seed, number);
    let base = match numbers.below(12) {
        0..=7 => Element::F16,
        8 | 9 => Element::Bf16,
        _ => Element::F32,
    };
    let mut builder = Builder::new(vocabulary, numbers, base);
    builder.exact = false;
    builder.is_real = true;
    builder.draw(size, number)
}

/// Returns the graph of a seed and a number.
pub(crate) fn graph(
    vocabulary: &'static Vocabulary,
    family: Family,
    seed: u64,
    number: u64,
) -> Program {
    let mut builder = Builder::new(vocabulary, Numbers::new(seed, number), Element::F16);
    builder.graph(family);
    builder.finish();
    builder.program
}

struct Builder {
    vocabulary: &'static Vocabulary,
    numbers: Numbers,
    program: Program,
    base: Element,
    /// Whether the inputs are integers.
    exact: bool,
    /// Whether every operation reads any numbers.
    is_real: bool,
    next_name: usize,
    /// Values between a cast and the cast back, and pairs of moments, which few operations read.
    staggered: BTreeSet<usize>,
}

impl Builder {
    /// Returns a builder of an empty program for 32 cores.
    fn new(vocabulary: &'static Vocabulary, numbers: Numbers, base: Element) -> Self {
        let program = Program {
            nodes: Vec::new(),
            results: Vec::new(),
            cores: 32,
            lx_bytes: None,
            special_values: false,
        };
        Self {
            vocabulary,
            numbers,
            program,
            base,
            exact: true,
            is_real: false,
            next_name: 0,
            staggered: BTreeSet::new(),
        }
    }

    /// Draws a program for a card.
    fn draw(mut self, size: Size, number: u64) -> Program {
        self.program.cores = self.numbers.pick(&[1, 2, 4, 32, 8, 3, 16, 6]);
        self.program.lx_bytes = self
            .numbers
            .pick(&[None, None, None, Some(65536), Some(8192)]);
        self.program.special_values = self.numbers.one_in(4);
        let wants_hints = number % 2 == 1;
        if !wants_hints && self.base.is_float() && self.numbers.one_in(RELAYOUTS) {
            self.program.lx_bytes = None;
            self.relayouts();
            self.finish();
            return self.program;
        }
        let steps = self.numbers.between(1, size.steps.max(1));
        self.view();
        for _ in 1..steps {
            if self.is_real && self.numbers.below(100) < TAILS {
                self.tail();
            } else if self.numbers.below(100) < VIEWS {
                self.view();
            } else {
                self.compute();
            }
        }
        if self.numbers.one_in(4) {
            self.join();
        }
        if self.numbers.one_in(4) {
            self.layers();
        }
        let is_computed = |node: &Node| node.kind.is_computed();
        if wants_hints && !self.program.nodes.iter().any(is_computed) {
            self.computed_result();
        }
        self.finish();
        if wants_hints {
            self.hints();
        } else if self.numbers.one_in(3) {
            self.splits();
        } else if self.numbers.one_in(4) {
            self.layout();
        }
        self.program
    }

    fn node(&self, at: usize) -> &Node {
        &self.program.nodes[at]
    }

    fn tensor(&self, at: usize) -> &Tensor {
        &self.node(at).tensor
    }

    fn shape(&self, at: usize) -> Vec<u64> {
        self.tensor(at).shape.clone()
    }

    /// Adds a node with dimension names that follow from its operands.
    fn add(
        &mut self,
        kind: NodeKind,
        operands: &[usize],
        tensor: Tensor,
        bound: Option<u64>,
    ) -> usize {
        // An integer that the type does not have is rounded, and its bound is no longer known.
        let bound = bound.filter(|bound| *bound <= tensor.element.integers());
        self.program.nodes.push(Node {
            kind,
            operands: operands.to_vec(),
            dims: vec![Vec::new(); tensor.shape.len()],
            tensor,
            bound,
            is_named: false,
            hints: Vec::new(),
            split: Vec::new(),
            stick: None,
            view: None,
        });
        let at = self.program.nodes.len() - 1;
        self.name(at);
        at
    }

    fn input(&mut self, element: Element, shape: &[u64], bound: u64) -> usize {
        let tensor = Tensor {
            element,
            shape: shape.to_vec(),
        };
        let bound = (self.exact || !element.is_float()).then_some(bound);
        self.add(NodeKind::Input(None), &[], tensor, bound)
    }

    /// Adds a value of a shape: an input, or sometimes a constant; half of the time with an operation on it.
    fn fresh(&mut self, element: Element, shape: &[u64]) -> usize {
        let at = match self.numbers.below(8) {
            0 => self.fill(element, shape),
            _ => self.input(element, shape, SMALL_BOUND),
        };
        match self.numbers.one_in(2) {
            true => self.pointwise_on(at),
            false => at,
        }
    }

    fn fill(&mut self, element: Element, shape: &[u64]) -> usize {
        let value = self.numbers.below(7) as i8 - 3;
        let is_integer = self.exact || !element.is_float();
        let halves = match element {
            _ if !element.is_float() => value,
            _ if is_integer => 2 * value,
            _ => value,
        };
        let tensor = Tensor {
            element,
            shape: shape.to_vec(),
        };
        let bound = is_integer.then_some(value.unsigned_abs().into());
        self.add(NodeKind::Fill(halves), &[], tensor, bound)
    }

    /// Returns an existing value that satisfies a condition, half of the time the newest; `None` if there is none.
    fn value(&mut self, fits: impl Fn(&Node) -> bool) -> Option<usize> {
        let nodes = self.program.nodes.iter().enumerate();
        let usable = nodes.filter(|(at, node)| {
            node.tensor.element != Element::Bool
                && !self.staggered.contains(at)
                && !matches!(node.kind, NodeKind::Input(Some(_)) | NodeKind::Fill(_))
                && fits(node)
        });
        let usable: Vec<usize> = usable.map(|(at, _)| at).collect();
        let newest = usable.last()?;
        Some(match self.numbers.one_in(2) {
            true => *newest,
            false => self.numbers.pick(&usable),
        })
    }

    /// Returns extents of at most `most` leading dimensions, with at most `budget` elements together.
    fn lead(&mut self, most: usize, mut budget: u64) -> Vec<u64> {
        let count = self.numbers.index(most + 1);
        let mut lead = Vec::new();
        for _ in 0..count {
            let extent = self.numbers.pick(&SMALL).min(budget.max(1));
            budget /= extent;
            lead.push(extent);
        }
        lead
    }

    /// Chooses the results: every value without uses, and some of the others.
    fn finish(&mut self) {
        let uses = self.program.uses();
        for (at, uses) in uses.into_iter().enumerate() {
            let node = self.node(at);
            let is_result = node.tensor.element != Element::Bool
                && !self.staggered.contains(&at)
                && !matches!(node.kind, NodeKind::Input(_) | NodeKind::Fill(_));
            if is_result && (uses == 0 || self.numbers.one_in(8)) {
                self.program.results.push(at);
            }
        }
    }
}
