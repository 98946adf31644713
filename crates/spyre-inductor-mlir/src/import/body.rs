//! Loop nests: their loops and their bodies.
//!
//! * `function` has numbers and functions of them.
//! * `inner` has the blocks of instructions: masked blocks, and the combiners of scans.
//! * `place` has the places of loads and stores.

mod function;
mod inner;
mod place;

use std::collections::BTreeMap;
use std::rc::Rc;

use melior::ir::attribute::{DenseI32ArrayAttribute, StringAttribute};
use melior::ir::block::BlockLike;
use melior::ir::{Attribute, Block, Region, RegionLike, Type, TypeLike, ValueLike};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};
use spyre_construct::build::element_type;
use spyre_inductor::schema::{self, Inst, Text, Value};
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};

use super::super::functions::{self, Class};
use super::super::{op, types};
use super::path::Path;
use super::{Import, ImportError, Parts, Places, Scope, error, result};

/// The instruction that stops a program of PyTorch where a condition does not hold.
const ASSERTION: &str = "device_assert_async";

/// The operands of an operation of a body.
type Operands<'p> = SmallVec<[Val<'p>; 8]>;

/// A body that is being imported.
struct Nest<'a, 'p> {
    body: &'a schema::Body,
    /// The loops, the reduced ones last.
    loops: Vec<Val<'p>>,
    /// Their names.
    names: Vec<Text>,
    /// The maps of their expressions.
    places: Places<'p>,
    /// The buffer that is computed.
    buffer: &'a str,
    /// Whether the nest is a scan or a sort, and its number of values.
    order: Option<usize>,
}

/// The definitions of a body up to an instruction.
#[derive(Clone)]
struct State<'a, 'p> {
    values: Scope<'a, 'p>,
    /// The keys of the values that are unsigned integers, which their types do not express.
    unsigned: FxHashSet<ir::ValueKey>,
    indirect: BTreeMap<&'a str, Val<'p>>,
    /// The values that a reduction, a scan or a sort takes, by its name.
    groups: BTreeMap<&'a str, Vec<Val<'p>>>,
    /// The numbers that a value has the mantissa and exponent of, by its name.
    pairs: BTreeMap<&'a str, Val<'p>>,
}

