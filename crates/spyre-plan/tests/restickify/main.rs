//! The choice of layouts: against brute force, the costs of the specification, and at scale.

mod enumerated;
mod errors;
mod model;
mod random;
mod reference;
mod scaling;
