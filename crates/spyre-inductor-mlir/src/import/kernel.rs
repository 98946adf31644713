//! Kernels from outside, their results, and concatenations.

use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::{Type, ValueLike};
use spyre_dialects::inductor_attr;
use spyre_inductor::schema;
use spyre_mlir_rt::ir::OpParts;
use spyre_ods::inductor;

use super::super::op;
use super::super::table::{self, Kind};
use super::build::{Results, result};
use super::fields::Tensors;
use super::path::Path;
use super::{Import, Result, error};

impl<'p> Import<'p> {
    /// Imports a kernel from outside, one of its results, a concatenation, or a buffer without writes, such as that of
    /// `torch.empty`.
    pub(super) fn kernel(
        &mut self,
        path: &Path<'_>,
        (row, of): (&Kind, &schema::Op),
        buffer: &str,
    ) -> Result<()> {
        let empty = schema::Extern {
            class: op::EMPTY.into(),
            ..schema::Extern::default()
        };
        let kernel = match &of.kernel {
            Some(kernel) => kernel,
            None if of.kind == schema::OpKind::Nop => &empty,
            None => return error(path, format!("{} has the field extern", row.noun)),
        };
        let ty = self.result_type(path, buffer)?;
        if ty.is_none() && (row.class.is_some() || of.kernel.is_none()) {
            return error(path, format!("{} must have a layout", row.noun));
        }
        let parts = self.common(row, path, of)?;
        let path = &path.field("extern");
        let inputs = self.refs(&path.field("inputs"), &kernel.inputs)?;
        if row.kind == schema::OpKind::MultiOutput {
            self.check_results(path)?;
        }
        let fields = (row.noun, kernel, row.kernel);
        let mut parts = self.fields(parts, path, fields)?;
        if self.tensors.refs.len() != kernel.inputs.len() {
            parts = parts.with(op::INPUTS, inputs);
        }
        let mut results: Results<'p> = ty.into_iter().collect();
        let mutates = of.mutates.as_deref().unwrap_or_default();
        let mut numbers = Vec::new();
        for name in mutates {
            let mut refs = self.tensors.refs.iter();
            let number =
                refs.position(|other| matches!(other, schema::Ref::Buffer(it, None) if it == name));
            let Some(number) = number else {
                let message = format!("'{name}' is written, but is not among the tensors");
                return error(path.field(table::MUTATES), message);
            };
            results.push(self.tensors.values[number].r#type());
            numbers.push(i64::try_from(number).expect("operands are counted"));
        }
        if !numbers.is_empty() {
            let numbers = DenseI64ArrayAttribute::new(self.context, &numbers);
            parts = parts.with(table::MUTATES, numbers);
        }
        let parts = parts.operand_group(&self.tensors.values);
        let built = self.insert(&of.name, parts, &results);
        let first = usize::from(ty.is_some());
        if ty.is_some() {
            self.define(path, buffer, result(built, 0))?;
        }
        for (number, name) in mutates.iter().enumerate() {
            self.replace(name, result(built, first + number));
        }
        Ok(())
    }

    /// Checks the input of one result of a kernel: the results.
    fn check_results(&self, path: &Path<'_>) -> Result<()> {
        let tensors = (self.tensors.refs.as_slice(), self.tensors.values.as_slice());
        let ([schema::Ref::Buffer(name, None)], [results]) = tensors else {
            return error(path, "a result of a kernel has indices and one input");
        };
        if results.r#type() != inductor_attr::results_type(self.context) {
            let inputs = path.field("inputs");
            return error(inputs.item(0), format!("'{name}' is one tensor"));
        }
        Ok(())
    }

    /// Returns the type of the result of a kernel; `None` if it is no value.
    fn result_type(&mut self, path: &Path<'_>, buffer: &str) -> Result<Option<Type<'p>>> {
        let Some(number) = self.buffers.get(buffer).copied() else {
            return error(path, format!("'{buffer}' is not among the buffers"));
        };
        Ok(match self.head.buffers[number].lowered.kind {
            schema::LayoutKind::MultiOutput => Some(inductor_attr::results_type(self.context)),
            schema::LayoutKind::None => None,
            _ => Some(self.lowered_type(number)?),
        })
    }

    /// Imports the outputs of the graph.
    pub(super) fn outputs(&mut self, outputs: &[schema::Ref]) -> Result<()> {
        let path = Path::Root.field("outputs");
        self.tensors = Tensors::default();
        let is_list = |output: &schema::Ref| matches!(output, schema::Ref::List(_));
        if let Some(number) = outputs.iter().position(is_list) {
            return error(
                path.item(number),
                "an output must be a buffer, but is a list",
            );
        }
        let list = self.refs(&path, outputs)?;
        let mut parts = OpParts::named(inductor::RETURN, &self.tensors.values);
        if self.tensors.refs.len() != outputs.len() {
            parts = parts.with(table::OUTPUTS, list);
        }
        if !self.mutated.is_empty() {
            let values = self.mutated.iter().map(|name| self.values[name]);
            parts.operands.extend(values);
            parts = parts.with(table::MUTATED, self.strings(&self.mutated));
        }
        self.insert("outputs", parts, &[]);
        Ok(())
    }
}
