//! Pipelines that are run pass by pass, with passes among them that are wrong.

mod wrong;

use std::sync::Once;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Module};
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::DeviceOp;
use spyre_exec::check::{BrokenBy, Check, CheckError, Outcome, Step};
use spyre_exec::random::{self, Distribution};
use spyre_exec::{Array, Options, Program, Scalar};
use spyre_layout::Bytes;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir;
use spyre_mlir_rt::pass::{Failed, RustPass, register_pass};
use spyre_mlir_rt::source::{Anchor, split_pipeline};
use spyre_sim::FaultKind;
use wrong::{each, pass, swap};

/// A tiled program with an operation that does not commute.
const TILED: &str = r#"
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<8x256xf16, #stick>
func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.sub %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}"#;

/// Exchanges the operands of every subtraction.
static SWAP: RustPass = swap("test-swap");

/// Makes the outermost loop one iteration shorter: a tile that is not written.
static FORGET: RustPass = pass("test-forget-a-tile", |run| {
    let body = ir::function_body(run.operation()).expect("a body");
    let outer = ir::operations(body).find(|op| ir::kind(*op) == ir::OpKind::For);
    let outer = outer.expect("a loop");
    let operands: Vec<_> = outer.operands().collect();
    // The step is one.
    ir::set_operand(outer, 1, operands[2]);
    Ok(())
});

static FAIL: RustPass = pass("test-fail", |run| {
    Diagnostic::error(run.operation().location(), "no").emit();
    Err(Failed)
});

/// Returns the first argument, which may have another type than the result.
static SHORTEN: RustPass = pass("test-return-argument", |run| {
    let body = ir::function_body(run.operation()).expect("a body");
    let end = ir::operations(body).last().expect("a return");
    ir::set_operand(end, 0, body.argument(0).expect("an argument").into());
    ir::update_function_type(run.operation());
    Ok(())
});

/// Moves all values in the scratchpad to its start.
static ONE_PLACE: RustPass = pass("test-one-place", |run| {
    each(run.operation(), &mut |op| {
        if let Some(device) = DeviceOp::cast(op)
            && matches!(device.place(), Some(Place::Lx(_)))
        {
            device.set_place(Place::Lx(Bytes(0)));
        }
    });
    Ok(())
});

/// Moves the values in the scratchpad after its end.
static BEHIND: RustPass = pass("test-behind-the-scratchpad", |run| {
    each(run.operation(), &mut |op| {
        if let Some(device) = DeviceOp::cast(op)
            && matches!(device.place(), Some(Place::Lx(_)))
        {
            device.set_place(Place::Lx(Bytes(1 << 30)));
        }
    });
    Ok(())
});

fn context() -> Context {
    static PASSES: Once = Once::new();
    let context = spyre_exec::context();
    PASSES.call_once(|| {
        for pass in [&SWAP, &FORGET, &FAIL, &SHORTEN, &ONE_PLACE, &BEHIND] {
            register_pass(pass);
        }
    });
    context
}

/// Returns the outcome of a check of a list of passes with proofs, and each step.
fn check(source: &str, passes: &str) -> (Result<Outcome, CheckError>, Vec<Step>) {
    check_with(
        source,
        passes,
        Some(spyre_proof_mlir::prove::Options::default()),
    )
}

/// Returns the outcome of a check by runs alone, and each step.
fn check_by_runs(source: &str, passes: &str) -> (Result<Outcome, CheckError>, Vec<Step>) {
    check_with(source, passes, None)
}

fn check_with(
    source: &str,
    passes: &str,
    prove: Option<spyre_proof_mlir::prove::Options<'static>>,
) -> (Result<Outcome, CheckError>, Vec<Step>) {
    let context = context();
    let module = Module::parse(&context, source).expect("the program parses");
    let program = Program::select(&context, module.as_operation(), None).expect("a program");
    let inputs: Vec<Array> = program
        .signature()
        .inputs
        .iter()
        .zip(0..)
        .map(|(ty, stream)| random::tensor(ty, Distribution::Plain, 1, stream).unwrap())
        .collect();
    let passes = split_pipeline(passes, Anchor::Implicit).expect("a pipeline");
    let check = Check {
        entry: None,
        passes: &passes,
        inputs: &inputs,
        sizes: &spyre_exec::Sizes::new(),
        tolerance: 0.into(),
        recorded: None,
        options: Options {
            poison: true,
            ..Options::default()
        },
        prove,
    };
    let is_proved = check.prove.is_some();
    let mut steps = Vec::new();
    let before = module.as_operation().to_string();
    let outcome = check.run(&context, module.as_operation(), |_, step, proof| {
        assert_eq!(proof.is_some(), is_proved, "each pass is proved");
        steps.push(step.clone());
    });
    assert_eq!(
        module.as_operation().to_string(),
        before,
        "the module stays as it is"
    );
    (outcome, steps)
}

