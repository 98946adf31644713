//! The types that a result may have, and the requirements of each on the operands.

use std::rc::Rc;

use melior::ir::Type;
use spyre_analysis::tensor::device_format;
use spyre_layout::{Arrangement, DeviceFormat};
use spyre_ops::sticks::Stick;
use spyre_ops::{Pairs, StickRule};

use super::super::analysis::Candidate;
use super::super::restick::{self, default_with_stick};
use super::{Decision, Plan};

impl<'p> Decision<'_, '_, 'p> {
    /// Returns the plan for a result of the type `ty`.
    pub(super) fn for_type(&self, ty: &Candidate<'p>) -> Plan<'p> {
        let device = &ty.device;
        let result_stick = self.result().on_stick(device.layout());
        let walks = result_stick.is_some();
        let arrangement = device.layout().arrangement();
        Plan {
            ty: Rc::clone(ty),
            sticks: self.sticks_for(result_stick),
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
    pub(super) fn open(&self) -> Result<Vec<Plan<'p>>, String> {
        let mut plans: Vec<Plan<'p>> = Vec::new();
        let mut refused = None;
        for stick in self.open_sticks() {
            for arrangement in self.arrangements(stick) {
                match self.plan(stick, arrangement) {
                    Ok(plan) if plans.iter().any(|other| other.ty.ty == plan.ty.ty) => {}
                    Ok(plan) => plans.push(plan),
                    Err(reason) => refused = refused.or(Some(reason)),
                }
            }
        }
        match (plans.is_empty(), refused) {
            (true, Some(reason)) => Err(reason),
            _ => Ok(plans),
        }
    }

    /// Returns the plan of an operation that walks along `stick`, where the elements are in `arrangement`.
    fn plan(&self, stick: Stick, arrangement: Arrangement) -> Result<Plan<'p>, String> {
        let format = self.format()?;
        let position = stick.and_then(|var| self.result().position(var));
        // A result of one column has no dimension on its stick, but products run over whole sticks of columns. A pair of moments is
        // alone in its stick, and the iteration space has no dimension for it. A cast of one element to another width runs over whole
        // sticks of both (contract, K36).
        let last = self.shape.len().checked_sub(1);
        let has_last = self.rule == StickRule::Matmul
            || self.facts.pairs == Some(Pairs::Makes)
            || self.has_two_widths();
        let laid = position.or(last.filter(|_| has_last));
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
                let result_stick = self.result().on_stick(ty.device.layout());
                self.sticks_for(result_stick)
            }
        };
        Ok(Plan {
            sticks,
            elements: alike.then(|| format.elements_per_stick()),
            arrangements: vec![arrangement],
            ty,
        })
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
        let result = self.result();
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
                    && (layout.stick_dim().is_some() || !self.has_two_widths())
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
                    rebuilt.map_err(|err| err.to_string())?
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

    /// Returns the arrangement that the operation leaves, where `walks` is whether it iterates along its sticks.
    fn result_arrangement(
        &self,
        walks: bool,
        arrangement: Arrangement,
    ) -> Result<Arrangement, String> {
        match (self.facts.pairs, walks) {
            (Some(Pairs::Makes), _) => Ok(Arrangement::Exx2),
            // A stick of one element has no order.
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

    /// Returns the format in which the device stores the result. A truth value has the format of the compared values.
    pub(super) fn format(&self) -> Result<DeviceFormat, String> {
        let element_format = device_format(self.element)?;
        if !is_bool(self.element) {
            return Ok(element_format);
        }
        // A selection of truth values has the format of the selected values, and not that of its condition.
        let formats = self.operands.iter().enumerate();
        let formats = formats.skip(self.facts.first_value);
        let mut formats = formats.filter_map(|(operand, candidates)| {
            Some((operand, candidates.first()?.device.format()))
        });
        let Some((operand, first)) = formats.next() else {
            return Ok(element_format);
        };
        if let Some((another, other)) = formats.find(|(_, other)| *other != first) {
            return Err(format!(
                "operand #{operand} is stored as {first} and operand #{another} as {other}, but all truth values of an \
                 operation must have the same format, the format of the compared values; cast one of them, or the values that were compared"
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
}

/// Returns whether an element is a truth value.
pub(super) fn is_bool(element: Type<'_>) -> bool {
    melior::ir::r#type::IntegerType::try_from(element).is_ok_and(|ty| ty.width() == 1)
}
