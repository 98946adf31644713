//! Finds out which operands one operation can read and write stick by stick.
//!
//! An operation works on one stick of each operand at a time. So all sticks must run along the same
//! iteration variable, and where that variable is not on the stick of an operand, it must not move
//! that operand at all (middle-end specification, section 2.5, "stick compatible").

/// The iteration variables that move one operand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StickUse {
    /// The variable that runs along the stick; `None` if nothing does, because sticks are sparse or
    /// the operand is broadcast along them.
    pub stick: Option<usize>,
    /// The variables of the dimensions that are not on the stick.
    pub others: Vec<usize>,
}

/// Two operands that cannot be in one operation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StickConflict {
    /// Sticks along two variables.
    #[error(
        "operand {first} has p{first_var} on the stick, operand {second} has p{second_var}: \
         restickify one of them"
    )]
    DifferentSticks {
        /// Position of the operand that comes first.
        first: usize,
        /// The variable on its stick.
        first_var: usize,
        /// Position of the other operand.
        second: usize,
        /// The variable on its stick.
        second_var: usize,
    },
    /// A variable on the stick of one operand and elsewhere in another.
    #[error(
        "operand {with_stick} has p{var} on the stick, operand {elsewhere} has it on another \
         dimension: restickify one of them"
    )]
    StickElsewhere {
        /// Position of the operand with the variable on the stick.
        with_stick: usize,
        /// Position of the operand that has it on another dimension.
        elsewhere: usize,
        /// The variable.
        var: usize,
    },
}

impl StickConflict {
    /// Positions of the two operands, ascending.
    #[must_use]
    pub fn operands(&self) -> (usize, usize) {
        let (a, b) = match *self {
            Self::DifferentSticks { first, second, .. } => (first, second),
            Self::StickElsewhere {
                with_stick,
                elsewhere,
                ..
            } => (with_stick, elsewhere),
        };
        (a.min(b), a.max(b))
    }
}

/// Checks that the operands of one operation, results included, are stick compatible, and returns
/// the variable that all sticks run along, if there is one (middle-end specification, section 2.5).
///
/// # Errors
/// The first two operands that conflict: their sticks run along different variables, or one has on
/// another dimension what the other has on the stick.
pub fn stick_compatible(operands: &[StickUse]) -> Result<Option<usize>, StickConflict> {
    let mut sticks = (0..)
        .zip(operands)
        .filter_map(|(at, operand)| operand.stick.map(|var| (at, var)));
    let Some((first, var)) = sticks.next() else {
        return Ok(None);
    };
    if let Some((second, second_var)) = sticks.find(|&(_, other)| other != var) {
        return Err(StickConflict::DifferentSticks {
            first,
            first_var: var,
            second,
            second_var,
        });
    }
    // The operand itself may have the variable twice, as a diagonal has. Any other may not: if two
    // have it on the stick, each is another one for the other.
    for (elsewhere, operand) in operands.iter().enumerate() {
        if !operand.others.contains(&var) {
            continue;
        }
        let other = (0..)
            .zip(operands)
            .find(|&(at, operand)| at != elsewhere && operand.stick == Some(var));
        if let Some((with_stick, _)) = other {
            return Err(StickConflict::StickElsewhere {
                with_stick,
                elsewhere,
                var,
            });
        }
    }
    Ok(Some(var))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operand(stick: Option<usize>, others: &[usize]) -> StickUse {
        StickUse {
            stick,
            others: others.to_vec(),
        }
    }

    #[test]
    fn elementwise_operands_share_a_stick() {
        let x = operand(Some(1), &[0]);
        assert_eq!(stick_compatible(&[x.clone(), x.clone(), x]), Ok(Some(1)));
        assert_eq!(stick_compatible(&[]), Ok(None));
        let sparse = operand(None, &[0, 1]);
        assert_eq!(stick_compatible(&[sparse.clone(), sparse]), Ok(None));
    }

    #[test]
    fn a_transposed_operand_conflicts() {
        // a.t() + x
        let (a, x) = (operand(Some(0), &[1]), operand(Some(1), &[0]));
        let conflict = stick_compatible(&[a, x.clone(), x]).unwrap_err();
        assert_eq!(
            conflict,
            StickConflict::DifferentSticks {
                first: 0,
                first_var: 0,
                second: 1,
                second_var: 1
            }
        );
        assert_eq!(conflict.operands(), (0, 1));
        assert_eq!(
            conflict.to_string(),
            "operand 0 has p0 on the stick, operand 1 has p1: restickify one of them"
        );
    }

    #[test]
    fn broadcast_operands_fit_anything_that_does_not_move_them() {
        let x = operand(Some(1), &[0]);
        // A column, read once per row, and a scalar.
        for other in [operand(None, &[0]), operand(None, &[])] {
            assert_eq!(stick_compatible(&[other, x.clone()]), Ok(Some(1)));
        }
        // A row whose positions are spread over sticks, one in each.
        let spread = operand(None, &[1]);
        let conflict = stick_compatible(&[spread, x.clone(), x]).unwrap_err();
        assert_eq!(
            conflict,
            StickConflict::StickElsewhere {
                with_stick: 1,
                elsewhere: 0,
                var: 1
            }
        );
        assert_eq!(conflict.operands(), (0, 1));
    }

    #[test]
    fn a_reduction_over_the_stick_leaves_sparse_sticks() {
        // x[p0, p1] summed over p1.
        let (x, sum) = (operand(Some(1), &[0]), operand(None, &[0]));
        assert_eq!(stick_compatible(&[x, sum.clone()]), Ok(Some(1)));
        // Over the other dimension the stick stays.
        let (x, sum) = (operand(Some(1), &[0]), operand(Some(1), &[]));
        assert_eq!(stick_compatible(&[x.clone(), sum]), Ok(Some(1)));
        // A result with sticks along the rows of x does not go.
        let rows = operand(Some(0), &[]);
        let conflict = stick_compatible(&[x, rows]).unwrap_err();
        assert_eq!(conflict.operands(), (0, 1));
    }

    #[test]
    fn a_diagonal_conflicts_with_others_only() {
        let diagonal = operand(Some(0), &[0]);
        assert_eq!(
            stick_compatible(std::slice::from_ref(&diagonal)),
            Ok(Some(0))
        );
        let broadcast = operand(None, &[1]);
        assert_eq!(
            stick_compatible(&[diagonal.clone(), broadcast]),
            Ok(Some(0))
        );
        let vector = operand(Some(0), &[]);
        let conflict = stick_compatible(&[diagonal, vector]).unwrap_err();
        assert_eq!(
            conflict,
            StickConflict::StickElsewhere {
                with_stick: 1,
                elsewhere: 0,
                var: 0
            }
        );
    }
}
