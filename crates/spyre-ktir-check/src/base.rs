//! Arguments of kernels: base addresses of views, the size of their elements, and extents.

use melior::ir::Type;
use melior::ir::operation::OperationLike;
use spyre_dialects::spyreop_type;
use spyre_mlir_rt::ir::{self, Blk, Source, Val};
use spyre_ods::{arith, ktdp};
use spyre_proof::claim::Reason;
use spyre_proof::expr::{Expr, Var};

/// Returns the argument that an address begins at, and the rest.
pub(crate) fn address(value: &Expr) -> Result<(Option<usize>, Expr), Reason> {
    let vars = value.vars();
    let mut arguments = vars.iter().filter_map(|var| match var {
        Var::Gathered(number) => Some(*number),
        _ => None,
    });
    let Some(argument) = arguments.next() else {
        return Ok((None, value.clone()));
    };
    let rest = value.minus(&Var::Gathered(argument).into());
    let is_sum = !rest
        .vars()
        .iter()
        .any(|var| matches!(var, Var::Gathered(_)));
    match is_sum {
        true => Ok((Some(argument as usize), rest)),
        false => Err(Reason::Arrangement(
            "an address that is no sum of an argument and an offset".to_owned(),
        )),
    }
}

/// Collects the arguments of `function` that views in a block begin at.
pub(crate) fn collect_bases<'p>(function: Blk<'p>, block: Blk<'p>, bases: &mut Vec<usize>) {
    for op in ir::operations(block) {
        if let Some(view) = ktdp::ConstructMemoryView::cast(op) {
            collect_arguments(function, view.base(), bases);
        }
        for block in ir::blocks(op) {
            collect_bases(function, block, bases);
        }
    }
}

/// Collects the arguments that a base address is a sum of. An operand of a product is an index and no address.
fn collect_arguments<'p>(function: Blk<'p>, value: Val<'p>, bases: &mut Vec<usize>) {
    match ir::source(value) {
        Source::Argument(block, number) => {
            // The counter of a loop is no address.
            if ir::block_key(block) == ir::block_key(function) {
                bases.push(number);
            }
        }
        Source::Result(op, _) if [arith::ADDI, arith::SELECT].contains(&ir::name(op)) => {
            for number in 0..op.operand_count() {
                let operand = ir::operand(op, number).expect("the number is below the count");
                collect_arguments(function, operand, bases);
            }
        }
        Source::Result(op, _) if ir::name(op) == arith::SUBI => {
            let first = ir::operand(op, 0).expect("a difference has operands");
            collect_arguments(function, first, bases);
        }
        Source::Result(..) => {}
    }
}

/// Returns the bits of an element of a view. Sizes and strides count a pair of moments as one float of it.
pub(crate) fn bits_in_memory(element: Type<'_>) -> Option<u32> {
    let float = spyreop_type::element_of(element).unwrap_or(element);
    match spyreop_type::is_df16(float) {
        true => Some(16),
        false => ir::bits(float),
    }
}
