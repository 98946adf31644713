//! The costs that the middle-end specification, section 2.5, expects of square matrices.
//!
//! Each matrix is S x S with its stick on dimension 1, if it is an argument. A sum can have its stick
//! on dimension 0 or 1 and reads its operands with the same. A product reads its operands with the
//! stick on their dimension 1, and gives its result so.

use spyre_plan::restickify::{DEFAULT_WIDTH, optimize};

use crate::model::{Model, Rule};

const SIZE: u64 = 256 * 256;

/// A matrix in an expression.
#[derive(Clone, Copy)]
enum Matrix {
    /// An argument or a product: the stick is on dimension 1.
    Fixed(usize),
    /// The same, transposed.
    FixedTransposed(usize),
    Sum(usize),
    SumTransposed(usize),
}

use Matrix::{Fixed, FixedTransposed, Sum, SumTransposed};

impl Matrix {
    fn t(self) -> Self {
        match self {
            Fixed(node) => FixedTransposed(node),
            FixedTransposed(node) => Fixed(node),
            Sum(node) => SumTransposed(node),
            SumTransposed(node) => Sum(node),
        }
    }

    /// As an operand of a sum.
    fn added(self) -> (usize, Rule) {
        match self {
            Fixed(node) => (node, Rule::From(1)),
            FixedTransposed(node) => (node, Rule::From(0)),
            Sum(node) => (node, Rule::Same),
            SumTransposed(node) => (node, Rule::Transposed),
        }
    }

    /// As an operand of a product.
    fn multiplied(self) -> (usize, Rule) {
        match self {
            Fixed(node) => (node, Rule::Any),
            FixedTransposed(node) => (node, Rule::Always),
            Sum(node) => (node, Rule::Stick(1)),
            SumTransposed(node) => (node, Rule::Stick(0)),
        }
    }
}

#[derive(Default)]
struct Expression(Model);

impl Expression {
    fn arguments<const N: usize>(&mut self) -> [Matrix; N] {
        std::array::from_fn(|_| Fixed(self.0.add(&[SIZE], &[])))
    }

    fn add(&mut self, x: Matrix, y: Matrix) -> Matrix {
        Sum(self.0.add(&[SIZE; 2], &[x.added(), y.added()]))
    }

    fn mul(&mut self, x: Matrix, y: Matrix) -> Matrix {
        Fixed(self.0.add(&[SIZE], &[x.multiplied(), y.multiplied()]))
    }
}

/// The cost in matrices, and the values that are copied.
#[track_caller]
fn expect<const N: usize>(
    build: impl FnOnce(&mut Expression, [Matrix; N]) -> Matrix,
    matrices: u64,
) -> Vec<usize> {
    let mut expression = Expression::default();
    let arguments = expression.arguments();
    build(&mut expression, arguments);
    let graph = expression.0.graph();
    let choice = optimize(&graph, DEFAULT_WIDTH).unwrap();
    assert_eq!(choice.cost.get(), matrices * SIZE);
    assert!(choice.is_optimal());
    let copies = graph.restickifies(&choice.candidates).unwrap();
    copies.iter().map(|copy| copy.producer.index()).collect()
}

#[test]
fn sums_of_transposed_matrices() {
    // a.t() + x
    expect(|e, [a, x]| e.add(a.t(), x), 1);
    // a.t() + b.t() + x: x is flipped, instead of a and b.
    let copied = expect(
        |e, [a, b, x]| {
            let ab = e.add(a.t(), b.t());
            e.add(ab, x)
        },
        1,
    );
    assert_eq!(copied, [2]);
    // a.t() + x + b.t() + y
    expect(
        |e, [a, x, b, y]| {
            let ax = e.add(a.t(), x);
            let axb = e.add(ax, b.t());
            e.add(axb, y)
        },
        2,
    );
}

#[test]
fn products() {
    assert_eq!(expect(|e, [x, y]| e.mul(x, y), 0), []);
    assert_eq!(expect(|e, [x, y]| e.mul(x.t(), y), 1), [0]);
    assert_eq!(expect(|e, [x, y]| e.mul(x, y.t()), 1), [1]);
    assert_eq!(expect(|e, [x, y]| e.mul(x.t(), y.t()), 2), [0, 1]);
    // (a @ b) @ c
    let copied = expect(
        |e, [a, b, c]| {
            let ab = e.mul(a, b);
            e.mul(ab, c)
        },
        0,
    );
    assert_eq!(copied, []);
}

#[test]
fn products_with_sums() {
    // a @ (b + c.t())
    let copied = expect(
        |e, [a, b, c]| {
            let sum = e.add(b, c.t());
            e.mul(a, sum)
        },
        1,
    );
    assert_eq!(copied, [2]);
    // a.t() @ (b + c.t())
    let mut copied = expect(
        |e, [a, b, c]| {
            let sum = e.add(b, c.t());
            e.mul(a.t(), sum)
        },
        2,
    );
    copied.sort_unstable();
    assert_eq!(copied, [0, 2]);
    // (b.t() + c.t()).t() @ a: no copy is needed, as the sum has its stick where the product wants it.
    let copied = expect(
        |e, [a, b, c]| {
            let sum = e.add(b.t(), c.t());
            e.mul(sum.t(), a)
        },
        0,
    );
    assert_eq!(copied, []);
}

#[test]
fn readers_share_a_copy() {
    // x.t() @ y and x.t() @ z read the same copy of x.
    let copied = expect(
        |e, [x, y, z]| {
            e.mul(x.t(), y);
            e.mul(x.t(), z)
        },
        1,
    );
    assert_eq!(copied, [0]);
}
