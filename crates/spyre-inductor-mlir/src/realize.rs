//! `--inductor-realize`: decides which expressions are buffers.
//!
//! Operations are visited in order, as PyTorch builds them. One that computes element by element is an expression until
//! an operation needs its memory: its users compute it (`inline`), and the cost of that is counted (`number`).

mod inline;

use std::fmt;

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_dialects::attr;
use spyre_dialects::inductor_attr::LayoutKind;
use spyre_inductor::schedule::Policy;
use spyre_inductor::schedule::realize::{Cost, Readers, Reason, when_made};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Op, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};
use spyre_ods::inductor;

use super::import::own_layout;
use super::program::{self, for_each_load, result, text};
use super::schedule::policy;
use super::{number, op as attribute};

/// `--inductor-realize`
pub static INDUCTOR_REALIZE: RustPass = RustPass {
    argument: "inductor-realize",
    summary: "Decide which expressions are buffers, and let readers compute the others",
    description: include_str!("realize.md"),
    anchor: inductor::GRAPH,
    options: &[PassOption {
        name: "policy",
        description: "the rules: cpp has one that PyTorch has for the CPU alone, simd and spyre do not",
        kind: OptionKind::Str("spyre"),
    }],
    statistics: &[
        PassStatistic {
            name: "realized",
            description: "Expressions that are buffers",
        },
        PassStatistic {
            name: "inlined",
            description: "Expressions that their readers compute",
        },
    ],
    dialects: Vec::new,
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let graph = run.operation();
    program::check_unfused(graph)?;
    let policy = policy(run)?;
    let body = ir::body(graph).expect("a graph has a block");
    let ops: Vec<Op<'p>> = ir::operations(body).collect();
    let mut realize = Realize {
        context: run.context(),
        remarks: Remarks::about(run.context(), graph, "inductor-realize"),
        is_cpu: policy == Policy::Cpp,
        readers: readers(&ops),
        expressions: FxHashMap::default(),
        reading: FxHashMap::default(),
        realized: 0,
    };
    for op in &ops {
        realize.op(*op)?;
    }
    let mut inlined = 0;
    for op in ops.into_iter().rev() {
        inlined += usize::from(realize.finish(op));
    }
    run.count("realized", realize.realized);
    run.count("inlined", inlined);
    Ok(())
}

/// Returns the users of each value, by its key.
fn readers(ops: &[Op<'_>]) -> FxHashMap<ir::ValueKey, Readers> {
    let mut readers: FxHashMap<ir::ValueKey, Readers> = FxHashMap::default();
    for op in ops {
        let mut values = FxHashSet::default();
        read_by(*op, &mut |value| {
            values.insert(ir::value_key(value));
        });
        let name = ir::name(*op);
        for value in values {
            let entry = readers.entry(value).or_default();
            entry.count += 1;
            entry.is_output |= name == inductor::RETURN;
            entry.has_kernel |= matches!(name, inductor::EXTERN | inductor::KERNEL);
        }
    }
    readers
}

/// Visits the operands of an operation and of the operations in it.
fn read_by<'p>(op: Op<'p>, visit: &mut impl FnMut(Val<'p>)) {
    for operand in op.operands() {
        visit(operand);
    }
    for block in ir::blocks(op) {
        for inner in ir::operations(block) {
            read_by(inner, visit);
        }
    }
}

/// Why an expression becomes a buffer.
enum Why<'p> {
    /// By its cost or its users, at the operation that computes it.
    Made(Reason),
    /// It is written into another buffer.
    Into,
    /// It is a part of a concatenation.
    Part,
    /// Its loops no longer match its elements.
    Loops,
    /// It is an output.
    Output,
    /// An operation reads the memory of the value.
    Memory(Op<'p>),
    /// An operation overwrites memory that the expression reads.
    Overwritten(Op<'p>),
}

impl fmt::Display for Why<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |op: &Op<'_>| match program::string(*op, "op") {
            Some(name) => format!("'{name}'"),
            None => format!("'{}'", ir::name(*op)),
        };
        match self {
            Self::Made(reason) => reason.fmt(f),
            Self::Into => write!(f, "it is written into another buffer"),
            Self::Part => write!(f, "it is a part of a concatenation"),
            Self::Loops => write!(f, "its loops are not those of its elements"),
            Self::Output => write!(f, "it is an output"),
            Self::Memory(op) => write!(f, "{} reads its memory", name(op)),
            Self::Overwritten(op) => write!(f, "{} overwrites what it reads", name(op)),
        }
    }
}

