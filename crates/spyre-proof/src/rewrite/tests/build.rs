//! Programs by hand.

use crate::expr::{Expr, Var};
use crate::program::{
    Access, Carried, Def, Extent, Item, Loop, LoopId, OpKey, Param, ParamId, Program, Site,
    Statement, StatementId, Value, ValueId,
};

/// A program that is being built. Loops are entered and left.
#[derive(Default)]
pub(super) struct Build {
    pub(super) program: Program,
    scope: Vec<LoopId>,
    sites: usize,
    args: u32,
}

/// The induction variable of a loop with lower bound 0.
pub(super) fn iv(id: LoopId, step: i64) -> Expr {
    Expr::from(Var::Counter(id)).times(step)
}

impl Build {
    pub(super) fn site(&mut self) -> Site {
        self.sites += 1;
        Site::new(self.sites)
    }

    pub(super) fn param(&mut self, granularity: i64, maximum: i64) -> Extent {
        self.program.params.push(Param {
            name: "n".to_owned(),
            granularity,
            maximum,
        });
        Extent::Dynamic(ParamId::new(self.program.params.len() - 1))
    }

    fn value(&mut self, def: Def, shape: Vec<Extent>) -> ValueId {
        let site = self.site();
        self.program.values.push(Value {
            def,
            loops: self.scope.clone(),
            shape,
            element: "f16".to_owned(),
            width: 2,
            layout: None,
            place: None,
            site,
        });
        ValueId::new(self.program.values.len() - 1)
    }

    pub(super) fn arg(&mut self, shape: &[i64]) -> ValueId {
        let shape = shape.iter().map(|extent| Extent::Fixed(*extent)).collect();
        self.arg_of(shape)
    }

    pub(super) fn arg_of(&mut self, shape: Vec<Extent>) -> ValueId {
        self.args += 1;
        self.value(Def::Argument(self.args - 1), shape)
    }

    pub(super) fn fill(&mut self, bits: &str, shape: &[i64]) -> ValueId {
        let shape = shape.iter().map(|extent| Extent::Fixed(*extent)).collect();
        self.value(Def::Constant(bits.to_owned()), shape)
    }

    pub(super) fn empty(&mut self, shape: &[i64]) -> ValueId {
        let shape = shape.iter().map(|extent| Extent::Fixed(*extent)).collect();
        self.value(Def::Empty, shape)
    }

    pub(super) fn empty_of(&mut self, shape: Vec<Extent>) -> ValueId {
        self.value(Def::Empty, shape)
    }

    pub(super) fn slice(&mut self, source: ValueId, offsets: &[Expr], sizes: &[i64]) -> ValueId {
        let def = Def::Slice {
            source,
            offsets: offsets.to_vec(),
            dims: (0..sizes.len()).map(Some).collect(),
        };
        self.value(def, sizes.iter().map(|size| Extent::Fixed(*size)).collect())
    }

    pub(super) fn insert(&mut self, tile: ValueId, into: ValueId, offsets: &[Expr]) -> ValueId {
        let def = Def::Insert {
            tile,
            into,
            offsets: offsets.to_vec(),
            dims: (0..offsets.len()).map(Some).collect(),
        };
        let shape = self.program.value(into).shape.clone();
        self.value(def, shape)
    }

    pub(super) fn view(&mut self, source: ValueId, shape: &[i64], index: Vec<Expr>) -> ValueId {
        let shape = shape.iter().map(|extent| Extent::Fixed(*extent)).collect();
        self.value(Def::View { source, index }, shape)
    }

    /// An operation: for each operand the dimension of the space for each dimension of the tensor, -1 for position 0.
    pub(super) fn op(
        &mut self,
        name: &str,
        operands: &[(ValueId, &[i32])],
        space: &[Extent],
        reduced: usize,
        is_move: bool,
    ) -> ValueId {
        let index = |dims: &[i32]| {
            dims.iter()
                .map(|dim| match u32::try_from(*dim) {
                    Ok(dim) => Var::Point(dim).into(),
                    Err(_) => Expr::zero(),
                })
                .collect()
        };
        let id = StatementId::new(self.program.statements.len());
        let kept = space.len() - reduced;
        let value = self.value(Def::Result(id), space[..kept].to_vec());
        let site = self.program.value(value).site;
        let operands = operands.iter().map(|(value, dims)| Access {
            value: *value,
            index: index(dims),
        });
        let dims: Vec<_> = (0..i32::try_from(kept).unwrap()).collect();
        self.program.statements.push(Statement {
            key: OpKey {
                name: name.to_owned(),
                attributes: Vec::new(),
                elements: Vec::new(),
            },
            is_move,
            loops: self.scope.clone(),
            space: space.to_vec(),
            reduced,
            operands: operands.collect(),
            results: vec![Access {
                value,
                index: index(&dims),
            }],
            split: None,
            digits: Vec::new(),
            site,
        });
        self.items().push(Item::Statement(id));
        value
    }

