//! The body of a loop nest, as the body of a structured operation.

mod bits;
mod float8;
mod random;

use melior::ir::attribute::IntegerAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_construct::build::element_type;
use spyre_construct::loops::{Linear, Loops};
use spyre_dialects::attr;
use spyre_index_expr::{Atom, Expr, Var};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, Val};
use spyre_ods::{OpParts, arith, inductor, math, tensor};

use super::super::functions::class;
use super::super::functions::{self, Class};
use super::super::program::accessed_from;
use super::super::types::{self, width};
use super::super::{index, number, op as attribute};
use super::emit::{Binary, Emit, Is};
use super::read::{Element, Indirect};
use super::{Graph, error};

/// How the element of a load is read.
pub(super) enum Read<'p> {
    /// It is an argument of the body, by number.
    Argument(usize),
    /// The body extracts the element from a tensor. The flag is whether the index may be out of bounds.
    Picked(Val<'p>, Element<'p>, bool),
}

/// The facts about a loop nest before its body is copied.
pub(super) struct Plan<'p> {
    pub(super) loops: Loops,
    pub(super) indirect: Indirect<'p>,
    /// The reads, by the keys of their loads.
    pub(super) reads: FxHashMap<ir::OpKey, Read<'p>>,
    /// The expressions of other indices, by the keys of their operations.
    pub(super) indices: FxHashMap<ir::OpKey, Expr>,
}

/// The copy of a body.
pub(super) struct Body<'a, 'p> {
    graph: &'a Graph<'p>,
    plan: &'a Plan<'p>,
    pub(super) emit: Emit<'p>,
    /// The copies of values.
    pub(super) values: FxHashMap<ir::ValueKey, Val<'p>>,
    /// The indices of digits.
    digits: FxHashMap<usize, Val<'p>>,
}

impl<'a, 'p> Body<'a, 'p> {
    /// Returns a body without copies yet.
    pub(super) fn new(graph: &'a Graph<'p>, plan: &'a Plan<'p>, emit: Emit<'p>) -> Self {
        Self {
            graph,
            plan,
            emit,
            values: FxHashMap::default(),
            digits: FxHashMap::default(),
        }
    }

    /// Copies a block, and returns the values that it stores or yields.
    pub(super) fn block(&mut self, block: Blk<'p>) -> Result<Vec<Val<'p>>, Diagnostic<'p>> {
        for op in ir::operations(block) {
            match ir::name(op) {
                inductor::STORE => {
                    let count = accessed_from(op);
                    return Ok(op
                        .operands()
                        .take(count)
                        .map(|value| self.value(value))
                        .collect());
                }
                inductor::YIELD => {
                    return Ok(op.operands().map(|value| self.value(value)).collect());
                }
                // Functions of loops are parts of the indices that read them.
                index::APPLY => {}
                inductor::CHECK_BOUNDS => {}
                name => {
                    let value = self.op(op, name)?;
                    let op_result = ir::result(op, 0).expect("the operation has a result");
                    self.values.insert(ir::value_key(op_result), value);
                }
            }
        }
        unreachable!("a block of a body has an end")
    }

