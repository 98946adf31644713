//! Programs of every shape and element type, and refused programs.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::thread;

use melior::Context;
use melior::diagnostic::DiagnosticSeverity;
use melior::ir::Module;
use proptest::prelude::*;
use spyre_exec::program::{ProgramError, RunError};
use spyre_exec::random::{self, Distribution};
use spyre_exec::{Array, DType, Executable, Optimization, Options, Program, TensorType, interpret};
use spyre_mlir_rt::execution::{External, Function};

fn compile(
    source: &str,
    entry: Option<&str>,
    options: Options,
) -> Result<Executable, ProgramError> {
    compile_in(&spyre_exec::context(), source, entry, options)
}

fn compile_in(
    context: &Context,
    source: &str,
    entry: Option<&str>,
    options: Options,
) -> Result<Executable, ProgramError> {
    let module = Module::parse(context, source).expect("the program parses");
    let before = module.as_operation().to_string();
    let executable = Program::select(context, module.as_operation(), entry)
        .and_then(|program| program.compile(context, options));
    let after = module.as_operation().to_string();
    assert_eq!(before, after, "the module stays as it is");
    executable
}

fn run(source: &str, inputs: &[Array]) -> Vec<Array> {
    let executable = compile(source, None, Options::default()).expect("compiles");
    executable.run(inputs).expect("runs")
}

fn i32s(shape: &[usize], values: &[i64]) -> Array {
    Array::from_i64s(DType::I32, shape, values).unwrap()
}

