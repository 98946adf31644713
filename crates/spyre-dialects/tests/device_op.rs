//! The interface of device operations, for one operation of each class.

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Module, RegionLike};
use melior::utility::register_all_dialects;
use spyre_cpp as _;
use spyre_dialects::attr::{entries, number};
use spyre_dialects::device_op::DeviceOp;

/// The answers of the interface about an operation.
#[derive(Debug, PartialEq)]
struct View {
    op_func: String,
    space: Vec<i64>,
    reduced: usize,
    /// Operands, then the result.
    tensors: Vec<Vec<Option<usize>>>,
    constants: Vec<(String, Option<f64>)>,
}

fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    spyre_dialects::register_dialects(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

/// The only device operation in `body`, a function on `%a` and `%b` of the types given.
fn view(a: &str, b: &str, op: &str) -> Result<View, String> {
    let context = context();
    let source = format!("func.func @f(%a: {a}, %b: {b}) {{ %0 = {op}\n return }}");
    let module =
        Module::parse(&context, &source).ok_or_else(|| format!("does not parse: {source}"))?;
    let function = module.body().first_operation().ok_or("no function")?;
    let block = function
        .region(0)
        .map_err(|error| error.to_string())?
        .first_block()
        .ok_or("no body")?;
    let op = block.first_operation().ok_or("no operation")?;
    let device = DeviceOp::cast(op).ok_or("not a device operation")?;
    let tensors = op.operand_count() + op.result_count();
    Ok(View {
        op_func: device.op_func().to_owned(),
        space: device.iteration_space(),
        reduced: device.reduction_dims(),
        tensors: (0..tensors)
            .map(|tensor| device.tensor_dims(tensor))
            .collect(),
        constants: entries(device.constants())
            .into_iter()
            .map(|(name, value)| (name, number(value)))
            .collect(),
    })
}

fn expected(
    op_func: &str,
    space: &[i64],
    reduced: usize,
    tensors: &[&[i64]],
    constants: &[(&str, f64)],
) -> View {
    let dims = |dims: &&[i64]| dims.iter().map(|dim| usize::try_from(*dim).ok()).collect();
    View {
        op_func: op_func.to_owned(),
        space: space.to_vec(),
        reduced,
        tensors: tensors.iter().map(dims).collect(),
        constants: constants
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Some(*value)))
            .collect(),
    }
}

/// An index into a tensor that is broadcast.
const ALL: i64 = -1;

#[test]
fn pointwise_operations_iterate_over_their_result() -> Result<(), String> {
    assert_eq!(
        view(
            "tensor<4x8x64xf16>",
            "tensor<8x1xf16>",
            "spyre.add %a, %b : (tensor<4x8x64xf16>, tensor<8x1xf16>) -> tensor<4x8x64xf16>"
        )?,
        expected(
            "add",
            &[4, 8, 64],
            0,
            &[&[0, 1, 2], &[1, ALL], &[0, 1, 2]],
            &[]
        )
    );
    // An extent of 1 is broadcast only where the result has another one.
    assert_eq!(
        view(
            "tensor<1x64xf16>",
            "tensor<f16>",
            "spyre.sub %a, %b : (tensor<1x64xf16>, tensor<f16>) -> tensor<1x64xf16>"
        )?,
        expected("sub", &[1, 64], 0, &[&[0, 1], &[], &[0, 1]], &[])
    );
    assert_eq!(
        view(
            "tensor<8xf16>",
            "index",
            "spyre.clip %a min -1.5 max 2.25 : tensor<8xf16>"
        )?,
        expected(
            "clip",
            &[8],
            0,
            &[&[0], &[0]],
            &[("clipMax", 2.25), ("clipMin", -1.5)]
        )
    );
    assert_eq!(
        view(
            "tensor<8xf16>",
            "index",
            "spyre.softplus %a beta 0.5 threshold 20.0 : tensor<8xf16>"
        )?,
        expected(
            "softplus",
            &[8],
            0,
            &[&[0], &[0]],
            &[("softplusBeta", 0.5), ("softplusThresh", 20.0)]
        )
    );
    assert_eq!(
        view(
            "tensor<8x2xf16>",
            "index",
            "spyre.layernormscale %a eps 0.5 : (tensor<8x2xf16>) -> tensor<8x1xf16>"
        )?,
        expected(
            "layernormscale",
            &[8, 1],
            0,
            &[&[0, ALL], &[0, 1]],
            &[("eps", 0.5)]
        )
    );
    Ok(())
}

