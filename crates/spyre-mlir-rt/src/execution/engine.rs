//! Compiled code in this process.
//!
//! The entry of the code takes an array of pointers, so that one type of Rust calls functions with any number of
//! arguments.

use std::ffi::c_void;
use std::fmt::Write as _;

use melior::Context;
use melior::StringRef;
use melior::ir::Module;
use mlir_sys::MlirStringRef;

use super::{Optimization, append, external, guard, symbol, symbol_reference};
use crate::ffi::{self, bytes};
use crate::ir;

/// The entry of compiled code.
pub(super) type Entry = unsafe extern "C" fn(*mut *mut c_void);

/// The symbol of the entry.
const ENTRY: &str = "spyre_entry";

/// The elements of a constant that code reads by its name.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Constant {
    name: String,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
}

/// Object code, and the constants that it reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Code {
    #[serde(with = "serde_bytes")]
    object: Vec<u8>,
    constants: Vec<Constant>,
}

/// Code that is linked into this process.
pub(super) struct Engine {
    jit: ffi::SpyreJit,
    entry: Entry,
}

// SAFETY: the compiled code has no state, and the code in C++ is used again to be saved, which only reads, and destroyed.
unsafe impl Send for Engine {}
// SAFETY: as above; each call has separate memory.
unsafe impl Sync for Engine {}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: created by `spyreJitCompile` or `spyreJitLoad` and destroyed once; none of its code is running, as
        // calls borrow the engine.
        unsafe { ffi::spyreJitDestroy(self.jit) }
    }
}

impl Engine {
    /// Compiles a module of the LLVM dialect that has an entry ([`add_entry`]), and links it.
    pub(super) fn compile(module: &Module<'_>, optimization: Optimization) -> Result<Self, String> {
        let level = match optimization {
            Optimization::None => 0,
            Optimization::Speed => 2,
        };
        let symbols = symbols();
        let mut reason = String::new();
        // SAFETY: a live module, symbols and a callback for the text; all are used during the call only.
        let jit = unsafe {
            ffi::spyreJitCompile(
                module.as_operation().to_raw(),
                level,
                symbols.as_ptr(),
                symbols.len().cast_signed(),
                Some(append),
                std::ptr::from_mut(&mut reason).cast(),
            )
        };
        Self::new(jit, reason)
    }

    /// Links code that was compiled for this [`processor`] by this version of LLVM.
    pub(super) fn load(code: &Code) -> Result<Self, String> {
        let symbols = symbols();
        let constant = |constant: &Constant| ffi::SpyreConstant {
            name: StringRef::new(&constant.name).to_raw(),
            bytes: string_ref(&constant.bytes),
        };
        let constants: Vec<_> = code.constants.iter().map(constant).collect();
        let mut reason = String::new();
        // SAFETY: live bytes, symbols and a callback for the text; all are used during the call only.
        let jit = unsafe {
            ffi::spyreJitLoad(
                string_ref(&code.object),
                constants.as_ptr(),
                constants.len().cast_signed(),
                symbols.as_ptr(),
                symbols.len().cast_signed(),
                Some(append),
                std::ptr::from_mut(&mut reason).cast(),
            )
        };
        Self::new(jit, reason)
    }

    /// Looks up the entry. Without code, `reason` is the error.
    fn new(jit: ffi::SpyreJit, mut reason: String) -> Result<Self, String> {
        if jit.ptr.is_null() {
            return Err(reason);
        }
        // SAFETY: linked code, and a callback for the text.
        let address = unsafe {
            ffi::spyreJitLookup(
                jit,
                StringRef::new(ENTRY).to_raw(),
                Some(append),
                std::ptr::from_mut(&mut reason).cast(),
            )
        };
        if address.is_null() {
            // SAFETY: created by the caller, and not used any more.
            unsafe { ffi::spyreJitDestroy(jit) };
            return Err(reason);
        }
        // SAFETY: `add_entry` gives the entry this type.
        let entry = unsafe { std::mem::transmute::<*mut c_void, Entry>(address) };
        Ok(Self { jit, entry })
    }

    /// Returns the entry. It may be called as long as the engine lives.
    pub(super) fn entry(&self) -> Entry {
        self.entry
    }

    /// Returns a copy of the code.
    pub(super) fn code(&self) -> Code {
        let mut code = Code::default();
        // SAFETY: linked code, and callbacks that take a `Code`, which outlives the call.
        unsafe {
            ffi::spyreJitSave(
                self.jit,
                Some(take_object),
                take_constant,
                std::ptr::from_mut(&mut code).cast(),
            );
        }
        // They come in the order of a hash table.
        code.constants
            .sort_by(|one, other| one.name.cmp(&other.name));
        code
    }
}

