//! Builds structured operations: `linalg.generic` and the tensors around it.

use std::fmt;

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, AttributeLike, FloatAttribute, IntegerAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, IntegerType, RankedTensorType};
use melior::ir::{
    Attribute, Block, Location, Region, RegionLike, ShapedTypeLike, Type, TypeLike, ValueLike,
};
use spyre_analysis::view::View;
use spyre_construct::build::shape_of;
use spyre_dialects::device_op::{DeviceOp, WalkedDim};
use spyre_mlir_rt::ir::{self, At, Blk, Offset, Op, Val, Window};
use spyre_ods::{Arithmetic, OpBuilder, OpParts, arith, linalg, tensor};
use spyre_ops::{Combiner, Comparison, Decomposed, Formula};

use super::scalar::{Body, Scalar};

/// The bits of an uninitialised integer.
const POISON_BITS: u64 = 0xA5A5_A5A5_A5A5_A5A5;

/// Lowers a `spyre.permute` to a tensor with the same elements in other places, before the operation.
pub(super) fn permute<'p>(context: &'p Context, op: Op<'p>) -> Result<Val<'p>, String> {
    let View::Permute(permutation) = View::of(op)? else {
        return Err("the operation is no permutation".to_owned());
    };
    let builder = Builder::before(context, op)?;
    let source = op.operand(0).map_err(|err| err.to_string())?;
    let result = op.result(0).map_err(|err| err.to_string())?;
    let into = builder.empty(result.r#type());
    let rank = permutation.len();
    let moved = (0..rank).map(|dim| permutation.iter().position(|from| *from == dim));
    let maps = [moved.collect(), (0..rank).map(Some).collect()];
    builder.generic(
        op,
        rank,
        0,
        &maps,
        &[source],
        into,
        |_, operands, _| match operands {
            [element] => Ok(*element),
            _ => Err(unexpected(operands)),
        },
    )
}

/// Lowers an operation without an OpFunc to the equivalent upstream operation, before the operation.
pub(super) fn decomposed<'p>(
    context: &'p Context,
    op: Op<'p>,
    row: &Decomposed,
) -> Result<Val<'p>, String> {
    let builder = Builder::before(context, op)?;
    let result = op.result(0).map_err(|err| err.to_string())?;
    let ty = RankedTensorType::try_from(result.r#type()).map_err(|err| err.to_string())?;
    let element = ty.element();
    with_element(ty, element)?;
    let operands: Vec<Val<'p>> = op.operands().collect();
    let shapes = operands
        .iter()
        .map(|operand| RankedTensorType::try_from(operand.r#type()).map_err(|err| err.to_string()))
        .collect::<Result<Vec<_>, _>>()?;
    // Shapes are aligned at their last dimension, and an operand repeats where its extent is 1.
    let dims_of = |shape: &RankedTensorType<'p>| {
        let lead = ty.rank() - shape.rank();
        (0..shape.rank())
            .map(|dim| {
                let repeats = shape.dim_size(dim) == Ok(DimSize::Static(1));
                (!repeats).then_some(lead + dim)
            })
            .collect::<Vec<_>>()
    };
    let mut maps: Vec<_> = shapes.iter().map(dims_of).collect();
    maps.push((0..ty.rank()).map(Some).collect());
    let into = builder.empty(ty.into());
    builder.generic(
        op,
        ty.rank(),
        0,
        &maps,
        &operands,
        into,
        |body, operands, _| {
            if row.is_cast() {
                return Ok(body.emit(OpParts::named(row.upstream, operands), element));
            }
            let widened = operands.iter().map(|x| body.widen(*x));
            let widened = widened.collect::<Result<Vec<_>, _>>()?;
            body.round(body.same(OpParts::named(row.upstream, &widened)), element)
        },
    )
}

pub(super) fn unexpected(operands: &[Val<'_>]) -> String {
    format!("unexpected number of operands: {}", operands.len())
}

/// A device operation about to become a `linalg.generic`.
pub(super) struct Lowering<'p> {
    pub builder: Builder<'p>,
    pub device: DeviceOp<'p>,
    pub operands: Vec<Val<'p>>,
    pub space: Vec<i64>,
    pub result: RankedTensorType<'p>,
    pub element: Type<'p>,
}

impl<'p> Lowering<'p> {
    pub(super) fn new(context: &'p Context, device: DeviceOp<'p>) -> Result<Self, String> {
        let op = device.op();
        let result = op.result(0).map_err(|err| err.to_string())?.r#type();
        let result = RankedTensorType::try_from(result).map_err(|err| err.to_string())?;
        let space = device.iteration_space();
        if let Some(dim) = space.iter().position(|extent| *extent < 0) {
            return Err(format!(
                "dimension {dim} of the iteration space has a dynamic extent; --spyre-specialize-dynamic-dims chooses one"
            ));
        }
        let element = result.element();
        let builder = Builder::before(context, op)?;
        let operands = op.operands().enumerate();
        let operands = operands
            .map(|(operand, value)| without_padding(device, &space, operand, value))
            .collect::<Result<_, String>>()?;
        let mut lowering = Self {
            builder,
            device,
            operands,
            space,
            result,
            element,
        };
        lowering.take_pair_apart()?;
        Ok(lowering)
    }

    /// Puts windows of its elements in the place of an operand that is a pair: the mean, and, if it is the only operand, the mean
    /// of squares after it.
    fn take_pair_apart(&mut self) -> Result<(), String> {
        let Some(operand) = self.device.facts().pair_operand() else {
            return Ok(());
        };
        let pair = self.operands[operand];
        let mean = self.element_of_pair(pair, 0)?;
        self.operands[operand] = mean;
        if self.operands.len() == 1 {
            let squares = self.element_of_pair(pair, 1)?;
            self.operands.push(squares);
        }
        Ok(())
    }

    /// Builds the window of one element of each pair. Its last dimension has an extent of one.
    fn element_of_pair(&self, pair: Val<'p>, element: i64) -> Result<Val<'p>, String> {
        let ty = RankedTensorType::try_from(pair.r#type()).map_err(|err| err.to_string())?;
        let mut shape = shape_of(pair)?;
        let last = shape.len().checked_sub(1);
        let last = last.ok_or("a pair without dimensions")?;
        shape[last] = 1;
        let mut offsets = vec![Offset::Static(0); shape.len()];
        offsets[last] = Offset::Static(element);
        let extents: Vec<u64> = shape.iter().map(|extent| extent.unsigned_abs()).collect();
        let window = Window {
            offsets,
            sizes: shape,
        };
        Ok(ir::build_extract_slice(
            self.builder.at(),
            self.builder.location,
            RankedTensorType::new(&extents, ty.element(), None).into(),
            pair,
            &window,
        ))
    }

    /// Builds one element of the result for each element of the iteration space.
    pub(super) fn pointwise(
        &self,
        build: impl FnOnce(&Body<'p>, &[Val<'p>]) -> Scalar<'p>,
    ) -> Result<Val<'p>, String> {
        let into = self.builder.empty(self.result.into());
        self.over_iteration_space(into, |body, operands, _| build(body, operands))
    }

    /// Builds a reduction over the reduction dimensions in `f32`, and rounds its result once.
    pub(super) fn reduce(&self) -> Result<Val<'p>, String> {
        let facts = self.device.facts();
        let combiner = facts.combiner.expect("a reduction combines its elements");
        let total = self.combined(combiner)?;
        let parallel = self.space.len() - self.device.reduction_dims();
        let count: i64 = self.space.iter().skip(parallel).product();
        self.finish(total, facts.is_average.then_some(count))
    }

    /// Builds a formula of the largest absolute value over the reduction dimensions in `f32`, and rounds its result once.
    pub(super) fn of_magnitude(&self, formula: &Formula) -> Result<Val<'p>, String> {
        let largest = self.combined(Combiner::Magnitude)?;
        self.rounded(largest, |body, largest| body.formula(formula, &[largest]))
    }

    /// Builds a tensor of `f32` with the combined elements of the reduction dimensions.
    fn combined(&self, combiner: Combiner) -> Result<Val<'p>, String> {
        let (_, combine) = combiner.operations();
        self.accumulate(
            combiner.identity(),
            |body, operands, accumulator| match operands {
                [x] => {
                    let x = body.widen(*x)?;
                    let x = match combiner.of_element() {
                        Some(name) => body.same(OpParts::named(name, &[x])),
                        None => x,
                    };
                    Ok(body.same(OpParts::named(combine, &[accumulator, x])))
                }
                _ => Err(unexpected(operands)),
            },
        )
    }

    /// Builds the sums of elements and of their squares in `f32`, and rounds their quotients by the number of elements once.
    pub(super) fn moments(&self) -> Result<Val<'p>, String> {
        let sums = self.row_sums(|_, element| Ok(element))?;
        let squares = self.row_sums(|body, element| Ok(body.mul(element, element)))?;
        let count = *self.space.last().expect("a dimension is reduced (S40)");
        let rank = self.result.rank();
        let whole: Vec<Option<usize>> = (0..rank).map(Some).collect();
        let of_row = self.device.tensor_dims(1);
        let into = self.builder.empty(self.result.into());
        self.builder.generic(
            self.device.op(),
            rank,
            0,
            &[of_row.clone(), of_row, whole],
            &[sums, squares],
            into,
            |body, operands, _| {
                let [sum, squares] = *operands else {
                    return Err(unexpected(operands));
                };
                let at = body.position(rank - 1);
                let first = body.integer(0, at.r#type());
                let is_mean = body.compare(Comparison::Equal, at, first);
                let total = body.select(is_mean, sum, squares);
                let share = body.div(total, body.float(count as f64, body.f32()));
                body.round(share, self.element)
            },
        )
    }

    /// Builds the sums over the last dimension of the results of `build` for each element, in `f32` and from 0. They
    /// have an extent of one in the last dimension.
    fn row_sums(
        &self,
        build: impl FnOnce(&Body<'p>, Val<'p>) -> Scalar<'p>,
    ) -> Result<Val<'p>, String> {
        let f32 = Type::float32(self.builder.context);
        let mut extents: Vec<u64> = self
            .space
            .iter()
            .map(|extent| extent.unsigned_abs())
            .collect();
        *extents.last_mut().expect("a dimension is reduced (S40)") = 1;
        let zero = FloatAttribute::new(self.builder.context, f32, 0.0);
        let into = RankedTensorType::new(&extents, f32, None).into();
        let into = self.builder.splat(zero.into(), into);
        self.over_iteration_space(into, |body, operands, accumulator| match operands {
            [x] => Ok(body.add(accumulator, build(body, body.widen(*x)?)?)),
            _ => Err(unexpected(operands)),
        })
    }

    /// Builds the sum of products in `f32`, and rounds it once.
    pub(super) fn contract(&self) -> Result<Val<'p>, String> {
        let total =
            self.over_columns(
                self.start(0.0)?,
                |body, operands, accumulator| match operands {
                    [a, b] => Ok(body.add(accumulator, body.mul(body.widen(*a)?, body.widen(*b)?))),
                    _ => Err(unexpected(operands)),
                },
            )?;
        self.finish(total, None)
    }

    /// Returns whether the operands are integers.
    pub(super) fn has_integers(&self) -> bool {
        let mut operands = self.operands.iter();
        operands.all(|operand| {
            let ty = RankedTensorType::try_from(operand.r#type());
            ty.is_ok_and(|ty| ty.element().is_integer())
        })
    }

    /// Builds the sum of products of integers in 64 bits, which hold it exactly, and rounds it to `f32` and once more.
    pub(super) fn contract_integers(&self) -> Result<Val<'p>, String> {
        let wide: Type<'p> = IntegerType::new(self.builder.context, 64).into();
        let zero = IntegerAttribute::new(wide, 0);
        let into = with_element(self.result, wide)?;
        let into = self.builder.splat(zero.into(), into);
        let total = self.over_columns(into, |body, operands, accumulator| match operands {
            [a, b] => {
                let [a, b] = [a, b].map(|x| body.emit(arith::extsi(*x), wide));
                let product = body.same(arith::muli(a, b));
                Ok(body.same(arith::addi(accumulator, product)))
            }
            _ => Err(unexpected(operands)),
        })?;
        self.rounded(total, |body, total| {
            Ok(body.emit(arith::sitofp(total), body.f32()))
        })
    }

    /// Builds the loops over the iteration space with the columns of the result, its last dimension, as the innermost
    /// loop, inside of the loops over the reduced dimensions. That loop reads neighbouring elements, and becomes vector
    /// code. Each element still combines one element after the other, the last reduced dimension fastest.
    fn over_columns(
        &self,
        into: Val<'p>,
        build: impl FnOnce(&Body<'p>, &[Val<'p>], Val<'p>) -> Scalar<'p>,
    ) -> Result<Val<'p>, String> {
        let (dims, reduced) = (self.space.len(), self.device.reduction_dims());
        let columns = (dims - reduced)
            .checked_sub(1)
            .expect("the result of a product or of windows has columns");
        let place = |dim: usize| match dim {
            _ if dim < columns => dim,
            _ if dim == columns => dims - 1,
            _ => dim - 1,
        };
        let at = |dim: Option<usize>| dim.map(place).into();
        let maps = self.maps().into_iter();
        let mut maps: Vec<Vec<Coordinate>> =
            maps.map(|map| map.into_iter().map(at).collect()).collect();
        let walks = self.device.walked_dims();
        for walk in &walks {
            maps[0][walk.dim] = Coordinate::Walk {
                position: (place(walk.position), walk.stride),
                window: (place(walk.window), walk.dilation),
            };
        }
        let mut operands = self.operands.clone();
        let read = operands.len();
        if !walks.is_empty() && operands.len() == 1 {
            // No tensor has the extents of the window. A `linalg.generic` takes the extents of all loops from its
            // operands, so the window is an operand, as in the pooling operations of linalg; its elements are not read.
            let of_window = |walk: &WalkedDim| place(walk.window);
            maps.insert(
                1,
                walks.iter().map(of_window).map(Coordinate::Loop).collect(),
            );
            operands.push(self.window_shape(&walks));
        }
        let mut kinds = vec![false; dims];
        kinds[columns..dims - 1].fill(true);
        self.builder.nest(
            self.device.op(),
            &kinds,
            &maps,
            &operands,
            into,
            |body, operands, accumulator| build(body, &operands[..read], accumulator),
        )
    }

    /// Builds a tensor with the extents of a window and without contents.
    fn window_shape(&self, walks: &[WalkedDim]) -> Val<'p> {
        let extents = walks
            .iter()
            .map(|walk| self.space[walk.window].unsigned_abs());
        let extents: Vec<u64> = extents.collect();
        let element = Type::float32(self.builder.context);
        let ty = RankedTensorType::new(&extents, element, None);
        self.builder.empty(ty.into())
    }

    /// Builds a tensor of `f32` with the shape of the result, to which every element of the iteration space adds.
    fn accumulate(
        &self,
        start: f64,
        build: impl FnOnce(&Body<'p>, &[Val<'p>], Val<'p>) -> Scalar<'p>,
    ) -> Result<Val<'p>, String> {
        let into = self.start(start)?;
        if self.device.walked_dims().is_empty() {
            self.over_iteration_space(into, build)
        } else {
            self.over_columns(into, build)
        }
    }

    /// Builds a tensor of `f32` with the shape of the result and one value everywhere.
    fn start(&self, value: f64) -> Result<Val<'p>, String> {
        let f32 = Type::float32(self.builder.context);
        let value = FloatAttribute::new(self.builder.context, f32, value);
        let ty = with_element(self.result, f32)?;
        Ok(self.builder.splat(value.into(), ty))
    }

    /// Returns, for each tensor, the iteration dimension of each of its dimensions.
    fn maps(&self) -> Vec<Vec<Option<usize>>> {
        let tensors = 0..=self.device.op().operand_count();
        let mut maps: Vec<_> = tensors
            .map(|tensor| self.device.tensor_dims(tensor))
            .collect();
        // If the only operand is a pair of moments, the body reads both elements of it, at the same position.
        for _ in self.device.op().operand_count()..self.operands.len() {
            maps.insert(0, maps[0].clone());
        }
        maps
    }

    /// Divides an accumulated tensor by `count`, if there is one, and rounds it to the element type of the result.
    fn finish(&self, total: Val<'p>, count: Option<i64>) -> Result<Val<'p>, String> {
        if count.is_none() && total.r#type() == self.result.into() {
            return Ok(total);
        }
        self.rounded(total, |body, total| match count {
            // Exact below 2^24; `f32` cannot represent a larger odd count.
            Some(count) => Ok(body.div(total, body.float(count as f64, body.f32()))),
            None => Ok(total),
        })
    }

    /// Builds a value of each element of an accumulated tensor, and rounds it to the element type of the result.
    fn rounded(
        &self,
        total: Val<'p>,
        build: impl FnOnce(&Body<'p>, Val<'p>) -> Scalar<'p>,
    ) -> Result<Val<'p>, String> {
        let rank = self.result.rank();
        let identity = (0..rank).map(Some).collect::<Vec<_>>();
        let into = self.builder.empty(self.result.into());
        let maps = [identity.clone(), identity];
        self.builder.generic(
            self.device.op(),
            rank,
            0,
            &maps,
            &[total],
            into,
            |body, operands, _| {
                let [total] = *operands else {
                    return Err(unexpected(operands));
                };
                body.round(build(body, total)?, self.element)
            },
        )
    }

    fn over_iteration_space(
        &self,
        into: Val<'p>,
        build: impl FnOnce(&Body<'p>, &[Val<'p>], Val<'p>) -> Scalar<'p>,
    ) -> Result<Val<'p>, String> {
        let maps = self.maps();
        let (dims, reduced) = (self.space.len(), self.device.reduction_dims());
        self.builder.generic(
            self.device.op(),
            dims,
            reduced,
            &maps,
            &self.operands,
            into,
            build,
        )
    }
}

