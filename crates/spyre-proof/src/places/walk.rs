//! Executes a program on the histories of bytes, with symbolic iterations.
//!
//! The body of a loop is executed for the first iteration, and again until the state before an iteration, in ages, is
//! the state after it. The last execution is then that of all further iterations. Statements execute in every
//! iteration, so two executions are the rule; a tensor that is carried through several others takes one more for
//! each.

use std::ops::Range;

use super::cells::{Cells, Layers};
use super::chains::{ChainId, Chains, ItemId, Kind, Node};
use super::conflict::{Conflict, Read};
use super::{Order, Prover, both, element, point};
use crate::claim::{By, Reason, Verdict};
use crate::expr::{Expr, Var};
use crate::memory::Space;
use crate::program::{Def, Item, LoopId, Place, StatementId, ValueId};
use crate::sets::Constraint;

/// The most iterations of a loop that are executed. A state that has not repeated after them is not decided.
const MOST_ITERATIONS: i64 = 16;

/// A read, as answers name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Subject {
    Operand(StatementId, usize),
    Owner(StatementId, usize),
    Result(usize),
}

/// A loop that is being executed.
struct Frame {
    id: LoopId,
    /// The iteration; from the second one on, also all later ones.
    iteration: i64,
    /// The regions that have been written.
    touched: Vec<(Space, Range<i64>)>,
}

/// The state after an iteration: the histories of what the loop writes and carries.
type State = (Vec<(Space, Range<i64>, Layers)>, Vec<ChainId>);

pub(super) struct Walk<'w, 'p> {
    prover: &'w Prover<'p>,
    chains: Chains<'p>,
    cells: Cells,
    /// The histories of tensors that are defined in the current iteration.
    of_values: Vec<Option<ChainId>>,
    /// The histories that loops carry: in the body, and after the loop.
    carried: Vec<Vec<ChainId>>,
    /// The values that are defined in each loop.
    inside: Vec<Vec<ValueId>>,
    frames: Vec<Frame>,
    /// Answers that are not by form.
    answers: Vec<(Subject, Verdict)>,
    order: Order,
}

impl<'w, 'p> Walk<'w, 'p> {
    pub(super) fn new(prover: &'w Prover<'p>) -> Self {
        let program = prover.program;
        let mut inside = vec![Vec::new(); program.loops.len()];
        for (at, value) in program.values.iter().enumerate() {
            for id in &value.loops {
                inside[id.index()].push(ValueId::new(at));
            }
        }
        Self {
            prover,
            chains: Chains::new(program),
            cells: Cells::default(),
            of_values: vec![None; program.values.len()],
            carried: vec![Vec::new(); program.loops.len()],
            inside,
            frames: Vec::new(),
            answers: Vec::new(),
            order: Order::default(),
        }
    }

    /// Executes the program, and returns the answers about its reads.
    pub(super) fn program(mut self) -> Order {
        let program = self.prover.program;
        for (at, value) in program.values.iter().enumerate() {
            let id = ValueId::new(at);
            let is_argument = matches!(value.def, Def::Argument(_) | Def::Constant(_));
            if let (true, Some(Place::Argument(number))) = (is_argument, value.place)
                && let Ok(buffer) = self.prover.memory.buffer(id)
            {
                let chain = self.chain_of(id);
                let bytes = 0..buffer.end();
                self.cells.set(Space::Argument(number), &bytes, chain);
            }
        }
        self.block(&program.body);
        for (number, value) in program.results.iter().enumerate() {
            let shape = &program.value(*value).shape;
            let index: Vec<Expr> = (0..shape.len()).map(|dim| element(dim).into()).collect();
            self.read(Subject::Result(number), *value, index);
        }
        for (subject, verdict) in std::mem::take(&mut self.answers) {
            match subject {
                Subject::Operand(id, at) => merge(&mut self.order.operands, (id, at), verdict),
                Subject::Owner(id, at) => merge(&mut self.order.owners, (id, at), verdict),
                Subject::Result(at) => merge(&mut self.order.results, at, verdict),
            }
        }
        self.order
    }

