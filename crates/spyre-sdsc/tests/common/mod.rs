//! Specifications that several tests use.
#![allow(dead_code)] // each test crate uses a part

use spyre_sdsc::codegen::{Descriptor, Dim, PlanOptions, plan};
use spyre_sdsc::{
    Allocation, Bundle, BundleOptions, DeviceFormat, Expr, Node, OpSpec, TensorArg, compile_bundle,
};

/// The coordinates of a row-major `[rows, columns]` tensor with the columns along the stick: device size
/// `[columns/64, rows, 64]`.
pub fn stick_coordinates() -> Vec<Expr> {
    vec![
        Expr::symbol("c1").floor_div(64),
        Expr::symbol("c0"),
        Expr::symbol("c1").modulo(64),
    ]
}

/// A buffer of `rows` by `columns` fp16 elements.
pub fn matrix(rows: u64, columns: u64, place: Allocation) -> TensorArg {
    let size = vec![columns.div_ceil(64), rows, 64];
    TensorArg::new(DeviceFormat::Sen169Fp16, size, stick_coordinates(), place)
}

/// A tensor of any shape and coordinates in kernel argument `index`.
pub fn tensor(index: u32, size: &[u64], coordinates: &[&str]) -> TensorArg {
    let coordinates = coordinates.iter().map(|text| parse(text)).collect();
    TensorArg::new(
        DeviceFormat::Sen169Fp16,
        size.to_vec(),
        coordinates,
        Allocation::argument(index),
    )
}

/// Reads an expression that the test wrote.
pub fn parse(text: &str) -> Expr {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// `add` of two matrices over `slices` cores.
pub fn add(rows: u64, columns: u64, slices: u64) -> OpSpec {
    OpSpec::pointwise("add")
        .with_dim("c0", Expr::int(rows as i64), slices)
        .with_dim("c1", Expr::int(columns as i64), 1)
        .with_input(matrix(rows, columns, Allocation::argument(0)))
        .with_input(matrix(rows, columns, Allocation::argument(1)))
        .with_output(matrix(rows, columns, Allocation::argument(2)))
}

/// Compiles with default options.
pub fn compile(nodes: &[Node]) -> Bundle {
    compile_bundle(nodes, &BundleOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The message of the error that compiling gives.
pub fn compile_error(nodes: &[Node], options: &BundleOptions) -> String {
    match compile_bundle(nodes, options) {
        Ok(bundle) => panic!("compiled to\n{}", bundle.mlir_text()),
        Err(error) => error.to_string(),
    }
}

/// Plans one operation outside loops.
pub fn plan_op(op: &OpSpec) -> Descriptor {
    plan(op, 0, 0, &PlanOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The message of the error that planning gives.
pub fn plan_error(op: &OpSpec) -> String {
    match plan(op, 0, 0, &PlanOptions::default()) {
        Ok(descriptor) => panic!("planned as {descriptor:?}"),
        Err(error) => error.to_string(),
    }
}

/// The names of a tensor's dimensions.
pub fn dims_of(descriptor: &Descriptor, tensor: usize) -> Vec<&'static str> {
    descriptor.tensors[tensor]
        .dims
        .iter()
        .map(|d| d.dim.as_str())
        .collect()
}

/// The strides of a tensor's dimensions, in elements.
pub fn strides_of(descriptor: &Descriptor, tensor: usize) -> Vec<u64> {
    descriptor.tensors[tensor]
        .dims
        .iter()
        .map(|d| d.stride.get())
        .collect()
}

/// The scale codes of a tensor's dimensions.
pub fn scales_of(descriptor: &Descriptor, tensor: usize) -> Vec<i64> {
    descriptor.tensors[tensor]
        .dims
        .iter()
        .map(|d| d.scale.code())
        .collect()
}

/// Extents and slices of the iteration space.
pub fn space_of(descriptor: &Descriptor) -> Vec<(Dim, u64, u64)> {
    descriptor
        .dims
        .iter()
        .map(|d| (d.dim, d.extent, d.slices))
        .collect()
}

/// The byte offset of every core's part of a tensor.
pub fn core_offsets(descriptor: &Descriptor, tensor: usize) -> Vec<u64> {
    (0..descriptor.core_count())
        .map(|core| {
            descriptor
                .core_offset(&descriptor.tensors[tensor], &descriptor.slices_of(core))
                .get()
        })
        .collect()
}
