//! The fields of an instruction as parts of its operation, by the row of the table.

use melior::ir::r#type::RankedTensorType;
use melior::ir::{AffineExpr, AffineMap, Attribute, ShapedTypeLike, Type, ValueLike};
use spyre_construct::build::element_type;
use spyre_inductor::schema::{self, Value};
use spyre_mlir_rt::ir::{self, OpParts};
use spyre_ods::inductor;

use super::super::super::functions::Class;
use super::super::super::table::{self, Content, Instruction, Place, Presence};
use super::super::super::types;
use super::super::build::{Results, type_attribute};
use super::super::path::Path;
use super::super::{Import, Result, error, extents};
use super::Site;
use crate::functions::class;

/// The contents of the slots of an instruction.
pub(super) struct Slots<'a, 'p> {
    pub(super) parts: OpParts<'p>,
    /// The types of the results.
    pub(super) results: Results<'p>,
    /// Whether the result is an unsigned integer.
    pub(super) is_unsigned: bool,
    /// The name of an index, a block or a group.
    pub(super) name: Option<&'a str>,
    /// The number of a result of a group.
    pub(super) part: Option<i64>,
    /// The number of values that are stored.
    pub(super) values: usize,
    /// An attribute with a number of a type that is not known yet.
    pub(super) number: Option<(&'static str, &'a Value)>,
    /// The buffer that is read or written, and its type.
    buffer: Option<(&'a str, Type<'p>)>,
}

/// Returns a text of the file.
fn text<'a>(path: &Path<'_>, value: &'a Value) -> Result<&'a str> {
    value
        .as_str()
        .map_or_else(|| error(path, "expected a text"), Ok)
}

