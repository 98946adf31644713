//! Operations of `tensor`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "tensor.bitcast" BITCAST bitcast Bitcast (source) -> (dest);
    "tensor.cast" CAST cast Cast (source) -> (dest);
    "tensor.collapse_shape" COLLAPSE_SHAPE collapse_shape CollapseShape (src) {reassociation} -> (result);
    "tensor.concat" CONCAT concat Concat (*inputs) {dim} -> (result);
    "tensor.dim" DIM dim Dim (source, index) -> (result);
    "tensor.empty" EMPTY empty Empty (*dynamic_sizes "dynamicSizes") -> (result);
    "tensor.expand_shape" EXPAND_SHAPE expand_shape ExpandShape (src, *output_shape)
        {reassociation, static_output_shape} -> (result);
    "tensor.extract" EXTRACT extract Extract (tensor, *indices) -> (result);
    "tensor.extract_slice" EXTRACT_SLICE extract_slice ExtractSlice (source, *offsets, *sizes, *strides) sized
        {static_offsets, static_sizes, static_strides} -> (result);
    "tensor.from_elements" FROM_ELEMENTS from_elements FromElements (*elements) -> (result);
    "tensor.gather" GATHER gather Gather (source, indices) {gather_dims, ?unique} -> (result);
    "tensor.generate" GENERATE generate Generate (*dynamic_extents "dynamicExtents") [body] -> (result);
    "tensor.insert" INSERT insert Insert (scalar, dest, *indices) -> (result);
    "tensor.insert_slice" INSERT_SLICE insert_slice InsertSlice (source, dest, *offsets, *sizes, *strides) sized
        {static_offsets, static_sizes, static_strides} -> (result);
    "tensor.pad" PAD pad Pad (source, *low, *high) sized {static_low, static_high, ?nofold} [region] -> (result);
    "tensor.parallel_insert_slice" PARALLEL_INSERT_SLICE parallel_insert_slice ParallelInsertSlice
        (source, dest, *offsets, *sizes, *strides) sized {static_offsets, static_sizes, static_strides};
    "tensor.rank" RANK rank Rank (tensor) -> (result);
    "tensor.reshape" RESHAPE reshape Reshape (source, shape) -> (result);
    "tensor.scatter" SCATTER scatter Scatter (source, dest, indices) {scatter_dims, ?unique} -> (result);
    "tensor.splat" SPLAT splat Splat (input, *dynamic_sizes "dynamicSizes") -> (aggregate);
    "tensor.yield" YIELD yield_ Yield (value);
}
