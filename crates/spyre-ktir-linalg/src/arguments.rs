//! The values of arguments that are no addresses.
//!
//! A kernel divides an extent by tiles and by cores, so that only multiples of its granularity up to its maximum have
//! right results. Both are in the attribute `extents` of the kernel, or in the type of a runtime argument, and a value that
//! they do not admit is refused before anything runs.

use melior::ir::ValueLike as _;
use melior::ir::operation::OperationLike as _;
use spyre_dialects::ktdp_attr::runtime_arg_bounds;
use spyre_ktir_kernel::{EXTENTS, extents};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};

use crate::error;

/// The bounds of an extent.
struct Bounds {
    /// The number that divides it.
    granularity: i64,
    /// The largest value, if there is one.
    maximum: Option<i64>,
}

impl Bounds {
    fn admit(&self, value: i64) -> bool {
        value > 0 && value % self.granularity == 0 && self.maximum.is_none_or(|most| value <= most)
    }

    /// Returns the admitted values next to a value that is not admitted.
    fn neighbours(&self, value: i64) -> Vec<i64> {
        let below = value - value.rem_euclid(self.granularity);
        let last = self.maximum.map(|most| most - most % self.granularity);
        let all = [Some(below), below.checked_add(self.granularity), last];
        let admitted = all.into_iter().flatten().filter(|it| self.admit(*it));
        admitted.take(2).collect()
    }
}

/// Returns the value of each argument of a kernel: 0 for addresses, and `None` for arguments without uses. `values` are
/// those of other arguments, by number.
///
/// # Errors
/// An argument without a value, and a value that the kernel does not admit.
pub(crate) fn values<'p>(
    op: Op<'p>,
    is_address: impl Fn(usize) -> bool,
    values: &[(usize, i64)],
) -> Result<Vec<Option<i64>>, Diagnostic<'p>> {
    let body = ir::function_body(op).expect("a kernel has a body");
    let count = ir::arguments(body).count();
    for (number, value) in values {
        let reason = match (*number < count, is_address(*number)) {
            (false, _) => format!(
                "the kernel has {count} arguments, and no argument {number} that has the value {value}"
            ),
            (true, true) => {
                format!("argument {number} is an address, and has no value such as {value}")
            }
            (true, false) => continue,
        };
        return Err(error(op, reason));
    }
    let declared = extents(op).map_err(|err| error(op, err))?;
    let mut all = Vec::with_capacity(count);
    for (number, argument) in ir::arguments(body).enumerate() {
        if is_address(number) {
            all.push(Some(0));
            continue;
        }
        let value = values.iter().find(|(at, _)| *at == number).map(|it| it.1);
        let extent = declared.iter().find(|extent| extent.argument == number);
        let name = extent.and_then(|extent| extent.name.as_deref());
        match value {
            None if !ir::uses(argument).is_empty() => return Err(open(op, number, name)),
            None => {}
            Some(value) => {
                let ty = argument.r#type();
                let bounds = match (extent, runtime_arg_bounds(ty)) {
                    (Some(extent), _) => Bounds {
                        granularity: extent.bounds.granularity().cast_signed(),
                        maximum: Some(extent.bounds.max().cast_signed()),
                    },
                    (None, Some(bounds)) => Bounds {
                        granularity: bounds.granularity.unwrap_or(1),
                        maximum: bounds.upperbound,
                    },
                    (None, None) => Bounds {
                        granularity: 1,
                        maximum: None,
                    },
                };
                if !bounds.admit(value) {
                    let place = match extent {
                        Some(_) => format!("the attribute `{EXTENTS}`"),
                        None => format!("the type {ty} of the argument"),
                    };
                    return Err(refused(op, (number, name), value, (&bounds, &place)));
                }
            }
        }
        all.push(value);
    }
    Ok(all)
}

/// Returns the error of an argument without a value.
fn open<'p>(op: Op<'p>, number: usize, name: Option<&str>) -> Diagnostic<'p> {
    let (of, way) = match name {
        Some(name) => (
            format!(", the extent \"{name}\","),
            format!("--size {name}=N or --size {number}=N"),
        ),
        None => (String::new(), format!("--size {number}=N")),
    };
    let message = format!("argument {number}{of} is no address, and has no value");
    let note = format!(
        "{way} of spyre-run, or the option extents={number}=N of the pass, gives it one, in elements"
    );
    error(op, message).note(op.location(), note)
}

/// Returns the error of a value that bounds do not admit.
fn refused<'p>(
    op: Op<'p>,
    (number, name): (usize, Option<&str>),
    value: i64,
    (bounds, place): (&Bounds, &str),
) -> Diagnostic<'p> {
    let name = name.map_or(String::new(), |name| format!(", the extent \"{name}\","));
    let at_most = bounds
        .maximum
        .map_or(String::new(), |most| format!(" and at most {most}"));
    let message = format!(
        "argument {number}{name} is a positive multiple of {}{at_most}, got {value}",
        bounds.granularity
    );
    let neighbours: Vec<String> = bounds
        .neighbours(value)
        .iter()
        .map(i64::to_string)
        .collect();
    let note = match neighbours.is_empty() {
        true => format!("{place} has the bounds"),
        false => format!(
            "{place} has the bounds, which {} would be in",
            neighbours.join(" or ")
        ),
    };
    error(op, message).note(op.location(), note)
}
