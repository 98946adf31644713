//! Bundles that the generator writes, next to programs that are made by hand.

mod bundles;
mod copies;
mod damages;
mod programs;
