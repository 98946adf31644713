//! Elements: the lowering of an elementwise operation in the body of a structured operation.
//!
//! Signs are in the operations and not in the types, and an index has 64 bits. Undefined results of operations of
//! `arith` are replaced by a selection: a divisor of 0 gives 0, a shift by the width or more gives 0 or the sign, and a
//! float that does not fit becomes the nearest integer that does.

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Location, Type, ValueLike};
use spyre_mlir_rt::ir::{Blk, Val};
use spyre_ods::{
    Arithmetic, CmpFPredicate, CmpIPredicate, OpBuilder, OpParts, Relation as Is, arith, linalg,
    math,
};
use spyre_uop::dtype::DType;
use spyre_uop::element;
use spyre_uop::op::Elementwise;

use super::super::types;

/// Builds operations at the end of a block.
#[derive(Clone, Copy)]
pub(super) struct Emit<'p> {
    pub(super) context: &'p Context,
    pub(super) block: Blk<'p>,
    pub(super) location: Location<'p>,
}

/// Returns the type of elements in a tensor of linalg: integers have no sign, and an index has 64 bits.
pub(super) fn plain(context: &Context, dtype: DType) -> Type<'_> {
    if dtype.is_float() {
        return types::element(context, dtype);
    }
    IntegerType::new(context, dtype.bits()).into()
}

/// Returns an element as an attribute of its plain type.
pub(super) fn attribute(context: &Context, dtype: DType, bits: u64) -> Attribute<'_> {
    let ty = plain(context, dtype);
    if dtype.is_float() {
        return FloatAttribute::new(context, ty, element::float(dtype, bits)).into();
    }
    IntegerAttribute::new(ty, bits.cast_signed()).into()
}

