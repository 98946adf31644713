//! Executes a program by values: tensors are arrays of terms, and a window that is inserted makes a new tensor.
//!
//! Loops count, statements compute point by point, everything else (windows, views, insertions) is evaluated when it is
//! read. A value is kept until one of the loops that it is defined in starts its next iteration.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{
    Access, Def, Extent, Item, LoopId, Program, Statement, StatementId, ValueId,
};

use crate::law::law_of_combiner;
use crate::term::{Node, Term, Terms};

/// An element of a tensor in one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What it is computed from.
    pub term: Term,
    /// The write that stored it, by its number from 1 on; 0 for elements that no operation writes.
    pub source: u32,
}

/// A tensor in one moment, in row-major order.
#[derive(Clone, Debug)]
pub struct Array {
    /// The extents.
    pub shape: Vec<i64>,
    /// The elements.
    pub cells: Vec<Cell>,
}

impl Array {
    /// Returns the element at a position; `None` outside of the tensor.
    #[must_use]
    pub fn at(&self, element: &[i64]) -> Option<Cell> {
        linear(&self.shape, element).map(|at| self.cells[at])
    }
}

/// Returns the row-major number of an element; `None` outside of the shape.
#[must_use]
pub fn linear(shape: &[i64], element: &[i64]) -> Option<usize> {
    let mut at = 0;
    for (extent, position) in shape.iter().zip(element) {
        if !(0..*extent).contains(position) {
            return None;
        }
        at = at * extent + position;
    }
    usize::try_from(at).ok()
}

/// Calls a function with every position inside of a shape, in row-major order.
pub fn for_each_point(shape: &[i64], mut function: impl FnMut(&[i64])) {
    if shape.iter().any(|extent| *extent <= 0) {
        return;
    }
    let mut point = vec![0; shape.len()];
    loop {
        function(&point);
        let Some(dim) = (0..shape.len())
            .rev()
            .find(|dim| point[*dim] + 1 < shape[*dim])
        else {
            return;
        };
        point[dim] += 1;
        point[dim + 1..].fill(0);
    }
}

/// The variables of index expressions that do not depend on a point.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The counters, by the positions of the loops.
    pub counters: Vec<i64>,
    /// The multiples of their granularities that dynamic extents have.
    pub params: Vec<i64>,
}

impl Moment {
    /// Returns the value of an expression over counters and parameters, and `other` for all other variables.
    ///
    /// # Panics
    /// A variable has no value.
    pub fn eval(&self, expr: &Expr, other: impl Fn(Var) -> Option<i64>) -> i64 {
        let value = |var| match var {
            Var::Counter(id) => self.counters.get(id.index()).copied(),
            Var::Param(id) => self.params.get(id.index()).copied(),
            _ => other(var),
        };
        let evaluated = expr.eval(&value);
        evaluated.unwrap_or_else(|| panic!("{expr} has no value"))
    }

    /// Returns an extent in elements.
    #[must_use]
    pub fn extent(&self, program: &Program, extent: Extent) -> i64 {
        match extent {
            Extent::Fixed(extent) => extent,
            Extent::Dynamic(at) => self.params[at.index()] * program.params[at.index()].granularity,
        }
    }

    /// Returns the extents in elements.
    #[must_use]
    pub fn shape(&self, program: &Program, extents: &[Extent]) -> Vec<i64> {
        let extents = extents.iter();
        extents.map(|at| self.extent(program, *at)).collect()
    }

    /// Returns the element of a tensor that an access reads or writes at a point, with a gathered coordinate.
    #[must_use]
    pub fn element(&self, access: &Access, point: &[i64], gathered: i64) -> Vec<i64> {
        let value = |var| match var {
            Var::Point(at) => point.get(at as usize).copied(),
            Var::Gathered(_) => Some(gathered),
            _ => None,
        };
        let index = access.index.iter();
        index
            .map(|expr| match expr.as_var() {
                Some(Var::Point(at)) if (at as usize) < point.len() => point[at as usize],
                _ => self.eval(expr, value),
            })
            .collect()
    }
}

/// One execution of a statement at one point.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instance {
    /// The statement.
    pub statement: StatementId,
    /// The counters of the loops around it.
    pub counters: Vec<(LoopId, i64)>,
    /// The point of the iteration space.
    pub point: Vec<i64>,
}

