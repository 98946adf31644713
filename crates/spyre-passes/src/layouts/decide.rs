//! Candidates for the results of device operations (middle-end specification, section 2.5).

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::{Arrangement, DeviceFormat, Elements, View};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_ops::{OpFunc, Pairs, StickRule};

use super::analysis::Candidate;
use super::build::{Builder, Choice, Fit, Given, is_alike, readable};
use super::restick::{self, Relayout, default_with_stick};
use super::stick::{Access, Stick};
use crate::indexing::Indexing;
use crate::tensor::{self, device_format};

/// Returns the candidates of a device operation's result that `given` allows.
///
/// # Errors
/// The result is no tensor that passes can handle, or no layout goes with the operands.
pub fn choices<'p>(
    builder: &Builder<'_, 'p>,
    device: DeviceOp<'p>,
    indexing: &Indexing<'p>,
    given: &Given<'p>,
) -> Result<Vec<Choice<'p>>, Diagnostic<'p>> {
    let op = device.op();
    let operands = op
        .operands()
        .map(|value| builder.candidates(op, value))
        .collect::<Result<Vec<_>, _>>()?;
    let views = op
        .operands()
        .map(|value| builder.views(op, value))
        .collect::<Result<Vec<_>, _>>()?;
    let result = op.result(0).map_err(|why| builder.error(op, why))?;
    let ty = builder
        .types
        .get(result.r#type())
        .map_err(|why| builder.error(op, why))?;
    let rule = device.facts().stick;
    let mut extents: Vec<Vec<u64>> = operands
        .iter()
        .map(|candidates| {
            candidates
                .first()
                .map_or(Vec::new(), |ty| ty.shape().to_vec())
        })
        .collect();
    extents.push(ty.shape().to_vec());
    let decision = Decision {
        builder,
        facts: device.facts(),
        rule,
        searched: searched(device, indexing),
        is_reduction: device.reduction_dims() > 0,
        accesses: Access::of(rule, indexing, &extents),
        vars: indexing
            .space
            .len()
            .max(extents.iter().map(Vec::len).max().unwrap_or(0)),
        operands,
        views,
        shape: ty.shape().to_vec(),
        element: ty.element,
        wanted: builder.wanted(result.into()),
    };
    let types = match given.types() {
        Some(types) => types
            .iter()
            .map(|ty| decision.for_type(ty))
            .collect::<Vec<_>>(),
        None => decision.open().map_err(|why| {
            let operands = op.operands().enumerate();
            operands.fold(builder.error(op, why), |error, (operand, value)| {
                error.note(value.location(), format!("operand #{operand} is made here"))
            })
        })?,
    };
    Ok(types
        .into_iter()
        .map(|plan| decision.choice(plan))
        .collect())
}

/// Returns the dimension of the operand that an operation searches along; `None` if the operation does not search.
fn searched(device: DeviceOp<'_>, indexing: &Indexing<'_>) -> Option<usize> {
    let searched = device.searched_dim()?;
    let dims = indexing.tensors.first()?;
    dims.iter().position(|dim| *dim == Some(searched))
}

/// A layout of the result, and the layouts that it needs of the operands.
struct Plan<'p> {
    ty: Candidate<'p>,
    /// The sticks that the operation may walk along.
    sticks: Vec<Stick>,
    /// The number of elements in a stick of the operands along whose sticks it walks; `None` where it does not matter.
    elements: Option<Elements>,
    /// The arrangements that the operands may have; empty where it does not matter.
    arrangements: Vec<Arrangement>,
}

/// An operation whose result is to get a layout.
struct Decision<'b, 't, 'p> {
    builder: &'b Builder<'t, 'p>,
    facts: &'static OpFunc,
    rule: StickRule,
    /// The dimension of the operand that is searched along; `None` if the operation does not search.
    searched: Option<usize>,
    /// Whether it is a reduction, which combines elements.
    is_reduction: bool,
    /// The accesses of the operands, then that of the result.
    accesses: Vec<Access>,
    /// An upper bound of the number of iteration dimensions.
    vars: usize,
    operands: Vec<&'b [Candidate<'p>]>,
    /// The view of its buffer that each operand is, per candidate.
    views: Vec<&'b [View]>,
    shape: Vec<u64>,
    element: Type<'p>,
    wanted: Vec<usize>,
}