#[test]
fn moves_have_the_names_of_the_bundle_format() -> Result<(), String> {
    assert_eq!(
        view("tensor<8xf16>", "index", "spyre.copy %a : tensor<8xf16>")?.op_func,
        "identity"
    );
    let sticks = "tensor<64x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>";
    assert_eq!(
        view(sticks, "index", &format!("spyre.restickify %a : {sticks}"))?,
        expected("ReStickifyOpHBM", &[64, 64], 0, &[&[0, 1], &[0, 1]], &[])
    );
    Ok(())
}

#[test]
fn reductions_iterate_over_their_result_then_what_they_reduce() -> Result<(), String> {
    assert_eq!(
        view(
            "tensor<2x3x4xf16>",
            "index",
            "spyre.sum %a dims [0, 2] : (tensor<2x3x4xf16>) -> tensor<3xf16>"
        )?,
        expected("sum", &[3, 2, 4], 2, &[&[1, 0, 2], &[0]], &[])
    );
    assert_eq!(
        view(
            "tensor<2x3x4xf16>",
            "index",
            "spyre.mean %a dims [0, 2] keepdim : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>"
        )?,
        expected(
            "mean",
            &[1, 3, 1, 2, 4],
            2,
            &[&[3, 1, 4], &[0, 1, 2]],
            &[("scaling_factor", 0.125)]
        )
    );
    assert_eq!(
        view(
            "tensor<2x4xf16>",
            "index",
            "spyre.quantscalepertokenfp8 %a dims [1] min 0.5 max 4.0 factor 0.25 : (tensor<2x4xf16>) -> tensor<2xf16>"
        )?,
        expected(
            "quantscalepertokenfp8",
            &[2, 4],
            1,
            &[&[0, 1], &[0]],
            &[("clipMax", 4.0), ("clipMin", 0.5), ("mulConst", 0.25)]
        )
    );
    assert_eq!(
        view(
            "tensor<2x4xf16>",
            "index",
            "spyre.exx2 %a : (tensor<2x4xf16>) -> tensor<2x2xf16>"
        )?,
        expected(
            "exx2",
            &[2, 4],
            1,
            &[&[0, 1], &[0, ALL]],
            &[("exx2scale", 0.25)]
        )
    );
    Ok(())
}

#[test]
fn a_mean_over_a_dynamic_extent_has_no_constant_yet() -> Result<(), String> {
    let mean = view(
        "tensor<2x?xf16>",
        "index",
        "spyre.mean %a dims [1] : (tensor<2x?xf16>) -> tensor<2xf16>",
    )?;
    assert_eq!(mean.constants, []);
    let kept = view(
        "tensor<?x4xf16>",
        "index",
        "spyre.mean %a dims [1] : (tensor<?x4xf16>) -> tensor<?xf16>",
    )?;
    assert_eq!(kept.constants, [("scaling_factor".to_owned(), Some(0.25))]);
    Ok(())
}

#[test]
fn topk_searches_one_dimension_and_writes_another() -> Result<(), String> {
    assert_eq!(
        view(
            "tensor<8x64xf16>",
            "index",
            "spyre.topkindex %a dim 1 k 4 : (tensor<8x64xf16>) -> tensor<8x4xi64>"
        )?,
        expected("topkindex", &[8, 4, 64], 1, &[&[0, 2], &[0, 1]], &[])
    );
    Ok(())
}

