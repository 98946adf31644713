//! Makes programs.

use spyre_layout::{Coord, Layout};

use crate::expr::{Expr, Var};
use crate::program::{
    Access, Carried, Def, Extent, Item, Loop, LoopId, OpKey, Param, ParamId, Place, Program, Site,
    Statement, StatementId, Value, ValueId,
};

/// The rows of a tile.
pub(super) const ROWS: i64 = 16;

/// A program that is being made. Tensors are of 16-bit elements, in sticks along the last dimension.
pub(super) struct Builder {
    program: Program,
    loops: Vec<LoopId>,
    bodies: Vec<Vec<Item>>,
    inits: Vec<Vec<ValueId>>,
    split: Option<Vec<i64>>,
    sites: usize,
}

impl Builder {
    pub(super) fn new() -> Self {
        Self {
            program: Program::default(),
            loops: Vec::new(),
            bodies: vec![Vec::new()],
            inits: Vec::new(),
            split: None,
            sites: 0,
        }
    }

    /// Returns the program. The last value in an argument is its result, if there is none yet.
    pub(super) fn program(mut self) -> Program {
        self.program.body = self.bodies.pop().expect("the body of the function");
        if self.program.results.is_empty() {
            let last = ValueId::new(self.program.values.len() - 1);
            self.program.results.push(last);
        }
        self.program
    }

    pub(super) fn returns(mut self, results: &[ValueId]) -> Program {
        self.program.results = results.to_vec();
        self.program()
    }

    pub(super) fn param(&mut self, granularity: i64, maximum: i64) -> Extent {
        self.program.params.push(Param {
            name: "S".to_owned(),
            granularity,
            maximum,
        });
        Extent::Dynamic(ParamId::new(self.program.params.len() - 1))
    }

    /// Sets the division of the next operation.
    pub(super) fn split(&mut self, split: &[i64]) -> &mut Self {
        self.split = Some(split.to_vec());
        self
    }

    fn site(&mut self) -> Site {
        self.sites += 1;
        Site::new(self.sites - 1)
    }

    fn value(&mut self, def: Def, shape: &[Extent], place: Option<Place>) -> ValueId {
        let site = self.site();
        self.program.values.push(Value {
            def,
            loops: self.loops.clone(),
            shape: shape.to_vec(),
            element: "f16".to_owned(),
            width: 2,
            layout: Some(sticks(shape.len())),
            place,
            site,
        });
        ValueId::new(self.program.values.len() - 1)
    }

    pub(super) fn argument<const N: usize>(&mut self, number: u32, shape: [i64; N]) -> ValueId {
        let place = Some(Place::Argument(number));
        self.value(Def::Argument(number), &shape.map(Extent::Fixed), place)
    }

    pub(super) fn empty<const N: usize>(&mut self, shape: [i64; N], place: Place) -> ValueId {
        self.value(Def::Empty, &shape.map(Extent::Fixed), Some(place))
    }

    pub(super) fn opaque<const N: usize>(&mut self, name: &str, shape: [i64; N]) -> ValueId {
        self.value(
            Def::Opaque(name.to_owned()),
            &shape.map(Extent::Fixed),
            None,
        )
    }

    pub(super) fn slice<const N: usize, const M: usize>(
        &mut self,
        source: ValueId,
        offsets: [Expr; N],
        shape: [i64; M],
    ) -> ValueId {
        let def = Def::Slice {
            source,
            offsets: offsets.to_vec(),
            dims: (0..N).map(Some).collect(),
        };
        self.value(def, &shape.map(Extent::Fixed), None)
    }

    /// Adds a view with one expression for each dimension of the source.
    pub(super) fn view<const N: usize>(
        &mut self,
        source: ValueId,
        index: &[Expr],
        shape: [i64; N],
    ) -> ValueId {
        let def = Def::View {
            source,
            index: index.to_vec(),
        };
        self.value(def, &shape.map(Extent::Fixed), None)
    }

    pub(super) fn insert<const N: usize>(
        &mut self,
        tile: ValueId,
        into: ValueId,
        offsets: [Expr; N],
    ) -> ValueId {
        let shape = self.program.values[into.index()].shape.clone();
        let def = Def::Insert {
            tile,
            into,
            offsets: offsets.to_vec(),
            dims: (0..N).map(Some).collect(),
        };
        self.value(def, &shape, None)
    }

    /// Adds an operation on each element of one tensor.
    pub(super) fn unary(&mut self, name: &str, a: ValueId, place: Place) -> ValueId {
        self.elementwise(name, &[a], place)
    }

