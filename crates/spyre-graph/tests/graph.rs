//! Graphs verify, run, and are tiled.

use melior::Context;
use melior::ir::Module;
use spyre_exec::{Array, DType, Options, Program};
use spyre_graph::pointwise::{BINARY, UNARY};
use spyre_graph::reduction::REDUCTIONS;
use spyre_graph::{ELEMENTS, Element, Graph, GraphError, Layout, Quantized, ReducedDims, Tiles};
use spyre_layout::DimOrder;
use spyre_mlir_rt::source::run_pipeline;

const F16: Element = Element::F16;

/// Returns the elements of the results of a module with one function, which it computes on the CPU.
fn run(context: &Context, module: &Module<'_>, inputs: &[Array]) -> Vec<Vec<f64>> {
    let program = Program::select(context, module.as_operation(), None).expect("a program");
    let executable = program.compile(context, Options::default());
    let results = executable.expect("it compiles").run(inputs);
    let results = results.expect("it runs").into_iter();
    results
        .map(|result| result.elements().map(|element| element.to_f64()).collect())
        .collect()
}

/// Returns an array of 16-bit floats, `value` of the position of each.
fn array(shape: &[usize], value: impl Fn(usize) -> f64) -> Array {
    #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
    let values: Vec<f32> = (0..shape.iter().product())
        .map(|at| value(at) as f32)
        .collect();
    Array::from_f32s(DType::F16, shape, &values).expect("an array")
}

/// Returns integers from 0 to 6, which 16-bit floats have, as have their sums and products.
#[expect(clippy::cast_precision_loss, reason = "a small integer")]
fn small(at: usize) -> f64 {
    (at % 7) as f64
}

#[expect(clippy::cast_precision_loss, reason = "a small integer")]
fn smaller(at: usize) -> f64 {
    (at % 5) as f64 - 2.0
}

/// Builds `(x + y) * x` on 4 rows of 64, of dimensions "A" and "B", with hints around both operations.
fn add_mul<'c>(context: &'c Context, tiles: &[(&str, Tiles)]) -> Result<Module<'c>, GraphError> {
    let mut graph = Graph::new(context, "add_mul");
    let x = graph.input("x", &[("A", 4), ("B", 64)], F16);
    let y = graph.input("y", &[("A", 4), ("B", 64)], F16);
    let body = |graph: &mut Graph<'c>| {
        let sum = graph.add(x, y)?;
        graph.mul(sum, x)
    };
    let product = match tiles {
        [] => body(&mut graph)?,
        [(dim, tiles), ..] => graph.tile(dim, *tiles, body)?,
    };
    graph.finish(&[product])
}

