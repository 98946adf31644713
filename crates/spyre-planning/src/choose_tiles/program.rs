//! The device operations of a function, in the form in which tiles are chosen.

use std::convert::Infallible;
use std::rc::Rc;

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_analysis::indexing::Indexing;
use spyre_analysis::names::{DimNames, Followed, Follower, Visit};
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::units;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Blk, Op, Val};
use spyre_plan::auto_tile::{Block, Dim, Shape, Span, Step, Tensor, Value};

use crate::accesses::needs_device_memory;

/// A device operation of the function's block, with its indexing and names.
pub(super) struct Found<'p> {
    /// The operation.
    pub op: DeviceOp<'p>,
    /// The indexing of its tensors.
    pub indexing: Rc<Indexing<'p>>,
    /// The names of its iteration dimensions.
    pub names: DimNames,
}

/// The device operations of a function's block, without operations in loops.
pub(super) struct Program<'p> {
    /// The operations in the order of the text.
    pub ops: Vec<Found<'p>>,
    /// The same operations in the form of `spyre_plan::auto_tile`.
    pub block: Block,
    /// The largest scope id of the hints. `None` without hints.
    pub last_scope: Option<i64>,
}

impl<'p> Program<'p> {
    /// Reads a function's block, and follows the names of its values.
    pub(super) fn new(body: Blk<'p>, types: &TensorTypes<'p>, followed: &mut Followed<'p>) -> Self {
        let mut reader = Reader {
            types,
            followed,
            body,
            loops: 0,
            shapes: FxHashMap::default(),
            values: FxHashMap::default(),
            steps: FxHashMap::default(),
            needs: FxHashMap::default(),
            program: Self {
                ops: Vec::new(),
                block: Block::default(),
                last_scope: None,
            },
        };
        let Ok(()) = reader.follow(body);
        reader.program
    }
}

struct Reader<'r, 'p> {
    types: &'r TensorTypes<'p>,
    followed: &'r mut Followed<'p>,
    body: Blk<'p>,
    /// The number of loops around.
    loops: usize,
    /// Indices of shapes by indexing and by whether the operation works in device memory. The program keeps indexings alive.
    shapes: FxHashMap<(*const Indexing<'p>, bool), usize>,
    values: FxHashMap<ir::ValueKey, usize>,
    /// The step that computes each value, by the value's key.
    steps: FxHashMap<ir::ValueKey, usize>,
    /// For results of other operations: the index of the first step after all steps that the result depends on.
    needs: FxHashMap<ir::ValueKey, usize>,
    program: Program<'p>,
}

impl<'p> Follower<'p> for Reader<'_, 'p> {
    type Error = Infallible;

    fn followed(&mut self) -> &mut Followed<'p> {
        self.followed
    }

    fn visit(&mut self, visit: Visit<'p>) -> Result<(), Infallible> {
        match visit {
            Visit::Device(op, indexing, names) => {
                let last = op.hints().iter().map(|hint| hint.scope).max();
                self.program.last_scope = self.program.last_scope.max(last);
                if self.loops == 0 {
                    self.add(op, indexing, names);
                }
            }
            Visit::Into(_) => self.loops += 1,
            Visit::OutOf(op) => {
                self.loops -= 1;
                self.other(op);
            }
            Visit::Other(op) => self.other(op),
        }
        Ok(())
    }
}

