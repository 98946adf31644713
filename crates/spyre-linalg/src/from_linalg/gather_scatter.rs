//! `--spyre-expand-gather-scatter`: writes `tensor.gather` and `tensor.scatter` with structured operations, for which upstream has
//! lowerings.

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::attribute::{DenseElementsAttribute, IntegerAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{AffineExpr, Attribute, Location, Type};
use spyre_analysis::walk;
use spyre_construct::build::{Build, element_of, shape_of};
use spyre_construct::structured;
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpBuilder, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{Arithmetic, CmpFPredicate, CmpIPredicate, arith, func, linalg, tensor};

const NAME: &str = "spyre-expand-gather-scatter";

/// `--spyre-expand-gather-scatter`
pub static EXPAND_GATHER_SCATTER: RustPass = RustPass {
    argument: NAME,
    summary: "Write tensor.gather and tensor.scatter with structured operations",
    description: include_str!("gather_scatter.md"),
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "expanded",
        description: "Gathers and scatters that were expanded",
    }],
    dialects: || {
        vec![
            DialectHandle::arith(),
            DialectHandle::linalg(),
            DialectHandle::tensor(),
        ]
    },
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let kind = |op| match ir::name(op) {
        tensor::GATHER => Some((op, GatherOrScatter::Gather)),
        tensor::SCATTER => Some((op, GatherOrScatter::Scatter)),
        _ => None,
    };
    let blocks = ir::blocks(run.operation());
    let ops: Vec<_> = blocks.flat_map(|block| walk::find(block, kind)).collect();
    if ops.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    for (op, kind) in ops {
        let value = match kind {
            GatherOrScatter::Gather => gather(run.context(), op),
            GatherOrScatter::Scatter => scatter(run.context(), op),
        };
        let value =
            value.map_err(|err| Diagnostic::error(op.location(), format!("{NAME}: {err}")))?;
        let result = ir::result(op, 0).expect("a gather or scatter has a result");
        ir::replace_all_uses(result, value);
        ir::erase(op);
        run.count("expanded", 1);
    }
    Ok(())
}

/// Which of the two an operation is.
#[derive(Clone, Copy)]
enum GatherOrScatter {
    Gather,
    Scatter,
}

fn operand<'p>(op: Op<'p>, number: usize) -> Val<'p> {
    ir::operand(op, number).expect("checked by MLIR")
}

/// Builds the result of a gather, before it.
///
/// # Errors
/// An extent is not known.
fn gather<'p>(context: &'p Context, op: Op<'p>) -> Result<Val<'p>, String> {
    let result = ir::result(op, 0).expect("a gather has a result");
    let shape = shape_of(result)?;
    let tensors = (operand(op, 0), operand(op, 1));
    let slices = Slices::of(context, op, tensors, "gather_dims")?;
    if shape.contains(&0) {
        return Ok(slices.empty(&shape, element_of(result)));
    }
    Ok(slices.build.reshape_fixed(slices.read(), &shape))
}

/// Builds the result of a scatter, before it.
///
/// # Errors
/// An extent is not known.
fn scatter<'p>(context: &'p Context, op: Op<'p>) -> Result<Val<'p>, String> {
    let [source, dest, indices] = [0, 1, 2].map(|number| operand(op, number));
    let slices = Slices::of(context, op, (dest, indices), "scatter_dims")?;
    if slices.count == 0 || slices.shape.contains(&0) {
        return Ok(dest);
    }
    shape_of(source)?;
    let source = slices.build.reshape_fixed(source, &slices.extents());
    let [hit, at] = slices.search(slices.hits());
    Ok(slices.written(source, hit, at))
}

/// Slices of a tensor: row `k` of the indices is the position of slice `k`.
struct Slices<'p> {
    context: &'p Context,
    /// Builds before the operation.
    build: Build<'p>,
    whole: Val<'p>,
    /// `k`, and a coordinate for each indexed dimension, as `i32`.
    indices: Val<'p>,
    /// The indexed dimensions of the tensor, in the order of their coordinates.
    dims: Vec<usize>,
    /// The extents of the tensor, in elements.
    shape: Vec<i64>,
    /// The number of slices.
    count: i64,
}

impl<'p> Slices<'p> {
    /// Reads the tensors of a gather or scatter, and merges the dimensions that count the slices.
    ///
    /// # Errors
    /// An extent is not known.
    fn of(
        context: &'p Context,
        op: Op<'p>,
        (whole, indices): (Val<'p>, Val<'p>),
        dims: &str,
    ) -> Result<Self, String> {
        let build = Build::new(context, op);
        let shape = shape_of(whole)?;
        let rows = shape_of(indices)?;
        let dims = attr::dense_signed_integers(ir::attribute(op, dims));
        let dims = dims.expect("checked by MLIR").into_iter();
        let dims = dims.map(|dim| usize::try_from(dim).expect("checked by MLIR"));
        let (coordinates, rows) = rows.split_last().expect("checked by MLIR");
        let count = rows.iter().product();
        let mut slices = Self {
            context,
            build,
            whole,
            indices,
            dims: dims.collect(),
            shape,
            count,
        };
        if count != 0 {
            let indices = build.reshape_fixed(indices, &[count, *coordinates]);
            slices.indices = slices.narrowed(indices);
        }
        Ok(slices)
    }

