//! The legality check of the scheduler, which its first version runs before everything else.
//!
//! The check stops at the first operation that it refuses. It looks at loops, at the constructs of `ktdp`, and at `linalg`
//! with the bodies; other operations are not looked at, so a kernel that passes may still not be scheduled.

use melior::ir::operation::OperationLike;
use spyre_mlir_rt::ir::{self, Blk, Op};
use spyre_ods::{arith, ktdp, linalg, math, scf, spyreop};

/// The operations of `linalg` on whole tensors that the check takes.
const NAMED: [&str; 6] = [
    linalg::ADD,
    linalg::MAX,
    linalg::MIN,
    linalg::MUL,
    linalg::SUB,
    linalg::YIELD,
];

/// The operations in bodies that the check takes, next to those of `spyreop`.
const IN_BODIES: [&str; 13] = [
    arith::ADDF,
    arith::ADDI,
    arith::CMPF,
    arith::CONSTANT,
    arith::INDEX_CASTUI,
    arith::MAXIMUMF,
    arith::MAXNUMF,
    arith::MINIMUMF,
    arith::MULF,
    arith::SELECT,
    arith::SUBF,
    linalg::YIELD,
    math::ABSF,
];

/// Returns why the check refuses an operation; `None` if it does not.
pub(crate) fn refusal(op: Op<'_>) -> Option<String> {
    match ir::name(op) {
        scf::FOR if op.result_count() > 0 => Some("a loop that carries values".to_owned()),
        name @ (scf::WHILE
        | ktdp::CONSTRUCT_DISTRIBUTED_MEMORY_VIEW
        | ktdp::CONSTRUCT_INDIRECT_ACCESS_TILE) => Some(format!("'{name}'")),
        name @ (linalg::GENERIC | linalg::REDUCE) => {
            let inside = ir::blocks(op).flat_map(ir::operations);
            let mut names = inside.map(ir::name);
            let other = names.find(|name| !is_in_bodies(name))?;
            Some(format!("'{other}' in the body of '{name}'"))
        }
        name if name.starts_with("linalg.") && !NAMED.contains(&name) => Some(format!("'{name}'")),
        _ => None,
    }
}

fn is_in_bodies(name: &str) -> bool {
    IN_BODIES.contains(&name) || spyreop::OPERATIONS.iter().any(|it| it.name == name)
}

/// Returns why the check refuses a kernel; `None` if it does not.
pub(crate) fn first_refusal(block: Blk<'_>) -> Option<String> {
    ir::operations(block).find_map(|op| {
        refusal(op).or_else(|| match ir::name(op).starts_with("linalg.") {
            true => None, // the body has been looked at
            false => ir::blocks(op).find_map(first_refusal),
        })
    })
}
