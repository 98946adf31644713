//! Builds programs in the order of their text.

use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{
    Access, Carried, Def, Extent, Item, Loop, LoopId, OpKey, Program, Site, Statement, StatementId,
    Value, ValueId,
};

/// A program that grows at its end.
#[derive(Debug, Default)]
pub struct Builder {
    program: Program,
    open: Vec<LoopId>,
    arguments: u32,
    sites: usize,
    width: i64,
}

/// The operands of a statement: tensors, and the element of each point.
pub type Operands = Vec<(ValueId, Vec<Expr>)>;

impl Builder {
    /// Starts a program whose elements have `width` bytes.
    #[must_use]
    pub fn new(width: i64) -> Self {
        Self {
            width,
            ..Self::default()
        }
    }

    fn site(&mut self) -> Site {
        self.sites += 1;
        Site::new(self.sites - 1)
    }

    fn value(&mut self, def: Def, shape: &[i64]) -> ValueId {
        let site = self.site();
        let value = Value {
            def,
            loops: self.open.clone(),
            shape: shape.iter().copied().map(Extent::Fixed).collect(),
            element: "f16".to_owned(),
            width: self.width,
            layout: None,
            place: None,
            site,
        };
        self.program.values.push(value);
        ValueId::new(self.program.values.len() - 1)
    }

    /// Returns the extents of a tensor.
    ///
    /// # Panics
    /// An extent is dynamic, which a builder does not make.
    #[must_use]
    pub fn shape(&self, value: ValueId) -> Vec<i64> {
        let extents = self.program.value(value).shape.iter();
        let fixed = extents.map(|extent| match extent {
            Extent::Fixed(extent) => *extent,
            Extent::Dynamic(_) => unreachable!("a builder makes no dynamic extents"),
        });
        fixed.collect()
    }

    /// Returns the definition of a tensor.
    #[must_use]
    pub fn def(&self, value: ValueId) -> &Def {
        &self.program.value(value).def
    }

    /// Returns the loops that are open, outermost first.
    #[must_use]
    pub fn open(&self) -> &[LoopId] {
        &self.open
    }

    /// Adds an argument.
    pub fn argument(&mut self, shape: &[i64]) -> ValueId {
        self.arguments += 1;
        self.value(Def::Argument(self.arguments - 1), shape)
    }

    /// Adds a constant.
    pub fn constant(&mut self, name: &str, shape: &[i64]) -> ValueId {
        self.value(Def::Constant(name.to_owned()), shape)
    }

    /// Adds a tensor that nothing has written.
    pub fn empty(&mut self, shape: &[i64]) -> ValueId {
        self.value(Def::Empty, shape)
    }

    /// Adds a window.
    pub fn slice(
        &mut self,
        source: ValueId,
        offsets: Vec<Expr>,
        dims: Vec<Option<usize>>,
        shape: &[i64],
    ) -> ValueId {
        let def = Def::Slice {
            source,
            offsets,
            dims,
        };
        self.value(def, shape)
    }

    /// Adds the tensor with a window replaced by a tile of the same rank.
    pub fn insert(&mut self, tile: ValueId, into: ValueId, offsets: Vec<Expr>) -> ValueId {
        let shape = self.shape(into);
        let def = Def::Insert {
            tile,
            into,
            offsets,
            dims: (0..shape.len()).map(Some).collect(),
        };
        self.value(def, &shape)
    }

    /// Adds a view.
    pub fn view(&mut self, source: ValueId, index: Vec<Expr>, shape: &[i64]) -> ValueId {
        self.value(Def::View { source, index }, shape)
    }

