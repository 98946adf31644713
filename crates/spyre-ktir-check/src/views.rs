//! Claims about views: strides, sizes, and the sets of coordinates.
//!
//! Strides are a bijection onto the elements if, sorted, each is at least the stride before it times the size of that
//! dimension: digits of a number in a mixed radix. Other strides are given to the solver, which compares the
//! addresses of two coordinates.

use melior::ir::Attribute;
use spyre_dialects::attr;
use spyre_dialects::ktdp_attr::MemorySpace;
use spyre_ktir_kernel::{ARGUMENT_BYTES, BYTES, POOL_BYTES, pools};
use spyre_mlir_rt::ir::{self, Op};
use spyre_ods::ktdp;
use spyre_proof::claim::{By, Reason, Verdict, Witness};
use spyre_proof::expr::{Expr, Var};
use spyre_proof::sets::Constraint;

use crate::check::{Check, at, list};
use crate::kernel::{Buffer, Layout, View};
use crate::report::Finding;
use crate::rules::{COORDINATES, ORDER, Rule, SIZES_AGREE, SPACE, STRIDES, TILE_SET, VIEW_INSIDE};
use crate::solve::vars as vars_of;
use crate::tiles::{point, set_conditions, set_name};

/// The bytes of a stick.
const STICK_BYTES: i64 = 128;

