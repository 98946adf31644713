//! Counted loops over tensors, as front ends print them: by an index, or by a tensor of one integer.

use super::{Draw, Element, INPUT, LARGEST, MOST_ELEMENTS, Value, iterators, map, ty};

/// Where the iterations of a loop read their parts of another tensor.
struct Windows {
    value: Value,
    /// The sliced dimension; `None` for a leading dimension of which each iteration reads one
    /// position.
    dim: Option<usize>,
    /// The offset of the first window, and how far it moves in each iteration.
    first: u64,
    step: u64,
}

/// Draws a loop that carries a tensor, and perhaps reads a window of another one or stacks its
/// tensors.
pub(super) fn counted(draw: &mut Draw) -> bool {
    let from = draw.float();
    let trips = draw.numbers.between(1, 5);
    let elements: u64 = from.shape.iter().product();
    if from.shape.is_empty()
        || elements * (trips + 1) > MOST_ELEMENTS
        || from.bound + trips * INPUT > LARGEST
    {
        return false;
    }
    let windows = (!draw.numbers.one_in(4)).then(|| windows(draw, &from, trips));
    let is_stacked = draw.numbers.one_in(3);
    let counter = if draw.numbers.one_in(2) {
        Counter::Index
    } else {
        Counter::Tensor
    };
    let mut body = Body::new(draw);
    let (read, bound) = match &windows {
        Some(windows) => {
            let offset = body.offset(windows, counter);
            let window = body.window(windows, &from, &offset);
            (window, from.bound + trips * INPUT)
        }
        None => ("%carried".to_owned(), from.bound),
    };
    let next = body.step(&from, &read, windows.is_some());
    let stack = Value {
        name: String::new(),
        shape: [&[trips], from.shape.as_slice()].concat(),
        element: from.element,
        bound,
    };
    let stacked = is_stacked.then(|| body.stack(&from, &stack, &next, counter));
    let mut carried = vec![Carried {
        name: "%carried",
        init: from.name.clone(),
        ty: from.ty(),
        yielded: next,
    }];
    if let Some(yielded) = stacked {
        carried.push(Carried {
            name: "%stack",
            init: draw.filled("0.0", &stack.shape, stack.element),
            ty: stack.ty(),
            yielded,
        });
    }
    let results = match counter {
        Counter::Index => by_index(draw, trips, &body.text, &carried),
        Counter::Tensor => by_tensor(draw, trips, &body.text, &carried),
    };
    for (name, like) in results.into_iter().zip([&from, &stack]) {
        draw.values.push(Value {
            name,
            bound,
            ..like.clone()
        });
    }
    true
}

/// The value that counts the iterations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counter {
    /// An index, as the induction variable of an `scf.for`.
    Index,
    /// A `tensor<i32>`, which an `scf.while` carries.
    Tensor,
}

fn windows(draw: &mut Draw, from: &Value, trips: u64) -> Windows {
    if draw.numbers.one_in(2) {
        let shape = [&[trips], from.shape.as_slice()].concat();
        let value = draw.argument(&shape, from.element);
        return Windows {
            value,
            dim: None,
            first: 0,
            step: 1,
        };
    }
    let dim = draw.numbers.index(from.shape.len());
    let size = from.shape[dim];
    let first = if draw.numbers.one_in(4) { size } else { 0 };
    let mut shape = from.shape.clone();
    shape[dim] = first + size * trips;
    Windows {
        value: draw.argument(&shape, from.element),
        dim: Some(dim),
        first,
        step: size,
    }
}

/// The body of a loop, in which `%number` is the number of the iteration: an index, or an integer of 32 bits.
struct Body {
    text: String,
    next: usize,
}

impl Body {
    fn new(draw: &mut Draw) -> Self {
        // Values of the bodies of two loops have different names.
        draw.next += 1;
        Self {
            text: String::new(),
            next: draw.next * 1000,
        }
    }

    fn make(&mut self, text: &str) -> String {
        self.next += 1;
        let name = format!("%w{}", self.next);
        self.text.push_str(&format!("      {name} = {text}\n"));
        name
    }

    fn index(&mut self, value: u64) -> String {
        self.make(&format!("arith.constant {value} : index"))
    }

    /// Returns the number of the iteration, as an index.
    fn number(&mut self, counter: Counter) -> String {
        match counter {
            Counter::Index => "%number".to_owned(),
            Counter::Tensor => self.make("arith.index_cast %number : i32 to index"),
        }
    }