    /// An operation on tensors of one shape.
    pub(super) fn pointwise(&mut self, name: &str, operands: &[ValueId]) -> ValueId {
        let space = self.program.value(operands[0]).shape.clone();
        let dims: Vec<_> = (0..i32::try_from(space.len()).unwrap()).collect();
        let operands: Vec<_> = operands.iter().map(|value| (*value, &dims[..])).collect();
        self.op(name, &operands, &space, 0, false)
    }

    pub(super) fn copy(&mut self, value: ValueId) -> ValueId {
        let space = self.program.value(value).shape.clone();
        let dims: Vec<_> = (0..i32::try_from(space.len()).unwrap()).collect();
        self.op("copy", &[(value, &dims)], &space, 0, true)
    }

    /// The product of `[m, k]` and `[k, n]`.
    pub(super) fn product(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let (a_shape, b_shape) = (&self.program.value(a).shape, &self.program.value(b).shape);
        let space = [a_shape[0], b_shape[1], a_shape[1]];
        self.op(
            "batchmatmul",
            &[(a, &[0, 2]), (b, &[2, 1])],
            &space,
            1,
            false,
        )
    }

    /// A reduction of the last dimension of `[m, k]`.
    pub(super) fn reduce(&mut self, name: &str, a: ValueId) -> ValueId {
        let space = self.program.value(a).shape.clone();
        self.op(name, &[(a, &[0, 1])], &space, 1, false)
    }

    fn items(&mut self) -> &mut Vec<Item> {
        match self.scope.last() {
            Some(id) => &mut self.program.loops[id.index()].body,
            None => &mut self.program.body,
        }
    }

    /// Enters a loop from 0 that carries tensors, and returns it with the tensors in its body.
    pub(super) fn enter(
        &mut self,
        upper: Extent,
        step: i64,
        inits: &[ValueId],
    ) -> (LoopId, Vec<ValueId>) {
        let id = LoopId::new(self.program.loops.len());
        self.items().push(Item::Loop(id));
        let site = self.site();
        self.program.loops.push(Loop {
            parent: self.scope.last().copied(),
            lower: 0,
            upper,
            step,
            carried: Vec::new(),
            body: Vec::new(),
            site,
        });
        self.scope.push(id);
        let mut arguments = Vec::new();
        for (at, init) in inits.iter().enumerate() {
            let shape = self.program.value(*init).shape.clone();
            let argument = self.value(Def::Carried(id, at), shape);
            self.program.loops[id.index()].carried.push(Carried {
                init: *init,
                argument,
                yielded: argument,
                result: argument,
            });
            arguments.push(argument);
        }
        (id, arguments)
    }

    /// Leaves the innermost loop, and returns the tensors after it.
    pub(super) fn leave(&mut self, yielded: &[ValueId]) -> Vec<ValueId> {
        let id = self.scope.pop().expect("in a loop");
        let mut results = Vec::new();
        for (at, value) in yielded.iter().enumerate() {
            let shape = self.program.value(*value).shape.clone();
            let result = self.value(Def::LoopResult(id, at), shape);
            let carried = &mut self.program.loops[id.index()].carried[at];
            carried.yielded = *value;
            carried.result = result;
            results.push(result);
        }
        results
    }

    /// Computes a function of rows in tiles: `tile` gets the offset and returns the tile.
    pub(super) fn in_tiles(
        &mut self,
        shape: [i64; 2],
        step: i64,
        tile: impl FnOnce(&mut Self, Expr) -> ValueId,
    ) -> ValueId {
        let out = self.empty(&shape);
        let (id, carried) = self.enter(Extent::Fixed(shape[0]), step, &[out]);
        let tile = tile(self, iv(id, step));
        let next = self.insert(tile, carried[0], &[iv(id, step), Expr::zero()]);
        self.leave(&[next])[0]
    }

    pub(super) fn give(mut self, results: &[ValueId]) -> Self {
        self.program.results = results.to_vec();
        self
    }
}
