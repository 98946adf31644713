//! Candidates for views, which are the same bytes under other coordinates. A view has the layout that follows from that of its
//! source. If none follows, the source is restickified first.

mod change;
mod insertion;

use std::rc::Rc;

use change::Change;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_analysis::view::View;
use spyre_layout::{Arrangement, Elements};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, OpKind};

use super::analysis::Candidate;
use super::fit::{Choice, OperandFit, StatedLayouts, copied, is_alike};
use super::restick;
use super::walk::Builder;

/// A layout of a view's result that follows from a layout of its source.
struct Way<'p> {
    /// The layout of the source.
    source: Candidate<'p>,
    /// The view of its buffer that the source is.
    from: spyre_layout::View,
    /// The layout of the result.
    result: Candidate<'p>,
    /// The view of the source's buffer that the result is.
    view: spyre_layout::View,
    /// Whether the source has to be computed or copied in that layout, so that it is all of a buffer.
    is_fresh: bool,
}

/// Returns the candidates of a view's result that `stated_layouts` allow. For an insertion, they are the candidates of its
/// destination.
///
/// The result has the layout that follows from a layout of the source. If operations can read none of these, the source
/// is first copied to a layout from which a readable one follows, with any dimension on the stick.
///
/// # Errors
/// The view has no layout for any layout of its source.
pub(super) fn choices<'p>(
    builder: &Builder<'_, 'p>,
    op: Op<'p>,
    stated_layouts: &StatedLayouts<'p>,
) -> Result<Vec<Choice<'p>>, Diagnostic<'p>> {
    let error = |message: String| builder.error(op, message);
    if ir::kind(op) == OpKind::InsertSlice {
        return insertion::choices(builder, op, stated_layouts);
    }
    let change = Change::of(op).map_err(error)?;
    let source = op.operand(0).map_err(|err| error(err.to_string()))?;
    let result = op.result(0).map_err(|err| error(err.to_string()))?;
    let ty = builder.types.get(result.r#type());
    let ty = ty.map_err(|err| builder.error(op, err))?;
    change.check_rank(ty.shape()).map_err(error)?;
    let viewed = Viewed {
        builder,
        change: &change,
        candidates: builder.candidates(op, source)?,
        views: builder.views(op, source)?,
        shape: ty.shape(),
    };
    let (mut ways, refused) = viewed.following(stated_layouts);
    // A copy would read uninitialised elements.
    if builder.unwritten(source) == Elements(0) {
        match stated_layouts.types() {
            Some(types) => viewed.add_ways_to(types, &mut ways),
            None => viewed.add_copies(&mut ways),
        }
    }
    if ways.is_empty() {
        let reason = refused.unwrap_or_else(|| "the source has no layout".to_owned());
        return Err(error(reason).note(source.location(), "the source of the view is defined here"));
    }
    let choice = |way: Way<'p>| Choice {
        fits: vec![
            viewed
                .sources()
                .map(|(ty, view)| way.fit(ty, view))
                .collect(),
        ],
        ty: match stated_layouts {
            StatedLayouts::Layout(ty) => Rc::clone(ty),
            _ => way.result,
        },
        view: way.view,
    };
    Ok(ways.into_iter().map(choice).collect())
}

/// Returns a decided view as a view of its buffer; `None` for an insertion, or if the view does not follow.
pub(super) fn of_decided<'p>(
    op: Op<'p>,
    source: &spyre_layout::View,
    ty: &Candidate<'p>,
) -> Option<spyre_layout::View> {
    if ir::kind(op) == OpKind::InsertSlice {
        return None;
    }
    let change = Change::of(op).ok()?;
    change.check_rank(ty.shape()).ok()?;
    change.view(source, ty.shape()).ok()
}

fn allows<'p>(stated_layouts: &StatedLayouts<'p>, ty: &Candidate<'p>) -> bool {
    stated_layouts
        .types()
        .is_none_or(|types| allows_one(types, ty))
}

/// Returns whether a layout is one of the given ones. Padding may differ, because a window has the layout of its tensor without
/// padding.
fn allows_one<'p>(types: &[Candidate<'p>], ty: &Candidate<'p>) -> bool {
    types.iter().any(|other| is_alike(ty, other))
}

impl<'p> Way<'p> {
    /// Returns the need of a source that has the layout `ty` and is `view` of its buffer.
    fn fit(&self, ty: &Candidate<'p>, view: &spyre_layout::View) -> OperandFit<'p> {
        if ty.ty == self.source.ty && *view == self.from {
            return OperandFit::Met;
        }
        // A copy is written in that layout, so the layout must be one in which results are written.
        if self.is_fresh
            || self.from == self.source.device.view() && self.from.check_result().is_ok()
        {
            return copied(ty, view, &self.source);
        }
        OperandFit::Never("is a window of another buffer".to_owned())
    }
}

/// A view with a result that is to get a layout.
struct Viewed<'v, 't, 'p> {
    builder: &'v Builder<'t, 'p>,
    change: &'v Change<'p>,
    /// The layouts that the source may have.
    candidates: &'v [Candidate<'p>],
    /// For each candidate, the source as a view of its buffer.
    views: &'v [spyre_layout::View],
    /// The shape of the result.
    shape: &'v [u64],
}

impl<'p> Viewed<'_, '_, 'p> {
    /// Returns the layouts that the source may have, with the source as a view of its buffer.
    fn sources(&self) -> impl Iterator<Item = (&Candidate<'p>, &spyre_layout::View)> {
        self.candidates.iter().zip(self.views)
    }