impl<'p> Reader<'_, 'p> {
    /// Adds a device operation.
    fn add(&mut self, op: DeviceOp<'p>, indexing: Rc<Indexing<'p>>, names: DimNames) {
        let shape = self.shape(op, &indexing);
        let is_hinted = op.hints_attribute().is_some();
        let raw = op.op();
        let operands: Vec<Val<'p>> = raw.operands().collect();
        let not_before = operands
            .iter()
            .filter_map(|value| self.needs.get(&ir::value_key(*value)));
        let not_before = not_before.copied().max().unwrap_or(0);
        let operands: Vec<usize> = operands
            .into_iter()
            .map(|value| self.value(value))
            .collect();
        let Some(result) = ir::result(raw, 0) else {
            return;
        };
        let number = self.value(result);
        let is_known = self
            .program
            .block
            .shapes
            .get(shape)
            .is_some_and(|shape| !shape.tensors.is_empty());
        // middle-end specification, section 3.10: operations that take coordinates from a tensor are left alone.
        let is_gather = op.gathered_dim().is_some();
        let one_core = is_gather.then(|| vec![1; indexing.space.len()]);
        let split = op.split().or(one_core);
        let mut in_memory = is_hinted;
        let mut is_used = false;
        ir::for_each_use(result, |usage| {
            is_used = true;
            in_memory |= DeviceOp::cast(usage.owner).is_none_or(|user| {
                user.hints_attribute().is_some() || user.gathered_dim().is_some()
            });
            in_memory |= usage.owner.block() != Some(self.body);
        });
        if let Some(value) = self.program.block.values.get_mut(number) {
            value.in_memory = in_memory;
        }
        self.steps
            .insert(ir::value_key(result), self.program.ops.len());
        self.program.block.steps.push(Step {
            shape,
            operands,
            result: number,
            is_free: is_known
                && is_used
                && !is_hinted
                && split.is_none()
                && op.divisions_attribute().is_none(),
            not_before,
            split: split.filter(|_| is_known).map(Into::into),
        });
        self.program.ops.push(Found {
            op,
            indexing,
            names,
        });
    }

    /// Follows dependences through an operation of the block that is no device operation.
    fn other(&mut self, op: Op<'p>) {
        if self.loops == 0
            && let Some(needs) = self.needs(op)
        {
            for result in op.results() {
                self.needs.insert(ir::value_key(result.into()), needs);
            }
        }
    }

    /// Returns the index of the first step after all steps that an operation and the operations in it depend on. `None`
    /// if there are none.
    fn needs(&self, op: Op<'p>) -> Option<usize> {
        let of_value = |value: Val<'p>| {
            let key = ir::value_key(value);
            let next_step = self.steps.get(&key).map(|step| step + 1);
            next_step.max(self.needs.get(&key).copied())
        };
        let mut first_step = op.operands().filter_map(of_value).max();
        for block in ir::blocks(op) {
            for inner in ir::operations(block) {
                first_step = first_step.max(self.needs(inner));
            }
        }
        first_step
    }

    /// Returns the index of a value in the block, which is added if it is new.
    fn value(&mut self, value: Val<'p>) -> usize {
        let values = &mut self.program.block.values;
        let types = self.types;
        *self.values.entry(ir::value_key(value)).or_insert_with(|| {
            let ty = types.get(value.r#type());
            values.push(Value {
                bytes: ty.map_or(0, |ty| ty.device.bytes().get()),
                in_memory: false,
            });
            values.len() - 1
        })
    }

    /// Returns the index of an operation's shape in the block. Operations with the same indexing share one.
    fn shape(&mut self, op: DeviceOp<'p>, indexing: &Rc<Indexing<'p>>) -> usize {
        let in_memory = needs_device_memory(op);
        if let Some(number) = self.shapes.get(&(Rc::as_ptr(indexing), in_memory)) {
            return *number;
        }
        // An operation that passes cannot handle has no tensors, and is left alone.
        let shape = self.read(indexing, in_memory).unwrap_or(Shape {
            space: Vec::new(),
            reduced: 0,
            tensors: Vec::new(),
            in_memory: true,
        });
        let shapes = &mut self.program.block.shapes;
        shapes.push(shape);
        self.shapes
            .insert((Rc::as_ptr(indexing), in_memory), shapes.len() - 1);
        shapes.len() - 1
    }

    fn read(&self, indexing: &Indexing<'p>, in_memory: bool) -> Option<Shape> {
        let units = units::units_of(self.types, indexing).ok()?;
        let space = indexing.space.iter().zip(units).map(|(extent, unit)| {
            let extent = u64::try_from(*extent).ok()?;
            Some(Dim { extent, unit })
        });
        let tensors = indexing
            .types
            .iter()
            .zip(&indexing.tensors)
            .map(|(ty, dims)| {
                let ty = self.types.get(*ty).ok()?;
                Some(Tensor {
                    dims: dims.clone(),
                    extents: ty.shape().to_vec(),
                    bytes: ty.device.bytes().get(),
                    span: Span::new(&ty.device),
                })
            });
        Some(Shape {
            space: space.collect::<Option<_>>()?,
            reduced: indexing.reduction_dims,
            tensors: tensors.collect::<Option<_>>()?,
            in_memory,
        })
    }
}