/// A statement that is executed: everything that a memory has to know.
pub struct Execution<'a> {
    /// The program.
    pub program: &'a Program,
    /// The statement.
    pub id: StatementId,
    /// The counters and parameters.
    pub moment: &'a Moment,
    /// The operands, as the values of the program.
    pub operands: &'a [Rc<Array>],
    /// The results.
    pub results: &'a [Rc<Array>],
}

impl Execution<'_> {
    /// Returns the statement.
    #[must_use]
    pub fn statement(&self) -> &Statement {
        self.program.statement(self.id)
    }

    /// Returns one of its points as an instance.
    #[must_use]
    pub fn instance(&self, point: &[i64]) -> Instance {
        let loops = self.statement().loops.iter();
        Instance {
            statement: self.id,
            counters: loops
                .map(|id| (*id, self.moment.counters[id.index()]))
                .collect(),
            point: point.to_vec(),
        }
    }
}

/// What follows the executions of a program.
pub trait Observer {
    /// Is called for each execution of a statement, in order.
    fn execute(&mut self, terms: &Terms, execution: &Execution<'_>);
}

impl Observer for () {
    fn execute(&mut self, _: &Terms, _: &Execution<'_>) {}
}

/// A program after its execution.
#[derive(Debug, Default)]
pub struct Values {
    /// The tensors that it returns.
    pub results: Vec<Rc<Array>>,
    /// The reads of elements that nothing has written, with the number of the operand.
    pub undefined: Vec<(Instance, usize)>,
    /// The points of operations that compute, with the terms of their first results. Moves are not among them.
    pub computed: Vec<(Instance, Term)>,
    /// Those of [`Values::computed`] whose term is a part of an operand, by a law.
    pub folded: Vec<Instance>,
}

/// Executes a program for values of its parameters.
///
/// Parts of reductions are added up only if a set of terms is given, and an operand is a reduction that is not among
/// them: those are the reductions of the program before, which are complete.
pub fn execute(
    program: &Program,
    params: &[i64],
    terms: &mut Terms,
    complete: Option<&FxHashSet<Term>>,
    observer: &mut dyn Observer,
) -> Values {
    execute_but(program, params, terms, complete, (None, observer))
}

/// Executes a program as [`execute`], where the results of one point of an operation, if one is given, are a term.
pub(crate) fn execute_but(
    program: &Program,
    params: &[i64],
    terms: &mut Terms,
    complete: Option<&FxHashSet<Term>>,
    (replaced, observer): (Option<(&Instance, Term)>, &mut dyn Observer),
) -> Values {
    let mut machine = Machine {
        program,
        moment: Moment {
            counters: vec![0; program.loops.len()],
            params: params.to_vec(),
        },
        arrays: vec![None; program.values.len()],
        terms,
        complete,
        replaced,
        observer,
        sources: 0,
        values: Values::default(),
    };
    machine.items(&program.body);
    let results = program.results.iter();
    machine.values.results = results.map(|value| machine.array(*value)).collect();
    machine.values
}

struct Machine<'a> {
    program: &'a Program,
    moment: Moment,
    arrays: Vec<Option<Rc<Array>>>,
    terms: &'a mut Terms,
    complete: Option<&'a FxHashSet<Term>>,
    replaced: Option<(&'a Instance, Term)>,
    observer: &'a mut dyn Observer,
    sources: u32,
    values: Values,
}

impl Machine<'_> {
    fn items(&mut self, body: &[Item]) {
        for item in body {
            match *item {
                Item::Loop(id) => self.run_loop(id),
                Item::Statement(id) => self.run_statement(id),
            }
        }
    }

    fn run_loop(&mut self, id: LoopId) {
        let of = self.program.of_loop(id);
        let inits = of.carried.iter();
        let mut carried: Vec<_> = inits.map(|carried| self.array(carried.init)).collect();
        let end = self.moment.extent(self.program, of.upper);
        let mut induction = of.lower;
        self.moment.counters[id.index()] = 0;
        while induction < end {
            for (value, array) in self.program.values.iter().zip(&mut self.arrays) {
                if value.loops.contains(&id) {
                    *array = None;
                }
            }
            for (tensor, array) in of.carried.iter().zip(carried) {
                self.arrays[tensor.argument.index()] = Some(array);
            }
            self.items(&of.body);
            let yields = of.carried.iter();
            carried = yields.map(|tensor| self.array(tensor.yielded)).collect();
            induction += of.step;
            self.moment.counters[id.index()] += 1;
        }
        self.moment.counters[id.index()] = 0;
        for (tensor, array) in of.carried.iter().zip(carried) {
            self.arrays[tensor.result.index()] = Some(array);
        }
    }

