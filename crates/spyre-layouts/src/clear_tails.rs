//! `--spyre-clear-tails`: overwrites elements after the end of K in the left operand of a product that may be NaN.
//!
//! A product reads whole sticks of its left operand, and the elements after the end of K are not masked (contract,
//! K18). The right operand has zeros there, and zero times a number is zero; but zero times NaN is NaN, and spoils the
//! row. Uninitialised memory holds the bytes of its former owner, and an operation computes over the end of its
//! operands as well. `tail` computes for each value an interval of these elements. Where they may be NaN, the pass
//! builds a selection before the product: a constant of whole sticks, true up to K, chooses the operand, and zero after
//! it. Both are `where3`'s operands over whole sticks, so the card writes zeros after K.

mod tail;

use melior::dialect::DialectHandle;
use melior::ir::attribute::{DenseElementsAttribute, IntegerAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::target::target_of;
use spyre_analysis::tensor::{TensorType, TensorTypes};
use spyre_analysis::walk::{check_reachable, device_ops};
use spyre_construct::fill::fill;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::names::CONSTANT;
use spyre_layout::Arrangement;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Offset, Op, Val, Window};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};
use spyre_ods::{OpBuilder, func, spyre};
use spyre_ops::OpClass;
use spyre_ops::contract::Version;
use tail::{Tail, Tails};

use crate::layouts::{default_with_stick, reader_beside};

const NAME: &str = "spyre-clear-tails";

/// `--spyre-clear-tails`
pub static CLEAR_TAILS: RustPass = RustPass {
    argument: NAME,
    summary: "Overwrite elements that may be NaN after the end of K in left operands of products",
    description: include_str!("clear_tails.md"),
    anchor: func::FUNC,
    options: &[],
    statistics: &[
        PassStatistic {
            name: "cleared",
            description: "Left operands with tails that are overwritten with zeros",
        },
        PassStatistic {
            name: "numbers",
            description: "Left operands with tails that are never NaN",
        },
    ],
    dialects: || vec![spyre_dialects::spyre_dialect(), DialectHandle::tensor()],
    run,
};

/// A left operand with a tail that may be NaN.
struct Unclear<'p> {
    /// The product.
    op: Op<'p>,
    /// The operand.
    left: Val<'p>,
    /// The reason.
    reason: String,
}

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    check_reachable(function, NAME, |_| true)?;
    let Some(body) = ir::function_body(function) else {
        return Ok(());
    };
    let target = target_of(function)?;
    // Recorded files have no zeros in tails; they rely on a mask of the hardware.
    if target.contract.version != Version::Published {
        run.preserve_analyses();
        return Ok(());
    }
    let types = TensorTypes::new(run.context());
    let tails = Tails::of_block(&types, body);
    let mut unclear = Vec::new();
    for device in device_ops(body) {
        if device.facts().class != OpClass::Matmul || device.place().is_some() {
            continue;
        }
        let op = device.op();
        let left = ir::operand(op, 0).expect("a product has two operands");
        if device.iteration_space().last() == Some(&1) {
            let message = "K has one element, and a product reads a stick of it, and no operation writes the rest of the stick; write \
                       spyre.mul of the operands, which repeat";
            return Err(error(op, message).into());
        }
        match tails.of(left) {
            Tail::None => {}
            Tail::Number(_) => run.count("numbers", 1),
            Tail::Unknown(reason) => unclear.push(Unclear { op, left, reason }),
        }
    }
    if unclear.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    let mut writer = Writer {
        run,
        types: &types,
        masks: FxHashMap::default(),
        cleared: FxHashMap::default(),
    };
    let remarks = Remarks::about(run.context(), function, NAME);
    for Unclear { op, left, reason } in unclear {
        let cleared = writer.clear(op, left)?;
        ir::set_operand(op, 0, cleared);
        remarks.emit(|| {
            let remark = Remark::new(RemarkKind::Passed, op.location(), "TailCleared");
            let text = "zeros are written after K of the left operand";
            remark.arg("Remark", text.to_owned()).reason(reason)
        });
    }
    Ok(())
}

fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("{NAME}: {message}"))
}

/// Writes the selections.
struct Writer<'a, 'p> {
    run: &'p PassRun<'p>,
    types: &'a TensorTypes<'p>,
    /// The constants that are true up to K, by the key of their type and K.
    masks: FxHashMap<(ir::TypeKey, u64), Val<'p>>,
    /// The cleared operands, by the operand.
    cleared: FxHashMap<ir::ValueKey, Val<'p>>,
}