/// An operation element by element.
struct Made<'p> {
    op: Op<'p>,
    cost: Cost,
    /// Whether it is an expression still.
    is_expression: bool,
    /// The dimensions of its loops, where users compute it.
    dimensions: Option<Vec<usize>>,
    /// The loads that were replaced by it.
    loads: usize,
}

struct Realize<'p> {
    context: &'p Context,
    remarks: Remarks,
    is_cpu: bool,
    readers: FxHashMap<ir::ValueKey, Readers>,
    /// The values that are computed element by element, by the keys of results.
    expressions: FxHashMap<ir::ValueKey, Made<'p>>,
    /// The results of expressions that read a buffer, by the buffer's key.
    reading: FxHashMap<ir::ValueKey, Vec<Val<'p>>>,
    realized: usize,
}

impl<'p> Realize<'p> {
    fn op(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        match ir::name(op) {
            inductor::INPUT | inductor::CONSTANT => {}
            _ if program::is_nest(op) => self.nest(op)?,
            inductor::RETURN => {
                for value in op.operands() {
                    self.realize(value, At::Before(op), &Why::Output);
                }
            }
            _ => {
                let mut values = Vec::new();
                read_by(op, &mut |value| values.push(value));
                for value in values {
                    self.realize(value, At::Before(op), &Why::Memory(op));
                }
                for target in overwritten(op) {
                    self.overwrite(op, target);
                }
            }
        }
        Ok(())
    }

    fn nest(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        for target in overwritten(op) {
            self.realize(target, At::Before(op), &Why::Memory(op));
            self.overwrite(op, target);
        }
        let mut loads = Vec::new();
        let body = ir::body(op).expect("a nest has a block");
        for_each_load(body, &mut |load| loads.push(load));
        let source = |load: Op<'p>| ir::operand(load, 0).expect("a load has a source");
        for load in &loads {
            if load.attribute("view").is_ok() {
                self.realize(source(*load), At::Before(op), &Why::Memory(op));
            }
        }
        for load in loads {
            let expression = self.expressions.get_mut(&ir::value_key(source(load)));
            // A load through a view reads memory, so its source is a buffer.
            let expression = expression.filter(|_| load.attribute("view").is_err());
            if let Some(expression) = expression
                && let Some(dimensions) = &expression.dimensions
            {
                inline::inline(self.context, (expression.op, dimensions), (op, load))?;
                expression.loads += 1;
                inherit(self.context, op, expression.op);
            }
        }
        let cost = number::unique(op)?;
        if ir::name(op) == inductor::POINTWISE {
            self.add(op, cost)?;
        }
        Ok(())
    }

