//! Checks the operands that the executes of a function bind to the symbols of their files.
//!
//! Every index value of a function is a constant, multiples of the parameters, the pool, and multiples of the induction
//! variables of the loops around it. The value of a symbol is the same kind of sum (SDSC bundle specification, section
//! 2.4), moved by the steps of the operand (section 2.6). An execute is right if these are equal for each symbol of its
//! file; which sums and maps compute them does not matter.

use std::fmt::{self, Display, Formatter};

use rustc_hash::FxHashMap;

use super::ast::{ParamBinding, Stmt, ValueId};
use super::emit::{self, Binding};
use super::file::file_name;
use super::stated_function::StatedFunction;
use super::symbols::{SymbolId, SymbolKind};
use super::tree::{Plan, PlannedOp};
use crate::error::Error;
use crate::expr::Symbol;
use crate::model::LoopBound;
use crate::{ArgIndex, Bytes};

/// A term of an address other than the constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    /// The value of a parameter: an address or a runtime size.
    Param(usize),
    /// The pool that the bundle allocates.
    Pool,
    /// The induction variable of a loop, by its number in the text.
    Loop(usize),
}

impl Display for Term {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Param(index) => write!(f, "parameter {index}"),
            Self::Pool => f.write_str("pool"),
            Self::Loop(level) => write!(f, "loop {level}"),
        }
    }
}

/// A value of type `index`: a constant plus multiples of terms. The terms are sorted, and no factor is zero.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Address {
    constant: i64,
    terms: Vec<(Term, i64)>,
}

impl Address {
    fn constant(constant: u64) -> Option<Self> {
        Some(Self {
            constant: i64::try_from(constant).ok()?,
            terms: Vec::new(),
        })
    }

    fn term(term: Term) -> Self {
        Self {
            constant: 0,
            terms: vec![(term, 1)],
        }
    }

    /// Adds a multiple of another address. Returns `None` if a number is out of range.
    fn plus(mut self, other: &Self, factor: i64) -> Option<Self> {
        self.constant = self
            .constant
            .checked_add(other.constant.checked_mul(factor)?)?;
        for &(term, times) in &other.terms {
            let times = times.checked_mul(factor)?;
            match self
                .terms
                .binary_search_by_key(&term, |(term_key, _)| *term_key)
            {
                Ok(position) => {
                    let sum = &mut self.terms[position].1;
                    *sum = sum.checked_add(times)?;
                    if *sum == 0 {
                        self.terms.remove(position);
                    }
                }
                Err(position) if times != 0 => self.terms.insert(position, (term, times)),
                Err(_) => {}
            }
        }
        Some(self)
    }

    fn plus_bytes(self, bytes: Bytes) -> Option<Self> {
        self.plus(&Self::constant(bytes.get())?, 1)
    }
}

/// Bases first, then the constant, then the terms of sizes and loops.
impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_base = |(term, factor): &&(Term, i64)| {
            *factor == 1 && matches!(term, Term::Param(_) | Term::Pool)
        };
        for (term, _) in self.terms.iter().filter(is_base) {
            write!(f, "{term} + ")?;
        }
        write!(f, "{}", self.constant)?;
        for (term, factor) in self.terms.iter().filter(|entry| !is_base(entry)) {
            write!(f, " + {factor} * {term}")?;
        }
        Ok(())
    }
}

/// Checks the operands of every execute of `function`. The executes belong to the operations of `plan`, in their order.
///
/// # Errors
/// The first execute that binds a value other than the one that its operation needs.
pub(super) fn check(
    plan: &Plan,
    function: &StatedFunction,
    bindings: &[Binding],
) -> Result<(), Error> {
    let mut walk = Walk {
        plan,
        function,
        bases: Bases::from_bindings(bindings),
        values: vec![None; function.values],
        ops: 0,
        loops: 0,
    };
    for (index, param) in function.params.iter().enumerate() {
        walk.define(param.value, Some(Address::term(Term::Param(index))));
    }
    walk.block(&function.body, &mut Vec::new())
}

