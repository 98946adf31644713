//! `--spyre-pad-gathers`: gives each gather as many indices as the format has a form for.

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Type, ValueLike};
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::{check_reachable, device_ops};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Offset, Val, Window};
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
        if device.place().is_none() && cut(&types, device)? {
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

/// Cuts a gather by more than a stick of indices after its last whole stick. Returns whether it had a part of a stick.
fn cut<'p>(types: &TensorTypes<'p>, device: DeviceOp<'p>) -> Result<bool, Diagnostic<'p>> {
    let op = device.op();
    let error = |message: String| Diagnostic::error(op.location(), format!("{NAME}: {message}"));
    let Some(gathered) = device.gathered_dim() else {
        return Ok(false);
    };
    let operand = |index| op.operand(index).map_err(|err| error(err.to_string()));
    let (indices, table) = (operand(0)?, operand(1)?);
    let result: Val<'p> = op.result(0).map_err(|err| error(err.to_string()))?.into();
    let (Ok(of_indices), Ok(of_result)) = (types.get(indices.r#type()), types.get(result.r#type()))
    else {
        // Loops over tiles give an extent that is dynamic its sticks.
        return Ok(false);
    };
    // The dimension that layouts put on the stick of indices without a layout.
    let Some(along) = of_indices.shape().iter().rposition(|extent| *extent != 1) else {
        return Ok(false);
    };
    let per_stick = of_indices.device.format().elements_per_stick().get();
    let extent = of_indices.shape()[along];
    let rest = extent % per_stick;
    if extent < per_stick || rest == 0 || of_indices.has_layout || of_result.has_layout {
        return Ok(false);
    }
    let at = At::Before(op);
    let number = |value: u64| i64::try_from(value).expect("extents are below 2^63");
    let window = |shape: &[u64], dim: usize, start: u64, extent: u64| -> Window<'p> {
        let mut offsets = vec![Offset::Static(0); shape.len()];
        offsets[dim] = Offset::Static(number(start));
        let mut sizes: Vec<i64> = shape.iter().map(|extent| number(*extent)).collect();
        sizes[dim] = number(extent);
        Window { offsets, sizes }
    };
    let of_extent = |shape: &[u64], dim: usize, extent: u64, element: Type<'p>| -> Type<'p> {
        let mut shape = shape.to_vec();
        shape[dim] = extent;
        RankedTensorType::new(&shape, element, None).into()
    };
    let attributes: Vec<_> = op.attributes().collect();
    let one =
        |name: &'static str, operands: &[Val<'p>], ty: Type<'p>, attributes: &[_]| -> Val<'p> {
            let parts = ir::Parts {
                name,
                operands,
                results: &[ty],
                attributes,
                regions: Vec::new(),
            };
            ir::result(ir::build(at, op.location(), parts), 0).expect("it has one result")
        };
    let result_dim = gathered + along;
    let mut whole = one(spyre::EMPTY, &[], result.r#type(), &[]);
    for (start, extent) in [(0, extent - rest), (extent - rest, rest)] {
        let chosen = ir::build_extract_slice(
            at,
            op.location(),
            of_extent(of_indices.shape(), along, extent, of_indices.element),
            indices,
            &window(of_indices.shape(), along, start, extent),
        );
        let ty = of_extent(of_result.shape(), result_dim, extent, of_result.element);
        let part = one(spyre::GATHER, &[chosen, table], ty, &attributes);
        let window = window(of_result.shape(), result_dim, start, extent);
        whole = ir::build_insert_slice(at, op.location(), part, whole, &window);
    }
    ir::replace_all_uses(result, whole);
    ir::erase(op);
    Ok(true)
}

/// Replaces a gather by one index by a gather by two. Returns whether the operation is a gather by one index.
fn pad<'p>(
    context: &'p Context,
    types: &TensorTypes<'p>,
    device: DeviceOp<'p>,
) -> Result<bool, Diagnostic<'p>> {
    let op = device.op();
    let error = |message: String| Diagnostic::error(op.location(), format!("{NAME}: {message}"));
    let Some(gathered) = device.gathered_dim() else {
        return Ok(false);
    };
    let operand = |index| op.operand(index).map_err(|err| error(err.to_string()));
    let (indices, table) = (operand(0)?, operand(1)?);
    let result: Val<'p> = op.result(0).map_err(|err| error(err.to_string()))?.into();
    let (Ok(of_indices), Ok(of_result)) = (types.get(indices.r#type()), types.get(result.r#type()))
    else {
        // The extent is dynamic, so it is not one.
        return Ok(false);
    };
    let is_single = of_indices.shape().iter().all(|extent| *extent == 1);
    if !is_single || of_indices.has_layout || of_result.has_layout {
        return Ok(false);
    }
    // The last dimension of the indices, in them and in the result.
    let last = of_indices.shape().len() - 1;
    let doubled = |shape: &[u64], dim: usize, element| -> Type<'p> {
        let mut shape = shape.to_vec();
        shape[dim] = 2;
        RankedTensorType::new(&shape, element, None).into()
    };
    let twice = OpBuilder::before(context, op).op(
        spyre::copy(indices),
        doubled(of_indices.shape(), last, of_indices.element),
    );
    let attributes: Vec<_> = op.attributes().collect();
    let parts = ir::Parts {
        name: spyre::GATHER,
        operands: &[twice, table],
        results: &[doubled(
            of_result.shape(),
            gathered + last,
            of_result.element,
        )],
        attributes: &attributes,
        regions: Vec::new(),
    };
    let chosen = ir::build(At::Before(op), op.location(), parts);
    let chosen = ir::result(chosen, 0).expect("it is built with a result");
    let sizes = of_result
        .shape()
        .iter()
        .map(|extent| i64::try_from(*extent));
    let first = Window {
        offsets: vec![Offset::Static(0); of_result.shape().len()],
        sizes: sizes
            .collect::<Result<_, _>>()
            .map_err(|err| error(err.to_string()))?,
    };
    let first = ir::build_extract_slice(
        At::Before(op),
        op.location(),
        result.r#type(),
        chosen,
        &first,
    );
    ir::replace_all_uses(result, first);
    ir::erase(op);
    Ok(true)
}
