//! `--spyre-pad-gathers`: gives each gather as many indices as the format has a form for.

use std::rc::Rc;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Type, ValueLike};
use spyre_analysis::tensor::{TensorType, TensorTypes};
use spyre_analysis::walk::{check_reachable, device_ops};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Offset, Op, Val, Window};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{OpBuilder, func, spyre};

const NAME: &str = "spyre-pad-gathers";

/// `--spyre-pad-gathers`
pub static PAD_GATHERS: RustPass = RustPass {
    argument: NAME,
    summary: "Give gathers whole sticks of indices, or less than one, and more than one index",
    description: r#"
The description of a gather has a dimension for its indices, and its form for a single
index is not documented (SDSC bundle specification, section 4.2). So a `spyre.gather`
by one index, such as the embedding of one token, reads that index twice, and its
users read the first of the two results.

```mlir
// before
%r = spyre.gather %i, %t dim 0 : (tensor<1xi32>, tensor<320x64xf16>) -> tensor<1x64xf16>
// after
%j = spyre.copy %i : (tensor<1xi32>) -> tensor<2xi32>
%s = spyre.gather %j, %t dim 0 : (tensor<2xi32>, tensor<320x64xf16>) -> tensor<2x64xf16>
%r = tensor.extract_slice %s[0, 0] [1, 64] [1, 1] : tensor<2x64xf16> to tensor<1x64xf16>
```

Along the stick of its indices a core has whole sticks of them, or less than one
(contract, K44). A gather by more indices is cut after its last whole stick:

```mlir
// before
%r = spyre.gather %i, %t dim 0 : (tensor<40xi32>, tensor<320x64xf16>) -> tensor<40x64xf16>
// after
%i0 = tensor.extract_slice %i[0] [32] [1] : tensor<40xi32> to tensor<32xi32>
%r0 = spyre.gather %i0, %t dim 0 : (tensor<32xi32>, tensor<320x64xf16>) -> tensor<32x64xf16>
%i1 = tensor.extract_slice %i[32] [8] [1] : tensor<40xi32> to tensor<8xi32>
%r1 = spyre.gather %i1, %t dim 0 : (tensor<8xi32>, tensor<320x64xf16>) -> tensor<8x64xf16>
%e = spyre.empty : tensor<40x64xf16>
%f = tensor.insert_slice %r0 into %e[0, 0] [32, 64] [1, 1] : tensor<32x64xf16> into tensor<40x64xf16>
%r = tensor.insert_slice %r1 into %f[32, 0] [8, 64] [1, 1] : tensor<8x64xf16> into tensor<40x64xf16>
```

Gathers with layouts in the types of their indices or results stay as they are.
"#,
    anchor: func::FUNC,
    options: &[],
    statistics: &[
        PassStatistic {
            name: "gathers",
            description: "Gathers that choose by two indices",
        },
        PassStatistic {
            name: "cut",
            description: "Gathers that are cut after their last whole stick of indices",
        },
    ],
    dialects: || {
        vec![
            spyre_dialects::spyre_dialect(),
            melior::dialect::DialectHandle::tensor(),
        ]
    },
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    check_reachable(run.operation(), NAME, |_| true)?;
    let Some(body) = ir::function_body(run.operation()) else {
        return Ok(());
    };
    let types = TensorTypes::new(run.context());
    let mut changed = false;
    for device in device_ops(body) {
        if device.place().is_none() && cut(run.context(), &types, device)? {
            run.count("cut", 1);
            changed = true;
        }
    }
    // The remainder of a stick may be one index.
    for device in device_ops(body) {
        if device.place().is_none() && pad(run.context(), &types, device)? {
            run.count("gathers", 1);
            changed = true;
        }
    }
    if !changed {
        run.preserve_analyses();
    }
    Ok(())
}

/// A gather whose tensors have static extents and no layouts yet.
struct Gather<'p> {
    op: Op<'p>,
    indices: Val<'p>,
    table: Val<'p>,
    result: Val<'p>,
    of_indices: Rc<TensorType<'p>>,
    of_result: Rc<TensorType<'p>>,
    /// The dimension of the table that is gathered, in which the indices are in the result.
    dim: usize,
}

