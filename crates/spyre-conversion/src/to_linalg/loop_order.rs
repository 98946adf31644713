//! `--spyre-order-loops`: puts a parallel loop innermost where elements that follow each other are computed from such elements.
//!
//! A structured operation runs its loops in their order, and products and convolutions have their reduction last. Each addition
//! waits for the one before then, and a product walks down a column of its second operand, which takes a line of the cache for
//! each element. With a parallel loop innermost, the additions of a line are independent, and LLVM makes them vectors. The terms
//! of each element are added up in the same order, so no rounding changes.

use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{AffineExpr, AffineMap, Attribute};
use spyre_analysis::walk;
use spyre_construct::access::{self, LoopId};
use spyre_construct::build::shape_of;
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{func, linalg};

/// The least number of iterations of a loop that is made innermost.
const FEWEST: i64 = 4;

/// The largest step of an operand that is read, in elements. A larger one takes a line of the cache for every element or two.
const LARGEST_STEP: i64 = 4;

/// `--spyre-order-loops`
pub static ORDER_LOOPS: RustPass = RustPass {
    argument: "spyre-order-loops",
    summary: "Reduce along outer loops where neighbouring elements can be computed together",
    description: r#"
A structured operation with a reduced innermost loop gets a parallel loop in its place,
if each step of that loop goes to the next element of the results, and by at most four
elements in each operand. The order of the other loops stays, and with it the order in
which the terms of an element are added up.

```mlir
// before
linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
    affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ...
// after
linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d1, d2)>,
    affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ...
```

An operation of dynamic extents stays as it is, and so does one with a body that reads
the index of a loop.
"#,
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "ordered",
        description: "Operations with another innermost loop",
    }],
    dialects: Vec::new,
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let body = ir::function_body(run.operation());
    let ops = body.map(|body| walk::find(body, |op| Some((op, innermost(op)?))));
    let ops = ops.unwrap_or_default();
    if ops.is_empty() {
        run.preserve_analyses();
    }
    for (op, chosen) in ops {
        move_innermost(run, op, chosen);
        run.count("ordered", 1);
    }
    Ok(())
}

/// Returns the loop that becomes the innermost one; `None` where the order stays.
fn innermost(op: Op<'_>) -> Option<LoopId> {
    if ir::name(op) != linalg::GENERIC || op.result_count() == 0 {
        return None;
    }
    let iterators = attr::elements(ir::attribute(op, "iterator_types")?);
    let is_reduced = |id: usize| iterators[id].to_string().contains("reduction");
    if !is_reduced(iterators.len().checked_sub(1)?) {
        return None;
    }
    // `linalg.index` names a loop by its number.
    let body = ir::body(op)?;
    if !walk::find(body, |inner| {
        (ir::name(inner) == linalg::INDEX).then_some(())
    })
    .is_empty()
    {
        return None;
    }
    let loops = iterators.len();
    let mut steps = Vec::new();
    let mut extents = vec![0; loops];
    for (value, map) in op
        .operands()
        .zip(attr::elements(ir::attribute(op, "indexing_maps")?))
    {
        let coordinates = access::read(map)?;
        if coordinates.is_empty() {
            // A number, or a tensor of one element.
            steps.push(vec![0; loops]);
            continue;
        }
        let shape = shape_of(value).ok()?;
        for (at, extent) in coordinates.iter().zip(&shape) {
            if let Some(id) = at.as_index() {
                extents[id.0] = *extent;
            }
        }
        let mut operand_steps = vec![0_i64; loops];
        let mut stride = 1_i64;
        for (at, extent) in coordinates.iter().zip(&shape).rev() {
            for (id, factor) in &at.terms {
                operand_steps[id.0] =
                    operand_steps[id.0].checked_add(factor.checked_mul(stride)?)?;
            }
            stride = stride.checked_mul(*extent)?;
        }
        steps.push(operand_steps);
    }
    let (inputs, outputs) = steps.split_at(steps.len().checked_sub(op.result_count())?);
    let chosen = (0..loops).filter(|id| {
        !is_reduced(*id)
            && extents[*id] >= FEWEST
            && outputs.iter().all(|steps| steps[*id] == 1)
            && inputs
                .iter()
                .all(|steps| (0..=LARGEST_STEP).contains(&steps[*id]))
    });
    chosen.max_by_key(|id| extents[*id]).map(LoopId)
}

/// Puts a loop after all others, which keep their order.
fn move_innermost<'p>(run: &'p PassRun<'p>, op: Op<'p>, chosen: LoopId) {
    let context = run.context();
    let iterators = attr::elements(op.attribute("iterator_types").expect("it was read"));
    let mut order: Vec<usize> = (0..iterators.len()).filter(|id| *id != chosen.0).collect();
    order.push(chosen.0);
    let places: Vec<AffineExpr<'p>> = (0..order.len())
        .map(|id| {
            let place = order.iter().position(|old| *old == id);
            AffineExpr::dim(context, place.expect("the order has every loop"))
        })
        .collect();
    let renumbered = AffineMap::new(context, order.len(), 0, &places);
    let maps = attr::elements(op.attribute("indexing_maps").expect("it was read"));
    let maps: Vec<Attribute<'p>> = maps
        .into_iter()
        .map(|map| {
            let map = ir::affine_map_value(map).expect("it was read");
            let results: Vec<AffineExpr<'p>> = (0..map.result_count())
                .map(|at| {
                    let result = map.result(at).expect("the number is below the count");
                    result.compose(renumbered)
                })
                .collect();
            ir::affine_map_attribute(AffineMap::new(context, order.len(), 0, &results))
        })
        .collect();
    let iterators: Vec<Attribute<'p>> = order.iter().map(|id| iterators[*id]).collect();
    ir::set_attribute(
        op,
        "indexing_maps",
        ArrayAttribute::new(context, &maps).into(),
    );
    ir::set_attribute(
        op,
        "iterator_types",
        ArrayAttribute::new(context, &iterators).into(),
    );
}
