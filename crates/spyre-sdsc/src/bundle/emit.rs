//! The second pass: parameters, declarations and body of the function
//! (SDSC bundle specification, sections 2.2 to 2.7).

use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ast::{AffineMap, Function, Param, ParamBinding, Stmt, ValueId};
use super::file::file_name;
use super::symbols::SymbolKind;
use super::tree::{Plan, PlannedNode, PlannedOp};
use super::{BundleOptions, MAX_POOL_SIZE, PoolSource};
use crate::Bytes;
use crate::codegen::LevelStep;
use crate::error::{Error, LoopError, OpRef, TilingError};
use crate::expr::Symbol;
use crate::model::LoopBound;

/// The function of a planned bundle (SDSC bundle specification, section 2.2).
pub(super) fn emit(plan: &Plan, options: &BundleOptions) -> Result<Function, Error> {
    let mut emitter = Emitter::new(plan);
    emitter.function.addresses = options.addresses;
    let pool = pool(plan, options)?;
    let params = emitter.params(pool)?;
    let mut body = Vec::new();
    if pool == Some(PoolSource::Bundle) {
        let result = emitter.define("pool");
        emitter.pool = Some(result);
        body.push(Stmt::DeviceMemAllocate {
            result,
            size: options.pool_size,
        });
    }
    emitter.extract(params, &mut body);
    emitter.loop_setup(&mut body)?;
    for op in &plan.ops {
        let values = emitter.declare(op, &mut body);
        emitter.op_values.push(values);
    }
    emitter.block(&plan.nodes, &mut Vec::new(), &mut body)?;
    emitter.function.body = body;
    Ok(emitter.function)
}

/// Returns who allocates the pool; `None` if no operation has a tensor in it.
pub(super) fn pool(plan: &Plan, options: &BundleOptions) -> Result<Option<PoolSource>, Error> {
    let mut kinds = plan.ops.iter().flat_map(|op| op.symbols.kinds());
    let pool = kinds.any(SymbolKind::is_in_pool).then_some(options.pool);
    let size = options.pool_size;
    if pool == Some(PoolSource::Bundle) && (size == Bytes::ZERO || size > MAX_POOL_SIZE) {
        let limit = MAX_POOL_SIZE;
        return Err(Error::PoolSize { size, limit });
    }
    Ok(pool)
}

/// A parameter, and the name of the value that is extracted from it.
pub(super) struct Binding {
    pub(super) binding: ParamBinding,
    pub(super) name: String,
}

/// Returns the parameters of a planned bundle, in their order (SDSC bundle specification, section 2.3).
pub(super) fn bindings(plan: &Plan, pool: Option<PoolSource>) -> Result<Vec<Binding>, Error> {
    let mut bindings = Vec::new();
    let mut add = |binding, name| bindings.push(Binding { binding, name });
    if pool == Some(PoolSource::Caller) {
        add(ParamBinding::Pool, "pool".to_owned());
    }
    let kinds = plan.ops.iter().flat_map(|op| op.symbols.kinds());
    let args = kinds.filter_map(|kind| match kind {
        SymbolKind::Kernel(arg) => Some(*arg),
        _ => None,
    });
    for arg in args.collect::<BTreeSet<_>>() {
        add(ParamBinding::Kernel(arg), format!("arg_{arg}"));
    }
    let mut seen = BTreeSet::new();
    for (op_number, op) in plan.ops.iter().enumerate() {
        for (ordinal, runtime) in (1..).zip(&op.runtime_dims) {
            if seen.insert(&runtime.symbol) {
                let (symbol, bounds) = (runtime.symbol.clone(), runtime.bounds);
                let size = ParamBinding::Dimension { symbol, bounds };
                add(size, format!("sym_{op_number}_{ordinal}"));
            }
        }
    }
    for (symbol, size) in plan.loop_sizes.iter() {
        let symbol = symbol.clone();
        let Some(source) = size.source else {
            return Err(LoopError::NoSource { symbol }.into());
        };
        let name = format!("dim_{symbol}");
        let bounds = size.bounds;
        let size = ParamBinding::LoopDimension {
            symbol,
            bounds,
            source,
        };
        add(size, name);
    }
    Ok(bindings)
}

/// Returns the bytes per unit of the induction variable of each loop that moves a tensor, by level (SDSC bundle specification,
/// sections 2.6 and 2.7). `elements` are the elements per iteration of the loops around the operation, outermost first.
pub(super) fn strides(
    at: &OpRef,
    steps: &[LevelStep],
    elements: &[u64],
) -> Result<Vec<(usize, Bytes)>, Error> {
    let stride = |&LevelStep { level, bytes }: &LevelStep| {
        let (levels, loops) = (level + 1, elements.len());
        let step = elements.get(level).copied();
        let step = step.ok_or(TilingError::LevelCount { levels, loops })?;
        let stride = bytes.get();
        if !stride.is_multiple_of(step) {
            return Err(TilingError::StrideNotDivisible {
                stride,
                step,
                level,
            });
        }
        Ok((level, Bytes(stride / step)))
    };
    let strides = steps.iter().map(stride).collect::<Result<_, _>>();
    strides.map_err(|source| Error::Tiling {
        op: at.clone(),
        source,
    })
}