    fn block(&mut self, items: &'p [Item]) {
        for item in items {
            match *item {
                Item::Loop(id) => self.repeat(id),
                Item::Statement(id) => self.statement(id),
            }
        }
    }

    fn repeat(&mut self, id: LoopId) {
        let program = self.prover.program;
        let of = program.of_loop(id);
        let trips = program.trips(id);
        self.carried[id.index()] = of
            .carried
            .iter()
            .map(|carried| self.chain_of(carried.init))
            .collect();
        if trips == Some(0) {
            return;
        }
        self.frames.push(Frame {
            id,
            iteration: 0,
            touched: Vec::new(),
        });
        let mut before: Option<State> = None;
        for iteration in 0.. {
            self.forget(id);
            self.frame().iteration = iteration;
            let answered = self.answers.len();
            self.block(&of.body);
            let yielded: Vec<_> = of
                .carried
                .iter()
                .map(|carried| self.chain_of(carried.yielded))
                .collect();
            let state = self.aged(id, yielded);
            let is_settled = before.as_ref() == Some(&state);
            if !is_settled && iteration > 0 {
                // The state was that of this iteration only, and not of later ones.
                self.keep_answers(answered, id, iteration);
            }
            self.carried[id.index()].clone_from(&state.1);
            if trips == Some(iteration + 1) {
                break;
            }
            if is_settled {
                if trips.is_none() && iteration > 1 {
                    let reason = Reason::Dynamic("of iterations that differ".to_owned());
                    self.order.loops.insert(id, reason);
                }
                break;
            }
            if iteration == MOST_ITERATIONS {
                self.order.loops.insert(id, Reason::Recurrence);
                break;
            }
            before = Some(state);
        }
        self.forget(id);
        let frame = self.frames.pop().expect("the loop has a frame");
        if let Some(outer) = self.frames.last_mut() {
            outer.touched.extend(frame.touched);
            merge_regions(&mut outer.touched);
        }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a loop is executed")
    }

    /// Forgets the histories of the values of an iteration.
    fn forget(&mut self, id: LoopId) {
        for value in &self.inside[id.index()] {
            self.of_values[value.index()] = None;
        }
    }

    /// Drops answers about later iterations than the one that was executed.
    fn keep_answers(&mut self, from: usize, id: LoopId, iteration: i64) {
        let mut at = 0;
        self.answers.retain(|(_, verdict)| {
            at += 1;
            let counter = match verdict {
                Verdict::Refuted(witness) => witness.value(Var::Counter(id)),
                _ => None,
            };
            at <= from || counter.is_none_or(|counter| counter <= iteration)
        });
    }

    /// Makes everything that an iteration did older, and returns the state.
    fn aged(&mut self, id: LoopId, yielded: Vec<ChainId>) -> State {
        let mut touched = std::mem::take(&mut self.frame().touched);
        merge_regions(&mut touched);
        let is_first = self.frame().iteration == 0;
        let chains = &mut self.chains;
        let mut state = Vec::new();
        for (space, bytes) in &touched {
            self.cells.update(*space, bytes, |cell, layers| {
                let is_cut = |chain: &ChainId| chains.is_empty_in(*chain, id);
                let is_cut = is_cut(&layers.top) || layers.below.iter().any(is_cut);
                layers.is_cut |= is_cut;
                layers.top = chains.aged(layers.top, id, is_first);
                for chain in &mut layers.below {
                    *chain = chains.aged(*chain, id, is_first);
                }
                state.push((*space, cell, layers.clone()));
            });
        }
        self.frame().touched = touched;
        let yielded = yielded
            .into_iter()
            .map(|chain| self.chains.aged(chain, id, is_first))
            .collect();
        (state, yielded)
    }