impl<'p> Decision<'_, '_, 'p> {
    /// Returns the plan for a result of the type `ty`.
    fn for_type(&self, ty: &Candidate<'p>) -> Plan<'p> {
        let device = &ty.device;
        let found = self
            .result()
            .and_then(|result| result.on_stick(device.layout()));
        let walks = found.is_some();
        let arrangement = device.layout().arrangement();
        Plan {
            ty: Rc::clone(ty),
            sticks: self.sticks_for(found),
            elements: (walks && self.sticks_are_alike())
                .then(|| device.format().elements_per_stick()),
            arrangements: match self.rule {
                StickRule::Cast if walks => Arrangement::ALL
                    .into_iter()
                    .filter(|input| self.facts.cast_arrangement(*input) == Some(arrangement))
                    .collect(),
                StickRule::Matmul | StickRule::TopK => vec![Arrangement::Standard],
                _ if walks && self.sticks_are_alike() => vec![arrangement],
                _ => Vec::new(),
            },
        }
    }

    /// Returns the plans for the layouts that a result without one may have.
    fn open(&self) -> Result<Vec<Plan<'p>>, String> {
        self.check_exx2()?;
        let mut plans: Vec<Plan<'p>> = Vec::new();
        let mut refused = None;
        for stick in self.open_sticks() {
            for arrangement in self.arrangements(stick) {
                match self.plan(stick, arrangement) {
                    Ok(plan) if plans.iter().any(|known| known.ty.ty == plan.ty.ty) => {}
                    Ok(plan) => plans.push(plan),
                    Err(why) => refused = refused.or(Some(why)),
                }
            }
        }
        match (plans.is_empty(), refused) {
            (true, Some(why)) => Err(why),
            _ => Ok(plans),
        }
    }

    /// Checks that `exx2` reduces the dimension on the stick. The two values that it makes are alone in their stick, so no
    /// dimension may stay on it.
    fn check_exx2(&self) -> Result<(), String> {
        let last = || *self.accesses.first()?.vars.last()?;
        let stays = || self.result()?.position(last()?);
        match stays() {
            Some(_) if self.facts.pairs == Some(Pairs::Makes) => Err(
                "the two values that exx2 makes share a stick with nothing else, so it has to reduce the dimension on the stick, which \
                 is the last one of operand #0; permute the operand so that a reduced dimension is the last"
                    .to_owned(),
            ),
            _ => Ok(()),
        }
    }

    /// Returns the sticks that a result without a layout may have: those of the operands, then those that readers of the result
    /// want, then sparse sticks if all operands can have them.
    fn open_sticks(&self) -> Vec<Stick> {
        match self.rule {
            StickRule::Matmul => {
                let last = self.result().and_then(|access| *access.vars.last()?);
                return vec![last];
            }
            StickRule::LastDim => {
                let last = self
                    .accesses
                    .first()
                    .and_then(|access| *access.vars.last()?);
                return vec![last];
            }
            StickRule::Gather => return self.gathered_sticks(),
            _ => {}
        }
        let mut sticks: Vec<Stick> = Vec::new();
        let mut sparse = true;
        for (access, candidates) in self.accesses.iter().zip(&self.operands) {
            let found = candidates
                .iter()
                .map(|ty| access.on_stick(ty.device.layout()));
            let mut can_be_sparse = false;
            for stick in found {
                can_be_sparse |= stick.is_none();
                if stick.is_some() && !sticks.contains(&stick) {
                    sticks.push(stick);
                }
            }
            sparse &= can_be_sparse;
        }
        if let Some(result) = self.result() {
            for dim in &self.wanted {
                let stick = result.vars.get(*dim).copied().flatten();
                if stick.is_some() && !sticks.contains(&stick) {
                    sticks.push(stick);
                }
            }
        }
        if self.rule == StickRule::TopK {
            sticks.retain(|stick| self.can_walk(*stick));
            if sticks.is_empty() {
                let result = self.result().map_or(&[][..], |result| &result.vars);
                sticks.extend(result.iter().rev().filter(|stick| self.can_walk(**stick)));
                sticks.retain(Option::is_some);
                sticks.truncate(1);
            }
        }
        if sparse || sticks.is_empty() {
            sticks.push(None);
        }
        if self.rule == StickRule::Cast
            && self
                .facts
                .cast_arrangement(Arrangement::Standard)
                .is_some_and(|left| left != Arrangement::Standard)
            && let Some(result) = self.result()
        {
            // No operation can change the layout of what such a cast leaves, because its order is not known. So the operand gets
            // the layout that readers want.
            let vars = result.vars.iter().zip(&self.shape);
            let kept = vars.filter(|(stick, extent)| stick.is_some() && **extent > 1);
            for (stick, _) in kept {
                if !sticks.contains(stick) {
                    sticks.push(*stick);
                }
            }
            // One element in each stick has no order, which is the way out where the order matters.
            if !sticks.contains(&None) {
                sticks.push(None);
            }
        }
        sticks
    }

