//! Values that are tied: one tensor for two results of a loop, a branch or a call, for two operands of them, for two
//! results of the program, and arguments that are results as they are.
//!
//! An operation then writes in the place of one of them. The others stay as they are.

use super::{Draw, INPUT, LARGEST, Value, iterators, map, ty};

/// Draws a loop, a branch or a call with two results that are one tensor, and an operation that writes in the place of
/// one of them.
pub(super) fn tie(draw: &mut Draw) -> bool {
    let from = draw.float();
    let trips = draw.numbers.below(4);
    if from.bound + (trips + 3) * INPUT > LARGEST {
        return false;
    }
    let other = other(draw, &from);
    let tied = Tied {
        trips,
        other,
        operands: operands(draw, &from),
        hands: Hands::drawn(draw, &from),
        from,
    };
    let results = match draw.numbers.below(7) {
        0..=2 => tied.counted(draw),
        3 => tied.repeated(draw),
        4 | 5 => tied.called(draw),
        _ => tied.chosen(draw),
    };
    let bound = tied.from.bound.max(INPUT) + trips.max(1) * INPUT;
    let value = |name: String, shape: &[u64]| Value {
        name,
        shape: shape.to_vec(),
        element: tied.from.element,
        bound,
    };
    let values = [
        value(format!("{results}#0"), &tied.from.shape),
        value(format!("{results}#1"), &tied.hands.shape),
    ];
    let written = draw.numbers.index(2);
    let target = &values[written];
    write_over(draw, target);
    // The program returns the one that nothing wrote.
    let kept = values[1 - written].clone();
    draw.returned.push(kept.clone());
    draw.values.push(kept);
    true
}

/// Returns another tensor of the shape and the type of a value: the same, one that there is, or a new input.
fn other(draw: &mut Draw, from: &Value) -> Value {
    match draw.numbers.below(3) {
        0 if from.bound <= INPUT => from.clone(),
        1 => draw.argument(&from.shape, from.element),
        _ => {
            let like = |value: &&Value| {
                value.shape == from.shape && value.element == from.element && value.bound <= INPUT
            };
            let values: Vec<Value> = draw.values.iter().filter(like).cloned().collect();
            match values.is_empty() {
                true => draw.argument(&from.shape, from.element),
                false => values[draw.numbers.index(values.len())].clone(),
            }
        }
    }
}

/// Returns the initial tensors of both results: often one for both.
fn operands(draw: &mut Draw, from: &Value) -> [Value; 2] {
    match draw.numbers.one_in(3) {
        true => [from.clone(), other(draw, from)],
        false => [from.clone(), from.clone()],
    }
}

/// How a block hands over its tensor for the second result.
struct Hands {
    kind: Kind,
    /// The shape of the second result.
    shape: Vec<u64>,
}

/// The tensor that a block hands over for its second result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The tensor of the first result.
    Same,
    /// The tensor of the first result, with a dimension of 1 more.
    Expanded,
    /// The carried tensor of the first result, one iteration before.
    Carried,
    /// A tensor from outside of the block.
    Outside,
    /// The tensor that is computed, and the carried tensor of the second result for the first one.
    Exchanged,
}

impl Hands {
    fn drawn(draw: &mut Draw, from: &Value) -> Self {
        let kind = match draw.numbers.below(7) {
            0 if !from.shape.is_empty() && from.shape.len() < 4 => Kind::Expanded,
            1 => Kind::Carried,
            2 => Kind::Outside,
            3 => Kind::Exchanged,
            _ => Kind::Same,
        };
        let shape = match kind {
            Kind::Expanded => [&[1], from.shape.as_slice()].concat(),
            _ => from.shape.clone(),
        };
        Self { kind, shape }
    }
}

/// A loop, a branch or a call with tied results.
struct Tied {
    from: Value,
    trips: u64,
    /// The tensor that each iteration adds, or that is handed over from outside.
    other: Value,
    operands: [Value; 2],
    hands: Hands,
}

impl Tied {
    /// Returns the types of both results.
    fn types(&self) -> [String; 2] {
        [self.from.ty(), ty(&self.hands.shape, self.from.element)]
    }

