//! Programs that are saved and loaded run as before.

use melior::ir::Module;
use spyre_exec::bundle::SimulationOptions;
use spyre_exec::card::{LoadProgramError, OnCard, SavedOnCard};
use spyre_exec::program::{RunError, SavedExecutable};
use spyre_exec::saved::{SavedError, from_bytes, to_bytes};
use spyre_exec::{Array, DType, Executable, Options, Program, Sizes};
use spyre_mlir_rt::execution::{CallError, LoadError};

/// A softmax, which the card computes.
const SOFTMAX: &str = "func.func @softmax(%x: tensor<64x256xf16>) -> tensor<64x256xf16> {
  %empty = tensor.empty() : tensor<64x256xf16>
  %softmax = linalg.softmax dimension(1) ins(%x : tensor<64x256xf16>) outs(%empty : tensor<64x256xf16>) -> tensor<64x256xf16>
  return %softmax : tensor<64x256xf16>
}";

fn compile(source: &str) -> Executable {
    let context = spyre_exec::context();
    let module = Module::parse(&context, source).expect("the program parses");
    let program = Program::select(&context, module.as_operation(), None).expect("a function");
    program
        .compile(&context, Options::default())
        .expect("it compiles")
}

/// Returns the program after it was saved, and its context is gone.
fn reloaded(program: &Executable) -> Executable {
    let bytes = to_bytes(&program.save().expect("this machine has a name"));
    let saved: SavedExecutable = from_bytes(&bytes).expect("the bytes are whole");
    Executable::load(saved, Vec::new()).expect("it is the same machine")
}

fn softmax() -> OnCard {
    let context = spyre_exec::context();
    let module = Module::parse(&context, SOFTMAX).expect("the program parses");
    OnCard::compile(
        &context,
        module.as_operation(),
        None,
        &Sizes::new(),
        Options::default(),
        SimulationOptions::default(),
    )
    .expect("it compiles")
}

#[test]
fn constants_are_saved_with_the_code() {
    // Constants of more than 1 KiB are outside of the object code, and smaller ones in it.
    let large: Vec<String> = (0..600).map(|value| (value * 7).to_string()).collect();
    let program = compile(&format!(
        "func.func @f(%x: tensor<600xi32>) -> (tensor<600xi32>, tensor<3xi32>) {{
           %large = arith.constant dense<[{}]> : tensor<600xi32>
           %small = arith.constant dense<[5, 6, 7]> : tensor<3xi32>
           %sum = spyre.add %x, %large : tensor<600xi32>
           return %sum, %small : tensor<600xi32>, tensor<3xi32>
         }}",
        large.join(", ")
    ));
    let ones = Array::from_i64s(DType::I32, &[600], &[1; 600]).expect("an array");
    let expected: Vec<i64> = (0..600).map(|value| value * 7 + 1).collect();
    let expected = [
        Array::from_i64s(DType::I32, &[600], &expected).expect("an array"),
        Array::from_i64s(DType::I32, &[3], &[5, 6, 7]).expect("an array"),
    ];
    let loaded = reloaded(&program);
    drop(program);
    assert_eq!(loaded.run(&[ones]), Ok(expected.to_vec()));
}

#[test]
fn errors_of_a_loaded_program_have_their_places() {
    let program = compile(
        "func.func @f(%x: tensor<4xi32>, %at: tensor<i64>) -> tensor<2xi32> {
           %offset = tensor.extract %at[] : tensor<i64>
           %index = arith.index_cast %offset : i64 to index
           %slice = tensor.extract_slice %x[%index] [2] [1] : tensor<4xi32> to tensor<2xi32>
           return %slice : tensor<2xi32>
         }",
    );
    let x = Array::from_i64s(DType::I32, &[4], &[1, 2, 3, 4]).expect("an array");
    let at = |offset| Array::from_i64s(DType::I64, &[], &[offset]).expect("an array");
    let loaded = reloaded(&program);
    let inside = loaded.run(&[x.clone(), at(1)]).expect("it is inside");
    assert_eq!(
        inside[0].to_string(),
        program.run(&[x.clone(), at(1)]).expect("as before")[0].to_string()
    );
    let outside = loaded.run(&[x.clone(), at(3)]);
    assert!(
        matches!(&outside, Err(RunError::Call(CallError::OutOfBounds { location, offset: 3, limit: 2 })) if location.contains(":4:")),
        "{outside:?}"
    );
    assert_eq!(outside, program.run(&[x, at(3)]));
}

#[test]
fn functions_of_the_device_are_saved_with_their_bundles() {
    let program = softmax();
    assert_eq!(program.functions().len(), 1, "the card computes it");
    let bytes = to_bytes(&program.save().expect("this machine has a name"));
    let saved: SavedOnCard = from_bytes(&bytes).expect("the bytes are whole");
    let loaded = OnCard::load(saved).expect("it is the same machine");
    let values: Vec<f32> = (0..64 * 256_u16)
        .map(|at| f32::from(at % 97) / 16.0)
        .collect();
    let x = Array::from_f32s(DType::F16, &[64, 256], &values).expect("an array");
    let before = program.run(std::slice::from_ref(&x)).expect("it runs");
    let after = loaded.run(&[x]).expect("it runs");
    assert_eq!(after.results, before.results);
    assert_eq!(after.launches.len(), 1, "the card ran");
    assert_eq!(after.launches[0].stats, before.launches[0].stats);
    assert_eq!(loaded.functions()[0].work, program.functions()[0].work);
}

#[test]
fn code_of_another_processor_is_refused() {
    let program =
        compile("func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> { return %x : tensor<2xi32> }");
    let mut saved = serde_json::to_value(program.save().expect("this machine has a name"));
    let saved = saved.as_mut().expect("JSON has all of it");
    saved["function"]["processor"] = "z80-unknown-cpm".into();
    let saved: SavedExecutable = serde_json::from_value(saved.clone()).expect("the same fields");
    let error = Executable::load(saved, Vec::new()).expect_err("another processor");
    assert!(
        matches!(&error, LoadError::Processor { saved, .. } if saved == "z80-unknown-cpm"),
        "{error}"
    );
}

#[test]
fn functions_of_the_device_that_are_missing_are_named() {
    let saved = softmax().save().expect("this machine has a name");
    let mut saved = serde_json::to_value(saved).expect("JSON has all of it");
    saved["functions"] = serde_json::json!([]);
    let saved: SavedOnCard = serde_json::from_value(saved).expect("the same fields");
    let error = OnCard::load(saved).expect_err("a function is missing");
    assert!(
        matches!(&error, LoadProgramError::Host(LoadError::External { name }) if name == "softmax_device_0"),
        "{error}"
    );
}

#[test]
fn bytes_of_another_kind_are_refused() {
    let program =
        compile("func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> { return %x : tensor<2xi32> }");
    let bytes = to_bytes(&program.save().expect("this machine has a name"));
    assert_eq!(
        from_bytes::<SavedExecutable>(b"").err(),
        Some(SavedError::Kind)
    );
    let cut = &bytes[..bytes.len() - 1];
    assert_eq!(
        from_bytes::<SavedExecutable>(cut).err(),
        Some(SavedError::Damaged)
    );
}
