//! Functions that a compiled program calls and its caller runs.
//!
//! The lowered program calls such a function through a wrapper, which stores the addresses of its arguments in an
//! array. The wrapper calls [`launch`] with the number of the function and the array.

use std::any::Any;
use std::cell::RefCell;
use std::error::Error;
use std::ffi::c_void;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use melior::Context;
use melior::ir::Module;

use super::{Returned, Signature, TensorType, descriptor, symbol};
use crate::ir;

/// The name of [`launch`] in compiled programs.
pub(super) const LAUNCH: &str = "spyre_launch";

/// The code of a function: it takes the bytes of the arguments, and returns the bytes of the results or an error.
pub type ExternalCode =
    Box<dyn Fn(&[&[u8]]) -> Result<Vec<Vec<u8>>, Box<dyn Error + Send + Sync>> + Send + Sync>;

/// A function without a body in the program.
pub struct External {
    /// The name.
    pub name: String,
    /// The code that runs it.
    pub run: ExternalCode,
}

/// An external function with its type.
pub(super) struct Linked {
    pub external: External,
    pub signature: Signature,
}

/// The calls of external functions in one call of a program.
#[derive(Default)]
pub(super) struct Calls {
    functions: Vec<*const Linked>,
    /// The results, which the program reads to its end.
    kept: Vec<Vec<u64>>,
    /// The first function that failed, and the reason.
    failed: Option<(String, String)>,
}

thread_local! {
    /// The calls of the program that this thread is in.
    static CALLS: RefCell<Calls> = RefCell::default();
}

/// Begins a call of a program with external functions, and returns the state of the enclosing call.
pub(super) fn enter(functions: &[Linked]) -> Calls {
    let functions = functions.iter().map(std::ptr::from_ref).collect();
    CALLS.replace(Calls {
        functions,
        ..Calls::default()
    })
}

/// Ends a call of a program, and returns the first function that failed, with the reason. Dropping the second part of
/// the result frees the results of external functions.
pub(super) fn leave(before: Calls) -> (Option<(String, String)>, impl Sized) {
    let calls = CALLS.replace(before);
    (calls.failed, calls.kept)
}

/// Runs an external function. `slots` has the address of the descriptors of its results, if it has any, and of the descriptor of
/// each argument. After a failure, results are zero.
pub(super) unsafe extern "C" fn launch(number: i64, slots: *mut *mut c_void) {
    let function = CALLS.with_borrow(|calls| {
        let number = usize::try_from(number).ok()?;
        calls.functions.get(number).copied()
    });
    // A wrapper has the number of its function.
    let Some(function) = function else { return };
    // SAFETY: the program that calls holds its functions, and the wrapper passes a slot for the results and each argument.
    let (function, slots) = unsafe {
        let function = &*function;
        let signature = &function.signature;
        (
            function,
            std::slice::from_raw_parts(slots, super::slots(signature)),
        )
    };
    let has_failed = CALLS.with_borrow(|calls| calls.failed.is_some());
    let outcome = if has_failed {
        Err(None)
    } else {
        // SAFETY: as above.
        let inputs = unsafe { inputs(&function.signature, slots) };
        inputs
            .and_then(|inputs| run(function, &inputs))
            .map_err(Some)
    };
    let outcome = outcome.unwrap_or_else(|reason| {
        if let Some(reason) = reason {
            let name = function.external.name.clone();
            CALLS.with_borrow_mut(|calls| calls.failed = Some((name, reason)));
        }
        Vec::new()
    });
    let Some(results) = slots
        .first()
        .filter(|_| !function.signature.outputs.is_empty())
    else {
        return;
    };
    let mut words = Vec::new();
    let mut outcome = outcome.into_iter();
    for ty in &function.signature.outputs {
        let mut memory = vec![0_u64; ty.byte_count().unwrap_or(0) / 8 + 1];
        if let Some(bytes) = outcome.next() {
            // SAFETY: the memory has as many bytes, and is another one.
            unsafe {
                let to = memory.as_mut_ptr().cast::<u8>();
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
            }
        }
        words.extend(descriptor(ty, memory.as_mut_ptr().cast()));
        CALLS.with_borrow_mut(|calls| calls.kept.push(memory));
    }
    // SAFETY: the wrapper has room for the descriptors of all results, one after the other.
    unsafe {
        std::ptr::copy_nonoverlapping(words.as_ptr(), results.cast::<u64>(), words.len());
    }
}

