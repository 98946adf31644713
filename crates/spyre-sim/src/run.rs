//! Running the function of a bundle: loops, addresses, and executions.

use rustc_hash::FxHashMap;

use spyre_bundle_files::{Arithmetic, Bounds, Field, Place, Statement, StatementKind, ValueId};
use spyre_layout::Bytes;

use crate::kernels::{KernelError, Prepared};
use crate::machine::{Argument, Job, Machine, Movement, tensor_name};
use crate::memory::{Execution, NOBODY};
use crate::read::{Bundle, Operation};
use crate::report::{OpSite, RangeSource};
use crate::stats::{OperandId, Stats};
use crate::trace::{IterationEvent, TraceEvent};

/// Why an operation exists: a bundle is read as a whole.
const HAS_FILES: &str = "a bundle has every file that it executes";

/// A bundle that cannot run, or not to its end.
///
/// An error in memory does not stop a run: see [`Report`](crate::Report).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The function has another number of parameters than arguments were bound.
    #[error("the bundle has {params} parameters, and {arguments} arguments are bound")]
    Arguments {
        /// Parameters.
        params: usize,
        /// Arguments.
        arguments: usize,
    },
    /// A tensor is bound to a runtime size, or a number to an address.
    #[error("parameter {param} (%{name}) is {expected}")]
    ArgumentKind {
        /// The position of the parameter.
        param: usize,
        /// The name.
        name: String,
        /// The kind that it has.
        expected: &'static str,
    },
    /// A runtime size that its parameter does not allow.
    #[error(
        "parameter {param} (%{name}) is {value}: not a positive multiple of {granularity} up to {max_value}"
    )]
    Size {
        /// The position of the parameter.
        param: usize,
        /// The name.
        name: String,
        /// The number that is bound.
        value: i64,
        /// The number that divides it.
        granularity: i64,
        /// The largest value.
        max_value: i64,
    },
    /// An operation cannot be computed.
    #[error("{op}: {error}")]
    Kernel {
        /// The operation.
        op: OpSite,
        /// Why.
        error: KernelError,
    },
    /// More cores than the card has.
    #[error("{op}: core {core} of a card with {cores} cores")]
    Cores {
        /// The operation.
        op: OpSite,
        /// The core.
        core: u16,
        /// Cores of the card.
        cores: u32,
    },
    /// A number does not fit 64 bits.
    #[error("bundle.mlir:{0}: a value does not fit 64 bits")]
    Overflow(Place),
    /// A pool that no segment has room for.
    #[error("bundle.mlir:{place}: a pool of {size}; a segment has {segment}")]
    Pool {
        /// The allocation.
        place: Place,
        /// The size.
        size: Bytes,
        /// The size of a segment.
        segment: Bytes,
    },
    /// A loop that does not advance.
    #[error("bundle.mlir:{place}: the step of the loop is {step}")]
    Step {
        /// The loop.
        place: Place,
        /// The step.
        step: i64,
    },
    /// The run would take more than its [limits](crate::Limits).
    #[error("bundle.mlir:{place}: more than {limit} steps")]
    Limit {
        /// The statement at which it stopped.
        place: Place,
        /// The limit.
        limit: u64,
    },
}

impl Machine {
    /// Runs a bundle on the bound arguments: one for each parameter, in order.
    ///
    /// Memory and statistics stay, so that several bundles can run one after the other.
    ///
    /// # Errors
    /// The arguments do not fit the parameters, an operation has no definition, or the limits are exceeded.
    pub fn run(&mut self, bundle: &Bundle) -> Result<(), RunError> {
        let function = bundle.function();
        let params = function.params.len();
        if params != self.arguments.len() {
            return Err(RunError::Arguments {
                params,
                arguments: self.arguments.len(),
            });
        }
        let mut values = Vec::new();
        let pairs = function.params.iter().zip(&self.arguments).enumerate();
        for (position, (param, argument)) in pairs {
            let name = || function.name(param.value).to_owned();
            values.push(match (argument, param.bounds.is_size()) {
                (Argument::Size(size), true) => {
                    check_size(position, name, param.bounds, *size)?;
                    *size
                }
                (Argument::Tensor(region), false) => self.memory.region(*region).base,
                (_, size) => {
                    return Err(RunError::ArgumentKind {
                        param: position,
                        name: name(),
                        expected: if size { "a runtime size" } else { "an address" },
                    });
                }
            });
        }
        let mut sites = FxHashMap::default();
        let mut run = BundleRun {
            values: vec![0; function.values.len()],
            params: values,
            bundle,
            machine: self,
            iteration: Vec::new(),
            prepared: FxHashMap::default(),
            steps: 0,
        };
        for (param, value) in function.params.iter().zip(run.params.clone()) {
            // A parameter of `input_arg_extract` is not read as a value.
            run.set(param.value, value);
        }
        run.prepare(&function.body, &mut sites)?;
        run.statements(&function.body, &sites)
    }
}

