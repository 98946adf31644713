//! Numbers, and functions of them.

use melior::ir::attribute::{DenseI64ArrayAttribute, FloatAttribute, TypeAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, ValueLike};
use spyre_inductor::schema::Value;
use spyre_mlir_rt::ir::{self, At, OpParts, Val};
use spyre_ods::{arith, inductor, math};

use super::super::super::functions::{self, Class};
use super::super::super::table::{ARGUMENTS, FUNCTION};
use super::super::super::{op, types};
use super::super::build::result;
use super::super::path::Path;
use super::super::{Import, Result, error};
use super::Site;
use crate::functions::class;

impl<'p> Import<'p> {
    /// Returns the attribute with all digits of a number that `f32` does not have.
    pub(super) fn exact(
        &self,
        value: &Value,
        ty: Type<'p>,
    ) -> Option<(&'static str, Attribute<'p>)> {
        // PyTorch writes some floats as integers.
        if class(ty) == Class::Float
            && let Some(integer) = value.as_i64()
        {
            return Some((op::EXACT, self.integer(integer)));
        }
        let number = value.as_f64()?;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "whether digits are lost is the question"
        )]
        let narrow = f64::from(number as f32);
        let is_narrow = ty == Type::float32(self.context);
        let f64 = Type::float64(self.context);
        (is_narrow && narrow != number).then(|| {
            (
                op::EXACT,
                FloatAttribute::new(self.context, f64, number).into(),
            )
        })
    }

    /// Builds the mantissa of a number, or its exponent.
    pub(super) fn part_of_number(
        &self,
        site: &Site<'_, '_, 'p>,
        number: Val<'p>,
        part: Option<i64>,
    ) -> Result<Val<'p>> {
        let ty = match part {
            Some(0) => number.r#type(),
            Some(1) => IntegerType::new(self.context, 32).into(),
            _ => return error(site.path.field("i"), "'frexp' has the parts 0 and 1"),
        };
        if class(number.r#type()) != Class::Float {
            let message = format!("'frexp' needs a float, got {}", number.r#type());
            return error(site.path.field("value"), message);
        }
        let name = self.string(functions::FREXP);
        let parts = OpParts::named(inductor::APPLY, &[number]).with(FUNCTION, name);
        let built = self.insert_at(At::End(site.block), parts, &[ty]);
        Ok(result(built, 0))
    }

    /// Builds a function of numbers.
    pub(super) fn function(&self, site: &mut Site<'_, '_, 'p>) -> Result<Val<'p>> {
        let name = site.inst.op.as_str();
        let path = &site.path.field(ARGUMENTS);
        let arguments = site.inst.fields.get(ARGUMENTS).unwrap_or(&Value::Null);
        let operands = &site.state.operands(path, arguments)?;
        let types: Vec<Type<'p>> = operands.iter().map(|it| it.r#type()).collect();
        let (is_select, numbers) = match (name, types.as_slice()) {
            (functions::SELECT, [mask, a, b]) if class(*mask) == Class::Truth => {
                (true, vec![*a, *b])
            }
            _ => (false, types),
        };
        let Some(first) = numbers.first() else {
            return error(site.path, format!("'{name}' has no operands"));
        };
        let other = numbers.iter().find(|other| *other != first);
        if let (true, Some(other)) = (is_select, other) {
            let message = format!("the operands of '{name}' are {first} and {other}");
            return error(path, message);
        }
        let ty = functions::promoted(&numbers);
        let unsigned = |operand: &Val<'p>| site.state.unsigned.contains(&ir::value_key(*operand));
        let mut same_type = operands.iter().filter(|it| it.r#type() == ty);
        let is_unsigned = same_type.clone().any(unsigned);
        if is_unsigned && !same_type.all(unsigned) {
            let message = format!("'{name}' has both signed and unsigned operands of {ty}");
            return error(path, message);
        }
        let numbers = operands.iter().enumerate();
        let numbers = numbers.filter(|(_, operand)| unsigned(operand));
        let numbers: Vec<i64> = numbers
            .map(|(number, _)| i64::try_from(number).expect("operands are few"))
            .collect();
        let (parts, computed) = match is_select {
            true => (OpParts::named(functions::SELECT_OP, &[]), ty),
            false => self.computation(name, ty, is_unsigned, (other.is_some(), &numbers)),
        };
        if parts.name != inductor::APPLY && arity(&parts.name) != operands.len() {
            let message = format!("'{name}' of {} operands", operands.len());
            return error(path, message);
        }
        let keeps = is_unsigned && computed == ty;
        let parts = parts.operand_group(operands);
        let built = self.insert_at(At::End(site.block), parts, &[computed]);
        let value = result(built, 0);
        if keeps {
            site.state.unsigned.insert(ir::value_key(value));
        }
        Ok(value)
    }

    /// Returns the operation that computes a function of numbers of a type, and the type of its result. Numbers of other
    /// types are converted first; some of the numbers are unsigned.
    fn computation(
        &self,
        name: &str,
        ty: Type<'p>,
        is_unsigned: bool,
        (is_mixed, unsigned): (bool, &[i64]),
    ) -> (OpParts<'p>, Type<'p>) {
        let class = match class(ty) {
            Class::Integer if is_unsigned => Class::Unsigned,
            other => other,
        };
        let row = functions::of_name(name, class);
        let predicate = row.and_then(|row| row.predicate);
        let result = match row {
            Some(_) if predicate.is_some() => self.truth(),
            None if functions::is_truth(name) => self.truth(),
            None if functions::is_random(name) => Type::float32(self.context),
            _ => ty,
        };
        match row.filter(|_| !is_mixed) {
            Some(row) => {
                let mut parts = OpParts::named(row.op, &[]);
                let predicate = predicate.map(|it| (functions::PREDICATE, self.integer(it)));
                parts.attributes.extend(predicate);
                (parts, result)
            }
            None => {
                let parts = OpParts::named(inductor::APPLY, &[]);
                let parts = parts.with(FUNCTION, self.string(name));
                let numbers = || DenseI64ArrayAttribute::new(self.context, unsigned).into();
                let unsigned = (!unsigned.is_empty()).then(numbers);
                (parts.with_optional(op::UNSIGNED, unsigned), result)
            }
        }
    }
}

/// Checks that two types have as many bits, of which an operation reads a number of one as a number of the other.
pub(super) fn check_widths(path: &Path<'_>, parts: &OpParts<'_>) -> Result<()> {
    let attributes = parts.attributes.iter();
    let types = attributes.filter_map(|(_, it)| Some(TypeAttribute::try_from(*it).ok()?.value()));
    let types: Vec<Type<'_>> = types.collect();
    let [to, from] = types.as_slice() else {
        unreachable!("the row has two types");
    };
    if types::width(*from) != types::width(*to) {
        let message = format!("{from} and {to} have different widths");
        return error(path.field(ARGUMENTS), message);
    }
    Ok(())
}

/// Returns how many operands an operation of `arith` or `math` takes.
fn arity(op: &str) -> usize {
    match op {
        functions::SELECT_OP | math::FMA => 3,
        arith::NEGF => 1,
        math::POWF | math::COPYSIGN | math::ATAN2 => 2,
        op if op.starts_with("math.") => 1,
        _ => 2,
    }
}
