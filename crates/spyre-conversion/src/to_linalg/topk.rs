//! Searches a dimension for its first elements in descending order.
//!
//! Every element gets a code of 64 bits. Its upper half is an integer that orders floats by the rule of the operation.
//! Its lower half is larger for earlier positions, so that of equal elements the first has the largest code. No two
//! codes along the dimension are equal, so the element of a rank has the largest code below that of the rank before.

use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, ShapedTypeLike, Type, ValueLike};
use spyre_mlir_rt::ir::{self, Offset, Val, Window};
use spyre_ods::{Arithmetic, arith, tensor};
use spyre_ops::{Comparison, Ranked};

use super::scalar::{Body, Scalar};
use super::structured::{Builder, Lowering, unexpected, with_element};

/// The number that positions are subtracted from in codes. With it, the code of a NaN at the first position is less
/// than the largest integer, which represents no element.
const LAST: i64 = 0xFFFF_FFFE;

/// Lowers a search.
pub(super) fn lower<'p>(lowering: &Lowering<'p>, told: Ranked) -> Result<Val<'p>, String> {
    let search = Search::new(lowering)?;
    let codes = search.codes()?;
    let ranked = search.ranked(codes)?;
    search.told(ranked, told)
}

struct Search<'l, 'p> {
    lowering: &'l Lowering<'p>,
    input: Val<'p>,
    /// The dimension that is searched.
    dim: usize,
    /// The number of elements that the search finds.
    count: i64,
    /// The shape of the result.
    shape: Vec<u64>,
    i64: Type<'p>,
}

impl<'l, 'p> Search<'l, 'p> {
    fn new(lowering: &'l Lowering<'p>) -> Result<Self, String> {
        let [input] = *lowering.operands.as_slice() else {
            return Err(unexpected(&lowering.operands));
        };
        let rank = lowering.result.rank();
        // The searched dimension has the iteration dimension after the dimensions of the result.
        let mut dims = lowering.device.tensor_dims(0).into_iter();
        let dim = dims.position(|dim| dim == Some(rank));
        let dim = dim.ok_or("an operation that searches no dimension")?;
        let shape = lowering
            .space
            .iter()
            .take(rank)
            .map(|extent| extent.unsigned_abs());
        let count = lowering.space.get(dim).copied();
        Ok(Self {
            lowering,
            input,
            dim,
            count: count.ok_or("an operation that searches no dimension")?,
            shape: shape.collect(),
            i64: IntegerType::new(lowering.builder.context, 64).into(),
        })
    }

    fn builder(&self) -> &'l Builder<'p> {
        &self.lowering.builder
    }

