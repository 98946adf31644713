//! Passes written in Rust, registered in MLIR's registry.
//!
//! A pass is a `static` [`RustPass`]. Once registered it is indistinguishable from a C++ pass: it takes
//! options, keeps statistics, runs nested and in parallel, shows in `--help`, `--list-passes`,
//! `--mlir-timing` and crash reproducers.

use std::any::Any;
use std::ffi::{CString, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use melior::dialect::DialectHandle;
use melior::ir::OperationRef;
use melior::ir::operation::OperationLike;
use melior::{Context, ContextRef};
use mlir_sys::{MlirDialectRegistry, MlirOperation, MlirStringRef};

use crate::diagnostic::Diagnostic;
use crate::ffi;
use crate::ir::Op;
use crate::panics;
use crate::remark::Remarks;
use crate::statistics::{self, Registered};
use crate::symbols;

/// The error of a pass that has emitted its diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed;

impl From<Diagnostic<'_>> for Failed {
    /// Emits the diagnostic.
    fn from(diagnostic: Diagnostic<'_>) -> Self {
        diagnostic.emit();
        Self
    }
}

/// The kind of an option, with its default.
#[derive(Debug, Clone, Copy)]
pub enum OptionKind {
    /// A 64-bit integer.
    Int(i64),
    /// A flag.
    Bool(bool),
    /// A text.
    Str(&'static str),
    /// Texts separated by commas; empty by default.
    List,
}

/// An option of a pass.
#[derive(Debug, Clone, Copy)]
pub struct PassOption {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for `--help`.
    pub description: &'static str,
    /// Kind and default.
    pub kind: OptionKind,
}

/// A statistic of a pass, shown by `--mlir-pass-statistics`.
#[derive(Debug, Clone, Copy)]
pub struct PassStatistic {
    /// The name.
    pub name: &'static str,
    /// One line.
    pub description: &'static str,
}

/// A pass written in Rust.
#[derive(Debug, Clone, Copy)]
pub struct RustPass {
    /// The argument that names it on a command line, without dashes.
    pub argument: &'static str,
    /// One line for `--help`.
    pub summary: &'static str,
    /// A description of the pass, with a before/after example, as markdown. A page of `docs/Passes` is generated from this.
    pub description: &'static str,
    /// The operation it runs on, for example `func.func`; empty for any.
    pub anchor: &'static str,
    /// The options.
    pub options: &'static [PassOption],
    /// The statistics.
    pub statistics: &'static [PassStatistic],
    /// The dialects of the operations that it creates.
    pub dialects: fn() -> Vec<DialectHandle>,
    /// Runs it on one anchor operation. Other anchors may be running in other threads.
    pub run: for<'p> fn(&'p PassRun<'p>) -> Result<(), Failed>,
}

impl RustPass {
    /// Runs the pass with its default options on an operation that its caller may drop, such as a copy of a function on
    /// which a plan is tried. The run counts in no statistic and emits no remarks. As between the passes of a pipeline,
    /// the operation is verified afterwards.
    ///
    /// The caller is a pass, and has the dialects of this one among its own.
    ///
    /// # Errors
    /// The pass fails, or leaves an operation that is not valid. Diagnostics have been emitted.
    ///
    /// # Panics
    /// The pass panics. The message has its name.
    pub fn try_on(&'static self, operation: Op<'_>) -> Result<(), Failed> {
        let run = PassRun {
            pass: self,
            registered: None,
            operation,
            context: operation.context(),
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.run)(&run)));
        outcome.unwrap_or_else(|payload| {
            let text = text_of(payload.as_ref());
            panic!("pass '{}' panicked: {text}", self.argument)
        })?;
        match operation.verify() {
            true => Ok(()),
            false => Err(Failed),
        }
    }
}

/// One run of a pass on one operation.
pub struct PassRun<'p> {
    pass: &'static RustPass,
    /// The pass as MLIR has it, with its options and statistics; `None` in a trial ([`RustPass::try_on`]), which has
    /// the default options and no statistics.
    registered: Option<(ffi::SpyrePassRun, &'static Registered)>,
    operation: OperationRef<'p, 'p>,
    context: ContextRef<'p>,
}

