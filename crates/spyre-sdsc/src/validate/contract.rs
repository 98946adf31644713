//! Rules of the published contract, SuperDSC-Bundle 1.0.0, that a planned operation can break.
//!
//! A recorded bundle may break them, and the revisions before the contract do not check them. Each [`Rule`] is one
//! function on one [`Planned`] operation, which returns the conflict with its numbers and a way out. [`findings`]
//! checks all of them, and the writer rejects a bundle at the first finding with a rule that [`PlanOptions::waived`]
//! does not name.
//!
//! [`PlanOptions::waived`]: crate::codegen::PlanOptions::waived

mod arity;
mod division;
mod folds;
mod gathers;
mod masks;
mod memory;
mod products;
mod relayout;
mod search;
mod sticks;

use crate::codegen::Descriptor;
use crate::error::OpRef;
use crate::model::OpSpec;

pub use crate::rule::{Finding, Rule, RuleSet};

/// A planned operation, with the specification that it is the plan of.
#[derive(Clone, Copy, Debug)]
pub struct Planned<'a> {
    /// The specification.
    pub op: &'a OpSpec,
    /// The plan.
    pub descriptor: &'a Descriptor,
    /// The largest numbers of trips of the loops around it, outermost first; empty if they are not known.
    pub trips: &'a [u64],
}

/// Returns the conflict of an operation with a rule, in words; `None` if there is none.
#[must_use]
pub fn conflict(rule: Rule, planned: &Planned<'_>) -> Option<String> {
    match rule {
        Rule::MaskValue => masks::value(planned),
        Rule::MaskWidth => masks::width(planned),
        Rule::MaskDivision => division::masks(planned),
        Rule::ProductRoles => products::roles(planned),
        Rule::ElementwiseStick => sticks::elementwise(planned),
        Rule::SearchStick => search::sticks(planned),
        Rule::SearchFormat => search::format(planned),
        Rule::SearchSize => search::size(planned),
        Rule::RestickifySticks => sticks::restickify(planned),
        Rule::WholeSticks => division::sticks(planned),
        Rule::Span => memory::spans(planned),
        Rule::OneReduction => division::reductions(planned),
        Rule::LoopTrips => memory::trips(planned),
        Rule::WholeDimension => division::whole(planned),
        Rule::IndirectPlace => gathers::places(planned),
        Rule::IndexSticks => gathers::sticks(planned),
        Rule::IndexSteps => gathers::steps(planned),
        Rule::FoldFactor => folds::factors(planned),
        Rule::SeparateParts => memory::separate_parts(planned),
        Rule::RelayoutFan => relayout::fan(planned),
        Rule::Inputs => arity::inputs(planned),
    }
}

/// Returns the rules that an operation breaks, by number.
pub fn findings(planned: Planned<'_>, at: &OpRef) -> impl Iterator<Item = Finding> {
    Rule::ALL.iter().filter_map(move |rule| {
        let problem = conflict(*rule, &planned)?;
        Some(Finding {
            rule: *rule,
            op: at.clone(),
            problem,
        })
    })
}
