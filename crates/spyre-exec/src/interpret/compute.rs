//! What a device operation computes, from the definitions of `spyre-sim`.

use std::rc::Rc;

use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_sim::{Kernel, Ranked, Reduction, descending, kernel};

use super::tensor::{Data, Tensor, is_float, positions, rounded, strides, wrapped};
use crate::TensorType;

/// The result of a device operation on its operands.
pub fn compute(op: DeviceOp<'_>, operands: &[Tensor], ty: TensorType) -> Result<Tensor, String> {
    let function = op.op_func();
    let kernel = kernel(&function).ok_or_else(|| format!("'{function}' has no definition"))?;
    let space = Space::of(op, operands, &ty)?;
    let data = match kernel {
        Kernel::Move if let Some(dim) = op.gathered_dim() => {
            let [indices, table] = space.operands()?;
            gather(indices, table, dim, &space)?
        }
        Kernel::Move => space.operand(0)?.moved(&space, &ty),
        Kernel::Select => {
            let [condition, a, b] = space.operands()?;
            select(condition.integers(&space)?, a, b, &space)?
        }
        Kernel::Unary(of) => {
            let [a] = space.operands()?;
            floats(&ty, a.floats(&space)?.map(of))?
        }
        Kernel::Parametric(of, names) => {
            let constants = attr::entries(op.constants());
            let constant = |name: &str| {
                let mut known = constants.iter();
                known
                    .find(|(known, _)| known == name)
                    .and_then(|(_, value)| attr::number(*value))
                    .ok_or_else(|| format!("'{function}' lacks its constant '{name}'"))
            };
            #[expect(
                clippy::cast_possible_truncation,
                reason = "constants are computed with in f32"
            )]
            let constants = [constant(names[0])? as f32, constant(names[1])? as f32];
            let [a] = space.operands()?;
            floats(&ty, a.floats(&space)?.map(|a| of(a, constants)))?
        }
        Kernel::Binary(of, integers) => {
            let [a, b] = space.operands()?;
            match integers {
                _ if is_float(ty.element) => {
                    let pairs = a.floats(&space)?.zip(b.floats(&space)?);
                    floats(&ty, pairs.map(|(a, b)| of(a, b)))?
                }
                Some(of) if ty.element.bytes() <= 4 => {
                    let pairs = a.integers(&space)?.zip(b.integers(&space)?);
                    // Operands of at most 32 bits.
                    #[expect(clippy::cast_possible_truncation, reason = "of at most 32 bits")]
                    let results = pairs.map(|(a, b)| of(a as i32, b as i32).into());
                    Data::Integers(results.map(|value| wrapped(ty.element, value)).collect())
                }
                Some(_) => {
                    let of = wide(&function)
                        .ok_or_else(|| format!("'{function}' is not defined on {}", ty.element))?;
                    let pairs = a.integers(&space)?.zip(b.integers(&space)?);
                    Data::Integers(pairs.map(|(a, b)| of(a, b)).collect())
                }
                None => return Err(format!("'{function}' is not defined on {}", ty.element)),
            }
        }
        Kernel::Compare(of) => {
            let [a, b] = space.operands()?;
            let orders: Vec<_> = if matches!(&*a.tensor.data, Data::Floats(_)) {
                let pairs = a.floats(&space)?.zip(b.floats(&space)?);
                pairs.map(|(a, b)| a.partial_cmp(&b)).collect()
            } else {
                let pairs = a.integers(&space)?.zip(b.integers(&space)?);
                pairs.map(|(a, b)| Some(a.cmp(&b))).collect()
            };
            Data::Integers(orders.into_iter().map(|order| of(order).into()).collect())
        }
        Kernel::Five(of) => {
            let [a, b, c, d, e] = space.operands()?;
            let rest = c
                .floats(&space)?
                .zip(d.floats(&space)?)
                .zip(e.floats(&space)?);
            let all = a.floats(&space)?.zip(b.floats(&space)?).zip(rest);
            floats(&ty, all.map(|((a, b), ((c, d), e))| of([a, b, c, d, e])))?
        }
        Kernel::Reduce(reduction) => {
            let [a] = space.operands()?;
            reduce(&ty, reduction, a.floats(&space)?, space.reduced())?
        }
        Kernel::Contract => {
            let [a, b] = space.operands()?;
            let sum = Reduction {
                start: 0.0,
                combine: |a, b| a + b,
                average: false,
            };
            let products = a.floats(&space)?.zip(b.floats(&space)?);
            reduce(&ty, sum, products.map(|(a, b)| a * b), space.reduced())?
        }
        Kernel::TopK(told) => {
            let [a] = space.operands()?;
            top_k(&ty, told, a, &space)?
        }
    };
    Ok(Tensor {
        ty,
        data: Rc::new(data),
    })
}

