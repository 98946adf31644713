//! Parses source files with good diagnostics, and runs pipelines on their modules.

use std::ffi::c_void;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use melior::ir::{Module, OperationRef};
use melior::pass::PassManager;
use melior::{Context, StringRef};
use mlir_sys::{MlirModule, MlirStringRef};
use thiserror::Error;

use crate::execution::append;
use crate::ir::Op;
use crate::{ffi, messages, panics, symbols};

/// Parses and verifies a file of MLIR, text or bytecode, and calls `work` with its module. `-` is standard input. While
/// it runs, diagnostics are printed with their source lines.
///
/// Returns what `work` returned, or `None` when the file could not be read, parsed or verified; then a message has
/// been printed.
pub fn with_source_file<T>(
    context: &Context,
    path: &str,
    work: impl FnOnce(Op<'_>) -> T,
) -> Option<T> {
    if messages::is_json() {
        return with_source_file_in_json(context, path, work);
    }
    let (outcome, _) = with_module(work, |callback, _, user| {
        // SAFETY: `user` has the type that `callback` expects, and outlives the call.
        unsafe {
            ffi::spyreWithSourceFile(
                context.to_raw(),
                StringRef::new(path).to_raw(),
                callback,
                user,
            )
        }
    });
    if outcome.is_none() {
        hint_at_lowering(path);
    }
    outcome
}

/// Does the work of [`with_source_file`] where messages are JSON: C++ would attach a handler that prints text.
fn with_source_file_in_json<T>(
    context: &Context,
    path: &str,
    work: impl FnOnce(Op<'_>) -> T,
) -> Option<T> {
    let (name, source) = match path {
        "-" => {
            let mut source = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut source);
            ("<stdin>", read.map(|_| source))
        }
        path => (path, fs::read(path)),
    };
    let outcome = match source {
        Ok(source) => parse(context, name, &source).map(|module| work(module.as_operation())),
        Err(err) => {
            messages::print(&format!("error: cannot open input file '{path}': {err}"));
            None
        }
    };
    if outcome.is_none() {
        hint_at_lowering(path);
    }
    outcome
}

/// Dialects of front ends that are not here, and the command that takes each to linalg.
const FRONT_ENDS: [(&str, &str); 3] = [
    (
        "stablehlo",
        "python -m spyre_mlir.convert stablehlo FILE -o linalg.mlir",
    ),
    (
        "torch",
        "iree-opt --torch-onnx-to-torch-backend-pipeline \
         --torch-backend-to-linalg-on-tensors-backend-pipeline FILE",
    ),
    (
        "onnx",
        "python -m spyre_mlir.convert onnx MODEL.onnx -o linalg.mlir",
    ),
];

/// The bytes of a file in which dialects of front ends are looked for.
const HEAD_BYTES: u64 = 1 << 16;

/// Prints, after a file was not parsed, how to lower it if it is in the dialect of a front end, or a program in JSON.
/// Standard input and files that cannot be read get no message.
pub fn hint_at_lowering(path: &str) {
    let Ok(file) = File::open(path) else { return };
    let mut head = Vec::new();
    if file.take(HEAD_BYTES).read_to_end(&mut head).is_err() {
        return;
    }
    let head = String::from_utf8_lossy(&head);
    let is_json = head.trim_ascii_start().starts_with(['{', '[']);
    if is_json && head.contains("\"format\"") {
        messages::print(&format!(
            "note: {path} is a program in JSON, and no module. To run it: spyre-run {path}. To make a module of it: spyre-translate --import {path}"
        ));
        return;
    }
    if is_json && head.contains("\"kind\"") {
        messages::print(&format!(
            "note: {path} is a tree of OpSpecs in JSON, and no module. To write its bundle: spyre-translate --opspec-to-bundle {path} -o DIR. To \
             make a module of it: spyre-translate --import-opspec {path}"
        ));
        return;
    }
    let has = |dialect: &str| {
        let prefix = format!("{dialect}.");
        let mut words = head.split(|at: char| at.is_whitespace() || matches!(at, '!' | '(' | '<'));
        // A quoted name is that of an operation where its operands follow.
        words.any(|word| word.starts_with(&prefix))
            || head.split(&format!("\"{prefix}")).skip(1).any(|rest| {
                rest.split('"')
                    .nth(1)
                    .is_some_and(|next| next.starts_with('('))
            })
    };
    if let Some((dialect, command)) = FRONT_ENDS.iter().find(|(dialect, _)| has(dialect)) {
        messages::print(&format!(
            "note: {path} has operations of '{dialect}', and spyre-mlir reads linalg on tensors. To lower it, with \
             iree-base-compiler of PyPI: {}",
            command.replace("FILE", path)
        ));
    }
}

/// Calls `work` as [`with_source_file`] does, with the module of a text with the file name `name` in messages.
/// Diagnostics are not printed but returned as text.
pub fn with_source_text<T>(
    context: &Context,
    name: &str,
    text: &str,
    work: impl FnOnce(Op<'_>) -> T,
) -> (Option<T>, String) {
    with_module(work, |callback, print, user| {
        // SAFETY: `user` has the type that `callback` and `print` expect, and outlives the call, as the texts do.
        unsafe {
            ffi::spyreWithSourceText(
                context.to_raw(),
                StringRef::new(name).to_raw(),
                StringRef::new(text).to_raw(),
                callback,
                print,
                user,
            )
        }
    })
}

/// Parses and verifies a module of text or bytecode, which messages call `name`. Diagnostics go to the handlers of the
/// context.
///
/// Returns `None`, after a diagnostic, if the source is no module.
#[must_use]
pub fn parse<'c>(context: &'c Context, name: &str, source: &[u8]) -> Option<Module<'c>> {
    let source = MlirStringRef {
        data: source.as_ptr().cast(),
        length: source.len(),
    };
    // SAFETY: the name and the source outlive the call, which copies them; the module is owned by the caller.
    let module = unsafe {
        let name = StringRef::new(name).to_raw();
        Module::from_option_raw(ffi::spyreParse(context.to_raw(), name, source))
    }?;
    match symbols::check(module.as_operation()) {
        Ok(()) => Some(module),
        Err(diagnostic) => {
            diagnostic.emit();
            None
        }
    }
}

