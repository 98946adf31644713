//! Makes programs with a disagreement small: steps that leave less are tried, as long as the disagreement stays.
//!
//! A step need not keep what a program computes. Programs that belong together, such as the program before a rewrite
//! and the program after it, have one list of arguments and results, so these become fewer in all of them at once.

mod compact;

use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{Def, Extent, Item, LoopId, Program, ValueId};

use crate::text::Text;
use compact::compact;

/// One way to make programs smaller.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A result that none of the programs returns any more.
    Result(usize),
    /// Readers of a tensor of a program read another one, of the same extents, that it is computed from.
    Bypass(usize, ValueId, ValueId),
    /// A tensor of each program is an argument.
    Argument(ValueId, ValueId),
    /// The body of a loop of a program is executed once, without the loop.
    Once(usize, LoopId),
    /// A loop of a program has another number of iterations.
    Trips(usize, LoopId, i64),
    /// An extent of all programs is another.
    Extent(i64, i64),
    /// A statement of a program is on one core.
    OneCore(usize, usize),
}

/// Returns smaller programs that still `fail`, after at most `most` trials.
///
/// The programs that `fail` is called with have as many arguments and results as each other.
#[must_use]
pub fn shrunk(
    programs: &[Program],
    most: usize,
    mut fails: impl FnMut(&[Program]) -> bool,
) -> Vec<Program> {
    let mut texts = programs.iter().map(|program| Text(program).to_string());
    let first = texts.next();
    if texts.all(|text| Some(text) == first) {
        // Programs that are equal stay so.
        let copies = |of: &Program| vec![of.clone(); programs.len()];
        return copies(&reduced(&programs[..1], most, &mut |small| fails(&copies(&small[0])))[0]);
    }
    reduced(programs, most, &mut fails)
}

fn reduced(
    programs: &[Program],
    most: usize,
    fails: &mut dyn FnMut(&[Program]) -> bool,
) -> Vec<Program> {
    let mut programs = programs.to_vec();
    let mut trials = 0;
    // Steps that were of no use are tried again only after all others: each trial may cost a proof.
    loop {
        let before = size(&programs);
        for step in steps(&programs) {
            if trials == most {
                return programs;
            }
            let Some(smaller) = applied(&programs, step) else {
                continue;
            };
            if size(&smaller) < size(&programs) {
                trials += 1;
                if fails(&smaller) {
                    programs = smaller;
                }
            }
        }
        if size(&programs) == before {
            return programs;
        }
    }
}

/// Returns the numbers of operations, of tensors, of executed points, and the sum of extents.
fn size(programs: &[Program]) -> (usize, usize, i64, i64) {
    let mut size = (0, 0, 0, 0);
    for program in programs {
        size.0 += program.statements.len() + program.loops.len();
        size.1 += program.values.len() + program.results.len();
        for statement in &program.statements {
            let space = statement.space.iter();
            let points: i64 = space.map(|extent| program.largest(*extent)).product();
            let loops = statement.loops.iter();
            let trips: i64 = loops.map(|id| program.largest_trips(*id).max(1)).product();
            size.2 += points * trips + statement.cores();
        }
        for value in &program.values {
            let extents = value.shape.iter();
            size.3 += extents.map(|extent| program.largest(*extent)).sum::<i64>();
        }
    }
    size
}

fn steps(programs: &[Program]) -> Vec<Step> {
    let mut steps = Vec::new();
    let results = programs[0].results.len();
    if results > 1 {
        steps.extend((0..results).map(Step::Result));
    }
    for (at, program) in programs.iter().enumerate().rev() {
        for id in (0..program.loops.len()).map(LoopId::new) {
            steps.push(Step::Once(at, id));
            let trips = program.largest_trips(id);
            steps.extend([1, 2, 3].map(|trips| Step::Trips(at, id, trips)));
            steps.push(Step::Trips(at, id, trips - 1));
        }
        for value in (0..program.values.len()).rev().map(ValueId::new) {
            let others = sources(program, value);
            steps.extend(
                others
                    .into_iter()
                    .map(|other| Step::Bypass(at, value, other)),
            );
        }
        let cores = program.statements.iter().enumerate();
        let cores = cores.filter(|(_, of)| of.cores() > 1);
        steps.extend(cores.map(|(statement, _)| Step::OneCore(at, statement)));
    }
    if let [before, after] = programs {
        steps.extend(common(before, after));
    }
    let mut values = programs.iter().flat_map(|program| &program.values);
    if values.all(|value| value.layout.is_none()) {
        // A layout need not fit other extents.
        steps.extend(extents(programs));
    }
    steps
}

