//! What the claims are about: loops, tensors, and for each operation the elements that it reads and writes.
//!
//! A program is a tree of loops and statements in the order of execution. Tensors are values: a window that is inserted
//! into a tensor is a new tensor. Extents and positions are in elements, addresses in bytes.

use rustc_hash::FxHashMap;
use spyre_layout::Layout;

use crate::expr::{Expr, Var};
use crate::sets::Constraint;

pub use crate::ids::{LoopId, ParamId, Site, StatementId, ValueId};

/// An extent that is known when the program runs: `granularity * k`, with `1 <= k <= maximum / granularity`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The name, for reports.
    pub name: String,
    /// The number that divides every value.
    pub granularity: i64,
    /// The largest value.
    pub maximum: i64,
}

/// A number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// A number.
    Fixed(i64),
    /// The value of a parameter.
    Dynamic(ParamId),
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The dynamic extents.
    pub params: Vec<Param>,
    /// The loops; a loop comes after the loops around it.
    pub loops: Vec<Loop>,
    /// The tensors; a tensor comes after those that it is computed from, but for tensors that a loop carries.
    pub values: Vec<Value>,
    /// The operations of the device, in the order of the text.
    pub statements: Vec<Statement>,
    /// What is executed, in order.
    pub body: Vec<Item>,
    /// The tensors that the function returns.
    pub results: Vec<ValueId>,
    /// Tensors of constants that are few numbers, by the name in [`Def::Constant`]: each element is in one region.
    pub constants: FxHashMap<String, Vec<Region>>,
    /// The numbers of other tensors of constants, by the same name: witnesses have them, and no proof.
    pub tables: FxHashMap<String, Table>,
}

/// The numbers of a tensor of constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The extents.
    pub extents: Vec<i64>,
    /// The bits of each number, the last dimension fastest.
    pub bits: Vec<u64>,
}

/// Elements of a tensor of constants that are one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The bits of the number.
    pub number: String,
    /// Conditions on [`Var::Element`], which the elements of the region satisfy.
    pub conditions: Vec<Constraint>,
}

/// One part of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A loop, with its body.
    Loop(LoopId),
    /// An operation.
    Statement(StatementId),
}

/// A counted loop. Its counter is [`Var::Counter`], and its induction variable has the value `lower + step * counter`.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// The first value of the induction variable.
    pub lower: i64,
    /// The end of the induction variable, which it does not reach.
    pub upper: Extent,
    /// The distance of two values, positive.
    pub step: i64,
    /// The tensors that an iteration takes from the one before.
    pub carried: Vec<Carried>,
    /// What one iteration executes, in order.
    pub body: Vec<Item>,
    /// Its operation.
    pub site: Site,
}

/// A tensor that a loop carries.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// The tensor before the first iteration.
    pub init: ValueId,
    /// The tensor in the body: [`Def::Carried`].
    pub argument: ValueId,
    /// The tensor at the end of an iteration.
    pub yielded: ValueId,
    /// The tensor after the loop: [`Def::LoopResult`].
    pub result: ValueId,
}

/// A tensor.
#[derive(Clone, Debug)]
pub struct Value {
    /// How it is defined.
    pub def: Def,
    /// The loops that it is defined in, outermost first.
    pub loops: Vec<LoopId>,
    /// The extents, in elements.
    pub shape: Vec<Extent>,
    /// The name of the element type.
    pub element: String,
    /// The bytes of an element in device memory.
    pub width: i64,
    /// The layout in device memory; `None` before layouts are chosen.
    pub layout: Option<Layout>,
    /// The place in device memory.
    pub place: Option<Place>,
    /// Its operation.
    pub site: Site,
}

/// The place of a tensor. Places of views and of tensors that loops carry follow from what they are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// An argument or result of the function, which has this number in the list of both.
    Argument(u32),
    /// The pool of intermediates in device memory, at a byte.
    Pool(i64),
    /// The scratchpad of each core, at a byte; a core has its part of the tensor.
    Scratchpad(i64),
    /// The window of the tensor that the value is inserted into.
    Window,
}

/// How a tensor is defined. Expressions of offsets are over [`Var::Counter`] of the loops around it, and parameters.
#[derive(Clone, Debug)]
pub enum Def {
    /// An argument of the function.
    Argument(u32),
    /// One number in all elements, as its bits, or a tensor of constants, named by what they are.
    Constant(String),
    /// Elements that nothing has written.
    Empty,
    /// The result of a statement.
    Result(StatementId),
    /// A window of a tensor: element `e` is element `offsets + e` of the source.
    Slice {
        /// The tensor.
        source: ValueId,
        /// The first element of the window, for each dimension of the source.
        offsets: Vec<Expr>,
        /// The dimension of the window for each dimension of the source; `None` where it has extent 1 and is dropped.
        dims: Vec<Option<usize>>,
    },
    /// A tensor with one window replaced.
    Insert {
        /// The window.
        tile: ValueId,
        /// The tensor.
        into: ValueId,
        /// The first element of the window, for each dimension of the tensor.
        offsets: Vec<Expr>,
        /// The dimension of the window for each dimension of the tensor; `None` where the window has none and takes one
        /// position.
        dims: Vec<Option<usize>>,
    },
    /// The elements of a tensor in another order: element `e` is the element of the source that the expressions over
    /// [`Var::Element`] give.
    View {
        /// The tensor.
        source: ValueId,
        /// One expression for each dimension of the source.
        index: Vec<Expr>,
    },
    /// The tensor that a loop carries, in its body.
    Carried(LoopId, usize),
    /// The tensor that a loop carries, after it.
    LoopResult(LoopId, usize),
    /// An operation that is not modelled, with its name: every claim about its elements is undecided.
    Opaque(String),
}

