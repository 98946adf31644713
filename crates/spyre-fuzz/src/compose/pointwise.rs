//! Operations element by element, and casts.

use super::{BoundedValue, Builder, pick};
use crate::program::{Element, OperationKind, Tensor, Value};
use crate::recipe::Step;
use crate::vocabulary::VOCABULARY;

impl Builder {
    /// Returns whether a value's elements are integers of the device, which has few operations on them.
    fn is_integer(&self, value: &BoundedValue) -> bool {
        self.program.tensor(value.value).element == Element::I32
    }

    pub(super) fn binary(&mut self, step: &Step, first: BoundedValue) -> Value {
        let (second, axes) = self.partner(step, &first);
        let element = self.program.tensor(first.value).element;
        let mut mnemonic = pick(&VOCABULARY.binary, step.variant);
        if !VOCABULARY.exact_binary.contains(&mnemonic) && element == Element::I32 {
            mnemonic = "sub";
        }
        let bounds = first.bound.zip(second.bound);
        let bound = match mnemonic {
            "mul" => bounds.map(|(a, b)| a.saturating_mul(b)),
            "add" | "sub" | "revsub" | "biasadd" => bounds.map(|(a, b)| a + b),
            "maximum" | "minimum" => bounds.map(|(a, b)| a.max(b)),
            _ => None,
        };
        let tensor = Tensor { element, axes };
        let operands = vec![first.value, second.value];
        self.add(
            OperationKind::Elementwise(mnemonic, ""),
            operands,
            tensor,
            bound,
        )
    }

    pub(super) fn exact_unary(&mut self, step: &Step, operand: BoundedValue) -> Value {
        if self.is_integer(&operand) {
            return self.integer_unary(step, operand);
        }
        let (mnemonic, rest) = pick(&VOCABULARY.exact, step.variant);
        let bound = match mnemonic {
            "clip" => operand.bound.map(|bound| bound.min(2)),
            "relu6fwd" => operand.bound.map(|bound| bound.min(6)),
            _ => operand.bound,
        };
        let tensor = self.program.tensor(operand.value).clone();
        self.add(
            OperationKind::Elementwise(mnemonic, rest),
            vec![operand.value],
            tensor,
            bound,
        )
    }

    /// Adds a copy of integers, or gives their bits the type of floats and back.
    fn integer_unary(&mut self, step: &Step, operand: BoundedValue) -> Value {
        let tensor = self.program.tensor(operand.value).clone();
        let mut operands = vec![operand.value];
        let mut mnemonic = "copy";
        if step.variant % 2 == 1 {
            let float = Tensor {
                element: Element::F32,
                axes: tensor.axes.clone(),
            };
            mnemonic = "bitcast";
            operands = vec![self.add(
                OperationKind::Elementwise(mnemonic, ""),
                operands,
                float,
                None,
            )];
        }
        self.add(
            OperationKind::Elementwise(mnemonic, ""),
            operands,
            tensor,
            operand.bound,
        )
    }

    pub(super) fn unary(&mut self, step: &Step, operand: BoundedValue) -> Value {
        if self.is_integer(&operand) {
            return self.exact_unary(step, operand);
        }
        let (mnemonic, rest) = pick(&VOCABULARY.inexact, step.variant);
        let tensor = self.program.tensor(operand.value).clone();
        self.add(
            OperationKind::Elementwise(mnemonic, rest),
            vec![operand.value],
            tensor,
            None,
        )
    }

    /// Adds a comparison, and a choice by it.
    pub(super) fn select(&mut self, step: &Step, first: BoundedValue) -> Value {
        let (second, axes) = self.partner(step, &first);
        let operands = vec![first.value, second.value];
        let truth = Tensor {
            element: Element::Bool,
            axes: axes.clone(),
        };
        let element = self.program.tensor(first.value).element;
        let comparison =
            OperationKind::Elementwise(pick(&VOCABULARY.comparisons, step.variant), "");
        let condition = self.add(comparison, operands.clone(), truth, None);
        let tensor = Tensor { element, axes };
        let bound = first.bound.zip(second.bound).map(|(a, b)| a.max(b));
        let operands = [vec![condition], operands].concat();
        self.add(
            OperationKind::Elementwise("where3", ""),
            operands,
            tensor,
            bound,
        )
    }

    /// Adds a cast to the other float format of the device.
    pub(super) fn cast(&mut self, step: &Step, operand: BoundedValue) -> Value {
        let Tensor { element, axes } = self.program.tensor(operand.value).clone();
        if !operand.cast && !self.fills_sticks(&axes) {
            return self.exact_unary(step, operand);
        }
        let (mnemonic, element) = match element {
            Element::F16 | Element::Bf16 => ("dl16tofp32", Element::F32),
            Element::F32 if operand.cast && self.element != Element::F32 => {
                ("fp32todl16", self.element)
            }
            Element::F32 => ("fp32todl16", Element::F16),
            Element::I32 | Element::Bool => return self.exact_unary(step, operand),
        };
        let tensor = Tensor { element, axes };
        self.add(
            OperationKind::Elementwise(mnemonic, ""),
            vec![operand.value],
            tensor,
            operand.bound,
        )
    }

    /// Adds the cast back of every cast value without uses: the order of elements in the sticks of a cast is unknown to
    /// the host.
    pub(super) fn cast_back(&mut self) {
        let operations = &self.program.operations;
        let is_used = |value: Value| operations.iter().any(|op| op.operands.contains(&value));
        let candidates = self
            .values
            .iter()
            .filter(|candidates| candidates.cast && !is_used(candidates.value));
        let candidates: Vec<BoundedValue> = candidates.cloned().collect();
        let cast: Vec<Value> = self
            .values
            .iter()
            .filter(|candidate| candidate.cast)
            .map(|candidate| candidate.value)
            .collect();
        self.returned.retain(|value| !cast.contains(value));
        for candidate in candidates {
            let Tensor { element, axes } = self.program.tensor(candidate.value).clone();
            let (mnemonic, element) = match element {
                Element::F32 if self.element == Element::F32 => ("fp32todl16", Element::F16),
                Element::F32 => ("fp32todl16", self.element),
                _ => ("dl16tofp32", Element::F32),
            };
            let tensor = Tensor { element, axes };
            self.add(
                OperationKind::Elementwise(mnemonic, ""),
                vec![candidate.value],
                tensor,
                candidate.bound,
            );
        }
    }

    /// Adds an operation that a cast value may have: an operation element by element, or the cast back.
    pub(super) fn after_cast(&mut self, step: &Step, operand: BoundedValue) -> Value {
        match step.operation {
            0..=7 => self.binary(step, operand),
            8..=11 => self.exact_unary(step, operand),
            12..=15 => self.unary(step, operand),
            16..=19 => self.select(step, operand),
            _ => self.cast(step, operand),
        }
    }
}