/// Returns the bytes of the arguments.
///
/// # Safety
/// The last slots are the addresses of descriptors of the arguments.
unsafe fn inputs<'a>(
    signature: &Signature,
    slots: &[*mut c_void],
) -> Result<Vec<&'a [u8]>, String> {
    let first = slots.len() - signature.inputs.len();
    let inputs = signature.inputs.iter().zip(&slots[first..]);
    let read = |(ty, slot): (&TensorType, &*mut c_void)| {
        // SAFETY: a descriptor of this type.
        let words =
            unsafe { std::slice::from_raw_parts(slot.cast::<u64>(), ty.descriptor_words()) };
        let returned =
            Returned::read(ty, words).ok_or_else(|| format!("{ty} is not passed densely"))?;
        // SAFETY: the descriptor is of a dense tensor at this address.
        Ok(unsafe { std::slice::from_raw_parts(returned.start, returned.bytes) })
    };
    inputs.map(read).collect()
}

/// Runs a function and checks the sizes of its results.
fn run(function: &Linked, inputs: &[&[u8]]) -> Result<Vec<Vec<u8>>, String> {
    let results = catch_unwind(AssertUnwindSafe(|| (function.external.run)(inputs)));
    let results = results
        .map_err(|panic| message(&*panic))?
        .map_err(|err| err.to_string())?;
    let expected = &function.signature.outputs;
    let sizes = |types: &[TensorType]| -> Vec<Option<usize>> {
        types.iter().map(TensorType::byte_count).collect()
    };
    let lengths: Vec<Option<usize>> = results.iter().map(|result| Some(result.len())).collect();
    if sizes(expected) != lengths {
        return Err(format!(
            "its results have {lengths:?} bytes, not those of {expected:?}"
        ));
    }
    Ok(results)
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("it panicked: {}", text.unwrap_or("without a message"))
}

/// Adds wrappers of the external functions to a lowered module.
///
/// # Errors
/// A function that the lowering has removed or renamed.
pub(super) fn link(
    context: &Context,
    module: &Module<'_>,
    functions: &[Linked],
) -> Result<(), String> {
    if functions.is_empty() {
        return Ok(());
    }
    let mut text = format!("llvm.func @{LAUNCH}(i64, !llvm.ptr)\n");
    for (number, function) in functions.iter().enumerate() {
        let name = format!("_mlir_ciface_{}{}", super::PREFIX, function.external.name);
        let declared = ir::operations(module.body())
            .find(|op| symbol(*op).is_some_and(|symbol| symbol == name));
        // A function without calls has been erased.
        let Some(declared) = declared else { continue };
        ir::erase(declared);
        wrapper(&mut text, &name, number, super::slots(&function.signature));
    }
    let wrappers =
        Module::parse(context, &text).ok_or("the wrappers of external functions do not parse")?;
    for op in ir::operations(wrappers.body()) {
        ir::move_to_end(op, module.body());
    }
    Ok(())
}

/// Writes the wrapper of a function with as many slots.
fn wrapper(text: &mut String, name: &str, number: usize, slots: usize) {
    let parameters: Vec<String> = (0..slots)
        .map(|slot| format!("%a{slot}: !llvm.ptr"))
        .collect();
    let mut line = |line: String| {
        writeln!(text, "{line}").expect("writing to a String cannot fail");
    };
    let name = super::symbol_reference(name);
    line(format!("llvm.func {name}({}) {{", parameters.join(", ")));
    line(format!(
        "  %count = llvm.mlir.constant({slots} : i64) : i64"
    ));
    line("  %slots = llvm.alloca %count x !llvm.ptr : (i64) -> !llvm.ptr".to_owned());
    for slot in 0..slots {
        line(format!(
            "  %p{slot} = llvm.getelementptr %slots[{slot}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr"
        ));
        line(format!(
            "  llvm.store %a{slot}, %p{slot} : !llvm.ptr, !llvm.ptr"
        ));
    }
    line(format!(
        "  %number = llvm.mlir.constant({number} : i64) : i64"
    ));
    line(format!(
        "  llvm.call @{LAUNCH}(%number, %slots) : (i64, !llvm.ptr) -> ()"
    ));
    line("  llvm.return\n}".to_owned());
}
