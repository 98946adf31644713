//! Plans of small graphs, compared with all plans of the graph.
//!
//! `graph` draws graphs of a few operations on four cores with small scratchpads. `optimum` enumerates every division,
//! every set of values and copies of arguments in the scratchpads, and every address, with costs from the specification
//! (middle-end, sections 4.3, 4.5 and 5.1) and no code of planning. `--spyre-plan` has to find a plan as fast as the
//! best of the plans that move as few bytes.

#[path = "../../../spyre-plan/tests/addresses/mod.rs"]
mod addresses;
mod graph;
mod optimum;

use graph::Graph;
use melior::ir::Module;
use optimum::Cost;
use spyre_generate::numbers::Numbers;
use spyre_mlir_rt::source::run_pipeline;
use spyre_planning::plan::report::facts as plan_facts;

/// Plans a graph. Returns the modelled time in microseconds and the bytes.
fn planned(graph: &Graph) -> Cost {
    let context = spyre_exec::context();
    let text = graph.to_string();
    let module = Module::parse(&context, &text).unwrap_or_else(|| panic!("{text}"));
    let pipeline = "builtin.module(spyre-pipeline{bundle=false})";
    assert!(
        run_pipeline(&context, module.as_operation(), pipeline).is_ok(),
        "{text}"
    );
    let plan =
        plan_facts(&context, module.as_operation()).unwrap_or_else(|err| panic!("{err:?}\n{text}"));
    let totals = &plan.functions[0].totals;
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    Cost {
        microseconds: totals.picoseconds as f64 / 1e6,
        bytes: u64::try_from(totals.distinct_bytes).expect("small tensors"),
    }
}

/// Compares plans of `graphs` graphs with the best ones.
fn compare(seed: u64, graphs: u64, operations: u64) {
    for number in 0..graphs {
        let graph = Graph::draw(&mut Numbers::new(seed, number), operations);
        let cost = planned(&graph);
        let best = optimum::best(&graph);
        let times = cost.microseconds / best.microseconds;
        // Times are whole picoseconds there.
        assert!(
            times < 1.0001,
            "number {number}: found {cost:?}, the best is {best:?}\n{graph}"
        );
        assert!(
            times > 0.9999 || cost.bytes > best.bytes,
            "number {number}: found {cost:?}, and nothing is better than {best:?}\n{graph}"
        );
    }
}

#[test]
fn plans_are_the_best() {
    compare(1, 150, 3);
}

#[test]
#[ignore = "half a minute; `cargo test -p spyre-fuzz --test small_plans -- --ignored` runs it"]
fn plans_of_four_operations_are_the_best() {
    compare(2, 1000, 4);
}

#[test]
#[ignore = "half a minute; `cargo test -p spyre-fuzz --test small_plans -- --ignored` runs it"]
fn plans_of_six_operations_are_the_best() {
    compare(3, 20, 6);
}
