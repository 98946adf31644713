//! The values that symbols stand for (SDSC bundle specification, section 2.4).

use super::ast::{AffineMap, Stmt, ValueId};
use super::emit::Emitter;
use super::symbols::SymbolKind;
use super::tree::PlannedOp;
use crate::Bytes;

impl Emitter<'_> {
    /// Declares the values that an operation's symbols stand for, each once in the function, and lists them
    /// (SDSC bundle specification, section 2.4).
    pub(super) fn declare(&mut self, op: &PlannedOp, body: &mut Vec<Stmt>) -> Vec<Option<ValueId>> {
        let mut values = Vec::with_capacity(op.symbols.kinds().len());
        for (position, kind) in op.symbols.kinds().iter().enumerate() {
            let value = match kind {
                SymbolKind::Literal(value) => {
                    let name = format!("sym_{}", op.base.id(position).get().unsigned_abs());
                    Some(self.constant(name, value.get(), body))
                }
                kind => self.value_of(kind, body),
            };
            values.push(value);
        }
        values
    }

    /// The value of an address or a runtime size, declared if it is new (SDSC bundle specification, section 2.4).
    fn value_of(&mut self, kind: &SymbolKind, body: &mut Vec<Stmt>) -> Option<ValueId> {
        if let Some(value) = self.values.get(kind) {
            return Some(*value);
        }
        let value = match kind {
            // Parameters are declared already.
            SymbolKind::Kernel(_) | SymbolKind::Dimension(_) | SymbolKind::Literal(_) => {
                return None;
            }
            SymbolKind::KernelSlice { arg, offset } => {
                let base = self.value_of(&SymbolKind::Kernel(*arg), body)?;
                let names = (
                    format!("arg_{arg}_slice_offset_{}", offset.get()),
                    format!("arg_{arg}_slice_{}", offset.get()),
                );
                self.sum(names, base, *offset, body)
            }
            SymbolKind::Core { arg, slice, offset } => {
                let base = match slice {
                    Some(offset) => SymbolKind::KernelSlice {
                        arg: *arg,
                        offset: *offset,
                    },
                    None => SymbolKind::Kernel(*arg),
                };
                let base = self.value_of(&base, body)?;
                let stem = self.function.name(base);
                let names = (
                    format!("{stem}_core_offset_{}", offset.get()),
                    format!("{stem}_core_{}", offset.get()),
                );
                self.sum(names, base, *offset, body)
            }
            SymbolKind::Pool { offset } => {
                let base = self.pool?;
                let names = (
                    format!("pool_offset_{}", offset.get()),
                    format!("pool_addr_{}", offset.get()),
                );
                self.sum(names, base, *offset, body)
            }
            SymbolKind::Sized { start, per_size } => {
                let base = self.value_of(start, body)?;
                let mut name = self.function.name(base).to_owned();
                let mut sizes = Vec::with_capacity(per_size.len());
                for step in per_size {
                    let size = SymbolKind::Dimension(step.size.clone());
                    let size = self.value_of(&size, body)?;
                    let (size_name, bytes) = (self.function.name(size), step.bytes.get());
                    name.push_str(&format!("_{size_name}_times_{bytes}"));
                    sizes.push(size);
                }
                let strides = per_size.iter().map(|step| step.bytes).collect();
                let map = self.map_number(AffineMap { strides });
                let result = self.define(name);
                body.push(Stmt::Apply {
                    result,
                    map,
                    ivs: sizes,
                    base,
                });
                result
            }
        };
        self.values.insert(kind.clone(), value);
        Some(value)
    }

    /// Declares `base` plus a constant; `names` are those of the constant and of the sum.
    fn sum(
        &mut self,
        names: (String, String),
        base: ValueId,
        offset: Bytes,
        body: &mut Vec<Stmt>,
    ) -> ValueId {
        let rhs = self.constant(names.0, offset.get(), body);
        let result = self.define(names.1);
        body.push(Stmt::AddI {
            result,
            lhs: base,
            rhs,
        });
        result
    }
}