    /// Returns the initial tensor of the second result, in its shape.
    fn second(&self, draw: &mut Draw) -> String {
        let second = &self.operands[1].name;
        match self.hands.kind {
            Kind::Expanded => draw.hidden(&self.expanded(second)),
            _ => second.clone(),
        }
    }

    fn expanded(&self, name: &str) -> String {
        let groups: Vec<String> = (1..self.from.shape.len())
            .map(|dim| format!(", [{}]", dim + 1))
            .collect();
        format!(
            "tensor.expand_shape {name} [[0, 1]{}] output_shape {:?} : {} into {}",
            groups.concat(),
            self.hands.shape,
            self.types()[0],
            self.types()[1]
        )
    }

    /// Returns the operations of a block on its tensor `%x`, and the tensors that it hands over. `outside` is the name
    /// of the other tensor in the block.
    fn block(&self, outside: &str) -> (String, [String; 2]) {
        let next = "%next".to_owned();
        let sum = sum("%x", outside, "%e", &self.from);
        let ty = self.from.ty();
        let mut text = format!("      %e = tensor.empty() : {ty}\n      {next} = {sum}\n");
        let second = match self.hands.kind {
            Kind::Same => next.clone(),
            Kind::Exchanged => return (text, ["%y".to_owned(), next]),
            Kind::Carried => "%x".to_owned(),
            Kind::Outside => outside.to_owned(),
            Kind::Expanded => {
                text += &format!("      %view = {}\n", self.expanded(&next));
                "%view".to_owned()
            }
        };
        (text, [next, second])
    }

    /// Adds an `scf.for`.
    fn counted(&self, draw: &mut Draw) -> String {
        let [zero, trips, one] =
            [0, self.trips, 1].map(|value| draw.hidden(&format!("arith.constant {value} : index")));
        let second = self.second(draw);
        let (first, [a, b]) = (&self.operands[0].name, self.types());
        let (text, [x, y]) = self.block(&self.other.name);
        let name = draw.name();
        draw.line(&format!(
            "{name}:2 = scf.for %step = {zero} to {trips} step {one} iter_args(%x = {first}, %y = {second}) -> ({a}, {b}) {{\n\
             {text}      scf.yield {x}, {y} : {a}, {b}\n    }}"
        ));
        name
    }

    /// Adds an `scf.while` with both tensors, and the number of the iteration as the last value.
    fn repeated(&self, draw: &mut Draw) -> String {
        let [zero, trips, one] =
            [0, self.trips, 1].map(|value| draw.hidden(&format!("arith.constant {value} : i32")));
        let second = self.second(draw);
        let (first, [a, b]) = (&self.operands[0].name, self.types());
        let (text, [x, y]) = self.block(&self.other.name);
        // The condition may hand over one tensor for both as well.
        let carried = match self.hands.kind == Kind::Same && draw.numbers.one_in(2) {
            true => "%x, %x",
            false => "%x, %y",
        };
        // Without an iteration before it, the second tensor is not the first one.
        let name = draw.name();
        draw.line(&format!(
            "{name}:3 = scf.while (%x = {first}, %y = {second}, %n = {zero}) : ({a}, {b}, i32) -> ({a}, {b}, i32) {{\n      \
             %go = arith.cmpi slt, %n, {trips} : i32\n      scf.condition(%go) {carried}, %n : {a}, {b}, i32\n    }} do {{\n    \
             ^bb0(%x: {a}, %y: {b}, %n: i32):\n{text}      %m = arith.addi %n, {one} : i32\n      \
             scf.yield {x}, {y}, %m : {a}, {b}, i32\n    }}"
        ));
        name
    }

    /// Adds an `scf.if`, by a number that the program computes.
    fn chosen(&self, draw: &mut Draw) -> String {
        let rank = self.from.shape.len();
        let zero = draw.hidden("arith.constant 0 : index");
        let (first, [a, b]) = (self.operands[0].name.clone(), self.types());
        let at = vec![zero.as_str(); rank].join(", ");
        let element = self.from.element.name();
        let number = draw.hidden(&format!("tensor.extract {first}[{at}] : {a}"));
        let limit = draw.number("0.0", self.from.element);
        let holds = draw.hidden(&format!("arith.cmpf oge, {number}, {limit} : {element}"));
        let (text, [x, y]) = self.block(&self.other.name);
        // The other branch hands over tensors as they are.
        let second = self.second(draw);
        let inside = |text: &str| text.replace("%x", &first).replace("%y", &second);
        let [text, x, y] = [text, x, y].map(|text| inside(&text));
        let name = draw.name();
        draw.line(&format!(
            "{name}:2 = scf.if {holds} -> ({a}, {b}) {{\n{text}      scf.yield {x}, {y} : {a}, {b}\n    }} else {{\n      \
             scf.yield {first}, {second} : {a}, {b}\n    }}"
        ));
        name
    }

