//! Operations of `memref`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "memref.alloc" ALLOC alloc Alloc (*dynamic_sizes "dynamicSizes", *symbol_operands "symbolOperands") sized
        {?alignment} -> (memref);
    "memref.alloca" ALLOCA alloca Alloca (*dynamic_sizes "dynamicSizes", *symbol_operands "symbolOperands") sized
        {?alignment} -> (memref);
    "memref.cast" CAST cast Cast (source) -> (dest);
    "memref.collapse_shape" COLLAPSE_SHAPE collapse_shape CollapseShape (src) {reassociation} -> (result);
    "memref.copy" COPY copy Copy (source, target);
    "memref.dealloc" DEALLOC dealloc Dealloc (memref);
    "memref.dim" DIM dim Dim (source, index) -> (result);
    "memref.expand_shape" EXPAND_SHAPE expand_shape ExpandShape (src, *output_shape)
        {reassociation, static_output_shape} -> (result);
    "memref.get_global" GET_GLOBAL get_global GetGlobal {name} -> (result);
    "memref.load" LOAD load Load (memref, *indices) {?nontemporal, ?alignment} -> (result);
    "memref.reinterpret_cast" REINTERPRET_CAST reinterpret_cast ReinterpretCast
        (source, *offsets, *sizes, *strides) sized {static_offsets, static_sizes, static_strides} -> (result);
    "memref.store" STORE store Store (value, memref, *indices) {?nontemporal, ?alignment};
    "memref.subview" SUBVIEW subview SubView (source, *offsets, *sizes, *strides) sized
        {static_offsets, static_sizes, static_strides} -> (result);
}
