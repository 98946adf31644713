//! The dimensions that the readers of a value need on its stick.
//!
//! Candidates that come from operands alone can be too few: when the only reader of a large sum is a matrix product, it is
//! cheaper to restickify small operands than the sum. Two walks, one forwards and one backwards, collect for every
//! value the dimensions that later operations need.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_analysis::indexing::Indexings;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::view::{self, View};
use spyre_analysis::walk::carried;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Blk, Offset, Op, OpKind, Val};
use spyre_ops::StickRule;
use spyre_ops::sticks::Access;

use super::stick::accesses;

/// A set of dimensions of a tensor; dimensions from 32 on are never in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Dims(u32);

impl Dims {
    fn insert(&mut self, dim: usize) {
        self.0 |= if dim < 32 { 1 << dim } else { 0 };
    }

    fn iter(self) -> impl Iterator<Item = usize> {
        (0..32).filter(move |dim| self.0 >> dim & 1 == 1)
    }

    fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The wanted dimensions of the values of a function.
#[derive(Debug, Default)]
pub(super) struct Wants {
    values: FxHashMap<ir::ValueKey, Dims>,
}

impl Wants {
    /// Collects the wanted dimensions of the values of a block. A value that cannot be handled has no wanted
    /// dimensions; the analysis reports it.
    pub(super) fn of_block<'p>(types: &TensorTypes<'p>, body: Blk<'p>) -> Self {
        let mut walk = Walk {
            types,
            indexings: Indexings::default(),
            has: FxHashMap::default(),
            wants: FxHashMap::default(),
        };
        for argument in ir::arguments(body) {
            walk.start(argument);
        }
        walk.forwards(body);
        walk.backwards(body);
        Self { values: walk.wants }
    }

    /// Returns the wanted dimensions of a value, ascending.
    pub(super) fn of_value(&self, value: Val<'_>) -> Vec<usize> {
        let dims = self.values.get(&ir::value_key(value));
        dims.copied().unwrap_or_default().iter().collect()
    }
}

struct Walk<'t, 'p> {
    types: &'t TensorTypes<'p>,
    indexings: Indexings<'p>,
    /// The dimensions that can be on the stick of a value because of its operands.
    has: FxHashMap<ir::ValueKey, Dims>,
    wants: FxHashMap<ir::ValueKey, Dims>,
}