    fn undefined(&mut self) -> Cell {
        let term = self.terms.undefined();
        Cell { term, source: 0 }
    }

    /// Returns the elements of a tensor at this moment.
    fn array(&mut self, id: ValueId) -> Rc<Array> {
        if let Some(array) = &self.arrays[id.index()] {
            return Rc::clone(array);
        }
        let value = self.program.value(id);
        let shape = self.moment.shape(self.program, &value.shape);
        let mut cells = Vec::new();
        match &value.def {
            Def::Argument(at) => for_each_point(&shape, |element| {
                let term = self.terms.of(Node::Argument(*at, element.to_vec()));
                cells.push(Cell { term, source: 0 });
            }),
            Def::Constant(name) => {
                for_each_point(&shape, |element| {
                    let term = self.terms.of(constant(name, element));
                    cells.push(Cell { term, source: 0 });
                });
            }
            Def::Opaque(_) => for_each_point(&shape, |_| {
                let term = self.terms.opaque();
                cells.push(Cell { term, source: 0 });
            }),
            // A result before its statement, or a loop before its first iteration: nothing is there.
            Def::Empty | Def::Result(_) | Def::Carried(..) | Def::LoopResult(..) => {
                let undefined = self.undefined();
                for_each_point(&shape, |_| cells.push(undefined));
            }
            Def::Slice {
                source,
                offsets,
                dims,
            } => {
                let source = self.array(*source);
                let first = self.offsets(offsets);
                for_each_point(&shape, |element| {
                    let of_source = window_element(&first, dims, element);
                    let cell = source.at(&of_source);
                    cells.push(cell.unwrap_or_else(|| self.undefined()));
                });
            }
            Def::Insert {
                tile,
                into,
                offsets,
                dims,
            } => {
                let (tile, into) = (self.array(*tile), self.array(*into));
                let first = self.offsets(offsets);
                for_each_point(&shape, |element| {
                    let inside = tile_element(&first, dims, element, tile.shape.len());
                    let cell = inside.and_then(|of_tile| tile.at(&of_tile));
                    cells.push(
                        cell.or_else(|| into.at(element))
                            .unwrap_or_else(|| self.undefined()),
                    );
                });
            }
            Def::View { source, index } => {
                let source = self.array(*source);
                for_each_point(&shape, |element| {
                    let of_source = view_element(&self.moment, index, element);
                    let cell = source.at(&of_source);
                    cells.push(cell.unwrap_or_else(|| self.undefined()));
                });
            }
        }
        let array = Rc::new(Array { shape, cells });
        self.arrays[id.index()] = Some(Rc::clone(&array));
        array
    }

    fn offsets(&self, offsets: &[Expr]) -> Vec<i64> {
        let offsets = offsets.iter();
        offsets
            .map(|expr| self.moment.eval(expr, |_| None))
            .collect()
    }

    fn run_statement(&mut self, id: StatementId) {
        let statement = self.program.statement(id);
        let operands = statement.operands.iter();
        let operands: Vec<_> = operands.map(|access| self.array(access.value)).collect();
        let space = self.moment.shape(self.program, &statement.space);
        let (kept, reduced) = space.split_at(statement.kept());
        let mut results = Vec::new();
        for access in &statement.results {
            let shape = self
                .moment
                .shape(self.program, &self.program.value(access.value).shape);
            let elements = usize::try_from(shape.iter().product::<i64>()).unwrap_or(0);
            let cells = vec![self.undefined(); elements];
            results.push(Array { shape, cells });
        }
        for_each_point(kept, |kept_point| {
            let mut points = Vec::new();
            for_each_point(reduced, |reduced_point| {
                let point = [kept_point, reduced_point].concat();
                points.push(self.reads(id, &operands, &point));
            });
            let replaced = self.replaced;
            let replaced = replaced.filter(|(at, _)| **at == self.instance(id, kept_point));
            let mut first = None;
            for (at, access) in statement.results.iter().enumerate() {
                let term = match replaced {
                    Some((_, term)) => term,
                    None => self.term(statement, at, &points),
                };
                first = first.or(Some(term));
                self.sources += 1;
                let element = self.moment.element(access, kept_point, 0);
                if let Some(place) = linear(&results[at].shape, &element) {
                    results[at].cells[place] = Cell {
                        term,
                        source: self.sources,
                    };
                }
            }
            if let Some(term) = first.filter(|_| !statement.is_move) {
                let instance = self.instance(id, kept_point);
                if self.terms.is_folded(&statement.key, &points) {
                    self.values.folded.push(instance.clone());
                }
                self.values.computed.push((instance, term));
            }
        });
        let results: Vec<_> = results.into_iter().map(Rc::new).collect();
        for (access, array) in statement.results.iter().zip(&results) {
            self.arrays[access.value.index()] = Some(Rc::clone(array));
        }
        let execution = Execution {
            program: self.program,
            id,
            moment: &self.moment,
            operands: &operands,
            results: &results,
        };
        self.observer.execute(self.terms, &execution);
    }

