//! Attributes as fields, by the rows of the table, and the arguments of kernels.

use melior::ir::attribute::{BoolAttribute, DictionaryAttribute, FloatAttribute, TypeAttribute};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, AttributeLike, ShapedTypeLike, Type};
use spyre_dialects::{attr, inductor_attr};
use spyre_inductor::schema::{self, Table, Text, Value};
use spyre_mlir_rt::ir::{self, Op};

use super::super::table::{self, Field, Form};
use super::super::types;
use super::{Export, Result, refuse};

impl Export {
    /// Sets the fields that an operation has attributes of.
    ///
    /// # Errors
    /// An attribute is of another kind than its field.
    pub(super) fn fields<'p, T>(
        &self,
        op: Op<'p>,
        rows: &[Field<T>],
        into: &mut T,
    ) -> Result<'p, ()> {
        for row in rows {
            if let Some(attribute) = ir::attribute(op, row.attribute)
                && self.field(op, attribute, &row.form, into)?.is_none()
            {
                let name = row.attribute;
                return Err(refuse(op, format!("'{name}' has another form in the file")));
            }
        }
        Ok(())
    }

    /// Sets a field; `None` if the attribute is of another kind.
    fn field<'p, T>(
        &self,
        op: Op<'p>,
        attribute: Attribute<'p>,
        form: &Form<T>,
        into: &mut T,
    ) -> Result<'p, Option<()>> {
        let text = |attribute| attr::string(attribute).map(Text::from);
        let map = ir::affine_map_value(attribute);
        Ok(match form {
            Form::Text(lens) => text(attribute).map(|text| (lens.set)(into, text)),
            Form::Texts(lens) => {
                let texts = attr::elements(attribute).into_iter().map(text);
                let texts: Option<Vec<Text>> = texts.collect();
                texts.map(|texts| (lens.set)(into, texts))
            }
            Form::Integer(lens) => attr::integer(attribute).map(|it| (lens.set)(into, it)),
            Form::Type(lens) => type_of(attribute).map(|ty| (lens.set)(into, types::name(ty))),
            Form::Extent(lens) => {
                let expr = map.map(|_| self.size(op, attribute)).transpose()?;
                expr.map(|expr| (lens.set)(into, expr))
            }
            Form::Extents(lens) => {
                let exprs = map.map(|map| self.exprs(op, map)).transpose()?;
                exprs.map(|exprs| (lens.set)(into, exprs))
            }
            Form::Argument(lens) => {
                let value = self.argument(op, attribute)?;
                (lens.set)(into, value);
                Some(())
            }
            Form::Arguments(lens) => match self.argument(op, attribute)? {
                Value::Array(values) => {
                    (lens.set)(into, values);
                    Some(())
                }
                _ => None,
            },
            Form::NamedArguments(lens) => match self.argument(op, attribute)? {
                Value::Object(fields) => {
                    (lens.set)(into, fields);
                    Some(())
                }
                _ => None,
            },
        })
    }

    /// Returns the references of an attribute.
    pub(super) fn references<'p>(
        &self,
        op: Op<'p>,
        attribute: Attribute<'p>,
    ) -> Result<'p, schema::Ref> {
        if let Some(number) = inductor_attr::operand(attribute) {
            return self.reference(op, number);
        }
        if ir::affine_map_value(attribute).is_some() {
            return Ok(schema::Ref::Expr(self.size(op, attribute)?));
        }
        if attribute.is_unit() {
            return Ok(schema::Ref::Null);
        }
        let list = attr::elements(attribute);
        let list = list.into_iter().map(|it| self.references(op, it));
        Ok(schema::Ref::List(list.collect::<Result<_, _>>()?))
    }

    /// Returns the references to operands: all of the first, or those of an attribute.
    pub(super) fn inputs<'p>(
        &self,
        op: Op<'p>,
        attribute: &str,
        count: usize,
    ) -> Result<'p, Vec<schema::Ref>> {
        let Some(inputs) = ir::attribute(op, attribute) else {
            return (0..count)
                .map(|number| self.reference(op, number))
                .collect();
        };
        match self.references(op, inputs)? {
            schema::Ref::List(inputs) => Ok(inputs),
            _ => Err(refuse(op, format!("'{attribute}' is a list"))),
        }
    }

    /// Returns an argument of a kernel.
    fn argument<'p>(&self, op: Op<'p>, attribute: Attribute<'p>) -> Result<'p, Value> {
        if inductor_attr::operand(attribute).is_some() || ir::affine_map_value(attribute).is_some()
        {
            return Value::of(&self.references(op, attribute)?).map_err(|err| refuse(op, err));
        }
        if attribute.is_unit() {
            return Ok(Value::Null);
        }
        if let Some(text) = attr::string(attribute) {
            return Ok(Value::Text(text.into()));
        }
        if let Some(number) = number(attribute) {
            return Ok(number);
        }
        if DictionaryAttribute::try_from(attribute).is_ok() {
            let entries = attr::entries(attribute).into_iter();
            let entries = entries.map(|(name, value)| Ok((name, self.argument(op, value)?)));
            return Ok(Value::Object(entries.collect::<Result<Table<_>, _>>()?));
        }
        if attribute.is_array() {
            let list = attr::elements(attribute).into_iter();
            let list = list.map(|it| self.argument(op, it));
            return Ok(Value::Array(list.collect::<Result<_, _>>()?));
        }
        Err(refuse(
            op,
            format!("the JSON of Inductor cannot represent {attribute}"),
        ))
    }
}

