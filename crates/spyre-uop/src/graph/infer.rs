//! Types of nodes, and the rules of their sources.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::memory::MOST_OPEN;
use super::{Broken, Graph, Type, check};
use crate::dtype::DType;
use crate::ids::NodeId;
use crate::op::{Collect, Elementwise, Op, TensorType};
use crate::schema::{Datum, Device, Slot};
use crate::shape::Shape;

impl Graph {
    /// Returns the type of the tensor that a source is.
    pub(super) fn source(&self, op: &Op, source: NodeId) -> Result<&TensorType, Broken> {
        match &self.nodes[source].ty {
            Type::Tensor(ty) => Ok(ty),
            other => Err(Broken::new(
                4,
                format!("{} reads a tensor, and node {source} is {other}", op.name()),
            )),
        }
    }

    /// Returns the types of the tensors that the sources are.
    fn tensors(&self, op: &Op, sources: &[NodeId]) -> Result<Vec<&TensorType>, Broken> {
        sources
            .iter()
            .map(|source| self.source(op, *source))
            .collect()
    }

    /// Returns the type of a new node.
    pub(super) fn infer(&mut self, op: &Op, sources: &[NodeId]) -> Result<Type, Broken> {
        let (fewest, most) = op.row().sources;
        check(2, (fewest..=most).contains(&sources.len()), || {
            let count = match (fewest, most) {
                (fewest, usize::MAX) => format!("{fewest} or more sources"),
                (1, 1) => "1 source".to_owned(),
                (fewest, most) if fewest == most => format!("{fewest} sources"),
                (fewest, most) => format!("{fewest} to {most} sources"),
            };
            format!("{} has {count}, and not {}", op.name(), sources.len())
        })?;
        let tensor = |ty: TensorType| Ok(Type::Tensor(ty));
        match op {
            Op::Buffer { ty, device, .. } => {
                device.iter().try_for_each(devices)?;
                tensor(ty.clone())
            }
            Op::Param { slot, ty, bounds } => param(slot, ty, *bounds),
            Op::Const { value, dtype } => constant(*value, *dtype),
            Op::Binary(data) => tensor(TensorType {
                dtype: DType::U8,
                shape: [data.len() as u64].into_iter().collect(),
            }),
            Op::Permute(_)
            | Op::Flip(_)
            | Op::Reshape(_)
            | Op::Expand(_)
            | Op::Pad { .. }
            | Op::Shrink { .. }
            | Op::Bitcast(_)
            | Op::Replicated(_) => {
                tensor(super::movement::infer(op, self.source(op, sources[0])?)?)
            }
            Op::Index => tensor(super::movement::index(&self.tensors(op, sources)?)?),
            Op::Stack => tensor(super::movement::stack(&self.tensors(op, sources)?)?),
            Op::Reduce { axes, .. } => tensor(self.reduce(op, axes, sources)?),
            Op::Elementwise(elementwise) => {
                let types = self.tensors(op, sources)?;
                tensor(elementwise_type(*elementwise, &types)?)
            }
            Op::Cast(dtype) => {
                let shape = self.source(op, sources[0])?.shape.clone();
                tensor(TensorType {
                    dtype: *dtype,
                    shape,
                })
            }
            Op::Marker(_) => tensor(self.source(op, sources[0])?.clone()),
            Op::Copy(device) => {
                devices(device)?;
                let ty = self.source(op, sources[0])?;
                if let Device::Many(list) = device {
                    let count = list.len() as u64;
                    let divides = ty
                        .shape
                        .first()
                        .is_some_and(|extent| extent.is_multiple_of(count));
                    check(27, divides, || {
                        let shape = &ty.shape;
                        format!("the first axis of {shape} has no equal parts for {count} devices")
                    })?;
                }
                tensor(ty.clone())
            }
            Op::Tuple => {
                let types = self.tensors(op, sources)?;
                Ok(Type::Tuple(types.into_iter().cloned().collect()))
            }
            Op::Call(kind) => self.call(*kind, sources),
            Op::GetTuple(index) => tensor(self.element(*index, sources[0])?),
            Op::Load { .. } => tensor(self.load(op, sources)?),
            Op::Store => self.store(op, sources),
            Op::After => tensor(self.after(op, sources)?),
            Op::Range { bound, .. } => {
                check(21, i64::try_from(*bound).is_ok(), || {
                    format!(
                        "a range has {bound} iterations, and the most are {}",
                        i64::MAX
                    )
                })?;
                tensor(TensorType {
                    dtype: DType::Index,
                    shape: Shape::scalar(),
                })
            }
            Op::End => {
                self.effect(op, sources[0])?;
                self.range(op, sources[1])?;
                Ok(Type::Void)
            }
            Op::Collect(collect) => {
                let ascending = sources.windows(2).all(|pair| pair[0] < pair[1]);
                check(37, *collect != Collect::Linear || ascending, || {
                    format!(
                        "Linear has its effects in the order {sources:?}, and not in that of the graph"
                    )
                })?;
                for source in sources {
                    self.effect(op, *source)?;
                }
                Ok(Type::Void)
            }
        }
    }

