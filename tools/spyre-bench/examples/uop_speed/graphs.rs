//! Graphs of tensor programs, as tinygrad's front end writes them.
//!
//! Operands are not broadcast: a number and a row are reshaped and expanded. A quotient is written as a product with a
//! reciprocal, and an exponential as a power of 2.

use spyre_uop::schema::{Arg, Datum, FORMAT, File, Node, Slot, Text};

/// A tensor of the graph: the number of its node.
type Tensor = u64;

/// A graph that is being made. Its numbers are of 32 bits.
#[derive(Default)]
struct Maker {
    nodes: Vec<Node>,
    buffers: u32,
}

/// `(a + b) * c` of 1024 by 4096 elements.
pub(crate) fn sum_and_product() -> File {
    let mut make = Maker::default();
    let [a, b, c] = [0; 3].map(|_| make.buffer(&[1024, 4096]));
    let sum = make.binary("Add", a, b);
    make.binary("Mul", sum, c);
    make.finish("add_mul")
}

/// A softmax of 128 rows of 1024 elements.
pub(crate) fn softmax() -> File {
    let mut make = Maker::default();
    let x = make.buffer(&[128, 1024]);
    make.softmax(x);
    make.finish("softmax")
}

/// A layer norm of 128 rows of 1024 elements.
pub(crate) fn layer_norm() -> File {
    let mut make = Maker::default();
    let x = make.buffer(&[128, 1024]);
    let mean = make.mean(x);
    let centred = make.minus(x, mean);
    let square = make.binary("Mul", centred, centred);
    let variance = make.mean(square);
    let epsilon = make.number(1e-5, &[128, 1]);
    let variance = make.binary("Add", variance, epsilon);
    let root = make.unary("Sqrt", variance);
    let scale = make.unary("Recip", root);
    let scale = make.expand(scale, &[128, 1024]);
    make.binary("Mul", centred, scale);
    make.finish("layer_norm")
}

/// A product of two matrices of 256 by 256 elements.
pub(crate) fn matmul() -> File {
    let mut make = Maker::default();
    let [a, b] = [0; 2].map(|_| make.buffer(&[256, 256]));
    make.matmul(a, b);
    make.finish("matmul")
}

/// Attention of 4 heads over 64 positions, of 64 elements each.
pub(crate) fn attention() -> File {
    let mut make = Maker::default();
    let [q, k, v] = [0; 3].map(|_| make.buffer(&[1, 4, 64, 64]));
    let k = make.permute(k, &[0, 1, 3, 2]);
    let scores = make.matmul(q, k);
    let scale = make.number(0.125, &[1, 4, 64, 64]);
    let scores = make.binary("Mul", scores, scale);
    let weights = make.softmax(scores);
    make.matmul(weights, v);
    make.finish("attention")
}

/// A chain of `count` nodes, each computed from the one before it: most are elementwise, one in eight is a movement or
/// a reduction.
pub(crate) fn chain(count: usize) -> File {
    let mut make = Maker::default();
    let mut x = make.buffer(&[64, 128]);
    while make.nodes.len() < count {
        x = match make.nodes.len() % 8 {
            0 => make.permute(x, &[1, 0]),
            1 => {
                let sum = make.reduce("Add", x, 1);
                let shape = make.shape(x);
                make.expand(sum, &shape)
            }
            number => make.unary(["Sqrt", "Neg", "Recip"][number % 3], x),
        };
    }
    make.finish("chain")
}

impl Maker {
    fn finish(self, name: &str) -> File {
        File {
            format: FORMAT.into(),
            name: name.into(),
            category: "speed".into(),
            description: String::new(),
            oracle: None,
            devices: None,
            result: self.nodes.last().map(|node| node.id),
            nodes: self.nodes,
            inputs: None,
            outputs: None,
            simplified_mm: None,
            simplified_text: None,
            rangeify: None,
        }
    }

    fn node(&mut self, op: &str, shape: &[u64], src: &[Tensor], arg: Arg) -> Tensor {
        let id = self.nodes.len() as u64;
        let (shape, src) = (Some(shape.to_vec()), src.to_vec());
        self.nodes
            .push(Node::new(id, op, Text::new_static("f32"), shape, src, arg));
        id
    }

    fn shape(&self, x: Tensor) -> Vec<u64> {
        let number = usize::try_from(x).expect("nodes are counted");
        let shape = self.nodes[number].shape.clone();
        shape.expect("every node here is a tensor")
    }

    fn buffer(&mut self, shape: &[u64]) -> Tensor {
        let arg = Arg {
            slot: Some(Slot::Number(self.buffers)),
            ..Arg::default()
        };
        self.buffers += 1;
        self.node("Buffer", shape, &[], arg)
    }

