//! Relations of a program: from elements of tensors, and from instances of operations.

use spyre_isl::{Context, Relation};

use crate::claim::Reason;
use crate::expr::{Expr, Var};
use crate::program::{Access, Extent, LoopId, Program, Statement, StatementId, ValueId};
use crate::sets::{Columns, Constraint};

/// A program whose sets live in one context.
#[derive(Clone, Debug)]
pub(crate) struct Space<'p> {
    /// The program.
    pub program: &'p Program,
    /// Where the sets live.
    pub context: Context,
    given: Vec<Constraint>,
}

/// Returns the variables of the elements of a tensor.
pub(crate) fn elements(rank: usize) -> Vec<Var> {
    (0..number(rank)).map(Var::Element).collect()
}

fn number(dims: usize) -> u32 {
    u32::try_from(dims).expect("fewer than 2^32 dimensions")
}

/// Returns the counters of loops, as expressions.
pub(crate) fn counters(loops: &[LoopId]) -> impl Iterator<Item = Expr> {
    loops.iter().map(|id| Var::Counter(*id).into())
}

impl<'p> Space<'p> {
    /// Returns the space of a program.
    #[must_use]
    pub(crate) fn new(program: &'p Program, context: &Context) -> Self {
        Self {
            program,
            context: context.clone(),
            given: program.param_conditions(),
        }
    }

    /// Returns the number of dynamic extents.
    #[must_use]
    pub(crate) fn params(&self) -> usize {
        self.program.params.len()
    }

    /// Returns the relation from `ins` to the values of expressions over them, for points that satisfy the conditions.
    ///
    /// # Errors
    /// A number is too large, or the budget of the solver.
    pub(crate) fn relation(
        &self,
        ins: &[Var],
        mut conditions: Vec<Constraint>,
        outs: impl IntoIterator<Item = Expr>,
    ) -> Result<Relation, Reason> {
        let mut columns = Vec::new();
        for (at, expr) in (0..).zip(outs) {
            let out = Var::Out(at);
            conditions.push(Constraint::equal(&out.into(), &expr));
            columns.push(out);
        }
        self.of_columns(ins, &columns, conditions)
    }

    /// Returns the set of points that satisfy conditions.
    ///
    /// # Errors
    /// A number is too large, or the budget of the solver.
    pub(crate) fn set(
        &self,
        vars: &[Var],
        conditions: Vec<Constraint>,
    ) -> Result<Relation, Reason> {
        self.of_columns(&[], vars, conditions)
    }

    fn of_columns(
        &self,
        ins: &[Var],
        outs: &[Var],
        mut conditions: Vec<Constraint>,
    ) -> Result<Relation, Reason> {
        conditions.extend(self.given.iter().cloned());
        let columns = Columns::new(self.params(), ins, outs, &[]);
        Ok(Relation::from_basic(
            &self.context,
            &columns.basic(&conditions)?,
        )?)
    }

    /// Returns the variables of the elements of a tensor in the iterations of loops.
    #[must_use]
    pub(crate) fn element_vars(&self, loops: &[LoopId], shape: &[Extent]) -> Vec<Var> {
        let mut vars = Program::counters(loops);
        vars.extend(elements(shape.len()));
        vars
    }

    /// Returns the conditions that iterations and elements exist.
    #[must_use]
    pub(crate) fn element_conditions(&self, loops: &[LoopId], shape: &[Extent]) -> Vec<Constraint> {
        let mut conditions = self.counter_conditions(loops);
        for (var, extent) in elements(shape.len()).into_iter().zip(shape) {
            conditions.extend(Constraint::inside(
                &var.into(),
                &self.program.extent(*extent),
            ));
        }
        conditions
    }

    fn counter_conditions(&self, loops: &[LoopId]) -> Vec<Constraint> {
        let loops = loops.iter();
        loops
            .flat_map(|id| self.program.counter_conditions(*id))
            .collect()
    }

    /// Returns the relation from the elements of a tensor, in the iterations of its loops, to the values of
    /// expressions, for elements that satisfy more conditions.
    ///
    /// # Errors
    /// A number is too large, or the budget of the solver.
    pub(crate) fn of_value(
        &self,
        value: ValueId,
        more: Vec<Constraint>,
        outs: impl IntoIterator<Item = Expr>,
    ) -> Result<Relation, Reason> {
        let value = self.program.value(value);
        let mut conditions = self.element_conditions(&value.loops, &value.shape);
        conditions.extend(more);
        self.relation(
            &self.element_vars(&value.loops, &value.shape),
            conditions,
            outs,
        )
    }