    /// Returns the history of a tensor.
    fn chain_of(&mut self, value: ValueId) -> ChainId {
        let program = self.prover.program;
        let (mut path, mut at) = (Vec::new(), value);
        let mut chain = loop {
            if let Some(chain) = self.of_values[at.index()] {
                break chain;
            }
            path.push(at);
            let kind = match &program.value(at).def {
                Def::Slice { source, .. } | Def::View { source, .. } => {
                    at = *source;
                    continue;
                }
                Def::Insert { into, .. } => {
                    at = *into;
                    continue;
                }
                Def::Carried(id, number) | Def::LoopResult(id, number) => {
                    break self.carried[id.index()][*number];
                }
                Def::Argument(_) | Def::Constant(_) => Kind::Argument(at),
                Def::Empty => Kind::Empty(at),
                Def::Opaque(_) => Kind::Opaque(at),
                Def::Result(id) => {
                    let mut results = program.statement(*id).results.iter();
                    let number = results.position(|result| result.value == at);
                    Kind::Execution(*id, number.expect("a result is one of its operation"))
                }
            };
            let item = self.chains.now(kind);
            break self.chains.bottom(item);
        };
        for value in path.into_iter().rev() {
            if let Def::Insert { tile, .. } = program.value(value).def {
                chain = self.inserted(value, tile, chain);
            }
            self.of_values[value.index()] = Some(chain);
        }
        chain
    }

    /// Returns the history of a tensor with a window of another.
    fn inserted(&mut self, insert: ValueId, tile: ValueId, into: ChainId) -> ChainId {
        let of_tile = self.chain_of(tile);
        if let Node::Bottom(item) = self.chains.node(of_tile)
            && let Kind::Execution(id, result) = self.chains.item(item).kind
        {
            let program = self.prover.program;
            let written = program.statement(id).results[result].value;
            if program.value(written).place == Some(Place::Window) {
                return self.chains.then(into, item);
            }
        }
        if self.chains.common(of_tile, into) == Some(into) {
            return of_tile; // Operations have written the window in the tensor.
        }
        let item = self.chains.now(Kind::Opaque(insert));
        self.chains.bottom(item)
    }

    fn statement(&mut self, id: StatementId) {
        let statement = self.prover.program.statement(id);
        for (at, access) in statement.operands.iter().enumerate() {
            self.read(Subject::Operand(id, at), access.value, access.index.clone());
        }
        for (at, access) in statement.results.iter().enumerate() {
            self.write(id, at, access.value);
        }
    }

    /// Enters that a statement has written a result.
    fn write(&mut self, id: StatementId, result: usize, value: ValueId) {
        let program = self.prover.program;
        let rank = program.value(value).shape.len();
        let all = (0..rank).map(|dim| Expr::from(element(dim))).collect();
        let Ok(location) = self.prover.memory.resolve(value, all) else {
            return; // That it has no place is an answer about the access.
        };
        let Ok(buffer) = self.prover.memory.buffer(location.root) else {
            return; // As above.
        };
        let bytes = buffer.start..buffer.end();
        if let Some(frame) = self.frames.last_mut() {
            frame.touched.push((buffer.space, bytes.clone()));
        }
        let item = self.chains.now(Kind::Execution(id, result));
        if location.root == value {
            let chain = self.chains.bottom(item);
            self.cells.set(buffer.space, &bytes, chain);
            return;
        }
        let is_empty = matches!(program.value(location.root).def, Def::Empty);
        let empty = self.chains.now(Kind::Empty(location.root));
        let absent = Layers::new(self.chains.bottom(empty));
        let chains = &mut self.chains;
        self.cells.change(buffer.space, &bytes, &absent, |layers| {
            if is_empty && chains.bottom_of(layers.top) != empty {
                cover(chains, layers, absent.top);
            }
            layers.top = chains.then(layers.top, item);
        });
    }

