//! `--spyre-infer-extents`: infers the extents of reshapes from their users.

use melior::dialect::DialectHandle;
use melior::ir::attribute::{IntegerAttribute, StringAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{ShapedTypeLike, Type, ValueLike};
use spyre_analysis::walk;
use spyre_construct::access;
use spyre_construct::build::{Build, element_of, shape_of};
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, At, Op, OpBuilder, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{Arithmetic, CmpIPredicate, arith, cf, func, linalg, tensor};

/// `--spyre-infer-extents`
pub static INFER_EXTENTS: RustPass = RustPass {
    argument: "spyre-infer-extents",
    summary: "Infer the extents of reshapes with a computed shape from their users",
    description: include_str!("extents.md"),
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "inferred",
        description: "Reshapes that have got known extents",
    }],
    dialects: || {
        vec![
            DialectHandle::arith(),
            DialectHandle::cf(),
            DialectHandle::tensor(),
        ]
    },
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let Some(body) = ir::function_body(run.operation()) else {
        return Ok(());
    };
    let reshapes = walk::find(body, |op| (ir::name(op) == tensor::RESHAPE).then_some(op));
    let mut inferred = 0;
    for op in reshapes {
        let build = Build::new(run.context(), op);
        if let Some(shape) = infer(op) {
            replace(build, &shape);
            inferred += 1;
        }
    }
    if inferred == 0 {
        run.preserve_analyses();
    }
    run.count("inferred", inferred);
    Ok(())
}

/// Returns the one shape that a reshape can have; `None` if it is static already, or not determined.
fn infer(op: Op<'_>) -> Option<Vec<i64>> {
    let (source, result) = (ir::operand(op, 0)?, ir::result(op, 0)?);
    let elements: i64 = shape_of(source).ok()?.iter().product();
    let mut extents = known_extents(result.r#type())?;
    if extents.iter().all(Option::is_some) {
        return None;
    }
    for read in views(result) {
        let read_extents = known_extents(read.r#type())?;
        for (extent, other) in extents.iter_mut().zip(read_extents) {
            *extent = extent.or(other);
        }
        ir::for_each_use(read, |user| {
            if ir::name(user.owner) == linalg::GENERIC {
                needed(user.owner, user.operand, &mut extents);
            }
        });
    }
    let product: i64 = extents.iter().flatten().product();
    let mut open = extents.iter_mut().filter(|extent| extent.is_none());
    if let Some(last) = open.next() {
        if open.next().is_some() || product == 0 || elements % product != 0 {
            return None;
        }
        *last = Some(elements / product);
    }
    let shape: Vec<i64> = extents.into_iter().collect::<Option<_>>()?;
    // Otherwise every run of the program fails, and the reshape reports that.
    (shape.iter().product::<i64>() == elements).then_some(shape)
}

/// Returns a tensor and the results of its casts: canonicalization inserts one to give a user static extents.
fn views(tensor: Val<'_>) -> Vec<Val<'_>> {
    let mut tensors = vec![tensor];
    ir::for_each_use(tensor, |user| {
        if ir::name(user.owner) == tensor::CAST {
            tensors.extend(
                ir::result(user.owner, 0).filter(|cast| ir::is_ranked_tensor(cast.r#type())),
            );
        }
    });
    tensors
}

/// Returns the extents of a ranked tensor, as far as the type has them.
pub(crate) fn known_extents(ty: Type<'_>) -> Option<Vec<Option<i64>>> {
    let tensor = RankedTensorType::try_from(ty).ok()?;
    let extents = (0..tensor.rank()).map(|dim| match tensor.dim_size(dim) {
        Ok(DimSize::Static(extent)) => i64::try_from(extent).ok(),
        _ => None,
    });
    Some(extents.collect())
}

/// Fills in the extents that an operand of a structured operation must have: the extents of its loops, from other
/// operands.
fn needed(op: Op<'_>, operand: usize, extents: &mut [Option<i64>]) {
    let maps = op
        .attribute("indexing_maps")
        .expect("a linalg.generic has maps");
    let maps: Option<Vec<_>> = attr::elements(maps).into_iter().map(access::read).collect();
    let Some(maps) = maps else {
        return;
    };
    for (dim, extent) in extents.iter_mut().enumerate() {
        let Some(id) = maps[operand][dim].as_index() else {
            continue;
        };
        let others = op.operands().zip(&maps);
        let candidates = others.filter_map(|(other, map)| {
            let at = map.iter().position(|at| at.as_index() == Some(id))?;
            known_extents(other.r#type())?[at]
        });
        *extent = extent.or(candidates.into_iter().next());
    }
}

/// Replaces a reshape by one of a known shape, and checks at run time that the shape is the computed one.
fn replace<'p>(build: Build<'p>, shape: &[i64]) {
    let op = build.before;
    let (source, computed, result): (Val<'p>, Val<'p>, Val<'p>) = (
        ir::operand(op, 0).expect("checked by MLIR"),
        ir::operand(op, 1).expect("checked by MLIR"),
        ir::result(op, 0).expect("checked by MLIR"),
    );
    for (dim, extent) in shape.iter().enumerate() {
        check(build, computed, dim, *extent);
    }
    let tensor = build.reshape_fixed(source, shape);
    let views = views(result);
    for view in &views {
        for user in ir::uses(*view) {
            if ir::name(user.owner) == linalg::GENERIC {
                ir::set_operand(user.owner, user.operand, tensor);
            }
        }
    }
    for cast in views[1..].iter().copied() {
        if ir::uses(cast).is_empty() {
            ir::erase(ir::defining_op(cast).expect("a cast makes it"));
        }
    }
    if !ir::uses(result).is_empty() {
        let open = build.emit(tensor::cast(tensor), result.r#type());
        ir::replace_all_uses(result, open);
    }
    ir::erase(op);
}

/// Asserts that a dimension of a computed shape has an extent.
fn check<'p>(build: Build<'p>, computed: Val<'p>, dim: usize, extent: i64) {
    let at = At::Before(build.before);
    let location = build.before.location();
    let place = i64::try_from(dim).expect("a rank");
    let place = ir::build_index_constant(at, location, place);
    let element = element_of(computed);
    let number = build.emit(tensor::extract(computed, &[place]), element);
    let constant = IntegerAttribute::new(element, extent).into();
    let constant = build.emit(arith::constant(constant), element);
    let assert = OpBuilder::before(build.context, build.before);
    let holds = assert.cmpi(CmpIPredicate::Eq, number, constant);
    let text = format!("dimension {dim} of the reshape must have the extent {extent}");
    let text = StringAttribute::new(build.context, &text).into();
    assert.insert(cf::assert(holds, text), &[]);
}