    /// A number, as a tensor.
    fn number(&mut self, value: f64, shape: &[u64]) -> Tensor {
        let arg = Arg {
            value: Some(Datum::Float(value)),
            ..Arg::default()
        };
        let number = self.node("Const", &[], &[], arg);
        let number = self.reshape(number, &vec![1; shape.len()]);
        self.expand(number, shape)
    }

    fn unary(&mut self, op: &str, x: Tensor) -> Tensor {
        let shape = self.shape(x);
        self.node(op, &shape, &[x], Arg::default())
    }

    fn binary(&mut self, op: &str, a: Tensor, b: Tensor) -> Tensor {
        let shape = self.shape(a);
        self.node(op, &shape, &[a, b], Arg::default())
    }

    fn shaped(&mut self, op: &str, x: Tensor, shape: &[u64]) -> Tensor {
        if self.shape(x) == shape {
            return x;
        }
        let arg = Arg {
            shape: Some(shape.to_vec()),
            ..Arg::default()
        };
        self.node(op, shape, &[x], arg)
    }

    fn reshape(&mut self, x: Tensor, shape: &[u64]) -> Tensor {
        self.shaped("Reshape", x, shape)
    }

    fn expand(&mut self, x: Tensor, shape: &[u64]) -> Tensor {
        self.shaped("Expand", x, shape)
    }

    fn permute(&mut self, x: Tensor, perm: &[usize]) -> Tensor {
        let extents = self.shape(x);
        let shape: Vec<u64> = perm.iter().map(|axis| extents[*axis]).collect();
        let arg = Arg {
            perm: Some(perm.iter().map(|axis| *axis as u64).collect()),
            ..Arg::default()
        };
        self.node("Permute", &shape, &[x], arg)
    }

    fn reduce(&mut self, op: &str, x: Tensor, axis: usize) -> Tensor {
        let mut shape = self.shape(x);
        shape[axis] = 1;
        let arg = Arg {
            op: Some(op.into()),
            axes: Some(vec![Datum::Natural(axis as u64)]),
            ..Arg::default()
        };
        self.node("Reduce", &shape, &[x], arg)
    }

    /// `a` without `b`, which is one element of each row.
    fn minus(&mut self, a: Tensor, b: Tensor) -> Tensor {
        let shape = self.shape(a);
        let b = self.expand(b, &shape);
        let minus = self.number(-1.0, &shape);
        let negative = self.binary("Mul", b, minus);
        self.binary("Add", a, negative)
    }

    fn mean(&mut self, x: Tensor) -> Tensor {
        let axis = self.shape(x).len() - 1;
        let extent = self.shape(x)[axis];
        let sum = self.reduce("Add", x, axis);
        let shape = self.shape(sum);
        let part = self.number(1.0 / extent as f64, &shape);
        self.binary("Mul", sum, part)
    }

    fn softmax(&mut self, x: Tensor) -> Tensor {
        let shape = self.shape(x);
        let axis = shape.len() - 1;
        let largest = self.reduce("Max", x, axis);
        let largest = self.unary("Detach", largest);
        let below = self.minus(x, largest);
        let base = self.number(std::f64::consts::LOG2_E, &shape);
        let exponent = self.binary("Mul", below, base);
        let power = self.unary("Exp2", exponent);
        let sum = self.reduce("Add", power, axis);
        let part = self.unary("Recip", sum);
        let part = self.expand(part, &shape);
        self.binary("Mul", power, part)
    }

    /// A product of matrices, for each of the leading positions: a product of all pairs, and a sum.
    fn matmul(&mut self, a: Tensor, b: Tensor) -> Tensor {
        let (left, right) = (self.shape(a), self.shape(b));
        let rank = left.len();
        let (rows, inner, columns) = (left[rank - 2], left[rank - 1], right[rank - 1]);
        let lead = &left[..rank - 2];
        let with = |tail: &[u64]| [lead, tail].concat();
        let a = self.reshape(a, &with(&[rows, 1, inner]));
        let a = self.expand(a, &with(&[rows, columns, inner]));
        let mut perm: Vec<usize> = (0..rank).collect();
        perm.swap(rank - 2, rank - 1);
        let b = self.permute(b, &perm);
        let b = self.reshape(b, &with(&[1, columns, inner]));
        let b = self.expand(b, &with(&[rows, columns, inner]));
        let product = self.binary("Mul", a, b);
        let sum = self.reduce("Add", product, rank);
        self.reshape(sum, &with(&[rows, columns]))
    }
}
