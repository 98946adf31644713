//! Names the values of a function as the format does (SDSC bundle specification, sections 2.2 to 2.7).
//!
//! A name states the role of a value: `arg_0_core_4096` is the address 4096 bytes after the start of kernel argument 0,
//! where a core starts. Roles are found backwards from the operands of executes, since the symbols of a file define the
//! meaning of each address. A value without a role in the format, such as a sum that a pass has split, gets a generic
//! name, and so does a constant with several roles. A function that this crate has emitted keeps its names.

use std::fmt::{Display, Write};
use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::ast::{Stmt, ValueId};
use super::emit::Binding;
use super::names::Names;
use super::stated_function::StatedFunction;
use super::symbols::SymbolKind;
use super::tree::{Plan, PlannedOp};
use crate::model::LoopBound;

/// The definition of a value that a name depends on.
#[derive(Clone, Copy)]
enum Definition<'f> {
    Constant(u64),
    Sum(ValueId, ValueId),
    /// The base, and the induction variables or sizes.
    Applied(ValueId, &'f [ValueId]),
    Other,
}

/// Returns the names of the values of a function with executes that bind the operands that `plan` needs.
pub(super) fn names<'f>(
    plan: &'f Plan,
    function: &'f StatedFunction,
    bindings: &'f [Binding],
) -> Names {
    let mut namer = Namer {
        plan,
        bindings,
        definitions: vec![Definition::Other; function.values],
        is_iv: vec![false; function.values],
        names: vec![None; function.values],
        taken: FxHashSet::default(),
        text: String::new(),
        offsets: vec![Role::None; function.values],
        addresses: 0,
        loops: 0,
        executes: Vec::new(),
    };
    for (param, binding) in function.params.iter().zip(bindings) {
        namer.name(param.value, binding.binding.param_name(&binding.name));
    }
    namer.walk(&function.body);
    for (op, operands) in plan.ops.iter().zip(std::mem::take(&mut namer.executes)) {
        for (position, value) in op.symbols.mentioned().into_iter().zip(operands) {
            namer.address(op, position, &op.symbols.kinds()[position], *value);
        }
    }
    namer.finish()
}

/// The role of a constant in the sums that are addresses.
#[derive(Clone)]
enum Role {
    None,
    /// One, which has this name.
    One(String),
    Several,
}

struct Namer<'f> {
    plan: &'f Plan,
    /// The parameters, which are the first values.
    bindings: &'f [Binding],
    definitions: Vec<Definition<'f>>,
    /// Which values are induction variables.
    is_iv: Vec<bool>,
    names: Vec<Option<Rc<str>>>,
    taken: FxHashSet<Rc<str>>,
    /// The name that is being built.
    text: String,
    /// The role of each constant in sums.
    offsets: Vec<Role>,
    /// The number of addresses that move, so far.
    addresses: usize,
    /// The number of loops, so far.
    loops: usize,
    /// The values that each execute binds.
    executes: Vec<&'f [ValueId]>,
}

impl<'f> Namer<'f> {
    /// Names a value that has no name yet. A name that is taken gets a number.
    fn name(&mut self, value: ValueId, name: impl Display) {
        let slot = &mut self.names[value.index()];
        if slot.is_some() {
            return;
        }
        self.text.clear();
        write!(self.text, "{name}").expect("a String takes any text");
        let length = self.text.len();
        let mut again = 1;
        while self.taken.contains(self.text.as_str()) {
            again += 1;
            self.text.truncate(length);
            write!(self.text, "_again_{again}").expect("a String takes any text");
        }
        let name: Rc<str> = self.text.as_str().into();
        self.taken.insert(Rc::clone(&name));
        *slot = Some(name);
    }

    fn named(&self, value: ValueId) -> Option<&str> {
        self.names[value.index()].as_deref()
    }

    /// Collects definitions, and names the values of parameters, loops and the offsets that depend on them, in the
    /// order of the text.
    fn walk(&mut self, statements: &'f [Stmt]) {
        for statement in statements {
            match statement {
                Stmt::InputArgExtract { result, param, .. } => {
                    let bindings = self.bindings;
                    self.name(*result, &bindings[param.index()].name);
                }
                Stmt::DeviceMemAllocate { result, .. } => self.name(*result, "pool"),
                Stmt::Constant { result, value } => {
                    self.definitions[result.index()] = Definition::Constant(*value);
                }
                Stmt::AddI { result, lhs, rhs } => {
                    self.definitions[result.index()] = Definition::Sum(*lhs, *rhs);
                }
                Stmt::Apply {
                    result, ivs, base, ..
                } => {
                    self.definitions[result.index()] = Definition::Applied(*base, ivs);
                    if ivs.iter().any(|iv| self.is_iv[iv.index()]) {
                        let number = self.addresses;
                        self.name(*result, format_args!("addr_{number}"));
                        self.addresses += 1;
                    }
                }
                Stmt::Execute { operands, .. } => self.executes.push(operands),
                Stmt::For {
                    iv,
                    lower,
                    upper,
                    step,
                    body,
                } => {
                    let number = self.loops;
                    self.loops += 1;
                    self.name(*lower, "c0");
                    match &self.plan.loops[number] {
                        LoopBound::Static(_) => {
                            self.name(*step, "c1");
                            self.name(*upper, format_args!("loop_bound_{number}"));
                        }
                        LoopBound::Runtime { step: 1, .. } => self.name(*step, "c1"),
                        LoopBound::Runtime { .. } => {
                            self.name(*step, format_args!("step_{number}"));
                        }
                    }
                    self.name(*iv, format_args!("i_{number}"));
                    self.is_iv[iv.index()] = true;
                    self.walk(body);
                }
            }
        }
    }

