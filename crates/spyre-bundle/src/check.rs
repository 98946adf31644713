//! Compares a bundle function in IR with the compiled one, by meaning.
//!
//! Both are reduced to what they execute: files in order, each with its loops, symbol ids and addresses, where an
//! address is a base plus a constant plus a step per loop and runtime size. Constants may be folded, merged or moved.

use std::collections::{BTreeMap, HashMap};

use melior::Context;
use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_dialects::bundle::{ALLOCATE, EXECUTE, EXTRACT};
use spyre_dialects::input_arg::{Bounds, input_arg_type};
use spyre_dialects::op_spec::{self, SIZE, Size};
use spyre_mlir_rt::affine::{self, LinearForm};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Source, Val};
use spyre_passes::to_sdscbundle::size_of;
use spyre_sdsc::bundle::{Function, Stmt, ValueId};

use crate::{allocated, file};

/// A part of an address, beside the constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    /// The value of a parameter: an address or a runtime size.
    Param(usize),
    /// The pool that the bundle allocates.
    Pool,
    /// The induction variable of a loop, by its number in the text.
    Loop(usize),
}

/// An index value: a constant and multiples of terms; zeros are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Address {
    constant: i64,
    terms: BTreeMap<Term, i64>,
}

impl Address {
    const fn constant(constant: i64) -> Self {
        Self {
            constant,
            terms: BTreeMap::new(),
        }
    }

    fn term(term: Term) -> Self {
        Self {
            constant: 0,
            terms: BTreeMap::from([(term, 1)]),
        }
    }
}

impl LinearForm for Address {
    fn add(&self, other: &Self) -> Option<Self> {
        let mut terms = self.terms.clone();
        for (term, factor) in &other.terms {
            let sum = terms.entry(*term).or_insert(0);
            *sum = sum.checked_add(*factor)?;
        }
        terms.retain(|_, factor| *factor != 0);
        Some(Self {
            constant: self.constant.checked_add(other.constant)?,
            terms,
        })
    }

    fn scale(&self, factor: i64) -> Option<Self> {
        let terms = self
            .terms
            .iter()
            .map(|(term, own)| Some((*term, own.checked_mul(factor)?)))
            .filter(|entry| entry.is_none_or(|(_, factor)| factor != 0));
        Some(Self {
            constant: self.constant.checked_mul(factor)?,
            terms: terms.collect::<Option<_>>()?,
        })
    }

    fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }
}

/// Bases first, then the constant, then what depends on sizes and loops.
impl std::fmt::Display for Address {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_base = |(term, factor): &(&Term, &i64)| {
            **factor == 1 && matches!(term, Term::Param(_) | Term::Pool)
        };
        for (term, _) in self.terms.iter().filter(is_base) {
            write!(formatter, "{term} + ")?;
        }
        write!(formatter, "{}", self.constant)?;
        for (term, factor) in self.terms.iter().filter(|entry| !is_base(entry)) {
            write!(formatter, " + {factor} * {term}")?;
        }
        Ok(())
    }
}

impl std::fmt::Display for Term {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Param(index) => write!(formatter, "parameter {index}"),
            Self::Pool => formatter.write_str("pool"),
            Self::Loop(level) => write!(formatter, "loop {level}"),
        }
    }
}

/// The file that one execute runs, and the addresses that it binds.
struct Executed<O> {
    origin: O,
    file: String,
    bindings: Vec<(i64, Address)>,
}

/// Checks that a parameter is the runtime size that it has to be, or none.
fn check_size<'p>(op: Op<'p>, number: usize, needed: Option<Size>) -> Result<(), Diagnostic<'p>> {
    let found = ir::argument_attribute(op, number, SIZE).and_then(op_spec::size);
    if found == needed {
        return Ok(());
    }
    let show = |size: Option<Size>| match size {
        None => "no runtime size".to_owned(),
        Some(Size { name, source: None }) => format!("the runtime size '{name}' of operations"),
        Some(Size {
            name,
            source: Some(source),
        }) => format!(
            "the runtime size '{name}' of loops, dimension {} of kernel argument {}",
            source.dim, source.arg
        ),
    };
    let message = format!(
        "parameter {number} of the bundle is {}, but its OpSpecs need {}",
        show(found),
        show(needed)
    );
    Err(Diagnostic::error(op.location(), message))
}

