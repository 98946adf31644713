//! Equal programs: a pass that decides places, cores or layouts, moves tensors or turns constants into arguments leaves
//! the definitions of all elements, and then nothing is asked of the solver.
//!
//! Operations that compute are paired in the order of the text. Two programs are equal if pairs have one key, one space
//! and one nest of loops, and read by equal expressions from equal values; values are equal if their definitions are,
//! with equal values in place of their sources. A move is taken for its source. Claims about values that are defined by
//! themselves, through the tensors that loops carry, may be used for their own proof: an iteration reads results of
//! earlier ones only, so that is induction over the execution.
//!
//! An operation that is not modelled has no equal one.

use rustc_hash::FxHashSet;

use super::ends;
use crate::claim::{Assumption, By, Claim, Report, Verdict};
use crate::contents::Space;
use crate::coverage;
use crate::program::{Access, Def, Program, Statement, StatementId, ValueId};

/// Returns the findings of P2 about two programs that are equal; `None` for programs that are not equal by form.
pub(super) fn equal_programs(before: &Program, after: &Program) -> Option<Report> {
    if !Pairs::new(before, after)?.are_equal() {
        return None;
    }
    let mut report = Report::default();
    let proved = || Verdict::Proved(By::Form);
    for (at, statement) in after.statements.iter().enumerate() {
        if statement.is_move {
            continue;
        }
        report.operations += 1;
        if coverage::is_empty(after, StatementId::new(at)) {
            report.empty += 1;
        }
        let subject = format!("'{}'", statement.key.name);
        report.add(Claim::Correspondence, statement.site, subject, proved());
    }
    for (_, (id, number)) in ends::loop_pairs(before, after) {
        let site = after.of_loop(id).site;
        for what in ends::ENDS {
            let subject = ends::subject(what, number);
            report.add(Claim::Correspondence, site, subject, proved());
        }
    }
    for (at, value) in after.results.iter().enumerate() {
        let site = after.value(*value).site;
        report.add(
            Claim::Correspondence,
            site,
            format!("result {at}"),
            proved(),
        );
    }
    report.assumptions.insert(Assumption::IndexingMaps);
    Some(report)
}

/// Two programs, with their operations in pairs.
struct Pairs<'p> {
    before: &'p Program,
    after: &'p Program,
    /// The operations that compute: before, after.
    statements: Vec<(StatementId, StatementId)>,
    /// The pairs of values that are compared or being compared.
    values: FxHashSet<(ValueId, ValueId)>,
}

impl<'p> Pairs<'p> {
    /// Pairs the operations; `None` if one program has more.
    fn new(before: &'p Program, after: &'p Program) -> Option<Self> {
        let computing = |program: &Program| {
            let all = (0..program.statements.len()).map(StatementId::new);
            let computing = all.filter(|id| !program.statement(*id).is_move);
            computing.collect::<Vec<_>>()
        };
        let (first, second) = (computing(before), computing(after));
        (first.len() == second.len()).then(|| Self {
            before,
            after,
            statements: first.into_iter().zip(second).collect(),
            values: FxHashSet::default(),
        })
    }

    fn are_equal(&mut self) -> bool {
        let (before, after) = (self.before, self.after);
        before.params == after.params
            && self.are_loops_equal()
            && self
                .statements
                .clone()
                .into_iter()
                .all(|(a, b)| self.is_statement(before.statement(a), after.statement(b)))
            && before.results.len() == after.results.len()
            && before
                .results
                .iter()
                .zip(&after.results)
                .all(|(a, b)| self.has_shape(*a, *b) && self.is_value(*a, *b))
    }

    fn are_loops_equal(&mut self) -> bool {
        let (before, after) = (self.before, self.after);
        before.loops.len() == after.loops.len()
            && before.loops.iter().zip(&after.loops).all(|(a, b)| {
                a.parent == b.parent
                    && (a.lower, a.upper, a.step) == (b.lower, b.upper, b.step)
                    && a.carried.len() == b.carried.len()
                    && a.carried.iter().zip(&b.carried).all(|(a, b)| {
                        self.has_shape(a.argument, b.argument)
                            && self.is_value(a.init, b.init)
                            && self.is_value(a.yielded, b.yielded)
                    })
            })
    }