impl<'p> PassRun<'p> {
    /// Returns the argument that names the pass, for messages.
    #[must_use]
    pub fn argument(&self) -> &'static str {
        self.pass.argument
    }

    /// Returns the operation to run on. Only it and the operations inside it may be touched.
    #[must_use]
    pub fn operation(&self) -> OperationRef<'p, 'p> {
        self.operation
    }

    /// Returns the MLIR context of the run.
    #[must_use]
    pub fn context(&'p self) -> &'p Context {
        // SAFETY: the reference points into `self`, which lives for `'p`.
        unsafe { self.context.to_ref() }
    }

    /// Returns the remarks about a function, as [`Remarks::about`] does; in a trial none are emitted.
    #[must_use]
    pub fn remarks(&'p self, function: Op<'_>, category: &'static str) -> Remarks {
        match self.registered {
            Some(_) => Remarks::about(self.context(), function, category),
            None => Remarks::none(),
        }
    }

    /// Returns the value of an integer option.
    ///
    /// # Panics
    /// When the pass declares no such option: a mistake in the pass, not in its input.
    #[must_use]
    pub fn int(&self, name: &str) -> i64 {
        let (index, default) = self.option(name, |kind| match kind {
            OptionKind::Int(default) => Some(default),
            _ => None,
        });
        match self.registered {
            // SAFETY: the option at `index` is an integer, and `raw` is valid during the run.
            Some((raw, _)) => unsafe { ffi::spyrePassRunGetInt(raw, index) },
            None => default,
        }
    }

    /// Returns the value of a flag. Panics as [`PassRun::int`].
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        let (index, default) = self.option(name, |kind| match kind {
            OptionKind::Bool(default) => Some(default),
            _ => None,
        });
        match self.registered {
            // SAFETY: the option at `index` is a flag, and `raw` is valid during the run.
            Some((raw, _)) => unsafe { ffi::spyrePassRunGetBool(raw, index) },
            None => default,
        }
    }

    /// Returns the value of a text option. Panics as [`PassRun::int`].
    #[must_use]
    pub fn text(&self, name: &str) -> String {
        let (index, default) = self.option(name, |kind| match kind {
            OptionKind::Str(default) => Some(default),
            _ => None,
        });
        match self.registered {
            // SAFETY: the option at `index` is a text, and `raw` is valid during the run.
            Some((raw, _)) => owned(unsafe { ffi::spyrePassRunGetString(raw, index) }),
            None => default.to_owned(),
        }
    }

    /// Returns the values of a list option. Panics as [`PassRun::int`].
    #[must_use]
    pub fn list(&self, name: &str) -> Vec<String> {
        let (index, ()) = self.option(name, |kind| matches!(kind, OptionKind::List).then_some(()));
        let Some((raw, _)) = self.registered else {
            return Vec::new();
        };
        // SAFETY: the option at `index` is a list, and items are below its size.
        unsafe {
            (0..ffi::spyrePassRunGetListSize(raw, index))
                .map(|item| owned(ffi::spyrePassRunGetListItem(raw, index, item)))
                .collect()
        }
    }

    /// Adds to a statistic, unless the run is a trial ([`RustPass::try_on`]). Panics as [`PassRun::int`].
    pub fn count(&self, statistic: &str, count: usize) {
        let index = self
            .pass
            .statistics
            .iter()
            .position(|candidate| candidate.name == statistic);
        let Some(index) = index else {
            panic!(
                "pass '{}' has no statistic '{statistic}'",
                self.pass.argument
            )
        };
        let Some((raw, registered)) = self.registered else {
            return;
        };
        registered.add(index, u64::try_from(count).unwrap_or(u64::MAX));
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        // SAFETY: `index` is in range, and `raw` is valid during the run.
        unsafe { ffi::spyrePassRunAddStatistic(raw, index.cast_signed(), count) }
    }

    /// Declares that the pass has changed nothing.
    pub fn preserve_analyses(&self) {
        if let Some((raw, _)) = self.registered {
            // SAFETY: `raw` is valid during the run.
            unsafe { ffi::spyrePassRunMarkAllAnalysesPreserved(raw) }
        }
    }

    /// Returns the position of an option among those of the pass, and its default.
    fn option<T>(&self, name: &str, default: impl Fn(OptionKind) -> Option<T>) -> (isize, T) {
        let mut options = self.pass.options.iter().enumerate();
        let option = options.find_map(|(index, option)| {
            let default = (option.name == name).then(|| default(option.kind));
            Some((index.cast_signed(), default.flatten()?))
        });
        option
            .unwrap_or_else(|| panic!("pass '{}' has no such option '{name}'", self.pass.argument))
    }
}

