//! Sharing of files between operations that differ in symbol identifiers only
//! (SDSC bundle specification, section 2.10).

use std::collections::HashMap;

use super::symbols::{OpSymbols, SymbolBase};
use crate::ArgIndex;
use crate::codegen::Descriptor;
use crate::model::OpSpec;
use crate::sdsc;

/// A file as if it were the bundle's first, without provenance, and the kernel arguments of its operands.
type Key = (String, Vec<Option<ArgIndex>>);

/// Known files.
#[derive(Default)]
pub(super) struct FileCache(HashMap<Key, usize>);

impl FileCache {
    /// The number of the file that says the same as this operation's would; `next` becomes its number if there
    /// is none.
    pub(super) fn find_or_add(
        &mut self,
        op: &OpSpec,
        descriptor: &Descriptor,
        symbols: &OpSymbols,
        next: usize,
    ) -> usize {
        let mut first = sdsc::build(descriptor, 0, symbols, SymbolBase::default());
        for body in first.root.values_mut() {
            body.debug_handle = None;
        }
        // Serialising these types into a string cannot fail; if it did, the empty text would never be shared.
        let Ok(text) = serde_json::to_string(&first) else {
            return next;
        };
        let args = op
            .args
            .iter()
            .map(|arg| arg.allocation.arg_index())
            .collect();
        *self.0.entry((text, args)).or_insert(next)
    }
}