    fn is_statement(&mut self, before: &Statement, after: &Statement) -> bool {
        before.key == after.key
            && before.loops == after.loops
            && before.space == after.space
            && before.reduced == after.reduced
            && before.operands.len() == after.operands.len()
            && before.results.len() == after.results.len()
            && before
                .operands
                .iter()
                .zip(&after.operands)
                .all(|(a, b)| a.index == b.index && self.is_value(a.value, b.value))
            && before
                .results
                .iter()
                .zip(&after.results)
                .all(|(a, b)| a.index == b.index && self.has_shape(a.value, b.value))
    }

    fn has_shape(&self, before: ValueId, after: ValueId) -> bool {
        let (before, after) = (self.before.value(before), self.after.value(after));
        before.shape == after.shape && before.element == after.element
    }

    /// Returns whether two tensors have the same elements.
    fn is_value(&mut self, before: ValueId, after: ValueId) -> bool {
        let before = through_moves(self.before, before);
        let after = through_moves(self.after, after);
        if !self.values.insert((before, after)) {
            return true; // It is compared, or its comparison is under way.
        }
        let same_shape = self.has_shape(before, after);
        let (first, second) = (&self.before.value(before).def, &self.after.value(after).def);
        match (first, second) {
            (Def::Argument(a), Def::Argument(b)) => a == b && same_shape,
            (Def::Constant(a), Def::Constant(b)) => a == b && same_shape,
            (Def::Empty, Def::Empty) => true,
            (Def::Result(a), Def::Result(b)) => {
                let number = |program: &Program, id: StatementId, value: ValueId| {
                    let results = &program.statement(id).results;
                    results.iter().position(|result| result.value == value)
                };
                self.statements.binary_search(&(*a, *b)).is_ok()
                    && number(self.before, *a, before) == number(self.after, *b, after)
            }
            (
                Def::Slice {
                    source: a,
                    offsets,
                    dims,
                },
                Def::Slice {
                    source: b,
                    offsets: others,
                    dims: other_dims,
                },
            ) => offsets == others && dims == other_dims && same_shape && self.is_value(*a, *b),
            (
                Def::Insert {
                    tile,
                    into,
                    offsets,
                    dims,
                },
                Def::Insert {
                    tile: other_tile,
                    into: other_into,
                    offsets: others,
                    dims: other_dims,
                },
            ) => {
                offsets == others
                    && dims == other_dims
                    && same_shape
                    && self.has_shape(*tile, *other_tile)
                    && self.is_value(*tile, *other_tile)
                    && self.is_value(*into, *other_into)
            }
            (
                Def::View { source: a, index },
                Def::View {
                    source: b,
                    index: other,
                },
            ) => index == other && same_shape && self.is_value(*a, *b),
            (Def::Carried(a, at), Def::Carried(b, other))
            | (Def::LoopResult(a, at), Def::LoopResult(b, other)) => {
                // The loops have been compared, with all tensors that they carry.
                (a, at) == (b, other)
            }
            _ => false,
        }
    }
}

/// Returns the tensor whose elements a tensor has, through operations that move all elements to the same positions.
fn through_moves(program: &Program, value: ValueId) -> ValueId {
    let mut value = value;
    while let Def::Result(id) = program.value(value).def
        && let statement = program.statement(id)
        && statement.is_move
        && let ([operand], [result]) = (&statement.operands[..], &statement.results[..])
        && is_whole(program, statement, operand)
        && is_whole(program, statement, result)
    {
        value = operand.value;
    }
    value
}

/// Returns whether the points of an operation are the elements of a tensor.
fn is_whole(program: &Program, statement: &Statement, access: &Access) -> bool {
    Space::is_plain(statement, access) && program.value(access.value).shape == statement.space
}