impl<'p> Import<'p> {
    /// Imports a loop nest.
    pub(super) fn nest<'a>(
        &mut self,
        path: &Path<'_>,
        of: &'a schema::Op,
        buffer: &'a str,
    ) -> Result<(), ImportError> {
        let (Some(body), Some(ranges)) = (&of.body, &of.ranges) else {
            return error(path, "a loop nest has a body and ranges");
        };
        let Some(number) = self.buffers.get(buffer).copied() else {
            return error(
                path.field("buffers").item(0),
                format!("'{buffer}' is no buffer"),
            );
        };
        let head = Rc::clone(&self.head);
        let layout = &head.buffers[number].lowered;
        let is_complex = |name: &schema::Text| name.starts_with("complex");
        if layout.dtype.as_ref().is_some_and(is_complex) {
            let buffers = Path::Root.field("buffers");
            let layout = buffers.item(number);
            let layout = layout.field("lowered");
            return error(layout.field("dtype"), types::COMPLEX_IN_A_BODY);
        }
        let into = match layout.kind {
            schema::LayoutKind::Mutation => {
                let target = layout.target.as_deref().unwrap_or_default();
                Some((
                    target,
                    self.value(
                        &Path::Root
                            .field("buffers")
                            .item(number)
                            .field("lowered")
                            .field("target"),
                        target,
                    )?,
                ))
            }
            _ => None,
        };
        let ty = match into {
            Some((_, value)) => value.r#type(),
            None => self.buffer_type(
                &Path::Root.field("buffers").item(number).field("lowered"),
                layout,
            )?,
        };
        let mut attributes = self.common(path, of, buffer)?;
        if let Some(dtype) = &of.dtype
            && dtype != &types::name(element_type(ty))
        {
            attributes.push((op::DTYPE, self.string(dtype)));
        }
        let extents = |field: &str, exprs: &[schema::Expr]| {
            let map = self.sizes(&path.field(field), exprs)?;
            Ok(ir::affine_map_attribute(map))
        };
        attributes.push(("ranges", extents("ranges", ranges)?));
        let required = |field: &Option<Vec<schema::Expr>>, name: &str| match field {
            Some(exprs) => extents(name, exprs),
            None => error(path, format!("this kind of loop nest has {name}")),
        };
        let output = of.output_index.unwrap_or(0);
        let mut order = None;
        let name = match of.kind {
            schema::OpKind::Pointwise => "inductor.pointwise",
            schema::OpKind::Reduction => {
                let Some(kind) = &of.reduction_type else {
                    return error(path, "a reduction has reduction_type");
                };
                attributes.push(("kind", self.string(kind)));
                let reduced = required(&of.reduction_ranges, "reduction_ranges")?;
                attributes.push(("reduction_ranges", reduced));
                let Some(name) = &of.src_dtype else {
                    return error(path, "a reduction has src_dtype");
                };
                let Some(source) = types::element(self.context, name) else {
                    return error(path.field("src_dtype"), types::unknown(name));
                };
                attributes.push(("source", self.type_attribute(source)));
                if let Some(hint) = &of.reduction_hint {
                    attributes.push(("hint", self.string(hint)));
                }
                if of.output_index.is_some() {
                    attributes.push(("output", self.integer(output)));
                }
                "inductor.reduction"
            }
            schema::OpKind::Scan => {
                let scanned = required(&of.scan_ranges, "scan_ranges")?;
                attributes.push(("scan_ranges", scanned));
                order = Some(0);
                "inductor.scan"
            }
            schema::OpKind::Sort => {
                let sorted = required(&of.scan_ranges, "scan_ranges")?;
                attributes.push(("sort_ranges", sorted));
                order = Some(0);
                "inductor.sort"
            }
            _ => "inductor.scatter",
        };
        let index = Type::index(self.context);
        let count = body.vars.len() + body.rvars.len();
        let location = self.here;
        let region = Region::new();
        region.append_block(Block::new(&vec![(index, location); count]));
        let mut regions = vec![region];
        if of.kind == schema::OpKind::Scan {
            let combine = Region::new();
            combine.append_block(Block::new(&[]));
            regions.push(combine);
        }
        let operands: Vec<Val<'p>> = into.iter().map(|(_, value)| *value).collect();
        let built = self.insert(
            &of.name,
            Parts {
                name,
                operands: &operands,
                results: &[ty],
                attributes,
                regions,
            },
        );
        let block = ir::body(built).expect("the nest has a block");
        let loops = (0..count).map(|number| {
            let argument = block.argument(number);
            argument
                .expect("the block has an argument for each loop")
                .into()
        });
        let names = body.vars.iter().chain(&body.rvars);
        let names: Vec<Text> = names.map(|(name, _)| name.clone()).collect();
        let places = self.memos.places.of(&names, Places::default);
        let mut nest = Nest {
            body,
            loops: loops.collect(),
            names,
            places,
            buffer,
            order,
        };
        let mut state = State {
            values: Scope::new(),
            unsigned: FxHashSet::default(),
            indirect: BTreeMap::new(),
            groups: BTreeMap::new(),
            pairs: BTreeMap::new(),
        };
        let path = &path.field("body");
        self.block(path, &mut nest, "body", block, &mut state, built)?;
        let value = result(built, 0);
        match into {
            Some((target, _)) => {
                self.replace(target, value);
                let owner = self.owner(target).into();
                self.memory.insert(buffer.into(), owner);
                Ok(())
            }
            None => self.define(path, buffer, value),
        }
    }

    /// Imports the instructions of a block of a body.
    fn block<'a>(
        &mut self,
        path: &Path<'_>,
        nest: &mut Nest<'a, 'p>,
        name: &str,
        block: Blk<'p>,
        state: &mut State<'a, 'p>,
        of: Op<'p>,
    ) -> Result<(), ImportError> {
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
                return error(path, "an instruction behind the end of its block");
            }
            let value = self.instruction(path, nest, inst, block, state, of)?;
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
    fn instruction<'a>(
        &mut self,
        path: &Path<'_>,
        nest: &mut Nest<'a, 'p>,
        inst: &'a Inst,
        block: Blk<'p>,
        state: &mut State<'a, 'p>,
        of: Op<'p>,
    ) -> Result<Option<Val<'p>>, ImportError> {
        let text = |field: &str| match inst.fields.get(field).and_then(Value::as_str) {
            Some(text) => Ok(text),
            None => error(path.field(field), "expected a text"),
        };
        let flag = |field: &str| inst.fields.get(field).and_then(Value::as_bool) == Some(true);
        let value = |field: &str, state: &State<'a, 'p>| {
            state.operand(&path.field(field), inst.fields.get(field))
        };
        let register = |field: &str| match types::register(self.context, text(field)?) {
            Some(ty) => Ok(ty),
            None => error(path.field(field), types::unknown(text(field)?)),
        };
        let id = inst.id.as_deref().unwrap_or(&inst.op);
        let put = |import: &Self, parts: Parts<'_, 'p>| {
            result(import.insert_at(At::End(block), parts), 0)
        };
        let dtype = inst.fields.get("dtype").and_then(Value::as_str);
        let mut is_unsigned = dtype == Some("u8");
        let output = match inst.op.as_str() {
            "load" => {
                let source = self.value(&path.field("buffer"), text("buffer")?)?;
                let named = (text("index")?, text("buffer")?);
                let access = self.access(path, (nest, state, block), named, source.r#type())?;
                let element = element_type(source.r#type());
                if ir::complex_part(element).is_some() {
                    return error(path.field("buffer"), types::COMPLEX_IN_A_BODY);
                }
                is_unsigned = ir::is_unsigned(element);
                let ty = types::register(self.context, &types::name(element));
                let Some(ty) = ty else {
                    return error(path, format!("a load of {}", source.r#type()));
                };
                let mut operands: Operands<'p> = smallvec![source];
                operands.extend(access.indices);
                put(
                    self,
                    Parts {
                        name: "inductor.load",
                        operands: &operands,
                        results: &[ty],
                        attributes: access.attributes,
                        regions: Vec::new(),
                    },
                )
            }
            "load_seed" => self.seed(path, inst, block)?,
            "store" | "store_reduction" => {
                if text("buffer")? != nest.buffer {
                    let message = format!("the nest computes '{}'", nest.buffer);
                    return error(path.field("buffer"), message);
                }
                let stored = text("value")?;
                let values = match state.groups.get(stored.trim_start_matches('%')) {
                    Some(values) => values.clone(),
                    None => vec![value("value", state)?],
                };
                let ty = result(of, 0).r#type();
                let named = (text("index")?, nest.buffer);
                let access = self.access(path, (nest, state, block), named, ty)?;
                if let Some(mode) = inst.fields.get("mode").and_then(Value::as_str) {
                    if ir::name(of) != "inductor.scatter" {
                        return error(path.field("mode"), "a scatter has a mode");
                    }
                    let mode = StringAttribute::new(self.context, mode);
                    ir::set_attribute(of, "mode", mode.into());
                }
                let mut operands = Operands::from_slice(&values);
                operands.extend(access.indices);
                let mut attributes = access.attributes;
                let sizes = [values.len(), operands.len() - values.len()];
                attributes.push(("operandSegmentSizes", self.segments(sizes)));
                self.insert_at(
                    At::End(block),
                    Parts {
                        name: "inductor.store",
                        operands: &operands,
                        results: &[],
                        attributes,
                        regions: Vec::new(),
                    },
                );
                return Ok(None);
            }
            "reduction" => {
                let values = state.operands(&path.field("value"), inst.fields.get("value"))?;
                state.groups.insert(id, values);
                return Ok(None);
            }
            "scan" | "sort" => {
                let values = state.operands(&path.field("values"), inst.fields.get("values"))?;
                if inst.op == "scan" {
                    let combine = text("combine")?;
                    self.combine(path, nest, combine, (&values, &state.unsigned), of)?;
                } else {
                    for flag_name in ["stable", "descending"] {
                        if flag(flag_name) {
                            ir::set_attribute(of, flag_name, Attribute::unit(self.context));
                        }
                    }
                }
                nest.order = Some(values.len());
                state.groups.insert(id, values);
                return Ok(None);
            }
            "getitem" => {
                let from = text("value")?.trim_start_matches('%');
                if let Some(number) = state.pairs.get(from) {
                    let part = inst.fields.get("i").and_then(Value::as_i64);
                    return self.part(path, *number, part, block).map(Some);
                }
                let Some(values) = state.groups.get(from).cloned() else {
                    return error(path.field("value"), format!("'{from}' has no parts"));
                };
                // The number of the stored one: the nest has one of them.
                let number = inst.fields.get("i").and_then(Value::as_i64).unwrap_or(0);
                state.groups.insert(id, values);
                if nest.order.is_some() && self.is_stored(nest, id) {
                    ir::set_attribute(of, "output", self.integer(number));
                }
                return Ok(None);
            }
            "constant" => {
                let ty = register("dtype")?;
                let number = inst.fields.get("value").unwrap_or(&Value::Null);
                let number = self.number(&path.field("value"), number, ty)?;
                let dtype = text("dtype")?;
                let mut attributes = vec![("value", number)];
                attributes.extend(self.exact(inst.fields.get("value"), ty));
                if types::element(self.context, dtype) != Some(ty) {
                    attributes.push((op::DTYPE, self.string(dtype)));
                }
                put(
                    self,
                    Parts {
                        name: "arith.constant",
                        operands: &[],
                        results: &[ty],
                        attributes,
                        regions: Vec::new(),
                    },
                )
            }
            "index_expr" => {
                let ty = register("dtype")?;
                let (map, indices) = self.index(path, (nest, state, block), text("index")?)?;
                put(
                    self,
                    Parts {
                        name: "inductor.index_expr",
                        operands: &indices,
                        results: &[ty],
                        attributes: vec![("map", map)],
                        regions: Vec::new(),
                    },
                )
            }
            "set_indirect" => {
                let var = text("var")?;
                let number = value("value", state)?;
                let size = inst.fields.get("size").unwrap_or(&Value::Null);
                let size: Result<schema::Expr, _> = size.read();
                let size = size.or_else(|err| error(path.field("size"), err))?;
                let size = self.sizes(&path.field("size"), &[size])?;
                let mut attributes = vec![("size", ir::affine_map_attribute(size))];
                for (field, name) in [("check", "check"), ("wrap_neg", "wrap")] {
                    if flag(field) {
                        attributes.push((name, Attribute::unit(self.context)));
                    }
                }
                let index = put(
                    self,
                    Parts {
                        name: "inductor.indirect",
                        operands: &[number],
                        results: &[Type::index(self.context)],
                        attributes,
                        regions: Vec::new(),
                    },
                );
                state.indirect.insert(var, index);
                return Ok(None);
            }
            "masked" => {
                let mask = value("mask", state)?;
                return self
                    .masked(path, nest, inst, text("block")?, mask, block, state, of)
                    .map(Some);
            }
            "to_dtype" => {
                let (number, ty) = (value("x", state)?, register("dtype")?);
                let dtype = types::element(self.context, text("dtype")?);
                let dtype = dtype.expect("its register has been found");
                let mut attributes = vec![("dtype", self.type_attribute(dtype))];
                if let Some(source) = inst.fields.get("src_dtype").and_then(Value::as_str) {
                    let Some(source) = types::element(self.context, source) else {
                        return error(path.field("src_dtype"), types::unknown(source));
                    };
                    attributes.push(("source", self.type_attribute(source)));
                }
                if flag("use_compute_types") {
                    attributes.push(("compute", Attribute::unit(self.context)));
                }
                put(
                    self,
                    Parts {
                        name: "inductor.to_dtype",
                        operands: &[number],
                        results: &[ty],
                        attributes,
                        regions: Vec::new(),
                    },
                )
            }
            "yield" => {
                let values = state.operands(&path.field("args"), inst.fields.get("args"))?;
                self.insert_at(
                    At::End(block),
                    Parts {
                        name: "inductor.yield",
                        operands: &values,
                        results: &[],
                        attributes: Vec::new(),
                        regions: Vec::new(),
                    },
                );
                return Ok(None);
            }
            "check_bounds" => {
                let (map, indices) = self.index(path, (nest, state, block), text("index")?)?;
                let size = text("size")?;
                let Some(size) = nest.body.index.get(size) else {
                    return error(path.field("size"), format!("there is no index '{size}'"));
                };
                let size = self.sizes(&path.field("size"), std::slice::from_ref(&size.e))?;
                let mut attributes = vec![("map", map), ("size", ir::affine_map_attribute(size))];
                for name in ["lower", "upper"] {
                    if flag(name) {
                        attributes.push((name, Attribute::unit(self.context)));
                    }
                }
                self.insert_at(
                    At::End(block),
                    Parts {
                        name: "inductor.check_bounds",
                        operands: &indices,
                        results: &[],
                        attributes,
                        regions: Vec::new(),
                    },
                );
                return Ok(None);
            }
            ASSERTION => {
                let arguments = inst.fields.get("args").and_then(Value::as_array);
                let Some([condition, message]) = arguments else {
                    let reason = "an assertion has a condition and a message";
                    return error(path.field("args"), reason);
                };
                let Some(message) = message.as_str() else {
                    return error(path.field("args").item(1), "expected a text");
                };
                let condition = state.operand(&path.field("args").item(0), Some(condition))?;
                let attributes = vec![
                    ("name", self.string(ASSERTION)),
                    ("message", self.string(message)),
                ];
                put(
                    self,
                    Parts {
                        name: "inductor.apply",
                        operands: &[condition],
                        results: &[condition.r#type()],
                        attributes,
                        regions: Vec::new(),
                    },
                )
            }
            functions::FREXP => {
                let operands = state.operands(&path.field("args"), inst.fields.get("args"))?;
                let [number] = operands.as_slice() else {
                    return error(path.field("args"), "'frexp' takes a number");
                };
                state.pairs.insert(id, *number);
                return Ok(None);
            }
            functions::BITCAST => self.bitcast(path, inst, block, state)?,
            function => {
                let arguments = path.field("args");
                let operands = state.operands(&arguments, inst.fields.get("args"))?;
                self.function(path, function, &operands, block, state)?
            }
        };
        if is_unsigned {
            state.unsigned.insert(ir::value_key(output));
        }
        Ok(Some(output))
    }

    /// Returns the numbers of values and of indices of a store.
    fn segments(&self, sizes: [usize; 2]) -> Attribute<'p> {
        self.memos.segments.of(&sizes, || {
            let sizes = sizes.map(|size| i32::try_from(size).expect("operands are counted"));
            DenseI32ArrayAttribute::new(self.context, &sizes).into()
        })
    }

    /// Returns whether a block stores a value.
    fn is_stored<'a>(&self, nest: &Nest<'a, 'p>, id: &str) -> bool {
        let mut insts = nest.body.blocks.get("body").into_iter().flatten();
        insts.any(|inst| {
            let stored = inst.fields.get("value").and_then(Value::as_str);
            inst.op == "store" && stored.and_then(|stored| stored.strip_prefix('%')) == Some(id)
        })
    }
}

/// A body, its definitions so far, and the block that is being imported.
type Here<'i, 'a, 'p> = (&'i Nest<'a, 'p>, &'i State<'a, 'p>, Blk<'p>);

impl<'p> State<'_, 'p> {
    /// Returns the value that a field names.
    fn operand(&self, path: &Path<'_>, field: Option<&Value>) -> Result<Val<'p>, ImportError> {
        let name = field
            .and_then(Value::as_str)
            .and_then(|text| text.strip_prefix('%'));
        let value = name.and_then(|name| self.values.get(name));
        match value {
            Some(value) => Ok(*value),
            None => error(
                path,
                format!("{} is no earlier value", field.unwrap_or(&Value::Null)),
            ),
        }
    }

    /// Returns the values that a field names: one, or all of nested lists.
    fn operands(
        &self,
        path: &Path<'_>,
        field: Option<&Value>,
    ) -> Result<Vec<Val<'p>>, ImportError> {
        let mut flat = Vec::new();
        super::flatten(field.unwrap_or(&Value::Null), &mut flat);
        flat.into_iter()
            .map(|value| self.operand(path, Some(value)))
            .collect()
    }
}

/// Returns the class of a number's type.
pub(in super::super) fn class(ty: Type<'_>) -> Class {
    match ty.is_integer() {
        true if ir::bits(ty) == Some(1) => Class::Truth,
        true => Class::Integer,
        false => Class::Float,
    }
}
