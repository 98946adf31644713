//! The refusals that need no plan: operations, types, extents, loops, divisions and places.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::{carried, trip_count};
use spyre_conversion::to_sdscbundle::window::{Loop, Operand, Resolver};
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val};
use spyre_ops::OpClass;
use spyre_plan::CoreMapping;

use super::limits::Label;
use super::{recipes, refuse};
use crate::PASS;
use crate::division::Digit;

/// Checks the operations of a kernel.
///
/// # Errors
/// One of them is refused.
pub(crate) fn check<'p>(types: &TensorTypes<'p>, body: Blk<'p>) -> Result<(), Diagnostic<'p>> {
    let mut refusals = Refusals {
        types,
        loops: Vec::new(),
        division: None,
    };
    // A copy that planning has added would hide the operation of the program that it is for.
    computations(body)?;
    refusals.block(body)
}

/// Checks that operations other than those that move elements have recipes.
fn computations<'p>(block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
    for op in ir::operations(block) {
        match DeviceOp::cast(op) {
            Some(device) if device.facts().class != OpClass::Data => {
                recipes::recipe(device)?;
            }
            Some(_) => {}
            None => ir::blocks(op).try_for_each(computations)?,
        }
    }
    Ok(())
}

struct Refusals<'r, 'p> {
    types: &'r TensorTypes<'p>,
    loops: Vec<Loop<'p>>,
    /// The division of the first operation, and the operation.
    division: Option<(Vec<Digit>, Op<'p>)>,
}

impl<'p> Refusals<'_, 'p> {
    fn resolver(&self) -> Resolver<'_, 'p> {
        Resolver {
            types: self.types,
            loops: &self.loops,
            pass: PASS,
        }
    }

    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        for op in ir::operations(block) {
            if let Some(device) = DeviceOp::cast(op) {
                self.device(device)?;
                continue;
            }
            match ir::kind(op) {
                OpKind::For => self.counted(op)?,
                OpKind::TensorDim => {
                    let message = "an extent is a value";
                    return Err(refuse(op, Label::SymbolicExtent, message));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn counted(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let step = ir::constant_operand(op, 2);
        let (Some(0), Some(count), Some(step)) =
            (ir::constant_operand(op, 0), trip_count(op), step)
        else {
            let message = "the loop does not count from 0 to a constant in constant steps";
            return Err(refuse(op, Label::SymbolicTrip, message));
        };
        for value in carried(op) {
            let place = self.resolver().resolve(op, value.init)?.place;
            if matches!(place, Place::Lx(_)) {
                let message = "the loop carries a value in scratchpads";
                let refusal = refuse(op, Label::LoopCarried, message);
                return Err(refusal.note(value.init.location(), "the value is defined here"));
            }
        }
        self.loops.push(Loop {
            op,
            count: count.unsigned_abs(),
            step: step.unsigned_abs(),
        });
        self.block(ir::body(op).expect("a loop has a body"))?;
        self.loops.pop();
        Ok(())
    }

    fn device(&mut self, device: DeviceOp<'p>) -> Result<(), Diagnostic<'p>> {
        let op = device.op();
        recipes::recipe(device)?;
        if let Some(dim) = device
            .iteration_space()
            .iter()
            .position(|extent| *extent < 0)
        {
            let message = format!("dimension {dim} of the iteration space has a dynamic extent");
            return Err(refuse(op, Label::SymbolicExtent, message));
        }
        let result: Val<'p> = ir::result(op, 0).expect("a device operation has a result");
        let values: Vec<Val<'p>> = op.operands().chain([result]).collect();
        let resolver = self.resolver();
        let operands = values.iter().map(|value| resolver.resolve(op, *value));
        let operands = operands.collect::<Result<Vec<_>, _>>()?;
        check_formats(op, &operands)?;
        check_places(op, &values, &operands)?;
        self.check_division(device)
    }

    /// Checks that the cores of the kernel share all operations in the same way.
    fn check_division(&mut self, device: DeviceOp<'p>) -> Result<(), Diagnostic<'p>> {
        let op = device.op();
        let split = device.split_or_one_core();
        let parallel = split.len() - device.reduction_dims();
        if let Some(dim) = (parallel..split.len()).find(|dim| split[*dim] > 1) {
            let message = format!(
                "{} cores share dimension {dim}, which is reduced, and no operation combines their parts",
                split[dim]
            );
            return Err(refuse(op, Label::DividedReduction, message));
        }
        let mapping = CoreMapping::new(&split, None).map_err(|err| crate::error(op, err))?;
        let mut digits = Vec::new();
        let mut divisor = 1;
        for &dim in mapping.order() {
            let count = split[dim];
            if count > 1 {
                digits.push(Digit { divisor, count });
            }
            divisor *= count;
        }
        match &self.division {
            None => self.division = Some((digits, op)),
            Some((first, other)) if *first != digits => {
                let text = |digits: &[Digit]| {
                    let counts: Vec<_> = digits.iter().map(|it| it.count.to_string()).collect();
                    if counts.is_empty() {
                        "1".to_owned()
                    } else {
                        counts.join(" x ")
                    }
                };
                let message = format!(
                    "{} cores share the operation, and {} share another one of the kernel",
                    text(&digits),
                    text(first)
                );
                let refusal = refuse(op, Label::MixedDivision, message);
                return Err(refusal.note(other.location(), "the other operation is here"));
            }
            Some(_) => {}
        }
        Ok(())
    }
}

/// Checks that all tensors have one element type.
fn check_formats<'p>(op: Op<'p>, operands: &[Operand<'p>]) -> Result<(), Diagnostic<'p>> {
    let first = &operands[0];
    let other = operands.iter().find(|operand| {
        operand.buffer.element != first.buffer.element
            || operand.view.format() != first.view.format()
    });
    let Some(other) = other else {
        return Ok(());
    };
    let text = |operand: &Operand<'p>| {
        format!(
            "{} as {}",
            operand.buffer.element,
            operand.view.format().name()
        )
    };
    let message = format!("the tensors are of {} and of {}", text(first), text(other));
    Err(refuse(op, Label::MixedFormats, message))
}

/// Checks that all tensors are in device memory, and the result is not over an operand.
fn check_places<'p>(
    op: Op<'p>,
    values: &[Val<'p>],
    operands: &[Operand<'p>],
) -> Result<(), Diagnostic<'p>> {
    for (value, operand) in values.iter().zip(operands) {
        if matches!(operand.place, Place::Lx(_)) {
            let message = format!("a value is in {}", operand.place);
            let refusal = refuse(op, Label::Lx, message);
            return Err(refusal.note(value.location(), "the value is defined here"));
        }
    }
    let (result, inputs) = operands.split_last().expect("an operation has a result");
    if let Some(number) = inputs.iter().position(|input| overlaps(input, result)) {
        let message = format!("the result is in {}, over operand #{number}", result.place);
        return Err(refuse(op, Label::InPlace, message));
    }
    Ok(())
}

/// Returns whether two tensors are in the same memory.
fn overlaps(a: &Operand<'_>, b: &Operand<'_>) -> bool {
    let bytes = |operand: &Operand<'_>| operand.buffer.device.bytes().get();
    match (a.place, b.place) {
        (Place::Arg(first), Place::Arg(second)) => first == second,
        (Place::Pool(first), Place::Pool(second)) => {
            let (first, second) = (first.get(), second.get());
            first < second + bytes(b) && second < first + bytes(a)
        }
        _ => false,
    }
}
