//! P3 and P4 of a planned program: no tensor is read after its bytes were overwritten, and every access is inside its
//! buffer.
//!
//! * `bounds`: windows are inside their tensors, buffers inside their memories, starts are whole sticks, spans within
//!   the limit.
//! * `owners`: in the scratchpad a core reads what the same core has written, and values that are the same tensor have
//!   the same bytes.
//! * `in_place`: within one execution, a result over an operand is written point by point.
//! * `walk`: the program is executed on the histories of bytes (`cells`, `chains`), with symbolic iterations. A read is
//!   right where the history of its bytes is that of its tensor. This takes no solver, and is linear in the program.
//! * `conflict`: where the two histories differ, the solver compares the last writers of each byte.
//! * `sticks`: a write ends with a stick, or overwrites no element that has been written.

mod bounds;
mod cells;
mod chains;
mod conflict;
mod in_place;
mod owners;
mod sticks;
#[cfg(test)]
mod tests;
mod walk;

use std::cell::{OnceCell, RefCell};

use rustc_hash::{FxHashMap, FxHashSet};
use spyre_isl::Context;

use crate::claim::{Assumption, By, Claim, Reason, Report, Verdict, Witness, both};
use crate::domain::Part;
use crate::expr::{Expr, Ranges, Var};
use crate::memory::{Location, Memory, Nowhere};
use crate::program::{Access, Def, LoopId, ParamId, Place, Program, Statement, StatementId, Value};
use crate::sets::{Columns, Constraint, decided};

/// The memories of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of the scratchpad of a core that programs may use.
    pub scratchpad: i64,
    /// The bytes of the pool; `None` for any number.
    pub pool: Option<i64>,
    /// The largest distance in bytes that a core addresses in one tensor of device memory; `None` for any.
    pub span: Option<i64>,
    /// The cores.
    pub cores: i64,
}

/// Decides the claims P3 and P4 about a planned program. Each answer is about an operand or result of an operation, a
/// window, a tensor that a loop carries or a result of the function.
///
/// Live values are disjoint (P4) exactly if no read finds its bytes overwritten, so this is answered by P3.
#[must_use]
pub fn prove_places(context: &Context, program: &Program, limits: &Limits) -> Report {
    let prover = Prover {
        program,
        memory: Memory::new(program),
        context,
        limits: *limits,
        rooms: OnceCell::new(),
        kept: OnceCell::new(),
        empty: RefCell::default(),
    };
    let mut report = Report {
        operations: program.statements.len(),
        ..Report::default()
    };
    report.assumptions.insert(Assumption::Sequential);
    report.assumptions.insert(Assumption::DisjointArguments);
    let is_staggered = |value: &Value| {
        let layout = value.layout.as_ref();
        layout.is_some_and(|layout| layout.arrangement().is_staggered())
    };
    if program.values.iter().any(is_staggered) {
        report.assumptions.insert(Assumption::WholeBlocks);
    }
    if !program.params.is_empty() {
        report.assumptions.insert(Assumption::Granularity);
    }
    distinct_arguments(program, &mut report);
    prover.windows(&mut report);
    let order = walk::Walk::new(&prover).program();
    for at in 0..program.statements.len() {
        prover.statement(StatementId::new(at), &order, &mut report);
    }
    prover.carried(&order, &mut report);
    prover.results(&order, &mut report);
    report
}

/// Refutes two arguments, or two results, at one place: then A2 does not hold.
fn distinct_arguments(program: &Program, report: &mut Report) {
    let mut places: FxHashMap<u32, &Value> = FxHashMap::default();
    for value in &program.values {
        let (Def::Argument(_), Some(Place::Argument(number))) = (&value.def, value.place) else {
            continue; // Another tensor may be at the place of an argument: a result that is in it.
        };
        if let Some(other) = places.insert(number, value) {
            let witness = Witness {
                message: format!("two arguments are in argument {number} of the device"),
                notes: vec![(other.site, "the other one is here".to_owned())],
                ..Witness::default()
            };
            let verdict = Verdict::Refuted(Box::new(witness));
            report.add(
                Claim::Place,
                value.site,
                format!("argument {number}"),
                verdict,
            );
        }
    }
}