#[test]
fn every_element_type_and_rank_comes_back() {
    // There are two tensors of each type and rank. The function swaps the two, so that the test detects a mix-up.
    let mut source = String::new();
    let mut inputs = Vec::new();
    let mut types = Vec::new();
    let shapes: [&[usize]; 7] = [
        &[],
        &[5],
        &[2, 3],
        &[3, 1, 2],
        &[1, 2, 2, 3],
        &[2, 1, 2, 1, 3],
        &[2, 1, 2, 1, 3, 2],
    ];
    for dtype in DType::ALL {
        for shape in shapes {
            let ty = TensorType {
                element: dtype,
                shape: shape.to_vec(),
            };
            inputs.push(
                random::tensor(&ty, Distribution::WithSpecialValues, 7, inputs.len() as u64)
                    .unwrap(),
            );
            types.push(ty);
        }
    }
    let list = |types: &mut dyn Iterator<Item = &TensorType>| {
        types
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let arguments: Vec<String> = types
        .iter()
        .enumerate()
        .map(|(i, ty)| format!("%a{i}: {ty}"))
        .collect();
    let results = list(&mut types.iter().rev());
    writeln!(
        source,
        "func.func @f({}) -> ({results}) {{",
        arguments.join(", ")
    )
    .unwrap();
    let values: Vec<String> = (0..types.len()).rev().map(|i| format!("%a{i}")).collect();
    writeln!(source, "return {} : {results}\n}}", values.join(", ")).unwrap();
    let results = run(&source, &inputs);
    inputs.reverse();
    assert_eq!(results, inputs);
}

#[test]
fn results_may_share_memory_or_be_constants() {
    let source = r#"
func.func @f(%a: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %c = arith.constant dense<[7, 8]> : tensor<2xi32>
  %s = spyre.add %a, %c : tensor<2xi32>
  return %s, %s, %a, %c, %c : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}"#;
    let executable = compile(source, None, Options::default()).unwrap();
    let input = i32s(&[2], &[1, 2]);
    let sum = i32s(&[2], &[8, 10]);
    let constant = i32s(&[2], &[7, 8]);
    // More than once: a constant or an input that was freed or overwritten shows.
    for _ in 0..3 {
        let results = executable.run(std::slice::from_ref(&input)).unwrap();
        assert_eq!(
            results,
            [
                sum.clone(),
                sum.clone(),
                input.clone(),
                constant.clone(),
                constant.clone()
            ]
        );
    }
}

#[test]
fn a_program_that_writes_to_an_argument_does_not_change_the_input() {
    let source = r#"
func.func @f(%a: tensor<4xi32>) -> tensor<4xi32> {
  %c = arith.constant dense<9> : tensor<2xi32>
  %r = tensor.insert_slice %c into %a[1] [2] [1] : tensor<2xi32> into tensor<4xi32>
  return %r : tensor<4xi32>
}"#;
    let input = i32s(&[4], &[1, 2, 3, 4]);
    let results = run(source, std::slice::from_ref(&input));
    assert_eq!(results, [i32s(&[4], &[1, 9, 9, 4])]);
    assert_eq!(input, i32s(&[4], &[1, 2, 3, 4]));
}

#[test]
fn functions_without_arguments_results_or_elements() {
    let executable = compile("func.func @f() { return }", None, Options::default()).unwrap();
    assert_eq!(executable.run(&[]).unwrap(), []);
    let upstream =
        "func.func @f(%a: tensor<2x0xi32>) -> tensor<2x0xi32> { return %a : tensor<2x0xi32> }";
    let empty = i32s(&[2, 0], &[]);
    assert_eq!(run(upstream, std::slice::from_ref(&empty)), [empty]);
}

/// Names of the C library mean functions of the program here, also where compiled code calls the C library.
#[test]
fn functions_call_each_other_and_may_be_called_anything() {
    let source = r#"
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @expf(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = spyre.exp %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @malloc(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @expf(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @"main of it"(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @malloc(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @prints(%x: tensor<*xf32>) {
  call @printMemrefF32(%x) : (tensor<*xf32>) -> ()
  return
}"#;
    let input = Array::from_f32s(DType::F32, &[2], &[0.0, f32::NEG_INFINITY]).unwrap();
    let expected = Array::from_f32s(DType::F32, &[2], &[1.0, 0.0]).unwrap();
    assert_eq!(
        run(source, std::slice::from_ref(&input)),
        std::slice::from_ref(&expected)
    );
    let named = compile(source, Some("malloc"), Options::default()).unwrap();
    assert_eq!(named.entry(), "malloc");
    assert_eq!(named.run(&[input]).unwrap(), [expected]);
}

#[test]
fn memory_that_nobody_wrote_is_poison() {
    let source = r#"
func.func @f(%a: tensor<1xf16>, %i: tensor<1xi32>) -> (tensor<2xf16>, tensor<2xi32>) {
  %e = spyre.empty : tensor<2xf16>
  %r = tensor.insert_slice %a into %e[0] [1] [1] : tensor<1xf16> into tensor<2xf16>
  %f = spyre.empty : tensor<2xi32>
  %s = tensor.insert_slice %i into %f[1] [1] [1] : tensor<1xi32> into tensor<2xi32>
  return %r, %s : tensor<2xf16>, tensor<2xi32>
}"#;
    let poison = Options {
        poison: true,
        ..Options::default()
    };
    let executable = compile(source, None, poison).unwrap();
    let one = Array::from_f32s(DType::F16, &[1], &[1.0]).unwrap();
    let results = executable.run(&[one, i32s(&[1], &[3])]).unwrap();
    let floats: Vec<_> = results[0].elements().collect();
    assert_eq!(floats[0].to_f64(), 1.0);
    assert!(floats[1].is_nan());
    assert_eq!(
        results[1],
        i32s(&[2], &[i64::from(0xA5A5_A5A5_u32.cast_signed()), 3])
    );
}

#[test]
fn compiled_functions_outlive_their_context_and_run_in_parallel() {
    let source = "func.func @f(%a: tensor<64x64xi32>) -> tensor<64x64xi32> {
      %0 = spyre.mul %a, %a : tensor<64x64xi32>
      return %0 : tensor<64x64xi32>
    }";
    let options = Options {
        optimization: Some(Optimization::None),
        ..Options::default()
    };
    let executable = compile(source, None, options).unwrap();
    thread::scope(|scope| {
        for value in 0..4 {
            let executable = &executable;
            scope.spawn(move || {
                let input = i32s(&[64, 64], &[value; 4096]);
                for _ in 0..20 {
                    let results = executable.run(std::slice::from_ref(&input)).unwrap();
                    assert_eq!(results, [i32s(&[64, 64], &[value * value; 4096])]);
                }
            });
        }
    });
}

/// Inputs, results and intermediate values: a megabyte each, three hundred times.
#[cfg(target_os = "linux")]
#[test]
fn calls_keep_no_memory() {
    fn pages() -> usize {
        let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
        statm.split(' ').nth(1).unwrap().parse().unwrap()
    }
    let ty = "tensor<512x512xi32>";
    let source = format!(
        "func.func @f(%a: {ty}) -> ({ty}, {ty}, {ty}) {{
          %0 = spyre.add %a, %a : {ty}
          %1 = spyre.mul %0, %a : {ty}
          return %1, %a, %1 : {ty}, {ty}, {ty}
        }}"
    );
    let executable = compile(&source, None, Options::default()).unwrap();
    let input = i32s(&[512, 512], &vec![3; 512 * 512]);
    let run = || executable.run(std::slice::from_ref(&input)).unwrap();
    let _ = run();
    let before = pages();
    for _ in 0..300 {
        let _ = run();
    }
    // Other tests run in this process as well. A single leaked buffer is 300 MiB.
    let grown = pages().saturating_sub(before);
    assert!(grown < 64 * 1024, "{grown} pages of 4 KiB");
}

#[test]
fn inputs_must_fit() {
    let source = "func.func @f(%a: tensor<2xf16>, %b: tensor<2xi32>) -> tensor<2xf16> { return %a : tensor<2xf16> }";
    let executable = compile(source, None, Options::default()).unwrap();
    let half = Array::from_f32s(DType::F16, &[2], &[0.0, 1.0]).unwrap();
    let err = executable.run(std::slice::from_ref(&half)).unwrap_err();
    assert_eq!(err.to_string(), "@f takes 2 inputs, got 1");
    let err = executable.run(&[half.clone(), half.clone()]).unwrap_err();
    assert_eq!(
        err.to_string(),
        "input 1 of @f is tensor<2xi32>, got tensor<2xf16>"
    );
    let err = executable.run(&[half, i32s(&[1, 2], &[0, 0])]).unwrap_err();
    assert!(matches!(err, RunError::Type { input: 1, .. }), "{err}");
}

/// A loop over tiles of two rows with the last tile out of bounds, and an element at an index from
/// an argument.
#[test]
fn a_program_that_leaves_its_tensors_fails() {
    let source = r#"
func.func @f(%a: tensor<8x4xf16>) -> tensor<8x4xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %init = spyre.empty : tensor<8x4xf16>
  %z = scf.for %i = %c0 to %c5 step %c1 iter_args(%full = %init) -> (tensor<8x4xf16>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %ta = tensor.extract_slice %a[%row, 0] [2, 4] [1, 1] : tensor<8x4xf16> to tensor<2x4xf16>
    %next = tensor.insert_slice %ta into %full[%row, 0] [2, 4] [1, 1] : tensor<2x4xf16> into tensor<8x4xf16>
    scf.yield %next : tensor<8x4xf16>
  }
  return %z : tensor<8x4xf16>
}"#;
    let input = Array::from_f32s(DType::F16, &[8, 4], &[1.5; 32]).unwrap();
    let executable = compile(source, None, Options::default()).unwrap();
    for _ in 0..2 {
        let err = executable.run(std::slice::from_ref(&input)).unwrap_err();
        assert_eq!(
            err.to_string(),
            "-:9:11: offset 8 is outside of the tensor; it may be from 0 to 6"
        );
    }
    let inside = source.replace("arith.constant 5", "arith.constant 4");
    assert_eq!(run(&inside, std::slice::from_ref(&input)), [input]);

    let source = "func.func @f(%a: tensor<3xi32>, %at: tensor<i32>) -> tensor<3xi32> {
      %at32 = tensor.extract %at[] : tensor<i32>
      %i = arith.index_cast %at32 : i32 to index
      %x = tensor.extract %a[%i] : tensor<3xi32>
      %r = tensor.insert %x into %a[%i] : tensor<3xi32>
      return %r : tensor<3xi32>
    }";
    let executable = compile(source, None, Options::default()).unwrap();
    let values = i32s(&[3], &[5, 6, 7]);
    for (at, outside) in [
        (0, false),
        (2, false),
        (3, true),
        (-1, true),
        (i64::from(i32::MAX), true),
    ] {
        let results = executable.run(&[values.clone(), i32s(&[], &[at])]);
        match results {
            Ok(results) => assert!(!outside && results == [values.clone()], "{at}"),
            Err(err) => {
                assert!(outside, "{err}");
                let expected =
                    format!("-:4:12: offset {at} is outside of the tensor; it may be from 0 to 2");
                assert_eq!(err.to_string(), expected);
            }
        }
    }
}

/// A function that the caller runs.
fn external(
    run: impl Fn(&[&[u8]]) -> Result<Vec<Vec<u8>>, String> + Send + Sync + 'static,
) -> External {
    External {
        name: "outside".to_owned(),
        run: Box::new(move |inputs| run(inputs).map_err(Into::into)),
    }
}

/// Runs a program that calls `@outside` in a loop, with loop-carried results.
fn run_with(external: External) -> Result<Vec<Array>, RunError> {
    let context = spyre_exec::context();
    let source = "func.func private @outside(tensor<2xi32>, tensor<i1>) -> (tensor<2xi32>, tensor<i32>)
      func.func @f(%a: tensor<2xi32>, %b: tensor<i1>) -> (tensor<2xi32>, tensor<i32>) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %n = arith.constant dense<0> : tensor<i32>
        %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %a, %y = %n) -> (tensor<2xi32>, tensor<i32>) {
          %s = arith.addi %x, %x : tensor<2xi32>
          %o:2 = func.call @outside(%s, %b) : (tensor<2xi32>, tensor<i1>) -> (tensor<2xi32>, tensor<i32>)
          scf.yield %o#0, %o#1 : tensor<2xi32>, tensor<i32>
        }
        return %r#0, %r#1 : tensor<2xi32>, tensor<i32>
      }";
    let module = Module::parse(&context, source).expect("the program parses");
    let program = Program::select(&context, module.as_operation(), Some("f")).expect("a function");
    let externals = vec![external];
    let executable = program.compile_with(&context, Options::default(), externals);
    let inputs = [
        Array::from_i64s(DType::I32, &[2], &[3, 4]).unwrap(),
        Array::from_i64s(DType::Bool, &[], &[1]).unwrap(),
    ];
    executable.expect("it compiles").run(&inputs)
}

