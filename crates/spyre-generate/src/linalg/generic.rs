//! Steps that are a `linalg.generic`.

use super::{Draw, Element, LARGEST, MOST_ELEMENTS, Value, inside, iterators, map, ty};

/// An operand of a body: the tensor, and the text of each of its coordinates.
pub(super) struct Operand {
    pub(super) value: Value,
    pub(super) coordinates: Vec<String>,
}

/// Draws a body element by element, over loops with the extents of a tensor that there is, in any order, and perhaps one more.
pub(super) fn pointwise(draw: &mut Draw) -> bool {
    let first = draw.float();
    let mut extents = first.shape.clone();
    draw.numbers.shuffle(&mut extents);
    if extents.is_empty() || (extents.len() < 5 && draw.numbers.one_in(4)) {
        let extent = draw.numbers.pick(&[1, 2, 4, 64]);
        extents.insert(draw.numbers.index(extents.len() + 1), extent);
    }
    if extents.iter().product::<u64>() > MOST_ELEMENTS {
        return false;
    }
    let mut operands = vec![fit(draw, &first, &extents)];
    for _ in 0..draw.numbers.below(3) {
        let other = draw.float();
        let operand = if draw.numbers.one_in(2) && !other.shape.is_empty() {
            fit(draw, &other, &extents)
        } else {
            fresh(draw, &extents)
        };
        operands.push(operand);
    }
    let mut order: Vec<usize> = (0..extents.len()).collect();
    if draw.numbers.one_in(4) {
        draw.numbers.shuffle(&mut order);
    }
    let shape: Vec<u64> = order.iter().map(|id| extents[*id]).collect();
    let out: Vec<String> = order.iter().map(|id| format!("d{id}")).collect();
    let mut body = Body::new(draw, &operands);
    let (result, element, bound) = body.expression(draw);
    let text = body.text;
    let empty = draw.empty(&shape, element);
    build(
        draw,
        &operands,
        &extents,
        &vec![false; extents.len()],
        &[(empty, out, shape, element, bound)],
        &text,
        &[result],
    );
    true
}

/// Draws a body on numbers that the card does not have: bits of integers, and integers of 64 bits. Perhaps it runs in a loop, with an
/// operation of the card.
pub(super) fn host(draw: &mut Draw) -> bool {
    let from = draw.float();
    let (ty, element) = (from.ty(), from.element.name());
    if from.bound + 2 > LARGEST {
        return false;
    }
    let rank = from.shape.len();
    let coordinates: Vec<String> = (0..rank).map(|id| format!("d{id}")).collect();
    let id = map(rank, &coordinates);
    let parallel = iterators(&vec![false; rank]);
    let three = draw.number("3.0", from.element);
    let (body, bound) = match draw.numbers.below(3) {
        0 => {
            let one = draw.hidden("arith.constant 1 : i32");
            let text = format!(
                "%i = arith.fptosi %in : {element} to i32 %j = arith.ori %i, {one} : i32 \
                 %r = arith.sitofp %j : i32 to {element}"
            );
            (text, from.bound + 1)
        }
        1 => {
            let text = format!(
                "%i = arith.fptosi %in : {element} to i64 %j = arith.addi %i, %i : i64 \
                 %k = arith.subi %j, %i : i64 %r = arith.sitofp %k : i64 to {element}"
            );
            (text, from.bound)
        }
        // In 32 bits, the number is negative.
        _ => {
            let far = draw.hidden("arith.constant 3000000000 : i64");
            let text = format!(
                "%i = arith.fptosi %in : {element} to i32 %j = arith.extsi %i : i32 to i64 \
                 %c = arith.cmpi slt, %j, {far} : i64 %r = arith.select %c, {three}, %in : {element}"
            );
            (text, from.bound.max(3))
        }
    };
    let generic = |input: &str, empty: &str, body: &str| {
        format!(
            "linalg.generic {{indexing_maps = [{id}, {id}], iterator_types = [{parallel}]}} \
             ins({input} : {ty}) outs({empty} : {ty}) {{ ^bb0(%in: {element}, %out: {element}): {body} \
             linalg.yield %r : {element} }} -> {ty}"
        )
    };
    let empty = draw.empty(&from.shape, from.element);
    let result_name = generic(&from.name, &empty, &body);
    if draw.numbers.one_in(3) {
        let result_name = draw.hidden(&result_name);
        let [zero, one, two] =
            [0, 1, 2].map(|value| draw.hidden(&format!("arith.constant {value} : index")));
        let negated = generic("%x", &empty, &format!("%r = arith.negf %in : {element}"));
        let again = generic("%y", &empty, &body);
        draw.make(
            &from.shape,
            from.element,
            bound,
            &format!(
                "scf.for %step = {zero} to {two} step {one} iter_args(%x = {result_name}) -> {ty} {{ \
                 %y = {negated} %z = {again} scf.yield %z : {ty} }}"
            ),
        );
    } else {
        draw.make(&from.shape, from.element, bound, &result_name);
    }
    true
}

