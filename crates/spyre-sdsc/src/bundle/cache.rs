//! Sharing of files between operations that differ in symbol identifiers only
//! (SDSC bundle specification, section 2.10).

use rustc_hash::FxHashMap;

use super::file::SdscFile;
use crate::ArgIndex;
use crate::model::OpSpec;

/// A file as if it were the bundle's first, without provenance, and the kernel arguments of its operands.
type Key = (String, Vec<Option<ArgIndex>>);

/// Known files.
#[derive(Default)]
pub(super) struct FileCache(FxHashMap<Key, usize>);

impl FileCache {
    /// The number of an earlier file with the same contents; if there is none, the number of `file` itself (SDSC bundle
    /// specification, section 2.10).
    pub(super) fn find_or_add(&mut self, op: &OpSpec, file: &SdscFile) -> usize {
        let mut first = file.as_first();
        for body in first.root.values_mut() {
            body.debug_handle = None;
        }
        let text = serde_json::to_string(&first).expect("a file has a JSON form");
        let args = op
            .args
            .iter()
            .map(|arg| arg.allocation.arg_index())
            .collect();
        *self.0.entry((text, args)).or_insert(file.number)
    }
}