impl<'p> Import<'p> {
    /// Reads the fields of an instruction, in the order of its row.
    pub(super) fn slots<'a>(
        &self,
        site: &mut Site<'_, 'a, 'p>,
        row: &Instruction,
    ) -> Result<Slots<'a, 'p>> {
        let mut slots = Slots {
            parts: OpParts::named(row.op, &[]),
            results: Results::new(),
            is_unsigned: false,
            name: None,
            part: None,
            values: 0,
            number: None,
            buffer: None,
        };
        if row.op == inductor::APPLY {
            slots.parts = slots.parts.with(table::FUNCTION, self.string(row.name));
        }
        let (base, fields) = (site.path, &site.inst.fields);
        let list = base.field(table::ARGUMENTS);
        let arguments = fields.get(table::ARGUMENTS).and_then(Value::as_array);
        let arguments = arguments.unwrap_or_default();
        if !row.arguments.is_empty() && arguments.len() != row.slots.len() {
            return error(list, row.arguments);
        }
        for slot in row.slots {
            let (path, value) = match slot.place {
                Place::Field(name) => (base.field(name), fields.get(name)),
                Place::Argument(number) => (list.item(number), arguments.get(number)),
            };
            let value = value.unwrap_or(&Value::Null);
            match slot.presence {
                Presence::Written => {}
                Presence::Nullable if *value == Value::Null => {}
                _ => self.slot(site, &path, (slot.content, value), &mut slots)?,
            }
        }
        Ok(slots)
    }

    /// Reads a field that is a value, a flag, a text or a number.
    fn slot<'a>(
        &self,
        site: &mut Site<'_, 'a, 'p>,
        path: &Path<'_>,
        (content, value): (Content, &'a Value),
        slots: &mut Slots<'a, 'p>,
    ) -> Result<()> {
        let parts = &mut slots.parts;
        match content {
            Content::Operand => parts.operands.push(site.state.operand(path, value)?),
            Content::Condition => {
                let condition = site.state.operand(path, value)?;
                parts.operands.push(condition);
                slots.results.push(condition.r#type());
            }
            Content::Operands(_) => parts.operands.extend(site.state.operands(path, value)?),
            Content::Stored => {
                let group = text(path, value)?.trim_start_matches('%');
                match site.state.groups.get(group) {
                    Some(values) => parts.operands.extend_from_slice(values),
                    None => parts.operands.push(site.state.operand(path, value)?),
                }
                slots.values = parts.operands.len();
            }
            Content::Flag(name) => {
                let unit = Attribute::unit(self.context);
                let is_set = value.as_bool() == Some(true);
                parts.attributes.extend(is_set.then_some((name, unit)));
            }
            Content::Text(name) => {
                let text = self.string(text(path, value)?);
                parts.attributes.push((name, text));
            }
            Content::Mode(name) => {
                let mode = self.string(text(path, value)?);
                let row = table::of_op(ir::name(site.nest.of));
                if row.is_none_or(|row| row.kind != schema::OpKind::Scatter) {
                    return error(path, "only a scatter may have a mode");
                }
                ir::set_attribute(site.nest.of, name, mode);
            }
            Content::Number(name) => match slots.results.first().copied() {
                Some(ty) => {
                    let number = self.number(path, value, ty)?;
                    parts.attributes.push((name, number));
                    parts.attributes.extend(self.exact(value, ty));
                }
                None => slots.number = Some((name, value)),
            },
            Content::Variable(_) => {
                slots.name = Some(text(path, value)?);
                slots.results.push(Type::index(self.context));
            }
            Content::Block(_) | Content::Combiner(_) => slots.name = Some(text(path, value)?),
            Content::Whole => slots.name = Some(text(path, value)?.trim_start_matches('%')),
            Content::Part => slots.part = value.as_i64(),
            Content::Type(_) | Content::Conversion(_) | Content::Register(_) => {
                return self.slot_of_type(path, (content, text(path, value)?), slots);
            }
            _ => return self.slot_of_place(site, path, (content, value), slots),
        }
        Ok(())
    }

    /// Reads a field that is a type.
    fn slot_of_type(
        &self,
        path: &Path<'_>,
        (content, text): (Content, &str),
        slots: &mut Slots<'_, 'p>,
    ) -> Result<()> {
        let element = self.element(path, text)?;
        let attribute = match content {
            Content::Type(name) => Some((name, type_attribute(element))),
            _ => {
                let register = types::register(self.context, text);
                let register = register.expect("an element type has a register");
                slots.results.push(register);
                slots.is_unsigned = ir::is_unsigned(element);
                match content {
                    Content::Conversion(name) => Some((name, type_attribute(element))),
                    Content::Register(Some(name)) if element != register => {
                        Some((name, self.string(text)))
                    }
                    _ => None,
                }
            }
        };
        slots.parts.attributes.extend(attribute);
        Ok(())
    }

    /// Reads a field that is a buffer, an index or a size.
    fn slot_of_place<'a>(
        &self,
        site: &Site<'_, 'a, 'p>,
        path: &Path<'_>,
        (content, value): (Content, &'a Value),
        slots: &mut Slots<'a, 'p>,
    ) -> Result<()> {
        let nest = site.nest;
        match content {
            Content::Source => return self.source(path, text(path, value)?, slots),
            Content::Element => {
                let map = self.element_place(site, value, slots)?;
                slots.parts.attributes.push((table::MAP, map));
            }
            Content::Target => {
                if text(path, value)? != nest.buffer {
                    return error(path, format!("the nest computes '{}'", nest.buffer));
                }
                let value = ir::result(nest.of, 0).expect("a nest has a result");
                slots.buffer = Some((nest.buffer, value.r#type()));
            }
            Content::Access => {
                let buffer = slots.buffer.expect("the slot of the buffer is before");
                self.access(site, text(path, value)?, buffer, &mut slots.parts)?;
            }
            Content::Index => self.index(site, text(path, value)?, &mut slots.parts)?,
            Content::Bound(name) => {
                let bound = text(path, value)?;
                let Some(bound) = nest.body.index.get(bound) else {
                    return error(path, format!("there is no index '{bound}'"));
                };
                let bound = self.sizes(path, std::slice::from_ref(&bound.e))?;
                slots.parts.attributes.push((name, bound));
            }
            Content::Size(name) => {
                let extent: schema::Expr = value.read().or_else(|err| error(path, err))?;
                slots
                    .parts
                    .attributes
                    .push((name, self.sizes(path, &[extent])?));
            }
            _ => unreachable!("a row does not read {content:?}"),
        }
        Ok(())
    }

    /// Reads the buffer of a load.
    fn source<'a>(&self, path: &Path<'_>, name: &'a str, slots: &mut Slots<'a, 'p>) -> Result<()> {
        let source = self.value(path, name)?;
        let element = element_type(source.r#type());
        if ir::complex_part(element).is_some() {
            return error(path, types::COMPLEX_IN_A_BODY);
        }
        let register = types::register(self.context, &types::name(element));
        // A size is no tensor, which its access finds.
        slots.results.extend(register);
        slots.parts.operands.push(source);
        slots.buffer = Some((name, source.r#type()));
        slots.is_unsigned = ir::is_unsigned(element);
        Ok(())
    }

    /// Returns the place of an element of a buffer of one dimension: a seed of random numbers, by its number.
    fn element_place(
        &self,
        site: &Site<'_, '_, 'p>,
        value: &Value,
        slots: &Slots<'_, 'p>,
    ) -> Result<Attribute<'p>> {
        let (buffer, ty) = slots.buffer.expect("the slot of the buffer is before");
        let tensor = RankedTensorType::try_from(ty).ok();
        let tensor = tensor.filter(|tensor| class(tensor.element()) == Class::Integer);
        let extent = tensor.and_then(|tensor| match extents(tensor).as_slice() {
            [extent] => Some(*extent),
            _ => None,
        });
        let number = value.as_i64();
        let index = number.and_then(|number| u64::try_from(number).ok());
        match (number, index, extent) {
            (Some(number), Some(index), Some(extent)) if index < extent => {
                let place = AffineExpr::constant(self.context, number);
                let map = AffineMap::new(self.context, 0, 0, &[place]);
                Ok(ir::affine_map_attribute(map))
            }
            _ => {
                let message = format!("'{buffer}' has no integer with the number {value}");
                error(site.path.field(table::ARGUMENTS), message)
            }
        }
    }
}
