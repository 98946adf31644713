//! Draws small programs: a graph of whole operations, from which the program before a rewrite is emitted.

use spyre_proof::expr::Var;
use spyre_proof::program::{OpKey, Program, ValueId};

use crate::build::{Builder, element, key, point};
use crate::law;
use crate::random::Random;

/// The most elements of a tensor, and the most points of an operation.
const MOST_ELEMENTS: i64 = 192;

/// A tensor of a graph.
#[derive(Clone, Debug)]
pub struct Node {
    /// How it is computed.
    pub kind: Kind,
    /// The extents.
    pub shape: Vec<i64>,
}

/// How a tensor is computed.
#[derive(Clone, Debug)]
pub enum Kind {
    /// An argument of the program.
    Argument,
    /// A constant.
    Constant(&'static str),
    /// An operation.
    Compute(Compute),
    /// The elements of a tensor in another order.
    View(usize, View),
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Compute {
    /// What it computes.
    pub key: OpKey,
    /// The extents of its iteration space: those of the result, then reduced ones.
    pub space: Vec<i64>,
    /// The number of reduced dimensions.
    pub reduced: usize,
    /// The operands: a node, and the dimension of the space for each of its dimensions; `None` where it is broadcast.
    pub operands: Vec<(usize, Vec<Option<usize>>)>,
    /// The dimension of operand 1 whose coordinate is the element of operand 0, for gathers.
    pub gathered: Option<usize>,
}

impl Compute {
    /// Returns whether a dimension of an operand is gathered.
    #[must_use]
    pub fn is_gathered(&self, operand: usize, dim: usize) -> bool {
        operand == 1 && self.gathered == Some(dim)
    }
}

/// Another order of elements.
#[derive(Clone, Debug)]
pub enum View {
    /// Dimension `d` of the source is dimension `of[d]` of the view.
    Permute(Vec<usize>),
    /// A dimension becomes two, the inner of this extent.
    Expand(usize, i64),
    /// A dimension and the next one, of this extent, become one.
    Collapse(usize, i64),
}

impl View {
    /// Returns the element of the source for an element of a view.
    #[must_use]
    pub fn index(&self, rank: usize) -> Vec<spyre_proof::expr::Expr> {
        match self {
            Self::Permute(of) => of.iter().map(|dim| element(*dim)).collect(),
            Self::Expand(dim, inner) => (0..rank - 1)
                .map(|at| match at.cmp(dim) {
                    std::cmp::Ordering::Less => element(at),
                    std::cmp::Ordering::Equal => element(at).times(*inner).plus(&element(at + 1)),
                    std::cmp::Ordering::Greater => element(at + 1),
                })
                .collect(),
            Self::Collapse(dim, inner) => (0..=rank)
                .map(|at| match at {
                    at if at < *dim => element(at),
                    at if at == *dim => element(at).floor_div(*inner),
                    at if at == dim + 1 => element(*dim).modulo(*inner),
                    at => element(at - 1),
                })
                .collect(),
        }
    }
}

/// A program as a graph.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The tensors; each comes after those that it is computed from.
    pub nodes: Vec<Node>,
    /// The tensors that the program returns.
    pub results: Vec<usize>,
    /// The bytes of an element.
    pub width: i64,
}

impl Graph {
    /// Draws a graph of at most `most` operations.
    #[must_use]
    pub fn draw(random: &mut Random, most: usize) -> Self {
        let width = random.pick(&[16, 32, 64]);
        let per_stick = 128 / width;
        let sticks = random.from_to(1, if width == 64 { 6 } else { 2 });
        let mut extents = vec![sticks * per_stick, random.from_to(2, 6)];
        extents.push(random.pick(&[1, 3, 4, per_stick]));
        let mut draw = Draw {
            random,
            nodes: Vec::new(),
            extents,
        };
        let rank = draw.random.from_to(1, 3);
        let shape: Vec<_> = (0..rank).map(|_| draw.extent()).collect();
        draw.argument(shape);
        let count = 1 + draw.random.below(most);
        let mut computed = 0;
        while computed < count {
            computed += usize::from(draw.step());
        }
        let nodes = draw.nodes;
        let is_used = |at: usize| {
            nodes.iter().any(|node| match &node.kind {
                Kind::Compute(compute) => compute.operands.iter().any(|(from, _)| *from == at),
                Kind::View(from, _) => *from == at,
                Kind::Argument | Kind::Constant(_) => false,
            })
        };
        let ends = (0..nodes.len()).filter(|at| {
            !is_used(*at) && matches!(nodes[*at].kind, Kind::Compute(_) | Kind::View(..))
        });
        let mut results: Vec<_> = ends.collect();
        // One of those that are read as well.
        let at = random.below(nodes.len());
        if matches!(nodes[at].kind, Kind::Compute(_)) && !results.contains(&at) {
            results.push(at);
        }
        Self {
            nodes,
            results,
            width,
        }
    }

