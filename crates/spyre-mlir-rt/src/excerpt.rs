//! The parts of lines and messages that the C++ prints: the same as those of messages in Rust.

use std::ffi::c_void;

use melior::StringRef;
use mlir_sys::{MlirStringCallback, MlirStringRef};
use spyre_files::{excerpt, is_long, shortened};

use crate::ffi::bytes;

/// Calls `on_text` with a text.
///
/// # Safety
/// `on_text` takes `user`.
unsafe fn give(text: &str, on_text: MlirStringCallback, user: *mut c_void) {
    let on_text = on_text.expect("the C++ passes a function");
    // SAFETY: as the caller promises; the text lives during the call.
    unsafe { on_text(StringRef::new(text).to_raw(), user) };
}

/// Returns whether a line or a message is longer than the part of it that is shown.
///
/// # Safety
/// Both texts live during the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn spyreIsLong(line: MlirStringRef, message: MlirStringRef) -> bool {
    // SAFETY: as the caller promises.
    unsafe { is_long(bytes(line), bytes(message)) }
}

/// Calls `on_text` with a message, without its middle if it is long.
///
/// # Safety
/// The message lives during the call, and `on_text` takes `user`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn spyreShortened(
    message: MlirStringRef,
    on_text: MlirStringCallback,
    user: *mut c_void,
) {
    // SAFETY: as the caller promises.
    let message = String::from_utf8_lossy(unsafe { bytes(message) });
    // SAFETY: as the caller promises.
    unsafe { give(&shortened(&message), on_text, user) };
}

/// Calls `on_text` with the part of a line around a place, which counts bytes from 0, and a line with a caret below it.
///
/// # Safety
/// The line lives during the call, and `on_text` takes `user`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn spyreExcerpt(
    line: MlirStringRef,
    place: usize,
    on_text: MlirStringCallback,
    user: *mut c_void,
) {
    // SAFETY: as the caller promises.
    let line = unsafe { bytes(line) };
    let before = String::from_utf8_lossy(&line[..place.min(line.len())]);
    // An empty line is one as well.
    let text = format!("{}\n", String::from_utf8_lossy(line));
    let shown = excerpt(&text, 1, before.chars().count() + 1).expect("the text has a line");
    // SAFETY: as the caller promises.
    unsafe { give(&format!("{shown}\n"), on_text, user) };
}
