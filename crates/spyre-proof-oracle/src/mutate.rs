//! Makes one fault in a program.

use spyre_layout::Layout;
use spyre_proof::expr::Expr;
use spyre_proof::program::{Def, Extent, Item, Place, Program, ValueId};

use crate::plan::{dim_of, fixed};
use crate::random::Random;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mutation {
    /// A number is added to the offset of a window.
    OffsetConstant,
    /// A factor of a counter in the offset of a window is another.
    OffsetFactor,
    /// A loop has one iteration more or less.
    Trips,
    /// Two operands change places, or one is another tensor of the same extents.
    Operand,
    /// An index of an operand is another dimension, or none.
    Index,
    /// The name of a constant.
    Constant,
    /// The name of an operation.
    Operation,
    /// A copy is not made: its operand is read.
    DroppedCopy,
    /// A window is not inserted.
    DroppedInsert,
    /// A loop starts with another tensor.
    Init,
    /// A result is another tensor of the same extents.
    Result,
    /// An index of a view.
    View,
    /// A buffer is somewhere else.
    Place,
    /// Two buffers change places.
    ExchangedPlaces,
    /// The division of an operation over cores.
    Split,
    /// The order of the digits of a core.
    Digits,
    /// The layout of a buffer.
    Layout,
    /// Two parts of a body change places.
    Order,
}

impl Mutation {
    /// The faults that other values make.
    pub const OF_VALUES: [Self; 12] = [
        Self::OffsetConstant,
        Self::OffsetFactor,
        Self::Trips,
        Self::Operand,
        Self::Index,
        Self::Constant,
        Self::Operation,
        Self::DroppedCopy,
        Self::DroppedInsert,
        Self::Init,
        Self::Result,
        Self::View,
    ];
    /// The faults in memory alone.
    pub const OF_PLACES: [Self; 6] = [
        Self::Place,
        Self::ExchangedPlaces,
        Self::Split,
        Self::Digits,
        Self::Layout,
        Self::Order,
    ];
}

/// Returns the program with one fault; `None` if it has no place for one of this kind.
#[must_use]
pub fn mutated(program: &Program, mutation: Mutation, random: &mut Random) -> Option<Program> {
    let mut mutant = program.clone();
    match mutation {
        Mutation::OffsetConstant | Mutation::OffsetFactor | Mutation::View => {
            index(&mut mutant, mutation, random)?;
        }
        Mutation::Trips => {
            let at = some(0..mutant.loops.len(), random)?;
            let of = &mut mutant.loops[at];
            let upper = fixed(of.upper) + of.step * if random.once_in(3) { 1 } else { -1 };
            of.upper = Extent::Fixed(upper);
        }
        Mutation::Operand | Mutation::Index | Mutation::Operation => {
            statement(&mut mutant, mutation, random)?;
        }
        Mutation::Constant => {
            let values = mutant.values.iter_mut();
            let mut names: Vec<_> = values
                .filter_map(|value| match &mut value.def {
                    Def::Constant(name) => Some(name),
                    _ => None,
                })
                .collect();
            let at = some(0..names.len(), random)?;
            let others = ["0x0000", "0x3c00", "0xfc00", "0x7c00", "0x4000"];
            let name = random.pick(&others);
            if name == names[at] {
                return None;
            }
            *names[at] = name.to_owned();
        }
        Mutation::DroppedCopy | Mutation::DroppedInsert => dropped(&mut mutant, mutation, random)?,
        Mutation::Init => {
            let at = some(0..mutant.loops.len(), random)?;
            let carried = some(0..mutant.loops[at].carried.len(), random)?;
            let init = mutant.loops[at].carried[carried].init;
            let loops = mutant.value(init).loops.clone();
            let argument = mutant.loops[at].carried[carried].argument;
            let other = other_value(&mutant, init, argument, &loops, random)?;
            mutant.loops[at].carried[carried].init = other;
        }
        Mutation::Result => {
            let at = some(0..mutant.results.len(), random)?;
            let end = ValueId::new(mutant.values.len());
            let other = other_value(&mutant, mutant.results[at], end, &[], random)?;
            mutant.results[at] = other;
        }
        Mutation::Place | Mutation::ExchangedPlaces | Mutation::Layout => {
            place(&mut mutant, mutation, random)?;
        }
        Mutation::Split | Mutation::Digits => division(&mut mutant, mutation, random)?,
        Mutation::Order => order(&mut mutant, random)?,
    }
    Some(mutant)
}

