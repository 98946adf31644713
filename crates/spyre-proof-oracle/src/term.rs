//! Terms: what an element is computed from, as a graph without repetitions.
//!
//! Two elements are equal if they have the same term. A reduction is a multiset of the operands of its points, so the
//! order of its terms does not matter. There are two equalities: that of the operations (an operation of one program is
//! an operation of the other, and only parts of reductions are added up), and that of the numbers by all laws of the
//! combiners ([`Terms::value`]): associative, commutative, with identities.

use rustc_hash::{FxHashMap, FxHashSet};
use spyre_proof::program::OpKey;

use crate::law::{Law, commutes, law, law_of_combiner};

/// A term, by its number in [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

/// The parts of a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// An element that nothing has written.
    Undefined,
    /// An element of an argument.
    Argument(u32, Vec<i64>),
    /// A constant, by its name.
    Constant(String),
    /// An element of which nothing is known: equal to itself alone.
    Opaque(u32),
    /// The result of an operation, with its number among the results.
    Operation(OpKey, usize, Vec<Term>),
    /// The elements along a dimension of which a gather takes one.
    Row(Vec<Term>),
    /// The operands of the points of a reduction, sorted; each a [`Node::Point`].
    Reduction(OpKey, usize, Vec<Term>),
    /// The operands of one point of a reduction.
    Point(Vec<Term>),
    /// What is added up by a combiner, sorted: of values only.
    Combined(&'static str, Vec<Term>),
}

/// All terms.
#[derive(Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    of: FxHashMap<Node, Term>,
    values: FxHashMap<Term, Term>,
    undefined: FxHashMap<Term, bool>,
    opaque: u32,
}

