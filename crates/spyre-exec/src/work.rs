//! Estimates how much a program computes.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_analysis::walk::trip_count;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::execution::Optimization;
use spyre_mlir_rt::ir::{self, Op, OpKind, Val};
use spyre_ods::scf;
use spyre_ops::Decomposed;

use crate::TensorType;

/// The number of elements up to which a program is compiled without optimization. An element then takes about 10 ns, so the program
/// takes at most 5 ms. To optimize a single operation takes 5 ms too, and a softmax 100 ms.
const FEW: u64 = 1 << 19;

/// Returns the number of elements that the operations inside an operation compute; for products, the number of terms.
/// Views, constants, scalars and operations with dynamic extents count 0, and the body of a loop counts once.
pub(crate) fn elements(op: Op<'_>) -> u64 {
    let count = match DeviceOp::cast(op) {
        Some(device) => {
            let space = device.iteration_space();
            let extents: Result<Vec<u64>, _> = space.into_iter().map(u64::try_from).collect();
            // A negative extent is dynamic.
            extents.map_or(0, |extents| {
                extents.into_iter().fold(1, u64::saturating_mul)
            })
        }
        None if is_structured(op) => tensors(op).into_iter().flatten().max().unwrap_or(0),
        None => 0,
    };
    if count > 0 {
        return count;
    }
    inside(op).map(elements).fold(0, u64::saturating_add)
}

/// Returns the level at which a program compiles and runs in the least time.
pub(crate) fn optimization(program: Op<'_>) -> Optimization {
    match iterations(program) {
        Some(iterations) if iterations <= FEW => Optimization::None,
        _ => Optimization::Speed,
    }
}

/// Returns the number of iterations of the bodies of the operations inside of an operation; `None` if it is dynamic.
fn iterations(op: Op<'_>) -> Option<u64> {
    let count = match DeviceOp::cast(op) {
        Some(device) => {
            let mut space = device.iteration_space().into_iter();
            space.try_fold(1, |product: u64, extent| {
                product.checked_mul(u64::try_from(extent).ok()?)
            })?
        }
        None if is_structured(op) => match ir::structured_op_iterations(op)? {
            0 => widest(op)?,
            iterations => iterations,
        },
        None => 0,
    };
    if count > 0 {
        return Some(count);
    }
    let once = inside(op).try_fold(0, |sum: u64, op| sum.checked_add(iterations(op)?))?;
    match ir::kind(op) {
        OpKind::For => once.checked_mul(u64::try_from(trip_count(op)?).ok()?),
        _ if ir::name(op) == scf::WHILE => None,
        _ => Some(once),
    }
}

fn inside<'c>(op: Op<'c>) -> impl Iterator<Item = Op<'c>> {
    ir::blocks(op).flat_map(ir::operations)
}

/// Returns whether an operation is a structured one of linalg, or one of the device that others are written for.
fn is_structured(op: Op<'_>) -> bool {
    let name = ir::name(op);
    name.starts_with("linalg.") || is_decomposed(name)
}

/// Returns the number of elements of the largest operand or result of an operation; `None` if an extent is dynamic.
fn widest(op: Op<'_>) -> Option<u64> {
    tensors(op)
        .into_iter()
        .try_fold(0, |most: u64, elements| Some(most.max(elements?)))
}

/// Returns the number of elements of each operand and result of an operation.
fn tensors(op: Op<'_>) -> Vec<Option<u64>> {
    op.operands()
        .chain(ir::results(op))
        .map(elements_of)
        .collect()
}

