//! Statements that compute the same in each iteration of a loop around them.

use rustc_hash::FxHashSet;

use crate::expr::{Expr, Var};
use crate::program::{Access, Def, LoopId, Program, StatementId, ValueId};

/// Returns whether a statement computes the same in each iteration of a loop: nothing that it reads, directly or not, depends on the
/// counter or on tensors that the loop carries.
///
/// A hint whose dimension an operation does not have leaves such a loop around it. This is about the text of the
/// program, so a reduction in tiles is repeated as well, for which no equation of elements is known.
pub(crate) fn is_repeated(program: &Program, statement: StatementId, id: LoopId) -> bool {
    let depends = |index: &[Expr]| {
        let mut vars = index.iter().flat_map(Expr::vars);
        vars.any(|var| var == Var::Counter(id))
    };
    let values = |operands: &[Access]| -> Vec<ValueId> {
        let values = operands.iter().map(|access| access.value);
        values.collect()
    };
    let mut next = values(&program.statement(statement).operands);
    let mut visited = FxHashSet::default();
    while let Some(value) = next.pop() {
        let of = program.value(value);
        // What is defined outside of the loop is the same in each iteration.
        if !of.loops.contains(&id) || !visited.insert(value) {
            continue;
        }
        match &of.def {
            Def::Argument(_) | Def::Constant(_) | Def::Empty => {}
            Def::Result(inner) => next.extend(values(&program.statement(*inner).operands)),
            Def::Slice {
                source, offsets, ..
            } if !depends(offsets) => next.push(*source),
            Def::Insert {
                tile,
                into,
                offsets,
                ..
            } if !depends(offsets) => next.extend([*tile, *into]),
            Def::View { source, index } if !depends(index) => next.push(*source),
            Def::Carried(inner, at) | Def::LoopResult(inner, at) if *inner != id => {
                let carried = program.of_loop(*inner).carried[*at];
                next.extend([carried.init, carried.yielded]);
            }
            _ => return false,
        }
    }
    true
}