fn check_size(
    param: usize,
    name: impl Fn() -> String,
    bounds: Bounds,
    value: i64,
) -> Result<(), RunError> {
    if bounds.admit(value) {
        return Ok(());
    }
    // The type may have only one of the two bounds.
    let granularity = bounds.granularity.unwrap_or(1);
    let max_value = bounds.max_value.unwrap_or(i64::MAX);
    Err(RunError::Size {
        param,
        name: name(),
        value,
        granularity,
        max_value,
    })
}

/// The positions of executing statements, by their place in the text.
type Sites = FxHashMap<(usize, usize), usize>;

/// An execution whose statistics are added.
struct FinishedExecution<'e> {
    op: &'e Operation,
    file: &'e str,
    site: OpSite,
    number: u32,
}

struct BundleRun<'r> {
    /// The value of each name.
    values: Vec<i64>,
    params: Vec<i64>,
    bundle: &'r Bundle,
    machine: &'r mut Machine,
    iteration: Vec<i64>,
    prepared: FxHashMap<&'r str, Prepared>,
    steps: u64,
}

/// Returns how many elements are reduced into each element of the output.
fn reduced(op: &Operation) -> u64 {
    let dims = op.dims.iter().enumerate();
    let over = dims.filter(|(dim, _)| {
        !op.output.has(*dim) && op.inputs.iter().any(|input| input.moves_along(*dim))
    });
    over.fold(1_u64, |count, (dim, size)| {
        let masks = op.masks.iter().filter(|mask| mask.dim == dim);
        // Masks are inside of the extent, and not over each other.
        let masked: u64 = masks.map(|mask| mask.range.end - mask.range.start).sum();
        // A number that does not fit 64 bits is more than any run visits.
        count.saturating_mul(size.extent - masked)
    })
}

impl<'r> BundleRun<'r> {
    /// Returns the executions so far.
    fn clock(&self) -> u64 {
        self.machine.memory.executions.len() as u64
    }

    fn get(&self, value: ValueId) -> i64 {
        self.values[value.index()]
    }

    fn set(&mut self, value: ValueId, to: i64) {
        self.values[value.index()] = to;
    }

