//! Rules on the operations of functions, applied by passes.

use std::sync::{Arc, Mutex, Once};
use {spyre_cpp as _, spyre_dialects as _};

use melior::Context;
use melior::dialect::{DialectHandle, DialectRegistry};
use melior::ir::Module;
use melior::ir::operation::OperationLike;
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, OpParts};
use spyre_mlir_rt::pass::{Failed, PassRun, RustPass, register_pass};
use spyre_mlir_rt::rules::{
    Order, Refusal, Rewriter, Rewritten, Rule, RuleFunction, RuleSet, apply_rules,
};

const fn rule(
    name: &'static str,
    operations: &'static [&'static str],
    apply: RuleFunction,
) -> Rule {
    Rule {
        name,
        operations,
        summary: "A rule of the tests",
        apply,
    }
}

/// Builds an operation on the operands of another.
fn renamed<'p>(
    rewriter: &Rewriter<'p>,
    op: Op<'p>,
    name: &'static str,
) -> Result<Rewritten<'p>, Refusal<'p>> {
    let operands: Vec<_> = op.operands().collect();
    let parts = OpParts::named(name, &operands);
    Ok(Rewritten::by(rewriter.before(op).same(parts)))
}

static RULES: &[Rule] = &[
    rule("sub-as-add", &["arith.subi"], |rewriter, op| {
        renamed(rewriter, op, "arith.addi")
    }),
    rule("builds-and-declines", &["arith.addi"], |rewriter, op| {
        renamed(rewriter, op, "arith.andi").map(|_| Rewritten::No)
    }),
    rule("add-as-mul", &["arith.addi"], |rewriter, op| {
        renamed(rewriter, op, "arith.muli")
    }),
    rule("or-as-or", &["arith.ori"], |rewriter, op| {
        renamed(rewriter, op, "arith.ori")
    }),
    rule("panics", &["arith.xori", "arith.shli"], |_, op| {
        panic!("unexpected {}", ir::name(op))
    }),
    rule("refuses", &["arith.divsi"], |_, op| {
        let divisor = ir::operand(op, 1).expect("a quotient has two operands");
        Err(Refusal::from("no quotients").note(divisor, "the divisor"))
    }),
    rule("of-another-type", &["arith.cmpi"], |_, op| {
        Ok(ir::operand(op, 0).into())
    }),
];

static FURTHER: &[Rule] = &[rule("sub-as-max", &["arith.subi"], |rewriter, op| {
    renamed(rewriter, op, "arith.maxsi")
})];

/// Applies rules with a remark for each replacement.
fn apply<'p>(run: &'p PassRun<'p>, tables: &[&'static [Rule]], order: Order) -> Result<(), Failed> {
    let rules = RuleSet::new(tables);
    let count = apply_rules(run, &(), &rules, order, |op, replacement| {
        let built: Vec<_> = replacement.built.iter().map(|op| ir::name(*op)).collect();
        let text = format!("{}: {} to {built:?}", replacement.rule, ir::name(op));
        Diagnostic::remark(op.location(), text).emit();
    })?;
    Diagnostic::remark(run.operation().location(), format!("{count} replaced")).emit();
    Ok(())
}

const fn pass(
    argument: &'static str,
    run: for<'p> fn(&'p PassRun<'p>) -> Result<(), Failed>,
) -> RustPass {
    RustPass {
        argument,
        summary: "A pass of the tests",
        description: "",
        anchor: "func.func",
        options: &[],
        statistics: &[],
        dialects: || vec![DialectHandle::arith()],
        run,
    }
}

static LAST_FIRST: RustPass = pass("test-last-first", |run| {
    apply(run, &[RULES], Order::LastToFirst)
});
static FIRST_FIRST: RustPass = pass("test-first-first", |run| {
    apply(run, &[RULES], Order::FirstToLast)
});
static EXTENDED: RustPass = pass("test-extended", |run| {
    apply(run, &[FURTHER, RULES], Order::LastToFirst)
});

/// The outcome of a pass: whether it succeeds, its messages with their lines and notes, and the module after it.
struct Outcome {
    success: bool,
    messages: Vec<String>,
    text: String,
}

