//! The parts of an operation of a body as the fields of an instruction, by the row of the table.

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use smol_str::format_smolstr;
use spyre_construct::affine;
use spyre_inductor::schema::{Fields, Inst, OpKind, Text, Value};
use spyre_mlir_rt::ir::{self, Op};

use super::super::op;
use super::super::program::{result, string};
use super::super::table::{ARGUMENTS, Content, Instruction, Listing, Place, Presence};
use super::super::types;
use super::body::Nest;
use super::fields::{number, type_of};
use super::{Export, Result, refuse};

/// The operation that an instruction is written from.
pub(super) struct Origin<'p> {
    /// The operation with the operands.
    pub(super) op: Op<'p>,
    /// The operation with the attributes.
    pub(super) of: Op<'p>,
    /// The number of values among the operands.
    pub(super) count: usize,
    /// The next operand.
    pub(super) next: usize,
    /// The value that is stored, or of which there is a part.
    pub(super) stored: Option<Value>,
    /// The number of this part.
    pub(super) part: usize,
    /// The name of the block that the instruction has.
    pub(super) block: Option<Text>,
    /// The buffer that is read or written, and its type.
    pub(super) buffer: Option<(Text, Type<'p>)>,
}

impl<'p> Origin<'p> {
    /// Returns an operation with all its operands as values.
    pub(super) fn of(op: Op<'p>) -> Self {
        Self {
            op,
            of: op,
            count: op.operand_count(),
            next: 0,
            stored: None,
            part: 0,
            block: None,
            buffer: None,
        }
    }
}