    /// Builds the slices, one after the other.
    fn read(&self) -> Val<'p> {
        let extents = self.extents();
        let rank = extents.len();
        let ins: Vec<_> = (0..self.dims.len())
            .map(|coordinate| (self.indices, self.coordinate(rank, 0, coordinate)))
            .collect();
        let element = element_of(self.whole);
        let out = structured::map(self.context, rank, &(0..rank).collect::<Vec<_>>());
        let (op, body) = structured::generic(
            self.context,
            (self.build.before, self.location()),
            (&ins, &[(self.empty(&extents, element), out)]),
            &structured::loops(self.context, rank, 0),
        );
        let index = Type::index(self.context);
        let mut loops = 1..rank;
        let mut operands = Vec::new();
        for dim in 0..self.shape.len() {
            operands.push(match self.dims.iter().position(|chosen| *chosen == dim) {
                Some(coordinate) => {
                    let at = structured::argument(body, coordinate);
                    ir::build_index_cast(At::End(body), self.location(), at, index)
                }
                None => self.position(body, loops.next().expect("a slice has the others")),
            });
        }
        let read = self
            .at(body)
            .op(tensor::extract(self.whole, &operands), element);
        structured::end(body, self.location(), &[read]);
        ir::result(op, 0).expect("it has a result")
    }

    /// Builds whether a slice goes to a position of the indexed dimensions, as 0 and 1, for each position and
    /// slice.
    fn hits(&self) -> Val<'p> {
        let chosen = self.dims.len();
        let ins: Vec<_> = (0..chosen)
            .map(|coordinate| {
                let map = self.coordinate(chosen + 1, chosen, coordinate);
                (self.indices, map)
            })
            .collect();
        let all: Vec<usize> = (0..=chosen).collect();
        let mut shape = self.positions();
        shape.push(self.count);
        let empty = self.empty(&shape, self.f16());
        let (op, body) = structured::generic(
            self.context,
            (self.build.before, self.location()),
            (
                &ins,
                &[(empty, structured::map(self.context, chosen + 1, &all))],
            ),
            &structured::loops(self.context, chosen + 1, 0),
        );
        let mut hit: Option<Val<'p>> = None;
        for coordinate in 0..chosen {
            let index = structured::argument(body, coordinate);
            let position = self.position(body, coordinate);
            let position =
                ir::build_index_cast(At::End(body), self.location(), position, self.i32());
            let equal = self.at(body).cmpi(CmpIPredicate::Eq, index, position);
            hit = Some(hit.map_or(equal, |hit| self.at(body).same(arith::andi(hit, equal))));
        }
        let hit = hit.expect("an index chooses at least one dimension");
        let hit = self.at(body).op(arith::uitofp(hit), self.f16());
        structured::end(body, self.location(), &[hit]);
        ir::results(op).next().expect("it has a result")
    }

    /// Builds the largest of the hits at each position, and the first slice that has it.
    fn search(&self, hits: Val<'p>) -> [Val<'p>; 2] {
        let chosen = self.dims.len();
        let all: Vec<usize> = (0..=chosen).collect();
        let map = |places| structured::map(self.context, chosen + 1, places);
        let positions = self.positions();
        let best = self.filled(&positions, self.f16(), f64::NEG_INFINITY);
        let first = self.filled(&positions, self.i32(), 0.0);
        let out = map(&all[..chosen]);
        let (op, body) = structured::generic(
            self.context,
            (self.build.before, self.location()),
            (&[(hits, map(&all))], &[(best, out), (first, out)]),
            &structured::loops(self.context, chosen, 1),
        );
        let [hit, best, at] = [0, 1, 2].map(|number| structured::argument(body, number));
        let slice = self.position(body, chosen);
        let slice = ir::build_index_cast(At::End(body), self.location(), slice, self.i32());
        let is_better = self.at(body).cmpf(CmpFPredicate::Ogt, hit, best);
        let best = self.at(body).select(is_better, hit, best);
        let at = self.at(body).select(is_better, slice, at);
        structured::end(body, self.location(), &[best, at]);
        let mut results = ir::results(op);
        let mut result = || results.next().expect("it has two results");
        [result(), result()]
    }

    /// Builds the elements of the slice that goes to each position, and of the tensor where none does.
    fn written(&self, source: Val<'p>, hit: Val<'p>, at: Val<'p>) -> Val<'p> {
        let rank = self.shape.len();
        let element = element_of(self.whole);
        let all: Vec<usize> = (0..rank).collect();
        let map = |places| structured::map(self.context, rank, places);
        let (chosen, all) = (map(&self.dims), map(&all));
        let empty = self.empty(&self.shape, element);
        let (op, body) = structured::generic(
            self.context,
            (self.build.before, self.location()),
            (
                &[(hit, chosen), (at, chosen), (self.whole, all)],
                &[(empty, all)],
            ),
            &structured::loops(self.context, rank, 0),
        );
        let [hit, at, kept] = [0, 1, 2].map(|number| structured::argument(body, number));
        let index = Type::index(self.context);
        let at = ir::build_index_cast(At::End(body), self.location(), at, index);
        let mut coordinates = vec![at];
        let others = (0..rank).filter(|dim| !self.dims.contains(dim));
        coordinates.extend(others.map(|dim| self.position(body, dim)));
        let moved = self
            .at(body)
            .op(tensor::extract(source, &coordinates), element);
        let zero = self.at(body).float(0.0, self.f16());
        let is_found = self.at(body).cmpf(CmpFPredicate::Ogt, hit, zero);
        let value = self.at(body).select(is_found, moved, kept);
        structured::end(body, self.location(), &[value]);
        ir::results(op).next().expect("it has a result")
    }

    /// Returns the extents of all slices: their number, and the extents of one.
    fn extents(&self) -> Vec<i64> {
        let others = self.shape.iter().enumerate();
        let others = others.filter(|(dim, _)| !self.dims.contains(dim));
        let others = others.map(|(_, extent)| *extent);
        std::iter::once(self.count).chain(others).collect()
    }

    /// Returns the extents of the indexed dimensions.
    fn positions(&self) -> Vec<i64> {
        self.dims.iter().map(|dim| self.shape[*dim]).collect()
    }

    /// Builds the position of a loop.
    fn position(&self, body: Blk<'p>, loop_id: usize) -> Val<'p> {
        let dim = i64::try_from(loop_id).expect("a rank is a small number");
        let dim = IntegerAttribute::new(IntegerType::new(self.context, 64).into(), dim);
        let index = Type::index(self.context);
        self.at(body).op(linalg::index(dim.into()), index)
    }

    /// Returns the map to a coordinate of row `k` of the indices.
    fn coordinate(&self, loops: usize, k: usize, coordinate: usize) -> Attribute<'p> {
        let place = i64::try_from(coordinate).expect("a rank is a small number");
        let results = [
            AffineExpr::dim(self.context, k),
            AffineExpr::constant(self.context, place),
        ];
        structured::map_of(self.context, loops, &results)
    }

    /// Builds the indices as `i32`, which is how the card has them.
    fn narrowed(&self, indices: Val<'p>) -> Val<'p> {
        let from = element_of(indices);
        let cast = match IntegerType::try_from(from).map(|ty| ty.width()) {
            Ok(32) => return indices,
            Ok(..32) => arith::extsi,
            Ok(_) => arith::trunci,
            Err(_) => arith::index_cast,
        };
        let shape = shape_of(indices).expect("indices have known extents");
        let map = structured::map(self.context, 2, &[0, 1]);
        let (op, body) = structured::generic(
            self.context,
            (self.build.before, self.location()),
            (&[(indices, map)], &[(self.empty(&shape, self.i32()), map)]),
            &structured::loops(self.context, 2, 0),
        );
        let index = structured::argument(body, 0);
        let index = self.at(body).op(cast(index), self.i32());
        structured::end(body, self.location(), &[index]);
        ir::result(op, 0).expect("it has a result")
    }

    /// Returns the builder at the end of a body.
    fn at(&self, body: Blk<'p>) -> OpBuilder<'p> {
        OpBuilder::at_end(self.context, body, self.location())
    }

    /// Builds an uninitialized tensor.
    fn empty(&self, shape: &[i64], element: Type<'p>) -> Val<'p> {
        let ty = self.build.tensor(shape, element);
        self.build.emit(tensor::empty(&[]), ty)
    }

    /// Builds a tensor of one value.
    fn filled(&self, shape: &[i64], element: Type<'p>, value: f64) -> Val<'p> {
        let ty = self.build.tensor(shape, element);
        let value = self.build.number(value, element);
        let value = DenseElementsAttribute::new(ty, &[value]).expect("a value of the element type");
        self.build.emit(arith::constant(value.into()), ty)
    }

    fn location(&self) -> Location<'p> {
        self.build.before.location()
    }

    /// Returns the element type of the comparisons that are searched. Recorded bundles search tensors of `f16`.
    fn f16(&self) -> Type<'p> {
        Type::float16(self.context)
    }

    /// Returns the type of indices in device memory.
    fn i32(&self) -> Type<'p> {
        IntegerType::new(self.context, 32).into()
    }
}
