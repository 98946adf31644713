//! The values of symbols (SDSC bundle specification, section 2.4).

use std::fmt::Arguments;

use super::ast::{AffineMap, Stmt, ValueId};
use super::emit::Emitter;
use super::symbols::SymbolKind;
use super::tree::PlannedOp;
use crate::Bytes;

impl Emitter<'_> {
    /// Declares the values of an operation's symbols, each once in the function, and lists them (SDSC bundle
    /// specification, section 2.4).
    pub(super) fn declare(&mut self, op: &PlannedOp, body: &mut Vec<Stmt>) -> Vec<Option<ValueId>> {
        let mut values = Vec::with_capacity(op.symbols.kinds().len());
        for (position, kind) in op.symbols.kinds().iter().enumerate() {
            let value = match kind {
                SymbolKind::Literal(value) => {
                    let number = op.base.id(position).get().unsigned_abs();
                    let name = format_args!("sym_{number}");
                    Some(self.constant_after(None, name, value.get(), body))
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
                let names = Names {
                    stem: None,
                    constant: format_args!("arg_{arg}_slice_offset_"),
                    sum: format_args!("arg_{arg}_slice_"),
                };
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
                let names = Names {
                    stem: Some(base),
                    constant: format_args!("_core_offset_"),
                    sum: format_args!("_core_"),
                };
                self.sum(names, base, *offset, body)
            }
            SymbolKind::Pool { offset } => {
                let base = self.pool?;
                let names = Names {
                    stem: None,
                    constant: format_args!("pool_offset_"),
                    sum: format_args!("pool_addr_"),
                };
                self.sum(names, base, *offset, body)
            }
            SymbolKind::Sized { start, per_size } => {
                let base = self.value_of(start, body)?;
                let mut moved = String::new();
                let mut sizes = Vec::with_capacity(per_size.len());
                for step in per_size {
                    let size = SymbolKind::Dimension(step.size.clone());
                    let size = self.value_of(&size, body)?;
                    let (size_name, bytes) = (self.function.name(size), step.bytes.get());
                    moved.push_str(&format!("_{size_name}_times_{bytes}"));
                    sizes.push(size);
                }
                let strides = per_size.iter().map(|step| step.bytes).collect();
                let map = self.map_number(AffineMap { strides });
                let result = self.define_after(Some(base), moved);
                body.push(Stmt::Apply {
                    result,
                    map,
                    ivs: sizes.into(),
                    base,
                });
                result
            }
        };
        self.values.insert(kind.clone(), value);
        Some(value)
    }

    /// Declares `base` plus a constant.
    fn sum(
        &mut self,
        names: Names<'_>,
        base: ValueId,
        offset: Bytes,
        body: &mut Vec<Stmt>,
    ) -> ValueId {
        let Names {
            stem,
            constant,
            sum,
        } = names;
        let bytes = offset.get();
        let constant = format_args!("{constant}{bytes}");
        let rhs = self.constant_after(stem, constant, bytes, body);
        let result = self.define_after(stem, format_args!("{sum}{bytes}"));
        body.push(Stmt::AddI {
            result,
            lhs: base,
            rhs,
        });
        result
    }
}

/// The names of a constant and of its sum with an address: that of `stem`, if any, these words, and the constant.
struct Names<'a> {
    stem: Option<ValueId>,
    constant: Arguments<'a>,
    sum: Arguments<'a>,
}