impl Export {
    /// Returns an instruction without a name, with its fields in the order of its row.
    pub(super) fn slots<'p>(
        &self,
        nest: &mut Nest<'p>,
        row: &Instruction,
        origin: &mut Origin<'p>,
    ) -> Result<'p, Inst> {
        let mut fields = Fields::new();
        let mut arguments = Vec::new();
        for slot in row.slots {
            let value = match self.slot(nest, slot.content, origin)? {
                Value::Null if slot.presence == Presence::Required => {
                    let reason = format!("it has no {:?}", slot.content);
                    return Err(refuse(origin.op, reason));
                }
                value => value,
            };
            match slot.place {
                Place::Field(name) => fields.insert(name, value),
                Place::Argument(_) => arguments.push(value),
            }
        }
        if !arguments.is_empty() {
            fields.insert(ARGUMENTS, arguments.into());
        }
        Ok(Inst {
            id: None,
            op: row.name.into(),
            fields,
        })
    }

    /// Returns the content of a field; null if the operation does not have the attribute.
    fn slot<'p>(
        &self,
        nest: &mut Nest<'p>,
        content: Content,
        origin: &mut Origin<'p>,
    ) -> Result<'p, Value> {
        let (op, of) = (origin.op, origin.of);
        let text = |text: Option<Text>| text.map_or(Value::Null, Value::Text);
        Ok(match content {
            Content::Operand | Content::Condition => {
                origin.next += 1;
                nest.operand(op, origin.next - 1)?
            }
            Content::Operands(listing) => {
                let values = (origin.next..origin.count).map(|number| nest.operand(op, number));
                let mut values: Vec<Value> = values.collect::<Result<_, _>>()?;
                match listing {
                    Listing::Several if values.len() == 1 => values.swap_remove(0),
                    Listing::Yielded if nest.kind == OpKind::Scan => vec![values.into()].into(),
                    _ => values.into(),
                }
            }
            Content::Types => {
                let values = op.operands().take(origin.count);
                let types = values.map(|value| types::name(value.r#type()).into());
                Value::Array(types.collect())
            }
            Content::Stored | Content::Whole => origin.stored.take().unwrap_or(Value::Null),
            Content::Part => Value::integer(origin.part),
            Content::Flag(name) => of.has_attribute(name).into(),
            Content::Text(name) | Content::Mode(name) => text(string(of, name)),
            Content::Number(name) => self.literal(of, name)?,
            Content::Type(name) | Content::Conversion(name) => {
                let ty = ir::attribute(of, name).and_then(type_of);
                text(ty.map(types::name))
            }
            Content::Register(name) => {
                let dtype = name.and_then(|name| string(of, name));
                dtype
                    .unwrap_or_else(|| types::name(result(op, 0).r#type()))
                    .into()
            }
            Content::Computed => nest.dtype.clone().into(),
            Content::Block(prefix) => {
                let inner = ir::body(op).expect("a masked block");
                let name = self.named_block(nest, prefix, origin);
                self.block(nest, inner, &name)?;
                name.into()
            }
            Content::Combiner(prefix) => {
                let name = self.named_block(nest, prefix, origin);
                self.combiner(nest, &name, origin.count)?;
                name.into()
            }
            _ => return self.slot_of_place(nest, content, origin),
        })
    }

    /// Returns the name of the next block.
    fn named_block(&self, nest: &mut Nest<'_>, prefix: &str, origin: &mut Origin<'_>) -> Text {
        let name = format_smolstr!("{prefix}{}", nest.parts);
        nest.parts += 1;
        origin.block = Some(name.clone());
        name
    }

    /// Exports the block that combines the values of a scan.
    fn combiner<'p>(&self, nest: &mut Nest<'p>, name: &str, count: usize) -> Result<'p, ()> {
        let block = ir::blocks(nest.of).nth(1);
        let block = block.expect("a scan has a second block");
        for (number, argument) in ir::arguments(block).enumerate() {
            let side = if number < count { 'a' } else { 'b' };
            let name = format_smolstr!("{side}{}", number % count);
            nest.values.insert(ir::value_key(argument), name);
        }
        self.block(nest, block, name)
    }

    /// Returns a field that is a buffer, an index or a size.
    fn slot_of_place<'p>(
        &self,
        nest: &mut Nest<'p>,
        content: Content,
        origin: &mut Origin<'p>,
    ) -> Result<'p, Value> {
        let op = origin.op;
        let map = |name: &str| {
            let map = ir::attribute(op, name);
            map.expect("checked by the dialect")
        };
        Ok(match content {
            Content::Source => {
                let source = ir::operand(op, origin.next).expect("a load has a source");
                origin.next += 1;
                let buffer = self.buffer(op, source)?;
                origin.buffer = Some((buffer.clone(), source.r#type()));
                buffer.into()
            }
            Content::Target => {
                let ty = result(nest.of, 0).r#type();
                origin.buffer = Some((nest.buffer.clone(), ty));
                nest.buffer.clone().into()
            }
            Content::Access => {
                let buffer = origin.buffer.as_ref();
                let (buffer, ty) = buffer.expect("the slot of the buffer is before");
                let index = self.access(nest, op, (buffer, *ty), origin.next)?;
                index.into()
            }
            Content::Index => {
                let mut exprs = self.map(nest, op, origin.next)?;
                self.index(nest, exprs.swap_remove(0)).into()
            }
            Content::Bound(name) => {
                let bound = ir::affine_map_value(map(name)).expect("checked by the dialect");
                let mut bound = affine::size_exprs(bound).map_err(|err| refuse(op, err))?;
                self.index(nest, bound.swap_remove(0)).into()
            }
            Content::Size(name) => {
                let size = self.size(op, map(name))?;
                Value::of(&size).map_err(|err| refuse(op, err))?
            }
            Content::Variable(name) => {
                let size = self.size(op, map(name))?;
                let number = u32::try_from(nest.indirect.len()).expect("indices are few");
                let variable = format_smolstr!("indirect{number}");
                nest.body.indirect.insert(variable.clone(), size);
                nest.indirect.insert(ir::value_key(result(op, 0)), number);
                nest.parts += 1;
                variable.into()
            }
            _ => unreachable!("no row of an operation has {content:?}"),
        })
    }

    /// Returns the number that an operation holds, with all its digits.
    fn literal<'p>(&self, op: Op<'p>, name: &str) -> Result<'p, Value> {
        let exact = ir::attribute(op, op::EXACT).and_then(number);
        let value = exact.or_else(|| ir::attribute(op, name).and_then(number));
        value.ok_or_else(|| refuse(op, format!("'{name}' is no number")))
    }
}
