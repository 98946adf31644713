//! `--convert-spyre-to-linalg`: turns device operations into upstream operations that a CPU can run.
//!
//! * `plain` removes the layouts of all types.
//! * `scalar` builds the computation of one element.
//! * `operation` lowers an operation by its meaning.
//! * `structured` builds the loops around it, as `linalg.generic`; `topk` the loops that search, `gather` the loops
//!   that read a table by indices.
//! * [`loop_order`] and [`kernels`] order loops and outline them for LLVM.
//! * [`pipeline`] takes the result down to LLVM; [`math`] lowers the operations of `math` that no upstream pass lowers there.

mod gather;
pub mod kernels;
pub mod loop_order;
pub mod math;
mod operation;
pub mod pipeline;
mod plain;
mod scalar;
pub mod shared_results;
mod structured;
mod topk;

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::attribute::DenseElementsAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationRefMut};
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{Attribute, ShapedTypeLike, Type, ValueLike};
use spyre_analysis::view::is_permute;
use spyre_dialects::attr;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_ods::{builtin, spyre};
use spyre_ops::Decomposed;
use structured::Builder;

/// `--convert-spyre-to-linalg`
pub static CONVERT_SPYRE_TO_LINALG: RustPass = RustPass {
    argument: "convert-spyre-to-linalg",
    summary: "Lower device operations to linalg on plain tensors, to run them on a CPU",
    description: DESCRIPTION,
    anchor: builtin::MODULE,
    options: &[PassOption {
        name: "poison",
        description: "fill every `spyre.empty` with NaN (integers: with bytes 0xA5), so that an uninitialised \
                      element shows in the result",
        kind: OptionKind::Bool(false),
    }],
    statistics: &[
        PassStatistic {
            name: "operations",
            description: "Device operations that were lowered",
        },
        PassStatistic {
            name: "types",
            description: "Values that lost their layout",
        },
    ],
    // `linalg` brings `arith`, `math` and `tensor`.
    dialects: || {
        vec![
            DialectHandle::linalg(),
            DialectHandle::tensor(),
            DialectHandle::arith(),
            DialectHandle::scf(),
        ]
    },
    run,
};

const DESCRIPTION: &str = r#"
Lowers every device operation to its semantics on values: one `linalg.generic`
with the indexing maps of the operation and a body of `arith` and `math`
operations. It takes programs before and after tiling, with and without a plan.
Layouts, places, splits and hints determine the place and time of a computation
and not its result, so they are dropped: types lose their `#spyre.layout`, in
signatures and loops as well. `scf.for`, `tensor.extract_slice`,
`tensor.insert_slice` and `affine.apply` and reshapes stay as they are, and
`spyre.permute` becomes a `linalg.generic` too.

16-bit floats are widened to `f32`, the operation is computed in `f32` and its
result is rounded once. `docs/Execution.md` has the definition of every
operation.

Before:

```mlir
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#row = #spyre.layout<(d0) -> (d0 floordiv 64, d0 mod 64)>
func.func @f(%a: tensor<8x256xf16, #stick>, %b: tensor<256xf16, #row>) -> tensor<8x256xf16, #stick> {
  %y = spyre.add %a, %b : (tensor<8x256xf16, #stick>, tensor<256xf16, #row>) -> tensor<8x256xf16, #stick>
  return %y : tensor<8x256xf16, #stick>
}
```

After:

```mlir
func.func @f(%a: tensor<8x256xf16>, %b: tensor<256xf16>) -> tensor<8x256xf16> {
  %0 = tensor.empty() : tensor<8x256xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>,
                                        affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<8x256xf16>, tensor<256xf16>) outs(%0 : tensor<8x256xf16>) {
  ^bb0(%in: f16, %in_0: f16, %out: f16):
    %1 = arith.extf %in : f16 to f32
    %2 = arith.extf %in_0 : f16 to f32
    %3 = arith.addf %1, %2 : f32
    %4 = arith.truncf %3 : f32 to f16
    linalg.yield %4 : f16
  } -> tensor<8x256xf16>
  return %y : tensor<8x256xf16>
}
```

`spyre.empty` becomes `tensor.empty`, with undefined contents. With `poison` it
becomes NaN everywhere: a tile that a transformation forgot is then not taken
for zeros.

`topkvalue` and `topkindex` give every element an integer that orders it, with its
position, and take the largest integer below the one before, `k` times.

An operation without an OpFunc, such as `spyre.sin`, becomes the operation of `math`
that computes it.

`gather` reads its indices in order and extracts the elements of the table one by one,
NaN for an index that the table has no element for.

Refused: operations without a definition on values (the operations on 8-bit floats), dynamic extents, and bundles.
"#;

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let mut ops = Vec::new();
    collect(run.operation(), None, &mut ops);
    let context = run.context();
    for entry in &ops {
        run.count("types", plain::strip(context, entry)?);
    }
    let poison = run.flag("poison");
    let mut failed = false;
    for entry in ops {
        // The other operations of the module may have errors as well.
        match lower(context, entry.op, poison) {
            Ok(lowered) => run.count("operations", lowered.into()),
            Err(error) => {
                error.emit();
                failed = true;
            }
        }
    }
    if failed { Err(Failed) } else { Ok(()) }
}

