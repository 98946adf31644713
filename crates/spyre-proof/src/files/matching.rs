//! Which dimension of the file is which of the operation.
//!
//! Files have names for dimensions, and no other relation to the operation. Every bijection for which all addresses are
//! equal proves them equal. Extents, divisions and the tensors that move along a dimension leave one, but for
//! dimensions that are alike.

use crate::expr::Var;
use crate::memory::STICK;
use crate::program::{Program, Statement};

use super::operation::{Dim, Fault, Operation, wrong};

/// The most bijections that are compared.
const MOST: usize = 512;
/// Elements of 16 bits in a stick.
const SHORT_STICK: i64 = 64;
/// The most bijections that are tried, the likeliest first.
const TRIED: usize = 6;

/// For each dimension of the file, that of the iteration space of the operation.
pub(super) type Matching = Vec<Option<usize>>;

/// Returns the bijections that are possible, the likeliest first; at least one.
///
/// # Errors
/// A dimension of the operation is none of the file.
pub(super) fn matchings(
    program: &Program,
    statement: &Statement,
    operation: &Operation,
) -> Result<Vec<Matching>, Fault> {
    let mut search = Search {
        operation,
        extents: statement
            .space
            .iter()
            .map(|extent| program.largest(*extent))
            .collect(),
        product: (&statement.key.name[..] == "batchmatmul").then_some(statement.space.len()),
        of: vec![None; operation.dims.len()],
        matchings: Vec::new(),
        farthest: 0,
    };
    search.extend(0);
    if search.matchings.is_empty() {
        return search.unmatched();
    }
    let mut scored: Vec<_> = search
        .matchings
        .into_iter()
        .map(|of| (score(statement, operation, &of), of))
        .collect();
    scored.sort_by_key(|(score, _)| *score);
    let best = scored[0].0.0;
    // Others than the best disagree with the file in more than addresses.
    let likely = scored
        .into_iter()
        .filter(|(score, _)| score.0 == best)
        .map(|(_, of)| of);
    Ok(likely.take(TRIED).collect())
}

struct Search<'o> {
    operation: &'o Operation,
    extents: Vec<i64>,
    /// The number of dimensions of a product, whose last ones have names by their roles.
    product: Option<usize>,
    of: Matching,
    matchings: Vec<Matching>,
    /// The most dimensions of the operation that had a partner.
    farthest: usize,
}

impl Search<'_> {
    fn extend(&mut self, dim: usize) {
        self.farthest = self.farthest.max(dim);
        if self.matchings.len() >= MOST {
            return;
        }
        let Some(extent) = self.extents.get(dim).copied() else {
            // A dimension without a partner has one element, or the elements of one stick.
            let mut rest = self
                .operation
                .dims
                .iter()
                .zip(&self.of)
                .filter(|(_, of)| of.is_none());
            if rest.all(|(dim, _)| dim.extent <= STICK && dim.slices == 1) {
                self.matchings.push(self.of.clone());
            }
            return;
        };
        if extent == 1 {
            return self.extend(dim + 1);
        }
        for at in 0..self.of.len() {
            if self.of[at].is_none()
                && self.is_role(dim, &self.operation.dims[at])
                && self.holds(&self.operation.dims[at], extent)
            {
                self.of[at] = Some(dim);
                self.extend(dim + 1);
                self.of[at] = None;
            }
        }
    }

    /// Returns whether a dimension of the file may be a dimension of the operation with `extent` positions: it has as many,
    /// or as many as whole sticks have. Next to a cast from 16 bits, two sticks of 32 bits count as one.
    fn holds(&self, dim: &Dim, extent: i64) -> bool {
        let sticks = self.operation.tensors().map(|tensor| tensor.per_stick);
        let padded = |stick: i64| (extent - 1) / stick * stick + stick;
        let mut extents = sticks.chain([SHORT_STICK]).map(padded);
        dim.extent == extent || extents.any(|padded| padded == dim.extent)
    }

    /// Returns whether a dimension of a product has the name of its role: `in` is the reduced one, `out` the last one
    /// of the result.
    fn is_role(&self, dim: usize, of: &Dim) -> bool {
        let Some(dims) = self.product else {
            return true;
        };
        match &of.name[..] {
            "in" => dim + 1 == dims,
            "out" => dim + 2 == dims,
            _ => dim + 2 < dims,
        }
    }

    fn unmatched(&self) -> Result<Vec<Matching>, Fault> {
        let dims = self
            .operation
            .dims
            .iter()
            .map(|dim| format!("{} {}", dim.name, dim.extent));
        let dims = dims.collect::<Vec<_>>().join(", ");
        let message = match self.extents.get(self.farthest) {
            Some(extent) => format!(
                "dimension {} of the operation has {extent} positions, and none of the file has: {dims}",
                self.farthest
            ),
            None => format!(
                "the file has a dimension that the operation has not: {dims}; operation {:?}",
                self.extents
            ),
        };
        wrong("N_", message)
    }
}

/// Returns in how many facts a bijection disagrees with the file, and how many pairs of dimensions are in another
/// order.
fn score(statement: &Statement, operation: &Operation, of: &Matching) -> (usize, usize) {
    let accesses = || statement.operands.iter().chain(&statement.results);
    let mut disagreements = 0;
    for (at, dim) in of.iter().enumerate() {
        let Some(dim) = *dim else { continue };
        let split = statement.split.as_ref().map_or(1, |split| split[dim]);
        disagreements += usize::from(operation.dims[at].slices != split);
        let var = Var::Point(u32::try_from(dim).expect("few dimensions"));
        for (tensor, access) in operation.tensors().zip(accesses()) {
            let moves = access.index.iter().any(|expr| expr.vars().contains(&var));
            disagreements += usize::from(tensor.moves_along(at) != moves);
        }
    }
    let order: Vec<usize> = of.iter().flatten().copied().collect();
    let pairs = order
        .iter()
        .enumerate()
        .map(|(at, dim)| order[at..].iter().filter(|later| *later < dim).count());
    (disagreements, pairs.sum())
}