    /// Decides about an elementwise operation before its users are visited.
    fn add(&mut self, op: Op<'p>, cost: Cost) -> Result<(), Diagnostic<'p>> {
        let value = result(op, 0);
        let layout = own_layout(value.r#type()).expect("a buffer has a layout");
        let store = ir::body(op).and_then(|body| body.terminator());
        let has_view = store.is_some_and(|store| store.attribute("view").is_ok());
        let mut dimensions = None;
        let always = if op.operand_count() > 0 {
            Some(Why::Into)
        } else if layout.kind == LayoutKind::NonOwning {
            Some(Why::Part)
        } else if op.attribute("loops").is_ok() || has_view {
            Some(Why::Loops)
        } else {
            dimensions = inline::dimensions(op)?;
            dimensions.is_none().then_some(Why::Loops)
        };
        let readers = self.readers.get(&ir::value_key(value));
        let readers = readers.copied().unwrap_or_default();
        let reason = always.or_else(|| when_made(cost, readers, self.is_cpu).map(Why::Made));
        self.expressions.insert(
            ir::value_key(value),
            Made {
                op,
                cost,
                is_expression: true,
                dimensions,
                loads: 0,
            },
        );
        if let Some(reason) = reason {
            self.realize(value, At::Before(op), &reason);
            return Ok(());
        }
        let mut memory = FxHashSet::default();
        let body = ir::body(op).expect("a nest has a block");
        for_each_load(body, &mut |load| {
            let source = ir::operand(load, 0).expect("a load has a source");
            memory.insert(ir::value_key(self::memory(source)));
        });
        for memory in memory {
            self.reading.entry(memory).or_default().push(value);
        }
        Ok(())
    }

    /// Makes a value that is an expression a buffer, at a position after all operations that compute it inline.
    fn realize(&mut self, value: Val<'p>, at: At<'p>, reason: &Why<'p>) {
        let Some(expression) = self.expressions.get_mut(&ir::value_key(value)) else {
            return;
        };
        if !expression.is_expression {
            return;
        }
        expression.is_expression = false;
        // An expression without loads is computed again, as PyTorch does.
        if expression.cost.loads > 0 {
            expression.dimensions = None;
        }
        self.realized += 1;
        if let At::Before(next) = at
            && ir::op_key(next) != ir::op_key(expression.op)
        {
            ir::move_to(expression.op, at);
        }
        let readers = self.readers.get(&ir::value_key(value));
        let readers = readers.map_or(0, |readers| readers.count);
        let expression = &*expression;
        self.remarks
            .emit(|| remark("Realized", expression, readers).reason(reason));
    }

    /// Turns the expressions that read the memory that an operation overwrites into buffers.
    fn overwrite(&mut self, op: Op<'p>, target: Val<'p>) {
        let reading = self.reading.remove(&ir::value_key(memory(target)));
        for value in reading.unwrap_or_default() {
            self.realize(value, At::Before(op), &Why::Overwritten(op));
        }
    }

    /// Erases an operation that has stayed an expression. Returns whether it has.
    fn finish(&mut self, op: Op<'p>) -> bool {
        let is_nest = ir::name(op) == inductor::POINTWISE;
        let expression = is_nest.then(|| self.expressions.remove(&ir::value_key(result(op, 0))));
        let Some(expression) = expression
            .flatten()
            .filter(|expression| expression.is_expression)
        else {
            return false;
        };
        let readers = self.readers.get(&ir::value_key(result(op, 0)));
        let readers = readers.map_or(0, |readers| readers.count);
        self.remarks
            .emit(|| remark("Inlined", &expression, readers).arg("Replaced", expression.loads));
        ir::erase(op);
        true
    }
}

/// Returns a remark about an expression, with its counts.
fn remark<'p>(name: &'static str, expression: &Made<'p>, readers: usize) -> Remark<'p> {
    Remark::new(RemarkKind::Passed, expression.op.location(), name)
        .arg("Operation", text(expression.op, "op"))
        .arg("Loads", expression.cost.loads)
        .arg("Values", expression.cost.values)
        .arg("Readers", readers)
}

/// Returns the buffers that an operation overwrites.
fn overwritten<'p>(op: Op<'p>) -> Vec<Val<'p>> {
    if program::is_nest(op) {
        return op.operands().collect();
    }
    let mutates = attr::dense_signed_integers(ir::attribute(op, "mutates"));
    mutates
        .unwrap_or_default()
        .into_iter()
        .map(|number| {
            let number = usize::try_from(number).expect("IN23: an operand");
            ir::operand(op, number).expect("IN23: an operand")
        })
        .collect()
}

/// Returns the first value of the memory that a value is in.
fn memory(mut value: Val<'_>) -> Val<'_> {
    while let Some(op) = ir::defining_op(value) {
        let source = match ir::name(op) {
            inductor::VIEW => ir::operand(op, 0),
            _ => {
                let position = ir::results(op)
                    .position(|other| ir::value_key(other) == ir::value_key(value))
                    .expect("it is a result");
                let targets = overwritten(op);
                let first = op.result_count() - targets.len().min(op.result_count());
                position.checked_sub(first).map(|number| targets[number])
            }
        };
        let Some(source) = source else { break };
        value = source;
    }
    value
}

/// Adds the origins and hints of an operation to the operation that computes it inline.
fn inherit<'p>(context: &'p Context, op: Op<'p>, from: Op<'p>) {
    for name in [attribute::ORIGINS, attribute::HINTS] {
        let list = |op: Op<'p>| -> Vec<Attribute<'p>> {
            let list = op.attribute(name).map(attr::elements);
            list.unwrap_or_default()
        };
        let mut all = list(op);
        let count = all.len();
        for one in list(from) {
            if !all.contains(&one) {
                all.push(one);
            }
        }
        if all.len() > count {
            ir::set_discardable_attribute(op, name, attr::array(context, &all));
        }
    }
}
