//! Contexts: the memory and the budget of isl.

use std::fmt;
use std::rc::Rc;

use crate::handle::RawContext;
use crate::memo::{Question, Shared};

/// The reason why isl has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The operations of the context are used up ([`Context::new`]).
    #[error("the budget of isl is used up")]
    Budget,
    /// Arguments that do not fit together, an optimum that is unbounded, or a fault of isl.
    #[error("isl: {0}")]
    Internal(String),
    /// A number of an answer or of a row does not fit into 64 bits, or there are too many dimensions.
    #[error("isl: {0}")]
    TooLarge(String),
}

/// Where relations live. Clones are the same context, and relations of two contexts cannot be combined.
///
/// isl keeps the last error and the count of operations in the context, so a context stays in its thread.
#[derive(Clone)]
pub struct Context {
    // Has relations, so it is freed before the context of isl.
    pub(crate) memo: Rc<Shared>,
    pub(crate) raw: Rc<RawContext>,
    budget: u64,
}

impl Context {
    /// Returns a context without relations. `budget` is the number of isl's operations that one decision may take, 0
    /// for any number. Afterwards each method returns [`Failure::Budget`], until [`Context::reset`].
    ///
    /// # Panics
    /// When there is no memory.
    #[must_use]
    pub fn new(budget: u64) -> Self {
        Self {
            memo: Rc::default(),
            raw: Rc::new(RawContext::new(budget)),
            budget,
        }
    }

    /// Returns the number of isl's operations that one decision may take, 0 for any number.
    #[must_use]
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// Starts the count of operations again: the budget is that of each decision, and not of all.
    pub fn reset(&self) {
        self.raw.reset_operations();
    }

    /// Calls a function with each question that isl answers from now on, but not with those that are answered from
    /// memory. It may not keep relations, which keep the context and so the function: tests keep their rows.
    pub fn listen(&self, listener: impl FnMut(&Question<'_>) + 'static) {
        self.memo.borrow_mut().set_listener(Box::new(listener));
    }

    /// Fails unless `other` is the same context.
    pub(crate) fn check_same(&self, other: &Self) -> Result<(), Failure> {
        if Rc::ptr_eq(&self.raw, &other.raw) {
            Ok(())
        } else {
            Err(Failure::Internal("relations of two contexts".to_owned()))
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Context").finish_non_exhaustive()
    }
}