/// A loop around the statement being emitted.
#[derive(Clone, Copy)]
struct Enclosing {
    iv: ValueId,
    /// Elements per iteration, where the induction variable counts elements.
    step: u64,
}

/// The values of a loop's heading.
#[derive(Clone, Copy)]
struct Heading {
    lower: ValueId,
    upper: ValueId,
    step: ValueId,
    elements: u64,
}

pub(super) struct Emitter<'a> {
    plan: &'a Plan,
    pub(super) function: Function,
    /// The value of every kind of symbol.
    pub(super) values: FxHashMap<SymbolKind, ValueId>,
    /// The value of every symbol of every operation, before it moves.
    op_values: Vec<Vec<Option<ValueId>>>,
    pub(super) pool: Option<ValueId>,
    loop_sizes: FxHashMap<Symbol, ValueId>,
    headings: Vec<Heading>,
    maps: FxHashMap<AffineMap, usize>,
    addresses: usize,
}

impl<'a> Emitter<'a> {
    fn new(plan: &'a Plan) -> Self {
        Self {
            plan,
            function: Function::default(),
            values: FxHashMap::default(),
            op_values: Vec::new(),
            pool: None,
            loop_sizes: FxHashMap::default(),
            headings: Vec::new(),
            maps: FxHashMap::default(),
            addresses: 0,
        }
    }

    pub(super) fn define(&mut self, name: impl Display) -> ValueId {
        self.define_after(None, name)
    }

    /// Defines a value with the name of `stem`, if any, followed by `rest`.
    pub(super) fn define_after(&mut self, stem: Option<ValueId>, rest: impl Display) -> ValueId {
        let names = &mut self.function.names;
        let number = u32::try_from(names.len()).expect("a function has fewer than 2^32 values");
        names.push(stem.map(ValueId::index), rest);
        ValueId::new(number)
    }

    /// Creates the parameters; returns each with the name of the value extracted from it.
    fn params(&mut self, pool: Option<PoolSource>) -> Result<Vec<(Param, String)>, Error> {
        let bindings = bindings(self.plan, pool)?.into_iter();
        let params = bindings.map(|Binding { binding, name }| {
            let param = Param {
                value: self.define(binding.param_name(&name)),
                ty: binding.ty(),
                binding,
            };
            (param, name)
        });
        Ok(params.collect())
    }

    /// Extracts the values of the parameters (SDSC bundle specification, section 2.2).
    fn extract(&mut self, params: Vec<(Param, String)>, body: &mut Vec<Stmt>) {
        for (param, name) in params {
            let result = self.define(name);
            match &param.binding {
                ParamBinding::Pool => self.pool = Some(result),
                ParamBinding::Kernel(arg) => {
                    self.values.insert(SymbolKind::Kernel(*arg), result);
                }
                ParamBinding::Dimension { symbol, .. } => {
                    let kind = SymbolKind::Dimension(symbol.clone());
                    self.values.insert(kind, result);
                }
                ParamBinding::LoopDimension { symbol, .. } => {
                    self.loop_sizes.insert(symbol.clone(), result);
                }
            }
            body.push(Stmt::InputArgExtract {
                result,
                param: param.value,
                ty: param.ty,
            });
            self.function.params.push(param);
        }
    }

    fn constant(&mut self, name: impl Display, value: u64, body: &mut Vec<Stmt>) -> ValueId {
        self.constant_after(None, name, value, body)
    }

    /// Declares a constant with the name of `stem`, if any, followed by `rest`.
    pub(super) fn constant_after(
        &mut self,
        stem: Option<ValueId>,
        rest: impl Display,
        value: u64,
        body: &mut Vec<Stmt>,
    ) -> ValueId {
        let result = self.define_after(stem, rest);
        body.push(Stmt::Constant { result, value });
        result
    }

