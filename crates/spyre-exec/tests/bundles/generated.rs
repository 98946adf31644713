//! Programs from a seed: chains of operations under one hint, with reductions, broadcasts and products of matrices.
//!
//! Every program computes on small integers, and its operations keep them small, so results are exact in any order.

use std::fmt::Write as _;

use super::program::{Inputs, Program};

/// A sequence of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % bound as u64).expect("small")
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

#[derive(Clone, Copy)]
enum Op {
    Input(usize),
    Unary(&'static str, usize),
    Binary(&'static str, usize, usize),
    /// Over the columns, or else the rows.
    Reduce(&'static str, bool, usize),
    /// With the second input, columns by columns.
    Product(usize),
}

/// An operation and the shape of its result; an extent of 1 is broadcast.
#[derive(Clone, Copy)]
struct Value {
    op: Op,
    rows: u64,
    columns: u64,
}

struct Generated {
    rows: u64,
    columns: u64,
    values: Vec<Value>,
    results: Vec<usize>,
    levels: Vec<(&'static str, usize)>,
}

impl Generated {
    fn new(seed: u64) -> Self {
        let mut numbers = Numbers(seed);
        let rows = numbers.one_of(&[1, 4, 7, 16, 24]);
        let columns = numbers.one_of(&[100, 128, 200, 256]);
        let full = |op| Value { op, rows, columns };
        let mut program = Self {
            rows,
            columns,
            values: vec![full(Op::Input(0))],
            results: Vec::new(),
            levels: Vec::new(),
        };
        for _ in 0..=numbers.below(3) {
            let dim = numbers.one_of(&["A", "B"]);
            program.levels.push((dim, numbers.one_of(&[2, 3, 4])));
        }
        for _ in 0..2 + numbers.below(5) {
            let any = numbers.below(program.values.len());
            let broadcast = |value: &Value| value.columns == columns || value.columns == 1;
            let whole: Vec<usize> = (0..program.values.len())
                .filter(|value| {
                    program.values[*value].rows == rows && program.values[*value].columns == columns
                })
                .collect();
            let one = numbers.one_of(&whole);
            let value = match numbers.below(6) {
                0 => Value {
                    op: Op::Unary(numbers.one_of(&["neg", "abs", "relufwd"]), any),
                    ..program.values[any]
                },
                1 | 2 if broadcast(&program.values[any]) => full(Op::Binary(
                    numbers.one_of(&["maximum", "minimum"]),
                    one,
                    any,
                )),
                3 => Value {
                    op: Op::Reduce(numbers.one_of(&["max", "min"]), true, one),
                    rows,
                    columns: 1,
                },
                4 => Value {
                    op: Op::Reduce(numbers.one_of(&["max", "min"]), false, one),
                    rows: 1,
                    columns,
                },
                _ => Value {
                    op: Op::Product(one),
                    rows,
                    columns: 64,
                },
            };
            program.values.push(value);
        }
        program.results.push(program.values.len() - 1);
        let more = numbers.below(program.values.len());
        if more > 0 && more + 1 < program.values.len() {
            program.results.push(more);
        }
        program
    }

    fn text(&self) -> String {
        let ty = |value: &Value| format!("tensor<{}x{}xf16>", value.rows, value.columns);
        let levels = self.levels.iter().enumerate();
        let levels: Vec<String> = levels
            .map(|(scope, (dim, count))| format!("{scope}: \"{dim}\" in {count}"))
            .collect();
        let hint = format!("tile [{}]", levels.join(", "));
        let input = ty(&self.values[0]);
        let right = format!("tensor<{}x64xf16>", self.columns);
        let types: Vec<String> = self
            .results
            .iter()
            .map(|result| ty(&self.values[*result]))
            .collect();
        let types = types.join(", ");
        let has_product = self
            .values
            .iter()
            .any(|value| matches!(value.op, Op::Product(_)));
        let second = if has_product {
            format!(", %right: {right} {{spyre.dims = [\"B\", \"C\"]}}")
        } else {
            String::new()
        };
        let mut text = format!(
            "func.func @program(%0: {input} {{spyre.dims = [\"A\", \"B\"]}}{second}) -> ({types}) {{\n"
        );
        for (index, value) in self.values.iter().enumerate() {
            let (result_type, operand_type) =
                (ty(value), |operand: usize| ty(&self.values[operand]));
            let line = match value.op {
                Op::Input(_) => continue,
                Op::Unary(name, x) => format!("spyre.{name} %{x} {hint} : {result_type}"),
                Op::Binary(name, x, y) => {
                    format!(
                        "spyre.{name} %{x}, %{y} {hint} : ({}, {}) -> {result_type}",
                        operand_type(x),
                        operand_type(y)
                    )
                }
                Op::Reduce(name, columns, x) => {
                    format!(
                        "spyre.{name} %{x} dims [{}] keepdim {hint} : ({}) -> {result_type}",
                        usize::from(columns),
                        operand_type(x)
                    )
                }
                Op::Product(x) => format!(
                    "spyre.batchmatmul %{x}, %right {hint} : ({}, {right}) -> {result_type}",
                    operand_type(x)
                ),
            };
            writeln!(text, "  %{index} = {line}").expect("written");
        }
        let results: Vec<String> = self
            .results
            .iter()
            .map(|result| format!("%{result}"))
            .collect();
        writeln!(text, "  return {} : {types}\n}}", results.join(", ")).expect("written");
        text
    }

    /// All elements of all values.
    fn run(&self, x: Inputs<'_>) -> Vec<Vec<f32>> {
        let mut results: Vec<Vec<f32>> = Vec::new();
        for value in &self.values {
            let at = |operand: usize, i: u64, j: u64| {
                let from = &self.values[operand];
                let (i, j) = (
                    if from.rows == 1 { 0 } else { i },
                    if from.columns == 1 { 0 } else { j },
                );
                results[operand][usize::try_from(i * from.columns + j).expect("small")]
            };
            let element = |i: u64, j: u64| match value.op {
                Op::Input(input) => x(input, &[i, j]),
                Op::Unary("neg", x) => -at(x, i, j),
                Op::Unary("abs", x) => at(x, i, j).abs(),
                Op::Unary(_, x) => at(x, i, j).max(0.0),
                Op::Binary("maximum", x, y) => at(x, i, j).max(at(y, i, j)),
                Op::Binary(_, x, y) => at(x, i, j).min(at(y, i, j)),
                Op::Reduce(name, columns, x) => {
                    let all: Vec<f32> = if columns {
                        (0..self.columns).map(|j| at(x, i, j)).collect()
                    } else {
                        (0..self.rows).map(|i| at(x, i, j)).collect()
                    };
                    let first = all[0];
                    let pick = if name == "max" { f32::max } else { f32::min };
                    all.into_iter().fold(first, pick)
                }
                // The parts of the sum are below the whole numbers that 16 bits hold.
                Op::Product(left) => (0..self.columns)
                    .map(|k| at(left, i, k) * x(1, &[k, j]))
                    .sum(),
            };
            let elements = (0..value.rows).flat_map(|i| (0..value.columns).map(move |j| (i, j)));
            let elements = elements.map(|(i, j)| element(i, j)).collect();
            results.push(elements);
        }
        results
    }
}

#[test]
fn programs_from_seeds() {
    // SPYRE_SEEDS=1000 runs all seeds below 1000.
    let seeds = std::env::var("SPYRE_SEEDS").ok();
    let seeds = seeds.and_then(|seeds| seeds.parse().ok()).unwrap_or(SEEDS);
    for seed in 0..seeds {
        let generated = Generated::new(seed);
        let text = generated.text();
        let computed = std::cell::OnceCell::new();
        Program {
            spread: 3,
            ..Program::new(&text, |x, result, p| {
                let all = computed.get_or_init(|| generated.run(x));
                let value = generated.results[result];
                let at = p[0] * generated.values[value].columns + p[1];
                all[value][usize::try_from(at).expect("small")]
            })
        }
        .check();
    }
}

/// Programs of the suite.
const SEEDS: u64 = 8;
