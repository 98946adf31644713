//! Which formats each OpFunc is known to work on.
//!
//! A bundle names an OpFunc and a format, and only the backend knows whether it has code for the two. Nobody outside
//! has its table. What is known was written down (SDSC bundle specification, sections 4.9, 4.10 and 7.4) or is in
//! bundles that the reference compiler has made; that is [`Evidence::Recorded`]. Everything else that the operations
//! admit is a guess by analogy, [`Evidence::Assumed`], and whoever emits it says so.
//!
//! The formats of an operation are those of its tensors in order, each named once for its neighbours: `[DL16]` of an
//! `add`, `[DL16, FP32]` of a cast, `[INT32, DL16]` of a gather.

use spyre_layout::DeviceFormat;

use crate::OP_FUNCS;

/// How it is known that an OpFunc works on formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// A document or a recorded bundle shows it.
    Recorded,
    /// By analogy only.
    Assumed,
}

/// Returns the formats of an operation from those of its tensors in order.
#[must_use]
pub fn signature(tensors: impl IntoIterator<Item = DeviceFormat>) -> Vec<DeviceFormat> {
    let mut formats: Vec<DeviceFormat> = tensors.into_iter().collect();
    formats.dedup();
    formats
}

/// Says how it is known that an OpFunc works on formats, which are a [`signature`].
#[must_use]
pub fn evidence(op_func: &str, formats: &[DeviceFormat]) -> Evidence {
    let mut rows = OP_FUNCS.iter().filter(|row| row.name == op_func);
    if rows.any(|row| row.recorded.contains(&formats)) {
        Evidence::Recorded
    } else {
        Evidence::Assumed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DL16: DeviceFormat = DeviceFormat::Sen169Fp16;
    const FP32: DeviceFormat = DeviceFormat::IeeeFp32;
    const INT32: DeviceFormat = DeviceFormat::IeeeInt32;

    #[test]
    fn the_16_bit_float_is_recorded_for_all_but_those_that_convert() {
        let plain = [
            "add",
            "exp",
            "sum",
            "topkvalue",
            "batchmatmul",
            "ReStickifyOpHBM",
        ];
        for op_func in plain {
            assert_eq!(evidence(op_func, &[DL16]), Evidence::Recorded, "{op_func}");
        }
        let others = [
            "batchmatmulfp8",
            "dl16tofp32",
            "fp32todl16",
            "fp8todl16",
            "qfp8ch",
            "qfp8wt",
        ];
        for op_func in others {
            assert_eq!(evidence(op_func, &[DL16]), Evidence::Assumed, "{op_func}");
        }
    }

    #[test]
    fn other_formats_are_recorded_one_by_one() {
        let cases: [(&str, &[DeviceFormat], Evidence); 10] = [
            ("add", &[FP32], Evidence::Recorded),
            ("add", &[INT32], Evidence::Recorded),
            ("add", &[DeviceFormat::SenInt8], Evidence::Assumed),
            ("mul", &[FP32], Evidence::Assumed),
            ("mul", &[INT32], Evidence::Assumed),
            ("batchmatmul", &[FP32], Evidence::Assumed),
            ("dl16tofp32", &[DL16, FP32], Evidence::Recorded),
            (
                "fp8todl16",
                &[DeviceFormat::Sen152Fp8, DL16],
                Evidence::Assumed,
            ),
            ("topkindex", &[DL16, INT32], Evidence::Assumed),
            ("of_another_backend", &[DL16], Evidence::Assumed),
        ];
        for (op_func, formats, expected) in cases {
            assert_eq!(
                evidence(op_func, formats),
                expected,
                "{op_func} {formats:?}"
            );
        }
    }

    #[test]
    fn neighbours_of_one_format_are_named_once() {
        assert_eq!(signature([DL16, DL16, DL16]), [DL16]);
        assert_eq!(signature([INT32, DL16, DL16]), [INT32, DL16]);
        assert_eq!(signature([]), []);
    }

    #[test]
    fn what_is_recorded_is_a_signature() {
        for row in OP_FUNCS {
            for formats in row.recorded {
                assert_eq!(signature(formats.iter().copied()), *formats, "{}", row.name);
            }
        }
    }
}