    /// Adds an operation whose result has the extents of the dimensions that are not reduced.
    pub fn statement(
        &mut self,
        key: OpKey,
        space: &[i64],
        reduced: usize,
        operands: Operands,
    ) -> ValueId {
        let id = StatementId::new(self.program.statements.len());
        let kept = space.len() - reduced;
        let result = self.value(Def::Result(id), &space[..kept]);
        let access = |(value, index)| Access { value, index };
        let site = self.program.value(result).site;
        let is_product = key.name == "batchmatmul";
        let mut digits: Vec<_> = (0..space.len()).collect();
        if is_product {
            // The reduced dimension of a product is the fastest.
            digits.rotate_right(reduced);
        }
        self.program.statements.push(Statement {
            is_move: key.name == "copy",
            key,
            loops: self.open.clone(),
            space: space.iter().copied().map(Extent::Fixed).collect(),
            reduced,
            operands: operands.into_iter().map(access).collect(),
            results: vec![access((result, points(kept)))],
            split: None,
            digits,
            site,
        });
        self.item(Item::Statement(id));
        result
    }

    /// Adds a copy.
    pub fn copy(&mut self, value: ValueId) -> ValueId {
        let shape = self.shape(value);
        let operands = vec![(value, points(shape.len()))];
        self.statement(key("copy", 1), &shape, 0, operands)
    }

    fn item(&mut self, item: Item) {
        match self.open.last() {
            Some(id) => self.program.loops[id.index()].body.push(item),
            None => self.program.body.push(item),
        }
    }

    /// Opens a loop that carries tensors, and returns it and the tensors in its body.
    pub fn open_loop(
        &mut self,
        (lower, upper, step): (i64, i64, i64),
        inits: &[ValueId],
    ) -> (LoopId, Vec<ValueId>) {
        let id = LoopId::new(self.program.loops.len());
        let site = self.site();
        self.program.loops.push(Loop {
            parent: self.open.last().copied(),
            lower,
            upper: Extent::Fixed(upper),
            step,
            carried: Vec::new(),
            body: Vec::new(),
            site,
        });
        self.item(Item::Loop(id));
        self.open.push(id);
        let mut arguments = Vec::new();
        for (at, init) in inits.iter().enumerate() {
            let shape = self.shape(*init);
            let argument = self.value(Def::Carried(id, at), &shape);
            // Yield and result follow when the loop is closed.
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

    /// Closes the innermost loop, and returns the tensors after it.
    ///
    /// # Panics
    /// No loop is open.
    pub fn close_loop(&mut self, yielded: &[ValueId]) -> Vec<ValueId> {
        let id = self.open.pop().expect("a loop is open");
        let mut results = Vec::new();
        for (at, value) in yielded.iter().enumerate() {
            let shape = self.shape(*value);
            let result = self.value(Def::LoopResult(id, at), &shape);
            let carried = &mut self.program.loops[id.index()].carried[at];
            (carried.yielded, carried.result) = (*value, result);
            results.push(result);
        }
        results
    }

    /// Returns the program with its results.
    ///
    /// # Panics
    /// A loop is open.
    #[must_use]
    pub fn finish(mut self, results: Vec<ValueId>) -> Program {
        assert!(self.open.is_empty(), "a loop is open");
        self.program.results = results;
        self.program
    }
}

/// Returns the position along a dimension of the iteration space.
///
/// # Panics
/// There are 2^32 dimensions.
#[must_use]
pub fn point(dim: usize) -> Expr {
    Var::Point(u32::try_from(dim).expect("few dimensions")).into()
}

/// Returns the position along a dimension of a tensor.
///
/// # Panics
/// There are 2^32 dimensions.
#[must_use]
pub fn element(dim: usize) -> Expr {
    Var::Element(u32::try_from(dim).expect("few dimensions")).into()
}

/// Returns the element of each point where dimensions are those of the iteration space.
#[must_use]
pub fn points(rank: usize) -> Vec<Expr> {
    (0..rank).map(point).collect()
}

/// Returns what an operation computes, by its name and the number of its operands.
#[must_use]
pub fn key(name: &str, operands: usize) -> OpKey {
    OpKey {
        name: name.to_owned(),
        attributes: Vec::new(),
        elements: vec!["f16".to_owned(); operands + 1],
    }
}