    /// Names the address that a symbol of an operation is bound to, and its operands.
    fn address(&mut self, op: &PlannedOp, position: usize, kind: &SymbolKind, value: ValueId) {
        let mut value = value;
        while let Definition::Applied(base, ivs) = self.definitions[value.index()]
            && ivs.iter().any(|iv| self.is_iv[iv.index()])
        {
            value = base;
        }
        if self.names[value.index()].is_some() {
            return;
        }
        match (kind, self.definitions[value.index()]) {
            (SymbolKind::Literal(_), Definition::Constant(_)) => {
                let number = op.base.id(position).get().unsigned_abs();
                self.name(value, format_args!("sym_{number}"));
            }
            (SymbolKind::KernelSlice { arg, offset }, Definition::Sum(_, constant)) => {
                let stem = format!("arg_{arg}_slice");
                self.sum(value, constant, &stem, offset.get());
            }
            (SymbolKind::Core { arg, slice, offset }, Definition::Sum(base, constant)) => {
                if let Some(offset) = *slice {
                    let slice = SymbolKind::KernelSlice { arg: *arg, offset };
                    self.address(op, position, &slice, base);
                }
                if let Some(base) = self.named(base) {
                    let stem = format!("{base}_core");
                    self.sum(value, constant, &stem, offset.get());
                }
            }
            (SymbolKind::Pool { offset }, Definition::Sum(_, constant)) => {
                let bytes = offset.get();
                self.constant(constant, bytes, format_args!("pool_offset_{bytes}"));
                self.name(value, format_args!("pool_addr_{bytes}"));
            }
            (SymbolKind::Sized { start, per_size }, Definition::Applied(base, sizes)) => {
                self.address(op, position, start, base);
                let sizes = sizes.iter().map(|size| self.named(*size));
                let factors = per_size.iter().zip(sizes).map(|(step, size)| {
                    let bytes = step.bytes.get();
                    size.map(|size| format!("_{size}_times_{bytes}"))
                });
                let base = self.named(base).map(str::to_owned);
                let parts: Option<String> = std::iter::once(base).chain(factors).collect();
                if let Some(name) = parts {
                    self.name(value, name);
                }
            }
            // Values of other operations have no such name.
            _ => {}
        }
    }

    /// Names a sum and its constant.
    fn sum(&mut self, value: ValueId, constant: ValueId, stem: &str, bytes: u64) {
        self.constant(constant, bytes, format_args!("{stem}_offset_{bytes}"));
        self.name(value, format_args!("{stem}_{bytes}"));
    }

    /// Gives a constant a role, if it is this number.
    fn constant(&mut self, value: ValueId, bytes: u64, name: impl Display) {
        if !matches!(self.definitions[value.index()], Definition::Constant(constant) if constant == bytes)
        {
            return;
        }
        let role = &mut self.offsets[value.index()];
        let name = name.to_string();
        *role = match std::mem::replace(role, Role::Several) {
            Role::None => Role::One(name),
            Role::One(role_name) if role_name == name => Role::One(role_name),
            Role::One(_) | Role::Several => Role::Several,
        };
    }

    /// Names the values that have no name yet.
    fn finish(mut self) -> Names {
        let mut names = Names::default();
        for number in 0..self.names.len() {
            let number = u32::try_from(number).expect("a function has fewer than 2^32 values");
            let value = ValueId::new(number);
            let role = std::mem::replace(&mut self.offsets[value.index()], Role::None);
            match (self.definitions[value.index()], role) {
                (Definition::Constant(_), Role::One(name)) => self.name(value, name),
                (Definition::Constant(constant), Role::Several) => {
                    self.name(value, format_args!("offset_{constant}"));
                }
                // A step that no loop needs, for one.
                (Definition::Constant(constant), Role::None) => {
                    self.name(value, format_args!("c{constant}"));
                }
                _ => self.name(value, format_args!("value_{number}")),
            }
            names.push(None, self.named(value).expect("every value was named"));
        }
        names
    }
}