/// A function on integers of 64 bits, which the device does not have.
fn wide(function: &str) -> Option<fn(i64, i64) -> i64> {
    Some(match function {
        "add" => i64::wrapping_add,
        "sub" => i64::wrapping_sub,
        "mul" => i64::wrapping_mul,
        "maximum" => |a, b| a.max(b),
        "minimum" => |a, b| a.min(b),
        _ => return None,
    })
}

/// The iteration space of an operation, and where its operands are in it.
struct Space<'t> {
    extents: Vec<usize>,
    reduction_dims: usize,
    operands: Vec<Operand<'t>>,
}

/// An operand, with a stride for each dimension of the space.
struct Operand<'t> {
    tensor: &'t Tensor,
    strides: Vec<usize>,
}

impl<'t> Space<'t> {
    /// The space of an operation whose result has its dimensions that are not reduced, in order.
    fn of(op: DeviceOp<'_>, operands: &'t [Tensor], ty: &TensorType) -> Result<Self, String> {
        let extents: Vec<usize> = op
            .iteration_space()
            .into_iter()
            .map(|extent| usize::try_from(extent).map_err(|_| "a dynamic extent".to_owned()))
            .collect::<Result<_, _>>()?;
        let reduction_dims = op.reduction_dims();
        let result = op.tensor_dims(operands.len());
        let kept: Vec<usize> = result.iter().flatten().copied().collect();
        let expected = extents.len().saturating_sub(reduction_dims);
        if !kept.iter().copied().eq(0..expected) || result.len() != ty.shape.len() {
            return Err("the result has the dimensions in another order".to_owned());
        }
        let placed = operands.iter().enumerate().map(|(operand, tensor)| {
            let mut own = vec![0; extents.len()];
            let dims = op.tensor_dims(operand);
            for (dim, stride) in dims.iter().zip(strides(&tensor.ty.shape)) {
                if let Some(place) = dim.and_then(|dim| own.get_mut(dim)) {
                    *place = stride;
                }
            }
            Operand {
                tensor,
                strides: own,
            }
        });
        let operands = placed.collect();
        Ok(Self {
            extents,
            reduction_dims,
            operands,
        })
    }

    fn operand(&self, at: usize) -> Result<&Operand<'t>, String> {
        let operand = self.operands.get(at);
        operand.ok_or_else(|| format!("operand {at} is missing"))
    }

    fn operands<const N: usize>(&self) -> Result<&[Operand<'t>; N], String> {
        self.operands
            .as_slice()
            .try_into()
            .map_err(|_| format!("{} operands, not {N}", self.operands.len()))
    }

    /// Points of the space for each element of the result.
    fn reduced(&self) -> usize {
        let reduced = self.extents.len().saturating_sub(self.reduction_dims);
        self.extents.iter().skip(reduced).product()
    }
}

impl Operand<'_> {
    fn positions(&self, space: &Space<'_>) -> impl Iterator<Item = usize> + use<> {
        positions(0, &space.extents, &self.strides)
    }

    /// The floats at the points of the space, in order.
    fn floats(&self, space: &Space<'_>) -> Result<impl Iterator<Item = f32>, String> {
        match &*self.tensor.data {
            Data::Floats(data) => Ok(self
                .positions(space)
                .map(|at| data.get(at).copied().unwrap_or(f32::NAN))),
            Data::Integers(_) => Err(format!("not defined on {}", self.tensor.ty.element)),
        }
    }

    /// The integers at the points of the space, in order.
    fn integers(&self, space: &Space<'_>) -> Result<impl Iterator<Item = i64>, String> {
        match &*self.tensor.data {
            Data::Integers(data) => Ok(self
                .positions(space)
                .map(|at| data.get(at).copied().unwrap_or_default())),
            Data::Floats(_) => Err(format!("not defined on {}", self.tensor.ty.element)),
        }
    }

    /// The elements at the points of the space, as elements of another type.
    fn moved(&self, space: &Space<'_>, ty: &TensorType) -> Data {
        let picked = self.tensor.gather(ty.clone(), self.positions(space));
        match Rc::unwrap_or_clone(picked.data) {
            Data::Floats(mut data) => {
                if self.tensor.ty.element != ty.element {
                    data.iter_mut()
                        .for_each(|value| *value = rounded(ty.element, *value));
                }
                Data::Floats(data)
            }
            integers => integers,
        }
    }
}

/// Floats as the elements of a result.
fn floats(ty: &TensorType, values: impl Iterator<Item = f32>) -> Result<Data, String> {
    if !is_float(ty.element) {
        return Err(format!("not defined with a result of {}", ty.element));
    }
    Ok(Data::Floats(
        values.map(|value| rounded(ty.element, value)).collect(),
    ))
}

