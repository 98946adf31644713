//! `--spyre-pad-matmul`: adds zeros where the hardware reads past K.

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{ShapedTypeLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::tensor::{TensorType, TensorTypes, tile_layout};
use spyre_analysis::walk::{check_reachable, device_ops, tensors};
use spyre_construct::fill::fill;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Offset, Op, Val, Window};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{OpBuilder, func, spyre};
use spyre_ops::OpClass;

const NAME: &str = "spyre-pad-matmul";

/// `--spyre-pad-matmul`
pub static PAD_MATMUL: RustPass = RustPass {
    argument: NAME,
    summary: "Pad K of a matrix product's right operand with zeros to whole sticks",
    description: r#"
The left operand of a matrix product has K on its stick, and the hardware reads whole
sticks. It multiplies the elements after K in the last stick of the left operand by
the following rows of the right operand, and these may be NaN. So the right operand
gets rows of zeros up to the end of the stick (contract, K17), and
`--spyre-clear-tails` handles the left operand, which has no mask of its tail (K18).
The extent over which the product sums stays as it is.

```mlir
// before
%c = spyre.batchmatmul %a, %b
  : (tensor<100x300xf16>, tensor<300x200xf16>) -> tensor<100x200xf16>
// after: 300 is 4.7 sticks of 64, so 5
%e = spyre.empty : tensor<320x200xf16>
%zero = spyre.fill dense<0.0> : tensor<20x200xf16>
%q = tensor.insert_slice %b into %e[0, 0] [300, 200] [1, 1]
  : tensor<300x200xf16> into tensor<320x200xf16>
%p = tensor.insert_slice %zero into %q[300, 0] [20, 200] [1, 1]
  : tensor<20x200xf16> into tensor<320x200xf16>
%c = spyre.batchmatmul %a, %p
  : (tensor<100x300xf16>, tensor<320x200xf16>) -> tensor<100x200xf16>
```

A product with one element of K, without layouts, becomes a multiplication: its left
operand has one element in each stick, and the other lanes are uninitialised.

Products with the same right operand share the padded one. Run it before the
layouts are chosen, so that the padded tensor gets a layout like any other; it takes
programs with layouts as well. A product that has a place is left alone, and so is
one with a dynamic extent.

Refused: a right operand with a layout that cannot hold the rows.
"#,
    anchor: func::FUNC,
    options: &[],
    statistics: &[
        PassStatistic {
            name: "padded",
            description: "Matrix products whose right operand was padded",
        },
        PassStatistic {
            name: "outer",
            description: "Matrix products with one element of K, which are multiplications now",
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

/// The padding of the right operand of one matrix product.
struct Padding<'p> {
    op: Op<'p>,
    /// The type of the padded right operand.
    padded: Type<'p>,
    /// The type of the rows of zeros.
    tail: Type<'p>,
    /// The window of the padded operand that has the right operand.
    body_window: Window<'p>,
    /// The window of the padded operand that has the zeros.
    tail_window: Window<'p>,
}

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    check_reachable(run.operation(), NAME, |_| true)?;
    let Some(body) = ir::function_body(run.operation()) else {
        return Ok(());
    };
    let types = TensorTypes::new(run.context());
    let (mut paddings, mut outer) = (Vec::new(), Vec::new());
    for device in device_ops(body) {
        if device.facts().class != OpClass::Matmul || device.place().is_some() {
            continue;
        }
        if is_outer(device) {
            outer.push(device);
            continue;
        }
        if let Some(padding) = padding(&types, device)? {
            paddings.push(padding);
        }
    }
    if paddings.is_empty() && outer.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    for product in outer {
        multiply(run.context(), product);
        run.count("outer", 1);
    }
    let mut copies = FxHashMap::default();
    for padding in paddings {
        // A multiplication may have taken the place of the operand since the padding was planned.
        let rhs = ir::operand(padding.op, 1).expect("a product has two operands");
        let key = ir::value_key(rhs);
        let padded = match copies.get(&key) {
            Some(padded) => *padded,
            None => build(run, &padding, rhs)?,
        };
        copies.insert(key, padded);
        ir::set_operand(padding.op, 1, padded);
        run.count("padded", 1);
    }
    Ok(())
}

fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("{NAME}: {message}"))
}

/// Returns whether a product has one element of K, and operands without layouts, which an elementwise product can read.
fn is_outer(device: DeviceOp<'_>) -> bool {
    let has_no_layout = |value: &Val<'_>| {
        let ty = RankedTensorType::try_from(value.r#type());
        ty.is_ok_and(|ty| ty.encoding().is_none())
    };
    // An elementwise multiplication has one element type; the result of a product of 8 bits has another type than its
    // operands.
    !device.facts().is_quantized
        && device.iteration_space().last() == Some(&1)
        && tensors(device).iter().all(has_no_layout)
}

/// Returns a zero that is broadcast to a value, built before an operation.
fn zero<'p>(context: &'p Context, op: Op<'p>, like: Val<'p>) -> Val<'p> {
    let ty = RankedTensorType::try_from(like.r#type()).expect("a result is a tensor");
    let ones = vec![1; ty.rank()];
    let ty: Type<'p> = RankedTensorType::new(&ones, ty.element(), None).into();
    fill(context, op, op.location(), ty, 0.0)
}

