//! Functions on tensors, compiled for this machine and called.
//!
//! [`Function::compile`] takes a module of plain tensors, lowers it with the pipeline that it is given, and compiles
//! the result in process. [`Function::call`] copies tensors in and out, so that no memory is shared between the caller
//! and compiled code.
//!
//! Compiled code stays inside its tensors. Dynamic offsets are checked, and operations that cannot be checked are
//! refused: see `guard`. Divisions of integers by zero, requests for more memory than there is, and calls that nest too
//! deeply end the call: see `call`. A call may still run forever.
//!
//! [`Function::save`] returns compiled code as data, which [`Function::load`] links again in another process.

mod call;
mod engine;
mod external;
mod guard;
mod saved;
mod types;

use rustc_hash::FxHashMap;
use std::ffi::c_void;
use std::fmt::{self, Write as _};

use melior::Context;
use melior::StringRef;
use melior::ir::attribute::{StringAttribute, TypeAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Module, TypeLike};
use mlir_sys::MlirStringRef;
use thiserror::Error;

use crate::diagnostic::Diagnostic;
use crate::ir::{self, Op};
use crate::source::{PipelineError, run_pipeline};

use engine::Engine;
use external::Linked;
use guard::Site;

pub use external::{External, ExternalCode};
pub use guard::DIALECTS;
pub use saved::{LoadError, SavedFunction};
pub use types::{Element, Signature, TensorType, TensorTypeError};

/// The optimization level of compiled code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Optimization {
    /// Compiled as fast as possible.
    None,
    /// As `-O2`.
    #[default]
    Speed,
}

/// The reason why a function was not compiled. Diagnostics have reported it, at the operation where there is one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CompileError {
    /// Something in the module that is not compiled: the message of its diagnostic.
    #[error("{0}")]
    Refused(String),
    /// A lowering that did not run to its end.
    #[error("cannot lower @{entry}: {reason}")]
    Lowering {
        /// The function.
        entry: String,
        /// The pipeline's error.
        reason: PipelineError,
    },
    /// A lowering that passes tensors in another way than as memrefs.
    #[error(
        "the lowered @{entry} must have {expected} arguments for its tensors as memrefs, but has {actual}"
    )]
    Arguments {
        /// The function.
        entry: String,
        /// Arguments that its tensors are passed in.
        expected: usize,
        /// Arguments after lowering.
        actual: usize,
    },
    /// A refusal of LLVM.
    #[error("cannot compile @{entry}: {reason}")]
    Engine {
        /// The function.
        entry: String,
        /// LLVM's message.
        reason: String,
    },
}

/// The reason why a call did not happen, or has no results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallError {
    /// The wrong number of inputs.
    Count {
        /// Inputs of the function.
        expected: usize,
        /// Inputs of the call.
        actual: usize,
    },
    /// An input with the wrong number of bytes.
    Bytes {
        /// The position.
        input: usize,
        /// Bytes of the argument.
        expected: usize,
        /// Bytes of the input.
        actual: usize,
    },
    /// A truth value that is neither 0 nor 1.
    Truth {
        /// The position of the input.
        input: usize,
        /// The value.
        value: u8,
    },
    /// An offset or index outside of its tensor.
    OutOfBounds {
        /// The operation.
        location: String,
        /// The offset.
        offset: i64,
        /// The largest offset that stays inside.
        limit: i64,
    },
    /// An assertion of the program does not hold.
    Assertion {
        /// The operation.
        location: String,
        /// The message.
        message: String,
    },
    /// An integer was divided by zero.
    DivisionByZero {
        /// The operation.
        location: String,
    },
    /// The least integer was divided by -1.
    DivisionOverflow {
        /// The operation.
        location: String,
    },
    /// More memory than there is.
    Memory {
        /// The operation.
        location: String,
        /// Bytes that it needs.
        bytes: u64,
        /// Bytes that the call could have, all together.
        limit: u64,
    },
    /// Calls of functions nest too deeply for the stack.
    Recursion {
        /// The function.
        location: String,
    },
    /// A function that the caller runs has failed.
    External {
        /// The function.
        name: String,
        /// The reason.
        reason: String,
    },
    /// A result that does not match the signature.
    Result {
        /// The position.
        result: usize,
    },
}

