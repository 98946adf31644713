//! What the consumers of a flavour take.
//!
//! The portable flavour is executed by an interpreter on the CPU; the upstream flavour is compiled by the scheduler
//! (`upstream`).

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_mlir_rt::ir::{self, Blk, Op};
use spyre_ods::{affine, func, ktdp, linalg, math, scf, spyreop, tensor};

use crate::Flavour;
use crate::check::Check;
use crate::rules::PORTABLE;

/// The operations that the interpreter does not have.
const NOT_EXECUTED: [&str; 30] = [
    affine::APPLY,
    func::CALL,
    ktdp::RUNTIME_ARG_EXTRACT,
    linalg::CONTRACT,
    linalg::DIV,
    linalg::EXP,
    linalg::MAP,
    linalg::MATVEC,
    linalg::MIN,
    linalg::MUL,
    linalg::NEGF,
    linalg::SELECT,
    linalg::SOFTMAX,
    linalg::SUB,
    math::COPYSIGN,
    math::COSH,
    math::EXP2,
    math::EXPM1,
    math::ROUND,
    math::ROUNDEVEN,
    math::TRUNC,
    scf::FORALL,
    tensor::CONCAT,
    tensor::PAD,
    ktdp::INTER_TILE_CONSUME,
    ktdp::CONSTRUCT_DISTRIBUTED_MEMORY_VIEW,
    linalg::BATCH_MATVEC,
    scf::PARALLEL,
    scf::WHILE,
    scf::INDEX_SWITCH,
];

/// The types of elements that the interpreter loads and stores.
const LOADED_TYPES: [&str; 4] = ["f16", "f32", "i32", "i64"];

impl<'p> Check<'_, 'p> {
    /// Checks the operations and types of a kernel.
    pub(crate) fn flavour(&mut self, flavour: Flavour) {
        let body = ir::function_body(self.kernel.function).expect("a kernel has a body");
        self.block(body, flavour);
        if flavour == Flavour::Upstream {
            self.stages();
        }
    }

    fn block(&mut self, block: Blk<'p>, flavour: Flavour) {
        for op in ir::operations(block) {
            match flavour {
                Flavour::Portable => self.portable(op),
                Flavour::Upstream => self.upstream(op),
            }
            for block in ir::blocks(op) {
                self.block(block, flavour);
            }
        }
    }

    fn portable(&mut self, op: Op<'p>) {
        let name = ir::name(op);
        let is_intrinsic = spyreop::OPERATIONS.iter().any(|it| it.name == name);
        if is_intrinsic || NOT_EXECUTED.contains(&name) {
            let message = format!("the interpreter of KTIR has no '{name}'");
            self.find(PORTABLE, op, message);
        } else if name == scf::IF && op.result_count() > 0 {
            let message =
                "the interpreter of KTIR has no 'scf.if' with a result; 'arith.select' is one";
            self.find(PORTABLE, op, message);
        } else if name == linalg::REDUCE && op.result_count() > 1 {
            let count = op.result_count();
            let message =
                format!("the interpreter of KTIR has no 'linalg.reduce' of {count} tensors");
            self.find(PORTABLE, op, message);
        } else if let Some(tile) = ktdp::ConstructAccessTile::cast(op)
            && tile.symbol_operands().len() > 0
        {
            let message = "the interpreter of KTIR has no symbols in the set of a tile";
            self.find(PORTABLE, op, message);
        }
        let is_access = [ktdp::LOAD, ktdp::STORE].contains(&name);
        let value = match name {
            ktdp::LOAD => ir::result(op, 0),
            _ => ir::operand(op, 0),
        };
        if let Some(value) = value.filter(|_| is_access) {
            let ty = value.r#type();
            let element = melior::ir::r#type::RankedTensorType::try_from(ty)
                .map(|ty| melior::ir::ShapedTypeLike::element(&ty).to_string());
            let element = element.expect("KT25: a ranked tensor");
            if !LOADED_TYPES.contains(&&element[..]) {
                let message = format!(
                    "the interpreter of KTIR loads and stores f16, f32, i32 and i64, and not {element}"
                );
                self.find(PORTABLE, op, message);
            }
        }
    }
}
