//! Bodies with constants: numbers, positions and tensors of the program, numbers at the ends of the range of a type,
//! and bodies that read the tensor that they write.
//!
//! Infinities and NaN leave no body: comparisons, choices and quotients take them, so that results are small integers.

use super::generic::{Body, Operand, Scalar, build, fit, infinity, lowest};
use super::{Draw, Element, INPUT, LARGEST, Value, ty};

/// Most elements of a tensor whose numbers are listed.
const MOST_LISTED: u64 = 256;
/// The largest magnitude of a number that is drawn.
pub(super) const MOST_NUMBER: u64 = 3;
/// The largest magnitude of a position that becomes a number.
const MOST_POSITION: i64 = 7;

/// Draws a body element by element, or a reduction, that computes with constants inside of it.
pub(super) fn constants(draw: &mut Draw) -> bool {
    let Some((from, mut body, operands)) = operands(draw) else {
        return false;
    };
    for _ in 0..draw.numbers.between(1, 3) {
        let term = term(draw, &mut body, &from.shape);
        body.elements.push(term);
    }
    finish(draw, &from, body, &operands)
}

/// Draws a body that compares and computes with numbers at the ends of the range of its type.
pub(super) fn special(draw: &mut Draw) -> bool {
    let Some((from, mut body, operands)) = operands(draw) else {
        return false;
    };
    for _ in 0..draw.numbers.between(1, 2) {
        let x = body.elements.pop().expect("a body has an operand");
        let x = special_of(draw, &mut body, x);
        body.elements.push(x);
    }
    finish(draw, &from, body, &operands)
}

/// Draws a body element by element that reads the tensor that its results replace.
pub(super) fn update(draw: &mut Draw) -> bool {
    let from = draw.float();
    if from.bound + INPUT > LARGEST {
        return false;
    }
    let like = |value: &Value| value.shape == from.shape && value.element == from.element;
    let values: Vec<Value> = draw
        .values
        .iter()
        .filter(|value| like(value))
        .cloned()
        .collect();
    let (name, bound) = match draw.numbers.below(4) {
        0 => (draw.argument(&from.shape, from.element).name, INPUT),
        1 => (draw.filled("2.0", &from.shape, from.element), 2),
        2 => {
            let number = number(draw);
            let text = format!("arith.constant dense<{number}.0> : {}", from.ty());
            (draw.hidden(&text), MOST_NUMBER)
        }
        _ => {
            let value = &values[draw.numbers.index(values.len())];
            (value.name.clone(), value.bound)
        }
    };
    let mut operands = vec![whole(&from)];
    if draw.numbers.one_in(3) {
        let other = draw.float();
        operands.push(fit(draw, &other, &from.shape));
    }
    let mut body = Body::new(draw, &operands);
    body.elements
        .push(("%out0".to_owned(), from.element, bound));
    let result = body.expression(draw);
    let (result, element, bound) = body.cast(result, from.element);
    let loops = vec![false; from.shape.len()];
    let out = whole(&from).coordinates;
    let output = (name, out, from.shape.clone(), element, bound);
    build(
        draw,
        &operands,
        &from.shape,
        &loops,
        &[output],
        &body.text,
        &[result],
    );
    true
}

/// Draws a tensor of numbers that the program has, and adds it to a value.
pub(super) fn tensor(draw: &mut Draw) -> bool {
    let from = draw.float();
    if from.bound + MOST_NUMBER > LARGEST {
        return false;
    }
    let value = table_value(draw, &from.shape, from.element);
    // Later steps take it as any other value.
    draw.values.push(value.clone());
    let operands = [whole(&from), whole(&value)];
    let body = Body::new(draw, &operands);
    finish(draw, &from, body, &operands)
}

