//! Builds device operations and views before an operation.
//!
//! Operands are *narrow*: a tensor may have extent 1 where the loops have more, and repeats there. [`Build::widen`] makes it
//! whole where an operation needs that.

use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, DenseElementsAttribute, DenseI64ArrayAttribute, FloatAttribute,
    IntegerAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, FunctionType, IntegerType, RankedTensorType};
use melior::ir::{Attribute, ShapedTypeLike, Type, ValueLike};
use spyre_analysis::dynamic::SymbolId;
use spyre_analysis::dynamic::extents::{Extent, Extents, ShapeError, shape_of_type};
use spyre_analysis::dynamic::slices::{self, SliceSize};
use spyre_analysis::names::placeholder;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::names::DIMS;
use spyre_mlir_rt::ir::{self, At, Op, OpBuilder, OpParts, Val, Window};
use spyre_ods::{arith, spyre, tensor};

use super::error::{BuildError, DimensionText};
use super::reassociation::{common, groups};

/// Returns the extents of a tensor, in elements.
///
/// # Errors
/// The value is no ranked tensor, or an extent is dynamic.
pub fn shape_of(value: Val<'_>) -> Result<Vec<i64>, ShapeError> {
    let shape = shape_of_type(value.r#type(), |_| None)?;
    Ok(Extent::numbers(&shape).expect("dynamic extents are refused"))
}

/// Returns the element type of a tensor, or the type of a scalar.
pub fn element_of<'p>(value: Val<'p>) -> Type<'p> {
    element_type(value.r#type())
}

/// Returns the type of a tensor's elements, or the type itself.
pub fn element_type(ty: Type<'_>) -> Type<'_> {
    // Melior's error holds the text of the type.
    if !ir::is_ranked_tensor(ty) {
        return ty;
    }
    RankedTensorType::try_from(ty).map_or(ty, |tensor| tensor.element())
}

/// Returns whether a type is that of truth values.
pub fn is_truth(ty: Type<'_>) -> bool {
    IntegerType::try_from(ty).is_ok_and(|ty| ty.width() == 1)
}

/// Returns a type with other elements: of a tensor, the tensor of the same extents, and `element` for any other type.
pub fn with_element<'p>(ty: Type<'p>, element: Type<'p>) -> Type<'p> {
    if !ir::is_ranked_tensor(ty) {
        return element;
    }
    let tensor = RankedTensorType::try_from(ty).expect("the type is a ranked tensor");
    let extents = (0..tensor.rank()).map(|dim| {
        let extent = tensor.dim_size(dim);
        match extent.expect("the dimension is below the rank") {
            DimSize::Static(extent) => extent,
            // MLIR has one number for all dynamic extents.
            DimSize::Dynamic => RankedTensorType::dynamic_stride_or_offset().cast_unsigned(),
        }
    });
    let extents: Vec<u64> = extents.collect();
    RankedTensorType::new(&extents, element, tensor.encoding()).into()
}

/// Returns the types of a function's results.
pub fn result_types<'p>(function: Op<'p>) -> Vec<Type<'p>> {
    let ty = ir::attribute(function, "function_type");
    let ty = ty.and_then(|ty| TypeAttribute::try_from(ty).ok());
    let ty = ty.and_then(|ty| FunctionType::try_from(ty.value()).ok());
    let count = ty.map_or(0, |ty| ty.result_count());
    (0..count)
        .filter_map(|number| ty?.result(number).ok())
        .collect()
}

/// Returns the one value that a constant, or a copy that repeats one, holds everywhere.
pub fn splat<'p>(op: Op<'p>) -> Option<Attribute<'p>> {
    if let Some(copy) = spyre::Copy::cast(op) {
        return splat(ir::defining_op(copy.input())?);
    }
    let is_constant = matches!(ir::name(op), spyre::FILL | arith::CONSTANT);
    let value = is_constant.then(|| ir::attribute(op, "value")).flatten()?;
    spyre_dialects::attr::splat(value)
}

/// Returns the shape to which tensors of equal rank broadcast: each repeats where its extent is 1, and the others agree.
pub fn broadcast(shapes: &[Vec<Extent>]) -> Vec<Extent> {
    let rank = shapes.first().map_or(0, Vec::len);
    let dims = 0..rank;
    dims.map(|dim| {
        let mut extents = shapes.iter().map(|shape| shape[dim]);
        let long = extents.find(|extent| !extent.is_one());
        long.unwrap_or(Extent::ONE)
    })
    .collect()
}

