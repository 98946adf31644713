//! Programs without what no result depends on.

use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{Def, Item, LoopId, Program, StatementId, ValueId};

/// What results depend on.
struct Live {
    values: Vec<bool>,
    statements: Vec<bool>,
    loops: Vec<bool>,
}

/// Returns the program without tensors, statements and loops that no result depends on. Arguments keep their numbers.
#[must_use]
pub(super) fn compact(program: &Program) -> Program {
    let live = Live::of(program);
    let [values, statements, loops] =
        [&live.values, &live.statements, &live.loops].map(|live| numbers(live));
    let value = |id: ValueId| ValueId::new(values[id.index()]);
    let statement = |id: StatementId| StatementId::new(statements[id.index()]);
    let of_loop = |id: LoopId| LoopId::new(loops[id.index()]);
    let expr = |expr: &mut Expr| {
        *expr = expr.substituted(&|var| match var {
            Var::Counter(id) => Some(Var::Counter(of_loop(id)).into()),
            _ => None,
        });
    };
    let body = |items: &[Item]| {
        let items = items.iter().filter(|item| match item {
            Item::Loop(id) => live.loops[id.index()],
            Item::Statement(id) => live.statements[id.index()],
        });
        let items = items.map(|item| match *item {
            Item::Loop(id) => Item::Loop(of_loop(id)),
            Item::Statement(id) => Item::Statement(statement(id)),
        });
        items.collect::<Vec<_>>()
    };
    // The numbers that carried tensors have after those that nothing reads are gone.
    let carried: Vec<Vec<usize>> = program
        .loops
        .iter()
        .map(|of| {
            numbers(
                &of.carried
                    .iter()
                    .map(|of| live.values[of.result.index()])
                    .collect::<Vec<_>>(),
            )
        })
        .collect();
    let mut small = Program {
        params: program.params.clone(),
        body: body(&program.body),
        results: program.results.iter().map(|id| value(*id)).collect(),
        ..Program::default()
    };
    for (of, _) in program
        .loops
        .iter()
        .zip(&live.loops)
        .filter(|(_, live)| **live)
    {
        let mut of = of.clone();
        of.parent = of.parent.map(of_loop);
        of.body = body(&of.body);
        of.carried
            .retain(|carried| live.values[carried.result.index()]);
        for tensor in &mut of.carried {
            for id in [
                &mut tensor.init,
                &mut tensor.argument,
                &mut tensor.yielded,
                &mut tensor.result,
            ] {
                *id = value(*id);
            }
        }
        small.loops.push(of);
    }
    for (of, _) in program
        .values
        .iter()
        .zip(&live.values)
        .filter(|(_, live)| **live)
    {
        let mut of = of.clone();
        if let Def::Carried(id, at) | Def::LoopResult(id, at) = &mut of.def {
            *at = carried[id.index()][*at];
        }
        rename(&mut of.def, &value, &statement, &of_loop);
        match &mut of.def {
            Def::Slice { offsets, .. } | Def::Insert { offsets, .. } => {
                offsets.iter_mut().for_each(expr)
            }
            Def::View { index, .. } => index.iter_mut().for_each(expr),
            _ => {}
        }
        of.loops.iter_mut().for_each(|id| *id = of_loop(*id));
        small.values.push(of);
    }
    for (of, _) in program
        .statements
        .iter()
        .zip(&live.statements)
        .filter(|(_, live)| **live)
    {
        let mut of = of.clone();
        of.loops.iter_mut().for_each(|id| *id = of_loop(*id));
        for access in of.operands.iter_mut().chain(&mut of.results) {
            access.value = value(access.value);
            access.index.iter_mut().for_each(expr);
        }
        small.statements.push(of);
    }
    small
}

/// Returns the number of each position among those that stay.
fn numbers(live: &[bool]) -> Vec<usize> {
    let mut next = 0;
    let numbers = live.iter().map(|live| {
        next += usize::from(*live);
        next.saturating_sub(1)
    });
    numbers.collect()
}

/// Gives the parts of a definition other numbers.
pub(super) fn rename(
    def: &mut Def,
    value: &impl Fn(ValueId) -> ValueId,
    statement: &impl Fn(StatementId) -> StatementId,
    of_loop: &impl Fn(LoopId) -> LoopId,
) {
    match def {
        Def::Slice { source, .. } | Def::View { source, .. } => *source = value(*source),
        Def::Insert { tile, into, .. } => (*tile, *into) = (value(*tile), value(*into)),
        Def::Carried(id, _) | Def::LoopResult(id, _) => *id = of_loop(*id),
        Def::Result(id) => *id = statement(*id),
        Def::Argument(_) | Def::Constant(_) | Def::Empty | Def::Opaque(_) => {}
    }
}

impl Live {
    fn of(program: &Program) -> Self {
        let mut live = Self {
            values: vec![false; program.values.len()],
            statements: vec![false; program.statements.len()],
            loops: vec![false; program.loops.len()],
        };
        let mut next = program.results.clone();
        while let Some(id) = next.pop() {
            if std::mem::replace(&mut live.values[id.index()], true) {
                continue;
            }
            let value = program.value(id);
            value
                .loops
                .iter()
                .for_each(|id| live.loops[id.index()] = true);
            match &value.def {
                Def::Slice { source, .. } | Def::View { source, .. } => next.push(*source),
                Def::Insert { tile, into, .. } => next.extend([*tile, *into]),
                Def::Carried(id, at) | Def::LoopResult(id, at) => {
                    live.loops[id.index()] = true;
                    let carried = program.of_loop(*id).carried[*at];
                    next.extend([
                        carried.init,
                        carried.argument,
                        carried.yielded,
                        carried.result,
                    ]);
                }
                Def::Result(id) => {
                    live.statements[id.index()] = true;
                    let statement = program.statement(*id);
                    let accesses = statement.operands.iter().chain(&statement.results);
                    next.extend(accesses.map(|access| access.value));
                    statement
                        .loops
                        .iter()
                        .for_each(|id| live.loops[id.index()] = true);
                }
                Def::Argument(_) | Def::Constant(_) | Def::Empty | Def::Opaque(_) => {}
            }
        }
        live
    }
}