#[test]
fn functions_of_the_caller_are_called() {
    let results = run_with(external(|inputs| {
        let [numbers, truth] = inputs else {
            return Err(format!("{} inputs", inputs.len()));
        };
        assert_eq!(*truth, [1]);
        let numbers = numbers.chunks(4).map(|bytes| bytes[0]);
        let swapped: Vec<u8> = numbers.rev().flat_map(|number| [number, 0, 0, 0]).collect();
        Ok(vec![swapped, vec![7, 0, 0, 0]])
    }));
    let expected = [
        Array::from_i64s(DType::I32, &[2], &[12, 16]).unwrap(),
        Array::from_i64s(DType::I32, &[], &[7]).unwrap(),
    ];
    assert_eq!(results.expect("it runs"), expected);
}

#[test]
fn functions_of_the_caller_may_fail() {
    let message = |external| run_with(external).unwrap_err().to_string();
    assert_eq!(message(external(|_| Err("no".to_owned()))), "@outside: no");
    let error = message(external(|_| panic!("{} is odd", 3)));
    assert_eq!(error, "@outside: it panicked: 3 is odd");
    let reason = message(external(|_| Ok(vec![vec![0; 8]])));
    assert!(reason.starts_with("@outside: its results have"), "{reason}");
}

#[test]
fn assertions_end_a_program() {
    let source = "func.func @f(%a: tensor<2xi32>) -> tensor<2xi32> {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %first = tensor.extract %a[%c0] : tensor<2xi32>
      %positive = arith.cmpi sgt, %first, %zero : i32
      cf.assert %positive, \"the first is positive\"
      return %a : tensor<2xi32>
    }";
    let executable = compile(source, None, Options::default()).expect("compiles");
    let input = |first| [Array::from_i64s(DType::I32, &[2], &[first, 0]).unwrap()];
    assert_eq!(executable.run(&input(1)).unwrap(), input(1));
    let message = executable.run(&input(-1)).unwrap_err().to_string();
    assert!(
        message.ends_with(":6:7: an assertion of the program does not hold: the first is positive"),
        "{message}"
    );
}

