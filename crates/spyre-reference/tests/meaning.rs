//! Each class of operations on numbers that are worked out by hand. The dialect itself is not loaded: operations are read
//! by name.

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use spyre_cpp as _;
use spyre_reference::{Array, DType, InterpretError, function, run};

fn array(shape: &[usize], values: &[f32]) -> Array {
    Array::from_f32s(DType::F16, shape, values).expect("an array")
}

fn counted(shape: &[usize]) -> Array {
    let count: usize = shape.iter().product();
    let values: Vec<f32> = (0..count).map(|at| at as f32).collect();
    array(shape, &values)
}

fn try_run(signature: &str, body: &str, inputs: &[Array]) -> Result<Vec<Array>, InterpretError> {
    let registry = DialectRegistry::new();
    spyre_mlir_rt::tool::register_upstream_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    context.set_allow_unregistered_dialects(true);
    let text = format!("func.func @f{signature} {{\n{body}\n}}");
    let module = Module::parse(&context, &text).unwrap_or_else(|| panic!("{text}"));
    let function = function(module.as_operation(), "f").expect("a function");
    run(function, inputs)
}

/// The one result of a function, as floats.
fn floats(signature: &str, body: &str, inputs: &[Array]) -> Vec<f64> {
    let results = try_run(signature, body, inputs).expect("it runs");
    let [result] = results.as_slice() else {
        panic!("{} results", results.len());
    };
    result.elements().map(|element| element.to_f64()).collect()
}

#[test]
fn views_keep_or_move_elements() {
    let input = [counted(&[2, 6])];
    let split = "%0 = tensor.expand_shape %a [[0], [1, 2]] output_shape [2, 3, 2] : tensor<2x6xf16> into tensor<2x3x2xf16>
      %1 = \"spyre.permute\"(%0) {permutation = array<i64: 1, 0, 2>} : (tensor<2x3x2xf16>) -> tensor<3x2x2xf16>
      %2 = tensor.collapse_shape %1 [[0], [1, 2]] : tensor<3x2x2xf16> into tensor<3x4xf16>
      return %2 : tensor<3x4xf16>";
    assert_eq!(
        floats("(%a: tensor<2x6xf16>) -> tensor<3x4xf16>", split, &input),
        [0.0, 1.0, 6.0, 7.0, 2.0, 3.0, 8.0, 9.0, 4.0, 5.0, 10.0, 11.0]
    );
}

#[test]
fn windows_begin_anywhere() {
    let inputs = [counted(&[3, 4]), array(&[2], &[-1.0, -2.0])];
    let body = "%0 = tensor.insert_slice %b into %a[1, 1] [1, 2] [1, 1] : tensor<2xf16> into tensor<3x4xf16>
      %1 = tensor.extract_slice %0[1, 0] [2, 3] [1, 1] : tensor<3x4xf16> to tensor<2x3xf16>
      return %1 : tensor<2x3xf16>";
    let signature = "(%a: tensor<3x4xf16>, %b: tensor<2xf16>) -> tensor<2x3xf16>";
    assert_eq!(
        floats(signature, body, &inputs),
        [4.0, -1.0, -2.0, 8.0, 9.0, 10.0]
    );
}

#[test]
fn loops_carry_tensors_and_move_windows() {
    let body = "%c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %e = \"spyre.empty\"() : () -> tensor<6xf16>
      %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %e) -> tensor<6xf16> {
        %at = affine.apply affine_map<(d0) -> (4 - d0 * 2)>(%i)
        %w = tensor.extract_slice %a[%at] [2] [1] : tensor<6xf16> to tensor<2xf16>
        %to = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
        %n = tensor.insert_slice %w into %acc[%to] [2] [1] : tensor<2xf16> into tensor<6xf16>
        scf.yield %n : tensor<6xf16>
      }
      return %r : tensor<6xf16>";
    let values = floats(
        "(%a: tensor<6xf16>) -> tensor<6xf16>",
        body,
        &[counted(&[6])],
    );
    assert_eq!(values, [4.0, 5.0, 2.0, 3.0, 0.0, 1.0]);
}

#[test]
fn what_leaves_its_tensor_is_an_error() {
    let body = "%c5 = arith.constant 5 : index
      %w = tensor.extract_slice %a[%c5] [2] [1] : tensor<6xf16> to tensor<2xf16>
      return %w : tensor<2xf16>";
    let result = try_run(
        "(%a: tensor<6xf16>) -> tensor<2xf16>",
        body,
        &[counted(&[6])],
    );
    let reason = result
        .expect_err("a window that leaves its tensor")
        .to_string();
    assert!(
        reason.contains("2 elements from 5 leave an extent of 6"),
        "{reason}"
    );
}