/// Draws a reduction of terms.
pub(super) fn reduction(draw: &mut Draw) -> bool {
    let first = draw.float();
    if first.shape.is_empty() {
        return false;
    }
    let extents = first.shape.clone();
    let mut reduced: Vec<bool> = extents.iter().map(|_| draw.numbers.one_in(2)).collect();
    if reduced.iter().all(|reduced| !reduced) {
        let at = draw.numbers.index(reduced.len());
        reduced[at] = true;
    }
    let dims = (0..extents.len()).map(|id| format!("d{id}"));
    let mut operands = vec![Operand {
        value: first,
        coordinates: dims.collect(),
    }];
    if draw.numbers.one_in(3) {
        operands.push(fresh(draw, &extents));
    }
    let count: u64 = (0..extents.len())
        .filter(|id| reduced[*id])
        .map(|id| extents[id])
        .product();
    let mut body = Body::new(draw, &operands);
    let (term, element, bound) = body.expression(draw);
    let mut text = body.text;
    let (name, identity, bound) = match draw.numbers.below(5) {
        0 | 1 if bound * count <= LARGEST => ("arith.addf", "0.0", bound * count),
        2 => ("arith.minimumf", infinity(element, false), bound),
        3 => ("arith.maxnumf", infinity(element, true), bound),
        _ => ("arith.maximumf", infinity(element, true), bound),
    };
    let mut kept: Vec<usize> = (0..extents.len()).filter(|id| !reduced[*id]).collect();
    if draw.numbers.one_in(4) {
        draw.numbers.shuffle(&mut kept);
    }
    let shape: Vec<u64> = kept.iter().map(|id| extents[*id]).collect();
    let out: Vec<String> = kept.iter().map(|id| format!("d{id}")).collect();
    // The largest number is searched from a number, not from a tensor.
    let takes_tensor = name != "arith.maxnumf" && bound + inside::MOST_NUMBER <= LARGEST;
    let (start, bound) = if takes_tensor && draw.numbers.one_in(5) {
        let (start, most) = inside::start(draw, &shape, element);
        (start, bound + most)
    } else {
        (draw.filled(identity, &shape, element), bound)
    };
    let pair = if draw.numbers.one_in(2) {
        format!("{term}, %out0")
    } else {
        format!("%out0, {term}")
    };
    text += &format!("      %r = {name} {pair} : {}\n", element.name());
    build(
        draw,
        &operands,
        &extents,
        &reduced,
        &[(start, out, shape, element, bound)],
        &text,
        &["%r".to_owned()],
    );
    true
}