    /// Returns the offset of the iteration's window. Front ends of tensors let it count from the end, and clamp it.
    fn offset(&mut self, windows: &Windows, counter: Counter) -> String {
        let (first, step) = (windows.first, windows.step);
        if counter == Counter::Index {
            let step = self.index(step);
            let moved = self.make(&format!("arith.muli %number, {step} : index"));
            let first = self.index(first);
            return self.make(&format!("arith.addi {moved}, {first} : index"));
        }
        let integer =
            |body: &mut Self, value: u64| body.make(&format!("arith.constant {value} : i32"));
        let dim = windows.dim.unwrap_or(0);
        let extent = windows.value.shape[dim];
        let size = if windows.dim.is_some() { step } else { 1 };
        let [zero, step, first, all] = [0, step, first, extent].map(|value| integer(self, value));
        let moved = self.make(&format!("arith.muli %number, {step} : i32"));
        let offset = self.make(&format!("arith.addi {moved}, {first} : i32"));
        let is_negative = self.make(&format!("arith.cmpi slt, {offset}, {zero} : i32"));
        let counted = self.make(&format!("arith.addi {offset}, {all} : i32"));
        let chosen = self.make(&format!(
            "arith.select {is_negative}, {counted}, {offset} : i32"
        ));
        let index = self.make(&format!("arith.index_cast {chosen} : i32 to index"));
        let [zero, most] = [0, extent - size].map(|value| self.index(value));
        let low = self.make(&format!("arith.maxsi {index}, {zero} : index"));
        self.make(&format!("arith.minsi {low}, {most} : index"))
    }

    /// Returns the window of an iteration, in the shape of the loop-carried value.
    fn window(&mut self, windows: &Windows, from: &Value, offset: &str) -> String {
        let rank = windows.value.shape.len();
        let at = windows.dim.unwrap_or(0);
        let mut sizes = windows.value.shape.clone();
        sizes[at] = if windows.dim.is_some() {
            windows.step
        } else {
            1
        };
        let offsets: Vec<&str> = (0..rank)
            .map(|dim| if dim == at { offset } else { "0" })
            .collect();
        let cut = slice(&offsets, &sizes);
        let (all, part) = (windows.value.ty(), ty(&sizes, from.element));
        let name = &windows.value.name;
        let window = self.make(&format!(
            "tensor.extract_slice {name}{cut} : {all} to {part}"
        ));
        match windows.dim {
            Some(_) => window,
            None => {
                let groups = in_front(&from.shape);
                let whole = from.ty();
                self.make(&format!(
                    "tensor.collapse_shape {window} {groups} : {part} into {whole}"
                ))
            }
        }
    }

    /// Returns the next loop-carried value: the negated tensor, or its sum with the window of the
    /// iteration.
    fn step(&mut self, from: &Value, read: &str, is_sum: bool) -> String {
        let rank = from.shape.len();
        let coordinates: Vec<String> = (0..rank).map(|id| format!("d{id}")).collect();
        let id = map(rank, &coordinates);
        let parallel = iterators(&vec![false; rank]);
        let (type_, element) = (from.ty(), from.element.name());
        let empty = self.make(&format!("tensor.empty() : {type_}"));
        let result = if is_sum {
            format!("%n = arith.negf %a : {element} %r = arith.addf %n, %b : {element}")
        } else {
            format!("%r = arith.negf %a : {element}")
        };
        self.make(&format!(
            "linalg.generic {{indexing_maps = [{id}, {id}, {id}], iterator_types = [{parallel}]}} \
             ins(%carried, {read} : {type_}, {type_}) outs({empty} : {type_}) {{ \
             ^bb0(%a: {element}, %b: {element}, %out: {element}): {result} \
             linalg.yield %r : {element} }} -> {type_}"
        ))
    }

    /// Inserts the tensor of an iteration at its position of `%stack`.
    fn stack(
        &mut self,
        from: &Value,
        stack: &Value,
        result_name: &str,
        counter: Counter,
    ) -> String {
        let number = self.number(counter);
        let sizes = [&[1], from.shape.as_slice()].concat();
        let groups = in_front(&from.shape);
        let extents: Vec<String> = sizes.iter().map(u64::to_string).collect();
        let extents = extents.join(", ");
        let (part, whole) = (ty(&sizes, from.element), stack.ty());
        let type_ = from.ty();
        let wide = self.make(&format!(
            "tensor.expand_shape {result_name} {groups} output_shape [{extents}] : {type_} into {part}"
        ));
        let offsets: Vec<&str> = (0..sizes.len())
            .map(|dim| if dim == 0 { number.as_str() } else { "0" })
            .collect();
        let cut = slice(&offsets, &sizes);
        self.make(&format!(
            "tensor.insert_slice {wide} into %stack{cut} : {part} into {whole}"
        ))
    }
}