type OnModule = unsafe extern "C" fn(MlirModule, *mut c_void) -> bool;
type OnText = unsafe extern "C" fn(MlirStringRef, *mut c_void);

/// Calls `parse` through C, which calls `work` with a module. Returns the outcome and the text that was printed.
fn with_module<T, F: FnOnce(Op<'_>) -> T>(
    work: F,
    parse: impl FnOnce(OnModule, OnText, *mut c_void) -> bool,
) -> (Option<T>, String) {
    struct Call<F, T> {
        work: Option<F>,
        outcome: Option<std::thread::Result<T>>,
        printed: String,
    }
    unsafe extern "C" fn on_module<T, F: FnOnce(Op<'_>) -> T>(
        module: MlirModule,
        user: *mut c_void,
    ) -> bool {
        // SAFETY: `user` is the `Call` below, which outlives the call.
        let call = unsafe { &mut *user.cast::<Call<F, T>>() };
        // SAFETY: the module lives during the call.
        let module = unsafe { OperationRef::from_raw(mlir_sys::mlirModuleGetOperation(module)) };
        if let Err(diagnostic) = symbols::check(module) {
            diagnostic.emit();
            return false;
        }
        if let Some(work) = call.work.take() {
            // A panic must not unwind into C++.
            call.outcome = Some(catch_unwind(AssertUnwindSafe(|| work(module))));
        }
        true
    }
    unsafe extern "C" fn on_text<T, F: FnOnce(Op<'_>) -> T>(
        text: MlirStringRef,
        user: *mut c_void,
    ) {
        // SAFETY: `user` is the `Call` below, which outlives the call.
        let call = unsafe { &mut *user.cast::<Call<F, T>>() };
        // SAFETY: a `String`, which outlives the call.
        unsafe { append(text, (&raw mut call.printed).cast()) }
    }
    let mut call = Call::<F, T> {
        work: Some(work),
        outcome: None,
        printed: String::new(),
    };
    let user = (&raw mut call).cast();
    parse(on_module::<T, F>, on_text::<T, F>, user);
    let outcome = match call.outcome {
        Some(Ok(outcome)) => Some(outcome),
        Some(Err(panic)) => resume_unwind(panic),
        None => None,
    };
    (outcome, call.printed)
}

/// The reason why a pipeline did not run to its end.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PipelineError {
    /// The text is not a pipeline of registered passes. MLIR's message has the place in the text.
    #[error("{0}")]
    Syntax(String),
    /// A pass failed. Its diagnostics have been emitted, at the operations that they are about.
    #[error("a pass failed")]
    PassFailed,
    /// A pass panicked, which is a bug of the pass. A diagnostic has been emitted.
    #[error("{0}")]
    Panicked(String),
}

/// Runs a textual pipeline, such as `builtin.module(spyre-pipeline)`, on a module. The passes must be registered.
/// Diagnostics have been emitted when it fails.
///
/// # Errors
/// [`PipelineError`].
pub fn run_pipeline(
    context: &Context,
    module: Op<'_>,
    pipeline: &str,
) -> Result<(), PipelineError> {
    let manager = PassManager::new(context);
    melior::utility::parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline)
        .map_err(|err| PipelineError::Syntax(err.to_string()))?;
    panics::take(context);
    // SAFETY: a live pass manager and operation. melior's own `run` takes an owned module only.
    let result = unsafe { mlir_sys::mlirPassManagerRunOnOp(manager.to_raw(), module.to_raw()) };
    match panics::take(context) {
        Some(message) => Err(PipelineError::Panicked(message)),
        None if result.value == 0 => Err(PipelineError::PassFailed),
        None => Ok(()),
    }
}