/// Checks that `body` executes what the compiled function does.
pub(crate) fn function<'p>(
    context: &'p Context,
    op: Op<'p>,
    body: Blk<'p>,
    compiled: &Function,
) -> Result<(), Diagnostic<'p>> {
    if body.argument_count() != compiled.params.len() {
        return Err(Diagnostic::error(
            op.location(),
            format!(
                "bundle function has {} parameters, but its OpSpecs need {}",
                body.argument_count(),
                compiled.params.len()
            ),
        ));
    }
    for (number, param) in compiled.params.iter().enumerate() {
        let found = body
            .argument(number)
            .map_err(|why| Diagnostic::error(op.location(), why.to_string()))?
            .r#type();
        let bounds = param.ty.bounds.map(|bounds| Bounds {
            granularity: bounds.granularity.cast_signed(),
            max_value: bounds.max.cast_signed(),
        });
        let needed = input_arg_type(context, bounds);
        if found != needed {
            let message = format!(
                "parameter {number} of the bundle has type {found}, but its OpSpecs need {needed}"
            );
            return Err(Diagnostic::error(op.location(), message));
        }
        check_size(op, number, size_of(&param.binding))?;
    }
    let mut found = Found {
        entry: body,
        loops: HashMap::new(),
        levels: 0,
        executed: Vec::new(),
        pool: None,
    };
    found.block(body)?;
    let mut expected = Expected {
        values: HashMap::new(),
        loops: 0,
        executed: Vec::new(),
        pool: None,
    };
    for (index, param) in compiled.params.iter().enumerate() {
        expected
            .values
            .insert(param.value, Address::term(Term::Param(index)));
    }
    expected
        .statements(compiled, &compiled.body)
        .ok_or_else(|| {
            Diagnostic::error(op.location(), "compiled bundle has an address out of range")
        })?;
    if found.pool != expected.pool {
        let show = |size: Option<u64>| {
            size.map_or("no pool".to_owned(), |size| {
                format!("a pool of {size} bytes")
            })
        };
        return Err(Diagnostic::error(
            op.location(),
            format!(
                "bundle function has {}, but its OpSpecs need {}",
                show(found.pool),
                show(expected.pool)
            ),
        ));
    }
    assert_eq!(
        found.executed.len(),
        expected.executed.len(),
        "what is compiled are the executes of the function"
    );
    for (have, want) in found.executed.iter().zip(&expected.executed) {
        compare(have, want)?;
    }
    Ok(())
}

fn compare<'p>(have: &Executed<Op<'p>>, want: &Executed<()>) -> Result<(), Diagnostic<'p>> {
    let error = |message: String| Diagnostic::error(have.origin.location(), message);
    if have.file != want.file {
        return Err(error(format!(
            "runs '{}' where the OpSpecs run '{}'",
            have.file, want.file
        )));
    }
    if have.bindings.len() != want.bindings.len() {
        return Err(error(format!(
            "binds {} symbols, but the OpSpec of '{}' has {}",
            have.bindings.len(),
            have.file,
            want.bindings.len()
        )));
    }
    for (operand, ((id, address), (wanted_id, wanted))) in
        have.bindings.iter().zip(&want.bindings).enumerate()
    {
        if id != wanted_id {
            return Err(error(format!(
                "operand {operand} has symbol id {id}, but the OpSpec has {wanted_id} there"
            )));
        }
        if address != wanted {
            return Err(error(format!(
                "operand {operand}, symbol {id}, is {address}, but the OpSpec of '{}' needs {wanted}",
                have.file
            )));
        }
    }
    Ok(())
}

/// The executes of a function in IR.
struct Found<'p> {
    entry: Blk<'p>,
    /// The number of each loop around an execute, in order of the text.
    loops: HashMap<usize, usize>,
    levels: usize,
    executed: Vec<Executed<Op<'p>>>,
    pool: Option<u64>,
}

