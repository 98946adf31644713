//! Evaluates the function of `bundle.mlir`: the executions, the loops around them, and their addresses.
//!
//! Every value is a base, a constant, and a multiple of each induction variable. A value of another form is no address;
//! it is reported where it is bound. Faults of an operation by itself are reported here, and reading continues.

use spyre_bundle_files::{
    Arithmetic, Field, Function, Map, Module, ParamName, Place, Statement, StatementKind, ValueId,
};

use super::Findings;
use super::address::{Address, Base};
use super::rules::{
    ADDRESS, EMPTY_LOOP, EXTRACT_PLACE, FUNCTION, HALF_BOUNDS, LINEAR_MAP, LOOP, MAP, OPERATION,
    PARAM_ORDER, POOL_USE, RUNTIME_LOOP, UNUSED_PARAM,
};

/// The contents of a bundle function.
#[derive(Debug, Default)]
pub(crate) struct Program<'p> {
    /// Executions in the order of the text.
    pub executes: Vec<Execute>,
    /// Loops in the order of the text.
    pub loops: Vec<Loop>,
    /// The parameters.
    pub params: Vec<Param<'p>>,
    /// Bytes of the pool, if there is one.
    pub pool: Option<i64>,
}

impl Program<'_> {
    /// Returns the bounds of a parameter, if it is a size.
    pub(crate) fn bounds(&self, index: usize) -> Option<Bounds> {
        self.params.get(index)?.bounds
    }
}

/// A parameter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Param<'p> {
    /// The parsed name of the parameter.
    pub name: Option<ParamName<'p>>,
    /// The bounds, if it is a size.
    pub bounds: Option<Bounds>,
}

/// Granularity and largest value of a size, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// The size is a multiple of this.
    pub granularity: i64,
    /// The size is at most this.
    pub max: i64,
}

/// A loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Loop {
    /// The step of the induction variable; 0 if it is not known.
    pub step: i64,
    /// The most iterations that the loop has; 0 if they are not known.
    pub trips: i64,
}

/// An execution of a file.
#[derive(Debug)]
pub(crate) struct Execute {
    /// The place of the operation.
    pub place: Place,
    /// The file.
    pub file: String,
    /// Symbols and the values that are bound to them; `None` for a value that was reported.
    pub bindings: Vec<(i64, Option<Address>)>,
}

/// Evaluates the function of a module and reports the faults that its operations have by themselves.
pub(crate) fn read<'p>(module: &'p Module, findings: &mut Findings) -> Program<'p> {
    for other in &module.others {
        let message = "a bundle has the function @sdsc_bundle and nothing else";
        findings.at(FUNCTION, other.place, message);
    }
    let Some(function) = &module.function else {
        let message = "there is no function @sdsc_bundle with a body";
        findings.at(FUNCTION, module.place, message);
        return Program::default();
    };
    let mut reader = Reader {
        findings,
        program: Program::default(),
        values: vec![None; function.values.len()],
        used: Vec::new(),
        pools: Vec::new(),
        pool_is_used: false,
        depth: 0,
    };
    reader.function(function);
    reader.program
}

struct Reader<'f, 'p> {
    findings: &'f mut Findings,
    program: Program<'p>,
    /// The known values. A value that is not here has been reported, or is of no use as an address.
    values: Vec<Option<Address>>,
    /// Whether each parameter is used.
    used: Vec<bool>,
    pools: Vec<Place>,
    pool_is_used: bool,
    /// The number of loops around the present statement.
    depth: usize,
}

