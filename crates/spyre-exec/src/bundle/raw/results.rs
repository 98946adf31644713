//! The memory of arguments after runs, and its differences.

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

/// The first difference of the memory of an argument after two runs.
#[derive(Debug, Clone, PartialEq)]
pub struct RawDifference {
    /// The number of elements that both have.
    pub elements: usize,
    /// The number of elements that differ in their bytes, or of which one run wrote only one.
    pub differing: usize,
    /// The first element that differs, and its texts in the two runs.
    pub first: Option<(usize, String, String)>,
    /// The sizes, where they differ.
    pub bytes: Option<(Bytes, Bytes)>,
}

impl RawDifference {
    /// Compares the memory of an argument after two runs, element by element.
    #[must_use]
    pub fn between(first: &RawResult, second: &RawResult) -> Self {
        let width = first.element_bytes().min(second.element_bytes());
        let elements = first.bytes.len().min(second.bytes.len()) / width;
        let mut differing = (0..elements).filter(|at| {
            let range = at * width..(at + 1) * width;
            let (one, other) = (
                &first.written[range.clone()],
                &second.written[range.clone()],
            );
            // Bytes that no operation wrote have no value.
            one != other
                || (one.contains(&true) && first.bytes[range.clone()] != second.bytes[range])
        });
        let first_differing = differing.next();
        let (one, other) = (first.bytes.len() as u64, second.bytes.len() as u64);
        Self {
            elements,
            differing: usize::from(first_differing.is_some()) + differing.count(),
            first: first_differing.map(|at| (at, first.element(at), second.element(at))),
            bytes: (one != other).then_some((Bytes(one), Bytes(other))),
        }
    }

    /// Returns whether nothing differs.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.differing == 0 && self.bytes.is_none()
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

    /// Returns an element as text: `unwritten` where nothing wrote it, and its bits in formats without arithmetic.
    ///
    /// # Panics
    /// The argument has no such element.
    #[must_use]
    pub fn element(&self, at: usize) -> String {
        let width = self.element_bytes();
        let range = at * width..(at + 1) * width;
        if self.written[range.clone()].contains(&false) {
            return "unwritten".to_owned();
        }
        let mut bits = [0; 4];
        bits[..width].copy_from_slice(&self.bytes[range]);
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
        assert_eq!(
            difference.first,
            Some((2, "2.0".to_owned(), "3.0".to_owned()))
        );
        other.written[4..].fill(false);
        let difference = RawDifference::between(&one, &other);
        assert_eq!(
            difference.first,
            Some((2, "2.0".to_owned(), "unwritten".to_owned()))
        );
        let shorter = result(&[0, 0x3C], &[true, true]);
        assert!(!RawDifference::between(&one, &shorter).agrees());
    }
}
