//! The dimensions that an operation may walk along, and the arrangements that the operands have there.

use spyre_layout::{Arrangement, DeviceFormat};
use spyre_ops::StickRule;
use spyre_ops::sticks::{Access, Stick};

use super::Decision;

impl Decision<'_, '_, '_> {
    /// Returns the sticks that a result without a layout may have: the sticks of the operands, then the sticks that
    /// users of the result need, then sparse sticks if all operands can have them.
    pub(super) fn open_sticks(&self) -> Vec<Stick> {
        let last_of = |access: Option<&Access>| access.and_then(|access| *access.vars.last()?);
        match self.rule {
            StickRule::Matmul => return vec![last_of(Some(self.result()))],
            StickRule::LastDim => return vec![last_of(self.accesses.first())],
            StickRule::Gather => return self.gathered_sticks(),
            _ => {}
        }
        let mut sticks: Vec<Stick> = Vec::new();
        let operand_sticks = self.operand_sticks().into_iter().flatten();
        for stick in operand_sticks.chain(self.wanted_sticks()) {
            if stick.is_some() && !sticks.contains(&stick) {
                sticks.push(stick);
            }
        }
        if self.rule == StickRule::TopK {
            self.keep_searchable(&mut sticks);
        }
        let sparse = self
            .operand_sticks()
            .iter()
            .all(|options| options.contains(&None));
        if sparse || sticks.is_empty() {
            sticks.push(None);
        }
        if self.loses_order() {
            self.add_every_dimension(&mut sticks);
        }
        // A tensor of one element has no dimension that could be on the stick. Its stick has the layout of a full stick.
        let is_one = self.shape.iter().all(|extent| *extent == 1);
        sticks.retain(|stick| stick.is_some() || is_one || !self.has_two_widths());
        sticks
    }

    /// Returns whether the operation casts between formats of different widths. With one element in each stick, a core would have a
    /// whole stick of the wider format only (contract, K36).
    pub(super) fn has_two_widths(&self) -> bool {
        let format = self
            .operands
            .first()
            .and_then(|candidates| candidates.first());
        let operand = format.map(|ty| ty.device.format().elements_per_stick());
        let result = self.format().ok().map(DeviceFormat::elements_per_stick);
        self.rule == StickRule::Cast && operand != result
    }

    /// Returns the sticks that each operand can have, per operand.
    fn operand_sticks(&self) -> Vec<Vec<Stick>> {
        let operands = self.accesses.iter().zip(&self.operands);
        let sticks = operands.map(|(access, candidates)| {
            let layouts = candidates.iter().map(|ty| ty.device.layout());
            layouts.map(|layout| access.on_stick(layout)).collect()
        });
        sticks.collect()
    }

    /// Returns the sticks that users of the result need; `None` for a dimension that can be on no stick.
    fn wanted_sticks(&self) -> impl Iterator<Item = Stick> {
        let vars = &self.result().vars;
        let dims = self.wanted_dims.iter();
        dims.map(|dim| vars.get(*dim).copied().flatten())
    }

    /// Keeps the sticks that a search can walk along. If there are none, the last dimension that it can walk along is on the
    /// stick, or, without such a dimension, each stick has one element.
    fn keep_searchable(&self, sticks: &mut Vec<Stick>) {
        sticks.retain(|stick| self.can_walk(*stick));
        if sticks.is_empty() {
            let result = self.result().vars.iter();
            let dims = result.rev().filter(|stick| stick.is_some());
            sticks.extend(dims.filter(|stick| self.can_walk(**stick)).take(1));
        }
        if sticks.is_empty() {
            sticks.push(None);
        }
    }

    /// Returns whether the operation is a cast that leaves elements of standard order in another order.
    fn loses_order(&self) -> bool {
        self.rule == StickRule::Cast
            && self
                .facts
                .cast_arrangement(Arrangement::Standard)
                .is_some_and(|left| left != Arrangement::Standard)
    }

    /// Adds every dimension of the result that can be on a stick, and sparse sticks.
    ///
    /// No operation can change the layout of a result that a cast leaves in another order, because that order is not
    /// known. So the operand gets the layout that users need. Where the order matters, sparse sticks are left: one
    /// element in each stick has no order.
    fn add_every_dimension(&self, sticks: &mut Vec<Stick>) {
        let vars = self.result().vars.iter().zip(&self.shape);
        let long = vars.filter(|(stick, extent)| stick.is_some() && **extent > 1);
        for stick in long.map(|(stick, _)| *stick).chain([None]) {
            if !sticks.contains(&stick) {
                sticks.push(stick);
            }
        }
    }

    /// Returns whether the operation can walk along a dimension. The searched dimension of a search cannot be on its sticks
    /// (contract, K26).
    pub(super) fn can_walk(&self, stick: Stick) -> bool {
        self.searched.is_none() || stick != self.searched
    }

    /// Returns the sticks of the table that the result can have, then the sticks that users of the result need. If
    /// there are none, the last dimension that the table keeps is on the stick.
    fn gathered_sticks(&self) -> Vec<Stick> {
        // A gather has indices as its first operand, and the table as its second.
        let (table, result) = (&self.accesses[1], self.result());
        let table_sticks = self.operands[1]
            .iter()
            .map(|ty| table.on_stick(ty.device.layout()));
        let wanted_sticks = self
            .wanted_dims
            .iter()
            .filter_map(|dim| result.vars.get(*dim).copied().flatten());
        let last = table.vars.iter().rev().copied().flatten();
        let is_kept =
            |var: &usize| table.position(*var).is_some() && result.position(*var).is_some();
        let mut sticks: Vec<Stick> = Vec::new();
        for stick in table_sticks.chain(wanted_sticks.filter(is_kept).map(Some)) {
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
    pub(super) fn arrangements(&self, stick: Stick) -> Vec<Arrangement> {
        let mut arrangements = Vec::new();
        if matches!(self.rule, StickRule::Matmul | StickRule::TopK) {
            return vec![Arrangement::Standard];
        }
        for (access, candidates) in self.accesses.iter().zip(&self.operands) {
            for ty in *candidates {
                let layout = ty.device.layout();
                if stick.is_some()
                    && access.on_stick(layout) == stick
                    && !arrangements.contains(&layout.arrangement())
                {
                    arrangements.push(layout.arrangement());
                }
            }
        }
        if arrangements.is_empty() {
            arrangements.push(Arrangement::Standard);
        }
        arrangements
    }

    /// Returns the sticks that an operation may walk along if its result has `result_stick` on its stick.
    pub(super) fn sticks_for(&self, result_stick: Stick) -> Vec<Stick> {
        let mut sticks = self.result().sticks_for(result_stick, 0..self.vars);
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
}
