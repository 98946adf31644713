//! Loop nests: their loops, and the instructions of their bodies.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{TypeLike, ValueLike};
use rustc_hash::FxHashMap;
use smol_str::format_smolstr;
use spyre_construct::build::element_type;
use spyre_dialects::attr;
use spyre_index_expr::Expr;
use spyre_inductor::schema::{self, Inst, OpKind, Text, Value};
use spyre_mlir_rt::ir::{self, Blk, Op};
use spyre_ods::inductor;

use super::super::functions::class;
use super::super::functions::{self, Names};
use super::super::program::{result, string, text};
use super::super::table::{self, ARGUMENTS, Instruction, Kind, Role};
use super::super::{index, op, types};
use super::slots::Origin;
use super::{Export, Result, refuse};

/// A body that is being exported.
pub(super) struct Nest<'p> {
    pub(super) of: Op<'p>,
    pub(super) kind: OpKind,
    pub(super) buffer: Text,
    /// The type that is computed.
    pub(super) dtype: Text,
    /// The names of loops, by their values.
    pub(super) loops: FxHashMap<ir::ValueKey, u32>,
    /// The numbers of indirect indices, by their values.
    pub(super) indirect: FxHashMap<ir::ValueKey, u32>,
    /// The names of values.
    pub(super) values: FxHashMap<ir::ValueKey, Text>,
    pub(super) body: schema::Body,
    /// The index expressions, by their numbers.
    pub(super) indices: Vec<Expr>,
    /// The number of blocks and indirect indices that were exported, plus one.
    pub(super) parts: usize,
}

/// A block that is being exported: its instructions so far, and the names of their values.
#[derive(Default)]
pub(super) struct Block {
    names: Names,
    instructions: Vec<Inst>,
}

impl Block {
    /// Adds an instruction, and returns the name of its value.
    fn push(&mut self, base: &str, mut inst: Inst) -> Text {
        let id = self.names.next(base);
        inst.id = Some(id.clone());
        self.instructions.push(inst);
        id
    }
}

