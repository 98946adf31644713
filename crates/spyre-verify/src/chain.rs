//! Checks which operations write the operands of a normalisation.
//!
//! `layernormnorm` takes the pair that `exx2` writes, and the scale that `layernormscale` computes from the pair (K30).
//! The file of an operation does not name the producers of its operands. They are identified by address: the producer
//! is the last operation that wrote there. Operands with addresses that depend on loops are not checked.

use rustc_hash::FxHashMap;

use super::Findings;
use super::address::Base;
use super::function::Execute;
use super::rules::NORMALISATION;
use super::sdsc::{Memory, Sdsc, Tensor};

/// The operands of `layernormnorm`: the tensor to normalise, the pair, the scale, weight and bias, and its result.
const TENSORS: usize = 6;

/// The operands of a normalisation that other operations write: the operation, the number of the operand, its writer, and its name.
const OPERANDS: [(&str, usize, &str, &str); 3] = [
    ("layernormscale", 0, "exx2", "the pair of sums"),
    ("layernormnorm", 1, "exx2", "the pair of sums"),
    ("layernormnorm", 2, "layernormscale", "the scale"),
];

/// A place on the first core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// Bytes from a base in device memory.
    Device(Base, i64),
    /// Bytes in the scratchpad.
    Lx(i64),
}

/// The operations that wrote places, with their files.
#[derive(Debug, Default)]
pub(crate) struct Chain(FxHashMap<Place, (String, String)>);

impl Chain {
    /// Checks the operands of a normalisation, and records the result of an execution.
    pub(crate) fn execute(&mut self, execute: &Execute, sdsc: &Sdsc, findings: &mut Findings) {
        let Some(op) = sdsc.op.as_deref() else {
            return;
        };
        for (_, number, writer, what) in OPERANDS.iter().filter(|(operation, ..)| *operation == op)
        {
            let tensor = sdsc.tensors.iter().find(|tensor| tensor.number == *number);
            let place = tensor.filter(|tensor| !tensor.is_output);
            let place = place.and_then(|tensor| place_of(execute, tensor));
            let producer = place.and_then(|place| self.0.get(&place));
            if let Some((earlier, file)) = producer.filter(|(earlier, _)| earlier != writer) {
                let message = format!(
                    "tensor {number} of '{}' is {what}, which '{writer}' writes, but '{earlier}' of '{file}' has written it",
                    execute.file
                );
                findings.at(NORMALISATION, execute.place, message);
            }
        }
        // A file with broken tensors has been reported.
        let count = sdsc.tensors.len();
        if op == "layernormnorm" && sdsc.symbols.is_some() && count < TENSORS {
            let message = format!(
                "'{}' has {} operands of 'layernormnorm', but must have {}: weight and bias too, 1 and 0 where there are none",
                execute.file,
                count.saturating_sub(1),
                TENSORS - 1
            );
            findings.at(NORMALISATION, execute.place, message);
        }
        for tensor in sdsc.tensors.iter().filter(|tensor| tensor.is_output) {
            match place_of(execute, tensor) {
                Some(place) => {
                    let writer = (op.to_owned(), execute.file.clone());
                    self.0.insert(place, writer);
                }
                // The tensor is written at an unknown place.
                None => self.0.clear(),
            }
        }
    }
}

/// Returns the place of a tensor; `None` if loops move it, or if it is unknown.
fn place_of(execute: &Execute, tensor: &Tensor) -> Option<Place> {
    let start = *tensor.starts.first()?;
    match tensor.memory {
        Memory::Lx => Some(Place::Lx(start)),
        Memory::Concrete => Some(Place::Device(Base::None, start)),
        Memory::Symbolic => {
            let (_, address) = execute.bindings.iter().find(|(id, _)| *id == start)?;
            let address = address
                .as_ref()
                .filter(|address| address.steps.is_empty())?;
            Some(Place::Device(address.base, address.constant))
        }
    }
}
