//! Reads `bundle.mlir`: the executions, the loops around them, and their addresses.

use std::collections::HashMap;

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_dialects::bundle::{ALLOCATE, EXECUTE, EXTRACT, FUNCTION as BUNDLE_FUNCTION};
use spyre_dialects::input_arg::input_arg_bounds;
use spyre_mlir_rt::affine::{self, LinearForm};
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Source, Val};

use super::Findings;
use super::address::{Address, Base};
use super::rules::{
    ADDRESS, EMPTY_LOOP, FUNCTION, HALF_BOUNDS, LOOP, MAP, OPERATION, PARAM_ORDER, POOL_USE,
    RUNTIME_LOOP, UNUSED_PARAM,
};

/// The contents of a bundle function.
#[derive(Debug, Default)]
pub struct Program<'p> {
    /// The function; `None` if it cannot be checked any further.
    pub function: Option<Op<'p>>,
    /// Executions in the order of the text.
    pub executes: Vec<Execute<'p>>,
    /// Loops in the order of the text.
    pub loops: Vec<Loop>,
    /// Bounds of each parameter that is a size.
    pub params: Vec<Option<Bounds>>,
    /// Bytes of the pool, if there is one.
    pub pool: Option<i64>,
}

/// Granularity and largest value of a size, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The size is a multiple of this.
    pub granularity: i64,
    /// The size is at most this.
    pub max: i64,
}

/// A loop.
#[derive(Debug, Clone, Copy)]
pub struct Loop {
    /// The step of the induction variable; 0 if it is not known.
    pub step: i64,
    /// The most iterations that the loop has; 0 if they are not known.
    pub trips: i64,
}

/// An execution of a file.
#[derive(Debug)]
pub struct Execute<'p> {
    /// The operation.
    pub op: Op<'p>,
    /// The file.
    pub file: String,
    /// Symbols and the values that are bound to them; `None` for a value that was reported.
    pub bindings: Vec<(i64, Option<Address>)>,
}

/// Reads a module and reports the faults that its operations have by themselves.
pub fn read<'p>(module: Op<'p>, findings: &mut Findings) -> Program<'p> {
    let mut reader = Reader {
        findings,
        program: Program::default(),
        values: HashMap::new(),
        used: Vec::new(),
        pools: Vec::new(),
        pool_is_used: false,
        enclosing: Vec::new(),
    };
    reader.module(module);
    reader.program
}

struct Reader<'f, 'p> {
    findings: &'f mut Findings,
    program: Program<'p>,
    /// The known values. A value that is not here has been reported, or is of no use as an address.
    values: HashMap<usize, Address>,
    /// Whether each parameter is used.
    used: Vec<bool>,
    pools: Vec<Op<'p>>,
    pool_is_used: bool,
    /// The loops around the current operation.
    enclosing: Vec<usize>,
}