/// Returns a shape of static extents.
pub fn fixed(shape: &[i64]) -> Vec<Extent> {
    shape.iter().copied().map(Extent::Static).collect()
}

/// Returns the shape of a tensor with one element and `rank` dimensions.
pub fn ones(rank: usize) -> Vec<Extent> {
    vec![Extent::ONE; rank]
}

/// The reason why a shape has no dynamic extent in a module that has none.
pub const FIXED: &str = "the extents are numbers";

/// Builds operations before another.
#[derive(Clone, Copy)]
pub struct Build<'p> {
    /// The context of the operations.
    pub context: &'p Context,
    /// The operation before which others are built, with its location.
    pub before: Op<'p>,
    /// The tiling hints of every device operation that is built.
    pub hints: Option<Attribute<'p>>,
    /// The dimensions that all built device operations divide over cores, by name.
    pub divisions: Option<Attribute<'p>>,
    /// The extents of the function's values; `None` where all extents are numbers.
    pub extents: Option<&'p Extents>,
}

impl<'p> Build<'p> {
    /// Returns a builder of operations before another, without hints and without dynamic extents.
    pub fn new(context: &'p Context, before: Op<'p>) -> Self {
        Self {
            context,
            before,
            hints: None,
            divisions: None,
            extents: None,
        }
    }

