//! The numbers of the card: DL16 in memory, with its one code for NaN and infinity.

use spyre_layout::{DimOrder, HostTensor, HostType, Layout};
use spyre_plan::Target;
use spyre_sdsc::{Allocation, OpSpec};
use spyre_sim::{Machine, Rounding};

use crate::common::{F16, Files, Placed, Setup, matrix, space, tensor};

/// A host tensor of `f32`, which holds all numbers of the card, with DL16 in device memory.
fn wide(shape: &[u64], order: &DimOrder) -> Placed {
    let layout = Layout::default_for(order, F16.elements_per_stick()).unwrap();
    Placed {
        host: HostTensor::contiguous(HostType::F32, shape.to_vec()).unwrap(),
        device: layout.place(shape, F16).unwrap(),
    }
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// Runs an operation on inputs of one shape.
fn run(files: &Files, inputs: &[(Placed, Vec<f32>)], result: &Placed) -> (Vec<f32>, Machine) {
    let mut machine = Machine::new(Target::CARD).with_rounding(Rounding::Dl16);
    for (placed, values) in inputs {
        let (host, device) = (&placed.host, &placed.device);
        machine.add_input(host, device, &bytes(values)).unwrap();
    }
    let output = machine.add_output(result.bytes());
    machine.run(&files.read().unwrap()).unwrap();
    let mut actual = vec![0; result.elements() * 4];
    let (host, device) = (&result.host, &result.device);
    machine.fetch(output, host, device, &mut actual).unwrap();
    assert!(machine.report().is_clean(), "{}", machine.report());
    let actual = actual.as_chunks::<4>().0.iter();
    let actual = actual.map(|bytes| f32::from_le_bytes(*bytes));
    (actual.collect(), machine)
}

/// Runs an operation, element by element, on a stick of each input. The last value fills the stick.
fn elementwise(function: &str, inputs: &[&[f32]]) -> (Vec<f32>, Machine) {
    let argument = |index| matrix(1, 64, Allocation::argument(index));
    let mut op = space(OpSpec::pointwise(function), 1, 64, 1);
    for index in 0..inputs.len() {
        op = op.with_input(argument(index as u32));
    }
    let op = op.with_output(argument(inputs.len() as u32));
    let placed = || wide(&[1, 64], &DimOrder::host(2));
    let inputs: Vec<_> = inputs
        .iter()
        .map(|values| {
            let mut all = values.to_vec();
            all.resize(64, *values.last().unwrap());
            (placed(), all)
        })
        .collect();
    run(&Files::from_nodes(&[op.into()]), &inputs, &placed())
}

#[test]
fn results_beyond_the_largest_number_are_not_numbers() {
    let largest = 2_f32.powi(33) - 2_f32.powi(24);
    let (actual, _) = elementwise("mul", &[&[largest, 1e5, -1e5, 0.0], &[1.0, 1e5, 1e5, 1e5]]);
    assert_eq!(actual[0], largest);
    assert!(actual[1].is_nan() && actual[2].is_nan());
    assert_eq!(actual[3], 0.0);
    // exp(22.86) is above the largest number, and exp(22.84) below. Numbers have 9 bits: 22.84375 and 22.875.
    let (actual, _) = elementwise("exp", &[&[22.84375, 22.875]]);
    assert!(actual[0] > 8e9 && actual[1].is_nan());
    let (actual, _) = elementwise("reciprocal", &[&[2.0, 0.0]]);
    assert!(actual[0] == 0.5 && actual[1].is_nan());
}

#[test]
fn an_infinity_of_the_host_is_not_a_number() {
    let infinite = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1.0];
    for function in ["maximum", "minimum", "add"] {
        let (actual, _) = elementwise(function, &[&infinite, &[2.0, 2.0, 2.0, 2.0]]);
        assert!(
            actual[..3].iter().all(|number| number.is_nan()),
            "{function}"
        );
        assert!(actual[3].is_finite());
    }
    // No number is equal to it, as large or as small, and it is not equal to itself.
    for (function, value) in [("equal", 0.0), ("notequal", 1.0), ("greaterequal", 0.0)] {
        let (actual, _) = elementwise(function, &[&infinite, &infinite]);
        assert_eq!(actual[..3], [value; 3], "{function}");
    }
}

