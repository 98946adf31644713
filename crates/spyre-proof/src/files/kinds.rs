//! Functions of files that are not those of their operations: shown by numbers, because two names may be one function,
//! as `fastexp` and `exp` are, and two functions may agree on the operands of one operation, as `maximum` and `minimum`
//! do on equal ones.
//!
//! The program is evaluated with one small number in all elements of each argument. Then most tensors have one number,
//! which no index, window or loop changes, so a program of any size is evaluated in one pass. The operands of the
//! operation are numbers that the program computes. If the two functions of them are far apart in each order of the
//! operands, the file computes something else.

use crate::contents::is_inserted_into;
use crate::program::{Def, Extent, Program, Statement, Value};
use crate::rewrite::laws::number;

/// The numbers of arguments: exact in every format, integers too, and inside of the domains of most functions.
const SMALL: [f64; 7] = [1.0, 2.0, -1.0, 3.0, 4.0, -2.0, 5.0];

/// Numbers of larger magnitude are not compared: some format has no neighbours of them that are near enough.
const LARGEST: f64 = 1000.0;

/// The share by which two numbers differ that no rounding makes equal.
const FAR: f64 = 0.25;

/// The elements of a tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Content {
    /// Nothing has written one.
    Nothing,
    /// Those that are written are one number.
    Number(f64),
    /// They may be several numbers, or are not known.
    Unknown,
}

impl Content {
    /// Returns the elements of a tensor of which some are replaced.
    fn with(self, tile: Self) -> Self {
        match (self, tile) {
            (Self::Nothing, other) | (other, Self::Nothing) => other,
            (Self::Number(a), Self::Number(b)) if a == b => self,
            _ => Self::Unknown,
        }
    }

    const fn number(self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Nothing | Self::Unknown => None,
        }
    }
}

/// Returns how a function is shown to be another one than that of an operation, on operands that the program computes;
/// `None` if no numbers show it.
pub(super) fn difference(
    program: &Program,
    statement: &Statement,
    function: &str,
) -> Option<String> {
    (0..SMALL.len()).find_map(|first| {
        let contents = contents(program, first);
        let operands = operands(statement, &contents)?;
        let terms = terms(statement);
        let expected = applied(&statement.key.name, &operands, terms)?;
        let mut actual = None;
        for order in orders(&operands) {
            let other = applied(function, &order, terms)?;
            if !are_far(expected, other) {
                return None;
            }
            actual = actual.or(Some(other));
        }
        let list: Vec<_> = operands.iter().map(f64::to_string).collect();
        let actual = actual?;
        Some(format!(
            "of {}, it is {actual} in place of {expected}",
            list.join(" and ")
        ))
    })
}

fn are_far(a: f64, b: f64) -> bool {
    let magnitude = a.abs().max(b.abs());
    magnitude <= LARGEST && (a - b).abs() > FAR * magnitude.max(1.0)
}

/// Returns the operands in all orders, the own one first.
fn orders(operands: &[f64]) -> Vec<Vec<f64>> {
    let Some((first, rest)) = operands.split_first() else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for order in orders(rest) {
        for at in 0..operands.len() {
            let mut order = order.clone();
            order.insert(at, *first);
            all.push(order);
        }
    }
    all
}

/// Returns the elements of all tensors. Arguments have the numbers from one on, in turn.
fn contents(program: &Program, first: usize) -> Vec<Content> {
    let mut contents = vec![Content::Unknown; program.values.len()];
    // A tensor comes after those that it is computed from, but for what a loop yields to its next iteration.
    for (at, value) in program.values.iter().enumerate() {
        contents[at] = content(program, value, first, &contents);
    }
    contents
}