/// The answers of the walk.
#[derive(Default)]
pub(crate) struct Order {
    /// The answers for operands, by statement and number.
    operands: FxHashMap<(StatementId, usize), Verdict>,
    /// Whether a core has what it reads in its scratchpad.
    owners: FxHashMap<(StatementId, usize), Verdict>,
    /// The answers for results of the function.
    results: FxHashMap<usize, Verdict>,
    /// The readers and writers in the scratchpad that have been compared: statement and operand, statement and result.
    checked: FxHashSet<(StatementId, usize, StatementId, usize)>,
    /// Loops with a state that does not repeat.
    loops: FxHashMap<LoopId, Reason>,
}

/// An execution of a statement: variables, and the conditions on them.
pub(crate) struct Instances<'p> {
    statement: &'p Statement,
    vars: Vec<Var>,
    conditions: Vec<Constraint>,
    ranges: Ranges,
    parts: Vec<Part>,
}

/// The bytes of arguments and results, where they are known, and the number of the first result.
type Rooms = (FxHashMap<u32, Option<i64>>, Option<u32>);

/// Values of variables.
pub(crate) type Values = FxHashMap<Var, i64>;

/// The answer to the question whether conditions can hold.
pub(crate) enum Answer {
    Never(By),
    For(Values),
}

pub(crate) struct Prover<'p> {
    program: &'p Program,
    memory: Memory<'p>,
    context: &'p Context,
    limits: Limits,
    rooms: OnceCell<Rooms>,
    /// The numbers of the arguments whose contents the caller keeps.
    kept: OnceCell<FxHashSet<u32>>,
    /// Conditions that never hold, with loops numbered by their first use.
    empty: RefCell<FxHashSet<Vec<Constraint>>>,
}

impl<'p> Prover<'p> {
    /// Returns whether some iteration of all loops is executed.
    fn is_executed(&self, loops: &[LoopId]) -> bool {
        loops.iter().all(|id| self.program.trips(*id) != Some(0))
    }

    /// Returns the name of an operation for a message.
    fn name(&self, id: StatementId) -> String {
        format!("'{}'", self.program.statement(id).key.name)
    }

    /// Returns the conditions on parameters and on the counters of loops.
    fn context_of(&self, loops: &[LoopId]) -> Vec<Constraint> {
        let mut conditions = self.program.param_conditions();
        for id in loops {
            conditions.extend(self.program.counter_conditions(*id));
        }
        conditions
    }

