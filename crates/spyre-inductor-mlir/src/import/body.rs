//! Loop nests: their loops and their bodies.
//!
//! * `slots` has the fields of instructions.
//! * `function` has numbers and functions of them.
//! * `inner` has the blocks of instructions: masked blocks, and the combiners of scans.
//! * `place` has the places of loads and stores.

mod function;
mod inner;
mod place;
mod slots;

use std::collections::BTreeMap;

use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::block::BlockLike;
use melior::ir::{Attribute, Type, ValueLike};
use rustc_hash::FxHashSet;
use spyre_construct::build::element_type;
use spyre_inductor::schema::{self, Inst, Text, Value};
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};

use super::super::functions;
use super::super::table::{self, Kind, Role};
use super::super::{op, types};
use super::build::{Operands, region, result};
use super::path::Path;
use super::{Import, Places, Result, Scope, error};
use slots::Slots;

/// A body that is being imported.
struct Nest<'a, 'p> {
    /// The operation that is being built.
    of: Op<'p>,
    body: &'a schema::Body,
    /// The loops, the reduced ones last.
    loops: Vec<Val<'p>>,
    /// The name of each loop.
    names: Vec<Text>,
    /// The maps of their expressions.
    places: Places<'p>,
    /// The buffer that is computed.
    buffer: &'a str,
    /// Whether the nest is a scan or a sort.
    is_ordered: bool,
}

/// The definitions of a body up to an instruction.
#[derive(Clone, Default)]
struct State<'a, 'p> {
    values: Scope<'a, 'p>,
    /// The keys of the values that are unsigned integers, which their types do not express.
    unsigned: FxHashSet<ir::ValueKey>,
    indirect: BTreeMap<&'a str, Val<'p>>,
    /// The values that a reduction, a scan or a sort takes, by its name.
    groups: BTreeMap<&'a str, Vec<Val<'p>>>,
    /// For each value of a `frexp`, by name, the number that is split into mantissa and exponent.
    pairs: BTreeMap<&'a str, Val<'p>>,
}

/// An instruction that is being imported: its place in the file, its nest, its block and the definitions before it.
struct Site<'s, 'a, 'p> {
    path: &'s Path<'s>,
    inst: &'a Inst,
    nest: &'s Nest<'a, 'p>,
    block: Blk<'p>,
    state: &'s mut State<'a, 'p>,
}

impl<'p> Import<'p> {
    /// Imports a loop nest.
    pub(super) fn nest<'a>(
        &mut self,
        path: &Path<'_>,
        (row, of): (&Kind, &'a schema::Op),
        buffer: &'a str,
    ) -> Result<()> {
        let (Some(body), Some(_)) = (&of.body, &of.ranges) else {
            return error(path, "a loop nest has a body and ranges");
        };
        let Some(number) = self.buffers.get(buffer).copied() else {
            let buffers = path.field("buffers");
            return error(buffers.item(0), format!("'{buffer}' is no buffer"));
        };
        let into = self.overwritten(number)?;
        let ty = match into {
            Some(value) => value.r#type(),
            None => self.lowered_type(number)?,
        };
        let mut parts = self.common(row, path, of)?;
        if let Some(dtype) = &of.dtype
            && dtype != &types::name(element_type(ty))
        {
            parts = parts.with(op::DTYPE, self.string(dtype));
        }
        let parts = self.fields(parts, path, (row.noun, of, row.fields))?;
        let count = body.vars.len() + body.rvars.len();
        let loops = vec![(Type::index(self.context), self.here); count];
        let mut parts = parts.region(region(&loops));
        if of.kind == schema::OpKind::Scan {
            parts = parts.region(region(&[]));
        }
        parts.operands.extend(into);
        let built = self.insert(&of.name, parts, &[ty]);
        let block = ir::body(built).expect("the nest has a block");
        let names = body.vars.iter().chain(&body.rvars);
        let names: Vec<Text> = names.map(|(name, _)| name.clone()).collect();
        let nest = Nest {
            of: built,
            body,
            loops: ir::arguments(block).collect(),
            places: self.memos.places.of(&names, Places::default),
            names,
            buffer,
            is_ordered: matches!(of.kind, schema::OpKind::Scan | schema::OpKind::Sort),
        };
        let mut state = State::default();
        self.block(&path.field("body"), &nest, "body", block, &mut state)?;
        let value = result(built, 0);
        if into.is_none() {
            return self.define(path, buffer, value);
        }
        let target = self.target(number);
        self.replace(&target, value);
        let owner = self.owner(&target).into();
        self.memory.insert(buffer.into(), owner);
        Ok(())
    }

