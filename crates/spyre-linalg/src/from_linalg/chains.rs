//! `--spyre-narrow-chains`: lowers chains of `f32` operations between 16-bit casts to 16 bits.
//!
//! PyTorch computes in `f32` and stores in 16 bits: each of its kernels widens its inputs and rounds its outputs. On
//! a machine with registers that is free. The card computes in 16 bits, adds up in more, and has few operations on
//! `f32`; a cast moves every element to another stick. A chain is a set of operations that values of `f32` connect.
//! It is narrowed as a whole if all of its inputs are constants or casts from one type of 16 bits, and all of its
//! users are casts to that type.

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Attribute, Type, TypeLike, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::walk;
use spyre_construct::build::{element_of, is_truth, with_element};
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::names::NARROWED;
use spyre_mlir_rt::ir::{self, At, Op, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{arith, func, spyre, tensor};
use spyre_ops::OpClass;

use super::narrow::{is_tiny, narrowed_constant};

/// The cast to `f32` of 16 bits.
const WIDEN: &str = spyre::DL16TOFP32;
/// The cast of `f32` to 16 bits.
const NARROW: &str = spyre::FP32TODL16;

/// `--spyre-narrow-chains`
pub static NARROW_CHAINS: RustPass = RustPass {
    argument: "spyre-narrow-chains",
    summary: "Lower f32 computations between casts from and to 16 bits to 16 bits",
    description: r#"
Front ends compute in `f32` and store in 16 bits. The card has few operations on `f32`,
and a cast between the two moves each element to another stick; its operations on 16 bits add
up in more. So operations that are connected by values of `f32` become operations on `f16` (or
`bf16`), if all that they read are casts from that type, products of it and constants, and all
that reads them are casts to it.

```mlir
// before
%0 = spyre.dl16tofp32 %x : (tensor<16x128xf16>) -> tensor<16x128xf32>
%1 = spyre.exp %0 : tensor<16x128xf32>
%2 = spyre.sum %1 dims [1] keepdim : (tensor<16x128xf32>) -> tensor<16x1xf32>
%3 = spyre.realdiv %1, %2 : (tensor<16x128xf32>, tensor<16x1xf32>) -> tensor<16x128xf32>
%4 = spyre.fp32todl16 %3 : (tensor<16x128xf32>) -> tensor<16x128xf16>
// after
%1 = spyre.exp %x : tensor<16x128xf16>
%2 = spyre.sum %1 dims [1] keepdim : (tensor<16x128xf16>) -> tensor<16x1xf16>
%4 = spyre.realdiv %1, %2 : (tensor<16x128xf16>, tensor<16x1xf16>) -> tensor<16x128xf16>
```

Operations stay in `f32` if one of them reads an argument or another value of `f32`, converts
integers, or is none of the device, if one is returned or read by such an operation, if a
constant is beyond the range of the narrow type (of the card's format, for `bf16`), and if a number
that would be zero in it is more than added (in `f16`: or compared). Each operation rounds to 16 bits then: results
differ by some units in the last place. A function in which an operation reads the `f32` result
of another one gets the mark `spyre.narrowed`: such a value needs the range of the card's
format, up to 2^33 - 2^24, and a simulated card stores the function's values in it.
The CPU has `f16` in its place: run the program before this pass there. `--spyre-import-linalg=float=exact` leaves the pass out.
"#,
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "narrowed",
        description: "Values that have 16 bits now",
    }],
    dialects: || vec![DialectHandle::arith(), DialectHandle::tensor()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let Some(body) = ir::function_body(run.operation()) else {
        return Ok(());
    };
    let mut seen = FxHashSet::default();
    let starts = walk::find(body, |op| {
        let is_start = ir::name(op) == WIDEN || accumulated(op).is_some();
        is_start.then_some(op)
    });
    let mut chains = Vec::new();
    for op in starts {
        let value = ir::result(op, 0).expect("a cast and a product have a result");
        if !seen.contains(&ir::value_key(value)) {
            chains.extend(Chain::from(value, &mut seen).narrowable(run.context()));
        }
    }
    if chains.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    if chains.iter().any(|(chain, _)| chain.has_inner_values()) {
        let mark = Attribute::unit(run.context());
        ir::set_discardable_attribute(run.operation(), NARROWED, mark);
    }
    let mut narrow = Narrow {
        context: run.context(),
        constants: FxHashMap::default(),
    };
    for (chain, element) in chains {
        run.count("narrowed", chain.values.len());
        narrow.chain(chain, element);
    }
    Ok(())
}

/// Operations that are connected by values of `f32`, and by truth values of their comparisons.
#[derive(Default)]
struct Chain<'p> {
    /// The values of `f32`, but for constants.
    values: Vec<Val<'p>>,
    /// The constants that are read.
    constants: Vec<Val<'p>>,
    /// The casts that the chain reads, and the casts that read it.
    casts: Vec<Op<'p>>,
    /// The types of 16 bits from which products of `f32` are added up.
    accumulated: Vec<Type<'p>>,
    /// The operations.
    ops: Vec<Op<'p>>,
    /// Whether one of its operations has no form in 16 bits, or one of its values has another origin or user.
    is_fixed: bool,
}