/// Draws a reduction of integers, with sums, products and shifts that wrap.
pub(super) fn integer_reduction(draw: &mut Draw) -> bool {
    let extents = draw.shape();
    let mut reduced: Vec<bool> = extents.iter().map(|_| draw.numbers.one_in(2)).collect();
    let at = draw.numbers.index(reduced.len());
    reduced[at] = true;
    let dims = (0..extents.len()).map(|id| format!("d{id}"));
    let value = draw.argument(&extents, Element::I32);
    let mut operands = vec![Operand {
        value,
        coordinates: dims.collect(),
    }];
    let mut text = String::new();
    let term = if draw.numbers.one_in(2) {
        let mut factor = fresh(draw, &extents);
        let shape = factor.value.shape.clone();
        factor.value = draw.argument(&shape, Element::I32);
        operands.push(factor);
        text += "      %p = arith.muli %in0, %in1 : i32\n";
        "%p"
    } else {
        "%in0"
    };
    let term = if draw.numbers.one_in(3) {
        let name = draw
            .numbers
            .pick(&["arith.shli", "arith.shrsi", "arith.shrui"]);
        let bits = draw.numbers.below(32);
        text += &format!(
            "      %n = arith.constant {bits} : i32\n      %s = {name} {term}, %n : i32\n"
        );
        "%s"
    } else {
        term
    };
    let pairs = [
        ("arith.addi", "0"),
        ("arith.muli", "1"),
        ("arith.maxsi", "-2147483648"),
        ("arith.minsi", "2147483647"),
    ];
    let (name, identity) = draw.numbers.pick(&pairs);
    let kept: Vec<usize> = (0..extents.len()).filter(|id| !reduced[*id]).collect();
    let shape: Vec<u64> = kept.iter().map(|id| extents[*id]).collect();
    let out: Vec<String> = kept.iter().map(|id| format!("d{id}")).collect();
    let start = match draw.numbers.below(4) {
        0 => draw.argument(&shape, Element::I32).name,
        1 => draw.filled("-7", &shape, Element::I32),
        _ => draw.filled(identity, &shape, Element::I32),
    };
    text += &format!("      %r = {name} %out0, {term} : i32\n");
    build(
        draw,
        &operands,
        &extents,
        &reduced,
        // Steps that need a bound do not read integers.
        &[(start, out, shape, Element::I32, u64::from(u32::MAX))],
        &text,
        &["%r".to_owned()],
    );
    true
}

/// Draws a search, in one of the forms that front ends print.
pub(super) fn search(draw: &mut Draw) -> bool {
    let first = draw.float();
    if first.shape.is_empty() {
        return false;
    }
    let (extents, element) = (first.shape.clone(), first.element);
    let along = draw.numbers.index(extents.len());
    let mut reduced = vec![false; extents.len()];
    reduced[along] = true;
    let coordinates: Vec<String> = (0..extents.len()).map(|id| format!("d{id}")).collect();
    let mut out = coordinates.clone();
    out.remove(along);
    let mut shape = extents.clone();
    shape.remove(along);
    let largest = draw.numbers.one_in(2);
    let from = match draw.numbers.below(4) {
        // As TOSA starts; and a number that may be beyond all elements.
        0 if largest => lowest(element),
        1 => "1.0",
        _ => infinity(element, largest),
    };
    let start = draw.filled(from, &shape, element);
    let zero = draw.filled("0", &shape, Element::I32);
    let (name, compare) = if largest {
        ("arith.maximumf", "ogt")
    } else {
        ("arith.minimumf", "olt")
    };
    let ty = element.name();
    let mut text = format!(
        "      %i = linalg.index {along} : index\n      %n = arith.index_cast %i : index to i32\n"
    );
    if draw.numbers.one_in(2) {
        text += &format!("      %c = arith.cmpf {compare}, %in0, %out0 : {ty}\n");
        text += &format!("      %m = {name} %in0, %out0 : {ty}\n");
    } else {
        text += &format!("      %c = arith.cmpf {compare}, %in0, %out0 : {ty}\n");
        text += &format!("      %m = arith.select %c, %in0, %out0 : {ty}\n");
    }
    text += "      %s = arith.select %c, %n, %out1 : i32\n";
    let bound = first.bound;
    let operands = [Operand {
        value: first,
        coordinates,
    }];
    let outputs = [
        (start, out.clone(), shape.clone(), element, bound),
        (zero, out, shape, Element::I32, 127),
    ];
    build(
        draw,
        &operands,
        &extents,
        &reduced,
        &outputs,
        &text,
        &["%m".to_owned(), "%s".to_owned()],
    );
    true
}