    /// Returns the program of whole operations.
    #[must_use]
    pub fn program(&self) -> Program {
        let mut builder = Builder::new(self.width);
        let mut values: Vec<ValueId> = Vec::new();
        for node in &self.nodes {
            let value = match &node.kind {
                Kind::Argument => builder.argument(&node.shape),
                Kind::Constant(name) => builder.constant(name, &node.shape),
                Kind::View(from, view) => {
                    builder.view(values[*from], view.index(node.shape.len()), &node.shape)
                }
                Kind::Compute(compute) => {
                    let mut operands = Vec::new();
                    for (at, (from, dims)) in compute.operands.iter().enumerate() {
                        let mut index = index(dims);
                        if let Some(dim) = compute.gathered.filter(|_| at == 1) {
                            index[dim] = Var::Gathered(0).into();
                        }
                        operands.push((values[*from], index));
                    }
                    builder.statement(
                        compute.key.clone(),
                        &compute.space,
                        compute.reduced,
                        operands,
                    )
                }
            };
            values.push(value);
        }
        let results = self.results.iter().map(|at| values[*at]).collect();
        builder.finish(results)
    }
}

/// Returns the element of each point, from the dimension of the space for each dimension.
#[must_use]
pub fn index(dims: &[Option<usize>]) -> Vec<spyre_proof::expr::Expr> {
    let dims = dims.iter();
    dims.map(|dim| dim.map_or_else(spyre_proof::expr::Expr::zero, point))
        .collect()
}

struct Draw<'a> {
    random: &'a mut Random,
    nodes: Vec<Node>,
    extents: Vec<i64>,
}

