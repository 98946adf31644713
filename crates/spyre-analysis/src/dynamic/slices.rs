//! Slices of tensors with dynamic dimensions.
//!
//! A slice covers all of a dynamic dimension: its offset is 0, its stride 1, and its size the extent. It cuts other
//! dimensions. A slice with static sizes may cut a dynamic dimension as well: such a slice is a tile. In a tensor with
//! the largest extent, a slice that starts at 0 may have the dynamic extent.

use melior::Context;
use melior::ir::attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute};
use melior::ir::operation::{Operation, OperationBuilder, OperationLike};
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Attribute, Identifier, Location, ShapedTypeLike, ValueLike};
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Op, OpKind, Val};
use spyre_ods::tensor;

use super::{DynamicDims, SymbolId, error};

/// The attribute with the offsets that are numbers.
const OFFSETS: &str = "static_offsets";
/// The attribute with the sizes that are numbers.
pub const SIZES: &str = "static_sizes";
/// The attribute with the strides that are numbers.
const STRIDES: &str = "static_strides";
const SEGMENTS: &str = "operandSegmentSizes";

/// The number that MLIR has in place of one that is an operand.
pub const DYNAMIC: i64 = i64::MIN;

/// A size of a slice, in elements.
#[derive(Clone, Copy)]
pub enum SliceSize<'p> {
    /// A number.
    Fixed(i64),
    /// An index value.
    Chosen(Val<'p>),
}

impl<'p> SliceSize<'p> {
    /// Returns the number, with [`i64::MIN`] for an index value, as MLIR has it.
    fn number(self) -> i64 {
        match self {
            Self::Fixed(size) => size,
            Self::Chosen(_) => DYNAMIC,
        }
    }

    /// Returns the index value; `None` for a number.
    fn chosen(self) -> Option<Val<'p>> {
        match self {
            Self::Fixed(_) => None,
            Self::Chosen(size) => Some(size),
        }
    }
}

/// A `tensor.extract_slice` or `tensor.insert_slice`.
#[derive(Clone, Copy)]
pub struct Slice<'p> {
    op: Op<'p>,
}

impl<'p> Slice<'p> {
    /// Returns a slice; `None` for any other operation.
    pub fn cast(op: Op<'p>) -> Option<Self> {
        matches!(ir::kind(op), OpKind::ExtractSlice | OpKind::InsertSlice).then_some(Self { op })
    }

    /// Returns the tensor that the slice is a part of.
    pub fn whole(self) -> Val<'p> {
        let number = usize::from(ir::kind(self.op) == OpKind::InsertSlice);
        ir::operand(self.op, number).expect("a slice is one of a tensor")
    }

    /// Returns the offsets, with [`i64::MIN`] for one that is an operand.
    pub fn offsets(self) -> Vec<i64> {
        self.numbers(OFFSETS)
    }

    /// Returns the sizes, with [`i64::MIN`] for one that is an operand.
    pub fn sizes(self) -> Vec<i64> {
        self.numbers(SIZES)
    }

    /// Returns the strides, with [`i64::MIN`] for one that is an operand.
    pub fn strides(self) -> Vec<i64> {
        self.numbers(STRIDES)
    }

    fn numbers(self, name: &str) -> Vec<i64> {
        let numbers = attr::dense_signed_integers(ir::attribute(self.op, name));
        numbers.expect("a slice has these numbers")
    }

    /// Returns the sizes, as numbers and operands.
    pub fn all_sizes(self) -> Vec<SliceSize<'p>> {
        let operands = self.op.operand_count() - count(&self.strides()) - count(&self.sizes());
        let mut operands = self.op.operands().skip(operands);
        self.sizes()
            .into_iter()
            .map(|size| match size {
                DYNAMIC => SliceSize::Chosen(operands.next().expect("every size is given")),
                size => SliceSize::Fixed(size),
            })
            .collect()
    }

    /// Returns the operation with other sizes, in no block yet. Its result keeps its type.
    ///
    /// # Errors
    /// MLIR does not build it.
    pub fn resized(
        self,
        context: &'p Context,
        sizes: &[SliceSize<'p>],
    ) -> Result<Operation<'p>, Diagnostic<'p>> {
        let op = self.op;
        let (strides, size_count) = (count(&self.strides()), count(&self.sizes()));
        let all: Vec<Val<'p>> = op.operands().collect();
        let (front, last) = all.split_at(all.len() - strides);
        let front = &front[..front.len() - size_count];
        let chosen: Vec<Val<'p>> = sizes.iter().filter_map(|size| size.chosen()).collect();
        let offsets = count(&self.offsets());
        let tensors = front.len() - offsets;
        let segments = std::iter::repeat_n(1, tensors).chain([offsets, chosen.len(), strides]);
        let segments: Vec<i32> = segments
            .map(|count| i32::try_from(count).expect("ranks are small"))
            .collect();
        let numbers: Vec<i64> = sizes.iter().map(|size| size.number()).collect();
        let is_kept = |name: &Identifier<'p>| {
            let name = name.as_string_ref().as_str().expect("names are text");
            !matches!(name, SEGMENTS | SIZES)
        };
        let mut attributes: Vec<_> = op.attributes().filter(|(name, _)| is_kept(name)).collect();
        let named = |name, value: Attribute<'p>| (Identifier::new(context, name), value);
        attributes.extend([
            named(SIZES, DenseI64ArrayAttribute::new(context, &numbers).into()),
            named(
                SEGMENTS,
                DenseI32ArrayAttribute::new(context, &segments).into(),
            ),
        ]);
        let result = ir::result(op, 0).expect("a slice has a result");
        OperationBuilder::new(ir::name(op), op.location())
            .add_operands(&[front, &chosen, last].concat())
            .add_attributes(&attributes)
            .add_results(&[result.r#type()])
            .build()
            .map_err(|err| error(op, err))
    }
}

/// Builds the slice of a tensor that starts at its first element, at the location of the tensor.
pub fn prefix<'p>(
    context: &'p Context,
    at: At<'p>,
    whole: Val<'p>,
    sizes: &[SliceSize<'p>],
) -> Op<'p> {
    let place = (at, whole.location());
    extract(context, place, whole, &vec![0; sizes.len()], sizes)
}

