//! Programs of `f32` on the card in 16 bits, whose indices are exact.

use melior::ir::Module;
use spyre_exec::bundle::{SimulationOptions, WideFloats};
use spyre_exec::card::OnCard;
use spyre_exec::{Array, DType, Options, Sizes};

const ROWS: usize = 4096;

/// Twice the rows of a table that an argument of `f32` names.
const ROWS_OF_INDEX: &str = "#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#vector = affine_map<(d0) -> (d0)>
func.func @rows(%index: tensor<8xf32>, %table: tensor<4096x64xf32>) -> tensor<8x64xf32> {
  %0 = tensor.empty() : tensor<8xi64>
  %1 = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = [\"parallel\"]}
      ins(%index : tensor<8xf32>) outs(%0 : tensor<8xi64>) {
  ^bb0(%in: f32, %out: i64):
    %row = arith.fptosi %in : f32 to i64
    linalg.yield %row : i64
  } -> tensor<8xi64>
  %2 = tensor.empty() : tensor<8x64xf32>
  %3 = linalg.generic {indexing_maps = [#row, #id], iterator_types = [\"parallel\", \"parallel\"]}
      ins(%1 : tensor<8xi64>) outs(%2 : tensor<8x64xf32>) {
  ^bb0(%in: i64, %out: f32):
    %row = arith.index_cast %in : i64 to index
    %column = linalg.index 1 : index
    %value = tensor.extract %table[%row, %column] : tensor<4096x64xf32>
    %twice = arith.addf %value, %value : f32
    linalg.yield %twice : f32
  } -> tensor<8x64xf32>
  return %3 : tensor<8x64xf32>
}";

#[test]
fn an_index_of_f32_names_its_row() {
    let context = spyre_exec::context();
    let module = Module::parse(&context, ROWS_OF_INDEX).expect("the program parses");
    let simulation = SimulationOptions {
        wide: WideFloats::Dl16,
        ..SimulationOptions::default()
    };
    let program = OnCard::compile(
        &context,
        module.as_operation(),
        None,
        &Sizes::new(),
        Options::default(),
        simulation,
    )
    .expect("it compiles");
    assert_eq!(program.functions().len(), 1, "the card adds");
    // In 16 bits they are 512, 2048, 2048, 4096, ...
    let index = [3.0, 59.97, 511.9, 2049.0, 2047.5, 4095.0, 1025.5, 0.0_f32];
    let rows = [3, 59, 511, 2049, 2047, 4095, 1025, 0_u16];
    // Small integers are exact in 16 bits.
    let value = |row: u16| f32::from(row % 61);
    let table: Vec<f32> = (0..4096).flat_map(|row| [value(row); 64]).collect();
    let table = Array::from_f32s(DType::F32, &[ROWS, 64], &table).expect("an array");
    let index = Array::from_f32s(DType::F32, &[8], &index).expect("an array");
    let expected: Vec<f32> = rows
        .iter()
        .flat_map(|row| [2.0 * value(*row); 64])
        .collect();
    let expected = Array::from_f32s(DType::F32, &[8, 64], &expected).expect("an array");
    let outcome = program.run(&[index, table]).expect("it runs");
    assert_eq!(outcome.results, [expected]);
}
