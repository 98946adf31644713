//! Candidates for views: the same bytes under other coordinates. A view has the layout that follows from that
//! of its source, and where none follows the source is restickified first.

use std::rc::Rc;

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_layout::{Arrangement, DeviceTensor, Elements, Layout};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Offset, Op, OpKind, Window};

use super::analysis::Candidate;
use super::build::{Builder, Choice, Fit, Given, exactly, same_or_copy};
use super::restick;
use crate::view::{View, WINDOW_NEEDS};

/// What a view does to coordinates.
enum Kind<'p> {
    View(View),
    Slice(Window<'p>),
}

/// The candidates of a view's result, as far as `given` allows them. For an insertion, those of the tensor that
/// is inserted into.
///
/// # Errors
/// The view has no layout whatever its source has.
pub fn choices<'p>(
    builder: &Builder<'_, 'p>,
    op: Op<'p>,
    given: &Given<'p>,
) -> Result<Vec<Choice<'p>>, Diagnostic<'p>> {
    let error = |why: String| builder.error(op, why);
    if ir::kind(op) == OpKind::InsertSlice {
        return insertion(builder, op, given);
    }
    let kind = kind(op).map_err(error)?;
    let source = op.operand(0).map_err(|why| error(why.to_string()))?;
    let found = builder.candidates(op, source)?;
    let result = op.result(0).map_err(|why| error(why.to_string()))?;
    let shape = builder
        .types
        .get(result.r#type())
        .map_err(error)?
        .shape()
        .to_vec();
    kind.check_rank(&shape).map_err(error)?;
    let view = |source: &Candidate<'p>| -> Result<Candidate<'p>, String> {
        let layout = kind.layout(&source.device, &shape)?;
        builder.types.with_layout(&shape, source.element, &layout)
    };
    let allows = |ty: &Candidate<'p>| match given {
        // A window has the layout of its tensor, but for padding.
        Given::Layout(wanted) => matches!(same_or_copy(ty, wanted), Fit::Met),
        _ => given.allows(ty),
    };

    let mut choices: Vec<(Candidate<'p>, Candidate<'p>)> = Vec::new();
    let mut refused = None;
    for source in found {
        match view(source) {
            Ok(ty) if allows(&ty) => choices.push((Rc::clone(source), ty)),
            Ok(ty) => {
                let layout = ty.device.layout();
                refused = refused.or(Some(format!(
                    "the layout that follows from the source is {layout} and not the one given; leave it out, or \
                     restickify the source so that the one given follows"
                )));
            }
            Err(why) => refused = refused.or(Some(format!("{why}; {}", kind.help()))),
        }
    }
    if choices.is_empty() {
        choices = others(builder, found)
            .filter_map(|source| Some((Rc::clone(&source), view(&source).ok()?)))
            .filter(|(_, ty)| allows(ty))
            .collect();
    }
    if choices.is_empty() {
        let why = refused.unwrap_or_else(|| "the source has no layout".to_owned());
        return Err(error(why).note(source.location(), "the source of the view is made here"));
    }
    Ok(choices
        .into_iter()
        .map(|(source, ty)| Choice {
            fits: vec![found.iter().map(|found| exactly(found, &source)).collect()],
            ty: match given {
                Given::Layout(given) => Rc::clone(given),
                _ => ty,
            },
        })
        .collect())
}

/// The source with other dimensions on the stick: those of whole sticks, and the rest only if there are none
/// (middle-end specification, section 2.5).
fn others<'b, 'p>(
    builder: &'b Builder<'_, 'p>,
    found: &[Candidate<'p>],
) -> impl Iterator<Item = Candidate<'p>> + use<'b, 'p> {
    let first = found.first().map(Rc::clone);
    let mut dims = Vec::new();
    if let Some(source) = &first {
        let elements = source.device.format().elements_per_stick();
        let long = |dim: &usize| source.shape().get(*dim).is_some_and(|extent| *extent > 1);
        let whole = |dim: &usize| {
            let extent = source.shape().get(*dim).copied().unwrap_or(1);
            Elements(extent).is_multiple_of(elements)
        };
        let all = 0..source.shape().len();
        dims = all.clone().filter(long).filter(whole).collect();
        if dims.is_empty() {
            dims = all.filter(long).collect();
        }
    }
    dims.into_iter().filter_map(move |dim| {
        let source = first.as_ref()?;
        restick::default_with_stick(
            builder.types,
            source.shape(),
            source.element,
            source.device.format(),
            Some(dim),
            Arrangement::Standard,
        )
        .ok()
    })
}