fn some(range: std::ops::Range<usize>, random: &mut Random) -> Option<usize> {
    (!range.is_empty()).then(|| range.start + random.below(range.len()))
}

/// Returns another tensor of the extents of `value` that is there before `end`, for a reader in these loops.
fn other_value(
    program: &Program,
    value: ValueId,
    end: ValueId,
    loops: &[spyre_proof::program::LoopId],
    random: &mut Random,
) -> Option<ValueId> {
    let shape = &program.value(value).shape;
    let values = (0..end.index()).map(ValueId::new).filter(|other| {
        let of = program.value(*other);
        *other != value && of.shape == *shape && loops.starts_with(&of.loops)
    });
    let values: Vec<_> = values.collect();
    some(0..values.len(), random).map(|at| values[at])
}

fn index(program: &mut Program, mutation: Mutation, random: &mut Random) -> Option<()> {
    let wanted = |def: &Def| match (mutation, def) {
        (Mutation::View, Def::View { .. })
        | (Mutation::OffsetConstant, Def::Slice { .. } | Def::Insert { .. }) => true,
        (Mutation::OffsetFactor, Def::Slice { offsets, .. } | Def::Insert { offsets, .. }) => {
            offsets.iter().any(|expr| !expr.terms().is_empty())
        }
        _ => false,
    };
    let values: Vec<_> = (0..program.values.len())
        .filter(|at| wanted(&program.values[*at].def))
        .collect();
    let at = some(0..values.len(), random)?;
    match &mut program.values[values[at]].def {
        Def::Slice { offsets, .. } | Def::Insert { offsets, .. } => {
            if mutation == Mutation::OffsetConstant {
                let dim = some(0..offsets.len(), random)?;
                let by = random.pick(&[-2, -1, 1, 1, 2, 4]);
                offsets[dim] = offsets[dim].plus(&Expr::from(by));
                return Some(());
            }
            let dims: Vec<_> = (0..offsets.len())
                .filter(|dim| !offsets[*dim].terms().is_empty())
                .collect();
            let dim = random.pick(&dims);
            let vars = offsets[dim].vars();
            let var = random.pick(&vars);
            let by = random.pick(&[-1, 1, 1, 2]);
            offsets[dim] = offsets[dim].plus_times(&var.into(), by);
        }
        Def::View { index, .. } if index.len() > 1 => {
            let (a, b) = (random.below(index.len()), random.below(index.len()));
            if index[a] == index[b] {
                return None;
            }
            index.swap(a, b);
        }
        Def::View { index, .. } => index[0] = index[0].plus(&Expr::from(1)),
        _ => return None,
    }
    Some(())
}

