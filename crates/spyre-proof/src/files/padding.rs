//! Padding: files have whole sticks, so they have positions that are none of the operation.

use crate::claim::{By, Reason, Verdict};
use crate::expr::{Expr, Var};

use super::compare::{Comparison, Distance, Starts};
use super::decide::{Decider, Domain, Outcome, Values};
use super::tensor::{Axis, Tensor, run};

/// The positions along one dimension of a file that are none of the operation.
struct Padding<'o> {
    /// The name of the dimension.
    name: &'o str,
    /// The position.
    var: Var,
    /// The first and the last position.
    ends: (i64, i64),
    /// The position in the buffer.
    position: Vec<Expr>,
    /// The bytes from the start of a core to the element.
    within: Expr,
}

impl Comparison<'_> {
    /// Claims that the positions of the file that are none of the operation are padding of the buffer: elements after
    /// its extents, at the bytes that the layout has for them.
    pub(super) fn padding(
        &self,
        decider: &mut Decider<'_>,
        domain: &Domain,
        tensor: &Tensor,
        starts: &Starts,
        of: &Distance<'_>,
    ) -> Verdict {
        let mut by = By::Form;
        for axis in of.axes {
            let padding = match self.positions(tensor, axis, of) {
                Ok(None) => continue,
                Ok(Some(padding)) => padding,
                Err(reason) => return Verdict::Unknown(reason),
            };
            match self.is_beyond(decider, domain, starts, &padding, of) {
                Verdict::Proved(of_dim) => by = by.max(of_dim),
                verdict => return verdict,
            }
        }
        Verdict::Proved(by)
    }

    /// Returns the padding along a dimension, if there is any.
    fn positions(
        &self,
        tensor: &Tensor,
        axis: &Axis,
        of: &Distance<'_>,
    ) -> Result<Option<Padding<'_>>, Reason> {
        let Some(at) = axis.dim else {
            return Ok(None);
        };
        let dim = &self.operation.dims[at];
        let matched = of.division.matching[at];
        let extent = matched.map_or(1, |dim| self.program.largest(self.statement.space[dim]));
        // A dimension that cores divide has the positions of the operation.
        if dim.slices > 1 || axis.held <= extent {
            return Ok(None);
        }
        let mut padding = Padding {
            name: &dim.name,
            var: point(matched.unwrap_or(self.statement.space.len() + at)),
            ends: (extent, axis.held - 1),
            position: of.located.position.clone(),
            within: of.within.clone(),
        };
        if matched.is_some() {
            return Ok(Some(padding));
        }
        // The operation has one element along the dimension, and the file its stick.
        match of.located.stick_dim() {
            // A stick with one element has nothing but padding after it.
            None if axis.is_stick && axis.held <= tensor.per_stick => Ok(None),
            Some(stick) if axis.is_stick => {
                let position = Expr::from(padding.var);
                padding.position[stick] = padding.position[stick].plus(&position);
                let along = run(tensor, std::slice::from_ref(axis)).byte(&[position]);
                padding.within = padding.within.plus(&along);
                Ok(Some(padding))
            }
            _ => Err(unmodelled(&dim.name)),
        }
    }

    /// Claims that padding of a file is padding of the buffer.
    fn is_beyond(
        &self,
        decider: &mut Decider<'_>,
        domain: &Domain,
        starts: &Starts,
        padding: &Padding<'_>,
        of: &Distance<'_>,
    ) -> Verdict {
        let domain = domain.with(padding.var, padding.ends.0, padding.ends.1);
        let mut positions = padding.position.iter();
        let Some(dim) = positions.position(|expr| expr.vars().contains(&padding.var)) else {
            return Verdict::Unknown(unmodelled(padding.name));
        };
        let refuted = |values: &Values, what: String| {
            let position = values.get(&padding.var).copied().unwrap_or(0);
            let mut witness = self.instance(values);
            let name = padding.name;
            witness.message = format!("position {position} along '{name}' of the file is {what}");
            Verdict::Refuted(Box::new(witness))
        };
        let extent = of.located.buffer.shape[dim];
        let beyond = padding.position[dim].plus(&(-extent).into());
        let by = match decider.is_not_negative(&domain, &beyond) {
            Outcome::Zero(by) => by,
            Outcome::Unknown(reason) => return Verdict::Unknown(reason),
            Outcome::NotZero(values) => {
                let element = padding.position[dim].eval(&|var| values.get(&var).copied());
                let element = element.unwrap_or(0);
                let what = format!(
                    "element {element} of {extent} along dimension {dim}, which the operation has not"
                );
                return refuted(&values, what);
            }
        };
        let Some(start) = &starts.fitted else {
            return Verdict::Proved(by);
        };
        let byte = of.located.byte_at(&padding.position);
        let difference = start.plus(&padding.within).minus(&byte);
        match decider.is_zero(&domain, &difference) {
            Outcome::Zero(of_bytes) => Verdict::Proved(by.max(of_bytes)),
            Outcome::Unknown(reason) => Verdict::Unknown(reason),
            Outcome::NotZero(values) => {
                let by = difference.eval(&|var| values.get(&var).copied());
                let what = format!("{} bytes from the padding of the layout", by.unwrap_or(0));
                refuted(&values, what)
            }
        }
    }
}

fn unmodelled(name: &str) -> Reason {
    Reason::File(format!("the padding along '{name}' is not modelled"))
}

fn point(dim: usize) -> Var {
    Var::Point(u32::try_from(dim).expect("few dimensions"))
}