impl<'p> Reader<'_, 'p> {
    fn function(&mut self, function: &'p Function) {
        let mut sizes = false;
        for (index, param) in function.params.iter().enumerate() {
            let bounds = match (param.bounds.granularity, param.bounds.max_value) {
                (Some(granularity), Some(max)) => Some(Bounds { granularity, max }),
                (None, None) => None,
                _ => {
                    let message = format!(
                        "parameter {index} must have both granularity and max_value, or neither"
                    );
                    self.findings.at(HALF_BOUNDS, function.place, message);
                    None
                }
            };
            if bounds.is_none() && sizes {
                let message = format!("parameter {index}, an address, comes after a size");
                self.findings.at(PARAM_ORDER, function.place, message);
            }
            sizes |= bounds.is_some();
            if param.is_index {
                self.define(param.value, Some(Address::base(Base::Param(index))));
            }
            let name = ParamName::parse(function.name(param.value));
            self.program.params.push(Param { name, bounds });
            self.used.push(false);
        }
        self.block(&function.body);
        for (index, _) in self.used.iter().enumerate().filter(|(_, used)| !**used) {
            let message = format!("parameter {index} is not used");
            self.findings.at(UNUSED_PARAM, function.place, message);
        }
        for pool in self.pools.iter().skip(1) {
            self.findings.at(POOL_USE, *pool, "a bundle has one pool");
        }
        if let Some(pool) = self.pools.first().filter(|_| !self.pool_is_used) {
            self.findings.at(POOL_USE, *pool, "nothing is in the pool");
        }
    }

    fn block(&mut self, block: &[Statement]) {
        for statement in block {
            let place = statement.place;
            match &statement.kind {
                StatementKind::For {
                    iv,
                    lower,
                    upper,
                    step,
                    body,
                } => self.scf_for(place, *iv, [*lower, *upper, *step], body),
                StatementKind::Constant { result, value } => {
                    self.define(*result, Some(Address::constant(*value)));
                }
                StatementKind::Arithmetic {
                    result,
                    kind,
                    lhs,
                    rhs,
                } => {
                    let other = match kind {
                        Arithmetic::Add => {
                            let (lhs, rhs) = (self.value(*lhs), self.value(*rhs));
                            let sum = lhs.zip(rhs).and_then(|(lhs, rhs)| lhs.add(rhs));
                            self.define(*result, sum);
                            continue;
                        }
                        Arithmetic::Subtract => "arith.subi",
                        Arithmetic::Multiply => "arith.muli",
                    };
                    let message = format!("{other} is no operation of a bundle");
                    self.findings.at(OPERATION, place, message);
                }
                StatementKind::Apply {
                    result,
                    map,
                    operands,
                } => self.apply(place, *result, map, operands),
                StatementKind::Execute { file, symbols } => self.execute(place, file, symbols),
                StatementKind::Allocate { result, bytes } => {
                    let bytes = i64::try_from(*bytes).expect("the text has numbers of 63 bits");
                    let pool = self.program.pool.unwrap_or(0);
                    let total = pool.checked_add(bytes);
                    self.program.pool = Some(total.expect("the dialect limits the total"));
                    self.pools.push(place);
                    self.define(*result, Some(Address::base(Base::Pool)));
                }
                StatementKind::Extract {
                    result,
                    param,
                    field,
                } => {
                    if self.depth > 0 && self.findings.is_contract() {
                        let message = format!(
                            "parameter {param} is taken apart inside of a loop; move the operation before the loops"
                        );
                        self.findings.at(EXTRACT_PLACE, place, message);
                    }
                    let base = match field {
                        Field::Value => Base::Param(*param),
                        Field::Granularity | Field::MaxValue => Base::Bound(*param),
                    };
                    self.define(*result, Some(Address::base(base)));
                }
            }
        }
    }

    fn value(&self, value: ValueId) -> Option<&Address> {
        self.values[value.index()].as_ref()
    }

    fn define(&mut self, value: ValueId, address: Option<Address>) {
        self.values[value.index()] = address;
    }

    /// Evaluates a map `s0 + K0*d0 + ...` of a base and of induction variables. Only the form is checked here. Whether the result
    /// is an address is checked where it is bound.
    fn apply(&mut self, place: Place, result: ValueId, map: &Map, operands: &[ValueId]) {
        let operands: Option<Vec<Address>> = operands
            .iter()
            .map(|operand| self.value(*operand).cloned())
            .collect();
        let Some(mut operands) = operands else {
            return;
        };
        let mut last = None;
        for (number, operand) in operands.iter_mut().take(map.dims).enumerate() {
            // An operand that depends on a size is checked for the largest one.
            if let Some(index) = operand.as_param()
                && let Some(bounds) = self.program.bounds(index)
            {
                self.mark(operand);
                *operand = Address::constant(bounds.max);
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
                self.findings.at(MAP, place, message);
            }
            last = level.or(last);
        }
        if self.findings.is_contract() {
            self.linear(place, map, &operands);
        }
        let form = map.form.as_ref().ok();
        let is_usual = form.is_some_and(|form| {
            let (strides, symbols) = form.factors.split_at(map.dims);
            form.constant == 0 && symbols == [1] && strides.iter().all(|stride| *stride > 0)
        });
        if !is_usual {
            let message = "map must be s0 plus a positive stride for each dimension";
            self.findings.at(MAP, place, message);
        }
        let address = form.and_then(|form| {
            let mut terms = form.factors.iter().zip(&operands);
            terms.try_fold(
                Address::constant(form.constant),
                |sum, (factor, operand)| match *factor {
                    0 => Some(sum),
                    factor => sum.add(&operand.scale(factor)?),
                },
            )
        });
        self.define(result, address);
    }

    /// Checks that a map is linear, and that its symbols are the same in all iterations.
    fn linear(&mut self, place: Place, map: &Map, operands: &[Address]) {
        if map.form.is_err() {
            let message = "the map is not linear; write it as a sum of multiples of its operands";
            self.findings.at(LINEAR_MAP, place, message);
        }
        for (number, operand) in operands.iter().skip(map.dims).enumerate() {
            if !operand.steps.is_empty() {
                let message = format!(
                    "s{number} is {operand}, which changes in loops; give the induction variables as dimensions of the map"
                );
                self.findings.at(LINEAR_MAP, place, message);
            }
        }
    }

    fn scf_for(&mut self, place: Place, iv: ValueId, bounds: [ValueId; 3], body: &[Statement]) {
        let number = self.program.loops.len();
        let shape = self.loop_shape(place, bounds);
        self.program.loops.push(shape);
        self.define(iv, Some(Address::induction(number)));
        let before = self.program.executes.len();
        self.depth += 1;
        self.block(body);
        self.depth -= 1;
        if self.program.executes.len() == before {
            let message = "the loop executes nothing";
            self.findings.at(EMPTY_LOOP, place, message);
        }
    }

    /// Returns the step and the trips of a loop; zeros if the loop was reported.
    fn loop_shape(&mut self, place: Place, bounds: [ValueId; 3]) -> Loop {
        let unknown = Loop { step: 0, trips: 0 };
        let bounds = bounds.map(|bound| self.value(bound).cloned());
        for bound in bounds.iter().flatten() {
            self.mark(bound);
        }
        let [Some(lower), Some(upper), Some(step)] = bounds else {
            let message = "bounds and step must be constants or sizes";
            self.findings.at(LOOP, place, message);
            return unknown;
        };
        let size = upper.as_param();
        let step_of_size = match step {
            Address {
                base: Base::Bound(index),
                constant: 0,
                ref steps,
            } if steps.is_empty() && Some(index) == size => {
                self.program.bounds(index).map(|b| b.granularity)
            }
            ref step => step.as_constant(),
        };
        let (Some(0), Some(step)) = (lower.as_constant(), step_of_size.filter(|step| *step > 0))
        else {
            let message =
                format!("loop must count from 0 by a positive constant, got {lower} by {step}");
            self.findings.at(LOOP, place, message);
            return unknown;
        };
        let Some(index) = size else {
            let Some(count) = upper
                .as_constant()
                .filter(|count| *count > 0 && count % step == 0)
            else {
                let message =
                    format!("loop to {upper} by {step} is not a positive number of whole steps");
                self.findings.at(LOOP, place, message);
                return unknown;
            };
            return Loop {
                step,
                trips: count / step,
            };
        };
        let Some(bounds) = self.program.bounds(index) else {
            let message =
                format!("loop bound, parameter {index}, has no granularity and max_value");
            self.findings.at(RUNTIME_LOOP, place, message);
            return unknown;
        };
        if bounds.granularity % step != 0 {
            let message = format!(
                "step {step} does not divide the granularity {} of the bound",
                bounds.granularity
            );
            self.findings.at(RUNTIME_LOOP, place, message);
            return unknown;
        }
        Loop {
            step,
            trips: bounds.max / step,
        }
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

    fn execute(&mut self, place: Place, file: &str, symbols: &[(i64, ValueId)]) {
        let mut bindings = Vec::with_capacity(symbols.len());
        for (operand, (id, value)) in symbols.iter().enumerate() {
            let address = self.value(*value).cloned();
            match &address {
                Some(address) => self.mark(address),
                None => {
                    let message = format!(
                        "operand {operand}, symbol {id}, is not a base plus a constant plus steps of loops"
                    );
                    self.findings.at(ADDRESS, place, message);
                }
            }
            bindings.push((*id, address));
        }
        self.program.executes.push(Execute {
            place,
            file: file.to_owned(),
            bindings,
        });
    }
}
