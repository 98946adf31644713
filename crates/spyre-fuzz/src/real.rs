//! Programs of real numbers, on the simulated card with the numbers of the card.
//!
//! Memory holds DL16, unwritten memory holds its NaN code, and results are compared with the bounds of the program's
//! meaning ([`spyre_reference::ranges`]), which do not depend on kernels, masks and the ends of sticks.

use spyre_exec::random::{self, Distribution, PowerOfTwo};
use spyre_exec::{Array, interpret};
use spyre_generate::{NodeKind, Program};
use spyre_reference::ranges::{self, Ranges};

use crate::case::{Checks, Phase, Runner, Verdict, failed};
use crate::shapes;

/// The outcome of a program, and the compared share of its results.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The outcome.
    pub verdict: Verdict,
    /// The elements of all results.
    pub elements: usize,
    /// The elements with bounds: the others may be NaN in the program itself, or out of the range of the card.
    pub bounded: usize,
}

/// Magnitudes of inputs: plain ones, small ones, and some with squares or cubes out of the range of the card.
const MAGNITUDES: [f32; 8] = [2.0, 2.0, 2.0, 2.0, 2.0, 0.0625, 16.0, 8192.0];

/// Returns the inputs of a program, from a seed.
///
/// # Panics
/// The inputs do not fit into memory.
#[must_use]
pub fn inputs(program: &Program, seed: u64) -> Vec<Array> {
    let plain = shapes::inputs(program, seed);
    let nodes = program.inputs().map(|(_, node)| node);
    let scaled = (0..).zip(plain).zip(nodes).map(|((stream, plain), node)| {
        let mut numbers = spyre_generate::numbers::Numbers::new(seed, stream);
        let largest = numbers.pick(&MAGNITUDES);
        let is_plain = program.special_values || !node.tensor.element.is_float();
        if is_plain || matches!(node.kind, NodeKind::Input(Some(_))) {
            return plain;
        }
        let largest = PowerOfTwo::new(largest).expect("a power of two");
        let distribution = Distribution::Within(largest);
        let tensor = random::tensor(plain.ty(), distribution, seed, stream);
        tensor.expect("small tensors fit into memory")
    });
    scaled.collect()
}

/// Runs a program on the card, on inputs from a seed.
#[must_use]
pub fn run(runner: &Runner, program: &Program, seed: u64, checks: Checks) -> Outcome {
    let inputs = inputs(program, seed);
    let checks = shapes::checks_of(program, checks);
    let mut outcome = Outcome {
        verdict: Verdict::Passed {
            tiled: false,
            open: 0,
            relayouts: 0,
        },
        elements: 0,
        bounded: 0,
    };
    let verdict = runner.caught(|| {
        let expected = bounds(runner, program, &inputs)?;
        let ranges = || expected.iter().flat_map(Ranges::ranges);
        outcome.elements = ranges().count();
        outcome.bounded = ranges().filter(|range| range.is_bounded()).count();
        let text = program.to_mlir(program.has_hints());
        let (results, passed) = runner.on_card(&text, &inputs, checks)?;
        for (result, (expected, results)) in expected.iter().zip(&results).enumerate() {
            if let Some(outside) = expected.outside(results) {
                let [low, high] = outside.range.bounds();
                let kind = if outside.value.is_nan() {
                    "NaN"
                } else {
                    "differs"
                };
                let message = format!(
                    "result {result} at {:?}: {}, and the program means {low} to {high}",
                    outside.at, outside.value
                );
                return Err(failed(Phase::Bundle, kind, message));
            }
        }
        Ok(passed)
    });
    Outcome { verdict, ..outcome }
}

/// Returns the bounds of the results of a program.
fn bounds(runner: &Runner, program: &Program, inputs: &[Array]) -> Result<Vec<Ranges>, Verdict> {
    let untiled = runner.parse(&program.to_mlir(false))?;
    let function = interpret::function(untiled.as_operation(), "f");
    let function = function.ok_or_else(|| failed(Phase::Parse, "no function", String::new()))?;
    ranges::run(function, inputs)
        .map_err(|err| failed(Phase::Interpret, "refused", err.to_string()))
}