/// Returns the number of elements of a tensor, 0 for another value; `None` where it is open.
fn elements_of(value: Val<'_>) -> Option<u64> {
    match TensorType::of(value.r#type()) {
        Ok(ty) => ty.element_count().map(|count| count as u64),
        Err(_) if ir::is_ranked_tensor(value.r#type()) => None,
        Err(_) => Some(0),
    }
}

/// Returns whether a device operation is decomposed into others.
fn is_decomposed(name: &str) -> bool {
    let mnemonic = name.strip_prefix("spyre.");
    mnemonic.and_then(Decomposed::of_mnemonic).is_some()
}

#[cfg(test)]
mod tests {
    use melior::ir::Module;

    use super::*;

    /// Returns the result of `find` on a module.
    fn with_operation<T>(text: &str, find: impl Fn(Op<'_>) -> T) -> T {
        let context = crate::context();
        let module = Module::parse(&context, text).expect("a module");
        find(module.as_operation())
    }

    /// Returns a loop of `bound` iterations by steps of 3 over an operation of 8 elements.
    fn looped(bound: &str) -> String {
        format!(
            "func.func @f(%a: tensor<8xf32>, %n: index) -> tensor<8xf32> {{
               %c0 = arith.constant 0 : index
               %c3 = arith.constant 3 : index
               %c10 = arith.constant 10 : index
               %0 = scf.for %i = %c0 to {bound} step %c3 iter_args(%x = %a) -> tensor<8xf32> {{
                 %y = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
                 scf.yield %y : tensor<8xf32>
               }}
               return %0 : tensor<8xf32> }}"
        )
    }

    #[test]
    fn terms_of_products_count_and_loops_run_all_iterations() {
        let product = "func.func @f(%a: tensor<8x16xf32>, %b: tensor<16x32xf32>) -> tensor<8x32xf32> {
             %0 = spyre.batchmatmul %a, %b : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
             return %0 : tensor<8x32xf32> }";
        assert_eq!(with_operation(product, elements), 8 * 16 * 32);
        assert_eq!(with_operation(product, iterations), Some(8 * 16 * 32));
        assert_eq!(with_operation(&looped("%c10"), elements), 8);
        assert_eq!(with_operation(&looped("%c10"), iterations), Some(4 * 8));
    }

    #[test]
    fn dynamic_and_huge_extents_do_not_overflow() {
        let open = "func.func @f(%a: tensor<?x?x64xf16>, %b: tensor<8xf16>) -> (tensor<?x?x64xf16>, tensor<8xf16>) {
             %0 = spyre.exp %a : tensor<?x?x64xf16>
             %1 = spyre.exp %b : tensor<8xf16>
             return %0, %1 : tensor<?x?x64xf16>, tensor<8xf16> }";
        assert_eq!(with_operation(open, elements), 8);
        let huge = "func.func @f(%a: tensor<4611686018427387904x8xf16>) -> tensor<4611686018427387904x8xf16> {
             %0 = spyre.exp %a : tensor<4611686018427387904x8xf16>
             %1 = spyre.exp %0 : tensor<4611686018427387904x8xf16>
             return %1 : tensor<4611686018427387904x8xf16> }";
        assert_eq!(with_operation(huge, elements), u64::MAX);
    }

    #[test]
    fn open_extents_and_loops_are_optimized() {
        let open = "func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {
             %y = linalg.exp ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
             return %y : tensor<?xf32> }";
        assert_eq!(with_operation(open, iterations), None);
        assert_eq!(with_operation(open, optimization), Optimization::Speed);
        assert_eq!(with_operation(&looped("%n"), iterations), None);
    }

    #[test]
    fn few_elements_are_not_optimized() {
        let exp = |rows: u64| {
            format!(
                "func.func @f(%a: tensor<{rows}x1024xf32>) -> tensor<{rows}x1024xf32> {{
                   %y = spyre.exp %a : tensor<{rows}x1024xf32>
                   return %y : tensor<{rows}x1024xf32> }}"
            )
        };
        assert_eq!(
            with_operation(&exp(FEW / 1024), optimization),
            Optimization::None
        );
        assert_eq!(
            with_operation(&exp(FEW / 1024 + 1), optimization),
            Optimization::Speed
        );
    }
}