fn slice(offsets: &[&str], sizes: &[u64]) -> String {
    let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
    let ones = vec!["1"; sizes.len()];
    format!(
        "[{}] [{}] [{}]",
        offsets.join(", "),
        sizes.join(", "),
        ones.join(", ")
    )
}

/// Returns the reassociation that adds or removes a leading dimension of extent 1.
fn in_front(shape: &[u64]) -> String {
    let others: Vec<String> = (2..=shape.len()).map(|dim| format!("[{dim}]")).collect();
    let first = "[0, 1]".to_owned();
    let groups = [vec![first], others].concat();
    format!("[{}]", groups.join(", "))
}

/// A tensor that a loop carries.
struct Carried {
    /// The name in the body.
    name: &'static str,
    init: String,
    ty: String,
    yielded: String,
}

/// Returns a text for each tensor that a loop carries, with commas between them.
fn listed(carried: &[Carried], show: impl Fn(&Carried) -> String) -> String {
    carried.iter().map(show).collect::<Vec<_>>().join(", ")
}

/// Adds an `scf.for`, and returns the names of its results.
fn by_index(draw: &mut Draw, trips: u64, body: &str, carried: &[Carried]) -> Vec<String> {
    let [zero, trips, one] =
        [0, trips, 1].map(|value| draw.hidden(&format!("arith.constant {value} : index")));
    let inits = listed(carried, |one| format!("{} = {}", one.name, one.init));
    let types = listed(carried, |one| one.ty.clone());
    let yielded = listed(carried, |one| one.yielded.clone());
    let count = carried.len();
    let result_name = draw.name();
    draw.line(&format!(
        "{result_name}:{count} = scf.for %number = {zero} to {trips} step {one} iter_args({inits}) -> ({types}) {{\n{body}      \
         scf.yield {yielded} : {types}\n    }}"
    ));
    (0..count).map(|at| format!("{result_name}#{at}")).collect()
}

/// Adds an `scf.while` that counts in a tensor of one integer, and returns the names of its results.
fn by_tensor(draw: &mut Draw, trips: u64, body: &str, carried: &[Carried]) -> Vec<String> {
    let zero = draw.hidden("arith.constant dense<0> : tensor<i32>");
    let [trips, one] = [trips, 1].map(|value| draw.number(&value.to_string(), Element::I32));
    let inits = listed(carried, |one| format!("{} = {}", one.name, one.init));
    let arguments = listed(carried, |one| format!("{}: {}", one.name, one.ty));
    let names = listed(carried, |one| one.name.to_owned());
    let types = listed(carried, |one| one.ty.clone());
    let yielded = listed(carried, |one| one.yielded.clone());
    let count = 1 + carried.len();
    let counter = |input: &str, result: &str, body: &str| {
        format!(
            "linalg.generic {{indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}} \
             ins({input} : tensor<i32>) outs(%e : tensor<{result}>) {{ ^bb0(%in: i32, %out: {result}): {body} \
             linalg.yield %r : {result} }} -> tensor<{result}>"
        )
    };
    let less = counter(
        "%i",
        "i1",
        &format!("%r = arith.cmpi slt, %in, {trips} : i32"),
    );
    let more = counter("%i", "i32", &format!("%r = arith.addi %in, {one} : i32"));
    let result_name = draw.name();
    draw.line(&format!(
        "{result_name}:{count} = scf.while (%i = {zero}, {inits}) : (tensor<i32>, {types}) -> (tensor<i32>, {types}) {{\n      \
         %e = tensor.empty() : tensor<i1>\n      %less = {less}\n      %go = tensor.extract %less[] : tensor<i1>\n      \
         scf.condition(%go) %i, {names} : tensor<i32>, {types}\n    }} do {{\n    ^bb0(%i: tensor<i32>, {arguments}):\n      \
         %number = tensor.extract %i[] : tensor<i32>\n{body}      %e = tensor.empty() : tensor<i32>\n      %more = {more}\n      \
         scf.yield %more, {yielded} : tensor<i32>, {types}\n    }}"
    ));
    (1..count).map(|at| format!("{result_name}#{at}")).collect()
}
