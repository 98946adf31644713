//! Dynamic extents: the parameters of a program, and the dimensions that have them.

pub(crate) mod narrowing;

use melior::ir::ShapedTypeLike;
use melior::ir::r#type::{DimSize, RankedTensorType};
use spyre_dialects::attr;
use spyre_dialects::dynamic::dynamic_extent;
use spyre_dialects::hint::{DimName, dim_names};
use spyre_dialects::names::{DIM_SIZES, DIMS};
use spyre_mlir_rt::ir::{self, Op};
use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{Def, Extent, LoopId, Param, ParamId, Program, StatementId, ValueId};

/// Returns the dynamic extents that a function declares in `spyre.dim_sizes`, in the order of the attribute, which
/// sorts them by name.
pub(crate) fn params(function: Op<'_>) -> Vec<Param> {
    let declared = ir::attribute(function, DIM_SIZES).into_iter();
    let declared = declared.flat_map(attr::entries);
    let params = declared.filter_map(|(name, size)| {
        let extent = dynamic_extent(size)?;
        Some(Param {
            name,
            granularity: i64::try_from(extent.granularity()).ok()?,
            maximum: i64::try_from(extent.max()).ok()?,
        })
    });
    params.collect()
}

/// Returns the parameter of a name, or of the dimension that the name stands for, since `spyre.dim_sizes` may declare a
/// name to be another one.
pub(crate) fn param(function: Op<'_>, params: &[Param], name: &str) -> Option<ParamId> {
    let of = |name: &str| params.iter().position(|param| param.name == name);
    let other = || {
        let declared = attr::entries(ir::attribute(function, DIM_SIZES)?);
        let mut declared = declared.into_iter();
        let (_, other) = declared.find(|(declared, _)| declared == name)?;
        of(&attr::string(other)?)
    };
    of(name).or_else(other).map(ParamId::new)
}

/// Returns the parameter of a dimension of an argument, by the names in `spyre.dims`.
pub(crate) fn param_of_argument(
    function: Op<'_>,
    params: &[Param],
    argument: usize,
    dim: usize,
) -> Option<ParamId> {
    let dims = ir::argument_attribute(function, argument, DIMS)?;
    let names = dim_names(*attr::elements(dims).get(dim)?).unwrap_or_default();
    names.iter().find_map(|name| match name {
        DimName::Whole(name) => param(function, params, name),
        // The product of several extents is no multiple of one parameter.
        DimName::Merged(_) => None,
    })
}

/// Returns the extents of a type, with `None` for dynamic ones.
pub(crate) fn static_extents(ty: RankedTensorType<'_>) -> Vec<Option<i64>> {
    let extent = |dim| match ty.dim_size(dim).expect("the dimension is below the rank") {
        DimSize::Static(extent) => {
            Some(i64::try_from(extent).expect("MLIR has extents below 2^63"))
        }
        DimSize::Dynamic => None,
    };
    (0..ty.rank()).map(extent).collect()
}

/// Gives tensors of the largest extent that only a loop to a dynamic extent fills that dynamic extent: the rest of
/// their elements is undefined, and no claim is about it (assumption A6 of the documentation).
///
/// `--spyre-bound-dynamic-dims` gives tensors their largest extents, so their types no longer tell which is dynamic.
pub(crate) fn restrict_filled(program: &mut Program) {
    if program.params.is_empty() {
        return;
    }
    // An inner loop fills what the outer loop carries: a round restricts one more level, and the dimensions are few.
    loop {
        let loops = (0..program.loops.len()).flat_map(|at| of_loop(program, LoopId::new(at)));
        let restrictions: Vec<_> = loops
            .chain(of_views(program))
            .chain(of_windows(program))
            .collect();
        let spaces: Vec<_> = of_statements(program).collect();
        if restrictions.is_empty() && spaces.is_empty() {
            return;
        }
        for (statement, dim, param) in spaces {
            restrict_statement(program, statement, dim, param);
        }
        for (value, dim, param) in restrictions {
            program.values[value.index()].shape[dim] = Extent::Dynamic(param);
        }
    }
}

/// Returns the values that a loop carries, or that are defined in between, with the dimension that is restricted.
fn of_loop(program: &Program, id: LoopId) -> Vec<(ValueId, usize, ParamId)> {
    let mut restrictions = Vec::new();
    for carried in &program.of_loop(id).carried {
        let Some(chain) = insertions(program, carried.yielded, carried.argument) else {
            continue; // The loop computes the tensor anew, and does not fill it.
        };
        let ends = [carried.init, carried.argument, carried.result];
        for (dim, extent) in program.value(carried.argument).shape.iter().enumerate() {
            let Some(param) = filled(program, id, &chain, dim, *extent) else {
                continue;
            };
            // Elements beyond the dynamic extent may have contents: those of the initial tensor.
            let init = &program.value(carried.init).shape[dim];
            if *init != Extent::Dynamic(param) && !is_empty(program, carried.init) {
                continue;
            }
            let of = |value: &ValueId| {
                let extent = program.value(*value).shape[dim];
                matches!(extent, Extent::Fixed(_)).then_some((*value, dim, param))
            };
            restrictions.extend(chain.iter().chain(&ends).filter_map(of));
        }
    }
    restrictions
}

