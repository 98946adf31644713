//! Claims about the inits of reductions and products.
//!
//! An interpreter of KTIR accumulates in place: products and reductions overwrite their init with the result, whereas
//! in MLIR the init keeps its value. So a second reduction with the same init starts from the result of the first, and
//! a reduction in a loop with an init defined outside of the loop starts from the result of the previous iteration.

use melior::ir::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Blk, Op, Source, Val, block_key, value_key};
use spyre_ods::{arith, linalg, math, scf, tensor};

use crate::Flavour;
use crate::check::{Check, at};
use crate::report::Finding;
use crate::rules::{CARRIED, DEFINED_INIT, FRESH_INIT, IDENTITY};

/// The largest finite number of `f16`, which stands for infinity.
const LARGEST_F16: f64 = 65504.0;

/// The tensor that a reduction or product begins with.
struct Init<'p> {
    op: Op<'p>,
    /// The value outside of the loops that carry it.
    root: Val<'p>,
    /// The loops that carry it.
    carriers: Vec<Op<'p>>,
}

impl<'p> Check<'_, 'p> {
    /// Checks the inits of all reductions and products, and the tensors that loops carry.
    pub(crate) fn inits(&mut self, flavour: Flavour) {
        let body = ir::function_body(self.kernel.function).expect("a kernel has a body");
        let mut inits = Vec::new();
        self.collect(body, &mut inits);
        let mut first_of = FxHashMap::default();
        for init in &inits {
            if flavour == Flavour::Portable {
                match first_of.get(&value_key(init.root)) {
                    None => {
                        first_of.insert(value_key(init.root), init.op);
                        self.outside_of_loop(init);
                    }
                    Some(first) => self.shared(init, *first),
                }
            }
            self.identity(init, flavour);
        }
    }

    /// Collects the inits of a block, and checks that loops use what they carry.
    fn collect(&mut self, block: Blk<'p>, inits: &mut Vec<Init<'p>>) {
        for op in ir::operations(block) {
            if let Some(for_) = scf::For::cast(op) {
                let body = ir::body(op).expect("a loop has a body");
                for (number, argument) in ir::arguments(body).skip(1).enumerate() {
                    if ir::uses(argument).is_empty() {
                        let message = format!(
                            "the loop carries tensor {number}, and its body does not use it"
                        );
                        self.find(CARRIED, for_.op(), message);
                    }
                }
            }
            for value in accumulators(op) {
                inits.push(traced(op, value));
            }
            if !ir::name(op).starts_with("linalg.") {
                for block in ir::blocks(op) {
                    self.collect(block, inits);
                }
            }
        }
    }

    fn shared(&mut self, init: &Init<'p>, first: Op<'p>) {
        let name = ir::name(init.op);
        let message = format!(
            "'{name}' has the init of another reduction, and an interpreter accumulates in place; each needs its own"
        );
        let finding = Finding::new(FRESH_INIT, at(init.op), message);
        let finding = finding.note(at(first), "the other reduction is here");
        let finding = match ir::defining_op(init.root) {
            Some(op) => finding.note(at(op), "the init is here"),
            None => finding,
        };
        self.report.add(finding);
    }

    /// Checks that an init is inside of the loops that do not carry it.
    fn outside_of_loop(&mut self, init: &Init<'p>) {
        let Some(root) = ir::defining_op(init.root) else {
            return; // an argument, which no tensor is
        };
        let home = root.block().map(block_key);
        let mut block = init.op.block();
        while block.map(block_key) != home {
            let Some(parent) = block.and_then(|block| block.parent_operation()) else {
                break; // the init is in a branch that is not around the reduction
            };
            if ir::name(parent) == scf::FOR && !init.carriers.contains(&parent) {
                let name = ir::name(init.op);
                let message = format!(
                    "'{name}' has an init from outside of the loop, and an interpreter accumulates in place: each iteration \
                     begins with the result of the one before"
                );
                let finding = Finding::new(FRESH_INIT, at(init.op), message);
                self.report
                    .add(finding.note(at(root), "the init is here; build it in the loop"));
                return;
            }
            block = parent.block();
        }
        self.report.proved += 1;
    }

    fn identity(&mut self, init: &Init<'p>, flavour: Flavour) {
        let Some(root) = ir::defining_op(init.root) else {
            return; // an argument, which no tensor is
        };
        if ir::name(root) == tensor::EMPTY {
            if flavour == Flavour::Portable {
                let message = format!(
                    "the init of '{}' has no defined elements",
                    ir::name(init.op)
                );
                let finding = Finding::new(DEFINED_INIT, at(init.op), message);
                self.report.add(finding.note(
                    at(root),
                    "the init is here; `tensor.splat` gives it the identity",
                ));
            }
            return;
        }
        let (Some(number), Some(combiner)) = (constant(root), combiner(init.op)) else {
            return; // a sum that goes on, or an operation without an identity
        };
        let (is_identity, identity) = match combiner {
            arith::ADDF | arith::ADDI => (number == 0.0, "0"),
            arith::MULF | arith::MULI => (number == 1.0, "1"),
            // No absolute value is below 0.
            arith::MAXIMUMF | arith::MAXNUMF if number == 0.0 && is_of_magnitudes(init.op) => {
                (true, "0")
            }
            arith::MAXIMUMF | arith::MAXNUMF => (number <= -LARGEST_F16, "-inf"),
            arith::MINIMUMF | arith::MINNUMF => (number >= LARGEST_F16, "inf"),
            _ => return, // integers have an identity for each width
        };
        if is_identity {
            self.report.proved += 1;
            return;
        }
        let message =
            format!("the init is {number}, and the identity of '{combiner}' is {identity}");
        let finding = Finding::new(IDENTITY, at(init.op), message);
        self.report.add(finding.note(at(root), "the init is here"));
    }
}

