//! Every class of operations, from files of the generator, against values that are computed here.

#[path = "../common/mod.rs"]
mod common;

mod card;
mod definitions;
mod elementwise;
mod formats;
mod norms;
mod places;
mod products;
mod reductions;
mod separate;
mod sizes;
mod uses;
mod values;