#[test]
fn a_program_of_two_operations_computes_its_formula() {
    let context = spyre_exec::context();
    let module = add_mul(&context, &[]).expect("a module");
    let text = module.as_operation().to_string();
    for line in [
        "func.func @add_mul(%arg0: tensor<4x64xf16> {spyre.dims = [\"A\", \"B\"]}",
        "%0 = spyre.add %arg0, %arg1 : tensor<4x64xf16>",
        "%1 = spyre.mul %0, %arg0 : tensor<4x64xf16>",
        "return %1 : tensor<4x64xf16>",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let inputs = [array(&[4, 64], small), array(&[4, 64], smaller)];
    let expected = (0..256).map(|at| (small(at) + smaller(at)) * small(at));
    assert_eq!(
        run(&context, &module, &inputs),
        [expected.collect::<Vec<_>>()]
    );
}

#[test]
fn hints_become_a_loop_that_computes_the_same() {
    let context = spyre_exec::context();
    let inputs = [array(&[4, 64], small), array(&[4, 64], smaller)];
    let plain = add_mul(&context, &[]).expect("a module");
    let expected = run(&context, &plain, &inputs);
    for tiles in [Tiles::Count(2), Tiles::Size(1)] {
        let module = add_mul(&context, &[("A", tiles)]).expect("a module");
        let text = module.as_operation().to_string();
        let hint = format!("tile [0: \"A\" {tiles}]");
        assert_eq!(text.matches(&hint).count(), 2, "{text}");
        let pipeline = "builtin.module(func.func(coarse-tile))";
        run_pipeline(&context, module.as_operation(), pipeline).expect("it is tiled");
        let text = module.as_operation().to_string();
        assert_eq!(text.matches("scf.for").count(), 1, "{text}");
        assert_eq!(run(&context, &module, &inputs), expected);
    }
}

#[test]
fn scopes_nest_and_follow_one_another() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[("A", 4), ("B", 256)], F16);
    let y = graph
        .tile("A", Tiles::Count(2), |graph| {
            graph.tile("B", Tiles::Count(2), |graph| graph.abs(x))
        })
        .expect("a tensor");
    let z = graph
        .tile("A", Tiles::Count(4), |graph| graph.neg(y))
        .expect("a tensor");
    let module = graph.finish(&[z]).expect("a module");
    let text = module.as_operation().to_string();
    assert!(
        text.contains("tile [0: \"A\" in 2, 1: \"B\" in 2]"),
        "{text}"
    );
    assert!(text.contains("tile [2: \"A\" in 4]"), "{text}");
    let pipeline = "builtin.module(func.func(coarse-tile))";
    run_pipeline(&context, module.as_operation(), pipeline).expect("it is tiled");
    let text = module.as_operation().to_string();
    assert_eq!(text.matches("scf.for").count(), 3, "{text}");
}

#[test]
fn a_graph_becomes_a_bundle() {
    let context = spyre_exec::context();
    let module = add_mul(&context, &[("A", Tiles::Count(2))]).expect("a module");
    let pipeline = "builtin.module(spyre-pipeline)";
    run_pipeline(&context, module.as_operation(), pipeline).expect("it becomes a bundle");
    let text = module.as_operation().to_string();
    assert!(text.contains("sdscbundle.sdsc_execute"), "{text}");
}

#[test]
fn every_pointwise_operation_verifies_with_its_types_of_elements() {
    let context = spyre_exec::context();
    let mut built = 0;
    for element in ELEMENTS {
        let mut graph = Graph::new(&context, "f");
        let x = graph.input("x", &[4, 64], element);
        let row = graph.input("row", &[64], element);
        let unary = UNARY.iter().map(|operation| graph.unary(operation, x));
        let mut results: Vec<_> = unary.collect();
        let binary = BINARY.iter();
        results.extend(binary.map(|operation| graph.binary(operation, x, row)));
        let mut tensors = Vec::new();
        for result in results {
            match result {
                Ok(tensor) => tensors.push(tensor),
                // The unit tests compare the refused types with the dialect.
                Err(GraphError::Element { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        for tensor in &tensors {
            assert_eq!(graph.ty(*tensor).shape(), [4, 64]);
        }
        built += tensors.len();
        graph.finish(&tensors).expect("a module");
    }
    // Comparisons take all nine types.
    assert!(built > UNARY.len() * 3 + BINARY.len() * 3, "{built}");
}

#[test]
fn shapes_broadcast_and_comparisons_are_truth_values() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[4, 64], F16);
    let row = graph.input("row", &[64], F16);
    let is_above = graph.greaterthan(x, row).expect("a tensor");
    assert_eq!(graph.ty(is_above).element(), Element::Bool);
    let limited = graph.clip(x, 1.0, 4.0).expect("a tensor");
    let minus_one = graph.number(-1.0, x).expect("a tensor");
    let y = graph
        .where3(is_above, limited, minus_one)
        .expect("a tensor");
    assert_eq!(graph.ty(y).shape(), [4, 64]);
    let module = graph.finish(&[y]).expect("a module");
    let inputs = [array(&[4, 64], small), array(&[64], |_| 2.0)];
    let expected = (0..256).map(|at| match small(at) > 2.0 {
        true => small(at).clamp(1.0, 4.0),
        false => -1.0,
    });
    assert_eq!(
        run(&context, &module, &inputs),
        [expected.collect::<Vec<_>>()]
    );
}

#[test]
fn products_have_batches() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let a = graph.input("a", &[("batch", 2), ("m", 3), ("k", 64)], F16);
    let b = graph.input("b", &[("k", 64), ("n", 64)], F16);
    let c = graph.matmul(a, b).expect("a tensor");
    assert_eq!(graph.ty(c).shape(), [2, 3, 64]);
    let names: Vec<_> = graph.ty(c).names().collect();
    assert_eq!(names, [Some("batch"), Some("m"), Some("n")]);
    let module = graph.finish(&[c]).expect("a module");
    let identity = |at: usize| f64::from(u8::from(at / 64 == at % 64));
    let inputs = [array(&[2, 3, 64], small), array(&[64, 64], identity)];
    let expected: Vec<f64> = (0..2 * 3 * 64).map(small).collect();
    assert_eq!(run(&context, &module, &inputs), [expected]);
}

#[test]
fn products_of_8_bits_have_16_bits() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let a = graph.input("a", &[32, 128], F16);
    let b = graph.input("b", &[128, 64], F16);
    let float = Element::F8E4M3;
    let left = graph.quantize(a, float, Quantized::Activations);
    let right = graph.quantize(b, float, Quantized::Weights);
    let product = graph.matmul_8_bits(left.expect("a tensor"), right.expect("a tensor"), F16);
    let product = product.expect("a tensor");
    let i = graph.input("i", &[32, 128], Element::I8);
    let j = graph.input("j", &[128, 64], Element::I8);
    let integers = graph.matmul_8_bits(i, j, Element::Bf16).expect("a tensor");
    assert_eq!(graph.ty(integers).element(), Element::Bf16);
    graph.finish(&[product, integers]).expect("a module");
}

