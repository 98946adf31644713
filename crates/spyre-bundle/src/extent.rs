//! Checks that the loops of a bundle stay inside the tensors of its OpSpecs.

use spyre_dialects::op_spec::Advances;
use spyre_sdsc::expr::ExprKind;
use spyre_sdsc::{Arrangement, Expr, OpSpec, TensorArg};

/// Checks an OpSpec that runs inside loops of these trip counts, outermost first.
///
/// # Errors
/// Sizes that contradict each other, with the numbers.
pub(crate) fn check(spec: &OpSpec, counts: &[u64]) -> Result<(), String> {
    let advances = Advances::from_spec(spec, counts).map_err(|err| err.to_string())?;
    let levels = levels(&advances, counts);
    for (number, arg) in spec.args.iter().enumerate() {
        // For weights in pairs, front ends write the extent along the columns in place of the number of a stick: their
        // coordinates give the dimensions, and not the elements that are visited.
        if arg.arrangement == Arrangement::Qfp8Wt {
            continue;
        }
        let too_large = || format!("tensor #{number} of the OpSpec is too large to address");
        let size = elements(arg).ok_or_else(too_large)?;
        let (first, last) =
            visited(spec, arg, &advances.steps[number], &levels).ok_or_else(too_large)?;
        if first < 0 || last >= size {
            return Err(format!(
                "visits elements {first} to {last} of tensor #{number} of its OpSpec, which has {size}"
            ));
        }
    }
    Ok(())
}

/// The largest trip count for each entry of an advance. A level over tiles of a dimension has no count here: the device
/// size is then the size of a tile.
fn levels(advances: &Advances, counts: &[u64]) -> Vec<Option<u64>> {
    match &advances.levels {
        None => counts.iter().copied().map(Some).collect(),
        Some(levels) => levels
            .iter()
            .map(|level| level.dim.is_none().then(|| counts[level.number]))
            .collect(),
    }
}

/// Device elements of a tensor, padding included.
fn elements(arg: &TensorArg) -> Option<i128> {
    arg.device_size.iter().try_fold(1i128, |product, size| {
        product.checked_mul(i128::from(*size))
    })
}

/// The first and the last device element that the operation reads or writes in any iteration.
fn visited(
    spec: &OpSpec,
    arg: &TensorArg,
    steps: &[i64],
    levels: &[Option<u64>],
) -> Option<(i128, i128)> {
    let (mut first, mut last) = (0i128, 0i128);
    let mut stride = 1i128;
    for (coordinate, size) in arg.device_coordinates.iter().zip(&arg.device_size).rev() {
        let size = i128::from(*size);
        let (low, high) = range(coordinate, spec, size)?;
        first = first.checked_add(stride.checked_mul(low)?)?;
        last = last.checked_add(stride.checked_mul(high)?)?;
        stride = stride.checked_mul(size)?;
    }
    for (step, count) in steps.iter().zip(levels) {
        let Some(count) = count else { continue };
        // A loop that never runs has no effect.
        let travel = i128::from(*step).checked_mul(i128::from(count.saturating_sub(1)))?;
        first = first.checked_add(travel.min(0))?;
        last = last.checked_add(travel.max(0))?;
    }
    Some((first, last))
}

