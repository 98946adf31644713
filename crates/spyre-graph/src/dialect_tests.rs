//! A graph refuses an operation exactly if the verifier of the dialect does.
//!
//! The tests write each operation as text, with operands of each type of elements, so that the tables of this crate and
//! the constraints of the dialect are compared in both directions.

use melior::Context;
use melior::ir::Module;
use spyre_mlir_rt::diagnostic;
use spyre_ods::spyre;

use crate::convert::Quantized;
use crate::error::GraphError;
use crate::graph::Graph;
use crate::pointwise::{BINARY, UNARY};
use crate::reduction::{REDUCTIONS, ReducedDims};
use crate::tensor::{ELEMENTS, Element, Tensor, TensorType};

const F16: Element = Element::F16;

/// The shape and the elements of a tensor.
pub(crate) type Typed<'s> = (&'s [u64], Element);

/// Returns whether the dialect verifies an operation with attributes, as MLIR writes them.
pub(crate) fn verifies(
    context: &Context,
    name: &str,
    attributes: &str,
    operands: &[Typed<'_>],
    result: Typed<'_>,
) -> bool {
    let text = |(shape, element): Typed<'_>| {
        let ty = TensorType::new(shape.to_vec(), element);
        ty.to_mlir(context).to_string()
    };
    let types: Vec<String> = operands.iter().map(|operand| text(*operand)).collect();
    let values: Vec<String> = (0..types.len())
        .map(|number| format!("%{number}"))
        .collect();
    let arguments = values.iter().zip(&types);
    let arguments: Vec<String> = arguments
        .map(|(name, ty)| format!("{name}: {ty}"))
        .collect();
    let properties = match attributes {
        "" => String::new(),
        _ => format!("<{{{attributes}}}>"),
    };
    let source = format!(
        "func.func @f({}) {{\n  %r = \"{name}\"({}) {properties} : ({}) -> {}\n  return\n}}",
        arguments.join(", "),
        values.join(", "),
        types.join(", "),
        text(result),
    );
    let (module, reported) = diagnostic::collect(context, || Module::parse(context, &source));
    // A mistake of the text is no constraint of the operation.
    for message in reported.iter().map(|reported| &reported.message) {
        assert!(
            message.starts_with(&format!("'{name}' op")),
            "{message}\n{source}"
        );
    }
    module.is_some()
}