impl<'p> Chain<'p> {
    /// Collects all values and operations that are connected with a value.
    fn from(value: Val<'p>, seen: &mut FxHashSet<ir::ValueKey>) -> Self {
        let mut chain = Self::default();
        let mut ops = FxHashSet::default();
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            if !seen.insert(ir::value_key(value)) {
                continue;
            }
            let is_wide = element_of(value).is_f32();
            if is_wide {
                chain.values.push(value);
            }
            let defining = ir::defining_op(value);
            // An argument of a function or of a loop.
            chain.is_fixed |= is_wide && defining.is_none();
            let users = ir::uses(value).into_iter().map(|user| user.owner);
            for op in defining.into_iter().chain(users) {
                if ops.insert(ir::op_key(op)) {
                    chain.visit(op, &mut pending);
                }
            }
        }
        chain
    }

    /// Adds an operation to the chain, and its `f32` operands and results to `pending`.
    fn visit(&mut self, op: Op<'p>, pending: &mut Vec<Val<'p>>) {
        if matches!(ir::name(op), WIDEN | NARROW) {
            self.casts.push(op);
            return;
        }
        if let Some(element) = accumulated(op) {
            self.accumulated.push(element);
            return;
        }
        if !computes_in_any_width(op) {
            self.is_fixed = true;
            return;
        }
        self.ops.push(op);
        for value in op.operands().chain(ir::results(op)) {
            let is_wide = element_of(value).is_f32();
            match ir::defining_op(value) {
                Some(constant) if is_wide && is_constant(constant) => self.constants.push(value),
                // A truth value has the width of the compared operands.
                Some(compared) if is_truth(element_of(value)) && !compares_wide(compared) => {}
                None if is_truth(element_of(value)) => {}
                _ if is_wide || is_truth(element_of(value)) => pending.push(value),
                _ => {}
            }
        }
    }

    /// Returns whether an operation reads the `f32` result of another one. If none does, narrowing changes no range:
    /// operands are results of casts from 16 bits, and results are cast to 16 bits.
    fn has_inner_values(&self) -> bool {
        let reads = |user: ir::Use<'p>| ir::name(user.owner) != NARROW;
        self.values.iter().any(|value| {
            let defining = ir::defining_op(*value).expect("a chain reads no argument");
            ir::name(defining) != WIDEN && ir::uses(*value).into_iter().any(reads)
        })
    }

    /// Returns the chain with its type of 16 bits, if it has one.
    fn narrowable(self, context: &'p Context) -> Option<(Self, Type<'p>)> {
        let casts = self.casts.iter().map(|cast| narrow_side(*cast));
        let narrow: Vec<Type<'p>> = casts.chain(self.accumulated.iter().copied()).collect();
        let element = *narrow.first()?;
        let ends = self.casts.iter().any(|cast| ir::name(*cast) == NARROW);
        // After narrowing, the operand and the result of a cast have one type, and the cast is removed. With a layout
        // in one of the two types, the types would still differ.
        let keeps_type = |cast: &Op<'p>| !cast.operands().chain(ir::results(*cast)).any(has_layout);
        let is_narrowable = !self.is_fixed
            && ends
            && self.casts.iter().all(keeps_type)
            && narrow.iter().all(|ty| *ty == element)
            && (element.is_f16() || ir::is_bf16(element))
            && self.constants.iter().all(|constant| {
                let op = ir::defining_op(*constant).expect("a constant is an operation");
                let ty = with_element(constant.r#type(), element);
                let is_kept = !is_tiny(op, element) || is_only_added(*constant, element);
                is_kept && narrowed_constant(context, op, ty).is_some()
            });
        is_narrowable.then_some((self, element))
    }
}

/// Changes types.
struct Narrow<'p> {
    context: &'p Context,
    /// Constants of 16 bits, by the constants of `f32` and the narrow types.
    constants: FxHashMap<(ir::ValueKey, Type<'p>), Val<'p>>,
}