/// The way in which a textual pipeline names the operations that its passes run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The text names them: `builtin.module(func.func(cse))`.
    Explicit,
    /// The text is a list of passes. Each one runs wherever in the module it can, as a flag of `mlir-opt`: `cse,symbol-dce`.
    Implicit,
}

/// Returns the passes of a textual pipeline, in order, each as a separate pipeline with its nesting. Named pipelines
/// are expanded. Running the parts in order is equivalent to running the pipeline.
///
/// # Errors
/// [`PipelineError::Syntax`].
pub fn split_pipeline(text: &str, anchor: Anchor) -> Result<Vec<String>, PipelineError> {
    let mut passes = Vec::new();
    match anchor {
        Anchor::Explicit => passes.extend(parts(&printed_pipeline(text, anchor)?)),
        Anchor::Implicit => {
            for pass in parts(text) {
                passes.extend(parts(&printed_pipeline(&pass, anchor)?));
            }
        }
    }
    Ok(passes)
}

/// Returns a pipeline as MLIR prints it, without named pipelines.
fn printed_pipeline(text: &str, anchor: Anchor) -> Result<String, PipelineError> {
    struct Outcome {
        text: Option<String>,
        error: String,
    }
    unsafe extern "C" fn on_text(text: MlirStringRef, user: *mut c_void) {
        // SAFETY: `user` is the `Outcome` below.
        let outcome = unsafe { &mut *user.cast::<Outcome>() };
        let into = outcome.text.get_or_insert_default();
        // SAFETY: a `String`, which outlives the call.
        unsafe { append(text, std::ptr::from_mut(into).cast()) }
    }
    unsafe extern "C" fn on_error(text: MlirStringRef, user: *mut c_void) {
        // SAFETY: `user` is the `Outcome` below.
        let outcome = unsafe { &mut *user.cast::<Outcome>() };
        // SAFETY: a `String`, which outlives the call.
        unsafe { append(text, (&raw mut outcome.error).cast()) }
    }
    let mut outcome = Outcome {
        text: None,
        error: String::new(),
    };
    // SAFETY: the text and the outcome outlive the call, and the callbacks expect the outcome.
    unsafe {
        ffi::spyreParsePipeline(
            StringRef::new(text).to_raw(),
            anchor == Anchor::Implicit,
            Some(on_text),
            Some(on_error),
            std::ptr::from_mut(&mut outcome).cast(),
        );
    }
    let Outcome { text, error } = outcome;
    text.ok_or_else(|| PipelineError::Syntax(error.trim_end().to_owned()))
}

/// Returns the passes in the text of a pipeline, in order, each with its options and its nesting. Named pipelines stay
/// as they are.
#[must_use]
pub fn passes(text: &str) -> Vec<String> {
    parts(text)
}

/// Splits a pipeline into its passes: names, options in braces, and nested pipelines in parentheses.
fn parts(pipeline: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut anchors: Vec<&str> = Vec::new();
    let mut braces = 0_usize;
    let mut quote = None;
    let mut start = 0;
    let mut finish = |anchors: &[&str], pass: &str| {
        if !pass.is_empty() {
            let open: String = anchors.iter().map(|anchor| format!("{anchor}(")).collect();
            lines.push(format!("{open}{pass}{}", ")".repeat(anchors.len())));
        }
    };
    for (at, byte) in pipeline.bytes().enumerate() {
        let text = pipeline.get(start..at).unwrap_or_default();
        match (byte, quote) {
            (_, Some(open)) => quote = (byte != open).then_some(open),
            (b'\'' | b'"', None) if braces > 0 => quote = Some(byte),
            (b'{', None) => braces += 1,
            (b'}', None) => braces = braces.saturating_sub(1),
            (b'(', None) if braces == 0 => {
                anchors.push(text);
                start = at + 1;
            }
            (b',', None) if braces == 0 => {
                finish(&anchors, text);
                start = at + 1;
            }
            (b')', None) if braces == 0 => {
                finish(&anchors, text);
                anchors.pop();
                start = at + 1;
            }
            _ => {}
        }
    }
    finish(&anchors, pipeline.get(start..).unwrap_or_default());
    lines
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn pipelines_fall_apart_into_passes() {
        let cases: [(&str, &[&str]); 6] = [
            ("builtin.module()", &[]),
            ("builtin.module(a)", &["builtin.module(a)"]),
            (
                "builtin.module(func.func(a,b{x=1 y=2}),c)",
                &[
                    "builtin.module(func.func(a))",
                    "builtin.module(func.func(b{x=1 y=2}))",
                    "builtin.module(c)",
                ],
            ),
            (
                "builtin.module(a{list={1,2} text='(,})'},any(b))",
                &[
                    "builtin.module(a{list={1,2} text='(,})'})",
                    "builtin.module(any(b))",
                ],
            ),
            (
                "builtin.module(a{text=\"{\"},b)",
                &["builtin.module(a{text=\"{\"})", "builtin.module(b)"],
            ),
            ("a,b", &["a", "b"]),
        ];
        for (pipeline, expected) in cases {
            assert_eq!(parts(pipeline), expected, "{pipeline}");
        }
    }
}