/// Returns a value of floats, the body of an operation over its elements, and the operands of that operation: the value
/// and, in one case of three, a constant that is broadcast to its shape. `None` if a result may overflow.
fn operands(draw: &mut Draw) -> Option<(Value, Body, Vec<Operand>)> {
    let from = draw.float();
    if from.bound > LARGEST / 2 {
        return None;
    }
    let mut operands = vec![whole(&from)];
    if draw.numbers.one_in(3) {
        let ids: Vec<usize> = (0..from.shape.len())
            .filter(|_| draw.numbers.one_in(2))
            .collect();
        let shape: Vec<u64> = ids.iter().map(|id| from.shape[*id]).collect();
        let value = table_value(draw, &shape, from.element);
        operands.push(Operand {
            value,
            coordinates: ids.iter().map(|id| format!("d{id}")).collect(),
        });
    }
    let body = Body::new(draw, &operands);
    Some((from, body, operands))
}

/// Adds the body: element by element, or as the term of a reduction.
fn finish(draw: &mut Draw, from: &Value, mut body: Body, operands: &[Operand]) -> bool {
    let extents = &from.shape;
    let (result, element, bound) = body.expression(draw);
    let out = whole(from).coordinates;
    let is_reduced = !extents.is_empty() && draw.numbers.one_in(3);
    if !is_reduced {
        let empty = draw.empty(extents, element);
        let output = (empty, out, extents.clone(), element, bound);
        let loops = vec![false; extents.len()];
        build(
            draw,
            operands,
            extents,
            &loops,
            &[output],
            &body.text,
            &[result],
        );
        return true;
    }
    let along = draw.numbers.index(extents.len());
    let mut reduced = vec![false; extents.len()];
    reduced[along] = true;
    let (mut out, mut shape) = (out, extents.clone());
    out.remove(along);
    shape.remove(along);
    let (name, start, bound) = match draw.numbers.below(3) {
        0 if bound * extents[along] <= LARGEST => ("arith.addf", "0.0", bound * extents[along]),
        1 => ("arith.minimumf", infinity(element, false), bound),
        _ => ("arith.maximumf", infinity(element, true), bound),
    };
    let start = draw.filled(start, &shape, element);
    let result = body.add(&format!("{name} %out0, {result} : {}", element.name()));
    let output = (start, out, shape, element, bound);
    build(
        draw,
        operands,
        extents,
        &reduced,
        &[output],
        &body.text,
        &[result],
    );
    true
}

/// Reads a value along its dimensions.
fn whole(value: &Value) -> Operand {
    Operand {
        value: value.clone(),
        coordinates: (0..value.shape.len()).map(|id| format!("d{id}")).collect(),
    }
}

/// Returns a number of a small magnitude.
fn number(draw: &mut Draw) -> i64 {
    let most = MOST_NUMBER.cast_signed();
    draw.numbers.below(2 * MOST_NUMBER + 1).cast_signed() - most
}

/// Adds a tensor of numbers: listed, or one number everywhere.
fn table(draw: &mut Draw, shape: &[u64], element: Element) -> String {
    let is_listed = shape.iter().product::<u64>() <= MOST_LISTED && !draw.numbers.one_in(3);
    let numbers = match is_listed {
        true => listed(draw, shape),
        false => format!("{}.0", number(draw)),
    };
    draw.hidden(&format!(
        "arith.constant dense<{numbers}> : {}",
        ty(shape, element)
    ))
}

/// Adds a tensor of numbers that the program has, which later steps do not read.
pub(super) fn table_value(draw: &mut Draw, shape: &[u64], element: Element) -> Value {
    Value {
        name: table(draw, shape, element),
        shape: shape.to_vec(),
        element,
        bound: MOST_NUMBER,
    }
}

/// Adds the tensor that the results of a sum start from, of small numbers: an input, or a tensor that the program has.
pub(super) fn start(draw: &mut Draw, shape: &[u64], element: Element) -> (String, u64) {
    match draw.numbers.below(3) {
        0 => (draw.filled("2.0", shape, element), MOST_NUMBER),
        1 => (table(draw, shape, element), MOST_NUMBER),
        _ => (draw.argument(shape, element).name, INPUT),
    }
}

fn listed(draw: &mut Draw, shape: &[u64]) -> String {
    let Some((first, rest)) = shape.split_first() else {
        return format!("{}.0", number(draw));
    };
    let parts: Vec<String> = (0..*first).map(|_| listed(draw, rest)).collect();
    format!("[{}]", parts.join(", "))
}