impl<'p> Narrow<'p> {
    /// Gives the values of a chain a type of 16 bits, and removes its casts.
    fn chain(&mut self, chain: Chain<'p>, element: Type<'p>) {
        for op in &chain.ops {
            let operands: Vec<Val<'p>> = op.operands().collect();
            for (number, operand) in operands.into_iter().enumerate() {
                let constant = ir::defining_op(operand).filter(|op| is_constant(*op));
                if let Some(constant) = constant.filter(|_| element_of(operand).is_f32()) {
                    let narrow = self.constant(constant, operand, element);
                    ir::set_operand(*op, number, narrow);
                }
            }
        }
        for value in &chain.values {
            value.set_type(with_element(value.r#type(), element));
        }
        for cast in chain.casts {
            let operand = ir::operand(cast, 0).expect("a cast has an operand");
            let result = ir::result(cast, 0).expect("a cast has a result");
            ir::replace_all_uses(result, operand);
            ir::erase(cast);
        }
    }

    /// Returns a constant of 16 bits, next to that of `f32`, which others may read.
    fn constant(&mut self, constant: Op<'p>, value: Val<'p>, element: Type<'p>) -> Val<'p> {
        let key = (ir::value_key(value), element);
        if let Some(narrow) = self.constants.get(&key) {
            return *narrow;
        }
        let ty = with_element(value.r#type(), element);
        let copy = ir::build_clone(At::Before(constant), constant);
        if let Some(rounded) =
            narrowed_constant(self.context, constant, ty).expect("it has been asked before")
        {
            ir::set_attribute(copy, "value", rounded);
        }
        let narrow = ir::result(copy, 0).expect("a constant has a result");
        narrow.set_type(ty);
        self.constants.insert(key, narrow);
        narrow
    }
}

/// Returns whether all users of a constant add it, or compare it in `f16`. If so, a number below the range of a
/// narrower format may become the smallest number of that format: an epsilon still prevents a division by zero, whereas
/// a factor would change the result. In `bf16`, the quotients by 1e-12 and by 4.7e-10 differ within the range, so that
/// a comparison does not permit it.
fn is_only_added(constant: Val<'_>, element: Type<'_>) -> bool {
    let users = ir::uses(constant).into_iter();
    let mut names = users.map(|user| ir::name(user.owner));
    names.all(|name| ADDS.contains(&name) || (element.is_f16() && COMPARES.contains(&name)))
}

/// Operations that add an operand.
const ADDS: [&str; 2] = [spyre::ADD, spyre::SUB];

/// Operations that compare an operand.
const COMPARES: [&str; 8] = [
    spyre::MAXIMUM,
    spyre::MINIMUM,
    spyre::GREATERTHAN,
    spyre::GREATEREQUAL,
    spyre::LESSERTHAN,
    spyre::LESSEREQUAL,
    spyre::EQUAL,
    spyre::NOTEQUAL,
];

/// Operations of the dialect that need the bits of `f32`: they convert integers, read bits, or have a result that changes with the last
/// bits of a large operand.
const NEEDS_F32: [&str; 8] = [
    spyre::SITOFP,
    spyre::FPTOSI,
    spyre::BITCAST,
    spyre::SIN,
    spyre::COS,
    spyre::TAN,
    spyre::FMOD,
    spyre::POW,
];

/// Returns whether an operation has a form in 16 bits: one of the device on values of `f32` and truth values alone, or a view.
fn computes_in_any_width(op: Op<'_>) -> bool {
    let name = ir::name(op);
    match name {
        tensor::EXPAND_SHAPE
        | tensor::COLLAPSE_SHAPE
        | tensor::EXTRACT_SLICE
        | tensor::INSERT_SLICE => true,
        _ if name.starts_with("spyre.") && !NEEDS_F32.contains(&name) => {
            let mut values = op.operands().chain(ir::results(op));
            values.all(|value| {
                let element = element_of(value);
                ir::is_ranked_tensor(value.r#type()) && (element.is_f32() || is_truth(element))
            })
        }
        _ => false,
    }
}

/// Returns the type of the operands of a product of 16 bits that is returned in `f32`. The card adds it up in more bits than either, and
/// rounds it once.
fn accumulated(op: Op<'_>) -> Option<Type<'_>> {
    let result = ir::result(op, 0)?;
    if !ir::name(op).starts_with("spyre.") || !element_of(result).is_f32() {
        return None;
    }
    let is_product = DeviceOp::cast(op)
        .is_some_and(|op| matches!(op.facts().class, OpClass::Matmul | OpClass::Conv));
    let element = element_of(ir::operand(op, 0).filter(|_| is_product)?);
    let is_half = element.is_f16() || ir::is_bf16(element);
    let is_of_one = op.operands().all(|operand| element_of(operand) == element);
    (is_half && is_of_one).then_some(element)
}

/// Returns whether an operation compares values of `f32`.
fn compares_wide(op: Op<'_>) -> bool {
    op.operands().any(|operand| element_of(operand).is_f32())
}

/// Returns whether an operation is a constant, or an uninitialized tensor.
fn is_constant(op: Op<'_>) -> bool {
    matches!(
        ir::name(op),
        arith::CONSTANT | spyre::FILL | spyre::EMPTY | tensor::EMPTY
    )
}

/// Returns whether the type of a tensor has a layout.
fn has_layout(value: Val<'_>) -> bool {
    let tensor = RankedTensorType::try_from(value.r#type());
    tensor.is_ok_and(|tensor| tensor.encoding().is_some())
}

/// Returns the type of 16 bits of a cast.
fn narrow_side(cast: Op<'_>) -> Type<'_> {
    let value = match ir::name(cast) {
        WIDEN => ir::operand(cast, 0),
        _ => ir::result(cast, 0),
    };
    element_of(value.expect("a cast has an operand and a result"))
}
