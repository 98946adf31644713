//! Candidates for views, which are the same bytes under other coordinates. A view has the layout that follows from that of its
//! source. If none follows, the source is restickified first.

use std::rc::Rc;

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_layout::{Arrangement, DeviceTensor, Elements, Layout};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Offset, Op, OpKind, Window};

use super::analysis::Candidate;
use super::build::{Builder, Choice, Fit, Given, copied, is_alike, same_or_copy};
use super::restick;
use crate::view::{View, WINDOW_NEEDS};

/// The change of coordinates that a view makes.
enum Kind<'p> {
    View(View),
    Slice(Window<'p>),
}

/// A layout of a view's result, made from a layout of its source.
struct Way<'p> {
    /// The layout of the source.
    source: Candidate<'p>,
    /// The view of its buffer that the source is.
    from: spyre_layout::View,
    /// The layout of the result.
    result: Candidate<'p>,
    /// The view of the source's buffer that the result is.
    view: spyre_layout::View,
    /// Whether the source has to be made or copied in that layout, so that it is all of a buffer.
    is_fresh: bool,
}

/// Returns the candidates of a view's result that `given` allows. For an insertion, they are those of the tensor that is inserted
/// into.
///
/// The result has the layout that follows from a layout of the source. If operations can read none of these, the source is first
/// copied to a layout from which one follows that they can read, with any dimension on the stick.
///
/// # Errors
/// The view has no layout whatever its source has.
pub(super) fn choices<'p>(
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
    let views = builder.views(op, source)?;
    let result = op.result(0).map_err(|why| error(why.to_string()))?;
    let shape = builder
        .types
        .get(result.r#type())
        .map_err(error)?
        .shape()
        .to_vec();
    kind.check_rank(&shape).map_err(error)?;
    let viewed = Viewed {
        builder,
        kind: &kind,
        found,
        shape: &shape,
    };

    let mut ways: Vec<Way<'p>> = Vec::new();
    let mut refused = None;
    for (source, from) in found.iter().zip(views) {
        match viewed.follow(source, from) {
            Ok(way) if allows(given, &way.result) => ways.push(way),
            Ok(way) => {
                let layout = way.result.device.layout();
                refused = refused.or(Some(format!(
                    "the layout that follows from the source is {layout} and not the one given; leave it out, or \
                     restickify the source so that the one given follows"
                )));
            }
            Err(why) => refused = refused.or(Some(format!("{why}; {}", kind.help()))),
        }
    }
    let is_read = |way: &Way<'p>| way.view.operand_coords().is_ok();
    // Few operations read a tensor with one element in each stick, and most copies of it would have too many device dimensions.
    let is_filled = |way: &Way<'p>| way.result.device.layout().stick_dim().is_some();
    // Whatever layout is chosen for the source, the view has one that operations read.
    let leads_on = |(ty, view): (&Candidate<'p>, &spyre_layout::View)| {
        ways.iter().any(|way| {
            is_read(way) && is_filled(way) && !matches!(way.fit(ty, view), Fit::Never(_))
        })
    };
    let all_lead_on = found.iter().zip(views).all(leads_on);
    if builder.unwritten(source) > Elements(0) {
        // A copy would read elements that nobody has written.
    } else if let Some(given) = given.types() {
        let others = given.iter().filter_map(|ty| viewed.leading_to(ty));
        ways.extend(others.filter(|way| allows_one(given, &way.result)));
        if ways.is_empty() {
            // The given layout was chosen with a copy of the source in front.
            let sticks = (0..viewed.sticks()).map(Some).chain([None]);
            let others = sticks.filter_map(|stick| viewed.with_stick(stick));
            ways.extend(others.filter(|way| allows_one(given, &way.result)));
        }
    } else if !all_lead_on {
        let with_stick = |stick| viewed.with_stick(stick).filter(is_read);
        let others: Vec<_> = (0..viewed.sticks())
            .filter_map(|dim| with_stick(Some(dim)))
            .collect();
        // One element in each stick is the way out if no dimension can be on the stick.
        let is_sparse_left = others.is_empty() && !ways.iter().any(is_read);
        let sparse = is_sparse_left.then(|| with_stick(None)).flatten();
        for way in others.into_iter().chain(sparse) {
            let is_known = ways
                .iter()
                .any(|known| known.result.ty == way.result.ty && known.source.ty == way.source.ty);
            if !is_known {
                ways.push(way);
            }
        }
    }
    if ways.is_empty() {
        let why = refused.unwrap_or_else(|| "the source has no layout".to_owned());
        return Err(error(why).note(source.location(), "the source of the view is made here"));
    }
    Ok(ways
        .into_iter()
        .map(|way| {
            let seen = found.iter().zip(views);
            let fits = seen.map(|(ty, view)| way.fit(ty, view));
            Choice {
                fits: vec![fits.collect()],
                ty: match given {
                    Given::Layout(given) => Rc::clone(given),
                    _ => way.result,
                },
                view: way.view,
            }
        })
        .collect())
}

