//! `--spyre-simplify-views`: writes views in the forms that layouts have rules for.
//!
//! If a reshape changes one group of dimensions, the layout of its result follows from that of the tensor, or from that of a copy
//! with a dimension outside of the group on the stick. A reshape of several groups at once may have no dimension
//! outside of all of them, so it becomes one reshape after the other. A window that drops dimensions of extent 1
//! becomes a window and a reshape. Upstream's folders turn a view of a constant into an `arith.constant`, which becomes
//! a `spyre.fill` again.

mod rank_zero;

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Type, ValueLike};
use spyre_analysis::dynamic::declared;
use spyre_analysis::kinds::is_fill;
use spyre_analysis::tensor::{TensorType, TensorTypes, tile_layout};
use spyre_analysis::view::{View, is_view};
use spyre_analysis::walk::device_ops;
use spyre_dialects::attr;
use spyre_dialects::device_op::EmptyOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Offset, Op, OpKind, Val, Window};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{OpBuilder, arith, func, spyre};

use super::relayout::build_reshape;

const NAME: &str = "spyre-simplify-views";

/// `--spyre-simplify-views`
pub static SIMPLIFY_VIEWS: RustPass = RustPass {
    argument: NAME,
    summary: "Write reshapes and windows in the forms that layouts have rules for",
    description: r#"
Views that do several things at once become several views:

* a `tensor.collapse_shape` or `tensor.expand_shape` of several groups of dimensions
  becomes one for each group, because a copy that makes a reshape free needs a
  dimension for the stick that the reshape leaves alone;
* a `tensor.extract_slice` of another one is one of the whole tensor, in a function with
  a dynamic extent: in a loop over its tiles it takes a tile, and only that tile moves;
* a `tensor.extract_slice` that drops dimensions of extent 1 becomes a window of all
  dimensions and a `tensor.collapse_shape`, and a `tensor.insert_slice` that adds
  them a `tensor.expand_shape` and a window.

A cast between 16 and 32 bits runs over whole sticks of both formats (contract, K36), so a
tensor without dimensions is cast as one of a dimension, which can be on a stick.

An `arith.constant` tensor of one value becomes a `spyre.fill`, and a public function
that returns tensors without an operation on the device copies them, so that it has
an operation to run.

No view moves data. Views of dynamic extent stay as they are, and so do views with
layouts in their types that do not follow through the views between.

```mlir
// before
%p = tensor.collapse_shape %x [[0, 1], [2, 3]] : tensor<14x14x3x256xf16> into tensor<196x768xf16>
%r = tensor.extract_slice %p[195, 0] [1, 768] [1, 1] : tensor<196x768xf16> to tensor<768xf16>
// after
%q = tensor.collapse_shape %x [[0], [1], [2, 3]] : tensor<14x14x3x256xf16> into tensor<14x14x768xf16>
%p = tensor.collapse_shape %q [[0, 1], [2]] : tensor<14x14x768xf16> into tensor<196x768xf16>
%w = tensor.extract_slice %p[195, 0] [1, 768] [1, 1] : tensor<196x768xf16> to tensor<1x768xf16>
%r = tensor.collapse_shape %w [[0, 1]] : tensor<1x768xf16> into tensor<768xf16>
```
"#,
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "views",
        description: "Views that became several",
    }],
    dialects: || {
        vec![
            spyre_dialects::spyre_dialect(),
            melior::dialect::DialectHandle::tensor(),
        ]
    },
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let Some(body) = ir::function_body(run.operation()) else {
        return Ok(());
    };
    let mut views = Vec::new();
    let mut constants = Vec::new();
    collect(body, &mut views, &mut constants);
    let types = TensorTypes::new(run.context());
    let simplifier = Simplifier {
        run,
        types,
        has_open: declared(run.operation()).next().is_some(),
    };
    let mut changed = false;
    for op in constants {
        changed |= simplifier
            .constant(op)
            .map_err(|err| Diagnostic::error(op.location(), format!("{NAME}: {err}")))?;
    }
    for op in device_ops(body) {
        changed |= rank_zero::cast(&simplifier, op)
            .map_err(|err| Diagnostic::error(op.op().location(), format!("{NAME}: {err}")))?;
    }
    for op in views {
        if simplifier
            .simplify(op)
            .map_err(|err| Diagnostic::error(op.location(), format!("{NAME}: {err}")))?
        {
            run.count("views", 1);
            changed = true;
        }
    }
    if is_public(run.operation()) && has_only_views(body) {
        changed |= simplifier.copy_results(body).map_err(|err| {
            Diagnostic::error(run.operation().location(), format!("{NAME}: {err}"))
        })?;
    }
    if !changed {
        run.preserve_analyses();
    }
    Ok(())
}

