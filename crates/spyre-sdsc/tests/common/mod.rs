//! Specifications that several tests use.
#![allow(dead_code)] // each test crate uses a part

pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod windows;

use spyre_sdsc::codegen::{Descriptor, Dim, EnclosingLoops, PlanOptions, plan};
use spyre_sdsc::model::{DimBounds, DimSource};
use spyre_sdsc::{
    Allocation, ArgIndex, Bundle, BundleOptions, DeviceFormat, Expr, Node, OpSpec, Revision,
    Symbol, TensorArg,
};

pub(crate) use schema::compile_bundle;

/// The coordinates of a row-major `[rows, columns]` tensor with the columns along the stick: device size
/// `[columns/64, rows, 64]`.
pub(crate) fn stick_coordinates() -> Vec<Expr> {
    vec![
        Expr::symbol("c1").floor_div(64),
        Expr::symbol("c0"),
        Expr::symbol("c1").modulo(64),
    ]
}

/// A buffer of `rows` by `columns` fp16 elements.
pub(crate) fn matrix(rows: u64, columns: u64, place: Allocation) -> TensorArg {
    let size = vec![columns.div_ceil(64), rows, 64];
    TensorArg::new(DeviceFormat::Sen169Fp16, size, stick_coordinates(), place)
}

/// A tensor of any shape and coordinates in kernel argument `index`.
pub(crate) fn tensor(index: u32, size: &[u64], coordinates: &[&str]) -> TensorArg {
    let coordinates = coordinates.iter().map(|text| parse(text)).collect();
    TensorArg::new(
        DeviceFormat::Sen169Fp16,
        size.to_vec(),
        coordinates,
        Allocation::argument(index),
    )
}

/// Reads an expression that the test wrote.
pub(crate) fn parse(text: &str) -> Expr {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// `add` of two matrices over `slices` cores.
pub(crate) fn add(rows: u64, columns: u64, slices: u64) -> OpSpec {
    OpSpec::pointwise("add")
        .with_dim("c0", Expr::int(rows as i64), slices)
        .with_dim("c1", Expr::int(columns as i64), 1)
        .with_input(matrix(rows, columns, Allocation::argument(0)))
        .with_input(matrix(rows, columns, Allocation::argument(1)))
        .with_output(matrix(rows, columns, Allocation::argument(2)))
}

/// Compiles with default options.
pub(crate) fn compile(nodes: &[Node]) -> Bundle {
    compile_bundle(nodes, &BundleOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Compiles as the third revision, which has recorded files.
pub(crate) fn compile_r3(nodes: &[Node]) -> Bundle {
    let options = BundleOptions {
        share_files: false,
        ..BundleOptions::of_revision(Revision::R3)
    };
    compile_bundle(nodes, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The message of the error that compiling gives.
pub(crate) fn compile_error(nodes: &[Node], options: &BundleOptions) -> String {
    match compile_bundle(nodes, options) {
        Ok(bundle) => panic!("compiled to\n{}", bundle.mlir_text()),
        Err(error) => error.to_string(),
    }
}

/// Plans one operation outside loops.
pub(crate) fn plan_op(op: &OpSpec) -> Descriptor {
    plan(op, 0, EnclosingLoops::Known(0), &PlanOptions::default())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Plans one operation outside loops by the rules of a revision.
pub(crate) fn planned(op: &OpSpec, revision: Revision) -> Descriptor {
    let options = PlanOptions::of_revision(revision);
    plan(op, 0, EnclosingLoops::Known(0), &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The message of the error that planning gives.
pub(crate) fn plan_error(op: &OpSpec) -> String {
    match plan(op, 0, EnclosingLoops::Known(0), &PlanOptions::default()) {
        Ok(descriptor) => panic!("planned as {descriptor:?}"),
        Err(error) => error.to_string(),
    }
}

/// The names of a tensor's dimensions.
pub(crate) fn dims_of(descriptor: &Descriptor, tensor: usize) -> Vec<&str> {
    descriptor.tensors[tensor]
        .dims
        .iter()
        .map(|d| d.dim.as_str())
        .collect()
}

/// The strides of a tensor's dimensions, in elements.
pub(crate) fn strides_of(descriptor: &Descriptor, tensor: usize) -> Vec<u64> {
    descriptor.tensors[tensor]
        .dims
        .iter()
        .map(|d| d.stride.get())
        .collect()
}

/// The scale codes of a tensor's dimensions.
pub(crate) fn scales_of(descriptor: &Descriptor, tensor: usize) -> Vec<i64> {
    descriptor.tensors[tensor]
        .dims
        .iter()
        .map(|d| d.scale.code())
        .collect()
}

/// Extents and slices of the iteration space.
pub(crate) fn space_of(descriptor: &Descriptor) -> Vec<(Dim, u64, u64)> {
    descriptor
        .dims
        .iter()
        .map(|d| (d.dim, d.extent, d.slices))
        .collect()
}

/// The byte offset of every core's part of a tensor.
pub(crate) fn core_offsets(descriptor: &Descriptor, tensor: usize) -> Vec<u64> {
    let mapping = &descriptor.core_mapping;
    (0..mapping.cores())
        .filter_map(|core| mapping.slices_of(core))
        .map(|slices| {
            descriptor
                .core_offset(&descriptor.tensors[tensor], &slices)
                .bytes
                .get()
        })
        .collect()
}

/// `exp` of `rows` by 256 elements.
pub(crate) fn exp(input: TensorArg, output: TensorArg, rows: i64) -> OpSpec {
    OpSpec::pointwise("exp")
        .with_dim("c0", Expr::int(rows), 1)
        .with_dim("c1", Expr::int(256), 1)
        .with_input(input)
        .with_output(output)
}

/// `exp` of a tile of [512, 256], moving by `advance` in the loop of level symbol `t`.
pub(crate) fn tiled_exp(tile: i64, advance: &str) -> OpSpec {
    let argument = |index| matrix(512, 256, Allocation::argument(index)).advancing(parse(advance));
    exp(argument(0), argument(1), tile).with_tiled_level([Symbol::from("t")])
}

/// The lines of a function that execute operations.
pub(crate) fn executes(text: &str) -> Vec<&str> {
    text.lines()
        .map(str::trim)
        .filter(|line| line.starts_with("sdscbundle.sdsc_execute"))
        .collect()
}

/// Bounds of a runtime size.
pub(crate) fn bounds(max: u64, granularity: u64) -> DimBounds {
    DimBounds { max, granularity }
}

/// The first dimension of argument `arg`, as the source of a runtime size.
pub(crate) fn source(arg: u32) -> DimSource {
    DimSource {
        arg: ArgIndex::new(arg),
        dim: 0,
    }
}