    /// Checks that the bytes of a value have its history.
    fn read(&mut self, subject: Subject, value: ValueId, index: Vec<Expr>) {
        let prover = self.prover;
        let Ok(location) = prover.memory.resolve(value, index) else {
            return; // That it has no place is an answer about the access.
        };
        let Ok(buffer) = prover.memory.buffer(location.root) else {
            return; // As above.
        };
        let expected = self.chain_of(value);
        self.check_owner(subject, expected, buffer.space);
        let first = self.chains.bottom_of(expected);
        if let Kind::Opaque(of) = self.chains.item(first).kind {
            let name = match &prover.program.value(of).def {
                Def::Opaque(name) => name.clone(),
                _ => "insertion of a tensor from another buffer".to_owned(),
            };
            let verdict = Verdict::Unknown(Reason::Operation(name));
            self.answers.push((subject, verdict));
            return;
        }
        let bytes = buffer.start..buffer.end();
        let mut conflicts = Vec::new();
        for (cell, layers) in self.cells.of(buffer.space, &bytes) {
            if layers.top != expected
                && let Some(conflict) = self.conflict(expected, layers, &cell)
            {
                conflicts.push(conflict);
            }
        }
        if conflicts.is_empty() {
            return; // The histories are the same.
        }
        let verdict = match self.read_of(subject, &location, &buffer) {
            Ok(read) => prover.decide(&self.chains, &read, &conflicts),
            Err(reason) => Verdict::Unknown(reason),
        };
        self.answers.push((subject, verdict));
    }

    /// Returns the difference between the history of a tensor and that of a cell; `None` if the cell has the tensor.
    fn conflict(&self, expected: ChainId, layers: &Layers, bytes: &Range<i64>) -> Option<Conflict> {
        let chains = &self.chains;
        // A tensor without contents may be overwritten and get windows again, so it is no common history.
        let common = chains.common(layers.top, expected);
        let common =
            common.filter(|chain| chains.depth(*chain) > 0 || contents(chains, *chain).is_some());
        let with_first = |chain: ChainId, end: Option<ChainId>| {
            let mut items = chains.items_down_to(chain, end);
            if end.is_none() {
                items.extend(contents(chains, chain));
            }
            items
        };
        let wanted = with_first(expected, common);
        if wanted.is_empty() && common.is_none() {
            return None; // The tensor has no contents: that it is read is a fault of coverage.
        }
        let mut actual = with_first(layers.top, common);
        let mut of_top = actual.len();
        if common.is_none() {
            // Executions before the tensor is written as a whole do not matter: one that writes all of it leaves nothing
            // of earlier ones.
            let needed = needed(&actual, &wanted);
            if needed.is_none() && contents(chains, layers.top).is_none() {
                for chain in &layers.below {
                    actual.extend(with_first(*chain, None));
                }
            }
            actual.truncate(needed.unwrap_or(actual.len()));
            of_top = of_top.min(actual.len());
        }
        if actual == wanted {
            return None;
        }
        let mut all = chains.items_down_to(expected, None);
        all.extend(contents(chains, expected));
        let is_whole = common.is_some() || contents(chains, layers.top).is_some();
        let is_whole = is_whole || needed(&actual[..of_top], &wanted).is_some();
        Some(Conflict {
            bytes: bytes.clone(),
            expected: all,
            certain: (layers.is_cut && !is_whole).then_some(of_top),
            actual,
        })
    }

    /// Checks that each core has written what it reads in its scratchpad.
    fn check_owner(&mut self, subject: Subject, expected: ChainId, space: Space) {
        let Subject::Operand(id, operand) = subject else {
            return; // Results of the function are in device memory.
        };
        if space != Space::Scratchpad {
            return;
        }
        let item = self.chains.item(self.chains.bottom_of(expected));
        let subject = Subject::Owner(id, operand);
        let verdict = match (&item.kind, self.chains.node(expected)) {
            (Kind::Execution(writer, result), Node::Bottom(_)) => {
                let key = (id, operand, *writer, *result);
                if !self.order.checked.insert(key) {
                    return; // Answered in an earlier iteration.
                }
                match self.prover.instances(id) {
                    Ok(reader) => self.prover.owner(&reader, operand, *writer, *result),
                    Err(reason) => Verdict::Unknown(reason),
                }
            }
            _ => Verdict::Unknown(Reason::Operation("windows of tensors in LX".to_owned())),
        };
        if verdict != Verdict::Proved(By::Form) {
            self.answers.push((subject, verdict));
        }
    }