/// Returns whether a function has no operations that compute, on the device or elsewhere.
fn has_only_views(block: Blk<'_>) -> bool {
    device_ops(block).is_empty()
        && ir::operations(block).all(|op| match ir::kind(op) {
            OpKind::For => ir::body(op).is_none_or(has_only_views),
            OpKind::Other | OpKind::TensorDim => {
                is_view(op) || is_fill(op) || EmptyOp::cast(op).is_some()
            }
            _ => true,
        })
}

fn is_public(function: Op<'_>) -> bool {
    let visibility = ir::attribute(function, "sym_visibility");
    visibility
        .and_then(attr::string)
        .is_none_or(|visibility| visibility == "public")
}

fn collect<'p>(block: Blk<'p>, views: &mut Vec<Op<'p>>, constants: &mut Vec<Op<'p>>) {
    for op in ir::operations(block) {
        match ir::kind(op) {
            OpKind::For => {
                if let Some(body) = ir::body(op) {
                    collect(body, views, constants);
                }
            }
            OpKind::Other if ir::name(op) == arith::CONSTANT => constants.push(op),
            OpKind::ExtractSlice
            | OpKind::InsertSlice
            | OpKind::ExpandShape
            | OpKind::CollapseShape => views.push(op),
            _ => {}
        }
    }
}

/// The type of a view's result; `None` if the result has no layout that follows from the source's.
type Typed<'p> = Option<Type<'p>>;

struct Simplifier<'p> {
    run: &'p PassRun<'p>,
    types: TensorTypes<'p>,
    /// Whether the function has a dynamic extent.
    has_open: bool,
}

