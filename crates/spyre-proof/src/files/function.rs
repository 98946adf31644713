//! The function of a bundle next to the program: the same loops, the same operations in the same order, and the address
//! that each symbol is bound to.

use rustc_hash::FxHashMap;
use spyre_bundle_files::{
    Arithmetic, Field, Function, Linear, ParamName, Place, Role, Statement, StatementKind, ValueId,
};

use crate::claim::{Claim, Reason, Report, Verdict, Witness};
use crate::expr::{Expr, Ranges, Var};
use crate::memory::Space;
use crate::program::{Extent, Item, LoopId, ParamId, Program, Site, StatementId};

use super::MLIR;

/// A number that the function computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// A number over counters.
    Number(Expr),
    /// An address: a byte of a memory, over counters.
    Address(Space, Expr),
    /// A runtime size: the position of its parameter.
    Size(usize),
    /// The sum of two addresses, which is none.
    Addresses,
    /// A sum or product that is not modelled.
    Other,
}

/// One `sdsc_execute`, and the operation of the program that it is.
pub(super) struct Execution {
    pub statement: StatementId,
    /// The file of the operation.
    pub file: String,
    /// The values that symbols are bound to.
    pub symbols: FxHashMap<i64, Quantity>,
}

/// Walks the statements of a function and the items of a program together.
pub(super) struct Walk<'p> {
    pub program: &'p Program,
    pub function: &'p Function,
    /// The values of the function; `None` before they are defined.
    pub values: Vec<Option<Quantity>>,
    /// The dynamic extent of each runtime size.
    pub sizes: FxHashMap<usize, ParamId>,
    /// Bytes of the pool.
    pub pool: Option<u64>,
    pub executions: Vec<Execution>,
    pub report: Report,
}

/// The loops or operations differ, so nothing after them corresponds. It is reported.
pub(super) struct Differs;

impl<'p> Walk<'p> {
    pub(super) fn new(program: &'p Program, function: &'p Function) -> Self {
        let mut values = vec![None; function.values.len()];
        for (position, param) in function
            .params
            .iter()
            .enumerate()
            .filter(|(_, param)| param.is_index)
        {
            values[param.value.index()] = Some(bound(function, position));
        }
        Self {
            program,
            function,
            values,
            sizes: FxHashMap::default(),
            pool: None,
            executions: Vec::new(),
            report: Report::default(),
        }
    }

    /// Walks one body. Operations that compute numbers are no items, and loops without operations are none.
    pub(super) fn body(
        &mut self,
        items: &[Item],
        statements: &[Statement],
        end: Site,
    ) -> Result<(), Differs> {
        let mut items = items
            .iter()
            .filter(|item| has_operations(self.program, **item));
        for statement in statements {
            match &statement.kind {
                StatementKind::Execute { file, symbols } => match items.next() {
                    Some(Item::Statement(id)) => self.execution(*id, file, symbols),
                    Some(Item::Loop(id)) => {
                        let message = format!("runs {file} where the program has a loop");
                        return Err(self.differs(
                            self.program.of_loop(*id).site,
                            statement.place,
                            message,
                        ));
                    }
                    None => {
                        let message = format!(
                            "runs {file} after the last operation of the body in the program"
                        );
                        return Err(self.differs(end, statement.place, message));
                    }
                },
                StatementKind::For {
                    iv,
                    lower,
                    upper,
                    step,
                    body,
                } if executes(body) => match items.next() {
                    Some(Item::Loop(id)) => {
                        self.nested(*id, statement.place, (*iv, *lower, *upper, *step), body)?
                    }
                    Some(Item::Statement(id)) => {
                        let of = self.program.statement(*id);
                        let message = format!("has a loop where the program has '{}'", of.key.name);
                        return Err(self.differs(of.site, statement.place, message));
                    }
                    None => {
                        let message =
                            "has a loop after the last operation of the body in the program"
                                .to_owned();
                        return Err(self.differs(end, statement.place, message));
                    }
                },
                StatementKind::For { .. } => {}
                kind => self.number(kind),
            }
        }
        let Some(missing) = items.next() else {
            return Ok(());
        };
        let (site, name) = match missing {
            Item::Statement(id) => (
                self.program.statement(*id).site,
                self.program.statement(*id).key.name.clone(),
            ),
            Item::Loop(id) => (self.program.of_loop(*id).site, "a loop".to_owned()),
        };
        Err(self.differs(
            site,
            self.function.place,
            format!("lacks '{name}' of the program"),
        ))
    }

    fn differs(&mut self, site: Site, place: Place, message: String) -> Differs {
        let witness = Witness {
            message: format!("the function {message}"),
            ..Witness::default()
        };
        let subject = format!("{MLIR}:{place}");
        self.report.add(
            Claim::Files,
            site,
            subject,
            Verdict::Refuted(Box::new(witness)),
        );
        Differs
    }

    fn execution(&mut self, statement: StatementId, file: &str, symbols: &[(i64, ValueId)]) {
        let bound = symbols
            .iter()
            .map(|(symbol, value)| (*symbol, self.value(*value)));
        let symbols = bound.collect();
        self.executions.push(Execution {
            statement,
            file: file.to_owned(),
            symbols,
        });
    }

