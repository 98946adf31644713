//! The addresses of one execution next to those of its operation.

use spyre_layout::Arrangement;

use crate::claim::{By, Claim, Finding, Reason, Verdict, Witness, both};
use crate::domain::Part;
use crate::expr::{Expr, Var};
use crate::memory::{Memory, STICK, Space};
use crate::program::{Access, Program, Statement};
use crate::table::{Digit, fit};

use super::decide::{Decider, Domain, Outcome};
use super::formats;
use super::function::{Execution, Quantity};
use super::located::Located;
use super::matching::Matching;
use super::operation::{Fault, Operation, wrong};
use super::tensor::{Axis, Tensor, run};

/// One execution.
pub(super) struct Comparison<'p> {
    pub program: &'p Program,
    /// The operation, with one moment for two.
    pub statement: &'p Statement,
    pub memory: &'p Memory<'p>,
    pub execution: &'p Execution,
    pub operation: &'p Operation,
    /// Bytes of the pool.
    pub pool: Option<u64>,
}

/// The division of an operation among cores, and the dimensions of its file.
pub(super) struct Division<'m> {
    pub parts: Vec<Part>,
    pub digits: Vec<Digit>,
    pub matching: &'m Matching,
}

/// The start of each core.
pub(super) struct Starts {
    /// The byte in the memory, over counters.
    pub of: Vec<Expr>,
    /// One expression over [`Var::Core`] for all, if the table is a sum over digits.
    pub fitted: Option<Expr>,
}