/// Returns the target, the processor and the features that code is compiled for.
///
/// # Errors
/// LLVM does not know this machine.
pub(super) fn processor() -> Result<String, String> {
    let mut texts = (String::new(), String::new());
    unsafe extern "C" fn text(text: MlirStringRef, user: *mut c_void) {
        // SAFETY: the caller passes two strings, which outlive the call.
        let texts = unsafe { &mut *user.cast::<(String, String)>() };
        // SAFETY: a text of MLIR.
        unsafe { append(text, std::ptr::from_mut(&mut texts.0).cast()) };
    }
    unsafe extern "C" fn error(text: MlirStringRef, user: *mut c_void) {
        // SAFETY: as above.
        let texts = unsafe { &mut *user.cast::<(String, String)>() };
        // SAFETY: as above.
        unsafe { append(text, std::ptr::from_mut(&mut texts.1).cast()) };
    }
    // SAFETY: callbacks for the texts, which are used during the call only.
    unsafe {
        ffi::spyreJitProcessor(
            Some(text),
            Some(error),
            std::ptr::from_mut(&mut texts).cast(),
        );
    }
    match texts {
        (processor, reason) if reason.is_empty() => Ok(processor),
        (_, reason) => Err(reason),
    }
}

/// Adds the entry to a lowered module: a function that takes an array of `slots` pointers, and passes them to the function
/// `name` as arguments.
///
/// # Errors
/// The function is missing from the module.
pub(super) fn add_entry(
    context: &Context,
    module: &Module<'_>,
    name: &str,
    slots: usize,
) -> Result<(), String> {
    let function = format!("_mlir_ciface_{name}");
    let callee = symbol_reference(&function);
    let is_defined = |op| symbol(op).is_some_and(|symbol| symbol == function);
    if !ir::operations(module.body()).any(is_defined) {
        return Err(format!("the lowered module has no function {function}"));
    }
    let types = vec!["!llvm.ptr"; slots].join(", ");
    let arguments: Vec<String> = (0..slots).map(|slot| format!("%a{slot}")).collect();
    let mut text = format!("llvm.func {callee}({types})\n");
    writeln!(text, "llvm.func @{ENTRY}(%slots: !llvm.ptr) {{").expect("a String takes any text");
    for slot in 0..slots {
        writeln!(
            text,
            "  %p{slot} = llvm.getelementptr %slots[{slot}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n  \
             %a{slot} = llvm.load %p{slot} : !llvm.ptr -> !llvm.ptr"
        )
        .expect("a String takes any text");
    }
    writeln!(
        text,
        "  llvm.call {callee}({}) : ({types}) -> ()\n  llvm.return\n}}",
        arguments.join(", ")
    )
    .expect("a String takes any text");
    let parsed = Module::parse(context, &text).ok_or("the entry does not parse")?;
    let is_entry = |op: &ir::Op<'_>| symbol(*op).is_some_and(|symbol| symbol == ENTRY);
    let entry = ir::operations(parsed.body()).find(is_entry);
    // The other function is a declaration of the callee, which the parser needs.
    ir::move_to_end(entry.expect("the text has it"), module.body());
    Ok(())
}

/// Returns the functions that compiled code calls.
fn symbols() -> [ffi::SpyreSymbol; 2] {
    [
        ffi::SpyreSymbol {
            name: StringRef::new(guard::CLAMP).to_raw(),
            address: guard::clamp as *mut c_void,
        },
        ffi::SpyreSymbol {
            name: StringRef::new(external::LAUNCH).to_raw(),
            address: external::launch as *mut c_void,
        },
    ]
}

fn string_ref(bytes: &[u8]) -> MlirStringRef {
    MlirStringRef {
        data: bytes.as_ptr().cast(),
        length: bytes.len(),
    }
}

/// Copies object code into the `Code` at `user`.
unsafe extern "C" fn take_object(object: MlirStringRef, user: *mut c_void) {
    // SAFETY: `code` passes a `Code` that outlives the call, and the code in C++ has its bytes.
    unsafe { (*user.cast::<Code>()).object = bytes(object).to_vec() };
}

/// Copies a constant into the `Code` at `user`.
unsafe extern "C" fn take_constant(constant: ffi::SpyreConstant, user: *mut c_void) {
    // SAFETY: as above.
    let (code, name, bytes) = unsafe {
        (
            &mut *user.cast::<Code>(),
            bytes(constant.name),
            bytes(constant.bytes),
        )
    };
    code.constants.push(Constant {
        name: String::from_utf8_lossy(name).into_owned(),
        bytes: bytes.to_vec(),
    });
}