/// Returns the tensors that a tensor is computed from, as far as they have its extents and are there for its readers.
fn sources(program: &Program, value: ValueId) -> Vec<ValueId> {
    let of = program.value(value);
    let sources = match &of.def {
        Def::Slice { source, .. } | Def::View { source, .. } => vec![*source],
        Def::Insert { tile, into, .. } => vec![*tile, *into],
        Def::LoopResult(id, at) => vec![program.of_loop(*id).carried[*at].init],
        Def::Result(id) => {
            let operands = program.statement(*id).operands.iter();
            operands.map(|access| access.value).collect()
        }
        _ => Vec::new(),
    };
    let fits = |other: &ValueId| {
        let source = program.value(*other);
        *other != value && source.shape == of.shape && of.loops.starts_with(&source.loops)
    };
    sources.into_iter().filter(fits).collect()
}

/// Returns the pairs of tensors that may be one argument of both programs.
fn common(before: &Program, after: &Program) -> Vec<Step> {
    let computed = |program: &Program| {
        let values = program.values.iter().enumerate();
        let values = values.filter(|(_, value)| {
            value.loops.is_empty() && matches!(value.def, Def::Result(_) | Def::LoopResult(..))
        });
        values.map(|(at, _)| ValueId::new(at)).collect::<Vec<_>>()
    };
    let mut steps = Vec::new();
    for first in computed(before) {
        for second in computed(after) {
            if before.value(first).shape == after.value(second).shape {
                steps.push(Step::Argument(first, second));
            }
        }
    }
    steps
}

fn extents(programs: &[Program]) -> Vec<Step> {
    let values = programs.iter().flat_map(|program| &program.values);
    let mut extents: Vec<_> = values.flat_map(|value| &value.shape).collect();
    extents.sort_unstable_by_key(|extent| number(**extent));
    extents.dedup();
    let mut steps = Vec::new();
    for from in extents.into_iter().filter_map(|extent| number(*extent)) {
        let mut smaller = vec![1, 2, from / 2, from - 1];
        smaller.retain(|to| (1..from).contains(to));
        steps.extend(smaller.into_iter().map(|to| Step::Extent(from, to)));
    }
    steps
}

const fn number(extent: Extent) -> Option<i64> {
    match extent {
        Extent::Fixed(extent) => Some(extent),
        Extent::Dynamic(_) => None,
    }
}

/// Returns programs after a step; `None` if it is none of these programs any more.
fn applied(programs: &[Program], step: Step) -> Option<Vec<Program>> {
    let mut smaller = programs.to_vec();
    match step {
        Step::Result(at) => {
            for program in &mut smaller {
                (at < program.results.len() && program.results.len() > 1).then_some(())?;
                program.results.remove(at);
            }
        }
        Step::Bypass(at, value, other) => {
            let program = &mut smaller[at];
            sources_of(program, value)?.contains(&other).then_some(())?;
            redirect(program, value, other);
        }
        Step::Argument(first, second) => {
            let count = programs.iter().map(arguments).max()?;
            for (program, value) in smaller.iter_mut().zip([first, second]) {
                let value = program.values.get_mut(value.index())?;
                let is_computed = matches!(value.def, Def::Result(_) | Def::LoopResult(..));
                (is_computed && value.loops.is_empty()).then_some(())?;
                value.def = Def::Argument(count);
            }
            let shapes = [first, second].into_iter().zip(&smaller);
            let mut shapes = shapes.map(|(value, program)| &program.value(value).shape);
            (shapes.next() == shapes.next()).then_some(())?;
        }
        Step::Once(at, id) => once(&mut smaller[at], id)?,
        Step::Trips(at, id, trips) => {
            let of = smaller[at].loops.get_mut(id.index())?;
            of.upper = Extent::Fixed(of.lower + trips * of.step);
        }
        Step::Extent(from, to) => {
            let change = |extent: &mut Extent| {
                if *extent == Extent::Fixed(from) {
                    *extent = Extent::Fixed(to);
                }
            };
            for program in &mut smaller {
                program
                    .values
                    .iter_mut()
                    .flat_map(|of| &mut of.shape)
                    .for_each(change);
                let statements = program.statements.iter_mut();
                statements.flat_map(|of| &mut of.space).for_each(change);
            }
        }
        Step::OneCore(at, statement) => {
            let statement = smaller[at].statements.get_mut(statement)?;
            statement.split = statement.split.as_ref().map(|split| vec![1; split.len()]);
        }
    }
    Some(smaller.iter().map(compact).collect())
}

