//! A model of the scratchpad of a core: the tensors of a kernel that are alive at the same time.
//!
//! A kernel names no addresses in scratchpads; its tensors are there. A tensor is alive from the operation that writes it
//! to the last one that uses it; `tensor.empty` writes nothing. Operations that change shapes alone have the memory of
//! their operand, and so has a result that is written to a destination that nothing uses later: the init of a structured
//! operation, the tensor of an insertion, or the init of a value that a loop carries. A result that is computed element by element is in the memory of an operand
//! of the same size that nothing else uses later, as plans of scratchpads have it. What a consumer of KTIR needs for the
//! evaluation of one operation is not counted, and tensors of dynamic extents count 0.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{Attribute, ShapedTypeLike, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKey, Source, TypeKey, Val, ValueKey};
use spyre_ods::{linalg, scf, tensor};

/// The bytes of tensors that are alive around an operation.
#[derive(Debug, Clone, Copy)]
pub struct Use<'p> {
    /// The operation.
    pub op: Op<'p>,
    /// The bytes before it.
    pub before: u64,
    /// The bytes with its results.
    pub most: u64,
}

/// Returns the bytes of tensors that are alive around each operation of a kernel, in the order of the text. Operations in
/// the bodies of structured operations are left out.
#[must_use]
pub fn uses(kernel: Op<'_>) -> Vec<Use<'_>> {
    let mut model = Model::default();
    if let Some(body) = ir::function_body(kernel) {
        model.block(body);
    }
    model.uses
}

/// Returns whether all tensors of a kernel together take at most so many bytes, whenever they are alive.
#[must_use]
pub fn all_fit(kernel: Op<'_>, limit: u64) -> bool {
    let mut model = Model::default();
    let body = ir::function_body(kernel);
    body.is_none_or(|body| model.all(body) <= limit)
}

/// Returns the most bytes of tensors that are alive at the same time on a core.
#[must_use]
pub fn peak(kernel: Op<'_>) -> u64 {
    let bytes = uses(kernel).into_iter().map(|at| at.most);
    bytes.max().unwrap_or(0)
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
    /// The tensors that are alive.
    alive: FxHashSet<ValueKey>,
    /// Their bytes.
    total: u64,
    /// The bytes of tensors of each type.
    bytes_of: FxHashMap<TypeKey, u64>,
    uses: Vec<Use<'p>>,
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
    fn bytes(&mut self, value: Val<'p>) -> u64 {
        let key = ir::type_key(value.r#type());
        *self.bytes_of.entry(key).or_insert_with(|| bytes(value))
    }

    /// Returns the bytes of all tensors that the operations of a block compute.
    fn all(&mut self, block: Blk<'p>) -> u64 {
        let mut total = 0;
        for op in ir::operations(block) {
            total += ir::results(op).map(|it| self.bytes(it)).sum::<u64>();
            if !is_structured(op) {
                total += ir::blocks(op).map(|inner| self.all(inner)).sum::<u64>();
            }
        }
        total
    }

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

    /// Gives results the memory of operands that they are written to. `places` has the numbers of the operations of the block.
    fn operation(&mut self, op: Op<'p>, places: &FxHashMap<OpKey, usize>) {
        let name = ir::name(op);
        let written = |value: &Val<'p>| ir::uses(*value).len() == 1 || dies_at(*value, op, places);
        if VIEWS.contains(&name) {
            let operand = ir::operand(op, 0).expect("a view has an operand");
            let result = ir::result(op, 0).expect("a view has a result");
            self.share(result, operand);
        } else if name == tensor::INSERT_SLICE {
            let destination = ir::operand(op, 1).expect("the ODS: a destination");
            if written(&destination) {
                self.share(ir::result(op, 0).expect("the ODS: a result"), destination);
            }
        } else if is_structured(op) {
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

    /// Adds the operations of a block. Tensors that the block computes die at its end.
    fn block(&mut self, block: Blk<'p>) {
        let ops: Vec<_> = ir::operations(block).collect();
        let mut last: FxHashMap<ValueKey, usize> = FxHashMap::default();
        let places = ops.iter().enumerate();
        let places = places.map(|(at, op)| (ir::op_key(*op), at)).collect();
        for (at, op) in ops.iter().enumerate() {
            self.operation(*op, &places);
            let mut used = Vec::new();
            collect_uses(*op, &mut used);
            for value in used {
                last.insert(ir::value_key(self.memory(value)), at);
            }
        }
        let mut held = Vec::new();
        for argument in ir::arguments(block) {
            held.extend(self.add(argument));
        }
        let mut dying: Vec<Vec<Val<'p>>> = vec![Vec::new(); ops.len()];
        for (at, op) in ops.iter().enumerate() {
            let before = self.total;
            self.in_place(*op, &mut dying[at], &mut last);
            for result in ir::results(*op) {
                if ir::name(*op) == tensor::EMPTY {
                    break; // the operation that writes it takes the memory
                }
                if let Some(value) = self.add(result) {
                    let last = last.get(&ir::value_key(value)).copied();
                    dying[last.unwrap_or(at)].push(value);
                }
            }
            self.uses.push(Use {
                op: *op,
                before,
                most: self.total,
            });
            if !is_structured(*op) {
                ir::blocks(*op).for_each(|inner| self.block(inner));
            }
            let dead = std::mem::take(&mut dying[at]);
            dead.into_iter().for_each(|value| self.remove(value));
        }
        held.into_iter().for_each(|value| self.remove(value));
    }

    /// Gives the result of an operation on elements the memory of an operand that dies at the operation, which is then no longer
    /// among `dying`.
    fn in_place(
        &mut self,
        op: Op<'p>,
        dying: &mut Vec<Val<'p>>,
        last: &mut FxHashMap<ValueKey, usize>,
    ) {
        let places = places(op);
        let Some(result) = ir::result(op, 0).filter(|_| !places.is_empty()) else {
            return;
        };
        let result = self.memory(result);
        if self.alive.contains(&ir::value_key(result)) {
            return; // it is written to a destination
        }
        for &operand in &places {
            let memory = self.memory(operand);
            let place = dying
                .iter()
                .position(|it| ir::value_key(*it) == ir::value_key(memory));
            let Some(place) = place.filter(|_| self.bytes(memory) == self.bytes(result)) else {
                continue;
            };
            let same = |it: &Val<'p>| ir::value_key(self.memory(*it)) == ir::value_key(memory);
            if op.operands().filter(same).count() > places.iter().filter(|it| same(it)).count() {
                continue; // it is read at other positions as well
            }
            let end = last.get(&ir::value_key(result)).copied();
            dying.remove(place);
            self.alive.remove(&ir::value_key(memory));
            self.total -= self.bytes(memory);
            if let Some(end) = end {
                last.insert(ir::value_key(memory), end);
            }
            self.memory_of.insert(ir::value_key(result), memory);
            return;
        }
    }

    /// Adds the memory of a value, and returns it, unless it is there already.
    fn add(&mut self, value: Val<'p>) -> Option<Val<'p>> {
        let value = self.memory(value);
        let size = self.bytes(value);
        let is_new = size > 0 && self.alive.insert(ir::value_key(value));
        self.total += if is_new { size } else { 0 };
        is_new.then_some(value)
    }

    fn remove(&mut self, value: Val<'p>) {
        self.alive.remove(&ir::value_key(value));
        self.total -= self.bytes(value);
    }
}

fn is_structured(op: Op<'_>) -> bool {
    ir::name(op).starts_with("linalg.")
}

fn is_view(op: Op<'_>) -> bool {
    VIEWS.contains(&ir::name(op))
}

/// Returns whether nothing uses the memory of a value after an operation of its block, which uses it once. `places` has the
/// numbers of the operations of the block.
fn dies_at<'p>(value: Val<'p>, op: Op<'p>, places: &FxHashMap<OpKey, usize>) -> bool {
    let is_here = |op: &Op<'p>| places.contains_key(&ir::op_key(*op));
    let mut whole = value;
    while let Some(view) = ir::defining_op(whole).filter(|op| is_view(*op) && is_here(op)) {
        whole = ir::operand(view, 0).expect("a view has an operand");
    }
    // What another block defines is there in its next iteration as well.
    let block = op.block().map(ir::block_key);
    let is_local = match ir::source(whole) {
        Source::Result(definition, _) => is_here(&definition),
        Source::Argument(owner, _) => Some(ir::block_key(owner)) == block,
    };
    let at = places[&ir::op_key(op)];
    let mut names = vec![whole];
    let mut uses = 0;
    while let Some(name) = names.pop() {
        for usage in ir::uses(name) {
            if ir::op_key(usage.owner) == ir::op_key(op) {
                uses += 1;
                continue;
            }
            let mut around = std::iter::successors(Some(usage.owner), |op| op.parent_operation());
            let place = around.find_map(|op| places.get(&ir::op_key(op)));
            match place {
                Some(_) if is_view(usage.owner) && is_here(&usage.owner) => {
                    names.extend(ir::results(usage.owner));
                }
                Some(place) if *place < at => {}
                _ => return false,
            }
        }
    }
    is_local && uses == 1
}

/// Returns the operands of which each element is read where the result is written; none of an operation that combines
/// elements.
fn places<'p>(op: Op<'p>) -> Vec<Val<'p>> {
    let name = ir::name(op);
    if name.starts_with("arith.") || name.starts_with("math.") {
        return op.operands().collect();
    }
    let Some(generic) = linalg::Generic::cast(op) else {
        return Vec::new();
    };
    let is_parallel = |kind: &Attribute<'_>| kind.to_string().contains("parallel");
    let kinds = attr::elements(generic.iterator_types());
    let maps = attr::elements(generic.indexing_maps()).into_iter();
    let is_identity = |map| ir::affine_map_value(map).is_some_and(|map| map.is_identity());
    let at_place: Vec<bool> = maps.map(is_identity).collect();
    if !kinds.iter().all(is_parallel) || at_place.last() != Some(&true) {
        return Vec::new();
    }
    let inputs = generic.inputs().zip(at_place);
    inputs.filter(|it| it.1).map(|it| it.0).collect()
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
