//! The machine: memories, arguments, and the report, the traffic and the trace of runs.

mod bind;
mod choose;
mod compute;
mod contract;
mod execute;
mod gather;
mod history;
mod order;
mod pairs;
mod pending;
mod place;
mod problem;
mod range;
mod relayout;
mod topk;
mod uses;
mod view;

use spyre_plan::Target;

use crate::kernels::Rounding;
use crate::memory::{Memory, Region, RegionId};
use crate::report::{Fault, OpSite, RangeLoss, RangeSource, Report};
use crate::stats::Stats;
use crate::trace::Trace;

pub use bind::{BindError, SegmentId};
pub(crate) use execute::{Job, Movement};
pub(crate) use problem::{Problem, tensor_name};
pub(crate) use range::Beyond;
pub use uses::{ArgumentUse, UseError};

/// The distance of arguments: a segment for each.
const SEGMENT: i64 = Target::CARD.segment_bytes.get().cast_signed();

/// Bounds of a run, so that a damaged bundle ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Limits {
    /// Points of iteration spaces that are visited, and iterations of loops, all together.
    pub steps: u64,
}

impl Default for Limits {
    /// 2^40: days.
    fn default() -> Self {
        Self { steps: 1 << 40 }
    }
}

/// A parameter's value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument {
    Tensor(RegionId),
    Size(i64),
}

/// An argument, by its position among the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentId(pub(crate) usize);

/// A card on which bundles run. Unwritten memory is poison.
#[derive(Debug)]
pub struct Machine {
    pub(crate) target: Target,
    pub(crate) rounding: Rounding,
    pub(crate) limits: Limits,
    pub(crate) memory: Memory,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) report: Report,
    pub(crate) stats: Stats,
    pub(crate) trace: Option<Trace>,
}

impl Machine {
    /// A card as described, with unwritten memory.
    #[must_use]
    pub fn new(target: Target) -> Self {
        Self {
            target,
            rounding: Rounding::default(),
            limits: Limits::default(),
            memory: Memory::new(target.lx_bytes),
            arguments: Vec::new(),
            report: Report::default(),
            stats: Stats::default(),
            trace: None,
        }
    }

    /// Sets how 16-bit floats are stored. To be called before arguments are bound.
    #[must_use]
    pub fn with_rounding(mut self, rounding: Rounding) -> Self {
        self.rounding = rounding;
        self
    }

    /// Sets the bounds of a run.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Keeps an event for each core and execution.
    #[must_use]
    pub fn with_trace(mut self) -> Self {
        self.trace = Some(Trace::default());
        self
    }

    /// Returns the faults and warnings of all runs.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Returns the traffic so far.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Returns the events, if the machine [keeps them](Self::with_trace).
    #[must_use]
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Returns where the next region can start, if it has addresses of 63 bits there.
    pub(crate) fn next_base(&self, size: u64) -> Option<i64> {
        let mut end = 0_i64;
        for region in self.memory.hbm() {
            end = end.max(region.base.checked_add_unsigned(region.size)?);
        }
        // A segment between two, so that an address that leaves one is in no other.
        let next = (end / SEGMENT + 2).checked_mul(SEGMENT)?;
        next.checked_add_unsigned(size).map(|_| next)
    }

    /// Allocates the pool; `None` if the addresses do not suffice.
    pub(crate) fn allocate(&mut self, bytes: u64) -> Option<i64> {
        let base = self.next_base(bytes)?;
        let region = Region::new("the pool", base, spyre_layout::Bytes(bytes)).temporary();
        self.memory.add(region);
        Some(base)
    }

    /// Puts the results of an execution that depend on the range of the card's numbers into the report.
    pub(crate) fn add_beyond(&mut self, beyond: Beyond, source: RangeSource, iteration: &[i64]) {
        let Beyond {
            count,
            core,
            element,
        } = beyond;
        self.report.add_range_loss(RangeLoss {
            source,
            iteration: iteration.to_vec(),
            core: Some(core),
            element,
            count,
        });
    }

    /// Puts a problem into the report.
    pub(crate) fn add_problem(&mut self, problem: Problem, site: &OpSite, iteration: &[i64]) {
        let Problem {
            kind,
            message,
            tensor,
            core,
            memory,
            address,
            element,
            count,
        } = problem;
        let named = tensor.clone();
        let key = (kind, Some(site.place), named);
        self.report.add(key, count, || Fault {
            kind,
            op: Some(site.clone()),
            iteration: iteration.to_vec(),
            core,
            tensor,
            memory,
            address,
            element,
            message,
            count: 0,
        });
    }
}