fn sources_of(program: &Program, value: ValueId) -> Option<Vec<ValueId>> {
    (value.index() < program.values.len()).then(|| sources(program, value))
}

fn arguments(program: &Program) -> u32 {
    let values = program.values.iter();
    let numbers = values.filter_map(|value| match value.def {
        Def::Argument(number) => Some(number + 1),
        _ => None,
    });
    numbers.max().unwrap_or(0)
}

/// Makes the readers of a tensor read another.
fn redirect(program: &mut Program, from: ValueId, to: ValueId) {
    let of = |value: ValueId| if value == from { to } else { value };
    for value in &mut program.values {
        compact::rename(&mut value.def, &of, &|id| id, &|id| id);
    }
    for statement in &mut program.statements {
        for access in &mut statement.operands {
            access.value = of(access.value);
        }
    }
    for carried in program.loops.iter_mut().flat_map(|of| &mut of.carried) {
        carried.init = of(carried.init);
        carried.yielded = of(carried.yielded);
    }
    for result in &mut program.results {
        *result = of(*result);
    }
}

/// Puts the body of a loop in the place of the loop, for its first iteration.
fn once(program: &mut Program, id: LoopId) -> Option<()> {
    let of = program.loops.get(id.index())?.clone();
    let body = match of.parent {
        Some(parent) => &mut program.loops[parent.index()].body,
        None => &mut program.body,
    };
    let at = body.iter().position(|item| *item == Item::Loop(id))?;
    body.splice(at..=at, of.body.iter().copied());
    for inner in program
        .loops
        .iter_mut()
        .filter(|inner| inner.parent == Some(id))
    {
        inner.parent = of.parent;
    }
    let first = |var: Var| (var == Var::Counter(id)).then(Expr::zero);
    let replaced = |expr: &mut Expr| *expr = expr.substituted(&first);
    for value in &mut program.values {
        value.loops.retain(|inner| *inner != id);
        match &mut value.def {
            Def::Slice { offsets, .. } | Def::Insert { offsets, .. } => {
                offsets.iter_mut().for_each(replaced);
            }
            Def::View { index, .. } => index.iter_mut().for_each(replaced),
            _ => {}
        }
    }
    for statement in &mut program.statements {
        statement.loops.retain(|inner| *inner != id);
    }
    // A tensor that is yielded as it was is the one before the loop.
    for carried in &of.carried {
        redirect(program, carried.argument, carried.init);
    }
    for carried in &of.carried {
        let yielded = match carried.yielded == carried.argument {
            true => carried.init,
            false => carried.yielded,
        };
        redirect(program, carried.result, yielded);
    }
    program.loops[id.index()].carried.clear();
    program.loops[id.index()].body.clear();
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::compare::compare;
    use crate::mutate::Mutation;

    #[test]
    fn a_difference_of_large_programs_becomes_one_of_small_programs() {
        let mut sizes = [0; 2];
        for number in 0..40 {
            let mut case = Case::draw(1, number);
            for (kind, mutant) in case.mutants(1) {
                let differs = |programs: &[Program]| {
                    !compare(&programs[0], &programs[1], &[])
                        .other_values
                        .is_empty()
                };
                let programs = [case.before.clone(), mutant];
                if !differs(&programs) {
                    continue;
                }
                let small = shrunk(&programs, 1000, differs);
                assert!(differs(&small), "{number} {kind:?}");
                let count = |programs: &[Program]| size(programs).0;
                sizes[0] += count(&programs);
                sizes[1] += count(&small);
                // All but the exchange of two results can be told apart without an operation, by arguments alone.
                assert!(
                    kind == Mutation::Result || count(&small) <= 4,
                    "{number} {kind:?}"
                );
            }
        }
        assert!(sizes[1] * 5 < sizes[0], "{sizes:?}");
    }
}