/// Returns the type that an attribute holds.
pub(super) fn type_of(attribute: Attribute<'_>) -> Option<Type<'_>> {
    Some(TypeAttribute::try_from(attribute).ok()?.value())
}

/// Returns a number as JSON; `None` for any other attribute.
pub(super) fn number(attribute: Attribute<'_>) -> Option<Value> {
    if let Ok(truth) = BoolAttribute::try_from(attribute)
        && IntegerType::try_from(attribute.r#type()).is_ok_and(|ty| ty.width() == 1)
    {
        return Some(Value::Bool(truth.value()));
    }
    if let Some(integer) = attr::integer(attribute) {
        return Some(Value::integer(integer));
    }
    FloatAttribute::try_from(attribute).ok()?;
    Some(float(attr::number(attribute)?))
}

/// Returns a float as JSON, which has no infinities.
fn float(value: f64) -> Value {
    if let Some(number) = serde_json::Number::from_f64(value) {
        return Value::Number(number);
    }
    let mut floats = table::FLOATS.iter();
    let same = |other: &f64| other.total_cmp(&value).is_eq() || other.is_nan() && value.is_nan();
    let (name, _) = floats
        .find(|(_, other)| same(other))
        .expect("other floats are numbers");
    let fields = [(table::FLOAT, Value::from(*name))];
    Value::Object(fields.into_iter().collect())
}

/// Returns the elements of a constant, the last dimension the fastest.
pub(super) fn elements(value: Attribute<'_>, size: &[i64]) -> Option<Value> {
    let count: i64 = size.iter().product();
    let count = usize::try_from(count).ok()?;
    let values: Vec<Value> = match attr::splat(value) {
        Some(one) => vec![number(one)?; count],
        None => {
            let ty = RankedTensorType::try_from(value.r#type()).ok()?;
            let bytes = attr::dense_bytes(value)?;
            let width = bytes.len().checked_div(count).filter(|width| *width > 0)?;
            bytes
                .chunks_exact(width)
                .map(|bytes| element(&types::name(ty.element()), bytes))
                .collect::<Option<_>>()?
        }
    };
    Some(Value::Array(values))
}

/// Returns an element of a type from its bytes in native order.
fn element(ty: &str, bytes: &[u8]) -> Option<Value> {
    Some(match ty {
        "f64" => float(f64::from_ne_bytes(bytes.try_into().ok()?)),
        "f32" => float(f32::from_ne_bytes(bytes.try_into().ok()?).into()),
        "f16" => float(half::f16::from_ne_bytes(bytes.try_into().ok()?).into()),
        "bf16" => float(half::bf16::from_ne_bytes(bytes.try_into().ok()?).into()),
        "i64" => Value::integer(i64::from_ne_bytes(bytes.try_into().ok()?)),
        "i32" => Value::integer(i32::from_ne_bytes(bytes.try_into().ok()?)),
        "i16" => Value::integer(i16::from_ne_bytes(bytes.try_into().ok()?)),
        "i8" => Value::integer(i8::from_ne_bytes(bytes.try_into().ok()?)),
        "u8" => Value::integer(bytes.first().copied()?),
        "i1" => (bytes.first() != Some(&0)).into(),
        _ => return None,
    })
}
