//! Rules of the published contract, SuperDSC-Bundle 1.0.0, that one file shows.
//!
//! The readers of the parts of a file check the rules of the format itself. The published table of OpFuncs limits the
//! tensors of an operation; it is data that the writer and the simulated card use too. Each module here checks the
//! parts that have been read against one column of the table or one section of the contract. It reports the numbers
//! that conflict and the way out. A part that is too broken to read has been reported; rules about it are left out.

mod constants;
mod division;
mod formats;
mod gather;
mod masks;
mod provenance;
mod relayout;
mod roles;
mod search;
mod sticks;
mod windows;

use spyre_ops::contract::{Category, Published};

use super::super::reader::Reader;
use super::constants::Constants;
use super::descriptors::Descriptor;
use super::nodes::{Node, Plan};
use super::sizes::{Extent, Mask};

pub(super) use provenance::check as provenance;

/// The parts of a file that the contract is about.
pub(super) struct Facts<'f, 'j> {
    /// The OpFunc.
    pub op: &'j str,
    /// The row in the table, if there is one.
    pub row: Option<&'static Published>,
    /// The place of the description, in bytes from the beginning of the text.
    pub offset: usize,
    /// Cores, extents, windows and layouts.
    pub plan: &'f Plan<'f, 'j>,
    /// The tensors, the output last; none if one is broken.
    pub tensors: &'f [Descriptor<'j>],
    /// The nodes, by the numbers of their tensors.
    pub nodes: &'f [Option<Node<'j>>],
    /// The index tensors that the operation lists, if it can be read.
    pub indices: Option<&'f [usize]>,
    /// The constants, unless they are broken.
    pub constants: Option<&'f Constants>,
    /// The masks.
    pub masks: &'f [Mask],
}

impl<'f, 'j> Facts<'f, 'j> {
    /// Returns the node of a tensor.
    fn node(&self, number: usize) -> Option<&'f Node<'j>> {
        self.nodes.get(number)?.as_ref()
    }

    /// Returns whether a tensor holds indices of another one.
    fn is_index(&self, number: usize) -> bool {
        self.node(number)
            .is_some_and(|node| node.link.kind == "index_tensor")
    }

    /// Returns the tensors that hold data, the output last.
    fn data(&self) -> Vec<&'f Descriptor<'j>> {
        let tensors = self.tensors.iter();
        tensors
            .filter(|tensor| !self.is_index(tensor.number))
            .collect()
    }

    /// Returns the inputs that hold data, and the output; `None` without an output.
    fn sides(&self) -> Option<(Vec<&'f Descriptor<'j>>, &'f Descriptor<'j>)> {
        let mut inputs = self.data();
        let output = inputs.pop()?;
        Some((inputs, output))
    }

    /// Returns the dimensions that an input has and the output does not have.
    fn reduced(&self) -> Vec<Extent<'j>> {
        let Some((inputs, output)) = self.sides() else {
            return Vec::new();
        };
        let extents = self.plan.extents.iter().copied();
        extents
            .filter(|extent| inputs.iter().any(|input| input.has(extent.dim)))
            .filter(|extent| !output.has(extent.dim))
            .collect()
    }

    /// Returns whether the operation is of a category.
    fn is(&self, category: Category) -> bool {
        self.row.is_some_and(|row| row.category == category)
    }
}

/// Checks a file.
pub(super) fn check(reader: &mut Reader, facts: &Facts<'_, '_>) {
    formats::check(reader, facts);
    constants::check(reader, facts);
    masks::check(reader, facts);
    windows::check(reader, facts);
    sticks::check(reader, facts);
    roles::check(reader, facts);
    search::check(reader, facts);
    division::check(reader, facts);
    gather::check(reader, facts);
    relayout::check(reader, facts);
}

/// Returns names in a sentence: `in, out`, or `none`.
fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.as_slice() {
        [] => "none".to_owned(),
        names => names.join(", "),
    }
}