/// A device operation. Its instances are the points of its iteration space, in each iteration of the loops around it.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it computes.
    pub key: OpKey,
    /// Whether it moves elements as they are: a copy or a change of layout.
    pub is_move: bool,
    /// The loops around it, outermost first.
    pub loops: Vec<LoopId>,
    /// The extents of the iteration space: result dimensions, then reduced ones.
    pub space: Vec<Extent>,
    /// The number of trailing dimensions of the space that are reduced.
    pub reduced: usize,
    /// The operands.
    pub operands: Vec<Access>,
    /// The results.
    pub results: Vec<Access>,
    /// The cores for each dimension of the space; `None` before work division.
    pub split: Option<Vec<i64>>,
    /// The dimensions of the space in the order of the digits of a core, fastest first. One that is divided and not
    /// among them is divided in a way that is not modelled.
    pub digits: Vec<usize>,
    /// Its operation.
    pub site: Site,
}

/// What an operation computes at one point, without the elements that it reads: equal keys compute equal functions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpKey {
    /// The name, without that of the dialect.
    pub name: String,
    /// The attributes that the value depends on, as text, sorted.
    pub attributes: Vec<String>,
    /// The element types of operands and results.
    pub elements: Vec<String>,
}

/// A tensor of an operation, and the element of each point.
#[derive(Clone, Debug)]
pub struct Access {
    /// The tensor.
    pub value: ValueId,
    /// One expression over [`Var::Point`] and [`Var::Gathered`] for each dimension of the tensor.
    pub index: Vec<Expr>,
}

impl Program {
    /// Returns a loop.
    #[must_use]
    pub fn of_loop(&self, id: LoopId) -> &Loop {
        &self.loops[id.index()]
    }

    /// Returns a tensor.
    #[must_use]
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    /// Returns an operation.
    #[must_use]
    pub fn statement(&self, id: StatementId) -> &Statement {
        &self.statements[id.index()]
    }

    /// Returns an extent as an expression: a number, or the granularity times the parameter.
    #[must_use]
    pub fn extent(&self, extent: Extent) -> Expr {
        match extent {
            Extent::Fixed(extent) => extent.into(),
            Extent::Dynamic(param) => {
                Expr::from(Var::Param(param)).times(self.params[param.index()].granularity)
            }
        }
    }

    /// Returns the largest value of an extent.
    #[must_use]
    pub fn largest(&self, extent: Extent) -> i64 {
        match extent {
            Extent::Fixed(extent) => extent,
            Extent::Dynamic(param) => self.params[param.index()].maximum,
        }
    }

    /// Returns the number of iterations at most: for the largest extents.
    #[must_use]
    pub fn largest_trips(&self, id: LoopId) -> i64 {
        let of = self.of_loop(id);
        let span = self.largest(of.upper).saturating_sub(of.lower).max(0);
        span / of.step + i64::from(span % of.step != 0)
    }

    /// Returns the number of iterations, if it does not depend on dynamic extents.
    #[must_use]
    pub fn trips(&self, id: LoopId) -> Option<i64> {
        matches!(self.of_loop(id).upper, Extent::Fixed(_)).then(|| self.largest_trips(id))
    }

    /// Returns the value of the induction variable: `lower + step * counter`.
    #[must_use]
    pub fn induction(&self, id: LoopId) -> Expr {
        let of = self.of_loop(id);
        Expr::from(of.lower).plus_times(&Var::Counter(id).into(), of.step)
    }
}

/// # Dynamic extents
impl Program {
    /// Returns the program for fewer values of its dynamic extents: coarser multiples, or a lower maximum. `None` if
    /// `params` are none of these, or the same.
    #[must_use]
    pub fn narrowed(&self, params: &[Param]) -> Option<Self> {
        let is_narrower = |(before, after): (&Param, &Param)| {
            before.name == after.name
                && after.granularity % before.granularity == 0
                && after.maximum <= before.maximum
        };
        let is_narrowed = self.params.len() == params.len()
            && self.params.iter().zip(params).all(is_narrower)
            && self.params != params;
        if !is_narrowed {
            return None;
        }
        let coarser = |var: Var| match var {
            Var::Param(id) => {
                let ratio = params[id.index()].granularity / self.params[id.index()].granularity;
                Some(Expr::from(var).times(ratio))
            }
            _ => None,
        };
        let mut program = self.clone();
        program.params = params.to_vec();
        for expr in program.exprs_mut() {
            *expr = expr.substituted(&coarser);
        }
        Some(program)
    }

    /// Returns all index expressions.
    fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let values = self.values.iter_mut().map(|value| &mut value.def);
        let of_values = values.flat_map(|def| match def {
            Def::Slice { offsets, .. } | Def::Insert { offsets, .. } => &mut offsets[..],
            Def::View { index, .. } => &mut index[..],
            _ => &mut [],
        });
        let statements = self.statements.iter_mut();
        let accesses = statements.flat_map(|of| of.operands.iter_mut().chain(&mut of.results));
        of_values.chain(accesses.flat_map(|access| &mut access.index))
    }
}

impl Statement {
    /// Returns the number of cores that execute it.
    #[must_use]
    pub fn cores(&self) -> i64 {
        self.split.iter().flatten().product()
    }

    /// Returns the number of dimensions of the space that its results have.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.space.len() - self.reduced
    }
}