/// Returns the loops of a sum of products: the role of each, and its extent. A role is the set of tensors that have the
/// dimension.
fn contraction_loops(draw: &mut Draw) -> Vec<(usize, u64)> {
    // Both operands and the result, the left one and the result, the right one and the result, both operands.
    let mut counts = [
        draw.numbers.below(3),
        draw.numbers.below(3),
        draw.numbers.below(3),
        draw.numbers.between(1, 2),
    ];
    // More batches than a product of the card has. The default layout has six dimensions at most.
    if draw.numbers.one_in(4) {
        counts[0] = draw.numbers.between(3, 4);
        counts[1..]
            .iter_mut()
            .for_each(|count| *count = (*count).min(1));
    }
    let mut loops = Vec::new();
    for (role, count) in counts.iter().enumerate() {
        for _ in 0..*count {
            let extent = match role {
                0 => draw.numbers.pick(&[1, 2, 3, 4]),
                3 => draw.numbers.pick(&[1, 4, 8, 16, 33, 64]),
                _ => draw.numbers.pick(&[1, 3, 8, 16, 32, 64, 65]),
            };
            loops.push((role, extent));
        }
    }
    loops
}

/// Draws a sum of products, with any number of loops of each role, in any order.
pub(super) fn contraction(draw: &mut Draw) -> bool {
    let mut loops = contraction_loops(draw);
    if loops.iter().map(|(_, extent)| extent).product::<u64>() > 1 << 20 {
        return false;
    }
    let summed: u64 = loops
        .iter()
        .filter(|(role, _)| *role == 3)
        .map(|(_, extent)| extent)
        .product();
    if inside::MOST_NUMBER * (super::INPUT * summed + 1) > LARGEST {
        return false;
    }
    draw.numbers.shuffle(&mut loops);
    let extents: Vec<u64> = loops.iter().map(|(_, extent)| *extent).collect();
    let reduced: Vec<bool> = loops.iter().map(|(role, _)| *role == 3).collect();
    let dims_of_roles = |draw: &mut Draw, roles: [usize; 3]| {
        let mut ids: Vec<usize> = (0..loops.len())
            .filter(|id| roles.contains(&loops[*id].0))
            .collect();
        if draw.numbers.one_in(2) {
            draw.numbers.shuffle(&mut ids);
        }
        let shape: Vec<u64> = ids.iter().map(|id| extents[*id]).collect();
        let coordinates: Vec<String> = ids.iter().map(|id| format!("d{id}")).collect();
        (shape, coordinates)
    };
    let element = draw.element;
    let mut operands: Vec<Operand> = Vec::new();
    for roles in [[0, 1, 3], [0, 2, 3]] {
        let (shape, coordinates) = dims_of_roles(draw, roles);
        let is_table = !operands.is_empty() && draw.numbers.one_in(6);
        let value = match is_table {
            true => inside::table_value(draw, &shape, element),
            false => draw.argument(&shape, element),
        };
        operands.push(Operand { value, coordinates });
    }
    let (shape, out) = dims_of_roles(draw, [0, 1, 2]);
    let bound = super::INPUT * inside::MOST_NUMBER * summed;
    let wide = element == Element::F16 && draw.numbers.one_in(3);
    let (sum, mut text) = if wide {
        let text =
            "      %x = arith.extf %in0 : f16 to f32\n      %y = arith.extf %in1 : f16 to f32\n";
        (Element::F32, text.to_owned())
    } else {
        (element, String::new())
    };
    let (x, y) = if wide { ("%x", "%y") } else { ("%in0", "%in1") };
    let ty = sum.name();
    text +=
        &format!("      %p = arith.mulf {x}, {y} : {ty}\n      %r = arith.addf %out0, %p : {ty}\n");
    let (start, bound) = match draw.numbers.one_in(4) {
        true => {
            let (start, most) = inside::start(draw, &shape, sum);
            (start, bound + most)
        }
        false => (draw.filled("0.0", &shape, sum), bound),
    };
    build(
        draw,
        &operands,
        &extents,
        &reduced,
        &[(start, out, shape, sum, bound)],
        &text,
        &["%r".to_owned()],
    );
    true
}

/// Returns the least finite number.
pub(super) fn lowest(element: Element) -> &'static str {
    match element {
        Element::F16 => "-65504.0",
        _ => "-3.40282347E+38",
    }
}

/// Returns the number that a search or a reduction starts from: below all others, or above.
pub(super) fn infinity(element: Element, below: bool) -> &'static str {
    match (element, below) {
        (Element::F32, true) => "0xFF800000",
        (Element::F32, false) => "0x7F800000",
        (_, true) => "0xFC00",
        (_, false) => "0x7C00",
    }
}