/// Checks that a graph adds an operation exactly if the dialect verifies it.
fn check(
    context: &Context,
    operands: &[Typed<'_>],
    verifies: bool,
    add: impl FnOnce(&mut Graph<'_>, &[Tensor]) -> Result<Tensor, GraphError>,
) {
    let mut graph = Graph::new(context, "f");
    let inputs = operands.iter().enumerate();
    let inputs: Vec<Tensor> = inputs
        .map(|(number, (shape, element))| graph.input(&format!("x{number}"), shape, *element))
        .collect();
    match add(&mut graph, &inputs) {
        Ok(tensor) => {
            let name = graph.operand(tensor).to_string();
            assert!(verifies, "the dialect refuses {name} of {operands:?}");
            graph.finish(&[tensor]).expect("a module");
        }
        Err(error) => assert!(!verifies, "the dialect verifies, for {operands:?}: {error}"),
    }
}

/// Returns all pairs of types of elements.
pub(crate) fn pairs() -> impl Iterator<Item = (Element, Element)> {
    ELEMENTS
        .into_iter()
        .flat_map(|first| ELEMENTS.map(|second| (first, second)))
}

/// Returns a number as an attribute, by its bits.
fn f64_text(value: f64) -> String {
    format!("0x{:016X} : f64", value.to_bits())
}

#[test]
fn operations_with_one_operand_take_the_elements_of_the_dialect() {
    let context = spyre_exec::context();
    let whole: &[u64] = &[4, 64];
    for element in ELEMENTS {
        let x = (whole, element);
        let unary = |name, attributes| verifies(&context, name, attributes, &[x], x);
        for operation in UNARY {
            check(
                &context,
                &[x],
                unary(operation.name, ""),
                |graph, inputs| graph.unary(operation, inputs[0]),
            );
        }
        let clip = unary(spyre::CLIP, "min = 0.0 : f64, max = 1.0 : f64");
        check(&context, &[x], clip, |graph, inputs| {
            graph.clip(inputs[0], 0.0, 1.0)
        });
        let softplus = unary(spyre::SOFTPLUS, "beta = 1.0 : f64, threshold = 9.0 : f64");
        check(&context, &[x], softplus, |graph, inputs| {
            graph.softplus(inputs[0], 1.0, 9.0)
        });
        for reduction in REDUCTIONS {
            let dims = "dims = array<i64: 1>";
            let reduces = verifies(&context, reduction.name, dims, &[x], (&[4], element));
            check(&context, &[x], reduces, |graph, inputs| {
                graph.reduce(reduction, inputs[0], &[1_usize], ReducedDims::Dropped)
            });
        }
        let dims = "dim = 0 : i64, k = 2 : i64";
        let searches = verifies(&context, spyre::TOPKVALUE, dims, &[x], (&[2, 64], element));
        check(&context, &[x], searches, |graph, inputs| {
            graph.topkvalue(inputs[0], 0, 2)
        });
    }
}

#[test]
fn operations_with_two_operands_take_the_elements_of_the_dialect() {
    let context = spyre_exec::context();
    let (whole, row): (&[u64], &[u64]) = (&[4, 64], &[64]);
    let square: &[u64] = &[64, 64];
    for (left, right) in pairs() {
        let operands = [(whole, left), (row, right)];
        for operation in BINARY {
            let results = [left, Element::Bool];
            let is_verified = results
                .into_iter()
                .any(|result| verifies(&context, operation.name, "", &operands, (whole, result)));
            check(&context, &operands, is_verified, |graph, inputs| {
                graph.binary(operation, inputs[0], inputs[1])
            });
        }
        let operands = [(whole, left), (whole, right), (row, right)];
        let selects = verifies(&context, spyre::WHERE3, "", &operands, (whole, right));
        check(&context, &operands, selects, |graph, inputs| {
            graph.where3(inputs[0], inputs[1], inputs[2])
        });
        let operands = [(whole, left), (square, right)];
        let multiplies = verifies(&context, spyre::BATCHMATMUL, "", &operands, (whole, left));
        check(&context, &operands, multiplies, |graph, inputs| {
            graph.matmul(inputs[0], inputs[1])
        });
        let indices: &[u64] = &[3];
        let operands = [(indices, left), (square, right)];
        let dim = "dim = 0 : i64";
        let gathers = verifies(&context, spyre::GATHER, dim, &operands, (&[3, 64], right));
        check(&context, &operands, gathers, |graph, inputs| {
            graph.gather(inputs[0], inputs[1], 0)
        });
        let norm: [Typed<'_>; 5] = [
            (whole, left),
            (&[4, 2], left),
            (&[4, 1], left),
            (&[1, 64], right),
            (&[1, 64], right),
        ];
        let normalises = verifies(&context, spyre::LAYERNORMNORM, "", &norm, (whole, left));
        check(
            &context,
            &[norm[0], norm[3], norm[4]],
            normalises,
            |graph, inputs| graph.layer_norm(inputs[0], inputs[1], inputs[2], 1e-5),
        );
    }
}

#[test]
fn operations_have_results_with_the_elements_of_the_dialect() {
    let context = spyre_exec::context();
    let (whole, square): (&[u64], &[u64]) = (&[4, 64], &[64, 64]);
    for (from, to) in pairs() {
        let x = [(whole, from)];
        let quantizations = [
            (spyre::QFP8CH, Quantized::Activations),
            (spyre::QFP8WT, Quantized::Weights),
        ];
        for (name, quantized) in quantizations {
            let quantizes = verifies(&context, name, "", &x, (whole, to));
            check(&context, &x, quantizes, |graph, inputs| {
                graph.quantize(inputs[0], to, quantized)
            });
        }
        // A copy of the bits to the same type is no operation.
        if from != to {
            let copies = verifies(&context, spyre::BITCAST, "", &x, (whole, to));
            check(&context, &x, copies, |graph, inputs| {
                graph.bitcast(inputs[0], to)
            });
        }
        let dims = "dim = 0 : i64, k = 2 : i64";
        let searches = verifies(&context, spyre::TOPKINDEX, dims, &x, (&[2, 64], to));
        check(&context, &x, searches, |graph, inputs| {
            graph.topkindex(inputs[0], 0, 2, to)
        });
        let operands = [(whole, from), (square, from)];
        let products = [spyre::BATCHMATMULFP8, spyre::BATCHMATMULINT8];
        let multiplies = products
            .into_iter()
            .any(|name| verifies(&context, name, "", &operands, (whole, to)));
        check(&context, &operands, multiplies, |graph, inputs| {
            graph.matmul_8_bits(inputs[0], inputs[1], to)
        });
    }
}

#[test]
fn numbers_have_the_ranges_of_the_dialect() {
    let context = spyre_exec::context();
    let numbers = [
        f64::NEG_INFINITY,
        -1.0,
        -0.0,
        0.0,
        2.0,
        f64::INFINITY,
        f64::NAN,
    ];
    let x: Typed<'_> = (&[4, 64], F16);
    for first in numbers {
        for second in numbers {
            let [left, right] = [first, second].map(f64_text);
            let bounds = format!("min = {left}, max = {right}");
            let clips = verifies(&context, spyre::CLIP, &bounds, &[x], x);
            check(&context, &[x], clips, |graph, inputs| {
                graph.clip(inputs[0], first, second)
            });
            let numbers = format!("beta = {left}, threshold = {right}");
            let softplus = verifies(&context, spyre::SOFTPLUS, &numbers, &[x], x);
            check(&context, &[x], softplus, |graph, inputs| {
                graph.softplus(inputs[0], first, second)
            });
        }
        let eps = format!("eps = {}", f64_text(first));
        let name = spyre::LAYERNORMSCALE;
        let scales = verifies(&context, name, &eps, &[(&[4, 2], F16)], (&[4, 1], F16));
        let operands: [Typed<'_>; 2] = [x, (&[1, 64], F16)];
        check(&context, &operands, scales, |graph, inputs| {
            graph.layer_norm(inputs[0], inputs[1], inputs[1], first)
        });
    }
}

#[test]
fn searches_have_the_ranges_of_the_dialect() {
    let context = spyre_exec::context();
    for k in 0..4 {
        let x: Typed<'_> = (&[2, 64], F16);
        let dims = format!("dim = 0 : i64, k = {k} : i64");
        let result: &[u64] = &[k, 64];
        let searches = verifies(&context, spyre::TOPKVALUE, &dims, &[x], (result, F16));
        check(&context, &[x], searches, |graph, inputs| {
            let k = usize::try_from(k).expect("a small number");
            graph.topkvalue(inputs[0], 0, k)
        });
    }
    let exact = [
        (F16, 1 << 10),
        (Element::Bf16, 1 << 8),
        (Element::F32, 1 << 24),
    ];
    for (element, most) in exact {
        for (extent, to) in [
            (most + 1, element),
            (most + 2, element),
            (most + 2, Element::I32),
        ] {
            let shape: &[u64] = &[extent, 1];
            let dims = "dim = 0 : i64, k = 1 : i64";
            let x = [(shape, element)];
            let searches = verifies(&context, spyre::TOPKINDEX, dims, &x, (&[1, 1], to));
            assert_eq!(searches, extent == most + 1 || to != element);
            check(&context, &x, searches, |graph, inputs| {
                graph.topkindex(inputs[0], 0, 1, to)
            });
        }
    }
}

#[test]
fn a_layer_norm_has_more_than_one_element() {
    let context = spyre_exec::context();
    for extent in [1, 2] {
        let (shape, weight): (&[u64], &[u64]) = (&[4, extent], &[1, extent]);
        let x = (shape, F16);
        let takes = verifies(&context, spyre::EXX2, "", &[x], (&[4, 2], F16));
        assert_eq!(takes, extent == 2);
        check(&context, &[x, (weight, F16)], takes, |graph, inputs| {
            graph.layer_norm(inputs[0], inputs[1], inputs[1], 1e-5)
        });
    }
}