impl<'p> Reader<'_, 'p> {
    fn module(&mut self, module: Op<'p>) {
        for op in ir::body(module).into_iter().flat_map(ir::operations) {
            let is_bundle = ir::name(op) == "func.func"
                && op
                    .attribute("sym_name")
                    .ok()
                    .and_then(attr::string)
                    .as_deref()
                    == Some(BUNDLE_FUNCTION);
            if is_bundle && self.program.function.is_none() {
                self.program.function = Some(op);
            } else {
                let message =
                    format!("a bundle has the function @{BUNDLE_FUNCTION} and nothing else");
                self.findings.at(FUNCTION, op, message);
            }
        }
        let body = self.program.function.and_then(ir::function_body);
        match (self.program.function, body) {
            (Some(function), Some(body)) => self.function(function, body),
            (function, _) => {
                let message = format!("there is no function @{BUNDLE_FUNCTION} with a body");
                self.findings
                    .at(FUNCTION, function.unwrap_or(module), message);
            }
        }
    }

    fn function(&mut self, function: Op<'p>, body: Blk<'p>) {
        let mut sizes = false;
        for index in 0..body.argument_count() {
            let Ok(param) = body.argument(index) else {
                continue;
            };
            let bounds = match input_arg_bounds(param.r#type()) {
                Some((Some(granularity), Some(max))) => Some(Bounds { granularity, max }),
                Some((None, None)) | None => None,
                Some(_) => {
                    let message = format!(
                        "parameter {index} must have both granularity and max_value, or neither"
                    );
                    self.findings.at(HALF_BOUNDS, function, message);
                    None
                }
            };
            if bounds.is_none() && sizes {
                let message = format!("parameter {index}, an address, comes after a size");
                self.findings.at(PARAM_ORDER, function, message);
            }
            sizes |= bounds.is_some();
            // A parameter of type `index` is its own value.
            if input_arg_bounds(param.r#type()).is_none() {
                self.values.insert(
                    ir::value_key(param.into()),
                    Address::base(Base::Param(index)),
                );
            }
            self.program.params.push(bounds);
            self.used.push(false);
        }
        self.block(body);
        for (index, _) in self.used.iter().enumerate().filter(|(_, used)| !**used) {
            let message = format!("parameter {index} is not used");
            self.findings.at(UNUSED_PARAM, function, message);
        }
        for pool in self.pools.iter().skip(1) {
            self.findings.at(POOL_USE, *pool, "a bundle has one pool");
        }
        if let Some(pool) = self.pools.first().filter(|_| !self.pool_is_used) {
            self.findings.at(POOL_USE, *pool, "nothing is in the pool");
        }
    }

    fn block(&mut self, block: Blk<'p>) {
        for op in ir::operations(block) {
            match ir::kind(op) {
                OpKind::For => self.scf_for(op),
                OpKind::Yield | OpKind::Return => {}
                OpKind::ConstantIndex => {
                    self.define(op, Some(Address::constant(ir::constant_index(op))));
                }
                OpKind::AddIndex => {
                    let sum = || {
                        let (lhs, rhs) = (op.operand(0).ok()?, op.operand(1).ok()?);
                        self.value(lhs)?.add(self.value(rhs)?)
                    };
                    let sum = sum();
                    self.define(op, sum);
                }
                OpKind::AffineApply => self.apply(op),
                _ => match ir::name(op).as_str() {
                    EXECUTE => self.execute(op),
                    ALLOCATE => {
                        let size = op.attribute("size").ok().and_then(attr::integer);
                        let pool = self.program.pool.unwrap_or(0);
                        self.program.pool = Some(pool.saturating_add(size.unwrap_or(0)));
                        self.pools.push(op);
                        self.define(op, Some(Address::base(Base::Pool)));
                    }
                    EXTRACT => self.extract(op),
                    other => {
                        let message = format!("{other} is no operation of a bundle");
                        self.findings.at(OPERATION, op, message);
                    }
                },
            }
        }
    }

    fn value(&self, value: Val<'p>) -> Option<&Address> {
        self.values.get(&ir::value_key(value))
    }

    fn define(&mut self, op: Op<'p>, address: Option<Address>) {
        if let (Ok(result), Some(address)) = (op.result(0), address) {
            self.values.insert(ir::value_key(result.into()), address);
        }
    }

    fn extract(&mut self, op: Op<'p>) {
        let Some(Source::Argument(_, index)) = op.operand(0).ok().map(ir::source) else {
            return;
        };
        let field = op.attribute("field").ok().and_then(attr::string);
        let base = match field.as_deref() {
            Some("value") => Base::Param(index),
            _ => Base::Bound(index),
        };
        self.define(op, Some(Address::base(base)));
    }

    /// Evaluates a map `s0 + K0*d0 + ...` of a base and of induction variables. Only the form is checked here. Whether the result
    /// is an address is checked where it is bound.
    fn apply(&mut self, op: Op<'p>) {
        let Some(map) = ir::affine_map(op) else {
            return;
        };
        let operands: Option<Vec<Address>> = op
            .operands()
            .map(|operand| self.value(operand).cloned())
            .collect();
        let Some(mut operands) = operands else {
            return;
        };
        let dims = map.dim_count();
        // What depends on a size is checked for the largest one.
        let mut is_size = vec![false; operands.len()];
        for (operand, is_size) in operands.iter_mut().zip(&mut is_size).take(dims) {
            if let Some(index) = operand.as_param()
                && let Some(bounds) = self.bounds(index)
            {
                self.mark(operand);
                *operand = Address::constant(bounds.max);
                *is_size = true;
            }
        }
        let mut last = None;
        let sizes = is_size.iter();
        for ((number, operand), is_size) in operands.iter().take(dims).enumerate().zip(sizes) {
            if *is_size {
                continue;
            }
            let level = match operand.steps.as_slice() {
                [(level, 1)] if operand.base == Base::None && operand.constant == 0 => Some(*level),
                _ => None,
            };
            if level.is_none() || level <= last {
                let message = format!(
                    "d{number} must be an induction variable, outermost first, or a size, but is {operand}"
                );
                self.findings.at(MAP, op, message);
            }
            last = level.or(last);
        }
        let result = map
            .result(0)
            .ok()
            .and_then(|expr| affine::evaluate(expr, &operands, dims, &Address::constant));
        // The same map of units shows the strides.
        let units: Vec<Address> = (0..dims)
            .map(Address::induction)
            .chain((dims..operands.len()).map(|_| Address::base(Base::Pool)))
            .collect();
        let form = map
            .result(0)
            .ok()
            .and_then(|expr| affine::evaluate(expr, &units, dims, &Address::constant));
        let is_usual = operands.len() == dims + 1
            && form.is_some_and(|form| {
                form.base == Base::Pool
                    && form.constant == 0
                    && form.steps.len() == dims
                    && form.steps.iter().all(|(_, step)| *step > 0)
            });
        if !is_usual {
            let message = "map must be s0 plus a positive stride for each dimension";
            self.findings.at(MAP, op, message);
        }
        self.define(op, result);
    }

    fn scf_for(&mut self, op: Op<'p>) {
        let number = self.program.loops.len();
        let shape = self.loop_shape(op);
        self.program.loops.push(shape);
        let Some(body) = ir::body(op) else {
            return;
        };
        if let Ok(iv) = body.argument(0) {
            self.values
                .insert(ir::value_key(iv.into()), Address::induction(number));
        }
        let before = self.program.executes.len();
        self.enclosing.push(number);
        self.block(body);
        self.enclosing.pop();
        if self.program.executes.len() == before {
            self.findings
                .at(EMPTY_LOOP, op, "the loop executes nothing");
        }
    }

    /// Returns the step and the trips of a loop; zeros if the loop was reported.
    fn loop_shape(&mut self, op: Op<'p>) -> Loop {
        let unknown = Loop { step: 0, trips: 0 };
        let mut operand = |index| {
            let value = self.value(op.operand(index).ok()?)?.clone();
            self.mark(&value);
            Some(value)
        };
        let (Some(lower), Some(upper), Some(step)) = (operand(0), operand(1), operand(2)) else {
            let message = "bounds and step must be constants or sizes";
            self.findings.at(LOOP, op, message);
            return unknown;
        };
        let size = upper.as_param();
        let step_of_size = match step {
            Address {
                base: Base::Bound(index),
                constant: 0,
                ref steps,
            } if steps.is_empty() && Some(index) == size => {
                self.bounds(index).map(|b| b.granularity)
            }
            ref step => step.as_constant(),
        };
        let (Some(0), Some(step)) = (lower.as_constant(), step_of_size.filter(|step| *step > 0))
        else {
            let message =
                format!("loop must count from 0 by a positive constant, got {lower} by {step}");
            self.findings.at(LOOP, op, message);
            return unknown;
        };
        let Some(index) = size else {
            let Some(count) = upper
                .as_constant()
                .filter(|count| *count > 0 && count % step == 0)
            else {
                let message =
                    format!("loop to {upper} by {step} is not a positive number of whole steps");
                self.findings.at(LOOP, op, message);
                return unknown;
            };
            return Loop {
                step,
                trips: count / step,
            };
        };
        let Some(bounds) = self.bounds(index) else {
            let message =
                format!("loop bound, parameter {index}, has no granularity and max_value");
            self.findings.at(RUNTIME_LOOP, op, message);
            return unknown;
        };
        if bounds.granularity % step != 0 {
            let message = format!(
                "step {step} does not divide the granularity {} of the bound",
                bounds.granularity
            );
            self.findings.at(RUNTIME_LOOP, op, message);
            return unknown;
        }
        Loop {
            step,
            trips: bounds.max / step,
        }
    }

    fn bounds(&self, index: usize) -> Option<Bounds> {
        self.program.params.get(index).copied().flatten()
    }

    /// Remembers that a value was used.
    fn mark(&mut self, value: &Address) {
        match value.base {
            Base::Param(index) | Base::Bound(index) => {
                if let Some(used) = self.used.get_mut(index) {
                    *used = true;
                }
            }
            Base::Pool => self.pool_is_used = true,
            Base::None => {}
        }
    }

    fn execute(&mut self, op: Op<'p>) {
        let ids = op
            .attribute("symbol_ids")
            .map(attr::elements)
            .unwrap_or_default();
        let mut bindings = Vec::with_capacity(ids.len());
        for (operand, (value, id)) in op.operands().zip(ids).enumerate() {
            let id = attr::integer(id).unwrap_or(0);
            let address = self.value(value).cloned();
            match &address {
                Some(address) => self.mark(address),
                None => {
                    let message = format!(
                        "operand {operand}, symbol {id}, is not a base plus a constant plus steps of loops"
                    );
                    self.findings.at(ADDRESS, op, message);
                }
            }
            bindings.push((id, address));
        }
        let file = op.attribute("sdsc_filename").ok().and_then(attr::string);
        self.program.executes.push(Execute {
            op,
            file: file.unwrap_or_default(),
            bindings,
        });
    }
}