    /// Returns the ways in which a layout of the result follows from a possible layout of the source, and the reason for the
    /// first layout of the source from which none follows.
    fn following(&self, stated_layouts: &StatedLayouts<'p>) -> (Vec<Way<'p>>, Option<String>) {
        let (mut ways, mut refused) = (Vec::new(), None);
        for (source, from) in self.sources() {
            match self.follow(source, from) {
                Ok(way) if allows(stated_layouts, &way.result) => ways.push(way),
                Ok(way) => {
                    let layout = way.result.device.layout();
                    refused = refused.or(Some(format!(
                        "the layout that follows from the source is {layout} and not the one given; leave it out, or \
                         restickify the source so that the one given follows"
                    )));
                }
                Err(err) => refused = refused.or(Some(format!("{err}; {}", self.change.help()))),
            }
        }
        (ways, refused)
    }

    /// Adds the ways that lead to a given layout after a copy of the source.
    fn add_ways_to(&self, types: &[Candidate<'p>], ways: &mut Vec<Way<'p>>) {
        let others = types.iter().filter_map(|ty| self.leading_to(ty));
        ways.extend(others.filter(|way| allows_one(types, &way.result)));
        if ways.is_empty() {
            // The given layout was chosen with a copy of the source before the view.
            let sticks = (0..self.sticks()).map(Some).chain([None]);
            let others = sticks.filter_map(|stick| self.with_stick(stick));
            ways.extend(others.filter(|way| allows_one(types, &way.result)));
        }
    }

    /// Adds the ways after a copy of the source to a layout with another dimension on the stick, unless the view has a
    /// readable layout for every layout of the source.
    fn add_copies(&self, ways: &mut Vec<Way<'p>>) {
        let is_read = |way: &Way<'p>| way.view.operand_coords().is_ok();
        // Few operations read a tensor with one element in each stick, and most copies of it would have too many device dimensions.
        let is_filled = |way: &Way<'p>| way.result.device.layout().stick_dim().is_some();
        let leads_on = |(ty, view): (&Candidate<'p>, &spyre_layout::View)| {
            ways.iter().any(|way| {
                is_read(way) && is_filled(way) && !matches!(way.fit(ty, view), OperandFit::Never(_))
            })
        };
        if self.sources().all(leads_on) {
            return;
        }
        let with_stick = |stick| self.with_stick(stick).filter(is_read);
        let others: Vec<_> = (0..self.sticks())
            .filter_map(|dim| with_stick(Some(dim)))
            .collect();
        // Sparse sticks, with one element each, are tried if no dimension can be on the stick.
        let is_sparse_left = others.is_empty() && !ways.iter().any(is_read);
        let sparse = is_sparse_left.then(|| with_stick(None)).flatten();
        for way in others.into_iter().chain(sparse) {
            let is_known = ways
                .iter()
                .any(|other| other.result.ty == way.result.ty && other.source.ty == way.source.ty);
            if !is_known {
                ways.push(way);
            }
        }
    }

    /// Returns the layout of the result that follows from a layout of the source.
    fn follow(&self, source: &Candidate<'p>, from: &spyre_layout::View) -> Result<Way<'p>, String> {
        let layout = self.change.layout(&source.device, self.shape)?;
        let result = self
            .builder
            .types
            .with_layout(self.shape, source.element, &layout)?;
        Ok(Way {
            source: Rc::clone(source),
            view: self.change.view(from, self.shape)?,
            from: from.clone(),
            result,
            is_fresh: false,
        })
    }

    /// Returns whether a layout is chosen for the result, and the layout of the source follows from it. Otherwise a
    /// layout is chosen for the source. The layout is chosen on the side with the merged dimension, so that its parts
    /// are adjacent in memory.
    fn is_chosen_behind(&self) -> bool {
        matches!(
            self.change,
            Change::View(View::Permute(_) | View::Collapse(_))
        )
    }

    /// Returns the number of dimensions that could be on the stick.
    fn sticks(&self) -> usize {
        if self.is_chosen_behind() {
            return self.shape.len();
        }
        self.candidates
            .first()
            .map_or(0, |first| first.shape().len())
    }

    /// Returns the way with a dimension on the stick, or with one element in each stick for `None`, on the side where the layout
    /// is chosen. Returns `None` if there is no such way.
    fn with_stick(&self, stick: Option<usize>) -> Option<Way<'p>> {
        let first = self.candidates.first()?;
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
            false => self.fresh_way(&ty.ok()?),
        }
    }

    /// Returns the way with a layout of the source from which `result` follows; `None` if there is none.
    fn leading_to(&self, result: &Candidate<'p>) -> Option<Way<'p>> {
        let first = self.candidates.first()?;
        let layout = self
            .change
            .source_layout(&result.device, first.shape())
            .ok()?;
        let types = self.builder.types;
        self.fresh_way(
            &types
                .with_layout(first.shape(), first.element, &layout)
                .ok()?,
        )
    }

    /// Returns the way with a source that is computed in a layout; `None` if there is none. A source that may have that
    /// layout already, perhaps as a window of a buffer, is not such a source. The copy of it then has an explicit size,
    /// so that the two types differ.
    fn fresh_way(&self, source: &Candidate<'p>) -> Option<Way<'p>> {
        let mut source = Rc::clone(source);
        if self
            .candidates
            .iter()
            .any(|candidate| candidate.ty == source.ty)
        {
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