fn statement(program: &mut Program, mutation: Mutation, random: &mut Random) -> Option<()> {
    let at = some(0..program.statements.len(), random)?;
    let of = program.statements[at].clone();
    let operand = random.below(of.operands.len());
    let changed = &mut program.statements[at];
    match mutation {
        Mutation::Operand if of.operands.len() == 2 && random.once_in(2) => {
            if program.values[of.operands[0].value.index()].shape
                != program.values[of.operands[1].value.index()].shape
            {
                return None;
            }
            changed.operands[0].value = of.operands[1].value;
            changed.operands[1].value = of.operands[0].value;
        }
        Mutation::Operand => {
            let end = of.results[0].value;
            let value = of.operands[operand].value;
            let other = other_value(program, value, end, &of.loops, random)?;
            program.statements[at].operands[operand].value = other;
        }
        Mutation::Index => {
            let index = &mut changed.operands[operand].index;
            let dim = some(0..index.len(), random)?;
            let extent = |dim: usize| fixed(of.space[dim]);
            let own = dim_of(&index[dim])?;
            let dims = (0..of.space.len()).filter(|at| *at != own && extent(*at) <= extent(own));
            let dims: Vec<_> = dims.collect();
            index[dim] = match some(0..dims.len(), random) {
                Some(at) if !random.once_in(3) => crate::build::point(dims[at]),
                _ => Expr::zero(),
            };
        }
        _ => {
            let names: &[&str] = match (of.operands.len(), of.reduced) {
                _ if of.is_move => return None,
                (1, 0) => &["neg", "exp", "relu"],
                (1, _) => &["sum", "max", "min", "prod", "absmax", "exx2"],
                (_, 0) => &["add", "mul", "sub", "maximum", "minimum"],
                _ => return None,
            };
            let name = random.pick(names);
            if name == of.key.name {
                return None;
            }
            name.clone_into(&mut changed.key.name);
        }
    }
    Some(())
}

/// Replaces a copy by its operand, or an insertion by the tensor that it is made into, where it is read.
fn dropped(program: &mut Program, mutation: Mutation, random: &mut Random) -> Option<()> {
    let mut pairs = Vec::new();
    for (at, value) in program.values.iter().enumerate() {
        match (&value.def, mutation) {
            (Def::Insert { into, .. }, Mutation::DroppedInsert) => {
                pairs.push((ValueId::new(at), *into));
            }
            (Def::Result(id), Mutation::DroppedCopy) if program.statement(*id).is_move => {
                pairs.push((ValueId::new(at), program.statement(*id).operands[0].value));
            }
            _ => {}
        }
    }
    let at = some(0..pairs.len(), random)?;
    let (from, to) = pairs[at];
    if program.value(from).shape != program.value(to).shape {
        return None;
    }
    let replace = |value: &mut ValueId| {
        if *value == from {
            *value = to;
        }
    };
    for statement in &mut program.statements {
        for access in &mut statement.operands {
            replace(&mut access.value);
        }
    }
    for of in &mut program.loops {
        for carried in &mut of.carried {
            replace(&mut carried.init);
            replace(&mut carried.yielded);
        }
    }
    for value in &mut program.values {
        match &mut value.def {
            Def::Slice { source, .. } | Def::View { source, .. } => replace(source),
            Def::Insert { tile, into, .. } => {
                replace(tile);
                replace(into);
            }
            _ => {}
        }
    }
    program.results.iter_mut().for_each(replace);
    Some(())
}

fn place(program: &mut Program, mutation: Mutation, random: &mut Random) -> Option<()> {
    let buffers: Vec<_> = (0..program.values.len())
        .filter(|at| {
            // An argument is where the caller stores it.
            !matches!(program.values[*at].def, Def::Argument(_) | Def::Constant(_))
                && matches!(
                    program.values[*at].place,
                    Some(Place::Pool(_) | Place::Scratchpad(_) | Place::Argument(_))
                )
        })
        .collect();
    let at = buffers[some(0..buffers.len(), random)?];
    let other = random.pick(&buffers);
    let (mine, others) = (program.values[at].place, program.values[other].place);
    if mutation == Mutation::Layout {
        let value = &mut program.values[at];
        let old = value.layout.as_ref()?;
        let mut coords = old.coords().to_vec();
        let last = coords.len() - 1;
        let (a, b) = (random.below(last.max(1)), random.below(last.max(1)));
        coords.swap(a, b);
        let layout = Layout::new(old.rank(), coords).ok()?;
        if layout == *old {
            return None;
        }
        value.layout = Some(layout);
        return Some(());
    }
    if mutation == Mutation::ExchangedPlaces {
        if mine == others {
            return None;
        }
        program.values[at].place = others;
        program.values[other].place = mine;
        return Some(());
    }
    let is_moved = random.once_in(2);
    let to = match (mine, others) {
        _ if random.once_in(8) => others?,
        (Some(Place::Pool(_)), Some(Place::Pool(start))) if !is_moved => Place::Pool(start),
        (Some(Place::Scratchpad(_)), Some(Place::Scratchpad(start))) if !is_moved => {
            Place::Scratchpad(start)
        }
        (Some(Place::Pool(start)), _) => Place::Pool(start + moved(random)),
        (Some(Place::Scratchpad(start)), _) if random.once_in(4) => Place::Pool(start),
        (Some(Place::Scratchpad(start)), _) => Place::Scratchpad(start + moved(random)),
        _ => others?,
    };
    if Some(to) == mine {
        return None;
    }
    program.values[at].place = Some(to);
    Some(())
}

