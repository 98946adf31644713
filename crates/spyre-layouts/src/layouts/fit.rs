//! The layouts of results and operands: the layouts that the IR allows, the candidates of a result, and the changes of
//! operands that they need.

use spyre_layout::View;

use super::analysis::Candidate;
use super::restick;

/// The need of an operand for one candidate of the operation and one candidate of the value that it reads.
#[derive(Debug, Clone)]
pub(super) enum OperandFit<'p> {
    /// The value is read as it is.
    Met,
    /// The value is first restickified to this type.
    Restickify(Candidate<'p>),
    /// The two cannot go together, for the given reason. The text continues after "operand #0 ".
    Never(String),
}

/// A candidate for the result of an operation.
#[derive(Debug)]
pub(super) struct Choice<'p> {
    /// The type of the result.
    pub ty: Candidate<'p>,
    /// The result as a view of its buffer.
    pub view: View,
    /// The needs of the first operands, as many in every choice: one for each candidate of the value that the operand reads.
    pub fits: Vec<Vec<OperandFit<'p>>>,
}

/// The layouts that the IR allows for a result.
#[derive(Debug)]
pub(super) enum StatedLayouts<'p> {
    /// The layout is in the type.
    Layout(Candidate<'p>),
    /// The layout is one of these candidates.
    Candidates(Vec<Candidate<'p>>),
    /// The IR does not determine a layout.
    Nothing,
}

impl<'p> StatedLayouts<'p> {
    /// Returns the layouts that are allowed; `None` if the IR does not determine them.
    pub(super) fn types(&self) -> Option<&[Candidate<'p>]> {
        match self {
            Self::Layout(ty) => Some(std::slice::from_ref(ty)),
            Self::Candidates(types) => Some(types),
            Self::Nothing => None,
        }
    }

    /// Returns whether a layout is allowed.
    pub(super) fn allows(&self, ty: &Candidate<'p>) -> bool {
        self.types()
            .is_none_or(|types| types.iter().any(|other| other.ty == ty.ty))
    }
}

/// Returns [`OperandFit::Met`] if an operation can read a view, and the reason if it cannot.
pub(super) fn readable(view: &View) -> OperandFit<'static> {
    match view.operand_coords() {
        Ok(_) => OperandFit::Met,
        Err(reason) => OperandFit::Never(format!("is a view that no operation can read: {reason}")),
    }
}

/// Returns the copy of a view to a layout, or the reason why it is impossible.
pub(super) fn copied<'p>(
    candidate: &Candidate<'p>,
    view: &View,
    target: &Candidate<'p>,
) -> OperandFit<'p> {
    match readable(view) {
        OperandFit::Never(reason) => OperandFit::Never(reason),
        _ => restick::copy_to(candidate, target),
    }
}

/// Returns the need of an operand that is read in exactly one type: none, a copy, or the reason why it is impossible.
pub(super) fn exactly<'p>(
    candidate: &Candidate<'p>,
    view: &View,
    target: &Candidate<'p>,
) -> OperandFit<'p> {
    if candidate.ty == target.ty {
        return OperandFit::Met;
    }
    copied(candidate, view, target)
}

/// Returns the need of an operand that is read in one layout: none, a copy, or the reason why it is impossible. Padding may
/// differ, because a window of a tensor does not have the padding of the tensor.
pub(super) fn same_or_copy<'p>(
    candidate: &Candidate<'p>,
    view: &View,
    target: &Candidate<'p>,
) -> OperandFit<'p> {
    if is_alike(candidate, target) {
        return readable(view);
    }
    copied(candidate, view, target)
}

/// Returns whether two types differ at most in padding.
pub(super) fn is_alike(candidate: &Candidate<'_>, other: &Candidate<'_>) -> bool {
    let (have, want) = (&candidate.device, &other.device);
    have.layout().coords() == want.layout().coords()
        && have.layout().arrangement() == want.layout().arrangement()
        && have.format() == want.format()
}