/// Runs a pass on a function with these operations on `%a` and `%b`, one a line, from line 2 on.
fn run(argument: &str, operations: &str) -> Outcome {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        [&LAST_FIRST, &FIRST_FIRST, &EXTENDED]
            .into_iter()
            .for_each(register_pass);
    });
    let registry = DialectRegistry::new();
    DialectHandle::func().insert_dialect(&registry);
    DialectHandle::arith().insert_dialect(&registry);
    DialectHandle::scf().insert_dialect(&registry);
    let context = Context::new_with_registry(&registry, false);
    let messages = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&messages);
    context.attach_diagnostic_handler(move |diagnostic| {
        let place = diagnostic.location().to_string();
        let line = place.split(':').nth(1).unwrap_or("?").to_owned();
        let notes = (0..diagnostic.note_count())
            .filter_map(|number| diagnostic.note(number).ok())
            .map(|note| format!("; {note}"));
        let text = format!("{line}: {diagnostic}{}", notes.collect::<String>());
        sink.lock().unwrap().push(text);
        true
    });
    let source = format!("func.func @f(%a: i32, %b: i32, %c: i1) {{\n{operations}\nreturn\n}}");
    let mut module = Module::parse(&context, &source).expect("the source parses");
    let manager = PassManager::new(&context);
    let pipeline = format!("builtin.module(func.func({argument}))");
    parse_pass_pipeline(manager.as_operation_pass_manager(), &pipeline)
        .expect("the pipeline parses");
    let success = manager.run(&mut module).is_ok();
    let messages = messages.lock().unwrap().clone();
    Outcome {
        success,
        messages,
        text: module.as_operation().to_string(),
    }
}

const THREE: &str = "%0 = arith.subi %a, %b : i32\n\
                     scf.if %c {\n\
                     %1 = arith.addi %a, %a : i32\n\
                     }\n\
                     %2 = arith.subi %b, %0 : i32";

#[test]
fn the_last_operation_is_first_and_built_ones_are_next() {
    let outcome = run("test-last-first", THREE);
    assert!(outcome.success);
    assert_eq!(
        outcome.messages,
        [
            "6: sub-as-add: arith.subi to [\"arith.addi\"]",
            "6: add-as-mul: arith.addi to [\"arith.muli\"]",
            "4: add-as-mul: arith.addi to [\"arith.muli\"]",
            "2: sub-as-add: arith.subi to [\"arith.addi\"]",
            "2: add-as-mul: arith.addi to [\"arith.muli\"]",
            "1: 5 replaced",
        ]
    );
}

#[test]
fn the_first_operation_is_first_and_built_ones_stay() {
    let outcome = run("test-first-first", THREE);
    assert!(outcome.success);
    assert_eq!(
        outcome.messages,
        [
            "2: sub-as-add: arith.subi to [\"arith.addi\"]",
            "4: add-as-mul: arith.addi to [\"arith.muli\"]",
            "6: sub-as-add: arith.subi to [\"arith.addi\"]",
            "1: 3 replaced",
        ]
    );
}

#[test]
fn rules_that_do_not_apply_leave_nothing() {
    let outcome = run("test-first-first", "%0 = arith.addi %a, %b : i32");
    assert!(outcome.text.contains("arith.muli"), "{}", outcome.text);
    assert!(!outcome.text.contains("arith.andi"), "{}", outcome.text);
}

#[test]
fn rules_of_the_first_table_are_first() {
    let outcome = run("test-extended", "%0 = arith.subi %a, %b : i32");
    let expected = [
        "2: sub-as-max: arith.subi to [\"arith.maxsi\"]",
        "1: 1 replaced",
    ];
    assert_eq!(outcome.messages, expected);
}

#[test]
fn refusals_are_reported_at_the_operation_with_their_notes() {
    let outcome = run(
        "test-last-first",
        "%0 = arith.divsi %a, %b : i32\n%1 = arith.addi %a, %b : i32",
    );
    assert!(!outcome.success);
    assert_eq!(
        outcome.messages,
        [
            "3: add-as-mul: arith.addi to [\"arith.muli\"]",
            "2: test-last-first: no quotients; the divisor",
        ]
    );
}

#[test]
fn panics_of_rules_are_reported_at_the_operation() {
    let outcome = run("test-last-first", "%0 = arith.shli %a, %b : i32");
    assert!(!outcome.success);
    assert_eq!(
        outcome.messages,
        [
            "2: internal error: rule 'panics' of pass 'test-last-first' panicked: unexpected arith.shli"
        ]
    );
}

#[test]
fn a_value_of_another_type_is_a_fault_of_the_rule() {
    let outcome = run("test-last-first", "%0 = arith.cmpi eq, %a, %b : i32");
    assert!(!outcome.success);
    assert_eq!(
        outcome.messages,
        [
            "2: internal error: rule 'of-another-type' of pass 'test-last-first' panicked: a result of type i1 is replaced by \
             a value of type i32"
        ]
    );
}

#[test]
fn rules_without_an_end_are_reported() {
    let outcome = run("test-last-first", "%0 = arith.ori %a, %b : i32");
    assert!(!outcome.success);
    assert_eq!(
        outcome.messages.last().map(String::as_str),
        Some(
            "2: test-last-first: after 64 rules, each at an operation that the previous one has built, rule 'or-as-or' has built \
             'arith.ori', at which one begins"
        )
    );
    // In the other order, operations that are built are not visited.
    let outcome = run("test-first-first", "%0 = arith.ori %a, %b : i32");
    assert!(outcome.success);
}