    /// Returns a read with the conditions of its iterations.
    fn read_of(
        &self,
        subject: Subject,
        location: &crate::memory::Location,
        buffer: &crate::memory::Buffer,
    ) -> Result<Read, Reason> {
        let prover = self.prover;
        let program = prover.program;
        let byte = prover.memory.byte(buffer, &location.element)?;
        let (mut conditions, vars, name) = match subject {
            Subject::Operand(id, at) | Subject::Owner(id, at) => {
                let instances = prover.instances(id)?;
                let points = instances.vars.iter().copied();
                let points = points.filter(|var| !matches!(var, Var::Counter(_) | Var::Core));
                (
                    instances.conditions,
                    points.collect(),
                    format!("operand {at}"),
                )
            }
            Subject::Result(number) => {
                let value = program.value(program.results[number]);
                let mut conditions = prover.context_of(&[]);
                conditions.push(Constraint::Zero(Var::Core.into()));
                for (dim, extent) in value.shape.iter().enumerate() {
                    let extent = program.extent(*extent);
                    conditions.extend(Constraint::inside(&element(dim).into(), &extent));
                }
                let vars = (0..value.shape.len()).map(element).collect();
                (conditions, vars, format!("result {number}"))
            }
        };
        for frame in &self.frames {
            let counter = Expr::from(Var::Counter(frame.id));
            let from = counter.minus(&frame.iteration.into());
            conditions.push(match frame.iteration {
                0 => Constraint::Zero(counter),
                _ => Constraint::NonNegative(from),
            });
        }
        let points = match subject {
            Subject::Operand(id, _) | Subject::Owner(id, _) => program.statement(id).space.len(),
            Subject::Result(_) => 0,
        };
        Ok(Read {
            loops: self.frames.iter().map(|frame| frame.id).collect(),
            vars,
            points: (0..points).map(point).collect(),
            conditions,
            byte,
            width: program.value(buffer.root).width,
            space: buffer.space,
            name,
        })
    }
}

/// Puts the first layer of a tensor over the others. An earlier tensor of the same insertions is forgotten, as
/// `is_cut` has it.
fn cover(chains: &Chains<'_>, layers: &mut Layers, top: ChainId) {
    let kind = |chain: ChainId| &chains.item(chains.bottom_of(chain)).kind;
    let old = std::mem::replace(&mut layers.top, top);
    layers.below.retain(|chain| kind(*chain) != kind(old));
    layers.below.insert(0, old);
    layers.below.retain(|chain| kind(*chain) != kind(top));
}

/// Returns the number of the first items that have all of the others, if they do.
fn needed(items: &[ItemId], others: &[ItemId]) -> Option<usize> {
    let places = others
        .iter()
        .map(|other| items.iter().position(|item| item == other));
    let places: Option<Vec<usize>> = places.collect();
    places.map(|places| places.into_iter().max().map_or(0, |last| last + 1))
}

/// Returns the first item of a chain, if it has contents.
fn contents(chains: &Chains<'_>, chain: ChainId) -> Option<ItemId> {
    let first = chains.bottom_of(chain);
    (!matches!(chains.item(first).kind, Kind::Empty(_))).then_some(first)
}

/// Adds an answer to those about the same read.
fn merge<K: std::hash::Hash + Eq>(
    answers: &mut rustc_hash::FxHashMap<K, Verdict>,
    key: K,
    verdict: Verdict,
) {
    let answer = answers.remove(&key).unwrap_or(Verdict::Proved(By::Form));
    answers.insert(key, both(answer, verdict));
}

/// Sorts regions, and makes one of those that meet.
fn merge_regions(regions: &mut Vec<(Space, Range<i64>)>) {
    regions.sort_unstable_by_key(|(space, bytes)| (*space, bytes.start, bytes.end));
    let mut merged: Vec<(Space, Range<i64>)> = Vec::new();
    for (space, bytes) in regions.drain(..) {
        match merged.last_mut() {
            Some((of, last)) if *of == space && bytes.start <= last.end => {
                last.end = last.end.max(bytes.end);
            }
            _ => merged.push((space, bytes)),
        }
    }
    *regions = merged;
}