#[test]
fn a_lowering_that_keeps_tensors_is_refused() {
    let context = spyre_exec::context();
    let source = "func.func @f(%a: tensor<2xf32>) { return }";
    for (lowering, message) in [
        (
            "builtin.module(canonicalize)",
            "the lowered @f must have 5 arguments for its tensors as memrefs, but has 0",
        ),
        ("builtin.module(nonsense)", "cannot lower @f: "),
    ] {
        let module = Module::parse(&context, source).expect("the program parses");
        let err =
            Function::compile(&context, module, "f", lowering, Optimization::None).unwrap_err();
        let error = err.to_string();
        assert!(error.starts_with(message), "{error}");
    }
    let module = Module::parse(&context, source).expect("the program parses");
    let result = Function::compile(
        &context,
        module,
        "g",
        "builtin.module()",
        Optimization::None,
    );
    assert_eq!(
        result.unwrap_err().to_string(),
        "the module has no function @g"
    );
}

/// Returns the error of a module that does not compile, and the reported messages with their lines.
fn refused(source: &str, entry: Option<&str>) -> (ProgramError, Vec<String>) {
    let context = spyre_exec::context();
    let reported = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&reported);
    context.attach_diagnostic_handler(move |diagnostic| {
        assert!(matches!(diagnostic.severity(), DiagnosticSeverity::Error));
        let location = diagnostic.location().to_string();
        let line = location.split(':').nth(1).unwrap_or_default().to_owned();
        sink.lock().unwrap().push(format!("{line}: {diagnostic}"));
        true
    });
    let error = compile_in(&context, source, entry, Options::default()).unwrap_err();
    let reported = reported.lock().unwrap().clone();
    assert!(!reported.is_empty(), "{error}");
    (error, reported)
}