impl fmt::Display for CallError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { expected, actual } => {
                write!(
                    formatter,
                    "the function takes {expected} inputs, got {actual}"
                )
            }
            Self::Bytes {
                input,
                expected,
                actual,
            } => write!(
                formatter,
                "input {input} needs {expected} bytes, got {actual}"
            ),
            Self::Truth { input, value } => write!(
                formatter,
                "input {input} has the truth value {value}, which is neither 0 nor 1"
            ),
            Self::OutOfBounds {
                location,
                offset,
                limit,
            } => write!(
                formatter,
                "{location}: offset {offset} is outside of the tensor; it may be from 0 to {limit}"
            ),
            Self::Assertion { location, message } => {
                write!(
                    formatter,
                    "{location}: an assertion of the program does not hold: {message}"
                )
            }
            Self::DivisionByZero { location } => {
                write!(formatter, "{location}: an integer is divided by zero")
            }
            Self::DivisionOverflow { location } => write!(
                formatter,
                "{location}: the least integer of its type is divided by -1, and the result does not fit"
            ),
            Self::Memory {
                location,
                bytes,
                limit,
            } => write!(
                formatter,
                "{location}: {bytes} bytes do not fit into memory; the program could have {limit} bytes in all"
            ),
            Self::Recursion { location } => {
                write!(formatter, "{location}: calls nest too deeply for the stack")
            }
            Self::External { name, reason } => write!(formatter, "@{name}: {reason}"),
            Self::Result { result } => write!(
                formatter,
                "result {result} of the compiled function has another shape than its signature"
            ),
        }
    }
}

impl std::error::Error for CallError {}

/// A compiled function, independent of its module and its context.
pub struct Function {
    engine: Engine,
    signature: Signature,
    /// The places where offsets are checked.
    sites: Vec<Site>,
    /// The places where a call may end.
    ends: Vec<Site>,
    /// The functions that the caller runs.
    externals: Vec<Linked>,
}

impl fmt::Debug for Function {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Function")
            .field("signature", &self.signature)
            .finish_non_exhaustive()
    }
}

/// The prefix of compiled symbols. It keeps functions of a program apart from functions of the C library.
const PREFIX: &str = "spyre_program.";

impl Function {
    /// Compiles the function `entry` of a module. `lowering` is a pipeline to the llvm dialect; it must pass tensors as
    /// row-major memrefs, and results as memory that the caller frees. The module is consumed: it is lowered in place.
    ///
    /// # Errors
    /// [`CompileError`].
    pub fn compile<'c>(
        context: &'c Context,
        module: Module<'c>,
        entry: &str,
        lowering: &str,
        optimization: Optimization,
    ) -> Result<Self, CompileError> {
        Self::compile_with(context, module, entry, lowering, optimization, Vec::new())
    }

    /// Compiles as [`compile`](Self::compile) does. The module declares the functions of `externals`, which each call of the
    /// compiled function runs where the program calls them.
    ///
    /// # Errors
    /// [`CompileError`].
    pub fn compile_with<'c>(
        context: &'c Context,
        module: Module<'c>,
        entry: &str,
        lowering: &str,
        optimization: Optimization,
        externals: Vec<External>,
    ) -> Result<Self, CompileError> {
        let name = format!("{PREFIX}{entry}");
        let prepared = prepare(context, &module, entry, externals);
        let (signature, sites, externals) = prepared.map_err(|diagnostic| {
            let message = diagnostic.message().to_owned();
            diagnostic.emit();
            CompileError::Refused(message)
        })?;
        run_pipeline(context, module.as_operation(), lowering).map_err(|err| {
            CompileError::Lowering {
                entry: entry.to_owned(),
                reason: err,
            }
        })?;
        let arguments: usize = signature
            .inputs
            .iter()
            .map(TensorType::descriptor_words)
            .sum();
        let lowered = llvm_arguments(&module, &name);
        let fail = |err: CompileError| {
            Diagnostic::error(module.as_operation().location(), err.to_string()).emit();
            Err(err)
        };
        let engine = |reason: String| CompileError::Engine {
            entry: entry.to_owned(),
            reason,
        };
        if lowered != Some(arguments) {
            return fail(CompileError::Arguments {
                entry: entry.to_owned(),
                expected: arguments,
                actual: lowered.unwrap_or(0),
            });
        }
        let ends = call::guard(module.as_operation());
        let compiled = external::link(context, &module, &externals)
            .and_then(|()| engine::add_entry(context, &module, &name, slots(&signature)))
            .and_then(|()| Engine::compile(&module, optimization));
        let engine = match compiled {
            Ok(compiled) => compiled,
            Err(reason) => return fail(engine(reason)),
        };
        Ok(Self {
            engine,
            signature,
            sites,
            ends,
            externals,
        })
    }

    /// Returns the types of the function's inputs and results.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Calls the function with the bytes of its arguments, in native byte order, and returns the bytes of its results.
    ///
    /// # Errors
    /// See [`CallError`].
    pub fn call(&self, inputs: &[&[u8]]) -> Result<Vec<Vec<u8>>, CallError> {
        let types = &self.signature.inputs;
        if inputs.len() != types.len() {
            return Err(CallError::Count {
                expected: types.len(),
                actual: inputs.len(),
            });
        }
        let mut buffers = types
            .iter()
            .zip(inputs)
            .enumerate()
            .map(|(input, (ty, bytes))| copied(input, ty, bytes))
            .collect::<Result<Vec<_>, _>>()?;
        let mut arguments: Vec<Vec<u64>> = types
            .iter()
            .zip(&mut buffers)
            .map(|(ty, buffer)| descriptor(ty, buffer.as_mut_ptr().cast()))
            .collect();
        let words = self.signature.outputs.iter();
        let words: usize = words.map(TensorType::descriptor_words).sum();
        let mut results = vec![0_u64; words];
        let call = call::Call::new();
        let outcome = {
            let mut pointers: Vec<*mut c_void> = Vec::with_capacity(arguments.len() + 1);
            if !self.signature.outputs.is_empty() {
                pointers.push(results.as_mut_ptr().cast());
            }
            pointers.extend(arguments.iter_mut().map(|words| words.as_mut_ptr().cast()));
            guard::forget();
            let before = external::enter(&self.externals);
            // SAFETY: one descriptor for each argument of the signature, of the words that the lowered function was
            // checked to take, over buffers of the size of its type; the results have the words of theirs.
            let outcome =
                unsafe { call.run(self.engine.entry(), pointers.as_mut_ptr(), &self.ends) };
            (outcome, external::leave(before))
        };
        let (outcome, (failed, _kept)) = outcome;
        if let Some((name, reason)) = failed {
            return Err(CallError::External { name, reason });
        }
        // An offset that was brought back inside may have led to the end.
        if let Some(violation) = guard::violation(&self.sites) {
            return Err(violation);
        }
        outcome?;
        self.take(&results)
    }

    /// Copies results out. Their memory is the call's, or an argument.
    fn take(&self, mut words: &[u64]) -> Result<Vec<Vec<u8>>, CallError> {
        let mut outputs = Vec::with_capacity(self.signature.outputs.len());
        for (result, ty) in self.signature.outputs.iter().enumerate() {
            let (result_words, rest) = words.split_at(ty.descriptor_words().min(words.len()));
            words = rest;
            let returned = Returned::read(ty, result_words).ok_or(CallError::Result { result })?;
            // SAFETY: the descriptor is of a dense tensor at this address.
            let bytes = unsafe { std::slice::from_raw_parts(returned.start, returned.bytes) };
            outputs.push(if returned.bytes == 0 {
                Vec::new()
            } else {
                bytes.to_vec()
            });
        }
        Ok(outputs)
    }
}