/// Reads an existing tensor: along a loop of the same extent, in a window along a shorter one, with a step, or at one
/// position. Perhaps reversed, by the sum of two loops, or by a loop that indexes another dimension as well.
pub(super) fn fit(draw: &mut Draw, value: &Value, extents: &[u64]) -> Operand {
    let mut free: Vec<usize> = (0..extents.len()).collect();
    draw.numbers.shuffle(&mut free);
    let mut coordinates = Vec::new();
    for extent in &value.shape {
        if draw.numbers.one_in(8)
            && let Some(text) = no_view(draw, *extent, extents)
        {
            coordinates.push(text);
            continue;
        }
        let same = free.iter().position(|id| extents[*id] == *extent);
        let shorter = free.iter().position(|id| extents[*id] < *extent);
        let (at, text) = if let Some(at) = same {
            (Some(at), format!("d{}", free[at]))
        } else if let Some(at) = shorter.filter(|_| !draw.numbers.one_in(4)) {
            let (id, length) = (free[at], extents[free[at]]);
            let step = if draw.numbers.one_in(3) {
                (extent - 1) / (length.max(2) - 1)
            } else {
                1
            };
            let step = step.clamp(1, 4);
            let last = (length - 1) * step;
            // A map without an offset and a step is the loop itself, with the extent of the dimension.
            let least = u64::from(step == 1);
            let offset = if last + least < *extent {
                draw.numbers.between(least, extent - last - 1)
            } else {
                least
            };
            if last + offset >= *extent {
                (None, draw.numbers.below(*extent).to_string())
            } else if step == 1 {
                (Some(at), format!("d{id} + {offset}"))
            } else {
                (Some(at), format!("d{id} * {step} + {offset}"))
            }
        } else {
            (None, draw.numbers.below(*extent).to_string())
        };
        if let Some(at) = at {
            free.remove(at);
        }
        coordinates.push(text);
    }
    Operand {
        value: value.clone(),
        coordinates,
    }
}

/// Reads a dimension backwards, by two loops together, or by a quotient or a remainder; `None` if no loop is short enough.
fn no_view(draw: &mut Draw, extent: u64, extents: &[u64]) -> Option<String> {
    if !extents.is_empty() && draw.numbers.one_in(3) {
        let id = draw.numbers.index(extents.len());
        let (factor, offset) = (draw.numbers.between(1, 3), draw.numbers.below(extent));
        let last = (extents[id] - 1) * factor + offset;
        let divisor = (last / extent + 1).max(2);
        // A quotient that MLIR simplifies to the loop itself would have to be as long as the dimension.
        let is_loop = factor.is_multiple_of(divisor);
        return Some(match draw.numbers.one_in(2) || is_loop {
            true => format!("(d{id} * {factor} + {offset}) mod {extent}"),
            false => format!("(d{id} * {factor} + {offset}) floordiv {divisor}"),
        });
    }
    let short: Vec<usize> = (0..extents.len())
        .filter(|id| extents[*id] <= extent)
        .collect();
    if short.is_empty() {
        return None;
    }
    let id = draw.numbers.pick(&short);
    let other = draw.numbers.pick(&short);
    let last = extents[id] + extents[other] - 2;
    if other != id && last < extent {
        return Some(format!("d{id} + d{other}"));
    }
    let start = draw.numbers.between(extents[id] - 1, extent - 1);
    Some(format!("{start} - d{id}"))
}

/// Reads a new input along some of the loops, in any order.
pub(super) fn fresh(draw: &mut Draw, extents: &[u64]) -> Operand {
    let mut ids: Vec<usize> = (0..extents.len())
        .filter(|_| draw.numbers.one_in(2))
        .collect();
    draw.numbers.shuffle(&mut ids);
    let shape: Vec<u64> = ids.iter().map(|id| extents[*id]).collect();
    let element = draw.element;
    let value = draw.argument(&shape, element);
    Operand {
        value,
        coordinates: ids.iter().map(|id| format!("d{id}")).collect(),
    }
}

