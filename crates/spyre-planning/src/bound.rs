//! `--spyre-bound-dynamic-dims`: gives tensors the largest extents that they can have.

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Location, Type};
use spyre_analysis::dynamic::resize::resize;
use spyre_analysis::dynamic::{DynamicDims, SymbolId, dynamic_table};
use spyre_analysis::indexing::Indexing;
use spyre_analysis::walk::check_reachable;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, OpKind, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{OpBuilder, func, spyre, tensor};

const NAME: &str = "spyre-bound-dynamic-dims";

/// `--spyre-bound-dynamic-dims`
pub static BOUND_DYNAMIC_DIMS: RustPass = RustPass {
    argument: NAME,
    summary: "Give tensors of dynamic extent the largest extent that they can have",
    description: r#"
Device memory has room for the largest extent of a dynamic dimension, and addresses
are computed for the largest tensor, independent of the dynamic extent. This pass
makes that explicit: tensors get the extent `max` of `#spyre.dynamic`, and the
dynamic extent is the result of `spyre.dim_size`, which bounds the loops over its tiles
(middle-end specification, section 4.6; SDSC bundle specification, section 2.7).

```mlir
// before
func.func @double(%a: tensor<?x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<?x256xf16>
    attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %s = tensor.dim %a, %c0 : tensor<?x256xf16>
  %init = spyre.empty(%s) : tensor<?x256xf16>
  %z = scf.for %i = %c0 to %s step %c64 iter_args(%acc = %init) -> (tensor<?x256xf16>) {
    %ta = tensor.extract_slice %a[%i, 0] [64, 256] [1, 1] : tensor<?x256xf16> to tensor<64x256xf16>
    %tz = spyre.add %ta, %ta : tensor<64x256xf16>
    %next = tensor.insert_slice %tz into %acc[%i, 0] [64, 256] [1, 1] : tensor<64x256xf16> into tensor<?x256xf16>
    scf.yield %next : tensor<?x256xf16>
  }
  return %z : tensor<?x256xf16>
}
// after
func.func @double(%a: tensor<512x256xf16> {spyre.dims = ["S", "D"]}) -> tensor<512x256xf16>
    attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %s = spyre.dim_size "S"
  %init = spyre.empty : tensor<512x256xf16>
  %z = scf.for %i = %c0 to %s step %c64 iter_args(%acc = %init) -> (tensor<512x256xf16>) {
    %ta = tensor.extract_slice %a[%i, 0] [64, 256] [1, 1] : tensor<512x256xf16> to tensor<64x256xf16>
    %tz = spyre.add %ta, %ta : tensor<64x256xf16>
    %next = tensor.insert_slice %tz into %acc[%i, 0] [64, 256] [1, 1] : tensor<64x256xf16> into tensor<512x256xf16>
    scf.yield %next : tensor<512x256xf16>
  }
  return %z : tensor<512x256xf16>
}
```

Elements beyond the dynamic extent are undefined, in arguments and in results, so
no operation may read them: every device operation has to work on tiles of a static
extent already. `--coarse-tile` makes them from hints by size; it has to come first, and
the passes that choose layouts and places come after. Functions without dynamic
extents stay as they are.

Refused: a device operation with a dynamic extent, outside of loops over its tiles, unless the only extent is `max`;
dynamic extents that `spyre.dim_sizes` does not declare; reshapes that split a dynamic
dimension or merge it with others, `tensor.reshape` among them, which the host has.
"#,
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "dims",
        description: "Dimensions that got their largest extent",
    }],
    dialects: || vec![DialectHandle::tensor(), spyre_dialects::spyre_dialect()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let Some(body) = ir::function_body(function) else {
        run.preserve_analyses();
        return Ok(());
    };
    let dims = DynamicDims::of_function(function, body)?;
    if dims.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    check_reachable(function, NAME, |op| dims.has_any(op.op()))?;
    check_tiled(body, &dims)?;
    let context = run.context();
    resize(
        context,
        function,
        body,
        &dims,
        |symbol| dims.symbol(symbol).extent.max(),
        |at, symbol| Ok(dim_size(context, at, function.location(), &dims, symbol)),
    )?;
    run.count("dims", dims.symbols().len());
    Ok(())
}

/// Checks that device operations have static extents, as operations on tiles do.
fn check_tiled<'p>(block: Blk<'p>, dims: &DynamicDims) -> Result<(), Diagnostic<'p>> {
    for op in ir::operations(block) {
        if ir::kind(op) == OpKind::For
            && let Some(body) = ir::body(op)
        {
            check_tiled(body, dims)?;
        } else if ir::name(op) == tensor::RESHAPE && dims.has_any(op) {
            let message = format!(
                "{NAME}: a reshape to dynamic extents is of a part of the largest tensor, which is not \
                 contiguous in device memory; only the host can reshape it"
            );
            return Err(Diagnostic::error(op.location(), message));
        } else if let Some(device) = DeviceOp::cast(op)
            && dims.has_any(op)
        {
            if let Some(reason) = dynamic_table(device) {
                return Err(Diagnostic::error(
                    op.location(),
                    format!("{NAME}: {reason}"),
                ));
            }
            let indexing = Indexing::dynamic(device, dims);
            let mut dynamic = (0..indexing.space.len())
                .filter_map(|dim| Some((dim, dims.symbol(indexing.symbol(dim)?))))
                .peekable();
            // A dimension with one possible extent has no elements beyond it.
            let has_one_extent = dynamic.peek().is_some();
            let dim = dynamic.find(|(_, symbol)| !symbol.extent.is_single());
            if dim.is_none() && has_one_extent {
                continue;
            }
            let (dim, name, granularity) = dim.map_or((0, "", 1), |(dim, symbol)| {
                (dim, symbol.name.as_str(), symbol.extent.granularity())
            });
            let message = format!(
                "{NAME}: dimension {dim} is \"{name}\", which is dynamic, but no loop cuts it into tiles of a \
                 fixed extent; --coarse-tile does, with a hint such as \"{name}\" by {granularity}"
            );
            return Err(Diagnostic::error(op.location(), message));
        }
    }
    Ok(())
}

/// Builds the operation with the dynamic extent of a dimension as its result.
fn dim_size<'p>(
    context: &'p Context,
    at: At<'p>,
    location: Location<'p>,
    dims: &DynamicDims,
    symbol: SymbolId,
) -> Val<'p> {
    let name: Attribute<'p> = StringAttribute::new(context, &dims.symbol(symbol).name).into();
    let build = OpBuilder {
        context,
        at,
        location,
    };
    build.op(spyre::dim_size(name), Type::index(context))
}
