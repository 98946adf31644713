//! Operations of `sdscbundle`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "sdscbundle.device_mem_allocate" DEVICE_MEM_ALLOCATE device_mem_allocate DeviceMemAllocate {size} -> (address);
    "sdscbundle.input_arg_extract" INPUT_ARG_EXTRACT input_arg_extract InputArgExtract (input) {field} -> (result);
    "sdscbundle.op_spec" OP_SPEC op_spec OpSpec {sym_name, ?sym_visibility, op_func, ?is_reduction, space, ?in_order,
        ?core_slices, ?completed_cores, ?loops, ?levels, args, ?constants, ?info, ?output_ranges, ?debug_handle};
    "sdscbundle.sdsc_execute" SDSC_EXECUTE sdsc_execute SdscExecute (*addresses) {sdsc_filename, ?symbol_ids};
}