    /// Returns the name of the buffer that a buffer overwrites.
    fn target(&self, number: usize) -> Text {
        let target = &self.head.buffers[number].lowered.target;
        target.clone().unwrap_or_default()
    }

    /// Returns the value that the buffer of a nest overwrites.
    fn overwritten(&self, number: usize) -> Result<Option<Val<'p>>> {
        let layout = &self.head.buffers[number].lowered;
        let buffers = Path::Root.field("buffers");
        let path = buffers.item(number);
        let path = path.field("lowered");
        let is_complex = |name: &Text| name.starts_with("complex");
        if layout.dtype.as_ref().is_some_and(is_complex) {
            return error(path.field("dtype"), types::COMPLEX_IN_A_BODY);
        }
        match layout.kind {
            schema::LayoutKind::Mutation => {
                let value = self.value(&path.field("target"), &self.target(number))?;
                Ok(Some(value))
            }
            _ => Ok(None),
        }
    }

    /// Imports the instructions of a block of a body.
    fn block<'a>(
        &mut self,
        path: &Path<'_>,
        nest: &Nest<'a, 'p>,
        name: &str,
        block: Blk<'p>,
        state: &mut State<'a, 'p>,
    ) -> Result<()> {
        let Some(instructions) = nest.body.blocks.get(name) else {
            return error(path.field("blocks"), format!("there is no block '{name}'"));
        };
        let blocks = path.field("blocks");
        let path = &blocks.field(name);
        // A block has a separate scope of names: it may reuse a name of the enclosing block.
        let mut ids = FxHashSet::default();
        for (number, inst) in instructions.iter().enumerate() {
            let path = &path.item(number);
            if block.terminator().is_some() {
                return error(path, "an instruction after the end of its block");
            }
            let mut site = Site {
                path,
                inst,
                nest,
                block,
                state: &mut *state,
            };
            let value = self.instruction(&mut site)?;
            if let (Some(value), Some(id)) = (value, &inst.id) {
                if !ids.insert(id) {
                    return error(path.field("id"), format!("'{id}' is defined twice"));
                }
                state.values.insert(id, value);
            }
        }
        match block.terminator() {
            Some(_) => Ok(()),
            None => error(path, "the block has no end"),
        }
    }

    /// Imports an instruction, and returns its value.
    fn instruction(&mut self, site: &mut Site<'_, '_, 'p>) -> Result<Option<Val<'p>>> {
        let Some(row) = table::instruction(&site.inst.op) else {
            return self.function(site).map(Some);
        };
        let slots = self.slots(site, row)?;
        match row.role {
            Role::Value => {
                if row.name == functions::BITCAST {
                    function::check_widths(site.path, &slots.parts)?;
                }
                let built = self.insert_at(At::End(site.block), slots.parts, &slots.results);
                let value = result(built, 0);
                if slots.is_unsigned {
                    site.state.unsigned.insert(ir::value_key(value));
                }
                return Ok(Some(value));
            }
            Role::Effect => {
                self.insert_at(At::End(site.block), slots.parts, &slots.results);
            }
            Role::Variable => {
                let name = slots.name.expect("the row has a slot for the name");
                let index = self.insert_at(At::End(site.block), slots.parts, &slots.results);
                site.state.indirect.insert(name, result(index, 0));
            }
            Role::Masked => return self.masked(site, slots).map(Some),
            Role::Store => self.store(site, slots),
            Role::Group => self.group(site, slots)?,
            Role::Part => return self.part(site, &slots),
            Role::Pair => {
                let number = slots.parts.operands[0];
                site.state.pairs.insert(site.id(), number);
            }
        }
        Ok(None)
    }

    /// Builds the store of a nest.
    fn store(&self, site: &Site<'_, '_, 'p>, slots: Slots<'_, 'p>) {
        let sizes = [slots.values, slots.parts.operands.len() - slots.values];
        let parts = slots.parts;
        let parts = parts.with("operandSegmentSizes", self.segments(sizes));
        self.insert_at(At::End(site.block), parts, &slots.results);
    }

    /// Imports the values that the store of a nest takes.
    fn group<'a>(&mut self, site: &mut Site<'_, 'a, 'p>, slots: Slots<'a, 'p>) -> Result<()> {
        let values = slots.parts.operands.to_vec();
        if let Some(combiner) = slots.name {
            self.combine(site, combiner, &values)?;
        }
        for (name, value) in slots.parts.attributes {
            ir::set_attribute(site.nest.of, name, value);
        }
        site.state.groups.insert(site.id(), values);
        Ok(())
    }

    /// Imports one of several results: a part of a number, or of the values of a group.
    fn part<'a>(
        &mut self,
        site: &mut Site<'_, 'a, 'p>,
        slots: &Slots<'a, 'p>,
    ) -> Result<Option<Val<'p>>> {
        let name = slots.name.expect("the row has a slot for the name");
        if let Some(number) = site.state.pairs.get(name) {
            return self.part_of_number(site, *number, slots.part).map(Some);
        }
        let Some(values) = site.state.groups.get(name).cloned() else {
            let message = format!("'{name}' has no parts");
            return error(site.path.field("value"), message);
        };
        let id = site.id();
        site.state.groups.insert(id, values);
        // A reduction has the number as a field of the operation.
        if site.nest.is_ordered && site.nest.is_stored(id) {
            let number = self.integer(slots.part.unwrap_or(0));
            ir::set_attribute(site.nest.of, table::OUTPUT, number);
        }
        Ok(None)
    }

    /// Returns the numbers of values and of indices of a store.
    fn segments(&self, sizes: [usize; 2]) -> Attribute<'p> {
        self.memos.segments.of(&sizes, || {
            let sizes = sizes.map(|size| i32::try_from(size).expect("operands are counted"));
            DenseI32ArrayAttribute::new(self.context, &sizes).into()
        })
    }
}