#[test]
fn reductions_drop_or_keep_dimensions() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[("A", 4), ("B", 64)], F16);
    let by_name = graph.max(x, &["B"], ReducedDims::Kept).expect("a tensor");
    let by_number = graph.sum(x, &[0], ReducedDims::Dropped).expect("a tensor");
    assert_eq!(graph.ty(by_name).shape(), [4, 1]);
    assert_eq!(graph.ty(by_number).shape(), [64]);
    let mut results = vec![by_name, by_number];
    for reduction in REDUCTIONS {
        let all = graph.reduce(reduction, x, &["B", "A"], ReducedDims::Dropped);
        let all = all.expect("a tensor");
        assert!(graph.ty(all).shape().is_empty());
        results.push(all);
    }
    let module = graph.finish(&results).expect("a module");
    let results = run(&context, &module, &[array(&[4, 64], small)]);
    assert_eq!(results[0], [6.0; 4]);
    let column_sum = |column: usize| -> f64 { (0..4).map(|row| small(row * 64 + column)).sum() };
    let sums = (0..64).map(column_sum);
    assert_eq!(results[1], sums.collect::<Vec<f64>>());
}

#[test]
fn a_softmax_sums_to_one() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[("A", 4), ("B", 64)], F16);
    let y = graph.softmax(x, "B").expect("a tensor");
    let sum = graph
        .sum(y, &["B"], ReducedDims::Dropped)
        .expect("a tensor");
    let module = graph.finish(&[y, sum]).expect("a module");
    let results = run(&context, &module, &[array(&[4, 64], small)]);
    for row in 0..4 {
        let powers = (0..64).map(|column| (small(row * 64 + column) - 6.0).exp());
        let sum: f64 = powers.clone().sum();
        for (column, power) in powers.enumerate() {
            let difference = results[0][row * 64 + column] - power / sum;
            assert!(difference.abs() < 1e-3, "{row} {column}: {difference}");
        }
        assert!((results[1][row] - 1.0).abs() < 1e-2, "{}", results[1][row]);
    }
}