fn content(program: &Program, value: &Value, first: usize, of: &[Content]) -> Content {
    match &value.def {
        Def::Argument(number) => {
            let at = *number as usize + first;
            Content::Number(match &value.element[..] {
                "i1" => f64::from(u8::from(at.is_multiple_of(2))),
                _ => SMALL[at % SMALL.len()],
            })
        }
        Def::Constant(name) => {
            let number = number(&format!("{name} {}", value.element));
            number.map_or(Content::Unknown, Content::Number)
        }
        Def::Empty => Content::Nothing,
        Def::Result(id) => {
            let statement = program.statement(*id);
            let number = operands(statement, of);
            let number = number.and_then(|operands| match &operands[..] {
                [moved] if statement.is_move => Some(*moved),
                _ => applied(&statement.key.name, &operands, terms(statement)),
            });
            // Another result of the operation is another function.
            match statement.results.len() {
                1 => number.map_or(Content::Unknown, Content::Number),
                _ => Content::Unknown,
            }
        }
        Def::Slice { source, .. } | Def::View { source, .. } => of[source.index()],
        Def::Insert { tile, into, .. } => of[into.index()].with(of[tile.index()]),
        // Nothing, up to what earlier iterations have inserted: no operand is a tensor of nothing.
        Def::Carried(id, number) => {
            let carried = program.of_loop(*id).carried[*number];
            match of[carried.init.index()] {
                Content::Nothing
                    if is_inserted_into(program, carried.yielded, carried.argument) =>
                {
                    Content::Nothing
                }
                _ => Content::Unknown,
            }
        }
        Def::LoopResult(id, number) => {
            let carried = program.of_loop(*id).carried[*number];
            of[carried.init.index()].with(of[carried.yielded.index()])
        }
        Def::Opaque(_) => Content::Unknown,
    }
}

/// Returns the numbers of the operands, if each is one number.
fn operands(statement: &Statement, of: &[Content]) -> Option<Vec<f64>> {
    let operands = statement.operands.iter();
    operands
        .map(|access| of[access.value.index()].number())
        .collect()
}

/// Returns the number of terms of a reduction.
fn terms(statement: &Statement) -> Option<i64> {
    let reduced = statement.space[statement.kept()..].iter();
    let extents = reduced.map(|extent| match extent {
        Extent::Fixed(extent) => Some(*extent),
        Extent::Dynamic(_) => None,
    });
    extents.product()
}

/// Returns the result of the OpFunc `name` for these operands. A reduction combines `terms` elements that are all equal
/// to the operand. `None` for an OpFunc that is not listed, or operands outside of its domain.
fn applied(name: &str, operands: &[f64], terms: Option<i64>) -> Option<f64> {
    let number = match operands {
        [x] => unary(name, *x).or_else(|| reduced(name, *x, terms?)),
        [a, b] => binary(name, *a, *b, terms),
        [condition, a, b] if name == "where3" => Some(if *condition == 0.0 { *b } else { *a }),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

fn unary(name: &str, x: f64) -> Option<f64> {
    let sigmoid = || 1.0 / (1.0 + (-x).exp());
    Some(match name {
        "identity" | "copy" | "restickify" | "ReStickifyOpHBM" | "dl16tofp32" | "fp32todl16" => x,
        "neg" => -x,
        "abs" => x.abs(),
        "relufwd" => x.max(0.0),
        "relu6fwd" => x.clamp(0.0, 6.0),
        "exp" | "fastexp" => x.exp(),
        "log" => x.ln(),
        "floor" => x.floor(),
        "sqrt" => x.sqrt(),
        "rsqrt" => 1.0 / x.sqrt(),
        "reciprocal" => 1.0 / x,
        "tanh" => x.tanh(),
        "sigmoid" | "fastsigmoid" => sigmoid(),
        "silu" => x * sigmoid(),
        _ => return None,
    })
}

fn reduced(name: &str, x: f64, terms: i64) -> Option<f64> {
    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers of elements are below 2^53"
    )]
    let count = terms as f64;
    Some(match name {
        "sum" => x * count,
        "prod" => x.powf(count),
        "mean" | "max" | "min" => x,
        "absmax" => x.abs(),
        _ => return None,
    })
}

fn binary(name: &str, a: f64, b: f64, terms: Option<i64>) -> Option<f64> {
    let truth = |is_true: bool| f64::from(u8::from(is_true));
    Some(match name {
        "add" | "biasadd" => a + b,
        "sub" => a - b,
        "revsub" => b - a,
        "mul" => a * b,
        "realdiv" => a / b,
        "maximum" => a.max(b),
        "minimum" => a.min(b),
        "equal" => truth(a == b),
        "notequal" => truth(a != b),
        "greaterthan" => truth(a > b),
        "greaterequal" => truth(a >= b),
        "lesserthan" => truth(a < b),
        "lesserequal" => truth(a <= b),
        "batchmatmul" | "matmul" => reduced("sum", a * b, terms?)?,
        _ => return None,
    })
}