/// A result of a body: the tensor it starts from, its coordinates, its shape, its element type, and its bound.
type Output = (String, Vec<String>, Vec<u64>, Element, u64);

/// Adds a `linalg.generic`.
pub(super) fn build(
    draw: &mut Draw,
    operands: &[Operand],
    extents: &[u64],
    reduced: &[bool],
    outputs: &[Output],
    body: &str,
    results: &[String],
) {
    let mut maps: Vec<String> = operands
        .iter()
        .map(|operand| map(extents.len(), &operand.coordinates))
        .collect();
    maps.extend(outputs.iter().map(|output| map(extents.len(), &output.1)));
    let join = |parts: Vec<String>| parts.join(", ");
    let ins = if operands.is_empty() {
        String::new()
    } else {
        let names = join(
            operands
                .iter()
                .map(|operand| operand.value.name.clone())
                .collect(),
        );
        let types = join(operands.iter().map(|operand| operand.value.ty()).collect());
        format!(" ins({names} : {types})")
    };
    let types = join(
        outputs
            .iter()
            .map(|output| ty(&output.2, output.3))
            .collect(),
    );
    let names = join(outputs.iter().map(|output| output.0.clone()).collect());
    let mut arguments: Vec<String> = operands
        .iter()
        .enumerate()
        .map(|(at, operand)| format!("%in{at}: {}", operand.value.element.name()))
        .collect();
    let elements = outputs.iter().enumerate();
    arguments.extend(elements.map(|(at, output)| format!("%out{at}: {}", output.3.name())));
    let yielded = join(results.to_vec());
    let yielded_types = join(
        outputs
            .iter()
            .map(|output| output.3.name().to_owned())
            .collect(),
    );
    let arrow = if outputs.len() == 1 {
        types.clone()
    } else {
        format!("({types})")
    };
    let text = format!(
        "linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}}{ins} outs({names} : {types}) {{\n    ^bb0({}):\n{body}      linalg.yield {yielded} : {yielded_types}\n    }} -> {arrow}",
        join(maps),
        iterators(reduced),
        join(arguments),
    );
    if let [(_, _, shape, element, bound)] = outputs {
        draw.make(shape, *element, *bound, &text);
        return;
    }
    let name = draw.name();
    draw.line(&format!("{name}:{} = {text}", outputs.len()));
    for (at, (_, _, shape, element, bound)) in outputs.iter().enumerate() {
        draw.values.push(Value {
            name: format!("{name}#{at}"),
            shape: shape.clone(),
            element: *element,
            bound: *bound,
        });
    }
}

/// A scalar of a body: its name, its type, and the largest magnitude of its numbers.
pub(super) type Scalar = (String, Element, u64);

/// The elements of a body, which later ones are computed from.
pub(super) struct Body {
    pub(super) text: String,
    pub(super) elements: Vec<Scalar>,
}

impl Body {
    pub(super) fn new(_: &Draw, operands: &[Operand]) -> Self {
        let elements = operands.iter().enumerate().map(|(at, operand)| {
            let value = &operand.value;
            (format!("%in{at}"), value.element, value.bound)
        });
        Self {
            text: String::new(),
            elements: elements.collect(),
        }
    }

    /// Draws a few operations, and returns the last element with its type and its bound.
    pub(super) fn expression(&mut self, draw: &mut Draw) -> Scalar {
        // Every operand is read.
        while self.elements.len() > 1 {
            let (b, a) = (self.elements.pop(), self.elements.pop());
            let (Some(a), Some(b)) = (a, b) else {
                unreachable!("there are two elements");
            };
            let both = self.combine(draw, a, b);
            self.elements.push(both);
        }
        let mut last = self.elements[0].clone();
        for _ in 0..draw.numbers.below(3) {
            last = self.unary(draw, last);
        }
        last
    }

    pub(super) fn add(&mut self, text: &str) -> String {
        let name = format!("%e{}", self.text.lines().count());
        self.text += &format!("      {name} = {text}\n");
        name
    }

    /// Returns the element in another type.
    pub(super) fn cast(&mut self, (name, from, bound): Scalar, to: Element) -> Scalar {
        if from == to {
            return (name, from, bound);
        }
        let operation = if to == Element::F32 {
            "arith.extf"
        } else {
            "arith.truncf"
        };
        let result_name = self.add(&format!(
            "{operation} {name} : {} to {}",
            from.name(),
            to.name()
        ));
        (result_name, to, bound)
    }

