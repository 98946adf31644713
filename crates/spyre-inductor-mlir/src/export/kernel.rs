//! Kernels from outside, their results, and concatenations.

use melior::ir::attribute::{BoolAttribute, FloatAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, AttributeLike, ShapedTypeLike, ValueLike};
use spyre_dialects::{attr, inductor_attr};
use spyre_inductor::schema::{self, Fields, Table, Value};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};

use super::super::program::{result, string, text};
use super::super::{op, types};
use super::{Export, is_dictionary, refuse};

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
pub(super) fn float(value: f64) -> Value {
    let special = if value.is_nan() {
        "nan"
    } else if value == f64::INFINITY {
        "inf"
    } else if value == f64::NEG_INFINITY {
        "-inf"
    } else {
        return serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number);
    };
    let fields = [("f", Value::from(special))];
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

impl Export {
    /// Exports a kernel from outside.
    pub(super) fn kernel<'p>(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        if text(op, "class_name") == op::EMPTY && op.operand_count() == 0 {
            return self.uninitialized(op);
        }
        let mut exported = self.common(op, schema::OpKind::Extern)?;
        exported.kernel = Some(self.fields(op, &text(op, "class_name"))?);
        let mutates = attr::dense_signed_integers(ir::attribute(op, "mutates"));
        let mutates = mutates.unwrap_or_default();
        let count = op.result_count() - mutates.len();
        if count == 1 {
            let value = result(op, 0);
            let lowered = match ir::is_ranked_tensor(value.r#type()) {
                true => self.layout(op, value.r#type())?,
                false => Self::no_tensor(schema::LayoutKind::MultiOutput),
            };
            self.define(op, value, lowered)?;
        } else {
            self.graph.buffers.push(schema::Buffer {
                name: text(op, "buffer"),
                lowered: Self::no_tensor(schema::LayoutKind::None),
                fixed: None,
            });
        }
        let mut written = Vec::new();
        for (number, operand) in mutates.iter().enumerate() {
            let operand = usize::try_from(*operand).expect("IN23");
            let value = ir::operand(op, operand).expect("IN23");
            let name = self.buffer(op, value)?;
            let after = result(op, count + number);
            self.names.insert(ir::value_key(after), name.clone());
            written.push(name);
        }
        exported.mutates = (!written.is_empty()).then_some(written);
        self.graph.ops.push(exported);
        Ok(())
    }

    /// Exports a buffer without writes: in PyTorch its loops have no iterations.
    fn uninitialized<'p>(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let mut exported = self.common(op, schema::OpKind::Nop)?;
        let value = result(op, 0);
        let lowered = self.layout(op, value.r#type())?;
        exported.dtype = lowered.dtype.clone();
        let rank = lowered.size.as_ref().map_or(0, Vec::len);
        exported.ranges = Some(vec![schema::Expr::Number(0); rank]);
        self.define(op, value, lowered)?;
        self.graph.ops.push(exported);
        Ok(())
    }

    /// Exports one result of a kernel.
    pub(super) fn multi_output<'p>(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let mut exported = self.common(op, schema::OpKind::MultiOutput)?;
        let mut fields = self.fields(op, "MultiOutput")?;
        let indices = op.attribute("indices").expect("checked by the dialect");
        fields.indices = Some(self.argument(op, indices)?);
        exported.kernel = Some(fields);
        self.graph.ops.push(exported);
        let value = result(op, 0);
        let lowered = self.layout(op, value.r#type())?;
        self.define(op, value, lowered)?;
        Ok(())
    }

    /// Exports a concatenation.
    pub(super) fn concat<'p>(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let mut exported = self.common(op, schema::OpKind::Concat)?;
        exported.kernel = Some(self.fields(op, "ConcatKernel")?);
        self.graph.ops.push(exported);
        let value = result(op, 0);
        let lowered = self.layout(op, value.r#type())?;
        let whole = self.define(op, value, lowered)?;
        // Its parts are inside of it.
        for part in op.operands() {
            let Some(name) = self.names.get(&ir::value_key(part)) else {
                continue;
            };
            let mut buffers = self.graph.buffers.iter_mut();
            let buffer = buffers.find(|buffer| buffer.name == *name);
            if let Some(buffer) = buffer
                && buffer.lowered.kind == schema::LayoutKind::NonOwning
            {
                buffer.lowered.base = Some(whole.clone());
                let mut ops = self.graph.ops.iter_mut();
                if let Some(op) = ops.find(|op| op.buffers.contains(name)) {
                    op.aliases = Some(vec![whole.clone()]);
                }
            }
        }
        Ok(())
    }

    /// Returns the fields of a kernel.
    fn fields<'p>(&self, op: Op<'p>, class: &str) -> Result<schema::Extern, Diagnostic<'p>> {
        let inputs = match op.attribute(op::INPUTS) {
            Ok(inputs) => match self.references(op, inputs)? {
                schema::Ref::List(inputs) => inputs,
                _ => return Err(refuse(op, "'inputs' is a list")),
            },
            Err(_) => (0..op.operand_count())
                .map(|number| self.reference(op, number))
                .collect::<Result<_, _>>()?,
        };
        let optional = |name: &str| {
            let attribute = ir::attribute(op, name);
            attribute.map(|it| self.argument(op, it)).transpose()
        };
        let object = |value: Option<Value>| match value {
            Some(Value::Object(fields)) => fields,
            _ => Fields::new(),
        };
        Ok(schema::Extern {
            class: class.into(),
            kernel: string(op, op::KERNEL),
            op_overload: string(op, "overload"),
            inputs,
            constant_args: match optional(op::CONSTANT_ARGS)? {
                Some(Value::Array(values)) => values,
                _ => Vec::new(),
            },
            kwargs: object(optional(op::KWARGS)?),
            call: optional(op::CALL)?,
            indices: None,
            other: object(optional(op::OTHER)?),
        })
    }

    /// Returns the references of an attribute.
    fn references<'p>(
        &self,
        op: Op<'p>,
        attribute: Attribute<'p>,
    ) -> Result<schema::Ref, Diagnostic<'p>> {
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

    /// Returns an argument of a kernel.
    pub(super) fn argument<'p>(
        &self,
        op: Op<'p>,
        attribute: Attribute<'p>,
    ) -> Result<Value, Diagnostic<'p>> {
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
        if is_dictionary(attribute) {
            let entries = attr::entries(attribute).into_iter();
            let entries = entries.map(|(name, value)| Ok((name, self.argument(op, value)?)));
            return Ok(Value::Object(entries.collect::<Result<Table<_>, _>>()?));
        }
        if attribute.is_array() {
            let list = attr::elements(attribute).into_iter();
            let list = list.map(|it| self.argument(op, it));
            return Ok(Value::Array(list.collect::<Result<_, _>>()?));
        }
        Err(refuse(op, format!("{attribute} has no form in the file")))
    }
}
