//! Copies between host and device memory, checked element by element.
//!
//! `exhaustive.rs` and `properties.rs` make 14,770 and 86,000 cases. For more random ones, and for the
//! speed:
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