    fn instance(&self, id: StatementId, point: &[i64]) -> Instance {
        let execution = Execution {
            program: self.program,
            id,
            moment: &self.moment,
            operands: &[],
            results: &[],
        };
        execution.instance(point)
    }

    /// Returns the operands of a point.
    fn reads(&mut self, id: StatementId, operands: &[Rc<Array>], point: &[i64]) -> Vec<Term> {
        let accesses = &self.program.statement(id).operands;
        let mut terms = Vec::with_capacity(operands.len());
        for (at, (access, array)) in accesses.iter().zip(operands).enumerate() {
            let gathered = access.index.iter().position(|expr| {
                expr.vars()
                    .iter()
                    .any(|var| matches!(var, Var::Gathered(_)))
            });
            let row = gathered.map_or(1, |dim| array.shape[dim]);
            let mut of_row = Vec::new();
            for coordinate in 0..row {
                let element = self.moment.element(access, point, coordinate);
                let cell = array.at(&element);
                of_row.push(cell.unwrap_or_else(|| self.undefined()).term);
            }
            if of_row.iter().any(|term| self.terms.is_undefined(*term)) {
                let instance = self.instance(id, point);
                self.values.undefined.push((instance, at));
            }
            terms.push(match gathered {
                Some(_) => self.terms.of(Node::Row(of_row)),
                None => of_row[0],
            });
        }
        terms
    }

    /// Returns the term of a result, from the operands of its points.
    fn term(&mut self, statement: &Statement, result: usize, points: &[Vec<Term>]) -> Term {
        match points {
            [operands] if statement.is_move => operands[0],
            [operands] if statement.reduced == 0 => {
                if let (Some(complete), [a, b]) = (self.complete, &operands[..])
                    && law_of_combiner(&statement.key.name).is_some()
                    && [a, b].into_iter().any(|term| {
                        matches!(self.terms.node(*term), Node::Reduction(..))
                            && !complete.contains(term)
                    })
                    && let Some(term) = self.terms.combination(&statement.key.name, *a, *b)
                {
                    return term;
                }
                self.terms
                    .operation(&statement.key, result, operands.clone())
            }
            _ => self
                .terms
                .reduction(&statement.key, result, points.to_vec()),
        }
    }
}

/// Returns an element of a constant: the bits of one number, or an element of a tensor that has a name.
#[must_use]
pub fn constant(name: &str, element: &[i64]) -> Node {
    if name.starts_with("0x") {
        return Node::Constant(name.to_owned());
    }
    Node::Constant(format!("{name}{element:?}"))
}

/// Returns the element of the source of a window.
#[must_use]
pub fn window_element(first: &[i64], dims: &[Option<usize>], element: &[i64]) -> Vec<i64> {
    let dims = first.iter().zip(dims);
    dims.map(|(offset, dim)| offset + dim.map_or(0, |dim| element[dim]))
        .collect()
}

/// Returns the element of a window of rank `rank` that has the place of an element of the tensor; `None` outside of the
/// one position of a dimension that the window lacks. It may be outside of the window's extents.
#[must_use]
pub fn tile_element(
    first: &[i64],
    dims: &[Option<usize>],
    element: &[i64],
    rank: usize,
) -> Option<Vec<i64>> {
    let mut of_tile = vec![0; rank];
    for ((offset, dim), position) in first.iter().zip(dims).zip(element) {
        match dim {
            Some(dim) => of_tile[*dim] = position - offset,
            None if position != offset => return None,
            None => {}
        }
    }
    Some(of_tile)
}

/// Returns the element of the source of a view.
#[must_use]
pub fn view_element(moment: &Moment, index: &[Expr], element: &[i64]) -> Vec<i64> {
    let value = |var| match var {
        Var::Element(at) => element.get(at as usize).copied(),
        _ => None,
    };
    let index = index.iter();
    index.map(|expr| moment.eval(expr, value)).collect()
}
