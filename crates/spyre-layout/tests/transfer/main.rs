//! Copies between host and device memory, checked element by element.
//!
//! `properties.rs` runs 100,000 random cases. For more, or in a release build:
//!
//! ```sh
//! PROPTEST_CASES=1000000 cargo test --release -p spyre-layout --test transfer properties
//! cargo test --release -p spyre-layout --test transfer speed -- --ignored --nocapture
//! ```

mod check;
mod conversions;
mod dl16;
mod exhaustive;
mod properties;
mod specification;
mod speed;