impl<'p> Simplifier<'p> {
    /// Replaces a view by several views. Returns whether the view needs it.
    fn simplify(&self, op: Op<'p>) -> Result<bool, String> {
        let is_static = |value: Val<'p>| self.types.get(value.r#type()).is_ok();
        let result: Val<'p> = op.result(0).map_err(|err| err.to_string())?.into();
        if !op
            .operands()
            .filter(|value| ir::is_ranked_tensor(value.r#type()))
            .all(is_static)
            || !is_static(result)
        {
            return Ok(false);
        }
        let replacement = match ir::kind(op) {
            OpKind::ExtractSlice => match self.window_of_window(op, result) {
                Some(replacement) => Some(replacement),
                None => self.extraction(op, result)?,
            },
            OpKind::InsertSlice => self.insertion(op)?,
            _ => self.reshape(op, result)?,
        };
        let Some(replacement) = replacement else {
            return Ok(false);
        };
        ir::replace_all_uses(result, replacement);
        let source = ir::operand(op, 0).and_then(ir::defining_op);
        ir::erase(op);
        // A window without other uses is erased.
        if let Some(source) = source.filter(|source| ir::kind(*source) == OpKind::ExtractSlice)
            && ir::results(source).all(|result| ir::uses(result).is_empty())
        {
            ir::erase(source);
        }
        Ok(true)
    }

    /// Replaces a constant tensor of one value by a `spyre.fill`. Returns whether the operation is such a constant.
    fn constant(&self, op: Op<'p>) -> Result<bool, String> {
        let result: Val<'p> = op.result(0).map_err(|err| err.to_string())?.into();
        let value = op.attribute("value").map_err(|err| err.to_string())?;
        if !ir::is_ranked_tensor(result.r#type()) || attr::splat(value).is_none() {
            return Ok(false);
        }
        let build = OpBuilder::before(self.run.context(), op);
        let fill = build.op(spyre::fill(value), result.r#type());
        ir::replace_all_uses(result, fill);
        ir::erase(op);
        Ok(true)
    }

    /// Copies the tensors that a function returns. Returns whether there are any.
    fn copy_results(&self, body: Blk<'p>) -> Result<bool, String> {
        let end = body.terminator().expect("a function has a terminator");
        let returned: Vec<Val<'p>> = end.operands().collect();
        let mut changed = false;
        for (index, value) in returned.into_iter().enumerate() {
            if self.types.get(value.r#type()).is_err() {
                continue;
            }
            let copy = OpBuilder::before(self.run.context(), end).same(spyre::copy(value));
            ir::set_operand(end, index, copy);
            changed = true;
        }
        Ok(changed)
    }

    /// Builds a window of a window as a window of the whole tensor; `None` for other operations, and if both windows have offsets
    /// along a dimension that would have to be added.
    fn window_of_window(&self, op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
        let source = ir::operand(op, 0).and_then(ir::defining_op);
        let source =
            source.filter(|source| self.has_open && ir::kind(*source) == OpKind::ExtractSlice)?;
        let whole = ir::operand(source, 0)?;
        let (inner, outer) = (ir::window(op)?, ir::window(source)?);
        let ranks = [whole, result].map(|value| self.types.get(value.r#type()).ok());
        let rank = inner.sizes.len();
        let keeps_rank = outer.sizes.len() == rank
            && ranks.iter().flatten().all(|ty| ty.shape().len() == rank)
            && ranks.iter().all(Option::is_some);
        if !keeps_rank {
            return None;
        }
        let offsets = inner.offsets.iter().zip(&outer.offsets);
        let offsets = offsets.map(|pair| match pair {
            (Offset::Static(a), Offset::Static(b)) => a.checked_add(*b).map(Offset::Static),
            (Offset::Static(0), other) | (other, Offset::Static(0)) => Some(*other),
            _ => None,
        });
        let window = Window {
            offsets: offsets.collect::<Option<_>>()?,
            sizes: inner.sizes,
        };
        let at = At::Before(op);
        Some(ir::build_extract_slice(
            at,
            op.location(),
            result.r#type(),
            whole,
            &window,
        ))
    }

    /// Builds a window that drops dimensions as a window and a reshape. Returns `None` for a window that stays as it is.
    fn extraction(&self, op: Op<'p>, result: Val<'p>) -> Result<Option<Val<'p>>, String> {
        let (Some(window), Ok(source)) = (ir::window(op), op.operand(0)) else {
            return Ok(None);
        };
        let of = self.types.get(source.r#type())?;
        let small = self.types.get(result.r#type())?;
        if window.sizes.len() == small.shape().len() {
            return Ok(None);
        }
        let sizes = extents(&window)?;
        let groups = dropped(&sizes, small.shape())
            .ok_or("the result is not the window without dimensions of extent 1")?;
        let view = View::Collapse(groups);
        // Without a layout of the result, that of the source is no reason for one between: a copy may be.
        let whole = match small.has_layout {
            false => plain(&of, &sizes),
            true => match self.tile(&of, &sizes)? {
                Some(whole) if self.leads_to(&view, whole, &small)? => whole,
                _ => return Ok(None),
            },
        };
        let at = At::Before(op);
        let tile = ir::build_extract_slice(at, op.location(), whole, source, &window);
        let context = self.run.context();
        build_reshape(context, at, op.location(), &view, tile, result.r#type()).map(Some)
    }

    /// Builds the insertion of a tensor with fewer dimensions than its window as a reshape and an insertion. Returns `None` for
    /// an insertion that stays as it is.
    fn insertion(&self, op: Op<'p>) -> Result<Option<Val<'p>>, String> {
        let (Some(window), Ok(tile), Ok(into)) = (ir::window(op), op.operand(0), op.operand(1))
        else {
            return Ok(None);
        };
        let small = self.types.get(tile.r#type())?;
        if window.sizes.len() == small.shape().len() {
            return Ok(None);
        }
        let sizes = extents(&window)?;
        let groups = dropped(&sizes, small.shape())
            .ok_or("what is inserted is not the window without dimensions of extent 1")?;
        let view = View::Expand(groups);
        let Some(whole) = self.through(&view, &small, &sizes)? else {
            return Ok(None);
        };
        let at = At::Before(op);
        let context = self.run.context();
        let tile = build_reshape(context, at, op.location(), &view, tile, whole)?;
        Ok(Some(ir::build_insert_slice(
            at,
            op.location(),
            tile,
            into,
            &window,
        )))
    }

    /// Builds a reshape of several groups as one reshape for each. Returns `None` for a reshape that stays as it is.
    fn reshape(&self, op: Op<'p>, result: Val<'p>) -> Result<Option<Val<'p>>, String> {
        let source = op.operand(0).map_err(|err| err.to_string())?;
        let (of, to) = (
            self.types.get(source.r#type())?,
            self.types.get(result.r#type())?,
        );
        let view = View::of(op)?;
        let steps = steps(&view, of.shape(), to.shape());
        if steps.len() < 2 {
            return Ok(None);
        }
        // The types between are computed before the first operation is built.
        let mut types = vec![source.r#type()];
        for (step, shape) in &steps {
            let from = types.last().expect("the source is the first");
            let from = self.types.get(*from)?;
            let typed = match to.has_layout {
                false => Some(plain(&from, shape)),
                true => self.through(step, &from, shape)?,
            };
            match typed {
                Some(ty) => types.push(ty),
                None => return Ok(None),
            }
        }
        if to.has_layout && types.last() != Some(&to.ty) {
            return Ok(None);
        }
        *types.last_mut().expect("the source is the first") = to.ty;
        let mut value = source;
        for ((step, _), ty) in steps.iter().zip(types.into_iter().skip(1)) {
            let at = At::Before(op);
            value = build_reshape(self.run.context(), at, op.location(), step, value, ty)?;
        }
        Ok(Some(value))
    }

    /// Returns the type of a window of a tensor.
    fn tile(&self, of: &TensorType<'p>, shape: &[u64]) -> Result<Typed<'p>, String> {
        if !of.has_layout {
            return Ok(Some(plain(of, shape)));
        }
        let layout = tile_layout(&of.device, shape)?;
        Ok(self
            .types
            .with_layout(shape, of.element, &layout)
            .ok()
            .map(|ty| ty.ty))
    }

    /// Returns the type of a reshape of a tensor.
    fn through(
        &self,
        view: &View,
        of: &TensorType<'p>,
        shape: &[u64],
    ) -> Result<Typed<'p>, String> {
        if !of.has_layout {
            return Ok(Some(plain(of, shape)));
        }
        let Ok(layout) = view.layout(&of.device, shape) else {
            return Ok(None);
        };
        Ok(self
            .types
            .with_layout(shape, of.element, &layout)
            .ok()
            .map(|ty| ty.ty))
    }

    /// Returns whether a reshape of a type has the type of an existing value.
    fn leads_to(&self, view: &View, of: Type<'p>, result: &TensorType<'p>) -> Result<bool, String> {
        let of = self.types.get(of)?;
        let ty = self.through(view, &of, result.shape())?;
        Ok(ty == Some(result.ty))
    }
}

/// Returns the tensor type with the element type of a tensor, in a shape, without a layout.
fn plain<'p>(of: &TensorType<'p>, shape: &[u64]) -> Type<'p> {
    RankedTensorType::new(shape, of.element, None).into()
}

fn extents(window: &Window<'_>) -> Result<Vec<u64>, String> {
    let sizes = window.sizes.iter().map(|size| u64::try_from(*size));
    sizes
        .collect::<Result<_, _>>()
        .map_err(|err| err.to_string())
}

/// Returns the dimensions of a window that become each dimension of a tensor without some of extent 1; `None` if the shapes
/// differ in another way.
fn dropped(window: &[u64], shape: &[u64]) -> Option<Vec<Vec<usize>>> {
    let mut groups: Vec<Vec<usize>> = Vec::with_capacity(shape.len());
    let mut leading = Vec::new();
    for (dim, extent) in window.iter().enumerate() {
        let next = shape.get(groups.len());
        if next == Some(extent) {
            let mut group = std::mem::take(&mut leading);
            group.push(dim);
            groups.push(group);
        } else if *extent != 1 {
            return None;
        } else if let Some(group) = groups.last_mut() {
            group.push(dim);
        } else {
            leading.push(dim);
        }
    }
    // A tensor of rank 0 has no groups: all dimensions are of extent 1.
    (groups.len() == shape.len()).then_some(groups)
}

/// Returns a reshape as one step for each group that it changes, with the shapes that the steps lead to; empty if it changes
/// fewer than two groups.
fn steps(view: &View, of: &[u64], to: &[u64]) -> Vec<(View, Vec<u64>)> {
    let (groups, large, small, is_collapse) = match view {
        View::Collapse(groups) => (groups, of, to, true),
        View::Expand(groups) => (groups, to, of, false),
        View::Permute(_) => return Vec::new(),
    };
    let is_changed = |group: &Vec<usize>| {
        group
            .iter()
            .filter(|dim| large.get(**dim).is_some_and(|extent| *extent != 1))
            .count()
            > 1
    };
    let changed: Vec<usize> = (0..groups.len())
        .filter(|at| is_changed(&groups[*at]))
        .collect();
    if changed.len() < 2 {
        return Vec::new();
    }
    // From the small shape to the large one, the groups in order; a group that is not changed comes with the last one.
    let mut shapes = vec![small.to_vec()];
    let mut expansions: Vec<Vec<Vec<usize>>> = Vec::new();
    for (nth, _) in changed.iter().enumerate() {
        let is_last = nth + 1 == changed.len();
        let is_done = |at: usize| changed[..nth].contains(&at);
        let is_next = |at: usize| at == changed[nth] || is_last && !changed.contains(&at);
        let mut shape = Vec::new();
        let mut expansion = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            let parts: Vec<u64> = group.iter().map(|dim| large[*dim]).collect();
            if is_done(at) {
                for part in parts {
                    expansion.push(vec![shape.len()]);
                    shape.push(part);
                }
            } else if is_next(at) {
                expansion.push((shape.len()..shape.len() + parts.len()).collect());
                shape.extend(parts);
            } else {
                expansion.push(vec![shape.len()]);
                shape.push(small[at]);
            }
        }
        shapes.push(shape);
        expansions.push(expansion);
    }
    if !is_collapse {
        let steps = expansions.into_iter().map(View::Expand);
        return steps.zip(shapes.into_iter().skip(1)).collect();
    }
    shapes.pop();
    let steps = expansions.into_iter().rev().map(View::Collapse);
    steps.zip(shapes.into_iter().rev()).collect()
}

#[cfg(test)]
mod tests {
    use super::{View, dropped, steps};

    #[test]
    fn groups_come_one_after_the_other() {
        let groups = vec![vec![0, 1], vec![2], vec![3, 4]];
        let collapse = View::Collapse(groups.clone());
        let result = steps(&collapse, &[14, 14, 3, 16, 16], &[196, 3, 256]);
        assert_eq!(
            result,
            [
                (
                    View::Collapse(vec![vec![0], vec![1], vec![2], vec![3, 4]]),
                    vec![14, 14, 3, 256]
                ),
                (
                    View::Collapse(vec![vec![0, 1], vec![2], vec![3]]),
                    vec![196, 3, 256]
                ),
            ]
        );
        let result = steps(&View::Expand(groups), &[196, 3, 256], &[14, 14, 3, 16, 16]);
        assert_eq!(result[0].1, [14, 14, 3, 256]);
        assert_eq!(result[1].1, [14, 14, 3, 16, 16]);
    }

    #[test]
    fn one_group_stays_one_reshape() {
        let groups = vec![vec![0, 1], vec![2, 3]];
        assert!(steps(&View::Collapse(groups), &[4, 8, 1, 64], &[32, 64]).is_empty());
    }

    #[test]
    fn dropped_dimensions_join_their_neighbours() {
        assert_eq!(dropped(&[1, 64, 1], &[64]), Some(vec![vec![0, 1, 2]]));
        assert_eq!(
            dropped(&[4, 1, 64], &[4, 64]),
            Some(vec![vec![0, 1], vec![2]])
        );
        assert_eq!(dropped(&[1, 1], &[]), Some(Vec::new()));
        assert_eq!(dropped(&[4, 2], &[4]), None);
    }
}