/// Returns the view of the buffer behind it that a decided view is; `None` for an insertion, or if the view does not follow.
pub(super) fn of_decided<'p>(
    op: Op<'p>,
    source: &spyre_layout::View,
    ty: &Candidate<'p>,
) -> Option<spyre_layout::View> {
    if ir::kind(op) == OpKind::InsertSlice {
        return None;
    }
    let kind = kind(op).ok()?;
    kind.check_rank(ty.shape()).ok()?;
    kind.view(source, ty.shape()).ok()
}

fn allows<'p>(given: &Given<'p>, ty: &Candidate<'p>) -> bool {
    given.types().is_none_or(|given| allows_one(given, ty))
}

/// Returns whether a layout is one of the given ones. Padding may differ, because a window has the layout of its tensor without
/// padding.
fn allows_one<'p>(given: &[Candidate<'p>], ty: &Candidate<'p>) -> bool {
    given.iter().any(|given| is_alike(ty, given))
}

impl<'p> Way<'p> {
    /// Returns the need of a source that has the layout `ty` and is `view` of its buffer.
    fn fit(&self, ty: &Candidate<'p>, view: &spyre_layout::View) -> Fit<'p> {
        if ty.ty == self.source.ty && *view == self.from {
            return Fit::Met;
        }
        // A copy is written in that layout, so the layout must be one in which results are written.
        if self.is_fresh
            || self.from == self.source.device.view() && self.from.check_result().is_ok()
        {
            return copied(ty, view, &self.source);
        }
        Fit::Never("is a window of another buffer".to_owned())
    }
}

/// A view whose result is to get a layout.
struct Viewed<'v, 't, 'p> {
    builder: &'v Builder<'t, 'p>,
    kind: &'v Kind<'p>,
    /// The layouts that the source may have.
    found: &'v [Candidate<'p>],
    /// The shape of the result.
    shape: &'v [u64],
}