    fn value(&self, value: ValueId) -> Quantity {
        self.values[value.index()]
            .clone()
            .unwrap_or(Quantity::Other)
    }

    fn define(&mut self, value: ValueId, quantity: Quantity) {
        self.values[value.index()] = Some(quantity);
    }

    fn nested(
        &mut self,
        id: LoopId,
        place: Place,
        (iv, lower, upper, step): (ValueId, ValueId, ValueId, ValueId),
        body: &[Statement],
    ) -> Result<(), Differs> {
        let program = self.program;
        let site = program.of_loop(id).site;
        let numbers = (self.value(lower), self.value(upper), self.value(step));
        let (Quantity::Number(lower), upper, Quantity::Number(step)) = numbers else {
            let reason = Reason::File(format!("bounds of the loop at {MLIR}:{place}"));
            self.report.add(
                Claim::Files,
                site,
                format!("{MLIR}:{place}"),
                Verdict::Unknown(reason),
            );
            return Err(Differs);
        };
        let (Some(lower), Some(step @ 1..)) = (lower.as_constant(), step.as_constant()) else {
            return Err(self.differs(
                site,
                place,
                "has a loop whose step is not positive".to_owned(),
            ));
        };
        let upper = self.upper(id, place, upper)?;
        self.trips(id, place, &upper, (lower, step))?;
        self.define(
            iv,
            Quantity::Number(Expr::from(lower).plus_times(&Var::Counter(id).into(), step)),
        );
        self.body(&program.of_loop(id).body, body, site)
    }

    /// Returns the end of a loop. A runtime size is the dynamic extent that ends the loop of the program.
    fn upper(&mut self, id: LoopId, place: Place, upper: Quantity) -> Result<Expr, Differs> {
        let site = self.program.of_loop(id).site;
        let position = match upper {
            Quantity::Number(upper) => return Ok(upper),
            Quantity::Size(position) => position,
            Quantity::Address(..) | Quantity::Addresses | Quantity::Other => {
                return Err(self.differs(
                    site,
                    place,
                    "has a loop that ends at no size".to_owned(),
                ));
            }
        };
        let (Extent::Dynamic(param), size) = (
            self.program.of_loop(id).upper,
            self.function.params[position],
        ) else {
            let name = self.function.name(self.function.params[position].value);
            return Err(self.differs(
                site,
                place,
                format!("has a loop that ends at '{name}'; that of the program does not"),
            ));
        };
        let of = &self.program.params[param.index()];
        let name = self.function.name(size.value).to_owned();
        let named = match ParamName::parse(&name) {
            Some(ParamName::LoopSize(name)) => self
                .program
                .params
                .iter()
                .position(|param| param.name == name),
            _ => None,
        };
        // A size whose name is none of the program is the extent of the first loop that it ends.
        let bound = named.map_or(param, ParamId::new);
        let is_same = *self.sizes.entry(position).or_insert(bound) == param;
        if !is_same {
            let message = format!(
                "has a loop that ends at '{name}', and that of the program ends at '{}'",
                of.name
            );
            return Err(self.differs(site, place, message));
        }
        let bounds = (size.bounds.granularity.unwrap_or(1), size.bounds.max_value);
        if bounds != (of.granularity, Some(of.maximum)) {
            let message = format!(
                "has '{name}' in steps of {} up to {}; the program has '{}' in steps of {} up to {}",
                bounds.0,
                bounds
                    .1
                    .map_or_else(|| "any number".to_owned(), |most| most.to_string()),
                of.name,
                of.granularity,
                of.maximum
            );
            return Err(self.differs(site, place, message));
        }
        Ok(self.program.extent(Extent::Dynamic(param)))
    }

    /// Compares the numbers of iterations, for all values of a dynamic extent.
    fn trips(
        &mut self,
        id: LoopId,
        place: Place,
        upper: &Expr,
        (lower, step): (i64, i64),
    ) -> Result<(), Differs> {
        let of = self.program.of_loop(id);
        let site = of.site;
        let count = |upper: &Expr, lower: i64, step: i64| {
            let round = Expr::from(step - 1).minus(&lower.into());
            upper.plus(&round).floor_div(step)
        };
        let files = count(upper, lower, step);
        let program = count(&self.program.extent(of.upper), of.lower, of.step);
        let subject = format!("{MLIR}:{place}");
        let ranges: Ranges = self.program.ranges(&[], None);
        if files.simplified(&ranges) == program.simplified(&ranges) {
            self.report.add(
                Claim::Files,
                site,
                subject,
                Verdict::Proved(crate::claim::By::Form),
            );
            return Ok(());
        }
        let most = self
            .program
            .params
            .iter()
            .map(|param| param.maximum / param.granularity)
            .max()
            .unwrap_or(1);
        for k in 1..=most.min(1 << 16) {
            let trips = |count: &Expr| count.eval(&|_| Some(k)).map(|trips| trips.max(0));
            let (in_files, in_program) = (trips(&files), trips(&program));
            if in_files != in_program {
                let number = |trips: Option<i64>| {
                    trips.map_or("too many".to_owned(), |trips| trips.to_string())
                };
                let message = format!(
                    "the loop of the function has {} iterations, that of the program {}",
                    number(in_files),
                    number(in_program)
                );
                let params = self
                    .program
                    .params
                    .iter()
                    .map(|param| param.granularity * k);
                let witness = Witness {
                    params: params.collect(),
                    message,
                    ..Witness::default()
                };
                self.report.add(
                    Claim::Files,
                    site,
                    subject,
                    Verdict::Refuted(Box::new(witness)),
                );
                return Err(Differs);
            }
        }
        let reason = Reason::Dynamic(format!("that ends the loop at {MLIR}:{place}"));
        self.report
            .add(Claim::Files, site, subject, Verdict::Unknown(reason));
        Ok(())
    }