impl Nest<'_, '_> {
    /// Returns whether a block stores a value.
    fn is_stored(&self, id: &str) -> bool {
        let mut insts = self.body.blocks.get("body").into_iter().flatten();
        insts.any(|inst| {
            let stored = inst.fields.get("value").and_then(Value::as_str);
            inst.op == table::STORE && stored.and_then(|it| it.strip_prefix('%')) == Some(id)
        })
    }
}

impl<'a> Site<'_, 'a, '_> {
    /// Returns the name of the result.
    fn id(&self) -> &'a str {
        self.inst.id.as_deref().unwrap_or(&self.inst.op)
    }
}

impl<'p> State<'_, 'p> {
    /// Returns the value that a field names.
    fn operand(&self, path: &Path<'_>, field: &Value) -> Result<Val<'p>> {
        let name = field.as_str().and_then(|text| text.strip_prefix('%'));
        let value = name.and_then(|name| self.values.get(name)).copied();
        value.map_or_else(|| error(path, format!("{field} is no earlier value")), Ok)
    }

    /// Returns the values that a field names: one, or all of nested lists.
    fn operands(&self, path: &Path<'_>, field: &Value) -> Result<Operands<'p>> {
        let mut flat = Vec::new();
        super::flatten(field, &mut flat);
        flat.into_iter()
            .map(|value| self.operand(path, value))
            .collect()
    }
}