impl Draw<'_> {
    fn extent(&mut self) -> i64 {
        self.random.pick(&self.extents.clone())
    }

    fn push(&mut self, kind: Kind, shape: Vec<i64>) -> usize {
        self.nodes.push(Node { kind, shape });
        self.nodes.len() - 1
    }

    fn argument(&mut self, mut shape: Vec<i64>) -> usize {
        while shape.iter().product::<i64>() > MOST_ELEMENTS {
            let largest = shape.iter().max().copied();
            let at = shape.iter().position(|extent| Some(*extent) == largest);
            shape[at.expect("a shape with elements has a largest extent")] = 2;
        }
        self.push(Kind::Argument, shape)
    }

    /// Returns a tensor to compute with: one of the last, most often.
    fn any(&mut self) -> usize {
        let last = self.nodes.len() - 1;
        if self.random.once_in(3) {
            self.random.below(last + 1)
        } else {
            last - self.random.below(last.min(2) + 1)
        }
    }

    /// Adds one operation or view; returns whether it is an operation.
    fn step(&mut self) -> bool {
        match self.random.below(17) {
            0..3 => self.unary(),
            3..8 => self.binary(),
            8..11 => self.reduction(),
            11..13 => self.product(),
            13 => {
                let from = self.any();
                let dims = (0..self.nodes[from].shape.len()).map(Some).collect();
                let shape = self.nodes[from].shape.clone();
                self.compute("copy", shape, 0, vec![(from, dims)]);
            }
            14 => self.gather(),
            _ => {
                self.view();
                return false;
            }
        }
        true
    }

    fn gather(&mut self) {
        let table = self.any();
        let shape = self.nodes[table].shape.clone();
        let rows = self.random.from_to(2, 4);
        let rest: i64 = shape.iter().skip(1).product();
        if shape.len() < 2 || shape[0] < 2 || rows * rest > MOST_ELEMENTS {
            return self.unary();
        }
        let indices = self.argument(vec![rows]);
        let mut space = shape.clone();
        space[0] = rows;
        let of_table = (0..shape.len()).map(|dim| (dim > 0).then_some(dim));
        let compute = Compute {
            key: key("gather", 2),
            space: space.clone(),
            reduced: 0,
            operands: vec![(indices, vec![Some(0)]), (table, of_table.collect())],
            gathered: Some(0),
        };
        self.push(Kind::Compute(compute), space);
    }

    fn compute(
        &mut self,
        name: &str,
        space: Vec<i64>,
        reduced: usize,
        operands: Vec<(usize, Vec<Option<usize>>)>,
    ) {
        let shape = space[..space.len() - reduced].to_vec();
        let compute = Compute {
            key: key(name, operands.len()),
            space,
            reduced,
            operands,
            gathered: None,
        };
        self.push(Kind::Compute(compute), shape);
    }

    fn unary(&mut self) {
        let from = self.any();
        let shape = self.nodes[from].shape.clone();
        let dims = (0..shape.len()).map(Some).collect();
        let name = self.random.pick(&["neg", "exp", "relu"]);
        self.compute(name, shape, 0, vec![(from, dims)]);
    }

    fn binary(&mut self) {
        let from = self.any();
        let shape = self.nodes[from].shape.clone();
        let dims: Vec<_> = (0..shape.len()).map(Some).collect();
        let (other, of_other) = self.partner(&shape);
        let name = self
            .random
            .pick(&["add", "mul", "sub", "maximum", "minimum"]);
        let mut operands = vec![(from, dims), (other, of_other)];
        if self.random.once_in(2) {
            operands.swap(0, 1);
        }
        self.compute(name, shape, 0, operands);
    }

    /// Returns a tensor that can be broadcast to a shape, and how.
    fn partner(&mut self, shape: &[i64]) -> (usize, Vec<Option<usize>>) {
        for _ in 0..4 {
            let at = self.random.below(self.nodes.len());
            if let Some(dims) = broadcast(&self.nodes[at].shape, shape) {
                return (at, dims);
            }
        }
        let mut dims: Vec<Option<usize>> = Vec::new();
        for dim in 0..shape.len() {
            match self.random.below(6) {
                0 => dims.push(None),
                1 => {}
                _ => dims.push(Some(dim)),
            }
        }
        if dims.is_empty() {
            dims.push(Some(0));
        }
        let extents = dims.iter().map(|dim| dim.map_or(1, |dim| shape[dim]));
        let extents: Vec<_> = extents.collect();
        let node = if self.random.once_in(8) {
            let name = self.random.pick(&[law::ZERO, law::ONE, "0x4000"]);
            self.push(Kind::Constant(name), extents)
        } else {
            self.argument(extents)
        };
        (node, dims)
    }

    fn reduction(&mut self) {
        let from = self.any();
        let shape = self.nodes[from].shape.clone();
        if shape.len() < 2 {
            return self.unary();
        }
        let mut order: Vec<_> = (0..shape.len()).collect();
        self.random.shuffle(&mut order);
        let most = if self.random.once_in(4) { 2 } else { 1 };
        let reduced = most.min(order.len() - 1);
        let mut kept = order.split_off(reduced);
        if !self.random.once_in(4) {
            kept.sort_unstable();
            order.sort_unstable();
        }
        let of_space = [kept, order].concat();
        let dims = (0..shape.len()).map(|dim| of_space.iter().position(|at| *at == dim));
        let dims = dims.collect();
        let space = of_space.iter().map(|dim| shape[*dim]).collect();
        let names = ["sum", "sum", "sum", "max", "min", "prod", "absmax", "exx2"];
        let name = self.random.pick(&names);
        self.compute(name, space, reduced, vec![(from, dims)]);
    }

    fn product(&mut self) {
        let from = self.any();
        let shape = self.nodes[from].shape.clone();
        if shape.iter().product::<i64>() * 4 > MOST_ELEMENTS {
            return self.unary();
        }
        let rank = shape.len();
        let columns = self.random.from_to(1, 4);
        let depth = shape[rank - 1];
        let mut space = shape.clone();
        space[rank - 1] = columns;
        space.push(depth);
        let mut dims: Vec<_> = (0..rank).map(Some).collect();
        dims[rank - 1] = Some(rank);
        let mut of_other = vec![Some(rank), Some(rank - 1)];
        let mut other = vec![depth, columns];
        if rank > 1 && self.random.once_in(3) {
            of_other.insert(0, Some(0));
            other.insert(0, shape[0]);
        }
        let weights = self.argument(other.clone());
        if self.nodes[weights].shape != other {
            return self.unary();
        }
        self.compute(
            "batchmatmul",
            space,
            1,
            vec![(from, dims), (weights, of_other)],
        );
    }

    fn view(&mut self) {
        let from = self.any();
        let shape = self.nodes[from].shape.clone();
        let dim = self.random.below(shape.len().max(1));
        let is_pair = shape.len() > 1 && dim + 1 < shape.len();
        match self.random.below(3) {
            0 if is_pair => {
                let mut of: Vec<_> = (0..shape.len()).collect();
                self.random.shuffle(&mut of);
                let mut viewed = shape.clone();
                for (dim, to) in of.iter().enumerate() {
                    viewed[*to] = shape[dim];
                }
                self.push(Kind::View(from, View::Permute(of)), viewed);
            }
            1 if is_pair => {
                let mut viewed = shape.clone();
                let inner = viewed.remove(dim + 1);
                viewed[dim] *= inner;
                self.push(Kind::View(from, View::Collapse(dim, inner)), viewed);
            }
            _ => {
                let Some(extent) = shape.get(dim).copied().filter(|_| shape.len() < 4) else {
                    return;
                };
                let inner = self.random.from_to(1, extent);
                if extent % inner != 0 {
                    return;
                }
                let mut viewed = shape.clone();
                viewed[dim] = extent / inner;
                viewed.insert(dim + 1, inner);
                self.push(Kind::View(from, View::Expand(dim, inner)), viewed);
            }
        }
    }
}

/// Returns the dimension of `to` for each dimension of `from`, in order, if the extents allow it.
fn broadcast(from: &[i64], to: &[i64]) -> Option<Vec<Option<usize>>> {
    let mut next = 0;
    let mut dims = Vec::new();
    for extent in from {
        if *extent == 1 {
            dims.push(None);
            continue;
        }
        let dim = (next..to.len()).find(|dim| to[*dim] == *extent)?;
        dims.push(Some(dim));
        next = dim + 1;
    }
    Some(dims)
}