    /// Adds an operation on each element of tensors of the same shape.
    pub(super) fn elementwise(
        &mut self,
        name: &str,
        operands: &[ValueId],
        place: Place,
    ) -> ValueId {
        let shape = self.program.values[operands[0].index()].shape.clone();
        let index: Vec<Expr> = (0..shape.len()).map(point).collect();
        let operands: Vec<_> = operands
            .iter()
            .map(|value| (*value, index.clone()))
            .collect();
        self.statement(name, &operands, &shape, &[], place)
    }

    /// Adds an operation with a result of a shape, and `reduced` dimensions of 16 or, in the first one, of the shape
    /// of the first operand.
    pub(super) fn op<const N: usize>(
        &mut self,
        name: &str,
        operands: &[(ValueId, Vec<Expr>)],
        shape: [i64; N],
        reduced: usize,
        place: Place,
    ) -> ValueId {
        let reduced = vec![Extent::Fixed(ROWS); reduced];
        self.statement(name, operands, &shape.map(Extent::Fixed), &reduced, place)
    }

    fn statement(
        &mut self,
        name: &str,
        operands: &[(ValueId, Vec<Expr>)],
        shape: &[Extent],
        reduced: &[Extent],
        place: Place,
    ) -> ValueId {
        let id = StatementId::new(self.program.statements.len());
        let result = self.value(Def::Result(id), shape, Some(place));
        let space: Vec<Extent> = shape.iter().chain(reduced).copied().collect();
        let access = |(value, index): &(ValueId, Vec<Expr>)| Access {
            value: *value,
            index: index.clone(),
        };
        let statement = Statement {
            key: OpKey {
                name: name.to_owned(),
                attributes: Vec::new(),
                elements: Vec::new(),
            },
            is_move: false,
            loops: self.loops.clone(),
            digits: (0..space.len()).collect(),
            space,
            reduced: reduced.len(),
            operands: operands.iter().map(access).collect(),
            results: vec![Access {
                value: result,
                index: (0..shape.len()).map(point).collect(),
            }],
            split: self.split.take(),
            site: self.program.values[result.index()].site,
        };
        self.program.statements.push(statement);
        let body = self.bodies.last_mut().expect("a body is open");
        body.push(Item::Statement(id));
        result
    }

    /// Begins a loop, and returns the tensors that it carries.
    pub(super) fn begin(&mut self, trips: i64, inits: &[ValueId]) -> (LoopId, Vec<ValueId>) {
        self.begin_to(Extent::Fixed(trips), 1, inits)
    }

    pub(super) fn begin_to(
        &mut self,
        upper: Extent,
        step: i64,
        inits: &[ValueId],
    ) -> (LoopId, Vec<ValueId>) {
        let id = LoopId::new(self.program.loops.len());
        let site = self.site();
        self.program.loops.push(Loop {
            parent: self.loops.last().copied(),
            lower: 0,
            upper,
            step,
            carried: Vec::new(),
            body: Vec::new(),
            site,
        });
        self.loops.push(id);
        self.bodies.push(Vec::new());
        self.inits.push(inits.to_vec());
        let arguments = inits.iter().enumerate().map(|(at, init)| {
            let shape = self.program.values[init.index()].shape.clone();
            self.value(Def::Carried(id, at), &shape, None)
        });
        let arguments = arguments.collect();
        (id, arguments)
    }

    /// Ends a loop, and returns the tensors after it.
    pub(super) fn end(&mut self, yielded: &[ValueId]) -> Vec<ValueId> {
        let id = self.loops.pop().expect("a loop is open");
        let body = self.bodies.pop().expect("the body of the loop");
        let inits = self.inits.pop().expect("the initial values of the loop");
        let carried = (0..self.program.values.len()).map(ValueId::new);
        let arguments: Vec<ValueId> = carried
            .filter(|value| matches!(self.program.values[value.index()].def, Def::Carried(of, _) if of == id))
            .collect();
        let mut results = Vec::new();
        for (at, yielded) in yielded.iter().enumerate() {
            let shape = self.program.values[inits[at].index()].shape.clone();
            let result = self.value(Def::LoopResult(id, at), &shape, None);
            self.program.loops[id.index()].carried.push(Carried {
                init: inits[at],
                argument: arguments[at],
                yielded: *yielded,
                result,
            });
            results.push(result);
        }
        self.program.loops[id.index()].body = body;
        let outer = self.bodies.last_mut().expect("a body is open");
        outer.push(Item::Loop(id));
        results
    }
}

fn point(dim: usize) -> Expr {
    Var::Point(u32::try_from(dim).expect("few dimensions")).into()
}

/// Returns the layout in sticks along the last dimension, the columns of sticks outermost.
fn sticks(rank: usize) -> Layout {
    let stick = rank - 1;
    let mut coords = vec![Coord::floor_div(stick, 64)];
    coords.extend((0..stick).map(Coord::dim));
    coords.push(Coord::modulo(stick, 64));
    Layout::new(rank, coords).expect("the layout is one")
}