    fn combine(&mut self, draw: &mut Draw, a: Scalar, b: Scalar) -> Scalar {
        let b = self.cast(b, a.1);
        let ((x, element, p), (y, _, q)) = (a, b);
        let ty = element.name();
        let (name, bound) = match draw.numbers.below(8) {
            7 if p + q <= LARGEST && draw.numbers.one_in(3) => {
                return (self.count_from_end(&x, ty, q), element, p + q);
            }
            7 => return (self.integers(draw, &x, &y, ty), element, p.max(q)),
            0 if p + q <= LARGEST => ("arith.addf", p + q),
            1 if p + q <= LARGEST => ("arith.subf", p + q),
            2 if p * q <= LARGEST => ("arith.mulf", p * q),
            3 => ("arith.minimumf", p.max(q)),
            5 => ("arith.minnumf", p.max(q)),
            4 => {
                let predicate = draw.numbers.pick(&[
                    "oeq", "ogt", "oge", "olt", "ole", "one", "ueq", "ugt", "uge", "ult", "ule",
                    "une",
                ]);
                let condition = self.add(&format!("arith.cmpf {predicate}, {x}, {y} : {ty}"));
                let result_name = self.add(&format!("arith.select {condition}, {x}, {y} : {ty}"));
                return (result_name, element, p.max(q));
            }
            _ => ("arith.maximumf", p.max(q)),
        };
        (self.add(&format!("{name} {x}, {y} : {ty}")), element, bound)
    }

    /// Adds a choice of two integers by their order, between casts.
    fn integers(&mut self, draw: &mut Draw, x: &str, y: &str, ty: &str) -> String {
        let predicate = draw.numbers.pick(&[
            "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge",
        ]);
        let [i, j] = [x, y].map(|from| self.add(&format!("arith.fptosi {from} : {ty} to i32")));
        if draw.numbers.one_in(3) {
            return self.indices(predicate, &i, &j, ty);
        }
        let condition = self.add(&format!("arith.cmpi {predicate}, {i}, {j} : i32"));
        let chosen = self.add(&format!("arith.select {condition}, {i}, {j} : i32"));
        self.add(&format!("arith.sitofp {chosen} : i32 to {ty}"))
    }

    /// Adds a choice of two integers as indices, by the square of one of them.
    fn indices(&mut self, predicate: &str, i: &str, j: &str, ty: &str) -> String {
        let [p, q] =
            [i, j].map(|from| self.add(&format!("arith.index_cast {from} : i32 to index")));
        let [low, high] = [-8, 8].map(|end| self.add(&format!("arith.constant {end} : index")));
        let within = self.add(&format!("arith.minsi {p}, {high} : index"));
        let within = self.add(&format!("arith.maxsi {within}, {low} : index"));
        let square = self.add(&format!("arith.muli {within}, {within} : index"));
        let condition = self.add(&format!("arith.cmpi {predicate}, {square}, {q} : index"));
        let chosen = self.add(&format!("arith.select {condition}, {p}, {q} : index"));
        let chosen = self.add(&format!("arith.index_cast {chosen} : index to i32"));
        self.add(&format!("arith.sitofp {chosen} : i32 to {ty}"))
    }

    /// Adds the integer of a float between two numbers, in 64 bits.
    fn bounded(&mut self, draw: &mut Draw, x: &str, element: Element) -> String {
        let ty = element.name();
        let (low, high) = (draw.number("-2.0", element), draw.number("2.0", element));
        let above = self.add(&format!("arith.cmpf olt, {x}, {low} : {ty}"));
        let above = self.add(&format!("arith.select {above}, {low}, {x} : {ty}"));
        let within = self.add(&format!("arith.minimumf {above}, {high} : {ty}"));
        let integer = self.add(&format!("arith.fptosi {within} : {ty} to i64"));
        self.add(&format!("arith.sitofp {integer} : i64 to {ty}"))
    }

