//! `--spyre-optimize-restickify`: chooses the layouts that need the cheapest copies.

use std::num::NonZeroUsize;

use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_dialects::names::CANDIDATES;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir;
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_ods::func;
use spyre_plan::restickify::{self, Choice, DEFAULT_WIDTH, DeadEnd, Graph, NoChoice};

use super::Function;
use super::analysis::NodeKind;

const NAME: &str = "spyre-optimize-restickify";

/// `--spyre-optimize-restickify`
pub static OPTIMIZE_RESTICKIFY: RustPass = RustPass {
    argument: NAME,
    summary: "Choose the layouts that need the cheapest copies, for the whole function",
    description: DESCRIPTION,
    anchor: func::FUNC,
    options: &[
        PassOption {
            name: "width",
            description: "states that the search keeps after each operation",
            kind: OptionKind::Int(DEFAULT_WIDTH.get() as i64),
        },
        PassOption {
            name: "report",
            description: "report the cost of the choice, in a remark at the function",
            kind: OptionKind::Bool(false),
        },
    ],
    statistics: &[
        PassStatistic {
            name: "copies",
            description: "Copies that the choice needs",
        },
        PassStatistic {
            name: "elements",
            description: "Device elements that they copy",
        },
        PassStatistic {
            name: "greedy-elements",
            description: "Device elements copied if every operation chose for itself",
        },
    ],
    dialects: || vec![spyre_dialects::spyre_dialect()],
    run,
};

const DESCRIPTION: &str = r#"
Reduces every `spyre.layout_candidates` to the one layout with which the copies in
the whole function are cheapest (middle-end specification, section 2.5). A copy
costs the device elements of the copied value, padding included. Users that need a
value in the same layout share one copy. Without candidates in the IR, the pass
finds them as `--spyre-propagate-layouts` does.

The search goes through the operations in order and keeps the `width` best states.
States that differ only in values without a later use are merged, which makes it
exact on most programs; a lower bound of the remaining cost shows whether the
result is proven to be the cheapest. It never costs more than choosing for each
operation alone.

```mlir
// before: x is wanted as columns once, the two others would be rows otherwise
%s = spyre.add %at, %bt {spyre.layout_candidates = [#cols, #rows]} : ...
%y = spyre.add %s, %x {spyre.layout_candidates = [#cols, #rows]} : ...
// after: one copy, of x, and not two
%s = spyre.add %at, %bt {spyre.layout_candidates = [#cols]} : ...
%y = spyre.add %s, %x {spyre.layout_candidates = [#cols]} : ...
```

Refused: a program in which operations have candidates, but no compatible ones.
"#;

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let Some(function) = Function::analyse(run, NAME)? else {
        return Ok(());
    };
    if function.analysis.is_decided() {
        run.preserve_analyses();
        return Ok(());
    }
    let width = usize::try_from(run.int("width"))
        .ok()
        .and_then(NonZeroUsize::new);
    let width = width.ok_or_else(|| {
        function.error(
            run.operation(),
            format!("width must be positive, got {}", run.int("width")),
        )
    })?;
    let graph = function.graph(run.operation())?;
    let choice = match restickify::optimize(&graph, width) {
        Ok(choice) => choice,
        Err(NoChoice::Infeasible(end)) => return Err(function.dead_end(end).into()),
        Err(err) => return Err(function.error(run.operation(), err).into()),
    };
    let greedy = restickify::greedy(&graph).ok();
    report(run, &graph, &choice, greedy.as_ref());
    for (node, chosen) in function.analysis.nodes.iter().zip(&choice.candidates) {
        let NodeKind::Value(value) = node.what else {
            continue;
        };
        if node.decided || ir::defining_op(value).is_none() || ir::kind(node.op) == ir::OpKind::For
        {
            continue;
        }
        let layout = node.candidates[*chosen].device.layout();
        let layout = attr::layout_attribute(run.context(), layout);
        let chosen = attr::array(run.context(), &[layout]);
        ir::set_discardable_attribute(node.op, CANDIDATES, chosen);
    }
    Ok(())
}

fn report<'p>(run: &'p PassRun<'p>, graph: &Graph, choice: &Choice, greedy: Option<&Choice>) {
    let copies = graph.restickifies(&choice.candidates);
    let copies = copies.map(|copies| copies.len());
    let copies = copies.expect("the search finds a choice of the graph");
    let count =
        |elements: spyre_layout::Elements| usize::try_from(elements.get()).unwrap_or(usize::MAX);
    run.count("copies", copies);
    run.count("elements", count(choice.cost));
    if let Some(greedy) = greedy {
        run.count("greedy-elements", count(greedy.cost));
    }
    if !run.flag("report") {
        return;
    }
    let proven = if choice.is_optimal() {
        "proven to be the cheapest".to_owned()
    } else {
        format!("at least {} are needed", choice.lower_bound)
    };
    let greedy = greedy.map_or(
        "choosing for each operation alone finds none".to_owned(),
        |greedy| format!("choosing for each operation alone: {}", greedy.cost),
    );
    let what = if copies == 1 { "copy" } else { "copies" };
    Diagnostic::remark(
        run.operation().location(),
        format!(
            "{NAME}: {copies} {what} of {} together, {proven}; {greedy}",
            choice.cost
        ),
    )
    .emit();
}

/// Returns the message for a node at which every choice fails.
pub(super) fn explain(end: DeadEnd) -> String {
    match end.operand {
        Some(operand) => {
            format!(
                "operand #{operand} has layouts, but none that is compatible with the result and with the earlier \
                 operations; another layout of a result, or a spyre.restickify of the source of operand #{operand}, would \
                 help"
            )
        }
        None => "its operands have layouts, but none that go together".to_owned(),
    }
}