fn moved(random: &mut Random) -> i64 {
    random.pick(&[-128, -128, 128, 128, 256, 512, 64, 1 << 30])
}

fn division(program: &mut Program, mutation: Mutation, random: &mut Random) -> Option<()> {
    let is_divided = |split: &[i64]| split.iter().filter(|cores| **cores > 1).count();
    let statements = program.statements.iter_mut();
    let mut divided: Vec<_> = statements
        .filter(|statement| match &statement.split {
            // The order of dimensions that are not divided means nothing.
            Some(split) => mutation == Mutation::Split || is_divided(split) > 1,
            None => false,
        })
        .collect();
    let at = some(0..divided.len(), random)?;
    let statement = &mut *divided[at];
    let before = (statement.split.clone(), statement.digits.clone());
    if mutation == Mutation::Digits {
        let split = statement.split.clone().unwrap_or_default();
        let mut of_divided = (0..split.len()).filter(|at| split[statement.digits[*at]] > 1);
        let (first, second) = (of_divided.next()?, of_divided.next()?);
        statement.digits.swap(first, second);
    } else {
        let split = statement.split.as_mut()?;
        let kept = statement.space.len() - statement.reduced;
        let (from, to) = (
            some(0..split.len(), random)?,
            some(
                0..if random.once_in(4) { split.len() } else { kept },
                random,
            )?,
        );
        let cores = split[from];
        split[from] = 1;
        let product = split[to] * if cores == 1 { 2 } else { cores };
        if fixed(statement.space[to]) % product == 0 {
            split[to] = product;
        }
    }
    (before != (statement.split.clone(), statement.digits.clone())).then_some(())
}

/// Exchanges two neighbours of a body that do not depend on each other.
fn order(program: &mut Program, random: &mut Random) -> Option<()> {
    // Most neighbours depend on each other.
    (0..8).find_map(|_| exchanged(program, random))
}

fn exchanged(program: &mut Program, random: &mut Random) -> Option<()> {
    let bodies = program.loops.len() + 1;
    let at = random.below(bodies);
    let body = if at == 0 {
        &program.body
    } else {
        &program.loops[at - 1].body
    };
    let item = some(0..body.len().saturating_sub(1), random)?;
    let (Item::Statement(first), Item::Statement(second)) = (body[item], body[item + 1]) else {
        return None;
    };
    let written = program.statement(first).results[0].value;
    let reads = program.statement(second).operands.iter();
    for access in reads {
        if reaches(program, access.value, written) {
            return None;
        }
    }
    let body = if at == 0 {
        &mut program.body
    } else {
        &mut program.loops[at - 1].body
    };
    body.swap(item, item + 1);
    Some(())
}

fn reaches(program: &Program, value: ValueId, written: ValueId) -> bool {
    value == written
        || match program.value(value).def {
            Def::Slice { source, .. } | Def::View { source, .. } => {
                reaches(program, source, written)
            }
            Def::Insert { tile, into, .. } => {
                reaches(program, tile, written) || reaches(program, into, written)
            }
            // Another loop is another neighbour, and what it carries is there before its body.
            _ => false,
        }
}