/// Builds a slice of a tensor without steps.
pub fn extract<'p>(
    context: &'p Context,
    (at, location): (At<'p>, Location<'p>),
    whole: Val<'p>,
    offsets: &[i64],
    sizes: &[SliceSize<'p>],
) -> Op<'p> {
    let tensor = RankedTensorType::try_from(whole.r#type()).expect("a slice is one of a tensor");
    let extents = sizes.iter().map(|size| size.number().cast_unsigned());
    let ty = RankedTensorType::new(&extents.collect::<Vec<_>>(), tensor.element(), None);
    let WindowParts {
        offsets,
        sizes,
        strides,
        dynamic_sizes,
    } = WindowParts::new(context, offsets, sizes);
    let parts = tensor::extract_slice(whole, &[], &dynamic_sizes, &[], offsets, sizes, strides);
    parts.insert(at, &[ty.into()], location, context)
}

/// Builds the insertion of a tile into a tensor without steps.
pub fn insert<'p>(
    context: &'p Context,
    (at, location): (At<'p>, Location<'p>),
    (tile, into): (Val<'p>, Val<'p>),
    offsets: &[i64],
    sizes: &[SliceSize<'p>],
) -> Op<'p> {
    let WindowParts {
        offsets,
        sizes,
        strides,
        dynamic_sizes,
    } = WindowParts::new(context, offsets, sizes);
    let parts = tensor::insert_slice(
        tile,
        into,
        &[],
        &dynamic_sizes,
        &[],
        offsets,
        sizes,
        strides,
    );
    parts.insert(at, &[into.r#type()], location, context)
}

/// The attributes and the dynamic sizes of a slice without steps.
struct WindowParts<'p> {
    offsets: Attribute<'p>,
    sizes: Attribute<'p>,
    strides: Attribute<'p>,
    dynamic_sizes: Vec<Val<'p>>,
}

impl<'p> WindowParts<'p> {
    fn new(context: &'p Context, offsets: &[i64], sizes: &[SliceSize<'p>]) -> Self {
        let numbers = |values: &[i64]| DenseI64ArrayAttribute::new(context, values).into();
        let static_sizes: Vec<i64> = sizes.iter().map(|size| size.number()).collect();
        Self {
            offsets: numbers(offsets),
            sizes: numbers(&static_sizes),
            strides: numbers(&vec![1; sizes.len()]),
            dynamic_sizes: sizes.iter().filter_map(|size| size.chosen()).collect(),
        }
    }
}

impl DynamicDims {
    /// Returns the dynamic dimension that each size of a slice is.
    ///
    /// # Errors
    /// A size is dynamic, but the slice is not all of a dynamic dimension there.
    pub fn slice<'p>(&self, slice: Slice<'p>) -> Result<Vec<Option<SymbolId>>, Diagnostic<'p>> {
        let whole = self.of(slice.whole());
        let room = super::shape(slice.whole().r#type()).expect("a slice is one of a tensor");
        let (offsets, strides) = (slice.offsets(), slice.strides());
        let sizes = slice.all_sizes().into_iter().enumerate();
        sizes
            .map(|(dim, size)| {
                let SliceSize::Chosen(size) = size else {
                    return Ok(None);
                };
                let symbol = self.of_index(size);
                let has_all = whole.get(dim).copied().flatten() == symbol
                    || symbol.is_some_and(|symbol| room.get(dim) == Some(&self.room(symbol)));
                let is_all =
                    symbol.is_some() && has_all && (offsets[dim], strides[dim]) == (0, 1);
                if is_all {
                    return Ok(symbol);
                }
                let message = format!(
                    "this slice has a size along dimension {dim} that is dynamic, but is not all of a dynamic dimension"
                );
                Err(error(slice.op, message))
            })
            .collect()
    }
}

/// Returns how many of some numbers are operands.
fn count(numbers: &[i64]) -> usize {
    numbers.iter().filter(|number| **number == DYNAMIC).count()
}