/// The coordinate of a tensor along one of its dimensions.
#[derive(Debug, Clone, Copy)]
enum Coordinate {
    /// 0, where the tensor is broadcast.
    Zero,
    /// A dimension of the loops.
    Loop(usize),
    /// The sum of two dimensions of the loops, each with a factor: the windows, and the elements of one.
    Walk {
        position: (usize, u64),
        window: (usize, u64),
    },
}

impl From<Option<usize>> for Coordinate {
    fn from(dim: Option<usize>) -> Self {
        dim.map_or(Self::Zero, Self::Loop)
    }
}

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero => f.write_str("0"),
            Self::Loop(dim) => write!(f, "d{dim}"),
            Self::Walk {
                position: (position, stride),
                window: (window, dilation),
            } => write!(f, "d{position} * {stride} + d{window} * {dilation}"),
        }
    }
}

/// A builder of tensors before an operation.
pub(super) struct Builder<'p> {
    pub(super) context: &'p Context,
    pub(super) location: Location<'p>,
    block: Blk<'p>,
    /// The insertion point; `None` for the end of the block.
    before: Option<Op<'p>>,
}

impl<'p> Builder<'p> {
    /// Returns a builder that inserts before `before`.
    pub(super) fn before(context: &'p Context, before: Op<'p>) -> Result<Self, String> {
        let block = before
            .block()
            .ok_or_else(|| "an operation outside of every block".to_owned())?;
        Ok(Self {
            context,
            location: before.location(),
            block,
            before: Some(before),
        })
    }