    /// Returns the copy of a value.
    fn value(&self, value: Val<'p>) -> Val<'p> {
        self.values[&ir::value_key(value)]
    }

    fn op(&mut self, op: Op<'p>, name: &str) -> Result<Val<'p>, Diagnostic<'p>> {
        let ty = ir::result(op, 0)
            .expect("the operation has a result")
            .r#type();
        let emit = self.emit;
        match name {
            inductor::LOAD => self.load(op, ty),
            inductor::INDEX_EXPR => {
                let index = self.index(&self.plan.indices[&ir::op_key(op)]);
                Ok(match class(ty) {
                    Class::Float => {
                        let integer = emit.op(arith::index_cast(index), emit.i64());
                        emit.converted(integer, ty, false)
                    }
                    _ => emit.op(arith::index_cast(index), ty),
                })
            }
            inductor::INDIRECT => Ok(self.indirect(op)),
            inductor::MASKED => {
                let mask = self.value(ir::operand(op, 0).expect("it has a mask"));
                let inner = self.block(ir::body(op).expect("it has a block"))?;
                let other = op.attribute("other").expect("it has a number");
                Ok(emit.select(mask, inner[0], emit.constant(other, ty)))
            }
            inductor::TO_DTYPE => Ok(self.conversion(op, ty)),
            // PyTorch checks an assertion; the lowering ignores it.
            inductor::APPLY if op.has_attribute("message") => {
                Ok(self.value(ir::operand(op, 0).expect("an assertion has a condition")))
            }
            inductor::APPLY => {
                let mut operands: Vec<Val<'p>> =
                    op.operands().map(|value| self.value(value)).collect();
                let name = ir::attribute(op, "name").and_then(attr::string);
                let name = name.expect("checked by the dialect");
                let types: Vec<Type<'p>> = operands.iter().map(|value| value.r#type()).collect();
                let unsigned = attr::dense_integers(ir::attribute(op, attribute::UNSIGNED))
                    .ok_or_else(|| error(op, "'unsigned' is no list of numbers of operands"))?;
                let is_unsigned = |number: usize| unsigned.contains(&(number as u64));
                let one = functions::promoted(&types);
                let mut numbers = (0..types.len()).filter(|number| types[*number] == one);
                let of = match class(one) {
                    Class::Integer if numbers.any(is_unsigned) => Class::Unsigned,
                    other => other,
                };
                if types.iter().any(|ty| *ty != types[0]) {
                    for (number, value) in operands.iter_mut().enumerate() {
                        *value = emit.converted(*value, one, is_unsigned(number));
                    }
                    if let Some(row) = functions::of_name(&name, of) {
                        let predicate = row
                            .predicate
                            .map(|number| ("predicate", emit.i64_attribute(number)));
                        let attributes: Vec<_> = predicate.into_iter().collect();
                        return Ok(emit.named(row.op, &operands, ty, &attributes));
                    }
                }
                if let ("frexp", [x], Class::Float) = (name.as_str(), operands.as_slice(), of) {
                    let (mantissa, exponent) = bits::mantissa_and_exponent(emit, *x);
                    return Ok(match class(ty) {
                        Class::Float => mantissa,
                        _ => emit.converted(exponent, ty, false),
                    });
                }
                if name == functions::BITCAST {
                    let type_of = |name: &str| types::attribute_type(op, name);
                    let (Some(from), Some(to)) = (type_of("source"), type_of("dtype")) else {
                        return Err(error(op, "a bitcast has the types 'source' and 'dtype'"));
                    };
                    if width(from) != width(to) {
                        return Err(error(
                            op,
                            format!("a bitcast needs types of the same width, got {from} and {to}"),
                        ));
                    }
                    // A register may be wider than its value.
                    let number = self.graph.stored(emit, operands[0], from);
                    let plain = self.graph.signless(to);
                    let bits = match number.r#type() == plain {
                        true => number,
                        false => emit.op(arith::bitcast(number), plain),
                    };
                    return Ok(loaded(emit, (bits, to), ty));
                }
                apply(emit, &name, of, &operands)
                    .ok_or_else(|| error(op, format!("'{name}' is not converted")))
            }
            name => {
                let operands: Vec<Val<'p>> = op.operands().map(|value| self.value(value)).collect();
                let attributes: Vec<(&'static str, Attribute<'p>)> = ["value", "predicate"]
                    .into_iter()
                    .filter_map(|name| Some((name, ir::attribute(op, name)?)))
                    .collect();
                Ok(emit.named(name, &operands, ty, &attributes))
            }
        }
    }