#[test]
fn a_gather_has_the_dimensions_of_its_indices_in_place_of_one() -> Result<(), String> {
    assert_eq!(
        view(
            "tensor<4x32xi32>",
            "tensor<8x100x64xf16>",
            "spyre.gather %a, %b dim 1 : (tensor<4x32xi32>, tensor<8x100x64xf16>) -> tensor<8x4x32x64xf16>"
        )?,
        expected(
            "identity",
            &[8, 4, 32, 64],
            0,
            &[&[1, 2], &[0, ALL, 3], &[0, 1, 2, 3]],
            &[]
        )
    );
    Ok(())
}

#[test]
fn products_reduce_k() -> Result<(), String> {
    assert_eq!(
        view(
            "tensor<3x1x8x64xf16>",
            "tensor<5x64x16xf16>",
            "spyre.batchmatmul %a, %b : (tensor<3x1x8x64xf16>, tensor<5x64x16xf16>) -> tensor<3x5x8x16xf16>"
        )?,
        expected(
            "batchmatmul",
            &[3, 5, 8, 16, 64],
            1,
            &[&[0, ALL, 2, 4], &[1, 4, 3], &[0, 1, 2, 3]],
            &[]
        )
    );
    Ok(())
}

/// The walks of the only device operation in a function on an image of 9 x 9 with 64 channels and 3 x 3 weights.
fn walks(op: &str) -> Vec<[u64; 5]> {
    let context = context();
    let (image, weight) = ("tensor<2x9x9x64xf16>", "tensor<3x3x64xf16>");
    let source = format!("func.func @f(%a: {image}, %b: {weight}) {{ %0 = {op}\n return }}");
    let module = Module::parse(&context, &source).expect("it parses");
    let function = module.body().first_operation().expect("a function");
    let block = function.region(0).expect("a region").first_block();
    let op = block.and_then(|block| block.first_operation());
    let device = op.and_then(DeviceOp::cast).expect("a device operation");
    let walks = device.walked_dims().into_iter().map(|walk| {
        let [dim, position, window] =
            [walk.dim, walk.position, walk.window].map(|place| place as u64);
        assert_eq!(dim, position);
        let is_divisible = u64::from(walk.is_divisible);
        [dim, window, walk.stride, walk.dilation, is_divisible]
    });
    walks.collect()
}

#[test]
fn windows_walk_along_height_and_width() {
    // Windows may be divided if they are adjacent for a pool, and if they are one element apart for
    // a convolution.
    assert_eq!(
        walks(
            "spyre.maxpoolfwd %a window [3, 3] strides [3, 2] : (tensor<2x9x9x64xf16>) -> tensor<2x3x4x64xf16>"
        ),
        [[1, 4, 3, 1, 1], [2, 5, 2, 1, 0]]
    );
    assert_eq!(
        walks(
            "spyre.depthwiseconv2dnative %a, %b strides [1, 2] dilations [2, 1] : (tensor<2x9x9x64xf16>, tensor<3x3x64xf16>) -> tensor<2x5x4x64xf16>"
        ),
        [[1, 4, 1, 2, 1], [2, 5, 2, 1, 0]]
    );
}

#[test]
fn windows_iterate_over_the_result_then_the_window() -> Result<(), String> {
    let mean = view(
        "tensor<2x8x6x64xf16>",
        "index",
        "spyre.avgpoolfwd %a window [2, 2] strides [2, 2] : (tensor<2x8x6x64xf16>) -> tensor<2x4x3x64xf16>",
    )?;
    assert_eq!(
        (mean.op_func.as_str(), mean.space, mean.reduced),
        ("avgpoolfwd", vec![2, 4, 3, 64, 2, 2], 2)
    );
    let image = vec![Some(0), None, None, Some(3)];
    let result = vec![Some(0), Some(1), Some(2), Some(3)];
    assert_eq!(mean.tensors, [image, result]);
    let constants = [("scaling_factor".to_owned(), Some(0.25))];
    assert_eq!(mean.constants, constants);
    Ok(())
}