#[test]
fn the_entry_must_be_clear() {
    let two = "func.func @f() { return }\nfunc.func @g() { return }\nfunc.func private @h()";
    let (error, reported) = refused(two, None);
    assert_eq!(
        error.to_string(),
        "the module has several functions, @f, @g; choose an entry"
    );
    assert!(reported[0].contains("several functions"), "{reported:?}");
    for missing in ["h", "nothing", "f\""] {
        let (error, _) = refused(two, Some(missing));
        assert_eq!(
            error.to_string(),
            format!("the module has no function @{missing} with a body; it has @f, @g")
        );
    }
    let (error, _) = refused("func.func private @h()", None);
    assert_eq!(error, ProgramError::Empty);
}

#[test]
fn what_cannot_run_is_refused_where_it_is() {
    for (source, message) in [
        (
            "\nfunc.func @f(%a: tensor<4xf16>, %n: index) { return }",
            "2: argument 1 of the function: index is not a ranked tensor",
        ),
        (
            "\nfunc.func @f(%a: tensor<?xf16>) { return }",
            "2: argument 0 of the function: dimension 0 of tensor<?xf16> has a dynamic extent",
        ),
        (
            "func.func @f() -> tensor<2xf80> {\n %0 = arith.constant dense<0.0> : tensor<2xf80>\n return %0 : tensor<2xf80> }",
            "1: result 0 of the function: f80 is not one of the element types f16, bf16, f32, f64, i8, i16, i32, i64, i1",
        ),
        (
            "func.func @f(%a: tensor<3xui8>) { return }",
            "1: argument 0 of the function: ui8 is not one of",
        ),
        (
            "func.func @f(%a: tensor<4294967296x4294967296xi8>) { return }",
            "does not fit into memory",
        ),
        (
            "func.func @f(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {\n\n %0 = spyre.qfp8ch %x : (tensor<8x64xf16>) -> tensor<8x64xf8E4M3FN>\n return %x : tensor<8x64xf16> }",
            "3: convert-spyre-to-linalg: 'spyre.qfp8ch' has no definition on values",
        ),
        (
            "func.func @f(%x: tensor<4xi32>) -> tensor<4xi32> {\n %p = llvm.mlir.zero : !llvm.ptr\n %v = llvm.load %p : !llvm.ptr -> i32\n %0 = tensor.splat %v : tensor<4xi32>\n return %0 : tensor<4xi32> }",
            "2: 'llvm.mlir.zero' is not compiled for the CPU; its dialect is none of",
        ),
        (
            "func.func private @system(tensor<4xi32>)\nfunc.func @f(%x: tensor<4xi32>) {\n call @system(%x) : (tensor<4xi32>) -> ()\n return }",
            "1: a function without a body is not compiled for the CPU",
        ),
        (
            "func.func @f(%x: tensor<4xi32>) -> tensor<4xi32> {\n %n = arith.constant 2 : index\n %e = tensor.empty(%n) : tensor<?xi32>\n %0 = tensor.cast %e : tensor<?xi32> to tensor<4xi32>\n return %0 : tensor<4xi32> }",
            "3: tensor<?xi32> is not compiled for the CPU: its extents are not known",
        ),
        (
            "func.func @f(%x: tensor<9xi32>) -> tensor<3xi32> {\n %n = arith.constant 4 : index\n %e = tensor.extract_slice %x[%n] [3] [2] : tensor<9xi32> to tensor<3xi32>\n return %e : tensor<3xi32> }",
            "3: a slice with computed sizes, or with strides and computed offsets, is not compiled",
        ),
        (
            "func.func @f(%x: tensor<9xi32>) -> tensor<10xi32> {\n %n = arith.constant 0 : index\n %e = tensor.extract_slice %x[%n] [10] [1] : tensor<9xi32> to tensor<10xi32>\n return %e : tensor<10xi32> }",
            "3: a part of 10 is larger than its tensor, 9",
        ),
    ] {
        let (_, reported) = refused(source, None);
        assert!(
            reported.iter().any(|line| line.contains(message)),
            "{message:?} is not in {reported:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A permutation of up to six dimensions: every element goes to its permuted coordinates.
    #[test]
    fn elements_keep_their_coordinates(shape in prop::collection::vec(1_usize..4, 1..=6), seed in any::<u64>()) {
        let rank = shape.len();
        let ty = TensorType { element: DType::I32, shape: shape.clone() };
        let input = Array::from_i64s(DType::I32, &shape, &(0..ty.element_count().unwrap() as i64).collect::<Vec<_>>()).unwrap();
        // A permutation from the seed: rotate, and perhaps reverse.
        let mut order: Vec<usize> = (0..rank).collect();
        order.rotate_left(usize::try_from(seed % 7).unwrap() % rank);
        if seed & 64 != 0 {
            order.reverse();
        }
        let moved = TensorType { element: DType::I32, shape: order.iter().map(|dim| shape[*dim]).collect() };
        let source = format!("func.func @f(%a: {ty}) -> {moved} {{\n %0 = spyre.permute %a {order:?} : {ty} to {moved}\n return %0 : {moved} }}");
        let result = run(&source, std::slice::from_ref(&input)).remove(0);
        for (position, element) in result.elements().enumerate() {
            let to = result.coordinates(position);
            let mut from = vec![0; rank];
            for (coordinate, dim) in to.iter().zip(&order) {
                from[*dim] = *coordinate;
            }
            let flat = from.iter().zip(&shape).fold(0, |flat, (coordinate, extent)| flat * extent + coordinate);
            prop_assert_eq!(element.to_f64(), flat as f64);
        }
    }
}

#[test]
fn the_interpreter_keeps_what_comes_from_around_a_loop() {
    let source = "func.func @f(%a: tensor<2xi32>) -> tensor<4xi32> {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %outer = spyre.fill dense<7> : tensor<4xi32>
        %init = spyre.fill dense<0> : tensor<4xi32>
        %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %init) -> (tensor<4xi32>) {
          %w = tensor.insert_slice %a into %outer[%i] [2] [1] : tensor<2xi32> into tensor<4xi32>
          %s = spyre.add %acc, %w : tensor<4xi32>
          scf.yield %s : tensor<4xi32>
        }
        return %r : tensor<4xi32>
      }";
    // Three windows: [1 2 7 7] + [7 1 2 7] + [7 7 1 2].
    let expected = [i32s(&[4], &[15, 10, 10, 16])];
    let input = [i32s(&[2], &[1, 2])];
    assert_eq!(run(source, &input), expected);
    let context = spyre_exec::context();
    let module = Module::parse(&context, source).expect("the program parses");
    let function = interpret::function(module.as_operation(), "f").expect("a function");
    assert_eq!(interpret::run(function, &input).expect("it runs"), expected);
}

