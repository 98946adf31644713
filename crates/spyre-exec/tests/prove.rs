//! Pipelines that are proved pass by pass, and passes that break the program.

mod wrong;

use std::sync::Once;

use melior::Context;
use melior::ir::Module;
use melior::ir::operation::OperationLike as _;
use spyre_exec::prove::{NO_PASS, Outcome, PipelineProofError, Proof, pipeline};
use spyre_mlir_rt::ir::{self, OpKind};
use spyre_mlir_rt::pass::{RustPass, register_pass};
use spyre_mlir_rt::source::{Anchor, split_pipeline};
use spyre_proof_mlir::prove::Options;
use wrong::{each, pass, swap};

/// A difference in two tiles of rows, and a sum along the columns.
const PROGRAM: &str = r#"
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<8x256xf16, #stick>
func.func @f(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
  %y = spyre.sub %a, %b tile [0: "A" in 2] : !t
  %z = spyre.mul %y, %b tile [0: "A" in 2] : !t
  return %z : !t
}
"#;

/// Exchanges the operands of every subtraction.
static SWAP: RustPass = swap("test-prove-swap-subtraction");

/// Makes every loop one iteration shorter.
static SHORTEN: RustPass = pass("test-prove-shorten-loops", |run| {
    let function = run.operation();
    each(function, &mut |op| {
        if ir::kind(op) == OpKind::For
            && let Some(count) = ir::constant_operand(op, 1)
            && let Some(body) = ir::function_body(function)
            && let Some(first) = ir::operations(body).next()
        {
            let at = ir::At::Before(first);
            let less = ir::build_index_constant(at, op.location(), count - 1);
            ir::set_operand(op, 1, less);
        }
    });
    Ok(())
});

/// Returns a context with the wrong passes.
fn context() -> Context {
    static PASSES: Once = Once::new();
    let context = spyre_exec::context();
    PASSES.call_once(|| [&SWAP, &SHORTEN].into_iter().for_each(register_pass));
    context.attach_diagnostic_handler(|_| true);
    context
}

/// Proves a list of passes on the program. Returns the outcome, and the proof of each pass by name.
fn prove(passes: &str) -> (Result<Outcome, PipelineProofError>, Vec<(String, Proof)>) {
    let context = context();
    let module = Module::parse(&context, PROGRAM).expect("the program parses");
    let passes = split_pipeline(passes, Anchor::Implicit).expect("a pipeline");
    let mut proofs = Vec::new();
    let outcome = pipeline(
        &context,
        module.as_operation(),
        &passes,
        Options::default(),
        |pass, proof| proofs.push((pass.to_owned(), proof)),
    );
    (outcome, proofs)
}

#[test]
fn the_whole_pipeline_is_proved() {
    let (outcome, proofs) = prove("spyre-pipeline");
    assert_eq!(outcome.expect("it comes to its end"), Outcome::Passed);
    assert_eq!(proofs[0].0, NO_PASS);
    let bundles = proofs
        .iter()
        .filter(|(_, proof)| matches!(proof, Proof::Bundle(_)));
    assert_eq!(bundles.count(), 1);
    let mut claims = 0;
    for (pass, proof) in proofs {
        let counts = proof.counts();
        assert_eq!((counts.refuted, counts.undecided), (0, 0), "{pass}");
        claims += counts.proved;
    }
    assert!(claims > 50, "{claims}");
}

#[test]
fn passes_that_break_the_program_are_refuted() {
    for wrong in ["test-prove-swap-subtraction", "test-prove-shorten-loops"] {
        let (outcome, proofs) = prove(&format!("coarse-tile,{wrong},cse"));
        let Ok(Outcome::Refuted { pass, before }) = outcome else {
            panic!("{wrong}: {outcome:?}");
        };
        assert!(pass.contains(wrong), "{pass}");
        assert!(before.contains("scf.for"), "{before}");
        let (last, proof) = proofs.last().expect("there are proofs");
        assert_eq!(*last, pass);
        assert!(proof.is_refuted());
    }
}

#[test]
fn a_pass_that_fails_has_the_module_before_it() {
    let (outcome, _) = prove("coarse-tile{groups=1}");
    let Err(PipelineProofError::Failed { before, .. }) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(before.contains("spyre.sub"), "{before}");
}