/// Replaces a product with one element of K by a multiplication of its operands, broadcast like the operands of the
/// product.
fn multiply<'p>(context: &'p Context, device: DeviceOp<'p>) {
    let op = device.op();
    let [lhs, rhs] = [0, 1].map(|number| {
        let operand = ir::operand(op, number);
        operand.expect("a product has two operands")
    });
    let result = ir::result(op, 0).expect("a product has one result");
    let hints = device.hints_attribute();
    let build = OpBuilder::before(context, op);
    let built = build.insert(spyre::mul(lhs, rhs), &[result.r#type()]);
    let product = ir::result(built, 0).expect("it has one result");
    // A sum starts from 0, so that of one product of zero has no sign.
    let zero = zero(context, op, result);
    let sum = build.insert(spyre::add(product, zero), &[result.r#type()]);
    if let Some(hints) = hints {
        for built in [built, sum].into_iter().filter_map(DeviceOp::cast) {
            built.set_hints(hints);
        }
    }
    ir::replace_all_uses(result, ir::result(sum, 0).expect("it has one result"));
    ir::erase(op);
}

/// Returns the padding that a matrix product needs; `None` if it needs none.
fn padding<'p>(
    types: &TensorTypes<'p>,
    device: DeviceOp<'p>,
) -> Result<Option<Padding<'p>>, Diagnostic<'p>> {
    let op = device.op();
    if device.iteration_space().iter().any(|extent| *extent < 0) {
        return Ok(None);
    }
    let operand = |index| op.operand(index).map_err(|err| error(op, err));
    let (lhs, rhs) = (operand(0)?, operand(1)?);
    let tensor = |value: Val<'p>| types.get(value.r#type()).map_err(|err| error(op, err));
    let (left, right) = (tensor(lhs)?, tensor(rhs)?);
    let per_stick = left.device.format().elements_per_stick().get();
    let k_position = right.shape().len().checked_sub(2);
    let k_position = k_position.expect("operands of a product have two dimensions (S7)");
    let k = left.shape().last().copied();
    let k = k.expect("operands of a product have two dimensions (S7)");
    let whole = k.checked_next_multiple_of(per_stick);
    let whole = whole.expect("extents are below 2^63");
    if right.shape()[k_position] == whole {
        return Ok(None);
    }
    let mut shape = right.shape().to_vec();
    shape[k_position] = whole;
    let mut tail_shape = shape.clone();
    tail_shape[k_position] = whole - k;
    let of_shape = |shape: &[u64]| {
        padded_type(types, &right, shape, k_position).map_err(|err| {
            error(
                op,
                format!("operand #1 cannot be padded to {whole} rows of K: {err}"),
            )
            .note(rhs.location(), "operand #1 is defined here")
        })
    };
    let window = |shape: &[u64], start: u64| -> Result<Window<'p>, Diagnostic<'p>> {
        let number = |value: u64| i64::try_from(value).map_err(|err| error(op, err));
        let mut offsets = vec![Offset::Static(0); shape.len()];
        offsets[k_position] = Offset::Static(number(start)?);
        let sizes = shape.iter().map(|extent| number(*extent));
        Ok(Window {
            offsets,
            sizes: sizes.collect::<Result<_, _>>()?,
        })
    };
    Ok(Some(Padding {
        op,
        padded: of_shape(&shape)?,
        tail: of_shape(&tail_shape)?,
        body_window: window(right.shape(), 0)?,
        tail_window: window(&tail_shape, k)?,
    }))
}

fn padded_type<'p>(
    types: &TensorTypes<'p>,
    right: &TensorType<'p>,
    shape: &[u64],
    k_position: usize,
) -> Result<Type<'p>, String> {
    // With K on the stick, rows of zeros would begin inside a stick. The product needs another layout in any case, so one is
    // chosen.
    let is_k_on_stick = right.device.layout().stick_dim() == Some(k_position);
    if !right.has_layout || is_k_on_stick {
        return Ok(RankedTensorType::new(shape, right.element, None).into());
    }
    let layout = tile_layout(&right.device, shape)?;
    Ok(types.with_layout(shape, right.element, &layout)?.ty)
}

/// Builds the padded operand in the block where the operand is defined, before its user in that block.
fn build<'p>(
    run: &'p PassRun<'p>,
    padding: &Padding<'p>,
    rhs: Val<'p>,
) -> Result<Val<'p>, Diagnostic<'p>> {
    let context = run.context();
    let op = padding.op;
    let before = super::insert::reader_beside(rhs, op)
        .ok_or_else(|| error(op, "operand #1 is not visible"))?;
    let build = OpBuilder {
        context,
        at: At::Before(before),
        location: op.location(),
    };
    let empty = build.op(spyre::empty(&[]), padding.padded);
    let zeros = fill(context, before, op.location(), padding.tail, 0.0);
    let insert = |tile, into, window| {
        ir::build_insert_slice(At::Before(before), op.location(), tile, into, window)
    };
    let body = insert(rhs, empty, &padding.body_window);
    Ok(insert(zeros, body, &padding.tail_window))
}