impl<'p> Emit<'p> {
    fn builder(&self) -> OpBuilder<'p> {
        OpBuilder::at_end(self.context, self.block, self.location)
    }

    pub(super) fn op(&self, parts: OpParts<'p>, ty: Type<'p>) -> Val<'p> {
        self.builder().op(parts, ty)
    }

    /// Builds an operation with a result of the type of its first operand.
    fn same(&self, parts: OpParts<'p>) -> Val<'p> {
        self.builder().same(parts)
    }

    pub(super) fn constant(&self, dtype: DType, bits: u64) -> Val<'p> {
        let ty = plain(self.context, dtype);
        let value = attribute(self.context, dtype, bits);
        self.op(arith::constant(value), ty)
    }

    /// Builds an integer, which wraps.
    fn integer(&self, dtype: DType, value: i128) -> Val<'p> {
        self.constant(dtype, element::wrapped(dtype, value))
    }

    /// Builds a float, which is rounded.
    fn float(&self, dtype: DType, value: f64) -> Val<'p> {
        self.constant(dtype, element::rounded(dtype, value))
    }

    pub(super) fn index(&self, value: i64) -> Val<'p> {
        let index = Type::index(self.context);
        let value = IntegerAttribute::new(index, value).into();
        self.op(arith::constant(value), index)
    }

    pub(super) fn select(&self, mask: Val<'p>, then: Val<'p>, otherwise: Val<'p>) -> Val<'p> {
        self.op(arith::select(mask, then, otherwise), then.r#type())
    }

    pub(super) fn and(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.same(arith::andi(a, b))
    }

    /// Builds `a < b` of indices.
    pub(super) fn below(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.builder().cmpi(CmpIPredicate::Slt, a, b)
    }

    /// Builds `a >= b` of indices.
    pub(super) fn greater_equal(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.builder().cmpi(CmpIPredicate::Sge, a, b)
    }

    fn is(&self, relation: Is, dtype: DType, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        if dtype.is_float() {
            let predicate = match relation {
                // Not less: true for NaN.
                Is::GreaterEqual => CmpFPredicate::Uge,
                relation => relation.of_floats(),
            };
            return self.builder().cmpf(predicate, a, b);
        }
        let predicate = match dtype.is_signed() {
            true => relation.of_signed(),
            false => relation.of_unsigned(),
        };
        self.builder().cmpi(predicate, a, b)
    }

    /// Builds whether an integer is a number.
    fn is_number(&self, dtype: DType, a: Val<'p>, number: i128) -> Val<'p> {
        self.is(Is::Equal, dtype, a, self.integer(dtype, number))
    }

    fn not(&self, value: Val<'p>) -> Val<'p> {
        self.same(arith::xori(value, self.integer(DType::Bool, 1)))
    }

    pub(super) fn add(&self, dtype: DType, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        let parts = by_class(dtype, arith::addf, arith::addi, arith::ori);
        self.same(parts(a, b))
    }

    pub(super) fn mul(&self, dtype: DType, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        let parts = by_class(dtype, arith::mulf, arith::muli, arith::andi);
        self.same(parts(a, b))
    }

    fn sub(&self, dtype: DType, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        let parts = by_class(dtype, arith::subf, arith::subi, arith::xori);
        self.same(parts(a, b))
    }

    /// Builds the maximum of the accumulator and an element. It is never NaN, as it begins below every number.
    pub(super) fn larger(&self, dtype: DType, accumulator: Val<'p>, value: Val<'p>) -> Val<'p> {
        let integers = match dtype.is_signed() {
            true => arith::maxsi,
            false => arith::maxui,
        };
        let parts = by_class(dtype, arith::maxnumf, integers, arith::ori);
        self.same(parts(accumulator, value))
    }

    /// Builds an elementwise operation. `dtype` is that of its last operand.
    pub(super) fn elementwise(&self, op: Elementwise, dtype: DType, x: &[Val<'p>]) -> Val<'p> {
        use Elementwise as E;
        match op {
            E::Recip => self.same(arith::divf(self.float(dtype, 1.0), x[0])),
            E::Trunc => self.same(math::trunc(x[0])),
            E::Neg if dtype.is_float() => self.same(arith::negf(x[0])),
            E::Neg => self.sub(dtype, self.integer(dtype, 0), x[0]),
            E::Not => self.not(x[0]),
            E::Exp2 => self.function(math::EXP2, dtype, x),
            E::Log2 => self.function(math::LOG2, dtype, x),
            E::Sin => self.function(math::SIN, dtype, x),
            E::Sqrt => self.function(math::SQRT, dtype, x),
            E::Pow => self.function(math::POWF, dtype, x),
            E::Add => self.add(dtype, x[0], x[1]),
            E::Mul => self.mul(dtype, x[0], x[1]),
            E::Max => {
                let less = self.is(Is::Less, dtype, x[0], x[1]);
                self.select(less, x[1], x[0])
            }
            E::Idiv => self.quotient(dtype, x[0], x[1], true),
            E::CDiv => self.quotient(dtype, x[0], x[1], false),
            E::Mod | E::CMod => {
                let quotient = self.quotient(dtype, x[0], x[1], op == E::Mod);
                self.sub(dtype, x[0], self.mul(dtype, quotient, x[1]))
            }
            E::Sub => self.sub(dtype, x[0], x[1]),
            E::Div => self.same(arith::divf(x[0], x[1])),
            E::CmpLt => self.is(Is::Less, dtype, x[0], x[1]),
            E::CmpGt => self.is(Is::Less, dtype, x[1], x[0]),
            E::CmpNe => self.is(Is::NotEqual, dtype, x[0], x[1]),
            E::CmpEq => self.is(Is::Equal, dtype, x[0], x[1]),
            E::CmpGe => self.is(Is::GreaterEqual, dtype, x[0], x[1]),
            E::CmpLe => self.is(Is::GreaterEqual, dtype, x[1], x[0]),
            E::Xor => self.same(arith::xori(x[0], x[1])),
            E::Or => self.same(arith::ori(x[0], x[1])),
            E::And => self.same(arith::andi(x[0], x[1])),
            E::Shl | E::Shr => self.shift(op == E::Shl, dtype, x[0], x[1]),
            E::Threefry => self.threefry(x[0], x[1]),
            E::Where => self.select(x[0], x[1], x[2]),
            E::Mulacc => self.add(dtype, self.mul(dtype, x[0], x[1]), x[2]),
        }
    }

    /// Builds a function of `math`; that of 16 bits in 32.
    fn function(&self, name: &'static str, dtype: DType, x: &[Val<'p>]) -> Val<'p> {
        if dtype.bits() > 16 {
            return self.same(OpParts::named(name, x));
        }
        let wide: Vec<_> = x.iter().map(|x| self.cast(dtype, DType::F32, *x)).collect();
        self.cast(DType::F32, dtype, self.same(OpParts::named(name, &wide)))
    }

    /// Builds a quotient of integers, rounded down or toward 0.
    fn quotient(&self, dtype: DType, a: Val<'p>, b: Val<'p>, down: bool) -> Val<'p> {
        let (zero, one) = (self.integer(dtype, 0), self.integer(dtype, 1));
        let by_zero = self.is_number(dtype, b, 0);
        if !dtype.is_signed() {
            let divisor = self.select(by_zero, one, b);
            let quotient = self.same(arith::divui(a, divisor));
            return self.select(by_zero, zero, quotient);
        }
        // The least number has no positive one.
        let by_minus_one = self.is_number(dtype, b, -1);
        let special = self.same(arith::ori(by_zero, by_minus_one));
        let divisor = self.select(special, one, b);
        let mut quotient = self.same(arith::divsi(a, divisor));
        if down {
            let rest = self.same(arith::remsi(a, divisor));
            let inexact = self.is(Is::NotEqual, dtype, rest, zero);
            let signs = self.same(arith::xori(rest, divisor));
            let differ = self.is(Is::Less, dtype, signs, zero);
            let lower = self.sub(dtype, quotient, one);
            quotient = self.select(self.and(inexact, differ), lower, quotient);
        }
        let opposite = self.sub(dtype, zero, a);
        let quotient = self.select(by_minus_one, opposite, quotient);
        self.select(by_zero, zero, quotient)
    }

    fn shift(&self, left: bool, dtype: DType, a: Val<'p>, by: Val<'p>) -> Val<'p> {
        let width = i128::from(dtype.bits());
        // A negative amount is a large one.
        let limit = self.integer(dtype, width);
        let is_wide = self.builder().cmpi(CmpIPredicate::Uge, by, limit);
        if !left && dtype.is_signed() {
            let most = self.select(is_wide, self.integer(dtype, width - 1), by);
            return self.same(arith::shrsi(a, most));
        }
        let zero = self.integer(dtype, 0);
        let by = self.select(is_wide, zero, by);
        let parts = match left {
            true => arith::shli(a, by),
            false => arith::shrui(a, by),
        };
        self.select(is_wide, zero, self.same(parts))
    }

    /// Builds 20 rounds of Threefry 2x32, in five groups of four.
    fn threefry(&self, counter: Val<'p>, key: Val<'p>) -> Val<'p> {
        const ROTATIONS: [[i128; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
        const PARITY: i128 = 0x1BD1_1BDA;
        let (word, long) = (DType::U32, DType::U64);
        let low = |value| self.cast(long, word, value);
        let half = self.integer(long, 32);
        let high = |value| low(self.same(arith::shrui(value, half)));
        let number = |value| self.integer(word, value);
        let xor = |a, b| self.same(arith::xori(a, b));
        let add = |a, b| self.add(word, a, b);
        let (k0, k1) = (low(key), high(key));
        let keys = [k1, xor(xor(k0, k1), number(PARITY)), k0];
        let (mut x0, mut x1) = (add(low(counter), k0), add(high(counter), k1));
        for group in 0..5_usize {
            for by in ROTATIONS[group % 2] {
                x0 = add(x0, x1);
                let left = self.same(arith::shli(x1, number(by)));
                let right = self.same(arith::shrui(x1, number(32 - by)));
                x1 = xor(self.same(arith::ori(left, right)), x0);
            }
            x0 = add(x0, keys[group % 3]);
            let count = i128::try_from(group + 1).expect("there are five groups");
            x1 = add(add(x1, keys[(group + 1) % 3]), number(count));
        }
        let wide = |value| self.cast(word, long, value);
        let high = self.same(arith::shli(wide(x1), half));
        self.same(arith::ori(high, wide(x0)))
    }

    /// Builds the index of a loop of the structured operation.
    pub(super) fn loop_index(&self, number: usize) -> Val<'p> {
        let number = i64::try_from(number).expect("loops are few");
        let i64 = IntegerType::new(self.context, 64).into();
        let dim = IntegerAttribute::new(i64, number).into();
        let index = Type::index(self.context);
        self.op(linalg::index(dim), index)
    }

    /// Builds the same bits as another element type of the same width.
    pub(super) fn bits(&self, from: DType, to: DType, x: Val<'p>) -> Val<'p> {
        if plain(self.context, from) == plain(self.context, to) {
            return x;
        }
        self.op(arith::bitcast(x), plain(self.context, to))
    }

    /// Builds an element of the bits of several narrower ones, the low ones first.
    pub(super) fn joined(&self, from: DType, to: DType, x: &[Val<'p>]) -> Val<'p> {
        let (narrow, wide) = (unsigned(from), unsigned(to));
        let mut sum = self.integer(wide, 0);
        for (number, part) in (0..).zip(x) {
            let part = self.cast(narrow, wide, self.bits(from, narrow, *part));
            let by = self.integer(wide, i128::from(from.bits()) * number);
            let part = self.same(arith::shli(part, by));
            sum = self.same(arith::ori(sum, part));
        }
        self.bits(wide, to, sum)
    }

    /// Builds a narrower element of some of the bits of another: `number` counts from the low ones.
    pub(super) fn part(&self, from: DType, to: DType, x: Val<'p>, number: Val<'p>) -> Val<'p> {
        let (wide, narrow) = (unsigned(from), unsigned(to));
        let number = self.cast(DType::Index, wide, number);
        let width = self.integer(wide, to.bits().into());
        let by = self.same(arith::muli(number, width));
        let part = self.same(arith::shrui(self.bits(from, wide, x), by));
        self.bits(narrow, to, self.cast(wide, narrow, part))
    }

    /// Builds a conversion.
    pub(super) fn cast(&self, from: DType, to: DType, x: Val<'p>) -> Val<'p> {
        let ty = plain(self.context, to);
        if from == to {
            return x;
        }
        match (from.is_float(), to.is_float()) {
            (_, _) if to == DType::Bool => {
                let zero = self.constant(from, 0);
                self.is(Is::NotEqual, from, x, zero)
            }
            (true, true) if from.bits() < to.bits() => self.op(arith::extf(x), ty),
            (true, true) if from.bits() > to.bits() => self.op(arith::truncf(x), ty),
            // Between the two of 16 bits.
            (true, true) => self.cast(DType::F32, to, self.cast(from, DType::F32, x)),
            (false, true) if to == DType::Bf16 && from.bits() >= 32 => self.rounded_once(from, x),
            (false, true) if from.is_signed() => self.op(arith::sitofp(x), ty),
            (false, true) => self.op(arith::uitofp(x), ty),
            (true, false) if from.bits() == 16 => {
                self.cast(DType::F32, to, self.cast(from, DType::F32, x))
            }
            (true, false) => self.saturated(from, to, x),
            (false, false) if from.bits() > to.bits() => self.op(arith::trunci(x), ty),
            (false, false) if from.bits() == to.bits() => x,
            (false, false) if from.is_signed() => self.op(arith::extsi(x), ty),
            (false, false) => self.op(arith::extui(x), ty),
        }
    }

    /// Builds the bf16 that is nearest to an integer of 32 or 64 bits.
    ///
    /// LLVM converts such an integer to f32 first and rounds twice. Here f32 gets at most its 24 bits, with the last
    /// one as a sticky bit for the bits below it, so that only the step to bf16 rounds.
    fn rounded_once(&self, from: DType, x: Val<'p>) -> Val<'p> {
        const F32_BITS: i128 = 24;
        let unsigned = unsigned(from);
        let negative = from
            .is_signed()
            .then(|| self.is(Is::Less, from, x, self.integer(from, 0)));
        let opposite = |value| self.sub(from, self.integer(from, 0), value);
        let magnitude = negative.map_or(x, |negative| self.select(negative, opposite(x), x));

        let leading = self.same(math::ctlz(magnitude));
        let most = self.integer(unsigned, i128::from(from.bits()) - F32_BITS);
        let excess = self.sub(unsigned, most, leading);
        let excess = self.same(arith::maxsi(excess, self.integer(unsigned, 0)));
        let kept = self.same(arith::shrui(magnitude, excess));
        let back = self.same(arith::shli(kept, excess));
        let lost = self.is(Is::NotEqual, unsigned, back, magnitude);
        let lost = self.op(arith::extui(lost), plain(self.context, unsigned));
        let kept = self.same(arith::ori(kept, lost));
        let jammed = self.same(arith::shli(kept, excess));

        let f32 = plain(self.context, DType::F32);
        let value = self.op(arith::uitofp(jammed), f32);
        let value = negative.map_or(value, |negative| {
            self.select(negative, self.same(arith::negf(value)), value)
        });
        self.cast(DType::F32, DType::Bf16, value)
    }

    /// Builds the integer that is nearest to a float without its fraction, and 0 for NaN.
    fn saturated(&self, from: DType, to: DType, x: Val<'p>) -> Val<'p> {
        let ty = plain(self.context, to);
        let (low, high) = to.integer_range().expect("it is an integer");
        let parts = match to.is_signed() {
            true => arith::fptosi(x),
            false => arith::fptoui(x),
        };
        let cut = self.op(parts, ty);
        #[expect(
            clippy::cast_precision_loss,
            reason = "the ends of ranges are powers of two, or one less"
        )]
        let (least, behind) = (
            self.float(from, low as f64),
            self.float(from, (high + 1) as f64),
        );
        let is_low = self.is(Is::Less, from, x, least);
        let is_high = self.is(Is::GreaterEqual, from, x, behind);
        let is_nan = self.is(Is::NotEqual, from, x, x);
        let cut = self.select(is_low, self.integer(to, low), cut);
        let cut = self.select(is_high, self.integer(to, high), cut);
        self.select(is_nan, self.integer(to, 0), cut)
    }
}

/// A constructor of the parts of an operation on two operands.
type Binary = for<'p> fn(Val<'p>, Val<'p>) -> OpParts<'p>;

/// Returns the constructor of an operation by the class of an element type: floats, integers, truth values.
fn by_class(dtype: DType, floats: Binary, integers: Binary, truths: Binary) -> Binary {
    match dtype {
        DType::Bool => truths,
        dtype if dtype.is_float() => floats,
        _ => integers,
    }
}

/// Returns the unsigned integers of the width of an element type.
fn unsigned(dtype: DType) -> DType {
    match dtype.bits() {
        8 => DType::U8,
        16 => DType::U16,
        32 => DType::U32,
        _ => DType::U64,
    }
}