    /// Returns the type of an element of a tuple.
    fn element(&self, index: usize, source: NodeId) -> Result<TensorType, Broken> {
        match &self.nodes[source].ty {
            Type::Tuple(types) => {
                let types: &Arc<[TensorType]> = types;
                let element = types.get(index).cloned();
                element.ok_or_else(|| {
                    Broken::new(
                        20,
                        format!("a tuple of {} has no element {index}", types.len()),
                    )
                })
            }
            other => Err(Broken::new(
                20,
                format!("GetTuple reads a tuple, and node {source} is {other}"),
            )),
        }
    }

    /// Returns the type of a reduction.
    fn reduce(&self, op: &Op, axes: &[usize], sources: &[NodeId]) -> Result<TensorType, Broken> {
        let ty = self.source(op, sources[0])?;
        let rank = ty.shape.len();
        let ascending = axes.windows(2).all(|pair| pair[0] < pair[1]);
        let in_range = axes.iter().all(|axis| *axis < rank);
        check(17, ascending && in_range, || {
            format!("the axes {axes:?} are not ascending axes of a tensor of rank {rank}")
        })?;
        check(17, !axes.is_empty() || sources.len() > 1, || {
            "a reduction has neither axes nor ranges".to_owned()
        })?;
        check(17, sources.len() <= MOST_OPEN + 1, || {
            format!(
                "a reduction has {} ranges, and the most are {MOST_OPEN}",
                sources.len() - 1
            )
        })?;
        for range in &sources[1..] {
            self.range(op, *range)?;
        }
        let shape = axes
            .iter()
            .fold(ty.shape.clone(), |shape, axis| shape.with(*axis, 1));
        Ok(TensorType {
            dtype: ty.dtype,
            shape,
        })
    }

    /// Checks that a source is a range.
    pub(super) fn range(&self, op: &Op, source: NodeId) -> Result<(), Broken> {
        let node = &self.nodes[source];
        check(22, matches!(node.op, Op::Range { .. }), || {
            format!(
                "{} closes a Range, and node {source} is {}",
                op.name(),
                node.op.name()
            )
        })
    }

    /// Checks that a source is an effect.
    pub(super) fn effect(&self, op: &Op, source: NodeId) -> Result<(), Broken> {
        let ty = &self.nodes[source].ty;
        check(26, *ty == Type::Void, || {
            format!("{} executes effects, and node {source} is {ty}", op.name())
        })
    }
}

/// Checks that devices are some, and different.
fn devices(device: &Device) -> Result<(), Broken> {
    let Device::Many(list) = device else {
        return Ok(());
    };
    check(29, !list.is_empty(), || "a tuple of no devices".to_owned())?;
    let mut seen = FxHashSet::default();
    match list.iter().find(|device| !seen.insert(device.as_str())) {
        Some(twice) => Err(Broken::new(
            29,
            format!("a tuple has device {twice:?} twice"),
        )),
        None => Ok(()),
    }
}

/// Returns the type of a parameter.
fn param(slot: &Slot, ty: &TensorType, bounds: Option<[i64; 2]>) -> Result<Type, Broken> {
    if matches!(slot, Slot::Name(_)) || bounds.is_some() {
        check(18, ty.dtype.is_integer() && ty.shape.is_empty(), || {
            format!("a symbolic integer is a scalar integer, and not {ty}")
        })?;
    }
    if let Some([low, high]) = bounds {
        let range = ty.dtype.integer_range();
        let (least, most) = range.expect("the type has been found to be an integer");
        let fits = low <= high && least <= low.into() && i128::from(high) <= most;
        check(18, fits, || {
            format!("no {} is from {low} to {high}", ty.dtype)
        })?;
    }
    Ok(Type::Tensor(ty.clone()))
}

/// Returns the type of a constant.
fn constant(value: Datum, dtype: DType) -> Result<Type, Broken> {
    let fits = match value {
        Datum::Bool(_) => dtype == DType::Bool,
        Datum::Negative(_) | Datum::Natural(_) => dtype != DType::Bool,
        Datum::Float(_) => dtype.is_float(),
    };
    check(19, fits, || {
        let value = serde_json::to_string(&value).expect("a number or a text");
        format!("{value} is no constant of {dtype}")
    })?;
    Ok(Type::Tensor(TensorType {
        dtype,
        shape: Shape::scalar(),
    }))
}

/// Returns the type of an elementwise operation.
fn elementwise_type(op: Elementwise, types: &[&TensorType]) -> Result<TensorType, Broken> {
    let last = types[types.len() - 1];
    for ty in types {
        check(5, ty.shape == last.shape, || {
            format!(
                "the operands of {} have shapes {} and {}",
                op.name(),
                ty.shape,
                last.shape
            )
        })?;
    }
    let same = if op == Elementwise::Where {
        check(7, types[0].dtype == DType::Bool, || {
            format!("the predicate of Where is {}, and not bool", types[0].dtype)
        })?;
        &types[1..]
    } else {
        types
    };
    for ty in same {
        check(6, ty.dtype == last.dtype, || {
            format!(
                "the operands of {} are {} and {}",
                op.name(),
                ty.dtype,
                last.dtype
            )
        })?;
    }
    check(7, op.domain().contains(last.dtype), || {
        format!(
            "{} takes {}, and not {}",
            op.name(),
            op.domain().name(),
            last.dtype
        )
    })?;
    let dtype = if op.is_comparison() {
        DType::Bool
    } else {
        last.dtype
    };
    Ok(TensorType {
        dtype,
        shape: last.shape.clone(),
    })
}
