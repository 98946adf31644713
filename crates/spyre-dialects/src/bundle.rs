//! The names of the function, the operations and the attributes of a bundle in IR.

/// The name of a bundle's function.
pub const FUNCTION: &str = "sdsc_bundle";

/// The operation that runs a file.
pub const EXECUTE: &str = "sdscbundle.sdsc_execute";

/// The operation that allocates the pool.
pub const ALLOCATE: &str = "sdscbundle.device_mem_allocate";

/// The operation that reads a parameter.
pub const EXTRACT: &str = "sdscbundle.input_arg_extract";

/// The attribute with which an [`EXECUTE`] names its `sdscbundle.op_spec`, where its file does not.
pub const USES: &str = "sdscbundle.op_spec";
