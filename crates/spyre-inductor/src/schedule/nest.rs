//! Loop nests, with fewer loops and in a better order.

use spyre_index_expr::{Expr, Overflow, Var, simplify};

use super::merge::{self, merge};
use super::order;
use super::program::Program;

/// An access of a loop nest to a buffer, without the buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Access {
    /// The place in the memory of the buffer, in elements, as a function of the loops, by their numbers.
    pub index: Expr,
    /// How a store combines with the previous value, such as `atomic_add`.
    pub mode: Option<String>,
}

/// A loop nest, without its buffers: nests that differ only in buffers are simplified once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Nest {
    /// The extents of the loops, the outermost first, parallel loops before reduced ones.
    pub loops: Vec<Expr>,
    /// The number of loops that are not reduced.
    pub parallel: usize,
    /// The loads, in order.
    pub loads: Vec<Access>,
    /// The stores, in order.
    pub stores: Vec<Access>,
    /// Index expressions that are numbers, not places.
    pub numbers: Vec<Expr>,
}

/// A simplified loop nest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simpler {
    /// The new one.
    pub nest: Nest,
    /// Each loop of the old one, as an expression of the loops of the new one.
    pub loops: Vec<Expr>,
}

/// Returns the loops of a number of extents.
pub(super) fn vars(count: usize) -> Vec<Var> {
    let count = u32::try_from(count).expect("loops are few");
    (0..count).map(Var::Loop).collect()
}

impl Nest {
    /// Returns all index expressions.
    pub fn formulas(&self) -> impl Iterator<Item = &Expr> {
        let places = self.loads.iter().chain(&self.stores);
        places.map(|access| &access.index).chain(&self.numbers)
    }

    /// Returns the extents of the parallel loops and of the reduced loops.
    #[must_use]
    pub fn groups(&self) -> (&[Expr], &[Expr]) {
        self.loops.split_at(self.parallel)
    }

    /// Returns the nest with every index expression in its simplest form.
    ///
    /// # Errors
    /// A number is too large.
    pub fn simple(&self, program: &Program) -> Result<Self, Overflow> {
        let ranges = |var| program.range(&self.loops, var);
        self.with_indices(&|expr| simplify(expr, &ranges))
    }

    fn with_indices(
        &self,
        convert: &impl Fn(&Expr) -> Result<Expr, Overflow>,
    ) -> Result<Self, Overflow> {
        let accesses = |list: &[Access]| -> Result<Vec<Access>, Overflow> {
            let new = list.iter().map(|access| {
                Ok(Access {
                    index: convert(&access.index)?,
                    mode: access.mode.clone(),
                })
            });
            new.collect()
        };
        Ok(Self {
            loops: self.loops.clone(),
            parallel: self.parallel,
            loads: accesses(&self.loads)?,
            stores: accesses(&self.stores)?,
            numbers: self.numbers.iter().map(convert).collect::<Result<_, _>>()?,
        })
    }

    /// Sorts the loops by their strides, the smallest innermost, and merges them. `constraints` are further expressions
    /// of the loops that limit merging.
    ///
    /// # Errors
    /// A number is too large.
    pub fn simpler(&self, program: &Program, constraints: &[Expr]) -> Result<Simpler, Overflow> {
        let all = vars(self.loops.len());
        let accesses = self.stores.iter().chain(&self.loads);
        let strides: Vec<Vec<i64>> = accesses
            .map(|access| stride_hints(program, &access.index, &all, &all))
            .collect::<Result<_, _>>()?;
        let formulas: Vec<Expr> = self.formulas().chain(constraints).cloned().collect();
        let mut old = vec![Expr::constant(0); self.loops.len()];
        let mut loops = Vec::new();
        let mut parallel = 0;
        let groups = [0..self.parallel, self.parallel..self.loops.len()];
        for (number, group) in groups.into_iter().enumerate() {
            let loop_strides: Vec<Vec<i64>> = strides
                .iter()
                .map(|strides| strides[group.clone()].to_vec())
                .collect();
            let mut order = order::pick(&loop_strides, &vec![false; group.len()]);
            order.reverse();
            let order: Vec<usize> = order.into_iter().map(|dim| group.start + dim).collect();
            let vars: Vec<Var> = order.iter().map(|dim| all[*dim]).collect();
            let sizes: Vec<Expr> = order.iter().map(|dim| self.loops[*dim].clone()).collect();
            let merged = merge(&vars, &sizes, &formulas)?;
            for (dim, place) in order.into_iter().zip(&merged.place) {
                if let Some(place) = place {
                    let number = u32::try_from(loops.len() + place).expect("loops are few");
                    old[dim] = Expr::var(Var::Loop(number));
                }
            }
            loops.extend(merged.sizes);
            if number == 0 {
                parallel = loops.len();
            }
        }
        let new = |var| match var {
            Var::Loop(number) => old.get(number as usize).cloned(),
            _ => None,
        };
        let range_of = |var| program.range(&loops, var);
        let mut nest = self.with_indices(&|expr| simplify(&expr.substitute(&new)?, &range_of))?;
        nest.parallel = parallel;
        nest.loops = loops;
        Ok(Simpler { nest, loops: old })
    }
}

/// Returns the strides of an expression along loops, at the sizes that the program was traced with. An index that is loaded from
/// memory counts as 0.
pub(super) fn stride_hints(
    program: &Program,
    expr: &Expr,
    loops: &[Var],
    all: &[Var],
) -> Result<Vec<i64>, Overflow> {
    let strides = if expr.is_indirect() {
        let zero = |var| matches!(var, Var::Indirect(_)).then(|| Expr::constant(0));
        merge::strides(&expr.substitute(&zero)?, loops, all)?
    } else {
        merge::strides(expr, loops, all)?
    };
    let hints = strides
        .iter()
        .map(|stride| program.hint(stride).unwrap_or(0));
    Ok(hints.collect())
}