    /// Builds an operation with one result, of type `ty`. A device operation gets the hints and the divisions.
    pub fn emit(&self, parts: OpParts<'p>, ty: Type<'p>) -> Val<'p> {
        let op = OpBuilder::before(self.context, self.before).insert(parts, &[ty]);
        self.enter(op);
        if let Some(device) = DeviceOp::cast(op) {
            if let Some(hints) = self.hints {
                device.set_hints(hints);
            }
            if let Some(divisions) = self.divisions {
                device.set_divisions(divisions);
            }
        }
        ir::result(op, 0).expect("it is built with a result")
    }

    /// Builds an operation whose name is data.
    fn named(
        &self,
        name: &str,
        operands: &[Val<'p>],
        ty: Type<'p>,
        attributes: &[(&'static str, Attribute<'p>)],
    ) -> Val<'p> {
        let parts = OpParts::named(name.to_owned(), operands);
        let with = |parts: OpParts<'p>, (name, value): &(&'static str, Attribute<'p>)| {
            parts.with(name, *value)
        };
        self.emit(attributes.iter().fold(parts, with), ty)
    }

    /// Enters the results of an operation into the extents of the function.
    pub fn enter(&self, op: Op<'p>) {
        if let Some(extents) = self.extents {
            extents.enter(op);
        }
    }

    /// Returns the tensor type of a shape.
    pub fn tensor<E: Into<Extent> + Copy>(&self, shape: &[E], element: Type<'p>) -> Type<'p> {
        let extents = shape.iter().map(|extent| {
            let extent: Extent = (*extent).into();
            extent.encoded().cast_unsigned()
        });
        RankedTensorType::new(&extents.collect::<Vec<_>>(), element, None).into()
    }

    /// Builds the dynamic extents among some extents as index values, in order.
    fn sizes(&self, shape: &[Extent]) -> Vec<Val<'p>> {
        let dynamic = shape.iter().filter_map(|extent| match extent {
            Extent::Static(_) => None,
            Extent::Dynamic(symbol) => Some(*symbol),
        });
        dynamic.map(|symbol| self.size(symbol)).collect()
    }

    /// Builds the extent of a dynamic dimension as an index value.
    pub fn size(&self, symbol: SymbolId) -> Val<'p> {
        let extents = self
            .extents
            .expect("a dynamic extent is one of the function");
        extents.build(self.context, self.before, symbol)
    }

    /// Returns extents as the sizes of a slice or a reshape.
    pub fn slice_sizes(&self, shape: &[Extent]) -> Vec<SliceSize<'p>> {
        let sizes = shape.iter().map(|extent| match *extent {
            Extent::Static(number) => SliceSize::Fixed(number),
            Extent::Dynamic(symbol) => SliceSize::Chosen(self.size(symbol)),
        });
        sizes.collect()
    }

    /// Returns the name of a dynamic dimension in quotes, or a number, for a message.
    pub fn name(&self, extent: Extent) -> String {
        match (extent, self.extents) {
            (Extent::Dynamic(symbol), Some(extents)) => format!("\"{}\"", extents.name(symbol)),
            (extent, _) => extent.encoded().to_string(),
        }
    }

    /// Returns the dimension of an extent for a message.
    fn dimension(&self, extent: Extent) -> DimensionText {
        match extent {
            Extent::Dynamic(_) => DimensionText::Dynamic(self.name(extent)),
            Extent::Static(extent) => DimensionText::Static(extent),
        }
    }

    /// Returns a reason with the name of a dynamic dimension in the place of `{}`; for an extent that is a number, with that.
    pub fn because(&self, extent: Extent, reason: &str) -> String {
        reason.replace("{}", &self.dimension(extent).to_string())
    }

    /// Builds an operation on tensors of equal rank, element by element.
    pub fn pointwise(&self, name: &str, operands: &[Val<'p>], element: Type<'p>) -> Val<'p> {
        let shapes = operands.iter();
        let shapes: Vec<_> = shapes.map(|operand| self.shape(*operand)).collect();
        let ty = self.tensor(&broadcast(&shapes), element);
        self.named(name, operands, ty, &[])
    }

    /// Returns the extents of a tensor.
    ///
    /// # Errors
    /// The value is no ranked tensor, or an extent is dynamic and none of the function's dynamic dimensions.
    pub fn shape_of(&self, value: Val<'p>) -> Result<Vec<Extent>, ShapeError> {
        match self.extents {
            Some(extents) => extents.shape(value),
            None => Ok(fixed(&shape_of(value)?)),
        }
    }

    /// Returns the extents of a tensor that this builder has entered.
    pub fn shape(&self, value: Val<'p>) -> Vec<Extent> {
        self.shape_of(value)
            .expect("only tensors of known extents are converted")
    }

    /// Builds a tensor with one value everywhere. Along a dynamic extent it repeats.
    pub fn fill(&self, value: Attribute<'p>, shape: &[Extent], element: Type<'p>) -> Val<'p> {
        let narrow = shape.iter().map(|extent| extent.number().unwrap_or(1));
        let ty = self.tensor(&narrow.collect::<Vec<_>>(), element);
        let value = DenseElementsAttribute::new(ty, &[value]).expect("a value of the element type");
        let filled = self.emit(spyre::fill(value.into()), ty);
        self.repeat(filled, shape)
    }

    /// Returns the tensor with the extents of `shape`, by a copy where they differ. The copy names the dynamic
    /// dimensions along which it repeats its operand: no operand determines them.
    fn repeat(&self, value: Val<'p>, shape: &[Extent]) -> Val<'p> {
        let source_shape = self.shape(value);
        if source_shape == shape {
            return value;
        }
        let ty = self.tensor(shape, element_of(value));
        let names = self.new_names(&source_shape, shape);
        self.emit(spyre::copy(value).with_optional(DIMS, names), ty)
    }

    /// Returns the names of the dimensions of a shape that is derived from `from`; `None` unless a dimension is dynamic
    /// in `shape` and not in `from`.
    fn new_names(&self, from: &[Extent], shape: &[Extent]) -> Option<Attribute<'p>> {
        let mut dims = from.iter().zip(shape);
        if !dims.any(|(from, extent)| from != extent && extent.number().is_none()) {
            return None;
        }
        let names = shape.iter().map(|extent| match (*extent, self.extents) {
            (Extent::Dynamic(symbol), Some(extents)) => extents.name(symbol),
            (extent, _) => placeholder(extent.encoded()),
        });
        let names: Vec<Attribute<'p>> = names
            .map(|name| StringAttribute::new(self.context, &name).into())
            .collect();
        Some(spyre_dialects::attr::array(self.context, &names))
    }

    /// Returns a number as an attribute of a float or integer type.
    pub fn number(&self, value: f64, ty: Type<'p>) -> Attribute<'p> {
        if IntegerType::try_from(ty).is_ok() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "callers ask for small integers"
            )]
            let value = value as i64;
            // The only digit of a truth value is its sign.
            IntegerAttribute::new(ty, value).into()
        } else {
            FloatAttribute::new(self.context, ty, value).into()
        }
    }

    /// Builds a tensor of one element and `rank` dimensions.
    pub fn scalar(&self, value: f64, rank: usize, element: Type<'p>) -> Val<'p> {
        self.fill(self.number(value, element), &ones(rank), element)
    }

    /// Builds a tensor of undefined contents.
    pub fn empty(&self, shape: &[Extent], element: Type<'p>) -> Val<'p> {
        let ty = self.tensor(shape, element);
        self.emit(spyre::empty(&self.sizes(shape)), ty)
    }

    /// Returns the tensor without its repetitions, of the same rank.
    pub fn narrow(&self, value: Val<'p>) -> Val<'p> {
        let Some(op) = ir::defining_op(value) else {
            return value;
        };
        let rank = self.shape(value).len();
        match ir::name(op) {
            spyre::COPY => {
                let operand: Val<'p> = op.operand(0).expect("a copy has an operand");
                if self
                    .shape_of(operand)
                    .is_ok_and(|shape| shape.len() == rank)
                {
                    self.narrow(operand)
                } else {
                    value
                }
            }
            spyre::FILL => {
                let attribute = ir::attribute(op, "value");
                let element_value = attribute.and_then(spyre_dialects::attr::splat);
                element_value.map_or(value, |element_value| {
                    self.fill(element_value, &ones(rank), element_of(value))
                })
            }
            _ => value,
        }
    }

    /// Returns the tensor with the extents of `shape`, which has its rank.
    pub fn widen(&self, value: Val<'p>, shape: &[Extent]) -> Val<'p> {
        let element = element_of(value);
        if let Some(op) = ir::defining_op(value)
            && ir::name(op) == spyre::FILL
            && let Some(element_value) = op
                .attribute("value")
                .ok()
                .and_then(spyre_dialects::attr::splat)
            && self.shape(value) != shape
        {
            return self.fill(element_value, shape, element);
        }
        self.repeat(value, shape)
    }

    /// Returns the tensor with its dimensions in another order: dimension `i` is dimension `order[i]` of the operand.
    pub fn permute(&self, value: Val<'p>, order: &[usize]) -> Val<'p> {
        if order.iter().enumerate().all(|(at, from)| at == *from) {
            return value;
        }
        let shape = self.shape(value);
        let permuted: Vec<_> = order.iter().map(|from| shape[*from]).collect();
        let numbers: Vec<_> = order.iter().map(|from| *from as i64).collect();
        let numbers = DenseI64ArrayAttribute::new(self.context, &numbers).into();
        let ty = self.tensor(&permuted, element_of(value));
        self.emit(spyre::permute(value, numbers), ty)
    }

    /// Returns the same elements in the same order, in another shape.
    ///
    /// # Errors
    /// A dynamic dimension would be split, or merged with others.
    pub fn reshape(&self, value: Val<'p>, shape: &[Extent]) -> Result<Val<'p>, BuildError> {
        let from = self.shape_of(value)?;
        if from == shape {
            return Ok(value);
        }
        if let Some(groups) = groups(&from, shape) {
            return Ok(self.collapse(value, &groups, shape));
        }
        if let Some(groups) = groups(shape, &from) {
            return Ok(self.expand(value, &groups, shape));
        }
        let common = common(&from, shape).map_err(|extent| BuildError::Reshape {
            of: self.dimension(extent),
        })?;
        let [merged, split] = [&from[..], shape].map(|fine| {
            let groups = groups(fine, &common);
            groups.expect("both shapes are collapsed to the common one")
        });
        Ok(self.expand(self.collapse(value, &merged, &common), &split, shape))
    }

    /// Returns the same elements in the same order, in another shape, where all extents are numbers.
    pub fn reshape_fixed(&self, value: Val<'p>, shape: &[i64]) -> Val<'p> {
        self.reshape(value, &fixed(shape)).expect(FIXED)
    }

    fn collapse(&self, value: Val<'p>, groups: &[Vec<usize>], shape: &[Extent]) -> Val<'p> {
        let ty = self.tensor(shape, element_of(value));
        let groups = self.reassociation(groups);
        self.emit(tensor::collapse_shape(value, groups), ty)
    }

    fn expand(&self, value: Val<'p>, groups: &[Vec<usize>], shape: &[Extent]) -> Val<'p> {
        let ty = self.tensor(shape, element_of(value));
        let extents: Vec<i64> = shape.iter().map(|extent| extent.encoded()).collect();
        let extents = DenseI64ArrayAttribute::new(self.context, &extents).into();
        let groups = self.reassociation(groups);
        let parts = tensor::expand_shape(value, &self.sizes(shape), groups, extents);
        self.emit(parts, ty)
    }

    fn reassociation(&self, groups: &[Vec<usize>]) -> Attribute<'p> {
        let i64 = IntegerType::new(self.context, 64).into();
        let groups = groups.iter().map(|group| {
            let dims = group.iter();
            let dims: Vec<Attribute<'p>> = dims
                .map(|dim| IntegerAttribute::new(i64, *dim as i64).into())
                .collect();
            ArrayAttribute::new(self.context, &dims).into()
        });
        ArrayAttribute::new(self.context, &groups.collect::<Vec<_>>()).into()
    }

    /// Returns a window of a tensor. A step of n selects every n-th element along its dimension.
    ///
    /// # Errors
    /// A step is negative, or the window cuts a dynamic dimension at an element that its smallest extent does not have.
    pub fn window(
        &self,
        value: Val<'p>,
        offsets: &[i64],
        sizes: &[Extent],
        steps: &[i64],
    ) -> Result<Val<'p>, BuildError> {
        let mut value = value;
        let is_stepped = |dim: usize| steps[dim] > 1 && !sizes[dim].is_one();
        for (dim, step) in steps.iter().enumerate() {
            if *step < 0 {
                return Err(BuildError::Backwards { dim });
            }
            if is_stepped(dim) {
                let size = sizes[dim].number().ok_or_else(|| BuildError::Steps {
                    of: self.dimension(sizes[dim]),
                })?;
                value = self.every(value, dim, offsets[dim], size, *step)?;
            }
        }
        let dims = 0..sizes.len();
        let offsets: Vec<i64> = dims
            .map(|dim| if is_stepped(dim) { 0 } else { offsets[dim] })
            .collect();
        self.slice(value, &offsets, sizes)
    }

    /// Returns `size` elements along a dimension, from `offset` on in steps of `step`: the dimension in two, of which the second
    /// has the extent of the step, at the first position there.
    fn every(
        &self,
        value: Val<'p>,
        dim: usize,
        offset: i64,
        size: i64,
        step: i64,
    ) -> Result<Val<'p>, BuildError> {
        let shape = self.shape_of(value)?;
        let span = size * step;
        let mut value = value;
        if shape[dim]
            .number()
            .is_some_and(|extent| offset + span > extent)
        {
            // The elements after the last one are missing. They are not read, but the view needs their memory.
            let mut room = shape.clone();
            room[dim] = Extent::Static(offset + span);
            value = self.pad(value, &vec![0; shape.len()], &room, 0.0)?;
        }
        let mut offsets = vec![0; shape.len()];
        let mut sizes = shape.clone();
        (offsets[dim], sizes[dim]) = (offset, Extent::Static(span));
        value = self.slice(value, &offsets, &sizes)?;
        let mut parts = shape.clone();
        parts.splice(dim..=dim, [size, step].map(Extent::Static));
        value = self.reshape(value, &parts)?;
        let mut sizes = parts.clone();
        sizes[dim + 1] = Extent::ONE;
        value = self.slice(value, &vec![0; parts.len()], &sizes)?;
        let mut whole = shape;
        whole[dim] = Extent::Static(size);
        self.reshape(value, &whole)
    }

    /// Returns a window without steps.
    ///
    /// # Errors
    /// It cuts a dynamic dimension at an element that its smallest extent does not have.
    pub fn slice(
        &self,
        value: Val<'p>,
        offsets: &[i64],
        sizes: &[Extent],
    ) -> Result<Val<'p>, BuildError> {
        let whole = self.shape_of(value)?;
        if whole == sizes {
            return Ok(value);
        }
        self.check_read(&whole, offsets, sizes)?;
        let names = self.new_names(&whole, sizes);
        let sizes = self.slice_sizes(sizes);
        let at = (At::Before(self.before), self.before.location());
        let slice = slices::extract(self.context, at, value, offsets, &sizes);
        if let Some(names) = names {
            ir::set_discardable_attribute(slice, DIMS, names);
        }
        self.enter(slice);
        Ok(ir::result(slice, 0).expect("a slice has a result"))
    }

    /// Returns a window without steps, where all extents are numbers.
    pub fn slice_fixed(&self, value: Val<'p>, offsets: &[i64], sizes: &[i64]) -> Val<'p> {
        self.slice(value, offsets, &fixed(sizes)).expect(FIXED)
    }

    /// Checks that a part of a tensor is there at every extent that is admitted: it has all of a dynamic dimension, or elements that its
    /// smallest extent has.
    ///
    /// # Errors
    /// The reason why a part is not.
    pub fn check_part(
        &self,
        whole: &[Extent],
        offsets: &[i64],
        sizes: &[Extent],
    ) -> Result<(), BuildError> {
        for ((whole, size), offset) in whole.iter().zip(sizes).zip(offsets) {
            let is_all = whole == size && *offset == 0;
            let is_there = match (*whole, size.number()) {
                (Extent::Static(_), Some(_)) => true,
                (Extent::Dynamic(_), Some(size)) => {
                    let extents = self
                        .extents
                        .expect("a dynamic extent is one of the function");
                    offset + size <= extents.smallest(*whole)
                }
                (_, None) => is_all,
            };
            if !is_all && !is_there {
                return Err(match size {
                    Extent::Dynamic(_) if size != whole => BuildError::Part {
                        of: self.dimension(*size),
                    },
                    _ => BuildError::Slice {
                        of: self.dimension(*whole),
                    },
                });
            }
        }
        Ok(())
    }

    /// Checks that a part of a tensor can be read: [`Build::check_part`] accepts it, or it is the first elements of a tensor with
    /// room for the largest extent.
    ///
    /// # Errors
    /// The reason why a part cannot be read.
    pub fn check_read(
        &self,
        whole: &[Extent],
        offsets: &[i64],
        sizes: &[Extent],
    ) -> Result<(), BuildError> {
        let room = whole
            .iter()
            .zip(sizes)
            .zip(offsets)
            .map(|((whole, size), offset)| {
                let largest = self.extents.map(|extents| extents.largest(*size));
                let has_room = *offset == 0 && largest.is_some() && whole.number() == largest;
                if has_room { *size } else { *whole }
            });
        self.check_part(&room.collect::<Vec<_>>(), offsets, sizes)
    }

    /// Returns a window of a tensor of static extents, which may be at values.
    pub fn slice_at(&self, value: Val<'p>, window: &Window<'p>) -> Val<'p> {
        let ty = self.tensor(&window.sizes, element_of(value));
        let (at, location) = (At::Before(self.before), self.before.location());
        let slice = ir::build_extract_slice(at, location, ty, value, window);
        self.enter(ir::defining_op(slice).expect("it was built"));
        slice
    }

    /// Returns `into` with the elements of `tile` from `offsets` on.
    ///
    /// # Errors
    /// The tile cuts a dynamic dimension of `into`, or is along one that `into` does not have.
    pub fn insert(
        &self,
        tile: Val<'p>,
        into: Val<'p>,
        offsets: &[i64],
    ) -> Result<Val<'p>, BuildError> {
        let sizes = self.shape_of(tile)?;
        self.check_part(&self.shape_of(into)?, offsets, &sizes)?;
        let sizes = self.slice_sizes(&sizes);
        let at = (At::Before(self.before), self.before.location());
        let inserted = slices::insert(self.context, at, (tile, into), offsets, &sizes);
        self.enter(inserted);
        Ok(ir::result(inserted, 0).expect("an insertion has a result"))
    }

    /// Returns `into` with the elements of `tile` from `offsets` on, where all extents are numbers.
    pub fn insert_fixed(&self, tile: Val<'p>, into: Val<'p>, offsets: &[i64]) -> Val<'p> {
        self.insert(tile, into, offsets).expect(FIXED)
    }

    /// Returns `into` with the elements of `tile`, of static extents, in a window, which may be at values.
    pub fn insert_at(&self, tile: Val<'p>, into: Val<'p>, window: &Window<'p>) -> Val<'p> {
        let (at, location) = (At::Before(self.before), self.before.location());
        let tensor = ir::build_insert_slice(at, location, tile, into, window);
        self.enter(ir::defining_op(tensor).expect("it was built"));
        tensor
    }

    /// Returns a tensor of `shape` that holds `value` from `low` on, and `filler` around it. The parts around it are filled one
    /// by one, so that no element is written twice.
    ///
    /// # Errors
    /// A dynamic dimension would get more elements.
    pub fn pad(
        &self,
        value: Val<'p>,
        low: &[i64],
        shape: &[Extent],
        filler: f64,
    ) -> Result<Val<'p>, BuildError> {
        let filler = self.number(filler, element_of(value));
        self.pad_with(value, low, shape, filler)
    }

    /// Does so with a value that an attribute holds.
    ///
    /// # Errors
    /// See [`Build::pad`].
    pub fn pad_with(
        &self,
        value: Val<'p>,
        low: &[i64],
        shape: &[Extent],
        filler: Attribute<'p>,
    ) -> Result<Val<'p>, BuildError> {
        let element = element_of(value);
        let mut value = value;
        for dim in 0..shape.len() {
            let inner = self.shape_of(value)?;
            let before = low[dim];
            if before == 0 && inner[dim] == shape[dim] {
                continue;
            }
            let (Extent::Static(extent), Extent::Static(target)) = (inner[dim], shape[dim]) else {
                return Err(BuildError::Pad {
                    of: self.dimension(inner[dim]),
                });
            };
            let behind = target - before - extent;
            let mut whole = inner.clone();
            whole[dim] = shape[dim];
            let mut parts = Vec::new();
            for (offset, size) in [(0, before), (before + extent, behind)] {
                if size > 0 {
                    let mut part = inner.clone();
                    part[dim] = Extent::Static(size);
                    parts.push((offset, self.fill(filler, &part, element)));
                }
            }
            parts.push((before, value));
            let mut into = self.empty(&whole, element);
            for (offset, part) in parts {
                let mut offsets = vec![0; whole.len()];
                offsets[dim] = offset;
                into = self.insert(part, into, &offsets)?;
            }
            value = into;
        }
        Ok(value)
    }

    /// Reduces dimensions of a tensor, which the result does not have. If the tensor is a permutation, its source is reduced
    /// and the smaller result is permuted.
    pub fn reduce(&self, name: &str, value: Val<'p>, dims: &[usize]) -> Val<'p> {
        if let Some((source, order)) = permuted(value) {
            let mut from: Vec<usize> = dims.iter().map(|dim| order[*dim]).collect();
            from.sort_unstable();
            let kept: Vec<usize> = (0..order.len()).filter(|dim| !from.contains(dim)).collect();
            let rest = order
                .iter()
                .enumerate()
                .filter(|(dim, _)| !dims.contains(dim));
            let places: Vec<usize> = rest
                .map(|(_, from)| {
                    let place = kept.iter().position(|kept| kept == from);
                    place.expect("a dimension that is not reduced is kept")
                })
                .collect();
            let reduced = self.reduce(name, source, &from);
            return self.permute(reduced, &places);
        }
        let shape = self.shape(value).into_iter().enumerate();
        let kept: Vec<_> = shape
            .filter(|(dim, _)| !dims.contains(dim))
            .map(|(_, extent)| extent)
            .collect();
        let numbers: Vec<_> = dims.iter().map(|dim| *dim as i64).collect();
        let numbers = DenseI64ArrayAttribute::new(self.context, &numbers).into();
        let ty = self.tensor(&kept, element_of(value));
        self.named(name, &[value], ty, &[("dims", numbers)])
    }
}

/// Returns the operand of a permutation, and its dimension for each of the result.
fn permuted<'p>(value: Val<'p>) -> Option<(Val<'p>, Vec<usize>)> {
    let permute = ir::defining_op(value).and_then(spyre::Permute::cast)?;
    let order = spyre_dialects::attr::dense_integers(Some(permute.permutation()))?;
    let order = order.into_iter().map(|dim| usize::try_from(dim).ok());
    Some((permute.input(), order.collect::<Option<_>>()?))
}
