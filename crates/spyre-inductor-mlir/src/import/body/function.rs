//! Numbers, and functions of them.

use melior::ir::attribute::{DenseI64ArrayAttribute, FloatAttribute};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{AffineExpr, AffineMap, Attribute, ShapedTypeLike, Type, TypeLike, ValueLike};
use spyre_inductor::schema::{Inst, Value};
use spyre_mlir_rt::ir::{self, At, Blk, Val};

use super::super::super::functions::{self, Class};
use super::super::super::{op, types};
use super::super::path::Path;
use super::super::{Import, ImportError, Parts, error, extents, result};
use super::{State, class};

impl<'p> Import<'p> {
    /// Returns the attribute with all digits of a number that `f32` does not have.
    pub(super) fn exact(
        &self,
        value: Option<&Value>,
        ty: Type<'p>,
    ) -> Option<(&'static str, Attribute<'p>)> {
        let value = value?;
        let is_float = !matches!(class(ty), Class::Integer | Class::Unsigned | Class::Truth);
        // PyTorch writes some floats as integers.
        if is_float && let Some(integer) = value.as_i64() {
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

    /// Builds the load of a seed of random numbers: an element of a buffer of one dimension, by its number.
    pub(super) fn seed(
        &self,
        path: &Path<'_>,
        inst: &Inst,
        block: Blk<'p>,
    ) -> Result<Val<'p>, ImportError> {
        let path = &path.field("args");
        let args = inst.fields.get("args").and_then(Value::as_array);
        let (buffer, number) = match args {
            Some([buffer, number]) => (buffer.as_str(), number.as_i64()),
            _ => (None, None),
        };
        let (Some(buffer), Some(number)) = (buffer, number) else {
            return error(path, "a seed has a buffer and a number");
        };
        let source = self.value(&path.item(0), buffer)?;
        let tensor = RankedTensorType::try_from(source.r#type());
        let has = |tensor: RankedTensorType<'p>| match extents(tensor).as_slice() {
            [extent] => u64::try_from(number).is_ok_and(|number| number < *extent),
            _ => false,
        };
        let tensor = tensor.ok().filter(|tensor| has(*tensor));
        let Some(tensor) = tensor.filter(|tensor| class(tensor.element()) == Class::Integer) else {
            let message = format!("'{buffer}' has no integer with the number {number}");
            return error(path, message);
        };
        let place = AffineExpr::constant(self.context, number);
        let map = AffineMap::new(self.context, 0, 0, &[place]);
        let parts = Parts {
            name: "inductor.load",
            operands: &[source],
            results: &[tensor.element()],
            attributes: vec![("map", ir::affine_map_attribute(map))],
            regions: Vec::new(),
        };
        Ok(result(self.insert_at(At::End(block), parts), 0))
    }

    /// Builds the mantissa of a number, or its exponent.
    pub(super) fn part(
        &self,
        path: &Path<'_>,
        number: Val<'p>,
        part: Option<i64>,
        block: Blk<'p>,
    ) -> Result<Val<'p>, ImportError> {
        let ty = match part {
            Some(0) => number.r#type(),
            Some(1) => IntegerType::new(self.context, 32).into(),
            _ => return error(path.field("i"), "'frexp' has the parts 0 and 1"),
        };
        if class(number.r#type()) != Class::Float {
            let message = format!("the parts of a number of {}", number.r#type());
            return error(path.field("value"), message);
        }
        let attributes = vec![("name", self.string(functions::FREXP))];
        Ok(self.apply(&[number], ty, attributes, block))
    }

    /// Builds the bits of a number as one of another type.
    pub(super) fn bitcast(
        &self,
        path: &Path<'_>,
        inst: &Inst,
        block: Blk<'p>,
        state: &mut State<'_, 'p>,
    ) -> Result<Val<'p>, ImportError> {
        let path = &path.field("args");
        let args = inst.fields.get("args").and_then(Value::as_array);
        let Some([number, dtype, source]) = args else {
            return error(path, "a view by another type has a number and two types");
        };
        let number = state.operand(&path.item(0), Some(number))?;
        let type_at = |place: usize, name: &Value| {
            let name = name.as_str().unwrap_or_default();
            let ty = types::element(self.context, name);
            let ty = ty.ok_or_else(|| types::unknown(name));
            ty.or_else(|err| error(path.item(place), err))
        };
        let (to, from) = (type_at(1, dtype)?, type_at(2, source)?);
        if types::width(from) != types::width(to) {
            let message = format!("{from} and {to} have different widths");
            return error(path, message);
        }
        let register = types::register(self.context, &types::name(to));
        let register = register.expect("an element type has a register");
        let attributes = vec![
            ("name", self.string(functions::BITCAST)),
            ("source", self.type_attribute(from)),
            ("dtype", self.type_attribute(to)),
        ];
        let value = self.apply(&[number], register, attributes, block);
        if to.is_integer() && ir::is_unsigned(to) {
            state.unsigned.insert(ir::value_key(value));
        }
        Ok(value)
    }

