//! Operations of `bufferization`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "bufferization.alloc_tensor" ALLOC_TENSOR alloc_tensor AllocTensor (*dynamic_sizes, ?copy, ?size_hint) sized
        {?memory_space} -> (result);
    "bufferization.clone" CLONE clone Clone (input) -> (output);
    "bufferization.dealloc" DEALLOC dealloc Dealloc (*memrefs, *conditions, *retained) sized
        -> (*updated_conditions "updatedConditions");
    "bufferization.dealloc_tensor" DEALLOC_TENSOR dealloc_tensor DeallocTensor (tensor);
    "bufferization.materialize_in_destination" MATERIALIZE_IN_DESTINATION materialize_in_destination MaterializeInDestination
        (source, dest) {?restrict, ?writable} -> (?result);
    "bufferization.to_buffer" TO_BUFFER to_buffer ToBuffer (tensor) {?read_only} -> (buffer);
    "bufferization.to_tensor" TO_TENSOR to_tensor ToTensor (buffer) {?restrict, ?writable} -> (result);
}
