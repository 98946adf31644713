//! Named pipelines with options, registered in MLIR's registry.
//!
//! A pipeline is a `static` [`RustPipeline`]. Its options determine a textual pipeline, which MLIR parses: so a
//! pipeline nests, prints and reproduces like its expansion.

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use melior::StringRef;
use mlir_sys::{MlirStringCallback, MlirStringRef};

use crate::ffi;
use crate::pass::{forever, owned};
use crate::statistics;

/// The kind of an option of a pipeline, with its default or with the value that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipelineOptionKind {
    /// A flag.
    Bool(bool),
    /// A text.
    Str(&'static str),
}

/// An option of a pipeline.
#[derive(Debug, Clone, Copy)]
pub struct PipelineOption {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for `--help`.
    pub description: &'static str,
    /// Kind and default.
    pub kind: PipelineOptionKind,
}

/// A named pipeline that expands to a textual one.
#[derive(Debug, Clone, Copy)]
pub struct RustPipeline {
    /// The argument that names it on a command line, without dashes.
    pub argument: &'static str,
    /// One line for `--help`.
    pub summary: &'static str,
    /// The options.
    pub options: &'static [PipelineOption],
    /// The passes for some options, in the syntax of `--pass-pipeline` without the outer `builtin.module(...)`.
    pub passes: fn(&PipelineRun) -> String,
}

impl RustPipeline {
    /// Returns the passes without any option given.
    #[must_use]
    pub fn default_passes(&self) -> String {
        let values = self.options.iter().map(|option| match option.kind {
            PipelineOptionKind::Bool(value) => Value::Bool(value),
            PipelineOptionKind::Str(value) => Value::Str(value.to_owned()),
        });
        (self.passes)(&PipelineRun {
            options: self.options,
            values: values.collect(),
        })
    }
}

/// One use of a pipeline.
#[derive(Debug)]
pub struct PipelineRun {
    options: &'static [PipelineOption],
    /// The values of the options, in their order and of the same kinds.
    values: Vec<Value>,
}

#[derive(Debug)]
enum Value {
    Bool(bool),
    Str(String),
}

impl PipelineRun {
    /// Returns the value of a flag.
    ///
    /// # Panics
    /// When the pipeline declares no such flag: a mistake in the pipeline, not in its input.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        match self.value(name) {
            Value::Bool(value) => *value,
            Value::Str(_) => panic!("option '{name}' is a text"),
        }
    }

    /// Returns the value of a text. Panics as [`PipelineRun::flag`].
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        match self.value(name) {
            Value::Str(value) => value,
            Value::Bool(_) => panic!("option '{name}' is a flag"),
        }
    }

    fn value(&self, name: &str) -> &Value {
        let mut options = self.options.iter().zip(&self.values);
        let entry = options.find(|(option, _)| option.name == name);
        let (_, value) = entry.unwrap_or_else(|| panic!("the pipeline has no option '{name}'"));
        value
    }
}

/// Registers a pipeline in MLIR's global registry. The same rules as for
/// [`register_pass`](crate::pass::register_pass).
pub fn register_pipeline(pipeline: &'static RustPipeline) {
    let _guard = statistics::registered();
    let options: Vec<ffi::SpyreOption> = pipeline
        .options
        .iter()
        .map(|option| {
            let (kind, default): (c_int, &'static str) = match option.kind {
                PipelineOptionKind::Bool(true) => (1, "true"),
                PipelineOptionKind::Bool(false) => (1, "false"),
                PipelineOptionKind::Str(value) => (2, value),
            };
            ffi::SpyreOption {
                kind,
                name: forever(option.name),
                description: forever(option.description),
                default_value: forever(default),
            }
        })
        .collect();
    let description = ffi::SpyrePipeline {
        argument: forever(pipeline.argument),
        description: forever(pipeline.summary),
        num_options: options.len().cast_signed(),
        options: options.leak().as_ptr(),
        passes: expand,
        user: std::ptr::from_ref(pipeline).cast(),
    };
    // SAFETY: everything the description points to lives forever.
    unsafe { ffi::spyreRegisterPipeline(Box::leak(Box::new(description))) }
}

/// Called by MLIR where a pipeline is used.
unsafe extern "C" fn expand(
    run: ffi::SpyrePipelineRun,
    append: MlirStringCallback,
    text: *mut c_void,
    user: *const c_void,
) {
    // SAFETY: `user` is the `&'static RustPipeline` given at registration.
    let pipeline: &'static RustPipeline = unsafe { &*user.cast() };
    let values = pipeline.options.iter().enumerate().map(|(index, option)| {
        let index = index.cast_signed();
        // SAFETY: `run` is valid during the call, and the option at `index` is of that kind.
        unsafe {
            match option.kind {
                PipelineOptionKind::Bool(_) => {
                    Value::Bool(ffi::spyrePipelineRunGetBool(run, index))
                }
                PipelineOptionKind::Str(_) => {
                    Value::Str(owned(ffi::spyrePipelineRunGetString(run, index)))
                }
            }
        }
    });
    let values = values.collect();
    let options = pipeline.options;
    // A panic must not unwind into C++; MLIR reports the text that replaces the pipeline as invalid.
    let passes = catch_unwind(AssertUnwindSafe(|| {
        (pipeline.passes)(&PipelineRun { options, values })
    }))
    .unwrap_or_else(|_| {
        format!(
            "<internal error: pipeline '{}' panicked>",
            pipeline.argument
        )
    });
    let passes: MlirStringRef = StringRef::new(&passes).to_raw();
    let append = append.expect("C++ gives a function");
    // SAFETY: `append` copies the text before it returns.
    unsafe { append(passes, text) }
}