/// Returns the inits of an operation that accumulates.
fn accumulators<'p>(op: Op<'p>) -> Vec<Val<'p>> {
    if let Some(reduce) = linalg::Reduce::cast(op) {
        return reduce.inits().collect();
    }
    if let Some(generic) = linalg::Generic::cast(op) {
        let kinds = attr::elements(generic.iterator_types());
        let reduces = kinds
            .iter()
            .any(|kind| kind.to_string().contains("reduction"));
        return match reduces {
            true => generic.outputs().collect(),
            false => Vec::new(),
        };
    }
    let products = [
        linalg::MATMUL,
        linalg::BATCH_MATMUL,
        linalg::MATVEC,
        linalg::CONTRACT,
    ];
    match products.contains(&ir::name(op)) {
        true => ir::operand(op, op.operand_count() - 1)
            .into_iter()
            .collect(),
        false => Vec::new(),
    }
}

/// Returns whether a reduction is of absolute values: each operand of the combiner is one, or what is accumulated.
fn is_of_magnitudes(op: Op<'_>) -> bool {
    let combiner = ir::body(op)
        .and_then(|body| ir::operations(body).last())
        .and_then(|last| ir::defining_op(ir::operand(last, 0)?));
    let Some(combiner) = combiner else {
        return false;
    };
    let inputs = op.operand_count() - accumulators(op).len();
    let mut operands = combiner.operands();
    operands.all(|operand| match ir::source(operand) {
        Source::Argument(_, number) if number >= inputs => true, // accumulated
        _ => is_magnitude(operand),
    })
}

/// Returns whether a float, or each element of a tensor, is an absolute value. Values are followed through operations
/// that move elements, round them or change the type of floats, and from the body of an operation to its operands.
fn is_magnitude(value: Val<'_>) -> bool {
    let moves = [
        arith::EXTF,
        arith::TRUNCF,
        linalg::TRANSPOSE,
        linalg::BROADCAST,
        tensor::CAST,
        tensor::COLLAPSE_SHAPE,
        tensor::EXPAND_SHAPE,
        tensor::EXTRACT_SLICE,
    ];
    let mut value = value;
    loop {
        let next = match ir::source(value) {
            Source::Result(op, _) if ir::name(op) == math::ABSF => return true,
            Source::Result(op, _) if moves.contains(&ir::name(op)) => ir::operand(op, 0),
            Source::Result(op, number) if ir::name(op) == linalg::GENERIC => {
                let last = ir::body(op).and_then(|body| ir::operations(body).last());
                last.and_then(|last| ir::operand(last, number))
            }
            Source::Argument(block, number) => {
                let around = block.parent_operation();
                let around = around.filter(|op| ir::name(*op).starts_with("linalg."));
                around.and_then(|op| ir::operand(op, number))
            }
            Source::Result(..) => None,
        };
        match next {
            Some(operand) => value = operand,
            None => return false,
        }
    }
}

/// Returns an init, followed through the loops that carry it.
fn traced<'p>(op: Op<'p>, value: Val<'p>) -> Init<'p> {
    let mut root = value;
    let mut carriers = Vec::new();
    while let Source::Argument(block, number) = ir::source(root)
        && let Some(parent) = block.parent_operation()
        && let Some(for_) = scf::For::cast(parent)
        && let Some(init) = number
            .checked_sub(1)
            .and_then(|number| for_.init_args().nth(number))
    {
        carriers.push(parent);
        root = init;
    }
    Init { op, root, carriers }
}

/// Returns the number that all elements of a tensor are.
fn constant(op: Op<'_>) -> Option<f64> {
    match ir::name(op) {
        arith::CONSTANT => {
            let value = ir::attribute(op, "value")?;
            attr::number(value).or_else(|| attr::number(attr::splat(value)?))
        }
        tensor::SPLAT | linalg::FILL => constant(ir::defining_op(ir::operand(op, 0)?)?),
        _ => None,
    }
}

/// Returns the operation that combines a term with what is accumulated.
fn combiner(op: Op<'_>) -> Option<&'static str> {
    let names = [
        arith::ADDF,
        arith::ADDI,
        arith::MULF,
        arith::MULI,
        arith::MAXIMUMF,
        arith::MAXNUMF,
        arith::MINIMUMF,
        arith::MINNUMF,
    ];
    let body = ir::body(op)?;
    let last = ir::operations(body).last()?;
    let yielded = ir::defining_op(ir::operand(last, 0)?)?;
    names.into_iter().find(|name| *name == ir::name(yielded))
}
