//! Builds the body of a function: indices, tensors, and tiles of device memory.
//!
//! A value of a core is a tensor of its part, with the dimensions of the program and without dimensions of one element:
//! a part of `[64, 1]` elements is a `tensor<64xf16>`. Indexing maps are then projections, which every consumer of KTIR
//! takes. A part of one element is a `tensor<1xf16>`.

use std::rc::Rc;

use melior::Context;
use melior::ir::attribute::{DenseI64ArrayAttribute, FloatAttribute};
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Attribute, Location, ShapedTypeLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_mlir_rt::ir::{self, At, Blk, Offset, Op, OpBuilder, Val, Window};
use spyre_ods::{Arithmetic, arith, tensor};

use crate::division::{Digit, Part};
use crate::texts::Texts;

/// The part of a tensor that a core has.
#[derive(Debug, Clone)]
pub(crate) struct Tile<'p> {
    /// The tensor of the part, without dimensions of one element.
    pub value: Val<'p>,
    /// The part of each dimension.
    pub parts: Vec<Part>,
    /// The number of cores that have it: the first ones.
    pub cores: u32,
}

/// Returns the extents of the tensor of a part.
pub(crate) fn compact(parts: &[Part]) -> Vec<u64> {
    let sizes = parts.iter().map(|part| part.size);
    let long: Vec<u64> = sizes.filter(|size| *size != 1).collect();
    if long.is_empty() { vec![1] } else { long }
}

/// Returns the type of a tensor without a layout.
pub(crate) fn tensor_type<'p>(shape: &[u64], element: Type<'p>) -> Type<'p> {
    RankedTensorType::new(shape, element, None).into()
}

/// Returns the element type of a tensor.
pub(crate) fn element<'p>(value: Val<'p>) -> Type<'p> {
    let ty = RankedTensorType::try_from(value.r#type());
    ty.expect("the value is a tensor").element()
}

/// Returns the extents of a tensor that this crate has built.
pub(crate) fn shape(value: Val<'_>) -> Vec<u64> {
    use melior::ir::r#type::DimSize;
    let ty = RankedTensorType::try_from(value.r#type()).expect("the value is a tensor");
    let extents = (0..ty.rank()).map(|dim| match ty.dim_size(dim) {
        Ok(DimSize::Static(extent)) => extent,
        _ => unreachable!("tensors of parts have static extents"),
    });
    extents.collect()
}

/// A function under construction.
pub(crate) struct Emitter<'p> {
    /// The context.
    pub context: &'p Context,
    /// The location of the operation that is converted.
    pub location: Location<'p>,
    /// The block that is built.
    pub block: Blk<'p>,
    /// The first operation of the function, before which constants are built.
    anchor: Op<'p>,
    /// The number of the core.
    pub core: Val<'p>,
    texts: Rc<Texts<'p>>,
    constants: FxHashMap<i64, Val<'p>>,
    digits: FxHashMap<(u32, u32), Val<'p>>,
    /// The iterations of the loops over pieces of parts around the block, outermost first.
    pub pieces: Vec<Val<'p>>,
    /// The sizes and strides that are built at the start of the function.
    computed: FxHashMap<(Computed, ir::ValueKey, ir::ValueKey), Val<'p>>,
    cores: u32,
}

/// An operation of sizes and strides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Computed {
    Quotient,
    Product,
}

impl<'p> Emitter<'p> {
    /// Starts a function in an empty block.
    pub(crate) fn new(
        context: &'p Context,
        location: Location<'p>,
        block: Blk<'p>,
        cores: u32,
        texts: Rc<Texts<'p>>,
    ) -> Self {
        let build = OpBuilder::at_end(context, block, location);
        let core = crate::ktdp::tile_id(build);
        let anchor = ir::defining_op(core).expect("the number of the core is a result");
        Self {
            context,
            location,
            block,
            anchor,
            core,
            texts,
            constants: FxHashMap::default(),
            digits: FxHashMap::default(),
            pieces: Vec::new(),
            computed: FxHashMap::default(),
            cores,
        }
    }