impl<'p> Gather<'p> {
    /// Reads an operation; `None` for an operation that is no gather, has a layout, or has a dynamic extent. Coarse tiling cuts
    /// dynamic extents into tiles of whole sticks.
    fn read(types: &TensorTypes<'p>, device: DeviceOp<'p>) -> Result<Option<Self>, Diagnostic<'p>> {
        let op = device.op();
        let Some(dim) = device.gathered_dim() else {
            return Ok(None);
        };
        let error =
            |message: String| Diagnostic::error(op.location(), format!("{NAME}: {message}"));
        let operand = |index| op.operand(index).map_err(|err| error(err.to_string()));
        let (indices, table) = (operand(0)?, operand(1)?);
        let result: Val<'p> = op.result(0).map_err(|err| error(err.to_string()))?.into();
        let types = (types.get(indices.r#type()), types.get(result.r#type()));
        let (Ok(of_indices), Ok(of_result)) = types else {
            return Ok(None);
        };
        let is_laid_out = of_indices.has_layout || of_result.has_layout;
        Ok((!is_laid_out).then_some(Self {
            op,
            indices,
            table,
            result,
            of_indices,
            of_result,
            dim,
        }))
    }

    /// Builds the gather by other indices, which are `extent` along their dimension `along`.
    fn by(&self, indices: Val<'p>, along: usize, extent: u64) -> Val<'p> {
        let attributes: Vec<_> = self.op.attributes().collect();
        let parts = ir::Parts {
            name: spyre::GATHER,
            operands: &[indices, self.table],
            results: &[resized(&self.of_result, self.dim + along, extent)],
            attributes: &attributes,
            regions: Vec::new(),
        };
        let built = ir::build(At::Before(self.op), self.op.location(), parts);
        ir::result(built, 0).expect("it is built with a result")
    }

    /// Replaces the operation by a value.
    fn replace(&self, value: Val<'p>) {
        ir::replace_all_uses(self.result, value);
        ir::erase(self.op);
    }
}

/// Returns the type of a tensor with another extent along a dimension.
fn resized<'p>(ty: &TensorType<'p>, dim: usize, extent: u64) -> Type<'p> {
    let mut shape = ty.shape().to_vec();
    shape[dim] = extent;
    RankedTensorType::new(&shape, ty.element, None).into()
}

/// Returns the window of a tensor that has `extent` elements from `start` along a dimension, and all along the others.
fn window<'p>(ty: &TensorType<'p>, dim: usize, start: u64, extent: u64) -> Window<'p> {
    let number = |value: u64| i64::try_from(value).expect("extents are below 2^63");
    let mut offsets = vec![Offset::Static(0); ty.shape().len()];
    offsets[dim] = Offset::Static(number(start));
    let mut sizes: Vec<i64> = ty.shape().iter().map(|extent| number(*extent)).collect();
    sizes[dim] = number(extent);
    Window { offsets, sizes }
}

/// Cuts a gather by more than a stick of indices after its last whole stick. Returns whether it had a part of a stick.
fn cut<'p>(
    context: &'p Context,
    types: &TensorTypes<'p>,
    device: DeviceOp<'p>,
) -> Result<bool, Diagnostic<'p>> {
    let Some(gather) = Gather::read(types, device)? else {
        return Ok(false);
    };
    let Gather {
        op,
        of_indices,
        of_result,
        ..
    } = &gather;
    // The dimension that layouts put on the stick of indices without a layout.
    let Some(along) = of_indices.shape().iter().rposition(|extent| *extent != 1) else {
        return Ok(false);
    };
    let per_stick = of_indices.device.format().elements_per_stick().get();
    let extent = of_indices.shape()[along];
    let rest = extent % per_stick;
    if extent < per_stick || rest == 0 {
        return Ok(false);
    }
    let (at, location) = (At::Before(*op), op.location());
    let result_dim = gather.dim + along;
    let mut whole = OpBuilder::before(context, *op).op(spyre::empty(&[]), gather.result.r#type());
    for (start, extent) in [(0, extent - rest), (extent - rest, rest)] {
        let ty = resized(of_indices, along, extent);
        let cut = window(of_indices, along, start, extent);
        let chosen = ir::build_extract_slice(at, location, ty, gather.indices, &cut);
        let part = gather.by(chosen, along, extent);
        let place = window(of_result, result_dim, start, extent);
        whole = ir::build_insert_slice(at, location, part, whole, &place);
    }
    gather.replace(whole);
    Ok(true)
}

/// Replaces a gather by one index by a gather by two. Returns whether the operation is a gather by one index.
fn pad<'p>(
    context: &'p Context,
    types: &TensorTypes<'p>,
    device: DeviceOp<'p>,
) -> Result<bool, Diagnostic<'p>> {
    let Some(gather) = Gather::read(types, device)? else {
        return Ok(false);
    };
    let Gather {
        op,
        of_indices,
        of_result,
        ..
    } = &gather;
    if of_indices.shape().iter().any(|extent| *extent != 1) {
        return Ok(false);
    }
    // The last dimension of the indices, in them and in the result.
    let last = of_indices.shape().len() - 1;
    let twice = OpBuilder::before(context, *op)
        .op(spyre::copy(gather.indices), resized(of_indices, last, 2));
    let chosen = gather.by(twice, last, 2);
    let first = window(of_result, gather.dim + last, 0, 1);
    let ty = gather.result.r#type();
    let first = ir::build_extract_slice(At::Before(*op), op.location(), ty, chosen, &first);
    gather.replace(first);
    Ok(true)
}