impl Export {
    /// Exports a loop nest.
    pub(super) fn nest<'p>(&mut self, row: &Kind, of: Op<'p>) -> Result<'p, ()> {
        if of.has_attribute("loops") {
            let reason = "loops that were merged have no form in the file";
            return Err(refuse(of, reason));
        }
        let mut exported = self.common(of, row.kind)?;
        self.fields(of, row.fields, &mut exported)?;
        let ty = result(of, 0).r#type();
        let dtype = string(of, op::DTYPE).unwrap_or_else(|| types::name(element_type(ty)));
        exported.dtype = Some(dtype);
        let into = of.operands().next();
        let target = into.map(|target| self.buffer(of, target)).transpose()?;
        let lowered = match &target {
            Some(_) => schema::Layout {
                target: target.clone(),
                ..Self::no_tensor(schema::LayoutKind::Mutation)
            },
            None => self.layout(of, ty)?,
        };
        exported.mutates = target.clone().map(|target| vec![target]);
        self.define(of, Some(result(of, 0)), lowered);
        exported.body = Some(self.body(of, &exported)?);
        if let Some(target) = target {
            // Later operations read the value by the name of the buffer.
            self.names.insert(ir::value_key(result(of, 0)), target);
        }
        self.graph.ops.push(exported);
        Ok(())
    }

    fn body<'p>(&self, of: Op<'p>, exported: &schema::Op) -> Result<'p, schema::Body> {
        let block = ir::body(of).expect("a nest has a block");
        let loops = |extents: Option<&Vec<schema::Expr>>| -> Vec<schema::Expr> {
            let extents = extents.into_iter().flatten();
            let extents = extents.filter(|extent| **extent != schema::Expr::Number(1));
            extents.cloned().collect()
        };
        let scanned = exported.scan_ranges.as_ref();
        let reduced = loops(exported.reduction_ranges.as_ref().or(scanned));
        let mut outer = loops(exported.ranges.as_ref());
        if scanned.is_some() {
            // The scanned loops are the last ones. The ranges of a scan include them.
            outer.truncate(block.argument_count().saturating_sub(reduced.len()));
        }
        let named = |extents: Vec<schema::Expr>, first: usize| -> Vec<(Text, schema::Expr)> {
            let extents = extents.into_iter().enumerate();
            extents
                .map(|(number, extent)| (format_smolstr!("i{}", first + number), extent))
                .collect()
        };
        let count = outer.len();
        let arguments = ir::arguments(block).map(ir::value_key);
        let mut nest = Nest {
            of,
            kind: exported.kind,
            buffer: text(of, table::BUFFER),
            dtype: exported.dtype.clone().expect("a nest has a type"),
            loops: arguments.zip(0..).collect(),
            indirect: FxHashMap::default(),
            values: FxHashMap::default(),
            body: schema::Body {
                vars: named(outer, 0),
                rvars: named(reduced, count),
                indirect: schema::Table::new(),
                index: schema::Table::new(),
                blocks: schema::Table::new(),
            },
            indices: Vec::new(),
            parts: 1,
        };
        self.block(&mut nest, block, "body")?;
        Ok(nest.body)
    }

    pub(super) fn block<'p>(
        &self,
        nest: &mut Nest<'p>,
        block: Blk<'p>,
        name: &str,
    ) -> Result<'p, ()> {
        let mut into = Block::default();
        for op in ir::operations(block) {
            self.instruction(nest, op, &mut into)?;
        }
        nest.body.blocks.insert(name, into.instructions);
        Ok(())
    }

    fn instruction<'p>(&self, nest: &mut Nest<'p>, op: Op<'p>, into: &mut Block) -> Result<'p, ()> {
        let name = ir::name(op);
        if name == index::APPLY {
            // An index is written in the expressions that read it.
            return Ok(());
        }
        let function = string(op, table::FUNCTION);
        let Some(row) = table::of_body(name, function.as_deref()) else {
            return self.function(nest, op, into);
        };
        let mut origin = Origin::of(op);
        if row.role == Role::Store {
            return self.store(nest, op, into);
        }
        let inst = self.slots(nest, row, &mut origin)?;
        let id = match row.role {
            Role::Value => into.push(row.name, inst),
            Role::Masked => {
                let block = origin.block.expect("the row has a slot for the block");
                into.push(&block, inst)
            }
            Role::Pair => {
                let pair = into.push(row.name, inst);
                let is_exponent = result(op, 0).r#type().is_integer();
                self.part(nest, (op, &pair), usize::from(is_exponent), into)?
            }
            _ => {
                into.instructions.push(inst);
                return Ok(());
            }
        };
        nest.values.insert(ir::value_key(result(op, 0)), id);
        Ok(())
    }

    /// Exports a function of numbers.
    fn function<'p>(&self, nest: &mut Nest<'p>, op: Op<'p>, into: &mut Block) -> Result<'p, ()> {
        let name = ir::name(op);
        let function = function(op);
        let function =
            function.ok_or_else(|| refuse(op, format!("'{name}' is no function of PyTorch")))?;
        let arguments = (0..op.operand_count()).map(|number| nest.operand(op, number));
        let arguments: Vec<Value> = arguments.collect::<Result<_, _>>()?;
        let fields = [(ARGUMENTS, Value::from(arguments))];
        let inst = Inst {
            id: None,
            op: function.clone(),
            fields: fields.into_iter().collect(),
        };
        let id = into.push(&function, inst);
        nest.values.insert(ir::value_key(result(op, 0)), id);
        Ok(())
    }

    /// Exports one of several results, and returns its name.
    fn part<'p>(
        &self,
        nest: &mut Nest<'p>,
        (op, whole): (Op<'p>, &Text),
        number: usize,
        into: &mut Block,
    ) -> Result<'p, Text> {
        let mut origin = Origin {
            stored: Some(reference(whole)),
            part: number,
            ..Origin::of(op)
        };
        let inst = self.slots(nest, instruction(table::PART), &mut origin)?;
        Ok(into.push(table::PART, inst))
    }

    /// Exports the end of a body.
    fn store<'p>(&self, nest: &mut Nest<'p>, op: Op<'p>, into: &mut Block) -> Result<'p, ()> {
        let map = ir::attribute(op, table::MAP).and_then(ir::affine_map_value);
        let map = map.expect("checked by the dialect");
        let count = op.operand_count() - map.dim_count();
        let mut origin = Origin {
            of: nest.of,
            count,
            ..Origin::of(op)
        };
        let stored = match table::of_body(ir::name(nest.of), None) {
            Some(row) => self.group(nest, row, &mut origin, into)?,
            None => nest.operand(op, 0)?,
        };
        let mut origin = Origin {
            of: nest.of,
            stored: Some(stored),
            next: count,
            ..Origin::of(op)
        };
        let name = match nest.kind {
            OpKind::Reduction => table::STORE_REDUCTION,
            _ => table::STORE,
        };
        let store = self.slots(nest, instruction(name), &mut origin)?;
        into.instructions.push(store);
        Ok(())
    }

    /// Exports the values that the store of a nest takes as one instruction, with its results if there are several.
    /// Returns the result that is stored.
    fn group<'p>(
        &self,
        nest: &mut Nest<'p>,
        row: &Instruction,
        origin: &mut Origin<'p>,
        into: &mut Block,
    ) -> Result<'p, Value> {
        let inst = self.slots(nest, row, origin)?;
        let base = origin.block.as_deref().unwrap_or(row.name);
        let whole = into.push(base, inst);
        let parts = match string(nest.of, table::REDUCTION).as_deref() {
            Some("welford_reduce" | "welford_combine") => 3,
            Some("online_softmax_reduce") => 2,
            Some(_) => 0,
            None => origin.count,
        };
        let output = ir::attribute(nest.of, table::OUTPUT).and_then(attr::integer);
        let output = usize::try_from(output.unwrap_or(0)).expect("checked by the dialect");
        let mut stored = reference(&whole);
        for number in 0..parts {
            let name = self.part(nest, (origin.op, &whole), number, into)?;
            if number == output {
                stored = reference(&name);
            }
        }
        Ok(stored)
    }
}

impl<'p> Nest<'p> {
    /// Returns the reference to an operand.
    pub(super) fn operand(&self, op: Op<'p>, number: usize) -> Result<'p, Value> {
        let value = ir::operand(op, number).expect("the operand is there");
        let name = self.values.get(&ir::value_key(value));
        name.map(reference)
            .ok_or_else(|| refuse(op, "an operand is from outside of the body"))
    }
}

/// Returns the reference to a value.
fn reference(name: &Text) -> Value {
    format_smolstr!("%{name}").into()
}

/// Returns the row of an instruction that has one.
fn instruction(name: &str) -> &'static Instruction {
    table::instruction(name).expect("the name is in the table")
}

/// Returns the function that an operation of a body computes.
fn function(op: Op<'_>) -> Option<Text> {
    let name = ir::name(op);
    match name {
        inductor::APPLY => return string(op, table::FUNCTION),
        functions::SELECT_OP => return Some(functions::SELECT.into()),
        _ => {}
    }
    let predicate = ir::attribute(op, functions::PREDICATE).and_then(attr::integer);
    let of = class(ir::operand(op, 0)?.r#type());
    functions::of_op(name, of, predicate).map(|row| row.name.into())
}
