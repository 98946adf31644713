//! `--spyre-insert-restickify`: gives every value its layout, and inserts copies where operands need another one.

use melior::ir::ValueLike;
use melior::ir::attribute::DenseElementsAttribute;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_analysis::kinds::is_fill;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::units::units;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::names::CANDIDATES;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::func;
use spyre_plan::restickify::{self, DEFAULT_WIDTH, NoChoice};

use super::Function;
use super::analysis::{NodeKind, Target};
use super::relayout::Site;

const NAME: &str = "spyre-insert-restickify";

/// `--spyre-insert-restickify`
pub static INSERT_RESTICKIFY: RustPass = RustPass {
    argument: NAME,
    summary: "Give every value its layout, and copy what does not agree",
    description: DESCRIPTION,
    anchor: func::FUNC,
    options: &[],
    statistics: &[
        PassStatistic {
            name: "restickifies",
            description: "Copies that were inserted",
        },
        PassStatistic {
            name: "values",
            description: "Values that got a layout",
        },
    ],
    dialects: || {
        vec![
            spyre_dialects::spyre_dialect(),
            melior::dialect::DialectHandle::tensor(),
        ]
    },
    run,
};

const DESCRIPTION: &str = r#"
Gives every value the layout that is chosen for it and inserts a copy where an
operand needs another one: a `spyre.restickify` to bring another dimension onto the
stick, a `spyre.copy` where the dimension on the stick stays. Between sticks that
elements share and sticks of one element each, the value is repeated along a new
dimension of two positions, which a `spyre.restickify` exchanges with the one on the
stick, and its first position is taken. After
`--spyre-optimize-restickify` there is one candidate for each value. Where there
are more, every operation takes the one that needs the cheapest copies, given what
the operations before it took.

A copy is inserted right before its first user; for a user in a loop, before the
loop if the copied value is defined outside. Later users share it. A copy takes the
tiling hints of its user, so that a group of operations which are tiled together
stays one group.

```mlir
// before
%y = spyre.add %t, %b {spyre.layout_candidates = [#rows]}
  : (tensor<256x128xf16, #cols>, tensor<256x128xf16, #rows>) -> tensor<256x128xf16>
// after
%c = spyre.restickify %t : (tensor<256x128xf16, #cols>) -> tensor<256x128xf16, #rows>
%y = spyre.add %c, %b : tensor<256x128xf16, #rows>
```

Refused: the same as by `--spyre-propagate-layouts`; a `split` that does not divide
the sticks of the layout that is chosen.
"#;

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let Some(function) = Function::analyse(run, NAME)? else {
        return Ok(());
    };
    if function.analysis.is_decided() {
        run.preserve_analyses();
        return Ok(());
    }
    let graph = function.graph(run.operation())?;
    let choice = match restickify::greedy(&graph) {
        Ok(choice) => choice,
        // The greedy choice has met a dead end, but another choice may be possible.
        Err(_) => match restickify::optimize(&graph, DEFAULT_WIDTH) {
            Ok(choice) => choice,
            Err(NoChoice::Infeasible(end)) => return Err(function.dead_end(end).into()),
            Err(err) => return Err(function.error(run.operation(), err).into()),
        },
    };
    check_splits(&function, &choice.candidates)?;
    // Copies first: they read types of operands that are set below, in order of execution.
    let mut writer = Writer {
        run,
        function: &function,
        choice: &choice.candidates,
        copies: FxHashMap::default(),
    };
    for (index, node) in function.analysis.nodes.iter().enumerate() {
        for read in &node.reads {
            if let Some((target, copy)) = function.analysis.copy(&choice.candidates, index, read) {
                let value = writer.copy(read.producer, target, copy, read.user)?;
                ir::set_operand(read.user, read.operand, value);
            }
        }
        writer.set_type(index)?;
    }
    check_reduced_splits(&TensorTypes::new(run.context()), &function)?;
    ir::update_function_type(run.operation());
    Ok(())
}

/// Checks that a split of the program divides the sticks of a dimension that the chosen layout has on the stick.
fn check_splits<'p>(function: &Function<'p>, choice: &[usize]) -> Result<(), Diagnostic<'p>> {
    for (node, at) in function.analysis.nodes.iter().zip(choice) {
        let Some(op) = DeviceOp::cast(node.op).filter(|_| !node.decided) else {
            continue;
        };
        let Some(split) = op.split() else {
            continue; // Work is divided later.
        };
        let device = &node.candidates[*at].device;
        let per_stick = device.format().elements_per_stick().get();
        let dims = op.tensor_dims(node.op.operand_count());
        for (host, (dim, extent)) in dims.iter().zip(device.shape()).enumerate() {
            let Some(dim) = *dim else {
                continue; // No dimension that is divided moves along it.
            };
            let cores = split[dim];
            let sticks = extent.div_ceil(per_stick);
            if device.stick_extent(host).get() > 1 && !sticks.is_multiple_of(u64::from(cores)) {
                return Err(cuts_sticks(
                    function,
                    node.op,
                    (dim, cores),
                    (sticks, per_stick),
                ));
            }
        }
    }
    Ok(())
}

