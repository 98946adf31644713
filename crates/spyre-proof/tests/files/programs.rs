//! Programs that are made by hand.

use spyre_layout::{Coord, Layout};
use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{
    Access, Carried, Def, Extent, Item, Loop, LoopId, OpKey, Param, ParamId, Place, Program, Site,
    Statement, StatementId, Value, ValueId,
};

/// A row-major matrix with the columns on the stick.
pub(crate) fn matrix() -> Layout {
    Layout::new(
        2,
        vec![Coord::floor_div(1, 64), Coord::dim(0), Coord::modulo(1, 64)],
    )
    .expect("a layout")
}

pub(crate) fn counter(at: usize) -> Expr {
    Var::Counter(LoopId::new(at)).into()
}

/// A program of matrices.
#[derive(Default)]
pub(crate) struct Builder {
    pub program: Program,
}

impl Builder {
    pub(crate) fn value(
        &mut self,
        def: Def,
        shape: &[i64],
        layout: Layout,
        place: Option<Place>,
    ) -> ValueId {
        let id = ValueId::new(self.program.values.len());
        self.program.values.push(Value {
            def,
            loops: Vec::new(),
            shape: shape.iter().copied().map(Extent::Fixed).collect(),
            element: "f16".to_owned(),
            width: 2,
            layout: Some(layout),
            place,
            site: Site::new(0),
        });
        id
    }

    pub(crate) fn argument(&mut self, number: u32, shape: &[i64], layout: Layout) -> ValueId {
        self.value(
            Def::Argument(number),
            shape,
            layout,
            Some(Place::Argument(number)),
        )
    }

    fn slice(&mut self, source: ValueId, offsets: &[Expr], shape: &[i64]) -> ValueId {
        let dims = (0..offsets.len()).map(Some).collect();
        let def = Def::Slice {
            source,
            offsets: offsets.to_vec(),
            dims,
        };
        self.value(def, shape, matrix(), None)
    }

    pub(crate) fn insert(
        &mut self,
        tile: ValueId,
        into: ValueId,
        offsets: &[Expr],
        shape: &[i64],
    ) -> ValueId {
        let dims = (0..offsets.len()).map(Some).collect();
        let def = Def::Insert {
            tile,
            into,
            offsets: offsets.to_vec(),
            dims,
        };
        self.value(def, shape, matrix(), None)
    }

    /// Adds an operation whose operands have the dimensions of the result, or one element along them.
    pub(crate) fn pointwise(
        &mut self,
        name: &str,
        operands: &[ValueId],
        (shape, layout): (&[i64], Layout),
        split: &[i64],
        place: Place,
    ) -> ValueId {
        let id = StatementId::new(self.program.statements.len());
        let result = self.value(Def::Result(id), shape, layout, Some(place));
        let access = |program: &Program, value: ValueId| Access {
            value,
            index: program
                .value(value)
                .shape
                .iter()
                .zip(shape)
                .zip(0..)
                .map(
                    |((extent, whole), at)| match *extent == Extent::Fixed(1) && *whole > 1 {
                        true => Expr::zero(),
                        false => Var::Point(at).into(),
                    },
                )
                .collect(),
        };
        let statement = Statement {
            key: OpKey {
                name: name.to_owned(),
                attributes: Vec::new(),
                elements: Vec::new(),
            },
            is_move: false,
            loops: Vec::new(),
            space: shape.iter().copied().map(Extent::Fixed).collect(),
            reduced: 0,
            operands: operands
                .iter()
                .map(|operand| access(&self.program, *operand))
                .collect(),
            results: vec![access(&self.program, result)],
            split: Some(split.to_vec()),
            digits: (0..shape.len()).collect(),
            site: Site::new(1 + id.index()),
        };
        self.program.statements.push(statement);
        result
    }