/// Returns the number of pointers that a function takes from C: one to the descriptors of its results, if it has any, and one
/// to the descriptor of each argument.
fn slots(signature: &Signature) -> usize {
    signature.inputs.len() + usize::from(!signature.outputs.is_empty())
}

/// The tensor of a returned descriptor.
struct Returned {
    start: *const u8,
    bytes: usize,
}

impl Returned {
    /// Reads the words of a memref descriptor; `None` when it is not a dense tensor of this type.
    fn read(ty: &TensorType, words: &[u64]) -> Option<Self> {
        let [_, aligned, offset, rest @ ..] = words else {
            return None;
        };
        let (sizes, strides) = rest.split_at_checked(ty.shape.len())?;
        let is_empty = ty.element_count()? == 0;
        let dense = ty.strides();
        for (((size, stride), extent), wanted) in
            sizes.iter().zip(strides).zip(&ty.shape).zip(&dense)
        {
            if *size != *extent as u64 || (*extent > 1 && !is_empty && stride != wanted) {
                return None;
            }
        }
        let bytes = ty.byte_count()?;
        let offset = usize::try_from(*offset)
            .ok()?
            .checked_mul(ty.element.bytes())?;
        let start = if bytes == 0 {
            std::ptr::dangling()
        } else {
            (*aligned as *const u8).wrapping_add(offset)
        };
        Some(Self { start, bytes })
    }
}

/// Returns a copy of the bytes of an input, aligned for any element.
fn copied(input: usize, ty: &TensorType, bytes: &[u8]) -> Result<Vec<u64>, CallError> {
    let expected = ty.byte_count().unwrap_or(usize::MAX);
    if bytes.len() != expected {
        return Err(CallError::Bytes {
            input,
            expected,
            actual: bytes.len(),
        });
    }
    if ty.element == Element::Bool
        && let Some(value) = bytes.iter().copied().find(|byte| *byte > 1)
    {
        return Err(CallError::Truth { input, value });
    }
    // One word at least, so that every input has a distinct address.
    let mut buffer = vec![0_u64; expected / 8 + 1];
    // SAFETY: the buffer has at least as many bytes, and is another one.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.as_mut_ptr().cast(), bytes.len());
    }
    Ok(buffer)
}