    /// Returns a builder for the same operation at the end of a block.
    pub(super) fn inside(&self, block: Blk<'p>) -> Self {
        Self {
            block,
            before: None,
            ..*self
        }
    }

    /// Returns the position at which it builds.
    pub(super) fn at(&self) -> At<'p> {
        self.before.map_or(At::End(self.block), At::Before)
    }

    /// Builds a tensor of undefined contents.
    pub(super) fn empty(&self, ty: Type<'p>) -> Val<'p> {
        self.builder().op(tensor::empty(&[]), ty)
    }

    /// Builds a constant.
    pub(super) fn constant(&self, value: Attribute<'p>, ty: Type<'p>) -> Val<'p> {
        self.builder().op(arith::constant(value), ty)
    }

    /// Builds a tensor with one value everywhere, in new memory.
    pub(super) fn splat(&self, value: Attribute<'p>, ty: Type<'p>) -> Val<'p> {
        let value = self.constant(value, value.r#type());
        self.builder().op(tensor::splat(value, &[]), ty)
    }

    /// Builds a tensor of NaN, or for integers of 0xA5 in every byte.
    pub(super) fn poison(&self, ty: Type<'p>) -> Result<Val<'p>, String> {
        let element = RankedTensorType::try_from(ty)
            .map_err(|err| err.to_string())?
            .element();
        let value = match IntegerType::try_from(element) {
            Ok(integer) => {
                let bits = POISON_BITS >> 64_u32.saturating_sub(integer.width());
                IntegerAttribute::new(element, bits.cast_signed()).into()
            }
            Err(_) => FloatAttribute::new(self.context, element, f64::NAN).into(),
        };
        Ok(self.splat(value, ty))
    }

    /// Builds a `linalg.generic` over `dims` dimensions, the last `reduced` of them reduced, that reads `operands` and writes
    /// into a tensor. `maps` has the dimension along which each tensor moves: operands, then the result. `build` gets the
    /// elements of the operands and the element that is written over.
    #[expect(
        clippy::too_many_arguments,
        reason = "these are the parts of a linalg.generic"
    )]
    pub(super) fn generic(
        &self,
        source: Op<'p>,
        dims: usize,
        reduced: usize,
        maps: &[Vec<Option<usize>>],
        operands: &[Val<'p>],
        into: Val<'p>,
        build: impl FnOnce(&Body<'p>, &[Val<'p>], Val<'p>) -> Scalar<'p>,
    ) -> Result<Val<'p>, String> {
        let mut kinds = vec![false; dims - reduced];
        kinds.resize(dims, true);
        let maps = maps.iter();
        let maps: Vec<Vec<Coordinate>> = maps
            .map(|map| map.iter().map(|dim| (*dim).into()).collect())
            .collect();
        self.nest(source, &kinds, &maps, operands, into, build)
    }

    /// Builds the same for dimensions of which any may be reduced: the ones with a true entry in `kinds`.
    fn nest(
        &self,
        source: Op<'p>,
        kinds: &[bool],
        maps: &[Vec<Coordinate>],
        operands: &[Val<'p>],
        into: Val<'p>,
        build: impl FnOnce(&Body<'p>, &[Val<'p>], Val<'p>) -> Scalar<'p>,
    ) -> Result<Val<'p>, String> {
        let mut tensors = operands.to_vec();
        tensors.push(into);
        let elements = tensors
            .iter()
            .map(|tensor| Ok(RankedTensorType::try_from(tensor.r#type())?.element()))
            .collect::<Result<Vec<_>, melior::Error>>()
            .map_err(|err| err.to_string())?;

        let region = Region::new();
        region.append_block(Block::new(
            &elements
                .iter()
                .map(|ty| (*ty, self.location))
                .collect::<Vec<_>>(),
        ));
        let indexing_maps = self.indexing_maps(kinds.len(), maps)?;
        let iterator_types = self.iterator_types(kinds)?;
        let generic = linalg::generic(operands, &[into], indexing_maps, iterator_types);
        let result = self.builder().op(generic.region(region), into.r#type());
        let block = ir::defining_op(result)
            .and_then(ir::body)
            .ok_or_else(|| "an operation without body".to_owned())?;
        let arguments = (0..tensors.len())
            .map(|index| Ok(block.argument(index)?.into()))
            .collect::<Result<Vec<Val<'p>>, melior::Error>>()
            .map_err(|err| err.to_string())?;
        let (inputs, output) = arguments.split_at(operands.len());
        let [output] = *output else {
            return Err(unexpected(output));
        };
        let body = Body::new(self.context, block, source);
        body.finish(build(&body, inputs, output)?);
        Ok(result)
    }

    fn indexing_maps(
        &self,
        dims: usize,
        maps: &[Vec<Coordinate>],
    ) -> Result<Attribute<'p>, String> {
        let inputs = (0..dims)
            .map(|dim| format!("d{dim}"))
            .collect::<Vec<_>>()
            .join(", ");
        let maps = maps
            .iter()
            .map(|map| {
                let results: Vec<_> = map.iter().map(Coordinate::to_string).collect();
                self.parse(&format!(
                    "affine_map<({inputs}) -> ({})>",
                    results.join(", ")
                ))
            })
            .collect::<Result<Vec<_>, String>>()?;
        Ok(ArrayAttribute::new(self.context, &maps).into())
    }

    fn iterator_types(&self, reduced: &[bool]) -> Result<Attribute<'p>, String> {
        let parallel = self.parse("#linalg.iterator_type<parallel>")?;
        let reduction = self.parse("#linalg.iterator_type<reduction>")?;
        let kinds = reduced.iter();
        let kinds: Vec<_> = kinds
            .map(|reduced| if *reduced { reduction } else { parallel })
            .collect();
        Ok(ArrayAttribute::new(self.context, &kinds).into())
    }

    fn parse(&self, text: &str) -> Result<Attribute<'p>, String> {
        Attribute::parse(self.context, text).ok_or_else(|| format!("cannot build {text}"))
    }

    fn builder(&self) -> OpBuilder<'p> {
        OpBuilder {
            context: self.context,
            at: self.at(),
            location: self.location,
        }
    }
}

