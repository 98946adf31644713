//! The state of the check of one kernel.

use melior::ir::Location;
use melior::ir::operation::OperationLike;
use spyre_mlir_rt::ir::Op;
use spyre_proof::claim::Witness;
use spyre_proof::expr::Var;
use spyre_proof::program::LoopId;

use crate::Flavour;
use crate::kernel::{Buffer, Kernel};
use crate::report::{Finding, Report};
use crate::rules::Rule;
use crate::solve::{self, Solver, Values};

/// A kernel, the solver and the report.
pub(crate) struct Check<'a, 'p> {
    pub kernel: &'a Kernel<'p>,
    pub solver: Solver,
    pub report: &'a mut Report<'p>,
    /// The kernels that are launched one after the other on the same arguments, with this one.
    pub program: &'a [Kernel<'p>],
    /// The number of this kernel among them.
    pub number: usize,
    /// The consumers that the kernel is for.
    pub flavour: Flavour,
}

impl<'p> Check<'_, 'p> {
    /// Returns whether other kernels are launched on the same arguments.
    pub(crate) fn is_launch(&self) -> bool {
        self.program.len() > 1
    }

    /// Returns a witness of values, with extents in elements.
    pub(crate) fn witness(
        &self,
        values: &Values,
        loops: &[LoopId],
        point: &[Var],
        message: String,
    ) -> Witness {
        let mut witness = solve::witness(values, loops, point, message);
        let params = values.keys().filter_map(|var| match var {
            Var::Param(id) => Some(id.index()),
            _ => None,
        });
        let mut params: Vec<_> = params.collect();
        params.sort_unstable();
        for (value, at) in witness.params.iter_mut().zip(params) {
            *value *= self.kernel.params[at].1;
        }
        witness
    }

    /// Adds a finding that needs no decision.
    pub(crate) fn find(&mut self, rule: Rule, op: Op<'p>, message: impl Into<String>) {
        self.report.add(Finding::new(rule, op.location(), message));
    }
}

/// Returns the name of a buffer in messages.
pub(crate) fn buffer_name(buffer: Buffer) -> String {
    match buffer {
        Buffer::Argument(number) => format!("argument {number}"),
        Buffer::Memory => "device memory".to_owned(),
        Buffer::Local(None) => "the scratchpad of the core".to_owned(),
        Buffer::Local(Some(core)) => format!("the scratchpad of core {core}"),
    }
}

/// Returns the iteration of an instance in messages: ` in iteration (1, 2)`.
pub(crate) fn instance(values: &Values, loops: &[LoopId], second: bool) -> String {
    let of = |var: Var| {
        let var = if second { var.second() } else { var };
        values.get(&var).copied().unwrap_or(0)
    };
    let counters: Vec<_> = loops
        .iter()
        .map(|id| of(Var::Counter(*id)).to_string())
        .collect();
    let core = of(Var::Core);
    match counters.is_empty() {
        true => format!("core {core}"),
        false => format!("core {core} in iteration ({})", counters.join(", ")),
    }
}

/// Returns coordinates as a list.
pub(crate) fn list(values: &Values, vars: &[Var]) -> String {
    let numbers = vars
        .iter()
        .map(|var| values.get(var).copied().unwrap_or(0).to_string());
    format!("[{}]", numbers.collect::<Vec<_>>().join(", "))
}

/// Returns the location of an operation.
pub(crate) fn at<'p>(op: Op<'p>) -> Location<'p> {
    op.location()
}