impl<'p> Writer<'_, 'p> {
    /// Returns a left operand with zeros after K, which other products may share.
    fn clear(&mut self, op: Op<'p>, left: Val<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
        let key = ir::value_key(left);
        if let Some(cleared) = self.cleared.get(&key) {
            return Ok(*cleared);
        }
        let before = reader_beside(left, op).expect("a product sees its operand");
        let ty = self
            .types
            .get(left.r#type())
            .map_err(|err| error(op, err))?;
        let k = *ty
            .shape()
            .last()
            .expect("operands of a product have two dimensions (S7)");
        let condition = self.mask(op, before, &ty, k)?;
        let zero = self.zero(op, before, &ty)?;
        let laid = |shape: &[u64], element: Type<'p>| self.laid(&ty, shape, element);
        let result = laid(ty.shape(), ty.element).map_err(|err| error(op, err))?;
        // A tiled product is tiled with the producer of its operand, where both are in one block.
        let hints = DeviceOp::cast(op).filter(|_| before == op);
        let hints = hints.and_then(DeviceOp::hints_attribute);
        let build = OpBuilder {
            context: self.run.context(),
            at: At::Before(before),
            location: op.location(),
        };
        let selection = spyre::where3(condition, left, zero).with_optional("tile", hints);
        let cleared = build.op(selection, result.ty);
        self.run.count("cleared", 1);
        self.cleared.insert(key, cleared);
        Ok(cleared)
    }

    /// Returns the type of a shape with the last dimension on the stick, as a left operand has it.
    fn laid(
        &self,
        like: &TensorType<'p>,
        shape: &[u64],
        element: Type<'p>,
    ) -> Result<std::rc::Rc<TensorType<'p>>, String> {
        let last = shape.len().checked_sub(1);
        default_with_stick(
            self.types,
            shape,
            element,
            like.device.format(),
            last,
            Arrangement::Standard,
        )
    }

    /// Returns the condition of a selection: a window of K elements of a constant of whole sticks, built before
    /// `before`. After the window, in the same stick, the constant is false.
    fn mask(
        &mut self,
        op: Op<'p>,
        before: Op<'p>,
        left: &TensorType<'p>,
        k: u64,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let context = self.run.context();
        let per_stick = left.device.format().elements_per_stick().get();
        let whole = k
            .checked_next_multiple_of(per_stick)
            .expect("extents are below 2^63");
        let truth: Type<'p> = IntegerType::new(context, 1).into();
        let mut shape = vec![1; left.shape().len()];
        let last = shape.len() - 1;
        shape[last] = whole;
        let ty = self
            .laid(left, &shape, truth)
            .map_err(|err| error(op, err))?;
        let key = (ir::type_key(ty.ty), k);
        let constant = match self.masks.get(&key) {
            Some(constant) => *constant,
            None => {
                let values: Vec<Attribute<'p>> = (0..whole)
                    .map(|at| IntegerAttribute::new(truth, i64::from(at < k)).into())
                    .collect();
                let values =
                    DenseElementsAttribute::new(ty.ty, &values).map_err(|err| error(op, err))?;
                let function = self.run.operation();
                let constant =
                    ir::add_argument(function, ty.ty, CONSTANT, values.into(), op.location());
                constant.expect("a function of one block takes arguments")
            }
        };
        self.masks.insert(key, constant);
        let size = |extent: u64| i64::try_from(extent).expect("extents are below 2^63");
        let mut sizes = vec![1; shape.len()];
        sizes[last] = size(k);
        let window = Window {
            offsets: vec![Offset::Static(0); shape.len()],
            sizes,
        };
        let mut tile = shape.clone();
        tile[last] = k;
        let tile = self.types.tile(&ty, &tile).map_err(|err| error(op, err))?;
        Ok(ir::build_extract_slice(
            At::Before(before),
            op.location(),
            tile,
            constant,
            &window,
        ))
    }

    /// Returns a zero that is broadcast to a left operand, built before `before`.
    fn zero(
        &self,
        op: Op<'p>,
        before: Op<'p>,
        left: &TensorType<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let shape = vec![1; left.shape().len()];
        let ty = self
            .laid(left, &shape, left.element)
            .map_err(|err| error(op, err))?;
        Ok(fill(self.run.context(), before, op.location(), ty.ty, 0.0))
    }
}