    /// Adds a function with tied results, and calls of it.
    fn called(&self, draw: &mut Draw) -> String {
        let [a, b] = self.types();
        let function = format!("@tied{}", draw.functions.len());
        let (text, [x, y]) = self.block("%o");
        let x = x.replace("%y", "%o");
        draw.functions.push(format!(
            "  func.func private {function}(%x: {a}, %o: {a}) -> ({a}, {b}) {{\n{text}      return {x}, {y} : {a}, {b}\n  }}\n"
        ));
        let (mut first, other) = (self.operands[0].name.clone(), &self.other.name);
        let mut name = String::new();
        for _ in 0..self.trips.max(1) {
            name = draw.name();
            draw.line(&format!(
                "{name}:2 = func.call {function}({first}, {other}) : ({a}, {a}) -> ({a}, {b})"
            ));
            first = format!("{name}#0");
        }
        name
    }
}

/// Returns the text of the sum of two tensors.
fn sum(x: &str, y: &str, out: &str, like: &Value) -> String {
    let (rank, ty, element) = (like.shape.len(), like.ty(), like.element.name());
    let coordinates: Vec<String> = (0..rank).map(|id| format!("d{id}")).collect();
    let id = map(rank, &coordinates);
    let parallel = iterators(&vec![false; rank]);
    format!(
        "linalg.generic {{indexing_maps = [{id}, {id}, {id}], iterator_types = [{parallel}]}} ins({x}, {y} : {ty}, {ty}) \
         outs({out} : {ty}) {{ ^bb0(%a: {element}, %b: {element}, %c: {element}): %r = arith.addf %a, %b : {element} \
         linalg.yield %r : {element} }} -> {ty}"
    )
}

/// Adds an operation that writes in the place of a tensor: all elements, or a part of them.
fn write_over(draw: &mut Draw, target: &Value) {
    let (rank, ty, element) = (target.shape.len(), target.ty(), target.element.name());
    let bound = target.bound + INPUT;
    if rank > 0 && draw.numbers.one_in(3) {
        let mut sizes = target.shape.clone();
        let dim = draw.numbers.index(rank);
        sizes[dim] = 1;
        let mut offsets = vec![0; rank];
        offsets[dim] = draw.numbers.below(target.shape[dim]);
        let part = draw.argument(&sizes, target.element);
        let text = format!(
            "tensor.insert_slice {} into {}{offsets:?} {sizes:?} {:?} : {} into {ty}",
            part.name,
            target.name,
            vec![1; rank],
            part.ty()
        );
        draw.make(&target.shape, target.element, bound, &text);
        return;
    }
    if draw.numbers.one_in(4) {
        let number = draw.number("1.0", target.element);
        let text = format!(
            "linalg.fill ins({number} : {element}) outs({} : {ty}) -> {ty}",
            target.name
        );
        let name = draw.hidden(&text);
        // Without a use, it would be no write.
        let again = draw.argument(&target.shape, target.element);
        let out = draw.empty(&target.shape, target.element);
        let text = sum(&name, &again.name, &out, target);
        draw.make(&target.shape, target.element, bound, &text);
        return;
    }
    let added = draw.argument(&target.shape, target.element);
    let coordinates: Vec<String> = (0..rank).map(|id| format!("d{id}")).collect();
    let id = map(rank, &coordinates);
    let parallel = iterators(&vec![false; rank]);
    let text = format!(
        "linalg.generic {{indexing_maps = [{id}, {id}], iterator_types = [{parallel}]}} ins({} : {ty}) outs({} : {ty}) {{ \
         ^bb0(%a: {element}, %out: {element}): %r = arith.addf %a, %out : {element} linalg.yield %r : {element} }} -> {ty}",
        added.name, target.name
    );
    draw.make(&target.shape, target.element, bound, &text);
}
