//! Passes written in Rust, run through MLIR's pass manager as a tool runs them.

use std::sync::{Arc, Mutex, Once};
use {spyre_cpp as _, spyre_dialects as _};

use melior::Context;
use melior::diagnostic::DiagnosticSeverity;
use melior::dialect::{DialectHandle, DialectRegistry};
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Module};
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir;
use spyre_mlir_rt::pass::{
    Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass, register_pass,
};
use spyre_mlir_rt::pipeline::{
    PipelineOption, PipelineOptionKind, RustPipeline, register_pipeline,
};
use spyre_mlir_rt::statistics;

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
        dialects: Vec::new,
        run,
    }
}

const fn option(name: &'static str, kind: OptionKind) -> PassOption {
    PassOption {
        name,
        description: "An option of the tests",
        kind,
    }
}

/// Reports its options as a remark.
static PROBE: RustPass = RustPass {
    options: &[
        option("int", OptionKind::Int(-7)),
        option("flag", OptionKind::Bool(true)),
        option("text", OptionKind::Str("plain")),
        option("list", OptionKind::List),
        option("other-flag", OptionKind::Bool(false)),
    ],
    ..pass("test-probe", |run| {
        let message = format!(
            "int={} flag={} text='{}' list={:?} other-flag={}",
            run.int("int"),
            run.flag("flag"),
            run.text("text"),
            run.list("list"),
            run.flag("other-flag"),
        );
        Diagnostic::remark(run.operation().location(), message).emit();
        run.preserve_analyses();
        Ok(())
    })
};

/// Counts functions and the operations in them.
static COUNT: RustPass = RustPass {
    statistics: &[
        PassStatistic {
            name: "operations",
            description: "Operations seen",
        },
        PassStatistic {
            name: "functions",
            description: "Functions seen",
        },
        PassStatistic {
            name: "nothing",
            description: "Never counted",
        },
    ],
    ..pass("test-count", |run| {
        let operations =
            ir::function_body(run.operation()).map_or(0, |body| ir::operations(body).count());
        run.count("functions", 1);
        run.count("operations", operations);
        Ok(())
    })
};

static NEVER_RUN: RustPass = RustPass {
    statistics: &[PassStatistic {
        name: "runs",
        description: "Runs",
    }],
    ..pass("test-never-run", |run| {
        run.count("runs", 1);
        Ok(())
    })
};

static REFUSE: RustPass = pass("test-refuse", |run| {
    let here = run.operation().location();
    Err(Diagnostic::error(here, "refused 3 of 4")
        .note(here, "the other end")
        .into())
});

static SILENT: RustPass = pass("test-silent", |_| Err(Failed));
static PANIC: RustPass = pass("test-panic", |run| {
    panic!(
        "unexpected {}",
        run.operation()
            .name()
            .as_string_ref()
            .as_str()
            .unwrap_or("?")
    )
});
static PANIC_STATIC: RustPass = pass("test-panic-static", |_| panic!("without arguments"));
static WRONG_OPTION: RustPass = pass("test-wrong-option", |run| {
    let _ = run.int("undeclared");
    Ok(())
});

/// Builds an operation of a dialect that the input does not load.
static BUILD: RustPass = RustPass {
    dialects: || vec![DialectHandle::arith()],
    ..pass("test-build", |run| {
        let body = ir::function_body(run.operation()).ok_or(Failed)?;
        let first = body.first_operation().ok_or(Failed)?;
        ir::build_index_constant(ir::At::Before(first), run.operation().location(), 42);
        Ok(())
    })
};

static ANYWHERE: RustPass = RustPass {
    anchor: "",
    ..pass("test-anywhere", |run| {
        let operation = run.operation();
        let name = operation
            .name()
            .as_string_ref()
            .as_str()
            .unwrap_or("?")
            .to_owned();
        Diagnostic::remark(operation.location(), name).emit();
        Ok(())
    })
};

static PIPELINE: RustPipeline = RustPipeline {
    argument: "test-pipeline",
    summary: "A pipeline of the tests",
    options: &[
        PipelineOption {
            name: "build",
            description: "whether to build",
            kind: PipelineOptionKind::Bool(true),
        },
        PipelineOption {
            name: "int",
            description: "what the last probe is given",
            kind: PipelineOptionKind::Str("2"),
        },
    ],
    passes: |run| {
        let build = if run.flag("build") { "test-build," } else { "" };
        let int = run.text("int");
        format!("func.func(test-probe{{int=1}},{build}test-probe{{int={int}}})")
    },
};