#[test]
fn operands_broadcast() {
    let body = "%0 = \"spyre.sub\"(%a, %b) : (tensor<2x3xf16>, tensor<2x1xf16>) -> tensor<2x3xf16>
      return %0 : tensor<2x3xf16>";
    let inputs = [counted(&[2, 3]), array(&[2, 1], &[1.0, 10.0])];
    let signature = "(%a: tensor<2x3xf16>, %b: tensor<2x1xf16>) -> tensor<2x3xf16>";
    assert_eq!(
        floats(signature, body, &inputs),
        [-1.0, 0.0, 1.0, -7.0, -6.0, -5.0]
    );
}

#[test]
fn results_are_rounded_once() {
    // 2048 + 1 + 1: each sum alone is 2048 in f16.
    let body = "%0 = \"spyre.sum\"(%a) {dims = array<i64: 0>} : (tensor<3x1xf16>) -> tensor<1xf16>
      return %0 : tensor<1xf16>";
    let input = [array(&[3, 1], &[2048.0, 1.0, 1.0])];
    assert_eq!(
        floats("(%a: tensor<3x1xf16>) -> tensor<1xf16>", body, &input),
        [2050.0]
    );
}

#[test]
fn reductions_of_several_dimensions() {
    let body = "%0 = \"spyre.mean\"(%a) {dims = array<i64: 0, 2>, keepdim} : (tensor<2x2x2xf16>) -> tensor<1x2x1xf16>
      return %0 : tensor<1x2x1xf16>";
    let signature = "(%a: tensor<2x2x2xf16>) -> tensor<1x2x1xf16>";
    assert_eq!(floats(signature, body, &[counted(&[2, 2, 2])]), [2.5, 4.5]);
}

#[test]
fn products_of_matrices() {
    let body = "%0 = \"spyre.batchmatmul\"(%a, %b) : (tensor<2x2x1xf16>, tensor<1x3xf16>) -> tensor<2x2x3xf16>
      return %0 : tensor<2x2x3xf16>";
    let inputs = [counted(&[2, 2, 1]), array(&[1, 3], &[1.0, 2.0, -1.0])];
    let signature = "(%a: tensor<2x2x1xf16>, %b: tensor<1x3xf16>) -> tensor<2x2x3xf16>";
    let expected = [
        0.0, 0.0, 0.0, 1.0, 2.0, -1.0, 2.0, 4.0, -2.0, 3.0, 6.0, -3.0,
    ];
    assert_eq!(floats(signature, body, &inputs), expected);
    // Rows beyond K fill a stick and are not read.
    let body =
        "%0 = \"spyre.batchmatmul\"(%a, %b) : (tensor<1x2xf16>, tensor<4x1xf16>) -> tensor<1x1xf16>
      return %0 : tensor<1x1xf16>";
    let inputs = [counted(&[1, 2]), array(&[4, 1], &[1.0, 2.0, 4.0, 8.0])];
    let signature = "(%a: tensor<1x2xf16>, %b: tensor<4x1xf16>) -> tensor<1x1xf16>";
    assert_eq!(floats(signature, body, &inputs), [2.0]);
}

#[test]
fn searches_and_choices() {
    let body = "%0 = \"spyre.topkvalue\"(%a) {dim = 1 : i64, k = 2 : i64} : (tensor<2x3xf16>) -> tensor<2x2xf16>
      return %0 : tensor<2x2xf16>";
    let input = [array(&[2, 3], &[1.0, 5.0, 3.0, 0.0, f32::NAN, -1.0])];
    let values = floats("(%a: tensor<2x3xf16>) -> tensor<2x2xf16>", body, &input);
    assert_eq!(values[..2], [5.0, 3.0]);
    assert!(values[2].is_nan() && values[3] == 0.0);
    let indices = Array::from_i64s(DType::I32, &[2], &[2, 0]).expect("an array");
    let body = "%0 = \"spyre.gather\"(%i, %a) {dim = 1 : i64} : (tensor<2xi32>, tensor<2x3xf16>) -> tensor<2x2xf16>
      return %0 : tensor<2x2xf16>";
    let inputs = [indices, counted(&[2, 3])];
    let signature = "(%i: tensor<2xi32>, %a: tensor<2x3xf16>) -> tensor<2x2xf16>";
    assert_eq!(floats(signature, body, &inputs), [2.0, 0.0, 5.0, 3.0]);
}

#[test]
fn constants_and_what_has_no_meaning() {
    let body = "%0 = \"spyre.fill\"() {value = dense<-1.5> : tensor<2xf16>} : () -> tensor<2xf16>
      return %0 : tensor<2xf16>";
    assert_eq!(floats("() -> tensor<2xf16>", body, &[]), [-1.5, -1.5]);
    let body = "%0 = \"spyre.unknown\"(%a) : (tensor<2xf16>) -> tensor<2xf16>
      return %0 : tensor<2xf16>";
    let result = try_run(
        "(%a: tensor<2xf16>) -> tensor<2xf16>",
        body,
        &[counted(&[2])],
    );
    assert!(matches!(result, Err(InterpretError::Operation { op, .. }) if op == "spyre.unknown"));
}