/// The least and the largest value of a coordinate: exact for digits, and not too narrow for others. A value read from
/// another tensor is inside a dimension of extent `size`.
fn range(expr: &Expr, spec: &OpSpec, size: i128) -> Option<(i128, i128)> {
    let range_of = |expr: &Expr| range(expr, spec, size);
    match expr.kind() {
        ExprKind::Int(value) => Some((i128::from(*value), i128::from(*value))),
        ExprKind::Symbol(symbol) => {
            let mut dims = spec.iteration_space.iter();
            let dim = dims.find(|dim| dim.symbol == *symbol)?;
            let extent = match dim.extent.as_symbol() {
                Some(size) => i128::from(spec.symbolic_dim_bounds.get(size.as_str())?.max),
                None => i128::from(dim.extent.as_int()?),
            };
            // An extent of 0 counts as the first element.
            Some((0, (extent - 1).max(0)))
        }
        ExprKind::IndirectAccess(_) => Some((0, size - 1)),
        ExprKind::Sum(terms) => terms.iter().try_fold((0i128, 0i128), |(low, high), term| {
            let (l, h) = range_of(term)?;
            Some((low.checked_add(l)?, high.checked_add(h)?))
        }),
        ExprKind::Product(factors) => {
            factors
                .iter()
                .try_fold((1i128, 1i128), |(low, high), factor| {
                    let (l, h) = range_of(factor)?;
                    let ends = [
                        low.checked_mul(l)?,
                        low.checked_mul(h)?,
                        high.checked_mul(l)?,
                        high.checked_mul(h)?,
                    ];
                    Some((ends.into_iter().min()?, ends.into_iter().max()?))
                })
        }
        // Affine expressions divide by positive constants, and only under a floor.
        ExprKind::Quotient(numerator, divisor) => {
            let ((low, high), divisor) = (range_of(numerator)?, i128::from(divisor.as_int()?));
            (divisor > 0).then(|| (low.div_euclid(divisor), high.div_euclid(divisor)))
        }
        ExprKind::Floor(operand) => range_of(operand),
        ExprKind::Mod(operand, modulus) => {
            let ((low, high), modulus) = (range_of(operand)?, i128::from(modulus.as_int()?));
            let inside = 0 <= low && high < modulus;
            (modulus > 0).then(|| {
                if inside {
                    (low, high)
                } else {
                    (0, modulus - 1)
                }
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use spyre_dialects::op_spec::Level;
    use spyre_sdsc::{Allocation, DeviceFormat};

    use super::*;

    /// Windows of 32 rows and 128 columns of a tensor of 64 rows and 256 columns, `(d1 floordiv 64, d0, d1 mod 64)`.
    fn spec(row: u64) -> OpSpec {
        let expr = |text: &str| text.parse().expect("an expression");
        let coordinates = vec![
            expr("floor(c1/64)"),
            expr(&format!("c0 + {row}")),
            expr("Mod(c1, 64)"),
        ];
        OpSpec::pointwise("neg")
            .with_dim("c0", Expr::int(32), 1)
            .with_dim("c1", Expr::int(128), 1)
            .with_output(TensorArg::new(
                DeviceFormat::Sen169Fp16,
                vec![4, 64, 64],
                coordinates,
                Allocation::argument(0),
            ))
    }

    /// Checks windows that move by steps along levels, or loops, of these counts.
    fn moved(
        steps: &[i64],
        levels: Option<Vec<Level>>,
        row: u64,
        counts: &[u64],
    ) -> Result<(), String> {
        let mut spec = spec(row);
        let steps = vec![steps.to_vec()];
        let advances = Advances { levels, steps };
        advances.set(&mut spec, "sdsc_0", counts).expect("fits");
        check(&spec, counts)
    }

    #[test]
    fn levels_say_which_loop_moves_a_tensor() {
        let level = |number, dim: Option<&str>| Level {
            number,
            dim: dim.map(Into::into),
            trips: None,
        };
        let with = |levels: [Level; 2], counts: &[u64]| {
            moved(&[2048, 8192], Some(levels.to_vec()), 0, counts)
        };
        // Both levels are of the inner loop.
        let both = || [level(1, None), level(1, None)];
        assert_eq!(with(both(), &[9, 2]), Ok(()));
        assert!(with(both(), &[9, 3]).is_err());
        // With a level that is a tile of a dimension, the device size is that of a tile.
        let tiles = [level(0, Some("c0")), level(1, None)];
        assert_eq!(with(tiles, &[9, 2]), Ok(()));
    }

    #[test]
    fn ranges_of_coordinates() {
        let spec = spec(0);
        for (text, low, high) in [
            ("7", 7, 7),
            ("c0", 0, 31),
            ("floor(c1/64) + 3", 3, 4),
            ("Mod(c1, 64)", 0, 63),
            ("Mod(c0, 64)", 0, 31),
            ("-2*c0 + 5", -57, 5),
            ("floor((2*c1 + c0)/4)", 0, 71),
            ("IndirectAccess(rows)", 0, 99),
        ] {
            let expr = text.parse().expect("an expression");
            assert_eq!(range(&expr, &spec, 100), Some((low, high)), "{text}");
        }
    }

    #[test]
    fn windows_inside_are_accepted() {
        assert_eq!(moved(&[], None, 0, &[]), Ok(()));
        assert_eq!(moved(&[2048, 8192], None, 0, &[2, 2]), Ok(()));
        // An operation may repeat without moving.
        assert_eq!(moved(&[], None, 0, &[7, 7]), Ok(()));
        assert_eq!(moved(&[], None, 32, &[]), Ok(()));
    }

    #[test]
    fn weights_in_pairs_are_visited_as_a_whole() {
        // 128 columns where there is one stick of them.
        let mut weights = spec(0);
        weights.args[0].device_coordinates[0] = "c1".parse().expect("an expression");
        assert!(check(&weights, &[]).is_err());
        weights.args[0].arrangement = Arrangement::Qfp8Wt;
        assert_eq!(check(&weights, &[]), Ok(()));
    }

    #[test]
    fn windows_outside_are_refused() {
        let outside = |steps: &[i64], row, counts: &[u64]| {
            moved(steps, None, row, counts).expect_err("refused")
        };
        assert!(
            outside(&[2048, 8192], 0, &[2, 3])
                .contains("elements 0 to 24575 of tensor #0 of its OpSpec, which has 16384")
        );
        assert!(outside(&[-2048], 0, &[2]).contains("elements -2048 to"));
        assert!(outside(&[2048, 8192], 32, &[2, 2]).contains("which has 16384"));
        assert!(
            outside(&[i64::MAX, i64::MAX], 0, &[u64::MAX, u64::MAX])
                .contains("too large to address")
        );
    }
}
