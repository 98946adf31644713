//! Every program of the tests with dynamic dimensions, at every allowed extent: untiled, tiled, and as one bundle for
//! all extents.

mod programs;

use std::path::Path;

use melior::Context;
use melior::ir::Module;
use programs::{each_module, names};
use spyre_bundle::Addresses;
use spyre_exec::bundle::{Interface, SimulateError, SimulationOptions, of_module, simulate};
use spyre_exec::random::Distribution;
use spyre_exec::sizes::open_dims;
use spyre_exec::{Array, Program, Sizes, Tolerance, compare, interpret};
use spyre_mlir_rt::source::run_pipeline;
use spyre_sim::Bundle;

/// Where programs are.
const DIRECTORIES: [&str; 2] = ["test/Integration/Dynamic", "test/Transforms/coarse-tile"];

const TILE: &str = "builtin.module(func.func(coarse-tile))";
const UNROLL: &str = "builtin.module(func.func(spyre-unroll-loops))";
/// The pipeline up to planning.
const PLAN: &str = "builtin.module(func.func(spyre-assign-dim-hints,spyre-check-integers,spyre-decompose,canonicalize,cse,\
                    spyre-fold-padding-casts,spyre-assign-dim-hints,coarse-tile{only-dynamic=true},spyre-bound-dynamic-dims,spyre-merge-batches,\
                    spyre-simplify-views,spyre-pad-matmul,spyre-propagate-layouts,spyre-optimize-restickify,spyre-insert-restickify,\
                    coarse-tile,spyre-constants-to-arguments,spyre-work-division,spyre-scratchpad-planning))";
const CONVERT: &str = "builtin.module(convert-spyre-to-sdscbundle)";
const BUNDLE: &str = "builtin.module(spyre-pipeline)";

/// The allowed distance of results: tiles that the passes add change the order of sums.
const ALLOWED: Tolerance = Tolerance {
    ulps: 8,
    relative: 1e-6,
};

/// The numbers of programs, bundles and runs.
#[derive(Debug, Default)]
struct Counts {
    programs: usize,
    tiled: usize,
    bundles: usize,
    runs: usize,
    unrolled: usize,
    refused: usize,
}

#[test]
fn one_bundle_serves_every_extent() {
    let mut counts = Counts::default();
    each_module(&DIRECTORIES, |context, module, file| {
        each_function(context, module, file, &mut counts);
    });
    println!("{counts:?}");
    // The counts when this was written, so that none is left out by mistake.
    assert!(counts.programs >= 32 && counts.tiled >= 23, "{counts:?}");
    assert!(counts.bundles >= 23 && counts.runs >= 100, "{counts:?}");
    assert!(counts.unrolled >= 92, "{counts:?}");
    assert!(counts.refused > 0, "{counts:?}");
}

fn each_function(context: &Context, module: &Module<'_>, file: &Path, counts: &mut Counts) {
    for name in names(module) {
        let Some(function) = interpret::function(module.as_operation(), &name) else {
            continue;
        };
        let open = open_dims(function);
        if open.is_empty() {
            continue;
        }
        // A choice is a number for each dimension.
        let mut choices = vec![Sizes::new()];
        for (dim, extent) in &open {
            let longer = |choice: &Sizes| -> Vec<Sizes> {
                let extents = extent.admitted().map(|extent| {
                    let mut choice = choice.clone();
                    choice.insert(dim.clone(), extent);
                    choice
                });
                extents.collect()
            };
            choices = choices.iter().flat_map(longer).collect();
        }
        let place = format!("{}: @{name}", file.display());
        let subject = Subject {
            context,
            module,
            entry: &name,
            place: &place,
        };
        subject.compare(&choices, counts);
    }
}

/// A program of a file.
struct Subject<'a, 'c> {
    context: &'c Context,
    module: &'a Module<'a>,
    /// The name of the function.
    entry: &'a str,
    /// The place of the function, for messages.
    place: &'a str,
}