    /// Returns whether the operation can walk along a dimension. A search finds all elements of a stick, so it searches along
    /// whole sticks only.
    fn can_walk(&self, stick: Stick) -> bool {
        let Some(searched) = self.searched.filter(|searched| stick == Some(*searched)) else {
            return true;
        };
        let operand = self.operands.first().and_then(|operand| operand.first());
        operand.is_some_and(|operand| {
            let extent = operand.shape().get(searched).copied().unwrap_or(1);
            Elements(extent).is_multiple_of(operand.device.format().elements_per_stick())
        })
    }

    /// Returns the sticks of the table that the result can have, then those that readers of the result want. If there are none,
    /// the last dimension that the table keeps is on the stick.
    fn gathered_sticks(&self) -> Vec<Stick> {
        let (Some(table), Some(result)) = (self.accesses.get(1), self.result()) else {
            return vec![None];
        };
        let candidates = self.operands.get(1).copied().unwrap_or_default();
        let found = candidates
            .iter()
            .map(|ty| table.on_stick(ty.device.layout()));
        let wanted = self
            .wanted
            .iter()
            .filter_map(|dim| result.vars.get(*dim).copied().flatten());
        let last = table.vars.iter().rev().copied().flatten();
        let is_kept =
            |var: &usize| table.position(*var).is_some() && result.position(*var).is_some();
        let mut sticks: Vec<Stick> = Vec::new();
        for stick in found.chain(wanted.filter(is_kept).map(Some)) {
            if stick.is_none_or(|var| is_kept(&var)) && !sticks.contains(&stick) {
                sticks.push(stick);
            }
        }
        if sticks.is_empty() {
            sticks.push(last.into_iter().find(is_kept));
        }
        sticks
    }

    /// Returns the arrangements of the operands that have `stick`; the standard one if no operand has it.
    fn arrangements(&self, stick: Stick) -> Vec<Arrangement> {
        let mut found = Vec::new();
        if matches!(self.rule, StickRule::Matmul | StickRule::TopK) {
            return vec![Arrangement::Standard];
        }
        for (access, candidates) in self.accesses.iter().zip(&self.operands) {
            for ty in *candidates {
                let layout = ty.device.layout();
                if stick.is_some()
                    && access.on_stick(layout) == stick
                    && !found.contains(&layout.arrangement())
                {
                    found.push(layout.arrangement());
                }
            }
        }
        if found.is_empty() {
            found.push(Arrangement::Standard);
        }
        found
    }