/// Returns the memref descriptor of a dense tensor, in words of 64 bits.
fn descriptor(ty: &TensorType, data: *mut c_void) -> Vec<u64> {
    let mut words = Vec::with_capacity(ty.descriptor_words());
    words.extend([data as u64, data as u64, 0]);
    words.extend(ty.shape.iter().map(|extent| *extent as u64));
    words.extend(ty.strides());
    words
}

/// Checks a module of plain tensors, and marks its entry for a call from C.
fn prepare<'p>(
    context: &'p Context,
    module: &'p Module<'_>,
    entry: &str,
    externals: Vec<External>,
) -> Result<(Signature, Vec<Site>, Vec<Linked>), Diagnostic<'p>> {
    let op: Op<'p> = module.as_operation();
    let is_external = |name: &str| externals.iter().any(|external| external.name == name);
    guard::check(op, &is_external)?;
    let mut signature = None;
    let mut signatures = FxHashMap::default();
    for function in ir::operations(module.body()) {
        let Some(old) = symbol(function) else {
            continue;
        };
        if old == entry {
            signature = Some(Signature::from_function(function)?);
            let unit = Attribute::unit(context);
            ir::set_discardable_attribute(function, "llvm.emit_c_interface", unit);
        }
        if is_external(&old) {
            signatures.insert(old.clone(), Signature::from_function(function)?);
            let unit = Attribute::unit(context);
            ir::set_discardable_attribute(function, "llvm.emit_c_interface", unit);
        }
        let new = format!("{PREFIX}{old}");
        // SAFETY: a live module, and texts that outlive the call. It fails only for uses in unregistered operations,
        // which are refused above.
        unsafe {
            mlir_sys::mlirSymbolTableReplaceAllSymbolUses(
                StringRef::new(&old).to_raw(),
                StringRef::new(&new).to_raw(),
                op.to_raw(),
            );
        }
        ir::set_attribute(
            function,
            "sym_name",
            StringAttribute::new(context, &new).into(),
        );
    }
    let signature = signature.ok_or_else(|| {
        Diagnostic::error(
            op.location(),
            format!("the module has no function @{entry}"),
        )
    })?;
    let sites = guard::insert(context, module)?;
    let linked = externals.into_iter().filter_map(|external| {
        let signature = signatures.remove(&external.name)?;
        Some(Linked {
            external,
            signature,
        })
    });
    Ok((signature, sites, linked.collect()))
}

fn symbol(op: Op<'_>) -> Option<String> {
    let name = StringAttribute::try_from(op.attribute("sym_name").ok()?).ok()?;
    Some(name.value().to_owned())
}

/// Returns a reference to a symbol of any name, as text of MLIR: bytes outside of printable ASCII are in hexadecimal.
fn symbol_reference(name: &str) -> String {
    let mut text = String::from("@\"");
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => {
                write!(text, "\\{byte:02X}").expect("a String takes any text");
            }
            _ => text.push(char::from(byte)),
        }
    }
    text.push('"');
    text
}

/// Returns the number of arguments of a function of the llvm dialect; `None` if there is no such function.
fn llvm_arguments(module: &Module<'_>, name: &str) -> Option<usize> {
    let function = ir::operations(module.body())
        .find(|op| symbol(*op).is_some_and(|symbol| symbol == name))?;
    if function.name().as_string_ref().as_str() != Ok("llvm.func") {
        return None;
    }
    let ty = function.attribute("function_type").ok()?;
    let ty = TypeAttribute::try_from(ty).ok()?.value();
    // SAFETY: a live type, and that of an `llvm.func`.
    let count = unsafe { mlir_sys::mlirLLVMFunctionTypeGetNumInputs(ty.to_raw()) };
    usize::try_from(count).ok()
}

/// Appends a text to the `String` at `user`.
pub(crate) unsafe extern "C" fn append(text: MlirStringRef, user: *mut c_void) {
    if text.data.is_null() {
        return;
    }
    // SAFETY: callers pass a `String` that outlives the call, and MLIR a valid range of bytes.
    unsafe {
        let bytes = std::slice::from_raw_parts(text.data.cast::<u8>(), text.length);
        (*user.cast::<String>()).push_str(&String::from_utf8_lossy(bytes));
    }
}