#[test]
fn right_passes_change_nothing() {
    let (outcome, steps) = check(
        TILED,
        "cse,coarse-tile,spyre-work-division,spyre-unroll-loops",
    );
    assert_eq!(outcome.unwrap(), Outcome::Same);
    assert_eq!(steps, [Step::Unchanged, Step::Same, Step::Same, Step::Same]);
}

#[test]
fn a_wrong_pass_is_named() {
    let (outcome, steps) = check(TILED, "coarse-tile,test-swap,spyre-work-division");
    let Outcome::Differs {
        pass,
        results,
        before,
    } = outcome.unwrap()
    else {
        panic!("it is wrong")
    };
    assert_eq!(pass, "builtin.module(func.func(test-swap))");
    assert_eq!(steps.len(), 2, "the check stops there");
    assert!(before.contains("scf.for"), "{before}");
    assert!(!before.contains("split"), "{before}");
    // (a - b) b against (b - a) b: all differ except for a = b, b = 0 and results that round to
    // zero.
    let [(0, comparison)] = results.as_slice() else {
        panic!("one result: {results:?}")
    };
    assert!(comparison.differing > 1900, "{comparison}");
    let first = comparison.first.as_ref().unwrap();
    assert_eq!(first.expected.to_f64(), -first.actual.to_f64());
}

#[test]
fn a_tile_that_is_not_written_is_poison() {
    let (outcome, _) = check(TILED, "coarse-tile,test-forget-a-tile");
    let Outcome::Differs { pass, results, .. } = outcome.unwrap() else {
        panic!("it is wrong")
    };
    assert_eq!(pass, "builtin.module(func.func(test-forget-a-tile))");
    let comparison = &results[0].1;
    assert_eq!(comparison.differing, 4 * 256, "the second half");
    let first = comparison.first.as_ref().unwrap();
    assert_eq!(first.coordinates, [4, 0]);
    assert!(matches!(first.actual, Scalar::F16(x) if x.is_nan()));
}

#[test]
fn bundles_run_on_the_simulated_card() {
    let (outcome, steps) = check(TILED, "spyre-pipeline,cse");
    assert_eq!(outcome.unwrap(), Outcome::Same);
    assert!(steps.contains(&Step::Same) && steps.contains(&Step::SameBundle));
    let wrong = |step: &Step| !matches!(step, Step::Same | Step::Unchanged | Step::SameBundle);
    assert!(!steps.iter().any(wrong), "{steps:?}");
}

#[test]
fn a_bundle_that_is_wrong_is_named() {
    // On tensors, places have no effect. In the bundle a value is after the end of its memory.
    let planning = "coarse-tile,spyre-work-division,spyre-scratchpad-planning";
    let passes = format!("{planning},test-behind-the-scratchpad,convert-spyre-to-sdscbundle,cse");
    let (outcome, steps) = check_by_runs(TILED, &passes);
    let Outcome::Faulty { pass, report, .. } = outcome.unwrap() else {
        panic!("it is wrong")
    };
    assert!(pass.contains("convert-spyre-to-sdscbundle"), "{pass}");
    assert!(report.has(FaultKind::OutOfRange), "{report}");
    assert_eq!(steps[3..4], [Step::Same]);
    assert_eq!(steps.len(), 5, "the check stops there");
    // A proof finds it before there is a bundle.
    let (outcome, _) = check(TILED, &passes);
    let Outcome::Refuted { pass, .. } = outcome.unwrap() else {
        panic!("it is refuted")
    };
    assert!(pass.contains("test-behind-the-scratchpad"), "{pass}");
}