/// Returns the part of an operand that the iteration space visits. Only the right operand of a matrix product is larger: rows of
/// zeros follow its K.
fn without_padding<'p>(
    device: DeviceOp<'p>,
    space: &[i64],
    operand: usize,
    value: Val<'p>,
) -> Result<Val<'p>, String> {
    let ty = RankedTensorType::try_from(value.r#type()).map_err(|err| err.to_string())?;
    let mut sizes = Vec::with_capacity(ty.rank());
    for (position, dim) in device.tensor_dims(operand).into_iter().enumerate() {
        let extent = match ty.dim_size(position) {
            Ok(DimSize::Static(extent)) => i64::try_from(extent).map_err(|err| err.to_string())?,
            Ok(DimSize::Dynamic) => return Ok(value),
            Err(err) => return Err(err.to_string()),
        };
        let visited = dim.and_then(|dim| space.get(dim).copied());
        sizes.push(visited.map_or(extent, |visited| visited.min(extent)));
    }
    let shape: Vec<u64> = sizes.iter().map(|size| size.unsigned_abs()).collect();
    let part: Type<'p> = RankedTensorType::new(&shape, ty.element(), None).into();
    if part == value.r#type() {
        return Ok(value);
    }
    let window = Window {
        offsets: vec![Offset::Static(0); sizes.len()],
        sizes,
    };
    let at = At::Before(device.op());
    Ok(ir::build_extract_slice(
        at,
        device.op().location(),
        part,
        value,
        &window,
    ))
}

pub(super) fn with_element<'p>(
    tensor: RankedTensorType<'p>,
    element: Type<'p>,
) -> Result<Type<'p>, String> {
    let shape = (0..tensor.rank())
        .map(|dim| match tensor.dim_size(dim) {
            Ok(DimSize::Static(extent)) => Ok(extent),
            Ok(DimSize::Dynamic) => Err(format!("dimension {dim} has a dynamic extent")),
            Err(err) => Err(err.to_string()),
        })
        .collect::<Result<Vec<_>, String>>()?;
    Ok(RankedTensorType::new(&shape, element, None).into())
}
