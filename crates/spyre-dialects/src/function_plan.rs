//! The plan of a function: `#spyre.plan`.

use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, AttributeLike};

use crate::ffi;
use crate::names::PLAN;

/// The decisions about a function that are no hints of its operations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FunctionPlan {
    /// Whether arguments are copied into the scratchpad where that saves reads.
    pub cache_arguments: bool,
    /// Whether values move from scratchpad to scratchpad where that takes less time.
    pub relayouts: bool,
    /// The objective of splits that are chosen for all operations together; `None` where each is chosen by itself.
    pub divisions: Option<DivisionGoals>,
}

/// The objective of splits that are chosen for all operations together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DivisionGoals {
    /// The factor on the time of moving results of operations, at least 1. More than 1 where bytes are to be saved
    /// first.
    pub memory_weight: u64,
    /// The most bytes that the function may move from and to device memory, if they are limited.
    pub most_bytes: Option<u64>,
}

impl FunctionPlan {
    /// Returns the plan of a function; `None` if it has none.
    #[must_use]
    pub fn of_function(function: OperationRef<'_, '_>) -> Option<Self> {
        let raw = function.attribute(PLAN).ok()?.to_raw();
        // SAFETY: a live attribute; the accessors match its kind.
        let (cache_arguments, relayouts, memory_weight, most_bytes) = unsafe {
            // SD17
            assert!(ffi::spyreAttributeIsAPlan(raw), "spyre.plan is #spyre.plan");
            (
                ffi::spyrePlanGetCacheArguments(raw),
                ffi::spyrePlanGetRelayouts(raw),
                ffi::spyrePlanGetMemoryWeight(raw),
                ffi::spyrePlanGetMostBytes(raw),
            )
        };
        // Numbers that are present are positive (SN1).
        let present = |number: i64| (number > 0).then(|| number.unsigned_abs());
        let divisions = present(memory_weight).map(|memory_weight| DivisionGoals {
            memory_weight,
            most_bytes: present(most_bytes),
        });
        Some(Self {
            cache_arguments,
            relayouts,
            divisions,
        })
    }

    /// Builds a `#spyre.plan`.
    ///
    /// # Panics
    /// A number of `divisions` is 0 or beyond `i64`.
    #[must_use]
    pub fn attribute(self, context: &Context) -> Attribute<'_> {
        let number = |number: u64| {
            let number = i64::try_from(number).ok().filter(|number| *number > 0);
            number.expect("numbers of a plan are positive and fit into its attribute")
        };
        let weight = self.divisions.map(|goals| number(goals.memory_weight));
        let bytes = self.divisions.and_then(|goals| goals.most_bytes);
        // SAFETY: the context is live, and the numbers are of a valid plan.
        unsafe {
            Attribute::from_raw(ffi::spyrePlanGet(
                context.to_raw(),
                self.cache_arguments,
                self.relayouts,
                weight.unwrap_or(0),
                bytes.map_or(0, number),
            ))
        }
    }
}