#[test]
fn two_values_in_one_place_become_no_bundle() {
    let source = TILED
        .replace("spyre.mul %y, %b", "spyre.mul %y, %x")
        .replace(
            "  %z =",
            "  %x = spyre.add %a, %b tile [0: \"A\" in 2, 1: \"B\" in 4] : !t\n  %z =",
        );
    let planning = "coarse-tile,spyre-work-division,spyre-scratchpad-planning";
    let passes = format!("{planning},test-one-place,convert-spyre-to-sdscbundle,cse");
    let (outcome, steps) = check_by_runs(&source, &passes);
    match outcome {
        Err(CheckError::Failed { pass, .. }) => {
            assert!(pass.contains("convert-spyre-to-sdscbundle"), "{pass}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(steps.len(), 4, "on tensors, places mean nothing");
    let (outcome, _) = check(&source, &passes);
    let Outcome::Refuted { pass, .. } = outcome.unwrap() else {
        panic!("it is refuted")
    };
    assert!(pass.contains("test-one-place"), "{pass}");
}

#[test]
fn constants_that_become_arguments_are_passed() {
    let source = "func.func @f(%a: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %two = spyre.fill dense<2.0> : tensor<8x64xf16>
  %z = spyre.mul %a, %two : tensor<8x64xf16>
  return %z : tensor<8x64xf16>
}";
    let (outcome, steps) = check(source, "spyre-pipeline");
    assert_eq!(outcome.unwrap(), Outcome::Same);
    assert!(steps.contains(&Step::SameBundle));
}

#[test]
fn buffers_end_the_check() {
    let (outcome, _) = check(TILED, "convert-spyre-to-linalg,spyre-lower-to-llvm");
    let Outcome::LeftTensors { pass, .. } = outcome.unwrap() else {
        panic!("buffers do not run here")
    };
    assert!(pass.contains("one-shot-bufferize"), "{pass}");
}

#[test]
fn passes_that_fail_or_break_the_program_are_named() {
    let (outcome, _) = check(TILED, "coarse-tile,test-fail");
    match outcome {
        Err(CheckError::Failed { pass, before }) => {
            assert_eq!(pass, "builtin.module(func.func(test-fail))");
            assert!(before.contains("scf.for"), "{before}");
        }
        other => panic!("{other:?}"),
    }
    let source = "func.func @f(%a: tensor<2xf16>, %b: tensor<4xf16>) -> tensor<4xf16> { return %b : tensor<4xf16> }";
    let (outcome, _) = check(source, "test-return-argument");
    match outcome {
        Err(CheckError::Broken { reason, .. }) => {
            assert!(matches!(*reason, BrokenBy::Results(_)), "{reason}");
            assert_eq!(
                reason.to_string(),
                "cannot compare tensor<4xf16> with tensor<2xf16>"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn pipelines_are_split_by_mlir() {
    let _context = context();
    let split = |text, anchor| split_pipeline(text, anchor);
    let text = "builtin.module(func.func(test-swap,coarse-tile),spyre-lower-to-llvm)";
    let passes = split(text, Anchor::Explicit).unwrap();
    // Options are printed with their values.
    let names: Vec<&str> = passes
        .iter()
        .filter_map(|pass| pass.split(['{', ')']).next())
        .collect();
    assert_eq!(
        names[..8],
        [
            "builtin.module(func.func(test-swap",
            "builtin.module(func.func(coarse-tile",
            "builtin.module(func.func(convert-elementwise-to-linalg",
            "builtin.module(func.func(spyre-expand-gather-scatter",
            "builtin.module(func.func(spyre-generalize-named-ops",
            "builtin.module(func.func(spyre-order-loops",
            "builtin.module(func.func(spyre-copy-shared-results",
            "builtin.module(one-shot-bufferize",
        ]
    );
    assert_eq!(
        split("test-swap,symbol-dce", Anchor::Implicit).unwrap(),
        [
            "builtin.module(func.func(test-swap))",
            "builtin.module(symbol-dce)"
        ]
    );
    for (text, anchor, message) in [
        ("builtin.module(nonsense)", Anchor::Explicit, "nonsense"),
        ("nonsense", Anchor::Implicit, "nonsense"),
        ("coarse-tile{", Anchor::Implicit, ""),
        ("coarse-tile{unknown=1}", Anchor::Implicit, "unknown"),
        ("builtin.module(", Anchor::Explicit, ""),
    ] {
        let err = split(text, anchor).unwrap_err();
        let error = err.to_string();
        assert!(
            error.contains(message) && !error.is_empty(),
            "{text}: {error}"
        );
    }
}

#[test]
fn two_kinds_of_floats_have_no_card() {
    let source = "func.func @f(%a: tensor<8x64xf16>, %b: tensor<8x64xbf16>) -> (tensor<8x64xf16>, tensor<8x64xbf16>) {
  %two = spyre.fill dense<2.0> : tensor<8x64xf16>
  %y = spyre.mul %a, %two : tensor<8x64xf16>
  %z = spyre.neg %b : tensor<8x64xbf16>
  return %y, %z : tensor<8x64xf16>, tensor<8x64xbf16>
}";
    let (outcome, steps) = check(source, "spyre-pipeline");
    // Up to there, the constant that became an argument is passed.
    assert!(steps.contains(&Step::Same), "{steps:?}");
    match outcome {
        Err(CheckError::Broken { pass, reason, .. }) => {
            assert!(pass.contains("convert-spyre-to-sdscbundle"), "{pass}");
            assert!(reason.to_string().contains("both f16 and bf16"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
}