    fn load(&mut self, op: Op<'p>, ty: Type<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
        let emit = self.emit;
        let element = match &self.plan.reads[&ir::op_key(op)] {
            Read::Argument(number) => {
                let argument = emit.block.argument(*number);
                argument
                    .expect("an operand is an argument of the body")
                    .into()
            }
            Read::Picked(tensor, element, outside) => {
                let mut indices = Vec::new();
                for (at, extent) in element.at.iter().zip(self.graph.shape(*tensor)) {
                    let mut at = self.index(at);
                    if *outside {
                        let last = extent.sub(&1.into()).map_err(|err| error(op, err))?;
                        at = emit.same(arith::maxsi(at, emit.index(0)));
                        at = emit.same(arith::minsi(at, self.sizes(&last)));
                    }
                    indices.push(at);
                }
                emit.op(tensor::extract(*tensor, &indices), element.ty)
            }
        };
        let buffer = ir::operand(op, 0).expect("a load has a buffer");
        Ok(loaded(emit, (element, element_type(buffer.r#type())), ty))
    }

    /// Builds the value of an index expression.
    pub(super) fn index(&mut self, expr: &Expr) -> Val<'p> {
        let emit = self.emit;
        if let Some(linear) = self.plan.loops.linear(expr) {
            return self.linear(&linear);
        }
        let mut terms: Vec<(Val<'p>, i64)> = Vec::new();
        for (atoms, factor) in expr.terms() {
            let mut product = None;
            for atom in atoms {
                let atom = self.atom(atom);
                product = Some(match product {
                    None => atom,
                    Some(product) => emit.same(arith::muli(product, atom)),
                });
            }
            terms.push((product.expect("a term has an atom"), factor));
        }
        emit.sum(&terms, expr.offset())
    }

    /// Builds a sum of digits.
    pub(super) fn linear(&mut self, linear: &Linear) -> Val<'p> {
        let terms = linear.terms.iter().map(|(digit, factor)| {
            let digit = self.digit(*digit);
            match factor.as_constant() {
                Some(factor) => (digit, factor),
                None => {
                    let factor = self.sizes(factor);
                    (self.emit.same(arith::muli(digit, factor)), 1)
                }
            }
        });
        let mut terms: Vec<(Val<'p>, i64)> = terms.collect();
        if linear.offset.as_constant().is_none() {
            terms.push((self.sizes(&linear.offset), 1));
        }
        let offset = linear.offset.as_constant().unwrap_or(0);
        self.emit.sum(&terms, offset)
    }

    /// Builds an expression of sizes.
    fn sizes(&self, expr: &Expr) -> Val<'p> {
        let emit = self.emit;
        let apply = |parts: OpParts<'p>| emit.same(parts);
        let constant = |number| emit.index(number);
        self.graph.of_sizes(expr, &constant, &apply)
    }

    fn atom(&mut self, atom: &Atom) -> Val<'p> {
        let emit = self.emit;
        match atom {
            Atom::Var(Var::Indirect(number)) => {
                self.value(self.plan.indirect.values[*number as usize].0)
            }
            Atom::Var(var @ Var::Symbol(_)) => self.sizes(&Expr::var(*var)),
            Atom::Var(var) => self.index(&Expr::var(*var)),
            Atom::Quotient(of) => {
                let [base, by] = &**of;
                let (base, by) = (self.index(base), self.index(by));
                emit.same(arith::floordivsi(base, by))
            }
            Atom::Digit(of) => {
                let [base, by, modulus] = &**of;
                let (base, by) = (self.index(base), self.index(by));
                let quotient = emit.same(arith::floordivsi(base, by));
                self.remainder(quotient, modulus)
            }
            Atom::Remainder(of) => {
                let [base, modulus] = &**of;
                let base = self.index(base);
                self.remainder(base, modulus)
            }
            Atom::Max(of) | Atom::Min(of) => {
                let parts = match atom {
                    Atom::Max(_) => arith::maxsi,
                    _ => arith::minsi,
                };
                let values: Vec<Val<'p>> = of.iter().map(|expr| self.index(expr)).collect();
                let best = values.into_iter().reduce(|a, b| emit.same(parts(a, b)));
                best.expect("the largest is of several")
            }
            Atom::Abs(of) => {
                let [operand] = &**of;
                let value = self.index(operand);
                let negative = emit.same(arith::subi(emit.index(0), value));
                emit.same(arith::maxsi(value, negative))
            }
        }
    }

    /// Builds the remainder that has the sign of the modulus.
    fn remainder(&mut self, base: Val<'p>, modulus: &Expr) -> Val<'p> {
        let emit = self.emit;
        let modulus = self.index(modulus);
        let quotient = emit.same(arith::floordivsi(base, modulus));
        let whole = emit.same(arith::muli(quotient, modulus));
        emit.same(arith::subi(base, whole))
    }

    /// Builds the index of a digit.
    fn digit(&mut self, digit: usize) -> Val<'p> {
        let emit = self.emit;
        *self
            .digits
            .entry(digit)
            .or_insert_with(|| emit.loop_index(digit))
    }

    /// Builds an indirect index. One below 0 counts from the end.
    fn indirect(&mut self, op: Op<'p>) -> Val<'p> {
        let emit = self.emit;
        let source = ir::operand(op, 0).expect("it has a number");
        let mut value = self.value(source);
        if op.attribute("wrap").is_ok() {
            let op_result = ir::result(op, 0).expect("it has a result");
            let below = self.plan.indirect.below(op_result);
            let i64 = value.r#type();
            let below = match below
                .and_then(Expr::as_constant)
                .or(below.is_none().then_some(i64::MAX))
            {
                Some(below) => emit.constant(IntegerAttribute::new(i64, below).into(), i64),
                None => {
                    let below = self.sizes(below.expect("an index without a bound has a number"));
                    emit.op(arith::index_cast(below), i64)
                }
            };
            let wrapped = emit.same(arith::addi(value, below));
            let is_negative = emit.is(Is::Less, value, emit.number(0.0, i64));
            value = emit.select(is_negative, wrapped, value);
        }
        emit.op(arith::index_cast(value), Type::index(emit.context))
    }

    fn conversion(&self, op: Op<'p>, ty: Type<'p>) -> Val<'p> {
        let emit = self.emit;
        let value = self.value(ir::operand(op, 0).expect("it has a number"));
        let is_unsigned = types::attribute_type(op, "source").is_some_and(ir::is_unsigned);
        let dtype = types::attribute_type(op, "dtype");
        let value = match class(value.r#type()) {
            // A float becomes an unsigned integer by way of an integer of 64 bits, and its low bits are kept.
            Class::Float if dtype.is_some_and(ir::is_unsigned) => {
                emit.converted(value, emit.i64(), false)
            }
            _ => value,
        };
        let converted = emit.converted(value, ty, is_unsigned);
        if number::rounds(op) {
            let dtype = dtype.expect("it has a type");
            if types::float8(dtype).is_some() {
                let rounded = self.graph.stored(emit, converted, dtype);
                return loaded(emit, (rounded, dtype), ty);
            }
            let rounded = emit.op(arith::truncf(converted), dtype);
            return emit.op(arith::extf(rounded), ty);
        }
        converted
    }
}

impl<'p> Graph<'p> {
    /// Builds a number as a buffer of an element type has it. A float of 8 bits is a byte.
    pub(super) fn stored(&self, emit: Emit<'p>, value: Val<'p>, of: Type<'p>) -> Val<'p> {
        match types::float8(of) {
            Some(format) => float8::byte(emit, value, format, self.saturates),
            None => emit.converted(value, self.signless(of), false),
        }
    }

    /// Builds a tensor of numbers as a buffer of an element type has them.
    pub(super) fn stored_all(&self, op: Op<'p>, tensor: Val<'p>, of: Type<'p>) -> Val<'p> {
        let ty = self.signless(of);
        if types::float8(of).is_none() {
            return self.cast(op, tensor, ty);
        }
        self.each(op, &[tensor], ty, &|emit, values| {
            self.stored(emit, values[0], of)
        })
    }
}

/// Builds the number in a register of the type `to` that a buffer of an element type has.
fn loaded<'p>(emit: Emit<'p>, (value, of): (Val<'p>, Type<'p>), to: Type<'p>) -> Val<'p> {
    let value = match types::float8(of) {
        Some(format) => float8::number(emit, value, format),
        None => value,
    };
    emit.converted(value, to, false)
}

/// Builds a shift with the result 0 for amounts of the width or more, and for negative ones.
/// `arith` does not define these.
fn shift<'p>(emit: Emit<'p>, parts: Binary, value: Val<'p>, by: Val<'p>) -> Val<'p> {
    let ty = value.r#type();
    let bits = f64::from(width(ty));
    let (zero, most) = (emit.number(0.0, ty), emit.number(bits - 1.0, ty));
    let is_within = emit.below(by, emit.number(bits, ty));
    let shifted = emit.same(parts(value, emit.same(arith::minui(by, most))));
    emit.select(is_within, shifted, zero)
}

/// Builds a function of PyTorch that is no operation of `arith` or `math`; `None` if it is unknown.
fn apply<'p>(emit: Emit<'p>, name: &str, of: Class, operands: &[Val<'p>]) -> Option<Val<'p>> {
    let ty = operands.first()?.r#type();
    let number = |value: f64| emit.number(value, ty);
    let truths = |parts: Binary, a, b| emit.same(parts(emit.truth(a), emit.truth(b)));
    Some(match (name, operands, of) {
        ("relu" | "abs", [x], Class::Unsigned) => *x,
        ("sign", [x], Class::Unsigned) => emit.converted(emit.truth(*x), ty, false),
        ("floordiv" | "truncdiv", [a, b], Class::Unsigned) => emit.same(arith::divui(*a, *b)),
        ("mod" | "remainder", [a, b], Class::Unsigned) => emit.same(arith::remui(*a, *b)),
        ("bitwise_right_shift", [a, b], Class::Unsigned) => shift(emit, arith::shrui, *a, *b),
        // The bits are the same as for signed integers.
        (_, _, Class::Unsigned) => return apply(emit, name, Class::Integer, operands),
        ("bitwise_left_shift", [a, b], Class::Integer) => shift(emit, arith::shli, *a, *b),
        // The sign is left.
        ("bitwise_right_shift", [a, b], Class::Integer) => {
            let most = number(f64::from(width(ty)) - 1.0);
            emit.same(arith::shrsi(*a, emit.same(arith::minui(*b, most))))
        }
        ("relu", [x], Class::Float) => emit.same(arith::maximumf(*x, number(0.0))),
        ("relu", [x], Class::Integer) => emit.same(arith::maxsi(*x, number(0.0))),
        ("square", [x], Class::Float) => emit.same(arith::mulf(*x, *x)),
        ("square", [x], Class::Integer) => emit.same(arith::muli(*x, *x)),
        ("reciprocal", [x], Class::Float) => emit.same(arith::divf(number(1.0), *x)),
        ("sigmoid", [x], Class::Float) => {
            let exp = emit.same(math::exp(emit.same(arith::negf(*x))));
            let below = emit.same(arith::addf(exp, number(1.0)));
            emit.same(arith::divf(number(1.0), below))
        }
        ("neg", [x], Class::Integer) => emit.same(arith::subi(number(0.0), *x)),
        ("isnan", [x], Class::Float) => emit.is_nan(*x),
        ("isinf", [x], Class::Float) => {
            let size = emit.same(math::absf(*x));
            emit.is(Is::Equal, size, number(f64::INFINITY))
        }
        ("signbit", [x], Class::Float) => {
            let sign = emit.same(math::copysign(number(1.0), *x));
            emit.is(Is::Less, sign, number(0.0))
        }
        ("logical_not", [x], _) => emit.not(emit.truth(*x)),
        ("logical_and", [a, b], _) => truths(arith::andi, *a, *b),
        ("logical_or", [a, b], _) => truths(arith::ori, *a, *b),
        ("logical_xor", [a, b], _) => truths(arith::xori, *a, *b),
        ("bitwise_not", [x], Class::Integer) => emit.same(arith::xori(*x, number(-1.0))),
        ("bitwise_not", [x], Class::Truth) => emit.not(*x),
        ("bitwise_and", [a, b], Class::Truth) => emit.same(arith::andi(*a, *b)),
        ("bitwise_or", [a, b], Class::Truth) => emit.same(arith::ori(*a, *b)),
        ("bitwise_xor", [a, b], Class::Truth) => emit.same(arith::xori(*a, *b)),
        ("eq", [a, b], Class::Truth) => emit.is(Is::Equal, *a, *b),
        ("ne", [a, b], Class::Truth) => emit.is(Is::NotEqual, *a, *b),
        // `a > b` is `a & !b`.
        ("gt", [a, b], Class::Truth) => emit.same(arith::andi(*a, emit.not(*b))),
        ("lt", [a, b], Class::Truth) => emit.same(arith::andi(*b, emit.not(*a))),
        ("ge", [a, b], Class::Truth) => emit.same(arith::ori(*a, emit.not(*b))),
        ("le", [a, b], Class::Truth) => emit.same(arith::ori(*b, emit.not(*a))),
        ("maximum", [a, b], Class::Truth) => emit.same(arith::ori(*a, *b)),
        ("minimum" | "mul", [a, b], Class::Truth) => emit.same(arith::andi(*a, *b)),
        ("sign", [x], Class::Float) => {
            let signed = emit.same(math::copysign(number(1.0), *x));
            // The sign of NaN is 0.
            let size = emit.same(math::absf(*x));
            emit.select(emit.is(Is::Greater, size, number(0.0)), signed, number(0.0))
        }
        ("sign", [x], Class::Integer) => {
            let [above, below] = [Is::Greater, Is::Less].map(|is| {
                let sign = emit.is(is, *x, number(0.0));
                emit.converted(sign, ty, false)
            });
            emit.same(arith::subi(above, below))
        }
        ("sign", [x], Class::Truth) => *x,
        // The quotient is rounded once, as that of `arith` is.
        ("div_rn", [a, b], Class::Float) => emit.same(arith::divf(*a, *b)),
        ("nextafter", [a, b], Class::Float) => bits::next_after(emit, *a, *b),
        ("floordiv", [a, b], Class::Integer) => emit.same(arith::floordivsi(*a, *b)),
        ("truncdiv", [a, b], Class::Integer) => emit.same(arith::divsi(*a, *b)),
        ("mod", [a, b], Class::Integer) => emit.same(arith::remsi(*a, *b)),
        // The remainder has the sign of the divisor.
        ("remainder", [a, b], Class::Integer) => {
            let quotient = emit.same(arith::floordivsi(*a, *b));
            let whole = emit.same(arith::muli(quotient, *b));
            emit.same(arith::subi(*a, whole))
        }
        ("remainder", [a, b], Class::Float) => {
            let rest = emit.same(arith::remf(*a, *b));
            let zero = number(0.0);
            let is_other = emit.same(arith::xori(
                emit.is(Is::Less, rest, zero),
                emit.is(Is::Less, *b, zero),
            ));
            let is_rest = emit.is(Is::NotEqual, rest, zero);
            let is_wrong = emit.same(arith::andi(is_other, is_rest));
            emit.select(is_wrong, emit.same(arith::addf(rest, *b)), rest)
        }
        (_, _, Class::Integer) => return random::random(emit, name, operands),
        _ => return None,
    })
}