    /// Builds a `linalg.generic` that computes each element of a tensor of type `into` from the elements of the operands at the
    /// same place. The tensors have the shape of the result, but may have another extent along the searched dimension.
    fn element_by_element(
        &self,
        operands: &[Val<'p>],
        into: Type<'p>,
        build: impl FnOnce(&Body<'p>, &[Val<'p>]) -> Scalar<'p>,
    ) -> Result<Val<'p>, String> {
        let rank = self.shape.len();
        let identity: Vec<Option<usize>> = (0..rank).map(Some).collect();
        let maps = vec![identity; operands.len() + 1];
        let into = self.builder().empty(into);
        let source = self.lowering.device.op();
        self.builder().generic(
            source,
            rank,
            0,
            &maps,
            operands,
            into,
            |body, operands, _| build(body, operands),
        )
    }

    /// Builds the codes of the operand's elements.
    fn codes(&self) -> Result<Val<'p>, String> {
        let input =
            RankedTensorType::try_from(self.input.r#type()).map_err(|err| err.to_string())?;
        let codes = with_element(input, self.i64)?;
        self.element_by_element(&[self.input], codes, |body, operands| match operands {
            [element] => self.code(body, *element),
            _ => Err(unexpected(operands)),
        })
    }

    /// Builds the code of an element. As integers, the bits of positive floats are in order, and the bits of negative
    /// floats are in the opposite order.
    fn code(&self, body: &Body<'p>, element: Val<'p>) -> Scalar<'p> {
        let i32: Type<'p> = IntegerType::new(self.builder().context, 32).into();
        let element = body.widen(element)?;
        let zero = body.float(0.0, body.f32());
        let is_zero = body.compare(Comparison::Equal, element, zero);
        let unsigned = body.select(is_zero, zero, element);
        let bits = body.emit(arith::bitcast(unsigned), i32);
        let none = body.integer(0, i32);
        let largest = body.integer(i32::MAX.into(), i32);
        let flipped = body.same(arith::xori(bits, largest));
        let is_negative = body.compare(Comparison::Less, bits, none);
        let ordered = body.select(is_negative, flipped, bits);
        let is_nan = body.compare(Comparison::NotEqual, element, element);
        let ordered = body.select(is_nan, largest, ordered);

        let above = body.emit(arith::extsi(ordered), self.i64);
        let above = body.same(arith::shli(above, body.integer(32, self.i64)));
        let position = body.position(self.dim);
        let position = body.emit(arith::index_cast(position), self.i64);
        let below = body.same(arith::subi(body.integer(LAST, self.i64), position));
        Ok(body.same(arith::ori(above, below)))
    }

    /// Builds the codes of the first elements, along the dimension.
    fn ranked(&self, codes: Val<'p>) -> Result<Val<'p>, String> {
        let builder = self.builder();
        let one = self.extents(1);
        let start = builder.splat(self.parse(i64::MAX)?, one);
        if self.count == 1 {
            return self.next(builder, codes, start);
        }
        let index = |value| ir::build_index_constant(builder.at(), builder.location, value);
        let (zero, step, end) = (index(0), index(1), index(self.count));
        let all = builder.empty(self.extents(self.count.unsigned_abs()));
        let built = ir::build_for(
            builder.at(),
            builder.location,
            zero,
            end,
            step,
            &[start, all],
        );
        let inside = builder.inside(built.body);
        let next = self.next(&inside, codes, built.carried(0))?;
        let mut window = Window {
            offsets: vec![Offset::Static(0); self.shape.len()],
            sizes: self
                .shape
                .iter()
                .map(|extent| extent.cast_signed())
                .collect(),
        };
        if let (Some(offset), Some(size)) = (
            window.offsets.get_mut(self.dim),
            window.sizes.get_mut(self.dim),
        ) {
            *offset = Offset::Value(built.induction_variable());
            *size = 1;
        }
        let all = built.carried(1);
        let filled = ir::build_insert_slice(inside.at(), builder.location, next, all, &window);
        ir::build_yield(built.body, builder.location, &[next, filled]);
        Ok(built.result(1))
    }

    /// Builds the largest codes that are less than `before`.
    fn next(
        &self,
        builder: &Builder<'p>,
        codes: Val<'p>,
        before: Val<'p>,
    ) -> Result<Val<'p>, String> {
        let rank = self.shape.len();
        let along = |of: Option<usize>| -> Vec<Option<usize>> {
            (0..rank)
                .map(|dim| if dim == self.dim { of } else { Some(dim) })
                .collect()
        };
        // The loops are the dimensions of the result, with extent 1 for the searched one, and the searched dimension of
        // the operand.
        let maps = [
            along(Some(rank)),
            along(Some(self.dim)),
            along(Some(self.dim)),
        ];
        let into = builder.splat(self.parse(i64::MIN)?, self.extents(1));
        let source = self.lowering.device.op();
        builder.generic(
            source,
            rank + 1,
            1,
            &maps,
            &[codes, before],
            into,
            |body, operands, accumulator| match operands {
                [code, before] => {
                    let is_later = body.compare(Comparison::Less, *code, *before);
                    let code = body.select(is_later, *code, accumulator);
                    Ok(body.same(arith::maxsi(accumulator, code)))
                }
                _ => Err(unexpected(operands)),
            },
        )
    }

    /// Builds the elements with these codes, or their positions.
    fn told(&self, ranked: Val<'p>, told: Ranked) -> Result<Val<'p>, String> {
        let result = self.lowering.result.into();
        self.element_by_element(&[ranked], result, |body, operands| {
            let [code] = *operands else {
                return Err(unexpected(operands));
            };
            let below = body.same(arith::andi(code, body.integer(0xFFFF_FFFF, self.i64)));
            let position = body.same(arith::subi(body.integer(LAST, self.i64), below));
            match told {
                Ranked::Position if self.lowering.element == self.i64 => Ok(position),
                Ranked::Position if IntegerType::try_from(self.lowering.element).is_err() => {
                    let f32 = Type::float32(self.builder().context);
                    let exact = body.emit(arith::sitofp(position), f32);
                    body.round(exact, self.lowering.element)
                }
                Ranked::Position => Ok(body.emit(arith::trunci(position), self.lowering.element)),
                Ranked::Value => self.element_at(body, position),
            }
        })
    }

    /// Builds the element at a position along the dimension, in the element type of the result.
    fn element_at(&self, body: &Body<'p>, position: Val<'p>) -> Scalar<'p> {
        let index = Type::index(self.builder().context);
        let mut indices = Vec::new();
        for dim in 0..self.shape.len() {
            indices.push(if dim == self.dim {
                body.emit(arith::index_cast(position), index)
            } else {
                body.position(dim)
            });
        }
        let input =
            RankedTensorType::try_from(self.input.r#type()).map_err(|err| err.to_string())?;
        let element = body.emit(tensor::extract(self.input, &indices), input.element());
        if input.element() == self.lowering.element {
            return Ok(element);
        }
        body.round(body.widen(element)?, self.lowering.element)
    }

    /// Returns the type of a tensor of codes, with `count` of them along the dimension.
    fn extents(&self, count: u64) -> Type<'p> {
        let shape = self.shape.iter().enumerate();
        let shape = shape.map(|(dim, extent)| if dim == self.dim { count } else { *extent });
        RankedTensorType::new(&shape.collect::<Vec<_>>(), self.i64, None).into()
    }

    fn parse(&self, value: i64) -> Result<Attribute<'p>, String> {
        let text = format!("{value} : i64");
        Attribute::parse(self.builder().context, &text).ok_or(text)
    }
}
