//! Kernels from outside, their results, and concatenations.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_inductor::schema;
use spyre_mlir_rt::ir::{self, Op};

use super::super::op;
use super::super::program::{result, text};
use super::super::table::{self, Kind};
use super::{Export, Result};

impl Export {
    /// Exports a kernel from outside, one of its results, a concatenation, or a buffer without writes.
    pub(super) fn kernel<'p>(&mut self, row: &Kind, op: Op<'p>) -> Result<'p, ()> {
        let mut exported = self.common(op, row.kind)?;
        let mut kernel = schema::Extern {
            class: row.class.unwrap_or_default().into(),
            inputs: self.inputs(op, op::INPUTS, op.operand_count())?,
            ..schema::Extern::default()
        };
        self.fields(op, row.kernel, &mut kernel)?;
        let mutates = attr::dense_signed_integers(ir::attribute(op, table::MUTATES));
        let mutates = mutates.unwrap_or_default();
        let count = op.result_count() - mutates.len();
        let lowered = match (count, ir::result(op, 0)) {
            (1, Some(value)) if ir::is_ranked_tensor(value.r#type()) => {
                self.layout(op, value.r#type())?
            }
            (1, _) => Self::no_tensor(schema::LayoutKind::MultiOutput),
            _ => Self::no_tensor(schema::LayoutKind::None),
        };
        if kernel.class == op::EMPTY && op.operand_count() == 0 {
            // In PyTorch its loops have no iterations.
            exported.kind = schema::OpKind::Nop;
            exported.dtype = lowered.dtype.clone();
            let rank = lowered.size.as_ref().map_or(0, Vec::len);
            exported.ranges = Some(vec![schema::Expr::Number(0); rank]);
        } else {
            exported.kernel = Some(kernel);
        }
        self.define(op, (count == 1).then(|| result(op, 0)), lowered);
        if row.kind == schema::OpKind::Concat {
            self.parts(op);
        }
        let mut written = Vec::new();
        for (number, operand) in mutates.iter().enumerate() {
            let operand = usize::try_from(*operand).expect("IN23");
            let value = ir::operand(op, operand).expect("IN23");
            let name = self.buffer(op, value)?;
            let after = result(op, count + number);
            self.names.insert(ir::value_key(after), name.clone());
            written.push(name);
        }
        exported.mutates = (!written.is_empty()).then_some(written);
        self.graph.ops.push(exported);
        Ok(())
    }

    /// Adds the buffer of a concatenation to its parts that are inside of it.
    fn parts(&mut self, op: Op<'_>) {
        let whole = text(op, table::BUFFER);
        let parts = op.operands();
        let parts = parts.filter_map(|part| self.names.get(&ir::value_key(part)));
        for name in parts {
            let mut buffers = self.graph.buffers.iter_mut();
            let buffer = buffers.find(|buffer| buffer.name == *name);
            let is_part = |kind| kind == schema::LayoutKind::NonOwning;
            let Some(buffer) = buffer.filter(|buffer| is_part(buffer.lowered.kind)) else {
                continue;
            };
            buffer.lowered.base = Some(whole.clone());
            let mut ops = self.graph.ops.iter_mut();
            if let Some(op) = ops.find(|op| op.buffers.contains(name)) {
                op.aliases = Some(vec![whole.clone()]);
            }
        }
    }
}
