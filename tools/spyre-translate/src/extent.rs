//! Checks that the loops of a bundle stay inside the tensors of its OpSpecs.

use spyre_dialects::attr::TensorArg;
use spyre_dialects::op_spec::OpSpec;
use spyre_layout::Coord;

/// Checks an OpSpec that runs inside loops of these trip counts, outermost first.
///
/// # Errors
/// What does not fit together, with the numbers.
pub fn check(spec: &OpSpec, counts: &[u64]) -> Result<(), String> {
    if !spec.loops.is_empty() && spec.loops != counts {
        return Err(format!(
            "runs in loops of {counts:?} iterations, but its OpSpec is for loops of {:?}",
            spec.loops
        ));
    }
    for (number, arg) in spec.args.iter().enumerate() {
        if !arg.advance.is_empty() && arg.advance.len() != counts.len() {
            return Err(format!(
                "runs in {} loops, but tensor #{number} of its OpSpec advances along {}",
                counts.len(),
                arg.advance.len()
            ));
        }
        let too_large = || format!("tensor #{number} of the OpSpec is too large to address");
        let size = elements(arg).ok_or_else(too_large)?;
        let (first, last) = visited(spec, arg, counts).ok_or_else(too_large)?;
        if first < 0 || last >= size {
            return Err(format!(
                "visits elements {first} to {last} of tensor #{number} of its OpSpec, which has {size}"
            ));
        }
    }
    Ok(())
}

/// Device elements of a tensor, padding included.
fn elements(arg: &TensorArg) -> Option<i128> {
    arg.device_size.iter().try_fold(1i128, |product, size| {
        product.checked_mul(i128::from(*size))
    })
}

/// The first and the last device element that the operation reads or writes in any iteration.
fn visited(spec: &OpSpec, arg: &TensorArg, counts: &[u64]) -> Option<(i128, i128)> {
    let (mut first, mut last) = (0i128, 0i128);
    let mut stride = 1i128;
    for (coordinate, size) in arg.coordinates.iter().zip(&arg.device_size).rev() {
        let travel = match coordinate.coord {
            Coord::Zero => 0,
            Coord::Digit {
                dim,
                divisor,
                modulus,
            } => {
                let end = spec
                    .space
                    .get(dim)?
                    .extent
                    .saturating_sub(1)
                    .checked_div(divisor)?;
                modulus.map_or(end, |modulus| end.min(modulus.saturating_sub(1)))
            }
        };
        let start = stride.checked_mul(i128::from(coordinate.offset))?;
        first = first.checked_add(start)?;
        last = last
            .checked_add(start)?
            .checked_add(stride.checked_mul(i128::from(travel))?)?;
        stride = stride.checked_mul(i128::from(*size))?;
    }
    for (step, count) in arg.advance.iter().zip(counts) {
        let travel = i128::from(*step).checked_mul(i128::from(count.saturating_sub(1)))?;
        first = first.checked_add(travel.min(0))?;
        last = last.checked_add(travel.max(0))?;
    }
    Some((first, last))
}

#[cfg(test)]
mod tests {
    use spyre_dialects::attr::{ArgCoord, IterDim, Place};
    use spyre_layout::{Bytes, DeviceFormat};

    use super::*;

    /// Windows of 32 rows and 128 columns of a tensor of 64 rows and 256 columns, `(d1 floordiv 64, d0, d1 mod 64)`.
    fn spec(advance: &[i64], row: u64) -> OpSpec {
        let digit = |dim, divisor, modulus, offset| ArgCoord {
            coord: Coord::Digit {
                dim,
                divisor,
                modulus,
            },
            offset,
        };
        let dim = |symbol: &str, extent| IterDim {
            symbol: symbol.to_owned(),
            extent,
            slices: 1,
        };
        OpSpec {
            name: "sdsc_0".to_owned(),
            op_func: "neg".to_owned(),
            is_reduction: false,
            space: vec![dim("c0", 32), dim("c1", 128)],
            loops: Vec::new(),
            args: vec![TensorArg {
                is_output: true,
                place: Place::Arg(0),
                format: DeviceFormat::Sen169Fp16,
                device_size: vec![4, 64, 64],
                coordinates: vec![
                    digit(1, 64, None, 0),
                    digit(0, 1, None, row),
                    digit(1, 1, Some(64), 0),
                ],
                advance: advance.to_vec(),
                offset: Bytes(0),
            }],
            constants: Vec::new(),
        }
    }

    #[test]
    fn windows_inside_are_accepted() {
        assert_eq!(check(&spec(&[], 0), &[]), Ok(()));
        assert_eq!(check(&spec(&[2048, 8192], 0), &[2, 2]), Ok(()));
        // An operation may repeat without moving.
        assert_eq!(check(&spec(&[], 0), &[7, 7]), Ok(()));
        assert_eq!(check(&spec(&[], 32), &[]), Ok(()));
    }

    #[test]
    fn stated_loops_are_the_loops_around() {
        let stated = OpSpec {
            loops: vec![2, 2],
            ..spec(&[2048, 8192], 0)
        };
        assert_eq!(check(&stated, &[2, 2]), Ok(()));
        let why = check(&stated, &[2, 1]).expect_err("refused");
        assert!(
            why.contains(
                "runs in loops of [2, 1] iterations, but its OpSpec is for loops of [2, 2]"
            )
        );
    }

    #[test]
    fn windows_outside_are_refused() {
        let outside = |advance: &[i64], row, counts: &[u64]| {
            check(&spec(advance, row), counts).expect_err("refused")
        };
        assert!(
            outside(&[2048, 8192], 0, &[2, 3])
                .contains("elements 0 to 24575 of tensor #0 of its OpSpec, which has 16384")
        );
        assert!(outside(&[-2048], 0, &[2]).contains("elements -2048 to"));
        assert!(outside(&[2048, 8192], 32, &[2, 2]).contains("which has 16384"));
        assert!(
            outside(&[2048, 8192], 0, &[2])
                .contains("runs in 1 loops, but tensor #0 of its OpSpec advances along 2")
        );
        assert!(
            outside(&[i64::MAX, i64::MAX], 0, &[u64::MAX, u64::MAX])
                .contains("too large to address")
        );
    }
}