const ALL: [&RustPass; 10] = [
    &PROBE,
    &COUNT,
    &NEVER_RUN,
    &REFUSE,
    &SILENT,
    &PANIC,
    &PANIC_STATIC,
    &WRONG_OPTION,
    &BUILD,
    &ANYWHERE,
];

/// A diagnostic as the tests compare it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Message {
    severity: &'static str,
    text: String,
    notes: Vec<String>,
}

/// The outcome of a run of a pipeline.
struct Outcome {
    success: bool,
    messages: Vec<Message>,
    text: String,
    loaded: usize,
}

impl Outcome {
    fn texts(&self, severity: &str) -> Vec<&str> {
        self.messages
            .iter()
            .filter(|message| message.severity == severity)
            .map(|message| message.text.as_str())
            .collect()
    }
}

fn context(threads: bool) -> Context {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // A second registration of the same pass has no effect.
        for pass in ALL.into_iter().chain(ALL) {
            register_pass(pass);
        }
        register_pipeline(&PIPELINE);
    });
    let registry = DialectRegistry::new();
    DialectHandle::func().insert_dialect(&registry);
    Context::new_with_registry(&registry, threads)
}

fn functions(count: usize) -> String {
    (0..count)
        .map(|i| format!("func.func @f{i}() {{ return }}\n"))
        .collect()
}

fn parse_error(pipeline: &str) -> String {
    let context = context(false);
    let manager = PassManager::new(&context);
    match parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline) {
        Ok(()) => panic!("'{pipeline}' is accepted"),
        Err(error) => error.to_string(),
    }
}

fn run(threads: bool, pipeline: &str, source: &str) -> Outcome {
    let context = context(threads);
    let messages = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&messages);
    context.attach_diagnostic_handler(move |diagnostic| {
        let severity = match diagnostic.severity() {
            DiagnosticSeverity::Error => "error",
            DiagnosticSeverity::Warning => "warning",
            DiagnosticSeverity::Remark => "remark",
            DiagnosticSeverity::Note => "note",
        };
        let notes = (0..diagnostic.note_count())
            .filter_map(|i| Some(diagnostic.note(i).ok()?.to_string()))
            .collect();
        sink.lock().unwrap().push(Message {
            severity,
            text: diagnostic.to_string(),
            notes,
        });
        true
    });
    let mut module = Module::parse(&context, source).expect("the source parses");
    let manager = PassManager::new(&context);
    parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline)
        .expect("the pipeline parses");
    let success = manager.run(&mut module).is_ok();
    let text = module.as_operation().to_string();
    let messages = messages.lock().unwrap().clone();
    Outcome {
        success,
        messages,
        text,
        loaded: context.loaded_dialect_count(),
    }
}

fn probe(options: &str) -> String {
    let outcome = run(
        false,
        &format!("builtin.module(func.func(test-probe{options}))"),
        &functions(1),
    );
    assert!(outcome.success);
    assert_eq!(outcome.messages.len(), 1, "{:?}", outcome.messages);
    outcome.messages[0].text.clone()
}

#[test]
fn options_have_their_defaults() {
    assert_eq!(
        probe(""),
        "int=-7 flag=true text='plain' list=[] other-flag=false"
    );
}

#[test]
fn options_of_every_kind_are_read() {
    assert_eq!(
        probe("{int=9223372036854775807 flag=false text=other list=a,b-c:1@2 other-flag=true}"),
        "int=9223372036854775807 flag=false text='other' list=[\"a\", \"b-c:1@2\"] other-flag=true"
    );
    assert_eq!(
        probe("{int=-9223372036854775808}"),
        "int=-9223372036854775808 flag=true text='plain' list=[] other-flag=false"
    );
    // A flag without a value is set; braces keep a list together.
    assert_eq!(
        probe("{other-flag list={x,y,z}}"),
        "int=-7 flag=true text='plain' list=[\"x\", \"y\", \"z\"] other-flag=true"
    );
    assert_eq!(
        probe("{text={two words}}"),
        "int=-7 flag=true text='two words' list=[] other-flag=false"
    );
}

#[test]
fn options_that_cannot_be_are_refused() {
    let error = parse_error("builtin.module(func.func(test-probe{nothing=1}))");
    assert!(error.contains("no such option nothing"), "{error}");
    for bad in [
        "int=many",
        "int=9223372036854775808",
        "int=1.5",
        "flag=perhaps",
    ] {
        parse_error(&format!("builtin.module(func.func(test-probe{{{bad}}}))"));
    }
    let error = parse_error("builtin.module(test-probe)");
    assert!(error.contains("restricted to 'func.func'"), "{error}");
    let error = parse_error("builtin.module(test-pipeline{nothing=1})");
    assert!(error.contains("no such option nothing"), "{error}");
    parse_error("builtin.module(test-pipeline{build=perhaps})");
}

