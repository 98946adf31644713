//! Kernels from outside, their results, and concatenations.

use std::rc::Rc;

use melior::Context;
use melior::ir::attribute::{BoolAttribute, FloatAttribute, IntegerAttribute, StringAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, ValueLike};
use spyre_dialects::{attr, inductor_attr};
use spyre_inductor::schema::{self, Fields, Value};
use spyre_mlir_rt::ir::{self, Val};

use super::super::op;
use super::path::Path;
use super::{Import, ImportError, Parts, error, result};

/// Returns a number of the file as an attribute of a type; `None` if it is none.
pub(super) fn number<'c>(
    context: &'c Context,
    value: &Value,
    ty: Type<'c>,
) -> Option<Attribute<'c>> {
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
        Value::Object(fields) => special(fields)?,
        value => value.as_f64()?,
    };
    Some(FloatAttribute::new(context, ty, value).into())
}

/// Returns the float of `{"f": "inf"}` and the like.
fn special(fields: &Fields) -> Option<f64> {
    match fields.get("f")?.as_str()? {
        "inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        "nan" => Some(f64::NAN),
        _ => None,
    }
}

/// The tensors of a kernel.
struct Tensors<'a, 'p> {
    values: Vec<Val<'p>>,
    /// The references of the file that they are.
    refs: Vec<(&'a str, Option<&'a schema::Layout>)>,
}