    /// Bounds and steps of all loops, in the order of their numbers (SDSC bundle specification, section 2.7).
    fn loop_setup(&mut self, body: &mut Vec<Stmt>) -> Result<(), Error> {
        if self.plan.loops.is_empty() {
            return Ok(());
        }
        let zero = self.constant("c0", 0, body);
        let one = self.constant("c1", 1, body);
        for (number, bound) in self.plan.loops.iter().enumerate() {
            let heading = match bound {
                LoopBound::Static(count) => {
                    let count = u64::try_from(*count).map_err(|_| LoopError::UnknownCount {
                        count: count.to_string(),
                    })?;
                    let upper = self.constant(format_args!("loop_bound_{number}"), count, body);
                    Heading {
                        lower: zero,
                        upper,
                        step: one,
                        elements: 1,
                    }
                }
                LoopBound::Runtime { symbol, step } => {
                    let upper =
                        *self
                            .loop_sizes
                            .get(symbol)
                            .ok_or_else(|| LoopError::NoSource {
                                symbol: symbol.clone(),
                            })?;
                    let step_value = match step {
                        1 => one,
                        step => self.constant(format_args!("step_{number}"), *step, body),
                    };
                    Heading {
                        lower: zero,
                        upper,
                        step: step_value,
                        elements: *step,
                    }
                }
            };
            self.headings.push(heading);
        }
        Ok(())
    }

    /// The number of a map; maps are shared (SDSC bundle specification, section 2.6).
    pub(super) fn map_number(&mut self, map: AffineMap) -> usize {
        if let Some(number) = self.maps.get(&map) {
            return *number;
        }
        let number = self.function.maps.len();
        self.maps.insert(map.clone(), number);
        self.function.maps.push(map);
        number
    }

    /// The statements of a list of nodes, indented by the loops around them (SDSC bundle specification, section 2.5).
    fn block(
        &mut self,
        nodes: &[PlannedNode],
        loops: &mut Vec<Enclosing>,
        body: &mut Vec<Stmt>,
    ) -> Result<(), Error> {
        let plan = self.plan;
        for node in nodes {
            match node {
                PlannedNode::Op(index) => self.op(*index, &plan.ops[*index], loops, body)?,
                PlannedNode::Loop {
                    number,
                    body: inner,
                } => {
                    let Heading {
                        lower,
                        upper,
                        step,
                        elements,
                    } = self.headings[*number];
                    let iv = self.define(format_args!("i_{number}"));
                    let mut statements = Vec::new();
                    loops.push(Enclosing { iv, step: elements });
                    self.block(inner, loops, &mut statements)?;
                    loops.pop();
                    body.push(Stmt::For {
                        iv,
                        lower,
                        upper,
                        step,
                        body: statements,
                    });
                }
            }
        }
        Ok(())
    }

    /// The addresses of an operation that move, then its execution (SDSC bundle specification, section 2.5).
    fn op(
        &mut self,
        index: usize,
        op: &PlannedOp,
        loops: &[Enclosing],
        body: &mut Vec<Stmt>,
    ) -> Result<(), Error> {
        let unresolved = || Error::Inconsistent {
            op: op.at.clone(),
            problem: "a symbol has no value".into(),
        };
        let mut bound = std::mem::take(&mut self.op_values[index]);
        let mut moved = vec![false; bound.len()];
        for (tensor, steps) in op
            .steps
            .iter()
            .enumerate()
            .filter(|(_, steps)| !steps.is_empty())
        {
            let (map, ivs) = self.map(&op.at, steps, loops)?;
            let positions = op.symbols.addresses(tensor);
            assert!(!positions.is_empty(), "a tensor that moves has symbols");
            for &position in positions {
                // Tensors that move alike share symbols.
                if std::mem::replace(&mut moved[position], true) {
                    continue;
                }
                let base = bound[position].ok_or_else(unresolved)?;
                let number = self.addresses;
                let result = self.define(format_args!("addr_{number}"));
                self.addresses += 1;
                body.push(Stmt::Apply {
                    result,
                    map,
                    ivs: ivs.clone(),
                    base,
                });
                bound[position] = Some(result);
            }
        }
        let mentioned = op.symbols.mentioned();
        let operands = mentioned
            .iter()
            .map(|position| bound[*position].ok_or_else(unresolved));
        let operands = operands.collect::<Result<_, _>>()?;
        // A shared file keeps the identifiers of its first use.
        let symbol_ids = mentioned
            .iter()
            .map(|position| op.file_base.id(*position))
            .collect();
        body.push(Stmt::Execute {
            operands,
            filename: file_name(op.file),
            symbol_ids,
        });
        Ok(())
    }

    /// The map of a tensor's steps, and the induction variables it applies to (SDSC bundle specification, sections 2.6
    /// and 2.7).
    fn map(
        &mut self,
        at: &OpRef,
        steps: &[LevelStep],
        loops: &[Enclosing],
    ) -> Result<(usize, Arc<[ValueId]>), Error> {
        let elements: Vec<u64> = loops.iter().map(|enclosing| enclosing.step).collect();
        let strides = strides(at, steps, &elements)?;
        let ivs = strides.iter().map(|(level, _)| loops[*level].iv).collect();
        let strides = strides.into_iter().map(|(_, bytes)| bytes).collect();
        Ok((self.map_number(AffineMap { strides }), ivs))
    }
}