    /// Returns the plan of an operation that walks along `stick`, where the elements are in `arrangement`.
    fn plan(&self, stick: Stick, arrangement: Arrangement) -> Result<Plan<'p>, String> {
        let format = self.format()?;
        let position = stick.and_then(|var| self.result()?.position(var));
        // A result of one column has no dimension on its stick, but products run over whole sticks of columns.
        let last = self.shape.len().checked_sub(1);
        let laid = position.or(last.filter(|_| self.rule == StickRule::Matmul));
        let ty = match self.like_an_operand(stick, arrangement, position.is_some(), format)? {
            Some(ty) => ty,
            None => default_with_stick(
                self.builder.types,
                &self.shape,
                self.element,
                format,
                laid,
                self.result_arrangement(position.is_some(), arrangement)?,
            )?,
        };
        // A search along the stick finds exactly as many elements as the result has, so the result gets no more room.
        let finds_along = self.searched.is_some() && self.searched == stick;
        let ty = match finds_along {
            true => ty,
            false => self.with_room(&ty, self.together(&ty))?,
        };
        let alike = position.is_some() && self.sticks_are_alike();
        let sticks = match self.rule {
            StickRule::LastDim => vec![stick],
            _ => {
                let found = self
                    .result()
                    .and_then(|result| result.on_stick(ty.device.layout()));
                self.sticks_for(found)
            }
        };
        Ok(Plan {
            sticks,
            elements: alike.then(|| format.elements_per_stick()),
            arrangements: vec![arrangement],
            ty,
        })
    }

    /// Returns how many elements along the stick an operation cannot tell apart: those of a stick of the narrowest format (SDSC
    /// bundle specification, section 4.2), or of the two sticks in which a cast to 32 bits leaves the elements of one.
    fn together(&self, ty: &Candidate<'p>) -> Elements {
        let device = &ty.device;
        let own = device.format().elements_per_stick();
        let together = device.layout().arrangement().sticks_together();
        let own = Elements(together * own.get());
        if !matches!(self.rule, StickRule::Cast | StickRule::TopK) {
            return own;
        }
        let operands = self.operands.iter().filter_map(|operand| operand.first());
        let formats = operands.map(|operand| operand.device.format());
        let result = self.format();
        let all = formats.chain(result);
        all.map(DeviceFormat::elements_per_stick)
            .fold(own, Elements::max)
    }

    /// Returns a layout with room for a whole multiple of `most` elements along the stick.
    fn with_room(&self, ty: &Candidate<'p>, most: Elements) -> Result<Candidate<'p>, String> {
        match tensor::with_room(&ty.device, most)? {
            Some(layout) => self
                .builder
                .types
                .with_layout(ty.shape(), ty.element, &layout),
            None => Ok(Rc::clone(ty)),
        }
    }

    /// Returns the need of an operand with the right dimension on its stick that lacks room for the elements that the operation
    /// runs over; `None` if it has the room.
    fn room(&self, found: &Candidate<'p>, view: &View) -> Option<Fit<'p>> {
        let most = self.together(found);
        let dim = view.layout().stick_dim()?;
        let extent = view.shape().get(dim).copied()?;
        if extent == 1 && self.rule != StickRule::Cast {
            return None;
        }
        let held = view
            .room_along_stick()
            .expect("only what an operation can read is asked for room");
        let padded = extent.checked_next_multiple_of(most.get())?;
        let sticks =
            extent.checked_next_multiple_of(found.device.format().elements_per_stick().get())?;
        // The last window of a longer tensor has room only if the tensor ends with a whole multiple.
        let is_window = held.get() > sticks;
        if held.get() >= padded && (!is_window || held.is_multiple_of(most)) {
            return None;
        }
        let laid = default_with_stick(
            self.builder.types,
            found.shape(),
            found.element,
            found.device.format(),
            Some(dim),
            found.device.layout().arrangement(),
        );
        Some(match laid.and_then(|laid| self.with_room(&laid, most)) {
            Ok(wanted) => restick::copy_to(found, &wanted),
            Err(why) => Fit::Never(format!("has no room for whole sticks of {most}: {why}")),
        })
    }

    /// Returns the sticks that an operation may walk along if its result has `found` on its stick.
    fn sticks_for(&self, found: Stick) -> Vec<Stick> {
        let Some(result) = self.result() else {
            return vec![None];
        };
        let mut sticks = result.sticks_for(found, 0..self.vars);
        sticks.retain(|stick| self.can_walk(*stick));
        if self.rule != StickRule::LastDim {
            return sticks;
        }
        let last = self
            .accesses
            .first()
            .and_then(|access| *access.vars.last()?);
        sticks.into_iter().filter(|stick| *stick == last).collect()
    }

    /// Returns the layout of the first operand that is indexed like the result; `None` if there is none. The layout is kept
    /// exactly, with its order of dimensions and its padding.
    fn like_an_operand(
        &self,
        stick: Stick,
        arrangement: Arrangement,
        walks: bool,
        format: DeviceFormat,
    ) -> Result<Option<Candidate<'p>>, String> {
        let Some(result) = self.result() else {
            return Ok(None);
        };
        if matches!(self.rule, StickRule::Matmul | StickRule::TopK) {
            return Ok(None);
        }
        for (access, candidates) in self.accesses.iter().zip(&self.operands) {
            let per_stick = format.elements_per_stick();
            let same_stick =
                |ty: &Candidate<'p>| ty.device.format().elements_per_stick() == per_stick;
            let alike = candidates.iter().find(|ty| {
                let layout = ty.device.layout();
                access.vars == result.vars
                    && ty.shape() == self.shape
                    && access.on_stick(layout) == stick
                    && layout.arrangement() == arrangement
                    && (same_stick(ty) || self.rule == StickRule::Cast)
                    && ty.device.view().check_result().is_ok()
            });
            if let Some(alike) = alike {
                let arrangement = self.result_arrangement(walks, arrangement)?;
                let layout = alike.device.layout();
                if alike.element == self.element
                    && alike.device.format() == format
                    && layout.arrangement() == arrangement
                {
                    return Ok(Some(Rc::clone(alike)));
                }
                let layout = if same_stick(alike) {
                    layout.clone()
                } else {
                    let rebuilt = layout.with_elements_per_stick(per_stick);
                    rebuilt.map_err(|why| why.to_string())?
                };
                let layout = restick::in_format(layout, self.element, format, arrangement)?;
                let ty = self
                    .builder
                    .types
                    .with_layout(&self.shape, self.element, &layout)?;
                return Ok(Some(ty));
            }
        }
        Ok(None)
    }

    fn result_arrangement(
        &self,
        walks: bool,
        arrangement: Arrangement,
    ) -> Result<Arrangement, String> {
        match (self.facts.pairs, walks) {
            (Some(Pairs::Makes), _) => Ok(Arrangement::Exx2),
            // One element has no order.
            (_, false) => Ok(Arrangement::Standard),
            _ if self.rule == StickRule::Cast => self.facts.cast_arrangement(arrangement)
                .ok_or_else(|| {
                    let help = match arrangement {
                        Arrangement::Standard => "give the result a layout",
                        _ => "give the result a layout, or cast back first",
                    };
                    format!(
                        "operand #0 is in the arrangement {arrangement}, and {} leaves no known one from there; {help}",
                        self.facts.name
                    )
                }),
            _ => Ok(arrangement),
        }
    }

    /// Returns the format in which the device stores the result. A truth value has the format of the values that it was made
    /// from.
    fn format(&self) -> Result<DeviceFormat, String> {
        let own = device_format(self.element)?;
        if !is_bool(self.element) {
            return Ok(own);
        }
        // A selection of truth values has the format of the selected values, and not that of its condition.
        let formats = self.operands.iter().enumerate();
        let formats = formats.skip(self.facts.first_value);
        let mut formats =
            formats.filter_map(|(operand, found)| Some((operand, found.first()?.device.format())));
        let Some((operand, first)) = formats.next() else {
            return Ok(own);
        };
        if let Some((another, other)) = formats.find(|(_, other)| *other != first) {
            return Err(format!(
                "operand #{operand} is stored as {first} and operand #{another} as {other}, but a truth value has the \
                 one format of what it is made from; cast one of them, or what it was compared from"
            ));
        }
        match first {
            DeviceFormat::Sen169Fp16 | DeviceFormat::IeeeFp32 => Ok(first),
            other => Err(format!(
                "operand #{operand} is stored as {other}, and there are no truth values in that format; compare \
                 elements of f16 or f32"
            )),
        }
    }

    fn result(&self) -> Option<&Access> {
        self.accesses.last()
    }

    fn sticks_are_alike(&self) -> bool {
        matches!(
            self.rule,
            StickRule::Common | StickRule::LastDim | StickRule::Gather
        )
    }

    fn choice(&self, plan: Plan<'p>) -> Choice<'p> {
        let operands = self.operands.iter().zip(&self.views).enumerate();
        let fits = operands.map(|(operand, (candidates, views))| {
            let seen = candidates.iter().zip(views.iter());
            let fit = seen.map(|(ty, view)| match readable(view) {
                Fit::Never(why) => Fit::Never(why),
                _ => self.fit(&plan, operand, ty, view),
            });
            fit.collect()
        });
        Choice {
            fits: fits.collect(),
            view: plan.ty.device.view(),
            ty: Rc::clone(&plan.ty),
        }
    }

    /// Returns the need of an operand of the type `found`: none, a copy, or the reason why it is impossible.
    fn fit(&self, plan: &Plan<'p>, operand: usize, found: &Candidate<'p>, view: &View) -> Fit<'p> {
        let Some(access) = self.accesses.get(operand) else {
            return Fit::Met;
        };
        match self.rule {
            StickRule::Restickify => return restickified(found, &plan.ty),
            StickRule::Gather if operand == 0 => return self.indices(found),
            _ => {}
        }
        let stick = access.on_stick(found.device.layout());
        if self.rule == StickRule::Gather
            && plan
                .sticks
                .iter()
                .any(|wanted| access.allows(*wanted, stick))
        {
            return self.table(plan, found, stick);
        }
        if self.rule == StickRule::Matmul
            && stick.is_none()
            && let Some(last) = found.shape().len().checked_sub(1)
            && found
                .device
                .layout()
                .stick_dim()
                .is_some_and(|dim| dim != last)
        {
            // A dimension of one element on the stick is only a row or column of a product if it is the last one.
            return self.laid(found, Some(last));
        }
        let sticks = match self.rule {
            // Each operand has its own stick.
            StickRule::Matmul => vec![access.vars.last().copied().flatten()],
            _ => plan.sticks.clone(),
        };
        if self.rule == StickRule::Cast && stick.is_none() && plan.sticks.contains(&None) {
            return self.cast_of_one(plan, found, view);
        }
        if sticks.iter().any(|wanted| access.allows(*wanted, stick)) {
            let refused = self.alike(plan, found, stick);
            return refused
                .or_else(|| self.room(found, view))
                .unwrap_or(Fit::Met);
        }
        let position = sticks
            .iter()
            .flatten()
            .find_map(|var| access.position(*var));
        let device = &found.device;
        let wanted = default_with_stick(
            self.builder.types,
            found.shape(),
            found.element,
            device.format(),
            position,
            Arrangement::Standard,
        );
        let wanted = wanted.and_then(|wanted| self.with_room(&wanted, self.together(&wanted)));
        match wanted {
            Ok(wanted) => match restick::copy_to(found, &wanted) {
                Fit::Restickify(wanted) => self
                    .alike(plan, &wanted, sticks.first().copied().flatten())
                    .unwrap_or(Fit::Restickify(wanted)),
                refused => refused,
            },
            Err(why) => Fit::Never(format!(
                "{}, which it cannot: {why}",
                wants(&found.device, position)
            )),
        }
    }

    /// Returns the need of a cast's operand with one element in each stick. A cast has coordinates for a dimension of extent 1,
    /// so both sides have the same dimension on their sticks, or both have none.
    fn cast_of_one(&self, plan: &Plan<'p>, found: &Candidate<'p>, view: &View) -> Fit<'p> {
        let wanted = plan.ty.device.layout().stick_dim();
        let met = |found: &Candidate<'p>| self.room(found, view).unwrap_or(Fit::Met);
        if found.device.layout().stick_dim() == wanted {
            return self.alike(plan, found, None).unwrap_or_else(|| met(found));
        }
        self.laid(found, wanted)
    }

    /// Returns the copy of an operand to the default layout with the dimension `stick` on its stick, or with one element in each
    /// stick for `None`; or the reason why it is impossible.
    fn laid(&self, found: &Candidate<'p>, stick: Option<usize>) -> Fit<'p> {
        let laid = default_with_stick(
            self.builder.types,
            found.shape(),
            found.element,
            found.device.format(),
            stick,
            Arrangement::Standard,
        );
        match laid.and_then(|laid| self.with_room(&laid, self.together(&laid))) {
            Ok(laid) => restick::copy_to(found, &laid),
            Err(why) => Fit::Never(format!(
                "{}, which it cannot: {why}",
                wants(&found.device, stick)
            )),
        }
    }

    /// Returns the need of a table that has the right dimension on its stick: an index is a coordinate, and the other coordinates
    /// are those of the result.
    fn table(&self, plan: &Plan<'p>, found: &Candidate<'p>, stick: Stick) -> Fit<'p> {
        let position = stick.and_then(|var| self.accesses.get(1)?.position(var));
        let wanted = default_with_stick(
            self.builder.types,
            found.shape(),
            found.element,
            found.device.format(),
            position,
            found.device.layout().arrangement(),
        );
        match wanted {
            Ok(wanted) if !is_alike(found, &wanted) => restick::copy_to(found, &wanted),
            _ => self.alike(plan, found, stick).unwrap_or(Fit::Met),
        }
    }

    /// Returns the need of indices, which are read as whole sticks.
    fn indices(&self, found: &Candidate<'p>) -> Fit<'p> {
        let shape = found.shape();
        let device = &found.device;
        let arrangement = device.layout().arrangement();
        if device.layout().stick_dim().is_some() {
            if arrangement != Arrangement::Standard {
                return Fit::Never(format!(
                    "is in the arrangement {arrangement} along its stick, but a gather reads indices in their order; compute them \
                     from integers or floats of 32 bits"
                ));
            }
            return Fit::Met;
        }
        let last = shape.len().saturating_sub(1);
        let longest = (0..shape.len())
            .rev()
            .find(|dim| shape.get(*dim) != Some(&1));
        let position = longest.unwrap_or(last);
        let wanted = default_with_stick(
            self.builder.types,
            shape,
            found.element,
            device.format(),
            Some(position),
            Arrangement::Standard,
        );
        match wanted {
            Ok(wanted) => restick::copy_to(found, &wanted),
            Err(why) => Fit::Never(format!(
                "{}, which it cannot: {why}",
                wants(device, Some(position))
            )),
        }
    }

    /// Returns the reason why an operand that has the right dimension on its stick does not go with the others; `None` if it
    /// does.
    fn alike(&self, plan: &Plan<'p>, found: &Candidate<'p>, stick: Stick) -> Option<Fit<'p>> {
        let device = &found.device;
        let arrangement = device.layout().arrangement();
        let elements = device.format().elements_per_stick();
        if stick.is_none() {
            // Only layer norm reads two values in a stick, because it knows where they are.
            let misread =
                arrangement == Arrangement::Exx2 && self.facts.pairs != Some(Pairs::Reads);
            return misread.then(|| {
                Fit::Never(format!(
                    "holds two values in each stick (arrangement {arrangement}), which only layernormscale and \
                     layernormnorm read"
                ))
            });
        }
        if let Some(wanted) = plan.elements.filter(|wanted| *wanted != elements) {
            let help = if is_bool(found.element) {
                "a truth value has the format of what was compared, so compare in the other format"
            } else {
                "cast it"
            };
            return Some(Fit::Never(format!(
                "is stored as {} with {elements} in a stick, but the operation walks along sticks of {wanted}; {help}",
                device.format()
            )));
        }
        let reduced = stick.filter(|var| {
            let result = self.result();
            self.is_reduction && result.is_some_and(|result| result.position(*var).is_none())
        });
        let unit = self.together(found);
        let extent = |var| {
            let place = self.accesses.first()?.position(var)?;
            found.shape().get(place).copied()
        };
        if let Some(extent) = reduced.and_then(extent).filter(|extent| {
            arrangement != Arrangement::Standard && !Elements(*extent).is_multiple_of(unit)
        }) {
            return Some(Fit::Never(format!(
                "is in the arrangement {arrangement} along its stick, and {extent} elements there are no whole sticks of \
                 {unit}: nobody knows which of them to mask; a cast back restores the order"
            )));
        }
        if plan.arrangements.contains(&arrangement) {
            return None;
        }
        let wanted = *plan.arrangements.first()?;
        // The operands of this operation are quantized for it.
        if self.facts.is_quantized {
            return None;
        }
        let other = match self.operands.len() {
            1 => "the result",
            _ => "another operand",
        };
        Some(Fit::Never(if !self.sticks_are_alike() {
            format!(
                "is in the arrangement {arrangement} along its stick, but the operation needs {wanted}; a cast back \
                 restores the order"
            )
        } else if arrangement == Arrangement::Standard || wanted == Arrangement::Standard {
            format!(
                "is in the arrangement {arrangement} along its stick, but {other} is in {wanted}; only operands that \
                 are broadcast along the stick go with another one. Cast the staggered one back, or the other one in \
                 the same way"
            )
        } else {
            format!(
                "is in the arrangement {arrangement} along its stick, but {other} is in {wanted}; two staggered orders \
                 do not go together. Cast one of them back"
            )
        }))
    }
}

/// Returns [`Fit::Met`] if one operation can restickify an operand as the program asks, and the reason if it cannot.
fn restickified<'p>(found: &Candidate<'p>, wanted: &Candidate<'p>) -> Fit<'p> {
    let (have, want) = (&found.device, &wanted.device);
    let relayout = Relayout::between(have, want);
    match relayout.and_then(|relayout| relayout.in_one_operation(have, want)) {
        Ok(()) => Fit::Met,
        Err(why) => Fit::Never(why),
    }
}

fn wants(device: &spyre_layout::DeviceTensor, position: Option<usize>) -> String {
    let has = match device.layout().stick_dim() {
        Some(dim) => format!("has dimension {dim} on its stick"),
        None => "has one element in each stick".to_owned(),
    };
    match position {
        Some(position) => format!("{has} and needs dimension {position} there"),
        None => format!("{has} and needs one element in each"),
    }
}

fn is_bool(element: Type<'_>) -> bool {
    melior::ir::r#type::IntegerType::try_from(element).is_ok_and(|ty| ty.width() == 1)
}