impl<'p> Found<'p> {
    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        for op in ir::operations(block) {
            if ir::kind(op) == OpKind::For {
                let before = (self.levels, self.executed.len());
                self.loops.insert(ir::op_key(op), self.levels);
                self.levels += 1;
                self.block(ir::body(op).expect("a loop has a body"))?;
                // A loop that executes nothing is not in the compiled function.
                if self.executed.len() == before.1 {
                    self.levels = before.0;
                }
            } else if ir::name(op) == EXECUTE {
                self.execute(op)?;
            } else if ir::name(op) == ALLOCATE {
                // Reading has refused a second.
                self.pool = Some(allocated(op));
            }
        }
        Ok(())
    }

    fn execute(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let ids = op
            .attribute("symbol_ids")
            .map(attr::elements)
            .unwrap_or_default();
        assert_eq!(
            op.operand_count(),
            ids.len(),
            "the verifier wants a symbol for each operand"
        );
        let mut bindings = Vec::with_capacity(ids.len());
        for (operand, (value, id)) in op.operands().zip(ids).enumerate() {
            let id = attr::integer(id).expect("the verifier wants numbers of symbols");
            let address = self.address(value).ok_or_else(|| {
                Diagnostic::error(
                    op.location(),
                    format!("operand {operand} is not a base plus steps of the loops"),
                )
            })?;
            bindings.push((id, address));
        }
        self.executed.push(Executed {
            origin: op,
            file: file(op),
            bindings,
        });
        Ok(())
    }

    fn address(&self, value: Val<'p>) -> Option<Address> {
        let op = match ir::source(value) {
            Source::Argument(block, 0) => {
                let level = self.loops.get(&ir::op_key(block.parent_operation()?))?;
                return Some(Address::term(Term::Loop(*level)));
            }
            Source::Argument(..) => return None,
            Source::Result(op, _) => op,
        };
        match ir::kind(op) {
            OpKind::ConstantIndex => Some(Address::constant(ir::constant_index(op))),
            OpKind::AddIndex => self
                .address(op.operand(0).ok()?)?
                .add(&self.address(op.operand(1).ok()?)?),
            OpKind::AffineApply => {
                let map = ir::affine_map(op)?;
                let operands = op
                    .operands()
                    .map(|operand| self.address(operand))
                    .collect::<Option<Vec<_>>>()?;
                affine::evaluate(
                    map.result(0).ok()?,
                    &operands,
                    map.dim_count(),
                    &Address::constant,
                )
            }
            _ if ir::name(op) == EXTRACT
                && op.attribute("field").ok().and_then(attr::string)? == "value" =>
            {
                match ir::source(op.operand(0).ok()?) {
                    Source::Argument(block, index) if block == self.entry => {
                        Some(Address::term(Term::Param(index)))
                    }
                    _ => None,
                }
            }
            _ if ir::name(op) == ALLOCATE => Some(Address::term(Term::Pool)),
            _ => None,
        }
    }
}

/// The executes of a compiled function.
struct Expected {
    values: HashMap<ValueId, Address>,
    loops: usize,
    executed: Vec<Executed<()>>,
    pool: Option<u64>,
}

impl Expected {
    fn value(&self, id: &ValueId) -> &Address {
        let value = self.values.get(id);
        value.expect("compiling defines values before their uses")
    }

    fn statements(&mut self, function: &Function, statements: &[Stmt]) -> Option<()> {
        for statement in statements {
            let (result, address) = match statement {
                Stmt::DeviceMemAllocate { result, size } => {
                    self.pool = Some(size.get());
                    (result, Address::term(Term::Pool))
                }
                Stmt::InputArgExtract { result, param, .. } => (result, self.value(param).clone()),
                Stmt::Constant { result, value } => {
                    (result, Address::constant(i64::try_from(*value).ok()?))
                }
                Stmt::AddI { result, lhs, rhs } => (result, self.value(lhs).add(self.value(rhs))?),
                Stmt::Apply {
                    result,
                    map,
                    ivs,
                    base,
                } => {
                    let mut address = self.value(base).clone();
                    for (iv, stride) in ivs.iter().zip(&function.maps[*map].strides) {
                        let stride = i64::try_from(stride.get()).ok()?;
                        address = address.add(&self.value(iv).scale(stride)?)?;
                    }
                    (result, address)
                }
                Stmt::Execute {
                    operands,
                    filename,
                    symbol_ids,
                } => {
                    let bindings = operands.iter().zip(symbol_ids);
                    let bindings =
                        bindings.map(|(operand, id)| (id.get(), self.value(operand).clone()));
                    self.executed.push(Executed {
                        origin: (),
                        file: filename.clone(),
                        bindings: bindings.collect(),
                    });
                    continue;
                }
                Stmt::For { iv, body, .. } => {
                    self.values
                        .insert(*iv, Address::term(Term::Loop(self.loops)));
                    self.loops += 1;
                    self.statements(function, body)?;
                    continue;
                }
            };
            self.values.insert(*result, address);
        }
        Some(())
    }
}