/// The elements of a table at positions along a dimension that indices say; NaN where it has none.
fn gather(
    indices: &Operand<'_>,
    table: &Operand<'_>,
    dim: usize,
    space: &Space<'_>,
) -> Result<Data, String> {
    let Data::Floats(elements) = &*table.tensor.data else {
        return Err(format!("not defined on {}", table.tensor.ty.element));
    };
    let shape = &table.tensor.ty.shape;
    let extent = shape.get(dim).copied();
    let stride = strides(shape).get(dim).copied();
    let (extent, stride) = extent
        .zip(stride)
        .ok_or_else(|| format!("the table has no dimension {dim}"))?;
    let chosen = indices.integers(space)?.zip(table.positions(space));
    let element = |(index, at): (i64, usize)| {
        let index = usize::try_from(index)
            .ok()
            .filter(|index| *index < extent)?;
        elements.get(at + index * stride).copied()
    };
    Ok(Data::Floats(
        chosen
            .map(|found| element(found).unwrap_or(f32::NAN))
            .collect(),
    ))
}

fn select(
    conditions: impl Iterator<Item = i64>,
    a: &Operand<'_>,
    b: &Operand<'_>,
    space: &Space<'_>,
) -> Result<Data, String> {
    Ok(match &*a.tensor.data {
        Data::Floats(_) => {
            let pairs = a.floats(space)?.zip(b.floats(space)?);
            let chosen = conditions.zip(pairs);
            Data::Floats(
                chosen
                    .map(|(c, (a, b))| if c == 0 { b } else { a })
                    .collect(),
            )
        }
        Data::Integers(_) => {
            let pairs = a.integers(space)?.zip(b.integers(space)?);
            let chosen = conditions.zip(pairs);
            Data::Integers(
                chosen
                    .map(|(c, (a, b))| if c == 0 { b } else { a })
                    .collect(),
            )
        }
    })
}

/// Reduces every `count` values in a row.
fn reduce(
    ty: &TensorType,
    reduction: Reduction,
    mut values: impl Iterator<Item = f32>,
    count: usize,
) -> Result<Data, String> {
    let results: usize = ty.shape.iter().product();
    let totals = (0..results).map(|_| {
        let total = values
            .by_ref()
            .take(count)
            .fold(reduction.start, reduction.combine);
        // As exact as f32 can say the count.
        #[expect(clippy::cast_precision_loss, reason = "exact below 2^24")]
        let divisor = count as f32;
        if reduction.average {
            total / divisor
        } else {
            total
        }
    });
    floats(ty, totals)
}

/// The first elements in descending order along the dimension that the result has and the operand lacks, or their
/// positions.
fn top_k(
    ty: &TensorType,
    told: Ranked,
    operand: &Operand<'_>,
    space: &Space<'_>,
) -> Result<Data, String> {
    let Data::Floats(elements) = &*operand.tensor.data else {
        return Err(format!("not defined on {}", operand.tensor.ty.element));
    };
    let result = strides(&ty.shape);
    let rank = operand.strides.iter().position(|stride| *stride == 0);
    let found = rank.and_then(|rank| Some((rank, *result.get(rank)?, *ty.shape.get(rank)?)));
    let (rank, stride, count) = found.ok_or("the result has no dimension of its own")?;
    // One search for all elements of the result along that dimension.
    let mut searches = space.extents.clone();
    if let Some(extent) = searches.get_mut(rank) {
        *extent = 1;
    }
    let (kept, _) = searches.split_at(ty.shape.len());
    let mut read = positions(0, &searches, &operand.strides);
    let mut ranked = vec![(0.0, 0); ty.shape.iter().product()];
    for first in positions(0, kept, &result) {
        let values = read.by_ref().take(space.reduced());
        let values = values.map(|at| elements.get(at).copied().unwrap_or(f32::NAN));
        let mut all: Vec<(f32, i64)> = values.zip(0..).collect();
        all.sort_by(|(a, _), (b, _)| descending(*a, *b));
        for (at, found) in all.into_iter().take(count).enumerate() {
            if let Some(place) = ranked.get_mut(first + at * stride) {
                *place = found;
            }
        }
    }
    match told {
        Ranked::Value => floats(ty, ranked.into_iter().map(|(value, _)| value)),
        Ranked::Position if is_float(ty.element) => Err(format!("positions are no {}", ty.element)),
        Ranked::Position => Ok(Data::Integers(
            ranked
                .into_iter()
                .map(|(_, position)| wrapped(ty.element, position))
                .collect(),
        )),
    }
}