/// Adds a scalar that depends on no operand, or on the integer of one.
fn term(draw: &mut Draw, body: &mut Body, extents: &[u64]) -> Scalar {
    let element = body.elements[0].1;
    let name = element.name();
    match draw.numbers.below(5) {
        0 => {
            let number = number(draw);
            let text = format!("arith.constant {number}.0 : {name}");
            (body.add(&text), element, number.unsigned_abs())
        }
        1 => {
            let x = body.elements.pop().expect("a body has an operand");
            wrapped(draw, body, x)
        }
        2 if !extents.is_empty() => read(draw, body, extents, element),
        3 if !extents.is_empty() => chosen(draw, body, extents, element),
        _ if !extents.is_empty() => {
            let (position, most) = position(draw, body, extents);
            let integer = draw.numbers.pick(&["i32", "i64"]);
            let cast = body.add(&format!("arith.index_cast {position} : index to {integer}"));
            let number = body.add(&format!("arith.sitofp {cast} : {integer} to {name}"));
            (number, element, most)
        }
        _ => {
            let text = format!("arith.constant 1.0 : {name}");
            (body.add(&text), element, 1)
        }
    }
}

/// Adds a constant index.
fn index(body: &mut Body, value: i64) -> String {
    body.add(&format!("arith.constant {value} : index"))
}

/// Adds a function of the numbers of iterations. Returns it, and its largest magnitude.
fn position(draw: &mut Draw, body: &mut Body, extents: &[u64]) -> (String, u64) {
    let id = draw.numbers.index(extents.len());
    let mut value = body.add(&format!("linalg.index {id} : index"));
    let (mut low, mut high) = (0, extents[id].cast_signed() - 1);
    for _ in 0..draw.numbers.between(1, 3) {
        let by = draw.numbers.between(1, 4).cast_signed();
        let (text, ends) = match draw.numbers.below(8) {
            0 => ("muli", [low * by, high * by]),
            1 => ("addi", [low + by, high + by]),
            2 => ("subi", [low - by, high - by]),
            3 => ("floordivsi", [low.div_euclid(by), high.div_euclid(by)]),
            4 => ("maxsi", [low.max(by), high.max(by)]),
            5 => ("minsi", [low.min(by), high.min(by)]),
            6 if low >= 0 => ("remui", [0, by - 1]),
            6 => ("remsi", [1 - by, by - 1]),
            _ => {
                // Another loop.
                let other = draw.numbers.index(extents.len());
                let other_index = body.add(&format!("linalg.index {other} : index"));
                value = body.add(&format!("arith.subi {value}, {other_index} : index"));
                low -= extents[other].cast_signed() - 1;
                continue;
            }
        };
        let by = index(body, by);
        value = body.add(&format!("arith.{text} {value}, {by} : index"));
        [low, high] = ends;
    }
    if low < -MOST_POSITION || high > MOST_POSITION {
        let (least, most) = (index(body, -MOST_POSITION), index(body, MOST_POSITION));
        value = body.add(&format!("arith.maxsi {value}, {least} : index"));
        value = body.add(&format!("arith.minsi {value}, {most} : index"));
        low = low.clamp(-MOST_POSITION, MOST_POSITION);
        high = high.clamp(-MOST_POSITION, MOST_POSITION);
    }
    (value, low.unsigned_abs().max(high.unsigned_abs()))
}

/// Adds an element of a tensor that the program has, at a position that follows from a loop.
fn read(draw: &mut Draw, body: &mut Body, extents: &[u64], element: Element) -> Scalar {
    let id = draw.numbers.index(extents.len());
    let extent = extents[id].min(MOST_LISTED);
    let table = table(draw, &[extent], element);
    let mut at = body.add(&format!("linalg.index {id} : index"));
    let (last, count) = (extent.cast_signed() - 1, extent.cast_signed());
    if extents[id] > extent {
        let count = index(body, count);
        at = body.add(&format!("arith.remui {at}, {count} : index"));
    }
    if draw.numbers.one_in(3) {
        let last = index(body, last);
        at = body.add(&format!("arith.subi {last}, {at} : index"));
    }
    let text = format!("tensor.extract {table}[{at}] : {}", ty(&[extent], element));
    (body.add(&text), element, MOST_NUMBER)
}