/// A tensor with a window written has the layout that it had; what is written has it too.
fn insertion<'p>(
    builder: &Builder<'_, 'p>,
    op: Op<'p>,
    given: &Given<'p>,
) -> Result<Vec<Choice<'p>>, Diagnostic<'p>> {
    let error = |why: String| builder.error(op, why);
    let window = ir::window(op).ok_or_else(|| error(format!("the window {WINDOW_NEEDS}")))?;
    let operand = |index| op.operand(index).map_err(|why| error(why.to_string()));
    let (tile, into) = (operand(0)?, operand(1)?);
    let tiles = builder.candidates(op, tile)?;
    let found = builder.candidates(op, into)?;
    let shape = tiles.first().map_or(&[][..], |ty| ty.shape());
    let kind = Kind::Slice(window);
    kind.check_rank(shape).map_err(error)?;
    let mut choices = Vec::new();
    let mut refused = None;
    for (own, ty) in found.iter().enumerate() {
        let written = kind
            .layout(&ty.device, shape)
            .and_then(|layout| kind.check_sticks(&ty.device).map(|()| layout))
            .and_then(|layout| builder.types.with_layout(shape, ty.element, &layout));
        match written {
            Ok(written) if given.allows(ty) => choices.push(Choice {
                ty: Rc::clone(ty),
                fits: vec![
                    tiles
                        .iter()
                        .map(|tile| same_or_copy(tile, &written))
                        .collect(),
                    (0..found.len())
                        .map(|other| {
                            if own == other {
                                Fit::Met
                            } else {
                                Fit::Never("has another layout than the result".to_owned())
                            }
                        })
                        .collect(),
                ],
            }),
            Ok(_) => {}
            Err(why) => refused = refused.or(Some(format!("{why}; {}", kind.help()))),
        }
    }
    if choices.is_empty() {
        let why = refused.unwrap_or_else(|| {
            "the result has a layout that the tensor which is inserted into cannot have".to_owned()
        });
        return Err(error(why).note(
            into.location(),
            "the tensor that is inserted into is made here",
        ));
    }
    Ok(choices)
}

fn kind<'p>(op: Op<'p>) -> Result<Kind<'p>, String> {
    if ir::kind(op) != OpKind::ExtractSlice {
        return View::of(op).map(Kind::View);
    }
    ir::window(op)
        .map(Kind::Slice)
        .ok_or_else(|| format!("the slice {WINDOW_NEEDS}"))
}

impl Kind<'_> {
    /// The layout of the view of a tensor, for the shape of the view.
    fn layout(&self, source: &DeviceTensor, shape: &[u64]) -> Result<Layout, String> {
        match self {
            Self::View(view) => view.layout(source, shape),
            Self::Slice(window) => slice(source, window, shape),
        }
    }

    /// Refuses a window that starts inside a stick, or ends there where the tensor goes on.
    fn check_sticks(&self, source: &DeviceTensor) -> Result<(), String> {
        let Self::Slice(window) = self else {
            return Ok(());
        };
        let Some(dim) = source.layout().stick_dim() else {
            return Ok(());
        };
        let (Some(Offset::Static(offset)), Some(size)) =
            (window.offsets.get(dim), window.sizes.get(dim))
        else {
            return Ok(());
        };
        let per_stick = source.format().elements_per_stick().get().cast_signed();
        let extent = source
            .shape()
            .get(dim)
            .map_or(0, |extent| extent.cast_signed());
        let end = offset.saturating_add(*size);
        if offset % per_stick == 0 && (end % per_stick == 0 || end == extent) {
            return Ok(());
        }
        Err(format!(
            "elements {offset} to {end} of dimension {dim} are no whole sticks of {per_stick} elements"
        ))
    }

    /// Refuses a window of which dimensions are dropped.
    fn check_rank(&self, shape: &[u64]) -> Result<(), String> {
        match self {
            Self::Slice(window) if window.sizes.len() != shape.len() => Err(format!(
                "the window of rank {} is taken as a tensor of rank {}, which has no layout: keep the dimensions of \
                 extent 1, and change the rank with tensor.collapse_shape or tensor.expand_shape",
                window.sizes.len(),
                shape.len()
            )),
            _ => Ok(()),
        }
    }

    fn help(&self) -> &'static str {
        match self {
            Self::View(View::Permute(_)) => "spyre.restickify the source before the permutation",
            Self::View(View::Expand(_) | View::Collapse(_)) => {
                "a reshape moves nothing, so it has to nest with the layout of its source: reshape dimensions that \
                 are whole sticks, or restickify the source so that another dimension is on the stick"
            }
            Self::Slice(_) => {
                "a window starts and ends with whole sticks: move it, or restickify the source so that another \
                 dimension is on the stick"
            }
        }
    }
}

/// A window has the layout of its tensor, but for explicit padding, which belongs to the whole.
fn slice(source: &DeviceTensor, window: &Window<'_>, shape: &[u64]) -> Result<Layout, String> {
    for (dim, offset) in window.offsets.iter().enumerate() {
        let (Some(size), Some(extent)) = (shape.get(dim), source.shape().get(dim)) else {
            continue;
        };
        match *offset {
            Offset::Value(_) => source
                .check_whole_sticks(dim, Elements(*size))
                .map_err(|why| why.to_string())?,
            Offset::Static(start) => {
                let start = u64::try_from(start)
                    .map_err(|_| format!("the window starts at {start} in dimension {dim}"))?;
                let per_stick = source.stick_extent(dim);
                let end = start.saturating_add(*size);
                let cuts = |at: u64| !Elements(at).is_multiple_of(per_stick);
                if cuts(start) || (end < *extent && cuts(end)) {
                    return Err(format!(
                        "the window covers [{start}, {end}) of dimension {dim}, which is on the stick, {per_stick} at a \
                         time"
                    ));
                }
            }
        }
    }
    crate::tensor::tile_layout(source, shape)
}
