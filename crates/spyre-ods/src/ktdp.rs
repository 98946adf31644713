//! Operations of `ktdp`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "ktdp.construct_access_tile" CONSTRUCT_ACCESS_TILE construct_access_tile ConstructAccessTile
        (base, *indices, *symbol_operands) sized {base_map, access_tile_set, access_tile_order} -> (tile);
    "ktdp.construct_distributed_memory_view" CONSTRUCT_DISTRIBUTED_MEMORY_VIEW construct_distributed_memory_view ConstructDistributedMemoryView
        (*parts) -> (view);
    "ktdp.construct_indirect_access_tile" CONSTRUCT_INDIRECT_ACCESS_TILE construct_indirect_access_tile ConstructIndirectAccessTile
        (base, *indirect_memrefs, *captured_variables, *symbol_operands) sized
        {per_dim_subscript_kinds, per_dim_subscript_maps, variables_space_set, variables_space_order} [variables]
        -> (tile);
    "ktdp.construct_memory_view" CONSTRUCT_MEMORY_VIEW construct_memory_view ConstructMemoryView
        (base, *sizes, *strides) sized {static_sizes, static_strides, memory_space, coordinate_set} -> (view);
    "ktdp.get_compute_tile_id" GET_COMPUTE_TILE_ID get_compute_tile_id GetComputeTileId -> (*ids);
    "ktdp.inter_tile_consume" INTER_TILE_CONSUME inter_tile_consume InterTileConsume (future)
        {consumer_tiles_per_group, ?producer_dependency_per_consumer} -> (*received);
    "ktdp.inter_tile_produce" INTER_TILE_PRODUCE inter_tile_produce InterTileProduce {producer_tiles_per_group} [body]
        -> (future);
    "ktdp.inter_tile_reduce" INTER_TILE_REDUCE inter_tile_reduce InterTileReduce (future, *identity)
        {consumer_tiles_per_group, ?producer_dependency_per_consumer} [combiner] -> (*reduced);
    "ktdp.load" LOAD load Load (access_tile) -> (result);
    "ktdp.runtime_arg_extract" RUNTIME_ARG_EXTRACT runtime_arg_extract RuntimeArgExtract (input) {kind} -> (result);
    "ktdp.store" STORE store Store (data_tile, access_tile);
    "ktdp.yield_partial" YIELD_PARTIAL yield_partial YieldPartial (*values);
    "ktdp.yield_reduced" YIELD_REDUCED yield_reduced YieldReduced (*values);
}
