//! Views of memory.

use melior::ir::r#type::MemRefType;
use melior::ir::{ShapedTypeLike, Type, ValueLike};
use spyre_dialects::attr;
use spyre_dialects::ktdp_attr::MemorySpace;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, OpBuilder};
use spyre_ods::{Arithmetic, Relation, arith, ktdp};

use crate::fault::{Claim, Faults};
use crate::number::Number;
use crate::range::{Ranges, product};
use crate::tiles::box_bounds;
use crate::{BaseUnit, error};

/// A view of a buffer.
#[derive(Debug, Clone)]
pub(crate) struct View<'p> {
    /// The number of the buffer.
    pub buffer: usize,
    /// The first element, in elements of the buffer.
    pub base: Number<'p>,
    /// The distances of neighbours, in elements.
    pub strides: Vec<Number<'p>>,
    /// The least and the greatest coordinate of each dimension.
    pub bounds: Vec<(Number<'p>, Number<'p>)>,
}

/// What a view reaches of its argument.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    /// The end of the last element that a core reaches in an iteration, in elements from the start.
    pub end: i64,
    /// Whether the view begins where the argument does.
    pub begins_at_base: bool,
    /// The largest extents.
    pub shape: Vec<u64>,
}

/// Returns the type of the elements of a view.
pub(crate) fn element<'p>(view: ktdp::ConstructMemoryView<'p>) -> Type<'p> {
    let ty = MemRefType::try_from(view.view().r#type());
    ty.expect("the ODS: a view is a memref").element()
}

/// Returns the bytes of an element of a view.
fn bytes(view: ktdp::ConstructMemoryView<'_>) -> i64 {
    i64::from(ir::bits(element(view)).unwrap_or(8) / 8)
}

/// Returns sizes or strides, of which those that are no numbers are operands.
fn numbers<'p>(
    fixed: melior::ir::Attribute<'p>,
    dynamic: impl Iterator<Item = ir::Val<'p>>,
) -> Vec<Number<'p>> {
    let fixed = attr::dense_signed_integers(Some(fixed)).expect("KT8: numbers");
    let mut dynamic = dynamic;
    let numbers = fixed.into_iter().map(|number| match number {
        i64::MIN => {
            let value = dynamic.next();
            Number::of(value.expect("KT9: an operand for each dynamic number"))
        }
        _ => Number::Constant(number),
    });
    numbers.collect()
}

/// Returns what a view reaches; `None` if it has no bounds.
pub(crate) fn reach(
    view: ktdp::ConstructMemoryView<'_>,
    ranges: &Ranges,
    unit: BaseUnit,
) -> Option<Reach> {
    let scale = match unit {
        BaseUnit::Element => 1,
        BaseUnit::Byte => bytes(view),
    };
    let base = ranges.of(view.base())?;
    let mut end = base.1.div_euclid(scale);
    let mut shape = Vec::new();
    let sizes = numbers(view.static_sizes(), view.sizes());
    let strides = numbers(view.static_strides(), view.strides());
    for (size, stride) in sizes.into_iter().zip(strides) {
        let (_, size) = ranges.number(size)?;
        let stride = ranges.number(stride)?;
        end = end.checked_add(product((0, (size - 1).max(0)), stride)?.1)?;
        shape.push(u64::try_from(size).ok()?);
    }
    Some(Reach {
        end: end.checked_add(1)?.max(0),
        begins_at_base: base == (0, 0),
        shape,
    })
}

/// Returns the number of coordinates along each dimension of a view, from 0 on; `None` for one without a bound.
pub(crate) fn coordinates(
    view: ktdp::ConstructMemoryView<'_>,
    ranges: &Ranges,
) -> Vec<Option<u64>> {
    let set = ir::integer_set_value(view.coordinate_set()).expect("KT11: a set");
    let of_set = box_bounds(&set);
    let sizes = numbers(view.static_sizes(), view.sizes()).into_iter();
    let sizes = sizes.enumerate().map(|(dim, size)| {
        let (_, size) = ranges.number(size)?;
        let last = of_set.as_ref().map_or(size, |bounds| bounds[dim].1 + 1);
        u64::try_from(size.min(last)).ok().filter(|size| *size > 0)
    });
    sizes.collect()
}

impl<'p> View<'p> {
    /// Reads a view of a buffer that is argument `argument` of the kernel.
    ///
    /// # Errors
    /// A view of a scratchpad.
    pub(crate) fn read(
        build: OpBuilder<'p>,
        view: ktdp::ConstructMemoryView<'p>,
        (buffer, argument): (usize, usize),
        unit: BaseUnit,
        (ranges, faults): (&Ranges, &mut Faults<'p>),
    ) -> Result<Self, Diagnostic<'p>> {
        let op = view.op();
        if MemorySpace::of(view.memory_space()) != Some(MemorySpace::Global) {
            return Err(error(
                op,
                "a view of a scratchpad does not run on the CPU; values in scratchpads are tensors",
            ));
        }
        let mut base = Number::of(view.base());
        let bytes = bytes(view);
        if unit == BaseUnit::Byte && bytes > 1 {
            base = match base {
                Number::Constant(base) if base % bytes == 0 => Number::Constant(base / bytes),
                base => {
                    let (value, scale) = (base.value(build), build.index(bytes));
                    let rest = build.same(arith::remsi(value, scale));
                    let apart = build.compare(Relation::NotEqual, rest, build.index(0));
                    let zero = Number::Constant(0);
                    faults.call(
                        build,
                        op,
                        apart,
                        (Claim::Aligned, argument, value, (zero, zero)),
                    );
                    Number::Value(build.same(arith::divsi(value, scale)))
                }
            };
        }
        let sizes = numbers(view.static_sizes(), view.sizes());
        let strides = numbers(view.static_strides(), view.strides());
        let set = ir::integer_set_value(view.coordinate_set()).expect("KT11: a set");
        let of_set = box_bounds(&set);
        let bounds = sizes.into_iter().enumerate().map(|(dim, size)| {
            let last = size.plus(build, Number::Constant(-1));
            // A set of other than one range for each dimension is compared by the check of kernels alone.
            let Some(of_set) = &of_set else {
                return (Number::Constant(0), last);
            };
            let (least, greatest) = of_set[dim];
            let last = match last {
                Number::Constant(last) => Number::Constant(last.min(greatest)),
                Number::Value(_) if ranges.number(last).is_some_and(|it| it.1 <= greatest) => last,
                Number::Value(value) => Number::Value(build.min(value, build.index(greatest))),
            };
            (Number::Constant(least.max(0)), last)
        });
        Ok(Self {
            buffer,
            base,
            strides,
            bounds: bounds.collect(),
        })
    }

    /// Builds the distance of a coordinate from the start of the buffer, in elements.
    pub(crate) fn offset(&self, build: OpBuilder<'p>, coordinates: &[Number<'p>]) -> Number<'p> {
        let terms = coordinates.iter().zip(&self.strides);
        terms.fold(self.base, |sum, (coordinate, stride)| {
            sum.plus(build, coordinate.times(build, *stride))
        })
    }
}