    /// Returns the instances of a statement.
    fn instances(&self, id: StatementId) -> Result<Instances<'p>, Reason> {
        let statement = self.program.statement(id);
        let mut ranges = self.program.ranges(&statement.loops, Some(statement));
        let mut vars = Program::counters(&statement.loops);
        vars.push(Var::Core);
        vars.extend((0..statement.space.len()).map(point));
        let mut conditions = self.context_of(&statement.loops);
        conditions.extend(self.program.point_conditions(statement));
        let (parts, of_parts) = self.program.parts(statement)?;
        conditions.extend(of_parts);
        for access in statement.operands.iter().chain(&statement.results) {
            for (dim, index) in access.index.iter().enumerate() {
                let Some(var @ Var::Gathered(_)) = index.as_var() else {
                    continue; // Only an index of its own is a row that is gathered.
                };
                if vars.contains(&var) {
                    continue; // Two tensors are gathered by the same index.
                }
                let extent = self.program.value(access.value).shape[dim];
                ranges.set(var, 0, (self.program.largest(extent) - 1).max(0));
                vars.push(var);
                let extent = self.program.extent(extent);
                conditions.extend(Constraint::inside(&var.into(), &extent));
            }
        }
        Ok(Instances {
            statement,
            vars,
            conditions,
            ranges,
            parts,
        })
    }

    /// Returns values for which conditions hold: the lexicographically smallest ones, in the order of parameters and
    /// `vars`.
    fn example(
        &self,
        vars: &[Var],
        ranges: &Ranges,
        conditions: &[Constraint],
    ) -> Result<Answer, Reason> {
        let all: Vec<Constraint> = conditions
            .iter()
            .map(|condition| condition.map(|expr| expr.simplified(ranges)))
            .collect();
        if all.iter().any(|condition| never(condition, ranges)) {
            return Ok(Answer::Never(By::Form));
        }
        let canonical = canonical(&all);
        if self.empty.borrow().contains(&canonical) {
            return Ok(Answer::Never(By::Cache));
        }
        self.context.reset();
        let columns = Columns::new(self.program.params.len(), &[], vars, &[]);
        let budget = self.context.budget();
        let relation = columns.relation(self.context, &all, budget)?;
        let Some(point) = decided(relation.sample(), budget)? else {
            self.empty.borrow_mut().insert(canonical);
            return Ok(Answer::Never(By::Solver));
        };
        let params = point.params.iter().enumerate();
        let params = params.map(|(at, value)| (Var::Param(ParamId::new(at)), *value));
        let vars = vars.iter().copied().zip(point.outs.iter().copied());
        let values: Values = params.chain(vars).collect();
        for condition in conditions {
            let holds = condition.holds(&|var| values.get(&var).copied());
            assert!(
                holds == Some(true),
                "internal error: the witness breaks a condition"
            );
        }
        Ok(Answer::For(values))
    }

    /// Returns the root of an access, and its element.
    fn locate(&self, access: &Access) -> Result<Location, Nowhere> {
        self.memory.resolve(access.value, access.index.clone())
    }

    /// Returns the answer for an access that has no place.
    fn nowhere(&self, nowhere: Nowhere) -> Verdict {
        let (message, value) = match nowhere {
            Nowhere::Unknown(reason) => return Verdict::Unknown(reason),
            Nowhere::NoPlace(value) => {
                if !matches!(self.program.value(value).def, Def::Result(_)) {
                    // No operation writes it, so there is no address that could be wrong.
                    let name = "a tensor without a place that no operation computes";
                    return Verdict::Unknown(Reason::Operation(name.to_owned()));
                }
                ("the result of an operation has no place".to_owned(), value)
            }
            Nowhere::Inserted(value, times) => {
                // An operation that is not modelled may be an insertion, at an offset that is not affine.
                let opaque = self
                    .program
                    .values
                    .iter()
                    .find_map(|value| match &value.def {
                        Def::Opaque(name) => Some(name.clone()),
                        _ => None,
                    });
                if let (0, Some(name)) = (times, opaque) {
                    return Verdict::Unknown(Reason::Operation(name));
                }
                let message = format!("a window is inserted into {times} tensors instead of one");
                (message, value)
            }
        };
        let note = (
            self.program.value(value).site,
            "the tensor is computed here".to_owned(),
        );
        refuted(Witness {
            message,
            notes: vec![note],
            ..Witness::default()
        })
    }

    /// Returns a witness with the values of the variables.
    fn witness(
        &self,
        loops: &[LoopId],
        values: &Values,
        points: usize,
        message: String,
    ) -> Witness {
        let value = |var: Var| values.get(&var).copied();
        let params = self.program.params.iter().enumerate();
        let params = params.map(|(at, param)| {
            let k = value(Var::Param(ParamId::new(at)));
            k.map_or(param.maximum, |k| k * param.granularity)
        });
        let counters = loops
            .iter()
            .map(|id| (*id, value(Var::Counter(*id)).unwrap_or(0)));
        Witness {
            counters: counters.collect(),
            params: params.collect(),
            core: value(Var::Core),
            point: (0..points).filter_map(|at| value(point(at))).collect(),
            message,
            ..Witness::default()
        }
    }
}

/// Returns the variable of a position along a dimension of an iteration space.
fn point(dim: usize) -> Var {
    Var::Point(u32::try_from(dim).expect("fewer than 2^32 dimensions"))
}

/// Returns the variable of a position along a dimension of a tensor.
fn element(dim: usize) -> Var {
    Var::Element(u32::try_from(dim).expect("fewer than 2^32 dimensions"))
}

fn refuted(witness: Witness) -> Verdict {
    Verdict::Refuted(Box::new(witness))
}

/// Returns whether a condition holds for no values in the ranges.
fn never(condition: &Constraint, ranges: &Ranges) -> bool {
    match (condition, condition.expr().range(ranges)) {
        (Constraint::Zero(_), Some((least, greatest))) => least > 0 || greatest < 0,
        (Constraint::NonNegative(_), Some((_, greatest))) => greatest < 0,
        (_, None) => false,
    }
}

/// Returns conditions with the loops numbered by their first use: equal claims about equal loops are equal.
fn canonical(conditions: &[Constraint]) -> Vec<Constraint> {
    let numbers = RefCell::new(FxHashMap::default());
    let renamed = |var: Var| match var {
        Var::Counter(id) => {
            let mut numbers = numbers.borrow_mut();
            let next = LoopId::new(numbers.len());
            Some(Expr::from(Var::Counter(*numbers.entry(id).or_insert(next))))
        }
        _ => None,
    };
    let conditions = conditions.iter();
    conditions
        .map(|condition| condition.map(|expr| expr.substituted(&renamed)))
        .collect()
}