/// An operation of the module.
struct Found<'p> {
    op: Op<'p>,
    /// The same operation as a mutable reference, to change its attributes. The reference to the module is found from an
    /// operation in it, so it is `None` for an empty module.
    editable: Option<OperationRefMut<'p, 'p>>,
}

/// Collects an operation and all operations inside it, in order.
fn collect<'p>(
    op: Op<'p>,
    editable: Option<OperationRefMut<'p, 'p>>,
    entries: &mut Vec<Found<'p>>,
) {
    let child = || ir::body(op)?.first_operation();
    let editable = editable.or_else(|| child()?.parent_operation_mut());
    entries.push(Found { op, editable });
    for block in ir::blocks(op) {
        let mut editable = block.first_operation_mut();
        for op in ir::operations(block) {
            collect(op, editable, entries);
            editable = editable.and_then(|op| op.next_in_block_mut());
        }
    }
}

/// Lowers an operation of the dialect and leaves any other. Returns whether it was a device operation.
fn lower<'p>(context: &'p Context, op: Op<'p>, poison: bool) -> Result<bool, Diagnostic<'p>> {
    let name = ir::name(op);
    if !name.starts_with("spyre.") && !name.starts_with("sdscbundle.") {
        return Ok(false);
    }
    let error = |message: String| {
        Diagnostic::error(op.location(), format!("convert-spyre-to-linalg: {message}"))
    };
    let device = DeviceOp::cast(op);
    let value = if let Some(device) = device {
        Some(operation::lower(context, device).map_err(error)?)
    } else if EmptyOp::cast(op).is_some() {
        Some(empty(context, op, poison).map_err(error)?)
    } else if name == spyre::FILL {
        Some(fill(context, op).map_err(error)?)
    } else if let Some(row) = decomposed(name) {
        Some(structured::decomposed(context, op, row).map_err(error)?)
    } else if is_permute(op) {
        Some(structured::permute(context, op).map_err(error)?)
    } else {
        None
    };
    let Some(value) = value else {
        return Err(error(format!("'{name}' has no meaning on plain tensors")));
    };
    let result = op.result(0).map_err(|err| error(err.to_string()))?;
    ir::replace_all_uses(result.into(), value);
    ir::erase(op);
    Ok(device.is_some() || decomposed(name).is_some())
}

/// Returns the row of an operation that has no OpFunc.
fn decomposed(name: &str) -> Option<&'static Decomposed> {
    Decomposed::of_mnemonic(name.strip_prefix("spyre.")?)
}

fn empty<'p>(context: &'p Context, op: Op<'p>, poison: bool) -> Result<Val<'p>, String> {
    let result = op.result(0).map_err(|err| err.to_string())?;
    let builder = Builder::before(context, op)?;
    if poison {
        builder.poison(result.r#type())
    } else {
        Ok(builder.empty(result.r#type()))
    }
}

fn fill<'p>(context: &'p Context, op: Op<'p>) -> Result<Val<'p>, String> {
    let result = op.result(0).map_err(|err| err.to_string())?;
    let value = op.attribute("value").map_err(|err| err.to_string())?;
    let builder = Builder::before(context, op)?;
    if elements(result.r#type())? <= CONSTANT_ELEMENTS {
        return Ok(builder.constant(retyped(value, result.r#type())?, result.r#type()));
    }
    let element = attr::splat(value).ok_or_else(|| format!("{value} is not a splat"))?;
    Ok(builder.splat(element, result.r#type()))
}

/// The largest number of elements of a constant in a program. LLVM writes out each one; a larger tensor is filled while the
/// program runs.
const CONSTANT_ELEMENTS: u64 = 1 << 20;

/// Returns the number of elements of a tensor of static extents; `u64::MAX` if the number does not fit.
fn elements(ty: Type<'_>) -> Result<u64, String> {
    let tensor = RankedTensorType::try_from(ty).map_err(|err| err.to_string())?;
    let mut elements = 1_u64;
    for dim in 0..tensor.rank() {
        match tensor.dim_size(dim).map_err(|err| err.to_string())? {
            DimSize::Static(extent) => elements = elements.saturating_mul(extent),
            DimSize::Dynamic => return Err(format!("{ty} has a dynamic extent")),
        }
    }
    Ok(elements)
}

/// Returns the same elements as a constant of another type, of the same shape and without a layout.
fn retyped<'p>(value: Attribute<'p>, ty: Type<'p>) -> Result<Attribute<'p>, String> {
    let dense = DenseElementsAttribute::try_from(value)
        .map_err(|_| format!("{value} is not a dense constant"))?;
    Ok(dense.reshape(ty).into())
}