    /// Builds a function that `arith` and `math` do not have.
    fn apply(
        &self,
        operands: &[Val<'p>],
        ty: Type<'p>,
        attributes: Vec<(&'static str, Attribute<'p>)>,
        block: Blk<'p>,
    ) -> Val<'p> {
        let parts = Parts {
            name: "inductor.apply",
            operands,
            results: &[ty],
            attributes,
            regions: Vec::new(),
        };
        result(self.insert_at(At::End(block), parts), 0)
    }

    /// Builds a function of numbers.
    pub(super) fn function(
        &self,
        path: &Path<'_>,
        name: &str,
        operands: &[Val<'p>],
        block: Blk<'p>,
        state: &mut State<'_, 'p>,
    ) -> Result<Val<'p>, ImportError> {
        let types: Vec<Type<'p>> = operands.iter().map(|it| it.r#type()).collect();
        let (is_select, numbers) = match (name, types.as_slice()) {
            ("where", [mask, a, b]) if class(*mask) == Class::Truth => (true, vec![*a, *b]),
            _ => (false, types),
        };
        let Some(first) = numbers.first() else {
            return error(path, format!("'{name}' has no operands"));
        };
        let other = numbers.iter().find(|other| *other != first);
        if let (true, Some(other)) = (is_select, other) {
            let message = format!("the operands of '{name}' are {first} and {other}");
            return error(path.field("args"), message);
        }
        let first = &functions::promoted(&numbers);
        let unsigned = |operand: &Val<'p>| state.unsigned.contains(&ir::value_key(*operand));
        let mut same_type = operands.iter().filter(|it| it.r#type() == *first);
        let is_unsigned = same_type.clone().any(unsigned);
        if is_unsigned && !same_type.all(unsigned) {
            let message = format!("'{name}' of integers of {first} with and without a sign");
            return error(path.field("args"), message);
        }
        let own_class = match class(*first) {
            Class::Integer if is_unsigned => Class::Unsigned,
            other => other,
        };
        let named = || {
            let mut attributes = vec![("name", self.string(name))];
            let numbers = operands.iter().enumerate();
            let numbers: Vec<i64> = numbers
                .filter(|(_, operand)| unsigned(operand))
                .map(|(number, _)| i64::try_from(number).expect("operands are few"))
                .collect();
            if !numbers.is_empty() {
                let numbers = DenseI64ArrayAttribute::new(self.context, &numbers);
                attributes.push((op::UNSIGNED, numbers.into()));
            }
            attributes
        };
        let row = functions::of_name(name, own_class);
        let (op, ty, attributes) = match row {
            _ if is_select => ("arith.select", *first, Vec::new()),
            // Its operands are converted to one type first.
            Some(row) if other.is_some() => {
                let truth = IntegerType::new(self.context, 1).into();
                let ty = row.predicate.map_or(*first, |_| truth);
                ("inductor.apply", ty, named())
            }
            Some(row) => match row.predicate {
                Some(predicate) => {
                    let truth = IntegerType::new(self.context, 1).into();
                    (row.op, truth, vec![("predicate", self.integer(predicate))])
                }
                None => (row.op, *first, Vec::new()),
            },
            None => {
                let ty = match functions::is_truth(name) {
                    true => IntegerType::new(self.context, 1).into(),
                    false if functions::is_random(name) => Type::float32(self.context),
                    false => *first,
                };
                ("inductor.apply", ty, named())
            }
        };
        if op != "inductor.apply" && !arity(op).contains(&operands.len()) {
            let message = format!("'{name}' of {} operands", operands.len());
            return error(path.field("args"), message);
        }
        let built = self.insert_at(
            At::End(block),
            Parts {
                name: op,
                operands,
                results: &[ty],
                attributes,
                regions: Vec::new(),
            },
        );
        let value = result(built, 0);
        if is_unsigned && ty == *first {
            state.unsigned.insert(ir::value_key(value));
        }
        Ok(value)
    }
}

/// Returns how many operands an operation of `arith` or `math` takes.
fn arity(op: &str) -> std::ops::RangeInclusive<usize> {
    let count = match op {
        "arith.select" | "math.fma" => 3,
        "arith.negf" => 1,
        "math.powf" | "math.copysign" | "math.atan2" => 2,
        op if op.starts_with("math.") => 1,
        _ => 2,
    };
    count..=count
}
