//! The growth of a cost with the size of the program.

/// Returns the exponent `e` of the best `cost = c * size^e`: the slope of the least-squares line through the
/// logarithms.
///
/// `None` unless two points have different sizes; points that have no logarithm are left out.
pub(crate) fn growth_exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .filter(|(n, t)| *n > 0.0 && *t > 0.0)
        .map(|(n, t)| (n.ln(), t.ln()))
        .collect();
    let count = logs.len() as f64;
    let mean_x = logs.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logs.iter().map(|(_, y)| y).sum::<f64>() / count;
    let sxx: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let sxy: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    (sxx > f64::EPSILON).then(|| sxy / sxx)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exponent(cost: impl Fn(f64) -> f64) -> f64 {
        let points: Vec<(f64, f64)> = [1e3, 1e4, 1e5, 2e5]
            .iter()
            .map(|n| (*n, cost(*n)))
            .collect();
        growth_exponent(&points).unwrap()
    }

    #[test]
    fn powers_are_found() {
        assert!((exponent(|n| 3e-6 * n) - 1.0).abs() < 1e-9);
        assert!((exponent(|n| 1e-9 * n * n) - 2.0).abs() < 1e-9);
        assert!((exponent(|_| 0.5)).abs() < 1e-9);
        let nlogn = exponent(|n| n * n.ln());
        assert!(nlogn > 1.05 && nlogn < 1.2, "{nlogn}");
    }

    #[test]
    fn too_few_points() {
        assert_eq!(growth_exponent(&[]), None);
        assert_eq!(growth_exponent(&[(10.0, 1.0)]), None);
        assert_eq!(growth_exponent(&[(10.0, 1.0), (10.0, 2.0)]), None);
        assert_eq!(growth_exponent(&[(10.0, 1.0), (100.0, 0.0)]), None);
    }
}