    /// Returns a builder at the end of the block.
    pub(crate) fn build(&self) -> OpBuilder<'p> {
        OpBuilder::at_end(self.context, self.block, self.location)
    }

    /// Returns a builder at the end of the block, and the attributes of texts.
    pub(crate) fn at_end(&self) -> (OpBuilder<'p>, &Texts<'p>) {
        (self.build(), &self.texts)
    }

    /// Returns an index constant at the start of the function.
    pub(crate) fn index(&mut self, value: i64) -> Val<'p> {
        let (anchor, location) = (self.anchor, self.location);
        *self
            .constants
            .entry(value)
            .or_insert_with(|| ir::build_index_constant(At::Before(anchor), location, value))
    }

    /// Returns a builder at the start of the function, after its constants.
    fn start(&self) -> OpBuilder<'p> {
        OpBuilder::before(self.context, self.anchor)
    }

    /// Returns a value divided by a number, at the start of the function.
    pub(crate) fn quotient(&mut self, value: Val<'p>, divisor: u64) -> Val<'p> {
        if divisor == 1 {
            return value;
        }
        let divisor = self.index(divisor.cast_signed());
        let build = self.start();
        self.computed(Computed::Quotient, value, divisor, || {
            build.same(arith::divui(value, divisor))
        })
    }

    /// Returns a value times a number, at the start of the function.
    pub(crate) fn multiple(&mut self, value: Val<'p>, factor: u64) -> Val<'p> {
        if factor == 1 {
            return value;
        }
        let factor = self.index(factor.cast_signed());
        self.product(value, factor)
    }

    /// Returns the product of two values of the start of the function.
    pub(crate) fn product(&mut self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        let build = self.start();
        self.computed(Computed::Product, a, b, || build.mul(a, b))
    }

    fn computed(
        &mut self,
        kind: Computed,
        a: Val<'p>,
        b: Val<'p>,
        build: impl FnOnce() -> Val<'p>,
    ) -> Val<'p> {
        let key = (kind, ir::value_key(a), ir::value_key(b));
        *self.computed.entry(key).or_insert_with(build)
    }

    /// Builds the digits of the number of the core, for the whole function.
    pub(crate) fn prepare_digits(&mut self, digits: &[Digit]) {
        for digit in digits {
            if self.digits.contains_key(&(digit.divisor, digit.count)) {
                continue;
            }
            let mut value = self.core;
            if digit.divisor > 1 {
                let divisor = self.index(digit.divisor.into());
                value = self.build().same(arith::divui(value, divisor));
            }
            if digit.divisor * digit.count < self.cores {
                let count = self.index(digit.count.into());
                value = self.build().same(arith::remui(value, count));
            }
            self.digits.insert((digit.divisor, digit.count), value);
        }
    }

    /// Returns the value of a digit.
    pub(crate) fn digit(&self, digit: Digit) -> Val<'p> {
        let value = self.digits.get(&(digit.divisor, digit.count));
        *value.expect("all digits are built at the start of the function")
    }

    /// Returns the iteration of a loop over pieces.
    pub(crate) fn piece(&self, level: usize) -> Val<'p> {
        self.pieces[level]
    }

    /// Builds the sum of a value and products of values with constants.
    pub(crate) fn sum(&mut self, terms: &[(Val<'p>, u64)], constant: u64) -> Val<'p> {
        let mut total: Option<Val<'p>> = None;
        for &(value, factor) in terms.iter().filter(|(_, factor)| *factor != 0) {
            let product = if factor == 1 {
                value
            } else {
                let factor = self.index(factor.cast_signed());
                self.build().mul(value, factor)
            };
            total = Some(match total {
                Some(total) => self.build().add(total, product),
                None => product,
            });
        }
        match total {
            Some(total) if constant == 0 => total,
            Some(total) => {
                let constant = self.index(constant.cast_signed());
                self.build().add(total, constant)
            }
            None => self.index(constant.cast_signed()),
        }
    }

    /// Builds a tensor without contents.
    pub(crate) fn empty(&self, shape: &[u64], element: Type<'p>) -> Val<'p> {
        self.build()
            .op(tensor::empty(&[]), tensor_type(shape, element))
    }

    /// Builds a tensor of one number. No two operations share it, since consumers of KTIR may accumulate in place.
    pub(crate) fn splat(&self, value: f64, shape: &[u64], element: Type<'p>) -> Val<'p> {
        let number: Attribute<'p> = FloatAttribute::new(self.context, element, value).into();
        let number = self.build().op(arith::constant(number), element);
        self.build()
            .op(tensor::splat(number, &[]), tensor_type(shape, element))
    }

    /// Builds a tensor of floats converted to another type of floats.
    pub(crate) fn convert(&self, value: Val<'p>, to: Type<'p>) -> Val<'p> {
        let from = element(value);
        if from == to {
            return value;
        }
        let ty = tensor_type(&shape(value), to);
        let parts = match ir::bits(from) < ir::bits(to) {
            true => arith::extf(value),
            false => arith::truncf(value),
        };
        self.build().op(parts, ty)
    }

    /// Builds the same elements in other dimensions: the extents of the larger rank are split extents of the other.
    pub(crate) fn reshape(&self, value: Val<'p>, to: &[u64]) -> Val<'p> {
        let from = shape(value);
        if from == to {
            return value;
        }
        let ty = tensor_type(to, element(value));
        let (many, few) = match from.len() > to.len() {
            true => (&from[..], to),
            false => (to, &from[..]),
        };
        let groups = self.attribute(&groups(many, few));
        let parts = if from.len() > to.len() {
            tensor::collapse_shape(value, groups)
        } else {
            let extents: Vec<i64> = to.iter().map(|extent| extent.cast_signed()).collect();
            let extents = DenseI64ArrayAttribute::new(self.context, &extents);
            tensor::expand_shape(value, &[], groups, extents.into())
        };
        self.build().op(parts, ty)
    }

    /// Builds a part of a tensor.
    pub(crate) fn slice(&self, value: Val<'p>, offsets: Vec<Offset<'p>>, sizes: &[u64]) -> Val<'p> {
        let is_whole = sizes == shape(value);
        if is_whole {
            return value;
        }
        let window = Window {
            offsets,
            sizes: sizes.iter().map(|size| size.cast_signed()).collect(),
        };
        let ty = tensor_type(sizes, element(value));
        ir::build_extract_slice(At::End(self.block), self.location, ty, value, &window)
    }

    /// Builds a tensor with a part overwritten.
    pub(crate) fn insert(
        &self,
        value: Val<'p>,
        into: Val<'p>,
        offsets: Vec<Offset<'p>>,
        sizes: &[u64],
    ) -> Val<'p> {
        let window = Window {
            offsets,
            sizes: sizes.iter().map(|size| size.cast_signed()).collect(),
        };
        ir::build_insert_slice(At::End(self.block), self.location, value, into, &window)
    }

    /// Returns the attribute of a text that this crate has written.
    pub(crate) fn attribute(&self, text: &str) -> Attribute<'p> {
        self.texts.attribute(text)
    }
}

/// Returns the groups of dimensions of `many` that the dimensions of `few` are the products of, as an attribute.
fn groups(many: &[u64], few: &[u64]) -> String {
    let mut groups = Vec::with_capacity(few.len());
    let mut next = 0;
    for (place, &extent) in few.iter().enumerate() {
        let start = next;
        let mut product = 1;
        // A dimension of one element belongs to the group before it, or to the first one.
        let is_last = place + 1 == few.len();
        while next < many.len() && (product < extent || next == start || many[next] == 1 || is_last)
        {
            let after = few.get(place + 1);
            if next > start && product == extent && many[next] == 1 && after == Some(&1) {
                break;
            }
            product *= many[next];
            next += 1;
        }
        let dims = (start..next).map(|dim| format!("{dim} : i64"));
        groups.push(format!("[{}]", dims.collect::<Vec<_>>().join(", ")));
    }
    format!("[{}]", groups.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_multiply_to_the_shorter_shape() {
        let dims = |many: &[u64], few: &[u64]| groups(many, few).replace(" : i64", "");
        assert_eq!(dims(&[4, 16, 64], &[4, 1024]), "[[0], [1, 2]]");
        assert_eq!(dims(&[1, 16, 1, 64], &[16, 64]), "[[0, 1, 2], [3]]");
        assert_eq!(dims(&[1, 1], &[1]), "[[0, 1]]");
        assert_eq!(dims(&[2, 3, 4], &[24]), "[[0, 1, 2]]");
        assert_eq!(dims(&[], &[]), "[]");
    }
}
