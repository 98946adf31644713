//! What an operation writes beyond its points: files have whole sticks.

use crate::claim::{By, Reason, Verdict};
use crate::expr::{Expr, Var};

use super::compare::{Comparison, Distance, Starts};
use super::decide::{Decider, Domain, Outcome};
use super::tensor::Tensor;

impl Comparison<'_> {
    /// Claims that the positions of the file that are none of the operation are padding of the buffer: elements after its
    /// extents, at the bytes that the layout has for them.
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
            let Some(at) = axis.dim else { continue };
            let matched = of.division.matching[at];
            let extent = matched.map_or(1, |dim| self.program.largest(self.statement().space[dim]));
            let slices = self.operation.dims[at].slices;
            // A dimension that cores divide has the positions of the operation.
            if slices > 1 || axis.held <= extent {
                continue;
            }
            let name = &self.operation.dims[at].name;
            let (var, index, within) = match matched {
                Some(dim) => (point(dim), of.located.index.clone(), of.within.clone()),
                None => {
                    let var = point(self.statement().space.len() + at);
                    // A stick with one element has nothing but padding after it.
                    let stick = match of.located.stick_dim() {
                        None if axis.is_stick && axis.held <= tensor.per_stick => continue,
                        Some(stick) if axis.is_stick => stick,
                        _ => {
                            return Verdict::Unknown(Reason::File(format!(
                                "the positions of '{name}' are not modelled"
                            )));
                        }
                    };
                    let mut index = of.located.index.clone();
                    index[stick] = index[stick].plus(&var.into());
                    let position = Expr::from(var);
                    let within = of
                        .within
                        .plus_times(&position.floor_div(tensor.per_stick), axis.unit);
                    (
                        var,
                        index,
                        within.plus_times(&position.modulo(tensor.per_stick), tensor.width),
                    )
                }
            };
            let domain = domain.with(var, extent, axis.held - 1);
            let Some(dim) = index.iter().position(|expr| expr.vars().contains(&var)) else {
                return Verdict::Unknown(Reason::File(format!(
                    "the padding of '{name}' is not modelled"
                )));
            };
            let beyond = index[dim].plus(&(-of.located.extents[dim]).into());
            match decider.is_not_negative(&domain, &beyond) {
                Outcome::Zero(of_dim) => by = by.max(of_dim),
                Outcome::Unknown(reason) => return Verdict::Unknown(reason),
                Outcome::NotZero(values) => {
                    let value = |var: Var| values.get(&var).copied();
                    let element = index[dim].eval(&value).unwrap_or(0);
                    let mut witness = self.instance(&values);
                    witness.message = format!(
                        "position {} of '{name}' is padding of the file, and it is element {element} of {} along dimension {dim} of the tensor in {}",
                        value(var).unwrap_or(0),
                        of.located.extents[dim],
                        of.located.space
                    );
                    return Verdict::Refuted(Box::new(witness));
                }
            }
            let Some(start) = &starts.fitted else {
                continue;
            };
            let difference = start.plus(&within).minus(&of.located.byte_at(&index));
            match decider.is_zero(&domain, &difference) {
                Outcome::Zero(of_dim) => by = by.max(of_dim),
                Outcome::Unknown(reason) => return Verdict::Unknown(reason),
                Outcome::NotZero(values) => {
                    let mut witness = self.instance(&values);
                    let by = difference
                        .eval(&|var| values.get(&var).copied())
                        .unwrap_or(0);
                    witness.message = format!(
                        "position {} of '{name}' is padding, {by} bytes from the padding of the layout",
                        values.get(&var).copied().unwrap_or(0)
                    );
                    return Verdict::Refuted(Box::new(witness));
                }
            }
        }
        Verdict::Proved(by)
    }
}

fn point(dim: usize) -> Var {
    Var::Point(u32::try_from(dim).expect("few dimensions"))
}