/// The parameters by their binding, and the pool.
struct Bases<'a> {
    params: FxHashMap<ArgIndex, Term>,
    sizes: FxHashMap<&'a Symbol, Term>,
    pool: Term,
}

impl<'a> Bases<'a> {
    fn from_bindings(bindings: &'a [Binding]) -> Self {
        let mut bases = Self {
            params: FxHashMap::default(),
            sizes: FxHashMap::default(),
            pool: Term::Pool,
        };
        for (index, Binding { binding, .. }) in bindings.iter().enumerate() {
            let param = Term::Param(index);
            match binding {
                ParamBinding::Pool => bases.pool = param,
                ParamBinding::Kernel(arg) => {
                    bases.params.insert(*arg, param);
                }
                ParamBinding::Dimension { symbol, .. } => {
                    bases.sizes.insert(symbol, param);
                }
                // Bounds of loops are no part of an address.
                ParamBinding::LoopDimension { .. } => {}
            }
        }
        bases
    }

    fn kernel(&self, arg: ArgIndex) -> Address {
        let param = self.params.get(&arg);
        Address::term(*param.expect("a kernel argument of an operation is a parameter"))
    }

    fn size(&self, symbol: &Symbol) -> Address {
        let param = self.sizes.get(symbol);
        Address::term(*param.expect("a runtime size of an operation is a parameter"))
    }

    /// Returns the value of a symbol as an address; `None` if a number is out of range.
    fn needed(&self, kind: &SymbolKind) -> Option<Address> {
        match kind {
            SymbolKind::Dimension(symbol) => Some(self.size(symbol)),
            SymbolKind::Kernel(arg) => Some(self.kernel(*arg)),
            SymbolKind::KernelSlice { arg, offset } => self.kernel(*arg).plus_bytes(*offset),
            SymbolKind::Core { arg, slice, offset } => self
                .kernel(*arg)
                .plus_bytes(slice.unwrap_or(Bytes::ZERO))?
                .plus_bytes(*offset),
            SymbolKind::Pool { offset } => Address::term(self.pool).plus_bytes(*offset),
            SymbolKind::Sized { start, per_size } => {
                let start = self.needed(start)?;
                per_size.iter().try_fold(start, |address, step| {
                    let bytes = i64::try_from(step.bytes.get()).ok()?;
                    address.plus(&self.size(&step.size), bytes)
                })
            }
            SymbolKind::Literal(value) => Address::constant(value.get()),
        }
    }
}

/// A loop around an execute.
#[derive(Clone, Copy)]
struct Enclosing {
    /// The number of the loop in the text.
    number: usize,
    /// Elements per iteration, where the induction variable counts elements.
    elements: u64,
}

struct Walk<'a> {
    plan: &'a Plan,
    function: &'a StatedFunction,
    bases: Bases<'a>,
    /// The defined values; `None` for a number that is out of range.
    values: Vec<Option<Address>>,
    /// The number of executes before this one.
    ops: usize,
    /// The number of loops before this one.
    loops: usize,
}

