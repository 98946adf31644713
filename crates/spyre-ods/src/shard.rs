//! Operations of `shard`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "shard.all_gather" ALL_GATHER all_gather AllGather (input) {grid, ?grid_axes, gather_axis} -> (result);
    "shard.all_reduce" ALL_REDUCE all_reduce AllReduce (input) {grid, ?grid_axes, ?reduction} -> (result);
    "shard.all_slice" ALL_SLICE all_slice AllSlice (input) {grid, ?grid_axes, slice_axis} -> (result);
    "shard.all_to_all" ALL_TO_ALL all_to_all AllToAll (input) {grid, ?grid_axes, split_axis, concat_axis} -> (result);
    "shard.broadcast" BROADCAST broadcast Broadcast (input, *root_dynamic) {grid, ?grid_axes, root} -> (result);
    "shard.gather" GATHER gather Gather (input, *root_dynamic) {grid, ?grid_axes, gather_axis, root} -> (result);
    "shard.get_sharding" GET_SHARDING get_sharding GetSharding (source) -> (result);
    "shard.grid" GRID grid Grid {sym_name, shape};
    "shard.grid_shape" GRID_SHAPE grid_shape GridShape {grid, ?axes} -> (*result);
    "shard.neighbors_linear_indices" NEIGHBORS_LINEAR_INDICES neighbors_linear_indices NeighborsLinearIndices (*device)
        {grid, split_axes} -> (neighbor_down, neighbor_up);
    "shard.process_linear_index" PROCESS_LINEAR_INDEX process_linear_index ProcessLinearIndex {grid} -> (result);
    "shard.process_multi_index" PROCESS_MULTI_INDEX process_multi_index ProcessMultiIndex {grid, ?axes} -> (*result);
    "shard.recv" RECV recv Recv (input, *source_dynamic) {grid, ?grid_axes, ?source} -> (result);
    "shard.reduce" REDUCE reduce Reduce (input, *root_dynamic) {grid, ?grid_axes, ?reduction, root} -> (result);
    "shard.reduce_scatter" REDUCE_SCATTER reduce_scatter ReduceScatter (input)
        {grid, ?grid_axes, ?reduction, scatter_axis} -> (result);
    "shard.scatter" SCATTER scatter Scatter (input, *root_dynamic) {grid, ?grid_axes, scatter_axis, root} -> (result);
    "shard.send" SEND send Send (input, *destination_dynamic) {grid, ?grid_axes, destination} -> (result);
    "shard.shard" SHARD shard Shard (src, sharding) {?annotate_for_users} -> (result);
    "shard.shard_shape" SHARD_SHAPE shard_shape ShardShape (*dims_dynamic, sharding, *device_dynamic) sized
        {dims, device} -> (*result);
    "shard.sharding" SHARDING sharding Sharding (*dynamic_sharded_dims_offsets, *dynamic_halo_sizes) sized
        {grid, split_axes, ?static_sharded_dims_offsets, ?static_halo_sizes} -> (result);
    "shard.shift" SHIFT shift Shift (input) {grid, ?grid_axes, shift_axis, offset, ?rotate} -> (result);
    "shard.update_halo" UPDATE_HALO update_halo UpdateHalo (destination, *halo_sizes)
        {grid, split_axes, ?static_halo_sizes} -> (result);
}
