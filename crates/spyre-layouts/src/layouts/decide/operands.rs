//! The change that gives an operand the layout that a plan requires: none, a copy, or the reason why it is impossible.

use std::rc::Rc;

use spyre_layout::{Arrangement, DeviceTensor, Elements, View};
use spyre_ops::StickRule;
use spyre_ops::sticks::Stick;

use super::super::analysis::Candidate;
use super::super::fit::{Choice, OperandFit, is_alike, readable};
use super::super::restick::{self, Relayout, with_stick};
use super::plans::is_bool;
use super::{Decision, Plan};

impl<'p> Decision<'_, '_, 'p> {
    /// Returns the choice of a plan, with the change that each candidate of each operand needs for it.
    pub(super) fn choice(&self, plan: Plan<'p>) -> Choice<'p> {
        let operands = self.operands.iter().zip(&self.views).enumerate();
        let fits = operands.map(|(operand, (candidates, views))| {
            let seen = candidates.iter().zip(views.iter());
            let fit = seen.map(|(ty, view)| match readable(view) {
                OperandFit::Never(reason) => OperandFit::Never(reason),
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

    /// Returns the need of an operand of the type `candidate`: none, a copy, or the reason why it is impossible.
    fn fit(
        &self,
        plan: &Plan<'p>,
        operand: usize,
        candidate: &Candidate<'p>,
        view: &View,
    ) -> OperandFit<'p> {
        let Some(access) = self.accesses.get(operand) else {
            return OperandFit::Met;
        };
        if let Some(reason) = self.misread_pair(operand, candidate) {
            return OperandFit::Never(reason);
        }
        match self.rule {
            StickRule::Restickify => return restickified(candidate, &plan.ty),
            StickRule::Gather if operand == 0 => return self.indices(candidate),
            _ => {}
        }
        let stick = access.on_stick(candidate.device.layout());
        if self.rule == StickRule::Gather
            && plan.sticks.iter().any(|other| access.allows(*other, stick))
        {
            return self.table(plan, candidate, stick);
        }
        if self.rule == StickRule::Matmul
            && stick.is_none()
            && let Some(last) = candidate.shape().len().checked_sub(1)
            && candidate
                .device
                .layout()
                .stick_dim()
                .is_some_and(|dim| dim != last)
        {
            // A dimension of one element on the stick is only a row or column of a product if it is the last one.
            return self.laid(candidate, Some(last));
        }
        let sticks = match self.rule {
            // Each operand has a separate stick.
            StickRule::Matmul => vec![access.vars.last().copied().flatten()],
            _ => plan.sticks.clone(),
        };
        if sticks.is_empty() {
            return OperandFit::Never(format!(
                "has no layout that is compatible with {} of the result; leave the layout of the result out, and the passes choose one",
                plan.ty.device.layout()
            ));
        }
        if self.rule == StickRule::Cast && stick.is_none() && plan.sticks.contains(&None) {
            return self.cast_of_one(plan, candidate, view);
        }
        if sticks.iter().any(|other| access.allows(*other, stick)) {
            let refused = self.alike(plan, candidate, stick);
            return refused
                .or_else(|| self.room(candidate, view))
                .unwrap_or(OperandFit::Met);
        }
        let position = sticks
            .iter()
            .flatten()
            .find_map(|var| access.position(*var));
        match self.laid(candidate, position) {
            OperandFit::Restickify(target) => self
                .alike(plan, &target, sticks.first().copied().flatten())
                .unwrap_or(OperandFit::Restickify(target)),
            refused => refused,
        }
    }

    /// Returns the reason why an operand is a pair of moments and should not be one, or the other way round. The places
    /// of the two values in a stick are not published, so only the operations of a layer norm read them, and only
    /// results of `exx2`; a copy moves whole sticks (contract, K29 and K30).
    fn misread_pair(&self, operand: usize, candidate: &Candidate<'p>) -> Option<String> {
        let is_pair = candidate.device.layout().arrangement() == Arrangement::Exx2;
        let reads_pair = self.facts.pair_operand() == Some(operand);
        match (is_pair, reads_pair) {
            (true, false) if !self.facts.is_copy() => Some(
                "holds two values in each stick (arrangement EXX2), which only layernormscale and layernormnorm read"
                    .to_owned(),
            ),
            (false, true) => Some(format!(
                "is in the arrangement {} and not EXX2, in which exx2 leaves the two values of a row; compute them by \
                 spyre.exx2",
                candidate.device.layout().arrangement()
            )),
            _ => None,
        }
    }

    /// Returns the need of a cast's operand with one element in each stick. A cast has coordinates for a dimension of extent 1,
    /// so both sides have the same dimension on their sticks, or both have none.
    fn cast_of_one(
        &self,
        plan: &Plan<'p>,
        candidate: &Candidate<'p>,
        view: &View,
    ) -> OperandFit<'p> {
        let stick = plan.ty.device.layout().stick_dim();
        let met = |ty: &Candidate<'p>| self.room(ty, view).unwrap_or(OperandFit::Met);
        if candidate.device.layout().stick_dim() == stick {
            return self
                .alike(plan, candidate, None)
                .unwrap_or_else(|| met(candidate));
        }
        self.laid(candidate, stick)
    }

    /// Returns the copy of an operand to the default layout with the dimension `stick` on its stick, or with one element in each
    /// stick for `None`; or the reason why it is impossible.
    fn laid(&self, candidate: &Candidate<'p>, stick: Option<usize>) -> OperandFit<'p> {
        let laid = with_stick(self.builder.types, candidate, stick, Arrangement::Standard);
        match laid.and_then(|laid| self.with_room(&laid, self.together(&laid))) {
            Ok(laid) => restick::copy_to(candidate, &laid),
            Err(reason) => OperandFit::Never(format!(
                "{}, which it cannot: {reason}",
                wants(&candidate.device, stick)
            )),
        }
    }

    /// Returns the layout that a gathered table must have for a result with `stick` on the stick: the same dimension on
    /// its stick, since the result has the coordinates of the table except for the gathered one.
    fn table(&self, plan: &Plan<'p>, candidate: &Candidate<'p>, stick: Stick) -> OperandFit<'p> {
        let position = stick.and_then(|var| self.accesses.get(1)?.position(var));
        let target = with_stick(
            self.builder.types,
            candidate,
            position,
            candidate.device.layout().arrangement(),
        );
        match target {
            Ok(target) if !is_alike(candidate, &target) => restick::copy_to(candidate, &target),
            _ => self
                .alike(plan, candidate, stick)
                .unwrap_or(OperandFit::Met),
        }
    }

    /// Returns the need of indices, which are read as whole sticks.
    fn indices(&self, candidate: &Candidate<'p>) -> OperandFit<'p> {
        let shape = candidate.shape();
        let device = &candidate.device;
        let arrangement = device.layout().arrangement();
        if device.layout().stick_dim().is_some() {
            if arrangement != Arrangement::Standard {
                return OperandFit::Never(format!(
                    "is in the arrangement {arrangement} along its stick, but a gather reads indices in their order; compute them \
                     from integers or floats of 32 bits"
                ));
            }
            return OperandFit::Met;
        }
        let last = shape.len().checked_sub(1);
        let longest = (0..shape.len()).rev().find(|dim| shape[*dim] != 1);
        let position = longest.or(last).expect("indices have a dimension (S25)");
        let target = with_stick(
            self.builder.types,
            candidate,
            Some(position),
            Arrangement::Standard,
        );
        match target {
            Ok(target) => restick::copy_to(candidate, &target),
            Err(reason) => OperandFit::Never(format!(
                "{}, which it cannot: {reason}",
                wants(device, Some(position))
            )),
        }
    }

    /// Returns the need of an operand with the right dimension on its stick that lacks room for the elements that the operation
    /// runs over; `None` if it has the room.
    fn room(&self, candidate: &Candidate<'p>, view: &View) -> Option<OperandFit<'p>> {
        let most = self.together(candidate);
        let dim = view.layout().stick_dim()?;
        let extent = view.shape().get(dim).copied()?;
        if extent == 1 && self.rule != StickRule::Cast {
            return None;
        }
        let held = view
            .room_along_stick()
            .expect("only what an operation can read is asked for room");
        let padded = extent.checked_next_multiple_of(most.get())?;
        let sticks = extent
            .checked_next_multiple_of(candidate.device.format().elements_per_stick().get())?;
        // The last window of a longer tensor has room only if the tensor ends with a whole multiple.
        let is_window = held.get() > sticks;
        if held.get() >= padded && (!is_window || held.is_multiple_of(most)) {
            return None;
        }
        let laid = with_stick(
            self.builder.types,
            candidate,
            Some(dim),
            candidate.device.layout().arrangement(),
        );
        Some(match laid.and_then(|laid| self.with_room(&laid, most)) {
            Ok(target) => restick::copy_to(candidate, &target),
            Err(reason) => {
                OperandFit::Never(format!("has no room for whole sticks of {most}: {reason}"))
            }
        })
    }

    /// Returns the reason why an operand that has the right dimension on its stick does not go with the others; `None` if it
    /// does.
    fn alike(
        &self,
        plan: &Plan<'p>,
        candidate: &Candidate<'p>,
        stick: Stick,
    ) -> Option<OperandFit<'p>> {
        let device = &candidate.device;
        let arrangement = device.layout().arrangement();
        let elements = device.format().elements_per_stick();
        // With one element in each stick, there is no order inside a stick.
        stick?;
        if let Some(plan_elements) = plan
            .elements
            .filter(|plan_elements| *plan_elements != elements)
        {
            let help = if is_bool(candidate.element) {
                "a truth value has the format of what was compared, so compare in the other format"
            } else {
                "cast it"
            };
            return Some(OperandFit::Never(format!(
                "is stored as {} with {elements} in a stick, but the operation walks along sticks of {plan_elements}; {help}",
                device.format()
            )));
        }
        let reduced =
            stick.filter(|var| self.is_reduction && self.result().position(*var).is_none());
        let unit = self.together(candidate);
        let extent = |var| {
            let place = self.accesses.first()?.position(var)?;
            candidate.shape().get(place).copied()
        };
        if let Some(extent) = reduced.and_then(extent).filter(|extent| {
            arrangement != Arrangement::Standard && !Elements(*extent).is_multiple_of(unit)
        }) {
            return Some(OperandFit::Never(format!(
                "is in the arrangement {arrangement} along its stick, and {extent} elements there are no whole sticks of \
                 {unit}: no document has the positions of the last ones, to mask them; a cast back restores the order"
            )));
        }
        if plan.arrangements.contains(&arrangement) {
            return None;
        }
        let plan_arrangement = *plan.arrangements.first()?;
        // The operands of this operation were quantized for it, so their order always fits.
        if self.facts.is_quantized {
            return None;
        }
        let other = match self.operands.len() {
            1 => "the result",
            _ => "another operand",
        };
        Some(OperandFit::Never(if !self.sticks_are_alike() {
            format!(
                "is in the arrangement {arrangement} along its stick, but the operation needs {plan_arrangement}; a cast back \
                 restores the order"
            )
        } else if arrangement == Arrangement::Standard || plan_arrangement == Arrangement::Standard
        {
            format!(
                "is in the arrangement {arrangement} along its stick, but {other} is in {plan_arrangement}; only operands that \
                 are broadcast along the stick go with another one. Cast the staggered one back, or the other one in \
                 the same way"
            )
        } else {
            format!(
                "is in the arrangement {arrangement} along its stick, but {other} is in {plan_arrangement}; two different staggered \
                 orders cannot be combined. Cast one of them back"
            )
        }))
    }
}

/// Returns [`OperandFit::Met`] if one operation can restickify an operand as the program requires, and the reason if it
/// cannot.
fn restickified<'p>(candidate: &Candidate<'p>, target: &Candidate<'p>) -> OperandFit<'p> {
    let (have, want) = (&candidate.device, &target.device);
    let relayout = Relayout::between(candidate, target);
    match relayout.and_then(|relayout| relayout.in_one_operation(have, want)) {
        Ok(()) => OperandFit::Met,
        Err(reason) => OperandFit::Never(reason),
    }
}

/// Returns the message about the dimension that a tensor has on its stick and the one that it needs there.
fn wants(device: &DeviceTensor, position: Option<usize>) -> String {
    let has = match device.layout().stick_dim() {
        Some(dim) => format!("has dimension {dim} on its stick"),
        None => "has one element in each stick".to_owned(),
    };
    match position {
        Some(position) => format!("{has} and needs dimension {position} there"),
        None => format!("{has} and needs one element in each"),
    }
}
