//! Every program in the tests of coarse tiling, run: untiled, tiled, unrolled, and as a bundle in loops and unrolled.

mod programs;

use std::path::Path;

use melior::Context;
use melior::ir::Module;
use programs::{each_module, names};
use spyre_bundle::Addresses;
use spyre_exec::bundle::{Interface, SimulationOptions, of_module, simulate};
use spyre_exec::random::Distribution;
use spyre_exec::{Array, Program, compare, interpret};
use spyre_mlir_rt::source::run_pipeline;

/// Where programs are.
const DIRECTORIES: [&str; 4] = [
    "test/Transforms/assign-dim-hints",
    "test/Transforms/coarse-tile",
    "test/Integration",
    "examples",
];

const TILE: &str = "builtin.module(func.func(spyre-assign-dim-hints,coarse-tile))";
const UNROLL: &str = "builtin.module(func.func(spyre-unroll-loops))";
const BUNDLE: &str = "builtin.module(spyre-pipeline)";

/// Units in the last place by which tiled sums of numbers that are not integers may differ.
const ULPS: u64 = 8;

/// Most elements of a tensor. Separate tests run larger ones.
const MOST_ELEMENTS: usize = 1 << 18;

/// The numbers of programs and bundles that ran.
#[derive(Debug, Default)]
struct Counts {
    tiled: usize,
    unrolled: usize,
    bundles: usize,
    unrolled_bundles: usize,
}

#[test]
fn all_forms_agree() {
    let mut counts = Counts::default();
    each_module(&DIRECTORIES, |context, module, file| {
        each_function(context, module, file, &mut counts);
    });
    println!("{counts:?}");
    // The counts when this was written, so that none is left out by mistake.
    assert!(counts.tiled >= 90 && counts.unrolled >= 90, "{counts:?}");
    assert!(
        counts.bundles >= 60 && counts.unrolled_bundles >= 50,
        "{counts:?}"
    );
}

fn each_function(context: &Context, module: &Module<'_>, file: &Path, counts: &mut Counts) {
    for name in names(module) {
        let Ok(program) = Program::select(context, module.as_operation(), Some(&name)) else {
            continue;
        };
        let signature = program.signature();
        let mut tensors = signature.inputs.iter().chain(&signature.outputs);
        if tensors.any(|ty| ty.element_count().is_none_or(|count| count > MOST_ELEMENTS)) {
            continue;
        }
        let inputs = program
            .random_inputs(Distribution::Integers(1), 1)
            .expect("inputs that fit into memory");
        let place = format!("{}: @{name}", file.display());
        forms(context, &program, &inputs, &place, counts);
    }
}

/// Runs the forms of a program as far as passes take it, and compares them.
fn forms(
    context: &Context,
    program: &Program<'_>,
    inputs: &[Array],
    place: &str,
    counts: &mut Counts,
) {
    let entry = program.entry();
    let copy = || Module::from_operation((*program.module()).clone()).expect("a module");
    let run = |module: &Module<'_>, inputs: &[Array]| {
        let function = interpret::function(module.as_operation(), entry)?;
        interpret::run(function, inputs).ok()
    };
    let Some(expected) = run(&copy(), inputs) else {
        return;
    };
    let same = |form: &str, actual: &[Array]| {
        assert_eq!(expected.len(), actual.len(), "{place}, {form}");
        for (expected, actual) in expected.iter().zip(actual) {
            let comparison = compare(expected, actual, ULPS).expect("results of one type");
            assert!(comparison.agrees(), "{place}, {form}: {comparison}");
        }
    };
    let tiled = copy();
    let before = tiled.as_operation().to_string();
    if run_pipeline(context, tiled.as_operation(), TILE).is_ok()
        && tiled.as_operation().to_string() != before
    {
        same("tiled", &run(&tiled, inputs).expect("a tiled program runs"));
        counts.tiled += 1;
        if run_pipeline(context, tiled.as_operation(), UNROLL).is_ok() {
            same(
                "unrolled",
                &run(&tiled, inputs).expect("an unrolled program runs"),
            );
            counts.unrolled += 1;
        }
    }
    let Ok(interface) = Interface::of_program(context, program) else {
        return;
    };
    for (addresses, form) in [
        (Addresses::Symbolic, "bundle"),
        (Addresses::Concrete, "unrolled bundle"),
    ] {
        let module = copy();
        if run_pipeline(context, module.as_operation(), BUNDLE).is_err() {
            return;
        }
        let Ok(bundle) = of_module(context, module.as_operation(), addresses) else {
            continue;
        };
        let simulation = simulate(&bundle, &interface, inputs, SimulationOptions::default());
        let simulation = simulation.unwrap_or_else(|err| panic!("{place}, {form}: {err}"));
        assert!(
            simulation.report.is_clean(),
            "{place}, {form}: {}",
            simulation.report
        );
        same(form, &simulation.results);
        match addresses {
            Addresses::Symbolic => counts.bundles += 1,
            Addresses::Concrete => counts.unrolled_bundles += 1,
        }
    }
}
