//! Instances of operations: the iterations, cores and points for which an operation is executed.

use crate::claim::Reason;
use crate::expr::{Expr, Ranges, Var};
use crate::program::{Extent, LoopId, ParamId, Program, Statement};
use crate::sets::Constraint;

impl Program {
    /// Returns the counters of loops, as variables.
    #[must_use]
    pub(crate) fn counters(loops: &[LoopId]) -> Vec<Var> {
        loops.iter().copied().map(Var::Counter).collect()
    }

    /// Returns the conditions on the dynamic extents: `1 <= k <= maximum / granularity`.
    #[must_use]
    pub(crate) fn param_conditions(&self) -> Vec<Constraint> {
        let params = self.params.iter().enumerate();
        let conditions = params.flat_map(|(at, param)| {
            let k = Expr::from(Var::Param(ParamId::new(at)));
            let most = param.maximum / param.granularity;
            [
                Constraint::NonNegative(k.plus(&(-1).into())),
                Constraint::NonNegative(Expr::from(most).minus(&k)),
            ]
        });
        conditions.collect()
    }

    /// Returns the conditions on the counter of a loop: `0 <= counter`, and the induction variable is before its end.
    #[must_use]
    pub(crate) fn counter_conditions(&self, id: LoopId) -> [Constraint; 2] {
        let upper = self.extent(self.of_loop(id).upper);
        [
            Constraint::NonNegative(Var::Counter(id).into()),
            Constraint::NonNegative(upper.minus(&self.induction(id)).plus(&(-1).into())),
        ]
    }

    /// Returns the conditions on the points of an operation in one iteration: inside of the iteration space.
    #[must_use]
    pub(crate) fn point_conditions(&self, statement: &Statement) -> Vec<Constraint> {
        let dims = statement.space.iter().zip(0..);
        let conditions = dims.flat_map(|(extent, at)| {
            Constraint::inside(&Var::Point(at).into(), &self.extent(*extent))
        });
        conditions.collect()
    }

    /// Returns the part of each dimension of the space that a core has: its first position, and the number of
    /// positions; and the conditions that a point is in the part of [`Var::Core`], which is one of the cores.
    ///
    /// # Errors
    /// A dynamic extent is divided: the first position of a part is a product of a variable and the core. Or the digit
    /// of a division is not known.
    pub(crate) fn parts(
        &self,
        statement: &Statement,
    ) -> Result<(Vec<Part>, Vec<Constraint>), Reason> {
        let one = vec![1; statement.space.len()];
        let split = statement.split.as_ref().unwrap_or(&one);
        let mut digits = vec![Expr::zero(); split.len()];
        let mut radix = 1_i64;
        for &dim in &statement.digits {
            let cores = split[dim];
            if cores > 1 {
                digits[dim] = Expr::from(Var::Core).floor_div(radix).modulo(cores);
                radix = radix.checked_mul(cores).ok_or(Reason::TooLarge)?;
            }
        }
        let mut dims = split.iter().enumerate();
        if dims.any(|(dim, cores)| *cores > 1 && !statement.digits.contains(&dim)) {
            return Err(Reason::Operation(statement.key.name.clone()));
        }
        let mut conditions = Vec::from(Constraint::inside(&Var::Core.into(), &radix.into()));
        let mut parts = Vec::new();
        for (dim, (extent, digit)) in statement.space.iter().zip(digits).enumerate() {
            let whole = self.extent(*extent);
            if split[dim] == 1 {
                parts.push(Part {
                    first: Expr::zero(),
                    size: whole,
                });
                continue;
            }
            let Extent::Fixed(extent) = *extent else {
                return Err(Reason::Dynamic("that cores divide".to_owned()));
            };
            let size = extent / split[dim];
            let first = digit.times(size);
            let at = u32::try_from(dim).expect("fewer than 2^32 dimensions");
            let position = Expr::from(Var::Point(at)).minus(&first);
            conditions.extend(Constraint::inside(&position, &size.into()));
            parts.push(Part {
                first,
                size: size.into(),
            });
        }
        Ok((parts, conditions))
    }

    /// Returns the least and greatest values of parameters, counters of loops, cores and points of an operation.
    #[must_use]
    pub(crate) fn ranges(&self, loops: &[LoopId], statement: Option<&Statement>) -> Ranges {
        let mut ranges = Ranges::default();
        for (at, param) in self.params.iter().enumerate() {
            let most = param.maximum / param.granularity;
            ranges.set(Var::Param(ParamId::new(at)), 1, most);
        }
        for id in loops {
            let last = (self.largest_trips(*id) - 1).max(0);
            ranges.set(Var::Counter(*id), 0, last);
        }
        if let Some(statement) = statement {
            for (extent, at) in statement.space.iter().zip(0..) {
                ranges.set(Var::Point(at), 0, (self.largest(*extent) - 1).max(0));
            }
            ranges.set(Var::Core, 0, (statement.cores() - 1).max(0));
        }
        ranges
    }
}

/// The positions along one dimension of the iteration space that a core has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The first position, over [`Var::Core`].
    pub first: Expr,
    /// The number of positions.
    pub size: Expr,
}