/// Registers a pass in MLIR's global registry; a second time has no effect. Registered passes are never freed. MLIR
/// does not lock its registry: register all passes before the first pipeline is parsed.
pub fn register_pass(pass: &'static RustPass) {
    // Held to the end: MLIR's registry takes one registration at a time.
    let mut registered = statistics::registered();
    let Some(entry) = statistics::enter(&mut registered, pass) else {
        return;
    };
    let options: Vec<ffi::SpyreOption> = pass
        .options
        .iter()
        .map(|option| {
            let (kind, default): (c_int, String) = match option.kind {
                OptionKind::Int(value) => (0, value.to_string()),
                OptionKind::Bool(value) => (1, value.to_string()),
                OptionKind::Str(value) => (2, value.to_owned()),
                OptionKind::List => (3, String::new()),
            };
            ffi::SpyreOption {
                kind,
                name: forever(option.name),
                description: forever(option.description),
                default_value: forever(String::leak(default)),
            }
        })
        .collect();
    let statistics: Vec<ffi::SpyreStatistic> = pass
        .statistics
        .iter()
        .map(|statistic| ffi::SpyreStatistic {
            name: zero_terminated(statistic.name),
            description: zero_terminated(statistic.description),
        })
        .collect();
    let description = ffi::SpyrePass {
        argument: forever(pass.argument),
        description: forever(pass.summary),
        anchor: forever(pass.anchor),
        num_options: options.len().cast_signed(),
        options: options.leak().as_ptr(),
        num_statistics: statistics.len().cast_signed(),
        statistics: statistics.leak().as_ptr(),
        run: run_pass,
        dialects: insert_dialects,
        user: std::ptr::from_ref(entry).cast(),
    };
    // SAFETY: everything the description points to lives forever.
    unsafe { ffi::spyreRegisterPass(Box::leak(Box::new(description))) }
}

/// Called by MLIR, perhaps from several threads at once.
unsafe extern "C" fn run_pass(
    raw: ffi::SpyrePassRun,
    operation: MlirOperation,
    user: *const c_void,
) -> bool {
    // SAFETY: `user` is the `&'static Registered` given at registration.
    let registered: &'static Registered = unsafe { &*user.cast() };
    let pass = registered.pass;
    // SAFETY: MLIR hands out a live operation for the time of the run.
    let operation = unsafe { OperationRef::from_raw(operation) };
    let run = PassRun {
        pass,
        registered: Some((raw, registered)),
        operation,
        context: operation.context(),
    };
    registered.note_run();
    // A panic must not unwind into C++.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        symbols::check(operation)?;
        (pass.run)(&run)
    }));
    match outcome {
        Ok(result) => result.is_ok(),
        Err(payload) => {
            let text = panics::text(payload.as_ref());
            let message = format!("internal error: pass '{}' panicked: {text}", pass.argument);
            panics::note(operation, &message);
            Diagnostic::error(operation.location(), message).emit();
            false
        }
    }
}

/// Returns the message of a panic.
fn text_of(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}

unsafe extern "C" fn insert_dialects(registry: MlirDialectRegistry, user: *const c_void) {
    // SAFETY: `user` is the `&'static Registered` given at registration.
    let registered: &'static Registered = unsafe { &*user.cast() };
    for handle in (registered.pass.dialects)() {
        // SAFETY: MLIR hands out a live registry.
        unsafe { mlir_sys::mlirDialectHandleInsertDialect(handle.to_raw(), registry) }
    }
}

/// Returns a text in the form that MLIR takes.
pub(crate) fn forever(text: &'static str) -> MlirStringRef {
    MlirStringRef {
        data: text.as_ptr().cast(),
        length: text.len(),
    }
}

fn zero_terminated(text: &str) -> *const std::ffi::c_char {
    // The names of statistics are constants of this project without a zero byte.
    CString::new(text).unwrap_or_default().into_raw()
}

/// Returns a copy of a text of MLIR. Bytes that are no UTF-8 become U+FFFD, so that they show in messages.
pub(crate) fn owned(text: MlirStringRef) -> String {
    if text.data.is_null() {
        return String::new();
    }
    // SAFETY: MLIR returns a valid range of bytes.
    let bytes = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length) };
    String::from_utf8_lossy(bytes).into_owned()
}