#[test]
fn clones_for_threads_keep_their_options() {
    let outcome = run(
        true,
        "builtin.module(func.func(test-probe{int=5 text=kept list=a,b}))",
        &functions(64),
    );
    assert!(outcome.success);
    let texts = outcome.texts("remark");
    assert_eq!(texts.len(), 64);
    assert!(texts.iter().all(|text| *text == "int=5 flag=true text='kept' list=[\"a\", \"b\"] other-flag=false"), "{texts:?}");
}

#[test]
fn statistics_add_up_over_threads_and_runs() {
    for (threads, total) in [(false, 10), (true, 60)] {
        let count = if threads { 50 } else { 10 };
        let outcome = run(
            threads,
            "builtin.module(func.func(test-count))",
            &functions(count),
        );
        assert!(outcome.success);
        assert_eq!(statistics::total(&COUNT, "functions"), Some(total));
        assert_eq!(statistics::total(&COUNT, "operations"), Some(total));
    }
    assert_eq!(statistics::total(&COUNT, "nothing"), Some(0));
    assert_eq!(statistics::total(&COUNT, "undeclared"), None);
    assert_eq!(statistics::total(&NEVER_RUN, "runs"), Some(0));

    // By name, aligned, and only of the passes that ran and have any.
    let expected = "test-count\n  \
                    (S) 60 functions  - Functions seen\n  \
                    (S)  0 nothing    - Never counted\n  \
                    (S) 60 operations - Operations seen\n";
    assert_eq!(statistics::report(), expected);
}

#[test]
fn a_pass_fails_with_its_diagnostic() {
    let outcome = run(
        false,
        "builtin.module(func.func(test-refuse,test-probe))",
        &functions(1),
    );
    assert!(!outcome.success);
    let expected = Message {
        severity: "error",
        text: "refused 3 of 4".into(),
        notes: vec!["the other end".into()],
    };
    // The passes after the failed one do not run.
    assert_eq!(outcome.messages, [expected]);

    let outcome = run(
        false,
        "builtin.module(func.func(test-silent))",
        &functions(1),
    );
    assert!(!outcome.success && outcome.messages.is_empty());
}

#[test]
fn a_panic_is_an_error_at_the_operation() {
    for (name, message) in [
        (
            "test-panic",
            "internal error: pass 'test-panic' panicked: unexpected func.func",
        ),
        (
            "test-panic-static",
            "internal error: pass 'test-panic-static' panicked: without arguments",
        ),
        (
            "test-wrong-option",
            "internal error: pass 'test-wrong-option' panicked: pass 'test-wrong-option' has no such option 'undeclared'",
        ),
    ] {
        let outcome = run(
            false,
            &format!("builtin.module(func.func({name}))"),
            &functions(1),
        );
        assert!(!outcome.success);
        assert_eq!(outcome.texts("error"), [message]);
    }
    // In worker threads as well.
    let outcome = run(
        true,
        "builtin.module(func.func(test-panic))",
        &functions(16),
    );
    assert!(!outcome.success);
    assert!(!outcome.texts("error").is_empty());
}

#[test]
fn dependent_dialects_are_loaded_before_the_run() {
    let before = run(
        false,
        "builtin.module(func.func(test-probe))",
        &functions(1),
    );
    let after = run(
        false,
        "builtin.module(func.func(test-build))",
        &functions(1),
    );
    assert!(after.success);
    assert!(
        after.text.contains("arith.constant 42 : index"),
        "{}",
        after.text
    );
    assert!(
        after.loaded > before.loaded,
        "{} dialects after, {} before",
        after.loaded,
        before.loaded
    );
}

#[test]
fn a_pipeline_stands_for_its_passes() {
    let outcome = run(false, "builtin.module(test-pipeline)", &functions(1));
    assert!(outcome.success);
    let ints: Vec<_> = outcome
        .texts("remark")
        .iter()
        .map(|text| text[..5].to_owned())
        .collect();
    assert_eq!(ints, ["int=1", "int=2"]);
    assert!(
        outcome.text.contains("arith.constant 42 : index"),
        "{}",
        outcome.text
    );
}

#[test]
fn a_pass_without_anchor_runs_anywhere() {
    let outcome = run(
        false,
        "builtin.module(test-anywhere,func.func(test-anywhere))",
        &functions(1),
    );
    assert!(outcome.success);
    assert_eq!(outcome.texts("remark"), ["builtin.module", "func.func"]);
}
