//! Operations of `llvm`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "llvm.func" FUNC func LLVMFunc {sym_name, ?sym_visibility, function_type, ?linkage, ?dso_local, ?cconv "CConv",
        ?comdat, ?convergent, ?personality, ?garbage_collector "garbageCollector", ?passthrough, ?arg_attrs,
        ?res_attrs, ?function_entry_count, ?memory_effects, ?visibility_, ?arm_streaming, ?arm_locally_streaming,
        ?arm_streaming_compatible, ?arm_new_za, ?arm_in_za, ?arm_out_za, ?arm_inout_za, ?arm_preserves_za, ?section,
        ?unnamed_addr, ?alignment, ?vscale_range, ?frame_pointer, ?target_cpu, ?tune_cpu, ?reciprocal_estimates,
        ?prefer_vector_width, ?target_features, ?no_infs_fp_math, ?no_nans_fp_math, ?no_signed_zeros_fp_math,
        ?denormal_fp_math, ?denormal_fp_math_f32, ?fp_contract, ?instrument_function_entry, ?instrument_function_exit,
        ?no_inline, ?always_inline, ?inline_hint, ?no_unwind, ?will_return, ?optimize_none, ?vec_type_hint,
        ?work_group_size_hint, ?reqd_work_group_size, ?intel_reqd_sub_group_size, ?uwtable_kind} [body];
    "llvm.intr.abs" INTR_ABS intr_abs Abs (in_ "in") {is_int_min_poison} -> (res);
}