/// Adds one of two numbers, by a comparison of positions and perhaps a constant truth value.
fn chosen(draw: &mut Draw, body: &mut Body, extents: &[u64], element: Element) -> Scalar {
    let name = element.name();
    let (position, _) = position(draw, body, extents);
    let bound = index(body, draw.numbers.between(0, 3).cast_signed());
    let predicate = draw
        .numbers
        .pick(&["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "uge"]);
    let mut holds = body.add(&format!(
        "arith.cmpi {predicate}, {position}, {bound} : index"
    ));
    if draw.numbers.one_in(3) {
        let truth = draw.numbers.pick(&["true", "false"]);
        let truth = body.add(&format!("arith.constant {truth}"));
        let logic = draw.numbers.pick(&["andi", "ori", "xori"]);
        holds = body.add(&format!("arith.{logic} {holds}, {truth} : i1"));
    }
    let [a, b] = [0, 1].map(|_| number(draw));
    let most = a.unsigned_abs().max(b.unsigned_abs());
    let [a, b] = [a, b].map(|number| body.add(&format!("arith.constant {number}.0 : {name}")));
    let text = format!("arith.select {holds}, {a}, {b} : {name}");
    (body.add(&text), element, most)
}

/// Adds a function of an integer of 32 bits that wraps, and wraps back.
fn wrapped(draw: &mut Draw, body: &mut Body, (x, element, bound): Scalar) -> Scalar {
    let name = element.name();
    let mut integer = body.add(&format!("arith.fptosi {x} : {name} to i32"));
    let far = draw
        .numbers
        .pick(&["2147483647", "-2147483648", "1073741824", "65536"]);
    let far = body.add(&format!("arith.constant {far} : i32"));
    let bound = match draw.numbers.below(4) {
        0 => {
            integer = body.add(&format!("arith.addi {integer}, {far} : i32"));
            integer = body.add(&format!("arith.subi {integer}, {far} : i32"));
            bound
        }
        1 => {
            let name = draw.numbers.pick(&["minsi", "maxui", "minui", "maxsi"]);
            integer = body.add(&format!("arith.{name} {integer}, {far} : i32"));
            // The upper bits may be those of the constant.
            let low = body.add("arith.constant 8 : i32");
            let zero = body.add("arith.constant 0 : i32");
            integer = body.add(&format!("arith.maxsi {integer}, {zero} : i32"));
            integer = body.add(&format!("arith.minsi {integer}, {low} : i32"));
            8
        }
        2 => {
            let predicate = draw.numbers.pick(&["slt", "ult", "sge", "uge", "eq", "ne"]);
            let holds = body.add(&format!("arith.cmpi {predicate}, {integer}, {far} : i32"));
            let one = body.add("arith.constant 1 : i32");
            integer = body.add(&format!("arith.select {holds}, {integer}, {one} : i32"));
            bound.max(1)
        }
        _ => {
            let number = number(draw);
            let number_name = body.add(&format!("arith.constant {number} : i32"));
            integer = body.add(&format!("arith.muli {integer}, {number_name} : i32"));
            if bound * number.unsigned_abs() > LARGEST {
                let zero = body.add("arith.constant 0 : i32");
                integer = body.add(&format!("arith.minsi {integer}, {zero} : i32"));
                integer = body.add(&format!("arith.maxsi {integer}, {zero} : i32"));
                0
            } else {
                bound * number.unsigned_abs()
            }
        }
    };
    (
        body.add(&format!("arith.sitofp {integer} : i32 to {name}")),
        element,
        bound,
    )
}

/// Numbers at the ends of the range of a type.
#[derive(Debug, Clone, Copy)]
enum Special {
    Infinity,
    NegativeInfinity,
    Nan,
    NegativeZero,
    Subnormal,
    Largest,
    Lowest,
}

const SPECIAL: [Special; 7] = [
    Special::Infinity,
    Special::NegativeInfinity,
    Special::Nan,
    Special::NegativeZero,
    Special::Subnormal,
    Special::Largest,
    Special::Lowest,
];

impl Special {
    /// Returns the text of the number in a type.
    fn text(self, element: Element) -> &'static str {
        let is_wide = element == Element::F32;
        match self {
            Self::Infinity => infinity(element, false),
            Self::NegativeInfinity => infinity(element, true),
            Self::Nan if is_wide => "0x7FC00000",
            Self::Nan => "0x7E00",
            Self::NegativeZero => "-0.0",
            Self::Subnormal if is_wide => "0x00000001",
            Self::Subnormal => "0x0001",
            Self::Largest if is_wide => "3.40282347E+38",
            Self::Largest => "65504.0",
            Self::Lowest => lowest(element),
        }
    }

    /// Adds the number: inside of the body, or before the operation.
    fn add(self, draw: &mut Draw, body: &mut Body, element: Element) -> String {
        let text = self.text(element);
        match draw.numbers.one_in(3) {
            true => draw.number(text, element),
            false => body.add(&format!("arith.constant {text} : {}", element.name())),
        }
    }
}

/// Adds a function of a number and of numbers at the ends of the range. The result is a small integer.
fn special_of(draw: &mut Draw, body: &mut Body, (x, element, bound): Scalar) -> Scalar {
    use Special::{Infinity, Largest, Lowest, Nan, NegativeInfinity, NegativeZero, Subnormal};
    let name = element.name();
    let form = draw.numbers.below(9);
    let pairs: [(&str, Special); 10] = [
        ("arith.maximumf", NegativeInfinity),
        ("arith.minimumf", Infinity),
        ("arith.maximumf", Lowest),
        ("arith.minimumf", Largest),
        ("arith.addf", NegativeZero),
        ("arith.mulf", NegativeZero),
        ("arith.divf", Infinity),
        ("arith.divf", NegativeInfinity),
        ("arith.maxnumf", Nan),
        ("arith.minnumf", Nan),
    ];
    match form {
        0 | 1 => {
            let (op, special) = draw.numbers.pick(&pairs);
            let special = special.add(draw, body, element);
            let is_swapped = draw.numbers.one_in(3) && !op.ends_with("divf");
            let pair = match is_swapped {
                true => format!("{special}, {x}"),
                false => format!("{x}, {special}"),
            };
            (body.add(&format!("{op} {pair} : {name}")), element, bound)
        }
        2 | 3 => compared(draw, body, (x, element, bound)),
        4 => {
            // NaN, and what replaces it.
            let op = draw
                .numbers
                .pick(&["addf", "maximumf", "minimumf", "mulf", "subf", "remf"]);
            let nan = Nan.add(draw, body, element);
            let nan = body.add(&format!("arith.{op} {x}, {nan} : {name}"));
            let (holds, otherwise) = match draw.numbers.one_in(2) {
                true => (format!("arith.cmpf uno, {nan}, {nan} : {name}"), [x, nan]),
                false => (format!("arith.cmpf ord, {nan}, {x} : {name}"), [nan, x]),
            };
            let holds = body.add(&holds);
            let [a, b] = otherwise;
            let text = format!("arith.select {holds}, {a}, {b} : {name}");
            (body.add(&text), element, bound)
        }
        5 | 6 => masked(draw, body, (x, element, bound)),
        7 => {
            // The sign, rounded away from zero.
            let least = Subnormal.add(draw, body, element);
            let op = draw.numbers.pick(&["mulf", "maximumf", "minimumf"]);
            let tiny = body.add(&format!("arith.{op} {x}, {least} : {name}"));
            let rounded = draw
                .numbers
                .pick(&["math.ceil", "math.floor", "math.trunc"]);
            (
                body.add(&format!("{rounded} {tiny} : {name}")),
                element,
                bound.max(1),
            )
        }
        _ => folded(draw, body, (x, element, bound)),
    }
}

/// Adds an operation on constants alone, and a bound by its result.
fn folded(draw: &mut Draw, body: &mut Body, (x, element, bound): Scalar) -> Scalar {
    let name = element.name();
    let [zero, one] =
        [0.0, 1.0].map(|number| body.add(&format!("arith.constant {number:?} : {name}")));
    let (text, limit) = match draw.numbers.below(4) {
        0 => (format!("arith.divf {one}, {zero} : {name}"), "minimumf"),
        1 => (format!("math.log {zero} : {name}"), "maximumf"),
        2 => (format!("arith.subf {zero}, {one} : {name}"), "maximumf"),
        _ => {
            let far = Special::Infinity.add(draw, body, element);
            (format!("arith.subf {zero}, {far} : {name}"), "maximumf")
        }
    };
    let number = body.add(&text);
    let text = format!("arith.{limit} {x}, {number} : {name}");
    (body.add(&text), element, bound.max(1))
}

/// Adds a choice by a comparison with a number at an end of the range.
fn compared(draw: &mut Draw, body: &mut Body, (x, element, bound): Scalar) -> Scalar {
    let name = element.name();
    let special = draw.numbers.pick(&SPECIAL).add(draw, body, element);
    let predicate = draw.numbers.pick(&[
        "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult",
        "ule", "une", "uno", "true",
    ]);
    let pair = match draw.numbers.one_in(3) {
        true => format!("{special}, {x}"),
        false => format!("{x}, {special}"),
    };
    let holds = body.add(&format!("arith.cmpf {predicate}, {pair} : {name}"));
    let three = body.add(&format!("arith.constant 3.0 : {name}"));
    let text = format!("arith.select {holds}, {x}, {three} : {name}");
    (body.add(&text), element, bound.max(3))
}

/// Adds a mask of infinities, and what replaces these.
fn masked(draw: &mut Draw, body: &mut Body, (x, element, bound): Scalar) -> Scalar {
    let name = element.name();
    let is_negative = draw.numbers.one_in(2);
    let special = match is_negative {
        true => Special::NegativeInfinity,
        false => Special::Infinity,
    };
    let zero = body.add(&format!("arith.constant 0.0 : {name}"));
    let predicate = draw.numbers.pick(&["ogt", "oge", "olt", "une"]);
    let holds = body.add(&format!("arith.cmpf {predicate}, {x}, {zero} : {name}"));
    let far = special.add(draw, body, element);
    let pair = match draw.numbers.one_in(2) {
        true => format!("{x}, {far}"),
        false => format!("{far}, {x}"),
    };
    let masked = body.add(&format!("arith.select {holds}, {pair} : {name}"));
    let two = body.add(&format!("arith.constant 2.0 : {name}"));
    match draw.numbers.below(4) {
        0 => {
            let is_far = body.add(&format!("arith.cmpf oeq, {masked}, {far} : {name}"));
            let text = format!("arith.select {is_far}, {two}, {masked} : {name}");
            (body.add(&text), element, bound.max(2))
        }
        1 => {
            let limit = match is_negative {
                true => "maximumf",
                false => "minimumf",
            };
            let text = format!("arith.{limit} {masked}, {two} : {name}");
            (body.add(&text), element, bound.max(2))
        }
        2 => {
            // Zero divided by an infinity, or by the number that is left, which is not zero.
            let is_zero = body.add(&format!("arith.cmpf oeq, {masked}, {zero} : {name}"));
            let divisor = body.add(&format!("arith.select {is_zero}, {two}, {masked} : {name}"));
            let text = format!("arith.divf {zero}, {divisor} : {name}");
            (body.add(&text), element, 1)
        }
        _ => {
            let absolute = body.add(&format!("math.absf {masked} : {name}"));
            let far = Special::Infinity.add(draw, body, element);
            let is_far = body.add(&format!("arith.cmpf ult, {absolute}, {far} : {name}"));
            let text = format!("arith.select {is_far}, {masked}, {two} : {name}");
            (body.add(&text), element, bound.max(2))
        }
    }
}
