//! `--spyre-propagate-named-dims`: writes the names of all dimensions into the IR.

use std::convert::Infallible;

use melior::ir::ValueLike;
use spyre_analysis::kinds::is_fill;
use spyre_analysis::names::{DimName, Followed, Follower, Visit, Wanted, extent_of, shape};
use spyre_analysis::view;
use spyre_dialects::device_op::EmptyOp;
use spyre_dialects::names::{DIMS, REDUCTION_DIMS};
use spyre_mlir_rt::ir::{self, Op, OpKind};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::func;

/// `--spyre-propagate-named-dims`
pub static PROPAGATE_NAMED_DIMS: RustPass = RustPass {
    argument: "spyre-propagate-named-dims",
    summary: "Find the names of the dimensions of every value, and write them as attributes",
    description: r#"
Carries the names that `spyre.dims` gives the dimensions of arguments through the
operations of a function (middle-end specification, section 3.2) and writes the
results: `spyre.dims` for the result of each operation and `spyre.reduction_dims`
for the dimensions that it reduces. `--coarse-tile` finds dimensions by these
names. It runs the same analysis and does not need this pass; the pass shows the
names, and checks them all.

```mlir
// before
func.func @f(%x: tensor<128x512xf16> {spyre.dims = ["S", #spyre.merged<"H" of 8, "D" of 64>]}) -> tensor<128x8xf16> {
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [128, 8, 64]
    : tensor<128x512xf16> into tensor<128x8x64xf16>
  %s = spyre.max %e dims [2] : (tensor<128x8x64xf16>) -> tensor<128x8xf16>
  return %s : tensor<128x8xf16>
}
// after
%e = tensor.expand_shape ... {spyre.dims = ["S", "H", "D"]}
%s = spyre.max %e dims [2] {spyre.dims = ["S", "H"], spyre.reduction_dims = ["D"]}
```

| operation | names of the result |
|---|---|
| pointwise | for each dimension, the names that any operand has there; a broadcast operand adds none |
| reduction | the names of the remaining dimensions; the others are `spyre.reduction_dims` |
| matrix product | batch and M from the left operand, N from the right one, batch from both; K is reduced |
| `spyre.permute` | the same in another order |
| `tensor.collapse_shape` | `#spyre.merged` of the names, outermost first; an extent of 1 adds none |
| `tensor.expand_shape` | each dimension takes the shortest prefix of the merged names that multiplies to its extent; an extent of 1 takes none |
| `tensor.extract_slice` | the names of the source; of a merged dimension if the part is whole elements of its outermost name |
| `tensor.insert_slice` | the names of the destination, or else of the tile |
| `scf.for` | the names of the initial value, or else of the yielded value |
| `spyre.empty`, `spyre.fill` | the names in `spyre.dims` on the operation |

Where operands of different names meet, a dimension has them all: `[["A", "C"], "B"]`, but
for one that another dimension of the operation has. A dimension without a name is
`_untracked_<extent>`, which any name replaces. `spyre.dims` on an operation declares names
as on an argument, `spyre.reduction_dims` the names of its reduced dimensions, and declared
names take precedence. Of two dimensions of an operation with one name, the shorter one is
a part of the other, and has none.

Two things can be demanded: `spyre.expected_dims` and
`spyre.expected_reduction_dims` of an operation, and `spyre.dims` of a result of the
function. `spyre.dim_sizes = {A = 1024, B = 4096}` on the function declares all
names with their extents; then every other name, and every other extent, is an
error. `T = "S"` there is a further name of `S`: an operation with two dimensions of
its extent names them by both, and either satisfies an expectation of the other.

Refused: names that are not the expected ones, or not the declared ones; a reshape
that splits a name in two, because its parts need separate names. A warning: a
reshape with extents to which no first few of the names multiply; a dimension
without a name next to dimensions with names.
"#,
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "values",
        description: "Values with names for their dimensions",
    }],
    dialects: || vec![spyre_dialects::spyre_dialect()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let Some(body) = ir::function_body(function) else {
        run.preserve_analyses();
        return Ok(());
    };
    let mut walk = Walk {
        followed: Followed::of_function(function),
        ops: Vec::new(),
    };
    let Ok(()) = walk.follow(body);
    let mut names = walk.followed.names;
    names.report(&Wanted::All)?;
    if names.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    let context = run.context();
    for (op, reduced) in walk.ops {
        let result = ir::result(op, 0).expect("what was found makes a tensor");
        let extents = shape(result.r#type()).expect("device operations and views make tensors");
        let dim_names = names.of_value(result);
        run.count("values", usize::from(dim_names.is_some()));
        let dim_names = dim_names.map_or(&[][..], |dim_names| dim_names);
        let dims = names.attribute(context, dim_names, &extents);
        ir::set_discardable_attribute(op, DIMS, dims);
        if let Some((reduced_names, extents)) = reduced {
            let dims = names.attribute(context, &reduced_names, &extents);
            ir::set_discardable_attribute(op, REDUCTION_DIMS, dims);
        }
    }
    Ok(())
}

/// Names and extents of the dimensions that an operation reduces.
type Reduced = (Vec<DimName>, Vec<u64>);

struct Walk<'p> {
    followed: Followed<'p>,
    /// The operations to write names on, with the dimensions that they reduce, if there are any.
    ops: Vec<(Op<'p>, Option<Reduced>)>,
}

impl<'p> Follower<'p> for Walk<'p> {
    type Error = Infallible;

    fn followed(&mut self) -> &mut Followed<'p> {
        &mut self.followed
    }

    fn visit(&mut self, visit: Visit<'p>) -> Result<(), Infallible> {
        match visit {
            Visit::Device(op, indexing, space) => {
                let parallel = indexing.parallel_dims();
                let reduced = (indexing.reduction_dims > 0).then(|| {
                    let extents = indexing.space.iter().skip(parallel);
                    (
                        space.iter().skip(parallel).cloned().collect(),
                        extents.map(|extent| extent_of(*extent)).collect(),
                    )
                });
                self.ops.push((op.op(), reduced));
            }
            Visit::Other(op) => {
                let makes_tensor =
                    matches!(ir::kind(op), OpKind::ExtractSlice | OpKind::InsertSlice)
                        || view::is_view(op)
                        || EmptyOp::cast(op).is_some()
                        || is_fill(op);
                if makes_tensor {
                    self.ops.push((op, None));
                }
            }
            Visit::Into(_) | Visit::OutOf(_) => {}
        }
        Ok(())
    }
}