impl Comparison<'_> {
    /// Returns the answers for one bijection of dimensions.
    pub(super) fn findings(&self, decider: &mut Decider<'_>, matching: &Matching) -> Vec<Finding> {
        let statement = self.statement;
        let division = match self.division(matching) {
            Ok(division) => division,
            Err(fault) => return vec![self.of_file(verdict_of(fault))],
        };
        let slices = self.slices(&division);
        let of_file = both(slices, self.numbers(matching));
        let mut findings = vec![self.of_file(of_file)];
        if matches!(findings[0].verdict, Verdict::Refuted(_)) {
            return findings;
        }
        let accesses = statement.operands.iter().chain(&statement.results);
        for (at, (tensor, access)) in self.operation.tensors().zip(accesses).enumerate() {
            let operand = (at < statement.operands.len()).then_some(at);
            let value = self.program.value(access.value);
            let verdicts = formats::check(statement, operand, value, tensor)
                .and_then(|()| self.tensor(decider, &division, tensor, access));
            let (files, place) = match verdicts {
                Ok(verdicts) => verdicts,
                Err(fault) => {
                    let verdict = verdict_of(fault);
                    (verdict.clone(), verdict)
                }
            };
            findings.push(self.finding(Claim::Files, Some(tensor), files));
            findings.push(self.finding(Claim::Place, Some(tensor), place));
        }
        findings
    }

    fn finding(&self, claim: Claim, tensor: Option<&Tensor>, verdict: Verdict) -> Finding {
        let file = &self.execution.file;
        Finding {
            claim,
            site: self.statement.site,
            subject: tensor.map_or_else(
                || file.clone(),
                |tensor| format!("{file} tensor {}", tensor.index),
            ),
            verdict,
        }
    }

    /// Returns the finding about the file as a whole.
    pub(super) fn of_file(&self, verdict: Verdict) -> Finding {
        self.finding(Claim::Files, None, verdict)
    }

    fn division<'m>(&self, matching: &'m Matching) -> Result<Division<'m>, Fault> {
        let statement = self.statement;
        let unmodelled = |reason: Reason| Fault::Unmodelled(reason.to_string());
        let (parts, _) = self.program.parts(statement).map_err(unmodelled)?;
        let counts = statement
            .split
            .clone()
            .unwrap_or_else(|| vec![1; statement.space.len()]);
        let digits = Digit::of_parts(&counts, &statement.digits);
        let digits = digits.ok_or_else(|| unmodelled(Reason::TooLarge))?;
        for (dim, of) in self.operation.dims.iter().zip(matching) {
            let count = of.map_or(1, |of| digits[of].count);
            if dim.slices != count {
                let message = format!("{} parts, and the operation has {count}", dim.slices);
                return wrong(format!("numWkSlicesPerDim_/{}", dim.name), message);
            }
            if let Some(of) = *of
                && count > 1
                && parts[of].size.as_constant() != Some(dim.part())
            {
                let message = format!(
                    "a core has {} positions, and {} in the operation",
                    dim.part(),
                    parts[of].size
                );
                return wrong(format!("N_/{}_", dim.name), message);
            }
        }
        Ok(Division {
            parts,
            digits,
            matching,
        })
    }

    /// Compares the slices of each core with the digits of its number. Parts of one dimension are disjoint, so another
    /// slice is another set of points.
    fn slices(&self, division: &Division<'_>) -> Verdict {
        for (core, slices) in self.operation.slices.iter().enumerate() {
            let number = i64::try_from(core).expect("a core");
            for ((dim, slice), of) in self
                .operation
                .dims
                .iter()
                .zip(slices)
                .zip(division.matching)
            {
                let expected = of.map_or(0, |of| division.digits[of].of(number));
                if *slice != expected {
                    let key = format!("coreIdToWkSlice_/{core}/{}", dim.name);
                    let message = format!(
                        "{key} is {slice}, and the core has part {expected} in the program"
                    );
                    let of = |var: Var| (var == Var::Core).then_some(number);
                    let first = division
                        .parts
                        .iter()
                        .map(|part| part.first.eval(&of).unwrap_or(0));
                    return Verdict::Refuted(Box::new(Witness {
                        counters: self.statement.loops.iter().map(|id| (*id, 0)).collect(),
                        core: Some(number),
                        point: first.collect(),
                        message,
                        ..Witness::default()
                    }));
                }
            }
        }
        Verdict::Proved(By::Form)
    }

    /// Returns the answers about the addresses of a tensor, and about its starts.
    fn tensor(
        &self,
        decider: &mut Decider<'_>,
        division: &Division<'_>,
        tensor: &Tensor,
        access: &Access,
    ) -> Result<(Verdict, Verdict), Fault> {
        let located = match Located::of(self.program, self.memory, access) {
            Ok(located) => located,
            Err(reason) => return Ok((Verdict::Unknown(reason.clone()), Verdict::Unknown(reason))),
        };
        let key = |key: &str| format!("scheduleTree_/{}/{key}", tensor.index);
        let space = located.buffer.space;
        let is_device = space != Space::Scratchpad;
        if tensor.is_device != is_device {
            let message = format!("the tensor is in {space}");
            return wrong(key("component_"), message);
        }
        if tensor.width != located.width {
            let message = format!(
                "elements of {} bytes, and of {} in the program",
                tensor.width, located.width
            );
            return wrong(format!("labeledDs_/{}/wordLength", tensor.index), message);
        }
        let gathered = access
            .index
            .iter()
            .find_map(|expr| expr.as_var().filter(|var| matches!(var, Var::Gathered(_))));
        let (axes, excess) = self.axes(tensor, &located)?;
        self.held(division, tensor, &axes)?;
        let domain = Domain::of(self.program, self.statement, gathered.zip(located.gathered));
        let domain = domain.map_err(|reason| Fault::Unmodelled(reason.to_string()))?;
        let starts = match self.starts(division, tensor, &located)? {
            Ok(starts) => starts,
            Err(witness) => {
                return Ok((Verdict::Refuted(witness.clone()), Verdict::Refuted(witness)));
            }
        };
        let pair = self.moments(access);
        let within = self.within(division, &axes, tensor, (gathered, pair));
        let of = Distance {
            located: &located,
            within,
            axes: &axes,
            division,
        };
        let files = self.addresses(decider, &domain, tensor, &starts, &of);
        let mut place = self.place(&domain, tensor, &starts, &of);
        if !matches!((&files, &place), (Verdict::Proved(_), Verdict::Proved(_))) {
            return Ok((files, place));
        }
        if let Some(message) = excess {
            // The gap of the outermost dimension is in no address, and the card still takes it for memory of the tensor.
            return Err(Fault::Unmodelled(message));
        }
        if tensor.index == self.operation.output.index {
            place = self.padding(decider, &domain, tensor, &starts, &of);
        }
        Ok((files, place))
    }

    /// Returns the strides and extents of a tensor's dimensions in memory, and a message if the tensor exceeds its
    /// buffer. Files lack the number of rows of a gathered table, which is the size of its buffer over the size of a
    /// row.
    fn axes(
        &self,
        tensor: &Tensor,
        located: &Located,
    ) -> Result<(Vec<Axis>, Option<String>), Fault> {
        let dims = &self.operation.dims;
        let too_large = || Fault::Unmodelled(Reason::TooLarge.to_string());
        let (axes, volume) = tensor.axes(dims, 1).ok_or_else(too_large)?;
        if !tensor.order.iter().any(|dim| dim.is_gathered) {
            let size = located.buffer.bytes;
            let excess = (volume > size).then(|| {
                format!(
                    "tensor {} of {volume} bytes in memory of {size}",
                    tensor.index
                )
            });
            return Ok((axes, excess));
        }
        let size = located.buffer.bytes;
        if volume == 0 || size % volume != 0 {
            let message = format!("rows of {volume} bytes, in a table of {size}");
            return wrong(format!("scheduleTree_/{}", tensor.index), message);
        }
        let (axes, _) = tensor.axes(dims, size / volume).ok_or_else(too_large)?;
        Ok((axes, None))
    }

    /// Checks that all points of the operation are in memory.
    fn held(&self, division: &Division<'_>, tensor: &Tensor, axes: &[Axis]) -> Result<(), Fault> {
        for axis in axes {
            let of = axis
                .dim
                .and_then(|dim| Some((&self.operation.dims[dim].name, division.matching[dim]?)));
            let Some((name, of)) = of else { continue };
            let part = self.program.largest(self.statement.space[of]) / division.digits[of].count;
            if part > axis.held {
                let message = format!(
                    "{} positions of a core are in memory, and the operation has {part}",
                    axis.held
                );
                return wrong(
                    format!("scheduleTree_/{}/backGapCore_/{name}", tensor.index),
                    message,
                );
            }
        }
        Ok(())
    }

    /// Returns the dimension of the iteration space that runs along the two moments of a row, in an access of pairs.
    fn moments(&self, access: &Access) -> Option<usize> {
        let layout = self.program.value(access.value).layout.as_ref()?;
        match access.index.last()?.as_var() {
            Some(Var::Point(dim)) if layout.arrangement() == Arrangement::Exx2 => {
                usize::try_from(dim).ok()
            }
            _ => None,
        }
    }

    /// Returns the bytes from the start of a core to an element. `pair` is the dimension of the two moments.
    fn within(
        &self,
        division: &Division<'_>,
        axes: &[Axis],
        tensor: &Tensor,
        (gathered, pair): (Option<Var>, Option<usize>),
    ) -> Expr {
        let position = |axis: &Axis| match axis.dim {
            None => gathered.map_or_else(Expr::zero, Expr::from),
            // The two moments of a row have one place.
            Some(dim) if division.matching[dim].is_some() && division.matching[dim] == pair => {
                Expr::zero()
            }
            Some(dim) => division.matching[dim].map_or_else(Expr::zero, |of| {
                let point = Var::Point(u32::try_from(of).expect("few dimensions"));
                let first = division.digits[of].expr();
                Expr::from(point).plus_times(&first, -self.operation.dims[dim].part())
            }),
        };
        let positions: Vec<Expr> = axes.iter().map(position).collect();
        run(tensor, axes).byte(&positions)
    }

    /// Returns the start of each core, which are in the memory of the program's tensor; else the first one that is not.
    fn starts(
        &self,
        division: &Division<'_>,
        tensor: &Tensor,
        located: &Located,
    ) -> Result<Result<Starts, Box<Witness>>, Fault> {
        let mut of = Vec::new();
        for (core, start) in tensor.starts.iter().enumerate() {
            let key = || start_key(tensor, core);
            let quantity = match tensor.is_device {
                false => Quantity::Address(Space::Scratchpad, (*start).into()),
                true => match self.execution.symbols.get(start) {
                    Some(quantity) => quantity.clone(),
                    None => return wrong(key(), format!("symbol {start} is bound to nothing")),
                },
            };
            match quantity {
                Quantity::Address(space, byte) if space == located.buffer.space => of.push(byte),
                Quantity::Address(space, _) => {
                    let message = format!(
                        "{} is in {space}, and the tensor in {}",
                        key(),
                        located.buffer.space
                    );
                    let core = i64::try_from(core).ok();
                    return Ok(Err(Box::new(Witness {
                        core,
                        message,
                        ..Witness::default()
                    })));
                }
                Quantity::Number(_) | Quantity::Size(_) | Quantity::Addresses => {
                    return wrong(key(), "its symbol is bound to no address");
                }
                Quantity::Other => {
                    return Err(Fault::Unmodelled(format!("the address of {}", key())));
                }
            }
        }
        // Starts that move with loops in another way on each core have no common expression.
        let moving = |byte: &Expr| byte.minus(&byte.constant().into());
        let first = of.first().map(moving).unwrap_or_default();
        let fitted = of.iter().all(|byte| moving(byte) == first).then(|| {
            let constants: Vec<i64> = of.iter().map(Expr::constant).collect();
            fit(&division.digits, &constants)
                .ok()
                .map(|sum| sum.plus(&first))
        });
        Ok(Ok(Starts {
            of,
            fitted: fitted.flatten(),
        }))
    }

    /// Compares the addresses of all instances: of all cores at once, where starts are a sum over digits.
    fn addresses(
        &self,
        decider: &mut Decider<'_>,
        domain: &Domain,
        tensor: &Tensor,
        starts: &Starts,
        of: &Distance<'_>,
    ) -> Verdict {
        let difference = |start: &Expr| start.plus(&of.within).minus(&of.located.byte);
        let of_outcome = |outcome, start: &Expr| match outcome {
            Outcome::Zero(by) => Verdict::Proved(by),
            Outcome::Unknown(reason) => Verdict::Unknown(reason),
            Outcome::NotZero(values) => Verdict::Refuted(Box::new(self.witness(
                tensor,
                &difference(start),
                of,
                &values,
            ))),
        };
        if let Some(start) = &starts.fitted {
            return of_outcome(decider.is_zero(domain, &difference(start)), start);
        }
        let mut by = By::Form;
        for (core, start) in (0..).zip(&starts.of) {
            match decider.is_zero(&domain.on_core(core), &difference(start)) {
                Outcome::Zero(of_core) => by = by.max(of_core),
                outcome => return of_outcome(outcome, start),
            }
        }
        Verdict::Proved(by)
    }

    /// Compares the starts with the buffer: whole sticks, and all that the file addresses from there is in the buffer.
    fn place(
        &self,
        domain: &Domain,
        tensor: &Tensor,
        starts: &Starts,
        of: &Distance<'_>,
    ) -> Verdict {
        let buffer = &*of.located.buffer;
        let (space, first, size) = (buffer.space, buffer.start, buffer.bytes);
        let refuted = |core: usize, message: String| {
            let core = i64::try_from(core).ok();
            Verdict::Refuted(Box::new(Witness {
                core,
                message,
                ..Witness::default()
            }))
        };
        let last = of.last_byte(tensor);
        for (core, start) in starts.of.iter().enumerate() {
            let key = start_key(tensor, core);
            let factors = start.terms().iter().map(|(_, factor)| *factor);
            if factors
                .chain([start.constant()])
                .any(|number| number % STICK != 0)
            {
                return refuted(
                    core,
                    format!("{key} starts at byte {start} of {space}, which is not a whole stick"),
                );
            }
            let range = start.range(&domain.ranges);
            let end = range
                .zip(last)
                .and_then(|((_, start), last)| start.checked_add(last));
            let (Some((least, _)), Some(end)) = (range, end) else {
                return Verdict::Unknown(Reason::TooLarge);
            };
            if least < first || end >= first + size {
                let message = format!(
                    "{key} gives bytes {least} to {end} of {space}, and the tensor has bytes {first} to {}",
                    first + size - 1
                );
                return refuted(core, message);
            }
        }
        let bytes = self.pool.and_then(|bytes| i64::try_from(bytes).ok());
        match bytes {
            Some(bytes) if space == Space::Pool && first + size > bytes => refuted(
                0,
                format!(
                    "the pool has {bytes} bytes, and the tensor in it ends at {}",
                    first + size
                ),
            ),
            _ => Verdict::Proved(By::Form),
        }
    }
}