impl<'p> Viewed<'_, '_, 'p> {
    /// Returns the layout of the result that follows from a layout of the source.
    fn follow(&self, source: &Candidate<'p>, from: &spyre_layout::View) -> Result<Way<'p>, String> {
        let layout = self.kind.layout(&source.device, self.shape)?;
        let result = self
            .builder
            .types
            .with_layout(self.shape, source.element, &layout)?;
        Ok(Way {
            source: Rc::clone(source),
            view: self.kind.view(from, self.shape)?,
            from: from.clone(),
            result,
            is_fresh: false,
        })
    }

    /// Returns whether a layout is chosen for the result, and that of the source follows from it; otherwise it is the other way
    /// round. The layout is chosen on the side where one dimension stands for several, so that those are neighbours in memory.
    fn is_chosen_behind(&self) -> bool {
        matches!(self.kind, Kind::View(View::Permute(_) | View::Collapse(_)))
    }

    /// Returns the number of dimensions that could be on the stick.
    fn sticks(&self) -> usize {
        if self.is_chosen_behind() {
            return self.shape.len();
        }
        self.found.first().map_or(0, |first| first.shape().len())
    }

    /// Returns the way with a dimension on the stick, or with one element in each stick for `None`, on the side where the layout
    /// is chosen. Returns `None` if there is no such way.
    fn with_stick(&self, stick: Option<usize>) -> Option<Way<'p>> {
        let first = self.found.first()?;
        let shape = match self.is_chosen_behind() {
            true => self.shape,
            false => first.shape(),
        };
        if stick.is_some_and(|stick| shape.get(stick).is_none_or(|extent| *extent == 1)) {
            return None;
        }
        let ty = restick::default_with_stick(
            self.builder.types,
            shape,
            first.element,
            first.device.format(),
            stick,
            Arrangement::Standard,
        );
        match self.is_chosen_behind() {
            true => self.leading_to(&ty.ok()?),
            false => self.made(&ty.ok()?),
        }
    }

