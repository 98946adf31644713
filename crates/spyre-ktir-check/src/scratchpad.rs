//! A model of the scratchpad of a core: the tensors of a kernel that are alive at the same time.
//!
//! A kernel names no addresses in scratchpads; its tensors are there. A tensor is alive from the operation that builds it
//! to the last one that uses it. Operations that change shapes alone have the memory of their operand, and so has a
//! result that is written to a destination without other uses: the init of a structured operation, or a value that a
//! loop carries. What a consumer of KTIR needs for the evaluation of one operation is not counted.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{ShapedTypeLike, ValueLike};
use rustc_hash::FxHashMap;
use spyre_mlir_rt::ir::{self, Blk, Op, Val, ValueKey};
use spyre_ods::{scf, tensor};

/// Returns the most bytes of tensors that are alive at the same time on a core; tensors of dynamic extents count 0.
#[must_use]
pub fn scratchpad_peak(kernel: Op<'_>) -> u64 {
    let body = ir::function_body(kernel);
    body.map_or(0, |body| Model::default().block(body, &[]))
}

/// Operations with a result in the memory of their operand.
const VIEWS: [&str; 4] = [
    tensor::CAST,
    tensor::COLLAPSE_SHAPE,
    tensor::EXPAND_SHAPE,
    tensor::EXTRACT_SLICE,
];

#[derive(Default)]
struct Model<'p> {
    /// The value with the memory of another one.
    memory_of: FxHashMap<ValueKey, Val<'p>>,
}

/// Returns the bytes of a tensor; 0 for another value.
fn bytes(value: Val<'_>) -> u64 {
    let Ok(ty) = RankedTensorType::try_from(value.r#type()) else {
        return 0;
    };
    let elements = (0..ty.rank()).try_fold(1_u64, |product, dim| match ty.dim_size(dim) {
        Ok(DimSize::Static(extent)) => product.checked_mul(extent),
        _ => None,
    });
    let bits = u64::from(ir::bits(ty.element()).unwrap_or(64));
    elements.map_or(0, |elements| (elements * bits).div_ceil(8))
}

impl<'p> Model<'p> {
    fn memory(&self, value: Val<'p>) -> Val<'p> {
        let mut value = value;
        while let Some(other) = self.memory_of.get(&ir::value_key(value)) {
            value = *other;
        }
        value
    }

    /// Gives a result the memory of an operand.
    fn share(&mut self, result: Val<'p>, operand: Val<'p>) {
        let operand = self.memory(operand);
        if ir::value_key(operand) != ir::value_key(result) {
            self.memory_of.insert(ir::value_key(result), operand);
        }
    }

    /// Gives results the memory of operands that they are written to.
    fn operation(&mut self, op: Op<'p>) {
        let name = ir::name(op);
        let written = |value: &Val<'p>| ir::uses(*value).len() == 1;
        if VIEWS.contains(&name) {
            let operand = ir::operand(op, 0).expect("a view has an operand");
            let result = ir::result(op, 0).expect("a view has a result");
            self.share(result, operand);
        } else if name == tensor::INSERT_SLICE {
            let destination = ir::operand(op, 1).expect("the ODS: a destination");
            if written(&destination) {
                self.share(ir::result(op, 0).expect("the ODS: a result"), destination);
            }
        } else if name.starts_with("linalg.") {
            // The inits are the last operands.
            let results: Vec<_> = ir::results(op).collect();
            let operands: Vec<_> = op.operands().collect();
            let inits = operands.len().saturating_sub(results.len());
            for (result, init) in results.into_iter().zip(&operands[inits..]) {
                if written(init) {
                    self.share(result, *init);
                }
            }
        } else if let Some(for_) = scf::For::cast(op) {
            let body = ir::body(op).expect("a loop has a body");
            let carried = ir::arguments(body).skip(1).zip(ir::results(op));
            for ((inside, result), init) in carried.zip(for_.init_args()) {
                if written(&init) {
                    self.share(inside, init);
                }
                self.share(result, inside);
            }
        }
    }

    /// Returns the peak of a block. `around` are tensors that are alive in all of it.
    fn block(&mut self, block: Blk<'p>, around: &[Val<'p>]) -> u64 {
        let ops: Vec<_> = ir::operations(block).collect();
        let mut last: FxHashMap<ValueKey, usize> = FxHashMap::default();
        for (at, op) in ops.iter().enumerate() {
            self.operation(*op);
            let mut used = Vec::new();
            collect_uses(*op, &mut used);
            for value in used {
                last.insert(ir::value_key(self.memory(value)), at);
            }
        }
        let mut alive: Vec<Val<'p>> = around.to_vec();
        for argument in ir::arguments(block) {
            self.add(&mut alive, argument);
        }
        let held = alive.len();
        let mut peak = total(&alive);
        for (at, op) in ops.iter().enumerate() {
            for result in ir::results(*op) {
                self.add(&mut alive, result);
            }
            peak = peak.max(total(&alive));
            if !ir::name(*op).starts_with("linalg.") {
                for inner in ir::blocks(*op) {
                    // Results of the operation are in memory of the block inside, or built by its last operation.
                    let outside: Vec<_> = alive.clone();
                    peak = peak.max(self.block(inner, &outside));
                }
            }
            let mut place = 0;
            alive.retain(|value| {
                place += 1;
                place <= held
                    || last
                        .get(&ir::value_key(*value))
                        .is_some_and(|last| *last > at)
            });
        }
        peak
    }

    fn add(&self, alive: &mut Vec<Val<'p>>, value: Val<'p>) {
        let value = self.memory(value);
        let key = ir::value_key(value);
        if bytes(value) > 0 && !alive.iter().any(|other| ir::value_key(*other) == key) {
            alive.push(value);
        }
    }
}

fn total(values: &[Val<'_>]) -> u64 {
    values.iter().map(|value| bytes(*value)).sum()
}

/// Collects the operands of an operation, and of the operations inside.
fn collect_uses<'p>(op: Op<'p>, used: &mut Vec<Val<'p>>) {
    used.extend(
        op.operands()
            .filter(|value| ir::is_ranked_tensor(value.r#type())),
    );
    for inner in ir::blocks(op).flat_map(ir::operations) {
        collect_uses(inner, used);
    }
}