impl<'p> Check<'_, 'p> {
    /// Checks all views and the sets of all tiles.
    pub(crate) fn views(&mut self) {
        let kernel = self.kernel;
        for view in &kernel.views {
            self.space(view);
            let op = view.op.op();
            match &view.layout {
                Ok(layout) => {
                    self.strides(op, layout);
                    self.inside(view, layout);
                    self.order(op, layout);
                    self.coordinates(view, layout);
                }
                Err(reason) => {
                    let finding = Finding::new(STRIDES, at(op), "");
                    self.report.unknown(&finding, reason);
                }
            }
        }
        self.sizes_agree();
        for (op, tile) in &kernel.tiles {
            match tile {
                Ok(tile) => {
                    let extents = tile.extents.iter().copied().collect::<Option<Vec<_>>>();
                    if let Some(extents) = extents {
                        let sizes: Vec<_> = extents.into_iter().map(Expr::from).collect();
                        let name = set_name(*op);
                        let mut sets: Vec<_> = tile.cases.iter().map(|case| &case.set).collect();
                        // Positions with several cases have one set.
                        sets.dedup();
                        for set in sets {
                            self.box_equals(*op, (TILE_SET, name), set, &sizes);
                        }
                    } else {
                        let finding = Finding::new(TILE_SET, at(*op), "");
                        let reason = Reason::Dynamic("of a tile".to_owned());
                        self.report.unknown(&finding, &reason);
                    }
                }
                Err(reason) => {
                    let finding = Finding::new(TILE_SET, at(*op), "");
                    self.report.unknown(&finding, reason);
                }
            }
        }
    }

    fn space(&mut self, view: &View<'p>) {
        if let Some(MemorySpace::CtLocal(Some(core))) = MemorySpace::of(view.op.memory_space())
            && i64::from(core) >= self.kernel.cores
        {
            let cores = self.kernel.cores;
            let message = format!(
                "the view is of the scratchpad of core {core}, and the grid has cores 0 to {}",
                cores - 1
            );
            self.find(SPACE, view.op.op(), message);
        }
    }

    fn strides(&mut self, op: Op<'p>, layout: &Layout) {
        let finding = Finding::new(STRIDES, at(op), "");
        let verdict = match self.is_radix(layout) {
            true => Verdict::Proved(By::Form),
            false => self.shared_element(layout),
        };
        self.report.decide(finding, verdict);
    }

    /// Returns the dimensions of more than one element by their strides, the smallest first; `None` if strides are not
    /// in an order for all extents.
    fn by_stride(&self, layout: &Layout) -> Option<Vec<usize>> {
        let ranges = &self.solver.ranges;
        let is_long = |dim: &usize| layout.sizes[*dim].as_constant() != Some(1);
        let mut dims: Vec<usize> = (0..layout.sizes.len()).filter(is_long).collect();
        // Extents at their least values order strides that are multiples of them.
        let least = |dim: usize| layout.strides[dim].range(ranges).map(|(least, _)| least);
        dims.iter()
            .map(|dim| least(*dim))
            .collect::<Option<Vec<_>>>()?;
        let most = |dim: usize| layout.strides[dim].range(ranges).map(|(_, most)| most);
        dims.sort_by_key(|dim| (most(*dim), least(*dim), std::cmp::Reverse(*dim)));
        Some(dims)
    }

    /// Returns `stride * size`, the distance that a dimension takes.
    fn distance(layout: &Layout, dim: usize) -> Option<Expr> {
        let (size, stride) = (&layout.sizes[dim], &layout.strides[dim]);
        match (size.as_constant(), stride.as_constant()) {
            (Some(size), _) => Some(stride.times(size)),
            (None, Some(stride)) => Some(size.times(stride)),
            (None, None) => None,
        }
    }

    fn is_radix(&self, layout: &Layout) -> bool {
        let Some(dims) = self.by_stride(layout) else {
            return false;
        };
        let is_at_least = |stride: &Expr, least: &Expr| {
            let rest = stride.minus(least).range(&self.solver.ranges);
            rest.is_some_and(|(least, _)| least >= 0)
        };
        let first = dims.first();
        let is_positive = first.is_none_or(|dim| is_at_least(&layout.strides[*dim], &1.into()));
        is_positive
            && dims.windows(2).all(|pair| {
                Self::distance(layout, pair[0])
                    .is_some_and(|distance| is_at_least(&layout.strides[pair[1]], &distance))
            })
    }

    /// Decides whether two coordinates of a view have the same address.
    fn shared_element(&self, layout: &Layout) -> Verdict {
        let rank = layout.sizes.len();
        let firsts: Vec<Var> = (0..rank).map(element).collect();
        let seconds: Vec<Var> = (0..rank).map(second_element).collect();
        let of = |vars: &[Var]| {
            layout.distance(
                &vars
                    .iter()
                    .map(|var| Some((*var).into()))
                    .collect::<Vec<_>>(),
            )
        };
        let (first, second) = match (of(&firsts), of(&seconds)) {
            (Ok(first), Ok(second)) => (first, second),
            (Err(reason), _) | (_, Err(reason)) => return Verdict::Unknown(reason),
        };
        let mut all = vec![Constraint::equal(&first, &second)];
        for (vars, size) in firsts.iter().zip(&seconds).zip(&layout.sizes) {
            all.extend(Constraint::inside(&(*vars.0).into(), size));
            all.extend(Constraint::inside(&(*vars.1).into(), size));
        }
        let order = [&firsts[..], &seconds].concat();
        for dim in 0..rank {
            let less = Expr::from(seconds[dim])
                .minus(&firsts[dim].into())
                .plus(&(-1).into());
            let mut conditions = all.clone();
            conditions.push(Constraint::NonNegative(less));
            let equal =
                (0..dim).map(|dim| Constraint::equal(&firsts[dim].into(), &seconds[dim].into()));
            conditions.extend(equal);
            let verdict = self.solver.never(&conditions, &order, |values| {
                let message = format!(
                    "coordinates {} and {} of the view are one element, with strides {}",
                    list(values, &firsts),
                    list(values, &seconds),
                    numbers(&layout.strides)
                );
                Witness {
                    message,
                    ..Witness::default()
                }
            });
            if !matches!(verdict, Verdict::Proved(_)) {
                return verdict;
            }
        }
        Verdict::Proved(By::Solver)
    }

    /// Checks that the strides of a view of a whole tensor are those of its sizes, outermost first. A view at another
    /// address than that of its argument is a part, and has the strides of the whole.
    fn order(&mut self, op: Op<'p>, layout: &Layout) {
        let is_whole = layout
            .fixed_offset()
            .is_some_and(|offset| *offset == Expr::zero());
        if !is_whole || matches!(layout.buffer, Buffer::Local(_)) || self.is_part(layout) {
            return;
        }
        let Some(dims) = self.by_stride(layout) else {
            return; // the claim about strides is not decided, and has been reported
        };
        if let Some(pair) = dims.windows(2).find(|pair| pair[0] < pair[1]) {
            let message = format!(
                "the stride {} of dimension {} is below the stride {} of dimension {}: the view is a transposition",
                layout.strides[pair[0]], pair[0], layout.strides[pair[1]], pair[1]
            );
            self.find(ORDER, op, message);
        }
        for pair in dims.windows(2) {
            let (small, large) = (pair[0], pair[1]);
            let Some(distance) = Self::distance(layout, small) else {
                continue; // a product of extents, which the claim about strides has reported
            };
            // The rest of a stick is padding.
            let is_padded = layout.strides[small] == 1.into()
                && layout.strides[large] == (STICK_BYTES / layout.bytes).into();
            if distance != layout.strides[large] && !is_padded && self.is_radix(layout) {
                let message = format!(
                    "the stride {} of dimension {large} leaves a gap: {} elements of dimension {small} at stride {} take {distance}",
                    layout.strides[large], layout.sizes[small], layout.strides[small]
                );
                self.find(ORDER, op, message);
            }
        }
        let inner = dims.first().map(|dim| &layout.strides[*dim]);
        let inner = inner.and_then(Expr::as_constant);
        // Sparse sticks hold one element each.
        if let Some(stride) =
            inner.filter(|stride| ![1, STICK_BYTES / layout.bytes].contains(stride))
        {
            let message = format!(
                "the smallest stride is {stride}, and not 1 or that of a stick, {}",
                STICK_BYTES / layout.bytes
            );
            self.find(ORDER, op, message);
        }
    }

    /// Returns the bytes of an argument: of the attribute of the argument, or of the pools.
    fn argument_bytes(&self, number: usize) -> Option<i64> {
        let function = self.kernel.function;
        if let Some(bytes) = ir::argument_attribute(function, number, BYTES) {
            return attr::integer(bytes);
        }
        if self.is_pool(number) {
            return ir::attribute(function, POOL_BYTES).and_then(attr::integer);
        }
        let stated = ir::attribute(function, ARGUMENT_BYTES).map(attr::elements);
        stated.and_then(|bytes| attr::integer(*bytes.get(number)?))
    }

    /// Returns whether a view is shorter than what its argument has: a part, which leaves out the rest.
    fn is_part(&self, layout: &Layout) -> bool {
        let Buffer::Argument(number) = layout.buffer else {
            return false;
        };
        let span = layout.span().ok().and_then(|span| span.as_constant());
        let bytes = self.argument_bytes(number);
        span.zip(bytes)
            .is_some_and(|(span, bytes)| span + STICK_BYTES < bytes)
    }

    /// Returns whether an argument is a pool of intermediates.
    pub(crate) fn is_pool(&self, number: usize) -> bool {
        // Attributes that name no pools are findings of KC28.
        let pools = pools(self.kernel.function).unwrap_or_default();
        pools.contains(&number)
    }

    fn inside(&mut self, view: &View<'p>, layout: &Layout) {
        let Buffer::Argument(number) = layout.buffer else {
            return; // memory without a size
        };
        // Without a size, the views of the argument are compared with each other.
        let bytes = self.argument_bytes(number);
        let op = view.op.op();
        let finding = Finding::new(VIEW_INSIDE, at(op), "");
        let (span, when) = match (layout.span(), &view.when) {
            (Ok(span), Ok(when)) => (span, when),
            (Err(reason), _) => return self.report.unknown(&finding, &reason),
            (_, Err(reason)) => return self.report.unknown(&finding, reason),
        };
        for piece in &layout.offset {
            let end = piece.value.plus(&span).plus(&layout.bytes.into());
            let before = piece.value.times(-1).plus(&(-1).into());
            let after = bytes.map(|bytes| end.plus(&(-bytes - 1).into()));
            let sides: Vec<Expr> = [before].into_iter().chain(after).collect();
            for (when, side) in when
                .iter()
                .flat_map(|when| sides.iter().map(move |side| (when, side)))
            {
                let conditions = [
                    &when[..],
                    &piece.when,
                    &[Constraint::NonNegative(side.clone())],
                ]
                .concat();
                let verdict = self.solver.never(&conditions, &[], |values| {
                    let value = |expr: &Expr| {
                        expr.eval(&|var| Some(values.get(&var).copied().unwrap_or(0)))
                            .unwrap_or(i64::MAX)
                    };
                    let has = match bytes {
                        Some(bytes) => format!("has {bytes} bytes"),
                        None => "begins at byte 0".to_owned(),
                    };
                    let message = format!(
                        "the view has bytes {} to {} of argument {number}, which {has}",
                        value(&piece.value),
                        value(&end) - 1
                    );
                    self.witness(values, &[], &[], message)
                });
                self.report.decide(finding.clone(), verdict);
            }
        }
    }

    /// Compares the views of whole arguments. A pool has tensors of several sizes.
    fn sizes_agree(&mut self) {
        let kernel = self.kernel;
        let mut sizes: Vec<(Buffer, Expr, Op<'p>)> = Vec::new();
        for view in &kernel.views {
            let Ok(layout) = &view.layout else {
                continue; // reported before
            };
            let Buffer::Argument(number) = layout.buffer else {
                continue; // memory without a size
            };
            let is_whole = layout
                .fixed_offset()
                .is_some_and(|offset| *offset == Expr::zero());
            let Ok(span) = layout.span() else {
                continue; // a product of extents, reported with the strides
            };
            if !is_whole || self.is_pool(number) || self.is_part(layout) {
                continue; // a part of an argument
            }
            let bytes = span.plus(&layout.bytes.into());
            let op = view.op.op();
            match sizes.iter().find(|(buffer, ..)| *buffer == layout.buffer) {
                Some((_, other, first)) if *other != bytes => {
                    let message = format!(
                        "the view has {bytes} bytes of argument {number}, and another view has {other}"
                    );
                    let finding = Finding::new(SIZES_AGREE, at(op), message);
                    let first = at(*first);
                    self.report
                        .add(finding.note(first, "the other view is here"));
                }
                Some(_) => self.report.proved += 1,
                None => sizes.push((layout.buffer, bytes, op)),
            }
        }
    }

    fn coordinates(&mut self, view: &View<'p>, layout: &Layout) {
        let op = view.op.op();
        let finding = Finding::new(COORDINATES, at(op), "");
        // Another operation may read or write anything of the view.
        for user in ir::uses(view.op.view()) {
            let name = ir::name(user.owner);
            if !name.starts_with("ktdp.") {
                let reason = Reason::Operation(name.to_owned());
                let finding = Finding::new(COORDINATES, at(user.owner), "");
                self.report.unknown(&finding, &reason);
            }
        }
        let is_part = ir::uses(view.op.view())
            .iter()
            .any(|user| ktdp::ConstructDistributedMemoryView::cast(user.owner).is_some());
        if is_part {
            let reason = Reason::Operation(ktdp::CONSTRUCT_DISTRIBUTED_MEMORY_VIEW.to_owned());
            return self.report.unknown(&finding, &reason);
        }
        let set: Attribute<'p> = view.op.coordinate_set();
        let set = ir::integer_set_value(set).expect("KT11: a set");
        let points: Vec<Expr> = (0..set.dims).map(|dim| point(dim).into()).collect();
        let fixed =
            attr::dense_signed_integers(Some(view.op.static_sizes())).expect("KT8: numbers");
        let dynamic = fixed
            .iter()
            .zip(&layout.sizes)
            .filter(|(fixed, _)| **fixed == i64::MIN);
        let symbols: Vec<Expr> = dynamic.map(|(_, size)| size.clone()).collect();
        match set_conditions(&set, &points, &symbols) {
            Ok(set) => self.box_equals(op, (COORDINATES, "coordinate_set"), &set, &layout.sizes),
            Err(reason) => self.report.unknown(&finding, &reason),
        }
    }

    /// Decides whether a set has the points from 0 to below `sizes`, and no others.
    fn box_equals(
        &mut self,
        op: Op<'p>,
        (rule, name): (Rule, &str),
        set: &[Constraint],
        sizes: &[Expr],
    ) {
        let vars: Vec<Var> = (0..sizes.len()).map(point).collect();
        let inside: Vec<Constraint> = vars
            .iter()
            .zip(sizes)
            .flat_map(|(var, size)| Constraint::inside(&(*var).into(), size))
            .collect();
        let finding = Finding::new(rule, at(op), "");
        let is_same = set.len() == inside.len() && set.iter().all(|it| inside.contains(it));
        if is_same {
            return self.report.decide(finding, Verdict::Proved(By::Form));
        }
        let sides = [(&inside[..], set, "lacks"), (set, &inside, "has")];
        for (all, conditions, verb) in sides {
            for condition in conditions {
                for outside in crate::index::negated(condition) {
                    let question = [all, &[outside][..]].concat();
                    let verdict = self.solver.never(&question, &[], |values| {
                        let extents: Vec<_> = sizes.iter().map(ToString::to_string).collect();
                        let message = format!(
                            "{name} {verb} the point {}, and the extents are {}",
                            list(values, &vars),
                            extents.join("x")
                        );
                        Witness {
                            message,
                            ..Witness::default()
                        }
                    });
                    // The conditions on cores and iterations are not those of the set.
                    let moves = |var: &Var| matches!(var, Var::Core | Var::Counter(_));
                    let verdict = match verdict {
                        Verdict::Proved(_) => continue,
                        _ if vars_of(set).iter().any(moves) => {
                            Verdict::Unknown(Reason::Dynamic("of a set that moves".to_owned()))
                        }
                        verdict => verdict,
                    };
                    return self.report.decide(finding, verdict);
                }
            }
        }
        self.report.decide(finding, Verdict::Proved(By::Solver));
    }
}

/// Returns the coordinate of an element along a dimension.
pub(crate) fn element(dim: usize) -> Var {
    Var::Element(u32::try_from(dim).expect("fewer than 2^32 dimensions"))
}

/// Returns the coordinate of a second element.
pub(crate) fn second_element(dim: usize) -> Var {
    Var::Out(u32::try_from(dim).expect("fewer than 2^32 dimensions"))
}

/// Returns expressions as a list.
fn numbers(list: &[Expr]) -> String {
    let numbers = list.iter().map(ToString::to_string);
    format!("[{}]", numbers.collect::<Vec<_>>().join(", "))
}