#[test]
fn a_layer_norm_has_a_mean_of_zero() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[4, 64], F16);
    let weight = graph.fill(&[1, 64], F16, 2.0).expect("a tensor");
    let bias = graph.fill(&[1, 64], F16, 1.0).expect("a tensor");
    let y = graph.layer_norm(x, weight, bias, 1e-5).expect("a tensor");
    let module = graph.finish(&[y]).expect("a module");
    let results = run(&context, &module, &[array(&[4, 64], small)]);
    for row in results[0].chunks(64) {
        let mean: f64 = row.iter().sum::<f64>() / 64.0;
        assert!((mean - 1.0).abs() < 2e-2, "{mean}");
        let squares = row.iter().map(|value| (value - mean).powi(2));
        let variance = squares.sum::<f64>() / 64.0;
        assert!((variance - 4.0).abs() < 5e-2, "{variance}");
    }
}

#[test]
fn casts_go_by_way_of_32_bits() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[4, 64], F16);
    let integers = graph.cast(x, Element::I32).expect("a tensor");
    let sum = graph.add(integers, integers).expect("a tensor");
    let floats = graph.cast(sum, F16).expect("a tensor");
    let bits = graph.bitcast(integers, Element::F32).expect("a tensor");
    let bits = graph.bitcast(bits, Element::I32).expect("a tensor");
    assert_eq!(graph.cast(x, F16), Ok(x));
    let module = graph.finish(&[floats, bits]).expect("a module");
    let half = |at| small(at) + 0.5;
    let results = run(&context, &module, &[array(&[4, 64], half)]);
    let doubled: Vec<f64> = (0..256).map(|at| 2.0 * small(at)).collect();
    let truncated: Vec<f64> = (0..256).map(small).collect();
    assert_eq!(results, [doubled, truncated]);
}

#[test]
fn indices_choose_rows_and_searches_find_positions() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let table = graph.input("table", &[("words", 8), ("features", 64)], F16);
    let indices = graph.input("indices", &[("tokens", 3)], Element::I32);
    let rows = graph.gather(indices, table, "words").expect("a tensor");
    let names: Vec<_> = graph.ty(rows).names().collect();
    assert_eq!(names, [Some("tokens"), Some("features")]);
    let largest = graph.topkvalue(table, "words", 2).expect("a tensor");
    let positions = graph
        .topkindex(table, 0, 2, Element::I32)
        .expect("a tensor");
    assert_eq!(graph.ty(positions).shape(), [2, 64]);
    let module = graph.finish(&[rows, largest, positions]);
    let module = module.expect("a module");
    // Row 3 has the largest number.
    let number = |at: usize| small(at / 64 + 3);
    let chosen = Array::from_i64s(DType::I32, &[3], &[7, 0, 3]).expect("an array");
    let results = run(&context, &module, &[array(&[8, 64], number), chosen]);
    let of_rows =
        |numbers: &[f64]| -> Vec<f64> { numbers.iter().flat_map(|number| [*number; 64]).collect() };
    assert_eq!(results[0], of_rows(&[3.0, 3.0, 6.0]));
    assert_eq!(results[1], of_rows(&[6.0, 5.0]));
    assert_eq!(results[2], of_rows(&[3.0, 2.0]));
}

#[test]
fn a_permutation_is_a_view_with_the_permuted_layout() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let layout = layout(2, 64);
    let x = graph.input_with_layout("x", &[("A", 4), ("B", 64)], F16, layout.clone());
    let y = graph.permute(x, &["B", "A"]).expect("a tensor");
    assert_eq!(graph.ty(y).shape(), [64, 4]);
    assert_eq!(
        graph.ty(y).layout(),
        Some(&layout.permute(&[1, 0]).expect("a permutation"))
    );
    let module = graph.finish(&[y]).expect("a module");
    let results = run(&context, &module, &[array(&[4, 64], small)]);
    let expected: Vec<f64> = (0..256).map(|at| small(at % 4 * 64 + at / 4)).collect();
    assert_eq!(results, [expected]);
}

