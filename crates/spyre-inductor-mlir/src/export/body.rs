//! Loop nests: their loops and their bodies.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type, TypeLike, ValueLike};
use rustc_hash::FxHashMap;
use smol_str::format_smolstr;
use spyre_construct::affine;
use spyre_dialects::attr;
use spyre_dialects::inductor_attr::Layout;
use spyre_inductor::expr::{Atom, Expr, Var};
use spyre_inductor::names;
use spyre_inductor::schema::{self, Inst, Table, Text, Value};
use spyre_inductor::simplify::simplify;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op};

use super::super::functions::{self, Names};
use super::super::import::class;
use super::super::program::{result, string, text};
use super::super::{index, op, types};
use super::{Export, kernel, refuse, type_of};

/// A body that is being exported.
struct Nest<'p> {
    of: Op<'p>,
    buffer: Text,
    /// The names of loops, by their values.
    loops: FxHashMap<ir::ValueKey, u32>,
    /// The numbers of indirect indices, by their values.
    indirect: FxHashMap<ir::ValueKey, u32>,
    /// The names of values.
    values: FxHashMap<ir::ValueKey, Text>,
    body: schema::Body,
    /// The index expressions, by their numbers.
    indices: Vec<Expr>,
    /// The number of blocks and indirect indices so far, and one.
    parts: usize,
}

/// Returns an instruction.
fn inst<const N: usize>(id: Option<Text>, op: &str, fields: [(&str, Value); N]) -> Inst {
    let fields = fields.into_iter();
    Inst {
        id,
        op: op.into(),
        fields: fields.collect(),
    }
}

