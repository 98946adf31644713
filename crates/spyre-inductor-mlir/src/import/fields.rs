//! Fields as attributes, by the rows of the table, and the arguments of kernels.

use melior::Context;
use melior::ir::attribute::{BoolAttribute, FloatAttribute, IntegerAttribute, StringAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type};
use spyre_dialects::{attr, inductor_attr};
use spyre_inductor::schema::{self, Fields, Value};
use spyre_mlir_rt::ir::{self, OpParts, Val};

use super::super::table::{self, Field, Form};
use super::build::type_attribute;
use super::path::Path;
use super::{Import, Result, error};

/// The tensors of a kernel.
#[derive(Default)]
pub(super) struct Tensors<'p> {
    pub(super) values: Vec<Val<'p>>,
    /// The references of the file that they are.
    pub(super) refs: Vec<schema::Ref>,
}

impl<'p> Import<'p> {
    /// Adds the attributes of fields.
    ///
    /// # Errors
    /// A required field is absent, or a field has no attribute.
    pub(super) fn fields<T>(
        &self,
        mut parts: OpParts<'p>,
        path: &Path<'_>,
        (noun, of, rows): (&str, &T, &[Field<T>]),
    ) -> Result<OpParts<'p>> {
        for row in rows {
            match self.field(&path.field(row.name), of, &row.form)? {
                Some(value) => parts.attributes.push((row.attribute, value)),
                None if row.is_required => {
                    return error(path, format!("{noun} has {}", row.name));
                }
                None => {}
            }
        }
        Ok(parts)
    }

    /// Returns a field as an attribute; `None` if it is absent.
    fn field<T>(&self, path: &Path<'_>, of: &T, form: &Form<T>) -> Result<Option<Attribute<'p>>> {
        let attribute = match form {
            Form::Text(lens) => (lens.get)(of).map(|text| Ok(self.string(text))),
            Form::Texts(lens) => (lens.get)(of).map(|texts| Ok(self.strings(texts))),
            Form::Integer(lens) => (lens.get)(of).map(|value| Ok(self.integer(*value))),
            Form::Type(lens) => {
                (lens.get)(of).map(|name| Ok(type_attribute(self.element(path, name)?)))
            }
            Form::Extent(lens) => {
                (lens.get)(of).map(|expr| self.sizes(path, std::slice::from_ref(expr)))
            }
            Form::Extents(lens) => (lens.get)(of).map(|exprs| self.sizes(path, exprs)),
            Form::Argument(lens) => (lens.get)(of).map(|it| self.argument(path, it)),
            Form::Arguments(lens) => (lens.get)(of).map(|it| self.arguments(path, it)),
            Form::NamedArguments(lens) => (lens.get)(of).map(|it| self.named_arguments(path, it)),
        };
        attribute.transpose()
    }

    /// Collects the tensors of references, and returns the references as an attribute.
    pub(super) fn refs(&mut self, path: &Path<'_>, refs: &[schema::Ref]) -> Result<Attribute<'p>> {
        let mut list = Vec::new();
        for (number, reference) in refs.iter().enumerate() {
            let path = &path.item(number);
            list.push(match reference {
                schema::Ref::Buffer(name, view) => {
                    let value = self.view(path, name, view.as_deref())?;
                    self.tensors.values.push(value);
                    self.tensors.refs.push(reference.clone());
                    let number = self.tensors.values.len() - 1;
                    inductor_attr::operand_attribute(self.context, number)
                }
                schema::Ref::Expr(expr) => {
                    self.sizes(&path.field("expr"), std::slice::from_ref(expr))?
                }
                schema::Ref::Null => Attribute::unit(self.context),
                schema::Ref::List(refs) => self.refs(path, refs)?,
            });
        }
        Ok(attr::array(self.context, &list))
    }

    /// Returns an argument of a kernel as an attribute.
    fn argument(&self, path: &Path<'_>, value: &Value) -> Result<Attribute<'p>> {
        let context = self.context;
        Ok(match value {
            Value::Null => Attribute::unit(context),
            Value::Bool(value) => BoolAttribute::new(context, *value).into(),
            Value::Text(text) => StringAttribute::new(context, text).into(),
            Value::Number(number) => match number.as_i64() {
                Some(number) => self.integer(number),
                None => self.number(path, value, Type::float64(context))?,
            },
            Value::Array(values) => self.arguments(path, values)?,
            Value::Object(fields) if fields.get(table::FLOAT).is_some() => {
                self.number(path, value, Type::float64(context))?
            }
            Value::Object(fields) if fields.get("buffer").is_some() => {
                let reference = value.read::<schema::Ref>().ok();
                let mut refs = self.tensors.refs.iter();
                let position = refs.position(|other| Some(other) == reference.as_ref());
                match position {
                    Some(number) => inductor_attr::operand_attribute(context, number),
                    None => {
                        return error(path, "this buffer is not among the operands of the kernel");
                    }
                }
            }
            Value::Object(fields) => match fields.get("expr") {
                Some(expr) => self.sizes(path, &[expr.read().or_else(|err| error(path, err))?])?,
                None => self.named_arguments(path, fields)?,
            },
        })
    }

    fn arguments(&self, path: &Path<'_>, values: &[Value]) -> Result<Attribute<'p>> {
        let values = values.iter().enumerate();
        let values: Vec<Attribute<'p>> = values
            .map(|(number, value)| self.argument(&path.item(number), value))
            .collect::<Result<_, _>>()?;
        Ok(attr::array(self.context, &values))
    }

    fn named_arguments(&self, path: &Path<'_>, fields: &Fields) -> Result<Attribute<'p>> {
        let fields = fields.iter();
        let entries: Vec<(&str, Attribute<'p>)> = fields
            .map(|(name, value)| Ok((name, self.argument(&path.field(name), value)?)))
            .collect::<Result<_, _>>()?;
        Ok(attr::dictionary(self.context, &entries))
    }

    /// Returns a number of a type.
    pub(super) fn number(
        &self,
        path: &Path<'_>,
        value: &Value,
        ty: Type<'p>,
    ) -> Result<Attribute<'p>> {
        number(self.context, value, ty)
            .map_or_else(|| error(path, format!("{value} is no {ty}")), Ok)
    }
}

/// Returns a number of the file as an attribute of a type; `None` if the value is no number.
fn number<'c>(context: &'c Context, value: &Value, ty: Type<'c>) -> Option<Attribute<'c>> {
    if let Ok(integer) = IntegerType::try_from(ty) {
        let value = match value {
            Value::Bool(value) => i64::from(*value),
            value => value.as_i64()?,
        };
        // The only digit of a truth value is its sign.
        let value = if integer.width() == 1 { -value } else { value };
        return Some(IntegerAttribute::new(ty, value).into());
    }
    // The format has no literals of complex numbers.
    if ir::complex_part(ty).is_some() {
        return None;
    }
    let value = match value {
        Value::Bool(value) => f64::from(u8::from(*value)),
        Value::Object(fields) => {
            let name = fields.get(table::FLOAT)?.as_str()?;
            let mut floats = table::FLOATS.iter();
            floats.find(|(other, _)| *other == name)?.1
        }
        value => value.as_f64()?,
    };
    Some(FloatAttribute::new(context, ty, value).into())
}
