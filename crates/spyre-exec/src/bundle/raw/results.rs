//! The memory of arguments after runs, and its differences.

use std::fmt;
use std::ops::Range;

use spyre_layout::{Bytes, DeviceFormat, Dl16};

/// The memory of an argument after a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawResult {
    /// The number of the kernel argument.
    pub number: u32,
    /// The format in which its elements are stored.
    pub format: DeviceFormat,
    /// The bytes; 0xFF where nothing was written.
    pub bytes: Vec<u8>,
    /// Whether each byte was written, by the call or by an operation.
    pub written: Vec<bool>,
}

/// The differences of the memory of an argument after two runs. Where the formats have elements of other widths, an
/// element is one of the wider format, and all elements of the narrower one in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct RawDifference {
    /// The number of elements that both have.
    pub elements: usize,
    /// The number of elements that differ in their bytes, or that only one run wrote.
    pub differing: usize,
    /// The first element that differs.
    pub first: Option<FirstDifference>,
    /// The sizes, where they differ.
    pub bytes: Option<(Bytes, Bytes)>,
}

/// An element that differs after two runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstDifference {
    /// The number of the element, from 0.
    pub element: usize,
    /// The offset of its first byte in the argument.
    pub byte: usize,
    /// Its text in the first run, and in the second one.
    pub texts: [String; 2],
}

impl RawDifference {
    /// Compares the memory of an argument after two runs, element by element.
    #[must_use]
    pub fn between(first: &RawResult, second: &RawResult) -> Self {
        // Widths are powers of two, so the wider element is a whole number of narrower ones.
        let width = first.element_bytes().max(second.element_bytes());
        let common = first.bytes.len().min(second.bytes.len());
        let elements = common.div_ceil(width);
        let range = |at: usize| at * width..((at + 1) * width).min(common);
        let mut differing = (0..elements).filter(|at| {
            let range = range(*at);
            let first_written = &first.written[range.clone()];
            // Bytes that no operation wrote have no value.
            first_written != &second.written[range.clone()]
                || (first_written.contains(&true)
                    && first.bytes[range.clone()] != second.bytes[range])
        });
        let first_differing = differing.next();
        let (one, other) = (first.bytes.len() as u64, second.bytes.len() as u64);
        Self {
            elements,
            differing: usize::from(first_differing.is_some()) + differing.count(),
            first: first_differing.map(|at| FirstDifference {
                element: at,
                byte: at * width,
                texts: [first, second].map(|result| result.elements(range(at))),
            }),
            bytes: (one != other).then_some((Bytes(one), Bytes(other))),
        }
    }

    /// Returns whether nothing differs.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.differing == 0 && self.bytes.is_none()
    }
}

/// The differences as text: `2 of 128 elements differ; first at element 5, byte 10: 1.0 against 2.0`.
impl fmt::Display for RawDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            elements,
            differing,
            first,
            bytes,
        } = self;
        write!(f, "{differing} of {elements} elements differ")?;
        if let Some(FirstDifference {
            element,
            byte,
            texts: [text, other],
        }) = first
        {
            write!(
                f,
                "; first at element {element}, byte {byte}: {text} against {other}"
            )?;
        }
        match bytes {
            Some((one, other)) => write!(f, "; {one} against {other}"),
            None => Ok(()),
        }
    }
}

impl RawResult {
    /// Returns the bytes of an element, at least 1.
    #[must_use]
    pub fn element_bytes(&self) -> usize {
        usize::try_from(self.format.bytes_per_element().get()).map_or(1, |width| width.max(1))
    }

    /// Returns the size, the format and at most `count` elements: `4096 bytes of SEN169_FP16 [1.5, ...]`.
    #[must_use]
    pub fn text(&self, count: usize) -> String {
        let all = self.bytes.len() / self.element_bytes();
        let mut elements: Vec<String> = (0..all.min(count)).map(|at| self.element(at)).collect();
        if all > count {
            elements.push("...".to_owned());
        }
        format!(
            "{} of {} [{}]",
            Bytes(self.bytes.len() as u64),
            self.format.name(),
            elements.join(", ")
        )
    }

    /// Returns the elements of a range of bytes as text, one after the other.
    fn elements(&self, bytes: Range<usize>) -> String {
        let width = self.element_bytes();
        let elements = bytes.start / width..bytes.end.div_ceil(width);
        let texts: Vec<String> = elements.map(|at| self.element(at)).collect();
        texts.join(" ")
    }

