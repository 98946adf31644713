//! Saved values as bytes, with what tells whether they can be read: the version that wrote them, and a checksum.
//!
//! A compiled program ([`Executable::save`](crate::Executable::save), [`OnCard::save`](crate::card::OnCard::save)) calls
//! functions of the runtime of the version that compiled it, and its fields have no names. So another version refuses it, and
//! a cache compiles again. Two builds of one commit have one version: who changes the compiler without a commit tells them apart.
//!
//! A compiled program is code, and types of its arguments that its reader believes: forged bytes are undefined behaviour, as a
//! forged library is. Load what a [`to_bytes`] of somebody that you trust wrote.

use crc::{CRC_32_ISO_HDLC, Crc};
use serde::Serialize;
use serde::de::DeserializeOwned;
use spyre_version::VERSION;
use thiserror::Error;

/// The first bytes of saved values.
const MAGIC: &[u8] = b"spyre-saved\n";

/// The checksum at the end: that of zlib and PNG.
const CHECKSUM: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// The reason why bytes are no saved value.
#[derive(Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SavedError {
    /// Bytes of another kind.
    #[error("these are not the bytes of a saved program")]
    Kind,
    /// Bytes of another version.
    #[error(
        "the program was saved by version {saved}, and this is version {actual}; compile it again"
    )]
    Version {
        /// The version that wrote the bytes.
        saved: String,
        /// The version that reads them.
        actual: &'static str,
    },
    /// Bytes that were cut or changed.
    #[error("the bytes of the program are damaged; compile it again")]
    Damaged,
}

/// Returns a value as bytes.
///
/// # Panics
/// The value has a sequence of unknown length, which types of this project do not have.
#[must_use]
pub fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    let version = postcard::to_stdvec(VERSION).expect("a Vec takes any text");
    let value = postcard::to_stdvec_crc32(value, CHECKSUM.digest());
    let value = value.expect("a Vec takes any value of known lengths");
    [MAGIC, version.as_slice(), value.as_slice()].concat()
}

/// Returns the value of bytes that [`to_bytes`] gave. The type must be the same.
///
/// # Errors
/// [`SavedError`]
pub fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, SavedError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(SavedError::Kind)?;
    let (saved, rest) =
        postcard::take_from_bytes::<String>(rest).map_err(|_| SavedError::Damaged)?;
    if saved != VERSION {
        return Err(SavedError::Version {
            saved,
            actual: VERSION,
        });
    }
    postcard::from_bytes_crc32(rest, CHECKSUM.digest()).map_err(|_| SavedError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::{MAGIC, SavedError, from_bytes, to_bytes};
    use crate::{Array, DType};

    fn array() -> Array {
        Array::from_i64s(DType::I32, &[3], &[1, -2, 3]).expect("an array")
    }

    #[test]
    fn a_value_is_read_back() {
        assert_eq!(from_bytes::<Array>(&to_bytes(&array())), Ok(array()));
    }

    #[test]
    fn every_changed_or_missing_byte_is_found() {
        let bytes = to_bytes(&array());
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            assert!(from_bytes::<Array>(&changed).is_err(), "byte {at}");
            assert!(from_bytes::<Array>(&bytes[..at]).is_err(), "{at} bytes");
        }
    }

    #[test]
    fn another_version_is_named() {
        let mut bytes = to_bytes(&array());
        bytes[MAGIC.len() + 1] = b'9';
        let error = from_bytes::<Array>(&bytes).expect_err("another version");
        assert!(matches!(&error, SavedError::Version { saved, .. } if saved.starts_with('9')));
    }
}