#[test]
fn one_lane_that_is_not_a_number_is_the_result_of_a_reduction() {
    for function in ["max", "min", "sum"] {
        let op = space(OpSpec::reduction(function), 2, 128, 1)
            .with_input(matrix(2, 128, Allocation::argument(0)))
            .with_output(tensor(
                F16,
                &[1, 2, 64],
                &["0", "c0", "0"],
                Allocation::argument(1),
            ));
        let mut values: Vec<f32> = (0..256).map(|at| (at % 7) as f32).collect();
        values[128 + 100] = f32::INFINITY;
        let inputs = [(wide(&[2, 128], &DimOrder::host(2)), values)];
        let result = wide(&[2], &DimOrder::sparse(1));
        let (actual, _) = run(&Files::from_nodes(&[op.into()]), &inputs, &result);
        assert!(
            actual[0].is_finite() && actual[1].is_nan(),
            "{function}: {actual:?}"
        );
    }
}

#[test]
fn the_exponential_does_not_underflow() {
    let smallest = 2_f32.powi(-24);
    let (actual, _) = elementwise("exp", &[&[-16.0, -17.0, -100.0, -65504.0, 0.0]]);
    assert_eq!(actual[1..4], [smallest; 3]);
    assert!(actual[0] > smallest && actual[4] == 1.0);
    // With the numbers of a program, it is zero.
    let argument = |index| matrix(1, 64, Allocation::argument(index));
    let op = space(OpSpec::pointwise("exp"), 1, 64, 1)
        .with_input(argument(0))
        .with_output(argument(1));
    let inputs = [(Placed::f16(&[1, 64]), vec![-100.0; 64])];
    let actual =
        Setup::new(&inputs, Placed::f16(&[1, 64])).run_clean(&Files::from_nodes(&[op.into()]));
    assert_eq!(actual, vec![0.0; 64]);
}

/// The report's lines about results beyond the numbers of the card.
fn beyond(machine: &Machine) -> Vec<String> {
    let elements = machine.report().range_losses().iter();
    elements.map(ToString::to_string).collect()
}

#[test]
fn results_beyond_the_numbers_of_the_card_are_told() {
    let large = |at: usize| {
        let mut values = vec![1.0; 64];
        values[at..at + 3].fill(1e5);
        values
    };
    let (_, machine) = elementwise("mul", &[&large(5), &large(6)]);
    assert_eq!(
        beyond(&machine),
        [
            "mul (sdsc_0.json, bundle.mlir:6:3): 2 results beyond the numbers of the card, NaN there; the first one is on core 0, \
             element [mb=0, out=6]"
        ]
    );
    // The logarithm of a negative number is NaN in every format, and NaN stays NaN: neither is beyond the
    // range.
    let (_, machine) = elementwise("log", &[&[-1.0, f32::NAN, 1.0]]);
    assert!(beyond(&machine).is_empty());
    // An infinity comes from the host, and is NaN from then on.
    let (_, machine) = elementwise("abs", &[&[1.0, 2.0, f32::NEG_INFINITY, 1.0]]);
    assert_eq!(
        beyond(&machine),
        [
            "argument 0: 1 element beyond the numbers of the card, NaN there; the first one is element [d0=0, d1=2]"
        ]
    );
}

#[test]
fn sums_beyond_the_numbers_of_the_card_are_told() {
    let op = space(OpSpec::reduction("sum"), 2, 128, 1)
        .with_input(matrix(2, 128, Allocation::argument(0)))
        .with_output(tensor(
            F16,
            &[1, 2, 64],
            &["0", "c0", "0"],
            Allocation::argument(1),
        ));
    let values = (0..256)
        .map(|at| if at < 128 { 1.0 } else { 1e8 })
        .collect();
    let inputs = [(wide(&[2, 128], &DimOrder::host(2)), values)];
    let result = wide(&[2], &DimOrder::sparse(1));
    let (actual, machine) = run(&Files::from_nodes(&[op.into()]), &inputs, &result);
    assert!(actual[0] == 128.0 && actual[1].is_nan());
    assert_eq!(machine.report().range_losses()[0].count, 1);
}