impl<'c> Subject<'_, 'c> {
    /// Returns the program of a module with some extents; `None` if it does not admit them.
    fn select(&self, module: &Module<'_>, sizes: &Sizes) -> Option<Program<'c>> {
        let (context, entry) = (self.context, Some(self.entry));
        Program::select_sized(context, module.as_operation(), entry, sizes).ok()
    }

    /// Runs the program at every choice, and compares its forms.
    fn compare(&self, choices: &[Sizes], counts: &mut Counts) {
        let context = self.context;
        let largest = choices
            .last()
            .and_then(|sizes| self.select(self.module, sizes));
        let Some(largest) = largest else {
            return;
        };
        // The program for any extents, by itself.
        let general = || {
            let copy = (*largest.general_module()).clone();
            Module::from_operation(copy).expect("a module")
        };
        counts.programs += 1;
        let tiled = general();
        if run_pipeline(context, tiled.as_operation(), TILE).is_err() {
            return;
        }
        counts.tiled += 1;
        // Compiled once, with dynamic extents.
        let planned = general();
        let bundle = run_pipeline(context, planned.as_operation(), BUNDLE)
            .ok()
            .and_then(|()| of_module(context, planned.as_operation(), Addresses::Symbolic).ok());
        counts.bundles += usize::from(bundle.is_some());
        let plan = general();
        if bundle.is_some() {
            run_pipeline(context, plan.as_operation(), PLAN)
                .expect("a plan, since there is a bundle");
        }
        let forms = Forms {
            tiled,
            plan,
            bundle,
        };
        for sizes in choices {
            self.compare_at(sizes, &forms, counts);
        }
    }

    /// Compares the forms of the program with some extents.
    fn compare_at(&self, sizes: &Sizes, forms: &Forms<'_>, counts: &mut Counts) {
        let (context, entry, place) = (self.context, self.entry, self.place);
        let program = self.select(self.module, sizes);
        let program = program.expect("an admitted extent");
        let inputs = program
            .random_inputs(Distribution::Integers(2), 1)
            .expect("inputs that fit into memory");
        let run = |program: &Program<'_>| {
            let function = interpret::function(program.module(), entry).expect("the function");
            interpret::run(function, &inputs).unwrap_or_else(|err| panic!("{place}: {err}"))
        };
        let expected = run(&program);
        let same = |form: &str, actual: &[Array]| {
            assert_eq!(expected.len(), actual.len(), "{place}, {form}, {sizes:?}");
            for (expected, actual) in expected.iter().zip(actual) {
                let comparison = compare(expected, actual, ALLOWED).expect("results of one type");
                assert!(
                    comparison.agrees(),
                    "{place}, {form}, {sizes:?}: {comparison}"
                );
            }
        };
        let simulated = |bundle: &Bundle| {
            let interface = Interface::of_program(context, &program).expect("an interface");
            simulate(bundle, &interface, &inputs, SimulationOptions::default())
        };
        // Loops of several steps restrict the extents.
        let Some(tiled) = self.select(&forms.tiled, sizes) else {
            counts.refused += 1;
            if let Some(bundle) = &forms.bundle {
                assert!(
                    matches!(simulated(bundle), Err(SimulateError::Run(_))),
                    "{place}: {sizes:?} must be refused"
                );
            }
            return;
        };
        same("tiled", &run(&tiled));
        let unrolled = run_pipeline(context, tiled.module(), UNROLL);
        unrolled.unwrap_or_else(|err| panic!("{place}, {sizes:?}: {err}"));
        same("unrolled", &run(&tiled));
        let Some(bundle) = &forms.bundle else { return };
        let runs = |form: &str, bundle: &Bundle| {
            let simulation =
                simulated(bundle).unwrap_or_else(|err| panic!("{place}, {form}, {sizes:?}: {err}"));
            let report = &simulation.report;
            assert!(report.is_clean(), "{place}, {form}, {sizes:?}: {report}");
            same(form, &simulation.results);
        };
        runs("bundle", bundle);
        counts.runs += 1;
        if let Some(bundle) = self.unrolled_bundle(&forms.plan, sizes) {
            runs("unrolled bundle", &bundle);
            counts.unrolled += 1;
        }
    }

    /// Returns the bundle of a plan with some extents: with a static extent after planning, loops have static bounds
    /// and can be unrolled.
    fn unrolled_bundle(&self, plan: &Module<'_>, sizes: &Sizes) -> Option<Bundle> {
        let chosen = self.select(plan, sizes).expect("an admitted extent");
        // Tiles of an extent that is set after planning may have a part of a stick (contract, K36, K44).
        run_pipeline(self.context, chosen.module(), CONVERT).ok()?;
        of_module(self.context, chosen.module(), Addresses::Concrete).ok()
    }
}

/// The forms of a program for any extents.
struct Forms<'c> {
    tiled: Module<'c>,
    /// The program with a plan, if there is a bundle.
    plan: Module<'c>,
    bundle: Option<Bundle>,
}