impl Walk<'_> {
    fn define(&mut self, value: ValueId, address: Option<Address>) {
        self.values[value.index()] = address;
    }

    fn value(&self, value: ValueId) -> Option<&Address> {
        self.values[value.index()].as_ref()
    }

    fn block(&mut self, statements: &[Stmt], loops: &mut Vec<Enclosing>) -> Result<(), Error> {
        for statement in statements {
            match statement {
                Stmt::DeviceMemAllocate { result, .. } => {
                    self.define(*result, Some(Address::term(Term::Pool)));
                }
                Stmt::InputArgExtract { result, param, .. } => {
                    let param = self.value(*param).cloned();
                    self.define(*result, param);
                }
                Stmt::Constant { result, value } => self.define(*result, Address::constant(*value)),
                Stmt::AddI { result, lhs, rhs } => {
                    let sum = self.value(*lhs).zip(self.value(*rhs));
                    let sum = sum.and_then(|(lhs, rhs)| lhs.clone().plus(rhs, 1));
                    self.define(*result, sum);
                }
                Stmt::Apply {
                    result,
                    map,
                    ivs,
                    base,
                } => {
                    let strides = self.function.maps[*map].strides.iter();
                    let mut steps = strides.zip(ivs.iter());
                    let moved = self.value(*base).cloned().and_then(|base| {
                        steps.try_fold(base, |address, (stride, iv)| {
                            let stride = i64::try_from(stride.get()).ok()?;
                            address.plus(self.value(*iv)?, stride)
                        })
                    });
                    self.define(*result, moved);
                }
                Stmt::Execute {
                    operands,
                    filename,
                    symbol_ids,
                } => self.execute(operands, filename, symbol_ids, loops)?,
                Stmt::For { iv, body, .. } => {
                    let number = self.loops;
                    self.loops += 1;
                    let elements = match &self.plan.loops[number] {
                        LoopBound::Static(_) => 1,
                        LoopBound::Runtime { step, .. } => *step,
                    };
                    self.define(*iv, Some(Address::term(Term::Loop(number))));
                    loops.push(Enclosing { number, elements });
                    self.block(body, loops)?;
                    loops.pop();
                }
            }
        }
        Ok(())
    }

    fn execute(
        &mut self,
        operands: &[ValueId],
        filename: &str,
        symbol_ids: &[SymbolId],
        loops: &[Enclosing],
    ) -> Result<(), Error> {
        let op = &self.plan.ops[self.ops];
        self.ops += 1;
        let error = |problem| Err(Error::contradiction_at(&op.at, problem));
        let file = file_name(op.file);
        if filename != file {
            return error(format!("runs '{filename}' where the OpSpecs run '{file}'"));
        }
        let mentioned = op.symbols.mentioned();
        if operands.len() != mentioned.len() {
            return error(format!(
                "binds {} symbols, but the OpSpec of '{file}' has {}",
                operands.len(),
                mentioned.len()
            ));
        }
        let steps = moved(op, loops)?;
        let bound = operands.iter().zip(symbol_ids).zip(mentioned);
        for (operand, ((value, id), position)) in bound.enumerate() {
            let wanted = op.file_base.id(position);
            if *id != wanted {
                return error(format!(
                    "operand {operand} has symbol id {id}, but the OpSpec has {wanted} there"
                ));
            }
            let start = self.bases.needed(&op.symbols.kinds()[position]);
            let needed = start.and_then(|start| {
                let mut steps = steps[position].iter();
                steps.try_fold(start, |address, (number, bytes)| {
                    let bytes = i64::try_from(bytes.get()).ok()?;
                    address.plus(&Address::term(Term::Loop(*number)), bytes)
                })
            });
            let (Some(actual), Some(needed)) = (self.value(*value), needed) else {
                return error(format!(
                    "operand {operand}, symbol {id}, is an address that does not fit 63 bits"
                ));
            };
            if *actual != needed {
                return error(format!(
                    "operand {operand}, symbol {id}, is {actual}, but the OpSpec of '{file}' needs {needed}"
                ));
            }
        }
        Ok(())
    }
}

/// Returns how each symbol of an operation moves: by loop, the bytes per unit of its induction variable.
fn moved(op: &PlannedOp, loops: &[Enclosing]) -> Result<Vec<Vec<(usize, Bytes)>>, Error> {
    let elements: Vec<u64> = loops.iter().map(|enclosing| enclosing.elements).collect();
    let mut moved = vec![Vec::new(); op.symbols.kinds().len()];
    for (tensor, steps) in op.steps.iter().enumerate() {
        let strides = emit::strides(&op.at, steps, &elements)?;
        let steps = strides
            .iter()
            .map(|(level, bytes)| (loops[*level].number, *bytes));
        let steps: Vec<_> = steps.collect();
        for position in op.symbols.addresses(tensor) {
            // Tensors that move alike share symbols.
            moved[*position].clone_from(&steps);
        }
    }
    Ok(moved)
}