    /// Computes a number.
    fn number(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Constant { result, value } => {
                self.define(*result, Quantity::Number((*value).into()))
            }
            StatementKind::Arithmetic {
                result,
                kind,
                lhs,
                rhs,
            } => {
                let quantity = arithmetic(*kind, &self.value(*lhs), &self.value(*rhs));
                self.define(*result, quantity);
            }
            StatementKind::Apply {
                result,
                map,
                operands,
            } => {
                let operands: Vec<Quantity> = operands
                    .iter()
                    .map(|operand| self.value(*operand))
                    .collect();
                let quantity = map
                    .form
                    .as_ref()
                    .map_or(Quantity::Other, |form| applied(form, &operands));
                self.define(*result, quantity);
            }
            StatementKind::Extract {
                result,
                param,
                field,
            } => {
                let bounds = self.function.params[*param].bounds;
                let quantity = match field {
                    Field::Value => bound(self.function, *param),
                    field => bounds
                        .get(*field)
                        .map_or(Quantity::Other, |number| Quantity::Number(number.into())),
                };
                self.define(*result, quantity);
            }
            StatementKind::Allocate { result, bytes } => {
                // A program has one pool. Addresses in a second one are none of the program.
                let quantity = match self.pool {
                    None => Quantity::Address(Space::Pool, Expr::zero()),
                    Some(_) => Quantity::Other,
                };
                self.pool.get_or_insert(*bytes);
                self.define(*result, quantity);
            }
            StatementKind::For { .. } | StatementKind::Execute { .. } => {
                unreachable!("these compute no number")
            }
        }
    }
}

/// Returns the value that a parameter is bound to.
fn bound(function: &Function, position: usize) -> Quantity {
    match function.role(&function.params[position]) {
        Some(Role::Argument(number)) => Quantity::Address(Space::Argument(number), Expr::zero()),
        Some(Role::Pool) => Quantity::Address(Space::Pool, Expr::zero()),
        Some(Role::Size) => Quantity::Size(position),
        None => Quantity::Other,
    }
}

fn executes(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Execute { .. } => true,
        StatementKind::For { body, .. } => executes(body),
        _ => false,
    })
}

fn has_operations(program: &Program, item: Item) -> bool {
    match item {
        Item::Statement(_) => true,
        Item::Loop(id) => program
            .of_loop(id)
            .body
            .iter()
            .any(|item| has_operations(program, *item)),
    }
}

fn arithmetic(kind: Arithmetic, lhs: &Quantity, rhs: &Quantity) -> Quantity {
    match (kind, lhs, rhs) {
        (Arithmetic::Add, ..) => added(lhs, rhs, 1),
        (Arithmetic::Subtract, ..) => added(lhs, rhs, -1),
        (Arithmetic::Multiply, Quantity::Number(a), Quantity::Number(b)) => {
            match (a.as_constant(), b.as_constant()) {
                (Some(a), _) => Quantity::Number(b.times(a)),
                (_, Some(b)) => Quantity::Number(a.times(b)),
                _ => Quantity::Other,
            }
        }
        (Arithmetic::Multiply, ..) => Quantity::Other,
    }
}

/// Returns `a + factor * b`.
fn added(a: &Quantity, b: &Quantity, factor: i64) -> Quantity {
    if factor == 0 {
        return a.clone();
    }
    match (a, b) {
        (Quantity::Number(a), Quantity::Number(b)) => Quantity::Number(a.plus_times(b, factor)),
        (Quantity::Address(space, a), Quantity::Number(b)) => {
            Quantity::Address(*space, a.plus_times(b, factor))
        }
        (Quantity::Number(a), Quantity::Address(space, b)) if factor == 1 => {
            Quantity::Address(*space, a.plus(b))
        }
        (
            Quantity::Address(..) | Quantity::Addresses,
            Quantity::Address(..) | Quantity::Addresses | Quantity::Number(_),
        )
        | (Quantity::Number(_), Quantity::Addresses)
            if factor > 0 =>
        {
            Quantity::Addresses
        }
        _ => Quantity::Other,
    }
}

fn applied(form: &Linear, operands: &[Quantity]) -> Quantity {
    let constant = Quantity::Number(form.constant.into());
    let terms = form.factors.iter().zip(operands);
    terms.fold(constant, |sum, (factor, operand)| {
        added(&sum, operand, *factor)
    })
}
