//! The element of its root that a movement reads: one index expression, and the bounds within which there is an
//! element.

use std::collections::BTreeSet;

use spyre_index_expr::{Atom, Expr, Overflow};
use spyre_uop::graph::Graph;
use spyre_uop::ids::NodeId;

use super::compose::{is_movement, shape};
use super::to_linalg::view::{Bound, View, flat, simple};

/// The element that a value reads through movements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reads {
    /// The position of the element, row by row, as a function of the coordinates `d0`, `d1`, ...
    pub position: Expr,
    /// The bounds within which the source has an element; the view is 0 elsewhere, in padding.
    valid: Vec<Bound>,
}

impl Reads {
    /// Composes the movements that end at a node; `None` if the node is no movement.
    ///
    /// # Errors
    /// An index is too large.
    pub fn of(graph: &Graph, node: NodeId) -> Result<Option<Self>, Overflow> {
        let mut movements = Vec::new();
        let mut root = node;
        while is_movement(&graph.node(root).op) {
            movements.push(&graph.node(root).op);
            root = graph.node(root).sources[0];
        }
        if movements.is_empty() {
            return Ok(None);
        }
        let whole = shape(graph, root);
        let mut view = View::whole(&whole);
        for movement in movements.into_iter().rev() {
            view = view.moved(movement)?;
        }
        let position = simple(&flat(&view.at, &whole)?, &view.shape)?;
        let valid = view.valid.iter().map(Bound::of_terms);
        Ok(Some(Self {
            position,
            valid: valid.collect::<Result<_, _>>()?,
        }))
    }

    /// Returns the number of operations that compute the position: sums, products, quotients, remainders and comparisons, with
    /// equal operations counted once.
    #[must_use]
    pub fn operations(&self) -> usize {
        let mut counter = Counter::default();
        counter.add(&self.position);
        let mut comparisons = 0;
        for bound in &self.valid {
            counter.add(&bound.expr);
            comparisons += usize::from(bound.low.is_some()) + usize::from(bound.high.is_some());
        }
        counter.operations + comparisons
    }
}

/// Counts the operations of index expressions.
#[derive(Default)]
struct Counter {
    seen: BTreeSet<Expr>,
    operations: usize,
}

impl Counter {
    fn add(&mut self, expr: &Expr) {
        if !self.seen.insert(expr.clone()) {
            return; // It has been computed.
        }
        let mut summands = usize::from(expr.offset() != 0);
        for (atoms, factor) in expr.terms() {
            summands += 1;
            self.operations += atoms.len() - 1 + usize::from(factor != 1);
            for atom in atoms {
                self.atom(atom);
            }
        }
        self.operations += summands.saturating_sub(1);
    }

    fn atom(&mut self, atom: &Atom) {
        let (operations, operands): (usize, &[Expr]) = match atom {
            Atom::Var(_) => return,
            Atom::Quotient(operands) | Atom::Remainder(operands) => (1, &operands[..]),
            Atom::Digit(operands) => {
                let divides = operands[1].as_constant() != Some(1);
                (1 + usize::from(divides), &operands[..])
            }
            Atom::Max(operands) | Atom::Min(operands) => (operands.len() - 1, operands),
            Atom::Abs(operands) => (1, &operands[..]),
        };
        // An atom is an expression of itself.
        if !self.seen.insert(Expr::atom(atom.clone())) {
            return; // It has been computed.
        }
        self.operations += operations;
        for operand in operands {
            self.add(operand);
        }
    }
}
