//! Numbers that a graph computes from dynamic sizes, such as the number of elements of a mean.
//!
//! A number that is the same multiple of a product of sizes for both substitutes is computed from these sizes at
//! the start of the function. Both substitutes are primes, so that no other number is such a multiple by chance; a
//! rounded or truncated number is none.

use melior::Context;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Type, TypeLike, ValueLike};
use spyre_dialects::attr;
use spyre_linalg::from_linalg::hoist;
use spyre_mlir_rt::ir::{self, At, Op, Val};

use super::super::functions::Class;
use super::super::import::class;
use super::result;

/// A multiple of a product of sizes.
pub(super) struct Multiple {
    /// The sizes, by number. A power has its size several times.
    sizes: Vec<usize>,
    factor: i64,
}

/// Returns the number of a constant that is no tensor, if it is a whole one.
pub(super) fn whole_number(op: Op<'_>) -> Option<i64> {
    let value = ir::attribute(op, "value")?;
    attr::integer(value).or_else(|| {
        let number = attr::number(value).filter(|number| number.fract() == 0.0)?;
        // Larger ones are not all numbers of 64 bits of a float.
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
        (number.abs() < 2.0_f64.powi(53)).then_some(number as i64)
    })
}

/// Returns the sizes with a product that a number is a multiple of. The number has one value for each of the two
/// substitutes of every size, which are primes.
pub(super) fn multiple(both: [i64; 2], stand_ins: &[[i64; 2]]) -> Option<Multiple> {
    if both.contains(&0) {
        return None;
    }
    let (mut rest, mut sizes) = (both, Vec::new());
    for (size, primes) in stand_ins.iter().enumerate() {
        while (0..2).all(|which| rest[which] % primes[which] == 0) {
            rest = [0, 1].map(|which| rest[which] / primes[which]);
            sizes.push(size);
        }
    }
    let factor = rest[0];
    (factor == rest[1] && !sizes.is_empty()).then_some(Multiple { sizes, factor })
}

/// Builds numbers from sizes at the start of a function.
pub(super) struct Numbers<'a, 'p> {
    pub(super) context: &'p Context,
    /// The sizes, as index values.
    pub(super) sizes: &'a [Val<'p>],
    /// The last operation that was built.
    pub(super) last: Op<'p>,
}

impl<'p> Numbers<'_, 'p> {
    /// Replaces a constant by the multiple that it is. A structured operation reads it from a tensor, so that the device can, unless its
    /// body counts with it.
    pub(super) fn replace(&mut self, constant: Op<'p>, multiple: &Multiple) {
        let mut number = self.build(multiple, result(constant).r#type());
        let mut value = result(constant);
        let around = constant.parent_operation();
        let structured = around.filter(|around| ir::name(*around) == "linalg.generic");
        // Conversions of the constant are built outside as well.
        while structured.is_some()
            && let Some(converted) = conversion(value)
        {
            number = self.op(ir::name(converted), &[number], result(converted).r#type());
            value = result(converted);
        }
        match structured {
            Some(structured) if !value.r#type().is_index() => {
                let ty = RankedTensorType::new(&[], value.r#type(), None).into();
                let tensor = self.op("tensor.from_elements", &[number], ty);
                hoist::read_tensors(self.context, structured, &[(value, tensor, &[])]);
            }
            _ => ir::replace_all_uses(value, number),
        }
        erase_unused(value);
    }

    /// Builds a multiple of sizes as a number of a type.
    fn build(&mut self, multiple: &Multiple, ty: Type<'p>) -> Val<'p> {
        let index = Type::index(self.context);
        let mut number: Option<Val<'p>> = None;
        if multiple.factor != 1 {
            let location = self.last.location();
            let built = ir::build_index_constant(self.at(), location, multiple.factor);
            self.last = ir::defining_op(built).expect("it was built");
            number = Some(built);
        }
        for size in &multiple.sizes {
            let size = self.sizes[*size];
            number = Some(match number {
                None => size,
                Some(number) => self.op("arith.muli", &[number, size], index),
            });
        }
        let number = number.expect("a multiple is one of a size");
        if ty.is_index() {
            return number;
        }
        match class(ty) {
            Class::Float => {
                let wide = IntegerType::new(self.context, 64).into();
                let wide = self.op("arith.index_cast", &[number], wide);
                self.op("arith.sitofp", &[wide], ty)
            }
            Class::Integer | Class::Unsigned | Class::Truth => {
                self.op("arith.index_cast", &[number], ty)
            }
        }
    }

    fn at(&self) -> At<'p> {
        At::Before(
            self.last
                .next_in_block()
                .expect("a function ends with a return"),
        )
    }

    fn op(&mut self, name: &str, operands: &[Val<'p>], ty: Type<'p>) -> Val<'p> {
        let built = OperationBuilder::new(name, self.last.location())
            .add_operands(operands)
            .add_results(&[ty])
            .build()
            .expect("every part of the operation is given");
        self.last = ir::insert(self.at(), built).expect("the place is in a block");
        result(self.last)
    }
}

/// Returns the conversion that is the only use of a number.
fn conversion(value: Val<'_>) -> Option<Op<'_>> {
    let uses = ir::uses(value);
    let [only] = uses.as_slice() else { return None };
    let name = ir::name(only.owner);
    matches!(
        name,
        "arith.index_cast" | "arith.sitofp" | "arith.uitofp" | "arith.extf" | "arith.truncf"
    )
    .then_some(only.owner)
}

/// Erases the operation that defines a value without uses, and the constant that it was computed from.
fn erase_unused(value: Val<'_>) {
    let mut last = ir::defining_op(value);
    while let Some(op) =
        last.filter(|op| ir::results(*op).all(|output| ir::uses(output).is_empty()))
    {
        last = ir::operand(op, 0).and_then(ir::defining_op);
        ir::erase(op);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes_and_factor(both: [i64; 2]) -> Option<(Vec<usize>, i64)> {
        let product = multiple(both, &[[61, 521], [59, 523]])?;
        Some((product.sizes, product.factor))
    }

    #[test]
    fn multiples_of_products_of_sizes_are_found() {
        assert_eq!(sizes_and_factor([61, 521]), Some((vec![0], 1)));
        assert_eq!(sizes_and_factor([59 * 4, 523 * 4]), Some((vec![1], 4)));
        assert_eq!(
            sizes_and_factor([61 * 59 * 2, 521 * 523 * 2]),
            Some((vec![0, 1], 2))
        );
        assert_eq!(sizes_and_factor([-61, -521]), Some((vec![0], -1)));
        assert_eq!(
            sizes_and_factor([61 * 61 * 8, 521 * 521 * 8]),
            Some((vec![0, 0], 8))
        );
    }

    #[test]
    fn what_is_cut_or_added_to_is_none() {
        for both in [
            [60, 520],
            [62, 522],
            [30, 260],
            [0, 0],
            [61, 523],
            [64, 544],
        ] {
            assert_eq!(sizes_and_factor(both), None, "{both:?}");
        }
    }
}