    /// Returns the way with a layout of the source from which `result` follows; `None` if there is none.
    fn leading_to(&self, result: &Candidate<'p>) -> Option<Way<'p>> {
        let first = self.found.first()?;
        let layout = self
            .kind
            .source_layout(&result.device, first.shape())
            .ok()?;
        let types = self.builder.types;
        self.made(
            &types
                .with_layout(first.shape(), first.element, &layout)
                .ok()?,
        )
    }

    /// Returns the way with a source that is made in a layout; `None` if there is none. A source that may have that layout
    /// already, perhaps as a window of a buffer, is not such a source. The copy of it then has an explicit size, so that the two
    /// types differ.
    fn made(&self, source: &Candidate<'p>) -> Option<Way<'p>> {
        let mut source = Rc::clone(source);
        if self.found.iter().any(|found| found.ty == source.ty) {
            let size = source.device.device_size().to_vec();
            let layout = source.device.layout().clone().with_device_size(size).ok()?;
            let types = self.builder.types;
            source = types
                .with_layout(source.shape(), source.element, &layout)
                .ok()?;
        }
        let from = source.device.view();
        // The source is written in that layout.
        from.check_result().ok()?;
        let mut way = self.follow(&source, &from).ok()?;
        way.is_fresh = true;
        Some(way)
    }
}

/// Returns the choices for an insertion. A tensor with a window written keeps its layout, and the tile that is written has the
/// same one. If the window cannot be written in any layout that the tensor has, the tensor is copied to one where it can.
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
    let tile_views = builder.views(op, tile)?;
    let found = builder.candidates(op, into)?;
    let views = builder.views(op, into)?;
    let unwritten = builder.unwritten(into);
    let shape = tiles.first().map_or(&[][..], |ty| ty.shape());
    let kind = Kind::Slice(window);
    kind.check_rank(shape).map_err(error)?;
    let written = |ty: &Candidate<'p>, view: &spyre_layout::View| {
        kind.check_sticks(&ty.device)?;
        // The tensor may have to be copied first.
        view.operand_coords().map_err(|why| why.to_string())?;
        kind.view(view, shape)?
            .check_result()
            .map_err(|why| why.to_string())?;
        let layout = kind.layout(&ty.device, shape)?;
        builder.types.with_layout(shape, ty.element, &layout)
    };
    let choice = |ty: &Candidate<'p>, view: &spyre_layout::View, written: &Candidate<'p>| {
        Choice {
        ty: Rc::clone(ty),
        view: view.clone(),
        fits: vec![
            tiles
                .iter()
                .zip(tile_views)
                .map(|(tile, view)| same_or_copy(tile, view, written))
                .collect(),
            found
                .iter()
                .zip(views)
                .map(|(other, seen)| {
                    if other.ty == ty.ty && seen == view {
                        Fit::Met
                    } else if unwritten > Elements(0) {
                        Fit::Never(format!(
                            "has {unwritten} that nobody has written yet, and would have to be copied to another layout \
                             first; start from spyre.fill instead of spyre.empty, or leave its layout open"
                        ))
                    } else {
                        copied(other, seen, ty)
                    }
                })
                .collect(),
        ],
    }
    };
    let mut choices = Vec::new();
    let mut refused = None;
    for (ty, view) in found.iter().zip(views) {
        match written(ty, view) {
            Ok(written) if given.allows(ty) => choices.push(choice(ty, view, &written)),
            Ok(_) => {}
            Err(why) => refused = refused.or(Some(format!("{why}; {}", kind.help()))),
        }
    }
    let mut others: Vec<Candidate<'p>> = Vec::new();
    if let Some(given) = given.types() {
        others.extend(given.iter().map(Rc::clone));
    } else if choices.is_empty()
        && let Some(first) = found.first()
    {
        let dims = first.shape().iter().enumerate();
        let dims = dims.filter_map(|(dim, extent)| (*extent > 1).then_some(dim));
        let laid = dims.map(Some).chain([None]).filter_map(|stick| {
            let laid = restick::default_with_stick(
                builder.types,
                first.shape(),
                first.element,
                first.device.format(),
                stick,
                Arrangement::Standard,
            );
            laid.ok()
        });
        others.extend(laid);
    }
    for ty in others {
        let view = ty.device.view();
        let is_known = choices
            .iter()
            .any(|known: &Choice<'p>| known.ty.ty == ty.ty);
        if !is_known && let Ok(written) = written(&ty, &view) {
            choices.push(choice(&ty, &view, &written));
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

/// Checks that windows of `size` elements, one after the other, are at equal distances in memory: a loop moves by one distance.
fn check_distances(source: &spyre_layout::View, dim: usize, size: u64) -> Result<(), String> {
    let extent = source.shape().get(dim).copied().unwrap_or(1);
    let distance = source
        .tensor()
        .level_step_elements(dim, Elements(size), Elements(extent));
    distance.map(drop).map_err(|why| why.to_string())
}

impl Kind<'_> {
    /// Returns the layout of the view of a tensor, for the shape of the view.
    fn layout(&self, source: &DeviceTensor, shape: &[u64]) -> Result<Layout, String> {
        match self {
            Self::View(view) => view.layout(source, shape),
            Self::Slice(_) => crate::tensor::tile_layout(source, shape),
        }
    }

    /// Returns the view of a part of a buffer.
    fn view(
        &self,
        source: &spyre_layout::View,
        shape: &[u64],
    ) -> Result<spyre_layout::View, String> {
        let window = match self {
            Self::View(view) => return view.of_view(source, shape),
            Self::Slice(window) => window,
        };
        let mut starts = Vec::with_capacity(shape.len());
        for (dim, (offset, size)) in window.offsets.iter().zip(shape).enumerate() {
            starts.push(match *offset {
                Offset::Static(start) => u64::try_from(start)
                    .map_err(|_| format!("the window starts at {start} in dimension {dim}"))?,
                // The start depends on the loops. Windows of whole sticks start with whole sticks everywhere.
                Offset::Value(_) => {
                    let whole = source.tensor().check_whole_sticks(dim, Elements(*size));
                    whole.map_err(|why| why.to_string())?;
                    check_distances(source, dim, *size)?;
                    0
                }
            });
        }
        let steps = vec![1; shape.len()];
        source
            .slice(&starts, shape, &steps)
            .map_err(|why| why.to_string())
    }

    /// Returns the layout of a source of a shape from which the layout of a result follows.
    fn source_layout(&self, result: &DeviceTensor, shape: &[u64]) -> Result<Layout, String> {
        match self {
            Self::View(view) => view.inverse().layout(result, shape),
            Self::Slice(_) => crate::tensor::tile_layout(result, shape),
        }
    }

    /// Checks that a window does not start inside a stick, and ends inside one only where the tensor ends.
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

    /// Checks that a window drops no dimensions.
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