/// Checks the same of the dimensions that operations reduce, which operands have on the stick, when their types have layouts.
fn check_reduced_splits<'p>(
    types: &TensorTypes<'p>,
    function: &Function<'p>,
) -> Result<(), Diagnostic<'p>> {
    for node in &function.analysis.nodes {
        let Some((op, split)) = DeviceOp::cast(node.op).and_then(|op| Some((op, op.split()?)))
        else {
            continue;
        };
        let space = op.iteration_space();
        let kept = space.len() - op.reduction_dims();
        if split[kept..].iter().all(|cores| *cores == 1) {
            continue;
        }
        let units = units(types, op).map_err(|err| function.error(node.op, err))?;
        for dim in kept..space.len() {
            let unit = units[dim];
            let sticks = space[dim].unsigned_abs().div_ceil(unit);
            if unit > 1 && !sticks.is_multiple_of(split[dim].into()) {
                return Err(cuts_sticks(
                    function,
                    node.op,
                    (dim, split[dim]),
                    (sticks, unit),
                ));
            }
        }
    }
    Ok(())
}

/// Returns the error of a split that does not divide the sticks of its dimension.
fn cuts_sticks<'p>(
    function: &Function<'p>,
    op: Op<'p>,
    (dim, cores): (usize, u32),
    (sticks, per_stick): (u64, u64),
) -> Diagnostic<'p> {
    let message = format!(
        "split of dimension {dim} over {cores} cores does not divide its {sticks} sticks of {per_stick}; the layout that fits \
         the operands has it on the stick"
    );
    function.error(op, message)
}

struct Writer<'a, 'p> {
    run: &'p PassRun<'p>,
    function: &'a Function<'p>,
    choice: &'a [usize],
    /// The inserted copies, by producer and number of the copy.
    copies: FxHashMap<(usize, usize), Val<'p>>,
}

impl<'p> Writer<'_, 'p> {
    /// Returns a copy of a node's value for `user`, which may be there already.
    fn copy(
        &mut self,
        producer: usize,
        number: usize,
        target: &Target<'p>,
        user: Op<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        if let Some(copy) = self.copies.get(&(producer, number)) {
            return Ok(*copy);
        }
        let error = |message: &str| self.function.error(user, message);
        let node = self.function.analysis.nodes.get(producer);
        let Some(NodeKind::Value(value)) = node.map(|node| node.what) else {
            return Err(error(
                "reads a result that is no tensor value of the function",
            ));
        };
        let before = reader_beside(value, user)
            .ok_or_else(|| error("reads a value that is not defined before it"))?;
        // A copy that is hoisted out of the loop is not tiled with its reader.
        let site = Site {
            context: self.run.context(),
            types: &self.function.types,
            location: user.location(),
            before,
            hints: target.hints.filter(|_| before == user),
        };
        let copy = site
            .copy(value, &target.ty)
            .map_err(|err| self.function.error(user, err))?;
        self.run.count("restickifies", 1);
        self.copies.insert((producer, number), copy);
        Ok(copy)
    }

    /// Gives a node's value the type with the chosen layout.
    fn set_type(&self, index: usize) -> Result<(), Diagnostic<'p>> {
        let node = &self.function.analysis.nodes[index];
        let NodeKind::Value(value) = node.what else {
            return Ok(());
        };
        if node.decided {
            return Ok(());
        }
        let chosen = &node.candidates[self.choice[index]];
        self.run.count("values", 1);
        value.set_type(chosen.ty);
        if ir::defining_op(value).is_none() || ir::kind(node.op) == ir::OpKind::For {
            return Ok(());
        }
        ir::remove_discardable_attribute(node.op, CANDIDATES);
        if is_fill(node.op) {
            let error = |message: String| self.function.error(node.op, message);
            let constant = node
                .op
                .attribute("value")
                .map_err(|err| error(err.to_string()))?;
            let constant = DenseElementsAttribute::try_from(constant)
                .map_err(|_| error("value is not a dense constant".to_owned()))?;
            ir::set_attribute(node.op, "value", constant.reshape(chosen.ty).into());
        }
        Ok(())
    }
}

/// Returns the operation that reads a value in the block where the value is defined: `user`, or the operation that `user` is
/// inside of. `None` if `user` is not inside that block.
pub(crate) fn reader_beside<'p>(value: Val<'p>, user: Op<'p>) -> Option<Op<'p>> {
    let block = match ir::source(value) {
        ir::Source::Argument(block, _) => block,
        ir::Source::Result(op, _) => op.block()?,
    };
    let mut at = user;
    while at.block()? != block {
        at = at.parent_operation()?;
    }
    Some(at)
}
