//! Estimates how much a program computes.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::execution::Optimization;
use spyre_mlir_rt::ir::{self, Op, OpKind, Val};
use spyre_ops::Decomposed;

use crate::TensorType;

/// Elements up to which a program is not optimized. Each takes some 10 ns then, 5 ms in all; optimizing one operation takes as long,
/// and a softmax 100 ms.
const FEW: u64 = 1 << 19;

/// The elements that an operation and those inside of it compute: of sums and products, the terms. Views, constants and numbers
/// count nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Work {
    /// The elements, of loops whose iterations are unknown those of one iteration.
    pub(crate) elements: u64,
    /// Whether only a run knows how many elements there are.
    pub(crate) is_open: bool,
}

impl Work {
    const OPEN: Self = Self {
        elements: 0,
        is_open: true,
    };

    /// Estimates the work of an operation.
    pub(crate) fn of(op: Op<'_>) -> Self {
        let own = own(op);
        if own != Self::default() {
            return own;
        }
        let inner = ir::blocks(op).flat_map(ir::operations).map(Self::of);
        let once = inner.fold(Self::default(), Self::and);
        match ir::kind(op) {
            OpKind::For => match iterations(op) {
                Some(iterations) => Self {
                    elements: once.elements.saturating_mul(iterations),
                    ..once
                },
                None => once.and(Self::OPEN),
            },
            _ if ir::name(op) == "scf.while" => once.and(Self::OPEN),
            _ => once,
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            elements: self.elements.saturating_add(other.elements),
            is_open: self.is_open || other.is_open,
        }
    }

    /// Returns the level at which a program compiles and runs in the least time.
    pub(crate) fn optimization(self) -> Optimization {
        if self.is_open || self.elements > FEW {
            Optimization::Speed
        } else {
            Optimization::None
        }
    }
}

/// Returns the work of a device operation, a structured one or one that others are written for; nothing for others.
fn own(op: Op<'_>) -> Work {
    let name = ir::name(op);
    let elements = if let Some(device) = DeviceOp::cast(op) {
        let mut space = device.iteration_space().into_iter();
        space.try_fold(1, |product: u64, extent| {
            product.checked_mul(u64::try_from(extent).ok()?)
        })
    } else if name.starts_with("linalg.") {
        match ir::structured_op_iterations(op) {
            Some(0) => widest(op),
            iterations => iterations,
        }
    } else if is_decomposed(name) {
        widest(op)
    } else {
        Some(0)
    };
    elements.map_or(Work::OPEN, |elements| Work {
        elements,
        is_open: false,
    })
}

/// Returns the elements of the largest tensor that an operation reads or makes; `None` where one is open.
fn widest(op: Op<'_>) -> Option<u64> {
    let mut tensors = op.operands().chain(ir::results(op)).map(elements);
    tensors.try_fold(0, |most: u64, elements| Some(most.max(elements?)))
}

/// Returns the number of elements of a tensor, 0 for another value; `None` where it is open.
fn elements(value: Val<'_>) -> Option<u64> {
    match TensorType::of(value.r#type()) {
        Ok(ty) => ty.element_count().map(|count| count as u64),
        Err(_) if ir::is_ranked_tensor(value.r#type()) => None,
        Err(_) => Some(0),
    }
}

/// Returns how often the body of an `scf.for` runs; `None` where only a run knows.
fn iterations(op: Op<'_>) -> Option<u64> {
    let [lower, upper, step] = [0, 1, 2].map(|bound| ir::constant_operand(op, bound));
    let span = upper?.checked_sub(lower?)?.max(0);
    let step = u64::try_from(step?).ok().filter(|step| *step > 0)?;
    Some(u64::try_from(span).ok()?.div_ceil(step))
}

/// Returns whether an operation of the device is one that other operations are written for.
fn is_decomposed(name: &str) -> bool {
    let mnemonic = name.strip_prefix("spyre.");
    mnemonic.and_then(Decomposed::of_mnemonic).is_some()
}

#[cfg(test)]
mod tests {
    use melior::ir::Module;

    use super::*;

    /// The work of a module.
    fn work(text: &str) -> Work {
        let context = crate::context();
        let module = Module::parse(&context, text).expect("a module");
        Work::of(module.as_operation())
    }

    #[test]
    fn terms_of_products_and_iterations_count() {
        let product =
            "func.func @f(%a: tensor<8x16xf32>, %b: tensor<16x32xf32>) -> tensor<8x32xf32> {
             %0 = spyre.batchmatmul %a, %b : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
             return %0 : tensor<8x32xf32> }";
        let known = |elements| Work {
            elements,
            is_open: false,
        };
        assert_eq!(work(product), known(8 * 16 * 32));
        let looped = "func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
             %c0 = arith.constant 0 : index
             %c3 = arith.constant 3 : index
             %c10 = arith.constant 10 : index
             %0 = scf.for %i = %c0 to %c10 step %c3 iter_args(%x = %a) -> tensor<8xf32> {
               %y = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
               scf.yield %y : tensor<8xf32>
             }
             return %0 : tensor<8xf32> }";
        assert_eq!(work(looped), known(4 * 8));
    }

    #[test]
    fn open_extents_and_loops_are_optimized() {
        let open = "func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {
             %y = linalg.exp ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
             return %y : tensor<?xf32> }";
        assert_eq!(work(open), Work::OPEN);
        assert_eq!(work(open).optimization(), Optimization::Speed);
        let times = "func.func @f(%a: tensor<8xf32>, %n: index) -> tensor<8xf32> {
             %c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<8xf32> {
               %y = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
               scf.yield %y : tensor<8xf32>
             }
             return %0 : tensor<8xf32> }";
        assert_eq!(
            work(times),
            Work {
                elements: 8,
                is_open: true
            }
        );
    }

    #[test]
    fn few_elements_are_not_optimized() {
        let level = |elements| {
            Work {
                elements,
                is_open: false,
            }
            .optimization()
        };
        assert_eq!(level(FEW), Optimization::None);
        assert_eq!(level(FEW + 1), Optimization::Speed);
    }
}