impl Export {
    /// Exports a loop nest.
    pub(super) fn nest<'p>(&mut self, of: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let kind = match ir::name(of) {
            "inductor.pointwise" => schema::OpKind::Pointwise,
            "inductor.reduction" => schema::OpKind::Reduction,
            "inductor.scan" => schema::OpKind::Scan,
            "inductor.sort" => schema::OpKind::Sort,
            _ => schema::OpKind::Scatter,
        };
        if of.attribute("loops").is_ok() {
            return Err(refuse(
                of,
                "loops that were merged have no form in the file",
            ));
        }
        let mut exported = self.common(of, kind)?;
        exported.ranges = self.extents(of, "ranges")?;
        exported.reduction_ranges = self.extents(of, "reduction_ranges")?;
        exported.scan_ranges = match self.extents(of, "scan_ranges")? {
            None => self.extents(of, "sort_ranges")?,
            scanned => scanned,
        };
        let string = |name: &str| string(of, name);
        exported.reduction_type = string("kind");
        exported.reduction_hint = string("hint");
        let source = ir::attribute(of, "source").and_then(type_of);
        exported.src_dtype = source.map(types::name);
        if kind == schema::OpKind::Reduction {
            exported.output_index = ir::attribute(of, "output").and_then(attr::integer);
        }
        let value = result(of, 0);
        let element = types::name(spyre_construct::build::element_type(value.r#type()));
        let dtype = string(op::DTYPE).unwrap_or(element);
        exported.dtype = Some(dtype.clone());

        let into = of.operands().next();
        let lowered = match into {
            Some(target) => {
                let name = self.buffer(of, target)?;
                exported.mutates = Some(vec![name.clone()]);
                let mut layout = Self::no_tensor(schema::LayoutKind::Mutation);
                layout.target = Some(name);
                layout
            }
            None => self.layout(of, value.r#type())?,
        };
        let target = lowered.target.clone();
        let buffer = self.define(of, value, lowered)?;
        exported.body = Some(self.body(of, buffer, &exported, &dtype)?);
        if let Some(target) = target {
            // Later operations read it by that name.
            self.names.insert(ir::value_key(value), target);
        }
        self.graph.ops.push(exported);
        Ok(())
    }

    fn body<'p>(
        &self,
        of: Op<'p>,
        buffer: Text,
        exported: &schema::Op,
        dtype: &str,
    ) -> Result<schema::Body, Diagnostic<'p>> {
        let block = ir::body(of).expect("a nest has a block");
        let is_loop = |extent: &&schema::Expr| **extent != schema::Expr::Number(1);
        let reduced = exported.reduction_ranges.as_ref();
        let reduced = reduced.or(exported.scan_ranges.as_ref());
        let mut reduced: Vec<schema::Expr> = reduced
            .into_iter()
            .flatten()
            .filter(is_loop)
            .cloned()
            .collect();
        let ranges = exported.ranges.as_ref().expect("a nest has ranges");
        let mut loops: Vec<schema::Expr> = ranges.iter().filter(is_loop).cloned().collect();
        if exported.scan_ranges.is_some() {
            // The scanned loops are the last ones. The ranges of a scan include them.
            loops.truncate(block.argument_count().saturating_sub(reduced.len()));
        }
        let named = |extents: Vec<schema::Expr>, first: usize| -> Vec<(Text, schema::Expr)> {
            let extents = extents.into_iter().enumerate();
            extents
                .map(|(number, extent)| (format_smolstr!("i{}", first + number), extent))
                .collect()
        };
        let count = loops.len();
        let mut nest = Nest {
            of,
            buffer,
            loops: (0..block.argument_count())
                .map(|number| {
                    let argument = block
                        .argument(number)
                        .expect("the number is below the count");
                    let number = u32::try_from(number).expect("loops are few");
                    (ir::value_key(argument.into()), number)
                })
                .collect(),
            indirect: FxHashMap::default(),
            values: FxHashMap::default(),
            body: schema::Body {
                vars: named(loops, 0),
                rvars: named(std::mem::take(&mut reduced), count),
                indirect: Table::new(),
                index: Table::new(),
                blocks: Table::new(),
            },
            indices: Vec::new(),
            parts: 1,
        };
        self.block(&mut nest, block, "body", dtype)?;
        Ok(nest.body)
    }

    fn block<'p>(
        &self,
        nest: &mut Nest<'p>,
        block: Blk<'p>,
        name: &str,
        dtype: &str,
    ) -> Result<(), Diagnostic<'p>> {
        let mut instructions = Vec::new();
        let mut names = Names::default();
        for op in ir::operations(block) {
            self.instruction(nest, op, &mut names, &mut instructions, dtype)?;
        }
        nest.body.blocks.insert(name, instructions);
        Ok(())
    }

    fn instruction<'p>(
        &self,
        nest: &mut Nest<'p>,
        op: Op<'p>,
        names: &mut Names,
        into: &mut Vec<Inst>,
        dtype: &str,
    ) -> Result<(), Diagnostic<'p>> {
        let name = ir::name(op);
        let string = |name: &str| string(op, name);
        let flag = |name: &str| Value::from(op.has_attribute(name));
        let instruction = match name {
            "inductor.load" => {
                let source = ir::operand(op, 0).expect("a load has a source");
                let buffer = self.buffer(op, source)?;
                let index = self.access(nest, op, &buffer, source.r#type(), 1)?;
                let id = names.next("load");
                let fields = [("buffer", buffer.into()), ("index", index.into())];
                inst(Some(id), "load", fields)
            }
            "inductor.store" => return self.store(nest, op, names, into, dtype),
            "inductor.index_expr" => {
                let exprs = self.map(nest, op, 0)?;
                let index = self.index(nest, exprs[0].clone());
                let dtype = types::name(result(op, 0).r#type());
                let id = names.next("index_expr");
                let fields = [("index", index.into()), ("dtype", dtype.into())];
                inst(Some(id), "index_expr", fields)
            }
            // It is a part of the expressions that read it.
            index::APPLY => return Ok(()),
            "inductor.check_bounds" => {
                let exprs = self.map(nest, op, 0)?;
                let index = self.index(nest, exprs[0].clone());
                let size = ir::attribute(op, "size").and_then(ir::affine_map_value);
                let size = size.expect("checked by the dialect");
                let size = affine::size_exprs(size).map_err(|err| refuse(op, err))?;
                let size = self.index(nest, size[0].clone());
                let fields = [
                    ("index", index.into()),
                    ("size", size.into()),
                    ("lower", flag("lower")),
                    ("upper", flag("upper")),
                ];
                into.push(inst(None, "check_bounds", fields));
                return Ok(());
            }
            "inductor.indirect" => {
                let number = u32::try_from(nest.indirect.len()).expect("indices are few");
                let var = format_smolstr!("indirect{number}");
                let size = op.attribute("size").expect("checked by the dialect");
                let size = self.size(op, size)?;
                nest.body.indirect.insert(var.clone(), size.clone());
                nest.indirect.insert(ir::value_key(result(op, 0)), number);
                nest.parts += 1;
                let size = Value::of(&size).map_err(|err| refuse(op, err))?;
                let fields = [
                    ("var", var.into()),
                    ("value", nest.operand(op, 0)?),
                    ("size", size),
                    ("check", flag("check")),
                    ("wrap_neg", flag("wrap")),
                ];
                into.push(inst(None, "set_indirect", fields));
                return Ok(());
            }
            "inductor.masked" => {
                let block = format_smolstr!("masked_subblock{}", nest.parts);
                nest.parts += 1;
                let mask = nest.operand(op, 0)?;
                let inner = ir::body(op).expect("a masked block");
                self.block(nest, inner, &block, dtype)?;
                let id = names.next(&block);
                let fields = [
                    ("mask", mask),
                    ("block", block.into()),
                    ("other", self.value(op, "other")?),
                ];
                inst(Some(id), "masked", fields)
            }
            "inductor.yield" => {
                let args: Vec<Value> = (0..op.operand_count())
                    .map(|number| nest.operand(op, number))
                    .collect::<Result<_, _>>()?;
                let is_scan = ir::name(nest.of) == "inductor.scan";
                let args = if is_scan { vec![args.into()] } else { args };
                into.push(inst(None, "yield", [("args", args.into())]));
                return Ok(());
            }
            "inductor.to_dtype" => {
                let dtype = |name: &str| {
                    let ty = ir::attribute(op, name).and_then(type_of);
                    ty.map_or(Value::Null, |ty| types::name(ty).into())
                };
                let id = names.next("to_dtype");
                let fields = [
                    ("x", nest.operand(op, 0)?),
                    ("dtype", dtype("dtype")),
                    ("src_dtype", dtype("source")),
                    ("use_compute_types", flag("compute")),
                ];
                inst(Some(id), "to_dtype", fields)
            }
            "arith.constant" => {
                let type_name = types::name(result(op, 0).r#type());
                let dtype = string(op::DTYPE).unwrap_or(type_name);
                let id = names.next("constant");
                let fields = [("value", self.value(op, "value")?), ("dtype", dtype.into())];
                inst(Some(id), "constant", fields)
            }
            "inductor.apply" if string("name").as_deref() == Some(functions::FREXP) => {
                let pair = names.next(functions::FREXP);
                let args = vec![nest.operand(op, 0)?];
                into.push(inst(
                    Some(pair.clone()),
                    functions::FREXP,
                    [("args", args.into())],
                ));
                let is_exponent = result(op, 0).r#type().is_integer();
                let fields = [
                    ("value", format_smolstr!("%{pair}").into()),
                    ("i", Value::integer(usize::from(is_exponent))),
                ];
                inst(Some(names.next("getitem")), "getitem", fields)
            }
            "inductor.apply" if string("name").as_deref() == Some(functions::BITCAST) => {
                let dtype = |name: &str| -> Result<Value, Diagnostic<'p>> {
                    let ty = ir::attribute(op, name).and_then(type_of);
                    let ty = ty.ok_or_else(|| refuse(op, format!("it has no type '{name}'")))?;
                    Ok(types::name(ty).into())
                };
                let args = vec![nest.operand(op, 0)?, dtype("dtype")?, dtype("source")?];
                let id = names.next(functions::BITCAST);
                inst(Some(id), functions::BITCAST, [("args", args.into())])
            }
            _ => {
                let function = function(op)
                    .ok_or_else(|| refuse(op, format!("'{name}' is no function of PyTorch")))?;
                let mut args: Vec<Value> = (0..op.operand_count())
                    .map(|number| nest.operand(op, number))
                    .collect::<Result<_, _>>()?;
                args.extend(string("message").map(Value::from));
                let id = names.next(&function);
                inst(Some(id), &function, [("args", args.into())])
            }
        };
        let id = instruction.id.clone().expect("it has a value");
        nest.values.insert(ir::value_key(result(op, 0)), id);
        into.push(instruction);
        Ok(())
    }

    /// Exports the end of a body.
    fn store<'p>(
        &self,
        nest: &mut Nest<'p>,
        op: Op<'p>,
        names: &mut Names,
        into: &mut Vec<Inst>,
        dtype: &str,
    ) -> Result<(), Diagnostic<'p>> {
        let of = nest.of;
        let map = ir::attribute(op, "map").and_then(ir::affine_map_value);
        let map = map.expect("checked by the dialect");
        let count = op.operand_count() - map.dim_count();
        let mut values: Vec<Value> = (0..count)
            .map(|number| nest.operand(op, number))
            .collect::<Result<_, _>>()?;
        let ty = result(of, 0).r#type();
        let buffer = nest.buffer.clone();
        let output = ir::attribute(of, "output").and_then(attr::integer);
        let output = usize::try_from(output.unwrap_or(0)).expect("checked by the dialect");
        let reference = |id: &str| Value::from(format_smolstr!("%{id}"));
        let dtypes = || -> Value {
            let types = (0..count).map(|number| {
                let value = ir::operand(op, number).expect("the number is below the count");
                types::name(value.r#type()).into()
            });
            Value::Array(types.collect())
        };
        let of_name = ir::name(of);
        let (parts, group) = match of_name {
            "inductor.reduction" => {
                let kind = text(of, "kind");
                let id = names.next("reduction");
                let value = match values.as_slice() {
                    [one] => one.clone(),
                    all => all.to_vec().into(),
                };
                let source = ir::attribute(of, "source").and_then(type_of);
                let fields = [
                    ("dtype", dtype.into()),
                    (
                        "src_dtype",
                        source.map_or(Value::Null, |ty| types::name(ty).into()),
                    ),
                    ("reduction_type", kind.clone().into()),
                    ("value", value),
                ];
                into.push(inst(Some(id.clone()), "reduction", fields));
                let parts = match kind.as_str() {
                    "welford_reduce" | "welford_combine" => 3,
                    "online_softmax_reduce" => 2,
                    _ => 0,
                };
                (parts, Some(id))
            }
            "inductor.scan" => {
                let combine = format_smolstr!("scan{}", nest.parts);
                nest.parts += 1;
                let block = ir::blocks(of).nth(1).expect("a scan has a second block");
                for number in 0..block.argument_count() {
                    let argument = block
                        .argument(number)
                        .expect("the number is below the count");
                    let side = if number < count { 'a' } else { 'b' };
                    let name = format_smolstr!("{side}{}", number % count);
                    nest.values.insert(ir::value_key(argument.into()), name);
                }
                self.block(nest, block, &combine, dtype)?;
                let id = names.next(&combine);
                let fields = [
                    ("dtypes", dtypes()),
                    ("combine", combine.into()),
                    ("values", std::mem::take(&mut values).into()),
                ];
                into.push(inst(Some(id.clone()), "scan", fields));
                (count, Some(id))
            }
            "inductor.sort" => {
                let id = names.next("sort");
                let fields = [
                    ("dtypes", dtypes()),
                    ("values", std::mem::take(&mut values).into()),
                    ("stable", of.has_attribute("stable").into()),
                    ("descending", of.has_attribute("descending").into()),
                ];
                into.push(inst(Some(id.clone()), "sort", fields));
                (count, Some(id))
            }
            _ => (0, None),
        };
        let mut stored = match &group {
            Some(id) => reference(id),
            None => values[0].clone(),
        };
        if let Some(id) = &group {
            for part in 0..parts {
                let name = names.next("getitem");
                let fields = [("value", reference(id)), ("i", Value::integer(part))];
                into.push(inst(Some(name.clone()), "getitem", fields));
                if part == output {
                    stored = reference(&name);
                }
            }
        }
        let index = self.access(nest, op, &buffer, ty, count)?;
        let fields = [
            ("buffer", buffer.into()),
            ("index", index.into()),
            ("value", stored),
        ];
        if of_name == "inductor.reduction" {
            into.push(inst(None, "store_reduction", fields));
            return Ok(());
        }
        let mode = string(of, "mode");
        let mut store = inst(None, "store", fields);
        let mode = mode.map_or(Value::Null, Value::from);
        store.fields.insert("mode", mode);
        into.push(store);
        Ok(())
    }

    /// Returns the number that an operation holds, with all its digits.
    fn value<'p>(&self, op: Op<'p>, name: &str) -> Result<Value, Diagnostic<'p>> {
        if let Some(exact) = ir::attribute(op, op::EXACT).and_then(kernel::number) {
            return Ok(exact);
        }
        let value = ir::attribute(op, name).and_then(kernel::number);
        value.ok_or_else(|| refuse(op, format!("'{name}' is no number")))
    }

    /// Returns the results of the map of an operation, with its operands from `first` on as indices.
    fn map<'p>(
        &self,
        nest: &Nest<'p>,
        op: Op<'p>,
        first: usize,
    ) -> Result<Vec<Expr>, Diagnostic<'p>> {
        index::exprs(op, first, &mut |value| {
            let key = ir::value_key(value);
            let loop_var = nest.loops.get(&key).map(|number| Var::Loop(*number));
            loop_var
                .or_else(|| nest.indirect.get(&key).map(|number| Var::Indirect(*number)))
                .ok_or_else(|| refuse(op, "an index is no loop and no indirect index"))
        })
    }

    /// Returns the name of an index expression.
    fn index(&self, nest: &mut Nest<'_>, expr: Expr) -> Text {
        let position = nest.indices.iter().position(|other| *other == expr);
        if let Some(number) = position {
            return format_smolstr!("index{number}");
        }
        let name = format_smolstr!("index{}", nest.indices.len());
        let var = |var| self.var(var);
        let index = schema::Index {
            e: names::write(&expr, &var),
            class: class_of(&expr),
            text: names::text(&expr, &var),
            at: Table::new(),
        };
        nest.indices.push(expr);
        nest.body.index.insert(name.clone(), index);
        name
    }

    /// Returns the name of the index of a load or a store. Its first operands are no indices.
    fn access<'p>(
        &self,
        nest: &mut Nest<'p>,
        op: Op<'p>,
        buffer: &str,
        ty: Type<'p>,
        first: usize,
    ) -> Result<Text, Diagnostic<'p>> {
        let subscript = self.map(nest, op, first)?;
        let view = ir::attribute(op, "view").and_then(Layout::read);
        let (size, stride, offset) = match view {
            Some(view) => {
                let size = view.size.expect("IN16: a view has sizes");
                (self.exprs(op, size)?, view.stride, view.offset)
            }
            None => {
                let layout = super::super::import::own_layout(ty);
                let layout = layout.expect("a buffer has a layout");
                let size = self.layout(op, ty)?.size.expect("a buffer has sizes");
                (size, layout.stride, layout.offset)
            }
        };
        let overflow = |err| refuse(op, err);
        let strides = affine::size_exprs(stride).map_err(overflow)?;
        let mut place = affine::size_exprs(offset).map_err(overflow)?.swap_remove(0);
        for (at, stride) in subscript.iter().zip(&strides) {
            let step = at.mul(stride).map_err(overflow)?;
            place = place.add(&step).map_err(overflow)?;
        }
        let ranges = |var: Var| nest.range(var);
        let place = simplify(&place, &ranges).map_err(overflow)?;
        let name = self.index(nest, place);
        let access = schema::Access {
            size,
            stride: self.exprs(op, stride)?,
            offset: self.exprs(op, offset)?.swap_remove(0),
            subscript: subscript.iter().map(|expr| self.write(expr)).collect(),
        };
        let index = nest.body.index.get_mut(&name).expect("it was just named");
        index.at.insert(buffer, access);
        Ok(name)
    }
}