    /// Returns the elements of a tensor, in the iterations of its loops.
    ///
    /// # Errors
    /// A number is too large, or the budget of the solver.
    pub(crate) fn all_elements(&self, value: ValueId) -> Result<Relation, Reason> {
        let value = self.program.value(value);
        let vars = self.element_vars(&value.loops, &value.shape);
        self.set(&vars, self.element_conditions(&value.loops, &value.shape))
    }

    /// Returns the coordinates that the indices of an operation give, sorted.
    #[must_use]
    pub(crate) fn gathered(statement: &Statement) -> Vec<Var> {
        let accesses = statement.operands.iter().chain(&statement.results);
        let vars = accesses.flat_map(|access| access.index.iter().flat_map(Expr::vars));
        let mut vars: Vec<_> = vars.filter(|var| matches!(var, Var::Gathered(_))).collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// Returns the variables of an instance: counters, points, and coordinates that indices give.
    #[must_use]
    pub(crate) fn instance_vars(&self, statement: &Statement) -> Vec<Var> {
        let mut vars = Program::counters(&statement.loops);
        vars.extend((0..number(statement.space.len())).map(Var::Point));
        vars.extend(Self::gathered(statement));
        vars
    }

    /// Returns the conditions that an instance exists.
    #[must_use]
    pub(crate) fn instance_conditions(&self, statement: &Statement) -> Vec<Constraint> {
        let mut conditions = self.counter_conditions(&statement.loops);
        conditions.extend(self.program.point_conditions(statement));
        // An index that an element gives is inside of the table (A5).
        for access in statement.operands.iter().chain(&statement.results) {
            let shape = &self.program.value(access.value).shape;
            for (index, extent) in access.index.iter().zip(shape) {
                if index
                    .vars()
                    .iter()
                    .any(|var| matches!(var, Var::Gathered(_)))
                {
                    conditions.extend(Constraint::inside(index, &self.program.extent(*extent)));
                }
            }
        }
        conditions
    }

    /// Returns the instances of an operation.
    ///
    /// # Errors
    /// A number is too large, or the budget of the solver.
    pub(crate) fn instances(&self, statement: StatementId) -> Result<Relation, Reason> {
        let statement = self.program.statement(statement);
        self.set(
            &self.instance_vars(statement),
            self.instance_conditions(statement),
        )
    }

    /// Returns the relation from the instances of an operation to the elements that it reads or writes.
    ///
    /// # Errors
    /// A number is too large, or the budget of the solver.
    pub(crate) fn access(
        &self,
        statement: StatementId,
        access: &Access,
    ) -> Result<Relation, Reason> {
        let statement = self.program.statement(statement);
        let outs = counters(&self.program.value(access.value).loops);
        let outs: Vec<_> = outs.chain(access.index.iter().cloned()).collect();
        self.relation(
            &self.instance_vars(statement),
            self.instance_conditions(statement),
            outs,
        )
    }

    /// Returns whether an access has one element for each point, with the coordinates of the point.
    #[must_use]
    pub(crate) fn is_plain(statement: &Statement, access: &Access) -> bool {
        let index = access.index.iter().zip(0..);
        access.index.len() == statement.space.len()
            && index
                .into_iter()
                .all(|(index, at)| index.as_var() == Some(Var::Point(at)))
            && Self::gathered(statement).is_empty()
    }

    /// Returns whether every point of an operation has its element inside of the tensor, by ranges alone.
    #[must_use]
    pub(crate) fn is_inside(&self, statement: &Statement, access: &Access) -> bool {
        let ranges = self.program.ranges(&[], Some(statement));
        let shape = &self.program.value(access.value).shape;
        access.index.iter().zip(shape).all(|(index, extent)| {
            let same = index.as_var().is_some_and(|var| match var {
                Var::Point(at) => statement.space[at as usize] == *extent,
                Var::Gathered(_) => true,
                _ => false,
            });
            let Extent::Fixed(extent) = *extent else {
                return same;
            };
            let range = index.range(&ranges);
            same || range.is_some_and(|(least, greatest)| least >= 0 && greatest < extent)
        })
    }
}