    /// Prepares the computation of every operation, before any of them runs.
    fn prepare(&mut self, statements: &'r [Statement], sites: &mut Sites) -> Result<(), RunError> {
        for statement in statements {
            match &statement.kind {
                StatementKind::For { body, .. } => self.prepare(body, sites)?,
                StatementKind::Execute { file, .. } => {
                    let op = self.bundle.operation(file).expect(HAS_FILES);
                    let site = OpSite {
                        function: op.function.clone(),
                        file: file.clone(),
                        place: statement.place,
                    };
                    let cores = self.machine.target.cores;
                    if let Some(core) = op
                        .core_numbers()
                        .max()
                        .filter(|core| u32::from(*core) >= cores)
                    {
                        return Err(RunError::Cores {
                            op: site,
                            core,
                            cores,
                        });
                    }
                    if !self.prepared.contains_key(file.as_str()) {
                        let prepared = Prepared::new(op, self.machine.rounding, reduced(op));
                        let prepared = prepared.map_err(|error| RunError::Kernel {
                            op: site.clone(),
                            error,
                        })?;
                        self.prepared.insert(file, prepared);
                    }
                    let op_sites = &mut self.machine.memory.sites;
                    let place = (statement.place.line, statement.place.column);
                    sites.insert(place, op_sites.len());
                    op_sites.push(site);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn statements(&mut self, statements: &'r [Statement], sites: &Sites) -> Result<(), RunError> {
        for statement in statements {
            self.statement(statement, sites)?;
        }
        Ok(())
    }

    /// Counts steps. `None` is a number of steps that exceeds 64 bits, and so the limit.
    fn count(&mut self, steps: Option<u64>, statement: &Statement) -> Result<(), RunError> {
        let limit = self.machine.limits.steps;
        let steps = steps.and_then(|steps| self.steps.checked_add(steps));
        self.steps = steps
            .filter(|steps| *steps <= limit)
            .ok_or(RunError::Limit {
                place: statement.place,
                limit,
            })?;
        Ok(())
    }

    fn statement(&mut self, statement: &'r Statement, sites: &Sites) -> Result<(), RunError> {
        let overflow = || RunError::Overflow(statement.place);
        match &statement.kind {
            StatementKind::Constant { result, value } => self.set(*result, *value),
            StatementKind::Arithmetic {
                result,
                kind,
                lhs,
                rhs,
            } => {
                let (lhs, rhs) = (self.get(*lhs), self.get(*rhs));
                let value = match kind {
                    Arithmetic::Add => lhs.checked_add(rhs),
                    Arithmetic::Subtract => lhs.checked_sub(rhs),
                    Arithmetic::Multiply => lhs.checked_mul(rhs),
                };
                self.set(*result, value.ok_or_else(overflow)?);
            }
            StatementKind::Apply {
                result,
                map,
                operands,
            } => {
                let operands: Vec<i64> = operands.iter().map(|value| self.get(*value)).collect();
                let form = map
                    .form
                    .as_ref()
                    .expect("a bundle is read with linear maps");
                self.set(*result, form.eval(&operands).ok_or_else(overflow)?);
            }
            StatementKind::Extract {
                result,
                param,
                field,
            } => {
                let bounds = self.bundle.function().params[*param].bounds;
                let value = match field {
                    Field::Value => Some(self.params[*param]),
                    Field::Granularity | Field::MaxValue => bounds.get(*field),
                };
                self.set(*result, value.expect("a field that is read is in the type"));
            }
            StatementKind::Allocate { result, bytes } => {
                let (size, segment) = (Bytes(*bytes), self.machine.target.segment_bytes);
                if size > segment {
                    return Err(RunError::Pool {
                        place: statement.place,
                        size,
                        segment,
                    });
                }
                let base = self.machine.allocate(*bytes).ok_or_else(overflow)?;
                self.set(*result, base);
            }
            StatementKind::For {
                iv,
                lower,
                upper,
                step,
                body,
            } => {
                let bounds = [*lower, *upper, *step].map(|value| self.get(value));
                self.iterate(statement, *iv, bounds, body, sites)?;
            }
            StatementKind::Execute { file, symbols } => {
                self.execute(statement, file, symbols, sites)?;
            }
        }
        Ok(())
    }

    /// Runs the iterations of a loop from a first index up to the end, exclusive, by a step.
    fn iterate(
        &mut self,
        statement: &'r Statement,
        iv: ValueId,
        [first, end, step]: [i64; 3],
        body: &'r [Statement],
        sites: &Sites,
    ) -> Result<(), RunError> {
        if step <= 0 {
            return Err(RunError::Step {
                place: statement.place,
                step,
            });
        }
        let mut at = first;
        while at < end {
            self.count(Some(1), statement)?;
            self.machine.stats.iterations += 1;
            self.machine.stats.modelled_time += self.machine.target.rates.per_iteration;
            self.set(iv, at);
            self.iteration.push(at);
            let start_clock = self.clock();
            self.statements(body, sites)?;
            let end_clock = self.clock();
            if let Some(trace) = &mut self.machine.trace {
                trace.iterations.push(IterationEvent {
                    place: statement.place,
                    iteration: self.iteration.clone(),
                    start: start_clock,
                    end: end_clock,
                });
            }
            self.iteration.pop();
            // An index that does not fit 64 bits is after the end.
            match at.checked_add(step) {
                Some(next) => at = next,
                None => break,
            }
        }
        Ok(())
    }

    fn execute(
        &mut self,
        statement: &Statement,
        file: &str,
        symbols: &[(i64, ValueId)],
        sites: &Sites,
    ) -> Result<(), RunError> {
        let bundle = self.bundle;
        let place = (statement.place.line, statement.place.column);
        let (op, site) = (bundle.operation(file).expect(HAS_FILES), sites[&place]);
        let values = symbols
            .iter()
            .map(|(symbol, value)| (*symbol, self.get(*value)));
        let symbols: FxHashMap<i64, i64> = values.collect();
        // All points of the iteration space.
        let mut extents = op.dims.iter().map(|dim| dim.extent);
        self.count(extents.try_fold(1, u64::checked_mul), statement)?;
        // Executions and values have numbers of 32 bits.
        let memory = &self.machine.memory;
        let values = memory.values.len() + op.core_numbers().count();
        if memory.executions.len().max(values) >= NOBODY as usize {
            return Err(RunError::Limit {
                place: statement.place,
                limit: NOBODY.into(),
            });
        }
        let number = memory.executions.len() as u32;
        let job = Job {
            op,
            prepared: &self.prepared[file],
            symbols: &symbols,
            number,
        };
        let execution = Execution {
            site,
            iteration: self.iteration.clone(),
            sticks: 0,
            lost: 0,
            changed: false,
        };
        let mut problems = Vec::new();
        let mut movement = job.run(&mut self.machine.memory, execution, &mut problems);
        let execution = FinishedExecution {
            op,
            file,
            site: self.machine.memory.sites[site].clone(),
            number,
        };
        for problem in problems {
            self.machine
                .add_problem(problem, &execution.site, &self.iteration);
        }
        self.add_ranges(&execution, &mut movement);
        self.add_traffic(&execution, &movement);
        self.add_cores(&execution, &movement);
        Ok(())
    }

    /// Adds numbers that are beyond the ones of the card to the report.
    fn add_ranges(&mut self, execution: &FinishedExecution<'_>, movement: &mut Movement) {
        let site = &execution.site;
        if let Some(beyond) = movement.beyond.take() {
            let source = RangeSource::Operation(site.clone());
            self.machine.add_beyond(beyond, source, &self.iteration);
        }
        if let Some(of_mask) = movement.of_mask.take() {
            let source = RangeSource::Masked(site.clone());
            self.machine.add_beyond(of_mask, source, &self.iteration);
        }
    }

    /// Adds the modelled time of an execution, and the bytes of each operand.
    fn add_traffic(&mut self, execution: &FinishedExecution<'_>, movement: &Movement) {
        let FinishedExecution { op, file, site, .. } = execution;
        let rates = self.machine.target.rates;
        let stats = &mut self.machine.stats;
        stats.ops += 1;
        stats.modelled_time += rates.per_execution;
        stats.modelled_time += rates.relayout(movement.relayed);
        if let Some(work) = movement.compute {
            stats.modelled_time += work.time(&rates);
        }
        for (position, moved) in &movement.operands {
            let tensor = op.inputs.get(*position).unwrap_or(&op.output);
            let id = OperandId {
                file: (*file).to_owned(),
                position: *position,
                function: site.function.clone(),
                tensor: tensor_name(op, tensor),
            };
            stats.modelled_time += rates.memory(Bytes(moved.distinct), moved.fan_out);
            let traffic = stats.operands.entry(id).or_default();
            Stats::add(&mut traffic.all, moved.all);
            Stats::add(&mut traffic.distinct, moved.distinct);
            traffic.fan_out = traffic.fan_out.max(moved.fan_out);
        }
    }

    /// Adds the bytes that each core moved.
    fn add_cores(&mut self, execution: &FinishedExecution<'_>, movement: &Movement) {
        let site = &execution.site;
        let stats = &mut self.machine.stats;
        for moved in &movement.cores {
            Stats::add(&mut stats.hbm_read, moved.hbm_read);
            Stats::add(&mut stats.hbm_written, moved.hbm_written);
            Stats::add(&mut stats.hbm_read_distinct, moved.hbm_read_distinct);
            Stats::add(&mut stats.lx_read, moved.lx_read);
            Stats::add(&mut stats.lx_written, moved.lx_written);
            if moved.lx_end > 0 {
                let peak = stats.lx_peak.entry(moved.core).or_default();
                peak.0 = peak.0.max(moved.lx_end);
            }
            if let Some(trace) = &mut self.machine.trace {
                trace.events.push(TraceEvent {
                    function: site.function.clone(),
                    file: site.file.clone(),
                    core: moved.core,
                    iteration: self.iteration.clone(),
                    clock: u64::from(execution.number),
                    hbm_read: Bytes(moved.hbm_read),
                    hbm_written: Bytes(moved.hbm_written),
                    lx_read: Bytes(moved.lx_read),
                    lx_written: Bytes(moved.lx_written),
                });
            }
        }
    }
}