    /// Returns an element as text: `unwritten` where nothing wrote it, and its bits in formats without arithmetic. Bytes
    /// beyond the end of the argument are zeros.
    ///
    /// # Panics
    /// The argument has no such element.
    #[must_use]
    pub fn element(&self, at: usize) -> String {
        let width = self.element_bytes();
        let range = at * width..((at + 1) * width).min(self.bytes.len());
        if self.written[range.clone()].contains(&false) {
            return "unwritten".to_owned();
        }
        let mut bits = [0; 4];
        bits[..range.len()].copy_from_slice(&self.bytes[range]);
        let bits = u32::from_le_bytes(bits);
        let low = (bits & 0xFFFF) as u16;
        match self.format {
            DeviceFormat::Sen169Fp16 => format!("{:?}", Dl16::from_bits(low).to_f32()),
            DeviceFormat::IeeeFp16 => format!("{:?}", half::f16::from_bits(low)),
            DeviceFormat::Bfloat16 => format!("{:?}", half::bf16::from_bits(low)),
            DeviceFormat::IeeeFp32 => format!("{:?}", f32::from_bits(bits)),
            DeviceFormat::IeeeInt32 => bits.cast_signed().to_string(),
            DeviceFormat::SenUint32 => bits.to_string(),
            DeviceFormat::SenInt16 => low.cast_signed().to_string(),
            DeviceFormat::SenInt8 => ((bits & 0xFF) as u8).cast_signed().to_string(),
            DeviceFormat::Sen143Fp8 | DeviceFormat::Sen152Fp8 => format!("{bits:#04x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(bytes: &[u8], written: &[bool]) -> RawResult {
        RawResult {
            number: 0,
            format: DeviceFormat::IeeeFp16,
            bytes: bytes.to_vec(),
            written: written.to_vec(),
        }
    }

    #[test]
    fn differences_are_of_elements_that_were_written() {
        let one = result(
            &[0, 0x3C, 0xFF, 0xFF, 0, 0x40],
            &[true, true, false, false, true, true],
        );
        let mut other = one.clone();
        other.bytes[2] = 0;
        assert!(RawDifference::between(&one, &other).agrees());
        other.bytes[5] = 0x42;
        let difference = RawDifference::between(&one, &other);
        assert_eq!((difference.elements, difference.differing), (3, 1));
        let first = |texts: [&str; 2]| FirstDifference {
            element: 2,
            byte: 4,
            texts: texts.map(str::to_owned),
        };
        assert_eq!(difference.first, Some(first(["2.0", "3.0"])));
        other.written[4..].fill(false);
        let difference = RawDifference::between(&one, &other);
        assert_eq!(difference.first, Some(first(["2.0", "unwritten"])));
        let shorter = result(&[0, 0x3C], &[true, true]);
        let difference = RawDifference::between(&one, &shorter);
        assert!(!difference.agrees());
        assert_eq!(
            difference.to_string(),
            "0 of 1 elements differ; 6 bytes against 2 bytes"
        );
    }

    #[test]
    fn elements_of_two_widths_are_compared_in_the_wider_one() {
        let mut bytes = vec![0; 128];
        let half = result(&bytes, &[true; 128]);
        bytes[8..12].copy_from_slice(&1.0_f32.to_le_bytes());
        let float = RawResult {
            format: DeviceFormat::IeeeFp32,
            ..result(&bytes, &[true; 128])
        };
        let difference = RawDifference::between(&half, &float);
        assert_eq!((difference.elements, difference.differing), (32, 1));
        let first = difference.first.expect("a difference");
        assert_eq!((first.element, first.byte), (2, 8));
        assert_eq!(first.texts, ["0.0 0.0", "1.0"]);
        // A size that is no multiple of the width: the last element has the bytes that there are.
        let [half, float] = [half, float].map(|mut it| {
            it.bytes.truncate(126);
            it.written.truncate(126);
            it.bytes[124] = u8::from(it.format == DeviceFormat::IeeeFp32);
            it
        });
        let difference = RawDifference::between(&float, &half);
        assert_eq!((difference.elements, difference.differing), (32, 2));
    }
}
