//! Draws operations that compute elements.

use super::values::{is_float, is_integer};
use super::{DTYPES, Draw, Node, elements};

/// Returns whether an operation takes an element type.
type Takes = fn(&str) -> bool;

/// Operations on one element, with the types that they take.
const UNARY: [(&str, Takes); 4] = [
    ("Recip", is_float),
    ("Trunc", is_float),
    ("Neg", is_number),
    ("Not", is_bool),
];

/// Functions of floats that are approximated.
const NEAR: [&str; 6] = ["Exp2", "Log2", "Sin", "Sqrt", "Div", "Pow"];

/// Operations on two elements.
const BINARY: [(&str, Takes); 20] = [
    ("Add", is_any),
    ("Mul", is_any),
    ("Max", is_any),
    ("Sub", is_number),
    ("Idiv", is_integer),
    ("Mod", is_integer),
    ("CDiv", is_integer),
    ("CMod", is_integer),
    ("CmpLt", is_any),
    ("CmpNe", is_any),
    ("CmpEq", is_any),
    ("CmpGt", is_any),
    ("CmpGe", is_any),
    ("CmpLe", is_any),
    ("Xor", is_bits),
    ("Or", is_bits),
    ("And", is_bits),
    ("Shl", is_integer),
    ("Shr", is_integer),
    ("Threefry", is_u64),
];

fn is_any(_: &str) -> bool {
    true
}

fn is_number(dtype: &str) -> bool {
    !is_bool(dtype)
}

fn is_bool(dtype: &str) -> bool {
    dtype == "bool"
}

fn is_bits(dtype: &str) -> bool {
    !is_float(dtype)
}

fn is_u64(dtype: &str) -> bool {
    dtype == "u64"
}

impl Draw {
    /// Adds a node, or a few.
    pub(super) fn step(&mut self) {
        match self.numbers.below(11) {
            0..=2 => self.movement(),
            3 => self.unary(),
            4 | 5 => self.binary(),
            6 => self.ternary(),
            7 => self.convert(),
            8 => self.reduce(),
            9 => self.product(),
            _ => self.near(),
        }
    }

    /// Returns another operand of the type and shape of a node.
    fn operand(&mut self, like: usize) -> usize {
        let Node {
            dtype, ref shape, ..
        } = self.nodes[like];
        let shape = shape.clone();
        match self.numbers.below(4) {
            0 if dtype != "index" => self.buffer(dtype, &shape),
            1 => self.constant(dtype, &shape),
            _ => {
                let is_match =
                    |node: &Node| !node.is_near && node.dtype == dtype && node.shape == shape;
                self.pick(is_match).expect("the node is one itself")
            }
        }
    }

    fn unary(&mut self) {
        let (op, takes) = self.numbers.pick(&UNARY);
        if let Some(source) = self.pick(|node| !node.is_near && takes(node.dtype)) {
            let Node {
                dtype, ref shape, ..
            } = self.nodes[source];
            let shape = shape.clone();
            self.add(op, dtype, &shape, &[source], "");
        }
    }

    fn binary(&mut self) {
        let (op, takes) = self.numbers.pick(&BINARY);
        if let Some(first) = self.pick(|node| !node.is_near && takes(node.dtype)) {
            let second = self.operand(first);
            let (first, second) = if self.numbers.one_in(2) {
                (first, second)
            } else {
                (second, first)
            };
            let Node {
                dtype, ref shape, ..
            } = self.nodes[first];
            let (shape, result) = (
                shape.clone(),
                if op.starts_with("Cmp") { "bool" } else { dtype },
            );
            self.add(op, result, &shape, &[first, second], "");
        }
    }

    fn ternary(&mut self) {
        let Some(first) = self.pick(|node| !node.is_near) else {
            return; // All values are approximated.
        };
        let second = self.operand(first);
        let Node {
            dtype, ref shape, ..
        } = self.nodes[first];
        let shape = shape.clone();
        if self.numbers.one_in(2) {
            let third = self.operand(first);
            self.add("Mulacc", dtype, &shape, &[first, second, third], "");
            return;
        }
        let predicate =
            self.pick(|node| !node.is_near && node.dtype == "bool" && node.shape == shape);
        let predicate = predicate.unwrap_or_else(|| self.buffer("bool", &shape));
        self.add("Where", dtype, &shape, &[predicate, first, second], "");
    }

    fn convert(&mut self) {
        let Some(source) = self.pick(|node| !node.is_near) else {
            return; // All values are approximated.
        };
        let Node {
            dtype, ref shape, ..
        } = self.nodes[source];
        let shape = shape.clone();
        let to = self.numbers.pick(&DTYPES);
        if self.numbers.one_in(2) {
            let to = if self.numbers.one_in(8) { "index" } else { to };
            self.add(
                "Cast",
                to,
                &shape,
                &[source],
                &format!("\"dtype\":\"{to}\""),
            );
            return;
        }
        let width = |dtype: &str| match dtype {
            "i8" | "u8" => 1,
            "i16" | "u16" | "f16" | "bf16" => 2,
            "i32" | "u32" | "f32" => 4,
            _ => 8,
        };
        let has_bytes = |dtype: &str| dtype != "bool" && dtype != "index";
        let mut result_shape = shape;
        let (from, bytes) = (width(dtype), width(to));
        let fits = match result_shape.last_mut() {
            None => from == bytes,
            Some(extent) if (*extent * from).is_multiple_of(bytes) => {
                *extent = *extent * from / bytes;
                true
            }
            Some(_) => false,
        };
        if has_bytes(dtype) && has_bytes(to) && fits {
            self.add(
                "Bitcast",
                to,
                &result_shape,
                &[source],
                &format!("\"dtype\":\"{to}\""),
            );
        }
    }

    fn reduce(&mut self) {
        let Some(source) = self.pick(|node| !node.is_near && !node.shape.is_empty()) else {
            return; // There is no axis.
        };
        let Node {
            dtype, ref shape, ..
        } = self.nodes[source];
        let mut shape = shape.clone();
        let mut axes: Vec<usize> = (0..shape.len())
            .filter(|_| self.numbers.one_in(2))
            .collect();
        if axes.is_empty() {
            axes.push(self.numbers.index(shape.len()));
        }
        let op = self.numbers.pick(&["Add", "Max", "Mul"]);
        if self.numbers.one_in(3) {
            // Reduced axes in another order are terms in another order.
            self.numbers.shuffle(&mut axes);
            return self.reduced_in_front(source, op, &axes);
        }
        for axis in &axes {
            shape[*axis] = 1;
        }
        // An axis of extent 0 has become one element.
        if elements(&shape) <= super::MOST_ELEMENTS {
            self.add(
                "Reduce",
                dtype,
                &shape,
                &[source],
                &format!("\"op\":\"{op}\",\"axes\":{axes:?}"),
            );
        }
    }

    /// Adds a function of inputs.
    fn near(&mut self) {
        let op = self.numbers.pick(&NEAR);
        let Some(first) = self.pick(|node| node.is_moderate) else {
            return; // There is no input of moderate size.
        };
        let Node {
            dtype, ref shape, ..
        } = self.nodes[first];
        let shape = shape.clone();
        let mut sources = vec![first];
        if matches!(op, "Div" | "Pow") {
            let is_match =
                |node: &Node| node.is_moderate && node.dtype == dtype && node.shape == shape;
            sources.push(self.pick(is_match).expect("the node is one itself"));
        }
        let id = self.add(op, dtype, &shape, &sources, "");
        self.nodes[id].is_near = true;
    }
}