impl<'p> Import<'p> {
    /// Imports a kernel from outside.
    pub(super) fn kernel<'a>(
        &mut self,
        path: &Path<'_>,
        of: &'a schema::Op,
        buffer: &'a str,
    ) -> Result<(), ImportError> {
        let Some(kernel) = &of.kernel else {
            return error(path, "a kernel from outside has the field extern");
        };
        let mut attributes = self.common(path, of, buffer)?;
        attributes.push(("class_name", self.string(&kernel.class)));
        if let Some(overload) = &kernel.op_overload {
            attributes.push(("overload", self.string(overload)));
        }
        if let Some(name) = &kernel.kernel {
            attributes.push((op::KERNEL, self.string(name)));
        }
        let path = &path.field("extern");
        let mut tensors = Tensors {
            values: Vec::new(),
            refs: Vec::new(),
        };
        let inputs = self.refs(&path.field("inputs"), &kernel.inputs, &mut tensors)?;
        if tensors.refs.len() != kernel.inputs.len() {
            attributes.push((op::INPUTS, inputs));
        }
        let constants = &path.field("constant_args");
        let constants = self.arguments(constants, &kernel.constant_args, &tensors)?;
        attributes.push((op::CONSTANT_ARGS, constants));
        let kwargs = self.named_arguments(&path.field("kwargs"), &kernel.kwargs, &tensors)?;
        attributes.push((op::KWARGS, kwargs));
        if let Some(call) = &kernel.call {
            let call = self.argument(&path.field("call"), call, &tensors)?;
            attributes.push((op::CALL, call));
        }
        if !kernel.other.is_empty() {
            let other = self.named_arguments(&path.field("other"), &kernel.other, &tensors)?;
            attributes.push((op::OTHER, other));
        }

        let mut results: Vec<Type<'p>> = Vec::new();
        let ty = self.own_type(path, buffer)?;
        results.extend(ty);
        let mutates = of.mutates.as_deref().unwrap_or_default();
        let mut numbers = Vec::new();
        for name in mutates {
            let mut refs = tensors.refs.iter();
            let number = refs.position(|(other, view)| other == name && view.is_none());
            let Some(number) = number else {
                let message = format!("'{name}' is written, and is none of the tensors");
                return error(path.field("mutates"), message);
            };
            results.push(tensors.values[number].r#type());
            numbers.push(i64::try_from(number).expect("operands are counted"));
        }
        if !numbers.is_empty() {
            let numbers =
                melior::ir::attribute::DenseI64ArrayAttribute::new(self.context, &numbers);
            attributes.push(("mutates", numbers.into()));
        }
        let built = self.insert(
            &of.name,
            Parts {
                name: "inductor.extern",
                operands: &tensors.values,
                results: &results,
                attributes,
                regions: Vec::new(),
            },
        );
        let first = usize::from(ty.is_some());
        if ty.is_some() {
            self.define(path, buffer, result(built, 0))?;
        }
        for (number, name) in mutates.iter().enumerate() {
            self.replace(name, result(built, first + number));
        }
        Ok(())
    }

    /// Imports a buffer without writes, such as that of `torch.empty`.
    pub(super) fn uninitialized(
        &mut self,
        path: &Path<'_>,
        of: &schema::Op,
        buffer: &str,
    ) -> Result<(), ImportError> {
        let Some(ty) = self.own_type(path, buffer)? else {
            return error(path, "a buffer without values has a layout");
        };
        let mut attributes = self.common(path, of, buffer)?;
        attributes.push(("class_name", self.string(op::EMPTY)));
        attributes.push((op::CONSTANT_ARGS, attr::array(self.context, &[])));
        attributes.push((op::KWARGS, attr::dictionary(self.context, &[])));
        let built = self.insert(
            &of.name,
            Parts {
                name: "inductor.extern",
                operands: &[],
                results: &[ty],
                attributes,
                regions: Vec::new(),
            },
        );
        self.define(path, buffer, result(built, 0))
    }

    /// Returns the type of the result of a kernel; `None` if it is no value.
    fn own_type(&mut self, path: &Path<'_>, buffer: &str) -> Result<Option<Type<'p>>, ImportError> {
        let Some(number) = self.buffers.get(buffer).copied() else {
            return error(path, format!("'{buffer}' is none of the buffers"));
        };
        let head = Rc::clone(&self.head);
        let layout = &head.buffers[number].lowered;
        Ok(match layout.kind {
            schema::LayoutKind::MultiOutput => Some(inductor_attr::results_type(self.context)),
            schema::LayoutKind::None => None,
            _ => Some(self.buffer_type(
                &Path::Root.field("buffers").item(number).field("lowered"),
                layout,
            )?),
        })
    }

    /// Imports one result of a kernel.
    pub(super) fn multi_output<'a>(
        &mut self,
        path: &Path<'_>,
        of: &'a schema::Op,
        buffer: &'a str,
    ) -> Result<(), ImportError> {
        let kernel = of.kernel.as_ref();
        let (Some(kernel), Some(ty)) = (kernel, self.own_type(path, buffer)?) else {
            return error(
                path,
                "a result of a kernel has the field extern, and a layout",
            );
        };
        let path = &path.field("extern");
        let (Some(indices), [schema::Ref::Buffer(of_kernel, None)]) =
            (&kernel.indices, kernel.inputs.as_slice())
        else {
            return error(path, "a result of a kernel has indices and one input");
        };
        let indices = self.plain(&path.field("indices"), indices)?;
        let results = self.value(&path.field("inputs").item(0), of_kernel)?;
        if results.r#type() != inductor_attr::results_type(self.context) {
            let message = format!("'{of_kernel}' is one tensor");
            return error(path.field("inputs").item(0), message);
        }
        let mut attributes = self.common(path, of, buffer)?;
        attributes.push(("indices", indices));
        let built = self.insert(
            &of.name,
            Parts {
                name: "inductor.multi_output",
                operands: &[results],
                results: &[ty],
                attributes,
                regions: Vec::new(),
            },
        );
        self.define(path, buffer, result(built, 0))
    }

    /// Imports a concatenation.
    pub(super) fn concat<'a>(
        &mut self,
        path: &Path<'_>,
        of: &'a schema::Op,
        buffer: &'a str,
    ) -> Result<(), ImportError> {
        let kernel = of.kernel.as_ref();
        let (Some(kernel), Some(ty)) = (kernel, self.own_type(path, buffer)?) else {
            return error(path, "a concatenation has the field extern, and a layout");
        };
        let mut tensors = Tensors {
            values: Vec::new(),
            refs: Vec::new(),
        };
        let path = path.field("extern");
        let path = &path.field("inputs");
        self.refs(path, &kernel.inputs, &mut tensors)?;
        let built = self.insert(
            &of.name,
            Parts {
                name: "inductor.concat",
                operands: &tensors.values,
                results: &[ty],
                attributes: self.common(path, of, buffer)?,
                regions: Vec::new(),
            },
        );
        self.define(path, buffer, result(built, 0))
    }

    /// Collects the tensors of references, and returns the references as an attribute.
    fn refs<'a>(
        &mut self,
        path: &Path<'_>,
        refs: &'a [schema::Ref],
        tensors: &mut Tensors<'a, 'p>,
    ) -> Result<Attribute<'p>, ImportError> {
        let mut list = Vec::new();
        for (number, reference) in refs.iter().enumerate() {
            let path = &path.item(number);
            list.push(match reference {
                schema::Ref::Buffer(name, view) => {
                    let value = self.view(path, name, view.as_deref())?;
                    tensors.values.push(value);
                    tensors.refs.push((name, view.as_deref()));
                    inductor_attr::operand_attribute(self.context, tensors.values.len() - 1)
                }
                schema::Ref::Expr(expr) => {
                    let size = self.sizes(&path.field("expr"), std::slice::from_ref(expr))?;
                    ir::affine_map_attribute(size)
                }
                schema::Ref::Null => Attribute::unit(self.context),
                schema::Ref::List(refs) => self.refs(path, refs, tensors)?,
            });
        }
        Ok(attr::array(self.context, &list))
    }

    /// Returns a value that names no tensors as an attribute.
    pub(super) fn plain(
        &self,
        path: &Path<'_>,
        value: &Value,
    ) -> Result<Attribute<'p>, ImportError> {
        let tensors = Tensors {
            values: Vec::new(),
            refs: Vec::new(),
        };
        self.argument(path, value, &tensors)
    }

    /// Returns an argument of a kernel as an attribute.
    fn argument<'a>(
        &self,
        path: &Path<'_>,
        value: &Value,
        tensors: &Tensors<'a, 'p>,
    ) -> Result<Attribute<'p>, ImportError> {
        let context = self.context;
        Ok(match value {
            Value::Null => Attribute::unit(context),
            Value::Bool(value) => BoolAttribute::new(context, *value).into(),
            Value::Text(text) => StringAttribute::new(context, text).into(),
            Value::Number(value) => match value.as_i64() {
                Some(value) => self.integer(value),
                None => self.number(path, &Value::Number(value.clone()), Type::float64(context))?,
            },
            Value::Array(values) => self.arguments(path, values, tensors)?,
            Value::Object(fields) if fields.get("f").is_some() => {
                self.number(path, value, Type::float64(context))?
            }
            Value::Object(fields) if fields.get("buffer").is_some() => {
                let reference: Result<schema::Ref, _> = value.read();
                let position = reference.ok().and_then(|reference| match reference {
                    schema::Ref::Buffer(name, view) => tensors
                        .refs
                        .iter()
                        .position(|(other, of)| *other == name && *of == view.as_deref()),
                    _ => None,
                });
                match position {
                    Some(number) => inductor_attr::operand_attribute(context, number),
                    None => return error(path, "this is none of the tensors of the kernel"),
                }
            }
            Value::Object(fields) => {
                if let Some(expr) = fields.get("expr") {
                    let expr: schema::Expr = expr.read().or_else(|err| error(path, err))?;
                    return Ok(ir::affine_map_attribute(self.sizes(path, &[expr])?));
                }
                self.named_arguments(path, fields, tensors)?
            }
        })
    }

    /// Returns arguments of a kernel as an attribute.
    fn arguments<'a>(
        &self,
        path: &Path<'_>,
        values: &[Value],
        tensors: &Tensors<'a, 'p>,
    ) -> Result<Attribute<'p>, ImportError> {
        let values = values.iter().enumerate();
        let values: Vec<Attribute<'p>> = values
            .map(|(number, value)| self.argument(&path.item(number), value, tensors))
            .collect::<Result<_, _>>()?;
        Ok(attr::array(self.context, &values))
    }

    /// Returns arguments of a kernel that have names as an attribute.
    fn named_arguments<'a>(
        &self,
        path: &Path<'_>,
        fields: &Fields,
        tensors: &Tensors<'a, 'p>,
    ) -> Result<Attribute<'p>, ImportError> {
        let mut entries = Vec::new();
        for (name, value) in fields.iter() {
            let value = self.argument(&path.field(name), value, tensors)?;
            entries.push((name, value));
        }
        Ok(attr::dictionary(self.context, &entries))
    }
}