    /// Makes all statements the body of nested loops, each of which carries `init` and what the one inside makes of it.
    fn nest(
        mut self,
        uppers: &[(Extent, i64)],
        init: ValueId,
        arguments: &[ValueId],
        yielded: ValueId,
        shape: &[i64],
    ) -> Program {
        let loops: Vec<LoopId> = (0..uppers.len()).map(LoopId::new).collect();
        for statement in &mut self.program.statements {
            statement.loops.clone_from(&loops);
        }
        let results: Vec<ValueId> = loops
            .iter()
            .map(|id| self.value(Def::LoopResult(*id, 0), shape, matrix(), None))
            .collect();
        for (at, (upper, step)) in uppers.iter().enumerate() {
            let carried = Carried {
                init: if at == 0 { init } else { arguments[at - 1] },
                argument: arguments[at],
                yielded: results.get(at + 1).copied().unwrap_or(yielded),
                result: results[at],
            };
            let statements =
                (0..self.program.statements.len()).map(|at| Item::Statement(StatementId::new(at)));
            self.program.loops.push(Loop {
                parent: at.checked_sub(1).map(LoopId::new),
                lower: 0,
                upper: *upper,
                step: *step,
                carried: vec![carried],
                body: match loops.get(at + 1) {
                    Some(inner) => vec![Item::Loop(*inner)],
                    None => statements.collect(),
                },
                site: Site::new(100 + at),
            });
        }
        self.program.body = vec![Item::Loop(loops[0])];
        self.program.results = vec![results[0]];
        self.program
    }
}

/// `y = a + b; z = y * c`, in two loops over tiles, with `y` in scratchpads.
pub(crate) fn add_mul(
    rows: i64,
    columns: i64,
    row_tiles: i64,
    column_tiles: i64,
    cores: i64,
) -> Program {
    let whole = [rows, columns];
    let tile = [rows / row_tiles, columns / column_tiles];
    let offsets = [counter(0).times(tile[0]), counter(1).times(tile[1])];
    let mut builder = Builder::default();
    let arguments = [0, 1, 2].map(|number| builder.argument(number, &whole, matrix()));
    let init = builder.value(Def::Empty, &whole, matrix(), Some(Place::Argument(3)));
    let carried =
        [0, 1].map(|at| builder.value(Def::Carried(LoopId::new(at), 0), &whole, matrix(), None));
    let [a, b, c] = arguments.map(|argument| builder.slice(argument, &offsets, &tile));
    let y = builder.pointwise(
        "add",
        &[a, b],
        (&tile, matrix()),
        &[cores, 1],
        Place::Scratchpad(256),
    );
    let z = builder.pointwise(
        "mul",
        &[y, c],
        (&tile, matrix()),
        &[cores, 1],
        Place::Window,
    );
    let inserted = builder.insert(z, carried[1], &offsets, &whole);
    let uppers = [
        (Extent::Fixed(row_tiles), 1),
        (Extent::Fixed(column_tiles), 1),
    ];
    builder.nest(&uppers, init, &carried, inserted, &whole)
}

/// `neg` of 64 rows at a time of a matrix with up to 512 rows.
pub(crate) fn rows_of_runtime_size() -> Program {
    let (whole, tile) = ([512, 128], [64, 128]);
    let offsets = [counter(0).times(64), Expr::zero()];
    let mut builder = Builder::default();
    builder.program.params.push(Param {
        name: "S".to_owned(),
        granularity: 64,
        maximum: 512,
    });
    let argument = builder.argument(0, &whole, matrix());
    let init = builder.value(Def::Empty, &whole, matrix(), Some(Place::Argument(1)));
    let carried = builder.value(Def::Carried(LoopId::new(0), 0), &whole, matrix(), None);
    let a = builder.slice(argument, &offsets, &tile);
    let z = builder.pointwise("neg", &[a], (&tile, matrix()), &[4, 1], Place::Window);
    let inserted = builder.insert(z, carried, &offsets, &whole);
    let upper = (Extent::Dynamic(ParamId::new(0)), 64);
    builder.nest(&[upper], init, &[carried], inserted, &whole)
}