impl<'p> Walk<'_, 'p> {
    /// Adds the dimension on the stick of a value, from its layout or from the default layout.
    fn start(&mut self, value: Val<'p>) {
        let Ok(ty) = self.types.get(value.r#type()) else {
            return; // The analysis reports it, if an operation of the device has it.
        };
        let mut dims = Dims::default();
        if let Some(dim) = ty.device.layout().stick_dim() {
            dims.insert(dim);
        }
        self.has.insert(ir::value_key(value), dims);
    }

    fn has(&self, value: Val<'p>) -> Dims {
        self.has
            .get(&ir::value_key(value))
            .copied()
            .unwrap_or_default()
    }

    fn wanted_dims(&self, value: Val<'p>) -> Dims {
        self.wants
            .get(&ir::value_key(value))
            .copied()
            .unwrap_or_default()
    }

    fn want(&mut self, value: Val<'p>, dims: Dims) {
        let entry = self.wants.entry(ir::value_key(value)).or_default();
        *entry = entry.with(dims);
    }

    fn accesses(&mut self, device: DeviceOp<'p>) -> Option<(StickRule, Vec<Access>)> {
        let rule = device.facts().stick;
        let indexing = self.indexings.of(device);
        let extents = indexing.types.iter().map(|ty| {
            let ty = self.types.get(*ty).ok()?;
            Some(ty.shape().to_vec())
        });
        let extents = extents.collect::<Option<Vec<_>>>()?;
        Some((rule, accesses(rule, &indexing, &extents)))
    }

    fn forwards(&mut self, block: Blk<'p>) {
        for op in ir::operations(block) {
            let Some(result) = op.results().next() else {
                continue;
            };
            let result: Val<'p> = result.into();
            let decided = self
                .types
                .get(result.r#type())
                .is_ok_and(|ty| ty.has_layout);
            if let Some(device) = DeviceOp::cast(op).filter(|_| !decided) {
                let dims = self.result_dims(device);
                self.has.insert(ir::value_key(result), dims);
            } else if ir::kind(op) == OpKind::For {
                self.carry(op);
            } else if !decided && let Some(dims) = self.through(op) {
                self.has.insert(ir::value_key(result), dims);
            } else {
                self.start(result);
            }
        }
    }

    fn carry(&mut self, op: Op<'p>) {
        for carried in carried(op) {
            let dims = self.has(carried.init);
            self.has.insert(ir::value_key(carried.inside), dims);
            self.has.insert(ir::value_key(carried.result), dims);
        }
        self.forwards(ir::body(op).expect("a loop has a body"));
    }

    /// Returns the dimensions that can be on the stick of a device operation's result.
    fn result_dims(&mut self, device: DeviceOp<'p>) -> Dims {
        let mut dims = Dims::default();
        let Some((rule, accesses)) = self.accesses(device) else {
            return dims;
        };
        let (result, operands) = accesses.split_last().expect("an operation has a result");
        if rule == StickRule::Matmul {
            if let Some(last) = result.vars.len().checked_sub(1) {
                dims.insert(last);
            }
            return dims;
        }
        for (access, value) in operands.iter().zip(device.op().operands()) {
            for dim in self.has(value).iter() {
                let var = access.vars.get(dim).copied().flatten();
                if let Some(position) = var.and_then(|var| result.position(var)) {
                    dims.insert(position);
                }
            }
        }
        dims
    }

    fn backwards(&mut self, block: Blk<'p>) {
        let ops: Vec<Op<'p>> = ir::operations(block).collect();
        for op in ops.into_iter().rev() {
            if let Some(device) = DeviceOp::cast(op) {
                self.asks(device);
                continue;
            }
            if ir::kind(op) == OpKind::For {
                self.carry_back(op);
                continue;
            }
            let Some(result) = op.results().next() else {
                continue;
            };
            let wanted_dims = self.wanted_dims(result.into());
            if ir::kind(op) == OpKind::InsertSlice
                && let Ok(into) = op.operand(1)
            {
                self.want(into, wanted_dims);
            }
            if let Some((source, dims)) = self.back_through(op, wanted_dims) {
                self.want(source, dims);
            }
            self.cut(op);
        }
    }

    /// Adds the dimensions that a window needs on the stick of its tensor. A window that starts inside a stick of a
    /// dimension needs another dimension there, as does a window that is written and ends inside a stick.
    fn cut(&mut self, op: Op<'p>) {
        let is_written = ir::kind(op) == OpKind::InsertSlice;
        if !is_written && ir::kind(op) != OpKind::ExtractSlice {
            return;
        }
        let whole = ir::operand(op, usize::from(is_written));
        let whole = whole.expect("a window is one of a tensor");
        let Some(window) = ir::window(op) else {
            return;
        };
        let Ok(ty) = self.types.get(whole.r#type()) else {
            return;
        };
        let per_stick = ty.device.format().elements_per_stick().get().cast_signed();
        let sides = window.offsets.iter().zip(&window.sizes).zip(ty.shape());
        let is_cut = |((offset, size), extent): ((&Offset<'p>, &i64), &u64)| match *offset {
            Offset::Static(start) => {
                let end = start + size;
                start % per_stick != 0
                    || is_written && end % per_stick != 0 && end != extent.cast_signed()
            }
            Offset::Value(_) => size % per_stick != 0 && *size != extent.cast_signed(),
        };
        let cut: Vec<bool> = sides.map(is_cut).collect();
        if !cut.contains(&true) {
            return;
        }
        let mut dims = Dims::default();
        for (dim, is_cut) in cut.into_iter().enumerate() {
            if !is_cut && ty.shape().get(dim).is_some_and(|extent| *extent > 1) {
                dims.insert(dim);
            }
        }
        self.want(whole, dims);
    }

    fn carry_back(&mut self, op: Op<'p>) {
        for carried in carried(op) {
            let dims = self
                .wanted_dims(carried.result)
                .with(self.has(carried.inside));
            self.want(carried.yielded, dims);
        }
        self.backwards(ir::body(op).expect("a loop has a body"));
        for carried in carried(op) {
            let dims = self.wanted_dims(carried.inside);
            self.want(carried.init, dims);
        }
    }

    /// Adds the dimensions that a device operation needs on the sticks of its operands.
    fn asks(&mut self, device: DeviceOp<'p>) {
        let Some((rule, accesses)) = self.accesses(device) else {
            return;
        };
        let (result_access, operand_accesses) =
            accesses.split_last().expect("an operation has a result");
        let result = ir::result(device.op(), 0).expect("a device operation has a result");
        if rule == StickRule::Restickify {
            return;
        }
        let mut vars: Vec<usize> = Vec::new();
        let mut add = |access: &Access, dims: Dims| {
            vars.extend(
                dims.iter()
                    .filter_map(|dim| access.vars.get(dim).copied().flatten()),
            );
        };
        let decided = self
            .types
            .get(result.r#type())
            .ok()
            .filter(|ty| ty.has_layout);
        if let Some(ty) = decided {
            let mut dims = Dims::default();
            if let Some(dim) = ty.device.layout().stick_dim() {
                dims.insert(dim);
            }
            add(result_access, dims);
        } else {
            add(result_access, self.wanted_dims(result));
            for (access, value) in operand_accesses.iter().zip(device.op().operands()) {
                add(access, self.has(value));
            }
        }
        let op = device.op();
        let operands = operand_accesses.iter().zip(op.operands());
        for (number, (access, value)) in operands.enumerate() {
            let mut dims = Dims::default();
            if rule == StickRule::Gather && number == 0 {
                // Indices are read in whole sticks of their last dimension, and no operation of the card changes the sticks of
                // integers (contract, K35).
                let shape = self.types.get(value.r#type());
                let last = shape
                    .ok()
                    .and_then(|ty| ty.shape().iter().rposition(|extent| *extent != 1));
                last.into_iter().for_each(|last| dims.insert(last));
            } else if rule == StickRule::Matmul {
                if let Some(last) = access.vars.len().checked_sub(1) {
                    dims.insert(last);
                }
            } else {
                vars.iter()
                    .filter_map(|var| access.position(*var))
                    .for_each(|position| dims.insert(position));
            }
            self.want(value, dims);
        }
    }

    /// Returns the dimensions that can be on the stick of a view's result; `None` for an operation that is no view.
    fn through(&self, op: Op<'p>) -> Option<Dims> {
        let source = usize::from(ir::kind(op) == OpKind::InsertSlice);
        let map = Moved::of(op)?;
        let dims = self.has(op.operands().nth(source)?);
        let mut moved = Dims::default();
        dims.iter()
            .filter_map(|dim| map.forwards(dim))
            .for_each(|dim| moved.insert(dim));
        Some(moved)
    }

    /// Returns the source of a view, with dimensions of the view mapped to dimensions of the source; `None` for an
    /// operation that is no view.
    fn back_through(&self, op: Op<'p>, dims: Dims) -> Option<(Val<'p>, Dims)> {
        let map = Moved::of(op)?;
        let source = op.operands().next()?;
        let mut moved = Dims::default();
        dims.iter()
            .filter_map(|dim| map.backwards(dim))
            .for_each(|dim| moved.insert(dim));
        Some((source, moved))
    }
}

/// The dimension into which a view takes the innermost positions of each dimension.
enum Moved {
    Same,
    Permuted(Vec<usize>),
    /// The innermost dimension of each group of the result.
    Expanded(Vec<usize>),
    /// The innermost dimension of each group of the source.
    Collapsed(Vec<usize>),
}

impl Moved {
    fn of(op: Op<'_>) -> Option<Self> {
        let innermost = |groups: Vec<Vec<usize>>| {
            let last = |group: &Vec<usize>| group.last().copied();
            groups.iter().map(last).collect::<Option<Vec<_>>>()
        };
        match ir::kind(op) {
            OpKind::ExtractSlice | OpKind::InsertSlice => Some(Self::Same),
            _ if view::is_view(op) => match View::of(op).expect("a verified view") {
                View::Permute(permutation) => Some(Self::Permuted(permutation)),
                View::Expand(groups) => Some(Self::Expanded(innermost(groups)?)),
                View::Collapse(groups) => Some(Self::Collapsed(innermost(groups)?)),
            },
            _ => None,
        }
    }

    fn forwards(&self, dim: usize) -> Option<usize> {
        match self {
            Self::Same => Some(dim),
            Self::Permuted(permutation) => permutation.iter().position(|from| *from == dim),
            Self::Expanded(innermost) => innermost.get(dim).copied(),
            Self::Collapsed(innermost) => innermost.iter().position(|last| *last == dim),
        }
    }

    fn backwards(&self, dim: usize) -> Option<usize> {
        match self {
            Self::Same => Some(dim),
            Self::Permuted(permutation) => permutation.get(dim).copied(),
            Self::Expanded(innermost) => innermost.iter().position(|last| *last == dim),
            Self::Collapsed(innermost) => innermost.get(dim).copied(),
        }
    }
}