    /// Adds an index in 64 bits that counts from the end where it is negative.
    fn count_from_end(&mut self, x: &str, ty: &str, extent: u64) -> String {
        let index = self.add(&format!("arith.fptosi {x} : {ty} to i32"));
        let index = self.add(&format!("arith.extsi {index} : i32 to i64"));
        let [zero, extent] =
            [0, extent].map(|value| self.add(&format!("arith.constant {value} : i64")));
        let result_name = self.add(&format!("arith.cmpi slt, {index}, {zero} : i64"));
        let sum = self.add(&format!("arith.addi {index}, {extent} : i64"));
        let chosen = self.add(&format!("arith.select {result_name}, {sum}, {index} : i64"));
        self.add(&format!("arith.sitofp {chosen} : i64 to {ty}"))
    }

    fn unary(&mut self, draw: &mut Draw, (x, element, bound): Scalar) -> Scalar {
        let ty = element.name();
        match draw.numbers.below(13) {
            11 => {
                let three = draw.number("3.0", element);
                let result_name = self.add(&format!("arith.remf {x}, {three} : {ty}"));
                (result_name, element, bound.min(3))
            }
            10 => (self.bounded(draw, &x, element), element, 2),
            8 => self.rectified(draw, (x, element, bound)),
            9 => {
                let zero = draw.number("0.0", element);
                let result_name = self.add(&format!("arith.maximumf {zero}, {x} : {ty}"));
                (result_name, element, bound)
            }
            0 => (self.add(&format!("arith.negf {x} : {ty}")), element, bound),
            1 => (self.add(&format!("math.absf {x} : {ty}")), element, bound),
            2 => (self.add(&format!("math.floor {x} : {ty}")), element, bound),
            3 => (self.add(&format!("math.ceil {x} : {ty}")), element, bound),
            4 if bound + 3 <= LARGEST => {
                let three = draw.number("3.0", element);
                (
                    self.add(&format!("arith.addf {x}, {three} : {ty}")),
                    element,
                    bound + 3,
                )
            }
            5 => {
                let (low, high) = (draw.number("-2.0", element), draw.number("2.0", element));
                let above = self.add(&format!("arith.maximumf {x}, {low} : {ty}"));
                (
                    self.add(&format!("arith.minimumf {above}, {high} : {ty}")),
                    element,
                    2,
                )
            }
            7 => {
                // Half of the results are between two integers before they are rounded.
                let half = draw.number("0.5", element);
                let half = self.add(&format!("arith.mulf {x}, {half} : {ty}"));
                let name = draw
                    .numbers
                    .pick(&["math.roundeven", "math.round", "math.trunc"]);
                (self.add(&format!("{name} {half} : {ty}")), element, bound)
            }
            6 => self.larger_than_comparisons(draw, (x, element, bound)),
            _ => {
                let to = if element == Element::F16 {
                    Element::F32
                } else {
                    Element::F16
                };
                self.cast((x, element, bound), to)
            }
        }
    }

    /// Adds the form of `max(x, 0)` that keeps NaN.
    fn rectified(&mut self, draw: &mut Draw, (x, element, bound): Scalar) -> Scalar {
        let ty = element.name();
        let zero = draw.number("0.0", element);
        let above = self.add(&format!("arith.cmpf ugt, {x}, {zero} : {ty}"));
        let result_name = self.add(&format!("arith.select {above}, {x}, {zero} : {ty}"));
        (result_name, element, bound)
    }

    /// Adds the larger of a number and of the result of logic on two of its comparisons.
    fn larger_than_comparisons(&mut self, draw: &mut Draw, (x, element, bound): Scalar) -> Scalar {
        let ty = element.name();
        let zero = draw.number("0.0", element);
        let first = self.add(&format!("arith.cmpf ogt, {x}, {zero} : {ty}"));
        let second = self.add(&format!("arith.cmpf ole, {x}, {zero} : {ty}"));
        let logic = draw
            .numbers
            .pick(&["arith.andi", "arith.ori", "arith.xori"]);
        let both = self.add(&format!("{logic} {first}, {second} : i1"));
        let number = self.add(&format!("arith.uitofp {both} : i1 to {ty}"));
        let result_name = self.add(&format!("arith.maximumf {x}, {number} : {ty}"));
        (result_name, element, bound.max(1))
    }
}