/// The bytes from the start of a core to an element, and the place in the program that they are compared with.
pub(super) struct Distance<'d> {
    pub located: &'d Located,
    pub within: Expr,
    pub axes: &'d [Axis],
    pub division: &'d Division<'d>,
}

impl Distance<'_> {
    /// Returns the bytes from the start of a core to the last byte that the file addresses.
    fn last_byte(&self, tensor: &Tensor) -> Option<i64> {
        let last: Vec<Expr> = self
            .axes
            .iter()
            .map(|axis| (axis.held - 1).into())
            .collect();
        let byte = run(tensor, self.axes).byte(&last).as_constant()?;
        byte.checked_add(tensor.width - 1)
    }
}

pub(super) fn start_key(tensor: &Tensor, core: usize) -> String {
    format!(
        "scheduleTree_/{}/startAddressCoreCorelet_/data_/[{core}, 0, 0]",
        tensor.index
    )
}

/// Returns the answer of a file that cannot be compared.
pub(super) fn verdict_of(fault: Fault) -> Verdict {
    match fault {
        Fault::Unmodelled(what) => {
            Verdict::Unknown(Reason::File(format!("{what} is not modelled")))
        }
        Fault::Wrong { key, message } => Verdict::Refuted(Box::new(Witness {
            message: format!("{key}: {message}"),
            ..Witness::default()
        })),
    }
}