#[test]
fn the_interpreter_has_integers_of_64_bits() {
    let source = "func.func @f(%a: tensor<2xi64>) -> tensor<2xi64> {
        %s = spyre.add %a, %a : tensor<2xi64>
        return %s : tensor<2xi64>
      }";
    let input = [Array::from_i64s(DType::I64, &[2], &[i64::MAX, 1 << 40]).unwrap()];
    let context = spyre_exec::context();
    let module = Module::parse(&context, source).expect("the program parses");
    let function = interpret::function(module.as_operation(), "f").expect("a function");
    let actual = interpret::run(function, &input).expect("it runs");
    assert_eq!(actual, run(source, &input));
    assert_eq!(
        actual,
        [Array::from_i64s(DType::I64, &[2], &[-2, 1 << 41]).unwrap()]
    );
}

#[test]
fn functions_with_names_of_any_characters_run() {
    // A combining accent, quotation marks, a backslash and a control character before a digit.
    let source = r#"func.func @"e\CC\81 \22 \5C \011"(%x: tensor<2xi32>) -> tensor<2xi32> {
        %0 = spyre.add %x, %x : tensor<2xi32>
        return %0 : tensor<2xi32>
    }"#;
    assert_eq!(
        run(source, &[i32s(&[2], &[20, 21])]),
        [i32s(&[2], &[40, 42])]
    );
}