/// Returns the views with a dimension that is a restricted one of their source.
fn of_views(program: &Program) -> impl Iterator<Item = (ValueId, usize, ParamId)> {
    let views = program.values.iter().enumerate();
    let views = views.filter_map(|(at, value)| match &value.def {
        Def::View { source, index } => Some((ValueId::new(at), value, *source, index)),
        _ => None,
    });
    views.flat_map(move |(id, value, source, index)| {
        let source = &program.value(source).shape;
        source.iter().zip(index).filter_map(move |(extent, expr)| {
            let (Extent::Dynamic(param), Some(Var::Element(dim))) = (*extent, expr.as_var()) else {
                return None;
            };
            let dim = dim as usize;
            let largest = Extent::Fixed(program.params[param.index()].maximum);
            (value.shape[dim] == largest).then_some((id, dim, param))
        })
    })
}

/// Returns the windows that are all of a restricted dimension of their source.
fn of_windows(program: &Program) -> impl Iterator<Item = (ValueId, usize, ParamId)> {
    let windows = program.values.iter().enumerate();
    windows.flat_map(move |(at, value)| {
        let (source, offsets, dims) = match &value.def {
            Def::Slice {
                source,
                offsets,
                dims,
            } => (
                program.value(*source).shape.as_slice(),
                offsets.as_slice(),
                dims.as_slice(),
            ),
            _ => Default::default(),
        };
        let ends = source.iter().zip(offsets).zip(dims);
        ends.filter_map(move |((extent, offset), dim)| {
            let (Extent::Dynamic(param), Some(dim)) = (*extent, *dim) else {
                return None;
            };
            let largest = Extent::Fixed(program.params[param.index()].maximum);
            let is_whole = *offset == Expr::zero() && value.shape[dim] == largest;
            is_whole.then_some((ValueId::new(at), dim, param))
        })
    })
}

/// Returns the operations on a whole tensor of a dynamic extent, with the dimension of their iteration space that has its largest
/// value.
fn of_statements(program: &Program) -> impl Iterator<Item = (StatementId, usize, ParamId)> {
    let statements = program.statements.iter().enumerate();
    statements.flat_map(move |(at, statement)| {
        let id = StatementId::new(at);
        statement.operands.iter().flat_map(move |access| {
            let shape = &program.value(access.value).shape;
            shape
                .iter()
                .zip(&access.index)
                .filter_map(move |(extent, index)| {
                    let (Extent::Dynamic(param), Some(Var::Point(dim))) = (*extent, index.as_var())
                    else {
                        return None;
                    };
                    let dim = dim as usize;
                    let largest = Extent::Fixed(program.params[param.index()].maximum);
                    (statement.space[dim] == largest).then_some((id, dim, param))
                })
        })
    })
}

/// Gives a dimension of the iteration space of an operation, and of its results, a dynamic extent.
fn restrict_statement(program: &mut Program, id: StatementId, dim: usize, param: ParamId) {
    let statement = &mut program.statements[id.index()];
    statement.space[dim] = Extent::Dynamic(param);
    for access in &statement.results {
        let shape = &mut program.values[access.value.index()].shape;
        for (extent, index) in shape.iter_mut().zip(&access.index) {
            if matches!(index.as_var(), Some(Var::Point(at)) if at as usize == dim) {
                *extent = Extent::Dynamic(param);
            }
        }
    }
}

/// Returns whether a tensor has no contents when its loops start.
fn is_empty(program: &Program, value: ValueId) -> bool {
    match program.value(value).def {
        Def::Empty => true,
        Def::Carried(id, at) => is_empty(program, program.of_loop(id).carried[at].init),
        _ => false,
    }
}

/// Returns the values from `last` back to `first`, without `first`, if each is the next one with a window or with the
/// windows of a loop; those of inner loops are among them.
fn insertions(program: &Program, last: ValueId, first: ValueId) -> Option<Vec<ValueId>> {
    let (mut chain, mut value) = (Vec::new(), last);
    while value != first {
        chain.push(value);
        value = match program.value(value).def {
            Def::Insert { into, .. } => into,
            Def::LoopResult(id, at) => {
                let inner = program.of_loop(id).carried[at];
                chain.extend(insertions(program, inner.yielded, inner.argument)?);
                chain.push(inner.argument);
                inner.init
            }
            _ => return None,
        };
    }
    Some(chain)
}

/// Returns the dynamic extent to which a loop, or a loop inside of it, fills a dimension of its largest extent.
fn filled(
    program: &Program,
    id: LoopId,
    chain: &[ValueId],
    dim: usize,
    extent: Extent,
) -> Option<ParamId> {
    let moves = |value: &ValueId, by: LoopId| match &program.value(*value).def {
        Def::Insert { offsets, .. } => offsets[dim].vars().contains(&Var::Counter(by)),
        _ => false,
    };
    let inner = chain.iter().find_map(|value| {
        let is_restricted = matches!(program.value(*value).def, Def::LoopResult(..));
        match program.value(*value).shape[dim] {
            Extent::Dynamic(param) if is_restricted => Some(param),
            _ => None,
        }
    });
    let by_loop = match program.of_loop(id).upper {
        Extent::Dynamic(param) if chain.iter().any(|value| moves(value, id)) => Some(param),
        _ => None,
    };
    let by_argument = match extent {
        Extent::Dynamic(param) => Some(param),
        Extent::Fixed(_) => None,
    };
    let param = by_argument.or(by_loop).or(inner)?;
    let fits = match extent {
        Extent::Fixed(extent) => extent == program.params[param.index()].maximum,
        Extent::Dynamic(_) => true,
    };
    fits.then_some(param)
}

/// Returns the extent that an index expression is: a number, or a parameter times its granularity.
pub(crate) fn of_expr(program: &Program, expr: &Expr) -> Option<Extent> {
    if let Some(number) = expr.as_constant() {
        return Some(Extent::Fixed(number));
    }
    let mut params = (0..program.params.len()).map(|at| Extent::Dynamic(ParamId::new(at)));
    params.find(|extent| program.extent(*extent) == *expr)
}
