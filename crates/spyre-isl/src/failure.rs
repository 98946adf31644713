//! The reasons why isl has no answer.

/// The reason why isl has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The operations of the context are used up ([`Context::new`](crate::Context::new)).
    #[error("the budget of isl is used up")]
    Budget,
    /// Arguments that do not fit together, an optimum that is unbounded, or a fault of isl.
    #[error("isl: {0}")]
    Internal(String),
    /// A number of an answer or of a row does not fit into 64 bits, or there are too many dimensions.
    #[error("isl: {0}")]
    TooLarge(String),
}