/// Returns the default layout.
fn layout(rank: usize, elements_per_stick: u64) -> Layout {
    let elements = spyre_layout::Elements(elements_per_stick);
    Layout::default_for(&DimOrder::host(rank), elements).expect("a layout")
}

#[test]
fn a_result_has_the_layout_that_all_operands_have() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let layout = layout(2, 64);
    let x = graph.input_with_layout("x", &[4, 64], F16, layout.clone());
    let y = graph.input_with_layout("y", &[4, 64], F16, layout.clone());
    let z = graph.input("z", &[4, 64], F16);
    let same = graph.add(x, y).expect("a tensor");
    let open = graph.add(x, z).expect("a tensor");
    assert_eq!(graph.ty(same).layout(), Some(&layout));
    assert_eq!(graph.ty(open).layout(), None);
    assert_eq!(graph.device_layout(same), Some(&layout));
    assert_eq!(graph.device_layout(z), Some(&layout));
    // The passes of layouts choose it.
    assert_eq!(graph.device_layout(open), None);
    let view = graph.permute(z, &[1, 0]).expect("a tensor");
    let permuted = layout.permute(&[1, 0]).expect("a permutation");
    assert_eq!(graph.device_layout(view), Some(&permuted));
    // A cast on the device leaves another arrangement.
    let cast = graph.cast(z, Element::F32).expect("a tensor");
    assert_eq!(graph.device_layout(cast), None);
    graph.finish(&[same, open, view, cast]).expect("a module");
}

#[test]
fn a_cast_of_an_integer_to_an_integer_keeps_its_low_bits() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[2, 64], Element::I64);
    let y = graph.cast(x, Element::I32).expect("a tensor");
    let module = graph.finish(&[y]).expect("a module");
    let numbers = [16_777_217_i64, -16_777_217].map(|number| [number; 64]);
    let input = Array::from_i64s(DType::I64, &[2, 64], numbers.as_flattened());
    let results = run(&context, &module, &[input.expect("an array")]);
    assert_eq!(results[0][0].to_string(), "16777217");
    assert_eq!(results[0][64].to_string(), "-16777217");
}

/// Returns the operations of a program after `--spyre-decompose`, one a line.
fn decomposed(context: &Context, module: &Module<'_>) -> Vec<String> {
    let pipeline = "builtin.module(func.func(spyre-decompose))";
    run_pipeline(context, module.as_operation(), pipeline).expect("it is decomposed");
    let text = module.as_operation().to_string();
    let lines = text.lines().filter(|line| line.contains("= spyre."));
    lines.map(str::to_owned).collect()
}

#[test]
fn an_operation_without_an_opfunc_is_tiled_as_its_users() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[("A", 4), ("B", 64)], F16);
    let y = graph.tile("A", Tiles::Count(2), |graph| {
        let sine = graph.sin(x)?;
        let error = graph.erf(sine)?;
        graph.add(error, x)
    });
    let module = graph.finish(&[y.expect("a tensor")]).expect("a module");
    let lines = decomposed(&context, &module);
    let computed = lines.iter().filter(|line| !line.contains("spyre.fill"));
    for line in computed {
        assert!(line.contains("tile [0: \"A\" in 2]"), "{line}");
    }
}

#[test]
fn a_comparison_of_integers_keeps_its_hints() {
    let context = spyre_exec::context();
    let mut graph = Graph::new(&context, "f");
    let x = graph.input("x", &[("A", 4), ("B", 64)], Element::I32);
    let y = graph.input("y", &[("A", 4), ("B", 64)], Element::I32);
    let y = graph.tile("A", Tiles::Count(2), |graph| graph.lesserthan(x, y));
    let module = graph.finish(&[y.expect("a tensor")]).expect("a module");
    let lines = decomposed(&context, &module);
    let computed = lines.iter().filter(|line| !line.contains("spyre.fill"));
    for line in computed {
        assert!(line.contains("tile [0: \"A\" in 2]"), "{line}");
    }
}
