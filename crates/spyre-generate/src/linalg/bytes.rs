//! Bodies on integers of 8 bits, as quantized models have them.

use super::generic::{Operand, build, fresh};
use super::{Draw, Element};

/// Numbers at the ends of the range, where results leave it.
const NUMBERS: [i64; 6] = [-128, -100, -1, 3, 77, 127];

/// Draws a body on two tensors of integers of 8 bits. The result is such an integer, or its
/// conversion as a signed or unsigned one.
pub(super) fn pointwise(draw: &mut Draw) -> bool {
    let extents = draw.shape();
    let operands = pair(draw, &extents);
    let mut text = String::new();
    let mut last = "%in0".to_owned();
    for number in 0..=draw.numbers.below(3) {
        let result_name = format!("%s{number}");
        let other = match draw.numbers.one_in(2) {
            true => "%in1".to_owned(),
            false => constant(draw, &mut text, number),
        };
        text += &operation(draw, &result_name, &last, &other);
        last = result_name;
    }
    let (element, bound) = result(draw, &mut text, &last);
    let coordinates = operands[0].coordinates.clone();
    let empty = draw.empty(&extents, element);
    build(
        draw,
        &operands,
        &extents,
        &vec![false; extents.len()],
        &[(empty, coordinates, extents.clone(), element, bound)],
        &text,
        &["%r".to_owned()],
    );
    true
}

/// Draws a product of two tensors of integers of 8 bits, each less its zero point, that is added up in 32 bits.
pub(super) fn product(draw: &mut Draw) -> bool {
    let extents = draw.shape();
    let mut reduced: Vec<bool> = extents.iter().map(|_| draw.numbers.one_in(2)).collect();
    let at = draw.numbers.index(reduced.len());
    reduced[at] = true;
    let operands = pair(draw, &extents);
    let mut text = String::new();
    for number in 0..2 {
        let widen = draw.numbers.pick(&["arith.extsi", "arith.extui"]);
        let zero = draw.numbers.pick(&NUMBERS);
        text += &format!(
            "      %w{number} = {widen} %in{number} : i8 to i32\n      %z{number} = arith.constant {zero} : i32\n      \
             %d{number} = arith.subi %w{number}, %z{number} : i32\n"
        );
    }
    text += "      %p = arith.muli %d0, %d1 : i32\n      %r = arith.addi %out0, %p : i32\n";
    let kept: Vec<usize> = (0..extents.len()).filter(|id| !reduced[*id]).collect();
    let shape: Vec<u64> = kept.iter().map(|id| extents[*id]).collect();
    let out: Vec<String> = kept.iter().map(|id| format!("d{id}")).collect();
    let start = draw.filled("0", &shape, Element::I32);
    build(
        draw,
        &operands,
        &extents,
        &reduced,
        // The result gets no bound: steps that need one do not read integers.
        &[(start, out, shape, Element::I32, u64::from(u32::MAX))],
        &text,
        &["%r".to_owned()],
    );
    true
}

/// Draws a tensor that all loops index, and one that may broadcast along some.
fn pair(draw: &mut Draw, extents: &[u64]) -> Vec<Operand> {
    let value = draw.argument(extents, Element::I8);
    let whole = Operand {
        value,
        coordinates: (0..extents.len()).map(|id| format!("d{id}")).collect(),
    };
    let mut other = fresh(draw, extents);
    let shape = other.value.shape.clone();
    other.value = draw.argument(&shape, Element::I8);
    vec![whole, other]
}

fn constant(draw: &mut Draw, text: &mut String, number: u64) -> String {
    let value = draw.numbers.pick(&NUMBERS);
    *text += &format!("      %c{number} = arith.constant {value} : i8\n");
    format!("%c{number}")
}

/// Draws an operation with a result and operands of 8 bits.
fn operation(draw: &mut Draw, result_name: &str, a: &str, b: &str) -> String {
    let simple = [
        "arith.addi",
        "arith.subi",
        "arith.muli",
        "arith.maxsi",
        "arith.minsi",
        "arith.maxui",
        "arith.minui",
    ];
    match draw.numbers.below(4) {
        0 => {
            let predicate = draw.numbers.pick(&["slt", "sge", "ult", "uge", "eq", "ne"]);
            format!(
                "      {result_name}_c = arith.cmpi {predicate}, {a}, {b} : i8\n      {result_name} = arith.select {result_name}_c, {a}, {b} : i8\n"
            )
        }
        1 => {
            let names = ["arith.shli", "arith.shrsi", "arith.shrui"];
            let name = draw.numbers.pick(&names);
            let bits = draw.numbers.below(8);
            format!(
                "      {result_name}_n = arith.constant {bits} : i8\n      {result_name} = {name} {a}, {result_name}_n : i8\n"
            )
        }
        _ => {
            let name = draw.numbers.pick(&simple);
            format!("      {result_name} = {name} {a}, {b} : i8\n")
        }
    }
}

/// Draws the result for a number of 8 bits, as `%r`, and returns its type and the largest
/// magnitude.
fn result(draw: &mut Draw, text: &mut String, last: &str) -> (Element, u64) {
    let (result_name, element, bound) = match draw.numbers.below(5) {
        0 => (
            format!("      %r = arith.addi {last}, %in0 : i8\n"),
            Element::I8,
            128,
        ),
        1 => (
            format!("      %r = arith.sitofp {last} : i8 to f32\n"),
            Element::F32,
            128,
        ),
        2 => (
            format!("      %r = arith.uitofp {last} : i8 to f32\n"),
            Element::F32,
            255,
        ),
        3 => {
            let widen = draw.numbers.pick(&["arith.extsi", "arith.extui"]);
            let conversion = format!("      %r = {widen} {last} : i8 to i32\n");
            (conversion, Element::I32, 255)
        }
        // As a model quantizes a float: half of a number is in the range.
        _ => {
            let conversion = format!(
                "      %f = arith.sitofp {last} : i8 to f32\n      %half = arith.constant 5.000000e-01 : f32\n      \
                 %h = arith.mulf %f, %half : f32\n      %e = math.roundeven %h : f32\n      %r = arith.fptosi %e : f32 to i8\n"
            );
            (conversion, Element::I8, 64)
        }
    };
    *text += &result_name;
    (element, bound)
}
