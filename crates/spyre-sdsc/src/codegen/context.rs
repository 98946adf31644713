//! The operation being planned, and errors that name it.

use std::fmt;

use super::PlanOptions;
use crate::error::{Error, OpRef, TilingError};
use crate::expr::ExprError;
use crate::model::{DebugHandle, OpSpec};
use crate::ordered::Json;
use crate::revision::Revision;

pub(super) struct Context<'a> {
    pub(super) op: &'a OpSpec,
    pub(super) at: OpRef,
    /// The revision whose rules apply where revisions differ.
    pub(super) revision: Revision,
    /// The revision of the masks and constants.
    pub(super) numbers: Revision,
}

impl<'a> Context<'a> {
    /// Returns the context of an operation at a position in file order.
    pub(super) fn new(op: &'a OpSpec, index: usize, options: &PlanOptions) -> Self {
        Self {
            op,
            at: OpRef {
                name: op.op.clone(),
                index,
            },
            revision: options.revision,
            numbers: options.numbers.unwrap_or(options.revision),
        }
    }
}

impl Context<'_> {
    pub(super) fn unsupported(&self, reason: impl Into<String>) -> Error {
        Error::Unsupported {
            op: self.at.clone(),
            reason: reason.into(),
        }
    }

    pub(super) fn unspecified(&self, field: impl Into<String>, rule: &'static str) -> Error {
        Error::Unspecified {
            op: self.at.clone(),
            field: field.into(),
            rule,
        }
    }

    pub(super) fn inconsistent(&self, problem: impl Into<String>) -> Error {
        Error::Inconsistent {
            op: self.at.clone(),
            problem: problem.into(),
        }
    }

    /// Returns the provenance of the operation as files hold it.
    pub(super) fn provenance(&self) -> Result<Option<Json>, Error> {
        let handle = self.op.debug_handle.as_ref();
        let Some(handle) = handle.filter(|handle| **handle != Json::Null) else {
            return Ok(None);
        };
        if !self.revision.completes_provenance() {
            return Ok(Some(handle.clone()));
        }
        let handle = DebugHandle::read(handle).map_err(|err| self.inconsistent(err.to_string()))?;
        Ok(Some(handle.json()))
    }

    pub(super) fn overflow(&self, what: impl Into<String>) -> Error {
        Error::Overflow {
            op: self.at.clone(),
            what: what.into(),
        }
    }

    pub(super) fn expr(&self, source: ExprError) -> Error {
        Error::Expr {
            op: self.at.clone(),
            source,
        }
    }

    pub(super) fn tiling(&self, source: TilingError) -> Error {
        Error::Tiling {
            op: self.at.clone(),
            source,
        }
    }

    /// The product of `factors`, kept below 2^63 so that it also fits a signed address.
    pub(super) fn product(
        &self,
        factors: impl IntoIterator<Item = u64>,
        what: impl fmt::Display,
    ) -> Result<u64, Error> {
        factors
            .into_iter()
            .try_fold(1_u64, u64::checked_mul)
            .filter(|product| i64::try_from(*product).is_ok())
            .ok_or_else(|| self.overflow(what.to_string()))
    }

    /// `size` rounded up to a multiple of `unit`, which is not zero.
    pub(super) fn round_up(
        &self,
        size: u64,
        unit: u64,
        what: impl fmt::Display,
    ) -> Result<u64, Error> {
        size.checked_next_multiple_of(unit)
            .ok_or_else(|| self.overflow(what.to_string()))
    }
}