impl Terms {
    /// Returns the term of a node.
    ///
    /// # Panics
    /// There are 2^32 or more.
    pub fn of(&mut self, node: Node) -> Term {
        if let Some(term) = self.of.get(&node) {
            return *term;
        }
        let term = Term(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        self.nodes.push(node.clone());
        self.of.insert(node, term);
        term
    }

    /// Returns a term that is equal to itself alone.
    pub fn opaque(&mut self) -> Term {
        self.opaque += 1;
        self.of(Node::Opaque(self.opaque))
    }

    /// Returns the term of an element that nothing has written.
    pub fn undefined(&mut self) -> Term {
        self.of(Node::Undefined)
    }

    /// Returns the parts of a term.
    #[must_use]
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    /// Returns whether nothing has written the element.
    #[must_use]
    pub fn is_undefined(&self, term: Term) -> bool {
        *self.node(term) == Node::Undefined
    }

    /// Returns whether an element that nothing has written is part of the term.
    pub fn has_undefined(&mut self, term: Term) -> bool {
        if let Some(known) = self.undefined.get(&term) {
            return *known;
        }
        let has = match self.node(term).clone() {
            Node::Undefined => true,
            Node::Argument(..) | Node::Constant(_) | Node::Opaque(_) => false,
            Node::Operation(.., of)
            | Node::Reduction(.., of)
            | Node::Row(of)
            | Node::Point(of)
            | Node::Combined(_, of) => of.into_iter().any(|at| self.has_undefined(at)),
        };
        self.undefined.insert(term, has);
        has
    }

    /// Returns the term of an operation on one point. Exchanged operands are the same term where the operation allows.
    pub fn operation(&mut self, key: &OpKey, result: usize, mut operands: Vec<Term>) -> Term {
        if let Some(folded) = self.folded(key, &operands) {
            return folded;
        }
        if commutes(&key.name) {
            operands.sort_unstable();
        }
        self.of(Node::Operation(key.clone(), result, operands))
    }

    /// Returns the operand that an operation of one point is equal to: of two equal ones, or of what is undone or changes
    /// nothing the second time.
    fn folded(&self, key: &OpKey, operands: &[Term]) -> Option<Term> {
        let equal = |first: usize, second: usize| {
            (operands.get(first)? == operands.get(second)?).then(|| operands[first])
        };
        let inner = |operand: &Term| match self.node(*operand) {
            Node::Operation(of, _, operands) if of == key => Some(operands.clone()),
            _ => None,
        };
        match key.name.as_str() {
            "maximum" | "minimum" => equal(0, 1),
            "where3" => equal(1, 2),
            "neg" => inner(operands.first()?)?.first().copied(),
            "abs" | "floor" | "relufwd" | "relu6fwd" => {
                inner(operands.first()?)?;
                operands.first().copied()
            }
            _ => None,
        }
    }

    /// Returns whether the term of an operation on points is a part of an operand, by a law.
    pub(crate) fn is_folded(&self, key: &OpKey, points: &[Vec<Term>]) -> bool {
        matches!(points, [operands] if self.folded(key, operands).is_some())
    }

    /// Returns whether `part` is part of a term.
    pub(crate) fn depends_on(&self, term: Term, part: Term) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if term == part {
                return true;
            }
            if !seen.insert(term) {
                continue;
            }
            match self.node(term) {
                Node::Undefined | Node::Argument(..) | Node::Constant(_) | Node::Opaque(_) => {}
                Node::Operation(.., of)
                | Node::Reduction(.., of)
                | Node::Row(of)
                | Node::Point(of)
                | Node::Combined(_, of) => open.extend(of),
            }
        }
        false
    }

    /// Returns the term of a reduction of points, each with its operands.
    pub fn reduction(&mut self, key: &OpKey, result: usize, points: Vec<Vec<Term>>) -> Term {
        let points = points.into_iter();
        let mut points: Vec<_> = points
            .map(|operands| self.of(Node::Point(operands)))
            .collect();
        points.sort_unstable();
        self.of(Node::Reduction(key.clone(), result, points))
    }

    /// Returns the reduction of the points of both terms, if `name` adds up parts of such reductions. A constant that
    /// is the identity has no points.
    pub fn combination(&mut self, name: &str, a: Term, b: Term) -> Option<Term> {
        if a == b && law_of_combiner(name).is_some_and(|law| law.is_idempotent) {
            return Some(a);
        }
        let (key, result, mut points) = match (self.node(a), self.node(b)) {
            (Node::Reduction(key, result, points), Node::Reduction(other, number, more)) => {
                if (key, result) != (other, number) {
                    return None;
                }
                (key, *result, [&points[..], &more[..]].concat())
            }
            (Node::Reduction(key, result, points), Node::Constant(constant))
            | (Node::Constant(constant), Node::Reduction(key, result, points)) => {
                let law = law(&key.name)?;
                if !law.identities.contains(&&constant[..]) {
                    return None;
                }
                (key, *result, points.clone())
            }
            _ => return None,
        };
        if law(&key.name)?.combiner != name {
            return None;
        }
        points.sort_unstable();
        let key = key.clone();
        Some(self.of(Node::Reduction(key, result, points)))
    }

    /// Returns whether a term is a reduction of some of the points of `whole`.
    #[must_use]
    pub fn is_part(&self, term: Term, whole: Term) -> bool {
        let (Node::Reduction(key, result, part), Node::Reduction(other, number, all)) =
            (self.node(term), self.node(whole))
        else {
            return false;
        };
        let mut rest = all.iter();
        // Both are sorted.
        (key, result) == (other, number)
            && part.iter().all(|point| rest.any(|of_all| of_all == point))
    }

    /// Returns whether a term is, by the laws of a combiner, the sum of some of the terms of a reduction: an operation
    /// that adds up elements of parts that the program before has as well, such as sums of one term, or a part in which
    /// equal terms of a maximum are there more often.
    pub fn is_sum_of_part(&mut self, term: Term, whole: Term) -> bool {
        let Node::Reduction(of, ..) = self.node(whole) else {
            return false;
        };
        let Some(Law { combiner, .. }) = law(&of.name) else {
            return false;
        };
        let is_sum = match self.node(term) {
            Node::Operation(key, ..) => key.name == combiner,
            Node::Reduction(key, ..) => key == of,
            _ => false,
        };
        if !is_sum {
            return false;
        }
        let [part, all] = [term, whole].map(|term| {
            let value = self.value(term);
            match self.node(value) {
                Node::Combined(name, of) if *name == combiner => of.clone(),
                _ => vec![value],
            }
        });
        // Both are sorted.
        let mut rest = all.iter();
        part.iter().all(|term| rest.any(|of_all| of_all == term))
    }

    /// Returns the term by all laws of the combiners.
    ///
    /// # Panics
    /// Never: a term is built of earlier ones.
    pub fn value(&mut self, term: Term) -> Term {
        if let Some(value) = self.values.get(&term) {
            return *value;
        }
        let value = match self.node(term).clone() {
            Node::Operation(key, result, operands) => {
                let operands: Vec<_> = operands.into_iter().map(|at| self.value(at)).collect();
                match law_of_combiner(&key.name) {
                    Some(law) => self.combined(law, operands),
                    None => self.operation(&key, result, operands),
                }
            }
            Node::Reduction(key, result, points) => self.reduced(&key, result, &points),
            Node::Row(row) => {
                let row = row.into_iter().map(|at| self.value(at)).collect();
                self.of(Node::Row(row))
            }
            _ => term,
        };
        self.values.insert(term, value);
        value
    }

    fn reduced(&mut self, key: &OpKey, result: usize, points: &[Term]) -> Term {
        let mut operands = Vec::with_capacity(points.len());
        for point in points {
            let Node::Point(of_point) = self.node(*point).clone() else {
                unreachable!("a reduction consists of points");
            };
            let of_point: Vec<_> = of_point.into_iter().map(|at| self.value(at)).collect();
            operands.push(of_point);
        }
        let Some(law) = law(&key.name) else {
            return self.reduction(key, result, operands);
        };
        let mut terms = Vec::with_capacity(operands.len());
        for of_point in operands {
            let product = law_of_combiner("mul").expect("mul is a combiner");
            terms.push(match (&key.name[..], &of_point[..]) {
                ("absmax", _) => {
                    let name = "absolute".to_owned();
                    let key = OpKey {
                        name,
                        attributes: Vec::new(),
                        elements: Vec::new(),
                    };
                    self.operation(&key, 0, of_point)
                }
                (_, [one]) => *one,
                _ => self.combined(product, of_point),
            });
        }
        self.combined(law, terms)
    }

    fn combined(&mut self, law: Law, operands: Vec<Term>) -> Term {
        let mut terms = Vec::with_capacity(operands.len());
        for operand in operands {
            match self.node(operand) {
                Node::Combined(name, of) if *name == law.combiner => terms.extend(of),
                _ => terms.push(operand),
            }
        }
        // Zero is an identity of maxima of absolute values.
        let is_absolute = law.combiner == "maximum"
            && terms.iter().any(|term| {
                matches!(self.node(*term), Node::Operation(key, ..) if key.name == "absolute")
            });
        let absmax = crate::law::law("absmax").expect("absmax is a reduction");
        let identities = if is_absolute {
            absmax.identities
        } else {
            law.identities
        };
        terms.retain(|term| {
            !matches!(self.node(*term), Node::Constant(name) if identities.contains(&&name[..]))
        });
        terms.sort_unstable();
        if law.is_idempotent {
            terms.dedup();
        }
        match terms[..] {
            [] => self.of(Node::Constant(law.identities[0].to_owned())),
            [one] => one,
            _ => self.of(Node::Combined(law.combiner, terms)),
        }
    }

    /// Returns a term as text, to a depth.
    #[must_use]
    pub fn text(&self, term: Term, depth: usize) -> String {
        let list = |terms: &[Term], separator: &str| {
            if depth == 0 {
                return "..".to_owned();
            }
            let terms: Vec<_> = terms.iter().map(|at| self.text(*at, depth - 1)).collect();
            terms.join(separator)
        };
        match self.node(term) {
            Node::Undefined => "undefined".to_owned(),
            Node::Argument(at, element) => format!("arg{at}{element:?}"),
            Node::Constant(name) => name.clone(),
            Node::Opaque(at) => format!("opaque{at}"),
            Node::Operation(key, 0, operands) => format!("{}({})", key.name, list(operands, ", ")),
            Node::Operation(key, at, operands) => {
                format!("{}#{at}({})", key.name, list(operands, ", "))
            }
            Node::Row(row) => format!("row({})", list(row, ", ")),
            Node::Reduction(key, _, points) => format!("{}{{{}}}", key.name, list(points, "; ")),
            Node::Point(operands) => list(operands, ", "),
            Node::Combined(name, of) => format!("{name}{{{}}}", list(of, "; ")),
        }
    }
}
