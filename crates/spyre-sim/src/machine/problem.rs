//! Faults without their places in a program.

use crate::read::{Operation, Tensor};
use crate::report::FaultKind;

use super::view::IS_INSIDE;

/// A fault without its place in the program, which the machine adds.
#[derive(Debug)]
pub(crate) struct Problem {
    pub kind: FaultKind,
    pub message: String,
    pub tensor: Option<String>,
    pub core: Option<u16>,
    pub memory: Option<String>,
    pub address: Option<i64>,
    pub element: Vec<(String, u64)>,
    /// The number of times that it was found.
    pub count: u64,
}

impl Problem {
    pub(crate) fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            tensor: None,
            core: None,
            memory: None,
            address: None,
            element: Vec::new(),
            count: 1,
        }
    }

    pub(crate) fn on(mut self, op: &Operation, tensor: &Tensor) -> Self {
        self.tensor = Some(tensor_name(op, tensor));
        self
    }

    pub(crate) fn of_core(mut self, core: u16) -> Self {
        self.core = Some(core);
        self
    }

    pub(crate) fn at(mut self, memory: &str, address: i64) -> Self {
        self.memory = Some(memory.to_owned());
        self.address = Some(address);
        self
    }

    pub(crate) fn at_byte(self, memory: &str, byte: u64) -> Self {
        self.at(memory, i64::try_from(byte).expect(IS_INSIDE))
    }
}

/// Returns the name of a tensor in reports.
pub(crate) fn tensor_name(op: &Operation, tensor: &Tensor) -> String {
    let inputs = op.inputs.iter();
    match inputs
        .enumerate()
        .find(|(_, input)| input.index == tensor.index)
    {
        Some((at, _)) => format!("Tensor{} (input {at})", tensor.index),
        None => format!("Tensor{} (output)", tensor.index),
    }
}