impl<'p> Nest<'p> {
    /// Returns the range of a variable, if it is known.
    fn range(&self, var: Var) -> Option<(i64, i64)> {
        let extent = match var {
            Var::Loop(number) => {
                let mut loops = self.body.vars.iter().chain(&self.body.rvars);
                &loops.nth(number as usize)?.1
            }
            Var::Indirect(number) => self.body.indirect.get(&format!("indirect{number}"))?,
            Var::Symbol(_) => return None,
        };
        match extent {
            schema::Expr::Number(extent) => Some((0, extent - 1)),
            _ => None,
        }
    }

    /// Returns the reference to an operand.
    fn operand(&self, op: Op<'p>, number: usize) -> Result<Value, Diagnostic<'p>> {
        let value = ir::operand(op, number).expect("the operand is there");
        let name = self.values.get(&ir::value_key(value));
        name.map(|name| Value::from(format_smolstr!("%{name}")))
            .ok_or_else(|| refuse(op, "an operand is from outside of the body"))
    }
}

/// Returns the function that an operation of a body computes.
fn function(op: Op<'_>) -> Option<Text> {
    let name = ir::name(op);
    match name {
        "inductor.apply" => return string(op, "name"),
        "arith.select" => return Some("where".into()),
        _ => {}
    }
    let predicate = ir::attribute(op, "predicate");
    let predicate: Option<i64> = predicate.and_then(attr::integer as fn(Attribute<'_>) -> _);
    let of = class(ir::operand(op, 0)?.r#type());
    functions::of_op(name, of, predicate).map(|row| row.name.into())
}

/// Returns how simple an index expression is.
fn class_of(expr: &Expr) -> &'static str {
    let mut is_indirect = false;
    expr.visit(&mut |var| is_indirect |= matches!(var, Var::Indirect(_)));
    if is_indirect {
        return "indirect";
    }
    match (is_affine(expr, false), is_affine(expr, true)) {
        (true, _) => "affine",
        (_, true) => "semi_affine",
        _ => "other",
    }
}

/// Returns whether loops occur only linearly, or with `divisions` in a quotient with a loop-invariant
/// divisor.
fn is_affine(expr: &Expr, divisions: bool) -> bool {
    if !has_loop(expr) {
        return !has_bound(expr);
    }
    expr.terms().all(|(atoms, _)| {
        let mut variable = atoms.iter().filter(|atom| match atom {
            Atom::Var(var) => matches!(var, Var::Loop(_)),
            atom => atom.operands().iter().any(has_loop),
        });
        match (variable.next(), variable.next()) {
            (None, _) | (Some(Atom::Var(_)), None) => true,
            (Some(Atom::Max(_) | Atom::Min(_) | Atom::Abs(_)), _) | (_, Some(_)) => false,
            (Some(atom), None) => {
                let (base, by) = atom.operands().split_first().expect("it has operands");
                divisions && !by.iter().any(has_loop) && is_affine(base, divisions)
            }
        }
    })
}

fn has_loop(expr: &Expr) -> bool {
    let mut has = false;
    expr.visit(&mut |var| has |= matches!(var, Var::Loop(_)));
    has
}

/// Returns whether an expression has the largest or the smallest of others.
fn has_bound(expr: &Expr) -> bool {
    let mut atoms = expr.terms().flat_map(|(atoms, _)| atoms);
    atoms.any(|atom| {
        matches!(atom, Atom::Max(_) | Atom::Min(_)) || atom.operands().iter().any(has_bound)
    })
}
